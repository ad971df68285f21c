//! Instructions on images: operands of each lane, what is asked of its image, and what is wrong
//! with that.

use std::cell::RefCell;

use spirvkit_diagnostics::Kind;
use spirvkit_eval::{Scalar, ScalarType, Texel};
use spirvkit_grammar::{Dim, ImageChannelDataType, ImageChannelOrder};

use super::control::{Active, Gang};
use super::{Shared, Touch, is_column};
use crate::image::{
    Access, AddressMode, Bound, Coordinates, Dimension, Gradients, ImageOp, Lod, LodOperand,
    Request, Sampler, View, data_type, detail, gather, level, order, sample,
};
use crate::kinds;
use crate::program::{BEYOND, ObjectKind, Operand, Pc, Reg};

/// How many bytes a texel has at most.
const MAX_TEXEL: usize = 32;

/// A texel that an instruction names.
#[derive(Clone, Copy, Debug)]
struct Spot {
    at: [i64; 3],
    layer: i64,
    level: i64,
    sample: i64,
}

impl<const W: usize> Gang<W> {
    pub(crate) fn image(
        &mut self,
        shared: &mut Shared<'_>,
        active: &Active<W>,
        pc: Pc,
        access: &Access,
    ) {
        for lane in active.lanes() {
            self.set_word(access.residency, lane, 0);
            let object = self.word(access.image, lane) as usize;
            if matches!(access.op, ImageOp::Sample | ImageOp::Gather(_)) {
                shared.track_image(object, None);
            }
            let image = shared.images.bound.get(object).and_then(Option::as_ref);
            let Some(image) = image else {
                let info = shared.program.objects.get(object);
                match info.map(|it| it.kind) {
                    Some(ObjectKind::Resource { .. }) => {
                        self.report_unbound(shared, pc, lane, object as u32);
                    }
                    _ => {
                        let message = || String::from("there is no image");
                        self.report_image(shared, pc, &kinds::NULL, lane, message);
                    }
                }
                self.set_texel(access, lane, &Texel::Unsigned([0; 4]));
                continue;
            };
            let touched = shared.races.is_some().then(RefCell::default);
            let view = View {
                shape: &image.shape,
                layout: &image.layout,
                bytes: &shared.buffers[shared.homes[object]],
                touched: touched.as_ref(),
            };
            let size = image.shape.format.texel_size() as u32;
            match &access.op {
                ImageOp::Sample | ImageOp::Gather(_) => {
                    let (texel, wrong) = self.sampled(shared, &view, access, lane);
                    for place in touched.map_or_else(Vec::new, RefCell::into_inner) {
                        let touch = texel_at(object, place, size, None);
                        self.record(shared, &[], pc, lane, touch);
                    }
                    self.finish_read(shared, pc, access, lane, object, texel);
                    if let Some(message) = wrong {
                        self.report_image(shared, pc, &kinds::SAMPLER, lane, || message.into());
                    }
                }
                ImageOp::Read => self.read_texel(shared, pc, access, lane, object),
                ImageOp::Write => self.write_texel(shared, pc, access, lane, object),
                ImageOp::TexelPointer => {
                    let spot = self.spot(access, image, lane);
                    let Spot {
                        at,
                        layer,
                        level,
                        sample,
                    } = spot;
                    let place = image.layout.place(at, layer, level, sample);
                    let offset = place.and_then(|place| u32::try_from(place).ok());
                    self.set_word(access.to[0], lane, offset.unwrap_or(BEYOND));
                    let texel = image.shape.format.read(&[]);
                    let is_declared = image.has_declared_format();
                    if !is_declared || !is_kind(&texel, access.result, access) {
                        self.report_format(shared, pc, lane, object, is_declared);
                    }
                }
                ImageOp::Lod => {
                    let texel = match self.sampler(shared, access, lane) {
                        None => Texel::Float([0.0; 4]),
                        Some(sampler) => {
                            let request = self.request(shared, access, lane);
                            let found = detail(&view, sampler, &request);
                            let chosen = level(sampler, found.clamped, image.shape.levels);
                            Texel::Float([chosen, found.unclamped, 0.0, 0.0])
                        }
                    };
                    self.set_texel(access, lane, &texel);
                }
                query => {
                    let numbers = self.answer(query, access, image, lane);
                    self.set_texel(access, lane, &Texel::Unsigned(numbers.map(u64::from)));
                }
            }
        }
    }

