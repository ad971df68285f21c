//! Runs SPIR-V compute shaders on any machine, as the specification says, and reports what
//! drivers don't: accesses out of bounds, divisions by zero, barriers that not all
//! invocations reach.
//!
//! [`Run`] takes a module and its inputs; [`Outcome`] has the buffers and the findings.
//! Unsupported features are reported by name before anything runs.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]
#![deny(missing_docs)]
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::print_stdout,
        clippy::print_stderr,
        clippy::exit
    )
)]

mod explore;
mod fast;
mod image;
mod kinds;
mod lower;
mod machine;
pub mod model;
mod observe;
mod optimize;
mod printing;
mod program;
mod run;
mod special;
mod tensor;
mod undefined;

pub use explore::{Condition, ConditionError, Explore, Explored, Final, MAX_LOOKS};
pub use image::{
    AddressMode, BorderColor, CompareOp, Compressed, Dimension, Filter, Image, MAX_IMAGE,
    Reduction, Sampler, Swizzle,
};
pub use kinds::KINDS;
pub use lower::{Support, support, support_of};
pub use observe::{Access, AccessKind, Observer, Place, Seen, Step};
pub use run::{
    Element, Float, MAX_BUFFER, MAX_ENQUEUED, MAX_MEMORY, MAX_PRINTED, MAX_STEPS, Name, Outcome,
    Pipe, Run, SpecValue, assert_close,
};
