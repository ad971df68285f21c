//! The rules.

use alloc::vec::Vec;

use hashbrown::HashMap;
use spirvkit_binary::Id;
use spirvkit_grammar::{AddressingModel, Decoration, Op};

use super::types::Decorations;
use super::{
    Extent, Known, Layout, Layouts, MatrixDecorations, MatrixLayout, MatrixOrder, Member, NoLayout,
    OpaqueLayout, Rules, Types,
};
use crate::index::{Lookup, ModuleIndex, Type};

/// As many types as are asked for one by one most often.
pub(super) const LIKELY: usize = 14;

/// What is known of a type that has been laid out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// With column-major matrices. Of matrices and arrays of them with the strides
    /// that the rules say; explicit rules leave that to members.
    pub(super) layout: Result<Layout, NoLayout>,
    /// Which of the matrices it is, or arrays of it are.
    matrix: Option<u32>,
    /// The structure that it is, or that arrays of it hold.
    pub(super) structure: Option<Id>,
    /// Whether it has no layout but what stands for one, or is an array of that.
    is_opaque: bool,
}

impl Part {
    const fn without_matrices(layout: Result<Layout, NoLayout>) -> Self {
        Self {
            layout,
            matrix: None,
            structure: None,
            is_opaque: false,
        }
    }
}

/// What a member's decorations are applied to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Matrix {
    shape: MatrixShape,
    /// With row-major matrices, unless decorations place their lines.
    row_major: Result<Layout, NoLayout>,
    /// Where decorations place: the stride of the outermost array.
    array_stride: Option<Extent>,
    /// Where decorations place: where the last of the matrices begins; `None` if
    /// arrays without elements hold none.
    last: Result<Option<Extent>, NoLayout>,
}

#[derive(Clone, Copy, Debug)]
struct MatrixShape {
    /// Of a component, in bytes.
    width: u64,
    rows: Extent,
    columns: Extent,
}

/// What decides where the parts of a type stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Placement {
    /// Rules: each part finds room behind the one before.
    Ruled,
    /// Decorations.
    Declared,
    /// Decorations, and rules where there are none.
    DeclaredOrRuled,
}

/// Lays out types, each after those that it is made of.
pub(super) struct Engine<'t> {
    pub(super) types: &'t Types<'t>,
    pub(super) layouts: Layouts,
    placement: Placement,
    /// Whether vectors lie as in OpenCL C.
    has_opencl_vectors: bool,
    /// What stands for types that have no layout. If that is given, nothing fails:
    /// numbers that are missing, or that may be others at run time, count as zeros,
    /// and all sizes are the least that there may be.
    opaque: Option<OpaqueLayout<'t>>,
    /// Of the members of the structure in hand.
    decorations: Vec<Decorations>,
}

impl<'t> Engine<'t> {
    /// The layouts of all types that are declared, by these rules.
    pub(super) fn lay_out_all(types: &'t Types<'t>, rules: Rules) -> Layouts {
        let mut engine = Self::new(types, rules, types.index.declared.len());
        types.iter().for_each(|ty| engine.lay_out(ty));
        engine.layouts
    }

    /// The layouts of some types and of all that they are made of.
    pub(super) fn lay_out_some(types: &'t Types<'t>, rules: Rules, some: &[Id]) -> Layouts {
        let mut engine = Self::new(types, rules, LIKELY);
        for &root in some {
            engine.lay_out_with_parts(root);
            if engine.layouts.known(root).is_none() {
                engine.lay_out(root);
            }
        }
        engine.layouts
    }

    /// Places parts by decorations, aligned by rules, with layouts of types that have
    /// none.
    pub(super) fn declared(types: &'t Types<'t>, rules: Rules, opaque: OpaqueLayout<'t>) -> Self {
        Self {
            placement: Placement::Declared,
            opaque: Some(opaque),
            ..Self::new(types, rules, LIKELY)
        }
    }

