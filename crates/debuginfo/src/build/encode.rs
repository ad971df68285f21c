//! Writing debugging instructions as a set wants them.

use std::collections::HashMap;
use std::fmt;

use spirvkit_binary::{Id, LiteralString, NumberType};
use spirvkit_grammar::debug_info::Role;
use spirvkit_grammar::{Category, ExtInstSet, Op, OperandKind, Quantifier};
use spirvkit_ir::builder::Builder;
use spirvkit_ir::{EditError, Module, Place};

use super::order::order;
use super::{Draft, Operand, Target, literal};
use crate::{Field, Kind, Set, Slot};

/// Writes debugging instructions of one set into a module.
///
/// A [`Draft`] is the same for all sets. What is done with it depends on the set:
///
/// - Operands are put into the set's order. Numbers are written as literals, or, in the
///   set [`Set::Shader`], as ids of 32-bit unsigned constants; values of enumerations get
///   the numbers that the set gives to their names; texts become `OpString`s. Constants,
///   strings, the type void and the import are made when they are needed, unless the
///   module has them, so that each is there once.
/// - What is absent at the end, and may be left out, is left out. Elsewhere an absent
///   number is 0 and an absent text the empty string, because these operands have to be
///   constants and strings; anything else that is absent is a `DebugInfoNone`.
/// - What the set has no field for is left out, and given by
///   [`left_out`](Self::left_out).
/// - Where an operand of [`Set::Shader`] is an id that nothing defines yet, the
///   instruction is an `OpExtInstWithForwardRefsKHR`, with the extension
///   `SPV_KHR_relaxed_extended_instruction`.
/// - With [`Set::Shader`] a module below version 1.6 declares
///   `SPV_KHR_non_semantic_info`.
///
/// Most instructions stand behind the types and constants, before the functions:
/// [`add`](Self::add) puts them there, and [`add_all`](Self::add_all) finds an order for
/// many. [`insert`](Self::insert) and [`emit`](Self::emit) are for those that stand in
/// functions.
///
/// An encoder knows what is in the module when it begins, and what it makes itself. While
/// it is used on a [`Module`], nothing else must add types.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use spirvkit_debuginfo::build::{Draft, Encoder};
/// use spirvkit_debuginfo::{Encoding, Field, Kind, Set};
/// use spirvkit_ir::Module;
///
/// let float = Draft::new(Kind::TypeBasic)
///     .with(Field::Name, "float")
///     .with(Field::Size, 32u32)
///     .with(Field::Encoding, Encoding::Float.0);
/// for (set, expected) in [
///     (Set::DebugInfo, "DebugTypeBasic %4 %uint_32 Float"),
///     (Set::Shader, "DebugTypeBasic %4 %uint_32 %uint_3 %uint_0"),
/// ] {
///     let mut module = Module::new(spirvkit_grammar::Version::V1_5);
///     let mut encoder = Encoder::new(&module, set);
///     encoder.add(&mut module, None, &float)?;
///     # let text = spirvkit_text::disassemble(&module.store(), &Default::default()).unwrap().text;
///     # assert!(text.contains(expected), "{text}");
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Encoder {
    set: Set,
    /// The name it is or will be imported with.
    import_name: String,
    grammar: ExtInstSet,
    import: Option<Id>,
    void: Option<Id>,
    none: Option<Id>,
    uint: Option<Id>,
    /// The 64-bit unsigned integer type, if the module has it.
    ulong: Option<Id>,
    /// The constants by their values.
    numbers: HashMap<u64, Id>,
    texts: HashMap<String, Id>,
    left_out: Vec<LeftOut>,
}

/// Something that a set has no room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// The result of the instruction.
    pub id: Id,
    /// What the instruction is.
    pub kind: Kind,
    /// The field that is left out, or, of flags, that has lost some.
    pub field: Field,
    /// The flags that were lost; none if it is the whole field.
    pub flags: Option<u32>,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, field) = (self.kind.name(), self.field.name());
        match self.flags {
            None => write!(f, "{kind} {} has no place for its {field}", self.id),
            Some(flags) => write!(f, "{kind} {} lost the {field} {flags:#x}", self.id),
        }
    }
}