    /// What a query gives.
    fn answer(&self, query: &ImageOp, access: &Access, image: &Bound, lane: usize) -> [u32; 4] {
        let shape = &image.shape;
        match query {
            ImageOp::Size { layers } => {
                let level = match &access.lod {
                    LodOperand::Explicit(lod) => self.integer(lod, lane).clamp(0, 31) as u32,
                    _ => 0,
                };
                let last = image.layout.levels.len().saturating_sub(1);
                let level = image.layout.levels.get((level as usize).min(last));
                let size = level.map_or([0; 3], |level| level.size);
                let count = match shape.dimension {
                    Dimension::D1 | Dimension::Buffer => 1,
                    Dimension::D2 | Dimension::Cube => 2,
                    Dimension::D3 => 3,
                };
                let mut numbers = [0; 4];
                numbers[..count].copy_from_slice(&size[..count]);
                if *layers {
                    numbers[count] = match shape.dimension {
                        Dimension::Cube => shape.layers / 6,
                        _ => shape.layers,
                    };
                }
                numbers
            }
            ImageOp::Levels => [shape.levels, 0, 0, 0],
            ImageOp::Samples => [shape.samples, 0, 0, 0],
            ImageOp::Format => {
                [data_type(shape.format).map_or(0, |it: ImageChannelDataType| it.0); 4]
            }
            ImageOp::Order => [order(shape.format).map_or(0, |it: ImageChannelOrder| it.0); 4],
            _ => [0; 4],
        }
    }

    fn read_texel(
        &mut self,
        shared: &mut Shared<'_>,
        pc: Pc,
        access: &Access,
        lane: usize,
        object: usize,
    ) {
        let Some(image) = shared.images.bound.get(object).and_then(Option::as_ref) else {
            return;
        };
        let view = View {
            shape: &image.shape,
            layout: &image.layout,
            bytes: &shared.buffers[shared.homes[object]],
            touched: None,
        };
        let spot = self.spot(access, image, lane);
        let Spot {
            at,
            layer,
            level,
            sample,
        } = spot;
        let place = image.layout.place(at, layer, level, sample);
        let texel = place.map_or_else(|| view.nothing(), |place| view.read_at(place));
        let readable = image.declared.readable;
        let bytes = image.shape.format.texel_size() as u32;
        if let Some(place) = place {
            shared.track_image(object, Some((place as usize, bytes as usize)));
        }
        self.finish_read(shared, pc, access, lane, object, texel);
        match place {
            Some(place) => {
                let touch = texel_at(object, place, bytes, None);
                self.record(shared, &[], pc, lane, touch);
            }
            None => self.report_spot(shared, pc, lane, object, spot),
        }
        if !readable {
            let name = shared.program.objects[object].name.clone();
            let message = || format!("reads from `{name}`, which is not readable");
            self.report_image(shared, pc, &kinds::WRITE_ONLY, lane, message);
        }
    }

    fn write_texel(
        &mut self,
        shared: &mut Shared<'_>,
        pc: Pc,
        access: &Access,
        lane: usize,
        object: usize,
    ) {
        let home = shared.homes[object];
        let Some(image) = shared.images.bound.get(object).and_then(Option::as_ref) else {
            return;
        };
        let format = image.shape.format;
        let nothing = format.read(&[]);
        let texel = self.texel(&access.texel, &nothing, lane);
        let Spot {
            at,
            layer,
            level,
            sample,
        } = self.spot(access, image, lane);
        let place = image.layout.place(at, layer, level, sample);
        let (writable, is_declared) = (image.declared.writable, image.has_declared_format());
        let written = access.texel.first();
        let is_kind = written.is_none_or(|(ty, _)| is_kind(&nothing, *ty, access));
        if !writable {
            let name = shared.program.objects[object].name.clone();
            let message = || format!("writes to `{name}`, which is not writable");
            self.report_image(shared, pc, &kinds::READ_ONLY, lane, message);
            return;
        }
        // Writes out of bounds are discarded (Vulkan, "Image Operations"), which is no mistake.
        if let Some(place) = place {
            let mut new = [0; MAX_TEXEL];
            let new = &mut new[..format.texel_size() as usize];
            format.write(&texel, new);
            let start = usize::try_from(place).unwrap_or(usize::MAX);
            let range = start..start.saturating_add(new.len());
            let touch = texel_at(object, place, new.len() as u32, Some(new));
            self.record(shared, &[], pc, lane, touch);
            if let Some(tracks) = &mut shared.tracks {
                tracks.note(home, start, new.len(), true);
            }
            if let Some(bytes) = shared.buffers[home].get_mut(range) {
                bytes.copy_from_slice(new);
            }
        }
        if !is_declared || !is_kind {
            self.report_format(shared, pc, lane, object, is_declared);
        }
    }

