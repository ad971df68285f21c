//! Comments that spell out types, values and names.

use std::fmt::Write as _;

use spirvkit_testing::numbered_words;
use spirvkit_text::{DisassembleOptions, Indentation, disassemble};

fn raw() -> DisassembleOptions {
    DisassembleOptions::default()
        .friendly_names(false)
        .annotate(true)
}

fn text(words: &[u32], options: &DisassembleOptions) -> String {
    disassemble(words, options).unwrap().text
}

/// The comment on the line that starts with `start`; empty if it has none.
#[track_caller]
fn comment<'a>(text: &'a str, start: &str) -> &'a str {
    let mut lines = text.lines().map(str::trim_start);
    let line = lines.find(|line| line.starts_with(start));
    let line = line.unwrap_or_else(|| panic!("no line {start} in\n{text}"));
    line.split_once("; ").map_or("", |(_, comment)| comment)
}

/// Checks the comments of lines, and that the text assembles to the same words.
#[track_caller]
fn check(module: &str, comments: &[(&str, &str)]) {
    let module = numbered_words(module);
    let annotated = text(&module, &raw());
    for (start, expected) in comments {
        assert_eq!(
            comment(&annotated, start),
            *expected,
            "{start} in\n{annotated}"
        );
    }
    assert!(numbered_words(&annotated) == module, "{annotated}");
}

#[test]
fn scalars_vectors_and_matrices_read_as_in_shader_languages() {
    check(
        "%1 = OpTypeVoid
%2 = OpTypeBool
%3 = OpTypeFloat 32
%4 = OpTypeFloat 16
%5 = OpTypeFloat 64
%6 = OpTypeInt 32 1
%7 = OpTypeInt 32 0
%8 = OpTypeInt 16 0
%9 = OpTypeInt 64 1
%10 = OpTypeFloat 16 BFloat16KHR
%11 = OpTypeVector %3 4
%12 = OpTypeVector %6 3
%13 = OpTypeVector %7 2
%14 = OpTypeVector %2 2
%15 = OpTypeVector %5 2
%16 = OpTypeVector %4 4
%17 = OpTypeVector %8 4
%18 = OpTypeVector %10 2
%19 = OpTypeMatrix %11 4
%20 = OpTypeVector %3 2
%21 = OpTypeMatrix %20 3
%22 = OpTypeMatrix %15 2
",
        &[
            ("%1 =", "void"),
            ("%2 =", "bool"),
            ("%3 =", "float"),
            ("%4 =", "half"),
            ("%5 =", "double"),
            ("%6 =", "int"),
            ("%7 =", "uint"),
            ("%8 =", "uint16"),
            ("%9 =", "int64"),
            ("%10 =", "bfloat16"),
            ("%11 =", "vec4"),
            ("%12 =", "ivec3"),
            ("%13 =", "uvec2"),
            ("%14 =", "bvec2"),
            ("%15 =", "dvec2"),
            ("%16 =", "f16vec4"),
            ("%17 =", "u16vec4"),
            ("%18 =", "vec2<bfloat16>"),
            ("%19 =", "mat4"),
            ("%21 =", "mat3x2"),
            ("%22 =", "dmat2"),
        ],
    );
}

