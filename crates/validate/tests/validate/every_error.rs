//! Every error of a module is told at once, and nothing that only follows from
//! another: each line of a piece names in its comment the rules that it breaks.

use spirvkit_text::{AssembleOptions, assemble};
use spirvkit_validate::{Example, Frame, validate};

/// Expects that each line breaks the rules that its comment lists, and that no
/// other line breaks any.
#[track_caller]
pub(crate) fn tells(frame: Frame, piece: &'static str) {
    let example = Example {
        frame,
        breaks: piece.to_owned(),
        keeps: String::new(),
    };
    let text = example.breaking();
    let options = frame.options();
    let assembling = AssembleOptions::default()
        .target(options.env.version())
        .origins(true);
    let module = assemble(&text, &assembling).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let report = validate(&module.words, &options);
    let mut reported = vec![String::new(); text.lines().count()];
    let mut messages = String::new();
    for diagnostic in report.diagnostics() {
        let word = diagnostic.word_offset().unwrap();
        let span = module.origins.span(word).unwrap();
        let line = text[..span.start].matches('\n').count();
        reported[line] += &format!(" {}", diagnostic.rule());
        messages += &format!("{}: {}\n", diagnostic.rule(), diagnostic.message());
    }
    let (mut expected, mut found) = (String::new(), String::new());
    for (line, reported) in text.lines().zip(reported) {
        let (line, rules) = line.split_once(" ; ").unwrap_or((line, ""));
        if !rules.is_empty() || !reported.is_empty() {
            expected += &format!("{line} ; {rules}\n");
            found += &format!(
                "{line} ;{}\n",
                if reported.is_empty() { " " } else { &reported }
            );
        }
    }
    assert_eq!(expected, found, "expected, and found:\n{messages}");
}

/// A shader with a buffer of `%block`.
macro_rules! buffer {
    ($class:literal, $lines:literal) => {
        concat!(
            "OpDecorate %block Block
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
",
            $lines,
            "
%ptr_block = OpTypePointer ",
            $class,
            " %block
%buffer = OpVariable %ptr_block ",
            $class
        )
    };
}

const VULKAN: Frame = Frame::ShaderFor("vulkan1.3");

#[test]
fn members_that_overlap() {
    tells(
        VULKAN,
        buffer!(
            "StorageBuffer",
            "OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 4
OpMemberDecorate %block 2 Offset 8
OpMemberDecorate %block 3 Offset 12
OpMemberDecorate %block 4 Offset 16
%block = OpTypeStruct %v4f32 %f32 %f32 %f32 %f32 ; layout.overlap layout.overlap layout.overlap"
        ),
    );
}

#[test]
fn a_vector_astray_behind_a_bad_matrix() {
    tells(
        VULKAN,
        buffer!(
            "Uniform",
            "OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 0 ColMajor
OpMemberDecorate %block 0 MatrixStride 12
OpMemberDecorate %block 1 Offset 56
OpMemberDecorate %block 2 Offset 72
%block = OpTypeStruct %mat3 %v3f32 %f32 ; layout.matrix-stride layout.straddle"
        ),
    );
}

#[test]
fn members_that_lack_decorations() {
    tells(
        VULKAN,
        buffer!(
            "StorageBuffer",
            "OpMemberDecorate %block 1 Offset 16
OpMemberDecorate %block 2 Offset 34
OpDecorate %array ArrayStride 6
%array = OpTypeArray %f32 %u32_4 ; layout.array-stride
%other = OpTypeArray %f32 %u32_2 ; layout.missing
%block = OpTypeStruct %f32 %array %other %mat2 ; layout.missing layout.missing layout.missing layout.missing layout.alignment"
        ),
    );
}

#[test]
fn structures_within_structures() {
    // The inner one's vector is told of there, the outer one's own mistakes here.
    tells(
        VULKAN,
        buffer!(
            "StorageBuffer",
            "OpMemberDecorate %inner 0 Offset 0
OpMemberDecorate %inner 1 Offset 8
OpMemberDecorate %block 0 Offset 2
OpMemberDecorate %block 1 Offset 32
OpMemberDecorate %block 2 Offset 44
OpMemberDecorate %block 3 Offset 64
%inner = OpTypeStruct %f32 %v3f32 ; layout.straddle
%block = OpTypeStruct %f32 %v4f32 %f32 %inner ; layout.alignment layout.overlap"
        ),
    );
}

