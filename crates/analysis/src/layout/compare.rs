//! The layouts of a structure side by side.

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

use spirvkit_binary::Id;

use super::types::Shape;
use super::{Bytes, Layout, Layouts, MatrixOrder, Member, NoLayout, Rules, Types};

/// How deep structures are looked into.
const MAX_DEPTH: u32 = 32;
/// The most rows: structures that hold others twice grow with every level.
const MAX_ROWS: usize = 4096;
/// How many arrays of arrays to tell the strides of.
const MAX_STRIDES: usize = 16;

/// A structure, with what it is made of, by all rules.
///
/// The array elements of a structure stand for all of them, so an array of structures
/// is followed by the members of its first element.
///
/// ```
/// use spirvkit_analysis::layout::{Bytes, Comparison, Rules, Types};
/// use spirvkit_binary::{Id, Module};
///
/// let text = "
///     OpMemberDecorate %3 0 Offset 0
///     OpMemberDecorate %3 1 Offset 4
///     %1 = OpTypeFloat 32
///     %2 = OpTypeVector %1 3
///     %3 = OpTypeStruct %1 %2";
/// let assembled = spirvkit_text::assemble(text, &Default::default()).unwrap();
/// let module = Module::new(&assembled.words)?;
/// let types = Types::of(module.instructions().flatten());
/// let comparison = Comparison::of(&types, &types.lay_out_all(), Id(3));
/// let vector = &comparison.rows[1];
/// assert_eq!(vector.place(Rules::Explicit).start, Ok(Bytes::Fixed(4)));
/// let place = vector.place(Rules::Std430);
/// assert_eq!((place.start, place.hole, place.offset_differs), (Ok(Bytes::Fixed(16)), 12, true));
/// assert!(!vector.place(Rules::Scalar).offset_differs);
/// # Ok::<(), spirvkit_binary::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The members, each followed by what it is made of.
    pub rows: Vec<Row>,
    /// Whether there is more than fits.
    pub is_cut: bool,
    /// The whole structure, in the order of [`Rules::ALL`].
    pub totals: [Result<Layout, NoLayout>; 4],
}

/// A member, or the end of a structure.
#[derive(Clone, Debug)]
pub struct Row {
    /// How many structures of the comparison are around it, besides the outermost.
    pub depth: u32,
    /// The structure it is of.
    pub structure: Id,
    /// The number of the member; none for the end of the structure, which is there
    /// only if something is unused before it.
    pub member: Option<u32>,
    /// The member's type; of an end, the structure.
    pub ty: Id,
    /// The structure that it is, or that it holds as the elements of arrays.
    pub inner: Option<Id>,
    /// Where it is, in the order of [`Rules::ALL`].
    pub places: [Place; 4],
}

impl Row {
    /// Where it is by these rules.
    pub fn place(&self, rules: Rules) -> &Place {
        // Rules are numbered in their order.
        &self.places[rules as usize]
    }
}

/// Where a member is by some rules.
#[derive(Clone, Debug)]
pub struct Place {
    /// Where it begins in its structure.
    pub offset: Result<Bytes, NoLayout>,
    /// Where it begins in the outermost structure.
    pub start: Result<Bytes, NoLayout>,
    /// How it lies there.
    pub layout: Result<Layout, NoLayout>,
    /// How far apart the elements of arrays begin, from the outermost inwards; of very
    /// many, the first.
    pub strides: Vec<Result<Bytes, NoLayout>>,
    /// How many bytes are unused before it: behind all that begins earlier in its
    /// structure.
    pub hole: u64,
    /// Whether it begins before the end of something that begins earlier.
    pub overlaps: bool,
    /// Whether the offset is not what the module's decorations say.
    pub offset_differs: bool,
    /// Whether a stride is not what the module's decorations say.
    pub stride_differs: bool,
}

/// Where the declared layout of a structure, or of something in it, is not what rules
/// say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The structure.
    pub structure: Id,
    /// The number of its member.
    pub member: u32,
    /// What differs.
    pub what: Aspect,
    /// What the module's decorations say.
    pub declared: Result<Bytes, NoLayout>,
    /// What the rules say.
    pub ruled: Result<Bytes, NoLayout>,
}

/// What may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Aspect {
    /// The offset of the member in its structure.
    Offset,
    /// The stride of an array in it.
    ArrayStride,
    /// The stride of the matrices in it.
    MatrixStride,
}

