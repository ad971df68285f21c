//! Modules in assembly with comments that say what is wrong with which line.
//!
//! Each file below `tests/cases` has cases. One begins with a line such as
//! `;; what it shows (shader vulkan1.1 --relax-block-layout)`. In parentheses are the
//! [frames](Example::framed) around it, also those of `tests/frames`, the environment, and
//! options by the names of the program's flags; behind them what a device has (`with
//! maxVectorComponents=4`).
//!
//! A line of it ends with a comment for each error and warning that the validator must report
//! there, `; error[rule.id]`, in their order; nothing else may be reported. What is reported of
//! the frame's lines is in comments behind the last line.
//!
//! `{one | other}` makes variants of a case, in its first line as well: the first has `one`,
//! the second `other`, and so on. `; 2,3: error[rule.id]` is reported of the second and third.
//!
//! In Vulkan, where a rule has several VUIDs, the number of the one that applies stands behind it:
//! `; error[rule.id, 01234]`.
//!
//! `BLESS=1 cargo test -p spirvkit-validate cases` writes what is reported into the files:
//! look at the difference before you keep it.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use spirvkit_diagnostics::Severity;
use spirvkit_testing::files;
use spirvkit_validate::{Example, Options, find_rule, rules, validate};

use crate::built_ins;
use crate::common::assembled;

/// A file or folder of the crate's tests.
pub(crate) fn in_tests(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(path)
}

/// The choices of each pair of braces in a text, and what stands before it; then the rest.
fn choices(text: &str) -> (Vec<(&str, Vec<&str>)>, &str) {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('{') {
        let (inner, behind) = behind.split_once('}').expect("braces are closed");
        found.push((before, inner.split(" | ").map(str::trim).collect()));
        rest = behind;
    }
    (found, rest)
}

/// How many variants a text has.
fn variants(text: &str) -> usize {
    let (choices, _) = choices(text);
    let count = choices.first().map_or(1, |(_, first)| first.len());
    let agree = choices.iter().all(|(_, each)| each.len() == count);
    assert!(agree, "as many choices in all braces: {text}");
    count
}

/// A variant of a text.
fn variant(text: &str, number: usize) -> String {
    let (choices, rest) = choices(text);
    let chosen = choices
        .iter()
        .map(|(before, all)| [before, all[number]].concat());
    chosen.collect::<String>() + rest
}

/// A line without what it says must be reported.
fn bare(line: &str) -> &str {
    let is_expected = |comment: &str| {
        let is_number = |c: char| c.is_ascii_digit() || c == ',';
        let what = comment.trim_start_matches(is_number);
        let what = what.trim_start_matches(": ");
        what.starts_with("error[") || what.starts_with("warning[")
    };
    let mut comments = line.match_indices("; ");
    let first = comments.find(|(at, start)| is_expected(&line[at + start.len()..]));
    line[..first.map_or(line.len(), |(at, _)| at)].trim_end()
}

/// What a variant of a case is checked by: the piece in its frames, and the options.
pub(crate) fn framed(how: &str, mut piece: String) -> (String, Options) {
    // Of what the frame's device has, the frame itself takes care.
    let (how, device) = how.split_at(how.find(" with ").unwrap_or(how.len()));
    let words = how.split([',', ' ']).filter(|word| !word.is_empty());
    let (flags, mut frames): (Vec<&str>, Vec<&str>) =
        words.partition(|word| word.starts_with("--"));
    let env = frames.pop().expect("an environment");
    while let Some(frame) = frames.last() {
        let file = in_tests("frames").join(frame).with_extension("spvasm");
        let Ok(frame) = fs::read_to_string(file) else {
            break;
        };
        piece = filled(&frame, &piece);
        frames.pop();
    }
    frames.push(env);
    let example = Example::framed(&(frames.join(" ") + device), &piece, "");
    let example = example.unwrap_or_else(|error| panic!("({how}): {error}"));
    let mut options = example.options();
    options.max_errors = 0;
    for flag in flags {
        let flag = flag.trim_start_matches("--");
        let (name, value) = flag.split_once('=').unwrap_or((flag, "true"));
        let set = options.set(name, value);
        set.unwrap_or_else(|error| panic!("({how}): {error}"));
    }
    (example.breaking(), options)
}

