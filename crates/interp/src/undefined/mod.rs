//! Where undefined values may go, and instructions that follow them there.
//!
//! A program that has been lowered (and optimized) is looked at as a whole: which columns and
//! which memory may have undefined bits (`reach`), and of these only what may get to where an
//! undefined value is reported: a branch, an address, an atomic. Variables that are written
//! before they are read on all ways count as defined (`flow`). What is left gets a *shadow*, a
//! column of bits that are set where those of the value are undefined, and instructions that
//! compute it ([`Inst::Undefined`](crate::program::Inst::Undefined)), which stand before those
//! whose values they follow (`insert`). So a program without a way from an undefined value to
//! a place that matters has none of them.
//!
//! As long as a gang has met no undefined value, all its shadows are zero, and only the steps
//! that can bring one up are done.

mod bits;
mod effects;
mod flow;
mod insert;
mod reach;

use std::ops::Range;
use std::sync::Arc;

use crate::program::{Binary, Cell, NO_REG, Program, Reg};

pub(crate) use bits::{Operand, undefined_bits};
pub(crate) use insert::instrument;

/// The index of a shadow.
pub(crate) type Slot = u32;

/// A value whose bits are all undefined: `OpUndef` and its like.
#[derive(Clone, Debug)]
pub(crate) struct UndefinedValue {
    pub(crate) column: Reg,
    pub(crate) name: Arc<str>,
    /// The word offset of the instruction.
    pub(crate) place: u32,
}

/// A variable without an initial value.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: Arc<str>,
    pub(crate) home: Home,
    /// The function that it belongs to, unless it is the module's.
    pub(crate) function: Option<u32>,
}

#[derive(Clone, Debug)]
pub(crate) enum Home {
    Columns(Vec<Reg>),
    Object(u32),
}

/// What is undefined where it must not be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Condition,
    Selector,
    Address,
    /// The value or the comparator of an atomic.
    AtomicOperand,
    /// What an atomic replaces by something made of it.
    AtomicMemory,
    Assumption,
    /// The barrier that is waited at.
    Barrier,
    /// Which pipe it is, which packets of it, or how many.
    Pipe,
    /// What is enqueued, or which event it is.
    Enqueue,
    /// A value that is stored to a buffer; only if that is asked for.
    Stored,
}

/// Where an undefined value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// One of [`Program::undefined_values`].
    Value(u32),
    /// One of [`Program::variables`], and which of its columns.
    Variable(u32, u32),
    /// A byte of an object to which nothing was written.
    Memory { object: u32, offset: u32 },
    /// An invocation that takes no part.
    Inactive,
}

/// Where an undefined value comes from, and the word offset of the instruction that brought it
/// up, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) source: Source,
    pub(crate) place: Option<u32>,
}

/// The undefined bits of a value in memory, and where they come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UndefinedBits {
    pub(crate) bits: u64,
    pub(crate) origin: Option<Origin>,
}

/// How a step computes the shadows that it writes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rule {
    /// All bits are undefined where one of what it reads is.
    Any,
    /// Each is the one that is read in the same place.
    Same,
    /// All is defined.
    Clear,
    /// All is undefined: that of [`Program::variables`], from this column of it on.
    Begin(u32, u32),
    /// The condition, and what it chooses from.
    Select,
    Binary(Binary),
    /// As one of [`Program::general`] does.
    General(u32),
    /// One of [`Program::groups`].
    Group(u32),
    /// Loads a cell, or only by the invocations that this one of [`Program::specials`] says.
    Load(Cell, u32),
    /// Stores what it reads, likewise.
    Store(Cell, u32),
    /// One of [`Program::atomics`].
    Atomic(u32),
    /// Nothing is written yet to an object of the lanes.
    BeginObject(u32),
    /// Reports.
    Check(Use),
    /// What the machine does by itself when it executes the instruction.
    Hook,
}

/// A step of those that follow undefined values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) rule: Rule,
    /// A range of [`Undefined::reads`].
    pub(crate) reads: (u32, u32),
    /// A range of [`Undefined::writes`].
    pub(crate) writes: (u32, u32),
    /// Whether it matters even if the gang has met nothing undefined.
    pub(crate) is_source: bool,
}

/// What follows undefined values in a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Undefined {
    pub(crate) steps: Vec<Step>,
    /// Columns with their shadows, or [`NO_REG`].
    pub(crate) reads: Vec<(Reg, Slot)>,
    pub(crate) writes: Vec<Slot>,
    /// The shadow of each column, or [`NO_REG`].
    pub(crate) slots: Vec<Slot>,
    /// How many shadows there are.
    pub(crate) shadows: u32,
    /// Shadows of [`Program::undefined_values`], with their index.
    pub(crate) values: Vec<(Slot, u32)>,
    /// For each of [`Program::moves`] whether it is the first of some that take one of these.
    pub(crate) moves: Vec<bool>,
    /// Whether memory of the lanes may have undefined bytes that matter.
    pub(crate) follows_lanes: bool,
    /// The ranges of memory of the workgroup that begin undefined.
    pub(crate) workgroup: Vec<Range<u32>>,
}

impl Undefined {
    /// The columns that a step reads, with their shadows.
    pub(crate) fn reads(&self, step: Step) -> &[(Reg, Slot)] {
        &self.reads[step.reads.0 as usize..step.reads.1 as usize]
    }

    /// The shadows that a step writes.
    pub(crate) fn writes(&self, step: Step) -> &[Slot] {
        &self.writes[step.writes.0 as usize..step.writes.1 as usize]
    }

    /// The shadow of a column, if it has one.
    pub(crate) fn slot(&self, column: Reg) -> Option<Slot> {
        let slot = self.slots.get(column as usize).copied();
        slot.filter(|&slot| slot != NO_REG)
    }
}

impl Program {
    /// How many bytes of the workgroup say which of the others are undefined: how many those
    /// are, and a bit for each.
    pub(crate) fn workgroup_shadow(&self) -> usize {
        match &self.undefined {
            Some(undefined) if !undefined.workgroup.is_empty() => {
                4 + self.workgroup_bytes.div_ceil(8) as usize
            }
            _ => 0,
        }
    }
}
