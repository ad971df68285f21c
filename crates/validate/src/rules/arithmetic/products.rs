//! Products of vectors and matrices.

use spirvkit_binary::Id;
use spirvkit_diagnostics::ErrorClass::InvalidData;
use spirvkit_grammar::{Capability, FPEncoding, Op};

use super::super::operation::Operation;
use super::{check_encoding, encoding};
use crate::finding::{CheckResult, all, both, expect};
use crate::module::{Module, Type};
use crate::rule::{Example, Frame, Rule};

pub(super) static DOT_RESULT: Rule = Rule {
    id: "arithmetic.dot-result",
    class: InvalidData,
    section: "3.32.13",
    vuids: &[],
    text: "The dot product of two vectors is a floating-point scalar.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%dot = OpDot %v2f32 %v2f32_0 %v2f32_0",
        keeps: "%dot = OpDot %f32 %v2f32_0 %v2f32_0",
    },
};

pub(super) static DOT_OPERAND: Rule = Rule {
    id: "arithmetic.dot-operand",
    class: InvalidData,
    section: "3.32.13",
    vuids: &[],
    text: "The operands of `OpDot` are vectors of the same size whose components have the type of the result.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%dot = OpDot %f32 %v2f32_0 %v3f32_0",
        keeps: "%dot = OpDot %f32 %v2f32_0 %v2f32_0",
    },
};

pub(super) static BFLOAT_DOT: Rule = Rule {
    id: "arithmetic.bfloat-dot",
    class: InvalidData,
    section: "SPV_KHR_bfloat16",
    vuids: &[],
    text: "`OpDot` of BFloat16 vectors needs the capability `BFloat16DotProductKHR`.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability BFloat16TypeKHR
OpExtension \"SPV_KHR_bfloat16\"
%bf16 = OpTypeFloat 16 BFloat16KHR
%v2bf16 = OpTypeVector %bf16 2
%v2bf16_0 = OpConstantNull %v2bf16
%dot = OpDot %bf16 %v2bf16_0 %v2bf16_0",
        keeps: "OpCapability BFloat16TypeKHR
OpCapability BFloat16DotProductKHR
OpExtension \"SPV_KHR_bfloat16\"
%bf16 = OpTypeFloat 16 BFloat16KHR
%v2bf16 = OpTypeVector %bf16 2
%v2bf16_0 = OpConstantNull %v2bf16
%dot = OpDot %bf16 %v2bf16_0 %v2bf16_0",
    },
};

pub(super) static RESULT: Rule = Rule {
    id: "arithmetic.product-result",
    class: InvalidData,
    section: "3.32.13",
    vuids: &[],
    text: "The product of a vector with a scalar or a matrix is a floating-point vector. The product of a matrix with \
           a scalar or a matrix, and the outer product, is a floating-point matrix. `OpMatrixTimesScalar` also works \
           on cooperative matrices.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%product = OpVectorTimesScalar %f32 %v2f32_0 %f32_1",
        keeps: "%product = OpVectorTimesScalar %v2f32 %v2f32_0 %f32_1",
    },
};

pub(super) static MATRIX_OPERAND: Rule = Rule {
    id: "arithmetic.matrix-operand",
    class: InvalidData,
    section: "3.32.13",
    vuids: &[],
    text: "An operand of a product is a floating-point matrix where the instruction's name says `Matrix`.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%product = OpMatrixTimesVector %v4f32 %v4f32_0 %v4f32_0",
        keeps: "%product = OpMatrixTimesVector %v4f32 %mat4_0 %v4f32_0",
    },
};

pub(super) static VECTOR_OPERAND: Rule = Rule {
    id: "arithmetic.vector-operand",
    class: InvalidData,
    section: "3.32.13",
    vuids: &[],
    text: "An operand of a product is a floating-point vector where the instruction's name says `Vector`; so are both \
           operands of `OpOuterProduct`.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%product = OpMatrixTimesVector %v4f32 %mat4_0 %f32_0",
        keeps: "%product = OpMatrixTimesVector %v4f32 %mat4_0 %v4f32_0",
    },
};

pub(super) static SCALED: Rule = Rule {
    id: "arithmetic.scaled",
    class: InvalidData,
    section: "3.32.13",
    vuids: &[],
    text: "Multiplying a vector or matrix by a scalar keeps its type.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%product = OpVectorTimesScalar %v3f32 %v2f32_0 %f32_1",
        keeps: "%product = OpVectorTimesScalar %v2f32 %v2f32_0 %f32_1",
    },
};

