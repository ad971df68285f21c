//! Floating-point numbers of 8 bits and `bfloat16`, and what decorations and execution modes
//! say of rounding and of denormals.

use spirvkit_interp::Run;

use crate::kernels::kernel;
use crate::shader::{gives, run, shader};

const SIZES: [u32; 3] = [4, 8, 32];

/// A format by its definition: how many bits exponents and fractions have.
#[derive(Clone, Copy)]
struct Format {
    name: &'static str,
    width: u32,
    fraction: u32,
    /// Whether the greatest exponent is for infinities and NaNs only.
    is_ieee: bool,
}

const E4M3: Format = Format {
    name: "Float8E4M3EXT",
    width: 8,
    fraction: 3,
    is_ieee: false,
};
const E5M2: Format = Format {
    name: "Float8E5M2EXT",
    width: 8,
    fraction: 2,
    is_ieee: true,
};
const BF16: Format = Format {
    name: "BFloat16KHR",
    width: 16,
    fraction: 7,
    is_ieee: true,
};

impl Format {
    /// What bits stand for. Numbers of all these formats are numbers of 64 bits, too.
    fn decode(self, bits: u32) -> f64 {
        let exponents = 1 << (self.width - 1 - self.fraction);
        let exponent = bits >> self.fraction & (exponents - 1);
        let fraction = bits & ((1 << self.fraction) - 1);
        let part = f64::from(fraction) / f64::from(1 << self.fraction);
        let bias = exponents as i32 / 2 - 1;
        let is_last = exponent == exponents - 1;
        let magnitude = match self.is_ieee {
            true if is_last && fraction == 0 => f64::INFINITY,
            true if is_last => f64::NAN,
            false if is_last && fraction == (1 << self.fraction) - 1 => f64::NAN,
            _ if exponent == 0 => part * 2f64.powi(1 - bias),
            _ => (1.0 + part) * 2f64.powi(exponent as i32 - bias),
        };
        match bits >> (self.width - 1) {
            0 => magnitude,
            _ => -magnitude,
        }
    }

    /// The bits of the greatest number.
    fn greatest(self) -> u32 {
        let sign = 1 << (self.width - 1);
        match self.is_ieee {
            true => sign - (1 << self.fraction) - 1,
            false => sign - 2,
        }
    }

    /// The bits of the number that is nearest, the even ones of two; of what follows the
    /// greatest, if that is nearer.
    fn encode(self, number: f64, saturates: bool) -> u32 {
        let sign = u32::from(number.is_sign_negative()) << (self.width - 1);
        let greatest = self.greatest();
        let magnitude = number.abs();
        let last = self.decode(greatest);
        let beyond = last + (last - self.decode(greatest - 1));
        if magnitude >= beyond {
            return sign | if saturates { greatest } else { greatest + 1 };
        }
        let below = (0..=greatest)
            .rev()
            .find(|&it| self.decode(it) <= magnitude);
        let below = below.unwrap_or(0);
        let above = match below == greatest {
            true => beyond,
            false => self.decode(below + 1),
        };
        let (down, up) = (magnitude - self.decode(below), above - magnitude);
        let is_up = up < down || up == down && below & 1 == 1;
        let bits = below + u32::from(is_up);
        sign | if saturates { bits.min(greatest) } else { bits }
    }
}

/// Numbers of 32 bits around those of a format: these, what is halfway to the next, and what is
/// just beside that.
fn around(format: Format) -> Vec<u32> {
    let mut numbers: Vec<f64> = vec![0.0, -0.0, 1e30, -1e30, f64::INFINITY, f64::NEG_INFINITY];
    for bits in 0..=format.greatest() {
        let (low, high) = (format.decode(bits), format.decode(bits + 1));
        let high = match high.is_finite() {
            true => high,
            false => low + (low - format.decode(bits - 1)),
        };
        numbers.push(-low);
        numbers.push((low + high) / 2.0);
        let halfway = ((low + high) / 2.0) as f32;
        numbers.push(f32::from_bits(halfway.to_bits() + 1).into());
        numbers.push((-f32::from_bits(halfway.to_bits() - 1)).into());
    }
    numbers.iter().map(|&it| (it as f32).to_bits()).collect()
}

fn globals(format: Format) -> String {
    let (name, width) = (format.name, format.width);
    let integer = if width == 8 { "8" } else { "16" };
    format!("%small = OpTypeFloat {width} {name}\n%integer = OpTypeInt {integer} 0")
}

