//! What the operands of debugging instructions are. What each must be is
//! [`Set::requirement`]'s; here is how that is checked, and what of it is an error.

use std::borrow::Cow;

use spirvkit_binary::Id;
use spirvkit_diagnostics::alternatives;
use spirvkit_grammar::debug_info::{Field, Kind, Kinds, Requirement, Set, Slot};
use spirvkit_grammar::{ExtInstSet, Op, Quantifier};

use super::Dialect;
use crate::finding::{CheckResult, Finding, all};
use crate::module::{Inst, Lookup, Type};
use crate::rule::Rule;
use crate::rules::ext_inst::Call;
use crate::rules::generated::debug_info;

/// A debugging instruction whose operands are checked.
struct Checked<'c, 's, 'm, 'a> {
    call: &'c Call<'s, 'm, 'a>,
    dialect: &'c Dialect,
    kind: Kind,
}

/// One of its operands.
#[derive(Clone, Copy)]
struct Operand {
    /// Counted from 0 after the instruction's number.
    index: usize,
    field: Field,
    is_literal: bool,
    required: Requirement,
}

/// What is asked of an operand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Check {
    Nothing,
    /// An `OpConstant`, or another constant of an integer.
    Integer,
    Is(Requirement),
}

/// The operand of an instruction with an index; `None` behind those that the set gives it.
fn operand(set: Set, kind: Kind, index: usize) -> Option<Operand> {
    let slot = set.slot(kind, index)?;
    let field = slot.field();
    let last = set.fields(kind)?.len() - 1;
    let required = set.requirement(kind, field);
    Some(Operand {
        index,
        field,
        is_literal: slot.is_literal(),
        required: required.at(index.saturating_sub(last)),
    })
}

/// What is asked for without a warning: what other validators look at, or all that the
/// specification says if there are none.
fn enforced(dialect: &Dialect, kind: Kind, operand: Operand) -> Check {
    use Requirement::*;
    let Operand {
        field, required, ..
    } = operand;
    if dialect.is_strict {
        return Check::Is(required);
    }
    match (kind, field) {
        (Kind::TypePtrToMember | Kind::ModuleINTEL, _) => return Check::Nothing,
        (Kind::TypeComposite, Field::Tag) => return Check::Nothing,
        (Kind::GlobalVariable, Field::Flags) => return Check::Nothing,
        (Kind::TypeInheritance, Field::BaseClass) if dialect.set == Set::Shader => {
            return Check::Is(Debug(COMPOSITE));
        }
        // They take packs, as the first set does.
        (Kind::TypeTemplate, Field::Parameters) => {
            return Check::Is(Set::DebugInfo.requirement(kind, field));
        }
        _ => {}
    }
    match required {
        Value | SpecBool | Debug(Kinds::ALL) => Check::Nothing,
        Integer => Check::Is(Constant),
        SpecInteger => Check::Integer,
        other => Check::Is(other),
    }
}

/// Checks all operands of an instruction: first what is an error, then what is worth
/// a warning.
pub(super) fn check(call: &Call<'_, '_, '_>, dialect: &Dialect, kind: Kind) -> CheckResult {
    let checked = Checked {
        call,
        dialect,
        kind,
    };
    if checked.is_right() {
        return checked.surplus().map_err(Finding::warning);
    }
    checked.check_all(|operand| Some(enforced(dialect, kind, operand)))?;
    let beyond = |operand: Operand| {
        let required = Check::Is(operand.required);
        (enforced(dialect, kind, operand) != required).then_some(required)
    };
    checked.check_all(beyond).map_err(Finding::warning)?;
    checked.surplus().map_err(Finding::warning)
}

impl Checked<'_, '_, '_, '_> {
    fn operands(&self) -> impl Iterator<Item = Operand> {
        let (set, kind) = (self.dialect.set, self.kind);
        (0..self.call.count()).map_while(move |index| operand(set, kind, index))
    }

    /// Whether all operands are what is asked for, with a warning or without, as they
    /// mostly are.
    fn is_right(&self) -> bool {
        self.operands().all(|operand| {
            let enforced = enforced(self.dialect, self.kind, operand);
            let required = Check::Is(operand.required);
            self.check_one(operand, enforced).is_ok()
                && (enforced == required || self.check_one(operand, required).is_ok())
        })
    }

