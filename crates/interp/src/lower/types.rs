//! How types lie in memory and in columns.

use hashbrown::HashMap;

use spirvkit_analysis::{Lookup, ModuleIndex, Type};
use spirvkit_binary::{FloatFormat, Id, NumberType};
use spirvkit_eval::ScalarType;
use spirvkit_grammar::{AddressingModel, Decoration};

use crate::program::Leaf;

/// How many columns a value may take.
const MAX_COLUMNS: u64 = 1 << 16;

/// What a member's or a matrix's decorations say of how a matrix or vector lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Arrangement {
    /// Nothing: parts lie behind each other.
    #[default]
    Plain,
    /// A matrix, or arrays of them.
    Matrix { stride: u32, row_major: bool },
    /// A column of a row-major matrix, whose components are so far apart.
    Vector { stride: u32 },
}

/// A type in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

/// How much room a type takes.
#[derive(Clone, Copy, Debug)]
struct Extent {
    /// In bytes, without padding at the end; 0 for what is sized at run time.
    size: u64,
    alignment: u64,
    columns: u64,
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

/// Where a member begins, in memory and in columns.
#[derive(Clone, Copy, Debug)]
struct MemberStart {
    offset: u64,
    column: u64,
}

pub(super) struct Types<'m, 'a> {
    m: &'m ModuleIndex<'a>,
    /// Of structures that have been worked out.
    members: HashMap<Id, Vec<MemberStart>>,
    known: HashMap<Placed, Extent>,
    /// Whether vectors are aligned as OpenCL does it.
    is_kernel: bool,
}

impl<'m, 'a> Types<'m, 'a> {
    pub(super) fn new(m: &'m ModuleIndex<'a>) -> Self {
        Self {
            m,
            members: HashMap::new(),
            known: HashMap::new(),
            is_kernel: m.addressing != AddressingModel::Logical
                && m.addressing != AddressingModel::PhysicalStorageBuffer64,
        }
    }

    /// The type of a scalar or pointer.
    pub(super) fn leaf(&self, ty: Id) -> Option<Leaf> {
        match self.m.ty(ty) {
            Type::Pointer { .. } | Type::UntypedPointer { .. } => Some(Leaf::Pointer),
            _ => self.scalar(ty).map(Leaf::Scalar),
        }
    }

    pub(super) fn scalar(&self, ty: Id) -> Option<ScalarType> {
        match self.m.ty(ty) {
            Type::Bool => Some(ScalarType::Bool),
            Type::Int { width, .. } if matches!(width, 8 | 16 | 32 | 64) => {
                Some(ScalarType::Integer { width: width as u8 })
            }
            Type::Float { .. } => match self.m.number_type(ty)? {
                NumberType::Float(format) => Some(ScalarType::Float(format)),
                NumberType::Integer { .. } => None,
            },
            _ => None,
        }
    }

    /// The part that a constant or dynamic index leads to, and where it begins for index 1;
    /// of a structure, for the index that is given.
    pub(super) fn part(&mut self, whole: Placed, index: u32) -> Result<(Placed, u64), NoExtent> {
        let ty = whole.ty;
        match self.m.ty(ty) {
            Type::Struct { members } => {
                let &member = members.get(index as usize).ok_or(NoExtent::Opaque(ty))?;
                let part = self.member(ty, index, Id(member));
                Ok((part, self.member_start(ty, index)?.offset))
            }
            Type::Array { element, .. } | Type::RuntimeArray { element } => {
                let part = Placed {
                    ty: element,
                    arrangement: whole.arrangement,
                };
                Ok((part, self.array_stride(ty, part)?))
            }
            Type::Matrix { column, .. } => match whole.arrangement {
                Arrangement::Matrix {
                    stride,
                    row_major: true,
                } => {
                    let component = self.m.component_type(column);
                    let arrangement = Arrangement::Vector { stride };
                    let width = self.extent(Placed::plain(component))?.size;
                    Ok((
                        Placed {
                            ty: column,
                            arrangement,
                        },
                        width,
                    ))
                }
                Arrangement::Matrix { stride, .. } => Ok((Placed::plain(column), stride.into())),
                _ => {
                    let extent = self.extent(Placed::plain(column))?;
                    let stride = extent.size.next_multiple_of(extent.alignment);
                    Ok((Placed::plain(column), stride))
                }
            },
            Type::Vector { component, .. } => {
                let part = Placed::plain(component);
                let stride = match whole.arrangement {
                    Arrangement::Vector { stride } => stride.into(),
                    _ => self.extent(part)?.size,
                };
                Ok((part, stride))
            }
            _ => Err(NoExtent::Opaque(ty)),
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
            Type::Matrix { count, .. } | Type::Vector { count, .. } => Ok(Some(count.into())),
            _ => Err(NoExtent::Opaque(ty)),
        }
    }

