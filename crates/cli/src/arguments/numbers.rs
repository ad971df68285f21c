//! Numbers on the command line.

use std::num::NonZeroUsize;

/// Reads the value of `--max-input`.
pub(crate) fn size(text: &str) -> Result<u64, &'static str> {
    let units = [('K', 10), ('M', 20), ('G', 30)];
    let unit = units
        .iter()
        .find(|(unit, _)| text.ends_with(|last: char| last.to_ascii_uppercase() == *unit));
    let (digits, shift) = match unit {
        Some((_, shift)) => (&text[..text.len() - 1], *shift),
        None => (text, 0),
    };
    let number: u64 = digits
        .parse()
        .map_err(|_| "it must be a whole number, optionally followed by K, M or G")?;
    match number {
        0 => Ok(u64::MAX),
        number => Ok(number.saturating_mul(1 << shift)),
    }
}

/// Reads the value of `--jobs`.
pub(crate) fn jobs(text: &str) -> Result<NonZeroUsize, &'static str> {
    text.parse()
        .map_err(|_| "it must be a whole number, at least 1")
}
