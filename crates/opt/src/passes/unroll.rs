//! Puts the rounds of loops one behind the other, if it is known how many there are.
//!
//! That is done with loops that are left in one place only and continue from one, so that no
//! round needs a construct of its own.

use hashbrown::{HashMap, HashSet};
use spirvkit_grammar::{LoopControl, Op};

use crate::body::{Constructs, Flow, NONE, merge_of};
use crate::unit::{Block, Function, Unit, Value, flag};

/// How much may be made of loops.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The rounds of one.
    pub(crate) rounds: u32,
    /// The words of all rounds of one.
    pub(crate) words: u32,
    /// The words of a function; in larger ones, nothing is unrolled.
    pub(crate) function: usize,
    /// Whether only those are that say so.
    pub(crate) only_marked: bool,
}

impl Limits {
    /// How many words all loops of a function may become: so many may be as large as one may.
    pub(crate) fn budget(self) -> u32 {
        const MAX_LOOPS: u32 = 32;
        self.words * MAX_LOOPS
    }
}

/// Operations on constants, one of the other, for whether a loop goes on.
const MAX_DEPTH: u32 = 16;

/// A loop whose rounds are known.
struct Loop {
    header: u32,
    /// The blocks of a round.
    blocks: Vec<u32>,
    /// The only block from which it is left, and where it goes else.
    exit: u32,
    stays: Value,
    /// From where it comes, and from where it goes round.
    from: u32,
    latch: u32,
    /// What says that its header is the merge block or the continue target of another construct.
    named_by: Option<Value>,
    /// How often it goes round.
    rounds: u32,
    /// The words of a round.
    words: u32,
}

/// Unrolls innermost loops within the limits, and within a budget, of which it takes what they become;
/// whether there was any.
pub(crate) fn unroll(
    unit: &mut Unit,
    function: &mut Function,
    limits: Limits,
    budget: &mut u32,
) -> bool {
    // The headers of loops that can't be unrolled, which stay so until the function is simplified.
    let mut refused = HashSet::new();
    let mut changed = false;
    loop {
        let mut found = find(unit, function, limits, usize::MAX, &mut refused);
        // What one becomes changes the numbers of the blocks behind its header.
        found.sort_unstable_by_key(|it| std::cmp::Reverse(it.header));
        let mut least = u32::MAX;
        let mut is_done = true;
        for it in found {
            if *budget == 0 || it.blocks.iter().any(|&block| block >= least) {
                continue;
            }
            least = it.header;
            *budget = budget.saturating_sub(it.words * (it.rounds + 1));
            copy_rounds(unit, function, &it);
            is_done = false;
        }
        if is_done {
            return changed;
        }
        super::unreachable::settle(unit, function);
        changed = true;
    }
}

/// Whether there is a loop that could be unrolled.
pub(crate) fn has_candidate(unit: &mut Unit, function: &Function, limits: Limits) -> bool {
    !find(unit, function, limits, 1, &mut HashSet::new()).is_empty()
}

/// At most so many of the loops that can be unrolled; others are refused from now on.
fn find(
    unit: &mut Unit,
    function: &Function,
    limits: Limits,
    most: usize,
    refused: &mut HashSet<Value>,
) -> Vec<Loop> {
    let is_loop = |block: &Block| {
        merge_of(unit, &block.insts).is_some_and(|merge| unit.op(merge) == Op::LoopMerge)
    };
    if function.is_opaque || !unit.is_shader || !function.blocks.iter().any(is_loop) {
        return Vec::new();
    }
    let insts = function.blocks.iter().flat_map(|block| &block.insts);
    let words = insts.map(|&inst| match unit.is_debug(inst) {
        true => 0,
        false => unit.length(inst) as usize,
    });
    if words.sum::<usize>() > limits.function {
        return Vec::new();
    }
    let flow = Flow::new(unit, function);
    let constructs = Constructs::new(unit, function, &flow);
    let named_by = named_by(unit, function, &constructs);
    let headers = flow.order.iter().copied();
    let mut found = Vec::new();
    for header in headers.filter(|&block| constructs.is_loop(block)) {
        if found.len() == most {
            break;
        }
        let label = function.blocks[header as usize].label;
        if refused.contains(&label) {
            continue;
        }
        let named_by = named_by.get(&header).copied();
        match look_at(unit, function, &flow, &constructs, header, named_by, limits) {
            Some(it) => found.push(it),
            None => {
                refused.insert(label);
            }
        }
    }
    found
}

