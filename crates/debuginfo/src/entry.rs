//! A debugging instruction, the same to look at whichever set it is from.

use std::fmt;

use spirvkit_binary::{Id, Instruction, NumberType, WordOffset};
use spirvkit_grammar::{Enumeration as _, Op, StorageClass};

use crate::files::FileId;
use crate::{DebugInfo, Field, Kind, Set, Slot};

/// A debugging instruction of a module.
///
/// What it says is read by [`Field`]s; there is a method for each of those that
/// programs ask for most. Where an operand is a `DebugInfoNone`, or not there, or not
/// what it should be, the answer is none.
#[derive(Clone, Copy)]
pub struct Entry<'m> {
    info: &'m DebugInfo<'m>,
    instruction: Instruction<'m>,
    set: Set,
    kind: Kind,
    slots: &'static [Slot],
}

/// How a basic type is encoded. The numbers are those of the newer sets.
pub use spirvkit_grammar::ShaderDebugInfoDebugBaseTypeAttributeEncoding as Encoding;
/// What kind of composite a `DebugTypeComposite` is.
pub use spirvkit_grammar::ShaderDebugInfoDebugCompositeType as Tag;
/// What an imported entity is.
pub use spirvkit_grammar::ShaderDebugInfoDebugImportedEntity as ImportedTag;
/// Flags. The newest set has all bits of the older ones.
pub use spirvkit_grammar::ShaderDebugInfoDebugInfoFlags as Flags;
/// An operation of a `DebugExpression`.
pub use spirvkit_grammar::ShaderDebugInfoDebugOperation as OperationCode;
/// How a type is qualified.
pub use spirvkit_grammar::ShaderDebugInfoDebugTypeQualifier as Qualifier;

/// One operation of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Operation {
    /// What to do.
    pub code: OperationCode,
    /// Its operands; one that isn't known is left out, with those after it.
    pub operands: Vec<u64>,
}

/// The most dimensions of arrays that any language has.
pub(crate) const MAX_DIMENSIONS: usize = 32;

/// Operands before an extended instruction's own: opcode, result type, result, set and
/// number.
const BEFORE_OPERANDS: usize = 5;

impl<'m> Entry<'m> {
    pub(crate) fn of(info: &'m DebugInfo<'m>, instruction: Instruction<'m>) -> Option<Self> {
        let (set, kind) = Self::set_and_kind(info, instruction)?;
        let mut entry = Self {
            info,
            instruction,
            set,
            kind,
            slots: &[],
        };
        entry.kind = entry.kind_by_operands();
        entry.slots = set.fields(entry.kind)?;
        Some(entry)
    }

    /// The LLVM translator gives template template parameters the number of parameter
    /// packs, and packs that of template template parameters. What they are shows in
    /// their operands: the former have a name and then a source, where packs have a
    /// source and then a line.
    fn kind_by_operands(&self) -> Kind {
        // The first set has other sources, and the translator doesn't write it.
        if self.set == Set::DebugInfo {
            return self.kind;
        }
        let source = || {
            let place = self.set.position(self.kind, Field::Source)?;
            self.info.definition(Id(*self.operand_words().get(place)?))
        };
        let is_source = |definition| {
            let kind = Self::set_and_kind(self.info, definition).map(|(_, kind)| kind);
            matches!(kind, Some(Kind::Source | Kind::InfoNone))
        };
        match self.kind {
            Kind::TypeTemplateTemplateParameter if !source().is_some_and(is_source) => {
                Kind::TypeTemplateParameterPack
            }
            Kind::TypeTemplateParameterPack
                if source().is_some_and(|name| name.op() == Op::String) =>
            {
                Kind::TypeTemplateTemplateParameter
            }
            kind => kind,
        }
    }

    /// The set that an instruction is from, and what its number means in it.
    fn set_and_kind(info: &DebugInfo<'_>, instruction: Instruction<'_>) -> Option<(Set, Kind)> {
        if !instruction.op().is_ext_inst() {
            return None;
        }
        let &[_, _, _, set, number, ..] = instruction.words() else {
            return None;
        };
        let set = info.set(Id(set))?;
        Some((set, set.kind(number)?))
    }

    /// What it describes.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The set it is from.
    pub fn set(&self) -> Set {
        self.set
    }

