//! What modules need, from modules in assembly and the columns of the
//! specification's tables.

use proptest::prelude::*;
use spirvkit_analysis::requirements::{Declared, Requirements, Subject};
use spirvkit_binary::Module;
use spirvkit_grammar::{BuiltIn, Capability, ExtInstSet, Op, OperandKind, Version};

use Capability as C;

const V1_6: Version = Version::V1_6;

/// The words of a module of this version.
fn words(version: Version, text: &str) -> Vec<u32> {
    let mut words = spirvkit_testing::words(text);
    words[1] = version.to_word();
    words
}

fn analyse(words: &[u32]) -> (Requirements, Declared) {
    let module = Module::new(words).unwrap();
    let instructions = || module.instructions().flatten();
    (
        Requirements::of(instructions()),
        Declared::of(module.header().version, instructions()),
    )
}

/// What a module of this version misses.
fn missing_in(version: Version, text: &str) -> Vec<Subject> {
    let words = words(version, text);
    let (requirements, declared) = analyse(&words);
    let missing = requirements.missing(&declared);
    missing.map(|need| need.what).collect()
}

fn missing(text: &str) -> Vec<Subject> {
    missing_in(V1_6, text)
}

fn unneeded(text: &str) -> Vec<Capability> {
    let words = words(V1_6, text);
    let (requirements, declared) = analyse(&words);
    requirements.unneeded(&declared)
}

/// The same without `Shader`, which most other capabilities imply.
fn unneeded_beside_shader(text: &str) -> Vec<Capability> {
    let mut unneeded = unneeded(text);
    unneeded.retain(|&each| each != C::Shader);
    unneeded
}

/// A compute shader that declares these capabilities and extensions, with these
/// declarations and this in its function.
fn shader(head: &str, annotations: &str, globals: &str, body: &str) -> String {
    format!(
        "{head}
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
{annotations}
%void = OpTypeVoid
%function = OpTypeFunction %void
%f32 = OpTypeFloat 32
%u32 = OpTypeInt 32 0
%one = OpConstant %f32 1
%u32_0 = OpConstant %u32 0
%u32_1 = OpConstant %u32 1
%u32_2 = OpConstant %u32 2
%u32_3 = OpConstant %u32 3
{globals}
%main = OpFunction %void None %function
%entry = OpLabel
{body}
OpReturn
OpFunctionEnd"
    )
}

const SHADER: &str = "OpCapability Shader";

#[test]
fn an_empty_shader_needs_shader_alone() {
    assert_eq!(missing(&shader(SHADER, "", "", "")), []);
    assert_eq!(unneeded(&shader(SHADER, "", "", "")), []);
    // The memory model, the execution model and its mode.
    let without = shader("", "", "", "");
    let memory_model = Subject::Enumerant(OperandKind::MemoryModel, 1);
    let execution_model = Subject::Enumerant(OperandKind::ExecutionModel, 5);
    assert_eq!(missing(&without), [memory_model, execution_model]);
    assert_eq!(memory_model.to_string(), "the memory model `GLSL450`");
}

#[test]
fn every_sort_of_use_is_seen() {
    let cases = [
        ("", "", "OpEmitVertex", Subject::Instruction(Op::EmitVertex)),
        // A parameter of a decoration.
        (
            "OpDecorate %v BuiltIn BaseVertex",
            "%p = OpTypePointer Input %u32\n%v = OpVariable %p Input",
            "",
            Subject::Enumerant(OperandKind::BuiltIn, BuiltIn::BaseVertex.0),
        ),
        // A bit of a mask.
        (
            "",
            "%p = OpTypePointer Function %f32",
            "%v = OpVariable %p Function\n%l = OpLoad %f32 %v Volatile|NonPrivatePointer",
            Subject::Enumerant(OperandKind::MemoryAccess, 32),
        ),
        // What a specialization constant is made by.
        (
            "",
            "%spec = OpSpecConstantOp %u32 PtrAccessChain %u32_1 %u32_1",
            "",
            Subject::Instruction(Op::PtrAccessChain),
        ),
        ("", "%i64 = OpTypeInt 64 0", "", Subject::IntegerWidth(64)),
        ("", "%i24 = OpTypeInt 24 0", "", Subject::IntegerWidth(24)),
        ("", "%f64 = OpTypeFloat 64", "", Subject::FloatWidth(64)),
        (
            "",
            "%v16 = OpTypeVector %f32 16",
            "",
            Subject::VectorSize(16),
        ),
        ("", "%v5 = OpTypeVector %f32 5", "", Subject::VectorSize(5)),
    ];
    for (annotations, globals, body, subject) in cases {
        assert_eq!(
            missing(&shader(SHADER, annotations, globals, body)),
            [subject],
            "{subject}"
        );
    }
}

