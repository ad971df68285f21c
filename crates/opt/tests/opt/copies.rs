//! Loops that are unrolled, members that go, and parts that are told apart.

use spirvkit_opt::{Level, Options, optimize};
use spirvkit_testing::{text, words};
use spirvkit_validate::validate;

use super::frame::{becomes, becomes_with, module};

/// The text of what becomes of a module, which is valid.
#[track_caller]
fn optimized(module: &str, options: &Options) -> String {
    let before = words(module);
    let after = optimize(&before, options).unwrap().words;
    for words in [&before, &after] {
        let report = validate(words, &Default::default());
        assert_eq!(report.diagnostics(), [], "{}", text(words));
    }
    text(&after)
}

fn count(text: &str, what: &str) -> usize {
    text.lines().filter(|line| line.contains(what)).count()
}

/// A loop of so many rounds with this in each.
fn rounds(rounds: u32, round: &str) -> String {
    format!(
        "%x = OpVariable %to_int Function
%sum = OpVariable %to_float Function
OpStore %x %0
OpStore %sum %f0
OpBranch %head
%head = OpLabel
OpLoopMerge %end %next None
OpBranch %test
%test = OpLabel
%x1 = OpLoad %int %x
%is = OpSLessThan %bool %x1 %rounds{rounds}
OpBranchConditional %is %do %end
%do = OpLabel
{round}
OpBranch %next
%next = OpLabel
%x2 = OpLoad %int %x
%x3 = OpIAdd %int %x2 %1
OpStore %x %x3
OpBranch %head
%end = OpLabel
%sum2 = OpLoad %float %sum
OpStore %o %sum2
OpReturn"
    )
}

const ADD: &str = "%a1 = OpLoad %float %a
%s = OpLoad %float %sum
%s2 = OpFAdd %float %s %a1
OpStore %sum %s2";

fn with_rounds(count: u32, round: &str) -> String {
    let constant = format!("%rounds{count} = OpConstant %int {count}\n");
    module("", &constant, &rounds(count, round))
}

#[test]
fn loops_of_a_few_rounds_are_unrolled_where_that_is_faster() {
    let fast = Options::default().level(Level::Performance);
    let text = optimized(&with_rounds(5, ADD), &fast);
    assert_eq!(count(&text, "OpFAdd"), 5, "{text}");
    assert_eq!(count(&text, "OpLoopMerge"), 0, "{text}");
    // With an odd step, and a test at the end.
    let text = optimized(&with_rounds(0, ADD), &fast);
    assert_eq!(count(&text, "OpFAdd"), 0, "{text}");
    let many = optimized(&with_rounds(100_000, ADD), &fast);
    assert_eq!(count(&many, "OpLoopMerge"), 1, "{many}");
}

#[test]
fn loops_that_test_at_the_end_are_unrolled() {
    let fast = Options::default().level(Level::Performance);
    let body = "OpBranch %head
%head = OpLabel
%i1 = OpPhi %int %0 %entry %i2 %next
%s = OpPhi %float %f0 %entry %t %next
OpLoopMerge %end %next None
OpBranch %do
%do = OpLabel
%a1 = OpLoad %float %a
%t = OpFAdd %float %s %a1
OpBranch %next
%next = OpLabel
%i2 = OpIAdd %int %i1 %2
%is = OpSLessThan %bool %i2 %seven
OpBranchConditional %is %head %end
%end = OpLabel
OpStore %o %t
OpStore %k %i1
OpReturn";
    let text = optimized(&module("", "%seven = OpConstant %int 7\n", body), &fast);
    assert_eq!(count(&text, "OpLoopMerge"), 0, "{text}");
    assert_eq!(count(&text, "OpFAdd"), 4, "{text}");
    assert_eq!(count(&text, "%int_6"), 2, "{text}");
}

