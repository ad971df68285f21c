//! What the side-by-side program and the daily benchmarks have in common.
#![deny(missing_docs)]

pub mod decode;
pub mod shapes;
pub mod synthetic;
mod writer;
