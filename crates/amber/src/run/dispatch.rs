//! Runs of compute pipelines.

use std::collections::BTreeMap;

use spirvkit_diagnostics::{Diagnostic, Severity, Span};
use spirvkit_interp::{self as interp, Run};

use super::memory::Part;
use super::shaders::Facts;
use super::{Dispatched, Runner, Stop, arguments, images};
use crate::pipeline::{Attachment, Binding, BoundBuffer, Pipeline, Resource, SubgroupSize};
use crate::reader::quoted;
use crate::script::Handle;
use crate::words::{DescriptorKind, Stage};

/// How many bytes of push constants there are at least; what the script doesn't give is zero.
const PUSH_CONSTANTS: usize = 256;

/// What making a module ready to run costs for each word, as if so many bytes were looked at.
const LOWERING: usize = 1024;

/// Set, binding and element of an array.
pub(super) type Place = (u32, u32, u32);

/// Which parts of buffers are bound, and where.
pub(super) type Parts = BTreeMap<Part, Vec<Place>>;

impl<'s> Runner<'s> {
    /// Runs a compute pipeline.
    pub(super) fn dispatch(
        &mut self,
        pipeline: Handle<Pipeline>,
        groups: [u32; 3],
        span: Span,
    ) -> Result<(), Stop> {
        let script = self.script;
        let pipeline = &script[pipeline];
        let is_compute = |it: &&Attachment| it.stage == Stage::Compute;
        let Some(attachment) = pipeline.shaders.iter().find(is_compute) else {
            return Ok(());
        };
        let module = self.shaders.module(script, self.host, attachment, span)?;
        self.take_steps(module.words.len() * LOWERING, span)?;
        let subgroup_size = self.subgroup_size(attachment, span)?;
        let mut run = Run::new(&module.words)
            .threads(1)
            .entry(&attachment.entry_point)
            .subgroup_size(subgroup_size)
            .race(self.options.race)
            .undefined_results(self.options.undefined_results)
            .max_steps(self.steps)
            .max_memory(self.options.max_memory);
        for (id, bits) in constants(&module.facts, attachment) {
            run = run.spec(id, bits);
        }
        let mut push = match pipeline.push_constants {
            Some(buffer) => self.memory.bytes(buffer)?.clone(),
            None => Vec::new(),
        };
        push.resize(push.len().max(PUSH_CONSTANTS), 0);
        run = run.push(&push);
        let described = module.facts.described.as_ref();
        let kernel = described.map(|it| arguments::of_kernel(it, pipeline));
        let kernel = kernel.transpose();
        let kernel = kernel.map_err(|why| Stop::skip(Some(span), why))?;
        if kernel.is_some() {
            run = run.work_dim(3).local_size(local_size(attachment));
        }
        let (run, arguments) =
            self.give(run, kernel.as_deref().unwrap_or(&pipeline.arguments), span)?;
        let (run, parts) = match &kernel {
            Some(_) => (run, Parts::new()),
            None => self.bind(run, pipeline, span)?,
        };
        if is_overlapping(&parts) && module.facts.is_aliased {
            let message = "different parts of a buffer that overlap can't be `Aliased` yet";
            return Err(Stop::skip(Some(span), message));
        }
        let mut given = None;
        if self.host.compares() {
            given = Some(self.given(pipeline, &parts, span)?);
        }
        let locate = |diagnostic: Diagnostic| module.locate(diagnostic, span);
        let outcome = run.dispatch(groups).map_err(|errors| {
            let errors = errors.into_vec();
            let unsupported = errors.iter().find(|it| it.rule() == "run.unsupported");
            match unsupported {
                Some(why) => Stop::skip(Some(span), why.message()),
                None => Stop::Fail(errors.into_iter().map(locate).collect()),
            }
        })?;
        self.steps = self.steps.saturating_sub(outcome.steps);
        let results = parts.iter().filter_map(|(part, places)| {
            // A shader may leave alone what is bound.
            let bytes = places.iter().find_map(|&(set, binding, element)| {
                let image = || outcome.image_element(set, binding, element);
                let bytes = outcome.element(set, binding, element);
                bytes.or_else(|| image().map(interp::Image::contents))
            });
            Some((*part, bytes?))
        });
        let results: Vec<_> = results.collect();
        if let Some(given) = given {
            let dispatched = given.map(|given| Dispatched {
                words: &module.words,
                entry_point: &attachment.entry_point,
                constants: constants(&module.facts, attachment),
                push,
                memories: given.memories(&results),
                descriptors: given.descriptors,
                groups,
                subgroup: attachment.subgroup,
                subgroup_size,
            });
            self.host
                .dispatched(dispatched.as_ref().map_err(|why| *why));
        }
        self.memory.update(&results);
        self.take_back(&arguments, &outcome);
        let (stops, others): (Vec<Diagnostic>, Vec<Diagnostic>) = outcome
            .findings
            .iter()
            .cloned()
            .partition(|it| ["run.steps", "run.livelock"].contains(&it.rule()));
        self.find(
            others
                .into_iter()
                .map(|it| locate(it).with_severity(Severity::Warning)),
        );
        match stops.is_empty() {
            true => Ok(()),
            false => Err(Stop::Fail(stops.into_iter().map(locate).collect())),
        }
    }