/// The first round of what is unrolled is where the loop before ends now.
#[test]
fn loops_that_begin_where_others_end_are_unrolled() {
    let fast = Options::default().level(Level::Performance);
    let body = "%many = OpLoad %int %j
OpBranch %first
%first = OpLabel
%j1 = OpPhi %int %0 %entry %j2 %first
%j2 = OpIAdd %int %j1 %1
%goes = OpSLessThan %bool %j2 %many
OpLoopMerge %head %first None
OpBranchConditional %goes %first %head
%head = OpLabel
%i1 = OpPhi %int %0 %first %i2 %head
%s = OpPhi %float %f0 %first %t %head
%a1 = OpLoad %float %a
%t = OpFAdd %float %s %a1
%to = OpAccessChain %in_data %data %0 %i1
OpStore %to %t
%i2 = OpIAdd %int %i1 %1
%is = OpSLessThan %bool %i2 %five
OpLoopMerge %end %head None
OpBranchConditional %is %head %end
%end = OpLabel
OpStore %o %t
OpStore %k %j2
OpReturn";
    let text = optimized(&module("", "%five = OpConstant %int 5\n", body), &fast);
    assert_eq!(count(&text, "OpLoopMerge"), 1, "{text}");
    assert_eq!(count(&text, "OpFAdd"), 5, "{text}");
}

#[test]
fn loops_that_are_left_elsewhere_or_are_not_to_be_unrolled_stay() {
    let fast = Options::default().level(Level::Performance);
    let leaves = format!(
        "{ADD}
%big = OpFOrdGreaterThan %bool %s2 %f2
OpSelectionMerge %on None
OpBranchConditional %big %off %on
%off = OpLabel
OpBranch %end
%on = OpLabel"
    );
    let text = optimized(&with_rounds(5, &leaves), &fast);
    assert_eq!(count(&text, "OpLoopMerge"), 1, "{text}");
    let kept = with_rounds(5, ADD).replace("%end %next None", "%end %next DontUnroll");
    assert_eq!(count(&optimized(&kept, &fast), "OpLoopMerge"), 1);
}

/// Both ways of a selection lead out of a construct around it, so that nothing reaches its own end,
/// which each copy of it needs nonetheless.
#[test]
fn constructs_whose_ends_nothing_reaches_are_unrolled_with_these() {
    let fast = Options::default().level(Level::Performance);
    let leaves = "%a1 = OpLoad %float %a
%s = OpLoad %float %sum
%s2 = OpFAdd %float %s %a1
%place = OpAccessChain %in_data %data %0 %x1
OpStore %place %s2 Volatile
%big = OpFOrdGreaterThan %bool %s2 %f2
OpSelectionMerge %out None
OpSwitch %0 %within
%within = OpLabel
OpStore %sum %s2
OpSelectionMerge %never None
OpBranchConditional %big %out %more
%more = OpLabel
OpStore %place %f2 Volatile
OpBranch %out
%never = OpLabel
OpUnreachable
%out = OpLabel";
    let text = optimized(&with_rounds(3, leaves), &fast);
    assert_eq!(count(&text, "OpLoopMerge"), 0, "{text}");
    assert_eq!(count(&text, "OpFAdd"), 3, "{text}");
}

#[test]
fn loops_are_unrolled_for_size_only_if_that_makes_less() {
    let smaller = optimized(&with_rounds(15, ADD), &Options::default());
    assert_eq!(count(&smaller, "OpLoopMerge"), 1, "{smaller}");
    let once = optimized(&with_rounds(1, ADD), &Options::default());
    assert_eq!(count(&once, "OpLoopMerge"), 0, "{once}");
}

