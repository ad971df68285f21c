//! Explicit layouts of memory (specification, section 2.16.2; Vulkan, section
//! "Offset and Stride Assignment").
//!
//! Types get laid out where memory of a class with an explicit layout is
//! declared or accessed, each type once for each set of rules.
//!
//! That is for Vulkan. How types are aligned is up to the environment, and what
//! modules of no particular one or for OpenGL leave out, an API may still set.

mod members;
mod resources;
mod sizes;
mod stray;

use hashbrown::HashMap;

use spirvkit_binary::Id;
use spirvkit_diagnostics::ErrorClass::InvalidId;
use spirvkit_grammar::{Capability, Op, StorageClass};

use super::Family;
use crate::finding::{CheckResult, Reporter};
use crate::inst_ctx::InstCtx;
use crate::module::{Inst, Module, Type};
use crate::rule::{Example, Frame, Rule};
use sizes::{Found, Kind, Layouts, Rules};

pub(crate) const FAMILY: Family = Family {
    ops: &[],
    check,
    check_module: Some(check_module),
    rules: &[
        &MISSING,
        &ALIGNMENT,
        &OVERLAP,
        &STRADDLE,
        &STRIDE,
        &MATRIX_STRIDE,
        &RUNTIME_ARRAY,
        &resources::BLOCK,
        &resources::BINDING,
        &resources::WORKGROUP_BLOCK,
        &resources::UNTYPED_WORKGROUP,
        &stray::STRAY,
    ],
};

macro_rules! example {
    ($breaks:literal, $keeps:literal) => {
        Example {
            frame: Frame::ShaderFor("vulkan1.3"),
            breaks: concat!(
                "OpDecorate %block Block
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
",
                $breaks,
                "
%ptr = OpTypePointer StorageBuffer %block
%buffer = OpVariable %ptr StorageBuffer"
            ),
            keeps: concat!(
                "OpDecorate %block Block
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
",
                $keeps,
                "
%ptr = OpTypePointer StorageBuffer %block
%buffer = OpVariable %ptr StorageBuffer"
            ),
        }
    };
}

static MISSING: Rule = Rule {
    id: "layout.missing",
    class: InvalidId,
    section: "2.16.2",
    vuids: &[],
    text: "In buffers, push constants and other memory with an explicit layout, every member has an `Offset`, every \
           array an `ArrayStride`, and every member that holds a matrix a `MatrixStride` and `RowMajor` or \
           `ColMajor`.",
    example: example!(
        "%block = OpTypeStruct %f32",
        "OpMemberDecorate %block 0 Offset 0
%block = OpTypeStruct %f32"
    ),
};

static ALIGNMENT: Rule = Rule {
    id: "layout.alignment",
    class: InvalidId,
    section: "Vulkan, Offset and Stride Assignment",
    vuids: &[],
    text: "A member's `Offset` is a multiple of its alignment. A scalar is aligned to its size, a vector to two or \
           four times that of its components, an array to the alignment of its elements, a structure to the largest \
           alignment of its members; in uniform blocks, arrays and structures are aligned to at least 16 bytes.",
    example: example!(
        "OpMemberDecorate %block 0 Offset 2
%block = OpTypeStruct %f32",
        "OpMemberDecorate %block 0 Offset 4
%block = OpTypeStruct %f32"
    ),
};

static OVERLAP: Rule = Rule {
    id: "layout.overlap",
    class: InvalidId,
    section: "Vulkan, Offset and Stride Assignment",
    vuids: &[],
    text: "Members don't overlap; in uniform blocks, nothing is in the padding of an array or a structure.",
    example: example!(
        "OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 4
%block = OpTypeStruct %v2f32 %f32",
        "OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 8
%block = OpTypeStruct %v2f32 %f32"
    ),
};

static STRADDLE: Rule = Rule {
    id: "layout.straddle",
    class: InvalidId,
    section: "Vulkan, Offset and Stride Assignment",
    vuids: &[],
    text: "A vector of up to 16 bytes does not cross a multiple of 16 bytes, and a larger one begins at such a \
           multiple.",
    example: example!(
        "OpMemberDecorate %block 0 Offset 12
%block = OpTypeStruct %v2f32",
        "OpMemberDecorate %block 0 Offset 4
%block = OpTypeStruct %v2f32"
    ),
};

static STRIDE: Rule = Rule {
    id: "layout.array-stride",
    class: InvalidId,
    section: "Vulkan, Offset and Stride Assignment",
    vuids: &[],
    text: "An `ArrayStride` is a multiple of the array's alignment and at least the size of an element.",
    example: example!(
        "OpMemberDecorate %block 0 Offset 0
OpDecorate %array ArrayStride 6
%array = OpTypeArray %f32 %u32_4
%block = OpTypeStruct %array",
        "OpMemberDecorate %block 0 Offset 0
OpDecorate %array ArrayStride 8
%array = OpTypeArray %f32 %u32_4
%block = OpTypeStruct %array"
    ),
};

