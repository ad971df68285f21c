//! What capabilities allow that the grammar's tables don't say: the text of section
//! 3.31 and of the extensions, as far as it can be recognized in a module.
//!
//! Widths and vector sizes are [needs](super::Need) like those of the tables. For
//! everything else it is enough to know on which capabilities a use *may* rest, so
//! that they are kept where they are declared; nothing is missing for want of them.

use spirvkit_grammar::{
    BuiltIn, Capability, Dim, GroupOperation, Op, OperandKind, Scope, StorageClass,
};

use Capability as C;

/// Capabilities that decide which rules a module is under.
pub(super) const ALWAYS_HELD: &[Capability] = &[
    C::Shader,
    C::Kernel,
    C::AtomicStorage,
    C::CooperativeMatrixNV,
];

/// What lets numbers of a width be declared: any of the capabilities, or of the
/// extensions.
pub(super) struct Width {
    pub(super) op: Op,
    pub(super) bits: u32,
    pub(super) capabilities: &'static [Capability],
    pub(super) freed_by: &'static [&'static str],
}

/// The widths that need something. (Integers of other widths but 32 need
/// `ArbitraryPrecisionIntegersALTERA`; of other floats nothing is known.)
pub(super) const WIDTHS: &[Width] = &[
    Width {
        op: Op::TypeInt,
        bits: 8,
        capabilities: &[
            C::Int8,
            C::StorageBuffer8BitAccess,
            C::UniformAndStorageBuffer8BitAccess,
            C::StoragePushConstant8,
            C::WorkgroupMemoryExplicitLayout8BitAccessKHR,
            C::ArbitraryPrecisionIntegersALTERA,
        ],
        freed_by: &[],
    },
    Width {
        op: Op::TypeInt,
        bits: 16,
        capabilities: &[
            C::Int16,
            C::StorageBuffer16BitAccess,
            C::UniformAndStorageBuffer16BitAccess,
            C::StoragePushConstant16,
            C::StorageInputOutput16,
            C::WorkgroupMemoryExplicitLayout16BitAccessKHR,
            C::ArbitraryPrecisionIntegersALTERA,
        ],
        freed_by: &["SPV_AMD_gpu_shader_int16"],
    },
    Width {
        op: Op::TypeInt,
        bits: 64,
        capabilities: &[C::Int64, C::ArbitraryPrecisionIntegersALTERA],
        freed_by: &[],
    },
    Width {
        op: Op::TypeInt,
        bits: 4,
        capabilities: &[C::Int4TypeINTEL, C::ArbitraryPrecisionIntegersALTERA],
        freed_by: &[],
    },
    Width {
        op: Op::TypeFloat,
        bits: 16,
        capabilities: &[
            C::Float16,
            C::Float16Buffer,
            C::StorageBuffer16BitAccess,
            C::UniformAndStorageBuffer16BitAccess,
            C::StoragePushConstant16,
            C::StorageInputOutput16,
            C::WorkgroupMemoryExplicitLayout16BitAccessKHR,
        ],
        freed_by: &[
            "SPV_AMD_gpu_shader_half_float",
            "SPV_AMD_gpu_shader_half_float_fetch",
        ],
    },
    Width {
        op: Op::TypeFloat,
        bits: 64,
        capabilities: &[C::Float64],
        freed_by: &[],
    },
];

/// What lets vectors have other than 2, 3 or 4 components.
pub(super) const WIDE_VECTORS: &[Capability] = &[C::Vector16, C::VectorAnyINTEL, C::LongVectorEXT];
pub(super) const ODD_VECTORS: &[Capability] = &[C::VectorAnyINTEL, C::LongVectorEXT];

/// What lets numbers of 8 or 16 bits into a storage class.
pub(super) const STORAGE: &[(StorageClass, u32, &[Capability])] = &[
    (
        StorageClass::StorageBuffer,
        8,
        &[C::StorageBuffer8BitAccess],
    ),
    (
        StorageClass::PhysicalStorageBuffer,
        8,
        &[C::StorageBuffer8BitAccess],
    ),
    // A uniform variable may be a storage buffer.
    (
        StorageClass::Uniform,
        8,
        &[
            C::UniformAndStorageBuffer8BitAccess,
            C::StorageBuffer8BitAccess,
        ],
    ),
    (StorageClass::PushConstant, 8, &[C::StoragePushConstant8]),
    (
        StorageClass::Workgroup,
        8,
        &[C::WorkgroupMemoryExplicitLayout8BitAccessKHR, C::Int8],
    ),
    (
        StorageClass::StorageBuffer,
        16,
        &[C::StorageBuffer16BitAccess],
    ),
    (
        StorageClass::PhysicalStorageBuffer,
        16,
        &[C::StorageBuffer16BitAccess],
    ),
    (
        StorageClass::Uniform,
        16,
        &[
            C::UniformAndStorageBuffer16BitAccess,
            C::StorageBuffer16BitAccess,
        ],
    ),
    (StorageClass::PushConstant, 16, &[C::StoragePushConstant16]),
    (
        StorageClass::Workgroup,
        16,
        &[
            C::WorkgroupMemoryExplicitLayout16BitAccessKHR,
            C::Int16,
            C::Float16,
        ],
    ),
    (StorageClass::Input, 16, &[C::StorageInputOutput16]),
    (StorageClass::Output, 16, &[C::StorageInputOutput16]),
];

