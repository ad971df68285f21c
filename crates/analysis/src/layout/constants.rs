//! The values of integer and boolean constants, as far as lengths and offsets need
//! them.

use alloc::vec::Vec;
use core::ops::Range;

use spirvkit_binary::{Id, IdMap, Instruction, NumberType};
use spirvkit_eval::{Environment, Scalar, ScalarType, evaluate_scalar};
use spirvkit_grammar::Op;

use super::Extent;

/// The type of a constant, and whether it is signed.
type Type = (ScalarType, bool);

/// An integer constant, or a boolean one as 0 or 1, or the default of one that specialization may change.
#[derive(Clone, Copy, Debug)]
struct Constant {
    scalar: Scalar,
    is_signed: bool,
    is_specialized: bool,
}

impl Constant {
    /// Sign-extended if the type is signed, zero-extended if not.
    fn bits(self) -> u64 {
        match self.is_signed {
            true => self.scalar.sign_extended() as u64,
            false => self.scalar.bits(),
        }
    }
}

/// The integer and boolean constants of a module. An `OpSpecConstantOp` on scalars
/// is worked out, and so is one that extracts a part of a composite; what computes
/// composites, and what takes floats or pointers, is unknown.
#[derive(Clone, Debug)]
pub(super) struct Constants {
    types: IdMap<Option<Type>>,
    /// One more than the index of a constant's value; 0 stands for none.
    places: IdMap<u32>,
    values: Vec<Constant>,
    /// One more than the index of a composite; 0 stands for none.
    composites: IdMap<u32>,
    /// Where the constituents of each composite stand in the list of all.
    ranges: Vec<Range<usize>>,
    constituents: Vec<Id>,
}

impl Constants {
    /// No constants yet, of a module of this many words, whose ids are likely below a
    /// bound.
    pub(super) fn new(words: usize, bound: u32) -> Self {
        Self {
            types: IdMap::new(None, words),
            places: IdMap::with_bound(0, words, bound),
            values: Vec::new(),
            composites: IdMap::new(0, words),
            ranges: Vec::new(),
            constituents: Vec::new(),
        }
    }

    /// A constant as a number; the bits of a negative one make a very large
    /// number, which is no length of anything.
    pub(super) fn get(&self, id: Id) -> Option<Extent> {
        let constant = self.value(id)?;
        Some(match constant.is_specialized {
            true => Extent::Default(constant.bits()),
            false => Extent::Fixed(constant.bits()),
        })
    }

    fn value(&self, id: Id) -> Option<Constant> {
        let place = self.places.get(id).checked_sub(1)?;
        self.values.get(place as usize).copied()
    }

    /// Notes a type or a constant. They come in the module's order.
    pub(super) fn note(&mut self, instruction: &Instruction<'_>) {
        let Some(result) = instruction.result() else {
            return;
        };
        let declared = match (instruction.op(), instruction.words()) {
            (Op::TypeInt, &[_, _, width, signedness]) => {
                NumberType::integer(width, signedness).map(|ty| (ty.into(), signedness != 0))
            }
            (Op::TypeBool, _) => Some((ScalarType::Bool, false)),
            _ => None,
        };
        if declared.is_some() {
            self.types.replace(result, declared);
            return;
        }
        if let (Op::ConstantComposite | Op::SpecConstantComposite, Some(parts)) =
            (instruction.op(), instruction.words().get(3..))
        {
            let start = self.constituents.len();
            self.constituents.extend(parts.iter().map(|&part| Id(part)));
            self.ranges.push(start..self.constituents.len());
            // There are fewer composites than words, and fewer words than 2³².
            self.composites.replace(result, self.ranges.len() as u32);
            return;
        }
        let ty = instruction.result_type().and_then(|ty| self.types.get(ty));
        let Some((ty, is_signed)) = ty else {
            return;
        };
        let operands = instruction.words().get(3..).unwrap_or_default();
        let literal = || {
            let bits = NumberType::join(operands);
            (!operands.is_empty()).then(|| Scalar::new(ty, bits))
        };
        let (scalar, is_specialized) = match instruction.op() {
            Op::Constant => (literal(), false),
            Op::SpecConstant => (literal(), true),
            Op::ConstantNull | Op::ConstantFalse => (Some(Scalar::zero(ty)), false),
            Op::ConstantTrue => (Some(true.into()), false),
            Op::SpecConstantFalse => (Some(false.into()), true),
            Op::SpecConstantTrue => (Some(true.into()), true),
            Op::SpecConstantOp => (self.operation(ty, operands), true),
            _ => (None, false),
        };
        self.values.extend(scalar.map(|scalar| Constant {
            scalar,
            is_signed,
            is_specialized,
        }));
        // There are fewer constants than words, and fewer words than 2³².
        let place = scalar.map_or(0, |_| self.values.len() as u32);
        self.places.replace(result, place);
    }

    /// The part of a composite to which indexes lead.
    fn extract(&self, operands: &[u32]) -> Option<Scalar> {
        let (&composite, indexes) = operands.split_first()?;
        let mut part = Id(composite);
        for &index in indexes {
            let place = self.composites.get(part).checked_sub(1)?;
            let range = self.ranges.get(place as usize)?;
            let constituents = self.constituents.get(range.clone())?;
            part = *constituents.get(index as usize)?;
        }
        Some(self.value(part)?.scalar)
    }

    /// The result of an operation: its opcode and the ids of its operands.
    fn operation(&self, ty: ScalarType, words: &[u32]) -> Option<Scalar> {
        let (&op, operands) = words.split_first()?;
        let op = Op(u16::try_from(op).ok()?);
        match (op, operands) {
            (Op::CompositeExtract, _) => {
                let part = self.extract(operands)?;
                return Some(Scalar::new(ty, part.bits()));
            }
            // What is not chosen need not be known.
            (Op::Select, &[condition, yes, no]) => {
                let condition = self.value(Id(condition))?.scalar;
                let chosen = if condition.bits() == 0 { no } else { yes };
                return Some(Scalar::new(ty, self.value(Id(chosen))?.scalar.bits()));
            }
            _ => {}
        }
        let operand = |id: &u32| Some(self.value(Id(*id))?.scalar);
        let mut scalars = [Scalar::zero(ty); MAX_OPERANDS];
        let known = scalars.get_mut(..operands.len())?;
        for (scalar, id) in known.iter_mut().zip(operands) {
            *scalar = operand(id)?;
        }
        let outcome = evaluate_scalar(op, ty, known, &Environment::default());
        outcome.ok()?.defined().ok()
    }
}

/// More operands than any operation on scalars has.
const MAX_OPERANDS: usize = 4;