/// Why an instruction can't be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncodeError {
    /// The set, in the version that the module imports, has no such instruction.
    NoSuchKind {
        /// The set.
        set: Set,
        /// The kind of instruction.
        kind: Kind,
    },
    /// The set has no name for the value of an enumeration.
    NoSuchValue {
        /// The set.
        set: Set,
        /// The kind of instruction.
        kind: Kind,
        /// Where the value was to go.
        field: Field,
        /// The value.
        value: u64,
    },
    /// A number has more than 32 bits, where it is a literal or the module has no type
    /// for it.
    TooLarge {
        /// The kind of instruction.
        kind: Kind,
        /// Where the number was to go.
        field: Field,
        /// The number.
        value: u64,
    },
    /// The operand is nothing that can be in the field: a text or the id of
    /// something that is no constant where there are literals, or a list where there is
    /// one operand.
    Unsuited {
        /// The kind of instruction.
        kind: Kind,
        /// The field.
        field: Field,
    },
    /// The module can't take the instruction.
    Edit(EditError),
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchKind { set, kind } => write!(f, "{set} has no {}", kind.name()),
            Self::NoSuchValue {
                set,
                kind,
                field,
                value,
            } => {
                let (kind, field) = (kind.name(), field.name());
                write!(f, "{set} has no name for the {field} {value} of {kind}")
            }
            Self::TooLarge { kind, field, value } => {
                let (kind, field) = (kind.name(), field.name());
                write!(f, "the {field} of {kind}, {value}, has more than 32 bits")
            }
            Self::Unsuited { kind, field } => {
                let (kind, field) = (kind.name(), field.name());
                write!(f, "the value given can't be the {field} of {kind}")
            }
            Self::Edit(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for EncodeError {}

impl From<EditError> for EncodeError {
    fn from(error: EditError) -> Self {
        Self::Edit(error)
    }
}

/// An instruction in words.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Encoded {
    /// `OpExtInst`, or `OpExtInstWithForwardRefsKHR`.
    pub op: Op,
    /// The result type, which is void.
    pub void: Id,
    /// The operands behind the result: the set, the instruction's number, and its own.
    pub operands: Vec<u32>,
}

impl Encoder {
    /// For instructions of a set in a module; of a set with several versions the one
    /// that the module imports, and otherwise [`Set::import_name`].
    pub fn new(module: &Module, set: Set) -> Self {
        Self::with_import_name(module, set, set.import_name())
    }

    /// The same for a certain version of the set, such as
    /// `NonSemantic.Shader.DebugInfo.101`, unless the module imports one already.
    pub fn with_import_name(module: &Module, set: Set, name: &str) -> Self {
        let mut encoder = Self {
            set,
            import_name: name.to_owned(),
            grammar: set.grammar(),
            import: None,
            void: None,
            none: None,
            uint: None,
            ulong: None,
            numbers: HashMap::new(),
            texts: HashMap::new(),
            left_out: Vec::new(),
        };
        encoder.read(module);
        if let Some(grammar) = ExtInstSet::from_import_name(&encoder.import_name) {
            encoder.grammar = grammar;
        }
        encoder
    }

    /// Takes note of what the module has.
    pub(super) fn read(&mut self, module: &Module) {
        for inst in module.globals() {
            let words = module.get(inst).words();
            match (module.op(inst), words) {
                (Op::ExtInstImport, [_, id, name @ ..]) => self.read_import(Id(*id), name),
                (Op::String, [_, id, text @ ..]) => {
                    if let Some(Ok(text)) = LiteralString::at_start_of(text).map(|it| it.to_text())
                    {
                        self.texts.entry(text).or_insert(Id(*id));
                    }
                }
                (Op::TypeVoid, [_, id]) => self.void = self.void.or(Some(Id(*id))),
                (Op::TypeInt, [_, id, 32, 0]) => self.uint = self.uint.or(Some(Id(*id))),
                (Op::TypeInt, [_, id, 64, 0]) => self.ulong = self.ulong.or(Some(Id(*id))),
                (Op::Constant, &[_, ty, id, value]) if Some(Id(ty)) == self.uint => {
                    self.numbers.entry(u64::from(value)).or_insert(Id(id));
                }
                (Op::Constant, &[_, ty, id, low, high]) if Some(Id(ty)) == self.ulong => {
                    let value = NumberType::join(&[low, high]);
                    if high != 0 {
                        self.numbers.entry(value).or_insert(Id(id));
                    }
                }
                (Op::ExtInst, &[_, _, id, set, number])
                    if Some(Id(set)) == self.import && number == Kind::InfoNone.number() =>
                {
                    self.none = self.none.or(Some(Id(id)));
                }
                _ => {}
            }
        }
    }

