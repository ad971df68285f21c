//! The rows of the generated tables and their accessors.

use core::fmt;

use crate::generated::tables;
use crate::{Capability, Class, OperandKind, Version};

/// A string in the name pool: its offset in the upper 24 bits, its length in
/// bytes in the lower 8.
#[derive(Clone, Copy)]
pub(crate) struct Name(pub(crate) u32);

impl Name {
    pub(crate) fn as_str(self) -> &'static str {
        let start = (self.0 >> 8) as usize;
        let end = start + (self.0 & 0xff) as usize;
        tables::NAMES.get(start..end).unwrap_or_default()
    }
}

/// A run of entries in one of the pools: its start in the upper 24 bits, its
/// length in the lower 8.
#[derive(Clone, Copy)]
pub(crate) struct Run(pub(crate) u32);

impl Run {
    pub(crate) fn of<T>(self, pool: &'static [T]) -> &'static [T] {
        let start = (self.0 >> 8) as usize;
        let end = start + (self.0 & 0xff) as usize;
        pool.get(start..end).unwrap_or_default()
    }
}

/// Names from the tables, such as the aliases of an enumerant.
#[derive(Clone)]
pub struct Names(core::slice::Iter<'static, Name>);

impl Names {
    pub(crate) fn new(names: &'static [Name]) -> Self {
        Self(names.iter())
    }
}

impl Iterator for Names {
    type Item = &'static str;

    fn next(&mut self) -> Option<&'static str> {
        self.0.next().map(|name| name.as_str())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl ExactSizeIterator for Names {}

impl fmt::Debug for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

/// The names of extensions, for `OpExtension`.
pub type Extensions = Names;

/// What makes an instruction or an enumerant available (specification, section
/// 2.22 "Unified specification" and the columns of each table).
#[derive(Clone, Copy)]
pub struct Availability {
    pub(crate) capabilities: Run,
    pub(crate) extensions: Run,
    /// `major << 4 | minor` of the first version; 0 when no version has it.
    pub(crate) since: u8,
    /// The same of the last version; 0 when it has not been removed.
    pub(crate) until: u8,
    pub(crate) provisional: bool,
}

const fn unpack_version(packed: u8) -> Option<Version> {
    match packed {
        0 => None,
        _ => Some(Version::new(packed >> 4, packed & 15)),
    }
}

impl Availability {
    /// The enabling capabilities: any one of them suffices, and an empty list
    /// asks for none.
    pub fn capabilities(&self) -> &'static [Capability] {
        self.capabilities.of(tables::CAPABILITIES)
    }

    /// The extensions that add it, any one of which suffices.
    pub fn extensions(&self) -> Extensions {
        Names::new(self.extensions.of(tables::NAME_LISTS))
    }

    /// The first version of the language that has it; `None` when only
    /// extensions do.
    pub fn since(&self) -> Option<Version> {
        unpack_version(self.since)
    }

    /// The last version of the language that has it; `None` when it has not
    /// been removed.
    pub fn until(&self) -> Option<Version> {
        unpack_version(self.until)
    }

    /// Whether the registry marks it as provisional.
    pub fn is_provisional(&self) -> bool {
        self.provisional
    }

    /// Whether a module of this version can use it, given that the module
    /// declares the extension or the capability that enables it.
    pub fn allows(&self, version: Version) -> bool {
        let in_range = self.since().is_some_and(|since| since <= version)
            && self.until().is_none_or(|until| version <= until);
        in_range || !self.capabilities().is_empty() || self.extensions().len() > 0
    }
}

impl fmt::Debug for Availability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Availability")
            .field("capabilities", &self.capabilities())
            .field("extensions", &self.extensions())
            .field("since", &self.since())
            .field("until", &self.until())
            .finish()
    }
}

/// How often an operand occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// Exactly once.
    One,
    /// At most once.
    Optional,
    /// Any number of times, up to the end of the instruction.
    Many,
}

/// One operand of an instruction, or one parameter of an enumerant.
#[derive(Clone, Copy)]
pub struct OperandInfo {
    pub(crate) kind: OperandKind,
    pub(crate) quantifier: Quantifier,
    pub(crate) is_id: bool,
    pub(crate) name: Name,
}

impl OperandInfo {
    /// Whether the operand is an id, of whatever kind.
    #[inline]
    pub fn is_id(&self) -> bool {
        self.is_id
    }

    /// What the operand holds.
    #[inline]
    pub fn kind(&self) -> OperandKind {
        self.kind
    }

    /// How often it occurs.
    #[inline]
    pub fn quantifier(&self) -> Quantifier {
        self.quantifier
    }

    /// The specification's name for it, such as `Memory Model`; empty where the
    /// operand's kind says all there is to say.
    pub fn name(&self) -> &'static str {
        self.name.as_str()
    }
}

impl fmt::Debug for OperandInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OperandInfo")
            .field("kind", &self.kind)
            .field("quantifier", &self.quantifier)
            .field("name", &self.name())
            .finish()
    }
}

