//! What the terms of rules are for given values.

use std::collections::BTreeMap;

use spirvkit_binary::FloatFormat;
use spirvkit_eval::{
    Environment, Reason, Scalar, ScalarType, evaluate_glsl_scalar, evaluate_scalar,
};
use spirvkit_grammar::{ExtInstSet, GlslStd450, Op};

use super::syntax::{Head, Literal, Rule, Term, is_width};
use super::typing::{Classes, Sort, Typed, TypedRule};
use super::values::mantissa;

/// What an operation does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operation {
    Core(Op),
    Glsl(GlslStd450),
}

impl Operation {
    pub(super) fn new(head: &Head) -> Self {
        match head {
            Head::Core(name) => Self::Core(Op::from_bare_name(name).unwrap()),
            Head::Glsl(name) => Self::Glsl(glsl_number(name)),
        }
    }
}

fn glsl_number(name: &str) -> GlslStd450 {
    let info = ExtInstSet::GlslStd450.instruction_by_name(name);
    GlslStd450(info.unwrap().number())
}

/// A term that can be evaluated.
#[derive(Debug)]
pub(super) enum Code {
    Variable(usize),
    Literal(Scalar),
    Operation {
        operation: Operation,
        ty: ScalarType,
        operands: Vec<Code>,
        /// Whether it is known without any instruction: then the rule doesn't hold if it is
        /// undefined.
        is_constant: bool,
    },
    /// Whether it has an exact one.
    Reciprocal(Box<Code>),
    /// What is known from the types.
    Known(bool),
}

/// Why there is no value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Nothing {
    Undefined(Reason),
    /// A constant is.
    Inapplicable,
}

/// A rule for types.
#[derive(Debug)]
pub(super) struct Instance {
    /// The names and types of variables and constants.
    pub(super) variables: Vec<(String, ScalarType)>,
    pub(super) pattern: Code,
    pub(super) conditions: Vec<Code>,
    pub(super) replacement: Code,
}

/// The type of each class.
pub(super) type Assignment = BTreeMap<usize, ScalarType>;

/// The classes of the variables, constants and operations of a pattern, and which of them
/// conditions on widths name.
pub(super) fn classes(typed: &TypedRule<'_>) -> Vec<(usize, Sort)> {
    let mut found: Vec<(usize, Sort)> = Vec::new();
    let terms = [&typed.pattern, &typed.replacement];
    let all = terms.into_iter().chain(&typed.conditions);
    for node in all.flat_map(|term| term.all()) {
        let class = typed.classes.find(node.class);
        if !found.iter().any(|known| known.0 == class) {
            found.push((class, typed.classes.sort(class)));
        }
    }
    found
}

impl Instance {
    /// `None` if there are no such types.
    pub(super) fn new(typed: &TypedRule<'_>, types: &Assignment) -> Option<Self> {
        let mut builder = Builder {
            classes: &typed.classes,
            types,
            named: typed.pattern.all(),
            variables: Vec::new(),
            fits: true,
        };
        let pattern = builder.code(&typed.pattern);
        let conditions = typed
            .conditions
            .iter()
            .map(|term| builder.code(term))
            .collect();
        let replacement = builder.code(&typed.replacement);
        builder.fits.then_some(Self {
            variables: builder.variables,
            pattern,
            conditions,
            replacement,
        })
    }

    /// Whether the rule holds for values as far as its conditions say.
    pub(super) fn applies(&self, values: &[u64], environment: &Environment) -> bool {
        self.conditions.iter().all(|condition| {
            let found = condition.value(&self.variables, values, environment);
            found.is_ok_and(|scalar| scalar.bits() != 0)
        })
    }
}

struct Builder<'b> {
    classes: &'b Classes,
    types: &'b Assignment,
    named: Vec<&'b Typed<'b>>,
    variables: Vec<(String, ScalarType)>,
    /// Whether all types have room for the widths of others, as they do in modules.
    fits: bool,
}

