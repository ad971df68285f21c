//! `spv completions`: scripts that complete the command line.

use std::fmt::Write as _;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, Args, Command};
use clap_complete::Shell;

use crate::exit::Ending;
use crate::report::{self, topics};

/// Print a completion script for a shell
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

/// Prints the script for a command line.
pub(crate) fn run(arguments: &Arguments, definition: Command) -> Ending {
    let mut definition = with_ids(definition);
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut definition, "spv", &mut script);
    match arguments.shell {
        Shell::Bash => script = with_files(&String::from_utf8_lossy(&script)).into_bytes(),
        Shell::Fish => script.extend(operands_for_fish(&definition).into_bytes()),
        _ => {}
    }
    report::print(&script)
}

/// The command line, with values for what is free text to its parser.
fn with_ids(definition: Command) -> Command {
    let of_ids = |argument: Arg| {
        let ids: Vec<&str> = topics::all().into_keys().collect();
        argument.value_parser(PossibleValuesParser::new(ids))
    };
    definition
        .mut_subcommand("explain", |explain| explain.mut_arg("rule", of_ids))
        .mut_subcommand("val", |val| {
            let levels = ["allow", "warn", "deny"];
            levels
                .into_iter()
                .fold(val, |val, level| val.mut_arg(level, of_ids))
        })
}

/// The values of operands, which the script for fish lacks.
fn operands_for_fish(definition: &Command) -> String {
    let mut lines = String::new();
    for command in definition.get_subcommands() {
        for operand in command.get_positionals() {
            let values = operand.get_possible_values();
            if !values.is_empty() {
                let command = command.get_name();
                let values: Vec<&str> = values.iter().map(PossibleValue::get_name).collect();
                let _ = writeln!(
                    lines,
                    "complete -c spv -n \"__fish_spv_using_subcommand {command}\" -f -a \"{}\"",
                    values.join(" ")
                );
            }
        }
    }
    lines
}

/// What goes around the function of a script for bash. Bash takes `--option=value` apart,
/// which that function doesn't put together; and where it has no better idea than
/// options, a file is wanted, which bash itself completes if there is nothing else.
const AROUND: &str = r#"
_spv_or_files() {
    local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"
    if [[ $word == "=" ]]; then
        word=""
    elif [[ $before == "=" ]]; then
        before="${COMP_WORDS[COMP_CWORD-2]}"
    fi
    _spv "$1" "$word" "$before"
    if [[ $word != -* ]]; then
        local reply=("${COMPREPLY[@]}") each
        COMPREPLY=()
        for each in "${reply[@]}"; do
            [[ $each == -* ]] || COMPREPLY+=("$each")
        done
    fi
}
"#;

/// A script for bash that also completes files, and the values in `--option=value`.
fn with_files(script: &str) -> String {
    // Readline knows better how to complete files: it quotes, and goes into directories.
    let script = script.replace(r#"COMPREPLY=($(compgen -f "${cur}"))"#, "COMPREPLY=()");
    let script = script.replace("complete -F _spv ", "complete -F _spv_or_files ");
    match script.rfind("\nif [[") {
        Some(end) => format!("{}{AROUND}{}", &script[..end], &script[end..]),
        None => script,
    }
}
