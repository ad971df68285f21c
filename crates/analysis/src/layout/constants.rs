//! The values of integer and boolean constants, as far as lengths and offsets need
//! them.

use alloc::vec::Vec;
use core::cell::RefCell;

use hashbrown::HashMap;

use spirvkit_binary::{Id, NumberType};
use spirvkit_eval::{Environment, Scalar, ScalarType, evaluate_scalar};
use spirvkit_grammar::Op;

use super::Extent;
use crate::index::{Lookup, ModuleIndex, Type};

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
pub(super) struct Constants<'m> {
    index: &'m ModuleIndex<'m>,
    /// How many bytes descriptors of these types take, for `OpConstantSizeOfEXT`.
    sizes: HashMap<u32, u32>,
    /// Those that have been asked for.
    operations: RefCell<Operations>,
}

/// What an `OpSpecConstantOp` comes to, if that can be worked out, and whether
/// specialization may change it.
type Operations = HashMap<u32, Option<(Scalar, bool)>>;

impl<'m> Constants<'m> {
    pub(super) fn of(index: &'m ModuleIndex<'m>) -> Self {
        Self {
            index,
            sizes: HashMap::new(),
            operations: RefCell::default(),
        }
    }

    /// The same where the sizes of descriptors are known, on which operations may depend.
    pub(super) fn with_sizes(self, sizes: HashMap<u32, u32>) -> Self {
        Self {
            sizes,
            ..Self::of(self.index)
        }
    }

    /// Works out an operation, and before it those that it takes, one behind the other: there may be
    /// long chains of them.
    fn work_out(&self, wanted: Id) {
        let mut known = self.operations.borrow_mut();
        let mut open = Vec::new();
        let mut work = Vec::from([wanted]);
        while let Some(id) = work.pop() {
            let (op, words) = self.index.declaration(id);
            // Literals may be taken for ids here, which does no harm.
            let operands = match op {
                Op::SpecConstantOp => words.get(4..),
                Op::ConstantComposite | Op::SpecConstantComposite => words.get(3..),
                _ => continue,
            };
            if known.contains_key(&id.0) {
                continue;
            }
            // Composites are there so that each is looked at once.
            known.insert(id.0, None);
            if op == Op::SpecConstantOp {
                open.push(id);
            }
            work.extend(operands.unwrap_or_default().iter().map(|&word| Id(word)));
        }
        // Operands come before what is made of them.
        open.sort_unstable_by_key(|&id| self.index.def_offset(id));
        for id in open {
            if let (_, &[_, ty, _, ref words @ ..]) = self.index.declaration(id)
                && let Some((ty, _)) = self.scalar_type(Id(ty))
                && let Some(value) = self.operation(ty, words, &known)
            {
                let is_specialized = self.may_change(words, &known);
                known.insert(id.0, Some((value, is_specialized)));
            }
        }
    }

    /// Whether specialization may change an operation. That none of its operands can change is
    /// only said of what sizes of descriptors are calculated with: others may be kept as
    /// operations for a reason.
    fn may_change(&self, words: &[u32], known: &Operations) -> bool {
        let mut operands = words.iter().skip(1).map(|&id| Id(id));
        let changes = |id: Id| match self.value(id, known) {
            Some(constant) => constant.is_specialized,
            // An index or what an operation doesn't depend on.
            None => false,
        };
        self.sizes.is_empty() || operands.any(changes)
    }

    /// A constant as a number; the bits of a negative one make a very large
    /// number, which is no length of anything.
    pub(super) fn get(&self, id: Id) -> Option<Extent> {
        let is_open = || !self.operations.borrow().contains_key(&id.0);
        if self.index.declaration(id).0 == Op::SpecConstantOp && is_open() {
            self.work_out(id);
        }
        let constant = self.value(id, &self.operations.borrow())?;
        Some(match constant.is_specialized {
            true => Extent::Default(constant.bits()),
            false => Extent::Fixed(constant.bits()),
        })
    }

    /// An integer or boolean type, and whether it is signed.
    fn scalar_type(&self, ty: Id) -> Option<(ScalarType, bool)> {
        match self.index.ty(ty) {
            Type::Int { width, signed } => {
                let ty = NumberType::integer(width, signed.into())?;
                Some((ty.into(), signed))
            }
            Type::Bool => Some((ScalarType::Bool, false)),
            _ => None,
        }
    }

    /// A constant, where `known` gives the results of operations.
    fn value(&self, id: Id, known: &Operations) -> Option<Constant> {
        let (op, &[_, ty, _, ref literal @ ..]) = self.index.declaration(id) else {
            return None;
        };
        let (ty, is_signed) = self.scalar_type(Id(ty))?;
        let read = || {
            let bits = NumberType::join(literal);
            (!literal.is_empty()).then(|| Scalar::new(ty, bits))
        };
        let (scalar, is_specialized) = match op {
            Op::Constant => (read(), false),
            Op::SpecConstant => (read(), true),
            Op::ConstantNull | Op::ConstantFalse => (Some(Scalar::zero(ty)), false),
            Op::ConstantTrue => (Some(true.into()), false),
            Op::SpecConstantFalse => (Some(false.into()), true),
            Op::SpecConstantTrue => (Some(true.into()), true),
            Op::SpecConstantOp => {
                let (value, is_specialized) = (*known.get(&id.0)?)?;
                (Some(value), is_specialized)
            }
            Op::ConstantSizeOfEXT => {
                let size = literal.first().and_then(|ty| self.sizes.get(ty));
                let size = size.map(|&bytes| Scalar::new(ty, bytes.into()));
                (size, false)
            }
            _ => (None, false),
        };
        Some(Constant {
            scalar: scalar?,
            is_signed,
            is_specialized,
        })
    }

    /// The part of a composite to which indexes lead.
    fn extract(&self, operands: &[u32], known: &Operations) -> Option<Scalar> {
        let (&composite, indexes) = operands.split_first()?;
        let mut part = Id(composite);
        for &index in indexes {
            let (Op::ConstantComposite | Op::SpecConstantComposite, words) =
                self.index.declaration(part)
            else {
                return None;
            };
            part = Id(*words.get(3..)?.get(index as usize)?);
        }
        Some(self.value(part, known)?.scalar)
    }

    /// The result of an operation: its opcode and the ids of its operands.
    fn operation(&self, ty: ScalarType, words: &[u32], known: &Operations) -> Option<Scalar> {
        let (&op, operands) = words.split_first()?;
        let op = Op(u16::try_from(op).ok()?);
        let operand = |id: u32| Some(self.value(Id(id), known)?.scalar);
        match (op, operands) {
            (Op::CompositeExtract, _) => {
                let part = self.extract(operands, known)?;
                return Some(Scalar::new(ty, part.bits()));
            }
            // What is not chosen need not be known.
            (Op::Select, &[condition, yes, no]) => {
                let chosen = if operand(condition)?.bits() == 0 {
                    no
                } else {
                    yes
                };
                return Some(Scalar::new(ty, operand(chosen)?.bits()));
            }
            _ => {}
        }
        let mut scalars = [Scalar::zero(ty); MAX_OPERANDS];
        let scalars = scalars.get_mut(..operands.len())?;
        for (scalar, &id) in scalars.iter_mut().zip(operands) {
            *scalar = operand(id)?;
        }
        let outcome = evaluate_scalar(op, ty, scalars, &Environment::default());
        outcome.ok()?.defined().ok()
    }
}

/// More operands than any operation on scalars has.
const MAX_OPERANDS: usize = 4;
