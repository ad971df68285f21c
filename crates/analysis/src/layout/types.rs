//! The types of a module, and what decorations say of their layout.

use alloc::vec;
use alloc::vec::Vec;

use spirvkit_binary::{Id, IdMap};
use spirvkit_grammar::{AddressingModel, Capability, Decoration, Op, StorageClass};

use super::constants::Constants;
use super::{Extent, Layouts, MatrixOrder, NoLayout, Rules};
use crate::index::{Decorated, Inst, ModuleIndex};

/// The types of a module, from which they are [laid out](Self::lay_out).
#[derive(Clone, Debug)]
pub struct Types<'m> {
    index: &'m ModuleIndex<'m>,
    /// In the order of their declarations.
    declared: Vec<Declared<'m>>,
    /// One more than the index of a type; 0 stands for none.
    places: IdMap<u32>,
    constants: Constants<'m>,
}

/// A type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared<'a> {
    pub(super) id: Id,
    pub(super) shape: Shape<'a>,
    /// The structure that it is, or that arrays of it hold.
    structure: Option<Id>,
}

/// What a type is made of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape<'a> {
    /// A number of 1, 2, 4 or 8 bytes.
    Scalar(u64),
    Vector {
        component: Id,
        count: Extent,
    },
    Matrix {
        column: Id,
        columns: u64,
    },
    Array {
        element: Id,
        /// `None` if it can't be told.
        length: Option<Extent>,
    },
    Struct(&'a [u32]),
    Pointer(StorageClass),
    /// Nothing that has a form in memory.
    Opaque,
}

/// What decorations say of the layout of a type or a member. Of several
/// decorations of one sort, the last counts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Marks {
    offset: Option<Given>,
    array_stride: Option<Given>,
    matrix_stride: Option<u32>,
    pub(super) order: Option<MatrixOrder>,
}

/// A number of bytes in a decoration.
#[derive(Clone, Copy, Debug)]
enum Given {
    Literal(u32),
    Constant(Id),
}

impl<'m> Types<'m> {
    /// The types that a module declares before its functions.
    pub fn of(index: &'m ModuleIndex<'m>) -> Self {
        let mut types = Self {
            index,
            declared: Vec::new(),
            places: IdMap::with_bound(0, index.words.len(), index.header.bound),
            constants: Constants::of(index),
        };
        for inst in index.declared.iter().filter_map(|&at| index.inst(at)) {
            types.declare(inst);
        }
        types
    }

