//! The values of constants.

use spirvkit_binary::Id;
use spirvkit_grammar::Op;

use super::Module;
use super::types::word;

impl<'a> Module<'a> {
    /// Whether the id is a constant, specialization constants and nulls
    /// included, `OpUndef` not.
    pub(crate) fn is_constant(&self, id: Id) -> bool {
        self.def(id).is_some_and(|def| def.op().is_constant())
    }

    /// Whether the id is a constant that specialization may change.
    pub(crate) fn is_spec_constant(&self, id: Id) -> bool {
        self.def(id).is_some_and(|def| def.op().is_spec_constant())
    }

    /// The bits of an integer that no specialization changes: of an
    /// `OpConstant`, sign-extended to 64 bits if its type is signed, or of an
    /// `OpConstantNull`.
    pub(crate) fn constant_u64(&self, id: Id) -> Option<u64> {
        match self.declaration(id) {
            (Op::Constant, words) => self.integer_bits(words),
            (Op::ConstantNull, &[_, ty, ..]) if self.is_int_scalar(Id(ty)) => Some(0),
            _ => None,
        }
    }

    /// The same as a signed number: the bits of unsigned types are taken as they
    /// are.
    pub(crate) fn constant_i64(&self, id: Id) -> Option<i64> {
        self.constant_u64(id).map(|bits| bits as i64)
    }

    /// The value of an integer constant or the default of an integer
    /// specialization constant.
    pub(crate) fn default_u64(&self, id: Id) -> Option<u64> {
        match self.declaration(id) {
            (Op::SpecConstant, words) => self.integer_bits(words),
            _ => self.constant_u64(id),
        }
    }

    /// The bits that an instruction of these words gives its constant, if that is an
    /// integer.
    fn integer_bits(&self, words: &[u32]) -> Option<u64> {
        let (Op::TypeInt, ty) = self.declaration(Id(word(words, 1))) else {
            return None;
        };
        let (width, signed) = (word(ty, 2), word(ty, 3) != 0);
        let low = u64::from(word(words, 3));
        let bits = match width {
            ..=32 => low,
            _ => low | u64::from(word(words, 4)) << 32,
        };
        let unused = 64u32.saturating_sub(width.max(1)).min(63);
        Some(match signed {
            true => ((bits << unused) as i64 >> unused) as u64,
            false => bits << unused >> unused,
        })
    }
}
