//! Modules: each compute shader runs on both with contents made for it.

use std::fs;
use std::path::Path;

use spirvkit::analysis::ModuleIndex;
use spirvkit::eval::Format;
use spirvkit::grammar::{Dim, ExecutionModel, ImageFormat};
use spirvkit::interp::{AddressMode, CompareOp, Dimension, Filter, Image, Run, Sampler};
use spirvkit::reflect::{Descriptor as Reflected, DescriptorKind, EntryPoint, Reflection};
use spirvkit_lavapipe::{Descriptor, Driver, Job, Memory, vk};

use crate::compare::Compared;
use crate::{needs, translate};

/// How many bytes a buffer has that ends in a run-time array.
const BYTES: u64 = 4096;

/// How many workgroups run.
const GROUPS: [u32; 3] = [2, 1, 1];

/// Instructions that a shader may take here.
const STEPS: u64 = 1 << 24;

/// What buffers and images are filled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Filling {
    Integers,
    Floats,
}

/// Compares what the compute shaders of a module leave.
pub(crate) fn compare(driver: &Driver, file: &Path, anyway: bool) -> Compared {
    let mut compared = Compared::default();
    let done = words(file).and_then(|words| {
        if !anyway && let Some(lacking) = needs::lacking(&driver.offers, &words) {
            return Err(format!("the driver lacks {lacking}"));
        }
        let reflection = spirvkit::reflect(&words).map_err(|errors| errors.to_string())?;
        let entries = reflection.entry_points.iter();
        for entry in entries.filter(|it| it.model == ExecutionModel::GLCompute) {
            for filling in [Filling::Integers, Filling::Floats] {
                let shader = Shader {
                    words: &words,
                    reflection: &reflection,
                    entry,
                    filling,
                };
                if let Err(why) = shader.compare(driver, &mut compared) {
                    compared.skip(why);
                }
            }
        }
        if compared.runs == 0 && compared.skipped.is_empty() {
            compared.skip("it has no compute shader");
        }
        Ok(())
    });
    if let Err(why) = done {
        compared.skip(why);
    }
    compared
}

/// A module from a binary or from text.
fn words(file: &Path) -> Result<Vec<u32>, String> {
    let bytes = fs::read(file).map_err(|error| error.to_string())?;
    if file.extension().is_some_and(|it| it == "spvasm") {
        let text = String::from_utf8_lossy(&bytes);
        let module = spirvkit::assemble(&text, &Default::default());
        return module
            .map(|it| it.words)
            .map_err(|_| "the text is wrong".to_owned());
    }
    spirvkit::words(&bytes).map_err(|_| "it is no module".to_owned())
}

struct Shader<'s> {
    words: &'s [u32],
    reflection: &'s Reflection,
    entry: &'s EntryPoint,
    filling: Filling,
}

