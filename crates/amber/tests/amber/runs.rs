//! Running scripts, with shaders in assembly.

use spirvkit_amber::{CompileError, FileFormat, Host, Report, RunOptions, Source, Verdict, run};

use crate::read;

/// A compute shader that adds `%factor`, a specialization constant, times the invocation's
/// index plus a push constant to the numbers at set 0, binding 0.
const ADD: &str = "\
OpCapability Shader
OpCapability GroupNonUniform
OpExtension \"SPV_KHR_storage_buffer_storage_class\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %id
OpEntryPoint GLCompute %size \"size\" %subgroup_size
OpExecutionMode %main LocalSize 4 1 1
OpExecutionMode %size LocalSize 1 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %subgroup_size BuiltIn SubgroupSize
OpDecorate %factor SpecId 5
OpDecorate %numbers DescriptorSet 0
OpDecorate %numbers Binding 0
OpDecorate %other DescriptorSet 0
OpDecorate %other Binding 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %array ArrayStride 4
OpDecorate %given Block
OpMemberDecorate %given 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%v3u32 = OpTypeVector %u32 3
%array = OpTypeRuntimeArray %u32
%block = OpTypeStruct %array
%given = OpTypeStruct %u32
%ptr_block = OpTypePointer StorageBuffer %block
%ptr_element = OpTypePointer StorageBuffer %u32
%ptr_given = OpTypePointer PushConstant %given
%ptr_offset = OpTypePointer PushConstant %u32
%ptr_v3u32 = OpTypePointer Input %v3u32
%ptr_u32 = OpTypePointer Input %u32
%zero = OpConstant %u32 0
%factor = OpSpecConstant %u32 1
%id = OpVariable %ptr_v3u32 Input
%subgroup_size = OpVariable %ptr_u32 Input
%numbers = OpVariable %ptr_block StorageBuffer
%other = OpVariable %ptr_block StorageBuffer
%push = OpVariable %ptr_given PushConstant
%main = OpFunction %void None %fn
%entry = OpLabel
%three = OpLoad %v3u32 %id
%index = OpCompositeExtract %u32 %three 0
%from = OpAccessChain %ptr_element %other %zero %index
%value = OpLoad %u32 %from
%scaled = OpIMul %u32 %index %factor
%offset_at = OpAccessChain %ptr_offset %push %zero
%offset = OpLoad %u32 %offset_at
%moved = OpIAdd %u32 %scaled %offset
%sum = OpIAdd %u32 %value %moved
%at = OpAccessChain %ptr_element %numbers %zero %index
OpStore %at %sum
OpReturn
OpFunctionEnd
%size = OpFunction %void None %fn
%start = OpLabel
%lanes = OpLoad %u32 %subgroup_size
%first = OpAccessChain %ptr_element %numbers %zero %zero
OpStore %first %lanes
OpReturn
OpFunctionEnd
";

/// Two files, and a compiler that takes the text for assembly.
pub(crate) struct Files;

impl Host for Files {
    fn read_file(&self, _: FileFormat, path: &str) -> Result<Vec<u8>, String> {
        match path {
            "numbers.txt" => Ok(b"10 20 30 40".to_vec()),
            "add.spvasm" => Ok(ADD.as_bytes().to_vec()),
            _ => Err("there is no such file".to_owned()),
        }
    }

    fn compile(&self, source: &Source<'_>) -> Result<Vec<u32>, CompileError> {
        let text = source.text.trim();
        match text.strip_prefix("error:") {
            Some(error) => Err(CompileError::Refused(error.to_owned())),
            None if text == "none" => Err(CompileError::NoCompiler("none is here".to_owned())),
            None => {
                let made = spirvkit_text::assemble(text, &Default::default());
                made.map(|made| made.words)
                    .map_err(|errors| CompileError::Refused(errors.to_string()))
            }
        }
    }
}

