//! Compute shaders on a Vulkan driver: a second opinion on what the interpreter gives, and
//! something to compare its speed with. Mesa's lavapipe (`mesa-vulkan-drivers` on Debian) needs
//! no GPU; with `LP_NUM_THREADS=0` it runs in one thread.
#![deny(missing_docs)]

mod driver;
mod made;
mod pipeline;
mod resources;
mod run;

use std::error::Error;
use std::time::Duration;

pub use ash::vk;
pub use driver::{Driver, Offers};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// What is run.
#[derive(Clone, Debug, Default)]
pub struct Job<'a> {
    /// The module.
    pub words: &'a [u32],
    /// The name of the entry point.
    pub entry: &'a str,
    /// Values of specialization constants by `SpecId`.
    pub constants: Vec<(u32, u32)>,
    /// The bytes of the push constants.
    pub push: Vec<u8>,
    /// Memory of buffers and images.
    pub memories: Vec<Memory>,
    /// What the shader sees of it, and samplers.
    pub descriptors: Vec<Descriptor>,
    /// How many workgroups run in each dimension.
    pub groups: [u32; 3],
    /// How often it is run, at least once. Memory keeps what it has from one time to the next.
    pub rounds: u32,
}

impl Job<'_> {
    /// Adds a storage buffer with its contents.
    #[must_use]
    pub fn storage(mut self, set: u32, binding: u32, bytes: Vec<u8>) -> Self {
        self.descriptors.push(Descriptor {
            set,
            binding,
            element: 0,
            kind: vk::DescriptorType::STORAGE_BUFFER,
            memory: Some(self.memories.len()),
            format: vk::Format::UNDEFINED,
            sampler: None,
        });
        self.memories.push(Memory::Buffer(bytes));
        self
    }
}

/// Memory that shaders see.
#[derive(Clone, Debug)]
pub enum Memory {
    /// A buffer, by its contents.
    Buffer(Vec<u8>),
    /// An image.
    Image(Image),
}

impl Memory {
    /// Its contents.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Buffer(bytes) => bytes,
            Self::Image(image) => &image.bytes,
        }
    }
}

/// An image with one sample for each texel.
#[derive(Clone, Debug)]
pub struct Image {
    /// How it is seen.
    pub view: vk::ImageViewType,
    /// The format of its texels, which has a single aspect.
    pub format: vk::Format,
    /// The bytes of a texel.
    pub texel_size: u64,
    /// The size of its first level.
    pub size: [u32; 3],
    /// The number of layers.
    pub layers: u32,
    /// The number of levels of detail.
    pub levels: u32,
    /// All texels without gaps: one level after the other, in each its layers, in these slices,
    /// rows and texels.
    pub bytes: Vec<u8>,
}

/// A descriptor.
#[derive(Clone, Copy, Debug)]
pub struct Descriptor {
    /// Its descriptor set.
    pub set: u32,
    /// Its binding.
    pub binding: u32,
    /// Which element of an array it is.
    pub element: u32,
    /// What kind it is.
    pub kind: vk::DescriptorType,
    /// Which memory it is, unless it is a sampler alone.
    pub memory: Option<usize>,
    /// The format of the texels of a texel buffer.
    pub format: vk::Format,
    /// The sampler, if it has one.
    pub sampler: Option<vk::SamplerCreateInfo<'static>>,
}

/// What comes of a [`Job`].
#[derive(Clone, Debug)]
pub struct Results {
    /// The contents of the memories after the first round, in their order.
    pub memories: Vec<Vec<u8>>,
    /// How long it took to make the pipeline.
    pub compiling: Duration,
    /// The shortest time from submitting to the end.
    pub running: Duration,
}
