//! `OpAbortKHR`.

use super::super::composite::match_logically;
use crate::finding::CheckResult;
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Type};
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
        return Ok(());
    }
    let text = format!(
        "the message of OpAbortKHR must be of the type that the instruction names, {}, but is {}",
        m.show_type(named),
        m.show_value(message)
    );
    let finding = at.finding(&abort::MESSAGE, text);
    Err(finding.about(m, message, "the message is defined here"))
}