#[test]
fn extended_instructions_are_seen() {
    let text = shader(
        "OpCapability Shader\n%glsl = OpExtInstImport \"GLSL.std.450\"",
        "",
        "%p = OpTypePointer Input %f32\n%v = OpVariable %p Input",
        "%x = OpExtInst %f32 %glsl InterpolateAtCentroid %v\n%y = OpExtInst %f32 %glsl Sqrt %one",
    );
    let number = ExtInstSet::GlslStd450.instruction_by_name("InterpolateAtCentroid");
    let number = number.unwrap().number();
    assert_eq!(
        missing(&text),
        [Subject::Extended(ExtInstSet::GlslStd450, number)]
    );
    let declared = text.replacen(
        "Shader\n",
        "Shader\nOpCapability InterpolationFunction\n",
        1,
    );
    assert_eq!(missing(&declared), []);
    assert_eq!(unneeded_beside_shader(&declared), []);
}

#[test]
fn needs_say_where_they_are_first() {
    let text = shader(SHADER, "", "", "OpEmitVertex\nOpEmitVertex");
    let words = words(V1_6, &text);
    let (requirements, declared) = analyse(&words);
    let missing: Vec<_> = requirements.missing(&declared).collect();
    assert_eq!(missing.len(), 1);
    assert_eq!(missing[0].capabilities, [C::Geometry]);
    let at = Module::new(&words).unwrap().instructions().flatten();
    let at = at
        .enumerate()
        .find(|(_, each)| each.op() == Op::EmitVertex)
        .unwrap();
    assert_eq!(
        (missing[0].instruction, missing[0].offset),
        (at.0, at.1.offset())
    );
}

#[test]
fn versions_and_extensions_bring_things() {
    let text = "OpCapability Shader\nOpCapability MultiView\nOpCapability Linkage\nOpMemoryModel Logical GLSL450\n";
    let capability = Subject::Enumerant(OperandKind::Capability, C::MultiView.0);
    assert_eq!(missing_in(Version::V1_0, text), [capability]);
    assert_eq!(missing_in(Version::V1_3, text), []);
    let extension = text.replace("OpMem", "OpExtension \"SPV_KHR_multiview\"\nOpMem");
    assert_eq!(missing_in(Version::V1_0, &extension), []);

    let terminate = shader(SHADER, "", "", "OpTerminateInvocation\n%next = OpLabel");
    let subject = Subject::Instruction(Op::TerminateInvocation);
    assert_eq!(missing_in(Version::V1_5, &terminate), [subject]);
    assert_eq!(missing_in(Version::V1_6, &terminate), []);
    let (requirements, _) = analyse(&words(Version::V1_6, &terminate));
    assert_eq!(requirements.least_version(&[]), Some(Version::V1_6));
    let extension = "SPV_KHR_terminate_invocation";
    assert_eq!(
        requirements.least_version(&[extension]),
        Some(Version::V1_0)
    );

    // What a version has removed.
    let text = "OpCapability Shader\nOpCapability Linkage\nOpMemoryModel Logical GLSL450
OpDecorate %block BufferBlock
%u32 = OpTypeInt 32 0
%block = OpTypeStruct %u32";
    let block = OperandKind::Decoration
        .enumerant_by_name("BufferBlock")
        .unwrap();
    let subject = Subject::Enumerant(OperandKind::Decoration, block.value());
    assert_eq!(missing_in(Version::V1_3, text), []);
    assert_eq!(missing_in(Version::V1_4, text), [subject]);
}

