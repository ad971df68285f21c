//! The layouts of a structure side by side.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::rc::Rc;
use alloc::vec;
use alloc::vec::Vec;
use core::cell::RefCell;

use spirvkit_binary::Id;

use super::{Extent, Layout, Layouts, MatrixOrder, Member, NoLayout, Rules, Types};
use crate::index::Lookup;

/// How deep structures are looked into.
const MAX_DEPTH: u32 = 32;
/// The most rows: structures that hold others twice grow with every level.
const MAX_ROWS: usize = 4096;
/// How many arrays of arrays to tell the strides of.
const MAX_STRIDES: usize = 16;

/// Structures, with what they are made of, by all rules.
///
/// The array elements of a structure stand for all of them, so an array of structures
/// is followed by the members of its first element.
///
/// ```
/// use spirvkit_analysis::layout::{Extent, Comparison, Rules, Types};
/// use spirvkit_analysis::ModuleIndex;
/// use spirvkit_binary::Id;
///
/// let text = "
///     OpMemberDecorate %3 0 Offset 0
///     OpMemberDecorate %3 1 Offset 4
///     %1 = OpTypeFloat 32
///     %2 = OpTypeVector %1 3
///     %3 = OpTypeStruct %1 %2";
/// let assembled = spirvkit_text::assemble(text, &Default::default()).unwrap();
/// let index = ModuleIndex::new(&assembled.words)?;
/// let types = Types::of(&index);
/// let layouts = types.lay_out_all();
/// let comparison = Comparison::new(&types, &layouts);
/// let vector = comparison.rows(Id(3)).nth(1).unwrap();
/// assert_eq!(vector.place(Rules::Explicit).start, Ok(Extent::Fixed(4)));
/// let place = vector.place(Rules::Std430);
/// assert_eq!((place.start, place.hole, place.offset_differs), (Ok(Extent::Fixed(16)), 12, true));
/// assert!(!vector.place(Rules::Scalar).offset_differs);
/// # Ok::<(), spirvkit_binary::Error>(())
/// ```
#[derive(Debug)]
pub struct Comparison<'t> {
    types: &'t Types<'t>,
    layouts: &'t [Layouts; 4],
    /// Of the structures that were looked at: one may be in many.
    spaces: RefCell<BTreeMap<Id, Rc<Spaces>>>,
}

/// A member, or the end of a structure.
#[derive(Clone, Debug)]
#[non_exhaustive]
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
#[non_exhaustive]
pub struct Place {
    /// Where it begins in its structure.
    pub offset: Result<Extent, NoLayout>,
    /// Where it begins in the outermost structure.
    pub start: Result<Extent, NoLayout>,
    /// How it lies there.
    pub layout: Result<Layout, NoLayout>,
    /// How far apart the elements of arrays begin, from the outermost inwards; of very
    /// many, the first.
    pub strides: Vec<Result<Extent, NoLayout>>,
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
#[non_exhaustive]
pub struct Difference {
    /// The structure.
    pub structure: Id,
    /// The number of its member.
    pub member: u32,
    /// What differs.
    pub what: Aspect,
    /// What the module's decorations say.
    pub declared: Result<Extent, NoLayout>,
    /// What the rules say.
    pub ruled: Result<Extent, NoLayout>,
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
                waiting.extend(declared.structure_in(one.ty));
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
    ) -> impl Iterator<Item = (Id, Result<Extent, NoLayout>)> + 's {
        let mut next = Some(member.ty);
        // Of arrays of row-major matrices only the outermost stride is known; the others
        // follow from it.
        let mut outer: Option<Extent> = None;
        core::iter::from_fn(move || {
            let array = next?;
            let (element, length) = self.array(self.index.ty(array))?;
            let is_matrix = matches!(
                member.layout,
                Ok(Layout {
                    matrix: Some(_),
                    ..
                })
            );
            let stride = match (layouts.rules(), is_matrix, outer) {
                (Rules::Explicit, ..) => self.declared_stride(array),
                (_, true, None) => stride_of(member.layout),
                (_, true, Some(outer)) => {
                    match (outer.known(), length.ok().and_then(Extent::known)) {
                        (Some(size), Some(length @ 1..)) => Ok(Extent::Fixed(size / length)),
                        _ => Err(NoLayout::UnknownNumber),
                    }
                }
                (_, false, _) => stride_of(layouts.get(array)),
            };
            outer = stride.ok();
            next = Some(element).filter(|&element| self.is_before(element, array));
            Some((array, stride))
        })
    }
}

