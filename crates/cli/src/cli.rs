//! The command line of `spv`.

use std::ffi::OsString;
use std::io::{self, Write};
use std::sync::LazyLock;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use spirvkit::diagnostics::{is_disruptive, visible_lines};
use spirvkit::grammar::GRAMMAR_REVISION;

use crate::arguments::{ColorWhen, size};
use crate::commands::{
    amber, as_, cfg, compact_ids, completions, debug, diff, dis, drop_in, explain, info, layout,
    link, man, merge, opt, run as run_, specialize, split, strip, trim_capabilities, val,
};
use crate::exit::{Ending, UsageError};
use crate::input::expect_at_most;
use crate::report::{self, Format};

static LONG_VERSION: LazyLock<String> =
    LazyLock::new(|| format!("{}\ngrammar: {GRAMMAR_REVISION}", env!("CARGO_PKG_VERSION")));

/// Tools for SPIR-V modules.
#[derive(Debug, Parser)]
#[command(name = "spv", version, long_version = LONG_VERSION.as_str(), after_help = AFTER_HELP)]
#[command(arg_required_else_help = true, subcommand_required = true)]
#[command(args_override_self = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,

    /// Refuse inputs larger than this many bytes (K, M or G after the number: kibibytes,
    /// mebibytes or gibibytes); 0 means no limit [default: 256M]
    #[arg(long, global = true, value_name = "SIZE", value_parser = size)]
    max_input: Option<u64>,
}

const AFTER_HELP: &str = "\
Examples:
  spv as shader.spvasm -o shader.spv    assemble a module
  spv dis shader.spv                    show it as text
  spv dis shaders/ -o text/             disassemble a directory tree
  spv val shader.spv                    check it
  spv info shader.spv                   show its resources and interfaces

Exit codes:
  0  success
  1  an input has errors, or a file could not be read or written
  2  the command line is wrong";

