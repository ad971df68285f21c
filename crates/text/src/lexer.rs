//! Tokens of the assembly language.
//!
//! Tokens are separated by white space; `;` starts a comment that goes on to
//! the end of the line. Where an instruction starts is not up to the lexer,
//! except that it can tell [whether one starts](Lexer::operand) at a token.

use spirvkit_diagnostics::{Span, escaped};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// `%name`.
    Id,
    /// `%` followed by something that is not a name.
    BadId,
    /// `"text"`, quotes included.
    String,
    /// `"` without its counterpart.
    OpenString,
    /// `!` and what follows it.
    Immediate,
    /// `=`.
    Equals,
    /// `(`, `)` or `,`.
    Punctuation,
    /// A name or number.
    Word,
    /// The end of the text.
    End,
}

/// A token: its kind and where it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The number that an id's name is: decimal, above zero, without leading
    /// zeros. 0 for any other name.
    pub(crate) number: u32,
}

impl Token {
    /// Where its first byte stands, which must be a character of its own.
    pub(crate) fn first_byte(self) -> Span {
        Span {
            start: self.start,
            end: self.start + 1,
        }
    }

    pub(crate) fn span(self) -> Span {
        Span {
            start: self.start,
            end: self.end,
        }
    }
}

/// Where a text starts: behind the byte order mark that some editors write.
pub(crate) fn start_of(text: &str) -> usize {
    const BYTE_ORDER_MARK: char = '\u{feff}';
    match text.starts_with(BYTE_ORDER_MARK) {
        true => BYTE_ORDER_MARK.len_utf8(),
        false => 0,
    }
}

/// What a byte means to the lexer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Part of a name.
    Name,
    /// Part of a word, but not of a name.
    Other,
    Space,
    Comment,
    Punctuation,
    Equals,
}

static CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => Class::Name,
            b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => Class::Space,
            b';' => Class::Comment,
            b'(' | b')' | b',' => Class::Punctuation,
            b'=' => Class::Equals,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
};

