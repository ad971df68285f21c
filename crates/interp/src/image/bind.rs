//! Images and samplers of a run, by set and binding.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use spirvkit_diagnostics::Diagnostic;
use spirvkit_eval::Format;
use spirvkit_grammar::Dim;

use super::{Dimension, Image, Layout, MAX_IMAGE, Sampler, Shape};
use crate::kinds;
use crate::program::{ObjectKind, Program};
use crate::run::{Name, Outcome, Run};

/// Set, binding, and element of an array of descriptors.
pub(crate) type Place = (u32, u32, u32);

/// The set where images and samplers stand that are arguments of kernels, each at the binding of
/// its number.
pub(crate) const ARGUMENTS: u32 = u32::MAX;

/// What stands in a descriptor.
#[derive(Clone, Debug, Default)]
pub(crate) struct Resource {
    pub(crate) image: Option<Image>,
    pub(crate) sampler: Option<Sampler>,
}

/// All images and samplers that a run is given.
pub(crate) type Resources = BTreeMap<Place, Resource>;

/// What a variable of images or samplers declares.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Declared {
    /// The image, unless it is a sampler alone.
    pub(crate) image: Option<DeclaredImage>,
    pub(crate) has_sampler: bool,
}

/// An image type, as far as it matters what image it is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DeclaredImage {
    pub(crate) dim: Dim,
    pub(crate) arrayed: bool,
    pub(crate) multisampled: bool,
    pub(crate) format: Option<Format>,
    pub(crate) readable: bool,
    pub(crate) writable: bool,
}

impl DeclaredImage {
    /// Why an image can't be what is declared; `None` if it can.
    fn objection(&self, shape: &Shape) -> Option<String> {
        let dimension = match self.dim {
            Dim::Dim1D => Dimension::D1,
            Dim::Dim2D | Dim::Rect => Dimension::D2,
            Dim::Dim3D => Dimension::D3,
            Dim::Cube => Dimension::Cube,
            Dim::Buffer => Dimension::Buffer,
            other => return Some(format!("images of the dimension {other} can't be bound")),
        };
        // The layers of a rectangle may be the faces of a cube, and the other way round.
        let is_flat = |it| matches!(it, Dimension::D2 | Dimension::Cube);
        let same = dimension == shape.dimension
            || is_flat(dimension)
                && is_flat(shape.dimension)
                && (dimension == Dimension::D2 || shape.layers.is_multiple_of(6));
        if !same {
            return Some(format!(
                "an image of the dimension {} is expected, but {:?} is given",
                self.dim, shape.dimension
            ));
        }
        if shape.samples > 1 && !self.multisampled {
            return Some(String::from(
                "the image has several samples, which isn't declared",
            ));
        }
        None
    }
}

/// An image in a run: all but its bytes, which stand among the buffers.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    pub(crate) shape: Shape,
    pub(crate) layout: Layout,
    pub(crate) declared: DeclaredImage,
}

impl Bound {
    /// An image as a variable sees it, or why it can't.
    fn new(mut shape: Shape, declared: DeclaredImage) -> Result<Self, String> {
        if let Some(objection) = declared.objection(&shape) {
            return Err(objection);
        }
        if declared.dim == Dim::Cube {
            shape.dimension = Dimension::Cube;
        } else if shape.dimension == Dimension::Cube {
            shape.dimension = Dimension::D2;
        }
        let layout = Layout::new(&shape);
        if layout.size > MAX_IMAGE {
            return Err(format!("an image of {} bytes is too large", layout.size));
        }
        Ok(Self {
            shape,
            layout,
            declared,
        })
    }

    /// Whether its format is the one that is declared, if one is.
    pub(crate) fn has_declared_format(&self) -> bool {
        self.declared
            .format
            .is_none_or(|format| format == self.shape.format)
    }
}

/// What a run leaves, with the names of variables and arguments.
pub(crate) type Results = BTreeMap<Place, (Arc<str>, Image)>;

/// What a run is given.
pub(crate) struct Given<'r> {
    pub(crate) resources: &'r mut Resources,
    /// The buffers that no variable is.
    pub(crate) unused: &'r mut BTreeMap<Place, Vec<u8>>,
    /// What is the same as what stands at other places.
    pub(crate) same: &'r BTreeMap<Place, Place>,
    /// Which of the run's buffers stand at which places.
    pub(crate) known: BTreeMap<Place, usize>,
}

