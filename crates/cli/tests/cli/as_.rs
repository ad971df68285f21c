//! `spv as`.

use crate::common::{Dir, FAULTY, TEXT, word};

const MAGIC: u32 = 0x0723_0203;

#[test]
fn assembles_a_file_to_a_file() {
    let dir = Dir::new();
    dir.write("a.spvasm", TEXT);
    let ran = dir.spv(&["as", "a.spvasm", "-o", "b.spv"]);
    assert_eq!((ran.code, ran.stdout.len(), &*ran.stderr), (0, 0, ""));
    assert_eq!(word(&dir.read("b.spv"), 0), MAGIC);
    assert_eq!(dir.files(), ["a.spvasm", "b.spv"]);
}

#[test]
fn without_a_file_it_works_from_standard_input_to_standard_output() {
    let dir = Dir::new();
    dir.write("a.spvasm", TEXT);
    let expected = dir.module("a.spv", TEXT);
    for arguments in [
        &["as"][..],
        &["as", "-"],
        &["as", "-o", "-"],
        &["as", "-", "-o", "-"],
    ] {
        assert_eq!(
            dir.spv_with_input(arguments, TEXT.as_bytes()).bytes(),
            expected,
            "{arguments:?}"
        );
    }
    assert_eq!(dir.spv(&["as", "a.spvasm"]).bytes(), expected);
}

#[test]
fn header_comments_count_unless_told_otherwise() {
    let dir = Dir::new();
    let header = |arguments: &[&str]| {
        let ran = dir.spv_with_input(arguments, TEXT.as_bytes());
        let module = ran.bytes();
        [word(module, 1), word(module, 2), word(module, 3)]
    };
    assert_eq!(header(&["as"]), [0x1_0300, 0x8_000b, 40]);
    assert_eq!(header(&["as", "--no-header-comments"]), [0x1_0600, 0, 11]);
}

#[test]
fn target_env_decides_the_version() {
    let dir = Dir::new();
    let version = |env: &[&str]| {
        let arguments = [&["as"], env].concat();
        word(dir.spv_with_input(&arguments, TEXT.as_bytes()).bytes(), 1)
    };
    assert_eq!(version(&["--target-env", "vulkan1.0"]), 0x1_0000);
    assert_eq!(version(&["--target-env=spv1.4"]), 0x1_0400);
    assert_eq!(version(&["--target-env=vulkan1.2"]), 0x1_0500);
    dir.spv(&["as", "--target-env", "metal4"])
        .fails(2, "vulkan1.1spv1.4");

    let newer = b"%1 = OpCopyLogical %2 %3\n";
    assert_eq!(
        dir.spv_with_input(&["as", "--target-env=spv1.4"], newer)
            .code,
        0
    );
    dir.spv_with_input(&["as", "--target-env=spv1.3"], newer)
        .fails(1, "OpCopyLogical");
}

#[test]
fn ids_keep_their_numbers_unless_renumbered() {
    let dir = Dir::new();
    let text = b"%10 = OpTypeVoid\n";
    let id = |arguments: &[&str]| word(dir.spv_with_input(arguments, text).bytes(), 6);
    assert_eq!(id(&["as"]), 10);
    assert_eq!(id(&["as", "--preserve-numeric-ids"]), 10);
    assert_eq!(id(&["as", "--renumber-ids"]), 1);
    assert_eq!(id(&["as", "--renumber-ids", "--preserve-numeric-ids"]), 10);
    assert_eq!(id(&["as", "--preserve-numeric-ids", "--renumber-ids"]), 1);
}

#[test]
fn big_endian_turns_the_bytes_of_words() {
    let dir = Dir::new();
    let little = dir.module("a.spv", TEXT);
    let big = dir.spv_with_input(&["as", "--big-endian"], TEXT.as_bytes());
    let turned: Vec<u8> = little
        .chunks(4)
        .flat_map(|word| word.iter().rev().copied())
        .collect();
    assert_eq!(big.bytes(), turned);
}