#[test]
fn an_instruction_without_capabilities_has_a_version() {
    let globals =
        "%s = OpTypeStruct %f32\n%t = OpTypeStruct %f32\n%c = OpConstantComposite %s %one";
    let text = shader(SHADER, "", globals, "%x = OpCopyLogical %t %c");
    assert_eq!(
        missing_in(Version::V1_3, &text),
        [Subject::Instruction(Op::CopyLogical)]
    );
    assert_eq!(missing_in(Version::V1_4, &text), []);
    let (requirements, _) = analyse(&words(Version::V1_6, &text));
    assert_eq!(requirements.least_version(&[]), Some(Version::V1_4));
}

#[test]
fn a_library_links() {
    let text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n";
    assert_eq!(missing(text), [Subject::Library]);
    let text = "OpCapability Shader\nOpCapability Linkage\nOpMemoryModel Logical GLSL450\n";
    assert_eq!(missing(text), []);
    assert_eq!(unneeded(text), []);
    assert_eq!(
        unneeded(&shader(
            "OpCapability Shader\nOpCapability Linkage",
            "",
            "",
            ""
        )),
        [C::Linkage]
    );
}

#[test]
fn what_is_implied_counts() {
    let head = "OpCapability Shader\nOpCapability Matrix\nOpCapability Geometry";
    assert_eq!(
        unneeded(&shader(head, "", "", "")),
        [C::Matrix, C::Geometry]
    );
    // Geometry implies Shader, which implies Matrix.
    assert_eq!(
        unneeded(&shader(head, "", "", "OpEmitVertex")),
        [C::Shader, C::Matrix]
    );
}

#[test]
fn of_two_that_do_the_first_stays() {
    let ballot = |first, second| {
        let head = format!("OpCapability Shader\nOpCapability {first}\nOpCapability {second}");
        let text = shader(
            &head,
            "",
            "",
            "%x = OpGroupNonUniformFAdd %f32 %u32_3 Reduce %one",
        );
        unneeded_beside_shader(&text)
    };
    // Any of the two enables the instruction, but only one of them `Reduce`.
    assert_eq!(
        ballot("GroupNonUniformArithmetic", "GroupNonUniformClustered"),
        [C::GroupNonUniformClustered]
    );
    assert_eq!(
        ballot("GroupNonUniformClustered", "GroupNonUniformArithmetic"),
        [C::GroupNonUniformClustered]
    );
    let queries = |first, second| {
        let head = format!(
            "OpCapability Shader\nOpCapability {first}\nOpCapability {second}\nOpExtension \"SPV_EXT_fragment_shader_interlock\""
        );
        unneeded_beside_shader(&shader(&head, "", "", "OpBeginInvocationInterlockEXT"))
    };
    let (sample, pixel) = (
        "FragmentShaderSampleInterlockEXT",
        "FragmentShaderPixelInterlockEXT",
    );
    assert_eq!(queries(sample, pixel), [C::FragmentShaderPixelInterlockEXT]);
    assert_eq!(
        queries(pixel, sample),
        [C::FragmentShaderSampleInterlockEXT]
    );
}