#[test]
fn arrays_show_their_lengths_outermost_first() {
    check(
        "OpName %20 \"Light\"
OpDecorate %5 SpecId 7
OpDecorate %11 ArrayStride 4
%1 = OpTypeFloat 32
%2 = OpTypeInt 32 0
%3 = OpConstant %2 8
%4 = OpConstant %2 2
%5 = OpSpecConstant %2 4
%6 = OpSpecConstantOp %2 IMul %5 %4
%7 = OpTypeArray %1 %3
%8 = OpTypeArray %7 %4
%9 = OpTypeArray %1 %5
%10 = OpTypeArray %1 %6
%11 = OpTypeRuntimeArray %1
%12 = OpTypeRuntimeArray %7
%20 = OpTypeStruct %1
%21 = OpTypeArray %20 %3
%22 = OpTypePointer Uniform %21
%23 = OpTypeFunction %1 %22 %2
",
        &[
            ("%5 =", "uint, SpecId 7"),
            ("%6 =", "uint, %5 = spec 4u, %4 = 2u"),
            ("%7 =", "float[8]"),
            ("%8 =", "float[2][8]"),
            ("%9 =", "float[spec 4]"),
            ("%10 =", "float[spec(IMul, spec 4u, 2u)]"),
            ("%11 =", "float[], ArrayStride 4"),
            ("%12 =", "float[][8]"),
            ("%22 =", "ptr<Uniform, Light[8]>"),
            ("%23 =", "float(ptr<Uniform, Light[8]>, uint)"),
        ],
    );
}

#[test]
fn structures_show_their_members() {
    check(
        "OpName %10 \"Light\"
OpMemberName %10 0 \"position\"
OpMemberName %10 1 \"view\"
OpMemberDecorate %10 0 Offset 0
OpMemberDecorate %10 1 Offset 16
OpMemberDecorate %10 1 RowMajor
OpMemberDecorate %10 1 MatrixStride 16
OpMemberDecorateIdEXT %10 0 ArrayStrideIdEXT %4
OpDecorate %10 Block
OpMemberDecorate %11 0 BuiltIn Position
%1 = OpTypeFloat 32
%2 = OpTypeVector %1 4
%3 = OpTypeMatrix %2 4
%10 = OpTypeStruct %2 %3
%11 = OpTypeStruct %2
%12 = OpTypeStruct %11 %10
%13 = OpTypeStruct
",
        &[
            ("OpMemberDecorate %10 1 RowMajor", "Light.view"),
            ("OpMemberDecorateIdEXT %10 0", "Light.position"),
            ("OpMemberDecorate %11 0", ""),
            ("OpDecorate %10", "%10 = Light"),
            (
                "%10 =",
                "Light { vec4 position @0 (ArrayStrideIdEXT %4), mat4 view @16 (RowMajor) }, Block",
            ),
            ("%11 =", "struct %11 { vec4 (BuiltIn Position) }"),
            ("%12 =", "struct %12 { struct %11, Light }"),
            ("%13 =", "struct %13 { }"),
        ],
    );
}

#[test]
fn images_read_as_in_shader_languages() {
    check(
        "%1 = OpTypeFloat 32
%2 = OpTypeInt 32 0
%3 = OpTypeInt 32 1
%4 = OpTypeVoid
%5 = OpTypeImage %1 2D 0 0 0 1 Unknown
%6 = OpTypeImage %2 2D 0 1 0 1 Unknown
%7 = OpTypeImage %1 2D 0 0 0 2 Rgba8
%8 = OpTypeImage %3 3D 0 0 0 2 R32i
%9 = OpTypeImage %1 2D 1 0 0 1 Unknown
%10 = OpTypeImage %1 2D 0 1 1 1 Unknown
%11 = OpTypeImage %1 SubpassData 0 0 0 2 Unknown
%12 = OpTypeImage %1 Buffer 0 0 0 1 Unknown
%13 = OpTypeImage %4 2D 0 0 0 0 Unknown ReadOnly
%14 = OpTypeSampler
%15 = OpTypeSampledImage %5
%16 = OpTypeSampledImage %9
%17 = OpTypeSampledImage %13
%18 = OpTypeImage %1 Rect 0 0 0 1 Unknown
",
        &[
            ("%5 =", "texture2D"),
            ("%6 =", "utexture2DArray"),
            ("%7 =", "image2D<rgba8>"),
            ("%8 =", "iimage3D<r32i>"),
            ("%9 =", "texture2DShadow"),
            ("%10 =", "texture2DMSArray"),
            ("%11 =", "subpassInput"),
            ("%12 =", "textureBuffer"),
            ("%13 =", "image2D<ReadOnly>"),
            ("%14 =", "sampler"),
            ("%15 =", "sampler2D"),
            ("%16 =", "sampler2DShadow"),
            ("%17 =", "sampledImage<image2D<ReadOnly>>"),
            ("%18 =", "texture2DRect"),
        ],
    );
}

