//! Lexical scopes: where they end, and whether they fit the functions that
//! instructions stand in.

use spirvkit_binary::{Id, IdMap};
use spirvkit_grammar::ExtInstSet;
use spirvkit_grammar::debug_info::Field;

use super::index::{Entry, Index};
use super::number::*;
use super::sccs;
use crate::finding::{CheckResult, Reporter};
use crate::rule::Rule;
use crate::rules::generated::debug_info;

/// Checks the scopes of all sets, and what is said to be in them.
pub(super) fn check(index: &Index<'_, '_>, reporter: &mut Reporter) {
    sccs_of(
        index,
        reporter,
        Field::Parent,
        &debug_info::SCOPE_CIRCLE,
        "scope",
    );
    sccs_of(
        index,
        reporter,
        Field::InlinedAt,
        &debug_info::INLINED_CIRCLE,
        "place of a call",
    );
    if reporter.is_full() {
        return;
    }
    let functions = Functions::new(index, reporter);
    arguments(index, &functions, reporter);
    bodies(index, &functions, reporter);
}

/// Entries that lead back to themselves by way of a field.
fn sccs_of(
    index: &Index<'_, '_>,
    reporter: &mut Reporter,
    field: Field,
    rule: &'static Rule,
    what: &str,
) {
    let leads_out = |number: u32| match field {
        Field::Parent => true,
        // A DebugScope is no scope that another one can name.
        _ => number == INLINED_AT,
    };
    let sccs = sccs::find(index, |entry, operand| {
        let is_step = leads_out(entry.number) && index.place(entry, field) == Some(operand);
        is_step.then(|| Id(entry.inst.arg(2 + operand)))
    });
    for (from, to) in sccs {
        let message = format!(
            "the {what} leads to {}, which leads back to it",
            index.name(to)
        );
        let finding = index.finding(&index.entries[from], rule, message);
        reporter.add(index.pointing(finding, to, "the cycle ends here"));
    }
}

/// Which functions scopes are in, and which functions of the module those describe.
struct Functions {
    /// For each entry the entry and 1 of the innermost DebugFunction that it is in or
    /// is itself; 0 where none is known.
    around: Vec<u32>,
    /// By `OpFunction`: the entry and 1 of the DebugFunction that describes it.
    describing: IdMap<u32>,
    /// For each entry that is a DebugFunction, the `OpFunction` that it describes.
    described: Vec<Id>,
}

impl Functions {
    /// Finds out all of it, and reports functions that are described twice.
    fn new(index: &Index<'_, '_>, reporter: &mut Reporter) -> Self {
        let mut functions = Self {
            around: around(index),
            describing: IdMap::new(0, index.m.words.len()),
            described: vec![Id(0); index.entries.len()],
        };
        for (at, entry) in index.entries.iter().enumerate() {
            match entry.number {
                FUNCTION if !entry.set.is_non_semantic() => {
                    let function = index.id(entry, Field::Function);
                    if let Some(function) = function.filter(|&id| index.find(id).is_none()) {
                        reporter.note(functions.describe(index, entry, at, function));
                    }
                }
                FUNCTION_DEFINITION => {
                    let function = index.target(entry, Field::DebugFunction);
                    let function = function.filter(|&at| index.entries[at].number == FUNCTION);
                    if let Some(function) = function {
                        reporter.note(functions.describe(index, entry, function, entry.function));
                    }
                    if !entry.is_in_entry && entry.block != 0 {
                        let message = "the definition must be in the first block of the function";
                        reporter.add(index.finding(entry, &debug_info::DESCRIBED_TWICE, message));
                    }
                }
                _ => {}
            }
        }
        functions
    }

