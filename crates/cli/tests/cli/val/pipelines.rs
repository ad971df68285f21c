//! `--pipeline`, `--layout`, `--spec`.

use serde_json::Value;

use super::{objects, output};
use crate::common::Dir;

/// A shader that passes an array at location 0, and uses a uniform buffer.
fn shader(model: &str, class: &str, ty: &str) -> String {
    let (mode, flat) = match model {
        "Fragment" => (
            "OpExecutionMode %main OriginUpperLeft",
            "OpDecorate %passed Flat",
        ),
        _ => ("", ""),
    };
    format!(
        "; SPIR-V
; Version: 1.0
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint {model} %main \"main\" %passed
{mode}
OpName %count \"count\"
OpName %passed \"passed\"
{flat}
OpDecorate %passed Location 0
OpDecorate %count SpecId 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 1
%void = OpTypeVoid
%float = OpTypeFloat 32
%int = OpTypeInt 32 1
%count = OpSpecConstant %int 2
%array = OpTypeArray {ty} %count
%pointer = OpTypePointer {class} %array
%passed = OpVariable %pointer {class}
%block = OpTypeStruct %float
%to_block = OpTypePointer Uniform %block
%data = OpVariable %to_block Uniform
%signature = OpTypeFunction %void
%main = OpFunction %void None %signature
%entry = OpLabel
%loaded = OpLoad %block %data
OpReturn
OpFunctionEnd
"
    )
}

fn shaders() -> Dir {
    let dir = Dir::new();
    dir.module("v.spv", &shader("Vertex", "Output", "%float"));
    dir.module("f.spv", &shader("Fragment", "Input", "%float"));
    dir.module("int.spv", &shader("Fragment", "Input", "%int"));
    dir.write("int.spvasm", shader("Fragment", "Input", "%int"));
    dir
}

#[test]
fn stages_that_fit_are_accepted() {
    let dir = shaders();
    let ran = dir.spv(&["val", "--pipeline", "v.spv", "f.spv"]);
    let told = "2 inputs: valid, and the stages fit together\n";
    assert_eq!((ran.code, &*ran.stderr), (0, told));
    let ran = dir.spv(&["val", "--pipeline", "-q", "f.spv:main", "v.spv:main"]);
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
}

#[test]
fn an_error_shows_both_modules() {
    let dir = shaders();
    let ran = dir.spv(&["val", "--pipeline", "v.spv", "int.spv"]);
    assert_eq!(ran.code, 1);
    let wanted = [
        "error[pipeline.type]: `%passed`, an input of the fragment shader",
        "--> int.spv: byte ",
        "= note: the output of the vertex shader\n",
        "--> v.spv: byte ",
        "| %passed = OpVariable %_ptr_Output__arr_float_count Output",
    ];
    for wanted in wanted {
        assert!(ran.stderr.contains(wanted), "{wanted}\n{}", ran.stderr);
    }
    // In a text, the place is a line.
    let ran = dir.spv(&["val", "--pipeline", "f.spv", "int.spvasm", "v.spv"]);
    assert!(ran.stderr.contains("--> int.spvasm:5:"), "{}", ran.stderr);
}

#[test]
fn programs_get_an_object_for_each_file() {
    let dir = shaders();
    let ran = dir.spv(&["val", "--pipeline", "--format", "json", "v.spv", "int.spv"]);
    let all = objects(output(&ran));
    let [vertex, fragment] = &all[..] else {
        panic!("{}", output(&ran));
    };
    assert_eq!(
        (&vertex["file"], &vertex["valid"]),
        (&"v.spv".into(), &true.into())
    );
    assert_eq!(fragment["valid"], Value::Bool(false));
    let related = &fragment["diagnostics"][0]["related"][0];
    assert_eq!(related["file"], "v.spv");
    assert_eq!(
        related["instruction"].as_str().unwrap().split(' ').next(),
        Some("%passed")
    );
    let ran = dir.spv(&["val", "--pipeline", "--format", "sarif", "v.spv", "int.spv"]);
    let log: Value = serde_json::from_str(output(&ran)).unwrap();
    let result = &log["runs"][0]["results"][0];
    let related = &result["relatedLocations"][0]["physicalLocation"];
    assert_eq!(related["artifactLocation"]["uri"], "v.spv");
}

