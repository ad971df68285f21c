//! Explicit layouts of memory (specification, section 2.16.2; Vulkan, section
//! "Offset and Stride Assignment").
//!
//! Types get laid out where memory of a class with an explicit layout is
//! declared or accessed, each type once for each set of rules.
//!
//! That is for Vulkan. How types are aligned is up to the environment, and what
//! modules of no particular one or for OpenGL leave out, an API may still set.

mod alignment;
mod checker;
mod members;
mod resources;
mod straddles;
mod stray;

use hashbrown::{HashMap, HashSet};

use spirvkit_analysis::layout::{self as layouts, Types};
use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, Op, StorageClass};

use super::Family;
use crate::finding::{CheckResult, Finding, Reporter, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Inst, Lookup, Module, Type};
use crate::rules::generated::layout;
use alignment::Rules;
use checker::{Checker, Found, opaque};

pub(crate) const FAMILY: Family = Family {
    ops: &[],
    check,
    check_module: Some(check_module),
};

fn check(_at: &InstCtx<'_, '_>) -> CheckResult {
    Ok(())
}

fn check_module(m: &Module<'_>, reporter: &mut Reporter) {
    resources::check_workgroups(m, reporter);
    if !m.env.is_vulkan() {
        return;
    }
    resources::check(m, reporter);
    stray::check(m, reporter);
    check_layouts(m, reporter);
}

/// A type that must be laid out, and why.
struct Instance {
    ty: Id,
    class: StorageClass,
    offset: u32,
}

/// What an instruction needs to be laid out.
fn instance(m: &Module<'_>, inst: Inst<'_>) -> Option<Instance> {
    let of = |ty: Id, class: StorageClass| {
        Some(Instance {
            ty,
            class,
            offset: inst.offset(),
        })
    };
    match inst.op() {
        Op::Variable => {
            let pointee = m.pointee(inst.result_type()?)?;
            of(pointee, StorageClass(inst.arg(0)))
        }
        Op::UntypedVariableKHR => of(Id(inst.optional(1)?), StorageClass(inst.arg(0))),
        Op::TypePointer if StorageClass(inst.arg(0)) == StorageClass::PhysicalStorageBuffer => {
            of(inst.id(1), StorageClass::PhysicalStorageBuffer)
        }
        Op::UntypedAccessChainKHR
        | Op::UntypedInBoundsAccessChainKHR
        | Op::UntypedPtrAccessChainKHR
        | Op::UntypedInBoundsPtrAccessChainKHR => {
            of(inst.id(0), m.pointer_class(inst.result_type()?)?)
        }
        Op::UntypedArrayLengthKHR => of(inst.id(0), m.pointer_class(m.type_of(inst.id(1))?)?),
        Op::BufferPointerEXT => {
            let ty = inst.result_type()?;
            of(m.pointee(ty)?, m.pointer_class(ty)?)
        }
        Op::Load if m.has(Capability::UntypedPointersKHR) => match m.ty_of(inst.id(0)) {
            Type::UntypedPointer { class } => of(inst.result_type()?, class),
            _ => None,
        },
        Op::Store if m.has(Capability::UntypedPointersKHR) => match m.ty_of(inst.id(0)) {
            Type::UntypedPointer { class } => of(m.type_of(inst.id(1))?, class),
            _ => None,
        },
        _ => None,
    }
}

/// By which rules an instance is laid out; `None` if it need not be.
fn rules_for(m: &Module<'_>, instance: &Instance, ty: Id) -> Option<Rules> {
    let class = instance.class;
    let is_workgroup = class == StorageClass::Workgroup;
    match class {
        StorageClass::Uniform
        | StorageClass::StorageBuffer
        | StorageClass::PushConstant
        | StorageClass::PhysicalStorageBuffer
        | StorageClass::ShaderRecordBufferKHR => {}
        StorageClass::Workgroup if m.has(Capability::WorkgroupMemoryExplicitLayoutKHR) => {}
        _ => return None,
    }
    let scalar = match is_workgroup {
        true => m.options.workgroup_scalar_block_layout,
        false => m.options.scalar_block_layout,
    };
    let is_extended = class == StorageClass::Uniform
        && !m.options.uniform_buffer_standard_layout
        && !m.structure_facts(ty).is_buffer_block;
    // Of shader records, front ends take the scalar rules for granted.
    let scalar = scalar || class == StorageClass::ShaderRecordBufferKHR;
    Some(Rules {
        alignment: match () {
            () if scalar => layouts::Rules::Scalar,
            () if is_extended => layouts::Rules::Std140,
            () => layouts::Rules::Std430,
        },
        relaxed: m.options.relax_block_layout || m.env.is_vulkan_since(1),
        class,
    })
}

