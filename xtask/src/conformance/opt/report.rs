//! Telling what came of the modules.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::check::{Checked, Failure, Verdict};

/// Modules smaller than this say nothing about memory.
const SMALL: usize = 16 << 10;

/// What came of all modules.
pub(super) struct Report<'a> {
    folders: BTreeMap<&'a Path, Vec<(&'a Path, &'a Checked)>>,
    skipped: BTreeMap<&'static str, usize>,
}

/// The sums of a folder.
#[derive(Default)]
struct Sum {
    modules: usize,
    before: usize,
    after: usize,
    /// Of the modules that the reference has a valid result for.
    compared: [usize; 3],
    smaller: usize,
    equal: usize,
    larger: usize,
    no_reference: usize,
    not_fixed: usize,
    gained: usize,
    removed: usize,
    time: Duration,
    memory: Option<f64>,
    lines: [usize; 2],
    failed: usize,
}

impl Sum {
    fn add(&mut self, it: &Checked) {
        self.modules += 1;
        self.before += it.before;
        self.after += it.after;
        if let Some(theirs) = it.theirs {
            let sizes = [it.before, it.after, theirs];
            for (sum, size) in self.compared.iter_mut().zip(sizes) {
                *sum += size;
            }
            match it.after.cmp(&theirs) {
                std::cmp::Ordering::Less => self.smaller += 1,
                std::cmp::Ordering::Equal => self.equal += 1,
                std::cmp::Ordering::Greater => self.larger += 1,
            }
        }
        self.no_reference += usize::from(it.no_reference.is_some());
        self.not_fixed += usize::from(it.again.is_some());
        self.gained += it.again.map_or(0, |again| it.after.saturating_sub(again));
        self.removed += it.removed;
        self.time += it.time;
        if let Some(memory) = it.memory.filter(|_| it.before >= SMALL) {
            let times = memory as f64 / it.before as f64;
            self.memory = Some(self.memory.unwrap_or(0.0).max(times));
        }
        for (sum, lines) in self.lines.iter_mut().zip(it.lines) {
            *sum += lines;
        }
        self.failed += usize::from(!it.failures.is_empty());
    }

    fn print(&self, name: &str, flag: &str) {
        println!(
            "{name}: {} modules, {} bytes, {} left ({:.2} %), {:.1} MB/s",
            self.modules,
            self.before,
            self.after,
            percent(self.after, self.before),
            self.before as f64 / 1e6 / self.time.as_secs_f64().max(1e-9),
        );
        let [before, ours, theirs] = self.compared;
        if before > 0 {
            println!(
                "  beside the reference's {flag}: {before} bytes, ours {:.2} %, theirs {:.2} %; \
                 {} smaller ({:.1} %), {} equal, {} larger; {} without a result of theirs",
                percent(ours, before),
                percent(theirs, before),
                self.smaller,
                percent(self.smaller, self.smaller + self.equal + self.larger),
                self.equal,
                self.larger,
                self.no_reference,
            );
        }
        println!(
            "  {} not final, with {} bytes to gain; {} unused parts of interfaces gone; {} failed{}",
            self.not_fixed,
            self.gained,
            self.removed,
            self.failed,
            match self.memory {
                Some(times) => format!("; memory up to {times:.1} × the module"),
                None => String::new(),
            }
        );
        let [had, have] = self.lines;
        if had > 0 {
            println!(
                "  of {had} instructions that had a line, {have} have one ({:.2} %)",
                percent(have, had)
            );
        }
    }
}

fn percent(part: usize, whole: usize) -> f64 {
    part as f64 * 100.0 / whole.max(1) as f64
}

impl<'a> Report<'a> {
    pub(super) fn new(files: &'a [PathBuf], verdicts: &'a [Verdict]) -> Self {
        let mut report = Self {
            folders: BTreeMap::new(),
            skipped: BTreeMap::new(),
        };
        for (file, verdict) in files.iter().zip(verdicts) {
            match verdict {
                Verdict::Skipped(why) => *report.skipped.entry(why).or_default() += 1,
                Verdict::Checked(checked) => {
                    let folder = file.parent().unwrap_or(file);
                    let list = report.folders.entry(folder).or_default();
                    list.push((file, checked));
                }
            }
        }
        report
    }

    fn all(&self) -> impl Iterator<Item = (&'a Path, &'a Checked)> {
        self.folders.values().flatten().copied()
    }

    pub(super) fn failed(&self) -> usize {
        self.all().filter(|(_, it)| !it.failures.is_empty()).count()
    }

    pub(super) fn passed(&self) -> usize {
        self.all().count() - self.failed()
    }

    pub(super) fn print(&self, show: usize, flag: &str) {
        self.print_failures(show);
        let mut total = Sum::default();
        for (folder, modules) in &self.folders {
            let mut sum = Sum::default();
            for (_, checked) in modules {
                sum.add(checked);
                total.add(checked);
            }
            sum.print(&folder.display().to_string(), flag);
            let mut worst: Vec<_> = modules
                .iter()
                .filter_map(|(file, it)| Some((it.after.checked_sub(it.theirs?)?, file, it)))
                .filter(|(more, ..)| *more > 0)
                .collect();
            worst.sort_by_key(|(more, ..)| std::cmp::Reverse(*more));
            for (more, file, it) in worst.iter().take(show) {
                println!(
                    "    {more} bytes larger than the reference's {}, of {}: {}",
                    it.after - more,
                    it.before,
                    file.file_name().unwrap_or_default().to_string_lossy()
                );
            }
        }
        if self.folders.len() > 1 {
            total.print("all", flag);
        }
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for reason in self.all().filter_map(|(_, it)| it.no_reference.as_deref()) {
            // What follows depends on the module.
            let kind = reason.split(':').next().unwrap_or(reason);
            *reasons.entry(kind).or_default() += 1;
        }
        for (why, count) in reasons {
            println!("{count} not compared: {why}");
        }
        let written = self.all().filter(|(_, it)| it.written.is_some());
        let written: Vec<&Path> = written.map(|(file, _)| file).collect();
        if !written.is_empty() {
            println!("{} lost descriptors that they write:", written.len());
            for file in written.iter().take(show) {
                println!("  {}", file.display());
            }
        }
        for (why, count) in &self.skipped {
            println!("{count} skipped: {why}");
        }
        println!(
            "{} passed, {} failed, {} skipped",
            self.passed(),
            self.failed(),
            self.skipped.values().sum::<usize>()
        );
    }

    fn print_failures(&self, show: usize) {
        let mut kinds: BTreeMap<Failure, Vec<(&Path, &str)>> = BTreeMap::new();
        for (file, checked) in self.all() {
            for (kind, why) in &checked.failures {
                kinds.entry(*kind).or_default().push((file, why));
            }
        }
        for (kind, failures) in kinds {
            println!("{} {}:", failures.len(), kind.name());
            for (file, why) in failures.iter().take(show) {
                println!("  {}: {why}", file.display());
            }
        }
    }
}
