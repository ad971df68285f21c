//! The members of structures that are laid out explicitly.

use spirvkit_analysis::layout::{Extent, Layout, MatrixOrder, Member, NoLayout};
use spirvkit_binary::Id;
use spirvkit_grammar::Op;

use super::checker::{Checker, least};
use super::straddles::shifted;
use crate::finding::{CheckResult, Finding};
use crate::module::{Lookup, Type};
use crate::rules::generated::layout;

/// A member whose offset is known.
struct Placed<'m> {
    index: usize,
    member: &'m Member,
    layout: &'m Layout,
    offset: u64,
    /// Whether something is wrong with it, so that where it ends says nothing.
    is_wrong: bool,
}

/// Checks a structure whose members' types have been checked. Returns its straddles and
/// where the last of the members ends that are right.
pub(super) fn check(checker: &Checker<'_, '_>, id: Id, found: &mut Vec<Finding>) -> (u16, u64) {
    let members = checker.layouts.members(id);
    let mut placed = Vec::with_capacity(members.len());
    for (index, member) in members.iter().enumerate() {
        let Ok(layout) = &member.layout else {
            continue;
        };
        let before = found.len();
        if let Err(NoLayout::Undecorated(_)) = member.offset {
            missing(checker, id, index, "an `Offset`", found);
        }
        if layout.matrix.is_some() {
            check_matrix(checker, id, index, member, layout, found);
        }
        let is_wrong = found.len() > before;
        if let Ok(Extent::Fixed(offset)) = member.offset {
            placed.push(Placed {
                index,
                member,
                layout,
                offset,
                is_wrong,
            });
        }
    }
    if !checker.m.options.skip_block_layout {
        check_offsets(checker, id, &mut placed, found);
    }
    let sound = placed.iter().filter(|placed| !placed.is_wrong);
    sound.fold((0, 0), |(all, end), placed| {
        let straddles = checker.straddles(placed.member.ty, placed.layout);
        (
            all | shifted(straddles, placed.offset),
            end.max(end_of(checker, placed)),
        )
    })
}

#[cold]
fn missing(checker: &Checker<'_, '_>, id: Id, index: usize, what: &str, found: &mut Vec<Finding>) {
    let message = format!("member {index} of {} needs {what}", checker.m.name(id));
    found.push(checker.finding(&layout::MISSING, id, message));
}

/// Checks what decorations say of the matrices that a member is, or holds as an array.
fn check_matrix(
    checker: &Checker<'_, '_>,
    id: Id,
    index: usize,
    member: &Member,
    layout: &Layout,
    found: &mut Vec<Finding>,
) {
    let m = checker.m;
    let declared = member.matrix;
    if declared.order.is_none() {
        let what = "`RowMajor` or `ColMajor`, because it holds a matrix";
        missing(checker, id, index, what, found);
    }
    if declared.stride.is_none() {
        let what = "a `MatrixStride`, because it holds a matrix";
        missing(checker, id, index, what, found);
    }
    // Which stride is right depends on the order.
    if let (Some(_), Some(stride)) = (declared.order, declared.stride)
        && (stride == 0 || !u64::from(stride).is_multiple_of(layout.alignment))
        && !m.options.skip_block_layout
    {
        let message = format!(
            "the `MatrixStride` of member {index} of {} must be a positive multiple of {}, but is {stride}",
            m.name(id),
            layout.alignment
        );
        found.push(checker.finding(&layout::MATRIX_STRIDE, id, message));
    }
    check_arrays_of_matrices(checker, member, found);
}

/// Checks the strides of arrays of matrices, from the inside out.
fn check_arrays_of_matrices(checker: &Checker<'_, '_>, member: &Member, found: &mut Vec<Finding>) {
    let mut arrays = Vec::new();
    let mut inner = member.ty;
    while let Type::Array { element, .. } | Type::RuntimeArray { element } = checker.m.ty(inner) {
        arrays.push(inner);
        inner = element;
    }
    let before = found.len();
    let in_member = |ty| checker.layouts.in_member(ty, member.matrix);
    let mut size = least(in_member(inner).size);
    while let Some(array) = arrays.pop() {
        let array_layout = in_member(array);
        checker.check_stride(array, &array_layout, size, found);
        // Of what is wrong, the size says nothing.
        size = match found.len() == before {
            true => least(array_layout.size),
            false => 0,
        };
    }
}

