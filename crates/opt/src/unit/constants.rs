//! Constants: each value once, and operations on constants.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};
use spirvkit_binary::{Id, Instruction, WordOffset};
use spirvkit_eval::{ScalarType, Types, Value as Constant};
use spirvkit_grammar::{GlslStd450, Op};
use spirvkit_transform::fold;

use super::{Unit, Value};
use crate::Float;

/// The values of constants, and where they are.
#[derive(Clone, Default)]
pub(crate) struct Constants {
    folder: fold::Constants,
    by_content: HashTable<Value>,
    hasher: DefaultHashBuilder,
    /// Whether operations on floating-point numbers are left alone, because an execution mode
    /// says how to round.
    pub(crate) keeps_float_operations: bool,
}

/// Composites of more parts are not made of operations on constants.
const MAX_PARTS: u32 = 64;

/// Nor are deeper ones.
const MAX_DEPTH: u32 = 8;

impl Constants {
    pub(crate) fn with_word_limit(words: usize) -> Self {
        Self {
            folder: fold::Constants::with_word_limit(words),
            ..Self::default()
        }
    }

    pub(crate) fn types(&self) -> &Types {
        self.folder.types()
    }

    /// Takes note of a type, or of a constant that no specialization changes.
    pub(crate) fn define(&mut self, instruction: &Instruction<'_>) {
        if !instruction.op().is_spec_constant() {
            // What can't be read has no value.
            let _ = self.folder.define(instruction);
        }
    }

    pub(crate) fn value(&self, id: Value) -> Option<&Constant> {
        self.folder.value(Id(id))
    }
}

impl Unit {
    /// The bits of a constant scalar, or of all components of a vector that are equal.
    pub(crate) fn bits(&self, value: Value) -> Option<u64> {
        if !self.op(value).is_constant() {
            return None;
        }
        match self.constants.value(value)? {
            Constant::Scalar(scalar) => Some(scalar.bits()),
            Constant::Null => self.shape(self.node(value).ty).map(|_| 0),
            Constant::Composite(composite) => match composite.uniform()? {
                Constant::Scalar(scalar) => {
                    self.shape(self.node(value).ty)?;
                    Some(scalar.bits())
                }
                Constant::Null => self.shape(self.node(value).ty).map(|_| 0),
                _ => None,
            },
            _ => None,
        }
    }

    /// The constant with these operands, which is made if there is none.
    pub(crate) fn constant_node(&mut self, op: Op, ty: u32, operands: &[u32]) -> Value {
        let hash = self.constants.hasher.hash_one((op.0, ty, operands));
        let (nodes, pool) = (&self.nodes, &self.pool);
        let found = self.constants.by_content.find(hash, |&other| {
            let node = &nodes[other as usize];
            node.op == op && node.ty == ty && &pool[node.range()] == operands
        });
        if let Some(&found) = found {
            return found;
        }
        let ids = if op.is_composite_constant() {
            u64::MAX
        } else {
            0
        };
        let made = self.add(op, ty, operands, ids);
        self.globals.push(made);
        let mut words = vec![
            (operands.len() as u32 + 3) << 16 | u32::from(op.0),
            ty,
            made,
        ];
        words.extend_from_slice(operands);
        if let Some(instruction) = Instruction::from_words(&words, WordOffset(0)) {
            self.constants.define(&instruction);
        }
        self.intern(made, hash);
        made
    }

    /// Lets a constant of the module stand for all that are equal to it. Returns another that
    /// does so already.
    pub(crate) fn intern_existing(&mut self, value: Value) -> Option<Value> {
        let node = self.node(value);
        let operands = &self.pool[node.range()];
        let hash = self
            .constants
            .hasher
            .hash_one((node.op.0, node.ty, operands));
        let (nodes, pool) = (&self.nodes, &self.pool);
        let found = self.constants.by_content.find(hash, |&other| {
            let other = &nodes[other as usize];
            other.op == node.op && other.ty == node.ty && &pool[other.range()] == operands
        });
        if let Some(&found) = found {
            return Some(found);
        }
        self.intern(value, hash);
        None
    }

    fn intern(&mut self, value: Value, hash: u64) {
        let (nodes, pool, hasher) = (&self.nodes, &self.pool, &self.constants.hasher);
        self.constants
            .by_content
            .insert_unique(hash, value, |&other| {
                let node = &nodes[other as usize];
                hasher.hash_one((node.op.0, node.ty, &pool[node.range()]))
            });
    }

    /// An undefined value of a type.
    pub(crate) fn undef(&mut self, ty: u32) -> Value {
        self.constant_node(Op::Undef, ty, &[])
    }

    /// The zero of a type.
    pub(crate) fn null(&mut self, ty: u32) -> Value {
        match self.constants.types().null(Id(ty)) {
            Some(value) => {
                let made = self.constant_of(ty, &value, 0);
                made.unwrap_or_else(|| self.constant_node(Op::ConstantNull, ty, &[]))
            }
            None => self.constant_node(Op::ConstantNull, ty, &[]),
        }
    }

    /// A constant of a scalar or vector type whose components all have these bits.
    pub(crate) fn splat(&mut self, ty: u32, bits: u64) -> Option<Value> {
        let (scalar, count) = self.shape(ty)?;
        let part = Constant::Scalar(spirvkit_eval::Scalar::new(scalar, bits));
        let value = match self.op(ty) {
            Op::TypeVector => Constant::replicate(part, count)?,
            _ => part,
        };
        self.constant_of(ty, &value, 0)
    }

