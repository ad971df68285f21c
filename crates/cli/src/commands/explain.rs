//! `spv explain`: what the ids of errors and warnings mean.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use clap::Args;
use serde_json::{Value, json};
use spirvkit::Diagnostic;
use spirvkit::diagnostics::{ErrorClass, similar};
use spirvkit::validate::{Example, Frame};

use crate::exit::{Ending, UsageError};
use crate::report::topics::{self, Topic, family};
use crate::report::{self, Format, Messages, Reporter, kinds};

/// Explain the id of an error or a warning, with examples
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP, arg_required_else_help = true)]
pub(crate) struct Arguments {
    /// An id as errors and warnings show it, such as `id.undefined`; a family of ids,
    /// such as `debug-info`; or a VUID, such as VUID-StandaloneSpirv-None-04633
    #[arg(value_name = "RULE", required_unless_present = "list")]
    pub(crate) rule: Option<String>,

    /// List all ids
    #[arg(long, conflicts_with = "rule")]
    list: bool,

    /// Show the examples as whole modules
    #[arg(long)]
    full: bool,

    /// The format of the explanation and of errors; docs/explain-json.md describes the
    /// JSON
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
}

const AFTER_HELP: &str = "\
Upper and lower case don't matter.

Examples:
  spv explain id.undefined
  spv explain --full id.undefined
  spv explain debug-info
  spv explain --list

Exit codes:
  0  success
  1  there is no such id, or standard output could not be written
  2  the command line is wrong";

pub(crate) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    let all = topics::all();
    let wanted = match &arguments.rule {
        Some(text) => find(&all, text),
        None => Some(all.values().copied().collect()),
    };
    let Some(wanted) = wanted else {
        let mut messages = Messages::new(Reporter {
            format: arguments.format,
            ..Reporter::plain()
        });
        let text = arguments.rule.as_deref().unwrap_or_default();
        messages.add_about(&unknown(&all, text), None);
        messages.print();
        return Ok(Ending::Failure);
    };
    let text: String = match (arguments.format, wanted.as_slice()) {
        (Format::Json, wanted) => wanted.iter().map(|topic| topic.json() + "\n").collect(),
        (Format::Human, [topic]) => topic.explain(arguments.full),
        (Format::Human, wanted) => list(wanted),
    };
    Ok(report::print(text.as_bytes()))
}

/// What a user means: an id, a rule of Vulkan's, or a whole family.
fn find(all: &BTreeMap<&'static str, Topic>, text: &str) -> Option<Vec<Topic>> {
    let text = text.trim();
    let id = text.to_ascii_lowercase();
    if let Some(topic) = all.get(id.as_str()) {
        return Some(vec![*topic]);
    }
    let vuid = all.values().find(|topic| {
        let mut vuids = topic.vuids().iter();
        vuids.any(|vuid| vuid.eq_ignore_ascii_case(text))
    });
    if let Some(topic) = vuid {
        return Some(vec![*topic]);
    }
    let wanted = id.trim_end_matches('*').trim_end_matches('.');
    let members = all.iter().filter(|(id, _)| family(id) == wanted);
    let members: Vec<Topic> = members.map(|(_, topic)| *topic).collect();
    (!members.is_empty()).then_some(members)
}

fn list(topics: &[Topic]) -> String {
    let width = topics.iter().map(|topic| topic.id().len()).max();
    let width = width.unwrap_or_default();
    let mut out = String::new();
    for topic in topics {
        let _ = writeln!(out, "{:<width$}  {}", topic.id(), topic.text());
    }
    out
}