/// Runs AmberScript whose shader is `add`, with buffers `a` of four zeros and `b` of 1 to 4
/// and a pipeline `p` of these and of `more`.
fn with(options: &RunOptions, more: &str, commands: &str) -> Report {
    let script = read(&format!(
        "#!amber\nSHADER compute add SPIRV-ASM\n{ADD}END\n\
         BUFFER a DATA_TYPE uint32 SIZE 4 FILL 0\n\
         BUFFER b DATA_TYPE uint32 DATA 1 2 3 4 END\n\
         PIPELINE compute p\n ATTACH add\n\
         BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 0\n\
         BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 1\n{more}\nEND\n{commands}\n"
    ));
    run(&script, options, &Files)
}

#[track_caller]
fn passes(report: &Report) {
    assert_eq!(report.verdict, Verdict::Passed, "{:?}", report.reasons);
    assert!(report.reasons.is_empty());
}

/// That there is one reason, of this kind and with this text.
#[track_caller]
fn because(report: &Report, verdict: Verdict, rule: &str, text: &str) {
    assert_eq!(report.verdict, verdict, "{:?}", report.reasons);
    assert_eq!(report.reasons.len(), 1, "{:?}", report.reasons);
    assert_eq!(report.reasons[0].rule(), rule, "{:?}", report.reasons);
    let message = report.reasons[0].message();
    assert!(message.contains(text), "{message}");
}

/// All of these with defaults.
fn commands(commands: &str) -> Report {
    with(&RunOptions::default(), "", commands)
}

#[test]
fn buffers_are_bound_changed_and_compared() {
    let report = commands("RUN p 1 1 1\nEXPECT a IDX 0 EQ 1 3 5 7");
    passes(&report);
    assert_eq!(report.expectations, 1);
    let report = commands("RUN p 1 1 1\nEXPECT a IDX 0 EQ 1 3 5 8\nEXPECT b IDX 4 EQ 9");
    assert_eq!(report.verdict, Verdict::Failed);
    let messages: Vec<_> = report.reasons.iter().map(|it| it.message()).collect();
    assert_eq!(
        messages,
        [
            "`a` is not as expected: at byte 12: expected 8, found 7; 1 of 4 values differ",
            "`b` is not as expected: at byte 4: expected 9, found 2; 1 of 1 values differ",
        ]
    );
    assert!(
        report
            .reasons
            .iter()
            .all(|it| it.rule() == "amber.expectation")
    );
    // A script without expectations passes by finishing.
    let report = commands("RUN p 1 1 1");
    passes(&report);
    assert_eq!(report.expectations, 0);
}

#[test]
fn specialization_and_push_constants_reach_the_shader() {
    let options = RunOptions::default();
    let script = read(&format!(
        "#!amber\nSHADER compute add SPIRV-ASM\n{ADD}END\n\
         BUFFER a DATA_TYPE uint32 SIZE 4 FILL 0\nBUFFER b DATA_TYPE uint32 SIZE 4 FILL 1\n\
         BUFFER c DATA_TYPE uint32 DATA 100 END\n\
         PIPELINE compute p\n ATTACH add SPECIALIZE 5 AS uint32 10 SPECIALIZE 6 AS uint32 1\n\
         BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 0\n\
         BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 1\n\
         BIND BUFFER c AS push_constant\nEND\n\
         RUN p 1 1 1\nEXPECT a IDX 0 EQ 101 111 121 131\n"
    ));
    passes(&run(&script, &options, &Files));
}

