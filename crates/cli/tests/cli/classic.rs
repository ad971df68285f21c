//! The program under the names of the established tools.

use crate::common::{Dir, FAULTY, Ran, TEXT, run, word};

/// A directory with the links in its `bin`.
pub(crate) fn with_links() -> Dir {
    let dir = Dir::new();
    let ran = dir.spv(&["drop-in", "bin"]);
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    dir
}

#[track_caller]
pub(crate) fn tool(dir: &Dir, name: &str, arguments: &[&str], input: &str) -> Ran {
    let program = dir.path(&format!("bin/{name}{}", std::env::consts::EXE_SUFFIX));
    run(dir.command(program).args(arguments), input.as_bytes())
}

#[test]
fn the_assembler_writes_out_spv_with_new_ids() {
    let dir = with_links();
    dir.write("a.spvasm", TEXT);
    let ran = tool(&dir, "spirv-as", &["a.spvasm"], "");
    assert_eq!((ran.code, ran.stdout.len(), &*ran.stderr), (0, 0, ""));
    let module = dir.read("out.spv");
    // The version is the comment's, generator and bound are not.
    let header = [1, 2, 3, 4].map(|index| word(&module, index));
    assert_eq!(header, [0x1_0300, 0x7_0000, 2, 0]);
    for arguments in [
        &["-o", "-"][..],
        &["-", "-o", "-"],
        &["a.spvasm", "-o", "-"],
    ] {
        assert_eq!(tool(&dir, "spirv-as", arguments, TEXT).bytes(), module);
    }
    assert_eq!(
        tool(&dir, "spirv-as", &["-o", "b.spv", "a.spvasm"], "").code,
        0
    );
    assert_eq!(dir.read("b.spv"), module);
}

#[test]
fn the_assembler_takes_its_options() {
    let dir = with_links();
    let header = |options: &[&str], text: &str| {
        let arguments = [options, &["-o", "-"]].concat();
        let ran = tool(&dir, "spirv-as", &arguments, text);
        [word(ran.bytes(), 1), word(ran.bytes(), 3)]
    };
    assert_eq!(header(&["--preserve-numeric-ids"], TEXT), [0x1_0300, 11]);
    assert_eq!(header(&["--target-env", "spv1.0"], TEXT), [0x1_0000, 2]);
    assert_eq!(header(&["--target-env=vulkan1.2"], TEXT), [0x1_0500, 2]);
    assert_eq!(header(&[], "%1 = OpTypeVoid"), [0x1_0600, 2]);
    assert!(
        tool(&dir, "spirv-as", &["--help"], "")
            .text()
            .contains("--preserve-numeric-ids")
    );
    assert!(
        tool(&dir, "spirv-as", &["-h"], "")
            .text()
            .contains("out.spv")
    );
    assert!(
        tool(&dir, "spirv-as", &["--version"], "")
            .text()
            .contains("SPIR-V 1.6")
    );
}

#[test]
fn the_assembler_refuses_with_1() {
    let dir = with_links();
    let refuse =
        |arguments: &[&str], mention| tool(&dir, "spirv-as", arguments, FAULTY).fails(1, mention);
    refuse(&["--renumber-ids"], "--renumber-ids");
    refuse(&["--raw-id"], "--raw-id");
    refuse(&["-o"], "-o");
    refuse(&["--target-env"], "--target-env");
    refuse(&["--target-env", "metal4"], "metal4");
    refuse(&["a", "b"], "more than one");
    refuse(&["-o", "a", "-o", "b"], "more than once");
    refuse(&["missing"], "missing");
    refuse(&[], "<stdin>:1:14");
    refuse(&["--preserve-numeric-ids=1"], "`true` or `false`");
    refuse(&["-o=x"], "-o=x");
    refuse(&["--nonesuch", "--version"], "--nonesuch");
    refuse(&["--", "--version"], "--version");
    let both = ["--target-env=spv1.0", "--target-env=spv1.1"];
    refuse(&both, "more than once");
    assert!(!dir.path("out.spv").exists());
    let newer = "; Version: 1.3\n%1 = OpCopyLogical %2 %3\n";
    tool(&dir, "spirv-as", &[], newer).fails(1, "OpCopyLogical");
}

#[test]
fn the_disassembler_prints_by_default() {
    let dir = with_links();
    dir.module("a.spv", TEXT);
    let expected = dir.spv(&["dis", "a.spv"]).text().to_owned();
    assert_eq!(tool(&dir, "spirv-dis", &["a.spv"], "").text(), expected);
    assert_eq!(
        tool(&dir, "spirv-dis", &["a.spv", "-o", "-"], "").text(),
        expected
    );
    assert_eq!(
        tool(&dir, "spirv-dis", &["a.spv", "-o", "b.spvasm"], "").text(),
        ""
    );
    assert_eq!(dir.read_text("b.spvasm"), expected);
    let hex = "07230203 00010000 00000000 00000001 00000000";
    for arguments in [&[][..], &["-"]] {
        assert!(
            tool(&dir, "spirv-dis", arguments, hex)
                .text()
                .contains("; Bound: 1\n")
        );
    }
}

