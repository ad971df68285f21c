//! Places in modules and in their sources: reading what users write, and showing what
//! there is.

use std::convert::Infallible;
use std::ops::Range;

use serde_json::{Value, json};
use spirvkit::binary::{Id, Instruction, WordOffset};
use spirvkit::debuginfo::{DebugInfo, Entry, FileId, Function, Position};
use spirvkit::diagnostics::Source;
use spirvkit::text::IdNames;

use crate::look::ids::{ANY, Ids, Trouble};
use crate::look::view::View;

/// What users write for a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// A position in the binary module, in bytes.
    Byte(usize),
    /// A run of it, up to its end.
    Bytes(usize, usize),
    /// `%12`, `%main`, `main`.
    Id(String),
    /// `shader.comp:12` or `shader.comp:12:5`.
    Line {
        file: String,
        line: u32,
        column: Option<u32>,
    },
    /// `12`: a line, or if the module tells of none, an id.
    Number(u32),
}

impl std::str::FromStr for Wanted {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let text = text.trim();
        if text.starts_with('%') {
            return Ok(Self::Id(text.to_owned()));
        }
        if let Some((start, end)) = text.split_once("..")
            && let (Some(start), Some(end)) = (bytes(start), bytes(end))
        {
            return Ok(Self::Bytes(start, end));
        }
        if let Some(byte) = bytes(text) {
            return Ok(Self::Byte(byte));
        }
        if let Ok(number) = text.parse() {
            return Ok(Self::Number(number));
        }
        Ok(line(text).unwrap_or_else(|| Self::Id(text.to_owned())))
    }
}

/// An offset in bytes: `0x1a4`, `byte 420`, `word 105`, `byte 420 (word 105)`; also with
/// the module's name in front, as errors have it.
fn bytes(text: &str) -> Option<usize> {
    if let Some(digits) = text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        return usize::from_str_radix(digits, 16).ok();
    }
    let counted = |unit: &str| -> Option<usize> {
        let (before, after) = text.rsplit_once(unit)?;
        let is_apart = before.is_empty() || before.ends_with([' ', ':', '(']);
        let number = after.strip_prefix([' ', ':', '='])?.trim_start();
        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = number.split_at(digits);
        let is_whole = rest.is_empty() || rest.starts_with([' ', ')']);
        number.parse().ok().filter(|_| is_apart && is_whole)
    };
    counted("byte").or_else(|| counted("word")?.checked_mul(4))
}

/// A line of a file. A Windows path has a colon, too.
fn line(text: &str) -> Option<Wanted> {
    let (before, last) = text.rsplit_once(':')?;
    let last = last.parse().ok()?;
    let with_column = before
        .rsplit_once(':')
        .and_then(|(file, line)| Some((file, line.parse().ok()?)));
    Some(match with_column {
        Some((file, line)) => Wanted::Line {
            file: file.to_owned(),
            line,
            column: Some(last),
        },
        None => Wanted::Line {
            file: before.to_owned(),
            line: last,
            column: None,
        },
    })
}

/// What is at a place.
#[derive(Debug, Default)]
pub(crate) struct Place<'a> {
    /// Instructions, as ranges of words in the module's order.
    pub(crate) ranges: Vec<Range<usize>>,
    /// What is declared there.
    pub(crate) declared: Vec<Entry<'a>>,
    /// Whether it is a line or a run, of which there may be many instructions.
    pub(crate) is_line: bool,
    /// The files and the line, if it is one.
    of: Option<(Vec<FileId>, u32)>,
    pub(crate) warnings: Vec<Trouble>,
}

