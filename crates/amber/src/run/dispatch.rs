//! Runs of compute pipelines.

use std::collections::BTreeMap;

use spirvkit_analysis::ModuleIndex;
use spirvkit_diagnostics::{Diagnostic, Severity, Span};
use spirvkit_grammar::Decoration;
use spirvkit_interp::Run;

use super::{Runner, Stop};
use crate::pipeline::{Attachment, BoundBuffer, Pipeline, Resource, SubgroupSize};
use crate::reader::quoted;
use crate::script::{Buffer, Handle};
use crate::words::{DescriptorKind, Stage};

/// How many bytes of push constants there are at least; what the script doesn't give is zero.
const PUSH_CONSTANTS: usize = 256;

/// The smallest and the largest subgroups that there are.
const SUBGROUP_SIZES: [u32; 2] = [4, 64];

/// Set, binding and element of an array.
type Place = (u32, u32, u32);

/// A part of a buffer, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    buffer: usize,
    start: usize,
    end: usize,
}

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
        let mut run = Run::new(&module.words)
            .entry(&attachment.entry_point)
            .subgroup_size(self.subgroup_size(attachment, span)?)
            .max_steps(self.options.max_steps)
            .max_memory(self.options.max_memory);
        for (id, bits) in constants(&module.words, attachment) {
            run = run.spec(id, bits);
        }
        if let Some(buffer) = pipeline.push_constants {
            let mut bytes = self.memory.bytes(buffer)?.clone();
            bytes.resize(bytes.len().max(PUSH_CONSTANTS), 0);
            run = run.push(&bytes);
        } else {
            run = run.push(&[0u8; PUSH_CONSTANTS]);
        }
        let (run, parts) = self.bind(run, pipeline, span)?;
        let locate = |diagnostic: Diagnostic| module.locate(diagnostic, span);
        let outcome = run.dispatch(groups).map_err(|errors| {
            let errors = errors.into_vec();
            let unsupported = errors.iter().find(|it| it.rule() == "run.unsupported");
            match unsupported {
                Some(why) => Stop::skip(Some(span), why.message()),
                None => Stop::Fail(errors.into_iter().map(locate).collect()),
            }
        })?;
        for (part, (set, binding, element)) in parts {
            let Some(bytes) = outcome.element(set, binding, element) else {
                continue;
            };
            let target = self.memory.bytes(Handle::new(part.buffer))?;
            target[part.start..part.end].copy_from_slice(bytes);
        }
        let (stops, others): (Vec<Diagnostic>, Vec<Diagnostic>) = outcome
            .findings
            .iter()
            .cloned()
            .partition(|it| it.rule() == "run.steps");
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
        let [min, max] = SUBGROUP_SIZES;
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
    ) -> Result<(Run<'r>, BTreeMap<Part, Place>), Stop> {
        let mut parts: BTreeMap<Part, Place> = BTreeMap::new();
        if !pipeline.arguments.is_empty() {
            return Err(Stop::skip(Some(span), "kernels can't be run yet"));
        }
        for binding in &pipeline.bindings {
            let Resource::Buffers { kind, buffers, .. } = &binding.resource else {
                return Err(Stop::skip(Some(span), "samplers can't be run yet"));
            };
            if !is_memory(*kind) {
                return Err(Stop::skip(Some(span), "images can't be run yet"));
            }
            for (element, bound) in (0..).zip(buffers) {
                let place = (binding.set, binding.binding, element);
                let part = self.part(bound, span)?;
                if let Some(&first) = parts.get(&part) {
                    run = run.share(place, first);
                    continue;
                }
                let bytes = &self.memory.bytes(bound.buffer)?[part.start..part.end];
                run = run.element(place.0, place.1, place.2, bytes);
                parts.insert(part, place);
            }
        }
        let ends = parts.keys().zip(parts.keys().skip(1));
        let overlap = |(a, b): (&Part, &Part)| a.buffer == b.buffer && b.start < a.end;
        if ends.clone().any(overlap) {
            let message = "different parts of a buffer that overlap can't be bound yet";
            return Err(Stop::skip(Some(span), message));
        }
        Ok((run, parts))
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
            buffer: Handle::<Buffer>::index(bound.buffer),
            start: start as usize,
            end: end as usize,
        })
    }
}

/// Whether shaders see it as bytes.
fn is_memory(kind: DescriptorKind) -> bool {
    matches!(
        kind,
        DescriptorKind::Uniform
            | DescriptorKind::UniformDynamic
            | DescriptorKind::Storage
            | DescriptorKind::StorageDynamic
    )
}

/// The values of specialization constants that a module has, by their `SpecId`s. Those that
/// it doesn't have are ignored (Vulkan, `VkSpecializationMapEntry`).
fn constants(words: &[u32], attachment: &Attachment) -> Vec<(u32, u64)> {
    if attachment.specialization.is_empty() {
        return Vec::new();
    }
    let Ok(m) = ModuleIndex::new(words) else {
        return Vec::new();
    };
    let known: Vec<u32> = m
        .all_decorated_with(Decoration::SpecId)
        .map(|(_, decorated)| decorated.param(0))
        .collect();
    let given = attachment.specialization.iter();
    let given = given.filter(|it| known.contains(&it.id));
    given.map(|it| (it.id, it.value.to_bits(it.ty).0)).collect()
}
