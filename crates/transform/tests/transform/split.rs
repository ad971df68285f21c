//! One entry point of several.

use crate::common::{check, count, load, show};
use spirvkit_grammar::ExecutionModel;
use spirvkit_transform::{SplitError, entry_points, find_entry_point, keep_entry_point};

/// Three entry points, two of which have the same name, and two share a function that
/// calls another.
const LIBRARY: &str = r#"OpCapability Shader
OpCapability Geometry
OpCapability Float64
OpCapability Linkage
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %compute "main"
OpEntryPoint Fragment %fragment "main" %color
OpEntryPoint Geometry %geometry "geometry"
OpExecutionMode %compute LocalSize 1 1 1
OpExecutionMode %fragment OriginUpperLeft
OpExecutionMode %geometry Triangles
OpExecutionMode %geometry OutputTriangleStrip
OpExecutionMode %geometry OutputVertices 3
OpName %shared "shared"
OpName %doubled "doubled"
OpName %color "color"
OpDecorate %color Location 0
OpDecorate %exported LinkageAttributes "exported" Export
%void = OpTypeVoid
%fn = OpTypeFunction %void
%f32 = OpTypeFloat 32
%f64 = OpTypeFloat 64
%v4 = OpTypeVector %f32 4
%one = OpConstant %f32 1
%two = OpConstant %f64 2
%ones = OpConstantComposite %v4 %one %one %one %one
%output = OpTypePointer Output %v4
%color = OpVariable %output Output
%compute = OpFunction %void None %fn
%c = OpLabel
%r1 = OpFunctionCall %void %shared
OpReturn
OpFunctionEnd
%fragment = OpFunction %void None %fn
%f = OpLabel
OpStore %color %ones
OpReturn
OpFunctionEnd
%geometry = OpFunction %void None %fn
%g = OpLabel
%r2 = OpFunctionCall %void %shared
OpEmitVertex
OpReturn
OpFunctionEnd
%shared = OpFunction %void None %fn
%s = OpLabel
%r3 = OpFunctionCall %void %doubled
OpReturn
OpFunctionEnd
%doubled = OpFunction %void None %fn
%d = OpLabel
%sum = OpFAdd %f64 %two %two
OpReturn
OpFunctionEnd
%exported = OpFunction %void None %fn
%e = OpLabel
OpReturn
OpFunctionEnd
"#;

fn split(name: &str, model: Option<ExecutionModel>) -> String {
    let mut module = load(LIBRARY);
    check(&module, "spv1.6");
    let found = find_entry_point(&module, name, model).unwrap();
    keep_entry_point(&mut module, &found);
    check(&module, "spv1.6");
    assert_eq!(entry_points(&module).len(), 1);
    let text = show(&module);
    keep_entry_point(&mut module, &found);
    assert_eq!(show(&module), text);
    text
}

#[track_caller]
fn has(text: &str, present: &[&str], absent: &[&str]) {
    for piece in present {
        assert!(text.contains(piece), "{piece}: {text}");
    }
    for piece in absent {
        assert!(!text.contains(piece), "{piece}: {text}");
    }
}

#[test]
fn an_entry_point_keeps_what_it_uses_and_nothing_else() {
    let compute = split("main", Some(ExecutionModel::GLCompute));
    has(
        &compute,
        &["LocalSize", "%shared", "%doubled", "Float64", "Shader"],
        &[
            "Geometry",
            "OriginUpperLeft",
            "color",
            "Linkage",
            "OpTypeVector",
        ],
    );
    let fragment = split("main", Some(ExecutionModel::Fragment));
    has(
        &fragment,
        &["OriginUpperLeft", "OpDecorate %color", "OpTypeVector"],
        &[
            "shared",
            "doubled",
            "Float64",
            "OpTypeFloat 64",
            "Geometry",
            "exported",
        ],
    );
    let geometry = split("geometry", None);
    has(
        &geometry,
        &["OutputVertices", "Float64", "OpEmitVertex"],
        &["color", "LocalSize"],
    );
}

#[test]
fn errors_say_what_there_is() {
    let module = load(LIBRARY);
    let none = find_entry_point(&module, "other", None).unwrap_err();
    assert!(matches!(&none, SplitError::NotFound { found, .. } if found.len() == 3));
    assert!(none.to_string().contains("Geometry \"geometry\""), "{none}");
    let none = find_entry_point(&module, "geometry", Some(ExecutionModel::Vertex)).unwrap_err();
    assert!(none.to_string().contains("Vertex"), "{none}");
    let several = find_entry_point(&module, "main", None).unwrap_err();
    assert!(matches!(&several, SplitError::Ambiguous { found } if found.len() == 2));
    let empty = find_entry_point(&load("OpCapability Linkage\n"), "main", None).unwrap_err();
    assert!(empty.to_string().contains("has no entry points"), "{empty}");
}

#[test]
fn debug_information_and_lines_of_the_others_go() {
    let text = r#"OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %a "a"
OpEntryPoint GLCompute %b "b"
OpExecutionMode %a LocalSize 1 1 1
OpExecutionMode %b LocalSize 1 1 1
%a_file = OpString "a.comp"
%b_file = OpString "b.comp"
%void = OpTypeVoid
%fn = OpTypeFunction %void
OpLine %a_file 1 1
%a = OpFunction %void None %fn
%al = OpLabel
OpLine %a_file 2 1
OpReturn
OpFunctionEnd
OpLine %b_file 1 1
%b = OpFunction %void None %fn
%bl = OpLabel
OpLine %b_file 2 1
OpReturn
OpFunctionEnd
"#;
    for (name, gone) in [("a", "b.comp"), ("b", "a.comp")] {
        let mut module = load(text);
        let found = find_entry_point(&module, name, None).unwrap();
        keep_entry_point(&mut module, &found);
        check(&module, "vulkan1.3");
        assert_eq!(count(&module, "OpLine"), 2, "{}", show(&module));
        assert!(!show(&module).contains(gone), "{}", show(&module));
    }
}

#[test]
fn a_chain_of_a_hundred_thousand_calls_takes_no_time() {
    use std::fmt::Write as _;
    let mut text = String::from(
        "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint Vertex %f0 \"a\"\n\
         OpEntryPoint Vertex %f50000 \"b\"\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n",
    );
    for index in 0..100_000 {
        let next = index + 1;
        writeln!(
            text,
            "%f{index} = OpFunction %void None %fn\n%l{index} = OpLabel\n\
             %c{index} = OpFunctionCall %void %f{next}\nOpReturn\nOpFunctionEnd"
        )
        .unwrap();
    }
    text.push_str("%f100000 = OpFunction %void None %fn\n%l = OpLabel\nOpReturn\nOpFunctionEnd\n");
    let mut module = load(&text);
    let start = std::time::Instant::now();
    let found = find_entry_point(&module, "b", None).unwrap();
    keep_entry_point(&mut module, &found);
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
    assert_eq!(module.functions().count(), 50_001);
}
