//! How the work scales with threads and with the size of a module.

use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use spirvkit::{
    AssembleOptions, DisassembleOptions, ValidateOptions, assemble, disassemble, validate,
};
use spirvkit_bench::shapes::{SHAPES, Shape};
use spirvkit_bench::synthetic;

use crate::contests::vulkan_1_3;
use crate::cpp_validator::CppValidator;

use crate::timing::{self, Candidate};
use spirvkit_bench::corpus::{Corpus, bytes_of};

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
    pub(crate) validate: Duration,
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
    let dis = |words: &Vec<u32>| drop(black_box(disassemble(words, &disassembly)));
    let mut disassembling = [
        Candidate::new("one", || work_through(1, &corpus.modules, dis)),
        Candidate::new("two", || work_through(2, &corpus.modules, dis)),
    ];
    let disassembled = timing::compare(&mut disassembling, budget);

    let raw = DisassembleOptions::default().friendly_names(false);
    let text_of = |words: &Vec<u32>| Some(disassemble(words, &raw).ok()?.text);
    let texts: Vec<String> = corpus.modules.iter().filter_map(text_of).collect();
    let assembly = AssembleOptions::default();
    let asm = |text: &String| drop(black_box(assemble(text, &assembly)));
    let mut assembling = [
        Candidate::new("one", || work_through(1, &texts, asm)),
        Candidate::new("two", || work_through(2, &texts, asm)),
    ];
    let assembled = timing::compare(&mut assembling, budget);

    let options = vulkan_1_3();
    let val = |words: &Vec<u32>| drop(black_box(validate(words, &options)));
    let mut validating = [
        Candidate::new("one", || work_through(1, &corpus.modules, val)),
        Candidate::new("two", || work_through(2, &corpus.modules, val)),
    ];
    let validated = timing::compare(&mut validating, budget);

    [
        ("Disassemble, friendly names", disassembled),
        ("Assemble", assembled),
        ("Validate", validated),
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
        let text = disassemble(&words, &raw)
            .expect("the synthetic module is well-formed")
            .text;
        let (disassembly, assembly) = (DisassembleOptions::default(), AssembleOptions::default());
        let validation = beyond_limits();
        let mut candidates = [
            Candidate::new("disassemble", || {
                drop(black_box(disassemble(&words, &disassembly)));
            }),
            Candidate::new("assemble", || drop(black_box(assemble(&text, &assembly)))),
            Candidate::new("validate", || {
                drop(black_box(validate(&words, &validation)));
            }),
        ];
        let times = timing::compare(&mut candidates, budget);
        Size {
            bytes: words.len() * 4,
            disassemble: times[0].best,
            assemble: times[1].best,
            validate: times[2].best,
        }
    };
    [1, 10, 100].into_iter().map(measure).collect()
}

/// The times for a shape of half the usual size, the usual size, and twice that.
pub(crate) struct Growth {
    pub(crate) shape: &'static Shape,
    pub(crate) times: [Duration; 3],
    /// The C++ library's time for the usual size, if it accepts the module.
    pub(crate) theirs: Option<Duration>,
}

/// Options that take made-up modules beyond the universal limits.
pub(crate) fn beyond_limits() -> ValidateOptions {
    let mut options = ValidateOptions::default();
    options.limits.id_bound = u32::MAX;
    options.limits.control_flow_nesting_depth = u32::MAX;
    options.limits.switch_branches = u32::MAX;
    options.limits.struct_depth = u32::MAX;
    options
}

/// How validation grows with what there is much of. The C++ library takes minutes
/// for some of it.
pub(crate) fn growth(budget: Duration, with_theirs: bool) -> Vec<Growth> {
    let options = beyond_limits();
    let cpp = CppValidator::for_env(vulkan_1_3().env).expect("the library has Vulkan 1.3");
    let measure = |shape: &'static Shape| {
        eprintln!("{} {} …", shape.count, shape.name);
        let counts = [shape.count / 2, shape.count, shape.count * 2];
        let modules = counts.map(shape.make);
        let mut candidates = modules.each_ref().map(|words| {
            let report = validate(words, &options);
            assert!(report.is_valid(), "{}: {report:?}", shape.name);
            Candidate::new("", || drop(black_box(validate(words, &options))))
        });
        let times = timing::compare(&mut candidates, budget / 20);
        let mut accepted = false;
        let theirs = timing::time(|| accepted = with_theirs && cpp.check(&modules[1]).is_ok());
        Growth {
            shape,
            times: [times[0].best, times[1].best, times[2].best],
            theirs: accepted.then_some(theirs),
        }
    };
    SHAPES.iter().map(measure).collect()
}
