//! Cooperative matrices (`SPV_KHR_cooperative_matrix` and its extensions,
//! `SPV_NV_cooperative_matrix`).

mod access;
mod functions;
mod shapes;

use spirvkit_binary::Id;
use spirvkit_diagnostics::ErrorClass::{InvalidData, InvalidId};
use spirvkit_grammar::Op;

use super::Family;
use super::operation::{Operation, check_values};
use crate::finding::{CheckResult, all};
use crate::inst_ctx::InstCtx;
use crate::module::Type;
use crate::rule::{Example, Frame, Rule};

pub(super) use shapes::{Use, check_conversion, check_same_shape, check_use_conversion};

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::CooperativeMatrixLoadKHR,
        Op::CooperativeMatrixStoreKHR,
        Op::CooperativeMatrixMulAddKHR,
        Op::CooperativeMatrixLengthKHR,
        Op::CooperativeMatrixLoadNV,
        Op::CooperativeMatrixStoreNV,
        Op::CooperativeMatrixMulAddNV,
        Op::CooperativeMatrixLengthNV,
        Op::CooperativeMatrixGetCoordinateEXT,
        Op::CooperativeMatrixReduceEXT,
        Op::CooperativeMatrixPerElementOpEXT,
        Op::CooperativeMatrixLoadTensorNV,
        Op::CooperativeMatrixStoreTensorNV,
    ],
    check,
    check_module: None,
    rules: &[
        &LENGTH_RESULT,
        &LENGTH_TYPE,
        &COORDINATE,
        &FACTOR,
        &PRODUCT_SHAPE,
        &shapes::SHAPE,
        &shapes::TRANSPOSED_SHAPE,
        &shapes::USE,
        &shapes::FORM,
        &shapes::COMPONENT,
        &access::MATRIX,
        &access::POINTER,
        &access::LAYOUT,
        &access::STRIDE,
        &access::BLOCKS,
        &access::TENSOR_LAYOUT,
        &access::TENSOR_VIEW,
        &access::DECODE,
        &functions::REDUCE_MATRIX,
        &functions::REDUCE_MASK,
        &functions::REDUCE_SHAPE,
        &functions::REDUCE_FUNCTION,
        &functions::ELEMENT_MATRIX,
        &functions::ELEMENT_FUNCTION,
    ],
};

/// The declarations that the examples share.
macro_rules! with_matrices {
    ($text:literal) => {
        with_matrices!($text, "")
    };
    ($text:literal, $more:literal) => {
        concat!(
            "OpCapability CooperativeMatrixKHR
OpCapability VulkanMemoryModel
OpExtension \"SPV_KHR_cooperative_matrix\"
OpMemoryModel Logical Vulkan
%a = OpTypeCooperativeMatrixKHR %f16 %u32_3 %u32_16 %u32_4 %u32_0
%b = OpTypeCooperativeMatrixKHR %f16 %u32_3 %u32_4 %u32_16 %u32_1
%c = OpTypeCooperativeMatrixKHR %f32 %u32_3 %u32_16 %u32_16 %u32_2
%a_0 = OpConstantComposite %a %f16_0
%b_0 = OpConstantComposite %b %f16_0
%c_0 = OpConstantComposite %c %f32_0
",
            $more,
            $text
        )
    };
}
use with_matrices;

static LENGTH_RESULT: Rule = Rule {
    id: "cooperative-matrix.length-result",
    class: InvalidId,
    section: "SPV_KHR_cooperative_matrix",
    vuids: &[],
    text: "The result of an instruction for the length of a cooperative matrix is a 32-bit unsigned integer.",
    example: Example {
        frame: Frame::Shader,
        breaks: with_matrices!("%length = OpCooperativeMatrixLengthKHR %i32 %a"),
        keeps: with_matrices!("%length = OpCooperativeMatrixLengthKHR %u32 %a"),
    },
};

