//! Simplifies control flow: branches that always go one way, blocks that nothing reaches, blocks
//! that only follow another, selections that choose nothing or only a value.

use spirvkit_grammar::Op;

use super::described::{describe_first, is_only};
use super::select::choose_values;
use super::unreachable::{fix_phis, remove_unreachable, remove_unreachable_by};
use crate::body::{Constructs, Flow, NONE, merge_of, put_in_order};
use crate::unit::{Block, Function, Unit, Value, flag};
use crate::{Abilities, Subject};

/// Whether anything was changed.
pub(crate) fn simplify(unit: &mut Unit, function: &mut Function) -> bool {
    if function.is_opaque || function.blocks.len() < 2 {
        return false;
    }
    let may = |ability| unit.options.abilities.has_any(ability);
    let [cuts, dissolves, selects, joins] = [
        Abilities::CUT_BRANCHES,
        Abilities::LOOPS,
        Abilities::SELECT,
        Abilities::JOIN,
    ]
    .map(may);
    let mut changed = cuts && cut_branches(unit, function);
    if changed {
        fix_phis(unit, function);
        put_in_order(unit, function);
    }
    let steps: [(bool, Step); 6] = [
        (true, remove_unreachable_by),
        (dissolves, dissolve_loops),
        (selects, choose_values),
        (joins, unwrap_switches),
        (joins, skip_blocks),
        (joins, join_blocks),
    ];
    let mut flow = LastFlow::default();
    for (_, step) in steps.iter().filter(|step| step.0) {
        if step(unit, function, &mut flow) {
            flow = LastFlow::default();
            changed = true;
        }
    }
    changed
}

/// Changes a function, and tells whether it did.
type Step = fn(&mut Unit, &mut Function, &mut LastFlow) -> bool;

/// The control flow of a function since it was last changed, once something has needed it.
#[derive(Default)]
pub(super) struct LastFlow(Option<Flow>);

impl LastFlow {
    pub(super) fn get(&mut self, unit: &mut Unit, function: &Function) -> &Flow {
        self.0.get_or_insert_with(|| Flow::new(unit, function))
    }
}

/// Replaces switches with only one case by branches, if nothing leaves them from constructs within.
fn unwrap_switches(unit: &mut Unit, function: &mut Function, flow: &mut LastFlow) -> bool {
    let is_one_case = |unit: &Unit, block: &Block| {
        merge_of(unit, &block.insts).is_some_and(|merge| unit.op(merge) == Op::SelectionMerge)
            && block
                .insts
                .last()
                .is_some_and(|&end| unit.op(end) == Op::Switch && unit.operands(end).len() == 2)
    };
    if !function.blocks.iter().any(|block| is_one_case(unit, block)) {
        return false;
    }
    let flow = flow.get(unit, function);
    let constructs = Constructs::new(unit, function, flow);
    let mut changed = false;
    for number in 0..function.blocks.len() {
        let block = &function.blocks[number];
        if !is_one_case(unit, block) || !flow.is_reachable(number as u32) {
            continue;
        }
        let behind = constructs.merge[number];
        if behind == NONE {
            continue;
        }
        let leaves_directly = |&from: &u32| {
            !flow.is_reachable(from)
                || from as usize == number
                || constructs.around[from as usize] as usize == number
                    && branches(unit, function, from)
        };
        if !flow.graph.predecessors(behind).iter().all(leaves_directly) {
            continue;
        }
        let Some(&end) = block.insts.last() else {
            continue;
        };
        let target = unit.operand(end, 1);
        let branch = unit.add(Op::Branch, 0, &[target], 1);
        unit.nodes[branch as usize].flags |= flag::LOCAL;
        unit.nodes[branch as usize].position = unit.node(end).position;
        let insts = &mut function.blocks[number].insts;
        insts.truncate(insts.len() - 2);
        insts.push(branch);
        changed = true;
    }
    changed
}

/// Whether a block ends with a branch that has no condition.
fn branches(unit: &Unit, function: &Function, block: u32) -> bool {
    let end = function.blocks[block as usize].insts.last();
    end.is_some_and(|&end| unit.op(end) == Op::Branch)
}

