//! Instructions before they are written.

use spirvkit_binary::Id;

use crate::{Field, Kind};

/// What goes in a field of an instruction, whichever set it is for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Operand {
    /// Nothing: see [`Encoder`](crate::build::Encoder) for what is written then.
    #[default]
    Absent,
    /// An id: of another debugging instruction, or of something in the module.
    Id(Id),
    /// A number. Values of enumerations are those of the newest set, which
    /// [`Encoding`](crate::Encoding), [`Flags`](crate::Flags) and the like have.
    Number(u64),
    /// A text, for which there will be an `OpString`.
    Text(String),
    /// What is in a field that may occur many times.
    List(Vec<Operand>),
}

impl From<Id> for Operand {
    fn from(id: Id) -> Self {
        Self::Id(id)
    }
}

impl From<u32> for Operand {
    fn from(number: u32) -> Self {
        Self::Number(u64::from(number))
    }
}

impl From<u64> for Operand {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for Operand {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&[Id]> for Operand {
    fn from(ids: &[Id]) -> Self {
        Self::List(ids.iter().map(|&id| Self::Id(id)).collect())
    }
}

impl From<&[u32]> for Operand {
    fn from(numbers: &[u32]) -> Self {
        Self::List(numbers.iter().map(|&number| number.into()).collect())
    }
}

impl<T: Into<Operand>> From<Option<T>> for Operand {
    fn from(operand: Option<T>) -> Self {
        operand.map_or(Self::Absent, Into::into)
    }
}

impl Operand {
    /// Whether it says nothing: it is absent, 0, or an empty text or list.
    pub fn is_nothing(&self) -> bool {
        match self {
            Self::Absent | Self::Number(0) => true,
            Self::Text(text) => text.is_empty(),
            Self::List(list) => list.is_empty(),
            Self::Id(_) | Self::Number(_) => false,
        }
    }

    /// Calls `with` with each id in it.
    pub(crate) fn each_id(&self, with: &mut impl FnMut(Id)) {
        match self {
            Self::Id(id) => with(*id),
            // Lists hold no lists.
            Self::List(list) => list.iter().for_each(|operand| {
                if let Self::Id(id) = operand {
                    with(*id);
                }
            }),
            Self::Absent | Self::Number(_) | Self::Text(_) => {}
        }
    }
}

/// A debugging instruction that is to be written: what it is, and what it says by
/// field, in any order. Fields that aren't there are absent.
///
/// ```
/// use spirvkit_debuginfo::build::Draft;
/// use spirvkit_debuginfo::{Encoding, Field, Kind};
///
/// let float = Draft::new(Kind::TypeBasic)
///     .with(Field::Name, "float")
///     .with(Field::Size, 32u32)
///     .with(Field::Encoding, Encoding::Float.0);
/// assert!(float.get(Field::Flags).is_nothing());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Draft {
    kind: Kind,
    fields: Vec<(Field, Operand)>,
}

impl Draft {
    /// An instruction of this kind, with nothing in its fields.
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            fields: Vec::new(),
        }
    }

    /// The same with something in a field.
    #[must_use]
    pub fn with(mut self, field: Field, operand: impl Into<Operand>) -> Self {
        self.set(field, operand);
        self
    }

    /// Puts something into a field, in place of what was there.
    pub fn set(&mut self, field: Field, operand: impl Into<Operand>) {
        let operand = operand.into();
        match self.fields.iter_mut().find(|(known, _)| *known == field) {
            Some((_, slot)) => *slot = operand,
            None => self.fields.push((field, operand)),
        }
    }

    /// The kind of instruction.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// What is in a field.
    pub fn get(&self, field: Field) -> &Operand {
        let found = self.fields.iter().find(|(known, _)| *known == field);
        found.map_or(&Operand::Absent, |(_, operand)| operand)
    }

    /// All fields that something was put into.
    pub fn fields(&self) -> impl Iterator<Item = (Field, &Operand)> {
        self.fields.iter().map(|(field, operand)| (*field, operand))
    }
}
