//! The values of constants.

use alloc::sync::Arc;

use crate::scalar::{Scalar, Small};

/// The most parts a composite can have whose parts are not all alike: as many as
/// there is room for in the longest instruction, which has 65,535 words.
pub const MAX_PARTS: usize = 65_532;

/// The deepest that composites can be nested. The specification lets structures
/// go down to 255 (section 2.17 "Universal Limits"); the rest is for the
/// matrices and vectors in them. It keeps recursive code, such as the compiler
/// derives, off the end of the stack.
pub const MAX_DEPTH: u16 = 260;

/// The most scalars a composite can have, each counted as often as it stands
/// there. Constants can share parts, so a module that doubles a composite line by
/// line has exponentially many; walking them all would never end.
pub const MAX_SCALARS: u32 = 1 << 22;

/// The value of a constant. A scalar takes no allocation; composites share their
/// parts with their copies.
///
/// Values are equal if their parts are, floating-point numbers bit by bit. What
/// is null has the form that any other value of its type has: a zero is a scalar,
/// and a null array a composite, made for its type by
/// [`Types::null`](super::Types::null).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A scalar.
    Scalar(Scalar),
    /// A vector, matrix, array or structure.
    Composite(Composite),
    /// What `OpConstantNull` makes of a type that is neither a scalar nor a
    /// composite: a null pointer, a null event and the like. Where folding expects
    /// anything else, it takes this for the null value of that type.
    Null,
    /// A scalar, pointer or the like that has no value in particular: what
    /// `OpUndef` makes. Where folding expects a composite, it takes this for one of
    /// which all parts are undefined.
    Undef,
}

impl Value {
    /// A vector, matrix, array or structure with these parts. `None` if there are
    /// none, or if they are beyond [`MAX_PARTS`], [`MAX_DEPTH`] or
    /// [`MAX_SCALARS`].
    pub fn composite(parts: impl Into<Arc<[Self]>>) -> Option<Self> {
        let parts = parts.into();
        let first = parts.first()?;
        if parts.len() > MAX_PARTS {
            return None;
        }
        if parts.iter().all(|part| part.is_same(first)) {
            return Self::replicate(first.clone(), u32::try_from(parts.len()).ok()?);
        }
        let mut depth = 0;
        let mut scalars = 0u32;
        let mut small = Small::default();
        let null = parts.iter().all(Self::is_null);
        let undef = parts.iter().all(Self::is_undef);
        for part in &*parts {
            depth = depth.max(part.depth());
            scalars = scalars.saturating_add(part.scalars());
            small = small.or(part.small());
        }
        if depth >= MAX_DEPTH || scalars > MAX_SCALARS {
            return None;
        }
        Some(Self::Composite(Composite {
            parts: Parts::Each(parts),
            depth: depth + 1,
            scalars,
            null,
            undef,
            small,
        }))
    }

    /// The same with `count` parts that are all alike, of which there may be any
    /// number above 0.
    pub fn replicate(part: Self, count: u32) -> Option<Self> {
        if count == 0 {
            return None;
        }
        let (depth, scalars) = (part.depth(), part.scalars());
        let (null, undef) = (part.is_null(), part.is_undef());
        let small = part.small();
        if depth >= MAX_DEPTH {
            return None;
        }
        Some(Self::Composite(Composite {
            parts: Parts::All(Arc::new(Repeated { part, count })),
            depth: depth + 1,
            scalars,
            null,
            undef,
            small,
        }))
    }

