//! What is said of small modules, written for the purpose.

use spirvkit_binary::{Budget, Module};
use spirvkit_grammar::{Decoration, Op};
use spirvkit_reflect::{
    Block, DescriptorKind, EntryPoint, Extent, Member, Order, Reflection, Scalar, TypeKind,
    WorkgroupSource, reflect, reflect_within,
};

fn reflect_text(text: &str) -> Reflection {
    let module = spirvkit_text::assemble(text, &Default::default())
        .unwrap_or_else(|errors| panic!("{errors:?}"));
    reflect(&module.words).unwrap()
}

/// A module whose `main` has this body, with these annotations and declarations.
fn shader(modes: &str, annotations: &str, declarations: &str, body: &str) -> Reflection {
    reflect_text(&format!(
        "OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main \"main\"
        {modes}
        {annotations}
        %void = OpTypeVoid
        %function = OpTypeFunction %void
        %uint = OpTypeInt 32 0
        %float = OpTypeFloat 32
        %vec2 = OpTypeVector %float 2
        %vec3 = OpTypeVector %float 3
        %vec4 = OpTypeVector %float 4
        %zero = OpConstant %uint 0
        %two = OpConstant %uint 2
        {declarations}
        %main = OpFunction %void None %function
        %entry = OpLabel
        {body}
        OpReturn
        OpFunctionEnd"
    ))
}

fn members<'r>(reflection: &'r Reflection, name: &str) -> &'r [Member] {
    let named = |ty: &&spirvkit_reflect::Type| ty.name.as_deref() == Some(name);
    match &reflection.types.iter().find(named).unwrap().kind {
        TypeKind::Struct { members, .. } => members,
        other => panic!("{other:?}"),
    }
}

fn fixed(amount: Option<Extent>) -> u64 {
    match amount {
        Some(Extent::Fixed(number)) => number,
        other => panic!("{other:?}"),
    }
}

/// The kind of the one descriptor, whose type this declares as `%type`.
fn kind(annotations: &str, declaration: &str, class: &str) -> DescriptorKind {
    let reflection = shader(
        "",
        &format!("OpDecorate %v DescriptorSet 1\nOpDecorate %v Binding 2\n{annotations}"),
        &format!("{declaration}\n%p = OpTypePointer {class} %type\n%v = OpVariable %p {class}"),
        "",
    );
    let [descriptor] = &reflection.descriptors[..] else {
        panic!("{:?}", reflection.descriptors);
    };
    assert_eq!((descriptor.set, descriptor.binding), (Some(1), Some(2)));
    descriptor.kind
}

#[test]
fn descriptors_have_the_kinds_of_vulkan() {
    use DescriptorKind as Kind;
    let image = |dim: &str, sampled: u32| {
        let format = if sampled == 2 { "R32f" } else { "Unknown" };
        format!("%type = OpTypeImage %float {dim} 0 0 0 {sampled} {format}")
    };
    let opaque = |declaration: &str| kind("", declaration, "UniformConstant");
    assert_eq!(opaque("%type = OpTypeSampler"), Kind::Sampler);
    assert_eq!(opaque(&image("2D", 1)), Kind::SampledImage);
    assert_eq!(opaque(&image("2D", 2)), Kind::StorageImage);
    assert_eq!(opaque(&image("Buffer", 1)), Kind::UniformTexelBuffer);
    assert_eq!(opaque(&image("Buffer", 2)), Kind::StorageTexelBuffer);
    assert_eq!(opaque(&image("SubpassData", 2)), Kind::InputAttachment);
    let combined = |dim: &str| {
        let image = image(dim, 1).replace("%type", "%image");
        opaque(&format!("{image}\n%type = OpTypeSampledImage %image"))
    };
    assert_eq!(combined("2D"), Kind::CombinedImageSampler);
    assert_eq!(combined("Buffer"), Kind::UniformTexelBuffer);
    let structure = opaque("%type = OpTypeAccelerationStructureKHR");
    assert_eq!(structure, Kind::AccelerationStructure);
    let weights = kind(
        "OpDecorate %v WeightTextureQCOM",
        &image("2D", 1),
        "UniformConstant",
    );
    assert_eq!(weights, Kind::SampleWeightImage);

    let block = "%type = OpTypeStruct %float";
    let buffer = |decoration: &str, class: &str| {
        kind(&format!("OpDecorate %type {decoration}"), block, class)
    };
    assert_eq!(buffer("Block", "Uniform"), Kind::UniformBuffer);
    assert_eq!(buffer("BufferBlock", "Uniform"), Kind::StorageBuffer);
    assert_eq!(buffer("Block", "StorageBuffer"), Kind::StorageBuffer);
    // Bound, but nothing that anything is bound to.
    assert_eq!(opaque("%type = OpTypeStruct %float"), Kind::Unknown);
}