    /// Places parts by decorations, and where there are none, as it comes naturally.
    pub(super) fn declared_or_natural(types: &'t Types<'t>, opaque: OpaqueLayout<'t>) -> Self {
        let addressing = types.index.addressing;
        Self {
            placement: Placement::DeclaredOrRuled,
            has_opencl_vectors: matches!(
                addressing,
                AddressingModel::Physical32 | AddressingModel::Physical64
            ),
            ..Self::declared(types, Rules::Scalar, opaque)
        }
    }

    /// Room for so many types.
    fn new(types: &'t Types<'t>, rules: Rules, likely: usize) -> Self {
        Self {
            types,
            layouts: Layouts {
                rules,
                places: HashMap::with_capacity(likely),
                known: Vec::with_capacity(likely),
                members: Vec::with_capacity(likely),
                matrices: Vec::new(),
            },
            placement: match rules {
                Rules::Explicit => Placement::Declared,
                _ => Placement::Ruled,
            },
            has_opencl_vectors: false,
            opaque: None,
            decorations: Vec::new(),
        }
    }

    /// Lays out a type and all that it is made of, but for what has been laid out
    /// before. Returns the structures, arrays and matrices that have not, in the order of
    /// their declarations, so that each comes after its parts.
    pub(super) fn lay_out_with_parts(&mut self, root: Id) -> Vec<Id> {
        let index = self.types.index;
        let mut found = Vec::with_capacity(LIKELY);
        let mut waiting = Vec::with_capacity(LIKELY);
        waiting.push(root);
        while let Some(id) = waiting.pop() {
            let Some(parts) = parts(index, id).filter(|_| self.layouts.expect(id)) else {
                continue;
            };
            found.push(id);
            let parts = parts.iter().map(|&part| Id(part));
            waiting.extend(parts.filter(|&part| self.types.is_before(part, id)));
        }
        found.sort_unstable_by_key(|&id| index.def_offset(id));
        found.iter().for_each(|&id| self.lay_out(id));
        found
    }

    /// Lays out a type whose parts have been laid out.
    pub(super) fn lay_out(&mut self, id: Id) {
        let start = self.layouts.members.len();
        let ty = self.types.index.ty(id);
        let part = match ty {
            Type::Struct { members } => Part {
                structure: Some(id),
                ..Part::without_matrices(self.structure(id, members))
            },
            Type::Array { .. } | Type::RuntimeArray { .. } => self.array(id, ty),
            Type::Matrix { column, count } => self.matrix(id, column, count.into()),
            _ => Part::without_matrices(self.simple(id, ty)),
        };
        let part = self.or_opaque(id, part);
        // There are fewer types and members than words, and fewer words than 2³².
        let place = self.layouts.known.len() as u32;
        self.layouts.places.insert(id.0, place);
        let members = start as u32..self.layouts.members.len() as u32;
        self.layouts.known.push(Known { part, members });
    }

    /// Puts what stands for a type without a layout in its place.
    fn or_opaque(&self, id: Id, part: Part) -> Part {
        match (part.layout, self.opaque) {
            (Err(_), Some(opaque)) => {
                let (size, alignment) = opaque(id);
                let layout = Layout::of(Extent::Fixed(size), alignment);
                Part {
                    is_opaque: true,
                    ..Part::without_matrices(Ok(layout))
                }
            }
            _ => part,
        }
    }

    /// A number that has been read: see [`Self::opaque`].
    fn number(&self, number: Result<Extent, NoLayout>) -> Result<Extent, NoLayout> {
        match (self.opaque, number) {
            (None, _) | (_, Ok(Extent::Fixed(_))) => number,
            _ => Ok(Extent::Fixed(0)),
        }
    }

    /// The number that a decoration gives; `None` if rules decide.
    fn given(
        &self,
        decoration: Decoration,
        given: impl FnOnce() -> Option<Result<Extent, NoLayout>>,
    ) -> Option<Result<Extent, NoLayout>> {
        match self.placement {
            Placement::Ruled => None,
            Placement::Declared => Some(given().unwrap_or(Err(NoLayout::Undecorated(decoration)))),
            Placement::DeclaredOrRuled => given(),
        }
    }

