//! The module as the rules see it: an index over its words, built in one pass.

mod constants;
mod contents;
mod decorations;
mod functions;
mod inst;
mod names;
mod reach;
mod role;
mod sound;
mod types;

use std::cell::{Cell, OnceCell, RefCell};

use hashbrown::HashSet;
use spirvkit_binary::{
    Definition, Definitions, HEADER_WORDS, Header, Id, IdMap, Import, Instruction, Operand, Value,
    WordOffset,
};
use spirvkit_grammar::{
    AddressingModel, Capability, ExecutionMode, ExecutionModel, MemoryModel, Op, OperandKind,
    Version,
};

use crate::finding::Mentions;
use crate::options::{Env, Options};

pub(crate) use contents::{Contents, Likeness};
pub(crate) use decorations::Decorated;
pub(crate) use functions::{Block, Function, Models};
pub(crate) use inst::Inst;
pub(crate) use reach::{AT_ONCE, Entries, Reach};
pub(crate) use role::OPCODES;
use role::Role;
pub(crate) use sound::{Signature, Sound};

pub(crate) use types::{CooperativeMatrix, Image, Type, is_cross_workgroup};

/// Stands for "in no block" and the like.
pub(crate) const NONE: u32 = u32::MAX;

/// Stand for the block of ids that are in none, but of which some rules ask where
/// they are used: functions, and variables outside of functions.
const FUNCTION: u32 = NONE - 1;
const GLOBAL: u32 = NONE - 2;
/// The same of anything else in no block, but not before the functions, such as
/// parameters.
const PARAMETER: u32 = NONE - 3;

/// What is known of an id: 8 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Def {
    /// The word offset of the defining instruction; 0 when there is none. The
    /// top bit says that the instruction has a result type.
    offset: u32,
    /// The block that the definition stands in, or that it begins; from [`PARAMETER`]
    /// up none.
    block: u32,
}

const HAS_TYPE: u32 = 1 << 31;

impl Def {
    /// The word offset of the instruction; 0 when there is none.
    #[inline]
    pub(crate) fn offset(self) -> u32 {
        self.offset & !HAS_TYPE
    }

    /// Whether there is a result type.
    #[inline]
    pub(crate) fn has_type(self) -> bool {
        self.offset & HAS_TYPE != 0
    }

    /// The index of the block that it stands in or begins; a number above all
    /// blocks if there is none.
    #[inline]
    pub(crate) fn block(self) -> u32 {
        self.block
    }

    /// Whether it is a value, and defined before an offset.
    #[inline]
    pub(crate) fn is_value_before(self, offset: u32) -> bool {
        // Without a type, the first is above any offset.
        self.offset ^ HAS_TYPE < offset
    }

    /// Whether it stands in this block, or before the functions and is no variable.
    #[inline]
    pub(crate) fn is_at_hand_in(self, block: u32) -> bool {
        self.block == block || self.block == NONE
    }

    /// Whether it stands in a block.
    #[inline]
    pub(crate) fn is_in_block(self) -> bool {
        self.block < PARAMETER
    }

    /// Whether it is an `OpFunction`.
    #[inline]
    pub(crate) fn is_function(self) -> bool {
        self.block == FUNCTION
    }

    /// Whether it is a variable outside of functions.
    #[inline]
    pub(crate) fn is_global(self) -> bool {
        self.block == GLOBAL
    }
}

/// What the caller calls ids, without the `%`.
pub(crate) type GivenNames<'n> = &'n dyn Fn(Id) -> Option<String>;

/// An `OpEntryPoint`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EntryPoint<'a> {
    pub(crate) inst: Inst<'a>,
    pub(crate) model: ExecutionModel,
    pub(crate) function: Id,
    pub(crate) interface: &'a [u32],
}

impl EntryPoint<'_> {
    pub(crate) fn name(&self) -> String {
        self.inst
            .string(2)
            .map_or_else(String::new, |name| name.to_text_lossy())
    }
}

