//! Sums, norms, orders and probabilities of rows. Known by their names where others look alike.

use super::elementwise::{divisor, one_tensor, output, room};
use super::formats::Format;
use super::random::Random;
use super::rows::two_tensors;
use super::shape::Shape;
use super::{Case, Operation, Output, bits};

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        name: "soft maximum",
        case: soft_maximum,
    },
    Operation {
        name: "norm",
        case: norm,
    },
    Operation {
        name: "norm of groups",
        case: norm_of_groups,
    },
    Operation {
        name: "L2 norm",
        case: l2_norm,
    },
    Operation {
        name: "root mean square norm",
        case: root_mean_square,
    },
    Operation {
        name: "sums of rows",
        case: sums_of_rows,
    },
    Operation {
        name: "running sums",
        case: running_sums,
    },
    Operation {
        name: "index of the maximum",
        case: index_of_maximum,
    },
    Operation {
        name: "order of rows",
        case: order_of_rows,
    },
    Operation {
        name: "count of equal numbers",
        case: count_of_equal,
    },
    Operation {
        name: "count of experts",
        case: count_of_experts,
    },
];

const ROWS: usize = 5;
const COLUMNS: usize = 70;

fn matrix(seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed);
    let numbers: Vec<f64> = (0..ROWS * COLUMNS).map(|_| random.number()).collect();
    Format::F32.decode(&Format::F32.encode(&numbers))
}

/// What becomes of each row.
fn by_row(matrix: &[f64], function: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    matrix.chunks(COLUMNS).flat_map(function).collect()
}

/// A case with a matrix at binding 0, which gives these numbers at another.
fn reduced(matrix: &[f64], push: Vec<u32>, binding: u32, format: Format, to: Vec<f64>) -> Case {
    let bytes = Format::F32.encode(matrix);
    Case {
        constants: vec![(0, 64)],
        push,
        buffers: [(0, bytes), (binding, room(format, to.len()))].into(),
        groups: [ROWS as u32, 1, 1],
        outputs: vec![output(binding, format, to)],
        ..Case::default()
    }
}

