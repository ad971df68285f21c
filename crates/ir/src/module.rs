//! The module: how it is kept, loaded and stored.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use spirvkit_binary::{
    Definition, Definitions, Error, HEADER_WORDS, Header, Id, IdMap, Instruction,
    Module as Borrowed, Operands, Section, WordOffset,
};
use spirvkit_grammar::{Generator, Op, Version};

use crate::handles::{Block, Function, Inst, NONE};
use crate::interned::Interned;
use crate::lines::Places;
use crate::uses::Uses;

/// What a [`Node`] says of where its instruction stands, besides a block's index.
pub(crate) mod parent {
    /// Before all functions.
    pub(crate) const MODULE: u32 = u32::MAX;
    /// Nowhere: it was taken out with the block or function around it.
    pub(crate) const DETACHED: u32 = u32::MAX - 1;
    /// Nowhere: it was removed.
    pub(crate) const REMOVED: u32 = u32::MAX - 2;
    /// With this bit, in the function of this index, but in none of its blocks.
    pub(crate) const FUNCTION: u32 = 1 << 31;
}

/// An instruction: where its words are and what is around it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// The position of its first word, which has its length.
    pub(crate) start: u32,
    pub(crate) previous: u32,
    pub(crate) next: u32,
    /// The index of its block, or something from [`parent`].
    pub(crate) parent: u32,
    /// The instruction that says from which line of source it comes.
    pub(crate) line: u32,
    /// The instruction that says to which scope of source it belongs.
    pub(crate) scope: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockNode {
    pub(crate) label: u32,
    pub(crate) last: u32,
    pub(crate) previous: u32,
    pub(crate) next: u32,
    /// [`NONE`] once the block is removed.
    pub(crate) function: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct FunctionNode {
    pub(crate) definition: u32,
    /// The last instruction, `OpFunctionEnd` if there is one.
    pub(crate) last: u32,
    pub(crate) first_block: u32,
    pub(crate) last_block: u32,
    pub(crate) previous: u32,
    pub(crate) next: u32,
    pub(crate) removed: bool,
}

/// A module that owns its instructions and can be changed.
///
/// It is one list of instructions, from the first to the last, with functions and blocks as
/// ranges of it. So it holds whatever can be decoded, valid or not, and an unchanged module
/// is stored word for word as it was loaded. An instruction is its words; reading one gives a
/// borrowed [`Instruction`], with the operands decoded by the grammar.
///
/// Handles ([`Inst`], [`Block`], [`Function`]) stay valid until what they stand for is
/// removed, and are harmless after that.
///
/// ```
/// use spirvkit_grammar::Op;
/// use spirvkit_ir::Module;
///
/// # let words = spirvkit_text::assemble(
/// #     "OpCapability Linkage\n%v = OpTypeVoid\n%f = OpTypeFunction %v\n%g = OpFunction %v None %f\n%l = OpLabel\nOpReturn\nOpFunctionEnd",
/// #     &Default::default()).unwrap().words;
/// let module = Module::load(&words)?;
/// for function in module.functions() {
///     for block in module.blocks(function) {
///         for inst in module.block_instructions(block) {
///             println!("{}", module.op(inst));
///         }
///     }
/// }
/// assert_eq!(module.store(), words);
/// # Ok::<(), spirvkit_binary::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Module {
    pub(crate) header: Header,
    /// The words of all instructions, at the positions that their nodes say; those
    /// of removed and replaced ones stay.
    pub(crate) words: Vec<u32>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) blocks: Vec<BlockNode>,
    pub(crate) functions: Vec<FunctionNode>,
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) first_function: u32,
    pub(crate) last_function: u32,
    /// The last instruction of each section before the functions, or [`NONE`].
    pub(crate) sections: [u32; Section::ALL.len()],
    /// By id: the index of the instruction that defines it.
    pub(crate) definers: IdMap<u32>,
    /// In a broken module: ids and the instructions that define them once more.
    pub(crate) redefiners: BTreeSet<(Id, u32)>,
    /// What is needed to decode operands.
    pub(crate) definitions: Definitions,
    /// Made when somebody asks, and kept up from then on.
    pub(crate) uses: OnceLock<Uses>,
    /// What is there by value: the same.
    pub(crate) interned: Option<Interned>,
    /// How many words there were when the tables over ids last got more room.
    pub(crate) words_at_last_raise: usize,
    /// Where to look for an unused id once the bound can't grow.
    pub(crate) lowest_gap: u32,
}

