//! What changes functions as wholes, a file for each.

pub(crate) mod chains;
pub(crate) mod copies;
mod described;
pub(crate) mod flow;
pub(crate) mod indices;
pub(crate) mod inline;
pub(crate) mod members;
pub(crate) mod privates;
mod select;
pub(crate) mod sink;
pub(crate) mod split;
mod unreachable;
pub(crate) mod unroll;
