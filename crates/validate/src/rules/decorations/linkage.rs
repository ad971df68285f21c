//! Linkage: what is imported and exported (specification, section 2.13).

use spirvkit_binary::Id;
use spirvkit_grammar::{Decoration, LinkageType, Op};

use crate::finding::{CheckResult, Finding, Reporter};
use crate::module::{Decorated, Inst, Module};
use crate::rules::generated::decoration;

/// Whether a `LinkageAttributes` says that the object is imported.
fn is_import(decorated: &Decorated<'_>) -> bool {
    decorated.params.last() == Some(&LinkageType::Import.0)
}

/// Checks a `LinkageAttributes`.
pub(super) fn check(m: &Module<'_>, target: Id, decorated: &Decorated<'_>) -> CheckResult {
    let Some(def) = m.def(target) else {
        return Ok(());
    };
    let offset = decorated.inst.offset();
    match def.op() {
        Op::Function if m.entry_models(target).is_some() => {
            let message = format!(
                "{} is an entry point, so it can't have linkage",
                m.name(target)
            );
            Err(
                Finding::new(&decoration::LINKAGE_ENTRY_POINT, offset, message).about(
                    m,
                    target,
                    "the entry point's function",
                ),
            )
        }
        Op::Function if is_import(decorated) && has_body(m, target) => {
            let message = format!("{} is imported, so it can't have a body", m.name(target));
            Err(
                Finding::new(&decoration::LINKAGE_DEFINITION, offset, message).about(
                    m,
                    target,
                    "the function",
                ),
            )
        }
        Op::Variable | Op::UntypedVariableKHR
            if is_import(decorated) && initializer(def).is_some() =>
        {
            let message = format!(
                "{} is imported, so it can't have an initializer",
                m.name(target)
            );
            Err(
                Finding::new(&decoration::LINKAGE_INITIALIZER, offset, message).about(
                    m,
                    target,
                    "the variable",
                ),
            )
        }
        _ => Ok(()),
    }
}

/// A variable's initializer.
fn initializer(variable: Inst<'_>) -> Option<u32> {
    match variable.op() {
        Op::Variable => variable.optional(1),
        _ => variable.optional(2),
    }
}

fn has_body(m: &Module<'_>, function: Id) -> bool {
    let index = m.function_index(function);
    let function = index.and_then(|index| m.functions.get(index as usize));
    function.is_some_and(|function| !function.blocks.is_empty())
}

/// Checks that functions without bodies are imported.
pub(super) fn check_functions(m: &Module<'_>, reporter: &mut Reporter) {
    for function in &m.functions {
        if !function.blocks.is_empty() {
            // Declarations come first.
            return;
        }
        let mut own = m.own_decorations(function.id);
        if own.any(|decorated| {
            decorated.decoration == Decoration::LinkageAttributes && is_import(&decorated)
        }) {
            continue;
        }
        let message = format!(
            "{} has no body, so it must be imported",
            m.name(function.id)
        );
        reporter.add(Finding::new(
            &decoration::LINKAGE_DECLARATION,
            function.range.start,
            message,
        ));
    }
}
