//! Constants made of constants.

use spirvkit_binary::Id;
use spirvkit_diagnostics::counted;
use spirvkit_grammar::Op;

use crate::finding::{CheckResult, Finding, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Module, Type};
use crate::rules::generated::constant;

/// What a composite is made of.
enum Parts<'a> {
    /// So many of one type; any number if the number isn't known.
    Same { ty: Id, count: Option<u64> },
    /// One of each of these types.
    Each(&'a [u32]),
    /// A tensor's slices along its outermost dimension.
    Slices,
}

fn parts<'a>(m: &Module<'a>, ty: Id) -> Option<Parts<'a>> {
    Some(match m.ty(ty) {
        Type::Vector { component, count } => Parts::Same {
            ty: component,
            count: Some(u64::from(count)),
        },
        Type::LongVector { component, count } => Parts::Same {
            ty: component,
            count: m.constant_u64(count),
        },
        Type::Matrix { column, count } => Parts::Same {
            ty: column,
            count: Some(u64::from(count)),
        },
        Type::Array { element, length } => Parts::Same {
            ty: element,
            count: m.constant_u64(length),
        },
        Type::CooperativeMatrix(matrix) | Type::CooperativeMatrixNv(matrix) => Parts::Same {
            ty: matrix.component,
            count: Some(1),
        },
        Type::Struct { members } => Parts::Each(members),
        Type::Other(Op::TypeTensorARM) => Parts::Slices,
        _ => return None,
    })
}

/// `OpConstantComposite` and `OpSpecConstantComposite`.
pub(super) fn composite(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let result = at.result_type();
    let Some(parts) = parts(m, result) else {
        return Err(at.result_finding(&constant::COMPOSITE_TYPE, "a composite"));
    };
    let constituents = at.inst.args();
    let given = constituents.len() as u64;
    let wanted = match &parts {
        Parts::Same { count, .. } => *count,
        // More may follow in OpConstantCompositeContinuedINTEL.
        Parts::Each(members) => Some(members.len() as u64),
        Parts::Slices => tensor_size(m, result, 0),
    };
    let is_continued = m
        .inst(at.inst.offset() + at.inst.words().len() as u32)
        .is_some_and(|next| {
            matches!(
                next.op(),
                Op::ConstantCompositeContinuedINTEL | Op::SpecConstantCompositeContinuedINTEL
            )
        });
    let is_other = wanted.is_some_and(|wanted| wanted != given) && !is_continued;
    let count = expect(!is_other, || {
        let message = format!(
            "{} needs {}, but has {given}",
            m.show_type(result),
            counted(wanted.unwrap_or(0) as usize, "constituent")
        );
        let finding = at.finding(&constant::CONSTITUENT_COUNT, message);
        finding.about(m, result, "the type is declared here")
    });
    if let Parts::Same { ty, .. } = parts
        && count.is_ok()
        && constituents.iter().all(|&id| is_plain(m, Id(id), ty))
    {
        return Ok(());
    }
    // Of those that are too many, enough is reported.
    let most = wanted.unwrap_or(u64::MAX).try_into().unwrap_or(usize::MAX);
    // The same one often stands there several times.
    let mut fine = None;
    let each = all(constituents
        .iter()
        .enumerate()
        .take(most)
        .map(|(index, &constituent)| {
            if fine == Some(constituent) {
                return Ok(());
            }
            let id = constituent;
            let constituent = Id(constituent);
            check_constituent(at, constituent)?;
            let wanted = match &parts {
                Parts::Same { ty, .. } => *ty,
                Parts::Each(members) => Id(members.get(index).copied().unwrap_or(0)),
                Parts::Slices => return slice(at, result, constituent),
            };
            if m.type_of(constituent) != Some(wanted) && !same_shape(m, constituent, wanted) {
                return Err(constituent_type(at, index, constituent, wanted));
            }
            fine = matches!(parts, Parts::Same { .. }).then_some(id);
            Ok(())
        }));
    all([count, each])
}

/// Whether a constituent is a fixed constant of a type, as most of them are.
#[inline]
fn is_plain(m: &Module<'_>, constituent: Id, ty: Id) -> bool {
    let def = m.def(constituent);
    def.is_some_and(|def| {
        matches!(def.op(), Op::Constant | Op::ConstantComposite) && def.word(1) == ty.0
    })
}

/// Matrix columns are vectors, whose declarations may be repeated where the
/// repetition is let through: they are compared by what they are.
fn same_shape(m: &Module<'_>, constituent: Id, wanted: Id) -> bool {
    let given = m.ty_of(constituent);
    matches!(given, Type::Vector { .. }) && given == m.ty(wanted)
}