/// What lets such numbers be calculated with, and stand anywhere.
pub(super) const CALCULATION: &[Capability] = &[C::Int8, C::Int16, C::Float16, C::Float16Buffer];

/// Conversions that round to 16 bits are for what is stored (Vulkan,
/// VUID-StandaloneSpirv-FPRoundingMode-04675).
pub(super) const ROUNDED_STORES: &[Capability] = &[
    C::StorageBuffer16BitAccess,
    C::UniformAndStorageBuffer16BitAccess,
    C::StoragePushConstant16,
    C::StorageInputOutput16,
];

pub(super) const VARIABLE_POINTERS: &[Capability] =
    &[C::VariablePointers, C::VariablePointersStorageBuffer];

/// Images of any sort, where a row has no say, and what they may need.
pub(super) struct ImageUse {
    pub(super) dim: Option<Dim>,
    pub(super) arrayed: Option<bool>,
    pub(super) multisampled: Option<bool>,
    /// Whether the image is used without a sampler; not, if it isn't known.
    pub(super) stored: Option<bool>,
    pub(super) capabilities: &'static [Capability],
}

const ANY_IMAGE: ImageUse = ImageUse {
    dim: None,
    arrayed: None,
    multisampled: None,
    stored: None,
    capabilities: &[C::ImageBasic, C::ImageReadWrite, C::ImageMipmap],
};

pub(super) const IMAGES: &[ImageUse] = &[
    ANY_IMAGE,
    ImageUse {
        dim: Some(Dim::Dim1D),
        stored: Some(true),
        capabilities: &[C::Image1D],
        ..ANY_IMAGE
    },
    ImageUse {
        dim: Some(Dim::Rect),
        stored: Some(true),
        capabilities: &[C::ImageRect],
        ..ANY_IMAGE
    },
    ImageUse {
        dim: Some(Dim::Buffer),
        stored: Some(true),
        capabilities: &[C::ImageBuffer],
        ..ANY_IMAGE
    },
    ImageUse {
        dim: Some(Dim::Cube),
        arrayed: Some(true),
        stored: Some(true),
        capabilities: &[C::ImageCubeArray],
        ..ANY_IMAGE
    },
    ImageUse {
        dim: Some(Dim::Cube),
        arrayed: Some(true),
        capabilities: &[C::SampledCubeArray],
        ..ANY_IMAGE
    },
    ImageUse {
        multisampled: Some(true),
        stored: Some(true),
        capabilities: &[C::StorageImageMultisample],
        ..ANY_IMAGE
    },
    ImageUse {
        arrayed: Some(true),
        multisampled: Some(true),
        stored: Some(true),
        capabilities: &[C::ImageMSArray],
        ..ANY_IMAGE
    },
];

/// Indexing arrays of resources by what is no constant.
pub(super) const INDEXED_BLOCKS: &[Capability] = &[
    C::UniformBufferArrayDynamicIndexing,
    C::StorageBufferArrayDynamicIndexing,
    C::UniformBufferArrayNonUniformIndexing,
    C::StorageBufferArrayNonUniformIndexing,
];
pub(super) const INDEXED_RESOURCES: &[Capability] = &[
    C::SampledImageArrayDynamicIndexing,
    C::StorageImageArrayDynamicIndexing,
    C::InputAttachmentArrayDynamicIndexing,
    C::UniformTexelBufferArrayDynamicIndexing,
    C::StorageTexelBufferArrayDynamicIndexing,
    C::SampledImageArrayNonUniformIndexing,
    C::StorageImageArrayNonUniformIndexing,
    C::InputAttachmentArrayNonUniformIndexing,
    C::UniformTexelBufferArrayNonUniformIndexing,
    C::StorageTexelBufferArrayNonUniformIndexing,
    C::StorageTensorArrayDynamicIndexingARM,
    C::StorageTensorArrayNonUniformIndexingARM,
];
pub(super) const UNSIZED_RESOURCES: &[Capability] = &[C::RuntimeDescriptorArray];

pub(super) const POINT_SIZES: &[Capability] = &[C::TessellationPointSize, C::GeometryPointSize];

