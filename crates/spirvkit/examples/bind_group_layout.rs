//! Reflection for an API: the layouts of a shader's bind groups, in WebGPU's terms.
//!
//! ```text
//! cargo run -p spirvkit --example bind_group_layout -- MODULE.spv
//! ```

use std::collections::BTreeMap;
use std::error::Error;

use spirvkit::grammar::{Dim, ExecutionModel, ImageFormat};
use spirvkit::reflect::{Descriptor, DescriptorKind, Image};
use spirvkit::{Reflection, reflect};

/// One entry of a layout, as WebGPU describes it (`GPUBindGroupLayoutEntry`).
#[derive(Debug, PartialEq, Eq)]
pub struct BindGroupLayoutEntry {
    pub binding: u32,
    /// The stages that use it.
    pub visibility: Vec<ShaderStage>,
    pub ty: BindingType,
    /// The length of an array of bindings.
    pub count: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ShaderStage {
    Vertex,
    Fragment,
    Compute,
}

#[derive(Debug, PartialEq, Eq)]
pub enum BindingType {
    UniformBuffer {
        min_size: Option<u64>,
    },
    StorageBuffer {
        read_only: bool,
        min_size: Option<u64>,
    },
    Sampler,
    Texture {
        dimension: Dim,
        multisampled: bool,
    },
    StorageTexture {
        dimension: Dim,
        format: ImageFormat,
    },
}

/// The entries of each bind group, by the group's number and the binding.
pub fn layouts(
    reflection: &Reflection,
) -> Result<BTreeMap<u32, Vec<BindGroupLayoutEntry>>, String> {
    let mut groups: BTreeMap<u32, Vec<_>> = BTreeMap::new();
    for descriptor in &reflection.descriptors {
        let name = descriptor.name.as_deref().unwrap_or("a descriptor");
        let (Some(group), Some(binding)) = (descriptor.set, descriptor.binding) else {
            return Err(format!("{name} has no group or no binding"));
        };
        let entry = BindGroupLayoutEntry {
            binding,
            visibility: visibility(reflection, descriptor),
            ty: binding_type(descriptor).ok_or(format!("WebGPU has nothing like {name}"))?,
            count: match descriptor.array.is_empty() {
                true => None,
                // A run-time array has no length before the pipeline is made.
                false => descriptor.count.known(),
            },
        };
        groups.entry(group).or_default().push(entry);
    }
    for entries in groups.values_mut() {
        entries.sort_by_key(|entry| entry.binding);
    }
    Ok(groups)
}

/// The stages whose entry points use a descriptor.
fn visibility(reflection: &Reflection, descriptor: &Descriptor) -> Vec<ShaderStage> {
    let users = reflection.entry_points.iter().filter(|entry| {
        let uses = entry.uses.as_ref();
        uses.is_some_and(|uses| uses.descriptors.contains(&descriptor.id))
    });
    let mut stages: Vec<_> = users.filter_map(|entry| stage(entry.model)).collect();
    stages.sort_unstable();
    stages.dedup();
    stages
}

fn stage(model: ExecutionModel) -> Option<ShaderStage> {
    match model {
        ExecutionModel::Vertex => Some(ShaderStage::Vertex),
        ExecutionModel::Fragment => Some(ShaderStage::Fragment),
        ExecutionModel::GLCompute => Some(ShaderStage::Compute),
        _ => None,
    }
}

fn binding_type(descriptor: &Descriptor) -> Option<BindingType> {
    let min_size = descriptor.size.and_then(|size| size.known());
    let image = descriptor.image.as_ref();
    let texture = |image: &Image| BindingType::Texture {
        dimension: image.dim,
        multisampled: image.multisampled,
    };
    let storage_texture = |image: &Image| BindingType::StorageTexture {
        dimension: image.dim,
        format: image.format,
    };
    match descriptor.kind {
        DescriptorKind::UniformBuffer => Some(BindingType::UniformBuffer { min_size }),
        DescriptorKind::StorageBuffer => Some(BindingType::StorageBuffer {
            read_only: !descriptor.access.writable,
            min_size,
        }),
        DescriptorKind::Sampler => Some(BindingType::Sampler),
        DescriptorKind::SampledImage => image.map(texture),
        DescriptorKind::StorageImage => image.map(storage_texture),
        // WebGPU binds images and samplers apart, and has none of the others.
        _ => None,
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1);
    let path = path.ok_or("usage: bind_group_layout MODULE.spv")?;
    let words = spirvkit::words(&std::fs::read(path)?)?;
    for (group, entries) in layouts(&reflect(&words)?)? {
        println!("group {group}: {entries:#?}");
    }
    Ok(())
}