#[test]
fn errors_come_all_with_place_and_caret_and_no_file() {
    let dir = Dir::new();
    dir.write("bad.spvasm", FAULTY);
    let ran = dir.spv(&["as", "bad.spvasm", "-o", "bad.spv"]);
    ran.fails(1, "bad.spvasm:1:14\n");
    ran.fails(1, "bad.spvasm:3:9\n");
    ran.fails(1, "OpCapability Shadr\n   |              ^^^^^\n");
    assert!(!ran.stderr.contains('\x1b'), "{}", ran.stderr);
    assert_eq!(dir.files(), ["bad.spvasm"]);
}

#[test]
fn max_errors_stops_after_as_many() {
    let dir = Dir::new();
    let count = |arguments: &[&str]| {
        let ran = dir.spv_with_input(arguments, FAULTY.as_bytes());
        assert_eq!(ran.code, 1);
        // That there are more is reported, too.
        let errors = ran.stderr.lines().filter(|line| line.starts_with("error["));
        errors
            .filter(|line| !line.contains("too-many-errors"))
            .count()
    };
    assert_eq!(count(&["as"]), 2);
    assert_eq!(count(&["as", "--max-errors", "1"]), 1);
    assert_eq!(count(&["as", "--max-errors=2"]), 2);
    assert_eq!(count(&["as", "--max-errors=0"]), 2);
    assert_eq!(count(&["as", "--max-errors=2", "--max-errors=1"]), 1);
}

#[test]
fn json_is_one_object_a_line_and_nothing_else() {
    let dir = Dir::new();
    dir.write("bad.spvasm", FAULTY);
    let ran = dir.spv(&[
        "as",
        "--format",
        "json",
        "bad.spvasm",
        "missing.spvasm",
        "-o",
        "out",
    ]);
    ran.fails(1, "");
    let parse = |line| serde_json::from_str(line).unwrap();
    let objects: Vec<serde_json::Value> = ran.stderr.lines().map(parse).collect();
    assert_eq!(objects.len(), 3);
    assert_eq!(objects[0]["severity"], "error");
    assert_eq!(objects[0]["file"], "bad.spvasm");
    assert_eq!(
        (
            &objects[0]["location"]["line"],
            &objects[0]["location"]["column"]
        ),
        (&1.into(), &14.into())
    );
    assert_eq!(objects[1]["location"]["line"], 3);
    assert_eq!(objects[2]["rule"], "io.read");
    assert_eq!(objects[2]["category"], "io");
    assert_eq!(objects[2]["file"], "missing.spvasm");
}

#[test]
fn color_is_as_asked() {
    let dir = Dir::new();
    let colored = |arguments: &[&str]| {
        dir.spv_with_input(arguments, FAULTY.as_bytes())
            .stderr
            .contains("\x1b[")
    };
    assert!(colored(&["as", "--color", "always"]));
    assert!(colored(&["as", "--color=always"]));
    assert!(!colored(&["as", "--color=never"]));
    assert!(!colored(&["as", "--color=auto"]));
    dir.spv(&["as", "--color=sometimes"]).fails(2, "sometimes");
}

#[test]
fn bytes_that_are_no_text_are_located() {
    let dir = Dir::new();
    dir.spv_with_input(&["as"], b"OpNop\nOp\xffNop\n")
        .fails(1, "<stdin>:2:3\n");
    dir.spv_with_input(&["as"], b"; \xe9\nOpName %1 \"; \xe9\"\n")
        .fails(1, "<stdin>:2:14\n");
}

#[test]
fn comments_may_be_in_any_encoding() {
    let dir = Dir::new();
    let expected = dir.module("a.spv", TEXT);
    let latin_1 = TEXT.replace("Void\n", "Void ; caf~ \"\n").into_bytes();
    let latin_1: Vec<u8> = latin_1
        .into_iter()
        .map(|byte| if byte == b'~' { 0xe9 } else { byte })
        .collect();
    assert_eq!(dir.spv_with_input(&["as"], &latin_1).bytes(), expected);
    // Places stay the same.
    dir.spv_with_input(&["as"], b"; \xe9\xe9\nOpNop OpBad ; \xe9\n")
        .fails(1, "<stdin>:2:7\n");
}

#[test]
fn a_module_is_refused_without_showing_its_bytes() {
    let dir = Dir::new();
    for text in ["%1 = OpTypeVoid\n", "%200 = OpTypeVoid\n"] {
        let module = dir.module("a.spv", text);
        let ran = dir.spv_with_input(&["as"], &module);
        ran.fails(1, "`spv dis`");
        assert_eq!(ran.stderr.lines().count(), 3, "{}", ran.stderr);
        assert!(ran.stderr.is_ascii() && !ran.stderr.contains('\0'));
    }
}