    /// Checks what is asked of operands.
    fn check_all(&self, asked: impl Fn(Operand) -> Option<Check>) -> CheckResult {
        let check = |operand| asked(operand).map_or(Ok(()), |it| self.check_one(operand, it));
        all(self.operands().map(check))
    }

    fn check_one(&self, operand: Operand, check: Check) -> CheckResult {
        match check {
            Check::Nothing => Ok(()),
            _ if self.takes_none(operand, check) && self.is_none(operand) => Ok(()),
            _ => self.check(operand, check),
        }
    }

    /// There are no operands behind those that the set's version gives an instruction.
    fn surplus(&self) -> CheckResult {
        let call = self.call;
        // Of later versions it isn't known which operands they have added.
        let set = call
            .set
            .filter(|&set| set == ExtInstSet::ShaderDebugInfo100);
        let Some(info) = set.and_then(|set| set.instruction(call.number)) else {
            return Ok(());
        };
        let (expected, found) = (info.operands().len(), call.count());
        let last = self.dialect.set.fields(self.kind).and_then(<[_]>::last);
        let is_repeated = last.is_some_and(|last| last.quantifier() == Quantifier::Many);
        if is_repeated || found <= expected {
            return Ok(());
        }
        let message = format!(
            "{} has {expected} operands in the imported version of the set, but {found} here",
            call.name()
        );
        Err(call.at.finding(&debug_info::SURPLUS, message))
    }

    /// What a definition is, if it is a debugging instruction of the same set.
    fn debug_kind(&self, def: Inst<'_>) -> Option<Kind> {
        if !def.op().is_ext_inst() {
            return None;
        }
        let (call, set) = (self.call, def.id(0));
        let same = set == call.at.id(0)
            || call
                .m()
                .known_set(set)
                .is_some_and(|known| call.set == Some(known));
        Kind::from_number(def.arg(1)).filter(|_| same)
    }

    /// Whether `DebugInfoNone` may stand for an operand. In the sets that others check,
    /// too, it may take the place of whatever debugging instruction was removed, and of
    /// other ids where the instruction's own text says so. Numbers are there always.
    fn takes_none(&self, operand: Operand, check: Check) -> bool {
        let (is_number, is_debug) = match check {
            Check::Is(required) => (required.is_number(), is_debug(required)),
            _ => (false, false),
        };
        let is_named = || self.dialect.set.takes_none(self.kind, operand.field);
        self.dialect.is_strict || !is_number && (is_debug || is_named())
    }

    /// Whether an operand is a `DebugInfoNone`.
    fn is_none(&self, operand: Operand) -> bool {
        let def = self.call.m().def(self.call.id(operand.index));
        def.is_some_and(|def| self.debug_kind(def) == Some(Kind::InfoNone))
    }

    fn check(&self, operand: Operand, check: Check) -> CheckResult {
        let (call, index) = (self.call, operand.index);
        match check {
            Check::Is(Requirement::ComponentCount) if operand.is_literal => {
                return self.literal_count(call.word(index));
            }
            Check::Is(Requirement::ComponentCount) => {
                self.check(operand, Check::Is(Requirement::Number))?;
            }
            _ if operand.is_literal => return Ok(()),
            _ => {}
        }
        let id = call.id(index);
        // What nothing defines has been reported.
        let Some(def) = call.m().def(id) else {
            return Ok(());
        };
        match self.fits(check, id, def) {
            true => Ok(()),
            false => Err(call.operand_finding(self.rule(check), index, &self.expected(check))),
        }
    }

    fn literal_count(&self, count: u32) -> CheckResult {
        if self.dialect.set.takes_components(u64::from(count)) {
            return Ok(());
        }
        let name = self.call.name();
        let message = format!("{name} must have 1 to 4, 8 or 16 components, but has {count}");
        Err(self.call.at.finding(&debug_info::COUNT, message))
    }

