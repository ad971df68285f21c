//! The rules of SPIR-V: [`validate`] checks a module against the specification and its
//! environment, and reports every error at once.
//!
//! ```
//! use spirvkit_validate::{Options, validate};
//!
//! let text = "OpCapability Shader
//! OpMemoryModel Logical GLSL450
//! %float = OpTypeFloat 32
//! %vector = OpTypeVector %float 5
//! ";
//! # let words = spirvkit_text::assemble(text, &Default::default()).unwrap().words;
//! let report = validate(&words, &Options::for_env("vulkan1.3".parse().unwrap()));
//! assert!(!report.is_valid());
//! assert_eq!(report.diagnostics()[0].rule(), "type.vector-size");
//! ```
//!
//! Every [`Rule`] is data for people, too: see [`rules`].
#![cfg_attr(doctest, doc = include_str!("../README.md"))]
#![deny(missing_docs)]
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::print_stdout,
        clippy::print_stderr,
        clippy::exit
    )
)]

mod example_frame;
mod finding;
mod flow;
mod inst_ctx;
mod levels;
mod module;
mod options;
mod pattern;
mod phases;
mod pipeline;
mod relaxations;
mod rule;
mod rule_text;
mod rules;
mod settings;

use spirvkit_binary::{Budget, Header, Id, words_from_bytes};
use spirvkit_diagnostics::{Diagnostic, Errors, Severity, Source, render};

use module::GivenNames;

pub use levels::{Level, Levels};
pub use options::{DescriptorLayout, Limits, Options};
pub use pipeline::{Pipeline, PipelineReport, Stage, StageDiagnostic, StageNote};
pub use rule::{Example, Frame, Rule, UnknownFrame};
pub use rules::device::device_needs;
pub use settings::{BadSetting, Setting};

/// The result of a validation.
#[derive(Clone, Debug, Default)]
pub struct Report {
    diagnostics: Vec<Diagnostic>,
    is_cut: bool,
    is_over_budget: bool,
}

impl Report {
    /// A report of these diagnostics, in this order.
    pub fn new(diagnostics: Vec<Diagnostic>) -> Self {
        Self {
            diagnostics,
            ..Self::default()
        }
    }

    /// Adds diagnostics before all others.
    pub fn prepend(&mut self, mut diagnostics: Vec<Diagnostic>) {
        diagnostics.append(&mut self.diagnostics);
        self.diagnostics = diagnostics;
    }

    /// Adds diagnostics behind all others.
    pub fn append(&mut self, diagnostics: Vec<Diagnostic>) {
        self.diagnostics.extend(diagnostics);
    }

    /// Changes every diagnostic, until their [weights](Diagnostic::weight) exceed the budget:
    /// the rest are left out, except for the first error.
    pub fn map_within(
        &mut self,
        budget: &mut Budget,
        mut change: impl FnMut(Diagnostic) -> Diagnostic,
    ) {
        let is_error = |diagnostic: &Diagnostic| diagnostic.severity() == Severity::Error;
        let mut rest = std::mem::take(&mut self.diagnostics).into_iter();
        for diagnostic in rest.by_ref() {
            let diagnostic = change(diagnostic);
            let fits = budget.take(diagnostic.weight());
            let is_needed = is_error(&diagnostic) && self.is_valid();
            if fits || is_needed {
                self.diagnostics.push(diagnostic);
            }
            if !fits {
                break;
            }
        }
        self.is_over_budget |= budget.is_spent();
        if self.is_valid() {
            self.diagnostics.extend(rest.find(is_error).map(change));
        }
    }

