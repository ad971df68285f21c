//! Descriptors, layouts, lengths, constants and sizes of workgroups.

use spirvkit_reflect::{DescriptorKind, Extent, Order, Reflection, Scalar, WorkgroupSource};

use crate::{fixed, members, reflect_text, shader};

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
