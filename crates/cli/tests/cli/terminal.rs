//! What is different on a terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::process::Stdio;
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::common::{Dir, FAULTY, TEXT};

/// Runs `spv` on a terminal, with nothing on standard input.
fn on_terminal(dir: &Dir, arguments: &[&str], variables: &[(&str, &str)]) -> (i32, String) {
    on_terminal_with_input(dir, arguments, variables, || "")
}

/// Runs `spv` with standard output and error on a terminal; gives the exit code
/// and what the terminal got.
fn on_terminal_with_input(
    dir: &Dir,
    arguments: &[&str],
    variables: &[(&str, &str)],
    input: impl FnOnce() -> &'static str,
) -> (i32, String) {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new())
        .unwrap()
        .into_string()
        .unwrap();
    let other_side = File::options().read(true).write(true).open(name).unwrap();
    let mut child = dir
        .command(env!("CARGO_BIN_EXE_spv"))
        .args(arguments)
        .env("TERM", "xterm")
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(other_side.try_clone().unwrap())
        .stderr(other_side)
        .spawn()
        .unwrap();
    let reader = std::thread::spawn(move || {
        let mut output = Vec::new();
        // A terminal that nobody writes to any longer ends in an error.
        let _ = File::from(terminal).read_to_end(&mut output);
        String::from_utf8(output).unwrap()
    });
    let mut stdin = child.stdin.take().unwrap();
    // A program that has no use for its input may be gone already.
    let _ = stdin.write_all(input().as_bytes());
    drop(stdin);
    let code = child.wait().unwrap().code().unwrap();
    (code, reader.join().unwrap())
}

#[test]
fn a_module_never_goes_to_a_terminal() {
    let dir = Dir::new();
    dir.write("a.spvasm", TEXT);
    for arguments in [&["as", "a.spvasm"][..], &["as", "a.spvasm", "-o", "-"]] {
        let (code, output) = on_terminal(&dir, arguments, &[]);
        assert_eq!(code, 2);
        assert!(output.contains("-o FILE"), "{output}");
    }
    assert_eq!(
        on_terminal(&dir, &["as", "a.spvasm", "-o", "a.spv"], &[]),
        (0, String::new())
    );
}

#[test]
fn text_and_errors_are_coloured() {
    let dir = Dir::new();
    dir.module("a.spv", TEXT);
    dir.write("bad.spvasm", FAULTY);
    for (arguments, code) in [
        (&["dis", "a.spv"][..], 0),
        (&["as", "bad.spvasm", "-o", "x"], 1),
    ] {
        let (found, output) = on_terminal(&dir, arguments, &[]);
        assert!(found == code && output.contains("\x1b["), "{output}");
        let (found, output) = on_terminal(&dir, arguments, &[("NO_COLOR", "1")]);
        assert!(found == code && !output.contains("\x1b["), "{output}");
    }
    let (_, output) = on_terminal(&dir, &["dis", "--no-color", "a.spv"], &[]);
    assert!(!output.contains("\x1b["), "{output}");
    let (_, output) = on_terminal(&dir, &["dis", "a.spv", "-o", "a.spvasm"], &[]);
    assert_eq!(output, "");
    assert!(!dir.read_text("a.spvasm").contains('\x1b'));
}

#[test]
fn a_run_that_takes_long_shows_its_progress() {
    let dir = Dir::new();
    dir.write("a.spvasm", TEXT);
    let run = |options: &[&str], delay| {
        let arguments = [&["as", "-", "a.spvasm", "-o", "out"], options].concat();
        let slow = move || {
            std::thread::sleep(delay);
            TEXT
        };
        let (code, output) = on_terminal_with_input(&dir, &arguments, &[], slow);
        assert_eq!(code, 0, "{output}");
        output
    };
    let long = Duration::from_millis(1200);
    let output = run(&["--jobs=1"], long);
    assert!(output.contains("1/2"), "{output}");
    assert_eq!(run(&["--jobs=1", "--format=json"], long), "");
    assert_eq!(run(&[], Duration::ZERO), "");
}
