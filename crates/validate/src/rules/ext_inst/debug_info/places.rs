//! Lines and columns against the text of the source.

use std::collections::BTreeMap;

use spirvkit_binary::{Id, LiteralString};
use spirvkit_grammar::{ExtInstSet, Op};

use super::rules::PLACE;
use crate::fault::{Fault, Faults, Verdict};
use crate::module::{Inst, Module};
use crate::rules::ext_inst::known_set;

const LINE: u32 = 103;
const SOURCE: u32 = 35;
const SOURCE_CONTINUED: u32 = 102;

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
pub(in crate::rules::ext_inst) fn check(m: &Module<'_>, faults: &mut Faults) {
    let mut texts: BTreeMap<u32, Text> = BTreeMap::new();
    let mut last = None;
    for inst in m.all_instructions() {
        let is_debug_info = inst.op() == Op::ExtInst
            && matches!(
                known_set(m, inst.id(0)),
                Some(ExtInstSet::ShaderDebugInfo | ExtInstSet::ShaderDebugInfo100)
            );
        if !is_debug_info {
            continue;
        }
        let string = |index: usize| {
            let def = m.def(Id(inst.optional(index)?))?;
            (def.op() == Op::String).then(|| def.string(0))?
        };
        match inst.arg(1) {
            SOURCE => {
                last = inst.result();
                if let (Some(id), Some(piece)) = (last, string(3)) {
                    texts.entry(id.0).or_insert_with(Text::new).append(piece);
                }
            }
            SOURCE_CONTINUED => {
                let text = last.and_then(|last| texts.get_mut(&last.0));
                if let (Some(text), Some(piece)) = (text, string(2)) {
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
            let message = format!("line {line} is named, but the source has {count} lines");
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
