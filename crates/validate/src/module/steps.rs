//! What the indexes of access chains go into.

use spirvkit_binary::Id;
use spirvkit_grammar::Op;

use super::{Inst, Lookup, Module, Type};

/// A step of an access chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// The type that the index goes into.
    pub(crate) ty: Id,
    pub(crate) index: Id,
    /// The type that it leads to.
    pub(crate) part: Id,
    /// The member that it chooses, if the type is a structure.
    pub(crate) member: Option<u32>,
}

/// The steps of an access chain, as far as they lead anywhere.
pub(crate) struct Steps<'m, 'a> {
    m: &'m Module<'a>,
    ty: Id,
    indexes: core::slice::Iter<'a, u32>,
}

/// The number of an access chain's operand that is its base.
pub(crate) fn base_operand(op: Op) -> usize {
    usize::from(op.is_untyped_access_chain())
}

/// The number of an access chain's operand that is its first index.
pub(crate) fn first_index(op: Op) -> usize {
    base_operand(op) + 1 + usize::from(op.is_ptr_access_chain())
}

impl<'a> Module<'a> {
    /// The base of an access chain and its steps; nothing for other instructions. An element
    /// that a chain starts with is no step.
    pub(crate) fn steps<'m>(&'m self, chain: Inst<'a>) -> Option<(Id, Steps<'m, 'a>)> {
        let op = chain.op();
        if !op.is_access_chain() {
            return None;
        }
        let base = chain.id(base_operand(op));
        let ty = match op.is_untyped_access_chain() {
            true => Some(chain.id(0)),
            false => self.type_of(base).and_then(|ty| self.pointee(ty)),
        };
        let indexes = chain.args().get(first_index(op)..);
        let indexes = indexes.unwrap_or_default().iter();
        let steps = Steps {
            m: self,
            ty: ty.unwrap_or(Id(0)),
            indexes,
        };
        Some((base, steps))
    }
}

impl Iterator for Steps<'_, '_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        let index = Id(*self.indexes.next()?);
        let ty = self.ty;
        let mut member = None;
        let part = match self.m.ty(ty) {
            Type::Struct { members } => {
                let number = self.m.constant_u64(index);
                let number = u32::try_from(number?).ok()?;
                member = Some(number);
                Id(*members.get(number as usize)?)
            }
            Type::Array { element, .. } | Type::RuntimeArray { element } => element,
            Type::Matrix { column, .. } => column,
            Type::Vector { component, .. } | Type::LongVector { component, .. } => component,
            Type::CooperativeMatrix(matrix) | Type::CooperativeMatrixNv(matrix) => matrix.component,
            _ => return None,
        };
        self.ty = part;
        Some(Step {
            ty,
            index,
            part,
            member,
        })
    }
}
