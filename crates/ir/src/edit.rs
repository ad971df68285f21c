//! Changing instructions.

use std::fmt;

use spirvkit_binary::{Definition, Id, InstructionTooLong, Section};
use spirvkit_grammar::Op;

use crate::handles::{Block, Inst, NONE};
use crate::module::{Module, Node, parent, read};

/// Where an instruction goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// Right before this one.
    Before(Inst),
    /// Right after this one.
    After(Inst),
    /// In a block, after its label, its phis, its variables, and the lines among them.
    /// Finding it takes time in proportion to these.
    Head(Block),
    /// At the end of a block: before its merge instruction and its terminator, if it
    /// has them.
    Tail(Block),
    /// At the end of a section before the functions.
    Section(Section),
}

/// Why a change wasn't made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditError {
    /// The instruction would have too many words.
    TooLong(InstructionTooLong),
    /// The opcode begins or ends a function or a block, for which there are methods
    /// of their own.
    Structural(Op),
    /// The given instruction, block or function is not, or no longer, in the module, or the
    /// place doesn't exist.
    NoSuchPlace,
    /// Two blocks can't be made one: the first doesn't just branch to the second, or
    /// something else names the second.
    NotMergeable,
    /// The operands of an instruction can't be decoded, so it is unknown which of its words
    /// are ids.
    Opaque(Op),
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong(error) => error.fmt(f),
            Self::Structural(op) => write!(
                f,
                "{op} begins or ends a function or a block, so it can't be changed on its own"
            ),
            Self::NoSuchPlace => write!(f, "there is no such place in the module"),
            Self::NotMergeable => write!(
                f,
                "the first block must branch only to the second, and nothing else may refer to the second"
            ),
            Self::Opaque(op) => write!(
                f,
                "the operands of {op} can't be decoded, so it is unknown which of them are ids"
            ),
        }
    }
}

impl std::error::Error for EditError {}

impl From<InstructionTooLong> for EditError {
    fn from(error: InstructionTooLong) -> Self {
        Self::TooLong(error)
    }
}

/// What begins or ends a function or a block.
fn is_structural(op: Op) -> bool {
    matches!(op, Op::Function | Op::FunctionEnd | Op::Label)
}

pub(crate) fn check_length(operands: &[u32]) -> Result<(), EditError> {
    let words = operands.len() + 1;
    match words > usize::from(u16::MAX) {
        true => Err(EditError::TooLong(InstructionTooLong { words })),
        false => Ok(()),
    }
}

/// Between which instructions something new goes.
#[derive(Clone, Copy)]
pub(crate) struct Gap {
    pub(crate) previous: u32,
    pub(crate) next: u32,
    pub(crate) parent: u32,
    /// From which instruction a new one there takes line and scope.
    place_of: u32,
    section: Option<Section>,
}

impl Gap {
    /// Between these, outside functions.
    pub(crate) fn nowhere(previous: u32, next: u32) -> Self {
        Self {
            previous,
            next,
            parent: parent::MODULE,
            place_of: NONE,
            section: None,
        }
    }
}

impl Module {
    /// Inserts an instruction. Its operands are words of the binary form, including the
    /// result type and the result. It gets the line and the scope of its neighbour.
    ///
    /// # Errors
    ///
    /// If the instruction is too long, begins or ends a function or a block, or the
    /// place doesn't exist.
    pub fn insert(&mut self, place: Place, op: Op, operands: &[u32]) -> Result<Inst, EditError> {
        check_length(operands)?;
        if is_structural(op) {
            return Err(EditError::Structural(op));
        }
        let gap = self.gap_at(place).ok_or(EditError::NoSuchPlace)?;
        Ok(self.insert_in(gap, op, operands))
    }

    /// Inserts an instruction of any kind that fits.
    pub(crate) fn insert_in(&mut self, gap: Gap, op: Op, operands: &[u32]) -> Inst {
        let start = self.push_words(op, operands);
        let inst = self.push_node(start, parent::DETACHED);
        self.link(inst, gap);
        self.copy_place(Inst(gap.place_of), inst);
        self.changing([result_of(op, operands), None], |m| m.enlist(inst));
        inst
    }