impl Wanted {
    /// What is at the place; an error if there is nothing.
    pub(crate) fn find<'a>(&self, view: &View<'a>) -> Result<Place<'a>, Trouble> {
        let info = view.info;
        match self {
            Self::Byte(byte) => {
                let instruction = instruction_at(info, byte / 4);
                let instruction = instruction.ok_or_else(|| {
                    Trouble::not_found(format!("the module has no instruction at byte {byte:#x}"))
                })?;
                Ok(Place::of_instruction(&instruction))
            }
            Self::Bytes(start, end) => {
                let (start, end) = (start / 4, end.div_ceil(4));
                let inside = |it: &Instruction<'_>| (start..end).contains(&it.offset().0);
                let mut inside = info.instructions().filter(inside).map(|it| words(&it));
                let (Some(first), last) = (inside.next(), inside.last()) else {
                    let message = "the module has no instruction between these bytes";
                    return Err(Trouble::not_found(message));
                };
                let end = last.map_or(first.end, |last| last.end);
                Ok(Place {
                    ranges: std::iter::once(first.start..end).collect(),
                    is_line: true,
                    ..Place::default()
                })
            }
            Self::Id(name) => find_id_place(view, name),
            Self::Line { file, line, column } => {
                let files = files_called(info, file);
                if files.is_err()
                    && let Some(place) = find_in_text(view, file, *line, *column)
                {
                    return Ok(place);
                }
                find_line(info, files?, *line, *column)
            }
            Self::Number(number) => {
                let with_lines = |id: &FileId| info.lines_of(*id).next().is_some();
                let files: Vec<FileId> =
                    info.files().map(|(id, _)| id).filter(with_lines).collect();
                if files.is_empty() {
                    return find_id_place(view, &number.to_string());
                }
                let found = one_file(info, files, *number)
                    .and_then(|files| find_line(info, files, *number, None));
                let trouble = match found {
                    Err(trouble) => trouble,
                    found => return found,
                };
                // What `dis` shows as `%12`, people write as 12, too.
                let Ok(mut place) = find_id_place(view, &number.to_string()) else {
                    return Err(trouble);
                };
                let help = format!("this is `%{number}`, the id with this number");
                place.warnings.push(trouble.into_warning().with_help(help));
                Ok(place)
            }
        }
    }

    /// The first instruction at the place; of a line without any, that of the next line.
    pub(crate) fn find_first<'a>(
        &self,
        view: &View<'a>,
    ) -> Result<(WordOffset, Vec<Trouble>), Trouble> {
        let mut place = self.find(view)?;
        if let Some(first) = place.ranges.first() {
            return Ok((WordOffset(first.start), place.warnings));
        }
        let info = view.info;
        let next = place.of.as_ref().and_then(|(files, line)| {
            let next = next_line(info, files, *line)?;
            let mut ranges = files
                .iter()
                .flat_map(|&file| info.instructions_of(file, next));
            Some((*line, next, ranges.next()?))
        });
        let Some((line, next, range)) = next else {
            let message = "no instruction comes from what is declared there";
            return Err(Trouble::not_found(message));
        };
        let message = format!("line {line} has no instructions; this is line {next}");
        place
            .warnings
            .push(Trouble::not_found(message).into_warning());
        Ok((WordOffset(range.start), place.warnings))
    }
}

impl Place<'_> {
    fn of_instruction(instruction: &Instruction<'_>) -> Self {
        Self {
            ranges: vec![words(instruction)],
            ..Self::default()
        }
    }
}

/// An id by its number or by its name, and what there is to say about it.
pub(crate) fn find_id(names: &IdNames<'_>, text: &str) -> Result<(Id, Option<Trouble>), Trouble> {
    let ids = Ids {
        names,
        noun: ANY,
        is_one: &|_| true,
    };
    ids.one(text)
}

fn find_id_place<'a>(view: &View<'a>, name: &str) -> Result<Place<'a>, Trouble> {
    let (id, warning) = match find_id(view.ids, name) {
        Err(_) if view.info.files().any(|(_, file)| file.is_called(name)) => {
            let message = format!("`{name}` is a file, but no line is given");
            let help = format!("give a line, such as `{name}:12`");
            return Err(Trouble::not_found(message).with_help(help));
        }
        found => found?,
    };
    let Some(instruction) = view.info.definition(id) else {
        let message = format!("nothing in the module defines {}", view.ids.show(id));
        return Err(Trouble::not_found(message));
    };
    let mut place = Place::of_instruction(&instruction);
    place.warnings.extend(warning);
    Ok(place)
}

