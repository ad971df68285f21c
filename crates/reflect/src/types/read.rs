//! Reading types off the module.

use spirvkit_analysis::{Lookup, Type as Declared};
use spirvkit_grammar::Quantifier;

use super::*;
use crate::decorations::Decorations;

impl Types {
    pub(crate) fn new(contents: &Contents<'_>, constants: &layout::Types<'_>) -> Self {
        let layouts = constants.lay_out(Rules::Explicit);
        let uniform = in_uniform_blocks(contents);
        let mut types = Self {
            list: Vec::new(),
            shapes: Vec::new(),
            places: contents.id_table(0),
        };
        for (id, declaration) in contents.types() {
            let reader = Reader {
                contents,
                constants,
                layouts: &layouts,
                types: &types,
                uniform: &uniform,
            };
            let (kind, non_writable, non_readable) = reader.kind(id, declaration);
            let name = contents.name(id);
            let (innermost, count) = reader.innermost(id, &kind);
            let size = laid_out(layouts.get(id).map(|layout| layout.size));
            let size = size.filter(|_| !matches!(kind, TypeKind::Unknown));
            let shape = Shape {
                innermost,
                count,
                locations: reader.locations(&kind),
                start: first_offset(&kind),
                extent: reader.extent(&kind, size),
                non_writable,
                non_readable,
            };
            types.list.push(Type {
                id,
                name,
                spelling: String::new(),
                size,
                kind,
            });
            types.shapes.push(shape);
            *types.places.slot(id) = types.list.len() as u32;
        }
        let ids: Vec<Id> = types.list.iter().map(|ty| ty.id).collect();
        let spellings = spirvkit_text::descriptions(contents.module.words(), &ids);
        for (ty, spelling) in types.list.iter_mut().zip(spellings) {
            ty.spelling = spelling;
        }
        types
    }
}

struct Reader<'r, 'a> {
    contents: &'r Contents<'a>,
    constants: &'r layout::Types<'a>,
    layouts: &'r Layouts,
    types: &'r Types,
    /// The types that uniform blocks are made of.
    uniform: &'r IdMap<bool>,
}

impl Reader<'_, '_> {
    fn number(&self, id: Id) -> Extent {
        self.constants.constant(id).unwrap_or(Extent::Unknown)
    }

    /// What a type is, and whether all its members can't be written, and read.
    fn kind(&self, id: Id, declaration: Inst<'_>) -> (TypeKind, bool, bool) {
        if lacks_operands(declaration) {
            return (TypeKind::Unknown, false, false);
        }
        let kind = match Declared::read(declaration.words()) {
            Declared::Struct { members } => return self.structure(id, members),
            Declared::Void => TypeKind::Void,
            Declared::Bool => TypeKind::Bool,
            Declared::Int { width, signed } => TypeKind::Int { width, signed },
            Declared::Float { width, encoding } => TypeKind::Float { width, encoding },
            Declared::Vector { component, count } => TypeKind::Vector {
                component,
                count: Extent::Fixed(count.into()),
            },
            Declared::LongVector { component, count } => TypeKind::Vector {
                component,
                count: self.number(count),
            },
            Declared::Matrix { column, count } => TypeKind::Matrix {
                column,
                columns: count,
            },
            Declared::Array { element, length } => TypeKind::Array {
                element,
                length: self.number(length),
                length_id: Some(length),
                stride: self.stride(id),
            },
            Declared::RuntimeArray { element } => TypeKind::Array {
                element,
                length: Extent::Runtime,
                length_id: None,
                stride: self.stride(id),
            },
            Declared::Pointer { class, pointee } => TypeKind::Pointer {
                storage_class: class,
                pointee: Some(pointee),
            },
            Declared::UntypedPointer { class } => TypeKind::Pointer {
                storage_class: class,
                pointee: None,
            },
            Declared::Image(image) => TypeKind::Image(image.into()),
            Declared::Sampler => TypeKind::Sampler,
            Declared::SampledImage { image } => TypeKind::SampledImage { image },
            Declared::Other(Op::TypeAccelerationStructureKHR) => TypeKind::AccelerationStructure,
            _ => self.other(declaration),
        };
        (kind, false, false)
    }

    /// Any type, as the grammar has it.
    fn other(&self, declaration: Inst<'_>) -> TypeKind {
        let mut operands = Vec::new();
        let info = declaration.info();
        let mut names = info.map_or(&[][..], |info| info.operands()).iter();
        let mut name = "";
        let definitions = &self.contents.index.definitions;
        let decoded = declaration.decoded().map(|it| it.operands(definitions));
        for operand in decoded.into_iter().flatten() {
            let Ok(operand) = operand else {
                return TypeKind::Unknown;
            };
            // The last of a declaration's operands may be repeated.
            if let Some(next) = names.next() {
                name = match next.name() {
                    "" => next.kind().name(),
                    name => name,
                };
            }
            let value = match operand.value {
                // Its own.
                Value::Id(_) if operand.word == 1 => continue,
                Value::Id(id) => OperandValue::Id(id),
                Value::Integer(value) => OperandValue::Number(value),
                Value::String(string) => OperandValue::Name(string.to_text_lossy()),
                Value::Enumerant {
                    info: Some(info), ..
                } => OperandValue::Name(info.name().to_owned()),
                Value::Enumerant { value, .. } | Value::Mask(value) => OperandValue::Number(value),
                _ => return TypeKind::Unknown,
            };
            let constant = match value {
                OperandValue::Id(id) => self.constants.constant(id),
                _ => None,
            };
            operands.push(Operand {
                name,
                value,
                constant,
            });
        }
        TypeKind::Other {
            opcode: declaration.op(),
            operands,
        }
    }

