//! Every rule's example breaks it and keeps it, and every rule is worded well.

use spirvkit_diagnostics::{Severity, with_article};
use spirvkit_validate::{Report, rules};

use crate::common;

/// Shows what a report holds.
fn list(report: &Report) -> String {
    let lines = report.diagnostics().iter();
    lines
        .map(|d| format!("  {}: {}\n", d.rule(), d.message()))
        .collect()
}

#[test]
fn examples_break_and_keep_their_rules() {
    let mut failures = String::new();
    for rule in rules() {
        let example = rule.example();
        let (breaking, keeping) = (example.breaking(), example.keeping());
        let report = common::example_report(&example, &breaking);
        let other: Vec<_> = report
            .diagnostics()
            .iter()
            .filter(|d| d.rule() != rule.id)
            .collect();
        if !other.is_empty() || report.diagnostics().is_empty() {
            failures += &format!(
                "{} is to be broken, and nothing else, but:\n{}",
                rule.id,
                list(&report)
            );
        }
        if rule.severity() == Severity::Warning && !report.is_valid() {
            failures += &format!("{} is more than a warning\n", rule.id);
        }
        let report = common::example_report(&example, &keeping);
        if !report.diagnostics().is_empty() {
            failures += &format!("{} is to be kept, but:\n{}", rule.id, list(&report));
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

/// What is wrong with the articles and numbers in a sentence.
fn slips(sentence: &str) -> Vec<String> {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let pairs = words.windows(2).filter(|pair| match pair[0] {
        // Letters are spoken by their names.
        "a" | "an" if pair[1].find(|c: char| !c.is_alphanumeric()) == Some(1) => false,
        "a" | "an" if pair[1].len() == 1 => false,
        "a" | "an" => !with_article(pair[1]).starts_with(&format!("{} ", pair[0])),
        "1" => [
            "parents",
            "members",
            "components",
            "operands",
            "inputs",
            "indexes",
        ]
        .contains(&pair[1].trim_end_matches([',', '.', ';'])),
        _ => false,
    });
    pairs.map(|pair| pair.join(" ")).collect()
}

#[test]
fn articles_and_numbers_agree_with_their_nouns() {
    let mut failures = String::new();
    let mut check = |id: &str, sentence: &str| {
        for slip in slips(sentence) {
            failures += &format!("{id}: `{slip}` in: {sentence}\n");
        }
    };
    for rule in rules() {
        check(rule.id, &rule.text());
        let example = rule.example();
        let report = common::example_report(&example, &example.breaking());
        for diagnostic in report.diagnostics() {
            check(rule.id, diagnostic.message());
            check(rule.id, diagnostic.help().unwrap_or_default());
        }
    }
    assert!(failures.is_empty(), "{failures}");
    assert_eq!(slips("OpPhi has 1 parents and a image").len(), 2);
}

#[test]
fn ids_are_unique_and_well_formed() {
    let rules = rules();
    for pair in rules.windows(2) {
        assert_ne!(pair[0].id, pair[1].id);
    }
    for rule in rules {
        let fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let parts: Vec<&str> = rule.id.split('.').collect();
        assert_eq!(parts.len(), 2, "{}", rule.id);
        assert!(
            parts
                .iter()
                .all(|part| !part.is_empty() && part.chars().all(fine)),
            "{}",
            rule.id
        );
        assert!(
            !rule.section.is_empty() && rule.text().ends_with('.'),
            "{}",
            rule.id
        );
        assert!(
            rule.vuids.iter().all(|vuid| vuid.starts_with("VUID-")),
            "{}",
            rule.id
        );
    }
}
