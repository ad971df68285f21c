//! What variables in memory with an explicit layout must be: blocks, bound to
//! descriptors.

use spirvkit_binary::Id;
use spirvkit_grammar::{BuiltIn, Capability, Decoration, Op, StorageClass};

use crate::finding::{Finding, Reporter};
use crate::module::{Inst, Lookup, Module};
use crate::rules::generated::layout;

/// The type of what a variable holds.
fn held_type(m: &Module<'_>, inst: Inst<'_>) -> Option<Id> {
    match inst.op() {
        Op::UntypedVariableKHR => inst.optional(1).map(Id),
        _ => m.pointee(inst.result_type()?),
    }
}

fn variables<'a>(m: &Module<'a>) -> impl Iterator<Item = (Id, Inst<'a>, StorageClass)> {
    let globals = m.globals.iter().filter_map(|&offset| m.inst(offset));
    globals.filter_map(|inst| Some((inst.result()?, inst, StorageClass(inst.arg(0)))))
}

/// Checks Vulkan's resources.
pub(super) fn check(m: &Module<'_>, reporter: &mut Reporter) {
    for (id, inst, class) in variables(m) {
        if reporter.is_full() {
            return;
        }
        let is_uniform = class == StorageClass::Uniform;
        let is_resource = matches!(
            class,
            StorageClass::Uniform
                | StorageClass::StorageBuffer
                | StorageClass::PushConstant
                | StorageClass::UniformConstant
        );
        if !is_resource {
            continue;
        }
        if class != StorageClass::PushConstant {
            check_binding(m, id, inst, class, reporter);
        }
        let Some(held) = held_type(m, inst) else {
            continue;
        };
        let ty = m.without_arrays(held);
        let facts = m.structure_facts(ty);
        let is_fine = facts.is_block || is_uniform && facts.is_buffer_block;
        if is_fine || class == StorageClass::UniformConstant || !m.is_struct(ty) {
            continue;
        }
        let message = format!(
            "{} holds {}, which must be decorated with `Block`{}",
            m.name(id),
            m.show_type(ty),
            if is_uniform { " or `BufferBlock`" } else { "" }
        );
        let finding = Finding::new(&layout::BLOCK, inst.offset(), message)
            .vuid(layout::BLOCK.vuids[usize::from(is_uniform)]);
        reporter.add(finding.about(m, ty, "the structure is declared here"));
    }
}

fn check_binding(
    m: &Module<'_>,
    id: Id,
    inst: Inst<'_>,
    class: StorageClass,
    reporter: &mut Reporter,
) {
    let mut has_set = false;
    let mut has_binding = false;
    let mut is_heap = false;
    for decorated in m.own_decorations(id) {
        match decorated.decoration {
            Decoration::DescriptorSet => has_set = true,
            Decoration::Binding => has_binding = true,
            Decoration::BuiltIn => {
                is_heap |= matches!(
                    BuiltIn(decorated.param(0)),
                    BuiltIn::SamplerHeapEXT | BuiltIn::ResourceHeapEXT
                );
            }
            _ => {}
        }
    }
    if has_set && has_binding || is_heap {
        return;
    }
    let missing = if has_set { "Binding" } else { "DescriptorSet" };
    let message = format!("{} is in `{class}`, so it needs a `{missing}`", m.name(id));
    reporter.add(Finding::new(&layout::BINDING, inst.offset(), message));
}

/// Checks blocks in workgroup memory.
pub(super) fn check_workgroups(m: &Module<'_>, reporter: &mut Reporter) {
    let is_shader = m.has(Capability::Shader);
    let has_layout = m.has(Capability::WorkgroupMemoryExplicitLayoutKHR);
    let is_untyped = m.has(Capability::UntypedPointersKHR);
    let is_block = |ty: Id| m.structure_facts(ty).is_block;
    if !variables(m).any(|variable| variable.2 == StorageClass::Workgroup) {
        return;
    }
    for (id, inst, class) in variables(m).filter(|_| is_shader && has_layout) {
        if class != StorageClass::Workgroup || inst.op() != Op::UntypedVariableKHR {
            continue;
        }
        if let Some(held) = held_type(m, inst)
            && !is_block(held)
            && m.def_offset(held) != 0
        {
            let message = format!(
                "{} holds {}, but must hold a structure decorated with `Block`",
                m.name(id),
                m.show_type(held)
            );
            reporter.add(Finding::new(
                &layout::UNTYPED_WORKGROUP,
                inst.offset(),
                message,
            ));
        }
    }
    for entry in &m.entry_points {
        let (mut all, mut blocks, mut aliased) = (0, 0, 0);
        let mut last = None;
        for &id in entry.interface {
            let Some(inst) = m.def(Id(id)) else { continue };
            let is_variable = inst.op().is_variable();
            if !is_variable || StorageClass(inst.arg(0)) != StorageClass::Workgroup {
                continue;
            }
            all += 1;
            if held_type(m, inst).is_some_and(is_block) {
                blocks += 1;
                last = Some(Id(id));
                aliased += u32::from(m.is_decorated(Id(id), Decoration::Aliased));
            }
        }
        let message = match () {
            () if blocks == 0 => continue,
            () if !has_layout => {
                "a block in workgroup memory needs the capability `WorkgroupMemoryExplicitLayoutKHR`"
            }
            () if is_untyped => continue,
            () if blocks != all => {
                "either all workgroup variables of an entry point must be blocks, or none"
            }
            () if blocks > 1 && blocks != aliased => {
                "workgroup variables that are blocks share memory, so all must be decorated with `Aliased`"
            }
            () => continue,
        };
        let mut finding = Finding::new(&layout::WORKGROUP_BLOCK, entry.inst.offset(), message);
        if let Some(last) = last {
            finding = finding.about(m, last, "this variable is a block");
        }
        reporter.add(finding);
    }
}
