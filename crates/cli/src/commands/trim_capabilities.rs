//! `spv trim-capabilities`: modules that declare what they need.

use clap::Args;
use spirvkit::transform::{Trim, trim_capabilities};

use crate::arguments::{Changing, Telling, help::change_help};
use crate::exit::{Ending, UsageError};

/// Remove capabilities and extensions that nothing needs
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP, args_override_self = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    changing: Changing,

    /// Also remove Shader, Kernel and Matrix, which otherwise stay if they are declared
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    telling: Telling,
}

const AFTER_HELP: &str = change_help!(
    "  spv trim-capabilities shader.spv -o trimmed.spv
  spv trim-capabilities --dry-run shader.spv
  spv trim-capabilities --all shaders/ -o trimmed/"
);

pub(crate) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    let options = Trim::default().base(arguments.all);
    arguments.changing.each(&arguments.telling, |module, _| {
        trim_capabilities(module, &options);
    })
}
