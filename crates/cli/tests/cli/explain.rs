//! `spv explain`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{Dir, TEXT};

#[test]
fn rules_are_explained() {
    let dir = Dir::new();
    let ran = dir.spv(&["explain", "id.undefined"]);
    let text = ran.text();
    assert!(text.starts_with("id.undefined\n"));
    assert!(text.contains("This breaks the rule") && text.contains("This follows it"));
    let full = dir.spv(&["explain", "--full", "id.undefined"]);
    assert!(full.text().contains("OpEntryPoint"));
    dir.spv(&["explain"]).fails(2, "Usage");
}

#[test]
fn what_is_no_rule_of_the_specification_is_explained_too() {
    let dir = Dir::new();
    let ran = dir.spv(&["explain", "text.open-string"]);
    let text = ran.text();
    assert!(text.starts_with("text.open-string\n\nA string has no closing quotation mark.\n"));
    assert!(text.contains("class:   invalid_text\n"), "{text}");
    assert!(text.contains("For example:\n\n    OpExtension"), "{text}");
}

#[test]
fn letters_may_be_capital_and_vulkan_s_rules_are_known() {
    let dir = Dir::new();
    let expected = dir.spv(&["explain", "id.undefined"]).stdout;
    assert_eq!(dir.spv(&["explain", "ID.Undefined"]).bytes(), expected);
    let vuid = "VUID-StandaloneSpirv-None-04633";
    let found = dir.spv(&["explain", vuid]);
    assert!(found.text().contains(vuid));
    let small = dir.spv(&["explain", &vuid.to_lowercase()]);
    assert_eq!(small.bytes(), found.stdout);
}

#[test]
fn a_family_is_listed() {
    let dir = Dir::new();
    let listed = dir.spv(&["explain", "io"]);
    let ids: Vec<&str> = listed.text().lines().map(first_word).collect();
    assert_eq!(ids, ["io.read", "io.write"]);
    for family in ["IO", "io.", "io.*"] {
        assert_eq!(dir.spv(&["explain", family]).bytes(), listed.stdout);
    }
    let all = dir.spv(&["explain", "--list"]);
    let ids: Vec<&str> = all.text().lines().map(first_word).collect();
    assert!(ids.is_sorted());
    for id in [
        "id.undefined",
        "io.read",
        "link.type-mismatch",
        "text.bad-id",
    ] {
        assert!(ids.contains(&id), "{id}");
    }
}

fn first_word(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or_default()
}

#[test]
fn misspelt_ids_get_suggestions() {
    let dir = Dir::new();
    for (id, suggestion) in [
        ("id.undefind", "`id.undefined`"),
        ("text.unknown-opcod", "`text.unknown-opcode`"),
        ("Debug-Inof", "`debug-info`"),
        ("undefined", "`id.undefined`"),
    ] {
        let ran = dir.spv(&["explain", id]);
        ran.fails(1, "did you mean");
        assert!(ran.stderr.contains(suggestion), "{}", ran.stderr);
        assert!(!ran.stderr.contains("-->"), "{}", ran.stderr);
    }
    dir.spv(&["explain", "qqqqqqqq"]).fails(1, "--list");
}

#[test]
fn programs_get_json() {
    let dir = Dir::new();
    let ran = dir.spv(&["explain", "--format", "json", "id.undefined"]);
    let rule: serde_json::Value = serde_json::from_str(ran.text()).unwrap();
    assert_eq!(rule["id"], "id.undefined");
    assert_eq!(rule["family"], "id");
    assert_eq!(rule["class"], "invalid_id");
    assert_eq!(rule["advice"], serde_json::Value::Null);
    let breaks = rule["example"]["breaks"].as_str().unwrap();
    assert!(breaks.contains("OpEntryPoint"), "{breaks}");
    let ran = dir.spv(&["explain", "--format", "json", "io"]);
    let lines: Vec<&str> = ran.text().lines().collect();
    assert_eq!(lines.len(), 2);
    for line in lines {
        let kind: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(kind["class"], "io");
        assert!(!kind["advice"].as_str().unwrap().is_empty());
    }
}

#[test]
fn a_truncated_file_is_the_same_for_all_commands_wherever_it_ends() {
    let dir = Dir::new();
    let whole = dir.module("whole.spv", TEXT);
    for length in [0, 18, whole.len() - 2, whole.len() - 4] {
        dir.write("cut.spv", &whole[..length]);
        for command in ["dis", "val", "info", "layout", "strip", "cfg"] {
            let ran = dir.spv(&[command, "cut.spv"]);
            ran.fails(1, "error[binary.truncated]");
        }
    }
}

/// Ids stand in the sources where their kinds and rules are declared; whatever else looks
/// like an id of a family there is, or is given to a diagnostic, must be one of these.
#[test]
fn every_id_in_the_sources_is_explained() {
    let dir = Dir::new();
    let ran = dir.spv(&["explain", "--list"]);
    let known: BTreeSet<&str> = ran.text().lines().map(first_word).collect();
    let families: BTreeSet<&str> = known.iter().filter_map(|id| id.split('.').next()).collect();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut looked_at = 0;
    for path in sources(&crates) {
        let text = fs::read_to_string(&path).unwrap();
        // Tests at the end of a file may use ids of their own.
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let lines = code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        let code: String = lines.map(|line| format!("{line}\n")).collect();
        for (before, literal) in literals(&code) {
            let is_made =
                before.ends_with("Diagnostic::error(") || before.ends_with("Diagnostic::warning(");
            let is_id = is_id_of(literal, &families) && !is_file_name(literal);
            if is_made || is_id {
                looked_at += 1;
                assert!(known.contains(literal), "{}: {literal}", path.display());
            }
        }
    }
    assert!(looked_at > 900, "only {looked_at} ids were found");
}

/// The Rust files of all libraries and the program, without tests and generated tables.
fn sources(crates: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let entries = fs::read_dir(crates).unwrap();
    let mut directories: Vec<PathBuf> = entries.map(|it| it.unwrap().path().join("src")).collect();
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("generated") {
                directories.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                found.push(path);
            }
        }
    }
    found
}

/// What stands between quotation marks, each with the text before it.
fn literals(code: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = code[at..].find('"').map(|start| at + start) {
        let Some(length) = code[start + 1..].find('"') else {
            break;
        };
        let literal = &code[start + 1..start + 1 + length];
        found.push((code[..start].trim_end(), literal));
        // Which marks open and which close takes a parser to tell; each is tried.
        at = start + 1;
    }
    found
}

fn is_id_of(literal: &str, families: &BTreeSet<&str>) -> bool {
    let Some((family, name)) = literal.split_once('.') else {
        return false;
    };
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    families.contains(family) && !name.is_empty() && name.chars().all(is_plain)
}

fn is_file_name(literal: &str) -> bool {
    [".rs", ".spv", ".spvasm", ".json", ".md"]
        .iter()
        .any(|end| literal.ends_with(end))
}

#[test]
fn examples_for_devices_say_what_the_device_has() {
    let dir = Dir::new();
    let ran = dir.spv(&["explain", "device.workgroup-payload"]);
    let text = ran.text();
    let device = "for a device with everything maxTaskPayloadSize=4";
    assert!(text.contains(device), "{text}");
}
