//! Extraction and insertion along a path of literal indexes.

use spirvkit_binary::Id;
use spirvkit_grammar::Op;

use super::super::operation::Operation;
use crate::finding::{CheckResult, Finding};
use crate::module::{Lookup, Type};
use crate::rules::generated::composite;

pub(super) fn check_extract(o: &Operation<'_, '_, '_>) -> CheckResult {
    let part = follow(o, 0, o.result)?;
    if part != o.result {
        let message = format!(
            "the indexes of OpCompositeExtract lead to {}, but its result type is {}",
            o.m.show_type(part),
            o.m.show_type(o.result)
        );
        let finding = o.finding(&composite::PART, message);
        return Err(finding.about(o.m, o.id(0), "the composite is defined here"));
    }
    Ok(())
}

pub(super) fn check_insert(o: &Operation<'_, '_, '_>) -> CheckResult {
    if o.ty(1) != o.result {
        return Err(o.mismatch(&composite::INSERT_RESULT, 1, "the result type"));
    }
    let part = follow(o, 1, o.ty(0))?;
    if part != o.ty(0) {
        let message = format!(
            "the indexes of OpCompositeInsert lead to {}, but the object is {}",
            o.m.show_type(part),
            o.m.show_value(o.id(0))
        );
        let finding = o.finding(&composite::PART, message);
        return Err(finding.about(o.m, o.id(0), "the object is defined here"));
    }
    Ok(())
}

/// The type of the part of the composite, which is this operand, that the
/// indexes behind it lead to, which is said to be of the type `claimed`.
fn follow(o: &Operation<'_, '_, '_>, composite: usize, claimed: Id) -> Result<Id, Finding> {
    let m = o.m;
    let indexes = o.args.get(composite + 1..).unwrap_or_default();
    if indexes.is_empty() {
        let message = format!("{} needs at least one index", o.op);
        return Err(o.finding(&composite::NO_INDEXES, message));
    }
    let limit = m.options.limits.access_chain_indexes;
    if indexes.len() > limit as usize {
        let message = format!(
            "{} has {} indexes, but the limit is {limit}",
            o.op,
            indexes.len()
        );
        return Err(o
            .finding(&composite::TOO_MANY_INDEXES, message)
            .arg(o.at, composite + 1 + limit as usize));
    }
    let mut ty = o.ty(composite);
    for (depth, &index) in indexes.iter().enumerate() {
        let (part, count) = match m.ty(ty) {
            Type::Vector { component, count } => (component, Some(u64::from(count))),
            Type::Matrix { column, count } => (column, Some(u64::from(count))),
            Type::Array { element, .. } => (element, m.array_length(ty)),
            Type::RuntimeArray { element } => (element, None),
            Type::Struct { members } => {
                let member = members.get(index as usize).copied().unwrap_or(0);
                (Id(member), Some(members.len() as u64))
            }
            Type::LongVector { component, count } => (component, m.constant_u64(count)),
            // How many components an invocation holds is known at run time.
            Type::CooperativeMatrix(matrix) | Type::CooperativeMatrixNv(matrix) => {
                (matrix.component, None)
            }
            // The parts of a tensor are elements or, of more dimensions than one,
            // tensors, which nothing names.
            Type::Other(Op::TypeTensorARM) => return Ok(claimed),
            _ => return Err(not_composite(o, composite, ty, depth)),
        };
        if count.is_some_and(|count| u64::from(index) >= count) {
            return Err(out_of_bounds(o, composite, ty, index, count.unwrap_or(0)));
        }
        ty = part;
    }
    Ok(ty)
}

#[cold]
fn not_composite(o: &Operation<'_, '_, '_>, composite: usize, ty: Id, depth: usize) -> Finding {
    let message = format!(
        "index {} of {} selects a part of {}, which has no parts",
        depth + 1,
        o.op,
        o.m.show_type(ty)
    );
    let finding = o.finding(&composite::NOT_COMPOSITE, message);
    finding.about(o.m, o.id(composite), "the composite is defined here")
}

#[cold]
fn out_of_bounds(
    o: &Operation<'_, '_, '_>,
    composite: usize,
    ty: Id,
    index: u32,
    count: u64,
) -> Finding {
    let message = format!(
        "{} selects part {index} of {}, which has only {count}",
        o.op,
        o.m.show_type(ty)
    );
    let finding = o.finding(&composite::OUT_OF_BOUNDS, message);
    finding
        .about(o.m, o.id(composite), "the composite is defined here")
        .about(o.m, ty, "the type of the part is declared here")
}
