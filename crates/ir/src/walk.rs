//! Walking a module.

use std::iter::successors;

use spirvkit_binary::{Id, Instruction, Section};
use spirvkit_grammar::Op;

use crate::handles::{Block, Function, Inst, NONE};
use crate::module::{Module, parent};

impl Module {
    /// All instructions in order.
    pub fn instructions(&self) -> impl Iterator<Item = Inst> + '_ {
        successors(Inst::some(self.first), |&inst| self.next(inst))
    }

    /// The instructions before the first function.
    pub fn globals(&self) -> impl Iterator<Item = Inst> + '_ {
        self.instructions()
            .take_while(|&inst| self.op(inst) != Op::Function)
    }

    /// All instructions in order, as borrowed instructions for analyses.
    pub fn read(&self) -> impl Iterator<Item = Instruction<'_>> + '_ {
        self.instructions().map(|inst| self.get(inst))
    }

    /// The instructions of a function, from `OpFunction` to `OpFunctionEnd`.
    pub fn function_instructions(&self, function: Function) -> impl Iterator<Item = Inst> + '_ {
        let ends = self.functions.get(function.index());
        let (first, last) = ends.map_or((NONE, NONE), |node| match node.removed {
            true => (NONE, NONE),
            false => (node.definition, node.last),
        });
        self.run(first, last)
    }

    /// The instructions of a block, including its label and its terminator.
    pub fn block_instructions(&self, block: Block) -> impl Iterator<Item = Inst> + '_ {
        let ends = self.blocks.get(block.index());
        let (first, last) = ends.map_or((NONE, NONE), |node| match node.function {
            NONE => (NONE, NONE),
            _ => (node.label, node.last),
        });
        self.run(first, last)
    }

    fn run(&self, first: u32, last: u32) -> impl Iterator<Item = Inst> + '_ {
        successors(Inst::some(first), move |&inst| match inst.0 == last {
            true => None,
            false => self.next(inst),
        })
    }

    /// The first instruction of the module.
    pub fn first(&self) -> Option<Inst> {
        Inst::some(self.first)
    }

    /// The last instruction of the module.
    pub fn last(&self) -> Option<Inst> {
        Inst::some(self.last)
    }

    /// The instruction after another, wherever it stands.
    #[inline]
    pub fn next(&self, inst: Inst) -> Option<Inst> {
        Inst::some(self.nodes.get(inst.index())?.next)
    }

    /// The instruction before another, wherever it stands.
    #[inline]
    pub fn previous(&self, inst: Inst) -> Option<Inst> {
        Inst::some(self.nodes.get(inst.index())?.previous)
    }

    /// The block that an instruction is in.
    pub fn block_of(&self, inst: Inst) -> Option<Block> {
        let index = self.parent(inst);
        (index < parent::FUNCTION).then_some(Block(index))
    }

    /// The function that an instruction is in.
    pub fn function_of(&self, inst: Inst) -> Option<Function> {
        match self.parent(inst) {
            parent::MODULE | parent::DETACHED | parent::REMOVED => None,
            index if index < parent::FUNCTION => self.function_of_block(Block(index)),
            index => Some(Function(index & !parent::FUNCTION)),
        }
    }

    /// The function that a block is in; `None` if the block was removed.
    pub fn function_of_block(&self, block: Block) -> Option<Function> {
        Function::some(self.blocks.get(block.index())?.function)
    }

    /// The first block of a function; `None` for a declaration.
    pub fn entry_block(&self, function: Function) -> Option<Block> {
        Block::some(self.functions.get(function.index())?.first_block)
    }

    /// The last block of a function.
    pub fn last_block(&self, function: Function) -> Option<Block> {
        Block::some(self.functions.get(function.index())?.last_block)
    }

    /// A function's `OpFunction`.
    pub fn function_definition(&self, function: Function) -> Option<Inst> {
        Inst::some(self.functions.get(function.index())?.definition)
    }

    /// A function's id.
    pub fn function_id(&self, function: Function) -> Option<Id> {
        self.result(self.function_definition(function)?)
    }

    /// The function with this id.
    pub fn function_by_id(&self, id: Id) -> Option<Function> {
        let definition = self.definition(id)?;
        match self.op(definition) {
            Op::Function => self.function_of(definition),
            _ => None,
        }
    }

    /// A function's `OpFunctionParameter`s.
    pub fn parameters(&self, function: Function) -> impl Iterator<Item = Inst> + '_ {
        self.function_instructions(function)
            .take_while(|&inst| self.op(inst) != Op::Label)
            .filter(|&inst| self.op(inst) == Op::FunctionParameter)
    }

    /// A block's `OpLabel`.
    pub fn label(&self, block: Block) -> Option<Inst> {
        Inst::some(self.blocks.get(block.index())?.label)
    }

    /// A block's id.
    pub fn block_id(&self, block: Block) -> Option<Id> {
        self.result(self.label(block)?)
    }

    /// The block with this id.
    pub fn block_by_id(&self, id: Id) -> Option<Block> {
        let definition = self.definition(id)?;
        match self.op(definition) {
            Op::Label => self.block_of(definition),
            _ => None,
        }
    }

    /// The last instruction of a block; its label, if there is nothing else.
    pub fn last_of(&self, block: Block) -> Option<Inst> {
        let node = self.blocks.get(block.index())?;
        Inst::some(node.last).filter(|_| node.function != NONE)
    }

    /// The instruction that ends a block, if one does.
    pub fn terminator(&self, block: Block) -> Option<Inst> {
        self.last_of(block)
            .filter(|&inst| self.op(inst).is_terminator())
    }

    /// The merge instruction of a block, if it has one where it should be.
    pub fn merge(&self, block: Block) -> Option<Inst> {
        self.previous(self.terminator(block)?)
            .filter(|&inst| self.op(inst).is_merge())
    }

    /// The blocks to which a block's terminator may branch, in the order of its operands; one
    /// that is there twice is returned twice.
    pub fn successors(&self, block: Block) -> impl Iterator<Item = Block> + '_ {
        let terminator = self.terminator(block);
        let mut labels = Vec::new();
        if let Some(terminator) = terminator {
            self.each_use(terminator, |_, id| {
                if let Some(block) = self.block_by_id(id) {
                    labels.push(block);
                }
            });
        }
        labels.into_iter()
    }

    /// The last instruction of a section before the functions, or of the one before
    /// it that has any.
    pub(crate) fn last_of_section(&self, section: Section) -> Option<Inst> {
        let ends = self.sections.get(..=section as usize)?;
        ends.iter().rev().find_map(|&last| Inst::some(last))
    }
}