fn stride_of(layout: Result<Layout, NoLayout>) -> Result<Extent, NoLayout> {
    layout.and_then(|layout| layout.array_stride.ok_or(NoLayout::Opaque))
}

fn matrix_order(member: &Member) -> Option<MatrixOrder> {
    let matrix = member.layout.ok()?.matrix?;
    Some(matrix.order)
}

fn matrix_stride(layout: Result<Layout, NoLayout>) -> Result<Extent, NoLayout> {
    layout?
        .matrix
        .map(|matrix| matrix.stride)
        .ok_or(NoLayout::Opaque)
}

impl<'t> Comparison<'t> {
    /// Compares layouts, which are those of [`Types::lay_out_all`].
    pub fn new(types: &'t Types<'t>, layouts: &'t [Layouts; 4]) -> Self {
        Self {
            types,
            layouts,
            spaces: RefCell::default(),
        }
    }

    /// The whole structure, in the order of [`Rules::ALL`].
    pub fn totals(&self, structure: Id) -> [Result<Layout, NoLayout>; 4] {
        [0, 1, 2, 3].map(|rules| self.layouts[rules].get(structure))
    }

    /// The members of a structure, each followed by what it is made of; of anything
    /// else, none. They are worked out one by one.
    pub fn rows(&self, structure: Id) -> Rows<'_> {
        let zero = Ok(Extent::Fixed(0));
        let sizes = self.totals(structure).map(|total| total.map(|it| it.size));
        Rows {
            comparison: self,
            open: vec![self.open(structure, [zero; 4], sizes)],
            count: 0,
            is_cut: false,
        }
    }

    /// A structure that begins and extends so by each rules.
    fn open(
        &self,
        structure: Id,
        starts: [Result<Extent, NoLayout>; 4],
        sizes: [Result<Extent, NoLayout>; 4],
    ) -> Open {
        let mut known = self.spaces.borrow_mut();
        let spaces = known.entry(structure);
        let spaces = spaces.or_insert_with(|| Rc::new(Spaces::of(self.layouts, structure)));
        Open {
            structure,
            next: 0,
            starts,
            sizes,
            spaces: Rc::clone(spaces),
        }
    }
}

/// The rows of a structure: see [`Comparison::rows`].
#[derive(Debug)]
pub struct Rows<'c> {
    comparison: &'c Comparison<'c>,
    /// The structures of which not all rows have been taken, each within the one before.
    open: Vec<Open>,
    count: usize,
    is_cut: bool,
}

impl Rows<'_> {
    /// Whether something was left out so far: structures in very many others, or rows
    /// after very many.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }
}

impl Iterator for Rows<'_> {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        let row = loop {
            let depth = self.open.len().checked_sub(1)?;
            match self.open[depth].next(self.comparison, depth as u32) {
                Some(row) => break row,
                None => drop(self.open.pop()),
            }
        };
        if self.count >= MAX_ROWS {
            self.is_cut = true;
            self.open.clear();
            return None;
        }
        self.count += 1;
        if let Some(inner) = row.inner {
            match row.depth + 1 < MAX_DEPTH {
                true => {
                    let starts = [0, 1, 2, 3].map(|rules| row.places[rules].start);
                    let sizes = [0, 1, 2, 3].map(|rules| element_size(&row.places[rules]));
                    self.open.push(self.comparison.open(inner, starts, sizes));
                }
                false => self.is_cut = true,
            }
        }
        Some(row)
    }
}

/// How many bytes a structure has for itself: its size, or where the next element begins.
fn element_size(place: &Place) -> Result<Extent, NoLayout> {
    match place.strides.last() {
        Some(stride) => *stride,
        None => place.layout.map(|layout| layout.size),
    }
}

/// A structure of which rows are taken.
#[derive(Debug)]
struct Open {
    structure: Id,
    /// The member whose row comes next; behind the last there is the end.
    next: usize,
    /// Where it begins by each rules.
    starts: [Result<Extent, NoLayout>; 4],
    /// How many bytes it has by each rules.
    sizes: [Result<Extent, NoLayout>; 4],
    spaces: Rc<Spaces>,
}

