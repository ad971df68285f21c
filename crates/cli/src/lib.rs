//! The program `spv`.
//!
//! | folder | holds |
//! |---|---|
//! | `arguments` | what several commands take on the command line, and the ends of their help texts |
//! | `commands` | the subcommands, a file each, that turn options into those of the libraries |
//! | `classic` | the command lines of the established tools, under their names |
//! | `input` | finding files, telling their form, and reading modules from them |
//! | `output` | where outputs go, and writing files as a whole or not at all |
//! | `report` | telling what was found, and all kinds of errors that the program has itself |
//! | `run` | going through many inputs on all cores |
//! | `change` | what commands that change modules, or make one of several, have in common |
//! | `look` | what commands that look into one module have in common: ids, places, limits |

#![deny(missing_docs)]

mod arguments;
mod change;
mod classic;
mod cli;
mod commands;
mod exit;
mod input;
mod look;
mod output;
mod report;
mod run;
mod tool;

use std::ffi::OsString;

/// Runs the program in this process: with its name and its arguments, on its standard
/// streams. Gives the exit code.
///
/// This is for the program itself and for who tests it. Libraries are what other programs
/// want: the package `spirvkit`.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    output::expect_no_color();
    input::expect_at_most(input::MAX_BYTES);
    let mut arguments = arguments.into_iter();
    let program = arguments.next().unwrap_or_else(|| "spv".into());
    let ending = match tool::Tool::from_program(&program) {
        Some(tool) => classic::run(tool, arguments),
        None => cli::run(&program, arguments),
    };
    ending as u8
}
