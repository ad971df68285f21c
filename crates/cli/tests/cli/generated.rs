//! Help, version, completions and manual pages.

use crate::common::Dir;

const COMMANDS: &[&str] = &[
    "as",
    "dis",
    "val",
    "diff",
    "explain",
    "layout",
    "cfg",
    "info",
    "specialize",
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
    assert_eq!(dir.files().len(), 1 + COMMANDS.len());
    dir.write("file", "");
    dir.spv(&["man", "--dir", "file"])
        .fails(1, "error[io.write]");
}
