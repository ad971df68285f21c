//! Miscellaneous instructions (specification, section 3.32.1).

use spirvkit_diagnostics::ErrorClass::{InvalidData, InvalidId};
use spirvkit_grammar::{Capability, Op, Scope};

use super::{Family, scopes, small_types};
use crate::finding::{CheckResult, all};
use crate::inst_ctx::InstCtx;
use crate::module::Type;
use crate::rule::{Example, Frame, Rule};

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::Undef,
        Op::PoisonKHR,
        Op::FreezeKHR,
        Op::SizeOf,
        Op::AssumeTrueKHR,
        Op::ExpectKHR,
        Op::ArithmeticFenceEXT,
        Op::ReadClockKHR,
    ],
    check,
    check_module: None,
    rules: &[
        &UNDEFINED_VOID,
        &UNDEFINED_SMALL,
        &FREEZE,
        &SIZE_OF,
        &ASSUME,
        &EXPECT_RESULT,
        &EXPECT_OPERAND,
        &FENCE,
        &CLOCK_RESULT,
        &CLOCK_SCOPE,
    ],
};

static UNDEFINED_VOID: Rule = Rule {
    id: "misc.undefined-void",
    class: InvalidId,
    section: "3.32.1",
    vuids: &[],
    text: "There are no values of type void, not even undefined ones or poison.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%undef = OpUndef %void",
        keeps: "%undef = OpUndef %f32",
    },
};

static UNDEFINED_SMALL: Rule = Rule {
    id: "misc.undefined-small",
    class: InvalidId,
    section: "3.31",
    vuids: &[],
    text: "The capabilities for 8- and 16-bit storage only allow such values to be loaded, stored and converted. \
           Undefined values of these types need `Int8`, `Int16` or `Float16`.",
    example: Example {
        frame: Frame::Whole,
        breaks: "OpCapability Shader
OpCapability Linkage
OpCapability StorageBuffer16BitAccess
OpMemoryModel Logical GLSL450
%u16 = OpTypeInt 16 0
%undef = OpUndef %u16
",
        keeps: "OpCapability Shader
OpCapability Linkage
OpCapability StorageBuffer16BitAccess
OpCapability Int16
OpMemoryModel Logical GLSL450
%u16 = OpTypeInt 16 0
%undef = OpUndef %u16
",
    },
};

static FREEZE: Rule = Rule {
    id: "misc.freeze",
    class: InvalidId,
    section: "SPV_KHR_poison_freeze",
    vuids: &[],
    text: "The result of `OpFreezeKHR` has the type of its operand.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability PoisonFreezeKHR
OpExtension \"SPV_KHR_poison_freeze\"
%frozen = OpFreezeKHR %u32 %f32_0",
        keeps: "OpCapability PoisonFreezeKHR
OpExtension \"SPV_KHR_poison_freeze\"
%frozen = OpFreezeKHR %f32 %f32_0",
    },
};

static SIZE_OF: Rule = Rule {
    id: "misc.size-of",
    class: InvalidData,
    section: "3.32.1",
    vuids: &[],
    text: "The result of `OpSizeOf` is a 32-bit integer.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "%pointer = OpVariable %ptr_Function_u32 Function
%size = OpSizeOf %u64 %pointer",
        keeps: "%pointer = OpVariable %ptr_Function_u32 Function
%size = OpSizeOf %u32 %pointer",
    },
};

static ASSUME: Rule = Rule {
    id: "misc.assume",
    class: InvalidId,
    section: "SPV_KHR_expect_assume",
    vuids: &[],
    text: "The condition of `OpAssumeTrueKHR` is a boolean.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability ExpectAssumeKHR
OpExtension \"SPV_KHR_expect_assume\"
OpAssumeTrueKHR %u32_1",
        keeps: "OpCapability ExpectAssumeKHR
OpExtension \"SPV_KHR_expect_assume\"
OpAssumeTrueKHR %true",
    },
};

