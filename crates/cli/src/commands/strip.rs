//! `spv strip`: modules without what tells of their source.

use clap::Args;
use spirvkit::transform::{Strip, strip};

use crate::arguments::{Changing, Telling, help::change_help};
use crate::exit::{Ending, UsageError};

/// Remove names, lines, sources and debug information
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP, args_override_self = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    changing: Changing,

    /// Remove names (OpName, OpMemberName)
    #[arg(long, help_heading = WHAT)]
    names: bool,

    /// Remove lines and scopes (OpLine, OpNoLine, DebugLine, DebugScope, …)
    #[arg(long, help_heading = WHAT)]
    lines: bool,

    /// Remove sources, and strings that nothing else uses (OpSource, OpModuleProcessed, …)
    #[arg(long, help_heading = WHAT)]
    sources: bool,

    /// Remove the instruction sets for debug information
    /// (NonSemantic.Shader.DebugInfo.100, OpenCL.DebugInfo.100, …)
    #[arg(long, help_heading = WHAT)]
    debug_info: bool,

    /// Remove other non-semantic instruction sets, except what --output-calls removes
    #[arg(long, help_heading = WHAT)]
    non_semantic: bool,

    /// Remove DebugPrintf and DebugBreak
    #[arg(long, help_heading = WHAT)]
    output_calls: bool,

    /// Remove decorations that matter only to applications that load modules
    /// (UserSemantic, UserTypeGOOGLE, CounterBuffer)
    #[arg(long, help_heading = WHAT)]
    reflection: bool,

    /// Remove types, constants and imports that are unused afterwards
    #[arg(long, help_heading = WHAT)]
    unused: bool,

    /// All of the first five options; the default if none of these options is given
    #[arg(long, help_heading = WHAT)]
    all: bool,

    #[command(flatten)]
    telling: Telling,
}

const WHAT: &str = "What to remove";

const AFTER_HELP: &str = change_help!(
    "  spv strip shader.spv -o small.spv
  spv strip --names --lines shader.spv -o shader.spv
  spv strip --all --output-calls --unused shaders/ -o release/"
);

impl Arguments {
    fn options(&self) -> Strip {
        let chosen = Strip::default()
            .names(self.names)
            .lines(self.lines)
            .sources(self.sources)
            .debug_info(self.debug_info)
            .non_semantic(self.non_semantic)
            .output(self.output_calls)
            .reflection(self.reflection)
            .unused(self.unused);
        if !self.all && chosen != Strip::default() {
            return chosen;
        }
        Strip::DEBUG
            .output(self.output_calls)
            .reflection(self.reflection)
            .unused(self.unused)
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    let options = arguments.options();
    arguments.changing.each(&arguments.telling, |module, _| {
        strip(module, &options);
    })
}
