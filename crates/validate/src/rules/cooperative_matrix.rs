//! Cooperative matrices (`SPV_KHR_cooperative_matrix` and its extensions,
//! `SPV_NV_cooperative_matrix`): shapes.

use super::Family;
use super::operation::Operation;
use crate::fault::Verdict;
use crate::module::{CooperativeMatrix, Module};
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

/// What a cooperative matrix is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Use {
    A,
    B,
    Accumulator,
}

impl Use {
    /// The use of a matrix; `None` if specialization may change it or it has
    /// none.
    pub(super) fn of(m: &Module<'_>, matrix: &CooperativeMatrix) -> Option<Self> {
        match m.constant_u64(matrix.matrix_use)? {
            0 => Some(Self::A),
            1 => Some(Self::B),
            2 => Some(Self::Accumulator),
            _ => None,
        }
    }
}

pub(super) fn check_same_shape(_o: &Operation<'_, '_, '_>, _index: usize) -> Verdict {
    Ok(())
}
pub(super) fn check_conversion(_o: &Operation<'_, '_, '_>) -> Verdict {
    Ok(())
}
pub(super) fn check_use_conversion(_o: &Operation<'_, '_, '_>) -> Verdict {
    Ok(())
}
