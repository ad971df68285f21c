//! Pointers and functions.

use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, Dim, Op, StorageClass};

use crate::finding::{CheckResult, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Type};
use crate::pattern::{NON_VOID, TYPE};
use crate::rules::generated::type_;

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
    Err(at.finding(&type_::STORAGE_CLASS_VULKAN, message))
}

/// Whether the opcode declares the type of what keeps a ray on its way: a ray query or a hit
/// object. Such objects are only pointed to, there are no values of them.
pub(in crate::rules) fn is_ray_object(op: Op) -> bool {
    matches!(
        op,
        Op::TypeRayQueryKHR | Op::TypeHitObjectNV | Op::TypeHitObjectEXT
    )
}

/// Whether memory in the storage class is one invocation's own.
fn is_own_memory(class: StorageClass) -> bool {
    matches!(class, StorageClass::Private | StorageClass::Function)
}

pub(super) fn pointer(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let class = StorageClass(at.inst.arg(0));
    let pointee = at.id(1);
    at.expect_type(&type_::POINTEE, 1, TYPE)?;
    class_exists(at, class)?;
    if is_ray_object(m.op_of(pointee)) && !is_own_memory(class) {
        let message = format!(
            "a pointer to {} must have the storage class `Private` or `Function`, but has `{class}`",
            m.show_type(pointee)
        );
        let finding = at.finding(&type_::RAY_OBJECT_POINTER, message);
        return Err(finding.about(m, pointee, "the type is declared here"));
    }
    match class {
        StorageClass::TileImageEXT => {
            let ty = m.without_arrays(pointee);
            let fine = matches!(m.ty(ty), Type::Image(image) if image.dim == Dim::TileImageDataEXT);
            if !fine {
                let message = format!(
                    "a pointer to `TileImageEXT` must point to a tile image, but points to {}",
                    m.show_type(pointee)
                );
                return Err(at.finding(&type_::TILE_IMAGE_POINTER, message));
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
                let finding = at.finding(&type_::TILE_ATTACHMENT_POINTER, message);
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
    Err(at.finding(&type_::UNTYPED_POINTER_CLASS_VULKAN, message))
}

pub(super) fn forward_pointer(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let pointer = at.id(0);
    let class = StorageClass(at.inst.arg(1));
    // Nothing defines it, which is reported elsewhere.
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
    let finding = at.finding(&type_::FORWARD_POINTER, message);
    Err(finding.about(m, pointer, "it is defined here"))
}

fn forward_in_vulkan(at: &InstCtx<'_, '_>, class: StorageClass) -> CheckResult {
    if !at.m.env.is_vulkan() || class == StorageClass::PhysicalStorageBuffer {
        return Ok(());
    }
    let message = format!(
        "in Vulkan, only pointers to `PhysicalStorageBuffer` can be forward-declared, but this one is to `{class}`"
    );
    Err(at.finding(&type_::FORWARD_POINTER_VULKAN, message))
}

pub(super) fn function(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let returned = at.expect_type(&type_::FUNCTION_RETURN, 0, TYPE);
    let parameters = at.inst.args().iter().skip(1).enumerate();
    let parameters = all(parameters.map(|(index, &parameter)| {
        let parameter = Id(parameter);
        if !NON_VOID.matches(m, parameter) {
            let message = format!(
                "parameter {} of the function type must be {NON_VOID}, but is {}",
                index + 1,
                m.show_type(parameter)
            );
            let finding = at.finding(&type_::FUNCTION_PARAMETER, message);
            return Err(finding.about(m, parameter, "it is defined here"));
        }
        Ok(())
    }));
    all([returned, parameters])
}