    /// Errors and warnings in module order. Locations are
    /// [words](spirvkit_diagnostics::Location::Word).
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The same, by value.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
    }

    /// The errors, for use with `?`; the warnings if the module is valid.
    ///
    /// # Errors
    ///
    /// If the module is not valid.
    pub fn into_result(self) -> Result<Vec<Diagnostic>, Errors> {
        let is_error = |diagnostic: &Diagnostic| diagnostic.severity() == Severity::Error;
        let (errors, warnings) = self.diagnostics.into_iter().partition(is_error);
        Errors::new(errors).map_or(Ok(warnings), Err)
    }

    /// All diagnostics as text for people, with excerpts of the assembly text that their
    /// locations refer to; for a binary module, give a source with a name and no text.
    pub fn render(&self, source: &Source<'_>) -> String {
        render::all(&self.diagnostics, source)
    }

    /// Whether there is no error.
    pub fn is_valid(&self) -> bool {
        let mut all = self.diagnostics.iter();
        all.all(|diagnostic| diagnostic.severity() != Severity::Error)
    }

    /// Whether there may be more errors than [`Options::max_errors`] allowed.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Whether something was left out to keep the report in proportion to the module.
    pub fn is_over_budget(&self) -> bool {
        self.is_over_budget
    }
}

/// Validates a module, given as words in host order.
///
/// Memory and, but for a logarithm, time are in proportion to the module, except that very
/// many entry points that share very many functions take longer.
pub fn validate(words: &[u32], options: &Options) -> Report {
    check(words, options, None)
}

/// The same with names of ids for messages, without the `%`: those of the assembly text that
/// the module was made from, or the disassembler's. They are requested only if there is
/// something to report.
pub fn validate_named(
    words: &[u32],
    options: &Options,
    names: &dyn Fn(Id) -> Option<String>,
) -> Report {
    check(words, options, Some(names).filter(|_| !options.raw_ids))
}

fn check(words: &[u32], options: &Options, names: Option<GivenNames<'_>>) -> Report {
    let header = match Header::from_words(words) {
        Ok(header) => header,
        Err(error) => return refused(phases::binary_finding(&error), options),
    };
    let (mut reporter, is_over_budget) = phases::run(words, header, &options.relaxed(), names);
    reporter.sort_by_key(finding::Finding::offset);
    let is_vulkan = options::Env::new(options.env).is_vulkan();
    let mut report = Report {
        is_over_budget,
        ..Report::default()
    };
    let errors = reporter.iter().filter(|finding| !finding.is_warning());
    let proper = errors.filter(|finding| !finding.is_aside()).count();
    let mut left = match options.max_errors {
        0 => usize::MAX,
        most => most,
    };
    // What is left when all errors of the program proper are reported.
    let mut left_aside = left.saturating_sub(proper);
    for finding in reporter {
        if !finding.is_warning() {
            let left = match finding.is_aside() {
                true => &mut left_aside,
                false => &mut left,
            };
            if *left == 0 {
                report.is_cut = true;
                match finding.is_aside() {
                    true => continue,
                    false => break,
                }
            }
            *left -= 1;
        }
        report.diagnostics.push(finding.into_diagnostic(is_vulkan));
    }
    report
}

/// Validates a module given as bytes, in either byte order.
pub fn validate_bytes(bytes: &[u8], options: &Options) -> Report {
    match words_from_bytes(bytes) {
        Ok((words, _)) => validate(&words, options),
        Err(error) => refused(phases::binary_finding(&error), options),
    }
}

fn refused(finding: finding::Finding, options: &Options) -> Report {
    let is_vulkan = options::Env::new(options.env).is_vulkan();
    Report {
        diagnostics: vec![finding.into_diagnostic(is_vulkan)],
        ..Report::default()
    }
}

/// All rules, sorted by id.
pub fn rules() -> &'static [&'static Rule] {
    rules::ALL
}

/// The rule with this id, or the first by id that checks this Vulkan rule.
pub fn find_rule(id: &str) -> Option<&'static Rule> {
    let mut all = rules().iter().copied();
    all.clone()
        .find(|rule| rule.id == id)
        .or_else(|| all.find(|rule| rule.vuids.contains(&id)))
}
