//! Scalars, nulls, samplers, sizes and data.

use spirvkit_binary::Id;
use spirvkit_diagnostics::counted;
use spirvkit_grammar::{Capability, Decoration, Op};

use super::WORD;
use crate::finding::CheckResult;
use crate::inst_ctx::InstCtx;
use crate::module::{Contents, Lookup, Module, Type};
use crate::pattern::{ACCELERATION_STRUCTURE, BOOL, IMAGE, INT, Pattern, SAMPLER, TENSOR};
use crate::rules::generated::constant;
use crate::rules::small_types;

pub(super) fn boolean(at: &InstCtx<'_, '_>) -> CheckResult {
    at.expect_result(&constant::BOOLEAN, BOOL)
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
            "the literal's last word is {last:#x}, but {} has only its low {used} bits",
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

/// Constants of types that the module may only store.
pub(super) fn small(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let result = at.result_type();
    // Most constants.
    if WORD.matches(m, result) {
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
    at.expect_result(&constant::SAMPLER, SAMPLER)
}

pub(super) fn size_of(at: &InstCtx<'_, '_>) -> CheckResult {
    at.expect_result(&constant::SIZE_OF, INT.widths(&[32, 64]))?;
    at.expect_type(&constant::SIZE_OF, 0, DESCRIPTOR)
}

/// Descriptors in a heap.
const DESCRIPTOR: Pattern = Pattern::either(&[
    IMAGE,
    SAMPLER,
    TENSOR,
    ACCELERATION_STRUCTURE,
    Pattern::declared_by(Op::TypeBufferEXT, "a buffer"),
]);

/// `OpConstantDataKHR` and `OpSpecConstantDataKHR`.
pub(super) fn data(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    at.expect_result(&constant::DATA, Pattern::array_of(&INT))?;
    let Type::Array { element, length } = m.ty(at.result_type()) else {
        return Ok(());
    };
    if m.is_decorated(at.result_type(), Decoration::ArrayStride) {
        let message = format!(
            "the elements of {} are one behind the other, but {} has an `ArrayStride`",
            at.inst.op(),
            m.show_type(at.result_type())
        );
        let finding = at.finding(&constant::DATA, message);
        return Err(finding.about(m, at.result_type(), "the type is declared here"));
    }
    let words = at.inst.args().len() as u64;
    if words == 0 {
        let message = format!("{} needs at least one word of data", at.inst.op());
        return Err(at.finding(&constant::DATA, message));
    }
    let Some(length) = m.constant_u64(length) else {
        return Ok(());
    };
    let needed = length
        .saturating_mul(u64::from(m.bit_width(element)))
        .div_ceil(32);
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
