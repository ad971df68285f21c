//! Tensors and the layouts and views of tensors.

use spirvkit_binary::Id;
use spirvkit_grammar::{Op, TensorClampMode};

use crate::finding::{CheckResult, Finding, all, both, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Type};
use crate::pattern::{BOOL, DATA, INT, Pattern};
use crate::rule::Rule;
use crate::rules::generated::type_;

/// A number of dimensions, or a mode.
const INDEX: Pattern = INT.constant().widths(&[32]);

#[cold]
fn finding(at: &InstCtx<'_, '_>, rule: &'static Rule, id: Id, message: &str) -> Finding {
    let message = format!("{message}, but is {}", at.m.show_value(id));
    at.finding(rule, message)
        .about(at.m, id, "it is defined here")
}

pub(super) fn tensor(at: &InstCtx<'_, '_>) -> CheckResult {
    let elements = at.expect_type(&type_::TENSOR_ELEMENT, 0, DATA);
    all([elements, ranked(at)])
}

/// Checks the rank and the shape of a tensor.
fn ranked(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    if at.inst.args().len() < 2 {
        return Ok(());
    }
    let rank = at.id(1);
    at.expect_operand(&type_::TENSOR_RANK, 1, INT.constant())?;
    if m.constant_u64(rank) == Some(0) {
        return Err(at
            .finding(
                &type_::TENSOR_RANK,
                "the rank of a tensor must be greater than 0",
            )
            .arg(at, 1));
    }
    match at.inst.args().len() {
        ..3 => Ok(()),
        _ => shape(at, rank, at.id(2)),
    }
}

fn shape(at: &InstCtx<'_, '_>, rank: Id, shape: Id) -> CheckResult {
    let m = at.m;
    let wanted = "the shape of a tensor must be a constant array of as many integers as its rank";
    if !m.is_constant(shape) {
        return Err(finding(at, &type_::TENSOR_SHAPE, shape, wanted));
    }
    let Type::Array { element, length } = m.ty_of(shape) else {
        return Err(finding(at, &type_::TENSOR_SHAPE, shape, wanted));
    };
    let lengths = (m.constant_u64(length), m.constant_u64(rank));
    let differs = matches!(lengths, (Some(length), Some(rank)) if length != rank);
    if !m.is_int_scalar(element) || differs {
        return Err(finding(at, &type_::TENSOR_SHAPE, shape, wanted));
    }
    let Some(def) = m.def(shape) else {
        return Ok(());
    };
    let zero = match def.op() {
        Op::ConstantNull => Some(0),
        Op::ConstantComposite | Op::SpecConstantComposite => {
            let mut sizes = def.args().iter();
            sizes.position(|&size| m.constant_u64(Id(size)) == Some(0))
        }
        _ => None,
    };
    match zero {
        Some(index) => {
            let message =
                format!("the size of dimension {index} of a tensor must be greater than 0");
            let finding = at.finding(&type_::TENSOR_SHAPE, message);
            Err(finding.about(m, shape, "the shape is defined here"))
        }
        None => Ok(()),
    }
}

/// The number of dimensions of a layout or view, if it is known.
fn dimensions(at: &InstCtx<'_, '_>) -> Result<Option<u64>, Finding> {
    at.expect_operand(&type_::TENSOR_LAYOUT_DIMENSIONS, 0, INDEX)?;
    match at.m.constant_u64(at.id(0)) {
        Some(count) if !(1..=5).contains(&count) => {
            let message = format!("the number of dimensions must be from 1 to 5, but is {count}");
            Err(at
                .finding(&type_::TENSOR_LAYOUT_DIMENSIONS, message)
                .arg(at, 0))
        }
        count => Ok(count),
    }
}

pub(super) fn layout(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let dimensions = dimensions(at).map(drop);
    let clamp = at.id(1);
    let most = u64::from(TensorClampMode::RepeatMirrored.0);
    let is_known = m.constant_u64(clamp).is_none_or(|mode| mode <= most);
    let clamp = at
        .expect_operand(&type_::TENSOR_LAYOUT_CLAMP, 1, INDEX)
        .and_then(|()| {
            expect(is_known, || {
                let message = "the clamp mode must be from 0 to 4";
                finding(at, &type_::TENSOR_LAYOUT_CLAMP, clamp, message)
            })
        });
    all([dimensions, clamp])
}

pub(super) fn view(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let is_known = at.expect_operand(&type_::TENSOR_VIEW, 1, BOOL.constant());
    let (count, ()) = both(dimensions(at), is_known)?;
    let permutation = at.inst.args().get(2..).unwrap_or_default();
    if count.is_some_and(|count| count != permutation.len() as u64) {
        let message = format!(
            "a view of {} dimensions needs a permutation of as many, but has {}",
            count.unwrap_or(0),
            permutation.len()
        );
        return Err(at.finding(&type_::TENSOR_VIEW, message));
    }
    let mut seen = 0u64;
    for &index in permutation {
        let index = Id(index);
        if !INT.constant().matches_value(m, index) {
            let message = "the permutation of a tensor view must consist of constant integers";
            return Err(finding(at, &type_::TENSOR_VIEW, index, message));
        }
        let Some(value) = m.constant_u64(index) else {
            return Ok(());
        };
        let bit = 1u64.checked_shl(value.min(64) as u32).unwrap_or(0);
        if value >= permutation.len() as u64 || seen & bit != 0 {
            let message = format!(
                "the permutation of a tensor view must have every number below {} once; {value} is wrong or repeated",
                permutation.len()
            );
            return Err(at.finding(&type_::TENSOR_VIEW, message));
        }
        seen |= bit;
    }
    Ok(())
}
