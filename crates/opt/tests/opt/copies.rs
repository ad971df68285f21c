//! Members that go, parts that are told apart, and copies that are read where they come from.

use spirvkit_opt::{Options, optimize};
use spirvkit_testing::{text, words};
use spirvkit_validate::validate;

use super::frame::{becomes, becomes_with, module};

/// The text of what becomes of a module, which is valid.
#[track_caller]
pub(super) fn optimized(module: &str, options: &Options) -> String {
    let before = words(module);
    let after = optimize(&before, options).unwrap().words;
    for words in [&before, &after] {
        let report = validate(words, &Default::default());
        assert_eq!(report.diagnostics(), [], "{}", text(words));
    }
    text(&after)
}

pub(super) fn count(text: &str, what: &str) -> usize {
    text.lines().filter(|line| line.contains(what)).count()
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
