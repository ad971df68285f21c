//! The benchmarks for daily work: they need no other library and no modules.

use divan::Bencher;
use divan::counter::BytesCount;
use spirvkit::{AssembleOptions, DisassembleOptions, assemble, disassemble};
use spirvkit_bench::{decode, synthetic};

/// The size of the module. The text is about five times as large; all together
/// fits the caches of few machines, as real work does.
const BYTES: usize = 1_000_000;

fn main() {
    divan::main();
}

fn of_module(bencher: Bencher<'_, '_>, work: impl Fn(&[u32])) {
    let words = synthetic::module(BYTES);
    bencher
        .counter(BytesCount::new(words.len() * 4))
        .bench_local(|| work(&words));
}

#[divan::bench]
fn decode_operands(bencher: Bencher<'_, '_>) {
    of_module(bencher, |words| {
        divan::black_box(decode::sum_of_operands(words).is_ok());
    });
}

#[divan::bench]
fn disassemble_friendly(bencher: Bencher<'_, '_>) {
    let options = DisassembleOptions::default();
    of_module(bencher, |words| {
        divan::black_box(disassemble(words, &options).is_ok());
    });
}

#[divan::bench]
fn disassemble_raw(bencher: Bencher<'_, '_>) {
    let options = DisassembleOptions::default().friendly_names(false);
    of_module(bencher, |words| {
        divan::black_box(disassemble(words, &options).is_ok());
    });
}

fn assemble_text_of(bencher: Bencher<'_, '_>, disassembly: &DisassembleOptions) {
    let words = synthetic::module(BYTES);
    let text = disassemble(&words, disassembly)
        .expect("the module is well-formed")
        .text;
    let options = AssembleOptions::default();
    bencher
        .counter(BytesCount::new(words.len() * 4))
        .bench_local(|| assemble(&text, &options).is_ok());
}

#[divan::bench]
fn assemble_raw(bencher: Bencher<'_, '_>) {
    assemble_text_of(
        bencher,
        &DisassembleOptions::default().friendly_names(false),
    );
}

#[divan::bench]
fn assemble_friendly(bencher: Bencher<'_, '_>) {
    assemble_text_of(bencher, &DisassembleOptions::default());
}
