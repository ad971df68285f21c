//! Removing what nothing uses.

use crate::common;

use common::{SHADER, check, count, is_valid, load, show};
use spirvkit_grammar::Op;
use spirvkit_ir::Module;
use spirvkit_transform::{Prune, Strip, prune, strip};

const COMPUTE: &str = r#"OpCapability Shader
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpName %main "main"
OpName %unused "unused"
OpName %helper "helper"
OpName %private "private"
OpMemberName %struct 0 "member"
OpDecorate %size BuiltIn WorkgroupSize
OpDecorate %spec SpecId 0
OpMemberDecorate %struct 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%uvec3 = OpTypeVector %u32 3
%one = OpConstant %u32 1
%size = OpConstantComposite %uvec3 %one %one %one
%spec = OpSpecConstant %u32 5
%f32 = OpTypeFloat 32
%struct = OpTypeStruct %f32
%unused = OpConstant %f32 7
%pointer = OpTypePointer Private %f32
%private = OpVariable %pointer Private
%main = OpFunction %void None %fn
%entry = OpLabel
OpReturn
OpFunctionEnd
%helper = OpFunction %void None %fn
%body = OpLabel
%value = OpLoad %f32 %private
OpReturn
OpFunctionEnd
"#;

#[test]
fn what_nothing_uses_goes_with_its_names_and_decorations() {
    let mut module = load(COMPUTE);
    check(&module, "vulkan1.3");
    let before = module.instructions().count();
    let removed = prune(&mut module, &Prune::default());
    check(&module, "vulkan1.3");
    assert_eq!(module.instructions().count(), before - removed);
    let text = show(&module);
    for gone in [
        "unused",
        "SpecId",
        "OpTypeStruct",
        "Offset",
        "member",
        "OpExtInstImport",
    ] {
        assert!(!text.contains(gone), "{gone}: {text}");
    }
    for kept in [
        "WorkgroupSize",
        "%private = OpVariable",
        "%helper = OpFunction",
    ] {
        assert!(text.contains(kept), "{kept}: {text}");
    }
    assert_eq!(prune(&mut module, &Prune::default()), 0);
}

#[test]
fn functions_and_variables_go_on_request() {
    let mut module = load(COMPUTE);
    let options = Prune::default().variables(true);
    prune(&mut module, &options);
    assert_eq!(count(&module, "OpVariable"), 1);
    prune(&mut module, &options.functions(true));
    check(&module, "vulkan1.3");
    assert_eq!(count(&module, "OpFunction"), 1);
    assert_eq!(count(&module, "OpVariable"), 0);
    assert_eq!(count(&module, "OpTypeFloat"), 0);
    assert_eq!(count(&module, "OpName"), 1);
}

#[test]
fn a_workgroup_size_counts_for_models_with_work_groups_alone() {
    let text = COMPUTE.replace("GLCompute", "Vertex");
    let mut module = load(&text);
    prune(&mut module, &Prune::default());
    assert_eq!(count(&module, "OpConstantComposite"), 0);
}

#[test]
fn exports_are_used_unless_told_otherwise() {
    let text = r#"OpCapability Linkage
OpCapability Shader
OpMemoryModel Logical GLSL450
OpDecorate %exported LinkageAttributes "e" Export
OpDecorate %imported LinkageAttributes "i" Import
%void = OpTypeVoid
%fn = OpTypeFunction %void
%imported = OpFunction %void None %fn
OpFunctionEnd
%exported = OpFunction %void None %fn
%a = OpLabel
OpReturn
OpFunctionEnd
"#;
    let options = Prune::default().functions(true);
    let mut module = load(text);
    assert_eq!(prune(&mut module, &options), 3);
    check(&module, "spv1.6");
    assert_eq!(prune(&mut module, &options.exports(true)), 7);
    check(&module, "spv1.6");
}

#[test]
fn groups_of_decorations_lose_what_is_gone() {
    let text = format!(
        "{SHADER}OpDecorate %group RelaxedPrecision
%group = OpDecorationGroup
OpGroupDecorate %group %dead %live %dead2
OpDecorate %members Offset 0
%members = OpDecorationGroup
OpGroupMemberDecorate %members %block 0 %gone 0
OpDecorate %lonely RelaxedPrecision
%lonely = OpDecorationGroup
OpGroupDecorate %lonely %dead
%f32 = OpTypeFloat 32
%block = OpTypeStruct %f32
%gone = OpTypeStruct %f32
%bp = OpTypePointer Private %block
%blockvar = OpVariable %bp Private
%pointer = OpTypePointer Private %f32
%live = OpVariable %pointer Private
%dead = OpConstant %f32 1
%dead2 = OpConstant %f32 2
"
    );
    let mut module = load(&text);
    prune(&mut module, &Prune::default());
    module.verify().unwrap();
    assert_eq!(count(&module, "OpDecorationGroup"), 2);
    assert_eq!(count(&module, "OpTypeStruct"), 1);
    let text = show(&module);
    let group = text
        .lines()
        .find(|line| line.contains("OpGroupDecorate"))
        .unwrap();
    assert_eq!(group.split_whitespace().count(), 3, "{group}");
    let group = text
        .lines()
        .find(|line| line.contains("OpGroupMember"))
        .unwrap();
    assert_eq!(group.split_whitespace().count(), 4, "{group}");
}

#[test]
fn global_lines_go_with_what_they_are_of() {
    let text = format!(
        "{SHADER}%a = OpString \"a\"
%b = OpString \"b\"
OpLine %a 1 1
%f32 = OpTypeFloat 32
OpLine %b 2 1
%p = OpTypePointer Private %f32
%v = OpVariable %p Private
OpNoLine
%u = OpTypeInt 32 0
"
    );
    let mut module = load(&text);
    prune(&mut module, &Prune::default());
    module.verify().unwrap();
    assert_eq!(count(&module, "OpLine"), 2);
    prune(&mut module, &Prune::default().variables(true));
    module.verify().unwrap();
    assert_eq!(module.instructions().count(), 2, "{}", show(&module));
}

