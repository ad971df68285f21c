//! Operations on whole values.

use core::cell::{Cell, RefCell};

use alloc::vec::Vec;

use spirvkit_binary::{Budget, Id};
use spirvkit_grammar::{GlslStd450, Op, OpenClStd};

use crate::environment::Environment;
use crate::outcome::{Evaluated, NotComputable, Outcome, Reason};
use crate::scalar::{Scalar, ScalarType};
use crate::signature::{MAX_OPERANDS, Signature};
use crate::types::{Shape, Types};
use crate::value::Value;
use crate::{glsl, opencl, operation};

/// Evaluates operations on values.
#[derive(Clone, Copy, Debug)]
pub struct Evaluator<'t> {
    types: &'t Types,
    environment: Environment,
    budget: Option<&'t RefCell<Budget>>,
}

impl<'t> Evaluator<'t> {
    /// Evaluates operations whose result types are among these.
    pub fn new(types: &'t Types) -> Self {
        Self {
            types,
            environment: Environment::default(),
            budget: None,
        }
    }

    /// Says what execution modes and decorations say of the operations that follow.
    #[must_use]
    pub fn environment(self, environment: Environment) -> Self {
        Self {
            environment,
            ..self
        }
    }

    /// Limits what all operations together may make: a short one may change a part of
    /// a long array, and has the whole array as its result.
    #[must_use]
    pub fn within(self, budget: &'t RefCell<Budget>) -> Self {
        let budget = Some(budget);
        Self { budget, ..self }
    }

    /// The result of an opcode with this result type. `operands` are the values of
    /// the operands that are ids, in order; `literals` are the words of the
    /// operands behind them, such as the indexes of `OpCompositeExtract`.
    ///
    /// Of the operands' types only the sorts and widths of scalars are looked at,
    /// and how many parts there are. A vector is undefined if one of its components is,
    /// for the reason of the first.
    ///
    /// # Errors
    ///
    /// If the opcode, the types or the operands are not such that there is a
    /// result; [`NotComputable`] says why.
    pub fn evaluate(
        &self,
        op: Op,
        result_type: Id,
        operands: &[Value],
        literals: &[u32],
    ) -> Evaluated<Value> {
        let evaluation = self.evaluation();
        let value = evaluation.run(op, result_type, operands, literals)?;
        Ok(Outcome::new(value, evaluation.undefined.get()))
    }

    /// The result of an instruction of `GLSL.std.450` that works on components (see
    /// [`evaluate_glsl_scalar`](crate::evaluate_glsl_scalar)).
    ///
    /// # Errors
    ///
    /// If the instruction, the types or the operands are not such that there is a
    /// result.
    pub fn evaluate_glsl(
        &self,
        instruction: GlslStd450,
        result_type: Id,
        operands: &[Value],
    ) -> Evaluated<Value> {
        let signature = glsl::signature(instruction).ok_or(NotComputable::Glsl(instruction))?;
        let evaluation = self.evaluation();
        let operation = Operation::Glsl(instruction);
        let value = evaluation.components(operation, signature, result_type, operands)?;
        Ok(Outcome::new(value, evaluation.undefined.get()))
    }

    /// The result of an instruction of `OpenCL.std` that works on components (see
    /// [`evaluate_opencl_scalar`](crate::evaluate_opencl_scalar)); `select` of vectors asks
    /// for the highest bit of each component.
    ///
    /// # Errors
    ///
    /// If the instruction, the types or the operands are not such that there is a
    /// result.
    pub fn evaluate_opencl(
        &self,
        instruction: OpenClStd,
        result_type: Id,
        operands: &[Value],
    ) -> Evaluated<Value> {
        let signature = opencl::signature(instruction).ok_or(NotComputable::OpenCl(instruction))?;
        let evaluation = self.evaluation();
        let is_vector = matches!(self.types.shape(result_type), Shape::Vector(..));
        let operation = match is_vector && instruction == OpenClStd::select {
            true => Operation::SelectComponent,
            false => Operation::OpenCl(instruction),
        };
        let value = evaluation.components(operation, signature, result_type, operands)?;
        Ok(Outcome::new(value, evaluation.undefined.get()))
    }

    fn evaluation(&self) -> Evaluation<'_> {
        Evaluation {
            types: self.types,
            environment: &self.environment,
            budget: self.budget,
            undefined: Cell::new(None),
        }
    }
}

