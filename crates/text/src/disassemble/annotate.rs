//! Comments that spell out what a reader would otherwise look up: the types of
//! results, the values of constants, the names behind numbers.
//!
//! One pass over the module, before any text is written, works out a short text
//! for every type and a label for every value that has something to say: a
//! constant's value, a variable's name, the path an access chain takes. Each is
//! made once, of the texts of the ids it refers to, and cut to a length; so
//! the work is linear in the module's size however its types nest, and nothing
//! recurses.

mod describe;
mod paths;
mod types;
mod values;

pub(super) use values::has_value;

use std::fmt::Write as _;

use hashbrown::HashMap;
use spirvkit_binary::{
    Definitions, Id, IdMap, Import, Instruction, LiteralString, Module, Operand, Value, WordOffset,
};
use spirvkit_grammar::{BuiltIn, Decoration, Enumeration, Op, OperandKind, StorageClass};

use super::DisassembleOptions;
use super::names::Names;
use super::plain::{clip, push_plain, separate};

/// The most characters of a name from the module.
const NAME: usize = 40;
/// The most characters of a type's text or a value's label.
const TEXT: usize = 80;
/// The most characters of a whole comment.
const COMMENT: usize = 120;

/// What the module says of its ids.
pub(super) struct Annotations<'a> {
    words: &'a [u32],
    /// Whether the text shows ids by their names.
    friendly: bool,
    /// Whether to leave decorations out, because another comment has them.
    omit_decorations: bool,
    /// The only ids of which something is to be said, if not of all. Of decorations and
    /// members nothing is said then.
    only: Option<IdMap<bool>>,
    definitions: Definitions,
    /// Where the instruction stands that defines an id; 0 if none does.
    declarations: IdMap<usize>,
    /// The texts that the spans below are in.
    text: String,
    names: IdMap<Span>,
    types: IdMap<Span>,
    labels: IdMap<Span>,
    members: HashMap<(u32, u32), Member>,
    decorations: HashMap<u32, String>,
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

/// What debug information and decorations say of a structure's member.
#[derive(Default)]
struct Member {
    name: String,
    offset: Option<u32>,
    decorations: String,
}

impl<'a> Annotations<'a> {
    pub(super) fn new(module: &Module<'a>, options: &DisassembleOptions, names: &Names) -> Self {
        Self::of(module, options, names, None)
    }

    /// The same for some ids only, and what they are made of.
    pub(super) fn of(
        module: &Module<'a>,
        options: &DisassembleOptions,
        names: &Names,
        only: Option<IdMap<bool>>,
    ) -> Self {
        let limit = module.words().len();
        let mut annotations = Self {
            words: module.words(),
            friendly: options.friendly_names,
            omit_decorations: options.comments,
            only,
            definitions: Definitions::for_module(module),
            declarations: IdMap::new(0, limit),
            text: String::new(),
            names: IdMap::new(Span::default(), limit),
            types: IdMap::new(Span::default(), limit),
            labels: IdMap::new(Span::default(), limit),
            members: HashMap::new(),
            decorations: HashMap::new(),
            scratch: String::new(),
        };
        for instruction in module.instructions().map_while(Result::ok) {
            if annotations.concerns(&instruction) {
                annotations.note(&instruction, names);
            }
        }
        annotations
    }

    /// Whether what is to be said depends on an instruction.
    fn concerns(&self, instruction: &Instruction<'_>) -> bool {
        let Some(only) = &self.only else {
            return true;
        };
        match (instruction.op(), instruction.words()) {
            (Op::Name | Op::TypeForwardPointer, [_, target, ..]) => only.get(Id(*target)),
            (Op::Decorate, [_, target, decoration, ..]) => {
                Decoration(*decoration) == Decoration::BuiltIn && only.get(Id(*target))
            }
            _ => instruction.result().is_some_and(|id| only.get(id)),
        }
    }

    /// Spells types anew if some were declared behind what is made of them: pointers that
    /// `OpTypeForwardPointer` announces.
    pub(super) fn spell_again(&mut self, module: &Module<'a>, names: &Names) {
        let instructions = || module.instructions().map_while(Result::ok);
        if !instructions().any(|it| it.op() == Op::TypeForwardPointer) {
            return;
        }
        for instruction in instructions().filter(|it| it.op().is_type()) {
            if let Some(id) = instruction.result()
                && self.declarations.get(id) == instruction.offset().0
            {
                let span = self.keep(|notes, out| notes.type_text(out, &instruction, names));
                *self.types.slot(id) = span;
            }
        }
    }

