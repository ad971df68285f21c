//! Pointers and functions.

use spirvkit_binary::Id;
use spirvkit_diagnostics::ErrorClass::{InvalidBinary, InvalidData, InvalidId};
use spirvkit_grammar::{Capability, Dim, Op, StorageClass};

use crate::finding::{CheckResult, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::Type;
use crate::rule::{Example, Frame, Rule};

pub(super) static POINTEE: Rule = Rule {
    id: "type.pointee",
    class: InvalidId,
    section: "3.32.6",
    vuids: &[],
    text: "The pointee of a pointer type is a type.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%pointer = OpTypePointer Function %u32_1",
        keeps: "%pointer = OpTypePointer Function %v2u32",
    },
};

pub(in crate::rules) static CLASS_VULKAN: Rule = Rule {
    id: "type.storage-class-vulkan",
    class: InvalidBinary,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &["VUID-StandaloneSpirv-None-04643"],
    text: "Vulkan has only some of the storage classes: it lacks `CrossWorkgroup`, `Generic` and `AtomicCounter`.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.1"),
        breaks: "%pointer = OpTypePointer CrossWorkgroup %u32",
        keeps: "%pointer = OpTypePointer StorageBuffer %u32",
    },
};

pub(super) static UNTYPED_CLASS_VULKAN: Rule = Rule {
    id: "type.untyped-pointer-class-vulkan",
    class: InvalidId,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &["VUID-StandaloneSpirv-OpTypeUntypedPointerKHR-11417"],
    text: "In Vulkan, untyped pointers point into memory with an explicit layout. `Workgroup` memory has one with \
           `WorkgroupMemoryExplicitLayoutKHR`.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.2"),
        breaks: "OpCapability UntypedPointersKHR
OpExtension \"SPV_KHR_untyped_pointers\"
%pointer = OpTypeUntypedPointerKHR Private",
        keeps: "OpCapability UntypedPointersKHR
OpExtension \"SPV_KHR_untyped_pointers\"
%pointer = OpTypeUntypedPointerKHR StorageBuffer",
    },
};

pub(super) static TILE_IMAGE: Rule = Rule {
    id: "type.tile-image-pointer",
    class: InvalidData,
    section: "SPV_EXT_shader_tile_image",
    vuids: &[],
    text: "A pointer to the storage class `TileImageEXT` points to an image of dimensionality `TileImageDataEXT` or \
           an array of such images.",
    example: Example {
        frame: Frame::Fragment,
        breaks: "OpCapability TileImageColorReadAccessEXT
OpExtension \"SPV_EXT_shader_tile_image\"
%pointer = OpTypePointer TileImageEXT %f32",
        keeps: "OpCapability TileImageColorReadAccessEXT
OpExtension \"SPV_EXT_shader_tile_image\"
%image = OpTypeImage %f32 TileImageDataEXT 0 0 0 2 Unknown
%pointer = OpTypePointer TileImageEXT %image",
    },
};

pub(super) static TILE_ATTACHMENT: Rule = Rule {
    id: "type.tile-attachment-pointer",
    class: InvalidData,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &["VUID-StandaloneSpirv-OpTypeImage-10693"],
    text: "An image in the storage class `TileAttachmentQCOM` has the dimensionality 2D.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.4"),
        breaks: "OpCapability TileShadingQCOM
OpExtension \"SPV_QCOM_tile_shading\"
%image = OpTypeImage %f32 3D 0 0 0 2 Rgba32f
%pointer = OpTypePointer TileAttachmentQCOM %image",
        keeps: "OpCapability TileShadingQCOM
OpExtension \"SPV_QCOM_tile_shading\"
%image = OpTypeImage %f32 2D 0 0 0 2 Rgba32f
%pointer = OpTypePointer TileAttachmentQCOM %image",
    },
};

pub(super) static FORWARD: Rule = Rule {
    id: "type.forward-pointer",
    class: InvalidId,
    section: "3.32.6",
    vuids: &[],
    text: "A forward-declared pointer is a pointer type to a structure, with the storage class of the forward \
           declaration, and is declared later.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "OpTypeForwardPointer %pointer Workgroup
%struct = OpTypeStruct %u32
%pointer = OpTypePointer CrossWorkgroup %struct",
        keeps: "OpTypeForwardPointer %pointer CrossWorkgroup
%struct = OpTypeStruct %u32 %pointer
%pointer = OpTypePointer CrossWorkgroup %struct",
    },
};

