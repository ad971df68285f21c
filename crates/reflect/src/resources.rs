//! Variables of the module: descriptors, push constants, inputs and outputs.

use spirvkit_analysis::layout::Extent;
use spirvkit_binary::Id;
use spirvkit_grammar::{BuiltIn, Decoration, Dim, ExecutionModel, Op, StorageClass};

use crate::contents::{Contents, VariableInstruction};
use crate::decorations::Decorations;
#[cfg(feature = "serde")]
use crate::serial;
use crate::types::{Block, Image, ImageUsage, TypeKind, Types};
use crate::usage::is_resource;

/// The most dimensions of an array that are listed. What is of an array that is of an
/// array, and so on, could otherwise be long for each of many variables.
const DIMENSIONS: usize = 16;

/// A resource that an API binds (Vulkan, section "Resource Descriptors").
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Descriptor {
    /// Its variable.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::id"))]
    pub id: Id,
    /// The name that the module gives the variable; its type may have one, too.
    pub name: Option<String>,
    /// Its descriptor set; `None` if the module doesn't say.
    pub set: Option<u32>,
    /// Its binding; `None` if the module doesn't say.
    pub binding: Option<u32>,
    /// What is bound there.
    pub kind: DescriptorKind,
    /// Its type, without arrays.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "type", serialize_with = "serial::maybe_id")
    )]
    pub ty: Option<Id>,
    /// How many there are in each dimension, the outermost first; empty if it is no
    /// array. Of more than 16, the rest is left out.
    pub array: Vec<Extent>,
    /// How many there are altogether.
    pub count: Extent,
    /// How many bytes the block takes, from the first to the last that is used.
    pub size: Option<Extent>,
    /// The same with the padding of its last member.
    pub padded_size: Option<Extent>,
    /// What image it is, or has.
    pub image: Option<Image>,
    /// What may be done with it, and what is.
    pub access: Access,
    /// Which input attachment it is.
    pub input_attachment_index: Option<u32>,
    /// The variable of its counter, by `CounterBuffer`.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::maybe_id"))]
    pub counter: Option<Id>,
    /// Its type in the source language.
    pub user_type: Option<String>,
    /// Its storage class.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::name"))]
    pub storage_class: StorageClass,
    /// Decorations without operands.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::names"))]
    pub decorations: Vec<Decoration>,
}

/// What is bound, in terms of Vulkan (sections "Descriptor Types" and "Shader Resource
/// Interface").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum DescriptorKind {
    /// A sampler.
    Sampler,
    /// An image with its sampler.
    CombinedImageSampler,
    /// An image to be sampled.
    SampledImage,
    /// An image to be read and written.
    StorageImage,
    /// A formatted buffer to be read.
    UniformTexelBuffer,
    /// A formatted buffer to be read and written.
    StorageTexelBuffer,
    /// A uniform buffer, or inline uniform data: the module can't tell.
    UniformBuffer,
    /// A storage buffer.
    StorageBuffer,
    /// An input attachment.
    InputAttachment,
    /// An acceleration structure.
    AccelerationStructure,
    /// An image of weights (`SPV_QCOM_image_processing`).
    SampleWeightImage,
    /// An image to match blocks of (`SPV_QCOM_image_processing`).
    BlockMatchImage,
    /// A tensor (`SPV_ARM_tensors`).
    Tensor,
    /// Its type is none of these.
    Unknown,
}

impl DescriptorKind {
    /// Its name, as JSON has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sampler => "sampler",
            Self::CombinedImageSampler => "combined_image_sampler",
            Self::SampledImage => "sampled_image",
            Self::StorageImage => "storage_image",
            Self::UniformTexelBuffer => "uniform_texel_buffer",
            Self::StorageTexelBuffer => "storage_texel_buffer",
            Self::UniformBuffer => "uniform_buffer",
            Self::StorageBuffer => "storage_buffer",
            Self::InputAttachment => "input_attachment",
            Self::AccelerationStructure => "acceleration_structure",
            Self::SampleWeightImage => "sample_weight_image",
            Self::BlockMatchImage => "block_match_image",
            Self::Tensor => "tensor",
            Self::Unknown => "unknown",
        }
    }

    /// Whether a shader can write what is bound.
    fn is_writable(self) -> bool {
        matches!(
            self,
            Self::StorageImage
                | Self::StorageTexelBuffer
                | Self::StorageBuffer
                | Self::Tensor
                | Self::Unknown
        )
    }
}

