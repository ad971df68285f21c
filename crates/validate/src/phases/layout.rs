//! The order of instructions (specification, section 2.4).

use crate::fault::Faults;
use crate::module::Module;
use crate::rule::Rule;

pub(super) static RULES: &[&Rule] = &[];

/// Checks the order of all instructions.
pub(super) fn check(_m: &Module<'_>, _faults: &mut Faults) {}
