//! Several modules as one.

use crate::common::{check, count, load, show};
use spirvkit_diagnostics::Errors;
use spirvkit_ir::Module;
use spirvkit_transform::link::{Input, LinkError, LinkErrorKind};
use spirvkit_transform::{compact_ids, entry_points, find_entry_point, keep_entry_point, merge};

/// A shader of this model, with globals and what stands in its function.
fn shader(model: &str, name: &str, globals: &str, body: &str) -> String {
    let mode = match model {
        "GLCompute" => "OpExecutionMode %main LocalSize 1 1 1\n",
        "Fragment" => "OpExecutionMode %main OriginUpperLeft\n",
        _ => "",
    };
    format!(
        "; Version: 1.3
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint {model} %main \"{name}\"
{mode}OpName %main \"main\"
{globals}%main = OpFunction %void None %fn
%entry = OpLabel
{body}OpReturn
OpFunctionEnd
"
    )
}

const TYPES: &str = "%void = OpTypeVoid
%fn = OpTypeFunction %void
%f32 = OpTypeFloat 32
%v4 = OpTypeVector %f32 4
%one = OpConstant %f32 1
";

fn merge_all(modules: &[&Module]) -> Result<Module, Errors<LinkError>> {
    let names = ["a.spv", "b.spv", "c.spv"];
    let inputs: Vec<Input<'_>> = modules
        .iter()
        .zip(names)
        .map(|(&module, name)| Input { name, module })
        .collect();
    let merged = merge(&inputs);
    if let Ok(merged) = &merged {
        merged.verify().unwrap();
    }
    merged
}

#[track_caller]
fn fails(modules: &[&Module], kind: LinkErrorKind, mentions: &[&str]) {
    let errors = merge_all(modules).map(|merged| show(&merged)).unwrap_err();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!(errors[0].kind(), kind);
    for mention in mentions {
        assert!(errors[0].to_string().contains(mention), "{}", errors[0]);
    }
}

#[test]
fn entry_points_stand_side_by_side_and_share_what_is_equal() {
    let body = "%sum = OpFAdd %f32 %one %one\n";
    let vertex = load(&shader("Vertex", "main", TYPES, body));
    let fragment = load(&shader("Fragment", "main", TYPES, body));
    let other = TYPES.replace("OpConstant %f32 1", "OpConstant %f32 2");
    let compute = load(&shader("GLCompute", "main", &other, body));
    let merged = merge_all(&[&vertex, &fragment, &compute]).unwrap();
    check(&merged, "vulkan1.3");
    assert_eq!(entry_points(&merged).len(), 3);
    let expected = [
        ("OpFunction", 3),
        ("OpTypeFloat", 1),
        ("OpTypeVector", 1),
        ("OpConstant", 2),
        ("OpCapability", 1),
        ("OpExecutionMode", 2),
        ("OpName", 3),
    ];
    for (name, number) in expected {
        assert_eq!(count(&merged, name), number, "{name}: {}", show(&merged));
    }
}

#[test]
fn splitting_gives_back_what_was_merged() {
    let body = "%sum = OpFAdd %f32 %one %one\n";
    let globals = TYPES.replace("%v4 = OpTypeVector %f32 4\n", "");
    let vertex = load(&shader("Vertex", "first", &globals, body));
    let fragment = load(&shader("Fragment", "second", &globals, ""));
    let mut merged = merge_all(&[&vertex, &fragment]).unwrap();
    let first = find_entry_point(&merged, "first", None).unwrap();
    keep_entry_point(&mut merged, &first);
    compact_ids(&mut merged).unwrap();
    let mut vertex = vertex;
    compact_ids(&mut vertex).unwrap();
    assert_eq!(show(&merged), show(&vertex));
}

#[test]
fn what_cannot_stand_together_is_reported_with_the_files() {
    let plain = load(&shader("Vertex", "main", TYPES, ""));
    fails(
        &[&plain, &plain],
        LinkErrorKind::EntryPoint,
        &["`a.spv`", "`b.spv`", "main", "Vertex"],
    );
    let vulkan = shader("Fragment", "main", TYPES, "")
        .replace("GLSL450", "Vulkan")
        .replace("Shader\n", "Shader\nOpCapability VulkanMemoryModel\n");
    fails(
        &[&plain, &load(&vulkan)],
        LinkErrorKind::MemoryModel,
        &["`a.spv`", "`b.spv`", "Vulkan"],
    );
    let physical = shader("Fragment", "main", TYPES, "")
        .replace("Logical", "PhysicalStorageBuffer64")
        .replace(
            "Shader\n",
            "Shader\nOpCapability PhysicalStorageBufferAddresses\n",
        );
    fails(
        &[&plain, &load(&physical)],
        LinkErrorKind::AddressingModel,
        &["`a.spv`", "`b.spv`"],
    );
}

