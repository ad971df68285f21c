//! The rules.

use alloc::vec;
use alloc::vec::Vec;

use spirvkit_binary::Id;
use spirvkit_grammar::Decoration;

use super::types::{Marks, Shape};
use super::{Extent, Layout, Layouts, MatrixLayout, MatrixOrder, Member, NoLayout, Rules, Types};

/// What is known of a type that has been laid out.
#[derive(Clone, Copy)]
struct Known {
    /// With column-major matrices. Of matrices and arrays of them with the strides
    /// that the rules say; explicit rules leave that to members.
    layout: Result<Layout, NoLayout>,
    /// If the type is a matrix or arrays of them.
    matrix: Option<Matrix>,
}

const UNDEFINED: Known = Known::without_matrices(Err(NoLayout::Undefined));

impl Known {
    const fn without_matrices(layout: Result<Layout, NoLayout>) -> Self {
        let matrix = None;
        Self { layout, matrix }
    }
}

/// What a member's decorations are applied to.
#[derive(Clone, Copy)]
struct Matrix {
    shape: MatrixShape,
    /// With row-major matrices; for all rules but the explicit.
    row_major: Result<Layout, NoLayout>,
    /// For explicit rules: the stride of the outermost array.
    array_stride: Option<Extent>,
    /// For explicit rules: where the last of the matrices begins; `None` if arrays
    /// without elements hold none.
    last: Result<Option<Extent>, NoLayout>,
}

#[derive(Clone, Copy)]
struct MatrixShape {
    /// Of a component, in bytes.
    width: u64,
    rows: Extent,
    columns: Extent,
}

struct Rulebook<'t, 'a> {
    types: &'t Types<'a>,
    rules: Rules,
    /// By the order of declarations.
    known: Vec<Known>,
    ranges: Vec<core::ops::Range<usize>>,
    members: Vec<Member>,
}

impl Layouts {
    pub(super) fn new(types: &Types<'_>, rules: Rules) -> Self {
        let declared = types.declared();
        let members = declared.iter().map(|declared| match declared.shape {
            Shape::Struct(members) => members.len(),
            _ => 0,
        });
        let members = members.sum();
        let mut book = Rulebook {
            types,
            rules,
            known: vec![UNDEFINED; declared.len()],
            ranges: vec![0..0; declared.len()],
            members: Vec::with_capacity(members),
        };
        // Structures may hold pointers that are declared after them. Everything
        // else is made of what has been declared before.
        for (known, declared) in book.known.iter_mut().zip(declared) {
            if let Shape::Pointer(class) = declared.shape {
                let size = types.pointer_size(class).ok_or(NoLayout::Opaque);
                *known = Known::without_matrices(size.map(scalar));
            }
        }
        for (place, declared) in declared.iter().enumerate() {
            let known = match declared.shape {
                Shape::Pointer(_) => continue,
                Shape::Struct(members) => {
                    let start = book.members.len();
                    let layout = book.structure(declared.id, members);
                    book.ranges[place] = start..book.members.len();
                    Known::without_matrices(layout)
                }
                Shape::Array { element, length } => book.array(declared.id, element, length),
                Shape::Matrix { column, columns } => book.matrix(column, columns),
                Shape::Vector { component, count } => {
                    let width = book.width(component);
                    Known::without_matrices(width.map(|width| book.vector(width, count)))
                }
                Shape::Scalar(size) => Known::without_matrices(Ok(scalar(size))),
                Shape::Opaque => Known::without_matrices(Err(NoLayout::Opaque)),
            };
            book.known[place] = known;
        }
        Self {
            rules,
            places: types.places().clone(),
            layouts: book.known.iter().map(|known| known.layout).collect(),
            ranges: book.ranges,
            members: book.members,
        }
    }
}

fn scalar(size: u64) -> Layout {
    Layout {
        size: Extent::Fixed(size),
        alignment: size,
        array_stride: None,
        matrix: None,
    }
}

impl Rulebook<'_, '_> {
    /// What is known of a part of the type in hand.
    fn part(&self, ty: Id) -> Known {
        let place = self.types.place(ty);
        let known = place.and_then(|place| self.known.get(place));
        known.copied().unwrap_or(UNDEFINED)
    }