    /// What is known of a part of a type. Structures may hold pointers that are
    /// declared after them; everything else is made of what has been declared before.
    fn part(&self, of: Id, part: Id) -> Part {
        let ty = self.types.index.ty(part);
        let is_pointer = matches!(ty, Type::Pointer { .. } | Type::UntypedPointer { .. });
        match is_pointer || self.types.is_before(part, of) {
            true => self.known_as(part, ty),
            false => self.or_opaque(part, Part::without_matrices(Err(NoLayout::Undefined))),
        }
    }

    /// What is known of a type that has been laid out, or is made of no others.
    pub(super) fn known(&self, id: Id) -> Part {
        self.known_as(id, self.types.index.ty(id))
    }

    fn known_as(&self, id: Id, ty: Type<'_>) -> Part {
        // Everything else is sooner worked out than looked up.
        let known = match ty {
            Type::Struct { .. }
            | Type::Array { .. }
            | Type::RuntimeArray { .. }
            | Type::Matrix { .. } => self.layouts.known(id),
            _ => None,
        };
        known.map_or_else(
            || self.or_opaque(id, Part::without_matrices(self.simple(id, ty))),
            |known| known.part,
        )
    }

    fn matrix_in(&self, part: Part) -> Option<Matrix> {
        self.layouts.matrices.get(part.matrix? as usize).copied()
    }

    fn add_matrix(&mut self, matrix: Matrix) -> u32 {
        self.layouts.matrices.push(matrix);
        self.layouts.matrices.len() as u32 - 1
    }

    /// The layout of a scalar, a vector or a pointer.
    fn simple(&self, id: Id, ty: Type<'_>) -> Result<Layout, NoLayout> {
        match ty {
            Type::Int { width, .. } | Type::Float { width, .. } => match width {
                8 | 16 | 32 | 64 => Ok(Layout::scalar(u64::from(width / 8))),
                _ => Err(NoLayout::Opaque),
            },
            Type::Pointer { class, .. } | Type::UntypedPointer { class } => {
                let size = self.types.pointer_size(class).ok_or(NoLayout::Opaque);
                size.map(Layout::scalar)
            }
            Type::Bool => {
                let size = self.types.boolean_size().ok_or(NoLayout::Opaque);
                size.map(Layout::scalar)
            }
            Type::None => Err(NoLayout::Undefined),
            _ => {
                let (component, count) = self.types.vector(ty).ok_or(NoLayout::Opaque)?;
                Ok(self.line(self.width(id, component)?, count))
            }
        }
    }

    /// The size of a vector's component.
    fn width(&self, vector: Id, component: Id) -> Result<u64, NoLayout> {
        let ty = self.types.index.ty(component);
        if !self.types.is_before(component, vector) {
            return Err(NoLayout::Undefined);
        }
        match ty {
            Type::Int { .. } | Type::Float { .. } | Type::Bool => {
                self.simple(component, ty).map(|layout| layout.alignment)
            }
            _ => {
                let reason = self.part(vector, component).layout.err();
                Err(reason.unwrap_or(NoLayout::Opaque))
            }
        }
    }

    /// Rules 2 and 3: vectors of two components are aligned to both, those of
    /// three and four to four. Longer ones, of which only Vulkan speaks, are
    /// aligned as their components are.
    ///
    /// OpenCL C, section 6.3.5: vectors are aligned to their size, and three components
    /// take the room of four.
    fn line(&self, width: u64, count: Extent) -> Layout {
        let count = self.number(Ok(count)).unwrap_or(count);
        if let (true, Some(known @ 1..=16)) = (self.has_opencl_vectors, count.known()) {
            return Layout::scalar(width * known.next_power_of_two());
        }
        let alignment = match (self.layouts.rules, count.known()) {
            (Rules::Scalar | Rules::Explicit, _) => width,
            (_, Some(2)) => 2 * width,
            (_, Some(3 | 4)) => 4 * width,
            _ => width,
        };
        Layout::of(Extent::Fixed(width).times(count), alignment)
    }

    /// The alignment of what is made of parts with this alignment.
    fn extend(&self, alignment: u64) -> u64 {
        match self.layouts.rules {
            Rules::Std140 => alignment.next_multiple_of(16),
            _ => alignment,
        }
    }

