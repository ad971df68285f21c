//! What the operands of debugging instructions are.

use spirvkit_binary::Id;
use spirvkit_grammar::debug_info::{Kind, Set};
use spirvkit_grammar::{ExtInstSet, Op};

use super::Dialect;
use super::number;
use super::schema::{self, Kinds, NONE, Operand, Row};
use crate::finding::{CheckResult, Finding, all};
use crate::module::{Inst, Lookup, Type};
use crate::rule::Rule;
use crate::rules::ext_inst::{Call, known_set};
use crate::rules::generated::debug_info;

/// Checks all operands of an instruction: first what is an error, then what is worth
/// a warning.
pub(super) fn check(call: &Call<'_, '_, '_>, dialect: &Dialect, row: &Row) -> CheckResult {
    let fixed = row.fixed.iter().copied().enumerate();
    let repeated = (row.fixed.len()..).zip(row.repeated.iter().copied().cycle());
    let all = fixed.chain(repeated);
    check_all(call, dialect, all)?;
    let beyond = row.beyond.iter().copied();
    let repeated = row.beyond_repeated.iter().copied().cycle();
    let beyond = beyond.chain((row.fixed.len()..).zip(repeated));
    check_all(call, dialect, beyond).map_err(Finding::warning)?;
    surplus(call, row).map_err(Finding::warning)
}

/// There are no operands behind those that the set's version gives an instruction.
fn surplus(call: &Call<'_, '_, '_>, row: &Row) -> CheckResult {
    // Of later versions it isn't known which operands they have added.
    let set = call
        .set
        .filter(|&set| set == ExtInstSet::ShaderDebugInfo100);
    let Some(info) = set.and_then(|set| set.instruction(call.number)) else {
        return Ok(());
    };
    let (expected, found) = (info.operands().len(), call.count());
    if !row.repeated.is_empty() || found <= expected {
        return Ok(());
    }
    let message = format!(
        "{} has {expected} operands in the imported version of the set, but here {found}",
        call.name()
    );
    Err(call.at.finding(&debug_info::SURPLUS, message))
}

/// Checks operands, given by their places among those of the set's instruction.
fn check_all(
    call: &Call<'_, '_, '_>,
    dialect: &Dialect,
    operands: impl Iterator<Item = (usize, Operand)>,
) -> CheckResult {
    let count = call.count();
    let operands = operands.take_while(|&(index, _)| index < count);
    all(operands.map(|(index, operand)| {
        let may_be_none = dialect.is_strict || takes_none(call, index, operand);
        match may_be_none && is_none(call, index) {
            true => Ok(()),
            false => check_operand(call, dialect, index, operand),
        }
    }))
}

/// The number of a debugging instruction of the set that the call is from.
fn debug_number(call: &Call<'_, '_, '_>, def: Inst<'_>) -> Option<u32> {
    if !def.op().is_ext_inst() {
        return None;
    }
    let set = def.id(0);
    let same = set == call.at.id(0)
        || known_set(call.m(), set).is_some_and(|known| call.set == Some(known));
    same.then(|| def.arg(1))
}

fn is_uint_constant(call: &Call<'_, '_, '_>, def: Inst<'_>) -> bool {
    def.op() == Op::Constant
        && matches!(
            call.m().ty(def.result_type().unwrap_or(Id(0))),
            Type::Int {
                width: 32,
                signed: false
            }
        )
}

fn is_integer(ty: Type<'_>) -> bool {
    matches!(ty, Type::Int { .. })
}

fn is_zero(call: &Call<'_, '_, '_>, id: Id) -> bool {
    call.m().constant_u64(id) == Some(0)
}

/// Whether a `DebugGlobalVariable` or `DebugLocalVariable` is of a basic type;
/// with `unsigned`, of an unsigned integer of 32 or 64 bits.
fn is_integer_variable(call: &Call<'_, '_, '_>, def: Inst<'_>, unsigned: bool) -> bool {
    // Characters are other encodings, though they are integers, too.
    const SIGNED: u64 = 4;
    const UNSIGNED: u64 = 6;
    let m = call.m();
    let ty = m.def(def.id(3));
    let Some(ty) = ty.filter(|&ty| debug_number(call, ty) == Some(number::TYPE_BASIC)) else {
        return false;
    };
    let encoding = match call.set {
        Some(ExtInstSet::OpenClDebugInfo100) => Some(u64::from(ty.arg(4))),
        _ => m.constant_u64(ty.id(4)),
    };
    let Some(encoding) = encoding else {
        return false;
    };
    match unsigned {
        true => encoding == UNSIGNED && matches!(m.constant_u64(ty.id(3)), Some(32 | 64)),
        false => matches!(encoding, SIGNED | UNSIGNED),
    }
}

