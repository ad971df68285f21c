//! How large a module is, and of what.

use serde::Serialize;
use spirvkit_binary::{HEADER_WORDS, Instruction, Section};
use spirvkit_grammar::Op;

use crate::serial;

/// How large a module is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Parts {
    /// Capabilities, extensions, imports, the memory model, entry points and
    /// execution modes.
    pub modes: u64,
    /// Strings, sources, names and lines before the functions.
    pub debug: u64,
    /// Decorations.
    pub annotations: u64,
    /// Types, constants and global variables, and what stands among them.
    pub declarations: u64,
    /// All from the first function on.
    pub functions: u64,
}

/// How often a module has an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct OpcodeCount {
    /// The opcode.
    #[serde(serialize_with = "serial::name")]
    pub opcode: Op,
    /// How often.
    pub count: u64,
}

/// Counts instructions.
#[derive(Debug, Default)]
pub(crate) struct Counter {
    instructions: u64,
    ids: u64,
    parts: Parts,
    /// By opcode, as far as the highest that was found.
    counts: Vec<u32>,
}

impl Counter {
    pub(crate) fn add(&mut self, instruction: &Instruction<'_>, in_functions: bool) {
        let op = instruction.op();
        self.instructions += 1;
        self.ids += u64::from(instruction.result().is_some());
        if self.counts.len() <= usize::from(op.0) {
            self.counts.resize(usize::from(op.0) + 1, 0);
        }
        self.counts[usize::from(op.0)] += 1;
        let words = instruction.words().len() as u64;
        *match in_functions {
            true => &mut self.parts.functions,
            false => self.part(instruction),
        } += words;
    }

    fn part(&mut self, instruction: &Instruction<'_>) -> &mut u64 {
        let op = instruction.op();
        if matches!(op, Op::Line | Op::NoLine) {
            return &mut self.parts.debug;
        }
        let section = instruction.info().and_then(|info| Section::of(op, info));
        match section {
            Some(Section::Sources | Section::Names | Section::Processed) => &mut self.parts.debug,
            Some(Section::Annotations) => &mut self.parts.annotations,
            Some(section) if section < Section::Sources => &mut self.parts.modes,
            _ => &mut self.parts.declarations,
        }
    }

    pub(crate) fn finish(&self) -> Statistics {
        let counts = (0..=u16::MAX).zip(&self.counts);
        let counts = counts.filter(|&(_, &count)| count > 0);
        let mut opcodes: Vec<OpcodeCount> = counts
            .map(|(op, &count)| OpcodeCount {
                opcode: Op(op),
                count: count.into(),
            })
            .collect();
        opcodes.sort_by_key(|counted| (u64::MAX - counted.count, counted.opcode));
        let parts = &self.parts;
        Statistics {
            words: HEADER_WORDS as u64
                + parts.modes
                + parts.debug
                + parts.annotations
                + parts.declarations
                + parts.functions,
            instructions: self.instructions,
            ids: self.ids,
            parts: self.parts,
            opcodes,
        }
    }
}
