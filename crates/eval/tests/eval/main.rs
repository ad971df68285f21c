//! The tests of the crate, as one program, because each takes its time to link.

mod composites;
mod digests;
mod glsl;
mod glsl_vectors;
mod modes;
mod opencl;
mod oracle;
mod products;
mod scalars;
