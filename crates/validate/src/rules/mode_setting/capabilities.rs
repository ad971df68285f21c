//! Which capabilities the environments know.

use spirvkit_grammar::{Capability, OperandKind, Version};

use crate::finding::{CheckResult, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::Module;
use crate::options::Api;
use crate::rules::generated::mode_setting;

/// Checks an `OpCapability`.
pub(super) fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let capability = Capability(at.inst.arg(0));
    let lacks_model = capability == Capability::CooperativeMatrixKHR
        && m.has(Capability::Shader)
        && !m.has(Capability::VulkanMemoryModel);
    let has_model = expect(!lacks_model, || {
        let message =
            "`CooperativeMatrixKHR` and `Shader` together need the capability `VulkanMemoryModel`";
        at.finding(&mode_setting::COOPERATIVE_MATRIX_MEMORY_MODEL, message)
    });
    all([has_model, check_known(at, capability)])
}

/// Checks that the environment knows a capability.
fn check_known(at: &InstCtx<'_, '_>, capability: Capability) -> CheckResult {
    let m = at.m;
    if environment_knows(m, capability) {
        return Ok(());
    }
    let message = format!(
        "{} does not support the capability `{capability}`",
        m.env.target.name()
    );
    let mut finding = at.finding(&mode_setting::CAPABILITY_ENVIRONMENT, message);
    let info = OperandKind::Capability.enumerant(capability.0);
    let mut extensions = info
        .into_iter()
        .flat_map(|info| info.availability().extensions());
    if let Some(extension) = extensions.next() {
        finding = finding.help(format!("the extension `{extension}` may permit it"));
    }
    Err(finding)
}

/// Whether the module's environment knows a capability, by itself or by an
/// extension that the module declares.
pub(crate) fn environment_knows(m: &Module<'_>, capability: Capability) -> bool {
    let known = match m.env.api {
        Api::Vulkan => vulkan_since(capability).is_some_and(|minor| m.env.is_vulkan_since(minor)),
        Api::OpenCl => {
            opencl_since(capability, m.env.embedded).is_some_and(|since| m.env.api_version >= since)
                || m.has(Capability::ImageBasic) && comes_with_images(capability, m.env.api_version)
        }
        _ => return true,
    };
    known || is_of_declared_extension(m, capability)
}

/// Whether the module declares an extension that brings the capability.
fn is_of_declared_extension(m: &Module<'_>, capability: Capability) -> bool {
    let info = OperandKind::Capability.enumerant(capability.0);
    let mut extensions = info
        .into_iter()
        .flat_map(|info| info.availability().extensions());
    extensions.any(|extension| m.has_extension(extension))
}

