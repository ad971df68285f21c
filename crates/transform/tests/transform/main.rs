//! The tests of the crate, as one program, because each takes its time to link.

mod common;
mod compact;
mod fold;
mod link;
mod merge;
mod prune;
mod specialize;
mod split;
mod strip;
mod trim;
