//! `spv debug scopes`: which instructions are in which scope, at which line.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::ops::Range;

use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};
use spirvkit::binary::WordOffset;
use spirvkit::debuginfo::{DebugInfo, Frame};

use crate::arguments::{RawIds, Reading, help::look_help};
use crate::exit::{Ending, UsageError};
use crate::look::limit::List;
use crate::look::places::{LastFunction, entry_json, function_name, position_json};
use crate::look::view::{Found, View};
use crate::report::Format;

/// Show the lines and scopes of each function's instructions
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    #[command(flatten)]
    reading: Reading,

    #[command(flatten)]
    raw: RawIds,
}

const AFTER_HELP: &str = look_help!("  spv debug scopes shader.spv");

pub(super) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    arguments.reading.show(arguments.raw, |view, out| {
        match view.format {
            Format::Human => text(view, out)?,
            Format::Json => view.write_json(out, json(view))?,
        }
        let is_empty = view.info.runs().next().is_none();
        let why = "no instruction of the module has a line or a scope";
        Ok(Found::or_nothing(is_empty, why))
    })
}

/// The most functions that are listed of those into which something was inlined.
const MAX_FRAMES: usize = 32;

fn text(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut last = LastFunction::default();
    for range in view.each(view.info.runs()) {
        let offset = WordOffset(range.start);
        if let Some(name) = last.change(view, offset) {
            let name = name.as_deref().unwrap_or("outside of functions");
            writeln!(out, "{name}:")?;
        }
        writeln!(out, "{}", line(view, &range).trim_end())?;
    }
    Ok(())
}

/// The line about a run, which may have blanks behind it.
fn line(view: &View<'_>, range: &Range<usize>) -> String {
    let info = view.info;
    let offset = WordOffset(range.start);
    let bytes = format!("{:#x}..{:#x}", range.start * 4, range.end * 4);
    let position = info.position(offset);
    let position = position.map_or_else(|| "no line".to_owned(), |at| info.position_text(at));
    let mut out = format!("  {bytes:<16} {position:<24}");
    for (number, frame) in info.frames(offset).take(MAX_FRAMES + 1).enumerate() {
        match number {
            0 => {
                let id = view.shown.show(frame.scope.id());
                let _ = write!(out, " {id} {}", frame.scope.scope_text());
            }
            MAX_FRAMES => out.push_str(", …"),
            _ => out.push_str(&inlined_text(info, frame)),
        }
    }
    out
}

fn inlined_text(info: &DebugInfo<'_>, frame: Frame<'_>) -> String {
    let into = frame.function().and_then(|entry| entry.short_name());
    let mut out = format!(", inlined into {}", into.unwrap_or_default());
    if let Some(call) = frame.position {
        let _ = write!(out, " at {}", info.position_text(call));
    }
    out
}

fn json<'v>(view: &'v View<'_>) -> impl Serialize + 'v {
    let runs = move || view.each(view.info.runs()).map(|it| run_value(view, it));
    BTreeMap::from([("stretches", List(runs))])
}

#[derive(Serialize)]
struct Run<F> {
    start: usize,
    end: usize,
    function: Option<String>,
    frames: F,
    position: Value,
}

fn run_value<'v>(view: &'v View<'_>, range: Range<usize>) -> impl Serialize + use<'v> {
    let info = view.info;
    let offset = WordOffset(range.start);
    let frame = |frame: Frame<'_>| {
        json!({
            "scope": entry_json(Some(frame.scope)),
            "function": entry_json(frame.function()),
            "position": position_json(info, frame.position),
        })
    };
    Run {
        start: range.start * 4,
        end: range.end * 4,
        function: function_name(view, offset),
        frames: List(move || view.each(info.frames(offset).take(MAX_FRAMES)).map(frame)),
        position: position_json(info, info.position(offset)),
    }
}
