//! The tests of the crate, as one program, because each takes its time to link.

mod broken;
mod calls;
mod common;
mod constructs;
mod control_flow;
mod index;
mod layout;
mod layout_comparison;
mod lengths;
mod natural_layouts;
mod properties;
mod requirements;
mod spelling;
mod uses;
mod ways;
