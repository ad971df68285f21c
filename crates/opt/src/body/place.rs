//! Finds what is needed, and gives all of it a place.
//!
//! What floats goes to the last block that dominates all its uses, but out of loops as far as its
//! operands allow. Within a block it comes before what first needs it.

use smallvec::{SmallVec, smallvec};
use spirvkit_grammar::Op;

use super::debug::Descriptions;
use super::memory::{Root, is_volatile};
use super::{Rebuild, is_of_skeleton};
use crate::Abilities;
use crate::effects::{Effect, effect};
use crate::unit::{FLOATING, Function, Unit, Value, flag};

/// No place.
const NONE: u32 = u32::MAX;

impl Rebuild<'_> {
    /// Marks what is needed: what has effects, and all that it uses.
    pub(super) fn mark(&mut self, function: &Function) {
        let mut work = Vec::new();
        self.mark_terminators(&mut work);
        if !self.may(Abilities::DEAD_CODE) {
            self.keep_all(function, &mut work);
        }
        for index in 0..self.flow.order.len() {
            let block = self.flow.order[index] as usize;
            for at in 0..self.blocks[block].pinned.len() {
                let inst = self.blocks[block].pinned[at];
                if !self.is_needed_anyway(inst) {
                    continue;
                }
                match self.private_store(inst) {
                    Some(variable) => {
                        let pointer = self.unit.operand(inst, 0);
                        let stores = self.stores_to.entry(variable).or_default();
                        stores.add(self.unit, pointer, inst);
                    }
                    None => self.mark_one(inst, &mut work),
                }
            }
        }
        while let Some(value) = work.pop() {
            self.mark_operands(value, &mut work);
        }
        self.cut_dead_constructs();
        self.keep_remarks();
    }

    /// Marks all that was there and that nothing else stands for.
    fn keep_all(&mut self, function: &Function, work: &mut Vec<Value>) {
        for index in 0..self.flow.order.len() {
            let block = self.flow.order[index];
            self.mark_control(block, work);
            self.mark_one(self.blocks[block as usize].terminator, work);
            for at in 0..self.blocks[block as usize].pinned.len() {
                let inst = self.blocks[block as usize].pinned[at];
                if !matches!(effect(self.unit, inst), Effect::Remark | Effect::Lifetime) {
                    self.mark_one(inst, work);
                }
            }
            for &inst in &function.blocks[block as usize].insts {
                let op = self.unit.op(inst);
                let is_gone = self.unit.find(inst) != inst
                    || self.unit.is_debug(inst)
                    || self.locals.value_pointer(inst).is_some();
                let floats = self.unit.node(inst).home == FLOATING && !is_of_skeleton(op);
                let is_value = floats && self.unit.node(inst).has(flag::RESULT);
                if is_gone || !(is_value || op == Op::Phi || op.is_variable()) {
                    continue;
                }
                if is_value {
                    self.kept.push((inst, block));
                }
                self.mark_one(inst, work);
            }
        }
    }

    /// Marks what a value that is needed needs.
    fn mark_operands(&mut self, value: Value, work: &mut Vec<Value>) {
        let node = *self.unit.node(value);
        if node.home as usize >= self.labels.len() {
            // It may be anywhere, or was where nothing gets to.
        } else if node.op == Op::Phi {
            self.mark_control(node.home, work);
            self.mark_arrivals(node.home, work);
        } else if !is_of_skeleton(node.op) {
            self.mark_control(node.home, work);
        }
        for index in 0..self.unit.operands(value).len() {
            if !Unit::is_id(node.ids, index) {
                continue;
            }
            let id = self.unit.operand(value, index);
            if id as usize >= self.unit.nodes.len() {
                continue;
            }
            let found = self.unit.find(id);
            if found != id {
                self.unit.operands_mut(value)[index] = found;
            }
            if self.unit.is_local(found) && self.unit.op(found) != Op::Label {
                self.mark_one(found, work);
            }
            let only_leads_on = node.op.is_access_chain()
                || index == 0
                    && matches!(
                        node.op,
                        Op::Store
                            | Op::CooperativeMatrixStoreKHR
                            | Op::LifetimeStart
                            | Op::LifetimeStop
                    );
            if !only_leads_on
                && !self.stores_to.is_empty()
                && let Root::Variable(variable) = self.memory.root(self.unit, found)
                && let Some(stores) = self.stores_to.get_mut(&variable)
            {
                for store in stores.take(self.unit, found) {
                    self.mark_one(store, work);
                }
            }
        }
    }

    /// The variable that a store is to, if only this function can load from it.
    fn private_store(&mut self, inst: Value) -> Option<Value> {
        let is_store = match self.unit.op(inst) {
            Op::Store => !is_volatile(self.unit, inst),
            op => op == Op::CooperativeMatrixStoreKHR,
        };
        if !is_store {
            return None;
        }
        let pointer = self.unit.operand(inst, 0);
        let Root::Variable(variable) = self.memory.root(self.unit, pointer) else {
            return None;
        };
        if self.unit.owners.get(&variable) == Some(&self.function) {
            return Some(variable);
        }
        let local = self.locals.pointer(variable)?;
        let escapes = self.locals.locals[local.local as usize].escapes;
        (!escapes).then_some(variable)
    }

    pub(super) fn mark_one(&mut self, value: Value, work: &mut Vec<Value>) {
        let node = &mut self.unit.nodes[value as usize];
        if node.flags & flag::LIVE == 0 {
            node.flags |= flag::LIVE;
            work.push(value);
        }
    }

    fn is_needed_anyway(&self, inst: Value) -> bool {
        if self.unit.node(inst).has(flag::FIXED) {
            return true;
        }
        match effect(self.unit, inst) {
            Effect::Load => is_volatile(self.unit, inst),
            Effect::Store | Effect::Copy | Effect::Synchronize | Effect::Anything => true,
            _ => false,
        }
    }

    /// Keeps what is only said about the program, if what it speaks of is there.
    fn keep_remarks(&mut self) {
        for index in 0..self.flow.order.len() {
            let block = self.flow.order[index] as usize;
            for at in 0..self.blocks[block].pinned.len() {
                let inst = self.blocks[block].pinned[at];
                if self.unit.is_debug(inst) {
                    self.keep_description(inst);
                    continue;
                }
                if !matches!(effect(self.unit, inst), Effect::Remark | Effect::Lifetime) {
                    continue;
                }
                let is_there = self.unit.ids(inst).all(|(_, id)| {
                    let id = self.unit.find(id);
                    !self.unit.is_local(id)
                        || self.unit.node(id).has(flag::LIVE)
                        || matches!(
                            self.unit.op(id),
                            Op::Label | Op::Function | Op::FunctionParameter
                        )
                });
                if is_there {
                    self.unit.nodes[inst as usize].flags |= flag::LIVE;
                }
            }
        }
    }

    /// The instructions of each block, in order.
    pub(super) fn place(&mut self) -> Vec<Vec<Value>> {
        let mut floats = self.place_floats();
        let mut descriptions = self.place_descriptions();
        // By their blocks, else in the same order.
        if self.labels.len() > 1 {
            floats.sort_by_key(|&value| self.unit.node(value).home);
        }
        let mut from = 0;
        let mut placed = Vec::with_capacity(self.labels.len());
        for block in 0..self.labels.len() {
            let is_here = |value: &&Value| self.unit.node(**value).home as usize == block;
            let count = floats[from..].iter().take_while(is_here).count();
            let floats = &floats[from..from + count];
            from += count;
            let pinned = &self.blocks[block].pinned;
            let mut insts = Vec::with_capacity(pinned.len() + floats.len() + 1);
            if self.flow.is_reachable(block as u32) {
                self.write_block(block, floats, &mut descriptions, &mut insts);
            }
            placed.push(insts);
        }
        placed
    }

    fn write_block(
        &mut self,
        block: usize,
        floats: &[Value],
        descriptions: &mut Descriptions,
        insts: &mut Vec<Value>,
    ) {
        let building = std::mem::take(&mut self.blocks[block]);
        let is_live = |unit: &Unit, value: Value| unit.node(value).has(flag::LIVE);
        for &phi in &building.phis {
            if is_live(self.unit, phi) && self.unit.find(phi) == phi {
                insts.push(phi);
            }
        }
        for &variable in &building.variables {
            if is_live(self.unit, variable) {
                insts.push(variable);
            }
        }
        self.begin_descriptions(block as u32, descriptions);
        for &inst in &building.pinned {
            if !is_live(self.unit, inst) || self.unit.find(inst) != inst {
                continue;
            }
            if self.unit.is_debug(inst) {
                self.describe(inst, block as u32, descriptions, insts);
                continue;
            }
            let from = insts.len();
            self.emit(inst, block as u32, insts);
            self.describe_what_came(from, descriptions, insts);
        }
        let from = insts.len();
        for &value in floats {
            self.emit(value, block as u32, insts);
        }
        self.emit_operands(building.terminator, block as u32, insts);
        self.describe_what_came(from, descriptions, insts);
        self.tidy_descriptions(insts);
        insts.extend(building.merge);
        insts.push(building.terminator);
    }

    fn emit_operands(&mut self, inst: Value, block: u32, insts: &mut Vec<Value>) {
        for index in 0..self.unit.operands(inst).len() {
            if Unit::is_id(self.unit.node(inst).ids, index) {
                let id = self.unit.operand(inst, index);
                if self.waits(id, block) {
                    self.emit(id, block, insts);
                }
            }
        }
    }

    /// Whether a value has its place in a block, and isn't there yet.
    pub(super) fn waits(&self, value: Value, block: u32) -> bool {
        let Some(node) = self.unit.nodes.get(value as usize) else {
            return false;
        };
        node.home == block
            && node.has(flag::LIVE)
            && !node.has(flag::PLACED)
            && node.has(flag::LOCAL)
            && !is_of_skeleton(node.op)
            && self.unit.find(value) == value
    }

    /// Writes an instruction behind those of its operands that are to be in the same block.
    fn emit(&mut self, value: Value, block: u32, insts: &mut Vec<Value>) {
        if self.unit.node(value).has(flag::PLACED) {
            return;
        }
        self.unit.nodes[value as usize].flags |= flag::PLACED;
        if !self.unit.ids(value).any(|(_, id)| self.waits(id, block)) {
            insts.push(value);
            return;
        }
        let mut stack: SmallVec<[(Value, usize); 16]> = smallvec![(value, 0)];
        while let Some((value, index)) = stack.last_mut() {
            let (value, at) = (*value, *index);
            if at == self.unit.operands(value).len() {
                insts.push(value);
                stack.pop();
                continue;
            }
            *index += 1;
            if !Unit::is_id(self.unit.node(value).ids, at) {
                continue;
            }
            let operand = self.unit.operand(value, at);
            if self.waits(operand, block) {
                self.unit.nodes[operand as usize].flags |= flag::PLACED;
                stack.push((operand, 0));
            }
        }
    }

    /// Chooses a block for everything that floats and is needed. Returns it in an order in which
    /// operands come first.
    fn place_floats(&mut self) -> Vec<Value> {
        let floats = self.floats_in_order();
        // One more than the place of each there.
        let mut places = std::mem::take(&mut self.places);
        for (place, &value) in (1..).zip(&floats) {
            places.set(value, place);
        }
        let index_of = |value: Value| places.get(value).checked_sub(1);
        // The earliest block for each: where its last operand is.
        let mut early = vec![0u32; floats.len()];
        for (index, &value) in floats.iter().enumerate() {
            let mut block = 0;
            for (_, id) in self.unit.ids(value) {
                let at = match index_of(id) {
                    Some(operand) => early[operand as usize],
                    None => match self.unit.nodes.get(id as usize) {
                        Some(node)
                            if node.has(flag::LOCAL)
                                && !matches!(
                                    node.op,
                                    Op::FunctionParameter | Op::Function | Op::Label
                                )
                                && (node.home as usize) < self.labels.len() =>
                        {
                            node.home
                        }
                        _ => 0,
                    },
                };
                if self.flow.dominators.dominates(block, at) {
                    block = at;
                }
            }
            early[index] = block;
        }
        let mut late = vec![NONE; floats.len()];
        for index in 0..self.kept.len() {
            let (value, block) = self.kept[index];
            if let Some(index) = index_of(value) {
                self.use_at(&mut late[index as usize], block);
            }
        }
        for number in 0..self.flow.order.len() {
            let block = self.flow.order[number];
            if self.is_dead[block as usize] {
                continue;
            }
            let building = &self.blocks[block as usize];
            let pinned = building.pinned.iter();
            let pinned = pinned.filter(|&&user| !self.unit.is_debug(user));
            let others = building.variables.iter().chain([&building.terminator]);
            for &user in pinned.chain(others) {
                if self.unit.node(user).has(flag::LIVE) && self.unit.find(user) == user {
                    for (_, id) in self.unit.ids(user) {
                        if let Some(index) = index_of(id) {
                            self.use_at(&mut late[index as usize], block);
                        }
                    }
                }
            }
            for &phi in &building.phis {
                if !self.unit.node(phi).has(flag::LIVE) || self.unit.find(phi) != phi {
                    continue;
                }
                for pair in self.unit.operands(phi).chunks_exact(2) {
                    if let Some(index) = index_of(pair[0]) {
                        let from = self.unit.block_of_label[pair[1] as usize];
                        self.use_at(&mut late[index as usize], from);
                    }
                }
            }
        }
        for (index, &value) in floats.iter().enumerate().rev() {
            let latest = late[index];
            let block = match latest {
                NONE => early[index],
                _ => self.flow.out_of_loops(latest, early[index]),
            };
            self.unit.nodes[value as usize].home = block;
            for (_, id) in self.unit.ids(value) {
                if let Some(operand) = index_of(id) {
                    self.use_at(&mut late[operand as usize], block);
                }
            }
        }
        places.clear();
        self.places = places;
        floats
    }

    /// Notes that a value is used in a block, too.
    fn use_at(&self, late: &mut u32, block: u32) {
        *late = match *late {
            NONE => block,
            so_far => self.flow.common(so_far, block),
        };
    }

    /// What floats and is needed, operands first.
    fn floats_in_order(&mut self) -> Vec<Value> {
        let mut floats = Vec::new();
        let mut stack: Vec<(Value, usize)> = Vec::new();
        let mut roots = Vec::new();
        for &block in &self.flow.order {
            let building = &self.blocks[block as usize];
            roots.extend(&building.phis);
            roots.extend(&building.variables);
            roots.extend(&building.pinned);
            roots.push(building.terminator);
        }
        roots.extend(self.kept.iter().map(|&(value, _)| value));
        for root in roots {
            if !self.unit.node(root).has(flag::LIVE)
                || self.unit.find(root) != root
                || self.unit.is_debug(root)
            {
                continue;
            }
            let node = &mut self.unit.nodes[root as usize];
            let floats_itself = node.home == FLOATING && !is_of_skeleton(node.op);
            if floats_itself {
                if node.has(flag::PLACED) {
                    continue;
                }
                node.flags |= flag::PLACED;
            }
            stack.push((root, 0));
            while let Some((value, index)) = stack.last_mut() {
                let (value, at) = (*value, *index);
                if at == self.unit.operands(value).len() {
                    stack.pop();
                    if value != root || floats_itself {
                        floats.push(value);
                    }
                    continue;
                }
                *index += 1;
                if !Unit::is_id(self.unit.node(value).ids, at) {
                    continue;
                }
                let operand = self.unit.operand(value, at);
                let Some(node) = self.unit.nodes.get(operand as usize) else {
                    continue;
                };
                if node.home == FLOATING
                    && node.has(flag::LIVE)
                    && node.has(flag::LOCAL)
                    && !node.has(flag::PLACED)
                    && !is_of_skeleton(node.op)
                {
                    self.unit.nodes[operand as usize].flags |= flag::PLACED;
                    stack.push((operand, 0));
                }
            }
        }
        for &value in &floats {
            self.unit.nodes[value as usize].flags &= !flag::PLACED;
        }
        floats
    }
}
