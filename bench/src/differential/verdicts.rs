//! Two verdicts on a module, and in what they disagree.

use std::error::Error;
use std::fmt::Write as _;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::time::{Duration, Instant};

use spirvkit::diagnostics::Severity;
use spirvkit::{Diagnostic, TargetEnv, ValidateOptions};

use crate::reference::{Reference, Verdict};

/// How long our verdict may take before that is a finding.
const PATIENCE: Duration = Duration::from_secs(2);

/// Our validator and the C++ library's.
pub(crate) struct Validators {
    options: ValidateOptions,
    reference: Reference,
    /// The longest that a verdict of ours has taken.
    pub(crate) slowest: Duration,
}

impl Validators {
    /// For an environment, with the C++ library or a program. Fails if the library doesn't have it.
    pub(crate) fn new(env: TargetEnv, program: Option<&Path>) -> Result<Self, Box<dyn Error>> {
        Ok(Self {
            options: ValidateOptions::for_env(env),
            reference: Reference::start(env, program)?,
            slowest: Duration::ZERO,
        })
    }

    /// What either says about a module.
    pub(crate) fn check(&mut self, words: &[u32]) -> Result<Both, Box<dyn Error>> {
        self.reference.ask(words);
        let start = Instant::now();
        let check = || spirvkit::validate(words, &self.options);
        let ours = match panic::catch_unwind(AssertUnwindSafe(check)) {
            Err(_) => Ours::Panicked,
            Ok(report) => {
                let mut all = report.diagnostics().iter();
                let error = all.find(|diagnostic| diagnostic.severity() == Severity::Error);
                error.map_or(Ours::Valid, |error| Ours::Invalid(Box::new(error.clone())))
            }
        };
        let took = start.elapsed();
        self.slowest = self.slowest.max(took);
        let theirs = self.reference.answer()?;
        Ok(Both { ours, took, theirs })
    }
}

/// Our verdict, with the first error.
enum Ours {
    Valid,
    Invalid(Box<Diagnostic>),
    Panicked,
}

/// Two verdicts on one module.
pub(crate) struct Both {
    ours: Ours,
    took: Duration,
    theirs: Verdict,
}

impl Both {
    /// Whether both accept it.
    pub(crate) fn is_valid(&self) -> bool {
        matches!((&self.ours, &self.theirs), (Ours::Valid, Verdict::Valid))
    }

    /// A name for the kind of disagreement, if they disagree: our rule where we
    /// alone find an error, the gist of the message where we find none.
    pub(crate) fn disagreement(&self) -> Option<String> {
        match (&self.ours, &self.theirs) {
            (Ours::Panicked, _) => Some("panicked".to_owned()),
            _ if self.took > PATIENCE => Some("slow".to_owned()),
            (Ours::Invalid(error), Verdict::Valid) => Some(format!("alarm-{}", error.rule())),
            (Ours::Valid, Verdict::Invalid(message)) => Some(format!("missed-{}", gist(message))),
            (_, Verdict::None(reason)) => Some(format!("reference-{}", gist(reason))),
            _ => None,
        }
    }

    /// What they say.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        let _ = match &self.ours {
            Ours::Valid => writeln!(text, "ours: valid"),
            Ours::Panicked => writeln!(text, "ours: panicked"),
            Ours::Invalid(error) => {
                let instruction = error.instruction().unwrap_or_default();
                let message = error.message();
                writeln!(text, "ours: {}: {message}\n  {instruction}", error.rule())
            }
        };
        let _ = match &self.theirs {
            Verdict::Valid => writeln!(text, "reference: valid"),
            Verdict::Invalid(message) => writeln!(text, "reference: {}", message.trim_end()),
            Verdict::None(reason) => writeln!(text, "reference: no verdict: {reason}"),
        };
        text
    }
}

/// What messages that differ from module to module have in common: the label of
/// Vulkan's rule, or the words that are neither names nor numbers.
fn gist(message: &str) -> String {
    if let Some((label, _)) = message
        .split_once("[VUID-")
        .and_then(|(_, rest)| rest.split_once(']'))
    {
        return format!("VUID-{label}");
    }
    let line = message.lines().next().unwrap_or_default();
    let mut gist = String::new();
    for word in line.split(|c: char| !c.is_ascii_alphanumeric() && !"%[_".contains(c)) {
        let is_specific =
            word.contains(['%', '[', '_']) || word.contains(|c: char| c.is_ascii_digit());
        if !word.is_empty() && word != "error" && !is_specific && gist.len() < 80 {
            gist += word;
            gist.push('-');
        }
    }
    gist.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::gist;

    #[test]
    fn what_is_specific_to_a_module_is_not_in_the_gist() {
        let first = "error:0:0 - Operand '12[%color]' is of type 3\n  %x = OpFoo";
        let second = "error:0:0 - Operand '7[%7]' is of type 4\n  %y = OpFoo";
        assert_eq!(gist(first), "Operand-is-of-type");
        assert_eq!(gist(second), gist(first));
        let labelled = "error:0:0 - [VUID-StandaloneSpirv-Location-04916] Variable x\n";
        assert_eq!(gist(labelled), "VUID-StandaloneSpirv-Location-04916");
    }
}
