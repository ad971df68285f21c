//! Types in columns, and how they lie in memory.

use hashbrown::HashMap;

use spirvkit_analysis::layout::{DeclaredLayouts, Extent, MatrixLayout, MatrixOrder, OpaqueLayout};
use spirvkit_analysis::{Lookup, ModuleIndex, Type, layout};
use spirvkit_binary::{FloatFormat, Id, NumberType};
use spirvkit_eval::ScalarType;
use spirvkit_grammar::{AddressingModel, Op};

use super::cooperative::{Form, Spans};
use crate::program::Leaf;

/// How many columns a value may take.
const MAX_COLUMNS: u64 = 1 << 16;

/// What the layout around a matrix or vector says of how it lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Arrangement {
    /// Nothing: parts lie as in the type by itself.
    #[default]
    Plain,
    /// A matrix, or arrays of them.
    Matrix(MatrixLayout),
    /// A column of a row-major matrix, whose components are so far apart.
    Vector { stride: u64 },
}

/// A type in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placed {
    pub(super) ty: Id,
    pub(super) arrangement: Arrangement,
}

impl Placed {
    pub(super) fn plain(ty: Id) -> Self {
        Self {
            ty,
            arrangement: Arrangement::Plain,
        }
    }
}

/// Why a type can't be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoExtent {
    /// It has no form here.
    Opaque(Id),
    /// Its size is not known.
    Length(Id),
    /// It is too large.
    Size(Id),
}

/// The size and the alignment of what no rules lay out: Booleans take four bytes, and
/// pointers eight.
pub(super) fn opaque_layout(m: &ModuleIndex<'_>, spans: Spans, ty: Id) -> (u64, u64) {
    if let Some(form) = Form::of(m, spans, ty) {
        let (size, alignment) = opaque_layout(m, spans, form.component);
        return (size.saturating_mul(form.slots()), alignment);
    }
    let leaf = leaf(m, ty).unwrap_or(Leaf::Pointer);
    let size = leaf.bytes().into();
    (size, size)
}

/// The type of a scalar or pointer.
fn leaf(m: &ModuleIndex<'_>, ty: Id) -> Option<Leaf> {
    match m.ty(ty) {
        Type::Pointer { .. } | Type::UntypedPointer { .. } => Some(Leaf::Pointer),
        // Copies are done when they begin, so there is nothing to know of an event.
        _ if m.op_of(ty) == Op::TypeEvent => Some(Leaf::Scalar(U32)),
        // Numbers, which take as much memory as the pointers that compilers take them for.
        _ if is_handle(m.op_of(ty)) => Some(Leaf::Scalar(match m.addressing {
            AddressingModel::Physical32 => U32,
            _ => U64,
        })),
        // How many subgroups it waits for, and what has made it.
        _ if m.op_of(ty) == Op::TypeNamedBarrier => Some(Leaf::Scalar(U64)),
        _ => scalar(m, ty).map(Leaf::Scalar),
    }
}

/// Whether values of a type are numbers of things that the run keeps.
fn is_handle(op: Op) -> bool {
    matches!(
        op,
        Op::TypePipe
            | Op::TypePipeStorage
            | Op::TypeReserveId
            | Op::TypeQueue
            | Op::TypeDeviceEvent
    )
}

fn scalar(m: &ModuleIndex<'_>, ty: Id) -> Option<ScalarType> {
    match m.ty(ty) {
        Type::Bool => Some(ScalarType::Bool),
        Type::Int { width, .. } if matches!(width, 8 | 16 | 32 | 64) => {
            Some(ScalarType::Integer { width: width as u8 })
        }
        Type::Float { .. } => match m.number_type(ty)? {
            NumberType::Float(format) => Some(ScalarType::Float(format)),
            NumberType::Integer { .. } => None,
        },
        _ => None,
    }
}

