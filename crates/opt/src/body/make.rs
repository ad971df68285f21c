//! Makes values: simplified as far as rules know, and each once.

use std::hash::BuildHasher;

use spirvkit_binary::Id;
use spirvkit_eval::ScalarType;
use spirvkit_grammar::Op;

use super::Rebuild;
use crate::Abilities;
use crate::rules::Values;
use crate::unit::{FLOATING, Operands, Unit, Value, flag};

/// Rules are applied within rules only so deep.
const MAX_DEPTH: u32 = 64;

impl Rebuild<'_> {
    /// Whether something may be done.
    pub(super) fn may(&self, ability: Abilities) -> bool {
        self.abilities.contains(ability)
    }

    /// The value of a total operation. A node that was one already may be used for it.
    pub(super) fn value(
        &mut self,
        node: Option<Value>,
        op: Op,
        ty: u32,
        operands: &[u32],
        ids: u64,
    ) -> Value {
        let has_meaning = self.decorations != 0 && {
            let set = self.decorations;
            self.unit.decorations.meaning(set) != 0
        };
        let mut operands = Operands::from_slice(operands);
        let mut op = op;
        if op.is_access_chain() {
            self.avoid_negative_indices(op, &mut operands);
        }
        if !has_meaning {
            if op.is_access_chain() {
                self.use_same_indices(op, &mut operands);
            }
            crate::rules::canonicalize(self, &mut op, &mut operands);
            if let Some(simpler) = self.simplify(op, ty, &operands, ids) {
                return simpler;
            }
        }
        self.consed(node, op, ty, &operands, ids)
    }

    /// The node of an operation, the one that there is already if there is one.
    pub(super) fn consed(
        &mut self,
        node: Option<Value>,
        op: Op,
        ty: u32,
        operands: &[u32],
        ids: u64,
    ) -> Value {
        let set = self.decorations;
        let meaning = self.unit.decorations.meaning(set);
        let hash = self.hasher.hash_one((op.0, ty, meaning, operands));
        let mut found = None;
        if self.may(Abilities::MERGE) {
            let unit = &*self.unit;
            let candidate = self.total.find(hash, |&other| {
                let node = unit.node(other);
                node.op == op && node.ty == ty && unit.operands(other) == operands
            });
            if let Some(&other) = candidate {
                found = Some(other);
            }
        }
        if let Some(other) = found {
            let other_set = self.unit.node(other).decorations;
            if self.unit.decorations.meaning(other_set) == meaning {
                let merged = self.unit.decorations.merge(other_set, set);
                self.unit.nodes[other as usize].decorations = merged;
                return other;
            }
        }
        let made = match node {
            Some(node) => {
                self.unit.set_operands(node, operands);
                self.unit.nodes[node as usize].op = op;
                self.unit.nodes[node as usize].ids = ids;
                node
            }
            None => {
                let made = self.new_node(op, ty, operands, ids);
                let operands = operands.iter().enumerate();
                for (_, &id) in operands.filter(|&(index, _)| Unit::is_id(ids, index)) {
                    self.uses.add(id, 1);
                }
                self.unit.nodes[made as usize].decorations = match takes_decorations(op) {
                    true => set,
                    false => 0,
                };
                made
            }
        };
        self.unit.nodes[made as usize].home = FLOATING;
        if op == Op::Load || op.is_access_chain() {
            self.unit.nodes[made as usize].flags |= flag::TOTAL;
        }
        let (unit, hasher) = (&*self.unit, &self.hasher);
        self.total.insert_unique(hash, made, |&value| {
            let node = unit.node(value);
            let meaning = unit.decorations.meaning(node.decorations);
            hasher.hash_one((node.op.0, node.ty, meaning, unit.operands(value)))
        });
        made
    }

    /// The value of an operation whose operands' kinds follow from its opcode.
    pub(super) fn make_value(&mut self, op: Op, ty: u32, operands: &[u32]) -> Value {
        let ids = ids_of(op);
        let decorations = std::mem::take(&mut self.decorations);
        let made = self.value(None, op, ty, operands, ids);
        self.decorations = decorations;
        made
    }

    /// A simpler value that is the same.
    pub(super) fn simplify(
        &mut self,
        op: Op,
        ty: u32,
        operands: &[u32],
        ids: u64,
    ) -> Option<Value> {
        // A module may be allowed only to load, store and convert small numbers.
        if self
            .unit
            .shape(ty)
            .is_some_and(|(scalar, _)| !self.unit.computes_with(scalar))
        {
            return None;
        }
        if !self.may(Abilities::SIMPLIFY) {
            return None;
        }
        if let Some(constant) = self.unit.fold(op, ty, operands, ids) {
            return Some(constant);
        }
        if op == Op::Undef {
            return Some(self.unit.undef(ty));
        }
        if op == Op::Image
            && let Some(&from) = operands.first()
            && self.unit.op(from) == Op::SampledImage
        {
            let image = self.unit.operand(from, 0);
            return (self.unit.node(image).ty == ty).then_some(image);
        }
        if op == Op::CompositeConstruct {
            let parts = operands.iter();
            let is_null =
                |&part: &u32| self.unit.constants.value(part).is_some_and(|v| v.is_null());
            if parts.clone().all(|part| self.unit.is_fixed_constant(*part))
                && parts.clone().all(is_null)
            {
                return Some(self.unit.null(ty));
            }
        }
        // In a valid module, rules end by themselves.
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let permissions = self.unit.permitted(self.decorations, ty, operands);
        let modes = self.unit.modes.permissions(permissions);
        let simpler = crate::rules::simplify(self, &modes, op, Id(ty), operands)
            .or_else(|| crate::rules::simplify_composite(self, op, Id(ty), operands));
        self.depth -= 1;
        simpler.map(|value| value.0)
    }

    /// A chain that goes all the way by itself, with the constants that stand for indices.
    pub(super) fn canonical_chain(&mut self, op: Op, operands: Operands) -> (Op, Operands) {
        let (op, mut operands) = self.combine_chain(op, &operands).unwrap_or((op, operands));
        self.avoid_negative_indices(op, &mut operands);
        self.use_same_indices(op, &mut operands);
        (op, operands)
    }

    /// A chain from where another begins.
    fn combine_chain(&self, op: Op, operands: &[u32]) -> Option<(Op, Operands)> {
        if !matches!(op, Op::AccessChain | Op::InBoundsAccessChain) {
            return None;
        }
        let base = *operands.first()?;
        let base_op = self.unit.op(base);
        let is_ptr = matches!(base_op, Op::PtrAccessChain | Op::InBoundsPtrAccessChain);
        if !matches!(base_op, Op::AccessChain | Op::InBoundsAccessChain) && !is_ptr
            || self.unit.node(base).decorations != 0
        {
            return None;
        }
        let mut chain = Operands::from_slice(self.unit.operands(base));
        chain.extend_from_slice(&operands[1..]);
        if chain.len() > 255 {
            return None;
        }
        let in_bounds = op == Op::InBoundsAccessChain
            && matches!(
                base_op,
                Op::InBoundsAccessChain | Op::InBoundsPtrAccessChain
            );
        let combined = match (is_ptr, in_bounds) {
            (true, true) => Op::InBoundsPtrAccessChain,
            (true, false) => Op::PtrAccessChain,
            (false, true) => Op::InBoundsAccessChain,
            (false, false) => Op::AccessChain,
        };
        Some((combined, chain))
    }

    /// Lets indices that have turned out to be negative be unsigned, which means the same: under logical
    /// addressing no index may be a constant that is negative, even if nothing ever comes there.
    fn avoid_negative_indices(&mut self, op: Op, operands: &mut [u32]) {
        if !self.unit.is_shader {
            return;
        }
        // An element may lie before another.
        let others =
            usize::from(op.is_untyped_access_chain()) + usize::from(op.is_ptr_access_chain());
        let first = 1 + others;
        for index in operands.iter_mut().skip(first) {
            if self.unit.op(*index) == Op::Constant && self.unit.is_fixed_constant(*index) {
                *index = self.unit.unsigned_if_negative(*index);
            }
        }
    }

    /// Lets a chain have one constant for each index, whether it is signed or not.
    fn use_same_indices(&mut self, op: Op, operands: &mut [u32]) {
        let first = 1 + usize::from(op.is_untyped_access_chain());
        for index in operands.iter_mut().skip(first) {
            if self.unit.op(*index) == Op::Constant && self.unit.is_fixed_constant(*index) {
                *index = self.unit.index_constant(*index);
            }
        }
    }
}

