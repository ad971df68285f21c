//! What the side-by-side programs and the daily benchmarks have in common.
#![deny(missing_docs)]

pub mod corpus;
pub mod decode;
pub mod series;
pub mod shapes;
pub mod synthetic;
pub mod writer;
