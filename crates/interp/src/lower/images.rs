//! Images and samplers (section 3.32.10). Each is an object; the value of an image or sampler
//! is its number, that of a sampled image both.

use spirvkit_analysis::index::{Image, Inst as Instruction};
use spirvkit_analysis::{Lookup, Type};
use spirvkit_binary::Id;
use spirvkit_eval::Format;
use spirvkit_grammar::{
    AccessQualifier, Decoration, Dim, ImageOperands, Op, SamplerAddressingMode, SamplerFilterMode,
    StorageClass,
};

use super::descriptors::Descriptors;
use super::types::U32;
use super::{Lowering, Pointer, Result, Value, arguments};
use crate::image::{
    ARGUMENTS, Access, AddressMode, Coordinates, Declared, DeclaredImage, Filter, ImageOp,
    LodOperand, Sampler,
};
use crate::program::{Address, Inst, NO_REG, Object, ObjectKind, Operand, Reg, Sharing, pair};

/// The operands without ids that change no result: how other accesses are ordered with this one.
const WITHOUT_EFFECT: u32 = ImageOperands::NonPrivateTexel.0
    | ImageOperands::VolatileTexel.0
    | ImageOperands::Nontemporal.0;

/// Whether an opcode is lowered here.
pub(super) fn is_image(op: Op) -> bool {
    is_sample(op)
        || is_gather(op)
        || matches!(
            op,
            Op::SampledImage
                | Op::Image
                | Op::ImageFetch
                | Op::ImageSparseFetch
                | Op::ImageRead
                | Op::ImageSparseRead
                | Op::ImageWrite
                | Op::ImageTexelPointer
                | Op::ImageSparseTexelsResident
        )
        || query(op).is_some()
}

fn is_sample(op: Op) -> bool {
    matches!(
        op,
        Op::ImageSampleImplicitLod
            | Op::ImageSampleExplicitLod
            | Op::ImageSampleProjImplicitLod
            | Op::ImageSampleProjExplicitLod
            | Op::ImageSparseSampleImplicitLod
            | Op::ImageSparseSampleExplicitLod
    ) || is_compared_sample(op)
}

fn is_compared_sample(op: Op) -> bool {
    matches!(
        op,
        Op::ImageSampleDrefImplicitLod
            | Op::ImageSampleDrefExplicitLod
            | Op::ImageSampleProjDrefImplicitLod
            | Op::ImageSampleProjDrefExplicitLod
            | Op::ImageSparseSampleDrefImplicitLod
            | Op::ImageSparseSampleDrefExplicitLod
    )
}

fn is_gather(op: Op) -> bool {
    matches!(
        op,
        Op::ImageGather | Op::ImageDrefGather | Op::ImageSparseGather | Op::ImageSparseDrefGather
    )
}

fn is_sparse(op: Op) -> bool {
    matches!(
        op,
        Op::ImageSparseSampleImplicitLod
            | Op::ImageSparseSampleExplicitLod
            | Op::ImageSparseSampleDrefImplicitLod
            | Op::ImageSparseSampleDrefExplicitLod
            | Op::ImageSparseFetch
            | Op::ImageSparseGather
            | Op::ImageSparseDrefGather
            | Op::ImageSparseRead
    )
}

fn is_implicit(op: Op) -> bool {
    matches!(
        op,
        Op::ImageSampleImplicitLod
            | Op::ImageSampleDrefImplicitLod
            | Op::ImageSampleProjImplicitLod
            | Op::ImageSampleProjDrefImplicitLod
            | Op::ImageSparseSampleImplicitLod
            | Op::ImageSparseSampleDrefImplicitLod
    )
}

fn is_projective(op: Op) -> bool {
    matches!(
        op,
        Op::ImageSampleProjImplicitLod
            | Op::ImageSampleProjExplicitLod
            | Op::ImageSampleProjDrefImplicitLod
            | Op::ImageSampleProjDrefExplicitLod
    )
}

fn query(op: Op) -> Option<ImageOp> {
    Some(match op {
        Op::ImageQuerySize | Op::ImageQuerySizeLod => ImageOp::Size { layers: false },
        Op::ImageQueryLevels => ImageOp::Levels,
        Op::ImageQuerySamples => ImageOp::Samples,
        Op::ImageQueryLod => ImageOp::Lod,
        Op::ImageQueryFormat => ImageOp::Format,
        Op::ImageQueryOrder => ImageOp::Order,
        _ => return None,
    })
}

