//! Changing blocks and functions.

use spirvkit_binary::Id;
use spirvkit_grammar::{FunctionControl, Op};

use crate::edit::{EditError, Gap, Place};
use crate::handles::{Block, Function, Inst, NONE};
use crate::module::{BlockNode, Module, parent};

impl Module {
    /// Adds a block with nothing but its label, after another block or, without one,
    /// at the end of the function. `label` is the block's id, such as a
    /// [`fresh_id`](Self::fresh_id).
    ///
    /// # Errors
    ///
    /// If there is no such function, or `after` is not one of its blocks.
    pub fn add_block(
        &mut self,
        function: Function,
        after: Option<Block>,
        label: Id,
    ) -> Result<Block, EditError> {
        let behind = after.or(self.last_block(function));
        let gap = match behind {
            Some(block) if self.function_of_block(block) != Some(function) => None,
            Some(block) => self
                .last_of(block)
                .and_then(|last| self.gap_at(Place::After(last))),
            None => self.gap_in_empty(function),
        };
        let mut gap = gap.ok_or(EditError::NoSuchPlace)?;
        gap.parent = parent::FUNCTION | function.0;
        let inst = self.insert_in(gap, Op::Label, &[label.0]);
        self.set_line(inst, None);
        self.set_scope(inst, None);
        let block = self.link_block(function, behind, inst);
        if let Some(node) = self.nodes.get_mut(inst.index()) {
            node.parent = block.0;
        }
        Ok(block)
    }

    /// Where the first block of a function goes.
    fn gap_in_empty(&self, function: Function) -> Option<Gap> {
        let end = self.function_instructions(function).last()?;
        match self.op(end) {
            Op::FunctionEnd => self.gap_at(Place::Before(end)),
            _ => self.gap_at(Place::After(end)),
        }
    }

    fn link_block(&mut self, function: Function, behind: Option<Block>, label: Inst) -> Block {
        let index = self.blocks.len() as u32;
        let next = match behind {
            Some(block) => self
                .blocks
                .get_mut(block.index())
                .map_or(NONE, |node| std::mem::replace(&mut node.next, index)),
            None => NONE,
        };
        self.blocks.push(BlockNode {
            label: label.0,
            last: label.0,
            previous: behind.map_or(NONE, |block| block.0),
            next,
            function: function.0,
        });
        match self.blocks.get_mut(next as usize) {
            Some(next) => next.previous = index,
            None => {
                if let Some(node) = self.functions.get_mut(function.index()) {
                    node.last_block = index;
                }
            }
        }
        if behind.is_none()
            && let Some(node) = self.functions.get_mut(function.index())
        {
            node.first_block = index;
        }
        Block(index)
    }

    /// Ends a block before an instruction and begins a new block with this label there; phis
    /// that name the block as a predecessor then name the new one. The old block is left
    /// without a terminator: usually an `OpBranch` to the new one is inserted next.
    ///
    /// This takes time in proportion to the instructions that go to the new block.
    ///
    /// # Errors
    ///
    /// If the instruction is not in a block, or is its label.
    pub fn split_block(&mut self, at: Inst, label: Id) -> Result<Block, EditError> {
        let block = self.block_of(at).ok_or(EditError::NoSuchPlace)?;
        let old_label = self.label(block).filter(|&label| label != at);
        let old_label = old_label.ok_or(EditError::NoSuchPlace)?;
        let function = self
            .function_of_block(block)
            .ok_or(EditError::NoSuchPlace)?;
        let last = self.last_of(block).ok_or(EditError::NoSuchPlace)?;
        let gap = self
            .gap_at(Place::Before(at))
            .ok_or(EditError::NoSuchPlace)?;
        let inst = self.insert_in(gap, Op::Label, &[label.0]);
        let new = self.link_block(function, Some(block), inst);
        let before = self.previous(inst).unwrap_or(old_label);
        if let Some(node) = self.blocks.get_mut(block.index()) {
            node.last = before.0;
        }
        self.adopt(new, inst, last);
        if let Some(old) = self.result(old_label) {
            self.replace_uses_where(old, label, |m, found| {
                m.op(found.inst) == Op::Phi && found.word % 2 == 0 && found.word > 2
            });
        }
        Ok(new)
    }

    /// Makes all instructions from one to another those of a block.
    fn adopt(&mut self, block: Block, first: Inst, last: Inst) {
        let mut next = first.0;
        while let Some(node) = self.nodes.get_mut(next as usize) {
            node.parent = block.0;
            if next == last.0 {
                break;
            }
            next = node.next;
        }
        if let Some(node) = self.blocks.get_mut(block.index()) {
            node.last = last.0;
        }
    }