#[test]
fn small_numbers_may_be_stored_or_calculated_with() {
    let head = "OpCapability Shader
OpCapability Float16
OpCapability Int16
OpCapability StorageBuffer16BitAccess
OpCapability StorageInputOutput16";
    let annotations = "OpDecorate %block Block\nOpMemberDecorate %block 0 Offset 0";
    let globals = "%f16 = OpTypeFloat 16
%block = OpTypeStruct %f16
%p = OpTypePointer StorageBuffer %block
%pf = OpTypePointer StorageBuffer %f16
%v = OpVariable %p StorageBuffer";
    let load = "%a = OpAccessChain %pf %v %u32_0\n%x = OpLoad %f16 %a\n%y = OpFConvert %f32 %x";
    assert_eq!(
        unneeded(&shader(head, annotations, globals, load)),
        [C::Float16, C::Int16, C::StorageInputOutput16]
    );
    let add = format!("{load}\n%z = OpFAdd %f16 %x %x");
    assert_eq!(
        unneeded(&shader(head, annotations, globals, &add)),
        [C::Int16, C::StorageInputOutput16]
    );
    // Comparing makes no such number, but takes some.
    let compare = format!("{load}\n%z = OpFOrdEqual %bool %x %x");
    let globals_bool = format!("{globals}\n%bool = OpTypeBool");
    assert_eq!(
        unneeded(&shader(head, annotations, &globals_bool, &compare)),
        [C::Int16, C::StorageInputOutput16]
    );
}

#[test]
fn what_the_text_allows_stays_where_it_may_matter() {
    let indexing = "OpCapability Shader
OpCapability UniformBufferArrayDynamicIndexing
OpCapability SampledImageArrayDynamicIndexing";
    let both = [
        C::UniformBufferArrayDynamicIndexing,
        C::SampledImageArrayDynamicIndexing,
    ];
    assert_eq!(unneeded_beside_shader(&shader(indexing, "", "", "")), both);
    let blocks = "%block = OpTypeStruct %f32\n%blocks = OpTypeArray %block %u32_2";
    assert_eq!(
        unneeded_beside_shader(&shader(indexing, "", blocks, "")),
        both[1..]
    );
    let images =
        "%image = OpTypeImage %f32 2D 0 0 0 1 Unknown\n%images = OpTypeArray %image %u32_2";
    assert_eq!(
        unneeded_beside_shader(&shader(indexing, "", images, "")),
        both[..1]
    );

    let pointers = "OpCapability Shader\nOpCapability VariablePointers";
    assert_eq!(
        unneeded_beside_shader(&shader(pointers, "", "", "")),
        [C::VariablePointers]
    );
    let chosen = "%p = OpTypePointer Workgroup %f32\n%null = OpConstantNull %p";
    assert_eq!(
        unneeded_beside_shader(&shader(pointers, "", chosen, "")),
        []
    );

    let multisampled = "OpCapability Shader\nOpCapability StorageImageMultisample";
    let image = |sampled| format!("%image = OpTypeImage %f32 2D 0 0 1 {sampled} Rgba32f");
    assert_eq!(
        unneeded_beside_shader(&shader(multisampled, "", &image(2), "")),
        []
    );
    assert_eq!(
        unneeded_beside_shader(&shader(multisampled, "", &image(1), "")),
        [C::StorageImageMultisample]
    );

    // Of this one the tables say nothing, nor do we know what to look for.
    assert_eq!(
        unneeded_beside_shader(&shader(
            "OpCapability Shader\nOpCapability MultipleWaitQueuesQCOM",
            "",
            "",
            ""
        )),
        []
    );
}

#[test]
fn device_scope_is_that_of_a_constant() {
    let head = "OpCapability Shader\nOpCapability VulkanMemoryModelDeviceScope";
    let barrier = |scope| format!("OpMemoryBarrier {scope} %u32_0");
    assert_eq!(unneeded(&shader(head, "", "", &barrier("%u32_1"))), []);
    assert_eq!(
        unneeded(&shader(head, "", "", &barrier("%u32_2"))),
        [C::VulkanMemoryModelDeviceScope]
    );
}

#[test]
fn atomics_rest_on_the_width() {
    let head = "OpCapability Shader
OpCapability AtomicFloat64AddEXT
OpCapability AtomicFloat32AddEXT
OpExtension \"SPV_EXT_shader_atomic_float_add\"";
    let text = shader(
        head,
        "",
        "%p = OpTypePointer Workgroup %f32\n%v = OpVariable %p Workgroup",
        "%x = OpAtomicFAddEXT %f32 %v %u32_1 %u32_0 %one",
    );
    assert_eq!(unneeded(&text), [C::AtomicFloat64AddEXT]);
}

