//! What is asked of an optimized module.

use std::panic::catch_unwind;
use std::path::Path;
use std::time::Duration;

use spirvkit::ir::Module;
use spirvkit::transform::{Strip, compact_ids, strip};
use spirvkit::{TargetEnv, ValidateOptions};
use spirvkit_opt::{Level, Options};

use super::super::corpus::load;
use super::reference::Reference;
use super::{bytes, optimized, thread_time, with_memory};
use super::{interface, lines};

/// What modules are checked with.
pub(super) struct Checker {
    pub(super) options: Options,
    pub(super) environments: Vec<TargetEnv>,
    pub(super) reference: Option<Reference>,
    pub(super) except: Vec<String>,
}

/// What came of a module.
pub(super) enum Verdict {
    /// It isn't optimized: it is none, or not valid.
    Skipped(&'static str),
    Checked(Box<Checked>),
}

/// An optimized module.
#[derive(Default)]
pub(super) struct Checked {
    /// Bytes before and after.
    pub(super) before: usize,
    pub(super) after: usize,
    /// Bytes of the reference's result, if that is valid.
    pub(super) theirs: Option<usize>,
    /// Why the reference has no result.
    pub(super) no_reference: Option<String>,
    pub(super) time: Duration,
    /// Bytes that were allocated at once.
    pub(super) memory: Option<usize>,
    /// How many instructions had a line and could have one, and how many of them have one.
    pub(super) lines: [usize; 2],
    /// What is wrong.
    pub(super) failures: Vec<(Failure, String)>,
    /// Bytes after another time, if it isn't the same module.
    pub(super) again: Option<usize>,
    /// How many unused parts of the interface went.
    pub(super) removed: usize,
    /// One of these that something writes.
    pub(super) written: Option<String>,
}

/// A kind of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Failure {
    /// There is no result.
    None,
    /// Our validator rejects it.
    Invalid,
    /// The reference's does.
    InvalidThere,
    Interface,
    Unrepeatable,
    Debug,
    Larger,
}

impl Failure {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::None => "no result",
            Self::Invalid => "invalid",
            Self::InvalidThere => "invalid for the reference only",
            Self::Interface => "another interface",
            Self::Unrepeatable => "another result each time",
            Self::Debug => "otherwise without debug information",
            Self::Larger => "larger than before",
        }
    }
}

impl Checker {
    /// Optimizes the module in a file, if it is valid, and checks the result.
    pub(super) fn check(&self, file: &Path) -> Verdict {
        let Ok(words) = load(file).and_then(|bytes| {
            let words = spirvkit::words_from_bytes(&bytes).map_err(|error| error.to_string())?;
            Ok(words.0)
        }) else {
            return Verdict::Skipped("no module");
        };
        let is_valid = |env: &&TargetEnv| self.verdict(&words, **env).is_ok();
        let Some(&env) = self.environments.iter().find(is_valid) else {
            return Verdict::Skipped("not valid");
        };
        let start = thread_time();
        let (done, memory) = with_memory(|| optimized(&words, &self.options));
        let time = thread_time().saturating_sub(start);
        let mut checked = Checked {
            before: words.len() * 4,
            after: words.len() * 4,
            time,
            memory,
            ..Checked::default()
        };
        match done {
            Ok(done) => self.check_result(&words, &done, env, &mut checked),
            Err(why) => checked.failures.push((Failure::None, why)),
        }
        Verdict::Checked(Box::new(checked))
    }