    /// Notes that the DebugFunction at an index describes a function, as an entry says.
    fn describe(
        &mut self,
        index: &Index<'_, '_>,
        entry: &Entry<'_>,
        at: usize,
        function: Id,
    ) -> CheckResult {
        let earlier = (self.describing.get(function) as usize).checked_sub(1);
        let earlier_function = self.described[at];
        if earlier.is_none() && earlier_function == Id(0) {
            self.describing.replace(function, at as u32 + 1);
            self.described[at] = function;
            return Ok(());
        }
        let message = match earlier {
            Some(earlier) => format!(
                "{} is described by {}, but {} already describes it",
                index.m.name(function),
                index.name(at),
                index.name(earlier)
            ),
            None => format!(
                "{} describes {}, but already describes {}",
                index.name(at),
                index.m.name(function),
                index.m.name(earlier_function)
            ),
        };
        Err(index.finding(entry, &debug_info::DESCRIBED_TWICE, message))
    }

    fn around(&self, entry: usize) -> Option<usize> {
        (*self.around.get(entry)? as usize).checked_sub(1)
    }
}

/// For each entry the innermost DebugFunction around it. Every chain of parents is
/// walked once.
fn around(index: &Index<'_, '_>) -> Vec<u32> {
    const UNKNOWN: u32 = u32::MAX;
    let mut around = vec![UNKNOWN; index.entries.len()];
    let mut path = Vec::new();
    for start in 0..around.len() {
        let mut at = start;
        let function = loop {
            let known = around[at];
            if known != UNKNOWN {
                break known;
            }
            path.push(at);
            // Whoever comes here again has gone around a cycle.
            around[at] = 0;
            let entry = &index.entries[at];
            if entry.number == FUNCTION {
                break at as u32 + 1;
            }
            let next = match entry.number {
                TYPE_TEMPLATE => index.target(entry, Field::Target),
                TYPE_INHERITANCE | TYPE_PTR_TO_MEMBER => None,
                _ => index.target(entry, Field::Parent),
            };
            match next {
                Some(next) => at = next,
                None => break 0,
            }
        };
        for at in path.drain(..) {
            around[at] = function;
        }
    }
    around
}

/// The numbers of formal parameters.
fn arguments(index: &Index<'_, '_>, functions: &Functions, reporter: &mut Reporter) {
    let mut all = Vec::new();
    for (at, entry) in index.of_number(LOCAL_VARIABLE) {
        // Some producers write 0 for what is no parameter.
        let number = index
            .value(entry, Field::ArgNumber)
            .filter(|&number| number > 0);
        let (Some(number), Some(function)) = (number, functions.around(at)) else {
            continue;
        };
        all.push((function, number, at));
        let function = &index.entries[function];
        let ty = index
            .target(function, Field::Type)
            .map(|ty| &index.entries[ty]);
        let Some(ty) = ty.filter(|ty| ty.number == TYPE_FUNCTION) else {
            continue;
        };
        let count = index.words_from(ty, Field::ParameterTypes).len() as u64;
        // A function without parameters may be one of which they aren't known.
        if count > 0 && number > count {
            let message = format!(
                "the variable is parameter {number}, but the number of parameters of its function \
                                   is {count}"
            );
            reporter.add(index.finding(entry, &debug_info::ARGUMENT, message));
        }
    }
    all.sort_unstable();
    for pair in all.windows(2) {
        let (function, number, earlier) = pair[0];
        let (other_function, other_number, at) = pair[1];
        if (function, number) != (other_function, other_number) {
            continue;
        }
        let message = format!(
            "the variable is parameter {number} of {}, but so is {}",
            index.name(function),
            index.name(earlier)
        );
        let finding = index.finding(&index.entries[at], &debug_info::ARGUMENT, message);
        reporter.add(index.pointing(finding, earlier, "the other variable is here"));
    }
}

/// Whether the set's text ties scopes to the functions that they stand in. Producers of
/// the successors say in one function what belongs to another, which became part of it
/// or was split off.
fn is_bound(entry: &Entry<'_>) -> bool {
    entry.set == ExtInstSet::DebugInfo
}

