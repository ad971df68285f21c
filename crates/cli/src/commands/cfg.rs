//! `spv cfg`: the control flow of functions as drawings.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use spirvkit::cfg::{self, Program};

use crate::change::{add_error, write};
use crate::cli::ColorWhen;
use crate::exit::{Ending, UsageError};
use crate::inputs::has_extension;
use crate::look::{Looked, Single, look};
use crate::output::Destination;
use crate::report::{Format, Messages, Reporter};

/// Draw the control flow of functions
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP, args_override_self = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Single,

    /// Draw only the function of this name or id [default: all functions]
    #[arg(long, value_name = "NAME|%ID")]
    function: Option<String>,

    /// What to write [default: what the extension of the output says, or else dot]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Drawing>,

    /// Write to this file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// When to colour errors
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: ColorWhen,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Drawing {
    /// Text for Graphviz, a graph for each function
    Dot,
    /// A page for a browser, which needs nothing else
    Html,
    /// For programs, as docs/cfg-json.md describes it
    Json,
}

const AFTER_HELP: &str = "\
The input is a binary module, a module as hexadecimal text, or assembly text.

Examples:
  spv cfg shader.spv -o shader.html
  spv cfg --function main shader.spvasm | dot -Tsvg -o main.svg
  spv cfg --format json shader.spv

Exit codes:
  0  success
  1  the input has errors, or a file could not be read or written
  2  the command line is wrong, or there is no such function";

pub(crate) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    let destination = match &arguments.output {
        Some(path) if path.as_os_str() != "-" => Destination::File(path.clone()),
        _ => Destination::Stdout,
    };
    let format = arguments
        .format
        .unwrap_or_else(|| from_extension(arguments.output.as_deref()));
    let reporter = Reporter {
        format: Format::Human,
        color: arguments.color.on_stderr(),
    };
    look(
        arguments.input.input.as_ref(),
        reporter,
        |looked, messages| {
            let Some(mut program) = read(looked, messages) else {
                return Ok(());
            };
            if let Some(name) = &arguments.function {
                keep(&mut program, name)?;
            }
            let text = match format {
                Drawing::Dot => cfg::dot(&program),
                Drawing::Html => cfg::html(&program, title(looked.name)),
                Drawing::Json => cfg::json(&program) + "\n",
            };
            write(&destination, text.as_bytes(), messages);
            Ok(())
        },
    )
}

/// What is written to a file of this name.
fn from_extension(path: Option<&Path>) -> Drawing {
    let has = |extension| path.is_some_and(|path| has_extension(path, extension));
    match () {
        () if has("html") || has("htm") => Drawing::Html,
        () if has("json") => Drawing::Json,
        () => Drawing::Dot,
    }
}

fn read(looked: &Looked<'_>, messages: &mut Messages) -> Option<Program> {
    let program = Program::new(looked.module.words());
    program
        .map_err(|error| add_error(looked.name, &error, messages))
        .ok()
}

/// Leaves only the functions of this name.
fn keep(program: &mut Program, name: &str) -> Result<(), UsageError> {
    let wanted = program.find(name);
    if wanted.is_empty() {
        return Err(UsageError(unknown(program, name)));
    }
    let mut index = 0;
    program.functions.retain(|_| {
        index += 1;
        wanted.binary_search(&(index - 1)).is_ok()
    });
    Ok(())
}

/// How many functions to list.
const LISTED: usize = 8;

fn unknown(program: &Program, name: &str) -> String {
    let all = &program.functions;
    let names: Vec<&str> = all.iter().map(|it| it.name.as_str()).take(LISTED).collect();
    let more = match all.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    match names.is_empty() {
        true => format!("there is no function `{name}`: no function has a body"),
        false => format!(
            "there is no function `{name}`; there are {}{more}",
            names.join(", ")
        ),
    }
}

/// What to call a file on a page: its name without the folders.
fn title(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}