    /// Its result id.
    pub fn id(&self) -> Id {
        Id(self.instruction.words().get(2).copied().unwrap_or_default())
    }

    /// Where it is, in words.
    pub fn offset(&self) -> WordOffset {
        self.instruction.offset()
    }

    /// The instruction itself.
    pub fn instruction(&self) -> Instruction<'m> {
        self.instruction
    }

    /// The debug information it is part of.
    pub fn info(&self) -> &'m DebugInfo<'m> {
        self.info
    }

    /// Its operands, as words: of `OpExtInst` those after the number.
    pub fn operand_words(&self) -> &'m [u32] {
        self.instruction
            .words()
            .get(BEFORE_OPERANDS..)
            .unwrap_or_default()
    }

    /// The fields that the set gives such instructions.
    pub fn slots(&self) -> &'static [Slot] {
        self.slots
    }

    fn slot(&self, field: Field) -> Option<(usize, &'static Slot)> {
        let mut slots = self.placed_slots();
        slots.find(|(_, slot)| slot.field() == field)
    }

    /// The fields with the indices of their operands.
    pub(crate) fn placed_slots(&self) -> impl Iterator<Item = (usize, &'static Slot)> + use<> {
        let surplus = self.surplus_operand();
        let slots = self.slots.iter().enumerate();
        slots.map(move |(index, slot)| match surplus {
            Some(surplus) if surplus <= index => (index + 1, slot),
            _ => (index, slot),
        })
    }

    /// The index of an operand that no set has. The LLVM translator writes a 0 after the
    /// tag of an imported entity, and in the newer sets the column of a call that was
    /// inlined after its line.
    fn surplus_operand(&self) -> Option<usize> {
        let words = self.operand_words();
        let behind = |field: Field| {
            let index = 1 + self.set.position(self.kind, field)?;
            Some((index, *words.get(index)?))
        };
        match self.kind {
            Kind::ImportedEntity => {
                let (index, word) = behind(Field::Tag)?;
                let has_it = words.len() == self.slots.len() + 1 && word == 0;
                has_it.then_some(index)
            }
            Kind::InlinedAt if self.set == Set::Shader => {
                let (index, word) = behind(Field::Line)?;
                self.info.constant(Id(word)).map(|_| index)
            }
            _ => None,
        }
    }

    /// Whether it has a column that its set has no field for: see
    /// [`surplus_operand`](Self::surplus_operand).
    pub(crate) fn has_surplus_column(&self) -> bool {
        self.kind == Kind::InlinedAt && self.surplus_operand().is_some()
    }

    /// The word of a field, be it a literal or an id.
    pub fn word(&self, field: Field) -> Option<u32> {
        let (index, _) = self.slot(field)?;
        self.operand_words().get(index).copied()
    }

    /// The id that is there, whatever it is.
    pub fn id_of(&self, field: Field) -> Option<Id> {
        let (index, slot) = self.slot(field)?;
        match slot.is_literal() {
            true => None,
            false => self.operand_words().get(index).copied().map(Id),
        }
    }

    /// The words of a field that may occur many times, of which it is the last.
    pub fn list(&self, field: Field) -> &'m [u32] {
        let index = self.slot(field).map(|(index, _)| index);
        let words = self.operand_words();
        index
            .and_then(|index| words.get(index..))
            .unwrap_or_default()
    }

    /// A number, be it a literal or the id of a constant, of which up to 64 bits are
    /// looked at. Specialization constants have no value yet.
    pub fn number(&self, field: Field) -> Option<u64> {
        let (index, slot) = self.slot(field)?;
        let word = *self.operand_words().get(index)?;
        match slot.is_literal() {
            true => Some(u64::from(word)),
            false => self.info.constant(Id(word)),
        }
    }

    fn number32(&self, field: Field) -> Option<u32> {
        self.number(field)
            .and_then(|number| u32::try_from(number).ok())
    }

    /// The text of an `OpString`.
    pub fn text(&self, field: Field) -> Option<String> {
        self.info.string(self.id_of(field)?)
    }

    /// The same to show to people: cut short if it is very long.
    pub(crate) fn short_text(&self, field: Field) -> Option<String> {
        self.info.short_string(self.id_of(field)?)
    }

    /// The same, empty if there is none.
    pub(crate) fn short(&self, field: Field) -> String {
        self.short_text(field).unwrap_or_default()
    }

    /// The debugging instruction that is there; none if it is a `DebugInfoNone`.
    pub fn entry(&self, field: Field) -> Option<Entry<'m>> {
        self.info.debug_entry(self.id_of(field)?)
    }

    /// The debugging instructions of a list, without `DebugInfoNone`.
    pub fn entries(&self, field: Field) -> impl Iterator<Item = Entry<'m>> + use<'m> {
        let info = self.info;
        self.list(field)
            .iter()
            .filter_map(move |&id| info.debug_entry(Id(id)))
    }

    /// The name in the source, which may be empty.
    pub fn name(&self) -> Option<String> {
        self.text(Field::Name)
    }

    /// The same to show to people: cut short if it is very long.
    pub fn short_name(&self) -> Option<String> {
        self.short_text(Field::Name)
    }

    /// The name that linkers know.
    pub fn linkage_name(&self) -> Option<String> {
        self.text(Field::LinkageName)
            .filter(|name| !name.is_empty())
    }

    /// The source file that it is declared in.
    pub fn file(&self) -> Option<FileId> {
        self.info.file_of(self.id_of(Field::Source)?)
    }

    /// The line that it is declared at, counted from 1; 0 is no line.
    pub fn line(&self) -> Option<u32> {
        self.number32(Field::Line)
    }

    /// The column that its declaration starts in.
    pub fn column(&self) -> Option<u32> {
        self.number32(Field::Column)
    }

    /// The scope that it is declared in.
    pub fn parent(&self) -> Option<Entry<'m>> {
        self.entry(Field::Parent)
    }

    /// The scope that it is declared in, the scope of that, and so on outwards. What is
    /// declared in a template is in the type or function that the template makes.
    pub fn parents(&self) -> impl Iterator<Item = Entry<'m>> + use<'m> {
        // A damaged module can have cycles.
        let most = self.info.entry_count();
        std::iter::successors(self.outer(), Entry::outer).take(most)
    }

    fn outer(&self) -> Option<Entry<'m>> {
        match self.kind {
            Kind::TypeTemplate => self.entry(Field::Target),
            _ => self.parent(),
        }
    }

    /// What it flags say.
    pub fn flags(&self) -> Flags {
        Flags(self.number32(Field::Flags).unwrap_or_default())
    }

    /// The type of a variable, member, function or template parameter.
    pub fn type_(&self) -> Option<Entry<'m>> {
        let field = match self.kind {
            Kind::TypeTemplateParameter => Field::ActualType,
            _ => Field::Type,
        };
        self.entry(field)
    }

    /// The type that this one is made of: what a pointer points to, what a qualifier
    /// qualifies, the elements of an array, the component of a vector, the columns of a
    /// matrix, what an enumeration is stored as.
    pub fn base_type(&self) -> Option<Entry<'m>> {
        let field = match self.kind {
            Kind::TypeMatrix => Field::VectorType,
            Kind::TypeVectorIdEXT | Kind::TypeCooperativeMatrixKHR => Field::ComponentType,
            Kind::TypeEnum => Field::UnderlyingType,
            Kind::TypePtrToMember => Field::MemberType,
            _ => Field::BaseType,
        };
        self.entry(field)
    }

    /// The size in bits, if it is said.
    pub fn size_in_bits(&self) -> Option<u64> {
        self.number(Field::Size)
    }

    /// The offset in bits of a member or base class, if it is said.
    pub fn offset_in_bits(&self) -> Option<u64> {
        self.number(Field::Offset)
    }

    /// How a basic type is encoded.
    pub fn encoding(&self) -> Option<Encoding> {
        let (_, slot) = self.slot(Field::Encoding)?;
        let value = self.number32(Field::Encoding)?;
        // The first set numbers them otherwise, but calls them the same.
        match slot.value_name(value) {
            Some(name) => Encoding::from_name(name),
            None => Some(Encoding(value)),
        }
    }

    /// What kind of composite it is.
    pub fn tag(&self) -> Option<Tag> {
        let kind = self.kind == Kind::TypeComposite;
        self.number32(Field::Tag).filter(|_| kind).map(Tag)
    }

    /// How a type is qualified.
    pub fn qualifier(&self) -> Option<Qualifier> {
        self.number32(Field::TypeQualifier).map(Qualifier)
    }

    /// The memory that a pointer points to.
    pub fn storage_class(&self) -> Option<StorageClass> {
        self.number32(Field::StorageClass).map(StorageClass)
    }

    /// The number of elements of each dimension of an array, as far as it is known: a
    /// dimension may be a variable, or 0 for no known number.
    ///
    /// Some producers (SPIRV-LLVM-Translator) write the lower bounds of all dimensions
    /// behind the counts. No language has arrays whose later dimensions are all unknown,
    /// so a second half of nothing but zeros is taken for such bounds.
    pub fn dimensions(&self) -> impl Iterator<Item = Option<u64>> + use<'m> {
        let info = self.info;
        let counts = self.list(Field::ComponentCounts);
        let (first, second) = counts.split_at(counts.len() / 2);
        let is_bound = |&id: &u32| match info.entry(Id(id)) {
            Some(entry) => entry.kind == Kind::InfoNone,
            None => info.constant(Id(id)) == Some(0),
        };
        let may_have_bounds = first.len() == second.len() && first.len() <= MAX_DIMENSIONS;
        let has_bounds = may_have_bounds && second.iter().all(is_bound);
        let counts = if has_bounds { first } else { counts };
        counts.iter().map(move |&id| info.constant(Id(id)))
    }

    /// The number of components of a vector, or of columns of a matrix.
    pub fn component_count(&self) -> Option<u64> {
        let field = match self.kind {
            Kind::TypeMatrix => Field::VectorCount,
            Kind::TypeVectorIdEXT => Field::ComponentCountId,
            _ => Field::ComponentCount,
        };
        self.number(field)
    }

    /// The members of a composite: members, methods and base classes.
    pub fn members(&self) -> impl Iterator<Item = Entry<'m>> + use<'m> {
        self.entries(Field::Members)
    }

    /// The values of an enumeration: names, and the constants if they are known.
    pub fn enumerators(&self) -> impl Iterator<Item = (String, Option<u64>)> + use<'m> {
        let info = self.info;
        let pairs = self.list(Field::Enumerators).chunks_exact(2);
        pairs.map(move |pair| {
            (
                info.string(Id(pair[1])).unwrap_or_default(),
                info.constant(Id(pair[0])),
            )
        })
    }

    /// The operations of a `DebugExpression`, in order.
    pub fn operations(&self) -> impl Iterator<Item = Operation> + use<'m> {
        self.entries(Field::Operations)
            .filter_map(|entry| entry.operation())
    }

    /// What a `DebugOperation` does.
    pub fn operation(&self) -> Option<Operation> {
        Some(Operation {
            code: self.operation_code()?,
            operands: self.operation_operands().collect(),
        })
    }

    /// The code alone: an operation that many expressions have can have many operands.
    pub fn operation_code(&self) -> Option<OperationCode> {
        self.number32(Field::OpCode).map(OperationCode)
    }

    /// The operands alone: see [`Operation::operands`].
    pub fn operation_operands(&self) -> impl Iterator<Item = u64> + use<'m> {
        let info = self.info;
        let literal = self
            .slot(Field::Operands)
            .is_none_or(|(_, slot)| slot.is_literal());
        let operands = self.list(Field::Operands).iter();
        operands.map_while(move |&word| match literal {
            true => Some(u64::from(word)),
            false => info.constant(Id(word)),
        })
    }
}

impl fmt::Debug for Entry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.id(), self.kind.name())
    }
}

impl PartialEq for Entry<'_> {
    /// Whether they are the same instruction of one module.
    fn eq(&self, other: &Self) -> bool {
        self.offset() == other.offset()
    }
}

impl Eq for Entry<'_> {}

impl<'a> DebugInfo<'a> {
    /// The debugging instruction with a result id, unless it is a `DebugInfoNone`.
    pub(crate) fn debug_entry(&self, id: Id) -> Option<Entry<'_>> {
        self.entry(id).filter(|entry| entry.kind != Kind::InfoNone)
    }

    /// The value of an `OpConstant` of an integer, of up to 64 bits: what its words say,
    /// with no regard to its type.
    pub fn constant(&self, id: Id) -> Option<u64> {
        let instruction = self.definition(id)?;
        match (instruction.op(), instruction.words()) {
            (Op::Constant, [_, _, _, literal @ ..]) => NumberType::literal(literal),
            (Op::ConstantNull, _) => Some(0),
            _ => None,
        }
    }
}
