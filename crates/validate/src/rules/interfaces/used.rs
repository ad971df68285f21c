//! The variables that entry points use.

use spirvkit_binary::{Id, IdMap, Instruction, Value, WordOffset};
use spirvkit_diagnostics::ErrorClass::InvalidId;
use spirvkit_grammar::{Capability, Op, StorageClass, Version};

use super::listed;
use crate::fault::{Fault, Faults};
use crate::module::{Inst, Module};
use crate::rule::{Example, Frame, Rule};

pub(super) static NOT_LISTED: Rule = Rule {
    id: "interface.not-listed",
    class: InvalidId,
    section: "3.32.5",
    vuids: &[],
    text: "An entry point lists the input and output that it and the functions it calls use, and since SPIR-V 1.4 all \
           variables outside of functions that they use.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpEntryPoint GLCompute %main \"main\"\n%load = OpLoad %f32 %private_f32",
        keeps: "OpEntryPoint GLCompute %main \"main\" %private_f32\n%load = OpLoad %f32 %private_f32",
    },
};

pub(super) static PUSH_CONSTANTS: Rule = Rule {
    id: "interface.vulkan-push-constants",
    class: InvalidId,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &["VUID-StandaloneSpirv-OpEntryPoint-06674"],
    text: "An entry point uses at most one block of push constants.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.1"),
        breaks: "OpDecorate %struct Block
OpMemberDecorate %struct 0 Offset 0
%struct = OpTypeStruct %f32
%ptr = OpTypePointer PushConstant %struct
%one = OpVariable %ptr PushConstant
%other = OpVariable %ptr PushConstant
%load = OpLoad %struct %one
%load2 = OpLoad %struct %other",
        keeps: "OpDecorate %struct Block
OpMemberDecorate %struct 0 Offset 0
%struct = OpTypeStruct %f32
%ptr = OpTypePointer PushConstant %struct
%one = OpVariable %ptr PushConstant
%load = OpLoad %struct %one",
    },
};

/// What is to be known of a variable.
#[derive(Clone, Copy)]
struct Known {
    /// Whether the variable is of interest.
    matters: bool,
    /// The function, plus 1, that was last found to use it.
    function: u32,
    /// The entry point, plus 1, that last listed it.
    listed: u32,
}

/// The first use of a variable in a function.
#[derive(Clone, Copy)]
struct Use {
    function: u32,
    id: Id,
    offset: u32,
}

/// Checks that entry points list what they use.
pub(super) fn check(m: &Module<'_>, faults: &mut Faults) {
    let is_new = m.version >= Version::new(1, 4);
    let mut known = IdMap::new(
        Known {
            matters: false,
            function: 0,
            listed: 0,
        },
        m.words.len(),
    );
    let mut any = false;
    for inst in m.globals.iter().filter_map(|&offset| m.inst(offset)) {
        let class = StorageClass(inst.arg(0));
        let matters = is_new
            || matches!(class, StorageClass::Input | StorageClass::Output)
            || class == StorageClass::PushConstant && m.env.is_vulkan();
        if let Some(id) = inst.result().filter(|_| matters) {
            known.slot(id).matters = true;
            any = true;
        }
    }
    if !any || m.entry_points.is_empty() {
        return;
    }
    let mut used: Vec<Use> = Vec::new();
    for (index, function) in m.functions.iter().enumerate() {
        for inst in m.instructions(function.range.clone()) {
            note_uses(m, inst, index as u32, &mut known, &mut used);
        }
    }
    for (index, entry) in m.entry_points.iter().enumerate() {
        let stamp = index as u32 + 1;
        for &id in entry.interface {
            known.slot(Id(id)).listed = stamp;
        }
        let mut push_constant: Option<Id> = None;
        for function in m.call_tree(entry.function) {
            let start = used.partition_point(|entry| entry.function < function);
            let own = used[start..]
                .iter()
                .take_while(|entry| entry.function == function);
            for &Use { id, offset, .. } in own {
                let Some(variable) = listed::variable(m, id) else {
                    continue;
                };
                if variable.class == StorageClass::PushConstant
                    && m.env.is_vulkan()
                    && !m.has(Capability::PushConstantBanksNV)
                {
                    if let Some(other) = push_constant.filter(|&other| other != id) {
                        let message = format!(
                            "\"{}\" uses two blocks of push constants, {} and {}",
                            entry.name(),
                            m.name(other),
                            m.name(id)
                        );
                        let fault = Fault::new(&PUSH_CONSTANTS, offset, message)
                            .about(m, id, "this block")
                            .about(m, other, "the other block");
                        faults.add(fault);
                        return;
                    }
                    push_constant = Some(id);
                }
                let must_be_listed =
                    is_new || matches!(variable.class, StorageClass::Input | StorageClass::Output);
                if must_be_listed && known.get(id).listed != stamp {
                    let message = format!(
                        "entry point \"{}\" uses {}, but does not list it",
                        entry.name(),
                        m.name(id)
                    );
                    let fault = Fault::new(&NOT_LISTED, offset, message)
                        .about(m, id, "the variable is declared here")
                        .at(entry.inst.offset(), "the entry point");
                    faults.add(fault);
                    return;
                }
            }
        }
    }
}

/// Notes which variables an instruction of a function uses.
fn note_uses(
    m: &Module<'_>,
    inst: Inst<'_>,
    function: u32,
    known: &mut IdMap<Known>,
    used: &mut Vec<Use>,
) {
    let may_use = |known: &IdMap<Known>, word: u32| {
        let known = known.get(Id(word));
        known.matters && known.function != function + 1
    };
    let words = inst.words().get(1..).unwrap_or_default();
    if !words.iter().any(|&word| may_use(known, word)) {
        return;
    }
    let mut note = |id: Id| {
        if may_use(known, id.0) {
            known.slot(id).function = function + 1;
            used.push(Use {
                function,
                id,
                offset: inst.offset(),
            });
        }
    };
    match inst.op() {
        Op::Load | Op::AccessChain | Op::InBoundsAccessChain => note(inst.id(0)),
        Op::Store => note(inst.id(0)),
        Op::ExtInst if is_debug_info(m, inst.id(0)) => {}
        _ => {
            let offset = WordOffset(inst.offset() as usize);
            let Some(instruction) = Instruction::from_words(inst.words(), offset) else {
                return;
            };
            for operand in instruction.operands(&m.definitions).flatten() {
                if let Value::Id(id) = operand.value {
                    note(id);
                }
            }
        }
    }
}

/// Whether an extended instruction set says nothing of what a module does.
fn is_debug_info(m: &Module<'_>, set: Id) -> bool {
    let name = m.def(set).and_then(|def| def.string(0));
    let name = name.map_or_else(String::new, |name| name.to_text_lossy());
    name.starts_with("NonSemantic.") || name.contains("DebugInfo")
}
