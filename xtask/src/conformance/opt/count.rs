//! How many instructions are executed, before and after.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use spirvkit::interp::{Observer, Run, Step};
use spirvkit::{TargetEnv, grammar::Op};

use super::bytes;
use super::reference::Reference;
use super::run::keep;
use crate::Outcome;

/// What makes another module of one.
pub(super) type Optimize<'w> = &'w (dyn Fn(&[u32]) -> Result<Vec<u32>, String> + Sync);

/// The ways to optimize that are compared.
pub(super) struct Ways<'w> {
    pub(super) ours: Optimize<'w>,
    pub(super) theirs: Option<&'w Reference>,
}

/// The instructions that something executes.
#[derive(Debug)]
pub(super) struct Counted {
    before: u64,
    ours: u64,
    theirs: Option<u64>,
    /// What the reference makes, and ours, if that executes more.
    worse: Option<[Vec<u32>; 2]>,
}

impl Ways<'_> {
    /// Counts what a module executes, and what becomes of it.
    pub(super) fn count(
        &self,
        words: &[u32],
        run: impl Fn(&[u32]) -> Result<u64, String>,
    ) -> Result<Counted, String> {
        let theirs = self.theirs.and_then(|reference| {
            let env: TargetEnv = "vulkan1.4".parse().ok()?;
            let made = reference.optimized(&bytes(words), env).ok()?;
            let words = spirvkit::words_from_bytes(&made).ok()?.0;
            Some((run(&words).ok()?, words))
        });
        let made = (self.ours)(words)?;
        let ours = run(&made)?;
        Ok(Counted {
            before: run(words)?,
            ours,
            theirs: theirs.as_ref().map(|it| it.0),
            worse: theirs.and_then(|it| (ours > it.0).then_some([it.1, made])),
        })
    }
}

/// Counts by lanes: what is executed for four of them counts as four. Phis are none.
struct Counter<'w> {
    words: &'w [u32],
    count: u64,
}

impl Observer for Counter<'_> {
    fn before(&mut self, step: &Step<'_>) -> ControlFlow<()> {
        let word = self.words.get(step.offset() as usize);
        if word.is_none_or(|&word| Op(word as u16) != Op::Phi) {
            self.count += u64::from(step.lanes().count_ones());
        }
        ControlFlow::Continue(())
    }
}

/// How many instructions a run executes, as it stands.
pub(super) fn executed(words: &[u32], run: Run<'_>, groups: [u32; 3]) -> Result<u64, String> {
    let mut counter = Counter { words, count: 0 };
    let run = run.threads(1).optimized(false);
    let ran = run.observe(groups, &mut counter);
    ran.map_err(|errors| {
        let text = errors.to_string();
        text.lines().next().unwrap_or_default().to_owned()
    })?;
    Ok(counter.count)
}

/// Tells of all, and which execute more than what the reference makes of them, whose modules are
/// kept in a folder.
pub(super) fn report(
    names: &[String],
    counted: &[Result<Counted, String>],
    show: usize,
    folder: &Path,
) -> Outcome {
    let mut skipped: BTreeMap<&str, usize> = BTreeMap::new();
    let mut sums = [0u64; 2];
    let mut both = [0u64; 2];
    let (mut compared, mut no_more, mut fewer) = (0usize, 0usize, 0usize);
    let mut more = Vec::new();
    for (name, counted) in names.iter().zip(counted) {
        let counted = match counted {
            Ok(counted) => counted,
            Err(why) => {
                *skipped.entry(why).or_default() += 1;
                continue;
            }
        };
        sums[0] += counted.before;
        sums[1] += counted.ours;
        let Some(theirs) = counted.theirs else {
            continue;
        };
        compared += 1;
        both[0] += counted.ours;
        both[1] += theirs;
        no_more += usize::from(counted.ours <= theirs);
        fewer += usize::from(counted.ours < theirs);
        if let Some(modules) = &counted.worse {
            more.push((counted.ours - theirs, theirs, name, modules));
        }
    }
    more.sort_unstable_by(|a, b| b.cmp(a));
    for &(difference, theirs, name, modules) in more.iter().take(show) {
        let files = keep(folder, name, std::slice::from_ref(modules))?;
        println!("{difference} more than the reference's {theirs}: {name}\n  {files}");
    }
    for (why, count) in skipped.iter().take(show) {
        println!("{count} skipped: {why}");
    }
    let percent = |part: u64, whole: u64| part as f64 * 100.0 / whole.max(1) as f64;
    println!(
        "{} instructions executed, {} when optimized ({:.2} %)",
        sums[0],
        sums[1],
        percent(sums[1], sums[0])
    );
    if compared > 0 {
        println!(
            "beside the reference's: {compared} compared, {no_more} execute no more ({:.1} %), {fewer} fewer; {} in all, the reference's {} ({:.2} %)",
            percent(no_more as u64, compared as u64),
            both[0],
            both[1],
            percent(both[0], both[1])
        );
    }
    match sums[0] {
        0 => Err("nothing was run".into()),
        _ => Ok(()),
    }
}
