//! Kernels that only compute, beside the same arithmetic in plain Rust.

use std::hint::black_box;

use spirvkit_interp::Run;

/// How many invocations there are.
const INVOCATIONS: u32 = 1 << 16;

/// How many invocations a workgroup has.
const GROUP: u32 = 64;

/// How many turns the loops of most of them take.
const TURNS: u32 = 64;

/// What all of them begin with.
const FRAME: &str = include_str!("frame.spvasm");

/// A kernel that makes a word of the index of each invocation.
pub(crate) struct Alu {
    pub(crate) name: &'static str,
    text: &'static str,
    /// The same in Rust.
    native: fn(u32) -> u32,
    /// How many instructions of the module an invocation executes in its loop, by its index and
    /// result.
    instructions: fn(u32, u32) -> u64,
}

/// The kernels that are measured.
pub(crate) const ALL: &[Alu] = &[
    Alu {
        name: "mandelbrot",
        text: include_str!("mandelbrot.spvasm"),
        native: mandelbrot,
        instructions: |_, turns| 17 * u64::from(turns),
    },
    Alu {
        name: "hash",
        text: include_str!("hash.spvasm"),
        native: hash,
        instructions: |_, _| 17 * u64::from(TURNS),
    },
    Alu {
        name: "matrix",
        text: include_str!("matrix.spvasm"),
        native: matrix,
        instructions: |_, _| 17 * u64::from(TURNS),
    },
    Alu {
        name: "fma",
        text: include_str!("fma.spvasm"),
        native: fma,
        instructions: |_, _| 10 * u64::from(TURNS),
    },
    Alu {
        name: "walk",
        text: include_str!("walk.spvasm"),
        native: |index| walk(index).0,
        instructions: |index, _| 20 * u64::from(TURNS) + 8 * walk(index).1,
    },
];

/// A kernel without branches, of four instructions for each of so many rounds.
pub(crate) fn long(rounds: u32) -> Vec<u32> {
    let mut text = String::from(
        "%main = OpFunction %void None %fn
        %start = OpLabel
        %ids = OpLoad %uint3 %id
        %x0 = OpCompositeExtract %uint %ids 0\n",
    );
    for round in 0..rounds {
        let next = round + 1;
        text += &format!(
            "%a{round} = OpIMul %uint %x{round} %x{round}
            %b{round} = OpBitwiseXor %uint %a{round} %x{round}
            %c{round} = OpBitwiseAnd %uint %b{round} %x{round}
            %x{next} = OpIAdd %uint %c{round} %b{round}\n"
        );
    }
    text += &format!(
        "%place = OpAccessChain %word_ptr %out %0 %x0
        OpStore %place %x{rounds}
        OpReturn
        OpFunctionEnd"
    );
    assembled("long", &text)
}

/// The words of a kernel that begins with the frame.
fn assembled(name: &str, text: &str) -> Vec<u32> {
    match spirvkit::text::assemble(&format!("{FRAME}{text}"), &Default::default()) {
        Ok(assembled) => assembled.words,
        Err(errors) => panic!("{name}: {errors}"),
    }
}

impl Alu {
    /// The words of the kernel.
    pub(crate) fn module(&self) -> Vec<u32> {
        assembled(self.name, self.text)
    }

    /// What the kernel makes of all indexes. It is done so many times.
    pub(crate) fn interpreted(&self, words: &[u32], times: u32) -> Vec<u32> {
        let run = Run::new(words)
            .threads(1)
            .zeroed(0, 0, INVOCATIONS as usize * 4);
        match run.dispatch([INVOCATIONS / GROUP, times, 1]) {
            Ok(outcome) => outcome.read(0, 0),
            Err(errors) => panic!("{}: {errors}", self.name),
        }
    }

    /// The same in Rust, one index after the other.
    pub(crate) fn native(&self) -> Vec<u32> {
        let native = self.native;
        (0..INVOCATIONS)
            .map(|index| native(black_box(index)))
            .collect()
    }

    /// How many instructions of the module all invocations execute, by their results.
    pub(crate) fn instructions(&self, results: &[u32]) -> u64 {
        let all = (0..).zip(results);
        all.map(|(index, &result)| (self.instructions)(index, result))
            .sum()
    }
}

/// After how many turns a point of a picture of 256 by 256 leaves the circle.
fn mandelbrot(index: u32) -> u32 {
    let cx = (index & 255) as f32 * 0.011_718_75 + -2.25;
    let cy = (index >> 8) as f32 * 0.011_718_75 + -1.5;
    let (mut x, mut y, mut turn) = (0.0f32, 0.0f32, 0);
    loop {
        let (xx, yy) = (x * x, y * y);
        if !(xx + yy <= 4.0 && turn < 256) {
            return turn;
        }
        let xy = x * y;
        x = (xx - yy) + cx;
        y = (xy + xy) + cy;
        turn += 1;
    }
}

/// The exclusive or of what a generator of random numbers gives.
fn hash(index: u32) -> u32 {
    let (mut state, mut result) = (index, 0);
    for _ in 0..TURNS {
        state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let word = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
        result ^= (word >> 22) ^ word;
    }
    result
}

/// A vector that is multiplied by a matrix again and again.
fn matrix(index: u32) -> u32 {
    const MATRIX: [[f32; 4]; 4] = [
        [0.3, -0.4, 0.45, 0.1],
        [0.45, 0.1, 0.3, -0.4],
        [-0.4, 0.3, 0.1, 0.45],
        [0.1, 0.45, -0.4, 0.3],
    ];
    let mut v = [index as f32 / 1_048_576.0, 0.3, -0.4, 0.45];
    for _ in 0..TURNS {
        v = [0, 1, 2, 3].map(|row| {
            let [x, y, z, w] = [0, 1, 2, 3].map(|column| MATRIX[column][row] * v[column]);
            x + y + z + w
        });
    }
    v[1].to_bits()
}

/// A polynomial of a number that becomes the next.
fn fma(index: u32) -> u32 {
    let mut x = index as f32 / 131_072.0;
    for _ in 0..TURNS {
        let third = (-0.156_25f32).mul_add(x, 0.218_75);
        let second = third.mul_add(x, -0.3125);
        let first = second.mul_add(x, 0.9375);
        x = first.mul_add(x, -0.156_25);
    }
    x.to_bits()
}

/// A number that steps are taken from, each of up to seven turns, and how many turns that is.
fn walk(index: u32) -> (u32, u64) {
    let (mut state, mut result, mut turns) = (index, 0u32, 0);
    for _ in 0..TURNS {
        let count = state >> 29;
        for _ in 0..count {
            state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        }
        let mixed = ((state >> 15) ^ state).wrapping_mul(277_803_737);
        state = mixed.wrapping_add(2_891_336_453);
        result = result.wrapping_add(state);
        turns += u64::from(count);
    }
    (result, turns)
}
