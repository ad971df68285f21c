//! Miscellaneous instructions (specification, section 3.32.1).

use spirvkit_grammar::{Capability, Op, Scope};

use super::{Family, scopes, small_types};
use crate::finding::{CheckResult, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Type};
use crate::pattern::{BOOL, FLOAT, I32, INT, Pattern, U32, UNSIGNED};
use crate::rules::generated::misc;

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
        Op::FPGARegALTERA,
    ],
    check,
    check_module: None,
};

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.inst.op() {
        Op::Undef | Op::PoisonKHR => undefined(at),
        Op::FreezeKHR => freeze(at),
        Op::SizeOf => size_of(at),
        Op::AssumeTrueKHR => assume(at),
        Op::ExpectKHR => expect(at),
        Op::ArithmeticFenceEXT => fence(at),
        Op::FPGARegALTERA => register(at),
        _ => read_clock(at),
    }
}

fn undefined(at: &InstCtx<'_, '_>) -> CheckResult {
    let (m, result) = (at.m, at.result_type());
    if m.ty(result) == Type::Void {
        return Err(at.result_finding(&misc::UNDEFINED_VOID, "a type other than void"));
    }
    let is_handle = matches!(
        m.ty(result),
        Type::Image(_)
            | Type::Sampler
            | Type::SampledImage { .. }
            | Type::Other(Op::TypeAccelerationStructureKHR | Op::TypeTensorARM)
    );
    if is_handle && m.env.is_vulkan() {
        let wanted = "in Vulkan a type other than that of a handle";
        return Err(at.result_finding(&misc::UNDEFINED_HANDLE, wanted));
    }
    if m.has(Capability::Shader) && !m.is_pointer(result) && small_types::is_limited(m, result) {
        let wanted = "a type that this module can compute with";
        let finding = at.result_finding(&misc::UNDEFINED_SMALL, wanted);
        return Err(finding.needs(small_types::CALCULATION));
    }
    Ok(())
}

fn freeze(at: &InstCtx<'_, '_>) -> CheckResult {
    at.expect_result_type(&misc::FREEZE, 0)
}

fn size_of(at: &InstCtx<'_, '_>) -> CheckResult {
    at.expect_result(&misc::SIZE_OF, I32)
}

fn assume(at: &InstCtx<'_, '_>) -> CheckResult {
    at.expect_operand(&misc::ASSUME, 0, BOOL)
}

fn expect(at: &InstCtx<'_, '_>) -> CheckResult {
    const WANTED: Pattern = Pattern::either(&[INT.scalar_or_vector(), BOOL.scalar_or_vector()]);
    at.expect_result(&misc::EXPECT_RESULT, WANTED)?;
    all([
        at.expect_result_type(&misc::EXPECT_OPERAND, 0),
        at.expect_result_type(&misc::EXPECT_OPERAND, 1),
    ])
}

fn fence(at: &InstCtx<'_, '_>) -> CheckResult {
    at.expect_result(&misc::ARITHMETIC_FENCE, FLOAT.scalar_or_vector())?;
    at.expect_result_type(&misc::ARITHMETIC_FENCE, 0)
}

/// Checks a value that is kept in a register on its way.
fn register(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    // What pointers point to depends on how compilers guess it.
    let (taken, made) = (at.type_of_arg(0), at.result_type());
    match m.is_pointer(taken) && m.pointer_class(taken) == m.pointer_class(made) {
        true => Ok(()),
        false => at.expect_result_type(&misc::REGISTER, 0),
    }
}

fn read_clock(at: &InstCtx<'_, '_>) -> CheckResult {
    let scope = scopes::check(at, at.id(0))?;
    let is_opencl = at.m.env.is_opencl();
    let fits = scope.is_none_or(|scope| match scope {
        Scope::Subgroup | Scope::Device => true,
        Scope::Workgroup => is_opencl,
        _ => false,
    });
    if let Some(scope) = scope.filter(|_| !fits) {
        let wanted = match is_opencl {
            true => "`Subgroup`, `Workgroup` or `Device`",
            false => "`Subgroup` or `Device`",
        };
        let message = format!("the scope of OpReadClockKHR must be {wanted}, but is `{scope}`");
        return Err(at.finding(&misc::CLOCK_SCOPE, message).arg(at, 0));
    }
    const CLOCK: Pattern = Pattern::either(&[UNSIGNED.widths(&[64]), U32.vector_of(&[2])]);
    at.expect_result(&misc::CLOCK_RESULT, CLOCK)
}
