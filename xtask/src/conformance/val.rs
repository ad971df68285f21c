//! The validator against recorded verdicts of the reference validator.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::PathBuf;

use serde::Deserialize;
use spirvkit::TargetEnv;
use spirvkit::diagnostics::Severity;
use spirvkit::validate::{Options, validate};

use super::agreement;
use super::records::{open, words};
use crate::Outcome;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The recorded cases, as `.jsonl` or `.jsonl.zst`.
    records: PathBuf,
    /// Runs only the cases whose test's name contains this (several times: any).
    #[arg(long)]
    filter: Vec<String>,
    /// How many of the cases that differ to show.
    #[arg(long, default_value_t = 20)]
    show: usize,
    /// Shows cases of which only the class of the first error differs, too.
    #[arg(long)]
    classes: bool,
    /// Writes each shown case's module to this folder, as ID.spv.
    #[arg(long)]
    dump: Option<PathBuf>,
    /// Lists differences by test family.
    #[arg(long)]
    families: bool,
    /// Puts the table of agreement into this Markdown file, between the lines
    /// that mark its place.
    #[arg(long)]
    write: Option<PathBuf>,
}

/// A recorded verdict.
#[derive(Deserialize)]
struct Case {
    id: serde_json::Value,
    test: String,
    env: String,
    flags: Vec<String>,
    result: String,
    message: String,
    words: String,
}

#[derive(Default)]
pub(super) struct Tally {
    pub(super) cases: usize,
    pub(super) missed: usize,
    pub(super) false_alarms: usize,
    pub(super) invalid: usize,
    pub(super) wrong_class: usize,
}

impl Tally {
    /// How many verdicts are right.
    pub(super) fn right(&self) -> usize {
        self.cases - self.missed - self.false_alarms
    }

    /// Of how many invalid modules the first error's class is right.
    pub(super) fn right_classes(&self) -> usize {
        self.invalid - self.missed - self.wrong_class
    }

    /// Whether it is as good as it has to be: 99.8 % of the verdicts, and 98 % of
    /// the classes.
    fn is_good_enough(&self) -> bool {
        percent(self.right(), self.cases) >= 99.8
            && percent(self.right_classes(), self.invalid) >= 98.0
    }

    fn summary(&self) -> String {
        format!(
            "{} cases: {} verdicts right ({:.2} %), {} missed, {} false alarms; first class \
             right in {} of {} invalid ({:.2} %)",
            self.cases,
            self.right(),
            percent(self.right(), self.cases),
            self.missed,
            self.false_alarms,
            self.right_classes(),
            self.invalid,
            percent(self.right_classes(), self.invalid),
        )
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.cases += other.cases;
        self.missed += other.missed;
        self.false_alarms += other.false_alarms;
        self.invalid += other.invalid;
        self.wrong_class += other.wrong_class;
    }
}

pub(super) fn run(arguments: &Arguments) -> Outcome {
    let mut families: BTreeMap<String, Tally> = BTreeMap::new();
    let mut shown = 0;
    for line in open(&arguments.records)?.lines() {
        let case: Case = serde_json::from_str(&line?)?;
        let wanted = arguments.filter.is_empty()
            || arguments
                .filter
                .iter()
                .any(|filter| case.test.contains(filter.as_str()));
        // A few records hold a warning that the tool's caller had asked for.
        if !wanted || case.result == "warning" {
            continue;
        }
        let tally = families.entry(family(&case.test)).or_default();
        tally.cases += 1;
        let words = words(&case.words)?;
        let report = validate(&words, &options(&case)?);
        let valid = case.result == "success";
        tally.invalid += usize::from(!valid);
        let first = report
            .diagnostics()
            .iter()
            .find(|diagnostic| diagnostic.severity() == Severity::Error);
        let class = first.map_or("success", |first| first.class().name());
        if class == case.result {
            continue;
        }
        match (valid, first.is_none()) {
            (true, _) => tally.false_alarms += 1,
            (false, true) => tally.missed += 1,
            (false, false) => tally.wrong_class += 1,
        }
        let only_class = !valid && first.is_some();
        if shown < arguments.show && (!only_class || arguments.classes) {
            shown += 1;
            let flags = case.flags.join(" ");
            println!(
                "{} {} ({} {flags}) {}",
                case.id, case.test, case.env, case.result
            );
            println!(
                "    record: {}",
                case.message.trim().replace('\n', "\n            ")
            );
            match first {
                Some(first) => {
                    println!("    ours:   {class} [{}] {}", first.rule(), first.message())
                }
                None => println!("    ours:   valid"),
            }
            if let Some(folder) = &arguments.dump {
                std::fs::create_dir_all(folder)?;
                let bytes = spirvkit::bytes_from_words(&words, spirvkit::Endianness::Little);
                let name = case.id.to_string().replace('"', "");
                std::fs::write(folder.join(name + ".spv"), bytes)?;
            }
        }
    }
    let mut total = Tally::default();
    for (name, tally) in &families {
        total.add(tally);
        if arguments.families && tally.missed + tally.false_alarms + tally.wrong_class > 0 {
            println!(
                "{name}: {} cases, {} missed, {} false alarms, {} of another class",
                tally.cases, tally.missed, tally.false_alarms, tally.wrong_class
            );
        }
    }
    println!("{}", total.summary());
    if let Some(file) = &arguments.write {
        agreement::write(file, &families, &total)?;
    }
    match total.is_good_enough() {
        true => Ok(()),
        false => Err("the agreement is below the bar".into()),
    }
}

pub(super) fn percent(part: usize, whole: usize) -> f64 {
    match whole {
        0 => 100.0,
        _ => 100.0 * part as f64 / whole as f64,
    }
}

/// The family of a test: its name up to the point.
fn family(test: &str) -> String {
    test.split('.').next().unwrap_or(test).to_owned()
}

/// The options that a case's flags stand for.
fn options(case: &Case) -> Result<Options, Box<dyn std::error::Error>> {
    let env: TargetEnv = case
        .env
        .parse()
        .map_err(|_| format!("environment {} is not known", case.env))?;
    let mut options = Options::for_env(env);
    let mut words = case.flags.iter().flat_map(|flags| flags.split_whitespace());
    while let Some(flag) = words.next() {
        let name = flag.trim_start_matches("--");
        let setting = Options::settings().iter().find(|each| each.name == name);
        let value = match setting.and_then(|setting| setting.value()) {
            Some(_) => words.next().ok_or("a flag lacks its value")?,
            None => "true",
        };
        options.set(name, value)?;
    }
    Ok(options)
}
