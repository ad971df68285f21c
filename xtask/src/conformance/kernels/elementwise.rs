//! Operations on single elements. Their kernels look alike, so they are known by their names:
//! each has a hash of the module in it.

use std::f64::consts::PI;

use super::formats::Format;
use super::random::Random;
use super::rows::{strides, two_tensors};
use super::shape::Shape;
use super::{Case, Operation, Output, bits};

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        name: "function of each element",
        case: unary,
    },
    Operation {
        name: "function of each element, strided",
        case: strided,
    },
    Operation {
        name: "function of two elements",
        case: binary,
    },
    Operation {
        name: "gated unit",
        case: gated,
    },
];

type Function = fn(f64) -> f64;
type Function2 = fn(f64, f64) -> f64;

/// Kernels of 32- and 16-bit floats.
const UNARY: &[([&str; 2], Function)] = &[
    (["509b7686b745", "b310fbe9c022"], f64::abs),
    (["f6b62b75e283", "cb132688675d"], f64::ceil),
    (["17b480c787ef", "09df8f91c59c"], elu),
    (["0ae16a0e1638", "b65e98e66ca8"], f64::exp),
    (["71f54dcc32d3", "b57aa4e4af24"], f64::floor),
    (["bd974b2e0e88", "1bbbeb2f7b96"], gelu),
    (["273d0750c11e", "326dd9e5ec9b"], gelu_erf),
    (["05b4d25b3d7d", "7646f3d3e76c"], gelu_quick),
    (["7491932bdf98", "0d9316690bc6"], hard_sigmoid),
    (["3ad1c92656a8", "eb9147ca0741"], hard_swish),
    (["9dcfbe8083a0", "7ecd83c78e5e"], |x| -x),
    (["d0b1870d3359", "31cfaae8d1be"], |x| x.max(0.0)),
    (["20f917d6bf60", "13baf9315dba"], f64::round),
    (["0bc36fef7911", "1fff09d1ae6b"], sign),
    (["972ed5c5c41b", "0c3d9dc0c577"], sigmoid),
    (["3f9dd9c04eda", "c5f4f6293a10"], silu),
    (["c5f03b28986d", "e50db45fe919"], softplus),
    (["76a94c3bdefb", "e8b447740887"], step),
    (["0012c4ec6286", "525a615fcf70"], f64::tanh),
    (["8be331d8856d", "ee01892526f8"], f64::trunc),
];

const STRIDED: &[(&[&str], Function)] = &[
    // Copies.
    (
        &[
            "0af5bb6e3ff1",
            "cc4f39116dae",
            "21d47e541c04",
            "f93c4f2cbf99",
            "2faf9c4665f6",
            "7da3772d1639",
            "91d9dd9aeeb0",
            "0d67ff203114",
            "a18ce99577fa",
            "29333cd6cbea",
            "77efc10dba8b",
            "c3e7a7bcf0ed",
            "cfae8933dddd",
            "6d6a8c5bd99b",
        ],
        |x| x,
    ),
    (&["9f05e350fd39"], f64::cos),
    (&["bf212f501b8c"], f64::sin),
    (&["939cbd4bd970"], f64::sqrt),
    (&["f849639c9d25"], |x| x * x),
    (&["ac8dc88e06fa", "d97ea38db654"], f64::ln),
    (&["4c44fa98d948"], |x| x.clamp(-0.25, 0.5)),
    (&["c9571e406413"], |x| x * -0.25 + 0.5),
];

/// What is multiplied with the second element.
const GATED: &[([&str; 2], Function)] = &[
    (["628f251f1c46", "07b19d9705d3"], gelu),
    (["fcaeea5c8a23", "c89721f11fa5"], gelu_erf),
    (["ef0609bb2f59", "2fb824a147f4"], gelu_quick),
    (["f6093d4584b0", "81f484ffdf4d"], |x| x.max(0.0)),
    (["e843384af6e1", "dc913476573b"], silu),
];