/// Splits a text into tokens. Its position is always at a token, past any
/// white space and comments.
#[derive(Clone)]
pub(crate) struct Lexer<'a> {
    text: &'a str,
    position: usize,
    /// Where the token before the position ends.
    previous_end: usize,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self::starting_at(text, start_of(text))
    }

    /// A lexer that knows nothing of what is before a place.
    pub(crate) fn starting_at(text: &'a str, position: usize) -> Self {
        let mut lexer = Self {
            text,
            position,
            previous_end: position,
        };
        lexer.skip_space();
        lexer
    }

    /// A lexer at the start of the same text.
    pub(crate) fn restarted(&self) -> Self {
        Self::new(self.text)
    }

    /// How many bytes the text has.
    pub(crate) fn text_len(&self) -> usize {
        self.text.len()
    }

    /// The text of a token.
    #[inline]
    pub(crate) fn text(&self, token: Token) -> &'a str {
        &self.text[token.start..token.end]
    }

    /// The name of an id token.
    #[inline]
    pub(crate) fn id_name(&self, token: Token) -> &'a str {
        &self.text[token.start + 1..token.end]
    }

    /// Where the token before the position ends.
    pub(crate) fn previous_end(&self) -> usize {
        self.previous_end
    }

    fn byte(&self, position: usize) -> Option<u8> {
        self.text.as_bytes().get(position).copied()
    }

    /// Passes over white space and comments.
    #[inline]
    fn skip_space(&mut self) {
        // Between operands there is a single blank.
        let bytes = self.text.as_bytes();
        if bytes.get(self.position) == Some(&b' ') {
            self.position += 1;
        }
        let class = bytes
            .get(self.position)
            .map(|&byte| CLASSES[usize::from(byte)]);
        if matches!(class, Some(Class::Space | Class::Comment)) {
            self.skip_more_space();
        }
    }

    fn skip_more_space(&mut self) {
        let bytes = self.text.as_bytes();
        loop {
            // Indentation comes in long runs.
            while let Some(block) = bytes
                .get(self.position..)
                .and_then(<[u8]>::first_chunk::<8>)
            {
                let others = u64::from_le_bytes(*block) ^ u64::from_le_bytes([b' '; 8]);
                self.position += (others.trailing_zeros() / 8) as usize;
                if others != 0 {
                    break;
                }
            }
            match bytes
                .get(self.position)
                .map(|&byte| CLASSES[usize::from(byte)])
            {
                Some(Class::Space) => self.position += 1,
                Some(Class::Comment) => {
                    let rest = &bytes[self.position..];
                    self.position += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    /// Takes the next token.
    #[inline]
    pub(crate) fn next(&mut self) -> Token {
        let start = self.position;
        let mut number = 0;
        let kind = match self.byte(start) {
            None => TokenKind::End,
            Some(b'%') => {
                let (kind, value) = self.id();
                number = value;
                kind
            }
            Some(b'"') => self.string(),
            Some(first) => match CLASSES[usize::from(first)] {
                Class::Equals => {
                    self.position += 1;
                    TokenKind::Equals
                }
                Class::Punctuation => {
                    self.position += 1;
                    TokenKind::Punctuation
                }
                _ => {
                    self.word();
                    if first == b'!' {
                        TokenKind::Immediate
                    } else {
                        TokenKind::Word
                    }
                }
            },
        };
        let end = self.position;
        self.previous_end = end;
        self.skip_space();
        Token {
            kind,
            start,
            end,
            number,
        }
    }

    /// Takes the next token that is an id, and all before it. That is quicker than
    /// taking them one by one, but only this may follow.
    pub(crate) fn next_id(&mut self) -> Option<Token> {
        let bytes = self.text.as_bytes();
        // Where a token starts even though nothing separates it from the one before.
        let mut behind_string = self.position;
        loop {
            let rest = bytes.get(self.position..)?;
            self.position += memchr::memchr3(b'%', b'"', b';', rest)?;
            let start = self.position;
            let starts_token = start == behind_string
                || !matches!(
                    CLASSES[usize::from(bytes[start - 1])],
                    Class::Name | Class::Other
                );
            match bytes[start] {
                b';' => self.position += memchr::memchr(b'\n', &bytes[start..])?,
                _ if !starts_token => self.position += 1,
                b'"' => {
                    self.string();
                    behind_string = self.position;
                }
                _ => {
                    let (kind, number) = self.id();
                    if kind == TokenKind::Id {
                        let end = self.position;
                        return Some(Token {
                            kind,
                            start,
                            end,
                            number,
                        });
                    }
                }
            }
        }
    }

    #[inline]
    fn id(&mut self) -> (TokenKind, u32) {
        let bytes = self.text.as_bytes();
        let start = self.position + 1;
        // Ids that are numbers are the rule, so they are read on the way.
        let mut number = 0u64;
        let mut at = start;
        while let Some(digit) = bytes.get(at).map(|byte| byte.wrapping_sub(b'0'))
            && digit <= 9
        {
            number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
            at += 1;
        }
        let digits = at - start;
        let class = |at: usize| bytes.get(at).map(|&byte| CLASSES[usize::from(byte)]);
        while class(at) == Some(Class::Name) {
            at += 1;
        }
        self.position = at;
        if at == start || class(at) == Some(Class::Other) {
            self.word();
            return (TokenKind::BadId, 0);
        }
        let is_number = digits == at - start && digits <= 10 && bytes[start] != b'0';
        let number = if is_number {
            u32::try_from(number).unwrap_or(0)
        } else {
            0
        };
        (TokenKind::Id, number)
    }

    fn word(&mut self) {
        let bytes = self.text.as_bytes();
        let in_word = |byte: &u8| matches!(CLASSES[usize::from(*byte)], Class::Name | Class::Other);
        let rest = &bytes[self.position..];
        self.position += rest
            .iter()
            .position(|byte| !in_word(byte))
            .unwrap_or(rest.len());
    }

    fn string(&mut self) -> TokenKind {
        let bytes = self.text.as_bytes();
        self.position += 1;
        while let Some(at) = memchr::memchr2(b'"', b'\\', &bytes[self.position..]) {
            self.position += at + 1;
            if bytes[self.position - 1] == b'"' {
                return TokenKind::String;
            }
            // Skip the escaped character, whatever it is.
            let escaped = self.text[self.position..].chars().next();
            self.position += escaped.map_or(0, char::len_utf8);
        }
        self.position = bytes.len();
        TokenKind::OpenString
    }

    /// Whether the token that has just been taken is the left side of `=`.
    #[inline]
    pub(crate) fn at_equals(&self) -> bool {
        self.byte(self.position) == Some(b'=')
    }

    /// Takes the next token if it belongs to the current instruction: `None` if
    /// an instruction or the end is next. An instruction starts with an opcode
    /// name, which is `Op` before a capital, or with `%id =`.
    #[inline]
    pub(crate) fn operand(&mut self) -> Option<Token> {
        let before = (self.position, self.previous_end);
        let token = self.next();
        let ends = match token.kind {
            TokenKind::End => true,
            TokenKind::Id => self.at_equals(),
            TokenKind::Word => is_opcode_name(self.text(token)),
            _ => false,
        };
        if ends {
            (self.position, self.previous_end) = before;
            return None;
        }
        Some(token)
    }

    /// An empty token behind the last one taken, to point at what is missing.
    pub(crate) fn here(&self) -> Token {
        let end = self.previous_end;
        Token {
            kind: TokenKind::End,
            start: end,
            end,
            number: 0,
        }
    }

    /// The next token, without taking it.
    pub(crate) fn peek(&self) -> Token {
        self.clone().next()
    }

    /// Passes over all tokens up to the next instruction.
    pub(crate) fn skip_instruction(&mut self) {
        while self.operand().is_some() {}
    }

    /// Goes back to a token.
    pub(crate) fn back_to(&mut self, token: Token) {
        self.position = token.start;
        self.previous_end = token.start;
    }
}

/// Whether a word is an opcode's name, known or not.
pub(crate) fn is_opcode_name(word: &str) -> bool {
    matches!(word.as_bytes(), [b'O', b'p', third, ..] if third.is_ascii_uppercase())
}

/// The text of a string token: without its quotes, and with each backslash
/// replaced by the character after it, or by the one that an escape stands for: text for
/// a terminal has them.
pub(crate) fn unescape(quoted: &str) -> std::borrow::Cow<'_, str> {
    let inner = quoted.strip_prefix('"').unwrap_or(quoted);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    if !inner.contains('\\') {
        return inner.into();
    }
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let read = escaped(rest).or_else(|| rest.chars().next().map(|it| (it, it.len_utf8())));
        if let Some((character, length)) = read {
            text.push(character);
            rest = &rest[length..];
        }
    }
    text.push_str(rest);
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looking_for_ids_finds_those_that_are_tokens() {
        let text = "%1 = OpName %22\"%3\" \"%4\"%5 ; %6 \"\n%a(%7,%8)=%9 a%10 a\"%11 b %12\"%13 \
                    %%14 \"a\\\"%15\"\"%16\"%017 %18% #\"%19 %20;%21\n%22";
        let ids = |text| {
            let mut lexer = Lexer::new(text);
            let tokens = std::iter::from_fn(move || {
                let token = lexer.next();
                (token.kind != TokenKind::End).then_some(token)
            });
            tokens.filter(|token| token.kind == TokenKind::Id)
        };
        // From every place on, with a string open or not.
        for start in 0..text.len() {
            let text = &text[start..];
            let mut lexer = Lexer::new(text);
            for id in ids(text) {
                let found = lexer.next_id().expect("there is another");
                assert_eq!(
                    (found.span(), found.number),
                    (id.span(), id.number),
                    "{text}"
                );
            }
            assert!(lexer.next_id().is_none(), "{text}");
        }
    }
}