    fn read_import(&mut self, id: Id, name: &[u32]) {
        let Some(Ok(name)) = LiteralString::at_start_of(name).map(|name| name.to_text()) else {
            return;
        };
        let set = ExtInstSet::from_import_name(&name).and_then(Set::of);
        if set == Some(self.set) && self.import.is_none() {
            self.import = Some(id);
            self.import_name = name;
        }
    }

    /// The set.
    pub fn set(&self) -> Set {
        self.set
    }

    /// What was left out so far, because the set has no room for it, in the order in
    /// which it was to be written.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// The same, to keep.
    pub fn into_left_out(self) -> Vec<LeftOut> {
        self.left_out
    }

    /// The import of the set.
    ///
    /// # Errors
    ///
    /// If it can't be made.
    pub fn import(&mut self, target: &mut impl Target) -> Result<Id, EncodeError> {
        if let Some(import) = self.import {
            return Ok(import);
        }
        let name = literal(&self.import_name);
        let import = target.declare(None, Op::ExtInstImport, None, &name)?;
        let since = spirvkit_grammar::Version::V1_6;
        if self.set == Set::Shader && target.module().header().version < since {
            target.extension("SPV_KHR_non_semantic_info")?;
        }
        self.import = Some(import);
        Ok(import)
    }

    /// The type void, which is the type of all debugging instructions.
    ///
    /// # Errors
    ///
    /// If it can't be made.
    pub fn void(&mut self, target: &mut impl Target) -> Result<Id, EncodeError> {
        if let Some(void) = self.void {
            return Ok(void);
        }
        let void = target.declare(None, Op::TypeVoid, None, &[])?;
        self.void = Some(void);
        Ok(void)
    }

    /// The `DebugInfoNone`.
    ///
    /// # Errors
    ///
    /// If it can't be made.
    pub fn none(&mut self, target: &mut impl Target) -> Result<Id, EncodeError> {
        if let Some(none) = self.none {
            return Ok(none);
        }
        let none = self.add(target, None, &Draft::new(Kind::InfoNone))?;
        self.none = Some(none);
        Ok(none)
    }

    /// The `OpString` with a text.
    ///
    /// # Errors
    ///
    /// If it is too long.
    pub fn text(&mut self, target: &mut impl Target, text: &str) -> Result<Id, EncodeError> {
        if let Some(&id) = self.texts.get(text) {
            return Ok(id);
        }
        let id = target.declare(None, Op::String, None, &literal(text))?;
        self.texts.insert(text.to_owned(), id);
        Ok(id)
    }

    /// The 32-bit unsigned constant with a value; if it needs more bits and the module
    /// has the type for it, a 64-bit one, and otherwise none.
    ///
    /// # Errors
    ///
    /// If it can't be made.
    pub fn number(
        &mut self,
        target: &mut impl Target,
        value: u64,
    ) -> Result<Option<Id>, EncodeError> {
        if let Some(&id) = self.numbers.get(&value) {
            return Ok(Some(id));
        }
        let (low, high) = (value as u32, (value >> 32) as u32);
        let id = match high {
            0 => {
                let uint = self.uint(target)?;
                target.declare(None, Op::Constant, Some(uint), &[low])?
            }
            _ => {
                let Some(ulong) = self.ulong else {
                    return Ok(None);
                };
                target.declare(None, Op::Constant, Some(ulong), &[low, high])?
            }
        };
        self.numbers.insert(value, id);
        Ok(Some(id))
    }

    fn uint(&mut self, target: &mut impl Target) -> Result<Id, EncodeError> {
        if let Some(uint) = self.uint {
            return Ok(uint);
        }
        let uint = target.declare(None, Op::TypeInt, None, &[32, 0])?;
        self.uint = Some(uint);
        Ok(uint)
    }