#[test]
fn other_types_show_their_opcodes() {
    check(
        "%1 = OpTypeFloat 16
%2 = OpTypeInt 32 0
%3 = OpConstant %2 3
%4 = OpConstant %2 16
%5 = OpConstant %2 0
%6 = OpTypeCooperativeMatrixKHR %1 %3 %4 %4 %5
%7 = OpTypeAccelerationStructureKHR
%8 = OpTypeRayQueryKHR
%9 = OpTypeOpaque \"thing\"
%10 = OpTypePipe ReadOnly
%11 = OpTypeEvent
%12 = OpTypeUntypedPointerKHR StorageBuffer
%13 = OpTypeCooperativeMatrixNV %1 %3 %4 %4
",
        &[
            ("%6 =", "coopmat<half, Subgroup, 16, 16, MatrixA>"),
            ("%7 =", "accelerationStructureKHR"),
            ("%8 =", "rayQueryKHR"),
            ("%9 =", "opaque<thing>"),
            ("%10 =", "pipe<ReadOnly>"),
            ("%11 =", "event"),
            ("%12 =", "ptr<StorageBuffer>"),
            ("%13 =", "cooperativeMatrixNV<half, Subgroup, 16u, 16u>"),
        ],
    );
}

#[test]
fn pointers_to_what_comes_later_are_shown() {
    check(
        "OpName %3 \"Node\"
OpTypeForwardPointer %1 PhysicalStorageBuffer
%2 = OpTypePointer Uniform %1
%3 = OpTypeStruct %1
%1 = OpTypePointer PhysicalStorageBuffer %3
",
        &[
            ("OpTypeForwardPointer", "ptr<PhysicalStorageBuffer, Node>"),
            ("%2 =", "ptr<Uniform, ptr<PhysicalStorageBuffer, Node>>"),
            ("%3 =", "Node { ptr<PhysicalStorageBuffer, Node> }"),
            ("%1 =", "ptr<PhysicalStorageBuffer, Node>"),
        ],
    );
}

#[test]
fn constants_show_their_values() {
    check(
        "%1 = OpTypeFloat 32
%2 = OpTypeFloat 16
%3 = OpTypeInt 32 1
%4 = OpTypeInt 32 0
%5 = OpTypeBool
%6 = OpTypeVector %1 2
%7 = OpTypeVector %2 4
%8 = OpTypeStruct %3 %4 %5 %6
%9 = OpTypeFloat 64
%10 = OpConstant %1 0.1
%11 = OpConstant %2 1.5
%12 = OpConstant %2 -0x1p-14
%13 = OpConstant %2 65504
%14 = OpConstant %3 -3
%15 = OpConstant %4 2
%16 = OpConstantTrue %5
%17 = OpConstantNull %6
%18 = OpConstant %1 0x1p+128
%19 = OpConstant %9 0.1
%20 = OpConstantComposite %6 %10 %18
%21 = OpConstantComposite %6 %10 %10
%22 = OpConstantComposite %7 %11 %11 %12 %13
%23 = OpConstantComposite %8 %14 %15 %16 %17
%24 = OpTypeVector %9 2
%25 = OpConstantComposite %24 %19 %19
%26 = OpSpecConstantTrue %5
%27 = OpUndef %1
%28 = OpSpecConstantComposite %6 %27 %10
",
        &[
            ("%10 =", "float"),
            ("%17 =", "vec2"),
            ("%20 =", "vec2(0.1, inf)"),
            ("%21 =", "vec2(0.1)"),
            ("%22 =", "f16vec4(1.5, 1.5, -6.1035156e-5, 65504.0)"),
            ("%23 =", "struct %8(-3, 2u, true, null)"),
            ("%25 =", "dvec2(0.1)"),
            ("%26 =", "bool"),
            ("%28 =", "vec2(%27, 0.1)"),
        ],
    );
}