impl Module {
    /// A module without instructions.
    pub fn new(version: Version) -> Self {
        let header = Header {
            version,
            generator: Generator(0),
            bound: 1,
            schema: 0,
        };
        Self::empty(header, Vec::new())
    }

    fn empty(header: Header, words: Vec<u32>) -> Self {
        Self {
            definers: IdMap::with_bound(NONE, words.len(), header.bound),
            redefiners: BTreeSet::new(),
            definitions: Definitions::with_word_limit(words.len()),
            words_at_last_raise: words.len(),
            header,
            words,
            nodes: Vec::new(),
            blocks: Vec::new(),
            functions: Vec::new(),
            first: NONE,
            last: NONE,
            first_function: NONE,
            last_function: NONE,
            sections: [NONE; Section::ALL.len()],
            uses: OnceLock::new(),
            interned: None,
            lowest_gap: 1,
        }
    }

    /// Loads a module from its words, in host order, including the header.
    ///
    /// # Errors
    ///
    /// If there is no header, or an instruction's word count is zero or goes past the end.
    /// Errors within an instruction don't matter here.
    pub fn load(words: &[u32]) -> Result<Self, Error> {
        Self::from_words(words.to_vec())
    }

    /// The same without a copy.
    ///
    /// # Errors
    ///
    /// As for [`load`](Self::load).
    pub fn from_words(words: Vec<u32>) -> Result<Self, Error> {
        let header = Header::from_words(&words)?;
        let borrowed = Borrowed::new(&words)?;
        let count = count_instructions(borrowed)?;
        let definitions = Definitions::for_module(&borrowed);
        let mut module = Self::empty(header, words);
        module.definitions = definitions;
        module.nodes.reserve_exact(count);
        Loader::default().run(&mut module);
        Ok(module)
    }

    /// The words of the module, including the header.
    ///
    /// Where the line or scope in effect differs from an instruction's own, its own is
    /// written before it (see [`set_line`](Self::set_line)).
    pub fn store(&self) -> Vec<u32> {
        let mut words = Vec::with_capacity(HEADER_WORDS + self.words.len());
        words.extend_from_slice(&self.header.to_words());
        let bound = self.write(&mut words);
        if let Some(slot) = words.get_mut(3) {
            *slot = bound;
        }
        words
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Changes the version in the header.
    pub fn set_version(&mut self, version: Version) {
        self.header.version = version;
    }

    /// Changes the generator in the header.
    pub fn set_generator(&mut self, generator: Generator) {
        self.header.generator = generator;
    }

    /// Changes the id bound in the header. It has to be above all ids, and is the next id
    /// that [`fresh_id`](Self::fresh_id) gives.
    pub fn set_bound(&mut self, bound: u32) {
        self.header.bound = bound;
    }

    /// An id that nothing defines, for something new: the header's bound, which goes
    /// up by one. If the bound is as high as it can be, the lowest id without a
    /// definition.
    pub fn fresh_id(&mut self) -> Id {
        let id = match self.header.bound {
            u32::MAX => self.gap(),
            bound => bound.max(1),
        };
        if let Some(bound) = id.checked_add(1).filter(|&bound| bound > self.header.bound) {
            self.header.bound = bound;
        }
        Id(id)
    }

    fn gap(&mut self) -> u32 {
        while self.definers.get(Id(self.lowest_gap)) != NONE {
            self.lowest_gap += 1;
        }
        let id = self.lowest_gap;
        self.lowest_gap += 1;
        id
    }

    /// Reads an instruction. Its offset is that in the module's own memory, not in the stored
    /// module.
    #[inline]
    pub fn get(&self, inst: Inst) -> Instruction<'_> {
        read(&self.words, &self.nodes, inst)
    }

    /// Whether an instruction is in the module, and has not been removed.
    pub fn is_attached(&self, inst: Inst) -> bool {
        self.parent(inst) != parent::REMOVED && self.parent(inst) != parent::DETACHED
    }

    #[inline]
    pub(crate) fn parent(&self, inst: Inst) -> u32 {
        self.nodes
            .get(inst.index())
            .map_or(parent::REMOVED, |node| node.parent)
    }

