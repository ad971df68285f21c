//! Rules about parts of composites.

use spirvkit_binary::Id;
use spirvkit_grammar::Op;

use super::Values;

/// What is simpler than an operation on composites or their parts; `None` if nothing is known.
pub fn simplify_composite<V: Values>(
    values: &mut V,
    op: Op,
    ty: Id,
    operands: &[u32],
) -> Option<Id> {
    match (op, operands) {
        (Op::CopyObject, &[value]) => Some(Id(value)),
        (Op::CopyLogical, &[value]) if values.ty(Id(value)) == ty => Some(Id(value)),
        _ => None,
    }
}
