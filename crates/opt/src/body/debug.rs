//! What describes the source: which value a variable has from a place on.
//!
//! None of it is a use. What is said of a value that isn't there any more becomes an undefined
//! one, so that nobody takes an earlier value for it. A value may come later than it was described
//! first: then it is described once it is there.

use hashbrown::HashMap;
use spirvkit_grammar::Op;
use spirvkit_grammar::debug_info::Kind;

use super::Rebuild;
use crate::unit::{Unit, Value, binding, flag};

/// A variable of the source, and where its function was inlined.
type Variable = (Value, Value);

/// Of a variable that is described more often than this, not all is looked at.
const MAX_LOOKS: usize = 16;

/// What is still to be said of values.
#[derive(Default)]
pub(super) struct Descriptions {
    /// Where each variable is described.
    places: HashMap<Variable, Vec<(u32, Value)>>,
    /// By block, what is said there although it stood before.
    later: HashMap<u32, Vec<Value>>,
    /// What is said once a value is there, which comes later in the block.
    waiting: HashMap<Value, Vec<Value>>,
    /// What has been said of a variable in the block, or waits.
    said: HashMap<Variable, Vec<Value>>,
}

/// The variable that an instruction says something of.
fn variable(unit: &Unit, inst: Value) -> Variable {
    let inlined_at = unit.inlined_at(unit.node(inst).position);
    (unit.operand(inst, binding::VARIABLE), inlined_at)
}

/// Which part of its variable an instruction is about.
fn part(unit: &Unit, inst: Value) -> &[u32] {
    unit.operands(inst).get(binding::INDEXES..).unwrap_or(&[])
}

/// Whether an instruction says something of all that an earlier one does.
fn replaces(unit: &Unit, later: Value, earlier: Value) -> bool {
    variable(unit, later) == variable(unit, earlier)
        && part(unit, earlier).starts_with(part(unit, later))
}

/// Whether two instructions are about parts of a variable that have something in common.
fn overlap(unit: &Unit, one: Value, other: Value) -> bool {
    let (one, other) = (part(unit, one), part(unit, other));
    one.starts_with(other) || other.starts_with(one)
}

fn is_binding(unit: &Unit, inst: Value) -> bool {
    unit.debug_kind(inst) == Some(Kind::Value)
}