#[test]
fn what_stands_behind_run_time_arrays() {
    tells(
        VULKAN,
        buffer!(
            "StorageBuffer",
            "OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 16
OpMemberDecorate %block 2 Offset 20
OpDecorate %array ArrayStride 4
%array = OpTypeRuntimeArray %f32
%block = OpTypeStruct %array %f32 %f32 ; type.struct-runtime-array-last layout.run-time-array"
        ),
    );
}

#[test]
fn ids_that_nothing_defines() {
    tells(
        Frame::Shader,
        "%sum = OpFAdd %f32 %one %other ; id.undefined id.undefined
%same = OpFAdd %f32 %third %third ; id.undefined
%again = OpFAdd %f32 %one %fourth ; id.undefined
%vector = OpCompositeConstruct %v2f32 %f32 %u32 ; id.type-as-value id.type-as-value
%first = OpFAdd %f32 %second %nowhere ; id.forward-reference id.undefined
%second = OpFAdd %f32 %f32_0 %f32_1",
    );
}

#[test]
fn what_follows_from_undefined_ids_is_not_told() {
    tells(
        Frame::Shader,
        "%sum = OpFAdd %f32 %one %f32_0 ; id.undefined
%next = OpFAdd %f32 %sum %one
%vector = OpCompositeConstruct %v2f32 %one %sum
OpStore %private_f32 %one",
    );
}

#[test]
fn capabilities_that_are_missing() {
    tells(
        Frame::Shader,
        "%rect = OpTypeImage %f32 Rect 0 0 0 2 Rg32f ; capability.operand capability.operand
OpEmitStreamVertex %u32_0 ; capability.instruction primitive.execution-model
%sparse = OpGroupIAdd %u32 %u32_3 PartitionedReduceEXT %u32_1 ; capability.instruction capability.operand",
    );
}

#[test]
fn wrong_places_do_not_hide_undefined_ids() {
    tells(
        Frame::Whole,
        "OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
OpDecorate %nothing RelaxedPrecision ; layout.sections id.undefined
%pair = OpTypeStruct %u32 %nowhere ; id.undefined",
    );
}

#[test]
fn operands_of_an_instruction() {
    tells(
        Frame::Shader,
        "%sum = OpFAdd %f32 %u32_1 %i32_1 ; arithmetic.float-operand arithmetic.float-operand
%dot = OpDot %f32 %u32_1 %v2i32_0 ; arithmetic.dot-operand arithmetic.dot-operand
%bits = OpBitwiseOr %u32 %f32_0 %true ; bits.operand bits.operand
%cast = OpConvertFToU %f32 %u32_1 ; conversion.result conversion.operand
%chosen = OpSelect %f32 %u32_1 %i32_1 %v2f32_0 ; relational.select-condition relational.select-object relational.select-object
%same = OpLogicalAnd %bool %u32_1 %f32_0 ; relational.logical-operand relational.logical-operand
%product = OpMatrixTimesVector %v4f32 %v4f32_0 %u32_1 ; arithmetic.matrix-operand arithmetic.vector-operand
%shuffled = OpVectorShuffle %v2f32 %v2f32_0 %v2f32_0 4 5 ; composite.shuffle-index composite.shuffle-index
%dynamic = OpVectorInsertDynamic %v2f32 %v2f32_0 %u32_1 %f32_1 ; composite.dynamic-vector composite.dynamic-index",
    );
}

#[test]
fn one_mistake_is_told_once() {
    // With the wrong result type, nobody knows what the operands should have been.
    tells(
        Frame::Shader,
        "%wrong = OpFAdd %u32 %f32_0 %f32_1 ; arithmetic.float-result
%next = OpFAdd %f32 %wrong %f32_1
%last = OpCompositeConstruct %v2f32 %wrong %next",
    );
}