pub(super) static SCALE: Rule = Rule {
    id: "arithmetic.scale",
    class: InvalidData,
    section: "3.32.13",
    vuids: &[],
    text: "The scalar that multiplies a vector or matrix has the type of its components.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%product = OpVectorTimesScalar %v2f32 %v2f32_0 %f64_0",
        keeps: "%product = OpVectorTimesScalar %v2f32 %v2f32_0 %f32_0",
    },
};

pub(super) static COMPONENTS: Rule = Rule {
    id: "arithmetic.product-components",
    class: InvalidData,
    section: "3.32.13",
    vuids: &[],
    text: "The components of a product and of its operands have the same type.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%v2f64_0 = OpConstantNull %v2f64
%product = OpOuterProduct %mat2 %v2f32_0 %v2f64_0",
        keeps: "%product = OpOuterProduct %mat2 %v2f32_0 %v2f32_0",
    },
};

pub(super) static SHAPE: Rule = Rule {
    id: "arithmetic.product-shape",
    class: InvalidData,
    section: "3.32.13",
    vuids: &[],
    text: "In a product, the left operand has as many columns as the right one has rows; the result has as many rows \
           as the left operand and as many columns as the right one. A vector counts as a column on the right and as \
           a row on the left; in `OpOuterProduct` it is the other way round.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%product = OpMatrixTimesVector %v4f32 %mat4_0 %v3f32_0",
        keeps: "%product = OpMatrixTimesVector %v4f32 %mat4_0 %v4f32_0",
    },
};

pub(super) fn check_dot(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    if !m.is_float_scalar(o.result) {
        return Err(o.result_finding(&DOT_RESULT, "a floating-point scalar"));
    }
    let encoding = match encoding(m, o.result) {
        None => Ok(()),
        Some(FPEncoding::BFloat16KHR) if m.has(Capability::BFloat16DotProductKHR) => Ok(()),
        Some(FPEncoding::BFloat16KHR) => {
            let message = "OpDot of BFloat16 values needs the capability BFloat16DotProductKHR";
            Err(o.finding(&BFLOAT_DOT, message))
        }
        Some(_) => check_encoding(o, o.result),
    };
    let vectors = all((0..2).map(|index| {
        let ty = o.ty(index);
        if !m.is_float_vector(ty) {
            return Err(o.operand_finding(&DOT_OPERAND, index, "a floating-point vector"));
        }
        if m.component_type(ty) != o.result {
            let wanted = "components of the result type";
            return Err(o.mismatch(&DOT_OPERAND, index, wanted));
        }
        Ok(())
    }));
    all([encoding, vectors])?;
    if !o.same_dimension(o.ty(0), o.ty(1)) {
        let message = format!(
            "OpDot needs two vectors of the same size, but has {} and {}",
            m.show_value(o.id(0)),
            m.show_value(o.id(1))
        );
        let finding = o.finding(&DOT_OPERAND, message);
        return Err(finding.about(m, o.id(0), "one is defined here").about(
            m,
            o.id(1),
            "the other is defined here",
        ));
    }
    Ok(())
}

/// `OpVectorTimesScalar` and `OpMatrixTimesScalar`.
pub(super) fn check_scaled(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    match o.op {
        Op::VectorTimesScalar => {
            if !m.is_float_vector(o.result) {
                return Err(o.result_finding(&RESULT, "a floating-point vector"));
            }
        }
        _ => {
            if !m.is_float_matrix(o.result) && !m.is_cooperative_matrix(o.result) {
                return Err(o.result_finding(&RESULT, "a floating-point matrix"));
            }
        }
    }
    all([
        check_encoding(o, o.result),
        expect(o.ty(0) == o.result, || {
            o.mismatch(&SCALED, 0, "the result type")
        }),
        expect(o.ty(1) == m.component_type(o.result), || {
            o.mismatch(&SCALE, 1, "the type of the other operand's components")
        }),
    ])
}

/// A matrix's shape.
#[derive(Clone, Copy)]
struct Shape {
    column: Id,
    rows: u32,
    columns: u32,
}

fn shape(m: &Module<'_>, ty: Id) -> Option<Shape> {
    let Type::Matrix { column, count } = m.ty(ty) else {
        return None;
    };
    if !m.is_float_matrix(ty) {
        return None;
    }
    Some(Shape {
        column,
        rows: m.dimension(column),
        columns: count,
    })
}

