//! What can be wrong with a text: one function a rule, so that all messages
//! stand together.

use spirvkit_binary::NumberType;
use spirvkit_diagnostics::{Diagnostic, ErrorClass};
use spirvkit_grammar::{
    Enumeration, FPEncoding, InstructionInfo, Op, OperandInfo, OperandKind, Version,
};

use super::suggest::closest;
use crate::number::NumberError;

/// The name of an instruction in messages.
pub(super) type Name = &'static str;

fn text(rule: &'static str, message: String) -> Diagnostic {
    Diagnostic::error(rule, ErrorClass::InvalidText, message)
}

fn lookup(rule: &'static str, message: String, suggestion: Option<String>) -> Diagnostic {
    let diagnostic = Diagnostic::error(rule, ErrorClass::InvalidLookup, message);
    match suggestion {
        Some(name) => diagnostic.with_help(format!("did you mean `{name}`?")),
        None => diagnostic,
    }
}

pub(super) fn expected_instruction(found: &str) -> Diagnostic {
    text(
        "text.expected-instruction",
        format!(
            "expected an instruction, which starts with an opcode name or `%id =`, found `{found}`"
        ),
    )
}

pub(super) fn surplus_operand(found: &str, previous: Name) -> Diagnostic {
    text(
        "text.surplus-operand",
        format!("{previous} takes no further operand, but `{found}` follows it"),
    )
}

pub(super) fn expected_opcode(found: &str) -> Diagnostic {
    let found = if found.is_empty() {
        "the end of the text".to_owned()
    } else {
        format!("`{found}`")
    };
    text(
        "text.expected-opcode",
        format!("expected an opcode name after `=`, found {found}"),
    )
}

pub(super) fn dangling_id(id: &str) -> Diagnostic {
    text(
        "text.expected-equals",
        format!("expected `=` and an opcode name after `{id}`"),
    )
}

pub(super) fn stray_equals() -> Diagnostic {
    text(
        "text.stray-equals",
        "`=` can only follow the result id of an instruction with an opcode name".to_owned(),
    )
}

pub(super) fn unknown_opcode(name: &str) -> Diagnostic {
    let bare = name.strip_prefix("Op").unwrap_or(name);
    let suggestion = closest(bare, Op::bare_names()).map(|bare| format!("Op{bare}"));
    lookup(
        "text.unknown-opcode",
        format!("`{name}` is not a known instruction"),
        suggestion,
    )
}

pub(super) fn wrong_version(info: &InstructionInfo, target: Version) -> Diagnostic {
    let availability = info.availability();
    let range = match (availability.since(), availability.until()) {
        (Some(since), Some(until)) => format!("is in versions {since} to {until} only"),
        (Some(since), None) => format!("needs version {since}"),
        _ => "is in no version".to_owned(),
    };
    Diagnostic::error(
        "text.wrong-version",
        ErrorClass::WrongVersion,
        format!(
            "{} {range}, but the target is version {target}",
            info.name()
        ),
    )
}

pub(super) fn missing_result(op: Name) -> Diagnostic {
    text(
        "text.missing-result",
        format!("{op} has a result: write `%id = {op}`"),
    )
}

pub(super) fn unwanted_result(op: Name) -> Diagnostic {
    text(
        "text.unwanted-result",
        format!("{op} has no result, so `%id =` can't stand before it"),
    )
}

pub(super) fn bad_id(found: &str) -> Diagnostic {
    text(
        "text.bad-id",
        format!("`{found}` is not an id: `%` is followed by letters, digits and underscores"),
    )
}

pub(super) fn missing_operand(op: Name, operand: &OperandInfo) -> Diagnostic {
    text(
        "text.missing-operand",
        format!("{op} lacks its {}", operand_name(operand)),
    )
}

/// `Memory Model` as the specification names it, else the kind in words.
fn operand_name(operand: &OperandInfo) -> String {
    let description = operand.kind().description();
    match operand.name() {
        "" => description.to_owned(),
        name => format!("operand \u{201c}{name}\u{201d} ({description})"),
    }
}

pub(super) fn expected_id(op: Name, kind: OperandKind, found: &str) -> Diagnostic {
    text(
        "text.expected-id",
        format!(
            "{op} takes an id here ({}), which starts with `%`; found `{found}`",
            kind.description()
        ),
    )
}

pub(super) fn open_string() -> Diagnostic {
    text(
        "text.open-string",
        "the string that starts here has no closing `\"`".to_owned(),
    )
}

pub(super) fn nul_in_string() -> Diagnostic {
    text(
        "text.nul-in-string",
        "a string can't hold a NUL, which would end it in the module".to_owned(),
    )
}

pub(super) fn expected_string(op: Name, found: &str) -> Diagnostic {
    text(
        "text.expected-string",
        format!("{op} takes a string in double quotes here, found `{found}`"),
    )
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
    let ty = type_name(ty);
    match error {
        NumberError::Malformed => text(
            "text.bad-number",
            format!("expected {} {ty}, found `{found}`", article(&ty)),
        ),
        NumberError::Negative => text(
            "text.negative-number",
            format!("`{found}` is negative, but this is {} {ty}", article(&ty)),
        ),
        NumberError::OutOfRange => text(
            "text.number-out-of-range",
            format!("`{found}` does not fit in {} {ty}", article(&ty)),
        ),
    }
}