#[test]
fn loops_of_large_functions_are_not_unrolled_for_size() {
    let with = |stores: u32| {
        let mut declarations = String::from("%rounds1 = OpConstant %int 1\n");
        let mut body = String::new();
        for index in 3..stores {
            declarations += &format!("%i{index}x = OpConstant %int {index}\n");
            body += &format!("%at{index} = OpAccessChain %in_data %data %0 %i{index}x\n");
            body += &format!("OpStore %at{index} %f1\n");
        }
        let body = rounds(1, ADD).replace("OpReturn", &(body + "OpReturn"));
        let text = module("", &declarations, &body);
        count(&optimized(&text, &Options::default()), "OpLoopMerge")
    };
    // Each takes nine words.
    assert_eq!([with(100), with(8_000)], [0, 1]);
}

#[test]
fn loops_in_loops_are_unrolled() {
    let fast = Options::default().level(Level::Performance);
    let inner = "OpStore %y %0
OpBranch %head2
%head2 = OpLabel
OpLoopMerge %end2 %next2 None
OpBranch %test2
%test2 = OpLabel
%y1 = OpLoad %int %y
%is2 = OpSLessThan %bool %y1 %2
OpBranchConditional %is2 %do2 %end2
%do2 = OpLabel
%a1 = OpLoad %float %a
%s = OpLoad %float %sum
%s2 = OpFAdd %float %s %a1
OpStore %sum %s2
OpBranch %next2
%next2 = OpLabel
%y2 = OpLoad %int %y
%y3 = OpIAdd %int %y2 %1
OpStore %y %y3
OpBranch %head2
%end2 = OpLabel";
    let body = rounds(3, inner).replacen("OpStore", "OpStore %x %0\nOpStore", 1);
    let body = format!("%y = OpVariable %to_int Function\n{body}");
    let module = module("", "%rounds3 = OpConstant %int 3\n", &body);
    let text = optimized(&module, &fast);
    assert_eq!(count(&text, "OpFAdd"), 6, "{text}");
    assert_eq!(count(&text, "OpLoopMerge"), 0, "{text}");
}

const BLOCK: &str = "OpDecorate %Block Block
OpMemberDecorate %Block 0 Offset 0
OpMemberDecorate %Block 1 Offset 4
OpMemberDecorate %Block 2 Offset 8
OpDecorate %block DescriptorSet 1
OpDecorate %block Binding 0
";

const OF_BLOCK: &str = "%Block = OpTypeStruct %float %int %float
%to_block = OpTypePointer Uniform %Block
%in_block = OpTypePointer Uniform %float
%block = OpVariable %to_block Uniform
";

const FIRST: &str = "%at = OpAccessChain %in_block %block %0
%x = OpLoad %float %at
OpStore %o %x
OpReturn";

const LAST: &str = "%at = OpAccessChain %in_block %block %2
%x = OpLoad %float %at
OpStore %o %x
OpReturn";

#[test]
fn members_that_nothing_uses_go_and_others_stay_where_they_are() {
    let module = module(BLOCK, OF_BLOCK, FIRST);
    let text = optimized(&module, &Options::default());
    assert_eq!(count(&text, "OpMemberDecorate"), 1, "{text}");
    assert_eq!(count(&text, " 0 Offset 0"), 1, "{text}");
    for options in [
        Options::default().preserve_interface(true),
        Options::default().preserve_bindings(true),
    ] {
        assert_eq!(count(&optimized(&module, &options), "%Block "), 0);
        let text = optimized(&module, &options);
        assert_eq!(count(&text, " 2 Offset 8"), 1, "{text}");
    }
}

