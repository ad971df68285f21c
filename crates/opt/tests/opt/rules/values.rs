//! Values that variables and constants of rules take in proofs.

use spirvkit_binary::FloatFormat;
use spirvkit_eval::ScalarType;

/// Numbers that are as random as these proofs need, and the same every time.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(2).wrapping_add(0x9e37_79b9_7f4a_7c15))
    }

    pub(super) fn bits(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.bits() % bound as u64) as usize
    }
}

/// Values at which something happens.
pub(super) fn boundary(ty: ScalarType) -> Vec<u64> {
    let width = ty.width();
    let mut values: Vec<u64> = match ty {
        ScalarType::Bool => vec![0, 1],
        ScalarType::Integer { .. } => {
            let sign = 1u64 << (width - 1);
            let near = |value: u64| [value.wrapping_sub(1), value, value.wrapping_add(1)];
            let mut values = vec![2, 3, 5, 7, 10, -2i64 as u64, -3i64 as u64, -7i64 as u64];
            for value in [0, sign, u64::from(width), u64::from(width) / 2, sign >> 1] {
                values.extend(near(value));
            }
            values.extend([
                0x5555_5555_5555_5555,
                0xaaaa_aaaa_aaaa_aaaa,
                0x0f0f_0f0f_0f0f_0f0f,
            ]);
            values.extend([4, 8, 16]);
            values
        }
        ScalarType::Float(format) => {
            let mantissa = mantissa(format);
            let bias = (1u64 << (width - mantissa - 2)) - 1;
            let number = |exponent: i64| ((bias as i64 + exponent) as u64) << mantissa;
            let infinity = ((1 << (width - mantissa - 1)) - 1) << mantissa;
            let half = 1 << (mantissa - 1);
            let mut values = vec![0, 1, 2, (1 << mantissa) - 1, half];
            // The least normal numbers, and those around 1.
            values.extend([1 << mantissa, (1 << mantissa) + 1, 2 << mantissa]);
            for exponent in [-3, -2, -1, 0, 1, 2, 3] {
                values.extend([number(exponent), number(exponent) | half]);
            }
            values.extend([number(0) + 1, number(0) - 1]);
            // Where all numbers are whole, and the greatest.
            values.extend([
                number(mantissa.into()) + 1,
                number(i64::from(mantissa) - 1) + 1,
            ]);
            values.extend([infinity - 1, infinity - (1 << mantissa), infinity]);
            values.extend([infinity | half, infinity | half | 1, infinity | 1]);
            let sign = 1 << (width - 1);
            values
                .iter()
                .flat_map(|&value| [value, value | sign])
                .collect()
        }
    };
    for value in &mut values {
        *value &= ty.mask();
    }
    values.sort_unstable();
    values.dedup();
    values
}

/// How many bits a number's fraction has.
pub(super) fn mantissa(format: FloatFormat) -> u32 {
    match format {
        FloatFormat::Half => 10,
        FloatFormat::Single => 23,
        _ => 52,
    }
}

/// A value that is often one at which something happens, or small, or near another.
pub(super) fn likely(random: &mut Random, ty: ScalarType, before: &[u64], edges: &[u64]) -> u64 {
    let any = random.bits();
    let bits = match random.below(8) {
        0..=2 => edges[random.below(edges.len())],
        3 if !before.is_empty() => {
            let near = before[random.below(before.len())];
            match random.below(6) {
                0 | 1 => near,
                2 => !near,
                3 => near.wrapping_neg(),
                4 => near.wrapping_add(1),
                _ => near ^ 1 << (ty.width() - 1),
            }
        }
        4 if matches!(ty, ScalarType::Integer { .. }) => any % 12,
        5 if matches!(ty, ScalarType::Integer { .. }) => 1 << (any % u64::from(ty.width())),
        _ => any,
    };
    bits & ty.mask()
}
