//! The program's command line, in this process. There is one test, because the standard
//! streams, which it redirects, are everyone's.

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

// A build for the fuzzer has one already.
#[cfg(not(feature = "libfuzzer"))]
#[global_allocator]
static MEMORY: peak_alloc::PeakAlloc = peak_alloc::PeakAlloc;

#[test]
fn command_lines_keep_their_promises() {
    let thorough = std::env::var_os("SPIRVKIT_THOROUGH").is_some();
    let rounds = if thorough { 4000 } else { 250 };
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples");
    let modules =
        ["saxpy.spv", "tinted.spv", "scale.spv"].map(|it| fs::read(samples.join(it)).unwrap());
    let mut state = 0x0bad_c0de_0000_0001_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    let mut failures = 0;
    for round in 0..rounds {
        let mut bytes: Vec<u8> = (0..spirvkit_fuzz::RECIPE).map(|_| random()).collect();
        bytes.extend_from_slice(&modules[round % modules.len()]);
        let target = match round % 8 {
            7 => spirvkit_fuzz::run_command,
            _ => spirvkit_fuzz::program,
        };
        let run = || spirvkit_fuzz::bounded(&bytes, target);
        failures += usize::from(catch_unwind(run).is_err());
    }
    assert_eq!(failures, 0, "of {rounds} runs");
}
