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
use spirvkit_grammar::debug_info::{Field, Kind};

/// The fields of a place: first and last line, first and last column.
const PLACE: [Field; 4] = [Field::Line, Field::Line, Field::Column, Field::Column];
const RANGE: [Field; 4] = [
    Field::LineStart,
    Field::LineEnd,
    Field::ColumnStart,
    Field::ColumnEnd,
];

/// Whether producers agree on where an instruction has its place: of some of these they
/// mix up the numbers, in others they write an operand that no set has.
fn is_agreed(number: u32) -> bool {
    !matches!(
        Kind::from_number(number),
        Some(
            Kind::TypeTemplateTemplateParameter
                | Kind::TypeTemplateParameterPack
                | Kind::ImportedEntity
        )
    )
}

/// Checks all lines and columns of `NonSemantic.Shader.DebugInfo`.
pub(super) fn check(index: &Index<'_, '_>, reporter: &mut Reporter) {
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
                    let message = "there is no source directly before this one to continue";
                    reporter.add(index.finding(entry, &debug_info::SOURCE_CONTINUED, message));
                }
                next = end_of(inst);
            }
            LINE => reporter.note(check_place(index, entry, &texts, RANGE)),
            number if is_agreed(number) && !is_built_in(index, entry) => {
                reporter.note(check_place(index, entry, &texts, PLACE));
            }
            _ => {}
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

/// Checks the place that an instruction names in these fields, if it has them.
fn check_place(
    index: &Index<'_, '_>,
    entry: &Entry<'_>,
    texts: &Texts<'_>,
    place: [Field; 4],
) -> CheckResult {
    let (m, inst) = (index.m, entry.inst);
    let source = index.id(entry, Field::Source);
    let text = source.and_then(|source| Some((source, texts.get(source)?)));
    let Some((source, text)) = text else {
        return Ok(());
    };
    let place = place.map(|field| index.place(entry, field));
    if place.contains(&None) {
        return Ok(());
    }
    let [first_line, last_line, first_column, last_column] =
        place.map(|place| Id(place.map_or(0, |place| inst.arg(2 + place))));
    let count = text.count();
    for line in [first_line, last_line] {
        if let Some(line) = m.constant_u64(line).filter(|&line| line > count) {
            let message = format!(
                "the instruction names line {line}, but the source has {}",
                counted(count as usize, "line")
            );
            return Err(finding(m, inst, source, message));
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
            return Err(finding(m, inst, source, message));
        }
    }
    Ok(())
}

#[cold]
fn finding(m: &Module<'_>, inst: Inst<'_>, source: Id, message: String) -> Finding {
    let finding = Finding::new(&debug_info::PLACE, inst.offset(), message).aside(true);
    finding.about(m, source, "the source is given here")
}
