//! What can be wrong with a text: a function for each error, so that all messages are in
//! one place.

use spirvkit_binary::NumberType;
use spirvkit_diagnostics::{
    Diagnostic, Kind, Location, Span, closest, counted, visible, with_article,
};
use spirvkit_grammar::{
    Enumeration, FPEncoding, InstructionInfo, Op, OperandInfo, OperandKind, Version,
};

use crate::kinds;
use crate::number::NumberError;

/// Whether to search for the name that was meant. This takes much longer than detecting the
/// error, and it is of no use for the thousandth one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look(pub(super) bool);

impl Look {
    /// The candidate that is most similar to a name, if a search is worth it.
    fn for_like<'c>(
        self,
        name: &str,
        candidates: impl Iterator<Item = &'c str>,
    ) -> Option<&'c str> {
        match self.0 {
            true => closest(name, candidates),
            false => None,
        }
    }
}

/// The name of an instruction in messages.
pub(super) type Name = &'static str;

fn lookup(kind: &Kind, message: String, suggestion: Option<String>) -> Diagnostic {
    let diagnostic = kind.error(message);
    match suggestion {
        Some(name) => diagnostic.with_help(format!("did you mean `{name}`?")),
        None => diagnostic,
    }
}

/// A piece of the text as messages quote it: in backticks, with escapes for
/// control characters, and cut where it gets long.
fn quoted(text: &str) -> String {
    const MAX_LENGTH: usize = 60;
    let mut quoted = String::from("`");
    let mut length = 0;
    let mut buffer = [0; 4];
    for c in text.chars() {
        let before = quoted.len();
        let shown = visible(c.encode_utf8(&mut buffer));
        quoted.push_str(&shown);
        length += shown.chars().count();
        if length > MAX_LENGTH {
            quoted.truncate(before);
            quoted.push('…');
            break;
        }
    }
    quoted.push('`');
    quoted
}

/// A token as messages quote it; the last one is empty.
fn quoted_or_end(token: &str) -> String {
    match token {
        "" => "the end of the text".to_owned(),
        _ => quoted(token),
    }
}

pub(super) fn expected_instruction(found: &str) -> Diagnostic {
    let found = quoted(found);
    kinds::EXPECTED_INSTRUCTION.error(format!(
        "expected an instruction, which starts with an opcode name or `%id =`, found {found}"
    ))
}

pub(super) fn surplus_operand(found: &str, previous: Name) -> Diagnostic {
    let found = quoted(found);
    kinds::SURPLUS_OPERAND.error(format!(
        "{previous} has no more operands, but {found} follows"
    ))
}

pub(super) fn expected_opcode(found: &str) -> Diagnostic {
    let found = quoted_or_end(found);
    kinds::EXPECTED_OPCODE.error(format!("expected an opcode name after `=`, found {found}"))
}

pub(super) fn dangling_id(id: &str) -> Diagnostic {
    let id = quoted(id);
    kinds::EXPECTED_EQUALS.error(format!("expected `=` and an opcode name after {id}"))
}

pub(super) fn stray_equals() -> Diagnostic {
    kinds::STRAY_EQUALS
        .error("`=` is allowed only between a result id and an opcode name".to_owned())
}

pub(super) fn unknown_opcode(name: &str, look: Look) -> Diagnostic {
    let bare = name.strip_prefix("Op").unwrap_or(name);
    let suggestion = look.for_like(bare, Op::bare_names());
    let suggestion = suggestion.map(|bare| format!("Op{bare}"));
    lookup(
        &kinds::UNKNOWN_OPCODE,
        format!("{} is not a known instruction", quoted(name)),
        suggestion,
    )
}

pub(super) fn wrong_version(info: &InstructionInfo, target: Version) -> Diagnostic {
    let availability = info.availability();
    let range = match (availability.since(), availability.until()) {
        (Some(since), Some(until)) => format!("is available only in versions {since} to {until}"),
        (Some(since), None) => format!("needs version {since}"),
        _ => "is not available in any version".to_owned(),
    };
    kinds::WRONG_VERSION.error(format!(
        "{} {range}, but the target is version {target}",
        info.name()
    ))
}

pub(super) fn missing_result(op: Name) -> Diagnostic {
    kinds::MISSING_RESULT.error(format!("{op} has a result: write `%id = {op}`"))
}

