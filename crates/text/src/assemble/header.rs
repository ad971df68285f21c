//! The comments that a disassembler writes at the top of its text:
//! `; Version: 1.3` and the like.

use spirvkit_diagnostics::{Diagnostic, Span};
use spirvkit_grammar::{Generator, Version};

use super::errors;
use crate::lexer::start_of;

/// What the comments before the first instruction say.
#[derive(Clone, Debug, Default)]
pub(super) struct HeaderComments {
    pub(super) version: Option<Version>,
    pub(super) generator: Option<Generator>,
    pub(super) bound: Option<Bound>,
    pub(super) schema: Option<u32>,
    /// Comments that look like these, but say something else.
    pub(super) warnings: Vec<Diagnostic>,
}

/// A bound that a comment gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// `; Bound: 10`: the bound, or more if the ids take more.
    AtLeast(u32),
    /// `; Bound: !10`: the bound to write, whatever the ids are.
    Exactly(u32),
}

impl HeaderComments {
    /// Reads the comment lines that start the text. Comments that say something
    /// else are passed over; the first line that is neither blank nor a comment
    /// ends the header.
    pub(super) fn read(text: &str) -> Self {
        let mut header = Self::default();
        let mut start = start_of(text);
        for line in text[start..].split_inclusive('\n') {
            let trimmed = line.trim();
            let Some(comment) = trimmed.strip_prefix(';') else {
                if trimmed.is_empty() {
                    start += line.len();
                    continue;
                }
                break;
            };
            if let Some((key, value)) = comment.split_once(':') {
                let (key, value) = (key.trim(), value.trim());
                if let Err(expected) = header.set(key, value) {
                    let span = Span {
                        start,
                        end: start + line.trim_end().len(),
                    };
                    let warning = errors::bad_header_comment(key, expected, value).at_span(span);
                    header.warnings.push(warning);
                }
            }
            start += line.len();
        }
        header
    }

    /// Takes what a comment says. Comments with other keys are just comments.
    ///
    /// # Errors
    ///
    /// What the comment should say, if its value can't be read.
    fn set(&mut self, key: &str, value: &str) -> Result<(), &'static str> {
        const VERSION: &str = "a version such as `1.3`";
        const GENERATOR: &str = "a registered generator with its version, such as \
                                 `Khronos Glslang Reference Front End; 11`";
        const NUMBER: &str = "a number";
        match key {
            "Version" => self.version = Some(parse_version(value).ok_or(VERSION)?),
            "Generator" => self.generator = Some(value.parse().map_err(|_| GENERATOR)?),
            "Bound" => {
                self.bound = Some(match value.strip_prefix('!') {
                    Some(value) => Bound::Exactly(value.parse().map_err(|_| NUMBER)?),
                    None => Bound::AtLeast(value.parse().map_err(|_| NUMBER)?),
                });
            }
            "Schema" => self.schema = Some(value.parse().map_err(|_| NUMBER)?),
            _ => {}
        }
        Ok(())
    }
}

fn parse_version(text: &str) -> Option<Version> {
    let (major, minor) = text.split_once('.')?;
    Some(Version::new(major.parse().ok()?, minor.parse().ok()?))
}
