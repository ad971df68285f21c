//! Operands of each kind: enumerants, masks, extended instructions, and the
//! operations of specialization constants.

use crate::common::{body, errors, instruction, string};
use spirvkit_grammar::Op;

/// Text and the words that it stands for, one instruction each.
fn check(cases: &[(&str, Op, &[u32])]) {
    for (text, op, operands) in cases {
        assert_eq!(body(text), instruction(*op, operands), "{text}");
    }
}

#[test]
fn enumerants_and_their_parameters() {
    check(&[
        ("OpCapability Shader", Op::Capability, &[1]),
        (
            "OpMemoryModel PhysicalStorageBuffer64 Vulkan",
            Op::MemoryModel,
            &[5348, 3],
        ),
        (
            "OpMemoryModel PhysicalStorageBuffer64EXT VulkanKHR",
            Op::MemoryModel,
            &[5348, 3],
        ),
        (
            "OpExecutionMode %1 LocalSize 8 4 1",
            Op::ExecutionMode,
            &[1, 17, 8, 4, 1],
        ),
        (
            "OpExecutionMode %1 OriginUpperLeft",
            Op::ExecutionMode,
            &[1, 7],
        ),
        (
            "OpExecutionModeId %1 LocalSizeId %2 %3 %4",
            Op::ExecutionModeId,
            &[1, 38, 2, 3, 4],
        ),
        ("OpDecorate %1 BuiltIn Position", Op::Decorate, &[1, 11, 0]),
        ("OpDecorate %1 Location 3", Op::Decorate, &[1, 30, 3]),
        (
            "OpMemberDecorate %1 2 Offset 16",
            Op::MemberDecorate,
            &[1, 2, 35, 16],
        ),
        (
            "OpDecorate %1 LinkageAttributes \"f\" Import",
            Op::Decorate,
            &[1, 41, 0x66, 1],
        ),
        ("OpDecorateId %1 UniformId %2", Op::DecorateId, &[1, 27, 2]),
        (
            "%1 = OpTypeImage %2 2D 0 0 0 1 Unknown",
            Op::TypeImage,
            &[1, 2, 1, 0, 0, 0, 1, 0],
        ),
        (
            "%1 = OpTypeImage %2 3D 0 0 0 2 Rgba8 ReadOnly",
            Op::TypeImage,
            &[1, 2, 2, 0, 0, 0, 2, 4, 0],
        ),
        ("OpSource GLSL 450", Op::Source, &[2, 450]),
        (
            "OpSource OpenCL_C 120 %3 \"x\"",
            Op::Source,
            &[3, 120, 3, 0x78],
        ),
    ]);
}

#[test]
fn masks_and_their_parameters_from_the_lowest_bit_up() {
    check(&[
        ("%1 = OpFunction %2 None %3", Op::Function, &[2, 1, 0, 3]),
        (
            "%1 = OpFunction %2 Inline|Pure %3",
            Op::Function,
            &[2, 1, 5, 3],
        ),
        (
            "%1 = OpFunction %2 Pure|Inline|Pure %3",
            Op::Function,
            &[2, 1, 5, 3],
        ),
        ("OpSelectionMerge %1 Flatten", Op::SelectionMerge, &[1, 1]),
        ("OpStore %1 %2", Op::Store, &[1, 2]),
        ("OpStore %1 %2 None", Op::Store, &[1, 2, 0]),
        (
            "OpStore %1 %2 Volatile|Aligned 16",
            Op::Store,
            &[1, 2, 3, 16],
        ),
        // The parameters follow the bits, however the names are ordered.
        (
            "OpStore %1 %2 MakePointerAvailable|Aligned 16 %3",
            Op::Store,
            &[1, 2, 0xa, 16, 3],
        ),
        (
            "OpLoopMerge %1 %2 PartialCount|DependencyLength|Unroll 3 9",
            Op::LoopMerge,
            &[1, 2, 0x109, 3, 9],
        ),
        (
            "%1 = OpImageSampleImplicitLod %2 %3 %4 Bias|Grad|MakeTexelVisible %5 %6 %7 %8",
            Op::ImageSampleImplicitLod,
            &[2, 1, 3, 4, 0x205, 5, 6, 7, 8],
        ),
        (
            "OpCopyMemory %1 %2 Aligned 4 Aligned 8",
            Op::CopyMemory,
            &[1, 2, 2, 4, 2, 8],
        ),
        (
            "OpStore %1 %2 NonPrivatePointerKHR",
            Op::Store,
            &[1, 2, 0x20],
        ),
    ]);
}