static LENGTH_TYPE: Rule = Rule {
    id: "cooperative-matrix.length-type",
    class: InvalidId,
    section: "SPV_KHR_cooperative_matrix",
    vuids: &[],
    text: "The operand of an instruction for the length of a cooperative matrix is a type of cooperative matrices of \
           the instruction's own extension.",
    example: Example {
        frame: Frame::Shader,
        breaks: with_matrices!("%length = OpCooperativeMatrixLengthKHR %u32 %v4f32"),
        keeps: with_matrices!("%length = OpCooperativeMatrixLengthKHR %u32 %a"),
    },
};

static COORDINATE: Rule = Rule {
    id: "cooperative-matrix.coordinate",
    class: InvalidId,
    section: "SPV_EXT_cooperative_matrix_maintenance1",
    vuids: &[],
    text: "`OpCooperativeMatrixGetCoordinateEXT` takes a cooperative matrix and a 32-bit integer, and its result is a \
           vector of two 32-bit integers.",
    example: Example {
        frame: Frame::Shader,
        breaks: with_matrices!(
            "OpCapability CooperativeMatrixGetCoordinateEXT
OpExtension \"SPV_EXT_cooperative_matrix_maintenance1\"
%where = OpCooperativeMatrixGetCoordinateEXT %v2u32 %a_0 %f32_0"
        ),
        keeps: with_matrices!(
            "OpCapability CooperativeMatrixGetCoordinateEXT
OpExtension \"SPV_EXT_cooperative_matrix_maintenance1\"
%where = OpCooperativeMatrixGetCoordinateEXT %v2u32 %a_0 %u32_0"
        ),
    },
};

static FACTOR: Rule = Rule {
    id: "cooperative-matrix.factor",
    class: InvalidData,
    section: "SPV_KHR_cooperative_matrix",
    vuids: &[],
    text: "A multiplication takes matrices with the uses A, B and Accumulator, in this order, and its result has the \
           use Accumulator. The matrices of SPV_NV_cooperative_matrix have no use.",
    example: Example {
        frame: Frame::Shader,
        breaks: with_matrices!("%sum = OpCooperativeMatrixMulAddKHR %c %b_0 %a_0 %c_0"),
        keeps: with_matrices!("%sum = OpCooperativeMatrixMulAddKHR %c %a_0 %b_0 %c_0"),
    },
};

static PRODUCT_SHAPE: Rule = Rule {
    id: "cooperative-matrix.product-shape",
    class: InvalidData,
    section: "SPV_KHR_cooperative_matrix",
    vuids: &[],
    text: "All matrices of a multiplication have the same scope. A has as many rows and B as many columns as the \
           result, A has as many columns as B has rows, and C has the shape of the result.",
    example: Example {
        frame: Frame::Shader,
        breaks: with_matrices!(
            "%wide = OpTypeCooperativeMatrixKHR %f16 %u32_3 %u32_16 %u32_16 %u32_0
%wide_0 = OpConstantComposite %wide %f16_0
%sum = OpCooperativeMatrixMulAddKHR %c %wide_0 %b_0 %c_0"
        ),
        keeps: with_matrices!("%sum = OpCooperativeMatrixMulAddKHR %c %a_0 %b_0 %c_0"),
    },
};

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.inst.op() {
        Op::CooperativeMatrixLengthKHR | Op::CooperativeMatrixLengthNV => {
            check_length(&Operation::of(at))
        }
        Op::CooperativeMatrixGetCoordinateEXT => check_values(at, check_coordinate),
        Op::CooperativeMatrixMulAddKHR | Op::CooperativeMatrixMulAddNV => {
            check_mul_add(&Operation::of(at))
        }
        Op::CooperativeMatrixReduceEXT => functions::check_reduce(&Operation::of(at)),
        Op::CooperativeMatrixPerElementOpEXT => functions::check_per_element(&Operation::of(at)),
        Op::CooperativeMatrixLoadTensorNV | Op::CooperativeMatrixStoreTensorNV => {
            access::check_tensor(&Operation::of(at))
        }
        _ => access::check(&Operation::of(at)),
    }
}