    /// The opcode.
    #[inline]
    pub fn op(&self, inst: Inst) -> Op {
        let node = self.nodes.get(inst.index());
        let word = node.and_then(|node| self.words.get(node.start as usize));
        word.map_or(Op::Nop, |&word| Op(word as u16))
    }

    /// The result id.
    #[inline]
    pub fn result(&self, inst: Inst) -> Option<Id> {
        self.get(inst).result()
    }

    /// The result type.
    #[inline]
    pub fn result_type(&self, inst: Inst) -> Option<Id> {
        self.get(inst).result_type()
    }

    /// The decoded operands, including the result type and the result.
    pub fn operands(&self, inst: Inst) -> Operands<'_, '_> {
        self.get(inst).operands(&self.definitions)
    }

    /// What ids stand for, as far as decoding depends on it.
    pub fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    /// The instruction that defines an id; if a broken module has several, one of them, and
    /// the first as long as nothing is changed.
    #[inline]
    pub fn definition(&self, id: Id) -> Option<Inst> {
        Inst::some(self.definers.get(id))
    }

    /// The type of the value that an id stands for.
    pub fn type_of(&self, id: Id) -> Option<Id> {
        self.result_type(self.definition(id)?)
    }

    /// How many words the module's instructions take in memory, including those that were
    /// removed or replaced.
    pub fn word_count(&self) -> usize {
        self.words.len()
    }

    /// How many handles of instructions there are: all are below this number.
    pub fn inst_count(&self) -> usize {
        self.nodes.len()
    }

    /// How many handles of blocks there are: all are below this number.
    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }

    /// How many handles of functions there are: all are below this number.
    pub fn function_count(&self) -> usize {
        self.functions.len()
    }
}

/// Reads an instruction from a module's words.
#[inline]
pub(crate) fn read<'a>(words: &'a [u32], nodes: &[Node], inst: Inst) -> Instruction<'a> {
    let node = nodes.get(inst.index());
    let start = node.map_or(usize::MAX, |node| node.start as usize);
    let words = words.get(start..).unwrap_or_default();
    let count = words.first().map_or(0, |word| word >> 16) as usize;
    let words = words.get(..count).unwrap_or_default();
    Instruction::from_words(words, WordOffset(start)).unwrap_or_else(nothing)
}

/// What a handle reads that stands for no instruction.
#[cold]
fn nothing<'a>() -> Instruction<'a> {
    static NOP: [u32; 1] = [1 << 16];
    match Instruction::from_words(&NOP, WordOffset(0)) {
        Some(nop) => nop,
        None => unreachable!("one word is given"),
    }
}

/// Counts the instructions, and so checks that the module consists of nothing else.
fn count_instructions(module: Borrowed<'_>) -> Result<usize, Error> {
    let words = module.words();
    let (mut at, mut count) = (HEADER_WORDS, 0);
    while let Some(word) = words.get(at) {
        let length = (word >> 16) as usize;
        if length == 0 || at + length > words.len() {
            break;
        }
        at += length;
        count += 1;
    }
    if at == words.len() {
        return Ok(count);
    }
    // Where it ended, the walk that can tell errors does, too.
    match module.instructions().find_map(Result::err) {
        Some(error) => Err(error),
        None => Ok(count),
    }
}

/// Follows functions and blocks while instructions come.
struct Loader {
    function: u32,
    block: u32,
    places: Places,
    /// Whether an extended instruction has come before its set.
    early_call: bool,
}

impl Default for Loader {
    fn default() -> Self {
        Self {
            function: NONE,
            block: NONE,
            places: Places::default(),
            early_call: false,
        }
    }
}

impl Loader {
    fn run(mut self, m: &mut Module) {
        // The words can't be borrowed while the rest of the module is filled.
        let words = std::mem::take(&mut m.words);
        let mut start = HEADER_WORDS;
        while let Some(rest) = words.get(start..).filter(|rest| !rest.is_empty()) {
            let count = (rest[0] >> 16) as usize;
            let inst = rest
                .get(..count.max(1))
                .and_then(|words| Instruction::from_words(words, WordOffset(start)));
            let Some(inst) = inst else {
                break;
            };
            self.add(m, &inst, start as u32);
            start += count.max(1);
        }
        m.words = words;
        let count = m.nodes.len() as u32;
        if let Some(last) = m.nodes.last_mut() {
            last.next = NONE;
            m.first = 0;
            m.last = count - 1;
        }
        if self.early_call {
            m.find_places();
        }
    }