impl Types<'_> {
    /// The layouts by all rules, in the order of [`Rules::ALL`].
    pub fn lay_out_all(&self) -> [Layouts; 4] {
        Rules::ALL.map(|rules| self.lay_out(rules))
    }

    /// The structure that a type is, or that arrays of it hold.
    pub fn structure_in(&self, ty: Id) -> Option<Id> {
        let mut ty = ty;
        loop {
            match self.get(ty)?.shape {
                Shape::Struct(_) => return Some(ty),
                // Elements are declared before their arrays.
                Shape::Array { element, .. } if self.place(element) < self.place(ty) => {
                    ty = element;
                }
                _ => return None,
            }
        }
    }

    /// Where the layout that is `declared`, by [`Rules::Explicit`], of a structure and of
    /// all in it differs from the `ruled`; each structure in it counts once. Takes time
    /// in proportion to n log n for declarations of length n.
    pub fn differences(&self, declared: &Layouts, ruled: &Layouts, root: Id) -> Vec<Difference> {
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        let mut arrays = BTreeSet::new();
        let mut waiting = vec![root];
        while let Some(structure) = waiting.pop() {
            if !seen.insert(structure) {
                continue;
            }
            let members = declared.members(structure).iter();
            for (number, (one, other)) in (0..).zip(members.zip(ruled.members(structure))) {
                let mut compare = |what, declared, ruled| {
                    if declared != ruled {
                        found.push(Difference {
                            structure,
                            member: number,
                            what,
                            declared,
                            ruled,
                        });
                    }
                };
                compare(Aspect::Offset, one.offset, other.offset);
                let order = matrix_order(other);
                let strides = self
                    .array_strides(one, declared)
                    .zip(self.array_strides(other, ruled));
                for ((array, declared), (_, ruled)) in strides {
                    if !arrays.insert((array, order == Some(MatrixOrder::RowMajor))) {
                        break;
                    }
                    compare(Aspect::ArrayStride, declared, ruled);
                }
                if order.is_some() {
                    compare(
                        Aspect::MatrixStride,
                        matrix_stride(one.layout),
                        matrix_stride(other.layout),
                    );
                }
                waiting.extend(self.structure_in(one.ty));
            }
        }
        found
    }

    /// The arrays that a member is, from the outermost inwards, and how far apart their
    /// elements begin by the rules of these layouts, of which the member is.
    pub fn array_strides<'s>(
        &'s self,
        member: &'s Member,
        layouts: &'s Layouts,
    ) -> impl Iterator<Item = (Id, Result<Bytes, NoLayout>)> + 's {
        let mut ty = member.ty;
        // Of arrays of row-major matrices only the outermost stride is known; the others
        // follow from it.
        let mut outer: Option<Bytes> = None;
        core::iter::from_fn(move || {
            let declared = self.get(ty)?;
            let Shape::Array { element, length } = declared.shape else {
                return None;
            };
            let array = ty;
            let is_matrix = matches!(
                member.layout,
                Ok(Layout {
                    matrix: Some(_),
                    ..
                })
            );
            let stride = match (layouts.rules(), is_matrix, outer) {
                (Rules::Explicit, ..) => {
                    let given = self.array_stride(self.type_marks(array));
                    let missing = spirvkit_grammar::Decoration::ArrayStride;
                    given.unwrap_or(Err(NoLayout::Undecorated(missing)))
                }
                (_, true, None) => stride_of(member.layout),
                (_, true, Some(outer)) => match (outer.known(), length.and_then(Bytes::known)) {
                    (Some(size), Some(length @ 1..)) => Ok(Bytes::Fixed(size / length)),
                    _ => Err(NoLayout::UnknownNumber),
                },
                (_, false, _) => stride_of(layouts.get(array)),
            };
            outer = stride.ok();
            ty = element;
            Some((array, stride))
        })
    }
}

fn stride_of(layout: Result<Layout, NoLayout>) -> Result<Bytes, NoLayout> {
    layout.and_then(|layout| layout.array_stride.ok_or(NoLayout::Opaque))
}

fn matrix_order(member: &Member) -> Option<MatrixOrder> {
    let matrix = member.layout.ok()?.matrix?;
    Some(matrix.order)
}

fn matrix_stride(layout: Result<Layout, NoLayout>) -> Result<Bytes, NoLayout> {
    layout?
        .matrix
        .map(|matrix| matrix.stride)
        .ok_or(NoLayout::Opaque)
}

impl Comparison {
    /// Compares the layouts of a structure, which are those of [`Types::lay_out_all`]; of
    /// anything else, there are no rows.
    pub fn of(types: &Types<'_>, layouts: &[Layouts; 4], root: Id) -> Self {
        let mut comparison = Self {
            rows: Vec::new(),
            is_cut: false,
            totals: [0, 1, 2, 3].map(|rules| layouts[rules].get(root)),
        };
        let zero = Ok(Bytes::Fixed(0));
        let sizes = comparison.totals.map(|total| total.map(|it| it.size));
        let whole = Open {
            rows: structure_rows(types, layouts, root, 0, [zero; 4], sizes).into_iter(),
        };
        let mut open = vec![whole];
        while let Some(current) = open.last_mut() {
            let Some(row) = current.rows.next() else {
                open.pop();
                continue;
            };
            if comparison.rows.len() >= MAX_ROWS {
                comparison.is_cut = true;
                break;
            }
            if let Some(inner) = row.inner {
                match row.depth + 1 < MAX_DEPTH {
                    true => {
                        let starts = [0, 1, 2, 3].map(|rules| row.places[rules].start);
                        let sizes = [0, 1, 2, 3].map(|rules| element_size(&row.places[rules]));
                        let depth = row.depth + 1;
                        let rows = structure_rows(types, layouts, inner, depth, starts, sizes);
                        open.push(Open {
                            rows: rows.into_iter(),
                        });
                    }
                    false => comparison.is_cut = true,
                }
            }
            comparison.rows.push(row);
        }
        comparison
    }
}

