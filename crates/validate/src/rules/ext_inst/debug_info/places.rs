//! Sources, and lines and columns against their text.

use std::collections::BTreeMap;

use spirvkit_binary::{Id, LiteralString};
use spirvkit_diagnostics::ErrorClass::InvalidData;
use spirvkit_diagnostics::counted;
use spirvkit_grammar::Op;

use super::index::Index;
use super::number::{LINE, SOURCE, SOURCE_CONTINUED};
use super::rules::{module, shader, shader_with_body};
use crate::fault::{Fault, Faults, Verdict};
use crate::module::{Inst, Module};
use crate::rule::{Example, Frame, Rule};
use spirvkit_grammar::debug_info::Field;

pub(super) static PLACE: Rule = Rule {
    id: "debug-info.place",
    class: InvalidData,
    section: "NonSemantic.Shader.DebugInfo",
    vuids: &[],
    text: "Lines and columns are within the source, if the module holds its text. Columns may be one past the \
           end of the line.",
    example: shader_with_body!(
        "%source = OpExtInst %void %set DebugSource %file %text
",
        "%line = OpExtInst %void %set DebugLine %source %u5 %u5 %u0 %u0",
        "%line = OpExtInst %void %set DebugLine %source %u1 %u1 %u0 %u0"
    ),
};

pub(super) static CONTINUED: Rule = Rule {
    id: "debug-info.source-continued",
    class: InvalidData,
    section: "NonSemantic.Shader.DebugInfo",
    vuids: &[],
    text: "A DebugSourceContinued comes right after the DebugSource whose text it continues, or after another \
           DebugSourceContinued. This is a warning.",
    example: shader!(
        "%continued = OpExtInst %void %set DebugSourceContinued %text
",
        "%source = OpExtInst %void %set DebugSource %file %text
%continued = OpExtInst %void %set DebugSourceContinued %text
"
    ),
};

/// The text of a source as the lengths of its lines, in bytes.
struct Text {
    lines: Vec<u32>,
    /// Whether lines are counted by the text's own directives.
    has_line_directives: bool,
}

impl Text {
    fn new() -> Self {
        Self {
            lines: vec![0],
            has_line_directives: false,
        }
    }

    /// Appends a piece, which may begin in the middle of a line.
    fn append(&mut self, piece: LiteralString<'_>) {
        const DIRECTIVE: &[u8] = b"#line";
        let mut matched = 0;
        for byte in piece.bytes() {
            matched = match DIRECTIVE.get(matched) {
                Some(&next) if next == byte => matched + 1,
                _ => usize::from(byte == DIRECTIVE[0]),
            };
            self.has_line_directives |= matched == DIRECTIVE.len();
            match (byte, self.lines.last_mut()) {
                (b'\n', _) => self.lines.push(0),
                (_, Some(length)) => *length += 1,
                (_, None) => {}
            }
        }
    }

    fn is_known(&self) -> bool {
        !self.has_line_directives && self.lines.iter().any(|&length| length > 0)
    }
}

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
pub(super) fn check(index: &Index<'_, '_>, faults: &mut Faults) {
    let m = index.m;
    let mut texts: BTreeMap<u32, Text> = BTreeMap::new();
    let mut last = None;
    // Where a continuation of the last source would stand.
    let mut next = 0;
    for entry in &index.entries {
        let inst = entry.inst;
        if !entry.set.is_non_semantic() || inst.op() != Op::ExtInst {
            continue;
        }
        let string = |field: Field| {
            let def = m.def(index.id(entry, field)?)?;
            (def.op() == Op::String).then(|| def.string(0))?
        };
        match entry.number {
            SOURCE => {
                last = inst.result();
                next = end_of(inst);
                if let (Some(id), Some(piece)) = (last, string(Field::Text)) {
                    texts.entry(id.0).or_insert_with(Text::new).append(piece);
                }
            }
            SOURCE_CONTINUED => {
                if inst.offset() != next {
                    let message = "no source comes right before this, so there is none to continue";
                    faults.add(index.fault(entry, &CONTINUED, message));
                }
                next = end_of(inst);
                let text = last.and_then(|last| texts.get_mut(&last.0));
                if let (Some(text), Some(piece)) = (text, string(Field::Text)) {
                    text.append(piece);
                }
            }
            LINE => faults.note(check_place(m, inst, &texts, 0, [1, 2, 3, 4])),
            number => {
                if let Some(source) = place_operands(number) {
                    let (line, column) = (source + 1, source + 2);
                    let place = [line, line, column, column];
                    faults.note(check_place(m, inst, &texts, source, place));
                }
            }
        }
        if faults.is_full() {
            return;
        }
    }
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
    texts: &BTreeMap<u32, Text>,
    source: usize,
    place: [usize; 4],
) -> Verdict {
    let operand = |index: usize| inst.id(2 + index);
    let Some(text) = texts.get(&operand(source).0).filter(|text| text.is_known()) else {
        return Ok(());
    };
    let [first_line, last_line, first_column, last_column] = place.map(operand);
    let count = text.lines.len() as u64;
    for line in [first_line, last_line] {
        if let Some(line) = m.constant_u64(line).filter(|&line| line > count) {
            let message = format!(
                "line {line} is named, but the source has {}",
                counted(count as usize, "line")
            );
            return Err(fault(m, inst, operand(source), message));
        }
    }
    for (line, column) in [(first_line, first_column), (last_line, last_column)] {
        let (Some(line), Some(column)) = (m.constant_u64(line), m.constant_u64(column)) else {
            continue;
        };
        let length = match line {
            0 => None,
            _ => text.lines.get(line as usize - 1),
        };
        let Some(&length) = length else {
            continue;
        };
        // A range may end behind the last character.
        let limit = u64::from(length) + 1;
        if column > limit {
            let message = format!(
                "column {column} of line {line} is named, but that line of the source has {length} \
                 columns"
            );
            return Err(fault(m, inst, operand(source), message));
        }
    }
    Ok(())
}

#[cold]
fn fault(m: &Module<'_>, inst: Inst<'_>, source: Id, message: String) -> Fault {
    Fault::new(&PLACE, inst.offset(), message).about(m, source, "the source is given here")
}
