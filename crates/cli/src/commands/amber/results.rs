//! What came of scripts: lines of JSON, a summary, JUnit's XML.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::json;
use spirvkit::Diagnostic;
use spirvkit::amber::Verdict;
use spirvkit::diagnostics::{Location, Source, counted};

/// The remark on a script that passes by coming to its end.
pub(super) const NO_EXPECTATIONS: &str = "it has no expectations";

/// What came of a script.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) file: String,
    pub(super) verdict: Verdict,
    /// Why it failed or was skipped, or a remark; empty if there is nothing to say.
    pub(super) reason: String,
    pub(super) seconds: f64,
    /// How many things the interpreter reported that made no difference.
    pub(super) findings: usize,
}

/// The first of some errors in a line, with its place.
pub(super) fn reason(errors: &[Diagnostic], source: &Source<'_>) -> String {
    let Some(first) = errors.first() else {
        return String::new();
    };
    match first.location() {
        Location::Span(span) => {
            let place = source.position(span.start);
            format!("{}:{}: {}", place.line, place.column, first.message())
        }
        _ => first.message().to_owned(),
    }
}

impl Outcome {
    /// As a line for programs.
    pub(super) fn json(&self) -> String {
        let reason = Some(&self.reason).filter(|reason| !reason.is_empty());
        json!({
            "file": self.file,
            "result": self.verdict.name(),
            "reason": reason,
            "seconds": (self.seconds * 1e6).round() / 1e6,
        })
        .to_string()
    }
}

/// All results.
#[derive(Debug)]
pub(super) struct Tally {
    passed: usize,
    failed: usize,
    skipped: usize,
    without_expectations: usize,
    findings: usize,
    with_findings: usize,
    /// How many scripts were skipped for each reason.
    reasons: BTreeMap<String, usize>,
    /// The single ones, if they are wanted.
    all: Option<Vec<Outcome>>,
}

impl Tally {
    pub(super) fn new(keeps_all: bool) -> Self {
        Self {
            passed: 0,
            failed: 0,
            skipped: 0,
            without_expectations: 0,
            findings: 0,
            with_findings: 0,
            reasons: BTreeMap::new(),
            all: keeps_all.then(Vec::new),
        }
    }

    pub(super) fn add(&mut self, outcome: Outcome) {
        self.findings += outcome.findings;
        self.with_findings += usize::from(outcome.findings > 0);
        match outcome.verdict {
            Verdict::Passed => {
                self.passed += 1;
                self.without_expectations += usize::from(outcome.reason == NO_EXPECTATIONS);
            }
            Verdict::Failed => self.failed += 1,
            Verdict::Skipped => {
                self.skipped += 1;
                *self.reasons.entry(outcome.reason.clone()).or_default() += 1;
            }
        }
        if let Some(all) = &mut self.all {
            all.push(outcome);
        }
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failed > 0
    }

    /// Why scripts were skipped, the most frequent reason first, and how many passed, failed
    /// and were skipped on the last line.
    pub(super) fn summary(&self) -> String {
        let mut text = String::new();
        let mut reasons: Vec<_> = self.reasons.iter().collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for (reason, count) in reasons {
            let _ = writeln!(text, "skipped {count}: {reason}");
        }
        if self.without_expectations > 0 {
            let _ = writeln!(
                text,
                "passed {} without an expectation: they only came to their end",
                self.without_expectations
            );
        }
        if self.findings > 0 {
            let findings = counted(self.findings, "finding");
            let scripts = counted(self.with_findings, "script");
            let _ = writeln!(text, "{findings} in {scripts}: `--findings` shows what");
        }
        let _ = writeln!(
            text,
            "{} passed, {} failed, {} skipped",
            self.passed, self.failed, self.skipped
        );
        text
    }

    /// The results in the form that build servers read.
    pub(super) fn junit(&self) -> String {
        let all = self.all.as_deref().unwrap_or_default();
        let seconds: f64 = all.iter().map(|outcome| outcome.seconds).sum();
        let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        let _ = writeln!(
            xml,
            "<testsuite name=\"spv amber\" tests=\"{}\" failures=\"{}\" skipped=\"{}\" time=\"{seconds:.6}\">",
            all.len(),
            self.failed,
            self.skipped
        );
        for outcome in all {
            let _ = write!(
                xml,
                "  <testcase classname=\"amber\" name=\"{}\" time=\"{:.6}\"",
                escaped(&outcome.file),
                outcome.seconds
            );
            let reason = escaped(&outcome.reason);
            let _ = match outcome.verdict {
                Verdict::Passed => writeln!(xml, "/>"),
                Verdict::Failed => {
                    writeln!(xml, ">\n    <failure message=\"{reason}\"/>\n  </testcase>")
                }
                Verdict::Skipped => {
                    writeln!(xml, ">\n    <skipped message=\"{reason}\"/>\n  </testcase>")
                }
            };
        }
        xml.push_str("</testsuite>\n");
        xml
    }
}

/// A text as an attribute. XML takes most control characters in no form at all.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' | '\r' => {
                let _ = write!(escaped, "&#{};", u32::from(character));
            }
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            other if other.is_control() && other < ' ' => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(file: &str, verdict: Verdict, reason: &str) -> Outcome {
        Outcome {
            file: file.to_owned(),
            verdict,
            reason: reason.to_owned(),
            seconds: 0.25,
            findings: usize::from(verdict == Verdict::Failed),
        }
    }

    #[test]
    fn results_are_counted_and_written_as_xml() {
        let mut tally = Tally::new(true);
        tally.add(outcome("a", Verdict::Passed, ""));
        tally.add(outcome("b", Verdict::Passed, NO_EXPECTATIONS));
        tally.add(outcome("c<\"&\u{1}\n>", Verdict::Failed, "1 < 2"));
        for file in ["d", "e"] {
            tally.add(outcome(file, Verdict::Skipped, "it draws"));
        }
        tally.add(outcome("f", Verdict::Skipped, "another"));
        assert_eq!(
            tally.summary(),
            "skipped 2: it draws\n\
             skipped 1: another\n\
             passed 1 without an expectation: they only came to their end\n\
             1 finding in 1 script: `--findings` shows what\n\
             2 passed, 1 failed, 3 skipped\n"
        );
        let xml = tally.junit();
        assert!(xml.contains("tests=\"6\" failures=\"1\" skipped=\"3\" time=\"1.500000\""));
        assert!(xml.contains("name=\"a\" time=\"0.250000\"/>"));
        assert!(xml.contains("name=\"c&lt;&quot;&amp;\u{fffd}&#10;&gt;\""));
        assert!(xml.contains("<failure message=\"1 &lt; 2\"/>"));
        assert_eq!(xml.matches("<skipped message=\"it draws\"/>").count(), 2);
        assert!(xml.ends_with("</testsuite>\n"));
    }
}