pub(super) static FORWARD_VULKAN: Rule = Rule {
    id: "type.forward-pointer-vulkan",
    class: InvalidId,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &["VUID-StandaloneSpirv-OpTypeForwardPointer-04711"],
    text: "In Vulkan, only pointers to the storage class `PhysicalStorageBuffer` are forward-declared.",
    example: Example {
        frame: Frame::WholeFor("vulkan1.2"),
        breaks: FORWARD_UNIFORM,
        keeps: FORWARD_PHYSICAL,
    },
};

const FORWARD_UNIFORM: &str = "OpCapability Shader
OpCapability PhysicalStorageBufferAddresses
OpMemoryModel PhysicalStorageBuffer64 GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%fn_void = OpTypeFunction %void
%u32 = OpTypeInt 32 0
OpTypeForwardPointer %pointer Uniform
%struct = OpTypeStruct %u32
%pointer = OpTypePointer Uniform %struct
%main = OpFunction %void None %fn_void
%entry = OpLabel
OpReturn
OpFunctionEnd
";

const FORWARD_PHYSICAL: &str = "OpCapability Shader
OpCapability PhysicalStorageBufferAddresses
OpMemoryModel PhysicalStorageBuffer64 GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %struct Block
OpMemberDecorate %struct 0 Offset 0
%void = OpTypeVoid
%fn_void = OpTypeFunction %void
%u32 = OpTypeInt 32 0
OpTypeForwardPointer %pointer PhysicalStorageBuffer
%struct = OpTypeStruct %u32
%pointer = OpTypePointer PhysicalStorageBuffer %struct
%main = OpFunction %void None %fn_void
%entry = OpLabel
OpReturn
OpFunctionEnd
";

pub(super) static FUNCTION_RETURN: Rule = Rule {
    id: "type.function-return",
    class: InvalidId,
    section: "3.32.6",
    vuids: &[],
    text: "The return type of a function type is a type, which may be void.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%function = OpTypeFunction %u32_1",
        keeps: "%function = OpTypeFunction %u32",
    },
};

pub(super) static FUNCTION_PARAMETER: Rule = Rule {
    id: "type.function-parameter",
    class: InvalidId,
    section: "3.32.6",
    vuids: &[],
    text: "The parameters of a function have types other than void.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%function = OpTypeFunction %u32 %void",
        keeps: "%function = OpTypeFunction %u32 %f32",
    },
};

/// Whether Vulkan has the storage class.
pub(in crate::rules) fn is_vulkan_class(class: StorageClass) -> bool {
    matches!(
        class,
        StorageClass::UniformConstant
            | StorageClass::Input
            | StorageClass::Uniform
            | StorageClass::Output
            | StorageClass::Workgroup
            | StorageClass::Private
            | StorageClass::Function
            | StorageClass::PushConstant
            | StorageClass::Image
            | StorageClass::StorageBuffer
            | StorageClass::TileImageEXT
            | StorageClass::TileAttachmentQCOM
            | StorageClass::NodePayloadAMDX
            | StorageClass::CallableDataKHR
            | StorageClass::IncomingCallableDataKHR
            | StorageClass::RayPayloadKHR
            | StorageClass::HitAttributeKHR
            | StorageClass::IncomingRayPayloadKHR
            | StorageClass::ShaderRecordBufferKHR
            | StorageClass::PhysicalStorageBuffer
            | StorageClass::HitObjectAttributeNV
            | StorageClass::HitObjectAttributeEXT
            | StorageClass::TaskPayloadWorkgroupEXT
    )
}

/// Checks that the environment has the storage class.
pub(in crate::rules) fn class_exists(at: &InstCtx<'_, '_>, class: StorageClass) -> CheckResult {
    if !at.m.env.is_vulkan() || is_vulkan_class(class) {
        return Ok(());
    }
    let message = format!("the storage class `{class}` is not allowed in Vulkan");
    Err(at.finding(&CLASS_VULKAN, message))
}

