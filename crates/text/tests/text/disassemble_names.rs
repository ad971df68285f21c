//! The names that ids get.

use crate::common;

use common::{binary, body, friendly, instruction, string, text};
use spirvkit_grammar::Op;
use spirvkit_testing::words;

/// The last line of a text's disassembly.
fn last_line(source: &str) -> String {
    let text = text(&words(source), &friendly());
    text.lines().last().unwrap().to_owned()
}

/// The name of the result of a text's last instruction.
fn name(source: &str) -> String {
    last_line(source).split(" = ").next().unwrap().to_owned()
}

/// The name that an id with this OpName gets.
fn sanitized(text: &str) -> String {
    let words = binary(&[
        instruction(Op::Name, &[&[7], &string(text)[..]].concat()),
        instruction(Op::TypeStruct, &[7]),
    ]);
    let text = common::text(&words, &friendly());
    text.lines()
        .last()
        .unwrap()
        .split(" = ")
        .next()
        .unwrap()
        .to_owned()
}

#[test]
fn types_are_named_after_what_they_are() {
    for (source, expected) in [
        ("%9 = OpTypeVoid", "%void"),
        ("%9 = OpTypeBool", "%bool"),
        ("%9 = OpTypeInt 8 1", "%char"),
        ("%9 = OpTypeInt 8 0", "%uchar"),
        ("%9 = OpTypeInt 16 1", "%short"),
        ("%9 = OpTypeInt 16 0", "%ushort"),
        ("%9 = OpTypeInt 32 1", "%int"),
        ("%9 = OpTypeInt 32 0", "%uint"),
        ("%9 = OpTypeInt 64 1", "%long"),
        ("%9 = OpTypeInt 64 0", "%ulong"),
        ("%9 = OpTypeInt 17 1", "%i17"),
        ("%9 = OpTypeInt 128 0", "%u128"),
        ("%9 = OpTypeFloat 16", "%half"),
        ("%9 = OpTypeFloat 32", "%float"),
        ("%9 = OpTypeFloat 64", "%double"),
        ("%9 = OpTypeFloat 48", "%fp48"),
        ("%9 = OpTypeFloat 16 BFloat16KHR", "%bfloat16"),
        ("%9 = OpTypeFloat 8 Float8E4M3EXT", "%fp8e4m3"),
        ("%9 = OpTypeFloat 8 Float8E5M2EXT", "%fp8e5m2"),
        ("%1 = OpTypeFloat 32 %9 = OpTypeVector %1 4", "%v4float"),
        (
            "%1 = OpTypeFloat 32 %2 = OpTypeVector %1 4 %9 = OpTypeMatrix %2 3",
            "%mat3v4float",
        ),
        (
            "%1 = OpTypeInt 32 0 %2 = OpConstant %1 5 %9 = OpTypeArray %1 %2",
            "%_arr_uint_uint_5",
        ),
        (
            "%1 = OpTypeInt 32 1 %9 = OpTypeRuntimeArray %1",
            "%_runtimearr_int",
        ),
        (
            "%1 = OpTypeInt 32 1 %9 = OpTypePointer Function %1",
            "%_ptr_Function_int",
        ),
        (
            "%1 = OpTypeInt 32 1 %9 = OpTypePointer PhysicalStorageBuffer %1",
            "%_ptr_PhysicalStorageBuffer_int",
        ),
        ("%9 = OpTypePointer Function %33", "%_ptr_Function_33"),
        ("%9 = OpTypeStruct %1", "%_struct_9"),
        ("%9 = OpTypeOpaque \"a b\"", "%Opaque_a_b"),
        ("%9 = OpTypeEvent", "%Event"),
        ("%9 = OpTypeDeviceEvent", "%DeviceEvent"),
        ("%9 = OpTypeReserveId", "%ReserveId"),
        ("%9 = OpTypeQueue", "%Queue"),
        ("%9 = OpTypePipe WriteOnly", "%PipeWriteOnly"),
        ("%9 = OpTypePipeStorage", "%PipeStorage"),
        ("%9 = OpTypeNamedBarrier", "%NamedBarrier"),
        // The grammar gives it no class of its own.
        (
            "%8 = OpTypeStruct %1 %9 = OpTypeNodePayloadArrayAMDX %8",
            "%_payloadarr__struct_8",
        ),
        // These have only their numbers.
        ("%9 = OpTypeFunction %1", "%9"),
        ("%9 = OpTypeSampler", "%9"),
        ("%9 = OpLabel", "%9"),
    ] {
        assert_eq!(name(source), expected, "{source}");
    }
}

