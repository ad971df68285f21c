//! Smaller sets: `NonSemantic.DebugPrintf` and `SPV_AMD_shader_trinary_minmax`.

use spirvkit_diagnostics::ErrorClass::InvalidData;
use spirvkit_grammar::{ExtInstSet, Op};

use super::Call;
use crate::finding::{CheckResult, all};
use crate::rule::{Example, Frame, Rule};

pub(super) const RULES: &[&Rule] = &[&FORMAT, &TRINARY_RESULT, &TRINARY_OPERAND];

static FORMAT: Rule = Rule {
    id: "debug-printf.format",
    class: InvalidData,
    section: "NonSemantic.DebugPrintf",
    vuids: &[],
    text: "The format of DebugPrintf is an `OpString`.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpExtension \"SPV_KHR_non_semantic_info\"
%set = OpExtInstImport \"NonSemantic.DebugPrintf\"
%r = OpExtInst %void %set DebugPrintf %u32_1",
        keeps: "OpExtension \"SPV_KHR_non_semantic_info\"
%set = OpExtInstImport \"NonSemantic.DebugPrintf\"
%format = OpString \"%u\"
%r = OpExtInst %void %set DebugPrintf %format %u32_1",
    },
};

static TRINARY_RESULT: Rule = Rule {
    id: "trinary.result",
    class: InvalidData,
    section: "SPV_AMD_shader_trinary_minmax",
    vuids: &[],
    text: "The instructions for the minimum, maximum or middle of three numbers work on floating-point or integer \
           scalars or vectors, as their names say.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpExtension \"SPV_AMD_shader_trinary_minmax\"
%set = OpExtInstImport \"SPV_AMD_shader_trinary_minmax\"
%r = OpExtInst %u32 %set FMin3AMD %u32_0 %u32_1 %u32_2",
        keeps: "OpExtension \"SPV_AMD_shader_trinary_minmax\"
%set = OpExtInstImport \"SPV_AMD_shader_trinary_minmax\"
%r = OpExtInst %u32 %set UMin3AMD %u32_0 %u32_1 %u32_2",
    },
};

static TRINARY_OPERAND: Rule = Rule {
    id: "trinary.operand",
    class: InvalidData,
    section: "SPV_AMD_shader_trinary_minmax",
    vuids: &[],
    text: "The three numbers have the result type; integers may differ in signedness.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpExtension \"SPV_AMD_shader_trinary_minmax\"
%set = OpExtInstImport \"SPV_AMD_shader_trinary_minmax\"
%r = OpExtInst %u32 %set UMin3AMD %u32_0 %u32_1 %f32_1",
        keeps: "OpExtension \"SPV_AMD_shader_trinary_minmax\"
%set = OpExtInstImport \"SPV_AMD_shader_trinary_minmax\"
%r = OpExtInst %u32 %set UMin3AMD %u32_0 %u32_1 %u32_2",
    },
};

pub(super) fn check(call: &Call<'_, '_, '_>, set: ExtInstSet) -> CheckResult {
    match (set, call.number) {
        (ExtInstSet::DebugPrintf, 1) => {
            let fits = call.m().op_of(call.id(0)) == Op::String;
            call.operand(&FORMAT, 0, fits, "an OpString")
        }
        (ExtInstSet::AmdShaderTrinaryMinMax, _) => trinary(call),
        _ => Ok(()),
    }
}

/// FMin3AMD, UMin3AMD, SMin3AMD, and so on for the greatest and the middle.
fn trinary(call: &Call<'_, '_, '_>) -> CheckResult {
    let m = call.m();
    let result = call.result_type();
    let is_float = call.number % 3 == 1;
    let (fits, expected) = match is_float {
        true => (
            m.is_float_scalar_or_vector(result),
            "a floating-point scalar or vector",
        ),
        false => (
            m.is_int_scalar_or_vector(result),
            "an integer scalar or vector",
        ),
    };
    call.result(&TRINARY_RESULT, fits, expected)?;
    all((0..call.count()).map(|index| {
        let ty = call.ty(index);
        let fits = ty == result
            || !is_float
                && m.is_int_scalar_or_vector(ty)
                && m.bit_width(ty) == m.bit_width(result)
                && m.dimension(ty) == m.dimension(result);
        call.operand(&TRINARY_OPERAND, index, fits, "of the result type")?;
        Ok(())
    }))
}
