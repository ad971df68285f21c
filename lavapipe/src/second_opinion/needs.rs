//! What modules need of a driver (Vulkan, "SPIR-V Environment").

use spirvkit::analysis::ModuleIndex;
use spirvkit::grammar::{Capability, ExecutionMode};
use spirvkit_lavapipe::{Offers, vk};

/// What a module needs that isn't offered; `None` if there is nothing.
pub(crate) fn lacking(offers: &Offers, words: &[u32]) -> Option<String> {
    let m = ModuleIndex::new(words).ok()?;
    let capabilities = m.declared_capabilities.iter();
    let capability = capabilities
        .copied()
        .find(|it| !offers_capability(offers, *it));
    if let Some(capability) = capability {
        return Some(capability.to_string());
    }
    let modes = m.all_execution_modes().map(|(_, inst)| inst);
    let mut modes = modes.map(|inst| (ExecutionMode(inst.arg(1)), inst.optional(2)));
    let (mode, width) = modes.find(|(mode, width)| !offers_mode(offers, *mode, *width))?;
    Some(match width {
        Some(width) => format!("{mode} {width}"),
        None => mode.to_string(),
    })
}

fn offers_capability(offers: &Offers, capability: Capability) -> bool {
    let has = |extension: &str| offers.extensions.contains(extension);
    let is_on = |feature: vk::Bool32| feature == vk::TRUE;
    let does = |operations| offers.subgroups.supported_operations.contains(operations);
    let (zero, one, two, three) = (
        &offers.features,
        &offers.features_1_1,
        &offers.features_1_2,
        &offers.features_1_3,
    );
    let (floats, floats_2) = (&offers.atomic_float, &offers.atomic_float_2);
    type C = Capability;
    match capability {
        // All that compute shaders need of Vulkan 1.3, and what only execution modes use.
        C::Matrix
        | C::Shader
        | C::InputAttachment
        | C::Sampled1D
        | C::Image1D
        | C::SampledBuffer
        | C::ImageBuffer
        | C::ImageQuery
        | C::DerivativeControl
        | C::StorageImageExtendedFormats
        | C::DeviceGroup
        | C::ShaderNonUniform
        | C::DenormPreserve
        | C::DenormFlushToZero
        | C::SignedZeroInfNanPreserve
        | C::RoundingModeRTE
        | C::RoundingModeRTZ => true,
        C::Float64 => is_on(zero.shader_float64),
        C::Int64 => is_on(zero.shader_int64),
        C::Int16 => is_on(zero.shader_int16),
        C::ImageGatherExtended => is_on(zero.shader_image_gather_extended),
        C::StorageImageMultisample => is_on(zero.shader_storage_image_multisample),
        C::StorageImageReadWithoutFormat => is_on(zero.shader_storage_image_read_without_format),
        C::StorageImageWriteWithoutFormat => is_on(zero.shader_storage_image_write_without_format),
        C::UniformBufferArrayDynamicIndexing => {
            is_on(zero.shader_uniform_buffer_array_dynamic_indexing)
        }
        C::SampledImageArrayDynamicIndexing => {
            is_on(zero.shader_sampled_image_array_dynamic_indexing)
        }
        C::StorageBufferArrayDynamicIndexing => {
            is_on(zero.shader_storage_buffer_array_dynamic_indexing)
        }
        C::StorageImageArrayDynamicIndexing => {
            is_on(zero.shader_storage_image_array_dynamic_indexing)
        }
        C::ImageCubeArray | C::SampledCubeArray => is_on(zero.image_cube_array),
        C::SparseResidency => is_on(zero.shader_resource_residency),
        C::MinLod => is_on(zero.shader_resource_min_lod),
        C::StorageBuffer16BitAccess => is_on(one.storage_buffer16_bit_access),
        C::UniformAndStorageBuffer16BitAccess => is_on(one.uniform_and_storage_buffer16_bit_access),
        C::StoragePushConstant16 => is_on(one.storage_push_constant16),
        C::VariablePointersStorageBuffer => is_on(one.variable_pointers_storage_buffer),
        C::VariablePointers => is_on(one.variable_pointers),
        C::GroupNonUniform => does(vk::SubgroupFeatureFlags::BASIC),
        C::GroupNonUniformVote => does(vk::SubgroupFeatureFlags::VOTE),
        C::GroupNonUniformArithmetic => does(vk::SubgroupFeatureFlags::ARITHMETIC),
        C::GroupNonUniformBallot => does(vk::SubgroupFeatureFlags::BALLOT),
        C::GroupNonUniformShuffle => does(vk::SubgroupFeatureFlags::SHUFFLE),
        C::GroupNonUniformShuffleRelative => does(vk::SubgroupFeatureFlags::SHUFFLE_RELATIVE),
        C::GroupNonUniformClustered => does(vk::SubgroupFeatureFlags::CLUSTERED),
        C::GroupNonUniformQuad => does(vk::SubgroupFeatureFlags::QUAD),
        C::SubgroupBallotKHR => has("VK_EXT_shader_subgroup_ballot"),
        C::SubgroupVoteKHR => has("VK_EXT_shader_subgroup_vote"),
        C::Float16 => is_on(two.shader_float16),
        C::Int8 => is_on(two.shader_int8),
        C::StorageBuffer8BitAccess => is_on(two.storage_buffer8_bit_access),
        C::UniformAndStorageBuffer8BitAccess => is_on(two.uniform_and_storage_buffer8_bit_access),
        C::StoragePushConstant8 => is_on(two.storage_push_constant8),
        C::Int64Atomics => is_on(two.shader_buffer_int64_atomics),
        C::RuntimeDescriptorArray => is_on(two.runtime_descriptor_array),
        C::PhysicalStorageBufferAddresses => is_on(two.buffer_device_address),
        C::VulkanMemoryModel => is_on(two.vulkan_memory_model),
        C::VulkanMemoryModelDeviceScope => is_on(two.vulkan_memory_model_device_scope),
        C::UniformBufferArrayNonUniformIndexing => {
            is_on(two.shader_uniform_buffer_array_non_uniform_indexing)
        }
        C::SampledImageArrayNonUniformIndexing => {
            is_on(two.shader_sampled_image_array_non_uniform_indexing)
        }
        C::StorageBufferArrayNonUniformIndexing => {
            is_on(two.shader_storage_buffer_array_non_uniform_indexing)
        }
        C::StorageImageArrayNonUniformIndexing => {
            is_on(two.shader_storage_image_array_non_uniform_indexing)
        }
        C::DotProduct
        | C::DotProductInputAll
        | C::DotProductInput4x8Bit
        | C::DotProductInput4x8BitPacked => is_on(three.shader_integer_dot_product),
        C::AtomicFloat32AddEXT => is_on(floats.shader_buffer_float32_atomic_add),
        C::AtomicFloat64AddEXT => is_on(floats.shader_buffer_float64_atomic_add),
        C::AtomicFloat16AddEXT => is_on(floats_2.shader_buffer_float16_atomic_add),
        C::AtomicFloat16MinMaxEXT => is_on(floats_2.shader_buffer_float16_atomic_min_max),
        C::AtomicFloat32MinMaxEXT => is_on(floats_2.shader_buffer_float32_atomic_min_max),
        C::AtomicFloat64MinMaxEXT => is_on(floats_2.shader_buffer_float64_atomic_min_max),
        C::ShaderClockKHR => has("VK_KHR_shader_clock"),
        C::WorkgroupMemoryExplicitLayoutKHR
        | C::WorkgroupMemoryExplicitLayout8BitAccessKHR
        | C::WorkgroupMemoryExplicitLayout16BitAccessKHR => {
            has("VK_KHR_workgroup_memory_explicit_layout")
        }
        _ => false,
    }
}

