//! Debugging information: `DebugInfo`, `OpenCL.DebugInfo.100` and
//! `NonSemantic.Shader.DebugInfo`.
//!
//! The sets' instructions refer to each other. What each operand may be, the grammar
//! says; it is checked with the instruction ([`operands`]). How instructions
//! are connected is checked once for a module, over an [`index`] of them: numbers
//! ([`values`]), types ([`types`]), scopes ([`scopes`]) and places in sources
//! ([`places`]). Where the instructions are in the module is a matter of its layout.
//!
//! What other validators don't look at is an error in `DebugInfo`, for which nobody
//! else checks anything, and a warning in its successors, if their texts say it.

mod index;
mod number;
mod operands;
mod places;
mod sccs;
mod scopes;
mod texts;
mod types;
mod values;

use spirvkit_grammar::ExtInstSet;
use spirvkit_grammar::debug_info::{Field, Kind, Set};

use self::index::Index;
use super::{Call, imports};
use crate::finding::{CheckResult, Reporter};
use crate::module::{Lookup, Module};
use crate::pattern::VOID;
use crate::rule::Rule;
use crate::rules::generated::{debug_info, original_debug_info};

/// A set and the rules that its operands are checked by.
struct Dialect {
    set: Set,
    /// Whether there is no other validator of the set, so that whatever is wrong is
    /// an error.
    is_strict: bool,
    result: &'static Rule,
    text: &'static Rule,
    constant: &'static Rule,
    kind: &'static Rule,
    module_kind: &'static Rule,
}

const fn dialect(set: Set) -> Dialect {
    Dialect {
        set,
        is_strict: false,
        result: &debug_info::VOID_RESULT,
        text: &debug_info::TEXT,
        constant: &debug_info::CONSTANT,
        kind: &debug_info::KIND,
        module_kind: &debug_info::MODULE_KIND,
    }
}

static SHADER: Dialect = dialect(Set::Shader);
static OPENCL: Dialect = dialect(Set::OpenCl100);
static FIRST: Dialect = Dialect {
    set: Set::DebugInfo,
    is_strict: true,
    result: &original_debug_info::VOID_RESULT,
    text: &original_debug_info::TEXT,
    constant: &original_debug_info::CONSTANT,
    kind: &original_debug_info::KIND,
    module_kind: &original_debug_info::MODULE_KIND,
};

pub(super) fn check(call: &Call<'_, '_, '_>, set: ExtInstSet) -> CheckResult {
    let dialect = match set {
        ExtInstSet::DebugInfo if call.m().options.skip_debug_info => return Ok(()),
        ExtInstSet::DebugInfo => &FIRST,
        ExtInstSet::OpenClDebugInfo100 => &OPENCL,
        _ => &SHADER,
    };
    let m = call.m();
    call.expect_result(dialect.result, VOID)?;
    if set == ExtInstSet::ShaderDebugInfo && imports::is_later(m, call.at.id(0)) {
        return Ok(());
    }
    // A newer version may have instructions that aren't known here.
    let Some(kind) = Kind::from_number(call.number) else {
        return Ok(());
    };
    if set == ExtInstSet::ShaderDebugInfo100 && set.instruction(call.number).is_none() {
        let message = format!(
            "instruction {} is only in version 101 of the set and later, but the module imports version 100",
            call.number
        );
        return Err(call.at.finding(&debug_info::VERSION, message));
    }
    operands::check(call, dialect, kind)?;
    match kind {
        Kind::FunctionDefinition => function_definition(call),
        Kind::Line => line(call),
        _ => Ok(()),
    }
}

/// Checks how the debugging instructions of a module that has some are connected.
pub(super) fn check_module(m: &Module<'_>, reporter: &mut Reporter) {
    let index = Index::new(m);
    let checks = [places::check, values::check, types::check, scopes::check];
    for check in checks {
        check(&index, reporter);
        if reporter.is_full() {
            return;
        }
    }
}

/// A function's definition stands in the function it names.
fn function_definition(call: &Call<'_, '_, '_>) -> CheckResult {
    let own = call.at.function().map(|function| function.id);
    let place = Set::Shader.position(Kind::FunctionDefinition, Field::Definition);
    match own.zip(place) {
        Some((own, place)) if own != call.id(place) => Err(call.operand_finding(
            &debug_info::DEFINITION,
            place,
            "the function that contains the instruction",
        )),
        _ => Ok(()),
    }
}

/// A range of source text begins before it ends, or is no range at all.
fn line(call: &Call<'_, '_, '_>) -> CheckResult {
    let value = |field: Field| {
        let place = Set::Shader.position(Kind::Line, field)?;
        call.m().constant_u64(call.id(place))
    };
    let (Some(first), Some(last)) = (value(Field::LineStart), value(Field::LineEnd)) else {
        return Ok(());
    };
    let (Some(start), Some(end)) = (value(Field::ColumnStart), value(Field::ColumnEnd)) else {
        return Ok(());
    };
    let message = if first == 0 && last > 0 {
        format!("the last line is {last}, but the first is 0, which means no line")
    } else if last < first {
        format!("the last line, {last}, is before the first, {first}")
    } else if last == first && end < start {
        format!("on line {first}, the last column, {end}, is before the first, {start}")
    } else {
        return Ok(());
    };
    Err(call.at.finding(&debug_info::RANGE, message))
}
