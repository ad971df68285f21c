//! Moves what is computed on more ways than need it to where it is needed, if that lets less be
//! executed: what two of three ways share is cheaper for the third if each has its own.

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};
use spirvkit_analysis::loops::LoopIndex;
use spirvkit_grammar::Op;

use crate::body::{Flow, merge_of};
use crate::effects::{Effect, effect};
use crate::unit::{Function, Unit, Value, flag};

/// How often a loop goes round, where nothing is known of it.
const ROUNDS: f64 = 8.0;

/// In more loops than so many it makes no difference.
const MAX_DEPTH: u32 = 16;

/// Less than this part of what is executed is not worth a copy.
const WORTH: f64 = 1.0 / 64.0;

/// Copies of at least so many words may be made, and of as many as the function has.
const MIN_GROWTH: usize = 1 << 10;

/// So many uses are looked at for each word of a function.
const LOOKS: usize = 16;

/// A use of a value: by which instruction, as which operand, in which block, and before which of
/// its instructions the value must be there.
#[derive(Clone, Copy)]
struct Use {
    user: Value,
    index: usize,
    block: u32,
    anchor: u32,
}

/// A value that is put before an instruction of a block.
struct Inserted {
    anchor: u32,
    value: Value,
}

struct Sinking<'u> {
    unit: &'u mut Unit,
    flow: Flow,
    frequencies: Vec<f64>,
    /// The place of each block among all, of which each is behind its dominators, and all that it
    /// dominates follows it.
    places: Vec<u32>,
    /// The blocks that each one dominates immediately, by their places.
    below: Vec<Vec<u32>>,
    /// Before which instruction comes what is needed at the end of each block.
    ends: Vec<u32>,
    uses: HashMap<Value, Vec<Use>>,
    inserted: HashMap<u32, Vec<Inserted>>,
    moved: HashSet<Value>,
    /// How many words copies may still take, and how many uses may still be looked at.
    budget: usize,
    looks: usize,
}

/// Moves values of a function.
pub(crate) fn sink(unit: &mut Unit, function: &mut Function) {
    if function.is_opaque || function.blocks.len() < 3 {
        return;
    }
    let flow = Flow::new(unit, function);
    let count = function.blocks.len();
    let mut places = vec![0; count];
    let mut below = vec![Vec::new(); count];
    for (place, &block) in (0..).zip(flow.dominators.pre_order()) {
        places[block as usize] = place;
        if let Some(above) = flow.dominators.immediate(block) {
            below[above as usize].push(block);
        }
    }
    let ends = function.blocks.iter().map(|block| {
        let behind = 1 + usize::from(merge_of(unit, &block.insts).is_some());
        block.insts.len().saturating_sub(behind) as u32
    });
    let words = function.blocks.iter().flat_map(|block| &block.insts);
    let words: usize = words.map(|&inst| unit.length(inst) as usize).sum();
    let mut sinking = Sinking {
        ends: ends.collect(),
        frequencies: frequencies(&flow),
        budget: words.max(MIN_GROWTH),
        looks: words * LOOKS,
        unit,
        flow,
        places,
        below,
        uses: HashMap::new(),
        inserted: HashMap::new(),
        moved: HashSet::new(),
    };
    sinking.walk(function);
    if !sinking.moved.is_empty() {
        sinking.write(function);
    }
}