impl Topic {
    fn id(&self) -> &'static str {
        match self {
            Self::Rule(rule) => rule.id,
            Self::Kind(kind) => kind.id,
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Rule(rule) => rule.text(),
            Self::Kind(kind) => kind.text.to_owned(),
        }
    }

    fn class(&self) -> ErrorClass {
        match self {
            Self::Rule(rule) => rule.class,
            Self::Kind(kind) => kind.class,
        }
    }

    fn vuids(&self) -> &'static [&'static str] {
        match self {
            Self::Rule(rule) => rule.vuids,
            Self::Kind(_) => &[],
        }
    }

    fn explain(&self, full: bool) -> String {
        let mut out = format!("{}\n\n{}\n\n", self.id(), self.text());
        match self {
            Self::Rule(rule) => {
                let _ = writeln!(out, "class:   {}", self.class().name());
                let _ = writeln!(out, "section: {}", rule.section);
                for vuid in rule.vuids {
                    let _ = writeln!(out, "vulkan:  {vuid}");
                }
                out += &examples(&rule.example(), full);
            }
            Self::Kind(kind) => {
                let _ = writeln!(out, "{}\n", kind.advice);
                let _ = writeln!(out, "class:   {}", self.class().name());
                if !kind.example.is_empty() {
                    let _ = write!(out, "\nFor example:\n\n{}", indented(kind.example));
                }
            }
        }
        out
    }

    fn json(&self) -> String {
        let mut object = json!({
            "id": self.id(),
            "family": family(self.id()),
            "class": self.class().name(),
            "text": self.text(),
            "section": Value::Null,
            "vuids": self.vuids(),
            "advice": Value::Null,
            "example": Value::Null,
        });
        match self {
            Self::Rule(rule) => {
                object["section"] = rule.section.into();
                let example = rule.example();
                object["example"] = json!({
                    "environment": example.env.name(),
                    "device": Some(&example.device).filter(|it| !it.is_empty()),
                    "breaks": example.breaking(),
                    "keeps": example.keeping(),
                });
            }
            Self::Kind(kind) => {
                object["advice"] = kind.advice.into();
                if !kind.example.is_empty() {
                    object["example"] = json!({
                        "environment": Value::Null,
                        "device": Value::Null,
                        "breaks": kind.example,
                        "keeps": Value::Null,
                    });
                }
            }
        }
        object.to_string()
    }
}

/// What breaks a rule, and what keeps it.
fn examples(example: &Example, full: bool) -> String {
    let (breaks, keeps) = match full {
        true => (example.breaking(), example.keeping()),
        false => (example.breaks.clone(), example.keeps.clone()),
    };
    let surroundings = match (full, example.frame) {
        (false, Frame::Shader) => " in a compute shader",
        (false, Frame::Fragment) => " in a fragment shader",
        (false, Frame::Kernel) => " in a kernel",
        (false, Frame::Limited) => " in a compute shader, with all limits set to 3",
        (true, Frame::Limited) => " with all limits set to 3",
        (false, Frame::Device) => " in a compute shader, for a device without options",
        (true, Frame::Device) => " for a device without options",
        (false, Frame::OldDevice) => {
            " in a compute shader, for a device of Vulkan 1.0 without options"
        }
        (true, Frame::OldDevice) => " for a device of Vulkan 1.0 without options",
        _ => "",
    };
    let surroundings = match &*example.device {
        "" => surroundings.to_owned(),
        device if surroundings.contains("a device") => {
            surroundings.replace("without options", &format!("with {device}"))
        }
        device => format!("{surroundings} for a device with {device}"),
    };
    let env = example.env.name();
    format!(
        "\nThis breaks the rule{surroundings} ({env}):\n\n{}\nThis follows it:\n\n{}",
        indented(&breaks),
        indented(&keeps)
    )
}

fn indented(text: &str) -> String {
    let lines = text.lines().map(str::trim_end);
    lines.map(|line| format!("    {line}\n")).collect()
}

/// Says that there is no such id, and which ones there are that look alike.
fn unknown(all: &BTreeMap<&'static str, Topic>, text: &str) -> Diagnostic {
    let id = text.to_ascii_lowercase();
    let name = id.rsplit('.').next().unwrap_or(&id);
    let families: BTreeSet<&str> = all.keys().map(|id| family(id)).collect();
    let ids = all.keys().copied();
    let mut alike = similar(&id, families.into_iter().chain(ids).map(|it| (it, it)));
    if alike.is_empty() {
        let names = all
            .keys()
            .map(|&id| (id.rsplit('.').next().unwrap_or(id), id));
        alike = similar(name, names);
    }
    if alike.is_empty() && !name.is_empty() {
        alike = all
            .keys()
            .copied()
            .filter(|id| id.contains(name))
            .take(3)
            .collect();
    }
    let hint = match alike.is_empty() {
        true => "`spv explain --list` shows all rules and families".to_owned(),
        false => {
            let alike: Vec<String> = alike.iter().map(|id| format!("`{id}`")).collect();
            format!("did you mean {}?", alike.join(" or "))
        }
    };
    let message = format!("there is no rule or family `{}`", text.escape_debug());
    kinds::NOT_FOUND.error(message).with_help(hint)
}