/// Lets branches go around blocks that do nothing but branch on.
fn skip_blocks(unit: &mut Unit, function: &mut Function, flow: &mut LastFlow) -> bool {
    let is_empty = |unit: &Unit, block: &Block| is_only(unit, &block.insts, Op::Branch);
    if !function.blocks.iter().any(|block| is_empty(unit, block)) {
        return false;
    }
    let flow = flow.get(unit, function);
    let is_named = named_blocks(unit, function);
    let is_shape = shape_of_loops(unit, function);
    let mut touched = vec![false; function.blocks.len()];
    let mut changed = false;
    for number in 1..function.blocks.len() {
        if !is_empty(unit, &function.blocks[number])
            || is_named[number]
            || !flow.is_reachable(number as u32)
        {
            continue;
        }
        let to = flow.graph.successors(number as u32)[0] as usize;
        let &[from] = flow.graph.predecessors(number as u32) else {
            continue;
        };
        let from = from as usize;
        // Only what branches conditionally keeps another way; and not back to a loop's beginning.
        if to == number
            || is_shape[from]
            || is_shape[to]
            || touched[from]
            || touched[to]
            || touched[number]
            || flow.graph.predecessors(to as u32).contains(&(from as u32))
            || flow.goes_back(number as u32, to as u32)
        {
            continue;
        }
        let (own, target) = (function.blocks[number].label, function.blocks[to].label);
        let Some(&end) = function.blocks[from].insts.last() else {
            continue;
        };
        // A case that falls through is one of its switch.
        if unit.op(end) != Op::BranchConditional {
            continue;
        }
        let mut places = Vec::new();
        unit.each_target(end, |index, label| {
            if label == own {
                places.push(index);
            }
        });
        for index in places {
            unit.operands_mut(end)[index] = target;
        }
        let label = function.blocks[from].label;
        if flow.graph.predecessors(to as u32).len() == 1 {
            let own = std::mem::take(&mut function.blocks[number].insts);
            let described = own.iter().filter(|&&inst| unit.is_debug(inst)).copied();
            describe_first(unit, &mut function.blocks[to], described);
            function.blocks[number].insts = own;
        }
        for &inst in &function.blocks[to].insts {
            if unit.op(inst) != Op::Phi {
                break;
            }
            for operand in unit.operands_mut(inst).iter_mut().skip(1).step_by(2) {
                if *operand == own {
                    *operand = label;
                }
            }
        }
        (touched[from], touched[to], touched[number]) = (true, true, true);
        changed = true;
    }
    if changed {
        remove_unreachable(unit, function);
    }
    changed
}

/// Which blocks merge instructions name.
fn named_blocks(unit: &mut Unit, function: &Function) -> Vec<bool> {
    let mut is_named = vec![false; function.blocks.len()];
    for block in &function.blocks {
        if let Some(merge) = merge_of(unit, &block.insts) {
            let labels = match unit.op(merge) {
                Op::LoopMerge => 2,
                _ => 1,
            };
            for &label in &unit.operands(merge)[..labels] {
                is_named[unit.block_of_label[label as usize] as usize] = true;
            }
        }
    }
    is_named
}

/// The header of the loop that a block continues, for each.
fn continued_loops(unit: &Unit, function: &Function) -> Vec<u32> {
    let mut loop_of = vec![NONE; function.blocks.len()];
    for (number, block) in (0..).zip(&function.blocks) {
        if let Some(merge) = merge_of(unit, &block.insts)
            && unit.op(merge) == Op::LoopMerge
        {
            loop_of[unit.block_of_label[unit.operand(merge, 1) as usize] as usize] = number;
        }
    }
    loop_of
}

/// The blocks that loops are recognized by, if they are to stay: those that begin or continue one.
fn shape_of_loops(unit: &Unit, function: &Function) -> Vec<bool> {
    let mut is_shape = vec![false; function.blocks.len()];
    if !unit.options.keep_loop_shape {
        return is_shape;
    }
    for (number, block) in function.blocks.iter().enumerate() {
        if let Some(merge) = merge_of(unit, &block.insts)
            && unit.op(merge) == Op::LoopMerge
        {
            let next = unit.block_of_label[unit.operand(merge, 1) as usize];
            is_shape[number] = true;
            is_shape[next as usize] = true;
        }
    }
    is_shape
}

/// Whether a loop that doesn't go round can do without its merge instruction: it is left in one
/// place, and what continues it comes from one place, both outside of constructs within. What goes
/// back from a block is left out of account.
fn can_dissolve(
    unit: &Unit,
    function: &Function,
    flow: &Flow,
    constructs: &Constructs,
    header: u32,
    last: u32,
) -> bool {
    let is_plain = |from: u32| {
        let is_branch = function.blocks[from as usize]
            .insts
            .last()
            .is_some_and(|&end| unit.op(end) == Op::Branch);
        from == header || from == last || is_branch && constructs.around[from as usize] == header
    };
    let targets = [
        constructs.merge[header as usize],
        constructs.next[header as usize],
    ];
    targets.iter().all(|&target| {
        let mut from = flow.graph.predecessors(target).iter().filter(|&&from| {
            flow.is_reachable(from) && !(target == header && flow.goes_back(from, header))
        });
        from.next().is_none_or(|&from| is_plain(from)) && from.next().is_none()
    })
}