    /// Whether padding at the end of arrays, matrices and structures belongs to
    /// them.
    fn pads(&self) -> bool {
        self.placement == Placement::Ruled && self.layouts.rules != Rules::Scalar
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
        let line = self.line(shape.width, across);
        let alignment = self.extend(line.alignment);
        let stride = stride.unwrap_or_else(|| line.size.round_up(alignment));
        Layout {
            matrix: Some(MatrixLayout { order, stride }),
            ..Layout::of(self.repeated(line.size, stride, lines), alignment)
        }
    }

    /// The same with what a member's decorations say.
    fn declared_matrix(
        &self,
        shape: MatrixShape,
        decorations: MatrixDecorations,
    ) -> Result<Layout, NoLayout> {
        let order = decorations.order.unwrap_or(MatrixOrder::ColumnMajor);
        let stride = decorations.stride.map(|bytes| Extent::Fixed(bytes.into()));
        let stride = stride.ok_or(NoLayout::Undecorated(Decoration::MatrixStride));
        Ok(self.matrix_layout(shape, order, Some(self.number(stride)?)))
    }

    fn matrix(&mut self, id: Id, column: Id, columns: u64) -> Part {
        let shape = || {
            if !self.types.is_before(column, id) {
                return Err(NoLayout::Undefined);
            }
            let vector = self.types.vector(self.types.index.ty(column));
            let (component, rows) = vector.ok_or(NoLayout::Opaque)?;
            Ok(MatrixShape {
                width: self.width(column, component)?,
                rows,
                columns: Extent::Fixed(columns),
            })
        };
        let shape = match shape() {
            Ok(shape) => shape,
            Err(reason) => return Part::without_matrices(Err(reason)),
        };
        let layout = |order| match self.placement {
            Placement::Declared => self.declared_matrix(shape, MatrixDecorations::default()),
            _ => Ok(self.matrix_layout(shape, order, None)),
        };
        let matrix = Matrix {
            shape,
            row_major: layout(MatrixOrder::RowMajor),
            array_stride: None,
            last: Ok(Some(Extent::Fixed(0))),
        };
        let layout = layout(MatrixOrder::ColumnMajor);
        Part {
            matrix: Some(self.add_matrix(matrix)),
            ..Part::without_matrices(layout)
        }
    }

    /// Rules 4, 6, 8 and 10.
    fn array(&mut self, id: Id, ty: Type<'_>) -> Part {
        let Some((element, length)) = self.types.array(ty) else {
            return Part::without_matrices(Err(NoLayout::Opaque));
        };
        let element = self.part(id, element);
        let given = self.given(Decoration::ArrayStride, || self.types.stride(id));
        if let Some(Err(reason @ NoLayout::Undecorated(_))) = given
            && element.is_opaque
        {
            // How far apart descriptors are is left open: nothing is known of the array.
            return Part::without_matrices(Err(reason));
        }
        // Only decorations may give none.
        let given_stride = given.and_then(|given| match given {
            Err(NoLayout::UnknownNumber) => Some(Extent::Unknown),
            given => given.ok(),
        });
        let stride = given.map(|given| self.number(given)).transpose();
        let length = self.number(length);
        let layout = |element: Result<Layout, NoLayout>| {
            let (element, stride, length) = (element?, stride?, length?);
            let alignment = self.extend(element.alignment);
            let stride = stride.unwrap_or_else(|| element.size.round_up(alignment));
            Ok(Layout {
                array_stride: given.map_or(Some(stride), |_| given_stride),
                matrix: element.matrix,
                ..Layout::of(self.repeated(element.size, stride, length), alignment)
            })
        };
        let last = |last: Result<Option<Extent>, NoLayout>| {
            let (last, stride, length) = (last?, stride?, length?);
            Ok(match (last, stride) {
                _ if length.known() == Some(0) => None,
                (Some(last), Some(stride)) => {
                    Some(stride.times(length.minus(Extent::Fixed(1))).plus(last))
                }
                _ => None,
            })
        };
        // Decorations of a member place matrices only together with those of the arrays.
        let is_placed = given.is_some() || self.placement == Placement::Ruled;
        let matrix = self.matrix_in(element).filter(|_| is_placed);
        let matrix = matrix.map(|matrix| Matrix {
            shape: matrix.shape,
            row_major: layout(matrix.row_major),
            array_stride: given_stride,
            last: last(matrix.last),
        });
        Part {
            layout: layout(element.layout),
            matrix: matrix.map(|matrix| self.add_matrix(matrix)),
            structure: element.structure,
            is_opaque: element.is_opaque,
        }
    }

