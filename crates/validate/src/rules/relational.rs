//! Relational and logical instructions (specification, section 3.32.15).

use spirvkit_grammar::{AddressingModel, Capability, Op, Version};

use super::operation::{Operation, check_types};
use super::{Family, arithmetic};
use crate::finding::{CheckResult, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Type};
use crate::rules::generated::relational;

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
            o.result_finding(&relational::REDUCTION, "a boolean")
        }),
        expect(o.m.is_bool_vector(o.ty(0)), || {
            o.operand_finding(&relational::REDUCTION, 0, "a vector of booleans")
        }),
    ])
}

fn is_boolean(o: &Operation<'_, '_, '_>) -> bool {
    o.m.is_bool_scalar_or_vector(o.result)
}

fn check_result(o: &Operation<'_, '_, '_>) -> CheckResult {
    expect(is_boolean(o), || {
        o.result_finding(&relational::RESULT, "a boolean or a vector of booleans")
    })
}

fn check_size(o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
    match o.same_dimension(o.ty(index), o.result) {
        true => Ok(()),
        false => Err(o.mismatch(
            &relational::OPERAND_SIZE,
            index,
            "as many components as the result",
        )),
    }
}

fn check_float_operand(o: &Operation<'_, '_, '_>) -> CheckResult {
    let ty = o.ty(0);
    if !o.m.is_float_scalar_or_vector(ty) {
        return Err(o.operand_finding(
            &relational::FLOAT_OPERAND,
            0,
            "a floating-point scalar or vector",
        ));
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
        let finding = o.finding(&relational::SAME_OPERANDS, message);
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
            return Err(o.operand_finding(
                &relational::INTEGER_OPERAND,
                index,
                "an integer scalar or vector",
            ));
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
        let finding = o.finding(&relational::SAME_WIDTH, message);
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
            return Err(o.mismatch(&relational::LOGICAL_OPERAND, index, "the result type"));
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
                return Err(o.finding(&relational::SELECT_POINTER, message).word(1));
            }
        }
        Type::Image(_) | Type::Sampler | Type::SampledImage { .. } => {
            if !m.has(Capability::BindlessTextureNV) {
                let message =
                    "OpSelect of images or samplers needs the capability BindlessTextureNV";
                return Err(o.finding(&relational::SELECT_HANDLE, message).word(1));
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
            return Err(o.result_finding(&relational::SELECT_RESULT, wanted));
        }
    }
    let objects = all((1..3).map(|index| {
        expect(o.ty(index) == o.result, || {
            o.mismatch(&relational::SELECT_OBJECT, index, "the result type")
        })
    }));
    all([check_condition(o, composites), objects])
}

fn check_condition(o: &Operation<'_, '_, '_>, composites: bool) -> CheckResult {
    let m = o.m;
    let condition = o.ty(0);
    if !m.is_bool_scalar_or_vector(condition) {
        return Err(o.operand_finding(
            &relational::SELECT_CONDITION,
            0,
            "a boolean or a vector of booleans",
        ));
    }
    let one_for_all = m.is_bool_scalar(condition) && (composites || !m.is_vector(o.result));
    if !one_for_all && !o.same_dimension(condition, o.result) {
        return Err(o.mismatch(
            &relational::SELECT_SIZE,
            0,
            "as many components as the result",
        ));
    }
    Ok(())
}