/// Decorations of arithmetic don't belong on what moves values or makes pointers.
fn takes_decorations(op: Op) -> bool {
    !op.is_access_chain()
}

/// Which operands of an operation are ids, if it has no optional ones.
pub(crate) fn ids_of(op: Op) -> u64 {
    if op.is_ext_inst() {
        return !0b10;
    }
    match op.info() {
        Some(info) if info.only_ids_follow() => u64::MAX,
        Some(info) => {
            let results = usize::from(info.has_result_type()) + usize::from(info.has_result());
            (1 << info.leading_ids().saturating_sub(results)) - 1
        }
        None => u64::MAX,
    }
}

impl Values for Rebuild<'_> {
    fn op(&self, value: Id) -> Op {
        let node = self.unit.node(value.0);
        // What decorations give another meaning is another operation.
        match self.unit.decorations.meaning(node.decorations) {
            0 => node.op,
            _ => Op::Nop,
        }
    }

    fn ty(&self, value: Id) -> Id {
        Id(self.unit.node(value.0).ty)
    }

    fn operands(&self, value: Id) -> &[u32] {
        self.unit.operands(value.0)
    }

    fn shape(&self, ty: Id) -> Option<(ScalarType, u32)> {
        self.unit.shape(ty.0)
    }

    fn bits(&self, value: Id) -> Option<u64> {
        self.unit.bits(value.0)
    }

    fn make(&mut self, op: Op, ty: Id, operands: &[u32]) -> Id {
        Id(self.value(None, op, ty.0, operands, ids_of(op)))
    }

    fn part(&self, ty: Id, index: u32) -> Option<Id> {
        let (count, part) = super::parts(self.unit, ty.0);
        match part {
            Some(part) => count
                .is_none_or(|count| u64::from(index) < count)
                .then_some(Id(part)),
            None if self.unit.op(ty.0) == Op::TypeStruct => self
                .unit
                .operands(ty.0)
                .get(index as usize)
                .map(|&ty| Id(ty)),
            None => None,
        }
    }

    fn count(&self, ty: Id) -> Option<u32> {
        super::parts(self.unit, ty.0).0?.try_into().ok()
    }

    fn is_glsl(&self, set: Id) -> bool {
        self.unit.is_glsl(set.0)
    }

    fn is_used_once(&self, value: Id) -> bool {
        let uses = self.uses.get(value.0);
        if uses > 1 {
            self.shared.borrow_mut().push(value.0);
        }
        uses == 1
    }

    fn constant(&mut self, ty: Id, bits: u64) -> Id {
        match self.unit.splat(ty.0, bits) {
            Some(value) => Id(value),
            None => Id(self.unit.undef(ty.0)),
        }
    }
}

