//! What may become of floating-point operations, if the caller wants no more than the API promises.

use spirvkit_grammar::{Decoration, ExecutionMode, FPFastMathMode, Op};

use super::{Unit, Value};
use crate::Float;

/// What depends on the sign of zeros, and on infinities and NaNs.
const SPECIAL: u32 = FPFastMathMode::NotNaN.0 | FPFastMathMode::NotInf.0 | FPFastMathMode::NSZ.0;

/// What other operations an operation may be joined with.
const REARRANGED: u32 = FPFastMathMode::AllowContract.0 | FPFastMathMode::AllowReassoc.0;

const ALL: u32 = SPECIAL | REARRANGED | FPFastMathMode::AllowRecip.0;

/// What a module's execution modes permit.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Permissions {
    /// Whether the API's default holds.
    is_api: bool,
    /// The widths of numbers whose special values are preserved, as bits.
    preserved: u32,
}

impl Permissions {
    /// Looks at a module; nothing is permitted unless it is wanted.
    pub(super) fn of(unit: &Unit) -> Self {
        if unit.options.float != Float::Api {
            return Self::default();
        }
        let mut permissions = Self {
            is_api: unit.is_shader,
            preserved: 0,
        };
        for &value in &unit.globals {
            if !matches!(unit.op(value), Op::ExecutionMode | Op::ExecutionModeId) {
                continue;
            }
            match ExecutionMode(unit.operand(value, 1)) {
                ExecutionMode::SignedZeroInfNanPreserve => {
                    permissions.preserved |= unit.operand(value, 2);
                }
                // Whatever an entry point says may hold for all: they share functions.
                ExecutionMode::FPFastMathDefault => permissions.is_api = false,
                _ => {}
            }
        }
        permissions
    }
}

impl Unit {
    /// What an operation permits: by its decorations, or by default.
    pub(crate) fn permitted(&self, decorations: u32, ty: u32, operands: &[u32]) -> FPFastMathMode {
        if self.options.float != Float::Api {
            return FPFastMathMode(0);
        }
        let own = self.decorations.get(decorations);
        let given = own.iter().find_map(|entry| match *entry.words {
            [decoration, mask] if decoration == Decoration::FPFastMathMode.0 => Some(mask),
            _ => None,
        });
        let permissions = self.permissions;
        let mut mask = match given {
            Some(mask) if FPFastMathMode(mask).contains(FPFastMathMode::Fast) => ALL,
            Some(mask) => mask,
            None if permissions.is_api => ALL,
            None => 0,
        };
        // Comparisons have the width of what they compare.
        let types = operands.iter().map(|&id| self.node(id).ty);
        let shapes = std::iter::once(ty)
            .chain(types)
            .filter_map(|ty| self.shape(ty));
        let mut widths = shapes.map(|(scalar, _)| scalar.width());
        if given.is_none() && widths.any(|width| permissions.preserved & width != 0) {
            mask &= !SPECIAL;
        }
        if self.stays_apart(decorations) || operands.iter().any(|&id| self.value_stays_apart(id)) {
            mask &= !REARRANGED;
        }
        FPFastMathMode(mask)
    }

    fn value_stays_apart(&self, value: Value) -> bool {
        self.stays_apart(self.node(value).decorations)
    }

    /// Whether decorations forbid to join an operation with others.
    fn stays_apart(&self, decorations: u32) -> bool {
        let mut own = self.decorations.get(decorations).iter();
        own.any(|entry| entry.words.first() == Some(&Decoration::NoContraction.0))
    }
}
