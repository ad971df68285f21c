//! Pipelines, with all that is bound to them.

use crate::number::Number;
use crate::script::{Buffer, Handle, Sampler, Shader, TopLevel};
use crate::types::Scalar;
use crate::words::{
    BlendFactor, BlendOp, CompareOp, CullMode, DescriptorKind, FrontFace, LogicOp, PipelineKind,
    PolygonMode, Rate, Stage, StencilOp, Topology,
};
use spirvkit_eval::Format;

/// A pipeline.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Pipeline {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub kind: PipelineKind,
    /// Its shaders, in the order of the script.
    pub shaders: Vec<Attachment>,
    /// Width and height of what is drawn to, in pixels.
    pub framebuffer_size: [u32; 2],
    /// The images that fragment shaders write colours to. If there are none, a graphics
    /// pipeline has one at location 0, of `B8G8R8A8_UNORM`.
    pub color_attachments: Vec<ColorAttachment>,
    /// The image of depths and stencil values.
    pub depth_stencil: Option<Handle<Buffer>>,
    /// What images with several samples are resolved to, in the order of these.
    pub resolve_targets: Vec<Handle<Buffer>>,
    /// The buffer that push constants come from.
    pub push_constants: Option<Handle<Buffer>>,
    /// What shaders see by set and binding.
    pub bindings: Vec<Binding>,
    /// What kernels of OpenCL get as arguments.
    pub arguments: Vec<Argument>,
    /// Where vertex shaders get their inputs from.
    pub vertex_data: Vec<VertexData>,
    /// Where indexed draws get their indices from.
    pub index_data: Option<Handle<Buffer>>,
    /// How it draws.
    pub state: GraphicsState,
    /// What only ray tracing pipelines have.
    pub ray_tracing: RayTracing,
}

/// A shader of a pipeline.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Attachment {
    /// The shader.
    pub shader: Handle<Shader>,
    /// The stage it is used for.
    pub stage: Stage,
    /// The entry point.
    pub entry_point: String,
    /// Values for specialization constants.
    pub specialization: Vec<Specialization>,
    /// Passes of an optimizer to run, as its options.
    pub optimizations: Vec<String>,
    /// Options for the compiler.
    pub compile_options: Vec<String>,
    /// What subgroups must be like.
    pub subgroup: Subgroup,
}

/// The value of a specialization constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Specialization {
    /// The constant's `SpecId`.
    pub id: u32,
    /// Its type, of 32 bits.
    pub ty: Scalar,
    /// The value.
    pub value: Number,
}

/// What the subgroups of a shader must be like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Subgroup {
    /// Whether all invocations must be active at first.
    pub is_full: bool,
    /// Whether `SubgroupSize` may vary.
    pub is_varying: bool,
    /// How many invocations there must be, if that matters.
    pub size: Option<SubgroupSize>,
}

/// How large subgroups must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubgroupSize {
    /// The least that the device has.
    Min,
    /// The most that the device has.
    Max,
    /// This many, a power of two.
    Exact(u32),
}

/// An image that fragment shaders write colours to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColorAttachment {
    /// The image.
    pub buffer: Handle<Buffer>,
    /// The location of the output.
    pub location: u32,
    /// The level of detail that is written to.
    pub base_mip_level: u32,
}

/// What is bound at a set and a binding; several things are an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    /// The descriptor set.
    pub set: u32,
    /// The binding in it.
    pub binding: u32,
    /// What is bound.
    pub resource: Resource,
}

/// What is bound.
#[derive(Clone, Debug, PartialEq)]
pub enum Resource {
    /// Buffers or images.
    Buffers {
        /// What shaders see them as.
        kind: DescriptorKind,
        /// Each of them.
        buffers: Vec<BoundBuffer>,
        /// The sampler that images are combined with, if they are.
        sampler: Option<Handle<Sampler>>,
        /// The first level of detail of images.
        base_mip_level: u32,
    },
    /// Samplers.
    Samplers(Vec<Handle<Sampler>>),
    /// What rays are traced in.
    AccelerationStructure(Handle<TopLevel>),
}

/// A buffer, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundBuffer {
    /// The buffer.
    pub buffer: Handle<Buffer>,
    /// The dynamic offset in bytes.
    pub dynamic_offset: u64,
    /// The first byte that is bound.
    pub offset: u64,
    /// How many bytes are bound; if `None`, all that follow.
    pub range: Option<u64>,
}

/// An argument of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// Which argument it is.
    pub key: ArgumentKey,
    /// What it is.
    pub value: ArgumentValue,
}