/// A module with a buffer of lights, on which the tests below look.
const LIGHTS: &str = r#"OpCapability Shader
%1 = OpExtInstImport "GLSL.std.450"
%2 = OpExtInstImport "NonSemantic.Custom"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %50 "main" %33
OpExecutionMode %50 OriginUpperLeft
%3 = OpString "hello"
OpName %20 "Light"
OpMemberName %20 0 "color"
OpMemberName %20 1 "radius"
OpName %23 "Scene"
OpMemberName %23 0 "lights"
OpName %30 "scene"
OpName %33 "result"
OpName %34 ""
OpName %50 "main"
OpName %60 "scale(f1;f1;"
OpName %61 "factor"
OpDecorate %21 ArrayStride 32
OpDecorate %30 DescriptorSet 1
OpDecorate %30 Binding 2
OpDecorate %33 Location 0
OpDecorate %35 BuiltIn SampleId
OpDecorate %71 RelaxedPrecision
%4 = OpTypeVoid
%5 = OpTypeFunction %4
%6 = OpTypeFloat 32
%7 = OpTypeVector %6 4
%8 = OpTypeInt 32 1
%9 = OpTypeInt 32 0
%10 = OpConstant %8 0
%11 = OpConstant %8 3
%12 = OpConstant %9 2
%13 = OpConstant %9 264
%14 = OpConstant %6 1
%15 = OpConstant %9 8
%20 = OpTypeStruct %7 %6
%21 = OpTypeArray %20 %15
%23 = OpTypeStruct %21
%24 = OpTypePointer Uniform %23
%25 = OpTypePointer Uniform %7
%26 = OpTypePointer Uniform %6
%27 = OpTypePointer Output %7
%28 = OpTypePointer Input %8
%29 = OpTypeFunction %6 %6
%30 = OpVariable %24 Uniform
%33 = OpVariable %27 Output
%34 = OpVariable %24 Uniform
%35 = OpVariable %28 Input
%60 = OpFunction %6 Pure %29
%61 = OpFunctionParameter %6
%62 = OpLabel
%63 = OpFMul %6 %61 %14
OpReturnValue %63
OpFunctionEnd
%50 = OpFunction %4 None %5
%51 = OpLabel
%70 = OpAccessChain %25 %30 %10 %11 %10
%71 = OpLoad %7 %70
%72 = OpLoad %8 %35
%73 = OpAccessChain %26 %30 %10 %72 %10 %11
%74 = OpLoad %6 %73
%75 = OpAccessChain %26 %34 %10 %10 %11
%76 = OpAccessChain %26 %34 %10 %10
%77 = OpFunctionCall %6 %60 %14
%78 = OpFunctionCall %4 %50
%79 = OpCompositeExtract %6 %71 1
%80 = OpFMul %6 %79 %77
%81 = OpExtInst %6 %1 FMax %80 %14
%82 = OpExtInst %4 %2 5 %3 %81
%83 = OpCompositeConstruct %7 %81 %14 %14 %14
OpStore %33 %83
OpStore %33 %71
OpControlBarrier %12 %12 %13
OpStore %73 %14
OpReturn
OpFunctionEnd
"#;