/// What may be done with a resource, and what is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Access {
    /// Whether it may be read: it isn't decorated as `NonReadable`, nor are all members
    /// of its block.
    pub readable: bool,
    /// Whether it may be written: what is bound can be, and it isn't decorated as
    /// `NonWritable`, nor are all members of its block.
    pub writable: bool,
    /// Whether any function names its variable that an entry point reaches; if there is
    /// no entry point, any at all.
    pub used: bool,
    /// Whether it is used, and any function reads it. What isn't known to leave it alone, such as an
    /// extended instruction that is given a pointer, counts as both reading and
    /// writing.
    pub read: bool,
    /// Whether it is used, and any function writes it.
    pub written: bool,
}

/// A block of push constants.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PushConstant {
    /// Its variable.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::id"))]
    pub id: Id,
    /// The name that the module gives the variable; its type may have one, too.
    pub name: Option<String>,
    /// Its type.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "type", serialize_with = "serial::maybe_id")
    )]
    pub ty: Option<Id>,
    /// Where its first member begins, in bytes.
    pub offset: Option<Extent>,
    /// How many bytes it takes, from offset 0 to the last byte that is used.
    pub size: Option<Extent>,
    /// Whether any function names it that an entry point reaches; if there is no entry
    /// point, any at all.
    pub used: bool,
}

/// An input or an output of a stage.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct InterfaceVariable {
    /// Its variable.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::id"))]
    pub id: Id,
    /// The name that the module gives the variable; its type may have one, too.
    pub name: Option<String>,
    /// Its location; that of a block's members is with its type.
    pub location: Option<u32>,
    /// Its first component, if it is decorated.
    pub component: Option<u32>,
    /// Its index for blending, if it is decorated.
    pub index: Option<u32>,
    /// What it is, if it is built in.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::maybe_name"))]
    pub built_in: Option<BuiltIn>,
    /// Its type, without arrays.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "type", serialize_with = "serial::maybe_id")
    )]
    pub ty: Option<Id>,
    /// How many there are in each dimension, the outermost first; empty if it is no
    /// array. Of more than 16, the rest is left out.
    pub array: Vec<Extent>,
    /// Whether the outermost dimension is that of vertices or primitives, not part of
    /// the type (Vulkan, section "Interface Matching").
    pub per_vertex: bool,
    /// How many locations it takes; `None` if it is built in, or if that is unknown.
    pub locations: Option<u64>,
    /// The format of a scalar or a vector, or of a matrix's columns, named as Vulkan
    /// names formats, such as `R32G32B32_SFLOAT`.
    pub format: Option<String>,
    /// How it is interpolated, and other decorations without operands.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::names"))]
    pub decorations: Vec<Decoration>,
    /// The semantic that a source language gave it.
    pub semantic: Option<String>,
    /// The vertex stream of a geometry shader, if it is decorated.
    pub stream: Option<u32>,
    /// Where transform feedback stores it.
    pub transform_feedback: Option<TransformFeedback>,
    /// Whether any function names it that an entry point reaches; if there is no entry
    /// point, any at all.
    pub used: bool,
}

/// Where transform feedback stores an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct TransformFeedback {
    /// The number of the buffer.
    pub buffer: u32,
    /// How many bytes apart vertices are.
    pub stride: Option<u32>,
    /// Where in a vertex it begins, in bytes.
    pub offset: Option<u32>,
}

/// Any other variable of the module: shared memory, payloads, what descriptor heaps
/// are declared as, and the like.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Variable {
    /// Its id.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::id"))]
    pub id: Id,
    /// The name that the module gives it.
    pub name: Option<String>,
    /// Its storage class.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::name"))]
    pub storage_class: StorageClass,
    /// Its type.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "type", serialize_with = "serial::maybe_id")
    )]
    pub ty: Option<Id>,
    /// Its location, such as that of a ray's payload.
    pub location: Option<u32>,
    /// What it is, if it is built in.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::maybe_name"))]
    pub built_in: Option<BuiltIn>,
    /// How many bytes its type takes by its decorations.
    pub size: Option<Extent>,
    /// Whether it has a value to start with.
    pub initialized: bool,
    /// Whether any function names it that an entry point reaches; if there is no entry
    /// point, any at all.
    pub used: bool,
}

/// A use of a descriptor heap (`SPV_EXT_descriptor_heap`).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct HeapAccess {
    /// The variable that stands for the heap.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::id"))]
    pub heap: Id,
    /// Which heap it is.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::name"))]
    pub built_in: BuiltIn,
    /// As what it is indexed.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::id"))]
    pub base_type: Id,
    /// Its descriptors' type, if it is indexed as an array of such.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "type", serialize_with = "serial::maybe_id")
    )]
    pub ty: Option<Id>,
    /// What descriptors these are; `None` if it is indexed as something else, whose
    /// parts are.
    pub kind: Option<DescriptorKind>,
}

