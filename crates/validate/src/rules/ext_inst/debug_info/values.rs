//! What the numbers in debugging instructions say: enumerations, flags, operations.

use std::collections::BTreeMap;

use spirvkit_binary::Id;
use spirvkit_diagnostics::counted;
use spirvkit_diagnostics::with_article;
use spirvkit_grammar::{
    Category, ExtInstSet, FPEncoding, OperandKind,
    ShaderDebugInfoDebugBaseTypeAttributeEncoding as Encoding,
    ShaderDebugInfoDebugInfoFlags as Flags,
};

use super::index::{Entry, Index};
use super::number::*;
use crate::finding::{CheckResult, Reporter};
use crate::module::Lookup;
use crate::rules::generated::debug_info;
use spirvkit_grammar::debug_info::{Field, Kind, Set, Slot};

/// Checks the numbers of all debugging instructions.
pub(super) fn check(index: &Index<'_, '_>, reporter: &mut Reporter) {
    // Many can have one long identifier, which is read once.
    let mut identifiers = BTreeMap::new();
    for entry in &index.entries {
        if entry.set.is_non_semantic() {
            reporter.note(enumerants(index, entry));
        }
        reporter.note(flags(index, entry));
        match entry.number {
            OPERATION => reporter.note(operation(index, entry)),
            TYPE_BASIC => reporter.note(fp_encoding(index, entry)),
            BUILD_IDENTIFIER => reporter.note(identifier(index, entry, &mut identifiers)),
            _ => {}
        }
        if reporter.is_full() {
            return;
        }
    }
}

/// The enumeration that a constant stands for.
fn enumeration(kind: Kind, slot: &Slot) -> Option<OperandKind> {
    match (kind, slot.field()) {
        (Kind::TypeBasic, Field::FpEncoding) => Some(OperandKind::FPEncoding),
        (Kind::TypeCooperativeMatrixKHR, Field::Scope) => Some(OperandKind::Scope),
        _ => slot.values(),
    }
    .filter(|values| values.category() == Category::ValueEnum)
}

fn enumerants(index: &Index<'_, '_>, entry: &Entry<'_>) -> CheckResult {
    let Some(kind) = Kind::from_number(entry.number) else {
        return Ok(());
    };
    for slot in Set::Shader.fields(kind).unwrap_or_default() {
        let Some(values) = enumeration(kind, slot) else {
            continue;
        };
        let Some(value) = index.value(entry, slot.field()) else {
            continue;
        };
        let is_known = u32::try_from(value).is_ok_and(|value| values.enumerant(value).is_some());
        if !is_known {
            let message = format!(
                "{} has {value}, which is not {}",
                index.title(entry),
                with_article(values.description())
            );
            return Err(index.finding(entry, &debug_info::ENUMERANT, message));
        }
    }
    Ok(())
}

fn flags(index: &Index<'_, '_>, entry: &Entry<'_>) -> CheckResult {
    let Some(bits) = index.value(entry, Field::Flags) else {
        return Ok(());
    };
    let kind = match entry.number {
        BUILD_IDENTIFIER => OperandKind::ShaderDebugInfoBuildIdentifierFlags,
        _ => OperandKind::ShaderDebugInfoDebugInfoFlags,
    };
    if entry.set.is_non_semantic() {
        let known = kind.enumerants().iter();
        let known = known.fold(0, |known, each| known | u64::from(each.value()));
        if bits & !known != 0 {
            let unknown = bits & !known;
            let message = format!(
                "{} has flags with unknown bits: {unknown:#x}",
                index.title(entry)
            );
            return Err(index.finding(entry, &debug_info::FLAGS, message));
        }
    }
    if entry.number == BUILD_IDENTIFIER {
        return Ok(());
    }
    let has = |flag: Flags| bits & u64::from(flag.0) != 0;
    let apart = [
        (Flags::FlagLValueReference, Flags::FlagRValueReference),
        (Flags::FlagTypePassByValue, Flags::FlagTypePassByReference),
    ];
    if let Some((one, other)) = apart.iter().find(|pair| has(pair.0) && has(pair.1)) {
        let message = format!("{} has both `{one}` and `{other}`", index.title(entry));
        return Err(index.finding(entry, &debug_info::FLAGS_APART, message));
    }
    let members = index.words_from(entry, Field::Members);
    let misplaced = match entry.number {
        FUNCTION_DECLARATION if has(Flags::FlagIsDefinition) => {
            "DebugFunctionDeclaration has `FlagIsDefinition`, but is not a definition".to_owned()
        }
        TYPE_COMPOSITE if has(Flags::FlagFwdDecl) && !members.is_empty() => {
            "DebugTypeComposite has `FlagFwdDecl`, so it is only declared, but it has members"
                .to_owned()
        }
        number if number != TYPE_ENUM && has(Flags::FlagIsEnumClass) => {
            format!(
                "{} has `FlagIsEnumClass`, but is not an enumeration",
                index.title(entry)
            )
        }
        _ => return Ok(()),
    };
    Err(index.finding(entry, &debug_info::FLAG_PLACE, misplaced))
}