#[test]
fn specialization_constants_get_their_values_first() {
    let dir = shaders();
    let run = |spec: &str| dir.spv(&["val", "--pipeline", "--spec", spec, "v.spv", "f.spv"]);
    assert_eq!(run("4=3").code, 0);
    assert_eq!(run("count=3").code, 0);
    for one in ["vertex:4=1", "fragment:count=3", "f.spv:4=3"] {
        let ran = run(one);
        assert_eq!(ran.code, 1, "{one}");
        assert!(ran.stderr.contains("pipeline.no-output"), "{}", ran.stderr);
    }
    let ran = run("5=1");
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr
            .contains("no stage has a specialization constant `5`")
    );
    assert!(run("4=x").stderr.contains("can't be its value"));
}

/// A shader in workgroups of so many invocations, with an array of so many numbers before another one.
const SPECIALIZED: &str = "\
; SPIR-V
; Version: 1.3
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %width SpecId 0
OpDecorate %length SpecId 1
OpDecorate %size BuiltIn WorkgroupSize
OpDecorate %array ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 16
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 0
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%uvec3 = OpTypeVector %uint 3
%width = OpSpecConstant %uint 512
%length = OpSpecConstant %uint 4
%one = OpConstant %uint 1
%twice = OpSpecConstantOp %uint IMul %length %one
%size = OpSpecConstantComposite %uvec3 %width %one %one
%array = OpTypeArray %uint %twice
%block = OpTypeStruct %array %uint
%pointer = OpTypePointer StorageBuffer %block
%data = OpVariable %pointer StorageBuffer
%signature = OpTypeFunction %void
%main = OpFunction %void None %signature
%entry = OpLabel
OpReturn
OpFunctionEnd
";

#[test]
fn what_one_stage_exceeds_is_told_once() {
    let dir = Dir::new();
    let text = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main \"main\" %color
OpDecorate %color Location 5
%void = OpTypeVoid
%float = OpTypeFloat 32
%pointer = OpTypePointer Output %float
%color = OpVariable %pointer Output
%signature = OpTypeFunction %void
%main = OpFunction %void None %signature
%entry = OpLabel
OpReturn
OpFunctionEnd
";
    dir.module("v.spv", text);
    dir.write("v.spvasm", text);
    for file in ["v.spv", "v.spvasm"] {
        for more in [&["--pipeline"][..], &[]] {
            let limit = "maxVertexOutputComponents=20";
            let mut all = vec!["val", "--target-env", "vulkan1.3", "--format", "json"];
            all.extend(["--limit", limit, file]);
            all.extend(more);
            let ran = dir.spv(&all);
            let [report] = &objects(output(&ran))[..] else {
                panic!("one file");
            };
            let found = report["diagnostics"].as_array().unwrap().iter();
            let rules: Vec<&Value> = found.map(|it| &it["rule"]).collect();
            assert_eq!(rules, ["pipeline.limit"], "{file} {more:?}");
        }
    }
}

