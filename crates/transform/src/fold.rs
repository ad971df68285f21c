//! The constants of a module as [`Value`]s, and values as the instructions that
//! make them (specification, section 3.32.7).
//!
//! ```
//! use spirvkit_binary::{Budget, Id};
//! use spirvkit_eval::Value;
//! use spirvkit_transform::fold::{self, Constants, Part};
//!
//! let text = "
//! %1 = OpTypeInt 32 0
//! %2 = OpTypeVector %1 2
//! %3 = OpSpecConstant %1 20
//! %4 = OpConstant %1 22
//! %5 = OpSpecConstantOp %1 IAdd %3 %4
//! %6 = OpSpecConstantComposite %2 %5 %4
//! ";
//! let module = spirvkit_text::assemble(text, &Default::default()).unwrap();
//! let constants = Constants::read(&module.words).unwrap();
//! assert_eq!(constants.value(Id(5)), Some(&Value::from(42)));
//!
//! // As instructions: what there is already is used, the rest is made.
//! let (ty, vector) = constants.typed_value(Id(6)).unwrap();
//! let mut next = 7;
//! let budget = &mut Budget::unlimited();
//! let words = fold::create(constants.types(), ty, Id(6), vector, budget, |_, part| {
//!     if *part == Value::from(22) {
//!         return Part::Existing(Id(4));
//!     }
//!     next += 1;
//!     Part::New(Id(next - 1))
//! })?;
//! let opcode = |op: spirvkit_grammar::Op, count: u32| u32::from(op.0) | count << 16;
//! use spirvkit_grammar::Op;
//! assert_eq!(words, [
//!     opcode(Op::Constant, 4), 1, 7, 42,
//!     opcode(Op::ConstantComposite, 5), 2, 6, 7, 4,
//! ]);
//! # Ok::<(), fold::NotWritable>(())
//! ```

use std::cell::RefCell;
use std::fmt;

use spirvkit_binary::{Budget, Error, Id, IdMap, Instruction, Module, NumberType, OverBudget};
use spirvkit_eval::{
    Evaluator, MAX_PARTS, NotComputable, Reason, Scalar, ScalarType, Type, Types, Value,
};
use spirvkit_grammar::Op;

use crate::WORD_COST;

/// The types and constants of a module, by id.
///
/// Instructions are given to it in the module's order. Specialization constants have their
/// default values, unless a caller [sets](Self::set) another as soon as it sees one; what
/// depends on them is evaluated with it.
#[derive(Clone, Debug)]
pub struct Constants {
    types: Types,
    /// The place in `values`, plus one.
    ids: IdMap<u32>,
    values: Vec<(Id, Value)>,
    /// For the composites that operations on constants make.
    budget: RefCell<Budget>,
}

impl Default for Constants {
    /// An empty table for a module of unknown size.
    fn default() -> Self {
        Self::with_word_limit(0)
    }
}

impl Constants {
    /// An empty table for a module of at most this many words. (More do no harm;
    /// they only cost a tree look-up for ids above that number.)
    pub fn with_word_limit(words: usize) -> Self {
        Self {
            types: Types::with_word_limit(words),
            ids: IdMap::new(0, words),
            values: Vec::new(),
            budget: RefCell::new(Budget::for_words(words)),
        }
    }

    /// Limits the memory of composites that operations on constants make; the default is
    /// [`Budget::for_input`] of the module. Constants beyond the budget have no value.
    #[must_use]
    pub fn within(self, budget: Budget) -> Self {
        let budget = RefCell::new(budget);
        Self { budget, ..self }
    }

