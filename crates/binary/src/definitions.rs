//! What a reader must know of the ids defined so far.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use spirvkit_grammar::{ExtInstSet, Op};

use crate::id::{Id, IdMap};
use crate::instruction::{Instruction, Module};
use crate::number::NumberType;
use crate::string::LiteralString;

/// What an id stands for, as far as decoding other instructions depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Definition {
    /// Nothing has defined the id yet.
    Undefined,
    /// A type whose literals can be read.
    Number(NumberType),
    /// Any other type.
    Type,
    /// A value of this type.
    Value(Id),
    /// An extended instruction set.
    Import(Import),
    /// Anything else: a label, a string, a decoration group.
    Other,
}

/// An imported extended instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Import {
    /// A set of the grammar.
    Known(ExtInstSet),
    /// A set that the grammar doesn't have; its instructions have numbers and,
    /// for want of better knowledge, operands that are ids.
    Unknown,
}

/// An instruction's result id was defined before, as `earlier`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Redefinition {
    /// The id.
    pub id: Id,
    /// What it stands for; the later instruction doesn't change it.
    pub earlier: Definition,
}

/// The ids defined by the instructions seen so far, in one pass over a module.
///
/// It is fed with [`define`](Self::define) and consulted by
/// [`Operands`](crate::Operands): the width of an `OpConstant`'s literal hangs on
/// its type, the literals of an `OpSwitch` on the type of the selector, the
/// operands of an `OpExtInst` on the imported set. An id keeps its first
/// definition.
#[derive(Clone, Debug)]
pub struct Definitions {
    /// For each id a word, because large modules have many: for values, [`VALUES`] and
    /// the number of the type on top; else the place in `others`.
    ids: IdMap<u32>,
    /// What other ids stand for, each thing once: there are few widths of numbers and
    /// few sets. The first is what undefined ids stand for.
    others: Vec<Definition>,
    /// The types of values that have no place in a word, because their numbers are the
    /// largest that there are.
    far: BTreeMap<Id, Id>,
}

/// What stands for undefined ids, and the place of what labels are.
const UNDEFINED: u32 = 0;
const OTHER: u32 = 1;

/// More than there are kinds of numbers and of sets.
const VALUES: u32 = 1 << 10;

/// What stands for values with a type in [`Definitions::far`].
const FAR: u32 = VALUES - 1;

impl Default for Definitions {
    /// An empty table for a module of unknown size.
    fn default() -> Self {
        Self::with_word_limit(0)
    }
}

impl Definitions {
    /// An empty table for a module of at most this many words. (More words do
    /// no harm; they only cost a tree look-up for ids above that number.)
    pub fn with_word_limit(words: usize) -> Self {
        Self::of(IdMap::new(UNDEFINED, words))
    }

    /// The same, with room for all ids below `bound` made at once, as far as so
    /// many words may need it.
    pub fn with_bound(words: usize, bound: u32) -> Self {
        Self::of(IdMap::with_bound(UNDEFINED, words, bound))
    }

    fn of(ids: IdMap<u32>) -> Self {
        Self {
            ids,
            others: vec![Definition::Undefined, Definition::Other, Definition::Type],
            far: BTreeMap::new(),
        }
    }

    /// An empty table for this module.
    pub fn for_module(module: &Module<'_>) -> Self {
        Self::with_bound(module.words().len(), module.header().bound)
    }

    /// What an id stands for.
    #[inline]
    pub fn get(&self, id: Id) -> Definition {
        let code = self.ids.get(id);
        match code.checked_sub(VALUES) {
            Some(ty) => Definition::Value(Id(ty)),
            None => self.other(id, code),
        }
    }

    #[inline]
    fn other(&self, id: Id, code: u32) -> Definition {
        match self.others.get(code as usize) {
            Some(other) => *other,
            None => self
                .far
                .get(&id)
                .map_or(Definition::Other, |&ty| Definition::Value(ty)),
        }
    }