#[test]
fn members_have_offsets_sizes_and_strides() {
    let reflection = shader(
        "",
        "OpName %Block \"Block\"
        OpName %Inner \"Inner\"
        OpMemberName %Block 1 \"matrix\"
        OpDecorate %Block Block
        OpMemberDecorate %Block 0 Offset 0
        OpMemberDecorate %Block 1 Offset 16
        OpMemberDecorate %Block 1 RowMajor
        OpMemberDecorate %Block 1 MatrixStride 16
        OpMemberDecorate %Block 2 Offset 64
        OpMemberDecorate %Block 3 Offset 96
        OpMemberDecorate %Inner 0 Offset 0
        OpDecorate %array ArrayStride 16
        OpDecorate %v DescriptorSet 0
        OpDecorate %v Binding 0",
        "%mat4x2 = OpTypeMatrix %vec2 4
        %array = OpTypeArray %float %two
        %Inner = OpTypeStruct %vec3
        %Block = OpTypeStruct %float %mat4x2 %array %Inner
        %p = OpTypePointer Uniform %Block
        %v = OpVariable %p Uniform",
        "",
    );
    let found: Vec<_> = members(&reflection, "Block")
        .iter()
        .map(|member| [member.offset, member.size, member.padded_size].map(fixed))
        .collect();
    // The matrix has two rows of 16 bytes, the array two elements of 16; behind the
    // last, in a uniform block, 16 bytes are full.
    assert_eq!(
        found,
        [[0, 4, 16], [16, 32, 48], [64, 32, 32], [96, 16, 16]]
    );
    let matrix = &members(&reflection, "Block")[1];
    assert_eq!(matrix.name.as_deref(), Some("matrix"));
    assert_eq!(matrix.matrix_order, Some(Order::RowMajor));
    assert_eq!(matrix.matrix_stride, Some(16));
    let inner = &members(&reflection, "Inner")[0];
    assert_eq!((fixed(inner.size), fixed(inner.padded_size)), (12, 16));
    let descriptor = &reflection.descriptors[0];
    assert_eq!(
        (fixed(descriptor.size), fixed(descriptor.padded_size)),
        (108, 112)
    );
}

#[test]
fn outside_of_uniform_blocks_nothing_is_rounded() {
    let reflection = shader(
        "",
        "OpName %Block \"Block\"
        OpDecorate %Block Block
        OpMemberDecorate %Block 0 Offset 8
        OpMemberDecorate %Block 1 Offset 16",
        "%Block = OpTypeStruct %float %vec3
        %p = OpTypePointer PushConstant %Block
        %v = OpVariable %p PushConstant",
        "",
    );
    let last = &members(&reflection, "Block")[1];
    assert_eq!((fixed(last.size), fixed(last.padded_size)), (12, 12));
    let constants = &reflection.push_constants[0];
    assert_eq!((fixed(constants.offset), fixed(constants.size)), (8, 28));
    assert!(!constants.used);
}

#[test]
fn what_has_no_layout_has_no_offsets() {
    let reflection = shader(
        "",
        "OpName %Plain \"Plain\"",
        "%Plain = OpTypeStruct %float %vec3",
        "",
    );
    let plain = members(&reflection, "Plain");
    assert_eq!((plain[1].offset, plain[1].padded_size), (None, None));
}

#[test]
fn lengths_may_be_specialized_or_known_at_run_time() {
    let reflection = shader(
        "",
        "OpName %Block \"Block\"
        OpDecorate %Block Block
        OpMemberDecorate %Block 0 Offset 0
        OpMemberDecorate %Block 1 Offset 64
        OpDecorate %length SpecId 3
        OpDecorate %some ArrayStride 4
        OpDecorate %many ArrayStride 4
        OpDecorate %v DescriptorSet 0
        OpDecorate %v Binding 0",
        "%length = OpSpecConstant %uint 5
        %twice = OpSpecConstantOp %uint IMul %length %two
        %some = OpTypeArray %float %twice
        %many = OpTypeRuntimeArray %float
        %Block = OpTypeStruct %some %many
        %blocks = OpTypeArray %Block %two
        %all = OpTypeArray %blocks %length
        %p = OpTypePointer StorageBuffer %all
        %v = OpVariable %p StorageBuffer",
        "",
    );
    let block = members(&reflection, "Block");
    assert_eq!(block[0].size, Some(Extent::Default(40)));
    assert_eq!(block[1].size, Some(Extent::Runtime));
    let descriptor = &reflection.descriptors[0];
    assert_eq!(descriptor.array, [Extent::Default(5), Extent::Fixed(2)]);
    assert_eq!(descriptor.count, Extent::Default(10));
    assert_eq!(descriptor.size, Some(Extent::Runtime));
    let [constant] = &reflection.spec_constants[..] else {
        panic!("{:?}", reflection.spec_constants);
    };
    assert_eq!(
        (constant.spec_id, constant.default),
        (Some(3), Scalar::Unsigned(5))
    );
}