/// Which list a variable is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    Descriptor,
    PushConstant,
    Input,
    Output,
    Other,
}

/// All variables, in the order of the module.
#[derive(Debug, Default)]
pub(crate) struct Resources {
    pub(crate) descriptors: Vec<Descriptor>,
    pub(crate) push_constants: Vec<PushConstant>,
    pub(crate) inputs: Vec<InterfaceVariable>,
    pub(crate) outputs: Vec<InterfaceVariable>,
    pub(crate) others: Vec<Variable>,
    /// For each variable.
    pub(crate) roles: Vec<Role>,
    /// For each variable.
    built_ins: Vec<Option<BuiltIn>>,
    pub(crate) heaps: Vec<HeapAccess>,
}

/// What is known of variables, in the order of the module.
pub(crate) struct Known {
    /// The execution model of the first entry point that lists each.
    pub(crate) stages: Vec<Option<ExecutionModel>>,
    /// Whether each is used.
    pub(crate) used: Vec<bool>,
}

/// Sorts the variables.
pub(crate) fn resources(contents: &Contents<'_>, types: &Types, known: &Known) -> Resources {
    let mut resources = Resources::default();
    for (number, variable) in contents.variables.iter().enumerate() {
        let reader = Reader {
            contents,
            types,
            variable,
            number,
            is_used: known.used.get(number).copied().unwrap_or(false),
            decorations: contents.decorations(variable.id),
        };
        let role = reader.role();
        resources.roles.push(role);
        resources.built_ins.push(reader.decorations.built_in);
        let stage = known.stages.get(number).copied().flatten();
        match role {
            Role::Descriptor => resources.descriptors.push(reader.descriptor()),
            Role::PushConstant => resources.push_constants.push(reader.push_constant()),
            Role::Input => resources.inputs.push(reader.interface(stage)),
            Role::Output => resources.outputs.push(reader.interface(stage)),
            Role::Other => resources.others.push(reader.other()),
        }
    }
    resources.heaps = heaps(contents, types, &resources.built_ins);
    resources
}

/// What a variable with this type in this storage class binds.
fn kind_of(
    class: StorageClass,
    ty: Option<Id>,
    types: &Types,
    decorations: &Decorations<'_>,
) -> DescriptorKind {
    let Some(kind) = ty.and_then(|ty| types.kind(ty)) else {
        return DescriptorKind::Unknown;
    };
    match (class, kind) {
        (StorageClass::StorageBuffer, _) => DescriptorKind::StorageBuffer,
        (StorageClass::Uniform, TypeKind::Struct { block, .. }) => match block {
            Some(Block::BufferBlock) => DescriptorKind::StorageBuffer,
            _ => DescriptorKind::UniformBuffer,
        },
        (_, TypeKind::Sampler) => DescriptorKind::Sampler,
        (_, TypeKind::AccelerationStructure) => DescriptorKind::AccelerationStructure,
        (_, TypeKind::Other { opcode, .. }) if *opcode == Op::TypeTensorARM => {
            DescriptorKind::Tensor
        }
        (_, TypeKind::Image(_) | TypeKind::SampledImage { .. })
            if decorations.has(Decoration::WeightTextureQCOM) =>
        {
            DescriptorKind::SampleWeightImage
        }
        (_, TypeKind::Image(_) | TypeKind::SampledImage { .. })
            if decorations.has(Decoration::BlockMatchTextureQCOM) =>
        {
            DescriptorKind::BlockMatchImage
        }
        (_, TypeKind::SampledImage { image }) => match types.image(*image) {
            Some(image) if image.dim == Dim::Buffer => DescriptorKind::UniformTexelBuffer,
            _ => DescriptorKind::CombinedImageSampler,
        },
        (_, TypeKind::Image(image)) => match (image.dim, image.usage) {
            (Dim::SubpassData, _) => DescriptorKind::InputAttachment,
            (Dim::Buffer, ImageUsage::Sampled) => DescriptorKind::UniformTexelBuffer,
            (Dim::Buffer, ImageUsage::Storage) => DescriptorKind::StorageTexelBuffer,
            (_, ImageUsage::Sampled) => DescriptorKind::SampledImage,
            (_, ImageUsage::Storage) => DescriptorKind::StorageImage,
            (_, ImageUsage::Runtime | ImageUsage::Unknown) => DescriptorKind::Unknown,
        },
        _ => DescriptorKind::Unknown,
    }
}

