//! The module as the rules see it: its index, and what it is checked by.

mod contents;
mod names;
mod reached;
mod sound;
mod steps;

use std::cell::{Cell, OnceCell, RefCell};
use std::ops::Deref;

use spirvkit_analysis::ModuleIndex;
use spirvkit_binary::{Header, Id, Instruction, Operand, Value, WordOffset};
use spirvkit_grammar::{
    BuiltIn, Capability, Decoration, ExecutionMode, Op, OperandKind, StorageClass, Version,
};

use crate::finding::Mentions;
use crate::options::{Env, Options};
pub(crate) use contents::{Contents, Likeness};
pub(crate) use names::{set_title, shorten};
pub(crate) use sound::{Signature, Sound};
pub(crate) use spirvkit_analysis::index::{
    Block, CooperativeMatrix, Decorated, Entries, EntryPoint, Function, Image, Inst, Models, Reach,
    Whereabouts,
};
pub(crate) use spirvkit_analysis::{Capabilities, Lookup, Type};
pub(crate) use steps::{Step, base_operand, first_index};

/// Stands for "in no block" and the like.
pub(crate) const NONE: u32 = u32::MAX;

/// More than the numbers of the opcodes that are assigned: for tables by opcode.
pub(crate) const OPCODES: usize = 1 << 13;

/// Whether a storage class is `CrossWorkgroup` or one of its subsets
/// (`SPV_ALTERA_usm_storage_classes`).
pub(crate) fn is_cross_workgroup(class: StorageClass) -> bool {
    matches!(
        class,
        StorageClass::CrossWorkgroup
            | StorageClass::DeviceOnlyALTERA
            | StorageClass::HostOnlyALTERA
    )
}

/// What the caller calls ids, without the `%`.
pub(crate) type GivenNames<'n> = &'n dyn Fn(Id) -> Option<String>;

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

/// A module that is checked.
pub(crate) struct Module<'a> {
    index: ModuleIndex<'a>,
    /// The version of the language that the header names.
    pub(crate) version: Version,
    pub(crate) options: &'a Options,
    pub(crate) env: Env,
    last_local_size: OnceCell<Option<Id>>,
    workgroup_size: OnceCell<Option<Id>>,
    known_types: RefCell<contents::Known>,
    modeless: RefCell<Vec<reached::Reached>>,
    /// What instructions have been found to be right.
    pub(crate) sound: Sound,
    /// How many operands may still be looked at to find those at fault.
    operands_to_look_at: Cell<u64>,
    given_names: Option<GivenNames<'a>>,
    /// Where functions, function types and global variables are used.
    pub(crate) interesting: InterestingUses,
    /// What the message in the making speaks of.
    pub(crate) mentions: Mentions,
}

impl<'a> Deref for Module<'a> {
    type Target = ModuleIndex<'a>;

    #[inline]
    fn deref(&self) -> &ModuleIndex<'a> {
        &self.index
    }
}

impl<'a> Module<'a> {
    /// Reads a module's instructions. The header must have been checked.
    pub(crate) fn index(
        words: &'a [u32],
        header: Header,
        options: &'a Options,
        given_names: Option<GivenNames<'a>>,
    ) -> Self {
        Self {
            index: ModuleIndex::with_header(words, header),
            version: Version::from_word(words.get(1).copied().unwrap_or(0))
                .unwrap_or(Version::V1_0),
            options,
            env: Env::new(options.env),
            last_local_size: OnceCell::new(),
            workgroup_size: OnceCell::new(),
            known_types: RefCell::default(),
            modeless: RefCell::new(Vec::new()),
            sound: Sound::new(),
            operands_to_look_at: Cell::new(most_operands_looked_at(words.len())),
            given_names,
            interesting: InterestingUses::default(),
            mentions: Mentions::default(),
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

    /// The object that is decorated `WorkgroupSize`.
    pub(crate) fn workgroup_size(&self) -> Option<Id> {
        *self.workgroup_size.get_or_init(|| {
            let mut all = self.all_decorated_with(Decoration::BuiltIn);
            let found = all.find(|(id, decorated)| {
                decorated.param(0) == BuiltIn::WorkgroupSize.0
                    && decorated.member.is_none()
                    && !matches!(self.op_of(*id), Op::Nop | Op::DecorationGroup)
            });
            found.map(|it| it.0)
        })
    }

    /// The value of a 32-bit integer that no specialization changes.
    pub(crate) fn constant_u32(&self, id: Id) -> Option<u32> {
        let value = self.constant_u64(id)?;
        let is_wide = self.bit_width(self.type_of(id)?) == 32;
        is_wide.then_some(value as u32)
    }

    /// Whether two types have the same number of components, as far as that is known: the
    /// lengths of long vectors may depend on specialization. A vector of one component is
    /// no scalar.
    pub(crate) fn same_dimension(&self, one: Id, other: Id) -> bool {
        if one == other {
            return true;
        }
        let (is_vector, both) = (
            self.is_vector(one),
            self.is_vector(one) == self.is_vector(other),
        );
        match (self.dimension(one), self.dimension(other)) {
            (0, _) | (_, 0) => both && is_vector,
            (count, other) => both && count == other,
        }
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
        // As words, names may be in any sentence.
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
