//! Help, version, completions and manual pages.

use crate::common::{Dir, TEXT};

const COMMANDS: &[&str] = &[
    "as",
    "dis",
    "val",
    "diff",
    "explain",
    "layout",
    "cfg",
    "info",
    "run",
    "amber",
    "specialize",
    "opt",
    "strip",
    "trim-capabilities",
    "link",
    "compact-ids",
    "split",
    "merge",
    "debug",
    "completions",
    "man",
    "drop-in",
];

#[test]
fn help_shows_examples_and_exit_codes() {
    let dir = Dir::new();
    let overview = dir.spv(&["--help"]);
    for command in COMMANDS {
        assert!(overview.text().contains(&format!("\n  {command} ")));
        for flag in ["--help", "-h"] {
            let help = dir.spv(&[command, flag]);
            assert!(help.text().contains("\nExamples:\n  spv "), "{command}");
            assert!(help.text().contains("\nExit codes:\n  0  "), "{command}");
            // What is not wrapped by itself is wrapped in the sources.
            let after = help
                .text()
                .split("\n\n")
                .skip(3)
                .collect::<Vec<_>>()
                .join("\n\n");
            let own = after.lines().filter(|line| !line.starts_with(' '));
            let long: Vec<&str> = own.filter(|line| line.chars().count() > 82).collect();
            assert!(long.is_empty(), "{command}: {long:?}");
        }
    }
    dir.spv(&[]).fails(2, "Usage: spv");
    dir.spv(&["frobnicate"]).fails(2, "frobnicate");
}

#[test]
fn the_long_version_tells_the_grammar() {
    let dir = Dir::new();
    let version = dir.spv(&["--version"]);
    assert!(
        version
            .text()
            .starts_with(concat!("spv ", env!("CARGO_PKG_VERSION"), "\n"))
    );
    assert!(version.text().contains("SPIRV-Headers"));
    assert_eq!(
        dir.spv(&["-V"]).text(),
        concat!("spv ", env!("CARGO_PKG_VERSION"), "\n")
    );
}

#[test]
fn there_are_completions_for_each_shell() {
    let dir = Dir::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = dir.spv(&["completions", shell]);
        for word in ["drop-in", "target-env", "handle-unknown-opcodes"] {
            assert!(script.text().contains(word), "{shell}: {word}");
        }
    }
    // Values of options are completed where the shell's scripts can do it.
    let script = dir.spv(&["completions", "bash"]);
    assert!(script.text().contains("vulkan1.1spv1.4"));
    dir.spv(&["completions", "cmd.exe"]).fails(2, "cmd.exe");
}