/// The capabilities that are declared or implied by declared ones.
#[derive(Clone, Debug)]
pub(crate) struct Capabilities {
    bits: [u64; Self::WORDS],
}

impl Capabilities {
    /// The registry's numbers stay far below 64 times this.
    const WORDS: usize = 128;

    pub(crate) fn new() -> Self {
        Self {
            bits: [0; Self::WORDS],
        }
    }

    #[inline]
    pub(crate) fn contains(&self, capability: Capability) -> bool {
        let word = self.bits.get(capability.0 as usize / 64);
        word.is_some_and(|word| word >> (capability.0 % 64) & 1 != 0)
    }

    /// Adds a capability and those it implies.
    pub(crate) fn add(&mut self, capability: Capability) {
        let mut todo = Vec::new();
        let mut next = Some(capability);
        while let Some(capability) = next.take().or_else(|| todo.pop()) {
            if self.contains(capability) {
                continue;
            }
            if let Some(word) = self.bits.get_mut(capability.0 as usize / 64) {
                *word |= 1 << (capability.0 % 64);
            }
            if let Some(info) = OperandKind::Capability.enumerant(capability.0) {
                let implied = info.availability().capabilities().iter().copied();
                todo.extend(implied.filter(|&implied| !self.contains(implied)));
            }
        }
    }
}

/// Where instructions stand that use what few instructions use, so that rules
/// about it needn't look at all. Found while the operands of all instructions are
/// looked at for the first time; in module order.
#[derive(Debug, Default)]
pub(crate) struct InterestingUses {
    /// Those that use functions or, behind their declarations, function types.
    pub(crate) functions: Vec<u32>,
    /// Those behind the first `OpFunction` that use variables from outside of
    /// functions.
    pub(crate) globals: Vec<u32>,
    /// Of blocks that use values of other blocks, which these are: the numbers of both,
    /// each pair once. `OpPhi`s don't count.
    pub(crate) block_uses: Vec<(u32, u32)>,
    /// Those that use parameters or, between blocks, what blocks define, and all `OpPhi`.
    pub(crate) crossing: Vec<u32>,
    pub(crate) phis: Vec<u32>,
    /// Those that may handle pointers in ways that logical addressing lacks.
    pub(crate) pointers: Vec<u32>,
    /// Those that make sampled images.
    pub(crate) sampled_images: Vec<u32>,
}

impl InterestingUses {
    /// Nothing yet, with room for what most modules of so many words have.
    pub(crate) fn for_words(words: usize) -> Self {
        let likely = words / 128;
        Self {
            globals: Vec::with_capacity(likely),
            block_uses: Vec::with_capacity(likely),
            crossing: Vec::with_capacity(likely),
            phis: Vec::with_capacity(likely / 2),
            pointers: Vec::with_capacity(likely / 2),
            ..Self::default()
        }
    }
}

