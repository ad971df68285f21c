//! The operands of an instruction as the target wants them.

use spirvkit_binary::Id;
use spirvkit_grammar::debug_info::Role;
use spirvkit_grammar::{
    Enumeration as _, Op, OperandKind, Quantifier, SourceLanguage, StorageClass,
};

use super::plan::Target;
use super::{Converter, Effect};
use crate::build::EncodeError;
use crate::{Entry, Field, Flags, Kind, OperationCode, Set, Slot};

/// The fields of an instruction that say what a field of another kind does, which it
/// becomes.
fn fields_for(from: Kind, to: Kind, field: Field) -> &'static [Field] {
    match (from, to, field) {
        (Kind::TypeMatrix, Kind::TypeArray, Field::BaseType) => &[Field::VectorType],
        (Kind::TypeMatrix, Kind::TypeArray, Field::ComponentCounts) => &[Field::VectorCount],
        (Kind::TypeVectorIdEXT | Kind::TypeCooperativeMatrixKHR, _, Field::BaseType) => {
            &[Field::ComponentType]
        }
        (Kind::TypeVectorIdEXT, _, Field::ComponentCount | Field::ComponentCounts) => {
            &[Field::ComponentCountId]
        }
        (Kind::TypeCooperativeMatrixKHR, _, Field::ComponentCounts) => {
            &[Field::Rows, Field::Columns]
        }
        (Kind::TypeVector, Kind::TypeArray, Field::ComponentCounts) => &[Field::ComponentCount],
        _ => &[],
    }
}

/// The size that enumerations have in C if nothing else is said.
const ENUM_BITS: u32 = 32;

