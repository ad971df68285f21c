//! Memory instructions (specification, section 3.52.8).

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
