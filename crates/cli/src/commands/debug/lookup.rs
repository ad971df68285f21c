//! `spv debug lookup`: from an instruction to the source, and back.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::mem::replace;
use std::ops::Range;
use std::path::PathBuf;

use clap::Args;
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use spirvkit::binary::{Instruction, WordOffset};
use spirvkit::debuginfo::{DebugInfo, Frame, Kind};
use spirvkit::grammar::Op;
use spirvkit::text::read_excerpts;

use crate::arguments::{FormArguments, RawIds, help::place_help};
use crate::exit::{Ending, UsageError};
use crate::look::ids::Trouble;
use crate::look::limit::List;
use crate::look::places::{
    LastFunction, Place, Wanted, entry_json, function_name, line_text, position_json,
    short_function_name,
};
use crate::look::view::{Found, View, show};
use crate::report::Format;

/// Show which source line an instruction comes from, or which instructions come from a
/// line
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// The module's file, or `-` for standard input
    #[arg(value_name = "MODULE")]
    module: PathBuf,

    /// An offset in bytes (0x1a4), an id (%12, %main, main), or a line of the source
    /// (shader.comp:12, or 12)
    #[arg(value_name = "WHERE", required = true)]
    places: Vec<Wanted>,

    #[command(flatten)]
    form: FormArguments,

    #[command(flatten)]
    raw: RawIds,
}

const AFTER_HELP: &str = place_help!(
    "  spv debug lookup shader.spv 0x1a4
  spv debug lookup shader.spv %57
  spv debug lookup shader.spv shader.comp:12"
);

/// The most instructions of a line that are written for people.
const MAX: usize = 50;

pub(super) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    let (form, raw) = (&arguments.form, arguments.raw);
    show(Some(&arguments.module), form, raw, |view, out| {
        let places = arguments.places.iter().map(|wanted| wanted.find(view));
        let mut places = places.collect::<Result<Vec<Place<'_>>, Trouble>>()?;
        match view.format {
            Format::Human => {
                for place in &places {
                    match place.is_line {
                        true => write_lines(view, place, out)?,
                        false => write_instructions(view, place, out)?,
                    }
                }
            }
            Format::Json => {
                view.write_json(out, BTreeMap::from([("found", All(view, &places))]))?;
            }
        }
        let warnings = places.iter_mut().flat_map(|place| place.warnings.drain(..));
        Ok(Found {
            warnings: warnings.collect(),
            ..Found::default()
        })
    })
}

/// The text of one instruction.
fn instruction_text(view: &View<'_>, offset: usize) -> String {
    read_excerpts(view.info.words(), view.shown, |show| show(offset))
}

/// Tells where instructions come from.
fn write_instructions(view: &View<'_>, place: &Place<'_>, out: &mut dyn Write) -> io::Result<()> {
    for range in &place.ranges {
        write_instruction(view, range.start, out)?;
    }
    Ok(())
}

fn write_instruction(view: &View<'_>, start: usize, out: &mut dyn Write) -> io::Result<()> {
    let info = view.info;
    let offset = WordOffset(start);
    let shown = instruction_text(view, start);
    writeln!(out, "{:#x}  {}", offset.bytes(), first_line(&shown))?;
    let described = info.entry_starting_at(offset);
    if let Some(entry) = described {
        writeln!(out, "  {}", view.summary(entry))?;
        if let Some(place) = entry.place_text() {
            writeln!(out, "  declared at {place}")?;
        }
    }
    match info.position(offset) {
        Some(position) => {
            writeln!(out, "  at {}", info.position_text(position))?;
            if let Some(line) = line_text(info, position) {
                writeln!(out, "  | {line}")?;
            }
        }
        None if described.is_none() => writeln!(out, "  no known line")?,
        None => {}
    }
    let mut is_inlined = false;
    for frame in view.each(info.frames(offset)) {
        let function = frame
            .function()
            .map_or_else(|| "?".to_owned(), |entry| view.summary(entry));
        match (replace(&mut is_inlined, true), frame.position) {
            (false, _) => writeln!(out, "  in {function}")?,
            (true, Some(call)) => {
                let call = info.position_text(call);
                writeln!(out, "  inlined into {function}, at {call}")?;
            }
            (true, None) => writeln!(out, "  inlined into {function}")?,
        }
    }
    if info.frames(offset).next().is_none()
        && let Some(name) = short_function_name(view, offset)
    {
        writeln!(out, "  in {name}")?;
    }
    Ok(())
}

