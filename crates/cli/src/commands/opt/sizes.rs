//! How large modules are before and after.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use spirvkit::binary::Error;
use spirvkit::reflect::{Parts, reflect};

use crate::report::{Format, Messages};

/// A part of a module: its names in JSON and for people, and where its words are counted.
type Part = (&'static str, &'static str, fn(&Parts) -> u64);

/// All parts but the header.
const PARTS: [Part; 5] = [
    ("modes", "modes and entry points", |parts| parts.modes),
    ("debug", "names and sources", |parts| parts.debug),
    ("annotations", "decorations", |parts| parts.annotations),
    ("declarations", "types, constants, variables", |parts| {
        parts.declarations
    }),
    ("functions", "functions", |parts| parts.functions),
];

/// Bytes before and after.
#[derive(Clone, Copy, Debug, Default)]
struct Pair {
    before: u64,
    after: u64,
}

impl Pair {
    fn add(&mut self, other: Self) {
        self.before += other.before;
        self.after += other.after;
    }

    fn json(self) -> Value {
        json!({"before": self.before, "after": self.after})
    }

    /// What is left, in hundredths of a percent, so that all machines show the same.
    fn hundredths(self) -> u64 {
        match self.before {
            0 => 10_000,
            before => self.after.saturating_mul(10_000) / before,
        }
    }
}

/// Sizes of a module, or of several.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sizes {
    whole: Pair,
    parts: [Pair; PARTS.len()],
}

impl Sizes {
    /// Those of a module before and after.
    pub(super) fn of(before: &[u32], after: &[u32]) -> Result<Self, Error> {
        let (old, new) = (reflect(before)?.statistics, reflect(after)?.statistics);
        let bytes = |before: u64, after: u64| Pair {
            before: before * 4,
            after: after * 4,
        };
        Ok(Self {
            whole: bytes(old.words, new.words),
            parts: PARTS.map(|(_, _, words)| bytes(words(&old.parts), words(&new.parts))),
        })
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.whole.add(other.whole);
        for (sum, part) in self.parts.iter_mut().zip(other.parts) {
            sum.add(part);
        }
    }

    pub(super) fn tell(&self, name: &str, messages: &mut Messages) {
        let line = match messages.reporter().format {
            Format::Human => self.text(name),
            Format::Json => self.json(name),
        };
        messages.add_line(&line);
    }

    fn text(&self, name: &str) -> String {
        let row = |pair: Pair| {
            let left = pair.hundredths();
            let percent = format!("{}.{:02}", left / 100, left % 100);
            format!("{} → {} bytes, {percent} %", pair.before, pair.after)
        };
        let mut text = format!("{name}: {}", row(self.whole));
        for ((_, part, _), &pair) in PARTS.iter().zip(&self.parts) {
            if pair.before > 0 || pair.after > 0 {
                let _ = write!(text, "\n  {part}: {}", row(pair));
            }
        }
        text
    }

    fn json(&self, name: &str) -> String {
        let parts = PARTS.iter().zip(&self.parts);
        let parts: Map<String, Value> = parts
            .map(|((key, _, _), pair)| ((*key).to_owned(), pair.json()))
            .collect();
        let object = json!({
            "file": name,
            "bytes": self.whole.json(),
            "percent": self.whole.hundredths() as f64 / 100.0,
            "parts": parts,
        });
        object.to_string()
    }
}