/// Removes the merge instructions of loops that don't go round.
fn dissolve_loops(unit: &mut Unit, function: &mut Function, flow: &mut LastFlow) -> bool {
    let is_loop = |block: &Block| {
        merge_of(unit, &block.insts).is_some_and(|merge| unit.op(merge) == Op::LoopMerge)
    };
    if !unit.is_shader || !function.blocks.iter().any(is_loop) {
        return false;
    }
    let flow = flow.get(unit, function);
    let constructs = Constructs::new(unit, function, flow);
    let mut changed = false;
    for &header in &flow.order {
        if !constructs.is_loop(header) {
            continue;
        }
        let goes_round = flow
            .graph
            .predecessors(header)
            .iter()
            .any(|&from| flow.is_reachable(from) && flow.goes_back(from, header));
        if goes_round || !can_dissolve(unit, function, flow, &constructs, header, NONE) {
            continue;
        }
        let insts = &mut function.blocks[header as usize].insts;
        let Some(&end) = insts.last() else {
            continue;
        };
        let place = insts.len() - 2;
        match unit.op(end) {
            Op::Branch => {
                insts.remove(place);
            }
            Op::BranchConditional => {
                let behind = unit.operand(insts[place], 0);
                let merge = unit.add(Op::SelectionMerge, 0, &[behind, 0], 1);
                unit.nodes[merge as usize].flags |= flag::LOCAL;
                insts[place] = merge;
            }
            _ => continue,
        }
        let what = "removed, because it never goes round";
        unit.remark((Subject::Loop, true), what, None, function.definition, end);
        changed = true;
    }
    if changed {
        remove_unreachable(unit, function);
    }
    changed
}

/// Lets branches with constant conditions go only where they do.
fn cut_branches(unit: &mut Unit, function: &mut Function) -> bool {
    let mut changed = false;
    let mut known: Option<(Flow, Constructs)> = None;
    for index in 0..function.blocks.len() {
        let block = &function.blocks[index];
        let Some(&end) = block.insts.last() else {
            continue;
        };
        let condition = unit.find(unit.operand(end, 0));
        let taken = match unit.op(end) {
            Op::BranchConditional => {
                let (yes, no) = (unit.operand(end, 1), unit.operand(end, 2));
                match unit.bits(condition) {
                    _ if yes == no => Some(yes),
                    Some(0) => Some(no),
                    Some(_) => Some(yes),
                    None if unit.op(condition) == Op::Undef => Some(yes),
                    None => None,
                }
            }
            Op::Switch => switch_target(unit, end, condition),
            _ => None,
        };
        let Some(target) = taken else {
            continue;
        };
        let merge = merge_of(unit, &block.insts);
        let is_switch = unit.op(end) == Op::Switch;
        // A loop has to go back, or it is none.
        if unit.is_shader {
            let (flow, constructs) = known.get_or_insert_with(|| {
                let flow = Flow::new(unit, function);
                let constructs = Constructs::new(unit, function, &flow);
                (flow, constructs)
            });
            let from = index as u32;
            if !flow.is_reachable(from) {
                continue;
            }
            let back = flow
                .graph
                .successors(from)
                .iter()
                .find(|&&to| flow.goes_back(from, to) && constructs.is_loop(to));
            if let Some(&header) = back
                && function.blocks[header as usize].label != target
                && !can_dissolve(unit, function, flow, constructs, header, from)
            {
                continue;
            }
        }
        if is_switch && merge.is_some() {
            // What is inside may leave it from within other selections, so it stays one.
            if unit.operands(end).len() == 2 {
                continue;
            }
            unit.set_operands(end, &[condition, target]);
            changed = true;
            continue;
        }
        // What leaves a selection by a condition of its own needs the selection.
        if let Some((flow, constructs)) = &known
            && merge.is_some_and(|merge| unit.op(merge) == Op::SelectionMerge)
        {
            let behind = constructs.merge[index];
            let stays = behind != NONE
                && flow.graph.predecessors(behind).iter().any(|&from| {
                    flow.is_reachable(from)
                        && from as usize != index
                        && !branches(unit, function, from)
                });
            if stays {
                continue;
            }
        }
        let what = "removed, because its branch always goes the same way";
        let said = (Subject::Selection, true);
        unit.remark(said, what, None, function.definition, end);
        let branch = unit.add(Op::Branch, 0, &[target], 1);
        unit.nodes[branch as usize].flags |= flag::LOCAL;
        unit.nodes[branch as usize].position = unit.node(end).position;
        let insts = &mut function.blocks[index].insts;
        insts.pop();
        if merge.is_some_and(|merge| unit.op(merge) == Op::SelectionMerge) {
            insts.pop();
        }
        insts.push(branch);
        changed = true;
    }
    changed
}