/// Whether an opcode declares a type of which there are values or pointers here, or which
/// functions have.
pub(super) fn is_type(op: Op) -> bool {
    is_handle(op)
        || matches!(
            op,
            Op::TypeVoid
                | Op::TypeBool
                | Op::TypeInt
                | Op::TypeFloat
                | Op::TypeVector
                | Op::TypeVectorIdEXT
                | Op::TypeCooperativeMatrixKHR
                | Op::TypeTensorLayoutNV
                | Op::TypeTensorViewNV
                | Op::TypeMatrix
                | Op::TypeArray
                | Op::TypeRuntimeArray
                | Op::TypeStruct
                | Op::TypePointer
                | Op::TypeUntypedPointerKHR
                | Op::TypeEvent
                | Op::TypeNamedBarrier
                | Op::TypeForwardPointer
                | Op::TypeImage
                | Op::TypeSampler
                | Op::TypeSampledImage
                | Op::TypeFunction
        )
}

pub(super) struct Types<'m, 'a> {
    m: &'m ModuleIndex<'a>,
    layouts: DeclaredLayouts<'m>,
    /// How many columns structures, arrays and matrices take that have been laid out.
    columns: HashMap<Id, Result<u64, NoExtent>>,
    /// The first columns of the members of structures that have been laid out.
    starts: HashMap<Id, Vec<u64>>,
    spans: Spans,
}

impl<'m, 'a> Types<'m, 'a> {
    pub(super) fn new(
        m: &'m ModuleIndex<'a>,
        types: &'m layout::Types<'m>,
        opaque: OpaqueLayout<'m>,
        spans: Spans,
    ) -> Self {
        Self {
            m,
            layouts: DeclaredLayouts::or_natural(types, opaque),
            columns: HashMap::new(),
            starts: HashMap::new(),
            spans,
        }
    }

    /// The type of a scalar or pointer.
    pub(super) fn leaf(&self, ty: Id) -> Option<Leaf> {
        leaf(self.m, ty)
    }

    pub(super) fn scalar(&self, ty: Id) -> Option<ScalarType> {
        scalar(self.m, ty)
    }

    /// How many invocations scopes have.
    pub(super) fn spans(&self) -> Spans {
        self.spans
    }

    /// The form of a cooperative matrix.
    pub(super) fn form(&self, ty: Id) -> Option<Form> {
        Form::of(self.m, self.spans, ty)
    }

    /// What a vector has for components, and how many; a cooperative matrix is one of the
    /// elements that an invocation holds.
    fn vector(&self, ty: Id) -> Option<(Id, u64)> {
        match self.m.ty(ty) {
            Type::Vector { component, count } => Some((component, count.into())),
            Type::LongVector { component, count } => Some((component, self.m.constant_u64(count)?)),
            _ => {
                let form = self.form(ty)?;
                Some((form.component, form.slots()))
            }
        }
    }

    /// The part that a constant or dynamic index leads to, and where it begins for index 1;
    /// of a structure, for the index that is given.
    pub(super) fn part(&mut self, whole: Placed, index: u32) -> Result<(Placed, u64), NoExtent> {
        let ty = whole.ty;
        self.lay_out(ty)?;
        match self.m.ty(ty) {
            Type::Struct { .. } => {
                let members = self.layouts.members(ty);
                let member = members.get(index as usize).ok_or(NoExtent::Opaque(ty))?;
                let matrix = member.layout.ok().and_then(|layout| layout.matrix);
                let part = Placed {
                    ty: member.ty,
                    arrangement: matrix.map_or(Arrangement::Plain, Arrangement::Matrix),
                };
                Ok((part, bytes(ty, member.offset.ok())?))
            }
            Type::Array { element, .. } | Type::RuntimeArray { element } => {
                let part = Placed {
                    ty: element,
                    arrangement: whole.arrangement,
                };
                Ok((part, bytes(ty, self.layouts.get(ty).array_stride)?))
            }
            Type::Matrix { column, .. } => {
                let matrix = match whole.arrangement {
                    Arrangement::Matrix(matrix) => Some(matrix),
                    _ => self.layouts.get(ty).matrix,
                };
                let matrix = matrix.ok_or(NoExtent::Opaque(ty))?;
                let stride = bytes(ty, Some(matrix.stride))?;
                match matrix.order {
                    MatrixOrder::ColumnMajor => Ok((Placed::plain(column), stride)),
                    MatrixOrder::RowMajor => {
                        let part = Placed {
                            ty: column,
                            arrangement: Arrangement::Vector { stride },
                        };
                        Ok((part, self.size_of(self.m.component_type(column))?))
                    }
                }
            }
            _ => {
                let (component, _) = self.vector(ty).ok_or(NoExtent::Opaque(ty))?;
                let stride = match whole.arrangement {
                    Arrangement::Vector { stride } => stride,
                    _ => self.size_of(component)?,
                };
                Ok((Placed::plain(component), stride))
            }
        }
    }

