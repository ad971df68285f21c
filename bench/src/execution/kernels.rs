//! Compute kernels of ggml's Vulkan backend, with inputs that are right in size and made up in
//! content.

use std::error::Error;
use std::fs;
use std::path::Path;

/// What a buffer begins with.
#[derive(Clone, Copy)]
pub(crate) enum Fill {
    Zeros,
    /// Numbers between -1 and 1.
    F32,
    /// The same in 16 bits.
    F16,
    /// Blocks of 144 bytes: two scales of 16 bits, then bits.
    Q4K,
}

/// A kernel with what it is run on.
pub(crate) struct Kernel {
    pub(crate) name: &'static str,
    /// What the name of its file begins with.
    file: &'static str,
    /// Values of specialization constants by `SpecId`.
    pub(crate) constants: &'static [(u32, u32)],
    pub(crate) push: Vec<u32>,
    /// Binding, size in bytes, and contents; all are in set 0.
    buffers: Vec<(u32, usize, Fill)>,
    pub(crate) groups: [u32; 3],
}

/// A kernel ready to run.
pub(crate) struct Loaded {
    pub(crate) words: Vec<u32>,
    pub(crate) buffers: Vec<(u32, Vec<u8>)>,
}

impl Kernel {
    /// Reads the module, and makes the buffers.
    pub(crate) fn load(&self, folder: &Path) -> Result<Loaded, Box<dyn Error>> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if !entry.file_name().to_string_lossy().starts_with(self.file) {
                continue;
            }
            let bytes = fs::read(entry.path())?;
            let (words, _) =
                spirvkit::words_from_bytes(&bytes).map_err(|error| error.to_string())?;
            let made =
                |&(binding, size, fill): &(u32, usize, Fill)| (binding, contents(size, fill));
            return Ok(Loaded {
                words,
                buffers: self.buffers.iter().map(made).collect(),
            });
        }
        Err(format!("no module {} in {}", self.file, folder.display()).into())
    }
}

fn contents(size: usize, fill: Fill) -> Vec<u8> {
    let mut state = 0x2545_f491u32;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    };
    let mut bytes = Vec::with_capacity(size);
    while bytes.len() < size {
        match fill {
            Fill::Zeros => bytes.resize(size, 0),
            Fill::F32 => {
                let number = f64::from(random() as i32) / f64::from(i32::MAX);
                bytes.extend((number as f32).to_le_bytes());
            }
            Fill::F16 => bytes.extend(small_half(random()).to_le_bytes()),
            Fill::Q4K => {
                bytes.extend((small_half(random()) & 0x3fff).to_le_bytes());
                bytes.extend((small_half(random()) & 0x3fff).to_le_bytes());
                (0..140).for_each(|_| bytes.push((random() >> 13) as u8));
            }
        }
    }
    bytes.truncate(size);
    bytes
}

/// A number of 16 bits below 1, and not far below.
fn small_half(random: u32) -> u16 {
    (random & 0x83ff | 0x3000) as u16 | (random >> 16 & 0x0800) as u16
}

/// The kernels that are measured.
pub(crate) fn all() -> Vec<Kernel> {
    let float = f32::to_bits;
    let (rows, columns) = (512u32, 4096u32);
    let vector = |columns: u32, rows: u32| {
        vec![
            columns,
            columns,
            columns,
            rows,
            columns * rows,
            columns,
            rows,
            0,
            0,
            1,
            1,
            1,
            1,
        ]
    };
    let size = |count: u32, bytes: u32| (count * bytes) as usize;
    let (m, n, k) = (128u32, 128u32, 256u32);
    let (softmax_rows, softmax_columns) = (64u32, 2048u32);
    let (rope_columns, rope_1, rope_2) = (512u32, 16u32, 16u32);
    let rope_rows = rope_1 * rope_2;
    let (norm_rows, norm_columns) = (128u32, 2048u32);
    vec![
        Kernel {
            name: "mul_mat_vec, f16",
            file: "00368_",
            constants: &[(0, 32), (1, 2), (2, 1)],
            push: vector(columns, rows),
            buffers: vec![
                (0, size(rows * columns, 2), Fill::F16),
                (1, size(columns, 4), Fill::F32),
                (2, size(rows, 4), Fill::Zeros),
                (3, 16, Fill::Zeros),
                (4, 16, Fill::Zeros),
            ],
            groups: [rows / 2, 1, 1],
        },
        Kernel {
            name: "mul_mat_vec, q4_k",
            file: "00458_",
            constants: &[(0, 32), (1, 2), (2, 1)],
            push: vector(columns, rows),
            buffers: vec![
                (0, size(rows * columns / 256, 144), Fill::Q4K),
                (1, size(columns, 4), Fill::F32),
                (2, size(rows, 4), Fill::Zeros),
                (3, 16, Fill::Zeros),
                (4, 16, Fill::Zeros),
            ],
            groups: [rows / 2, 1, 1],
        },
        Kernel {
            name: "mul_mat, f32",
            file: "01782_",
            constants: &[(0, 128)],
            push: vec![m, n, k, k, k, m, m * k, n * k, m * n, 0, 1, k, 1, 1, 1, 1],
            buffers: vec![
                (0, size(m * k, 4), Fill::F32),
                (1, size(n * k, 4), Fill::F32),
                (2, size(m * n, 4), Fill::Zeros),
            ],
            groups: [m / 64, n / 64, 1],
        },
        Kernel {
            name: "soft_max, f32",
            file: "02151_",
            constants: &[(0, 128), (1, 4)],
            push: vec![
                softmax_columns,
                0,
                softmax_columns,
                softmax_rows,
                1,
                1,
                1,
                0,
                0,
                0,
                float(1.0),
                0,
                float(1.0),
                float(1.0),
                1,
                softmax_rows,
                0,
            ],
            buffers: vec![
                (0, size(softmax_rows * softmax_columns, 4), Fill::F32),
                (1, 16, Fill::Zeros),
                (2, 16, Fill::Zeros),
                (3, size(softmax_rows * softmax_columns, 4), Fill::Zeros),
                (4, size(softmax_rows * 4, 4), Fill::F32),
                (5, size(softmax_rows * 4, 4), Fill::Zeros),
            ],
            groups: [softmax_columns / 512, softmax_rows, 1],
        },
        Kernel {
            name: "norm, f32",
            file: "02102_",
            constants: &[],
            push: vec![norm_columns, norm_rows, float(1e-5), 0, 0, 0],
            buffers: vec![
                (0, size(norm_rows * norm_columns, 4), Fill::F32),
                (1, size(norm_rows * norm_columns, 4), Fill::Zeros),
            ],
            groups: [norm_rows, 1, 1],
        },
        Kernel {
            name: "rope, f32",
            file: "02130_",
            constants: &[],
            push: vec![
                0,
                rope_rows,
                rope_columns,
                float(1.0),
                float(10000.0),
                0,
                float(1.0),
                0,
                0,
                float(10000f32.powf(-2.0 / rope_columns as f32)),
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                rope_columns,
                rope_1,
                rope_2,
                rope_columns,
                rope_columns * rope_1,
                rope_columns * rope_rows,
                rope_columns,
                rope_columns * rope_1,
                rope_columns * rope_rows,
            ],
            buffers: vec![
                (0, size(rope_rows * rope_columns, 4), Fill::F32),
                (1, size(rope_rows, 4), Fill::Zeros),
                (2, size(rope_columns, 4), Fill::F32),
                (3, size(rope_rows * rope_columns, 4), Fill::Zeros),
                (4, 16, Fill::Zeros),
            ],
            groups: [rope_rows, 1, 1],
        },
    ]
}
