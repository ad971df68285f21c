//! Dot products of integers (`SPV_KHR_integer_dot_product`) and of small floats
//! (`SPV_VALVE_mixed_float_dot_product`).

use spirvkit_binary::Id;
use spirvkit_diagnostics::ErrorClass::InvalidData;
use spirvkit_grammar::{Capability, FPEncoding, Op};

use super::operation::{Operation, check_values};
use super::{Family, arithmetic};
use crate::finding::{CheckResult, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::Type;
use crate::rule::{Example, Frame, Rule};

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::SDot,
        Op::UDot,
        Op::SUDot,
        Op::SDotAccSat,
        Op::UDotAccSat,
        Op::SUDotAccSat,
        Op::FDot2MixAcc32VALVE,
        Op::FDot2MixAcc16VALVE,
        Op::FDot4MixAcc32VALVE,
    ],
    check,
    check_module: None,
    rules: &[
        &RESULT,
        &VECTOR,
        &SIGN,
        &SAME,
        &WIDTH,
        &INPUT,
        &PACKED,
        &ACCUMULATOR,
        &MIXED_RESULT,
        &MIXED_VECTOR,
        &MIXED_ENCODING,
        &MIXED_CAPABILITY,
    ],
};

static RESULT: Rule = Rule {
    id: "dot-product.result",
    class: InvalidData,
    section: "SPV_KHR_integer_dot_product",
    vuids: &[],
    text: "The result of a dot product of integers is an integer scalar, which is unsigned for `OpUDot` and \
           `OpUDotAccSat`.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability DotProduct
OpCapability DotProductInputAll
%dot = OpUDot %i32 %v2u32_0 %v2u32_0",
        keeps: "OpCapability DotProduct
OpCapability DotProductInputAll
%dot = OpUDot %u32 %v2u32_0 %v2u32_0",
    },
};

static VECTOR: Rule = Rule {
    id: "dot-product.vector",
    class: InvalidData,
    section: "SPV_KHR_integer_dot_product",
    vuids: &[],
    text: "The operands of a dot product are two vectors of integers, or two 32-bit integers that each hold a packed \
           vector.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability DotProduct
OpCapability DotProductInputAll
%dot = OpSDot %i32 %v2f32_0 %v2f32_0",
        keeps: "OpCapability DotProduct
OpCapability DotProductInputAll
%dot = OpSDot %i32 %v2i32_0 %v2i32_0",
    },
};

static SIGN: Rule = Rule {
    id: "dot-product.sign",
    class: InvalidData,
    section: "SPV_KHR_integer_dot_product",
    vuids: &[],
    text: "The components of both vectors of `OpUDot` and `OpUDotAccSat`, and those of the second vector of `OpSUDot` \
           and `OpSUDotAccSat`, are unsigned.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability DotProduct
OpCapability DotProductInputAll
%dot = OpUDot %u32 %v2i32_0 %v2u32_0",
        keeps: "OpCapability DotProduct
OpCapability DotProductInputAll
%dot = OpUDot %u32 %v2u32_0 %v2u32_0",
    },
};

static SAME: Rule = Rule {
    id: "dot-product.same",
    class: InvalidData,
    section: "SPV_KHR_integer_dot_product",
    vuids: &[],
    text: "Both vectors of a dot product are packed or neither is, and both have the same number of components of the \
           same width.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability DotProduct
OpCapability DotProductInputAll
%dot = OpUDot %u32 %v2u32_0 %v3u32_0",
        keeps: "OpCapability DotProduct
OpCapability DotProductInputAll
%dot = OpUDot %u32 %v2u32_0 %v2u32_0",
    },
};

static WIDTH: Rule = Rule {
    id: "dot-product.width",
    class: InvalidData,
    section: "SPV_KHR_integer_dot_product",
    vuids: &[],
    text: "The result of a dot product is at least as wide as the components of its operands.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability DotProduct
OpCapability DotProductInputAll
%dot = OpUDot %u16 %v2u32_0 %v2u32_0",
        keeps: "OpCapability DotProduct
OpCapability DotProductInputAll
%dot = OpUDot %u64 %v2u32_0 %v2u32_0",
    },
};

