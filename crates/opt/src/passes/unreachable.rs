//! Blocks that nothing reaches, and what phis say of where control comes from.

use spirvkit_grammar::Op;

use super::described::is_only;
use super::flow::LastFlow;
use crate::body::{Constructs, Flow, NONE, merge_of};
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
    let stubs = stubs(unit, function, flow);
    let mut changed = false;
    let old = std::mem::take(&mut function.blocks);
    for (number, mut block) in old.into_iter().enumerate() {
        if flow.is_reachable(number as u32) {
            function.blocks.push(block);
            continue;
        }
        let Some(stub) = stubs[number] else {
            changed = true;
            continue;
        };
        let is_stub = match stub {
            Stub::Goes(to) => {
                let target = block.insts.last().map(|&end| unit.operand(end, 0));
                is_only(unit, &block.insts, Op::Branch) && target == Some(to)
            }
            Stub::Ends => is_only(unit, &block.insts, Op::Unreachable),
        };
        if !is_stub {
            let end = match stub {
                Stub::Goes(to) => unit.add(Op::Branch, 0, &[to], 1),
                Stub::Ends => unit.add(Op::Unreachable, 0, &[], 0),
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

/// How a block ends that nothing reaches, but that a merge instruction names.
#[derive(Clone, Copy)]
enum Stub {
    Ends,
    /// With a branch to the block of a label.
    Goes(Value),
}

/// For each block that nothing reaches and reachable headers name, how it ends: a continue target
/// goes back to its header, and a merge block where a loop continues to what comes next there, since
/// all of a continue construct goes on to the loop's header (section 2.11.2).
fn stubs(unit: &Unit, function: &Function, flow: &Flow) -> Vec<Option<Stub>> {
    let mut stubs = vec![None; function.blocks.len()];
    let mut around = None;
    for (number, block) in (0..).zip(&function.blocks) {
        let Some(merge) = merge_of(unit, &block.insts).filter(|_| flow.is_reachable(number)) else {
            continue;
        };
        let named = |index| unit.block_of_label[unit.operand(merge, index) as usize];
        let behind = named(0);
        if !flow.is_reachable(behind) && stubs[behind as usize].is_none() {
            let next = flow.loops.as_ref().and_then(|_| {
                let around = around.get_or_insert_with(|| Continues::new(unit, function, flow));
                around.behind(flow, number)
            });
            let label = next.map(|next| function.blocks[next as usize].label);
            stubs[behind as usize] = Some(label.map_or(Stub::Ends, Stub::Goes));
        }
        if unit.op(merge) == Op::LoopMerge {
            stubs[named(1) as usize] = Some(Stub::Goes(block.label));
        }
    }
    stubs
}

/// The constructs of a function, and which are where loops continue.
struct Continues {
    constructs: Constructs,
    /// The innermost loop around each header.
    loops: Vec<u32>,
    /// For each header of a loop, the block that goes back to it.
    back: Vec<u32>,
    /// Whether a header is in the continue construct of a loop around it.
    is_within: Vec<bool>,
}

impl Continues {
    fn new(unit: &Unit, function: &Function, flow: &Flow) -> Self {
        let constructs = Constructs::new(unit, function, flow);
        let mut loops = vec![NONE; function.blocks.len()];
        let mut back = vec![NONE; function.blocks.len()];
        let mut is_within = vec![false; function.blocks.len()];
        for &header in flow.dominators.pre_order() {
            if constructs.is_loop(header) {
                let mut before = flow.graph.predecessors(header).iter().copied();
                let goes_back =
                    |&from: &u32| flow.goes_back(from, header) && flow.is_reachable(from);
                back[header as usize] = before.find(goes_back).unwrap_or(NONE);
            }
            let around = constructs.around[header as usize];
            if constructs.merge[header as usize] == NONE || around == NONE {
                continue;
            }
            let inner = match constructs.is_loop(around) {
                true => around,
                false => loops[around as usize],
            };
            loops[header as usize] = inner;
            is_within[header as usize] = inner != NONE
                && (is_within[inner as usize] || continues(&constructs, flow, inner, header));
        }
        Self {
            constructs,
            loops,
            back,
            is_within,
        }
    }

    /// If a header is where a loop continues, the block where that goes on behind its construct.
    fn behind(&self, flow: &Flow, header: u32) -> Option<u32> {
        if !self.is_within[header as usize] {
            return None;
        }
        let inner = self.loops[header as usize];
        let around = self.constructs.around[header as usize];
        let is_next = |block| continues(&self.constructs, flow, inner, block);
        if around != inner && (!is_next(header) || is_next(around)) {
            return Some(self.constructs.merge[around as usize]);
        }
        if !is_next(header) {
            return Some(self.constructs.next[inner as usize]);
        }
        let back = self.back[inner as usize];
        (back != NONE && back != header).then_some(back)
    }
}

/// Whether a block is in the continue construct of a loop around it.
fn continues(constructs: &Constructs, flow: &Flow, header: u32, block: u32) -> bool {
    let next = constructs.next[header as usize];
    flow.is_reachable(next) && flow.dominators.dominates(next, block)
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