/// The tag of a debugging composite.
fn composite_tag(call: &Call<'_, '_, '_>, def: Inst<'_>) -> Option<u64> {
    let is_composite = debug_number(call, def) == Some(number::TYPE_COMPOSITE);
    let is_literal = call.set.is_some_and(|set| !set.is_non_semantic());
    match is_literal {
        _ if !is_composite => None,
        true => Some(u64::from(def.arg(3))),
        false => call.m().constant_u64(def.id(3)),
    }
}

/// Whether an operand is the id of nothing but a debugging instruction.
fn is_debug_id(operand: Operand) -> bool {
    matches!(
        operand,
        Operand::Debug(_)
            | Operand::DebugOrVoid(_)
            | Operand::ClassOrStructure
            | Operand::TextOr(_)
    )
}

/// Whether `DebugInfoNone` may stand for an operand in the sets that others check, too:
/// it may take the place of whatever debugging instruction was removed, and of other
/// ids where the instruction's own text says so. Numbers are there always.
fn takes_none(call: &Call<'_, '_, '_>, index: usize, operand: Operand) -> bool {
    let is_number = matches!(operand, Operand::Uint | Operand::SpecUint | Operand::Count);
    !is_number && (is_debug_id(operand) || is_named(call, index))
}

/// Whether `DebugInfoNone` may stand for an operand without further ado.
fn is_named(call: &Call<'_, '_, '_>, index: usize) -> bool {
    let set = call.set.and_then(Set::of);
    set.zip(Kind::from_number(call.number))
        .is_some_and(|(set, kind)| {
            let slot = set.slot(kind, index);
            slot.is_some_and(|slot| set.takes_none(kind, slot.field()))
        })
}

/// Whether an operand is a `DebugInfoNone`.
fn is_none(call: &Call<'_, '_, '_>, index: usize) -> bool {
    let def = call.m().def(call.id(index));
    def.is_some_and(|def| debug_number(call, def).is_some_and(|number| NONE.contains(number)))
}

