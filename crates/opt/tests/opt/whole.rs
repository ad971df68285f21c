//! What becomes of a module around its functions.

use super::frame::{module, optimized};
use spirvkit_opt::{Options, optimize};
use spirvkit_testing::{numbered_words, text, words};

#[test]
fn what_nothing_uses_goes() {
    let module = module("", "", "OpStore %o %f1\nOpReturn").replace(
        "OpMemoryModel",
        "%glsl = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel",
    );
    let text = text(&optimized(&module));
    let expected = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main \"main\" %o %w %k
OpExecutionMode %main OriginUpperLeft
OpName %o \"o\"
OpName %w \"w\"
OpName %k \"k\"
OpName %main \"main\"
";
    assert!(text.starts_with(expected), "{text}");
    for gone in ["Import", "%a", "OpTypeStruct", "%float_2", "Private"] {
        assert!(!text.contains(gone), "{gone} in {text}");
    }
}

#[test]
fn equal_constants_are_one_also_where_they_are_indices() {
    let declarations = "%uint = OpTypeInt 32 0\n%u0 = OpConstant %uint 0\n";
    let body = "%x = OpAccessChain %in_data %other %0
%y = OpAccessChain %in_data %other %u0
%x1 = OpLoad %float %x
%y1 = OpLoad %float %y
%sum = OpFAdd %float %x1 %y1
OpStore %o %sum
OpReturn";
    let text = text(&optimized(&module("", declarations, body)));
    assert_eq!(text.matches("OpAccessChain").count(), 1, "{text}");
    assert_eq!(text.matches("OpConstant ").count(), 1, "{text}");
}

#[test]
fn groups_of_decorations_of_kernels_stay() {
    let kernel = "OpCapability Addresses
OpCapability Kernel
OpCapability Linkage
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main \"main\"
OpDecorate %group FuncParamAttr NoCapture
%group = OpDecorationGroup
OpGroupDecorate %group %x %y
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%pointer = OpTypePointer CrossWorkgroup %uint
%one = OpConstant %uint 1
%fn = OpTypeFunction %void %pointer %pointer
%main = OpFunction %void None %fn
%x = OpFunctionParameter %pointer
%y = OpFunctionParameter %pointer
%entry = OpLabel
%x1 = OpLoad %uint %x Aligned 4
%unused = OpIAdd %uint %x1 %one
OpStore %y %x1 Aligned 4
OpReturn
OpFunctionEnd
";
    let text = text(&optimized(kernel));
    assert!(text.contains("FuncParamAttr NoCapture"), "{text}");
    assert!(text.contains("= OpDecorationGroup"), "{text}");
    let line = text
        .lines()
        .find(|line| line.starts_with("OpGroupDecorate"));
    assert_eq!(line.unwrap().split(' ').count(), 4, "{text}");
    assert!(!text.contains("OpIAdd"), "{text}");
}

#[test]
fn a_function_with_what_is_unknown_stays_as_it_is() {
    let unknown = "OpUnknown(60000, 2) 1\n";
    let body = format!(
        "%x = OpVariable %to_float Function\nOpStore %x %f1\n{unknown}%x1 = OpLoad %float %x\nOpStore %o %x1\nOpReturn"
    );
    let before = words(&module("", "", &body));
    let after = optimize(&before, &Options::default()).unwrap().words;
    let function = before.iter().position(|&word| word == 0x0005_0036).unwrap();
    assert!(
        after.ends_with(&before[function..]),
        "{before:?}\n{after:?}"
    );
}

#[test]
fn ids_that_are_far_apart_are_brought_together_first() {
    let text = "OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
OpDecorate %4000000 LinkageAttributes \"f\" Export
%1 = OpTypeFloat 32
%2 = OpTypeFunction %1 %1
%4000000 = OpFunction %1 None %2
%3 = OpFunctionParameter %1
%5 = OpLabel
%6 = OpFAdd %1 %3 %3
%7 = OpFMul %1 %3 %3
OpReturnValue %7
OpFunctionEnd
";
    let before = numbered_words(text);
    assert_eq!(before[3], 4_000_001);
    let after = optimize(&before, &Options::default()).unwrap().words;
    assert!(after[3] < 20, "{}", after[3]);
    assert_eq!(after.len(), before.len() - 5);
}

#[test]
fn what_is_no_module_is_an_error() {
    let mut broken = words("OpCapability Shader\nOpMemoryModel Logical GLSL450\n");
    broken.push(0x0002_0011);
    assert!(optimize(&broken, &Options::default()).is_err());
    assert!(optimize(&broken[..3], &Options::default()).is_err());
}

#[test]
fn what_was_made_stays_as_it_is() {
    // The labels of what is inlined are new, and in another order than they are named.
    let body = "%x1 = OpFunctionCall %int %choose
OpStore %k %x1
OpReturn
OpFunctionEnd
%choose = OpFunction %int None %nullary
%e = OpLabel
%i1 = OpLoad %int %i
%c = OpAccessChain %in_count %count %0
%is = OpSLessThan %bool %i1 %0
OpSelectionMerge %m None
OpBranchConditional %is %yes %no
%no = OpLabel
OpStore %c %2
%n2 = OpNot %int %i1
OpBranch %m
%yes = OpLabel
OpStore %c %1
%n1 = OpIMul %int %i1 %i1
OpBranch %m
%m = OpLabel
%n = OpPhi %int %n1 %yes %n2 %no
OpReturnValue %n";
    let once = optimized(&module("", "%nullary = OpTypeFunction %int\n", body));
    let again = optimize(&once, &Options::default()).unwrap().words;
    assert_eq!(text(&again), text(&once));
    assert!(text(&once).contains("OpPhi"));
}
