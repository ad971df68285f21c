//! Arrays of resources, which only some capabilities let an index choose from at run time.

use hashbrown::HashSet;
use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, Decoration, Dim, Op, StorageClass};

use crate::finding::{Finding, Reporter};
use crate::module::{Inst, Lookup, Module, Type};
use crate::rules::generated::access_chain;

/// A kind of resource: what its arrays are called, and the capabilities for indexes that are not
/// constants. With the second, they need not even be dynamically uniform.
struct Kind {
    name: &'static str,
    dynamic: Capability,
    non_uniform: Capability,
}

/// The kinds, in the order of the rule's VUIDs; the last has none.
static KINDS: [Kind; 8] = [
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
    Kind {
        name: "storage tensors",
        dynamic: Capability::StorageTensorArrayDynamicIndexingARM,
        non_uniform: Capability::StorageTensorArrayNonUniformIndexingARM,
    },
];

/// Checks that indexes that choose from an array of resources are constants, unless there is a
/// capability. The first one that isn't is told of each array.
pub(super) fn check(m: &Module<'_>, reporter: &mut Reporter) {
    if !m.globals.iter().any(|&offset| is_fixed(m, offset)) {
        return;
    }
    let mut told = HashSet::new();
    for chain in m.instructions(m.functions_start..m.words.len() as u32) {
        // Most instructions are something else, and most chains lead elsewhere.
        if !chain.op().is_access_chain() {
            continue;
        }
        let class = chain.result_type().and_then(|ty| m.pointer_class(ty));
        let Some(class) = class.filter(|&class| holds_resources(class)) else {
            continue;
        };
        let Some((base, steps)) = m.steps(chain) else {
            continue;
        };
        let arrays = steps.take_while(|step| m.op_of(step.ty).is_array_type());
        let mut dynamic = arrays.filter(|step| !m.is_constant(step.index));
        let Some((index, which)) = dynamic.find_map(|step| {
            let which = fixed_kind(m, class, step.part)?;
            Some((step.index, which))
        }) else {
            continue;
        };
        let array = m.pointer_origin(base);
        // Heaps are not arrays of bindings.
        if told.insert(array) && !m.is_decorated(array, Decoration::BuiltIn) {
            reporter.add(finding(m, chain, array, index, which));
            if reporter.is_full() {
                return;
            }
        }
    }
}

/// Whether a declaration is a variable with an array of which only constants can choose.
fn is_fixed(m: &Module<'_>, declaration: u32) -> bool {
    let Some(inst) = m.inst(declaration).filter(|inst| inst.op().is_variable()) else {
        return false;
    };
    let class = StorageClass(inst.arg(0));
    if !holds_resources(class) {
        return false;
    }
    let ty = match inst.op() {
        Op::UntypedVariableKHR => inst.optional(1).map(Id),
        _ => inst.result_type().and_then(|ty| m.pointee(ty)),
    };
    let array = ty.filter(|&ty| m.op_of(ty).is_array_type());
    array.is_some_and(|array| fixed_kind(m, class, array).is_some())
}

fn holds_resources(class: StorageClass) -> bool {
    matches!(
        class,
        StorageClass::Uniform | StorageClass::StorageBuffer | StorageClass::UniformConstant
    )
}

/// The kind of a resource, or of an array of them, for which the module has no capability.
fn fixed_kind(m: &Module<'_>, class: StorageClass, element: Id) -> Option<usize> {
    let which = kind(m, class, element)?;
    let is_enabled = m.has(KINDS[which].dynamic) || m.has(KINDS[which].non_uniform);
    (!is_enabled).then_some(which)
}

fn finding(m: &Module<'_>, chain: Inst<'_>, array: Id, index: Id, which: usize) -> Finding {
    let kind = &KINDS[which];
    let message = format!(
        "to choose from the {} in {} by {}, which is not a constant, needs the capability `{}`",
        kind.name,
        m.name(array),
        m.name(index),
        kind.dynamic
    );
    let rule = &access_chain::DYNAMIC_INDEX;
    let finding = Finding::new(rule, chain.offset(), message).operand(m, index);
    let finding = match rule.vuids.get(which) {
        Some(vuid) => finding.vuid(vuid),
        None => finding,
    };
    finding
        .needs(&[kind.dynamic])
        .warning()
        .about(m, array, "the array is declared here")
}

/// The place of a resource's kind in the list.
fn kind(m: &Module<'_>, class: StorageClass, element: Id) -> Option<usize> {
    let element = m.without_arrays(element);
    let image = match (class, m.ty(element)) {
        (StorageClass::Uniform | StorageClass::StorageBuffer, Type::Struct { .. }) => {
            let facts = m.structure_facts(element);
            let is_storage = facts.is_buffer_block || class == StorageClass::StorageBuffer;
            // Other structures are within a buffer.
            return facts
                .is_any_block()
                .then_some(if is_storage { 2 } else { 0 });
        }
        (StorageClass::UniformConstant, Type::Sampler) => return Some(1),
        (StorageClass::UniformConstant, Type::Other(Op::TypeTensorARM)) => return Some(7),
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
