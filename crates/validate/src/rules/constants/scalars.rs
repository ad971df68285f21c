//! Scalars, nulls, samplers, sizes and data.

use spirvkit_binary::Id;
use spirvkit_diagnostics::counted;
use spirvkit_grammar::{Capability, Op};

use crate::finding::{CheckResult, Finding};
use crate::inst_ctx::InstCtx;
use crate::module::{Contents, Lookup, Module, Type};
use crate::rule::Rule;
use crate::rules::generated::constant;
use crate::rules::small_types;

#[cold]
pub(super) fn type_finding(at: &InstCtx<'_, '_>, rule: &'static Rule, wanted: &str) -> Finding {
    let result = at.result_type();
    let message = format!(
        "the type of {} must be {wanted}, but is {}",
        at.inst.op(),
        at.m.show_type(result)
    );
    at.finding(rule, message)
        .about(at.m, result, "the type is declared here")
}

pub(super) fn boolean(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.m.is_bool_scalar(at.result_type()) {
        true => Ok(()),
        false => Err(type_finding(at, &constant::BOOLEAN, "a boolean")),
    }
}

/// `OpConstant` and `OpSpecConstant`. That the type is numeric is the decoder's
/// business, because it needs it to read the literal.
pub(super) fn number(at: &InstCtx<'_, '_>) -> CheckResult {
    let (width, signed) = match at.m.ty(at.result_type()) {
        Type::Int { width, signed } => (width, signed),
        Type::Float { width, .. } => (width, false),
        _ => return Ok(()),
    };
    let used = width % 32;
    let Some(&last) = at.inst.args().last() else {
        return Ok(());
    };
    if used == 0 {
        return Ok(());
    }
    let shift = 32 - used;
    let extended = match signed {
        true => ((last << shift) as i32 >> shift) as u32,
        false => last << shift >> shift,
    };
    if extended != last {
        let message = format!(
            "the literal's last word is {last:#x}, but only its low {used} bits belong to {}",
            at.m.show_type(at.result_type())
        );
        let help = match signed {
            true => "the other bits must repeat the sign bit",
            false => "the other bits must be 0",
        };
        return Err(at
            .finding(&constant::HIGH_BITS, message)
            .arg(at, 0)
            .help(help));
    }
    Ok(())
}

/// Whether the type is one of numbers of 32 bits.
#[inline]
pub(super) fn is_32_bit_number(m: &Module<'_>, ty: Id) -> bool {
    let def = m.def(ty);
    def.is_some_and(|def| matches!(def.op(), Op::TypeInt | Op::TypeFloat) && def.word(2) == 32)
}

/// Constants of types that the module may only store.
pub(super) fn small(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let result = at.result_type();
    // Most constants.
    if is_32_bit_number(m, result) {
        return Ok(());
    }
    m.sound
        .once([at.inst.op().0.into(), result.0, 0, 0, 0], || {
            check_small(at, result)
        })
}

fn check_small(at: &InstCtx<'_, '_>, result: Id) -> CheckResult {
    let m = at.m;
    if !m.has(Capability::Shader) || m.is_pointer(result) || !small_types::is_limited(m, result) {
        return Ok(());
    }
    let message = format!(
        "{} makes a constant of {}, but the module can only load, store and convert such values",
        at.inst.op(),
        m.show_type(result)
    );
    let finding = at
        .finding(&constant::SMALL, message)
        .needs(small_types::CALCULATION);
    Err(finding.about(m, result, "the type is declared here"))
}

pub(super) fn null(at: &InstCtx<'_, '_>) -> CheckResult {
    match without_null(at.m, at.result_type()) {
        None => Ok(()),
        Some(ty) => {
            let whole = at.m.show_type(at.result_type());
            let message = match ty == at.result_type() {
                true => format!("the type {whole} has no null value"),
                false => format!(
                    "the type {whole} has no null value because of {}",
                    at.m.show_type(ty)
                ),
            };
            let finding = at.finding(&constant::NULL, message);
            Err(finding.about(at.m, ty, "it is declared here"))
        }
    }
}

/// The first type within this type, or this type itself, that has no null.
fn without_null(m: &Module<'_>, ty: Id) -> Option<Id> {
    let is_without = |ty: Id| m.contents(ty).has(Contents::WITHOUT_NULL);
    if !is_without(ty) {
        return None;
    }
    // Only for the message: every step leads to an earlier type within.
    let mut culprit = ty;
    while m.op_of(culprit) != Op::TypeRuntimeArray {
        let mut parts = m.parts(culprit).iter().map(|&part| Id(part));
        let within = |part: &Id| m.def_offset(*part) < m.def_offset(culprit) && is_without(*part);
        match parts.find(within) {
            Some(part) => culprit = part,
            None => break,
        }
    }
    Some(culprit)
}

pub(super) fn sampler(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.m.ty(at.result_type()) {
        Type::Sampler => Ok(()),
        _ => Err(type_finding(at, &constant::SAMPLER, "a sampler")),
    }
}

pub(super) fn size_of(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    if !m.is_int_scalar(at.result_type()) {
        return Err(type_finding(at, &constant::SIZE_OF, "an integer"));
    }
    let ty = at.id(0);
    if is_descriptor(m, ty) {
        return Ok(());
    }
    let message = format!(
        "OpConstantSizeOfEXT needs the type of a descriptor, but has {}",
        m.show_type(ty)
    );
    let finding = at.finding(&constant::SIZE_OF, message);
    Err(finding.about(m, ty, "it is declared here"))
}

/// Whether the type's values are descriptors in a heap.
fn is_descriptor(m: &Module<'_>, ty: Id) -> bool {
    match m.ty(ty) {
        Type::Image(_) | Type::Sampler | Type::SampledImage { .. } => true,
        Type::Other(op) => matches!(
            op,
            Op::TypeBufferEXT | Op::TypeAccelerationStructureKHR | Op::TypeTensorARM
        ),
        _ => false,
    }
}

/// `OpConstantDataKHR` and `OpSpecConstantDataKHR`.
pub(super) fn data(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let Type::Array { element, length } = m.ty(at.result_type()) else {
        return Err(type_finding(at, &constant::DATA, "an array"));
    };
    let Type::Int { width, .. } = m.ty(element) else {
        return Err(type_finding(at, &constant::DATA, "an array of integers"));
    };
    let words = at.inst.args().len() as u64;
    if words == 0 {
        let message = format!("{} needs at least one word of data", at.inst.op());
        return Err(at.finding(&constant::DATA, message));
    }
    let Some(length) = m.constant_u64(length) else {
        return Ok(());
    };
    let needed = length.saturating_mul(u64::from(width)).div_ceil(32);
    if needed != words {
        let message = format!(
            "{} has {} of data, but {} takes {needed}",
            at.inst.op(),
            counted(words as usize, "word"),
            m.show_type(at.result_type())
        );
        let finding = at.finding(&constant::DATA, message);
        return Err(finding.about(m, at.result_type(), "the type is declared here"));
    }
    Ok(())
}
