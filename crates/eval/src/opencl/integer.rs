//! Integer functions (OpenCL C, section 6.15.3).

use spirvkit_grammar::{GlslStd450 as Glsl, OpenClStd as OpenCl};

use crate::glsl;
use crate::integer::{signed_max, signed_min, unsigned_max};
use crate::outcome::Reason;
use crate::scalar::sign_extend;
use crate::signature::{Bits, MAX_OPERANDS, defined, undefined};

/// A function with an integer result of this width.
pub(super) fn evaluate(instruction: OpenCl, width: u32, bits: [u64; MAX_OPERANDS]) -> Bits {
    let signed = bits.map(|bits| i128::from(sign_extend(bits, width)));
    let unsigned = bits.map(i128::from);
    let unused = 64 - width;
    let a = bits[0];
    match instruction {
        OpenCl::s_max => glsl::integers(Glsl::SMax, width, bits),
        OpenCl::u_max => glsl::integers(Glsl::UMax, width, bits),
        OpenCl::s_min => glsl::integers(Glsl::SMin, width, bits),
        OpenCl::u_min => glsl::integers(Glsl::UMin, width, bits),
        OpenCl::s_clamp => glsl::integers(Glsl::SClamp, width, bits),
        OpenCl::u_clamp => glsl::integers(Glsl::UClamp, width, bits),
        OpenCl::s_abs => glsl::integers(Glsl::SAbs, width, bits),
        OpenCl::u_abs => defined(a),
        OpenCl::clz => defined(u64::from(a.leading_zeros() - unused)),
        OpenCl::ctz => defined(a.trailing_zeros().min(width).into()),
        OpenCl::popcount => defined(a.count_ones().into()),
        OpenCl::rotate => defined(rotated(a, bits[1] % u64::from(width), width)),
        OpenCl::s_mul24 | OpenCl::s_mad24 => {
            product_24(signed.map(|it| (it, i128::from(sign_extend(it as u64, 24)))))
        }
        OpenCl::u_mul24 | OpenCl::u_mad24 => product_24(unsigned.map(|it| (it, it & 0xff_ffff))),
        OpenCl::s_abs_diff
        | OpenCl::s_add_sat
        | OpenCl::s_hadd
        | OpenCl::s_rhadd
        | OpenCl::s_mad_hi
        | OpenCl::s_mad_sat
        | OpenCl::s_mul_hi
        | OpenCl::s_sub_sat => {
            let range = (signed_min(width), signed_max(width));
            defined(arithmetic(instruction, width, signed, range))
        }
        _ => {
            let range = (0, unsigned_max(width));
            defined(arithmetic(instruction, width, unsigned, range))
        }
    }
}

/// Functions that differ by the sign of what they take only.
fn arithmetic(
    instruction: OpenCl,
    width: u32,
    [a, b, c, _]: [i128; MAX_OPERANDS],
    (least, most): (i128, i128),
) -> u64 {
    let saturated = |number: i128| number.clamp(least, most) as u64;
    // The product of the greatest takes all bits, and its sign is none then.
    let high = || match least {
        0 => (a as u128 * b as u128) >> width,
        _ => ((a * b) >> width) as u128,
    };
    match instruction {
        OpenCl::s_abs_diff | OpenCl::u_abs_diff => a.abs_diff(b) as u64,
        OpenCl::s_add_sat | OpenCl::u_add_sat => saturated(a + b),
        OpenCl::s_sub_sat | OpenCl::u_sub_sat => saturated(a - b),
        OpenCl::s_hadd | OpenCl::u_hadd => ((a + b) >> 1) as u64,
        OpenCl::s_rhadd | OpenCl::u_rhadd => ((a + b + 1) >> 1) as u64,
        OpenCl::s_mul_hi | OpenCl::u_mul_hi => high() as u64,
        OpenCl::s_mad_hi | OpenCl::u_mad_hi => (high() as u64).wrapping_add(c as u64),
        // What is left are `s_mad_sat` and `u_mad_sat`.
        _ => saturated(a.saturating_mul(b).saturating_add(c)),
    }
}

/// The bits with the highest at the end.
fn rotated(bits: u64, by: u64, width: u32) -> u64 {
    match by {
        0 => bits,
        _ => bits << by | bits >> (u64::from(width) - by),
    }
}

/// The product of two integers of 24 bits plus a third; each is given with what its low 24
/// bits are. More bits are the implementation's choice.
fn product_24([(a, x), (b, y), (c, _), _]: [(i128, i128); MAX_OPERANDS]) -> Bits {
    let result = (x * y + c) as u64;
    match a == x && b == y {
        true => defined(result),
        false => undefined(Reason::Domain, result),
    }
}
