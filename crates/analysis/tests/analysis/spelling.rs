//! How types and values are spelled for people.

use spirvkit_analysis::ModuleIndex;
use spirvkit_analysis::index::spelling::{MAX_PARTS, Speller};
use spirvkit_binary::Id;
use spirvkit_testing::numbered_words;

/// Checks what ids of a module are spelled as.
#[track_caller]
fn check(text: &str, spellings: &[(u32, &str)]) {
    let words = numbered_words(text);
    let index = ModuleIndex::new(&words).unwrap();
    let speller = Speller::new(&index, &Id::to_string);
    for &(id, spelling) in spellings {
        assert_eq!(speller.spell(Id(id)), spelling, "%{id}");
    }
}

#[test]
fn types_are_spelled_as_in_glsl() {
    check(
        "%1 = OpTypeVoid
%2 = OpTypeFloat 32
%3 = OpTypeInt 32 0
%4 = OpTypeVector %2 3
%5 = OpTypeMatrix %4 2
%6 = OpConstant %3 8
%7 = OpSpecConstant %3 4
%8 = OpTypeArray %4 %6
%9 = OpTypeArray %8 %7
%10 = OpTypeRuntimeArray %9
%11 = OpTypeStruct %10
%12 = OpTypePointer StorageBuffer %11
%13 = OpTypeFunction %1 %12 %3
%14 = OpTypeImage %3 2D 0 1 0 2 R32ui
%15 = OpTypeImage %2 Cube 1 0 0 1 Unknown
%16 = OpTypeSampledImage %15
%17 = OpTypePipe ReadOnly
%18 = OpTypeEvent
",
        &[
            (5, "mat2x3"),
            (10, "vec3[][spec 4][8]"),
            (12, "ptr<StorageBuffer, struct %11>"),
            (13, "void(ptr<StorageBuffer, struct %11>, uint)"),
            (14, "uimage2DArray<r32ui>"),
            (16, "samplerCubeShadow"),
            (17, "pipe<ReadOnly>"),
            (18, "event"),
            (99, "%99"),
        ],
    );
}

#[test]
fn constants_are_spelled_by_value() {
    check(
        "%1 = OpTypeFloat 32
%2 = OpTypeInt 16 1
%3 = OpTypeInt 64 0
%4 = OpTypeVector %1 2
%5 = OpTypeStruct %2 %4
%6 = OpConstant %1 0.1
%7 = OpConstant %2 -7
%8 = OpConstant %3 0xffffffffffffffff
%9 = OpConstantComposite %4 %6 %6
%10 = OpConstantComposite %5 %7 %9
%11 = OpSpecConstant %2 3
%12 = OpSpecConstantOp %2 IAdd %11 %7
%13 = OpUndef %1
%14 = OpConstantComposite %4 %6 %13
%15 = OpConstantNull %4
",
        &[
            (7, "-7"),
            (8, "18446744073709551615u"),
            (9, "vec2(0.1)"),
            (10, "struct %5(-7, vec2(0.1))"),
            (12, "spec(IAdd, spec 3, -7)"),
            (14, "vec2(0.1, %13)"),
            (15, "null"),
        ],
    );
}

#[test]
fn narrow_floats_have_their_values() {
    check(
        "%1 = OpTypeFloat 16
%2 = OpTypeFloat 16 BFloat16KHR
%3 = OpTypeFloat 8 Float8E4M3EXT
%4 = OpTypeFloat 8 Float8E5M2EXT
%5 = OpTypeFloat 64
%11 = OpConstant %1 1
%12 = OpConstant %1 0x1p-24
%13 = OpConstant %1 -65504
%14 = OpConstant %1 -0x1p+16
%15 = OpConstant %1 0x1.8p+16
%21 = OpConstant %2 3.140625
%31 = OpConstant %3 448
%32 = OpConstant %3 0x1p-9
%41 = OpConstant %4 57344
%42 = OpConstant %4 0x1p+16
%51 = OpConstant %5 0.1
",
        &[
            (11, "1.0"),
            (12, "5.9604645e-8"),
            (13, "-65504.0"),
            (14, "-inf"),
            (15, "NaN"),
            (21, "3.140625"),
            (31, "448.0"),
            (32, "0.001953125"),
            (41, "57344.0"),
            (42, "inf"),
            (51, "0.1"),
        ],
    );
}

#[test]
fn what_contains_itself_is_called_by_its_name() {
    check(
        "OpTypeForwardPointer %1 Uniform
%1 = OpTypePointer Uniform %1
%2 = OpTypeArray %2 %2
%3 = OpConstantComposite %3 %3 %3
%4 = OpTypeFunction %4 %4
",
        &[
            (1, "ptr<Uniform, %1>"),
            (2, "%2[%2]"),
            (3, "%3(%3, %3)"),
            (4, "%4(%4)"),
        ],
    );
}

/// However types share and contain each other, spellings stay short.
#[test]
fn spellings_are_bounded() {
    let mut text = "%1 = OpTypeVoid\n%2 = OpTypeInt 32 0\n%3 = OpConstant %2 9\n".to_owned();
    for id in 4..400 {
        let last = id - 1;
        text += &match id % 3 {
            0 => format!("%{id} = OpTypeFunction %{last} %{last} %{last} %{last}\n"),
            1 => format!("%{id} = OpTypeArray %{last} %3\n"),
            _ => format!("%{id} = OpTypePointer Uniform %{last}\n"),
        };
    }
    let parameters = " %2".repeat(10_000);
    text += &format!("%400 = OpTypeFunction %1{parameters}\n");
    let words = numbered_words(&text);
    let index = ModuleIndex::new(&words).unwrap();
    let speller = Speller::new(&index, &Id::to_string);
    for id in 0..=400 {
        let length = speller.spell(Id(id)).len();
        assert!(length < MAX_PARTS * 64, "%{id} takes {length}");
    }
    assert!(speller.spell(Id(400)).ends_with("uint, …)"));
}
