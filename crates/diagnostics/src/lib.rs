//! How spirvkit reports what it finds.
//!
//! A [`Diagnostic`] says what is wrong, by which rule, and where: in assembly
//! text, by byte range; in a binary module, by word offset. [`render`] turns
//! it into lines for a terminal or a JSON object for a program. Nothing here
//! writes to a file or a terminal.
//!
//! ```
//! use spirvkit_diagnostics::{Diagnostic, ErrorClass, Source, Span, render};
//!
//! let source = Source::new("shader.spvasm", "OpCapability Shadr\n");
//! let diagnostic = Diagnostic::error("text.unknown-enumerant", ErrorClass::InvalidText, "`Shadr` is not a capability")
//!     .at_span(Span { start: 13, end: 18 })
//!     .with_help("did you mean `Shader`?");
//! assert_eq!(
//!     render::terminal(&diagnostic, Some(&source), false),
//!     "error[text.unknown-enumerant]: `Shadr` is not a capability
//!   --> shader.spvasm:1:14
//!    |
//!  1 | OpCapability Shadr
//!    |              ^^^^^
//!    = help: did you mean `Shader`?
//! "
//! );
//! ```
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

mod errors;
mod kind;
mod quote;
pub mod render;
mod source;
mod suggest;
mod visible;
mod words;

use std::fmt;
use std::sync::Arc;

pub use errors::Errors;
pub use kind::Kind;
pub use quote::Quote;
pub use source::{Position, Source};
pub use suggest::{closest, similar};
pub use visible::{escaped, is_disruptive, visible, visible_lines};
pub use words::{alternatives, counted, with_article};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Severity {
    /// Worth knowing; the input is accepted.
    Warning,
    /// The input is rejected.
    Error,
}

impl Severity {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// Broad classes of errors, for programs that need no more than that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ErrorClass {
    /// Assembly text that can't be read.
    InvalidText,
    /// A binary module that can't be decoded.
    InvalidBinary,
    /// An id that is zero, undefined or defined twice.
    InvalidId,
    /// A name that isn't known.
    InvalidLookup,
    /// A value outside of its range.
    InvalidValue,
    /// Something that the module's version of the language doesn't have.
    WrongVersion,
    /// An instruction whose types, operands or surroundings break a rule.
    InvalidData,
    /// Control flow that breaks a rule.
    InvalidCfg,
    /// Instructions in the wrong order or place.
    InvalidLayout,
    /// A capability that isn't declared, or that the environment doesn't have.
    InvalidCapability,
    /// An extension that isn't declared.
    MissingExtension,
    /// A file that can't be read or written.
    Io,
    /// A command line that is wrong.
    Usage,
}

impl ErrorClass {
    /// The class's stable name, such as `invalid_text`.
    pub fn name(self) -> &'static str {
        match self {
            Self::InvalidText => "invalid_text",
            Self::InvalidBinary => "invalid_binary",
            Self::InvalidId => "invalid_id",
            Self::InvalidLookup => "invalid_lookup",
            Self::InvalidValue => "invalid_value",
            Self::WrongVersion => "wrong_version",
            Self::InvalidData => "invalid_data",
            Self::InvalidCfg => "invalid_cfg",
            Self::InvalidLayout => "invalid_layout",
            Self::InvalidCapability => "invalid_capability",
            Self::MissingExtension => "missing_extension",
            Self::Io => "io",
            Self::Usage => "usage",
        }
    }
}

/// A range of bytes in a source text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

/// Where something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Location {
    /// Nowhere in particular.
    None,
    /// In assembly text.
    Span(Span),
    /// In a binary module: the number of 32-bit words, not bytes, before the
    /// place, counted from the start of the module. The header's first word is
    /// word 0, so the first instruction starts at word 5.
    Word(usize),
}

/// A place that has to do with a diagnostic, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Label {
    /// The place.
    pub location: Location,
    /// The place in the binary module in words, even if the location has been
    /// moved into a text.
    pub word_offset: Option<usize>,
    /// The word of the module that is meant of the instruction there, if not all
    /// of it is.
    pub operand: Option<usize>,
    /// The text of the instruction there.
    pub instruction: Option<Quote>,
    /// The file, if it is another one than the diagnostic's.
    pub elsewhere: Option<Elsewhere>,
    /// What is there.
    pub message: String,
}