    fn stride(&self, array: Id) -> Option<Extent> {
        let stride = laid_out(self.constants.stride(array)?);
        self.or_runtime(stride, self.contents.decorations(array).stride_id)
    }

    /// An extent that a constant gives, if one does: how large descriptors are is known
    /// when a pipeline is made, not from the module.
    fn or_runtime(&self, extent: Option<Extent>, given: Option<Id>) -> Option<Extent> {
        match given.map(|given| self.contents.index.op_of(given)) {
            Some(Op::ConstantSizeOfEXT) => Some(Extent::Runtime),
            _ => extent,
        }
    }

    fn structure(&self, id: Id, members: &[u32]) -> (TypeKind, bool, bool) {
        let index = &self.contents.index;
        let (own, of_members) = Decorations::of_structure(index, id, members.len());
        let block = match () {
            () if own.has(Decoration::BufferBlock) => Some(Block::BufferBlock),
            () if own.has(Decoration::Block) => Some(Block::Block),
            () => None,
        };
        let mut names = index.member_names(id).peekable();
        let mut list = Vec::with_capacity(members.len());
        let mut non_writable = !members.is_empty();
        let mut non_readable = !members.is_empty();
        let mut next_location = Next::Behind(0);
        let layouts = self.layouts.members(id);
        for ((number, &ty), decorations) in (0u32..).zip(members).zip(of_members) {
            let mut name = None;
            while let Some((_, found)) = names.next_if(|&(member, _)| member == number) {
                name = Some(found);
            }
            let layout = layouts.get(number as usize);
            let matrix = layout.and_then(|member| member.layout.ok()?.matrix);
            let start = match decorations.location {
                Some(location) => Next::At(location.into()),
                None => next_location,
            };
            let takes = self.types.shape(Id(ty)).and_then(|shape| shape.locations);
            next_location = start.after(takes);
            let (location, location_offset) = match start {
                _ if decorations.built_in.is_some() => (decorations.location, None),
                Next::At(location) => (u32::try_from(location).ok(), None),
                Next::Behind(offset) => (None, Some(offset)),
                Next::Unknown => (None, None),
            };
            non_writable &= decorations.has(Decoration::NonWritable);
            non_readable &= decorations.has(Decoration::NonReadable);
            list.push(Member {
                name: text(name),
                ty: Id(ty),
                offset: self.or_runtime(
                    layout.and_then(|member| laid_out(member.offset)),
                    decorations.offset_id,
                ),
                size: layout.and_then(|member| self.member_size(Id(ty), member)),
                padded_size: None,
                matrix_stride: matrix.and_then(|matrix| matrix.stride.known()),
                matrix_order: matrix.map(|matrix| match matrix.order {
                    MatrixOrder::ColumnMajor => Order::ColumnMajor,
                    MatrixOrder::RowMajor => Order::RowMajor,
                }),
                location,
                location_offset,
                component: decorations.component,
                built_in: decorations.built_in,
                decorations: decorations.flags(),
                semantic: self.contents.shared(decorations.semantic),
            });
        }
        pad(&mut list, self.uniform.get(id));
        let members = list;
        (
            TypeKind::Struct { block, members },
            non_writable,
            non_readable,
        )
    }

    /// How many bytes a member takes, before what follows it is looked at.
    fn member_size(&self, ty: Id, member: &layout::Member) -> Option<Extent> {
        let size = laid_out(member.layout.map(|layout| layout.size));
        match (self.types.kind(ty), member.layout) {
            (Some(TypeKind::Array { length, stride, .. }), Ok(_)) => {
                stride.map(|stride| length.times(stride))
            }
            (Some(TypeKind::Matrix { column, columns }), Ok(layout)) => {
                let matrix = layout.matrix?;
                let lines = match (matrix.order, self.types.kind(*column)) {
                    (MatrixOrder::RowMajor, Some(TypeKind::Vector { count, .. })) => *count,
                    _ => Extent::Fixed((*columns).into()),
                };
                Some(lines.times(matrix.stride))
            }
            (Some(TypeKind::Struct { .. }), Ok(_)) => self.types.shape(ty)?.extent,
            _ => size,
        }
    }

    /// Where a structure's last member ends.
    fn extent(&self, kind: &TypeKind, size: Option<Extent>) -> Option<Extent> {
        let TypeKind::Struct { members, .. } = kind else {
            return size;
        };
        let ends = members.iter().map(|member| {
            let (offset, size) = (member.offset?, member.padded_size?);
            Some(offset.plus(size))
        });
        ends.reduce(|one, other| Some(one?.max(other?))).flatten()
    }

