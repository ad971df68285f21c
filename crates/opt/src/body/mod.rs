//! Functions as values: each is taken apart into a skeleton of blocks with what has effects, and
//! values that float between; and put together again.

mod constructs;
mod control;
mod debug;
mod declared;
mod flow;
mod joins;
mod locals;
mod make;
mod memory;
mod overwritten;
mod phis;
mod place;
mod stores;
mod tokens;
mod visit;

use std::cell::RefCell;

use hashbrown::{DefaultHashBuilder, HashMap, HashSet, HashTable};
use spirvkit_grammar::Op;

pub(crate) use constructs::{Constructs, NONE};
use declared::Declarations;
pub(crate) use flow::{Flow, merge_of, put_in_order};
use joins::Joins;
use locals::Locals;
pub(crate) use locals::parts;
pub(crate) use memory::is_unchanging;
use memory::{Memory, Regions, Root};
use tokens::Tokens;

use crate::effects::Effect;
use crate::unit::{Block, FLOATING, Function, Numbers, Unit, Value, flag};
use crate::{Abilities, Subject};

/// A block on its way.
#[derive(Clone, Default)]
struct Building {
    phis: Vec<Value>,
    variables: Vec<Value>,
    /// What stays in its place, in order.
    pinned: Vec<Value>,
    merge: Option<Value>,
    terminator: Value,
}

/// What memory holds at first.
const FIRST_VERSION: u32 = 1;

/// A version of memory: what was written last, and what was before.
#[derive(Clone, Copy)]
struct Written {
    before: u32,
    pointer: Value,
    value: Value,
}

/// A function on its way.
struct Rebuild<'u> {
    unit: &'u mut Unit,
    flow: Flow,
    locals: Locals,
    memory: Memory,
    blocks: Vec<Building>,
    labels: Vec<Value>,
    /// The function.
    function: Value,
    /// What each leaf is now: a value, or for memory a version.
    tops: Vec<u32>,
    /// What leaves were before, to go back to.
    undo: Vec<(u32, u32)>,
    /// Where each leaf needs a phi.
    joins: Joins,
    /// The versions of memory: what was written, if that is known.
    versions: Vec<Option<Written>>,
    /// Sets of versions, by number.
    tokens: Tokens,
    hasher: DefaultHashBuilder,
    /// What is the same wherever it is.
    total: HashTable<Value>,
    /// What is the same as something that dominates it.
    partial: HashMap<(u64, u32), Value>,
    /// What memory holds, by pointer and versions.
    known: HashMap<(Value, u32), Value>,
    /// What of these to remove again.
    scope_partial: Vec<((u64, u32), Option<Value>)>,
    scope_known: Vec<((Value, u32), Option<Value>)>,
    /// How often each value is used: at least as often as it will be.
    uses: Numbers,
    /// Places of values in a list.
    places: Numbers,
    /// What was left alone because it has several uses.
    shared: RefCell<Vec<Value>>,
    /// Loads because of which stores before them stay.
    hiding: Vec<Value>,
    /// The constructs, and the blocks that belong to each and none within.
    control: Constructs,
    /// Which headers' constructs matter.
    is_live: Vec<bool>,
    members: Vec<Vec<u32>>,
    /// Blocks that are left out.
    is_dead: Vec<bool>,
    /// Stores to variables from which nothing that is needed loads, as far as is known.
    /// With what each is to.
    stores_to: HashMap<Value, stores::Stores>,
    /// Phis of composites of which only parts are used.
    split_phis: HashSet<Value>,
    /// What is written through pointers of which it isn't known where they lead.
    foreseen: HashMap<Value, Regions>,
    /// The variables of the source that have become values.
    declarations: Declarations,
    /// How deep rules are within rules.
    depth: u32,
    /// The block that is visited.
    here: u32,
    /// The decorations and the position for what is made.
    decorations: u32,
    position: u32,
    /// Whether inputs stay what they are.
    fixed_inputs: bool,
    /// What may be done.
    abilities: Abilities,
    /// What is kept although nothing may need it, of what floats, with the blocks it was in.
    kept: Vec<(Value, u32)>,
}

/// Whether rebuilding a function again finds more, because of what was not known yet.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum More {
    Nothing,
    Perhaps,
    Surely,
}