    /// Whether an operand is what is asked for.
    fn fits(&self, check: Check, id: Id, def: Inst<'_>) -> bool {
        use Requirement::*;
        let (m, op) = (self.call.m(), def.op());
        let is_debug = |kinds: Kinds| {
            let kind = self.debug_kind(def);
            kind.is_some_and(|kind| kinds.contains(kind))
        };
        let is_integer = || matches!(m.ty_of(id), Type::Int { .. });
        let is_uint = || {
            matches!(
                m.ty_of(id),
                Type::Int {
                    width: 32,
                    signed: false
                }
            )
        };
        let is_length = || matches!(m.ty_of(id), Type::Int { width: 32 | 64, .. });
        let Check::Is(required) = check else {
            return op == Op::Constant || m.is_constant(id) && is_integer();
        };
        match required {
            Text => op == Op::String,
            TextOr(kinds) => op == Op::String || is_debug(kinds),
            Number => op == Op::Constant && is_uint(),
            SpecNumber => m.is_constant(id) && is_uint(),
            ComponentCount => m
                .constant_u64(id)
                .is_some_and(|count| self.dialect.set.takes_components(count)),
            Constant => op == Op::Constant,
            SpecConstant => m.is_constant(id),
            Integer => op == Op::Constant && is_integer(),
            PositiveInteger => op == Op::Constant && matches!(m.constant_u64(id), Some(1..)),
            SpecInteger => m.is_constant(id) && is_integer(),
            IntegerOr(kinds) => op == Op::Constant && is_integer() || is_debug(kinds),
            SpecBool => m.is_constant(id) && m.ty_of(id) == Type::Bool,
            Length => m.is_constant(id) && is_length() || self.is_variable(def, is_unsigned),
            FixedLength => {
                let is_fixed = op == Op::Constant && m.constant_u64(id) != Some(0);
                is_fixed && is_length() || self.is_variable(def, is_unsigned)
            }
            Index => op == Op::Constant && is_integer() || self.is_variable(def, is_whole),
            Debug(kinds) => is_debug(kinds),
            DebugOrVoid(kinds) => op == Op::TypeVoid || is_debug(kinds),
            // Class and structure have the tags 0 and 1, a union has 2.
            ClassOrStructure => {
                let tag = || self.number_of(def, Kind::TypeComposite, Field::Tag);
                is_debug(COMPOSITE) && matches!(tag(), Some(0 | 1))
            }
            // The successors let an expression stand for what was optimized away.
            GlobalVariable => {
                let is_expression = || !self.dialect.is_strict && is_debug(EXPRESSION);
                op.is_variable() || m.is_constant(id) || is_expression()
            }
            Variable => matches!(
                op,
                Op::Variable | Op::UntypedVariableKHR | Op::FunctionParameter
            ),
            Value => m.type_of(id).is_some_and(|ty| !m.is_void(ty)),
            IntegerValue => is_integer(),
            Function => op == Op::Function,
            _ => true,
        }
    }