#[test]
fn help_lists_the_environments_and_tells_the_byte_order() {
    let dir = Dir::new();
    let help = dir.spv(&["as", "--help"]);
    for word in [
        "vulkan1.1spv1.4",
        "opencl2.2embedded",
        "little-endian",
        "no limit",
    ] {
        assert!(help.text().contains(word), "{word}: {}", help.text());
    }
}

#[test]
fn bad_usage_is_distinguished() {
    let dir = Dir::new();
    dir.write("a.spvasm", TEXT);
    dir.write("b.spvasm", TEXT);
    dir.spv(&["as", "--no-such-option"])
        .fails(2, "--no-such-option");
    dir.spv(&["as", "-", "-"]).fails(2, "standard input");
    dir.spv(&["as", "a.spvasm", "b.spvasm"]).fails(2, "-o DIR");
    dir.spv(&["as", "a.spvasm", "b.spvasm", "-o", "-"])
        .fails(2, "-o DIR");
    dir.spv(&["as", "."]).fails(2, "-o DIR");
    dir.spv(&["as", "--jobs", "0"]).fails(2, "--jobs");
    dir.spv(&["as", "--format", "xml"]).fails(2, "xml");
    assert_eq!(dir.files(), ["a.spvasm", "b.spvasm"]);
}

#[test]
fn a_header_comment_that_says_nothing_is_a_warning() {
    let dir = Dir::new();
    dir.write("a.spvasm", "; Version: one\n%1 = OpTypeVoid\n");
    let ran = dir.spv(&["as", "a.spvasm", "-o", "a.spv"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.contains("warning[text.bad-header-comment]"));
    assert!(ran.stderr.contains("a.spvasm:1:1"));
    assert_eq!(word(&dir.read("a.spv"), 1), 0x1_0600);
}

/// How many more the last of the messages speaks of: the number before `more`.
fn more(stderr: &str) -> usize {
    let (before, _) = stderr
        .rsplit_once(" more ")
        .expect("what is left out is reported");
    before.rsplit(' ').next().unwrap().parse().unwrap()
}

#[test]
fn as_many_errors_are_reported_as_a_text_of_its_size_may_have() {
    let dir = Dir::new();
    for (command, line, errors) in [
        ("as", "OpX\n", 16_000),
        ("val", "OpX\n", 16_000),
        ("as", "OpName %1 \"a\n", 30_000),
    ] {
        let text = line.repeat(errors);
        dir.write("a.spvasm", &text);
        let ran = dir.spv(&[command, "--max-errors=0", "a.spvasm"]);
        assert_eq!(ran.code, 1);
        // The last says how many more there are.
        let reported = ran.stderr.matches("error[").count() - 1;
        assert!(reported > 1000, "{command} {line}: {reported}");
        assert_eq!(reported + more(&ran.stderr), errors, "{command} {line}");
        assert!(ran.stderr.len() < 64 * text.len() + (16 << 20));
    }
    // A limit above what there is room for ends it there, and says so.
    dir.write("a.spvasm", "OpX\n".repeat(16_000));
    let ran = dir.spv(&["as", "--max-errors=15999", "a.spvasm"]);
    assert!(ran.stderr.contains("more errors"));
    assert!(ran.stderr.contains("gave up after 15999 errors"));
}

#[test]
fn as_many_undefined_ids_are_reported_as_a_text_of_its_size_may_have() {
    let dir = Dir::new();
    const COUNT: usize = 20_000;
    let ids: Vec<String> = (0..COUNT).map(|number| format!("%a{number}")).collect();
    let lines = ids
        .chunks(100)
        .map(|ids| format!("OpGroupDecorate {}\n", ids.join(" ")));
    let text: String = lines.collect();
    dir.write("a.spvasm", text);
    let ran = dir.spv(&["as", "--max-errors=0", "-o", "x", "a.spvasm"]);
    assert_eq!(ran.code, 0);
    let count = ran.stderr.matches("warning[").count() - 1;
    assert!(count > 1000, "{count}");
    assert_eq!(count + more(&ran.stderr), COUNT);
}