/// Rebuilds a function, with the abilities of the unit's options.
pub(crate) fn rebuild(unit: &mut Unit, function: &mut Function) -> More {
    if function.is_opaque || function.blocks.is_empty() {
        return More::Nothing;
    }
    let flow = Flow::new(unit, function);
    let abilities = unit.options.abilities;
    let [uses, places, pointers, roots] = std::mem::take(&mut unit.tables);
    let mut locals = Locals::with_table(pointers);
    if abilities.contains(Abilities::PROMOTE) {
        locals.find(unit, function, |block| flow.is_reachable(block));
    }
    for local in &locals.locals {
        let said = (Subject::Variable, local.is_value);
        let what = match local.is_value {
            true => "made values",
            false => local.why,
        };
        let variable = local.variable;
        unit.remark(said, what, Some(variable), function.definition, variable);
    }
    let memory = Memory::new(locals.leaves, roots);
    let fixed_inputs = unit.has_fixed_inputs;
    let count = function.blocks.len();
    let insts = function.blocks.iter().map(|block| block.insts.len());
    let insts: usize = insts.sum();
    let mut versions = Vec::with_capacity(insts / 4 + 2);
    versions.resize(FIRST_VERSION as usize + 1, None);
    let mut rebuild = Rebuild {
        unit,
        flow,
        locals,
        memory,
        blocks: vec![Building::default(); count],
        labels: function.blocks.iter().map(|block| block.label).collect(),
        function: function.definition,
        tops: Vec::new(),
        undo: Vec::with_capacity(insts / 4),
        joins: Joins::default(),
        versions,
        tokens: Tokens::with_capacity(insts / 8),
        hasher: DefaultHashBuilder::default(),
        total: HashTable::with_capacity(insts / 4),
        partial: HashMap::new(),
        known: HashMap::new(),
        scope_partial: Vec::new(),
        scope_known: Vec::new(),
        uses,
        places,
        shared: RefCell::default(),
        hiding: Vec::new(),
        control: Constructs::default(),
        is_live: Vec::new(),
        members: Vec::new(),
        is_dead: Vec::new(),
        stores_to: HashMap::new(),
        split_phis: HashSet::new(),
        foreseen: HashMap::new(),
        declarations: Declarations::default(),
        depth: 0,
        here: 0,
        decorations: 0,
        position: 0,
        fixed_inputs,
        abilities,
        kept: Vec::new(),
    };
    rebuild.count_uses(function);
    rebuild.find_constructs(function);
    rebuild.find_split_phis(function);
    rebuild.prepare_declarations(function);
    rebuild.find_joins(function);
    rebuild.walk(function);
    rebuild.finish_phis();
    if abilities.contains(Abilities::DEAD_STORES) {
        rebuild.drop_overwritten();
    }
    rebuild.mark(function);
    rebuild.write(function);
    let more = match rebuild.has_split_phis(function) {
        true => More::Surely,
        false if rebuild.may_find_more(function) => More::Perhaps,
        false => More::Nothing,
    };
    let mut tables = [
        rebuild.uses,
        rebuild.places,
        rebuild.locals.into_table(),
        rebuild.memory.into_table(),
    ];
    tables.iter_mut().for_each(Numbers::clear);
    rebuild.unit.tables = tables;
    more
}

