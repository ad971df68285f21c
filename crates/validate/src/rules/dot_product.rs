//! Dot products (SPV_KHR_integer_dot_product and SPV_VALVE_mixed_float_dot_product).

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