impl Sinking<'_> {
    /// Looks at all values, each behind what uses it.
    fn walk(&mut self, function: &Function) {
        let order = std::mem::take(&mut self.flow.order);
        for &block in &order {
            for &phi in &function.blocks[block as usize].insts {
                if self.unit.op(phi) != Op::Phi {
                    break;
                }
                for index in (0..self.unit.operands(phi).len()).step_by(2) {
                    let from = self.unit.operand(phi, index + 1);
                    let from = self.unit.block_of_label[from as usize];
                    if self.flow.is_reachable(from) {
                        self.note(phi, index, from, self.ends[from as usize]);
                    }
                }
            }
        }
        for &block in order.iter().rev() {
            let insts = &function.blocks[block as usize].insts;
            for (anchor, &inst) in insts.iter().enumerate().rev() {
                if self.unit.op(inst) == Op::Phi || self.unit.is_debug(inst) {
                    continue;
                }
                let is_moved = match self.uses.remove(&inst) {
                    Some(uses) => self.settle(inst, block, uses),
                    None => false,
                };
                if !is_moved {
                    let anchor = (anchor as u32).min(self.ends[block as usize]);
                    self.note_operands(inst, block, anchor);
                }
            }
        }
    }

    fn note_operands(&mut self, user: Value, block: u32, anchor: u32) {
        for index in 0..self.unit.operands(user).len() {
            if Unit::is_id(self.unit.node(user).ids, index) {
                self.note(user, index, block, anchor);
            }
        }
    }

    fn note(&mut self, user: Value, index: usize, block: u32, anchor: u32) {
        let value = self.unit.find(self.unit.operand(user, index));
        let node = self.unit.node(value);
        let may_move = node.has(flag::LOCAL)
            && !node.has(flag::FIXED)
            && node.has(flag::RESULT)
            && !node.op.is_variable()
            && !matches!(
                node.op,
                Op::Phi | Op::Label | Op::Function | Op::FunctionParameter
            )
            && (node.has(flag::TOTAL) || effect(self.unit, value) == Effect::Total);
        if may_move {
            self.uses.entry(value).or_default().push(Use {
                user,
                index,
                block,
                anchor,
            });
        }
    }

    /// Finds the places for a value that is in a block, or may be there; whether they are others.
    fn settle(&mut self, value: Value, block: u32, uses: Vec<Use>) -> bool {
        let Some(groups) = self.split(value, block, &uses) else {
            return false;
        };
        self.moved.insert(value);
        let mut work = groups;
        // The first of all keeps the id.
        let mut own = Some(value);
        while let Some((home, uses)) = work.pop() {
            if let Some(groups) = self.split(value, home, &uses) {
                work.extend(groups);
                continue;
            }
            let placed = own.take().unwrap_or_else(|| {
                self.budget = (self.budget).saturating_sub(self.unit.length(value) as usize);
                self.unit.copy(value)
            });
            for it in &uses {
                self.unit.operands_mut(it.user)[it.index] = placed;
            }
            let here = uses.iter().filter(|it| it.block == home);
            let anchor = here.map(|it| it.anchor).min();
            let anchor = anchor.unwrap_or(self.ends[home as usize]);
            let inserted = self.inserted.entry(home).or_default();
            inserted.push(Inserted {
                anchor,
                value: placed,
            });
            self.note_operands(placed, home, anchor);
        }
        true
    }

    /// The blocks below one in which less would be executed, with the uses of each, the last ones
    /// first.
    fn split(&mut self, value: Value, block: u32, uses: &[Use]) -> Option<Vec<(u32, Vec<Use>)>> {
        if uses.iter().any(|it| it.block == block) {
            return None;
        }
        self.looks = self.looks.checked_sub(uses.len())?;
        let below = &self.below[block as usize];
        let mut groups: BTreeMap<usize, (u32, Vec<Use>)> = BTreeMap::new();
        for it in uses {
            let place = self.places[it.block as usize];
            let child = below.partition_point(|&child| self.places[child as usize] <= place);
            let (home, uses) = groups
                .entry(child)
                .or_insert_with(|| (it.block, Vec::new()));
            *home = self.flow.common(*home, it.block);
            uses.push(*it);
        }
        let copies = (groups.len() - 1) * self.unit.length(value) as usize;
        if copies > self.budget {
            return None;
        }
        let mut cost = 0.0;
        for (home, _) in groups.values_mut() {
            *home = self.flow.out_of_loops(*home, block);
            cost += self.frequencies[*home as usize];
        }
        let is_less = cost < self.frequencies[block as usize] * (1.0 - WORTH);
        let is_elsewhere = groups.values().all(|&(home, _)| home != block);
        (is_less && is_elsewhere).then(|| groups.into_values().rev().collect())
    }

    /// Puts everything in its place.
    fn write(self, function: &mut Function) {
        for (number, block) in (0..).zip(&mut function.blocks) {
            let inserted = self.inserted.get(&number).map_or(&[][..], Vec::as_slice);
            let has_gone = block.insts.iter().any(|inst| self.moved.contains(inst));
            if inserted.is_empty() && !has_gone {
                continue;
            }
            // Of two before the same instruction, the first may need the other.
            let mut order: Vec<&Inserted> = inserted.iter().rev().collect();
            order.sort_by_key(|it| it.anchor);
            let mut order = order.into_iter().peekable();
            let old = std::mem::take(&mut block.insts);
            for (place, inst) in (0..).zip(old) {
                while let Some(it) = order.next_if(|it| it.anchor == place) {
                    block.insts.push(it.value);
                }
                if !self.moved.contains(&inst) {
                    block.insts.push(inst);
                }
            }
        }
        // What describes a value where it isn't any more.
        for block in &mut function.blocks {
            block.insts.retain(|&inst| {
                let is_about_moved = self.unit.is_debug(inst)
                    && (self.unit.ids(inst))
                        .any(|(_, id)| self.moved.contains(&self.unit.find(id)));
                !is_about_moved || self.unit.forget_value(inst)
            });
        }
    }
}

/// How often each block is executed, as far as its place tells: every way as often as the others,
/// but that loops go round.
fn frequencies(flow: &Flow) -> Vec<f64> {
    let mut ways = vec![0.0; flow.number.len()];
    // The same for each way from a block that stays in its loop.
    let mut shares = ways.clone();
    for &block in &flow.order {
        let mut own = if block == 0 { 1.0 } else { 0.0 };
        let mut left = HashSet::new();
        for &from in flow.graph.predecessors(block) {
            if !flow.is_reachable(from) || flow.goes_back(from, block) {
                continue;
            }
            match outermost_left(flow, from, block) {
                // Whoever gets into a loop gets out of it.
                Some(header) if !left.insert(header) => {}
                Some(header) => own += ways[header as usize],
                None => own += shares[from as usize],
            }
        }
        ways[block as usize] = own;
        let successors = flow.graph.successors(block).iter();
        let stay = successors.filter(|&&to| outermost_left(flow, block, to).is_none());
        shares[block as usize] = own / stay.count().max(1) as f64;
    }
    for (way, &depth) in ways.iter_mut().zip(&flow.depth) {
        *way *= ROUNDS.powi(depth.min(MAX_DEPTH) as i32);
    }
    ways
}

/// The header of the outermost loop that an edge leaves, or of one of very many.
fn outermost_left(flow: &Flow, from: u32, to: u32) -> Option<u32> {
    let loops = flow.loops.as_ref()?;
    let around = |&index: &LoopIndex| loops.loops()[index as usize].parent;
    let all = std::iter::successors(loops.innermost(from), around);
    let left = all.take_while(|&index| !loops.contains(index, to));
    let outermost = left.take(MAX_DEPTH as usize).last()?;
    Some(loops.loops()[outermost as usize].header)
}