/// What bash completes behind these words, of which the last may be cut short; nothing
/// means files.
#[cfg(unix)]
fn bash_completes(dir: &Dir, words: &[&str]) -> Vec<String> {
    let asks = r#"source ./spv.bash
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_spv_or_files spv "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
[[ ${#COMPREPLY[@]} -eq 0 ]] || printf '%s\n' "${COMPREPLY[@]}"
complete -p spv >&2"#;
    let mut command = dir.command("bash");
    command.args(["--norc", "-c", asks, "bash"]).args(words);
    let ran = crate::common::run(&mut command, b"");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("-o default"), "{}", ran.stderr);
    assert!(ran.stderr.contains("-F _spv_or_files"), "{}", ran.stderr);
    String::from_utf8(ran.stdout)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

#[cfg(unix)]
#[test]
fn bash_completes_commands_options_values_files_and_ids() {
    if std::process::Command::new("bash")
        .arg("--version")
        .output()
        .is_err()
    {
        return;
    }
    let dir = Dir::new();
    dir.write("spv.bash", dir.spv(&["completions", "bash"]).bytes());
    let completes = |words: &[&str]| bash_completes(&dir, words);
    assert_eq!(completes(&["spv", "trim"]), ["trim-capabilities"]);
    assert_eq!(completes(&["spv", "debug", "loo"]), ["lookup"]);
    assert_eq!(completes(&["spv", "val", "--target"]), ["--target-env"]);
    // What starts with no hyphen is a file, which bash completes itself.
    for words in [
        &["spv", "dis", ""][..],
        &["spv", "dis", "sh"],
        &["spv", "dis", "--raw-id", ""],
        &["spv", "dis", "-o", ""],
        &["spv", "dis", "--output", "=", "sh"],
        &["spv", "debug", "lookup", ""],
    ] {
        assert_eq!(completes(words), [""; 0], "{words:?}");
    }
    let newest = ["vulkan1.3", "vulkan1.4"];
    for words in [
        &["spv", "val", "--target-env", "vulkan1."][..],
        &["spv", "val", "--target-env", "=", "vulkan1."],
    ] {
        let found = completes(words);
        assert!(
            newest.iter().all(|env| found.iter().any(|it| it == env)),
            "{found:?}"
        );
        assert!(
            found.iter().all(|it| it.starts_with("vulkan1.")),
            "{found:?}"
        );
    }
    let all = completes(&["spv", "val", "--target-env", "="]);
    assert!(all.iter().any(|it| it == "opencl2.2"), "{all:?}");
    let ids = completes(&["spv", "explain", "text.open"]);
    assert_eq!(ids, ["text.open-string"]);
    let rules = completes(&["spv", "val", "--allow", "=", "id.undef"]);
    assert_eq!(rules, ["id.undefined"]);
}

#[test]
fn zsh_and_fish_complete_files_values_and_ids() {
    let dir = Dir::new();
    let zsh = dir.spv(&["completions", "zsh"]);
    assert!(zsh.text().contains("_files"));
    let fish = dir.spv(&["completions", "fish"]);
    for script in [zsh.text(), fish.text()] {
        for word in ["vulkan1.1spv1.4", "text.open-string", "io.write"] {
            assert!(script.contains(word), "{word}");
        }
    }
}

#[test]
fn there_is_a_manual_page_for_each_command() {
    let dir = Dir::new();
    let page = dir.spv(&["man"]);
    assert!(page.text().contains(".TH spv 1"));
    assert!(page.text().contains("spv\\-dis(1)"));
    assert_eq!(dir.spv(&["man", "--dir", "man/man1"]).text(), "");
    assert_eq!(dir.read_text("man/man1/spv.1"), page.text());
    for command in COMMANDS {
        let page = dir.read_text(&format!("man/man1/spv-{command}.1"));
        assert!(page.contains(&format!(".TH spv-{command} 1")), "{page}");
        assert!(page.contains("Exit codes"));
    }
    let nested = [
        "convert", "dump", "dwarf", "lookup", "remove", "scopes", "sources", "vars",
    ];
    for command in nested {
        let page = dir.read_text(&format!("man/man1/spv-debug-{command}.1"));
        let title = format!(".TH spv-debug-{command} 1");
        assert!(page.contains(&title), "{page}");
        assert!(
            page.contains(&format!("\\fBspv debug {command}\\fR")),
            "{page}"
        );
        assert!(page.contains("Exit codes"));
    }
    assert_eq!(dir.files().len(), 1 + COMMANDS.len() + nested.len());
    for file in dir.files() {
        let page = dir.read_text(&file);
        let title = page.lines().find(|line| line.starts_with(".TH ")).unwrap();
        let footer = concat!("\"spv ", env!("CARGO_PKG_VERSION"), "\"");
        assert!(title.contains(footer), "{title}");
    }
    dir.write("file", "");
    dir.spv(&["man", "--dir", "file"])
        .fails(1, "error[io.write]");
}

#[test]
fn limits_tell_their_defaults() {
    let dir = Dir::new();
    let help = dir.spv(&["val", "--help"]);
    let words: Vec<&str> = help.text().split_whitespace().collect();
    let words = words.join(" ");
    // Section 2.17 of the specification.
    for limit in [
        "--max-struct-members <N> Maximum number of members of a structure [default: 16383]",
        "--max-function-args <N> Maximum number of parameters of a function [default: 255]",
        "--max-id-bound <N> Maximum id bound in the header [default: 4194303]",
    ] {
        assert!(words.contains(limit), "{words}");
    }
}

#[test]
fn help_shows_the_limit_of_inputs_where_there_are_inputs() {
    let dir = Dir::new();
    for (command, shows) in [("dis", true), ("explain", false), ("man", false)] {
        let help = dir.spv(&[command, "--help"]);
        assert_eq!(help.text().contains("--max-input"), shows, "{command}");
    }
    let explained = dir.spv(&["explain", "--max-input", "1M", "id.undefined"]);
    assert!(explained.text().starts_with("id.undefined"));
}

#[test]
fn numbers_and_articles_agree_with_their_nouns() {
    let dir = Dir::new();
    let linkable = TEXT.replacen("OpMemory", "OpCapability Linkage\nOpMemory", 1);
    let module = dir.module("a.spv", &linkable);
    dir.write("in/a.spv", module);
    let one = dir.spv(&["val", "in", "--target-env", "spv1.6"]);
    assert_eq!((one.code, one.stderr.as_str()), (0, "1 input is valid\n"));
    dir.write(
        "b.spvasm",
        "%1 = OpTypeVoid\n%2 = OpTypeImage %1 2D 0 0 0 1 Rgba99\n",
    );
    let ran = dir.spv(&["as", "b.spvasm", "-o", "b.spv"]);
    ran.fails(1, "`Rgba99` is not an image format");
    let none = dir.spv(&["dis", "--jobs", "0", "in"]);
    none.fails(2, "it must be a whole number, at least 1");
}
