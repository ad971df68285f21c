//! Task sequences (SPV_ALTERA_task_sequence): calls of a function that are asked for now and answered
//! later.

use spirvkit_binary::Id;
use spirvkit_diagnostics::counted;
use spirvkit_grammar::Op;

use super::Family;
use crate::finding::{CheckResult, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Inst, Lookup, Type};
use crate::pattern::Pattern;
use crate::rules::generated::task_sequence;

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::TaskSequenceCreateALTERA,
        Op::TaskSequenceAsyncALTERA,
        Op::TaskSequenceGetALTERA,
        Op::TaskSequenceReleaseALTERA,
    ],
    check,
    check_module: None,
};

const SEQUENCE: Pattern = Pattern::declared_by(Op::TypeTaskSequenceALTERA, "a task sequence");

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let op = at.inst.op();
    if op == Op::TaskSequenceCreateALTERA {
        return all([
            at.expect_result(&task_sequence::SEQUENCE, SEQUENCE),
            check_function(at),
            check_clusters(at),
        ]);
    }
    at.expect_operand(&task_sequence::SEQUENCE, 0, SEQUENCE)?;
    match op {
        Op::TaskSequenceAsyncALTERA => check_arguments(at),
        Op::TaskSequenceGetALTERA => check_returned(at),
        _ => Ok(()),
    }
}

fn check_function(at: &InstCtx<'_, '_>) -> CheckResult {
    // What nothing defines is reported elsewhere.
    let found = at.m.op_of(at.id(0));
    expect(matches!(found, Op::Function | Op::Nop), || {
        at.operand_finding(&task_sequence::FUNCTION, 0, "a function")
    })
}

/// Checks how clusters are asked to stall: -1 leaves it to the compiler.
fn check_clusters(at: &InstCtx<'_, '_>) -> CheckResult {
    let mode = at.inst.arg(2).cast_signed();
    expect((-1..=1).contains(&mode), || {
        let message = format!(
            "how clusters of {} stall must be 0, 1 or -1, but is {mode}",
            at.inst.op()
        );
        at.finding(&task_sequence::CLUSTERS, message).arg(at, 2)
    })
}

/// The function of a sequence, if it is plain to see: most sequences are loaded from memory.
fn function_of<'a>(at: &InstCtx<'_, 'a>) -> Option<Inst<'a>> {
    let created = at.m.def(at.id(0))?;
    let function = match created.op() {
        Op::TaskSequenceCreateALTERA => at.m.def(created.id(0))?,
        _ => return None,
    };
    (function.op() == Op::Function).then_some(function)
}

/// Checks the arguments against the parameters of the function. A function that can't be called
/// with them leaves the behavior undefined.
fn check_arguments(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let Some(function) = function_of(at) else {
        return Ok(());
    };
    let Type::Function { parameters, .. } = m.ty(function.id(1)) else {
        return Ok(());
    };
    let name = || m.name(function.result().unwrap_or(Id(0)));
    let arguments = at.inst.args().get(1..).unwrap_or_default();
    let parameters = match parameters.split_first() {
        // Compilers let functions store a structure where another pointer says.
        Some((&first, others)) if arguments.len() == others.len() && m.is_pointer(Id(first)) => {
            others
        }
        _ => parameters,
    };
    if arguments.len() != parameters.len() {
        let message = format!(
            "{} has {}, but {} has {}",
            name(),
            counted(parameters.len(), "parameter"),
            at.inst.op(),
            counted(arguments.len(), "argument")
        );
        return Err(at.finding(&task_sequence::ARGUMENTS, message).warning());
    }
    let pairs = arguments.iter().zip(parameters).enumerate();
    all(pairs.map(|(index, (&argument, &parameter))| {
        let (given, wanted) = (m.type_of(Id(argument)), Id(parameter));
        // What pointers point to depends on how compilers guess it.
        let fits = given
            .is_none_or(|given| given == wanted || m.is_pointer(given) && m.is_pointer(wanted));
        expect(fits, || {
            let message = format!(
                "argument {} of {} must be {}, as {} takes it, but is {}",
                index + 1,
                at.inst.op(),
                m.show_type(wanted),
                name(),
                m.show_value(Id(argument))
            );
            let finding = at.finding(&task_sequence::ARGUMENTS, message).warning();
            finding.arg(at, index + 1)
        })
    }))
}

/// Checks that what is got is of the type that the function returns.
fn check_returned(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let result = at.result_type();
    // Compilers let functions store structures through a pointer and return nothing.
    if matches!(m.ty(result), Type::None | Type::Struct { .. }) {
        return Ok(());
    }
    let returned = function_of(at).and_then(|function| function.result_type());
    match returned {
        Some(returned) if returned != result => {
            let wanted = format!(
                "the type that the sequence's function returns, {}",
                m.show_type(returned)
            );
            Err(at.result_finding(&task_sequence::RETURNED, &wanted))
        }
        _ => Ok(()),
    }
}