#[test]
fn the_same_mistake_with_the_same_id_is_one() {
    tells(
        Frame::Shader,
        "OpExecutionModeId %main LocalSizeId %private_u32 %private_u32 %u32_1 ; mode-setting.mode-constants mode-setting.mode-constants
%loaded = OpAccessChain %ptr_Private_u32 %private_u32 %f32_0 %f32_0 ; access-chain.index access-chain.index",
    );
}

#[test]
fn constituents_members_and_arguments() {
    tells(
        Frame::Shader,
        "%struct = OpTypeStruct %f32 %u32 %bool
%constant = OpConstantComposite %struct %u32_1 %f32_0 %true ; constant.constituent-type constant.constituent-type
%few = OpConstantComposite %v3f32 %u32_1 %f32_0 ; constant.constituent-count constant.constituent-type
%fn_two = OpTypeFunction %void %f32 %u32
%made = OpCompositeConstruct %struct %u32_1 %u32_1 %f32_1 ; composite.constituent composite.constituent
%called = OpFunctionCall %f32 %other %u32_1 %f32_1 ; call.result-type call.argument-type call.argument-type
%other = OpFunction %void None %fn_two
%x = OpFunctionParameter %u32 ; function.parameter
%y = OpFunctionParameter %f32 ; function.parameter
%label = OpLabel
OpReturn
OpFunctionEnd",
    );
}

#[test]
fn members_of_a_type() {
    tells(
        Frame::ShaderFor("vulkan1.3"),
        "OpCapability InputAttachment
%sampler = OpTypeSampler
%array = OpTypeArray %void %f32_0 ; type.array-element type.array-length
%struct = OpTypeStruct %void %sampler %void ; type.struct-member type.struct-member type.struct-opaque-member
%function = OpTypeFunction %void %void %f32 %void ; type.function-parameter type.function-parameter
%image = OpTypeImage %f32 SubpassData 0 1 0 1 R32f ; type.image-subpass type.image-subpass type.image-subpass",
    );
}

#[test]
fn memory_operands_and_what_is_accessed() {
    tells(
        Frame::Shader,
        "%u32_9 = OpConstant %u32 9
%value = OpLoad %f32 %private_u32 Aligned 3 ; memory.load-type memory.alignment
OpStore %private_f32 %u32_1 Aligned|NonPrivatePointer 5 ; capability.operand memory.store-type memory.operand-non-private-class memory.alignment
%atomic = OpAtomicIAdd %u32 %workgroup_u32 %f32_0 %f32_0 %f32_0 ; scope.type semantics.type atomic.value
OpControlBarrier %f32_0 %u32_9 %f32_1 ; scope.type scope.known semantics.type",
    );
}

#[test]
fn decorations_of_an_id() {
    tells(
        Frame::ShaderFor("vulkan1.3"),
        "OpDecorate %private_u32 Restrict
OpDecorate %private_u32 Aliased ; decoration.exclusive
OpDecorate %private_u32 Location 0 ; annotation.vulkan-location-class
OpDecorate %private_u32 Location 1 ; annotation.vulkan-location-class decoration.repeated
OpDecorate %private_u32 Offset 4
OpDecorate %v2f32 Block ; annotation.structure
OpDecorate %v2f32 ArrayStride 8 ; annotation.array-or-pointer
OpMemberDecorate %struct 4 Block ; annotation.member-index annotation.no-members
%struct = OpTypeStruct %u32",
    );
}

#[test]
fn modes_and_interface_of_an_entry_point() {
    tells(
        Frame::WholeFor("vulkan1.3"),
        "OpCapability Shader
OpCapability Geometry
OpMemoryModel Logical GLSL450
OpEntryPoint Geometry %main \"main\" %f32 %in %in %void ; entry-point.geometry-modes entry-point.geometry-modes interface.variable interface.variable interface.repeated
OpExecutionMode %main OutputVertices 1
OpExecutionMode %main LocalSize 0 1 1 ; mode-setting.mode-model mode-setting.workgroup-empty
OpExecutionMode %main Invocations 1
OpExecutionMode %main Invocations 1 ; mode-setting.mode-repeated
OpExecutionMode %main Invocations 1 ; mode-setting.mode-repeated
OpDecorate %in Location 0
OpDecorate %first Location 0
OpDecorate %second Location 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%f32 = OpTypeFloat 32
%ptr = OpTypePointer Input %f32
%ptr_out = OpTypePointer Output %f32
%in = OpVariable %ptr Input
%first = OpVariable %ptr_out Output
%second = OpVariable %ptr_out Output
%main = OpFunction %void None %fn
%label = OpLabel
%value = OpLoad %f32 %in
OpStore %first %value ; interface.not-listed
OpStore %second %value ; interface.not-listed
OpReturn
OpFunctionEnd",
    );
}

