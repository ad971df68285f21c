//! Signals that end the program.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::common::Dir;

fn send(signal: Signal, child: &Child) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// Waits until a directory has a file, of whatever name.
fn wait_for_a_file(directory: &Path) {
    while std::fs::read_dir(directory).unwrap().next().is_none() {
        std::hint::spin_loop();
    }
}

/// A text whose module takes so long to write that a signal comes meanwhile.
fn heavy_text() -> String {
    let line = format!("OpModuleProcessed \"{}\"\n", "x".repeat(250_000));
    line.repeat(60)
}

#[test]
fn an_interrupted_program_leaves_whole_files_and_no_others() {
    let dir = Dir::new();
    dir.write("a.spvasm", heavy_text());
    let whole = dir.spv(&["as", "a.spvasm"]).bytes().len();
    for (signal, number) in [
        (Signal::INT, 2),
        (Signal::TERM, 15),
        (Signal::HUP, 1),
        (Signal::ALARM, 14),
    ] {
        let out = dir.path("out");
        std::fs::create_dir(&out).unwrap();
        let mut child = dir
            .command(env!("CARGO_BIN_EXE_spv"))
            .args(["as", "a.spvasm", "-o", "out/a.spv"])
            .spawn()
            .unwrap();
        wait_for_a_file(&out);
        send(signal, &child);
        // It may be through in spite of all.
        let status = child.wait().unwrap();
        assert!(
            status.signal() == Some(number) || status.success(),
            "{status}"
        );
        assert_eq!(dir.files(), ["a.spvasm", "out/a.spv"]);
        assert_eq!(dir.read("out/a.spv").len(), whole);
        std::fs::remove_dir_all(&out).unwrap();
    }
}

#[test]
fn an_interrupted_run_over_many_files_stops_with_whole_ones() {
    let dir = Dir::new();
    for number in 0..2000 {
        dir.write(&format!("in/{number}.spvasm"), "%1 = OpTypeVoid\n");
    }
    let out = dir.path("out");
    std::fs::create_dir(&out).unwrap();
    // It can't end by itself, however late the signal comes: standard input stays open.
    let mut child = dir
        .command(env!("CARGO_BIN_EXE_spv"))
        .args(["as", "in", "-", "-o", "out", "--jobs", "4"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for_a_file(&out);
    // Shells have those whom they start behind `&` ignore the interrupt from the keyboard.
    send(Signal::TERM, &child);
    assert_eq!(child.wait().unwrap().signal(), Some(15));
    let written = std::fs::read_dir(&out).unwrap();
    let written: Vec<_> = written.map(Result::unwrap).collect();
    assert!(!written.is_empty());
    for file in written {
        assert_eq!(file.path().extension().unwrap(), "spv");
        assert_eq!(file.metadata().unwrap().len(), 28);
    }
}

#[test]
fn a_program_that_waits_for_input_is_ended_at_once() {
    let dir = Dir::new();
    // The first output is written, and the second input never comes.
    dir.write("a.spvasm", "%1 = OpTypeVoid\n");
    let mut child = dir
        .command(env!("CARGO_BIN_EXE_spv"))
        .args(["as", "a.spvasm", "-", "-o", "out", "--jobs", "1"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    while !dir.path("out/a.spv").exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    send(Signal::TERM, &child);
    assert_eq!(child.wait().unwrap().signal(), Some(15));
    assert_eq!(dir.files(), ["a.spvasm", "out/a.spv"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_that_was_ignored_stays_ignored() {
    let dir = Dir::new();
    dir.write("a.spvasm", "%1 = OpTypeVoid\n");
    let program = env!("CARGO_BIN_EXE_spv");
    let script = format!("trap '' HUP; exec {program} as a.spvasm - -o out --jobs 1");
    let mut child = Command::new("sh")
        .args(["-c", &script])
        .current_dir(dir.path("."))
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    while !dir.path("out/a.spv").exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    send(Signal::HUP, &child);
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
