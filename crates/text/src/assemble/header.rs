//! The comments that a disassembler writes at the top of its text:
//! `; Version: 1.3` and the like.

use spirvkit_grammar::{Generator, Version};

/// What the comments before the first instruction say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct HeaderComments {
    pub(super) version: Option<Version>,
    pub(super) generator: Option<Generator>,
    pub(super) bound: Option<Bound>,
    pub(super) schema: Option<u32>,
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
        for line in text.lines() {
            let line = line.trim();
            if line.is_empty() {
                continue;
            }
            let Some(comment) = line.strip_prefix(';') else {
                break;
            };
            if let Some((key, value)) = comment.split_once(':') {
                header.set(key.trim(), value.trim());
            }
        }
        header
    }

    fn set(&mut self, key: &str, value: &str) {
        match key {
            "Version" => self.version = parse_version(value),
            "Generator" => self.generator = value.parse().ok(),
            "Bound" => {
                self.bound = match value.strip_prefix('!') {
                    Some(value) => value.parse().ok().map(Bound::Exactly),
                    None => value.parse().ok().map(Bound::AtLeast),
                };
            }
            "Schema" => self.schema = value.parse().ok(),
            _ => {}
        }
    }
}

fn parse_version(text: &str) -> Option<Version> {
    let (major, minor) = text.split_once('.')?;
    Some(Version::new(major.parse().ok()?, minor.parse().ok()?))
}
