//! `spv merge`: the entry points of several modules in one.

use clap::Args;
use spirvkit::Diagnostic;
use spirvkit::diagnostics::Source;
use spirvkit::ir::Module;
use spirvkit::transform::link::{Input, LinkError};
use spirvkit::transform::merge;

use crate::change::{Changing, Loaded};
use crate::exit::{Ending, UsageError};
use crate::report::Messages;

/// Put the entry points of several modules into one
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP, args_override_self = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    changing: Changing,
}

const AFTER_HELP: &str = "\
Equal types and constants are shared, and capabilities and extensions are those of
all modules. The version is the highest, and the byte order that of the first
input. Modules with different addressing or memory models can't be merged, nor
those that have the same entry point. (`spv link` is for modules that import what
others export.)

Inputs are binary modules, modules as hexadecimal text, or assembly text. A directory
stands for the .spv and .spvasm files in it and below. If there is an error, nothing
is written.

Examples:
  spv merge shader.vert.spv shader.frag.spv -o shader.spv
  spv merge shaders/ -o library.spv

Exit codes:
  0  success
  1  the inputs have errors, or a file could not be read or written
  2  the command line is wrong";

pub(crate) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    arguments.changing.together(merge_loaded)
}

fn merge_loaded(loaded: &[Loaded], messages: &mut Messages) -> Option<Module> {
    let inputs: Vec<Input<'_>> = loaded
        .iter()
        .map(|loaded| Input {
            name: &loaded.name,
            module: &loaded.module,
        })
        .collect();
    let merged = merge(&inputs).map_err(|errors| {
        for error in &errors {
            let first = error.modules().first().map_or("", String::as_str);
            messages.add(&diagnostic(error), &Source::new(first, ""));
        }
    });
    merged.ok()
}

fn diagnostic(error: &LinkError) -> Diagnostic {
    error.fault().kind().error(error.to_string())
}
