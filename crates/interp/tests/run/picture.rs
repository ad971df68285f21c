//! Shaders that take images, of invocations with eight words in and four out.

use spirvkit_eval::Format;
use spirvkit_interp::{Outcome, Run};
use spirvkit_text::{AssembleOptions, assemble};

/// A shader of workgroups of four invocations. Each has eight words of a buffer at set 1,
/// binding 0 as `%x`, `%y`, `%z`, `%w`, `%p`, `%q`, `%r`, `%s`, both as floats and, with an `i`
/// in front, as integers; the body makes `%result` of four words, which go to set 1, binding 1.
pub(crate) fn picture(modes: &str, globals: &str, body: &str) -> Vec<u32> {
    let mut loads = String::new();
    for (index, name) in ["x", "y", "z", "w", "p", "q", "r", "s"].iter().enumerate() {
        loads += &format!(
            "%at_{name} = OpAccessChain %ptr_word %in %i0 %me %i{index}
%i{name} = OpLoad %i32 %at_{name}
%{name} = OpBitcast %f32 %i{name}
"
        );
    }
    let constants: String = (0..8)
        .map(|it| format!("%i{it} = OpConstant %i32 {it}\n"))
        .collect();
    let text = format!(
        "OpCapability Shader
%glsl = OpExtInstImport \"GLSL.std.450\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %id %in %out
OpExecutionMode %main LocalSize 4 1 1
{modes}
OpName %image \"image\"
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %in DescriptorSet 1
OpDecorate %in Binding 0
OpDecorate %out DescriptorSet 1
OpDecorate %out Binding 1
OpDecorate %image DescriptorSet 0
OpDecorate %image Binding 0
OpDecorate %sampler DescriptorSet 0
OpDecorate %sampler Binding 0
OpDecorate %in_block Block
OpMemberDecorate %in_block 0 Offset 0
OpDecorate %out_block Block
OpMemberDecorate %out_block 0 Offset 0
OpDecorate %eight ArrayStride 4
OpDecorate %in_array ArrayStride 32
OpDecorate %out_array ArrayStride 16
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%f32 = OpTypeFloat 32
%i32 = OpTypeInt 32 1
%u32 = OpTypeInt 32 0
%v2f32 = OpTypeVector %f32 2
%v3f32 = OpTypeVector %f32 3
%v4f32 = OpTypeVector %f32 4
%v2i32 = OpTypeVector %i32 2
%v3i32 = OpTypeVector %i32 3
%v4i32 = OpTypeVector %i32 4
%v4u32 = OpTypeVector %u32 4
%v3u32 = OpTypeVector %u32 3
{constants}
%u1 = OpConstant %u32 1
%u8 = OpConstant %u32 8
%f0 = OpConstant %f32 0
%f1 = OpConstant %f32 1
%zeros = OpConstantNull %v4i32
%eight = OpTypeArray %i32 %u8
%in_array = OpTypeRuntimeArray %eight
%in_block = OpTypeStruct %in_array
%out_array = OpTypeRuntimeArray %v4i32
%out_block = OpTypeStruct %out_array
%ptr_in = OpTypePointer StorageBuffer %in_block
%ptr_out = OpTypePointer StorageBuffer %out_block
%ptr_word = OpTypePointer StorageBuffer %i32
%ptr_result = OpTypePointer StorageBuffer %v4i32
%ptr_id = OpTypePointer Input %v3u32
%in = OpVariable %ptr_in StorageBuffer
%out = OpVariable %ptr_out StorageBuffer
%id = OpVariable %ptr_id Input
{globals}
%main = OpFunction %void None %fn
%entry = OpLabel
%id_value = OpLoad %v3u32 %id
%me_unsigned = OpCompositeExtract %u32 %id_value 0
%me = OpBitcast %i32 %me_unsigned
{loads}
{body}
%result_at = OpAccessChain %ptr_result %out %i0 %me
OpStore %result_at %result
OpReturn
OpFunctionEnd
"
    );
    let options = AssembleOptions::default();
    assemble(&text, &options)
        .unwrap_or_else(|errors| panic!("{errors}\n{text}"))
        .words
}

/// Runs a shader on inputs, of which each may have fewer words than eight, with subgroups of
/// this size.
pub(crate) fn run(run: Run<'_>, size: u32, inputs: &[Vec<u32>]) -> Outcome {
    let count = inputs.len().next_multiple_of(4);
    let mut words = vec![0u32; count * 8];
    for (to, from) in words.chunks_mut(8).zip(inputs) {
        to[..from.len()].copy_from_slice(from);
    }
    let run = run
        .subgroup_size(size)
        .storage(1, 0, &words)
        .zeroed(1, 1, count * 16);
    run.dispatch([count as u32 / 4, 1, 1]).unwrap()
}

/// The results of a run without findings, the same for all sizes of subgroups.
#[track_caller]
pub(crate) fn results(of: &Run<'_>, inputs: &[Vec<u32>]) -> Vec<[u32; 4]> {
    let mut all: Option<Vec<[u32; 4]>> = None;
    for size in [4, 8, 32] {
        let out = run(of.clone(), size, inputs);
        assert!(out.findings.is_empty(), "{:?}", out.findings);
        let words = out.read::<u32>(1, 1);
        let mut found: Vec<[u32; 4]> = words
            .chunks(4)
            .map(|it| [it[0], it[1], it[2], it[3]])
            .collect();
        found.truncate(inputs.len());
        match &all {
            None => all = Some(found),
            Some(all) => assert_eq!(&found, all, "subgroups of {size}"),
        }
    }
    all.unwrap()
}

/// The same as floats, from inputs that are floats.
#[track_caller]
pub(crate) fn floats(of: &Run<'_>, inputs: &[&[f32]]) -> Vec<[f32; 4]> {
    let words = inputs
        .iter()
        .map(|input| input.iter().map(|it| it.to_bits()).collect());
    let found = results(of, &words.collect::<Vec<_>>());
    found
        .into_iter()
        .map(|texel| texel.map(f32::from_bits))
        .collect()
}

pub(crate) fn format(name: &str) -> Format {
    Format::named(name).unwrap()
}

/// The one finding of a run.
#[track_caller]
pub(crate) fn finding(out: &Outcome) -> (&str, &str) {
    match &out.findings[..] {
        [found] => (found.rule(), found.message()),
        other => panic!("{other:?}"),
    }
}