#[test]
fn constants_are_named_after_type_and_value() {
    for (ty, literal, expected) in [
        ("OpTypeInt 32 1", "0", "%int_0"),
        ("OpTypeInt 32 1", "-7", "%int_n7"),
        ("OpTypeInt 32 0", "4294967295", "%uint_4294967295"),
        ("OpTypeInt 8 1", "-128", "%char_n128"),
        (
            "OpTypeInt 64 1",
            "-9223372036854775808",
            "%long_n9223372036854775808",
        ),
        ("OpTypeFloat 32", "1", "%float_1"),
        ("OpTypeFloat 32", "-0.5", "%float_n0_5"),
        ("OpTypeFloat 32", "1e20", "%float_1_00000002e_20"),
        ("OpTypeFloat 32", "1e-20", "%float_9_99999968en21"),
        ("OpTypeFloat 32", "0x1p+128", "%float_0x1p_128"),
        ("OpTypeFloat 32", "-0x1p-140", "%float_n0x1pn140"),
        ("OpTypeFloat 16", "1.5", "%half_0x1_8p_0"),
        ("OpTypeFloat 64", "0.25", "%double_0_25"),
    ] {
        assert_eq!(
            name(&format!("%1 = {ty} %9 = OpConstant %1 {literal}")),
            expected
        );
    }
    assert_eq!(name("%1 = OpTypeBool %9 = OpConstantTrue %1"), "%true");
    assert_eq!(name("%1 = OpTypeBool %9 = OpConstantFalse %1"), "%false");
    // Not those that may change.
    assert_eq!(name("%1 = OpTypeInt 32 1 %9 = OpSpecConstant %1 5"), "%9");
    assert_eq!(name("%1 = OpTypeInt 32 1 %9 = OpConstantNull %1"), "%9");
}

#[test]
fn variables_are_named_after_their_built_ins() {
    for (built_in, expected) in [
        ("Position", "%gl_Position"),
        ("VertexId", "%gl_VertexID"),
        ("NumWorkgroups", "%gl_NumWorkGroups"),
        ("GlobalInvocationId", "%gl_GlobalInvocationID"),
        ("SubgroupEqMask", "%SubgroupEqMaskKHR"),
        ("GlobalLinearId", "%GlobalLinearId"),
        ("DrawIndex", "%9"),
    ] {
        let source = format!("OpDecorate %9 BuiltIn {built_in} %9 = OpVariable %1 Input");
        assert_eq!(name(&source), expected);
    }
    // A name of its own that came before is kept; one that comes later isn't taken.
    assert_eq!(
        name("OpName %9 \"pos\" OpDecorate %9 BuiltIn Position %9 = OpVariable %1 Input"),
        "%pos"
    );
    assert_eq!(
        name("OpDecorate %9 BuiltIn Position OpName %9 \"pos\" %9 = OpVariable %1 Input"),
        "%gl_Position"
    );
}

#[test]
fn names_become_letters_digits_and_underscores() {
    for (given, expected) in [
        ("main", "%main"),
        ("a b-c.d", "%a_b_c_d"),
        ("foo(vf4;", "%foo_vf4_"),
        ("_x", "%_x"),
        ("3d", "%3d"),
        ("", "%_"),
        (" ", "%_"),
        // Each byte of a character that is not ASCII.
        ("é", "%__"),
        ("€", "%___"),
        ("\n", "%_"),
    ] {
        assert_eq!(sanitized(given), expected, "{given:?}");
    }
}

#[test]
fn names_that_are_in_use_get_a_suffix() {
    let source = "OpName %1 \"x\" OpName %2 \"x\" OpName %3 \"x_0\" OpName %4 \"x\" OpName %5 \"x y\" OpName %6 \"x.y\"
        %1 = OpTypeStruct %2 = OpTypeStruct %3 = OpTypeStruct %4 = OpTypeStruct %5 = OpTypeStruct %6 = OpTypeStruct";
    let text = text(&words(source), &friendly());
    let names: Vec<&str> = text
        .lines()
        .filter_map(|line| line.split_once(" = "))
        .map(|(name, _)| name)
        .collect();
    assert_eq!(names, ["%x", "%x_0", "%x_0_0", "%x_1", "%x_y", "%x_y_0"]);
}