impl Open {
    fn next(&mut self, comparison: &Comparison<'_>, depth: u32) -> Option<Row> {
        let index = self.next;
        self.next += 1;
        match self.spaces.members.get(index) {
            Some(spaces) => Some(self.member(comparison, depth, index, spaces)),
            None if index == self.spaces.members.len() => self.end(comparison, depth),
            None => None,
        }
    }

    fn member(
        &self,
        comparison: &Comparison<'_>,
        depth: u32,
        index: usize,
        spaces: &[Space; 4],
    ) -> Row {
        let Comparison { types, layouts, .. } = comparison;
        let member = |rules: usize| &layouts[rules].members(self.structure)[index];
        let mut places = [0, 1, 2, 3].map(|rules| {
            let member = member(rules);
            let strides = types.array_strides(member, &layouts[rules]);
            Place {
                offset: member.offset,
                start: sum(self.starts[rules], member.offset),
                layout: member.layout,
                strides: strides
                    .map(|(_, stride)| stride)
                    .take(MAX_STRIDES)
                    .collect(),
                hole: spaces[rules].hole,
                overlaps: spaces[rules].overlaps,
                offset_differs: false,
                stride_differs: false,
            }
        });
        let declared = places[Rules::Explicit as usize].clone();
        // What declares nothing differs from nothing.
        if declared.offset.is_ok() {
            for place in &mut places {
                place.offset_differs = place.offset != declared.offset;
                place.stride_differs = place.strides != declared.strides
                    || matrix_stride(place.layout) != matrix_stride(declared.layout);
            }
        }
        let ty = member(Rules::Explicit as usize).ty;
        Row {
            depth,
            structure: self.structure,
            member: Some(index as u32),
            ty,
            inner: layouts[0].structure_in(ty),
            places,
        }
    }

    /// The end, if something is unused before it.
    fn end(&self, comparison: &Comparison<'_>, depth: u32) -> Option<Row> {
        let unused = [0, 1, 2, 3].map(|rules| {
            let size = self.sizes[rules].ok().and_then(Extent::known);
            match (self.spaces.ends[rules], size) {
                (Some(end), Some(size)) => size.saturating_sub(end),
                _ => 0,
            }
        });
        let place = |rules: usize| Place {
            offset: self.sizes[rules],
            start: sum(self.starts[rules], self.sizes[rules]),
            layout: comparison.layouts[rules].get(self.structure),
            strides: Vec::new(),
            hole: unused[rules],
            overlaps: false,
            offset_differs: false,
            stride_differs: false,
        };
        unused.iter().any(|&unused| unused > 0).then(|| Row {
            depth,
            structure: self.structure,
            member: None,
            ty: self.structure,
            inner: None,
            places: [0, 1, 2, 3].map(place),
        })
    }
}

/// What is between the members of a structure, wherever it begins.
#[derive(Debug)]
struct Spaces {
    /// In the order of [`Rules::ALL`].
    members: Vec<[Space; 4]>,
    /// Where the last member ends, if that is known of all.
    ends: [Option<u64>; 4],
}

/// What is before a member.
#[derive(Clone, Copy, Debug, Default)]
struct Space {
    hole: u64,
    overlaps: bool,
}

impl Spaces {
    fn of(layouts: &[Layouts; 4], structure: Id) -> Self {
        let mut members = vec![<[Space; 4]>::default(); layouts[0].members(structure).len()];
        let ends = [0, 1, 2, 3].map(|rules| {
            let layout = layouts[rules].members(structure);
            let known = |member: &Member| member.offset.ok().and_then(Extent::known);
            let mut order: Vec<usize> = (0..layout.len().min(members.len())).collect();
            order.sort_by_key(|&index| known(&layout[index]));
            // `None` behind something whose end isn't known.
            let mut end = Some(0u64);
            for index in order {
                let (member, offset) = (&layout[index], known(&layout[index]));
                if let (Some(end), Some(offset)) = (end, offset) {
                    members[index][rules] = Space {
                        hole: offset.saturating_sub(end),
                        overlaps: offset < end,
                    };
                }
                let size = member.layout.ok().and_then(|layout| layout.size.known());
                end = match (end, offset, size) {
                    (Some(end), Some(offset), Some(size)) => {
                        Some(end.max(offset.saturating_add(size)))
                    }
                    _ => None,
                };
            }
            end
        });
        Self { members, ends }
    }
}

fn sum(one: Result<Extent, NoLayout>, other: Result<Extent, NoLayout>) -> Result<Extent, NoLayout> {
    Ok(one?.plus(other?))
}
