//! Relational and logical instructions (specification, section 3.32.15).

use spirvkit_diagnostics::ErrorClass::InvalidData;
use spirvkit_grammar::{AddressingModel, Capability, Op, Version};

use super::operation::{Operation, check_types};
use super::{Family, arithmetic};
use crate::finding::{CheckResult, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::Type;
use crate::rule::{Example, Frame, Rule};

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::Any,
        Op::All,
        Op::IsNan,
        Op::IsInf,
        Op::IsFinite,
        Op::IsNormal,
        Op::SignBitSet,
        Op::LessOrGreater,
        Op::Ordered,
        Op::Unordered,
        Op::LogicalEqual,
        Op::LogicalNotEqual,
        Op::LogicalOr,
        Op::LogicalAnd,
        Op::LogicalNot,
        Op::Select,
        Op::IEqual,
        Op::INotEqual,
        Op::UGreaterThan,
        Op::SGreaterThan,
        Op::UGreaterThanEqual,
        Op::SGreaterThanEqual,
        Op::ULessThan,
        Op::SLessThan,
        Op::ULessThanEqual,
        Op::SLessThanEqual,
        Op::FOrdEqual,
        Op::FUnordEqual,
        Op::FOrdNotEqual,
        Op::FUnordNotEqual,
        Op::FOrdLessThan,
        Op::FUnordLessThan,
        Op::FOrdGreaterThan,
        Op::FUnordGreaterThan,
        Op::FOrdLessThanEqual,
        Op::FUnordLessThanEqual,
        Op::FOrdGreaterThanEqual,
        Op::FUnordGreaterThanEqual,
    ],
    check,
    check_module: None,
    rules: &[
        &REDUCTION,
        &RESULT,
        &FLOAT_OPERAND,
        &INTEGER_OPERAND,
        &OPERAND_SIZE,
        &SAME_OPERANDS,
        &SAME_WIDTH,
        &LOGICAL_OPERAND,
        &SELECT_RESULT,
        &SELECT_POINTER,
        &SELECT_HANDLE,
        &SELECT_CONDITION,
        &SELECT_SIZE,
        &SELECT_OBJECT,
    ],
};

static REDUCTION: Rule = Rule {
    id: "relational.reduction",
    class: InvalidData,
    section: "3.32.15",
    vuids: &[],
    text: "The result of `OpAny` and `OpAll` is a boolean, and their operand is a vector of booleans.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%any = OpAny %bool %true",
        keeps: "%both = OpConstantComposite %v2bool %true %false
%any = OpAny %bool %both",
    },
};

static RESULT: Rule = Rule {
    id: "relational.result",
    class: InvalidData,
    section: "3.32.15",
    vuids: &[],
    text: "The result of a comparison, a test or a logical operation is a boolean or a vector of booleans.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%same = OpIEqual %u32 %u32_1 %u32_2",
        keeps: "%same = OpIEqual %bool %u32_1 %u32_2",
    },
};

static FLOAT_OPERAND: Rule = Rule {
    id: "relational.float-operand",
    class: InvalidData,
    section: "3.32.15",
    vuids: &[],
    text: "The operands of floating-point comparisons and tests are floating-point scalars or vectors.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%same = OpFOrdEqual %bool %u32_1 %u32_2",
        keeps: "%same = OpIEqual %bool %u32_1 %u32_2",
    },
};

static INTEGER_OPERAND: Rule = Rule {
    id: "relational.integer-operand",
    class: InvalidData,
    section: "3.32.15",
    vuids: &[],
    text: "The operands of integer comparisons are integer scalars or vectors; the opcode, not the types, says \
           whether they are signed.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%same = OpIEqual %bool %f32_1 %f32_0",
        keeps: "%same = OpFOrdEqual %bool %f32_1 %f32_0",
    },
};

static OPERAND_SIZE: Rule = Rule {
    id: "relational.operand-size",
    class: InvalidData,
    section: "3.32.15",
    vuids: &[],
    text: "The result of a comparison or a test has as many components as its operands.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%same = OpIEqual %bool %v2u32_0 %v2u32_0",
        keeps: "%same = OpIEqual %v2bool %v2u32_0 %v2u32_0",
    },
};

static SAME_OPERANDS: Rule = Rule {
    id: "relational.same-operands",
    class: InvalidData,
    section: "3.32.15",
    vuids: &[],
    text: "The two operands of a floating-point comparison have the same type.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%same = OpFOrdEqual %bool %f32_1 %f64_0",
        keeps: "%same = OpFOrdEqual %bool %f32_1 %f32_0",
    },
};

static SAME_WIDTH: Rule = Rule {
    id: "relational.same-width",
    class: InvalidData,
    section: "3.32.15",
    vuids: &[],
    text: "The components of both operands of an integer comparison have the same width.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%same = OpIEqual %bool %u32_1 %u64_1",
        keeps: "%same = OpIEqual %bool %u32_1 %i32_1",
    },
};

