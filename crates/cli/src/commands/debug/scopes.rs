//! `spv debug scopes`: which instructions are in which scope, at which line.

use std::fmt::Write as _;

use clap::Args;
use serde_json::json;
use spirvkit::binary::WordOffset;
use spirvkit::debuginfo::DebugInfo;

use super::location::{entry_json, function_name, position_json};
use super::look_help;
use super::reading::{Found, Reading};
use crate::exit::{Ending, UsageError};

/// Show the lines and scopes of each function's instructions
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    #[command(flatten)]
    reading: Reading,
}

const AFTER_HELP: &str = look_help!("  spv debug scopes shader.spv");

pub(super) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    arguments.reading.show(|info| Ok(scopes(info)))
}

/// The most functions that are told of those into which something was inlined.
const MOST_FRAMES: usize = 32;

fn scopes(info: &DebugInfo<'_>) -> Found {
    let mut text = String::new();
    let mut values = Vec::new();
    let mut function = None;
    for range in info.stretches() {
        let offset = WordOffset(range.start);
        let name = function_name(info, offset);
        if function.as_ref() != Some(&name) {
            let _ = writeln!(
                text,
                "{}:",
                name.as_deref().unwrap_or("outside of functions")
            );
            function = Some(name.clone());
        }
        let mut frames: Vec<_> = info.frames(offset).take(MOST_FRAMES + 1).collect();
        let has_more = frames.len() > MOST_FRAMES;
        frames.truncate(MOST_FRAMES);
        let bytes = format!("{:#x}..{:#x}", range.start * 4, range.end * 4);
        let position = info.position(offset);
        let line = position.map_or_else(|| "no line".to_owned(), |at| info.position_text(at));
        let _ = write!(text, "  {bytes:<16} {line:<24}");
        if let Some(innermost) = frames.first() {
            let _ = write!(
                text,
                " {} {}",
                innermost.scope.id(),
                innermost.scope.scope_text()
            );
        }
        for outer in frames.iter().skip(1) {
            let into = outer
                .function()
                .and_then(|entry| entry.name())
                .unwrap_or_default();
            let _ = write!(text, ", inlined into {into}");
            if let Some(call) = outer.position {
                let _ = write!(text, " at {}", info.position_text(call));
            }
        }
        if has_more {
            text.push_str(", …");
        }
        let end = text.trim_end().len();
        text.truncate(end);
        text.push('\n');
        let frames = frames.iter().map(|frame| {
            json!({
                "scope": entry_json(Some(frame.scope)),
                "function": entry_json(frame.function()),
                "position": position_json(info, frame.position),
            })
        });
        values.push(json!({
            "start": range.start * 4,
            "end": range.end * 4,
            "function": name,
            "frames": frames.collect::<Vec<_>>(),
            "position": position_json(info, position),
        }));
    }
    if values.is_empty() {
        text.push_str("no instruction has a line or a scope\n");
    }
    Found {
        text,
        json: json!({ "stretches": values }),
    }
}
