//! Taking a command line apart as the established tools do: a flag is one
//! argument; its value is the next one, or follows `=`.

use std::ffi::OsString;

use crate::exit::UsageError;

/// All flags, so that those of neither tool are told apart at once.
const FLAGS: &[&str] = &[
    "-h",
    "--help",
    "--version",
    "-o",
    "--preserve-numeric-ids",
    "--target-env",
    "--color",
    "--no-color",
    "--no-indent",
    "--no-header",
    "--raw-id",
    "--nested-indent",
    "--reorder-blocks",
    "--offsets",
    "--comment",
    "--handle-unknown-opcodes",
];

/// A part of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// A flag, with its value if it takes one.
    Flag(&'static str, Option<OsString>),
    Input(OsString),
}

/// The parts of a command line.
pub(super) struct Flags<'a> {
    arguments: Box<dyn Iterator<Item = OsString> + 'a>,
}

impl<'a> Flags<'a> {
    pub(super) fn new(arguments: impl Iterator<Item = OsString> + 'a) -> Self {
        Self {
            arguments: Box::new(arguments),
        }
    }

    /// The next part. `-o` takes a value, and so do the flags in `with_value`.
    pub(super) fn next(&mut self, with_value: &[&str]) -> Result<Option<Item>, UsageError> {
        let Some(argument) = self.arguments.next() else {
            return Ok(None);
        };
        if argument == "-" || !argument.as_encoded_bytes().starts_with(b"-") {
            return Ok(Some(Item::Input(argument)));
        }
        let text = argument.to_string_lossy();
        let (name, attached) = match text.split_once('=') {
            Some((name, value)) => (name, Some(OsString::from(value))),
            None => (&*text, None),
        };
        let Some(&flag) = FLAGS.iter().find(|flag| **flag == name) else {
            return Err(unknown(&text));
        };
        let takes_value = flag == "-o" || with_value.contains(&flag);
        let value = match (takes_value, attached) {
            (false, None) => None,
            (false, Some(_)) => {
                return Err(UsageError(format!("the option `{flag}` takes no value")));
            }
            (true, Some(value)) => Some(value),
            (true, None) => match self.arguments.next() {
                Some(value) => Some(value),
                None => return Err(UsageError(format!("the option `{flag}` needs a value"))),
            },
        };
        Ok(Some(Item::Flag(flag, value)))
    }
}

/// The error about a flag that the tool doesn't have.
pub(super) fn unknown(flag: &str) -> UsageError {
    UsageError(format!("there is no option `{flag}`; `--help` lists them"))
}
