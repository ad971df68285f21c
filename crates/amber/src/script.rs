//! What a script declares.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::Index;

use spirvkit_diagnostics::{Diagnostic, Span};

use crate::command::Command;
use crate::number::Number;
use crate::pipeline::Pipeline;
use crate::types::{DataType, Layout, Struct};
use crate::words::{
    AddressMode, BorderColor, CompareOp, Dimension, Filter, GeometryFlag, Language, Stage,
};

/// Identifies something that a script declares: `script[handle]` is the thing itself, if the
/// handle is one of that script's.
pub struct Handle<T> {
    index: u32,
    of: PhantomData<fn() -> T>,
}

impl<T> Handle<T> {
    pub(crate) fn new(index: usize) -> Self {
        Self {
            index: index as u32,
            of: PhantomData,
        }
    }

    /// The place in the script's list.
    pub fn index(self) -> usize {
        self.index as usize
    }
}

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Handle<T> {}

impl<T> PartialEq for Handle<T> {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index
    }
}

impl<T> Eq for Handle<T> {}

impl<T> Hash for Handle<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.index.hash(state);
    }
}

impl<T> fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.index)
    }
}

/// A script, whatever language it was written in. Everything it names has been declared.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Script {
    /// What the device must support.
    pub requirements: Requirements,
    /// How long to wait for the device, in milliseconds, if the script says so.
    pub fence_timeout: Option<u32>,
    /// Files that shaders may name or include.
    pub virtual_files: Vec<VirtualFile>,
    /// The shaders.
    pub shaders: Vec<Shader>,
    /// The structures, each after those that it contains.
    pub structs: Vec<Struct>,
    /// The buffers and images.
    pub buffers: Vec<Buffer>,
    /// The samplers.
    pub samplers: Vec<Sampler>,
    /// The geometries for ray tracing.
    pub bottom_levels: Vec<BottomLevel>,
    /// What ray tracing pipelines find geometries in.
    pub top_levels: Vec<TopLevel>,
    /// The pipelines.
    pub pipelines: Vec<Pipeline>,
    /// What to do, in this order.
    pub commands: Vec<Command>,
    /// Warnings about the script.
    pub warnings: Vec<Diagnostic>,
}

/// Lets a script be indexed with handles of what it has.
macro_rules! index {
    ($($list:ident: $thing:ty),*) => {$(
        impl Index<Handle<$thing>> for Script {
            type Output = $thing;

            fn index(&self, handle: Handle<$thing>) -> &$thing {
                &self.$list[handle.index()]
            }
        }
    )*};
}

index! {
    virtual_files: VirtualFile, shaders: Shader, structs: Struct, buffers: Buffer, samplers: Sampler,
    bottom_levels: BottomLevel, top_levels: TopLevel, pipelines: Pipeline
}

/// What a device must support, by Vulkan's names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Requirements {
    /// Features, such as `shaderInt64` or `SubgroupSupportedOperations.vote`.
    pub features: Vec<String>,
    /// Properties, such as `FloatControlsProperties.shaderDenormPreserveFloat16`.
    pub properties: Vec<String>,
    /// Extensions of the device.
    pub device_extensions: Vec<String>,
    /// Extensions of the instance.
    pub instance_extensions: Vec<String>,
}

/// A file within the script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VirtualFile {
    /// Its path.
    pub path: String,
    /// What is in it.
    pub text: String,
}

/// A shader.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shader {
    /// Its name.
    pub name: String,
    /// Its stage.
    pub stage: Stage,
    /// Its language. A passthrough shader has no text: it passes its input at location 0 on
    /// as the vertex's position.
    pub language: Language,
    /// The environment to compile it for, such as `spv1.3` or `vulkan1.1`.
    pub target_env: Option<String>,
    /// Where its text is.
    pub source: ShaderSource,
}

/// Where the text of a shader is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShaderSource {
    /// There is none: a passthrough shader.
    None,
    /// In the script.
    Text {
        /// The text.
        text: String,
        /// Its first byte in the script.
        start: usize,
    },
    /// In a file within the script.
    VirtualFile(Handle<VirtualFile>),
    /// In a file beside the script, with this path.
    File(String),
}

/// A buffer or image that shaders use.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Buffer {
    /// Its name.
    pub name: String,
    /// Where the script declares it.
    pub span: Span,
    /// The type of its elements.
    pub ty: DataType,
    /// How they are laid out.
    pub layout: Layout,
    /// How many there are.
    pub size: Size,
    /// How many levels of detail an image has.
    pub mip_levels: u32,
    /// How many samples a texel has.
    pub samples: u32,
    /// Its initial contents.
    pub contents: Contents,
}

