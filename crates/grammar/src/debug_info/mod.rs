//! What the three instruction sets for debug information have in common: the kinds of
//! instructions, and the fields that each kind has in each set.

use core::fmt;

use crate::{EnumerantInfo, ExtInstSet, OperandKind, Quantifier};

#[rustfmt::skip]
mod generated;
mod kinds;
mod roles;

use generated::{
    DEBUG_INFO, FIELD_NAMES, IS_NUMBER, NAMES, NUMBERS, OPEN_CL_DEBUG_INFO100, SHADER_DEBUG_INFO,
};
pub use generated::{Field, Kind};
pub use kinds::Kinds;
pub use roles::{Requirement, Role};

/// One of the instruction sets for debug information.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Set {
    /// `DebugInfo`, the first of them.
    DebugInfo,
    /// `OpenCL.DebugInfo.100`.
    OpenCl100,
    /// `NonSemantic.Shader.DebugInfo.100` and its later versions.
    Shader,
}

impl Set {
    /// All of them, the oldest first.
    pub const ALL: [Self; 3] = [Self::DebugInfo, Self::OpenCl100, Self::Shader];

    /// The set of the grammar's tables; `None` for what is no set of debug information
    /// about functions.
    pub fn of(set: ExtInstSet) -> Option<Self> {
        match set {
            ExtInstSet::DebugInfo => Some(Self::DebugInfo),
            ExtInstSet::OpenClDebugInfo100 => Some(Self::OpenCl100),
            ExtInstSet::ShaderDebugInfo | ExtInstSet::ShaderDebugInfo100 => Some(Self::Shader),
            _ => None,
        }
    }

    /// The set that `OpExtInstImport` imports under this name. `OpenCL.DebugInfo.100` had
    /// another one before it was registered, which old versions of the LLVM translator
    /// write.
    pub fn from_import_name(name: &str) -> Option<Self> {
        match name {
            "SPIRV.debug" => Some(Self::OpenCl100),
            _ => ExtInstSet::from_import_name(name).and_then(Self::of),
        }
    }

    /// The set in the grammar's tables; of several versions the newest.
    pub fn grammar(self) -> ExtInstSet {
        match self {
            Self::DebugInfo => ExtInstSet::DebugInfo,
            Self::OpenCl100 => ExtInstSet::OpenClDebugInfo100,
            Self::Shader => ExtInstSet::ShaderDebugInfo,
        }
    }

    /// The string that `OpExtInstImport` imports the set with; of several versions
    /// the one that all consumers know.
    pub fn import_name(self) -> &'static str {
        match self {
            Self::DebugInfo => "DebugInfo",
            Self::OpenCl100 => "OpenCL.DebugInfo.100",
            Self::Shader => "NonSemantic.Shader.DebugInfo.100",
        }
    }

    fn rows(self) -> &'static [Option<&'static [Slot]>] {
        match self {
            Self::DebugInfo => DEBUG_INFO,
            Self::OpenCl100 => OPEN_CL_DEBUG_INFO100,
            Self::Shader => SHADER_DEBUG_INFO,
        }
    }

    /// The fields of an instruction in the order of its operands; `None` if the set
    /// does not have the instruction.
    ///
    /// ```
    /// use spirvkit_grammar::debug_info::{Field, Kind, Set};
    ///
    /// let fields = Set::DebugInfo.fields(Kind::TypePointer).unwrap();
    /// let fields: Vec<Field> = fields.iter().map(|slot| slot.field()).collect();
    /// assert_eq!(fields, [Field::BaseType, Field::StorageClass, Field::Flags]);
    /// assert!(Set::DebugInfo.fields(Kind::TypeMatrix).is_none());
    /// ```
    #[inline]
    pub fn fields(self, kind: Kind) -> Option<&'static [Slot]> {
        *self.rows().get(kind as usize)?
    }

    /// The set's instruction with a number.
    #[inline]
    pub fn kind(self, number: u32) -> Option<Kind> {
        Kind::from_number(number).filter(|&kind| self.fields(kind).is_some())
    }

    /// The field that an operand is, counted from 0 after the instruction's number.
    pub fn slot(self, kind: Kind, operand: usize) -> Option<&'static Slot> {
        let slots = self.fields(kind)?;
        let last = slots.last();
        let repeated = last.filter(|slot| slot.quantifier == Quantifier::Many);
        slots.get(operand).or(repeated)
    }

    /// Where a field stands among the operands of an instruction, counted from 0 after
    /// the instruction's number.
    #[inline]
    pub fn position(self, kind: Kind, field: Field) -> Option<usize> {
        let slots = self.fields(kind)?;
        slots.iter().position(|slot| slot.field == field)
    }
}