impl Rebuild<'_> {
    /// Whether the function as it is now has what could not be looked through before: loops,
    /// variables, stores that only dead loads needed, or values of whose uses one is left.
    fn may_find_more(&mut self, function: &Function) -> bool {
        let is_variable = |inst: &Value| self.unit.op(*inst).is_variable();
        self.flow.loops.is_some()
            || function
                .blocks
                .iter()
                .take(1)
                .any(|it| it.insts.iter().any(is_variable))
            || self
                .hiding
                .iter()
                .any(|&load| !self.unit.node(load).has(flag::LIVE))
            || self.has_lone_use(function)
    }

    fn has_lone_use(&mut self, function: &Function) -> bool {
        let shared = self.shared.borrow();
        if shared.is_empty() {
            return false;
        }
        // One more than how often each is used.
        let mut uses = std::mem::take(&mut self.places);
        for &value in shared.iter() {
            uses.set(self.unit.find(value), 1);
        }
        for &inst in function.blocks.iter().flat_map(|block| &block.insts) {
            for (_, id) in self.unit.ids(inst) {
                if uses.get(id) > 0 {
                    uses.add(id, 1);
                }
            }
        }
        let is_lone = |&value: &Value| uses.get(self.unit.find(value)) == 2;
        let has_lone = shared.iter().any(is_lone);
        uses.clear();
        self.places = uses;
        has_lone
    }

    /// Visits the blocks, each behind those that dominate it.
    fn walk(&mut self, function: &Function) {
        enum Step {
            Enter(u32),
            Leave {
                undo: usize,
                partial: usize,
                known: usize,
                declared: usize,
            },
        }
        // The last block below each, and before each the one that is below the same block, in the
        // order of control flow.
        let mut last = vec![NONE; self.labels.len()];
        let mut before = last.clone();
        for &block in &self.flow.order {
            if let Some(above) = self.flow.dominators.immediate(block) {
                before[block as usize] = std::mem::replace(&mut last[above as usize], block);
            }
        }
        let mut steps = vec![Step::Enter(0)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Enter(block) => {
                    steps.push(Step::Leave {
                        undo: self.undo.len(),
                        partial: self.scope_partial.len(),
                        known: self.scope_known.len(),
                        declared: self.declarations.depth(),
                    });
                    let mut below = last[block as usize];
                    while below != NONE {
                        steps.push(Step::Enter(below));
                        below = before[below as usize];
                    }
                    self.visit_block(function, block);
                }
                Step::Leave {
                    undo,
                    partial,
                    known,
                    declared,
                } => {
                    self.declarations.go_back(declared);
                    while self.undo.len() > undo {
                        if let Some((leaf, old)) = self.undo.pop() {
                            self.tops[leaf as usize] = old;
                        }
                    }
                    while self.scope_partial.len() > partial {
                        if let Some((key, old)) = self.scope_partial.pop() {
                            restore(&mut self.partial, key, old);
                        }
                    }
                    while self.scope_known.len() > known {
                        if let Some((key, old)) = self.scope_known.pop() {
                            restore(&mut self.known, key, old);
                        }
                    }
                }
            }
        }
    }

    /// Finds where ways join on which leaves differ.
    fn find_joins(&mut self, function: &Function) {
        let mut stores = std::mem::take(&mut self.locals.stores);
        for (number, block) in (0..).zip(&function.blocks) {
            if !self.flow.is_reachable(number) {
                continue;
            }
            for &inst in &block.insts {
                let op = self.unit.op(inst);
                if op.is_access_chain() {
                    self.memory.note(self.unit, inst);
                    continue;
                }
                if is_of_skeleton(op) {
                    continue;
                }
                let effect = crate::effects::effect(self.unit, inst);
                let pointer = self.unit.operands(inst).first().copied();
                if effect == Effect::Store
                    && let Some(pointer) = pointer
                    && self.locals.value_pointer(self.unit.find(pointer)).is_some()
                {
                    continue;
                }
                let written = self.memory.clobbered(self.unit, inst, effect);
                stores.extend(written.iter().map(|&leaf| (leaf, number)));
                if !written.is_empty()
                    && let Some(pointer) = pointer
                    && matches!(self.memory.root(self.unit, pointer), Root::Unknown(_))
                {
                    self.foreseen.insert(inst, written);
                }
            }
        }
        stores.sort_unstable();
        stores.dedup();
        let mut loads = std::mem::take(&mut self.locals.loads);
        loads.sort_unstable();
        loads.dedup();
        let frontiers = self.flow.frontiers();
        let mut mark = vec![u32::MAX; self.labels.len()];
        let mut live = Live::new(self.labels.len());
        let mut joins = Vec::new();
        let mut work = Vec::new();
        let mut at = 0;
        while at < stores.len() {
            let (leaf, first) = (stores[at].0, at);
            while at < stores.len() && stores[at].0 == leaf {
                work.push(stores[at].1);
                at += 1;
            }
            let start = joins.len();
            while let Some(block) = work.pop() {
                for &join in frontiers.of(block) {
                    if std::mem::replace(&mut mark[join as usize], leaf) != leaf {
                        joins.push((join, leaf));
                        work.push(join);
                    }
                }
            }
            let count = joins.len() - start;
            if leaf < self.locals.leaves && count >= MIN_PRUNED {
                let from = loads.partition_point(|load| load.0 < leaf);
                let to = loads.partition_point(|load| load.0 <= leaf);
                if live.find(
                    &self.flow,
                    leaf,
                    &stores[first..at],
                    &loads[from..to],
                    count,
                ) {
                    let is_unneeded = |&mut (join, _): &mut (u32, u32)| !live.has(join, leaf);
                    let unneeded: Vec<_> = joins.extract_if(start.., is_unneeded).collect();
                    self.note_unneeded(unneeded);
                }
            }
        }
        self.joins = Joins::new(joins, &self.flow);
        self.declarations.sort();
    }
}

