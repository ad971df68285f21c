//! `spv cfg`: the control flow of functions as drawings.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use spirvkit::cfg::{self, Program};
use spirvkit::text::IdNames;

use crate::arguments::{ColorWhen, RawIds, Single};
use crate::exit::{Ending, UsageError};
use crate::input::has_extension;
use crate::look::ids::{Ids, Trouble};
use crate::look::look;
use crate::output::Destination;
use crate::output::graphviz;
use crate::output::naming::check_output;
use crate::report::{Format, Reporter, write};

/// Draw the control flow of functions
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP, args_override_self = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Single,

    /// Draw only the function of this name or id, or of the entry point of this name
    /// [default: all functions]
    #[arg(long, value_name = "NAME|%ID")]
    function: Option<String>,

    /// The format of the output; with json, errors are JSON, too [default: by the
    /// extension of the output file, or else dot]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Drawing>,

    /// Hide debugging instructions; a page has a button that shows them
    #[arg(long)]
    hide_debug: bool,

    /// Write to this file; `-` is standard output [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// When to colour errors
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: ColorWhen,

    #[command(flatten)]
    raw: RawIds,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Drawing {
    /// Graphviz text, with a graph for each function
    Dot,
    /// An HTML page, which needs no other program
    Html,
    /// JSON, as docs/cfg-json.md describes it
    Json,
    /// An image, drawn by Graphviz's `dot`, which must be installed
    Svg,
    /// The same in another format
    Png,
    /// The same in another format
    Pdf,
}

impl Drawing {
    const ALL: [Self; 6] = [
        Self::Dot,
        Self::Html,
        Self::Json,
        Self::Svg,
        Self::Png,
        Self::Pdf,
    ];

    /// The extension of files that hold it.
    fn extension(self) -> &'static str {
        match self {
            Self::Dot => "dot",
            Self::Html => "html",
            Self::Json => "json",
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Pdf => "pdf",
        }
    }

    /// Whether a terminal would make nothing of it.
    fn is_binary(self) -> bool {
        matches!(self, Self::Png | Self::Pdf)
    }
}

const AFTER_HELP: &str = "\
The input is a binary module, a module as hexadecimal text, or assembly text.

Examples:
  spv cfg shader.spv -o shader.html
  spv cfg --function main shader.spvasm -o main.svg
  spv cfg --function main shader.spvasm | dot -Tsvg > main.svg
  spv cfg --format json shader.spv

Exit codes:
  0  success
  1  the input has errors, a file could not be read or written, or there is no such
     function
  2  the command line is wrong";

pub(crate) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    let destination = match &arguments.output {
        Some(path) if path.as_os_str() != "-" => Destination::File(path.clone()),
        _ => Destination::Stdout,
    };
    let format = arguments
        .format
        .unwrap_or_else(|| from_extension(arguments.output.as_deref()));
    if let Destination::File(path) = &destination {
        check_output(path, format.extension(), arguments.input.input.as_deref())?;
    } else if format.is_binary() && std::io::stdout().is_terminal() {
        let message = "an image can't be written to a terminal: name a file with `-o FILE`";
        return Err(UsageError(message.into()));
    }
    let errors = match arguments.format {
        Some(Drawing::Json) => Format::Json,
        _ => Format::Human,
    };
    let reporter = Reporter::new(errors, arguments.color.on_stderr());
    look(
        arguments.input.input.as_ref(),
        reporter,
        |looked, messages| {
            let shown = looked.shown(arguments.raw);
            let mut program = match Program::named(looked.module.words(), shown) {
                Ok(program) => program,
                Err(error) => {
                    messages.add_binary_error(looked.name, &error);
                    return Ok(());
                }
            };
            if let Some(name) = &arguments.function
                && let Err(trouble) = keep(&mut program, &looked.ids, name)
            {
                messages.add_of(looked.name, &trouble.diagnostic());
                return Ok(());
            }
            if arguments.hide_debug && format != Drawing::Html {
                program.remove_debug();
            }
            let drawing = match format {
                Drawing::Dot => Ok(cfg::dot(&program).into_bytes()),
                Drawing::Html => {
                    let page = cfg::html(&program, title(looked.name), arguments.hide_debug);
                    Ok(page.into_bytes())
                }
                Drawing::Json => Ok((cfg::json(&program) + "\n").into_bytes()),
                Drawing::Svg | Drawing::Png | Drawing::Pdf => {
                    graphviz::draw(&cfg::dot_together(&program), format.extension())
                }
            };
            match drawing {
                Ok(drawing) => write(&destination, &drawing, messages),
                Err(error) => messages.add_of(looked.name, &error),
            }
            Ok(())
        },
    )
}

/// What is written to a file of this name.
fn from_extension(path: Option<&Path>) -> Drawing {
    let has = |extension| path.is_some_and(|path| has_extension(path, extension));
    if has("htm") {
        return Drawing::Html;
    }
    let said = Drawing::ALL
        .into_iter()
        .find(|drawing| has(drawing.extension()));
    said.unwrap_or(Drawing::Dot)
}

/// Leaves only the functions that are meant: those of a name, or that of an id.
fn keep(program: &mut Program, names: &IdNames<'_>, name: &str) -> Result<(), Trouble> {
    let mut wanted = program.find(name);
    if wanted.is_empty() {
        let functions = &program.functions;
        let ids = Ids {
            names,
            noun: "function",
            is_one: &|id| functions.iter().any(|it| it.id == id),
        };
        let meant = ids.all(name)?;
        let all = (0..functions.len()).filter(|&it| meant.contains(&functions[it].id));
        wanted = all.collect();
    }
    let mut index = 0;
    program.functions.retain(|_| {
        index += 1;
        wanted.binary_search(&(index - 1)).is_ok()
    });
    Ok(())
}

/// What to call a file on a page: its name without the folders.
fn title(name: &str) -> &str {
    name.rsplit(std::path::is_separator).next().unwrap_or(name)
}
