//! What Vulkan's variables hold.

use spirvkit_binary::Id;
use spirvkit_diagnostics::ErrorClass::InvalidId;
use spirvkit_grammar::{Capability, Decoration, Op, StorageClass};

use super::variables::{Variable, finding};
use crate::finding::CheckResult;
use crate::inst_ctx::InstCtx;
use crate::module::{Contents, Type};
use crate::rule::{Example, Frame, Rule};

pub(super) static LONG_VECTOR: Rule = Rule {
    id: "variable.long-vector",
    class: InvalidId,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &[
        "VUID-StandaloneSpirv-Type-12297",
        "VUID-StandaloneSpirv-Function-12294",
    ],
    text: "In Vulkan, inputs and outputs are not vectors of more than four components, and memory with an explicit \
           layout has no vectors whose size is a specialization constant.",
    example: Example {
        frame: Frame::FragmentFor("vulkan1.2"),
        breaks: "OpCapability LongVectorEXT
OpExtension \"SPV_EXT_long_vector\"
OpDecorate %variable Location 0
OpDecorate %variable Flat
%long = OpTypeVector %u32 5
%pointer = OpTypePointer Input %long
%variable = OpVariable %pointer Input
OpEntryPoint Fragment %main \"main\" %variable",
        keeps: "OpCapability LongVectorEXT
OpExtension \"SPV_EXT_long_vector\"
%long = OpTypeVector %u32 5
%pointer = OpTypePointer Private %long
%variable = OpVariable %pointer Private",
    },
};

pub(super) static HANDLE: Rule = Rule {
    id: "variable.uniform-constant",
    class: InvalidId,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &["VUID-StandaloneSpirv-UniformConstant-04655"],
    text: "In Vulkan, variables in the storage class `UniformConstant` are images, samplers, sampled images, \
           acceleration structures, tensors or arrays of one of these.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.1"),
        breaks: "OpDecorate %variable DescriptorSet 0
OpDecorate %variable Binding 0
%pointer = OpTypePointer UniformConstant %f32
%variable = OpVariable %pointer UniformConstant",
        keeps: "OpDecorate %variable DescriptorSet 0
OpDecorate %variable Binding 0
%sampler = OpTypeSampler
%pointer = OpTypePointer UniformConstant %sampler
%variable = OpVariable %pointer UniformConstant",
    },
};

pub(super) static BLOCK: Rule = Rule {
    id: "variable.block",
    class: InvalidId,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &[
        "VUID-StandaloneSpirv-Uniform-06807",
        "VUID-StandaloneSpirv-PushConstant-06808",
    ],
    text: "In Vulkan, variables in the storage classes `Uniform` and `StorageBuffer` are structures or arrays of \
           structures, and those in `PushConstant` are structures.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.1"),
        breaks: "%pointer = OpTypePointer PushConstant %f32
%variable = OpVariable %pointer PushConstant",
        keeps: "OpDecorate %struct Block
OpMemberDecorate %struct 0 Offset 0
%struct = OpTypeStruct %f32
%pointer = OpTypePointer PushConstant %struct
%variable = OpVariable %pointer PushConstant",
    },
};

pub(super) static RUNTIME_ARRAY: Rule = Rule {
    id: "variable.runtime-array",
    class: InvalidId,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &["VUID-StandaloneSpirv-OpTypeRuntimeArray-04680"],
    text: "In Vulkan, a run-time array is the last member of a storage block, a node payload or, with \
           `RuntimeDescriptorArray`, an array of descriptors.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.1"),
        breaks: "OpDecorate %variable DescriptorSet 0
OpDecorate %variable Binding 0
%sampler = OpTypeSampler
%array = OpTypeRuntimeArray %sampler
%pointer = OpTypePointer UniformConstant %array
%variable = OpVariable %pointer UniformConstant",
        keeps: "OpCapability RuntimeDescriptorArray
OpExtension \"SPV_EXT_descriptor_indexing\"
OpDecorate %variable DescriptorSet 0
OpDecorate %variable Binding 0
%sampler = OpTypeSampler
%array = OpTypeRuntimeArray %sampler
%pointer = OpTypePointer UniformConstant %array
%variable = OpVariable %pointer UniformConstant",
    },
};

pub(super) static TILE_ATTACHMENT: Rule = Rule {
    id: "variable.tile-attachment",
    class: InvalidId,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &["VUID-StandaloneSpirv-TileAttachmentQCOM-10695"],
    text: "In Vulkan, a tile attachment has a descriptor set and a binding.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.4"),
        breaks: "OpCapability TileShadingQCOM
OpExtension \"SPV_QCOM_tile_shading\"
%image = OpTypeImage %f32 2D 0 0 0 2 Rgba32f
%pointer = OpTypePointer TileAttachmentQCOM %image
%variable = OpVariable %pointer TileAttachmentQCOM
OpEntryPoint GLCompute %main \"main\" %variable",
        keeps: "OpCapability TileShadingQCOM
