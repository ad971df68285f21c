//! What changes functions as wholes, a file for each.

pub(crate) mod flow;
pub(crate) mod inline;
pub(crate) mod privates;