/// With a mask that is added, and a factor.
fn soft_maximum(shape: &Shape) -> Option<Case> {
    if shape.push != "u32*10,f32*4,u32*3" || shape.numbers() != [0, 1, 2, 3] {
        return None;
    }
    let mask = shape.format(1)?;
    let matrix = matrix(30);
    let mut random = Random::new(31);
    let added: Vec<f64> = matrix.iter().map(|_| random.number()).collect();
    let added = mask.encode(&added);
    let scale = 0.5;
    let sums: Vec<f64> = matrix
        .iter()
        .zip(mask.decode(&added))
        .map(|(x, y)| x * scale + y)
        .collect();
    let numbers = by_row(&sums, |row| {
        let most = row.iter().copied().fold(f64::MIN, f64::max);
        let exponentials: Vec<f64> = row.iter().map(|x| (x - most).exp()).collect();
        let sum: f64 = exponentials.iter().sum();
        exponentials.iter().map(|x| x / sum).collect()
    });
    let [n, r] = [COLUMNS, ROWS].map(|it| it as u32);
    let sizes = [n, 1, n, r, 1, 1, 1, n, n * r, n * r];
    let factors = [scale as f32, 0.0, 1.0, 1.0].map(bits);
    let push = [&sizes[..], &factors[..], &[1, r, 0]].concat();
    let mut case = reduced(&matrix, push, 3, Format::F32, numbers);
    case.buffers.insert(1, added);
    case.buffers.insert(2, vec![0; 4]);
    Some(case)
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

/// Numbers less their mean, and divided by what they are apart from it.
fn normal(row: &[f64]) -> Vec<f64> {
    let middle = mean(row);
    let squares: Vec<f64> = row.iter().map(|x| (x - middle).powi(2)).collect();
    let apart = (mean(&squares) + EPSILON).sqrt();
    row.iter().map(|x| (x - middle) / apart).collect()
}

/// What is added so that nothing is divided by zero.
const EPSILON: f64 = 1.0 / 1024.0;

fn norm(shape: &Shape) -> Option<Case> {
    if !shape.is_named("6a464457a193") {
        return None;
    }
    let matrix = matrix(32);
    let push = vec![COLUMNS as u32, 1, bits(EPSILON as f32), 0, 0, 0];
    Some(reduced(
        &matrix,
        push,
        1,
        Format::F32,
        by_row(&matrix, normal),
    ))
}

fn norm_of_groups(shape: &Shape) -> Option<Case> {
    if !shape.is_named("de03cb8781ef") {
        return None;
    }
    let matrix = matrix(33);
    let epsilon = bits(EPSILON as f32);
    let push = vec![COLUMNS as u32, matrix.len() as u32, epsilon, 0, 0, 0];
    Some(reduced(
        &matrix,
        push,
        1,
        Format::F32,
        by_row(&matrix, normal),
    ))
}

fn l2_norm(shape: &Shape) -> Option<Case> {
    if !shape.is_named("acfde8f9e5e0") {
        return None;
    }
    let matrix = matrix(34);
    let numbers = by_row(&matrix, |row| {
        let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        row.iter().map(|x| x / length.max(EPSILON)).collect()
    });
    let push = one_tensor([COLUMNS, ROWS, 1, 1], [EPSILON as f32, 0.0]);
    Some(reduced(&matrix, push, 1, Format::F32, numbers))
}

/// Multiplied with a vector.
fn root_mean_square(shape: &Shape) -> Option<Case> {
    if !shape.is_named("2f1308b002e7") {
        return None;
    }
    let (matrix, weights) = (matrix(35), matrix(36));
    let weights = &weights[..COLUMNS];
    let numbers = by_row(&matrix, |row| {
        let squares: Vec<f64> = row.iter().map(|x| x * x).collect();
        let scale = 1.0 / (mean(&squares) + EPSILON).sqrt();
        let products = row.iter().zip(weights).map(|(x, w)| x * scale * w);
        products.collect()
    });
    let sizes = [COLUMNS, ROWS, 1, 1];
    let parameters = [bits(EPSILON as f32), 0, 0];
    let push = two_tensors(matrix.len(), [sizes, [COLUMNS, 1, 1, 1], sizes], parameters);
    let mut case = reduced(&matrix, push, 2, Format::F32, numbers);
    case.constants = vec![(1, 1)];
    case.buffers.insert(1, Format::F32.encode(weights));
    Some(case)
}

/// Sizes, strides, a factor and numbers to divide by.
fn sum_push(columns_out: usize) -> Vec<u32> {
    let [n, r, out] = [COLUMNS, ROWS, columns_out].map(|it| it as u32);
    let mut push = vec![
        n,
        r,
        1,
        n,
        n * r,
        n * r,
        out,
        out * r,
        out * r,
        bits(1.0),
        0,
    ];
    push.extend([divisor(ROWS), divisor(ROWS)].as_flattened());
    push
}

fn sums_of_rows(shape: &Shape) -> Option<Case> {
    if !shape.is_named("83c7c1d1e62b") {
        return None;
    }
    let matrix = matrix(37);
    let numbers = by_row(&matrix, |row| vec![row.iter().sum()]);
    Some(reduced(&matrix, sum_push(1), 1, Format::F32, numbers))
}

fn running_sums(shape: &Shape) -> Option<Case> {
    if !shape.is_named("d8402ec13c4c") {
        return None;
    }
    let matrix = matrix(38);
    let numbers = by_row(&matrix, |row| {
        let sums = row.iter().scan(0.0, |sum, x| {
            *sum += x;
            Some(*sum)
        });
        sums.collect()
    });
    let mut case = reduced(&matrix, sum_push(COLUMNS), 1, Format::F32, numbers);
    case.constants = vec![(0, 128), (1, 32), (2, 1)];
    Some(case)
}

fn index_of_maximum(shape: &Shape) -> Option<Case> {
    if !shape.is_named("20341d69722f") {
        return None;
    }
    let matrix = matrix(39);
    let numbers = by_row(&matrix, |row| {
        let numbered = row.iter().enumerate();
        let most = numbered.max_by(|a, b| a.1.total_cmp(b.1));
        vec![most.map_or(0.0, |it| it.0 as f64)]
    });
    let push = vec![COLUMNS as u32, ROWS as u32, 0, 0, 0, 0];
    Some(reduced(&matrix, push, 1, Format::I32, numbers))
}

fn order_of_rows(shape: &Shape) -> Option<Case> {
    if !shape.is_named("1ae3871048c5") {
        return None;
    }
    let matrix = matrix(40);
    let numbers = by_row(&matrix, |row| {
        let mut order: Vec<usize> = (0..row.len()).collect();
        order.sort_by(|&a, &b| row[a].total_cmp(&row[b]));
        order.into_iter().map(|it| it as f64).collect()
    });
    let [n, r] = [COLUMNS, ROWS].map(|it| it as u32);
    // Padded to 128, in ascending order, all steps at once.
    let push = vec![n, 128, 7, r, 0, 0, 7, 0, 7];
    let mut case = reduced(&matrix, push, 2, Format::I32, numbers);
    case.constants = vec![(0, 128), (1, 7)];
    case.groups = [1, r, 1];
    // What pads a row is read from the next one, and behind the last from nowhere: the numbers
    // are not used, so that it harms nobody whose device bounds accesses.
    case.finding = Some("run.bounds");
    Some(case)
}

fn count_of_equal(shape: &Shape) -> Option<Case> {
    if !shape.is_named("05580752e28c") {
        return None;
    }
    let count = 1000usize;
    let mut random = Random::new(41);
    let mut numbers = || -> Vec<u32> { (0..count).map(|_| random.word() % 4).collect() };
    let (a, b) = (numbers(), numbers());
    let equal = a.iter().zip(&b).filter(|(a, b)| a == b).count();
    let bytes = |numbers: &[u32]| numbers.iter().flat_map(|it| it.to_le_bytes()).collect();
    Some(Case {
        constants: vec![(0, 64)],
        push: vec![count as u32, 1, 0, 0, 0, 0],
        buffers: [(0, bytes(&a)), (1, bytes(&b)), (2, vec![0; 4])].into(),
        groups: [count.div_ceil(64) as u32, 1, 1],
        outputs: vec![output(2, Format::I32, vec![equal as f64])],
        ..Case::default()
    })
}

/// How often each of four numbers is in a matrix.
fn count_of_experts(shape: &Shape) -> Option<Case> {
    if !shape.is_named("db51ec88c0e1") {
        return None;
    }
    let mut random = Random::new(42);
    let ids: Vec<u32> = (0..90).map(|_| random.word() % 4).collect();
    let count = |expert: u32| ids.iter().filter(|&&id| id == expert).count() as f64;
    let numbers = (0..4).map(|expert| Some((count(expert), 0.0)));
    Some(Case {
        push: vec![3, 30, 1, 3, 0],
        buffers: [
            (0, ids.iter().flat_map(|it| it.to_le_bytes()).collect()),
            (1, vec![0; 16]),
        ]
        .into(),
        groups: [4, 1, 1],
        outputs: vec![Output {
            binding: 1,
            format: Format::I32,
            numbers: numbers.collect(),
        }],
        ..Case::default()
    })
}
