//! `spv layout`.

use crate::common::Dir;

/// `struct Light { vec3 direction; float range; }`, in `Scene { float time; Light
/// lights[]; }` by std430, but for the 16 bytes that the lights come late.
const SCENE: &str = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpName %scene \"Scene\"
OpName %light \"Light\"
OpName %variable \"world\"
OpMemberName %scene 0 \"time\"
OpMemberName %scene 1 \"lights\"
OpMemberName %light 0 \"direction\"
OpMemberName %light 1 \"ra\x1bnge\"
OpDecorate %scene Block
OpDecorate %lights ArrayStride 16
OpMemberDecorate %scene 0 Offset 0
OpMemberDecorate %scene 1 Offset 32
OpMemberDecorate %light 0 Offset 0
OpMemberDecorate %light 1 Offset 12
%float = OpTypeFloat 32
%vec3 = OpTypeVector %float 3
%light = OpTypeStruct %vec3 %float
%lights = OpTypeRuntimeArray %light
%scene = OpTypeStruct %float %lights
%pointer = OpTypePointer StorageBuffer %scene
%variable = OpVariable %pointer StorageBuffer
";

#[test]
fn layouts_stand_side_by_side() {
    let dir = Dir::new();
    dir.write("a.spvasm", SCENE);
    let ran = dir.spv(&["layout", "a.spvasm", "Scene"]);
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    let text = ran.text();
    let line = |start: &str| {
        let mut lines = text
            .lines()
            .filter(|line| line.trim_start().starts_with(start));
        let line = lines.next().unwrap_or_else(|| panic!("{start}: {text}"));
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(line("member ").contains("offset size align stride"));
    assert_eq!(
        line("lights"),
        "lights Light[] │ 32 run time 16 │ !16 run time 16 16 │ !16 run time 16 16 │ !4 run time 4 16"
    );
    assert_eq!(
        line("direction"),
        "direction vec3 │ 32 12 │ 16 12 16 │ 16 12 16 │ 4 12 4"
    );
    assert_eq!(line("(unused)"), "(unused) │ 4 28 │ 4 12 │ 4 12 │");
    assert!(!text.contains('\x1b'), "{text:?}");
    let colored = dir.spv(&["layout", "--color", "always", "a.spvasm"]);
    assert!(colored.text().contains("\x1b[31m!16\x1b[0m"));
}

#[test]
fn structures_are_found_by_what_leads_to_them() {
    let dir = Dir::new();
    dir.write("a.spvasm", SCENE);
    let of = |name: &str| dir.spv(&["layout", "a.spvasm", name]).text().to_owned();
    let scene = of("Scene");
    assert_eq!(of("world"), scene);
    assert_eq!(dir.spv(&["layout", "a.spvasm"]).text(), scene);
    assert!(of("Light").starts_with("Light  %"));
    dir.spv(&["layout", "a.spvasm", "scen"])
        .fails(2, "did you mean `Scene`?");
    dir.spv(&["layout", "a.spvasm", "Nothing like it"])
        .fails(2, "there are ");
    dir.spv(&["layout", "a.spvasm", "%999"]).fails(2, "%999");
    dir.spv(&["layout", "missing.spv"]).fails(1, "missing.spv");
}

#[test]
fn json_says_the_same() {
    let dir = Dir::new();
    dir.write("a.spvasm", SCENE);
    let ran = dir.spv(&["layout", "--format", "json", "a.spvasm"]);
    let value: serde_json::Value = serde_json::from_str(ran.text()).unwrap();
    assert_eq!(value["version"], 1);
    let scene = &value["structures"][0];
    assert_eq!(
        (&scene["name"], &scene["block"]),
        (&"Scene".into(), &true.into())
    );
    let lights = &scene["members"][1];
    assert_eq!(lights["type"]["text"], "Light[]");
    let declared = &lights["layouts"]["declared"];
    assert_eq!(
        (&declared["offset"], &declared["hole"]),
        (&32.into(), &28.into())
    );
    assert_eq!(declared["size"], "runtime");
    assert_eq!(declared["array_strides"], serde_json::json!([16]));
    assert_eq!(lights["layouts"]["std430"]["offset_differs"], true);
    assert_eq!(scene["members"][2]["layouts"]["scalar"]["start"], 4);
}