/// Which argument of a kernel is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgumentKey {
    /// The one of this name.
    Name(String),
    /// The one of this number, from 0.
    Number(u32),
}

/// What a kernel gets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ArgumentValue {
    /// A buffer or an image.
    Buffer {
        /// Which.
        buffer: Handle<Buffer>,
        /// What it is seen as; if `None`, the kernel tells.
        kind: Option<DescriptorKind>,
    },
    /// A sampler.
    Sampler(Handle<Sampler>),
    /// A number.
    Number {
        /// Its type.
        ty: Scalar,
        /// Its value.
        value: Number,
    },
}

/// Where vertex shaders get an input from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexData {
    /// The buffer.
    pub buffer: Handle<Buffer>,
    /// The location of the input.
    pub location: u32,
    /// How often the next element is read.
    pub rate: Rate,
    /// What an element is; if `None`, what the buffer's is.
    pub format: Option<Format>,
    /// The first byte.
    pub offset: u32,
    /// The distance of elements in bytes; if `None`, as far as they lie apart.
    pub stride: Option<u32>,
}

/// How a graphics pipeline draws. All that only VkScript can set has the names of Vulkan's
/// fields.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GraphicsState {
    /// Where it draws to; if `None`, to the whole framebuffer.
    pub viewport: Option<Viewport>,
    /// What is drawn of polygons.
    pub polygon_mode: PolygonMode,
    /// How many vertices a patch has.
    pub patch_control_points: u32,
    /// Depth tests.
    pub depth: Depth,
    /// Whether there are stencil tests.
    pub stencil_test: bool,
    /// Stencil tests of what faces the viewer.
    pub stencil_front: Stencil,
    /// Stencil tests of what faces away.
    pub stencil_back: Stencil,
    /// How colours are blended, if they are.
    pub blend: Option<Blend>,
    /// Whether a colour's alpha decides which samples it covers.
    pub alpha_to_coverage: bool,
    /// Whether the largest index starts a new strip.
    pub primitive_restart: bool,
    /// Whether nothing is drawn.
    pub rasterizer_discard: bool,
    /// The bitwise operation on colours, if there is one.
    pub logic_op: Option<LogicOp>,
    /// Which way polygons face.
    pub front_face: FrontFace,
    /// Which polygons aren't drawn.
    pub cull_mode: CullMode,
    /// How wide lines are, in pixels.
    pub line_width: f32,
    /// Which channels are written, red first.
    pub color_write: [bool; 4],
    /// The topology that VkScript sets; draws have their own.
    pub topology: Option<Topology>,
}

impl Default for GraphicsState {
    fn default() -> Self {
        Self {
            viewport: None,
            polygon_mode: PolygonMode::Fill,
            patch_control_points: 3,
            depth: Depth::default(),
            stencil_test: false,
            stencil_front: Stencil::default(),
            stencil_back: Stencil::default(),
            blend: None,
            alpha_to_coverage: false,
            primitive_restart: false,
            rasterizer_discard: false,
            logic_op: None,
            front_face: FrontFace::CounterClockwise,
            cull_mode: CullMode::None,
            line_width: 1.0,
            color_write: [true; 4],
            topology: None,
        }
    }
}

/// Where a pipeline draws to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// The left upper corner, in pixels.
    pub position: [f32; 2],
    /// Width and height, in pixels.
    pub size: [f32; 2],
    /// What depth 0 becomes.
    pub min_depth: f32,
    /// What depth 1 becomes.
    pub max_depth: f32,
}

/// Depth tests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Depth {
    /// Whether there are any.
    pub test: bool,
    /// Whether depths are written.
    pub write: bool,
    /// What must hold of a new depth and the one there is.
    pub compare: CompareOp,
    /// Whether depths are clamped instead of clipped.
    pub clamp: bool,
    /// The depths that pass, if only some do.
    pub bounds: Option<[f32; 2]>,
    /// What is added to depths, if anything.
    pub bias: Option<DepthBias>,
}

impl Default for Depth {
    fn default() -> Self {
        Self {
            test: false,
            write: false,
            compare: CompareOp::Less,
            clamp: false,
            bounds: None,
            bias: None,
        }
    }
}

/// What is added to depths.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DepthBias {
    /// A number of the least steps there are.
    pub constant: f32,
    /// The most that is added.
    pub clamp: f32,
    /// A share of the slope.
    pub slope: f32,
}

/// Stencil tests of what faces one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stencil {
    /// What is done if the test fails.
    pub fail: StencilOp,
    /// What is done if all tests pass.
    pub pass: StencilOp,
    /// What is done if only the depth test fails.
    pub depth_fail: StencilOp,
    /// What must hold of the reference and the value there is.
    pub compare: CompareOp,
    /// The bits that are compared.
    pub compare_mask: u32,
    /// The bits that are written.
    pub write_mask: u32,
    /// The reference.
    pub reference: u32,
}

