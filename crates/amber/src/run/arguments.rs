//! The arguments of kernels.

use std::collections::BTreeMap;

use spirvkit_analysis::{Lookup, ModuleIndex, Type};
use spirvkit_diagnostics::Span;
use spirvkit_grammar::{ExecutionModel, StorageClass};
use spirvkit_interp::{self as interp, Name, Outcome, Run};

use super::memory::Part;
use super::{Runner, Stop, images};
use crate::pipeline::{Argument, ArgumentKey, ArgumentValue, Binding, Pipeline, Resource};
use crate::script::{Buffer, Handle, Size};
use crate::words::DescriptorKind;

/// Where the buffers that a kernel gets have gone.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    /// The addresses of buffers, by their indexes.
    addresses: BTreeMap<usize, u64>,
    images: BTreeMap<usize, Name>,
}

/// Which parameters of a kernel take a descriptor: pointers to memory that all workgroups share,
/// images and samplers. `None` if the entry point is no kernel.
pub(super) fn described(m: &ModuleIndex<'_>, entry_point: &str) -> Option<Vec<u32>> {
    let is_meant = |model, name: String| model == ExecutionModel::Kernel && name == entry_point;
    let mut entries = m.entry_points.iter();
    let entry = entries.find(|it| is_meant(it.model, it.name()))?;
    let parameters = m
        .def(entry.function)
        .and_then(|function| m.def(function.id(1)))
        .map_or(&[][..], |ty| ty.args().get(1..).unwrap_or_default());
    let has_descriptor = |ty: &u32| match m.ty(spirvkit_binary::Id(*ty)) {
        Type::Pointer { class, .. } | Type::UntypedPointer { class } => {
            !matches!(class, StorageClass::Function | StorageClass::Workgroup)
        }
        Type::Image(_) | Type::Sampler | Type::SampledImage { .. } => true,
        _ => false,
    };
    let positions = (0..).zip(parameters);
    let positions = positions.filter(|(_, ty)| has_descriptor(ty));
    Some(positions.map(|(position, _)| position).collect())
}

/// The arguments of a kernel, those among them that a script binds as descriptors: bindings of
/// set 0 are its buffers, images and samplers in their order, as `clspv` compiles kernels.
pub(super) fn of_kernel(
    described: &[u32],
    pipeline: &Pipeline,
) -> Result<Vec<Argument>, &'static str> {
    let bound = pipeline.bindings.iter().map(|it| argument(it, described));
    let given = pipeline.arguments.iter().cloned().map(Ok);
    given.chain(bound).collect()
}

/// The argument that a binding stands for.
fn argument(binding: &Binding, described: &[u32]) -> Result<Argument, &'static str> {
    let position = match binding.set {
        0 => described.get(binding.binding as usize),
        _ => None,
    };
    let position = *position.ok_or("a kernel has no such descriptor")?;
    let value = match &binding.resource {
        Resource::Buffers { kind, buffers, .. } => match &buffers[..] {
            [bound] if bound.offset == 0 && bound.dynamic_offset == 0 && bound.range.is_none() => {
                ArgumentValue::Buffer {
                    buffer: bound.buffer,
                    kind: Some(*kind),
                }
            }
            _ => return Err("an argument can't be a part of a buffer, or several, yet"),
        },
        Resource::Samplers(samplers) => match samplers[..] {
            [sampler] => ArgumentValue::Sampler(sampler),
            _ => return Err("an argument can't be several samplers"),
        },
        Resource::AccelerationStructure(_) => return Err("ray queries can't be run yet"),
    };
    Ok(Argument {
        key: ArgumentKey::Number(position),
        value,
    })
}

impl Runner<'_> {
    /// Gives a kernel its arguments. A buffer has one address, for all that get it.
    pub(super) fn give<'r>(
        &mut self,
        mut run: Run<'r>,
        arguments: &[Argument],
        span: Span,
    ) -> Result<(Run<'r>, Arguments), Stop> {
        let script = self.script;
        let mut given = Arguments::default();
        for argument in arguments {
            let name = match &argument.key {
                ArgumentKey::Name(name) => Name::from(name.as_str()),
                ArgumentKey::Number(number) => Name::from(*number),
            };
            run = match argument.value {
                ArgumentValue::Buffer { buffer, kind } => {
                    let size = self.memory.bytes(buffer)?.len();
                    self.take_steps(size, span)?;
                    match self.image_kind(buffer, kind) {
                        None => {
                            let bytes = self.memory.filled(buffer);
                            let address = given.addresses.entry(buffer.index());
                            let address = *address.or_insert_with(|| run.memory(bytes));
                            run.address_argument(name, address)
                        }
                        Some(kind) => {
                            let image = self.image_argument(buffer, kind, span)?;
                            if given.images.insert(buffer.index(), name.clone()).is_some() {
                                let message = "an image can't be two arguments yet";
                                return Err(Stop::skip(Some(span), message));
                            }
                            run.image_argument(name, image)
                        }
                    }
                }
                ArgumentValue::Sampler(sampler) => {
                    run.sampler_argument(name, images::sampler(&script[sampler]))
                }
                ArgumentValue::Number { ty, value } => {
                    let (bits, _) = value.to_bits(ty);
                    let bytes = bits.to_le_bytes();
                    run.argument(name, &bytes[..ty.size() as usize])
                }
            };
        }
        Ok((run, given))
    }

    /// What an argument is seen as if it is an image.
    fn image_kind(
        &self,
        buffer: Handle<Buffer>,
        kind: Option<DescriptorKind>,
    ) -> Option<DescriptorKind> {
        match (kind, self.script[buffer].size) {
            (Some(kind), _) => Some(kind).filter(|kind| !super::dispatch::is_memory(*kind)),
            (None, Size::Image { .. }) => Some(DescriptorKind::StorageImage),
            (None, _) => None,
        }
    }

    fn image_argument(
        &mut self,
        buffer: Handle<Buffer>,
        kind: DescriptorKind,
        span: Span,
    ) -> Result<interp::Image, Stop> {
        let framebuffer = self.memory.framebuffer(buffer);
        let image = images::image(self.script, &self.script[buffer], framebuffer, kind);
        let image = image.map_err(|why| Stop::skip(Some(span), why))?;
        self.memory.extend(buffer, image.byte_size())?;
        Ok(image.bytes(self.memory.filled(buffer).to_vec()))
    }

    /// Writes back what a kernel has made of its arguments.
    pub(super) fn take_back(&mut self, given: &Arguments, outcome: &Outcome) {
        let buffers = given.addresses.iter();
        let buffers = buffers.map(|(&buffer, &address)| (buffer, outcome.memory_bytes(address)));
        let images = given.images.iter().filter_map(|(&buffer, name)| {
            let image = outcome.image_argument(name.clone())?;
            Some((buffer, image.contents()))
        });
        let results = buffers.chain(images).map(|(buffer, bytes)| {
            let part = Part {
                buffer,
                start: 0,
                end: bytes.len(),
            };
            (part, bytes)
        });
        self.memory.update(&results.collect::<Vec<_>>());
    }
}
