//! Rules that replace a value by a simpler one.

use spirvkit_binary::Id;
use spirvkit_eval::ScalarType;
use spirvkit_grammar::Op;

/// The values of a function, as rules see them.
///
/// A value is an id: that of a constant, a global, a parameter or an instruction. The ids among the
/// operands of an instruction are already those of the simplest values that there are.
pub trait Values {
    /// The opcode of the instruction that makes a value; constants have theirs.
    fn op(&self, value: Id) -> Op;

    /// The type of a value.
    fn ty(&self, value: Id) -> Id;

    /// The words behind the result of the instruction that makes a value.
    fn operands(&self, value: Id) -> &[u32];

    /// The sort of scalars that a scalar or vector type is made of, and how many there are; `None`
    /// for other types.
    fn shape(&self, ty: Id) -> Option<(ScalarType, u32)>;

    /// The bits of a constant scalar, or of all components of a constant vector in which they are
    /// equal. No specialization constant has any.
    fn bits(&self, value: Id) -> Option<u64>;

    /// The value of an operation on values, simplified itself.
    fn make(&mut self, op: Op, ty: Id, operands: &[u32]) -> Id;

    /// A constant of a scalar or vector type whose components all have these bits.
    fn constant(&mut self, ty: Id, bits: u64) -> Id;
}

/// A simpler value that is the same as what an operation gives.
pub fn simplify(values: &mut impl Values, op: Op, ty: Id, operands: &[u32]) -> Option<Id> {
    let _ = (values, op, ty, operands);
    None
}