    /// The size of a component.
    fn width(&self, component: Id) -> Result<u64, NoLayout> {
        match self.types.get(component).map(|declared| declared.shape) {
            Some(Shape::Scalar(size)) => Ok(size),
            Some(_) => Err(self
                .part(component)
                .layout
                .err()
                .unwrap_or(NoLayout::Opaque)),
            None => Err(NoLayout::Undefined),
        }
    }

    /// Rules 2 and 3: vectors of two components are aligned to both, those of
    /// three and four to four. Longer ones, of which only Vulkan speaks, are
    /// aligned as their components are.
    fn vector(&self, width: u64, count: Extent) -> Layout {
        let alignment = match (self.rules, count.known()) {
            (Rules::Scalar | Rules::Explicit, _) => width,
            (_, Some(2)) => 2 * width,
            (_, Some(3 | 4)) => 4 * width,
            _ => width,
        };
        Layout {
            size: Extent::Fixed(width).times(count),
            alignment,
            array_stride: None,
            matrix: None,
        }
    }

    /// The alignment of what is made of parts with this alignment.
    fn extend(&self, alignment: u64) -> u64 {
        match self.rules {
            Rules::Std140 => alignment.next_multiple_of(16),
            _ => alignment,
        }
    }

    /// Whether padding at the end of arrays, matrices and structures belongs to
    /// them.
    fn pads(&self) -> bool {
        matches!(self.rules, Rules::Std140 | Rules::Std430)
    }

    /// The size of so many parts of this size.
    fn repeated(&self, size: Extent, stride: Extent, count: Extent) -> Extent {
        match count {
            _ if self.pads() => stride.times(count),
            Extent::Fixed(0) | Extent::Default(0) => count,
            _ => stride.times(count.minus(Extent::Fixed(1))).plus(size),
        }
    }

    /// Rules 5 and 7: a matrix lies like an array of its columns or rows.
    fn matrix_layout(
        &self,
        shape: MatrixShape,
        order: MatrixOrder,
        stride: Option<Extent>,
    ) -> Layout {
        let (lines, across) = match order {
            MatrixOrder::ColumnMajor => (shape.columns, shape.rows),
            MatrixOrder::RowMajor => (shape.rows, shape.columns),
        };
        let line = self.vector(shape.width, across);
        let alignment = self.extend(line.alignment);
        let stride = stride.unwrap_or_else(|| line.size.round_up(alignment));
        Layout {
            size: self.repeated(line.size, stride, lines),
            alignment,
            array_stride: None,
            matrix: Some(MatrixLayout { order, stride }),
        }
    }

    fn matrix(&self, column: Id, columns: u64) -> Known {
        let shape = match self.types.get(column).map(|declared| declared.shape) {
            Some(Shape::Vector { component, count }) => {
                self.width(component).map(|width| MatrixShape {
                    width,
                    rows: count,
                    columns: Extent::Fixed(columns),
                })
            }
            Some(_) => Err(NoLayout::Opaque),
            None => Err(NoLayout::Undefined),
        };
        let shape = match shape {
            Ok(shape) => shape,
            Err(reason) => return Known::without_matrices(Err(reason)),
        };
        let layout = |order| match self.rules {
            Rules::Explicit => Err(NoLayout::Undecorated(Decoration::MatrixStride)),
            _ => Ok(self.matrix_layout(shape, order, None)),
        };
        Known {
            layout: layout(MatrixOrder::ColumnMajor),
            matrix: Some(Matrix {
                shape,
                row_major: layout(MatrixOrder::RowMajor),
                array_stride: None,
                last: Ok(Some(Extent::Fixed(0))),
            }),
        }
    }