#[test]
fn locations_that_meet() {
    // Two pairs of variables; one of the pairs meets in four locations.
    tells(
        Frame::FragmentFor("vulkan1.2"),
        "OpEntryPoint Fragment %main \"main\" %a %b %c %d %e ; interface.location-conflict interface.location-conflict
OpDecorate %a Location 0
OpDecorate %b Location 0
OpDecorate %c Location 4
OpDecorate %d Location 4
%ptr_mat4 = OpTypePointer Input %mat4
%ptr_f32 = OpTypePointer Input %f32
%a = OpVariable %ptr_mat4 Input
%b = OpVariable %ptr_mat4 Input
%c = OpVariable %ptr_f32 Input
%d = OpVariable %ptr_f32 Input
%e = OpVariable %ptr_f32 Input ; interface.location-missing",
    );
}

#[test]
fn phis_branches_and_merges() {
    tells(
        Frame::Shader,
        "OpSelectionMerge %merge None
OpBranchConditional %u32_1 %then %then 0 0 ; branch.condition branch.weight-sum branch.same-targets
%then = OpLabel
OpBranch %merge
%merge = OpLabel
%phi = OpPhi %f32 %u32_1 %then %i32_1 %entry ; phi.value phi.value phi.parent",
    );
}

#[test]
fn what_an_instruction_lacks_hides_nothing_of_the_rest() {
    tells(
        Frame::Shader,
        "OpEmitVertex ; capability.instruction primitive.execution-model
%sum = OpFAdd %f32 %nowhere %u32_1 ; id.undefined
OpStore %private_u32 %f32_0 Aligned 3 ; memory.store-type memory.alignment
OpStore %nowhere %f32_0 Aligned 3",
    );
}

#[test]
fn the_memory_model_and_capabilities() {
    tells(
        Frame::WholeFor("vulkan1.3"),
        "OpCapability Shader
OpCapability Linkage ; mode-setting.capability-environment
OpCapability Kernel ; mode-setting.capability-environment
OpCapability VulkanMemoryModel
OpMemoryModel Physical32 GLSL450 ; capability.operand mode-setting.vulkan-memory-model mode-setting.addressing-model",
    );
}

#[test]
fn groups_of_decorations() {
    tells(
        Frame::Shader,
        "%name = OpString \"a\"
OpGroupDecorate %name %f32 %f32 ; annotation.group annotation.group-repeated",
    );
}