/// A place in another file than that of a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    /// The file's name.
    pub file: String,
    /// The place in its text, if it is text.
    pub place: Option<(Span, Position)>,
}

/// Something that was found in the input. It is as small as a pointer, so that
/// results that may hold one cost little where they hold none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    severity: Severity,
    rule: &'static str,
    class: ErrorClass,
    message: String,
    location: Location,
    word_offset: Option<usize>,
    operand: Option<usize>,
    labels: Vec<Label>,
    help: Option<String>,
    section: Option<&'static str>,
    vuid: Option<&'static str>,
    instruction: Option<Quote>,
    shader: Option<ShaderLine>,
}

/// A place in the text that a module was compiled from, as its debug
/// instructions tell.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShaderLine {
    /// The file's name.
    pub file: String,
    /// The line, from 1 up.
    pub line: u32,
    /// The column in characters, from 1 up, if it is known.
    pub column: Option<u32>,
    /// What is on the line, if the module holds the text. Much may be said of one
    /// line, and a line may be long, so it is shared.
    pub text: Option<Arc<str>>,
}

impl ShaderLine {
    /// A line of which no more is known.
    pub fn new(file: impl Into<String>, line: u32) -> Self {
        Self {
            file: file.into(),
            line,
            column: None,
            text: None,
        }
    }
}

impl fmt::Display for ShaderLine {
    /// As people write places: `shader.comp:12:3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        match self.column {
            Some(column) => write!(f, ":{column}"),
            None => Ok(()),
        }
    }
}

impl Diagnostic {
    /// An error by the rule with this stable id.
    pub fn error(rule: &'static str, class: ErrorClass, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, rule, class, message.into())
    }

    /// A warning by the rule with this stable id.
    pub fn warning(rule: &'static str, class: ErrorClass, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, rule, class, message.into())
    }

    fn new(severity: Severity, rule: &'static str, class: ErrorClass, message: String) -> Self {
        Self(Box::new(Inner {
            severity,
            rule,
            class,
            message,
            location: Location::None,
            word_offset: None,
            operand: None,
            labels: Vec::new(),
            help: None,
            section: None,
            vuid: None,
            instruction: None,
            shader: None,
        }))
    }

    /// Places it in assembly text.
    #[must_use]
    pub fn at_span(mut self, span: Span) -> Self {
        self.0.location = Location::Span(span);
        self
    }

    /// Places it in a binary module. `offset` counts 32-bit words, not bytes,
    /// from the start of the module, with the header's first word as word 0:
    /// see [`Location::Word`].
    #[must_use]
    pub fn at_word(mut self, offset: usize) -> Self {
        self.0.location = Location::Word(offset);
        self.0.word_offset = Some(offset);
        self
    }

    /// Says which operand of the instruction is at fault: `offset` is that of its
    /// first word, counted as in [`at_word`](Self::at_word).
    #[must_use]
    pub fn at_operand(mut self, offset: usize) -> Self {
        self.0.operand = Some(offset);
        self
    }

    /// Points at another place that has to do with it.
    #[must_use]
    pub fn with_label(mut self, location: Location, message: impl Into<String>) -> Self {
        self.0.labels.push(Label {
            location,
            word_offset: match location {
                Location::Word(word) => Some(word),
                _ => None,
            },
            operand: None,
            instruction: None,
            elsewhere: None,
            message: message.into(),
        });
        self
    }

    /// Says that the last label is in another file.
    #[must_use]
    pub fn with_label_elsewhere(mut self, elsewhere: Elsewhere, quote: Option<Quote>) -> Self {
        if let Some(label) = self.0.labels.last_mut() {
            label.elsewhere = Some(elsewhere);
            label.instruction = quote;
        }
        self
    }

    /// Says which word of the instruction that the last label points at is meant.
    #[must_use]
    pub fn with_label_operand(mut self, offset: usize) -> Self {
        if let Some(label) = self.0.labels.last_mut() {
            label.operand = Some(offset);
        }
        self
    }

    /// Adds advice.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    /// Says where the rule is: a section of the specification, or the name
    /// of an extension.
    #[must_use]
    pub fn with_section(mut self, section: &'static str) -> Self {
        self.0.section = Some(section);
        self
    }

    /// Adds the identifier of the client API's rule, such as
    /// `VUID-StandaloneSpirv-None-04633`.
    #[must_use]
    pub fn with_vuid(mut self, vuid: &'static str) -> Self {
        self.0.vuid = Some(vuid);
        self
    }