#[test]
fn the_disassembler_takes_its_options() {
    let dir = with_links();
    dir.module("a.spv", TEXT);
    for option in [
        "--no-indent",
        "--no-header",
        "--raw-id",
        "--nested-indent",
        "--reorder-blocks",
        "--offsets",
        "--comment",
        "--handle-unknown-opcodes",
        "--color",
        "--no-color",
    ] {
        let expected = dir.spv(&["dis", option, "a.spv"]);
        assert_eq!(
            tool(&dir, "spirv-dis", &["a.spv", option], "").text(),
            expected.text(),
            "{option}"
        );
    }
    let colored = |arguments: &[&str]| {
        tool(&dir, "spirv-dis", arguments, "")
            .text()
            .contains('\x1b')
    };
    assert!(colored(&["--no-color=false", "--color=true", "a.spv"]));
    assert!(!colored(&["--no-color", "--color", "a.spv"]));
    assert!(!colored(&["--color", "--no-color", "a.spv"]));
    // Files are never coloured.
    assert!(!colored(&["--color", "a.spv", "-o", "b.spvasm"]));
    assert!(!dir.read_text("b.spvasm").contains('\x1b'));
    assert!(
        tool(&dir, "spirv-dis", &["--help"], "")
            .text()
            .contains("--raw-id")
    );
    assert!(
        tool(&dir, "spirv-dis", &["--version"], "")
            .text()
            .contains("SPIR-V 1.6")
    );
    tool(&dir, "spirv-dis", &["--lenient", "a.spv"], "").fails(1, "--lenient");
    tool(&dir, "spirv-dis", &["--target-env", "spv1.0", "a.spv"], "").fails(1, "--target-env");
    tool(&dir, "spirv-dis", &["a.spv", "b.spv"], "").fails(1, "more than one");
}

#[test]
fn switches_are_on_or_off_and_files_follow_two_dashes() {
    let dir = with_links();
    dir.module("a.spv", TEXT);
    dir.write("--raw-id", dir.read("a.spv"));
    let dis = |arguments: &[&str]| {
        let ran = tool(&dir, "spirv-dis", arguments, "");
        ran.text().to_owned()
    };
    let (plain, raw) = (dis(&["a.spv"]), dis(&["--raw-id", "a.spv"]));
    assert_ne!(plain, raw);
    assert_eq!(dis(&["--raw-id=true", "--", "a.spv"]), raw);
    assert_eq!(dis(&["--raw-id=false", "a.spv"]), plain);
    assert_eq!(dis(&["--", "--raw-id"]), plain);
    assert!(dis(&["--version=true"]).contains("SPIR-V 1.6"));
    assert_eq!(dis(&["--version=false", "--help=false", "a.spv"]), plain);
    tool(&dir, "spirv-dis", &["--raw-id", "--raw-id", "a.spv"], "").fails(1, "more than once");

    let bound = |option: &str| {
        let arguments = [option, "-o", "-", "--", "-"];
        word(tool(&dir, "spirv-as", &arguments, TEXT).bytes(), 3)
    };
    assert_eq!(bound("--preserve-numeric-ids=true"), 11);
    assert_eq!(bound("--preserve-numeric-ids=false"), 2);
    assert_eq!(bound("--target-env="), 2);
}

#[test]
fn the_assembler_takes_comments_in_other_encodings_but_no_modules() {
    let dir = with_links();
    dir.write("a.spvasm", b"; caf\xe9\n%1 = OpTypeVoid ; \xff\n");
    let arguments = ["a.spvasm", "-o", "a.spv"];
    assert_eq!(tool(&dir, "spirv-as", &arguments, "").code, 0);
    tool(&dir, "spirv-as", &["a.spv"], "").fails(1, "`spv dis`");
}

#[test]
fn links_are_renewed_but_nothing_else_is_replaced() {
    let dir = with_links();
    assert_eq!(dir.spv(&["drop-in", "bin"]).code, 0);
    let suffix = std::env::consts::EXE_SUFFIX;
    let (first, second) = (
        format!("other/spirv-as{suffix}"),
        format!("other/spirv-dis{suffix}"),
    );
    dir.write(&second, "precious");
    dir.spv(&["drop-in", "other"]).fails(1, "--force");
    assert_eq!(dir.read(&second), b"precious");
    assert!(!dir.path(&first).exists(), "all or none");
    assert_eq!(dir.spv(&["drop-in", "--force", "other"]).code, 0);
    assert_ne!(dir.read(&second), b"precious");
}

#[cfg(unix)]
#[test]
fn links_are_symbolic_and_only_those_to_spv_are_replaced() {
    use std::fs;
    use std::os::unix::fs::symlink;
    let dir = with_links();
    let target = fs::read_link(dir.path("bin/spirv-as")).unwrap();
    assert_eq!(target, fs::canonicalize(env!("CARGO_BIN_EXE_spv")).unwrap());
    let link = dir.path("bin/spirv-dis");
    fs::remove_file(&link).unwrap();
    symlink("/elsewhere/spirv-dis", &link).unwrap();
    dir.spv(&["drop-in", "bin"]).fails(1, "spirv-dis");
    fs::remove_file(&link).unwrap();
    symlink("/an/older/spv", &link).unwrap();
    assert_eq!(dir.spv(&["drop-in", "bin"]).code, 0);
    assert_eq!(fs::read_link(&link).unwrap(), target);
}