/// A structure of which not all rows have been taken.
struct Open {
    rows: vec::IntoIter<Row>,
}

/// How many bytes a structure has for itself: its size, or where the next element begins.
fn element_size(place: &Place) -> Result<Bytes, NoLayout> {
    match place.strides.last() {
        Some(stride) => *stride,
        None => place.layout.map(|layout| layout.size),
    }
}

/// The rows of a structure's members and its end, which begins and extends so by each
/// rules.
fn structure_rows(
    types: &Types<'_>,
    layouts: &[Layouts; 4],
    structure: Id,
    depth: u32,
    starts: [Result<Bytes, NoLayout>; 4],
    sizes: [Result<Bytes, NoLayout>; 4],
) -> Vec<Row> {
    let count = layouts[0].members(structure).len();
    // For each rules, the places of all members.
    let columns: [(Vec<Place>, u64); 4] = [0, 1, 2, 3].map(|rules| {
        let layouts = &layouts[rules];
        let members = layouts.members(structure);
        let mut places: Vec<Place> = members
            .iter()
            .map(|member| Place {
                offset: member.offset,
                start: sum(starts[rules], member.offset),
                layout: member.layout,
                strides: types
                    .array_strides(member, layouts)
                    .map(|(_, stride)| stride)
                    .take(MAX_STRIDES)
                    .collect(),
                hole: 0,
                overlaps: false,
                offset_differs: false,
                stride_differs: false,
            })
            .collect();
        let end = find_holes(&mut places);
        let size = sizes[rules].ok().and_then(Bytes::known);
        let unused = match (end, size) {
            (Some(end), Some(size)) => size.saturating_sub(end),
            _ => 0,
        };
        (places, unused)
    });
    let explicit = Rules::Explicit as usize;
    let mut rows = Vec::with_capacity(count + 1);
    for index in 0..count {
        let member = layouts[explicit].members(structure)[index];
        let mut places = [0, 1, 2, 3].map(|rules| columns[rules].0[index].clone());
        let declared = places[explicit].clone();
        // What declares nothing differs from nothing.
        if declared.offset.is_ok() {
            for place in &mut places {
                place.offset_differs = place.offset != declared.offset;
                place.stride_differs = place.strides != declared.strides
                    || matrix_stride(place.layout) != matrix_stride(declared.layout);
            }
        }
        rows.push(Row {
            depth,
            structure,
            member: Some(index as u32),
            ty: member.ty,
            inner: types.structure_in(member.ty),
            places,
        });
    }
    if columns.iter().any(|&(_, unused)| unused > 0) {
        rows.push(Row {
            depth,
            structure,
            member: None,
            ty: structure,
            inner: None,
            places: [0, 1, 2, 3].map(|rules| Place {
                offset: sizes[rules],
                start: sum(starts[rules], sizes[rules]),
                layout: layouts[rules].get(structure),
                strides: Vec::new(),
                hole: columns[rules].1,
                overlaps: false,
                offset_differs: false,
                stride_differs: false,
            }),
        });
    }
    rows
}

fn sum(one: Result<Bytes, NoLayout>, other: Result<Bytes, NoLayout>) -> Result<Bytes, NoLayout> {
    Ok(one?.plus(other?))
}

/// Finds what is unused before members and where they overlap. Returns where the last
/// ends, if that is known of all.
fn find_holes(places: &mut [Place]) -> Option<u64> {
    let known = |place: &Place| place.offset.ok().and_then(Bytes::known);
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by_key(|&index| known(&places[index]));
    // `None` behind something whose end isn't known.
    let mut end = Some(0u64);
    for index in order {
        let place = &mut places[index];
        let offset = known(place);
        if let (Some(end), Some(offset)) = (end, offset) {
            place.hole = offset.saturating_sub(end);
            place.overlaps = offset < end;
        }
        let size = place.layout.ok().and_then(|layout| layout.size.known());
        end = match (end, offset, size) {
            (Some(end), Some(offset), Some(size)) => Some(end.max(offset.saturating_add(size))),
            _ => None,
        };
    }
    end
}
