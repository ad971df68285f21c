//! `OpLifetimeStart` and `OpLifetimeStop`.

use spirvkit_grammar::StorageClass;

use crate::finding::{CheckResult, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Type};
use crate::pattern::{POINTER, Pattern};
use crate::rules::generated::lifetime;

pub(super) fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    at.expect_operand(&lifetime::POINTER, 0, POINTER)?;
    let local = Pattern::pointer_into(&[StorageClass::Function]);
    at.expect_operand(&lifetime::STORAGE_CLASS, 0, local)?;
    let size = at.inst.arg(1);
    let says_size = m
        .pointee(at.type_of_arg(0))
        .is_some_and(|pointee| !matches!(m.ty(pointee), Type::Void | Type::Int { width: 8, .. }));
    expect(size == 0 || !says_size, || {
        let pointer = at.id(0);
        let message = format!(
            "the size of {} must be 0 with {}, but is {size}",
            at.inst.op(),
            m.show_value(pointer)
        );
        let finding = at.finding(&lifetime::SIZE, message);
        finding.about(m, pointer, "the operand is defined here")
    })
}
