//! Where ids are defined and used.
//!
//! [`DefUse`] is made once from a module that stays as it is, and answers in
//! constant time. Its numbers are places of instructions in what it was made from,
//! counted from 0, and indexes of words in an instruction: 0 holds the opcode, 1 is
//! the first operand, the result type if there is one.
//!
//! A use is any operand that is an id and not the instruction's result. Operands are
//! read by the grammar; where an instruction can't be decoded further, and where an
//! enumerant or opcode that the grammar doesn't know hides what follows, its uses
//! end. An id that several instructions define has the first of them as its
//! definition.
//!
//! ```
//! use spirvkit_analysis::uses::{DefUse, UseKind};
//! use spirvkit_binary::{Definitions, Id, Module};
//!
//! let text = "
//!     OpName %2 \"pair\"
//!     %1 = OpTypeFloat 32
//!     %2 = OpTypeStruct %1 %1";
//! let assembled = spirvkit_text::assemble(text, &Default::default()).unwrap();
//! let module = Module::new(&assembled.words)?;
//! let mut definitions = Definitions::for_module(&module);
//! for instruction in module.instructions() {
//!     definitions.define(&instruction?);
//! }
//!
//! let uses = DefUse::new(|| module.instructions().map_while(Result::ok), &definitions);
//! let (float, pair) = (Id(1), Id(2));
//! assert_eq!(uses.definition(float), Some(1));
//! let words: Vec<_> = uses.of(float).iter().map(|found| (found.instruction, found.word)).collect();
//! assert_eq!(words, [(2, 2), (2, 3)]);
//! assert_eq!(uses.of(pair)[0].kind, UseKind::Debug);
//! assert_eq!(uses.values(pair).count(), 0);
//! # Ok::<(), spirvkit_binary::Error>(())
//! ```

use alloc::vec::Vec;

use spirvkit_binary::{Definitions, Id, IdMap, Instruction, LiteralString};
use spirvkit_grammar::{Class, ExtInstSet, Op};

use crate::NONE;
use crate::lists::{Filling, Lists};

/// A use of an id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// The place of the instruction that has the id as an operand.
    pub instruction: u32,
    /// The index of the word that is the operand.
    pub word: u16,
    /// What it is used for.
    pub kind: UseKind,
}

/// What an id is used for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UseKind {
    /// For its value, or for what else it stands for: what is declared and computed
    /// depends on it.
    #[default]
    Value,
    /// By an annotation instruction, such as `OpDecorate`.
    Annotation,
    /// By a debug instruction, such as `OpName`, or by an extended instruction of a
    /// set of debugging information or of one that has no semantics: nothing is
    /// computed otherwise without it.
    Debug,
    /// By a mode-setting instruction: as the function or the interface of an entry
    /// point, or in an execution mode.
    ModeSetting,
}

/// The definitions and uses of all ids of a module. The module's documentation says
/// what becomes of a broken one.
#[derive(Clone, Debug)]
pub struct DefUse {
    /// For each id its place in the tables below, or [`NONE`].
    numbers: IdMap<u32>,
    ids: Vec<Id>,
    definitions: Vec<u32>,
    uses: Lists<Use>,
}

impl DefUse {
    /// Looks through a module's instructions, several times: each time the function
    /// must give the same ones. `definitions` must know all of them.
    pub fn new<'a, I>(instructions: impl Fn() -> I, definitions: &Definitions) -> DefUse
    where
        I: Iterator<Item = Instruction<'a>>,
    {
        let words = instructions().map(|instruction| instruction.words().len());
        let mut index = Index {
            numbers: IdMap::new(NONE, words.sum()),
            ids: Vec::new(),
            definitions: Vec::new(),
            counts: Vec::new(),
            without_semantics: IdMap::new(false, 0),
        };
        let mut place = 0u32;
        for instruction in instructions() {
            index.add(&instruction, place, definitions);
            place = place.saturating_add(1);
        }
        let mut uses = Filling::new(index.counts);
        let mut place = 0u32;
        for instruction in instructions() {
            let kind = kind_of(&instruction, &index.without_semantics);
            instruction.each_use(definitions, |word, id| {
                let found = Use {
                    instruction: place,
                    word: word as u16,
                    kind,
                };
                uses.push(index.numbers.get(id), found);
            });
            place = place.saturating_add(1);
        }
        DefUse {
            numbers: index.numbers,
            ids: index.ids,
            definitions: index.definitions,
            uses: uses.finish(),
        }
    }