pub(super) fn unwanted_result(op: Name) -> Diagnostic {
    kinds::UNWANTED_RESULT.error(format!(
        "{op} has no result, so it can't have `%id =` before it"
    ))
}

pub(super) fn bad_id(found: &str) -> Diagnostic {
    let found = quoted(found);
    kinds::BAD_ID.error(format!(
        "{found} is not an id: `%` must be followed by letters, digits and underscores"
    ))
}

pub(super) fn missing_operand(op: Name, operand: &OperandInfo) -> Diagnostic {
    kinds::MISSING_OPERAND.error(format!("{op} is missing its {}", operand_name(operand)))
}

/// `Memory Model` as the specification names it, else the kind in words.
fn operand_name(operand: &OperandInfo) -> String {
    let description = operand.kind().description();
    match operand.name() {
        "" => description.to_owned(),
        name => format!("operand `{name}` ({description})"),
    }
}

pub(super) fn expected_id(op: Name, kind: OperandKind, found: &str) -> Diagnostic {
    let found = quoted(found);
    let what = with_article(kind.description());
    kinds::EXPECTED_ID.error(format!(
        "{op} needs {what} here, starting with `%`, but found {found}"
    ))
}

pub(super) fn open_string() -> Diagnostic {
    kinds::OPEN_STRING.error("the string that starts here has no closing `\"`".to_owned())
}

pub(super) fn nul_in_string() -> Diagnostic {
    kinds::NUL_IN_STRING
        .error("a string can't contain a NUL, which would terminate it in the module".to_owned())
}

pub(super) fn expected_string(op: Name, found: &str) -> Diagnostic {
    let found = quoted(found);
    kinds::EXPECTED_STRING.error(format!(
        "{op} needs a string in double quotes here, but found {found}"
    ))
}

/// A type as messages name it.
fn type_name(ty: NumberType) -> String {
    match ty {
        NumberType::Integer {
            width,
            signed: true,
        } => format!("signed {width}-bit integer"),
        NumberType::Integer {
            width,
            signed: false,
        } => format!("unsigned {width}-bit integer"),
        NumberType::Float(format) => format!("{}-bit floating-point number", format.width()),
    }
}

pub(super) fn bad_number(found: &str, ty: NumberType, error: NumberError) -> Diagnostic {
    let found = quoted(found);
    let ty = with_article(&type_name(ty));
    match error {
        NumberError::Malformed => kinds::BAD_NUMBER.error(format!("expected {ty}, found {found}")),
        NumberError::Negative => {
            kinds::NEGATIVE_NUMBER.error(format!("{found} is negative, but this is {ty}"))
        }
        NumberError::OutOfRange => {
            kinds::NUMBER_OUT_OF_RANGE.error(format!("{found} does not fit in {ty}"))
        }
    }
}

pub(super) fn untyped_literal(op: Name, id: &str) -> Diagnostic {
    let id = quoted(id);
    kinds::UNTYPED_LITERAL.error(format!(
            "the literal of {op} can't be read: {id} must be an integer or floating-point type of at most 64 bits \
             that is defined before it"
        ),
    )
}

pub(super) fn bad_selector(id: &str) -> Diagnostic {
    let id = quoted(id);
    kinds::BAD_SELECTOR.error(format!(
            "the literals of OpSwitch can't be read: the type of {id} must be a scalar integer type that is defined \
             before it"
        ),
    )
}

pub(super) fn unknown_enumerant(kind: OperandKind, name: &str, look: Look) -> Diagnostic {
    let what = with_article(kind.description());
    let elsewhere = OperandKind::all().find(|other| other.enumerant_by_name(name).is_some());
    let diagnostic = lookup(
        &kinds::UNKNOWN_ENUMERANT,
        format!("{} is not {what}", quoted(name)),
        look.for_like(name, kind.enumerant_names())
            .map(str::to_owned),
    );
    match elsewhere {
        Some(other) if diagnostic.help().is_none() => diagnostic.with_help(format!(
            "{} is {}",
            quoted(name),
            with_article(other.description())
        )),
        _ => diagnostic,
    }
}

pub(super) fn not_an_import(id: &str) -> Diagnostic {
    let id = quoted(id);
    kinds::NOT_AN_IMPORT.error(format!(
        "{id} is not an extended instruction set: no OpExtInstImport before it defines it"
    ))
}