static LOGICAL_OPERAND: Rule = Rule {
    id: "relational.logical-operand",
    class: InvalidData,
    section: "3.32.15",
    vuids: &[],
    text: "The operands of a logical operation have the result type.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%both = OpLogicalAnd %bool %true %u32_1",
        keeps: "%both = OpLogicalAnd %bool %true %false",
    },
};

static SELECT_RESULT: Rule = Rule {
    id: "relational.select-result",
    class: InvalidData,
    section: "3.32.15",
    vuids: &[],
    text: "`OpSelect` chooses between scalars, vectors or pointers; from SPIR-V 1.4 on, also between other \
           composites.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%sampler = OpTypeSampler
%s = OpUndef %sampler
%chosen = OpSelect %void %true %u32_1 %u32_2",
        keeps: "%chosen = OpSelect %mat4 %true %mat4_0 %mat4_0",
    },
};

static SELECT_POINTER: Rule = Rule {
    id: "relational.select-pointer",
    class: InvalidData,
    section: "3.32.15",
    vuids: &[],
    text: "Under logical addressing, `OpSelect` chooses between pointers only with one of the capabilities \
           `VariablePointers` and `VariablePointersStorageBuffer`.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%chosen = OpSelect %ptr_Workgroup_u32 %true %workgroup_u32 %workgroup_u32",
        keeps: "OpCapability VariablePointers
%chosen = OpSelect %ptr_Workgroup_u32 %true %workgroup_u32 %workgroup_u32",
    },
};

static SELECT_HANDLE: Rule = Rule {
    id: "relational.select-handle",
    class: InvalidData,
    section: "SPV_NV_bindless_texture",
    vuids: &[],
    text: "`OpSelect` chooses between images or samplers only with the capability `BindlessTextureNV`.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%sampler = OpTypeSampler
%s = OpUndef %sampler
%chosen = OpSelect %sampler %true %s %s",
        keeps: "%chosen = OpSelect %u32 %true %u32_1 %u32_2",
    },
};

static SELECT_CONDITION: Rule = Rule {
    id: "relational.select-condition",
    class: InvalidData,
    section: "3.32.15",
    vuids: &[],
    text: "The condition of `OpSelect` is a boolean or a vector of booleans.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%chosen = OpSelect %u32 %u32_1 %u32_1 %u32_2",
        keeps: "%chosen = OpSelect %u32 %true %u32_1 %u32_2",
    },
};

static SELECT_SIZE: Rule = Rule {
    id: "relational.select-size",
    class: InvalidData,
    section: "3.32.15",
    vuids: &[],
    text: "A vector of conditions chooses component by component, so the result is a vector of the same size. Before \
           SPIR-V 1.4, the condition for vectors is a vector, too.",
    example: Example {
        frame: Frame::ShaderFor("spv1.3"),
        breaks: "%chosen = OpSelect %v2u32 %true %v2u32_0 %v2u32_0",
        keeps: "%which = OpConstantComposite %v2bool %true %false
%chosen = OpSelect %v2u32 %which %v2u32_0 %v2u32_0",
    },
};

static SELECT_OBJECT: Rule = Rule {
    id: "relational.select-object",
    class: InvalidData,
    section: "3.32.15",
    vuids: &[],
    text: "Both objects that `OpSelect` chooses between have the result type.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%chosen = OpSelect %u32 %true %u32_1 %i32_1",
        keeps: "%chosen = OpSelect %u32 %true %u32_1 %u32_2",
    },
};

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    check_types(at, check_operation)
}

pub(super) fn check_operation(o: &Operation<'_, '_, '_>) -> CheckResult {
    match o.op {
        Op::Any | Op::All => check_reduction(o),
        Op::IsNan | Op::IsInf | Op::IsFinite | Op::IsNormal | Op::SignBitSet => {
            all([check_result(o), check_float_operand(o)])
        }
        Op::LogicalEqual
        | Op::LogicalNotEqual
        | Op::LogicalOr
        | Op::LogicalAnd
        | Op::LogicalNot => check_logical(o),
        Op::Select => check_select(o),
        Op::IEqual
        | Op::INotEqual
        | Op::UGreaterThan
        | Op::SGreaterThan
        | Op::UGreaterThanEqual
        | Op::SGreaterThanEqual
        | Op::ULessThan
        | Op::SLessThan
        | Op::ULessThanEqual
        | Op::SLessThanEqual => check_integers(o),
        _ => check_floats(o),
    }
}

fn check_reduction(o: &Operation<'_, '_, '_>) -> CheckResult {
    all([
        expect(o.m.is_bool_scalar(o.result), || {
            o.result_finding(&REDUCTION, "a boolean")
        }),
        expect(o.m.is_bool_vector(o.ty(0)), || {
            o.operand_finding(&REDUCTION, 0, "a vector of booleans")
        }),
    ])
}

fn is_boolean(o: &Operation<'_, '_, '_>) -> bool {
    o.m.is_bool_scalar_or_vector(o.result)
}

fn check_result(o: &Operation<'_, '_, '_>) -> CheckResult {
    expect(is_boolean(o), || {
        o.result_finding(&RESULT, "a boolean or a vector of booleans")
    })
}