/// A variable that is looked at.
struct Reader<'r, 'a> {
    contents: &'r Contents<'a>,
    types: &'r Types,
    variable: &'r VariableInstruction,
    number: usize,
    is_used: bool,
    decorations: Decorations<'a>,
}

impl Reader<'_, '_> {
    fn role(&self) -> Role {
        let class = self.variable.storage_class;
        match class {
            StorageClass::Input => Role::Input,
            StorageClass::Output => Role::Output,
            StorageClass::PushConstant => Role::PushConstant,
            _ if !is_resource(class) || self.decorations.built_in.is_some() => Role::Other,
            StorageClass::UniformConstant => {
                // Constants of kernels, and whatever isn't bound.
                let is_bound = self.decorations.set.is_some() || self.decorations.binding.is_some();
                match is_bound || self.kind() != DescriptorKind::Unknown {
                    true => Role::Descriptor,
                    false => Role::Other,
                }
            }
            _ => Role::Descriptor,
        }
    }

    /// The type without arrays.
    fn innermost(&self) -> Option<Id> {
        let ty = self.variable.ty?;
        Some(self.types.shape(ty).map_or(ty, |shape| shape.innermost))
    }

    fn kind(&self) -> DescriptorKind {
        let class = self.variable.storage_class;
        kind_of(class, self.innermost(), self.types, &self.decorations)
    }

    /// How many there are in each dimension, and altogether.
    fn array(&self) -> (Vec<Extent>, Extent) {
        let mut array = Vec::new();
        let mut ty = self.variable.ty;
        while let Some(TypeKind::Array {
            element, length, ..
        }) = ty.and_then(|ty| self.types.kind(ty))
            && array.len() < DIMENSIONS
        {
            array.push(*length);
            // Elements are declared before arrays of them, so this ends.
            ty = Some(*element).filter(|element| Some(*element) != ty);
        }
        let shape = self.variable.ty.and_then(|ty| self.types.shape(ty));
        (array, shape.map_or(Extent::Fixed(1), |shape| shape.count))
    }

    fn descriptor(&self) -> Descriptor {
        let kind = self.kind();
        let ty = self.innermost();
        let shape = ty.and_then(|ty| self.types.shape(ty));
        let (array, count) = self.array();
        let (read, written) = self.contents.usage.is_read_and_written(self.number);
        let non_writable = self.decorations.has(Decoration::NonWritable)
            || shape.is_some_and(|shape| shape.non_writable);
        let non_readable = self.decorations.has(Decoration::NonReadable)
            || shape.is_some_and(|shape| shape.non_readable);
        Descriptor {
            id: self.variable.id,
            name: self.contents.name(self.variable.id),
            set: self.decorations.set,
            binding: self.decorations.binding,
            kind,
            ty,
            array,
            count,
            size: ty.and_then(|ty| self.types.get(ty)?.size),
            padded_size: match ty.and_then(|ty| self.types.kind(ty)) {
                Some(TypeKind::Struct { .. }) => shape.and_then(|shape| shape.extent),
                _ => None,
            },
            image: ty.and_then(|ty| self.types.image(ty)).cloned(),
            access: Access {
                readable: !non_readable,
                writable: kind.is_writable() && !non_writable,
                used: self.is_used,
                read: read && self.is_used,
                written: written && self.is_used && kind.is_writable(),
            },
            input_attachment_index: self.decorations.input_attachment,
            counter: self.decorations.counter,
            user_type: self.contents.shared(self.decorations.user_type),
            storage_class: self.variable.storage_class,
            decorations: self.decorations.flags(),
        }
    }

    fn push_constant(&self) -> PushConstant {
        let ty = self.variable.ty;
        PushConstant {
            id: self.variable.id,
            name: self.contents.name(self.variable.id),
            ty,
            offset: ty.and_then(|ty| self.types.shape(ty)?.start),
            size: ty.and_then(|ty| self.types.get(ty)?.size),
            used: self.is_used,
        }
    }

