//! Groups of decorations, ids defined twice, and what many share.

use spirvkit_binary::{Budget, Module};
use spirvkit_grammar::{Decoration, Op};
use spirvkit_reflect::{EntryPoint, Extent, TypeKind, WorkgroupSource, reflect, reflect_within};

use crate::{members, reflect_text, shader};

#[test]
fn types_that_double_or_are_cyclic_stay_small() {
    let mut declarations = String::from(
        "OpTypeForwardPointer %self PhysicalStorageBuffer
        %Node = OpTypeStruct %self
        %self = OpTypePointer PhysicalStorageBuffer %Node
        %s0 = OpTypeStruct %float %float\n",
    );
    for level in 1..200 {
        let below = level - 1;
        declarations += &format!("%s{level} = OpTypeStruct %s{below} %s{below}\n");
        declarations += &format!("%a{level} = OpTypePointer Function %s{below}\n");
    }
    let reflection = shader("", "", &declarations, "");
    let json = serde_json::to_string(&reflection).unwrap();
    assert!(json.len() < 400_000, "{}", json.len());
}

#[test]
fn groups_of_decorations_count() {
    let reflection = shader(
        "",
        "OpDecorate %group DescriptorSet 3
        OpDecorate %group NonWritable
        %group = OpDecorationGroup
        OpGroupDecorate %group %v
        OpDecorate %v Binding 1",
        "%type = OpTypeImage %float 2D 0 0 0 2 R32f
        %p = OpTypePointer UniformConstant %type
        %v = OpVariable %p UniformConstant",
        "",
    );
    let descriptor = &reflection.descriptors[0];
    assert_eq!((descriptor.set, descriptor.binding), (Some(3), Some(1)));
    assert!(descriptor.access.readable && !descriptor.access.writable);
}

#[test]
fn groups_of_decorations_count_for_members() {
    let reflection = shader(
        "",
        "OpName %S \"S\"
        OpMemberDecorate %S 1 Location 5
        OpDecorate %group Location 2
        OpDecorate %group Flat
        %group = OpDecorationGroup
        OpGroupMemberDecorate %group %S 2 %S 1 %S 7
        OpMemberDecorate %S 2 Location 9",
        "%S = OpTypeStruct %float %float %float",
        "",
    );
    let members = members(&reflection, "S");
    // The last counts, whether or not it comes through a group.
    let locations: Vec<_> = members.iter().map(|member| member.location).collect();
    assert_eq!(locations, [None, Some(2), Some(9)]);
    let is_flat: Vec<_> = members
        .iter()
        .map(|member| member.decorations == [Decoration::Flat])
        .collect();
    assert_eq!(is_flat, [false, true, true]);
}

#[test]
fn a_size_that_a_group_decorates_is_one() {
    let reflection = shader(
        "OpExecutionMode %main LocalSize 8 4 1",
        "OpDecorate %group BuiltIn WorkgroupSize
        %group = OpDecorationGroup
        OpGroupDecorate %group %size",
        "%uvec3 = OpTypeVector %uint 3
        %size = OpConstantComposite %uvec3 %two %two %two",
        "",
    );
    let size = reflection.entry_points[0].workgroup_size.as_ref().unwrap();
    assert_eq!(size.source, WorkgroupSource::BuiltIn);
    assert_eq!(size.x.size, Extent::Fixed(2));
}

#[test]
fn the_first_definition_of_an_id_counts() {
    let text = "%1 = OpString \"name\"
        %15 = OpTypeVoid
        %2 = OpTypeFloat 32
        %16 = OpTypeInt 32 0
        %3 = OpTypePointer Private %2
        %4 = OpVariable %3 Private
        %17 = OpVariable %3 Input";
    let mut words = spirvkit_testing::words(text);
    // The assembler defines no id twice.
    for (id, first) in [(15, 1), (16, 2), (17, 4)] {
        let place = words.iter().rposition(|&word| word == id).unwrap();
        words[place] = first;
    }
    let reflection = reflect(&words).unwrap();
    let ids: Vec<_> = reflection.types.iter().map(|ty| ty.id.0).collect();
    assert_eq!(ids, [2, 3]);
    assert!(matches!(reflection.types[0].kind, TypeKind::Float { .. }));
    assert_eq!(reflection.variables.len(), 1);
    assert!(reflection.inputs.is_empty());
}