    /// Gives a lane the texel that it reads.
    fn finish_read(
        &mut self,
        shared: &mut Shared<'_>,
        pc: Pc,
        access: &Access,
        lane: usize,
        object: usize,
        texel: Texel,
    ) {
        self.set_texel(access, lane, &texel);
        let image = shared.images.bound.get(object).and_then(Option::as_ref);
        let is_declared = image.is_none_or(Bound::has_declared_format);
        if !is_declared || !is_kind(&texel, access.result, access) {
            self.report_format(shared, pc, lane, object, is_declared);
        }
    }

    /// A sample, or what is gathered, and what is wrong with the sampler.
    fn sampled(
        &self,
        shared: &Shared<'_>,
        view: &View<'_>,
        access: &Access,
        lane: usize,
    ) -> (Texel, Option<&'static str>) {
        let Some(sampler) = self.sampler(shared, access, lane) else {
            return (view.nothing(), Some("there is no sampler"));
        };
        let request = self.request(shared, access, lane);
        let wrong = objection(sampler, view, access);
        let texel = match &access.op {
            ImageOp::Gather(component) => {
                let component = component.as_ref().map_or(0, |it| self.integer(it, lane));
                let component = component.clamp(0, 3) as usize;
                let offsets = self.gather_offsets(access, lane);
                gather(view, sampler, &request, component, offsets)
            }
            _ => sample(view, sampler, &request),
        };
        (texel, wrong)
    }

