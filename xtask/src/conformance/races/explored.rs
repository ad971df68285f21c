//! What exploration says of a program: all outcomes that the memory model allows.

use spirvkit::analysis::ModuleIndex;
use spirvkit::diagnostics::Diagnostic;
use spirvkit::interp::{Explored, Run};

use super::headers::Quantifier;
use super::program::{Buffer, Place, Program};

/// Programs of more invocations are not explored.
const MAX_INVOCATIONS: u32 = 4;

/// How many executions, or beginnings of them, are looked at.
const MAX_LOOKS: u64 = 1 << 14;

/// All that a program can do; nothing if it is too large, or can't be explored.
pub(super) fn explored(program: &Program) -> Option<Explored> {
    let [lanes, subgroups, groups] = program.headers.config;
    if program.headers.config.iter().product::<u32>() > MAX_INVOCATIONS {
        return None;
    }
    let mut run = Run::new(&program.words)
        .subgroup_size(program.headers.subgroup_size())
        .local_size([lanes * subgroups, 1, 1])
        .undefined_results(true)
        .push(&program.push(0));
    for buffer in &program.buffers {
        let contents = program.contents(buffer, 0);
        run = match buffer.place {
            Place::Binding(set, binding) => run.storage(set, binding, &contents),
            Place::Argument(index) => run.argument(index, &contents),
        };
    }
    for &index in &program.locals {
        run = run.local_argument(index, super::LOCAL_BYTES);
    }
    let explored = run.explore().max_looks(MAX_LOOKS).dispatch([groups, 1, 1]);
    // What is undefined, or can't be explored, is left to orders of execution.
    let undefined = |rule| matches!(rule, "run.bounds" | "run.null" | "run.read-only");
    explored
        .ok()
        .filter(|it| !it.findings.iter().any(|found| undefined(found.rule())))
}

/// Whether all conditions hold in all executions, or some, as each says; `None` if that isn't
/// known.
pub(super) fn assertion(program: &Program, explored: &Explored) -> Result<Option<bool>, String> {
    let m = ModuleIndex::new(&program.words).map_err(|error| error.to_string())?;
    let is_undefined = |found: &Diagnostic| found.rule() == "run.uninitialized";
    let is_complete = explored.incomplete.is_none() && !explored.findings.iter().any(is_undefined);
    let mut holds = Some(true);
    for (quantifier, condition) in &program.headers.outputs {
        let (mut yes, mut no) = (false, false);
        for outcome in explored.outcomes() {
            let bytes = |buffer: &Buffer| {
                let bytes = match buffer.place {
                    Place::Binding(set, binding) => outcome.bytes(set, binding),
                    Place::Argument(index) => outcome.argument(index),
                };
                // What nothing uses is not part of the run.
                let is_used = !bytes.is_empty();
                if is_used {
                    bytes.to_vec()
                } else {
                    buffer.contents.clone()
                }
            };
            let contents: Vec<Vec<u8>> = program.buffers.iter().map(bytes).collect();
            let value =
                |name: &str, indexes: &[usize]| program.element(&m, &contents, name, indexes);
            let mut counts = true;
            for filter in &program.headers.filters {
                counts &= filter.holds(&value)?;
            }
            if counts {
                match condition.holds(&value)? {
                    true => yes = true,
                    false => no = true,
                }
            }
        }
        let is_complete = is_complete && program.fillings().is_empty();
        let this = match quantifier {
            Quantifier::Always if no => Some(false),
            Quantifier::Never if yes => Some(false),
            Quantifier::Sometimes if yes => Some(true),
            Quantifier::Always | Quantifier::Never => is_complete.then_some(true),
            Quantifier::Sometimes => is_complete.then_some(false),
        };
        holds = match (holds, this) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), this) => this,
            (None, _) => None,
        };
    }
    Ok(holds)
}
