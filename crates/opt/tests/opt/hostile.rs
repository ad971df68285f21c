//! What is rare, and what only hostile modules have.

use std::fmt::Write as _;

use spirvkit_opt::{Options, optimize};
use spirvkit_testing::{text, words};
use spirvkit_validate::validate;

/// The text of what becomes of a module, which is valid before and after.
#[track_caller]
fn optimized(module: &str) -> String {
    let before = words(module);
    let after = optimize(&before, &Options::default()).unwrap().words;
    for words in [&before, &after] {
        let report = validate(words, &Default::default());
        assert_eq!(report.diagnostics(), [], "{}", text(words));
    }
    text(&after)
}

#[track_caller]
fn count(text: &str, what: &str) -> usize {
    text.lines().filter(|line| line.contains(what)).count()
}

/// A compute shader with a storage image `%image`, a sampled one `%texture`, a sampler, and a
/// buffer `%b` of two vectors.
fn images(body: &str) -> String {
    format!(
        "; Version: 1.3
OpCapability Shader
OpCapability StorageImageWriteWithoutFormat
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %image DescriptorSet 0
OpDecorate %image Binding 0
OpDecorate %texture DescriptorSet 0
OpDecorate %texture Binding 1
OpDecorate %sampler DescriptorSet 0
OpDecorate %sampler Binding 2
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 3
OpDecorate %B Block
OpMemberDecorate %B 0 Offset 0
OpMemberDecorate %B 1 Offset 16
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%v2int = OpTypeVector %int 2
%v2float = OpTypeVector %float 2
%v4float = OpTypeVector %float 4
%Image = OpTypeImage %float 2D 0 0 0 2 Unknown
%Texture = OpTypeImage %float 2D 0 0 0 1 Unknown
%Sampler = OpTypeSampler
%Sampled = OpTypeSampledImage %Texture
%pImage = OpTypePointer UniformConstant %Image
%pTexture = OpTypePointer UniformConstant %Texture
%pSampler = OpTypePointer UniformConstant %Sampler
%B = OpTypeStruct %v4float %v4float
%pB = OpTypePointer StorageBuffer %B
%pv4 = OpTypePointer StorageBuffer %v4float
%to_float = OpTypePointer Function %float
%float_fn = OpTypeFunction %float %float
%0 = OpConstant %int 0
%1 = OpConstant %int 1
%f0 = OpConstant %float 0
%f1 = OpConstant %float 1
%at = OpConstantComposite %v2int %1 %1
%where = OpConstantComposite %v2float %f0 %f1
%white = OpConstantComposite %v4float %f1 %f1 %f1 %f1
%image = OpVariable %pImage UniformConstant
%texture = OpVariable %pTexture UniformConstant
%sampler = OpVariable %pSampler UniformConstant
%b = OpVariable %pB StorageBuffer
%main = OpFunction %void None %fn
%start = OpLabel
%first = OpAccessChain %pv4 %b %0
%second = OpAccessChain %pv4 %b %1
%t = OpLoad %Texture %texture
%s = OpLoad %Sampler %sampler
{body}
OpFunctionEnd
%twice = OpFunction %float None %float_fn
%y = OpFunctionParameter %float
%y0 = OpLabel
%c = OpFOrdLessThan %bool %y %f1
OpSelectionMerge %y3 None
OpBranchConditional %c %y1 %y3
%y1 = OpLabel
OpStore %second0 %white
OpBranch %y3
%y3 = OpLabel
%sum = OpFAdd %float %y %y
OpReturnValue %sum
OpFunctionEnd"
    )
    .replace(
        "OpStore %second0 %white",
        "%second0 = OpAccessChain %pv4 %b %1\nOpStore %second0 %white",
    )
}

#[test]
fn texels_are_fetched_again_once_an_image_is_written() {
    let body = |between: &str| {
        images(&format!(
            "%i = OpLoad %Image %image
%x = OpImageFetch %v4float %t %at Lod %0
OpStore %first %x
{between}
%y5 = OpImageFetch %v4float %t %at Lod %0
%si = OpSampledImage %Sampled %t %s
%z = OpImageSampleExplicitLod %v4float %si %where Lod %f0
%sum1 = OpFAdd %v4float %y5 %z
OpStore %second %sum1
OpReturn"
        ))
    };
    assert_eq!(count(&optimized(&body("")), "OpImageFetch"), 1);
    let text = optimized(&body("OpImageWrite %i %at %white"));
    assert_eq!(count(&text, "OpImageFetch"), 2, "{text}");
}