    /// Rule 9.
    fn structure(&mut self, id: Id, members: &[u32]) -> Result<Layout, NoLayout> {
        let mut end = Ok(Extent::Fixed(0));
        let mut alignment = 1;
        let is_left_open = self.opaque.is_some() && self.placement == Placement::Declared;
        let mut decorations = core::mem::take(&mut self.decorations);
        let types = self.types;
        types.member_decorations(id, members.len(), &mut decorations);
        let is_packed = self.placement == Placement::DeclaredOrRuled
            && types.index.is_decorated(id, Decoration::CPacked);
        let aligned = |layout: Layout| if is_packed { 1 } else { layout.alignment };
        for (decorations, &ty) in decorations.iter().zip(members) {
            let layout = self.in_member(self.part(id, Id(ty)), decorations.matrix);
            let given = self.given(Decoration::Offset, || types.offset(decorations));
            let offset = given.unwrap_or_else(|| match (end, layout) {
                (Ok(end), Ok(layout)) => Ok(end.round_up(aligned(layout))),
                (Err(reason), _) | (_, Err(reason)) => Err(reason),
            });
            // The first reason stands for the whole.
            end = match (end, self.number(offset), layout) {
                (Ok(end), Ok(offset), Ok(layout)) => Ok(end.max(offset.plus(layout.size))),
                (Err(reason), ..) | (_, Err(reason), _) | (.., Err(reason)) => Err(reason),
            };
            // How a matrix is aligned depends on its order.
            let is_guess = |layout: &Layout| {
                is_left_open && layout.matrix.is_some() && decorations.matrix.order.is_none()
            };
            if let Some(layout) = layout.ok().filter(|layout| !is_guess(layout)) {
                alignment = alignment.max(aligned(layout));
            }
            self.layouts.members.push(Member {
                ty: Id(ty),
                offset,
                layout,
                matrix: decorations.matrix,
            });
        }
        self.decorations = decorations;
        let alignment = self.extend(alignment);
        let size = match self.pads() {
            true => end?.round_up(alignment),
            false => end?,
        };
        Ok(Layout::of(size, alignment))
    }

    /// The layout of a type as that of a member with these decorations.
    pub(super) fn in_member(
        &self,
        part: Part,
        decorations: MatrixDecorations,
    ) -> Result<Layout, NoLayout> {
        let Some(matrix) = self.matrix_in(part) else {
            return part.layout;
        };
        let is_placed = match self.placement {
            Placement::Ruled => false,
            Placement::Declared => true,
            Placement::DeclaredOrRuled => decorations.stride.is_some(),
        };
        if !is_placed {
            return match decorations.order {
                Some(MatrixOrder::RowMajor) => matrix.row_major,
                _ => part.layout,
            };
        }
        let last = matrix.last?;
        let layout = self.declared_matrix(matrix.shape, decorations)?;
        Ok(Layout {
            size: last.map_or(Extent::Fixed(0), |last| last.plus(layout.size)),
            array_stride: matrix.array_stride,
            ..layout
        })
    }
}

impl Layout {
    pub(super) fn of(size: Extent, alignment: u64) -> Self {
        Self {
            size,
            alignment,
            array_stride: None,
            matrix: None,
        }
    }

    fn scalar(size: u64) -> Self {
        Self::of(Extent::Fixed(size), size)
    }
}

/// The types that a structure, an array or a matrix is made of.
fn parts<'a>(index: &ModuleIndex<'a>, ty: Id) -> Option<&'a [u32]> {
    match index.declaration(ty) {
        (Op::TypeStruct, words) => words.get(2..),
        (Op::TypeArray | Op::TypeRuntimeArray | Op::TypeMatrix, words) => words.get(2..3),
        _ => None,
    }
}
