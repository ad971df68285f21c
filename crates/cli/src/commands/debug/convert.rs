//! `spv debug convert`: debug information of another set.

use clap::{Args, ValueEnum};
use spirvkit::debuginfo::Set;
use spirvkit::debuginfo::convert::{Conversion, Options, convert, describe};
use spirvkit::ir::Module;
use spirvkit::{Diagnostic, debuginfo};

use crate::arguments::{Changing, Telling, help::change_help};
use crate::exit::{Ending, UsageError};
use crate::report::kinds;

/// Convert debug information to another instruction set
///
/// What the other set can't express is left out or approximated, with warnings. A module
/// without debug information gets some: its files, its functions, its named variables and
/// their types.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP, args_override_self = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    changing: Changing,

    /// The set to convert to
    #[arg(long, value_name = "SET")]
    to: SetName,

    /// Report each loss with the id of its instruction, instead of each kind of loss once
    #[arg(long)]
    every_loss: bool,

    /// Leave out members that lead back to their structure, instead of writing them with
    /// OpExtInstWithForwardRefsKHR, which not every consumer supports
    #[arg(long)]
    no_forward_references: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SetName {
    /// DebugInfo, the oldest set
    Debuginfo,
    /// OpenCL.DebugInfo.100
    Opencl,
    /// NonSemantic.Shader.DebugInfo.100
    Shader,
}

const AFTER_HELP: &str = change_help!(
    "  spv debug convert --to shader kernel.spv -o kernel.shader.spv
  spv debug convert --to opencl --every-loss shader.spv -o shader.opencl.spv
  spv debug convert --to debuginfo --format json shaders/ -o old/"
);

pub(crate) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    let to = match arguments.to {
        SetName::Debuginfo => Set::DebugInfo,
        SetName::Opencl => Set::OpenCl100,
        SetName::Shader => Set::Shader,
    };
    let options = Options::default().forward_references(!arguments.no_forward_references);
    let telling = Telling::default();
    arguments.changing.each(&telling, |module, diagnostics| {
        match change(module, to, &options) {
            Ok(conversion) => diagnostics.extend(losses(&conversion, arguments.every_loss)),
            Err(error) => diagnostics.push(kinds::NOT_CONVERTED.error(error.to_string())),
        };
    })
}

fn change(
    module: &mut Module,
    to: Set,
    options: &Options,
) -> Result<Conversion, debuginfo::build::EncodeError> {
    let conversion = convert(module, to, options)?;
    if conversion.from.is_empty() {
        describe(module, to)?;
    }
    Ok(conversion)
}

fn losses(conversion: &Conversion, every: bool) -> Vec<Diagnostic> {
    let warning = |text: String| kinds::LOSS.warning(text);
    match every {
        true => conversion
            .losses
            .iter()
            .map(|loss| warning(loss.to_string()))
            .collect(),
        false => conversion
            .summary()
            .iter()
            .map(|losses| warning(losses.to_string()))
            .collect(),
    }
}
