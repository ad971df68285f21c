//! `spv explain`: what a rule says.

use std::fmt::Write as _;

use clap::Args;
use spirvkit::Rule;
use spirvkit::validate::{Example, Frame};

use crate::exit::{Ending, UsageError};
use crate::report;

/// Explain a rule of `spv val`, with examples
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP, arg_required_else_help = true)]
pub(crate) struct Arguments {
    /// The id of a rule, such as `id.undefined`, or of one of Vulkan's, such as
    /// VUID-StandaloneSpirv-None-04633
    #[arg(value_name = "RULE", required_unless_present = "list")]
    rule: Option<String>,

    /// List all rules
    #[arg(long, conflicts_with = "rule")]
    list: bool,

    /// Show the examples as whole modules
    #[arg(long)]
    full: bool,
}

const AFTER_HELP: &str = "\
Examples:
  spv explain id.undefined
  spv explain --full id.undefined
  spv explain --list

Exit codes:
  0  the rule was found
  2  there is no such rule";

pub(crate) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    let Some(id) = arguments.rule.as_deref().filter(|_| !arguments.list) else {
        return Ok(report::print(list().as_bytes()));
    };
    match spirvkit::find_rule(id) {
        Some(rule) => Ok(report::print(explain(rule, arguments.full).as_bytes())),
        None => Err(UsageError(unknown(id))),
    }
}

fn list() -> String {
    let mut out = String::new();
    for rule in spirvkit::rules() {
        let _ = writeln!(out, "{:<40} {}", rule.id, rule.text);
    }
    out
}

fn explain(rule: &Rule, full: bool) -> String {
    let mut out = format!(
        "{}\n\n{}\n\nclass:   {}\nsection: {}\n",
        rule.id,
        rule.text,
        rule.class.name(),
        rule.section
    );
    for vuid in rule.vuids {
        let _ = writeln!(out, "vulkan:  {vuid}");
    }
    let Example {
        frame,
        breaks,
        keeps,
    } = &rule.example;
    let (breaks, keeps) = match full {
        true => (rule.example.breaking(), rule.example.keeping()),
        false => ((*breaks).to_owned(), (*keeps).to_owned()),
    };
    let surroundings = match (full, frame) {
        (false, Frame::Shader | Frame::ShaderFor(_)) => " in a compute shader",
        (false, Frame::Fragment | Frame::FragmentFor(_)) => " in a fragment shader",
        (false, Frame::Kernel | Frame::KernelFor(_)) => " in a kernel",
        (false, Frame::Limited) => " in a compute shader, if all limits are 3",
        (true, Frame::Limited) => " if all limits are 3",
        _ => "",
    };
    let env = frame.environment();
    let _ = write!(
        out,
        "\nThis breaks it{surroundings} ({env}):\n\n{}\nThis keeps it:\n\n{}",
        indented(&breaks),
        indented(&keeps)
    );
    out
}

fn indented(text: &str) -> String {
    let lines = text.lines().map(str::trim_end);
    lines.map(|line| format!("    {line}\n")).collect()
}

/// Says that there is no such rule, and which ones there are that look alike.
fn unknown(id: &str) -> String {
    let word = id.rsplit('.').next().unwrap_or(id);
    let alike: Vec<&str> = spirvkit::rules()
        .into_iter()
        .map(|rule| rule.id)
        .filter(|known| !word.is_empty() && (known.contains(word) || id.contains(known)))
        .take(5)
        .collect();
    let hint = match alike.is_empty() {
        true => "`spv explain --list` lists all".to_owned(),
        false => format!("did you mean {}?", alike.join(", ")),
    };
    format!("there is no rule `{id}`; {hint}")
}