    fn subgroup_size(&self, attachment: &Attachment, span: Span) -> Result<u32, Stop> {
        let [min, max] = self.options.subgroup_sizes;
        match attachment.subgroup.size {
            None => Ok(self.options.subgroup_size),
            Some(SubgroupSize::Min) => Ok(min),
            Some(SubgroupSize::Max) => Ok(max),
            Some(SubgroupSize::Exact(size)) if (min..=max).contains(&size) => Ok(size),
            Some(SubgroupSize::Exact(size)) => {
                let message = format!("there are no subgroups of {size} invocations");
                Err(Stop::skip(Some(span), message))
            }
        }
    }

    /// Binds all that the pipeline does, each part of a buffer once.
    fn bind<'r>(
        &mut self,
        mut run: Run<'r>,
        pipeline: &Pipeline,
        span: Span,
    ) -> Result<(Run<'r>, Parts), Stop> {
        let script = self.script;
        let mut parts = Parts::new();
        // What is a buffer as well as an image is bound as a buffer first.
        let is_buffer = |it: &&Binding| matches!(it.resource, Resource::Buffers { kind, .. } if is_memory(kind));
        let bindings = pipeline.bindings.iter();
        let buffers = bindings.clone().filter(is_buffer);
        for binding in buffers.chain(bindings.filter(|it| !is_buffer(it))) {
            let (set, number) = (binding.set, binding.binding);
            let (kind, buffers, sampler, level) = match &binding.resource {
                Resource::Buffers {
                    kind,
                    buffers,
                    sampler,
                    base_mip_level,
                } => (*kind, buffers, *sampler, *base_mip_level),
                Resource::Samplers(samplers) => {
                    for (element, sampler) in (0..).zip(samplers) {
                        let sampler = images::sampler(&script[*sampler]);
                        run = run.sampler_element(set, number, element, sampler);
                    }
                    continue;
                }
                Resource::AccelerationStructure(_) => {
                    return Err(Stop::skip(Some(span), "ray queries can't be run yet"));
                }
            };
            for (element, bound) in (0..).zip(buffers) {
                let place = (set, number, element);
                let image = match is_memory(kind) {
                    true => None,
                    false => Some(self.image(bound, kind, level, span)?),
                };
                let part = match &image {
                    Some((_, part)) => *part,
                    None => self.part(bound, span)?,
                };
                if let Some(sampler) = sampler {
                    let sampler = images::sampler(&script[sampler]);
                    run = run.sampler_element(set, number, element, sampler);
                }
                self.take_steps(part.end - part.start, span)?;
                let places = parts.entry(part).or_default();
                let bytes = &self.memory.filled(bound.buffer)[part.start..part.end];
                run = match (image, places.first()) {
                    (None, None) => run.element(set, number, element, bytes),
                    (None, Some(&first)) => run.share(place, first),
                    (Some((image, _)), None) => {
                        run.image_element(set, number, element, image.bytes(bytes.to_vec()))
                    }
                    (Some((image, _)), Some(&first)) => run
                        .image_element(set, number, element, image)
                        .share(place, first),
                };
                places.push(place);
            }
        }
        Ok((run, parts))
    }

    /// A buffer as an image, still without its bytes, and which these are.
    pub(super) fn image(
        &mut self,
        bound: &BoundBuffer,
        kind: DescriptorKind,
        level: u32,
        span: Span,
    ) -> Result<(interp::Image, Part), Stop> {
        let script = self.script;
        let buffer = &script[bound.buffer];
        let framebuffer = self.memory.framebuffer(bound.buffer);
        if bound.offset.saturating_add(bound.dynamic_offset) > 0 || bound.range.is_some() {
            let message = "a part of a buffer can't be bound as an image yet";
            return Err(Stop::skip(Some(span), message));
        }
        let image = images::image(script, buffer, framebuffer, kind);
        let image = image.map_err(|why| Stop::skip(Some(span), why))?;
        self.memory.extend(bound.buffer, image.byte_size())?;
        let size = image.byte_size() as usize;
        let Some((image, start)) = images::from_level(image, level) else {
            let message = format!("`{}` has no such level of detail", quoted(&buffer.name));
            return Err(Stop::fail(crate::kinds::WRITE.error(message).at_span(span)));
        };
        let part = Part {
            buffer: bound.buffer.index(),
            start: start as usize,
            end: size,
        };
        Ok((image, part))
    }

    /// The part of a buffer that is bound.
    fn part(&mut self, bound: &BoundBuffer, span: Span) -> Result<Part, Stop> {
        let size = self.memory.bytes(bound.buffer)?.len();
        let start = bound.offset.saturating_add(bound.dynamic_offset);
        let end = match bound.range {
            Some(range) => start.saturating_add(range),
            None => size as u64,
        };
        if start > end || end > size as u64 {
            let message = format!(
                "bytes {start} to {end} of `{}` are bound, which has only {size}",
                quoted(&self.script[bound.buffer].name)
            );
            return Err(Stop::fail(crate::kinds::WRITE.error(message).at_span(span)));
        }
        Ok(Part {
            buffer: bound.buffer.index(),
            start: start as usize,
            end: end as usize,
        })
    }
}

