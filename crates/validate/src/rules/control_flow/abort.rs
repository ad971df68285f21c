//! `OpAbortKHR`.

use spirvkit_binary::Id;

use super::super::composite::match_logically;
use super::super::logical_pointers::has_logical_pointers;
use crate::finding::{CheckResult, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Contents, Lookup, Module, Type};
use crate::rules::generated::abort;

pub(super) fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let (named, message) = (at.id(0), at.id(1));
    if m.def(named).is_none() || m.def(message).is_none() {
        return Ok(());
    }
    let is_type = m.ty(named) != Type::None;
    let ty = m.type_of(message);
    if is_type && ty.is_some_and(|ty| match_logically(m, ty, named)) {
        return check_type(at, named);
    }
    let text = format!(
        "the message of OpAbortKHR must be of the type that the instruction names, {}, but is {}",
        m.show_type(named),
        m.show_value(message)
    );
    let finding = at.finding(&abort::MESSAGE, text);
    Err(finding.about(m, message, "the message is defined here"))
}

/// Checks that whoever gets the message knows what its bytes are.
fn check_type(at: &InstCtx<'_, '_>, ty: Id) -> CheckResult {
    let m = at.m;
    expect(is_concrete(m, ty), || {
        let text = format!(
            "the message of OpAbortKHR must be made of numbers and physical pointers, but is {}",
            m.show_type(ty)
        );
        let finding = at.finding(&abort::CONCRETE, text);
        finding.about(m, ty, "the type is declared here")
    })
}

/// Whether values of the type have a size and a bit pattern, as far as it is made of what others
/// are made of, too.
fn is_concrete(m: &Module<'_>, ty: Id) -> bool {
    let mut others = Contents::BOOLEAN | Contents::OPAQUE | Contents::DESCRIPTOR;
    if has_logical_pointers(m) {
        others |= Contents::OTHER_POINTER;
    }
    !m.is_void(ty) && !m.contents(ty).has(others)
}