/// An instruction of the core or of an extended instruction set.
pub struct InstructionInfo {
    /// Not in the pool: the disassembler wants it at once.
    pub(crate) name: &'static str,
    pub(crate) operands: Run,
    pub(crate) aliases: Run,
    pub(crate) number: u16,
    pub(crate) class: Class,
    pub(crate) has_result_type: bool,
    pub(crate) has_result: bool,
    pub(crate) leading_ids: u8,
    pub(crate) only_ids_follow: bool,
    pub(crate) rest_is_optional: bool,
    pub(crate) availability: Availability,
}

impl InstructionInfo {
    /// The opcode of a core instruction, or an instruction's number in its set.
    #[inline]
    pub fn number(&self) -> u32 {
        u32::from(self.number)
    }

    /// The name: `OpLoad` in the core, `Sqrt` in a set.
    #[inline]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Other names for the same instruction.
    pub fn aliases(&self) -> Names {
        Names::new(self.aliases.of(tables::NAME_LISTS))
    }

    /// The section of the specification that has it.
    pub fn class(&self) -> Class {
        self.class
    }

    /// All operands in the order of the binary form, the result type and the
    /// result among them. The operands of an extended instruction are those
    /// that follow its number.
    #[inline]
    pub fn operands(&self) -> &'static [OperandInfo] {
        self.operands.of(tables::OPERANDS)
    }

    /// Whether the instruction has a result type.
    #[inline]
    pub fn has_result_type(&self) -> bool {
        self.has_result_type
    }

    /// Whether the instruction has a result id.
    #[inline]
    pub fn has_result(&self) -> bool {
        self.has_result
    }

    /// How many of the operands, counted from the first, are ids that must be
    /// there.
    #[inline]
    pub fn leading_ids(&self) -> usize {
        usize::from(self.leading_ids)
    }

    /// Whether nothing has to follow the [leading ids](Self::leading_ids).
    #[inline]
    pub fn rest_is_optional(&self) -> bool {
        self.rest_is_optional
    }

    /// Whether whatever follows the [leading ids](Self::leading_ids) is any
    /// number of ids.
    #[inline]
    pub fn only_ids_follow(&self) -> bool {
        self.only_ids_follow
    }

    /// What makes the instruction available.
    pub fn availability(&self) -> &Availability {
        &self.availability
    }
}

impl fmt::Debug for InstructionInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InstructionInfo")
            .field("name", &self.name())
            .field("number", &self.number)
            .field("class", &self.class)
            .field("operands", &self.operands())
            .field("availability", &self.availability)
            .finish()
    }
}

/// A named value of an enumeration, or a named bit of a mask.
pub struct EnumerantInfo {
    pub(crate) value: u32,
    pub(crate) name: Name,
    pub(crate) parameters: Run,
    pub(crate) aliases: Run,
    pub(crate) availability: Availability,
}

impl EnumerantInfo {
    /// The number that stands in a module.
    pub fn value(&self) -> u32 {
        self.value
    }

    /// The name.
    #[inline]
    pub fn name(&self) -> &'static str {
        self.name.as_str()
    }

    /// Other names for the same value.
    pub fn aliases(&self) -> Names {
        Names::new(self.aliases.of(tables::NAME_LISTS))
    }

    /// The operands that follow where this enumerant stands.
    #[inline]
    pub fn parameters(&self) -> &'static [OperandInfo] {
        self.parameters.of(tables::OPERANDS)
    }

    /// What makes the enumerant available.
    pub fn availability(&self) -> &Availability {
        &self.availability
    }
}

impl fmt::Debug for EnumerantInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnumerantInfo")
            .field("name", &self.name())
            .field("value", &self.value)
            .field("parameters", &self.parameters())
            .field("availability", &self.availability)
            .finish()
    }
}

/// What sort of thing an operand kind is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Category {
    /// An id: one word.
    Id,
    /// A literal: one word or more.
    Literal,
    /// A value of an enumeration: one word, then the enumerant's parameters.
    ValueEnum,
    /// A mask: one word, then the parameters of its bits, lowest bit first.
    BitEnum,
    /// Several operands that repeat together.
    Composite,
}

/// A row of the table of operand kinds.
pub(crate) struct KindRow {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) category: Category,
    /// Where the kind's enumerants, sorted by value, start in the table.
    pub(crate) first_enumerant: u16,
    pub(crate) enumerant_count: u16,
    pub(crate) bases: &'static [OperandKind],
}

/// A row of the table of extended instruction sets.
pub(crate) struct SetRow {
    /// The import name, or its prefix before a version number.
    pub(crate) import_name: &'static str,
    pub(crate) is_prefix: bool,
    pub(crate) first_instruction: u16,
    pub(crate) instruction_count: u16,
}

/// An entry of the look-up by name.
pub(crate) struct NameEntry {
    pub(crate) name: Name,
    pub(crate) space: u16,
    pub(crate) row: u16,
}

/// A row of the generator registry.
pub(crate) struct GeneratorRow {
    pub(crate) tool: u16,
    pub(crate) name: &'static str,
}