/// An operation on components.
#[derive(Clone, Copy, PartialEq)]
enum Operation {
    Core(Op),
    Glsl(GlslStd450),
    OpenCl(OpenClStd),
    /// `select` of `OpenCL.std` for a component of a vector.
    SelectComponent,
}

/// One operation on its way.
pub(crate) struct Evaluation<'e> {
    pub(crate) types: &'e Types,
    pub(crate) environment: &'e Environment,
    budget: Option<&'e RefCell<Budget>>,
    /// Why the result is undefined, if it is.
    undefined: Cell<Option<Reason>>,
}

impl Evaluation<'_> {
    fn run(
        &self,
        op: Op,
        result_type: Id,
        operands: &[Value],
        literals: &[u32],
    ) -> Result<Value, NotComputable> {
        // One condition for a whole composite or pointer.
        if let (Op::Select, [condition, yes, no]) = (op, operands)
            && !matches!(condition, Value::Composite(_))
            && !matches!(self.types.shape(result_type), Shape::Scalar(_))
        {
            let chosen = if self.condition(condition)? { yes } else { no };
            return Ok(self.types.adapt(result_type, chosen));
        }
        if let Some(signature) = Signature::of(op) {
            return self.components(Operation::Core(op), signature, result_type, operands);
        }
        self.composite(op, result_type, operands, literals)
    }

    /// Records that the result is undefined, if nothing was recorded before, so that what is
    /// computed further is only what is commonly given.
    pub(crate) fn note(&self, reason: Option<Reason>) {
        self.undefined.set(self.undefined.get().or(reason));
    }

    /// Takes the memory of so many parts, which are made or looked through one by one,
    /// from the budget.
    pub(crate) fn spend(&self, parts: usize) -> Result<(), NotComputable> {
        let Some(budget) = self.budget else {
            return Ok(());
        };
        let bytes = parts.saturating_mul(size_of::<Value>()) as u64;
        let spent = budget.borrow_mut().spend(bytes);
        spent.map_err(NotComputable::OverBudget)
    }

    /// A composite of parts of which there was none before.
    pub(crate) fn made_of(&self, parts: Vec<Value>) -> Result<Value, NotComputable> {
        self.spend(parts.len())?;
        Value::composite(parts).ok_or(NotComputable::TooLarge)
    }

    /// The result of an operation on scalars.
    pub(crate) fn scalars(
        &self,
        op: Op,
        ty: ScalarType,
        operands: &[Scalar],
    ) -> Result<Scalar, NotComputable> {
        let outcome = operation::evaluate_scalar(op, ty, operands, self.environment)?;
        self.note(outcome.undefined());
        Ok(outcome.common())
    }

    /// An operation that is done component by component.
    fn components(
        &self,
        operation: Operation,
        signature: &Signature,
        result_type: Id,
        operands: &[Value],
    ) -> Result<Value, NotComputable> {
        if operands.len() != signature.operands.len() {
            return Err(NotComputable::OperandCount {
                found: operands.len(),
            });
        }
        let shape = self.types.shape_of_components(result_type);
        let (ty, count) = match shape {
            Shape::Scalar(ty) => {
                return self.component(operation, signature, ty, &Lanes::scalars(operands)?);
            }
            Shape::Vector(ty, count) => (ty, count),
            Shape::Pointer | Shape::Other => {
                return Err(match (operation, shape) {
                    (Operation::Core(op), Shape::Pointer) => NotComputable::Pointer(op),
                    _ => NotComputable::ResultType(result_type),
                });
            }
        };
        // A part of each vector will do where all their parts are alike, whatever
        // their number.
        let mut uniform = true;
        for (index, operand) in operands.iter().enumerate() {
            match operand {
                Value::Scalar(_) if index < signature.scalar_from => {
                    return Err(NotComputable::Operand { index });
                }
                Value::Composite(vector) => {
                    let fits = count.is_none_or(|count| count == vector.len());
                    if !fits || index >= signature.scalar_from {
                        return Err(NotComputable::Operand { index });
                    }
                    uniform &= vector.uniform().is_some();
                }
                _ => {}
            }
        }
        let count = count.ok_or(NotComputable::ResultType(result_type))?;
        if uniform {
            let component = self.component(operation, signature, ty, &Lanes::of(operands, 0)?)?;
            return Value::replicate(component, count).ok_or(NotComputable::TooLarge);
        }
        // An operand has each of them, so there are not more than `MAX_PARTS`.
        self.spend(count as usize)?;
        let components: Vec<Value> = (0..count)
            .map(|lane| self.component(operation, signature, ty, &Lanes::of(operands, lane)?))
            .collect::<Result<_, _>>()?;
        Value::composite(components).ok_or(NotComputable::TooLarge)
    }

    fn component(
        &self,
        operation: Operation,
        signature: &Signature,
        ty: ScalarType,
        lanes: &Lanes<'_>,
    ) -> Result<Value, NotComputable> {
        if operation == Operation::Core(Op::Select) {
            return self.select(ty, lanes);
        }
        let mut scalars = [Scalar::zero(ty); MAX_OPERANDS];
        let count = lanes.count;
        for (index, slot) in scalars[..count].iter_mut().enumerate() {
            *slot = match lanes.parts[index] {
                Value::Scalar(scalar) => *scalar,
                part => {
                    self.note(part.is_undef().then_some(Reason::Operand));
                    // It has no type of its own, and is taken for zero.
                    Scalar::zero(signature.zero(index, ty, lanes.some_scalar()))
                }
            };
        }
        let operands = &scalars[..count];
        let outcome = match operation {
            Operation::Core(op) => {
                operation::evaluate(op, signature, ty, operands, self.environment)?
            }
            Operation::Glsl(instruction) => {
                glsl::evaluate_glsl_scalar(instruction, ty, operands, self.environment)?
            }
            Operation::OpenCl(instruction) => {
                opencl::evaluate_opencl_scalar(instruction, ty, operands, self.environment)?
            }
            Operation::SelectComponent => opencl::select_component(ty, operands)?,
        };
        self.note(outcome.undefined());
        Ok(Value::Scalar(outcome.common()))
    }

    /// `OpSelect` for one component, which may be undefined if the other is chosen.
    fn select(&self, ty: ScalarType, lanes: &Lanes<'_>) -> Result<Value, NotComputable> {
        let chosen = match self.condition(lanes.parts[0])? {
            true => 1,
            false => 2,
        };
        match lanes.parts[chosen] {
            Value::Scalar(scalar) if scalar.ty() != ty => {
                Err(NotComputable::Operand { index: chosen })
            }
            Value::Null => Ok(Value::Scalar(Scalar::zero(ty))),
            part => Ok(part.clone()),
        }
    }

    /// The value of a condition.
    fn condition(&self, value: &Value) -> Result<bool, NotComputable> {
        match value {
            Value::Scalar(scalar) if scalar.ty() == ScalarType::Bool => Ok(scalar.bits() != 0),
            Value::Null => Ok(false),
            Value::Undef => {
                self.note(Some(Reason::Operand));
                Ok(false)
            }
            _ => Err(NotComputable::Operand { index: 0 }),
        }
    }
}