    /// Remembers what an instruction says.
    fn note(&mut self, instruction: &Instruction<'a>, names: &Names) {
        let words = instruction.words();
        match (instruction.op(), words) {
            (Op::Name, [_, target, text @ ..]) => {
                let span = self.keep(|_, out| push_string(out, text));
                *self.names.slot(Id(*target)) = span;
            }
            (Op::Decorate, [_, target, decoration, built_in])
                if Decoration(*decoration) == Decoration::BuiltIn
                    && self.name(Id(*target)).is_none() =>
            {
                let span = self.keep(|_, out| out.push_str(enumerant_name::<BuiltIn>(*built_in)));
                *self.names.slot(Id(*target)) = span;
                self.decorate(*target, instruction, names);
            }
            (Op::MemberName, [_, target, member, text @ ..]) => {
                let member = self.members.entry((*target, *member)).or_default();
                member.name.clear();
                push_string(&mut member.name, text);
            }
            (op, [_, target, ..]) if op.is_decorate() => {
                self.decorate(*target, instruction, names);
            }
            (Op::MemberDecorate, [_, target, member, decoration, offset])
                if Decoration(*decoration) == Decoration::Offset =>
            {
                let member = self.members.entry((*target, *member)).or_default();
                member.offset = Some(*offset);
            }
            (op, [_, target, member, decoration, ..])
                if op.is_member_decorate() && !is_usual_layout(Decoration(*decoration)) =>
            {
                let mut known = self.members.remove(&(*target, *member)).unwrap_or_default();
                self.decoration(&mut known.decorations, instruction, 2, names);
                self.members.insert((*target, *member), known);
            }
            // Pointers to it may come before its declaration.
            (Op::TypeForwardPointer, [_, pointer, class]) => {
                let class = enumerant_name::<StorageClass>(*class);
                let span = self.keep(|_, out| out.push_str(&format!("ptr<{class}, …>")));
                *self.types.slot(Id(*pointer)) = span;
            }
            (Op::GroupDecorate, [_, group, targets @ ..]) => self.share(*group, targets),
            _ => self.note_result(instruction, names),
        }
    }

    fn decorate(&mut self, target: u32, instruction: &Instruction<'_>, names: &Names) {
        let mut all = self.decorations.remove(&target).unwrap_or_default();
        self.decoration(&mut all, instruction, 1, names);
        self.decorations.insert(target, all);
    }

    /// Gives the decorations of a group to its members.
    fn share(&mut self, group: u32, targets: &[u32]) {
        let Some(text) = self.decorations.get(&group).cloned() else {
            return;
        };
        for target in targets {
            let all = self.decorations.entry(*target).or_default();
            separate(all, 0);
            all.push_str(&text);
            clip(all, 0, COMMENT);
        }
    }

    /// Remembers what an instruction defines.
    fn note_result(&mut self, instruction: &Instruction<'a>, names: &Names) {
        let Some(id) = instruction.result() else {
            return;
        };
        if self.definitions.define(instruction).is_some() {
            return;
        }
        *self.declarations.slot(id) = instruction.offset().0;
        if instruction.op().is_type() {
            let span = self.keep(|notes, out| notes.type_text(out, instruction, names));
            *self.types.slot(id) = span;
        } else {
            let span = self.label_of(id, instruction, names);
            *self.labels.slot(id) = span;
        }
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

    fn get(&self, span: Span) -> Option<&str> {
        let text = self
            .text
            .get(span.start..span.start + usize::from(span.length))?;
        (!text.is_empty()).then_some(text)
    }

    /// The `OpName` of an id.
    fn name(&self, id: Id) -> Option<&str> {
        self.get(self.names.get(id))
    }

    /// The text of a type.
    fn type_name(&self, id: Id) -> Option<&str> {
        self.get(self.types.get(id))
    }

    /// What a value is called, or what it is.
    fn label(&self, id: Id) -> Option<&str> {
        self.get(self.labels.get(id))
    }

    /// Whether an instruction defines an id.
    pub(super) fn is_declared(&self, id: Id) -> bool {
        self.declarations.get(id) > 0
    }

    /// The instruction that defines an id.
    fn declaration(&self, id: Id) -> Option<Instruction<'a>> {
        let offset = self.declarations.get(id);
        let words = self.words.get(offset..).filter(|_| offset > 0)?;
        let count = words.first()? >> 16;
        Instruction::from_words(words.get(..count as usize)?, WordOffset(offset))
    }