/// The first minor version of Vulkan that knows a capability without any
/// extension.
fn vulkan_since(capability: Capability) -> Option<u8> {
    use Capability as C;
    Some(match capability {
        C::Matrix
        | C::Shader
        | C::InputAttachment
        | C::Sampled1D
        | C::Image1D
        | C::SampledBuffer
        | C::ImageBuffer
        | C::ImageQuery
        | C::DerivativeControl
        | C::Geometry
        | C::Tessellation
        | C::Float16
        | C::Float64
        | C::Int64
        | C::Int64Atomics
        | C::Int16
        | C::Int8
        | C::TessellationPointSize
        | C::GeometryPointSize
        | C::ImageGatherExtended
        | C::StorageImageMultisample
        | C::UniformBufferArrayDynamicIndexing
        | C::SampledImageArrayDynamicIndexing
        | C::StorageBufferArrayDynamicIndexing
        | C::StorageImageArrayDynamicIndexing
        | C::ClipDistance
        | C::CullDistance
        | C::ImageCubeArray
        | C::SampleRateShading
        | C::SparseResidency
        | C::MinLod
        | C::SampledCubeArray
        | C::ImageMSArray
        | C::StorageImageExtendedFormats
        | C::InterpolationFunction
        | C::TransformFeedback
        | C::GeometryStreams
        | C::StorageImageReadWithoutFormat
        | C::StorageImageWriteWithoutFormat
        | C::MultiViewport => 0,
        C::GroupNonUniform
        | C::GroupNonUniformVote
        | C::GroupNonUniformArithmetic
        | C::GroupNonUniformBallot
        | C::GroupNonUniformShuffle
        | C::GroupNonUniformShuffleRelative
        | C::GroupNonUniformClustered
        | C::GroupNonUniformQuad
        | C::DrawParameters
        | C::StorageBuffer16BitAccess
        | C::UniformAndStorageBuffer16BitAccess
        | C::StoragePushConstant16
        | C::StorageInputOutput16
        | C::DeviceGroup
        | C::MultiView
        | C::VariablePointersStorageBuffer
        | C::VariablePointers => 1,
        C::DenormPreserve
        | C::DenormFlushToZero
        | C::SignedZeroInfNanPreserve
        | C::RoundingModeRTE
        | C::RoundingModeRTZ
        | C::VulkanMemoryModel
        | C::VulkanMemoryModelDeviceScope
        | C::StorageBuffer8BitAccess
        | C::UniformAndStorageBuffer8BitAccess
        | C::StoragePushConstant8
        | C::ShaderViewportIndex
        | C::ShaderLayer
        | C::PhysicalStorageBufferAddresses
        | C::RuntimeDescriptorArray
        | C::UniformTexelBufferArrayDynamicIndexing
        | C::StorageTexelBufferArrayDynamicIndexing
        | C::UniformBufferArrayNonUniformIndexing
        | C::SampledImageArrayNonUniformIndexing
        | C::StorageBufferArrayNonUniformIndexing
        | C::StorageImageArrayNonUniformIndexing
        | C::InputAttachmentArrayDynamicIndexing
        | C::InputAttachmentArrayNonUniformIndexing
        | C::UniformTexelBufferArrayNonUniformIndexing
        | C::StorageTexelBufferArrayNonUniformIndexing
        | C::ShaderNonUniform => 2,
        C::DemoteToHelperInvocation
        | C::DotProduct
        | C::DotProductInputAll
        | C::DotProductInput4x8Bit
        | C::DotProductInput4x8BitPacked => 3,
        C::ExpectAssumeKHR | C::FloatControls2 | C::GroupNonUniformRotateKHR => 4,
        _ => return None,
    })
}

/// The first version of OpenCL that knows a capability without any extension of
/// SPIR-V. Extensions of OpenCL aren't declared in modules.
fn opencl_since(capability: Capability, embedded: bool) -> Option<Version> {
    use Capability as C;
    Some(match capability {
        C::Int64 if embedded => return None,
        C::Addresses
        | C::Float16Buffer
        | C::Float16
        | C::Float64
        | C::ImageBasic
        | C::Int64
        | C::Int16
        | C::Int8
        | C::Kernel
        | C::Linkage
        | C::Vector16
        // cl_khr_int64_base_atomics and cl_khr_int64_extended_atomics.
        | C::Int64Atomics
        // cl_khr_mipmap_image_writes.
        | C::ImageMipmap
        // cl_khr_integer_dot_product.
        | C::DotProduct
        | C::DotProductInput4x8Bit
        | C::DotProductInput4x8BitPacked
        // cl_khr_subgroup_named_barrier, and those for what subgroups do together.
        | C::NamedBarrier
        | C::GroupNonUniform
        | C::GroupNonUniformVote
        | C::GroupNonUniformBallot
        | C::GroupNonUniformArithmetic
        | C::GroupNonUniformShuffle
        | C::GroupNonUniformShuffleRelative
        | C::GroupNonUniformClustered => Version::new(1, 2),
        C::DeviceEnqueue | C::GenericPointer | C::Groups | C::Pipes => Version::new(2, 0),
        C::SubgroupDispatch | C::PipeStorage => Version::new(2, 2),
        _ => return None,
    })
}

/// Whether OpenCL knows a capability where there are images.
fn comes_with_images(capability: Capability, version: Version) -> bool {
    use Capability as C;
    match capability {
        C::ImageReadWrite => version >= Version::new(2, 0),
        C::LiteralSampler | C::Sampled1D | C::Image1D | C::SampledBuffer | C::ImageBuffer => true,
        _ => false,
    }
}
