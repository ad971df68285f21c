//! Which part of an instruction's text a word of it came from.
//!
//! Words are not recorded while a text is assembled, because hardly any is ever asked
//! for: an instruction is short enough to be taken apart again.

use spirvkit_diagnostics::Span;
use spirvkit_grammar::Op;

use crate::lexer::{Lexer, Token, TokenKind, unescape};

/// The bytes in the text of one instruction from which a word came, given how many
/// words there are. The words are counted from the one with the opcode, which has
/// no part of its own; nor has a word that no part of the text stands for.
pub(crate) fn operand_span(text: &str, words: usize, word: usize) -> Option<Span> {
    // There may be an error for every word, each of which has the instruction read.
    const MAX: usize = 4096;
    if words > MAX {
        return None;
    }
    let mut lexer = Lexer::new(text);
    let first = lexer.next();
    let result = (first.kind == TokenKind::Id && lexer.at_equals()).then_some(first);
    let opcode = match result {
        Some(_) => {
            lexer.next();
            lexer.next()
        }
        None => first,
    };
    let name = lexer.text(opcode);
    if name == "OpUnknown" {
        // The opcode, the number of words and what is around them.
        for _ in 0..5 {
            lexer.next();
        }
    }
    let info = Op::from_name(name).and_then(Op::info);
    let result_word = 1 + usize::from(info.is_some_and(|info| info.has_result_type()));
    if let Some(result) = result
        && word == result_word
    {
        return Some(result.span());
    }
    let operands = || {
        let mut rest = lexer.clone();
        std::iter::from_fn(move || Some(rest.next()).filter(|token| token.kind != TokenKind::End))
    };
    // Strings say how long they are. Other operands have a word each, but for the
    // literals whose width is a type's, which then are all equally wide.
    let (mut others, mut numbers) = (1 + usize::from(result.is_some()), 0);
    for token in operands() {
        match is_number(&lexer, token) {
            true => numbers += 1,
            false => others += width(&lexer, token, 1),
        }
    }
    let number_width = match numbers {
        0 => 1,
        _ => words.checked_sub(others)? / numbers,
    };
    let mut next = 1;
    for token in operands() {
        if result.is_some() && next == result_word {
            next += 1;
        }
        next += width(&lexer, token, number_width);
        if word < next {
            return (word > 0).then(|| token.span());
        }
    }
    None
}

fn is_number(lexer: &Lexer<'_>, token: Token) -> bool {
    let text = lexer.text(token).as_bytes();
    token.kind == TokenKind::Word && matches!(text, [b'0'..=b'9' | b'-' | b'+' | b'.', ..])
}

/// How many words an operand takes.
fn width(lexer: &Lexer<'_>, token: Token, number_width: usize) -> usize {
    match token.kind {
        TokenKind::String => unescape(lexer.text(token)).len() / 4 + 1,
        _ if is_number(lexer, token) => number_width,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_an_instruction_leads_to_its_operand() {
        let parts = |text: &str, words: usize| -> Vec<String> {
            let span = |word| operand_span(text, words, word);
            let part = |span: Option<Span>| span.map_or("", |span| &text[span.start..span.end]);
            (0..=words)
                .map(|word| part(span(word)).to_owned())
                .collect()
        };
        assert_eq!(
            parts("%sum = OpFAdd %f32 %a %b", 5),
            ["", "%f32", "%sum", "%a", "%b", ""]
        );
        assert_eq!(
            parts("%v = OpTypeVector %f32 4", 4),
            ["", "%v", "%f32", "4", ""]
        );
        assert_eq!(
            parts("OpEntryPoint Fragment %main \"ma\\in\" %in", 6),
            [
                "",
                "Fragment",
                "%main",
                "\"ma\\in\"",
                "\"ma\\in\"",
                "%in",
                ""
            ]
        );
        // Literals of 64 bits.
        assert_eq!(
            parts("OpSwitch %s %d 1 %a -2 %b", 9),
            ["", "%s", "%d", "1", "1", "%a", "-2", "-2", "%b", ""]
        );
        assert_eq!(
            parts("%c = OpConstant %f64 0x1p+3", 5),
            ["", "%f64", "%c", "0x1p+3", "0x1p+3", ""]
        );
        assert_eq!(
            parts("OpStore %p %v Aligned|Volatile 4 ; why", 5),
            ["", "%p", "%v", "Aligned|Volatile", "4", ""]
        );
        assert_eq!(
            parts("%r = OpExtInst %f32 %set Sqrt %x", 6),
            ["", "%f32", "%r", "%set", "Sqrt", "%x", ""]
        );
        assert_eq!(parts("OpUnknown(4000, 3) 1 %2", 3), ["", "1", "%2", ""]);
        assert_eq!(parts("!0x00020011 %1 !2", 3), ["", "%1", "!2", ""]);
        assert_eq!(parts("OpDecorate %x !1 ArrayStride", 4)[1..3], ["%x", "!1"]);
    }
}