OpExtension \"SPV_QCOM_tile_shading\"
OpDecorate %variable DescriptorSet 0
OpDecorate %variable Binding 0
%image = OpTypeImage %f32 2D 0 0 0 2 Rgba32f
%pointer = OpTypePointer TileAttachmentQCOM %image
%variable = OpVariable %pointer TileAttachmentQCOM
OpEntryPoint GLCompute %main \"main\" %variable",
    },
};

pub(super) fn long_vectors(
    at: &InstCtx<'_, '_>,
    variable: &Variable,
    data: Id,
    contents: Contents,
) -> CheckResult {
    let class = variable.class;
    if matches!(class, StorageClass::Input | StorageClass::Output) {
        let message = format!(
            "in Vulkan, variables in `{class}` can't hold vectors of more than 4 components"
        );
        let finding = finding(at, &LONG_VECTOR, data, &message);
        return Err(finding.vuid("VUID-StandaloneSpirv-Type-12297"));
    }
    let explicit = match class {
        StorageClass::Uniform
        | StorageClass::StorageBuffer
        | StorageClass::PushConstant
        | StorageClass::ShaderRecordBufferKHR => true,
        StorageClass::Workgroup => at.m.is_decorated(data, Decoration::Block),
        _ => false,
    };
    if explicit && contents.has(Contents::SPECIALIZED_VECTOR) {
        let message = format!(
            "in Vulkan, variables in `{class}` can't hold vectors whose size is a specialization constant"
        );
        let finding = finding(at, &LONG_VECTOR, data, &message);
        return Err(finding.vuid("VUID-StandaloneSpirv-Function-12294"));
    }
    Ok(())
}

pub(super) fn runtime_arrays(at: &InstCtx<'_, '_>, variable: &Variable, data: Id) -> CheckResult {
    let m = at.m;
    let class = variable.class;
    let inner = m.without_arrays(data);
    if let Type::RuntimeArray { .. } = m.ty(data) {
        let fine = match class {
            StorageClass::NodePayloadAMDX => true,
            StorageClass::StorageBuffer | StorageClass::Uniform | StorageClass::UniformConstant => {
                m.has(Capability::RuntimeDescriptorArray)
            }
            _ => false,
        };
        if !fine {
            let message = match m.has(Capability::RuntimeDescriptorArray) {
                true => format!("in Vulkan, variables in `{class}` can't be run-time arrays"),
                false => {
                    "in Vulkan, variables can be run-time arrays only with the capability `RuntimeDescriptorArray`"
                        .to_owned()
                }
            };
            return Err(finding(at, &RUNTIME_ARRAY, data, &message));
        }
    }
    let within = m.is_struct(inner) && m.contents(inner).has(Contents::RUNTIME_ARRAY);
    if !within {
        return Ok(());
    }
    let message = match class {
        StorageClass::StorageBuffer if m.is_decorated(inner, Decoration::Block) => return Ok(()),
        StorageClass::StorageBuffer => {
            "in Vulkan, storage buffers with a run-time array must be decorated with `Block`"
        }
        StorageClass::Uniform => return Ok(()),
        _ => "in Vulkan, only buffers can have a run-time array",
    };
    Err(finding(at, &RUNTIME_ARRAY, data, message))
}

pub(super) fn check(at: &InstCtx<'_, '_>, variable: &Variable, data: Id) -> CheckResult {
    let m = at.m;
    // One level of arrays: bindings may be arrays.
    let inner = match m.ty(data) {
        Type::Array { element, .. } | Type::RuntimeArray { element } => element,
        _ => data,
    };
    match variable.class {
        StorageClass::UniformConstant => {
            let fine = match m.ty(inner) {
                Type::Image(_) | Type::Sampler | Type::SampledImage { .. } => true,
                Type::Other(op) => matches!(
                    op,
                    Op::TypeAccelerationStructureKHR | Op::TypeTensorARM | Op::TypeBufferEXT
                ),
                _ => m.has(Capability::DescriptorHeapEXT),
            };
            if !fine {
                let message = "in Vulkan, variables in `UniformConstant` must be images, samplers or other handles";
                return Err(finding(at, &HANDLE, data, message));
            }
        }
        StorageClass::Uniform | StorageClass::StorageBuffer if !m.is_struct(inner) => {
            let message = format!(
                "in Vulkan, variables in `{}` must be structures or arrays of structures",
                variable.class
            );
            let finding = finding(at, &BLOCK, data, &message);
            return Err(finding.vuid("VUID-StandaloneSpirv-Uniform-06807"));
        }
        StorageClass::PushConstant if !m.is_struct(data) => {
            let message = "in Vulkan, variables in `PushConstant` must be structures";
            let finding = finding(at, &BLOCK, data, message);
            return Err(finding.vuid("VUID-StandaloneSpirv-PushConstant-06808"));
        }
        StorageClass::TileAttachmentQCOM => {
            let has = |decoration| m.is_decorated(variable.id, decoration);
            if !has(Decoration::DescriptorSet) || !has(Decoration::Binding) {
                let message =
                    "in Vulkan, a tile attachment must have a descriptor set and a binding";
                return Err(at.finding(&TILE_ATTACHMENT, message));
            }
        }
        _ => {}
    }
    Ok(())
}