#[cold]
fn constituent_type(at: &InstCtx<'_, '_>, index: usize, constituent: Id, wanted: Id) -> Finding {
    let m = at.m;
    let message = format!(
        "constituent {} of {} must be {}, but is {}",
        index + 1,
        at.inst.op(),
        m.show_type(wanted),
        m.show_value(constituent)
    );
    at.finding(&constant::CONSTITUENT_TYPE, message).about(
        m,
        constituent,
        "the constituent is defined here",
    )
}

fn check_constituent(at: &InstCtx<'_, '_>, constituent: Id) -> CheckResult {
    let m = at.m;
    let op = m.op_of(constituent);
    // Most of them.
    if matches!(op, Op::Constant | Op::ConstantComposite) {
        return Ok(());
    }
    if !m.is_constant(constituent) && !matches!(op, Op::Undef | Op::PoisonKHR) {
        let message = format!(
            "a constituent of a constant must be a constant, but is {}",
            m.show_value(constituent)
        );
        let finding = at.finding(&constant::CONSTITUENT, message);
        return Err(finding.about(m, constituent, "it is defined here"));
    }
    let is_fixed = matches!(
        at.inst.op(),
        Op::ConstantComposite | Op::ConstantCompositeReplicateEXT
    );
    if is_fixed && m.is_spec_constant(constituent) {
        let message = format!(
            "{} can't have the specialization constant {} as a constituent",
            at.inst.op(),
            m.name(constituent)
        );
        let finding = at.finding(&constant::SPECIALIZED_CONSTITUENT, message);
        return Err(finding.about(m, constituent, "it is defined here"));
    }
    Ok(())
}

/// `OpConstantCompositeReplicateEXT` and its specialization constant.
pub(super) fn replicate(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let ty = match parts(m, at.result_type()) {
        Some(Parts::Same { ty, .. }) => Some(ty),
        Some(Parts::Each(members)) => match members {
            [first, rest @ ..] if rest.iter().all(|member| member == first) => Some(Id(*first)),
            _ => {
                return Err(at.result_finding(
                    &constant::COMPOSITE_TYPE,
                    "a composite whose parts all have the same type",
                ));
            }
        },
        Some(Parts::Slices) => None,
        None => {
            return Err(at.result_finding(
                &constant::COMPOSITE_TYPE,
                "a composite whose parts all have the same type",
            ));
        }
    };
    let constituent = at.id(0);
    check_constituent(at, constituent)?;
    let Some(ty) = ty else {
        return slice(at, at.result_type(), constituent);
    };
    if m.type_of(constituent) != Some(ty) {
        return Err(constituent_type(at, 0, constituent, ty));
    }
    Ok(())
}

/// A size in a tensor type's shape, if it is known.
fn tensor_size(m: &Module<'_>, tensor: Id, dimension: usize) -> Option<u64> {
    let shape = m.def(tensor)?.optional(2).map(Id)?;
    let size = m.def(shape)?.optional(dimension).map(Id)?;
    m.constant_u64(size)
}

/// A constituent of a tensor: an element if the tensor has one dimension, else
/// a tensor with one dimension less.
fn slice(at: &InstCtx<'_, '_>, tensor: Id, constituent: Id) -> CheckResult {
    let m = at.m;
    let Some(def) = m.def(tensor) else {
        return Ok(());
    };
    let Some(rank) = m.constant_u64(def.id(1)) else {
        return Ok(());
    };
    let element = def.id(0);
    let ty = m.type_of(constituent).unwrap_or(Id(0));
    let slice_message = if rank == 1 {
        match ty == element {
            true => return Ok(()),
            false => "an element".to_owned(),
        }
    } else {
        let Some(inner) = m.def(ty).filter(|inner| inner.op() == Op::TypeTensorARM) else {
            return Err(slice_finding(at, constituent, "a tensor"));
        };
        let inner_rank = m.constant_u64(inner.id(1));
        let sizes_agree = (1..rank.min(64) as usize).all(|dimension| {
            let sizes = (
                tensor_size(m, tensor, dimension),
                tensor_size(m, ty, dimension - 1),
            );
            !matches!(sizes, (Some(a), Some(b)) if a != b)
        });
        if inner.id(0) != element {
            "a tensor with the same element type".to_owned()
        } else if inner_rank.is_some_and(|inner| inner + 1 != rank) {
            format!("a tensor of {} dimensions", rank.saturating_sub(1))
        } else if !sizes_agree {
            "a tensor of the result's inner shape".to_owned()
        } else {
            return Ok(());
        }
    };
    Err(slice_finding(at, constituent, &slice_message))
}

#[cold]
fn slice_finding(at: &InstCtx<'_, '_>, constituent: Id, wanted: &str) -> Finding {
    let message = format!(
        "a constituent of {} must be {wanted}, but is {}",
        at.m.show_type(at.result_type()),
        at.m.show_value(constituent)
    );
    at.finding(&constant::CONSTITUENT_TYPE, message)
        .about(at.m, constituent, "it is defined here")
}