/// What is like something that was right is not looked at again; what only seems so, is.
#[test]
fn what_was_right_before_excuses_nothing_else() {
    tells(
        Frame::Shader,
        "%struct = OpTypeStruct %f32 %f32
%ptr_struct = OpTypePointer Private %struct
%data = OpVariable %ptr_struct Private
%first = OpAccessChain %ptr_Private_f32 %data %u32_1
%again = OpAccessChain %ptr_Private_f32 %data %u32_1
%beyond = OpAccessChain %ptr_Private_f32 %data %u32_2 ; access-chain.struct-bounds
%index = OpIAdd %u32 %u32_0 %u32_1
%varies = OpAccessChain %ptr_Private_f32 %data %index ; access-chain.struct-index
%x = OpLoad %f32 %first
%y = OpLoad %f32 %again
%z = OpLoad %u32 %again ; memory.load-type
OpStore %first %x
OpStore %again %y
OpStore %again %u32_0 ; memory.store-type
OpStore %x %y ; memory.logical-pointer",
    );
    // One may be written, the other is in a uniform block.
    tells(
        Frame::ShaderFor("vulkan1.1"),
        "OpDecorate %block Block
OpDecorate %storage BufferBlock
OpDecorate %uniform DescriptorSet 0
OpDecorate %uniform Binding 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 1
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %storage 0 Offset 0
%block = OpTypeStruct %u32
%storage = OpTypeStruct %u32
%ptr_block = OpTypePointer Uniform %block
%ptr_storage = OpTypePointer Uniform %storage
%ptr_u32 = OpTypePointer Uniform %u32
%uniform = OpVariable %ptr_block Uniform
%buffer = OpVariable %ptr_storage Uniform
%in_buffer = OpAccessChain %ptr_u32 %buffer %u32_0
%in_block = OpAccessChain %ptr_u32 %uniform %u32_0
OpStore %in_buffer %u32_1
OpStore %in_block %u32_1 ; memory.store-uniform-block",
    );
    // One comes from the heap of samplers, the other from that of other resources.
    tells(
        Frame::WholeFor("vulkan1.3"),
        "OpCapability Shader
OpCapability UntypedPointersKHR
OpCapability DescriptorHeapEXT
OpExtension \"SPV_KHR_untyped_pointers\"
OpExtension \"SPV_EXT_descriptor_heap\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %samplers %resources
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %samplers BuiltIn SamplerHeapEXT
OpDecorate %resources BuiltIn ResourceHeapEXT
OpDecorateId %array ArrayStrideIdEXT %size
%void = OpTypeVoid
%fn_void = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%u32_0 = OpConstant %u32 0
%sampler = OpTypeSampler
%size = OpConstantSizeOfEXT %u32 %sampler
%array = OpTypeRuntimeArray %sampler
%pointer = OpTypeUntypedPointerKHR UniformConstant
%samplers = OpUntypedVariableKHR %pointer UniformConstant
%resources = OpUntypedVariableKHR %pointer UniformConstant
%main = OpFunction %void None %fn_void
%entry = OpLabel
%right = OpUntypedAccessChainKHR %pointer %array %samplers %u32_0
%wrong = OpUntypedAccessChainKHR %pointer %array %resources %u32_0
%a = OpLoad %sampler %right
%b = OpLoad %sampler %wrong ; memory.descriptor-origin
OpReturn
OpFunctionEnd
",
    );
}

/// A value of a loop's body is used in its continue target, to which, along the
/// structure, its header leads as well; behind the loop it can't be.
#[test]
fn what_dominates_is_told_by_branches_not_by_structure() {
    tells(
        Frame::Shader,
        "OpBranch %loop
%loop = OpLabel
%i = OpPhi %u32 %u32_0 %entry %next %continue
OpLoopMerge %merge %continue None
OpBranch %body
%body = OpLabel
%next = OpIAdd %u32 %i %u32_1
OpBranchConditional %true %inner %merge
%inner = OpLabel
%late = OpIAdd %u32 %i %u32_1
OpBranch %continue
%continue = OpLabel
%twice = OpIAdd %u32 %next %late
OpBranch %loop
%merge = OpLabel
%sum = OpIAdd %u32 %next %u32_1
%wrong = OpIAdd %u32 %late %u32_1 ; dominance.use
%other = OpIAdd %u32 %twice %late ; dominance.use dominance.use
OpReturn",
    );
}

#[test]
fn structures_of_an_interface() {
    tells(
        Frame::WholeFor("vulkan1.3"),
        "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main \"main\" %in
OpDecorate %in Location 0
OpMemberDecorate %one 0 Location 1
OpMemberDecorate %two 0 Location 2
OpDecorate %outer Block
%void = OpTypeVoid
%fn = OpTypeFunction %void
%f32 = OpTypeFloat 32
%one = OpTypeStruct %f32 ; interface.member-location-extra
%two = OpTypeStruct %f32 ; interface.member-location-extra
%outer = OpTypeStruct %one %two
%ptr = OpTypePointer Input %outer
%in = OpVariable %ptr Input
%main = OpFunction %void None %fn
%entry = OpLabel
OpReturn
OpFunctionEnd",
    );
}