#[test]
fn repeated_and_optional_operands() {
    check(&[
        ("%1 = OpTypeStruct", Op::TypeStruct, &[1]),
        ("%1 = OpTypeStruct %2 %3 %4", Op::TypeStruct, &[1, 2, 3, 4]),
        ("%1 = OpPhi %2 %3 %4 %5 %6", Op::Phi, &[2, 1, 3, 4, 5, 6]),
        (
            "%1 = OpVariable %2 Function %3",
            Op::Variable,
            &[2, 1, 7, 3],
        ),
        (
            "OpEntryPoint Vertex %1 \"m\" %2 %3",
            Op::EntryPoint,
            &[0, 1, 0x6d, 2, 3],
        ),
        (
            "OpGroupMemberDecorate %1 %2 0 %3 1",
            Op::GroupMemberDecorate,
            &[1, 2, 0, 3, 1],
        ),
        (
            "OpBranchConditional %1 %2 %3 1 2",
            Op::BranchConditional,
            &[1, 2, 3, 1, 2],
        ),
        (
            "%1 = OpVectorShuffle %2 %3 %4 0 0xffffffff",
            Op::VectorShuffle,
            &[2, 1, 3, 4, 0, u32::MAX],
        ),
    ]);
    assert_eq!(errors("%1 = OpPhi %2 %3"), [("text.missing-operand", "")]);
}

#[test]
fn operations_of_specialization_constants() {
    check(&[
        (
            "%1 = OpSpecConstantOp %2 IAdd %3 %4",
            Op::SpecConstantOp,
            &[2, 1, 128, 3, 4],
        ),
        (
            "%1 = OpSpecConstantOp %2 CompositeExtract %3 0 7",
            Op::SpecConstantOp,
            &[2, 1, 81, 3, 0, 7],
        ),
        (
            "%1 = OpSpecConstantOp %2 CompositeInsert %3 %4 1",
            Op::SpecConstantOp,
            &[2, 1, 82, 3, 4, 1],
        ),
        (
            "%1 = OpSpecConstantOp %2 VectorShuffle %3 %4 0 1",
            Op::SpecConstantOp,
            &[2, 1, 79, 3, 4, 0, 1],
        ),
        (
            "%1 = OpSpecConstantOp %2 AccessChain %3 %4 %5",
            Op::SpecConstantOp,
            &[2, 1, 65, 3, 4, 5],
        ),
        (
            "%1 = OpSpecConstantOp %2 !128 %3 %4",
            Op::SpecConstantOp,
            &[2, 1, 128, 3, 4],
        ),
    ]);
    for (text, error) in [
        (
            "%1 = OpSpecConstantOp %2 IAdd %3",
            ("text.missing-operand", ""),
        ),
        (
            "%1 = OpSpecConstantOp %2 IAdd %3 %4 %5",
            ("text.surplus-operand", "%5"),
        ),
        (
            "%1 = OpSpecConstantOp %2 Nonsense %3",
            ("text.unknown-spec-constant-op", "Nonsense"),
        ),
        (
            "%1 = OpSpecConstantOp %2 128 %3 %4",
            ("text.unknown-spec-constant-op", "128"),
        ),
    ] {
        assert_eq!(errors(text), [error], "{text}");
    }
}