impl Unit {
    /// The constant that stands for all integer constants of 32 bits with the same bits, as an
    /// index: it doesn't matter there whether it is signed.
    fn index_constant(&mut self, value: Value) -> Value {
        let ty = self.node(value).ty;
        if self.op(ty) != Op::TypeInt || self.operand(ty, 0) != 32 {
            return value;
        }
        let bits = self.operand(value, 0);
        if bits > i32::MAX as u32 {
            return value;
        }
        *self.index_constants.entry(bits).or_insert(value)
    }

    /// An unsigned constant with the bits of one that is negative.
    fn unsigned_if_negative(&mut self, value: Value) -> Value {
        let ty = self.node(value).ty;
        let width = self.operand(ty, 0);
        if self.op(ty) != Op::TypeInt || self.operand(ty, 1) == 0 {
            return value;
        }
        let sign = 1u64.checked_shl(width.wrapping_sub(1)).unwrap_or(0);
        let Some(bits) = self.bits(value).filter(|bits| bits & sign != 0) else {
            return value;
        };
        let unsigned = self.global_type(Op::TypeInt, &[width, 0], 0);
        self.splat(unsigned, bits).unwrap_or(value)
    }

    /// A constant to take the place of another as an index.
    pub(crate) fn index_like(&mut self, old: Value, index: u32) -> Value {
        if let Some(&known) = self.index_constants.get(&index) {
            return known;
        }
        let ty = self.node(old).ty;
        let made = self.splat(ty, index.into()).unwrap_or(old);
        self.index_constants.insert(index, made);
        made
    }

    /// Whether the module may make constants of a type.
    fn computes_with(&self, scalar: ScalarType) -> bool {
        match scalar {
            ScalarType::Integer { width: 8 } => self.small.int8,
            ScalarType::Integer { width: 16 } => self.small.int16,
            ScalarType::Float(format) if format.width() < 32 => self.small.float,
            _ => true,
        }
    }

    /// Whether a node belongs to a function.
    pub(crate) fn is_local(&self, value: Value) -> bool {
        self.node(value).has(flag::LOCAL)
    }
}