#[test]
fn names_that_look_like_numbers_do_not_clash_with_ids() {
    let source = "OpName %1 \"5\" %1 = OpTypeStruct %5 = OpLabel %6 = OpLabel";
    let text = text(&words(source), &friendly());
    assert_eq!(
        text,
        "OpName %5 \"5\"\n%5 = OpTypeStruct\n%5_0 = OpLabel\n%6 = OpLabel\n"
    );
}

#[test]
fn what_names_ids_does_so_among_functions_too() {
    let start = "%1 = OpTypeVoid %2 = OpTypeFunction %1 %3 = OpTypeInt 32 0
        %4 = OpFunction %1 None %2 %5 = OpLabel %6 = OpUndef %3";
    for (naming, expected) in [
        ("", "%6 = OpUndef %uint"),
        ("%7 = OpConstant %3 8", "%uint_8 = OpConstant %uint 8"),
        ("%7 = OpTypeFloat 32", "%float = OpTypeFloat 32"),
        // The first comes after the definition, and so too late.
        ("OpName %6 \"x\" OpName %9 \"y\"", "OpName %y \"y\""),
        ("OpName %6 \"x\"", "OpName %6 \"x\""),
        (
            "OpDecorate %9 BuiltIn Position",
            "OpDecorate %gl_Position BuiltIn Position",
        ),
        // Another id is 6 already.
        ("OpName %9 \"6\"", "OpName %6_0 \"6\""),
    ] {
        assert_eq!(last_line(&format!("{start} {naming}")), expected);
    }
    let taken = format!("OpName %9 \"6\" {start}");
    assert_eq!(last_line(&taken), "%6_0 = OpUndef %uint");
}

#[test]
fn long_names_and_pairs_of_ids_stand_in_lines_of_any_length() {
    let long = "n".repeat(63);
    for pairs in [1, 2, 40] {
        let operands = " %2 %3".repeat(pairs);
        let source = format!("OpName %2 \"{long}\" OpName %1 \"t\" %4 = OpPhi %1{operands}");
        let expected = format!("%4 = OpPhi %t{}", format!(" %{long} %3").repeat(pairs));
        assert_eq!(last_line(&source), expected);
    }
}

#[test]
fn clashing_types_and_constants_are_distinguished() {
    let source = "OpName %9 \"float\" %1 = OpTypeFloat 32 %2 = OpTypeVector %1 2 %9 = OpTypeVoid";
    let text = text(&words(source), &friendly());
    assert_eq!(
        text,
        "OpName %float \"float\"\n%float_0 = OpTypeFloat 32\n%v2float_0 = OpTypeVector %float_0 2\n%float = OpTypeVoid\n"
    );
}

#[test]
fn too_long_a_name_is_not_taken() {
    let longest = "n".repeat(1024);
    assert_eq!(sanitized(&longest), format!("%{longest}"));
    assert_eq!(sanitized(&"n".repeat(1025)), "%7");
}

#[test]
fn names_made_of_names_do_not_grow_without_limit() {
    // Each pointer's name would hold that of the one before.
    let mut source = "%1 = OpTypeInt 32 0\n".to_owned();
    for id in 2..2000 {
        source += &format!("%{id} = OpTypePointer Function %{}\n", id - 1);
    }
    let text = text(&words(&source), &friendly());
    assert!(text.lines().all(|line| line.len() < 3000));
    let back = body(&text);
    assert_eq!(back.len(), 4 + 1998 * 4);
}

#[test]
fn friendly_text_assembles_again() {
    let source = "OpName %1 \"a b\" OpName %2 \"a.b\" OpName %3 \"4\" OpName %5 \"\"
        %1 = OpTypeVoid %2 = OpTypeInt 32 1 %3 = OpTypeFloat 32 %4 = OpConstant %2 -1 %5 = OpConstant %3 -1.5
        %6 = OpTypeStruct %2 %3 %7 = OpTypePointer Function %6 %8 = OpUndef %7";
    let first = text(&words(source), &friendly());
    // Numbers may differ; the names that come of them don't.
    assert_eq!(text(&words(&first), &friendly()), first);
}