    fn interface(&self, stage: Option<ExecutionModel>) -> InterfaceVariable {
        let is_input = self.variable.storage_class == StorageClass::Input;
        let decorations = &self.decorations;
        let (array, _) = self.array();
        let arrayed = match stage {
            _ if decorations.has(Decoration::Patch) => false,
            Some(ExecutionModel::TessellationControl) => true,
            Some(ExecutionModel::TessellationEvaluation | ExecutionModel::Geometry) => is_input,
            Some(ExecutionModel::MeshEXT | ExecutionModel::MeshNV) => {
                !is_input && !decorations.has(Decoration::PerTaskNV)
            }
            Some(ExecutionModel::Fragment) => is_input && decorations.has(Decoration::PerVertexKHR),
            _ => false,
        };
        // Built-in variables that stand for one thing aren't arrayed by vertices: only
        // those that are arrays of what they are.
        let per_vertex = arrayed && !array.is_empty();
        let ty = self.innermost();
        let value = match (per_vertex, self.variable.ty) {
            (true, Some(ty)) => match self.types.kind(ty) {
                Some(TypeKind::Array { element, .. }) => Some(*element),
                _ => Some(ty),
            },
            (_, ty) => ty,
        };
        let locations = value.and_then(|ty| self.types.shape(ty)?.locations);
        InterfaceVariable {
            id: self.variable.id,
            name: self.contents.name(self.variable.id),
            location: decorations.location,
            component: decorations.component,
            index: decorations.index,
            built_in: decorations.built_in,
            ty,
            array,
            per_vertex,
            locations: locations.filter(|_| decorations.built_in.is_none()),
            format: ty.and_then(|ty| format(ty, self.types)),
            decorations: decorations.flags(),
            semantic: self.contents.shared(decorations.semantic),
            stream: decorations.stream,
            transform_feedback: decorations.xfb_buffer.map(|buffer| TransformFeedback {
                buffer,
                stride: decorations.xfb_stride,
                offset: decorations.offset,
            }),
            used: self.is_used,
        }
    }

    fn other(&self) -> Variable {
        Variable {
            id: self.variable.id,
            name: self.contents.name(self.variable.id),
            storage_class: self.variable.storage_class,
            ty: self.variable.ty,
            location: self.decorations.location,
            built_in: self.decorations.built_in,
            size: self.variable.ty.and_then(|ty| self.types.get(ty)?.size),
            initialized: self.variable.has_initializer,
            used: self.is_used,
        }
    }
}

/// The format of a scalar or a vector, or of a matrix's columns (Vulkan, section
/// "Format Definition").
pub(crate) fn format(ty: Id, types: &Types) -> Option<String> {
    let ty = match types.kind(ty)? {
        TypeKind::Matrix { column, .. } => *column,
        _ => ty,
    };
    let (component, count) = match types.kind(ty)? {
        TypeKind::Vector { component, count } => (*component, count.known()?),
        _ => (ty, 1),
    };
    let (bits, numeric) = types.numeric(component)?;
    if !matches!(bits, 8 | 16 | 32 | 64) || (bits == 8 && numeric == "SFLOAT") {
        return None;
    }
    let components = ["R", "G", "B", "A"];
    let components = components.get(..usize::try_from(count).ok()?)?;
    let parts: String = components
        .iter()
        .map(|name| format!("{name}{bits}"))
        .collect();
    Some(format!("{parts}_{numeric}"))
}

/// The uses of descriptor heaps, by variable and type.
fn heaps(contents: &Contents<'_>, types: &Types, built_ins: &[Option<BuiltIn>]) -> Vec<HeapAccess> {
    let mut accesses = contents.usage.untyped.clone();
    accesses.sort_unstable();
    accesses.dedup();
    let access = |(number, base_type): (u32, Id)| {
        let variable = contents.variables.get(number as usize)?;
        let built_in = built_ins.get(number as usize).copied().flatten()?;
        let ty = match types.kind(base_type) {
            Some(TypeKind::Array { .. }) => types.shape(base_type).map(|shape| shape.innermost),
            _ => None,
        };
        let kind = match ty.and_then(|ty| types.kind(ty)) {
            Some(TypeKind::Other { opcode, operands }) if *opcode == Op::TypeBufferEXT => {
                let class = operands.first().map(|operand| operand.value.to_string());
                match class.as_deref() {
                    Some("StorageBuffer") => DescriptorKind::StorageBuffer,
                    Some("Uniform") => DescriptorKind::UniformBuffer,
                    _ => DescriptorKind::Unknown,
                }
            }
            _ => kind_of(variable.storage_class, ty, types, &Decorations::default()),
        };
        let kind = Some(kind).filter(|&kind| kind != DescriptorKind::Unknown);
        Some(HeapAccess {
            heap: variable.id,
            built_in,
            base_type,
            ty,
            kind,
        })
    };
    accesses.into_iter().filter_map(access).collect()
}