/// The instruction at a place of the module's own assembly text, as errors show it.
fn find_in_text<'a>(
    view: &View<'a>,
    file: &str,
    line: u32,
    column: Option<u32>,
) -> Option<Place<'a>> {
    let (text, origins) = view.text.filter(|_| view.name == file)?;
    let source = Source::new(view.name, text);
    let wanted = (line as usize, column.map(|column| column as usize));
    let is_there = |instruction: &Instruction<'_>| {
        let Some(span) = origins.span(instruction.offset().0) else {
            return false;
        };
        let (start, end) = (source.position(span.start), source.position(span.end));
        let lines = start.line..=end.line;
        lines.contains(&wanted.0)
            && wanted.1.is_none_or(|column| {
                let starts = wanted.0 > start.line || column >= start.column;
                starts && (wanted.0 < end.line || column <= end.column)
            })
    };
    let instruction = view.info.instructions().find(is_there)?;
    Some(Place::of_instruction(&instruction))
}

/// What comes of a line, or is declared on it. Of a column, what is exactly there, or
/// else all of the line.
fn find_line<'a>(
    info: &'a DebugInfo<'_>,
    files: Vec<FileId>,
    line: u32,
    column: Option<u32>,
) -> Result<Place<'a>, Trouble> {
    let ranges = files
        .iter()
        .flat_map(|&file| info.instructions_of(file, line));
    let mut ranges: Vec<Range<usize>> = ranges.collect();
    ranges.sort_by_key(|range| range.start);
    let is_there = |entry: &Entry<'_>| {
        let file = entry.file().is_some_and(|file| files.contains(&file));
        file && entry.line() == Some(line) && !entry.kind().is_in_body()
    };
    let mut declared: Vec<Entry<'_>> = info.entries().filter(is_there).collect();
    if let Some(column) = column {
        let is_code_at = |range: &Range<usize>| {
            let position = info.position(WordOffset(range.start));
            position.is_some_and(|position| position.column == column)
        };
        let is_declared_at = |entry: &Entry<'_>| entry.column().unwrap_or_default() == column;
        if ranges.iter().any(is_code_at) || declared.iter().any(is_declared_at) {
            ranges.retain(is_code_at);
            declared.retain(is_declared_at);
        }
    }
    if !ranges.is_empty() || !declared.is_empty() {
        return Ok(Place {
            ranges,
            declared,
            is_line: true,
            of: Some((files, line)),
            warnings: Vec::new(),
        });
    }
    Err(Trouble::not_found(match next_line(info, &files, line) {
        Some(next) => {
            format!("line {line} has no instructions; the next line that has some is {next}")
        }
        None => format!("neither line {line} nor any after it has instructions"),
    }))
}

/// The next line that instructions come of.
fn next_line(info: &DebugInfo<'_>, files: &[FileId], line: u32) -> Option<u32> {
    let lines = files.iter().flat_map(|&file| info.lines_of(file));
    lines.filter(|&other| other > line).min()
}

/// Of files that instructions come of, the one that a bare line is meant of.
fn one_file(info: &DebugInfo<'_>, files: Vec<FileId>, line: u32) -> Result<Vec<FileId>, Trouble> {
    let has_line = |file: &FileId| info.lines_of(*file).any(|other| other == line);
    let having: Vec<FileId> = files.iter().copied().filter(has_line).collect();
    if files.len() == 1 || having.len() == 1 {
        return Ok(if having.is_empty() { files } else { having });
    }
    let candidates = if having.is_empty() { &files } else { &having };
    let names = candidates.iter().filter_map(|&file| info.file(file));
    let places: Vec<String> = names
        .take(5)
        .map(|file| format!("{}:{line}", file.name()))
        .collect();
    let message = format!("no file is given for line {line}");
    Err(Trouble::ambiguous(message)
        .with_help(format!("give a file, such as {}", places.join(", "))))
}

/// The files that may be meant.
fn files_called(info: &DebugInfo<'_>, name: &str) -> Result<Vec<FileId>, Trouble> {
    let called = info.files().filter(|(_, file)| file.is_called(name));
    let files: Vec<FileId> = called.map(|(id, _)| id).collect();
    if !files.is_empty() {
        return Ok(files);
    }
    Err(no_file(info, name))
}

