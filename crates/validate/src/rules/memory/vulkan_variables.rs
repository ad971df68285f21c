//! What Vulkan's variables hold.

use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, Decoration, Dim, Op, StorageClass};

use super::variables::{Variable, finding};
use crate::finding::{CheckResult, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Contents, Lookup, Type};
use crate::rules::generated::variable;

/// Checks that vectors whose length is a specialization constant aren't laid out.
pub(super) fn specialized_vectors(
    at: &InstCtx<'_, '_>,
    variable: &Variable,
    data: Id,
) -> CheckResult {
    let class = variable.class;
    let is_laid_out = match class {
        StorageClass::Uniform
        | StorageClass::StorageBuffer
        | StorageClass::PushConstant
        | StorageClass::ShaderRecordBufferKHR => true,
        StorageClass::Workgroup => at.m.is_decorated(data, Decoration::Block),
        _ => false,
    };
    expect(!is_laid_out, || {
        let message = format!(
            "in Vulkan, variables in `{class}` can't hold vectors whose size is a specialization constant"
        );
        let finding = finding(at, &variable::LONG_VECTOR, data, &message);
        finding.vuid("VUID-StandaloneSpirv-Function-12294")
    })
}

/// Checks that an array whose length is a specialization constant is a variable of its own, or
/// what a stage has for each vertex.
pub(super) fn specialized_arrays(
    at: &InstCtx<'_, '_>,
    variable: &Variable,
    data: Id,
) -> CheckResult {
    let m = at.m;
    let class = variable.class;
    let is_free = match class {
        StorageClass::Function | StorageClass::Private => true,
        StorageClass::Workgroup => !m.is_decorated(m.without_arrays(data), Decoration::Block),
        // Front ends let specialization say how many clip distances there are.
        _ => m.structure_facts(m.without_arrays(data)).has_built_ins,
    };
    if is_free {
        return Ok(());
    }
    let element = |ty: Id| match m.ty(ty) {
        Type::Array { element, .. } | Type::RuntimeArray { element } => Some(element),
        _ => None,
    };
    let is_stage = matches!(class, StorageClass::Input | StorageClass::Output);
    let mut inner = element(data).unwrap_or(data);
    if is_stage {
        inner = element(inner).unwrap_or(inner);
    }
    expect(!m.contents(inner).has(Contents::SPECIALIZED_ARRAY), || {
        let message = format!(
            "in Vulkan, variables in `{class}` can't hold arrays whose length is a specialization constant"
        );
        finding(at, &variable::SPECIALIZED_ARRAY, data, &message).warning()
    })
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
            return Err(finding(at, &variable::RUNTIME_ARRAY, data, &message));
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
    Err(finding(at, &variable::RUNTIME_ARRAY, data, message))
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
            let is_attachment =
                matches!(m.ty(inner), Type::Image(image) if image.dim == Dim::SubpassData);
            // Without an array, a feature makes up for the index.
            if is_attachment
                && inner != data
                && !m.is_decorated(variable.id, Decoration::InputAttachmentIndex)
            {
                let message =
                    "in Vulkan, an array of input attachments must have an `InputAttachmentIndex`";
                return Err(at.finding(&variable::ATTACHMENT_ARRAY, message));
            }
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
                return Err(finding(at, &variable::UNIFORM_CONSTANT, data, message));
            }
        }
        StorageClass::Uniform | StorageClass::StorageBuffer if !m.is_struct(inner) => {
            let message = format!(
                "in Vulkan, variables in `{}` must be structures or arrays of structures",
                variable.class
            );
            let finding = finding(at, &variable::BLOCK, data, &message);
            return Err(finding.vuid("VUID-StandaloneSpirv-Uniform-06807"));
        }
        StorageClass::PushConstant if !m.is_struct(data) => {
            let message = "in Vulkan, variables in `PushConstant` must be structures";
            let finding = finding(at, &variable::BLOCK, data, message);
            return Err(finding.vuid("VUID-StandaloneSpirv-PushConstant-06808"));
        }
        StorageClass::TileAttachmentQCOM => {
            let has = |decoration| m.is_decorated(variable.id, decoration);
            if !has(Decoration::DescriptorSet) || !has(Decoration::Binding) {
                let message =
                    "in Vulkan, a tile attachment must have a descriptor set and a binding";
                return Err(at.finding(&variable::TILE_ATTACHMENT, message));
            }
        }
        _ => {}
    }
    Ok(())
}