#[test]
fn members_that_others_have_their_places_from_stay() {
    // Before others in a block.
    let text = optimized(&module(BLOCK, OF_BLOCK, LAST), &Options::default());
    assert_eq!(count(&text, "OpMemberDecorate"), 3, "{text}");
    // In a structure whose size gives others their places.
    let decorations = format!(
        "{BLOCK}OpDecorate %array ArrayStride 16
OpMemberDecorate %outer 0 Offset 0
OpDecorate %outer Block\n"
    )
    .replace("OpDecorate %Block Block\n", "");
    let types = OF_BLOCK
        .replace(
            "%to_block = OpTypePointer Uniform %Block",
            "%array = OpTypeArray %Block %2
%outer = OpTypeStruct %array
%to_block = OpTypePointer Uniform %outer",
        )
        .to_owned();
    let body = FIRST.replace("%block %0", "%block %0 %1 %0");
    let text = optimized(&module(&decorations, &types, &body), &Options::default());
    assert_eq!(count(&text, " 2 Offset 8"), 1, "{text}");
    // A block of which there are several is no part of another.
    let types = OF_BLOCK.replace(
        "%to_block = OpTypePointer Uniform %Block",
        "%array = OpTypeArray %Block %2
%to_block = OpTypePointer Uniform %array",
    );
    let body = FIRST.replace("%block %0", "%block %1 %0");
    let text = optimized(&module(BLOCK, &types, &body), &Options::default());
    assert_eq!(count(&text, "OpMemberDecorate"), 1, "{text}");
}

#[test]
fn members_of_what_is_stored_as_a_whole_stay() {
    let types = OF_BLOCK.replace("Uniform", "StorageBuffer");
    let body = "%whole = OpLoad %Block %block
OpStore %block2 %whole
OpReturn";
    let second = "%block2 = OpVariable %to_block StorageBuffer\n";
    let decorations =
        format!("{BLOCK}OpDecorate %block2 DescriptorSet 1\nOpDecorate %block2 Binding 1\n");
    let text = optimized(
        &module(&decorations, &(types + second), body),
        &Options::default(),
    );
    assert_eq!(count(&text, " 2 Offset 8"), 1, "{text}");
}

/// A shader with a typed buffer `%in` of two integers, and untyped pointers.
fn untyped(declarations: &str, body: &str) -> String {
    format!(
        "OpCapability Shader
OpCapability UntypedPointersKHR
OpExtension \"SPV_KHR_untyped_pointers\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %in %other
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %S Block
OpMemberDecorate %S 0 Offset 0
OpMemberDecorate %S 1 Offset 4
OpDecorate %B Block
OpMemberDecorate %B 0 Offset 0
OpDecorate %array ArrayStride 16
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %other DescriptorSet 0
OpDecorate %other Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u = OpTypeInt 32 0
%u0 = OpConstant %u 0
%u1 = OpConstant %u 1
%u4 = OpConstant %u 4
%S = OpTypeStruct %u %u
%array = OpTypeArray %u %u4
%B = OpTypeStruct %array
%pS = OpTypePointer StorageBuffer %S
%pu = OpTypePointer StorageBuffer %u
%pf = OpTypePointer Function %array
%pfu = OpTypePointer Function %u
{declarations}
%in = OpVariable %pS StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
{body}
OpReturn
OpFunctionEnd"
    )
}

#[test]
fn members_of_what_untyped_memory_gets_as_a_whole_stay() {
    let declarations = "%up = OpTypeUntypedPointerKHR StorageBuffer
%other = OpUntypedVariableKHR %up StorageBuffer %B";
    for copy in [
        "%s = OpLoad %S %in\nOpStore %other %s",
        "OpCopyMemory %other %in",
    ] {
        let body = format!("%p = OpAccessChain %pu %in %u0\nOpStore %p %u1\n{copy}");
        let text = optimized(&untyped(declarations, &body), &Options::default());
        assert_eq!(count(&text, "OpTypeStruct %uint %uint"), 1, "{text}");
    }
}

