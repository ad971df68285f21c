//! `spv layout`.

use crate::common::{Dir, Ran, run};

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

/// Runs the program on a wide terminal.
fn wide(dir: &Dir, arguments: &[&str]) -> Ran {
    let mut command = dir.command(env!("CARGO_BIN_EXE_spv"));
    run(command.args(arguments).env("COLUMNS", "160"), b"")
}

#[test]
fn layouts_stand_side_by_side() {
    let dir = Dir::new();
    dir.write("a.spvasm", SCENE);
    let ran = wide(&dir, &["layout", "a.spvasm", "Scene"]);
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
        "lights Light[] │ 32 runtime 16 │ !16 runtime 16 16 │ !16 runtime 16 16 │ !4 runtime 4 16"
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
    assert!(of("Light").starts_with("Light  %light  structure\n"));
    dir.spv(&["layout", "a.spvasm", "scen"])
        .fails(1, "did you mean %scene?");
    dir.spv(&["layout", "a.spvasm", "Nothing like it"])
        .fails(1, "there are ");
    dir.spv(&["layout", "a.spvasm", "%999"]).fails(1, "%999");
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

/// How wide the widest line is.
fn width(text: &str) -> usize {
    let widths = text.lines().map(|line| line.chars().count());
    widths.max().unwrap_or(0)
}

#[test]
fn rules_are_chosen() {
    let dir = Dir::new();
    dir.write("a.spvasm", SCENE);
    let ran = wide(&dir, &["layout", "--rules", "scalar,std430", "a.spvasm"]);
    let heading = ran.text().lines().nth(1).unwrap();
    let rules: Vec<&str> = heading.split('│').skip(1).map(str::trim).collect();
    assert_eq!(rules, ["scalar", "std430"]);
    dir.spv(&["layout", "--rules", "std999", "a.spvasm"])
        .fails(2, "std999");
}

#[test]
fn tables_fit_the_terminal_and_are_no_wider_than_needed() {
    let dir = Dir::new();
    let long = SCENE.replace("\"lights\"", "\"all_lights_of_the_whole_wide_world\"");
    dir.write("a.spvasm", SCENE);
    dir.write("long.spvasm", long);
    let at = |columns: &str, file: &str| {
        let mut command = dir.command(env!("CARGO_BIN_EXE_spv"));
        command.args(["layout", file]).env("COLUMNS", columns);
        run(&mut command, b"").text().to_owned()
    };
    for file in ["a.spvasm", "long.spvasm"] {
        let usual = dir.spv(&["layout", file]).text().to_owned();
        assert!(width(&usual) <= 80, "{usual}");
        for columns in [60, 100, 200] {
            let text = at(&columns.to_string(), file);
            assert!(width(&text) <= columns, "{text}");
            for rules in ["declared", "std140", "std430", "scalar"] {
                assert!(text.contains(rules), "{text}");
            }
        }
    }
    assert!(at("60", "long.spvasm").contains("…"));
    assert!(!at("200", "long.spvasm").contains("…"));
    assert_eq!(at("200", "a.spvasm"), at("400", "a.spvasm"));
}

#[test]
fn built_ins_are_shown_if_they_are_asked_for() {
    let dir = Dir::new();
    let text = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpName %per_vertex \"gl_PerVertex\"
OpDecorate %per_vertex Block
OpMemberDecorate %per_vertex 0 BuiltIn Position
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%per_vertex = OpTypeStruct %vec4
";
    dir.write("a.spvasm", text);
    let shows = |arguments: &[&str]| {
        let all = [&["layout", "a.spvasm"], arguments].concat();
        dir.spv(&all).text().contains("gl_PerVertex")
    };
    assert!(!shows(&[]));
    assert!(shows(&["--built-ins"]));
    assert!(shows(&["gl_PerVertex"]));
}

#[test]
fn types_and_sizes_are_written_as_by_info() {
    let dir = Dir::new();
    let text = SCENE.replace(
        "%lights = OpTypeRuntimeArray %light",
        "%uint = OpTypeInt 32 0\n%count = OpSpecConstant %uint 4\n%lights = OpTypeArray %light %count",
    );
    dir.write("open.spvasm", SCENE);
    dir.write(
        "special.spvasm",
        text.replace(
            "OpDecorate %lights",
            "OpDecorate %count SpecId 1\nOpDecorate %lights",
        ),
    );
    let words = |text: &str, start: &str| -> Vec<String> {
        let line = text.lines().find(|line| line.contains(start));
        let line = line.unwrap_or_else(|| panic!("no {start} in {text}"));
        line.split_whitespace().map(str::to_owned).collect()
    };
    for (file, ty, size) in [
        ("open.spvasm", "Light[]", "runtime"),
        ("special.spvasm", "Light[spec 4]", "64*"),
    ] {
        let with_variable = |text: String| {
            text.replace("OpDecorate %scene Block", "OpDecorate %scene Block\nOpDecorate %variable DescriptorSet 0\nOpDecorate %variable Binding 0")
        };
        let module = with_variable(dir.read_text(file));
        dir.write(file, module);
        let layout = dir.spv(&["layout", "--rules", "declared", file]);
        let info = dir.spv(&["info", file]);
        let (layout, info) = (
            words(layout.text(), "lights"),
            words(info.text(), " lights"),
        );
        assert!(
            layout.join(" ").contains(ty) && info.join(" ").contains(ty),
            "{layout:?} {info:?}"
        );
        assert!(layout.contains(&size.to_owned()), "{layout:?}");
        assert!(info.contains(&size.to_owned()), "{info:?}");
    }
}
