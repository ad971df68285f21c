//! Which mip levels are sampled (Vulkan, "Scale Factor Operation, LOD Operation and Image
//! Level(s) Selection").

use super::sampler::{Filter, Sampler};

/// How much may be added to a level of detail (Vulkan, `maxSamplerLodBias`).
const MAX_BIAS: f64 = 16.0;

/// How many samples may be taken for one (Vulkan, `maxSamplerAnisotropy`).
const MAX_ANISOTROPY: f64 = 16.0;

/// How coordinates change from one invocation to the next, in both directions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Gradients {
    pub(crate) x: [f64; 3],
    pub(crate) y: [f64; 3],
}

/// Where the level of detail comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Lod {
    Explicit(f64),
    Gradients(Gradients),
}

/// A level of detail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Detail {
    /// Before and after it is clamped by the sampler.
    pub(crate) unclamped: f64,
    pub(crate) clamped: f64,
    /// How many samples are to be taken along the longer direction, and whether it is x.
    pub(super) samples: u32,
    pub(super) is_x_longer: bool,
}

/// The level of detail, for coordinates from 0 to 1.
pub(crate) fn level_of_detail(
    sampler: &Sampler,
    lod: Lod,
    size: [u32; 3],
    bias: f64,
    min_lod: f64,
) -> Detail {
    let mut samples = 1.0;
    let mut is_x_longer = false;
    let base = match lod {
        Lod::Explicit(lod) => lod,
        Lod::Gradients(Gradients { x, y }) => {
            let [long_x, long_y] = [x, y].map(|step| length(step, size));
            is_x_longer = long_x > long_y;
            let (most, least) = (long_x.max(long_y), long_x.min(long_y));
            // What is no number is 1.
            let allowed = match f64::from(sampler.max_anisotropy) {
                most if most > 1.0 => most.min(MAX_ANISOTROPY),
                _ => 1.0,
            };
            let ratio = match least == 0.0 {
                true if most == 0.0 => 1.0,
                true => allowed,
                false => (most / least).min(allowed),
            };
            samples = ratio.ceil();
            libm::log2(most / ratio)
        }
    };
    let bias = (f64::from(sampler.lod_bias) + bias).clamp(-MAX_BIAS, MAX_BIAS);
    let unclamped = base + bias;
    let least = f64::from(sampler.min_lod).max(min_lod);
    // Where the bounds are the wrong way round, the result is undefined: it is the upper one.
    let clamped = unclamped.max(least).min(sampler.max_lod.into());
    Detail {
        unclamped,
        clamped,
        samples: samples as u32,
        is_x_longer,
    }
}

/// The length of a step in texels.
fn length(step: [f64; 3], size: [u32; 3]) -> f64 {
    let squares = step.iter().zip(size).map(|(step, size)| {
        let texels = step * f64::from(size);
        texels * texels
    });
    squares.sum::<f64>().sqrt()
}

/// The level that a level of detail is, with fractions if they are interpolated.
pub(crate) fn level(sampler: &Sampler, detail: f64, levels: u32) -> f64 {
    filtered(sampler.mip_filter, detail, levels)
}

/// The single level that is nearest to a level of detail.
pub(super) fn nearest(detail: f64, levels: u32) -> u32 {
    filtered(Filter::Nearest, detail, levels) as u32
}

fn filtered(filter: Filter, detail: f64, levels: u32) -> f64 {
    let last = f64::from(levels.saturating_sub(1));
    // What is no number is 0.
    let level = detail.max(0.0).min(last);
    match filter {
        Filter::Nearest => ((level + 0.5).ceil() - 1.0).max(0.0),
        Filter::Linear => level,
    }
}

/// The two levels that are sampled, and the weight of the second.
pub(crate) fn levels(sampler: &Sampler, detail: f64, levels: u32) -> (u32, u32, f64) {
    let level = level(sampler, detail, levels);
    let first = level.floor();
    let second = (first as u32 + 1).min(levels.saturating_sub(1));
    (first as u32, second, level - first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detail(sampler: &Sampler, x: [f64; 3], y: [f64; 3]) -> Detail {
        let lod = Lod::Gradients(Gradients { x, y });
        level_of_detail(sampler, lod, [8, 4, 1], 0.0, 0.0)
    }

    #[test]
    fn the_longer_step_counts() {
        let sampler = Sampler::default();
        assert_eq!(detail(&sampler, [0.25, 0.0, 0.0], [0.0; 3]).clamped, 1.0);
        assert_eq!(
            detail(&sampler, [0.0, 0.25, 0.0], [0.5, 0.0, 0.0]).clamped,
            2.0
        );
        // 3² + 4² is 5².
        let step = [3.0 / 8.0, 4.0 / 4.0, 0.0];
        assert_eq!(detail(&sampler, step, [0.0; 3]).clamped, 5f64.log2());
        // A point is magnified without end.
        let point = detail(&sampler, [0.0; 3], [0.0; 3]);
        assert_eq!((point.unclamped, point.clamped), (f64::NEG_INFINITY, 0.0));
    }

    #[test]
    fn anisotropy_takes_several_samples() {
        let sampler = Sampler::default().max_anisotropy(4.0);
        let long = detail(&sampler, [1.0, 0.0, 0.0], [0.0, 0.25, 0.0]);
        assert_eq!(
            (long.clamped, long.samples, long.is_x_longer),
            (1.0, 4, true)
        );
        let round = detail(&sampler, [0.25, 0.0, 0.0], [0.0, 0.5, 0.0]);
        assert_eq!((round.clamped, round.samples), (1.0, 1));
    }

    #[test]
    fn bias_and_bounds() {
        let at = |sampler: &Sampler, lod: f64, bias: f64, least: f64| {
            level_of_detail(sampler, Lod::Explicit(lod), [1; 3], bias, least)
        };
        let sampler = Sampler::default().lod_bias(0.5).max_lod(2.0);
        assert_eq!(at(&sampler, 1.0, 0.25, 0.0).clamped, 1.75);
        let high = at(&sampler, 5.0, 0.0, 0.0);
        assert_eq!((high.unclamped, high.clamped), (5.5, 2.0));
        assert_eq!(at(&sampler, -3.0, 0.0, 1.25).clamped, 1.25);
        assert_eq!(
            at(&Sampler::default().min_lod(1.0), 0.0, 0.0, 0.0).clamped,
            1.0
        );
        assert_eq!(at(&sampler, 0.0, 99.0, 0.0).unclamped, 16.0);
    }

    #[test]
    fn levels_are_rounded_or_mixed() {
        let nearest = Sampler::default();
        let chosen = [-1.0, 0.4, 0.5, 0.51, 1.5, 9.0].map(|it| levels(&nearest, it, 3).0);
        assert_eq!(chosen, [0, 0, 0, 1, 1, 2]);
        let linear = Sampler::default().mip_filter(Filter::Linear);
        assert_eq!(levels(&linear, 0.25, 3), (0, 1, 0.25));
        assert_eq!(levels(&linear, 2.5, 3), (2, 2, 0.0));
        assert_eq!(levels(&linear, f64::NAN, 3), (0, 1, 0.0));
    }
}
