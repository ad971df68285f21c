//! Comments that spell out what a reader would otherwise look up: the types of
//! results, the values of constants, the names behind numbers.
//!
//! One pass over the module, before any text is written, works out a short text
//! for every id that has something to say: a type as the [speller](Speller) has it,
//! a constant's value, a variable's name, the path an access chain takes. Each is
//! made once and cut to a length, and paths of the texts of what they start from; so
//! the work is linear in the module's size however its types nest, and nothing
//! recurses.

mod describe;
mod labels;
mod members;
mod paths;

use std::fmt::Write as _;

use spirvkit_analysis::index::spelling::{self, Speller};
use spirvkit_analysis::index::{Decorated, Inst};
use spirvkit_analysis::{Lookup, ModuleIndex};
use spirvkit_binary::{Id, IdMap, Instruction, LiteralString, Module, Value, WordOffset};
use spirvkit_grammar::{BuiltIn, Decoration, Enumeration};

use super::DisassembleOptions;
use super::names::Names;
use super::plain::{clip, push_plain, separate};

/// The most characters of a name from the module.
pub(super) const NAME: usize = 40;
/// The most characters of a type's text or a value's label.
pub(super) const TEXT: usize = 80;
/// The most characters of a whole comment.
const COMMENT: usize = 120;

/// What the module says of its ids.
pub(super) struct Annotations<'a> {
    index: ModuleIndex<'a>,
    /// Whether the text shows ids by their names.
    friendly: bool,
    /// Whether to leave decorations out, because another comment has them.
    omit_decorations: bool,
    /// The texts that the spans below are in.
    text: String,
    /// The spellings of types, and what values are called or are.
    labels: IdMap<Span>,
    scratch: String,
}

/// A text among all.
#[derive(Clone, Copy, Default)]
struct Span {
    start: usize,
    length: u16,
    /// Whether the id, as the text shows it, says the same already.
    obvious: bool,
}

impl<'a> Annotations<'a> {
    pub(super) fn new(module: &Module<'a>, options: &DisassembleOptions, names: &Names) -> Self {
        let words = module.words();
        let mut annotations = Self {
            index: ModuleIndex::with_header(words, *module.header()),
            friendly: options.friendly_names,
            omit_decorations: options.comments,
            text: String::new(),
            labels: IdMap::new(Span::default(), words.len()),
            scratch: String::new(),
        };
        for inst in annotations.index.all_instructions() {
            if let Some(id) = inst.result()
                && annotations.index.def_offset(id) == inst.offset()
            {
                let label = annotations.label_of(id, inst, names);
                *annotations.labels.slot(id) = label;
            }
        }
        annotations
    }

    /// Writes a text and puts it among the others.
    fn keep(&mut self, write: impl FnOnce(&Self, &mut String)) -> Span {
        let mut text = std::mem::take(&mut self.scratch);
        text.clear();
        write(self, &mut text);
        clip(&mut text, 0, TEXT);
        let start = self.text.len();
        self.text.push_str(&text);
        let length = u16::try_from(text.len()).unwrap_or(0);
        self.scratch = text;
        Span {
            start,
            length,
            obvious: false,
        }
    }

    /// The spelling of a type, or what a value is called or is.
    fn label(&self, id: Id) -> Option<&str> {
        let span = self.labels.get(id);
        let text = self
            .text
            .get(span.start..span.start + usize::from(span.length))?;
        (!text.is_empty()).then_some(text)
    }

    fn is_type(&self, id: Id) -> bool {
        self.index.op_of(id).is_type()
    }

    /// Writes what an id stands for, or else the id.
    fn mention(&self, out: &mut String, id: Id, names: &Names) {
        match self.label(id) {
            Some(text) => out.push_str(text),
            None => push_id(out, id, names),
        }
    }

    /// Writes a type or a constant.
    fn spell(&self, out: &mut String, id: Id, names: &Names) {
        Speller::new(&self.index, &self.called(names)).write(out, id);
    }

    /// Writes a constant as a number of things or a place in a list.
    fn count(&self, out: &mut String, id: Id, names: &Names) {
        Speller::new(&self.index, &self.called(names)).write_count(out, id);
    }

    /// How the speller is to call what it doesn't spell out.
    fn called<'s>(&'s self, names: &'s Names) -> Called<'s, 'a> {
        Called {
            annotations: self,
            names,
        }
    }

    /// Adds what a decoration says of its target.
    fn decoration(&self, all: &mut String, decorated: &Decorated<'_>, names: &Names) {
        if all.len() > COMMENT {
            return;
        }
        separate(all, 0);
        let Some(instruction) = instruction_of(decorated.inst) else {
            return;
        };
        let called = self.called(names);
        let speller = Speller::new(&self.index, &called);
        let operands = instruction
            .operands(&self.index.definitions)
            .skip(1 + usize::from(decorated.member.is_some()))
            .map_while(Result::ok);
        for (index, operand) in operands.enumerate() {
            if index > 0 {
                all.push(' ');
            }
            match operand.value {
                Value::Enumerant { value, .. }
                    if index == 0 && value == Decoration::DescriptorSet.0 =>
                {
                    all.push_str("set");
                }
                Value::Enumerant { value, .. } if index == 0 && value == Decoration::Binding.0 => {
                    all.push_str("binding");
                }
                _ => speller.write_operand(all, &operand),
            }
        }
        clip(all, 0, COMMENT);
    }
}

/// How the speller calls what has no spelling: by labels, names, or as the text does.
struct Called<'s, 'a> {
    annotations: &'s Annotations<'a>,
    names: &'s Names,
}

impl spelling::Names for Called<'_, '_> {
    fn id(&self, out: &mut String, id: Id) {
        self.annotations.mention(out, id, self.names);
    }

    fn structure(&self, out: &mut String, id: Id) {
        match own_name(&self.annotations.index, id) {
            name if name.is_empty() => {
                out.push_str("struct ");
                push_id(out, id, self.names);
            }
            name => out.push_str(&name),
        }
    }

    fn string(&self, out: &mut String, text: &str) {
        push_plain(out, text, NAME);
    }
}

/// What the module calls an id: by `OpName`, or after a built-in; empty if nothing.
pub(super) fn own_name(index: &ModuleIndex<'_>, id: Id) -> String {
    let mut text = String::new();
    if let Some(name) = index.name_of(id) {
        push_plain(&mut text, &name.to_text_lossy(), NAME);
    }
    if text.is_empty()
        && let Some(built_in) = index.decoration(id, Decoration::BuiltIn)
    {
        text.push_str(BuiltIn(built_in.param(0)).name().unwrap_or("?"));
    }
    text
}

/// The same instruction with what the grammar says of it.
fn instruction_of(inst: Inst<'_>) -> Option<Instruction<'_>> {
    Instruction::from_words(inst.words(), WordOffset(inst.offset() as usize))
}

/// Appends an id as the text shows it.
pub(super) fn push_id(out: &mut String, id: Id, names: &Names) {
    let _ = match names.get(id) {
        Some(name) => write!(out, "%{name}"),
        None => write!(out, "{id}"),
    };
}

/// Appends a literal string that should be at the start of words.
fn push_string(out: &mut String, words: &[u32]) {
    if let Some(string) = LiteralString::at_start_of(words) {
        push_plain(out, &string.to_text_lossy(), NAME);
    }
}