    /// The word for what an id stands for that is no value.
    fn code_of_other(&mut self, other: Definition) -> u32 {
        let known = self.others.iter().position(|each| *each == other);
        let place = known.unwrap_or_else(|| {
            self.others.push(other);
            self.others.len() - 1
        });
        place as u32
    }

    /// The type of the literals of `OpConstant` and the like.
    #[inline]
    pub fn number_type(&self, ty: Id) -> Option<NumberType> {
        match self.get(ty) {
            Definition::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The type of a value.
    pub fn type_of(&self, value: Id) -> Option<Id> {
        match self.get(value) {
            Definition::Value(ty) => Some(ty),
            _ => None,
        }
    }

    /// The type of the literals of an `OpSwitch` with this selector: the type of
    /// the selector, if that is an integer.
    pub fn selector_type(&self, selector: Id) -> Option<NumberType> {
        let number = self.number_type(self.type_of(selector)?)?;
        matches!(number, NumberType::Integer { .. }).then_some(number)
    }

    /// Forgets what an id stands for, because its definition is gone or changed.
    pub fn forget(&mut self, id: Id) {
        *self.ids.slot(id) = UNDEFINED;
        self.far.remove(&id);
    }

    /// Gets ready for a module of more words (see
    /// [`with_word_limit`](Self::with_word_limit)).
    pub fn raise_word_limit(&mut self, words: usize) {
        self.ids.raise_limit(words);
    }

    /// Notes that an id is a value of a type, unless it has a definition: what
    /// [`define`](Self::define) does with an instruction that says so.
    #[inline]
    pub fn define_value(&mut self, id: Id, ty: Id) {
        let slot = self.ids.slot(id);
        if *slot == UNDEFINED {
            *slot = code_of_value(ty).unwrap_or_else(|| {
                self.far.insert(id, ty);
                FAR
            });
        }
    }

    /// Notes the result of an instruction. Returns the earlier definition if
    /// the id had one, which then stays.
    #[inline]
    pub fn define(&mut self, instruction: &Instruction<'_>) -> Option<Redefinition> {
        let id = instruction.result()?;
        // Most instructions that define anything define a value or a label.
        let code = match instruction.result_type() {
            Some(ty) => code_of_value(ty),
            None => (instruction.op() == Op::Label).then_some(OTHER),
        };
        if let Some(code) = code
            && let slot = self.ids.slot(id)
            && *slot == UNDEFINED
        {
            *slot = code;
            return None;
        }
        self.define_other(id, instruction)
    }

    #[inline(never)]
    fn define_other(&mut self, id: Id, instruction: &Instruction<'_>) -> Option<Redefinition> {
        if self.ids.get(id) != UNDEFINED {
            let earlier = self.get(id);
            return Some(Redefinition { id, earlier });
        }
        match instruction.result_type() {
            Some(ty) => self.define_value(id, ty),
            None => {
                let code = self.code_of_other(untyped(instruction));
                *self.ids.slot(id) = code;
            }
        }
        None
    }
}

/// The word for a value of a type, if there is room for the type in it.
#[inline]
fn code_of_value(ty: Id) -> Option<u32> {
    ty.0.checked_add(VALUES)
}

/// The definition by an instruction without a result type.
fn untyped(instruction: &Instruction<'_>) -> Definition {
    let words = instruction.words();
    match instruction.op() {
        Op::TypeInt | Op::TypeFloat => number(NumberType::declared_by(words)),
        Op::ExtInstImport => {
            let name = words.get(2..).and_then(LiteralString::at_start_of);
            Definition::Import(import(
                &name.map_or_else(String::new, LiteralString::to_text_lossy),
            ))
        }
        op if op.is_type() => Definition::Type,
        _ => Definition::Other,
    }
}

fn number(ty: Option<NumberType>) -> Definition {
    ty.map_or(Definition::Type, Definition::Number)
}

fn import(name: &str) -> Import {
    ExtInstSet::from_import_name(name).map_or(Import::Unknown, Import::Known)
}
