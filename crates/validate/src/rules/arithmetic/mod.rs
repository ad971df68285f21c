//! Arithmetic instructions (specification, section 3.32.13).

mod products;

use spirvkit_binary::Id;
use spirvkit_diagnostics::ErrorClass::InvalidData;
use spirvkit_grammar::{FPEncoding, Op};

use super::operation::{Operation, check_types};
use super::{Family, cooperative_matrix};
use crate::finding::{CheckResult, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Module, Type};
use crate::rule::{Example, Frame, Rule};

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
    rules: &[
        &FLOAT_RESULT,
        &FLOAT_OPERAND,
        &SMALL_FLOAT,
        &UNSIGNED_RESULT,
        &UNSIGNED_OPERAND,
        &INTEGER_RESULT,
        &INTEGER_OPERAND,
        &OPERAND_SIZE,
        &OPERAND_WIDTH,
        &PAIR_RESULT,
        &PAIR_OPERAND,
        &products::DOT_RESULT,
        &products::DOT_OPERAND,
        &products::BFLOAT_DOT,
        &products::RESULT,
        &products::MATRIX_OPERAND,
        &products::VECTOR_OPERAND,
        &products::SCALED,
        &products::SCALE,
        &products::COMPONENTS,
        &products::SHAPE,
    ],
};

static FLOAT_RESULT: Rule = Rule {
    id: "arithmetic.float-result",
    class: InvalidData,
    section: "3.32.13",
    vuids: &[],
    text: "The result of a floating-point operation is a floating-point scalar, vector or cooperative matrix. \
           Remainders and the fused multiply-add don't work on matrices, nor does `OpFMul` on the matrices of \
           SPV_NV_cooperative_matrix.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%sum = OpFAdd %u32 %u32_0 %u32_1",
        keeps: "%sum = OpFAdd %f32 %f32_0 %f32_1",
    },
};

static FLOAT_OPERAND: Rule = Rule {
    id: "arithmetic.float-operand",
    class: InvalidData,
    section: "3.32.13",
    vuids: &[],
    text: "The operands of a floating-point operation have the type of its result.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%sum = OpFAdd %f32 %f32_0 %v2f32_0",
        keeps: "%sum = OpFAdd %f32 %f32_0 %f32_1",
    },
};

pub(super) static SMALL_FLOAT: Rule = Rule {
    id: "arithmetic.small-float",
    class: InvalidData,
    section: "SPV_KHR_bfloat16, SPV_EXT_float8",
    vuids: &[],
    text: "Floats of encodings other than IEEE 754 can be loaded, stored, converted, used in composites and \
           multiplied in cooperative matrices, but arithmetic and comparisons are not defined on them: convert them \
           first.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability BFloat16TypeKHR
OpExtension \"SPV_KHR_bfloat16\"
%bf16 = OpTypeFloat 16 BFloat16KHR
%bf16_1 = OpConstant %bf16 1
%sum = OpFAdd %bf16 %bf16_1 %bf16_1",
        keeps: "OpCapability BFloat16TypeKHR
OpExtension \"SPV_KHR_bfloat16\"
%bf16 = OpTypeFloat 16 BFloat16KHR
%bf16_1 = OpConstant %bf16 1
%wide = OpFConvert %f32 %bf16_1
%sum = OpFAdd %f32 %wide %wide",
    },
};

static UNSIGNED_RESULT: Rule = Rule {
    id: "arithmetic.unsigned-result",
    class: InvalidData,
    section: "3.32.13",
    vuids: &[],
    text: "The result of `OpUDiv` and `OpUMod` is an unsigned integer scalar or vector; `OpUDiv` also works on \
           cooperative matrices.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%quotient = OpUDiv %i32 %u32_1 %u32_2",
        keeps: "%quotient = OpUDiv %u32 %u32_1 %u32_2",
    },
};

static UNSIGNED_OPERAND: Rule = Rule {
    id: "arithmetic.unsigned-operand",
    class: InvalidData,
    section: "3.32.13",
    vuids: &[],
    text: "The operands of `OpUDiv` and `OpUMod` have the type of the result.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%quotient = OpUDiv %u32 %u32_1 %i32_2",
        keeps: "%quotient = OpUDiv %u32 %u32_1 %u32_2",
    },
};

static INTEGER_RESULT: Rule = Rule {
    id: "arithmetic.integer-result",
    class: InvalidData,
    section: "3.32.13",
    vuids: &[],
    text: "The result of an integer operation is an integer scalar or vector of either signedness; some operations \
           also work on cooperative matrices.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%sum = OpIAdd %f32 %u32_1 %u32_2",
        keeps: "%sum = OpIAdd %i32 %u32_1 %i32_2",
    },
};

static INTEGER_OPERAND: Rule = Rule {
    id: "arithmetic.integer-operand",
    class: InvalidData,
    section: "3.32.13",
    vuids: &[],
    text: "The operands of an integer operation are integers, or vectors or cooperative matrices of them, of either \
           signedness.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%sum = OpIAdd %u32 %u32_1 %f32_1",
        keeps: "%sum = OpIAdd %u32 %u32_1 %i32_1",
    },
};

static OPERAND_SIZE: Rule = Rule {
    id: "arithmetic.operand-size",
    class: InvalidData,
    section: "3.32.13",
    vuids: &[],
    text: "The operands of an integer operation have as many components as its result.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%sum = OpIAdd %v2u32 %v2u32_0 %v3u32_0",
        keeps: "%sum = OpIAdd %v2u32 %v2u32_0 %v2i32_0",
    },
};