impl<'a> Converter<'a, '_> {
    /// The operands of an instruction that becomes one of this kind.
    pub(super) fn operands(
        &mut self,
        entry: Entry<'a>,
        kind: Kind,
    ) -> Result<Vec<u32>, EncodeError> {
        let mut words = Vec::new();
        for slot in self.to.fields(kind).unwrap_or_default() {
            match slot.quantifier() {
                Quantifier::One => words.push(self.one(entry, kind, slot)?),
                Quantifier::Many => self.many(entry, kind, slot, &mut words)?,
                Quantifier::Optional => match self.optional(entry, kind, slot)? {
                    Some(word) => words.push(word),
                    None => break,
                },
            }
        }
        if entry.kind() == kind {
            self.note_lost_fields(entry);
        }
        Ok(words)
    }

    fn one(&mut self, entry: Entry<'a>, kind: Kind, slot: &Slot) -> Result<u32, EncodeError> {
        let own = slot.field();
        let field = match fields_for(entry.kind(), kind, own) {
            [field, ..] => *field,
            [] => own,
        };
        let none = self.to.takes_none(kind, own);
        match kind.role(own) {
            Role::Number => {
                let number = self.number(entry, field, slot);
                self.written(number, slot)
            }
            Role::Text if (kind, own) == (Kind::TypeComposite, Field::Name) => {
                self.composite_name(entry)
            }
            Role::Text => self.text(entry, field, none),
            Role::Bits => self.bits(entry, field, kind, none),
            Role::Constant => Ok(match self.constant(entry, field) {
                Some(id) => id.0,
                None => self.none()?.0,
            }),
            Role::Source => self.source_field(entry, none),
            Role::Scope => self.scope(entry, field, none),
            Role::Composite => match self.composite_of(entry) {
                Some(composite) => Ok(composite.0),
                None => Ok(self.none()?.0),
            },
            Role::Type if kind == Kind::TypeVector => match self.component(entry) {
                Some(component) => {
                    let is_itself = entry.id_of(field) == Some(component.id());
                    if !is_itself && self.to != Set::DebugInfo {
                        let why = "the component of a vector can only be a basic type";
                        self.lose(entry, Some(field), Effect::Approximated, why);
                        return Ok(component.id().0);
                    }
                    self.a_type(entry, field, none, false)
                }
                None => self.a_type(entry, field, none, false),
            },
            Role::Type => self.a_type(entry, field, none, false),
            Role::TypeOrParameter => self.a_type(entry, field, none, true),
            Role::FunctionType => self.function_type(entry, field, none),
            Role::Result => self.result(entry, field, none),
            Role::Function => self.function(entry),
            // A debugging instruction, or something of the module.
            _ => self.any(entry, field),
        }
    }

    /// An operand that may be left out at the end.
    fn optional(
        &mut self,
        entry: Entry<'a>,
        kind: Kind,
        slot: &Slot,
    ) -> Result<Option<u32>, EncodeError> {
        let field = slot.field();
        if (kind, field) == (Kind::Source, Field::Text) {
            return Ok(self.sources.text(entry).map(|id| id.0));
        }
        if entry.word(field).is_none() {
            return Ok(None);
        }
        match kind.role(field) {
            Role::Number => {
                let number = self.number(entry, field, slot);
                self.written(number, slot).map(Some)
            }
            Role::Constant => Ok(self.constant(entry, field).map(|id| id.0)),
            Role::Text => {
                let text = entry.id_of(field).filter(|&id| self.is_string(id));
                Ok(text.map(|id| id.0))
            }
            _ => {
                let target = entry.id_of(field).map(|id| self.target(id));
                Ok(match target {
                    Some(Target::Debug(id, _) | Target::Other(id)) => Some(id.0),
                    _ => None,
                })
            }
        }
    }

    /// An operand that occurs many times.
    fn many(
        &mut self,
        entry: Entry<'a>,
        kind: Kind,
        slot: &Slot,
        words: &mut Vec<u32>,
    ) -> Result<(), EncodeError> {
        let field = slot.field();
        let list = entry.list(field);
        match field {
            Field::ComponentCounts if entry.kind() != kind => {
                for &count in fields_for(entry.kind(), kind, field) {
                    let count = self.value(entry, count).unwrap_or_default();
                    let count = u32::try_from(count).unwrap_or(u32::MAX);
                    words.push(self.number_id(count.max(1))?.0);
                }
            }
            Field::ComponentCounts => {
                for &count in list {
                    words.push(self.length(entry, Id(count))?);
                }
            }
            Field::ParameterTypes => {
                for &ty in list {
                    words.push(self.as_type(entry, Some(Id(ty)), field, false, true)?);
                }
            }
            Field::Enumerators => {
                for pair in list.chunks_exact(2) {
                    let value = match self.definition_op(Id(pair[0])) {
                        Some(Op::Constant) => Id(pair[0]),
                        _ => {
                            let value = self.default_of(Id(pair[0])).unwrap_or_default();
                            self.lose(entry, Some(field), Effect::Approximated, NO_CONSTANT);
                            self.number_id(value as u32)?
                        }
                    };
                    let name = match self.is_string(Id(pair[1])) {
                        true => Id(pair[1]),
                        false => self.string("")?,
                    };
                    words.extend([value.0, name.0]);
                }
            }
            Field::Members => {
                for &member in list {
                    if let Target::Debug(id, _) = self.target(Id(member)) {
                        words.push(id.0);
                    }
                }
            }
            Field::Operands => {
                let operands = entry.operation().unwrap_or(NOTHING).operands;
                for operand in operands {
                    words.push(self.written(operand as u32, slot)?);
                }
            }
            _ => {
                for &id in list {
                    match self.target(Id(id)) {
                        Target::Debug(id, _) | Target::Other(id) | Target::Absent(id) => {
                            words.push(id.0);
                        }
                        Target::Gone => {}
                    }
                }
            }
        }
        Ok(())
    }

    /// A number as the slot has it.
    fn written(&mut self, number: u32, slot: &Slot) -> Result<u32, EncodeError> {
        match slot.is_literal() {
            true => Ok(number),
            false => Ok(self.number_id(number)?.0),
        }
    }

    fn number(&mut self, entry: Entry<'a>, field: Field, slot: &Slot) -> u32 {
        if field == Field::Language && entry.set() == Set::DebugInfo {
            return self.language_of(entry);
        }
        let Some(number) = self.value(entry, field).map(u32::try_from) else {
            if entry.word(field).is_some() {
                let why = "it is not a known number";
                self.lose(entry, Some(field), Effect::Approximated, why);
            }
            return 0;
        };
        let Ok(number) = number else {
            let why = "the set has only 32-bit numbers";
            self.lose(entry, Some(field), Effect::Approximated, why);
            return 0;
        };
        match field {
            Field::Flags => self.flags(entry, number, slot),
            Field::Column if self.to == Set::Shader => self.column(entry, number),
            Field::OpCode if number == OperationCode::Fragment.0 && self.to == Set::DebugInfo => {
                OperationCode::BitPiece.0
            }
            _ => self.enumerant(entry, field, number, slot),
        }
    }

    fn flags(&mut self, entry: Entry<'a>, bits: u32, slot: &Slot) -> u32 {
        let known = mask(slot.values());
        let lost = bits & !known;
        if lost != 0 {
            let why = format!("the set has no {}", Flags(lost));
            self.lose(entry, Some(Field::Flags), Effect::Lost, why);
        }
        bits & known
    }

    /// The value of the same name: the sets number encodings differently.
    fn enumerant(&mut self, entry: Entry<'a>, field: Field, value: u32, slot: &Slot) -> u32 {
        let Some(values) = slot.values() else {
            return value;
        };
        let own = entry.slots().iter().find(|own| own.field() == field);
        let name = own.and_then(|own| own.value_name(value));
        match name.and_then(|name| values.enumerant_by_name(name)) {
            Some(same) => same.value(),
            // A number that has no name is one all the same.
            None if !slot.is_literal() || own.is_some_and(Slot::is_literal) => value,
            None => {
                let why = "the set has no such value";
                self.lose(entry, Some(field), Effect::Approximated, why);
                match field {
                    Field::StorageClass => StorageClass::Function.0,
                    _ => 0,
                }
            }
        }
    }

    fn text(&mut self, entry: Entry<'a>, field: Field, none: bool) -> Result<u32, EncodeError> {
        let id = entry.id_of(field);
        if let Some(id) = id.filter(|&id| self.is_string(id)) {
            return Ok(id.0);
        }
        // That there is no text is said as well by an empty one.
        match id.map(|id| self.target(id)) {
            Some(Target::Absent(id)) if none => Ok(id.0),
            _ => Ok(self.string("")?.0),
        }
    }

    /// The name of a composite, which the oldest set marks if it is opaque: has no size.
    fn composite_name(&mut self, entry: Entry<'a>) -> Result<u32, EncodeError> {
        let size = entry.id_of(Field::Size).map(|id| self.target(id));
        let is_opaque = matches!(size, Some(Target::Absent(_)));
        let plain = |this: &mut Self| this.text(entry, Field::Name, this.to == Set::DebugInfo);
        if self.to != Set::DebugInfo || !is_opaque {
            return plain(self);
        }
        // Many composites can have one long name.
        let id = entry.id_of(Field::Name).unwrap_or(Id(0));
        let marked = match self.marked.get(&id) {
            Some(&marked) => marked,
            None => {
                let name = entry.name().unwrap_or_default();
                let marked = match name.starts_with('@') {
                    true => None,
                    false => Some(self.string(&format!("@{name}"))?),
                };
                self.marked.insert(id, marked);
                marked
            }
        };
        let Some(marked) = marked else {
            return plain(self);
        };
        let why = "the set needs an @ before the names of opaque types";
        self.lose(entry, Some(Field::Name), Effect::Approximated, why);
        Ok(marked.0)
    }

    fn bits(
        &mut self,
        entry: Entry<'a>,
        field: Field,
        kind: Kind,
        none: bool,
    ) -> Result<u32, EncodeError> {
        let id = entry.id_of(field).unwrap_or(Id(0));
        if none && let Target::Absent(id) = self.target(id) {
            return Ok(id.0);
        }
        let needs_some = kind == Kind::TypeEnum && self.to != Set::DebugInfo;
        let value = self.default_of(id);
        if self.definition_op(id) == Some(Op::Constant) && (!needs_some || value != Some(0)) {
            return Ok(id.0);
        }
        let why = match value {
            Some(0) => "an enumeration can't have the size 0",
            Some(_) => NO_CONSTANT,
            None => "it is unknown, and the set can't say so",
        };
        self.lose(entry, Some(field), Effect::Approximated, why);
        let value = match value.map(u32::try_from) {
            Some(Ok(value)) if value > 0 || !needs_some => value,
            _ if needs_some => ENUM_BITS,
            _ => 0,
        };
        Ok(self.number_id(value)?.0)
    }

    /// A constant, if there is one.
    fn constant(&mut self, entry: Entry<'a>, field: Field) -> Option<Id> {
        let id = entry.id_of(field)?;
        match self.target(id) {
            Target::Other(id) if self.definition_op(id) == Some(Op::Constant) => Some(id),
            Target::Other(id) if self.to == Set::DebugInfo => Some(id),
            Target::Absent(_) => None,
            _ => {
                self.lose(entry, Some(field), Effect::Lost, NO_CONSTANT);
                None
            }
        }
    }

    /// The length of an array: a constant or a variable.
    fn length(&mut self, entry: Entry<'a>, id: Id) -> Result<u32, EncodeError> {
        let field = Some(Field::ComponentCounts);
        let target = self.target(id);
        if let Target::Debug(id, _) = target {
            return Ok(id.0);
        }
        let op = self.definition_op(id);
        let value = self.default_of(id);
        let fine = match self.to {
            Set::DebugInfo => op == Some(Op::Constant) || matches!(target, Target::Absent(_)),
            Set::OpenCl100 => {
                op == Some(Op::Constant) && value != Some(0) && self.has_length_type(id)
            }
            Set::Shader => self.is_integer_constant(id) && self.has_length_type(id),
        };
        if fine {
            return Ok(id.0);
        }
        // In the newest set, 0 is a length that isn't known.
        let (value, why) = match (value.and_then(|value| u32::try_from(value).ok()), self.to) {
            (Some(0), Set::OpenCl100) => {
                (1, "an array can't have the length 0, so it gets 1 element")
            }
            (None, Set::OpenCl100) => (1, "its length is unknown, so it gets 1 element"),
            (None, _) if value.is_none() => {
                if self.to == Set::Shader {
                    return Ok(self.number_id(0)?.0);
                }
                (0, "its length is unknown")
            }
            (None, _) => (u32::MAX, "its length is not a 32-bit number"),
            (Some(value), _) if op == Some(Op::Constant) => return Ok(self.number_id(value)?.0),
            (Some(value), _) => (value, NO_CONSTANT),
        };
        self.lose(entry, field, Effect::Approximated, why);
        Ok(self.number_id(value)?.0)
    }

    /// Whether a constant is an integer of 32 or 64 bits.
    fn has_length_type(&self, id: Id) -> bool {
        let constant = self.info.definition(id);
        let ty = constant.and_then(|it| it.result_type());
        let ty = ty.and_then(|ty| self.info.definition(ty));
        ty.is_some_and(|ty| matches!(ty.words(), [_, _, 32 | 64, _]) && ty.op() == Op::TypeInt)
    }

    fn source_field(&mut self, entry: Entry<'a>, none: bool) -> Result<u32, EncodeError> {
        let id = entry.id_of(Field::Source).unwrap_or(Id(0));
        if none && let Target::Absent(id) = self.target(id) {
            return Ok(id.0);
        }
        if let Some(source) = self.source_of(id)? {
            return Ok(source.0);
        }
        let why = "it names no file";
        self.lose(entry, Some(Field::Source), Effect::Approximated, why);
        Ok(self.any_source()?.0)
    }

    fn scope(&mut self, entry: Entry<'a>, field: Field, none: bool) -> Result<u32, EncodeError> {
        match entry.id_of(field).map(|id| self.target(id)) {
            Some(Target::Debug(id, kind)) if kind.is_scope() => Ok(id.0),
            Some(Target::Absent(id)) if none => Ok(id.0),
            _ => {
                let why = "it is in no scope, so it is in the compilation unit";
                self.lose(entry, Some(field), Effect::Approximated, why);
                Ok(self.unit()?.0)
            }
        }
    }

    fn a_type(
        &mut self,
        entry: Entry<'a>,
        field: Field,
        none: bool,
        parameters: bool,
    ) -> Result<u32, EncodeError> {
        self.as_type(entry, entry.id_of(field), field, none, parameters)
    }

    /// What stands for a type. What points to nothing in particular, as `void *` does,
    /// points to a type that is called so.
    fn as_type(
        &mut self,
        entry: Entry<'a>,
        id: Option<Id>,
        field: Field,
        none: bool,
        parameters: bool,
    ) -> Result<u32, EncodeError> {
        let mut next = id;
        // A parameter stands for a type, and so does a member that a pointer points to;
        // either may be of a type of that sort itself.
        for step in 0..4 {
            let Some(id) = next else { break };
            match self.target(id) {
                Target::Debug(id, kind) if kind.is_type() => {
                    if step > 0 {
                        let why = "its type takes its place, because the set needs one";
                        self.lose(entry, Some(field), Effect::Approximated, why);
                    }
                    return Ok(id.0);
                }
                Target::Debug(id, Kind::TypeTemplateParameter) if parameters => return Ok(id.0),
                Target::Debug(id, Kind::TypeTemplateTemplateParameter) if parameters => {
                    return Ok(id.0);
                }
                Target::Absent(id) if none => return Ok(id.0),
                Target::Debug(id, Kind::TypeTemplateParameter | Kind::TypeMember) => {
                    let inner = self.info.entry(id).and_then(|inner| inner.type_());
                    next = inner.map(|inner| inner.id());
                }
                Target::Other(id) if none && self.definition_op(id) == Some(Op::TypeVoid) => {
                    return Ok(self.none()?.0);
                }
                _ => break,
            }
        }
        let why = "it is not a type, so a type named void takes its place";
        self.lose(entry, Some(field), Effect::Approximated, why);
        Ok(self.void_type()?.0)
    }

    fn function_type(
        &mut self,
        entry: Entry<'a>,
        field: Field,
        none: bool,
    ) -> Result<u32, EncodeError> {
        match entry.id_of(field).map(|id| self.target(id)) {
            Some(Target::Debug(id, Kind::TypeFunction)) => Ok(id.0),
            Some(Target::Absent(id)) if none => Ok(id.0),
            _ => {
                let why = "it has no type, so it gets one without parameters";
                self.lose(entry, Some(field), Effect::Approximated, why);
                Ok(self.plain_function_type()?.0)
            }
        }
    }

    fn result(&mut self, entry: Entry<'a>, field: Field, none: bool) -> Result<u32, EncodeError> {
        let id = entry.id_of(field);
        match id.map(|id| self.target(id)) {
            Some(Target::Other(id)) if self.definition_op(id) == Some(Op::TypeVoid) => Ok(id.0),
            Some(Target::Absent(id)) if none => Ok(id.0),
            // That there is no type is what void says.
            Some(Target::Absent(_)) | None => Ok(self.void.0),
            _ => self.as_type(entry, id, field, none, true),
        }
    }

    /// The `OpFunction` of a `DebugFunction`.
    fn function(&mut self, entry: Entry<'a>) -> Result<u32, EncodeError> {
        let function = match entry.set() {
            Set::Shader => self.info.function_of(entry).map(|function| function.id),
            _ => entry.id_of(Field::Function),
        };
        match function {
            Some(id) if self.definition_op(id) == Some(Op::Function) => Ok(id.0),
            _ => Ok(self.none()?.0),
        }
    }

    fn any(&mut self, entry: Entry<'a>, field: Field) -> Result<u32, EncodeError> {
        match entry.id_of(field).map(|id| self.target(id)) {
            Some(Target::Debug(id, _) | Target::Absent(id) | Target::Other(id)) => Ok(id.0),
            _ => Ok(self.none()?.0),
        }
    }

    /// Tells what the instruction says in fields that the target doesn't have.
    fn note_lost_fields(&mut self, entry: Entry<'a>) {
        let kind = entry.kind();
        if entry.has_surplus_column() {
            let why = "no set has a place for it";
            self.lose(entry, Some(Field::Column), Effect::Lost, why);
        }
        for slot in entry.slots() {
            let field = slot.field();
            if self.to.position(kind, field).is_some() {
                continue;
            }
            let is_said = match (kind, field) {
                (Kind::TypeMember, Field::Parent) | (Kind::TypeInheritance, Field::Child) => {
                    // The composite lists its members.
                    let named = entry.id_of(field).map(|id| self.target(id));
                    match named {
                        Some(Target::Debug(id, _)) => self.composites.get(entry.id()) == id,
                        _ => true,
                    }
                }
                // `DebugFunctionDefinition` says it.
                (Kind::Function, Field::Function) => self.is_defined(entry),
                // `OpSource` says it.
                (Kind::CompilationUnit, Field::Language) => self.has_language(entry),
                _ if field.is_number() => self.value(entry, field).is_none_or(|it| it == 0),
                (_, Field::LinkageName) => entry.linkage_name().is_none(),
                _ => entry.word(field).is_none(),
            };
            if !is_said {
                self.lose(entry, Some(field), Effect::Lost, "the set can't express it");
            }
        }
    }

    /// Whether a unit's language can be given by its `OpSource`.
    fn has_language(&mut self, entry: Entry<'a>) -> bool {
        let language = self.value(entry, Field::Language).unwrap_or_default();
        let source = entry.id_of(Field::Source).unwrap_or(Id(0));
        let said = self.sources.language(self.info.file_of(source));
        language == u64::from(said.unwrap_or(SourceLanguage::Unknown.0))
    }

    fn language_of(&mut self, entry: Entry<'a>) -> u32 {
        let source = entry.id_of(Field::Source).unwrap_or(Id(0));
        let said = self.sources.language(self.info.file_of(source));
        said.unwrap_or(SourceLanguage::Unknown.0)
    }

    fn is_string(&self, id: Id) -> bool {
        self.definition_op(id) == Some(Op::String)
    }

    fn definition_op(&self, id: Id) -> Option<Op> {
        self.info.definition(id).map(|it| it.op())
    }
}

const NO_CONSTANT: &str = "the set needs a constant that can't be specialized";

/// An operation that does nothing.
const NOTHING: crate::entry::Operation = crate::entry::Operation {
    code: OperationCode::Deref,
    operands: Vec::new(),
};

/// All bits that a mask has names for.
fn mask(values: Option<OperandKind>) -> u32 {
    let values = values.unwrap_or(Flags::KIND);
    let bits = values.enumerants().iter().map(|bit| bit.value());
    bits.fold(0, |all, bit| all | bit)
}