#[test]
fn floats_have_their_values() {
    let reflection = reflect_text(
        "OpCapability Shader
        OpCapability Float16
        OpCapability Float64
        OpMemoryModel Logical GLSL450
        %half = OpTypeFloat 16
        %double = OpTypeFloat 64
        %bool = OpTypeBool
        %byte = OpTypeInt 8 1
        %a = OpSpecConstant %half -1.5
        %b = OpSpecConstant %half 0x1p-24
        %c = OpSpecConstant %half 0x1p+16
        %d = OpSpecConstant %double 0.1
        %e = OpSpecConstantTrue %bool
        %f = OpSpecConstant %byte -3",
    );
    let defaults: Vec<_> = reflection
        .spec_constants
        .iter()
        .map(|constant| constant.default)
        .collect();
    let smallest = 2f64.powi(-24);
    assert_eq!(
        defaults,
        [
            Scalar::Float(-1.5),
            Scalar::Float(smallest),
            Scalar::Float(f64::INFINITY),
            Scalar::Float(0.1),
            Scalar::Bool(true),
            Scalar::Signed(-3),
        ]
    );
    let sizes = reflection
        .spec_constants
        .iter()
        .map(|constant| constant.size);
    assert!(sizes.eq([2, 2, 2, 8, 4, 1].map(Some)));
}

#[test]
fn workgroups_have_the_size_that_counts() {
    let sizes = |reflection: &Reflection| {
        let size = reflection.entry_points[0].workgroup_size.clone().unwrap();
        let each = [size.x, size.y, size.z].map(|each| (each.size, each.spec_id));
        (each, size.source)
    };
    let plain = shader("OpExecutionMode %main LocalSize 8 4 1", "", "", "");
    let (each, source) = sizes(&plain);
    assert_eq!(
        each.map(|(size, _)| size.known()),
        [Some(8), Some(4), Some(1)]
    );
    assert_eq!(source, WorkgroupSource::LocalSize);

    let by_ids = shader(
        "OpExecutionModeId %main LocalSizeId %two %x %two",
        "OpDecorate %x SpecId 7",
        "%x = OpSpecConstant %uint 32",
        "",
    );
    let (each, source) = sizes(&by_ids);
    assert_eq!(each[0], (Extent::Fixed(2), None));
    assert_eq!(each[1], (Extent::Default(32), Some(7)));
    assert_eq!(source, WorkgroupSource::LocalSizeId);

    // The built-in goes before the mode.
    let built_in = shader(
        "OpExecutionMode %main LocalSize 8 4 1",
        "OpDecorate %size BuiltIn WorkgroupSize\nOpDecorate %x SpecId 7",
        "%uvec3 = OpTypeVector %uint 3
        %x = OpSpecConstant %uint 32
        %size = OpSpecConstantComposite %uvec3 %x %two %two",
        "",
    );
    let (each, source) = sizes(&built_in);
    assert_eq!(each[0], (Extent::Default(32), Some(7)));
    assert_eq!(each[2], (Extent::Fixed(2), None));
    assert_eq!(source, WorkgroupSource::BuiltIn);
}

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

