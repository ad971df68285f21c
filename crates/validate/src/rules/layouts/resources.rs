//! What variables in memory with an explicit layout must be: blocks, bound to
//! descriptors.

use spirvkit_binary::Id;
use spirvkit_diagnostics::ErrorClass::{InvalidBinary, InvalidId};
use spirvkit_grammar::{BuiltIn, Capability, Decoration, Op, StorageClass};

use crate::finding::{Finding, Reporter};
use crate::module::{Inst, Module};
use crate::rule::{Example, Frame, Rule};

pub(super) static BLOCK: Rule = Rule {
    id: "layout.block",
    class: InvalidId,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &[
        "VUID-StandaloneSpirv-PushConstant-06675",
        "VUID-StandaloneSpirv-Uniform-06676",
    ],
    text: "The structure in a push constant or a storage buffer is decorated with `Block`, the one in a uniform \
           variable with `Block` or `BufferBlock`.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.3"),
        breaks: "OpMemberDecorate %struct 0 Offset 0
%struct = OpTypeStruct %f32
%ptr = OpTypePointer PushConstant %struct
%push = OpVariable %ptr PushConstant",
        keeps: "OpDecorate %struct Block
OpMemberDecorate %struct 0 Offset 0
%struct = OpTypeStruct %f32
%ptr = OpTypePointer PushConstant %struct
%push = OpVariable %ptr PushConstant",
    },
};

pub(super) static BINDING: Rule = Rule {
    id: "layout.binding",
    class: InvalidId,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &["VUID-StandaloneSpirv-UniformConstant-06677"],
    text: "Variables in `Uniform`, `UniformConstant` and `StorageBuffer` have a `DescriptorSet` and a `Binding`.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.3"),
        breaks: "OpEntryPoint GLCompute %main \"main\" %sampler
OpDecorate %sampler Binding 0
%type = OpTypeSampler
%ptr = OpTypePointer UniformConstant %type
%sampler = OpVariable %ptr UniformConstant
%load = OpLoad %type %sampler",
        keeps: "OpEntryPoint GLCompute %main \"main\" %sampler
OpDecorate %sampler Binding 0
OpDecorate %sampler DescriptorSet 0
%type = OpTypeSampler
%ptr = OpTypePointer UniformConstant %type
%sampler = OpVariable %ptr UniformConstant
%load = OpLoad %type %sampler",
    },
};

pub(super) static WORKGROUP_BLOCK: Rule = Rule {
    id: "layout.workgroup-block",
    class: InvalidBinary,
    section: "SPV_KHR_workgroup_memory_explicit_layout",
    vuids: &[],
    text: "Blocks in workgroup memory need the capability `WorkgroupMemoryExplicitLayoutKHR`. With it, and without \
           untyped pointers, either all workgroup variables of an entry point are blocks or none is, and if there are \
           several, all are decorated with `Aliased`, because they share memory.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpEntryPoint GLCompute %main \"main\" %block
OpDecorate %struct Block
OpMemberDecorate %struct 0 Offset 0
%struct = OpTypeStruct %f32
%ptr = OpTypePointer Workgroup %struct
%block = OpVariable %ptr Workgroup",
        keeps: "OpEntryPoint GLCompute %main \"main\" %block
%struct = OpTypeStruct %f32
%ptr = OpTypePointer Workgroup %struct
%block = OpVariable %ptr Workgroup",
    },
};

pub(super) static UNTYPED_WORKGROUP: Rule = Rule {
    id: "layout.untyped-workgroup",
    class: InvalidId,
    section: "SPV_KHR_untyped_pointers",
    vuids: &[],
    text: "The data type of an untyped workgroup variable in a shader is a structure that is decorated with `Block`.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability UntypedPointersKHR
OpCapability WorkgroupMemoryExplicitLayoutKHR
OpExtension \"SPV_KHR_untyped_pointers\"
OpExtension \"SPV_KHR_workgroup_memory_explicit_layout\"
%ptr = OpTypeUntypedPointerKHR Workgroup
%object = OpUntypedVariableKHR %ptr Workgroup %f32",
        keeps: "OpCapability UntypedPointersKHR
OpCapability WorkgroupMemoryExplicitLayoutKHR
OpExtension \"SPV_KHR_untyped_pointers\"
OpExtension \"SPV_KHR_workgroup_memory_explicit_layout\"
OpDecorate %struct Block
OpMemberDecorate %struct 0 Offset 0
%struct = OpTypeStruct %f32
%ptr = OpTypeUntypedPointerKHR Workgroup
%object = OpUntypedVariableKHR %ptr Workgroup %struct",
    },
};

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
            "{} holds {}, which must be decorated with Block{}",
            m.name(id),
            m.show_type(ty),
            if is_uniform { " or BufferBlock" } else { "" }
        );
        let finding =
            Finding::new(&BLOCK, inst.offset(), message).vuid(BLOCK.vuids[usize::from(is_uniform)]);
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
    let message = format!("{} is in {class}, so it needs a {missing}", m.name(id));
    reporter.add(Finding::new(&BINDING, inst.offset(), message));
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
                "{} holds {}, but must hold a structure decorated with Block",
                m.name(id),
                m.show_type(held)
            );
            reporter.add(Finding::new(&UNTYPED_WORKGROUP, inst.offset(), message));
        }
    }
    for entry in &m.entry_points {
        let (mut all, mut blocks, mut aliased) = (0, 0, 0);
        let mut last = None;
        for &id in entry.interface {
            let Some(inst) = m.def(Id(id)) else { continue };
            let is_variable = matches!(inst.op(), Op::Variable | Op::UntypedVariableKHR);
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
                "a block in workgroup memory needs the capability WorkgroupMemoryExplicitLayoutKHR"
            }
            () if is_untyped => continue,
            () if blocks != all => {
                "either all workgroup variables of an entry point must be blocks, or none"
            }
            () if blocks > 1 && blocks != aliased => {
                "workgroup variables that are blocks share memory, so all must be decorated with Aliased"
            }
            () => continue,
        };
        let mut finding = Finding::new(&WORKGROUP_BLOCK, entry.inst.offset(), message);
        if let Some(last) = last {
            finding = finding.about(m, last, "this variable is a block");
        }
        reporter.add(finding);
    }
}