/// Translators to Metal's language find no way to index these.
#[test]
fn copies_of_matrices_for_tessellation_stay_where_an_index_is_computed() {
    let shader = |element: &str, index: &str| {
        let rest = if element == "mat2" {
            "%one %one"
        } else {
            "%one"
        };
        format!(
            "OpCapability Tessellation
OpMemoryModel Logical GLSL450
OpEntryPoint TessellationEvaluation %main \"main\" %points %number %out
OpExecutionMode %main Triangles
OpDecorate %points Location 0
OpDecorate %number BuiltIn PrimitiveId
OpDecorate %out Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%int = OpTypeInt 32 1
%one = OpConstant %int 1
%two = OpConstant %int 2
%count = OpConstant %int 32
%vec2 = OpTypeVector %float 2
%mat2 = OpTypeMatrix %vec2 2
%floats = OpTypeArray %{element} %count
%in_floats = OpTypePointer Input %floats
%in_int = OpTypePointer Input %int
%to_floats = OpTypePointer Function %floats
%to_float = OpTypePointer Function %float
%out_float = OpTypePointer Output %float
%points = OpVariable %in_floats Input
%number = OpVariable %in_int Input
%out = OpVariable %out_float Output
%main = OpFunction %void None %fn
%entry = OpLabel
%copy = OpVariable %to_floats Function
%all = OpLoad %floats %points
OpStore %copy %all
%computed = OpLoad %int %number
%at = OpAccessChain %to_float %copy {index} {rest}
%point = OpLoad %float %at
OpStore %out %point
OpReturn
OpFunctionEnd"
        )
    };
    for (element, index, copies) in [
        ("mat2", "%computed", 1),
        ("mat2", "%one", 0),
        ("vec2", "%computed", 0),
    ] {
        let after = optimized(&shader(element, index), &Options::default());
        assert_eq!(
            count(&after, "OpVariable %_ptr_Function"),
            copies,
            "{after}"
        );
    }
}

#[test]
fn untyped_memory_is_not_read_in_the_steps_of_a_typed_copy() {
    let declarations = "%up = OpTypeUntypedPointerKHR Uniform
%other = OpUntypedVariableKHR %up Uniform %B";
    let body = "%copy = OpVariable %pf Function
%p = OpAccessChain %pu %in %u0
%i = OpLoad %u %p
%from = OpUntypedAccessChainKHR %up %B %other %u0
%l = OpLoad %array %from
OpStore %copy %l
%q = OpAccessChain %pfu %copy %i
%r = OpLoad %u %q
OpStore %p %r";
    let text = optimized(&untyped(declarations, body), &Options::default());
    // A typed chain through an untyped pointer would be no valid module.
    assert_eq!(count(&text, "OpVariable %_ptr_Function"), 1, "{text}");
}

#[test]
fn members_of_what_a_function_gets_that_is_named_and_not_called_stay() {
    let module = "OpCapability Shader
OpCapability CooperativeMatrixKHR
OpCapability CooperativeMatrixTensorAddressingNV
OpCapability CooperativeMatrixBlockLoadsNV
OpCapability TensorAddressingNV
OpCapability PhysicalStorageBufferAddresses
OpCapability VulkanMemoryModel
OpExtension \"SPV_KHR_cooperative_matrix\"
OpExtension \"SPV_NV_cooperative_matrix2\"
OpExtension \"SPV_NV_tensor_addressing\"
OpMemoryModel PhysicalStorageBuffer64 Vulkan
OpEntryPoint GLCompute %main \"main\" %in
OpExecutionMode %main LocalSize 32 1 1
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %array ArrayStride 4
OpDecorate %q Block
OpMemberDecorate %q 0 Offset 0
OpMemberDecorate %q 1 Offset 4
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%array = OpTypeRuntimeArray %u32
%block = OpTypeStruct %array
%ptr_block = OpTypePointer StorageBuffer %block
%ptr_element = OpTypePointer StorageBuffer %u32
%u0 = OpConstant %u32 0
%u2 = OpConstant %u32 2
%u3 = OpConstant %u32 3
%u5 = OpConstant %u32 5
%u8 = OpConstant %u32 8
%in = OpVariable %ptr_block StorageBuffer
%matrix = OpTypeCooperativeMatrixKHR %u32 %u3 %u8 %u8 %u2
%layout = OpTypeTensorLayoutNV %u2 %u0
%fives = OpConstantComposite %matrix %u5
%coordinates = OpTypeArray %u32 %u2
%q = OpTypeStruct %u32 %u32
%pointer = OpTypePointer PhysicalStorageBuffer %q
%pointer_word = OpTypePointer PhysicalStorageBuffer %u32
%decoding = OpTypeFunction %u32 %pointer %coordinates %coordinates
%main = OpFunction %void None %fn
%entry = OpLabel
%from = OpAccessChain %ptr_element %in %u0 %u0
%l0 = OpCreateTensorLayoutNV %layout
%l1 = OpTensorLayoutSetDimensionNV %layout %l0 %u8 %u8
%c = OpCooperativeMatrixLoadTensorNV %matrix %from %fives %l1 None DecodeFunc %decode
OpCooperativeMatrixStoreTensorNV %from %c %l1 None None
OpReturn
OpFunctionEnd
%decode = OpFunction %u32 None %decoding
%block_at = OpFunctionParameter %pointer
%block_is = OpFunctionParameter %coordinates
%within_is = OpFunctionParameter %coordinates
%decode_entry = OpLabel
%word_at = OpAccessChain %pointer_word %block_at %u0
%word = OpLoad %u32 %word_at Aligned 4
OpReturnValue %word
OpFunctionEnd";
    let text = optimized(module, &Options::default());
    assert_eq!(count(&text, "OpTypeStruct %uint %uint"), 1, "{text}");
}