#[test]
fn the_version_is_the_highest_if_all_modules_go_with_it() {
    let old = load(&shader("Vertex", "main", TYPES, ""));
    let new = shader("Fragment", "main", TYPES, "").replace("1.3", "1.6");
    let merged = merge_all(&[&old, &load(&new)]).unwrap();
    assert_eq!(merged.header().version.minor, 6);
    check(&merged, "vulkan1.3");
    // `BufferBlock` has been gone since 1.4.
    let block = format!("OpDecorate %block BufferBlock\n{TYPES}%block = OpTypeStruct %f32\n");
    let block = load(&shader("Vertex", "main", &block, ""));
    fails(
        &[&block, &load(&new)],
        LinkErrorKind::Removed,
        &["`a.spv`", "`b.spv`", "BufferBlock", "1.6"],
    );
}

#[test]
fn sizes_of_work_groups_are_not_imposed_on_others() {
    let size = |x: u32| {
        format!(
            "OpDecorate %size BuiltIn WorkgroupSize\n{TYPES}%u32 = OpTypeInt 32 0
%x = OpConstant %u32 {x}\n%v3 = OpTypeVector %u32 3\n%size = OpConstantComposite %v3 %x %x %x\n"
        )
    };
    let plain = load(&shader("GLCompute", "plain", TYPES, ""));
    let four = load(&shader("GLCompute", "four", &size(4), ""));
    let also_four = load(&shader("GLCompute", "also", &size(4), ""));
    let eight = load(&shader("GLCompute", "eight", &size(8), ""));
    let vertex = load(&shader("Vertex", "vertex", TYPES, ""));
    fails(
        &[&plain, &four],
        LinkErrorKind::WorkgroupSize,
        &["`a.spv`", "`b.spv`"],
    );
    fails(
        &[&four, &eight],
        LinkErrorKind::WorkgroupSize,
        &["`a.spv`", "`b.spv`"],
    );
    for modules in [[&four, &also_four], [&vertex, &four]] {
        let merged = merge_all(&modules).unwrap();
        check(&merged, "vulkan1.3");
        assert_eq!(count(&merged, "OpConstantComposite"), 1);
    }
}

#[test]
fn exports_and_imports_stay() {
    let library = "OpCapability Shader\nOpCapability Linkage\nOpMemoryModel Logical GLSL450
OpDecorate %f LinkageAttributes \"f\" Export\nOpDecorate %g LinkageAttributes \"g\" Import
%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%g = OpFunction %void None %fn\nOpFunctionEnd
%f = OpFunction %void None %fn\n%l = OpLabel\nOpReturn\nOpFunctionEnd\n";
    let library = load(&format!("; Version: 1.3\n{library}"));
    let vertex = load(&shader("Vertex", "main", TYPES, ""));
    let merged = merge_all(&[&vertex, &library]).unwrap();
    check(&merged, "spv1.6");
    assert_eq!(count(&merged, "OpDecorate"), 2);
}

#[test]
fn structures_may_hold_arrays_of_pointers_to_themselves() {
    let globals = format!(
        "OpDecorate %node Block\nOpMemberDecorate %node 0 Offset 0\nOpDecorate %array ArrayStride 8
{TYPES}%u32 = OpTypeInt 32 0\n%two = OpConstant %u32 2
OpTypeForwardPointer %pointer PhysicalStorageBuffer
%array = OpTypeArray %pointer %two\n%node = OpTypeStruct %array
%pointer = OpTypePointer PhysicalStorageBuffer %node\n"
    );
    let physical = |model: &str| {
        let text =
            shader(model, "main", &globals, "").replace("Logical", "PhysicalStorageBuffer64");
        let capability = "Shader\nOpCapability PhysicalStorageBufferAddresses
OpExtension \"SPV_KHR_physical_storage_buffer\"\n";
        load(&text.replacen("Shader\n", capability, 1))
    };
    let (vertex, fragment) = (physical("Vertex"), physical("Fragment"));
    check(&vertex, "vulkan1.3");
    let merged = merge_all(&[&vertex, &fragment]).unwrap();
    check(&merged, "vulkan1.3");
    assert_eq!(count(&merged, "OpTypeStruct"), 1);
    assert_eq!(count(&merged, "OpTypeForwardPointer"), 1);
}