    /// The node of a constant with a value.
    fn constant_of(&mut self, ty: u32, value: &Constant, depth: u32) -> Option<Value> {
        let mut parts = Vec::new();
        if let Constant::Composite(composite) = value
            && !value.is_null()
            && !value.is_undef()
        {
            if composite.len() > MAX_PARTS || depth > MAX_DEPTH {
                return None;
            }
            for index in 0..composite.len() {
                let part_ty = self.constants.types().part(Id(ty), index)?;
                let part = composite.part(index)?.clone();
                parts.push(Id(self.constant_of(part_ty.0, &part, depth + 1)?));
            }
        }
        let mut words = Vec::new();
        fold::write(
            &mut words,
            self.constants.types(),
            Id(ty),
            Id(0),
            value,
            &parts,
        )
        .ok()?;
        let op = Op(*words.first()? as u16);
        Some(self.constant_node(op, ty, words.get(3..)?))
    }

    /// The constant that an operation on constants gives.
    pub(crate) fn fold(&mut self, op: Op, ty: u32, operands: &[u32], ids: u64) -> Option<Value> {
        let leading = (0..operands.len()).take_while(|&index| Self::is_id(ids, index));
        let (arguments, literals) = operands.split_at(leading.count());
        let (arguments, literals, function) = match op {
            Op::ExtInst => {
                let function = GlslStd450(*literals.first()?);
                // The precision of others is a range, in which the evaluator's results are.
                let may_fold =
                    folds_exactly(function) || self.is_shader && self.options.float == Float::Api;
                if !self.is_glsl(*arguments.first()?) || !may_fold {
                    return None;
                }
                (literals.get(1..)?, &[][..], Some(function))
            }
            _ => (arguments, literals, None),
        };
        if arguments.is_empty() || !arguments.iter().all(|&id| self.is_fixed_constant(id)) {
            return None;
        }
        let values: Option<Vec<Constant>> = arguments
            .iter()
            .map(|&id| self.constants.value(id).cloned())
            .collect();
        let values = values?;
        let evaluator = self.constants.folder.evaluator();
        let outcome = match function {
            Some(function) => evaluator.evaluate_glsl(function, Id(ty), &values),
            None => evaluator.evaluate(op, Id(ty), &values, literals),
        };
        let value = outcome.ok()?.defined().ok()?;
        if !moves_only(op) {
            let plain = |value: &Constant| is_plain(value, self.constants.keeps_float_operations);
            if !plain(&value) || !values.iter().all(plain) {
                return None;
            }
        }
        self.constant_of(ty, &value, 0)
    }

    /// Whether a value is a constant that no specialization changes, or undefined.
    pub(crate) fn is_fixed_constant(&self, value: Value) -> bool {
        let op = self.op(value);
        op == Op::Undef || op.is_constant() && !op.is_spec_constant()
    }
}

/// Whether an operation only moves bits, so that numbers don't matter.
fn moves_only(op: Op) -> bool {
    matches!(
        op,
        Op::CompositeExtract
            | Op::CompositeInsert
            | Op::CompositeConstruct
            | Op::VectorShuffle
            | Op::VectorExtractDynamic
            | Op::VectorInsertDynamic
            | Op::Select
            | Op::Bitcast
            | Op::CopyLogical
            | Op::Transpose
    )
}

/// Whether all machines compute with a value alike: it has no denormal number, infinity or NaN,
/// and no floating-point number at all if rounding may differ.
fn is_plain(value: &Constant, no_floats: bool) -> bool {
    match value {
        Constant::Scalar(scalar) => match scalar.ty() {
            ScalarType::Float(_) => {
                !no_floats
                    && scalar.to_f64().is_some_and(|number| {
                        number == 0.0 && scalar.bits() << 1 & scalar.ty().mask() == 0
                            || number.is_finite() && !is_denormal(scalar)
                    })
            }
            _ => true,
        },
        Constant::Composite(composite) => match composite.uniform() {
            Some(part) => is_plain(part, no_floats),
            None => composite.parts().all(|part| is_plain(part, no_floats)),
        },
        Constant::Null => true,
        _ => false,
    }
}

fn is_denormal(scalar: &spirvkit_eval::Scalar) -> bool {
    let (exponent_bits, width) = match scalar.ty().width() {
        16 => (5, 16),
        32 => (8, 32),
        64 => (11, 64),
        _ => return true,
    };
    let magnitude = scalar.bits() & (scalar.ty().mask() >> 1);
    let mantissa = width - 1 - exponent_bits;
    magnitude >> mantissa == 0 && magnitude != 0
}

/// Functions whose results all implementations have to agree on.
fn folds_exactly(function: GlslStd450) -> bool {
    matches!(
        function,
        GlslStd450::FAbs
            | GlslStd450::SAbs
            | GlslStd450::FSign
            | GlslStd450::SSign
            | GlslStd450::Floor
            | GlslStd450::Ceil
            | GlslStd450::Trunc
            | GlslStd450::RoundEven
            | GlslStd450::FMin
            | GlslStd450::UMin
            | GlslStd450::SMin
            | GlslStd450::FMax
            | GlslStd450::UMax
            | GlslStd450::SMax
            | GlslStd450::FClamp
            | GlslStd450::UClamp
            | GlslStd450::SClamp
            | GlslStd450::FindILsb
            | GlslStd450::FindSMsb
            | GlslStd450::FindUMsb
    )
}
