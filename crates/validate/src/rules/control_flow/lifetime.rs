//! `OpLifetimeStart` and `OpLifetimeStop`.

use spirvkit_diagnostics::ErrorClass::InvalidData;
use spirvkit_grammar::StorageClass;

use crate::finding::CheckResult;
use crate::inst_ctx::InstCtx;
use crate::module::Type;
use crate::rule::{Example, Frame, Rule};

pub(super) static POINTER: Rule = Rule {
    id: "lifetime.pointer",
    class: InvalidData,
    section: "3.32.17",
    vuids: &[],
    text: "The operand of `OpLifetimeStart` and `OpLifetimeStop` is a pointer to an object.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "OpLifetimeStart %u32_0 0",
        keeps: "%variable = OpVariable %ptr_Function_f32 Function
OpLifetimeStart %variable 0",
    },
};

pub(super) static STORAGE_CLASS: Rule = Rule {
    id: "lifetime.storage-class",
    class: InvalidData,
    section: "3.32.17",
    vuids: &[],
    text: "`OpLifetimeStart` and `OpLifetimeStop` are for objects in the storage class `Function`: no others come and \
           go within a function.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "OpLifetimeStart %workgroup_u32 0",
        keeps: "%variable = OpVariable %ptr_Function_f32 Function
OpLifetimeStart %variable 0",
    },
};

pub(super) static SIZE: Rule = Rule {
    id: "lifetime.size",
    class: InvalidData,
    section: "3.32.17",
    vuids: &[],
    text: "The size operand of `OpLifetimeStart` and `OpLifetimeStop` is 0 if the pointer's type says how large the \
           object is. It may be a number of bytes only if the type doesn't say that: for a pointer to void or to \
           bytes, or an untyped pointer.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "%variable = OpVariable %ptr_Function_f32 Function
OpLifetimeStart %variable 4",
        keeps: "%variable = OpVariable %ptr_Function_f32 Function
OpLifetimeStart %variable 0",
    },
};

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
        return finding(&POINTER, message);
    };
    if class != StorageClass::Function {
        let message = format!(
            "{op} needs a pointer to an object in the storage class Function, but has {}",
            m.show_value(pointer)
        );
        return finding(&STORAGE_CLASS, message);
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
        return finding(&SIZE, message);
    }
    Ok(())
}
