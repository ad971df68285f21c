//! What is said of an id elsewhere, and goes when the id goes: names, decorations,
//! execution modes.

use spirvkit_binary::Id;
use spirvkit_grammar::Op;

use crate::edit::EditError;
use crate::handles::Inst;
use crate::module::Module;
use crate::uses::Use;

/// How an instruction is about ids that others define, and goes with them: names,
/// decorations, execution modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum About {
    /// Its first operand is what it is about.
    One,
    /// It lets a group of decorations hold for ids that follow, each with so many
    /// words.
    Group(usize),
}

impl About {
    /// How instructions with this opcode are about others; `None` if they are not.
    pub fn of(op: Op) -> Option<Self> {
        match op {
            Op::GroupDecorate => Some(Self::Group(1)),
            Op::GroupMemberDecorate => Some(Self::Group(2)),
            _ => {
                let is_about = op.is_decoration()
                    || op.is_name()
                    || op.is_execution_mode()
                    || op == Op::TypeForwardPointer;
                is_about.then_some(Self::One)
            }
        }
    }

    /// Whether this word of such an instruction is what it is about.
    pub fn has_target_at(self, word: usize) -> bool {
        match self {
            Self::One => word == 1,
            Self::Group(_) => word > 1,
        }
    }
}

impl Module {
    /// Whether a use only says something of the id: a name, a decoration, an execution mode.
    pub fn is_about(&self, found: Use) -> bool {
        About::of(self.op(found.inst)).is_some_and(|about| about.has_target_at(found.word))
    }

    /// Takes an instruction out of the module, as [`remove`](Self::remove) does, with all that
    /// is only [about](Self::is_about) its result. Other uses of that stay as they are.
    ///
    /// # Errors
    ///
    /// As for [`remove`](Self::remove).
    pub fn erase(&mut self, inst: Inst) -> Result<(), EditError> {
        let uses = self.uses_of(inst).filter(|&found| self.is_about(found));
        let mut about: Vec<Use> = uses.collect();
        self.remove(inst)?;
        // From the last on, because what is behind a target of a group moves.
        about.sort_unstable_by_key(|found| std::cmp::Reverse((found.inst, found.word)));
        for found in about {
            let group = match About::of(self.op(found.inst)) {
                Some(About::Group(size)) => self.swap_out(found.inst, found.word, size),
                _ => 0,
            };
            // What is left of a group without targets is its own id.
            if group < 2 {
                self.remove(found.inst)?;
            }
        }
        Ok(())
    }

    /// Lets everything that uses an instruction's result use another id, and
    /// [erases](Self::erase) the instruction. Returns how many uses there were.
    ///
    /// # Errors
    ///
    /// As for [`remove`](Self::remove).
    pub fn replace_with(&mut self, inst: Inst, value: Id) -> Result<usize, EditError> {
        let old = self.result(inst);
        let old = old.filter(|&id| self.definition(id) == Some(inst));
        self.erase(inst)?;
        Ok(old.map_or(0, |old| self.replace_uses(old, value)))
    }

    /// Takes the targets of a group of decorations out that aren't wanted; the whole
    /// instruction, if none is left.
    pub fn retain_targets(&mut self, inst: Inst, is_wanted: impl Fn(&Self, Id) -> bool) {
        let op = self.op(inst);
        let (Some(About::Group(size)), Some((&group, targets))) =
            (About::of(op), self.get(inst).operand_words().split_first())
        else {
            return;
        };
        let wanted = |target: &&[u32]| is_wanted(self, Id(target[0]));
        let kept: Vec<u32> = targets
            .chunks(size)
            .filter(wanted)
            .flatten()
            .copied()
            .collect();
        if kept.len() == targets.len() {
            return;
        }
        let operands: Vec<u32> = std::iter::once(group).chain(kept).collect();
        // Neither can fail for an instruction that is there and gets shorter.
        let _ = match operands.len() {
            1 => self.remove(inst),
            _ => self.replace(inst, op, &operands),
        };
    }
}
