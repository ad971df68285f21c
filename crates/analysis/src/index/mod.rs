//! What the ids of a module stand for: an index over its words, made in one pass.
//!
//! [`ModuleIndex`] answers what every program asks of a module: where an id is defined
//! and in which block, what [type](Type) it declares or has, what a constant's value is,
//! what decorations say of it and of its members, what it is called; which functions,
//! blocks and entry points there are, and which execution models reach them.
//!
//! How types and constants are spelled for people, [`spelling`] says.
//!
//! Questions about types and constants are those of [`Lookup`], which whatever holds
//! a module can answer: all that it takes is to find the words of an instruction by its
//! result. So they are the same for a program that changes its module.
//!
//! An index can be made of every sequence of words that has a header. Of broken
//! modules it holds what can be read: an id keeps its first definition, operands that
//! are missing are zero, and what follows an instruction that has no end is left out.
//! Nothing is allocated for ids that nothing defines, and what only few ask for is made
//! when it is asked for. Of a module of 2³¹ words or more it holds the beginning.
//!
//! ```
//! use spirvkit_analysis::{Lookup, ModuleIndex, Type};
//! use spirvkit_binary::Id;
//! use spirvkit_grammar::Decoration;
//!
//! let text = "
//!     OpDecorate %2 Location 3
//!     %1 = OpTypeFloat 32
//!     %3 = OpTypePointer Input %1
//!     %2 = OpVariable %3 Input";
//! let assembled = spirvkit_text::assemble(text, &Default::default()).unwrap();
//! let index = ModuleIndex::new(&assembled.words)?;
//! let variable = Id(2);
//! let pointee = index.type_of(variable).and_then(|ty| index.pointee(ty)).unwrap();
//! assert!(matches!(index.ty(pointee), Type::Float { width: 32, .. }));
//! assert_eq!(index.decoration(variable, Decoration::Location).unwrap().param(0), 3);
//! # Ok::<(), spirvkit_binary::Error>(())
//! ```

mod decorations;
mod entry_points;
mod functions;
mod inst;
mod lookup;
mod models;
mod names;
mod reach;
mod role;
pub mod spelling;
mod types;

use alloc::string::String;
use alloc::vec::Vec;
use core::cell::OnceCell;

use hashbrown::HashSet;
use spirvkit_binary::{
    Definition, Definitions, Error, HEADER_WORDS, Header, Id, IdMap, Import, Module,
};
use spirvkit_grammar::{AddressingModel, Capability, ExecutionMode, MemoryModel, Op};

use crate::{Capabilities, NONE};
pub use decorations::{Decorated, Decorations, StructureFacts};
pub use entry_points::EntryPoint;
pub use functions::{Block, Function};
pub use inst::Inst;
pub use lookup::Lookup;
pub use models::Models;
pub use reach::{Entries, Reach};
use role::Role;
pub use types::{CooperativeMatrix, Image, Type};

/// Stand for the block of ids that are in none: functions, variables outside of
/// functions, and whatever else is not before the functions, such as parameters. What
/// is declared before the functions has [`NONE`].
const FUNCTION: u32 = NONE - 1;
const GLOBAL: u32 = NONE - 2;
const PARAMETER: u32 = NONE - 3;

/// Where an id is defined: 8 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Whereabouts {
    /// The word offset of the defining instruction; 0 when there is none. The
    /// top bit says that the instruction has a result type.
    offset: u32,
    /// The block that the definition stands in, or that it begins; from [`PARAMETER`]
    /// up none.
    block: u32,
}

const HAS_TYPE: u32 = 1 << 31;

impl Whereabouts {
    const NOWHERE: Self = Self {
        offset: 0,
        block: NONE,
    };

    /// The word offset of the instruction; 0 when there is none.
    #[inline]
    pub fn offset(self) -> u32 {
        self.offset & !HAS_TYPE
    }

    /// Whether the instruction has a result type: whether the id is a value.
    #[inline]
    pub fn has_type(self) -> bool {
        self.offset & HAS_TYPE != 0
    }

    /// The index of the block that it stands in or begins; a number above all
    /// blocks if there is none.
    #[inline]
    pub fn block(self) -> u32 {
        self.block
    }

    /// Whether it is a value, and defined before an offset.
    #[inline]
    pub fn is_value_before(self, offset: u32) -> bool {
        // Without a type, the first is above any offset.
        self.offset ^ HAS_TYPE < offset
    }

