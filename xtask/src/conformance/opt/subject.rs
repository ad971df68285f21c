//! Running something before and after its modules are changed.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A change to the words of a module; or why there is none.
pub(super) type Transform<'t> = &'t dyn Fn(&[u32]) -> Result<Vec<u32>, String>;

/// What a run leaves.
#[derive(Default)]
pub(super) struct Left {
    /// What must be the same, with what it is.
    pub(super) results: Vec<(String, Vec<u8>)>,
    /// The rules of what was found.
    pub(super) findings: BTreeSet<String>,
}

/// How a run is made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Care {
    /// As usual.
    Usual,
    /// With all that excuses another result: data races, and undefined values in results.
    Thorough,
}

/// What came of a comparison.
pub(super) enum Compared {
    Same,
    /// The first run has a finding, so it might have given something else itself.
    Excused(String),
    /// There is nothing to compare with.
    NotRun(String),
    Different {
        why: String,
        /// The modules before and after.
        modules: Vec<[Vec<u32>; 2]>,
    },
}

/// Findings that end a run early, wherever it is then.
const LIMITS: &[&str] = &["run.steps", "run.livelock"];

/// Runs something twice, the second time with changed modules, and compares what is left. What is
/// run takes the change to make to its modules.
pub(super) fn before_and_after(
    run: impl Fn(Transform<'_>, Care) -> Result<Left, String>,
    transform: Transform<'_>,
) -> Compared {
    let run = |transform: Transform<'_>, care| {
        let ran = catch_unwind(AssertUnwindSafe(|| run(transform, care)));
        ran.unwrap_or_else(|_| Err("the run panics".to_owned()))
    };
    let unchanged = |words: &[u32]| Ok(words.to_vec());
    let before = match run(&unchanged, Care::Usual) {
        Ok(before) => before,
        Err(why) => return Compared::NotRun(why),
    };
    if let Some(limit) = before.findings.iter().find(|it| LIMITS.contains(&&***it)) {
        return Compared::NotRun(limit.clone());
    }
    let modules = RefCell::new(Vec::new());
    let noted = |words: &[u32]| {
        let changed = transform(words);
        let after = changed.clone().unwrap_or_default();
        modules.borrow_mut().push([words.to_vec(), after]);
        changed
    };
    let after = run(&noted, Care::Usual);
    let Some(why) = difference(&before, &after) else {
        return Compared::Same;
    };
    let mut excuses = before.findings;
    if excuses.is_empty()
        && let Ok(thorough) = run(&unchanged, Care::Thorough)
    {
        excuses = thorough.findings;
    }
    match (excuses.pop_first(), after) {
        // Whatever a program does, it doesn't break the optimizer.
        (Some(excuse), Ok(_)) => Compared::Excused(excuse),
        _ => Compared::Different {
            why,
            modules: modules.into_inner(),
        },
    }
}

/// What is different after, if anything is.
fn difference(before: &Left, after: &Result<Left, String>) -> Option<String> {
    let after = match after {
        Ok(after) => after,
        Err(why) => return Some(why.clone()),
    };
    if let Some(new) = after.findings.difference(&before.findings).next() {
        return Some(format!("{new} is found only after"));
    }
    if before.results.len() != after.results.len() {
        let [a, b] = [before, after].map(|it| it.results.len());
        return Some(format!("{a} results before, {b} after"));
    }
    for ((name, a), (_, b)) in before.results.iter().zip(&after.results) {
        if a == b {
            continue;
        }
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
        return Some(match name.strip_prefix('#') {
            Some(name) => format!("{name} was {:?}, is {:?}", text(a), text(b)),
            None => {
                let count = a.iter().zip(b).filter(|(a, b)| a != b).count();
                let first = a.iter().zip(b).position(|(a, b)| a != b);
                let lengths = [a.len(), b.len()];
                format!("{name}: {count} bytes of {lengths:?} differ, the first is {first:?}")
            }
        });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run that leaves the last word, and finds something if that is asked for.
    fn compare(
        transform: Transform<'_>,
        finds: impl Fn(u32, Care) -> Option<&'static str>,
    ) -> Compared {
        let run = |transform: Transform<'_>, care| {
            let words = transform(&[1, 2])?;
            let last = words.last().copied().unwrap_or_default();
            let mut left = Left::default();
            left.results.push(("it".to_owned(), vec![last as u8]));
            left.findings.extend(finds(last, care).map(str::to_owned));
            Ok(left)
        };
        before_and_after(run, transform)
    }

    fn longer(words: &[u32]) -> Result<Vec<u32>, String> {
        Ok([words, &[3]].concat())
    }

    fn shorter(words: &[u32]) -> Result<Vec<u32>, String> {
        Ok(words[1..].to_vec())
    }

    #[test]
    fn other_results_are_different() {
        assert!(matches!(compare(&shorter, |_, _| None), Compared::Same));
        let Compared::Different { why, modules } = compare(&longer, |_, _| None) else {
            panic!("it is different");
        };
        assert_eq!(why, "it: 1 bytes of [1, 1] differ, the first is Some(0)");
        assert_eq!(modules, [[vec![1, 2], vec![1, 2, 3]]]);
    }

    #[test]
    fn new_findings_are_different_and_old_ones_excuse() {
        let found = compare(&longer, |last, _| (last == 3).then_some("run.new"));
        assert!(
            matches!(found, Compared::Different { why, .. } if why == "run.new is found only after")
        );
        let found = compare(&longer, |_, _| Some("run.old"));
        assert!(matches!(found, Compared::Excused(why) if why == "run.old"));
        let found = compare(&longer, |_, care| {
            (care == Care::Thorough).then_some("run.race")
        });
        assert!(matches!(found, Compared::Excused(why) if why == "run.race"));
        let found = compare(&longer, |_, _| Some("run.steps"));
        assert!(matches!(found, Compared::NotRun(_)));
    }

    #[test]
    fn nothing_excuses_the_optimizer_itself() {
        let fails = |_: &[u32]| Err("it fails".to_owned());
        let found = compare(&fails, |_, _| Some("run.old"));
        assert!(matches!(found, Compared::Different { why, .. } if why == "it fails"));
    }
}