impl<'a> Lowering<'_, 'a> {
    /// Whether values of a type are numbers of objects.
    pub(super) fn is_resource(&self, ty: Id) -> bool {
        matches!(
            self.m.ty(ty),
            Type::Image(_) | Type::Sampler | Type::SampledImage { .. }
        )
    }

    /// A variable of images or samplers.
    pub(super) fn resource(&mut self, id: Id, pointee: Id) -> Result<()> {
        let number = |decoration| self.m.decoration(id, decoration).map(|it| it.param(0));
        let set = number(Decoration::DescriptorSet);
        let binding = number(Decoration::Binding);
        let Some((set, binding)) = set.zip(binding) else {
            return Err(self.broken("a resource has no set or binding"));
        };
        let class = StorageClass::UniformConstant;
        let Descriptors { ty, count, outer } = self.descriptors(class, pointee, (set, binding))?;
        let declared = self.declared(id, ty)?;
        let name = self.name(id);
        for element in 0..count {
            let kind = ObjectKind::Resource {
                set,
                binding,
                element,
                declared,
            };
            self.object(id, &name, kind)?;
        }
        self.note_descriptors(id, outer);
        Ok(())
    }

    /// An image or sampler that is an argument of a kernel.
    pub(super) fn resource_argument(&mut self, id: Id, index: u32, ty: Id) -> Result<()> {
        let declared = self.declared(id, ty)?;
        let name = self.argument_name(id);
        let kind = ObjectKind::Resource {
            set: ARGUMENTS,
            binding: index,
            element: 0,
            declared,
        };
        let object = self.new_object(&name, kind)?;
        let columns = vec![self.word(object); self.resource_columns(ty)];
        self.values.insert(id.0, Value::Columns(columns));
        Ok(())
    }

    /// How many objects the value of an image, a sampler or both names.
    fn resource_columns(&self, ty: Id) -> usize {
        match self.m.ty(ty) {
            Type::SampledImage { .. } => 2,
            _ => 1,
        }
    }

    /// Notes what a variable declares, and gives the index of that.
    pub(super) fn declared(&mut self, variable: Id, ty: Id) -> Result<u32> {
        let (image, has_sampler) = match self.m.ty(ty) {
            Type::Image(image) => (Some(image), false),
            Type::Sampler => (None, true),
            Type::SampledImage { image } => (Some(self.image_type(image)?), true),
            _ => return Err(self.unsupported(format!("a resource of {}", self.m.op_of(ty)))),
        };
        let is = |decoration| self.m.is_decorated(variable, decoration);
        let image = image.map(|image| DeclaredImage {
            dim: image.dim,
            arrayed: image.arrayed,
            multisampled: image.multisampled,
            format: Format::of_image(image.format),
            readable: !is(Decoration::NonReadable)
                && image.access != Some(AccessQualifier::WriteOnly),
            writable: !is(Decoration::NonWritable)
                && image.access != Some(AccessQualifier::ReadOnly),
        });
        if let Some(image) = image
            && !matches!(
                image.dim,
                Dim::Dim1D | Dim::Dim2D | Dim::Dim3D | Dim::Cube | Dim::Rect | Dim::Buffer
            )
        {
            return Err(self.unsupported(format!("an image of the dimension {}", image.dim)));
        }
        self.program.declared.push(Declared { image, has_sampler });
        Ok(self.program.declared.len() as u32 - 1)
    }

    /// The columns of a loaded image, sampler or both: the object that the pointer leads to.
    pub(super) fn load_resource(&mut self, pointer: Id, ty: Id) -> Result<Vec<Reg>> {
        let address = self.pointer(pointer)?.address;
        let object = match address.object {
            Object::Known(object) => self.word(object),
            Object::Column(column) => column,
        };
        Ok(vec![object; self.resource_columns(ty)])
    }

    /// `OpConstantSampler`.
    pub(super) fn constant_sampler(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let address_mode = match SamplerAddressingMode(inst.arg(0)) {
            // What is beyond the edges is undefined.
            SamplerAddressingMode::None | SamplerAddressingMode::ClampToEdge => {
                AddressMode::ClampToEdge
            }
            SamplerAddressingMode::Clamp => AddressMode::ClampToBorder,
            SamplerAddressingMode::Repeat => AddressMode::Repeat,
            SamplerAddressingMode::RepeatMirrored => AddressMode::MirroredRepeat,
            other => return Err(self.unsupported(format!("the addressing mode {other}"))),
        };
        let filter = match SamplerFilterMode(inst.arg(2)) {
            SamplerFilterMode::Nearest => Filter::Nearest,
            SamplerFilterMode::Linear => Filter::Linear,
            other => return Err(self.unsupported(format!("the filter mode {other}"))),
        };
        let sampler = Sampler::default()
            .address_modes([address_mode; 3])
            .mag_filter(filter)
            .min_filter(filter)
            .unnormalized(inst.arg(1) == 0);
        let index = self.program.constant_samplers.len() as u32;
        self.program.constant_samplers.push(sampler);
        let id = inst.result().unwrap_or(Id(0));
        let name = self.name(id);
        let object = self.new_object(&name, ObjectKind::ConstantSampler { index })?;
        Ok(vec![self.word(object)])
    }

    /// Whether accesses to images of a type take integers as signed, unless they say otherwise
    /// (Vulkan, "Signedness of SPIR-V Image Accesses").
    fn signedness(&self, image: &Image) -> Option<bool> {
        match self.m.ty(image.sampled_type) {
            Type::Int { signed, .. } => Some(signed),
            _ => None,
        }
    }

    fn image_type(&self, ty: Id) -> Result<Image> {
        match self.m.ty(ty) {
            Type::Image(image) => Ok(image),
            Type::SampledImage { image } => match self.m.ty(image) {
                Type::Image(image) => Ok(image),
                _ => Err(self.broken("a sampled image has no image")),
            },
            _ => Err(self.broken("an image is expected")),
        }
    }

    /// An image operand: its type and its columns.
    fn image_operand(&mut self, id: Id) -> Result<(Image, Vec<Reg>)> {
        let ty = self.type_of(id)?;
        Ok((self.image_type(ty)?, self.value(id)?))
    }

    pub(super) fn image(&mut self, inst: Instruction<'a>) -> Result<()> {
        let op = inst.op();
        match op {
            Op::SampledImage => {
                let mut both = self.value(inst.id(0))?;
                both.extend(self.value(inst.id(1))?);
                self.check_columns(inst, both.len())?;
                self.define(inst, both);
                Ok(())
            }
            Op::Image => {
                let (_, columns) = self.image_operand(inst.id(0))?;
                self.define(inst, columns[..1].to_vec());
                Ok(())
            }
            Op::ImageSparseTexelsResident => {
                let code = self.scalar(inst.id(0))?;
                let zero = self.word(0);
                let resident = self.binary(crate::program::Binary::IEqual, code, zero)?;
                self.define(inst, vec![resident]);
                Ok(())
            }
            Op::ImageTexelPointer => self.texel_pointer(inst),
            op if query(op).is_some() => self.query(inst),
            _ => self.texels(inst),
        }
    }

    /// What samples, gathers, reads or writes.
    fn texels(&mut self, inst: Instruction<'a>) -> Result<()> {
        let op = inst.op();
        let (image, columns) = self.image_operand(inst.id(0))?;
        let sampler = columns.get(1).copied().unwrap_or(NO_REG);
        let is_sampled = is_sample(op) || is_gather(op);
        if is_sampled && sampler == NO_REG {
            return Err(self.broken("a sampled image is expected"));
        }
        let ty = inst.result_type().unwrap_or(Id(0));
        let texel_type = match is_sparse(op) {
            true => match self.m.members(ty) {
                &[code, texel] if self.types.columns(Id(code)) == Ok(1) => Id(texel),
                _ => {
                    return Err(self.broken("the result of a sparse access has a code and a texel"));
                }
            },
            false => ty,
        };
        let result = match op {
            Op::ImageWrite => U32,
            _ => self.scalar_type(self.m.component_type(texel_type))?,
        };
        let mut next = 2;
        let mut access = Access::new(ImageOp::Read, columns[0], result);
        access.sampler = sampler;
        access.is_kernel = image.access.is_some();
        access.is_signed = self.signedness(&image);
        if is_gather(op) {
            let component = match op {
                Op::ImageGather | Op::ImageSparseGather => Some(self.operand(inst.id(next))?),
                _ => None,
            };
            if component.is_none() {
                access.reference = Some(self.operand(inst.id(next))?);
            }
            next += 1;
            access.op = ImageOp::Gather(component);
        } else if is_sample(op) {
            access.op = ImageOp::Sample;
            if is_compared_sample(op) {
                access.reference = Some(self.operand(inst.id(next))?);
                next += 1;
            }
        } else if op == Op::ImageWrite {
            access.op = ImageOp::Write;
            access.texel = self.components(inst.id(next))?;
            next += 1;
        }
        if is_implicit(op) {
            access.lod = LodOperand::Implicit;
        }
        access.at = self.coordinates(inst.id(1), &image, is_sampled, is_projective(op))?;
        let sharing = self.image_operands(&mut access, &image, arguments(inst, next))?;
        self.share_texels(inst.id(0), op == Op::ImageWrite, sharing);
        if inst.result().is_none() {
            self.emit_access(access);
            return Ok(());
        }
        let to = self.columns_of(ty)?;
        let code = usize::from(is_sparse(op));
        if code == 1 {
            access.residency = to[0];
        }
        access.to = to[code..].to_vec();
        self.emit_access(access);
        self.define(inst, to);
        Ok(())
    }

    /// The operands behind a mask, and how the texels are shared.
    fn image_operands(
        &mut self,
        access: &mut Access,
        image: &Image,
        words: &[u32],
    ) -> Result<Sharing> {
        let mask = words.first().copied().unwrap_or(0);
        let mut sharing = Sharing {
            is_private: mask & ImageOperands::NonPrivateTexel.0 == 0,
            available: None,
            visible: None,
        };
        let Some((_, ids)) = words.split_first() else {
            return Ok(sharing);
        };
        let mut ids = ids.iter().map(|&id| Id(id));
        for bit in (0..32).map(|bit| mask & 1 << bit).filter(|&bit| bit != 0) {
            if bit & WITHOUT_EFFECT != 0 {
                continue;
            }
            // The format of the image says the same, or the result is undefined.
            if let ImageOperands::SignExtend | ImageOperands::ZeroExtend = ImageOperands(bit) {
                access.is_signed = Some(ImageOperands(bit) == ImageOperands::SignExtend);
                continue;
            }
            let Some(id) = ids.next() else {
                return Err(self.broken("an image operand is missing"));
            };
            match ImageOperands(bit) {
                ImageOperands::Bias => access.bias = Some(self.operand(id)?),
                ImageOperands::Lod => access.lod = LodOperand::Explicit(self.operand(id)?),
                ImageOperands::Grad => {
                    let Some(y) = ids.next() else {
                        return Err(self.broken("an image operand is missing"));
                    };
                    let gradients = [self.components(id)?, self.components(y)?];
                    access.lod = LodOperand::Gradients(gradients);
                }
                ImageOperands::ConstOffset | ImageOperands::Offset => {
                    access.offsets = self.components(id)?;
                    access.offsets.truncate(dimensions(image));
                }
                ImageOperands::ConstOffsets | ImageOperands::Offsets => {
                    access.offsets = self.array_components(id)?;
                    if access.offsets.len() != 8 {
                        return Err(self.broken("there are not four offsets of two components"));
                    }
                }
                ImageOperands::Sample => access.sample = Some(self.operand(id)?),
                ImageOperands::MinLod => access.min_lod = Some(self.operand(id)?),
                ImageOperands::MakeTexelAvailable => sharing.available = Some(self.level(id)),
                ImageOperands::MakeTexelVisible => sharing.visible = Some(self.level(id)),
                other => return Err(self.unsupported(format!("the image operand {other}"))),
            }
        }
        Ok(sharing)
    }

    /// The components of an array of vectors.
    fn array_components(&mut self, id: Id) -> Result<Vec<Operand>> {
        let ty = self.type_of(id)?;
        let Type::Array { element, .. } = self.m.ty(ty) else {
            return Err(self.broken("an array of offsets is expected"));
        };
        let scalar = self.scalar_type(self.m.component_type(element))?;
        let columns = self.value(id)?;
        let size = scalar.width().div_ceil(32) as usize;
        Ok(columns
            .chunks(size)
            .map(|part| (scalar, pair(part)))
            .collect())
    }

    /// A scalar operand.
    fn operand(&mut self, id: Id) -> Result<Operand> {
        match self.components(id)?[..] {
            [operand, ..] => Ok(operand),
            [] => Err(self.broken("a scalar is expected")),
        }
    }

    /// Coordinates: those of the dimensions, then the layer, and last what all are divided by.
    fn coordinates(
        &mut self,
        id: Id,
        image: &Image,
        is_sampled: bool,
        is_projective: bool,
    ) -> Result<Coordinates> {
        let mut rest = self.components(id)?.into_iter();
        // The faces of cubes are layers, unless a direction chooses them.
        let is_face = image.dim == Dim::Cube && !is_sampled;
        let dimensions = if is_face { 2 } else { dimensions(image) };
        let axes: Vec<Operand> = rest.by_ref().take(dimensions).collect();
        if axes.len() < dimensions {
            return Err(self.broken("there are too few coordinates"));
        }
        let layer = match image.arrayed || is_face {
            true => rest.next(),
            false => None,
        };
        let divisor = match is_projective {
            true => rest.next(),
            false => None,
        };
        Ok(Coordinates {
            axes,
            layer,
            divisor,
        })
    }

    fn query(&mut self, inst: Instruction<'a>) -> Result<()> {
        let op = inst.op();
        let (image, columns) = self.image_operand(inst.id(0))?;
        let ty = inst.result_type().unwrap_or(Id(0));
        let result = self.scalar_type(self.m.component_type(ty))?;
        let query = match query(op) {
            Some(ImageOp::Size { .. }) => ImageOp::Size {
                layers: image.arrayed,
            },
            Some(query) => query,
            None => return Err(self.unsupported(op.to_string())),
        };
        let mut access = Access::new(query, columns[0], result);
        match op {
            Op::ImageQuerySizeLod => {
                access.lod = LodOperand::Explicit(self.operand(inst.id(1))?);
            }
            Op::ImageQueryLod => {
                let Some(&sampler) = columns.get(1) else {
                    return Err(self.broken("a sampled image is expected"));
                };
                access.sampler = sampler;
                access.lod = LodOperand::Implicit;
                let mut image = image;
                image.arrayed = false;
                access.at = self.coordinates(inst.id(1), &image, true, false)?;
            }
            _ => {}
        }
        let to = self.columns_of(ty)?;
        access.to = to.clone();
        self.emit_access(access);
        self.define(inst, to);
        Ok(())
    }

    /// `OpImageTexelPointer`: the bytes of a texel as memory.
    fn texel_pointer(&mut self, inst: Instruction<'a>) -> Result<()> {
        let pointer_type = self.type_of(inst.id(0))?;
        let Some(ty) = self.m.pointee(pointer_type) else {
            return Err(self.unsupported("an untyped pointer to an image"));
        };
        let image = self.image_type(ty)?;
        let columns = self.load_resource(inst.id(0), ty)?;
        let result = self.scalar_type(image.sampled_type)?;
        let mut access = Access::new(ImageOp::TexelPointer, columns[0], result);
        access.is_signed = self.signedness(&image);
        access.at = self.coordinates(inst.id(1), &image, false, false)?;
        access.sample = Some(self.operand(inst.id(2))?);
        let offset = self.column()?;
        access.to = vec![offset];
        self.emit_access(access);
        let address = Address {
            object: Object::Column(columns[0]),
            offset,
            constant: 0,
        };
        self.define_pointer(inst, Pointer::plain(address));
        Ok(())
    }

    fn emit_access(&mut self, access: Access) {
        self.program.accesses.push(access);
        self.emit(Inst::Image(self.program.accesses.len() as u32 - 1));
    }
}

/// How many coordinates a place in one layer has.
fn dimensions(image: &Image) -> usize {
    match image.dim {
        Dim::Dim1D | Dim::Buffer => 1,
        Dim::Dim3D | Dim::Cube => 3,
        _ => 2,
    }
}
