//! `spv compact-ids`: the least id bound.

use clap::Args;
use spirvkit::transform::compact_ids;

use crate::arguments::{Changing, Telling, help::change_help};
use crate::exit::{Ending, UsageError};
use crate::report::kinds;

/// Renumber ids from 1 without gaps
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP, args_override_self = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    changing: Changing,

    #[command(flatten)]
    telling: Telling,
}

const AFTER_HELP: &str = change_help!(
    "  spv compact-ids shader.spv -o small.spv
  spv compact-ids shaders/ -o compact/"
);

pub(crate) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    let telling = &arguments.telling;
    arguments.changing.each(telling, |module, diagnostics| {
        if let Err(error) = compact_ids(module) {
            diagnostics.push(kinds::OPAQUE_INSTRUCTION.error(error.to_string()));
        }
    })
}
