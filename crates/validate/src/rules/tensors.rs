//! Tensors (SPV_ARM_tensors).

use super::Family;
use crate::fault::Verdict;
use crate::site::Site;

pub(crate) const FAMILY: Family = Family {
    ops: &[],
    check,
    check_module: None,
    rules: &[],
};

fn check(_at: &Site<'_, '_>) -> Verdict {
    Ok(())
}
