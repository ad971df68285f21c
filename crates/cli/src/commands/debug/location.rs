//! Places in modules and in their sources: reading what users write, and showing what
//! there is.

use std::ops::Range;

use serde_json::{Value, json};
use spirvkit::binary::{Id, Instruction, LiteralString, WordOffset};
use spirvkit::debuginfo::{DebugInfo, Entry, FileId, Position};
use spirvkit::grammar::Op;

/// What users write for a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// A position in the binary module, in bytes.
    Bytes(usize),
    /// `%12` or `%main`.
    Id(String),
    /// `shader.comp:12`.
    Line(String, u32),
}

impl std::str::FromStr for Wanted {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(id) = text.strip_prefix('%') {
            return Ok(Self::Id(id.to_owned()));
        }
        let bytes = match text.strip_prefix("0x") {
            Some(digits) => usize::from_str_radix(digits, 16),
            None => text.parse(),
        };
        if let Ok(bytes) = bytes {
            return Ok(Self::Bytes(bytes));
        }
        // A Windows path has a colon, too.
        if let Some((file, line)) = text.rsplit_once(':')
            && let Ok(line) = line.parse()
        {
            return Ok(Self::Line(file.to_owned(), line));
        }
        Err(
            "this is none of: an offset in bytes such as 0x1a4, an id such as %12, a line such as \
             shader.comp:12"
                .to_owned(),
        )
    }
}

impl Wanted {
    /// The instructions that are meant, as ranges of words in the module's order; an
    /// error if there are none.
    pub(super) fn find(&self, info: &DebugInfo<'_>) -> Result<Vec<Range<usize>>, String> {
        match self {
            Self::Bytes(bytes) => instruction_at(info, bytes / 4)
                .map(|instruction| vec![words(&instruction)])
                .ok_or_else(|| format!("the module has no instruction at byte {bytes:#x}")),
            Self::Id(name) => {
                let id = find_id(info, name)?;
                let instruction = info.definition(id);
                instruction
                    .map(|instruction| vec![words(&instruction)])
                    .ok_or_else(|| format!("nothing in the module defines {id}"))
            }
            Self::Line(name, line) => find_line(info, name, *line),
        }
    }
}

/// An id by its number or by its name (`OpName`).
pub(super) fn find_id(info: &DebugInfo<'_>, text: &str) -> Result<Id, String> {
    if let Ok(number) = text.parse() {
        return Ok(Id(number));
    }
    let named = info
        .instructions()
        .filter(|instruction| instruction.op() == Op::Name);
    let mut ids = named.filter_map(|name| {
        let (target, literal) = name.operand_words().split_first()?;
        let name = LiteralString::at_start_of(literal)?.to_text_lossy();
        (name == text).then_some(Id(*target))
    });
    match (ids.next(), ids.next()) {
        (Some(id), None) => Ok(id),
        (Some(first), Some(second)) => Err(format!(
            "several ids are called %{text}: {first} and {second}, for example"
        )),
        (None, _) => Err(format!("no id is called %{text}")),
    }
}

fn find_line(info: &DebugInfo<'_>, name: &str, line: u32) -> Result<Vec<Range<usize>>, String> {
    let files: Vec<FileId> = files_called(info, name)?;
    let mut found: Vec<Range<usize>> = Vec::new();
    for &file in &files {
        found.extend(info.instructions_of(file, line));
    }
    if !found.is_empty() {
        found.sort_by_key(|range| range.start);
        return Ok(found);
    }
    let next = files
        .iter()
        .flat_map(|&file| info.lines_of(file))
        .filter(|&other| other > line)
        .min();
    Err(match next {
        Some(next) => {
            format!("no instruction comes of line {line}; the next line with one is {next}")
        }
        None => format!("no instruction comes of line {line} or a later one"),
    })
}

/// The files that may be meant.
fn files_called(info: &DebugInfo<'_>, name: &str) -> Result<Vec<FileId>, String> {
    let called = info.files().filter(|(_, file)| file.is_called(name));
    let files: Vec<FileId> = called.map(|(id, _)| id).collect();
    if !files.is_empty() {
        return Ok(files);
    }
    let known: Vec<&str> = info.files().take(5).map(|(_, file)| file.name()).collect();
    Err(match known.is_empty() {
        true => "the module names no source files".to_owned(),
        false => format!(
            "the module names no source file `{name}`, but {}",
            known.join(", ")
        ),
    })
}

fn words(instruction: &Instruction<'_>) -> Range<usize> {
    let start = instruction.offset().0;
    start..start + instruction.words().len()
}

/// The instruction that a word belongs to.
fn instruction_at<'a>(info: &DebugInfo<'a>, word: usize) -> Option<Instruction<'a>> {
    info.instructions()
        .find(|instruction| words(instruction).contains(&word))
}

/// The function in which an offset is: its description's name, or its id.
pub(super) fn function_name(info: &DebugInfo<'_>, offset: WordOffset) -> Option<String> {
    let function = info.function_at(offset)?;
    let described = info.description(function).and_then(|entry| entry.name());
    Some(
        described
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| function.id.to_string()),
    )
}

/// The line of source at a position, if the module has the text.
pub(super) fn line_text(info: &DebugInfo<'_>, position: Position) -> Option<String> {
    let text = info.text_of(position.file)?;
    let index = (position.line as usize).checked_sub(1)?;
    text.lines().nth(index).map(str::to_owned)
}

pub(super) fn position_json(info: &DebugInfo<'_>, position: Option<Position>) -> Value {
    let Some(position) = position else {
        return Value::Null;
    };
    json!({
        "file": info.file(position.file).map(|file| file.name()),
        "line": position.line,
        "column": position.column,
    })
}

/// What names an entry in JSON.
pub(super) fn entry_json(entry: Option<Entry<'_>>) -> Value {
    match entry {
        None => Value::Null,
        Some(entry) => json!({
            "id": entry.id().0,
            "kind": entry.kind().name(),
            "name": entry.name(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_apart() {
        assert_eq!("0x1a4".parse(), Ok(Wanted::Bytes(0x1a4)));
        assert_eq!("420".parse(), Ok(Wanted::Bytes(420)));
        assert_eq!("%main".parse(), Ok(Wanted::Id("main".into())));
        assert_eq!(
            "C:\\a.comp:7".parse(),
            Ok(Wanted::Line("C:\\a.comp".into(), 7))
        );
        assert!("a.comp".parse::<Wanted>().is_err());
        assert!("a.comp:x".parse::<Wanted>().is_err());
    }
}
