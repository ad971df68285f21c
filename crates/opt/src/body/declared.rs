//! Variables of the source whose memory has become values: what a `DebugDeclare` says of the
//! memory, `DebugValue`s say of each value from where it was stored, or from where ways meet.

use hashbrown::HashMap;
use spirvkit_grammar::Op;
use spirvkit_grammar::debug_info::Kind;

use super::Rebuild;
use super::locals::Pointer;
use crate::unit::{Function, Value, binding, flag};

/// So many variables of the source at most are in one of the function at once, and of so many
/// parts.
const MAX_DECLARED: usize = 8;
const MAX_PARTS: usize = 16;

/// A variable of the source that is in a variable of the function.
#[derive(Clone)]
struct Declared {
    /// The `DebugDeclare`.
    inst: Value,
    /// The values that it is, with the indices that lead to each; `None` if they can't be told.
    parts: Option<Vec<(u32, Vec<u32>)>>,
    /// What it is as a whole.
    piece: u32,
}

/// What to go back to.
enum Undo {
    Declared(u32),
    Stale(u32, bool),
}

/// What is declared where the function is looked at.
#[derive(Default)]
pub(super) struct Declarations {
    /// Whether anything is declared at all.
    has_any: bool,
    /// By variable of the function.
    active: HashMap<u32, Vec<Declared>>,
    /// The variable that each leaf is of.
    local_of: Vec<u32>,
    /// Leaves that aren't what they seem to be, because nothing needed to know.
    stale: Vec<bool>,
    undo: Vec<Undo>,
    /// Where ways meet on which leaves differ that nothing needs behind: pairs of a block and a
    /// leaf, sorted.
    unneeded: Vec<(u32, u32)>,
}

impl Declarations {
    pub(super) fn depth(&self) -> usize {
        self.undo.len()
    }

    /// Forgets what was declared since.
    pub(super) fn go_back(&mut self, depth: usize) {
        while self.undo.len() > depth {
            match self.undo.pop() {
                Some(Undo::Declared(local)) => {
                    if let Some(declared) = self.active.get_mut(&local) {
                        declared.pop();
                    }
                }
                Some(Undo::Stale(leaf, was)) => self.stale[leaf as usize] = was,
                None => {}
            }
        }
    }

    /// Puts what was noted in order.
    pub(super) fn sort(&mut self) {
        self.unneeded.sort_unstable();
    }

    fn set_stale(&mut self, leaf: u32, stale: bool) {
        let was = std::mem::replace(&mut self.stale[leaf as usize], stale);
        if was != stale {
            self.undo.push(Undo::Stale(leaf, was));
        }
    }
}

