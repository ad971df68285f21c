//! Where texels lie, and what they are.

use std::cell::RefCell;

use spirvkit_eval::{Channel, Encoding, Format, Texel};

use super::{Dimension, Shape, Swizzle};

/// Where the texels of an image lie in its bytes.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) levels: Vec<Level>,
    layers: u32,
    samples: u32,
    texel: u64,
    /// All bytes.
    pub(crate) size: u64,
}

/// A mip level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level {
    start: u64,
    /// Its size in texels.
    pub(crate) size: [u32; 3],
}

impl Layout {
    pub(crate) fn new(shape: &Shape) -> Self {
        let texel = shape.format.texel_size();
        let mut levels = Vec::new();
        let mut start = 0u64;
        for level in 0..shape.levels {
            let half = |side: u32| side.checked_shr(level).unwrap_or(0).max(1);
            let size = match shape.dimension {
                Dimension::Buffer => shape.size,
                _ => shape.size.map(half),
            };
            levels.push(Level { start, size });
            let counts = size.iter().chain([&shape.layers, &shape.samples]);
            let bytes = counts.fold(texel, |all, &count| all.saturating_mul(count.into()));
            start = start.saturating_add(bytes);
        }
        Self {
            levels,
            layers: shape.layers,
            samples: shape.samples,
            texel,
            size: start,
        }
    }

    /// The offset of a texel in bytes; `None` if it is not there.
    pub(crate) fn place(
        &self,
        [x, y, z]: [i64; 3],
        layer: i64,
        level: i64,
        sample: i64,
    ) -> Option<u64> {
        let level = self.levels.get(usize::try_from(level).ok()?)?;
        let [width, height, depth] = level.size;
        // From the outermost to the innermost.
        let steps = [
            (layer, self.layers),
            (z, depth),
            (y, height),
            (x, width),
            (sample, self.samples),
        ];
        let mut index = 0u64;
        for (at, count) in steps {
            let at = u64::try_from(at).ok().filter(|&at| at < count.into())?;
            index = index.checked_mul(count.into())?.checked_add(at)?;
        }
        index.checked_mul(self.texel)?.checked_add(level.start)
    }
}

/// An image as instructions see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'v> {
    pub(crate) shape: &'v Shape,
    pub(crate) layout: &'v Layout,
    pub(crate) bytes: &'v [u8],
    /// Collects where in the bytes texels begin that are sampled, if somebody wants to know.
    pub(crate) touched: Option<&'v RefCell<Vec<u64>>>,
}

impl View<'_> {
    /// The size of a level in texels.
    pub(super) fn level_size(&self, level: u32) -> [u32; 3] {
        let levels = &self.layout.levels;
        let last = levels.len().saturating_sub(1);
        levels
            .get((level as usize).min(last))
            .map_or([1; 3], |level| level.size)
    }

    /// A texel at a place in the bytes.
    pub(crate) fn read_at(&self, place: u64) -> Texel {
        self.swizzled(self.stored_at(place))
    }

    /// The same before the swizzle.
    fn stored_at(&self, place: u64) -> Texel {
        let format = &self.shape.format;
        let start = usize::try_from(place).unwrap_or(usize::MAX);
        let end = start.saturating_add(format.texel_size() as usize);
        let bytes = self.bytes.get(start..end).unwrap_or_default();
        format.read(bytes)
    }

    /// What is read where there is no texel: zeros in the components that the format has
    /// (Vulkan, `robustImageAccess2`).
    pub(crate) fn nothing(&self) -> Texel {
        self.swizzled(self.shape.format.read(&[]))
    }

    /// A texel that is there, or else nothing, before the swizzle.
    pub(super) fn read(&self, at: [i64; 3], layer: u32, level: u32) -> Texel {
        match self.layout.place(at, layer.into(), level.into(), 0) {
            Some(place) => {
                if let Some(touched) = self.touched {
                    touched.borrow_mut().push(place);
                }
                self.stored_at(place)
            }
            None => self.shape.format.read(&[]),
        }
    }

    /// The colour of a border instead of a texel, before the swizzle: its components that the
    /// format has.
    pub(super) fn border(&self, color: Texel) -> Texel {
        let components = self.shape.format.components();
        let has = |channel| components.iter().any(|it| it.channel == channel);
        let is_stencil = self.shape.format.is_integer() && has(Channel::Stencil);
        let there = [
            has(Channel::Red) || has(Channel::Depth) || is_stencil,
            has(Channel::Green),
            has(Channel::Blue),
            has(Channel::Alpha),
        ];
        match color {
            Texel::Float(color) => Texel::Float(kept(color, there, [0.0, 0.0, 0.0, 1.0])),
            Texel::Signed(color) => Texel::Signed(kept(color, there, [0, 0, 0, 1])),
            Texel::Unsigned(color) => Texel::Unsigned(kept(color, there, [0, 0, 0, 1])),
        }
    }

    /// Vulkan, "Component Swizzle".
    pub(super) fn swizzled(&self, texel: Texel) -> Texel {
        const IDENTITY: [Swizzle; 4] =
            [Swizzle::Red, Swizzle::Green, Swizzle::Blue, Swizzle::Alpha];
        let swizzle = self.shape.swizzle;
        if swizzle == IDENTITY {
            return texel;
        }
        match texel {
            Texel::Float(values) => Texel::Float(chosen(values, swizzle, 0.0, 1.0)),
            Texel::Signed(values) => Texel::Signed(chosen(values, swizzle, 0, 1)),
            Texel::Unsigned(values) => Texel::Unsigned(chosen(values, swizzle, 0, 1)),
        }
    }

    /// Whether depths are compared with a reference between 0 and 1.
    pub(super) fn is_unorm(&self) -> bool {
        is_unorm(&self.shape.format)
    }
}

fn is_unorm(format: &Format) -> bool {
    format
        .components()
        .first()
        .is_some_and(|it| it.encoding == Encoding::Unorm)
}

fn kept<T: Copy>(color: [T; 4], there: [bool; 4], missing: [T; 4]) -> [T; 4] {
    let at = |index: usize| {
        if there[index] {
            color[index]
        } else {
            missing[index]
        }
    };
    [at(0), at(1), at(2), at(3)]
}

fn chosen<T: Copy>(values: [T; 4], swizzle: [Swizzle; 4], zero: T, one: T) -> [T; 4] {
    swizzle.map(|from| match from {
        Swizzle::Zero => zero,
        Swizzle::One => one,
        Swizzle::Red => values[0],
        Swizzle::Green => values[1],
        Swizzle::Blue => values[2],
        Swizzle::Alpha => values[3],
    })
}