    /// Writes an instruction at the end of the declarations, and returns its result:
    /// `id`, or a new one.
    ///
    /// # Errors
    ///
    /// If the set can't express it, or the module can't take it.
    pub fn add(
        &mut self,
        target: &mut impl Target,
        id: Option<Id>,
        draft: &Draft,
    ) -> Result<Id, EncodeError> {
        let id = id.unwrap_or_else(|| target.fresh_id());
        let encoded = self.encode(target, id, draft)?;
        let operands = &encoded.operands;
        Ok(target.declare(Some(id), encoded.op, Some(encoded.void), operands)?)
    }

    /// Writes instructions at the end of the declarations, with these results, in such an
    /// order that each comes after those it refers to, as far as that is possible.
    /// Takes time in proportion to them.
    ///
    /// # Errors
    ///
    /// Those that can't be written. A `DebugInfoNone` gets the id instead, so that what
    /// refers to it refers to nothing.
    pub fn add_all(
        &mut self,
        target: &mut impl Target,
        drafts: &[(Id, Draft)],
    ) -> Result<(), Vec<(Id, EncodeError)>> {
        let mut errors = Vec::new();
        for number in order(self.set, drafts) {
            let (id, draft) = &drafts[number];
            if let Err(error) = self.add(target, Some(*id), draft) {
                errors.push((*id, error));
                // It says nothing and needs nothing, so there is nothing to go wrong.
                let _ = self.add(target, Some(*id), &Draft::new(Kind::InfoNone));
            }
        }
        match errors.is_empty() {
            true => Ok(()),
            false => Err(errors),
        }
    }

    /// Writes an instruction that is in functions, such as `DebugDeclare`, and
    /// returns its result. [`Place::Head`] is the first place in a block that can take
    /// one.
    ///
    /// # Errors
    ///
    /// If the set can't express it, or the module can't take it.
    pub fn insert(
        &mut self,
        module: &mut Module,
        place: Place,
        draft: &Draft,
    ) -> Result<Id, EncodeError> {
        let id = module.fresh_id();
        let encoded = self.encode(module, id, draft)?;
        let mut words = vec![encoded.void.0, id.0];
        words.extend(encoded.operands);
        module.insert(place, encoded.op, &words)?;
        Ok(id)
    }

    /// The same where the builder is.
    ///
    /// # Errors
    ///
    /// If the set can't express it. What else is wrong, the builder tells.
    pub fn emit(&mut self, builder: &mut Builder, draft: &Draft) -> Result<Id, EncodeError> {
        let id = builder.forward();
        let Encoded { void, operands, .. } = self.encode(builder, id, draft)?;
        if let [set, number, operands @ ..] = operands.as_slice() {
            let builder = builder.define(id);
            builder.ext_inst_words(void, Id(*set), *number, operands);
        }
        Ok(id)
    }

    /// The words of an instruction. What it needs is made, but not the instruction
    /// itself.
    ///
    /// # Errors
    ///
    /// If the set can't express it.
    pub fn encode(
        &mut self,
        target: &mut impl Target,
        id: Id,
        draft: &Draft,
    ) -> Result<Encoded, EncodeError> {
        let kind = draft.kind();
        let set = self.set;
        let slots = self
            .slots(kind)
            .ok_or(EncodeError::NoSuchKind { set, kind })?;
        self.note_left_out(id, draft, slots);
        let void = self.void(target)?;
        let mut operands = vec![self.import(target)?.0, kind.number()];
        let is_there = |slot: &Slot| *draft.get(slot.field()) != Operand::Absent;
        let last = slots.iter().rposition(is_there);
        let mut is_later = false;
        for (index, slot) in slots.iter().enumerate() {
            let operand = draft.get(slot.field());
            let list = match (slot.quantifier(), operand) {
                (Quantifier::Many, Operand::List(list)) => list.as_slice(),
                (Quantifier::Many, Operand::Absent) => &[],
                (Quantifier::Optional, _) if last.is_none_or(|last| index > last) => break,
                _ => std::slice::from_ref(operand),
            };
            for operand in list {
                if let Operand::Id(id) = operand {
                    is_later |= target.module().definition(*id).is_none();
                }
                let word = self.word(target, Context { id, kind, slot }, operand)?;
                operands.push(word);
            }
        }
        let op = match set == Set::Shader && is_later {
            true => {
                target.extension("SPV_KHR_relaxed_extended_instruction")?;
                Op::ExtInstWithForwardRefsKHR
            }
            false => Op::ExtInst,
        };
        Ok(Encoded { op, void, operands })
    }