/// Says that a file isn't there, and which ones are.
pub(crate) fn no_file(info: &DebugInfo<'_>, name: &str) -> Trouble {
    let known: Vec<&str> = info.files().take(5).map(|(_, file)| file.name()).collect();
    Trouble::not_found(match known.is_empty() {
        true => "the module names no source files".to_owned(),
        false => format!(
            "the module has no source file `{name}`, but {}",
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
pub(crate) fn function_name(view: &View<'_>, offset: WordOffset) -> Option<String> {
    let function = view.info.function_at(offset)?;
    Some(called(view, function, |entry| entry.name()))
}

/// The same for people: very long names are cut short.
pub(crate) fn short_function_name(view: &View<'_>, offset: WordOffset) -> Option<String> {
    let function = view.info.function_at(offset)?;
    Some(called(view, function, |entry| entry.short_name()))
}

/// What a function is called, given what its description is.
fn called(
    view: &View<'_>,
    function: &Function,
    name: impl FnOnce(Entry<'_>) -> Option<String>,
) -> String {
    let described = view.info.description(function).and_then(name);
    described
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| view.shown.show(function.id))
}

/// Tells where another function begins. Of those that are called the same and follow each
/// other, the first is named.
#[derive(Default)]
pub(crate) struct LastFunction {
    /// Where it starts, and its name; none outside of functions.
    last: Option<Option<(usize, String)>>,
}

impl LastFunction {
    /// The name of the function in which an offset is, or that it is in none, if that is
    /// another one than the last time.
    pub(crate) fn change(&mut self, view: &View<'_>, offset: WordOffset) -> Option<Option<String>> {
        let function = view.info.function_at(offset);
        let start = function.map(|function| function.words.start);
        if let Some(last) = &self.last
            && last.as_ref().map(|(start, _)| *start) == start
        {
            return None;
        }
        let name = short_function_name(view, offset);
        let name_of = |(_, name): (usize, String)| name;
        let last = self.last.replace(start.zip(name.clone()));
        let is_other = last.is_none_or(|last| last.map(name_of) != name);
        is_other.then_some(name)
    }
}

/// The line of source at a position, if the module has the text.
pub(crate) fn line_text(info: &DebugInfo<'_>, position: Position) -> Option<String> {
    let text = info.text_of(position.file)?;
    let index = (position.line as usize).checked_sub(1)?;
    text.lines().nth(index).map(str::to_owned)
}

pub(crate) fn position_json(info: &DebugInfo<'_>, position: Option<Position>) -> Value {
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
pub(crate) fn entry_json(entry: Option<Entry<'_>>) -> Value {
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

    fn line(file: &str, line: u32, column: Option<u32>) -> Wanted {
        let file = file.into();
        Wanted::Line { file, line, column }
    }

    #[test]
    fn places_are_distinguished() {
        let cases = [
            ("0x1a4", Wanted::Byte(0x1a4)),
            ("0x000001a4", Wanted::Byte(0x1a4)),
            ("byte 88 (word 22)", Wanted::Byte(88)),
            ("a b.spv: byte 88 (word 22)", Wanted::Byte(88)),
            ("word 22", Wanted::Byte(88)),
            ("word:22", Wanted::Byte(88)),
            ("0x1a4..0x1c0", Wanted::Bytes(0x1a4, 0x1c0)),
            ("420", Wanted::Number(420)),
            ("%main", Wanted::Id("%main".into())),
            ("main", Wanted::Id("main".into())),
            ("word2", Wanted::Id("word2".into())),
            ("sword 2", Wanted::Id("sword 2".into())),
            ("a.comp", Wanted::Id("a.comp".into())),
            ("a.comp:x", Wanted::Id("a.comp:x".into())),
            ("C:\\a.comp:7", line("C:\\a.comp", 7, None)),
            ("a.comp:7:3", line("a.comp", 7, Some(3))),
        ];
        for (text, wanted) in cases {
            assert_eq!(text.parse(), Ok(wanted), "{text}");
        }
    }
}