#[test]
fn a_misplaced_entry_point_lists_its_interface() {
    let reflection = reflect_text(
        "%void = OpTypeVoid
        %function = OpTypeFunction %void
        %float = OpTypeFloat 32
        %pointer = OpTypePointer Input %float
        %input = OpVariable %pointer Input
        %main = OpFunction %void None %function
        %entry = OpLabel
        OpReturn
        OpFunctionEnd
        OpEntryPoint Vertex %main \"main\" %input",
    );
    assert_eq!(
        reflection.entry_points[0].interface,
        [reflection.inputs[0].id]
    );
}

#[test]
fn many_entry_points_of_one_function_are_not_listed_in_full() {
    let mut text = String::from("OpCapability Shader\nOpMemoryModel Logical GLSL450\n");
    for number in 0..2000 {
        text += &format!("OpEntryPoint GLCompute %main \"e{number}\"\n");
    }
    text += "%void = OpTypeVoid\n%f = OpTypeFunction %void\n%float = OpTypeFloat 32\n\
             %p = OpTypePointer Private %float\n";
    let count = 2000;
    for number in 0..count {
        text += &format!("%v{number} = OpVariable %p Private\n");
    }
    text += "%main = OpFunction %void None %f\n%entry = OpLabel\n";
    for number in 0..count {
        text += &format!("%l{number} = OpLoad %float %v{number}\n");
    }
    text += "OpReturn\nOpFunctionEnd\n";
    let reflection = reflect_text(&text);
    assert!(reflection.truncated);
    let first = reflection.entry_points[0].uses.as_ref().unwrap();
    assert_eq!(first.variables.len(), count);
    assert_eq!(reflection.entry_points[1999].uses, None);
}

#[test]
fn the_last_of_all_opcodes_is_counted() {
    let words = [spirvkit_binary::MAGIC, 0x0001_0600, 0, 1, 0, 0x0001_ffff];
    let statistics = reflect(&words).unwrap().statistics;
    assert_eq!(statistics.opcodes.len(), 1);
    assert_eq!(statistics.opcodes[0].opcode.0, u16::MAX);
}

#[test]
fn pointers_that_are_declared_behind_what_has_them_are_spelled_out() {
    let reflection = shader(
        "",
        "OpName %node \"Node\"",
        "OpTypeForwardPointer %link PhysicalStorageBuffer
        %links = OpTypeArray %link %two
        %grid = OpTypeArray %links %two
        %node = OpTypeStruct %grid
        %link = OpTypePointer PhysicalStorageBuffer %node",
        "",
    );
    let arrays = reflection.types.iter().map(|ty| ty.spelling.as_str());
    let arrays: Vec<&str> = arrays.filter(|text| text.ends_with(']')).collect();
    let links = "ptr<PhysicalStorageBuffer, Node>[2]";
    assert_eq!(arrays.len(), 2);
    assert!(arrays.contains(&links));
    assert!(arrays.contains(&format!("{links}[2]").as_str()));
}