impl Rebuild<'_> {
    /// Whether a value is there, although nothing uses it.
    fn is_there(&self, value: Value) -> bool {
        let node = self.unit.node(value);
        let is_always = matches!(node.op, Op::Label | Op::Function | Op::FunctionParameter);
        !node.has(flag::LOCAL) || node.has(flag::LIVE) || is_always
    }

    /// Keeps a description, now that it is known what is needed.
    pub(super) fn keep_description(&mut self, inst: Value) {
        let unit = &mut *self.unit;
        for index in binding::VALUE..unit.operands(inst).len() {
            if Unit::is_id(unit.node(inst).ids, index) {
                let found = unit.find(unit.operand(inst, index));
                unit.operands_mut(inst)[index] = found;
            }
        }
        let is_declared = self.unit.debug_kind(inst) == Some(Kind::Declare);
        if is_declared && !self.unit.settle_declaration(inst) {
            return;
        }
        let is_there = self.unit.ids(inst).all(|(_, id)| self.is_there(id));
        if is_there || self.unit.forget_value(inst) {
            self.unit.nodes[inst as usize].flags |= flag::LIVE;
        }
    }

    /// Decides where variables are described, now that all values have their blocks.
    pub(super) fn place_descriptions(&mut self) -> Descriptions {
        let mut descriptions = Descriptions::default();
        let unit = &mut *self.unit;
        let mut elsewhere = Vec::new();
        for &block in &self.flow.order {
            for &inst in &self.blocks[block as usize].pinned {
                if !unit.node(inst).has(flag::LIVE) || !is_binding(unit, inst) {
                    continue;
                }
                let places = descriptions.places.entry(variable(unit, inst));
                places.or_default().push((block, inst));
                let node = unit.node(unit.operand(inst, binding::VALUE));
                let is_placed = node.has(flag::LOCAL)
                    && node.op != Op::FunctionParameter
                    && (node.home as usize) < self.labels.len();
                if is_placed && !self.flow.dominators.dominates(node.home, block) {
                    elsewhere.push((block, inst, node.home));
                }
            }
        }
        for (block, inst, home) in elsewhere {
            let places = descriptions.places.get(&variable(unit, inst));
            let places = places.map_or(&[][..], Vec::as_slice);
            let dominators = &self.flow.dominators;
            // Whatever else is said of the variable was said before.
            let is_last = places.len() <= MAX_LOOKS
                && places
                    .iter()
                    .all(|&(other, _)| dominators.dominates(other, block))
                && places.last().is_some_and(|&(_, last)| last == inst)
                && dominators.dominates(block, home);
            if is_last {
                let moved = unit.copy(inst);
                descriptions.later.entry(home).or_default().push(moved);
            }
            if is_last && places.len() == 1 || !unit.forget_value(inst) {
                unit.nodes[inst as usize].flags &= !flag::LIVE;
            }
        }
        descriptions
    }

    pub(super) fn begin_descriptions(&mut self, block: u32, descriptions: &mut Descriptions) {
        descriptions.waiting.clear();
        descriptions.said.clear();
        for inst in descriptions.later.remove(&block).unwrap_or_default() {
            let value = self.unit.operand(inst, binding::VALUE);
            let said = descriptions.said.entry(variable(self.unit, inst));
            said.or_default().push(inst);
            descriptions.waiting.entry(value).or_default().push(inst);
        }
    }

    /// Writes what describes the source, or lets it wait for the value that it is about.
    pub(super) fn describe(
        &mut self,
        inst: Value,
        block: u32,
        descriptions: &mut Descriptions,
        insts: &mut Vec<Value>,
    ) {
        if !is_binding(self.unit, inst) {
            insts.push(inst);
            return;
        }
        let key = variable(self.unit, inst);
        descriptions.said.entry(key).or_default().push(inst);
        let value = self.unit.operand(inst, binding::VALUE);
        if !self.waits(value, block) {
            insts.push(inst);
            return;
        }
        descriptions.waiting.entry(value).or_default().push(inst);
        // Until then, the variable must not seem to have the value that it had before.
        let places = descriptions.places.get(&key);
        let places = places.map_or(&[][..], Vec::as_slice);
        let mut before = places.iter().take_while(|&&(_, other)| other != inst);
        let may_have_one = before.any(|&(_, other)| overlap(self.unit, inst, other))
            || places.len() > 1 && self.flow.depth[block as usize] > 0;
        if may_have_one {
            let unknown = self.unit.copy(inst);
            if self.unit.forget_value(unknown) {
                insts.push(unknown);
            }
        }
    }

    /// Says what waited for the values that are there now, behind each.
    pub(super) fn describe_what_came(
        &mut self,
        from: usize,
        descriptions: &mut Descriptions,
        insts: &mut Vec<Value>,
    ) {
        if descriptions.waiting.is_empty() {
            return;
        }
        for inst in insts.split_off(from) {
            insts.push(inst);
            for waiting in descriptions.waiting.remove(&inst).unwrap_or_default() {
                let said = descriptions.said.get(&variable(self.unit, waiting));
                let said = said.map_or(&[][..], Vec::as_slice).iter().rev();
                let mut since = said.take(MAX_LOOKS).take_while(|&&other| other != waiting);
                if !since.any(|&other| overlap(self.unit, waiting, other)) {
                    insts.push(waiting);
                }
            }
        }
    }

    /// Leaves out what is said of variables although something else is said of them before
    /// anything happens, and what has been said already.
    pub(super) fn tidy_descriptions(&mut self, insts: &mut Vec<Value>) {
        let unit = &*self.unit;
        if !insts.iter().any(|&inst| is_binding(unit, inst)) {
            return;
        }
        let mut kept: Vec<Value> = Vec::with_capacity(insts.len());
        // Where those begin behind which nothing else happens.
        let mut first = 0;
        let mut last: HashMap<Variable, Value> = HashMap::new();
        for &inst in &*insts {
            if !is_binding(unit, inst) {
                kept.push(inst);
                if !unit.is_debug(inst) {
                    first = kept.len();
                }
                continue;
            }
            let near = first.max(kept.len().saturating_sub(MAX_LOOKS));
            for index in (near..kept.len()).rev() {
                if is_binding(unit, kept[index]) && replaces(unit, inst, kept[index]) {
                    let gone = kept.remove(index);
                    last.remove(&variable(unit, gone));
                }
            }
            let said = |it: Value| unit.operands(it).get(binding::VALUE..);
            let before = last.get(&variable(unit, inst)).copied();
            if before.is_none_or(|before| said(before) != said(inst)) {
                last.insert(variable(unit, inst), inst);
                kept.push(inst);
            }
        }
        *insts = kept;
    }
}
