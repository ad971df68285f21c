//! Sources, and lines and columns against their text.

use spirvkit_binary::Id;
use spirvkit_diagnostics::counted;
use spirvkit_grammar::Op;

use super::index::{Entry, Index};
use super::number::{LINE, SOURCE, SOURCE_CONTINUED};
use super::texts::Texts;
use crate::finding::{CheckResult, Finding, Reporter};
use crate::module::{Inst, Lookup, Module};
use crate::rules::generated::debug_info;
use spirvkit_grammar::debug_info::Field;

/// Where an instruction has its source, line and column among its operands.
fn place_operands(number: u32) -> Option<usize> {
    match number {
        // DebugTypedef, DebugTypeEnum, DebugTypeComposite, DebugTypeMember,
        // DebugGlobalVariable, DebugFunctionDeclaration, DebugFunction,
        // DebugLocalVariable
        7 | 9 | 10 | 11 | 18 | 19 | 20 | 26 => Some(2),
        // DebugTypeTemplateParameter
        15 => Some(3),
        // DebugLexicalBlock
        21 => Some(0),
        _ => None,
    }
}

/// Checks all lines and columns of `NonSemantic.Shader.DebugInfo`.
pub(super) fn check(index: &Index<'_, '_>, reporter: &mut Reporter) {
    let m = index.m;
    let texts = Texts::read(index);
    // Where a continuation of the last source would stand.
    let mut next = 0;
    for entry in &index.entries {
        let inst = entry.inst;
        if !entry.set.is_non_semantic() || !inst.op().is_ext_inst() {
            continue;
        }
        match entry.number {
            SOURCE => next = end_of(inst),
            SOURCE_CONTINUED => {
                if inst.offset() != next {
                    let message = "there is no source right before this to continue";
                    reporter.add(index.finding(entry, &debug_info::SOURCE_CONTINUED, message));
                }
                next = end_of(inst);
            }
            LINE => reporter.note(check_place(m, inst, &texts, 0, [1, 2, 3, 4])),
            number => {
                let source = place_operands(number);
                if let Some(source) = source.filter(|_| !is_built_in(index, entry)) {
                    let (line, column) = (source + 1, source + 2);
                    let place = [line, line, column, column];
                    reporter.note(check_place(m, inst, &texts, source, place));
                }
            }
        }
        if reporter.is_full() {
            return;
        }
    }
}

/// Whether an entry has a name that GLSL keeps for what the language itself
/// declares, of which no source has the declaration.
fn is_built_in(index: &Index<'_, '_>, entry: &Entry<'_>) -> bool {
    let name = index.id(entry, Field::Name).and_then(|id| index.m.def(id));
    let name = name.filter(|def| def.op() == Op::String);
    // Its first word is enough: many entries can have one long name.
    name.is_some_and(|name| name.arg(0).to_le_bytes().starts_with(b"gl_"))
}

/// Where the instruction after this one starts.
fn end_of(inst: Inst<'_>) -> u32 {
    inst.offset() + inst.words().len() as u32
}

/// Checks the place that an instruction names: the operands are first and last
/// line, first and last column.
fn check_place(
    m: &Module<'_>,
    inst: Inst<'_>,
    texts: &Texts<'_>,
    source: usize,
    place: [usize; 4],
) -> CheckResult {
    let operand = |index: usize| inst.id(2 + index);
    let Some(text) = texts.get(operand(source)) else {
        return Ok(());
    };
    let [first_line, last_line, first_column, last_column] = place.map(operand);
    let count = text.count();
    for line in [first_line, last_line] {
        if let Some(line) = m.constant_u64(line).filter(|&line| line > count) {
            let message = format!(
                "the instruction names line {line}, but the source has {}",
                counted(count as usize, "line")
            );
            return Err(finding(m, inst, operand(source), message));
        }
    }
    for (line, column) in [(first_line, first_column), (last_line, last_column)] {
        let (Some(line), Some(column)) = (m.constant_u64(line), m.constant_u64(column)) else {
            continue;
        };
        // A range may end behind the last character.
        let length = text.width(line);
        if let Some(length) = length.filter(|&length| column > length + 1) {
            let message = format!(
                "the instruction names column {column} of line {line}, but that line of the source has {length} \
                 columns"
            );
            return Err(finding(m, inst, operand(source), message));
        }
    }
    Ok(())
}

#[cold]
fn finding(m: &Module<'_>, inst: Inst<'_>, source: Id, message: String) -> Finding {
    let finding = Finding::new(&debug_info::PLACE, inst.offset(), message).aside(true);
    finding.about(m, source, "the source is given here")
}