#[test]
fn execution_modes_of_many_entry_points_are_listed_as_far_as_there_is_room() {
    const COUNT: usize = 400;
    let mut text = String::from("OpCapability Shader\nOpMemoryModel Logical GLSL450\n");
    for number in 0..COUNT {
        text += &format!("OpEntryPoint GLCompute %main \"e{number}\"\n");
    }
    text += "OpExecutionMode %main LocalSize 8 4 1\n";
    text += &"OpExecutionMode %main LocalSizeHint 1 2 3\n".repeat(COUNT);
    text += "%void = OpTypeVoid\n%f = OpTypeFunction %void\n%main = OpFunction %void None %f\n\
             %entry = OpLabel\nOpReturn\nOpFunctionEnd\n";
    let words = spirvkit_testing::words(&text);
    let reflection = reflect(&words).unwrap();
    assert!(reflection.truncated);
    let [first, .., last] = &reflection.entry_points[..] else {
        unreachable!();
    };
    assert_eq!(first.execution_modes.len(), COUNT);
    assert_eq!(first.execution_modes_left_out, 0);
    assert!(last.execution_modes.is_empty());
    // That of the size counts as well.
    assert_eq!(last.execution_modes_left_out, COUNT + 1);
    let size = |entry: &EntryPoint| entry.workgroup_size.as_ref().map(|size| size.x.size);
    assert_eq!(size(first), size(last));
    let json = serde_json::to_string(&reflection).unwrap();
    assert!(json.len() < 64 * 4 * words.len() + (16 << 20));
    assert_eq!(
        json.contains("execution_modes_left_out"),
        reflection.truncated
    );

    let whole = reflect_within(&words, Budget::unlimited()).unwrap();
    assert!(!whole.truncated);
    let modes = |entry: &EntryPoint| entry.execution_modes.len();
    assert!(whole.entry_points.iter().all(|entry| modes(entry) == COUNT));
    let json = serde_json::to_string(&whole.entry_points[0]).unwrap();
    assert!(!json.contains("left_out"));
}

#[test]
fn what_has_the_id_of_another_does_not_have_its_name() {
    let text = "OpCapability Kernel
        OpCapability Addresses
        OpMemoryModel Physical64 OpenCL
        OpEntryPoint Kernel %first \"first\"
        OpName %first \"function\"
        OpName %a \"parameter\"
        OpDecorate %a FuncParamAttr Zext
        %void = OpTypeVoid
        %uint = OpTypeInt 32 0
        %function = OpTypeFunction %void %uint %uint
        %first = OpFunction %void None %function
        %a = OpFunctionParameter %uint
        %b = OpFunctionParameter %uint
        OpFunctionEnd
        %second = OpFunction %void None %function
        OpFunctionEnd";
    let mut words = spirvkit_testing::words(text);
    // The assembler refuses this.
    for op in [Op::Function, Op::FunctionParameter] {
        let instructions = Module::new(&words).unwrap().instructions();
        let places: Vec<usize> = instructions
            .map(Result::unwrap)
            .filter(|instruction| instruction.op() == op)
            .map(|instruction| instruction.offset().0 + 2)
            .collect();
        words[places[1]] = words[places[0]];
    }
    let reflection = reflect(&words).unwrap();
    let names = reflection.functions.iter();
    let names: Vec<_> = names.map(|function| function.name.as_deref()).collect();
    assert_eq!(names, [Some("function"), None]);
    let [a, b] = &reflection.kernels[0].arguments[..] else {
        panic!("{:?}", reflection.kernels);
    };
    assert_eq!(
        (a.name.as_deref(), &a.attributes[..]),
        (Some("parameter"), &["Zext"][..])
    );
    assert_eq!((b.name.as_deref(), &b.attributes[..]), (None, &[][..]));
}

#[test]
fn strings_that_many_share_are_listed_as_far_as_there_is_room() {
    const COUNT: usize = 200;
    let long = "\u{1}".repeat(50_000);
    let mut annotations = format!(
        "OpDecorateString %group UserSemantic \"{long}\"\n%group = OpDecorationGroup\n\
         OpGroupDecorate %group"
    );
    let mut declarations = String::from("%p = OpTypePointer Input %float\n");
    for number in 0..COUNT {
        annotations += &format!(" %v{number}");
        declarations += &format!("%v{number} = OpVariable %p Input\n");
    }
    let reflection = shader("", &annotations, &declarations, "");
    assert!(reflection.truncated);
    let semantics = reflection.inputs.iter().map(|input| &input.semantic);
    let given = semantics.flatten().count();
    assert!((1..COUNT).contains(&given), "{given}");
    let json = serde_json::to_string(&reflection).unwrap();
    assert!(json.len() < 64 * long.len() + (16 << 20), "{}", json.len());
}
