//! What several commands take on the command line, as types for its parser.

mod color;
pub(crate) mod devices;
pub(crate) mod environments;
pub(crate) mod help;
mod numbers;
mod settings;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use spirvkit::text::IdNames;

use crate::exit::UsageError;
use crate::input::{Content, Inputs};
use crate::output::Destination;
use crate::report::{Format, Reporter};

pub(crate) use color::ColorWhen;
pub(crate) use numbers::{jobs, size};
pub(crate) use settings::Settings;

/// What all commands that read modules take.
#[derive(Debug, Args)]
pub(crate) struct Files {
    /// Files; directories, which are searched for files; or `-` for standard input
    /// [default: standard input]
    #[arg(value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,

    /// Write to this file, or for several inputs to this directory; `-` is standard
    /// output
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,

    /// Overwrite inputs: without -o, each output replaces its input; with -o, an output
    /// may replace an input in another format
    #[arg(long)]
    pub(crate) in_place: bool,

    /// Process this many inputs in parallel [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = jobs)]
    pub(crate) jobs: Option<NonZeroUsize>,

    /// The format of errors and warnings
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: Format,
}

impl Files {
    /// Where the outputs of these inputs go.
    pub(crate) fn destination(
        &self,
        inputs: &Inputs,
        content: Content,
    ) -> Result<Destination, UsageError> {
        Destination::choose_for(self.output.as_deref(), self.in_place, inputs, content)
    }
}

/// What all commands that change modules take.
#[derive(Debug, Args)]
pub(crate) struct Changing {
    #[command(flatten)]
    pub(crate) files: Files,

    /// When to colour errors and warnings
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorWhen,
}

/// How errors and warnings are told.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Reporting {
    /// The format of errors and warnings
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: Format,

    /// When to colour errors and warnings
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorWhen,
}

impl Reporting {
    pub(crate) fn reporter(self) -> Reporter {
        Reporter::new(self.format, self.color.on_stderr())
    }
}

/// What to tell, and whether to do more than that.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct Telling {
    /// Report what is removed or changed, on standard error
    #[arg(short, long)]
    pub(crate) verbose: bool,

    /// Write nothing; only report what would be removed or changed
    #[arg(long, conflicts_with_all = ["output", "in_place"])]
    pub(crate) dry_run: bool,
}

/// What commands that look at one module take.
#[derive(Debug, Args)]
pub(crate) struct Single {
    /// The module, or `-` for standard input [default: standard input]
    #[arg(value_name = "MODULE")]
    pub(crate) input: Option<PathBuf>,
}

/// What all commands that look into a module take.
#[derive(Debug, Args)]
pub(crate) struct Reading {
    #[command(flatten)]
    pub(crate) single: Single,

    #[command(flatten)]
    pub(crate) form: FormArguments,
}

/// How to show what was found.
#[derive(Debug, Args)]
pub(crate) struct FormArguments {
    /// The format of the output and of errors
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: Format,

    /// When to colour errors and warnings
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorWhen,
}

/// What all commands take that show ids.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct RawIds {
    /// Show ids as numbers instead of the names that `spv dis` gives them
    #[arg(long)]
    pub(crate) raw_id: bool,
}

impl RawIds {
    /// What to call the ids of a module, which are `names` unless numbers are wanted.
    pub(crate) fn names<'w>(
        self,
        words: &'w [u32],
        names: impl FnOnce() -> IdNames<'w>,
    ) -> IdNames<'w> {
        match self.raw_id {
            true => IdNames::numbers(words),
            false => names(),
        }
    }
}