    /// Appends a block to its only predecessor, which does nothing but branch to it. The phis
    /// of the second are replaced by their values, and phis that name it as a predecessor
    /// name the first.
    ///
    /// This takes time in proportion to the instructions of the second block.
    ///
    /// # Errors
    ///
    /// [`EditError::NotMergeable`], if the first block has a merge instruction or does
    /// anything but branch to the second, or any other branch, merge or switch names
    /// the second.
    pub fn merge_blocks(&mut self, first: Block, second: Block) -> Result<(), EditError> {
        let (Some(branch), Some(label)) = (self.terminator(first), self.label(second)) else {
            return Err(EditError::NotMergeable);
        };
        let (Some(old), Some(new)) = (self.result(label), self.block_id(first)) else {
            return Err(EditError::NotMergeable);
        };
        let goes_on = self.op(branch) == Op::Branch && self.get(branch).operand_words() == [old.0];
        let is_free = self.uses(old).all(|found| {
            found.inst == branch
                || self.op(found.inst) == Op::Phi
                || self.op(found.inst) == Op::Name
        });
        if !goes_on || !is_free || self.merge(first).is_some() || first == second {
            return Err(EditError::NotMergeable);
        }
        let one_value = |inst: &Inst| self.get(*inst).words().len() == 5;
        let phis: Vec<_> = self
            .block_instructions(second)
            .filter(|&inst| self.op(inst) == Op::Phi)
            .collect();
        if !phis.iter().all(one_value) {
            return Err(EditError::NotMergeable);
        }
        for phi in phis {
            let words = self.get(phi).words();
            if let &[_, _, result, value, _] = words {
                self.take_out(phi, parent::REMOVED);
                self.replace_uses(Id(result), Id(value));
            }
        }
        self.take_out(branch, parent::REMOVED);
        let names: Vec<_> = self
            .uses(old)
            .filter(|found| self.op(found.inst) == Op::Name)
            .collect();
        for name in names {
            self.take_out(name.inst, parent::REMOVED);
        }
        self.replace_uses(old, new);
        let body: Vec<_> = self.block_instructions(second).skip(1).collect();
        self.unlink_block(second);
        self.take_out(label, parent::REMOVED);
        for inst in body {
            self.unlink(inst);
            if let Some(gap) = self
                .last_of(first)
                .and_then(|last| self.gap_at(Place::After(last)))
            {
                self.link(inst, gap);
            }
        }
        Ok(())
    }

    /// Removes a block with all its instructions from its function. Uses of it and of its
    /// results stay as they are.
    ///
    /// # Errors
    ///
    /// If it isn't there.
    pub fn remove_block(&mut self, block: Block) -> Result<(), EditError> {
        if self.function_of_block(block).is_none() {
            return Err(EditError::NoSuchPlace);
        }
        let insts: Vec<_> = self.block_instructions(block).collect();
        for inst in insts {
            self.take_out(inst, parent::DETACHED);
        }
        self.unlink_block(block);
        Ok(())
    }

    fn unlink_block(&mut self, block: Block) {
        let Some(node) = self.blocks.get_mut(block.index()) else {
            return;
        };
        let function = std::mem::replace(&mut node.function, NONE);
        let BlockNode { previous, next, .. } = *node;
        let function = self.functions.get_mut(function as usize);
        match self.blocks.get_mut(previous as usize) {
            Some(node) => node.next = next,
            None => {
                if let Some(function) = function {
                    function.first_block = next;
                    if next == NONE {
                        function.last_block = NONE;
                    }
                }
                if let Some(node) = self.blocks.get_mut(next as usize) {
                    node.previous = NONE;
                }
                return;
            }
        }
        match self.blocks.get_mut(next as usize) {
            Some(node) => node.previous = previous,
            None => {
                if let Some(function) = function {
                    function.last_block = previous;
                }
            }
        }
    }

    /// Moves a block after another of the same function.
    ///
    /// # Errors
    ///
    /// If they are not two blocks of one function.
    pub fn move_block(&mut self, block: Block, behind: Block) -> Result<(), EditError> {
        let function = self.function_of_block(block);
        if block == behind || function.is_none() || function != self.function_of_block(behind) {
            return Err(EditError::NoSuchPlace);
        }
        if self.next_block(behind) == Some(block) {
            return Ok(());
        }
        let insts: Vec<_> = self.block_instructions(block).collect();
        let last = self.last_of(behind);
        for &inst in &insts {
            self.unlink(inst);
        }
        self.unlink_block(block);
        let Some(mut gap) = last.and_then(|last| self.gap_at(Place::After(last))) else {
            return Err(EditError::NoSuchPlace);
        };
        gap.parent = parent::FUNCTION | function.map_or(0, |function| function.0);
        for &inst in &insts {
            self.link(inst, gap);
            gap.previous = inst.0;
        }
        self.relink_block(block, behind, function);
        if let (Some(&first), Some(&last)) = (insts.first(), insts.last()) {
            self.adopt(block, first, last);
        }
        Ok(())
    }

