//! Values of 8 and 16 bits that may only be stored (specification, section
//! 3.31, the storage capabilities).

use spirvkit_binary::Id;
use spirvkit_grammar::Capability;

use super::Family;
use crate::fault::Verdict;
use crate::module::{Module, Type};
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

/// Whether a type is or holds numbers that the module may only store, because it
/// doesn't declare the capability to calculate with them.
pub(super) fn is_limited(m: &Module<'_>, ty: Id) -> bool {
    let limits = Limits::new(m);
    match m.ty(ty) {
        Type::Array { .. } | Type::RuntimeArray { .. } | Type::Struct { .. } => {
            limits.any() && m.contains(ty, |ty| limits.cover(ty))
        }
        // No set of the types that were seen is needed for these.
        _ => limits.cover(m.ty(m.component_type(ty))),
    }
}

/// Which numbers may only be stored.
#[derive(Clone, Copy)]
struct Limits {
    int8: bool,
    int16: bool,
    float16: bool,
}

impl Limits {
    fn new(m: &Module<'_>) -> Self {
        Self {
            int8: !m.has(Capability::Int8),
            int16: !m.has(Capability::Int16),
            float16: !m.has(Capability::Float16),
        }
    }

    fn any(self) -> bool {
        self.int8 || self.int16 || self.float16
    }

    fn cover(self, ty: Type<'_>) -> bool {
        match ty {
            Type::Int { width: 8, .. } => self.int8,
            Type::Int { width: 16, .. } => self.int16,
            Type::Float {
                width: 16,
                encoding: None,
            } => self.float16,
            _ => false,
        }
    }
}
