//! `spv debug lookup`: from an instruction to the source, and back.

use std::fmt::Write as _;
use std::ops::Range;
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};
use spirvkit::binary::{Instruction, WordOffset};
use spirvkit::debuginfo::{DebugInfo, Kind};
use spirvkit::grammar::Op;
use spirvkit::text::named_excerpts;

use super::location::{Place, Wanted, entry_json, function_name, line_text, position_json};
use super::place_help;
use super::reading::{FormArguments, Found, View, show};
use crate::cli::RawIds;
use crate::exit::{Ending, UsageError};

/// Tell which line of the source an instruction comes from, or which instructions come
/// from a line
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
const MOST: usize = 50;

pub(super) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    let (form, raw_ids) = (&arguments.form, arguments.raw.raw_id);
    show(Some(&arguments.module), form, raw_ids, |view| {
        let mut found = Found::default();
        let mut all = Vec::new();
        for wanted in &arguments.places {
            let place = wanted.find(view)?;
            match place.is_line {
                true => all.extend(lines(view, &place, &mut found.text)),
                false => {
                    let each = place.ranges.iter();
                    all.extend(each.map(|range| instruction(view, range, &mut found.text)));
                }
            }
            found.warnings.extend(place.warnings);
        }
        found.json = json!({ "found": all });
        Ok(found)
    })
}

/// Where an instruction comes from.
fn instruction(view: &View<'_>, range: &Range<usize>, out: &mut String) -> Value {
    let info = view.info;
    let offset = WordOffset(range.start);
    let shown = named_excerpts(info.words(), &[range.start], view.shown);
    let shown = shown.into_iter().next().unwrap_or_default().text;
    let _ = writeln!(out, "{:#x}  {}", offset.bytes(), first_line(&shown));
    let described = info.entry_starting_at(offset);
    if let Some(entry) = described {
        let _ = writeln!(out, "  {}", view.summary(entry));
        if let Some(place) = entry.place_text() {
            let _ = writeln!(out, "  declared at {place}");
        }
    }
    let frames: Vec<_> = info.frames(offset).collect();
    let position = info.position(offset);
    match position {
        Some(position) => {
            let _ = writeln!(out, "  at {}", info.position_text(position));
            if let Some(line) = line_text(info, position) {
                let _ = writeln!(out, "  | {line}");
            }
        }
        None if described.is_none() => out.push_str("  no line is known\n"),
        None => {}
    }
    for (number, frame) in frames.iter().enumerate() {
        let function = frame
            .function()
            .map_or_else(|| "?".to_owned(), |entry| view.summary(entry));
        match (number, frame.position) {
            (0, _) => {
                let _ = writeln!(out, "  in {function}");
            }
            (_, Some(call)) => {
                let _ = writeln!(
                    out,
                    "  inlined into {function}, at {}",
                    info.position_text(call)
                );
            }
            (_, None) => {
                let _ = writeln!(out, "  inlined into {function}");
            }
        }
    }
    if frames.is_empty()
        && let Some(name) = function_name(view, offset)
    {
        let _ = writeln!(out, "  in {name}");
    }
    let frames = frames.iter().map(|frame| {
        json!({
            "function": entry_json(frame.function()),
            "scope": entry_json(Some(frame.scope)),
            "position": position_json(info, frame.position),
        })
    });
    json!({
        "start": offset.bytes(),
        "end": range.end * 4,
        "instruction": shown,
        "describes": entry_json(described),
        "position": position_json(info, position),
        "frames": frames.collect::<Vec<_>>(),
    })
}

/// Which instructions come of a line, and what is declared there.
fn lines(view: &View<'_>, place: &Place<'_>, out: &mut String) -> Vec<Value> {
    let (info, ranges) = (view.info, &place.ranges);
    let mut values = Vec::new();
    let code = ranges.iter().map(|range| {
        let instructions = info.instructions_in(range.clone());
        let code = instructions.filter(|instruction| is_code(info, instruction));
        let offsets = code.map(|instruction| instruction.offset().0);
        offsets.take(MOST + 1).collect::<Vec<_>>()
    });
    let code: Vec<Vec<usize>> = code.collect();
    // All at once, because that goes through the whole module.
    let excerpts = named_excerpts(info.words(), &code.concat(), view.shown);
    let mut excerpts = excerpts.into_iter();
    let mut last = None;
    for (range, offsets) in ranges.iter().zip(code) {
        let start = WordOffset(range.start);
        let function = function_name(view, start);
        if last.as_ref() != Some(&function) {
            let _ = writeln!(out, "in {}:", function.as_deref().unwrap_or("no function"));
            last = Some(function.clone());
        }
        let shown = excerpts.by_ref().take(offsets.len());
        let mut shown: Vec<String> = shown.map(|excerpt| excerpt.text).collect();
        shown.truncate(MOST);
        for (offset, text) in offsets.iter().zip(&shown) {
            let _ = writeln!(out, "  {:#x}  {}", offset * 4, first_line(text));
        }
        if offsets.len() > MOST {
            let _ = writeln!(out, "  … up to {:#x}", range.end * 4);
        }
        values.push(json!({
            "start": range.start * 4,
            "end": range.end * 4,
            "function": function,
            "position": position_json(info, info.position(start)),
            "instructions": shown,
        }));
    }
    for &entry in &place.declared {
        let id = view.shown.show(entry.id());
        let _ = writeln!(out, "declared: {id} {}", view.summary(entry));
        values.push(json!({ "declared": entry_json(Some(entry)) }));
    }
    values
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
