//! Phis: of the module's, and of variables that have become values.

use hashbrown::HashMap;
use spirvkit_grammar::Op;

use super::{Rebuild, Written};
use crate::unit::{Function, Unit, Value};

/// Composites of more parts are not split.
const MAX_SPLIT: u64 = 16;

impl Rebuild<'_> {
    /// Makes what leaves need at the beginning of a block, which is a value that depends on where
    /// control comes from, or a version of memory that stands for all that there may be.
    pub(super) fn enter_joins(&mut self, block: u32) {
        let is_header = self.is_header(block);
        for index in self.joins.at(block) {
            let (_, leaf) = self.joins.get(index);
            let is_version = leaf >= self.locals.leaves;
            let same = match is_header {
                true => None,
                false => self.all_arrived(index, is_version),
            };
            if is_version {
                let version = same.unwrap_or_else(|| self.new_version(None));
                self.set_top(leaf, version);
                continue;
            }
            if let Some(value) = same {
                self.set_top(leaf, value);
                self.say_joined(leaf);
                continue;
            }
            let ty = self.locals.leaf_types[leaf as usize];
            let phi = self.unit.add(Op::Phi, ty, &[], u64::MAX);
            self.unit.nodes[phi as usize].flags |= crate::unit::flag::LOCAL;
            self.unit.nodes[phi as usize].home = block;
            self.unit.nodes[phi as usize].decorations = self.permitted_of(leaf);
            match is_header {
                true => self.joins.phis[index] = phi,
                false => self.fill_phi(index, phi),
            }
            self.blocks[block as usize].phis.push(phi);
            self.set_top(leaf, phi);
            self.say_joined(leaf);
        }
    }

    /// What comes to where ways meet, if it is the same on all: a value, or a version of memory.
    fn all_arrived(&self, index: usize, is_version: bool) -> Option<u32> {
        let mut arrived = self.joins.arrived(index).iter().map(|it| match is_version {
            true => it.0,
            false => self.unit.find(it.0),
        });
        let first = arrived.next()?;
        arrived.all(|it| it == first).then_some(first)
    }

    /// Gives a phi what has come to where it is.
    fn fill_phi(&mut self, index: usize, phi: Value) {
        let arrived = self.joins.arrived(index).iter();
        let operands: Vec<u32> = arrived
            .flat_map(|&(value, from)| [value, self.labels[from as usize]])
            .collect();
        self.unit.set_operands(phi, &operands);
    }

    /// What may be done with the value of a variable: that of relaxed precision keeps it.
    fn permitted_of(&self, leaf: u32) -> u32 {
        let ty = self.locals.leaf_types[leaf as usize];
        let is_number = self.unit.shape(ty).is_some() || self.unit.op(ty) == Op::TypeMatrix;
        let variable = self.locals.leaf_variables[leaf as usize];
        match is_number {
            true => (self.unit.decorations).permissions(self.unit.node(variable).decorations),
            false => 0,
        }
    }

    /// Whether decorations of a value only permit something, so that others may stand for it.
    pub(super) fn is_plain(&self, value: Value) -> bool {
        let set = self.unit.node(value).decorations;
        self.unit.decorations.permissions(set) == set
    }

    /// Replaces a phi of composites, of which only parts are used, by one for each part; whether
    /// that could be done.
    pub(super) fn splits_phi(&mut self, phi: Value) -> bool {
        if !self.can_split_phi(phi) {
            return false;
        }
        let node = *self.unit.node(phi);
        let (Some(count), part) = super::parts(self.unit, node.ty) else {
            return false;
        };
        let operands = self.unit.operands(phi).to_vec();
        let mut found = Vec::new();
        for index in 0..count as u32 {
            let ty = part.unwrap_or_else(|| self.unit.operand(node.ty, index as usize));
            let mut pairs = Vec::new();
            for pair in operands.chunks_exact(2) {
                let value = self.make_value(Op::CompositeExtract, ty, &[pair[0], index]);
                pairs.extend([value, pair[1]]);
            }
            let own = self.unit.add(Op::Phi, ty, &pairs, u64::MAX);
            self.unit.nodes[own as usize].flags |= crate::unit::flag::LOCAL;
            self.unit.nodes[own as usize].home = self.here;
            match only_value(self.unit, own) {
                Some(value) => found.push(value),
                None => {
                    self.blocks[self.here as usize].phis.push(own);
                    found.push(own);
                }
            }
        }
        let whole = self.make_value(Op::CompositeConstruct, node.ty, &found);
        self.unit.replace(phi, whole);
        true
    }

    /// Whether a phi is one of composites of which only parts are used, and all of them are known.
    fn can_split_phi(&self, phi: Value) -> bool {
        let (Some(count), _) = super::parts(self.unit, self.unit.node(phi).ty) else {
            return false;
        };
        let is_known = |value: Value| match self.unit.op(value) {
            Op::CompositeConstruct | Op::ConstantComposite => {
                self.unit.operands(value).len() as u64 == count
            }
            Op::ConstantNull | Op::Undef => true,
            _ => false,
        };
        let mut operands = self.unit.operands(phi).iter().step_by(2);
        self.split_phis.contains(&phi)
            && self.is_plain(phi)
            && count <= MAX_SPLIT
            && operands.all(|&value| is_known(self.unit.find(value)))
    }

    /// Whether a function has phis now that could be split.
    pub(super) fn has_split_phis(&mut self, function: &Function) -> bool {
        self.find_split_phis(function);
        let is_behind = |phi: Value| !self.is_header(self.unit.node(phi).home);
        (self.split_phis.iter()).any(|&phi| self.can_split_phi(phi) && is_behind(phi))
    }

    /// Finds phis of composites of which only parts are used.
    pub(super) fn find_split_phis(&mut self, function: &Function) {
        let insts = || function.blocks.iter().flat_map(|block| &block.insts);
        let is_composite = |ty| {
            matches!(
                self.unit.op(ty),
                Op::TypeStruct | Op::TypeArray | Op::TypeMatrix
            )
        };
        let phis = insts().filter(|&&inst| {
            self.unit.op(inst) == Op::Phi && is_composite(self.unit.node(inst).ty)
        });
        self.split_phis = phis.copied().collect();
        if self.split_phis.is_empty() {
            return;
        }
        for &inst in insts() {
            if self.unit.op(inst) != Op::CompositeExtract && !self.unit.is_debug(inst) {
                for (_, id) in self.unit.ids(inst) {
                    self.split_phis.remove(&self.unit.find(id));
                }
            }
        }
    }

    /// Whether control may come back to a block.
    pub(super) fn is_header(&self, block: u32) -> bool {
        let predecessors = self.flow.graph.predecessors(block);
        predecessors
            .iter()
            .any(|&from| self.flow.is_reachable(from) && self.flow.goes_back(from, block))
    }

    pub(super) fn new_version(&mut self, written: Option<Written>) -> u32 {
        self.versions.push(written);
        self.versions.len() as u32 - 1
    }

    /// Tells the blocks behind one what leaves are at its end.
    pub(super) fn leave(&mut self, block: u32) {
        for &to in self.flow.graph.successors(block) {
            for index in self.joins.at(to) {
                let (_, leaf) = self.joins.get(index);
                (self.joins).arrive(index, self.tops[leaf as usize], block);
            }
        }
    }

    /// Gives all phis their operands, and removes those that are always something else.
    pub(super) fn finish_phis(&mut self) {
        for index in 0..self.joins.phis.len() {
            let phi = self.joins.phis[index];
            if phi != 0 {
                self.fill_phi(index, phi);
            }
        }
        for round in 0..4 {
            let mut changed = false;
            for place in 0..self.flow.order.len() {
                let block = self.flow.order[place] as usize;
                changed |= self.simplify_phis(block, round == 0);
            }
            if !changed {
                break;
            }
        }
    }

    fn simplify_phis(&mut self, block: usize, drops_dead_edges: bool) -> bool {
        let phis = std::mem::take(&mut self.blocks[block].phis);
        if phis.is_empty() {
            return false;
        }
        let mut kept = Vec::with_capacity(phis.len());
        let mut seen: HashMap<(u32, u32, Vec<u32>), Value> = HashMap::new();
        let mut changed = false;
        for phi in phis {
            let mut operands: Vec<u32> = self.unit.operands(phi).to_vec();
            for index in (0..operands.len()).step_by(2) {
                operands[index] = self.unit.find(operands[index]);
            }
            if drops_dead_edges {
                let pairs = operands.chunks_exact(2).filter(|pair| {
                    let from = self.unit.block_of_label.get(pair[1] as usize);
                    let from = from.copied().unwrap_or(u32::MAX);
                    self.flow
                        .number
                        .get(from as usize)
                        .is_some_and(|&n| n != u32::MAX)
                });
                let mut pairs: Vec<[u32; 2]> = pairs.map(|pair| [pair[0], pair[1]]).collect();
                pairs.sort_by_key(|pair| pair[1]);
                operands = pairs.into_iter().flatten().collect();
            }
            self.unit.set_operands(phi, &operands);
            if let Some(same) = only_value(self.unit, phi) {
                self.unit.replace(phi, same);
                changed = true;
                continue;
            }
            let node = self.unit.node(phi);
            let key = (node.ty, node.decorations, operands);
            if let Some(&other) = seen.get(&key) {
                self.unit.replace(phi, other);
                changed = true;
                continue;
            }
            seen.insert(key, phi);
            kept.push(phi);
        }
        self.blocks[block].phis = kept;
        changed
    }
}

/// The value that a phi always is, if there is one besides itself.
pub(super) fn only_value(unit: &Unit, phi: Value) -> Option<Value> {
    let mut found = None;
    for pair in unit.operands(phi).chunks_exact(2) {
        let value = unit.find(pair[0]);
        if value == phi || Some(value) == found {
            continue;
        }
        if found.is_some() {
            return None;
        }
        found = Some(value);
    }
    found
}