static EXPECT_RESULT: Rule = Rule {
    id: "misc.expect-result",
    class: InvalidId,
    section: "SPV_KHR_expect_assume",
    vuids: &[],
    text: "The result of `OpExpectKHR` is a scalar or vector of integers or booleans.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability ExpectAssumeKHR
OpExtension \"SPV_KHR_expect_assume\"
%expected = OpExpectKHR %f32 %f32_1 %f32_1",
        keeps: "OpCapability ExpectAssumeKHR
OpExtension \"SPV_KHR_expect_assume\"
%expected = OpExpectKHR %u32 %u32_1 %u32_1",
    },
};

static EXPECT_OPERAND: Rule = Rule {
    id: "misc.expect-operand",
    class: InvalidId,
    section: "SPV_KHR_expect_assume",
    vuids: &[],
    text: "The value and the expected value of `OpExpectKHR` have the result type.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability ExpectAssumeKHR
OpExtension \"SPV_KHR_expect_assume\"
%expected = OpExpectKHR %u32 %u32_1 %i32_1",
        keeps: "OpCapability ExpectAssumeKHR
OpExtension \"SPV_KHR_expect_assume\"
%expected = OpExpectKHR %u32 %u32_1 %u32_1",
    },
};

static FENCE: Rule = Rule {
    id: "misc.arithmetic-fence",
    class: InvalidData,
    section: "SPV_EXT_arithmetic_fence",
    vuids: &[],
    text: "The operand and the result of `OpArithmeticFenceEXT` have the same type, a floating-point scalar or \
           vector.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "OpCapability ArithmeticFenceEXT
OpExtension \"SPV_EXT_arithmetic_fence\"
%fenced = OpArithmeticFenceEXT %f32 %f64_0",
        keeps: "OpCapability ArithmeticFenceEXT
OpExtension \"SPV_EXT_arithmetic_fence\"
%fenced = OpArithmeticFenceEXT %f32 %f32_1",
    },
};

static CLOCK_RESULT: Rule = Rule {
    id: "misc.clock-result",
    class: InvalidData,
    section: "SPV_KHR_shader_clock",
    vuids: &[],
    text: "The result of `OpReadClockKHR` is a 64-bit unsigned integer or a vector of two 32-bit unsigned integers.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability ShaderClockKHR
OpExtension \"SPV_KHR_shader_clock\"
%time = OpReadClockKHR %u32 %u32_1",
        keeps: "OpCapability ShaderClockKHR
OpExtension \"SPV_KHR_shader_clock\"
%time = OpReadClockKHR %u64 %u32_1",
    },
};

static CLOCK_SCOPE: Rule = Rule {
    id: "misc.clock-scope",
    class: InvalidData,
    section: "SPV_KHR_shader_clock",
    vuids: &["VUID-StandaloneSpirv-OpReadClockKHR-04652"],
    text: "The scope of a clock is `Subgroup` or `Device`, or in OpenCL also `Workgroup`.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability ShaderClockKHR
OpExtension \"SPV_KHR_shader_clock\"
%time = OpReadClockKHR %u64 %u32_2",
        keeps: "OpCapability ShaderClockKHR
OpExtension \"SPV_KHR_shader_clock\"
%time = OpReadClockKHR %u64 %u32_3",
    },
};

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.inst.op() {
        Op::Undef | Op::PoisonKHR => undefined(at),
        Op::FreezeKHR => freeze(at),
        Op::SizeOf => size_of(at),
        Op::AssumeTrueKHR => assume(at),
        Op::ExpectKHR => expect(at),
        Op::ArithmeticFenceEXT => fence(at),
        _ => read_clock(at),
    }
}

/// Checks that an operand has the result type.
fn has_result_type(at: &InstCtx<'_, '_>, rule: &'static Rule, index: usize) -> CheckResult {
    if at.type_of_arg(index) == at.result_type() {
        return Ok(());
    }
    let (m, operand) = (at.m, at.id(index));
    let message = format!(
        "operand {} of {} must have the result type, {}, but is {}",
        index + 1,
        at.inst.op(),
        m.show_type(at.result_type()),
        m.show_value(operand)
    );
    let finding = at.finding(rule, message);
    Err(finding.about(m, operand, "the operand is defined here"))
}

