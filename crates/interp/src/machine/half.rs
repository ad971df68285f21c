//! Numbers of 16 bits to 32 and back, without branches, so that all lanes are done at once.

/// The NaNs that conversions make.
const NAN: u32 = 0x7fc0_0000;
const HALF_NAN: u32 = 0x7e00;

/// The bits of the number of 32 bits that is one of 16.
#[inline(always)]
pub(crate) fn single_of(half: u32) -> u32 {
    /// 2¹¹², by which the exponents' biases differ.
    const SCALE: f32 = f32::from_bits(0x7780_0000);
    let magnitude = half & 0x7fff;
    let sign = (half & 0x8000) << 16;
    // Denormals become normal by the multiplication, which is exact.
    let scaled = (f32::from_bits(magnitude << 13) * SCALE).to_bits();
    let finite = scaled | sign;
    let special = if magnitude > 0x7c00 {
        NAN
    } else {
        0x7f80_0000 | sign
    };
    if magnitude >= 0x7c00 { special } else { finite }
}

/// The bits of the nearest number of 16 bits, of two the even one.
#[inline(always)]
pub(crate) fn half_of(single: u32) -> u32 {
    let magnitude = single & 0x7fff_ffff;
    let sign = single >> 16 & 0x8000;
    // By adding 1/2, whose last bit is worth as much as the smallest number of 16 bits.
    let denormal = (f32::from_bits(magnitude) + 0.5)
        .to_bits()
        .wrapping_sub(0x3f00_0000);
    let odd = magnitude >> 13 & 1;
    let normal = magnitude.wrapping_sub(112 << 23).wrapping_add(0xfff + odd) >> 13;
    let finite = if magnitude < 0x3880_0000 {
        denormal
    } else {
        normal
    };
    let large = if magnitude >= 0x4780_0000 {
        0x7c00
    } else {
        finite
    };
    if magnitude > 0x7f80_0000 {
        HALF_NAN
    } else {
        large | sign
    }
}

#[cfg(test)]
mod tests {
    use super::{half_of, single_of};
    use spirvkit_binary::FloatFormat;
    use spirvkit_eval::{Environment, Scalar, ScalarType, evaluate_scalar};
    use spirvkit_grammar::Op;

    const HALF: ScalarType = ScalarType::Float(FloatFormat::Half);
    const SINGLE: ScalarType = ScalarType::Float(FloatFormat::Single);

    fn converted(from: ScalarType, to: ScalarType, bits: u32) -> u32 {
        let operand = [Scalar::new(from, bits.into())];
        let result = evaluate_scalar(Op::FConvert, to, &operand, &Environment::default());
        result.unwrap().common().bits() as u32
    }

    #[test]
    fn all_numbers_of_16_bits() {
        for half in 0..=0xffff {
            let single = converted(HALF, SINGLE, half);
            assert_eq!(single_of(half), single, "{half:#x}");
            // And what lies around them, and half-way to the next.
            for single in [
                single,
                single ^ 0x1000,
                single ^ 0xfff,
                single ^ 0x1001,
                single ^ 1,
            ] {
                let expected = converted(SINGLE, HALF, single);
                assert_eq!(half_of(single), expected, "{single:#x}");
            }
        }
    }

    #[test]
    fn numbers_that_are_too_large_or_too_small() {
        let edges = [
            0,
            1,
            0x007f_ffff,
            0x0080_0000,
            0x32ff_ffff,
            0x3300_0000,
            0x3300_0001,
            0x337f_ffff,
            0x3380_0000,
            0x387f_c000,
            0x387f_e000,
            0x387f_ffff,
            0x3880_0000,
            0x477f_efff,
            0x477f_f000,
            0x477f_ffff,
            0x4780_0000,
            0x7f7f_ffff,
            0x7f80_0000,
            0x7f80_0001,
            0x7fff_ffff,
        ];
        for single in edges
            .into_iter()
            .flat_map(|edge| [edge, edge | 0x8000_0000])
        {
            let expected = converted(SINGLE, HALF, single);
            assert_eq!(half_of(single), expected, "{single:#x}");
        }
    }
}
