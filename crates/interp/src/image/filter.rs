//! Sampling: from coordinates to a texel (Vulkan, "Image Sample Operations").

use spirvkit_eval::Texel;

use super::address::{self, wrap};
use super::cube::{self, Face};
use super::level::{self, Detail, Gradients, Lod, level_of_detail, levels};
use super::sampler::{CompareOp, Filter, Reduction, Sampler};
use super::view::View;
use super::{Dimension, Shape};

/// What an instruction asks of an image and a sampler.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    /// From 0 to 1 across the image, or in texels if the sampler says so; a direction for
    /// cubes. What a dimension doesn't have is not looked at.
    pub(crate) at: [f64; 3],
    /// The layer, of cubes the cube.
    pub(crate) layer: f64,
    pub(crate) lod: Lod,
    pub(crate) bias: f64,
    pub(crate) min_lod: f64,
    /// What is added to coordinates in texels.
    pub(crate) offset: [i32; 3],
    /// What depths are compared with.
    pub(crate) reference: Option<f64>,
}

/// Where sampling takes place in the layers of an image, whatever the level.
#[derive(Clone, Copy, Debug)]
struct Place {
    at: [f64; 3],
    layer: u32,
    /// The face of a cube.
    face: Option<u32>,
}

/// How many dimensions of a layer are filtered.
fn axes(shape: &Shape) -> usize {
    match shape.dimension {
        Dimension::D1 | Dimension::Buffer => 1,
        Dimension::D2 | Dimension::Cube => 2,
        Dimension::D3 => 3,
    }
}

fn place(shape: &Shape, request: &Request) -> Place {
    if shape.dimension != Dimension::Cube {
        return Place {
            at: request.at,
            layer: address::layer(request.layer, shape.layers),
            face: None,
        };
    }
    let Face { face, at: [s, t] } = cube::select(request.at);
    let cube = address::layer(request.layer, shape.layers / 6);
    Place {
        at: [s, t, 0.0],
        layer: cube * 6 + face,
        face: Some(face),
    }
}

/// The level of detail of a request.
pub(crate) fn detail(view: &View<'_>, sampler: &Sampler, request: &Request) -> Detail {
    let lod = match (request.lod, view.shape.dimension) {
        (Lod::Gradients(gradients), Dimension::Cube) => {
            Lod::Gradients(cube::transform(request.at, gradients))
        }
        (Lod::Gradients(Gradients { x, y }), _) => {
            let axes = axes(view.shape);
            let kept = |mut step: [f64; 3]| {
                step[axes..].fill(0.0);
                step
            };
            Lod::Gradients(Gradients {
                x: kept(x),
                y: kept(y),
            })
        }
        (explicit, _) => explicit,
    };
    level_of_detail(sampler, lod, view.shape.size, request.bias, request.min_lod)
}

/// A sample of an image.
pub(crate) fn sample(view: &View<'_>, sampler: &Sampler, request: &Request) -> Texel {
    let place = place(view.shape, request);
    let is_integer = view.shape.format.is_integer();
    // Integers can't be mixed.
    let within = |filter| if is_integer { Filter::Nearest } else { filter };
    if sampler.unnormalized {
        let filter = within(sampler.min_filter);
        return Level::new(view, sampler, request, 0, filter).filtered(place);
    }
    let detail = detail(view, sampler, request);
    let filter = match detail.clamped > 0.0 {
        true => sampler.min_filter,
        false => sampler.mag_filter,
    };
    let (first, second, weight) = levels(sampler, detail.clamped, view.shape.levels);
    if is_integer {
        return Level::new(view, sampler, request, first, Filter::Nearest).filtered(place);
    }
    let steps = steps(request, &detail, place);
    let mut texels = Weighted::new(sampler.reduction);
    for step in &steps {
        let mut at = place;
        for (at, step) in at.at.iter_mut().zip(step) {
            *at += step;
        }
        let share = 1.0 / steps.len() as f64;
        for (level, weight) in [(first, 1.0 - weight), (second, weight)] {
            if weight != 0.0 {
                let texel = Level::new(view, sampler, request, level, filter).filtered(at);
                texels.add(share * weight, texel);
            }
        }
    }
    texels.result().unwrap_or_else(|| view.nothing())
}