/// Each for 32- and 16-bit floats as operands and result.
const BINARY: &[(&[&str], Function2)] = &[
    (
        &[
            "ec37e4d1f88e",
            "ca2faadbfc59",
            "d9fec113a399",
            "da6f3f966526",
            "a0ba10284dce",
            "6da99fb34097",
            "90834bee82fc",
            "63922e3efcb0",
        ],
        |a, b| a + b,
    ),
    (
        &[
            "1e2984df36ad",
            "1ae7c230255c",
            "44460a31254a",
            "f5f8a0621ef7",
            "3deecbff0876",
            "e79e0e2af123",
            "2514349b5035",
            "fc019354fe28",
        ],
        |a, b| a / b,
    ),
    (
        &[
            "80a2f2e58af1",
            "05aa0ed6015c",
            "25db4bfe3225",
            "65595b6e0eee",
            "4505c42b1ec2",
            "5f104290547d",
            "d346fe1761f6",
            "43c7cbb5f1aa",
        ],
        |a, b| a * b,
    ),
    (
        &[
            "b116e9f2bad3",
            "54d1018d3e13",
            "1a9f79810930",
            "e97e5a9e1ea0",
            "994f75a7a1c7",
            "122147012fe2",
            "70c5ecfb4004",
            "4748e533be72",
        ],
        |a, b| a - b,
    ),
];

fn elu(x: f64) -> f64 {
    if x < 0.0 { x.exp_m1() } else { x }
}

fn gelu(x: f64) -> f64 {
    x / 2.0 * (1.0 + ((2.0 / PI).sqrt() * x * (1.0 + 0.044715 * x * x)).tanh())
}

fn gelu_erf(x: f64) -> f64 {
    x / 2.0 * (1.0 + erf(x / 2f64.sqrt()))
}

/// The error function, by its series around 0.
fn erf(x: f64) -> f64 {
    let mut term = x;
    let mut sum = x;
    for n in 1..60 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    sum * 2.0 / PI.sqrt()
}

fn gelu_quick(x: f64) -> f64 {
    x / (1.0 + (-1.702 * x).exp())
}

fn hard_sigmoid(x: f64) -> f64 {
    ((x + 3.0) / 6.0).clamp(0.0, 1.0)
}

fn hard_swish(x: f64) -> f64 {
    x * hard_sigmoid(x)
}