    /// Replaces the words of an instruction, and updates its uses and its result. Its handle
    /// and place stay the same.
    ///
    /// # Errors
    ///
    /// If it would be too long, is no longer in the module, or it or the new opcode
    /// begins or ends a function or a block.
    pub fn replace(&mut self, inst: Inst, op: Op, operands: &[u32]) -> Result<(), EditError> {
        check_length(operands)?;
        if !self.is_attached(inst) {
            return Err(EditError::NoSuchPlace);
        }
        let structural = [self.op(inst), op]
            .into_iter()
            .find(|&op| is_structural(op));
        // The operands of one may change, but not what it is.
        if let Some(structural) = structural.filter(|_| self.op(inst) != op) {
            return Err(EditError::Structural(structural));
        }
        let (start, length) = self.span(inst);
        let first = [first_word(op, operands)];
        let results = [self.result(inst), result_of(op, operands)];
        self.changing(results, |m| {
            m.delist(inst);
            match m.words.get_mut(start..).filter(|_| operands.len() < length) {
                Some(words) => {
                    let all = first.iter().chain(operands);
                    words.iter_mut().zip(all).for_each(|(to, from)| *to = *from);
                }
                None => {
                    let start = m.push_words(op, operands);
                    if let Some(node) = m.nodes.get_mut(inst.index()) {
                        node.start = start;
                    }
                }
            }
            m.enlist(inst);
        });
        Ok(())
    }

    /// Where an instruction's words are, and how many.
    fn span(&self, inst: Inst) -> (usize, usize) {
        let inst = self.get(inst);
        (inst.offset().0, inst.words().len())
    }

    /// Changes one word of an instruction, an id or a literal; the first word after the one
    /// with the opcode is 1.
    ///
    /// # Errors
    ///
    /// If there is no such word.
    pub fn set_word(&mut self, inst: Inst, word: usize, value: u32) -> Result<(), EditError> {
        let (start, length) = self.span(inst);
        if !self.is_attached(inst) || word == 0 || word >= length {
            return Err(EditError::NoSuchPlace);
        }
        if self.is_plain_use(inst, word) {
            if let Some(uses) = self.uses.get_mut() {
                uses.change(
                    (start + word) as u32,
                    Id(self.words[start + word]),
                    Id(value),
                );
            }
            self.words[start + word] = value;
            self.note_changed(inst);
            return Ok(());
        }
        let read = self.get(inst);
        let at_result = read
            .result()
            .is_some_and(|_| word == 1 + usize::from(read.result_type().is_some()));
        let new = at_result.then_some(Id(value));
        self.changing([read.result(), new], |m| {
            m.delist(inst);
            m.words[start + word] = value;
            m.enlist(inst);
        });
        Ok(())
    }

    /// Takes words out of an instruction on whose words nothing but uses depends; the last ones
    /// take their place. Returns how many are left behind the first.
    pub(crate) fn swap_out(&mut self, inst: Inst, word: usize, count: usize) -> usize {
        let (start, length) = self.span(inst);
        // A broken group may end within a target.
        let count = count.min(length.saturating_sub(word));
        let (hole, last) = (start + word, start + length - count);
        for (hole, last) in (hole..hole + count).zip(last..) {
            let (gone, kept) = (self.words[hole], self.words[last]);
            self.words[hole] = kept;
            if let Some(uses) = self.uses.get_mut() {
                uses.change(hole as u32, Id(gone), Id(kept));
                uses.unlink(last as u32, Id(kept));
            }
        }
        self.words[start] -= (count as u32) << 16;
        length - count - 1
    }

    /// Whether a word is an id, and nothing depends on which.
    fn is_plain_use(&self, inst: Inst, word: usize) -> bool {
        let read = self.get(inst);
        let decides = match read.op() {
            Op::Switch => word == 1,
            // The set, behind result type and result.
            op if op.is_ext_inst() => word <= 3,
            _ => read.result_type().is_some() && word <= 2,
        };
        let ids = read.leading_ids().len();
        let is_result = read.result().is_some() && read.result_type().is_none() && word == 1;
        !decides && !is_result && word <= ids
    }

