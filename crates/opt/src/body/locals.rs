//! Which variables of a function can be values, and of which pieces.
//!
//! A variable whose address is only loaded from and stored to needs no memory. If parts of it are
//! stored by themselves, it is a value for each part, else one as a whole.

use spirvkit_grammar::{MemoryAccess, Op, StorageClass};

use crate::effects::{self, Effect};
use crate::unit::{Function, Numbers, Unit, Value};

/// A composite with more parts is not taken apart.
const MAX_PARTS: u64 = 64;

/// Variables that lead to more pieces than this stay in memory.
const MAX_PIECES: usize = 512;

/// No piece.
const NONE: u32 = u32::MAX;

/// A pointer into a variable.
#[derive(Clone, Copy)]
pub(crate) struct Pointer {
    /// The number of the variable.
    pub(crate) local: u32,
    start: u32,
    count: u32,
}

/// A variable of the function.
pub(crate) struct Local {
    /// Whether it is values.
    pub(crate) is_value: bool,
    /// Whether other functions or unknown pointers may get to it.
    pub(crate) escapes: bool,
    /// What it is as a whole.
    pub(crate) piece: u32,
    pieces: usize,
    /// Its instruction.
    pub(crate) variable: Value,
    /// Why it is not values, if it isn't.
    pub(crate) why: &'static str,
}

/// A variable or a part of one.
pub(crate) struct Piece {
    pub(crate) ty: u32,
    /// The first part, and how many there are; none if it is one value.
    pub(crate) parts: u32,
    pub(crate) count: u32,
    /// The number of the value that it is.
    pub(crate) leaf: u32,
}

/// The variables of a function.
#[derive(Default)]
pub(crate) struct Locals {
    pub(crate) locals: Vec<Local>,
    pub(crate) pieces: Vec<Piece>,
    /// One more than the places of pointers in `known`.
    pointers: Numbers,
    known: Vec<Pointer>,
    /// The indices of all pointers.
    path: Vec<Value>,
    /// How many values there are.
    pub(crate) leaves: u32,
    /// Stores, as pairs of a leaf and a block.
    pub(crate) stores: Vec<(u32, u32)>,
    /// Loads before any store in the same block, likewise.
    pub(crate) loads: Vec<(u32, u32)>,
    /// The types of the leaves.
    pub(crate) leaf_types: Vec<u32>,
    /// The variables that they are parts of.
    pub(crate) leaf_variables: Vec<Value>,
}

/// A load or store.
struct Access {
    pointer: Pointer,
    writes: bool,
    block: u32,
}

impl Locals {
    /// None, with an empty table to put pointers into.
    pub(crate) fn with_table(pointers: Numbers) -> Self {
        Self {
            pointers,
            ..Self::default()
        }
    }

    /// The table, for others to use.
    pub(crate) fn into_table(self) -> Numbers {
        self.pointers
    }

    /// Finds the variables of a function.
    pub(crate) fn find(
        &mut self,
        unit: &Unit,
        function: &Function,
        is_reachable: impl Fn(u32) -> bool,
    ) {
        let mut accesses = Vec::new();
        let mut phis = Vec::new();
        for (number, block) in (0..).zip(&function.blocks) {
            if !is_reachable(number) {
                continue;
            }
            for &inst in &block.insts {
                self.scan(unit, inst, number, &mut accesses);
                if unit.op(inst) == Op::Phi {
                    phis.push(inst);
                }
            }
        }
        // What comes from a block behind was not known before.
        for phi in phis {
            for (_, id) in unit.ids(phi) {
                if let Some(pointer) = self.pointer(unit.find(id)) {
                    self.escape(phi, pointer.local);
                }
            }
        }
        self.split(unit, &accesses);
        // The last block in which each leaf was stored to.
        let mut stored = vec![NONE; self.leaves as usize];
        for access in &accesses {
            if !self.locals[access.pointer.local as usize].is_value {
                continue;
            }
            let (piece, depth) = self.descend(unit, access.pointer);
            let is_whole = depth == self.path(access.pointer).len();
            self.note(piece, access, is_whole, &mut stored);
        }
    }

