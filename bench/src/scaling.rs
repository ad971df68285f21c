//! How the work scales with threads and with the size of a module.

use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use spirvkit::{AssembleOptions, DisassembleOptions, assemble, disassemble_words};
use spirvkit_bench::synthetic;

use crate::corpus::{Corpus, bytes_of};
use crate::timing::{self, Candidate};

/// The times of one and of two threads for the same modules.
pub(crate) struct Threads {
    pub(crate) work: &'static str,
    pub(crate) bytes: usize,
    pub(crate) one: Duration,
    pub(crate) two: Duration,
}

/// The times for a module of a certain size.
pub(crate) struct Size {
    pub(crate) bytes: usize,
    pub(crate) disassemble: Duration,
    pub(crate) assemble: Duration,
}

/// Works through jobs with some threads, each of which takes the next job when
/// it is done with one.
fn work_through<T: Sync>(threads: usize, jobs: &[T], work: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(job);
                }
            });
        }
    });
}

pub(crate) fn two_threads(corpus: &Corpus, budget: Duration) -> Vec<Threads> {
    eprintln!("Threads …");
    let bytes = bytes_of(&corpus.modules);
    let disassembly = DisassembleOptions::default();
    let dis = |words: &Vec<u32>| drop(black_box(disassemble_words(words, &disassembly)));
    let mut disassembling = [
        Candidate::new("one", || work_through(1, &corpus.modules, dis)),
        Candidate::new("two", || work_through(2, &corpus.modules, dis)),
    ];
    let disassembled = timing::compare(&mut disassembling, budget);

    let raw = DisassembleOptions::default().friendly_names(false);
    let text_of = |words: &Vec<u32>| Some(disassemble_words(words, &raw).ok()?.text);
    let texts: Vec<String> = corpus.modules.iter().filter_map(text_of).collect();
    let assembly = AssembleOptions::default();
    let asm = |text: &String| drop(black_box(assemble(text, &assembly)));
    let mut assembling = [
        Candidate::new("one", || work_through(1, &texts, asm)),
        Candidate::new("two", || work_through(2, &texts, asm)),
    ];
    let assembled = timing::compare(&mut assembling, budget);

    [
        ("Disassemble, friendly names", disassembled),
        ("Assemble", assembled),
    ]
    .into_iter()
    .map(|(work, times)| Threads {
        work,
        bytes,
        one: times[0].best,
        two: times[1].best,
    })
    .collect()
}

pub(crate) fn sizes(budget: Duration) -> Vec<Size> {
    let measure = |megabytes: usize| {
        eprintln!("A module of {megabytes} MB …");
        let words = synthetic::module(megabytes * 1_000_000);
        let raw = DisassembleOptions::default().friendly_names(false);
        let text = disassemble_words(&words, &raw)
            .expect("the synthetic module is well-formed")
            .text;
        let (disassembly, assembly) = (DisassembleOptions::default(), AssembleOptions::default());
        let mut candidates = [
            Candidate::new("disassemble", || {
                drop(black_box(disassemble_words(&words, &disassembly)));
            }),
            Candidate::new("assemble", || drop(black_box(assemble(&text, &assembly)))),
        ];
        let times = timing::compare(&mut candidates, budget);
        Size {
            bytes: words.len() * 4,
            disassemble: times[0].best,
            assemble: times[1].best,
        }
    };
    [1, 10, 100].into_iter().map(measure).collect()
}