    #[inline]
    fn add(&mut self, m: &mut Module, inst: &Instruction<'_>, start: u32) {
        let index = m.nodes.len() as u32;
        let op = inst.op();
        if let Some(id) = inst.result() {
            let slot = m.definers.slot(id);
            if *slot == NONE {
                *slot = index;
                m.definitions.define(inst);
            } else {
                m.redefiners.insert((id, index));
            }
        }
        let parent = self.place(m, inst, op, index);
        self.places.read(&m.definitions, inst, Inst(index));
        if op == Op::ExtInst
            && let Some(&set) = inst.words().get(3)
        {
            self.early_call |= m.definitions.get(Id(set)) == Definition::Undefined;
        }
        m.nodes.push(Node {
            start,
            previous: index.wrapping_sub(1),
            next: index + 1,
            parent,
            line: self.places.line,
            scope: self.places.scope,
        });
        if self.block != NONE && op.is_terminator() {
            self.block = NONE;
            self.places.end_block();
        }
    }

    /// What an instruction is in.
    #[inline]
    fn place(&mut self, m: &mut Module, inst: &Instruction<'_>, op: Op, index: u32) -> u32 {
        if self.function == NONE {
            if op == Op::Function {
                self.function = m.push_function(index);
                return parent::FUNCTION | self.function;
            }
            let section = inst.info().and_then(|info| Section::of(op, info));
            // Lines stay with what follows them.
            if let Some(section) = section
                && m.first_function == NONE
                && !op.is_line()
            {
                m.sections[section as usize] = index;
            }
            return parent::MODULE;
        }
        if let Some(function) = m.functions.get_mut(self.function as usize) {
            function.last = index;
        }
        match op {
            Op::FunctionEnd => {
                let function = self.function;
                self.function = NONE;
                self.block = NONE;
                return parent::FUNCTION | function;
            }
            Op::Label => self.block = m.push_block(self.function, index),
            _ => {}
        }
        match m.blocks.get_mut(self.block as usize) {
            Some(block) => {
                block.last = index;
                self.block
            }
            None => parent::FUNCTION | self.function,
        }
    }
}

impl Module {
    fn push_function(&mut self, definition: u32) -> u32 {
        let index = self.functions.len() as u32;
        self.functions.push(FunctionNode {
            definition,
            last: definition,
            first_block: NONE,
            last_block: NONE,
            previous: self.last_function,
            next: NONE,
            removed: false,
        });
        match self.functions.get_mut(self.last_function as usize) {
            Some(last) => last.next = index,
            None => self.first_function = index,
        }
        self.last_function = index;
        index
    }

    /// Makes a block, the last of its function.
    fn push_block(&mut self, function: u32, label: u32) -> u32 {
        let index = self.blocks.len() as u32;
        let Some(node) = self.functions.get_mut(function as usize) else {
            return NONE;
        };
        let previous = std::mem::replace(&mut node.last_block, index);
        if node.first_block == NONE {
            node.first_block = index;
        }
        if let Some(previous) = self.blocks.get_mut(previous as usize) {
            previous.next = index;
        }
        self.blocks.push(BlockNode {
            label,
            last: label,
            previous,
            next: NONE,
            function,
        });
        index
    }

    /// The functions in order.
    pub fn functions(&self) -> impl Iterator<Item = Function> + '_ {
        std::iter::successors(Function::some(self.first_function), |&function| {
            self.next_function(function)
        })
    }

    /// The function after another.
    pub fn next_function(&self, function: Function) -> Option<Function> {
        Function::some(self.functions.get(function.index())?.next)
    }

    /// The blocks of a function in order.
    pub fn blocks(&self, function: Function) -> impl Iterator<Item = Block> + '_ {
        std::iter::successors(self.entry_block(function), |&block| self.next_block(block))
    }

    /// The block after another of the same function.
    pub fn next_block(&self, block: Block) -> Option<Block> {
        Block::some(self.blocks.get(block.index())?.next)
    }
}
