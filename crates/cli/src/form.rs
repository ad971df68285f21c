//! Which of its forms a module is given in.

use spirvkit::Diagnostic;

use crate::commands::as_;
use crate::hex;

/// What an input holds.
#[derive(Debug)]
pub(crate) enum Form {
    /// A module in binary form, or what is most likely a damaged one.
    Binary(Vec<u8>),
    /// Assembly text.
    Text(String),
}

impl Form {
    /// Tells what an input holds: a binary module, one in hexadecimal digits, or
    /// assembly text.
    ///
    /// # Errors
    ///
    /// What is wrong with the text, and the text to show it in.
    pub(crate) fn of(bytes: Vec<u8>) -> Result<Self, (Diagnostic, String)> {
        if hex::is_binary_module(&bytes) {
            return Ok(Self::Binary(bytes));
        }
        if let Some(text) = hex::detect(&bytes) {
            return match hex::decode(&text) {
                Ok(bytes) => Ok(Self::Binary(bytes)),
                Err(error) => Err((error, text.into_owned())),
            };
        }
        // What starts with neither is a damaged module unless it reads as text.
        if bytes.is_empty() || bytes.contains(&0) {
            return Ok(Self::Binary(bytes));
        }
        as_::decode(bytes).map(Self::Text)
    }
}