#[test]
fn a_structure_of_which_parts_are_used_is_told_apart_where_ways_meet() {
    becomes(
        "%i1 = OpLoad %int %i
%a1 = OpLoad %float %a
%is = OpSLessThan %bool %i1 %1
OpSelectionMerge %join None
OpBranchConditional %is %then %else
%then = OpLabel
OpStore %k %2
%one = OpCompositeConstruct %pair %a1 %i1
OpBranch %join
%else = OpLabel
%second = OpCompositeConstruct %pair %f1 %i1
OpBranch %join
%join = OpLabel
%x = OpPhi %pair %one %then %second %else
%x1 = OpCompositeExtract %float %x 0
%x2 = OpCompositeExtract %int %x 1
OpStore %o %x1
OpStore %k %x2
OpReturn",
        "%1 = OpLoad %int %i
%2 = OpSLessThan %bool %1 %int_1
OpSelectionMerge %3 None
OpBranchConditional %2 %4 %3
%4 = OpLabel
OpStore %k %int_2
%5 = OpLoad %float %a
OpBranch %3
%3 = OpLabel
%6 = OpPhi %float %float_1 %7 %5 %4
OpStore %o %6
OpStore %k %1
OpReturn",
    );
}

#[test]
fn arrays_of_arrays_are_told_apart_where_ways_meet() {
    becomes_with(
        "",
        "%row = OpTypeArray %float %2
%plane = OpTypeArray %row %2
%cube = OpTypeArray %plane %2
",
        "%i1 = OpLoad %int %i
%a1 = OpLoad %float %a
%is = OpSLessThan %bool %i1 %1
OpSelectionMerge %join None
OpBranchConditional %is %then %else
%then = OpLabel
OpStore %k %2
%row1 = OpCompositeConstruct %row %a1 %a1
%plane1 = OpCompositeConstruct %plane %row1 %row1
%cube1 = OpCompositeConstruct %cube %plane1 %plane1
OpBranch %join
%else = OpLabel
%row2 = OpCompositeConstruct %row %f1 %f2
%plane2 = OpCompositeConstruct %plane %row2 %row2
%cube2 = OpCompositeConstruct %cube %plane2 %plane2
OpBranch %join
%join = OpLabel
%x = OpPhi %cube %cube1 %then %cube2 %else
%x1 = OpCompositeExtract %float %x 1 0 1
OpStore %o %x1
OpReturn",
        "%1 = OpLoad %int %i
%2 = OpSLessThan %bool %1 %int_1
OpSelectionMerge %3 None
OpBranchConditional %2 %4 %3
%4 = OpLabel
OpStore %k %int_2
%5 = OpLoad %float %a
OpBranch %3
%3 = OpLabel
%6 = OpPhi %float %float_2 %7 %5 %4
OpStore %o %6
OpReturn",
    );
}

