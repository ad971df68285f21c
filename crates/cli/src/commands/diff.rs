//! `spv diff`: what changed between two modules.

mod folders;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use spirvkit::diff::{Diff, Ignore, Options, TextOptions, diff};

use crate::arguments::{ColorWhen, RawIds, jobs};
use crate::exit::{Ending, UsageError};
use crate::input::load::load_all;
use crate::input::{Input, Inputs};
use crate::report::{self, Format, Messages, Reporter};

/// Show what changed between two modules, or between the modules of two directories
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP, args_override_self = true)]
pub(crate) struct Arguments {
    /// The older module: binary, hexadecimal text or assembly text; `-` is standard
    /// input; or a directory of modules
    #[arg(value_name = "A")]
    a: PathBuf,

    /// The newer module, or the newer directory
    #[arg(value_name = "B")]
    b: PathBuf,

    /// Show this many unchanged instructions around each change
    #[arg(short = 'U', long = "unified", value_name = "N", default_value_t = 3)]
    context: usize,

    /// Show all instructions
    #[arg(long, conflicts_with = "context")]
    full: bool,

    /// The format of the changes and of errors: assembly text, or one line with a JSON
    /// object for each pair of modules
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,

    /// Don't show changes; with --exit-code, the exit code says whether there are any
    #[arg(short, long)]
    quiet: bool,

    /// Exit with 1 if the modules differ, and with 2 if they can't be compared
    #[arg(long)]
    exit_code: bool,

    /// Also show which id of B corresponds to which id of A
    #[arg(long)]
    with_id_map: bool,

    /// Don't indent instructions
    #[arg(long)]
    no_indent: bool,

    /// Compare this many pairs of modules in parallel [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = jobs)]
    jobs: Option<NonZeroUsize>,

    /// When to colour changes and errors
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: ColorWhen,

    #[command(flatten)]
    raw: RawIds,

    #[command(flatten)]
    ignored: Ignored,
}

/// What counts as no difference.
#[derive(Debug, Args)]
#[command(next_help_heading = "Differences to ignore")]
struct Ignored {
    /// Descriptor sets and bindings
    #[arg(long)]
    ignore_set_binding: bool,

    /// Locations, components and indexes of interface variables
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

const AFTER_HELP: &str = "\
The numbers of ids don't matter, nor does the order of declarations, names,
decorations, functions and blocks. What only B has is shown with ids that A
doesn't have; everything else with A's ids.

For two directories, the modules with the same relative path are compared; modules
that only one of them has are listed, too.

Examples:
  spv diff old.spv new.spv
  spv diff --ignore-debug -U 10 old.spv new.spvasm
  spv diff --exit-code --quiet expected.spvasm actual.spv
  spv diff --exit-code old/ new/
  spv diff --format json old.spv new.spv

Exit codes:
  0  the modules were compared; with --exit-code, they are the same
  1  an input could not be read; with --exit-code, the modules differ
  2  the command line is wrong; with --exit-code, an input could not be read";

/// What came of comparing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CheckResult {
    Same,
    Differs,
    /// An input could not be read.
    Failed,
}

impl CheckResult {
    fn of(found: &Diff) -> Self {
        match found.is_empty() {
            true => Self::Same,
            false => Self::Differs,
        }
    }
}

impl Arguments {
    fn options(&self) -> Options {
        let ignore = Ignore::default()
            .set_binding(self.ignored.ignore_set_binding)
            .location(self.ignored.ignore_location)
            .names(self.ignored.ignore_names)
            .debug(self.ignored.ignore_debug)
            .header(self.ignored.ignore_header);
        Options::default().ignore(ignore)
    }

    fn reporter(&self) -> Reporter {
        Reporter::new(self.format, self.color.on_stderr())
    }

    /// The differences in the form that is wanted.
    fn show(&self, found: &Diff, names: [String; 2]) -> String {
        match self.format {
            _ if self.quiet => String::new(),
            Format::Json => found.to_json([&names[0], &names[1]], !self.raw.raw_id) + "\n",
            Format::Human => {
                let options = TextOptions::default()
                    .context((!self.full).then_some(self.context))
                    .color(self.color.on_stdout())
                    .indent(!self.no_indent)
                    .id_map(self.with_id_map)
                    .friendly_names(!self.raw.raw_id)
                    .names(Some(names));
                found.to_text(&options)
            }
        }
    }

    fn ending(&self, verdict: CheckResult) -> Ending {
        match (verdict, self.exit_code) {
            (CheckResult::Failed, true) => Ending::BadUsage,
            (CheckResult::Failed, false) => Ending::Failure,
            (CheckResult::Differs, true) => Ending::Failure,
            _ => Ending::Success,
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    let paths = [arguments.a.clone(), arguments.b.clone()];
    match [paths[0].is_dir(), paths[1].is_dir()] {
        [false, false] => {}
        [true, true] => return folders::run(arguments, &paths),
        _ => {
            let message = "a directory can be compared only with another directory";
            return Err(UsageError(message.into()));
        }
    }
    let compared = compare(&paths, &arguments.options(), arguments.reporter())?;
    let Some((found, names)) = compared else {
        return Ok(arguments.ending(CheckResult::Failed));
    };
    let verdict = CheckResult::of(&found);
    let text = arguments.show(&found, names);
    Ok(
        match report::print_as(text.as_bytes(), arguments.reporter()) {
            Ending::Success => arguments.ending(verdict),
            _ => arguments.ending(CheckResult::Failed),
        },
    )
}

/// Compares two modules, or tells what is wrong with them.
pub(crate) fn compare(
    paths: &[PathBuf; 2],
    options: &Options,
    reporter: Reporter,
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
    let mut messages = Messages::new(reporter);
    let loaded = load_all(&inputs, &mut messages);
    messages.print();
    let [a, b] = &loaded[..] else {
        return Ok(None);
    };
    let found = diff(&a.module, &b.module, options);
    Ok(Some((found, [a.name.clone(), b.name.clone()])))
}
