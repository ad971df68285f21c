//! The program under the name `spirv-opt`.

use crate::classic::{tool, with_links};
use crate::common::{Dir, Ran, word};

const SHADER: &str = "; Version: 1.0
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
OpName %main \"main\"
OpDecorate %special SpecId 3
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 0
OpDecorate %B BufferBlock
OpMemberDecorate %B 0 Offset 0
%void = OpTypeVoid
%type = OpTypeFunction %void
%int = OpTypeInt 32 1
%special = OpSpecConstant %int 5
%zero = OpConstant %int 0
%B = OpTypeStruct %int
%to_B = OpTypePointer Uniform %B
%to_int = OpTypePointer Uniform %int
%b = OpVariable %to_B Uniform
%main = OpFunction %void None %type
%entry = OpLabel
%to = OpAccessChain %to_int %b %zero
OpStore %to %special
OpBranch %last
%last = OpLabel
OpReturn
OpFunctionEnd
";

fn with_shader() -> Dir {
    let dir = with_links();
    dir.module("a.spv", SHADER);
    dir
}

#[track_caller]
fn opt(dir: &Dir, arguments: &[&str]) -> Ran {
    tool(dir, "spirv-opt", arguments, "")
}

#[track_caller]
fn text(dir: &Dir, flags: &[&str]) -> String {
    let ran = opt(dir, &[flags, &["a.spv", "-o", "b.spv"]].concat());
    assert_eq!((ran.code, &*ran.stderr), (0, ""), "{flags:?}");
    dir.spv(&["dis", "b.spv"]).text().to_owned()
}

#[test]
fn flags_are_done_in_order() {
    let dir = with_shader();
    let same = text(&dir, &[]);
    assert_eq!(dir.read("b.spv"), dir.read("a.spv"), "{same}");
    assert_eq!(
        text(&dir, &["--merge-blocks"]).matches("OpLabel").count(),
        1
    );
    let set = text(
        &dir,
        &[
            "--set-spec-const-default-value",
            "3:8",
            "--freeze-spec-const",
        ],
    );
    assert!(set.contains("OpConstant %int 8"), "{set}");
    let set = text(
        &dir,
        &["--freeze-spec-const", "--set-spec-const-default-value=3:8"],
    );
    assert!(set.contains("OpConstant %int 5"), "{set}");
    dir.write(
        "flags",
        "# first\n--strip-debug\n--switch-descriptorset=0:2",
    );
    let configured = text(&dir, &["-Oconfig=flags", "-O", "-Os", "--legalize-hlsl"]);
    assert!(!configured.contains("OpName"), "{configured}");
    assert!(configured.contains("DescriptorSet 2"), "{configured}");
    let ran = opt(&dir, &["a.spv", "-O", "-o", "-"]);
    assert_eq!(word(ran.bytes(), 0), 0x0723_0203);
    let piped = tool(&dir, "spirv-opt", &["-o", "c.spv"], "");
    piped.fails(1, "");
}

#[test]
fn validation_comes_first_unless_it_is_skipped() {
    let dir = with_shader();
    dir.module(
        "bad.spv",
        &SHADER.replace("OpStore %to %special", "OpStore %to %to"),
    );
    opt(&dir, &["bad.spv", "-O", "-o", "b.spv"]).fails(1, "error[");
    assert!(!dir.files().contains(&"b.spv".to_owned()));
    let ran = opt(
        &dir,
        &[
            "bad.spv",
            "--skip-validation",
            "--strip-debug",
            "-o",
            "b.spv",
        ],
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    opt(&dir, &["--target-env=vulkan1.0", "a.spv", "-o", "c.spv"]).text();
    let flags = [
        "--relax-struct-store",
        "--relax-logical-pointer",
        "--before-hlsl-legalization",
        "--relax-block-layout",
        "--scalar-block-layout",
        "--workgroup-scalar-block-layout",
        "--skip-block-layout",
        "--validate-after-all",
        "--preserve-bindings",
        "--preserve-interface",
        "--preserve-spec-constants",
        "--max-id-bound=4000000",
    ];
    text(&dir, &flags);
}

#[test]
fn what_is_wrong_fails_with_1() {
    let dir = with_shader();
    opt(&dir, &["a.spv", "-O"]).fails(1, "`-o` is missing");
    opt(&dir, &["a.spv", "--nothing", "-o", "b"]).fails(1, "--nothing");
    opt(&dir, &["a.spv", "-Oconfig=nowhere", "-o", "b"]).fails(1, "nowhere");
    dir.write("itself", "--merge-blocks\n-Oconfig=itself\n");
    opt(&dir, &["a.spv", "-Oconfig=itself", "-o", "b"]).fails(1, "can't name another");
    opt(&dir, &["a.spv", "--scalar-replacement=x", "-o", "b"]).fails(1, "no whole number");
    opt(&dir, &["a.spv", "--max-id-bound=x", "-o", "b"]).fails(1, "--max-id-bound");
    opt(&dir, &["a.spv", "--max-id-bound=3", "-O", "-o", "b"]).fails(1, "more than 3");
    let ran = opt(&dir, &["a.spv", "--loop-peeling", "-o", "b"]);
    assert_eq!(ran.code, 0);
    assert_eq!(ran.stderr, "note: `--loop-peeling` changes nothing here\n");
    assert!(
        opt(&dir, &["--help"])
            .text()
            .contains("--eliminate-dead-branches\n")
    );
    assert!(opt(&dir, &["--version"]).text().contains("spirvkit"));
}
