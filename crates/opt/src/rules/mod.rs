//! Rules that replace a value by a simpler one.
//!
//! [`simplify`] tries the algebraic rules of `crates/opt/rules`, which are compiled into
//! `generated.rs` (`cargo xtask codegen`), and [`simplify_composite`] those about parts of
//! composites. Both want operands in the order that [`canonicalize`] gives them.

mod composites;
#[rustfmt::skip]
mod generated;
mod matching;
mod modes;
mod vectors;

use spirvkit_binary::Id;
use spirvkit_eval::ScalarType;
use spirvkit_grammar::{GlslStd450, Op};

pub use composites::simplify_composite;
pub use generated::RULES;
pub use modes::Modes;

/// The values of a function, as rules see them.
///
/// A value is an id: that of a constant, a global, a parameter or an instruction. The ids among the
/// operands of an instruction are already those of the simplest values that there are.
pub trait Values {
    /// The opcode of the instruction that makes a value; constants have theirs. It is `OpNop` if
    /// decorations make it another operation, as `SaturatedConversion` and `FPRoundingMode` do.
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

    /// The type of the part of a composite type that an index leads to; `None` if there is none,
    /// or it isn't known.
    fn part(&self, ty: Id, index: u32) -> Option<Id>;

    /// How many parts a composite type has, if that is known and the same for whoever
    /// specializes the module: one for each index that leads to a part. Cooperative matrices and
    /// vectors are made of fewer than they have, so theirs count as unknown.
    fn count(&self, ty: Id) -> Option<u32>;

    /// Whether an instruction set is `GLSL.std.450`.
    fn is_glsl(&self, set: Id) -> bool;

    /// Whether a value is an operand of just one operation, and only once, so that it goes with
    /// that one. Rules that make several operations of several ask; `false` is always right.
    fn is_used_once(&self, value: Id) -> bool;
}

/// What is simpler than an operation: a value that there is already or that
/// [`make`](Values::make) makes. `None` if no rule knows anything simpler.
///
/// The types of an operation's operands must be such that it is valid.
pub fn simplify<V: Values>(
    values: &mut V,
    modes: &Modes,
    op: Op,
    ty: Id,
    operands: &[u32],
) -> Option<Id> {
    match (op, operands) {
        (Op::ExtInst, &[set, number, ref operands @ ..]) => {
            let set = Id(set);
            if !values.is_glsl(set) {
                return None;
            }
            let kind = matching::GLSL.saturating_add(number);
            generated::tree(values, modes, kind, set, ty, operands)
        }
        _ => generated::tree(values, modes, op.0.into(), Id(0), ty, operands),
    }
}

/// Puts the operands of an operation into the order that rules expect, and that makes equal
/// operations look equal: constants on the right, and else, if operands may change places,
/// smaller ids on the left. A comparison with a constant on the left becomes its mirror image.
pub fn canonicalize<V: Values>(values: &V, op: &mut Op, operands: &mut [u32]) {
    let (kind, pair) = match (*op, operands) {
        (Op::ExtInst, [set, number, pair @ ..]) => {
            if !values.is_glsl(Id(*set)) {
                return;
            }
            (matching::GLSL.saturating_add(*number), pair)
        }
        (Op::ExtInst, _) => return,
        (op, operands) => (op.0.into(), operands),
    };
    let [left, right, ..] = pair else {
        return;
    };
    let is_commutative = generated::is_commutative(kind) || *op == Op::Dot;
    let mirrored = mirrored(*op);
    if !is_commutative && mirrored.is_none() {
        // These may be no ids at all.
        return;
    }
    let is_constant = |id: u32| values.op(Id(id)).is_constant();
    let keys = [*left, *right].map(|id| (is_constant(id), id));
    if is_commutative {
        if keys[0] > keys[1] {
            std::mem::swap(left, right);
        }
    } else if let Some(mirrored) = mirrored
        && keys[0].0
        && !keys[1].0
    {
        std::mem::swap(left, right);
        *op = mirrored;
    }
}

/// The comparison that is the same with its operands the other way round.
fn mirrored(op: Op) -> Option<Op> {
    const PAIRS: [(Op, Op); 8] = [
        (Op::ULessThan, Op::UGreaterThan),
        (Op::ULessThanEqual, Op::UGreaterThanEqual),
        (Op::SLessThan, Op::SGreaterThan),
        (Op::SLessThanEqual, Op::SGreaterThanEqual),
        (Op::FOrdLessThan, Op::FOrdGreaterThan),
        (Op::FOrdLessThanEqual, Op::FOrdGreaterThanEqual),
        (Op::FUnordLessThan, Op::FUnordGreaterThan),
        (Op::FUnordLessThanEqual, Op::FUnordGreaterThanEqual),
    ];
    PAIRS.iter().find_map(|&(a, b)| match op {
        _ if op == a => Some(b),
        _ if op == b => Some(a),
        _ => None,
    })
}

/// An operation of `GLSL.std.450`, if the value is one: its set, number and operands.
fn glsl<V: Values>(values: &V, value: Id) -> Option<(Id, GlslStd450, &[u32])> {
    if values.op(value) != Op::ExtInst {
        return None;
    }
    let [set, number, operands @ ..] = values.operands(value) else {
        return None;
    };
    let set = Id(*set);
    values
        .is_glsl(set)
        .then_some((set, GlslStd450(*number), operands))
}