static MATRIX_STRIDE: Rule = Rule {
    id: "layout.matrix-stride",
    class: InvalidId,
    section: "Vulkan, Offset and Stride Assignment",
    vuids: &[],
    text: "A `MatrixStride` is a multiple of the alignment of the matrix's columns, or of its rows if the matrix is \
           row-major.",
    example: example!(
        "OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 0 ColMajor
OpMemberDecorate %block 0 MatrixStride 12
%block = OpTypeStruct %mat4",
        "OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 0 ColMajor
OpMemberDecorate %block 0 MatrixStride 16
%block = OpTypeStruct %mat4"
    ),
};

static RUNTIME_ARRAY: Rule = Rule {
    id: "layout.run-time-array",
    class: InvalidId,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &["VUID-StandaloneSpirv-OpTypeRuntimeArray-04680"],
    text: "A run-time array is the last member.",
    example: example!(
        "OpMemberDecorate %block 0 Offset 16
OpMemberDecorate %block 1 Offset 0
OpDecorate %array ArrayStride 4
%array = OpTypeRuntimeArray %f32
%block = OpTypeStruct %f32 %array",
        "OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 16
OpDecorate %array ArrayStride 4
%array = OpTypeRuntimeArray %f32
%block = OpTypeStruct %f32 %array"
    ),
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
        kind: match () {
            () if scalar => Kind::Scalar,
            () if is_extended => Kind::Extended,
            () => Kind::Standard,
        },
        relaxed: m.options.relax_block_layout || m.env.is_vulkan_since(1),
        class,
    })
}

fn check_layouts(m: &Module<'_>, reporter: &mut Reporter) {
    let mut by_rules: HashMap<Rules, Layouts<'_, '_>> = HashMap::new();
    let mut done = hashbrown::HashSet::new();
    // By rules that options would put in the place of others.
    let mut wider: HashMap<Rules, Layouts<'_, '_>> = HashMap::new();
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
        let is_variable = matches!(inst.op(), Op::Variable | Op::UntypedVariableKHR);
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
        let layouts = by_rules
            .entry(rules)
            .or_insert_with(|| Layouts::new(m, rules));
        layouts.lay_out(ty, &mut found);
        found.extend(straddling(layouts, ty));
        if found.is_empty() {
            continue;
        }
        let advice = advice(m, rules, ty, &mut wider);
        for Found { ty, finding } in found.drain(..) {
            let is_missing = std::ptr::eq(finding.rule(), &MISSING);
            let permitting = advice.iter().find(|(_, rules)| {
                let layouts = wider.get(rules);
                !is_missing && layouts.is_some_and(|layouts| layouts.is_sound(ty))
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

/// What is wrong with vectors deep within a structure that begins at a boundary of
/// 16 bytes.
fn straddling(layouts: &Layouts<'_, '_>, ty: Id) -> Vec<Found> {
    let m = layouts.m;
    let Type::Struct { members } = m.ty(ty) else {
        return Vec::new();
    };
    let layout = layouts.layout(ty, sizes::MatrixLayout::default(), &mut Vec::new());
    if !layouts.rules.relaxed || layout.straddles & 1 == 0 || m.options.skip_block_layout {
        return Vec::new();
    }
    let all = members::straddling(layouts, ty, members).into_iter();
    all.map(|index| {
        let message = format!(
            "in member {index} of {}, a vector within an array or a nested structure crosses a multiple of 16 bytes",
            m.name(ty)
        );
        let finding = layouts.finding(&STRADDLE, ty, message);
        Found { ty, finding }
    })
    .collect()
}

/// The options that permit what is wrong with a type, or with types that it holds,
/// as far as these are sound by `wider` rules, from the least on.
fn advice<'m, 'a>(
    m: &'m Module<'a>,
    rules: Rules,
    ty: Id,
    wider: &mut HashMap<Rules, Layouts<'m, 'a>>,
) -> Vec<(&'static str, Rules)> {
    let permits = |(_, rules): &(&str, Rules)| {
        let layouts = wider
            .entry(*rules)
            .or_insert_with(|| Layouts::new(m, *rules));
        layouts.lay_out(ty, &mut Vec::new());
        straddling(layouts, ty).is_empty()
    };
    rules.wider().filter(permits).collect()
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
    let is_chain = matches!(
        inst.op(),
        Op::UntypedAccessChainKHR
            | Op::UntypedInBoundsAccessChainKHR
            | Op::UntypedPtrAccessChainKHR
            | Op::UntypedInBoundsPtrAccessChainKHR
    );
    if instance.class != StorageClass::UniformConstant || !is_chain {
        return None;
    }
    Some(Rules {
        kind: match m.options.scalar_block_layout {
            true => Kind::Scalar,
            false => Kind::Standard,
        },
        relaxed: m.options.relax_block_layout || m.env.is_vulkan_since(1),
        class: instance.class,
    })
}
