//! Arrays of resources, which only some capabilities let an index choose from at run time.

use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, Decoration, Dim, Op, StorageClass};

use crate::finding::{CheckResult, Finding, Reporter};
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

/// Checks that indexes that choose from an array of resources are constants, unless there is a
/// capability. The first one that isn't is told of each array.
pub(super) fn check(m: &Module<'_>, reporter: &mut Reporter) {
    if !m.env.is_vulkan() {
        return;
    }
    for inst in m.globals.iter().filter_map(|&offset| m.inst(offset)) {
        let Some(array) = inst.result().filter(|_| inst.op() == Op::Variable) else {
            continue;
        };
        let ty = inst.result_type().and_then(|ty| m.pointee(ty));
        let element = match ty.map(|ty| m.ty(ty)) {
            Some(Type::Array { element, .. } | Type::RuntimeArray { element }) => element,
            _ => continue,
        };
        let Some(which) = kind(m, StorageClass(inst.arg(0)), element) else {
            continue;
        };
        let is_enabled = m.has(KINDS[which].dynamic) || m.has(KINDS[which].non_uniform);
        if !is_enabled {
            reporter.note(check_array(m, array, which));
        }
    }
}

/// Checks the indexes into one array.
fn check_array(m: &Module<'_>, array: Id, which: usize) -> CheckResult {
    let uses = m.uses(array).iter().filter_map(|&offset| m.inst(offset));
    let mut chains = uses.filter(|inst| {
        let is_chain = matches!(inst.op(), Op::AccessChain | Op::InBoundsAccessChain);
        is_chain && inst.id(0) == array
    });
    let wrong = chains.find_map(|inst| {
        let index = Id(inst.optional(1)?);
        (!m.is_constant(index)).then_some((inst, index))
    });
    let Some((inst, index)) = wrong else {
        return Ok(());
    };
    let kind = &KINDS[which];
    let message = format!(
        "to choose from the {} in {} by {}, which is not a constant, needs the capability `{}`",
        kind.name,
        m.name(array),
        m.name(index),
        kind.dynamic
    );
    let rule = &access_chain::DYNAMIC_INDEX;
    let finding = Finding::new(rule, inst.offset(), message).operand(m, index);
    Err(finding
        .vuid(rule.vuids[which])
        .needs(&[kind.dynamic])
        .warning()
        .about(m, array, "the array is declared here"))
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
