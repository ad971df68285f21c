//! `spv info`.

use serde_json::Value;

use crate::common::Dir;

const SHADER: &str = "\
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 8 4 1
OpName %lights \"lights\"
OpName %Lights \"Lights\"
OpMemberName %Lights 1 \"power\"
OpDecorate %lights DescriptorSet 1
OpDecorate %lights Binding 5
OpDecorate %Lights Block
OpMemberDecorate %Lights 0 Offset 0
OpMemberDecorate %Lights 1 Offset 12
OpDecorate %scale SpecId 7
%void = OpTypeVoid
%function = OpTypeFunction %void
%float = OpTypeFloat 32
%vec3 = OpTypeVector %float 3
%scale = OpSpecConstant %float 0.5
%Lights = OpTypeStruct %vec3 %float
%pointer = OpTypePointer Uniform %Lights
%lights = OpVariable %pointer Uniform
%main = OpFunction %void None %function
%entry = OpLabel
%all = OpLoad %Lights %lights
OpReturn
OpFunctionEnd
";

/// The line that has this.
fn line<'t>(text: &'t str, piece: &str) -> &'t str {
    let mut lines = text.lines();
    lines
        .find(|line| line.contains(piece))
        .unwrap_or_else(|| panic!("no {piece} in:\n{text}"))
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

#[test]
fn tables_show_what_there_is() {
    let dir = Dir::new();
    dir.module("shader.spv", SHADER);
    let ran = dir.spv(&["info", "shader.spv"]);
    let text = ran.text();
    assert!(!text.contains('\x1b'), "colour without a terminal");
    assert!(line(text, "workgroup size").ends_with("8 × 4 × 1"));
    let descriptor = words(line(text, "uniform buffer"));
    assert_eq!(descriptor[..2], ["1", "5"]);
    assert_eq!(descriptor[3], "lights");
    assert!(line(text, "uniform buffer").ends_with("read-only; read"));
    assert_eq!(
        words(line(text, "power")),
        ["12", "4", "4", "-", "power", "float"]
    );
    let constant = words(line(text, "0.5"));
    assert_eq!((constant[0], constant[3]), ("7", "float"));
    let colored = dir.spv(&["info", "--color", "always", "shader.spv"]);
    assert!(colored.text().contains('\x1b'));
}

#[test]
fn json_has_the_version_of_its_form() {
    let dir = Dir::new();
    dir.write("shader.spvasm", SHADER);
    let ran = dir.spv(&["info", "--format", "json", "shader.spvasm"]);
    let value: Value = serde_json::from_str(ran.text()).unwrap();
    assert_eq!(value["format_version"], 1);
    assert_eq!(value["file"], "shader.spvasm");
    let descriptor = &value["descriptors"][0];
    assert_eq!(descriptor["kind"], "uniform_buffer");
    assert_eq!(
        (&descriptor["set"], &descriptor["binding"]),
        (&1.into(), &5.into())
    );
    assert_eq!(descriptor["padded_size"], 16);
    let types = value["types"].as_array().unwrap();
    let ty = types
        .iter()
        .find(|ty| ty["id"] == descriptor["type"])
        .unwrap();
    assert_eq!(
        (&ty["kind"], &ty["block"]),
        (&"struct".into(), &"block".into())
    );
    assert_eq!(ty["members"][1]["offset"], 12);
}

#[test]
fn yaml_says_the_same_as_json() {
    let dir = Dir::new();
    dir.module("shader.spv", SHADER);
    let json = dir.spv(&["info", "--format", "json", "shader.spv"]);
    let json: Value = serde_json::from_str(json.text()).unwrap();
    let yaml = dir.spv(&["info", "--format", "yaml", "shader.spv"]);
    let text = yaml.text();
    assert!(text.starts_with("---\n"));
    let yaml: Value = yaml_serde::from_str(text).unwrap();
    assert_eq!(yaml, json);
}

#[test]
fn the_documentation_names_every_key() {
    let dir = Dir::new();
    dir.module("shader.spv", SHADER);
    let ran = dir.spv(&["info", "--format", "json", "shader.spv"]);
    let value: Value = serde_json::from_str(ran.text()).unwrap();
    let documentation = include_str!("../../../../docs/info-json.md");
    let mut open = vec![&value];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    assert!(documentation.contains(&format!("`{key}`")), "{key}");
                    open.push(value);
                }
            }
            Value::Array(list) => open.extend(list),
            _ => {}
        }
    }
}

#[test]
fn standard_input_and_several_inputs_are_read() {
    let dir = Dir::new();
    let ran = dir.spv_with_input(&["info", "--format", "json"], SHADER.as_bytes());
    let value: Value = serde_json::from_str(ran.text()).unwrap();
    assert_eq!(value["file"], "<stdin>");
    dir.write("in/a.spvasm", SHADER);
    dir.module("in/b.spv", SHADER);
    let ran = dir.spv(&["info", "--format", "json", "in"]);
    assert_eq!(ran.text().lines().count(), 2);
}

#[test]
fn what_cannot_be_read_is_an_error() {
    let dir = Dir::new();
    dir.write("broken.spvasm", "OpCapability Shadr\n");
    let ran = dir.spv(&["info", "broken.spvasm"]);
    assert_eq!((ran.code, ran.stdout.is_empty()), (1, true));
    assert!(ran.stderr.contains("Shadr"));
    let mut module = dir.module("cut.spv", SHADER);
    // In the middle of the OpLoad.
    module.truncate(module.len() - 12);
    dir.write("cut.spv", module);
    let ran = dir.spv(&["info", "cut.spv"]);
    assert_eq!((ran.code, ran.stdout.is_empty()), (1, true));
    assert_eq!(dir.spv(&["info", "--format", "xml"]).code, 2);
}

#[test]
fn structures_behind_pointers_are_laid_out() {
    let dir = Dir::new();
    let text = "\
OpCapability Shader
OpCapability PhysicalStorageBufferAddresses
OpExtension \"SPV_KHR_physical_storage_buffer\"
OpMemoryModel PhysicalStorageBuffer64 GLSL450
OpName %root \"root\"
OpName %Node \"Node\"
OpMemberName %Node 1 \"value\"
OpMemberDecorate %Root 0 Offset 0
OpMemberDecorate %Node 0 Offset 0
OpMemberDecorate %Node 1 Offset 8
OpDecorate %Root Block
OpDecorate %Node Block
OpTypeForwardPointer %link PhysicalStorageBuffer
%float = OpTypeFloat 32
%Node = OpTypeStruct %link %float
%link = OpTypePointer PhysicalStorageBuffer %Node
%Root = OpTypeStruct %link
%pointer = OpTypePointer PushConstant %Root
%root = OpVariable %pointer PushConstant
";
    dir.module("shader.spv", text);
    let ran = dir.spv(&["info", "shader.spv"]);
    let text = ran.text();
    assert_eq!(
        line(text, "behind pointers"),
        "behind pointers: Node, 12 bytes"
    );
    assert_eq!(
        words(line(text, "value")),
        ["8", "4", "4", "-", "value", "float"]
    );
}