fn undefined(at: &InstCtx<'_, '_>) -> CheckResult {
    let (m, result) = (at.m, at.result_type());
    if m.ty(result) == Type::Void {
        return Err(at.wrong_result(&UNDEFINED_VOID, "a type other than void"));
    }
    if m.has(Capability::Shader) && !m.is_pointer(result) && small_types::is_limited(m, result) {
        let wanted = "a type that this module can compute with";
        let finding = at.wrong_result(&UNDEFINED_SMALL, wanted);
        return Err(finding.needs(small_types::CALCULATION));
    }
    Ok(())
}

fn freeze(at: &InstCtx<'_, '_>) -> CheckResult {
    has_result_type(at, &FREEZE, 0)
}

fn size_of(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.m.is_int_scalar_of(at.result_type(), 32) {
        true => Ok(()),
        false => Err(at.wrong_result(&SIZE_OF, "a 32-bit integer")),
    }
}

fn assume(at: &InstCtx<'_, '_>) -> CheckResult {
    if at.m.is_bool_scalar(at.type_of_arg(0)) {
        return Ok(());
    }
    let message = format!(
        "the condition of OpAssumeTrueKHR must be a boolean, but is {}",
        at.m.show_value(at.id(0))
    );
    let finding = at.finding(&ASSUME, message);
    Err(finding.about(at.m, at.id(0), "the operand is defined here"))
}

fn expect(at: &InstCtx<'_, '_>) -> CheckResult {
    let (m, result) = (at.m, at.result_type());
    if !m.is_bool_scalar_or_vector(result) && !m.is_int_scalar_or_vector(result) {
        let wanted = "a scalar or vector of integers or booleans";
        return Err(at.wrong_result(&EXPECT_RESULT, wanted));
    }
    all([
        has_result_type(at, &EXPECT_OPERAND, 0),
        has_result_type(at, &EXPECT_OPERAND, 1),
    ])
}

fn fence(at: &InstCtx<'_, '_>) -> CheckResult {
    if !at.m.is_float_scalar_or_vector(at.result_type()) {
        let wanted = "a floating-point scalar or vector";
        return Err(at.wrong_result(&FENCE, wanted));
    }
    has_result_type(at, &FENCE, 0)
}

fn read_clock(at: &InstCtx<'_, '_>) -> CheckResult {
    let (m, result) = (at.m, at.result_type());
    let scope = scopes::check(at, at.id(0))?;
    let is_opencl = m.env.is_opencl();
    let fits = scope.is_none_or(|scope| match scope {
        Scope::Subgroup | Scope::Device => true,
        Scope::Workgroup => is_opencl,
        _ => false,
    });
    if let Some(scope) = scope.filter(|_| !fits) {
        let wanted = match is_opencl {
            true => "Subgroup, Workgroup or Device",
            false => "Subgroup or Device",
        };
        let message =
            format!("OpReadClockKHR reads the clock of {scope}, but the scope must be {wanted}");
        return Err(at.finding(&CLOCK_SCOPE, message).arg(at, 0));
    }
    let is_pair = match m.ty(result) {
        Type::Vector {
            component,
            count: 2,
        } => is_unsigned(at, component, 32),
        _ => false,
    };
    match is_pair || is_unsigned(at, result, 64) {
        true => Ok(()),
        false => Err(at.wrong_result(
            &CLOCK_RESULT,
            "a 64-bit unsigned integer or a vector of two 32-bit ones",
        )),
    }
}

fn is_unsigned(at: &InstCtx<'_, '_>, ty: spirvkit_binary::Id, bits: u32) -> bool {
    at.m.ty(ty)
        == Type::Int {
            width: bits,
            signed: false,
        }
}
