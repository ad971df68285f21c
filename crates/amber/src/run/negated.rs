//! Tests of expectations: changed by one step, they must not be met any more.
//!
//! A step is the least that a comparison has to notice, whatever was found within the
//! tolerance: a unit of the last place beyond twice the tolerance.

use spirvkit_eval::Channel;

use crate::command::{Area, Likeness, Tolerance, Values};
use crate::compare::{self, EXACT, Image, Mismatch, tolerance};
use crate::contents::{read, set, slots};
use crate::number::Number;
use crate::script::{Buffer, Script};
use crate::types::{Scalar, ScalarKind};
use crate::words::Comparator;

/// Whether numbers that compare as expected no longer do after a step, each of them.
pub(super) fn values(
    script: &Script,
    bytes: &[u8],
    values: &Values,
    comparator: Comparator,
    tolerances: &[Tolerance],
) -> bool {
    let layout = values.ty.element_layout(script, values.layout);
    let components = compare::components(values.ty.shape, layout.slots.len());
    let (comparator, is_shifted) = match comparator {
        Comparator::Equal => (Comparator::Equal, true),
        Comparator::NotEqual => (Comparator::Equal, false),
        Comparator::Less => (Comparator::GreaterOrEqual, false),
        Comparator::LessOrEqual => (Comparator::Greater, false),
        Comparator::Greater => (Comparator::LessOrEqual, false),
        Comparator::GreaterOrEqual => (Comparator::Less, false),
    };
    let mut changed = values.clone();
    if is_shifted {
        let scalars = slots(&layout, 0).map(|(_, scalar)| scalar);
        for (at, (number, scalar)) in changed.numbers.iter_mut().zip(scalars).enumerate() {
            let component = at % layout.slots.len() % components;
            *number = shifted(*number, scalar, tolerance(tolerances, component, EXACT));
        }
    }
    match compare::values(script, bytes, &changed, comparator, tolerances) {
        Err(Mismatch::Values {
            different, total, ..
        }) => different == total,
        _ => false,
    }
}

/// A number that no number within the tolerance of this one equals; the same if there is none.
fn shifted(number: Number, scalar: Scalar, tolerance: Tolerance) -> Number {
    let (bits, _) = number.to_bits(scalar);
    if scalar.kind != ScalarKind::Float && tolerance == EXACT {
        // Another of the same width.
        return Number::from_bits(bits ^ 1, scalar);
    }
    let value = Number::from_bits(bits, scalar).to_f64();
    if !value.is_finite() {
        return Number::Float(0.0);
    }
    let sign = if value < 0.0 { -1.0 } else { 1.0 };
    let moved = match tolerance {
        Tolerance::Absolute(most) => value + sign * 2.0 * most,
        // Whatever is found may be within all of itself.
        Tolerance::Percent(percent) if percent >= 100.0 => return number,
        Tolerance::Percent(percent) => {
            let share = percent / 100.0;
            value * (1.0 + share) / (1.0 - share)
        }
    };
    let moved = moved + sign * 2.0 * last_place(moved, scalar);
    match scalar.kind {
        ScalarKind::Float => Number::Float(moved),
        // The other way where there is no more room.
        _ if moved.abs() >= (scalar.bits as f64 - 1.0).exp2() => {
            Number::from((2.0 * value - moved).trunc() as i128)
        }
        _ => Number::from(moved.trunc() as i128),
    }
}

/// The unit of a number's last place in a type.
fn last_place(value: f64, scalar: Scalar) -> f64 {
    let (precision, smallest) = match (scalar.kind, scalar.bits) {
        (ScalarKind::Float, 16) => (10.0, -24.0),
        (ScalarKind::Float, 32) => (23.0, -149.0),
        (ScalarKind::Float, _) => (52.0, -1074.0),
        _ => return 1.0,
    };
    match value == 0.0 {
        true => f64::exp2(smallest),
        false => (value.abs().log2().floor() - precision)
            .max(smallest)
            .exp2(),
    }
}

