//! What one run of the program takes.

use std::fs::{self, File};
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use spirvkit::binary::Budget;
use wait4::Wait4 as _;

/// The most that a run may take before it is stopped: kilobytes of address space, seconds
/// of processor time, blocks of 512 bytes in a file.
const LIMITS: &str = "ulimit -v 6000000 && ulimit -t 20 && ulimit -f 4000000";

/// What a run took.
#[derive(Clone, Debug)]
pub(super) struct Cost {
    /// Bytes of its inputs.
    pub(super) input: u64,
    /// The exit code, unless a signal ended it.
    pub(super) code: Option<i32>,
    signal: Option<i32>,
    /// The most memory at once, in bytes.
    pub(super) memory: u64,
    /// Processor time.
    pub(super) time: Duration,
    /// Bytes of all that was written, to files and standard streams.
    pub(super) output: u64,
}

/// Runs the program in a folder.
pub(super) fn measure(
    program: &Path,
    arguments: &[String],
    folder: &Path,
    input: u64,
) -> io::Result<Cost> {
    let streams = ["stdout", "stderr"].map(|name| folder.join(name));
    let mut child = Command::new("sh")
        .args(["-c", &format!("{LIMITS} && exec \"$0\" \"$@\"")])
        .arg(program)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(File::create(&streams[0])?)
        .stderr(File::create(&streams[1])?)
        .spawn()?;
    let used = child.wait4()?;
    let mut output = size_below(&folder.join("out"))?;
    for stream in &streams {
        output += fs::metadata(stream)?.len();
    }
    Ok(Cost {
        input,
        code: used.status.code(),
        signal: used.status.signal(),
        memory: used.rusage.maxrss,
        time: used.rusage.utime + used.rusage.stime,
        output,
    })
}

/// How many bytes the files below a folder have.
fn size_below(folder: &Path) -> io::Result<u64> {
    let mut size = 0;
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(folder) else {
            continue;
        };
        for entry in entries {
            let entry = entry?;
            match entry.file_type()?.is_dir() {
                true => folders.push(entry.path()),
                false => size += entry.metadata()?.len(),
            }
        }
    }
    Ok(size)
}

const MEGABYTE: u64 = 1 << 20;

/// Memory, time and output may be this many times the input, and more by so much.
const MEMORY: (u64, u64) = (64, 64 * MEGABYTE);
const OUTPUT: (u64, u64) = (Budget::FACTOR, Budget::BASE + MEGABYTE);
/// Milliseconds a megabyte of input, and for what any input may have written of it.
const TIME: (u64, u64) = (2000, 500);
/// How many times as much may be taken of twice the input.
const GROWTH: f64 = 2.6;
/// What is less than this grows as it likes: it is mostly what any run takes, or what any
/// input may have written of it.
const NOISE: (u64, u64, u64) = (32 * MEGABYTE, 200, Budget::BASE);

impl Cost {
    fn milliseconds(&self) -> u64 {
        self.time.as_millis() as u64
    }

    /// What is too much for the size of the input, or not how a run may end.
    pub(super) fn breaches(&self) -> Vec<String> {
        let mut breaches = Vec::new();
        match (self.code, self.signal) {
            (Some(0 | 1), _) => {}
            (Some(code), _) => breaches.push(format!("exit code {code}")),
            (None, signal) => breaches.push(format!("ended by signal {}", signal.unwrap_or(0))),
        }
        let most = |(times, more): (u64, u64)| self.input * times + more;
        if self.memory > most(MEMORY) {
            breaches.push(format!("memory {}", megabytes(self.memory)));
        }
        if self.output > most(OUTPUT) {
            breaches.push(format!("output {}", megabytes(self.output)));
        }
        if self.milliseconds() > self.input * TIME.0 / MEGABYTE + TIME.1 {
            breaches.push(format!("time {:.2} s", self.time.as_secs_f64()));
        }
        breaches
    }

    /// What has grown too fast since a run with a smaller input.
    pub(super) fn growth_since(&self, before: &Self) -> Vec<String> {
        let doublings = (self.input as f64 / before.input as f64).log2();
        let of = |what: &str, before: u64, after: u64, noise: u64| {
            let growth = after as f64 / before.max(noise) as f64;
            let a_doubling = growth.powf(1.0 / doublings);
            (doublings > 0.5 && a_doubling > GROWTH)
                .then(|| format!("{what} grows {a_doubling:.1} × when doubled"))
        };
        let (memory, time, output) = NOISE;
        [
            of("memory", before.memory, self.memory, memory),
            of("time", before.milliseconds(), self.milliseconds(), time),
            of("output", before.output, self.output, output),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

pub(super) fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
