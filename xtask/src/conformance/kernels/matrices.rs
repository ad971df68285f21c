//! Products of matrices with vectors and matrices, of all formats.

use spirvkit::grammar::{Capability, Op};

use super::formats::{Format, through_f16};
use super::random::Random;
use super::shape::Shape;
use super::{Case, Operation, Output};

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        name: "matrix × vector",
        case: matrix_vector,
    },
    Operation {
        name: "matrix × vector, by expert",
        case: matrix_vector_by_expert,
    },
    Operation {
        name: "matrix × matrix",
        case: matrix_matrix,
    },
    Operation {
        name: "matrix × matrix, by expert",
        case: matrix_matrix_by_expert,
    },
    Operation {
        name: "matrix × vector, permuted",
        case: matrix_vector_permuted,
    },
];

/// Numbers in a format, as a module gets them and as they are computed with.
struct Numbers {
    bytes: Vec<u8>,
    values: Vec<f64>,
}

impl Numbers {
    fn random(format: Format, count: usize, random: &mut Random) -> Self {
        let bytes = format.random(count, random);
        let values = format.decode(&bytes);
        Self { bytes, values }
    }
}

/// How far off a sum of products may be, as a part of the sum of their magnitudes.
fn tolerance(shape: &Shape, b: Format) -> f64 {
    match b {
        // The sums of blocks are rounded to 16 bits.
        Format::Q8x4 => 4e-3,
        _ if shape.is_half() || b == Format::Bf16 => 6e-3,
        _ => 3e-6,
    }
}

/// The product of a row and a column, and how far off it may be.
fn product(row: &[f64], column: &[f64], tolerance: f64) -> Option<(f64, f64)> {
    let products = row.iter().zip(column).map(|(a, b)| a * b);
    let magnitude: f64 = products.clone().map(f64::abs).sum();
    Some((products.sum(), magnitude * tolerance + 1e-6))
}

/// How long rows are, so that they have whole blocks.
fn length(a: Format, b: Format) -> usize {
    match (a.block().0, b) {
        (128.., _) | (_, Format::Q8x4) => 256,
        _ => 64,
    }
}

/// The formats of both operands, if the result is of 32-bit floats.
fn formats(shape: &Shape, bindings: &[u32]) -> Option<(Format, Format)> {
    let is_product = shape.numbers() == bindings && shape.format(2) == Some(Format::F32);
    let formats = shape.format(0).zip(shape.format(1));
    formats.filter(|_| is_product)
}

fn matrix_vector(shape: &Shape) -> Option<Case> {
    if shape.push != "u32*13" || !shape.spec_ids.contains(&1) {
        return None;
    }
    let (a, b) = formats(shape, &[0, 1, 2, 3, 4])?;
    // By expert, the third and fourth would be integers.
    if shape.format(3) != Some(Format::F32) {
        return None;
    }
    let (rows, columns, inner) = (5, 2, length(a, b));
    let mut random = Random::new(1);
    let left = Numbers::random(a, rows * inner, &mut random);
    let right = Numbers::random(b, columns * inner, &mut random);
    let tolerance = tolerance(shape, b);
    let mut numbers = Vec::new();
    for column in right.values.chunks(inner) {
        let rows = left.values.chunks(inner);
        numbers.extend(rows.map(|row| product(row, column, tolerance)));
    }
    let [m, k] = [rows as u32, inner as u32];
    Some(Case {
        constants: vec![(0, 32), (1, 2), (2, columns as u32)],
        push: vec![k, k, k, m, m * k, k, m, 0, 0, 1, 1, 1, 1],
        buffers: [
            (0, left.bytes),
            (1, right.bytes),
            (2, vec![0; 4 * numbers.len()]),
            (3, vec![0; 4]),
            (4, vec![0; 4]),
        ]
        .into(),
        groups: [m.div_ceil(2), 1, 1],
        outputs: vec![Output {
            binding: 2,
            format: Format::F32,
            numbers,
        }],
        ..Case::default()
    })
}