impl Rebuild<'_> {
    /// Takes note of which leaf is of which variable, if any of these is declared.
    pub(super) fn prepare_declarations(&mut self, function: &Function) {
        let mut insts = function.blocks.iter().flat_map(|block| &block.insts);
        let has_any = insts.any(|&inst| self.declared_pointer(inst).is_some());
        if !has_any {
            return;
        }
        let leaves = self.locals.leaves as usize;
        let mut local_of = vec![u32::MAX; leaves];
        for (number, local) in (0..).zip(&self.locals.locals) {
            if local.is_value {
                for (leaf, _) in self.locals.leaves_of(local.piece) {
                    local_of[leaf as usize] = number;
                }
            }
        }
        self.declarations = Declarations {
            has_any,
            local_of,
            stale: vec![false; leaves],
            ..Declarations::default()
        };
    }

    /// The pointer that a `DebugDeclare` is about, if what that leads to is values.
    pub(super) fn declared_pointer(&self, inst: Value) -> Option<Pointer> {
        if self.unit.debug_kind(inst) != Some(Kind::Declare) {
            return None;
        }
        let declared = self.unit.operand(inst, binding::VALUE);
        let pointer = self.locals.value_pointer(declared);
        pointer.or_else(|| self.locals.value_pointer(self.unit.find(declared)))
    }

    /// Takes note of where ways meet on which a leaf differs that nothing needs behind.
    pub(super) fn note_unneeded(&mut self, joins: Vec<(u32, u32)>) {
        if self.declarations.has_any {
            self.declarations.unneeded.extend(joins);
        }
    }

    /// Notes that a variable of the source is values from here on.
    pub(super) fn declare(&mut self, inst: Value, pointer: Pointer) {
        let local = pointer.local;
        let (piece, depth) = self.locals.descend(self.unit, pointer);
        let expression = self.unit.operand(inst, binding::EXPRESSION);
        let is_told =
            self.locals.path(pointer).len() == depth && self.unit.tells_of_values(expression);
        let leaves = self.locals.leaves_of(piece);
        let parts = (is_told && leaves.len() <= MAX_PARTS).then_some(leaves);
        let declared = Declared { inst, parts, piece };
        let active = self.declarations.active.entry(local).or_default();
        if active.len() < MAX_DECLARED {
            active.push(declared.clone());
            self.declarations.undo.push(Undo::Declared(local));
        }
        self.say_all(&declared);
    }

    /// Whether something may have been said of a variable before it is declared.
    fn may_be_said(&self) -> bool {
        self.flow.depth[self.here as usize] > 0
    }

    /// Says what all parts of a variable are.
    fn say_all(&mut self, declared: &Declared) {
        let Some(parts) = &declared.parts else {
            self.say(declared.inst, None, &[]);
            return;
        };
        let mut all = Vec::new();
        for (leaf, path) in parts {
            let top = self.unit.find(self.tops[*leaf as usize]);
            let is_known =
                !self.declarations.stale[*leaf as usize] && self.unit.op(top) != Op::Undef;
            all.push((is_known.then_some(top), path));
        }
        if all.iter().all(|(value, _)| value.is_none()) {
            if self.may_be_said() {
                self.say(declared.inst, None, &[]);
            }
            return;
        }
        for (value, path) in all {
            self.say(declared.inst, value, path);
        }
    }

    /// Says what a piece of a variable, or a part of a leaf, has become.
    pub(super) fn say_stored(&mut self, pointer: Pointer, value: Option<Value>) {
        if !self.declarations.has_any {
            return;
        }
        let (piece, _) = self.locals.descend(self.unit, pointer);
        let changed: Vec<u32> = self.locals.leaves_of(piece).iter().map(|it| it.0).collect();
        for &leaf in &changed {
            self.declarations.set_stale(leaf, false);
        }
        let active = self.declarations.active.get(&pointer.local);
        for declared in active.cloned().unwrap_or_default() {
            match (&declared.parts, value) {
                (Some(_), Some(value)) if declared.piece == piece => {
                    self.say(declared.inst, Some(value), &[]);
                }
                (Some(parts), _) => {
                    for (leaf, path) in parts.iter().filter(|it| changed.contains(&it.0)) {
                        let top = self.unit.find(self.tops[*leaf as usize]);
                        self.say(declared.inst, Some(top), path);
                    }
                }
                // That it is unknown has been said.
                (None, _) => {}
            }
        }
    }

    /// Says what a leaf is where ways meet.
    pub(super) fn say_joined(&mut self, leaf: u32) {
        if !self.declarations.has_any {
            return;
        }
        self.declarations.set_stale(leaf, false);
        let top = self.unit.find(self.tops[leaf as usize]);
        self.say_leaf(leaf, Some(top));
    }

    /// Says that leaves aren't known any more where ways meet, because nothing needs them.
    pub(super) fn say_unneeded(&mut self, block: u32) {
        let mut at = self
            .declarations
            .unneeded
            .partition_point(|it| it.0 < block);
        while let Some(&(join, leaf)) = self.declarations.unneeded.get(at)
            && join == block
        {
            at += 1;
            self.declarations.set_stale(leaf, true);
            self.say_leaf(leaf, None);
        }
    }

    fn say_leaf(&mut self, leaf: u32, value: Option<Value>) {
        let local = self.declarations.local_of[leaf as usize];
        let active = self.declarations.active.get(&local);
        for declared in active.cloned().unwrap_or_default() {
            let parts = declared.parts.iter().flatten();
            for (_, path) in parts.filter(|it| it.0 == leaf) {
                self.say(declared.inst, value, path);
            }
        }
    }

    /// Makes a `DebugValue` of a `DebugDeclare`: for a value or, if there is none, an unknown one.
    fn say(&mut self, declare: Value, value: Option<Value>, path: &[u32]) {
        let made = self.unit.copy(declare);
        // What it is about decides; where that makes no difference, it stays in the scope.
        let here = self.unit.inlined_at(self.position);
        let declared = self.unit.node(declare).position;
        if self.unit.inlined_at(declared) == here {
            self.unit.nodes[made as usize].position = self.position;
        }
        let is_known = match value {
            Some(value) => {
                self.unit.operands_mut(made)[1] = Kind::Value.number();
                self.unit.operands_mut(made)[binding::VALUE] = value;
                true
            }
            None => self.unit.forget_value(made),
        };
        if !is_known {
            return;
        }
        if !path.is_empty() {
            let mut operands = self.unit.operands(made).to_vec();
            let ty = self.unit.global_type(Op::TypeInt, &[32, 0], 0);
            let indices = path.iter();
            operands.extend(indices.map(|&it| self.unit.constant_node(Op::Constant, ty, &[it])));
            self.unit.set_operands(made, &operands);
        }
        debug_assert!(self.unit.node(made).has(flag::DEBUG));
        self.pin(made);
    }
}
