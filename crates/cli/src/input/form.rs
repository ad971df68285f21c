//! Which of its forms a module is given in.

use spirvkit::Diagnostic;

use crate::input::encoding;
use crate::input::hex;

/// What an input holds.
#[derive(Debug)]
pub(crate) enum Form {
    /// A module in binary form, or what is most likely a damaged one.
    Binary(Vec<u8>),
    /// Assembly text, or another.
    Text(String),
}

impl Form {
    /// Tells what an input holds: a binary module, one in digits, or assembly text.
    ///
    /// # Errors
    ///
    /// What is wrong with the text, and the text to show it in.
    pub(crate) fn of(bytes: Vec<u8>) -> Result<Self, (Diagnostic, String)> {
        if bytes.is_empty() || hex::is_binary_module(&bytes) {
            return Ok(Self::Binary(bytes));
        }
        // What starts with neither is a damaged module unless it reads as text.
        if bytes.contains(&0) && !encoding::is_utf_16(&bytes) {
            return match spirvkit::text::looks_like(&bytes) {
                Some(error) => Err((error, String::new())),
                None => Ok(Self::Binary(bytes)),
            };
        }
        let text = encoding::decode(bytes)?;
        match hex::read(&text) {
            Some(Ok(bytes)) => Ok(Self::Binary(bytes)),
            Some(Err(error)) => Err((error, text)),
            None => Ok(Self::Text(text)),
        }
    }
}