static INPUT: Rule = Rule {
    id: "dot-product.input",
    class: InvalidData,
    section: "SPV_KHR_integer_dot_product",
    vuids: &[],
    text: "The capabilities say which operands a dot product can have: `DotProductInputAll` allows vectors, \
           `DotProductInput4x8Bit` vectors of four 8-bit integers, and `DotProductInput4x8BitPacked` 32-bit integers.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability DotProduct
%dot = OpUDot %u32 %v2u32_0 %v2u32_0",
        keeps: "OpCapability DotProduct
OpCapability DotProductInputAll
%dot = OpUDot %u32 %v2u32_0 %v2u32_0",
    },
};

static PACKED: Rule = Rule {
    id: "dot-product.packed",
    class: InvalidData,
    section: "SPV_KHR_integer_dot_product",
    vuids: &[],
    text: "A dot product of packed vectors takes 32-bit integers and names their format; a dot product of other \
           vectors names none.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability DotProduct
OpCapability DotProductInput4x8BitPacked
%dot = OpUDot %u32 %u32_1 %u32_2",
        keeps: "OpCapability DotProduct
OpCapability DotProductInput4x8BitPacked
%dot = OpUDot %u32 %u32_1 %u32_2 PackedVectorFormat4x8Bit",
    },
};

static ACCUMULATOR: Rule = Rule {
    id: "dot-product.accumulator",
    class: InvalidData,
    section: "SPV_KHR_integer_dot_product",
    vuids: &[],
    text: "The accumulator of a dot product has the result type.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability DotProduct
OpCapability DotProductInputAll
%dot = OpUDotAccSat %u32 %v2u32_0 %v2u32_0 %i32_1",
        keeps: "OpCapability DotProduct
OpCapability DotProductInputAll
%dot = OpUDotAccSat %u32 %v2u32_0 %v2u32_0 %u32_1",
    },
};

const MIXED: &str = "SPV_VALVE_mixed_float_dot_product";

static MIXED_RESULT: Rule = Rule {
    id: "dot-product.mixed-result",
    class: InvalidData,
    section: MIXED,
    vuids: &[],
    text: "The result of a mixed dot product is a floating-point scalar of the width that the instruction's name \
           says; one of 32 bits is encoded as IEEE 754.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability DotProductFloat16AccFloat32VALVE
OpExtension \"SPV_VALVE_mixed_float_dot_product\"
%v2f16_0 = OpConstantNull %v2f16
%dot = OpFDot2MixAcc32VALVE %f64 %v2f16_0 %v2f16_0 %f64_0",
        keeps: "OpCapability DotProductFloat16AccFloat32VALVE
OpExtension \"SPV_VALVE_mixed_float_dot_product\"
%v2f16_0 = OpConstantNull %v2f16
%dot = OpFDot2MixAcc32VALVE %f32 %v2f16_0 %v2f16_0 %f32_0",
    },
};

static MIXED_VECTOR: Rule = Rule {
    id: "dot-product.mixed-vector",
    class: InvalidData,
    section: MIXED,
    vuids: &[],
    text: "The operands of a mixed dot product are two vectors of two 16-bit or four 8-bit floats, as the \
           instruction's name says.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability DotProductFloat16AccFloat32VALVE
OpExtension \"SPV_VALVE_mixed_float_dot_product\"
%dot = OpFDot2MixAcc32VALVE %f32 %v2f32_0 %v2f32_0 %f32_0",
        keeps: "OpCapability DotProductFloat16AccFloat32VALVE
OpExtension \"SPV_VALVE_mixed_float_dot_product\"
%v2f16_0 = OpConstantNull %v2f16
%dot = OpFDot2MixAcc32VALVE %f32 %v2f16_0 %v2f16_0 %f32_0",
    },
};

