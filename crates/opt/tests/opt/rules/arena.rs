//! Values of which rules can make others, and that can be evaluated.

use std::cell::Cell;
use std::collections::BTreeMap;

use spirvkit_binary::{FloatFormat, Id, NumberType};
use spirvkit_eval::{
    Environment, Evaluator, Outcome, Scalar, ScalarType, Sequence, Type, Types, Value,
};
use spirvkit_grammar::{GlslStd450, Op};
use spirvkit_opt::rules::{Modes, Values, canonicalize, simplify, simplify_composite};

/// The set that values are instructions of.
pub(super) const GLSL: Id = Id(9);

/// The first id of a value; lower ones are types'.
const FIRST: u32 = 1000;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub(super) op: Op,
    pub(super) ty: Id,
    pub(super) operands: Vec<u32>,
}

/// Types and values.
#[derive(Clone, Debug, Default)]
pub(super) struct Arena {
    types: Types,
    kinds: Vec<(u8, ScalarType, u32, bool)>,
    composites: Vec<(Id, Vec<Id>)>,
    pub(super) nodes: Vec<Node>,
    /// Values that are of use to one operation only.
    pub(super) used_once: Vec<Id>,
    /// Whether all values are.
    pub(super) is_all_used_once: bool,
    /// Whether what is made is simplified in turn.
    pub(super) is_eager: bool,
    /// How often something was made.
    pub(super) made: Cell<usize>,
}

impl Arena {
    /// The type of scalars, or of vectors of more than one; of integers, also of signed ones.
    pub(super) fn numbers(&mut self, scalar: ScalarType, count: u32, is_signed: bool) -> Id {
        let key = (1, scalar, count, is_signed);
        let index = self.kinds.iter().position(|known| *known == key);
        if let Some(index) = index {
            return Id(10 + index as u32);
        }
        if count > 1 {
            self.numbers(scalar, 1, is_signed);
        }
        self.kinds.push(key);
        let id = Id(10 + self.kinds.len() as u32 - 1);
        let ty = match (count, scalar) {
            (1, ScalarType::Bool) => Type::Bool,
            (1, ScalarType::Integer { width }) => Type::Number(NumberType::Integer {
                width,
                signed: is_signed,
            }),
            (1, ScalarType::Float(format)) => Type::Number(NumberType::Float(format)),
            _ => Type::Sequence {
                kind: Sequence::Vector,
                part: self.numbers(scalar, 1, is_signed),
                count: Some(count),
            },
        };
        self.types.insert(id, ty);
        id
    }

    /// The type of structures with these members.
    pub(super) fn structure(&mut self, members: &[Id]) -> Id {
        let known = self.composites.iter().find(|known| known.1 == members);
        if let Some(known) = known {
            return known.0;
        }
        let id = Id(500 + self.composites.len() as u32);
        self.types.insert(id, Type::Struct(members));
        self.composites.push((id, members.to_vec()));
        id
    }

    pub(super) fn add(&mut self, op: Op, ty: Id, operands: &[u32]) -> Id {
        let node = Node {
            op,
            ty,
            operands: operands.to_vec(),
        };
        let known = match op {
            Op::FunctionParameter => None,
            _ => self.nodes.iter().position(|known| *known == node),
        };
        let index = known.unwrap_or_else(|| {
            self.nodes.push(node);
            self.nodes.len() - 1
        });
        Id(FIRST + index as u32)
    }

    pub(super) fn parameter(&mut self, ty: Id) -> Id {
        self.add(Op::FunctionParameter, ty, &[])
    }

    pub(super) fn node(&self, value: Id) -> &Node {
        &self.nodes[(value.0 - FIRST) as usize]
    }

    /// Which operands of a node are values.
    pub(super) fn values_of(&self, value: Id) -> Vec<Id> {
        let node = self.node(value);
        let ids = match (node.op, &node.operands[..]) {
            (Op::Constant | Op::ConstantTrue | Op::ConstantFalse, _) => &[],
            (Op::CompositeExtract, [composite, ..]) => std::slice::from_ref(composite),
            (Op::CompositeInsert | Op::VectorShuffle, operands) => &operands[..2],
            (Op::ExtInst, operands) => &operands[2..],
            (_, operands) => operands,
        };
        ids.iter().map(|&id| Id(id)).collect()
    }

    /// All values that one is made of, itself included, without constants.
    pub(super) fn reachable(&self, roots: &[Id]) -> Vec<Id> {
        let mut found: Vec<Id> = Vec::new();
        let mut work = roots.to_vec();
        while let Some(value) = work.pop() {
            let op = self.node(value).op;
            if found.contains(&value) || op.is_constant() || op == Op::FunctionParameter {
                continue;
            }
            found.push(value);
            work.extend(self.values_of(value));
        }
        found
    }

    /// The words of all operations that values are made of.
    pub(super) fn words(&self, roots: &[Id]) -> usize {
        let reachable = self.reachable(roots);
        reachable
            .iter()
            .map(|&value| 3 + self.node(value).operands.len())
            .sum()
    }