    fn check_result(&self, words: &[u32], done: &[u32], env: TargetEnv, checked: &mut Checked) {
        let failures = &mut checked.failures;
        let mut fail = |kind, why: String| failures.push((kind, why));
        checked.after = done.len() * 4;
        match self.verdict(done, env) {
            Err(why) => fail(Failure::Invalid, format!("({env}) {why}")),
            Ok(()) => {
                if let Some(reference) = &self.reference
                    && let Err(why) = reference.complains(&bytes(words), &bytes(done), env)
                {
                    fail(Failure::InvalidThere, format!("({env}) {why}"));
                }
            }
        }
        match (stripped(words), stripped(done)) {
            // What is unrolled takes more.
            _ if self.options.level == Level::Performance => {}
            (Ok(before), Ok(after)) if after.len() > before.len() => {
                let more = (after.len() - before.len()) * 4;
                fail(Failure::Larger, format!("{more} bytes more"));
            }
            _ => {}
        }
        checked.lines = lines::kept(words, done);
        if optimized(words, &self.options).as_deref() != Ok(done) {
            fail(Failure::Unrepeatable, String::new());
        }
        let interface = interface::removed(words, done, false);
        let has_other_interface = interface.is_err();
        match interface {
            Ok(removed) => {
                checked.removed = removed.count;
                checked.written = removed.written;
            }
            Err(why) => fail(Failure::Interface, why),
        }
        let preserving = self.options.clone();
        let preserving = preserving.preserve_bindings(true).preserve_interface(true);
        let preserving = preserving.preserve_spec_constants(true);
        match optimized(words, &preserving) {
            Ok(preserved) => {
                if let Err(why) = interface::removed(words, &preserved, true)
                    && !has_other_interface
                {
                    fail(Failure::Interface, format!("although preserved, {why}"));
                }
            }
            Err(why) => fail(Failure::None, format!("with all preserved: {why}")),
        }
        if let Err(why) = self.is_same_stripped(words, done) {
            fail(Failure::Debug, why);
        }
        match optimized(done, &self.options) {
            Ok(again) if again == done => {}
            Ok(again) => checked.again = Some(again.len() * 4),
            Err(why) => fail(Failure::None, format!("for its result: {why}")),
        }
        if let Some(reference) = &self.reference {
            match reference.size(&bytes(words), env) {
                Ok(size) => checked.theirs = Some(size),
                Err(why) => checked.no_reference = Some(why),
            }
        }
    }

    /// Whether our validator accepts a module.
    fn verdict(&self, words: &[u32], env: TargetEnv) -> Result<(), String> {
        let report = spirvkit::validate(words, &ValidateOptions::for_env(env));
        if report.is_valid() {
            return Ok(());
        }
        let mut findings = report.diagnostics().iter();
        match findings.find(|it| !self.except.iter().any(|rule| rule == it.rule())) {
            Some(first) => Err(format!("[{}] {}", first.rule(), first.message())),
            None => Ok(()),
        }
    }

    /// Whether debug information makes no difference to the rest.
    fn is_same_stripped(&self, words: &[u32], done: &[u32]) -> Result<(), String> {
        let after = stripped(done)?;
        let before = optimized(&stripped(words)?, &self.options)?;
        let (after, before) = (renumbered(&after)?, renumbered(&stripped(&before)?)?);
        if after == before || is_same(&after, &before) {
            return Ok(());
        }
        let [a, b] = [&after, &before].map(|words| spelled(words));
        let lines = a.lines().zip(b.lines()).find(|(a, b)| a != b);
        let place = lines.map_or_else(String::new, |(a, b)| {
            format!(": `{}`, `{}`", a.trim(), b.trim())
        });
        Err(format!(
            "{} bytes with it, {} without{place}",
            after.len() * 4,
            before.len() * 4
        ))
    }
}

fn changed(words: &[u32], change: impl FnOnce(&mut Module)) -> Result<Vec<u32>, String> {
    let mut module = Module::load(words).map_err(|error| error.to_string())?;
    change(&mut module);
    Ok(module.store())
}

/// Without debug information, and what nothing else uses, such as the constants in it.
fn stripped(words: &[u32]) -> Result<Vec<u32>, String> {
    changed(words, |module| {
        strip(module, &Strip::DEBUG.unused(true));
    })
}

/// Whether two modules differ in nothing but ids and the order of declarations.
fn is_same(a: &[u32], b: &[u32]) -> bool {
    let compare = || spirvkit_fuzz::verify_diff(a, b, &Default::default());
    a.len() == b.len()
        && catch_unwind(compare).is_ok_and(|diff| diff.is_some_and(|it| it.is_empty()))
}

fn renumbered(words: &[u32]) -> Result<Vec<u32>, String> {
    changed(words, |module| {
        // It refuses modules with instructions that it doesn't know: these stay as they are.
        let _ = compact_ids(module);
    })
}

fn spelled(words: &[u32]) -> String {
    let options = spirvkit::DisassembleOptions::default().friendly_names(false);
    let text = spirvkit::disassemble(words, &options.header(false));
    text.map_or_else(|_| String::new(), |it| it.text)
}
