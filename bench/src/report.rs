//! The report, in Markdown.

use std::fmt::Write as _;
use std::time::Duration;

use crate::contests::{COPY, Contest, Goal};
use spirvkit_bench::shapes::LIMIT;

use crate::competitors::CPP;
use crate::machine;
use crate::memory::{Peak, TIMES};
use crate::programs;
use crate::scaling::{Growth, Size, Threads};
use spirvkit_bench::corpus::{Corpus, bytes_of};

const METHOD: &str = "\
All modules are read into memory first. Everything runs in one process, and, but
for the comparison of threads, in one thread. The candidates of a comparison take
turns, and each is given its best round; the median is there to show how steady
the rounds were. A round goes over all modules once. MB/s are millions of bytes
of *binary* module per second, also for assembling. Results are dropped within
the measured time. The line that copies the words of the modules is there for
scale.
";

/// The goal for the memory that validating takes: so many times the module, and so
/// many megabytes.
const PER_MODULE: f64 = 6.0;
const FIXED: f64 = 10.0;

/// A report in the making.
pub(crate) struct Report {
    text: String,
}

impl Report {
    /// `unoptimized` are the modules to optimize, if they are others.
    pub(crate) fn new(
        corpus: &Corpus,
        unoptimized: Option<&Corpus>,
        seconds: u64,
        has_classic: bool,
    ) -> Self {
        let classic = if has_classic { " --classic FOLDER" } else { "" };
        let unoptimized = unoptimized.map(|corpus| format!(" --unoptimized {}", corpus.name));
        let unoptimized = unoptimized.unwrap_or_default();
        let mut text = String::new();
        let name = &corpus.name;
        let _ = write!(
            text,
            "# Benchmarks

These figures are the output of

```sh
cargo build --release --bin spv
{}cargo run --release -p spirvkit-bench -- {name} --seconds {seconds}{classic}{unoptimized} --write docs/benchmarks.md
```

where `{name}` is a folder of {} modules, {:.1} MB together.
",
            cpp_flags()
                .map(|flags| format!("CXXFLAGS=\"{flags}\" "))
                .unwrap_or_default(),
            corpus.modules.len(),
            megabytes(bytes_of(&corpus.modules)),
        );
        if corpus.unreadable > 0 {
            let _ = writeln!(
                text,
                "{} more files there are not modules.",
                corpus.unreadable
            );
        }
        let _ = write!(
            text,
            "\n{METHOD}
| | |
|---|---|
| date | {} |
| processor | {}, {} cores |
| compiler | {} |
| spirvkit | {} |
| rspirv | {} |
| SPIRV-Tools | the C++ library in the crate spirv-tools {}, compiled {} |
",
            machine::date(),
            machine::processor(),
            machine::cores(),
            machine::rustc(),
            machine::version_of("spirvkit"),
            machine::version_of("rspirv"),
            machine::version_of("spirv-tools"),
            match cpp_flags() {
                Some(flags) => format!("with `{flags}`"),
                None => "as the crate does by itself".to_owned(),
            },
        );
        Self { text }
    }

    pub(crate) fn contest(&mut self, contest: Contest) {
        let _ = write!(
            self.text,
            "
## {}

{} modules, {:.1} MB. {}

| | best, MB/s | median, MB/s | spirvkit is faster by | goal |
|---|---:|---:|---:|---:|
",
            contest.title,
            contest.modules,
            megabytes(contest.bytes),
            contest.remarks.join(" "),
        );
        let Some(ours) = contest.times.first().map(|ours| ours.best) else {
            return;
        };
        for (index, times) in contest.times.iter().enumerate() {
            let ratio = times.best.as_secs_f64() / ours.as_secs_f64();
            let ratio = match index {
                0 => String::new(),
                _ if times.name == COPY => String::new(),
                _ => format!("{ratio:.2}×"),
            };
            let goal = match contest.goal {
                Goal(name, goal) if name == times.name => format!("{goal}×"),
                _ => String::new(),
            };
            let _ = writeln!(
                self.text,
                "| {} | {} | {} | {ratio} | {goal} |",
                times.name,
                speed(contest.bytes, times.best),
                speed(contest.bytes, times.median),
            );
        }
    }

    pub(crate) fn growth(&mut self, rows: Vec<Growth>) {
        let _ = write!(
            self.text,
            "
## Validation's growth

spirvkit's validator with made-up modules that have very much of one thing: half
as many, so many, and twice as many. The goal is less than {LIMIT} ms for so many, and
no more than twice that for twice as many. Beside it, what {CPP} takes for so
many, if it accepts the module.

| what | so many | half, ms | so many, ms | twice, ms | doubled by | {CPP}, ms |
|---|---:|---:|---:|---:|---:|---:|
"
        );
        for row in rows {
            let [half, usual, twice] = row.times.map(milliseconds);
            let theirs = row.theirs.map(milliseconds);
            let _ = writeln!(
                self.text,
                "| {} | {} | {half:.2} | {usual:.2} | {twice:.2} | {:.2}× | {} |",
                row.shape.name,
                row.shape.count,
                twice / usual,
                theirs.map_or_else(|| "–".to_owned(), |theirs| format!("{theirs:.0}")),
            );
        }
    }

