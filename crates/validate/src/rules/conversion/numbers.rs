//! Conversions of numbers, from one kind or width to another.

use spirvkit_binary::Id;
use spirvkit_diagnostics::ErrorClass::InvalidData;
use spirvkit_grammar::{FPEncoding, Op};

use crate::finding::{CheckResult, all, expect};
use crate::module::{Module, Type};
use crate::rule::{Example, Frame, Rule};
use crate::rules::operation::Operation;
use crate::rules::{arithmetic, cooperative_matrix};

pub(super) static RESULT: Rule = Rule {
    id: "conversion.result",
    class: InvalidData,
    section: "3.32.11",
    vuids: &[],
    text: "The result of a conversion to F is a floating-point scalar or vector, that of one to S or U an integer \
           scalar or vector, which is unsigned for `OpConvertFToU` and `OpUConvert`. Most conversions also work on \
           cooperative matrices.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%converted = OpConvertFToU %i32 %f32_1",
        keeps: "%converted = OpConvertFToS %i32 %f32_1",
    },
};

pub(super) static OPERAND: Rule = Rule {
    id: "conversion.operand",
    class: InvalidData,
    section: "3.32.11",
    vuids: &[],
    text: "The operand of a conversion from F is a floating-point scalar or vector, that of one from S or U an \
           integer scalar or vector.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%converted = OpConvertFToS %i32 %u32_1",
        keeps: "%converted = OpBitcast %i32 %u32_1",
    },
};

pub(super) static SIZE: Rule = Rule {
    id: "conversion.size",
    class: InvalidData,
    section: "3.32.11",
    vuids: &[],
    text: "A conversion keeps the number of components.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%converted = OpConvertFToS %v3i32 %v2f32_0",
        keeps: "%converted = OpConvertFToS %v2i32 %v2f32_0",
    },
};

pub(super) static SAME_WIDTH: Rule = Rule {
    id: "conversion.same-width",
    class: InvalidData,
    section: "3.32.11",
    vuids: &[],
    text: "`OpUConvert` and `OpSConvert` change the width of integers. To change only the signedness, use \
           `OpBitcast`.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%converted = OpSConvert %i32 %u32_1",
        keeps: "%converted = OpSConvert %i32 %i64_0",
    },
};

pub(super) static SAME_COMPONENT: Rule = Rule {
    id: "conversion.same-component",
    class: InvalidData,
    section: "3.32.11",
    vuids: &[],
    text: "`OpFConvert` changes the width or the encoding of floats.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%converted = OpFConvert %f32 %f32_1",
        keeps: "%converted = OpFConvert %f64 %f32_1",
    },
};

pub(super) static MICROSCALING: Rule = Rule {
    id: "conversion.microscaling",
    class: InvalidData,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &[
        "VUID-StandaloneSpirv-OpConvertFToU-12465",
        "VUID-StandaloneSpirv-OpFConvert-12466",
    ],
    text: "In Vulkan, the microscaling formats of SPV_EXT_ocp_microscaling_types can only be converted to other \
           floats, with `OpFConvert`.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.3"),
        breaks: "OpCapability Float4EXT
OpExtension \"SPV_EXT_ocp_microscaling_types\"
%fp4 = OpTypeFloat 4 Float4E2M1EXT
%small = OpUndef %fp4
%converted = OpConvertFToU %u32 %small",
        keeps: "OpCapability Float4EXT
OpExtension \"SPV_EXT_ocp_microscaling_types\"
%fp4 = OpTypeFloat 4 Float4E2M1EXT
%small = OpUndef %fp4
%converted = OpFConvert %f32 %small",
    },
};

pub(super) static QUANTIZE_RESULT: Rule = Rule {
    id: "conversion.quantize-result",
    class: InvalidData,
    section: "3.32.11",
    vuids: &[],
    text: "The result of `OpQuantizeToF16` is a 32-bit floating-point scalar or vector.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%quantized = OpQuantizeToF16 %f16 %f16_0",
        keeps: "%quantized = OpQuantizeToF16 %f32 %f32_0",
    },
};

pub(super) static QUANTIZE_OPERAND: Rule = Rule {
    id: "conversion.quantize-operand",
    class: InvalidData,
    section: "3.32.11",
    vuids: &[],
    text: "The result of `OpQuantizeToF16` has the type of its operand.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%quantized = OpQuantizeToF16 %f32 %v2f32_0",
        keeps: "%quantized = OpQuantizeToF16 %f32 %f32_0",
    },
};

