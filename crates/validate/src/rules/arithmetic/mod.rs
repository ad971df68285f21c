//! Arithmetic instructions (specification, section 3.32.13).

mod products;

use spirvkit_binary::Id;
use spirvkit_grammar::{FPEncoding, Op};

use super::operation::{Operation, check_types};
use super::{Family, cooperative_matrix};
use crate::finding::{CheckResult, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Module, Type};
use crate::pattern::{FLOAT, INT, Pattern, UNSIGNED};
use crate::rules::generated::arithmetic;

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::FAdd,
        Op::FSub,
        Op::FMul,
        Op::FDiv,
        Op::FRem,
        Op::FMod,
        Op::FNegate,
        Op::FmaKHR,
        Op::SNegate,
        Op::IAdd,
        Op::ISub,
        Op::IMul,
        Op::SDiv,
        Op::SRem,
        Op::SMod,
        Op::UDiv,
        Op::UMod,
        Op::IAddCarry,
        Op::ISubBorrow,
        Op::UMulExtended,
        Op::SMulExtended,
        Op::Dot,
        Op::VectorTimesScalar,
        Op::MatrixTimesScalar,
        Op::VectorTimesMatrix,
        Op::MatrixTimesVector,
        Op::MatrixTimesMatrix,
        Op::OuterProduct,
        Op::UCountLeadingZerosINTEL,
        Op::UCountTrailingZerosINTEL,
        Op::AbsISubINTEL,
        Op::AbsUSubINTEL,
        Op::IAddSatINTEL,
        Op::UAddSatINTEL,
        Op::IAverageINTEL,
        Op::UAverageINTEL,
        Op::IAverageRoundedINTEL,
        Op::UAverageRoundedINTEL,
        Op::ISubSatINTEL,
        Op::USubSatINTEL,
        Op::IMul32x16INTEL,
        Op::UMul32x16INTEL,
    ],
    check,
    check_module: None,
};

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    check_types(at, check_operation)
}

pub(super) fn check_operation(o: &Operation<'_, '_, '_>) -> CheckResult {
    match o.op {
        Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FNegate => check_float(o),
        Op::FRem | Op::FMod | Op::FmaKHR => check_float(o),
        Op::UDiv | Op::UMod => check_unsigned(o),
        Op::SNegate | Op::IAdd | Op::ISub | Op::IMul | Op::SDiv | Op::SRem | Op::SMod => {
            check_integer(o)
        }
        Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended => check_pair(o),
        Op::Dot => products::check_dot(o),
        Op::VectorTimesScalar | Op::MatrixTimesScalar => products::check_scaled(o),
        Op::VectorTimesMatrix => products::check_vector_times_matrix(o),
        Op::MatrixTimesVector => products::check_matrix_times_vector(o),
        Op::MatrixTimesMatrix => products::check_matrix_times_matrix(o),
        Op::OuterProduct => products::check_outer_product(o),
        // `SPV_INTEL_shader_integer_functions2`: the products take operands of
        // different widths.
        Op::IMul32x16INTEL | Op::UMul32x16INTEL => check_integer_kinds(o),
        _ => check_integer(o),
    }
}

/// Whether the operation also works on cooperative matrices of this type.
fn takes_matrices(o: &Operation<'_, '_, '_>) -> bool {
    match o.op {
        Op::FAdd | Op::FSub | Op::FDiv | Op::FNegate => true,
        Op::UDiv | Op::SNegate | Op::IAdd | Op::ISub | Op::SDiv => true,
        // Only the later extension has component-wise products.
        Op::FMul | Op::IMul => matches!(o.m.ty(o.result), Type::CooperativeMatrix(_)),
        _ => false,
    }
}

/// Whether the result is a cooperative matrix of these, and the operation works on them.
fn is_matrix_of(o: &Operation<'_, '_, '_>, components: Pattern) -> bool {
    components.cooperative_matrix().matches(o.m, o.result) && takes_matrices(o)
}

