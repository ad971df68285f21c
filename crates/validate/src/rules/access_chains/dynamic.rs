//! Arrays of resources, which only some capabilities let an index choose from at run time.

use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, Decoration, Dim, Op, StorageClass};

use crate::finding::CheckResult;
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Module, Type};
use crate::rules::generated::access_chain;

/// A kind of resource: what its arrays are called, and the capabilities for indexes that are not
/// constants. With the second, they need not even be dynamically uniform.
struct Kind {
    name: &'static str,
    dynamic: Capability,
    non_uniform: Capability,
}

/// The kinds, in the order of the rule's VUIDs.
static KINDS: [Kind; 7] = [
    Kind {
        name: "uniform buffers",
        dynamic: Capability::UniformBufferArrayDynamicIndexing,
        non_uniform: Capability::UniformBufferArrayNonUniformIndexing,
    },
    Kind {
        name: "sampled images or samplers",
        dynamic: Capability::SampledImageArrayDynamicIndexing,
        non_uniform: Capability::SampledImageArrayNonUniformIndexing,
    },
    Kind {
        name: "storage buffers",
        dynamic: Capability::StorageBufferArrayDynamicIndexing,
        non_uniform: Capability::StorageBufferArrayNonUniformIndexing,
    },
    Kind {
        name: "storage images",
        dynamic: Capability::StorageImageArrayDynamicIndexing,
        non_uniform: Capability::StorageImageArrayNonUniformIndexing,
    },
    Kind {
        name: "input attachments",
        dynamic: Capability::InputAttachmentArrayDynamicIndexing,
        non_uniform: Capability::InputAttachmentArrayNonUniformIndexing,
    },
    Kind {
        name: "uniform texel buffers",
        dynamic: Capability::UniformTexelBufferArrayDynamicIndexing,
        non_uniform: Capability::UniformTexelBufferArrayNonUniformIndexing,
    },
    Kind {
        name: "storage texel buffers",
        dynamic: Capability::StorageTexelBufferArrayDynamicIndexing,
        non_uniform: Capability::StorageTexelBufferArrayNonUniformIndexing,
    },
];

/// Checks that an index that chooses from an array of resources is a constant, unless there is a
/// capability. The indexes start at this operand.
pub(super) fn check(at: &InstCtx<'_, '_>, first: usize) -> CheckResult {
    let m = at.m;
    let Some(index) = at.inst.optional(first).map(Id) else {
        return Ok(());
    };
    if m.is_constant(index) {
        return Ok(());
    }
    let base = at.id(0);
    let def = m.def(base).filter(|def| def.op() == Op::Variable);
    let ty = def.and_then(|def| m.pointee(def.result_type()?));
    let element = match ty.map(|ty| m.ty(ty)) {
        Some(Type::Array { element, .. } | Type::RuntimeArray { element }) => element,
        _ => return Ok(()),
    };
    let class = m.type_of(base).and_then(|ty| m.pointer_class(ty));
    let Some(which) = class.and_then(|class| kind(m, class, element)) else {
        return Ok(());
    };
    let kind = &KINDS[which];
    if m.has(kind.dynamic) || m.has(kind.non_uniform) {
        return Ok(());
    }
    let message = format!(
        "to choose from the {} in {} by {}, which is not a constant, needs the capability `{}`",
        kind.name,
        m.name(base),
        m.name(index),
        kind.dynamic
    );
    let rule = &access_chain::DYNAMIC_INDEX;
    let finding = at
        .finding(rule, message)
        .arg(at, first)
        .vuid(rule.vuids[which]);
    Err(finding
        .needs(&[kind.dynamic])
        .warning()
        .about(m, base, "the array is declared here"))
}

/// The place of a resource's kind in the list.
fn kind(m: &Module<'_>, class: StorageClass, element: Id) -> Option<usize> {
    let image = match (class, m.ty(m.without_arrays(element))) {
        (StorageClass::Uniform, Type::Struct { .. }) => {
            let is_storage = m.is_decorated(m.without_arrays(element), Decoration::BufferBlock);
            return Some(if is_storage { 2 } else { 0 });
        }
        (StorageClass::StorageBuffer, Type::Struct { .. }) => return Some(2),
        (StorageClass::UniformConstant, Type::Sampler) => return Some(1),
        (StorageClass::UniformConstant, Type::Image(image)) => image,
        (StorageClass::UniformConstant, Type::SampledImage { image }) => match m.ty(image) {
            Type::Image(image) => image,
            _ => return None,
        },
        _ => return None,
    };
    Some(match (image.dim, image.sampled) {
        (Dim::SubpassData, _) => 4,
        (Dim::Buffer, 1) => 5,
        (Dim::Buffer, 2) => 6,
        (_, 1) => 1,
        (_, 2) => 3,
        _ => return None,
    })
}
