//! Pipeline layouts: the descriptors and push constants that an application gives a pipeline.

#[cfg(feature = "json")]
mod json;
mod mapping;

use std::fmt;

use spirvkit_grammar::ExecutionModel;

#[cfg(feature = "json")]
pub use json::LayoutError;
pub use mapping::MappingSource;

/// What `VkPipelineLayoutCreateInfo` describes.
///
/// With the feature `json`, it is read from text:
///
/// ```
/// # #[cfg(feature = "json")] {
/// use spirvkit_vulkan::{DescriptorType, PipelineLayout};
///
/// let text = r#"{
///     "sets": [{"bindings": [{"binding": 0, "type": "UNIFORM_BUFFER", "stages": ["VERTEX"]}]}],
///     "pushConstants": [{"stages": ["ALL_GRAPHICS"], "offset": 0, "size": 64}]
/// }"#;
/// let layout = PipelineLayout::from_json(text).unwrap();
/// assert_eq!(layout.sets[0].bindings[0].ty, DescriptorType::UNIFORM_BUFFER);
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PipelineLayout {
    /// The descriptor sets, by their numbers.
    pub sets: Vec<SetLayout>,
    /// The ranges of push constants.
    pub push_constants: Vec<PushConstantRange>,
    /// The flags with which the pipeline is created, if they are known.
    pub flags: Option<PipelineFlags>,
    /// The size of subgroups that is required of its stages, or 0 if none is; nothing if nobody knows.
    pub required_subgroup_size: Option<u32>,
    /// The subpass, or the dynamic rendering, in which it draws, if it is known.
    pub subpass: Option<Subpass>,
    /// What is said of the tensors of a data graph pipeline, if that is known.
    pub graph: Option<DataGraph>,
}

/// What an application says of the tensors of a data graph pipeline (`VK_ARM_data_graph`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataGraph {
    /// Constants: each a `VkDataGraphPipelineConstantARM`.
    pub constants: Vec<GraphConstant>,
    /// What its variables are: each a `VkDataGraphPipelineResourceInfoARM`.
    pub resources: Vec<GraphResource>,
}

/// A constant of a data graph pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphConstant {
    /// The `GraphConstantID`.
    pub id: u32,
    /// What it is.
    pub tensor: TensorDescription,
}

/// A tensor that a data graph pipeline takes or returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphResource {
    /// Its descriptor set.
    pub set: u32,
    /// Its binding.
    pub binding: u32,
    /// The element, if the variable is an array.
    pub array_element: u32,
    /// What it is.
    pub tensor: TensorDescription,
}

/// A format and sizes, as `VkTensorDescriptionARM` has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorDescription {
    /// The format's name without `VK_FORMAT_`, such as `R8_SINT`.
    pub format: String,
    /// The sizes, of which there are as many as the tensor's rank.
    pub dimensions: Vec<u64>,
}

/// What a subpass, or dynamic rendering, is like.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subpass {
    /// Whether fragments are shaded once for a region, as
    /// `VK_SUBPASS_DESCRIPTION_FRAGMENT_REGION_BIT_EXT` says.
    pub is_fragment_region: bool,
    /// The mask of views that are drawn to, if that is known.
    pub view_mask: Option<u32>,
    /// How many aspects the image of each input attachment has, by its index; nothing of one of
    /// which nobody knows.
    pub input_attachment_aspects: Vec<Option<u32>>,
}

/// The layout of a descriptor set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SetLayout {
    /// Its bindings, in any order.
    pub bindings: Vec<Binding>,
}

/// What one binding holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Its number.
    pub binding: u32,
    /// What its descriptors are.
    pub ty: DescriptorType,
    /// How many descriptors there are; of an inline uniform block, bytes.
    pub count: u32,
    /// The stages that may use it.
    pub stages: ShaderStages,
    /// Whether it has immutable samplers with a Y′CBCR conversion.
    pub has_ycbcr: bool,
    /// Whether the coordinates of its samplers are not normalized, if that is known.
    pub is_unnormalized: Option<bool>,
    /// From where in memory or a descriptor heap it is mapped, if it is.
    pub mapping: Option<MappingSource>,
    /// Where in the push data or in the shader's record it begins, in bytes, if it is mapped to one of
    /// them.
    pub mapping_offset: u32,
}

impl Binding {
    /// One descriptor for all stages.
    pub fn new(binding: u32, ty: DescriptorType) -> Self {
        Self {
            binding,
            ty,
            count: 1,
            stages: ShaderStages::ALL,
            has_ycbcr: false,
            is_unnormalized: None,
            mapping: None,
            mapping_offset: 0,
        }
    }
}

/// Push constants of some stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PushConstantRange {
    /// The stages that may use it.
    pub stages: ShaderStages,
    /// Where it starts, in bytes.
    pub offset: u32,
    /// How many bytes it has.
    pub size: u32,
}

/// Flags of a pipeline or of its stages on which rules for modules depend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PipelineFlags(u32);