/// Variables that would be told apart in fewer places are so wherever their stores meet.
const MIN_PRUNED: usize = 4;

/// So many blocks for each such place are looked at for whether they need a variable.
const MAX_LOOKS: usize = 32;

/// At the beginning of which blocks a leaf is needed.
struct Live {
    needed: Vec<u32>,
    stored: Vec<u32>,
}

impl Live {
    fn new(blocks: usize) -> Self {
        Self {
            needed: vec![u32::MAX; blocks],
            stored: vec![u32::MAX; blocks],
        }
    }

    /// Goes back from all loads to the stores before; whether that could be finished.
    fn find(
        &mut self,
        flow: &Flow,
        leaf: u32,
        stores: &[(u32, u32)],
        loads: &[(u32, u32)],
        joins: usize,
    ) -> bool {
        for &(_, block) in stores {
            self.stored[block as usize] = leaf;
        }
        let mut left = joins * MAX_LOOKS;
        let mut work: Vec<u32> = loads.iter().map(|&(_, block)| block).collect();
        while let Some(block) = work.pop() {
            if std::mem::replace(&mut self.needed[block as usize], leaf) == leaf {
                continue;
            }
            let before = flow.graph.predecessors(block);
            if before.len() > left {
                return false;
            }
            left -= before.len();
            for &from in before {
                if self.stored[from as usize] != leaf {
                    work.push(from);
                }
            }
        }
        true
    }

    fn has(&self, block: u32, leaf: u32) -> bool {
        self.needed[block as usize] == leaf
    }
}

fn restore<K: std::hash::Hash + Eq>(map: &mut HashMap<K, Value>, key: K, old: Option<Value>) {
    match old {
        Some(old) => map.insert(key, old),
        None => map.remove(&key),
    };
}

/// Whether instructions with this opcode are neither values nor effects.
fn is_of_skeleton(op: Op) -> bool {
    op.is_terminator()
        || op.is_merge()
        || op.is_variable()
        || matches!(
            op,
            Op::Phi | Op::Label | Op::Function | Op::FunctionParameter
        )
}

impl Rebuild<'_> {
    /// Gives a node a place that it stays in.
    fn pin(&mut self, value: Value) {
        self.unit.nodes[value as usize].home = self.here;
        self.blocks[self.here as usize].pinned.push(value);
    }

    /// Counts how often each value is used, and forgets where all were.
    fn count_uses(&mut self, function: &Function) {
        for block in &function.blocks {
            for &inst in &block.insts {
                self.unit.nodes[inst as usize].home = FLOATING;
                if self.unit.is_debug(inst) {
                    continue;
                }
                for (_, id) in self.unit.ids(inst) {
                    self.uses.add(id, 1);
                }
            }
        }
    }

    /// Sets a leaf for what follows.
    fn set_top(&mut self, leaf: u32, value: u32) {
        let old = std::mem::replace(&mut self.tops[leaf as usize], value);
        self.undo.push((leaf, old));
    }

    fn write(&mut self, function: &mut Function) {
        let insts = self.place();
        let old = std::mem::take(&mut function.blocks);
        for ((number, block), insts) in (0..).zip(old).zip(insts) {
            if self.flow.is_reachable(number) {
                function.blocks.push(Block {
                    label: block.label,
                    insts,
                });
            } else {
                function.blocks.push(block);
            }
        }
        let unit = &mut *self.unit;
        for block in &function.blocks {
            for &inst in &block.insts {
                unit.nodes[inst as usize].flags &= !(flag::LIVE | flag::PLACED);
            }
        }
    }
}