#[test]
fn the_script_chooses_entry_point_and_subgroup_size_first() {
    let run_with = |size, attached: &str| {
        let script = read(&format!(
            "#!amber\nSHADER compute add SPIRV-ASM\n{ADD}END\n\
             BUFFER a DATA_TYPE uint32 SIZE 4 FILL 0\n\
             PIPELINE compute p\n ATTACH add ENTRY_POINT size\n{attached}\n\
             BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 0\nEND\n\
             RUN p 1 1 1\nEXPECT a IDX 0 EQ 8\n"
        ));
        run(&script, &RunOptions::default().subgroup_size(size), &Files)
    };
    passes(&run_with(8, ""));
    let required = "SUBGROUP add\nREQUIRED_SIZE 8\nEND";
    passes(&run_with(32, required));
    let text = "expected 8, found 32";
    because(
        &run_with(32, ""),
        Verdict::Failed,
        "amber.expectation",
        text,
    );
    for (size, found) in [("MIN", 4), ("MAX", 64)] {
        let report = run_with(32, &format!("SUBGROUP add\nREQUIRED_SIZE {size}\nEND"));
        let text = format!("expected 8, found {found}");
        because(&report, Verdict::Failed, "amber.expectation", &text);
    }
    let report = run_with(32, "SUBGROUP add\nREQUIRED_SIZE 128\nEND");
    because(
        &report,
        Verdict::Skipped,
        "amber.skipped",
        "subgroups of 128",
    );
}

#[test]
fn repetitions_copies_and_timed_runs_are_done_in_order() {
    passes(&commands(
        "REPEAT 2\nREPEAT 3\nRUN TIMED_EXECUTION p 1 1 1\nCOPY a TO b\nEND\nEND\n\
         EXPECT b IDX 0 EQ 1 8 15 22\n",
    ));
    let script = "BUFFER c DATA_TYPE uint32 SIZE 3 FILL 0\nCOPY a TO c";
    let text = "`a` has 16 bytes, and `c` 12";
    because(&commands(script), Verdict::Failed, "amber.write", text);
}

#[test]
fn one_buffer_may_be_bound_twice_and_in_parts() {
    let bound = |binds: &str, check: &str| {
        let script = read(&format!(
            "#!amber\nSHADER compute add SPIRV-ASM\n{ADD}END\n\
             BUFFER a DATA_TYPE uint32 DATA 1 2 3 4 5 6 7 8 END\n\
             PIPELINE compute p\n ATTACH add\n{binds}END\nRUN p 1 1 1\n{check}\n"
        ));
        run(&script, &RunOptions::default(), &Files)
    };
    let whole = "BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 0\n\
                 BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 1\n";
    passes(&bound(whole, "EXPECT a IDX 0 EQ 1 3 5 7 5 6 7 8"));
    let parts = "BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 0 DESCRIPTOR_RANGE 16\n\
                 BIND BUFFER a AS storage_dynamic DESCRIPTOR_SET 0 BINDING 1 OFFSET 8 DESCRIPTOR_OFFSET 8\n";
    passes(&bound(parts, "EXPECT a IDX 0 EQ 5 7 9 11 5 6 7 8"));
    // Both see what was there before.
    let overlapping = "BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 0\n\
                       BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 1 DESCRIPTOR_OFFSET 16\n";
    passes(&bound(overlapping, "EXPECT a IDX 0 EQ 5 7 9 11 5 6 7 8"));
    let beyond = "BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 0 DESCRIPTOR_OFFSET 48\n";
    because(
        &bound(beyond, ""),
        Verdict::Failed,
        "amber.write",
        "which has only 32",
    );
}

#[test]
fn accesses_out_of_bounds_are_robust_and_reported() {
    // Twelve invocations, and room for four.
    let report = commands("RUN p 3 1 1\nEXPECT a IDX 0 EQ 1 3 5 7");
    passes(&report);
    let rules: Vec<_> = report.findings.iter().map(|it| it.rule()).collect();
    assert_eq!(rules, ["run.bounds"; 2]);
    assert!(report.findings[0].message().contains("8 times"));
}

#[test]
fn a_run_that_takes_too_long_fails() {
    let options = RunOptions::default().max_steps(50_000);
    let report = with(&options, "", "RUN p 10000 1 1\nEXPECT b IDX 0 EQ 1");
    because(
        &report,
        Verdict::Failed,
        "run.steps",
        "the run was stopped here",
    );
    // Commands count, too.
    for repeated in ["RUN p 0 1 1", "COPY a TO b", "EXPECT a IDX 0 EQ 0"] {
        let commands = format!("REPEAT 4000000000\n{repeated}\nEND");
        let report = with(&options, "", &commands);
        because(
            &report,
            Verdict::Failed,
            "amber.limit",
            "more steps than allowed",
        );
    }
}

