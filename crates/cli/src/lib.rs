//! The program `spv`.
//!
//! Each subcommand is a file under `commands`, and does no more than turn its
//! options into those of the library. What they share is here: finding inputs
//! (`inputs`), placing outputs (`output`), or files under names from outside (`extract`),
//! telling what was found (`report`), or as much of it as a budget allows (`limit`),
//! finding the ids that users mean (`ids`), going through many inputs on all cores (`run`,
//! `queue`), loading modules to change and store them (`form`, `change`), and looking into
//! one (`look`). Under the names `spirv-as` and `spirv-dis` the program takes the options
//! of the tools of those names (`classic`).

#![deny(missing_docs)]

mod change;
mod classic;
mod cli;
mod commands;
mod encoding;
mod environments;
mod exit;
mod extract;
mod form;
mod graphviz;
mod hex;
mod ids;
mod inputs;
mod interrupt;
mod kinds;
mod limit;
mod look;
mod naming;
mod output;
mod progress;
mod queue;
mod report;
mod run;
#[cfg(test)]
mod scratch;
mod telling;
mod topics;

use std::ffi::OsString;

use change::change_help;

/// Runs the program in this process: with its name and its arguments, on its standard
/// streams. Gives the exit code.
///
/// This is for the program itself and for who tests it. Libraries are what other programs
/// want: the package `spirvkit`.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    output::expect_no_color();
    inputs::expect_at_most(inputs::MAX_BYTES);
    let mut arguments = arguments.into_iter();
    let program = arguments.next().unwrap_or_else(|| "spv".into());
    let ending = match classic::Tool::from_program(&program) {
        Some(tool) => classic::run(tool, arguments),
        None => cli::run(&program, arguments),
    };
    ending as u8
}
