//! Samplers with a conversion from Y′CBCR, which the layout says to be immutable (Vulkan, "Sampler
//! Y′CBCR Conversion").

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

/// Checks a resource whose binding has such samplers.
pub(super) fn check(resource: &Resource<'_, '_, '_>, problems: &mut Problems<'_>) {
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
        return;
    }
    let functions: HashSet<u32> = m.call_tree(part.entry.function).into_iter().collect();
    let mut todo = vec![variable];
    let mut seen: HashSet<Id> = HashSet::new();
    while let Some(id) = todo.pop() {
        if !seen.insert(id) {
            continue;
        }
        for inst in m.uses(id).iter().filter_map(|&at| m.inst(at)) {
            let function = m.function_at(inst.offset());
            if function.is_none_or(|function| !functions.contains(&function)) {
                continue;
            }
            if let Some((message, vuid)) = wrong_use(part, id, inst) {
                let message = format!("{message} {name}, which has a Y'CbCr conversion");
                let finding = Finding::new(rule, inst.offset(), message).vuid(rule.vuids[vuid]);
                problems.add(part, finding, Vec::new());
            }
            let passes_on = matches!(
                inst.op(),
                Op::AccessChain | Op::InBoundsAccessChain | Op::CopyObject | Op::Load
            );
            todo.extend(inst.result().filter(|_| passes_on));
        }
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
