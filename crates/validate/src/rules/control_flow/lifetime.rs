//! `OpLifetimeStart` and `OpLifetimeStop`.

use spirvkit_grammar::StorageClass;

use crate::finding::CheckResult;
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Type};
use crate::rules::generated::lifetime;

pub(super) fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let pointer = at.id(0);
    if m.def(pointer).is_none() {
        return Ok(());
    }
    let finding = |rule, message| {
        let finding = at.finding(rule, message);
        Err(finding.about(m, pointer, "the operand is defined here"))
    };
    let op = at.inst.op();
    let Some(class) = m.pointer_class(at.type_of_arg(0)) else {
        let message = format!("{op} needs a pointer, but has {}", m.show_value(pointer));
        return finding(&lifetime::POINTER, message);
    };
    if class != StorageClass::Function {
        let message = format!(
            "{op} needs a pointer to an object in the storage class Function, but has {}",
            m.show_value(pointer)
        );
        return finding(&lifetime::STORAGE_CLASS, message);
    }
    let size = at.inst.arg(1);
    let says_size = m
        .pointee(at.type_of_arg(0))
        .is_some_and(|pointee| !matches!(m.ty(pointee), Type::Void | Type::Int { width: 8, .. }));
    if size != 0 && says_size {
        let message = format!(
            "the size of {op} must be 0 with {}, but is {size}",
            m.show_value(pointer)
        );
        return finding(&lifetime::SIZE, message);
    }
    Ok(())
}