/// The index.
pub(crate) struct Module<'a> {
    pub(crate) words: &'a [u32],
    pub(crate) header: Header,
    /// The version of the language that the header names.
    pub(crate) version: Version,
    pub(crate) options: &'a Options,
    pub(crate) env: Env,
    ids: IdMap<Def>,
    /// What the decoder must know of ids: types, sets of extended instructions, and the
    /// values by which switches select.
    pub(crate) definitions: Definitions,
    pub(crate) capabilities: Capabilities,
    /// Every `OpExtension`, with its name.
    pub(crate) extensions: Vec<(Inst<'a>, String)>,
    pub(crate) addressing: AddressingModel,
    pub(crate) memory_model: MemoryModel,
    pub(crate) entry_points: Vec<EntryPoint<'a>>,
    /// The models and functions of entry points that there may be, as
    /// specialization says.
    conditional_entry_points: Vec<(ExecutionModel, Id)>,
    /// `OpExecutionMode` and `OpExecutionModeId`: entry point and offset,
    /// sorted.
    modes: Vec<(u32, u32)>,
    last_local_size: OnceCell<Option<Id>>,
    /// Entry points' functions and modes that they have.
    declared_modes: OnceCell<HashSet<(u32, u32)>>,
    /// Annotations: target and where, sorted.
    annotations: Vec<(u32, decorations::Place)>,
    /// The offsets of all `OpGroupMemberDecorate`.
    member_groups: Vec<u32>,
    has_groups: bool,
    pub(crate) functions: Vec<Function>,
    pub(crate) blocks: Vec<Block>,
    /// Calls: the index of the function that calls, and the id of the one that
    /// is called.
    calls: Vec<(u32, Id)>,
    function_indexes: IdMap<u32>,
    /// The models of each function that is an entry point, by id.
    entry_models: OnceCell<Vec<(u32, Models)>>,
    structures: OnceCell<decorations::Structures>,
    known_types: RefCell<contents::Known>,
    modeless: RefCell<Vec<functions::Reached>>,
    /// What instructions have been found to be right.
    pub(crate) sound: Sound,
    /// The offsets of variables outside of functions.
    pub(crate) globals: Vec<u32>,
    /// The offsets of types and variables before the first function, and of what
    /// else there has a result without a type.
    pub(crate) declared: Vec<u32>,
    /// The offsets of variables in functions.
    pub(crate) locals: Vec<u32>,
    /// The offsets of instructions whose results were defined before, or aren't
    /// between 1 and the bound.
    pub(crate) odd_results: Vec<u32>,
    /// How many operands may still be looked at to find those at fault.
    operands_to_look_at: Cell<u64>,
    names: OnceCell<names::Names>,
    given_names: Option<GivenNames<'a>>,
    /// Where functions, function types and global variables are used.
    pub(crate) interesting: InterestingUses,
    /// What the message in the making speaks of.
    pub(crate) mentions: Mentions,
    uses: OnceCell<functions::Uses>,
    /// Instructions that begin with a word count of zero or past the end.
    pub(crate) broken_tail: Option<spirvkit_binary::Error>,
}

impl<'a> Module<'a> {
    /// Reads a module's instructions. The header must have been checked.
    pub(crate) fn index(
        words: &'a [u32],
        header: Header,
        options: &'a Options,
        given_names: Option<GivenNames<'a>>,
    ) -> Self {
        let limit = words.len();
        // As many as most modules of this size have at least, so that the lists are
        // not moved often while they grow.
        let likely = limit / 128;
        let mut m = Self {
            words,
            header,
            version: Version::from_word(words.get(1).copied().unwrap_or(0))
                .unwrap_or(Version::V1_0),
            options,
            env: Env::new(options.env),
            ids: IdMap::with_bound(
                Def {
                    offset: 0,
                    block: NONE,
                },
                limit,
                header.bound,
            ),
            definitions: Definitions::with_bound(limit, header.bound),
            capabilities: Capabilities::new(),
            extensions: Vec::new(),
            addressing: AddressingModel::Logical,
            memory_model: MemoryModel::Simple,
            entry_points: Vec::new(),
            modes: Vec::new(),
            last_local_size: OnceCell::new(),
            declared_modes: OnceCell::new(),
            annotations: Vec::with_capacity(likely),
            member_groups: Vec::new(),
            has_groups: false,
            functions: Vec::new(),
            blocks: Vec::with_capacity(likely),
            calls: Vec::new(),
            function_indexes: IdMap::new(NONE, limit),
            conditional_entry_points: Vec::new(),
            entry_models: OnceCell::new(),
            structures: OnceCell::new(),
            known_types: RefCell::default(),
            modeless: RefCell::new(Vec::new()),
            sound: Sound::new(),
            globals: Vec::new(),
            declared: Vec::with_capacity(likely),
            locals: Vec::with_capacity(likely / 4),
            operands_to_look_at: Cell::new(most_operands_looked_at(words.len())),
            odd_results: Vec::new(),
            names: OnceCell::new(),
            given_names,
            interesting: InterestingUses::default(),
            mentions: Mentions::default(),
            uses: OnceCell::new(),
            broken_tail: None,
        };
        let mut builder = functions::Builder::default();
        let mut selectors = Vec::new();
        let mut end = HEADER_WORDS;
        for inst in m.all_instructions() {
            end = inst.offset() as usize + inst.words().len();
            let role = Role::of(inst.op());
            builder.add(&mut m, inst, role);
            m.note_result(inst, builder.block());
            if role != Role::Nothing {
                m.note(inst, role, builder.block());
            }
            if role == Role::Terminator && inst.op() == Op::Switch {
                selectors.push(inst.id(0));
            }
        }
        if end < words.len()
            && let Ok(module) = spirvkit_binary::Module::new(words)
        {
            m.broken_tail = module.instructions().find_map(Result::err);
        }
        builder.finish(&mut m);
        for selector in selectors {
            if let Some(ty) = m.type_of(selector) {
                m.definitions.define_value(selector, ty);
            }
        }
        // It was made by doubling, and stays.
        m.blocks.shrink_to_fit();
        m.modes.sort_unstable();
        m.sort_annotations();
        functions::find_models(&mut m);
        m
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
        let mut home = block;
        if block == NONE {
            let is_variable = op.is_variable();
            let is_before_functions = self.functions.is_empty();
            if is_before_functions && (!has_type || is_variable) {
                self.declared.push(offset);
            }
            home = match op {
                Op::Function => FUNCTION,
                _ if is_variable => GLOBAL,
                _ if is_before_functions => NONE,
                _ => PARAMETER,
            };
        }
        let def = self.ids.slot(result);
        let is_new = def.offset == 0;
        if !is_new || result.0 == 0 || result.0 >= self.header.bound {
            self.odd_results.push(offset);
        }
        if !is_new {
            return;
        }
        *def = Def {
            offset: if has_type { offset | HAS_TYPE } else { offset },
            block: home,
        };
        if !has_type && op != Op::Label {
            let offset = WordOffset(offset as usize);
            let instruction = Instruction::from_words(inst.words(), offset);
            instruction.map(|instruction| self.definitions.define(&instruction));
        }
    }

