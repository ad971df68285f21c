//! What the numbers of a text stand for.

use spirvkit::Diagnostic;
use spirvkit::binary::MAGIC;
use spirvkit::diagnostics::Span;

use super::{bad_digit, error, is_binary_module};
use crate::report::kinds;

/// How the numbers of a text make bytes. All orders of bytes in a module are read, so
/// units of several bytes always have the lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// Two hexadecimal digits a byte, any number of bytes together.
    Run,
    /// Hexadecimal numbers of so many bytes, with or without leading zeros.
    Hexadecimal(usize),
    /// The same in decimal.
    Decimal(usize),
    /// The same in octal.
    Octal(usize),
}

impl Reading {
    /// All readings, the more usual ones first.
    const ALL: [Self; 8] = [
        Self::Hexadecimal(4),
        Self::Hexadecimal(1),
        Self::Run,
        Self::Hexadecimal(2),
        Self::Hexadecimal(8),
        Self::Decimal(4),
        Self::Decimal(1),
        Self::Octal(2),
    ];

    /// The reading by which the numbers that a text starts with make the magic number, of
    /// a little-endian module rather than a big-endian one. The numbers are without their
    /// prefixes; those that have one are no runs.
    pub(super) fn of_magic(first: &[&str], prefixed: bool) -> Option<Self> {
        let in_pairs = first.iter().all(|digits| digits.len().is_multiple_of(2));
        let readings = || {
            let all = Self::ALL.into_iter();
            all.filter(|&reading| reading != Self::Run || in_pairs && !prefixed)
        };
        let little =
            readings().find(|reading| reading.start(first).starts_with(&MAGIC.to_le_bytes()));
        little.or_else(|| readings().find(|reading| is_binary_module(&reading.start(first))))
    }

    /// The first bytes by this reading, as far as it works out.
    fn start(self, first: &[&str]) -> Vec<u8> {
        const WORD_IN_DIGITS: usize = 8;
        let mut bytes = Vec::new();
        let at = Span { start: 0, end: 0 };
        for digits in first {
            let digits = match self {
                // What is wrong further on should not hide what it is.
                Self::Run => digits.get(..WORD_IN_DIGITS).unwrap_or(digits),
                _ => digits,
            };
            if bytes.len() >= 4 || self.append(digits, at, &mut bytes).is_err() {
                break;
            }
        }
        bytes
    }

    /// What a text most likely means that starts with a number of so many digits.
    pub(super) fn of_size(digits: usize) -> Self {
        match digits {
            0..=2 => Self::Hexadecimal(1),
            3..=16 => Self::Hexadecimal(4),
            _ => Self::Run,
        }
    }

    /// Adds what a number stands for to the bytes. `span` is the number's, whose digits
    /// are at its end.
    pub(super) fn append(
        self,
        digits: &str,
        span: Span,
        bytes: &mut Vec<u8>,
    ) -> Result<(), Diagnostic> {
        let (base, name) = match self {
            Self::Run | Self::Hexadecimal(_) => (16, "hexadecimal"),
            Self::Decimal(_) => (10, "decimal"),
            Self::Octal(_) => (8, "octal"),
        };
        let first_digit = span.end.saturating_sub(digits.len());
        if digits.is_empty() {
            let message = "there are no digits after the prefix".into();
            return Err(error(&kinds::BAD_DIGIT, message, span));
        }
        if let Some((at, character)) = digits.char_indices().find(|(_, c)| !c.is_digit(base)) {
            return Err(bad_digit(character, first_digit + at, name));
        }
        let size = match self {
            Self::Run => return append_run(digits, span, bytes),
            Self::Hexadecimal(size) | Self::Decimal(size) | Self::Octal(size) => size,
        };
        let too_long = || {
            let unit = match size {
                1 => "byte",
                4 => "word",
                _ => "unit",
            };
            let bits = size * 8;
            let message = format!("this number does not fit in a {unit} of {bits} bits");
            error(&kinds::TOO_LONG, message, span)
        };
        // Leading zeros count: they tell numbers of one size from another.
        if base == 16 && digits.len() > size * 2 {
            return Err(too_long());
        }
        let value = u64::from_str_radix(digits, base).map_err(|_| too_long())?;
        let value = value.to_le_bytes();
        let (value, rest) = value.split_at(size);
        if rest.iter().any(|&byte| byte != 0) {
            return Err(too_long());
        }
        bytes.extend(value);
        Ok(())
    }
}

fn append_run(digits: &str, span: Span, bytes: &mut Vec<u8>) -> Result<(), Diagnostic> {
    if !digits.len().is_multiple_of(2) {
        let count = digits.len();
        let message =
            format!("bytes have two digits each, but this run has {count}, an odd number");
        return Err(error(&kinds::ODD_DIGITS, message, span));
    }
    let value = |digit: u8| char::from(digit).to_digit(16).unwrap_or(0) as u8;
    let pairs = digits.as_bytes().chunks_exact(2);
    bytes.extend(pairs.map(|pair| value(pair[0]) << 4 | value(pair[1])));
    Ok(())
}
