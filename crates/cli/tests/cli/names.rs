//! Ids by name: what `spv dis` shows, every command takes and shows.

use std::collections::BTreeSet;

use crate::common::Dir;

/// Two functions with names as compilers write them, and a structure that both take.
const SHADER: &str = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %10 \"start\" %20
OpExecutionMode %10 LocalSize 1 1 1
OpName %10 \"main\"
OpName %11 \"shade(struct-Light;\"
OpName %12 \"shade(struct-Light;\"
OpName %13 \"param\"
OpName %14 \"param\"
OpName %30 \"Light\"
OpMemberName %30 0 \"power\"
OpMemberDecorate %30 0 Offset 0
OpDecorate %30 Block
OpDecorate %20 DescriptorSet 0
OpDecorate %20 Binding 0
OpDecorate %41 SpecId 3
%1 = OpTypeVoid
%2 = OpTypeFunction %1
%3 = OpTypeFloat 32
%30 = OpTypeStruct %3
%31 = OpTypePointer StorageBuffer %30
%32 = OpTypePointer Function %30
%4 = OpTypeFunction %1 %32
%40 = OpConstant %3 1
%41 = OpSpecConstant %3 2
%20 = OpVariable %31 StorageBuffer
%10 = OpFunction %1 None %2
%15 = OpLabel
%16 = OpFAdd %3 %40 %41
OpReturn
OpFunctionEnd
%11 = OpFunction %1 None %4
%13 = OpFunctionParameter %32
%17 = OpLabel
OpReturn
OpFunctionEnd
%12 = OpFunction %1 None %4
%14 = OpFunctionParameter %32
%18 = OpLabel
OpUnreachable
OpFunctionEnd
";

fn shader() -> Dir {
    let dir = Dir::new();
    dir.module("a.spv", SHADER);
    dir
}

/// All ids that a text has.
fn ids(text: &str) -> BTreeSet<&str> {
    let words = text.split([' ', '\n']);
    words.filter(|word| word.starts_with('%')).collect()
}

#[test]
fn what_dis_shows_is_taken() {
    let dir = shader();
    let text = dir.spv(&["dis", "a.spv"]);
    let shown = ids(text.text());
    assert!(shown.contains("%param_0") && shown.contains("%float_1") && shown.contains("%16"));
    for id in shown {
        let with_sign = dir.spv(&["debug", "lookup", "a.spv", id]);
        let defined = format!("  {id} = ");
        assert!(with_sign.text().contains(&defined), "{id}: {with_sign:?}");
        let without = dir.spv(&["debug", "lookup", "a.spv", &id[1..]]);
        assert_eq!(without.text(), with_sign.text(), "{id}");
    }
    // Numbers are taken, too, and shown where they are wanted.
    let raw = dir.spv(&["debug", "lookup", "--raw-id", "a.spv", "%40"]);
    assert!(raw.text().contains("%40 = OpConstant %3 1"));
    assert!(
        dir.spv(&["debug", "lookup", "a.spv", "%40"])
            .text()
            .contains("%float_1 =")
    );
}

#[test]
fn names_as_the_module_has_them_are_taken_if_they_are_one_ids() {
    let dir = shader();
    let ran = dir.spv(&["debug", "lookup", "a.spv", "shade(struct-Light;"]);
    ran.fails(1, "lookup.ambiguous");
    ran.fails(1, "may be %shade_struct_Light_ or %shade_struct_Light__0");
    // What `dis` shows is one id, but others may have the name in the source.
    let ran = dir.spv(&["debug", "lookup", "a.spv", "param"]);
    assert!(ran.text().contains("%param = "));
    assert!(
        ran.stderr
            .contains("warning[lookup.ambiguous]: `param` is also the name of %param_0")
    );
    let ran = dir.spv(&["debug", "lookup", "a.spv", "%param"]);
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    // Functions are drawn all.
    let drawn = |name: &str| {
        let text = dir.spv(&["cfg", "--function", name, "a.spv"]);
        text.text().matches("digraph").count()
    };
    assert_eq!(drawn("shade(struct-Light;"), 2);
    assert_eq!(drawn("%shade_struct_Light_"), 1);
    assert_eq!(drawn("shade_struct_Light__0"), 1);
    assert_eq!((drawn("12"), drawn("start")), (1, 1));
}

#[test]
fn what_is_not_there_is_reported_with_what_may_be_meant() {
    let dir = shader();
    let lookup = |id: &str| dir.spv(&["debug", "lookup", "a.spv", id]);
    lookup("%parm_0").fails(1, "did you mean %param_0");
    lookup("%99").fails(1, "lookup.not-found");
    let cfg = |name: &str| dir.spv(&["cfg", "--function", name, "a.spv"]);
    cfg("%mian").fails(1, "did you mean %main?");
    cfg("%float_1").fails(1, "%float_1 is not a function");
    let layout = |name: &str| dir.spv(&["layout", "a.spv", name]);
    layout("%Ligt").fails(1, "did you mean %Light?");
    layout("%main").fails(1, "%main is not a structure");
}

