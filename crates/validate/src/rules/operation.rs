//! What computes a value from values, and the findings that all such operations
//! share.

use std::ops::Deref;

use spirvkit_binary::Id;
use spirvkit_grammar::Op;

use crate::finding::{CheckResult, Finding};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Module, Type};
use crate::rule::Rule;

/// An instruction with its result type and operands at hand.
#[derive(Clone, Copy)]
pub(super) struct Operation<'s, 'm, 'a> {
    pub(super) at: &'s InstCtx<'m, 'a>,
    pub(super) m: &'m Module<'a>,
    pub(super) op: Op,
    /// The result type; id 0 if there is none.
    pub(super) result: Id,
    /// The words of the operands.
    pub(super) args: &'a [u32],
}

impl<'m, 'a> Deref for Operation<'_, 'm, 'a> {
    type Target = InstCtx<'m, 'a>;

    #[inline]
    fn deref(&self) -> &InstCtx<'m, 'a> {
        self.at
    }
}

impl<'s, 'm, 'a> Operation<'s, 'm, 'a> {
    /// The instruction itself.
    #[inline]
    pub(super) fn of(at: &'s InstCtx<'m, 'a>) -> Self {
        Self {
            at,
            m: at.m,
            op: at.inst.op(),
            result: at.result_type(),
            args: at.inst.args(),
        }
    }

    /// An operand; 0 if it is missing.
    #[inline]
    pub(super) fn arg(&self, index: usize) -> u32 {
        self.args.get(index).copied().unwrap_or(0)
    }

    /// An operand as an id.
    #[inline]
    pub(super) fn id(&self, index: usize) -> Id {
        Id(self.arg(index))
    }

    /// The type of the value that is this operand; id 0 if it is no value.
    #[inline]
    pub(super) fn ty(&self, index: usize) -> Id {
        self.m.type_of(self.id(index)).unwrap_or(Id(0))
    }

    /// Checks that an operand has the result type.
    #[inline]
    pub(super) fn expect_result_type(&self, rule: &'static Rule, index: usize) -> CheckResult {
        match self.ty(index) == self.result {
            true => Ok(()),
            false => Err(self.mismatch(rule, index, "the result type")),
        }
    }

    /// A finding about an operand that is at odds with the result type.
    #[cold]
    pub(super) fn mismatch(&self, rule: &'static Rule, index: usize, wanted: &str) -> Finding {
        let name = self.m.operand_name(&self.at.inst, index);
        let value = self.m.show_value(self.id(index));
        let result = self.m.show_type(self.result);
        let message = format!(
            "{name} of {} must have {wanted}, but is {value}, and the result type is {result}",
            self.op
        );
        self.finding(rule, message)
            .arg(self.at, index)
            .about(self.m, self.id(index), "the operand is defined here")
            .about(self.m, self.result, "the result type is declared here")
    }

    /// A finding about the first two operands, which are at odds.
    #[cold]
    pub(super) fn pair_finding(&self, rule: &'static Rule, wanted: &str) -> Finding {
        let (m, one, other) = (self.m, self.id(0), self.id(1));
        let message = format!(
            "{} needs {wanted}, but has {} and {}",
            self.op,
            m.show_value(one),
            m.show_value(other)
        );
        self.finding(rule, message)
            .about(m, one, "one is defined here")
            .about(m, other, "the other is defined here")
    }

    /// Checks that an operand has as many components as the result.
    #[inline]
    pub(super) fn expect_size(&self, rule: &'static Rule, index: usize) -> CheckResult {
        match self.m.same_dimension(self.ty(index), self.result) {
            true => Ok(()),
            false => Err(self.mismatch(rule, index, "as many components as the result")),
        }
    }
}

/// Checks an instruction, and passes over in silence what an earlier phase
/// reports: a result type that is no type, an operand that is no value.
#[inline]
pub(super) fn check_values(
    at: &InstCtx<'_, '_>,
    check: impl Fn(&Operation<'_, '_, '_>) -> CheckResult,
) -> CheckResult {
    let operation = Operation::of(at);
    match check(&operation) {
        Err(_) if lacks_values(&operation) => Ok(()),
        result => result,
    }
}

/// The same for checks that go by nothing but the opcode, the number of operands and the
/// types of result and operands, all of which are values and there: what was right once
/// isn't looked at again.
#[inline]
pub(super) fn check_types(
    at: &InstCtx<'_, '_>,
    check: impl Fn(&Operation<'_, '_, '_>) -> CheckResult,
) -> CheckResult {
    let ty = |id: u32| at.m.type_of(Id(id)).unwrap_or(Id(0)).0;
    // The first word says how many operands there are, too.
    let signature = match *at.inst.words() {
        [first, result, _, a] => [first, result, ty(a), 0, 0],
        [first, result, _, a, b] => [first, result, ty(a), ty(b), 0],
        [first, result, _, a, b, c] => [first, result, ty(a), ty(b), ty(c)],
        _ => return check_values(at, check),
    };
    at.m.sound.once(signature, || check_values(at, check))
}

/// Whether an operand that is to be a value isn't, or the result type is none.
#[cold]
fn lacks_values(o: &Operation<'_, '_, '_>) -> bool {
    let Some(info) = o.op.info() else {
        return false;
    };
    if info.has_result_type() && o.m.ty(o.result) == Type::None {
        return true;
    }
    let before = usize::from(info.has_result_type()) + usize::from(info.has_result());
    let operands = info.operands().get(before..).unwrap_or_default();
    let kinds = operands.iter().map(|operand| operand.is_id());
    // What follows is like the last.
    let last = operands.last().is_some_and(|operand| operand.is_id());
    let kinds = kinds.chain(std::iter::repeat(last));
    let mut ids = o.args.iter().zip(kinds).filter(|(_, is_id)| *is_id);
    ids.any(|(&id, _)| o.m.type_of(Id(id)).is_none())
}
