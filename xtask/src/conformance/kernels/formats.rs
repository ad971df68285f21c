//! How ggml's formats of numbers lie in memory: blocks of small integers with scales. Only
//! decoding is needed, since any bytes with finite scales are a block.

use spirvkit::binary::FloatFormat;
use spirvkit::eval::{Environment, Scalar, ScalarType, evaluate_scalar};
use spirvkit::grammar::Op;

use super::random::Random;

/// A format of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    F32,
    F16,
    Bf16,
    I32,
    Q1_0,
    Q4_0,
    Q4_1,
    Q5_0,
    Q5_1,
    Q8_0,
    Q2K,
    Q3K,
    Q4K,
    Q5K,
    Q6K,
    Iq4Nl,
    Iq4Xs,
    Mxfp4,
    /// Four `q8_1` blocks with their scales in front: what activations are quantized to.
    Q8x4,
}

use Format::*;

/// The values of the four bits of `iq4_nl` and `iq4_xs`.
const UNEVEN: [i8; 16] = [
    -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113,
];

/// The magnitudes of four-bit floats, twice as large.
const E2M1: [i8; 8] = [0, 1, 2, 3, 4, 6, 8, 12];

impl Format {
    /// How many numbers a block has, and in how many bytes.
    pub(super) fn block(self) -> (usize, usize) {
        match self {
            F32 | I32 => (1, 4),
            F16 | Bf16 => (1, 2),
            Q1_0 => (128, 18),
            Q4_0 | Iq4Nl => (32, 18),
            Q4_1 => (32, 20),
            Q5_0 => (32, 22),
            Q5_1 => (32, 24),
            Q8_0 => (32, 34),
            Q2K => (256, 84),
            Q3K => (256, 110),
            Q4K => (256, 144),
            Q5K => (256, 176),
            Q6K => (256, 210),
            Iq4Xs => (256, 136),
            Mxfp4 => (32, 17),
            Q8x4 => (128, 144),
        }
    }