/// Their names without `VK_PIPELINE_` and what follows, up to the flag's own name, and without `_BIT`
/// and what is behind it.
const FLAGS: &[(PipelineFlags, &str)] = &[
    (
        PipelineFlags::RAY_TRACING_SKIP_TRIANGLES,
        "RAY_TRACING_SKIP_TRIANGLES",
    ),
    (
        PipelineFlags::RAY_TRACING_SKIP_AABBS,
        "RAY_TRACING_SKIP_AABBS",
    ),
    (
        PipelineFlags::RAY_TRACING_ALLOW_MOTION,
        "RAY_TRACING_ALLOW_MOTION",
    ),
    (PipelineFlags::INDEXING_64_BIT, "64_BIT_INDEXING"),
    (
        PipelineFlags::REQUIRE_FULL_SUBGROUPS,
        "REQUIRE_FULL_SUBGROUPS",
    ),
    (
        PipelineFlags::DISALLOW_OPACITY_MICROMAP,
        "DISALLOW_OPACITY_MICROMAP",
    ),
    (
        PipelineFlags::ALLOW_VARYING_SUBGROUP_SIZE,
        "ALLOW_VARYING_SUBGROUP_SIZE",
    ),
    (PipelineFlags::DESCRIPTOR_HEAP, "DESCRIPTOR_HEAP"),
];

impl PipelineFlags {
    /// Rays pass triangles.
    pub const RAY_TRACING_SKIP_TRIANGLES: Self = Self(1);
    /// Rays pass boxes.
    pub const RAY_TRACING_SKIP_AABBS: Self = Self(2);
    /// Rays meet what moves.
    pub const RAY_TRACING_ALLOW_MOTION: Self = Self(4);
    /// Indices and lengths may have 64 bits.
    pub const INDEXING_64_BIT: Self = Self(8);
    /// Subgroups are full; a flag of each stage.
    pub const REQUIRE_FULL_SUBGROUPS: Self = Self(16);
    /// Nothing that rays meet has opacity micromaps.
    pub const DISALLOW_OPACITY_MICROMAP: Self = Self(32);
    /// The size of subgroups may vary; a flag of each stage.
    pub const ALLOW_VARYING_SUBGROUP_SIZE: Self = Self(64);
    /// Descriptors are in heaps, not in sets.
    pub const DESCRIPTOR_HEAP: Self = Self(128);

    /// The flag of this name, such as `RAY_TRACING_SKIP_AABBS`, with or without what is around it in
    /// Vulkan. Other flags of Vulkan, by their whole names, are none.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.to_ascii_uppercase();
        let is_it = |it: &&(Self, &str)| {
            let prefixes = [
                "VK_PIPELINE_CREATE_",
                "VK_PIPELINE_CREATE_2_",
                "VK_PIPELINE_SHADER_STAGE_CREATE_",
                "",
            ];
            prefixes.iter().any(|prefix| {
                let rest = name.strip_prefix(prefix);
                let rest = rest.and_then(|rest| rest.strip_prefix(it.1));
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("_BIT"))
            })
        };
        let known = FLAGS.iter().find(is_it).map(|it| it.0);
        known.or_else(|| name.starts_with("VK_PIPELINE_").then(Self::default))
    }

    /// Whether all of these are among them.
    pub fn contains(self, flags: Self) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// These and others.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl fmt::Display for PipelineFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = FLAGS.iter().filter(|it| self.contains(it.0));
        for (number, (_, name)) in own.enumerate() {
            let comma = if number > 0 { ", " } else { "" };
            write!(f, "{comma}{name}")?;
        }
        Ok(())
    }
}

/// A type of descriptors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DescriptorType(u8);

/// Several types of descriptors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct DescriptorTypes(u32);

macro_rules! descriptor_types {
    ($($number:literal $name:ident $suffix:literal)*) => {
        #[allow(missing_docs, reason = "the names are Vulkan's")]
        impl DescriptorType {
            $(pub const $name: Self = Self($number);)*
        }

        /// The names without `VK_DESCRIPTOR_TYPE_`, and what else they may end with.
        const TYPES: &[(DescriptorType, &str, &str)] = &[
            $((DescriptorType::$name, stringify!($name), $suffix),)*
        ];
    };
}

descriptor_types! {
    0 SAMPLER ""
    1 COMBINED_IMAGE_SAMPLER ""
    2 SAMPLED_IMAGE ""
    3 STORAGE_IMAGE ""
    4 UNIFORM_TEXEL_BUFFER ""
    5 STORAGE_TEXEL_BUFFER ""
    6 UNIFORM_BUFFER ""
    7 STORAGE_BUFFER ""
    8 UNIFORM_BUFFER_DYNAMIC ""
    9 STORAGE_BUFFER_DYNAMIC ""
    10 INPUT_ATTACHMENT ""
    11 INLINE_UNIFORM_BLOCK "_EXT"
    12 ACCELERATION_STRUCTURE "_KHR"
    13 ACCELERATION_STRUCTURE_NV ""
    14 SAMPLE_WEIGHT_IMAGE "_QCOM"
    15 BLOCK_MATCH_IMAGE "_QCOM"
    16 TENSOR "_ARM"
    17 MUTABLE "_EXT"
    18 PARTITIONED_ACCELERATION_STRUCTURE "_NV"
}

