//! Arrays of numbers in the source code of C, Rust, JavaScript and the like.

use spirvkit::Diagnostic;
use spirvkit::diagnostics::Span;

use super::{Decoded, bad_digit, error, is_binary_module, is_magic};
use crate::report::kinds;

/// Reads the array of a text that holds a module; failing that, one that the text has
/// little besides.
pub(super) fn read(text: &str, start: usize) -> Option<Result<Decoded, Diagnostic>> {
    let mut code = Code { text, at: start };
    let mut other = None;
    while let Some(array) = code.next_array() {
        if array.is_module() {
            return Some(only_module(array, code));
        }
        if array.length() > text.len() / 2 {
            other = Some(array);
        }
    }
    other.map(Array::decode)
}

/// Decodes an array, if no other of the rest of the code is a module, too.
fn only_module(array: Array, mut rest: Code<'_>) -> Result<Decoded, Diagnostic> {
    let decoded = array.decode()?;
    while let Some(another) = rest.next_array() {
        if another.is_module() {
            let message = "this is a second module, but a file can contain only one".into();
            return Err(error(
                &kinds::SEVERAL_MODULES,
                message,
                another.numbers[0].1,
            ));
        }
    }
    Ok(decoded)
}

/// The numbers behind an opening bracket: at least one.
struct Array {
    numbers: Vec<(i128, Span)>,
    /// What is wrong behind them.
    kind: Option<Diagnostic>,
}

impl Array {
    /// How many bytes a number stands for, if the first are the magic number.
    fn unit(&self) -> Option<usize> {
        let mut first = self.numbers.iter().map(|&(value, _)| value);
        if first
            .next()
            .is_some_and(|value| matches!(u32::try_from(value), Ok(word) if is_magic(word)))
        {
            return Some(4);
        }
        [1, 2, 8].into_iter().find(|&size| {
            let mut bytes = Vec::new();
            let first = &self.numbers[..self.numbers.len().min(4)];
            let added = first
                .iter()
                .take_while(|(value, span)| append(*value, *span, size, &mut bytes).is_ok());
            added.count() * size >= 4 && is_binary_module(&bytes)
        })
    }

    fn is_module(&self) -> bool {
        self.unit().is_some()
    }

    /// The length of the numbers in the text.
    fn length(&self) -> usize {
        let end = self.numbers.last().map_or(0, |(_, span)| span.end);
        end - self.numbers[0].1.start
    }

    fn decode(self) -> Result<Decoded, Diagnostic> {
        let size =
            self.unit()
                .unwrap_or(match self.numbers.iter().all(|&(value, _)| value < 256) {
                    true => 1,
                    false => 4,
                });
        let mut bytes = Vec::with_capacity(self.numbers.len() * size);
        for &(value, span) in &self.numbers {
            append(value, span, size, &mut bytes)?;
        }
        if let Some(kind) = self.kind {
            return Err(kind);
        }
        let span =
            |number: Option<&(i128, Span)>| number.map_or(Span { start: 0, end: 0 }, |it| it.1);
        Ok(Decoded {
            bytes,
            first: span(self.numbers.first()),
            last: span(self.numbers.last()),
        })
    }
}

/// Adds a number of so many bytes, which may be signed, the lowest byte first.
fn append(value: i128, span: Span, size: usize, bytes: &mut Vec<u8>) -> Result<(), Diagnostic> {
    let bits = size * 8;
    let range = -(1i128 << (bits - 1))..1i128 << bits;
    if !range.contains(&value) {
        let message = format!("this number does not fit in {bits} bits, as the previous ones do");
        return Err(error(&kinds::TOO_LONG, message, span));
    }
    bytes.extend(&value.to_le_bytes()[..size]);
    Ok(())
}

/// Source code, as far as arrays are found in it.
struct Code<'a> {
    text: &'a str,
    at: usize,
}

