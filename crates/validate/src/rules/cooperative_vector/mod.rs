//! Cooperative vectors (`SPV_NV_cooperative_vector`).

use spirvkit_grammar::{ComponentType, Op};

mod values;

use super::Family;
use super::memory::operands::{self, Access};
use super::operation::Operation;
use crate::finding::{CheckResult, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Type};
use crate::pattern::{BOOL, I32, INT, NUMBER, Pattern};
use crate::rules::generated::cooperative_vector;

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::CooperativeVectorMatrixMulNV,
        Op::CooperativeVectorMatrixMulAddNV,
        Op::CooperativeVectorOuterProductAccumulateNV,
        Op::CooperativeVectorReduceSumAccumulateNV,
        Op::CooperativeVectorLoadNV,
        Op::CooperativeVectorStoreNV,
    ],
    check,
    check_module: None,
};

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let o = &Operation::of(at);
    let values = match o.op {
        Op::CooperativeVectorLoadNV => 2,
        Op::CooperativeVectorStoreNV | Op::CooperativeVectorReduceSumAccumulateNV => 3,
        Op::CooperativeVectorOuterProductAccumulateNV => 6,
        Op::CooperativeVectorMatrixMulNV => 9,
        _ => 12,
    };
    // What is no value an earlier phase reports.
    if (0..values).any(|index| o.m.type_of(o.id(index)).is_none()) {
        return Ok(());
    }
    let by_types = match o.op {
        Op::CooperativeVectorLoadNV => all([
            check_result(o),
            check_pointer(o, 0),
            check_offset(o, 1),
            check_memory(o, 2),
        ]),
        Op::CooperativeVectorStoreNV => all([
            check_pointer(o, 0),
            check_offset(o, 1),
            check_vector(o, 2),
            check_memory(o, 3),
        ]),
        Op::CooperativeVectorReduceSumAccumulateNV => {
            all([check_pointer(o, 0), check_offset(o, 1), check_vector(o, 2)])
        }
        Op::CooperativeVectorOuterProductAccumulateNV => all([
            check_pointer(o, 0),
            check_offset(o, 1),
            check_vector(o, 2),
            check_vector(o, 3),
            check_constant(o, 4),
            check_constant(o, 5),
            check_optional_stride(o, 6),
        ]),
        Op::CooperativeVectorMatrixMulNV => check_product(o, false),
        _ => check_product(o, true),
    };
    by_types.and_then(|()| values::check(o))
}

const COOPERATIVE_VECTOR: Pattern =
    Pattern::declared_by(Op::TypeVectorIdEXT, "a cooperative vector");

fn check_result(o: &Operation<'_, '_, '_>) -> CheckResult {
    o.expect_result(&cooperative_vector::VECTOR, COOPERATIVE_VECTOR)
}

fn check_vector(o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
    o.expect_operand(&cooperative_vector::VECTOR, index, COOPERATIVE_VECTOR)
}

fn check_pointer(o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
    let m = o.m;
    let is_fine = match m.ty(o.ty(index)) {
        Type::UntypedPointer { .. } => true,
        Type::Pointer { pointee, .. } => match m.ty(pointee) {
            Type::Array { element, .. } | Type::RuntimeArray { element } => {
                NUMBER.scalar_or_vector().matches(m, element)
            }
            _ => false,
        },
        _ => false,
    };
    let wanted = "a pointer to an array of scalars or vectors of numbers";
    o.expect_operand_that(&cooperative_vector::POINTER, index, is_fine, wanted)
}

fn check_offset(o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
    o.expect_operand(&cooperative_vector::OFFSET, index, INT.widths(&[32, 64]))
}

fn check_constant(o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
    o.expect_operand(&cooperative_vector::CONSTANT, index, I32.constant())
}

fn check_optional_stride(o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
    match o.args.len() > index {
        true => check_offset(o, index),
        false => Ok(()),
    }
}

/// A product, with or without a bias that is added.
fn check_product(o: &Operation<'_, '_, '_>, adds: bool) -> CheckResult {
    let input = all([
        check_result(o),
        check_vector(o, 0),
        check_constant(o, 1),
        check_pointer(o, 2),
        check_offset(o, 3),
        check_constant(o, 4),
    ]);
    let (bias, rows) = match adds {
        true => {
            let bias = [
                check_pointer(o, 5),
                check_offset(o, 6),
                check_constant(o, 7),
            ];
            (all(bias), 8)
        }
        false => (Ok(()), 5),
    };
    let constants = (rows..rows + 3).map(|index| check_constant(o, index));
    let transpose = o.expect_operand(&cooperative_vector::TRANSPOSE, rows + 3, BOOL);
    let stride = check_optional_stride(o, rows + 4);
    all([input, bias, all(constants), transpose, stride])?;
    all([check_made(o, rows), check_taken(o, rows)])
}

/// Checks how many components a product makes.
fn check_made(o: &Operation<'_, '_, '_>, rows: usize) -> CheckResult {
    let m = o.m;
    let made = u64::from(m.dimension(o.result));
    if let Some(count) = m.constant_u64(o.id(rows))
        && made != 0
        && count != made
    {
        let message = format!(
            "{} has {count} rows, so its result must have as many components, but has {made}",
            o.op
        );
        return Err(o.finding(&cooperative_vector::SIZE, message));
    }
    Ok(())
}

/// Checks how many components a product takes.
fn check_taken(o: &Operation<'_, '_, '_>, rows: usize) -> CheckResult {
    let m = o.m;
    let taken = u64::from(m.dimension(o.ty(0)));
    let interpretation = m.constant_u64(o.id(1));
    if let (Some(count), Some(interpretation)) = (m.constant_u64(o.id(rows + 1)), interpretation)
        && taken != 0
    {
        let interpretation = ComponentType(interpretation as u32);
        let is_packed = interpretation == ComponentType::SignedInt8PackedNV
            || interpretation == ComponentType::UnsignedInt8PackedNV;
        let (is_fine, at_least, wanted) = match is_packed {
            true => (taken >= count.div_ceil(4), "at least ", count.div_ceil(4)),
            false => (taken == count, "", count),
        };
        if !is_fine {
            let message = format!(
                "{} needs {at_least}{wanted} components for {count} values, but its input has {taken}",
                o.op
            );
            let finding = o.finding(&cooperative_vector::SIZE, message);
            return Err(finding.about(m, o.id(0), "the input is defined here"));
        }
    }
    Ok(())
}

/// The memory operands that start at this operand.
fn check_memory(o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
    let (access, value) = match o.op {
        Op::CooperativeVectorLoadNV => (Access::Read, o.result),
        _ => (Access::Write, o.ty(2)),
    };
    operands::check(o.at, index, access, &[o.ty(0)], value)
}