    /// Notes what an instruction declares.
    #[inline]
    fn note(&mut self, inst: Inst<'a>, role: Role, block: u32) {
        match role {
            Role::Capability => self.capabilities.add(Capability(inst.arg(0))),
            Role::ConditionalCapability => self.capabilities.add(Capability(inst.arg(1))),
            Role::Extension => {
                let index = usize::from(inst.op() == Op::ConditionalExtensionINTEL);
                let name = inst.string(index).map(|name| name.to_text_lossy());
                self.extensions.push((inst, name.unwrap_or_default()));
            }
            Role::MemoryModel => {
                self.addressing = AddressingModel(inst.arg(0));
                self.memory_model = MemoryModel(inst.arg(1));
            }
            Role::EntryPoint => {
                let name = inst.string(2).map_or(0, |name| name.words().len());
                self.entry_points.push(EntryPoint {
                    inst,
                    model: ExecutionModel(inst.arg(0)),
                    function: inst.id(1),
                    interface: inst.args().get(2 + name..).unwrap_or_default(),
                });
            }
            Role::ConditionalEntryPoint => {
                let entry = (ExecutionModel(inst.arg(1)), inst.id(2));
                self.conditional_entry_points.push(entry);
            }
            Role::ExecutionMode => {
                self.modes.push((inst.arg(0), inst.offset()));
            }
            Role::Decoration => {
                self.annotations
                    .push((inst.arg(0), decorations::Place::of(inst)));
            }
            Role::GroupDecoration => {
                for &target in inst.args().iter().skip(1) {
                    self.annotations
                        .push((target, decorations::Place::of(inst)));
                }
            }
            Role::GroupMemberDecoration => self.note_group_members(inst),
            Role::DecorationGroup => self.has_groups = true,
            Role::Variable if block == NONE => {
                self.globals.push(inst.offset());
            }
            Role::Variable => self.locals.push(inst.offset()),
            // What shapes functions is followed elsewhere.
            _ => {}
        }
    }