/// What instructions may rest on beside what enables them.
pub(super) const INSTRUCTIONS: &[(&[Op], &[Capability])] = &[
    (&[Op::TypeVectorIdEXT], ODD_VECTORS),
    (
        &[Op::TypeCooperativeMatrixKHR],
        &[
            C::BFloat16CooperativeMatrixKHR,
            C::Float8CooperativeMatrixEXT,
            C::Int4CooperativeMatrixINTEL,
            C::CooperativeMatrixConversionsEXT,
            C::CooperativeMatrixConversionsNV,
        ],
    ),
    (&[Op::Dot], &[C::BFloat16DotProductKHR]),
    (
        &[
            Op::SDot,
            Op::UDot,
            Op::SUDot,
            Op::SDotAccSat,
            Op::UDotAccSat,
            Op::SUDotAccSat,
        ],
        &[
            C::DotProductInputAll,
            C::DotProductInput4x8Bit,
            C::DotProductInput4x8BitPacked,
        ],
    ),
    (
        &[Op::FDot2MixAcc16VALVE, Op::FDot2MixAcc32VALVE],
        &[
            C::DotProductFloat16AccFloat16VALVE,
            C::DotProductFloat16AccFloat32VALVE,
            C::DotProductBFloat16AccVALVE,
        ],
    ),
    (
        &[Op::ImageGatherQCOM],
        &[C::ImageGatherLinearQCOM, C::ImageGatherExtendedModesQCOM],
    ),
    (
        &[Op::TraceRayKHR, Op::RayQueryInitializeKHR],
        &[C::RayTracingOpacityMicromapKHR],
    ),
];

/// What atomic instructions on floats rest on, by their width.
pub(super) const ATOMIC_FLOATS: &[(u8, &[Capability])] = &[
    (16, &[C::AtomicFloat16AddEXT, C::AtomicFloat16MinMaxEXT]),
    (32, &[C::AtomicFloat32AddEXT, C::AtomicFloat32MinMaxEXT]),
    (64, &[C::AtomicFloat64AddEXT, C::AtomicFloat64MinMaxEXT]),
];

pub(super) const ATOMIC_FLOAT_VECTORS: &[Capability] = &[C::AtomicFloat16VectorNV];
pub(super) const ATOMIC_INTEGERS: &[Capability] = &[C::Int64Atomics];
pub(super) const UNFORMATTED_READS: &[Capability] = &[C::StorageImageReadWithoutFormat];
pub(super) const UNFORMATTED_WRITES: &[Capability] = &[C::StorageImageWriteWithoutFormat];
pub(super) const SHARED_BLOCKS: &[Capability] = &[C::WorkgroupMemoryExplicitLayoutKHR];
pub(super) const POINTER_VECTORS: &[Capability] = &[C::MaskedGatherScatterINTEL];

/// What scopes rest on, as those of execution or of memory: that of the device in the
/// memory model of Vulkan, that of a subgroup in Vulkan 1.0
///.
pub(super) const SCOPES: &[(Scope, &[Capability])] = &[
    (Scope::Device, &[C::VulkanMemoryModelDeviceScope]),
    (Scope::Subgroup, &[C::SubgroupBallotKHR, C::SubgroupVoteKHR]),
];

/// Whether a use of the capability is recognized by what is in this file.
pub(super) fn is_recognized(capability: Capability) -> bool {
    let lists = [
        WIDE_VECTORS,
        CALCULATION,
        ROUNDED_STORES,
        VARIABLE_POINTERS,
        INDEXED_BLOCKS,
        INDEXED_RESOURCES,
        UNSIZED_RESOURCES,
        POINT_SIZES,
        ATOMIC_FLOAT_VECTORS,
        ATOMIC_INTEGERS,
        UNFORMATTED_READS,
        UNFORMATTED_WRITES,
        SHARED_BLOCKS,
        POINTER_VECTORS,
    ];
    let widths = WIDTHS.iter().map(|row| row.capabilities);
    let storage = STORAGE.iter().map(|row| row.2);
    let images = IMAGES.iter().map(|row| row.capabilities);
    let instructions = INSTRUCTIONS.iter().map(|row| row.1);
    let scopes = SCOPES.iter().map(|row| row.1);
    let atomics = ATOMIC_FLOATS.iter().map(|row| row.1);
    lists
        .into_iter()
        .chain(widths)
        .chain(storage)
        .chain(images)
        .chain(instructions)
        .chain(atomics)
        .chain(scopes)
        .any(|list| list.contains(&capability))
}

/// The extensions that free an instruction of its capability.
pub(super) fn instruction_freed_by(op: Op) -> &'static [&'static str] {
    match op.is_amd_group() {
        true => SHADER_BALLOT,
        false => &[],
    }
}

/// The extensions that free an enumerant of its capability.
pub(super) fn enumerant_freed_by(kind: OperandKind, value: u32) -> &'static [&'static str] {
    match kind {
        OperandKind::GroupOperation if value <= GroupOperation::ExclusiveScan.0 => SHADER_BALLOT,
        _ => &[],
    }
}

const SHADER_BALLOT: &[&str] = &["SPV_AMD_shader_ballot"];

/// Whether front ends list a built-in in `gl_PerVertex` whether or not the shader
/// uses it, so that naming it takes no capability.
pub(super) fn is_named_without_use(kind: OperandKind, value: u32) -> bool {
    kind == OperandKind::BuiltIn
        && matches!(
            BuiltIn(value),
            BuiltIn::PointSize | BuiltIn::ClipDistance | BuiltIn::CullDistance
        )
}
