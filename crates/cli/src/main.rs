//! The program `spv`.
//!
//! Each subcommand is a file under `commands`, and does no more than turn its
//! options into those of the library. What they share is here: finding inputs
//! (`inputs`), placing outputs (`output`), telling what was found (`report`),
//! finding the
//! ids that users mean (`ids`), going through many inputs on all cores (`run`, `queue`), loading modules to
//! change and store them (`form`, `change`), and looking into one (`look`). Under the names
//! `spirv-as` and `spirv-dis` the program takes the options of the tools of
//! those names (`classic`).

mod change;
mod classic;
mod cli;
mod commands;
mod encoding;
mod environments;
mod exit;
mod form;
mod graphviz;
mod hex;
mod ids;
mod inputs;
mod interrupt;
mod kinds;
mod look;
mod naming;
mod output;
mod progress;
mod queue;
mod report;
mod run;
mod telling;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os();
    let ending = match arguments
        .next()
        .as_deref()
        .and_then(classic::Tool::from_program)
    {
        Some(tool) => classic::run(tool, arguments),
        None => cli::run(),
    };
    ending.into()
}