    /// Where the 16-bit floats of a block are, by which all else is multiplied.
    fn scales(self) -> &'static [usize] {
        match self {
            F32 | F16 | Bf16 | I32 | Mxfp4 | Q8x4 => &[],
            Q4_1 | Q5_1 | Q4K | Q5K => &[0, 2],
            Q2K => &[80, 82],
            Q3K => &[108],
            Q6K => &[208],
            Q1_0 | Q4_0 | Iq4Nl | Q5_0 | Q8_0 | Iq4Xs => &[0],
        }
    }

    /// Whether it has blocks.
    pub(super) fn is_quantized(self) -> bool {
        self.block().0 > 1
    }

    /// The bytes of so many random numbers, about as large as 1.
    pub(super) fn random(self, count: usize, random: &mut Random) -> Vec<u8> {
        match self {
            F32 | F16 | Bf16 => {
                let numbers = (0..count).map(|_| random.number());
                return self.encode(&numbers.collect::<Vec<f64>>());
            }
            I32 => {
                let bytes = (0..count).flat_map(|_| (random.word() % 1000).to_le_bytes());
                return bytes.collect();
            }
            Q8x4 => return q8_1(&(0..count).map(|_| random.number()).collect::<Vec<f64>>()),
            _ => {}
        }
        let (numbers, size) = self.block();
        let mut bytes = Vec::new();
        for _ in 0..count / numbers {
            let start = bytes.len();
            bytes.extend((0..size).map(|_| random.word() as u8));
            for &at in self.scales() {
                let scale = (random.number().abs() + 0.25) / 64.0;
                bytes[start + at..start + at + 2].copy_from_slice(&f16(scale).to_le_bytes());
            }
            if self == Mxfp4 {
                bytes[start] = 122 + (random.word() % 8) as u8;
            }
        }
        bytes
    }

    /// Numbers of a format without blocks as bytes.
    pub(super) fn encode(self, numbers: &[f64]) -> Vec<u8> {
        let bytes = numbers.iter().map(|&number| match self {
            F16 => f16(number).to_le_bytes().to_vec(),
            Bf16 => rounded(FloatFormat::BFloat16, number).bits().to_le_bytes()[..2].to_vec(),
            I32 => (number as i32).to_le_bytes().to_vec(),
            _ => (number as f32).to_le_bytes().to_vec(),
        });
        bytes.flatten().collect()
    }

    /// The numbers that bytes are.
    pub(super) fn decode(self, bytes: &[u8]) -> Vec<f64> {
        let (_, size) = self.block();
        let blocks = bytes.chunks_exact(size);
        blocks.flat_map(|block| self.decode_block(block)).collect()
    }

    fn decode_block(self, b: &[u8]) -> Vec<f64> {
        let half = |at: usize| float(FloatFormat::Half, b, at);
        let d = self.scales().first().map_or(1.0, |&at| half(at));
        let m = self.scales().get(1).map_or(0.0, |&at| half(at));
        // The low halves of bytes come first, then the high ones.
        let nibbles = |bytes: &[u8]| {
            let low = bytes.iter().map(|byte| byte & 15);
            low.chain(bytes.iter().map(|byte| byte >> 4))
                .collect::<Vec<u8>>()
        };
        let scaled = |numbers: Vec<f64>| numbers.into_iter().map(|x| x * d).collect();
        match self {
            F32 => vec![float(FloatFormat::Single, b, 0)],
            F16 => vec![half(0)],
            Bf16 => vec![float(FloatFormat::BFloat16, b, 0)],
            I32 => vec![f64::from(i32::from_le_bytes([b[0], b[1], b[2], b[3]]))],
            Q1_0 => {
                let bit = |index: usize| b[2 + index / 8] >> (index % 8) & 1;
                (0..128)
                    .map(|index| if bit(index) == 1 { d } else { -d })
                    .collect()
            }
            Q4_0 => scaled(
                nibbles(&b[2..])
                    .iter()
                    .map(|&q| f64::from(q) - 8.0)
                    .collect(),
            ),
            Q4_1 => nibbles(&b[4..])
                .iter()
                .map(|&q| f64::from(q) * d + m)
                .collect(),
            Q5_0 | Q5_1 => {
                let at = if self == Q5_0 { 2 } else { 4 };
                let high = u32::from_le_bytes([b[at], b[at + 1], b[at + 2], b[at + 3]]);
                let low = nibbles(&b[at + 4..]);
                let five = low
                    .iter()
                    .enumerate()
                    .map(|(index, &q)| f64::from(u32::from(q) | (high >> index & 1) << 4));
                match self {
                    Q5_0 => five.map(|q| (q - 16.0) * d).collect(),
                    _ => five.map(|q| q * d + m).collect(),
                }
            }
            Q8_0 => b[2..].iter().map(|&q| f64::from(q as i8) * d).collect(),
            Q2K => q2_k(b, d, m),
            Q3K => q3_k(b, d),
            Q4K => q45_k(&b[4..16], None, &b[16..], d, m),
            Q5K => q45_k(&b[4..16], Some(&b[16..48]), &b[48..], d, m),
            Q6K => q6_k(b, d),
            Iq4Nl => nibbles(&b[2..])
                .iter()
                .map(|&q| f64::from(UNEVEN[usize::from(q)]) * d)
                .collect(),
            Iq4Xs => {
                let high = u16::from_le_bytes([b[2], b[3]]);
                let part = |index: usize| {
                    let low = b[4 + index / 2] >> (4 * (index % 2)) & 15;
                    let scale = u16::from(low) | (high >> (2 * index) & 3) << 4;
                    let scale = d * (f64::from(scale) - 32.0);
                    let numbers = nibbles(&b[8 + 16 * index..][..16]).into_iter();
                    numbers.map(move |q| f64::from(UNEVEN[usize::from(q)]) * scale)
                };
                (0..8).flat_map(part).collect()
            }
            Mxfp4 => {
                let scale = f64::from(i32::from(b[0]) - 127).exp2() / 2.0;
                let number = |q: u8| {
                    let magnitude = f64::from(E2M1[usize::from(q & 7)]) * scale;
                    if q < 8 { magnitude } else { -magnitude }
                };
                nibbles(&b[1..]).into_iter().map(number).collect()
            }
            Q8x4 => {
                let number = |index: usize| f64::from(b[16 + index] as i8) * half(4 * (index / 32));
                (0..128).map(number).collect()
            }
        }
    }
}

/// Numbers quantized to blocks of 32 bytes with a scale and their sum, four and four together.
fn q8_1(numbers: &[f64]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for four in numbers.chunks(128) {
        let mut quants = Vec::new();
        for block in four.chunks(32) {
            let most = block.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            let scale = float(FloatFormat::Half, &f16(most / 127.0).to_le_bytes(), 0);
            let inverse = if scale == 0.0 { 0.0 } else { 1.0 / scale };
            let whole: Vec<i8> = block.iter().map(|x| (x * inverse).round() as i8).collect();
            let sum: f64 = whole.iter().map(|&q| f64::from(q)).sum();
            bytes.extend(f16(scale).to_le_bytes());
            bytes.extend(f16(sum * scale).to_le_bytes());
            quants.extend(whole.iter().map(|&q| q as u8));
        }
        bytes.extend(quants);
    }
    bytes
}