    /// The pointer that a value is, if it leads into a variable of the function.
    pub(crate) fn pointer(&self, value: Value) -> Option<Pointer> {
        let index = self.pointers.get(value).checked_sub(1)?;
        Some(self.known[index as usize])
    }

    fn set_pointer(&mut self, value: Value, pointer: Pointer) {
        self.known.push(pointer);
        self.pointers.set(value, self.known.len() as u32);
    }

    /// The pointer that a value is, if it leads into a variable that is values.
    pub(crate) fn value_pointer(&self, value: Value) -> Option<Pointer> {
        let pointer = self.pointer(value)?;
        self.locals[pointer.local as usize]
            .is_value
            .then_some(pointer)
    }

    fn scan(&mut self, unit: &Unit, inst: Value, block: u32, accesses: &mut Vec<Access>) {
        let op = unit.op(inst);
        if op == Op::Variable {
            if unit.operand(inst, 0) != StorageClass::Function.0 {
                return;
            }
            let pointee = unit.operand(unit.node(inst).ty, 1);
            let piece = self.add_piece(pointee);
            let local = self.locals.len() as u32;
            let fixed = unit.node(inst).has(crate::unit::flag::FIXED)
                || unit.node(inst).decorations != 0
                    && !only_relaxes(unit, unit.node(inst).decorations);
            // There is no value of type void, not even an undefined one.
            let has_value =
                unit.op(unit.node(inst).ty) == Op::TypePointer && unit.op(pointee) != Op::TypeVoid;
            self.locals.push(Local {
                is_value: !fixed && has_value,
                escapes: false,
                piece,
                pieces: 1,
                variable: inst,
                why: "made values, because of its decorations or its type",
            });
            let (start, count) = (0, 0);
            self.set_pointer(
                inst,
                Pointer {
                    local,
                    start,
                    count,
                },
            );
            return;
        }
        match op {
            Op::AccessChain | Op::InBoundsAccessChain | Op::CopyObject => {
                let operands = unit.operands(inst);
                let Some(base) = self.pointer(unit.find(unit.operand(inst, 0))) else {
                    return;
                };
                let start = self.path.len() as u32;
                let range = base.start as usize..(base.start + base.count) as usize;
                self.path.extend_from_within(range);
                self.path
                    .extend(operands.iter().skip(1).map(|&index| unit.find(index)));
                let count = self.path.len() as u32 - start;
                let local = base.local;
                // Hostile ones could grow without end.
                if count > 255 {
                    self.escape(inst, local);
                }
                self.set_pointer(
                    inst,
                    Pointer {
                        local,
                        start,
                        count,
                    },
                );
            }
            Op::Load => {
                if let Some(pointer) = self.pointer(unit.find(unit.operand(inst, 0))) {
                    self.access(unit, inst, 1, pointer, false, block, accesses);
                }
            }
            Op::Store => {
                if let Some(pointer) = self.pointer(unit.find(unit.operand(inst, 1))) {
                    self.escape(inst, pointer.local);
                }
                if let Some(pointer) = self.pointer(unit.find(unit.operand(inst, 0))) {
                    self.access(unit, inst, 2, pointer, true, block, accesses);
                }
            }
            Op::CopyMemory => {
                for (index, writes) in [(0, true), (1, false)] {
                    if let Some(pointer) = self.pointer(unit.find(unit.operand(inst, index))) {
                        self.access(unit, inst, 2, pointer, writes, block, accesses);
                    }
                }
            }
            _ => {
                if matches!(op, Op::Label | Op::Branch) || self.known.is_empty() {
                    return;
                }
                let is_harmless = !op.is_terminator()
                    && op != Op::Phi
                    && matches!(
                        effects::effect(unit, inst),
                        Effect::Remark | Effect::Lifetime
                    );
                if is_harmless {
                    return;
                }
                for (_, id) in unit.ids(inst) {
                    if let Some(pointer) = self.pointer(unit.find(id)) {
                        self.escape(inst, pointer.local);
                    }
                }
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one access")]
    fn access(
        &mut self,
        unit: &Unit,
        inst: Value,
        operands_at: usize,
        pointer: Pointer,
        writes: bool,
        block: u32,
        accesses: &mut Vec<Access>,
    ) {
        let mask = MemoryAccess(unit.operand(inst, operands_at));
        let is_plain_copy = unit.op(inst) != Op::CopyMemory
            || unit.operands(inst).len() == 2
                && (0..2).all(|index| {
                    let pointer = unit.find(unit.operand(inst, index));
                    unit.op(unit.node(pointer).ty) == Op::TypePointer
                });
        if mask.contains(MemoryAccess::Volatile) || !is_plain_copy {
            let local = &mut self.locals[pointer.local as usize];
            local.is_value = false;
            local.why = "made values, because it is accessed in a special way, such as volatile";
        }
        accesses.push(Access {
            pointer,
            writes,
            block,
        });
    }

    fn escape(&mut self, _inst: Value, local: u32) {
        let local = &mut self.locals[local as usize];
        local.is_value = false;
        local.escapes = true;
        local.why = "made values, because something else gets a pointer to it, such as a call";
    }

    fn add_piece(&mut self, ty: u32) -> u32 {
        self.pieces.push(Piece {
            ty,
            parts: NONE,
            count: 0,
            leaf: NONE,
        });
        self.pieces.len() as u32 - 1
    }

    /// The indices of a pointer.
    pub(crate) fn path(&self, pointer: Pointer) -> &[Value] {
        &self.path[pointer.start as usize..(pointer.start + pointer.count) as usize]
    }

    /// Takes variables apart of which parts are stored.
    fn split(&mut self, unit: &Unit, accesses: &[Access]) {
        let is_alike = self.find_alike(unit, accesses);
        for access in accesses {
            let local = access.pointer.local as usize;
            if !self.locals[local].is_value || is_alike[local] {
                continue;
            }
            if !self.take_apart(unit, access) {
                let local = &mut self.locals[local];
                local.is_value = false;
                local.why = "made values, because it has too many parts, or an index into it isn't constant";
            }
        }
        for index in 0..self.locals.len() {
            if self.locals[index].is_value {
                self.number_leaves(self.locals[index].piece);
                let variable = self.locals[index].variable;
                let leaves = self.leaves as usize;
                self.leaf_variables.resize(leaves, variable);
            }
        }
    }

    /// Which variables are never stored to and alike in all parts, undefined or zero, so that it
    /// doesn't matter which one is loaded.
    fn find_alike(&self, unit: &Unit, accesses: &[Access]) -> Vec<bool> {
        let mut is_alike: Vec<bool> = (self.locals.iter())
            .map(|local| match unit.operands(local.variable).get(1) {
                Some(&initial) => unit.op(unit.find(initial)) == Op::ConstantNull,
                None => true,
            })
            .collect();
        for access in accesses.iter().filter(|access| access.writes) {
            is_alike[access.pointer.local as usize] = false;
        }
        is_alike
    }

    /// Makes pieces of what an access goes through; whether its variable can be values.
    fn take_apart(&mut self, unit: &Unit, access: &Access) -> bool {
        let path = self.path(access.pointer).to_vec();
        let local = access.pointer.local as usize;
        let mut piece = self.locals[local].piece;
        let mut ty = self.pieces[piece as usize].ty;
        let mut is_piece = true;
        for &index in &path {
            let (count, part) = parts(unit, ty);
            let Some(count) = count else {
                return false;
            };
            let constant = unit.integer(index);
            if unit.op(ty) == Op::TypeVector {
                // What is within a vector is put in and taken out.
                return constant.is_none_or(|index| index < count);
            }
            let Some(index) = constant.filter(|&index| index < count) else {
                return false;
            };
            if access.writes && is_piece {
                if self.pieces[piece as usize].parts == NONE {
                    let pieces = &mut self.locals[local].pieces;
                    *pieces += count as usize;
                    if count > MAX_PARTS || *pieces > MAX_PIECES {
                        return false;
                    }
                    let first = self.pieces.len() as u32;
                    for index in 0..count {
                        let ty = part.unwrap_or_else(|| unit.operand(ty, index as usize));
                        self.add_piece(ty);
                    }
                    self.pieces[piece as usize].parts = first;
                    self.pieces[piece as usize].count = count as u32;
                }
                piece = self.pieces[piece as usize].parts + index as u32;
            } else {
                is_piece = false;
            }
            ty = part.unwrap_or_else(|| unit.operand(ty, index as usize));
        }
        true
    }

    fn number_leaves(&mut self, piece: u32) {
        let mut work = vec![piece];
        while let Some(piece) = work.pop() {
            let Piece { parts, count, .. } = self.pieces[piece as usize];
            if parts == NONE {
                self.pieces[piece as usize].leaf = self.leaves;
                self.leaf_types.push(self.pieces[piece as usize].ty);
                self.leaves += 1;
            } else {
                work.extend((parts..parts + count).rev());
            }
        }
    }

    /// The piece that a pointer leads to, and how many of its indices lead there.
    pub(crate) fn descend(&self, unit: &Unit, pointer: Pointer) -> (u32, usize) {
        let mut piece = self.locals[pointer.local as usize].piece;
        for (depth, &index) in self.path(pointer).iter().enumerate() {
            let Piece { parts, count, .. } = self.pieces[piece as usize];
            match unit.integer(index) {
                Some(index) if parts != NONE && index < u64::from(count) => {
                    piece = parts + index as u32;
                }
                _ => return (piece, depth),
            }
        }
        (piece, pointer.count as usize)
    }

    /// The leaves of a piece, with the indices that lead from it to each.
    pub(crate) fn leaves_of(&self, piece: u32) -> Vec<(u32, Vec<u32>)> {
        let mut found = Vec::new();
        let mut work = vec![(piece, Vec::new())];
        while let Some((piece, path)) = work.pop() {
            let Piece {
                parts, count, leaf, ..
            } = self.pieces[piece as usize];
            if parts == NONE {
                found.push((leaf, path));
                continue;
            }
            for index in (0..count).rev() {
                let mut path = path.clone();
                path.push(index);
                work.push((parts + index, path));
            }
        }
        found
    }

    /// Notes what an access to a piece, or to a part of one, does with its leaves.
    fn note(&mut self, piece: u32, access: &Access, is_whole: bool, stored: &mut [u32]) {
        let mut work = vec![piece];
        while let Some(piece) = work.pop() {
            let Piece {
                parts, count, leaf, ..
            } = self.pieces[piece as usize];
            if parts != NONE {
                work.extend(parts..parts + count);
                continue;
            }
            // To store a part of a value takes the rest of it.
            let loads = !access.writes || !is_whole;
            if loads && stored[leaf as usize] != access.block {
                self.loads.push((leaf, access.block));
            }
            if access.writes {
                self.stores.push((leaf, access.block));
                stored[leaf as usize] = access.block;
            }
        }
    }
}

/// How many parts a composite type has, and the type of all, if they have one.
pub(crate) fn parts(unit: &Unit, ty: u32) -> (Option<u64>, Option<u32>) {
    match unit.op(ty) {
        Op::TypeStruct => (Some(unit.operands(ty).len() as u64), None),
        Op::TypeVector | Op::TypeMatrix => (
            Some(u64::from(unit.operand(ty, 1))),
            Some(unit.operand(ty, 0)),
        ),
        Op::TypeArray => (
            unit.integer(unit.find(unit.operand(ty, 1))),
            Some(unit.operand(ty, 0)),
        ),
        _ => (None, None),
    }
}

/// Whether decorations of a variable say nothing of its memory.
fn only_relaxes(unit: &Unit, set: u32) -> bool {
    let mut entries = unit.decorations.get(set).iter();
    entries.all(|entry| {
        matches!(
            spirvkit_grammar::Decoration(entry.words.first().copied().unwrap_or(u32::MAX)),
            spirvkit_grammar::Decoration::RelaxedPrecision
                | spirvkit_grammar::Decoration::RestrictPointer
                | spirvkit_grammar::Decoration::AliasedPointer
                | spirvkit_grammar::Decoration::Restrict
                | spirvkit_grammar::Decoration::Alignment
                | spirvkit_grammar::Decoration::UserSemantic
        )
    })
}
