//! The types of a module, and what decorations say of their layout.

use alloc::vec::Vec;

use spirvkit_binary::Id;
use spirvkit_grammar::{AddressingModel, Capability, Decoration, Op, StorageClass};

use super::compute::Engine;
use super::constants::Constants;
use super::{Extent, Layouts, MatrixDecorations, MatrixOrder, NoLayout, Rules};
use crate::index::{Decorated, ModuleIndex, Type};

/// The types of a module, from which they are [laid out](Self::lay_out).
#[derive(Clone, Debug)]
pub struct Types<'m> {
    pub(super) index: &'m ModuleIndex<'m>,
    constants: Constants<'m>,
    has_long_vectors: bool,
    has_booleans: bool,
}

/// What decorations say of the layout of a type or a member. Of several
/// decorations of one sort, the last counts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Decorations {
    offset: Option<Given>,
    array_stride: Option<Given>,
    pub(super) matrix: MatrixDecorations,
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
        let declared = &index.declared_capabilities;
        Self {
            index,
            constants: Constants::of(index),
            has_long_vectors: declared.contains(&Capability::LongVectorEXT),
            has_booleans: false,
        }
    }

    /// The same where it is known how many bytes a descriptor of a type takes
    /// (`SPV_EXT_descriptor_heap`), so that `OpConstantSizeOfEXT` is a number.
    #[must_use]
    pub fn with_descriptor_sizes(self, size: impl Fn(Id) -> Option<u32>) -> Self {
        let all = self.iter().filter_map(|ty| Some((ty.0, size(ty)?)));
        let sizes = all.collect();
        let constants = self.constants.with_sizes(sizes);
        Self { constants, ..self }
    }

    /// The same where booleans take as much memory as 32-bit integers, as Vulkan counts what workgroups
    /// share.
    #[must_use]
    pub fn with_booleans(self) -> Self {
        Self {
            has_booleans: true,
            ..self
        }
    }

    /// The size of a boolean, if it has any.
    pub(super) fn boolean_size(&self) -> Option<u64> {
        self.has_booleans.then_some(4)
    }

    /// The types in the order of their declarations.
    pub fn iter(&self) -> impl Iterator<Item = Id> + '_ {
        let declared = self.index.declared.iter();
        declared.filter_map(|&at| {
            let inst = self.index.inst(at)?;
            // An id keeps its first definition.
            let is_first = |id: &Id| self.index.def_offset(*id) == at;
            inst.result()
                .filter(|_| inst.op().is_type())
                .filter(is_first)
        })
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
        let mut decorations = Decorations::default();
        let own = self.index.own_decorations(ty);
        own.for_each(|decorated| decorations.note(&decorated));
        decorations.array_stride.map(|given| self.value(given))
    }

    /// The same where there has to be one.
    pub(super) fn declared_stride(&self, array: Id) -> Result<Extent, NoLayout> {
        let missing = NoLayout::Undecorated(Decoration::ArrayStride);
        self.stride(array).unwrap_or(Err(missing))
    }

    /// Lays out all types by these rules, each once. Takes time in proportion to
    /// the length of their declarations.
    pub fn lay_out(&self, rules: Rules) -> Layouts {
        Engine::lay_out_all(self, rules)
    }

    /// Lays out some types, and all that these are made of.
    pub fn lay_out_some(&self, rules: Rules, some: &[Id]) -> Layouts {
        Engine::lay_out_some(self, rules, some)
    }

    /// Notes what decorations say of each member of a structure of so many.
    pub(super) fn member_decorations(&self, ty: Id, count: usize, out: &mut Vec<Decorations>) {
        out.clear();
        out.resize(count, Decorations::default());
        for decorated in self.index.decorations(ty) {
            let member = decorated.member.map(|member| member as usize);
            if let Some(decorations) = member.and_then(|member| out.get_mut(member)) {
                decorations.note(&decorated);
            }
        }
    }

    /// The offset of a member with these decorations, if there is one.
    pub(super) fn offset(&self, decorations: &Decorations) -> Option<Result<Extent, NoLayout>> {
        decorations.offset.map(|given| self.value(given))
    }

    /// What the elements of an array are, and how many; `None` for anything else.
    pub(super) fn array(&self, ty: Type<'_>) -> Option<(Id, Result<Extent, NoLayout>)> {
        match ty {
            Type::Array { element, length } => {
                let length = self.constant(length);
                Some((element, length.ok_or(NoLayout::UnknownNumber)))
            }
            Type::RuntimeArray { element } => Some((element, Ok(Extent::Runtime))),
            _ => None,
        }
    }

    /// What the components of a vector are, and how many; `None` for anything else.
    pub(super) fn vector(&self, ty: Type<'_>) -> Option<(Id, Extent)> {
        match ty {
            Type::Vector { component, count } => Some((component, Extent::Fixed(count.into()))),
            // The same instruction declares cooperative vectors, whose components
            // are nowhere in particular.
            Type::LongVector { component, count } if self.has_long_vectors => {
                Some((component, self.constant(count)?))
            }
            _ => None,
        }
    }

    /// Whether a type is declared before another.
    pub(super) fn is_before(&self, one: Id, other: Id) -> bool {
        let offset = self.index.def_offset(one);
        offset != 0 && offset < self.index.def_offset(other)
    }

    /// How many bytes a pointer takes; `None` if it is no number.
    pub(super) fn pointer_size(&self, class: StorageClass) -> Option<u64> {
        match (class, self.index.addressing) {
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
}

impl Decorations {
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
                self.matrix.stride = Some(stride);
            }
            (Decoration::RowMajor, _) => self.matrix.order = Some(MatrixOrder::RowMajor),
            (Decoration::ColMajor, _) => self.matrix.order = Some(MatrixOrder::ColumnMajor),
            _ => {}
        }
    }
}
