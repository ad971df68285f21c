//! Looks at each instruction in turn: what it gives, and whether something gives that already.

use std::hash::BuildHasher;

use smallvec::SmallVec;
use spirvkit_grammar::{MemoryAccess, Op, StorageClass};

use super::locals::{Pointer, parts};
use super::memory::{Regions, are_apart, is_volatile, path_from};
use super::{FIRST_VERSION, Rebuild, is_of_skeleton};
use crate::Abilities;
use crate::effects::{Effect, effect};
use crate::unit::{Function, Operands, Unit, Value};

/// Regions, each with its version.
type State = SmallVec<[u32; 12]>;

/// Stores that don't matter for a load are looked behind, up to so many.
const MAX_STORES_BACK: usize = 16;

impl Rebuild<'_> {
    pub(super) fn visit_block(&mut self, function: &Function, block: u32) {
        self.here = block;
        if block == 0 {
            self.begin();
        }
        let insts = &function.blocks[block as usize].insts;
        if let Some(&first) = insts
            .iter()
            .find(|&&inst| !is_of_skeleton(self.unit.op(inst)))
        {
            self.position = self.unit.node(first).position;
        }
        self.blocks[block as usize].pinned.reserve(insts.len() / 2);
        self.enter_joins(block);
        self.say_unneeded(block);
        let is_header = self.is_header(block);
        for &inst in &function.blocks[block as usize].insts {
            let node = self.unit.node(inst);
            self.decorations = node.decorations;
            self.position = node.position;
            let op = node.op;
            if op == Op::Phi {
                self.visit_phi(inst, is_header);
            } else if op.is_terminator() {
                self.resolve(inst);
                self.blocks[block as usize].terminator = inst;
            } else if op.is_merge() {
                self.blocks[block as usize].merge = Some(inst);
            } else if op.is_variable() {
                self.visit_variable(inst);
            } else {
                self.visit(inst);
            }
        }
        self.leave(block);
    }

    /// Gives leaves a value to begin with.
    fn begin(&mut self) {
        self.tops = vec![FIRST_VERSION; self.memory.end() as usize];
        for leaf in 0..self.locals.leaves {
            let ty = self.locals.leaf_types[leaf as usize];
            self.tops[leaf as usize] = self.unit.undef(ty);
        }
    }

    /// The version of a region.
    fn top(&mut self, leaf: u32) -> u32 {
        if leaf as usize >= self.tops.len() {
            self.tops.resize(leaf as usize + 1, FIRST_VERSION);
        }
        self.tops[leaf as usize]
    }

    fn visit_variable(&mut self, inst: Value) {
        if let Some(pointer) = self.locals.value_pointer(inst) {
            if let Some(&initial) = self.unit.operands(inst).get(1) {
                let initial = self.unit.find(initial);
                self.store_local(pointer, initial);
            }
            return;
        }
        self.resolve(inst);
        self.unit.nodes[inst as usize].home = 0;
        self.blocks[0].variables.push(inst);
    }

    fn visit_phi(&mut self, phi: Value, is_header: bool) {
        let block = self.here;
        self.unit.nodes[phi as usize].home = block;
        if !is_header {
            let operands = self.unit.operands(phi).to_vec();
            let reachable: Vec<u32> = operands
                .chunks_exact(2)
                .filter(|pair| {
                    let from = self.unit.block_of_label.get(pair[1] as usize).copied();
                    from.is_some_and(|from| from != u32::MAX && self.flow.is_reachable(from))
                })
                .flat_map(|pair| [self.unit.find(pair[0]), pair[1]])
                .collect();
            self.unit.set_operands(phi, &reachable);
            if self.is_plain(phi)
                && let Some(value) = super::phis::only_value(self.unit, phi)
            {
                self.unit.replace(phi, value);
                return;
            }
            if self.splits_phi(phi) {
                return;
            }
        }
        self.blocks[block as usize].phis.push(phi);
    }

    /// Lets operands be what stands for them now.
    fn resolve(&mut self, inst: Value) {
        self.unit.resolve(inst);
    }

    fn visit(&mut self, inst: Value) {
        let op = self.unit.op(inst);
        if matches!(
            op,
            Op::AccessChain | Op::InBoundsAccessChain | Op::CopyObject
        ) && self.locals.value_pointer(inst).is_some()
        {
            return;
        }
        if let Some(pointer) = self.declared_pointer(inst) {
            self.declare(inst, pointer);
            return;
        }
        // What a load gives may depend on what it is loaded from only by its own id.
        let loaded_from = self.unit.operand(inst, 0);
        self.resolve(inst);
        if self.unit.node(inst).has(crate::unit::flag::FIXED) {
            self.pin(inst);
            self.write_regions(inst, Effect::Anything);
            return;
        }
        match effect(self.unit, inst) {
            Effect::Total if matches!(op, Op::AccessChain | Op::InBoundsAccessChain) => {
                self.visit_chain(inst);
            }
            Effect::Total => self.visit_total(inst),
            Effect::Partial => {
                let hash = self.hash(inst);
                let token = match reads_texels(op) {
                    true => self.shared_token(),
                    false => 0,
                };
                self.visit_partial(inst, (hash, token));
            }
            Effect::Single | Effect::Remark => self.pin(inst),
            Effect::SampledImage => {
                let hash = self.hash(inst) ^ u64::from(self.here).wrapping_mul(0x9e37_79b9);
                match self.partial.get(&(hash, 0)).copied() {
                    Some(other)
                        if self.may(Abilities::MERGE)
                            && self.unit.node(other).home == self.here
                            && self.are_same(inst, other) =>
                    {
                        self.stand_for(inst, other);
                    }
                    _ => {
                        self.note_partial((hash, 0), inst);
                        self.pin(inst);
                    }
                }
            }
            Effect::Load => self.visit_load(inst, loaded_from),
            Effect::Store => self.visit_store(inst, loaded_from),
            Effect::Copy => self.visit_copy(inst),
            Effect::Lifetime => {
                if self.locals.value_pointer(loaded_from).is_none() {
                    self.pin(inst);
                }
            }
            effect @ (Effect::Synchronize | Effect::Anything) => {
                self.pin(inst);
                self.write_regions(inst, effect);
            }
        }
    }

    /// A value that is the same wherever it is computed.
    fn visit_total(&mut self, inst: Value) {
        let node = *self.unit.node(inst);
        if node.op == Op::CopyObject && self.may(Abilities::SIMPLIFY) {
            let from = self.unit.operand(inst, 0);
            if self.can_stand_for(inst, from) {
                self.stand_for(inst, from);
                return;
            }
        }
        let operands = Operands::from_slice(self.unit.operands(inst));
        let made = self.value(Some(inst), node.op, node.ty, &operands, node.ids);
        if made != inst {
            if !self.can_stand_for(inst, made) {
                self.pin(inst);
                return;
            }
            self.stand_for(inst, made);
        }
    }

    /// A pointer into something. An index that is beyond an array leaves undefined what a chain
    /// gives, so one with other indices than constants stays behind its guards.
    fn visit_chain(&mut self, inst: Value) {
        let (op, operands) = {
            let operands = Operands::from_slice(self.unit.operands(inst));
            self.canonical_chain(self.unit.op(inst), operands)
        };
        if operands.len() == 1 {
            if self.can_stand_for(inst, operands[0]) {
                self.stand_for(inst, operands[0]);
            } else {
                self.pin(inst);
            }
            return;
        }
        self.unit.set_operands(inst, &operands);
        self.unit.nodes[inst as usize].op = op;
        if self.is_defined_chain(&operands) {
            let (ty, ids) = (self.unit.node(inst).ty, self.unit.node(inst).ids);
            let made = self.consed(Some(inst), op, ty, &operands, ids);
            if made != inst {
                self.stand_for(inst, made);
            }
            return;
        }
        let hash = self.hash(inst);
        self.visit_partial(inst, (hash, 0));
    }

    /// Whether a chain is defined for all values of its indices.
    fn is_defined_chain(&self, operands: &[u32]) -> bool {
        let unit = &self.unit;
        let pointer_ty = unit.node(unit.find(operands[0])).ty;
        if unit.op(pointer_ty) != Op::TypePointer {
            return false;
        }
        let mut ty = unit.operand(pointer_ty, 1);
        for &index in &operands[1..] {
            if unit.op(ty) == Op::TypeRuntimeArray {
                ty = unit.operand(ty, 0);
                continue;
            }
            match known_part(unit, ty, index) {
                Some(part) => ty = part,
                None => return false,
            }
        }
        true
    }

    /// Whether another value may take a value's place, with what it needs to be decorated with.
    fn can_stand_for(&mut self, inst: Value, other: Value) -> bool {
        let set = self.unit.node(inst).decorations;
        let restrictions = self.unit.decorations.restrictions(set);
        let is_local = self.unit.node(other).has(crate::unit::flag::LOCAL);
        is_local && self.unit.op(other) != Op::FunctionParameter
            || restrictions == 0
            || self.unit.op(other).is_constant()
    }

    /// Lets another value take a value's place.
    pub(super) fn stand_for(&mut self, inst: Value, other: Value) {
        let set = self.unit.node(inst).decorations;
        if set != 0
            && self.unit.node(other).has(crate::unit::flag::LOCAL)
            && self.unit.op(other) != Op::FunctionParameter
        {
            let restrictions = self.unit.decorations.restrictions(set);
            let old = self.unit.node(other).decorations;
            let both = match restrictions {
                0 => old,
                _ => self.unit.decorations.unite(old, restrictions),
            };
            self.unit.nodes[other as usize].decorations = both;
        }
        self.uses.add(other, self.uses.get(inst));
        self.unit.replace(inst, other);
    }

    pub(super) fn hash(&mut self, inst: Value) -> u64 {
        let set = self.unit.node(inst).decorations;
        let meaning = self.unit.decorations.meaning(set);
        let node = self.unit.node(inst);
        let operands = self.unit.operands(inst);
        self.hasher
            .hash_one((node.op.0, node.ty, meaning, operands))
    }

    pub(super) fn are_same(&mut self, one: Value, other: Value) -> bool {
        let (a, b) = (*self.unit.node(one), *self.unit.node(other));
        a.op == b.op
            && a.ty == b.ty
            && self.unit.operands(one) == self.unit.operands(other)
            && (a.decorations == b.decorations
                || self.unit.decorations.meaning(a.decorations)
                    == self.unit.decorations.meaning(b.decorations))
    }

    /// A value that stays where it is, unless one that dominates it is the same.
    fn visit_partial(&mut self, inst: Value, key: (u64, u32)) -> Value {
        if let Some(&other) = self.partial.get(&key)
            && self.may(Abilities::MERGE)
            && self.are_same(inst, other)
        {
            self.merge_decorations(other, inst);
            self.unit.replace(inst, other);
            return other;
        }
        let (op, ty, ids) = {
            let node = self.unit.node(inst);
            (node.op, node.ty, node.ids)
        };
        if op != Op::Load && self.may(Abilities::SIMPLIFY) {
            let operands = Operands::from_slice(self.unit.operands(inst));
            if let Some(simpler) = self.simplify(op, ty, &operands, ids) {
                self.unit.replace(inst, simpler);
                return simpler;
            }
        }
        self.note_partial(key, inst);
        self.pin(inst);
        inst
    }

    fn note_partial(&mut self, key: (u64, u32), value: Value) {
        let old = self.partial.insert(key, value);
        self.scope_partial.push((key, old));
    }

    pub(super) fn merge_decorations(&mut self, kept: Value, gone: Value) {
        let (a, b) = (
            self.unit.node(kept).decorations,
            self.unit.node(gone).decorations,
        );
        if a != b {
            let merged = self.unit.decorations.merge(a, b);
            self.unit.nodes[kept as usize].decorations = merged;
        }
    }

    /// Notes that something is written.
    fn write_regions(&mut self, inst: Value, effect: Effect) {
        for leaf in self.foreseen(inst) {
            self.write_region(leaf, None);
        }
        for leaf in self.memory.clobbered(self.unit, inst, effect) {
            self.write_region(leaf, None);
        }
    }

    /// What an instruction was found to write before it was known where its pointer leads.
    fn foreseen(&mut self, inst: Value) -> Regions {
        self.foreseen.remove(&inst).unwrap_or_default()
    }

    /// Notes that a region is written: by what is stored to a pointer, or in a way that isn't
    /// known.
    fn write_region(&mut self, leaf: u32, stored: Option<(Value, Value)>) {
        let before = self.top(leaf);
        let version = self.new_version(stored.map(|(pointer, value)| super::Written {
            before,
            pointer,
            value,
        }));
        self.set_top(leaf, version);
    }

    /// The number for what a pointer's memory depends on now; 0 if it never changes.
    fn token(&mut self, pointer: Value) -> (u32, State) {
        let read = self
            .memory
            .read(self.unit, &self.locals, pointer, self.fixed_inputs);
        let Some(regions) = read else {
            return (0, State::new());
        };
        let mut state = State::new();
        for leaf in regions {
            state.push(leaf);
            state.push(self.top(leaf));
        }
        (self.tokens.number(&state), state)
    }

    /// The number for what others, and images, hold now.
    fn shared_token(&mut self) -> u32 {
        let leaf = self.memory.shared();
        let state = [leaf, self.top(leaf)];
        self.tokens.number(&state)
    }

    fn know(&mut self, pointer: Value, token: u32, value: Value) {
        let key = (pointer, token);
        let old = self.known.insert(key, value);
        self.scope_known.push((key, old));
    }

    fn visit_load(&mut self, inst: Value, from: Value) {
        if let Some(pointer) = self.locals.value_pointer(from) {
            let ty = self.unit.node(inst).ty;
            match self.load_local(pointer, ty) {
                Some(value) => self.stand_for(inst, value),
                None => self.pin(inst),
            }
            return;
        }
        let pointer = self.unit.operand(inst, 0);
        if is_volatile(self.unit, inst) {
            self.pin(inst);
            self.write_regions(inst, Effect::Load);
            return;
        }
        let access = MemoryAccess(self.unit.operand(inst, 1));
        if access.contains(MemoryAccess::MakePointerVisible) {
            self.pin(inst);
            return;
        }
        let (token, mut state) = self.token(pointer);
        let ty = self.unit.node(inst).ty;
        if token == 0 {
            if self.is_total_address(pointer) && self.is_always_there(pointer) {
                let operands = Operands::from_slice(self.unit.operands(inst));
                let ids = self.unit.node(inst).ids;
                let made = self.consed(Some(inst), Op::Load, ty, &operands, ids);
                if made != inst {
                    self.unit.replace(inst, made);
                }
                return;
            }
            let hash = self.hash(inst);
            self.visit_partial(inst, (hash, 0));
            return;
        }
        let mut at = token;
        let looks_back = match self.may(Abilities::FORWARD) {
            true => MAX_STORES_BACK,
            false => 0,
        };
        for _ in 0..looks_back {
            if let Some(&value) = self.known.get(&(pointer, at)) {
                let value = self.unit.find(value);
                if self.unit.node(value).ty == ty && self.can_stand_for(inst, value) {
                    if self.unit.op(value) == Op::Load {
                        self.merge_decorations(value, inst);
                    }
                    self.stand_for(inst, value);
                    return;
                }
            }
            let version = state.get(1).map_or(0, |&version| version as usize);
            let Some(&Some(written)) = self.versions.get(version) else {
                break;
            };
            // Nothing else that is read may have been written since.
            let version = state[1];
            let is_last = state
                .iter()
                .skip(3)
                .step_by(2)
                .all(|&other| other < version);
            if is_last
                && let Some(path) = path_from(self.unit, written.pointer, pointer)
                && !path.is_empty()
            {
                let mut operands = vec![self.unit.find(written.value)];
                operands.extend(path);
                if self.part_type(self.unit.node(operands[0]).ty, &operands[1..]) == Some(ty) {
                    let part = self.make_value(Op::CompositeExtract, ty, &operands);
                    if self.can_stand_for(inst, part) {
                        self.stand_for(inst, part);
                        return;
                    }
                }
            }
            if !are_apart(self.unit, pointer, written.pointer) {
                break;
            }
            state[1] = written.before;
            at = self.tokens.number(&state);
        }
        self.pin(inst);
        self.know(pointer, token, inst);
    }

    /// Whether memory can be read in any case: a block may be bound only where it is used.
    fn is_always_there(&mut self, pointer: Value) -> bool {
        let class = self.unit.storage_class(pointer);
        class != Some(StorageClass::Uniform.0)
    }

    /// Whether an address is one in any case.
    fn is_total_address(&self, pointer: Value) -> bool {
        let unit = &self.unit;
        if unit.op(pointer) == Op::Variable {
            return true;
        }
        if !matches!(unit.op(pointer), Op::AccessChain | Op::InBoundsAccessChain) {
            return false;
        }
        let operands = unit.operands(pointer);
        let base = unit.find(operands[0]);
        if unit.op(base) != Op::Variable {
            return false;
        }
        let ty = unit.operand(unit.node(base).ty, 1);
        let mut indices = operands[1..].iter();
        indices
            .try_fold(ty, |ty, &index| known_part(unit, ty, index))
            .is_some()
    }

    fn visit_store(&mut self, inst: Value, to: Value) {
        let value = self.unit.operand(inst, 1);
        if let Some(pointer) = self.locals.value_pointer(to) {
            self.store_local(pointer, value);
            return;
        }
        let pointer = self.unit.operand(inst, 0);
        let access = MemoryAccess(self.unit.operand(inst, 2));
        let is_plain =
            !is_volatile(self.unit, inst) && !access.contains(MemoryAccess::MakePointerAvailable);
        let is_droppable = is_plain && self.may(Abilities::DEAD_STORES);
        if is_droppable && self.unit.op(value) == Op::Undef && self.is_own_memory(pointer) {
            return;
        }
        if is_droppable {
            let (token, _) = self.token(pointer);
            let held = self.known.get(&(pointer, token)).copied();
            if token != 0 && held.map(|held| self.unit.find(held)) == Some(value) {
                return;
            }
        }
        self.pin(inst);
        for leaf in self.foreseen(inst) {
            self.write_region(leaf, None);
        }
        for leaf in self.memory.written(self.unit, pointer) {
            self.write_region(leaf, Some((pointer, value)).filter(|_| is_plain));
        }
        if is_plain {
            let (token, _) = self.token(pointer);
            if token != 0 {
                self.know(pointer, token, value);
            }
        }
    }

    /// Whether a pointer leads to memory that belongs to the invocation.
    fn is_own_memory(&self, pointer: Value) -> bool {
        let class = self.unit.storage_class(pointer);
        matches!(
            class.map(StorageClass),
            Some(StorageClass::Function | StorageClass::Private)
        )
    }

    fn visit_copy(&mut self, inst: Value) {
        let (to, from) = (self.unit.operand(inst, 0), self.unit.operand(inst, 1));
        let into = self.locals.value_pointer(to);
        let out_of = self.locals.value_pointer(from);
        if self.unit.op(inst) != Op::CopyMemory || into.is_none() && out_of.is_none() {
            self.pin(inst);
            self.write_regions(inst, Effect::Copy);
            return;
        }
        let access: Vec<u32> = self
            .unit
            .operands(inst)
            .get(2..)
            .unwrap_or_default()
            .to_vec();
        let ty = self.unit.operand(self.unit.node(from).ty, 1);
        let loaded = match out_of {
            Some(pointer) => match self.load_local(pointer, ty) {
                Some(value) => value,
                None => self.unit.undef(ty),
            },
            None => {
                let mut operands = vec![from];
                operands.extend_from_slice(&access);
                let load = self.new_node(Op::Load, ty, &operands, 1);
                self.visit_load(load, from);
                self.unit.find(load)
            }
        };
        match into {
            Some(pointer) => self.store_local(pointer, loaded),
            None => {
                let mut operands = vec![to, loaded];
                operands.extend_from_slice(&access);
                let store = self.new_node(Op::Store, 0, &operands, 0b11);
                self.visit_store(store, to);
            }
        }
    }

    /// What a variable or a part of it holds.
    fn load_local(&mut self, pointer: Pointer, ty: u32) -> Option<Value> {
        let (piece, depth) = self.locals.descend(self.unit, pointer);
        let rest: Vec<Value> = self.locals.path(pointer)[depth..].to_vec();
        let whole = self.piece_value(piece);
        let value = match self.unit.op(whole) {
            _ if rest.is_empty() => whole,
            // Whichever part it is.
            Op::Undef => self.unit.undef(ty),
            Op::ConstantNull => self.unit.null(ty),
            _ => self.take_out(whole, &rest, ty)?,
        };
        (self.unit.node(value).ty == ty).then_some(value)
    }

    fn piece_value(&mut self, piece: u32) -> Value {
        let (leaf, first, count, ty) = {
            let piece = &self.locals.pieces[piece as usize];
            (piece.leaf, piece.parts, piece.count, piece.ty)
        };
        if first == u32::MAX {
            let top = self.top(leaf);
            return self.unit.find(top);
        }
        // As deep as a type is.
        let parts: Vec<u32> = (first..first + count)
            .map(|part| self.piece_value(part))
            .collect();
        self.make_value(Op::CompositeConstruct, ty, &parts)
    }

    /// A part of a value, by indices of which the last may not be constant.
    fn take_out(&mut self, whole: Value, path: &[Value], ty: u32) -> Option<Value> {
        let constants: Vec<u32> = path
            .iter()
            .map_while(|&index| self.unit.integer(index).map(|index| index as u32))
            .collect();
        if constants.len() == path.len() {
            let mut operands = vec![whole];
            operands.extend(&constants);
            return Some(self.make_value(Op::CompositeExtract, ty, &operands));
        }
        let (&dynamic, before) = path.split_last()?;
        if constants.len() != before.len() {
            return None;
        }
        let vector = match before.is_empty() {
            true => whole,
            false => {
                let vector_ty = self.part_type(self.unit.node(whole).ty, &constants)?;
                let mut operands = vec![whole];
                operands.extend(&constants);
                self.make_value(Op::CompositeExtract, vector_ty, &operands)
            }
        };
        let node = self.new_node(Op::VectorExtractDynamic, ty, &[vector, dynamic], 0b11);
        let hash = self.hash(node);
        Some(self.visit_partial(node, (hash, 0)))
    }

    /// The type of a part of a composite.
    fn part_type(&self, ty: u32, path: &[u32]) -> Option<u32> {
        let mut ty = ty;
        for &index in path {
            let (_, part) = parts(self.unit, ty);
            ty = match part {
                Some(part) => part,
                None => *self.unit.operands(ty).get(index as usize)?,
            };
        }
        Some(ty)
    }

    fn store_local(&mut self, pointer: Pointer, value: Value) {
        let (piece, depth) = self.locals.descend(self.unit, pointer);
        let rest: Vec<Value> = self.locals.path(pointer)[depth..].to_vec();
        if rest.is_empty() {
            for (leaf, path) in self.locals.leaves_of(piece) {
                let part = match path.is_empty() {
                    true => value,
                    false => {
                        let ty = self.locals.leaf_types[leaf as usize];
                        let mut operands = vec![value];
                        operands.extend(&path);
                        self.make_value(Op::CompositeExtract, ty, &operands)
                    }
                };
                self.set_top(leaf, part);
            }
            self.say_stored(pointer, Some(value));
            return;
        }
        let leaf = self.locals.pieces[piece as usize].leaf;
        let ty = self.locals.pieces[piece as usize].ty;
        let top = self.top(leaf);
        let old = self.unit.find(top);
        if let Some(new) = self.put_in(old, &rest, value, ty) {
            self.set_top(leaf, new);
            self.say_stored(pointer, None);
        }
    }

    /// A value with another part, by indices of which the last may not be constant.
    fn put_in(&mut self, whole: Value, path: &[Value], value: Value, ty: u32) -> Option<Value> {
        let constants: Vec<u32> = path
            .iter()
            .map_while(|&index| self.unit.integer(index).map(|index| index as u32))
            .collect();
        if constants.len() == path.len() {
            let mut operands = vec![value, whole];
            operands.extend(&constants);
            return Some(self.make_value(Op::CompositeInsert, ty, &operands));
        }
        let (&dynamic, before) = path.split_last()?;
        if constants.len() != before.len() {
            return None;
        }
        let vector_ty = self.part_type(ty, &constants)?;
        let vector = match before.is_empty() {
            true => whole,
            false => {
                let mut operands = vec![whole];
                operands.extend(&constants);
                self.make_value(Op::CompositeExtract, vector_ty, &operands)
            }
        };
        let operands = [vector, value, dynamic];
        let node = self.new_node(Op::VectorInsertDynamic, vector_ty, &operands, 0b111);
        let hash = self.hash(node);
        let changed = self.visit_partial(node, (hash, 0));
        if before.is_empty() {
            return Some(changed);
        }
        let mut operands = vec![changed, whole];
        operands.extend(&constants);
        Some(self.make_value(Op::CompositeInsert, ty, &operands))
    }

    /// A new node of the function, with the decorations and position of what is visited.
    pub(super) fn new_node(&mut self, op: Op, ty: u32, operands: &[u32], ids: u64) -> Value {
        let node = self.unit.add(op, ty, operands, ids);
        self.unit.nodes[node as usize].flags |= crate::unit::flag::LOCAL;
        self.unit.nodes[node as usize].position = self.position;
        node
    }
}

/// The type of a part, if an index is known, and leads to one that there is.
fn known_part(unit: &Unit, ty: Value, index: Value) -> Option<Value> {
    let (count, part) = parts(unit, ty);
    let index = unit.integer(unit.find(index))?;
    (index < count?).then(|| part.unwrap_or_else(|| unit.operand(ty, index as usize)))
}

/// Whether an operation on an image depends on what is in it, which may be written.
fn reads_texels(op: Op) -> bool {
    !matches!(
        op,
        Op::ImageQueryFormat
            | Op::ImageQueryOrder
            | Op::ImageQuerySizeLod
            | Op::ImageQuerySize
            | Op::ImageQueryLod
            | Op::ImageQueryLevels
            | Op::ImageQuerySamples
            | Op::ImageSparseTexelsResident
            | Op::ImageTexelPointer
    ) && op
        .info()
        .is_some_and(|info| info.class() == spirvkit_grammar::Class::Image)
}