    /// Whether it stands in this block, or before the functions and is no variable.
    #[inline]
    pub fn is_at_hand_in(self, block: u32) -> bool {
        self.block == block || self.block == NONE
    }

    /// Whether it stands in a block.
    #[inline]
    pub fn is_in_block(self) -> bool {
        self.block < PARAMETER
    }

    /// Whether it is an `OpFunction`.
    #[inline]
    pub fn is_function(self) -> bool {
        self.block == FUNCTION
    }

    /// Whether it is a variable outside of functions.
    #[inline]
    pub fn is_global(self) -> bool {
        self.block == GLOBAL
    }
}

/// The instructions of a module, up to one without an end.
#[derive(Clone, Debug)]
pub struct Instructions<'a> {
    rest: &'a [u32],
    offset: u32,
}

impl<'a> Iterator for Instructions<'a> {
    type Item = Inst<'a>;

    // Whoever goes through all of a module should keep what this gives in registers.
    #[inline(always)]
    fn next(&mut self) -> Option<Inst<'a>> {
        let count = (self.rest.first()? >> 16) as usize;
        let (words, rest) = self.rest.split_at_checked(count)?;
        let inst = Inst::standing_at(words, self.offset)?;
        self.rest = rest;
        self.offset += count as u32;
        Some(inst)
    }
}

/// What the ids of a module stand for. The module's documentation says what becomes
/// of a broken one. All offsets are in words, from the start of the module.
#[derive(Debug)]
#[non_exhaustive]
pub struct ModuleIndex<'a> {
    /// The words of the module, the header among them.
    pub words: &'a [u32],
    /// The header.
    pub header: Header,
    ids: IdMap<Whereabouts>,
    /// What decoding operands takes: types, sets of extended instructions, and the
    /// values by which switches select. Of other values it knows nothing.
    pub definitions: Definitions,
    /// The capabilities that are declared or implied by declared ones.
    pub capabilities: Capabilities,
    /// Those that are declared, conditional ones included, in module order.
    pub declared_capabilities: Vec<Capability>,
    /// Every `OpExtension`, with its name.
    pub extensions: Vec<(Inst<'a>, String)>,
    /// Every `OpExtInstImport`.
    pub imports: Vec<Inst<'a>>,
    /// The addressing model; `Logical` if none is declared.
    pub addressing: AddressingModel,
    /// The memory model; `Simple` if none is declared.
    pub memory_model: MemoryModel,
    /// Every `OpEntryPoint`.
    pub entry_points: Vec<EntryPoint<'a>>,
    /// Every `OpConditionalEntryPointINTEL`: entry points that there may be, as
    /// specialization says.
    pub conditional_entry_points: Vec<EntryPoint<'a>>,
    /// `OpExecutionMode` and `OpExecutionModeId`: entry point and offset,
    /// sorted.
    modes: Vec<(u32, u32)>,
    /// Entry points' functions and modes that they have.
    declared_modes: OnceCell<HashSet<(u32, u32)>>,
    annotations: decorations::Annotated,
    structures: OnceCell<decorations::Structures>,
    /// The word offset of the first `OpFunction`; without functions, where the last
    /// instruction ends.
    pub functions_start: u32,
    /// The functions, in their order.
    pub functions: Vec<Function>,
    /// The blocks of all functions, in their order.
    pub blocks: Vec<Block>,
    /// Calls: the index of the function that calls, and the id of the one that
    /// is called.
    calls: Vec<(u32, Id)>,
    function_indexes: IdMap<u32>,
    /// The models of each function that is an entry point, by id.
    entry_models: OnceCell<Vec<(u32, Models)>>,
    /// The offsets of variables outside of functions.
    pub globals: Vec<u32>,
    /// The offsets of types and variables before the first function, and of what
    /// else there has a result without a type.
    pub declared: Vec<u32>,
    /// The offsets of variables in functions.
    pub locals: Vec<u32>,
    /// The offsets of instructions whose results were defined before, or aren't
    /// between 1 and the bound.
    pub odd_results: Vec<u32>,
    names: OnceCell<names::Names>,
    uses: OnceCell<functions::Uses>,
    /// What is wrong where instructions end before the words do: one begins with a word
    /// count of zero or past the end.
    pub broken_tail: Option<Error>,
}

