//! The commands that the README shows.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::common::{Dir, Ran, run, write_program};

/// A directory with the samples, where programs are found as a user has them, and a
/// Graphviz that draws nothing.
fn workplace() -> Dir {
    let dir = Dir::new();
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    for entry in fs::read_dir(samples).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        dir.write(&format!("samples/{name}"), fs::read(&path).unwrap());
    }
    write_program(&dir.path("bin/dot"), b"#!/bin/sh\ncat > /dev/null\n");
    symlink(env!("CARGO_BIN_EXE_spv"), dir.path("bin/spv")).unwrap();
    fs::create_dir_all(dir.path(".local/share/bash-completion/completions")).unwrap();
    dir
}

fn shell(dir: &Dir, line: &str) -> Ran {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = dir.command("sh");
    command.env("PATH", format!("{}:{path}", dir.path("bin").display()));
    command.env("HOME", dir.path("")).args(["-c", line]);
    run(&mut command, b"")
}

/// The blocks of the README that are marked so.
fn blocks<'a>(readme: &'a str, mark: &str) -> Vec<&'a str> {
    let start = format!("```{mark}\n");
    let parts = readme.split(&start).skip(1);
    parts
        .map(|part| part.split("```").next().unwrap())
        .collect()
}

#[test]
fn commands_do_what_the_readme_says() {
    let readme = include_str!("../../../../README.md");
    let dir = workplace();
    let mut count = 0;
    for line in blocks(readme, "sh").into_iter().flat_map(str::lines) {
        if line.contains("spv ") && !line.starts_with("cargo ") {
            let ran = shell(&dir, line);
            let differs = line.contains("--exit-code") && ran.code == 1;
            assert!(ran.code == 0 || differs, "{line}: {}", ran.stderr);
            assert!(!ran.stderr.contains("error"), "{line}: {}", ran.stderr);
            count += 1;
        }
    }
    assert!(count > 30, "only {count} commands were found");
}

#[test]
fn the_readme_shows_what_is_printed() {
    let readme = include_str!("../../../../README.md");
    let dir = workplace();
    let blocks = blocks(readme, "console");
    assert!(blocks.len() > 4);
    for block in blocks {
        let (line, shown) = block.split_once('\n').unwrap();
        let ran = shell(&dir, line.strip_prefix("$ ").unwrap());
        let printed = String::from_utf8(ran.stdout).unwrap() + &ran.stderr;
        for part in shown.split("…\n") {
            assert!(printed.contains(part), "{line}\n{printed}\nhas not\n{part}");
        }
    }
}