fn article(noun: &str) -> &'static str {
    if noun.starts_with(['u', '8']) {
        "an"
    } else {
        "a"
    }
}

pub(super) fn untyped_literal(op: Name, id: &str) -> Diagnostic {
    text(
        "text.untyped-literal",
        format!(
            "the literal of {op} can't be read: `{id}` is not an integer or floating-point type of at most 64 bits, defined before"
        ),
    )
}

pub(super) fn bad_selector(id: &str) -> Diagnostic {
    text(
        "text.bad-selector",
        format!(
            "the literals of OpSwitch can't be read: `{id}` is not a scalar integer that is defined before"
        ),
    )
}

pub(super) fn unknown_enumerant(kind: OperandKind, name: &str) -> Diagnostic {
    let what = kind.description();
    let elsewhere = OperandKind::all().find(|other| other.enumerant_by_name(name).is_some());
    let diagnostic = lookup(
        "text.unknown-enumerant",
        format!("`{name}` is not a {what}"),
        closest(name, kind.enumerant_names()).map(str::to_owned),
    );
    match elsewhere {
        Some(other) if diagnostic.help().is_none() => {
            diagnostic.with_help(format!("`{name}` is a {}", other.description()))
        }
        _ => diagnostic,
    }
}

pub(super) fn not_an_import(id: &str) -> Diagnostic {
    text(
        "text.not-an-import",
        format!("`{id}` is not an extended instruction set: no OpExtInstImport defines it before"),
    )
}

pub(super) fn unknown_ext_inst(
    set: Option<spirvkit_grammar::ExtInstSet>,
    name: &str,
) -> Diagnostic {
    let Some(set) = set else {
        return lookup(
            "text.unknown-ext-inst",
            format!(
                "`{name}` is not a number, but the instructions of this extended instruction set are known by number only"
            ),
            None,
        );
    };
    let names = set.instructions().iter().map(InstructionInfo::name);
    lookup(
        "text.unknown-ext-inst",
        format!("`{name}` is not an instruction of {set}"),
        closest(name, names).map(str::to_owned),
    )
}

pub(super) fn unknown_spec_constant_op(name: &str) -> Diagnostic {
    let suggestion = closest(name.strip_prefix("Op").unwrap_or(name), Op::bare_names());
    lookup(
        "text.unknown-spec-constant-op",
        format!("`{name}` is not the name of an instruction without its `Op`"),
        suggestion.map(str::to_owned),
    )
}

pub(super) fn nested_spec_constant_op() -> Diagnostic {
    text(
        "text.nested-spec-constant-op",
        "an OpSpecConstantOp can't compute another OpSpecConstantOp".to_owned(),
    )
}

pub(super) fn too_many_errors(errors: usize) -> Diagnostic {
    text(
        "text.too-many-errors",
        format!("these {errors} errors are enough; what follows was not looked at"),
    )
}

pub(super) fn bad_header_comment(key: &str, value: &str) -> Diagnostic {
    Diagnostic::warning(
        "text.bad-header-comment",
        ErrorClass::InvalidText,
        format!("the header comment `{key}` is passed over: `{value}` is not what it can say"),
    )
}

pub(super) fn bad_float_type(width: u32, encoding: FPEncoding) -> Diagnostic {
    let message = match encoding.name() {
        Some(name) => {
            format!("a floating-point type with the encoding {name} can't be {width} bits wide")
        }
        None => format!(
            "{} is not a known encoding of a floating-point type",
            encoding.0
        ),
    };
    text("text.bad-float-type", message)
}

pub(super) fn redefinition(id: &str) -> Diagnostic {
    Diagnostic::error(
        "text.redefinition",
        ErrorClass::InvalidId,
        format!("`{id}` is the result of an earlier instruction already"),
    )
}

pub(super) fn bad_immediate(found: &str) -> Diagnostic {
    text(
        "text.bad-immediate",
        format!("expected `!` and an unsigned 32-bit integer, found `{found}`"),
    )
}

pub(super) fn bad_raw_operand(found: &str) -> Diagnostic {
    text(
        "text.bad-raw-operand",
        format!(
            "after a `!` word an operand is a number of 32 bits, a string, an id or another `!` word, not `{found}`"
        ),
    )
}

pub(super) fn unknown_syntax(expected: &str, found: &str) -> Diagnostic {
    let found = if found.is_empty() {
        "the end of the text".to_owned()
    } else {
        format!("`{found}`")
    };
    text(
        "text.bad-unknown-opcode",
        format!("expected {expected} in `OpUnknown(opcode, word count)`, found {found}"),
    )
}

pub(super) fn unknown_count(count: u32, found: usize) -> Diagnostic {
    text(
        "text.bad-unknown-opcode",
        format!(
            "OpUnknown says that the instruction has {count} words, but its operands make it {found}"
        ),
    )
}

pub(super) fn too_long(error: spirvkit_binary::InstructionTooLong) -> Diagnostic {
    text("text.instruction-too-long", error.to_string())
}