fn check_layouts(m: &Module<'_>, reporter: &mut Reporter) {
    let mut types = Types::of(m);
    if m.has(Capability::DescriptorHeapEXT) {
        let size = |ty| Some(checker::descriptor_layout(m, ty)?.size).filter(|&size| size != 0);
        types = types.with_descriptor_sizes(size);
    }
    let opaque = opaque(m);
    let by = |rules| Checker::new(m, &types, rules, &opaque);
    let mut by_rules: HashMap<Rules, Checker<'_, '_>> = HashMap::new();
    let mut done = HashSet::new();
    // By rules that options would put in the place of others.
    let mut wider: HashMap<Rules, Checker<'_, '_>> = HashMap::new();
    let mut found: Vec<Found> = Vec::new();
    for inst in instructions(m) {
        let Some(instance) = instance(m, inst) else {
            continue;
        };
        if !done.insert((instance.ty, instance.class)) {
            continue;
        }
        // Arrays of blocks are arrays of resources.
        let inner = m.without_arrays(instance.ty);
        let is_block = m.is_block(inner);
        let ty = if is_block { inner } else { instance.ty };
        let is_variable = inst.op().is_variable();
        if is_variable && !is_block {
            // Something else is wrong with it, or it has no explicit layout.
            continue;
        }
        let rules = match heap_rules(m, &instance, inst) {
            Some(rules) => rules,
            None => match rules_for(m, &instance, ty) {
                Some(rules) => rules,
                None => continue,
            },
        };
        if let Err(finding) = check_matrix(m, inst, &instance) {
            reporter.add(finding);
            continue;
        }
        let checker = by_rules.entry(rules).or_insert_with(|| by(rules));
        checker.check(ty, &mut found);
        found.extend(straddling(checker, ty));
        if found.is_empty() {
            continue;
        }
        // The options that permit what is wrong with a type, or with types that it
        // holds, as far as these are sound by the wider rules, from the least on.
        let permits = |(_, rules): &(&str, Rules)| {
            let checker = wider.entry(*rules).or_insert_with(|| by(*rules));
            checker.check(ty, &mut Vec::new());
            straddling(checker, ty).is_empty()
        };
        let advice: Vec<_> = rules.wider().filter(permits).collect();
        for Found { ty, finding } in found.drain(..) {
            let is_missing = std::ptr::eq(finding.rule(), &layout::MISSING);
            let permitting = advice.iter().find(|(_, rules)| {
                let wider = wider.get(rules);
                !is_missing && wider.is_some_and(|wider| wider.is_sound(ty))
            });
            let finding = finding.at(instance.offset, "memory of this type is used here");
            reporter.add(match permitting {
                Some((advice, _)) => finding.help(*advice),
                None => finding,
            });
        }
        if reporter.is_full() {
            return;
        }
    }
}

/// Checks that what an untyped pointer is taken to point to is no matrix by itself, of which
/// nothing says how it is laid out.
fn check_matrix(m: &Module<'_>, inst: Inst<'_>, instance: &Instance) -> CheckResult {
    let is_untyped = inst.op().is_untyped_access_chain() || inst.op() == Op::UntypedVariableKHR;
    let is_matrix = matches!(m.ty(m.without_arrays(instance.ty)), Type::Matrix { .. });
    expect(!is_untyped || !is_matrix, || {
        let message = format!(
            "{} can't take memory in `{}` for {}: only members of structures say how matrices are laid out",
            inst.op(),
            instance.class,
            m.show_type(instance.ty)
        );
        let finding = Finding::new(&layout::UNTYPED_MATRIX, instance.offset, message);
        let finding = finding.about(m, instance.ty, "the type is declared here");
        finding.warning()
    })
}

/// What is wrong with vectors deep within a structure that begins at a boundary of
/// 16 bytes.
fn straddling(checker: &Checker<'_, '_>, ty: Id) -> Vec<Found> {
    let m = checker.m;
    if m.options.skip_block_layout || !m.is_struct(ty) {
        return Vec::new();
    }
    let all = checker.straddling(ty).into_iter();
    all.map(|index| {
        let message = format!(
            "in member {index} of {}, a vector within an array or a nested structure crosses a multiple of 16 bytes",
            m.name(ty)
        );
        let finding = checker.finding(&layout::STRADDLE, ty, message);
        Found { ty, finding }
    })
    .collect()
}

/// All instructions that may need a layout: those in functions only if there are
/// untyped pointers.
fn instructions<'m, 'a>(m: &'m Module<'a>) -> impl Iterator<Item = Inst<'a>> + use<'m, 'a> {
    let everywhere = m.has(Capability::UntypedPointersKHR) || m.has(Capability::DescriptorHeapEXT);
    let declared = m.declared.iter().filter(move |_| !everywhere);
    let declared = declared.filter_map(|&offset| m.inst(offset));
    let all = everywhere.then(|| m.all_instructions());
    declared.chain(all.into_iter().flatten())
}

/// The rules for accesses to heaps of descriptors.
fn heap_rules(m: &Module<'_>, instance: &Instance, inst: Inst<'_>) -> Option<Rules> {
    let is_chain = inst.op().is_untyped_access_chain();
    if instance.class != StorageClass::UniformConstant || !is_chain {
        return None;
    }
    Some(Rules {
        alignment: match m.options.scalar_block_layout {
            true => layouts::Rules::Scalar,
            false => layouts::Rules::Std430,
        },
        relaxed: m.options.relax_block_layout || m.env.is_vulkan_since(1),
        class: instance.class,
    })
}
