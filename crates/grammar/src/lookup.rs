//! Look-ups by number and by name, in constant time.

use crate::generated::tables;
use crate::hash::{hash_name, hash_value};
use crate::info::{EnumerantInfo, InstructionInfo};
use crate::{Category, ExtInstSet, Op, OperandKind};

/// Name spaces of the name table: the core's opcodes, then a space for each
/// operand kind, then one for each extended instruction set.
pub(crate) const OPCODE_SPACE: u16 = 0;
pub(crate) const FIRST_KIND_SPACE: u16 = 1;
pub(crate) const FIRST_SET_SPACE: u16 = 0x100;

/// Follows the probe sequence from `hash` through a table of row indices plus
/// one, in which 0 marks a free slot.
fn probe(slots: &'static [u16], hash: u32, matches: impl Fn(usize) -> bool) -> Option<usize> {
    let mask = slots.len() - 1;
    let mut slot = hash as usize & mask;
    loop {
        let entry = usize::from(*slots.get(slot)?).checked_sub(1)?;
        if matches(entry) {
            return Some(entry);
        }
        slot = (slot + 1) & mask;
    }
}

fn row_by_name(space: u16, name: &str) -> Option<usize> {
    let entry = probe(
        tables::NAME_SLOTS,
        hash_name(space, name.as_bytes()),
        |entry| {
            let entry = &tables::NAME_ENTRIES[entry];
            entry.space == space && entry.name.as_str() == name
        },
    )?;
    Some(usize::from(tables::NAME_ENTRIES[entry].row))
}

/// Every name in a space, aliases included.
fn names_in(space: u16) -> impl Iterator<Item = &'static str> {
    tables::NAME_ENTRIES
        .iter()
        .filter(move |entry| entry.space == space)
        .map(|entry| entry.name.as_str())
}

/// The names of the core's instructions, each behind its length, which is 0 where
/// the name doesn't fit.
static NAME_BLOCKS: [[u8; 32]; tables::INSTRUCTIONS.len()] = {
    let mut blocks = [[0; 32]; tables::INSTRUCTIONS.len()];
    let mut row = 0;
    while row < blocks.len() {
        let name = tables::INSTRUCTIONS[row].name.as_bytes();
        if name.len() < 32 {
            blocks[row][0] = name.len() as u8;
            let mut at = 0;
            while at < name.len() {
                blocks[row][1 + at] = name[at];
                at += 1;
            }
        }
        row += 1;
    }
    blocks
};

/// By opcode, the index of the first word behind result type and result.
static FIRST_WORDS: [u8; tables::OPCODE_ROWS.len()] = {
    let mut words = [1; tables::OPCODE_ROWS.len()];
    let mut row = 0;
    while row < tables::INSTRUCTIONS.len() {
        let info = &tables::INSTRUCTIONS[row];
        words[info.number as usize] += info.has_result_type as u8 + info.has_result as u8;
        row += 1;
    }
    words
};

impl Op {
    /// How many opcodes of the core are assigned.
    pub const COUNT: usize = tables::INSTRUCTIONS.len();

    /// The opcode's place in [`Op::all`], for tables with an entry for each, if it is
    /// assigned.
    #[inline]
    pub fn index(self) -> Option<usize> {
        let row = usize::from(*tables::OPCODE_ROWS.get(usize::from(self.0))?);
        (row < Self::COUNT).then_some(row)
    }

    /// What the grammar says about the opcode, if it is assigned.
    #[inline]
    pub fn info(self) -> Option<&'static InstructionInfo> {
        let row = *tables::OPCODE_ROWS.get(usize::from(self.0))?;
        tables::INSTRUCTIONS.get(usize::from(row))
    }

    /// The index, in words, of what follows the first word, the result type and the result
    /// of an instruction: 3 with both of these, 2 with a result alone, and 1 with neither
    /// or if the opcode is not assigned.
    #[inline]
    pub fn first_argument(self) -> usize {
        let first = FIRST_WORDS.get(usize::from(self.0));
        first.map_or(1, |&first| usize::from(first))
    }

    /// The instruction's name, such as `OpLoad`, if the opcode is assigned.
    pub fn name(self) -> Option<&'static str> {
        self.info().map(InstructionInfo::name)
    }

    /// The instruction's name as a block of bytes with zeros behind it, and its
    /// length, for writers to which copying a block is quicker than copying a text;
    /// `None` if the opcode is not assigned, or the name is longer than most.
    #[inline]
    pub fn name_block(self) -> Option<(&'static [u8; 31], usize)> {
        let row = *tables::OPCODE_ROWS.get(usize::from(self.0))?;
        let block = NAME_BLOCKS.get(usize::from(row))?;
        let [length, bytes @ ..] = block;
        (*length > 0).then_some((bytes, usize::from(*length)))
    }

    /// The opcode with this name or alias, such as `OpLoad`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::from_bare_name(name.strip_prefix("Op")?)
    }

    /// The opcode with this name or alias without its `Op`, as
    /// `OpSpecConstantOp` names it.
    pub fn from_bare_name(name: &str) -> Option<Self> {
        let row = row_by_name(OPCODE_SPACE, name)?;
        tables::INSTRUCTIONS.get(row).map(|info| Self(info.number))
    }

    /// All instructions of the core, by opcode.
    pub fn all() -> &'static [InstructionInfo] {
        tables::INSTRUCTIONS
    }

    /// The names and aliases of all opcodes, each without its `Op`.
    pub fn bare_names() -> impl Iterator<Item = &'static str> {
        names_in(OPCODE_SPACE)
    }
}