#[test]
fn an_image_and_a_sampler_are_joined_where_they_are_used_also_behind_a_call() {
    let text = optimized(&images(
        "%si = OpSampledImage %Sampled %t %s
%x = OpImageSampleExplicitLod %v4float %si %where Lod %f0
%xx = OpCompositeExtract %float %x 0
%called = OpFunctionCall %float %twice %xx
%lod = OpFAdd %float %called %f1
%z = OpImageSampleExplicitLod %v4float %si %where Lod %lod
OpStore %first %z
OpReturn",
    ));
    assert_eq!(count(&text, "OpFunctionCall"), 0, "{text}");
    assert_eq!(count(&text, "OpSampledImage"), 2, "{text}");
}

/// A kernel with an argument `%out` and a number `%n`.
fn kernel(head: &str, declarations: &str, body: &str) -> String {
    format!(
        "; Version: 1.4
OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpCapability Int8
{head}
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%po = OpTypePointer CrossWorkgroup %uint
%pf = OpTypePointer Function %uint
%fn = OpTypeFunction %void %po %uint
{declarations}
%main = OpFunction %void None %fn
%out = OpFunctionParameter %po
%n = OpFunctionParameter %uint
%start = OpLabel
{body}
OpFunctionEnd"
    )
}

const KERNEL: &str = "OpMemoryModel Physical32 OpenCL
OpEntryPoint Kernel %main \"main\"";

#[test]
fn pointers_that_meet_keep_what_they_lead_to() {
    let text = optimized(&kernel(
        KERNEL,
        "",
        "%v = OpVariable %pf Function
%w = OpVariable %pf Function
OpStore %v %u1
OpStore %w %u2
%c = OpULessThan %bool %n %u2
OpBranchConditional %c %yes %join
%yes = OpLabel
OpBranch %join
%join = OpLabel
%p = OpPhi %pf %v %start %w %yes
OpStore %p %n
%r = OpLoad %uint %v
OpStore %out %r
%q = OpPtrAccessChain %po %out %u1
%r2 = OpLoad %uint %w
OpStore %q %r2
OpReturn",
    ));
    // Which of both was written isn't known.
    assert_eq!(count(&text, "OpLoad"), 2, "{text}");
    assert_eq!(count(&text, "OpStore"), 5, "{text}");
}

#[test]
fn pointers_that_go_round_are_other_ones_each_time() {
    let text = optimized(&kernel(
        KERNEL,
        "",
        "OpBranch %head
%head = OpLabel
%p = OpPhi %po %out %start %next %head
%i = OpPhi %uint %u0 %start %i1 %head
%x = OpLoad %uint %p
OpStore %out %i
%y = OpLoad %uint %p
%sum = OpIAdd %uint %x %y
OpStore %p %sum
%next = OpPtrAccessChain %po %p %u1
%i1 = OpIAdd %uint %i %u1
%c = OpULessThan %bool %i1 %n
OpBranchConditional %c %head %end
%end = OpLabel
OpReturn",
    ));
    assert_eq!(count(&text, "OpLoad"), 2, "{text}");
    assert_eq!(count(&text, "OpStore"), 2, "{text}");
}

#[test]
fn copies_say_how_they_read_and_how_they_write() {
    let body = |operands: &str| {
        kernel(
            KERNEL,
            "",
            &format!(
                "%v = OpVariable %pf Function
OpStore %v %n
OpCopyMemory %out %v {operands}
OpReturn"
            ),
        )
    };
    let text = optimized(&body("Aligned 4 Aligned 4"));
    assert!(text.contains("Aligned 4 Aligned 4"), "{text}");
    let text = optimized(&body("Aligned 4 Volatile|Aligned 4"));
    assert!(text.contains("Aligned 4 Volatile|Aligned 4"), "{text}");
    assert_eq!(count(&optimized(&body("")), "OpStore"), 1);
}

