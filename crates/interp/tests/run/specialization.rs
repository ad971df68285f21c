//! Specialization constants.

use spirvkit_interp::Run;

use super::shader::shader;

#[test]
fn constants_with_the_same_number_get_the_same_value() {
    let globals = "OpDecorate %a SpecId 3\nOpDecorate %b SpecId 3
%a = OpSpecConstant %u32 1\n%b = OpSpecConstant %u32 2";
    let words = shader(globals, "%result = OpIAdd %u32 %a %b");
    let given = |run: Run<'_>| {
        let run = run.storage(0, 0, &[0u32; 64]).zeroed(0, 1, 256);
        run.dispatch([1, 1, 1]).unwrap().read::<u32>(0, 1)[0]
    };
    assert_eq!(given(Run::new(&words)), 3);
    assert_eq!(given(Run::new(&words).spec(3, 20u32)), 40);
}

#[test]
fn constants_say_how_large_workgroups_and_arrays_are() {
    let modes = [
        ("OpExecutionModeId %main LocalSizeId %size %one %one", "", 1),
        (
            "OpExecutionModeId %main LocalSizeId %twice %one %one",
            "",
            2,
        ),
        // The built-in constant goes before the mode.
        (
            "OpExecutionMode %main LocalSize 1 1 1",
            "OpDecorate %all BuiltIn WorkgroupSize",
            1,
        ),
    ];
    for (mode, decoration, times) in modes {
        let text = format!(
            "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %local
{mode}
OpDecorate %local BuiltIn LocalInvocationIndex
OpDecorate %size SpecId 3
{decoration}
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %array ArrayStride 4
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%v3 = OpTypeVector %u32 3
%zero = OpConstant %u32 0
%one = OpConstant %u32 1
%two = OpConstant %u32 2
%size = OpSpecConstant %u32 5
%twice = OpSpecConstantOp %u32 IMul %size %two
%all = OpSpecConstantComposite %v3 %size %one %one
%array = OpTypeRuntimeArray %u32
%block = OpTypeStruct %array
%words = OpTypeArray %u32 %twice
%p_block = OpTypePointer StorageBuffer %block
%p_element = OpTypePointer StorageBuffer %u32
%p_words = OpTypePointer Workgroup %words
%p_word = OpTypePointer Workgroup %u32
%p_input = OpTypePointer Input %u32
%local = OpVariable %p_input Input
%out = OpVariable %p_block StorageBuffer
%shared = OpVariable %p_words Workgroup
%main = OpFunction %void None %fn
%entry = OpLabel
%index = OpLoad %u32 %local
%own = OpAccessChain %p_word %shared %index
OpStore %own %twice
%stored = OpLoad %u32 %own
%sum = OpIAdd %u32 %stored %index
%to = OpAccessChain %p_element %out %zero %index
OpStore %to %sum
OpReturn
OpFunctionEnd"
        );
        let words = spirvkit_text::assemble(&text, &Default::default())
            .unwrap()
            .words;
        let wrong = Run::new(&words).spec(3, 70_000u32).zeroed(0, 0, 80);
        let wrong = wrong.dispatch([1, 1, 1]).unwrap_err();
        assert_eq!(wrong[0].rule(), "run.interface");
        let message = wrong[0].message();
        assert!(message.ends_with("there can be 1 to 65536"), "{message}");
        for given in [None, Some(1u32), Some(7)] {
            for size in [4, 8, 32] {
                let mut run = Run::new(&words).subgroup_size(size).zeroed(0, 0, 80);
                if let Some(given) = given {
                    run = run.spec(3, given);
                }
                let out = run.dispatch([1, 1, 1]).unwrap();
                assert!(out.findings.is_empty(), "{mode}: {:?}", out.findings);
                let length = given.unwrap_or(5);
                let expected = |at: u32| match at < length * times {
                    true => 2 * length + at,
                    false => 0,
                };
                let expected: Vec<u32> = (0..20).map(expected).collect();
                assert_eq!(out.read::<u32>(0, 0), expected, "{mode}, {given:?}");
            }
        }
    }
}