/// The encoding of a numeric type's components; `None` for IEEE 754 and for
/// what is no float.
pub(super) fn encoding(m: &Module<'_>, ty: Id) -> Option<FPEncoding> {
    match m.ty(m.component_type(ty)) {
        Type::Float { encoding, .. } => encoding,
        _ => None,
    }
}

/// Arithmetic isn't defined for floats that are not IEEE 754.
pub(super) fn check_encoding(o: &Operation<'_, '_, '_>, ty: Id) -> CheckResult {
    let Some(encoding) = encoding(o.m, ty) else {
        return Ok(());
    };
    let message = format!(
        "{} is not defined for `{encoding}`, the encoding of {}",
        o.op,
        o.m.show_type(ty)
    );
    let finding = o.finding(&arithmetic::SMALL_FLOAT, message);
    Err(finding.about(o.m, ty, "the type is declared here"))
}

fn check_float(o: &Operation<'_, '_, '_>) -> CheckResult {
    if !is_matrix_of(o, FLOAT) {
        o.expect_result(&arithmetic::FLOAT_RESULT, FLOAT.scalar_or_vector())?;
    }
    let operands = 0..o.args.len();
    let operands = operands.map(|index| o.expect_result_type(&arithmetic::FLOAT_OPERAND, index));
    all([check_encoding(o, o.result), all(operands)])
}

fn check_unsigned(o: &Operation<'_, '_, '_>) -> CheckResult {
    if !is_matrix_of(o, UNSIGNED) {
        o.expect_result(&arithmetic::UNSIGNED_RESULT, UNSIGNED.scalar_or_vector())?;
    }
    let operands = 0..o.args.len();
    all(operands.map(|index| o.expect_result_type(&arithmetic::UNSIGNED_OPERAND, index)))
}

/// Checks that result and operands are integers and alike in the number of
/// components.
fn check_integer_kinds(o: &Operation<'_, '_, '_>) -> CheckResult {
    let is_matrix = is_matrix_of(o, INT);
    if !is_matrix {
        o.expect_result(&arithmetic::INTEGER_RESULT, INT.scalar_or_vector())?;
    }
    all((0..o.args.len()).map(|index| {
        let ty = o.ty(index);
        if ty == o.result && !is_matrix {
            // That of most operands, of which nothing else is asked.
            return Ok(());
        }
        let rule = &arithmetic::INTEGER_OPERAND;
        if is_matrix {
            o.expect_operand(rule, index, INT.cooperative_matrix())?;
            return cooperative_matrix::check_same_shape(o, index);
        }
        o.expect_operand(rule, index, INT.scalar_or_vector())?;
        o.expect_size(&arithmetic::OPERAND_SIZE, index)
    }))
}

fn check_integer(o: &Operation<'_, '_, '_>) -> CheckResult {
    check_integer_kinds(o)?;
    all((0..o.args.len()).map(|index| {
        let ty = o.ty(index);
        if ty != o.result && o.m.bit_width(ty) != o.m.bit_width(o.result) {
            return Err(o.mismatch(
                &arithmetic::OPERAND_WIDTH,
                index,
                "components of the same width",
            ));
        }
        Ok(())
    }))
}

fn check_pair(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let Type::Struct {
        members: [first, second],
    } = m.ty(o.result)
    else {
        return Err(o.result_finding(&arithmetic::PAIR_RESULT, "a structure with two members"));
    };
    let member = Id(*first);
    let (component, wanted) = match o.op {
        Op::SMulExtended => (INT, "a structure of two integer scalars or vectors"),
        _ => (
            UNSIGNED,
            "a structure of two unsigned integer scalars or vectors",
        ),
    };
    if !component.scalar_or_vector().matches(m, member) {
        return Err(o.result_finding(&arithmetic::PAIR_RESULT, wanted));
    }
    if first != second {
        return Err(o.result_finding(
            &arithmetic::PAIR_RESULT,
            "a structure with two members of the same type",
        ));
    }
    all((0..o.args.len()).map(|index| {
        if o.ty(index) != member {
            let wanted = "the type of the result's members";
            return Err(o.mismatch(&arithmetic::PAIR_OPERAND, index, wanted));
        }
        Ok(())
    }))
}
