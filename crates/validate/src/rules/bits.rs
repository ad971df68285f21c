//! Bit instructions (specification, section 3.32.14).

use spirvkit_grammar::Op;

use super::Family;
use super::operation::{Operation, check_types};
use crate::finding::{CheckResult, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::Lookup;
use crate::pattern::{I32, INT, Pattern};
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

const INTEGERS: Pattern = INT.scalar_or_vector();

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    check_types(at, check_operation)
}

pub(super) fn check_operation(o: &Operation<'_, '_, '_>) -> CheckResult {
    match o.op {
        Op::ShiftRightLogical | Op::ShiftRightArithmetic | Op::ShiftLeftLogical => {
            check_result(o)?;
            let shift = o
                .expect_operand(&bits::SHIFT, 1, INTEGERS)
                .and_then(|()| check_size(o, 1));
            all([check_operand(o, 0), shift])
        }
        Op::BitFieldInsert => all([
            check_typed_base(o),
            o.expect_result_type(&bits::BASE_TYPE, 1),
            check_field(o, 2),
            check_field(o, 3),
        ]),
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
            let table = o.expect_operand(&bits::TERNARY, 3, I32.constant());
            let bases = (0..3).map(|index| o.expect_result_type(&bits::TERNARY, index));
            all([all(bases), table])
        }
        _ => {
            check_result(o)?;
            all((0..o.args.len()).map(|index| check_operand(o, index)))
        }
    }
}

fn check_result(o: &Operation<'_, '_, '_>) -> CheckResult {
    o.expect_result(&bits::RESULT, INTEGERS)
}

fn check_size(o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
    o.expect_size(&bits::OPERAND_SIZE, index)
}

/// An operand that is to be like the result in all but signedness.
fn check_operand(o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
    o.expect_operand(&bits::OPERAND, index, INTEGERS)?;
    let width = expect(
        o.m.bit_width(o.ty(index)) == o.m.bit_width(o.result),
        || {
            o.mismatch(
                &bits::OPERAND_WIDTH,
                index,
                "components as wide as those of the result",
            )
        },
    );
    all([check_size(o, index), width])
}

fn check_base(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    o.expect_operand(&bits::BASE, 0, INTEGERS)?;
    if m.env.is_vulkan() && m.bit_width(o.ty(0)) != 32 && !m.options.allow_vulkan_32_bit_bitwise {
        let finding = o.operand_finding(&bits::BASE_WIDTH, 0, "32 bits wide in Vulkan");
        return Err(finding.help("the feature `maintenance9` allows other widths"));
    }
    Ok(())
}

/// Checks a base that has the result's type.
fn check_typed_base(o: &Operation<'_, '_, '_>) -> CheckResult {
    check_base(o)?;
    o.expect_result_type(&bits::BASE_TYPE, 0)
}

/// An operand that says where a bit field is or how many bits it has.
fn check_field(o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
    o.expect_operand(&bits::FIELD, index, INT)
}