    fn sampler<'s>(
        &self,
        shared: &'s Shared<'_>,
        access: &Access,
        lane: usize,
    ) -> Option<&'s Sampler> {
        let object = self.word(access.sampler, lane) as usize;
        shared.images.samplers.get(object)?.as_ref()
    }

    fn gather_offsets(&self, access: &Access, lane: usize) -> Option<[[i32; 2]; 4]> {
        let offset = |at: usize| self.integer(&access.offsets[at], lane) as i32;
        let pair = |at: usize| [offset(2 * at), offset(2 * at + 1)];
        (access.offsets.len() == 8).then(|| [0, 1, 2, 3].map(pair))
    }

    /// What a lane asks of an image and a sampler.
    fn request(&self, shared: &Shared<'_>, access: &Access, lane: usize) -> Request {
        let (at, divisor) = self.place(&access.at, lane);
        let number = |operand: &Option<Operand>| {
            operand
                .as_ref()
                .map_or(0.0, |operand| self.number(operand, lane))
        };
        let mut offset = [0; 3];
        if access.offsets.len() <= 3 {
            for (to, from) in offset.iter_mut().zip(&access.offsets) {
                *to = self.integer(from, lane) as i32;
            }
        }
        Request {
            at,
            layer: number(&access.at.layer),
            lod: self.lod(shared, access, lane),
            bias: number(&access.bias),
            min_lod: number(&access.min_lod),
            offset,
            reference: access
                .reference
                .as_ref()
                .map(|operand| self.number(operand, lane) / divisor),
        }
    }

    /// The coordinates of a lane, divided if they have to be, and by what.
    fn place(&self, coordinates: &Coordinates, lane: usize) -> ([f64; 3], f64) {
        let divisor = coordinates.divisor.as_ref();
        let divisor = divisor.map_or(1.0, |operand| self.number(operand, lane));
        let mut at = [0.0; 3];
        for (to, from) in at.iter_mut().zip(&coordinates.axes) {
            *to = self.number(from, lane) / divisor;
        }
        (at, divisor)
    }

    fn lod(&self, shared: &Shared<'_>, access: &Access, lane: usize) -> Lod {
        match &access.lod {
            LodOperand::Explicit(lod) => Lod::Explicit(self.number(lod, lane)),
            LodOperand::Gradients(gradients) => {
                let [x, y] = [0, 1].map(|direction| {
                    let mut step = [0.0; 3];
                    for (to, from) in step.iter_mut().zip(&gradients[direction]) {
                        *to = self.number(from, lane);
                    }
                    step
                });
                Lod::Gradients(Gradients { x, y })
            }
            LodOperand::Implicit if shared.program.has_derivatives => {
                let at = |lane: usize| self.place(&access.at, lane).0;
                let difference =
                    |to: [f64; 3], from: [f64; 3]| [0, 1, 2].map(|axis| to[axis] - from[axis]);
                Lod::Gradients(Gradients {
                    x: difference(at(lane | 1), at(lane & !1)),
                    y: difference(at(lane | 2), at(lane & !2)),
                })
            }
            // Without quads there are no derivatives.
            LodOperand::None | LodOperand::Implicit => Lod::Gradients(Gradients::default()),
        }
    }

    /// The texel that a lane names by integers.
    fn spot(&self, access: &Access, image: &Bound, lane: usize) -> Spot {
        let integer = |operand: &Option<Operand>| {
            operand
                .as_ref()
                .map_or(0, |operand| self.integer(operand, lane))
        };
        let mut at = [0; 3];
        for (to, from) in at.iter_mut().zip(&access.at.axes) {
            *to = self.integer(from, lane);
        }
        if access.offsets.len() <= 3 {
            for (to, from) in at.iter_mut().zip(&access.offsets) {
                *to = to.saturating_add(self.integer(from, lane));
            }
        }
        let level = match &access.lod {
            LodOperand::Explicit(lod) => self.integer(lod, lane),
            _ => 0,
        };
        let is_layered = image.declared.arrayed || image.declared.dim == Dim::Cube;
        Spot {
            at,
            layer: if is_layered {
                integer(&access.at.layer)
            } else {
                0
            },
            level,
            sample: integer(&access.sample),
        }
    }

    /// A texel of scalars, of the kind that an image has.
    fn texel(&self, operands: &[Operand], nothing: &Texel, lane: usize) -> Texel {
        let mut texel = *nothing;
        for (at, &(ty, columns)) in operands.iter().enumerate() {
            texel.set(at, self.scalar(ty, columns, lane));
        }
        texel
    }

    /// The number that an operand is.
    fn number(&self, &(ty, columns): &Operand, lane: usize) -> f64 {
        let scalar = self.scalar(ty, columns, lane);
        match scalar.to_f64() {
            Some(number) => number,
            None => scalar.sign_extended() as f64,
        }
    }

    /// The integer that an operand is; a number is rounded down.
    fn integer(&self, &(ty, columns): &Operand, lane: usize) -> i64 {
        let scalar = self.scalar(ty, columns, lane);
        match scalar.to_f64() {
            Some(number) => number.floor() as i64,
            None => scalar.sign_extended(),
        }
    }

    pub(super) fn set_word(&mut self, column: Reg, lane: usize, word: u32) {
        if is_column(column) {
            self.columns[column as usize][lane] = word;
        }
    }

    /// Writes the components of a result.
    fn set_texel(&mut self, access: &Access, lane: usize, texel: &Texel) {
        let size = access.result.width().div_ceil(32) as usize;
        for (at, to) in access.to.chunks(size).enumerate() {
            let scalar: Scalar = texel.scalar(at, access.result);
            self.set_scalar(to[0], lane, scalar);
        }
    }

    fn report_image(
        &self,
        shared: &mut Shared<'_>,
        pc: Pc,
        kind: &'static Kind,
        lane: usize,
        message: impl FnOnce() -> String,
    ) {
        let invocations = self.invocations(1 << lane);
        let program = shared.program;
        shared.findings.add(program, kind, pc, invocations, message);
    }

    fn report_spot(&self, shared: &mut Shared<'_>, pc: Pc, lane: usize, object: usize, spot: Spot) {
        if shared.is_robust {
            return;
        }
        let Some(image) = shared.images.bound.get(object).and_then(Option::as_ref) else {
            return;
        };
        let name = &shared.program.objects[object].name;
        let shape = &image.shape;
        let what = format!("`{name}`, which has {}", shape.extent());
        let Spot {
            at,
            layer,
            level,
            sample,
        } = spot;
        let message = || match shape.dimension {
            Dimension::Buffer => format!("reads the texel {} of {what}", at[0]),
            _ => format!(
                "reads the texel at ({}, {}, {}), layer {layer}, level {level}, sample {sample} of {what}",
                at[0], at[1], at[2]
            ),
        };
        let invocations = self.invocations(1 << lane);
        let program = shared.program;
        shared
            .findings
            .add(program, &kinds::BOUNDS, pc, invocations, message);
    }

    fn report_format(
        &self,
        shared: &mut Shared<'_>,
        pc: Pc,
        lane: usize,
        object: usize,
        is_declared: bool,
    ) {
        let Some(image) = shared.images.bound.get(object).and_then(Option::as_ref) else {
            return;
        };
        let name = &shared.program.objects[object].name;
        let format = image.shape.format;
        let message = || match image.declared.format.filter(|_| !is_declared) {
            Some(declared) => {
                format!("`{name}` has the format {format}, but is declared with {declared}")
            }
            None => format!(
                "the components of `{name}`, which has the format {format}, are of another type"
            ),
        };
        let invocations = self.invocations(1 << lane);
        let program = shared.program;
        shared
            .findings
            .add(program, &kinds::IMAGE, pc, invocations, message);
    }
}

