//! Functions and calls (specification, section 3.32.9).

mod calls;
mod uses;

use spirvkit_binary::Id;
use spirvkit_diagnostics::counted;
use spirvkit_grammar::{Capability, Op, StorageClass};

use super::{Family, logical_pointers};
use crate::finding::{CheckResult, Finding, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Type};
use crate::pattern::FUNCTION_TYPE;
use crate::rules::generated::function;

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::Function,
        Op::FunctionParameter,
        Op::FunctionEnd,
        Op::FunctionCall,
        Op::ConstantFunctionPointerINTEL,
        Op::FunctionPointerCallINTEL,
    ],
    check,
    check_module: Some(uses::check),
};

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.inst.op() {
        Op::Function => function(at),
        Op::FunctionCall => calls::call(at),
        Op::ConstantFunctionPointerINTEL => calls::function_pointer(at),
        Op::FunctionPointerCallINTEL => calls::pointer_call(at),
        _ => Ok(()),
    }
}

fn function(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let ty = at.id(1);
    let Type::Function { result, parameters } = m.ty(ty) else {
        return at.expect_type(&function::TYPE, 1, FUNCTION_TYPE);
    };
    let returned = expect(at.result_type() == result, || {
        let message = format!(
            "the function's result type is {}, but its function type returns {}",
            m.show_type(at.result_type()),
            m.show_type(result)
        );
        let finding = at.finding(&function::RETURN_TYPE, message).word(1);
        finding.about(m, ty, "the function type is declared here")
    });
    all([
        returned,
        return_pointer(at, result),
        check_parameters(at, ty, parameters),
    ])
}

/// Checks the parameters of a function of a type with these.
fn check_parameters(at: &InstCtx<'_, '_>, ty: Id, parameters: &[u32]) -> CheckResult {
    let m = at.m;
    let Some(function) = at.function() else {
        return Ok(());
    };
    let start = at.inst.offset() + at.inst.words().len() as u32;
    let mut wanted = parameters.iter().map(|&ty| Id(ty));
    let head = m
        .instructions(start..function.range.end)
        .take_while(|inst| !matches!(inst.op(), Op::Label | Op::FunctionEnd));
    let mut own = head.filter(|inst| inst.op() == Op::FunctionParameter);
    let mut surplus = false;
    let declared = all(own.by_ref().map(|inst| {
        let Some(wanted) = wanted.next() else {
            // Of those that are too many, the first is reported.
            if std::mem::replace(&mut surplus, true) {
                return Ok(());
            }
            let message = format!(
                "the function type has {}, but the function has more",
                counted(parameters.len(), "parameter")
            );
            let finding = Finding::new(&function::PARAMETER, inst.offset(), message).word(1);
            return Err(finding.about(m, ty, "the function type is declared here"));
        };
        let given = inst.result_type().unwrap_or(Id(0));
        if given != wanted {
            let message = format!(
                "the parameter is {}, but the function type says {}",
                m.show_type(given),
                m.show_type(wanted)
            );
            let finding = Finding::new(&function::PARAMETER, inst.offset(), message).word(1);
            return Err(finding.about(m, ty, "the function type is declared here"));
        }
        Ok(())
    }));
    let missing = wanted.len();
    if missing > 0 {
        let message = format!(
            "the function type has {}, but the function has {}",
            counted(parameters.len(), "parameter"),
            parameters.len() - missing
        );
        let finding = at.finding(&function::PARAMETER, message).warning();
        let finding = finding.about(m, ty, "the function type is declared here");
        return all([declared, Err(finding)]);
    }
    declared
}

fn return_pointer(at: &InstCtx<'_, '_>, result: Id) -> CheckResult {
    let m = at.m;
    if !logical_pointers::has_logical_pointers(m)
        || m.options.relax_logical_pointer
        || m.options.before_hlsl_legalization
    {
        return Ok(());
    }
    let class = match m.pointer_class(result) {
        None | Some(StorageClass::PhysicalStorageBuffer) => return Ok(()),
        Some(class) => class,
    };
    // Without variable pointers, every return is reported.
    let has_body = at.function().is_some_and(|f| !f.blocks.is_empty());
    if has_body && !m.has(Capability::VariablePointersStorageBuffer) {
        return Ok(());
    }
    let needed = match class {
        StorageClass::StorageBuffer => Some(Capability::VariablePointersStorageBuffer),
        StorageClass::Workgroup => Some(Capability::VariablePointers),
        _ => None,
    };
    if needed.is_some_and(|needed| m.has(needed)) {
        return Ok(());
    }
    let message = match needed {
        Some(needed) => format!(
            "a function that returns a pointer to `{class}` needs the capability `{needed}`"
        ),
        None => format!("a function can't return a pointer to `{class}` under logical addressing"),
    };
    let finding = at.finding(&function::RETURN_POINTER, message);
    Err(finding.about(m, result, "the pointer type is declared here"))
}
