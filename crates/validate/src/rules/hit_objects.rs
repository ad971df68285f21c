//! Hit objects (SPV_EXT_shader_invocation_reorder and SPV_NV_shader_invocation_reorder).

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
