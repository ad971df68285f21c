//! `spv strip`.

use crate::common::Dir;

const SHADER: &str = "OpCapability Shader
OpExtension \"SPV_KHR_non_semantic_info\"
%printf = OpExtInstImport \"NonSemantic.DebugPrintf\"
%own = OpExtInstImport \"NonSemantic.Own\"
%debug = OpExtInstImport \"OpenCL.DebugInfo.100\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
%text = OpString \"text\"
OpSource GLSL 450
OpName %main \"main\"
OpDecorate %type UserTypeGOOGLE \"type\"
%void = OpTypeVoid
%type = OpTypeFunction %void
%bool = OpTypeBool
%none = OpExtInst %void %debug DebugInfoNone
%remark = OpExtInst %void %own 1
OpLine %text 1 1
%main = OpFunction %void None %type
%entry = OpLabel
%call = OpExtInst %void %printf DebugPrintf %text
OpReturn
OpFunctionEnd
";

fn left(dir: &Dir, options: &[&str]) -> Vec<&'static str> {
    let mut arguments = vec!["strip", "shader.spvasm", "-o", "out.spv"];
    arguments.extend(options);
    let ran = dir.spv(&arguments);
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    let text = dir.spv(&["dis", "--raw-id", "out.spv"]).text().to_owned();
    let pieces = [
        "OpName",
        "OpLine",
        "OpSource",
        "OpenCL.DebugInfo",
        "NonSemantic.Own",
        "DebugPrintf",
        "UserTypeGOOGLE",
        "OpTypeBool",
    ];
    pieces
        .into_iter()
        .filter(|piece| text.contains(piece))
        .collect()
}

#[test]
fn each_option_takes_out_what_it_says() {
    let dir = Dir::new();
    dir.write("shader.spvasm", SHADER);
    let rest = ["DebugPrintf", "UserTypeGOOGLE", "OpTypeBool"];
    assert_eq!(left(&dir, &[]), rest);
    assert_eq!(left(&dir, &["--all"]), rest);
    assert_eq!(left(&dir, &["--all", "--names"]), rest);
    let each = [
        ("--names", "OpName"),
        ("--lines", "OpLine"),
        ("--sources", "OpSource"),
        ("--debug-info", "OpenCL.DebugInfo"),
        ("--non-semantic", "NonSemantic.Own"),
        ("--output-calls", "DebugPrintf"),
        ("--reflection", "UserTypeGOOGLE"),
        ("--unused", "OpTypeBool"),
    ];
    for (option, gone) in each {
        let left = left(&dir, &[option]);
        assert_eq!(left.len(), 7, "{option}: {left:?}");
        assert!(!left.contains(&gone), "{option}: {left:?}");
    }
    let none: [&str; 0] = [];
    let all = ["--all", "--output-calls", "--reflection", "--unused"];
    assert_eq!(left(&dir, &all), none);
}