impl<'a> ModuleIndex<'a> {
    /// Indexes a module's words, in host order.
    ///
    /// # Errors
    ///
    /// If the header can't be read.
    pub fn new(words: &'a [u32]) -> Result<Self, Error> {
        Ok(Self::with_header(words, Header::from_words(words)?))
    }

    /// The same of a module whose header has been read.
    pub fn with_header(words: &'a [u32], header: Header) -> Self {
        Self::read(words, header, true)
    }

    /// Indexes what a module declares before its functions. Of these it knows where they
    /// and their blocks are, what they call, and entry points that are behind them, but
    /// not what they define: for those who go through the functions by themselves, from
    /// [`functions_start`](Self::functions_start) on.
    pub fn declarations(module: &Module<'a>) -> Self {
        Self::read(module.words(), *module.header(), false)
    }

    /// Indexes a module, with or without what its functions define.
    fn read(words: &'a [u32], header: Header, with_functions: bool) -> Self {
        // Offsets have 31 bits; what follows is as if it were missing.
        let words = words.get(..HAS_TYPE as usize - 1).unwrap_or(words);
        let limit = words.len();
        // As many as most modules of this size have at least, so that the lists are
        // not moved often while they grow.
        let likely = limit / 128;
        let mut index = Self {
            words,
            header,
            ids: IdMap::with_bound(Whereabouts::NOWHERE, limit, header.bound),
            definitions: Definitions::with_bound(limit, header.bound),
            capabilities: Capabilities::default(),
            declared_capabilities: Vec::new(),
            extensions: Vec::new(),
            imports: Vec::new(),
            addressing: AddressingModel::Logical,
            memory_model: MemoryModel::Simple,
            entry_points: Vec::new(),
            conditional_entry_points: Vec::new(),
            modes: Vec::new(),
            declared_modes: OnceCell::new(),
            annotations: decorations::Annotated::with_capacity(likely),
            structures: OnceCell::new(),
            functions_start: 0,
            functions: Vec::new(),
            blocks: Vec::with_capacity(likely),
            calls: Vec::new(),
            function_indexes: IdMap::new(NONE, limit),
            entry_models: OnceCell::new(),
            globals: Vec::new(),
            declared: Vec::with_capacity(likely),
            locals: Vec::with_capacity(likely / 4),
            odd_results: Vec::new(),
            names: OnceCell::new(),
            uses: OnceCell::new(),
            broken_tail: None,
        };
        let mut builder = functions::Builder::default();
        let mut selectors = Vec::new();
        let mut instructions = index.all_instructions();
        for inst in instructions.by_ref() {
            let role = Role::of(inst.op());
            builder.add(&mut index, inst, role);
            if role == Role::Function && !with_functions {
                break;
            }
            index.note_result(inst, builder.block());
            if role != Role::Nothing {
                index.note(inst, role, builder.block());
            }
            if role == Role::Terminator && inst.op() == Op::Switch {
                selectors.push(inst.id(0));
            }
        }
        for inst in instructions.by_ref() {
            let role = Role::of(inst.op());
            builder.add(&mut index, inst, role);
            match role {
                Role::EntryPoint => index.entry_points.push(EntryPoint::of(inst)),
                Role::ConditionalEntryPoint => {
                    index.conditional_entry_points.push(EntryPoint::of(inst));
                }
                _ => {}
            }
        }
        let end = instructions.offset as usize;
        if end < words.len()
            && Inst::at(words, end as u32).is_none()
            && let Ok(module) = Module::new(words)
        {
            index.broken_tail = module.instructions().find_map(Result::err);
        }
        builder.finish(&mut index);
        let first = index.functions.first();
        index.functions_start = first.map_or(end as u32, |function| function.range.start);
        for selector in selectors {
            if let Some(ty) = index.type_of(selector) {
                index.definitions.define_value(selector, ty);
            }
        }
        // It was made by doubling, and stays.
        index.blocks.shrink_to_fit();
        index.modes.sort_unstable();
        index.sort_annotations();
        if !index.functions.is_empty() {
            index.find_models();
        }
        index
    }