    /// What evaluates operations with these types, within the budget.
    pub fn evaluator(&self) -> Evaluator<'_> {
        Evaluator::new(&self.types).within(&self.budget)
    }

    pub(crate) fn types_and_budget(&mut self) -> (&Types, &mut Budget) {
        (&self.types, self.budget.get_mut())
    }

    /// The types and constants of a module, given as words in host order. What can't be
    /// read or folded is left out.
    ///
    /// # Errors
    ///
    /// If the header can't be read.
    pub fn read(words: &[u32]) -> Result<Self, Error> {
        let module = Module::new(words)?;
        let mut constants = Self::with_word_limit(words.len());
        // An instruction with an error is the last.
        for instruction in module.instructions().flatten() {
            if instruction.op() == Op::Function {
                break;
            }
            let _ = constants.define(&instruction);
        }
        Ok(constants)
    }

    /// Notes the type or constant that an instruction defines; other instructions are
    /// ignored. An id keeps its first definition.
    ///
    /// # Errors
    ///
    /// If the instruction is a constant whose value can't be determined; the id then has
    /// none.
    pub fn define(&mut self, instruction: &Instruction<'_>) -> Result<(), NotFoldable> {
        let (Some(result), Some(ty)) = (instruction.result(), instruction.result_type()) else {
            let values = (&self.ids, &self.values);
            self.types.define(instruction, |id| count(values, id));
            return Ok(());
        };
        if !is_constant(instruction.op()) {
            return Ok(());
        }
        let words = instruction.words().get(3..).unwrap_or_default();
        let value = self.evaluate(instruction.op(), ty, words)?;
        self.set(result, ty, value);
        Ok(())
    }

    /// Gives an id a value and its type, unless it has them already: for a
    /// specialization constant, instead of [defining](Self::define) it, the value
    /// that it is specialized to.
    pub fn set(&mut self, id: Id, ty: Id, value: Value) {
        let slot = self.ids.slot(id);
        let Ok(place) = u32::try_from(self.values.len() + 1) else {
            return;
        };
        if *slot == 0 {
            *slot = place;
            // Twice as much room would be much for what is large.
            if self.values.len() == self.values.capacity() {
                self.values.reserve_exact(self.values.len() / 4 + 8);
            }
            self.values.push((ty, value));
        }
    }

    /// The types.
    pub fn types(&self) -> &Types {
        &self.types
    }

    /// The value of a constant.
    pub fn value(&self, id: Id) -> Option<&Value> {
        self.typed_value(id).map(|(_, value)| value)
    }

    /// The type and the value of a constant.
    pub fn typed_value(&self, id: Id) -> Option<(Id, &Value)> {
        let (ty, value) = look_up((&self.ids, &self.values), id)?;
        Some((*ty, value))
    }

    fn evaluate(&self, op: Op, ty: Id, words: &[u32]) -> Result<Value, NotFoldable> {
        let wrong_type = NotComputable::ResultType(ty);
        let found = words.len();
        let value = match op {
            Op::ConstantTrue | Op::SpecConstantTrue => Some(true.into()),
            Op::ConstantFalse | Op::SpecConstantFalse => Some(false.into()),
            Op::Constant | Op::SpecConstant => {
                let number = self.types.scalar(ty).ok_or(wrong_type)?;
                Some(Scalar::new(number, NumberType::join(words)).into())
            }
            Op::ConstantNull => self.types.null(ty),
            Op::Undef => self.types.undef(ty),
            Op::ConstantComposite | Op::SpecConstantComposite => {
                let count = self.types.count(ty);
                if count.is_some_and(|count| count as usize != found) {
                    return Err(NotComputable::OperandCount { found }.into());
                }
                Value::composite(self.values(words)?)
            }
            Op::ConstantCompositeReplicateEXT | Op::SpecConstantCompositeReplicateEXT => {
                let count = self.types.count(ty).ok_or(wrong_type)?;
                let &[part] = words else {
                    return Err(NotComputable::OperandCount { found }.into());
                };
                Value::replicate(self.known(part)?.clone(), count)
            }
            Op::SpecConstantOp => return self.operation(ty, words),
            _ => return Err(NotComputable::Opcode(op).into()),
        };
        value.ok_or(NotComputable::TooLarge.into())
    }

    /// The value of an `OpSpecConstantOp`.
    fn operation(&self, ty: Id, words: &[u32]) -> Result<Value, NotFoldable> {
        let (op, ids, literals) = split(words).ok_or(NotComputable::Opcode(Op::SpecConstantOp))?;
        let evaluate = |operands: &[Value]| {
            let outcome = self.evaluator().evaluate(op, ty, operands, literals)?;
            outcome.defined().map_err(NotFoldable::Undefined)
        };
        // Few take more operands than these, and those are composites.
        match *ids {
            [a] => evaluate(&[self.known(a)?.clone()]),
            [a, b] => evaluate(&[self.known(a)?.clone(), self.known(b)?.clone()]),
            _ => evaluate(&self.values(ids)?),
        }
    }

    fn known(&self, id: u32) -> Result<&Value, NotFoldable> {
        self.value(Id(id))
            .ok_or(NotFoldable::UnknownConstant(Id(id)))
    }

    fn values(&self, ids: &[u32]) -> Result<Vec<Value>, NotFoldable> {
        ids.iter().map(|&id| Ok(self.known(id)?.clone())).collect()
    }
}

fn look_up<'v>((ids, values): (&IdMap<u32>, &'v [(Id, Value)]), id: Id) -> Option<&'v (Id, Value)> {
    values.get((ids.get(id) as usize).checked_sub(1)?)
}