#[test]
fn scripts_that_cannot_be_run_are_skipped() {
    let options = RunOptions::default();
    let shader = |declaration: &str| {
        let script = read(&format!(
            "#!amber\n{declaration}\nBUFFER a DATA_TYPE uint32 SIZE 4 FILL 0\n\
             PIPELINE compute p\n ATTACH s\n\
             BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 0\n\
             BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 1\nEND\nRUN p 1 1 1\n\
             EXPECT a IDX 0 EQ 0 1 2 3\n"
        ));
        run(&script, &options, &Files)
    };
    passes(&shader(&format!("SHADER compute s GLSL\n{ADD}END")));
    passes(&shader("SHADER compute s SPIRV-ASM FILE add.spvasm"));
    let report = shader("SHADER compute s GLSL\nnone\nEND");
    because(
        &report,
        Verdict::Skipped,
        "amber.skipped",
        "can't be compiled: none is here",
    );
    let report = shader("SHADER compute s SPIRV-ASM FILE other.spvasm");
    because(
        &report,
        Verdict::Skipped,
        "amber.skipped",
        "there is no such file",
    );
    let report = shader("SHADER compute s GLSL\nerror: no main\nEND");
    because(
        &report,
        Verdict::Failed,
        "amber.shader",
        "is refused by its compiler:  no main",
    );
    let report = shader("SHADER compute s SPIRV-HEX\n0x07230203 nothing\nEND");
    because(
        &report,
        Verdict::Failed,
        "amber.shader",
        "is not made of hexadecimal words",
    );
    let script = read("[vertex shader passthrough]\n[test]\ndraw rect -1 -1 2 2\n");
    let report = run(&script, &options, &Files);
    because(
        &report,
        Verdict::Skipped,
        "amber.skipped",
        "graphics pipelines",
    );
    let options = RunOptions::default().max_memory(24);
    let report = with(&options, "", "RUN p 1 1 1\n");
    because(
        &report,
        Verdict::Skipped,
        "amber.skipped",
        "more memory than allowed",
    );
}

#[test]
fn errors_in_assembly_stand_in_the_script() {
    let text = "#!amber\nSHADER compute s SPIRV-ASM\nOpCapability Shadr\nEND\n\
                PIPELINE compute p\n ATTACH s\nEND\nRUN p 1 1 1\n";
    let report = run(&read(text), &RunOptions::default(), &Files);
    assert_eq!(report.verdict, Verdict::Failed);
    let source = spirvkit_diagnostics::Source::new("s", text);
    let shown = spirvkit_diagnostics::render::all(&report.reasons, &source);
    assert!(shown.contains("s:3:14"), "{shown}");
}

#[test]
fn modules_may_be_in_hexadecimal() {
    let words = spirvkit_text::assemble(ADD, &Default::default())
        .unwrap()
        .words;
    let words: Vec<String> = words.iter().map(|word| format!("0x{word:08x}")).collect();
    let script = read(&format!(
        "#!amber\nSHADER compute s SPIRV-HEX\n{}\nEND\n\
         BUFFER a DATA_TYPE uint32 SIZE 4 FILE TEXT numbers.txt\n\
         PIPELINE compute p\n ATTACH s\n\
         BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 0\n\
         BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 1\nEND\nRUN p 1 1 1\n\
         EXPECT a IDX 0 EQ 10 21 32 43\n",
        words.join(" ")
    ));
    passes(&run(&script, &RunOptions::default(), &Files));
}

#[test]
fn vk_scripts_write_run_and_probe() {
    let script = read(&format!(
        "[compute shader spirv]\n{ADD}\n[test]\n\
         ssbo 0:0 16\nssbo 0:1 subdata int 0 1 2 3 4\n\
         compute 1 1 1\nprobe ssbo int 0:0 0 == 1 3 5 7\n\
         ssbo 0:1 subdata int 4 100\ncompute 1 1 1\nprobe ssbo int 0:0 4 == 101\n\
         compute entrypoint size\ncompute 1 1 1\nprobe ssbo int 0:0 0 == 32\n"
    ));
    passes(&run(&script, &RunOptions::default(), &Files));
}