#[test]
fn debug_information_about_dead_functions_goes_with_them() {
    let text = r#"OpCapability Shader
OpExtension "SPV_KHR_non_semantic_info"
%set = OpExtInstImport "NonSemantic.Shader.DebugInfo.100"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%file = OpString "file.comp"
%text = OpString "void main() {}"
%live_name = OpString "live"
%dead_name = OpString "dead"
%global_name = OpString "global"
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%zero = OpConstant %u32 0
%one = OpConstant %u32 1
%bits = OpConstant %u32 32
%hundred = OpConstant %u32 100
%pointer = OpTypePointer Private %u32
%variable = OpVariable %pointer Private
%source = OpExtInst %void %set DebugSource %file %text
%more = OpExtInst %void %set DebugSourceContinued %text
%unit = OpExtInst %void %set DebugCompilationUnit %hundred %one %source %one
%type = OpExtInst %void %set DebugTypeFunction %zero %void
%number = OpExtInst %void %set DebugTypeBasic %global_name %bits %one %zero
%global = OpExtInst %void %set DebugGlobalVariable %global_name %number %source %one %one %unit %global_name %variable %zero
%live = OpExtInst %void %set DebugFunction %live_name %type %source %one %one %unit %live_name %zero %one
%dead = OpExtInst %void %set DebugFunction %dead_name %type %source %one %one %unit %dead_name %zero %one
%start = OpExtInst %void %set DebugEntryPoint %dead %unit %dead_name %dead_name
%main = OpFunction %void None %fn
%a = OpLabel
%d1 = OpExtInst %void %set DebugFunctionDefinition %live %main
OpReturn
OpFunctionEnd
%other = OpFunction %void None %fn
%b = OpLabel
%d2 = OpExtInst %void %set DebugFunctionDefinition %dead %other
%load = OpLoad %u32 %variable
OpReturn
OpFunctionEnd
"#;
    let mut module = load(text);
    check(&module, "vulkan1.3");
    assert_eq!(prune(&mut module, &Prune::default()), 0);
    let options = Prune::default()
        .functions(true)
        .variables(true)
        .exports(false);
    prune(&mut module, &options);
    check(&module, "vulkan1.3");
    let text = show(&module);
    for gone in [
        "dead",
        "DebugGlobalVariable",
        "DebugEntryPoint",
        "OpVariable",
    ] {
        assert!(!text.contains(gone), "{gone}: {text}");
    }
    for kept in ["DebugSourceContinued", "\"live\"", "DebugCompilationUnit"] {
        assert!(text.contains(kept), "{kept}: {text}");
    }
}

#[test]
fn what_cannot_be_decoded_keeps_what_it_might_use() {
    let mut words = spirvkit_testing::words(&format!("{SHADER}%1 = OpTypeVoid\n%2 = OpTypeBool\n"));
    words.extend([0x0002_4550, 2]);
    let mut module = spirvkit_ir::Module::load(&words).unwrap();
    assert_eq!(prune(&mut module, &Prune::default()), 1);
    assert_eq!(count(&module, "OpTypeBool"), 1);
}

#[test]
fn a_hundred_thousand_of_anything_take_no_time() {
    use std::fmt::Write as _;
    let mut text = format!("OpCapability Linkage\n{SHADER}");
    for index in 0..100_000 {
        writeln!(
            text,
            "OpName %c{index} \"x\"\nOpDecorate %c{index} RelaxedPrecision"
        )
        .unwrap();
    }
    text += "%u32 = OpTypeInt 32 0\n%v = OpTypeVector %u32 2\n";
    text += "%c0 = OpConstant %u32 0\n";
    for index in 1..100_000 {
        // A chain, so that each one is dead only when the next is.
        let before = index - 1;
        writeln!(
            text,
            "%c{index} = OpSpecConstantOp %u32 IAdd %c{before} %c{before}"
        )
        .unwrap();
    }
    let mut module = load(&text);
    let start = std::time::Instant::now();
    assert_eq!(prune(&mut module, &Prune::default()), 300_002);
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
    assert!(is_valid(&module, "spv1.6"));
}

#[test]
fn an_id_that_is_defined_very_often_takes_no_time() {
    let text = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpName %x \"x\"
%void = OpTypeVoid
%type = OpTypeFunction %void
%uint = OpTypeInt 32 0
%one = OpConstant %uint 1
%main = OpFunction %void None %type
%entry = OpLabel
%x = OpIAdd %uint %one %one
OpReturn
OpFunctionEnd
";
    let once = Module::load(&spirvkit_testing::words(text)).unwrap();
    let count = 60_000;
    let mut words = once.header().to_words().to_vec();
    for inst in once.instructions() {
        let often = matches!(once.op(inst), Op::Name | Op::IAdd);
        for _ in 0..if often { count } else { 1 } {
            words.extend_from_slice(once.get(inst).words());
        }
    }
    let begun = std::time::Instant::now();
    let mut module = Module::from_words(words).unwrap();
    let before = module.instructions().count();
    assert_eq!(prune(&mut module, &Prune::default()), 0);
    assert_eq!(module.instructions().count(), before);
    let names = Strip::default().names(true);
    assert_eq!(strip(&mut module, &names), count);
    // Without optimization, and on a machine with other work.
    assert!(begun.elapsed() < std::time::Duration::from_secs(10));
}