/// 16 scales and minima of four bits, and quants of two.
fn q2_k(b: &[u8], d: f64, m: f64) -> Vec<f64> {
    let (scales, quants) = (&b[..16], &b[16..80]);
    let number = |index: usize| {
        let (half, place) = (index / 128, index % 128);
        let q = quants[32 * half + place % 32] >> (2 * (place / 32)) & 3;
        let scale = scales[index / 16];
        d * f64::from(scale & 15) * f64::from(q) - m * f64::from(scale >> 4)
    };
    (0..256).map(number).collect()
}

/// 16 scales of six bits, and quants of three.
fn q3_k(b: &[u8], d: f64) -> Vec<f64> {
    let (mask, quants, packed) = (&b[..32], &b[32..96], &b[96..108]);
    let scale = |index: usize| {
        let low = if index < 8 {
            packed[index] & 15
        } else {
            packed[index - 8] >> 4
        };
        let high = packed[8 + index % 4] >> (2 * (index / 4)) & 3;
        f64::from(low | high << 4) - 32.0
    };
    let number = |index: usize| {
        let (half, place) = (index / 128, index % 128);
        let low = quants[32 * half + place % 32] >> (2 * (place / 32)) & 3;
        let high = mask[place % 32] >> (4 * half + place / 32) & 1;
        d * scale(index / 16) * (f64::from(low) - if high == 1 { 0.0 } else { 4.0 })
    };
    (0..256).map(number).collect()
}

/// Eight scales and minima of six bits, and quants of four, or five with a high bit.
fn q45_k(packed: &[u8], high: Option<&[u8]>, quants: &[u8], d: f64, m: f64) -> Vec<f64> {
    let pair = |index: usize| match index {
        0..4 => (packed[index] & 63, packed[index + 4] & 63),
        _ => (
            packed[index + 4] & 15 | packed[index - 4] >> 6 << 4,
            packed[index + 4] >> 4 | packed[index] >> 6 << 4,
        ),
    };
    let number = |index: usize| {
        let part = index / 32;
        let byte = quants[32 * (part / 2) + index % 32];
        let low = if part.is_multiple_of(2) {
            byte & 15
        } else {
            byte >> 4
        };
        let bit = high.map_or(0, |high| high[index % 32] >> part & 1);
        let (scale, least) = pair(part);
        d * f64::from(scale) * f64::from(low | bit << 4) - m * f64::from(least)
    };
    (0..256).map(number).collect()
}

/// 16 scales of eight bits, and quants of six.
fn q6_k(b: &[u8], d: f64) -> Vec<f64> {
    let (low, high, scales) = (&b[..128], &b[128..192], &b[192..208]);
    let number = |index: usize| {
        let (half, place) = (index / 128, index % 128);
        let (quarter, lane) = (place / 32, place % 32);
        let byte = low[64 * half + 32 * (quarter % 2) + lane];
        let four = if quarter < 2 { byte & 15 } else { byte >> 4 };
        let two = high[32 * half + lane] >> (2 * quarter) & 3;
        let scale = f64::from(scales[index / 16] as i8);
        d * scale * (f64::from(four | two << 4) - 32.0)
    };
    (0..256).map(number).collect()
}

/// The bits of a number rounded to 16 bits.
pub(super) fn f16(number: f64) -> u16 {
    rounded(FloatFormat::Half, number).bits() as u16
}

/// A number as it is after rounding to 16 bits.
pub(super) fn through_f16(number: f64) -> f64 {
    rounded(FloatFormat::Half, number).to_f64().unwrap_or(0.0)
}

fn rounded(format: FloatFormat, number: f64) -> Scalar {
    let to = ScalarType::Float(format);
    let result = evaluate_scalar(Op::FConvert, to, &[number.into()], &Environment::default());
    result.map_or(Scalar::zero(to), |outcome| outcome.common())
}

fn float(format: FloatFormat, bytes: &[u8], at: usize) -> f64 {
    let ty = ScalarType::Float(format);
    let size = format.width() as usize / 8;
    let bytes = bytes[at..at + size].iter().rev();
    let bits = bytes.fold(0, |bits, &byte| bits << 8 | u64::from(byte));
    Scalar::new(ty, bits).to_f64().unwrap_or(0.0)
}