#[test]
fn results_show_names_types_and_what_operands_are() {
    check(
        LIGHTS,
        &[
            ("OpEntryPoint", ""),
            ("OpExecutionMode", ""),
            ("OpName %20", ""),
            ("OpDecorate %30 Binding", "%30 = scene"),
            ("%1 =", ""),
            ("%30 =", "scene: ptr<Uniform, Scene>, set 1, binding 2"),
            ("%33 =", "result: ptr<Output, vec4>, Location 0"),
            ("%34 =", "Scene: ptr<Uniform, Scene>"),
            ("%35 =", "SampleId: ptr<Input, int>, BuiltIn SampleId"),
            ("%60 =", "scale: float(float)"),
            ("%61 =", "factor: float"),
            ("%62 =", ""),
            ("%63 =", "float, %61 = factor, %14 = 1.0"),
            ("OpReturnValue", ""),
            ("%50 =", "main: void()"),
            ("%77 =", "float, %60 = scale, %14 = 1.0"),
            ("%78 =", "%50 = main"),
            ("%80 =", "float, %79 = scene.lights[3].color.y"),
            ("%81 =", "float, %14 = 1.0"),
            ("%82 =", "%2 = NonSemantic.Custom, %3 = \"hello\""),
            ("%83 =", "vec4, %14 = 1.0"),
            (
                "OpControlBarrier",
                "Workgroup, Workgroup, AcquireRelease|WorkgroupMemory",
            ),
            ("OpReturn", ""),
        ],
    );
}

#[test]
fn memory_accesses_show_paths() {
    check(
        LIGHTS,
        &[
            ("%70 =", "scene.lights[3].color: ptr<Uniform, vec4>"),
            ("%71 =", "scene.lights[3].color: vec4"),
            ("%72 =", "SampleId: int"),
            (
                "%73 =",
                "scene.lights[SampleId].color.w: ptr<Uniform, float>",
            ),
            ("%75 =", "Scene.lights[0].3: ptr<Uniform, float>"),
            ("%76 =", "Scene.lights[0]: ptr<Uniform, float>"),
            ("%79 =", "scene.lights[3].color.y: float"),
            ("OpStore %33 %83", "result: vec4"),
            ("OpStore %33 %71", "result: vec4 = scene.lights[3].color"),
            ("OpStore %73", "scene.lights[SampleId].color.w: float = 1.0"),
        ],
    );
}

#[test]
fn pointer_and_untyped_access_chains_show_paths() {
    check(
        r#"OpName %7 "base"
OpMemberName %4 1 "next"
%1 = OpTypeInt 32 1
%2 = OpConstant %1 1
%3 = OpTypeArray %1 %2
%4 = OpTypeStruct %1 %3
%5 = OpTypePointer CrossWorkgroup %4
%6 = OpTypePointer CrossWorkgroup %1
%7 = OpVariable %5 CrossWorkgroup
%8 = OpTypeUntypedPointerKHR StorageBuffer
%9 = OpUntypedVariableKHR %8 StorageBuffer %4
%10 = OpPtrAccessChain %6 %7 %2 %2 %2
%11 = OpUntypedAccessChainKHR %8 %4 %9 %2 %2
"#,
        &[
            ("%10 =", "base[1].next[1]: ptr<CrossWorkgroup, int>"),
            ("%11 =", "%9.next[1]: ptr<StorageBuffer>"),
        ],
    );
}

#[test]
fn friendly_names_leave_out_what_the_names_say() {
    let annotated = text(&numbered_words(LIGHTS), &raw().friendly_names(true));
    let expected = [
        ("OpDecorate %scene Binding", ""),
        ("%scene =", "ptr<Uniform, Scene>, set 1, binding 2"),
        ("%main =", "void()"),
        ("%63 =", "float"),
        ("%70 =", "scene.lights[3].color: ptr<Uniform, vec4>"),
        ("%71 =", "scene.lights[3].color: vec4"),
        ("%72 =", "int"),
        ("%80 =", "float, %79 = scene.lights[3].color.y"),
        ("%81 =", "float"),
        ("OpStore %result %71", "vec4 = scene.lights[3].color"),
        (
            "OpControlBarrier",
            "Workgroup, Workgroup, AcquireRelease|WorkgroupMemory",
        ),
    ];
    for (start, expected) in expected {
        assert_eq!(
            comment(&annotated, start),
            expected,
            "{start} in\n{annotated}"
        );
    }
}

