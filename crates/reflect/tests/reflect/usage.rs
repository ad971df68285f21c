//! What entry points read, write and list.

use spirvkit_reflect::{Block, Extent, TypeKind};

use crate::{reflect_text, shader};

const BUFFERS: &str = "
    OpDecorate %Block Block
    OpMemberDecorate %Block 0 Offset 0
    OpDecorate %a DescriptorSet 0
    OpDecorate %a Binding 0
    OpDecorate %b DescriptorSet 0
    OpDecorate %b Binding 1
    OpDecorate %c DescriptorSet 0
    OpDecorate %c Binding 2";

const DECLARATIONS: &str = "
    %Block = OpTypeStruct %float
    %p = OpTypePointer StorageBuffer %Block
    %pf = OpTypePointer StorageBuffer %float
    %a = OpVariable %p StorageBuffer
    %b = OpVariable %p StorageBuffer
    %c = OpVariable %p StorageBuffer
    %bool = OpTypeBool
    %true = OpConstantTrue %bool";

fn accesses(body: &str) -> Vec<(bool, bool, bool)> {
    let reflection = shader("", BUFFERS, DECLARATIONS, body);
    let access = reflection.descriptors.iter().map(|found| found.access);
    access
        .map(|access| (access.used, access.read, access.written))
        .collect()
}

#[test]
fn what_is_read_and_written_is_followed_through_pointers() {
    let none = (false, false, false);
    let (read, written) = ((true, true, false), (true, false, true));
    assert_eq!(accesses(""), [none; 3]);
    let copy = accesses(
        "%x = OpAccessChain %pf %a %zero
        %y = OpAccessChain %pf %b %zero
        %value = OpLoad %float %x
        OpStore %y %value",
    );
    assert_eq!(copy, [read, written, none]);
    // Either may be chosen, so both count.
    let chosen = accesses(
        "%either = OpSelect %p %true %a %b
        %x = OpAccessChain %pf %either %zero
        %value = OpLoad %float %x",
    );
    assert_eq!(chosen, [read, read, none]);
    let asked = shader(
        "",
        &format!("{BUFFERS}\nOpDecorate %many ArrayStride 4\nOpMemberDecorate %Long 0 Offset 0"),
        "%many = OpTypeRuntimeArray %float
        %Long = OpTypeStruct %many
        %Block = OpTypeStruct %float
        %p = OpTypePointer StorageBuffer %Long
        %a = OpVariable %p StorageBuffer
        %b = OpVariable %p StorageBuffer
        %c = OpVariable %p StorageBuffer",
        "%length = OpArrayLength %uint %a 0",
    );
    let access = asked.descriptors[0].access;
    assert_eq!(
        (access.used, access.read, access.written),
        (true, false, false)
    );
}

#[test]
fn uses_belong_to_entry_points_by_way_of_calls() {
    let text = format!(
        "OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %one \"one\"
        OpEntryPoint GLCompute %two_ \"two\"
        {BUFFERS}
        %void = OpTypeVoid
        %uint = OpTypeInt 32 0
        %float = OpTypeFloat 32
        %zero = OpConstant %uint 0
        %function = OpTypeFunction %void
        {DECLARATIONS}
        %taking = OpTypeFunction %void %p
        %one = OpFunction %void None %function
        %e1 = OpLabel
        %c1 = OpFunctionCall %void %callee %a
        OpReturn
        OpFunctionEnd
        %two_ = OpFunction %void None %function
        %e2 = OpLabel
        %v2 = OpLoad %Block %b
        OpReturn
        OpFunctionEnd
        %callee = OpFunction %void None %taking
        %parameter = OpFunctionParameter %p
        %e3 = OpLabel
        %x = OpAccessChain %pf %parameter %zero
        %value = OpLoad %float %x
        OpStore %x %value
        OpReturn
        OpFunctionEnd
        %never = OpFunction %void None %function
        %e4 = OpLabel
        %v4 = OpLoad %Block %c
        OpReturn
        OpFunctionEnd"
    );
    let reflection = reflect_text(&text);
    let ids: Vec<_> = reflection
        .descriptors
        .iter()
        .map(|found| found.id)
        .collect();
    let uses = |entry: usize| {
        let uses = reflection.entry_points[entry].uses.as_ref().unwrap();
        uses.descriptors.clone()
    };
    assert_eq!((uses(0), uses(1)), (vec![ids[0]], vec![ids[1]]));
    let access: Vec<_> = reflection
        .descriptors
        .iter()
        .map(|found| found.access)
        .collect();
    // What the callee does with its parameter is done with the argument.
    assert!(access[0].read && access[0].written);
    assert!(access[1].read && !access[1].written);
    assert!(!access[2].used && !access[2].read);
    let reached: Vec<_> = reflection
        .functions
        .iter()
        .map(|found| found.reached)
        .collect();
    assert_eq!(reached, [true, true, true, false]);
}

#[test]
fn interfaces_have_locations_formats_and_built_ins() {
    let reflection = reflect_text(
        "OpCapability Shader
        OpCapability Geometry
        OpMemoryModel Logical GLSL450
        OpEntryPoint Geometry %main \"main\" %in %position %out
        OpName %Vertex \"Vertex\"
        OpDecorate %in Location 4
        OpDecorate %in NoPerspective
        OpDecorate %out Location 1
        OpDecorate %out Component 2
        OpDecorate %position BuiltIn Position
        OpDecorate %Varyings Block
        OpDecorate %block Location 2
        OpMemberDecorate %Varyings 1 Location 9
        %void = OpTypeVoid
        %function = OpTypeFunction %void
        %uint = OpTypeInt 32 0
        %float = OpTypeFloat 32
        %vec2 = OpTypeVector %float 2
        %vec4 = OpTypeVector %float 4
        %mat3 = OpTypeMatrix %vec4 3
        %three = OpConstant %uint 3
        %vertices = OpTypeArray %mat3 %three
        %Varyings = OpTypeStruct %mat3 %float %vec2
        %pi = OpTypePointer Input %vertices
        %po = OpTypePointer Output %vec2
        %pp = OpTypePointer Output %vec4
        %pb = OpTypePointer Output %Varyings
        %in = OpVariable %pi Input
        %out = OpVariable %po Output
        %position = OpVariable %pp Output
        %block = OpVariable %pb Output
        %main = OpFunction %void None %function
        %entry = OpLabel
        OpReturn
        OpFunctionEnd",
    );
    let input = &reflection.inputs[0];
    assert_eq!((input.location, input.locations), (Some(4), Some(3)));
    assert!(input.per_vertex);
    assert_eq!(input.array, [Extent::Fixed(3)]);
    assert_eq!(input.format.as_deref(), Some("R32G32B32A32_SFLOAT"));
    assert_eq!(input.decorations.len(), 1);
    let [out, position, block] = &reflection.outputs[..] else {
        panic!("{:?}", reflection.outputs);
    };
    assert_eq!((out.location, out.component), (Some(1), Some(2)));
    assert_eq!(out.format.as_deref(), Some("R32G32_SFLOAT"));
    assert!(position.built_in.is_some() && position.location.is_none());
    let ty = reflection.ty(block.ty.unwrap()).unwrap();
    let TypeKind::Struct { members, block } = &ty.kind else {
        panic!("{ty:?}");
    };
    assert_eq!(*block, Some(Block::Block));
    let places: Vec<_> = members
        .iter()
        .map(|member| (member.location, member.location_offset))
        .collect();
    // The last follows the one before it, which has a location of its own.
    assert_eq!(places, [(None, Some(0)), (Some(9), None), (Some(10), None)]);
}
