//! `spv debug scopes`: which instructions are in which scope, at which line.

use std::fmt::Write as _;

use clap::Args;
use serde_json::{Value, json};
use spirvkit::binary::WordOffset;
use spirvkit::debuginfo::{DebugInfo, Frame};

use super::location::{entry_json, function_name, position_json};
use super::look_help;
use super::reading::{Found, Reading, View};
use crate::cli::RawIds;
use crate::exit::{Ending, UsageError};

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
    arguments.reading.show(arguments.raw.raw_id, |view| {
        let is_empty = view.info.stretches().next().is_none();
        let why = "no instruction of the module has a line or a scope";
        Ok(Found::in_form(view, text, json).or_nothing(is_empty, why))
    })
}

/// The most functions that are told of those into which something was inlined.
const MOST_FRAMES: usize = 32;

fn text(view: &View<'_>) -> String {
    let info = view.info;
    let mut out = String::new();
    let mut function = None;
    for range in info.stretches() {
        let offset = WordOffset(range.start);
        let name = function_name(view, offset);
        if function.as_ref() != Some(&name) {
            let name = name.as_deref().unwrap_or("outside of functions");
            let _ = writeln!(out, "{name}:");
        }
        function = Some(name);
        let bytes = format!("{:#x}..{:#x}", range.start * 4, range.end * 4);
        let position = info.position(offset);
        let line = position.map_or_else(|| "no line".to_owned(), |at| info.position_text(at));
        let _ = write!(out, "  {bytes:<16} {line:<24}");
        for (number, frame) in info.frames(offset).take(MOST_FRAMES + 1).enumerate() {
            match number {
                0 => {
                    let id = view.shown.show(frame.scope.id());
                    let _ = write!(out, " {id} {}", frame.scope.scope_text());
                }
                MOST_FRAMES => out.push_str(", …"),
                _ => out.push_str(&inlined_text(info, frame)),
            }
        }
        let end = out.trim_end().len();
        out.truncate(end);
        out.push('\n');
    }
    out
}

fn inlined_text(info: &DebugInfo<'_>, frame: Frame<'_>) -> String {
    let into = frame.function().and_then(|entry| entry.name());
    let mut out = format!(", inlined into {}", into.unwrap_or_default());
    if let Some(call) = frame.position {
        let _ = write!(out, " at {}", info.position_text(call));
    }
    out
}

fn json(view: &View<'_>) -> Value {
    let info = view.info;
    let stretches = info.stretches().map(|range| {
        let offset = WordOffset(range.start);
        let frames = info.frames(offset).take(MOST_FRAMES).map(|frame| {
            json!({
                "scope": entry_json(Some(frame.scope)),
                "function": entry_json(frame.function()),
                "position": position_json(info, frame.position),
            })
        });
        json!({
            "start": range.start * 4,
            "end": range.end * 4,
            "function": function_name(view, offset),
            "frames": frames.collect::<Vec<_>>(),
            "position": position_json(info, info.position(offset)),
        })
    });
    json!({ "stretches": stretches.collect::<Vec<_>>() })
}