#[test]
fn other_comments_come_first() {
    let module = "OpDecorate %2 Location 1\n%1 = OpTypeInt 32 0\n%2 = OpVariable %1 Private\n";
    let options = raw().header(false).offsets(true).comments(true);
    let annotated = text(&numbered_words(module), &options);
    assert_eq!(comment(&annotated, "%2 ="), "0x00000034, Location 1, uint");
}

#[test]
fn comments_stand_in_the_usual_column() {
    let module = numbered_words("%1 = OpTypeFloat 32\n%2 = OpTypeVector %1 4\n");
    let columns = "          %1 = OpTypeFloat 32                       ; float
          %2 = OpTypeVector %1 4                    ; vec4
";
    assert_eq!(text(&module, &raw().header(false)), columns);
    let flush = "%1 = OpTypeFloat 32                                 ; float
%2 = OpTypeVector %1 4                              ; vec4
";
    let options = raw().header(false).indentation(Indentation::None);
    assert_eq!(text(&module, &options), flush);
    let colored = text(&module, &raw().header(false).color(true));
    assert!(colored.contains("; \x1b[90mvec4\x1b[0m\n"), "{colored:?}");
}

#[test]
fn without_the_option_nothing_is_said() {
    let plain = text(
        &numbered_words(LIGHTS),
        &raw().annotate(false).header(false),
    );
    assert!(!plain.contains("; "), "{plain}");
}

/// The longest comment, in characters.
fn longest(text: &str) -> usize {
    let comments = text.lines().filter_map(|line| line.split_once("; "));
    let lengths = comments.map(|(_, comment)| comment.chars().count());
    lengths.max().unwrap_or(0)
}

#[test]
fn names_stay_on_their_lines_and_are_cut() {
    let long = "x".repeat(100_000);
    let module = numbered_words(&format!(
        "OpName %2 \"a\nOpNop\r\u{1b}[2J\u{2028}\u{202e}b\"
OpName %3 \"{long}\"
OpMemberName %2 0 \"c\nd\"
%1 = OpTypeInt 32 0
%2 = OpTypeStruct %1
%3 = OpTypeStruct %2
%4 = OpTypePointer Private %3
"
    ));
    let annotated = text(&module, &raw());
    let mark = char::REPLACEMENT_CHARACTER;
    let structure = format!("a{mark}OpNop{mark}{mark}[2J{mark}{mark}b {{ uint c{mark}d }}");
    assert_eq!(comment(&annotated, "%2 ="), structure);
    let pointer = format!("ptr<Private, {}…>", "x".repeat(40));
    assert_eq!(comment(&annotated, "%4 ="), pointer);
    assert!(numbered_words(&annotated) == module);
}

#[test]
fn a_comment_has_a_limited_length() {
    let many = |operand: &str| operand.repeat(60_000);
    let module = format!(
        "%1 = OpTypeInt 32 0\n%2 = OpTypeStruct{}\n%3 = OpTypeFunction %1{}
%4 = OpConstant %1 0\n%5 = OpConstantComposite %2{}\n",
        many(" %1"),
        many(" %1"),
        many(" %4"),
    );
    let annotated = text(&numbered_words(&module), &raw());
    assert_eq!(longest(&annotated), 120);
    let structure = comment(&annotated, "%2 =");
    assert!(
        structure.starts_with("struct %2 { uint, uint, "),
        "{structure}"
    );
    assert!(structure.ends_with('…'), "{structure}");
}