fn check_size(o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
    match o.same_dimension(o.ty(index), o.result) {
        true => Ok(()),
        false => Err(o.mismatch(&OPERAND_SIZE, index, "as many components as the result")),
    }
}

fn check_float_operand(o: &Operation<'_, '_, '_>) -> CheckResult {
    let ty = o.ty(0);
    if !o.m.is_float_scalar_or_vector(ty) {
        return Err(o.operand_finding(&FLOAT_OPERAND, 0, "a floating-point scalar or vector"));
    }
    let size = match is_boolean(o) {
        true => check_size(o, 0),
        false => Ok(()),
    };
    all([arithmetic::check_encoding(o, ty), size])
}

fn check_floats(o: &Operation<'_, '_, '_>) -> CheckResult {
    all([check_result(o), check_compared_floats(o)])
}

fn check_compared_floats(o: &Operation<'_, '_, '_>) -> CheckResult {
    check_float_operand(o)?;
    if o.ty(0) != o.ty(1) {
        let message = format!(
            "{} needs two values of the same type, but has {} and {}",
            o.op,
            o.m.show_value(o.id(0)),
            o.m.show_value(o.id(1))
        );
        let finding = o.finding(&SAME_OPERANDS, message);
        return Err(finding.about(o.m, o.id(0), "one is defined here").about(
            o.m,
            o.id(1),
            "the other is defined here",
        ));
    }
    Ok(())
}

fn check_integers(o: &Operation<'_, '_, '_>) -> CheckResult {
    all([check_result(o), check_compared_integers(o)])
}

fn check_compared_integers(o: &Operation<'_, '_, '_>) -> CheckResult {
    all((0..2).map(|index| {
        if !o.m.is_int_scalar_or_vector(o.ty(index)) {
            return Err(o.operand_finding(&INTEGER_OPERAND, index, "an integer scalar or vector"));
        }
        match is_boolean(o) {
            true => check_size(o, index),
            false => Ok(()),
        }
    }))?;
    if o.m.bit_width(o.ty(0)) != o.m.bit_width(o.ty(1)) {
        let message = format!(
            "{} needs integers of the same width, but has {} and {}",
            o.op,
            o.m.show_value(o.id(0)),
            o.m.show_value(o.id(1))
        );
        let finding = o.finding(&SAME_WIDTH, message);
        return Err(finding.about(o.m, o.id(0), "one is defined here").about(
            o.m,
            o.id(1),
            "the other is defined here",
        ));
    }
    Ok(())
}

fn check_logical(o: &Operation<'_, '_, '_>) -> CheckResult {
    check_result(o)?;
    all((0..o.args.len()).map(|index| {
        if o.ty(index) != o.result {
            return Err(o.mismatch(&LOGICAL_OPERAND, index, "the result type"));
        }
        Ok(())
    }))
}

fn check_select(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let composites = m.version >= Version::V1_4;
    match m.ty(o.result) {
        Type::Bool
        | Type::Int { .. }
        | Type::Float { .. }
        | Type::Vector { .. }
        | Type::LongVector { .. } => {}
        Type::Pointer { .. } | Type::UntypedPointer { .. } => {
            let has_variable_pointers = m.has(Capability::VariablePointersStorageBuffer)
                || m.has(Capability::VariablePointers);
            if m.addressing == AddressingModel::Logical && !has_variable_pointers {
                let message = "OpSelect of pointers needs the capability VariablePointers or \
                               VariablePointersStorageBuffer";
                return Err(o.finding(&SELECT_POINTER, message).word(1));
            }
        }
        Type::Image(_) | Type::Sampler | Type::SampledImage { .. } => {
            if !m.has(Capability::BindlessTextureNV) {
                let message =
                    "OpSelect of images or samplers needs the capability BindlessTextureNV";
                return Err(o.finding(&SELECT_HANDLE, message).word(1));
            }
        }
        Type::Matrix { .. }
        | Type::Array { .. }
        | Type::Struct { .. }
        | Type::CooperativeMatrix(_)
        | Type::CooperativeMatrixNv(_)
            if composites => {}
        _ => {
            let wanted = match composites {
                true => "a scalar, a composite or a pointer",
                false => "a scalar, a vector or a pointer before SPIR-V 1.4",
            };
            return Err(o.result_finding(&SELECT_RESULT, wanted));
        }
    }
    let objects = all((1..3).map(|index| {
        expect(o.ty(index) == o.result, || {
            o.mismatch(&SELECT_OBJECT, index, "the result type")
        })
    }));
    all([check_condition(o, composites), objects])
}

fn check_condition(o: &Operation<'_, '_, '_>, composites: bool) -> CheckResult {
    let m = o.m;
    let condition = o.ty(0);
    if !m.is_bool_scalar_or_vector(condition) {
        return Err(o.operand_finding(&SELECT_CONDITION, 0, "a boolean or a vector of booleans"));
    }
    let one_for_all = m.is_bool_scalar(condition) && (composites || !m.is_vector(o.result));
    if !one_for_all && !o.same_dimension(condition, o.result) {
        return Err(o.mismatch(&SELECT_SIZE, 0, "as many components as the result"));
    }
    Ok(())
}