/// How far from the middle samples are taken (Vulkan, "Texel Anisotropic Filtering").
fn steps(request: &Request, detail: &Detail, place: Place) -> Vec<[f64; 3]> {
    let Lod::Gradients(gradients) = request.lod else {
        return vec![[0.0; 3]];
    };
    if detail.samples <= 1 {
        return vec![[0.0; 3]];
    }
    let gradients = match place.face {
        Some(_) => cube::transform(request.at, gradients),
        None => gradients,
    };
    let step = if detail.is_x_longer {
        gradients.x
    } else {
        gradients.y
    };
    let count = detail.samples;
    let part = |index: u32| f64::from(index) / f64::from(count + 1) - 0.5;
    (1..=count)
        .map(|index| step.map(|along| along * part(index)))
        .collect()
}

/// One component of the four texels that linear filtering would weight, or of four texels at
/// offsets (Vulkan, "Texel Gathering"). They are of the first level, unless the instruction
/// names one (`SPV_AMD_texture_gather_bias_lod`).
pub(crate) fn gather(
    view: &View<'_>,
    sampler: &Sampler,
    request: &Request,
    component: usize,
    offsets: Option<[[i32; 2]; 4]>,
) -> Texel {
    let place = place(view.shape, request);
    let level = match request.lod {
        Lod::Explicit(_) => {
            let detail = detail(view, sampler, request);
            level::nearest(detail.clamped, view.shape.levels)
        }
        Lod::Gradients(_) => 0,
    };
    let level = Level::new(view, sampler, request, level, Filter::Linear);
    let [(i, _), (j, _), _] = level.coordinates(place).map(address::linear);
    let corners = offsets.unwrap_or([[0, 1], [1, 1], [1, 0], [0, 0]]);
    let texels = corners.map(|[x, y]| {
        let at = [i.saturating_add(x.into()), j.saturating_add(y.into()), 0];
        level.texel(at, place)
    });
    let at = component.min(3);
    match texels[0] {
        Texel::Float(_) => Texel::Float(texels.map(|texel| floats(&texel)[at])),
        Texel::Signed(_) => Texel::Signed(texels.map(|texel| match texel {
            Texel::Signed(values) => values[at],
            _ => 0,
        })),
        Texel::Unsigned(_) => Texel::Unsigned(texels.map(|texel| match texel {
            Texel::Unsigned(values) => values[at],
            _ => 0,
        })),
    }
}

/// A level of an image as it is sampled.
struct Level<'v> {
    view: &'v View<'v>,
    sampler: &'v Sampler,
    level: u32,
    size: [u32; 3],
    filter: Filter,
    offset: [i32; 3],
    /// How depths are compared, and with what.
    compare: Option<(CompareOp, f64)>,
}

impl<'v> Level<'v> {
    fn new(
        view: &'v View<'v>,
        sampler: &'v Sampler,
        request: &Request,
        level: u32,
        filter: Filter,
    ) -> Self {
        let clamped = |reference: f64| match view.is_unorm() {
            true => reference.clamp(0.0, 1.0),
            false => reference,
        };
        Self {
            view,
            sampler,
            level,
            size: view.level_size(level),
            filter,
            offset: request.offset,
            compare: request
                .reference
                .map(|it| (sampler.compare.unwrap_or(CompareOp::Never), clamped(it))),
        }
    }

    /// Coordinates in texels.
    fn coordinates(&self, place: Place) -> [f64; 3] {
        let scale = |axis: usize| match self.sampler.unnormalized {
            true => 1.0,
            false => f64::from(self.size[axis]),
        };
        [0, 1, 2].map(|axis| place.at[axis] * scale(axis) + f64::from(self.offset[axis]))
    }