/// What the components of a numeric type are to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Float,
    Int,
    Unsigned,
}

impl Kind {
    fn accepts(self, m: &Module<'_>, component: Id) -> bool {
        match (self, m.ty(component)) {
            (Self::Float, Type::Float { .. }) | (Self::Int, Type::Int { .. }) => true,
            (Self::Unsigned, Type::Int { signed, .. }) => !signed,
            _ => false,
        }
    }

    fn wanted(self) -> &'static str {
        match self {
            Self::Float => "a floating-point scalar or vector",
            Self::Int => "an integer scalar or vector",
            Self::Unsigned => "an unsigned integer scalar or vector",
        }
    }
}

/// A conversion of numbers, with what its result and its operand are to be made
/// of.
pub(super) fn check_number(o: &Operation<'_, '_, '_>, result: Kind, operand: Kind) -> CheckResult {
    let m = o.m;
    let is_matrix = m.is_cooperative_matrix(o.result);
    let component = match is_matrix {
        true => m.component_type(o.result),
        false => m.scalar_or_vector_component(o.result),
    };
    let makes = expect(result.accepts(m, component), || {
        o.result_finding(&RESULT, result.wanted())
    });
    let ty = o.ty(0);
    let component = match is_matrix && m.is_cooperative_matrix(ty) {
        true => m.component_type(ty),
        false => m.scalar_or_vector_component(ty),
    };
    let takes = expect(operand.accepts(m, component), || {
        o.operand_finding(&OPERAND, 0, operand.wanted())
    });
    all([makes, takes])?;
    if is_matrix {
        cooperative_matrix::check_conversion(o)?;
    } else if !o.same_dimension(ty, o.result) {
        return Err(o.mismatch(&SIZE, 0, "as many components as the result"));
    }
    if m.env.is_vulkan() {
        check_microscaling(o)?;
    }
    Ok(())
}

/// Whether the components have one of the formats of
/// `SPV_EXT_ocp_microscaling_types`.
fn is_microscaling(m: &Module<'_>, ty: Id) -> bool {
    arithmetic::encoding(m, ty).is_some_and(|encoding| {
        matches!(
            encoding,
            FPEncoding::Float6E2M3EXT
                | FPEncoding::Float6E3M2EXT
                | FPEncoding::Float4E2M1EXT
                | FPEncoding::Float8UnsignedE8M0EXT
                | FPEncoding::MXInt8EXT
        )
    })
}

pub(super) fn check_microscaling(o: &Operation<'_, '_, '_>) -> CheckResult {
    let makes = is_microscaling(o.m, o.result);
    let takes = is_microscaling(o.m, o.ty(0));
    match o.op {
        Op::FConvert if makes => {
            let wanted = "of a format other than microscaling formats in Vulkan";
            let finding = o.result_finding(&MICROSCALING, wanted);
            Err(finding.vuid("VUID-StandaloneSpirv-OpFConvert-12466"))
        }
        Op::ConvertFToU | Op::ConvertFToS | Op::ConvertSToF | Op::ConvertUToF if makes || takes => {
            let message = format!(
                "{} can't convert to or from a microscaling format in Vulkan",
                o.op
            );
            let finding = o.finding(&MICROSCALING, message);
            Err(finding.vuid("VUID-StandaloneSpirv-OpConvertFToU-12465"))
        }
        _ => Ok(()),
    }
}

pub(super) fn check_saturating(o: &Operation<'_, '_, '_>) -> CheckResult {
    all([
        expect(o.m.is_int_scalar_or_vector(o.result), || {
            o.result_finding(&RESULT, Kind::Int.wanted())
        }),
        expect(o.m.is_int_scalar_or_vector(o.ty(0)), || {
            o.operand_finding(&OPERAND, 0, Kind::Int.wanted())
        }),
    ])?;
    if !o.same_dimension(o.ty(0), o.result) {
        return Err(o.mismatch(&SIZE, 0, "as many components as the result"));
    }
    Ok(())
}

pub(super) fn check_quantize(o: &Operation<'_, '_, '_>) -> CheckResult {
    if !o.m.is_float_scalar_or_vector(o.result) || o.m.bit_width(o.result) != 32 {
        return Err(o.result_finding(&QUANTIZE_RESULT, "a 32-bit floating-point scalar or vector"));
    }
    if o.ty(0) != o.result {
        return Err(o.mismatch(&QUANTIZE_OPERAND, 0, "the result type"));
    }
    Ok(())
}
