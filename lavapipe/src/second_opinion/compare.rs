//! What two runs left, compared.

use serde::{Deserialize, Serialize};

/// What came of a script or module.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Compared {
    /// What the device calls itself.
    pub(crate) device: String,
    /// How many runs were compared.
    pub(crate) runs: u64,
    /// How many bytes were compared.
    pub(crate) bytes: u64,
    /// Why runs weren't compared.
    pub(crate) skipped: Vec<String>,
    /// Where runs differ.
    pub(crate) differences: Vec<Difference>,
    /// What the interpreter reports, by rule, if anything differs.
    pub(crate) findings: Vec<String>,
    /// Whether it took too long, and the process ended.
    pub(crate) has_given_up: bool,
}

/// A memory that isn't the same after a run.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Difference {
    /// Which run it is, and which memory.
    pub(crate) place: String,
    /// The first words that differ: where, what they are here, and what the driver makes of them.
    pub(crate) first: Vec<(usize, u32, u32)>,
    /// How many words differ.
    pub(crate) words: usize,
    /// How far they are apart at most, as binary16, binary32 and binary64: in units of the last
    /// place; `None` if infinitely far.
    pub(crate) ulps: [Option<u64>; 3],
    /// How far they are apart at most, as binary16, binary32 and binary64: absolutely.
    pub(crate) absolute: [f64; 3],
    /// Whether, as numbers of these sizes, they differ only where one is denormal and the other
    /// zero.
    pub(crate) flushed: [bool; 3],
}

/// How many words are shown.
const SHOWN: usize = 8;

/// The sizes of floating-point numbers, in bytes.
const SIZES: [usize; 3] = [2, 4, 8];

/// Compares two memories of the same size; `None` if they are the same.
pub(crate) fn difference(place: String, ours: &[u8], theirs: &[u8]) -> Option<Difference> {
    if ours.len() != theirs.len() {
        return Some(Difference {
            place: format!("{place}, whose size"),
            first: vec![(0, ours.len() as u32, theirs.len() as u32)],
            words: 1,
            ulps: [None; 3],
            ..Difference::default()
        });
    }
    let words = || ours.chunks(4).zip(theirs.chunks(4));
    let different = || (0..).zip(words()).filter(|(_, (a, b))| a != b);
    different().next()?;
    let first = different().map(|(at, (a, b))| (at * 4, bits(a) as u32, bits(b) as u32));
    let mut difference = Difference {
        place,
        first: first.take(SHOWN).collect(),
        words: different().count(),
        ulps: [Some(0); 3],
        absolute: [0.0; 3],
        flushed: [true; 3],
    };
    for (index, size) in SIZES.into_iter().enumerate() {
        for (a, b) in ours.chunks(size).zip(theirs.chunks(size)) {
            if a == b {
                continue;
            }
            let apart = match a.len() == size {
                true => ulps(bits(a), bits(b), size),
                false => None,
            };
            let most = &mut difference.ulps[index];
            *most = most.and_then(|most| Some(most.max(apart?)));
            let far = (value(bits(a), size) - value(bits(b), size)).abs();
            let most = &mut difference.absolute[index];
            *most = most.max(if far.is_nan() { f64::INFINITY } else { far });
            difference.flushed[index] &= is_flushed(bits(a), bits(b), size);
        }
    }
    // What is no number in JSON.
    for far in &mut difference.absolute {
        *far = far.min(f64::MAX);
    }
    Some(difference)
}

/// Up to eight bytes as a number.
fn bits(bytes: &[u8]) -> u64 {
    let bytes = bytes.iter().rev();
    bytes.fold(0, |bits, byte| bits << 8 | u64::from(*byte))
}

/// The widths of exponents and fractions.
fn widths(size: usize) -> (u32, u32) {
    match size {
        2 => (5, 10),
        4 => (8, 23),
        _ => (11, 52),
    }
}