/// What is in blocks.
fn bodies(index: &Index<'_, '_>, functions: &Functions, reporter: &mut Reporter) {
    let outermost = outermost_calls(index);
    // The block that a scope holds in, and the function that the scope is in.
    let mut in_force: Option<(u32, usize)> = None;
    for entry in &index.entries {
        let says_something = !matches!(entry.number, NO_SCOPE | NO_LINE);
        let is_outside = entry.function != Id(0) && entry.block == 0;
        if entry.set.is_non_semantic() && says_something && is_outside {
            let message = format!("this {} is outside of blocks", index.title(entry));
            reporter.add(index.finding(entry, &debug_info::OUTSIDE_BLOCK, message));
        }
        match entry.number {
            SCOPE => {
                let scope = index.target(entry, Field::Scope);
                let function = scope.and_then(|scope| functions.around(scope));
                in_force = function.map(|function| (entry.block, function));
                if is_bound(entry) {
                    reporter.note(scope_function(index, functions, &outermost, entry));
                }
            }
            NO_SCOPE => in_force = None,
            DECLARE | VALUE if is_bound(entry) => {
                let holding = in_force.filter(|&(block, _)| block == entry.block);
                if let Some((_, function)) = holding {
                    reporter.note(variable_scope(index, functions, entry, function));
                }
            }
            _ => {}
        }
        if reporter.is_full() {
            return;
        }
    }
}

/// For each DebugInlinedAt the outermost one around it. Every chain is walked once.
fn outermost_calls(index: &Index<'_, '_>) -> Vec<u32> {
    const UNKNOWN: u32 = u32::MAX;
    let mut outermost = vec![UNKNOWN; index.entries.len()];
    let mut path = Vec::new();
    for (start, _) in index.of_number(INLINED_AT) {
        let mut at = start;
        let last = loop {
            let known = outermost[at];
            if known != UNKNOWN {
                break known;
            }
            path.push(at);
            // Cycles and what has been taken away lead nowhere.
            outermost[at] = 0;
            let entry = &index.entries[at];
            let Some(next) = index.id(entry, Field::InlinedAt) else {
                break at as u32 + 1;
            };
            let next = index.kin(entry, next);
            match next.filter(|&next| index.entries[next].number == INLINED_AT) {
                Some(next) => at = next,
                None => break 0,
            }
        };
        for at in path.drain(..) {
            outermost[at] = last;
        }
    }
    outermost
}

/// A scope is in the function that names it, or was inlined into it.
fn scope_function(
    index: &Index<'_, '_>,
    functions: &Functions,
    outermost: &[u32],
    entry: &Entry<'_>,
) -> CheckResult {
    let holder = match index.id(entry, Field::InlinedAt) {
        None => index.target(entry, Field::Scope),
        Some(inlined) => index
            .kin(entry, inlined)
            .and_then(|at| (*outermost.get(at)? as usize).checked_sub(1))
            .and_then(|at| index.target(index.entries.get(at)?, Field::Scope)),
    };
    let Some(function) = holder.and_then(|holder| functions.around(holder)) else {
        return Ok(());
    };
    let own = (functions.describing.get(entry.function) as usize).checked_sub(1);
    let described = functions.described[function];
    let is_other = match own {
        Some(own) => own != function,
        None => described != Id(0),
    };
    if !is_other {
        return Ok(());
    }
    let m = index.m;
    let message = match own {
        Some(own) => format!(
            "the scope is in {}, but {} is described by {}",
            index.name(function),
            m.name(entry.function),
            index.name(own)
        ),
        None => format!(
            "the scope is in {}, which describes {}, not {}",
            index.name(function),
            m.name(described),
            m.name(entry.function)
        ),
    };
    let finding = index.finding(entry, &debug_info::SCOPE_FUNCTION, message);
    Err(index.pointing(finding, function, "the scope's function is described here"))
}

/// A variable is one of the function whose scope holds.
fn variable_scope(
    index: &Index<'_, '_>,
    functions: &Functions,
    entry: &Entry<'_>,
    function: usize,
) -> CheckResult {
    let variable = index.target(entry, Field::LocalVariable);
    let own = variable.and_then(|variable| functions.around(variable));
    let (Some(variable), Some(own)) = (variable, own) else {
        return Ok(());
    };
    if own == function {
        return Ok(());
    }
    let message = format!(
        "{} is a variable of {}, but the current scope is in {}",
        index.name(variable),
        index.name(own),
        index.name(function)
    );
    let finding = index.finding(entry, &debug_info::VARIABLE_SCOPE, message);
    Err(index.pointing(finding, variable, "the variable is described here"))
}