#[test]
fn extended_instructions_by_name_and_number() {
    let import = |name: &str| instruction(Op::ExtInstImport, &[&[1], &string(name)[..]].concat());
    for (set, text, operands) in [
        ("GLSL.std.450", "Sqrt %5", &[31, 5][..]),
        ("GLSL.std.450", "31 %5", &[31, 5]),
        ("GLSL.std.450", "0x1f %5", &[31, 5]),
        ("GLSL.std.450", "FMix %5 %6 %7", &[46, 5, 6, 7]),
        ("OpenCL.std", "sqrt %5", &[61, 5]),
        ("OpenCL.std", "printf %5", &[184, 5]),
        ("OpenCL.std", "printf %5 %6 %7", &[184, 5, 6, 7]),
        // A number that the set doesn't have takes ids.
        ("GLSL.std.450", "9999 %5 %6", &[9999, 5, 6]),
        ("GLSL.std.450", "9999", &[9999]),
        // So does any number of a set that nobody knows.
        ("Who.knows", "7 %5 %6", &[7, 5, 6]),
        ("NonSemantic.Nobody", "7", &[7]),
        // Literals among the ids.
        ("DebugInfo", "DebugTypeBasic %5 %6 Float", &[2, 5, 6, 4]),
        // A newer version of a non-semantic set may add operands.
        ("NonSemantic.DebugPrintf", "DebugPrintf %5 %6", &[1, 5, 6]),
        (
            "NonSemantic.Shader.DebugInfo.100",
            "DebugInfoNone %5",
            &[0, 5],
        ),
        ("GLSL.std.450", "!31 %5 6", &[31, 5, 6]),
    ] {
        let text = format!("%1 = OpExtInstImport \"{set}\" %2 = OpExtInst %3 %1 {text}");
        let expected = instruction(Op::ExtInst, &[&[3, 2, 1], operands].concat());
        assert_eq!(body(&text), [import(set), expected].concat(), "{text}");
    }
}

#[test]
fn extended_instructions_take_what_they_take() {
    let with =
        |rest: &str| format!("%1 = OpExtInstImport \"GLSL.std.450\" %2 = OpExtInst %3 %1 {rest}");
    for (rest, error) in [
        ("Sqrt", ("text.missing-operand", "")),
        ("Sqrt %5 %6", ("text.surplus-operand", "%6")),
        ("31 %5 %6", ("text.surplus-operand", "%6")),
        ("Sqrt 7", ("text.expected-id", "7")),
        ("9999 7", ("text.expected-id", "7")),
        ("sqrt %5", ("text.unknown-ext-inst", "sqrt")),
        ("-1 %5", ("text.unknown-ext-inst", "-1")),
        ("%5", ("text.unknown-ext-inst", "%5")),
    ] {
        assert_eq!(errors(&with(rest)), [error], "{rest}");
    }
    assert_eq!(
        errors("%1 = OpExtInstImport \"Who.knows\" %2 = OpExtInst %3 %1 Sqrt %5"),
        [("text.unknown-ext-inst", "Sqrt")]
    );
}

#[test]
fn every_kind_of_literal_in_place() {
    // A LiteralFloat.
    assert_eq!(
        body("OpDecorate %1 FPMaxErrorDecorationINTEL 1.5"),
        instruction(Op::Decorate, &[1, 6170, 0x3fc0_0000])
    );
    // Constants of a narrow, a word-sized and a wide type.
    assert_eq!(
        body("%1 = OpTypeInt 8 1 %2 = OpConstant %1 -1")[4..],
        [0x0004_002b, 1, 2, 0xffff_ffff]
    );
    assert_eq!(
        body("%1 = OpTypeFloat 64 %2 = OpSpecConstant %1 1")[3..],
        [0x0005_0032, 1, 2, 0, 0x3ff0_0000]
    );
}
