//! `spv run --explore`: all outcomes that the memory model allows.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use spirvkit::Diagnostic;
use spirvkit::diagnostics::Source;
use spirvkit::interp::{Condition, Explored, Final, Run};

use super::json::text as value_text;
use super::outputs::{self, Memory};
use super::places::{Blocks, Wanted};
use super::{Arguments, in_place, report_of};
use crate::look::Looked;
use crate::report::{Format, Messages, kinds, stream};

/// A condition with the text that it was given as.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    text: String,
    condition: Condition,
}

/// A condition on what buffers hold in the end.
pub(super) fn asked(text: &str) -> Result<Asked, String> {
    let condition = text.parse::<Condition>();
    Ok(Asked {
        condition: condition.map_err(|error| error.to_string())?,
        text: text.to_owned(),
    })
}

/// What a condition was found to be.
struct Answer<'a> {
    asked: &'a Asked,
    /// `None` if that is not known.
    is_reachable: Option<bool>,
    /// An outcome for which it holds.
    witness: Option<Shown>,
}

/// What is shown of an outcome: each buffer, or part, with its value.
type Shown = Vec<(String, Value)>;

/// What is to be shown, and of what.
struct Results<'a, 'r> {
    blocks: &'a Blocks<'r>,
    wanted: &'a [Wanted],
    explored: &'a Explored,
}

impl Results<'_, '_> {
    fn shown(&self, memory: &dyn Memory) -> Shown {
        let one = |wanted: &Wanted| {
            let value = outputs::value(self.blocks, wanted, memory);
            (wanted.label(), value.unwrap_or_else(Value::String))
        };
        self.wanted.iter().map(one).collect()
    }

    /// The outcomes that differ in what is shown of them.
    fn outcomes(&self) -> Vec<Shown> {
        let all = self.explored.outcomes().map(|outcome| {
            let shown = self.shown(&outcome);
            (text(&shown, ""), shown)
        });
        let different: BTreeMap<String, Shown> = all.collect();
        different.into_values().collect()
    }

    fn answer<'a>(&self, asked: &'a Asked) -> Answer<'a> {
        let holds = |outcome: Final<'_>| asked.condition.holds(outcome);
        let witness = self.explored.outcomes().find(|outcome| holds(*outcome));
        Answer {
            asked,
            is_reachable: self.explored.is_reachable(holds),
            witness: witness.map(|outcome| self.shown(&outcome)),
        }
    }
}

/// A line for each buffer.
fn text(shown: &Shown, indent: &str) -> String {
    let line =
        |(label, value): &(String, Value)| format!("{indent}{label}: {}\n", value_text(value));
    shown.iter().map(line).collect()
}

fn object(shown: &Shown) -> Value {
    let one = |(name, value): &(String, Value)| json!({"name": name, "value": value});
    shown.iter().map(one).collect()
}

/// Explores a run, and tells what was found.
pub(super) fn explore(
    arguments: &Arguments,
    looked: &Looked<'_>,
    blocks: &Blocks<'_>,
    bound: Vec<Wanted>,
    run: Run<'_>,
    messages: &mut Messages,
) {
    let explored = run
        .explore()
        .max_looks(arguments.max_looks)
        .dispatch(arguments.dispatch);
    let (findings, explored) = match explored {
        Ok(explored) => (explored.findings.clone(), Some(explored)),
        Err(errors) => (errors.into_vec(), None),
    };
    let mut findings = in_place(looked, findings);
    let wanted = match arguments.print.is_empty() {
        true => bound,
        false => arguments.print.clone(),
    };
    let mut answers = Vec::new();
    let mut outcomes = Vec::new();
    if let Some(explored) = &explored {
        let results = Results {
            blocks,
            wanted: &wanted,
            explored,
        };
        answers.extend(arguments.reachable.iter().map(|it| results.answer(it)));
        outcomes = results.outcomes();
        findings.extend(incomplete(arguments, explored, &answers));
    }
    match arguments.format {
        Format::Human => {
            let source = looked.text.map_or("", |text| text.0.as_str());
            let source = Source::new(looked.name, source);
            findings.iter().for_each(|it| messages.add(it, &source));
            let shown = explored.map_or_else(String::new, |explored| {
                for_people(arguments, &explored, &outcomes, &answers)
            });
            stream(messages, |out| out.write_all(shown.as_bytes()));
        }
        Format::Json => {
            let report = report_of(looked, explored.is_some(), &findings, messages);
            let answers = answers.iter().map(|answer| {
                json!({
                    "condition": answer.asked.text,
                    "reachable": answer.is_reachable,
                    "witness": answer.witness.as_ref().map(object),
                })
            });
            let document = json!({
                "file": report["file"],
                "explored": explored.is_some(),
                "executions": explored.as_ref().map(|it| it.executions),
                "incomplete": explored.as_ref().and_then(|it| it.incomplete.as_deref()),
                "outcomes": explored.as_ref().map(|_| outcomes.iter().map(object).collect::<Value>()),
                "conditions": answers.collect::<Value>(),
                "findings": report["diagnostics"],
            });
            stream(messages, |out| writeln!(out, "{document}"));
        }
    }
}

/// That not all was seen: an error if something that was asked for is not known therefore.
fn incomplete(
    arguments: &Arguments,
    explored: &Explored,
    answers: &[Answer<'_>],
) -> Option<Diagnostic> {
    let why = explored.incomplete.as_ref()?;
    let is_open = arguments.explore || answers.iter().any(|it| it.is_reachable.is_none());
    let message = format!("not all executions were seen: {why}");
    Some(match is_open {
        true => kinds::INCOMPLETE.error(message),
        false => kinds::INCOMPLETE.warning(message),
    })
}

fn for_people(
    arguments: &Arguments,
    explored: &Explored,
    outcomes: &[Shown],
    answers: &[Answer<'_>],
) -> String {
    let mut all = String::new();
    if arguments.explore {
        let number = |count: u64, noun: &str| match count {
            1 => format!("1 {noun}"),
            count => format!("{count} {noun}s"),
        };
        let at_least = if explored.incomplete.is_some() {
            "at least "
        } else {
            ""
        };
        all += &format!(
            "{at_least}{} of {}\n",
            number(outcomes.len() as u64, "outcome"),
            number(explored.executions, "execution")
        );
        for (index, shown) in outcomes.iter().enumerate() {
            all += &format!("outcome {}\n{}", index + 1, text(shown, "  "));
        }
    }
    for answer in answers {
        let verdict = match answer.is_reachable {
            Some(true) => "reachable",
            Some(false) => "not reachable",
            None => "not known whether reachable",
        };
        all += &format!("{verdict}: {}\n", answer.asked.text);
        if let Some(witness) = &answer.witness {
            all += &text(witness, "  ");
        }
    }
    all
}
