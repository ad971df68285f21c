//! Many inputs, and directories.

use crate::common::{Dir, FAULTY, TEXT, long_text};

#[test]
fn a_directory_is_searched_and_its_structure_kept() {
    let dir = Dir::new();
    for name in [
        "in/a.spvasm",
        "in/sub/b.vert.spvasm",
        "in/sub/deep/c.SPVASM",
        "in/sub/other.txt",
    ] {
        dir.write(name, TEXT);
    }
    dir.write("d.spvasm", TEXT);
    let ran = dir.spv(&["as", "in", "d.spvasm", "-o", "out"]);
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    let outputs = |files: Vec<String>, directory: &str| -> Vec<String> {
        files
            .iter()
            .filter_map(|file| file.strip_prefix(directory))
            .map(Into::into)
            .collect()
    };
    let modules = ["a.spv", "d.spv", "sub/b.vert.spv", "sub/deep/c.spv"];
    assert_eq!(outputs(dir.files(), "out/"), modules);

    let ran = dir.spv(&["dis", "out", "-o", "back/texts"]);
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    let texts = [
        "a.spvasm",
        "d.spvasm",
        "sub/b.vert.spvasm",
        "sub/deep/c.spvasm",
    ];
    assert_eq!(outputs(dir.files(), "back/texts/"), texts);
    let text = dir.spv(&["dis", "out/a.spv"]);
    assert_eq!(dir.read_text("back/texts/sub/deep/c.spvasm"), text.text());
}

#[test]
fn a_directory_is_printed_in_the_order_of_paths() {
    let dir = Dir::new();
    for name in ["in/b/x.spv", "in/a.spv", "in/c.spv"] {
        dir.module("m.spv", &format!("OpSourceExtension \"{name}\"\n"));
        dir.write(name, dir.read("m.spv"));
    }
    let ran = dir.spv(&["dis", "--no-header", "--no-indent", "in"]);
    let expected = "\
; in/a.spv
OpSourceExtension \"in/a.spv\"
; in/b/x.spv
OpSourceExtension \"in/b/x.spv\"
; in/c.spv
OpSourceExtension \"in/c.spv\"
";
    assert_eq!(ran.text(), expected);
}

#[test]
fn errors_come_in_the_order_of_inputs_whatever_the_threads_do() {
    let dir = Dir::new();
    let mut arguments = vec!["as".to_owned()];
    for number in 0..200 {
        let name = format!("{number:03}.spvasm");
        let text = match number % 3 {
            0 => FAULTY.to_owned(),
            1 => long_text(1000 - number * 4),
            _ => format!("{}OpBad\n", long_text(1000 - number * 4)),
        };
        dir.write(&name, text);
        arguments.push(name);
    }
    arguments.extend(["missing.spvasm", "-o", "out", "--jobs"].map(Into::into));
    let run = |jobs: &str| {
        let arguments: Vec<&str> = arguments
            .iter()
            .map(|argument| &**argument)
            .chain([jobs])
            .collect();
        let ran = dir.spv(&arguments);
        ran.fails(1, "134 of 201 inputs failed");
        assert!(dir.path("out/001.spv").exists());
        assert_eq!(
            dir.files()
                .iter()
                .filter(|file| file.starts_with("out/"))
                .count(),
            67
        );
        ran.stderr
    };
    let expected = run("1");
    let places: Vec<&str> = expected
        .lines()
        .filter_map(|line| line.trim().strip_prefix("--> "))
        .collect();
    assert!(places.is_sorted(), "{places:?}");
    assert_eq!(places.len(), 67 * 2 + 66 + 1);
    for jobs in ["2", "3", "8"] {
        assert_eq!(run(jobs), expected);
    }
}

#[test]
fn one_bad_input_does_not_stop_the_others() {
    let dir = Dir::new();
    dir.module("good.spv", TEXT);
    let good = dir.spv(&["dis", "good.spv"]).text().to_owned();
    let ran = dir.spv(&["dis", "missing.spv", "good.spv"]);
    assert_eq!(ran.code, 1);
    let expected = format!("; good.spv\n{good}");
    assert_eq!(String::from_utf8(ran.stdout).unwrap(), expected);
    assert!(ran.stderr.contains("missing.spv"));
}

#[test]
fn a_directory_without_inputs_is_an_error() {
    let dir = Dir::new();
    dir.write("in/readme.txt", "");
    dir.spv(&["as", "in", "-o", "out"])
        .fails(1, "no .spvasm file");
    dir.spv(&["dis", "in"]).fails(1, "no .spv file");
}

#[test]
fn outputs_never_share_a_name() {
    let dir = Dir::new();
    dir.write("a/x.spvasm", TEXT);
    dir.write("b/x.spvasm", TEXT);
    dir.spv(&["as", "a/x.spvasm", "b/x.spvasm", "-o", "out"])
        .fails(2, "x.spv`");
    assert!(!dir.path("out").exists());
    // Only the format's own extensions are replaced.
    dir.module("x.vert", TEXT);
    dir.module("x.frag", TEXT);
    assert_eq!(dir.spv(&["dis", "x.vert", "x.frag", "-o", "out"]).code, 0);
    assert!(dir.path("out/x.vert.spvasm").exists() && dir.path("out/x.frag.spvasm").exists());
}

#[test]
fn an_existing_directory_takes_a_single_output_too() {
    let dir = Dir::new();
    dir.write("x.spvasm", TEXT);
    dir.write("out/other", "");
    assert_eq!(dir.spv(&["as", "x.spvasm", "-o", "out"]).code, 0);
    assert!(dir.path("out/x.spv").exists());
    assert_eq!(dir.spv(&["as", "x.spvasm", "-o", "new/"]).code, 0);
    assert!(dir.path("new/x.spv").exists());
    assert_eq!(
        dir.spv_with_input(&["as", "-o", "out"], TEXT.as_bytes())
            .code,
        0
    );
    assert!(dir.path("out/stdin.spv").exists());
    dir.spv(&["as", "x.spvasm", "out", "-o", "x.spvasm"])
        .fails(2, "directory");
}