    /// The first operand, but the result, of the instruction at an offset that is such
    /// an id: the index of its word.
    pub(crate) fn operand_that(
        &self,
        offset: u32,
        mut is_meant: impl FnMut(Id) -> bool,
    ) -> Option<usize> {
        self.find_operand(offset, |operand| match operand.value {
            Value::Id(id) => operand.kind != OperandKind::IdResult && is_meant(id),
            _ => false,
        })
    }

    /// The first operand that a message names: by its id, of which the message
    /// mentions these definitions, or else by what stands for it in a text. The result
    /// is among them, the result type only if the message calls it so.
    pub(crate) fn operand_named_in(
        &self,
        offset: u32,
        message: &str,
        mentions: &[u32],
    ) -> Option<usize> {
        let inst = Inst::at(self.words, offset)?;
        let mut by_id = mentions.iter().filter_map(|&mention| match mention {
            // Nothing defines it.
            0 => None,
            _ if mention == offset => member_word(&inst, message).or(inst.result_word()),
            _ => self.find_operand(offset, |operand| match operand.value {
                Value::Id(id) => !is_result(operand) && self.def_offset(id) == mention,
                _ => false,
            }),
        });
        let by_name = || self.find_operand(offset, |operand| is_named(operand, message));
        let by_kind = || {
            let is_meant = message.contains("result type") && inst.result_type().is_some();
            is_meant.then_some(1)
        };
        // A message that ends with what was found instead says that last. Of extended
        // instructions, everything is an id, and much the same.
        let is_plain = !inst.op().is_ext_inst();
        let numbers = message.rsplit(' ').filter(|_| is_plain);
        let mut numbers = numbers.filter_map(as_number);
        let by_number = || {
            numbers.find_map(|number| {
                self.find_operand(offset, |operand| match operand.value {
                    Value::Integer(value) => u64::from(value) == number,
                    Value::Id(id) => !is_result(operand) && self.constant_u64(id) == Some(number),
                    _ => false,
                })
            })
        };
        let named = by_id.next().or_else(by_name).or_else(by_kind);
        named.or_else(by_number)
    }

    #[cold]
    fn find_operand(
        &self,
        offset: u32,
        mut is_meant: impl FnMut(&Operand<'_>) -> bool,
    ) -> Option<usize> {
        /// Of one instruction: each of its words may be a finding, for which it is read.
        const MAX: usize = 4096;
        let left = self.operands_to_look_at.get();
        if left == 0 {
            return None;
        }
        let inst = Inst::at(self.words, offset)?;
        let instruction = Instruction::from_words(inst.words(), WordOffset(offset as usize))?;
        let operands = instruction.operands(&self.definitions).take(MAX);
        let operands = operands.map_while(Result::ok);
        let mut looked = 0;
        let mut operands = operands.inspect(|_| looked += 1);
        let found = operands.find(|operand| is_meant(operand));
        self.operands_to_look_at.set(left.saturating_sub(looked));
        found.map(|operand| operand.word)
    }

    /// The instruction that defines an id.
    #[inline]
    pub(crate) fn def(&self, id: Id) -> Option<Inst<'a>> {
        match self.ids.get(id).offset() {
            0 => None,
            offset => Inst::at(self.words, offset),
        }
    }

    /// Where an id is defined.
    #[inline]
    pub(crate) fn whereabouts(&self, id: Id) -> Def {
        self.ids.get(id)
    }

