//! The pass that replaces AMD's extensions.

use spirvkit_interp::Run;
use spirvkit_testing::words;

use crate::classic::{after, has, lacks};
use crate::classic_resources::words_of;

#[test]
fn built_ins_of_another_entry_point_are_listed() {
    let module = "; Version: 1.3
OpCapability Shader
OpCapability Groups
OpCapability GroupNonUniform
OpExtension \"SPV_AMD_shader_ballot\"
%set = OpExtInstImport \"SPV_AMD_shader_ballot\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %a \"a\" %lane
OpEntryPoint GLCompute %b \"b\"
OpExecutionMode %a LocalSize 1 1 1
OpExecutionMode %b LocalSize 1 1 1
OpDecorate %lane BuiltIn SubgroupLocalInvocationId
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%1 = OpConstant %uint 1
%to_uint = OpTypePointer Input %uint
%lane = OpVariable %to_uint Input
%a = OpFunction %void None %fn
%al = OpLabel
%x = OpLoad %uint %lane
OpReturn
OpFunctionEnd
%b = OpFunction %void None %fn
%bl = OpLabel
%y = OpExtInst %uint %set WriteInvocationAMD %1 %1 %1
%z = OpExtInst %uint %set WriteInvocationAMD %y %1 %1
OpReturn
OpFunctionEnd
";
    let text = after("amd-ext-to-khr", module);
    for name in ["a", "b"] {
        has(
            &text,
            &[&format!("\"{name}\" %SubgroupLocalInvocationId\n")],
        );
    }
}

/// What a shader with four invocations leaves in a buffer of 16 words, before and after a pass.
#[track_caller]
fn invocations(flags: &str, module: &str) -> String {
    let done = words_of(flags, module);
    let text = after(flags, module);
    let results = [words(module), done].map(|words| {
        let run = Run::new(&words).storage(0, 0, &[0u32; 16]);
        let outcome = run.subgroup_size(4).dispatch([1, 1, 1]).unwrap();
        outcome.assert_clean();
        outcome.read::<u32>(0, 0)
    });
    assert_eq!(results[0], results[1], "{text}");
    assert!(results[0].iter().any(|&word| word > 1), "{results:?}");
    text
}

/// A compute shader of four invocations, each of which stores `%value` at its place.
fn of_four(set: &str, capabilities: &str, body: &str) -> String {
    format!(
        "; Version: 1.3
OpCapability Shader
OpCapability Int64
{capabilities}
OpExtension \"{set}\"
%set = OpExtInstImport \"{set}\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %index
OpExecutionMode %main LocalSize 4 1 1
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %rt ArrayStride 4
OpDecorate %S Block
OpMemberDecorate %S 0 Offset 0
OpDecorate %buf DescriptorSet 0
OpDecorate %buf Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%ulong = OpTypeInt 64 0
%float = OpTypeFloat 32
%uvec2 = OpTypeVector %uint 2
%uvec3 = OpTypeVector %uint 3
%uvec4 = OpTypeVector %uint 4
%vec2 = OpTypeVector %float 2
%vec3 = OpTypeVector %float 3
%0 = OpConstant %uint 0
%1 = OpConstant %uint 1
%2 = OpConstant %uint 2
%3 = OpConstant %uint 3
%9 = OpConstant %uint 9
%masks = OpConstantComposite %uvec3 %3 %0 %1
%offsets = OpConstantComposite %uvec4 %2 %3 %0 %0
%long = OpConstant %ulong 13
%third = OpConstant %float -0.3
%two = OpConstant %float 2
%rt = OpTypeRuntimeArray %uint
%S = OpTypeStruct %rt
%to_S = OpTypePointer StorageBuffer %S
%to_uint = OpTypePointer StorageBuffer %uint
%to_in = OpTypePointer Input %uint
%buf = OpVariable %to_S StorageBuffer
%index = OpVariable %to_in Input
%main = OpFunction %void None %fn
%entry = OpLabel
%i = OpLoad %uint %index
%i9 = OpIAdd %uint %i %9
{body}
%at = OpAccessChain %to_uint %buf %0 %i
OpStore %at %value
OpReturn
OpFunctionEnd
"
    )
}

#[test]
fn extensions_of_amd_become_what_the_core_has() {
    let ballot = |body: &str| of_four("SPV_AMD_shader_ballot", "OpCapability Groups", body);
    for body in [
        "%value = OpExtInst %uint %set SwizzleInvocationsAMD %i9 %offsets",
        "%value = OpExtInst %uint %set SwizzleInvocationsMaskedAMD %i9 %masks",
        "%both = OpCompositeConstruct %uvec2 %i9 %i\n%other = OpCompositeConstruct %uvec2 %9 %9
%written = OpExtInst %uvec2 %set WriteInvocationAMD %both %other %2
%value = OpCompositeExtract %uint %written 1",
        "%count = OpExtInst %uint %set MbcntAMD %long\n%value = OpIAdd %uint %count %9",
        "%value = OpGroupIAddNonUniformAMD %uint %3 InclusiveScan %i9",
        "%value = OpGroupUMax %uint %3 Reduce %i9",
    ] {
        let text = invocations("amd-ext-to-khr", &ballot(body));
        lacks(&text, &["AMD", "Groups"]);
    }
    let three = |body: &str| of_four("SPV_AMD_shader_trinary_minmax", "", body);
    for name in ["UMin3AMD", "UMax3AMD", "UMid3AMD"] {
        let body = format!("%value = OpExtInst %uint %set {name} %i9 %9 %2");
        lacks(&invocations("amd-ext-to-khr", &three(&body)), &["AMD"]);
    }
    for name in ["FMin3AMD", "FMid3AMD", "FMax3AMD"] {
        let body = format!(
            "%f = OpConvertUToF %float %i\n%x = OpExtInst %float %set {name} %f %third %two
%value = OpBitcast %uint %x"
        );
        lacks(&invocations("amd-ext-to-khr", &three(&body)), &["AMD"]);
    }
    let cube = |body: &str| {
        let body = format!(
            "%f = OpConvertUToF %float %i\n%g = OpFSub %float %two %f
%direction = OpCompositeConstruct %vec3 %third %g %f\n{body}\n%value = OpBitcast %uint %x"
        );
        of_four("SPV_AMD_gcn_shader", "", &body)
    };
    for body in [
        "%face = OpExtInst %float %set CubeFaceIndexAMD %direction\n%x = OpFAdd %float %face %two",
        "%place = OpExtInst %vec2 %set CubeFaceCoordAMD %direction\n%x = OpCompositeExtract %float %place 0",
        "%place = OpExtInst %vec2 %set CubeFaceCoordAMD %direction\n%x = OpCompositeExtract %float %place 1",
    ] {
        lacks(&invocations("amd-ext-to-khr", &cube(body)), &["AMD"]);
    }
    let clock = of_four(
        "SPV_AMD_gcn_shader",
        "",
        "%time = OpExtInst %ulong %set TimeAMD\n%value = OpUConvert %uint %time",
    );
    has(
        &after("amd-ext-to-khr", &clock),
        &["OpReadClockKHR", "SPV_KHR_shader_clock"],
    );
}