#[test]
fn decorations_that_name_ids_keep_them() {
    let module = kernel(
        &format!(
            "OpCapability UniformDecoration\n{KERNEL}\nOpDecorateId %x UniformId %scope\nOpDecorateId %y UniformId %scope2"
        ),
        "%scope = OpConstant %uint 3
%scope2 = OpConstant %uint 3
%u5 = OpConstant %uint 5",
        "%x = OpIAdd %uint %n %u5
%y = OpIMul %uint %n %u5
%xor = OpBitwiseXor %uint %x %y
OpStore %out %xor
OpReturn",
    );
    let text = optimized(&module.replace("Version: 1.4", "Version: 1.6"));
    let scope = text
        .lines()
        .find_map(|line| line.strip_suffix(" = OpConstant %uint 3"));
    let scope = scope.unwrap_or_else(|| panic!("{text}"));
    let wanted = format!("UniformId {scope}");
    assert_eq!(count(&text, &wanted), 2, "{text}");
}

#[test]
fn what_is_there_only_under_a_condition_stays() {
    let text = optimized(&kernel(
        "OpCapability SpecConditionalINTEL
OpExtension \"SPV_INTEL_function_variants\"
OpConditionalExtensionINTEL %is \"SPV_KHR_expect_assume\"
OpMemoryModel Physical32 OpenCL
OpConditionalEntryPointINTEL %is Kernel %main \"main\"
OpDecorate %is SpecId 1",
        "%is = OpSpecConstantTrue %bool",
        "OpStore %out %n\nOpReturn",
    ));
    assert_eq!(count(&text, "OpConditionalEntryPointINTEL"), 1, "{text}");
    assert_eq!(count(&text, "OpConditionalExtensionINTEL"), 1, "{text}");
    assert_eq!(count(&text, "OpSpecConstantTrue"), 1, "{text}");
    assert_eq!(count(&text, "OpStore"), 1, "{text}");
}

#[test]
fn a_part_that_is_stored_through_an_untyped_pointer_changes_the_whole() {
    let text = optimized(&kernel(
        &format!(
            "OpCapability UntypedPointersKHR\nOpExtension \"SPV_KHR_untyped_pointers\"\n{KERNEL}"
        ),
        "%byte = OpTypeInt 8 0
%b7 = OpConstant %byte 7
%pu = OpTypeUntypedPointerKHR Function",
        "%v = OpUntypedVariableKHR %pu Function %uint
OpStore %v %n
OpStore %v %b7
%x = OpLoad %uint %v
OpStore %v %n
%y = OpLoad %byte %v
%z = OpUConvert %uint %y
%sum = OpIAdd %uint %x %z
OpStore %out %sum
OpReturn",
    ));
    assert_eq!(count(&text, "OpLoad"), 2, "{text}");
    assert_eq!(count(&text, "OpStore"), 4, "{text}");
}

#[test]
fn a_phi_that_would_have_too_many_words_is_not_made() {
    let cases = 32_766;
    let mut switch = "OpSwitch %n %join".to_owned();
    let mut blocks = String::new();
    for case in 0..cases {
        let _ = write!(switch, " {case} %c{case}");
        let _ = write!(
            blocks,
            "%c{case} = OpLabel\nOpStore %v %n{case}\nOpBranch %join\n"
        );
    }
    let mut declarations = String::new();
    for case in 0..cases {
        let _ = writeln!(declarations, "%n{case} = OpConstant %uint {}", case + 100);
    }
    let body = format!(
        "%v = OpVariable %pf Function
OpStore %v %u0
{switch}
{blocks}%join = OpLabel
%r = OpLoad %uint %v
OpStore %out %r
OpReturn"
    );
    let before = words(&kernel(KERNEL, &declarations, &body));
    let after = optimize(&before, &Options::default()).unwrap().words;
    assert!(after.len() <= before.len());
    let module = spirvkit_binary::Module::new(&after).unwrap();
    assert!(module.instructions().all(|instruction| instruction.is_ok()));
}

#[test]
fn many_decorations_take_no_longer_than_others() {
    let mut head = KERNEL.to_owned();
    let mut body = String::new();
    for index in 0..20_000 {
        let _ = write!(
            head,
            "\nOpDecorate %x{index} NoSignedWrap\nOpDecorate %x0 UserSemantic \"{index}\""
        );
        let _ = write!(
            body,
            "%x{index} = OpIAdd %uint %n %u1\nOpStore %out %x{index}\n"
        );
    }
    let before = words(&kernel(&head, "", &(body + "OpReturn")));
    let start = std::time::Instant::now();
    let after = optimize(&before, &Options::default()).unwrap().words;
    assert!(start.elapsed().as_secs() < 20);
    assert!(after.len() < before.len());
}