    /// How many parts there are; `None` if that is known at run time only.
    pub(super) fn count(&self, ty: Id) -> Result<Option<u64>, NoExtent> {
        match self.m.ty(ty) {
            Type::Struct { members } => Ok(Some(members.len() as u64)),
            Type::Array { length, .. } => match self.m.constant_u64(length) {
                Some(length) => Ok(Some(length)),
                None => Err(NoExtent::Length(ty)),
            },
            Type::RuntimeArray { .. } => Ok(None),
            Type::Matrix { count, .. } => Ok(Some(count.into())),
            _ => match self.vector(ty) {
                Some((_, count)) => Ok(Some(count)),
                None => Err(NoExtent::Opaque(ty)),
            },
        }
    }

    /// How many columns a value of the type takes.
    pub(super) fn columns(&mut self, ty: Id) -> Result<u32, NoExtent> {
        match self.lay_out(ty)? {
            columns @ ..=MAX_COLUMNS => Ok(columns as u32),
            _ => Err(NoExtent::Size(ty)),
        }
    }

    /// Whether a type is a matrix or arrays of them.
    pub(super) fn holds_matrices(&self, ty: Id) -> bool {
        let mut inner = ty;
        while let Type::Array { element, .. } | Type::RuntimeArray { element, .. } =
            self.m.ty(inner)
        {
            // A broken module's array may be made of itself.
            if self.m.def_offset(element) >= self.m.def_offset(inner) {
                return false;
            }
            inner = element;
        }
        matches!(self.m.ty(inner), Type::Matrix { .. })
    }

    /// How many bytes the type takes, to the last that is used.
    pub(super) fn size(&mut self, ty: Id) -> Result<u32, NoExtent> {
        self.lay_out(ty)?;
        u32::try_from(self.size_of(ty)?).map_err(|_| NoExtent::Size(ty))
    }

    /// How far apart values of the type lie behind each other.
    pub(super) fn stride(&mut self, ty: Id) -> Result<u32, NoExtent> {
        let size = u64::from(self.size(ty)?);
        let stride = size.next_multiple_of(self.layouts.get(ty).alignment);
        u32::try_from(stride).map_err(|_| NoExtent::Size(ty))
    }

    /// The scalars and pointers of a type in the order of its columns, and where they lie.
    pub(super) fn leaves(&mut self, placed: Placed) -> Result<Vec<(Leaf, u32)>, NoExtent> {
        let mut leaves = Vec::new();
        let mut todo = vec![(placed, 0u64)];
        while let Some((placed, start)) = todo.pop() {
            if let Some(leaf) = self.leaf(placed.ty) {
                let start = u32::try_from(start).map_err(|_| NoExtent::Size(placed.ty))?;
                leaves.push((leaf, start));
                continue;
            }
            // However many parts there are, each may be empty.
            if self.columns(placed.ty)? == 0 {
                continue;
            }
            let is_struct = matches!(self.m.ty(placed.ty), Type::Struct { .. });
            let count = self.count(placed.ty)?.unwrap_or(0);
            for index in (0..count).rev() {
                let (part, step) = self.part(placed, if is_struct { index as u32 } else { 0 })?;
                let offset = if is_struct {
                    step
                } else {
                    step.saturating_mul(index)
                };
                todo.push((part, start.saturating_add(offset)));
            }
        }
        Ok(leaves)
    }

