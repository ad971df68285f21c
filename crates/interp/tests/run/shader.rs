//! Small compute shaders, so that tests show only what they are about.

use proptest::prelude::ProptestConfig;
use spirvkit_interp::{Outcome, Run};
use spirvkit_text::{AssembleOptions, assemble};

/// The sizes of subgroups that everything is run with.
pub(crate) const SIZES: [u32; 5] = [4, 8, 16, 32, 64];

/// A shader of workgroups of 64 with a buffer `%in` at binding 0 and a buffer `%out` at
/// binding 1, both arrays of `u32`. `%index` is the index of the invocation, and `%value` what `%in` has there; the
/// body makes `%result`, which is written to the same place of `%out`.
pub(crate) fn shader(globals: &str, body: &str) -> Vec<u32> {
    with_functions(globals, body, "")
}

/// The same with further functions.
pub(crate) fn with_functions(globals: &str, body: &str, functions: &str) -> Vec<u32> {
    let text = format!(
        "OpCapability Shader
OpCapability Int64
OpCapability Float64
OpCapability Int8
OpCapability Int16
OpCapability Float16
OpCapability GroupNonUniform
OpCapability GroupNonUniformVote
OpCapability GroupNonUniformBallot
OpCapability GroupNonUniformArithmetic
OpCapability GroupNonUniformShuffle
OpCapability CooperativeMatrixKHR
OpCapability LongVectorEXT
%glsl = OpExtInstImport \"GLSL.std.450\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %local %lane %in %out
OpExecutionMode %main LocalSize 64 1 1
OpName %in \"in\"
OpName %out \"out\"
OpDecorate %local BuiltIn LocalInvocationIndex
OpDecorate %lane BuiltIn SubgroupLocalInvocationId
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %array ArrayStride 4
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%f32 = OpTypeFloat 32
%u32 = OpTypeInt 32 0
%i32 = OpTypeInt 32 1
%v2u32 = OpTypeVector %u32 2
%v3u32 = OpTypeVector %u32 3
%v4u32 = OpTypeVector %u32 4
%v3f32 = OpTypeVector %f32 3
%array = OpTypeRuntimeArray %u32
%block = OpTypeStruct %array
%ptr_block = OpTypePointer StorageBuffer %block
%ptr_element = OpTypePointer StorageBuffer %u32
%ptr_input = OpTypePointer Input %u32
%ptr_shared = OpTypePointer Workgroup %u32
%ptr_local = OpTypePointer Function %u32
%true = OpConstantTrue %bool
%false = OpConstantFalse %bool
%u0 = OpConstant %u32 0
%u1 = OpConstant %u32 1
%u2 = OpConstant %u32 2
%u3 = OpConstant %u32 3
%u4 = OpConstant %u32 4
%u5 = OpConstant %u32 5
%u8 = OpConstant %u32 8
%u31 = OpConstant %u32 31
%u64 = OpConstant %u32 64
%u264 = OpConstant %u32 264
%i0 = OpConstant %i32 0
%i3 = OpConstant %i32 3
%f1 = OpConstant %f32 1
%f2 = OpConstant %f32 2
%nought = OpConstantNull %u32
%shared = OpVariable %ptr_shared Workgroup %nought
%local = OpVariable %ptr_input Input
%lane = OpVariable %ptr_input Input
%in = OpVariable %ptr_block StorageBuffer
%out = OpVariable %ptr_block StorageBuffer
{globals}
%main = OpFunction %void None %fn
%entry = OpLabel
%index = OpLoad %u32 %local
%lane_index = OpLoad %u32 %lane
%in_at = OpAccessChain %ptr_element %in %u0 %index
%value = OpLoad %u32 %in_at
{body}
%out_at = OpAccessChain %ptr_element %out %u0 %index
OpStore %out_at %result
OpReturn
OpFunctionEnd
{functions}"
    );
    let options = AssembleOptions::default();
    assemble(&text, &options)
        .unwrap_or_else(|errors| panic!("{errors}\n{text}"))
        .words
}

/// Runs one workgroup on these inputs, of which there are 64.
#[track_caller]
pub(crate) fn run(words: &[u32], size: u32, inputs: &[u32]) -> Outcome {
    let run = Run::new(words).subgroup_size(size).storage(0, 0, inputs);
    run.zeroed(0, 1, 64 * 4).dispatch([1, 1, 1]).unwrap()
}

/// Runs a shader on inputs with subgroups of all sizes, expects no findings, and that each
/// invocation gets what a function says of its index and input.
#[track_caller]
pub(crate) fn gives(globals: &str, body: &str, inputs: &[u32], expected: impl Fn(u32, u32) -> u32) {
    let words = shader(globals, body);
    let mut padded = inputs.to_vec();
    padded.resize(64, 0);
    let expected: Vec<u32> = (0..64)
        .map(|index| expected(index, padded[index as usize]))
        .collect();
    for size in SIZES {
        let out = run(&words, size, &padded);
        out.assert_clean();
        assert!(out.findings.is_empty(), "{:?}", out.findings);
        assert_eq!(out.read::<u32>(0, 1), expected, "subgroups of {size}");
    }
}

/// So many random cases, or as many as `PROPTEST_CASES` says.
pub(crate) fn cases(count: u32) -> ProptestConfig {
    let given = std::env::var("PROPTEST_CASES").ok();
    ProptestConfig::with_cases(given.and_then(|cases| cases.parse().ok()).unwrap_or(count))
}
