//! `spv diff`: what changed between two modules.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use spirvkit::diff::{Diff, Options, TextOptions, diff};

use crate::change::load_all;
use crate::cli::ColorWhen;
use crate::exit::{Ending, UsageError};
use crate::inputs::{Input, Inputs};
use crate::report::{self, Messages, Reporter};

/// Show what changed between two modules
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP, args_override_self = true)]
pub(crate) struct Arguments {
    /// The older module: binary, as hexadecimal text or as assembly text; `-` is
    /// standard input
    #[arg(value_name = "A")]
    a: PathBuf,

    /// The newer module
    #[arg(value_name = "B")]
    b: PathBuf,

    /// Show this many unchanged instructions around each change
    #[arg(short = 'U', long = "unified", value_name = "N", default_value_t = 3)]
    context: usize,

    /// Show all instructions
    #[arg(long, conflicts_with = "context")]
    full: bool,

    /// Show the changes as assembly text, or as a JSON object on one line
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,

    /// Show nothing; the exit code tells
    #[arg(short, long)]
    quiet: bool,

    /// End with 1 if the modules differ, and with 2 if they can't be compared
    #[arg(long)]
    exit_code: bool,

    /// Also show which id of B is which of A
    #[arg(long)]
    with_id_map: bool,

    /// Start instructions at the start of the line
    #[arg(long)]
    no_indent: bool,

    /// When to colour the text
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: ColorWhen,

    #[command(flatten)]
    ignored: Ignored,
}

/// What counts as no difference.
#[derive(Debug, Args)]
#[command(next_help_heading = "What counts as no difference")]
struct Ignored {
    /// Descriptor sets and bindings
    #[arg(long)]
    ignore_set_binding: bool,

    /// Locations, components and indices of interface variables
    #[arg(long)]
    ignore_location: bool,

    /// Names
    #[arg(long)]
    ignore_names: bool,

    /// Names, lines, sources, and all other debug information
    #[arg(long)]
    ignore_debug: bool,

    /// Version, generator and schema in the header
    #[arg(long)]
    ignore_header: bool,
}

/// The form of the differences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

const AFTER_HELP: &str = "\
Instructions are compared by what they say, not by the numbers of ids, and
declarations, names, decorations, functions and blocks not by where they stand.
What B alone has is shown with ids that A doesn't have; everything else has A's.

Examples:
  spv diff old.spv new.spv
  spv diff --ignore-debug -U 10 old.spv new.spvasm
  spv diff --exit-code --quiet expected.spvasm actual.spv
  spv diff --format json old.spv new.spv

Exit codes:
  0  the modules were compared; with --exit-code, they are the same
  1  an input could not be read; with --exit-code, the modules differ
  2  the command line is wrong; with --exit-code, an input could not be read";

pub(crate) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    let mut options = Options::default();
    options.ignore.set_binding = arguments.ignored.ignore_set_binding;
    options.ignore.location = arguments.ignored.ignore_location;
    options.ignore.names = arguments.ignored.ignore_names;
    options.ignore.debug = arguments.ignored.ignore_debug;
    options.ignore.header = arguments.ignored.ignore_header;
    let paths = [arguments.a.clone(), arguments.b.clone()];
    let Some((found, names)) = compare(&paths, &options)? else {
        return Ok(match arguments.exit_code {
            true => Ending::BadUsage,
            false => Ending::Failure,
        });
    };
    let differs = !found.is_empty();
    let text = match arguments.format {
        _ if arguments.quiet => String::new(),
        Format::Json => found.to_json([&names[0], &names[1]]) + "\n",
        Format::Text => {
            let mut options = TextOptions::default();
            options.context = (!arguments.full).then_some(arguments.context);
            options.color = arguments.color.on_stdout();
            options.indent = !arguments.no_indent;
            options.id_map = arguments.with_id_map;
            options.names = Some(names);
            found.to_text(&options)
        }
    };
    let printed = report::print(text.as_bytes());
    Ok(match printed {
        Ending::Success => Ending::unless(arguments.exit_code && differs),
        _ if arguments.exit_code => Ending::BadUsage,
        failure => failure,
    })
}

/// Compares two modules, or tells what is wrong with them.
pub(crate) fn compare(
    paths: &[PathBuf; 2],
    options: &Options,
) -> Result<Option<(Diff, [String; 2])>, UsageError> {
    if paths.iter().all(|path| path.as_os_str() == "-") {
        return Err(UsageError("standard input can be read only once".into()));
    }
    let input = |path: &PathBuf| match path.as_os_str() == "-" {
        true => Input::stdin(),
        false => Input::file(path),
    };
    let inputs = Inputs {
        list: paths.iter().map(input).collect(),
        many: true,
    };
    let mut messages = Messages::new(Reporter::plain());
    let loaded = load_all(&inputs, &mut messages);
    messages.print();
    let [a, b] = &loaded[..] else {
        return Ok(None);
    };
    let found = diff(&a.module, &b.module, options);
    Ok(Some((found, [a.name.clone(), b.name.clone()])))
}