impl core::fmt::Display for Op {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "Op({})", self.0),
        }
    }
}

impl core::fmt::Debug for Op {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        core::fmt::Display::fmt(self, f)
    }
}

impl OperandKind {
    fn row(self) -> &'static crate::info::KindRow {
        &tables::KINDS[self as usize]
    }

    fn space(self) -> u16 {
        FIRST_KIND_SPACE + self as u16
    }

    /// The grammar's name, such as `ExecutionMode`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The name in words, such as `execution mode`.
    pub fn description(self) -> &'static str {
        self.row().description
    }

    /// What sort of thing the kind is.
    #[inline]
    pub fn category(self) -> Category {
        self.row().category
    }

    /// The parts of a composite kind, in order; empty for any other.
    #[inline]
    pub fn bases(self) -> &'static [OperandKind] {
        self.row().bases
    }

    /// The kind's named values, sorted by value; empty unless it is an
    /// enumeration.
    pub fn enumerants(self) -> &'static [EnumerantInfo] {
        let row = self.row();
        let first = usize::from(row.first_enumerant);
        &tables::ENUMERANTS[first..first + usize::from(row.enumerant_count)]
    }

    /// The enumerant with this value. For a bit enumeration the value is a
    /// single bit, or 0.
    #[inline]
    pub fn enumerant(self, value: u32) -> Option<&'static EnumerantInfo> {
        let row = self.row();
        let first = usize::from(row.first_enumerant);
        let kind = first..first + usize::from(row.enumerant_count);
        // Most enumerations count up from 0, so the row is where the value says.
        if let Some(info) = tables::ENUMERANTS[kind.clone()].get(value as usize)
            && info.value == value
        {
            return Some(info);
        }
        let found = probe(
            tables::VALUE_SLOTS,
            hash_value(self.space(), value),
            |row| kind.contains(&row) && tables::ENUMERANTS[row].value == value,
        )?;
        Some(&tables::ENUMERANTS[found])
    }

    /// The enumerant with this name or alias.
    pub fn enumerant_by_name(self, name: &str) -> Option<&'static EnumerantInfo> {
        tables::ENUMERANTS.get(row_by_name(self.space(), name)?)
    }

    /// The names and aliases of all enumerants of the kind.
    pub fn enumerant_names(self) -> impl Iterator<Item = &'static str> {
        names_in(self.space())
    }

    /// All operand kinds.
    pub fn all() -> impl Iterator<Item = Self> {
        tables::ALL_KINDS.iter().copied()
    }
}

impl ExtInstSet {
    pub(crate) fn row(self) -> &'static crate::info::SetRow {
        &tables::SETS[self as usize]
    }

    /// The set's instructions, sorted by number.
    pub fn instructions(self) -> &'static [InstructionInfo] {
        let row = self.row();
        let first = usize::from(row.first_instruction);
        &tables::SET_INSTRUCTIONS[first..first + usize::from(row.instruction_count)]
    }

    /// The instruction with this number.
    #[inline]
    pub fn instruction(self, number: u32) -> Option<&'static InstructionInfo> {
        let instructions = self.instructions();
        // Most sets are dense, so the row is the number or close below it.
        match instructions.get(number as usize) {
            Some(info) if info.number() == number => Some(info),
            _ => {
                let row = instructions.binary_search_by_key(&number, InstructionInfo::number);
                instructions.get(row.ok()?)
            }
        }
    }

    /// The instruction with this name.
    pub fn instruction_by_name(self, name: &str) -> Option<&'static InstructionInfo> {
        tables::SET_INSTRUCTIONS.get(row_by_name(FIRST_SET_SPACE + self as u16, name)?)
    }

    /// All known sets.
    pub fn all() -> impl Iterator<Item = Self> {
        tables::ALL_SETS.iter().copied()
    }
}
