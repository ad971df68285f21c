//! Decorations of results: wrapping, uniformity, precision.

use spirvkit_binary::Id;
use spirvkit_grammar::{Decoration, Op, OperandKind, Scope};

use crate::finding::{CheckResult, Finding};
use crate::module::{Decorated, Lookup, Module};
use crate::pattern::I32;
use crate::rules::generated::decoration;

/// Checks a `NoSignedWrap` or `NoUnsignedWrap`.
pub(super) fn check_wrap(m: &Module<'_>, target: Id, decorated: &Decorated<'_>) -> CheckResult {
    let op = m.op_of(target);
    if matches!(
        op,
        Op::IAdd | Op::ISub | Op::IMul | Op::ShiftLeftLogical | Op::SNegate | Op::ExtInst
    ) {
        return Ok(());
    }
    let message = format!("`{}` doesn't apply to {op}", decorated.decoration);
    Err(
        Finding::new(&decoration::WRAP, decorated.inst.offset(), message).about(
            m,
            target,
            "the target is defined here",
        ),
    )
}

/// Checks a `Uniform` or `UniformId`.
pub(super) fn check_uniform(m: &Module<'_>, target: Id, decorated: &Decorated<'_>) -> CheckResult {
    let offset = decorated.inst.offset();
    let wrong = |what: &str| {
        let message = format!(
            "`{}` must decorate a value, but {} {what}",
            decorated.decoration,
            m.name(target)
        );
        Err(Finding::new(&decoration::UNIFORM, offset, message).about(
            m,
            target,
            "the target is defined here",
        ))
    };
    let Some(ty) = m.type_of(target) else {
        return wrong("is not a value");
    };
    if m.is_void(ty) {
        return wrong("is void");
    }
    match decorated.decoration {
        Decoration::UniformId => check_scope(m, decorated),
        _ => Ok(()),
    }
}

fn check_scope(m: &Module<'_>, decorated: &Decorated<'_>) -> CheckResult {
    let scope = Id(decorated.param(0));
    if m.type_of(scope).is_none() {
        return Ok(());
    }
    let wrong = |message: String| {
        let finding = Finding::new(&decoration::UNIFORM_SCOPE, decorated.inst.offset(), message);
        Err(finding.about(m, scope, "the scope is defined here"))
    };
    let wanted = I32;
    if !wanted.matches_value(m, scope) {
        return wrong(format!(
            "a scope must be {wanted}, but is {}",
            m.show_value(scope)
        ));
    }
    let Some(value) = m.constant_u64(scope) else {
        return Ok(());
    };
    let known = u32::try_from(value)
        .ok()
        .and_then(|value| OperandKind::Scope.enumerant(value));
    if known.is_none() {
        return wrong(format!("{value} is not a scope"));
    }
    let fits = [Scope::Workgroup, Scope::Subgroup]
        .iter()
        .any(|scope| u64::from(scope.0) == value);
    if m.env.is_vulkan() && !fits {
        return wrong(format!(
            "in Vulkan, the scope of uniformity must be `Workgroup` or `Subgroup`, but is `{}`",
            Scope(value as u32)
        ));
    }
    Ok(())
}

/// Checks a `RelaxedPrecision`.
pub(super) fn check_relaxed_precision(
    m: &Module<'_>,
    target: Id,
    decorated: &Decorated<'_>,
) -> CheckResult {
    let op = m.op_of(target);
    if decorated.member.is_some() || !op.is_type() {
        return Ok(());
    }
    let message = format!(
        "`RelaxedPrecision` can't decorate a type, but {} is one",
        m.name(target)
    );
    let finding = Finding::new(
        &decoration::RELAXED_PRECISION,
        decorated.inst.offset(),
        message,
    );
    Err(finding.about(m, target, "the target is defined here"))
}
