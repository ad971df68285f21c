//! What is asked of a module that is finished.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use spirvkit_binary::{Id, Instruction, LiteralString, Value};
use spirvkit_grammar::Op;

use super::{BuildError, BuildErrorKind, Builder};
use crate::handles::{Function, Inst};

/// The labels that an instruction names as blocks of its function.
fn labels<'a>(inst: &Instruction<'a>) -> impl Iterator<Item = Id> + 'a {
    let words = inst.words();
    let (first, end, step) = match inst.op() {
        Op::Branch | Op::SelectionMerge => (1, 2, 1),
        Op::BranchConditional => (2, 4, 1),
        Op::LoopMerge => (1, 3, 1),
        Op::Switch => (2, 3, 1),
        Op::Phi => (4, usize::MAX, 2),
        _ => (0, 0, 1),
    };
    let words = words.get(first..end.min(words.len())).unwrap_or_default();
    words.iter().step_by(step).map(|&word| Id(word))
}

impl Builder {
    /// Looks at the whole module.
    pub(super) fn check(&mut self) {
        let mut errors = Vec::new();
        let mut reported = HashSet::new();
        let mut has_memory_model = false;
        for inst in self.made() {
            let op = self.module.op(inst);
            has_memory_model |= op == Op::MemoryModel;
            let mut add = |kind| {
                let function = self.module.function_of(inst);
                let function = function.map(|function| self.function_id(function));
                errors.push(BuildError::new(op, function, kind));
            };
            self.check_ids(inst, &mut reported, &mut add);
            self.check_blocks(inst, &mut add);
            self.check_operands(inst, &mut add);
        }
        if !has_memory_model && self.since == 0 {
            let kind = BuildErrorKind::NoMemoryModel;
            errors.push(BuildError::new(Op::MemoryModel, None, kind));
        }
        self.check_ends(&mut errors);
        self.errors.append(&mut errors);
    }

    /// The instructions that are looked at: all, or those that were made.
    fn made(&self) -> Box<dyn Iterator<Item = Inst> + '_> {
        match self.since {
            0 => Box::new(self.module.instructions()),
            since => {
                let handles = since..self.module.inst_count();
                let insts = handles.map(|index| Inst(index as u32));
                Box::new(insts.filter(|&inst| self.module.is_attached(inst)))
            }
        }
    }

    /// Whether what an instruction uses is defined, and its result type a type. An id
    /// that isn't is reported once.
    fn check_ids(
        &self,
        inst: Inst,
        reported: &mut HashSet<u32>,
        add: &mut impl FnMut(BuildErrorKind),
    ) {
        let is_known = |id: Id| self.module.definition(id).is_some() || self.lost.contains(&id.0);
        self.module.each_use(inst, |_, id| {
            if !is_known(id) && reported.insert(id.0) {
                add(BuildErrorKind::Undefined(id));
            }
        });
        let Some(ty) = self.module.result_type(inst) else {
            return;
        };
        let definition = self.module.definition(ty);
        if definition.is_some_and(|inst| !self.module.op(inst).is_type()) {
            add(BuildErrorKind::NotAType(ty));
        }
    }

    /// Whether labels are those of blocks of the function, and merge instructions come before
    /// branches.
    fn check_blocks(&self, inst: Inst, add: &mut impl FnMut(BuildErrorKind)) {
        let read = self.module.get(inst);
        if read.op().is_merge() {
            let next = self.module.next(inst);
            if !next.is_some_and(|next| self.module.op(next).is_terminator()) {
                add(BuildErrorKind::MergeWithoutBranch);
            }
        }
        let is_here = |label: Id| {
            let block = self.module.block_by_id(label);
            let function = block.and_then(|block| self.module.function_of_block(block));
            function == self.module.function_of(inst)
        };
        let mut check = |label: Id| {
            if self.module.definition(label).is_some() && !is_here(label) {
                add(BuildErrorKind::NotABlock(label));
            }
        };
        labels(&read).for_each(&mut check);
        if read.op() == Op::Switch {
            // Its literals are as wide as its selector.
            let ids = self.module.operands(inst).map_while(Result::ok);
            for operand in ids.skip(2) {
                if let Value::Id(label) = operand.value {
                    check(label);
                }
            }
        }
    }

    /// Whether the operands can be read.
    fn check_operands(&self, inst: Inst, add: &mut impl FnMut(BuildErrorKind)) {
        let error = self.module.operands(inst).find_map(Result::err);
        // Those of something lost have been reported.
        if let Some(error) = error.filter(|_| !self.follows(inst)) {
            add(BuildErrorKind::Operands(error.kind()));
        }
    }

    /// Whether an instruction uses something that couldn't be made.
    fn follows(&self, inst: Inst) -> bool {
        let words = self.module.get(inst).operand_words();
        words.iter().any(|word| self.lost.contains(word))
    }

    /// Whether all blocks have an end, in functions with something to look at.
    fn check_ends(&self, errors: &mut Vec<BuildError>) {
        let made = self.made().filter_map(|inst| self.module.function_of(inst));
        for function in made.collect::<BTreeSet<Function>>() {
            self.check_ends_in(function, errors);
        }
    }

    fn check_ends_in(&self, function: Function, errors: &mut Vec<BuildError>) {
        for block in self.module.blocks(function) {
            let label = self.module.block_id(block).unwrap_or(Id(0));
            if self.module.terminator(block).is_some() || self.lost.contains(&label.0) {
                continue;
            }
            let function = Some(self.function_id(function));
            let kind = BuildErrorKind::Unterminated(label);
            errors.push(BuildError::new(Op::Label, function, kind));
        }
    }

    /// All names that the module gives to ids.
    pub(super) fn debug_names(&self) -> BTreeMap<u32, String> {
        let mut names = BTreeMap::new();
        for inst in self.module.globals() {
            let read = self.module.get(inst);
            if read.op() != Op::Name {
                continue;
            }
            if let [_, target, text @ ..] = read.words()
                && let Some(text) = LiteralString::at_start_of(text)
            {
                names.insert(*target, text.to_text_lossy());
            }
        }
        names
    }
}