/// The parts of a piece in the gaps of a frame. `; ---` are the gaps between the parts for the
/// frame around this one.
fn filled(frame: &str, piece: &str) -> String {
    let mut parts = piece.split("; ...\n");
    let (_, lines) = frame.split_once('\n').expect("what it is");
    let mut texts = lines.split("; ...\n");
    let mut result = texts.next().unwrap_or_default().to_owned();
    for text in texts {
        result += parts.next().unwrap_or_default();
        result += text;
    }
    assert_eq!(parts.next(), None, "a part without a gap");
    result.replace("; ---\n", "; ...\n")
}

/// What is reported of a variant of a case: for each of its lines, then for those of the frame.
fn reported(how: &str, lines: &[String]) -> Vec<Vec<String>> {
    // Comments that say something else don't take part.
    let code = lines
        .iter()
        .filter(|line| !line.starts_with(';') || line.starts_with("; ..."));
    let code: Vec<&str> = code
        .map(String::as_str)
        .filter(|line| !line.is_empty())
        .collect();
    let (text, options) = framed(how, code.join("\n") + "\n");
    let module = assembled(&text, &options);
    // Lines may be moved within the frame, but equal ones stay in order.
    let mut place_of = vec![lines.len(); text.lines().count()];
    let in_frame: Vec<&str> = text.lines().map(str::trim).collect();
    for (index, line) in lines.iter().enumerate().filter(|line| !line.1.is_empty()) {
        let is_it = |&at: &usize| place_of[at] == lines.len() && in_frame[at] == line.trim();
        if let Some(at) = (0..in_frame.len()).find(is_it) {
            place_of[at] = index;
        }
    }
    let mut found = vec![Vec::new(); lines.len() + 1];
    for diagnostic in validate(&module.words, &options).diagnostics() {
        let word = diagnostic.word_offset();
        let span = word.and_then(|word| module.origins.span(word));
        let place = span.map_or(lines.len(), |span| {
            place_of[text[..span.start].matches('\n').count()]
        });
        let kind = match diagnostic.severity() {
            Severity::Error => "error",
            _ => "warning",
        };
        let rule = diagnostic.rule();
        // Of several VUIDs, the number says which.
        let several = find_rule(rule).is_some_and(|rule| rule.vuids.len() > 1);
        let vuid = diagnostic.vuid().filter(|_| several);
        let number = vuid.and_then(|vuid| vuid.rsplit('-').next());
        found[place].push(match number {
            Some(number) => format!("{kind}[{rule}, {number}]"),
            None => format!("{kind}[{rule}]"),
        });
    }
    found
}

/// Comments for what the variants have at one place.
fn comments<'f>(of_variants: impl ExactSizeIterator<Item = &'f Vec<String>>) -> Vec<String> {
    let count = of_variants.len();
    let mut all: Vec<(&str, usize, Vec<usize>)> = Vec::new();
    for (number, found) in (1..).zip(of_variants) {
        for (index, what) in found.iter().enumerate() {
            let earlier = found[..index].iter().filter(|it| *it == what).count();
            let same = all.iter_mut().find(|it| (it.0, it.1) == (what, earlier));
            match same {
                Some((_, _, numbers)) => numbers.push(number),
                None => all.push((what, earlier, vec![number])),
            }
        }
    }
    let comments = all.into_iter().map(|(what, _, numbers)| {
        if numbers.len() == count {
            return format!("; {what}");
        }
        let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
        format!("; {}: {what}", numbers.join(","))
    });
    comments.collect()
}

/// A case with comments for what is reported of it.
fn annotated(head: &str, lines: &[&str]) -> String {
    let how = head.rsplit_once('(');
    let how = how.and_then(|(_, rest)| rest.strip_suffix(')'));
    let how = how.unwrap_or_else(|| panic!("no environment in parentheses: {head}"));
    let bare: Vec<&str> = lines.iter().map(|line| bare(line)).collect();
    let count = variants(&[how, &bare.concat()].concat());
    let found = (0..count).map(|number| {
        let lines: Vec<String> = bare.iter().map(|line| variant(line, number)).collect();
        reported(&variant(how, number), &lines)
    });
    let found: Vec<_> = found.collect();
    let mut result = String::new();
    for (index, line) in bare.iter().enumerate() {
        result += line;
        for comment in comments(found.iter().map(|found| &found[index])) {
            write!(result, " {comment}").unwrap();
        }
        result += "\n";
    }
    let result = result.trim_end().to_owned();
    let rest = comments(found.iter().map(|found| &found[bare.len()]));
    let rest = rest.iter().map(|comment| format!("\n{comment}"));
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
        let lines: Vec<&str> = lines.lines().collect();
        write!(result, "\n;; {head}\n{}", annotated(head, &lines)).unwrap();
    }
    result
}