#[test]
fn returning_early_is_no_different_if_nothing_follows() {
    becomes(
        "%i1 = OpLoad %int %i
%is = OpSLessThan %bool %i1 %1
OpSelectionMerge %join None
OpBranchConditional %is %then %join
%then = OpLabel
OpReturn
%join = OpLabel
OpReturn",
        "OpReturn",
    );
}

#[test]
fn small_numbers_are_computed_where_the_module_may() {
    let types = "%short = OpTypeInt 16 1
%s1 = OpConstant %short 1
%s2 = OpConstant %short 2
";
    let body = "%sum = OpIAdd %short %s1 %s2
%x = OpSConvert %int %sum
OpStore %k %x
OpReturn";
    let with =
        module("", types, body).replace("OpMemoryModel", "OpCapability Int16\nOpMemoryModel");
    let text = optimized(&with, &Options::default());
    assert_eq!(count(&text, "OpStore %k %int_3"), 1, "{text}");
}

#[test]
fn indices_are_constants_that_are_there_anyway() {
    becomes_with(
        "",
        "%uint = OpTypeInt 32 0\n%u1 = OpConstant %uint 1\n",
        "%at = OpAccessChain %in_data %data %0 %u1
%x = OpLoad %float %at
OpStore %o %x
OpStore %k %1
OpReturn",
        "%1 = OpAccessChain %_ptr_StorageBuffer_float %data %int_0 %int_1
%2 = OpLoad %float %1
OpStore %o %2
OpStore %k %int_1
OpReturn",
    );
}

#[test]
fn inputs_are_read_instead_of_copies() {
    let declarations = "%four = OpConstant %int 4
%array = OpTypeArray %float %four
%in_array = OpTypePointer Input %array
%own_array = OpTypePointer Function %array
%many = OpVariable %in_array Input
";
    let body = |between: &str| {
        format!(
            "%x = OpVariable %own_array Function
%i1 = OpLoad %int %i
%whole = OpLoad %array %many
OpStore %x %whole
{between}
%at = OpAccessChain %to_float %x %i1
%x1 = OpLoad %float %at
OpStore %o %x1
OpReturn"
        )
    };
    let made = |between: &str| {
        let module = module(
            "OpDecorate %many Location 9\n",
            declarations,
            &body(between),
        );
        let module = module.replacen("%main \"main\"", "%main \"main\" %many", 1);
        optimized(&module, &Options::default())
    };
    let text = made("");
    assert_eq!(count(&text, " Function"), 0, "{text}");
    assert_eq!(count(&text, "OpAccessChain"), 1, "{text}");
    // Not if the copy is written as well.
    let text = made("%other_at = OpAccessChain %to_float %x %1\nOpStore %other_at %f1");
    assert_eq!(count(&text, "OpVariable %_ptr_Function"), 1, "{text}");
}

