//! `spv as`: from text to modules.

use std::sync::LazyLock;

use clap::Args;
use spirvkit::{AssembleOptions, Endianness, IdNumbering, TargetEnv};

use crate::arguments::{ColorWhen, Files, environments};
use crate::exit::{Ending, UsageError};
use crate::input::load::{assemble, text};
use crate::input::{Content, Inputs};
use crate::report::Reporter;
use crate::run::Run;

/// Assemble text to binary modules
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP.as_str(), args_override_self = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    files: Files,

    /// Assemble for this environment: its newest version of SPIR-V goes into
    /// the header, and instructions that this version doesn't have are errors
    #[arg(long, value_name = "ENV", value_parser = environments::parser(), hide_possible_values = true)]
    target_env: Option<TargetEnv>,

    /// Renumber all ids from 1 in the order of their appearance
    #[arg(long, overrides_with = "preserve_numeric_ids")]
    renumber_ids: bool,

    /// Keep the numbers of numeric ids such as %10 (the default)
    #[arg(long, overrides_with = "renumber_ids")]
    preserve_numeric_ids: bool,

    /// Ignore comments at the top that describe the header, such as `; Version: 1.3`
    #[arg(long)]
    no_header_comments: bool,

    /// Write big-endian words instead of little-endian ones
    #[arg(long)]
    big_endian: bool,

    /// Fail if there are warnings, and don't write the module
    #[arg(long)]
    deny_warnings: bool,

    /// Give up on an input after this many errors; 0 means no limit
    #[arg(long, value_name = "N", default_value_t = 1000)]
    max_errors: usize,

    /// When to colour errors and warnings
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: ColorWhen,
}

static AFTER_HELP: LazyLock<String> = LazyLock::new(|| environments::help(ABOUT));

const ABOUT: &str = "\
Modules are written in little-endian byte order unless --big-endian is given,
whatever the byte order of the module that the text was disassembled from.

The text is UTF-8, or UTF-16 as Windows PowerShell writes it. Comments may contain
other bytes, which are ignored. Using an id that nothing defines is a warning.

Without -o, a single module is written to standard output, unless that is a
terminal. Directories are searched for .spvasm files; each output has the same
relative path in the directory that -o names.

Examples:
  spv as shader.spvasm -o shader.spv
  spv as --target-env vulkan1.1 shader.spvasm -o shader.spv
  spv dis a.spv | spv as > b.spv
  spv as shaders/ -o build/

Exit codes:
  0  all inputs were assembled
  1  an input has errors, or a file could not be read or written
  2  the command line is wrong";

pub(crate) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    let files = &arguments.files;
    let inputs = Inputs::find(&files.inputs, &[Content::Text])?;
    let destination = files.destination(&inputs, Content::Module)?;
    let mut options = AssembleOptions::default()
        .numbering(match arguments.renumber_ids {
            true => IdNumbering::Renumber,
            false => IdNumbering::Preserve,
        })
        .header_comments(!arguments.no_header_comments)
        .max_errors(arguments.max_errors);
    if let Some(env) = arguments.target_env {
        options = options.target(Some(env.version()));
    }
    let endianness = match arguments.big_endian {
        true => Endianness::Big,
        false => Endianness::Little,
    };
    let run = Run {
        inputs: &inputs,
        destination: &destination,
        reporter: Reporter::new(files.format, arguments.color.on_stderr()),
        jobs: files.jobs,
    };
    Ok(run.convert(&|name, bytes, messages| {
        let text = text(name, bytes, messages)?;
        let module = assemble(name, &text, &options, messages)?;
        let denied = arguments.deny_warnings && messages.deny_warnings();
        (!denied).then(|| module.to_bytes(endianness))
    }))
}