static MIXED_ENCODING: Rule = Rule {
    id: "dot-product.mixed-encoding",
    class: InvalidData,
    section: MIXED,
    vuids: &[],
    text: "The components of two vectors of 16-bit floats have the same encoding, and so has a 16-bit result.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability DotProductFloat16AccFloat32VALVE
OpCapability DotProductBFloat16AccVALVE
OpCapability BFloat16TypeKHR
OpExtension \"SPV_KHR_bfloat16\"
OpExtension \"SPV_VALVE_mixed_float_dot_product\"
%v2f16_0 = OpConstantNull %v2f16
%bf16 = OpTypeFloat 16 BFloat16KHR
%v2bf16 = OpTypeVector %bf16 2
%v2bf16_0 = OpConstantNull %v2bf16
%dot = OpFDot2MixAcc32VALVE %f32 %v2f16_0 %v2bf16_0 %f32_0",
        keeps: "OpCapability DotProductFloat16AccFloat32VALVE
OpExtension \"SPV_VALVE_mixed_float_dot_product\"
%v2f16_0 = OpConstantNull %v2f16
%dot = OpFDot2MixAcc32VALVE %f32 %v2f16_0 %v2f16_0 %f32_0",
    },
};

static MIXED_CAPABILITY: Rule = Rule {
    id: "dot-product.mixed-capability",
    class: InvalidData,
    section: MIXED,
    vuids: &[],
    text: "The capabilities say which encodings a mixed dot product can have: `DotProductBFloat16AccVALVE` allows \
           BFloat16, `DotProductFloat16AccFloat32VALVE` and `DotProductFloat16AccFloat16VALVE` allow IEEE 754.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability DotProductBFloat16AccVALVE
OpExtension \"SPV_VALVE_mixed_float_dot_product\"
%v2f16_0 = OpConstantNull %v2f16
%dot = OpFDot2MixAcc32VALVE %f32 %v2f16_0 %v2f16_0 %f32_0",
        keeps: "OpCapability DotProductFloat16AccFloat32VALVE
OpExtension \"SPV_VALVE_mixed_float_dot_product\"
%v2f16_0 = OpConstantNull %v2f16
%dot = OpFDot2MixAcc32VALVE %f32 %v2f16_0 %v2f16_0 %f32_0",
    },
};

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.inst.op() {
        Op::FDot2MixAcc32VALVE | Op::FDot2MixAcc16VALVE | Op::FDot4MixAcc32VALVE => {
            check_values(at, check_mixed)
        }
        _ => check_values(at, check_integer),
    }
}

fn check_integer(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let all_unsigned = matches!(o.op, Op::UDot | Op::UDotAccSat);
    let second_unsigned = all_unsigned || matches!(o.op, Op::SUDot | Op::SUDotAccSat);
    if !m.is_int_scalar(o.result) {
        return Err(o.result_finding(&RESULT, "an integer scalar"));
    }
    if all_unsigned && !m.is_unsigned_scalar(o.result) {
        return Err(o.result_finding(&RESULT, "an unsigned integer scalar"));
    }
    all((0..2).map(|index| {
        if !m.is_int_scalar_or_vector(o.ty(index)) {
            return Err(o.operand_finding(&VECTOR, index, "an integer scalar or vector"));
        }
        Ok(())
    }))?;
    let (first, second) = (o.ty(0), o.ty(1));
    let is_packed = m.is_int_scalar(first);
    if is_packed != m.is_int_scalar(second)
        || m.bit_width(first) != m.bit_width(second)
        || !o.same_dimension(first, second)
    {
        let message = format!(
            "{} needs two vectors of the same kind, but has {} and {}",
            o.op,
            m.show_value(o.id(0)),
            m.show_value(o.id(1))
        );
        let finding = o.finding(&SAME, message);
        return Err(finding.about(m, o.id(0), "one is defined here").about(
            m,
            o.id(1),
            "the other is defined here",
        ));
    }
    let accumulates = matches!(o.op, Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat);
    let format = o.args.get(if accumulates { 3 } else { 2 });
    let input = match is_packed {
        true => check_packed(o, format.is_some()),
        false => check_unpacked(o, format.is_some(), [all_unsigned, second_unsigned]),
    };
    // The components of a packed vector have 8 bits.
    let component = if is_packed { 8 } else { m.bit_width(first) };
    let width = expect(m.bit_width(o.result) >= component, || {
        o.result_finding(&WIDTH, "at least as wide as the components")
    });
    all([input, width, check_accumulator(o, accumulates)])
}