    /// Rules 4, 6, 8 and 10.
    fn array(&self, id: Id, element: Id, length: Option<Extent>) -> Known {
        let element = self.part(element);
        let given = self.array_stride(id);
        let layout = |element: Result<Layout, NoLayout>| {
            let (element, given) = (element?, given?);
            let length = length.ok_or(NoLayout::UnknownNumber)?;
            let alignment = self.extend(element.alignment);
            let stride = given.unwrap_or_else(|| element.size.round_up(alignment));
            Ok(Layout {
                size: self.repeated(element.size, stride, length),
                alignment,
                array_stride: Some(stride),
                matrix: element.matrix,
            })
        };
        let last = |last: Result<Option<Extent>, NoLayout>| {
            let (last, given) = (last?, given?);
            let length = length.ok_or(NoLayout::UnknownNumber)?;
            Ok(match (last, given) {
                _ if length.known() == Some(0) => None,
                (Some(last), Some(stride)) => {
                    Some(stride.times(length.minus(Extent::Fixed(1))).plus(last))
                }
                _ => None,
            })
        };
        Known {
            layout: layout(element.layout),
            matrix: element.matrix.map(|matrix| Matrix {
                shape: matrix.shape,
                row_major: layout(matrix.row_major),
                array_stride: given.ok().flatten(),
                last: last(matrix.last),
            }),
        }
    }

    /// The stride that an array is decorated with; `None` if the rules say it.
    fn array_stride(&self, array: Id) -> Result<Option<Extent>, NoLayout> {
        if self.rules != Rules::Explicit {
            return Ok(None);
        }
        let given = self.types.array_stride(self.types.type_marks(array));
        let missing = NoLayout::Undecorated(Decoration::ArrayStride);
        given.unwrap_or(Err(missing)).map(Some)
    }

    /// Rule 9.
    fn structure(&mut self, id: Id, members: &[u32]) -> Result<Layout, NoLayout> {
        let mut end = Ok(Extent::Fixed(0));
        let mut alignment = 1;
        let marks = self.types.member_marks(id, members.len());
        for (marks, &ty) in marks.into_iter().zip(members) {
            let layout = self.in_member(Id(ty), marks);
            let offset = match self.rules {
                Rules::Explicit => self.offset(marks),
                _ => match (end, layout) {
                    (Ok(end), Ok(layout)) => Ok(end.round_up(layout.alignment)),
                    (Err(reason), _) | (_, Err(reason)) => Err(reason),
                },
            };
            // The first reason stands for the whole.
            end = match (end, offset, layout) {
                (Ok(end), Ok(offset), Ok(layout)) => Ok(end.max(offset.plus(layout.size))),
                (Err(reason), ..) | (_, Err(reason), _) | (.., Err(reason)) => Err(reason),
            };
            if let Ok(layout) = layout {
                alignment = alignment.max(layout.alignment);
            }
            let ty = Id(ty);
            self.members.push(Member { ty, offset, layout });
        }
        let alignment = self.extend(alignment);
        Ok(Layout {
            size: match self.pads() {
                true => end?.round_up(alignment),
                false => end?,
            },
            alignment,
            array_stride: None,
            matrix: None,
        })
    }

    fn offset(&self, marks: Marks) -> Result<Extent, NoLayout> {
        let missing = NoLayout::Undecorated(Decoration::Offset);
        self.types.offset(marks).unwrap_or(Err(missing))
    }

    /// The layout of a type as that of a member with these decorations.
    fn in_member(&self, ty: Id, marks: Marks) -> Result<Layout, NoLayout> {
        let known = self.part(ty);
        let Some(matrix) = known.matrix else {
            return known.layout;
        };
        let order = marks.order.unwrap_or(MatrixOrder::ColumnMajor);
        if self.rules != Rules::Explicit {
            return match order {
                MatrixOrder::ColumnMajor => known.layout,
                MatrixOrder::RowMajor => matrix.row_major,
            };
        }
        let last = matrix.last?;
        let stride = marks.matrix_stride();
        let stride = stride.ok_or(NoLayout::Undecorated(Decoration::MatrixStride))?;
        let layout = self.matrix_layout(matrix.shape, order, Some(stride));
        Ok(Layout {
            size: last.map_or(Extent::Fixed(0), |last| last.plus(layout.size)),
            array_stride: matrix.array_stride,
            ..layout
        })
    }
}