#[test]
fn specialized_modules_are_valid_and_fit_devices() {
    let dir = Dir::new();
    dir.module("a.spv", SPECIALIZED);
    dir.write("a.spvasm", SPECIALIZED);
    let run = |file: &str, arguments: &[&str]| {
        let mut all = vec!["val", "--pipeline", "--target-env", "vulkan1.1"];
        all.extend([
            "--limit",
            "maxComputeWorkGroupSize=256,1,1",
            "--format",
            "json",
        ]);
        all.extend(arguments);
        all.push(file);
        let ran = dir.spv(&all);
        let [report] = &objects(output(&ran))[..] else {
            panic!("one file");
        };
        let found = report["diagnostics"].as_array().unwrap().iter();
        let errors = found.filter(|it| it["severity"] == "error");
        let brief = |it: &Value| {
            let mut words = it["instruction"].as_str().unwrap().split_whitespace();
            let op = words.find(|word| word.starts_with("Op")).unwrap();
            format!("{} {}: {op}", it["rule"], it["vuid"]).replace('"', "")
        };
        errors.map(brief).collect::<Vec<_>>()
    };
    let size = "device.limit VUID-RuntimeSpirv-x-06429: OpSpecConstantComposite";
    let overlap = "layout.overlap VUID-VkPipelineShaderStageCreateInfo-pSpecializationInfo-06849: \
                   OpTypeStruct";
    let none: [String; 0] = [];
    for file in ["a.spv", "a.spvasm"] {
        assert_eq!(run(file, &[]), [size], "{file}");
        assert_eq!(run(file, &["--spec", "0=256"]), none, "{file}");
        assert_eq!(run(file, &["--spec", "0=257"]), [size], "{file}");
        assert_eq!(run(file, &["--spec", "1=4"]), [size], "{file}");
        let both = run(file, &["--spec", "0=8", "--spec", "1=5"]);
        assert_eq!(both, [overlap], "{file}");
    }
}

#[test]
fn several_devices_are_asked_about_specialized_modules() {
    let dir = Dir::new();
    dir.module("a.spv", SPECIALIZED);
    let run = |format: &str, spec: &str| {
        let ran = dir.spv(&[
            "val",
            "--pipeline",
            "--device",
            "VP_KHR_roadmap_2022",
            "--device",
            "VP_KHR_roadmap_2024",
            "--limit",
            "maxComputeWorkGroupSize=256,1,1",
            "--limit",
            "maxComputeWorkGroupInvocations=1024",
            "--format",
            format,
            "--spec",
            spec,
            "a.spv:main",
            "a.spv:main",
        ]);
        String::from_utf8(ran.stdout).unwrap()
    };
    let lacks = |spec: &str| {
        let report: Value = serde_json::from_str(&run("json", spec)).unwrap();
        let devices = report["devices"].as_array().unwrap();
        let all = devices
            .iter()
            .map(|it| it["lacks"].as_array().unwrap().len());
        all.collect::<Vec<_>>()
    };
    assert_eq!(lacks("0=256"), [0, 0]);
    assert_eq!(lacks("0=257"), [1, 1]);
    let table = run("human", "0=257");
    assert!(table.contains("257"), "{table}");
}

#[test]
fn a_layout_is_compared_with_what_stages_use() {
    let dir = shaders();
    let layout = r#"{"sets": [{"bindings": [{"binding": 1, "type": "UNIFORM_BUFFER", "stages": ["VERTEX"]}]}]}"#;
    dir.write("layout.json", layout);
    dir.write("broken.json", "{\"sets\": 1}");
    let run = |file: &str| dir.spv(&["val", "--pipeline", "--layout", file, "v.spv", "f.spv"]);
    let ran = run("layout.json");
    assert_eq!(ran.code, 1);
    assert!(
        ran.stderr.contains("error[pipeline.binding-stage]"),
        "{}",
        ran.stderr
    );
    let ran = run("broken.json");
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr
            .contains("broken.json: this is no pipeline layout")
    );
}

#[test]
fn what_is_no_pipeline_is_said() {
    let dir = shaders();
    let ran = dir.spv(&["val", "--pipeline", "--target-env", "spv1.6", "v.spv"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("pipelines are of Vulkan"),
        "{}",
        ran.stderr
    );
    let ran = dir.spv(&["val", "--pipeline", "v.spv", "missing.spv"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("can't read this"), "{}", ran.stderr);
    let ran = dir.spv(&["val", "--pipeline", "."]);
    assert_eq!(ran.code, 2);
    assert!(dir.spv(&["val", "--layout", "a.json", "v.spv"]).code == 2);
}