#[test]
fn members_of_gl_per_vertex_may_be_listed() {
    let annotations = "OpMemberDecorate %s 0 BuiltIn ClipDistance";
    let globals = "%s = OpTypeStruct %f32";
    assert_eq!(missing(&shader(SHADER, annotations, globals, "")), []);
    let head = "OpCapability Shader\nOpCapability ClipDistance\nOpCapability CullDistance";
    assert_eq!(
        unneeded_beside_shader(&shader(head, annotations, globals, "")),
        [C::CullDistance]
    );
}

#[test]
fn an_extension_may_stand_for_a_capability() {
    let group = "%x = OpGroupIAddNonUniformAMD %u32 %u32_3 Reduce %u32_1";
    let subject = Subject::Instruction(Op::GroupIAddNonUniformAMD);
    let reduce = Subject::Enumerant(OperandKind::GroupOperation, 0);
    assert_eq!(missing(&shader(SHADER, "", "", group)), [subject, reduce]);
    let head = "OpCapability Shader\nOpExtension \"SPV_AMD_shader_ballot\"";
    assert_eq!(missing(&shader(head, "", "", group)), []);
}

#[test]
fn unknown_numbers_need_nothing_and_stay() {
    let text = shader("OpCapability Shader\n!0x00020011 !60000", "", "", "");
    assert_eq!(missing(&text), []);
    assert_eq!(unneeded(&text), []);
}

/// Capabilities that instructions of the shader below use, may use, or don't.
const CANDIDATES: [&str; 16] = [
    "Shader",
    "Matrix",
    "Geometry",
    "Tessellation",
    "Int16",
    "Int64",
    "Float16",
    "Float64",
    "StorageBuffer16BitAccess",
    "UniformAndStorageBuffer16BitAccess",
    "GroupNonUniform",
    "GroupNonUniformArithmetic",
    "GroupNonUniformClustered",
    "ImageQuery",
    "Linkage",
    "VariablePointers",
];

proptest! {
    /// Leaving out all that is unneeded makes nothing missing, and leaves nothing
    /// unneeded.
    #[test]
    fn what_is_left_suffices(
        capabilities in prop::sample::subsequence(&CANDIDATES[..], 0..=CANDIDATES.len()).prop_shuffle(),
    ) {
        let head: String = capabilities.iter().map(|name| format!("OpCapability {name}\n")).collect();
        let text = shader(
            &head,
            "",
            "%i16 = OpTypeInt 16 0\n%p = OpTypePointer StorageBuffer %i16\n%i64 = OpTypeInt 64 0",
            "%x = OpGroupNonUniformFAdd %f32 %u32_3 Reduce %one\nOpEmitVertex",
        );
        let words = words(V1_6, &text);
        let (requirements, declared) = analyse(&words);
        let unneeded = requirements.unneeded(&declared);
        let mut rest = declared.clone();
        rest.capabilities.retain(|each| !unneeded.contains(each));
        let subjects = |declared: &Declared| -> Vec<Subject> {
            requirements.missing(declared).map(|need| need.what).collect()
        };
        prop_assert_eq!(subjects(&rest), subjects(&declared));
        prop_assert_eq!(requirements.unneeded(&rest), []);
    }

    #[test]
    fn nothing_panics(
        instructions in prop::collection::vec(
            (any::<u16>().prop_map(|op| op % 400), prop::collection::vec(
                prop_oneof![0u32..12, Just(64), any::<u32>()], 0..8)),
            0..60,
        )
    ) {
        let mut words = vec![0x0723_0203, 0x0001_0000, 0, 3, 0];
        for (opcode, operands) in instructions {
            words.push((operands.len() as u32 + 1) << 16 | u32::from(opcode));
            words.extend(operands);
        }
        let (requirements, declared) = analyse(&words);
        let _ = requirements.missing(&declared).count();
        let unneeded = requirements.unneeded(&declared);
        prop_assert!(unneeded.iter().all(|each| declared.capabilities.contains(each)));
    }
}