fn check_packed(o: &Operation<'_, '_, '_>, has_format: bool) -> CheckResult {
    let m = o.m;
    all([
        expect(m.has(Capability::DotProductInput4x8BitPacked), || {
            let message = format!(
                "{} needs the capability DotProductInput4x8BitPacked for packed vectors",
                o.op
            );
            o.finding(&INPUT, message)
        }),
        expect(m.bit_width(o.ty(0)) == 32, || {
            o.operand_finding(&PACKED, 0, "32 bits wide to hold a packed vector")
        }),
        expect(has_format, || {
            let message = format!("{} needs to name the format of its packed vectors", o.op);
            o.finding(&PACKED, message)
        }),
    ])
}

/// Checks vectors of which some may have to be unsigned.
fn check_unpacked(o: &Operation<'_, '_, '_>, has_format: bool, unsigned: [bool; 2]) -> CheckResult {
    let m = o.m;
    let first = o.ty(0);
    let is_small = m.bit_width(first) == 8 && m.dimension(first) == 4;
    let is_allowed = m.has(Capability::DotProductInputAll)
        || is_small && m.has(Capability::DotProductInput4x8Bit);
    let signs = unsigned.into_iter().enumerate().map(|(index, unsigned)| {
        expect(!unsigned || m.is_unsigned_vector(o.ty(index)), || {
            o.operand_finding(&SIGN, index, "a vector of unsigned integers")
        })
    });
    all([
        expect(is_allowed, || {
            let message = format!(
                "{} needs the capability DotProductInputAll for {}",
                o.op,
                m.show_type(first)
            );
            o.finding(&INPUT, message)
        }),
        expect(!has_format, || {
            let message = format!(
                "{} has vectors that are not packed, but names a packed format",
                o.op
            );
            o.finding(&PACKED, message)
        }),
        all(signs),
    ])
}

fn check_accumulator(o: &Operation<'_, '_, '_>, accumulates: bool) -> CheckResult {
    match accumulates && o.ty(2) != o.result {
        true => Err(o.mismatch(&ACCUMULATOR, 2, "the result type")),
        false => Ok(()),
    }
}

fn check_mixed(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let (result_width, count, width) = match o.op {
        Op::FDot2MixAcc32VALVE => (32, 2, 16),
        Op::FDot2MixAcc16VALVE => (16, 2, 16),
        _ => (32, 4, 8),
    };
    let is_fine = match m.ty(o.result) {
        Type::Float { width, encoding } => {
            width == result_width && (width == 16 || encoding.is_none())
        }
        _ => false,
    };
    if !is_fine {
        let wanted = format!("a {result_width}-bit floating-point scalar");
        return Err(o.result_finding(&MIXED_RESULT, &wanted));
    }
    all((0..2).map(|index| {
        let ty = o.ty(index);
        let is_fine = m.is_float_vector(ty)
            && m.bit_width(ty) == width
            && m.dimension(ty) == count
            && (width == 16 || is_small_float(o, ty));
        if !is_fine {
            let wanted = format!("a vector of {count} {width}-bit floats");
            return Err(o.operand_finding(&MIXED_VECTOR, index, &wanted));
        }
        Ok(())
    }))?;
    let encoding = arithmetic::encoding(m, o.ty(0));
    if width == 16 {
        if arithmetic::encoding(m, o.ty(1)) != encoding {
            let wanted = "the encoding of the other vector";
            return Err(o.mismatch(&MIXED_ENCODING, 1, wanted));
        }
        if result_width == 16 && arithmetic::encoding(m, o.result) != encoding {
            return Err(o.mismatch(&MIXED_ENCODING, 0, "the encoding of the result"));
        }
        let needed = match (encoding, result_width) {
            (Some(FPEncoding::BFloat16KHR), _) => Capability::DotProductBFloat16AccVALVE,
            (_, 32) => Capability::DotProductFloat16AccFloat32VALVE,
            _ => Capability::DotProductFloat16AccFloat16VALVE,
        };
        if !m.has(needed) {
            let message = format!(
                "{} with {} needs the capability {needed}",
                o.op,
                m.show_type(o.ty(0))
            );
            return Err(o.finding(&MIXED_CAPABILITY, message));
        }
    }
    check_accumulator(o, true)
}

/// Whether the components are 8-bit floats of `SPV_EXT_float8`.
fn is_small_float(o: &Operation<'_, '_, '_>, ty: Id) -> bool {
    matches!(
        arithmetic::encoding(o.m, ty),
        Some(FPEncoding::Float8E4M3EXT | FPEncoding::Float8E5M2EXT)
    )
}