#[derive(Debug, Subcommand)]
enum Command {
    As(as_::Arguments),
    Dis(dis::Arguments),
    Val(val::Arguments),
    Diff(diff::Arguments),
    Explain(explain::Arguments),
    Layout(layout::Arguments),
    Cfg(cfg::Arguments),
    Info(info::Arguments),
    Run(Box<run_::Arguments>),
    Amber(amber::Arguments),
    Specialize(specialize::Arguments),
    Opt(opt::Arguments),
    Strip(strip::Arguments),
    TrimCapabilities(trim_capabilities::Arguments),
    Link(link::Arguments),
    CompactIds(compact_ids::Arguments),
    Split(split::Arguments),
    Merge(merge::Arguments),
    Debug(debug::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
    DropIn(drop_in::Arguments),
}

/// The definition of the command line, for completions and manual pages.
fn definition() -> clap::Command {
    let definition = Cli::command();
    let max_input = definition
        .get_arguments()
        .find(|argument| argument.get_id() == "max_input");
    let Some(hidden) = max_input.cloned().map(|argument| argument.hide(true)) else {
        return definition;
    };
    // These read no modules.
    ["explain", "completions", "man", "drop-in"]
        .into_iter()
        .fold(definition, |definition, name| {
            definition.mut_subcommand(name, |command| command.arg(hidden.clone()))
        })
}

/// Shows what the parser has to say, which may be the help or the version.
fn show(error: &clap::Error, arguments: &[OsString]) -> Ending {
    if !error.use_stderr() {
        // The text is printed with the styles that the terminal takes.
        let printed = error.print().and_then(|()| io::stdout().flush());
        return report::printed(printed);
    }
    if wanted_format(arguments) == Format::Json {
        report::usage(&UsageError(in_a_sentence(error)), Format::Json);
        return Ending::BadUsage;
    }
    // Nobody is left to tell if this fails.
    let is_disruptive = |argument: &OsString| argument.to_string_lossy().contains(is_disruptive);
    let _ = match arguments.iter().any(is_disruptive) {
        // The parser quotes arguments as they are.
        true => writeln!(
            io::stderr(),
            "{}",
            visible_lines(&error.render().to_string())
        ),
        false => error.print(),
    };
    Ending::BadUsage
}

/// The arguments with `--color=always` for a `--color` that has no value, so that files
/// may follow it.
fn with_color_values(all: &[OsString]) -> Vec<OsString> {
    let is_value = |next: &OsString| {
        let values = ColorWhen::value_variants().iter();
        let mut names = values.filter_map(ValueEnum::to_possible_value);
        names.any(|value| next == value.get_name())
    };
    let end = all.iter().position(|it| it == "--").unwrap_or(all.len());
    let is_bare = |place: usize| {
        place < end && all[place] == "--color" && !all.get(place + 1).is_some_and(is_value)
    };
    let value = |(place, argument): (usize, &OsString)| match is_bare(place) {
        true => "--color=always".into(),
        false => argument.clone(),
    };
    all.iter().enumerate().map(value).collect()
}

/// What the parser complains of, without advice and usage below it.
fn in_a_sentence(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let first = text.split("\n\n").next().unwrap_or(text);
    let words: Vec<&str> = first.split_whitespace().collect();
    words.join(" ")
}

/// In which form errors are wanted, found out without the parser, which may be what
/// complains.
fn wanted_format(arguments: &[OsString]) -> Format {
    let arguments: Vec<String> = arguments
        .iter()
        .map(|argument| argument.to_string_lossy().into_owned())
        .take_while(|argument| argument != "--")
        .collect();
    let is_json = |(place, argument): (usize, &String)| match argument.strip_prefix("--format") {
        Some("") => arguments
            .get(place + 1)
            .is_some_and(|value| value == "json"),
        Some(value) => value == "=json",
        None => false,
    };
    match arguments.iter().enumerate().any(is_json) {
        true => Format::Json,
        false => Format::Human,
    }
}

/// Runs the command that the arguments name.
pub(crate) fn run(program: &OsString, arguments: impl Iterator<Item = OsString>) -> Ending {
    let arguments: Vec<OsString> = arguments.collect();
    let line = opt::with_passes(with_color_values(&arguments));
    let line = std::iter::once(program.clone()).chain(line);
    let parsed = definition()
        .try_get_matches_from(line)
        .and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => return show(&error, &arguments),
    };
    cli.max_input.into_iter().for_each(expect_at_most);
    let ending = match cli.command {
        Command::As(arguments) => as_::run(&arguments),
        Command::Dis(arguments) => dis::run(&arguments),
        Command::Val(arguments) => val::run(&arguments),
        Command::Diff(arguments) => diff::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Layout(arguments) => layout::run(&arguments),
        Command::Cfg(arguments) => cfg::run(&arguments),
        Command::Info(arguments) => info::run(&arguments),
        Command::Run(arguments) => run_::run(&arguments),
        Command::Amber(arguments) => amber::run(&arguments),
        Command::Specialize(arguments) => specialize::run(&arguments),
        Command::Opt(arguments) => opt::run(&arguments),
        Command::Strip(arguments) => strip::run(&arguments),
        Command::TrimCapabilities(arguments) => trim_capabilities::run(&arguments),
        Command::Link(arguments) => link::run(&arguments),
        Command::CompactIds(arguments) => compact_ids::run(&arguments),
        Command::Split(arguments) => split::run(&arguments),
        Command::Merge(arguments) => merge::run(&arguments),
        Command::Debug(arguments) => debug::run(&arguments),
        Command::Completions(arguments) => Ok(completions::run(&arguments, definition())),
        Command::Man(arguments) => Ok(man::run(&arguments, definition())),
        Command::DropIn(arguments) => Ok(drop_in::run(&arguments)),
    };
    ending.unwrap_or_else(|error| {
        report::usage(&error, wanted_format(&arguments));
        Ending::BadUsage
    })
}
