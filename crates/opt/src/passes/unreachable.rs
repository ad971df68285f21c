//! Blocks that nothing reaches, and what phis say of where control comes from.

use spirvkit_grammar::Op;

use super::described::is_only;
use super::flow::LastFlow;
use crate::body::{Flow, merge_of};
use crate::unit::{Function, Unit, Value, flag};

/// Removes what isn't reached any more, and lets phis follow.
pub(crate) fn settle(unit: &mut Unit, function: &mut Function) {
    if !remove_unreachable(unit, function) {
        fix_phis(unit, function);
    }
}

/// Removes blocks that nothing reaches; what merge instructions name stays, without contents.
pub(super) fn remove_unreachable(unit: &mut Unit, function: &mut Function) -> bool {
    remove_unreachable_by(unit, function, &mut LastFlow::default())
}

pub(super) fn remove_unreachable_by(
    unit: &mut Unit,
    function: &mut Function,
    flow: &mut LastFlow,
) -> bool {
    let flow = flow.get(unit, function);
    if (0..function.blocks.len() as u32).all(|block| flow.is_reachable(block)) {
        return false;
    }
    // The blocks that reachable ones name, and for a continue target its header.
    let count = function.blocks.len();
    let mut named = vec![None; count];
    let mut headers: Vec<usize> = (0..count)
        .filter(|&block| flow.is_reachable(block as u32))
        .collect();
    while let Some(block) = headers.pop() {
        let insts = &function.blocks[block].insts;
        let Some(merge) = merge_of(unit, insts) else {
            continue;
        };
        let behind = unit.block_of_label[unit.operand(merge, 0) as usize] as usize;
        named[behind] = named[behind].or(Some(None));
        if unit.op(merge) == Op::LoopMerge {
            let next = unit.block_of_label[unit.operand(merge, 1) as usize] as usize;
            named[next] = Some(Some(function.blocks[block].label));
        }
    }
    let mut changed = false;
    let old = std::mem::take(&mut function.blocks);
    for (number, mut block) in old.into_iter().enumerate() {
        if flow.is_reachable(number as u32) {
            function.blocks.push(block);
            continue;
        }
        let Some(header) = named[number] else {
            changed = true;
            continue;
        };
        let is_stub = match header {
            Some(header) => {
                let target = block.insts.last().map(|&end| unit.operand(end, 0));
                is_only(unit, &block.insts, Op::Branch) && target == Some(header)
            }
            None => is_only(unit, &block.insts, Op::Unreachable),
        };
        if !is_stub {
            let end = match header {
                Some(header) => unit.add(Op::Branch, 0, &[header], 1),
                None => unit.add(Op::Unreachable, 0, &[], 0),
            };
            unit.nodes[end as usize].flags |= flag::LOCAL;
            block.insts = vec![end];
            changed = true;
        }
        function.blocks.push(block);
    }
    fix_phis(unit, function);
    changed
}

/// Lets phis have one value for each block that branches to theirs.
pub(crate) fn fix_phis(unit: &mut Unit, function: &mut Function) {
    let flow = Flow::new(unit, function);
    for number in 0..function.blocks.len() {
        let phis: Vec<Value> = function.blocks[number]
            .insts
            .iter()
            .copied()
            .take_while(|&inst| unit.op(inst) == Op::Phi)
            .collect();
        if phis.is_empty() {
            continue;
        }
        let mut from: Vec<Value> = flow
            .graph
            .predecessors(number as u32)
            .iter()
            .map(|&block| function.blocks[block as usize].label)
            .collect();
        from.sort_unstable();
        for phi in phis {
            let pairs: Vec<[u32; 2]> = unit
                .operands(phi)
                .chunks_exact(2)
                .map(|pair| [pair[0], pair[1]])
                .collect();
            let mut known: Vec<Value> = pairs.iter().map(|pair| pair[1]).collect();
            known.sort_unstable();
            // What was computed where nothing gets to any more is gone.
            let is_lost = |unit: &Unit, &[value, from]: &[Value; 2]| {
                let from = unit.block_of_label[from as usize];
                unit.is_local(unit.find(value)) && !flow.is_reachable(from)
            };
            if known == from && !pairs.iter().any(|pair| is_lost(unit, pair)) {
                continue;
            }
            let ty = unit.node(phi).ty;
            let mut operands = Vec::new();
            for pair in &pairs {
                if from.binary_search(&pair[1]).is_err() {
                    continue;
                }
                match is_lost(unit, pair) {
                    true => operands.extend([unit.undef(ty), pair[1]]),
                    false => operands.extend(pair),
                }
            }
            for &label in &from {
                if known.binary_search(&label).is_err() {
                    let undef = unit.undef(ty);
                    operands.extend([undef, label]);
                }
            }
            unit.set_operands(phi, &operands);
        }
    }
}
