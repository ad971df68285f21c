//! When to colour.

use clap::ValueEnum;

use crate::output::expect_color;
use crate::report;

/// When to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    /// On a terminal, unless NO_COLOR or CLICOLOR=0 is set; always if CLICOLOR_FORCE is
    /// set
    #[default]
    Auto,
    Always,
    Never,
}

impl ColorWhen {
    /// Whether to colour what goes to standard error.
    pub(crate) fn on_stderr(self) -> bool {
        self.resolve(report::stderr_takes_color)
    }

    /// Whether to colour what goes to standard output. Only those ask who do so then.
    pub(crate) fn on_stdout(self) -> bool {
        let color = self.resolve(report::stdout_takes_color);
        if color {
            expect_color();
        }
        color
    }

    fn resolve(self, auto: fn() -> bool) -> bool {
        match self {
            Self::Auto => auto(),
            Self::Always => true,
            Self::Never => false,
        }
    }
}