fn offers_mode(offers: &Offers, mode: ExecutionMode, width: Option<u32>) -> bool {
    let it = &offers.float_controls;
    let of_width = |of: [vk::Bool32; 3]| match width {
        Some(16) => of[0] == vk::TRUE,
        Some(32) => of[1] == vk::TRUE,
        _ => of[2] == vk::TRUE,
    };
    match mode {
        ExecutionMode::DenormPreserve => of_width([
            it.shader_denorm_preserve_float16,
            it.shader_denorm_preserve_float32,
            it.shader_denorm_preserve_float64,
        ]),
        ExecutionMode::DenormFlushToZero => of_width([
            it.shader_denorm_flush_to_zero_float16,
            it.shader_denorm_flush_to_zero_float32,
            it.shader_denorm_flush_to_zero_float64,
        ]),
        ExecutionMode::SignedZeroInfNanPreserve => of_width([
            it.shader_signed_zero_inf_nan_preserve_float16,
            it.shader_signed_zero_inf_nan_preserve_float32,
            it.shader_signed_zero_inf_nan_preserve_float64,
        ]),
        ExecutionMode::RoundingModeRTE => of_width([
            it.shader_rounding_mode_rte_float16,
            it.shader_rounding_mode_rte_float32,
            it.shader_rounding_mode_rte_float64,
        ]),
        ExecutionMode::RoundingModeRTZ => of_width([
            it.shader_rounding_mode_rtz_float16,
            it.shader_rounding_mode_rtz_float32,
            it.shader_rounding_mode_rtz_float64,
        ]),
        ExecutionMode::LocalSize | ExecutionMode::LocalSizeId => true,
        // Others of compute shaders come with extensions.
        ExecutionMode::SubgroupUniformControlFlowKHR => offers
            .extensions
            .contains("VK_KHR_shader_subgroup_uniform_control_flow"),
        ExecutionMode::MaximallyReconvergesKHR => offers
            .extensions
            .contains("VK_KHR_shader_maximal_reconvergence"),
        _ => true,
    }
}