/// Whether parts of a buffer that are bound overlap.
pub(super) fn is_overlapping(parts: &Parts) -> bool {
    let mut pairs = parts.keys().zip(parts.keys().skip(1));
    pairs.any(|(a, b)| a.buffer == b.buffer && b.start < a.end)
}

/// Whether shaders see it as bytes.
pub(super) fn is_memory(kind: DescriptorKind) -> bool {
    matches!(
        kind,
        DescriptorKind::Uniform
            | DescriptorKind::UniformDynamic
            | DescriptorKind::Storage
            | DescriptorKind::StorageDynamic
    )
}

/// The size of a kernel's workgroups, if it doesn't say so itself: what a script gives the
/// specialization constants 0 to 2, which are `clspv`'s for that.
fn local_size(attachment: &Attachment) -> [u32; 3] {
    [0, 1, 2].map(|axis| {
        let mut given = attachment.specialization.iter();
        let given = given.find(|it| it.id == axis);
        given.map_or(1, |it| it.value.to_bits(it.ty).0 as u32)
    })
}

/// The values of specialization constants that a module has, by their `SpecId`s. Those that
/// it doesn't have are ignored (Vulkan, `VkSpecializationMapEntry`).
fn constants(facts: &Facts, attachment: &Attachment) -> Vec<(u32, u64)> {
    let given = attachment.specialization.iter();
    let given = given.filter(|it| facts.constants.contains(&it.id));
    given.map(|it| (it.id, it.value.to_bits(it.ty).0)).collect()
}