    /// Adds the text of the instruction that it is about.
    #[must_use]
    pub fn with_instruction(mut self, quote: impl Into<Quote>) -> Self {
        self.0.instruction = Some(quote.into());
        self
    }

    /// Adds the place in the shader's own text.
    #[must_use]
    pub fn with_shader_line(mut self, line: ShaderLine) -> Self {
        self.0.shader = Some(line);
        self
    }

    /// Moves it and its labels, for instance from words to text. Where an operand
    /// is meant, that is asked for first, and if it stays where it is, the whole
    /// instruction.
    #[must_use]
    pub fn map_locations(mut self, mut map: impl FnMut(Location) -> Location) -> Self {
        let mut moved = |location, operand: Option<usize>| {
            let word = operand.map(Location::Word);
            let of_operand = word.map(&mut map).filter(|moved| Some(*moved) != word);
            of_operand.unwrap_or_else(|| map(location))
        };
        self.0.location = moved(self.0.location, self.0.operand);
        for label in self.0.labels.iter_mut().filter(|it| it.elsewhere.is_none()) {
            label.location = moved(label.location, label.operand);
        }
        self
    }

    /// Changes its labels, in their order.
    #[must_use]
    pub fn map_labels(mut self, change: impl FnMut(&mut Label)) -> Self {
        self.0.labels.iter_mut().for_each(change);
        self
    }

    /// Makes it as bad as this.
    #[must_use]
    pub fn with_severity(mut self, severity: Severity) -> Self {
        self.0.severity = severity;
        self
    }

    /// How bad it is.
    pub fn severity(&self) -> Severity {
        self.0.severity
    }

    /// The stable id of the rule.
    pub fn rule(&self) -> &'static str {
        self.0.rule
    }

    /// The class of the error, or of the error that a warning would be.
    pub fn class(&self) -> ErrorClass {
        self.0.class
    }

    /// What is wrong.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Where it is wrong.
    pub fn location(&self) -> Location {
        self.0.location
    }

    /// Where it is wrong in the binary module, in words from its start, even if
    /// its location has been [moved](Self::map_locations) into a text.
    pub fn word_offset(&self) -> Option<usize> {
        self.0.word_offset
    }

    /// The operand at fault, by the offset of its first word in the binary module,
    /// if it is not the whole instruction that is at fault.
    pub fn operand(&self) -> Option<usize> {
        self.0.operand
    }

    /// Other places that have to do with it.
    pub fn labels(&self) -> &[Label] {
        &self.0.labels
    }

    /// What to do about it.
    pub fn help(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// Where the rule is: a section of the specification, or the name of an
    /// extension.
    pub fn section(&self) -> Option<&'static str> {
        self.0.section
    }

    /// The identifier of the client API's rule.
    pub fn vuid(&self) -> Option<&'static str> {
        self.0.vuid
    }

    /// The text of the instruction that it is about.
    pub fn instruction(&self) -> Option<&str> {
        Some(self.quote()?.text())
    }

    /// The same with the operand at fault in it.
    pub fn quote(&self) -> Option<&Quote> {
        self.0.instruction.as_ref()
    }

    /// About how many bytes it takes to keep or to tell it.
    pub fn weight(&self) -> u64 {
        /// What is around the texts.
        const FRAME: usize = 500;
        /// The same of a label.
        const LABEL: usize = 200;
        let quoted = |quote: &Option<Quote>| quote.as_ref().map_or(0, |it| it.text().len());
        let labels = self.0.labels.iter();
        let labels = labels.map(|label| LABEL + label.message.len() + quoted(&label.instruction));
        let shader = self.0.shader.as_ref();
        let shader =
            shader.map(|line| line.file.len() + line.text.as_ref().map_or(0, |it| it.len()));
        let own = FRAME + self.0.message.len() + self.0.help.as_ref().map_or(0, String::len);
        (own + quoted(&self.0.instruction) + shader.unwrap_or(0) + labels.sum::<usize>()) as u64
    }

    /// The place in the text that the module was compiled from.
    pub fn shader_line(&self) -> Option<&ShaderLine> {
        self.0.shader.as_ref()
    }
}

impl fmt::Display for Diagnostic {
    /// Its first line: `error[text.open-string]: …`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (severity, rule) = (self.severity().name(), self.rule());
        write!(f, "{severity}[{rule}]: {}", visible_lines(self.message()))
    }
}