    /// All ids that are defined or used, in the order in which they come.
    pub fn ids(&self) -> &[Id] {
        &self.ids
    }

    /// The place of the instruction whose result an id is.
    pub fn definition(&self, id: Id) -> Option<u32> {
        let place = self.definitions.get(self.numbers.get(id) as usize).copied();
        place.filter(|&place| place != NONE)
    }

    /// All uses of an id, in the order of instructions and words.
    pub fn of(&self, id: Id) -> &[Use] {
        self.uses.of(self.numbers.get(id))
    }

    /// The uses of an id [for its value](UseKind::Value).
    pub fn values(&self, id: Id) -> impl Iterator<Item = Use> + '_ {
        let uses = self.of(id).iter().copied();
        uses.filter(|found| found.kind == UseKind::Value)
    }
}

/// What the first look at a module finds out.
struct Index {
    numbers: IdMap<u32>,
    ids: Vec<Id>,
    definitions: Vec<u32>,
    counts: Vec<u32>,
    /// Whether an id is an import of a set whose instructions are there for
    /// debugging, or have no semantics. There are few, so they go into the tree.
    without_semantics: IdMap<bool>,
}

impl Index {
    fn number(&mut self, id: Id) -> usize {
        let number = self.numbers.slot(id);
        if *number == NONE {
            *number = self.ids.len() as u32;
            self.ids.push(id);
            self.definitions.push(NONE);
            self.counts.push(0);
        }
        *number as usize
    }

    fn add(&mut self, instruction: &Instruction<'_>, place: u32, definitions: &Definitions) {
        if let Some(id) = instruction.result() {
            let number = self.number(id);
            let definition = &mut self.definitions[number];
            if *definition == NONE {
                *definition = place;
            }
            if is_import_without_semantics(instruction) {
                *self.without_semantics.slot(id) = true;
            }
        }
        instruction.each_use(definitions, |_, id| {
            let number = self.number(id);
            self.counts[number] += 1;
        });
    }
}

fn is_import_without_semantics(instruction: &Instruction<'_>) -> bool {
    if instruction.op() != Op::ExtInstImport {
        return false;
    }
    let name = instruction
        .words()
        .get(2..)
        .and_then(LiteralString::at_start_of);
    let name = name.map(LiteralString::to_text_lossy).unwrap_or_default();
    let for_debugging = [ExtInstSet::DebugInfo, ExtInstSet::OpenClDebugInfo100];
    ExtInstSet::is_non_semantic_name(&name)
        || ExtInstSet::from_import_name(&name).is_some_and(|set| for_debugging.contains(&set))
}

/// What an instruction uses ids for.
fn kind_of(instruction: &Instruction<'_>, without_semantics: &IdMap<bool>) -> UseKind {
    match instruction.op() {
        op if op.is_ext_inst() => {
            let set = instruction.words().get(3).map(|&id| Id(id));
            match set.is_some_and(|set| without_semantics.get(set)) {
                true => UseKind::Debug,
                false => UseKind::Value,
            }
        }
        _ => match instruction.info().map(|info| info.class()) {
            Some(Class::Annotation) => UseKind::Annotation,
            Some(Class::Debug) => UseKind::Debug,
            Some(Class::ModeSetting) => UseKind::ModeSetting,
            _ => UseKind::Value,
        },
    }
}
