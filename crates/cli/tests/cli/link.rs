//! `spv link`, and the program under the name `spirv-link`.

use crate::common::{Dir, run, word};

const LIBRARY: &str = "\
; Version: 1.2
OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpMemoryModel Physical64 OpenCL
OpDecorate %square LinkageAttributes \"square\" Export
%float = OpTypeFloat 32
%type = OpTypeFunction %float %float
%square = OpFunction %float None %type
%x = OpFunctionParameter %float
%label = OpLabel
%product = OpFMul %float %x %x
OpReturnValue %product
OpFunctionEnd
";

const USER: &str = "\
; Version: 1.2
OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main \"main\"
OpDecorate %square LinkageAttributes \"square\" Import
%void = OpTypeVoid
%float = OpTypeFloat 32
%two = OpConstant %float 2
%type = OpTypeFunction %float %float
%kernel = OpTypeFunction %void
%square = OpFunction %float None %type
%x = OpFunctionParameter %float
OpFunctionEnd
%main = OpFunction %void None %kernel
%label = OpLabel
%four = OpFunctionCall %float %square %two
OpReturn
OpFunctionEnd
";

/// A directory with both as text and as modules.
fn dir() -> Dir {
    let dir = Dir::new();
    for (name, text) in [("user", USER), ("library", LIBRARY)] {
        dir.write(&format!("{name}.spvasm"), text);
        dir.module(&format!("{name}.spv"), text);
    }
    dir
}

/// How many lines of a module's disassembly have this in them.
#[track_caller]
fn count(dir: &Dir, module: &str, part: &str) -> usize {
    let text = dir.spv(&["dis", module]);
    text.text()
        .lines()
        .filter(|line| line.contains(part))
        .count()
}

#[test]
fn inputs_of_any_form_are_linked() {
    let dir = dir();
    let hex: String = (dir.read("library.spv").chunks(4))
        .map(|word| format!("{:#010x} ", u32::from_le_bytes(word.try_into().unwrap())))
        .collect();
    dir.write("library.hex", hex);
    let linked = dir.spv(&["link", "user.spv", "library.spv", "-o", "-"]);
    for [user, library] in [
        ["user.spvasm", "library.spv"],
        ["user.spv", "library.spvasm"],
        ["user.spv", "library.hex"],
    ] {
        let ran = dir.spv(&["link", user, library, "-o", "program.spv"]);
        assert_eq!((ran.code, &*ran.stderr), (0, ""));
        assert_eq!(dir.read("program.spv"), linked.bytes());
    }
    assert_eq!(count(&dir, "program.spv", "Linkage"), 0);
    let check = ["val", "--target-env", "opencl2.2", "program.spv"];
    assert_eq!(dir.spv(&check).code, 0);
}

#[test]
fn the_result_goes_to_out_spv_by_default() {
    let dir = dir();
    assert_eq!(dir.spv(&["link", "user.spv", "library.spv"]).code, 0);
    assert_eq!(count(&dir, "out.spv", "OpFunction "), 2);
    dir.spv(&["link"]).fails(2, "INPUT");
    dir.spv(&["link", "user.spv", "-o", "."])
        .fails(2, "directory");
}

#[test]
fn errors_name_symbol_and_module_and_leave_no_output() {
    let dir = dir();
    let before = dir.files();
    dir.spv(&["link", "user.spv"])
        .fails(1, "`square` is imported by `user.spv`");
    dir.spv(&["link", "user.spv"])
        .fails(1, "--allow-partial-linkage");
    dir.spv(&["link", "library.spv", "library.spvasm"])
        .fails(1, "error[link.duplicate-symbol]");
    dir.spv(&["link", "library.spv", "none.spv"])
        .fails(1, "none.spv");
    let json = dir.spv(&["link", "--format", "json", "user.spv"]);
    json.fails(1, "\"link.unresolved-symbol\"");
    assert_eq!(dir.files(), before);
}

#[test]
fn options_reach_the_linker() {
    let dir = dir();
    let link = |options: &[&str], inputs: &[&str]| {
        let arguments = [&["link"], options, inputs].concat();
        let ran = dir.spv(&arguments);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    };
    link(&["--create-library"], &["user.spv", "library.spv"]);
    assert_eq!(count(&dir, "out.spv", "\"square\" Export"), 1);
    link(&["--allow-partial-linkage"], &["user.spv"]);
    assert_eq!(count(&dir, "out.spv", "\"square\" Import"), 1);
    dir.module("newer.spv", &LIBRARY.replace("1.2", "1.4"));
    dir.spv(&["link", "user.spv", "newer.spv"])
        .fails(1, "--use-highest-version");
    link(&["--use-highest-version"], &["user.spv", "newer.spv"]);
    assert_eq!(word(&dir.read("out.spv"), 1), 0x0001_0400);
    let ints = LIBRARY.replace("OpTypeFloat 32", "OpTypeInt 32 0");
    dir.module("ints.spv", &ints.replace("OpFMul", "OpIMul"));
    dir.spv(&["link", "user.spv", "ints.spv"])
        .fails(1, "the result is float in");
}

#[test]
fn the_result_can_be_checked_for_an_environment() {
    let dir = dir();
    let arguments = [
        "link",
        "user.spv",
        "library.spv",
        "-o",
        "new.spv",
        "--target-env",
    ];
    let link = |env: &'static str| dir.spv(&[&arguments[..], &[env]].concat());
    link("vulkan1.3").fails(1, "new.spv");
    assert!(!dir.path("new.spv").exists());
    assert_eq!(link("opencl2.2").code, 0);
    assert!(dir.path("new.spv").exists());
}

#[test]
fn the_byte_order_is_that_of_the_first_input() {
    let dir = dir();
    dir.spv_with_input(&["as", "--big-endian", "-o", "big.spv"], USER.as_bytes());
    let big = dir.spv(&["link", "big.spv", "library.spv", "-o", "-"]);
    let little = dir.spv(&["link", "user.spv", "library.spv", "-o", "-"]);
    let swapped: Vec<u8> = (big.bytes().chunks(4))
        .flat_map(|word| word.iter().rev().copied())
        .collect();
    assert_eq!(swapped, little.bytes());
}

#[test]
fn the_classic_linker_takes_its_options() {
    let dir = dir();
    assert_eq!(dir.spv(&["drop-in", "bin"]).code, 0);
    let link = |arguments: &[&str]| {
        let program = dir
            .path("bin")
            .join(format!("spirv-link{}", std::env::consts::EXE_SUFFIX));
        run(dir.command(program).args(arguments), b"")
    };
    let ran = link(&[
        "--verify-ids",
        "--target-env",
        "opencl2.2",
        "user.spv",
        "library.spv",
    ]);
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    assert_eq!(count(&dir, "out.spv", "SPIR-V Tools Linker"), 1);
    let ran = link(&["--create-library", "library.spv", "-o", "-"]);
    assert_eq!(word(ran.bytes(), 0), 0x0723_0203);
    assert_eq!(link(&["--allow-partial-linkage", "user.spv"]).code, 0);
    assert_eq!(count(&dir, "out.spv", "\"square\" Import"), 1);
    link(&["user.spv"]).fails(1, "square");
    link(&[]).fails(1, "no input file");
    assert!(link(&["--help"]).text().contains("--use-highest-version"));
}
