//! `spv opt`: modules that do the same in fewer words.

mod sizes;

use std::sync::{Mutex, PoisonError};

use clap::Args;
use spirvkit::diagnostics::Severity;
use spirvkit::opt::{Level, Options, optimize};
use spirvkit::{ValidateOptions, validate};

use crate::arguments::{Changing, help::change_help};
use crate::exit::{Ending, UsageError};
use crate::report::{Format, Messages, kinds};
use sizes::Sizes;

/// Optimize: make modules smaller that do the same
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP, args_override_self = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    changing: Changing,

    /// Prefer fewer executed instructions (which makes no difference yet)
    #[arg(short = 'O')]
    performance: bool,

    /// Prefer fewer words, the default; also written -Os
    #[arg(short = 's')]
    size: bool,

    /// Keep variables that have a binding, even if nothing uses them
    #[arg(long)]
    preserve_bindings: bool,

    /// Keep the variables that entry points list, even if nothing uses them
    #[arg(long)]
    preserve_interface: bool,

    /// Keep specialization constants, even if nothing uses them
    #[arg(long)]
    preserve_spec_constants: bool,

    /// Validate each result, and write none that is invalid if its input is valid
    #[arg(long)]
    validate: bool,

    /// Report sizes before and after, as a whole and of each part, on standard error
    #[arg(long)]
    report: bool,

    /// Write nothing; only report sizes
    #[arg(long, conflicts_with_all = ["output", "in_place"])]
    dry_run: bool,
}

const AFTER_HELP: &str = change_help!(
    "  spv opt shader.spv -o small.spv
  spv opt -Os --report --validate shaders/ -o release/
  spv opt --dry-run --format json shaders/"
);

impl Arguments {
    fn options(&self) -> Options {
        let level = match self.performance && !self.size {
            true => Level::Performance,
            false => Level::Size,
        };
        Options::default()
            .level(level)
            .preserve_bindings(self.preserve_bindings)
            .preserve_interface(self.preserve_interface)
            .preserve_spec_constants(self.preserve_spec_constants)
    }

    fn reports(&self) -> bool {
        self.report || self.dry_run
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    let options = arguments.options();
    let inputs = arguments.changing.inputs()?;
    let total = Mutex::new(Sizes::default());
    let change = |name: &str, words: &[u32], messages: &mut Messages| {
        let optimized = optimize(words, &options)
            .map_err(|error| messages.add_binary_error(name, &error))
            .ok()?
            .words;
        if arguments.validate {
            check(name, words, &optimized, messages)?;
        }
        if arguments.reports() {
            let sizes = Sizes::of(words, &optimized)
                .map_err(|error| messages.add_binary_error(name, &error))
                .ok()?;
            sizes.tell(name, messages);
            total
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .add(&sizes);
        }
        Some(optimized)
    };
    let ending = arguments
        .changing
        .each_as_words(&inputs, arguments.dry_run, &change)?;
    let reporter = arguments.changing.reporter();
    if arguments.reports() && inputs.many && reporter.format == Format::Human {
        let mut messages = Messages::new(reporter);
        let total = total.into_inner().unwrap_or_else(PoisonError::into_inner);
        total.tell("all", &mut messages);
        messages.print();
    }
    Ok(ending)
}

/// Reports a result that is invalid although its input was not.
fn check(name: &str, before: &[u32], after: &[u32], messages: &mut Messages) -> Option<()> {
    let options = ValidateOptions::default();
    let report = validate(after, &options);
    if report.is_valid() || !validate(before, &options).is_valid() {
        return Some(());
    }
    let message = match report
        .diagnostics()
        .iter()
        .find(|it| it.severity() == Severity::Error)
    {
        Some(first) => format!("the result is invalid: {}", first.message()),
        None => "the result is invalid".to_owned(),
    };
    messages.add_of(name, &kinds::OPT_INVALID.error(message));
    None
}
