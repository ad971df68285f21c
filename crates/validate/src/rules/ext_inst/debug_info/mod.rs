//! Debugging information: `DebugInfo`, `OpenCL.DebugInfo.100` and
//! `NonSemantic.Shader.DebugInfo`.
//!
//! The sets' instructions refer to each other. What each operand may be stands in
//! [`schema`]; where the instructions stand in the module is a matter of its
//! layout.

mod first;
mod places;
mod rules;
mod schema;

use spirvkit_binary::Id;
use spirvkit_grammar::{ExtInstSet, Op};

use self::rules::*;
use self::schema::{Kinds, NONE, Operand, Row};
use super::{Call, known_set};
use crate::fault::Verdict;
use crate::module::{Inst, Type};
use crate::rule::Rule;

pub(super) use self::places::check as check_source_places;
pub(super) use self::rules::RULES;

/// A set and the rules that its operands are judged by.
struct Dialect {
    rows: &'static [Row],
    /// Whether `DebugInfoNone` may stand for any debugging instruction.
    takes_none: bool,
    result: &'static Rule,
    text: &'static Rule,
    constant: &'static Rule,
    kind: &'static Rule,
    module_kind: &'static Rule,
}

const fn dialect(rows: &'static [Row]) -> Dialect {
    Dialect {
        rows,
        takes_none: false,
        result: &RESULT,
        text: &TEXT,
        constant: &CONSTANT,
        kind: &KIND,
        module_kind: &MODULE_KIND,
    }
}

static SHADER: Dialect = dialect(schema::SHADER);
static OPENCL: Dialect = dialect(schema::OPENCL);
static FIRST: Dialect = Dialect {
    rows: schema::FIRST,
    takes_none: true,
    result: &first::RESULT,
    text: &first::TEXT,
    constant: &first::CONSTANT,
    kind: &first::KIND,
    module_kind: &first::MODULE_KIND,
};

const FUNCTION_DEFINITION: u32 = 101;
const LINE: u32 = 103;
/// The instructions that version 101 adds.
const VECTOR_ID: u32 = 109;
const COOPERATIVE_MATRIX: u32 = 110;

pub(super) fn check(call: &Call<'_, '_, '_>, set: ExtInstSet) -> Verdict {
    let dialect = match set {
        ExtInstSet::DebugInfo if call.m().options.skip_debug_info => return Ok(()),
        ExtInstSet::DebugInfo => &FIRST,
        ExtInstSet::OpenClDebugInfo100 => &OPENCL,
        _ => &SHADER,
    };
    let m = call.m();
    call.result(dialect.result, m.is_void(call.result_type()), "void")?;
    // A newer version may have instructions that aren't known here.
    let Some(row) = schema::row(dialect.rows, call.number) else {
        return Ok(());
    };
    if set == ExtInstSet::ShaderDebugInfo100
        && matches!(call.number, VECTOR_ID | COOPERATIVE_MATRIX)
    {
        let message = format!(
            "instruction {} is in version 101 of the set and later ones, but the module imports \
             version 100",
            call.number
        );
        return Err(call.at.fault(&VERSION, message));
    }
    let takes_none = dialect.takes_none || row.takes_none;
    for (index, &operand) in row.fixed.iter().enumerate().take(call.count()) {
        check_operand(call, dialect, takes_none, index, operand)?;
    }
    let repeated = row.repeated.iter().cycle();
    for (index, &operand) in (row.fixed.len()..call.count()).zip(repeated) {
        check_operand(call, dialect, takes_none, index, operand)?;
    }
    match call.number {
        FUNCTION_DEFINITION => function_definition(call),
        LINE => line(call),
        _ => Ok(()),
    }
}