/// By the headers of loops that are merge blocks or continue targets of others, what says so.
fn named_by(unit: &Unit, function: &Function, constructs: &Constructs) -> HashMap<u32, Value> {
    let mut named_by = HashMap::new();
    for (number, block) in (0..).zip(&function.blocks) {
        let Some(merge) = merge_of(unit, &block.insts) else {
            continue;
        };
        for of in [&constructs.merge, &constructs.next] {
            let named = of[number as usize];
            if named != number && named != NONE && constructs.is_loop(named) {
                named_by.insert(named, merge);
            }
        }
    }
    named_by
}

fn look_at(
    unit: &mut Unit,
    function: &Function,
    flow: &Flow,
    constructs: &Constructs,
    header: u32,
    named_by: Option<Value>,
    limits: Limits,
) -> Option<Loop> {
    let (merge, next) = (
        constructs.merge[header as usize],
        constructs.next[header as usize],
    );
    let insts = &function.blocks[header as usize].insts;
    let control = LoopControl(unit.operand(merge_of(unit, insts)?, 2));
    let is_unmarked = limits.only_marked && !control.contains(LoopControl::Unroll);
    if is_unmarked || control.contains(LoopControl::DontUnroll) || !flow.is_reachable(merge) {
        return None;
    }
    let (mut from, mut latch) = (None, None);
    for &block in flow.graph.predecessors(header) {
        let slot = match flow.goes_back(block, header) {
            true => &mut latch,
            false => &mut from,
        };
        if !flow.is_reachable(block) || slot.replace(block).is_some() {
            return None;
        }
    }
    let (from, latch) = (from?, latch?);
    // One place to leave it, outside of all constructs within, which each round comes to.
    let &[exit] = flow.graph.predecessors(merge) else {
        return None;
    };
    let is_own = |block: u32| block == header || constructs.around[block as usize] == header;
    let is_inner = |block: u32| constructs.is_loop(block) && block != header;
    let continues = flow.graph.predecessors(next);
    let continues_once = next == header
        || matches!(continues, &[block] if is_plain(unit, function, block) || block == exit);
    if !is_own(exit) || !flow.dominators.dominates(exit, latch) || !continues_once {
        return None;
    }
    if next != header && !continues.iter().all(|&block| is_own(block)) {
        return None;
    }
    let &end = function.blocks[exit as usize].insts.last()?;
    let behind = function.blocks[merge as usize].label;
    let targets = match unit.op(end) {
        Op::BranchConditional => [unit.operand(end, 1), unit.operand(end, 2)],
        _ => return None,
    };
    let (stays, leaves_if) = match targets {
        [yes, no] if no == behind && yes != behind => (yes, false),
        [yes, no] if yes == behind && no != behind => (no, true),
        _ => return None,
    };
    let header_end = *function.blocks[header as usize].insts.last()?;
    if exit != header && unit.op(header_end) != Op::Branch {
        return None;
    }
    // A selection around it would have to end where it stays.
    let own_merge = merge_of(unit, &function.blocks[exit as usize].insts);
    if exit != header
        && let Some(own) = own_merge
        && unit.operand(own, 0) != stays
    {
        return None;
    }
    let mut blocks = Vec::new();
    let mut words = 0;
    // All that it dominates but what comes behind it, which may be most of the function.
    let mut rest = flow.dominators.subtree(header);
    while let Some((&block, others)) = rest.split_first() {
        if block == merge {
            rest = &rest[flow.dominators.subtree(merge).len()..];
            continue;
        }
        rest = others;
        if is_inner(block) {
            return None;
        }
        let insts = &function.blocks[block as usize].insts;
        let code = insts.iter().filter(|&&inst| !unit.is_debug(inst));
        words += 2 + code.map(|&inst| unit.length(inst)).sum::<u32>();
        if words > limits.words {
            return None;
        }
        blocks.push(block);
    }
    // Merge blocks that nothing reaches go along: each construct has one of its own.
    let merges = blocks.iter().map(|&block| constructs.merge[block as usize]);
    let unreached: Vec<u32> = merges
        .filter(|&merge| merge != NONE && !flow.is_reachable(merge))
        .collect();
    blocks.extend(unreached);
    let most = limits.rounds.min(limits.words / words.max(1));
    let condition = unit.operand(end, 0);
    let rounds = Rounds::new(unit, function, &blocks, [header, from, latch]);
    let rounds = rounds.count(condition, leaves_if, most)?;
    Some(Loop {
        header,
        blocks,
        exit,
        stays,
        from,
        latch,
        named_by,
        rounds,
        words,
    })
}