    fn relink_block(&mut self, block: Block, behind: Block, function: Option<Function>) {
        let next = self
            .blocks
            .get_mut(behind.index())
            .map_or(NONE, |node| std::mem::replace(&mut node.next, block.0));
        if let Some(node) = self.blocks.get_mut(block.index()) {
            node.previous = behind.0;
            node.next = next;
            node.function = function.map_or(NONE, |function| function.0);
        }
        match self.blocks.get_mut(next as usize) {
            Some(node) => node.previous = block.0,
            None => {
                let node = function.and_then(|function| self.functions.get_mut(function.index()));
                if let Some(node) = node {
                    node.last_block = block.0;
                }
            }
        }
    }

    /// Adds a function without parameters and blocks at the end of the module. Parameters are
    /// inserted after its [definition](Self::function_definition). (Declarations come before
    /// definitions in a valid module, see [`add_declaration`](Self::add_declaration).)
    pub fn add_function(
        &mut self,
        result_type: Id,
        id: Id,
        control: FunctionControl,
        function_type: Id,
    ) -> Function {
        let gap = self.end_of_module();
        self.add_function_in(gap, NONE, [result_type.0, id.0, control.0, function_type.0])
    }

    /// Adds a function without parameters and blocks before the first function that has
    /// blocks: the place for imported ones. Finding it takes time in proportion to the
    /// existing declarations.
    pub fn add_declaration(
        &mut self,
        result_type: Id,
        id: Id,
        control: FunctionControl,
        function_type: Id,
    ) -> Function {
        let first = self.first_body();
        self.add_declaration_before(first, [result_type.0, id.0, control.0, function_type.0])
    }

    /// The first function that has blocks.
    pub(crate) fn first_body(&self) -> Option<Function> {
        self.functions()
            .find(|&function| self.entry_block(function).is_some())
    }

    /// Adds a function without blocks before this one, or at the end of the module.
    pub(crate) fn add_declaration_before(
        &mut self,
        first: Option<Function>,
        operands: [u32; 4],
    ) -> Function {
        let definition = first.and_then(|function| self.function_definition(function));
        match (
            first,
            definition.and_then(|inst| self.gap_at(Place::Before(inst))),
        ) {
            (Some(first), Some(gap)) => self.add_function_in(gap, first.0, operands),
            _ => self.add_function_in(self.end_of_module(), NONE, operands),
        }
    }

    fn end_of_module(&self) -> Gap {
        let last = self.last().and_then(|last| self.gap_at(Place::After(last)));
        let mut gap = last.unwrap_or_else(|| Gap::nowhere(NONE, self.first));
        gap.parent = parent::MODULE;
        gap
    }

    /// Adds a function before another one, or as the last.
    fn add_function_in(&mut self, mut gap: Gap, next: u32, operands: [u32; 4]) -> Function {
        let index = self.functions.len() as u32;
        gap.parent = parent::FUNCTION | index;
        let definition = self.insert_in(gap, Op::Function, &operands);
        let previous = match self.functions.get_mut(next as usize) {
            Some(node) => std::mem::replace(&mut node.previous, index),
            None => std::mem::replace(&mut self.last_function, index),
        };
        match self.functions.get_mut(previous as usize) {
            Some(node) => node.next = index,
            None => self.first_function = index,
        }
        self.functions.push(crate::module::FunctionNode {
            definition: definition.0,
            last: definition.0,
            first_block: NONE,
            last_block: NONE,
            previous,
            next,
            removed: false,
        });
        gap.previous = definition.0;
        let end = self.insert_in(gap, Op::FunctionEnd, &[]);
        for inst in [definition, end] {
            self.set_line(inst, None);
            self.set_scope(inst, None);
        }
        Function(index)
    }

    /// Removes a function with all its instructions from the module. Uses of it stay as they
    /// are.
    ///
    /// # Errors
    ///
    /// If it isn't there.
    pub fn remove_function(&mut self, function: Function) -> Result<(), EditError> {
        let Some(&node) = self
            .functions
            .get(function.index())
            .filter(|node| !node.removed)
        else {
            return Err(EditError::NoSuchPlace);
        };
        let insts: Vec<_> = self.function_instructions(function).collect();
        let blocks: Vec<_> = self.blocks(function).collect();
        for inst in insts {
            self.take_out(inst, parent::DETACHED);
        }
        for block in blocks {
            if let Some(node) = self.blocks.get_mut(block.index()) {
                node.function = NONE;
            }
        }
        match self.functions.get_mut(node.previous as usize) {
            Some(previous) => previous.next = node.next,
            None => self.first_function = node.next,
        }
        match self.functions.get_mut(node.next as usize) {
            Some(next) => next.previous = node.previous,
            None => self.last_function = node.previous,
        }
        if let Some(node) = self.functions.get_mut(function.index()) {
            node.removed = true;
            (node.first_block, node.last_block) = (NONE, NONE);
        }
        Ok(())
    }
}
