//! The types of a module, and what decorations say of their layout.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use spirvkit_binary::{Id, IdMap, Instruction};
use spirvkit_grammar::{AddressingModel, Capability, Decoration, Op, StorageClass};

use super::constants::Constants;
use super::{Extent, Layouts, MatrixOrder, NoLayout, Rules};

/// The types of a module, from which they are [laid out](Self::lay_out).
#[derive(Clone, Debug)]
pub struct Types<'a> {
    /// In the order of their declarations.
    declared: Vec<Declared<'a>>,
    /// One more than the index of a type; 0 stands for none.
    places: IdMap<u32>,
    constants: Constants,
    /// By target and, above 0, one more than the member's number.
    marks: BTreeMap<(u32, u64), Marks>,
    addressing: AddressingModel,
}

/// A type and the instruction that declares it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared<'a> {
    pub(super) id: Id,
    pub(super) shape: Shape<'a>,
    /// The structure that it is, or that arrays of it hold.
    structure: Option<Id>,
    instruction: Instruction<'a>,
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

impl<'a> Types<'a> {
    /// Collects types, constants and decorations from the instructions of a whole
    /// module, in their order. Instructions that are too short or make no sense
    /// are passed over.
    pub fn of(instructions: impl IntoIterator<Item = Instruction<'a>>) -> Self {
        let mut words = 0;
        let mut bound = 0;
        let mut relevant = Vec::new();
        for instruction in instructions {
            words += instruction.words().len();
            if is_relevant(&instruction) {
                let result = instruction.result().map_or(0, |id| id.0);
                bound = bound.max(result.saturating_add(1));
                relevant.push(instruction);
            }
        }
        let mut types = Self {
            declared: Vec::new(),
            places: IdMap::with_bound(0, words, bound),
            constants: Constants::new(words, bound),
            marks: BTreeMap::new(),
            addressing: AddressingModel::Logical,
        };
        let mut has_long_vectors = false;
        for instruction in relevant {
            let operands = instruction.operand_words();
            match (instruction.op(), operands) {
                (Op::Capability, &[capability, ..]) => {
                    has_long_vectors |= Capability(capability) == Capability::LongVectorEXT;
                }
                (Op::MemoryModel, &[addressing, ..]) => {
                    types.addressing = AddressingModel(addressing);
                }
                (Op::Decorate, &[target, decoration, value, ..]) => {
                    types.mark((target, 0), decoration, Given::Literal(value));
                }
                (Op::DecorateId, &[target, decoration, value, ..]) => {
                    types.mark((target, 0), decoration, Given::Constant(Id(value)));
                }
                (Op::Decorate, &[target, decoration]) => {
                    types.mark((target, 0), decoration, Given::Literal(0));
                }
                (Op::MemberDecorate, &[target, member, decoration, ..]) => {
                    let value = operands.get(3).copied().unwrap_or(0);
                    types.mark(key(target, member), decoration, Given::Literal(value));
                }
                (Op::MemberDecorateIdEXT, &[target, member, decoration, value, ..]) => {
                    let value = Given::Constant(Id(value));
                    types.mark(key(target, member), decoration, value);
                }
                (Op::GroupDecorate, &[group, ref targets @ ..]) => {
                    let targets = targets.iter().map(|&target| (target, 0));
                    types.mark_group(group, targets);
                }
                (Op::GroupMemberDecorate, &[group, ref targets @ ..]) => {
                    let targets = targets.chunks_exact(2).map(|pair| key(pair[0], pair[1]));
                    types.mark_group(group, targets);
                }
                _ => {
                    types.constants.note(&instruction);
                    types.declare(instruction, has_long_vectors);
                }
            }
        }
        types
    }

