//! Decorations of arrays and structures of descriptors
//! (`SPV_EXT_descriptor_heap`).

use spirvkit_binary::Id;
use spirvkit_grammar::Decoration;

use super::holds_descriptor;
use crate::finding::CheckResult;
use crate::inst_ctx::InstCtx;
use crate::module::{Decorated, Lookup};
use crate::pattern::INT;
use crate::rules::generated::annotation;

/// Checks the operand that is a stride or an offset.
fn check_operand(at: &InstCtx<'_, '_>, decorated: &Decorated<'_>) -> CheckResult {
    let m = at.m;
    let id = Id(decorated.param(0));
    if m.def_offset(id) == 0 {
        return Ok(());
    }
    let wanted = INT.constant().widths(&[32, 64]);
    if !wanted.matches_value(m, id) {
        let message = format!(
            "the operand of `{}` must be {wanted}, but is {}",
            decorated.decoration,
            m.show_value(id)
        );
        return Err(at.finding(&annotation::HEAP_OPERAND, message).about(
            m,
            id,
            "the operand is defined here",
        ));
    }
    Ok(())
}

/// Checks that an `OpMemberDecorateIdEXT` gives an `OffsetIdEXT`.
pub(super) fn check_form(at: &InstCtx<'_, '_>, decorated: &Decorated<'_>) -> CheckResult {
    if decorated.decoration == Decoration::OffsetIdEXT {
        return Ok(());
    }
    let message = format!(
        "OpMemberDecorateIdEXT is for `OffsetIdEXT` only, but has `{}`",
        decorated.decoration
    );
    Err(at.finding(&annotation::HEAP_OFFSET, message))
}

/// Checks an `OffsetIdEXT`.
pub(super) fn check_offset(
    at: &InstCtx<'_, '_>,
    decorated: &Decorated<'_>,
    target: Id,
) -> CheckResult {
    let m = at.m;
    let mut members = m.members(target).iter();
    if !members.any(|&member| holds_descriptor(m, Id(member))) {
        let message = format!(
            "`OffsetIdEXT` is for structures that hold descriptors, but {} holds none",
            m.name(target)
        );
        return Err(at
            .finding(&annotation::HEAP_OFFSET, message)
            .about(m, target, "the structure is declared here")
            .help("give the member an `Offset` instead"));
    }
    check_operand(at, decorated)?;
    let id = Id(decorated.param(0));
    if m.def_offset(id) > m.def_offset(target) {
        let message = format!(
            "{}, the operand of `OffsetIdEXT`, must be defined before the structure",
            m.name(id)
        );
        return Err(at.finding(&annotation::HEAP_OPERAND, message).about(
            m,
            id,
            "the operand is defined here",
        ));
    }
    Ok(())
}

/// Checks an `ArrayStrideIdEXT`.
pub(super) fn check_stride(
    at: &InstCtx<'_, '_>,
    decorated: &Decorated<'_>,
    target: Id,
) -> CheckResult {
    let m = at.m;
    let wrong = |message: String| {
        Err(at.finding(&annotation::HEAP_STRIDE, message).about(
            m,
            target,
            "the target is defined here",
        ))
    };
    let is_array = m.op_of(target).is_array_type();
    if !is_array || !holds_descriptor(m, target) {
        return wrong(format!(
            "`ArrayStrideIdEXT` is for arrays that hold descriptors, but {} is {}",
            m.name(target),
            m.show_type(target)
        ));
    }
    check_operand(at, decorated)?;
    match m.constant_u64(Id(decorated.param(0))) {
        Some(0) => wrong("the stride of an array must not be 0".to_owned()),
        _ => Ok(()),
    }
}