/// Each expectation is met, and no longer after a step.
#[test]
fn expectations_are_tested_by_changing_them() {
    let options = RunOptions::default().negated(true);
    let report = with(
        &options,
        "",
        "BUFFER same DATA_TYPE uint32 DATA 1 3 5 7 END\n\
         BUFFER near DATA_TYPE uint32 DATA 1 3 5 8 END\n\
         BUFFER floats DATA_TYPE float DATA 0 1.5 -2.5 inf nan 1e30 END\n\
         BUFFER texels FORMAT R8G8_UNORM SIZE 2 FILL 51\n\
         BUFFER others FORMAT R8G8_UNORM SIZE 2 FILL 51\n\
         RUN p 1 1 1\n\
         EXPECT a IDX 0 EQ 1 3 5 7\nEXPECT a IDX 0 NE 2 2 2 2\nEXPECT a IDX 4 LT 4 6 8\n\
         EXPECT a IDX 4 LE 3 6 8\nEXPECT a IDX 4 GT 2 3 4\nEXPECT a IDX 4 GE 3 3 4\n\
         EXPECT a IDX 0 TOLERANCE 2 EQ 2 3 3 9\nEXPECT a IDX 0 TOLERANCE 50% EQ 1 4 8 8\n\
         EXPECT floats IDX 0 EQ 0 1.5 -2.5 inf nan 1e30\n\
         EXPECT floats IDX 4 TOLERANCE 0.2 EQ 1.6 -2.45\n\
         EXPECT a EQ_BUFFER same\nEXPECT a RMSE_BUFFER near TOLERANCE 0.6\n\
         EXPECT texels EQ_HISTOGRAM_EMD_BUFFER others TOLERANCE 0.01\n",
    );
    passes(&report);
    assert_eq!(report.expectations, 13);
    // What is always met tests nothing.
    let report = with(&options, "", "EXPECT b IDX 0 TOLERANCE 100% EQ 1");
    because(
        &report,
        Verdict::Failed,
        "amber.negated",
        "also if that is changed",
    );
}

/// Copies the middle of a sampled image to a texel of a storage image, and adds one in a texel
/// buffer.
const IMAGES: &str = "\
OpCapability Shader
OpCapability SampledBuffer
OpCapability ImageBuffer
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %from DescriptorSet 0
OpDecorate %from Binding 0
OpDecorate %to DescriptorSet 0
OpDecorate %to Binding 1
OpDecorate %line DescriptorSet 0
OpDecorate %line Binding 2
%void = OpTypeVoid
%fn = OpTypeFunction %void
%f32 = OpTypeFloat 32
%u32 = OpTypeInt 32 0
%v2f32 = OpTypeVector %f32 2
%v4f32 = OpTypeVector %f32 4
%v2u32 = OpTypeVector %u32 2
%v4u32 = OpTypeVector %u32 4
%sampled = OpTypeImage %f32 2D 0 0 0 1 Unknown
%combined = OpTypeSampledImage %sampled
%stored = OpTypeImage %f32 2D 0 0 0 2 Rgba32f
%texels = OpTypeImage %u32 Buffer 0 0 0 2 R32ui
%ptr_combined = OpTypePointer UniformConstant %combined
%ptr_stored = OpTypePointer UniformConstant %stored
%ptr_texels = OpTypePointer UniformConstant %texels
%zero = OpConstant %u32 0
%one = OpConstant %u32 1
%f0 = OpConstant %f32 0
%half = OpConstant %f32 0.5
%middle = OpConstantComposite %v2f32 %half %half
%corner = OpConstantComposite %v2u32 %one %zero
%from = OpVariable %ptr_combined UniformConstant
%to = OpVariable %ptr_stored UniformConstant
%line = OpVariable %ptr_texels UniformConstant
%main = OpFunction %void None %fn
%entry = OpLabel
%image = OpLoad %combined %from
%color = OpImageSampleExplicitLod %v4f32 %image %middle Lod %f0
%target = OpLoad %stored %to
OpImageWrite %target %corner %color
%buffer = OpLoad %texels %line
%old = OpImageRead %v4u32 %buffer %one
%more = OpCompositeConstruct %v4u32 %one %one %one %one
%new = OpIAdd %v4u32 %old %more
OpImageWrite %buffer %one %new
OpReturn
OpFunctionEnd
";