    /// Writes what an id stands for, or else the id.
    pub(super) fn mention(&self, out: &mut String, id: Id, names: &Names) {
        match self.type_name(id).or_else(|| self.label(id)) {
            Some(text) => out.push_str(text),
            None => push_id(out, id, names),
        }
    }

    /// Writes an operand that is not of the usual sort.
    fn operand(&self, out: &mut String, operand: &Operand<'_>, names: &Names) {
        let kind = operand.kind;
        match operand.value {
            Value::Id(id) => match self.constant_name(kind, id) {
                Some(name) => out.push_str(&name),
                None => self.mention(out, id, names),
            },
            Value::Enumerant {
                info: Some(info), ..
            } => out.push_str(info.name()),
            Value::Mask(bits) => push_mask(out, kind, bits),
            Value::String(string) => push_plain(out, &string.to_text_lossy(), NAME),
            Value::SpecConstantOp(op) => {
                let name = op.name().unwrap_or_default();
                out.push_str(name.strip_prefix("Op").unwrap_or(name));
            }
            Value::Integer(value) | Value::Opaque(value) | Value::Enumerant { value, .. } => {
                let _ = write!(out, "{value}");
            }
            Value::Float(bits) => {
                let _ = write!(out, "{:?}", f32::from_bits(bits));
            }
            _ => out.push('?'),
        }
    }

    /// Adds what a decoration says of its target: the operands from `skip` on.
    fn decoration(
        &self,
        all: &mut String,
        instruction: &Instruction<'_>,
        skip: usize,
        names: &Names,
    ) {
        if all.len() > COMMENT {
            return;
        }
        separate(all, 0);
        let operands = instruction
            .operands(&self.definitions)
            .skip(skip)
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
                _ => self.operand(all, &operand, names),
            }
        }
        clip(all, 0, COMMENT);
    }

    /// The name that a scope or a memory semantics operand stands for.
    fn constant_name(&self, kind: OperandKind, id: Id) -> Option<String> {
        let kind = match kind {
            OperandKind::IdScope => OperandKind::Scope,
            OperandKind::IdMemorySemantics => OperandKind::MemorySemantics,
            _ => return None,
        };
        let value = self.constant(id)?;
        if kind == OperandKind::Scope {
            return Some(kind.enumerant(value)?.name().to_owned());
        }
        let mut out = String::new();
        push_mask(&mut out, kind, value);
        Some(out)
    }

    /// The value of a constant that is an unsigned integer.
    fn constant(&self, id: Id) -> Option<u32> {
        let declaration = self.declaration(id)?;
        match *declaration.words() {
            [_, _, _, value] if declaration.op() == Op::Constant => Some(value),
            _ => None,
        }
    }

    /// Whether an id is a set whose instructions the text has by number only.
    fn is_unknown_set(&self, id: Id) -> bool {
        use spirvkit_binary::Definition;
        matches!(
            self.definitions.get(id),
            Definition::Import(Import::Unknown)
        )
    }
}

/// What the layout of nearly every matrix in a block is.
fn is_usual_layout(decoration: Decoration) -> bool {
    matches!(decoration, Decoration::ColMajor | Decoration::MatrixStride)
}

/// Appends an id as the text shows it.
fn push_id(out: &mut String, id: Id, names: &Names) {
    let _ = match names.get(id) {
        Some(name) => write!(out, "%{name}"),
        None => write!(out, "{id}"),
    };
}

/// Appends a literal string that should stand at the start of words.
fn push_string(out: &mut String, words: &[u32]) {
    if let Some(string) = LiteralString::at_start_of(words) {
        push_plain(out, &string.to_text_lossy(), NAME);
    }
}

fn push_mask(out: &mut String, kind: OperandKind, bits: u32) {
    let start = out.len();
    let mut rest = bits;
    while rest != 0 {
        let bit = rest & rest.wrapping_neg();
        if out.len() > start {
            out.push('|');
        }
        match kind.enumerant(bit) {
            Some(info) => out.push_str(info.name()),
            None => {
                let _ = write!(out, "{bit:#x}");
            }
        }
        rest &= !bit;
    }
    if bits == 0 {
        out.push_str("None");
    }
}

/// The name of a value of an enumeration, or nothing.
fn enumerant_name<E: Enumeration>(value: u32) -> &'static str {
    E::from_value(value).name().unwrap_or("?")
}
