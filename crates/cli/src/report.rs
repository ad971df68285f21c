//! Telling what was found, on standard error.

mod delivery;
pub(crate) mod kinds;
pub(crate) mod topics;

use std::io::{self, Write};

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use clap::ValueEnum;
use spirvkit::Diagnostic;
use spirvkit::diagnostics::{Severity, Source, render, visible_lines};

use crate::exit::UsageError;

pub(crate) use delivery::{deliver, print, print_as, printed, stream, write};

/// The form of what a command tells: what it found out, if it shows that, and errors and
/// warnings. What it makes, modules and texts, has no form to choose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    #[value(alias = "text", alias = "table")]
    Human,
    /// For programs; errors and warnings are one JSON object on each line
    Json,
}

/// How to tell things.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reporter {
    pub(crate) format: Format,
    pub(crate) color: bool,
}

impl Reporter {
    pub(crate) fn new(format: Format, color: bool) -> Self {
        Self { format, color }
    }

    /// For commands without options about it.
    pub(crate) fn plain() -> Self {
        Self::new(Format::Human, stderr_takes_color())
    }
}

/// What there is to tell about one input, rendered.
#[derive(Debug)]
pub(crate) struct Messages {
    reporter: Reporter,
    text: String,
    warned: bool,
    failed: bool,
}

impl Messages {
    pub(crate) fn new(reporter: Reporter) -> Self {
        Self {
            reporter,
            text: String::new(),
            warned: false,
            failed: false,
        }
    }

    /// Adds a diagnostic about the input `source`.
    pub(crate) fn add(&mut self, diagnostic: &Diagnostic, source: &Source<'_>) {
        self.add_about(diagnostic, Some(source));
    }

    /// Adds a diagnostic about the file or stream `name`, whose text is not at hand.
    pub(crate) fn add_of(&mut self, name: &str, diagnostic: &Diagnostic) {
        self.add(diagnostic, &Source::new(name, ""));
    }

    /// Adds all diagnostics about a file or stream.
    pub(crate) fn add_all(&mut self, name: &str, diagnostics: &[Diagnostic]) {
        diagnostics.iter().for_each(|it| self.add_of(name, it));
    }

    /// Adds that there is no module in an input.
    pub(crate) fn add_binary_error(&mut self, name: &str, error: &spirvkit::binary::Error) {
        self.add_of(name, &spirvkit::text::binary_error(error));
    }

    /// Adds a diagnostic about an input, or about the command as a whole.
    pub(crate) fn add_about(&mut self, diagnostic: &Diagnostic, source: Option<&Source<'_>>) {
        match diagnostic.severity() {
            Severity::Error => self.failed = true,
            _ => self.warned = true,
        }
        match self.reporter.format {
            Format::Human => {
                self.text += &render::terminal(diagnostic, source, self.reporter.color);
            }
            Format::Json => {
                self.text += &render::json(diagnostic, source);
                self.text.push('\n');
            }
        }
    }

    /// Adds a remark for people, which may have several lines.
    pub(crate) fn add_note(&mut self, text: &str) {
        if self.reporter.format == Format::Human {
            self.add_line(text);
        }
    }

    /// Adds a line that is in the form that is wanted already.
    pub(crate) fn add_line(&mut self, text: &str) {
        self.text += &visible_lines(text);
        self.text.push('\n');
    }

    /// Adds that the file or stream `name` could not be read.
    pub(crate) fn add_read_error(&mut self, name: &str, error: &io::Error) {
        self.add_of(name, &read_error(error));
    }

    /// Adds that the file or stream `name` could not be written.
    pub(crate) fn add_write_error(&mut self, name: &str, error: &io::Error) {
        let message = format!("can't write this: {error}");
        self.add_of(name, &kinds::WRITE.error(message));
    }

    /// How they are reported.
    pub(crate) fn reporter(&self) -> Reporter {
        self.reporter
    }

    /// Takes warnings for errors from here on back; says whether there was any.
    pub(crate) fn deny_warnings(&mut self) -> bool {
        self.failed |= self.warned;
        self.warned
    }

    /// Notes an error that is reported on standard output.
    pub(crate) fn fail(&mut self) {
        self.failed = true;
    }

    /// Whether there was an error.
    pub(crate) fn failed(&self) -> bool {
        self.failed
    }

    /// Writes what there is to standard error.
    pub(crate) fn print(&self) {
        if !self.text.is_empty() {
            // If nobody reads the errors, the exit code still tells.
            let _ = io::stderr().lock().write_all(self.text.as_bytes());
        }
    }
}

/// What is wrong with an input that could not be read.
pub(crate) fn read_error(error: &io::Error) -> Diagnostic {
    let message = format!("can't read this: {error}");
    kinds::READ.error(message)
}

/// Tells how many of several inputs failed.
pub(crate) fn summary(reporter: Reporter, failed: usize, total: usize) {
    if reporter.format == Format::Human && total > 1 && failed > 0 {
        let _ = writeln!(io::stderr(), "{failed} of {total} inputs failed");
    }
}

/// Tells what is wrong with the command line.
pub(crate) fn usage(error: &UsageError, format: Format) {
    if format == Format::Json {
        let diagnostic = kinds::USAGE.error(error.0.clone());
        let _ = writeln!(io::stderr(), "{}", render::json(&diagnostic, None));
        return;
    }
    let _ = writeln!(
        io::stderr(),
        "error: {}\n\nFor more information, try '--help'.",
        visible_lines(&error.0)
    );
}

/// Whether standard error takes colour: it is a terminal, or the environment says so.
pub(crate) fn stderr_takes_color() -> bool {
    takes_color(&io::stderr())
}

/// Whether standard output takes colour: it is a terminal, or the environment says so.
pub(crate) fn stdout_takes_color() -> bool {
    takes_color(&io::stdout())
}

fn takes_color<S: RawStream>(stream: &S) -> bool {
    // The library takes any value for yes.
    let is_refused = std::env::var_os("CLICOLOR_FORCE").is_some_and(|value| value == "0");
    AutoStream::choice(stream) != ColorChoice::Never && (!is_refused || stream.is_terminal())
}

/// How wide what is shown on standard output may be, in columns.
pub(crate) fn stdout_width() -> usize {
    const USUAL: usize = 80;
    let asked = std::env::var("COLUMNS").ok();
    let asked = asked.and_then(|columns| columns.parse::<u16>().ok());
    let of_terminal = || terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| width.0);
    asked
        .map(usize::from)
        .or_else(|| of_terminal().map(usize::from))
        .filter(|width| *width > 0)
        .unwrap_or(USUAL)
}
