//! Modules in assembly with comments that say what is wrong with which line.
//!
//! Each file below `tests/cases` has cases. One begins with a line such as
//! `;; what it shows (shader vulkan1.3)`, with the [frames](Example::framed) around it in
//! parentheses. A line of it ends with a comment for each error and warning that the
//! validator must report there, `; error[rule.id]`, in their order; nothing else may be
//! reported. What is reported of the frame's lines is in comments behind the last line.
//!
//! `BLESS=1 cargo test -p spirvkit-validate cases` writes what is reported into the files:
//! look at the difference before you keep it.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use spirvkit_diagnostics::Severity;
use spirvkit_text::{AssembleOptions, assemble};
use spirvkit_validate::{Example, validate};

/// The files below a folder, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found.sort();
    found
}

/// A line without what it says must be reported.
fn bare(line: &str) -> &str {
    let comment = ["; error[", "; warning["]
        .iter()
        .filter_map(|it| line.find(it))
        .min();
    line[..comment.unwrap_or(line.len())].trim_end()
}

/// A case with comments for what is reported of it.
fn annotated(frames: &str, lines: &[&str]) -> String {
    let bare: Vec<&str> = lines.iter().map(|line| bare(line)).collect();
    // Comments that say something else don't take part.
    let code = bare
        .iter()
        .filter(|line| !line.starts_with(';') || line.starts_with("; ..."));
    let code: Vec<&str> = code.copied().filter(|line| !line.is_empty()).collect();
    let example = Example::framed(frames, &(code.join("\n") + "\n"), "");
    let example = example.unwrap_or_else(|error| panic!("{frames}: {error}"));
    let text = example.breaking();
    let mut options = example.options();
    options.max_errors = 0;
    let mut assembling = AssembleOptions::default().origins(true);
    if !text.starts_with("; SPIR-V") {
        assembling = assembling.target(options.env.version());
    }
    let module = assemble(&text, &assembling).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    let mut reported: Vec<(usize, String)> = Vec::new();
    for found in validate(&module.words, &options).diagnostics() {
        let span = found
            .word_offset()
            .and_then(|word| module.origins.span(word));
        let line = span.map_or(usize::MAX, |span| text[..span.start].matches('\n').count());
        let kind = match found.severity() {
            Severity::Error => "error",
            _ => "warning",
        };
        reported.push((line, format!("; {kind}[{}]", found.rule())));
    }
    let mut result = String::new();
    // Lines may be moved within the frame, but equal ones stay in order.
    let in_frame: Vec<&str> = text.lines().map(str::trim).collect();
    let mut taken = vec![false; in_frame.len()];
    for line in &bare {
        let place = (0..in_frame.len()).find(|&it| !taken[it] && in_frame[it] == line.trim());
        result += line;
        if let Some(place) = place.filter(|_| !line.is_empty()) {
            taken[place] = true;
            for (_, comment) in reported.iter().filter(|found| found.0 == place) {
                write!(result, " {comment}").unwrap();
            }
            reported.retain(|found| found.0 != place);
        }
        result += "\n";
    }
    let result = result.trim_end().to_owned();
    let rest = reported.iter().map(|(_, comment)| format!("\n{comment}"));
    result + &rest.collect::<String>() + "\n"
}

/// A file with comments for what is reported of its cases.
fn annotate(text: &str) -> String {
    let mut result = String::new();
    let mut cases = text.split("\n;; ");
    result += cases.next().unwrap_or_default();
    result = result.trim_end().to_owned() + "\n";
    for case in cases {
        let (head, lines) = case.split_once('\n').unwrap_or((case, ""));
        let frames = head
            .rsplit_once('(')
            .and_then(|(_, rest)| rest.strip_suffix(')'));
        let frames = frames.unwrap_or_else(|| panic!("no frames in parentheses: {head}"));
        let lines: Vec<&str> = lines.lines().collect();
        write!(result, "\n;; {head}\n{}", annotated(frames, &lines)).unwrap();
    }
    result
}

/// The lines that only one of two texts has, with those before them for orientation.
fn difference(expected: &str, found: &str) -> String {
    let mut lines = String::new();
    let mut head = "";
    for (one, other) in expected.lines().zip(found.lines()) {
        if one.starts_with(";; ") {
            head = one;
        }
        if one != other {
            writeln!(lines, "{}\n-{one}\n+{other}", std::mem::take(&mut head)).unwrap();
        }
    }
    if expected.lines().count() != found.lines().count() {
        writeln!(lines, "and what follows").unwrap();
    }
    lines
}

#[test]
fn cases_have_the_errors_that_they_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut failures = String::new();
    for file in files(&folder) {
        let expected = fs::read_to_string(&file).unwrap();
        let found = annotate(&expected);
        if found == expected {
            continue;
        }
        match std::env::var_os("BLESS") {
            Some(_) => fs::write(&file, &found).unwrap(),
            None => {
                let differs = difference(&expected, &found);
                write!(failures, "{}:\n{differs}", file.display()).unwrap();
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn what_is_not_said_is_a_difference() {
    let text = "; About nothing.\n\n;; a sum (shader spv1.6)\n%sum = OpIAdd %u32 %u32_1 %f32_1\n";
    let found = annotate(text);
    let line = "%sum = OpIAdd %u32 %u32_1 %f32_1";
    let wrong = format!("{line} ; error[arithmetic.integer-operand]");
    assert_eq!(found, text.replace(line, &wrong));
    assert_eq!(annotate(&found), found);
    assert_eq!(
        difference(text, &found),
        format!(";; a sum (shader spv1.6)\n-{line}\n+{wrong}\n")
    );
}