impl Given<'_> {
    /// Which of the buffers has the bytes of an image.
    fn buffer(&mut self, place: Place, buffers: &mut Vec<Vec<u8>>) -> usize {
        let place = self.same.get(&place).copied().unwrap_or(place);
        if let Some(&buffer) = self.known.get(&place) {
            return buffer;
        }
        let image = self.resources.get_mut(&place);
        let image = image.and_then(|resource| resource.image.as_mut());
        let bytes = self
            .unused
            .remove(&place)
            .or_else(|| image.map(|image| std::mem::take(&mut image.bytes)));
        buffers.push(bytes.unwrap_or_default());
        self.known.insert(place, buffers.len() - 1);
        buffers.len() - 1
    }
}

/// Sets and bindings where something is bound to at least one element.
struct SomeBound {
    images: BTreeSet<(u32, u32)>,
    samplers: BTreeSet<(u32, u32)>,
}

impl SomeBound {
    /// Arguments of kernels are one by one.
    fn of(resources: &Resources) -> Self {
        let all = resources.iter().filter(|(place, _)| place.0 != ARGUMENTS);
        let having = |has: fn(&Resource) -> bool| {
            let bound = all.clone().filter(|it| has(it.1));
            bound.map(|(place, _)| (place.0, place.1)).collect()
        };
        Self {
            images: having(|it| it.image.is_some()),
            samplers: having(|it| it.sampler.is_some()),
        }
    }
}

/// The images and samplers of a run, by their objects.
#[derive(Clone, Debug, Default)]
pub(crate) struct Images {
    pub(crate) bound: Vec<Option<Bound>>,
    pub(crate) samplers: Vec<Option<Sampler>>,
}

impl Images {
    /// Gives each object its image and its sampler. The bytes of images are put behind the
    /// buffers, where `homes` tells to find them. Adds what can't be bound.
    pub(crate) fn bind(
        program: &Program,
        mut given: Given<'_>,
        buffers: &mut Vec<Vec<u8>>,
        homes: &mut [usize],
        objections: &mut Vec<Diagnostic>,
    ) -> Self {
        let mut images = Self::default();
        let mut told = None;
        // Of an array, elements may be left out (`descriptorBindingPartiallyBound`).
        let some_bound = SomeBound::of(given.resources);
        // Several variables may be views of one image.
        let mut shapes: BTreeMap<Place, Shape> = BTreeMap::new();
        for (object, home) in program.objects.iter().zip(homes) {
            let (mut bound, mut sampler) = (None, None);
            if let ObjectKind::ConstantSampler { index } = object.kind {
                sampler = program.constant_samplers.get(index as usize).cloned();
            }
            if let ObjectKind::Resource {
                set,
                binding,
                element,
                declared,
            } = object.kind
                && let Some(declared) = program.declared.get(declared as usize)
            {
                let place = (set, binding, element);
                // Of an array of them only the first that can't be bound is told of.
                let mut object_to = |why: String| {
                    let is_told =
                        told.is_some_and(|it: Place| it != place && (it.0, it.1) == (set, binding));
                    if !is_told {
                        objections.push(kinds::INTERFACE.error(why));
                        told = Some(place);
                    }
                };
                let here = || object.described();
                let resource = given.resources.entry(place).or_default();
                if declared.has_sampler {
                    sampler = resource.sampler.clone();
                    // A texel buffer that is declared as sampled is only fetched from.
                    let is_texel_buffer = declared.image.is_some_and(|it| it.dim == Dim::Buffer);
                    let is_left_out = some_bound.samplers.contains(&(set, binding));
                    if sampler.is_none() && !is_texel_buffer && !is_left_out {
                        object_to(format!("{} has no sampler", here()));
                    }
                }
                if let Some(declared) = declared.image {
                    if let Some(image) = &resource.image {
                        shapes.entry(place).or_insert_with(|| image.shape.clone());
                    }
                    let image = match shapes.get(&place) {
                        Some(shape) => Bound::new(shape.clone(), declared)
                            .map(Some)
                            .map_err(|why| format!("{}: {why}", here())),
                        None if some_bound.images.contains(&(set, binding)) => Ok(None),
                        None => Err(format!("{} has no image", here())),
                    };
                    match image {
                        Ok(None) => {}
                        Ok(Some(image)) => {
                            let buffer = given.buffer(place, buffers);
                            let bytes = &mut buffers[buffer];
                            // What is also a buffer may be larger.
                            bytes.resize(bytes.len().max(image.layout.size as usize), 0);
                            *home = buffer;
                            bound = Some(image);
                        }
                        Err(why) => object_to(why),
                    }
                }
            }
            images.bound.push(bound);
            images.samplers.push(sampler);
        }
        images
    }

