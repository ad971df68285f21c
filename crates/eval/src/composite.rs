//! Operations on whole composites: what moves their parts, and what makes one
//! value of several components or several of one.

use spirvkit_binary::Id;
use spirvkit_grammar::Op;

use alloc::vec::Vec;

use crate::evaluator::Evaluation;
use crate::integer;
use crate::outcome::{NotComputable, Reason};
use crate::scalar::{Scalar, ScalarType};
use crate::types::{Shape, Type};
use crate::value::{MAX_PARTS, Value};

/// The component literal of `OpVectorShuffle` that selects nothing.
const NO_COMPONENT: u32 = u32::MAX;

impl Evaluation<'_> {
    /// An operation that is not done component by component.
    pub(crate) fn composite(
        &self,
        op: Op,
        result_type: Id,
        operands: &[Value],
        literals: &[u32],
    ) -> Result<Value, NotComputable> {
        match op {
            Op::CopyObject | Op::CopyLogical => {
                let [value] = exactly(operands)?;
                Ok(self.types.adapt(result_type, value))
            }
            Op::CompositeExtract => {
                let [composite] = exactly(operands)?;
                self.extract(result_type, composite, literals)
            }
            Op::CompositeInsert => {
                let [object, composite] = exactly(operands)?;
                self.insert(result_type, object, composite, literals)
            }
            Op::CompositeConstruct => self.construct(result_type, operands),
            Op::CompositeConstructReplicateEXT => {
                let [part] = exactly(operands)?;
                let count = self.count(result_type)?;
                let part = self.adapted_part(result_type, 0, part);
                Value::replicate(part, count).ok_or(NotComputable::TooLarge)
            }
            Op::VectorShuffle => {
                let [first, second] = exactly(operands)?;
                self.shuffle(result_type, first, second, literals)
            }
            Op::VectorExtractDynamic => {
                let [vector, index] = exactly(operands)?;
                self.extract_dynamic(result_type, vector, index)
            }
            Op::VectorInsertDynamic => {
                let [vector, component, index] = exactly(operands)?;
                self.insert_dynamic(result_type, vector, component, index)
            }
            Op::Transpose => {
                let [matrix] = exactly(operands)?;
                self.transpose(result_type, matrix)
            }
            Op::Bitcast => {
                let [value] = exactly(operands)?;
                self.bit_cast(result_type, value)
            }
            Op::Any | Op::All => {
                let [vector] = exactly(operands)?;
                self.any_or_all(op, result_type, vector)
            }
            Op::Dot => {
                let [first, second] = exactly(operands)?;
                self.dot(result_type, first, second)
            }
            Op::VectorTimesMatrix
            | Op::MatrixTimesVector
            | Op::MatrixTimesMatrix
            | Op::MatrixTimesScalar
            | Op::OuterProduct => {
                let [first, second] = exactly(operands)?;
                self.product(op, result_type, first, second)
            }
            Op::SDot | Op::UDot | Op::SUDot => {
                let [_, _] = exactly(operands)?;
                self.integer_dot(op, result_type, operands, literals)
            }
            Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => {
                let [_, _, _] = exactly(operands)?;
                self.integer_dot(op, result_type, operands, literals)
            }
            Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended => {
                let [first, second] = exactly(operands)?;
                self.extended(op, result_type, first, second)
            }
            _ if makes_pointers(op) => Err(NotComputable::Pointer(op)),
            _ => Err(NotComputable::Opcode(op)),
        }
    }

    fn count(&self, ty: Id) -> Result<u32, NotComputable> {
        self.types.count(ty).ok_or(NotComputable::ResultType(ty))
    }

    /// A value that becomes a part of this type, in the form it has there.
    fn adapted_part(&self, ty: Id, index: u32, value: &Value) -> Value {
        match self.types.part(ty, index) {
            Some(part) => self.types.adapt(part, value),
            None => value.clone(),
        }
    }

    /// The parts of a composite of this type, to be changed. All of them are
    /// wanted, so there may not be too many.
    fn parts(&self, ty: Id, composite: &Value, index: usize) -> Result<Vec<Value>, NotComputable> {
        let Value::Composite(composite) = self.types.adapt(ty, composite) else {
            return Err(NotComputable::Operand { index });
        };
        let count = composite.len();
        if self.types.count(ty).is_some_and(|wanted| wanted != count) {
            return Err(NotComputable::Operand { index });
        }
        if count as usize > MAX_PARTS {
            return Err(NotComputable::TooLarge);
        }
        self.spend(count as usize)?;
        Ok(composite.parts().cloned().collect())
    }

    fn extract(
        &self,
        result_type: Id,
        composite: &Value,
        indexes: &[u32],
    ) -> Result<Value, NotComputable> {
        let mut value = composite;
        // What has no parts of its own is what all its parts are.
        let indexes = match value {
            Value::Null | Value::Undef => &[],
            _ => indexes,
        };
        for (place, &index) in indexes.iter().enumerate() {
            value = value
                .part(index)
                .ok_or(NotComputable::Operand { index: 1 + place })?;
        }
        Ok(self.types.adapt(result_type, value))
    }

    fn insert(
        &self,
        result_type: Id,
        object: &Value,
        composite: &Value,
        indexes: &[u32],
    ) -> Result<Value, NotComputable> {
        // Downwards, what is to be taken apart; upwards, put together again.
        let mut levels = Vec::with_capacity(indexes.len());
        let (mut ty, mut value) = (result_type, composite.clone());
        for (place, &index) in indexes.iter().enumerate() {
            let wrong = NotComputable::Operand { index: 2 + place };
            let parts = self.parts(ty, &value, 1)?;
            value = parts.get(index as usize).ok_or(wrong)?.clone();
            ty = self.types.part(ty, index).ok_or(wrong)?;
            levels.push((parts, index as usize));
        }
        let mut result = self.types.adapt(ty, object);
        for (mut parts, index) in levels.into_iter().rev() {
            if let Some(part) = parts.get_mut(index) {
                *part = result;
            }
            result = Value::composite(parts).ok_or(NotComputable::TooLarge)?;
        }
        Ok(result)
    }

    fn construct(&self, result_type: Id, operands: &[Value]) -> Result<Value, NotComputable> {
        let wrong = NotComputable::OperandCount {
            found: operands.len(),
        };
        let count = self.count(result_type)? as usize;
        let is_vector = matches!(self.types.shape(result_type), Shape::Vector(..));
        let mut parts = Vec::with_capacity(operands.len());
        for operand in operands {
            match operand {
                // A vector may be made of vectors.
                Value::Composite(vector) if is_vector => {
                    if vector.len() as usize > count - parts.len() {
                        return Err(wrong);
                    }
                    if parts.len() + vector.len() as usize > MAX_PARTS {
                        return Err(NotComputable::TooLarge);
                    }
                    parts.extend(vector.parts().cloned());
                }
                _ if parts.len() == count => return Err(wrong),
                _ => parts.push(self.adapted_part(result_type, parts.len() as u32, operand)),
            }
        }
        if parts.len() != count {
            return Err(wrong);
        }
        self.made_of(parts)
    }

    fn shuffle(
        &self,
        result_type: Id,
        first: &Value,
        second: &Value,
        components: &[u32],
    ) -> Result<Value, NotComputable> {
        let Shape::Vector(scalar, count) = self.types.shape(result_type) else {
            return Err(NotComputable::ResultType(result_type));
        };
        if count.is_some_and(|count| count as usize != components.len()) {
            return Err(NotComputable::ResultType(result_type));
        }
        let Value::Composite(first) = first else {
            return Err(NotComputable::Operand { index: 0 });
        };
        let part = |(place, &component): (usize, &u32)| {
            if component == NO_COMPONENT {
                return Ok(Value::Undef);
            }
            let part = match (component.checked_sub(first.len()), second) {
                (None, _) => first.part(component),
                (Some(component), Value::Composite(second)) => second.part(component),
                (Some(_), Value::Undef) => Some(second),
                (Some(_), _) => return Err(NotComputable::Operand { index: 1 }),
            };
            match part {
                Some(Value::Scalar(found)) if found.ty() != scalar => {
                    Err(NotComputable::ResultType(result_type))
                }
                Some(part) => Ok(part.clone()),
                None => Err(NotComputable::Operand { index: 2 + place }),
            }
        };
        let parts = components.iter().enumerate().map(part);
        let parts: Vec<Value> = parts.collect::<Result<_, _>>()?;
        self.made_of(parts)
    }

    /// A dynamic index, if it is in bounds.
    fn index(&self, index: &Value, place: usize, count: u32) -> Result<Option<u32>, NotComputable> {
        let index = match index {
            Value::Scalar(scalar) if matches!(scalar.ty(), ScalarType::Integer { .. }) => {
                scalar.bits()
            }
            Value::Null => 0,
            Value::Undef => {
                self.note(Some(Reason::Operand));
                0
            }
            _ => return Err(NotComputable::Operand { index: place }),
        };
        let index = u32::try_from(index).ok().filter(|index| *index < count);
        self.note(index.is_none().then_some(Reason::IndexOutOfBounds));
        Ok(index)
    }

    fn extract_dynamic(
        &self,
        result_type: Id,
        vector: &Value,
        index: &Value,
    ) -> Result<Value, NotComputable> {
        let Value::Composite(vector) = vector else {
            return Err(NotComputable::Operand { index: 0 });
        };
        let part = match self.index(index, 1, vector.len())? {
            Some(index) => vector.part(index).unwrap_or(&Value::Null),
            None => &Value::Null,
        };
        Ok(self.types.adapt(result_type, part))
    }

    fn insert_dynamic(
        &self,
        result_type: Id,
        vector: &Value,
        component: &Value,
        index: &Value,
    ) -> Result<Value, NotComputable> {
        let count = self.count(result_type)?;
        match self.index(index, 2, count)? {
            Some(index) => self.insert(result_type, component, vector, &[index]),
            None => Ok(self.types.adapt(result_type, vector)),
        }
    }

    fn transpose(&self, result_type: Id, matrix: &Value) -> Result<Value, NotComputable> {
        let Value::Composite(columns) = matrix else {
            return Err(NotComputable::Operand { index: 0 });
        };
        let wrong = NotComputable::ResultType(result_type);
        let rows = self.count(result_type)?;
        let column = self.types.part(result_type, 0).ok_or(wrong)?;
        if self.types.count(column) != Some(columns.len()) {
            return Err(wrong);
        }
        let scalars = u64::from(rows) * u64::from(columns.len());
        if scalars > MAX_PARTS as u64 {
            return Err(NotComputable::TooLarge);
        }
        let row = |row: u32| {
            let parts = columns.parts().map(|column| column.part(row).cloned());
            let parts: Vec<Value> = parts
                .collect::<Option<_>>()
                .ok_or(NotComputable::Operand { index: 0 })?;
            self.made_of(parts)
        };
        let rows: Vec<Value> = (0..rows).map(row).collect::<Result<_, _>>()?;
        self.made_of(rows)
    }

    /// A scalar of a known type out of a part; `index` is the operand it is in.
    pub(crate) fn scalar(
        &self,
        ty: ScalarType,
        part: &Value,
        index: usize,
    ) -> Result<Scalar, NotComputable> {
        match part {
            Value::Scalar(scalar) if scalar.ty() == ty => Ok(*scalar),
            Value::Null => Ok(Scalar::zero(ty)),
            Value::Undef => {
                self.note(Some(Reason::Operand));
                Ok(Scalar::zero(ty))
            }
            _ => Err(NotComputable::Operand { index }),
        }
    }

    /// `OpBitcast`: the bits of the operand, low components and low bits first, dealt
    /// out again.
    fn bit_cast(&self, result_type: Id, value: &Value) -> Result<Value, NotComputable> {
        let wrong = NotComputable::ResultType(result_type);
        let (ty, count) = match self.types.shape(result_type) {
            Shape::Pointer => return Err(NotComputable::Pointer(Op::Bitcast)),
            Shape::Other | Shape::Scalar(ScalarType::Bool) => return Err(wrong),
            Shape::Scalar(ty) => (ty, 1),
            Shape::Vector(ty, count) => (ty, count.ok_or(wrong)?),
        };
        let whole = match value {
            Value::Null => self.types.null(result_type),
            _ if value.is_undef() => self.types.undef(result_type),
            _ => None,
        };
        if let Some(whole) = whole {
            return Ok(whole);
        }
        let parts = match value {
            Value::Composite(vector) => vector.len(),
            _ => 1,
        };
        let part = |index| match value {
            Value::Composite(vector) => vector.part(index),
            _ => Some(value),
        };
        let from = (0..parts)
            .find_map(|index| part(index)?.scalar())
            .ok_or(NotComputable::Operand { index: 0 })?
            .ty();
        let (old, new) = (u64::from(from.width()), u64::from(ty.width()));
        let total = old * u64::from(parts);
        let divides = old % new == 0 || new % old == 0;
        if from == ScalarType::Bool || !divides || total != new * u64::from(count) {
            return Err(NotComputable::Operand { index: 0 });
        }
        let component = |index: u64| {
            let mut filled = 0;
            let mut bits = 0;
            while filled < new {
                let at = index * new + filled;
                let part = part((at / old) as u32).ok_or(NotComputable::Operand { index: 0 })?;
                // A part has its place in a wider component, or the other way round.
                bits |= (self.scalar(from, part, 0)?.bits() >> (at % old)) << filled;
                filled += old;
            }
            Ok(Value::Scalar(Scalar::new(ty, bits)))
        };
        if !matches!(self.types.shape(result_type), Shape::Vector(..)) {
            return component(0);
        }
        // Whatever else it is, what is uniform stays so if no component is divided.
        if let Value::Composite(vector) = value
            && vector.uniform().is_some()
            && old <= new
        {
            return Value::replicate(component(0)?, count).ok_or(NotComputable::TooLarge);
        }
        if count as usize > MAX_PARTS {
            return Err(NotComputable::TooLarge);
        }
        let components = (0..count.into()).map(component);
        self.made_of(components.collect::<Result<_, _>>()?)
    }

    fn any_or_all(&self, op: Op, result_type: Id, vector: &Value) -> Result<Value, NotComputable> {
        if self.types.scalar(result_type) != Some(ScalarType::Bool) {
            return Err(NotComputable::ResultType(result_type));
        }
        let Value::Composite(components) = vector else {
            return Err(NotComputable::Operand { index: 0 });
        };
        let test = |part: &Value| Ok(self.scalar(ScalarType::Bool, part, 0)?.bits() != 0);
        if let Some(part) = components.uniform() {
            return Ok(test(part)?.into());
        }
        self.spend(components.len() as usize)?;
        let (mut any, mut all) = (false, true);
        for part in components.parts() {
            let value = test(part)?;
            any |= value;
            all &= value;
        }
        Ok((if op == Op::Any { any } else { all }).into())
    }

    /// The operations with a structure of two halves as their result.
    fn extended(
        &self,
        op: Op,
        result_type: Id,
        first: &Value,
        second: &Value,
    ) -> Result<Value, NotComputable> {
        let wrong = NotComputable::ResultType(result_type);
        let member = match self.types.get(result_type) {
            Some(Type::Struct(&[low, high])) if low == high => low,
            _ => return Err(wrong),
        };
        let halves = |ty: ScalarType, a: &Value, b: &Value| {
            let (a, b) = (self.scalar(ty, a, 0)?, self.scalar(ty, b, 1)?);
            let (low, high) = integer::extended(op, ty.width(), a.bits(), b.bits())
                .ok_or(NotComputable::Opcode(op))?;
            Ok([low, high].map(|bits| Value::Scalar(Scalar::new(ty, bits))))
        };
        let members = match self.types.shape(member) {
            Shape::Scalar(ty @ ScalarType::Integer { .. }) => halves(ty, first, second)?,
            Shape::Vector(ty @ ScalarType::Integer { .. }, _) => {
                let first = self.parts(member, first, 0)?;
                let second = self.parts(member, second, 1)?;
                if first.len() != second.len() {
                    return Err(NotComputable::Operand { index: 1 });
                }
                let (mut low, mut high) = (Vec::new(), Vec::new());
                for (a, b) in first.iter().zip(&second) {
                    let [a, b] = halves(ty, a, b)?;
                    low.push(a);
                    high.push(b);
                }
                let vector = |parts| self.made_of(parts);
                [vector(low)?, vector(high)?]
            }
            _ => return Err(wrong),
        };
        Value::composite(members).ok_or(NotComputable::TooLarge)
    }
}

/// The operands, if there are as many as the opcode takes.
fn exactly<const N: usize>(operands: &[Value]) -> Result<&[Value; N], NotComputable> {
    let found = operands.len();
    operands
        .try_into()
        .map_err(|_| NotComputable::OperandCount { found })
}

/// Whether an opcode makes a pointer, or a number of one.
fn makes_pointers(op: Op) -> bool {
    matches!(
        op,
        Op::ConvertPtrToU
            | Op::ConvertUToPtr
            | Op::PtrCastToGeneric
            | Op::GenericCastToPtr
            | Op::GenericCastToPtrExplicit
            | Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain
            | Op::UntypedAccessChainKHR
            | Op::UntypedInBoundsAccessChainKHR
            | Op::UntypedPtrAccessChainKHR
            | Op::UntypedInBoundsPtrAccessChainKHR
    )
}