impl Shader<'_> {
    fn compare(&self, driver: &Driver, compared: &mut Compared) -> Result<(), String> {
        let mut run = Run::new(self.words)
            .entry(&self.entry.name)
            .subgroup_size(driver.subgroup_size())
            .max_steps(STEPS)
            .race(true);
        let push = self.bytes(128);
        run = run.push(&push);
        let mut job = Job {
            words: self.words,
            entry: &self.entry.name,
            push,
            groups: GROUPS,
            ..Job::default()
        };
        let used = self
            .entry
            .uses
            .as_ref()
            .ok_or("what it uses is not known")?;
        let used = |it: &&Reflected| used.descriptors.contains(&it.id);
        let mut places: Vec<(u32, u32)> = Vec::new();
        for it in self.reflection.descriptors.iter().filter(used) {
            let set = it.set.ok_or("a variable without a set")?;
            let binding = it.binding.ok_or("a variable without a binding")?;
            if places.contains(&(set, binding)) {
                return Err("two variables have the same binding".to_owned());
            }
            places.push((set, binding));
            let count = it.count.known().unwrap_or(1).min(8) as u32;
            for element in 0..count {
                let place = (set, binding, element);
                run = self.bind(driver, run, &mut job, it, place)?;
            }
        }
        let outcome = run.dispatch(GROUPS).map_err(|errors| {
            let first = errors.into_vec().swap_remove(0);
            format!("not run here: {}", first.message())
        })?;
        if let Some(finding) = outcome.findings.first() {
            return Err(format!("undefined here: {}", finding.rule()));
        }
        let results = driver.run(&job);
        let results = results.map_err(|error| format!("the driver: {error}"))?;
        let (name, filling) = (&self.entry.name, self.filling);
        for it in &job.descriptors {
            let Some(memory) = it.memory else {
                continue;
            };
            let (set, binding, element) = (it.set, it.binding, it.element);
            let image = || outcome.image_element(set, binding, element);
            let bytes = outcome.element(set, binding, element);
            let bytes = bytes.or_else(|| image().map(Image::contents));
            let ours = bytes.unwrap_or_else(|| job.memories[memory].bytes());
            let place = format!("{name} with {filling:?}, {set}:{binding}[{element}]");
            compared.compare(place, ours, &results.memories[memory]);
        }
        compared.runs += 1;
        Ok(())
    }

    /// Gives both what is bound at a place.
    fn bind<'r>(
        &self,
        driver: &Driver,
        mut run: Run<'r>,
        job: &mut Job<'_>,
        it: &Reflected,
        place: (u32, u32, u32),
    ) -> Result<Run<'r>, String> {
        let (set, binding, element) = place;
        let kind = match it.kind {
            DescriptorKind::UniformBuffer => vk::DescriptorType::UNIFORM_BUFFER,
            DescriptorKind::StorageBuffer => vk::DescriptorType::STORAGE_BUFFER,
            DescriptorKind::StorageImage => vk::DescriptorType::STORAGE_IMAGE,
            DescriptorKind::SampledImage => vk::DescriptorType::SAMPLED_IMAGE,
            DescriptorKind::CombinedImageSampler => vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
            DescriptorKind::Sampler => vk::DescriptorType::SAMPLER,
            DescriptorKind::StorageTexelBuffer => vk::DescriptorType::STORAGE_TEXEL_BUFFER,
            DescriptorKind::UniformTexelBuffer => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
            other => return Err(format!("nothing is made for a {}", other.name())),
        };
        let mut descriptor = Descriptor {
            set,
            binding,
            element,
            kind,
            memory: Some(job.memories.len()),
            format: vk::Format::UNDEFINED,
            sampler: None,
        };
        let sampler = Sampler::default();
        let mut sampler = match self.filling {
            Filling::Integers => sampler,
            Filling::Floats => sampler
                .mag_filter(Filter::Linear)
                .min_filter(Filter::Linear)
                .address_modes([AddressMode::ClampToEdge; 3]),
        };
        match (it.kind, &it.image) {
            (DescriptorKind::Sampler, _) => {
                run = run.sampler_element(set, binding, element, sampler.clone());
                descriptor.sampler = Some(translate::sampler(&sampler));
                descriptor.memory = None;
            }
            (kind, Some(image)) => {
                if image.depth == Some(true) {
                    sampler = sampler.compare(Some(CompareOp::LessOrEqual));
                }
                if kind == DescriptorKind::CombinedImageSampler {
                    run = run.sampler_element(set, binding, element, sampler.clone());
                    descriptor.sampler = Some(translate::sampler(&sampler));
                }
                let made = self.image(image)?;
                let bytes = self.texels(&made);
                run = run.image_element(set, binding, element, made.clone().bytes(bytes.clone()));
                if made.dimension() == Dimension::Buffer {
                    descriptor.format = translate::format(made.format()).unwrap_or_default();
                    job.memories.push(Memory::Buffer(bytes));
                } else {
                    let mut made = translate::image(&made, bytes)?;
                    if image.arrayed && made.view == vk::ImageViewType::CUBE {
                        made.view = vk::ImageViewType::CUBE_ARRAY;
                    }
                    let wanted = match kind {
                        DescriptorKind::StorageImage => vk::FormatFeatureFlags::STORAGE_IMAGE,
                        _ => vk::FormatFeatureFlags::SAMPLED_IMAGE_FILTER_LINEAR,
                    };
                    let offered = driver.image_features(made.format);
                    let is_filtered = kind != DescriptorKind::StorageImage
                        && sampler.mag_filter == Filter::Linear;
                    if !offered.contains(wanted)
                        && (is_filtered || kind == DescriptorKind::StorageImage)
                    {
                        return Err(format!("the driver lacks images of {:?}", made.format));
                    }
                    job.memories.push(Memory::Image(made));
                }
            }
            (_, None) => {
                let size = it.padded_size.and_then(|it| it.known()).unwrap_or(BYTES);
                if size > 1 << 24 {
                    return Err("a buffer is too large".to_owned());
                }
                let bytes = self.bytes(size.next_multiple_of(4));
                run = run.element(set, binding, element, &bytes);
                job.memories.push(Memory::Buffer(bytes));
            }
        }
        job.descriptors.push(descriptor);
        Ok(run)
    }

    /// So many bytes of words.
    fn bytes(&self, size: u64) -> Vec<u8> {
        let words = (0..size.div_ceil(4) as u32).map(|index| match self.filling {
            Filling::Integers => index.wrapping_mul(7) % 13,
            Filling::Floats => ((index.wrapping_mul(37) % 61) as f32 / 8.0 - 3.0).to_bits(),
        });
        let mut bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
        bytes.truncate(size as usize);
        bytes
    }

    /// An image of a type.
    fn image(&self, image: &spirvkit::reflect::Image) -> Result<Image, String> {
        let dimension = match image.dim {
            Dim::Dim1D => Dimension::D1,
            Dim::Dim2D => Dimension::D2,
            Dim::Dim3D => Dimension::D3,
            Dim::Cube => Dimension::Cube,
            Dim::Buffer => Dimension::Buffer,
            _ => return Err("an image of a kind that is not made".to_owned()),
        };
        if image.multisampled {
            return Err("images with several samples can't be copied".to_owned());
        }
        let format = match image.format {
            ImageFormat::Unknown => self.format(image),
            format => Format::of_image(format),
        };
        let format = format.ok_or("a format that is not known")?;
        let size = match dimension {
            Dimension::Buffer => [64, 1, 1],
            Dimension::D3 => [8, 8, 4],
            _ => [8, 8, 1],
        };
        let made = Image::new(dimension, format, size);
        Ok(match (dimension, image.arrayed) {
            (Dimension::Cube, true) => made.layers(12),
            (_, true) => made.layers(3),
            _ => made,
        })
    }

    /// A format for texels of a type.
    fn format(&self, image: &spirvkit::reflect::Image) -> Option<Format> {
        if image.depth == Some(true) {
            return Format::named("D32_SFLOAT");
        }
        let m = ModuleIndex::new(self.words).ok()?;
        let ty = m.def(image.sampled_type)?;
        Format::named(match ty.args() {
            [32, 0] => "R32G32B32A32_UINT",
            [32, 1] => "R32G32B32A32_SINT",
            [32] => "R32G32B32A32_SFLOAT",
            _ => return None,
        })
    }

    fn texels(&self, image: &Image) -> Vec<u8> {
        let size = image.byte_size();
        let name = image.format().name();
        let count = size.div_ceil(4) as u32;
        let words = (0..count).map(|index| {
            let mixed = index.wrapping_mul(0x9e37_79b9);
            if name.contains("32") && name.ends_with("SFLOAT") {
                ((mixed >> 20) as f32 / 1024.0 - 1.0).to_bits()
            } else if name.ends_with("SFLOAT") {
                mixed & 0x3bff_3bff
            } else if image.format().is_integer() {
                mixed & 0x0707_0707
            } else {
                mixed
            }
        });
        let mut bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
        bytes.truncate(size as usize);
        bytes
    }
}
