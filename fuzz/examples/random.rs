//! Runs a target on pseudo-random inputs for some time, without a fuzzer:
//!
//! `cargo run --release -p spirvkit-fuzz --example random -- executed_program 600 [SEED]`
//!
//! Targets that take a module get one of `samples/` or `seeds/`, those that take a script one of `seeds/`. The
//! input of a failure is shown.

use std::time::{Duration, Instant};

use spirvkit::{AssembleOptions, Endianness, assemble, bytes_from_words};

type Target = fn(&[u8]);

/// What a target takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// A recipe alone.
    Recipe,
    /// A recipe, and a file with one of these extensions.
    File(&'static [&'static str]),
}

/// Modules, some as text.
const MODULE: Takes = Takes::File(&["spv", "spvasm"]);

const TARGETS: &[(&str, Target, Takes)] = &[
    (
        "executed_program",
        spirvkit_fuzz::executed_program,
        Takes::Recipe,
    ),
    ("raced_program", spirvkit_fuzz::raced_program, Takes::Recipe),
    (
        "explored_program",
        spirvkit_fuzz::explored_program,
        Takes::Recipe,
    ),
    ("executed_module", spirvkit_fuzz::executed_module, MODULE),
    ("optimized_module", spirvkit_fuzz::optimized_module, MODULE),
    (
        "optimized_program",
        spirvkit_fuzz::optimized_program,
        Takes::Recipe,
    ),
    ("passed_module", spirvkit_fuzz::passed_module, MODULE),
    (
        "passed_program",
        spirvkit_fuzz::passed_program,
        Takes::Recipe,
    ),
    ("executed_kernel", spirvkit_fuzz::executed_kernel, MODULE),
    #[cfg(all(feature = "program", unix))]
    ("run_command", spirvkit_fuzz::run_command, MODULE),
    (
        "amber_script",
        spirvkit_fuzz::amber_script,
        Takes::File(&["amber", "vkscript"]),
    ),
];

// What takes too much memory is seen only with this.
#[cfg(all(feature = "program", unix, not(feature = "libfuzzer")))]
#[global_allocator]
static MEMORY: peak_alloc::PeakAlloc = peak_alloc::PeakAlloc;

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

/// The files that a target takes.
fn samples(takes: Takes) -> Vec<Vec<u8>> {
    let Takes::File(extensions) = takes else {
        return Vec::new();
    };
    let mut files = Vec::new();
    for folder in ["samples", "fuzz/seeds"] {
        let folder = format!("{}/../{folder}", env!("CARGO_MANIFEST_DIR"));
        let entries = std::fs::read_dir(folder).expect("the samples");
        let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| {
            extensions
                .iter()
                .any(|it| path.extension().is_some_and(|has| has == *it))
        });
        paths.sort();
        files.extend(paths.iter().filter_map(|path| {
            let bytes = std::fs::read(path).expect("a sample");
            match path.extension() {
                Some(extension) if extension == "spvasm" => assembled(&bytes),
                _ => Some(bytes),
            }
        }));
    }
    files
}

/// The bytes of a module, unless it is none.
fn assembled(text: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(text).ok()?;
    let assembled = assemble(text, &AssembleOptions::default()).ok()?;
    Some(bytes_from_words(&assembled.words, Endianness::Little))
}

/// Runs a target, whose memory and time are bounded where they can be measured.
fn checked(target: Target, input: &[u8]) {
    #[cfg(all(feature = "program", unix))]
    spirvkit_fuzz::bounded(input, target);
    #[cfg(not(all(feature = "program", unix)))]
    target(input);
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let found = TARGETS
        .iter()
        .find(|(name, ..)| words.first().is_some_and(|word| word == name));
    let Some(&(name, target, takes)) = found else {
        let names: Vec<&str> = TARGETS.iter().map(|it| it.0).collect();
        panic!("give a target: {}", names.join(", "));
    };
    let number = |index: usize, default: u64| {
        let word = words.get(index);
        word.map_or(default, |word| word.parse().expect("a number"))
    };
    let (seconds, seed) = (number(1, 60), number(2, 1));
    let mut random = Random(seed);
    let samples = samples(takes);
    let end = Instant::now() + Duration::from_secs(seconds);
    let (mut count, mut slowest) = (0u64, Duration::ZERO);
    while Instant::now() < end {
        let mut input = match takes {
            Takes::File(_) => random.bytes(spirvkit_fuzz::RECIPE),
            Takes::Recipe => {
                let length = 20 + random.next() % 900;
                random.bytes(length as usize)
            }
        };
        if !samples.is_empty() {
            let sample = random.next() as usize % samples.len();
            input.extend_from_slice(&samples[sample]);
        }
        let begin = Instant::now();
        let ran = std::panic::catch_unwind(|| checked(target, &input));
        slowest = slowest.max(begin.elapsed());
        if ran.is_err() {
            println!("{name}: input {count} of seed {seed}: {input:?}");
            std::process::exit(1);
        }
        count += 1;
    }
    println!("{name}: {count} inputs in {seconds} s, the slowest in {slowest:?}");
}
