//! Shapes and uses of cooperative matrices, and conversions between them.

use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, Decoration, Op};

use super::super::operation::Operation;
use super::KHR_MATRIX;
use crate::finding::{CheckResult, Finding};
use crate::module::{CooperativeMatrix, Lookup, Module, Type};
use crate::rules::generated::cooperative_matrix;

/// What a cooperative matrix is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Use {
    A,
    B,
    Accumulator,
}

impl Use {
    /// The use of a matrix; `None` if specialization may change it or it has
    /// none.
    pub(in super::super) fn of(m: &Module<'_>, matrix: &CooperativeMatrix) -> Option<Self> {
        match m.constant_u64(matrix.matrix_use)? {
            0 => Some(Self::A),
            1 => Some(Self::B),
            2 => Some(Self::Accumulator),
            _ => None,
        }
    }
}

/// The values of two constants that certainly differ.
pub(super) fn different(m: &Module<'_>, a: Id, b: Id) -> Option<(u64, u64)> {
    let (a, b) = (m.constant_u64(a)?, m.constant_u64(b)?);
    (a != b).then_some((a, b))
}

/// A conversion between two matrices.
struct Pair {
    from: CooperativeMatrix,
    to: CooperativeMatrix,
}

impl Pair {
    /// The matrix that is this operand, and that of the result.
    fn of(o: &Operation<'_, '_, '_>, index: usize) -> Result<Self, Finding> {
        match (o.m.ty(o.ty(index)), o.m.ty(o.result)) {
            (Type::CooperativeMatrix(from), Type::CooperativeMatrix(to))
            | (Type::CooperativeMatrixNv(from), Type::CooperativeMatrixNv(to)) => {
                Ok(Self { from, to })
            }
            _ => Err(o.mismatch(
                &cooperative_matrix::FORM,
                index,
                "the same kind of cooperative matrix type as the result",
            )),
        }
    }

    fn check_scope(&self, o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
        match different(o.m, self.from.scope, self.to.scope) {
            Some(_) => {
                Err(o.mismatch(&cooperative_matrix::SHAPE, index, "the scope of the result"))
            }
            None => Ok(()),
        }
    }

    fn check_size(&self, o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
        let (from, to) = (&self.from, &self.to);
        let is_other = different(o.m, from.rows, to.rows).is_some()
            || different(o.m, from.columns, to.columns).is_some();
        match is_other {
            true => Err(o.mismatch(
                &cooperative_matrix::SHAPE,
                index,
                "the rows and columns of the result",
            )),
            false => Ok(()),
        }
    }

    fn check_transposed_size(&self, o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
        let (from, to) = (&self.from, &self.to);
        let is_other = different(o.m, from.rows, to.columns).is_some()
            || different(o.m, from.columns, to.rows).is_some();
        match is_other {
            true => Err(o.mismatch(
                &cooperative_matrix::TRANSPOSED_SHAPE,
                index,
                "the columns and rows of the result",
            )),
            false => Ok(()),
        }
    }

    /// The uses before and after.
    fn uses(&self, m: &Module<'_>) -> (Option<Use>, Option<Use>) {
        (Use::of(m, &self.from), Use::of(m, &self.to))
    }
}

/// Checks that an operand has the shape and the use of the result.
pub(in super::super) fn check_same_shape(o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
    let pair = Pair::of(o, index)?;
    pair.check_scope(o, index)?;
    pair.check_size(o, index)?;
    match pair.uses(o.m) {
        (Some(from), Some(to)) if from != to => {
            Err(o.mismatch(&cooperative_matrix::USE, index, "the use of the result"))
        }
        _ => Ok(()),
    }
}

/// Whether a conversion is decorated to transpose its matrix.
fn is_transposing(o: &Operation<'_, '_, '_>) -> bool {
    let result = o.at.inst.result().unwrap_or(Id(0));
    o.m.is_decorated(result, Decoration::CooperativeMatrixTransposeEXT)
}

/// Checks the shapes of a conversion of the components.
pub(in super::super) fn check_conversion(o: &Operation<'_, '_, '_>) -> CheckResult {
    if is_transposing(o) {
        return check_transposing(o);
    }
    let m = o.m;
    let pair = Pair::of(o, 0)?;
    pair.check_scope(o, 0)?;
    pair.check_size(o, 0)?;
    let may_change = m.has(Capability::CooperativeMatrixConversionsEXT)
        || m.has(Capability::CooperativeMatrixConversionsNV);
    match pair.uses(m) {
        (Some(from), Some(to)) if from != to => {
            let is_fine = may_change && (from == Use::Accumulator || to == Use::Accumulator);
            match is_fine {
                true => Ok(()),
                false => Err(o.mismatch(&cooperative_matrix::USE, 0, "the use of the result")),
            }
        }
        _ => Ok(()),
    }
}

fn check_transposing(o: &Operation<'_, '_, '_>) -> CheckResult {
    let pair = Pair::of(o, 0)?;
    pair.check_scope(o, 0)?;
    let (from, to) = pair.uses(o.m);
    if from.is_some_and(|from| from != Use::Accumulator) || to == Some(Use::Accumulator) {
        let wanted = "the use `MatrixAccumulator`, and the result `MatrixA` or `MatrixB`, because the conversion transposes";
        return Err(o.mismatch(&cooperative_matrix::TRANSPOSED_SHAPE, 0, wanted));
    }
    pair.check_transposed_size(o, 0)
}

/// `OpCooperativeMatrixConvertUseEXT` and `OpCooperativeMatrixTransposeNV`.
pub(in super::super) fn check_use_conversion(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    o.expect_result(&cooperative_matrix::FORM, KHR_MATRIX)?;
    o.expect_operand(&cooperative_matrix::FORM, 0, KHR_MATRIX)?;
    let Pair { from, to } = Pair::of(o, 0)?;
    let only_sign_differs = m.is_int_scalar(from.component)
        && m.is_int_scalar(to.component)
        && m.bit_width(from.component) == m.bit_width(to.component);
    if from.component != to.component && !only_sign_differs {
        return Err(o.mismatch(
            &cooperative_matrix::COMPONENT,
            0,
            "the component type of the result",
        ));
    }
    if o.op == Op::CooperativeMatrixTransposeNV || is_transposing(o) {
        return check_transposing(o);
    }
    let pair = Pair { from, to };
    pair.check_scope(o, 0)?;
    pair.check_size(o, 0)?;
    let is_same = from.matrix_use == to.matrix_use;
    let is_fine = match pair.uses(m) {
        (Some(from), Some(to)) => (from == Use::Accumulator) != (to == Use::Accumulator),
        // Specialization decides, unless it is one constant for both.
        _ => !is_same,
    };
    match is_fine {
        true => Ok(()),
        false => Err(o.mismatch(
            &cooperative_matrix::USE,
            0,
            "the use `MatrixAccumulator` if the result has `MatrixA` or `MatrixB`, and one of these if the result has `MatrixAccumulator`",
        )),
    }
}
