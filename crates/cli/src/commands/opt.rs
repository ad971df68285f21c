//! `spv opt`: modules that do the same in fewer words, and single changes to them.

mod bisect;
mod flags;
mod remarks;
mod sizes;
mod watch;

use std::sync::{Mutex, PoisonError};

use clap::{Args, ValueEnum};
use spirvkit::diagnostics::Severity;
use spirvkit::opt::{Float, Options, Recipe, RunError};
use spirvkit::transform::{Strip, strip};
use spirvkit::{TargetEnv, ValidateOptions, validate};

use crate::arguments::{Changing, Settings, environments, help::change_help};
use crate::exit::{Ending, UsageError};
use crate::report::{Format, Messages, kinds};
use sizes::Sizes;
use watch::Watched;
pub(crate) use watch::Watching;

pub(crate) use flags::{tell_idle, with_passes};

/// Optimize: make modules smaller that do the same, or change them step by step
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP, args_override_self = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    changing: Changing,

    /// Prefer fewer executed instructions: loops are unrolled even if that takes more words
    #[arg(short = 'O', help_heading = "What is done")]
    performance: bool,

    /// Prefer fewer words, the default; also written -Os
    #[arg(short = 's', help_heading = "What is done")]
    size: bool,

    /// Do these passes, in order: names with commas between them, or @FILE for those listed in a file,
    /// where # begins a comment. Each name is also an option of its own, as are -O, -Os,
    /// -Oconfig=FILE and --legalize-hlsl; -O0 does only what is named
    #[arg(
        long,
        value_name = "LIST",
        allow_hyphen_values = true,
        overrides_with = "never",
        action = clap::ArgAction::Append,
        help_heading = "What is done"
    )]
    passes: Vec<String>,

    /// List all passes
    #[arg(long, help_heading = "What is done")]
    list_passes: bool,

    /// Never used: it keeps `--passes` from overriding itself
    #[arg(long, hide = true)]
    never: bool,

    /// Make what an HLSL compiler writes valid
    #[arg(long, help_heading = "What is done")]
    legalize_hlsl: bool,

    /// Which results of floating-point operations stay the same
    #[arg(
        long,
        value_name = "HOW",
        default_value = "exact",
        help_heading = "What is done"
    )]
    float: FloatArgument,

    /// Keep loops recognizable, for translation to languages that have only `for` and `while`
    #[arg(long, help_heading = "What is done")]
    keep_loop_shape: bool,

    /// Whether names, lines and debug information stay
    #[arg(
        long,
        value_name = "WHAT",
        default_value = "keep",
        help_heading = "What is done"
    )]
    debug_info: DebugInfo,

    /// Keep variables that have a binding, even if nothing uses them
    #[arg(long, help_heading = "What is kept")]
    preserve_bindings: bool,

    /// Keep the variables that entry points list, even if nothing uses them
    #[arg(long, help_heading = "What is kept")]
    preserve_interface: bool,

    /// Keep specialization constants, even if nothing uses them
    #[arg(long, help_heading = "What is kept")]
    preserve_spec_constants: bool,

    /// Validate each result, and write none that is invalid if its input is valid
    #[arg(long, help_heading = "What is checked")]
    validate: bool,

    /// Validate after each pass, and name the pass that makes a valid module invalid
    #[arg(long, help_heading = "What is checked")]
    validate_after_all: bool,

    /// Validate for this environment
    #[arg(long, value_name = "ENV", value_parser = environments::parser(), hide_possible_values = true, default_value = "spv1.6", help_heading = "What is checked")]
    target_env: TargetEnv,

    /// Find the first pass, and in it the first change, with which `COMMAND FILE` fails: it
    /// succeeds for the input, and is run with one intermediate result after the other
    #[arg(long, value_name = "COMMAND", help_heading = "What is checked")]
    bisect: Option<String>,

    /// Report sizes before and after, as a whole and of each part, on standard error
    #[arg(long, help_heading = "What is told")]
    report: bool,

    /// Write nothing; only report sizes
    #[arg(long, conflicts_with_all = ["output", "in_place"], help_heading = "What is told")]
    dry_run: bool,

    /// Tell what was done and what was not, and why, on standard error
    #[arg(long, help_heading = "What is told")]
    remarks: bool,

    /// Print the module before each pass and after the last, on standard error
    #[arg(long, help_heading = "What is told")]
    print_all: bool,

    /// Tell how long each pass takes, on standard error
    #[arg(long, help_heading = "What is told")]
    time_report: bool,

    #[command(flatten)]
    settings: Settings,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FloatArgument {
    /// All, bit by bit
    Exact,
    /// Those for which the API doesn't permit others
    Api,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DebugInfo {
    /// They stay with what is left
    Keep,
    /// They are removed first
    Drop,
}

const AFTER_HELP: &str = change_help!(
    "  spv opt shader.spv -o small.spv
  spv opt -Os --report --validate shaders/ -o release/
  spv opt --dry-run --format json shaders/
  spv opt --passes strip-debug,size,compact-ids shader.spv -o small.spv
  spv opt -O0 --eliminate-dead-functions --merge-blocks shader.spv -o out.spv
  spv opt --remarks shader.spv -o small.spv
  spv opt --bisect ./renders-right.sh shader.spv"
);

impl Arguments {
    fn options(&self) -> Options {
        Options::default()
            .float(match self.float {
                FloatArgument::Exact => Float::Exact,
                FloatArgument::Api => Float::Api,
            })
            .keep_loop_shape(self.keep_loop_shape)
            .remarks(self.remarks)
            .preserve_bindings(self.preserve_bindings)
            .preserve_interface(self.preserve_interface)
            .preserve_spec_constants(self.preserve_spec_constants)
    }

    fn validation(&self) -> Result<ValidateOptions, UsageError> {
        let mut options = ValidateOptions::for_env(self.target_env);
        self.settings.apply(&mut options)?;
        Ok(options)
    }

    /// The highest bound that ids may get.
    fn max_id_bound(&self) -> Result<Option<u32>, UsageError> {
        Ok(match self.settings.value("max-id-bound") {
            Some(_) => Some(self.validation()?.limits.id_bound),
            None => None,
        })
    }

    fn reports(&self) -> bool {
        self.report || self.dry_run
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    if arguments.list_passes {
        return Ok(crate::report::print(flags::list().as_bytes()));
    }
    let options = arguments.options();
    let recipe = flags::recipe(arguments)?;
    let inputs = arguments.changing.inputs()?;
    tell_idle(&recipe, arguments.changing.reporter());
    if let Some(command) = &arguments.bisect {
        return bisect::run(arguments, command, &recipe, &options);
    }
    let total = Mutex::new(Sizes::default());
    let watching = Watching {
        prints: arguments.print_all,
        times: arguments.time_report,
        validation: match arguments.validate_after_all {
            true => Some(arguments.validation()?),
            false => None,
        },
        max_id_bound: arguments.max_id_bound()?,
    };
    let validation = arguments.validation()?;
    let change = |name: &str, words: &[u32], messages: &mut Messages| {
        let stripped;
        let mut input = words;
        if arguments.debug_info == DebugInfo::Drop {
            stripped = without_debug_info(name, words, messages)?;
            input = &stripped;
        }
        let optimized = follow(name, input, &recipe, &options, &watching, messages)?;
        if arguments.validate {
            check(name, words, &optimized, &validation, messages)?;
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

fn without_debug_info(name: &str, words: &[u32], messages: &mut Messages) -> Option<Vec<u32>> {
    let mut module = spirvkit::ir::Module::load(words)
        .map_err(|error| messages.add_binary_error(name, &error))
        .ok()?;
    strip(&mut module, &Strip::DEBUG);
    Some(module.store())
}

/// Lets a module go through a recipe, and tells what is asked for.
pub(crate) fn follow(
    name: &str,
    words: &[u32],
    recipe: &Recipe,
    options: &Options,
    watching: &Watching,
    messages: &mut Messages,
) -> Option<Vec<u32>> {
    let mut watched = Watched::new(watching, name, words);
    let done = recipe.run_watched(words, options, &mut watched);
    watched.finish(messages);
    match done {
        Ok(done) => {
            remarks::tell(name, words, &done.remarks, messages);
            Some(done.words)
        }
        Err(RunError::Module(error)) => {
            messages.add_binary_error(name, &error);
            None
        }
        Err(error) => {
            messages.add_of(name, &kinds::OPT_PASS.error(error.to_string()));
            None
        }
    }
}

/// Reports a result that is invalid although its input was not.
fn check(
    name: &str,
    before: &[u32],
    after: &[u32],
    options: &ValidateOptions,
    messages: &mut Messages,
) -> Option<()> {
    let report = validate(after, options);
    if report.is_valid() || !validate(before, options).is_valid() {
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
