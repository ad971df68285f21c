//! The tests of the crate, as one program, because each takes its time to link.

mod common;
mod compact;
mod fold_composites;
mod fold_constants;
mod fold_scalars;
mod link;
mod merge;
mod oracle;
mod prune;
mod specialize;
mod split;
mod strip;
mod trim;
