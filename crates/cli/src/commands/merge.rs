//! `spv merge`: the entry points of several modules in one.

use std::path::PathBuf;

use clap::Args;
use spirvkit::Diagnostic;
use spirvkit::transform::merge;

use crate::arguments::Reporting;
use crate::change::combine::{combine, single_destination, together};
use crate::exit::{Ending, UsageError};
use crate::input::Inputs;

/// Combine the entry points of several modules into one module
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP, args_override_self = true)]
pub(crate) struct Arguments {
    /// Modules: binary, hexadecimal text or assembly text; directories, which are
    /// searched for modules; or `-` for standard input
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<PathBuf>,

    /// Write to this file; `-` is standard output [default: standard output]
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,

    #[command(flatten)]
    reporting: Reporting,
}

const AFTER_HELP: &str = "\
Equal types and constants are shared; the capabilities and extensions of all
modules are kept. The version is the highest of all, and the byte order is that of
the first input. Modules with different addressing or memory models can't be
merged, nor can modules with the same entry point. (`spv link` is for modules that
import what others export.)

Inputs are binary modules, modules as hexadecimal text, or assembly text.
Directories are searched for .spv and .spvasm files. If there is an error, nothing
is written.

Examples:
  spv merge shader.vert.spv shader.frag.spv -o shader.spv
  spv merge shaders/ -o library.spv

Exit codes:
  0  success
  1  the inputs have errors, or a file could not be read or written
  2  the command line is wrong";

pub(crate) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    let inputs = Inputs::modules(&arguments.inputs)?;
    let destination = single_destination(arguments.output.as_deref(), &inputs)?;
    let reporter = arguments.reporting.reporter();
    Ok(together(
        &inputs,
        &destination,
        reporter,
        |loaded, messages| combine(loaded, messages, merge, |error| Diagnostic::from(error)),
    ))
}
