//! The members of structures that are laid out explicitly.

use spirvkit_binary::Id;
use spirvkit_grammar::Decoration;

use super::sizes::{Kind, Layout, Layouts, MatrixLayout, UNKNOWN, round_up, shifted};
use crate::finding::{CheckResult, Finding};
use crate::module::{Lookup, Type};
use crate::rules::generated::layout;

/// A member: what its decorations and its type say.
pub(super) struct Member {
    pub(super) index: usize,
    pub(super) ty: Id,
    offset: Offset,
    matrix: MatrixLayout,
    has_matrix_stride: bool,
    has_order: bool,
    pub(super) layout: Layout,
    /// Whether something is wrong with it, so that what takes its layout says
    /// nothing.
    is_wrong: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Offset {
    Missing,
    /// Specialization says.
    Unknown,
    Known(u64),
}

impl Member {
    fn known_offset(&self) -> Option<u64> {
        match self.offset {
            Offset::Known(offset) => Some(offset),
            _ => None,
        }
    }
}

/// Lays out and checks a structure whose members' types have been laid out.
pub(super) fn check(
    layouts: &Layouts<'_, '_>,
    id: Id,
    types: &[u32],
    found: &mut Vec<Finding>,
) -> Layout {
    let mut members = declared(layouts, id, types);
    for member in &mut members {
        let before = found.len();
        let is_matrix = layouts.is_matrix(member.ty);
        check_decorations(layouts, id, member, is_matrix, found);
        member.layout = layouts.layout(member.ty, member.matrix, found);
        member.is_wrong = found.len() > before;
        // How it is aligned depends on what it lacks.
        if is_matrix && !member.has_order {
            member.layout.alignment = 1;
        }
    }
    let alignments = members.iter().map(|member| member.layout.alignment);
    let alignment = layouts.extend(alignments.max().unwrap_or(1));
    if !layouts.m.options.skip_block_layout {
        check_offsets(layouts, id, &mut members, found);
    }
    let mut size = 0;
    let mut straddles = 0;
    for member in members.iter().filter(|member| !member.is_wrong) {
        if let Some(offset) = member.known_offset() {
            size = size.max(offset.saturating_add(member.layout.size));
            straddles |= shifted(member.layout.straddles, offset);
        }
    }
    Layout {
        size: match layouts.rules.kind {
            Kind::Extended => round_up(size, alignment),
            _ => size,
        },
        alignment,
        straddles,
    }
}

/// The members of a structure with what decorations say of them, not laid out
/// yet.
fn declared(layouts: &Layouts<'_, '_>, id: Id, types: &[u32]) -> Vec<Member> {
    let m = layouts.m;
    let mut members: Vec<Member> = types
        .iter()
        .enumerate()
        .map(|(index, &ty)| Member {
            index,
            ty: Id(ty),
            offset: Offset::Missing,
            matrix: MatrixLayout::default(),
            has_matrix_stride: false,
            has_order: false,
            layout: UNKNOWN,
            is_wrong: false,
        })
        .collect();
    for decorated in m.decorations(id) {
        let Some(index) = decorated.member else {
            continue;
        };
        let Some(member) = members.get_mut(index as usize) else {
            continue;
        };
        match decorated.decoration {
            Decoration::Offset => member.offset = Offset::Known(decorated.param(0).into()),
            Decoration::OffsetIdEXT => {
                let value = m.constant_u64(Id(decorated.param(0)));
                member.offset = value.map_or(Offset::Unknown, Offset::Known);
            }
            Decoration::MatrixStride => {
                member.matrix.stride = decorated.param(0).into();
                member.has_matrix_stride = true;
            }
            Decoration::RowMajor => {
                member.matrix.row_major = true;
                member.has_order = true;
            }
            Decoration::ColMajor => member.has_order = true,
            _ => {}
        }
    }
    members
}

/// The members of a structure within which a vector crosses a boundary of 16
/// bytes where the structure begins at one. Members that are vectors have been
/// checked.
pub(super) fn straddling(layouts: &Layouts<'_, '_>, id: Id, types: &[u32]) -> Vec<usize> {
    let straddles = |member: &Member| match member.known_offset() {
        Some(offset) if !layouts.is_vector(member.ty) => {
            let layout = layouts.layout(member.ty, member.matrix, &mut Vec::new());
            shifted(layout.straddles, offset) & 1 != 0
        }
        _ => false,
    };
    let members = declared(layouts, id, types).into_iter();
    members
        .filter(straddles)
        .map(|member| member.index)
        .collect()
}

/// Checks that a member has the decorations that its layout needs.
fn check_decorations(
    layouts: &Layouts<'_, '_>,
    id: Id,
    member: &Member,
    is_matrix: bool,
    found: &mut Vec<Finding>,
) {
    let m = layouts.m;
    let mut missing = |what: &str| {
        let message = format!("member {} of {} needs {what}", member.index, m.name(id));
        found.push(layouts.finding(&layout::MISSING, id, message));
    };
    if member.offset == Offset::Missing {
        missing("an Offset");
    }
    if !is_matrix {
        return;
    }
    if !member.has_order {
        missing("RowMajor or ColMajor, because it holds a matrix");
    }
    if !member.has_matrix_stride {
        return missing("a MatrixStride, because it holds a matrix");
    }
    // Which stride is right depends on the order.
    if !member.has_order || m.options.skip_block_layout {
        return;
    }
    let matrix = m.without_arrays(member.ty);
    let alignment = layouts.layout(matrix, member.matrix, found).alignment;
    let stride = member.matrix.stride;
    if stride == 0 || !stride.is_multiple_of(alignment) {
        let message = format!(
            "the MatrixStride of member {} of {} must be a positive multiple of {alignment}, but is {stride}",
            member.index,
            m.name(id)
        );
        found.push(layouts.finding(&layout::MATRIX_STRIDE, id, message));
    }
}

/// Checks where the members stand. Of each, the first thing is told that is wrong
/// with its offset.
fn check_offsets(
    layouts: &Layouts<'_, '_>,
    id: Id,
    members: &mut [Member],
    found: &mut Vec<Finding>,
) {
    let m = layouts.m;
    let of = |index: usize| format!("member {index} of {}", m.name(id));
    members.sort_by_key(|member| (member.known_offset().unwrap_or(0), member.index));
    let mut end = 0;
    let mut previous = 0;
    let mut runtime: Option<(usize, u64)> = None;
    for member in members {
        let Some(offset) = member.known_offset() else {
            continue;
        };
        let before = found.len();
        found.extend(check_place(layouts, id, member, offset).err());
        let is_astray = found.len() > before;
        if !is_astray && offset < end {
            let message = format!(
                "{} begins at offset {offset}, but {} ends at offset {end}",
                of(member.index),
                of(previous)
            );
            found.push(layouts.finding(&layout::OVERLAP, id, message));
        } else if let Some((index, start)) = runtime.filter(|&(_, start)| offset > start) {
            let message = format!(
                "{} is a run-time array at offset {start}, but {} comes after it",
                of(index),
                of(member.index)
            );
            found.push(layouts.finding(&layout::RUN_TIME_ARRAY, id, message));
            runtime = None;
        }
        let is_fine = found.len() == before;
        if is_fine && matches!(m.ty(member.ty), Type::RuntimeArray { .. }) {
            runtime = Some((member.index, offset));
        }
        // What doesn't belong where it stands, or is of no known size, is in
        // nobody's way.
        member.is_wrong |= is_astray;
        if member.is_wrong {
            continue;
        }
        let mut next = offset.saturating_add(member.layout.size);
        let is_padded = layouts.rules.kind != Kind::Scalar
            && match m.ty(member.ty) {
                Type::Array { .. } | Type::Struct { .. } => true,
                // Front ends put members behind the last row of a matrix.
                Type::Matrix { .. } => !member.matrix.row_major,
                _ => false,
            };
        if is_padded {
            next = round_up(next, member.layout.alignment);
        }
        if next > end {
            end = next;
            previous = member.index;
        }
    }
}

/// Checks where a member stands, whatever is beside it.
fn check_place(layouts: &Layouts<'_, '_>, id: Id, member: &Member, offset: u64) -> CheckResult {
    let of = || format!("member {} of {}", member.index, layouts.m.name(id));
    let alignment = layouts.member_alignment(member);
    if !offset.is_multiple_of(alignment) {
        let message = format!(
            "the Offset of {} must be a multiple of {alignment}, but is {offset}",
            of()
        );
        return Err(layouts.finding(&layout::ALIGNMENT, id, message));
    }
    if layouts.rules.relaxed
        && layouts.is_vector(member.ty)
        && shifted(member.layout.straddles, offset) & 1 != 0
    {
        let message = format!(
            "{}, a vector at offset {offset}, crosses a multiple of 16 bytes",
            of()
        );
        return Err(layouts.finding(&layout::STRADDLE, id, message));
    }
    Ok(())
}
