//! How outputs are written.

use std::io::Write;
use std::process::Stdio;

use crate::common::{Dir, FAULTY, TEXT, long_text};

#[test]
fn an_existing_file_is_replaced_only_on_success() {
    let dir = Dir::new();
    dir.write("out.spv", "before");
    dir.spv_with_input(&["as", "-o", "out.spv"], FAULTY.as_bytes())
        .fails(1, "Shadr");
    assert_eq!(dir.read("out.spv"), b"before");
    assert_ne!(dir.module("out.spv", TEXT), b"before");
    assert_eq!(dir.files(), ["out.spv"]);
}

#[test]
fn a_file_that_can_not_be_written_is_an_error() {
    let dir = Dir::new();
    dir.write("a.spvasm", TEXT);
    dir.spv(&["as", "a.spvasm", "-o", "no/such/out.spv"])
        .fails(1, "error[io.write]");
    dir.write("file", "");
    dir.spv(&["as", "a.spvasm", "-o", "file/out.spv"])
        .fails(1, "error[io.write]");
    assert_eq!(dir.files(), ["a.spvasm", "file"]);
}

#[cfg(unix)]
#[test]
fn links_permissions_and_devices_stay() {
    use std::fs;
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    let dir = Dir::new();
    dir.write("real/out.spv", "");
    fs::set_permissions(dir.path("real/out.spv"), fs::Permissions::from_mode(0o600)).unwrap();
    symlink("real/out.spv", dir.path("link.spv")).unwrap();
    let module = dir.module("link.spv", TEXT);
    assert!(
        fs::symlink_metadata(dir.path("link.spv"))
            .unwrap()
            .is_symlink()
    );
    assert_eq!(dir.read("real/out.spv"), module);
    let permissions = fs::metadata(dir.path("real/out.spv"))
        .unwrap()
        .permissions();
    assert_eq!(permissions.mode() & 0o777, 0o600);

    fs::set_permissions(dir.path("real/out.spv"), fs::Permissions::from_mode(0o400)).unwrap();
    dir.spv_with_input(&["as", "-o", "link.spv"], TEXT.as_bytes())
        .fails(1, "io.write");

    assert_eq!(
        dir.spv_with_input(&["as", "-o", "/dev/null"], TEXT.as_bytes())
            .code,
        0
    );
    assert!(
        fs::metadata("/dev/null")
            .unwrap()
            .file_type()
            .is_char_device()
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_an_error() {
    let dir = Dir::new();
    dir.module("a.spv", TEXT);
    dir.spv(&["dis", "a.spv", "-o", "/dev/full"])
        .fails(1, "error[io.write]");
    let mut command = dir.command(env!("CARGO_BIN_EXE_spv"));
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = command
        .args(["dis", "a.spv"])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("<stdout>")
    );
}

#[cfg(target_os = "linux")]
#[test]
fn whatever_is_printed_needs_room() {
    let dir = Dir::new();
    dir.write("a.spvasm", TEXT);
    for arguments in [
        &["--help"][..],
        &["-h"],
        &["--version"],
        &["-V"],
        &["help", "as"],
        &["as", "--help"],
        &["debug", "dump", "--help"],
        &["completions", "bash"],
        &["completions", "zsh"],
        &["man"],
        &["explain", "--list"],
        &["info", "a.spvasm"],
        &["val", "--format", "json", "a.spvasm"],
    ] {
        let full = std::fs::File::create("/dev/full").unwrap();
        let mut command = dir.command(env!("CARGO_BIN_EXE_spv"));
        let output = command.args(arguments).stdout(full).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {stderr}");
        assert!(
            stderr.contains("error[io.write]"),
            "{arguments:?}: {stderr}"
        );
    }
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let dir = Dir::new();
    let module = dir.module("long.spv", &long_text(5000));
    for arguments in [&["dis"][..], &["dis", "-", "long.spv", "long.spv"]] {
        let mut child = dir
            .command(env!("CARGO_BIN_EXE_spv"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The program can't write before it has read, so the reader is gone
        // by then.
        drop(child.stdout.take());
        child.stdin.take().unwrap().write_all(&module).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    }
}

#[test]
fn no_output_is_written_under_the_name_of_another_form() {
    let dir = Dir::new();
    dir.module("a.spv", TEXT);
    dir.write("a.spvasm", TEXT);
    for (arguments, found) in [
        (&["dis", "a.spv", "-o", "b.spv"][..], "a binary module"),
        (&["dis", "a.spv", "-o", "b.json"], "JSON"),
        (&["as", "a.spvasm", "-o", "b.spvasm"], "assembly text"),
        (&["strip", "a.spv", "-o", "b.html"], "an HTML page"),
        (&["merge", "a.spv", "-o", "b.SVG"], "an SVG image"),
        (&["link", "a.spv", "-o", "b.o"], "an object"),
        (
            &["debug", "dwarf", "a.spv", "-o", "b.spv"],
            "a binary module",
        ),
        (&["cfg", "a.spv", "-o", "b.spv"], "a binary module"),
        (&["cfg", "a.spv", "-o", "b.gif"], "an image"),
        (
            &["cfg", "--format", "dot", "a.spv", "-o", "b.svg"],
            "an SVG image",
        ),
    ] {
        dir.spv(arguments)
            .fails(2, &format!("is the name of {found}"));
    }
    assert_eq!(dir.files(), ["a.spv", "a.spvasm"]);
    // Other names say nothing.
    assert_eq!(dir.spv(&["dis", "a.spv", "-o", "a.txt"]).code, 0);
    assert_eq!(dir.spv(&["as", "a.spvasm", "-o", "a.vert"]).code, 0);
}

#[test]
fn no_input_is_replaced_by_something_of_another_form_by_accident() {
    let dir = Dir::new();
    let module = dir.module("a", TEXT);
    dir.write("text", TEXT);
    dir.write("hex", "0x07230203 0x00010000 0x0 0x1 0x0\n");
    #[cfg(unix)]
    std::os::unix::fs::symlink("a", dir.path("link")).unwrap();
    for arguments in [
        &["dis", "a", "-o", "a"][..],
        &["dis", "a", "-o", "./a"],
        #[cfg(unix)]
        &["dis", "a", "-o", "link"],
        &["as", "text", "-o", "text"],
        &["strip", "text", "-o", "text"],
        &["strip", "hex", "-o", "hex"],
        &["merge", "a", "text", "-o", "text"],
        &["link", "a", "text", "-o", "text"],
        &["cfg", "a", "-o", "a"],
        &["debug", "dwarf", "a", "-o", "./a"],
    ] {
        dir.spv(arguments).fails(2, "is an input, so");
    }
    assert_eq!(dir.read("a"), module);
    assert_eq!(dir.read_text("text"), TEXT);
    // In a directory, too.
    dir.write("in/b.spvasm", &module);
    dir.spv(&["dis", "in/b.spvasm", "-o", "./in/"])
        .fails(2, "is an input");
    // A module may replace a module.
    assert_eq!(dir.spv(&["strip", "a", "-o", "a"]).code, 0);
    assert_ne!(dir.read("a"), module);
}

#[test]
fn inputs_are_replaced_if_that_is_said() {
    let dir = Dir::new();
    let module = dir.module("a.spv", TEXT);
    dir.write("b.spv", &module);
    dir.write("text", TEXT);
    assert_eq!(dir.spv(&["strip", "--in-place", "a.spv", "b.spv"]).code, 0);
    let stripped = dir.read("a.spv");
    assert!(stripped.len() < module.len());
    assert_eq!(dir.read("b.spv"), stripped);
    assert_eq!(dir.spv(&["as", "--in-place", "text", "-o", "text"]).code, 0);
    assert_eq!(dir.read("text"), module);
    assert_eq!(dir.spv(&["dis", "--in-place", "text"]).code, 0);
    assert!(dir.read_text("text").starts_with("; SPIR-V"));
    dir.spv(&["strip", "--in-place", "-"])
        .fails(2, "standard input");
}

#[test]
fn several_outputs_need_a_directory_that_is_not_called_like_a_file() {
    let dir = Dir::new();
    dir.module("a.spv", TEXT);
    dir.write("in/b.spv", dir.read("a.spv"));
    for arguments in [
        &["strip", "a.spv", "in/b.spv", "-o", "x.spv"][..],
        &["strip", "in", "-o", "x.spv"],
        &["dis", "in", "-o", "x.spvasm"],
        &["split", "a.spv", "--all", "x.spv"],
    ] {
        dir.spv(arguments).fails(2, "name a directory");
    }
    assert_eq!(dir.files(), ["a.spv", "in/b.spv"]);
    assert_eq!(dir.spv(&["strip", "in", "-o", "x.spv/"]).code, 0);
    assert!(dir.path("x.spv/b.spv").exists());
}

#[test]
fn several_texts_on_one_stream_have_headings() {
    let dir = Dir::new();
    dir.module("a.spv", TEXT);
    dir.module("b.spv", TEXT);
    let one = dir.spv(&["dis", "a.spv"]);
    let both = dir.spv(&["dis", "a.spv", "b.spv"]);
    let one = one.text();
    assert_eq!(both.text(), format!("; a.spv\n{one}; b.spv\n{one}"));
    assert!(!one.contains("a.spv"));
}