    /// The types in the order of their declarations.
    pub fn iter(&self) -> impl Iterator<Item = Id> + '_ {
        self.declared.iter().map(|declared| declared.id)
    }

    /// The value of an integer constant, such as the length of an array, or of a
    /// boolean one as 0 or 1. An `OpSpecConstantOp` on scalars is worked out with the
    /// defaults of what it depends on. A negative number is as large as its bits make
    /// it. `None` if the id is no such constant.
    pub fn constant(&self, id: Id) -> Option<Extent> {
        self.constants.get(id)
    }

    /// The `ArrayStride` with which a type is decorated, whether or not it can be laid
    /// out; `None` if there is none.
    ///
    /// # Errors
    ///
    /// [`NoLayout::UnknownNumber`] if it is given by an id whose value isn't known.
    pub fn stride(&self, ty: Id) -> Option<Result<Extent, NoLayout>> {
        self.array_stride(self.type_marks(ty))
    }

    /// The structure that a type is, or that arrays of it hold.
    pub fn structure_in(&self, ty: Id) -> Option<Id> {
        self.get(ty)?.structure
    }

    /// Lays out all types by these rules, each once. Takes time in proportion to
    /// the length of their declarations.
    pub fn lay_out(&self, rules: Rules) -> Layouts {
        Layouts::new(self, rules)
    }

    pub(super) fn declared(&self) -> &[Declared<'m>] {
        &self.declared
    }

    pub(super) fn places(&self) -> &IdMap<u32> {
        &self.places
    }

    /// Where in the order of declarations a type stands.
    pub(super) fn place(&self, ty: Id) -> Option<usize> {
        (self.places.get(ty) as usize).checked_sub(1)
    }

    pub(super) fn get(&self, ty: Id) -> Option<&Declared<'m>> {
        self.declared.get(self.place(ty)?)
    }

    pub(super) fn type_marks(&self, ty: Id) -> Marks {
        let mut marks = Marks::default();
        let own = self.index.own_decorations(ty);
        own.for_each(|decorated| marks.note(&decorated));
        marks
    }

    /// What decorations say of each member of a structure of so many.
    pub(super) fn member_marks(&self, ty: Id, members: usize) -> Vec<Marks> {
        let mut marks = vec![Marks::default(); members];
        for decorated in self.index.decorations(ty) {
            let member = decorated.member.map(|member| member as usize);
            if let Some(marks) = member.and_then(|member| marks.get_mut(member)) {
                marks.note(&decorated);
            }
        }
        marks
    }

    /// The offset of a member with these decorations; `None` if they say none.
    pub(super) fn offset(&self, marks: Marks) -> Option<Result<Extent, NoLayout>> {
        marks.offset.map(|given| self.value(given))
    }

    /// The stride of an array with these decorations; `None` if they say none.
    pub(super) fn array_stride(&self, marks: Marks) -> Option<Result<Extent, NoLayout>> {
        marks.array_stride.map(|given| self.value(given))
    }

    /// How many bytes a pointer takes; `None` if it is no number.
    pub(super) fn pointer_size(&self, class: StorageClass) -> Option<u64> {
        match (class, self.index.addressing) {
            (StorageClass::PhysicalStorageBuffer, _) | (_, AddressingModel::Physical64) => Some(8),
            (_, AddressingModel::Physical32) => Some(4),
            _ => None,
        }
    }

    fn has_long_vectors(&self) -> bool {
        let declared = &self.index.declared_capabilities;
        declared.contains(&Capability::LongVectorEXT)
    }

    fn value(&self, given: Given) -> Result<Extent, NoLayout> {
        match given {
            Given::Literal(bytes) => Ok(Extent::Fixed(bytes.into())),
            Given::Constant(id) => self.constants.get(id).ok_or(NoLayout::UnknownNumber),
        }
    }

    fn declare(&mut self, inst: Inst<'m>) {
        let is_type = inst.op().is_type();
        let Some(id) = inst.result().filter(|_| is_type) else {
            return;
        };
        // An id keeps its first definition.
        if self.index.def_offset(id) != inst.offset() {
            return;
        }
        let shape = self.shape(inst);
        let structure = match shape {
            Shape::Struct(_) => Some(id),
            // Elements are declared before their arrays.
            Shape::Array { element, .. } => self.structure_in(element),
            _ => None,
        };
        self.declared.push(Declared {
            id,
            shape,
            structure,
        });
        // There are fewer types than words, and fewer words than 2³².
        self.places.replace(id, self.declared.len() as u32);
    }

    fn shape(&self, inst: Inst<'m>) -> Shape<'m> {
        let operands = inst.words().get(2..).unwrap_or_default();
        match (inst.op(), operands) {
            (Op::TypeInt | Op::TypeFloat, &[width @ (8 | 16 | 32 | 64), ..]) => {
                Shape::Scalar(u64::from(width / 8))
            }
            (Op::TypeVector, &[component, count]) => Shape::Vector {
                component: Id(component),
                count: Extent::Fixed(count.into()),
            },
            // The same instruction declares cooperative vectors, whose components
            // are nowhere in particular.
            (Op::TypeVectorIdEXT, &[component, count]) if self.has_long_vectors() => {
                match self.constants.get(Id(count)) {
                    Some(count) => Shape::Vector {
                        component: Id(component),
                        count,
                    },
                    None => Shape::Opaque,
                }
            }
            (Op::TypeMatrix, &[column, columns]) => Shape::Matrix {
                column: Id(column),
                columns: columns.into(),
            },
            (Op::TypeArray, &[element, length]) => Shape::Array {
                element: Id(element),
                length: self.constants.get(Id(length)),
            },
            (Op::TypeRuntimeArray, &[element]) => Shape::Array {
                element: Id(element),
                length: Some(Extent::Runtime),
            },
            (Op::TypeStruct, members) => Shape::Struct(members),
            (Op::TypePointer | Op::TypeUntypedPointerKHR, &[class, ..]) => {
                Shape::Pointer(StorageClass(class))
            }
            _ => Shape::Opaque,
        }
    }
}

impl Marks {
    /// Notes a decoration, if it is one of a layout.
    fn note(&mut self, decorated: &Decorated<'_>) {
        let value = match (decorated.inst.op(), decorated.params.first()) {
            (Op::DecorateId | Op::MemberDecorateIdEXT, Some(&id)) => Given::Constant(Id(id)),
            (Op::Decorate | Op::MemberDecorate, _) => Given::Literal(decorated.param(0)),
            _ => return,
        };
        match (decorated.decoration, value) {
            (Decoration::Offset | Decoration::OffsetIdEXT, _) => self.offset = Some(value),
            (Decoration::ArrayStride | Decoration::ArrayStrideIdEXT, _) => {
                self.array_stride = Some(value);
            }
            (Decoration::MatrixStride, Given::Literal(stride)) => {
                self.matrix_stride = Some(stride);
            }
            (Decoration::RowMajor, _) => self.order = Some(MatrixOrder::RowMajor),
            (Decoration::ColMajor, _) => self.order = Some(MatrixOrder::ColumnMajor),
            _ => {}
        }
    }

    pub(super) fn matrix_stride(self) -> Option<Extent> {
        self.matrix_stride.map(|bytes| Extent::Fixed(bytes.into()))
    }
}