    /// The words of the instruction that defines an id.
    #[inline]
    fn def_words(&self, id: Id) -> Option<&'a [u32]> {
        match self.ids.get(id).offset() {
            0 => None,
            offset => {
                let rest = self.words.get(offset as usize..)?;
                rest.get(..(rest.first()? >> 16) as usize)
            }
        }
    }

    /// Whether an instruction is of an extended set that says nothing of what the
    /// module does.
    pub(crate) fn is_remark(&self, inst: Inst<'_>) -> bool {
        self.is_remark_at(inst.offset())
    }

    /// Whether the one at a word offset is.
    pub(crate) fn is_remark_at(&self, offset: u32) -> bool {
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

    /// The word offset of the instruction that defines an id; 0 when none does.
    #[inline]
    pub(crate) fn def_offset(&self, id: Id) -> u32 {
        self.ids.get(id).offset()
    }

    /// The block that an id is defined in, or that a label begins: an index of
    /// [`blocks`](Self::blocks). `None` outside of blocks.
    #[inline]
    pub(crate) fn block_of(&self, id: Id) -> Option<u32> {
        let def = self.ids.get(id);
        def.is_in_block().then_some(def.block)
    }

    /// The opcode that defines an id; `OpNop` when none does.
    #[inline]
    pub(crate) fn op_of(&self, id: Id) -> Op {
        match self.ids.get(id).offset() {
            0 => Op::Nop,
            offset => Op(self.words[offset as usize] as u16),
        }
    }

    /// The type of a value: `None` for anything that is no value.
    #[inline]
    pub(crate) fn type_of(&self, id: Id) -> Option<Id> {
        let def = self.ids.get(id);
        match def.has_type() {
            true => self.words.get(def.offset() as usize + 1).map(|&ty| Id(ty)),
            false => None,
        }
    }

    /// Whether a capability is declared or implied.
    #[inline]
    pub(crate) fn has(&self, capability: Capability) -> bool {
        self.capabilities.contains(capability)
    }

    /// Whether an extension is declared.
    pub(crate) fn has_extension(&self, name: &str) -> bool {
        self.extensions.iter().any(|(_, declared)| declared == name)
    }

    /// The instruction at a word offset.
    #[inline]
    pub(crate) fn inst(&self, offset: u32) -> Option<Inst<'a>> {
        Inst::at(self.words, offset)
    }

    /// The instructions that start in a range of words.
    pub(crate) fn instructions(
        &self,
        range: std::ops::Range<u32>,
    ) -> impl Iterator<Item = Inst<'a>> + use<'a> {
        let words = self.words;
        let mut next = range.start;
        std::iter::from_fn(move || {
            if next >= range.end {
                return None;
            }
            let inst = Inst::at(words, next)?;
            next += inst.words().len() as u32;
            Some(inst)
        })
    }

    /// All instructions.
    pub(crate) fn all_instructions(&self) -> impl Iterator<Item = Inst<'a>> + use<'a> {
        let mut rest = self.words.get(HEADER_WORDS..).unwrap_or_default();
        let mut offset = HEADER_WORDS as u32;
        std::iter::from_fn(move || {
            let count = (rest.first()? >> 16) as usize;
            let (words, next) = rest.split_at_checked(count)?;
            let inst = Inst::standing_at(words, offset)?;
            rest = next;
            offset += count as u32;
            Some(inst)
        })
    }

    /// The `OpExecutionMode` and `OpExecutionModeId` instructions of an entry
    /// point's function, in order.
    pub(crate) fn execution_modes(&self, function: Id) -> impl Iterator<Item = Inst<'a>> + '_ {
        let start = self.modes.partition_point(|mode| mode.0 < function.0);
        self.modes[start..]
            .iter()
            .take_while(move |mode| mode.0 == function.0)
            .filter_map(|mode| self.inst(mode.1))
    }

    /// Whether an entry point's function has an execution mode. Many entry points
    /// may be of one function, so that going through its modes for each takes
    /// too long.
    pub(crate) fn has_execution_mode(&self, function: Id, mode: ExecutionMode) -> bool {
        let all = self.declared_modes.get_or_init(|| {
            let modes = self.all_execution_modes();
            modes.map(|(id, inst)| (id.0, inst.arg(1))).collect()
        });
        all.contains(&(function.0, mode.0))
    }

    /// The one of the ids that entry points' `LocalSizeId` modes name that is
    /// defined last.
    pub(crate) fn last_local_size(&self) -> Option<Id> {
        *self.last_local_size.get_or_init(|| {
            let modes = self.all_execution_modes();
            let sizes = modes
                .filter(|(function, mode)| {
                    mode.op() == Op::ExecutionModeId
                        && ExecutionMode(mode.arg(1)) == ExecutionMode::LocalSizeId
                        && self.entry_models(*function).is_some()
                })
                .flat_map(|(_, mode)| (2..5).map(move |index| mode.id(index)));
            sizes.max_by_key(|&size| self.def_offset(size))
        })
    }

    /// All `OpExecutionMode` and `OpExecutionModeId` instructions with the
    /// functions that they name, sorted by function.
    pub(crate) fn all_execution_modes(&self) -> impl Iterator<Item = (Id, Inst<'a>)> + '_ {
        let modes = self.modes.iter();
        modes.filter_map(|mode| Some((Id(mode.0), self.inst(mode.1)?)))
    }

    /// The instructions that use an id as an operand, as word offsets, in module
    /// order. The first call builds an index of the whole module: for rules that
    /// few modules need.
    pub(crate) fn uses(&self, id: Id) -> &[u32] {
        self.uses.get_or_init(|| functions::Uses::new(self)).of(id)
    }

    /// Whether the module has no entry point, although it must have one.
    pub(crate) fn lacks_entry_point(&self) -> bool {
        self.entry_points.is_empty()
            && !self.has(Capability::Linkage)
            && !self.has(Capability::GraphARM)
            && self.conditional_entry_points.is_empty()
    }
}