    /// The first column of a part of a value, and the part's type.
    pub(super) fn column_of(&mut self, ty: Id, index: u32) -> Result<(u32, Id), NoExtent> {
        self.columns(ty)?;
        if let Type::Struct { members } = self.m.ty(ty) {
            let starts = self.starts.get(&ty).map_or(&[][..], Vec::as_slice);
            let part = members.get(index as usize).zip(starts.get(index as usize));
            let (&member, &start) = part.ok_or(NoExtent::Opaque(ty))?;
            return Ok((start as u32, Id(member)));
        }
        let (part, _) = self.part(Placed::plain(ty), 0)?;
        let count = self.count(ty)?;
        if count.is_none_or(|count| u64::from(index) >= count) {
            return Err(NoExtent::Opaque(ty));
        }
        Ok((index * self.columns(part.ty)?, part.ty))
    }

    /// Lays out a type with what it is made of, unless that has been done, and gives its
    /// number of columns.
    fn lay_out(&mut self, ty: Id) -> Result<u64, NoExtent> {
        let is_composite = matches!(
            self.m.ty(ty),
            Type::Struct { .. }
                | Type::Array { .. }
                | Type::RuntimeArray { .. }
                | Type::Matrix { .. }
        );
        if is_composite && !self.columns.contains_key(&ty) {
            for composite in self.layouts.lay_out(ty) {
                let columns = self.count_columns(composite);
                self.columns.insert(composite, columns);
            }
        }
        self.known_columns(ty)
    }

    /// The columns of a composite whose parts have been laid out.
    fn count_columns(&mut self, ty: Id) -> Result<u64, NoExtent> {
        let Type::Struct { members } = self.m.ty(ty) else {
            return self.repeated_columns(ty);
        };
        let mut columns = 0u64;
        let mut starts = Vec::with_capacity(members.len());
        for &member in members {
            starts.push(columns);
            columns = columns.saturating_add(self.part_columns(ty, Id(member))?);
        }
        self.starts.insert(ty, starts);
        Ok(columns)
    }

    /// The columns of an array or a matrix.
    fn repeated_columns(&self, ty: Id) -> Result<u64, NoExtent> {
        let part = match self.m.ty(ty) {
            Type::Array { element, .. } | Type::RuntimeArray { element } => element,
            Type::Matrix { column, .. } => column,
            _ => return Err(NoExtent::Opaque(ty)),
        };
        let count = self.count(ty)?.unwrap_or(0);
        Ok(self.part_columns(ty, part)?.saturating_mul(count))
    }

    /// The columns of a part, which is declared before the whole, unless it is a pointer.
    fn part_columns(&self, whole: Id, part: Id) -> Result<u64, NoExtent> {
        let is_before = self.m.def_offset(part) < self.m.def_offset(whole);
        match is_before || self.m.is_pointer(part) {
            true => self.known_columns(part),
            false => Err(NoExtent::Opaque(whole)),
        }
    }

    /// The columns of a type that has been laid out.
    fn known_columns(&self, ty: Id) -> Result<u64, NoExtent> {
        if let Some((component, count)) = self.vector(ty) {
            let component = self.leaf(component).ok_or(NoExtent::Opaque(component))?;
            return Ok((component.columns() as u64).saturating_mul(count));
        }
        if let Some(leaf) = self.leaf(ty) {
            return Ok(leaf.columns() as u64);
        }
        if let Some(columns) = super::tensors::columns(self.m, ty) {
            return Ok(columns);
        }
        // The numbers of objects.
        match self.m.ty(ty) {
            Type::Image(_) | Type::Sampler => return Ok(1),
            Type::SampledImage { .. } => return Ok(2),
            _ => {}
        }
        let known = self.columns.get(&ty).copied();
        known.unwrap_or(Err(NoExtent::Opaque(ty)))
    }

    /// How many bytes a type takes that has been laid out.
    fn size_of(&self, ty: Id) -> Result<u64, NoExtent> {
        bytes(ty, Some(self.layouts.get(ty).size))
    }
}

/// A size, an offset or a stride in a type, which has to be known.
fn bytes(ty: Id, extent: Option<Extent>) -> Result<u64, NoExtent> {
    extent.and_then(Extent::known).ok_or(NoExtent::Size(ty))
}

/// The type of 32-bit floats.
pub(super) const F32: ScalarType = ScalarType::Float(FloatFormat::Single);
/// The type of 32-bit integers.
pub(super) const U32: ScalarType = ScalarType::Integer { width: 32 };
const U64: ScalarType = ScalarType::Integer { width: 64 };
