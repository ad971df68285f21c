//! The tests of the crate, as one program, because each takes its time to link.

mod composites;
mod glsl;
mod modes;
mod oracle;
mod products;
mod scalars;