    /// The images as a run left them.
    pub(crate) fn taken(
        self,
        program: &Program,
        homes: &[usize],
        buffers: &mut [Vec<u8>],
    ) -> Results {
        let mut images = BTreeMap::new();
        let mut users = vec![0; buffers.len()];
        homes.iter().for_each(|&home| users[home] += 1);
        for ((object, bound), &home) in program.objects.iter().zip(self.bound).zip(homes) {
            let ObjectKind::Resource {
                set,
                binding,
                element,
                ..
            } = object.kind
            else {
                continue;
            };
            if let Some(bound) = bound {
                let image = images.entry((set, binding, element));
                image.or_insert_with(|| {
                    let image = Image {
                        shape: bound.shape,
                        bytes: match users[home] {
                            1 => std::mem::take(&mut buffers[home]),
                            // The same bytes stand at several places.
                            _ => buffers[home].clone(),
                        },
                    };
                    (object.name.clone(), image)
                });
            }
        }
        images
    }
}

impl Run<'_> {
    /// An image, or a texel buffer.
    ///
    /// ```
    /// use spirvkit_eval::Format;
    /// use spirvkit_interp::{Dimension, Image, Run, Sampler};
    ///
    /// # let words: Vec<u32> = Vec::new();
    /// let format = Format::named("R32_SFLOAT").unwrap();
    /// let image = Image::new(Dimension::D2, format, [2, 1, 1]).numbers(&[0.5f32, 1.5]);
    /// let run = Run::new(&words).image(0, 0, image).sampler(0, 1, Sampler::default());
    /// ```
    pub fn image(self, set: u32, binding: u32, image: Image) -> Self {
        self.image_element(set, binding, 0, image)
    }

    /// One element of an array of images.
    pub fn image_element(mut self, set: u32, binding: u32, element: u32, image: Image) -> Self {
        let resource = self.resources.entry((set, binding, element)).or_default();
        resource.image = Some(image);
        self
    }

    /// A sampler.
    pub fn sampler(self, set: u32, binding: u32, sampler: Sampler) -> Self {
        self.sampler_element(set, binding, 0, sampler)
    }

    /// One element of an array of samplers.
    pub fn sampler_element(
        mut self,
        set: u32,
        binding: u32,
        element: u32,
        sampler: Sampler,
    ) -> Self {
        let resource = self.resources.entry((set, binding, element)).or_default();
        resource.sampler = Some(sampler);
        self
    }

    /// An image with the sampler that it is sampled with.
    pub fn sampled_image(self, set: u32, binding: u32, image: Image, sampler: Sampler) -> Self {
        self.image(set, binding, image)
            .sampler(set, binding, sampler)
    }
}

impl Outcome {
    /// An image as the run left it; `None` if the entry point uses none there.
    pub fn image(&self, set: u32, binding: u32) -> Option<&Image> {
        self.image_element(set, binding, 0)
    }

    /// One element of an array of images.
    pub fn image_element(&self, set: u32, binding: u32, element: u32) -> Option<&Image> {
        let image = self.images.get(&(set, binding, element));
        image.map(|(_, image)| image)
    }

    /// The image that the run left of an argument of a kernel.
    pub fn image_argument(&self, name: impl Into<Name>) -> Option<&Image> {
        let name = name.into();
        let mut all = self.images.range((ARGUMENTS, 0, 0)..);
        let found = all.find(|((_, index, _), (known, _))| match &name {
            Name::Index(wanted) => index == wanted,
            Name::Name(wanted) => **known == **wanted,
        });
        found.map(|(_, (_, image))| image)
    }
}