#[test]
fn functions_are_copied_to_the_rounds_of_loops_if_their_arguments_are_known_there() {
    // As a whole it is too large for several rounds, but for small numbers it does little.
    let mut large = String::from("%y0 = OpLoad %int %j\n");
    for index in 0..80 {
        let next = index + 1;
        large += &format!("%t{index} = OpIMul %int %y{index} %n\n");
        large += &format!("%y{next} = OpBitwiseXor %int %t{index} %y0\n");
    }
    let calls = rounds(
        4,
        "%called = OpFunctionCall %int %callee %x1
%called_float = OpConvertSToF %float %called
%s = OpLoad %float %sum
%s2 = OpFAdd %float %s %called_float
OpStore %sum %s2",
    );
    let body = format!(
        "{calls}
OpFunctionEnd
%callee = OpFunction %int None %unary
%n = OpFunctionParameter %int
%e = OpLabel
%small = OpSLessThan %bool %n %rounds9
OpSelectionMerge %m None
OpBranchConditional %small %m %large
%large = OpLabel
{large}OpBranch %m
%m = OpLabel
%result = OpPhi %int %n %e %y80 %large
OpReturnValue %result"
    )
    .replace(
        "OpStore %o %sum2",
        "%last = OpFunctionCall %int %callee %rounds4\nOpStore %k %last\nOpStore %o %sum2",
    );
    let declarations = "%unary = OpTypeFunction %int %int
%rounds4 = OpConstant %int 4
%rounds9 = OpConstant %int 9\n";
    let text = optimized(&module("", declarations, &body), &Options::default());
    let counts = ["OpFunctionCall", "OpLoopMerge", "OpIMul"].map(|it| count(&text, it));
    assert_eq!(counts, [0, 0, 0], "{text}");
}

/// A buffer `rows` of structures with an array of floats.
const ROWS: (&str, &str) = (
    "OpDecorate %four ArrayStride 4
OpDecorate %rows_of ArrayStride 16
OpMemberDecorate %Row 0 Offset 0
OpMemberDecorate %Rows 0 Offset 0
OpDecorate %Rows Block
OpDecorate %rows DescriptorSet 0
OpDecorate %rows Binding 3
",
    "%n4 = OpConstant %int 4
%four = OpTypeArray %float %n4
%Row = OpTypeStruct %four
%rows_of = OpTypeRuntimeArray %Row
%Rows = OpTypeStruct %rows_of
%to_rows = OpTypePointer StorageBuffer %Rows
%to_four = OpTypePointer StorageBuffer %four
%zeros = OpConstantNull %four
%rows = OpVariable %to_rows StorageBuffer
",
);

#[test]
fn pointers_lead_on_from_those_that_are_there() {
    becomes_with(
        ROWS.0,
        ROWS.1,
        "%i1 = OpLoad %int %i
%all = OpAccessChain %to_four %rows %0 %i1 %0
OpStore %all %zeros
%second = OpAccessChain %in_data %rows %0 %i1 %0 %1
OpStore %second %f1
%first = OpAccessChain %in_data %rows %0 %0 %0 %1
OpStore %first %f2
OpReturn",
        "%1 = OpLoad %int %i
%2 = OpAccessChain %_ptr_StorageBuffer__arr_float_int_4 %3 %int_0 %1 %int_0
OpStore %2 %4
%5 = OpAccessChain %_ptr_StorageBuffer_float %2 %int_1
OpStore %5 %float_1
%6 = OpAccessChain %_ptr_StorageBuffer_float %3 %int_0 %int_0 %int_0 %int_1
OpStore %6 %float_2
OpReturn",
    );
}

#[test]
fn pointers_do_not_lead_on_from_those_of_other_ways() {
    becomes_with(
        ROWS.0,
        ROWS.1,
        "%i1 = OpLoad %int %i
%is = OpSLessThan %bool %i1 %1
OpSelectionMerge %join None
OpBranchConditional %is %then %join
%then = OpLabel
%all = OpAccessChain %to_four %rows %0 %i1 %0
OpStore %all %zeros
OpBranch %join
%join = OpLabel
%second = OpAccessChain %in_data %rows %0 %i1 %0 %1
OpStore %second %f1
OpReturn",
        "%1 = OpLoad %int %i
%2 = OpSLessThan %bool %1 %int_1
OpSelectionMerge %3 None
OpBranchConditional %2 %4 %3
%4 = OpLabel
%5 = OpAccessChain %_ptr_StorageBuffer__arr_float_int_4 %6 %int_0 %1 %int_0
OpStore %5 %7
OpBranch %3
%3 = OpLabel
%8 = OpAccessChain %_ptr_StorageBuffer_float %6 %int_0 %1 %int_0 %int_1
OpStore %8 %float_1
OpReturn",
    );
}