impl Builder<'_> {
    fn ty(&self, class: usize) -> ScalarType {
        self.types[&self.classes.find(class)]
    }

    /// The width of what has a name.
    fn width_of(&self, term: &Term) -> u32 {
        let name = term.name().unwrap();
        let node = self
            .named
            .iter()
            .find(|node| node.term.name() == Some(name));
        self.ty(node.unwrap().class).width()
    }

    fn code(&mut self, term: &Typed<'_>) -> Code {
        let ty = self.ty(term.class);
        match term.term {
            Term::Variable(name) | Term::Constant(name) => {
                let known = self.variables.iter().position(|known| known.0 == *name);
                Code::Variable(known.unwrap_or_else(|| {
                    self.variables.push((name.clone(), ty));
                    self.variables.len() - 1
                }))
            }
            Term::Literal(value) => Code::Literal(literal(ty, *value)),
            Term::Operation { head, operands, .. } if is_width(head) => {
                let width = self.width_of(&operands[0]);
                let scalar = Scalar::new(ty, width.into());
                self.fits &= scalar.bits() == u64::from(width);
                Code::Literal(scalar)
            }
            Term::Operation { head, operands, .. } => {
                if let Head::Core(name) = head {
                    let width = |index: usize| self.width_of(&operands[index]);
                    match name.as_str() {
                        "wider" => return Code::Known(width(0) > width(1)),
                        "same-width" => return Code::Known(width(0) == width(1)),
                        "once" => return Code::Known(true),
                        "reciprocal" => {
                            return Code::Reciprocal(Box::new(self.code(&term.operands[0])));
                        }
                        _ => {}
                    }
                }
                Code::Operation {
                    operation: Operation::new(head),
                    ty,
                    operands: term.operands.iter().map(|each| self.code(each)).collect(),
                    is_constant: term.term.is_constant(),
                }
            }
        }
    }
}

fn literal(ty: ScalarType, literal: Literal) -> Scalar {
    let sign = 1u64 << (ty.width() - 1);
    let bits = match literal {
        Literal::Integer(value) => value as u64,
        Literal::Least => sign,
        Literal::Greatest => sign - 1,
        Literal::Float(value) => {
            let ScalarType::Float(format) = ty else {
                panic!("{value} is no {ty}");
            };
            float(format, value)
        }
    };
    Scalar::new(ty, bits)
}

/// The bits of a number that the format has.
fn float(format: FloatFormat, value: f64) -> u64 {
    match format {
        FloatFormat::Double => value.to_bits(),
        FloatFormat::Single => (value as f32).to_bits().into(),
        _ if value == 0.0 => value.to_bits() >> 48,
        _ => {
            let bits = value.to_bits();
            let exponent = (bits >> 52 & 0x7ff) + 15 - 1023;
            bits >> 48 & 0x8000 | exponent << 10 | bits >> 42 & 0x3ff
        }
    }
}

impl Code {
    pub(super) fn value(
        &self,
        variables: &[(String, ScalarType)],
        values: &[u64],
        environment: &Environment,
    ) -> Result<Scalar, Nothing> {
        match self {
            Code::Variable(index) => Ok(Scalar::new(variables[*index].1, values[*index])),
            Code::Literal(scalar) => Ok(*scalar),
            Code::Known(known) => Ok((*known).into()),
            Code::Reciprocal(operand) => {
                let number = operand.value(variables, values, environment)?;
                Ok(has_reciprocal(number).into())
            }
            Code::Operation {
                operation,
                ty,
                operands,
                is_constant,
            } => {
                let mut found = [Scalar::zero(ScalarType::Bool); 4];
                for (slot, operand) in found.iter_mut().zip(operands) {
                    *slot = operand.value(variables, values, environment)?;
                }
                let found = &found[..operands.len()];
                let result = evaluate(*operation, *ty, found, environment);
                match result {
                    Err(_) if *is_constant => Err(Nothing::Inapplicable),
                    other => other.map_err(Nothing::Undefined),
                }
            }
        }
    }
}

/// What an operation gives. Division of floating-point numbers by zero is taken as defined:
/// as IEEE 754 says, which all known implementations do.
pub(super) fn evaluate(
    operation: Operation,
    ty: ScalarType,
    operands: &[Scalar],
    environment: &Environment,
) -> Result<Scalar, Reason> {
    let outcome = match operation {
        Operation::Core(op) => evaluate_scalar(op, ty, operands, environment),
        Operation::Glsl(number) => evaluate_glsl_scalar(number, ty, operands, environment),
    };
    let outcome = outcome.unwrap_or_else(|error| panic!("{operation:?} {operands:?}: {error}"));
    match outcome.undefined() {
        Some(Reason::DivisionByZero) if matches!(ty, ScalarType::Float(_)) => Ok(outcome.common()),
        Some(reason) => Err(reason),
        None => Ok(outcome.common()),
    }
}

/// Whether 1 divided by a normal number is exactly another one.
fn has_reciprocal(number: Scalar) -> bool {
    let ScalarType::Float(format) = number.ty() else {
        return false;
    };
    let value = number.to_f64().unwrap();
    let least = match format {
        FloatFormat::Half => 2f64.powi(-14),
        FloatFormat::Single => f32::MIN_POSITIVE.into(),
        _ => f64::MIN_POSITIVE,
    };
    let is_power = number.bits() & ((1 << mantissa(format)) - 1) == 0;
    value.is_normal() && is_power && value.abs() >= least && 1.0 / value.abs() >= least
}

/// Whether a rule holds only for some operations.
pub(super) fn needs(rule: &Rule, permission: &str) -> bool {
    rule.needs.iter().any(|need| need == permission)
}