    /// What a value is where parameters are these. `Err` if it is undefined.
    pub(super) fn evaluate(
        &self,
        value: Id,
        parameters: &BTreeMap<Id, Value>,
        environment: &Environment,
    ) -> Result<Value, spirvkit_eval::Reason> {
        let node = self.node(value);
        match node.op {
            Op::FunctionParameter => return Ok(parameters[&value].clone()),
            Op::Constant | Op::ConstantTrue | Op::ConstantFalse => {
                let (scalar, _) = self.shape(node.ty).unwrap();
                return Ok(Value::Scalar(Scalar::new(
                    scalar,
                    self.bits(value).unwrap(),
                )));
            }
            Op::ConstantNull => return Ok(self.types.null(node.ty).unwrap()),
            Op::Undef => return Ok(self.types.undef(node.ty).unwrap()),
            Op::CopyLogical => return self.evaluate(Id(node.operands[0]), parameters, environment),
            _ => {}
        }
        let mut operands = Vec::new();
        for operand in self.values_of(value) {
            operands.push(self.evaluate(operand, parameters, environment)?);
        }
        let evaluator = Evaluator::new(&self.types).environment(*environment);
        let literals = match node.op {
            Op::CompositeExtract => &node.operands[1..],
            Op::CompositeInsert | Op::VectorShuffle => &node.operands[2..],
            _ => &[],
        };
        let outcome: Outcome<Value> = match node.op {
            Op::ExtInst => {
                let number = GlslStd450(node.operands[1]);
                evaluator.evaluate_glsl(number, node.ty, &operands).unwrap()
            }
            Op::ConstantComposite => evaluator
                .evaluate(Op::CompositeConstruct, node.ty, &operands, &[])
                .unwrap(),
            op => evaluator
                .evaluate(op, node.ty, &operands, literals)
                .unwrap_or_else(|error| panic!("{op} {operands:?} {literals:?}: {error}")),
        };
        outcome.defined()
    }

    /// A constant, of which all components have these bits.
    fn splat(&mut self, ty: Id, bits: u64) -> Id {
        let (scalar, count) = self.shape(ty).unwrap();
        if count > 1 {
            let part = self.part(ty, 0).unwrap();
            let part = self.splat(part, bits);
            return self.add(Op::ConstantComposite, ty, &vec![part.0; count as usize]);
        }
        let bits = Scalar::new(scalar, bits).bits();
        match (scalar, bits) {
            (ScalarType::Bool, 0) => self.add(Op::ConstantFalse, ty, &[]),
            (ScalarType::Bool, _) => self.add(Op::ConstantTrue, ty, &[]),
            _ => self.add(Op::Constant, ty, &[bits as u32, (bits >> 32) as u32]),
        }
    }
}

impl Values for Arena {
    fn op(&self, value: Id) -> Op {
        self.node(value).op
    }

    fn ty(&self, value: Id) -> Id {
        self.node(value).ty
    }

    fn operands(&self, value: Id) -> &[u32] {
        &self.node(value).operands
    }

    fn shape(&self, ty: Id) -> Option<(ScalarType, u32)> {
        match self.types.get(ty)? {
            Type::Sequence {
                kind: Sequence::Vector,
                part,
                count,
            } => Some((self.types.scalar(part)?, count?)),
            _ => Some((self.types.scalar(ty)?, 1)),
        }
    }

    fn bits(&self, value: Id) -> Option<u64> {
        let node = self.node(value);
        match (node.op, &node.operands[..]) {
            (Op::ConstantTrue, _) => Some(1),
            (Op::ConstantFalse, _) => Some(0),
            (Op::ConstantNull, _) => self.shape(node.ty).map(|_| 0),
            (Op::Constant, &[low, high]) => Some(u64::from(low) | u64::from(high) << 32),
            (Op::ConstantComposite, [first, rest @ ..]) => {
                let is_uniform = rest.iter().all(|part| part == first);
                is_uniform.then(|| self.bits(Id(*first)))?
            }
            _ => None,
        }
    }

    fn make(&mut self, op: Op, ty: Id, operands: &[u32]) -> Id {
        self.made.set(self.made.get() + 1);
        assert!(self.made.get() < 100_000, "this never ends");
        let (mut op, mut operands) = (op, operands.to_vec());
        canonicalize(self, &mut op, &mut operands);
        if self.is_eager {
            let modes = Modes::default();
            let simpler = simplify(self, &modes, op, ty, &operands)
                .or_else(|| simplify_composite(self, op, ty, &operands));
            if let Some(simpler) = simpler {
                return simpler;
            }
        }
        self.add(op, ty, &operands)
    }

    fn constant(&mut self, ty: Id, bits: u64) -> Id {
        self.splat(ty, bits)
    }

    fn part(&self, ty: Id, index: u32) -> Option<Id> {
        self.types.part(ty, index)
    }

    fn count(&self, ty: Id) -> Option<u32> {
        self.types.count(ty)
    }

    fn is_glsl(&self, set: Id) -> bool {
        set == GLSL
    }

    fn is_used_once(&self, value: Id) -> bool {
        self.is_all_used_once || self.used_once.contains(&value)
    }
}

/// Whether one value may stand for another: it is the same where that is defined.
pub(super) fn refines(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Undef, _) => true,
        (Value::Scalar(a), Value::Scalar(b)) => {
            let is_nan = |scalar: &Scalar| scalar.to_f64().is_some_and(f64::is_nan);
            a == b || is_nan(a) && is_nan(b)
        }
        (Value::Composite(a), Value::Composite(b)) => {
            a.len() == b.len() && a.parts().zip(b.parts()).all(|(a, b)| refines(a, b))
        }
        (a, _) if a.is_undef() => true,
        (a, b) => a == b,
    }
}

/// A value of a type, of bits that something gives.
pub(super) fn value_of(arena: &Arena, ty: Id, bits: &mut impl FnMut(ScalarType) -> u64) -> Value {
    if let Some((scalar, 1)) = arena.shape(ty) {
        return Value::Scalar(Scalar::new(scalar, bits(scalar)));
    }
    let count = arena.count(ty).unwrap();
    let parts: Vec<Value> = (0..count)
        .map(|index| value_of(arena, arena.part(ty, index).unwrap(), bits))
        .collect();
    Value::composite(parts).unwrap()
}

pub(super) const SINGLE: ScalarType = ScalarType::Float(FloatFormat::Single);
pub(super) const INT: ScalarType = ScalarType::Integer { width: 32 };
