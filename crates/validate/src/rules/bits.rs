//! Bit instructions (specification, section 3.32.14).

use spirvkit_grammar::Op;

use super::Family;
use super::operation::{Operation, check_types};
use crate::finding::{CheckResult, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::Lookup;
use crate::rules::generated::bits;

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::ShiftRightLogical,
        Op::ShiftRightArithmetic,
        Op::ShiftLeftLogical,
        Op::BitwiseOr,
        Op::BitwiseXor,
        Op::BitwiseAnd,
        Op::Not,
        Op::BitFieldInsert,
        Op::BitFieldSExtract,
        Op::BitFieldUExtract,
        Op::BitReverse,
        Op::BitCount,
        Op::BitwiseFunctionINTEL,
    ],
    check,
    check_module: None,
};

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    check_types(at, check_operation)
}

pub(super) fn check_operation(o: &Operation<'_, '_, '_>) -> CheckResult {
    match o.op {
        Op::ShiftRightLogical | Op::ShiftRightArithmetic | Op::ShiftLeftLogical => {
            check_result(o)?;
            let shift = match o.m.is_int_scalar_or_vector(o.ty(1)) {
                true => check_size(o, 1),
                false => Err(o.operand_finding(&bits::SHIFT, 1, "an integer scalar or vector")),
            };
            all([check_operand(o, 0), shift])
        }
        Op::BitFieldInsert => {
            let insert = expect(o.ty(1) == o.result, || {
                o.mismatch(&bits::BASE_TYPE, 1, "the result type")
            });
            all([
                check_typed_base(o),
                insert,
                check_field(o, 2),
                check_field(o, 3),
            ])
        }
        Op::BitFieldSExtract | Op::BitFieldUExtract => {
            all([check_typed_base(o), check_field(o, 1), check_field(o, 2)])
        }
        Op::BitReverse => check_typed_base(o),
        Op::BitCount => {
            check_result(o)?;
            all([check_base(o), check_size(o, 0)])
        }
        Op::BitwiseFunctionINTEL => {
            check_result(o)?;
            all((0..3).map(|index| check_operand(o, index)))
        }
        _ => {
            check_result(o)?;
            all((0..o.args.len()).map(|index| check_operand(o, index)))
        }
    }
}

fn check_result(o: &Operation<'_, '_, '_>) -> CheckResult {
    match o.m.is_int_scalar_or_vector(o.result) {
        true => Ok(()),
        false => Err(o.result_finding(&bits::RESULT, "an integer scalar or vector")),
    }
}

fn check_size(o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
    match o.same_dimension(o.ty(index), o.result) {
        true => Ok(()),
        false => Err(o.mismatch(
            &bits::OPERAND_SIZE,
            index,
            "as many components as the result",
        )),
    }
}

/// An operand that is to be like the result in all but signedness.
fn check_operand(o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
    let ty = o.ty(index);
    if !o.m.is_int_scalar_or_vector(ty) {
        return Err(o.operand_finding(&bits::OPERAND, index, "an integer scalar or vector"));
    }
    let width = expect(o.m.bit_width(ty) == o.m.bit_width(o.result), || {
        o.mismatch(
            &bits::OPERAND_WIDTH,
            index,
            "components as wide as those of the result",
        )
    });
    all([check_size(o, index), width])
}

fn check_base(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let ty = o.ty(0);
    if !m.is_int_scalar_or_vector(ty) {
        return Err(o.operand_finding(&bits::BASE, 0, "an integer scalar or vector"));
    }
    if m.env.is_vulkan() && m.bit_width(ty) != 32 && !m.options.allow_vulkan_32_bit_bitwise {
        let finding = o.operand_finding(&bits::BASE_WIDTH, 0, "32 bits wide in Vulkan");
        return Err(finding.help("the feature `maintenance9` allows other widths"));
    }
    Ok(())
}

/// Checks a base that has the result's type.
fn check_typed_base(o: &Operation<'_, '_, '_>) -> CheckResult {
    check_base(o)?;
    match o.ty(0) == o.result {
        true => Ok(()),
        false => Err(o.mismatch(&bits::BASE_TYPE, 0, "the result type")),
    }
}

/// An operand that says where a bit field is or how many bits it has.
fn check_field(o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
    match o.m.is_int_scalar(o.ty(index)) {
        true => Ok(()),
        false => Err(o.operand_finding(&bits::FIELD, index, "an integer scalar")),
    }
}