#[test]
fn structures_are_laid_out_by_all_their_names() {
    let dir = shader();
    let layout = |name: &str| dir.spv(&["layout", "a.spv", name]).text().to_owned();
    for name in [
        "%Light",
        "Light",
        "%30",
        "30",
        "%_ptr_Function_Light",
        "%param_0",
        "%20",
    ] {
        assert_eq!(layout(name), layout("%31"), "{name}");
    }
    assert!(layout("%30").starts_with("%Light  block\n"));
    let raw = dir.spv(&["layout", "--raw-id", "a.spv"]);
    assert!(raw.text().starts_with("Light  %30  block\n"));
}

#[test]
fn entry_points_and_constants_go_by_their_ids_too() {
    let dir = shader();
    let split = |name: &str| {
        let ran = dir.spv(&["split", "--entry-point", name, "a.spv"]);
        ran.bytes().to_vec()
    };
    for name in ["main", "%main", "%10"] {
        assert_eq!(split(name), split("start"), "{name}");
    }
    dir.spv(&["split", "--entry-point", "%param", "a.spv"])
        .fails(1, "start");
    let special = |constant: &str| {
        let set = format!("{constant}=7");
        let ran = dir.spv(&["specialize", "--set", &set, "a.spv"]);
        ran.bytes().to_vec()
    };
    assert_eq!(special("%41"), special("3"));
    // A number without the sign is a SpecId.
    dir.spv(&["specialize", "--set", "41=7", "a.spv"])
        .fails(1, "41");
}

#[test]
fn names_are_shown_unless_numbers_are_wanted() {
    let dir = shader();
    dir.module("b.spv", &SHADER.replace("OpFAdd", "OpFSub"));
    let commands: [(&[&str], &str, &str); 4] = [
        (&["info", "a.spv"], "%main", "%10"),
        (&["cfg", "a.spv"], "%float_1", "%40"),
        (
            &["diff", "a.spv", "b.spv"],
            "OpFAdd %float %float_1",
            "OpFAdd %3 %40",
        ),
        (
            &["diff", "--format", "json", "a.spv", "b.spv"],
            "%float_1",
            "%40",
        ),
    ];
    for (command, name, number) in commands {
        let named = dir.spv(command);
        assert!(named.text().contains(name), "{command:?}: {}", named.text());
        assert!(
            !named.text().contains(number),
            "{command:?}: {}",
            named.text()
        );
        let raw = dir.spv(&[&command[..1], &["--raw-id"], &command[1..]].concat());
        assert!(raw.text().contains(number), "{command:?}: {}", raw.text());
        assert!(!raw.text().contains(name), "{command:?}: {}", raw.text());
    }
}

#[test]
fn a_diff_has_no_name_for_two_things() {
    let dir = Dir::new();
    // In the second, the name is another constant's; both are shown.
    let text = |value: &str, ty: &str| {
        format!(
            "OpCapability Shader\nOpCapability Float64\nOpMemoryModel Logical GLSL450\n\
             OpName %9 \"it\"\n%1 = OpTypeFloat {ty}\n%9 = OpConstant %1 {value}\n"
        )
    };
    dir.module("a.spv", &text("1", "32"));
    dir.module("b.spv", &text("2", "64"));
    let ran = dir.spv(&["diff", "--ignore-names", "a.spv", "b.spv"]);
    assert!(
        ran.text().contains("-         %it = OpConstant %float 1\n"),
        "{}",
        ran.text()
    );
    assert!(
        ran.text().contains("= OpConstant %double 2\n"),
        "{}",
        ran.text()
    );
}

#[test]
fn ids_of_assembly_text_have_its_names_and_places() {
    let dir = Dir::new();
    let text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n%f32 = OpTypeFloat 32\n\
                %half_pi = OpConstant %f32 1.5\n%pair = OpConstantComposite %f32 %half_pi\n";
    dir.write("a.spvasm", text);
    let lookup = |place: &str| dir.spv(&["debug", "lookup", "a.spvasm", place]);
    // The text's own name, and what `dis` would make of it.
    for id in ["%half_pi", "half_pi", "%float_1_5"] {
        let ran = lookup(id);
        assert!(
            ran.text().contains("  %half_pi = OpConstant %f32 1.5\n"),
            "{ran:?}"
        );
    }
    // A place in the text, as errors show it.
    let checked = dir.spv(&["val", "a.spvasm"]);
    let place = checked
        .stderr
        .lines()
        .find_map(|line| line.trim().strip_prefix("--> a.spvasm:5"));
    let place = format!("a.spvasm:5{}", place.expect(&checked.stderr));
    assert!(
        lookup(&place)
            .text()
            .contains("%pair = OpConstantComposite"),
        "{place}"
    );
    assert!(lookup("a.spvasm:4").text().contains("%half_pi = "));
    lookup("a.spvasm:99").fails(1, "lookup.not-found");
}