static OPERAND_WIDTH: Rule = Rule {
    id: "arithmetic.operand-width",
    class: InvalidData,
    section: "3.32.13",
    vuids: &[],
    text: "The components of an integer operation's operands are as wide as those of its result; there is no implicit \
           conversion.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%sum = OpIAdd %u32 %u32_1 %u64_1",
        keeps: "%wide = OpUConvert %u64 %u32_1
%sum = OpIAdd %u64 %wide %u64_1",
    },
};

static PAIR_RESULT: Rule = Rule {
    id: "arithmetic.pair-result",
    class: InvalidData,
    section: "3.32.13",
    vuids: &[],
    text: "The result of an operation with carry, borrow or a double-width product is a structure of two members of \
           the same integer type, a scalar or vector, which is unsigned except for `OpSMulExtended`.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%pair = OpTypeStruct %u32 %u64
%sum = OpIAddCarry %pair %u32_1 %u32_2",
        keeps: "%pair = OpTypeStruct %u32 %u32
%sum = OpIAddCarry %pair %u32_1 %u32_2",
    },
};

static PAIR_OPERAND: Rule = Rule {
    id: "arithmetic.pair-operand",
    class: InvalidData,
    section: "3.32.13",
    vuids: &[],
    text: "The operands of an operation whose result is a pair of values have the type of the members of its result.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%pair = OpTypeStruct %u32 %u32
%sum = OpIAddCarry %pair %u32_1 %i32_2",
        keeps: "%pair = OpTypeStruct %u32 %u32
%sum = OpIAddCarry %pair %u32_1 %u32_2",
    },
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
        "{} is not defined for {encoding}, the encoding of {}",
        o.op,
        o.m.show_type(ty)
    );
    let finding = o.finding(&SMALL_FLOAT, message);
    Err(finding.about(o.m, ty, "the type is declared here"))
}

fn check_float(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let result = o.result;
    let is_matrix = || takes_matrices(o) && m.is_float_cooperative_matrix(result);
    if !m.is_float_scalar_or_vector(result) && !is_matrix() {
        return Err(o.result_finding(&FLOAT_RESULT, "a floating-point scalar or vector"));
    }
    let operands = (0..o.args.len()).map(|index| {
        expect(o.ty(index) == result, || {
            o.mismatch(&FLOAT_OPERAND, index, "the result type")
        })
    });
    all([check_encoding(o, result), all(operands)])
}

fn check_unsigned(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let is_matrix = || {
        takes_matrices(o)
            && m.is_cooperative_matrix(o.result)
            && m.is_unsigned_scalar(m.component_type(o.result))
    };
    if !m.is_unsigned_scalar_or_vector(o.result) && !is_matrix() {
        return Err(o.result_finding(&UNSIGNED_RESULT, "an unsigned integer scalar or vector"));
    }
    all((0..o.args.len()).map(|index| {
        if o.ty(index) != o.result {
            return Err(o.mismatch(&UNSIGNED_OPERAND, index, "the result type"));
        }
        Ok(())
    }))
}

/// Checks that result and operands are integers and alike in the number of
/// components.
fn check_integer_kinds(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let is_matrix = m.is_int_cooperative_matrix(o.result) && takes_matrices(o);
    if !is_matrix && !m.is_int_scalar_or_vector(o.result) {
        return Err(o.result_finding(&INTEGER_RESULT, "an integer scalar or vector"));
    }
    all((0..o.args.len()).map(|index| {
        let ty = o.ty(index);
        if ty == o.result && !is_matrix {
            // That of most operands, of which nothing else is asked.
            return Ok(());
        }
        if is_matrix {
            if !m.is_int_cooperative_matrix(ty) {
                let wanted = "a cooperative matrix of integers, like the result";
                return Err(o.operand_finding(&INTEGER_OPERAND, index, wanted));
            }
            cooperative_matrix::check_same_shape(o, index)?;
            return Ok(());
        }
        if !m.is_int_scalar_or_vector(ty) {
            let wanted = "an integer scalar or vector";
            return Err(o.operand_finding(&INTEGER_OPERAND, index, wanted));
        }
        if !o.same_dimension(ty, o.result) {
            return Err(o.mismatch(&OPERAND_SIZE, index, "as many components as the result"));
        }
        Ok(())
    }))
}

fn check_integer(o: &Operation<'_, '_, '_>) -> CheckResult {
    check_integer_kinds(o)?;
    all((0..o.args.len()).map(|index| {
        let ty = o.ty(index);
        if ty != o.result && o.m.bit_width(ty) != o.m.bit_width(o.result) {
            return Err(o.mismatch(&OPERAND_WIDTH, index, "components of the same width"));
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
        return Err(o.result_finding(&PAIR_RESULT, "a structure with two members"));
    };
    let member = Id(*first);
    let (is_fine, wanted) = match o.op {
        Op::SMulExtended => (
            m.is_int_scalar_or_vector(member),
            "a structure of two integer scalars or vectors",
        ),
        _ => (
            m.is_unsigned_scalar_or_vector(member),
            "a structure of two unsigned integer scalars or vectors",
        ),
    };
    if !is_fine {
        return Err(o.result_finding(&PAIR_RESULT, wanted));
    }
    if first != second {
        return Err(o.result_finding(
            &PAIR_RESULT,
            "a structure with two members of the same type",
        ));
    }
    all((0..o.args.len()).map(|index| {
        if o.ty(index) != member {
            let wanted = "the type of the result's members";
            return Err(o.mismatch(&PAIR_OPERAND, index, wanted));
        }
        Ok(())
    }))
}