/// Tells which instructions come of a line, and what is declared there.
fn write_lines(view: &View<'_>, place: &Place<'_>, out: &mut dyn Write) -> io::Result<()> {
    read_excerpts(view.info.words(), view.shown, |show| {
        let mut last = LastFunction::default();
        for range in view.each(place.ranges.iter()) {
            if let Some(function) = last.change(view, WordOffset(range.start)) {
                writeln!(out, "in {}:", function.as_deref().unwrap_or("no function"))?;
            }
            let mut code = code(view.info, range);
            for offset in view.each(code.by_ref().take(MAX)) {
                writeln!(out, "  {:#x}  {}", offset * 4, first_line(&show(offset)))?;
            }
            if code.next().is_some() {
                writeln!(out, "  … up to {:#x}", range.end * 4)?;
            }
        }
        io::Result::Ok(())
    })?;
    for &entry in view.each(place.declared.iter()) {
        let id = view.shown.show(entry.id());
        writeln!(out, "declared: {id} {}", view.summary(entry))?;
    }
    Ok(())
}

/// Where those instructions in a range stand that do something.
fn code<'v>(
    info: &'v DebugInfo<'_>,
    range: &Range<usize>,
) -> impl Iterator<Item = usize> + use<'v> {
    let instructions = info.instructions_in(range.clone());
    let code = instructions.filter(|instruction| is_code(info, instruction));
    code.map(|instruction| instruction.offset().0)
}

/// All that is at places: for each an object, or several.
struct All<'v>(&'v View<'v>, &'v [Place<'v>]);

impl Serialize for All<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(view, places) = self;
        let mut list = serializer.serialize_seq(None)?;
        for place in places.iter() {
            match place.is_line {
                true => add_lines(view, place, &mut list)?,
                false => {
                    for range in &place.ranges {
                        list.serialize_element(&instruction_json(view, range))?;
                    }
                }
            }
        }
        list.end()
    }
}

fn instruction_json<'v>(view: &'v View<'_>, range: &Range<usize>) -> impl Serialize + use<'v> {
    #[derive(Serialize)]
    struct Instruction<F> {
        start: usize,
        end: usize,
        instruction: String,
        describes: Value,
        position: Value,
        frames: F,
    }
    let info = view.info;
    let offset = WordOffset(range.start);
    let frame = |frame: Frame<'_>| {
        json!({
            "function": entry_json(frame.function()),
            "scope": entry_json(Some(frame.scope)),
            "position": position_json(info, frame.position),
        })
    };
    Instruction {
        start: offset.bytes(),
        end: range.end * 4,
        instruction: instruction_text(view, range.start),
        describes: entry_json(info.entry_starting_at(offset)),
        position: position_json(info, info.position(offset)),
        frames: List(move || view.each(info.frames(offset)).map(frame)),
    }
}

/// Adds the runs of instructions that come of a line, and what is declared there.
fn add_lines<L: SerializeSeq>(
    view: &View<'_>,
    place: &Place<'_>,
    list: &mut L,
) -> Result<(), L::Error> {
    #[derive(Serialize)]
    struct Run<I> {
        start: usize,
        end: usize,
        function: Option<String>,
        position: Value,
        instructions: I,
    }
    let info = view.info;
    read_excerpts(info.words(), view.shown, |show| {
        let show = RefCell::new(show);
        for range in view.each(place.ranges.iter()) {
            let start = WordOffset(range.start);
            let text = |offset: usize| show.borrow_mut()(offset);
            list.serialize_element(&Run {
                start: range.start * 4,
                end: range.end * 4,
                function: function_name(view, start),
                position: position_json(info, info.position(start)),
                instructions: List(|| view.each(code(info, range).take(MAX)).map(text)),
            })?;
        }
        Ok(())
    })?;
    for &entry in view.each(place.declared.iter()) {
        list.serialize_element(&json!({ "declared": entry_json(Some(entry)) }))?;
    }
    Ok(())
}

/// An instruction without the end of a string that goes on over more lines.
fn first_line(text: &str) -> String {
    match text.split_once('\n') {
        Some((first, _)) => format!("{first}…"),
        None => text.to_owned(),
    }
}

/// Whether an instruction does something, other than tell about lines and scopes.
fn is_code(info: &DebugInfo<'_>, instruction: &Instruction<'_>) -> bool {
    match instruction.op() {
        Op::Line | Op::NoLine => false,
        _ => info
            .entry_starting_at(instruction.offset())
            .is_none_or(|entry| {
                !matches!(
                    entry.kind(),
                    Kind::Scope | Kind::NoScope | Kind::Line | Kind::NoLine
                )
            }),
    }
}
