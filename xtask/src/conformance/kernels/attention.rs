//! Attention, and the rotation of positions.

use super::elementwise::{output, room};
use super::formats::Format;
use super::random::Random;
use super::shape::Shape;
use super::{Case, Operation, Output, bits};
use spirvkit::grammar::{Capability, GlslStd450};

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        name: "flash attention",
        case: flash_attention,
    },
    Operation {
        name: "rotary positions",
        case: rotary_positions,
    },
];

/// The number of 16-bit floats among ggml's types.
const TYPE_F16: u32 = 1;

/// Two heads of four queries for 64 keys and values of 64 numbers, with a mask.
fn flash_attention(shape: &Shape) -> Option<Case> {
    let push = "u32*23,f32*3,u32,f32*2,u32*3";
    let is_known = shape.push == push && shape.numbers() == [0, 1, 2, 3, 4, 5, 6];
    // Those with packed products of integers take quantized keys only, and those with
    // cooperative matrices tiles of their own.
    if !is_known
        || shape.has(Capability::DotProductInput4x8BitPacked)
        || shape.has(Capability::CooperativeMatrixKHR)
    {
        return None;
    }
    let (queries, heads, keys, size) = (5usize, 2usize, 64usize, 64usize);
    let mut random = Random::new(50);
    let mut tensor = |format: Format, count: usize| {
        let bytes = format.random(count, &mut random);
        let values = format.decode(&bytes);
        (bytes, values)
    };
    let (query_bytes, query) = tensor(Format::F32, heads * queries * size);
    let (key_bytes, key) = tensor(Format::F16, heads * keys * size);
    let (value_bytes, value) = tensor(Format::F16, heads * keys * size);
    let (mask_bytes, mask) = tensor(Format::F16, queries * keys);
    let scale = 0.125;
    let row = |of: &[f64], index: usize| of[index * size..][..size].to_vec();
    let mut numbers = Vec::new();
    for index in 0..queries {
        for head in 0..heads {
            let q = row(&query, head * queries + index);
            let score = |at: usize| {
                let k = row(&key, head * keys + at);
                let product: f64 = q.iter().zip(k).map(|(a, b)| a * b).sum();
                product * scale + mask[index * keys + at]
            };
            let weights: Vec<f64> = (0..keys).map(|at| score(at).exp()).collect();
            let sum: f64 = weights.iter().sum();
            for place in 0..size {
                let products =
                    (0..keys).map(|at| weights[at] * value[(head * keys + at) * size + place]);
                numbers.push(Some((
                    products.sum::<f64>() / sum,
                    if shape.is_half() { 4e-3 } else { 1e-5 },
                )));
            }
        }
    }
    let [n, h, kv, d] = [queries, heads, keys, size].map(|it| it as u32);
    let rows = 4;
    let mut push = vec![n, kv, h, n, 1, h, 1, h, 1, h, 1, n, 1, 1];
    // Rows in numbers, the rest in bytes.
    push.extend([d, 4 * n * d, 4 * h * n * d]);
    push.extend([d, 2 * kv * d, 2 * h * kv * d]);
    push.extend([d, 2 * kv * d, 2 * h * kv * d]);
    push.extend([scale as f32, 0.0, 0.0].map(bits));
    push.extend([0, bits(1.0), bits(1.0), 1, kv, 1]);
    let constants = [
        128, rows, 32, d, d, 1, 16, 1, 32, 0, 2, 0, TYPE_F16, TYPE_F16, 2, 2,
    ];
    Some(Case {
        constants: (0..).zip(constants).collect(),
        push,
        buffers: [
            (0, query_bytes),
            (1, key_bytes),
            (2, value_bytes),
            (3, mask_bytes),
            (4, vec![0; 4]),
            (5, vec![0; 4 * numbers.len()]),
            (6, vec![0; 4]),
        ]
        .into(),
        groups: [n.div_ceil(rows), h, 1],
        outputs: vec![Output {
            binding: 5,
            format: Format::F32,
            numbers,
        }],
        // Of the second tile, only one query is loaded to memory of the workgroup, but scores are
        // computed for all, and their sums decide a branch. They are not written.
        excused: Some("run.uninitialized"),
        ..Case::default()
    })
}