    pub(crate) fn threads(&mut self, threads: Vec<Threads>) {
        self.text.push_str(
            "
## Two threads

spirvkit over all modules; each thread takes the next module when it is done with
one.

| | one thread, MB/s | two threads, MB/s | gain | goal |
|---|---:|---:|---:|---:|
",
        );
        for row in threads {
            let _ = writeln!(
                self.text,
                "| {} | {} | {} | {:.2}× | 1.8× |",
                row.work,
                speed(row.bytes, row.one),
                speed(row.bytes, row.two),
                row.one.as_secs_f64() / row.two.as_secs_f64(),
            );
        }
    }

    pub(crate) fn programs(&mut self, corpus: &Corpus, rows: Vec<programs::Row>) {
        let (modules, bytes) = programs::field(corpus);
        let _ = write!(
            self.text,
            "
## The program over many files

`spv` with `-j1` over a folder of the first {modules} modules, {:.1} MB, from the start of the
process to its end, files in the system's cache; outputs go to files in a folder of
their own, which isn't there before. Text has friendly names. The rate of the library
is that of one thread over the same modules or texts in memory. The classic programs
run once for each file.

| | library, MB/s | `spv`, MB/s | share | goal | classic programs, MB/s | `spv` is faster by |
|---|---:|---:|---:|---:|---:|---:|
",
            megabytes(bytes),
        );
        for row in rows {
            let (theirs, ratio) = match row.classic {
                Some(time) => {
                    let ratio = time.as_secs_f64() / row.program.as_secs_f64();
                    (speed(row.bytes, time), format!("{ratio:.1}×"))
                }
                None => ("–".to_owned(), String::new()),
            };
            let _ = writeln!(
                self.text,
                "| {} | {} | {} | {:.0} % | {:.0} % | {theirs} | {ratio} |",
                row.work,
                speed(row.bytes, row.library),
                speed(row.bytes, row.program),
                row.library.as_secs_f64() / row.program.as_secs_f64() * 100.0,
                row.goal * 100.0,
            );
        }
    }

    pub(crate) fn sizes(&mut self, sizes: Vec<Size>) {
        self.text.push_str(
            "
## Large modules

spirvkit with a made-up module whose one function does arithmetic, so that the
ids grow with the size.

| size | disassemble, friendly names, MB/s | assemble, MB/s | validate, MB/s |
|---:|---:|---:|---:|
",
        );
        for row in sizes {
            let _ = writeln!(
                self.text,
                "| {:.0} MB | {} | {} | {} |",
                megabytes(row.bytes),
                speed(row.bytes, row.disassemble),
                speed(row.bytes, row.assemble),
                speed(row.bytes, row.validate),
            );
        }
    }

    pub(crate) fn memory(&mut self, peaks: Vec<Peak>) {
        self.text.push_str(
            "
## Memory

The peak of a process that reads the largest of those modules or its text into
memory and does nothing but this.

| | input, MB | output, MB | peak, MB | peak ÷ (input + output) |
|---|---:|---:|---:|---:|
",
        );
        for row in peaks {
            let _ = writeln!(
                self.text,
                "| {} | {:.0} | {:.0} | {:.0} | {:.2} |",
                row.work,
                megabytes(row.input as usize),
                megabytes(row.output as usize),
                megabytes(row.peak as usize),
                row.peak as f64 / (row.input + row.output) as f64,
            );
        }
    }

    pub(crate) fn growth_memory(&mut self, peaks: Vec<Peak>) {
        let _ = write!(
            self.text,
            "
The peak of validating the made-up modules with very much of one thing, with {TIMES} times
as many as under \"Validation's growth\". The goal is {PER_MODULE} times the module and {FIXED} MB.

| what | module, MB | peak, MB | goal, MB |
|---|---:|---:|---:|
"
        );
        for row in peaks {
            let module = megabytes(row.input as usize);
            let _ = writeln!(
                self.text,
                "| {} | {module:.1} | {:.1} | {:.1} |",
                row.work,
                megabytes(row.peak as usize),
                PER_MODULE * module + FIXED,
            );
        }
    }

    /// A section of its own on running shaders.
    pub(crate) fn execution(&mut self, section: &str) {
        self.text.push_str(section);
    }

    pub(crate) fn finish(self) -> String {
        self.text
    }
}

/// The flags for the C++ compiler that this program was compiled with.
fn cpp_flags() -> Option<&'static str> {
    option_env!("CXXFLAGS").filter(|flags| !flags.is_empty())
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

fn speed(bytes: usize, time: Duration) -> String {
    let speed = megabytes(bytes) / time.as_secs_f64();
    match speed {
        ..100.0 => format!("{speed:.1}"),
        _ => format!("{speed:.0}"),
    }
}