fn value(bits: u64, size: usize) -> f64 {
    match size {
        2 => {
            let (sign, exponent) = (bits >> 15, bits >> 10 & 31);
            let fraction = (bits & 1023) as f64;
            let size = match exponent {
                31 if bits & 1023 == 0 => f64::INFINITY,
                31 => f64::NAN,
                0 => fraction * 2f64.powi(-24),
                _ => (1024.0 + fraction) * 2f64.powi(exponent as i32 - 25),
            };
            if sign == 0 { size } else { -size }
        }
        4 => f32::from_bits(bits as u32).into(),
        _ => f64::from_bits(bits),
    }
}

/// How many numbers apart two are; NaNs are all one. `None` if only one is a NaN, or infinite.
fn ulps(a: u64, b: u64, size: usize) -> Option<u64> {
    let [first, second] = [a, b].map(|it| value(it, size));
    if first.is_nan() && second.is_nan() {
        return Some(0);
    }
    if !first.is_finite() || !second.is_finite() {
        return None;
    }
    let sign = 1u64 << (size * 8 - 1);
    let [a, b] = [a, b].map(|it| {
        let magnitude = (it & (sign - 1)) as i64;
        if it & sign == 0 {
            magnitude
        } else {
            -magnitude
        }
    });
    Some(a.abs_diff(b))
}

/// Whether one is denormal and the other zero.
fn is_flushed(a: u64, b: u64, size: usize) -> bool {
    let (exponent, fraction) = widths(size);
    let exponent = ((1u64 << exponent) - 1) << fraction;
    let magnitude = (1u64 << (size * 8 - 1)) - 1;
    let is_zero = |it: u64| it & magnitude == 0;
    let is_denormal = |it: u64| it & exponent == 0 && !is_zero(it);
    is_zero(a) && is_denormal(b) || is_denormal(a) && is_zero(b)
}

impl Compared {
    /// Notes that something isn't compared.
    pub(crate) fn skip(&mut self, why: impl Into<String>) {
        let why = why.into();
        if !self.skipped.contains(&why) {
            self.skipped.push(why);
        }
    }

    /// Notes what two memories hold after a run.
    pub(crate) fn compare(&mut self, place: String, ours: &[u8], theirs: &[u8]) {
        self.bytes += ours.len() as u64;
        self.differences.extend(difference(place, ours, theirs));
    }
}

#[cfg(test)]
mod tests {
    use super::difference;

    fn words(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|it| it.to_le_bytes()).collect()
    }

    #[test]
    fn what_is_the_same_does_not_differ() {
        let bytes = words(&[1, 2]);
        assert!(difference(String::new(), &bytes, &bytes).is_none());
    }

    #[test]
    fn distances_are_counted_by_width() {
        let [ours, theirs] = [&[7, 0x3f80_0000], &[7, 0x3f80_0003]].map(|it| words(it));
        let found = difference(String::new(), &ours, &theirs).expect("a difference");
        assert_eq!(found.first, [(4, 0x3f80_0000, 0x3f80_0003)]);
        assert_eq!((found.words, found.ulps[1]), (1, Some(3)));
        assert_eq!(found.absolute[1], 3.0 * f64::from(f32::EPSILON));
    }

    #[test]
    fn distances_go_through_zero_but_not_to_infinity() {
        let near = difference(String::new(), &words(&[1]), &words(&[0x8000_0001]));
        assert_eq!(near.expect("a difference").ulps[1], Some(2));
        let far = difference(String::new(), &words(&[0x7f80_0000]), &words(&[0]));
        assert_eq!(far.expect("a difference").ulps[1], None);
        let nans = difference(
            String::new(),
            &words(&[0x7fc0_0000]),
            &words(&[0xffc0_0000]),
        );
        assert_eq!(nans.expect("a difference").ulps[1], Some(0));
    }

    #[test]
    fn denormal_numbers_may_be_flushed() {
        let flushed = difference(String::new(), &words(&[0x8000_0005]), &words(&[0]));
        assert!(flushed.expect("a difference").flushed[1]);
        let normal = difference(String::new(), &words(&[0x0080_0000]), &words(&[0]));
        assert!(!normal.expect("a difference").flushed[1]);
    }
}
