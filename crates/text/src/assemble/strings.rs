//! Strings without an end. Taken literally, such a string goes on to the start of the next
//! one, and everything behind it is read inside out.

use spirvkit_diagnostics::{Diagnostic, Location, Span};

use super::reported::Reported;
use super::{AssembleOptions, assemble_once, errors};
use crate::lexer::{Lexer, Token, TokenKind, is_opcode_name};

/// A text with quotation marks where they most likely were forgotten. They stand in the
/// place of line ends, so that all other places stay the same.
pub(super) struct Closed {
    text: String,
    /// Where the strings start that had no end.
    starts: Vec<Span>,
}

/// Ends the strings of a text that swallow what must be instructions. `None` if there are
/// none. Strings of several lines are otherwise as good as any.
pub(super) fn close(text: &str) -> Option<Closed> {
    let mut bytes = Vec::new();
    let mut starts = Vec::new();
    let mut lexer = Lexer::new(text);
    loop {
        let token = lexer.next();
        let end = match token.kind {
            TokenKind::End => break,
            TokenKind::String | TokenKind::OpenString => likely_end(lexer.text(token), token),
            _ => None,
        };
        let Some(end) = end else { continue };
        if bytes.is_empty() {
            bytes = text.as_bytes().to_vec();
        }
        bytes[end] = b'"';
        starts.push(token.first_byte());
        lexer = Lexer::starting_at(text, end);
    }
    // One byte of ASCII stands for another.
    let text = String::from_utf8(bytes).ok()?;
    (!starts.is_empty()).then_some(Closed { text, starts })
}

/// The line end at which a string should have ended, if instructions follow it.
fn likely_end(string: &str, token: Token) -> Option<usize> {
    let (_, last_line) = string.rsplit_once('\n')?;
    // The quotation mark that ends it is the one that should start the next string.
    if token.kind == TokenKind::String && !starts_instruction(last_line) {
        return None;
    }
    let mut end = 0;
    for line in string.split_inclusive('\n') {
        if end > 0 && starts_instruction(line) {
            let before = string[..end].trim_end_matches(['\n', '\r']);
            // Behind a backslash, a quotation mark ends nothing.
            return (!before.ends_with('\\')).then_some(token.start + before.len());
        }
        end += line.len();
    }
    None
}

/// Whether a line starts as an instruction does.
fn starts_instruction(line: &str) -> bool {
    let mut lexer = Lexer::new(line);
    let token = lexer.next();
    match token.kind {
        TokenKind::Word => is_opcode_name(lexer.text(token)),
        TokenKind::Id if lexer.at_equals() => {
            lexer.next();
            is_opcode_name(lexer.text(lexer.peek()))
        }
        _ => false,
    }
}

impl Closed {
    /// The errors of the text, in its order.
    pub(super) fn errors(self, options: &AssembleOptions) -> Reported {
        let others = assemble_once(&self.text, options).err();
        let (others, left_out) = others.map_or_else(Default::default, Reported::into_parts);
        // That a string was not expected there either needs no error of its own.
        let is_reported = |at: Span| {
            let starts = &self.starts;
            starts
                .binary_search_by_key(&at.start, |open| open.start)
                .is_ok()
        };
        let others = others
            .into_iter()
            .filter_map(|error| match error.location() {
                Location::Span(at) => (!is_reported(at)).then_some((at, error)),
                _ => None,
            });
        let mut others: Vec<(Span, Diagnostic)> = others.collect();
        others.sort_by_key(|(at, _)| at.start);
        let mut others = others.into_iter().peekable();
        let mut open = self.starts.iter().peekable();
        let mut reported = Reported::new(self.text.len());
        loop {
            let next_open = open.peek().map(|at| at.start);
            let other = others.next_if(|(at, _)| next_open.is_none_or(|open| at.start < open));
            let next = other.or_else(|| open.next().map(|&at| (at, errors::open_string())));
            let Some((at, error)) = next else { break };
            let most = options.max_errors;
            if most > 0 && reported.len() == most {
                reported.end(errors::too_many_errors(most).at_span(at));
                return reported;
            }
            reported.push(error, at);
        }
        if let Some((count, at)) = left_out {
            reported.leave_out(count, at);
        }
        reported
    }
}