fn sign(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn silu(x: f64) -> f64 {
    x * sigmoid(x)
}

fn softplus(x: f64) -> f64 {
    x.exp().ln_1p()
}

fn step(x: f64) -> f64 {
    f64::from(u8::from(x >= 0.0))
}

/// Numbers in a format around 0, not larger than `most`.
fn inputs(format: Format, count: usize, most: f64, seed: u64) -> (Vec<u8>, Vec<f64>) {
    let mut random = Random::new(seed);
    let numbers: Vec<f64> = (0..count).map(|_| random.number() * most).collect();
    let bytes = format.encode(&numbers);
    let values = format.decode(&bytes);
    (bytes, values)
}

/// What must be at a binding, as exact as the format is.
pub(super) fn output(binding: u32, format: Format, numbers: Vec<f64>) -> Output {
    let part = match format {
        Format::F16 => 2e-3,
        Format::Bf16 => 8e-3,
        _ => 2e-6,
    };
    let close = |x: f64| Some((x, x.abs() * part + part));
    Output {
        binding,
        format,
        numbers: numbers.into_iter().map(close).collect(),
    }
}

/// Room for so many numbers.
pub(super) fn room(format: Format, count: usize) -> Vec<u8> {
    vec![0; format.block().1 * count]
}

const COUNT: usize = 700;

fn unary(shape: &Shape) -> Option<Case> {
    let known = |names: &[&str; 2]| names.iter().any(|name| shape.is_named(name));
    let (_, function) = UNARY.iter().find(|it| known(&it.0))?;
    let (from, to) = shape.format(0).zip(shape.format(1))?;
    let (bytes, values) = inputs(from, COUNT, 4.0, 20);
    Some(Case {
        push: vec![COUNT as u32, 1, 0, 0, 0, 0],
        buffers: [(0, bytes), (1, room(to, COUNT))].into(),
        groups: [1, COUNT.div_ceil(512) as u32, 1],
        outputs: vec![output(1, to, values.into_iter().map(function).collect())],
        ..Case::default()
    })
}

/// What operations on one tensor get: sizes and strides of both, parameters, and numbers to
/// divide by the sizes.
pub(super) fn one_tensor(sizes: [usize; 4], parameters: [f32; 2]) -> Vec<u32> {
    let mut push = vec![sizes.iter().product::<usize>() as u32];
    for _ in 0..2 {
        push.extend(sizes.map(|it| it as u32));
        push.extend(strides(sizes));
    }
    push.push(0);
    push.extend(parameters.map(bits));
    let [x, y, z, _] = sizes;
    for _ in 0..2 {
        push.extend([x * y * z, x * y, x].map(divisor).as_flattened());
    }
    push
}

/// The factor and shift by which to divide: `(high(n * factor) + n) >> shift`.
pub(super) fn divisor(by: usize) -> [u32; 2] {
    let shift = by.next_power_of_two().trailing_zeros();
    let factor = ((1u64 << 32) * ((1 << shift) - by as u64)) / by as u64 + 1;
    [factor as u32, shift]
}

fn strided(shape: &Shape) -> Option<Case> {
    let known = |names: &&[&str]| names.iter().any(|name| shape.is_named(name));
    let (_, function) = STRIDED.iter().find(|it| known(&it.0))?;
    let (from, to) = shape.format(0).zip(shape.format(1))?;
    let most = match [from, to].contains(&Format::I32) {
        true => 100.0,
        false => 1.0,
    };
    let (bytes, mut values) = inputs(from, COUNT, most, 21);
    let bytes = match function(-1.0).is_nan() {
        true => {
            values = values.iter().map(|x| x.abs() + 0.25).collect();
            let bytes = from.encode(&values);
            values = from.decode(&bytes);
            bytes
        }
        false => bytes,
    };
    let numbers = values.into_iter().map(function);
    let numbers = match to {
        Format::I32 => numbers.map(f64::trunc).collect(),
        _ => numbers.collect(),
    };
    Some(Case {
        // Limits of `clamp`, factor and summand of `scale`.
        push: one_tensor([70, 5, 2, 1], [-0.25, 0.5]),
        buffers: [(0, bytes), (1, room(to, COUNT))].into(),
        groups: [1, COUNT.div_ceil(512) as u32, 1],
        outputs: vec![output(1, to, numbers)],
        ..Case::default()
    })
}

/// The second operand has one row and one channel for all of the first.
fn binary(shape: &Shape) -> Option<Case> {
    let known = |names: &&[&str]| names.iter().any(|name| shape.is_named(name));
    let (_, function) = BINARY.iter().find(|it| known(&it.0))?;
    let [a, b, to] = [shape.format(0)?, shape.format(1)?, shape.format(2)?];
    let sizes = [70, 5, 2, 1];
    let (left, lefts) = inputs(a, COUNT, 4.0, 22);
    let mut random = Random::new(23);
    let rights: Vec<f64> = (0..70).map(|_| random.number() + 2.0).collect();
    let right = b.encode(&rights);
    let rights = b.decode(&right);
    let pairs = lefts.iter().zip(rights.iter().cycle());
    let numbers = pairs.map(|(&a, &b)| function(a, b)).collect();
    Some(Case {
        push: two_tensors(COUNT, [sizes, [70, 1, 1, 1], sizes], [0; 3]),
        buffers: [(0, left), (1, right), (2, room(to, COUNT))].into(),
        groups: [1, COUNT.div_ceil(512) as u32, 1],
        outputs: vec![output(2, to, numbers)],
        ..Case::default()
    })
}

/// Both halves in tensors of their own.
fn gated(shape: &Shape) -> Option<Case> {
    let known = |names: &[&str; 2]| names.iter().any(|name| shape.is_named(name));
    let (_, function) = GATED.iter().find(|it| known(&it.0))?;
    let format = shape.format(0)?;
    let (columns, rows) = (70, 10);
    let (left, lefts) = inputs(format, COUNT, 3.0, 24);
    let (right, rights) = inputs(format, COUNT, 3.0, 25);
    let pairs = lefts.iter().zip(&rights);
    let numbers = pairs.map(|(&a, b)| function(a) * b).collect();
    let [n, c, r] = [COUNT, columns, rows].map(|it| it as u32);
    let apart = [c, n, n, r, 1];
    let mut push = vec![n, c, c, 2, bits(1.0), bits(0.0)];
    push.extend(apart);
    push.extend(apart);
    Some(Case {
        push,
        buffers: [(0, left), (1, right), (2, room(format, COUNT))].into(),
        groups: [1, COUNT.div_ceil(512) as u32, 1],
        outputs: vec![output(2, format, numbers)],
        ..Case::default()
    })
}