/// Runs a shader on 64 inputs at a time.
#[track_caller]
fn each(globals: &str, body: &str, inputs: &[u32], check: impl Fn(u32, u32)) {
    let words = shader(globals, body);
    for size in SIZES {
        for inputs in inputs.chunks(64) {
            let mut padded = inputs.to_vec();
            padded.resize(64, 0);
            let out = run(&words, size, &padded);
            assert!(out.findings.is_empty(), "{:?}", out.findings);
            let results = out.read::<u32>(0, 1);
            inputs
                .iter()
                .zip(results)
                .for_each(|(&input, it)| check(input, it));
        }
    }
}

#[test]
fn small_numbers_are_made_wide() {
    for format in [E4M3, E5M2, BF16] {
        let step = if format.width == 8 { 1 } else { 509 };
        let inputs: Vec<u32> = (0..1 << format.width).step_by(step).collect();
        let body = "%bits = OpUConvert %integer %value
%number = OpBitcast %small %bits
%wide = OpFConvert %f32 %number
%result = OpBitcast %u32 %wide";
        each(&globals(format), body, &inputs, |input, result| {
            let (expected, found) = (format.decode(input), f32::from_bits(result));
            match expected.is_nan() {
                true => assert!(found.is_nan(), "{} {input:#x}", format.name),
                false => assert_eq!(f64::from(found).to_bits(), expected.to_bits()),
            }
        });
    }
}

#[test]
fn numbers_are_rounded_to_small_ones() {
    for format in [E4M3, E5M2, BF16] {
        let mut inputs = around(format);
        if format.width == 16 {
            inputs = inputs.into_iter().step_by(997).collect();
        }
        for saturates in [false, true] {
            let decoration = "OpDecorate %narrow SaturatedToLargestFloat8NormalConversionEXT\n";
            let is_decorated = saturates && format.width == 8;
            let globals = match is_decorated {
                true => format!("{decoration}{}", globals(format)),
                false => globals(format),
            };
            let body = "%number = OpBitcast %f32 %value
%narrow = OpFConvert %small %number
%bits = OpBitcast %integer %narrow
%result = OpUConvert %u32 %bits";
            each(&globals, body, &inputs, |input, result| {
                let number = f32::from_bits(input).into();
                let expected = format.encode(number, is_decorated);
                // A NaN has no sign.
                match format.decode(expected).is_nan() {
                    true => assert!(format.decode(result).is_nan(), "{number}"),
                    false => assert_eq!(result, expected, "{} of {number}", format.name),
                }
            });
        }
        let body = "%number = OpBitcast %f32 %value
%narrow = OpFConvert %small %number
%wide = OpFConvert %f32 %narrow
%is_nan = OpIsNan %bool %wide
%result = OpSelect %u32 %is_nan %u1 %u0";
        let nans = [0x7fc0_0000, 0xffc0_0001, 0x3f80_0000];
        gives(&globals(format), body, &nans, |index, _| {
            u32::from(index < 2)
        });
    }
}

/// A number to an integer, rounded as a mode says.
fn rounded(mode: &str, number: f32) -> i32 {
    let result = match mode {
        "RTE" => number.round_ties_even(),
        "RTZ" => number.trunc(),
        "RTP" => number.ceil(),
        _ => number.floor(),
    };
    result as i32
}

#[test]
fn kernels_choose_how_conversions_round() {
    let numbers = [
        0.5f32, 1.5, 2.5, -0.5, -1.5, 2.75, -2.75, 3.0, 1e-30, -1e-30,
    ];
    let inputs: Vec<u32> = numbers.iter().map(|it| it.to_bits()).collect();
    for mode in ["RTE", "RTZ", "RTP", "RTN"] {
        let globals = format!(
            "OpDecorate %integer FPRoundingMode {mode}
%f32_ = OpTypeFloat 32
%p_in = OpTypePointer CrossWorkgroup %u32"
        );
        let body = "%in_at = OpInBoundsPtrAccessChain %p_in %in %index
%bits = OpLoad %u32 %in_at Aligned 4
%number = OpBitcast %f32_ %bits
%integer = OpConvertFToS %u32 %number
%result = OpCopyObject %u32 %integer";
        let words = kernel(64, &globals, &[("in", "%p_in")], body);
        for size in SIZES {
            let run = Run::new(&words).subgroup_size(size);
            let run = run.argument("in", &inputs).argument("out", &[0u32; 10]);
            let out = run.local_size([10, 1, 1]).dispatch([1, 1, 1]).unwrap();
            assert!(out.findings.is_empty(), "{:?}", out.findings);
            let results = out.argument::<u32>("out");
            for (number, result) in numbers.iter().zip(results) {
                assert_eq!(rounded(mode, *number), result as i32, "{mode} of {number}");
            }
        }
    }
}

