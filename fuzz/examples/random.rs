//! Runs a target on pseudo-random inputs for some time, without a fuzzer:
//!
//! `cargo run --release -p spirvkit-fuzz --example random -- executed_program 600 [SEED]`
//!
//! Targets that take a module get one of `samples/`. The input of a failure is shown.

use std::time::{Duration, Instant};

type Target = fn(&[u8]);

const TARGETS: &[(&str, Target, bool)] = &[
    ("executed_program", spirvkit_fuzz::executed_program, false),
    ("executed_module", spirvkit_fuzz::executed_module, true),
];

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.next() as u8).collect()
    }
}

fn samples() -> Vec<Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../samples");
    let entries = std::fs::read_dir(folder).expect("the samples");
    let paths = entries.flatten().map(|entry| entry.path());
    let modules = paths.filter(|path| path.extension().is_some_and(|it| it == "spv"));
    modules
        .map(|path| std::fs::read(path).expect("a sample"))
        .collect()
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let found = TARGETS
        .iter()
        .find(|(name, ..)| words.first().is_some_and(|word| word == name));
    let Some(&(name, target, takes_module)) = found else {
        let names: Vec<&str> = TARGETS.iter().map(|it| it.0).collect();
        panic!("give a target: {}", names.join(", "));
    };
    let number = |index: usize, default: u64| {
        let word = words.get(index);
        word.map_or(default, |word| word.parse().expect("a number"))
    };
    let (seconds, seed) = (number(1, 60), number(2, 1));
    let mut random = Random(seed);
    let samples = samples();
    let end = Instant::now() + Duration::from_secs(seconds);
    let (mut count, mut slowest) = (0u64, Duration::ZERO);
    while Instant::now() < end {
        let mut input = match takes_module {
            true => random.bytes(spirvkit_fuzz::RECIPE),
            false => {
                let length = 20 + random.next() % 900;
                random.bytes(length as usize)
            }
        };
        if takes_module {
            let sample = random.next() as usize % samples.len();
            input.extend_from_slice(&samples[sample]);
        }
        let begin = Instant::now();
        let ran = std::panic::catch_unwind(|| target(&input));
        slowest = slowest.max(begin.elapsed());
        if ran.is_err() {
            println!("{name}: input {count} of seed {seed}: {input:?}");
            std::process::exit(1);
        }
        count += 1;
    }
    println!("{name}: {count} inputs in {seconds} s, the slowest in {slowest:?}");
}