    /// How many columns a value of the type takes.
    pub(super) fn columns(&mut self, ty: Id) -> Result<u32, NoExtent> {
        let columns = self.extent(Placed::plain(ty))?.columns;
        match columns {
            ..=MAX_COLUMNS => Ok(columns as u32),
            _ => Err(NoExtent::Size(ty)),
        }
    }

    /// How many bytes the type takes, padding at the end included.
    pub(super) fn size(&mut self, placed: Placed) -> Result<u32, NoExtent> {
        let extent = self.extent(placed)?;
        let size = extent.size.next_multiple_of(extent.alignment);
        u32::try_from(size).map_err(|_| NoExtent::Size(placed.ty))
    }

    /// The scalars and pointers of a type in the order of its columns, and where they lie.
    pub(super) fn leaves(&mut self, placed: Placed) -> Result<Vec<(Leaf, u32)>, NoExtent> {
        self.columns(placed.ty)?;
        let mut leaves = Vec::new();
        let mut todo = vec![(placed, 0u64)];
        while let Some((placed, start)) = todo.pop() {
            if let Some(leaf) = self.leaf(placed.ty) {
                let start = u32::try_from(start).map_err(|_| NoExtent::Size(placed.ty))?;
                leaves.push((leaf, start));
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
        match self.m.ty(ty) {
            Type::Struct { members } => {
                let &member = members.get(index as usize).ok_or(NoExtent::Opaque(ty))?;
                let start = self.member_start(ty, index)?.column;
                Ok((start as u32, Id(member)))
            }
            _ => {
                let (part, _) = self.part(Placed::plain(ty), 0)?;
                if self
                    .count(ty)?
                    .is_some_and(|count| u64::from(index) >= count)
                {
                    return Err(NoExtent::Opaque(ty));
                }
                Ok((index * self.columns(part.ty)?, part.ty))
            }
        }
    }

    fn member(&self, ty: Id, index: u32, member: Id) -> Placed {
        let mut arrangement = Arrangement::Plain;
        let is_matrix = self.holds_matrices(member);
        let stride = self
            .m
            .member_decoration(ty, index, Decoration::MatrixStride);
        if let Some(stride) = stride.filter(|_| is_matrix) {
            let row_major = self.m.member_decoration(ty, index, Decoration::RowMajor);
            arrangement = Arrangement::Matrix {
                stride: stride.param(0),
                row_major: row_major.is_some(),
            };
        }
        Placed {
            ty: member,
            arrangement,
        }
    }

    /// Whether a type is a matrix or arrays of them.
    fn holds_matrices(&self, ty: Id) -> bool {
        let mut inner = ty;
        while let Type::Array { element, .. } | Type::RuntimeArray { element } = self.m.ty(inner) {
            if self.m.def_offset(element) >= self.m.def_offset(inner) {
                return false;
            }
            inner = element;
        }
        matches!(self.m.ty(inner), Type::Matrix { .. })
    }

    fn member_start(&mut self, ty: Id, index: u32) -> Result<MemberStart, NoExtent> {
        self.extent(Placed::plain(ty))?;
        let members = self.members.get(&ty).map_or(&[][..], |members| members);
        members
            .get(index as usize)
            .copied()
            .ok_or(NoExtent::Opaque(ty))
    }

    fn array_stride(&mut self, ty: Id, element: Placed) -> Result<u64, NoExtent> {
        if let Some(stride) = self.m.decoration(ty, Decoration::ArrayStride) {
            return Ok(stride.param(0).into());
        }
        let extent = self.extent(element)?;
        Ok(extent.size.next_multiple_of(extent.alignment))
    }

    /// Works out a type after those it is made of, without recursion.
    fn extent(&mut self, placed: Placed) -> Result<Extent, NoExtent> {
        let mut todo = vec![placed];
        while let Some(&next) = todo.last() {
            if self.known.contains_key(&next) {
                todo.pop();
                continue;
            }
            let before = todo.len();
            for part in self.parts(next) {
                // What is declared later, or is the type itself, can't be a part of it.
                if self.m.def_offset(part.ty) >= self.m.def_offset(next.ty) {
                    return Err(NoExtent::Opaque(next.ty));
                }
                if !self.known.contains_key(&part) {
                    todo.push(part);
                }
            }
            if todo.len() > before {
                continue;
            }
            let extent = self.work_out(next)?;
            self.known.insert(next, extent);
            todo.pop();
        }
        self.known
            .get(&placed)
            .copied()
            .ok_or(NoExtent::Opaque(placed.ty))
    }

    fn parts(&self, placed: Placed) -> Vec<Placed> {
        match self.m.ty(placed.ty) {
            Type::Struct { members } => {
                let members = members.iter().enumerate();
                members
                    .map(|(index, &member)| self.member(placed.ty, index as u32, Id(member)))
                    .collect()
            }
            Type::Array { element, .. } | Type::RuntimeArray { element } => vec![Placed {
                ty: element,
                arrangement: placed.arrangement,
            }],
            Type::Matrix { column, .. } => {
                vec![
                    Placed::plain(column),
                    Placed::plain(self.m.component_type(column)),
                ]
            }
            Type::Vector { component, .. } => vec![Placed::plain(component)],
            _ => Vec::new(),
        }
    }

    fn work_out(&mut self, placed: Placed) -> Result<Extent, NoExtent> {
        let ty = placed.ty;
        if let Some(leaf) = self.leaf(ty) {
            let size = u64::from(leaf.bytes());
            return Ok(Extent {
                size,
                alignment: size.max(1),
                columns: leaf.columns() as u64,
            });
        }
        let count = self.count(ty)?.unwrap_or(0);
        if let Type::Struct { members } = self.m.ty(ty) {
            let mut all = Extent {
                size: 0,
                alignment: 1,
                columns: 0,
            };
            let mut starts = Vec::with_capacity(members.len());
            for (index, &member) in members.iter().enumerate() {
                let index = index as u32;
                let part = self.extent(self.member(ty, index, Id(member)))?;
                let offset = match self.m.member_decoration(ty, index, Decoration::Offset) {
                    Some(offset) => u64::from(offset.param(0)),
                    // What is placed by decorations is not padded.
                    None => {
                        all.alignment = all.alignment.max(part.alignment);
                        all.size.next_multiple_of(part.alignment)
                    }
                };
                starts.push(MemberStart {
                    offset,
                    column: all.columns,
                });
                all.size = all.size.max(offset.saturating_add(part.size));
                all.columns = all.columns.saturating_add(part.columns);
            }
            self.members.insert(ty, starts);
            return Ok(all);
        }
        let (part, stride) = self.part(placed, 0)?;
        let part = self.extent(part)?;
        let between = count.saturating_sub(1).saturating_mul(stride);
        let size = if count == 0 {
            0
        } else {
            between.saturating_add(part.size)
        };
        let columns = part.columns.saturating_mul(count);
        let is_vector = matches!(self.m.ty(ty), Type::Vector { .. });
        if is_vector && self.is_kernel {
            // OpenCL C, section 6.3.5: three components take the room of four.
            let size = part.size * count.next_power_of_two();
            return Ok(Extent {
                size,
                alignment: size,
                columns,
            });
        }
        Ok(Extent {
            size: size.max(match placed.arrangement {
                Arrangement::Matrix {
                    stride,
                    row_major: true,
                } => self.row_major_size(ty, stride),
                _ => 0,
            }),
            alignment: part.alignment,
            columns,
        })
    }

    /// The bytes that a row-major matrix takes.
    fn row_major_size(&self, ty: Id, stride: u32) -> u64 {
        let Type::Matrix { column, count } = self.m.ty(ty) else {
            return 0;
        };
        let width = u64::from(self.m.bit_width(column) / 8);
        let rows = u64::from(self.m.dimension(column));
        rows.saturating_sub(1) * u64::from(stride) + u64::from(count) * width
    }
}

/// The type of 32-bit floats.
pub(super) const F32: ScalarType = ScalarType::Float(FloatFormat::Single);
/// The type of 32-bit integers.
pub(super) const U32: ScalarType = ScalarType::Integer { width: 32 };