/// How many operands are looked at in a module of so many words to find those at fault:
/// a measure of time, that of a module full of findings being as long as that of reading it
/// some dozens of times.
const fn most_operands_looked_at(words: usize) -> u64 {
    const FOR_EACH_WORD: u64 = 64;
    const FOR_ANY_MODULE: u64 = 4 << 20;
    let words = words as u64;
    words
        .saturating_mul(FOR_EACH_WORD)
        .saturating_add(FOR_ANY_MODULE)
}

/// The word with the member of a structure that a message about it names.
fn member_word(inst: &Inst<'_>, message: &str) -> Option<usize> {
    let (_, rest) = message.split_once("member ")?;
    let index = rest.split(' ').next()?.parse::<usize>().ok()?;
    let word = index.checked_add(2)?;
    (inst.op() == Op::TypeStruct && word < inst.words().len()).then_some(word)
}

/// A word of a message as a number, without what ends a sentence or a part of it.
fn as_number(word: &str) -> Option<u64> {
    word.trim_end_matches([',', ';', '.', ':']).parse().ok()
}

fn is_result(operand: &Operand<'_>) -> bool {
    matches!(
        operand.kind,
        OperandKind::IdResult | OperandKind::IdResultType
    )
}

/// Whether a message names an operand that is no id.
fn is_named(operand: &Operand<'_>, message: &str) -> bool {
    let names = |name: &str| has_word(message, name);
    match operand.value {
        Value::Enumerant { info, .. } => info.is_some_and(|info| names(info.name())),
        Value::Mask(bits) => (0..u32::BITS)
            .filter(|bit| bits >> bit & 1 != 0)
            .filter_map(|bit| operand.kind.enumerant(1 << bit))
            .any(|info| names(info.name())),
        Value::ExtInst { info, .. } => info.is_some_and(|info| names(info.name())),
        Value::SpecConstantOp(op) => names(&op.to_string()),
        // As words, names may stand in any sentence.
        Value::String(text) => text.to_text().is_ok_and(|text| {
            let quoted = [format!("\"{text}\""), format!("`{text}`")];
            quoted.iter().any(|text| message.contains(text)) || text.contains('_') && names(&text)
        }),
        _ => false,
    }
}

/// Whether a word stands in a text by itself.
fn has_word(text: &str, word: &str) -> bool {
    let mut found = text.match_indices(word).filter(|_| !word.is_empty());
    found.any(|(start, _)| {
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '%';
        let (before, after) = (&text[..start], &text[start + word.len()..]);
        !before.ends_with(is_part) && !after.starts_with(is_part)
    })
}