#[test]
fn conversions_to_small_numbers_round_as_decorated() {
    // 1 + 2⁻⁹ is between 1 and 1 + 2⁻⁷ in `bfloat16`, and nearer to 1.
    let numbers = [1.001_953_1f32, -1.001_953_1];
    let inputs: Vec<u32> = numbers.iter().map(|it| it.to_bits()).collect();
    for (mode, expected) in [
        ("RTE", [0x3f80, 0xbf80]),
        ("RTZ", [0x3f80, 0xbf80]),
        ("RTP", [0x3f81, 0xbf80]),
        ("RTN", [0x3f80, 0xbf81]),
    ] {
        let decoration = format!("OpDecorate %narrow FPRoundingMode {mode}\n");
        let globals = decoration + &globals(BF16);
        let body = "%number = OpBitcast %f32 %value
%narrow = OpFConvert %small %number
%bits = OpBitcast %integer %narrow
%result = OpUConvert %u32 %bits";
        gives(&globals, body, &inputs, |index, _| {
            expected.get(index as usize).copied().unwrap_or(0)
        });
    }
}

#[test]
fn denormals_are_flushed_where_a_mode_says_so() {
    let denormal = 0x0000_1000u32;
    let smallest = 0x0080_0000u32;
    let inputs = [denormal, denormal | 1 << 31, smallest, smallest | 1 << 31];
    let half = "%half = OpConstant %f32 0.5\n";
    let flush = "OpExecutionMode %main DenormFlushToZero 32\n";
    let sum = "%number = OpBitcast %f32 %value
%sum = OpFAdd %f32 %number %number
%result = OpBitcast %u32 %sum";
    let product = "%number = OpBitcast %f32 %value
%product = OpFMul %f32 %number %half
%result = OpBitcast %u32 %product";
    let double = |it: u32| (f32::from_bits(it) * 2.0).to_bits();
    let halved = |it: u32| (f32::from_bits(it) * 0.5).to_bits();
    gives(half, sum, &inputs, |_, it| double(it));
    gives(half, product, &inputs, |_, it| halved(it));
    let flushing = format!("{flush}{half}");
    let is_denormal = |it: u32| it & 0x7f80_0000 == 0;
    gives(&flushing, sum, &inputs, |_, it| match is_denormal(it) {
        true => it & 1 << 31,
        false => double(it),
    });
    // What is halved becomes too small, and keeps its sign.
    gives(&flushing, product, &inputs, |_, it| it & 1 << 31);
    // What only moves bits leaves them alone.
    let moved = "%number = OpBitcast %f32 %value
%condition = OpIEqual %bool %index %index
%chosen = OpSelect %f32 %condition %number %half
%result = OpBitcast %u32 %chosen";
    gives(&flushing, moved, &inputs, |_, it| it);
}

#[test]
fn modes_say_how_arithmetic_rounds() {
    // The sum is halfway between two numbers, and above it for the last.
    let tiny = f32::from_bits(0x3380_0000);
    let inputs = [1.0f32, -1.0, 1.000_000_1].map(f32::to_bits);
    let body = "%number = OpBitcast %f32 %value
%sum = OpFAdd %f32 %number %tiny
%result = OpBitcast %u32 %sum";
    for (mode, expected) in [
        (
            "RoundingModeRTE 32",
            [0x3f80_0000, 0xbf7f_ffff, 0x3f80_0002],
        ),
        (
            "RoundingModeRTZ 32",
            [0x3f80_0000, 0xbf7f_ffff, 0x3f80_0001],
        ),
        (
            "RoundingModeRTPINTEL 32",
            [0x3f80_0001, 0xbf7f_ffff, 0x3f80_0002],
        ),
        (
            "RoundingModeRTNINTEL 32",
            [0x3f80_0000, 0xbf7f_ffff, 0x3f80_0001],
        ),
    ] {
        let globals = format!("OpExecutionMode %main {mode}\n%tiny = OpConstant %f32 {tiny:e}");
        let body = format!("%bits = OpIAdd %u32 %value %u0\n{body}");
        gives(&globals, &body, &inputs, |index, _| {
            let rest = tiny.to_bits();
            expected.get(index as usize).copied().unwrap_or(rest)
        });
    }
    let globals = "OpExecutionMode %main FloatingPointModeALTINTEL 32";
    let words = shader(globals, "%result = OpIAdd %u32 %value %u1");
    let run = Run::new(&words).storage(0, 0, &[0u32; 64]);
    let error = run.zeroed(0, 1, 256).dispatch([1, 1, 1]).unwrap_err();
    assert!(
        error.to_string().contains("FloatingPointModeALTINTEL"),
        "{error}"
    );
}