/// A constant as a number of parts.
fn count((ids, values): (&IdMap<u32>, &Vec<(Id, Value)>), id: Id) -> Option<u32> {
    let scalar = look_up((ids, values), id)?.1.scalar()?;
    match scalar.ty() {
        ScalarType::Integer { .. } => scalar.bits().try_into().ok(),
        _ => None,
    }
}

/// Whether an opcode makes what has a value here.
fn is_constant(op: Op) -> bool {
    matches!(
        op,
        Op::ConstantTrue
            | Op::ConstantFalse
            | Op::Constant
            | Op::ConstantComposite
            | Op::ConstantCompositeReplicateEXT
            | Op::ConstantNull
            | Op::SpecConstantTrue
            | Op::SpecConstantFalse
            | Op::SpecConstant
            | Op::SpecConstantComposite
            | Op::SpecConstantCompositeReplicateEXT
            | Op::SpecConstantOp
            | Op::Undef
    )
}

/// Splits the words of an `OpSpecConstantOp` after its result: the opcode, the operands that
/// are ids, and the words of those that are literals. `None` if the opcode is missing or
/// unknown. (An access chain has only ids.)
///
/// ```
/// use spirvkit_grammar::Op;
/// use spirvkit_transform::fold::split;
///
/// let words = [u32::from(Op::CompositeExtract.0), 7, 0, 2];
/// assert_eq!(split(&words), Some((Op::CompositeExtract, &[7][..], &[0, 2][..])));
/// ```
pub fn split(words: &[u32]) -> Option<(Op, &[u32], &[u32])> {
    let (&opcode, operands) = words.split_first()?;
    let op = Op(u16::try_from(opcode).ok()?);
    let info = op.info()?;
    let results = usize::from(info.has_result_type()) + usize::from(info.has_result());
    let ids = match info.only_ids_follow() {
        true => operands.len(),
        false => info.leading_ids().saturating_sub(results),
    };
    let (ids, literals) = operands.split_at(ids.min(operands.len()));
    Some((op, ids, literals))
}

/// Why the value of a constant is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotFoldable {
    /// The specification leaves the result undefined.
    Undefined(Reason),
    /// The instruction uses a constant whose value is not known.
    UnknownConstant(Id),
    /// The result of the instruction can't be computed.
    NotComputable(NotComputable),
}

impl From<NotComputable> for NotFoldable {
    fn from(error: NotComputable) -> Self {
        Self::NotComputable(error)
    }
}

impl fmt::Display for NotFoldable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undefined(reason) => write!(f, "the result is undefined: {reason}"),
            Self::UnknownConstant(id) => write!(f, "the value of {id} is not known"),
            Self::NotComputable(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for NotFoldable {}

/// Why a value can't be written as instructions of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotWritable {
    /// The value, or a part of it, is not one of this type.
    Type(Id),
    /// A composite has more parts than an instruction can name.
    TooManyParts(Id),
    /// The instructions would take more than there is room for.
    OverBudget(OverBudget),
}

impl fmt::Display for NotWritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Type(ty) => write!(f, "the value is not of the type {ty}"),
            Self::TooManyParts(ty) => write!(
                f,
                "a value of the type {ty} has more than the {MAX_PARTS} parts that an instruction can have"
            ),
            Self::OverBudget(error) => write!(f, "the value {error}"),
        }
    }
}

impl std::error::Error for NotWritable {}

/// Where a part of a composite comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// From an existing constant.
    Existing(Id),
    /// From a new one, to be made with this id.
    New(Id),
}