#[test]
fn deep_types_take_no_more_than_their_share() {
    // Arrays of pointers to structures of three of those before, whose text
    // written out would be of exponential size.
    let mut module = "%1 = OpTypeInt 32 0\n%2 = OpConstant %1 2\n%3 = OpTypeFloat 32\n".to_owned();
    let count = 100_000;
    for id in 4..count {
        let before = id - 1;
        let _ = match id % 3 {
            0 => writeln!(module, "%{id} = OpTypeArray %{before} %2"),
            1 => writeln!(module, "%{id} = OpTypePointer Private %{before}"),
            _ if id % 2 == 0 => writeln!(module, "%{id} = OpTypeFunction %{before} %{before}"),
            _ => writeln!(module, "%{id} = OpTypeStruct %{before} %{before} %{before}"),
        };
    }
    let module = numbered_words(&module);
    for friendly in [false, true] {
        let annotated = text(&module, &raw().friendly_names(friendly));
        assert!(annotated.len() < count * 600, "{}", annotated.len());
        assert!(longest(&annotated) <= 120);
        assert!(friendly || numbered_words(&annotated) == module);
    }
}

#[test]
fn deep_arrays_take_no_more_than_their_share() {
    let mut module = "%1 = OpTypeInt 32 0\n%2 = OpConstant %1 2\n%3 = OpTypeFloat 32\n".to_owned();
    for id in 4..100_000 {
        let _ = writeln!(module, "%{id} = OpTypeArray %{} %2", id - 1);
    }
    let annotated = text(&numbered_words(&module), &raw());
    assert_eq!(comment(&annotated, "%6 ="), "float[2][2][2]");
    assert!(longest(&annotated) <= 120);
}

#[test]
fn cycles_and_dangling_ids_do_no_harm() {
    check(
        "OpName %1 \"Loop\"
OpName %90 \"\"
%1 = OpTypeStruct %1 %2
%2 = OpTypePointer Uniform %2
%3 = OpTypeArray %3 %3
%4 = OpTypeVector %4 4
%5 = OpTypeMatrix %5 4
%6 = OpTypeSampledImage %6
%7 = OpConstantComposite %7 %7 %7
%8 = OpAccessChain %2 %8 %8
%9 = OpLoad %9 %9
%10 = OpTypeFunction %99 %98
%11 = OpCompositeExtract %99 %98 4294967295
OpStore %97 %96
OpMemberDecorate %1 4294967295 Offset 0
",
        &[
            ("%1 =", "Loop { Loop, ptr<Uniform, %2> }"),
            ("%2 =", "ptr<Uniform, %2>"),
            ("%3 =", "%3[%3]"),
            ("%7 =", "%7(%7, %7)"),
            ("%8 =", "%8[%8]: ptr<Uniform, %2>"),
            ("%10 =", "%99(%98)"),
            ("%11 =", "%98[4294967295]"),
            ("OpStore", ""),
        ],
    );
}

#[test]
fn lenient_text_assembles_to_the_same_words() {
    let mut module = numbered_words(LIGHTS);
    // An unknown opcode, a redefinition, instructions without their operands,
    // and a tail.
    module.extend([3 << 16 | 0xfff0, 1, 2, 2 << 16 | 19, 4, 1 << 16 | 61]);
    module.extend([2 << 16 | 62, 1, 1 << 16 | 5, 2 << 16 | 71, 30, 9 << 16, 0]);
    assert!(disassemble(&module, &raw()).is_err());
    let lenient = text(&module, &raw().lenient(true));
    assert!(numbered_words(&lenient) == module, "{lenient}");
}

#[test]
fn ids_are_called_as_in_the_text() {
    let module = "OpName %3 \"one\"
%1 = OpTypeFloat 32
%2 = OpTypeVector %1 2
%3 = OpConstant %1 1
%4 = OpTypeStruct %1
%5 = OpTypePointer Private %4
%6 = OpCompositeConstruct %2 %3 %3
";
    let annotated = text(&numbered_words(module), &raw().friendly_names(true));
    assert_eq!(comment(&annotated, "%6 ="), "vec2, %one = 1.0");
    assert_eq!(
        comment(&annotated, "%_ptr_Private__struct_4 ="),
        "ptr<Private, struct %_struct_4>"
    );
}