/// The result's shape, if it is to be a matrix.
fn result_shape(o: &Operation<'_, '_, '_>) -> Result<Shape, crate::finding::Finding> {
    let shape = shape(o.m, o.result);
    shape.ok_or_else(|| o.result_finding(&RESULT, "a floating-point matrix"))
}

fn matrix_operand(
    o: &Operation<'_, '_, '_>,
    index: usize,
) -> Result<Shape, crate::finding::Finding> {
    let shape = shape(o.m, o.ty(index));
    shape.ok_or_else(|| o.operand_finding(&MATRIX_OPERAND, index, "a floating-point matrix"))
}

fn check_result_vector(o: &Operation<'_, '_, '_>) -> CheckResult {
    if !o.m.is_float_vector(o.result) {
        return Err(o.result_finding(&RESULT, "a floating-point vector"));
    }
    check_encoding(o, o.result)
}

fn check_vector_operand(o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
    if !o.m.is_float_vector(o.ty(index)) {
        return Err(o.operand_finding(&VECTOR_OPERAND, index, "a floating-point vector"));
    }
    Ok(())
}

fn check_components_of_vector(o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
    check_vector_operand(o, index)?;
    check_components(o, index)
}

fn check_components(o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
    if o.m.component_type(o.ty(index)) != o.m.component_type(o.result) {
        return Err(o.mismatch(&COMPONENTS, index, "components of the same type"));
    }
    Ok(())
}

pub(super) fn check_vector_times_matrix(o: &Operation<'_, '_, '_>) -> CheckResult {
    check_result_vector(o)?;
    let vector = check_components_of_vector(o, 0);
    let matrix = matrix_operand(o, 1);
    let ((), matrix) = both(vector, matrix)?;
    let columns = check_components(o, 1).and_then(|()| {
        expect(matrix.columns == o.m.dimension(o.result), || {
            o.mismatch(&SHAPE, 1, "as many columns as the result has components")
        })
    });
    let rows = expect(matrix.rows == o.m.dimension(o.ty(0)), || {
        o.mismatch(&SHAPE, 0, "as many components as the matrix has rows")
    });
    all([columns, rows])
}

pub(super) fn check_matrix_times_vector(o: &Operation<'_, '_, '_>) -> CheckResult {
    check_result_vector(o)?;
    let matrix = matrix_operand(o, 0).and_then(|matrix| match matrix.column == o.result {
        true => Ok(matrix),
        false => Err(o.mismatch(&SHAPE, 0, "columns of the result type")),
    });
    let (matrix, ()) = both(matrix, check_components_of_vector(o, 1))?;
    if matrix.columns != o.m.dimension(o.ty(1)) {
        return Err(o.mismatch(&SHAPE, 1, "as many components as the matrix has columns"));
    }
    Ok(())
}

pub(super) fn check_matrix_times_matrix(o: &Operation<'_, '_, '_>) -> CheckResult {
    let result = result_shape(o)?;
    let operands = both(matrix_operand(o, 0), matrix_operand(o, 1));
    let ((), (left, right)) = both(check_encoding(o, o.result), operands)?;
    let columns = expect(left.column == result.column, || {
        o.mismatch(&SHAPE, 0, "the column type of the result")
    });
    let rows = check_components(o, 1).and_then(|()| {
        expect(right.columns == result.columns, || {
            o.mismatch(&SHAPE, 1, "as many columns as the result")
        })
    });
    all([columns, rows])?;
    if left.columns != right.rows {
        return Err(o.mismatch(&SHAPE, 1, "as many rows as the left operand has columns"));
    }
    Ok(())
}

pub(super) fn check_outer_product(o: &Operation<'_, '_, '_>) -> CheckResult {
    let result = result_shape(o)?;
    let column = expect(o.ty(0) == result.column, || {
        let rule = match o.m.is_float_vector(o.ty(0)) {
            true => &SHAPE,
            false => &VECTOR_OPERAND,
        };
        o.mismatch(rule, 0, "the column type of the result")
    });
    let row = check_components_of_vector(o, 1).and_then(|()| {
        expect(o.m.dimension(o.ty(1)) == result.columns, || {
            o.mismatch(&SHAPE, 1, "as many components as the result has columns")
        })
    });
    all([check_encoding(o, o.result), column, row])
}