    /// Notes where a result is defined, and as what.
    #[inline]
    fn note_result(&mut self, inst: Inst<'_>, block: u32) {
        let offset = inst.offset();
        let Some(word) = inst.result_word() else {
            return;
        };
        let Some(&result) = inst.words().get(word) else {
            return self.odd_results.push(offset);
        };
        let result = Id(result);
        let op = inst.op();
        let has_type = word > 1;
        let mut place = block;
        if block == NONE {
            let is_variable = op.is_variable();
            let is_before_functions = self.functions.is_empty();
            if is_before_functions && (!has_type || is_variable) {
                self.declared.push(offset);
            }
            place = match op {
                Op::Function => FUNCTION,
                _ if is_variable => GLOBAL,
                _ if is_before_functions => NONE,
                _ => PARAMETER,
            };
        }
        let known = self.ids.slot(result);
        let is_new = known.offset == 0;
        if !is_new || result.0 == 0 || result.0 >= self.header.bound {
            self.odd_results.push(offset);
        }
        if !is_new {
            return;
        }
        *known = Whereabouts {
            offset: if has_type { offset | HAS_TYPE } else { offset },
            block: place,
        };
        if !has_type && op != Op::Label {
            inst.decoded().map(|inst| self.definitions.define(&inst));
        }
    }

    /// Notes what an instruction declares.
    #[inline]
    fn note(&mut self, inst: Inst<'a>, role: Role, block: u32) {
        match role {
            Role::Capability | Role::ConditionalCapability => {
                let index = usize::from(role == Role::ConditionalCapability);
                self.capabilities.add(Capability(inst.arg(index)));
                let declared = inst.optional(index).map(Capability);
                self.declared_capabilities.extend(declared);
            }
            Role::Extension => {
                let index = usize::from(inst.op() == Op::ConditionalExtensionINTEL);
                let name = inst.string(index).map(|name| name.to_text_lossy());
                self.extensions.push((inst, name.unwrap_or_default()));
            }
            Role::Import => self.imports.push(inst),
            Role::MemoryModel => {
                self.addressing = AddressingModel(inst.arg(0));
                self.memory_model = MemoryModel(inst.arg(1));
            }
            Role::EntryPoint => self.entry_points.push(EntryPoint::of(inst)),
            Role::ConditionalEntryPoint => {
                self.conditional_entry_points.push(EntryPoint::of(inst));
            }
            Role::ExecutionMode => {
                self.modes.push((inst.arg(0), inst.offset()));
            }
            Role::Decoration
            | Role::GroupDecoration
            | Role::GroupMemberDecoration
            | Role::DecorationGroup => self.annotations.note(inst, role),
            Role::Variable if block == NONE => {
                self.globals.push(inst.offset());
            }
            Role::Variable => self.locals.push(inst.offset()),
            // What shapes functions is followed elsewhere.
            _ => {}
        }
    }

