//! Bit instructions (specification, section 3.32.14).

use spirvkit_diagnostics::ErrorClass::InvalidData;
use spirvkit_grammar::Op;

use super::Family;
use super::operation::{Operation, check_types};
use crate::finding::{CheckResult, all, expect};
use crate::inst_ctx::InstCtx;
use crate::rule::{Example, Frame, Rule};

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
    rules: &[
        &RESULT,
        &OPERAND,
        &OPERAND_SIZE,
        &OPERAND_WIDTH,
        &SHIFT,
        &BASE,
        &BASE_WIDTH,
        &BASE_TYPE,
        &FIELD,
    ],
};

static RESULT: Rule = Rule {
    id: "bits.result",
    class: InvalidData,
    section: "3.32.14",
    vuids: &[],
    text: "The result of a bit instruction is an integer scalar or vector.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%masked = OpBitwiseAnd %bool %u32_1 %u32_2",
        keeps: "%masked = OpBitwiseAnd %u32 %u32_1 %u32_2",
    },
};

static OPERAND: Rule = Rule {
    id: "bits.operand",
    class: InvalidData,
    section: "3.32.14",
    vuids: &[],
    text: "Shifts and bitwise operations work on integer scalars and vectors of either signedness. For booleans, \
           there are `OpLogicalAnd` and the like.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%masked = OpBitwiseAnd %u32 %u32_1 %f32_1",
        keeps: "%masked = OpBitwiseAnd %u32 %u32_1 %i32_1",
    },
};

static OPERAND_SIZE: Rule = Rule {
    id: "bits.operand-size",
    class: InvalidData,
    section: "3.32.14",
    vuids: &[],
    text: "The operands of a bit instruction have as many components as its result.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%shifted = OpShiftLeftLogical %v2u32 %v2u32_0 %u32_1",
        keeps: "%shifted = OpShiftLeftLogical %v2u32 %v2u32_0 %v2u32_0",
    },
};

static OPERAND_WIDTH: Rule = Rule {
    id: "bits.operand-width",
    class: InvalidData,
    section: "3.32.14",
    vuids: &[],
    text: "What is shifted, and the operands of bitwise operations, have components as wide as those of the result. A \
           shift's distance may be of any width.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%masked = OpBitwiseAnd %u32 %u32_1 %u64_1",
        keeps: "%shifted = OpShiftLeftLogical %u32 %u32_1 %u64_1",
    },
};

static SHIFT: Rule = Rule {
    id: "bits.shift",
    class: InvalidData,
    section: "3.32.14",
    vuids: &[],
    text: "A shift's distance is an integer scalar or vector.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%shifted = OpShiftLeftLogical %u32 %u32_1 %f32_1",
        keeps: "%shifted = OpShiftLeftLogical %u32 %u32_1 %i32_1",
    },
};

static BASE: Rule = Rule {
    id: "bits.base",
    class: InvalidData,
    section: "3.32.14",
    vuids: &[],
    text: "Bit fields, bit reversal and bit counts work on integer scalars and vectors.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%count = OpBitCount %u32 %f32_1",
        keeps: "%count = OpBitCount %u32 %i32_1",
    },
};

static BASE_WIDTH: Rule = Rule {
    id: "bits.base-width",
    class: InvalidData,
    section: "Vulkan, Runtime SPIR-V Validation",
    vuids: &["VUID-RuntimeSpirv-None-10824"],
    text: "In Vulkan, bit fields, bit reversal and bit counts work on 32-bit integers, unless the feature \
           `maintenance9` is enabled.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.3"),
        breaks: "%reversed = OpBitReverse %u64 %u64_1",
        keeps: "%reversed = OpBitReverse %u32 %u32_1",
    },
};

static BASE_TYPE: Rule = Rule {
    id: "bits.base-type",
    class: InvalidData,
    section: "3.32.14",
    vuids: &[],
    text: "The result of a bit field instruction or of `OpBitReverse` has the type of its base, and so has the \
           inserted value.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%reversed = OpBitReverse %u32 %i32_1",
        keeps: "%reversed = OpBitReverse %i32 %i32_1",
    },
};

static FIELD: Rule = Rule {
    id: "bits.field",
    class: InvalidData,
    section: "3.32.14",
    vuids: &[],
    text: "The offset and the size of a bit field are integer scalars, even if the base is a vector.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%field = OpBitFieldUExtract %v2u32 %v2u32_0 %v2u32_0 %u32_1",
        keeps: "%field = OpBitFieldUExtract %v2u32 %v2u32_0 %u32_0 %u32_1",
    },
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
                false => Err(o.operand_finding(&SHIFT, 1, "an integer scalar or vector")),
            };
            all([check_operand(o, 0), shift])
        }
        Op::BitFieldInsert => {
            let insert = expect(o.ty(1) == o.result, || {
                o.mismatch(&BASE_TYPE, 1, "the result type")
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
        false => Err(o.result_finding(&RESULT, "an integer scalar or vector")),
    }
}

fn check_size(o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
    match o.same_dimension(o.ty(index), o.result) {
        true => Ok(()),
        false => Err(o.mismatch(&OPERAND_SIZE, index, "as many components as the result")),
    }
}

/// An operand that is to be like the result in all but signedness.
fn check_operand(o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
    let ty = o.ty(index);
    if !o.m.is_int_scalar_or_vector(ty) {
        return Err(o.operand_finding(&OPERAND, index, "an integer scalar or vector"));
    }
    let width = expect(o.m.bit_width(ty) == o.m.bit_width(o.result), || {
        o.mismatch(
            &OPERAND_WIDTH,
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
        return Err(o.operand_finding(&BASE, 0, "an integer scalar or vector"));
    }
    if m.env.is_vulkan() && m.bit_width(ty) != 32 && !m.options.allow_vulkan_32_bit_bitwise {
        let finding = o.operand_finding(&BASE_WIDTH, 0, "32 bits wide in Vulkan");
        return Err(finding.help("the feature `maintenance9` allows other widths"));
    }
    Ok(())
}

/// Checks a base that has the result's type.
fn check_typed_base(o: &Operation<'_, '_, '_>) -> CheckResult {
    check_base(o)?;
    match o.ty(0) == o.result {
        true => Ok(()),
        false => Err(o.mismatch(&BASE_TYPE, 0, "the result type")),
    }
}

/// An operand that says where a bit field is or how many bits it has.
fn check_field(o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
    match o.m.is_int_scalar(o.ty(index)) {
        true => Ok(()),
        false => Err(o.operand_finding(&FIELD, index, "an integer scalar")),
    }
}
