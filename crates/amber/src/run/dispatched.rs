//! What a run was given and left, for others to do the same.

use spirvkit_diagnostics::Span;
use spirvkit_interp as interp;

use super::dispatch::{Parts, Place, is_memory, is_overlapping};
use super::memory::Part;
use super::{Runner, Stop, images};
use crate::pipeline::{Pipeline, Resource, Subgroup};
use crate::script::Handle;
use crate::words::DescriptorKind;

/// A run of a compute shader.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Dispatched<'d> {
    /// The module.
    pub words: &'d [u32],
    /// The entry point.
    pub entry_point: &'d str,
    /// The bits of specialization constants by `SpecId`.
    pub constants: Vec<(u32, u64)>,
    /// The bytes of the push constants.
    pub push: Vec<u8>,
    /// The memory of buffers and images.
    pub memories: Vec<DispatchedMemory>,
    /// What the shader sees of it, and samplers.
    pub descriptors: Vec<DispatchedDescriptor>,
    /// The number of workgroups in each dimension.
    pub groups: [u32; 3],
    /// What the script asks of subgroups.
    pub subgroup: Subgroup,
    /// The number of invocations in a subgroup.
    pub subgroup_size: u32,
}

/// A part of a buffer, or an image, that nothing else overlaps.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DispatchedMemory {
    /// Its contents before the run.
    pub before: Vec<u8>,
    /// Its contents after it.
    pub after: Vec<u8>,
}

/// A descriptor of a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DispatchedDescriptor {
    /// The descriptor set.
    pub set: u32,
    /// The binding.
    pub binding: u32,
    /// The element of an array of descriptors.
    pub element: u32,
    /// What kind it is; `None` for a sampler alone.
    pub kind: Option<DescriptorKind>,
    /// Which of the memories it is, all of it, unless it is a sampler alone.
    pub memory: Option<usize>,
    /// The image that the memory is, without its bytes, if it is one.
    pub image: Option<interp::Image>,
    /// The sampler.
    pub sampler: Option<interp::Sampler>,
}

/// What a run is given.
pub(super) struct Given {
    parts: Vec<(Part, Vec<u8>)>,
    pub(super) descriptors: Vec<DispatchedDescriptor>,
}

impl Given {
    /// All memories, with what became of parts.
    pub(super) fn memories(&self, results: &[(Part, &[u8])]) -> Vec<DispatchedMemory> {
        let memory = |(part, before): &(Part, Vec<u8>)| {
            let after = results.iter().find(|(it, _)| it == part);
            DispatchedMemory {
                before: before.clone(),
                after: after.map_or_else(|| before.clone(), |it| it.1.to_vec()),
            }
        };
        self.parts.iter().map(memory).collect()
    }
}

impl Runner<'_> {
    /// What a pipeline is given; why there is no telling, if there isn't.
    pub(super) fn given(
        &mut self,
        pipeline: &Pipeline,
        parts: &Parts,
        span: Span,
    ) -> Result<Result<Given, &'static str>, Stop> {
        if !pipeline.arguments.is_empty() {
            return Ok(Err("a kernel with arguments"));
        }
        if is_overlapping(parts) {
            return Ok(Err("parts of a buffer that overlap"));
        }
        let script = self.script;
        let mut given = Given {
            parts: Vec::with_capacity(parts.len()),
            descriptors: Vec::new(),
        };
        for part in parts.keys() {
            let bytes = self.memory.bytes(Handle::new(part.buffer))?;
            let bytes = bytes.get(part.start..part.end).unwrap_or_default();
            given.parts.push((*part, bytes.to_vec()));
        }
        let memory_at = |place: Place| parts.values().position(|places| places.contains(&place));
        for binding in &pipeline.bindings {
            let mut add = |element, kind, memory, image, sampler| {
                given.descriptors.push(DispatchedDescriptor {
                    set: binding.set,
                    binding: binding.binding,
                    element,
                    kind,
                    memory,
                    image,
                    sampler,
                });
            };
            match &binding.resource {
                Resource::Samplers(samplers) => {
                    for (element, sampler) in (0..).zip(samplers) {
                        let sampler = images::sampler(&script[*sampler]);
                        add(element, None, None, None, Some(sampler));
                    }
                }
                Resource::Buffers {
                    kind,
                    buffers,
                    sampler,
                    base_mip_level,
                } => {
                    for (element, bound) in (0..).zip(buffers) {
                        let memory = memory_at((binding.set, binding.binding, element));
                        let image = match is_memory(*kind) {
                            true => None,
                            false => Some(self.image(bound, *kind, *base_mip_level, span)?.0),
                        };
                        let sampler = sampler.map(|it| images::sampler(&script[it]));
                        add(element, Some(*kind), memory, image, sampler);
                    }
                }
                Resource::AccelerationStructure(_) => return Ok(Err("a ray query")),
            }
        }
        Ok(Ok(given))
    }
}