/// Whether each component of a color that is as expected no longer is after a step, in all
/// texels.
pub(super) fn colors(
    image: &Image<'_>,
    area: Option<&Area>,
    color: &[f64],
    tolerances: &[Tolerance],
) -> bool {
    let channels = [Channel::Red, Channel::Green, Channel::Blue, Channel::Alpha];
    let has = |channel: &Channel| {
        let components = image.format.components().iter();
        components.clone().any(|it| it.channel == *channel)
    };
    let changes = channels.iter().zip(color).enumerate();
    let mut changes = changes.filter(|(_, (channel, _))| has(channel)).peekable();
    changes.peek().is_some()
        && changes.all(|(at, _)| {
            let most = match tolerance(tolerances, at, compare::COLOR) {
                Tolerance::Absolute(most) => most,
                Tolerance::Percent(percent) => percent / 100.0 * color[at].abs(),
            };
            let mut changed = color.to_vec();
            changed[at] += 2.0 * most + 1e-6 * color[at].abs().max(1.0);
            match compare::colors(image, area, &changed, tolerances) {
                Err(Mismatch::Texels {
                    different, total, ..
                }) => different == total,
                _ => false,
            }
        })
}

/// Whether buffers that are alike no longer are after one was changed.
pub(super) fn buffers(
    script: &Script,
    buffer: &Buffer,
    left: &[u8],
    right: &[u8],
    likeness: Likeness,
) -> bool {
    let changed: Vec<u8> = match likeness {
        Likeness::Equal => left.iter().map(|byte| byte ^ 1).collect(),
        Likeness::RootMeanSquareError(most) => {
            let layout = buffer.ty.element_layout(script, buffer.layout);
            let mut changed = right.to_vec();
            let elements = (right.len() as u64).checked_div(layout.stride).unwrap_or(0);
            let count = elements.saturating_mul(layout.slots.len() as u64) as usize;
            for (offset, scalar) in slots(&layout, 0).take(count) {
                let value = read(right, offset, scalar).to_f64() + 2.0 * most + 1.0;
                let (bits, _) = Number::Float(value).to_bits(scalar);
                set(&mut changed, offset, scalar.size(), bits);
            }
            changed
        }
        Likeness::HistogramDistance(_) => {
            let sum: u64 = right.iter().map(|byte| u64::from(*byte)).sum();
            let is_bright = sum / 128 >= right.len() as u64;
            vec![if is_bright { 0 } else { 255 }; left.len()]
        }
    };
    let found = compare::buffers(script, buffer.ty, buffer.layout, &changed, right, likeness);
    match found {
        Err(Mismatch::Bytes {
            different, total, ..
        }) => different == total,
        Err(Mismatch::Distance { .. }) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalar(kind: ScalarKind, bits: u8) -> Scalar {
        Scalar { kind, bits }
    }

    #[test]
    fn a_step_leaves_the_tolerance_of_all_that_was_equal() {
        let float = scalar(ScalarKind::Float, 32);
        let of = |value: f64, ty, tolerance| {
            let number = shifted(Number::Float(value), ty, tolerance);
            Number::from_bits(number.to_bits(ty).0, ty).to_f64()
        };
        // Found at the far end of the tolerance, a number is still outside of the other's.
        assert!(of(1.0, float, Tolerance::Absolute(0.5)) - 1.5 > 0.5);
        assert!(of(-1.0, float, Tolerance::Absolute(0.5)) + 1.5 < -0.5);
        let percent = of(1.0, float, Tolerance::Percent(50.0));
        assert!(percent - 1.5 > 0.5 * percent);
        assert!(of(1.0, float, EXACT) > 1.0 + 1e-7);
        assert!(of(1.0, float, EXACT) < 1.0 + 1e-6);
        assert!(of(0.0, float, EXACT) > 0.0);
        assert_eq!(of(f64::NAN, float, EXACT), 0.0);
        assert_eq!(of(f64::INFINITY, float, EXACT), 0.0);
        let half = scalar(ScalarKind::Float, 16);
        assert!(of(2048.0, half, EXACT) > 2048.0);
    }

    #[test]
    fn integers_stay_in_their_type() {
        for (kind, bits, value) in [
            (ScalarKind::Unsigned, 8, 255),
            (ScalarKind::Signed, 8, 127),
            (ScalarKind::Signed, 8, -128),
            (ScalarKind::Unsigned, 64, u64::MAX.into()),
        ] {
            let ty = scalar(kind, bits);
            let number = shifted(Number::from(value), ty, EXACT);
            let step = number.to_integer().unwrap() - value;
            assert_eq!(step.abs(), 1, "{value}");
            let number = shifted(Number::from(value), ty, Tolerance::Absolute(2.0));
            if bits == 8 {
                assert!((number.to_integer().unwrap() - value).abs() > 4, "{value}");
                assert!(number.to_integer().unwrap().abs() < 256, "{value}");
            }
        }
    }
}
