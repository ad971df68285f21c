//! Sources, and lines and columns against their text.

use std::collections::BTreeMap;

use spirvkit_binary::Id;
use spirvkit_diagnostics::ErrorClass::InvalidData;
use spirvkit_diagnostics::counted;
use spirvkit_grammar::Op;

use super::index::{Entry, Index};
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
           end of the line, and a tab may count as up to eight. Nothing is asked where the text isn't what was \
           compiled (where any source has `#line`, `#include` or `#define`), nor of what the language itself \
           declares, whose names start with `gl_`.",
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

/// A source as the widths of its lines: bytes, and tabs at their widest.
struct Text {
    lines: Vec<u64>,
}

/// The most columns that a tab may count as.
const TAB: u64 = 8;

impl Text {
    fn new(bytes: &[u8]) -> Self {
        let width = |byte: &u8| if *byte == b'\t' { TAB } else { 1 };
        let lines = bytes.split(|&byte| byte == b'\n');
        Self {
            lines: lines.map(|line| line.iter().map(width).sum()).collect(),
        }
    }
}

/// Whether a compiler counts lines and columns of a source in this very text: no
/// directive counts them otherwise, or brings in text from elsewhere, and lines end
/// as in every language.
fn is_what_was_compiled(bytes: &[u8]) -> bool {
    let is_lone_return = |pair: &[u8]| matches!(pair, [b'\r', next] if *next != b'\n');
    let mut lines = bytes.split(|&byte| byte == b'\n');
    !bytes.windows(2).any(is_lone_return) && !lines.any(moves_text)
}

/// Whether a line is a directive that makes text stand elsewhere than it is written.
fn moves_text(line: &[u8]) -> bool {
    const DIRECTIVES: [&[u8]; 3] = [b"line", b"include", b"define"];
    let Some(directive) = line.trim_ascii_start().strip_prefix(b"#") else {
        return false;
    };
    let word = directive.trim_ascii_start();
    DIRECTIVES.iter().any(|each| word.starts_with(each))
}

/// The sources whose text the module holds; none if any isn't what was compiled,
/// because the others may be mixed with it.
fn texts(index: &Index<'_, '_>) -> BTreeMap<u32, Text> {
    let mut texts: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
    let mut last = None;
    let entries = index.entries.iter();
    for entry in entries.filter(|entry| entry.set.is_non_semantic()) {
        match entry.number {
            SOURCE => last = entry.inst.result(),
            SOURCE_CONTINUED => {}
            _ => continue,
        }
        let string = index.id(entry, Field::Text).and_then(|id| index.m.def(id));
        let piece = string.filter(|def| def.op() == Op::String);
        let piece = piece.and_then(|def| def.string(0));
        if let (Some(id), Some(piece)) = (last, piece) {
            texts.entry(id.0).or_default().extend(piece.bytes());
        }
    }
    if !texts.values().all(|text| is_what_was_compiled(text)) {
        return BTreeMap::new();
    }
    let written = |text: &Vec<u8>| text.iter().any(|&byte| byte != b'\n');
    texts.retain(|_, text| written(text));
    let texts = texts.into_iter();
    texts.map(|(id, text)| (id, Text::new(&text))).collect()
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
    let texts = texts(index);
    // Where a continuation of the last source would stand.
    let mut next = 0;
    for entry in &index.entries {
        let inst = entry.inst;
        if !entry.set.is_non_semantic() || inst.op() != Op::ExtInst {
            continue;
        }
        match entry.number {
            SOURCE => next = end_of(inst),
            SOURCE_CONTINUED => {
                if inst.offset() != next {
                    let message = "no source comes right before this, so there is none to continue";
                    faults.add(index.fault(entry, &CONTINUED, message));
                }
                next = end_of(inst);
            }
            LINE => faults.note(check_place(m, inst, &texts, 0, [1, 2, 3, 4])),
            number => {
                let source = place_operands(number);
                if let Some(source) = source.filter(|_| !is_built_in(index, entry)) {
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

/// Whether an entry has a name that GLSL keeps for what the language itself
/// declares, of which no source has the declaration.
fn is_built_in(index: &Index<'_, '_>, entry: &Entry<'_>) -> bool {
    let name = index.id(entry, Field::Name).and_then(|id| index.m.def(id));
    let name = name.filter(|def| def.op() == Op::String);
    let name = name.and_then(|def| def.string(0));
    name.is_some_and(|name| name.bytes().take(3).eq(*b"gl_"))
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
    let Some(text) = texts.get(&operand(source).0) else {
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
        // A range may end behind the last character.
        if let Some(length) = length.filter(|&&length| column > length + 1) {
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
    let fault = Fault::new(&PLACE, inst.offset(), message).aside(true);
    fault.about(m, source, "the source is given here")
}