/// Appends the words of the one instruction that makes `value`, of type `ty`, as `result`:
/// `OpConstantTrue`, `OpConstantFalse`, `OpConstant`, `OpConstantNull`, `OpUndef` or
/// `OpConstantComposite`. Only the last has `parts`: the ids of all parts, or of one that is
/// to be repeated. See [`create`] for a function that asks for the parts that it needs.
///
/// # Errors
///
/// If the value is not of that type, or the parts are not as many as the value
/// has; nothing is appended then.
pub fn write(
    words: &mut Vec<u32>,
    types: &Types,
    ty: Id,
    result: Id,
    value: &Value,
    parts: &[Id],
) -> Result<(), NotWritable> {
    let wrong = NotWritable::Type(ty);
    let form = types.get(ty).ok_or(wrong)?;
    let mut instruction = |op: Op, operands: &mut dyn Iterator<Item = u32>| {
        let start = words.len();
        words.extend([0, ty.0, result.0]);
        words.extend(operands);
        words[start] = ((words.len() - start) as u32) << 16 | u32::from(op.0);
        Ok(())
    };
    let none = &mut std::iter::empty();
    match (value, form) {
        (Value::Undef, _) => instruction(Op::Undef, none),
        (_, _) if value.is_undef() => instruction(Op::Undef, none),
        (Value::Scalar(scalar), Type::Bool) if scalar.ty() == ScalarType::Bool => {
            match scalar.bits() {
                0 => instruction(Op::ConstantFalse, none),
                _ => instruction(Op::ConstantTrue, none),
            }
        }
        (Value::Scalar(scalar), Type::Number(number))
            if scalar.ty() == ScalarType::from(number) =>
        {
            let bits = number.extend(scalar.bits());
            let low_and_high = [bits as u32, (bits >> 32) as u32];
            let literal = &mut low_and_high.into_iter().take(number.words());
            instruction(Op::Constant, literal)
        }
        (Value::Scalar(_), _) => Err(wrong),
        (Value::Null, _) => instruction(Op::ConstantNull, none),
        (Value::Composite(composite), Type::Sequence { .. } | Type::Struct(_)) => {
            let count = composite.len();
            if types.count(ty).is_some_and(|wanted| wanted != count) {
                return Err(wrong);
            }
            if value.is_null() {
                return instruction(Op::ConstantNull, none);
            }
            let count = count as usize;
            if count > MAX_PARTS {
                return Err(NotWritable::TooManyParts(ty));
            }
            match *parts {
                _ if parts.len() == count => {
                    let ids = &mut parts.iter().map(|id| id.0);
                    instruction(Op::ConstantComposite, ids)
                }
                [part] => {
                    let ids = &mut std::iter::repeat_n(part.0, count);
                    instruction(Op::ConstantComposite, ids)
                }
                _ => Err(wrong),
            }
        }
        (Value::Composite(_), _) => Err(wrong),
    }
}

/// The words of the longest instruction that makes a scalar.
const MAX_SCALAR_WORDS: u64 = 5;

/// A composite on its way to an instruction.
struct Frame<'v> {
    ty: Id,
    result: Id,
    value: &'v Value,
    /// The ids of the parts so far.
    parts: Vec<Id>,
}

/// Takes the instruction that makes a value from the budget, before anything is done
/// for it.
fn charge(value: &Value, budget: &mut Budget) -> Result<(), NotWritable> {
    let parts = match value {
        Value::Composite(composite) if !value.is_null() && !value.is_undef() => composite.len(),
        _ => 0,
    };
    let words = MAX_SCALAR_WORDS + u64::from(parts);
    let spent = budget.spend(WORD_COST * words);
    spent.map_err(NotWritable::OverBudget)
}

/// The words of the instructions that make `value`, of type `ty`, as `result`, in an order in
/// which each comes before what uses it. `part` is asked for every part that is needed, with
/// its type: a caller returns an existing constant with this value, or else a fresh id. If
/// all parts are known to be the same, `part` is called once.
///
/// Composites and parts that are made are taken from the budget, with [`WORD_COST`] for
/// each of their words.
///
/// # Errors
///
/// If the value is not of that type, or the budget does not suffice.
pub fn create(
    types: &Types,
    ty: Id,
    result: Id,
    value: &Value,
    budget: &mut Budget,
    mut part: impl FnMut(Id, &Value) -> Part,
) -> Result<Vec<u32>, NotWritable> {
    let mut words = Vec::new();
    let frame = |ty, result, value| Frame {
        ty,
        result,
        value,
        parts: Vec::new(),
    };
    if matches!(value, Value::Composite(_)) {
        charge(value, budget)?;
    }
    // As deep as the value, so no deeper than `MAX_DEPTH`.
    let mut stack = vec![frame(ty, result, value)];
    while let Some(top) = stack.last_mut() {
        let next = match top.value {
            Value::Composite(composite) if !top.value.is_null() && !top.value.is_undef() => {
                let needed = match composite.uniform() {
                    Some(_) => 1,
                    None => composite.len(),
                };
                let index = top.parts.len() as u32;
                composite.part(index).filter(|_| index < needed)
            }
            _ => None,
        };
        let Some(value) = next else {
            write(&mut words, types, top.ty, top.result, top.value, &top.parts)?;
            stack.pop();
            continue;
        };
        let index = top.parts.len() as u32;
        let ty = types.part(top.ty, index).ok_or(NotWritable::Type(top.ty))?;
        match part(ty, value) {
            Part::Existing(id) => top.parts.push(id),
            Part::New(id) => {
                charge(value, budget)?;
                top.parts.push(id);
                stack.push(frame(ty, id, value));
            }
        }
    }
    Ok(words)
}