    /// The types in the order of their declarations.
    pub fn iter(&self) -> impl Iterator<Item = Id> + '_ {
        self.declared.iter().map(|declared| declared.id)
    }

    /// The instruction that declares a type; `None` if the id isn't one.
    pub fn instruction(&self, ty: Id) -> Option<Instruction<'a>> {
        self.get(ty).map(|declared| declared.instruction)
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

    pub(super) fn declared(&self) -> &[Declared<'a>] {
        &self.declared
    }

    pub(super) fn places(&self) -> &IdMap<u32> {
        &self.places
    }

    /// Where in the order of declarations a type stands.
    pub(super) fn place(&self, ty: Id) -> Option<usize> {
        (self.places.get(ty) as usize).checked_sub(1)
    }

    pub(super) fn get(&self, ty: Id) -> Option<&Declared<'a>> {
        self.declared.get(self.place(ty)?)
    }

    pub(super) fn type_marks(&self, ty: Id) -> Marks {
        self.marks.get(&(ty.0, 0)).copied().unwrap_or_default()
    }

    pub(super) fn member_marks(&self, ty: Id, member: u32) -> Marks {
        let marks = self.marks.get(&key(ty.0, member));
        marks.copied().unwrap_or_default()
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
        match (class, self.addressing) {
            (StorageClass::PhysicalStorageBuffer, _) | (_, AddressingModel::Physical64) => Some(8),
            (_, AddressingModel::Physical32) => Some(4),
            _ => None,
        }
    }

    fn value(&self, given: Given) -> Result<Extent, NoLayout> {
        match given {
            Given::Literal(bytes) => Ok(Extent::Fixed(bytes.into())),
            Given::Constant(id) => self.constants.get(id).ok_or(NoLayout::UnknownNumber),
        }
    }

    fn mark(&mut self, target: (u32, u64), decoration: u32, value: Given) {
        let mut marks = Marks::default();
        if marks.note(Decoration(decoration), value) {
            self.marks.entry(target).or_default().add(marks);
        }
    }

    /// Gives targets what a group has. The group's decorations stand before.
    fn mark_group(&mut self, group: u32, targets: impl Iterator<Item = (u32, u64)>) {
        let Some(&marks) = self.marks.get(&(group, 0)) else {
            return;
        };
        for target in targets {
            self.marks.entry(target).or_default().add(marks);
        }
    }

    fn declare(&mut self, instruction: Instruction<'a>, has_long_vectors: bool) {
        let is_type = instruction.op().is_type();
        let Some(id) = instruction.result().filter(|_| is_type) else {
            return;
        };
        // An id keeps its first declaration.
        if self.places.get(id) != 0 {
            return;
        }
        let shape = self.shape(&instruction, has_long_vectors);
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
            instruction,
        });
        // There are fewer types than words, and fewer words than 2³².
        self.places.replace(id, self.declared.len() as u32);
    }

    fn shape(&self, instruction: &Instruction<'a>, has_long_vectors: bool) -> Shape<'a> {
        let operands = instruction.words().get(2..).unwrap_or_default();
        match (instruction.op(), operands) {
            (Op::TypeInt | Op::TypeFloat, &[width @ (8 | 16 | 32 | 64), ..]) => {
                Shape::Scalar(u64::from(width / 8))
            }
            (Op::TypeVector, &[component, count]) => Shape::Vector {
                component: Id(component),
                count: Extent::Fixed(count.into()),
            },
            // The same instruction declares cooperative vectors, whose components
            // are nowhere in particular.
            (Op::TypeVectorIdEXT, &[component, count]) if has_long_vectors => {
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
    /// Whether the decoration is one of a layout.
    fn note(&mut self, decoration: Decoration, value: Given) -> bool {
        match (decoration, value) {
            (Decoration::Offset | Decoration::OffsetIdEXT, _) => self.offset = Some(value),
            (Decoration::ArrayStride | Decoration::ArrayStrideIdEXT, _) => {
                self.array_stride = Some(value);
            }
            (Decoration::MatrixStride, Given::Literal(stride)) => {
                self.matrix_stride = Some(stride);
            }
            (Decoration::RowMajor, _) => self.order = Some(MatrixOrder::RowMajor),
            (Decoration::ColMajor, _) => self.order = Some(MatrixOrder::ColumnMajor),
            _ => return false,
        }
        true
    }

    fn add(&mut self, later: Self) {
        *self = Self {
            offset: later.offset.or(self.offset),
            array_stride: later.array_stride.or(self.array_stride),
            matrix_stride: later.matrix_stride.or(self.matrix_stride),
            order: later.order.or(self.order),
        };
    }

    pub(super) fn matrix_stride(self) -> Option<Extent> {
        self.matrix_stride.map(|bytes| Extent::Fixed(bytes.into()))
    }
}

/// The key of a member's decorations.
fn key(target: u32, member: u32) -> (u32, u64) {
    (target, u64::from(member) + 1)
}

/// Whether layouts have anything to do with the instruction.
fn is_relevant(instruction: &Instruction<'_>) -> bool {
    let op = instruction.op();
    op.is_type()
        || op.is_constant()
        || op.is_decoration()
        || matches!(
            op,
            Op::TypeForwardPointer | Op::DecorationGroup | Op::Capability | Op::MemoryModel
        )
}
