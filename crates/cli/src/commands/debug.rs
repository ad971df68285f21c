//! `spv debug`: what a module says of its source.

mod convert;
mod dump;
mod dwarf;
mod lookup;
mod remove;
mod scopes;
mod sources;
mod vars;

use clap::{Args, Subcommand};

use crate::exit::{Ending, UsageError};

/// Inspect debug information: files, lines, types, scopes and variables
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
Examples:
  spv debug lookup shader.spv shader.comp:12    which instructions come from a line
  spv debug lookup shader.spv %57               which line an instruction comes from
  spv debug vars shader.spv %57                 which variables are visible there
  spv debug dump shader.spv                     everything, as a tree
  spv debug dwarf shader.spv -o shader.o        for gdb and other debuggers

Exit codes:
  0  success
  1  the module has errors or could not be read, or nothing was found
  2  the command line is wrong";

#[derive(Debug, Subcommand)]
enum Command {
    Dump(dump::Arguments),
    Sources(sources::Arguments),
    Lookup(lookup::Arguments),
    Scopes(scopes::Arguments),
    Vars(vars::Arguments),
    Remove(remove::Arguments),
    Dwarf(dwarf::Arguments),
    Convert(convert::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    match &arguments.command {
        Command::Dump(arguments) => dump::run(arguments),
        Command::Sources(arguments) => sources::run(arguments),
        Command::Lookup(arguments) => lookup::run(arguments),
        Command::Scopes(arguments) => scopes::run(arguments),
        Command::Vars(arguments) => vars::run(arguments),
        Command::Remove(arguments) => remove::run(arguments),
        Command::Dwarf(arguments) => dwarf::run(arguments),
        Command::Convert(arguments) => convert::run(arguments),
    }
}