impl fmt::Display for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.import_name())
    }
}

/// By number, where an instruction stands among all; behind them if there is none.
static PLACES: [u8; NUMBERS[NUMBERS.len() - 1] as usize + 1] = {
    let mut places = [u8::MAX; NUMBERS[NUMBERS.len() - 1] as usize + 1];
    let mut place = 0;
    while place < NUMBERS.len() {
        places[NUMBERS[place] as usize] = place as u8;
        place += 1;
    }
    places
};

impl Kind {
    /// The instruction with this number, whichever sets have it.
    #[inline]
    pub fn from_number(number: u32) -> Option<Self> {
        let place = *PLACES.get(number as usize)?;
        Self::ALL.get(usize::from(place)).copied()
    }

    /// The instruction's number, which is the same in all sets that have it.
    pub const fn number(self) -> u32 {
        // There is one for each.
        NUMBERS[self as usize]
    }

    /// The instruction's name, such as `DebugTypeBasic`.
    pub fn name(self) -> &'static str {
        NAMES.get(self as usize).copied().unwrap_or_default()
    }

    /// Whether it describes a type that variables can have.
    pub fn is_type(self) -> bool {
        let is_part = matches!(self, Self::TypeMember | Self::TypeInheritance);
        Kinds::TYPES.contains(self) && !is_part
    }

    /// Whether it is a lexical scope, which other things name as their parent.
    pub fn is_scope(self) -> bool {
        Kinds::SCOPES_AND_DISCRIMINATORS.contains(self)
    }

    /// Whether it stands in the bodies of functions.
    pub fn is_in_body(self) -> bool {
        use Kind::*;
        matches!(
            self,
            Scope | NoScope | Declare | Value | Line | NoLine | FunctionDefinition
        )
    }
}

impl Field {
    /// The name for people, such as `Linkage Name`.
    pub fn name(self) -> &'static str {
        FIELD_NAMES.get(self as usize).copied().unwrap_or_default()
    }

    /// Whether it is a number that some sets write as a literal and others as the id
    /// of a constant. All other fields are ids in every set.
    pub fn is_number(self) -> bool {
        IS_NUMBER.get(self as usize).copied().unwrap_or_default()
    }
}

/// Where a field stands in an instruction of a set, and how it is written there.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    field: Field,
    literal: bool,
    quantifier: Quantifier,
    values: Option<OperandKind>,
}

impl Slot {
    pub(crate) const fn new(
        field: Field,
        literal: bool,
        quantifier: Quantifier,
        values: Option<OperandKind>,
    ) -> Self {
        Self {
            field,
            literal,
            quantifier,
            values,
        }
    }

    /// What stands there.
    pub fn field(&self) -> Field {
        self.field
    }

    /// Whether it is a literal word and not an id.
    pub fn is_literal(&self) -> bool {
        self.literal
    }

    /// How often it occurs.
    pub fn quantifier(&self) -> Quantifier {
        self.quantifier
    }

    /// The enumeration that names its values in this set.
    pub fn values(&self) -> Option<OperandKind> {
        self.values
    }

    /// The name of a value, if it is one of an enumeration.
    pub fn value_name(&self, value: u32) -> Option<&'static str> {
        self.values?.enumerant(value).map(EnumerantInfo::name)
    }
}