    /// Takes an instruction out of the module. Its result's uses stay as they are.
    /// Instructions that had their line or scope from it have none from then on.
    ///
    /// # Errors
    ///
    /// If it isn't there, or begins or ends a function or a block.
    pub fn remove(&mut self, inst: Inst) -> Result<(), EditError> {
        if !self.is_attached(inst) {
            return Err(EditError::NoSuchPlace);
        }
        let op = self.op(inst);
        if is_structural(op) {
            return Err(EditError::Structural(op));
        }
        self.take_out(inst, parent::REMOVED);
        Ok(())
    }

    pub(crate) fn take_out(&mut self, inst: Inst, to: u32) {
        self.changing([self.result(inst), None], |m| m.delist(inst));
        self.unlink(inst);
        if let Some(node) = self.nodes.get_mut(inst.index()) {
            node.parent = to;
        }
    }

    /// Moves an instruction elsewhere. It keeps its line and its scope.
    ///
    /// # Errors
    ///
    /// If it or the place isn't there, or it begins or ends a function or a block.
    pub fn move_to(&mut self, inst: Inst, place: Place) -> Result<(), EditError> {
        let op = self.op(inst);
        if !self.is_attached(inst) {
            return Err(EditError::NoSuchPlace);
        }
        if is_structural(op) {
            return Err(EditError::Structural(op));
        }
        if matches!(place, Place::Before(at) | Place::After(at) if at == inst) {
            return Ok(());
        }
        if self.gap_at(place).is_none() {
            return Err(EditError::NoSuchPlace);
        }
        // The neighbours are others once it is out.
        self.unlink(inst);
        let gap = self.gap_at(place).ok_or(EditError::NoSuchPlace)?;
        self.link(inst, gap);
        Ok(())
    }

    /// Replaces all uses of one id by another; returns the number of uses.
    pub fn replace_uses(&mut self, old: Id, new: Id) -> usize {
        self.replace_uses_where(old, new, |_, _| true)
    }

    /// The same for the uses that `wanted` selects.
    pub fn replace_uses_where(
        &mut self,
        old: Id,
        new: Id,
        wanted: impl Fn(&Self, crate::Use) -> bool,
    ) -> usize {
        if old == new {
            return 0;
        }
        let all: Vec<_> = self.uses(old).collect();
        let mut count = 0;
        for found in all {
            if wanted(self, found) && self.set_word(found.inst, found.word, new.0).is_ok() {
                count += 1;
            }
        }
        count
    }

    /// The place between instructions that a [`Place`] names.
    pub(crate) fn gap_at(&self, place: Place) -> Option<Gap> {
        match place {
            Place::Before(at) => self.gap_before(at),
            Place::After(at) => self.gap_after(at),
            Place::Head(block) => self.gap_at_head(block),
            Place::Tail(block) => match self.merge(block).or(self.terminator(block)) {
                Some(end) => self.gap_before(end),
                None => self.gap_after(self.last_of(block)?),
            },
            Place::Section(section) => {
                let mut gap = match self.last_of_section(section) {
                    Some(last) => self.gap_after(last)?,
                    None => Gap::nowhere(NONE, self.first),
                };
                // What is new among the types and decorations is of no line.
                gap.place_of = NONE;
                gap.section = Some(section);
                Some(gap)
            }
        }
    }

    fn gap_before(&self, at: Inst) -> Option<Gap> {
        let node = *self
            .nodes
            .get(at.index())
            .filter(|_| self.is_attached(at))?;
        let (function, block) = (self.function_of(at), self.block_of(at));
        let begins = |first: Option<Inst>| first == Some(at);
        let parent = match (function, block) {
            (Some(it), _) if begins(self.function_definition(it)) => parent::MODULE,
            (Some(it), Some(block)) if begins(self.label(block)) => parent::FUNCTION | it.0,
            _ => node.parent,
        };
        Some(Gap {
            previous: node.previous,
            next: at.0,
            parent,
            place_of: at.0,
            section: None,
        })
    }