/// Where a switch with a constant selector goes, or one that always goes to the same block.
fn switch_target(unit: &Unit, switch: Value, selector: Value) -> Option<Value> {
    let operands = unit.operands(switch);
    let mut targets = Vec::new();
    unit.each_target(switch, |index, label| targets.push((index, label)));
    let first = targets.first()?.1;
    if targets.iter().all(|&(_, label)| label == first) {
        return Some(first);
    }
    let bits = unit.integer(selector)?;
    let words = unit.switch_literal_words(switch);
    let width = unit.shape(unit.node(selector).ty)?.0.width();
    let mask = u64::MAX >> (64 - width);
    let case = targets.iter().skip(1).find(|&&(index, _)| {
        let literal = spirvkit_binary::NumberType::join(&operands[index - words..index]);
        literal & mask == bits & mask
    });
    Some(case.map_or(first, |&(_, label)| label))
}

/// The first of the blocks that one was joined with.
fn first(into: &[usize], mut block: usize) -> usize {
    while into[block] != block {
        block = into[block];
    }
    block
}

/// Joins blocks with the only one that follows them, if that follows nothing else.
fn join_blocks(unit: &mut Unit, function: &mut Function, flow: &mut LastFlow) -> bool {
    let flow = flow.get(unit, function);
    let count = function.blocks.len();
    let is_named = named_blocks(unit, function);
    let loop_of = continued_loops(unit, function);
    let is_shape = shape_of_loops(unit, function);
    // What each block was joined with, so that chains are.
    let mut into: Vec<usize> = (0..count).collect();
    let mut gone = vec![false; count];
    for &number in &flow.order {
        let number = number as usize;
        let at = first(&into, number);
        let Some(&end) = function.blocks[at].insts.last() else {
            continue;
        };
        if unit.op(end) != Op::Branch {
            continue;
        }
        let own_merge = merge_of(unit, &function.blocks[at].insts);
        let next = unit.block_of_label[unit.operand(end, 0) as usize] as usize;
        let follows_only = flow.graph.predecessors(next as u32).len() == 1;
        // All of a loop behind its header may be where it continues.
        let loop_merge = Some(loop_of[next])
            .filter(|&header| header != NONE && own_merge.is_none() && !is_named[at])
            .filter(|&header| match flow.graph.predecessors(at as u32) {
                &[from] => first(&into, from as usize) == header as usize,
                _ => false,
            })
            .and_then(|header| merge_of(unit, &function.blocks[header as usize].insts));
        let is_fixed = is_named[next] && loop_merge.is_none();
        let stays = is_fixed || is_shape[at] || is_shape[next];
        if !follows_only || stays || next == at || gone[next] || next == 0 {
            continue;
        }
        // A loop's header keeps its merge instruction, before a terminator without one.
        let next_end = function.blocks[next].insts.last();
        let takes_merge =
            next_end.is_some_and(|&end| matches!(unit.op(end), Op::Branch | Op::BranchConditional));
        if own_merge.is_some()
            && (!takes_merge || merge_of(unit, &function.blocks[next].insts).is_some())
        {
            continue;
        }
        let insts = std::mem::take(&mut function.blocks[next].insts);
        function.blocks[at].insts.pop();
        if own_merge.is_some() {
            function.blocks[at].insts.pop();
        }
        for inst in insts {
            if unit.op(inst) == Op::Phi {
                let value = unit.operand(inst, 0);
                unit.replace(inst, value);
                continue;
            }
            if unit.op(inst).is_terminator()
                && let Some(merge) = own_merge
            {
                // Nothing may come between the two, no line either.
                unit.nodes[merge as usize].position = unit.node(inst).position;
                function.blocks[at].insts.push(merge);
            }
            function.blocks[at].insts.push(inst);
        }
        let (old, new) = (function.blocks[next].label, function.blocks[at].label);
        rename_predecessor(unit, function, at, old, new);
        if let Some(merge) = loop_merge {
            unit.operands_mut(merge)[1] = new;
        }
        into[next] = at;
        gone[next] = true;
    }
    if !gone.contains(&true) {
        return false;
    }
    let old = std::mem::take(&mut function.blocks);
    function.blocks = old
        .into_iter()
        .enumerate()
        .filter(|&(number, _)| !gone[number])
        .map(|(_, block)| block)
        .collect::<Vec<Block>>();
    true
}

/// Lets phis behind a block name it by another label.
fn rename_predecessor(unit: &mut Unit, function: &Function, block: usize, old: Value, new: Value) {
    let Some(&end) = function.blocks[block].insts.last() else {
        return;
    };
    let mut targets = Vec::new();
    unit.each_target(end, |_, label| targets.push(label));
    for label in targets {
        let number = unit.block_of_label[label as usize] as usize;
        for &inst in &function.blocks[number].insts {
            if unit.op(inst) != Op::Phi {
                break;
            }
            for operand in unit.operands_mut(inst).iter_mut().skip(1).step_by(2) {
                if *operand == old {
                    *operand = new;
                }
            }
        }
    }
}