impl DescriptorType {
    /// The type of this name, such as `VK_DESCRIPTOR_TYPE_SAMPLER` or `sampler`.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.to_ascii_uppercase();
        let name = name.strip_prefix("VK_DESCRIPTOR_TYPE_").unwrap_or(&name);
        let is_it = |it: &&(Self, &str, &str)| {
            name == it.1 || name.strip_prefix(it.1).is_some_and(|rest| rest == it.2)
        };
        TYPES.iter().find(is_it).map(|it| it.0)
    }

    /// Its name, without `VK_DESCRIPTOR_TYPE_`.
    pub fn name(self) -> &'static str {
        let found = TYPES.iter().find(|it| it.0 == self);
        found.map_or("", |it| it.1)
    }

    /// All types.
    pub fn all() -> impl Iterator<Item = Self> {
        TYPES.iter().map(|it| it.0)
    }
}

impl fmt::Display for DescriptorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl DescriptorTypes {
    /// All that there are, mutable ones included.
    pub fn all() -> Self {
        DescriptorType::all().collect()
    }

    /// Whether a type is among them.
    pub fn contains(self, ty: DescriptorType) -> bool {
        self.0 >> ty.0 & 1 != 0
    }

    /// Those that are also among others.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The types.
    pub fn iter(self) -> impl Iterator<Item = DescriptorType> {
        DescriptorType::all().filter(move |&ty| self.contains(ty))
    }
}

impl FromIterator<DescriptorType> for DescriptorTypes {
    fn from_iter<I: IntoIterator<Item = DescriptorType>>(types: I) -> Self {
        Self(types.into_iter().fold(0, |bits, ty| bits | 1 << ty.0))
    }
}

/// Some stages of pipelines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ShaderStages(u32);

/// Execution models that are the same stage, with the stage's name without `VK_SHADER_STAGE_` and
/// `_BIT`.
const STAGES: &[(&str, &[ExecutionModel])] = &[
    ("VERTEX", &[ExecutionModel::Vertex]),
    (
        "TESSELLATION_CONTROL",
        &[ExecutionModel::TessellationControl],
    ),
    (
        "TESSELLATION_EVALUATION",
        &[ExecutionModel::TessellationEvaluation],
    ),
    ("GEOMETRY", &[ExecutionModel::Geometry]),
    ("FRAGMENT", &[ExecutionModel::Fragment]),
    ("COMPUTE", &[ExecutionModel::GLCompute]),
    ("TASK", &[ExecutionModel::TaskEXT, ExecutionModel::TaskNV]),
    ("MESH", &[ExecutionModel::MeshEXT, ExecutionModel::MeshNV]),
    ("RAYGEN", &[ExecutionModel::RayGenerationKHR]),
    ("ANY_HIT", &[ExecutionModel::AnyHitKHR]),
    ("CLOSEST_HIT", &[ExecutionModel::ClosestHitKHR]),
    ("MISS", &[ExecutionModel::MissKHR]),
    ("INTERSECTION", &[ExecutionModel::IntersectionKHR]),
    ("CALLABLE", &[ExecutionModel::CallableKHR]),
];

/// How many of the stages `ALL_GRAPHICS` means, which come first.
const GRAPHICS: u32 = 0b1_1111;

impl ShaderStages {
    /// All stages.
    pub const ALL: Self = Self((1 << STAGES.len()) - 1);

    /// The stages that a name means, such as `VK_SHADER_STAGE_VERTEX_BIT`, `vertex` or
    /// `ALL_GRAPHICS`.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.to_ascii_uppercase();
        let name = name.strip_prefix("VK_SHADER_STAGE_").unwrap_or(&name);
        let name = ["_KHR", "_EXT", "_NV"]
            .iter()
            .find_map(|suffix| name.strip_suffix(suffix))
            .unwrap_or(name);
        let name = name.strip_suffix("_BIT").unwrap_or(name);
        match name {
            "ALL" => Some(Self::ALL),
            "ALL_GRAPHICS" => Some(Self(GRAPHICS)),
            _ => {
                let index = STAGES.iter().position(|it| it.0 == name)?;
                Some(Self(1 << index))
            }
        }
    }

    /// The stage that runs entry points of a model.
    pub fn of(model: ExecutionModel) -> Self {
        let index = STAGES.iter().position(|it| it.1.contains(&model));
        index.map_or(Self::default(), |index| Self(1 << index))
    }

    /// Whether the stage of a model is among them.
    pub fn contains(self, model: ExecutionModel) -> bool {
        self.0 & Self::of(model).0 != 0
    }

    /// These and others.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl fmt::Display for ShaderStages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = STAGES.iter().enumerate();
        let names = named.filter(|(index, _)| self.0 >> index & 1 != 0);
        for (number, (_, (name, _))) in names.enumerate() {
            let comma = if number > 0 { ", " } else { "" };
            write!(f, "{comma}{name}")?;
        }
        match self.0 {
            0 => write!(f, "no stage"),
            _ => Ok(()),
        }
    }
}
