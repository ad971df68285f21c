//! `spv trim-capabilities`: modules that declare what they need.

use clap::Args;
use spirvkit::transform::trim_capabilities;

use crate::change::Changing;
use crate::change_help;
use crate::exit::{Ending, UsageError};

/// Remove capabilities and extensions that nothing needs
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP, args_override_self = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    changing: Changing,
}

const AFTER_HELP: &str = change_help!(
    "  spv trim-capabilities shader.spv -o trimmed.spv
  spv trim-capabilities shaders/ -o trimmed/"
);

pub(crate) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    arguments.changing.each(|module, _| {
        trim_capabilities(module);
    })
}