/// Checks where the members are. Of each, the first thing that is wrong with its offset
/// is reported.
fn check_offsets(
    checker: &Checker<'_, '_>,
    id: Id,
    placed: &mut [Placed<'_>],
    found: &mut Vec<Finding>,
) {
    let m = checker.m;
    let of = |index: usize| format!("member {index} of {}", m.name(id));
    placed.sort_unstable_by_key(|placed| (placed.offset, placed.index));
    let mut end = 0;
    let mut previous = 0;
    let mut runtime: Option<(usize, u64)> = None;
    for placed in placed {
        let offset = placed.offset;
        let before = found.len();
        found.extend(check_place(checker, id, placed).err());
        let is_astray = found.len() > before;
        if !is_astray && offset < end {
            let message = format!(
                "{} begins at offset {offset}, but {} ends at offset {end}",
                of(placed.index),
                of(previous)
            );
            found.push(checker.finding(&layout::OVERLAP, id, message));
        } else if let Some((index, start)) = runtime.filter(|&(_, start)| offset > start) {
            let message = format!(
                "{} is a run-time array at offset {start}, but {} comes after it",
                of(index),
                of(placed.index)
            );
            found.push(checker.finding(&layout::RUN_TIME_ARRAY, id, message));
            runtime = None;
        }
        let is_fine = found.len() == before;
        if is_fine && m.op_of(placed.member.ty) == Op::TypeRuntimeArray {
            runtime = Some((placed.index, offset));
        }
        // What doesn't belong where it is, or is of no known size, is in
        // nobody's way.
        placed.is_wrong |= is_astray;
        if placed.is_wrong {
            continue;
        }
        let next = next_after(checker, placed);
        if next > end {
            end = next;
            previous = placed.index;
        }
    }
}

/// Where a member ends.
fn end_of(checker: &Checker<'_, '_>, placed: &Placed<'_>) -> u64 {
    let size = checker.least_size(placed.member.ty, placed.layout);
    placed.offset.saturating_add(size)
}

/// Where the next member may begin.
fn next_after(checker: &Checker<'_, '_>, placed: &Placed<'_>) -> u64 {
    let Layout {
        alignment, matrix, ..
    } = *placed.layout;
    let end = end_of(checker, placed);
    let is_padded = match checker.m.op_of(placed.member.ty) {
        Op::TypeArray | Op::TypeStruct => true,
        // Front ends put members behind the last row of a matrix.
        Op::TypeMatrix => matrix.is_some_and(|it| it.order == MatrixOrder::ColumnMajor),
        _ => false,
    };
    match is_padded && !checker.rules.is_scalar() {
        true => end.checked_next_multiple_of(alignment).unwrap_or(u64::MAX),
        false => end,
    }
}

/// Checks where a member is, whatever is beside it.
fn check_place(checker: &Checker<'_, '_>, id: Id, placed: &Placed<'_>) -> CheckResult {
    let m = checker.m;
    let (ty, offset) = (placed.member.ty, placed.offset);
    let of = || format!("member {} of {}", placed.index, m.name(id));
    let is_relaxed_vector = checker.rules.relaxed && m.is_vector(ty);
    let alignment = match placed.layout {
        _ if is_relaxed_vector => u64::from(m.bit_width(ty).div_ceil(8)).max(1),
        // How a matrix is aligned depends on its order.
        Layout {
            matrix: Some(_), ..
        } if placed.member.matrix.order.is_none() => 1,
        layout => layout.alignment,
    };
    if !offset.is_multiple_of(alignment) {
        let message = format!(
            "the `Offset` of {} must be a multiple of {alignment}, but is {offset}",
            of()
        );
        return Err(checker.finding(&layout::ALIGNMENT, id, message));
    }
    if is_relaxed_vector && shifted(checker.straddles(ty, placed.layout), offset) & 1 != 0 {
        let message = format!(
            "{}, a vector at offset {offset}, crosses a multiple of 16 bytes",
            of()
        );
        return Err(checker.finding(&layout::STRADDLE, id, message));
    }
    Ok(())
}
