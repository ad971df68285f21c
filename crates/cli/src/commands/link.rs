//! `spv link`: one module of several.

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::Args;
use spirvkit::ir::Module;
use spirvkit::transform::link::{LinkError, LinkErrorKind, Options, link};
use spirvkit::{Diagnostic, TargetEnv, ValidateOptions};

use crate::arguments::{Reporting, environments};
use crate::change::combine::{combine, single_destination, together};
use crate::exit::{Ending, UsageError};
use crate::input::Inputs;
use crate::input::load::Loaded;
use crate::report::Messages;

/// Where the result goes without `-o`, as with the established tool.
pub(crate) const DEFAULT_OUTPUT: &str = "out.spv";

/// Link modules into one, connecting their imports and exports
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP.as_str(), args_override_self = true)]
pub(crate) struct Arguments {
    /// Modules: binary, hexadecimal text or assembly text; directories, which are
    /// searched for modules; or `-` for standard input
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<PathBuf>,

    /// Write to this file; `-` is standard output
    #[arg(short, long, value_name = "PATH", default_value = DEFAULT_OUTPUT)]
    output: PathBuf,

    /// Keep the exports, so that other modules can be linked with the result
    #[arg(long)]
    create_library: bool,

    /// Keep imports that no module exports
    #[arg(long)]
    allow_partial_linkage: bool,

    /// Give the result the highest version of SPIR-V among the inputs, instead of
    /// requiring that all have the same
    #[arg(long)]
    use_highest_version: bool,

    /// Allow pointers that functions take or return to point to different types in the
    /// inputs; calls convert them
    #[arg(long)]
    allow_pointer_mismatch: bool,

    /// Check the result for this environment, and write it only if it is valid there
    #[arg(long, value_name = "ENV", value_parser = environments::parser(), hide_possible_values = true)]
    target_env: Option<TargetEnv>,

    #[command(flatten)]
    reporting: Reporting,
}

static AFTER_HELP: LazyLock<String> = LazyLock::new(|| environments::help(ABOUT));

const ABOUT: &str = "\
Imports are resolved by name. Import and export must have the same type, however
the modules declare it. Function control, decorations and the attributes of
parameters are those of the definition. All errors are reported, each with the
symbol and the modules; if there is one, nothing is written. The result has the
byte order of the first input. Directories are searched for .spv and .spvasm
files.

Examples:
  spv link kernel.spv library.spv -o program.spv
  spv link --create-library math/ -o math.spv
  spv link --allow-partial-linkage --use-highest-version a.spv b.spvasm

Exit codes:
  0  success
  1  an input has errors, or a file could not be read or written
  2  the command line is wrong";

pub(crate) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    let inputs = Inputs::modules(&arguments.inputs)?;
    let destination = single_destination(Some(&arguments.output), &inputs)?;
    let options = Options::default()
        .create_library(arguments.create_library)
        .allow_partial_linkage(arguments.allow_partial_linkage)
        .use_highest_version(arguments.use_highest_version)
        .allow_pointer_mismatch(arguments.allow_pointer_mismatch);
    let output = arguments.output.display().to_string();
    let reporter = arguments.reporting.reporter();
    Ok(together(
        &inputs,
        &destination,
        reporter,
        |loaded, messages| {
            let module = link_loaded(loaded, &options, messages)?;
            if let Some(env) = arguments.target_env {
                check(&module, env, &output, messages);
            }
            Some(module)
        },
    ))
}

/// Links modules, or adds what is wrong with them to the messages.
pub(crate) fn link_loaded(
    loaded: &[Loaded],
    options: &Options,
    messages: &mut Messages,
) -> Option<Module> {
    combine(loaded, messages, |inputs| link(inputs, options), diagnostic)
}

fn diagnostic(error: &LinkError) -> Diagnostic {
    let diagnostic = Diagnostic::from(error);
    let help = match error.kind() {
        LinkErrorKind::Unresolved => Some("`--allow-partial-linkage` leaves it as an import"),
        LinkErrorKind::Version => {
            Some("`--use-highest-version` gives the result the highest of them")
        }
        LinkErrorKind::Type => {
            Some("`--allow-pointer-mismatch` converts pointers that only point to different types")
                .filter(|_| error.differs_by_pointers())
        }
        _ => None,
    };
    match help {
        Some(help) => diagnostic.with_help(help),
        None => diagnostic,
    }
}

/// Checks the result for an environment.
fn check(module: &Module, env: TargetEnv, name: &str, messages: &mut Messages) {
    let options = ValidateOptions::for_env(env);
    let report = spirvkit::validate(&module.store(), &options);
    messages.add_all(name, report.diagnostics());
}
