//! Sets of kinds of debugging instructions.

use super::Kind;

/// Kinds of debugging instructions, a bit for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kinds(u64);

// There is a bit for each.
const _: () = assert!(Kind::ALL.len() <= u64::BITS as usize);

impl Kinds {
    /// All kinds.
    pub const ALL: Self = Self(u64::MAX);

    /// What describes types and what they are made of: members and base classes, too.
    pub const TYPES: Self = Self::of(&[
        Kind::TypeBasic,
        Kind::TypePointer,
        Kind::TypeQualifier,
        Kind::TypeArray,
        Kind::TypeVector,
        Kind::Typedef,
        Kind::TypeFunction,
        Kind::TypeEnum,
        Kind::TypeComposite,
        Kind::TypeMember,
        Kind::TypeInheritance,
        Kind::TypePtrToMember,
        Kind::TypeTemplate,
        Kind::TypeMatrix,
        Kind::TypeVectorIdEXT,
        Kind::TypeCooperativeMatrixKHR,
    ]);

    /// Compilation units, composites, functions, blocks and modules.
    pub const SCOPES: Self = Self::of(&[
        Kind::CompilationUnit,
        Kind::TypeComposite,
        Kind::Function,
        Kind::LexicalBlock,
        Kind::ModuleINTEL,
    ]);

    /// The same and what tells blocks of one line apart, which has no use otherwise.
    pub const SCOPES_AND_DISCRIMINATORS: Self =
        Self::SCOPES.or(Self::of(&[Kind::LexicalBlockDiscriminator]));

    /// Variables of functions and of the whole module.
    pub const VARIABLES: Self = Self::of(&[Kind::GlobalVariable, Kind::LocalVariable]);

    /// These kinds.
    pub const fn of(kinds: &[Kind]) -> Self {
        let mut bits = 0;
        let mut index = 0;
        while index < kinds.len() {
            bits |= 1 << kinds[index] as u64;
            index += 1;
        }
        Self(bits)
    }

    /// These and others.
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether a kind is among them.
    #[inline]
    pub const fn contains(self, kind: Kind) -> bool {
        self.0 >> kind as u64 & 1 != 0
    }

    /// The kinds, by number.
    pub fn iter(self) -> impl Iterator<Item = Kind> {
        let kinds = Kind::ALL.iter().copied();
        kinds.filter(move |&kind| self.contains(kind))
    }
}