impl Buffer {
    /// A buffer without contents, whose size is still to be set.
    pub(crate) fn new(name: String, span: Span, ty: DataType) -> Self {
        Self {
            name,
            span,
            ty,
            layout: Layout::default(),
            size: Size::Elements(0),
            mip_levels: 1,
            samples: 1,
            contents: Contents::None,
        }
    }

    /// How many elements it has; those of an image are the texels of its first level of
    /// detail. `framebuffer` is the [size](Pipeline::framebuffer_size) that a pipeline gives
    /// its images.
    pub fn element_count(&self, framebuffer: [u32; 2]) -> u64 {
        let product = |sides: &[u32]| {
            let sides = sides.iter().map(|side| u64::from(*side));
            sides.fold(1, u64::saturating_mul)
        };
        match self.size {
            Size::Elements(count) => count,
            Size::Framebuffer => product(&framebuffer),
            Size::Image {
                width,
                height,
                depth,
                ..
            } => product(&[width, height, depth]),
        }
    }
}

/// How many elements a buffer has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// This number.
    Elements(u64),
    /// As many as the framebuffer of the pipeline that uses it.
    Framebuffer,
    /// The size of an image. Dimensions that it doesn't have are 1.
    Image {
        /// How many dimensions it has.
        dimension: Dimension,
        /// Its width.
        width: u32,
        /// Its height.
        height: u32,
        /// Its depth.
        depth: u32,
    },
}

/// The initial contents of a buffer.
#[derive(Clone, Debug, PartialEq)]
pub enum Contents {
    /// Unspecified; here, zeros.
    None,
    /// These, in the order of elements.
    Values(Vec<Number>),
    /// The same number everywhere.
    Fill(Number),
    /// Numbers at equal distances.
    Series {
        /// The first.
        from: Number,
        /// The difference from each to the next.
        step: Number,
    },
    /// What is in a file.
    File {
        /// What is in the file.
        format: FileFormat,
        /// Its path, from the script's folder.
        path: String,
    },
}

/// What is in a file that fills a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// The bytes of the buffer.
    Binary,
    /// Numbers, as in a script.
    Text,
    /// A picture.
    Png,
}

/// A sampler.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Sampler {
    /// Its name.
    pub name: String,
    /// The filter for images that are enlarged.
    pub mag_filter: Filter,
    /// The filter for images that are reduced.
    pub min_filter: Filter,
    /// How coordinates outside of the image are treated, for each of the three.
    pub address_modes: [AddressMode; 3],
    /// The colour of the border.
    pub border_color: BorderColor,
    /// The least level of detail.
    pub min_lod: f32,
    /// The greatest level of detail.
    pub max_lod: f32,
    /// Whether coordinates go from 0 to 1; if not, levels of detail are all 0.
    pub is_normalized: bool,
    /// Its comparison, if it makes one.
    pub compare: Option<CompareOp>,
}

/// Geometries for ray tracing.
#[derive(Clone, Debug, PartialEq)]
pub struct BottomLevel {
    /// The name.
    pub name: String,
    /// The geometries, all of one kind.
    pub geometries: Vec<Geometry>,
}

/// A geometry.
#[derive(Clone, Debug, PartialEq)]
pub struct Geometry {
    /// What it is made of.
    pub kind: GeometryKind,
    /// What else is known of it.
    pub flags: Vec<GeometryFlag>,
    /// Points: three for each triangle, two for each box.
    pub points: Vec<[f32; 3]>,
}

/// What a geometry is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeometryKind {
    /// Triangles, each of three corners.
    Triangles,
    /// Boxes along the axes, each of its least and its greatest corner.
    Aabbs,
}

/// What ray tracing pipelines find geometries in.
#[derive(Clone, Debug, PartialEq)]
pub struct TopLevel {
    /// The name.
    pub name: String,
    /// The instances of geometries.
    pub instances: Vec<Instance>,
}

/// Geometries in their place.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Instance {
    /// The geometries.
    pub geometries: Handle<BottomLevel>,
    /// What shaders see as `InstanceCustomIndexKHR`, 24 bits.
    pub custom_index: u32,
    /// What is added to the index of the hit group, 24 bits.
    pub offset: u32,
    /// Which rays see it, 8 bits.
    pub mask: u32,
    /// The bits of Vulkan's `VkGeometryInstanceFlagBitsKHR`.
    pub flags: u32,
    /// Three rows of four numbers, by which points are transformed.
    pub transform: [f32; 12],
}