pub(super) fn unknown_ext_inst(
    set: Option<spirvkit_grammar::ExtInstSet>,
    name: &str,
    look: Look,
) -> Diagnostic {
    let Some(set) = set else {
        return lookup(
            &kinds::UNKNOWN_EXT_INST,
            format!(
                "{name} is not a number, but the instructions of this extended instruction set have no names",
                name = quoted(name)
            ),
            None,
        );
    };
    let names = set.instructions().iter().map(InstructionInfo::name);
    lookup(
        &kinds::UNKNOWN_EXT_INST,
        format!("{} is not an instruction of {set}", quoted(name)),
        look.for_like(name, names).map(str::to_owned),
    )
}

pub(super) fn unknown_spec_constant_op(name: &str, look: Look) -> Diagnostic {
    let suggestion = look.for_like(name.strip_prefix("Op").unwrap_or(name), Op::bare_names());
    lookup(
        &kinds::UNKNOWN_SPEC_CONSTANT_OP,
        format!("{} is not an opcode name without its `Op`", quoted(name)),
        suggestion.map(str::to_owned),
    )
}

pub(super) fn nested_spec_constant_op() -> Diagnostic {
    kinds::NESTED_SPEC_CONSTANT_OP.error(
        "an OpSpecConstantOp can't have another OpSpecConstantOp as its operation".to_owned(),
    )
}

pub(super) fn too_many_errors(errors: usize) -> Diagnostic {
    kinds::TOO_MANY_TEXT_ERRORS.error(format!(
        "gave up after {}; the rest of the text was not checked",
        counted(errors, "error")
    ))
}

/// `count` errors are not reported.
pub(super) fn more_errors(count: usize) -> Diagnostic {
    let more = counted(count, "more error");
    kinds::TOO_MANY_TEXT_ERRORS.error(format!(
        "there are {more} after this point, too many to list for a text of this size"
    ))
}

/// `expected` is what the comment can say.
pub(super) fn bad_header_comment(key: &str, expected: &str, value: &str) -> Diagnostic {
    let value = quoted(value);
    kinds::BAD_HEADER_COMMENT.warning(format!(
        "the header comment `{key}` is ignored: {value} is not {expected}"
    ))
}

/// `similar` is the name of an id that is defined.
pub(super) fn undefined_id(id: &str, similar: Option<&str>) -> Diagnostic {
    let warning = kinds::UNDEFINED_ID.warning(format!("no instruction defines {}", quoted(id)));
    match similar {
        Some(name) => warning.with_help(format!("did you mean `%{name}`?")),
        None => warning,
    }
}

/// `count` ids are not reported.
pub(super) fn more_undefined_ids(count: usize) -> Diagnostic {
    let more = counted(count, "more id");
    kinds::UNDEFINED_ID.warning(format!(
        "no instruction defines this id either; {more} of this kind are not listed"
    ))
}

pub(super) fn too_many_undefined_ids(reported: usize) -> Diagnostic {
    kinds::UNDEFINED_ID.warning(format!(
        "no instruction defines this id either; after {reported} such ids, the rest are not listed"
    ))
}

pub(super) fn bad_float_type(width: u32, encoding: FPEncoding) -> Diagnostic {
    let message = match encoding.name() {
        Some(name) => {
            format!("a floating-point type with the encoding {name} can't have {width} bits")
        }
        None => format!(
            "{} is not a known encoding of a floating-point type",
            encoding.0
        ),
    };
    kinds::BAD_FLOAT_TYPE.error(message)
}

/// `earlier` is where the id is defined first, if that is known.
pub(super) fn redefinition(id: &str, earlier: Option<Span>) -> Diagnostic {
    let diagnostic = kinds::REDEFINITION.error(format!(
        "{} is already the result of an earlier instruction",
        quoted(id)
    ));
    match earlier {
        Some(span) => diagnostic.with_label(Location::Span(span), "it is defined here"),
        None => diagnostic,
    }
}

pub(super) fn bad_immediate(found: &str) -> Diagnostic {
    let found = quoted(found);
    kinds::BAD_IMMEDIATE.error(format!(
        "expected `!` and an unsigned 32-bit integer, found {found}"
    ))
}

pub(super) fn bad_raw_operand(found: &str) -> Diagnostic {
    let found = quoted(found);
    kinds::BAD_RAW_OPERAND.error(format!(
            "after a `!` word, an operand must be a 32-bit number, a string, an id or another `!` word, but found \
             {found}"
        ),
    )
}