    /// The value at a place of the level.
    fn filtered(&self, place: Place) -> Texel {
        let coordinates = self.coordinates(place);
        let axes = axes(self.view.shape);
        if self.filter == Filter::Nearest {
            let mut at = coordinates.map(address::nearest);
            at[axes..].fill(0);
            if place.face.is_some() {
                let last = i64::from(self.size[0]) - 1;
                at = [at[0].clamp(0, last), at[1].clamp(0, last), 0];
            }
            return self.texel(at, place);
        }
        let mut sides = coordinates.map(address::linear);
        sides[axes..].fill((0, 0.0));
        let mut texels = Weighted::new(self.sampler.reduction);
        for corner in 0..1usize << axes {
            let mut weight = 1.0;
            let mut at = [0; 3];
            for (axis, (first, fraction)) in sides.into_iter().enumerate() {
                let is_second = corner >> axis & 1 != 0;
                at[axis] = first.saturating_add(is_second.into());
                if axis < axes {
                    weight *= if is_second { fraction } else { 1.0 - fraction };
                }
            }
            if weight != 0.0 {
                texels.add(weight, self.texel(at, place));
            }
        }
        texels.result().unwrap_or_else(|| self.view.nothing())
    }

    /// A texel, or what stands for one beyond the edges, compared if that is asked for.
    fn texel(&self, at: [i64; 3], place: Place) -> Texel {
        if let Some(face) = place.face {
            return self.cube_texel([at[0], at[1]], face, place.layer);
        }
        let mut inside = [0; 3];
        for axis in 0..axes(self.view.shape) {
            let mode = self.sampler.address_modes[axis];
            match wrap(mode, at[axis], self.size[axis]) {
                Some(index) => inside[axis] = index,
                None => {
                    let color = self.sampler.border_color.like(&self.view.nothing());
                    return self.finished(self.view.border(color));
                }
            }
        }
        self.finished(self.view.read(inside, place.layer, self.level))
    }

    /// Vulkan, "Cube Map Edge Handling".
    fn cube_texel(&self, [i, j]: [i64; 2], face: u32, layer: u32) -> Texel {
        let size = self.size[0];
        let last = i64::from(size) - 1;
        let read = |(face_of, [i, j]): (u32, [i64; 2])| {
            self.finished(
                self.view
                    .read([i, j, 0], layer - face + face_of, self.level),
            )
        };
        // With offsets it may be further outside than by one texel.
        let [i, j] = [i, j].map(|index| index.clamp(-1, last + 1));
        let [inner_i, inner_j] = [i, j].map(|index| index.clamp(0, last));
        match (i == inner_i, j == inner_j) {
            (true, true) => read((face, [i, j])),
            (true, false) | (false, true) => read(cube::beyond(face, [i, j], size)),
            // There is no texel at a corner: it is the average of the three around it, of
            // integers the nearest.
            (false, false) if self.view.shape.format.is_integer() => {
                read((face, [inner_i, inner_j]))
            }
            (false, false) => {
                let around = [
                    (face, [inner_i, inner_j]),
                    cube::beyond(face, [i, inner_j], size),
                    cube::beyond(face, [inner_i, j], size),
                ];
                let mut texels = Weighted::new(Reduction::WeightedAverage);
                around
                    .into_iter()
                    .for_each(|it| texels.add(1.0 / 3.0, read(it)));
                texels.result().unwrap_or_else(|| self.view.nothing())
            }
        }
    }

    /// What becomes of a texel: if something is compared, the result is in place of the depth;
    /// then components change places.
    fn finished(&self, texel: Texel) -> Texel {
        let texel = match self.compare {
            None => texel,
            Some((op, reference)) => {
                let is_true = op.is_true(reference, floats(&texel)[0]);
                Texel::Float([f64::from(u8::from(is_true)), 0.0, 0.0, 1.0])
            }
        };
        self.view.swizzled(texel)
    }
}

fn floats(texel: &Texel) -> [f64; 4] {
    match *texel {
        Texel::Float(values) => values,
        Texel::Signed(values) => values.map(|value| value as f64),
        Texel::Unsigned(values) => values.map(|value| value as f64),
    }
}

/// Texels that become one.
struct Weighted {
    reduction: Reduction,
    /// The only one yet, as it is; and the sum or the least or greatest.
    only: Option<(f64, Texel)>,
    sum: [f64; 4],
    count: u32,
}

