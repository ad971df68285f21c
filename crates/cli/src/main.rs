//! The program `spv`: all that it does is in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    spirvkit_cli::run(std::env::args_os()).into()
}