/// The lines that only one of two texts has, below the first lines of their cases.
fn difference(expected: &str, found: &str) -> String {
    let mut lines = String::new();
    for (one, other) in expected.split("\n;; ").zip(found.split("\n;; ")) {
        if one == other {
            continue;
        }
        writeln!(lines, ";; {}", one.lines().next().unwrap_or_default()).unwrap();
        let count = one.lines().count().max(other.lines().count());
        let (mut one, mut other) = (one.lines(), other.lines());
        for (old, new) in (0..count).map(|_| (one.next(), other.next())) {
            for (sign, line) in [('-', old), ('+', new)].into_iter().filter(|_| old != new) {
                lines += &line.map_or(String::new(), |line| format!("{sign}{line}\n"));
            }
        }
    }
    lines
}

#[test]
fn cases_have_the_errors_that_they_say() {
    let mut failures = String::new();
    for file in files(&in_tests("cases"), ".spvasm") {
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

#[test]
fn variants_have_findings_of_their_own() {
    let text = "; About nothing.

;; sums ({shader | kernel | shader} spv1.6)
%sum = OpIAdd %u32 {%f32_1 | %u32_1 | %f32_0} %u32_1
{ | %not = OpNot %u32 %f32_1 | }
%null = OpNot %u32 %true
";
    let found = annotate(text);
    let expected = text
        .replace(
            "%u32_1\n",
            "%u32_1 ; 1,3: error[arithmetic.integer-operand]\n",
        )
        .replace("%f32_1 | }", "%f32_1 | } ; 2: error[bits.operand]")
        .replace("%true", "%true ; error[bits.operand]");
    assert_eq!(found, expected);
    assert_eq!(annotate(&found), found);
}

#[test]
fn options_and_frames_are_known() {
    let fails = |how: &str| std::panic::catch_unwind(|| framed(how, String::new())).is_err();
    assert!(!fails("shader spv1.6 --relax-block-layout"));
    assert!(fails("shader spv1.6 --relax-block-layouts"));
    assert!(fails("shader spv1.6 --max-struct-members"));
    assert!(fails("shadr spv1.6"));
    let (_, options) = framed("spv1.6 --max-struct-members=7", String::new());
    assert_eq!(options.limits.struct_members, 7);
}

/// Where these apply, others do, too, and are cited.
const NEVER_CITED: [&str; 3] = [
    "VUID-StandaloneSpirv-OpFConvert-12467",
    "VUID-StandaloneSpirv-Input-10588",
    "VUID-StandaloneSpirv-Output-10586",
];

#[test]
fn each_of_several_vuids_has_a_case() {
    let files = files(&in_tests("cases"), ".spvasm").into_iter();
    let texts: String = files
        .map(|file| fs::read_to_string(file).unwrap())
        .collect();
    let mut missing = Vec::new();
    for rule in rules().iter().filter(|rule| rule.vuids.len() > 1) {
        // These take more than a module.
        let takes_more = rule.id.starts_with("pipeline.");
        if takes_more || built_ins::RULES.contains(&rule.id) {
            continue;
        }
        let example = rule.example();
        let report = validate(
            &assembled(&example.breaking(), &example.options()).words,
            &example.options(),
        );
        for &vuid in rule.vuids {
            let number = vuid.rsplit('-').next().unwrap_or_default();
            let has_case = texts.contains(&format!("[{}, {number}]", rule.id))
                || report
                    .diagnostics()
                    .iter()
                    .any(|it| it.vuid() == Some(vuid));
            if !has_case && !NEVER_CITED.contains(&vuid) {
                missing.push((rule.id, vuid));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}