fn check_length(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    if !m.is_unsigned_scalar(o.result) || m.bit_width(o.result) != 32 {
        return Err(o.result_finding(&LENGTH_RESULT, "a 32-bit unsigned integer"));
    }
    let ty = o.id(0);
    let is_fine = match m.ty(ty) {
        Type::CooperativeMatrix(_) => o.op == Op::CooperativeMatrixLengthKHR,
        Type::CooperativeMatrixNv(_) => o.op == Op::CooperativeMatrixLengthNV,
        _ => m.def_offset(ty) == 0,
    };
    if !is_fine {
        let message = format!(
            "{} needs a type of cooperative matrices of its own extension, but has {}",
            o.op,
            m.show_type(ty)
        );
        let finding = o.finding(&LENGTH_TYPE, message);
        return Err(finding.about(m, ty, "it is declared here"));
    }
    Ok(())
}

fn check_coordinate(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    if m.dimension(o.result) != 2 || !m.is_int_vector(o.result) || m.bit_width(o.result) != 32 {
        return Err(o.result_finding(&COORDINATE, "a vector of two 32-bit integers"));
    }
    if !matches!(m.ty(o.ty(0)), Type::CooperativeMatrix(_)) {
        return Err(o.operand_finding(&COORDINATE, 0, "a cooperative matrix"));
    }
    if !m.is_int_scalar_of(o.ty(1), 32) {
        return Err(o.operand_finding(&COORDINATE, 1, "a 32-bit integer"));
    }
    Ok(())
}

fn check_mul_add(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let is_khr = o.op == Op::CooperativeMatrixMulAddKHR;
    let matrix = |ty: Id, wanted: Use| match m.ty(ty) {
        Type::CooperativeMatrix(matrix) if is_khr => {
            let fits = Use::of(m, &matrix).is_none_or(|found| found == wanted);
            fits.then_some(matrix)
        }
        Type::CooperativeMatrixNv(matrix) if !is_khr => Some(matrix),
        _ => None,
    };
    let Some(result) = matrix(o.result, Use::Accumulator) else {
        return Err(o.result_finding(&FACTOR, "a cooperative matrix with the use Accumulator"));
    };
    let uses = [
        (Use::A, "a cooperative matrix with the use A"),
        (Use::B, "a cooperative matrix with the use B"),
        (
            Use::Accumulator,
            "a cooperative matrix with the use Accumulator",
        ),
    ];
    let mut factors = [result; 3];
    for (index, (wanted, text)) in uses.into_iter().enumerate() {
        match matrix(o.ty(index), wanted) {
            Some(found) => factors[index] = found,
            None if m.type_of(o.id(index)).is_none() => return Ok(()),
            None => return Err(o.operand_finding(&FACTOR, index, text)),
        }
    }
    let [a, b, c] = factors;
    let pairs = [
        (a.scope, result.scope, "the scopes of A and the result"),
        (b.scope, result.scope, "the scopes of B and the result"),
        (c.scope, result.scope, "the scopes of C and the result"),
        (a.rows, result.rows, "the rows of A and of the result"),
        (
            b.columns,
            result.columns,
            "the columns of B and of the result",
        ),
        (a.columns, b.rows, "the columns of A and the rows of B"),
        (c.rows, result.rows, "the rows of C and of the result"),
        (
            c.columns,
            result.columns,
            "the columns of C and of the result",
        ),
    ];
    all(pairs.into_iter().map(|(first, second, what)| {
        if let Some((first, second)) = shapes::different(m, first, second) {
            let message = format!(
                "{what} must be the same in {}, but are {first} and {second}",
                o.op
            );
            return Err(o.finding(&PRODUCT_SHAPE, message));
        }
        Ok(())
    }))
}
