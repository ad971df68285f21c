//! Modules are run, and what comes of it is compared with what the specification says.

mod addresses;
mod control_flow;
mod cooperative;
mod derivatives;
mod explore;
mod findings;
mod groups;
mod images;
mod kernel_images;
mod kernels;
mod observers;
mod opencl;
mod operations;
mod orders;
mod picture;
mod precision;
mod printf;
mod races;
mod reconvergence;
mod sampling;
mod shader;
mod sharing;
mod specialization;
mod untyped;