/// The number of a debugging instruction of the set that the call is from.
fn debug_number(call: &Call<'_, '_, '_>, def: Inst<'_>) -> Option<u32> {
    if !matches!(def.op(), Op::ExtInst | Op::ExtInstWithForwardRefsKHR) {
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

fn is_zero(call: &Call<'_, '_, '_>, id: Id) -> bool {
    call.m().constant_u64(id) == Some(0)
}

/// Whether a `DebugGlobalVariable` or `DebugLocalVariable` is of a basic type;
/// with `unsigned`, of an unsigned integer of 32 or 64 bits.
fn is_integer_variable(call: &Call<'_, '_, '_>, def: Inst<'_>, unsigned: bool) -> bool {
    const BASIC: u32 = 2;
    const SIGNED: [u64; 2] = [4, 5];
    const UNSIGNED: [u64; 2] = [6, 7];
    let m = call.m();
    let ty = m.def(def.id(3));
    let Some(ty) = ty.filter(|&ty| debug_number(call, ty) == Some(BASIC)) else {
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
        true => UNSIGNED.contains(&encoding) && matches!(m.constant_u64(ty.id(3)), Some(32 | 64)),
        false => UNSIGNED.contains(&encoding) || SIGNED.contains(&encoding),
    }
}

fn check_operand(
    call: &Call<'_, '_, '_>,
    dialect: &Dialect,
    takes_none: bool,
    index: usize,
    operand: Operand,
) -> Verdict {
    let m = call.m();
    match operand {
        Operand::Any => return Ok(()),
        Operand::LiteralCount => {
            let count = call.word(index);
            return match matches!(count, 1..=4 | 8 | 16) {
                true => Ok(()),
                false => {
                    let message = format!(
                        "{} has {count} components, not 1 to 4, 8 or 16",
                        call.name()
                    );
                    Err(call.at.fault(&COUNT, message))
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
    if takes_none && debug_number(call, def).is_some_and(|number| NONE.contains(number)) {
        return Ok(());
    }
    let op = def.op();
    let wrong = |rule: &'static Rule, expected: &str| -> Verdict {
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
        Operand::Uint => is_fine(
            is_uint_constant(call, def),
            &UINT,
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
            &UINT,
            "a constant or specialization constant of a 32-bit unsigned integer",
        ),
        Operand::Count => {
            if !is_uint_constant(call, def) {
                return wrong(&UINT, "an OpConstant of a 32-bit unsigned integer");
            }
            let fine = matches!(m.constant_u64(id), Some(1..=4));
            is_fine(fine, &COUNT, "a number from 1 to 4")
        }
        Operand::Constant => is_fine(op == Op::Constant, dialect.constant, "an OpConstant"),
        Operand::ConstantOr(kinds) => is_fine(
            op == Op::Constant || is_debug(kinds),
            dialect.constant,
            "an OpConstant or DebugInfoNone",
        ),
        Operand::Positive => is_fine(
            op == Op::Constant && matches!(m.constant_u64(id), Some(1..)),
            dialect.constant,
            "an OpConstant of an integer greater than 0",
        ),
        Operand::Debug(kinds) => match is_debug(kinds) {
            true => Ok(()),
            false => wrong(dialect.kind, &names(kinds)),
        },
        Operand::DebugOrVoid(kinds) => match op == Op::TypeVoid || is_debug(kinds) {
            true => Ok(()),
            false => wrong(dialect.kind, &format!("OpTypeVoid or {}", names(kinds))),
        },
        Operand::ClassOrStructure => {
            const COMPOSITE: u32 = 10;
            // Class and structure have the tags 0 and 1, a union has 2.
            let fine = debug_number(call, def) == Some(COMPOSITE) && def.arg(3) <= 1;
            is_fine(
                fine,
                dialect.kind,
                "a DebugTypeComposite that is a class or a structure",
            )
        }
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
                &LENGTH,
                "a constant integer of 32 or 64 bits or a variable of such an unsigned type",
            )
        }
        Operand::GlobalVariable => is_fine(
            matches!(op, Op::Variable | Op::UntypedVariableKHR)
                || m.is_constant(id)
                || is_debug(NONE),
            dialect.module_kind,
            "an OpVariable, a constant or DebugInfoNone",
        ),
        Operand::Variable => is_fine(
            matches!(
                op,
                Op::Variable | Op::UntypedVariableKHR | Op::FunctionParameter
            ),
            dialect.module_kind,
            "an OpVariable or OpFunctionParameter",
        ),
        Operand::Integer => is_fine(
            matches!(m.ty_of(id), Type::Int { .. }),
            &INDEX,
            "an integer",
        ),
        Operand::Index => {
            let is_constant = m.is_constant(id) && matches!(m.ty_of(id), Type::Int { .. });
            let fine = is_constant || is_debug(VARIABLES) && is_integer_variable(call, def, false);
            is_fine(fine, &INDEX, "a constant integer or a variable")
        }
        Operand::Function => is_fine(op == Op::Function, dialect.module_kind, "an OpFunction"),
        Operand::FunctionOrNone => is_fine(
            op == Op::Function || is_debug(NONE),
            dialect.module_kind,
            "an OpFunction or DebugInfoNone",
        ),
    }
}

const VARIABLES: Kinds = schema::VARIABLE_KINDS;

/// The names of debugging instructions for a message.
#[cold]
fn names(kinds: Kinds) -> String {
    let set = ExtInstSet::ShaderDebugInfo;
    let infos = kinds.numbers().filter_map(|number| set.instruction(number));
    let names: Vec<&str> = infos.map(|info| info.name()).collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        // There are too many types to name them all.
        Some(_) if names.len() > 8 => "a debugging type".to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

/// A function's definition stands in the function it names.
fn function_definition(call: &Call<'_, '_, '_>) -> Verdict {
    let own = call.at.function().map(|function| function.id);
    match own {
        Some(own) if own != call.id(1) => Err(call.wrong_operand(
            &DEFINITION,
            1,
            "the function that the instruction stands in",
        )),
        _ => Ok(()),
    }
}

/// A range of source text begins before it ends.
fn line(call: &Call<'_, '_, '_>) -> Verdict {
    let value = |index: usize| call.m().constant_u64(call.id(index));
    let (Some(first), Some(last), Some(start), Some(end)) =
        (value(1), value(2), value(3), value(4))
    else {
        return Ok(());
    };
    let message = if first == 0 {
        "lines are counted from 1, but the first line is 0".to_owned()
    } else if last < first {
        format!("the last line, {last}, is before the first, {first}")
    } else if last == first && end < start {
        format!("on line {first}, the last column, {end}, is before the first, {start}")
    } else {
        return Ok(());
    };
    Err(call.at.fault(&RANGE, message))
}
