//! Every error of a module is told at once, and nothing that only follows from
//! another: each line of a piece names in its comment the rules that it breaks.

use spirvkit_text::{AssembleOptions, assemble};
use spirvkit_validate::{Example, Frame, validate};

/// Expects that each line breaks the rules that its comment lists, and that no
/// other line breaks any.
#[track_caller]
fn tells(frame: Frame, piece: &'static str) {
    let example = Example {
        frame,
        breaks: piece,
        keeps: "",
    };
    let text = example.breaking();
    let options = frame.options();
    let assembling = AssembleOptions::default()
        .target(options.env.version())
        .origins(true);
    let module = assemble(&text, &assembling).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let report = validate(&module.words, &options);
    let mut told = vec![String::new(); text.lines().count()];
    let mut messages = String::new();
    for diagnostic in report.diagnostics() {
        let word = diagnostic.word_offset().unwrap();
        let span = module.origins.span(word).unwrap();
        let line = text[..span.start].matches('\n').count();
        told[line] += &format!(" {}", diagnostic.rule());
        messages += &format!("{}: {}\n", diagnostic.rule(), diagnostic.message());
    }
    let (mut expected, mut found) = (String::new(), String::new());
    for (line, told) in text.lines().zip(told) {
        let (line, rules) = line.split_once(" ; ").unwrap_or((line, ""));
        if !rules.is_empty() || !told.is_empty() {
            expected += &format!("{line} ; {rules}\n");
            found += &format!("{line} ;{}\n", if told.is_empty() { " " } else { &told });
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
OpEmitStreamVertex %u32_0 ; capability.instruction
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
