//! Relational and logical instructions (specification, section 3.32.15).

use spirvkit_grammar::{AddressingModel, Capability, Op, Version};

use super::operation::{Operation, check_types};
use super::{Family, arithmetic};
use crate::finding::{CheckResult, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Type};
use crate::pattern::{BOOL, FLOAT, INT, Pattern};
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

const BOOLS: Pattern = BOOL.scalar_or_vector();

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    check_types(at, check_operation)
}

pub(super) fn check_operation(o: &Operation<'_, '_, '_>) -> CheckResult {
    match o.op {
        Op::Any | Op::All => check_reduction(o),
        op if op.is_float_classification() => all([check_result(o), check_float_operand(o)]),
        Op::LogicalEqual
        | Op::LogicalNotEqual
        | Op::LogicalOr
        | Op::LogicalAnd
        | Op::LogicalNot => check_logical(o),
        Op::Select => check_select(o),
        op if op.is_integer_comparison() => check_integers(o),
        _ => check_floats(o),
    }
}

fn check_reduction(o: &Operation<'_, '_, '_>) -> CheckResult {
    all([
        o.expect_result(&relational::REDUCTION, BOOL),
        o.expect_operand(&relational::REDUCTION, 0, BOOL.vector()),
    ])
}

fn is_boolean(o: &Operation<'_, '_, '_>) -> bool {
    BOOLS.matches(o.m, o.result)
}

fn check_result(o: &Operation<'_, '_, '_>) -> CheckResult {
    o.expect_result(&relational::RESULT, BOOLS)
}

fn check_size(o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
    o.expect_size(&relational::OPERAND_SIZE, index)
}

fn check_float_operand(o: &Operation<'_, '_, '_>) -> CheckResult {
    o.expect_operand(&relational::FLOAT_OPERAND, 0, FLOAT.scalar_or_vector())?;
    let size = match is_boolean(o) {
        true => check_size(o, 0),
        false => Ok(()),
    };
    all([arithmetic::check_encoding(o, o.ty(0)), size])
}

fn check_floats(o: &Operation<'_, '_, '_>) -> CheckResult {
    all([check_result(o), check_compared_floats(o)])
}

fn check_compared_floats(o: &Operation<'_, '_, '_>) -> CheckResult {
    check_float_operand(o)?;
    if o.ty(0) != o.ty(1) {
        return Err(o.pair_finding(&relational::SAME_OPERANDS, "two values of the same type"));
    }
    Ok(())
}

fn check_integers(o: &Operation<'_, '_, '_>) -> CheckResult {
    all([check_result(o), check_compared_integers(o)])
}

fn check_compared_integers(o: &Operation<'_, '_, '_>) -> CheckResult {
    all((0..2).map(|index| {
        o.expect_operand(&relational::INTEGER_OPERAND, index, INT.scalar_or_vector())?;
        match is_boolean(o) {
            true => check_size(o, index),
            false => Ok(()),
        }
    }))?;
    if o.m.bit_width(o.ty(0)) != o.m.bit_width(o.ty(1)) {
        return Err(o.pair_finding(&relational::SAME_WIDTH, "integers of the same width"));
    }
    Ok(())
}

fn check_logical(o: &Operation<'_, '_, '_>) -> CheckResult {
    check_result(o)?;
    let operands = 0..o.args.len();
    all(operands.map(|index| o.expect_result_type(&relational::LOGICAL_OPERAND, index)))
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
                let message = "OpSelect of pointers needs the capability `VariablePointers` or \
                               `VariablePointersStorageBuffer`";
                return Err(o.finding(&relational::SELECT_POINTER, message).word(1));
            }
        }
        Type::Image(_) | Type::Sampler | Type::SampledImage { .. } => {
            if !m.has(Capability::BindlessTextureNV) {
                let message =
                    "OpSelect of images or samplers needs the capability `BindlessTextureNV`";
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
    all([
        check_condition(o, composites),
        o.expect_result_type(&relational::SELECT_OBJECT, 1),
        o.expect_result_type(&relational::SELECT_OBJECT, 2),
    ])
}

fn check_condition(o: &Operation<'_, '_, '_>, composites: bool) -> CheckResult {
    let m = o.m;
    let condition = o.ty(0);
    o.expect_operand(&relational::SELECT_CONDITION, 0, BOOLS)?;
    let one_for_all = BOOL.matches(m, condition) && (composites || !m.is_vector(o.result));
    match one_for_all {
        true => Ok(()),
        false => o.expect_size(&relational::SELECT_SIZE, 0),
    }
}