    /// The instruction that defines an id.
    #[inline]
    pub fn def(&self, id: Id) -> Option<Inst<'a>> {
        match self.ids.get(id).offset() {
            0 => None,
            offset => Inst::at(self.words, offset),
        }
    }

    /// Where an id is defined.
    #[inline]
    pub fn whereabouts(&self, id: Id) -> Whereabouts {
        self.ids.get(id)
    }

    /// The word offset of the instruction that defines an id; 0 when none does.
    #[inline]
    pub fn def_offset(&self, id: Id) -> u32 {
        self.ids.get(id).offset()
    }

    /// The block that an id is defined in, or that a label begins: an index of
    /// [`blocks`](Self::blocks). `None` outside of blocks.
    #[inline]
    pub fn block_of(&self, id: Id) -> Option<u32> {
        let def = self.ids.get(id);
        def.is_in_block().then_some(def.block)
    }

    /// Whether an instruction is of an extended set that says nothing of what the
    /// module does: debugging information, or a set without semantics.
    pub fn is_remark(&self, inst: Inst<'_>) -> bool {
        self.is_remark_at(inst.offset())
    }

    /// Whether the one at a word offset is.
    pub fn is_remark_at(&self, offset: u32) -> bool {
        let words = self.words.get(offset as usize..);
        let Some(&[first, _, _, set, ..]) = words else {
            return false;
        };
        if !Op(first as u16).is_ext_inst() {
            return false;
        }
        match self.definitions.get(Id(set)) {
            Definition::Import(Import::Known(set)) => set.is_non_semantic() || set.is_debug_info(),
            // Of the sets that nobody knows, others can't be imported.
            Definition::Import(Import::Unknown) => true,
            _ => false,
        }
    }

    /// Whether a capability is declared or implied.
    #[inline]
    pub fn has(&self, capability: Capability) -> bool {
        self.capabilities.contains(capability)
    }

    /// Whether an extension is declared.
    pub fn has_extension(&self, name: &str) -> bool {
        self.extensions.iter().any(|(_, declared)| declared == name)
    }

    /// The instruction at a word offset, at which one must begin.
    #[inline]
    pub fn inst(&self, offset: u32) -> Option<Inst<'a>> {
        Inst::at(self.words, offset)
    }

    /// The instructions that start in a range of words, at the start of which one must
    /// begin.
    pub fn instructions(
        &self,
        range: core::ops::Range<u32>,
    ) -> impl Iterator<Item = Inst<'a>> + use<'a> {
        let words = self.words;
        let mut next = range.start;
        core::iter::from_fn(move || {
            if next >= range.end {
                return None;
            }
            let inst = Inst::at(words, next)?;
            next += inst.words().len() as u32;
            Some(inst)
        })
    }

    /// All instructions.
    #[inline]
    pub fn all_instructions(&self) -> Instructions<'a> {
        Instructions {
            rest: self.words.get(HEADER_WORDS..).unwrap_or_default(),
            offset: HEADER_WORDS as u32,
        }
    }

    /// An entry point's function and the offsets of its execution modes.
    fn modes_of(&self, function: Id) -> &[(u32, u32)] {
        let start = self.modes.partition_point(|mode| mode.0 < function.0);
        let modes = self.modes.get(start..).unwrap_or_default();
        let end = modes.partition_point(|mode| mode.0 == function.0);
        &modes[..end]
    }

    /// The `OpExecutionMode` and `OpExecutionModeId` instructions of an entry
    /// point's function, in order.
    pub fn execution_modes(&self, function: Id) -> impl DoubleEndedIterator<Item = Inst<'a>> + '_ {
        let modes = self.modes_of(function).iter();
        modes.filter_map(|mode| self.inst(mode.1))
    }

    /// How many these are: known without going through them.
    pub fn execution_mode_count(&self, function: Id) -> usize {
        self.modes_of(function).len()
    }

    /// Whether an entry point's function has an execution mode. Many entry points
    /// may be of one function, so that going through its modes for each takes
    /// too long.
    pub fn has_execution_mode(&self, function: Id, mode: ExecutionMode) -> bool {
        let all = self.declared_modes.get_or_init(|| {
            let modes = self.all_execution_modes();
            modes.map(|(id, inst)| (id.0, inst.arg(1))).collect()
        });
        all.contains(&(function.0, mode.0))
    }

    /// All `OpExecutionMode` and `OpExecutionModeId` instructions with the
    /// functions that they name, sorted by function.
    pub fn all_execution_modes(&self) -> impl Iterator<Item = (Id, Inst<'a>)> + '_ {
        let modes = self.modes.iter();
        modes.filter_map(|mode| Some((Id(mode.0), self.inst(mode.1)?)))
    }

    /// The instructions that have an id as an operand, not as their result, as word
    /// offsets, each once, in module order. Where an instruction can't be decoded further,
    /// its operands end. The first call goes through the whole module.
    pub fn uses(&self, id: Id) -> &[u32] {
        self.uses.get_or_init(|| functions::Uses::new(self)).of(id)
    }
}

impl<'a> Lookup<'a> for ModuleIndex<'a> {
    // What everything else is asked through.
    #[inline(always)]
    fn words_of(&self, id: Id) -> Option<&'a [u32]> {
        match self.ids.get(id).offset() {
            0 => None,
            offset => {
                let rest = self.words.get(offset as usize..)?;
                rest.get(..(rest.first()? >> 16) as usize)
            }
        }
    }

    #[inline]
    fn op_of(&self, id: Id) -> Op {
        match self.ids.get(id).offset() {
            0 => Op::Nop,
            offset => Op(self.words[offset as usize] as u16),
        }
    }

    #[inline]
    fn type_of(&self, id: Id) -> Option<Id> {
        let def = self.ids.get(id);
        match def.has_type() {
            true => self.words.get(def.offset() as usize + 1).map(|&ty| Id(ty)),
            false => None,
        }
    }
}
