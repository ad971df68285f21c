//! What the layout says of samplers: those with a conversion from Y′CBCR, which are immutable (Vulkan,
//! "Sampler Y′CBCR Conversion"), and those whose coordinates are normalized.

use hashbrown::HashSet;
use spirvkit_binary::{Id, Value};
use spirvkit_grammar::{ImageOperands, Op, OperandKind};
use spirvkit_vulkan::DescriptorType as D;

use super::part::Part;
use super::problems::Problems;
use super::resources::Resource;
use crate::finding::Finding;
use crate::module::{Inst, Lookup};
use crate::rules::generated::pipeline;

/// Checks a resource whose binding has samplers with a conversion, or an image that needs one.
pub(super) fn check_ycbcr(resource: &Resource<'_, '_, '_>, problems: &mut Problems<'_>) {
    let (part, variable) = (resource.part, resource.variable);
    let m = part.m;
    let rule = &pipeline::YCBCR;
    let name = m.name(variable);
    let separate = match () {
        () if resource.types.contains(D::SAMPLER) => Some(("a sampler", 0)),
        () if resource.types.contains(D::SAMPLED_IMAGE) => Some(("an image", 1)),
        () => None,
    };
    if let Some((what, vuid)) = separate {
        let message = format!(
            "{name} is {what} by itself, but its binding has samplers with a Y'CbCr conversion"
        );
        let finding = Finding::new(rule, m.def_offset(variable), message).vuid(rule.vuids[vuid]);
        problems.add(part, finding, Vec::new());
    }
    let wrong_use = match separate {
        None => wrong_use,
        Some((_, 1)) => wrong_use_of_image,
        Some(_) => return,
    };
    follow(part, variable, &[], |id, inst| {
        if let Some((message, vuid)) = wrong_use(part, id, inst) {
            let message = format!("{message} {name}, which has a Y'CbCr conversion");
            let finding = Finding::new(rule, inst.offset(), message).vuid(rule.vuids[vuid]);
            problems.add(part, finding, Vec::new());
        }
    });
}

/// Checks a resource whose binding has samplers with normalized coordinates, with which blocks can't be
/// matched.
pub(super) fn check_normalized(resource: &Resource<'_, '_, '_>, problems: &mut Problems<'_>) {
    let (part, variable) = (resource.part, resource.variable);
    let rule = &pipeline::UNNORMALIZED;
    follow(part, variable, &[Op::SampledImage], |id, inst| {
        let vuid = match inst.op() {
            Op::ImageBlockMatchSSDQCOM | Op::ImageBlockMatchSADQCOM => rule.vuids[0],
            Op::ImageBlockMatchWindowSSDQCOM
            | Op::ImageBlockMatchWindowSADQCOM
            | Op::ImageBlockMatchGatherSSDQCOM
            | Op::ImageBlockMatchGatherSADQCOM => rule.vuids[1],
            _ => return,
        };
        let what = match inst.id(0) == id {
            true => "target",
            false => "reference",
        };
        let message = format!(
            "the {what} of {} is sampled with {}, whose coordinates are normalized",
            inst.op(),
            part.m.name(variable)
        );
        let finding = Finding::new(rule, inst.offset(), message).vuid(vuid);
        problems.add(part, finding, Vec::new());
    });
}

/// Visits what a stage does with a resource, with what is chosen and loaded of it, and with what else
/// these opcodes make of it.
fn follow(part: &Part<'_, '_>, variable: Id, makers: &[Op], mut visit: impl FnMut(Id, Inst<'_>)) {
    let m = part.m;
    let functions: HashSet<u32> = m.call_tree(part.entry.function).into_iter().collect();
    let mut todo = vec![variable];
    let mut seen: HashSet<Id> = HashSet::new();
    while let Some(id) = todo.pop() {
        if !seen.insert(id) {
            continue;
        }
        for inst in m.uses(id).iter().filter_map(|&at| m.inst(at)) {
            let function = m.function_at(inst.offset());
            if function.is_none_or(|function| !functions.contains(&function)) || m.is_remark(inst) {
                continue;
            }
            visit(id, inst);
            let passes_on = matches!(
                inst.op(),
                Op::AccessChain | Op::InBoundsAccessChain | Op::CopyObject | Op::Load
            );
            let passes_on = passes_on || makers.contains(&inst.op());
            todo.extend(inst.result().filter(|_| passes_on));
        }
    }
}

/// What is wrong with a use of an image by itself.
fn wrong_use_of_image(_: &Part<'_, '_>, _: Id, inst: Inst<'_>) -> Option<(String, usize)> {
    match inst.op() {
        Op::AccessChain | Op::InBoundsAccessChain | Op::CopyObject | Op::Load => None,
        // What a function does with it is not followed.
        Op::ImageQueryLevels | Op::ImageQuerySizeLod | Op::FunctionCall => None,
        op => Some((format!("{op} uses"), 5)),
    }
}

/// What is wrong with a use of such a variable, or of what is loaded from it, and the place of the
/// VUID in the rule's list.
fn wrong_use(part: &Part<'_, '_>, id: Id, inst: Inst<'_>) -> Option<(String, usize)> {
    let m = part.m;
    match inst.op() {
        Op::AccessChain | Op::InBoundsAccessChain => {
            let indices = inst.args().iter().skip(1).map(|&word| Id(word));
            let mut variable = indices.filter(|&index| !m.is_constant(index));
            variable.next()?;
            Some(("an index that is no constant chooses from".to_owned(), 2))
        }
        Op::CopyObject | Op::Load | Op::Image | Op::Name => None,
        _ if m.is_pointer(m.type_of(id).unwrap_or(Id(0))) => None,
        op => {
            let name = op.to_string();
            let samples = ["OpImageSample", "OpImageSparseSample"];
            if !samples.iter().any(|it| name.starts_with(it)) {
                return Some((format!("{op} uses"), 3));
            }
            let offsets = ImageOperands::ConstOffset.0 | ImageOperands::Offset.0;
            let decoded = inst.decoded()?;
            let mut operands = decoded.operands(&m.definitions).flatten();
            operands.find(|operand| {
                operand.kind == OperandKind::ImageOperands
                    && matches!(operand.value, Value::Mask(bits) if bits & offsets != 0)
            })?;
            Some((format!("{op} with an offset samples"), 4))
        }
    }
}
