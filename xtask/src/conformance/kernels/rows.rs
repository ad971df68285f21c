//! Copies, conversions of formats, and choices of rows.

use super::formats::Format;
use super::random::Random;
use super::shape::Shape;
use super::{Case, Operation, Output};

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        name: "dequantization",
        case: dequantized,
    },
    Operation {
        name: "rows by index",
        case: rows_by_index,
    },
];

/// All numbers of a matrix as 16-bit floats.
fn dequantized(shape: &Shape) -> Option<Case> {
    if shape.push != "u32*5" || shape.numbers() != [0, 1] || shape.format(1)? != Format::F16 {
        return None;
    }
    let format = shape.format(0)?;
    let (rows, columns) = (2, 512);
    let count = rows * columns;
    let bytes = format.random(count, &mut Random::new(10));
    let numbers = format.decode(&bytes).into_iter();
    Some(Case {
        push: [rows, columns, columns, columns, count]
            .map(|it| it as u32)
            .into(),
        buffers: [(0, bytes), (1, vec![0; 2 * count])].into(),
        groups: [4, 1, 1],
        outputs: vec![Output {
            binding: 1,
            format: Format::F16,
            numbers: numbers.map(|x| Some((x, x.abs() * 1e-3 + 1e-6))).collect(),
        }],
        ..Case::default()
    })
}

/// What operations on two tensors get: their sizes, and how far their elements are apart.
pub(super) fn two_tensors(count: usize, shapes: [[usize; 4]; 3], parameters: [u32; 3]) -> Vec<u32> {
    let mut push = vec![count as u32];
    for sizes in shapes {
        push.extend(sizes.map(|it| it as u32));
        push.extend(strides(sizes));
    }
    push.push(0);
    push.extend(parameters);
    push
}

/// How far elements of a dense tensor are apart in each dimension.
pub(super) fn strides(sizes: [usize; 4]) -> [u32; 4] {
    let [x, y, z, _] = sizes;
    [1, x, x * y, x * y * z].map(|it| it as u32)
}

fn rows_by_index(shape: &Shape) -> Option<Case> {
    if shape.push != "u32*26,f32*2,i32" || shape.numbers() != [0, 1, 2] {
        return None;
    }
    let from = shape.format(0)?;
    let (ids, to) = (&shape.bindings.get(&1)?[0].text, shape.format(2)?);
    let is_list = shape.bindings[&0][0].text == "i32";
    if ids != "i32" || is_list || shape.bindings[&2].len() != 1 || shape.workgroup != [512, 1, 1] {
        return None;
    }
    let (columns, rows) = (512, 4);
    let chosen = [3usize, 0, 2];
    let bytes = from.random(columns * rows, &mut Random::new(11));
    let values = from.decode(&bytes);
    let rows_chosen = chosen
        .iter()
        .map(|&row| &values[row * columns..][..columns]);
    let numbers = rows_chosen.flatten();
    let tolerance = if to == Format::F32 { 1e-6 } else { 1e-3 };
    let numbers: Vec<_> = numbers
        .map(|&x| Some((x, x.abs() * tolerance + 1e-6)))
        .collect();
    let sizes = [
        [columns, rows, 1, 1],
        [chosen.len(), 1, 1, 1],
        [columns, chosen.len(), 1, 1],
    ];
    let ids = chosen.iter().flat_map(|&row| (row as u32).to_le_bytes());
    // Each invocation of kernels with blocks gives two numbers, and rows are so many blocks
    // apart.
    let pairs = if from.is_quantized() { 2 } else { 1 };
    let mut push = two_tensors(numbers.len(), sizes, [0; 3]);
    for stride in &mut push[6..9] {
        *stride /= from.block().0 as u32;
    }
    Some(Case {
        push,
        buffers: [
            (0, bytes),
            (1, ids.collect()),
            (2, vec![0; to.block().1 * numbers.len()]),
        ]
        .into(),
        groups: [
            (columns / pairs).div_ceil(512) as u32,
            chosen.len() as u32,
            1,
        ],
        outputs: vec![Output {
            binding: 2,
            format: to,
            numbers,
        }],
        ..Case::default()
    })
}
