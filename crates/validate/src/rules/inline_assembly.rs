//! Assembly of a vendor's machine (SPV_INTEL_inline_assembly).

use spirvkit_binary::Id;
use spirvkit_diagnostics::counted;
use spirvkit_grammar::Op;

use super::Family;
use crate::finding::{CheckResult, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Type};
use crate::pattern::FUNCTION_TYPE;
use crate::rules::generated::inline_assembly;

pub(crate) const FAMILY: Family = Family {
    ops: &[Op::AsmTargetINTEL, Op::AsmINTEL, Op::AsmCallINTEL],
    check,
    check_module: None,
};

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.inst.op() {
        Op::AsmINTEL => all([check_type(at), check_target(at)]),
        Op::AsmCallINTEL => check_call(at),
        _ => Ok(()),
    }
}

/// Checks that the type is a function's, and returns what the assembly does.
fn check_type(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let ty = at.id(0);
    // What nothing defines is reported elsewhere.
    if m.op_of(ty) == Op::Nop {
        return Ok(());
    }
    at.expect_type(&inline_assembly::TYPE, 0, FUNCTION_TYPE)?;
    let returned = m.def(ty).map_or(Id(0), |def| def.id(0));
    let wanted = || format!("the return type of its type, {}", m.show_type(returned));
    expect(at.result_type() == returned, || {
        at.result_finding(&inline_assembly::TYPE, &wanted())
    })
}

fn check_target(at: &InstCtx<'_, '_>) -> CheckResult {
    let found = at.m.op_of(at.id(1));
    expect(matches!(found, Op::AsmTargetINTEL | Op::Nop), || {
        at.operand_finding(&inline_assembly::TARGET, 1, "an OpAsmTargetINTEL")
    })
}

fn check_call(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let called = match m.def(at.id(0)) {
        None => return Ok(()),
        Some(def) if def.op() == Op::AsmINTEL => def,
        Some(_) => {
            return Err(at.operand_finding(&inline_assembly::CALLEE, 0, "an OpAsmINTEL"));
        }
    };
    let returned = called.result_type().unwrap_or(Id(0));
    let result = expect(at.result_type() == returned, || {
        let wanted = format!("that of the assembly, {}", m.show_type(returned));
        at.result_finding(&inline_assembly::CALLEE, &wanted)
    });
    let arguments = match m.ty(called.id(0)) {
        Type::Function { parameters, .. } => check_arguments(at, parameters),
        _ => Ok(()),
    };
    all([result, arguments])
}

fn check_arguments(at: &InstCtx<'_, '_>, parameters: &[u32]) -> CheckResult {
    let m = at.m;
    let arguments = at.inst.args().get(1..).unwrap_or_default();
    if arguments.len() != parameters.len() {
        let message = format!(
            "{} has {}, but {} has {}",
            m.name(at.id(0)),
            counted(parameters.len(), "operand"),
            at.inst.op(),
            counted(arguments.len(), "argument")
        );
        return Err(at.finding(&inline_assembly::ARGUMENTS, message));
    }
    let pairs = arguments.iter().zip(parameters).enumerate();
    all(pairs.map(|(index, (&argument, &parameter))| {
        let (given, wanted) = (m.type_of(Id(argument)), Id(parameter));
        // What pointers point to depends on how compilers guess it.
        let fits = given
            .is_none_or(|given| given == wanted || m.is_pointer(given) && m.is_pointer(wanted));
        match fits {
            true => Ok(()),
            false => {
                let wanted = m.show_type(wanted);
                let index = index + 1;
                at.expect_operand_that(&inline_assembly::ARGUMENTS, index, false, &wanted)
            }
        }
    }))
}
