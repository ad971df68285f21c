//! Limits of what a module may have, and of how many errors are reported.

use super::*;

#[test]
fn limits_and_the_number_of_errors_are_options() {
    let dir = Dir::new();
    dir.write("a.spvasm", MEMBERS);
    assert_eq!(dir.spv(&["val", "a.spvasm"]).code, 0);
    for flag in [
        &["--max-struct-members", "2"][..],
        &["--max-struct-members=2"],
    ] {
        let arguments = [&["val", "a.spvasm"], flag].concat();
        assert_eq!(dir.spv(&arguments).code, 1, "{flag:?}");
    }
    dir.write("b.spvasm", INVALID);
    let ran = dir.spv(&["val", "--max-errors=1", "b.spvasm"]);
    assert_eq!(ran.stderr.matches("error[").count(), 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("--max-errors"), "{}", ran.stderr);
}

/// Has one of each thing that is limited.
const LIMITED: &str = "\
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%one = OpConstant %uint 1
%zero = OpConstant %uint 0
%true = OpConstantTrue %bool
%inner = OpTypeStruct %uint %uint
%outer = OpTypeStruct %inner %uint
%ptr = OpTypePointer Function %outer
%ptr_uint = OpTypePointer Function %uint
%ptr_private = OpTypePointer Private %uint
%global = OpVariable %ptr_private Private
%f = OpTypeFunction %void
%g = OpTypeFunction %void %uint
%main = OpFunction %void None %f
%a = OpLabel
%local = OpVariable %ptr Function
%part = OpAccessChain %ptr_uint %local %zero %one
OpSelectionMerge %c None
OpBranchConditional %true %b %c
%b = OpLabel
OpSelectionMerge %e None
OpSwitch %one %e 1 %d
%d = OpLabel
OpBranch %e
%e = OpLabel
OpBranch %c
%c = OpLabel
OpReturn
OpFunctionEnd
%helper = OpFunction %void None %g
%parameter = OpFunctionParameter %uint
%label = OpLabel
OpReturn
OpFunctionEnd
";

#[test]
fn limits_take_any_number() {
    let dir = Dir::new();
    dir.write("a.spvasm", LIMITED);
    let val = |options: &[&str]| {
        let ran = dir.spv(&[&["val", "a.spvasm"], options].concat());
        assert!(ran.code == 0 || ran.stderr.contains("error"), "{ran:?}");
        ran
    };
    let limits = spirvkit::ValidateOptions::settings().iter();
    let limits = limits.filter(|setting| setting.value() == Some("N"));
    assert_eq!(limits.clone().count(), 9);
    for setting in limits {
        let name = setting.name;
        let limit = |value: &str| val(&[&format!("--{name}={value}")]);
        assert_eq!(limit("0").code, 1, "--{name}=0");
        for value in ["100", "2147483647", "4294967295"] {
            assert_eq!(limit(value).stderr, "", "--{name}={value}");
        }
        for value in ["4294967296", "18446744073709551615", "-1"] {
            assert_eq!(limit(value).code, 2, "--{name}={value}");
        }
    }
    // A limit of nothing, and what it is of.
    for (name, rule) in [
        ("struct-members", "limit.struct-members"),
        ("struct-depth", "limit.struct-depth"),
        ("local-variables", "limit.local-variables"),
        ("global-variables", "limit.global-variables"),
        ("switch-branches", "limit.switch-branches"),
        ("function-args", "limit.function-arguments"),
        ("control-flow-nesting-depth", "structured.nesting-depth"),
        ("access-chain-indexes", "limit.indexes"),
    ] {
        let ran = val(&[&format!("--max-{name}=0")]);
        assert!(ran.stderr.contains(&format!("error[{rule}]")), "{ran:?}");
    }
    for value in ["0", "1", "4294967295", "18446744073709551615"] {
        let option = format!("--max-errors={value}");
        assert_eq!(val(&[&option]).stderr, "");
        let ran = val(&[&option, "--max-struct-members=0"]);
        assert_eq!(ran.code, 1);
        let most = if value == "1" { 1 } else { 2 };
        assert_eq!(ran.stderr.matches("error[").count(), most);
        let ran = dir.spv(&["as", &option, "a.spvasm", "-o", "a.spv"]);
        assert_eq!((ran.code, &*ran.stderr), (0, ""));
        assert_eq!(dir.spv(&["dis", &option, "a.spv"]).code, 0);
    }
    for value in ["0", "18446744073709551615", "18446744073709551615G", "1G"] {
        assert_eq!(val(&[&format!("--max-input={value}")]).stderr, "");
    }
    assert_eq!(val(&["--max-input=1"]).code, 1);
    for value in ["18446744073709551616", "K", "-1"] {
        assert_eq!(val(&[&format!("--max-input={value}")]).code, 2);
    }
}