impl Code<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The next array from here on; the place is then behind it.
    fn next_array(&mut self) -> Option<Array> {
        loop {
            self.skip_space();
            let character = self.peek()?;
            self.at += character.len_utf8();
            match character {
                '"' => self.skip_string(),
                '{' | '[' | '(' => {
                    let start = self.at;
                    if let Some(array) = self.array() {
                        return Some(array);
                    }
                    self.at = start;
                }
                _ => {}
            }
        }
    }

    /// Passes over white space and comments.
    fn skip_space(&mut self) {
        loop {
            self.at = self.text.len() - self.rest().trim_start().len();
            let end = match self.rest() {
                rest if rest.starts_with("//") => rest.find('\n'),
                rest if rest.starts_with("/*") => rest[2..].find("*/").map(|end| end + 4),
                _ => return,
            };
            self.at = end.map_or(self.text.len(), |end| self.at + end);
        }
    }

    /// Passes over the rest of a string, which ends with its line at the latest.
    fn skip_string(&mut self) {
        let mut escaped = false;
        let end = self.rest().find(|c| {
            let ends = c == '\n' || c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        self.at = end.map_or(self.text.len(), |end| self.at + end + 1);
    }

    /// The array whose bracket has just been passed.
    fn array(&mut self) -> Option<Array> {
        let mut array = Array {
            numbers: Vec::new(),
            kind: None,
        };
        loop {
            self.skip_space();
            match self.peek() {
                Some(',') => self.at += 1,
                Some('}' | ']' | ')') => break,
                Some('-' | '0'..='9') => match self.number() {
                    Ok(number) => array.numbers.push(number),
                    Err(kind) => {
                        array.kind = Some(kind);
                        break;
                    }
                },
                found => {
                    array.kind = Some(self.no_number(found));
                    break;
                }
            }
        }
        // Without one that is right there is nothing to go by.
        (!array.numbers.is_empty()).then_some(array)
    }

    fn no_number(&self, found: Option<char>) -> Diagnostic {
        let start = self.at;
        match found {
            Some(character) => bad_digit(character, start, "decimal"),
            None => {
                let span = Span { start, end: start };
                error(
                    &kinds::OPEN_ARRAY,
                    "the text ends within an array".into(),
                    span,
                )
            }
        }
    }

    /// A number in decimal or, behind `0x`, in hexadecimal, with the separators and
    /// suffixes that languages have.
    fn number(&mut self) -> Result<(i128, Span), Diagnostic> {
        let start = self.at;
        let rest = self.rest();
        let length =
            rest[1..].find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '\'' | '.'));
        let token = &rest[..length.map_or(rest.len(), |length| length + 1)];
        let span = Span {
            start,
            end: start + token.len(),
        };
        let (sign, digits) = match token.strip_prefix('-') {
            Some(digits) => (-1, digits),
            None => (1, token),
        };
        let hexadecimal = digits
            .strip_prefix("0x")
            .or_else(|| digits.strip_prefix("0X"));
        let (base, name, digits) = match hexadecimal {
            Some(digits) => (16, "hexadecimal", digits),
            None => (10, "decimal", digits),
        };
        let is_digit = |c: char| c.is_digit(base) || matches!(c, '_' | '\'');
        let end = digits.find(|c| !is_digit(c)).unwrap_or(digits.len());
        let (digits, suffix) = digits.split_at(end);
        if !SUFFIXES.contains(&suffix.to_ascii_lowercase().as_str()) {
            let character = suffix.chars().next().unwrap_or(' ');
            return Err(bad_digit(character, span.end - suffix.len(), name));
        }
        let plain: String = digits.chars().filter(char::is_ascii_hexdigit).collect();
        // The longest number of 64 bits has twenty digits.
        let value = match plain.trim_start_matches('0') {
            _ if plain.is_empty() => None,
            "" => Some(0),
            digits if digits.len() > 20 => Some(i128::MAX),
            digits => i128::from_str_radix(digits, base).ok(),
        };
        self.at = span.end;
        match value {
            Some(value) => Ok((sign * value, span)),
            None => Err(error(
                &kinds::BAD_DIGIT,
                "there are no digits here".into(),
                span,
            )),
        }
    }
}

/// What may stand behind the digits of a number, in small letters.
const SUFFIXES: [&str; 16] = [
    "", "u", "l", "ul", "lu", "ll", "ull", "llu", "n", "u8", "u16", "u32", "u64", "i8", "i32",
    "ui32",
];
