//! Reading types off the module.

use super::*;

impl Types {
    pub(crate) fn new(contents: &Contents<'_>, constants: &layout::Types<'_>) -> Self {
        let layouts = constants.lay_out(Rules::Explicit);
        let uniform = in_uniform_blocks(contents);
        let count = contents.types.len();
        let mut types = Self {
            list: Vec::with_capacity(count),
            shapes: Vec::with_capacity(count),
            places: contents.id_table(0),
        };
        for instruction in &contents.types {
            let Some(id) = instruction.result() else {
                continue;
            };
            let reader = Reader {
                contents,
                constants,
                layouts: &layouts,
                types: &types,
                uniform: &uniform,
            };
            let (kind, non_writable, non_readable) = reader.kind(id, instruction);
            let name = contents.name(id);
            let (innermost, count) = reader.innermost(id, &kind);
            let size = Amount::of_layout(layouts.get(id).map(|layout| layout.size));
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
    fn number(&self, id: Id) -> Amount {
        self.constants
            .constant(id)
            .map_or(Amount::Unknown, Amount::from)
    }

    /// What a type is, and whether all its members can't be written, and read.
    fn kind(&self, id: Id, instruction: &Instruction<'_>) -> (TypeKind, bool, bool) {
        let operands = instruction.words().get(2..).unwrap_or_default();
        let kind = match (instruction.op(), operands) {
            (Op::TypeStruct, members) => return self.structure(id, members),
            (Op::TypeVoid, _) => TypeKind::Void,
            (Op::TypeBool, _) => TypeKind::Bool,
            (Op::TypeInt, &[width, signedness, ..]) => TypeKind::Int {
                width,
                signed: signedness != 0,
            },
            (Op::TypeFloat, &[width, ref encoding @ ..]) => TypeKind::Float {
                width,
                encoding: encoding.first().map(|&encoding| FPEncoding(encoding)),
            },
            (Op::TypeVector, &[component, count, ..]) => TypeKind::Vector {
                component: Id(component),
                count: Amount::Fixed(count.into()),
            },
            (Op::TypeVectorIdEXT, &[component, count, ..]) => TypeKind::Vector {
                component: Id(component),
                count: self.number(Id(count)),
            },
            (Op::TypeMatrix, &[column, columns, ..]) => TypeKind::Matrix {
                column: Id(column),
                columns,
            },
            (Op::TypeArray, &[element, length, ..]) => TypeKind::Array {
                element: Id(element),
                length: self.number(Id(length)),
                length_id: Some(Id(length)),
                stride: self.stride(id),
            },
            (Op::TypeRuntimeArray, &[element, ..]) => TypeKind::Array {
                element: Id(element),
                length: Amount::Runtime,
                length_id: None,
                stride: self.stride(id),
            },
            (Op::TypePointer, &[class, pointee, ..]) => TypeKind::Pointer {
                storage_class: StorageClass(class),
                pointee: Some(Id(pointee)),
            },
            (Op::TypeUntypedPointerKHR, &[class, ..]) => TypeKind::Pointer {
                storage_class: StorageClass(class),
                pointee: None,
            },
            (
                Op::TypeImage,
                &[
                    sampled_type,
                    dim,
                    depth,
                    arrayed,
                    ms,
                    sampled,
                    format,
                    ref access @ ..,
                ],
            ) => TypeKind::Image(Image {
                sampled_type: Id(sampled_type),
                dim: Dim(dim),
                depth: match depth {
                    0 => Some(false),
                    1 => Some(true),
                    _ => None,
                },
                arrayed: arrayed != 0,
                multisampled: ms != 0,
                usage: match sampled {
                    0 => ImageUsage::Runtime,
                    1 => ImageUsage::Sampled,
                    2 => ImageUsage::Storage,
                    _ => ImageUsage::Unknown,
                },
                format: ImageFormat(format),
                access: access.first().map(|&access| AccessQualifier(access)),
            }),
            (Op::TypeSampler, _) => TypeKind::Sampler,
            (Op::TypeSampledImage, &[image, ..]) => TypeKind::SampledImage { image: Id(image) },
            (Op::TypeAccelerationStructureKHR, _) => TypeKind::AccelerationStructure,
            (
                Op::TypeInt
                | Op::TypeFloat
                | Op::TypeVector
                | Op::TypeVectorIdEXT
                | Op::TypeMatrix
                | Op::TypeArray
                | Op::TypeRuntimeArray
                | Op::TypePointer
                | Op::TypeUntypedPointerKHR
                | Op::TypeImage
                | Op::TypeSampledImage,
                _,
            ) => TypeKind::Unknown,
            (opcode, _) => self.other(opcode, instruction),
        };
        (kind, false, false)
    }

    /// Any type, as the grammar has it.
    fn other(&self, opcode: Op, instruction: &Instruction<'_>) -> TypeKind {
        let mut operands = Vec::new();
        let mut names = instruction
            .info()
            .map_or(&[][..], |info| info.operands())
            .iter();
        let mut name = "";
        for operand in instruction.operands(&self.contents.definitions) {
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
                OperandValue::Id(id) => self.constants.constant(id).map(Amount::from),
                _ => None,
            };
            operands.push(Operand {
                name,
                value,
                constant,
            });
        }
        TypeKind::Other { opcode, operands }
    }

    fn stride(&self, array: Id) -> Option<Amount> {
        let stride = Amount::of_layout(self.constants.stride(array)?);
        self.or_runtime(stride, self.contents.decorations.of(array).stride_id)
    }

    /// An amount that a constant gives, if one does: how large descriptors are is known
    /// when a pipeline is made, not from the module.
    fn or_runtime(&self, amount: Option<Amount>, given: Option<Id>) -> Option<Amount> {
        let constant = given.and_then(|given| self.contents.constant(given));
        match constant.map(|constant| constant.op()) {
            Some(Op::ConstantSizeOfEXT) => Some(Amount::Runtime),
            _ => amount,
        }
    }

    fn structure(&self, id: Id, members: &[u32]) -> (TypeKind, bool, bool) {
        let marks = self.contents.decorations.of(id);
        let block = match () {
            () if marks.has(Decoration::BufferBlock) => Some(Block::BufferBlock),
            () if marks.has(Decoration::Block) => Some(Block::Block),
            () => None,
        };
        let mut names = self.contents.member_names(id).iter().peekable();
        let mut list = Vec::with_capacity(members.len());
        let mut non_writable = !members.is_empty();
        let mut non_readable = !members.is_empty();
        let mut next_location = Next::Behind(0);
        let laid_out = self.layouts.members(id);
        for (index, &ty) in (0u32..).zip(members) {
            let mut name = None;
            while let Some(&&(_, member, found)) = names.peek() {
                if member > index {
                    break;
                }
                name = (member == index).then_some(found).or(name);
                names.next();
            }
            let marks = self.contents.decorations.of_member(id, index);
            let layout = laid_out.get(index as usize);
            let matrix = layout.and_then(|member| member.layout.ok()?.matrix);
            let start = match marks.location {
                Some(location) => Next::At(location.into()),
                None => next_location,
            };
            let takes = self.types.shape(Id(ty)).and_then(|shape| shape.locations);
            next_location = start.after(takes);
            let (location, location_offset) = match start {
                _ if marks.built_in.is_some() => (marks.location, None),
                Next::At(location) => (u32::try_from(location).ok(), None),
                Next::Behind(offset) => (None, Some(offset)),
                Next::Unknown => (None, None),
            };
            non_writable &= marks.has(Decoration::NonWritable);
            non_readable &= marks.has(Decoration::NonReadable);
            list.push(Member {
                name: text(name),
                ty: Id(ty),
                offset: self.or_runtime(
                    layout.and_then(|member| Amount::of_layout(member.offset)),
                    marks.offset_id,
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
                component: marks.component,
                built_in: marks.built_in,
                decorations: marks.flags(),
                semantic: self.contents.shared(marks.semantic),
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
    fn member_size(&self, ty: Id, member: &layout::Member) -> Option<Amount> {
        let size = Amount::of_layout(member.layout.map(|layout| layout.size));
        match (self.types.kind(ty), member.layout) {
            (Some(TypeKind::Array { length, stride, .. }), Ok(_)) => {
                stride.map(|stride| length.times(stride))
            }
            (Some(TypeKind::Matrix { column, columns }), Ok(layout)) => {
                let matrix = layout.matrix?;
                let lines = match (matrix.order, self.types.kind(*column)) {
                    (MatrixOrder::RowMajor, Some(TypeKind::Vector { count, .. })) => *count,
                    _ => Amount::Fixed((*columns).into()),
                };
                Some(lines.times(matrix.stride.into()))
            }
            (Some(TypeKind::Struct { .. }), Ok(_)) => self.types.shape(ty)?.extent,
            _ => size,
        }
    }

    /// Where a structure's last member ends.
    fn extent(&self, kind: &TypeKind, size: Option<Amount>) -> Option<Amount> {
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
    fn innermost(&self, id: Id, kind: &TypeKind) -> (Id, Amount) {
        let TypeKind::Array {
            element, length, ..
        } = kind
        else {
            return (id, Amount::Fixed(1));
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

/// The location of the next member.
#[derive(Clone, Copy)]
enum Next {
    /// So far behind the structure's.
    Behind(u64),
    /// This one.
    At(u64),
    /// Members before it take nobody knows how many.
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
fn first_offset(kind: &TypeKind) -> Option<Amount> {
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
    for instruction in contents.types.iter().rev() {
        let Some(id) = instruction.result().filter(|&id| marked.get(id)) else {
            continue;
        };
        let parts = match instruction.op() {
            Op::TypeArray | Op::TypeRuntimeArray => instruction.words().get(2..3),
            Op::TypeStruct if contents.decorations.of(id).has(Decoration::BufferBlock) => None,
            Op::TypeStruct => instruction.words().get(2..),
            _ => None,
        };
        for &part in parts.unwrap_or_default() {
            *marked.slot(Id(part)) = true;
        }
        if parts.is_none() {
            *marked.slot(id) = false;
        }
    }
    marked
}

/// Gives members their padded sizes.
fn pad(members: &mut [Member], in_uniform_block: bool) {
    let known = |member: &Member| member.offset.and_then(Amount::known);
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
            Some(next) => Amount::Fixed(next).minus(offset),
            None if in_uniform_block => offset.plus(size).round_up(16).minus(offset),
            None => size,
        };
        if padded.known() < size.known() {
            member.size = Some(padded);
        }
        member.padded_size = Some(padded);
    }
}