impl Default for Stencil {
    fn default() -> Self {
        Self {
            fail: StencilOp::Keep,
            pass: StencilOp::Keep,
            depth_fail: StencilOp::Keep,
            compare: CompareOp::Always,
            compare_mask: 0xff,
            write_mask: 0xff,
            reference: 0,
        }
    }
}

/// How colours are blended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blend {
    /// What new colours are multiplied by.
    pub src_color: BlendFactor,
    /// What the colours there are are multiplied by.
    pub dst_color: BlendFactor,
    /// What is made of both.
    pub color_op: BlendOp,
    /// What a new alpha is multiplied by.
    pub src_alpha: BlendFactor,
    /// What the alpha there is is multiplied by.
    pub dst_alpha: BlendFactor,
    /// What is made of both.
    pub alpha_op: BlendOp,
}

impl Default for Blend {
    fn default() -> Self {
        Self {
            src_color: BlendFactor::One,
            dst_color: BlendFactor::Zero,
            color_op: BlendOp::Add,
            src_alpha: BlendFactor::One,
            dst_alpha: BlendFactor::Zero,
            alpha_op: BlendOp::Add,
        }
    }
}

/// What only ray tracing pipelines have.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RayTracing {
    /// Groups of shaders, in the order in which shaders count them.
    pub groups: Vec<ShaderGroup>,
    /// Tables of groups.
    pub tables: Vec<BindingTable>,
    /// Whether other pipelines use it.
    pub is_library: bool,
    /// The pipelines that it uses.
    pub libraries: Vec<Handle<Pipeline>>,
    /// The greatest size of a ray's payload, in bytes.
    pub max_payload_size: u32,
    /// The greatest size of a hit's attributes, in bytes.
    pub max_hit_attribute_size: u32,
    /// How deep rays may start rays.
    pub max_recursion_depth: u32,
}

impl Default for RayTracing {
    fn default() -> Self {
        Self {
            groups: Vec::new(),
            tables: Vec::new(),
            is_library: false,
            libraries: Vec::new(),
            max_payload_size: 0,
            max_hit_attribute_size: 0,
            max_recursion_depth: 1,
        }
    }
}

/// Shaders that belong together: one of ray generation, a miss or a call, or those of a hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShaderGroup {
    /// The name.
    pub name: String,
    /// The shaders.
    pub shaders: Vec<Handle<Shader>>,
}

/// A table of groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindingTable {
    /// The name.
    pub name: String,
    /// The names of the groups, of the pipeline or its libraries.
    pub groups: Vec<String>,
}

impl Pipeline {
    pub(crate) fn new(name: String, kind: PipelineKind) -> Self {
        Self {
            name,
            kind,
            shaders: Vec::new(),
            framebuffer_size: [250; 2],
            color_attachments: Vec::new(),
            depth_stencil: None,
            resolve_targets: Vec::new(),
            push_constants: None,
            bindings: Vec::new(),
            arguments: Vec::new(),
            vertex_data: Vec::new(),
            index_data: None,
            state: GraphicsState::default(),
            ray_tracing: RayTracing::default(),
        }
    }

    /// How many things are in its lists.
    pub(crate) fn part_count(&self) -> usize {
        let strings: usize = self
            .shaders
            .iter()
            .map(|it| it.optimizations.len() + it.compile_options.len() + it.specialization.len())
            .sum();
        let buffers: usize = self.bindings.iter().map(Binding::part_count).sum();
        let groups = self.ray_tracing.groups.iter().map(|it| it.shaders.len());
        let tables = self.ray_tracing.tables.iter().map(|it| it.groups.len());
        let lists = [
            self.shaders.len(),
            self.color_attachments.len(),
            self.resolve_targets.len(),
            self.arguments.len(),
            self.vertex_data.len(),
            self.ray_tracing.groups.len(),
            self.ray_tracing.tables.len(),
            self.ray_tracing.libraries.len(),
        ];
        let lists: usize = lists.iter().sum();
        1 + strings + buffers + lists + groups.sum::<usize>() + tables.sum::<usize>()
    }
}

impl Binding {
    /// How many things are bound.
    pub(crate) fn part_count(&self) -> usize {
        1 + match &self.resource {
            Resource::Buffers { buffers, .. } => buffers.len(),
            Resource::Samplers(samplers) => samplers.len(),
            Resource::AccelerationStructure(_) => 1,
        }
    }
}