#[test]
fn kernels_tell_what_they_know_of_their_arguments() {
    let reflection = reflect_text(
        "OpCapability Addresses
        OpCapability Kernel
        OpCapability ImageBasic
        OpMemoryModel Physical64 OpenCL
        OpEntryPoint Kernel %f \"scale\"
        OpEntryPoint Kernel %g \"other\"
        %types = OpString \"kernel_arg_type.scale.float*,map<int,int>,image2d_t,\"
        %quals = OpString \"kernel_arg_type_qual.scale.const restrict,,,\"
        OpName %data \"data\"
        OpDecorate %data FuncParamAttr NoWrite
        %void = OpTypeVoid
        %float = OpTypeFloat 32
        %uint = OpTypeInt 32 0
        %image = OpTypeImage %void 2D 0 0 0 0 Unknown WriteOnly
        %global = OpTypePointer CrossWorkgroup %float
        %type = OpTypeFunction %void %global %uint %image
        %f = OpFunction %void None %type
        %data = OpFunctionParameter %global
        %count = OpFunctionParameter %uint
        %target = OpFunctionParameter %image
        %entry = OpLabel
        OpReturn
        OpFunctionEnd
        %g = OpFunction %void None %type
        %g1 = OpFunctionParameter %global
        %g2 = OpFunctionParameter %uint
        %g3 = OpFunctionParameter %image
        %g_entry = OpLabel
        OpReturn
        OpFunctionEnd",
    );
    let [scale, other] = &reflection.kernels[..] else {
        panic!("{:?}", reflection.kernels);
    };
    let [data, count, target] = &scale.arguments[..] else {
        panic!("{scale:?}");
    };
    assert_eq!(data.name.as_deref(), Some("data"));
    assert_eq!(data.type_name.as_deref(), Some("float*"));
    assert_eq!(data.address_space, Some("global"));
    assert_eq!(data.attributes, ["NoWrite"]);
    let qualifiers = data.type_qualifiers.as_deref().unwrap();
    assert_eq!(qualifiers, ["const", "restrict"]);
    assert_eq!(count.type_name.as_deref(), Some("map<int,int>"));
    assert_eq!(
        (count.address_space, count.access),
        (Some("private"), Some("none"))
    );
    assert_eq!(target.access, Some("write_only"));
    // Nothing is guessed where the module doesn't tell.
    assert_eq!(other.arguments[0].type_name, None);
    assert_eq!(other.arguments[0].type_qualifiers, None);
    let json = serde_json::to_value(&other.arguments[0]).unwrap();
    assert_eq!(json["type_qualifiers"], "unknown");
    assert_eq!(json["name"], "unknown");
}

#[test]
fn reflection_of_clspv_tells_where_arguments_are() {
    let reflection = reflect_text(
        "OpCapability Shader
        OpExtension \"SPV_KHR_non_semantic_info\"
        %set = OpExtInstImport \"NonSemantic.ClspvReflection.5\"
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main \"add\"
        %name = OpString \"add\"
        %argument_name = OpString \"data\"
        %type_name = OpString \"float*\"
        %void = OpTypeVoid
        %uint = OpTypeInt 32 0
        %function = OpTypeFunction %void
        %zero = OpConstant %uint 0
        %one = OpConstant %uint 1
        %global = OpConstant %uint 0x119b
        %none = OpConstant %uint 0x11a3
        %bits = OpConstant %uint 5
        %main = OpFunction %void None %function
        %entry = OpLabel
        OpReturn
        OpFunctionEnd
        %kernel = OpExtInst %void %set Kernel %main %name
        %info = OpExtInst %void %set ArgumentInfo %argument_name %type_name %global %none %bits
        %1 = OpExtInst %void %set ArgumentStorageBuffer %kernel %zero %zero %one %info",
    );
    let [kernel] = &reflection.kernels[..] else {
        panic!("{:?}", reflection.kernels);
    };
    assert_eq!(kernel.name, "add");
    let argument = &kernel.arguments[0];
    assert_eq!(argument.name.as_deref(), Some("data"));
    assert_eq!(argument.address_space, Some("global"));
    let qualifiers = argument.type_qualifiers.as_deref().unwrap();
    assert_eq!(qualifiers, ["const", "volatile"]);
    let passing = argument.passing.as_ref().unwrap();
    assert_eq!(passing.kind, "ArgumentStorageBuffer");
    assert_eq!((passing.set, passing.binding), (Some(0), Some(1)));
}

#[test]
fn types_that_double_or_go_in_circles_stay_small() {
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
    let mut words = spirvkit_text::assemble(text, &Default::default())
        .unwrap()
        .words;
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
fn many_entry_points_of_one_function_are_not_told_in_full() {
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
fn execution_modes_of_many_entry_points_are_told_as_far_as_there_is_room() {
    const COUNT: usize = 400;
    let mut text = String::from("OpCapability Shader\nOpMemoryModel Logical GLSL450\n");
    for number in 0..COUNT {
        text += &format!("OpEntryPoint GLCompute %main \"e{number}\"\n");
    }
    text += "OpExecutionMode %main LocalSize 8 4 1\n";
    text += &"OpExecutionMode %main LocalSizeHint 1 2 3\n".repeat(COUNT);
    text += "%void = OpTypeVoid\n%f = OpTypeFunction %void\n%main = OpFunction %void None %f\n\
             %entry = OpLabel\nOpReturn\nOpFunctionEnd\n";
    let words = spirvkit_text::assemble(&text, &Default::default())
        .unwrap()
        .words;
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
    let mut words = spirvkit_text::assemble(text, &Default::default())
        .unwrap()
        .words;
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
fn strings_that_many_share_are_told_as_far_as_there_is_room() {
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
    let told = semantics.flatten().count();
    assert!((1..COUNT).contains(&told), "{told}");
    let json = serde_json::to_string(&reflection).unwrap();
    assert!(json.len() < 64 * long.len() + (16 << 20), "{}", json.len());
}