pub(super) fn unknown_syntax(expected: &str, found: &str) -> Diagnostic {
    let found = quoted_or_end(found);
    kinds::BAD_UNKNOWN_OPCODE.error(format!(
        "expected {expected} in `OpUnknown(opcode, word count)`, found {found}"
    ))
}

pub(super) fn unknown_count(count: u32, found: usize) -> Diagnostic {
    kinds::BAD_UNKNOWN_OPCODE.error(format!(
        "the word count of OpUnknown is {count}, but with its operands the instruction has {}",
        counted(found, "word")
    ))
}

pub(super) fn too_long(error: spirvkit_binary::InstructionTooLong) -> Diagnostic {
    kinds::INSTRUCTION_TOO_LONG.error(error.to_string())
}

#[cfg(test)]
mod tests {
    use spirvkit_diagnostics::ErrorClass;
    use spirvkit_grammar::OperandKind;

    use super::*;

    #[test]
    fn quotations_are_short_and_printable() {
        let sixty = "é".repeat(60);
        for (text, expected) in [
            ("", "``".to_owned()),
            ("%a", "`%a`".to_owned()),
            (
                "a\0b\n\u{1b}\u{85}é",
                "`a\\u0000b\\u000a\\u001b\\u0085é`".to_owned(),
            ),
            (&sixty, format!("`{sixty}`")),
            (&format!("{sixty}x"), format!("`{sixty}…`")),
            // An escape is shown whole or not at all.
            (
                &format!("{}\0", "x".repeat(54)),
                format!("`{}\\u0000`", "x".repeat(54)),
            ),
            (
                &format!("{}\0", "x".repeat(55)),
                format!("`{}…`", "x".repeat(55)),
            ),
        ] {
            assert_eq!(quoted(text), expected, "{text:?}");
        }
    }

    #[test]
    fn messages_quote_no_more_than_the_start_of_a_token() {
        let token = "x\0\n".repeat(700_000);
        let token = token.as_str();
        let uint = NumberType::Integer {
            width: 32,
            signed: false,
        };
        let operand = OperandKind::IdRef;
        let glsl = spirvkit_grammar::ExtInstSet::from_import_name("GLSL.std.450");
        assert!(glsl.is_some());
        let diagnostics = [
            expected_instruction(token),
            surplus_operand(token, "OpNop"),
            expected_opcode(token),
            dangling_id(token),
            unknown_opcode(token, Look(true)),
            bad_id(token),
            expected_id("OpNop", operand, token),
            expected_string("OpNop", token),
            bad_number(token, uint, NumberError::Malformed),
            bad_number(token, uint, NumberError::Negative),
            bad_number(token, uint, NumberError::OutOfRange),
            untyped_literal("OpConstant", token),
            bad_selector(token),
            unknown_enumerant(OperandKind::Capability, token, Look(true)),
            not_an_import(token),
            unknown_ext_inst(None, token, Look(true)),
            unknown_ext_inst(glsl, token, Look(true)),
            unknown_spec_constant_op(token, Look(true)),
            bad_header_comment("Bound", "a number", token),
            redefinition(token, None),
            bad_immediate(token),
            bad_raw_operand(token),
            unknown_syntax("`(`", token),
        ];
        for diagnostic in diagnostics {
            let message = diagnostic.message();
            assert!(message.chars().count() < 300, "{message}");
            assert!(!message.contains(char::is_control), "{message:?}");
            assert!(
                message.contains("x\\u0000\\u000ax") && message.contains("…`"),
                "{message}"
            );
            assert_eq!(diagnostic.help(), None, "{message}");
        }
    }

    #[test]
    fn numbers_that_do_not_fit_are_invalid_values() {
        let uint = NumberType::Integer {
            width: 32,
            signed: false,
        };
        for (error, class) in [
            (NumberError::Malformed, ErrorClass::InvalidText),
            (NumberError::Negative, ErrorClass::InvalidValue),
            (NumberError::OutOfRange, ErrorClass::InvalidValue),
        ] {
            assert_eq!(bad_number("-5", uint, error).class(), class);
        }
    }

    #[test]
    fn a_redefinition_points_at_the_definition() {
        let span = Span { start: 3, end: 5 };
        let diagnostic = redefinition("%a", Some(span));
        let labels = diagnostic.labels();
        assert_eq!(labels.len(), 1);
        assert_eq!(labels[0].location, Location::Span(span));
        assert_eq!(labels[0].message, "it is defined here");
        assert!(redefinition("%a", None).labels().is_empty());
    }
}
