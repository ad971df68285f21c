//! Modules are run, and what comes of it is compared with what the specification says.

mod addresses;
mod control_flow;
mod findings;
mod kernels;
mod operations;
mod reconvergence;
mod shader;
mod specialization;
