//! Selections that choose only values.

use spirvkit_grammar::debug_info::Kind;
use spirvkit_grammar::{Op, Version};

use super::described::code;
use super::flow::LastFlow;
use super::unreachable::remove_unreachable;
use crate::body::{Flow, merge_of};
use crate::effects::{Effect, effect};
use crate::unit::{Function, Unit, Value, flag};
use crate::{Level, Subject};

/// So many instructions at most are executed although their results may not be needed.
fn most_speculated(unit: &Unit) -> usize {
    match unit.options.level {
        Level::Size => 8,
        // As many as a branch around them.
        Level::Performance => 2,
    }
}

/// Replaces selections between blocks that only compute by the choice of values.
pub(super) fn choose_values(unit: &mut Unit, function: &mut Function, flow: &mut LastFlow) -> bool {
    let mut changed = false;
    let flow = flow.get(unit, function);
    // What one choice changes concerns no other: an arm has one block, and that is no header.
    for &number in &flow.order {
        changed |= choose_value(unit, function, flow, number as usize);
    }
    if changed {
        remove_unreachable(unit, function);
    }
    changed
}

/// The block behind an arm of a selection that only computes, and whether it is an arm at all.
fn arm(
    unit: &Unit,
    function: &Function,
    flow: &Flow,
    header: usize,
    at: u32,
    behind: u32,
) -> Option<bool> {
    if at == behind {
        return Some(false);
    }
    if flow.graph.predecessors(at) != [header as u32] {
        return None;
    }
    let insts = &function.blocks[at as usize].insts;
    let (&end, body) = insts.split_last()?;
    let goes_on =
        unit.op(end) == Op::Branch && unit.block_of_label[unit.operand(end, 0) as usize] == behind;
    let computes = code(unit, body).count() <= most_speculated(unit)
        && code(unit, body).all(|inst| {
            !unit.op(inst).is_merge()
                && unit.op(inst) != Op::Phi
                && !unit.op(inst).is_variable()
                && (unit.node(inst).has(flag::TOTAL)
                    || effect(unit, inst) == Effect::Total && !unit.op(inst).is_access_chain())
        });
    (goes_on && computes).then_some(true)
}

fn choose_value(unit: &mut Unit, function: &mut Function, flow: &Flow, header: usize) -> bool {
    let insts = &function.blocks[header].insts;
    let Some(&end) = insts.last() else {
        return false;
    };
    let Some(merge) = merge_of(unit, insts) else {
        return false;
    };
    if unit.op(end) != Op::BranchConditional || unit.op(merge) != Op::SelectionMerge {
        return false;
    }
    let number = |label: Value| unit.block_of_label[label as usize];
    let behind = number(unit.operand(merge, 0));
    let (yes, no) = (number(unit.operand(end, 1)), number(unit.operand(end, 2)));
    if yes == no {
        return false;
    }
    let (Some(has_yes), Some(has_no)) = (
        arm(unit, function, flow, header, yes, behind),
        arm(unit, function, flow, header, no, behind),
    ) else {
        return false;
    };
    let arms = usize::from(has_yes) + usize::from(has_no);
    let arrivals = arms + usize::from(arms < 2);
    if flow.graph.predecessors(behind).len() != arrivals {
        return false;
    }
    let label = |block: u32| function.blocks[block as usize].label;
    let own = function.blocks[header].label;
    let from_yes = if has_yes { label(yes) } else { own };
    let from_no = if has_no { label(no) } else { own };
    // The values that are chosen between.
    let mut choices = Vec::new();
    let condition = unit.find(unit.operand(end, 0));
    for &phi in &function.blocks[behind as usize].insts {
        if unit.op(phi) != Op::Phi {
            break;
        }
        let value_from = |label: Value| {
            let mut pairs = unit.operands(phi).chunks_exact(2);
            pairs
                .find(|pair| pair[1] == label)
                .map(|pair| unit.find(pair[0]))
        };
        let (Some(one), Some(other)) = (value_from(from_yes), value_from(from_no)) else {
            return false;
        };
        if one != other && !can_select(unit, unit.node(phi).ty) {
            return false;
        }
        choices.push((phi, one, other));
    }
    let different = choices.iter().filter(|choice| choice.1 != choice.2).count();
    let speculated = [(has_yes, yes), (has_no, no)]
        .iter()
        .filter(|(has, _)| *has)
        .map(|&(_, block)| code(unit, &function.blocks[block as usize].insts).count() - 1)
        .sum::<usize>();
    if speculated > most_speculated(unit) || different > 4 {
        return false;
    }
    let what = "made OpSelect, because it only chooses values";
    let said = (Subject::Selection, true);
    unit.remark(said, what, None, function.definition, end);
    let mut moved = Vec::new();
    for (has, block) in [(has_yes, yes), (has_no, no)] {
        if has {
            let insts = &mut function.blocks[block as usize].insts;
            let end = insts.len() - 1;
            moved.extend(insts.drain(..end));
            // Which of the arms' values a variable has isn't known any more.
            moved.retain(|&inst| match unit.debug_kind(inst) {
                Some(Kind::Value) => unit.forget_value(inst),
                Some(kind) => kind == Kind::Declare,
                None => true,
            });
        }
    }
    let mut selects = Vec::new();
    for (phi, one, other) in choices {
        if one == other {
            unit.replace(phi, one);
            continue;
        }
        let ty = unit.node(phi).ty;
        let condition = match unit.op(ty) {
            Op::TypeVector if unit.version() < Version::new(1, 4) => {
                let count = unit.operand(ty, 1);
                let bool_ty = unit.node(condition).ty;
                let vector = unit.global_type(Op::TypeVector, &[bool_ty, count], 1);
                let operands = vec![condition; count as usize];
                let splat = unit.add(Op::CompositeConstruct, vector, &operands, u64::MAX);
                unit.nodes[splat as usize].flags |= flag::LOCAL;
                unit.nodes[splat as usize].position = unit.node(end).position;
                selects.push(splat);
                splat
            }
            _ => condition,
        };
        // It keeps the phi's id.
        unit.set_operands(phi, &[condition, one, other]);
        unit.nodes[phi as usize].op = Op::Select;
        if unit.node(phi).position == 0 {
            unit.nodes[phi as usize].position = unit.node(end).position;
        }
        unit.nodes[phi as usize].ids = u64::MAX;
        selects.push(phi);
    }
    let behind_label = function.blocks[behind as usize].label;
    function.blocks[behind as usize]
        .insts
        .retain(|&inst| unit.op(inst) != Op::Phi && !selects.contains(&inst));
    let dropped = function.blocks[behind as usize].insts.clone();
    function.blocks[behind as usize].insts = dropped
        .into_iter()
        .filter(|&inst| unit.find(inst) == inst)
        .collect();
    let branch = unit.add(Op::Branch, 0, &[behind_label], 1);
    unit.nodes[branch as usize].flags |= flag::LOCAL;
    unit.nodes[branch as usize].position = unit.node(end).position;
    let insts = &mut function.blocks[header].insts;
    insts.truncate(insts.len() - 2);
    insts.extend(moved);
    insts.extend(selects);
    insts.push(branch);
    true
}

/// Whether `OpSelect` can choose between values of a type, with a condition for each component.
fn can_select(unit: &Unit, ty: u32) -> bool {
    match unit.op(ty) {
        Op::TypeBool | Op::TypeInt | Op::TypeFloat => true,
        Op::TypeVector => unit.version() >= Version::new(1, 4),
        _ => false,
    }
}