impl Weighted {
    fn new(reduction: Reduction) -> Self {
        Self {
            reduction,
            only: None,
            sum: [0.0; 4],
            count: 0,
        }
    }

    /// Adds a texel whose weight is not zero.
    fn add(&mut self, weight: f64, texel: Texel) {
        let values = floats(&texel);
        for (sum, value) in self.sum.iter_mut().zip(values) {
            *sum = match self.reduction {
                _ if self.count == 0 && self.reduction != Reduction::WeightedAverage => value,
                Reduction::WeightedAverage => *sum + weight * value,
                Reduction::Min => sum.min(value),
                Reduction::Max => sum.max(value),
            };
        }
        self.only = Some((weight, texel)).filter(|_| self.count == 0);
        self.count += 1;
    }

    fn result(self) -> Option<Texel> {
        match (self.count, self.only) {
            (0, _) => None,
            // One alone stays what it is, an integer, too.
            (_, Some((1.0, texel))) => Some(texel),
            _ => Some(Texel::Float(self.sum)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use spirvkit_eval::Format;

    use super::super::{AddressMode, BorderColor, Image, Layout};
    use super::*;

    const DIMENSIONS: [Dimension; 5] = [
        Dimension::D1,
        Dimension::D2,
        Dimension::D3,
        Dimension::Cube,
        Dimension::Buffer,
    ];

    const MODES: [AddressMode; 5] = [
        AddressMode::Repeat,
        AddressMode::MirroredRepeat,
        AddressMode::ClampToEdge,
        AddressMode::ClampToBorder,
        AddressMode::MirrorClampToEdge,
    ];

    fn filter() -> impl Strategy<Value = Filter> {
        proptest::sample::select(vec![Filter::Nearest, Filter::Linear])
    }

    /// Numbers within images, around them, and those that are hardly any.
    fn number() -> impl Strategy<Value = f64> {
        let special = vec![
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            0.0,
            1e300,
            -1e-300,
        ];
        prop_oneof![-2.0..2.0, -100.0..100.0, proptest::sample::select(special)]
    }

    fn numbers() -> impl Strategy<Value = [f64; 3]> {
        [number(), number(), number()]
    }

    proptest! {
        /// A sample is always some mixture of texels and the border, which are all alike here.
        #[test]
        fn samples_are_mixtures(
            dimension in proptest::sample::select(DIMENSIONS.to_vec()),
            (mag, min, mip) in (filter(), filter(), filter()),
            mode in proptest::sample::select(MODES.to_vec()),
            at in numbers(),
            (x, y) in (numbers(), numbers()),
            (layer, bias, explicit) in (number(), number(), number()),
            is_explicit: bool,
            size in 1..5u32,
            anisotropy in number(),
            offset in proptest::array::uniform3(any::<i32>()),
        ) {
            let format = Format::named("R32G32B32A32_SFLOAT").unwrap();
            let image = Image::new(dimension, format, [size; 3]).layers(2).levels(3);
            let layout = Layout::new(&image.shape);
            let texels = layout.size as usize / 4;
            let bytes: Vec<u8> = (0..texels).flat_map(|_| 3.0f32.to_le_bytes()).collect();
            let view = View { shape: &image.shape, layout: &layout, bytes: &bytes, touched: None };
            let sampler = Sampler::default()
                .mag_filter(mag)
                .min_filter(min)
                .mip_filter(mip)
                .address_modes([mode; 3])
                .max_anisotropy(anisotropy as f32)
                .border_color(BorderColor::Float([3.0; 4]));
            let lod = match is_explicit {
                true => Lod::Explicit(explicit),
                false => Lod::Gradients(Gradients { x, y }),
            };
            let request = Request {
                at,
                layer,
                lod,
                bias,
                min_lod: 0.0,
                offset,
                reference: None,
            };
            let found = sample(&view, &sampler, &request);
            for value in floats(&found) {
                prop_assert!((value - 3.0).abs() < 1e-9, "{found:?}");
            }
            let found = gather(&view, &sampler, &request, 2, None);
            prop_assert!(floats(&found).iter().all(|value| (value - 3.0).abs() < 1e-9));
        }
    }
}