/// A script whose result depends on its sampler.
pub(crate) fn with_images(sampler: &str, color: &str) -> String {
    format!(
        "#!amber\nSHADER compute s SPIRV-ASM\n{IMAGES}END\n\
         IMAGE from FORMAT R8G8B8A8_UNORM DIM_2D WIDTH 2 HEIGHT 2 DATA\n\
         0 0 0 255 200 0 0 255 0 0 0 255 200 0 0 255 END\n\
         IMAGE to FORMAT R32G32B32A32_SFLOAT DIM_2D WIDTH 2 HEIGHT 1 FILL 0\n\
         BUFFER line DATA_TYPE uint32 DATA 5 6 7 END\n\
         {sampler}\nPIPELINE compute p\n ATTACH s\n\
         BIND BUFFER from AS combined_image_sampler SAMPLER sampler DESCRIPTOR_SET 0 BINDING 0\n\
         BIND BUFFER to AS storage_image DESCRIPTOR_SET 0 BINDING 1\n\
         BIND BUFFER line AS storage_texel_buffer DESCRIPTOR_SET 0 BINDING 2\nEND\n\
         RUN p 1 1 1\nEXPECT to IDX 0 0 SIZE 1 1 EQ_RGBA 0 0 0 0\n\
         EXPECT to IDX 1 0 SIZE 1 1 EQ_RGBA {color} 0 0 255 TOLERANCE 1\n\
         EXPECT line IDX 0 EQ 5 7 7\n"
    )
}

#[test]
fn images_samplers_and_texel_buffers_are_bound() {
    let result = |sampler: &str, color: &str| {
        let script = read(&with_images(sampler, color));
        run(&script, &RunOptions::default(), &Files)
    };
    let linear = "SAMPLER sampler MAG_FILTER linear MIN_FILTER linear";
    passes(&result(linear, "100"));
    passes(&result("SAMPLER sampler", "200"));
}

/// Runs a kernel `k` that adds its second argument to what its third points to, and writes it to
/// where its first does; `a` is a buffer of four numbers, and `p` has what a text says.
fn kernel(pipeline: &str, commands: &str) -> Report {
    let script = read(&format!(
        "#!amber\nSHADER compute k SPIRV-ASM\n\
         OpCapability Kernel\nOpCapability Addresses\n\
         OpMemoryModel Physical32 OpenCL\n\
         OpEntryPoint Kernel %main \"main\" %id\n\
         OpName %values \"values\"\n\
         OpDecorate %id BuiltIn GlobalInvocationId\n\
         %void = OpTypeVoid\n%u32 = OpTypeInt 32 0\n%v3u32 = OpTypeVector %u32 3\n\
         %ptr_input = OpTypePointer Input %v3u32\n%ptr = OpTypePointer CrossWorkgroup %u32\n\
         %fn = OpTypeFunction %void %ptr %u32 %ptr\n%id = OpVariable %ptr_input Input\n\
         %main = OpFunction %void None %fn\n%values = OpFunctionParameter %ptr\n\
         %more = OpFunctionParameter %u32\n%same = OpFunctionParameter %ptr\n\
         %entry = OpLabel\n%three = OpLoad %v3u32 %id\n\
         %index = OpCompositeExtract %u32 %three 0\n\
         %at = OpInBoundsPtrAccessChain %ptr %values %index\n\
         %from = OpInBoundsPtrAccessChain %ptr %same %index\n\
         %old = OpLoad %u32 %from\n%new = OpIAdd %u32 %old %more\nOpStore %at %new\n\
         OpReturn\nOpFunctionEnd\nEND\n\
         BUFFER a DATA_TYPE uint32 DATA 1 2 3 4 END\n\
         PIPELINE compute p\n{pipeline}\nEND\n{commands}\n"
    ));
    run(&script, &RunOptions::default(), &Files)
}