/// Which numbers of a row are turned together, and how their position is found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rotation {
    /// Neighbours.
    Pairs,
    /// Those of both halves.
    Halves,
    /// Those of both halves, by four positions in turn.
    Sections,
    /// Those that the number of dimensions is between, by two positions.
    Image,
}

/// The kernels by their names; those that turn neighbours and halves differ in nothing else.
const ROTATIONS: &[(&[&str], Rotation)] = &[
    (
        &["40d73df7c034", "bc6ef3dded54", "7095f129d408"],
        Rotation::Sections,
    ),
    (
        &["eff862f446da", "da453adf10a7", "5fbccbe4f4d2"],
        Rotation::Halves,
    ),
    (
        &["10293f7dd299", "95c064bb6601", "cea116856886"],
        Rotation::Pairs,
    ),
    (&["4a9951d2fd63", "1190a61f00b7"], Rotation::Image),
];

fn rotary_positions(shape: &Shape) -> Option<Case> {
    let known = |names: &&[&str]| names.iter().any(|name| shape.is_named(name));
    let &(_, rotation) = ROTATIONS.iter().find(|it| known(&it.0))?;
    let (from, to) = (shape.format(0)?, shape.format(3)?);
    debug_assert!(shape.functions.contains(&GlslStd450::Pow));
    let (size, heads, tokens) = (16usize, 3usize, 4usize);
    let dimensions = match rotation {
        Rotation::Image => size / 2,
        _ => size,
    };
    let theta_scale = 0.5f64;
    let mut random = Random::new(51);
    let bytes = from.random(size * heads * tokens, &mut random);
    let values = from.decode(&bytes);
    let positions: Vec<u32> = (0..4 * tokens as u32).map(|it| it * 3 % 7).collect();
    let sections = [2usize, 3, 2, 1];
    let mut numbers = vec![0.0; values.len()];
    for (row, (x, y)) in values
        .chunks(size)
        .zip(numbers.chunks_mut(size))
        .enumerate()
    {
        let token = row / heads;
        for pair in 0..size / 2 {
            let (section, power) = match rotation {
                Rotation::Pairs | Rotation::Halves => (0, pair),
                Rotation::Sections => {
                    let place = pair % sections.iter().sum::<usize>();
                    let ends = [2, 5, 7, 8];
                    (ends.iter().filter(|&&end| place >= end).count(), pair)
                }
                Rotation::Image => {
                    let place = pair % (sections[0] + sections[1]);
                    match place < sections[0] {
                        true => (0, place),
                        false => (1, place - sections[0]),
                    }
                }
            };
            let position = f64::from(positions[token + section * tokens]);
            let (sin, cos) = (position * theta_scale.powi(power as i32)).sin_cos();
            let (a, b) = match rotation {
                Rotation::Pairs => (2 * pair, 2 * pair + 1),
                Rotation::Image => (pair, pair + dimensions),
                _ => (pair, pair + size / 2),
            };
            y[a] = x[a] * cos - x[b] * sin;
            y[b] = x[a] * sin + x[b] * cos;
        }
    }
    let [d, h, t] = [size, heads, tokens].map(|it| it as u32);
    let mode = match rotation {
        Rotation::Pairs => 0,
        Rotation::Halves => 2,
        Rotation::Sections => 8,
        Rotation::Image => 24,
    };
    let mut push = vec![mode, h * t, dimensions as u32];
    // The scale and base of frequencies, two factors, what is left out at both ends, and the
    // factor from one pair to the next.
    push.extend([1.0, 10_000.0, 0.0, 1.0, 0.0, 0.0, theta_scale as f32].map(bits));
    push.push(0);
    push.extend(sections.map(|it| it as u32));
    push.extend([0, 0, 0, d, h, t, d, d * h, d * h * t, d, d * h, d * h * t]);
    let words = positions.iter().flat_map(|it| it.to_le_bytes());
    let mut result = output(3, to, numbers);
    // The sine is exact to 2⁻¹¹ at worst, and better here.
    for (_, tolerance) in result.numbers.iter_mut().flatten() {
        *tolerance += 1e-6;
    }
    Some(Case {
        push,
        buffers: [
            (0, bytes),
            (1, words.collect()),
            (2, vec![0; 4]),
            (3, room(to, values.len())),
            (4, vec![0; 8]),
        ]
        .into(),
        groups: [h * t, 1, 1],
        outputs: vec![result],
        ..Case::default()
    })
}