/// Of four experts, each of two rows of the result takes another.
fn matrix_vector_by_expert(shape: &Shape) -> Option<Case> {
    if shape.push != "u32*12" || shape.format(5) != Some(Format::I32) {
        return None;
    }
    let (a, b) = formats(shape, &[0, 1, 2, 3, 4, 5])?;
    let (rows, inner, experts) = (5, length(a, b), [2usize, 0]);
    let mut random = Random::new(2);
    let left = Numbers::random(a, 3 * rows * inner, &mut random);
    let right = Numbers::random(b, experts.len() * inner, &mut random);
    let tolerance = tolerance(shape, b);
    let mut numbers = Vec::new();
    for (column, &expert) in right.values.chunks(inner).zip(&experts) {
        let rows = left.values.chunks(inner).skip(expert * rows).take(rows);
        numbers.extend(rows.map(|row| product(row, column, tolerance)));
    }
    let [m, k] = [rows as u32, inner as u32];
    let ids = experts.iter().flat_map(|&id| (id as u32).to_le_bytes());
    Some(Case {
        constants: vec![(0, 32), (1, 2), (2, 1)],
        push: vec![k, k, k, m, m * k, 2 * k, 2 * m, 0, 2, 2, 0, 2],
        buffers: [
            (0, left.bytes),
            (1, right.bytes),
            (2, vec![0; 4 * numbers.len()]),
            (3, vec![0; 4]),
            (4, vec![0; 4]),
            (5, ids.collect()),
        ]
        .into(),
        groups: [m.div_ceil(2), 2, 1],
        outputs: vec![Output {
            binding: 2,
            format: Format::F32,
            numbers,
        }],
        ..Case::default()
    })
}

/// The sizes of tiles: of the workgroup, of its part of the result and of the inner dimension,
/// of each subgroup, of each invocation or cooperative matrix, and of subgroups.
fn tiles(shape: &Shape, a: Format) -> Vec<(u32, u32)> {
    let inner = if a.is_quantized() { 32 } else { 16 };
    let parts = match shape.has(Capability::CooperativeMatrixKHR) {
        true => [16, 16, 16],
        false => [2, 2, 1],
    };
    let all = [
        32, 32, 32, inner, 32, 32, 2, parts[0], parts[1], parts[2], 32,
    ];
    (0..).zip(all).collect()
}

/// What a kernel computes with: 16-bit floats, if it has arithmetic on them.
fn as_computed(shape: &Shape, values: &[f64]) -> Vec<f64> {
    match shape.is_half() {
        true => values.iter().map(|&value| through_f16(value)).collect(),
        false => values.to_vec(),
    }
}

fn matrix_matrix(shape: &Shape) -> Option<Case> {
    if shape.push != "u32*16" || !shape.opcodes.contains(&Op::ControlBarrier) {
        return None;
    }
    let (a, b) = formats(shape, &[0, 1, 2])?;
    let (rows, columns, inner) = (32, 32, length(a, b));
    let mut random = Random::new(3);
    let left = Numbers::random(a, rows * inner, &mut random);
    let right = Numbers::random(b, columns * inner, &mut random);
    let tolerance = tolerance(shape, b);
    let [lefts, rights] = [&left, &right].map(|it| as_computed(shape, &it.values));
    let mut numbers = Vec::new();
    for column in rights.chunks(inner) {
        let rows = lefts.chunks(inner);
        numbers.extend(rows.map(|row| product(row, column, tolerance)));
    }
    let [m, n, k] = [rows as u32, columns as u32, inner as u32];
    Some(Case {
        constants: tiles(shape, a),
        push: vec![m, n, k, k, k, m, m * k, n * k, m * n, 0, 1, k, 1, 1, 1, 1],
        buffers: [
            (0, left.bytes),
            (1, right.bytes),
            (2, vec![0; 4 * numbers.len()]),
        ]
        .into(),
        groups: [1, 1, 1],
        outputs: vec![Output {
            binding: 2,
            format: Format::F32,
            numbers,
        }],
        ..Case::default()
    })
}