    /// The scalar, if it is one.
    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            Self::Scalar(scalar) => Some(*scalar),
            _ => None,
        }
    }

    /// Whether it is the null value of its type: all its bits are zero.
    pub fn is_null(&self) -> bool {
        match self {
            Self::Scalar(scalar) => scalar.bits() == 0,
            Self::Composite(composite) => composite.null,
            Self::Null => true,
            Self::Undef => false,
        }
    }

    /// Whether nothing in it is defined.
    pub fn is_undef(&self) -> bool {
        match self {
            Self::Composite(composite) => composite.undef,
            Self::Undef => true,
            Self::Scalar(_) | Self::Null => false,
        }
    }

    /// The part of a composite with this index, if there is one.
    pub fn part(&self, index: u32) -> Option<&Self> {
        match self {
            Self::Composite(composite) => composite.part(index),
            _ => None,
        }
    }

    /// Whether the two are the same at a glance: composites are not looked into.
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Composite(a), Self::Composite(b)) => a.is_same(b),
            (Self::Composite(_), _) | (_, Self::Composite(_)) => false,
            _ => self == other,
        }
    }

    /// Which numbers of less than 32 bits are in it.
    pub fn small(&self) -> Small {
        match self {
            Self::Scalar(scalar) => Small::of(scalar.ty()),
            Self::Composite(composite) => composite.small,
            Self::Null | Self::Undef => Small::default(),
        }
    }

    fn depth(&self) -> u16 {
        match self {
            Self::Composite(composite) => composite.depth,
            _ => 0,
        }
    }

    fn scalars(&self) -> u32 {
        match self {
            Self::Composite(composite) => composite.scalars,
            _ => 1,
        }
    }
}

impl<T: Into<Scalar>> From<T> for Value {
    fn from(value: T) -> Self {
        Self::Scalar(value.into())
    }
}

/// The value of a composite constant. [`Value::composite`] and [`Value::replicate`] make it.
#[derive(Clone, Debug)]
pub struct Composite {
    parts: Parts,
    /// How many scalars it has, replicated ones counted once: [`MAX_SCALARS`] at most.
    scalars: u32,
    /// How deep it goes: 1 if all parts are scalars, and [`MAX_DEPTH`] at most.
    depth: u16,
    /// Whether all its bits are zero.
    null: bool,
    /// Whether nothing in it is defined.
    undef: bool,
    small: Small,
}

#[derive(Clone, Debug)]
enum Parts {
    Each(Arc<[Value]>),
    All(Arc<Repeated>),
}

/// So many parts that are all alike.
#[derive(Debug)]
struct Repeated {
    part: Value,
    count: u32,
}

impl Composite {
    /// How many parts there are: components, columns, elements or members. It is
    /// above 0.
    #[expect(clippy::len_without_is_empty, reason = "it never is")]
    pub fn len(&self) -> u32 {
        match &self.parts {
            Parts::Each(parts) => parts.len() as u32,
            Parts::All(all) => all.count,
        }
    }

    /// The part with this index.
    pub fn part(&self, index: u32) -> Option<&Value> {
        match &self.parts {
            Parts::Each(parts) => parts.get(index as usize),
            Parts::All(all) => (index < all.count).then_some(&all.part),
        }
    }

    /// The parts, in order.
    pub fn parts(&self) -> impl Iterator<Item = &Value> {
        (0..self.len()).filter_map(|index| self.part(index))
    }

    /// The part that all parts are, if that has been seen: always, if they are
    /// scalars.
    pub fn uniform(&self) -> Option<&Value> {
        match &self.parts {
            Parts::Each(_) => None,
            Parts::All(all) => Some(&all.part),
        }
    }

    /// What tells a composite from all others that are there: copies have it, too.
    pub fn identity(&self) -> (usize, u32) {
        let address = match &self.parts {
            Parts::Each(parts) => parts.as_ptr().addr(),
            Parts::All(all) => Arc::as_ptr(all).addr(),
        };
        (address, self.len())
    }

    fn is_same(&self, other: &Self) -> bool {
        match (&self.parts, &other.parts) {
            (Parts::Each(a), Parts::Each(b)) => Arc::ptr_eq(a, b),
            (Parts::All(a), Parts::All(b)) => {
                Arc::ptr_eq(a, b) || a.count == b.count && a.part.is_same(&b.part)
            }
            _ => false,
        }
    }
}

impl PartialEq for Composite {
    fn eq(&self, other: &Self) -> bool {
        if self.len() != other.len() {
            return false;
        }
        match (&self.parts, &other.parts) {
            (Parts::All(a), Parts::All(b)) => Arc::ptr_eq(a, b) || a.part == b.part,
            (Parts::Each(a), Parts::Each(b)) => Arc::ptr_eq(a, b) || a == b,
            _ => self.parts().eq(other.parts()),
        }
    }
}

impl Eq for Composite {}