pub(super) fn pointer(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let class = StorageClass(at.inst.arg(0));
    let pointee = at.id(1);
    if m.ty(pointee) == Type::None {
        let message = format!(
            "the pointee of a pointer type must be a type, but is {}",
            m.name(pointee)
        );
        let finding = at.finding(&POINTEE, message);
        return Err(finding.about(m, pointee, "it is defined here"));
    }
    class_exists(at, class)?;
    match class {
        StorageClass::TileImageEXT => {
            let ty = m.without_arrays(pointee);
            let fine = matches!(m.ty(ty), Type::Image(image) if image.dim == Dim::TileImageDataEXT);
            if !fine {
                let message = format!(
                    "a pointer to `TileImageEXT` must point to a tile image, but points to {}",
                    m.show_type(pointee)
                );
                return Err(at.finding(&TILE_IMAGE, message));
            }
        }
        StorageClass::TileAttachmentQCOM if m.env.is_vulkan() => {
            if let Type::Image(image) = m.ty(m.without_arrays(pointee))
                && image.dim != Dim::Dim2D
            {
                let message = format!(
                    "an image in the storage class `TileAttachmentQCOM` must have the dimensionality 2D, but has {}",
                    image.dim
                );
                let finding = at.finding(&TILE_ATTACHMENT, message);
                return Err(finding.about(m, pointee, "the image type is declared here"));
            }
        }
        _ => {}
    }
    Ok(())
}

pub(super) fn untyped_pointer(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let class = StorageClass(at.inst.arg(0));
    class_exists(at, class)?;
    if !m.env.is_vulkan() {
        return Ok(());
    }
    let fine = match class {
        StorageClass::Workgroup => m.has(Capability::WorkgroupMemoryExplicitLayoutKHR),
        StorageClass::UniformConstant => m.has(Capability::DescriptorHeapEXT),
        StorageClass::Uniform
        | StorageClass::StorageBuffer
        | StorageClass::PushConstant
        | StorageClass::PhysicalStorageBuffer
        | StorageClass::ShaderRecordBufferKHR => true,
        // What an untyped texel pointer results in.
        StorageClass::Image => true,
        _ => false,
    };
    if fine {
        return Ok(());
    }
    let message = match class {
        StorageClass::Workgroup => {
            "in Vulkan, untyped pointers to `Workgroup` need the capability \
                                    `WorkgroupMemoryExplicitLayoutKHR`"
                .to_owned()
        }
        _ => format!(
            "in Vulkan, an untyped pointer can't have the storage class `{class}`, whose memory has no explicit \
             layout"
        ),
    };
    Err(at.finding(&UNTYPED_CLASS_VULKAN, message))
}

pub(super) fn forward_pointer(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let pointer = at.id(0);
    let class = StorageClass(at.inst.arg(1));
    // Nothing defines it: told elsewhere.
    if m.op_of(pointer) == Op::Nop {
        return Ok(());
    }
    let message = match m.ty(pointer) {
        Type::Pointer { class: actual, .. } if actual != class => {
            format!("the pointer is forward-declared as `{class}`, but is a pointer to `{actual}`")
        }
        Type::Pointer { pointee, .. } if !m.is_struct(pointee) => {
            format!(
                "a forward-declared pointer must point to a structure, but this points to {}",
                m.show_type(pointee)
            )
        }
        Type::Pointer { .. } if m.def_offset(pointer) < at.inst.offset() => {
            format!("{} is already declared", m.name(pointer))
        }
        Type::Pointer { .. } => return forward_in_vulkan(at, class),
        _ => format!(
            "{} is forward-declared as a pointer type, but isn't one",
            m.name(pointer)
        ),
    };
    let finding = at.finding(&FORWARD, message);
    Err(finding.about(m, pointer, "it is defined here"))
}

fn forward_in_vulkan(at: &InstCtx<'_, '_>, class: StorageClass) -> CheckResult {
    if !at.m.env.is_vulkan() || class == StorageClass::PhysicalStorageBuffer {
        return Ok(());
    }
    let message = format!(
        "in Vulkan, only pointers to `PhysicalStorageBuffer` can be forward-declared, but this one is to `{class}`"
    );
    Err(at.finding(&FORWARD_VULKAN, message))
}

pub(super) fn function(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let result = at.id(0);
    let returned = expect(m.ty(result) != Type::None, || {
        let message = format!(
            "the return type of a function must be a type, but is {}",
            m.name(result)
        );
        let finding = at.finding(&FUNCTION_RETURN, message);
        finding.about(m, result, "it is defined here")
    });
    let parameters = at.inst.args().iter().skip(1).enumerate();
    let parameters = all(parameters.map(|(index, &parameter)| {
        let parameter = Id(parameter);
        if matches!(m.ty(parameter), Type::None | Type::Void) {
            let message = format!(
                "parameter {} of the function type must have a type other than void, but this is {}",
                index + 1,
                m.show_type(parameter)
            );
            let finding = at.finding(&FUNCTION_PARAMETER, message);
            return Err(finding.about(m, parameter, "it is defined here"));
        }
        Ok(())
    }));
    all([returned, parameters])
}