#[test]
fn kernels_get_their_arguments() {
    let report = kernel(
        "ATTACH k\nBIND BUFFER a KERNEL ARG_NAME values\n\
         SET KERNEL ARG_NUMBER 1 AS uint32 100\nBIND BUFFER a KERNEL ARG_NUMBER 2",
        "RUN p 4 1 1\nRUN p 2 1 1\nEXPECT a IDX 0 EQ 201 202 103 104",
    );
    passes(&report);
}

#[test]
fn bindings_are_what_a_kernel_gets_by_pointers() {
    let report = kernel(
        "ATTACH k SPECIALIZE 0 AS uint32 2\n\
         BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 0\n\
         SET KERNEL ARG_NUMBER 1 AS uint32 100\n\
         BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 1",
        // Two workgroups of two invocations, then one.
        "RUN p 2 1 1\nRUN p 1 1 1\nEXPECT a IDX 0 EQ 201 202 103 104",
    );
    passes(&report);
    for place in ["SET 0 BINDING 2", "SET 1 BINDING 0"] {
        let binding = format!("ATTACH k\nBIND BUFFER a AS storage DESCRIPTOR_{place}");
        let report = kernel(&binding, "RUN p 1 1 1");
        assert_eq!(report.verdict, Verdict::Skipped);
        let message = report.reasons[0].message();
        assert!(
            message.contains("a kernel has no such descriptor"),
            "{message}"
        );
    }
}

/// Replaces a word of each module, a number that is known to be in it once, by another.
struct Replacing(u32, u32);

impl Host for Replacing {
    fn read_file(&self, format: FileFormat, path: &str) -> Result<Vec<u8>, String> {
        Files.read_file(format, path)
    }

    fn compile(&self, source: &Source<'_>) -> Result<Vec<u32>, CompileError> {
        Files.compile(source)
    }

    fn replacement(&self, words: &[u32]) -> Option<Vec<u32>> {
        let at = words.iter().position(|&word| word == self.0)?;
        let mut words = words.to_vec();
        words[at] = self.1;
        Some(words)
    }
}

const CONSTANT: &str = "\
#!amber
SHADER compute one SPIRV-ASM
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %numbers DescriptorSet 0
OpDecorate %numbers Binding 0
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%block = OpTypeStruct %u32
%ptr_block = OpTypePointer StorageBuffer %block
%ptr = OpTypePointer StorageBuffer %u32
%zero = OpConstant %u32 0
%given = OpConstant %u32 77777
%nothing = OpUndef %u32
%numbers = OpVariable %ptr_block StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%at = OpAccessChain %ptr %numbers %zero
OpStore %at VALUE
OpReturn
OpFunctionEnd
END
BUFFER a DATA_TYPE uint32 SIZE 1 FILL 0
PIPELINE compute p
 ATTACH one
 BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN p 1 1 1
";

#[test]
fn another_module_runs_where_the_host_has_one() {
    let text = CONSTANT.replace("VALUE", "%given");
    let options = RunOptions::default();
    for (host, number) in [
        (Replacing(77_777, 88_888), 88_888),
        (Replacing(66_666, 0), 77_777),
    ] {
        let script = read(&format!("{text}EXPECT a IDX 0 EQ {number}\n"));
        passes(&run(&script, &options, &host));
    }
}

#[test]
fn undefined_results_are_reported_if_asked_for() {
    let script = read(&CONSTANT.replace("VALUE", "%nothing"));
    let found = |options: &RunOptions| run(&script, options, &Files).findings;
    assert!(found(&RunOptions::default()).is_empty());
    let found = found(&RunOptions::default().undefined_results(true));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].rule(), "run.uninitialized");
}
