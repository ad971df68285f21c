//! How large a module is, and of what.

use spirvkit_binary::{HEADER_WORDS, Instruction, Section};
use spirvkit_grammar::Op;

#[cfg(feature = "serde")]
use crate::serial;

/// How large a module is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Statistics {
    /// Its length in 32-bit words, the header's five included.
    pub words: u64,
    /// How many instructions it has.
    pub instructions: u64,
    /// How many of them define an id.
    pub ids: u64,
    /// What its words are for; with the header's, they are all.
    pub parts: Parts,
    /// How often it has each opcode, the most frequent first.
    pub opcodes: Vec<OpcodeCount>,
}

/// How many words the parts of a module take (specification, section 2.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Parts {
    /// Capabilities, extensions, imports, the memory model, entry points and
    /// execution modes.
    pub modes: u64,
    /// Strings, sources, names and lines before the functions.
    pub debug: u64,
    /// Decorations.
    pub annotations: u64,
    /// Types, constants and global variables, and what is among them.
    pub declarations: u64,
    /// All from the first function on.
    pub functions: u64,
}

/// How often a module has an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct OpcodeCount {
    /// The opcode.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::name"))]
    pub opcode: Op,
    /// How often.
    pub count: u64,
}

/// Counts instructions.
#[derive(Debug, Default)]
pub(crate) struct Counter {
    ids: u64,
    /// By opcode, as far as the highest that was found.
    tallies: Vec<Tally>,
}

/// What is counted of an opcode.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    count: u32,
    /// How many words it takes before the functions.
    words: u32,
}

impl Counter {
    #[inline]
    pub(crate) fn add(&mut self, instruction: &Instruction<'_>, in_functions: bool) {
        self.ids += u64::from(instruction.result().is_some());
        let op = usize::from(instruction.op().0);
        if op >= self.tallies.len() {
            self.tallies.resize(op + 1, Tally::default());
        }
        let tally = &mut self.tallies[op];
        tally.count += 1;
        if !in_functions {
            tally.words += instruction.words().len() as u32;
        }
    }

    /// The statistics of a module of this many words, all of whose instructions have
    /// been added.
    pub(crate) fn finish(&self, words: usize) -> Statistics {
        let words = words as u64;
        let mut parts = Parts::default();
        let mut before_functions = HEADER_WORDS as u64;
        let mut instructions = 0;
        let mut opcodes = Vec::new();
        let tallies = (0..=u16::MAX).map(Op).zip(&self.tallies);
        for (opcode, tally) in tallies.filter(|(_, tally)| tally.count > 0) {
            let count = u64::from(tally.count);
            *parts.of(opcode) += u64::from(tally.words);
            before_functions += u64::from(tally.words);
            instructions += count;
            opcodes.push(OpcodeCount { opcode, count });
        }
        parts.functions = words.saturating_sub(before_functions);
        opcodes.sort_by_key(|counted| (u64::MAX - counted.count, counted.opcode));
        Statistics {
            words,
            instructions,
            ids: self.ids,
            parts,
            opcodes,
        }
    }
}

impl Parts {
    /// The part to which an opcode belongs before the functions.
    fn of(&mut self, op: Op) -> &mut u64 {
        if op.is_line() {
            return &mut self.debug;
        }
        match op.info().and_then(|info| Section::of(op, info)) {
            Some(Section::Sources | Section::Names | Section::Processed) => &mut self.debug,
            Some(Section::Annotations) => &mut self.annotations,
            Some(section) if section < Section::Sources => &mut self.modes,
            _ => &mut self.declarations,
        }
    }
}