    /// What an array is of at last, and how many there are.
    fn innermost(&self, id: Id, kind: &TypeKind) -> (Id, Extent) {
        let TypeKind::Array {
            element, length, ..
        } = kind
        else {
            return (id, Extent::Fixed(1));
        };
        match self.types.shape(*element) {
            Some(shape) => (shape.innermost, length.times(shape.count)),
            None => (*element, *length),
        }
    }

    /// How many locations a type takes (Vulkan, section "Location and Component
    /// Assignment").
    fn locations(&self, kind: &TypeKind) -> Option<u64> {
        let of = |ty: &Id| self.types.shape(*ty)?.locations;
        match kind {
            TypeKind::Bool | TypeKind::Int { .. } | TypeKind::Float { .. } => Some(1),
            TypeKind::Vector { component, count } => {
                let wide = self
                    .types
                    .numeric(*component)
                    .is_some_and(|(bits, _)| bits > 32);
                Some(if wide && count.known()? > 2 { 2 } else { 1 })
            }
            TypeKind::Matrix { column, columns } => of(column)?.checked_mul((*columns).into()),
            TypeKind::Array {
                element, length, ..
            } => of(element)?.checked_mul(length.known()?),
            TypeKind::Struct { members, .. } => {
                let mut locations = members.iter().map(|member| of(&member.ty));
                locations.try_fold(0u64, |sum, next| sum.checked_add(next?))
            }
            TypeKind::Pointer {
                storage_class: StorageClass::PhysicalStorageBuffer,
                ..
            } => Some(1),
            _ => None,
        }
    }
}

/// Whether a declaration is shorter than the grammar has it.
fn lacks_operands(declaration: Inst<'_>) -> bool {
    let operands = declaration.info().map_or(&[][..], |info| info.operands());
    let needed = operands
        .iter()
        .filter(|operand| operand.quantifier() == Quantifier::One);
    declaration.words().len() <= needed.count()
}

/// What a layout says; `None` if something isn't decorated, or has no form in memory.
fn laid_out(extent: Result<Extent, NoLayout>) -> Option<Extent> {
    match extent {
        Ok(extent) => Some(extent),
        Err(NoLayout::Opaque | NoLayout::Undecorated(_)) => None,
        Err(_) => Some(Extent::Unknown),
    }
}

/// The location of the next member.
#[derive(Clone, Copy)]
enum Next {
    /// So far behind the structure's.
    Behind(u64),
    /// This one.
    At(u64),
    /// Members before it take an unknown number.
    Unknown,
}

impl Next {
    /// The location behind a member that has this one and takes so many.
    fn after(self, takes: Option<u64>) -> Self {
        let sum = |start: u64| start.checked_add(takes?);
        match self {
            Self::Behind(start) => sum(start).map_or(Self::Unknown, Self::Behind),
            Self::At(start) => sum(start).map_or(Self::Unknown, Self::At),
            Self::Unknown => Self::Unknown,
        }
    }
}

/// Where the first of a structure's members begins.
fn first_offset(kind: &TypeKind) -> Option<Extent> {
    let TypeKind::Struct { members, .. } = kind else {
        return None;
    };
    let offsets = members.iter().filter_map(|member| member.offset);
    offsets.min_by_key(|offset| offset.known().unwrap_or(u64::MAX))
}

/// Marks the types that uniform blocks are made of.
fn in_uniform_blocks(contents: &Contents<'_>) -> IdMap<bool> {
    let mut marked = contents.id_table(false);
    for variable in &contents.variables {
        if let (StorageClass::Uniform, Some(ty)) = (variable.storage_class, variable.ty) {
            *marked.slot(ty) = true;
        }
    }
    // Types are made of what is declared before them, but for pointers.
    let index = &contents.index;
    for (id, declaration) in contents.types().rev() {
        if !marked.get(id) {
            continue;
        }
        match Declared::read(declaration.words()) {
            Declared::Array { element, .. } | Declared::RuntimeArray { element } => {
                *marked.slot(element) = true;
            }
            Declared::Struct { members } if !index.is_decorated(id, Decoration::BufferBlock) => {
                members.iter().for_each(|&ty| *marked.slot(Id(ty)) = true);
            }
            _ => *marked.slot(id) = false,
        }
    }
    marked
}

/// Gives members their padded sizes.
fn pad(members: &mut [Member], in_uniform_block: bool) {
    let known = |member: &Member| member.offset.and_then(Extent::known);
    let mut starts: Vec<u64> = members.iter().filter_map(known).collect();
    starts.sort_unstable();
    starts.dedup();
    for member in members {
        let next = known(member).and_then(|offset| {
            let next = starts.partition_point(|&start| start <= offset);
            starts.get(next).copied()
        });
        let (Some(offset), Some(size)) = (member.offset, member.size) else {
            continue;
        };
        let padded = match next {
            Some(next) => Extent::Fixed(next).minus(offset),
            None if in_uniform_block => offset.plus(size).round_up(16).minus(offset),
            None => size,
        };
        if padded.known() < size.known() {
            member.size = Some(padded);
        }
        member.padded_size = Some(padded);
    }
}