    fn gap_after(&self, at: Inst) -> Option<Gap> {
        let node = *self
            .nodes
            .get(at.index())
            .filter(|_| self.is_attached(at))?;
        Some(Gap {
            previous: at.0,
            next: node.next,
            parent: match self.op(at) {
                Op::FunctionEnd if node.parent >= parent::FUNCTION => parent::MODULE,
                _ => node.parent,
            },
            place_of: at.0,
            section: None,
        })
    }

    fn gap_at_head(&self, block: Block) -> Option<Gap> {
        let mut at = self.label(block).filter(|&label| self.is_attached(label))?;
        let mut behind = at;
        while let Some(next) = self.next(at).filter(|_| Some(at) != self.last_of(block)) {
            at = next;
            match self.op(at) {
                Op::Phi | Op::Variable | Op::UntypedVariableKHR => behind = at,
                Op::Line | Op::NoLine => {}
                _ => break,
            }
        }
        let mut gap = self.gap_after(behind)?;
        gap.place_of = at.0;
        Some(gap)
    }

    pub(crate) fn push_words(&mut self, op: Op, operands: &[u32]) -> u32 {
        let start = self.words.len() as u32;
        self.words.push(first_word(op, operands));
        self.words.extend_from_slice(operands);
        start
    }

    pub(crate) fn push_node(&mut self, start: u32, parent: u32) -> Inst {
        let index = self.nodes.len() as u32;
        self.nodes.push(Node {
            start,
            previous: NONE,
            next: NONE,
            parent,
            line: NONE,
            scope: NONE,
        });
        Inst(index)
    }

    /// Puts an instruction into the list.
    pub(crate) fn link(&mut self, inst: Inst, gap: Gap) {
        if let Some(node) = self.nodes.get_mut(inst.index()) {
            node.previous = gap.previous;
            node.next = gap.next;
            node.parent = gap.parent;
        }
        match self.nodes.get_mut(gap.previous as usize) {
            Some(node) => node.next = inst.0,
            None => self.first = inst.0,
        }
        match self.nodes.get_mut(gap.next as usize) {
            Some(node) => node.previous = inst.0,
            None => self.last = inst.0,
        }
        self.note_end(inst, gap);
    }

    /// Takes note if an instruction is now the last of its block, function or section.
    fn note_end(&mut self, inst: Inst, gap: Gap) {
        if let Some(block) = self.blocks.get_mut(gap.parent as usize)
            && block.last == gap.previous
        {
            block.last = inst.0;
        }
        if gap.parent == parent::MODULE {
            let section = gap.section.or_else(|| {
                let end = |&(_, &last): &(usize, &u32)| last != NONE && last == gap.previous;
                let found = self.sections.iter().enumerate().find(end);
                found.and_then(|(index, _)| Section::ALL.get(index).copied())
            });
            if let Some(section) = section {
                self.sections[section as usize] = inst.0;
            }
            return;
        }
        if let Some(function) = self.function_of(inst)
            && let Some(node) = self.functions.get_mut(function.index())
            && node.last == gap.previous
        {
            node.last = inst.0;
        }
    }

    /// Takes an instruction out of the list, and leaves its words and handle.
    pub(crate) fn unlink(&mut self, inst: Inst) {
        let Some(&node) = self.nodes.get(inst.index()) else {
            return;
        };
        let function = self.function_of(inst);
        match self.nodes.get_mut(node.previous as usize) {
            Some(previous) => previous.next = node.next,
            None => self.first = node.next,
        }
        match self.nodes.get_mut(node.next as usize) {
            Some(next) => next.previous = node.previous,
            None => self.last = node.previous,
        }
        if let Some(block) = self.blocks.get_mut(node.parent as usize)
            && block.last == inst.0
        {
            block.last = node.previous;
        }
        if let Some(function) = function
            && let Some(function) = self.functions.get_mut(function.index())
            && function.last == inst.0
        {
            function.last = node.previous;
        }
        if node.parent == parent::MODULE {
            self.shorten_section(inst, node.previous);
        }
    }