/// The table of operations that a set has.
fn operations(set: ExtInstSet) -> OperandKind {
    match set {
        ExtInstSet::DebugInfo => OperandKind::DebugInfoDebugOperation,
        ExtInstSet::OpenClDebugInfo100 => OperandKind::OpenClDebugInfo100DebugOperation,
        _ => OperandKind::ShaderDebugInfoDebugOperation,
    }
}

fn operation(index: &Index<'_, '_>, entry: &Entry<'_>) -> CheckResult {
    let value = index.value(entry, Field::OpCode);
    let value = value.and_then(|value| u32::try_from(value).ok());
    let Some(info) = value.and_then(|value| operations(entry.set).enumerant(value)) else {
        return Ok(());
    };
    let expected = info.parameters().len();
    let found = index.words_from(entry, Field::OpCode).len() - 1;
    if found == expected {
        return Ok(());
    }
    let message = format!(
        "the operation {} needs {}, but has {found}",
        info.name(),
        counted(expected, "operand")
    );
    Err(index.finding(entry, &debug_info::OPERATION, message))
}

fn fp_encoding(index: &Index<'_, '_>, entry: &Entry<'_>) -> CheckResult {
    // Version 100 doesn't have the operand.
    let Some(format) = index.value(entry, Field::FpEncoding) else {
        return Ok(());
    };
    let encoding = index.value(entry, Field::Encoding);
    if encoding.is_some_and(|encoding| encoding != u64::from(Encoding::Float.0)) {
        let message = "the type has an encoding for floating-point numbers, but is not a `Float`";
        return Err(index.finding(entry, &debug_info::FP_ENCODING, message));
    }
    let Ok(format) = u32::try_from(format).map(FPEncoding) else {
        return Ok(());
    };
    let expected = match format {
        FPEncoding::BFloat16KHR => 16,
        FPEncoding::Float8E4M3EXT | FPEncoding::Float8E5M2EXT => 8,
        _ => return Ok(()),
    };
    let size = index.id(entry, Field::Size);
    let size = size.and_then(|size| index.m.constant_u64(size));
    match size {
        Some(size) if size != expected => {
            let message =
                format!("a number in {format} has {expected} bits, but the type has {size}");
            Err(index.finding(entry, &debug_info::FP_ENCODING, message))
        }
        _ => Ok(()),
    }
}

/// Checks an identifier of a build; `known` are those strings that were read, and whether
/// they are digits.
fn identifier(
    index: &Index<'_, '_>,
    entry: &Entry<'_>,
    known: &mut BTreeMap<Id, bool>,
) -> CheckResult {
    let Some(id) = index.id(entry, Field::Identifier) else {
        return Ok(());
    };
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let are_digits = || {
        let text = index.m.def(id).and_then(|def| def.string(0));
        text.is_none_or(|text| text.bytes().all(is_digit))
    };
    if *known.entry(id).or_insert_with(are_digits) {
        return Ok(());
    }
    let message = "the build identifier must have only lower-case hexadecimal digits";
    Err(index.finding(entry, &debug_info::BUILD_IDENTIFIER, message))
}