fn check_operand(
    call: &Call<'_, '_, '_>,
    dialect: &Dialect,
    index: usize,
    operand: Operand,
) -> CheckResult {
    let m = call.m();
    match operand {
        Operand::Any => return Ok(()),
        Operand::LiteralCount => {
            let count = call.word(index);
            return match matches!(count, 1..=4 | 8 | 16) {
                true => Ok(()),
                false => {
                    let message = format!(
                        "{} must have 1 to 4, 8 or 16 components, but has {count}",
                        call.name()
                    );
                    Err(call.at.finding(&debug_info::COUNT, message))
                }
            };
        }
        _ => {}
    }
    let id = call.id(index);
    // What nothing defines has been told of.
    let Some(def) = m.def(id) else {
        return Ok(());
    };
    let op = def.op();
    let wrong = |rule: &'static Rule, expected: &str| -> CheckResult {
        Err(call.wrong_operand(rule, index, expected))
    };
    let is_debug =
        |kinds: Kinds| debug_number(call, def).is_some_and(|number| kinds.contains(number));
    let is_fine = |fine: bool, rule: &'static Rule, expected: &str| match fine {
        true => Ok(()),
        false => Err(call.wrong_operand(rule, index, expected)),
    };
    match operand {
        Operand::Any | Operand::LiteralCount => Ok(()),
        Operand::Text => is_fine(op == Op::String, dialect.text, "an OpString"),
        Operand::TextOr(kinds) => match op == Op::String || is_debug(kinds) {
            true => Ok(()),
            false => wrong(
                dialect.text,
                &format!("an OpString or {}", names(call, kinds)),
            ),
        },
        Operand::Uint => is_fine(
            is_uint_constant(call, def),
            &debug_info::UINT,
            "an OpConstant of a 32-bit unsigned integer",
        ),
        Operand::SpecUint => is_fine(
            m.is_constant(id)
                && matches!(
                    m.ty_of(id),
                    Type::Int {
                        width: 32,
                        signed: false
                    }
                ),
            &debug_info::UINT,
            "a constant or specialization constant of a 32-bit unsigned integer",
        ),
        Operand::Count => {
            if !is_uint_constant(call, def) {
                return wrong(
                    &debug_info::UINT,
                    "an OpConstant of a 32-bit unsigned integer",
                );
            }
            let fine = matches!(m.constant_u64(id), Some(1..=4));
            is_fine(fine, &debug_info::COUNT, "a number from 1 to 4")
        }
        Operand::Constant => is_fine(op == Op::Constant, dialect.constant, "an OpConstant"),
        Operand::IntegerConstant => is_fine(
            op == Op::Constant && is_integer(m.ty_of(id)),
            dialect.constant,
            "an OpConstant of an integer type",
        ),
        Operand::IntegerConstantOr(kinds) => is_fine(
            op == Op::Constant && is_integer(m.ty_of(id)) || is_debug(kinds),
            dialect.constant,
            "an OpConstant of an integer type",
        ),
        Operand::Amount => is_fine(
            op == Op::Constant || m.is_constant(id) && is_integer(m.ty_of(id)),
            dialect.constant,
            "a constant of an integer type",
        ),
        Operand::AnyConstant => is_fine(m.is_constant(id), dialect.constant, "a constant"),
        Operand::AnyIntegerConstant => is_fine(
            m.is_constant(id) && is_integer(m.ty_of(id)),
            dialect.constant,
            "a constant of an integer type",
        ),
        Operand::BoolConstant => is_fine(
            m.is_constant(id) && m.ty_of(id) == Type::Bool,
            dialect.constant,
            "a constant of the boolean type",
        ),
        Operand::Value => is_fine(
            m.type_of(id).is_some_and(|ty| !m.is_void(ty)),
            dialect.module_kind,
            "a value",
        ),
        Operand::Positive => is_fine(
            op == Op::Constant && matches!(m.constant_u64(id), Some(1..)),
            dialect.constant,
            "an OpConstant of an integer greater than 0",
        ),
        Operand::Debug(kinds) => match is_debug(kinds) {
            true => Ok(()),
            false => wrong(dialect.kind, &names(call, kinds)),
        },
        Operand::DebugOrVoid(kinds) => match op == Op::TypeVoid || is_debug(kinds) {
            true => Ok(()),
            false => wrong(
                dialect.kind,
                &format!("an OpTypeVoid or {}", names(call, kinds)),
            ),
        },
        Operand::ClassOrStructure => is_fine(
            // Class and structure have the tags 0 and 1, a union has 2.
            matches!(composite_tag(call, def), Some(0 | 1)),
            dialect.kind,
            "a DebugTypeComposite that is a class or a structure",
        ),
        Operand::Length | Operand::FixedLength => {
            let is_fixed = operand == Operand::FixedLength;
            let is_constant = match is_fixed {
                true => op == Op::Constant && !is_zero(call, id),
                false => m.is_constant(id),
            };
            let is_integer = matches!(m.ty_of(id), Type::Int { width: 32 | 64, .. });
            let fine = is_constant && is_integer
                || is_debug(VARIABLES) && is_integer_variable(call, def, true);
            is_fine(
                fine,
                &debug_info::ARRAY_LENGTH,
                "a constant integer of 32 or 64 bits or an unsigned variable of such a type",
            )
        }
        Operand::GlobalVariable => is_fine(
            op.is_variable()
                || m.is_constant(id)
                // The successors let an expression stand for what was optimized away.
                || !dialect.is_strict && is_debug(schema::EXPRESSIONS),
            dialect.module_kind,
            "an OpVariable or a constant",
        ),
        Operand::Variable => is_fine(
            matches!(
                op,
                Op::Variable | Op::UntypedVariableKHR | Op::FunctionParameter
            ),
            dialect.module_kind,
            "an OpVariable or OpFunctionParameter",
        ),
        Operand::Integer => is_fine(is_integer(m.ty_of(id)), &debug_info::INDEX, "an integer"),
        Operand::Index => {
            let is_constant = op == Op::Constant && is_integer(m.ty_of(id));
            let fine = is_constant || is_debug(VARIABLES) && is_integer_variable(call, def, false);
            is_fine(
                fine,
                &debug_info::INDEX,
                "an OpConstant of an integer type or a variable of one",
            )
        }
        Operand::Function => is_fine(op == Op::Function, dialect.module_kind, "an OpFunction"),
    }
}

const VARIABLES: Kinds = schema::VARIABLE_KINDS;

/// The names of debugging instructions for a message.
#[cold]
fn names(call: &Call<'_, '_, '_>, kinds: Kinds) -> String {
    let set = call.set.and_then(Set::of);
    let names: Vec<&str> = set
        .into_iter()
        .flat_map(|set| kinds.names_in(set))
        .collect();
    match names.split_last() {
        Some((last, [])) => format!("a {last}"),
        Some(_) if kinds == schema::EVERY_KIND => "a debugging instruction".to_owned(),
        // There are too many types to name them all.
        Some(_) if names.len() > 8 => "a debugging type".to_owned(),
        Some((last, others)) => format!("a {} or {last}", others.join(", ")),
        None => String::new(),
    }
}