/// The operands of an operation on one component.
struct Lanes<'v> {
    parts: [&'v Value; MAX_OPERANDS],
    count: usize,
}

impl<'v> Lanes<'v> {
    /// Component `lane` of operands that are vectors, or are scalars that apply to
    /// every component.
    fn of(operands: &'v [Value], lane: u32) -> Result<Self, NotComputable> {
        let mut parts = [&Value::Null; MAX_OPERANDS];
        for (index, (slot, operand)) in parts.iter_mut().zip(operands).enumerate() {
            *slot = match operand {
                Value::Composite(vector) => vector.part(lane),
                other => Some(other),
            }
            .filter(|part| !matches!(part, Value::Composite(_)))
            .ok_or(NotComputable::Operand { index })?;
        }
        let count = operands.len().min(MAX_OPERANDS);
        Ok(Self { parts, count })
    }

    /// Operands that must be scalars.
    fn scalars(operands: &'v [Value]) -> Result<Self, NotComputable> {
        match operands
            .iter()
            .position(|operand| matches!(operand, Value::Composite(_)))
        {
            Some(index) => Err(NotComputable::Operand { index }),
            None => Self::of(operands, 0),
        }
    }

    /// The type of the first operand that has one.
    fn some_scalar(&self) -> Option<ScalarType> {
        self.parts[..self.count]
            .iter()
            .find_map(|part| part.scalar().map(Scalar::ty))
    }
}
