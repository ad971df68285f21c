//! The members of structures that are laid out explicitly.

use spirvkit_binary::Id;
use spirvkit_grammar::Decoration;

use super::sizes::{Kind, Layout, Layouts, MatrixLayout, round_up, shifted};
use crate::fault::Fault;
use crate::module::Type;

/// A member: what its decorations and its type say.
pub(super) struct Member {
    pub(super) index: usize,
    pub(super) ty: Id,
    offset: Offset,
    matrix: MatrixLayout,
    has_matrix_stride: bool,
    has_order: bool,
    pub(super) layout: Layout,
}

#[derive(Clone, Copy, PartialEq)]
enum Offset {
    Missing,
    /// Specialization says.
    Unknown,
    Known(u64),
}

/// Lays out and checks a structure whose members' types have been laid out.
pub(super) fn check(layouts: &Layouts<'_, '_>, id: Id, types: &[u32]) -> Result<Layout, Fault> {
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
            layout: Layout {
                size: 0,
                alignment: 1,
                straddles: 0,
            },
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
    for member in &mut members {
        check_decorations(layouts, id, member)?;
        member.layout = layouts.layout(member.ty, member.matrix)?;
    }
    let alignments = members.iter().map(|member| member.layout.alignment);
    let alignment = layouts.extend(alignments.max().unwrap_or(1));
    if !m.options.skip_block_layout {
        check_offsets(layouts, id, &mut members)?;
    }
    let mut size = 0;
    let mut straddles = 0;
    for member in &members {
        if let Offset::Known(offset) = member.offset {
            size = size.max(offset.saturating_add(member.layout.size));
            straddles |= shifted(member.layout.straddles, offset);
        }
    }
    Ok(Layout {
        size: match layouts.rules.kind {
            Kind::Extended => round_up(size, alignment),
            _ => size,
        },
        alignment,
        straddles,
    })
}

/// Checks that a member has the decorations that its layout needs.
fn check_decorations(layouts: &Layouts<'_, '_>, id: Id, member: &Member) -> Result<(), Fault> {
    let m = layouts.m;
    let missing = |what: &str| {
        let message = format!("member {} of {} needs {what}", member.index, m.name(id));
        layouts.fault(&super::MISSING, id, message)
    };
    if member.offset == Offset::Missing {
        return Err(missing("an Offset"));
    }
    if !layouts.is_matrix(member.ty) {
        return Ok(());
    }
    if !member.has_order {
        return Err(missing("RowMajor or ColMajor, because it holds a matrix"));
    }
    if !member.has_matrix_stride {
        return Err(missing("a MatrixStride, because it holds a matrix"));
    }
    let matrix = m.without_arrays(member.ty);
    let alignment = layouts.layout(matrix, member.matrix)?.alignment;
    let stride = member.matrix.stride;
    if (stride == 0 || !stride.is_multiple_of(alignment)) && !m.options.skip_block_layout {
        let message = format!(
            "the MatrixStride of member {} of {} must be a multiple of {alignment} above 0, but is {stride}",
            member.index,
            m.name(id)
        );
        return Err(layouts.fault(&super::MATRIX_STRIDE, id, message));
    }
    Ok(())
}

/// Checks where the members stand.
fn check_offsets(layouts: &Layouts<'_, '_>, id: Id, members: &mut [Member]) -> Result<(), Fault> {
    let m = layouts.m;
    let of = |index: usize| format!("member {index} of {}", m.name(id));
    let known = |member: &Member| match member.offset {
        Offset::Known(offset) => Some(offset),
        _ => None,
    };
    members.sort_by_key(|member| (known(member).unwrap_or(0), member.index));
    let mut end = 0;
    let mut previous = 0;
    let mut runtime: Option<(usize, u64)> = None;
    for member in members.iter() {
        let Some(offset) = known(member) else {
            continue;
        };
        let alignment = layouts.member_alignment(member);
        if !offset.is_multiple_of(alignment) {
            let message = format!(
                "the Offset of {} must be a multiple of {alignment}, but is {offset}",
                of(member.index)
            );
            return Err(layouts.fault(&super::ALIGNMENT, id, message));
        }
        if layouts.rules.relaxed
            && matches!(m.ty(member.ty), Type::Vector { .. })
            && shifted(member.layout.straddles, offset) & 1 != 0
        {
            let message = format!(
                "{}, a vector at offset {offset}, crosses a boundary of 16 bytes",
                of(member.index)
            );
            return Err(layouts.fault(&super::STRADDLE, id, message));
        }
        if offset < end {
            let message = format!(
                "{} begins at offset {offset}, but {} takes the bytes before {end}",
                of(member.index),
                of(previous)
            );
            return Err(layouts.fault(&super::OVERLAP, id, message));
        }
        if let Some((index, start)) = runtime.filter(|&(_, start)| offset > start) {
            let message = format!(
                "{} is a run-time array at offset {start}, but {} stands behind it",
                of(index),
                of(member.index)
            );
            return Err(layouts.fault(&super::RUNTIME_ARRAY, id, message));
        }
        if matches!(m.ty(member.ty), Type::RuntimeArray { .. }) {
            runtime = Some((member.index, offset));
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
    Ok(())
}