/// Whether a block only branches on.
fn is_plain(unit: &Unit, function: &Function, block: u32) -> bool {
    let end = function.blocks[block as usize].insts.last();
    end.is_some_and(|&end| unit.op(end) == Op::Branch)
}

/// Finds out how often a loop goes round, by going round with what is constant.
struct Rounds<'u> {
    unit: &'u mut Unit,
    /// What is computed in the loop.
    inside: HashSet<Value>,
    /// The phis of the header, with what each is at first, and in the next round.
    phis: Vec<(Value, Value, Value)>,
    /// What is known in this round.
    known: HashMap<Value, Option<Value>>,
}

impl<'u> Rounds<'u> {
    fn new(
        unit: &'u mut Unit,
        function: &Function,
        blocks: &[u32],
        [header, from, latch]: [u32; 3],
    ) -> Self {
        let insts = blocks
            .iter()
            .flat_map(|&block| &function.blocks[block as usize].insts);
        let inside = insts.copied().collect();
        let labels = [from, latch].map(|block| function.blocks[block as usize].label);
        let insts = function.blocks[header as usize].insts.iter();
        let phis = insts
            .copied()
            .take_while(|&inst| unit.op(inst) == Op::Phi)
            .filter_map(|phi| {
                let [first, next] = labels.map(|label| value_from(unit, phi, label));
                Some((phi, first?, next?))
            })
            .collect();
        Self {
            unit,
            inside,
            phis,
            known: HashMap::new(),
        }
    }

    fn count(mut self, condition: Value, leaves_if: bool, most: u32) -> Option<u32> {
        for index in 0..self.phis.len() {
            let (phi, first, _) = self.phis[index];
            let first = self.unit.find(first);
            let first = self.unit.is_fixed_constant(first).then_some(first);
            self.known.insert(phi, first);
        }
        for round in 0..=most {
            let decided = self.evaluate(condition, 0)?;
            let holds = self.unit.bits(decided)? != 0;
            if holds == leaves_if {
                return Some(round);
            }
            let mut next = HashMap::new();
            for index in 0..self.phis.len() {
                let (phi, _, value) = self.phis[index];
                let value = self.evaluate(value, 0);
                next.insert(phi, value);
            }
            self.known = next;
        }
        None
    }

    fn evaluate(&mut self, value: Value, depth: u32) -> Option<Value> {
        let value = self.unit.find(value);
        if self.unit.is_fixed_constant(value) {
            return Some(value);
        }
        if let Some(&known) = self.known.get(&value) {
            return known;
        }
        if depth >= MAX_DEPTH || !self.inside.contains(&value) {
            return None;
        }
        let node = *self.unit.node(value);
        let mut operands = self.unit.operands(value).to_vec();
        let mut result = (node.op != Op::Phi && node.ty != 0).then_some(0);
        for (index, operand) in operands.iter_mut().enumerate() {
            let is_set = node.op.is_ext_inst() && index == 0;
            if result.is_some() && Unit::is_id(node.ids, index) && !is_set {
                match self.evaluate(*operand, depth + 1) {
                    Some(constant) => *operand = constant,
                    None => result = None,
                }
            }
        }
        let result = result.and_then(|_| self.unit.fold(node.op, node.ty, &operands, node.ids));
        self.known.insert(value, result);
        result
    }
}

/// The value that a phi has for a block.
fn value_from(unit: &Unit, phi: Value, label: Value) -> Option<Value> {
    let mut pairs = unit.operands(phi).chunks_exact(2);
    pairs.find(|pair| pair[1] == label).map(|pair| pair[0])
}

