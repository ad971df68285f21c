//! `spv completions`: scripts that complete the command line.

use clap::Args;
use clap_complete::Shell;

use crate::cli;
use crate::exit::Ending;
use crate::report;

/// Print a script that completes the command line in a shell
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// The shell
    shell: Shell,
}

const AFTER_HELP: &str = "\
Examples:
  spv completions bash > ~/.local/share/bash-completion/completions/spv
  spv completions zsh > ~/.zfunc/_spv
  spv completions fish > ~/.config/fish/completions/spv.fish

Exit codes:
  0  success
  1  standard output could not be written
  2  the command line is wrong";

pub(crate) fn run(arguments: &Arguments) -> Ending {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut cli::definition(), "spv", &mut script);
    report::print(&script)
}