    /// A section's last instruction goes: the one before it is the last, if it is of
    /// the section.
    fn shorten_section(&mut self, inst: Inst, previous: u32) {
        let Some(index) = self.sections.iter().position(|&last| last == inst.0) else {
            return;
        };
        let mut at = previous;
        // Lines may stand between.
        let last = loop {
            let Some(node) = self.nodes.get(at as usize) else {
                break NONE;
            };
            let handle = Inst(at);
            let op = self.op(handle);
            if op.is_line() {
                at = node.previous;
                continue;
            }
            let section = op.info().and_then(|info| Section::of(op, info));
            let is_of_it = section.is_none_or(|section| section as usize == index);
            break if is_of_it && !self.sections.contains(&at) {
                at
            } else {
                NONE
            };
        };
        self.sections[index] = last;
    }

    /// Makes a change after which these ids may stand for something else. If others'
    /// operands have to be decoded in another way then, the uses are forgotten, and
    /// found anew when somebody asks.
    fn changing(&mut self, ids: [Option<Id>; 2], change: impl FnOnce(&mut Self)) {
        let before = ids.map(|id| Some((id?, self.definitions.get(id?))));
        change(self);
        let decides = |(id, before): (Id, Definition)| {
            let after = self.definitions.get(id);
            let is = |sort: fn(&Definition) -> bool| sort(&before) || sort(&after);
            before != after
                && self.is_used(id)
                && (is(|it| matches!(it, Definition::Number(_) | Definition::Import(_)))
                    || self
                        .uses(id)
                        .any(|it| it.word == 1 && self.op(it.inst) == Op::Switch))
        };
        if self.uses.get().is_some() && before.into_iter().flatten().any(decides) {
            self.uses.take();
        }
    }

    /// Enters an instruction's result and uses.
    pub(crate) fn enlist(&mut self, inst: Inst) {
        let words = self.words.len();
        if words > 2 * self.words_at_last_raise.max(512) {
            self.words_at_last_raise = words;
            self.definers.raise_limit(words);
            self.definitions.raise_word_limit(words);
            if let Some(uses) = self.uses.get_mut() {
                uses.raise_limit(words);
            }
        }
        if let Some(id) = self.result(inst) {
            match self.definers.get(id) {
                NONE => self.define(id, inst),
                _ => drop(self.redefiners.insert((id, inst.0))),
            }
            if id.0 >= self.header.bound {
                self.header.bound = id.0.saturating_add(1);
            }
        }
        if let Some(uses) = self.uses.get_mut() {
            let read = read(&self.words, &self.nodes, inst);
            uses.add(&self.definitions, &read, inst);
        }
        if self.interned.is_some() && self.parent(inst) == parent::MODULE {
            self.note_interned(inst);
        }
    }

    /// Forgets an instruction's result and uses.
    pub(crate) fn delist(&mut self, inst: Inst) {
        if let Some(uses) = self.uses.get_mut() {
            uses.remove(&read(&self.words, &self.nodes, inst));
        }
        let Some(id) = self.result(inst) else {
            return;
        };
        if self.definers.get(id) != inst.0 {
            self.redefiners.remove(&(id, inst.0));
            return;
        }
        let next = self.redefiners.range((id, 0)..=(id, NONE)).next().copied();
        match next {
            Some(other) => {
                self.redefiners.remove(&other);
                self.define(id, Inst(other.1));
            }
            None => {
                *self.definers.slot(id) = NONE;
                self.definitions.forget(id);
            }
        }
    }

    /// Lets an instruction be the one that defines an id.
    fn define(&mut self, id: Id, inst: Inst) {
        *self.definers.slot(id) = inst.0;
        self.definitions.forget(id);
        self.definitions
            .define(&read(&self.words, &self.nodes, inst));
    }
}

/// The result id among operands.
fn result_of(op: Op, operands: &[u32]) -> Option<Id> {
    let info = op.info().filter(|info| info.has_result())?;
    let index = usize::from(info.has_result_type());
    operands.get(index).map(|&id| Id(id))
}

fn first_word(op: Op, operands: &[u32]) -> u32 {
    (operands.len() as u32 + 1) << 16 | u32::from(op.0)
}