/// Of three experts, each of 20 rows takes two.
fn matrix_matrix_by_expert(shape: &Shape) -> Option<Case> {
    let takes_ids = [3, 4].map(|it| shape.format(it)) == [Some(Format::I32); 2];
    if shape.push != "u32*13" || !takes_ids {
        return None;
    }
    let (a, b) = formats(shape, &[0, 1, 2, 3, 4])?;
    let (rows, tokens, inner) = (32, 20, length(a, b));
    let mut random = Random::new(4);
    let left = Numbers::random(a, 3 * rows * inner, &mut random);
    let right = Numbers::random(b, tokens * inner, &mut random);
    let chosen = |token: usize| [token % 3, (token + 1 + token / 3 % 2) % 3];
    let tolerance = tolerance(shape, b);
    let [lefts, rights] = [&left, &right].map(|it| as_computed(shape, &it.values));
    let mut numbers = Vec::new();
    let mut counts = [0u32; 3];
    let mut ids = Vec::new();
    for (token, column) in rights.chunks(inner).enumerate() {
        for expert in chosen(token) {
            let rows = lefts.chunks(inner).skip(expert * rows).take(rows);
            numbers.extend(rows.map(|row| product(row, column, tolerance)));
            counts[expert] += 1;
            ids.extend((expert as u32).to_le_bytes());
        }
    }
    let [m, n, k] = [rows as u32, tokens as u32, inner as u32];
    Some(Case {
        constants: tiles(shape, a),
        push: vec![m, n, k, k, k, m, m * k, k, 2 * m, 2, n, 2, 1],
        buffers: [
            (0, left.bytes),
            (1, right.bytes),
            (2, vec![0; 4 * numbers.len()]),
            (3, ids),
            (4, counts.iter().flat_map(|it| it.to_le_bytes()).collect()),
        ]
        .into(),
        groups: [1, 1, 3],
        outputs: vec![Output {
            binding: 2,
            format: Format::F32,
            numbers,
        }],
        // Which rows an expert has is written to memory of the workgroup for as many as there are,
        // and read for a whole tile: where a row that isn't there would begin. What is loaded from
        // there is not used.
        excused: Some("run.uninitialized"),
        ..Case::default()
    })
}

/// A matrix whose rows belong to several channels, with a vector for each.
fn matrix_vector_permuted(shape: &Shape) -> Option<Case> {
    if shape.push != "u32*7" || shape.numbers() != [0, 1, 2, 3, 4] {
        return None;
    }
    let (a, b) = shape.format(0).zip(shape.format(1))?;
    let (rows, inner, channels, broadcast) = (3, 64, 4, 2);
    let mut random = Random::new(5);
    // Row by row, and in each channel by channel.
    let left = Numbers::random(a, rows * channels / broadcast * inner, &mut random);
    let right = Numbers::random(b, channels * inner, &mut random);
    let mut numbers = Vec::new();
    for (channel, column) in right.values.chunks(inner).enumerate() {
        for row in 0..rows {
            let at = (row * channels / broadcast + channel / broadcast) * inner;
            numbers.push(product(&left.values[at..][..inner], column, 3e-6));
        }
    }
    let [m, k, c] = [rows as u32, inner as u32, channels as u32];
    Some(Case {
        constants: vec![(0, 32), (1, broadcast as u32)],
        push: vec![k, m, c / 2, c, 0, 0, 0],
        buffers: [
            (0, left.bytes),
            (1, right.bytes),
            (2, vec![0; 4 * numbers.len()]),
            (3, vec![0; 4]),
            (4, vec![0; 4]),
        ]
        .into(),
        // Channels that share a row are done together.
        groups: [1, m, c / broadcast as u32],
        outputs: vec![Output {
            binding: 2,
            format: Format::F32,
            numbers,
        }],
        ..Case::default()
    })
}
