//! Instructions as text.

use crate::Span;

/// An instruction as text, and the operand of it that is meant. Of a very long one,
/// there is only what is around the operand: many diagnostics may be about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote {
    text: String,
    operand: Option<Span>,
}

impl Quote {
    /// The most bytes that are kept before the operand and from it on.
    const MAX: usize = 2000;

    /// Quotes a text; `operand` are the bytes that are meant, if not all are.
    ///
    /// ```
    /// use spirvkit_diagnostics::{Quote, Span};
    ///
    /// let quote = Quote::new("%4 = OpTypeVector %3 9", Some(Span { start: 21, end: 22 }));
    /// assert_eq!(quote.text(), "%4 = OpTypeVector %3 9");
    /// assert_eq!(quote.operand(), Some(Span { start: 21, end: 22 }));
    /// ```
    pub fn new(text: &str, operand: Option<Span>) -> Self {
        let operand = operand.filter(|span| text.get(span.start..span.end).is_some());
        let middle = operand.map_or(0, |span| span.start);
        let start = boundary(text, middle.saturating_sub(Self::MAX));
        let end = boundary(text, middle.saturating_add(Self::MAX));
        let (before, after) = (mark(start > 0), mark(end < text.len()));
        let moved = |at: usize| before.len() + at.min(end) - start;
        Self {
            text: format!("{before}{}{after}", &text[start..end]),
            operand: operand.map(|span| Span {
                start: moved(span.start),
                end: moved(span.end),
            }),
        }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The bytes of it that are meant, if not all are.
    pub fn operand(&self) -> Option<Span> {
        self.operand
    }
}

/// The start of the character that a byte is part of; past the end, the end.
fn boundary(text: &str, byte: usize) -> usize {
    let mut byte = byte.min(text.len());
    while !text.is_char_boundary(byte) {
        byte -= 1;
    }
    byte
}

/// What is put where something was left out.
fn mark(is_cut: bool) -> &'static str {
    if is_cut { "…" } else { "" }
}

impl From<String> for Quote {
    fn from(text: String) -> Self {
        Self::new(&text, None)
    }
}

impl From<&str> for Quote {
    fn from(text: &str) -> Self {
        Self::new(text, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_around_the_operand() {
        let text = "ä".repeat(Quote::MAX) + "here" + &"ö".repeat(Quote::MAX);
        let start = text.find("here").unwrap();
        let end = start + 4;
        let quote = Quote::new(&text, Some(Span { start, end }));
        let operand = quote.operand().unwrap();
        assert_eq!(&quote.text()[operand.start..operand.end], "here");
        assert!(quote.text().starts_with("…ä") && quote.text().ends_with("ö…"));
        assert!(quote.text().len() < 2 * Quote::MAX + 10);
        let all = Quote::new(&text, None);
        assert!(all.text().len() < Quote::MAX + 10 && all.text().starts_with("ää"));
        let odd = Quote::new("ä", Some(Span { start: 1, end: 9 }));
        assert_eq!((odd.text(), odd.operand()), ("ä", None));
    }
}