    /// The fields that the imported version of the set has.
    fn slots(&self, kind: Kind) -> Option<&'static [Slot]> {
        let slots = self.set.fields(kind)?;
        if self.set != Set::Shader {
            return Some(slots);
        }
        let known = self.grammar.instruction(kind.number())?.operands().len();
        slots.get(..known.min(slots.len()))
    }

    fn note_left_out(&mut self, id: Id, draft: &Draft, slots: &[Slot]) {
        for (field, operand) in draft.fields() {
            if !operand.is_nothing() && slots.iter().all(|slot| slot.field() != field) {
                self.left_out.push(LeftOut {
                    id,
                    kind: draft.kind(),
                    field,
                    flags: None,
                });
            }
        }
    }

    /// What is written for an operand.
    fn word(
        &mut self,
        target: &mut impl Target,
        at: Context<'_>,
        operand: &Operand,
    ) -> Result<u32, EncodeError> {
        let (kind, field) = (at.kind, at.slot.field());
        let unsuited = EncodeError::Unsuited { kind, field };
        let is_literal = at.slot.is_literal();
        let value = match operand {
            Operand::Absent => match kind.role(field) {
                Role::Number => 0,
                Role::Text => return Ok(self.text(target, "")?.0),
                _ => return Ok(self.none(target)?.0),
            },
            Operand::Id(id) if !is_literal => return Ok(id.0),
            Operand::Id(id) => constant(target.module(), *id).ok_or(unsuited)?,
            Operand::Text(text) if !is_literal => return Ok(self.text(target, text)?.0),
            Operand::Number(value) => *value,
            Operand::Text(_) | Operand::List(_) => return Err(unsuited),
        };
        let value = self.value(at, value)?;
        let too_large = EncodeError::TooLarge { kind, field, value };
        match is_literal {
            true => u32::try_from(value).map_err(|_| too_large),
            false => Ok(self.number(target, value)?.ok_or(too_large)?.0),
        }
    }

    /// A value of an enumeration as the set numbers it; any other number as it is.
    fn value(&mut self, at: Context<'_>, value: u64) -> Result<u64, EncodeError> {
        let Context { id, kind, slot } = at;
        let field = slot.field();
        let newest = Set::Shader.fields(kind).unwrap_or_default().iter();
        let newest = newest
            .filter(|slot| slot.field() == field)
            .find_map(Slot::values);
        let (Some(own), Some(newest)) = (slot.values(), newest) else {
            return Ok(value);
        };
        if own == newest {
            return Ok(value);
        }
        if own.category() == Category::BitEnum {
            let known = known_bits(own);
            let lost = value & !known;
            if lost != 0 {
                self.left_out.push(LeftOut {
                    id,
                    kind,
                    field,
                    flags: Some(lost as u32),
                });
            }
            return Ok(value & known);
        }
        let name = u32::try_from(value)
            .ok()
            .and_then(|value| newest.enumerant(value));
        let same = name.and_then(|it| own.enumerant_by_name(it.name()));
        let set = self.set;
        let no_such_value = EncodeError::NoSuchValue {
            set,
            kind,
            field,
            value,
        };
        same.map(|it| u64::from(it.value())).ok_or(no_such_value)
    }
}

/// Where an operand is written.
#[derive(Clone, Copy)]
struct Context<'a> {
    id: Id,
    kind: Kind,
    slot: &'a Slot,
}

/// All bits that have a name.
fn known_bits(values: OperandKind) -> u64 {
    let bits = values.enumerants().iter().map(|it| u64::from(it.value()));
    bits.fold(0, |all, bit| all | bit)
}

/// The value of an `OpConstant`, as its words say it.
fn constant(module: &Module, id: Id) -> Option<u64> {
    let inst = module.get(module.definition(id)?);
    match (inst.op(), inst.words()) {
        (Op::Constant, [_, _, _, literal @ ..]) => NumberType::literal(literal),
        (Op::ConstantNull, _) => Some(0),
        _ => None,
    }
}