    /// The rule that an operand breaks.
    #[cold]
    fn rule(&self, check: Check) -> &'static Rule {
        use Requirement::*;
        let Check::Is(required) = check else {
            return self.dialect.constant;
        };
        match required {
            Text | TextOr(_) => self.dialect.text,
            Number | SpecNumber => &debug_info::UINT,
            ComponentCount => &debug_info::COUNT,
            Debug(_) | DebugOrVoid(_) | ClassOrStructure => self.dialect.kind,
            Length | FixedLength => &debug_info::ARRAY_LENGTH,
            Index | IntegerValue => &debug_info::INDEX,
            GlobalVariable | Variable | Value | Function => self.dialect.module_kind,
            _ => self.dialect.constant,
        }
    }

    /// What is asked for in words.
    #[cold]
    fn expected(&self, check: Check) -> Cow<'static, str> {
        use Requirement::*;
        let Check::Is(required) = check else {
            return "a constant of an integer type".into();
        };
        let names = |kinds: Kinds| names(self.dialect.set, kinds);
        match required {
            Text => "an OpString".into(),
            TextOr(kinds) => format!("an OpString or {}", names(kinds)).into(),
            Number => "an OpConstant of a 32-bit unsigned integer".into(),
            SpecNumber => {
                "a constant or specialization constant of a 32-bit unsigned integer".into()
            }
            ComponentCount => "a number from 1 to 4".into(),
            Constant => "an OpConstant".into(),
            SpecConstant => "a constant".into(),
            Integer | IntegerOr(_) => "an OpConstant of an integer type".into(),
            PositiveInteger => "an OpConstant of an integer greater than 0".into(),
            SpecInteger => "a constant of an integer type".into(),
            SpecBool => "a constant of the boolean type".into(),
            Length | FixedLength => {
                "a constant integer of 32 or 64 bits or an unsigned variable of such a type".into()
            }
            Index => "an OpConstant of an integer type or a variable of one".into(),
            Debug(kinds) => names(kinds).into(),
            DebugOrVoid(kinds) => format!("an OpTypeVoid or {}", names(kinds)).into(),
            ClassOrStructure => "a DebugTypeComposite that is a class or a structure".into(),
            GlobalVariable => "an OpVariable or a constant".into(),
            Variable => "an OpVariable or OpFunctionParameter".into(),
            IntegerValue => "an integer".into(),
            Function => "an OpFunction".into(),
            _ => "a value".into(),
        }
    }

    /// The word of a field of a debugging instruction of the set.
    fn word_of(&self, def: Inst<'_>, kind: Kind, field: Field) -> Option<u32> {
        let place = self.dialect.set.position(kind, field)?;
        Some(def.arg(2 + place))
    }

    /// The number that it stands for: a literal, or the value of a constant.
    fn number_of(&self, def: Inst<'_>, kind: Kind, field: Field) -> Option<u64> {
        let word = self.word_of(def, kind, field)?;
        let slots = self.dialect.set.fields(kind)?.iter();
        let is_literal = |slot: &Slot| slot.field() == field && slot.is_literal();
        match slots.clone().any(is_literal) {
            true => Some(u64::from(word)),
            false => self.call.m().constant_u64(Id(word)),
        }
    }

    /// Whether this is a `DebugGlobalVariable` or `DebugLocalVariable` of a basic type with
    /// such an encoding and size.
    fn is_variable(&self, def: Inst<'_>, fits: fn(u64, Option<u64>) -> bool) -> bool {
        let kind = self.debug_kind(def);
        let Some(kind) = kind.filter(|&kind| Kinds::VARIABLES.contains(kind)) else {
            return false;
        };
        let ty = self.word_of(def, kind, Field::Type);
        let ty = ty.and_then(|ty| self.call.m().def(Id(ty)));
        let basic = ty.filter(|&ty| self.debug_kind(ty) == Some(Kind::TypeBasic));
        let number = |field| self.number_of(basic?, Kind::TypeBasic, field);
        number(Field::Encoding).is_some_and(|encoding| fits(encoding, number(Field::Size)))
    }
}

// Characters are other encodings, though they are integers, too.
const SIGNED: u64 = 4;
const UNSIGNED: u64 = 6;

/// Whether a basic type is an integer.
fn is_whole(encoding: u64, _: Option<u64>) -> bool {
    matches!(encoding, SIGNED | UNSIGNED)
}

/// Whether a basic type is an unsigned integer of 32 or 64 bits.
fn is_unsigned(encoding: u64, size: Option<u64>) -> bool {
    encoding == UNSIGNED && matches!(size, Some(32 | 64))
}

const COMPOSITE: Kinds = Kinds::of(&[Kind::TypeComposite]);
const EXPRESSION: Kinds = Kinds::of(&[Kind::Expression]);

/// Whether an operand is the id of nothing but a debugging instruction.
fn is_debug(required: Requirement) -> bool {
    use Requirement::*;
    matches!(
        required,
        Debug(_) | DebugOrVoid(_) | ClassOrStructure | TextOr(_)
    )
}

/// The names of debugging instructions for a message.
#[cold]
fn names(set: Set, kinds: Kinds) -> String {
    let has = |kind: &Kind| set.fields(*kind).is_some();
    let names: Vec<&str> = kinds.iter().filter(has).map(Kind::name).collect();
    match names.len() {
        0 => String::new(),
        2.. if kinds == Kinds::ALL => "a debugging instruction".to_owned(),
        // There are too many types to name them all.
        9.. => "a debugging type".to_owned(),
        _ => format!("a {}", alternatives(names)),
    }
}
