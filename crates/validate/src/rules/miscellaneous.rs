//! Miscellaneous instructions (specification, section 3.32.1).

use spirvkit_grammar::{Capability, Op, Scope};

use super::{Family, scopes, small_types};
use crate::finding::{CheckResult, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Type};
use crate::rule::Rule;
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
        return Err(at.wrong_result(&misc::UNDEFINED_VOID, "a type other than void"));
    }
    if m.has(Capability::Shader) && !m.is_pointer(result) && small_types::is_limited(m, result) {
        let wanted = "a type that this module can compute with";
        let finding = at.wrong_result(&misc::UNDEFINED_SMALL, wanted);
        return Err(finding.needs(small_types::CALCULATION));
    }
    Ok(())
}

fn freeze(at: &InstCtx<'_, '_>) -> CheckResult {
    has_result_type(at, &misc::FREEZE, 0)
}

fn size_of(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.m.is_int_scalar_of(at.result_type(), 32) {
        true => Ok(()),
        false => Err(at.wrong_result(&misc::SIZE_OF, "a 32-bit integer")),
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
    let finding = at.finding(&misc::ASSUME, message);
    Err(finding.about(at.m, at.id(0), "the operand is defined here"))
}

fn expect(at: &InstCtx<'_, '_>) -> CheckResult {
    let (m, result) = (at.m, at.result_type());
    if !m.is_bool_scalar_or_vector(result) && !m.is_int_scalar_or_vector(result) {
        let wanted = "a scalar or vector of integers or booleans";
        return Err(at.wrong_result(&misc::EXPECT_RESULT, wanted));
    }
    all([
        has_result_type(at, &misc::EXPECT_OPERAND, 0),
        has_result_type(at, &misc::EXPECT_OPERAND, 1),
    ])
}

fn fence(at: &InstCtx<'_, '_>) -> CheckResult {
    if !at.m.is_float_scalar_or_vector(at.result_type()) {
        let wanted = "a floating-point scalar or vector";
        return Err(at.wrong_result(&misc::ARITHMETIC_FENCE, wanted));
    }
    has_result_type(at, &misc::ARITHMETIC_FENCE, 0)
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
        return Err(at.finding(&misc::CLOCK_SCOPE, message).arg(at, 0));
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
            &misc::CLOCK_RESULT,
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