/// Puts copies of all rounds but the last before the loop, and lets that be left at once.
fn copy_rounds(unit: &mut Unit, function: &mut Function, found: &Loop) {
    let label_of = |function: &Function, block: u32| function.blocks[block as usize].label;
    let header = label_of(function, found.header);
    let latch = label_of(function, found.latch);
    let outside = label_of(function, found.from);
    let phis: Vec<Value> = function.blocks[found.header as usize]
        .insts
        .iter()
        .copied()
        .take_while(|&inst| unit.op(inst) == Op::Phi)
        .collect();
    let mut current: Vec<Value> = phis
        .iter()
        .filter_map(|&phi| value_from(unit, phi, outside))
        .collect();
    let next: Vec<Value> = phis
        .iter()
        .filter_map(|&phi| value_from(unit, phi, latch))
        .collect();
    let behind = {
        let insts = &function.blocks[found.header as usize].insts;
        merge_of(unit, insts).map_or(0, |merge| unit.operand(merge, 0))
    };
    let mut named_by = found.named_by;
    // Where the round before goes to.
    let mut before: Vec<(Value, Value)> = Vec::new();
    let mut made: Vec<Block> = Vec::new();
    let ends = function.blocks[found.from as usize].insts.last().copied();
    before.extend(ends.map(|end| (end, header)));
    for _ in 0..found.rounds {
        let mut values: HashMap<Value, Value> = HashMap::new();
        values.extend(phis.iter().copied().zip(current.iter().copied()));
        let start = made.len();
        for &number in &found.blocks {
            let block = &function.blocks[number as usize];
            let label = unit.copy(block.label);
            values.insert(block.label, label);
            let mut insts = Vec::with_capacity(block.insts.len());
            let is_header = number == found.header;
            for &inst in &block.insts {
                let is_gone = is_header && unit.op(inst) == Op::Phi
                    || (is_header || number == found.exit) && unit.op(inst).is_merge();
                if is_gone {
                    continue;
                }
                let copy = match unit.op(inst).is_terminator() && number == found.exit {
                    true => branch(unit, inst, found.stays),
                    false => unit.copy(inst),
                };
                values.insert(inst, copy);
                insts.push(copy);
            }
            made.push(Block { label, insts });
        }
        let own_header = values[&header];
        for (end, target) in before.drain(..) {
            redirect(unit, end, target, own_header);
        }
        // The first round begins where the loop did.
        if let Some(merge) = named_by.take() {
            let labels = 1 + usize::from(unit.op(merge) == Op::LoopMerge);
            for operand in unit.operands_mut(merge).iter_mut().take(labels) {
                if *operand == header {
                    *operand = own_header;
                }
            }
        }
        for (block, &number) in made[start..].iter().zip(&found.blocks) {
            for &inst in &block.insts {
                let ids = unit.node(inst).ids;
                let goes_round = number == found.latch && unit.op(inst).is_terminator();
                for index in 0..unit.operands(inst).len() {
                    if !Unit::is_id(ids, index) {
                        continue;
                    }
                    let id = unit.find(unit.operand(inst, index));
                    if id == header && goes_round {
                        continue;
                    }
                    if let Some(&value) = values.get(&id) {
                        unit.operands_mut(inst)[index] = value;
                    }
                }
            }
        }
        let place = found.blocks.iter().position(|&it| it == found.latch);
        let own_latch = place.and_then(|place| made[start + place].insts.last());
        before.extend(own_latch.map(|&end| (end, header)));
        current = next
            .iter()
            .map(|&value| {
                let value = unit.find(value);
                values.get(&value).copied().unwrap_or(value)
            })
            .collect();
    }
    // The loop itself is the last round.
    for (&phi, &value) in phis.iter().zip(&current) {
        unit.replace(phi, value);
    }
    for number in [found.header, found.exit] {
        let insts = &mut function.blocks[number as usize].insts;
        insts.retain(|&inst| {
            let op = unit.op(inst);
            !(op.is_merge() || number == found.header && op == Op::Phi)
        });
    }
    if let Some(end) = function.blocks[found.exit as usize].insts.pop() {
        let branch = branch(unit, end, behind);
        function.blocks[found.exit as usize].insts.push(branch);
    }
    let place = found.header as usize;
    function.blocks.splice(place..place, made);
}

/// A branch instead of another terminator.
fn branch(unit: &mut Unit, instead: Value, target: Value) -> Value {
    let branch = unit.add(Op::Branch, 0, &[target], 1);
    unit.nodes[branch as usize].flags |= flag::LOCAL;
    unit.nodes[branch as usize].position = unit.node(instead).position;
    branch
}

fn redirect(unit: &mut Unit, end: Value, from: Value, to: Value) {
    let mut places = Vec::new();
    unit.each_target(end, |index, label| {
        if label == from {
            places.push(index);
        }
    });
    for index in places {
        unit.operands_mut(end)[index] = to;
    }
}