/// An access to a texel at a place in the bytes of an object, for whoever looks for races.
fn texel_at(object: usize, place: u64, bytes: u32, written: Option<&[u8]>) -> Touch<'_> {
    Touch {
        object: object as u32,
        offset: place as u32,
        bytes,
        written,
    }
}

/// Whether texels become scalars of this type without being converted.
fn is_kind(texel: &Texel, ty: ScalarType, access: &Access) -> bool {
    let is_float = matches!(ty, ScalarType::Float(_));
    match texel {
        Texel::Float(_) => is_float,
        Texel::Signed(_) => !is_float && access.is_signed != Some(false),
        Texel::Unsigned(_) => !is_float && access.is_signed != Some(true),
    }
}

/// Why a sampler is not made for an instruction (Vulkan, "Instruction/Format/Sampler/Image View
/// Validation").
fn objection(sampler: &Sampler, view: &View<'_>, access: &Access) -> Option<&'static str> {
    match (sampler.compare, &access.reference) {
        (Some(_), None) => return Some("the sampler compares, but the instruction doesn't"),
        (None, Some(_)) => return Some("the instruction compares, but the sampler doesn't"),
        _ => {}
    }
    // Kernels may have them for all images.
    if !sampler.unnormalized || access.is_kernel {
        return None;
    }
    let is_edge =
        |mode: &AddressMode| matches!(mode, AddressMode::ClampToEdge | AddressMode::ClampToBorder);
    let flat = matches!(view.shape.dimension, Dimension::D1 | Dimension::D2);
    if !flat || view.shape.layers > 1 || view.shape.levels > 1 {
        return Some(
            "coordinates in texels need a single layer and level of one or two dimensions",
        );
    }
    if !sampler.address_modes[..2].iter().all(is_edge) {
        return Some("coordinates in texels can't repeat");
    }
    if access.at.divisor.is_some() {
        return Some("coordinates in texels can't be projective");
    }
    if !access.offsets.is_empty() {
        return Some("coordinates in texels can't have offsets");
    }
    if matches!(access.lod, LodOperand::Implicit) || access.bias.is_some() {
        return Some("coordinates in texels have no level of detail that could be implicit");
    }
    None
}
