//! What is computed (sections 3.32.11 to 3.32.15), component by component.

use spirvkit_analysis::index::Inst as Instruction;
use spirvkit_analysis::{Lookup, Type};
use spirvkit_binary::{FloatFormat, Id};
use spirvkit_eval::{
    Denormals, Environment, FloatMode, NotComputable, Rounding, Scalar, ScalarType, evaluate_dot,
    evaluate_scalar,
};
use spirvkit_grammar::{Decoration, ExecutionMode, Op};

use super::opcodes::{Owner, owner};
use super::types::{F32, U32};
use super::{Lowering, Result, Value, arguments};
use crate::fast::fast;
use crate::program::{
    Binary, General, GeneralOp, Inst, MAX_OPERANDS, NO_REG, Operand, Reg, Unary, pair,
};
use crate::special::{Dot, Special};

impl<'a> Lowering<'_, 'a> {
    /// An instruction that is no terminator.
    pub(super) fn instruction(&mut self, inst: Instruction<'a>) -> Result<()> {
        let op = inst.op();
        let Some(owner) = owner(op) else {
            return Err(self.unsupported(op.to_string()));
        };
        match owner {
            Owner::Nothing | Owner::Declaration | Owner::Constant => Ok(()),
            Owner::Terminator => Err(self.broken("a block ends before its last instruction")),
            Owner::Load => self.load(inst),
            Owner::Store => self.store(inst),
            Owner::Predicated => self.predicated(inst),
            Owner::CopyMemory => self.copy_memory(inst),
            Owner::CopyBytes => self.copy_bytes(inst),
            Owner::AsyncCopy => self.async_copy(inst),
            Owner::Events => self.wait_for_events(),
            Owner::ArrayLength => self.array_length(inst),
            Owner::AccessChain => self.access_chain(inst),
            Owner::PointersEqual => self.pointers_equal(inst),
            Owner::Pointers => self.pointer_operation(inst),
            Owner::Call => self.call(inst),
            Owner::Barrier => self.barrier(inst),
            Owner::Fence => self.memory_barrier(inst),
            Owner::NamedBarrier => self.computed(inst, Self::named_barrier),
            Owner::NamedWait => self.wait_at_named(inst),
            Owner::Pipe => self.pipe(inst),
            Owner::Enqueue => self.enqueue(inst),
            Owner::Extended => self.extended(inst),
            Owner::Atomic => self.atomic(inst),
            Owner::AtomicFlag => self.atomic_flag(inst),
            Owner::Assume => {
                let condition = self.scalar(inst.id(0))?;
                self.special(Special::Assume { condition });
                Ok(())
            }
            Owner::Clock => self.computed(inst, Self::clock),
            Owner::Group => self.group(inst),
            Owner::Image => self.image(inst),
            Owner::Derivative => self.computed(inst, Self::derivative),
            Owner::Undef => {
                let value = self.constant(inst.result().unwrap_or(Id(0)))?;
                self.define(inst, value);
                Ok(())
            }
            Owner::Copy => self.copy_object(inst),
            Owner::Bitcast => self.bitcast(inst),
            Owner::Select => self.select(inst),
            Owner::Construct => self.computed(inst, Self::constructed),
            Owner::Extract => self.computed(inst, Self::extracted),
            Owner::Insert => self.computed(inst, Self::inserted),
            Owner::Shuffle => self.computed(inst, Self::shuffled),
            Owner::ExtractDynamic => self.computed(inst, Self::extract_dynamic),
            Owner::InsertDynamic => self.computed(inst, Self::insert_dynamic),
            Owner::Transpose => self.computed(inst, Self::transposed),
            Owner::AnyAll => self.computed(inst, Self::any_or_all),
            Owner::Halves => self.computed(inst, Self::halves),
            Owner::Products => self.computed(inst, Self::products),
            Owner::IntegerDot => self.computed(inst, Self::integer_dot),
            Owner::Matrices => self.computed(inst, Self::matrices),
            Owner::MatrixCoordinate => self.computed(inst, Self::matrix_coordinate),
            Owner::MatrixLength => self.computed(inst, Self::matrix_length),
            Owner::MatrixLoad => self.computed(inst, Self::matrix_load),
            Owner::MatrixStore => self.matrix_store(inst),
            Owner::MatrixProduct => self.computed(inst, Self::matrix_product),
            Owner::MatrixTranspose => self.computed(inst, Self::matrix_transposed),
            Owner::MatrixConvert => self.computed(inst, Self::matrix_converted),
            Owner::StandIn => self.computed(inst, Self::of_stand_ins),
            Owner::MixedDot => self.computed(inst, Self::mixed_dot),
            Owner::MatrixReduce => self.computed(inst, Self::matrix_reduced),
            Owner::MatrixPerElement => self.computed(inst, Self::matrix_per_element),
            Owner::Tensor => self.computed(inst, Self::tensor),
            Owner::TensorLoad => self.computed(inst, Self::tensor_load),
            Owner::TensorStore => self.tensor_store(inst),
            Owner::Components => self.computed(inst, Self::by_component),
        }
    }

    /// `OpReadClockKHR`: time goes by with each instruction that the run executes.
    fn clock(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let to = self.columns_of(inst.result_type().unwrap_or(Id(0)))?;
        self.special(Special::Clock { to: pair(&to) });
        Ok(to)
    }

    fn copy_object(&mut self, inst: Instruction<'a>) -> Result<()> {
        let value = self.any_value(inst.id(0))?;
        if inst.op() == Op::FreezeKHR
            && let Value::Columns(columns) = &value
        {
            let frozen = columns.iter();
            let frozen = frozen.map(|&column| self.unary(Unary::Freeze, column));
            let frozen: Vec<Reg> = frozen.collect::<Result<_>>()?;
            return self.computed(inst, |_, _| Ok(frozen));
        }
        if let Value::Columns(columns) | Value::Register(columns) = &value {
            self.listed += columns.len();
        }
        if let Value::Columns(columns) = &value {
            self.check_columns(inst, columns.len())?;
        }
        if let Some(result) = inst.result() {
            self.values.insert(result.0, value);
        }
        Ok(())
    }

    /// Defines a result by the columns that a function gives.
    pub(super) fn computed(
        &mut self,
        inst: Instruction<'a>,
        columns: impl FnOnce(&mut Self, Instruction<'a>) -> Result<Vec<Reg>>,
    ) -> Result<()> {
        let columns = columns(self, inst)?;
        self.check_columns(inst, columns.len())?;
        self.define_as(inst, inst.result_type().unwrap_or(Id(0)), columns)
    }

    fn constructed(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let ty = inst.result_type().unwrap_or(Id(0));
        let expected = self.types.columns(ty).map_err(|why| self.no_extent(why))?;
        let mut columns = Vec::new();
        for &part in inst.args() {
            columns.extend(self.value(Id(part))?);
            if columns.len() > expected as usize {
                break;
            }
        }
        // A cooperative matrix is made of one value for all elements.
        let is_replicated = inst.op() == Op::CompositeConstructReplicateEXT;
        if (is_replicated || self.types.form(ty).is_some()) && !columns.is_empty() {
            let parts = columns.iter().copied().cycle();
            columns = parts.take(expected as usize).collect();
        }
        Ok(columns)
    }

    fn extracted(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let whole = self.value(inst.id(0))?;
        let (start, count) = self.part_at(inst.id(0), arguments(inst, 1))?;
        Ok(self.slice(&whole, start, count)?.to_vec())
    }

    fn inserted(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let part = self.value(inst.id(0))?;
        let mut whole = self.value(inst.id(1))?;
        let (start, count) = self.part_at(inst.id(1), arguments(inst, 2))?;
        if part.len() != count || self.slice(&whole, start, count).is_err() {
            return Err(self.broken("a part doesn't fit into its composite"));
        }
        whole[start..start + count].copy_from_slice(&part);
        Ok(whole)
    }

    fn shuffled(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let mut both = self.value(inst.id(0))?;
        both.extend(self.value(inst.id(1))?);
        let size = self.component(inst.id(0))?.width().div_ceil(32) as usize;
        let mut columns = Vec::new();
        for &index in arguments(inst, 2) {
            // It stands for an undefined component.
            if index == u32::MAX {
                let column = self.undefined(inst.result().unwrap_or(Id(0)))?;
                columns.extend(std::iter::repeat_n(column, size));
                continue;
            }
            columns.extend(self.slice(&both, index as usize * size, size)?);
        }
        Ok(columns)
    }

    fn any_or_all(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let vector = self.value(inst.id(0))?;
        let op = if inst.op() == Op::Any {
            Binary::Or
        } else {
            Binary::And
        };
        Ok(vec![
            self.joined(&vector, |this, a, b| this.binary(op, a, b))?,
        ])
    }

    /// Refuses a result that has not as many columns as its type.
    pub(super) fn check_columns(&mut self, inst: Instruction<'a>, count: usize) -> Result<()> {
        let ty = inst.result_type().unwrap_or(Id(0));
        let expected = self.types.columns(ty).map_err(|why| self.no_extent(why))?;
        match count == expected as usize {
            true => Ok(()),
            false => Err(self.broken("a result has another size than its type")),
        }
    }

    pub(super) fn slice<'c>(
        &self,
        columns: &'c [Reg],
        start: usize,
        count: usize,
    ) -> Result<&'c [Reg]> {
        let part = columns.get(start..start.saturating_add(count));
        part.ok_or_else(|| self.broken("an index is out of bounds"))
    }

    /// Where literal indexes lead to in a value: the first column and how many there are.
    fn part_at(&mut self, whole: Id, indexes: &[u32]) -> Result<(usize, usize)> {
        let mut ty = self.type_of(whole)?;
        let mut start = 0;
        for &index in indexes {
            let part = self.types.column_of(ty, index);
            let (offset, part) = part.map_err(|why| self.no_extent(why))?;
            start += offset as usize;
            ty = part;
        }
        let count = self.types.columns(ty).map_err(|why| self.no_extent(why))?;
        Ok((start, count as usize))
    }

    /// One value made of all of a list, two by two from the first on.
    fn joined(
        &mut self,
        columns: &[Reg],
        mut join: impl FnMut(&mut Self, Reg, Reg) -> Result<Reg>,
    ) -> Result<Reg> {
        let (&first, rest) = match columns.split_first() {
            Some(both) => both,
            None => return Err(self.broken("a vector without components")),
        };
        rest.iter()
            .try_fold(first, |all, &next| join(self, all, next))
    }

    /// A component by an index that is no constant: one by one, chosen by comparisons.
    fn extract_dynamic(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let vector = self.value(inst.id(0))?;
        let index = self.checked_index(inst.id(1), inst.id(0))?;
        let size = self.component(inst.id(0))?.width().div_ceil(32) as usize;
        let mut result = self.slice(&vector, 0, size)?.to_vec();
        for (number, component) in vector.chunks(size).enumerate().skip(1) {
            let number = self.word(number as u32);
            let condition = self.binary(Binary::IEqual, index, number)?;
            for (result, &column) in result.iter_mut().zip(component) {
                *result = self.chosen(condition, column, *result)?;
            }
        }
        Ok(result)
    }

    fn insert_dynamic(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let mut vector = self.value(inst.id(0))?;
        let component = self.value(inst.id(1))?;
        let index = self.checked_index(inst.id(2), inst.id(0))?;
        for (number, columns) in vector.chunks_mut(component.len().max(1)).enumerate() {
            let number = self.word(number as u32);
            let condition = self.binary(Binary::IEqual, index, number)?;
            for (column, &inserted) in columns.iter_mut().zip(&component) {
                *column = self.chosen(condition, inserted, *column)?;
            }
        }
        Ok(vector)
    }

    /// The column of an index into a vector, which is checked.
    fn checked_index(&mut self, index: Id, vector: Id) -> Result<Reg> {
        let ty = self.type_of(vector)?;
        let limit = self.m.dimension(ty);
        self.check_index(index, limit.into())?;
        self.scalar(index)
    }

    fn transposed(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let matrix = self.value(inst.id(0))?;
        let ty = self.type_of(inst.id(0))?;
        let Type::Matrix { column, count } = self.m.ty(ty) else {
            return Err(self.broken("a matrix is expected"));
        };
        let rows = self.m.dimension(column) as usize;
        let size = self.component(inst.id(0))?.width().div_ceil(32) as usize;
        let mut result = Vec::with_capacity(matrix.len());
        for row in 0..rows {
            for column in 0..count as usize {
                result.extend(self.slice(&matrix, (column * rows + row) * size, size)?);
            }
        }
        Ok(result)
    }

    /// Section 3.32.11, `OpBitcast`: of words there is nothing to do; narrower components
    /// are put together or taken apart.
    fn bitcast(&mut self, inst: Instruction<'a>) -> Result<()> {
        let ty = inst.result_type().unwrap_or(Id(0));
        let from = self.value(inst.id(0))?;
        let source = self.type_of(inst.id(0))?;
        if self.m.is_pointer(ty) || self.m.is_pointer(source) {
            return self.bitcast_pointer(inst);
        }
        let to_width = self.scalar_type(self.m.component_type(ty))?.width();
        let from_width = self.scalar_type(self.m.component_type(source))?.width();
        let words = match from_width {
            8 | 16 if to_width != from_width => {
                let per_word = (32 / from_width) as usize;
                let mut words = Vec::new();
                for parts in from.chunks(per_word) {
                    let mut word = parts[0];
                    for (index, &part) in parts.iter().enumerate().skip(1) {
                        let amount = self.word(index as u32 * from_width);
                        let shifted = self.binary(Binary::ShiftLeft, part, amount)?;
                        word = self.binary(Binary::Or, word, shifted)?;
                    }
                    words.push(word);
                }
                words
            }
            _ => from,
        };
        let columns = match to_width {
            8 | 16 if to_width != from_width => {
                let total = self.types.columns(ty).map_err(|why| self.no_extent(why))? as usize;
                let per_word = (32 / to_width) as usize;
                let mask = self.word((1 << to_width) - 1);
                let mut parts = Vec::new();
                for index in 0..total {
                    let Some(&word) = words.get(index / per_word) else {
                        return Err(self.broken("a bitcast between different sizes"));
                    };
                    let amount = self.word((index % per_word) as u32 * to_width);
                    let shifted = self.binary(Binary::ShiftRight, word, amount)?;
                    parts.push(self.binary(Binary::And, shifted, mask)?);
                }
                parts
            }
            _ => words,
        };
        self.check_columns(inst, columns.len())?;
        self.define_as(inst, ty, columns)?;
        Ok(())
    }

    fn select(&mut self, inst: Instruction<'a>) -> Result<()> {
        let ty = inst.result_type().unwrap_or(Id(0));
        let condition = self.value(inst.id(0))?;
        let (a, b) = (self.value(inst.id(1))?, self.value(inst.id(2))?);
        let condition_type = self.type_of(inst.id(0))?;
        // One condition chooses whole values, a vector of them components.
        let each = match self.m.is_vector(condition_type) {
            true => (a.len() / condition.len().max(1)).max(1),
            false => a.len().max(1),
        };
        let mut columns = Vec::with_capacity(a.len());
        for (index, (&a, &b)) in a.iter().zip(&b).enumerate() {
            let condition = self.slice(&condition, index / each, 1)?[0];
            columns.push(self.chosen(condition, a, b)?);
        }
        self.check_columns(inst, columns.len())?;
        self.define_as(inst, ty, columns)?;
        Ok(())
    }

    pub(super) fn chosen(&mut self, condition: Reg, a: Reg, b: Reg) -> Result<Reg> {
        let to = self.column()?;
        self.emit(Inst::Select {
            to,
            condition,
            a,
            b,
        });
        Ok(to)
    }

    pub(super) fn unary(&mut self, op: Unary, a: Reg) -> Result<Reg> {
        let to = self.column()?;
        self.emit(Inst::Unary { op, to, a });
        Ok(to)
    }

    pub(super) fn binary(&mut self, op: Binary, a: Reg, b: Reg) -> Result<Reg> {
        let to = self.column()?;
        self.emit(Inst::Binary { op, to, a, b });
        Ok(to)
    }

    /// `OpIAddCarry` and its like: a structure of low and high halves.
    fn halves(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let ty = self.component(inst.id(0))?;
        let (a, b) = (self.value(inst.id(0))?, self.value(inst.id(1))?);
        let size = ty.width().div_ceil(32) as usize;
        let mut columns = Vec::new();
        for half in [0, 1] {
            let half = GeneralOp::Half(inst.op(), half);
            for (a, b) in a.chunks(size).zip(b.chunks(size)) {
                let operands = vec![(ty, pair(a)), (ty, pair(b))];
                columns.extend(self.general(half, ty, operands, self.environment)?);
            }
        }
        Ok(columns)
    }

    /// An operation that is evaluated lane by lane.
    pub(super) fn general(
        &mut self,
        op: GeneralOp,
        result: ScalarType,
        operands: Vec<Operand>,
        environment: Environment,
    ) -> Result<Vec<Reg>> {
        let columns = self.columns(result.width().div_ceil(32) as usize)?;
        let mut general = General {
            op,
            to: columns[0],
            result,
            operands,
            environment,
            fast: None,
        };
        general.fast = fast(&general);
        self.program.general.push(general);
        self.emit(Inst::General(self.program.general.len() as u32 - 1));
        Ok(columns)
    }

    /// An operation of the core set on scalars.
    pub(super) fn scalar_operation(
        &mut self,
        op: Op,
        result: ScalarType,
        operands: &[Operand],
        environment: Environment,
    ) -> Result<Vec<Reg>> {
        let is_plain = environment == Environment::default();
        let types = operands.iter().map(|operand| operand.0);
        if is_plain && types.clone().all(is_word) && is_word(result) {
            match *operands {
                [(ty, columns @ [a, _])] => {
                    if let Some(op) = fast_unary(op, ty) {
                        return Ok(vec![self.unary(op, a)?]);
                    }
                    if matches!(op, Op::UConvert | Op::SConvert | Op::FConvert) && ty == result {
                        return Ok(columns[..1].to_vec());
                    }
                }
                [(ty, [a, _]), (_, [b, _])] => {
                    if let Some((op, swapped)) = fast_binary(op, ty) {
                        let (a, b) = if swapped { (b, a) } else { (a, b) };
                        return Ok(vec![self.binary(op, a, b)?]);
                    }
                }
                _ => {}
            }
        }
        // Whether it can be computed at all shows with any operands.
        let zeros: Vec<Scalar> = types.map(Scalar::zero).collect();
        if let Err(why) = evaluate_scalar(op, result, &zeros, &environment) {
            return Err(match why {
                NotComputable::Opcode(_) => self.unsupported(op.to_string()),
                _ => self.unsupported(format!("{op}: {why}")),
            });
        }
        self.general(GeneralOp::Core(op), result, operands.to_vec(), environment)
    }

    fn by_component(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let op = inst.op();
        let ty = inst.result_type().unwrap_or(Id(0));
        let result = self.scalar_type(self.m.component_type(ty))?;
        let environment = self.environment_of(inst);
        if inst.args().len() > MAX_OPERANDS {
            return Err(self.unsupported(op.to_string()));
        }
        let mut operands = Vec::new();
        for &operand in inst.args() {
            let operand = Id(operand);
            let component = self.component(operand);
            let component = component.map_err(|_| self.unsupported(op.to_string()))?;
            operands.push((component, self.value(operand)?));
        }
        let count = self.types.columns(ty).map_err(|why| self.no_extent(why))? as usize
            / result.width().div_ceil(32) as usize;
        let mut columns = Vec::new();
        for index in 0..count {
            let mut scalars = Vec::new();
            for (ty, operand) in &operands {
                let size = ty.width().div_ceil(32) as usize;
                // The offset and count of a bit field are the same for all components.
                let index = if operand.len() > size { index } else { 0 };
                scalars.push((*ty, pair(self.slice(operand, index * size, size)?)));
            }
            columns.extend(self.scalar_operation(op, result, &scalars, environment)?);
        }
        Ok(columns)
    }

    /// Sums of products in their order, rounded each time, as `eval` does it.
    pub(super) fn dot(
        &mut self,
        ty: ScalarType,
        a: &[Reg],
        b: &[Reg],
        environment: Environment,
    ) -> Result<Vec<Reg>> {
        // There is no arithmetic on other encodings, so it is done with numbers of 32 bits.
        if let ScalarType::Float(format) = ty
            && environment.float(format) == FloatMode::default()
            && !matches!(
                format,
                FloatFormat::Half | FloatFormat::Single | FloatFormat::Double
            )
        {
            let mut sides = [Vec::new(), Vec::new()];
            for (side, columns) in sides.iter_mut().zip([a, b]) {
                for &column in columns {
                    let operand = [(ty, [column, NO_REG])];
                    side.extend(self.scalar_operation(Op::FConvert, F32, &operand, environment)?);
                }
            }
            let sum = self.dot(F32, &sides[0], &sides[1], environment)?;
            let operand = [(F32, pair(&sum))];
            return self.scalar_operation(Op::FConvert, ty, &operand, environment);
        }
        self.sum_of_products([Op::FMul, Op::FAdd], ty, a, b, environment)
    }

    fn sum_of_products(
        &mut self,
        [multiply, add]: [Op; 2],
        ty: ScalarType,
        a: &[Reg],
        b: &[Reg],
        environment: Environment,
    ) -> Result<Vec<Reg>> {
        let size = ty.width().div_ceil(32) as usize;
        let mut sum: Option<Vec<Reg>> = None;
        for (a, b) in a.chunks(size).zip(b.chunks(size)) {
            let operands = [(ty, pair(a)), (ty, pair(b))];
            let product = self.scalar_operation(multiply, ty, &operands, environment)?;
            sum = Some(match sum {
                None => product,
                Some(sum) => {
                    let operands = [(ty, pair(&sum)), (ty, pair(&product))];
                    self.scalar_operation(add, ty, &operands, environment)?
                }
            });
        }
        sum.ok_or_else(|| self.broken("a vector without components"))
    }

    /// `OpSDot` and its like.
    fn integer_dot(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let op = inst.op();
        let result = self.scalar_type(inst.result_type().unwrap_or(Id(0)))?;
        let accumulates = matches!(op, Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat);
        let accumulator = match accumulates {
            true => Some((result, pair(&self.value(inst.id(2))?))),
            false => None,
        };
        let first = self.integer_components(inst.id(0))?;
        let second = self.integer_components(inst.id(1))?;
        let zeros = |operands: &[Operand]| -> Vec<Scalar> {
            operands.iter().map(|it| Scalar::zero(it.0)).collect()
        };
        let zero = accumulator.map(|it| Scalar::zero(it.0));
        if evaluate_dot(op, result, &zeros(&first), &zeros(&second), zero).is_err() {
            return Err(self.broken("a dot product of what are no integers"));
        }
        let to = self.columns(result.width().div_ceil(32) as usize)?;
        self.special(Special::Dot(Box::new(Dot {
            op,
            to: to[0],
            result,
            first,
            second,
            accumulator,
        })));
        Ok(to)
    }

    /// The components of a vector of integers, or the four bytes of a packed one.
    fn integer_components(&mut self, vector: Id) -> Result<Vec<Operand>> {
        let columns = self.value(vector)?;
        let ty = self.component(vector)?;
        if self.m.is_vector(self.type_of(vector)?) {
            let size = ty.width().div_ceil(32) as usize;
            return Ok(columns.chunks(size).map(|part| (ty, pair(part))).collect());
        }
        let (byte, mask) = (ScalarType::Integer { width: 8 }, self.word(0xff));
        let mut parts = Vec::new();
        for index in 0..4 {
            let amount = self.word(index * 8);
            let shifted = self.binary(Binary::ShiftRight, columns[0], amount)?;
            parts.push((byte, [self.binary(Binary::And, shifted, mask)?, NO_REG]));
        }
        Ok(parts)
    }

    fn products(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let environment = self.environment_of(inst);
        let ty = self.component(inst.id(0))?;
        let (a, b) = (self.value(inst.id(0))?, self.value(inst.id(1))?);
        if inst.op() == Op::Dot {
            return self.dot(ty, &a, &b, environment);
        }
        // Cooperative matrices may be of integers.
        let multiply = match ty {
            ScalarType::Integer { .. } => Op::IMul,
            _ => Op::FMul,
        };
        let size = ty.width().div_ceil(32) as usize;
        let mut columns = Vec::new();
        for component in a.chunks(size) {
            let operands = [(ty, pair(component)), (ty, pair(&b))];
            columns.extend(self.scalar_operation(multiply, ty, &operands, environment)?);
        }
        Ok(columns)
    }

    fn matrices(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let environment = self.environment_of(inst);
        let ty = self.component(inst.id(0))?;
        let size = ty.width().div_ceil(32) as usize;
        let (a, b) = (self.value(inst.id(0))?, self.value(inst.id(1))?);
        // A vector on the left is a matrix of one row, one on the right of one column.
        let rows = match inst.op() {
            Op::VectorTimesMatrix => 1,
            Op::OuterProduct => a.len() / size,
            _ => {
                let matrix = self.type_of(inst.id(0))?;
                let Type::Matrix { column, .. } = self.m.ty(matrix) else {
                    return Err(self.broken("a matrix is expected"));
                };
                self.m.dimension(column) as usize
            }
        };
        let inner = a.len() / size / rows.max(1);
        let mut columns = Vec::new();
        for right in b.chunks(inner.max(1) * size) {
            for row in 0..rows {
                let mut left = Vec::new();
                for index in 0..inner {
                    left.extend(self.slice(&a, (index * rows + row) * size, size)?);
                }
                columns.extend(self.dot(ty, &left, right, environment)?);
            }
        }
        Ok(columns)
    }

    /// How an instruction's arithmetic is done.
    pub(super) fn environment_of(&self, inst: Instruction<'a>) -> Environment {
        let mut environment = self.environment;
        let result = inst.result();
        environment.no_signed_wrap = self.is_decorated(result, Decoration::NoSignedWrap);
        environment.no_unsigned_wrap = self.is_decorated(result, Decoration::NoUnsignedWrap);
        environment.saturated = self.is_decorated(result, Decoration::SaturatedConversion)
            || self.is_decorated(
                result,
                Decoration::SaturatedToLargestFloat8NormalConversionEXT,
            );
        let rounding = result.and_then(|id| self.m.decoration(id, Decoration::FPRoundingMode));
        if let Some(rounding) = rounding.and_then(|mode| rounding_mode(mode.param(0))) {
            environment.conversion = Some(rounding);
            environment.half.rounding = rounding;
            environment.single.rounding = rounding;
            environment.double.rounding = rounding;
        }
        environment
    }

    /// What the execution modes of the entry point say of arithmetic.
    pub(super) fn float_modes(&mut self, entry: Id) -> Result<()> {
        for mode in self.m.execution_modes(entry) {
            let (mode, width) = (ExecutionMode(mode.arg(1)), mode.arg(2));
            if mode == ExecutionMode::FloatingPointModeALTINTEL {
                return Err(self.unsupported(format!("the execution mode {mode}")));
            }
            let float = match width {
                16 => &mut self.environment.half,
                32 => &mut self.environment.single,
                64 => &mut self.environment.double,
                _ => continue,
            };
            match mode {
                ExecutionMode::DenormFlushToZero => float.denormals = Denormals::Flush,
                ExecutionMode::DenormPreserve => float.denormals = Denormals::Preserve,
                ExecutionMode::RoundingModeRTE => float.rounding = Rounding::NearestEven,
                ExecutionMode::RoundingModeRTZ => float.rounding = Rounding::TowardZero,
                ExecutionMode::RoundingModeRTPINTEL => float.rounding = Rounding::TowardPositive,
                ExecutionMode::RoundingModeRTNINTEL => float.rounding = Rounding::TowardNegative,
                _ => {}
            }
        }
        Ok(())
    }
}

pub(super) fn rounding_mode(mode: u32) -> Option<Rounding> {
    use spirvkit_grammar::FPRoundingMode;
    match FPRoundingMode(mode) {
        FPRoundingMode::RTE => Some(Rounding::NearestEven),
        FPRoundingMode::RTZ => Some(Rounding::TowardZero),
        FPRoundingMode::RTP => Some(Rounding::TowardPositive),
        FPRoundingMode::RTN => Some(Rounding::TowardNegative),
        _ => None,
    }
}

/// Whether columns hold the scalar as the fast operations expect it.
fn is_word(ty: ScalarType) -> bool {
    matches!(
        ty,
        ScalarType::Bool | U32 | ScalarType::Float(FloatFormat::Single)
    )
}

/// The fast form of an operation on a word of this type.
fn fast_unary(op: Op, ty: ScalarType) -> Option<Unary> {
    Some(match (op, ty) {
        (Op::FNegate, F32) => Unary::FNegate,
        (Op::SNegate, U32) => Unary::SNegate,
        (Op::Not, U32) => Unary::Not,
        (Op::LogicalNot, ScalarType::Bool) => Unary::LogicalNot,
        (Op::ConvertSToF, U32) => Unary::ConvertSToF,
        (Op::ConvertUToF, U32) => Unary::ConvertUToF,
        _ => return None,
    })
}

/// The fast form of an operation on two words, of which the first is of this type, and
/// whether its operands change places.
fn fast_binary(op: Op, ty: ScalarType) -> Option<(Binary, bool)> {
    let straight = |op| Some((op, false));
    let swapped = |op| Some((op, true));
    match (ty, op) {
        (ScalarType::Bool, Op::LogicalAnd) => straight(Binary::And),
        (ScalarType::Bool, Op::LogicalOr) => straight(Binary::Or),
        (ScalarType::Bool, Op::LogicalNotEqual) => straight(Binary::Xor),
        (ScalarType::Bool, Op::LogicalEqual) => straight(Binary::IEqual),
        (U32, Op::IAdd) => straight(Binary::IAdd),
        (U32, Op::ISub) => straight(Binary::ISub),
        (U32, Op::IMul) => straight(Binary::IMul),
        (U32, Op::UDiv) => straight(Binary::UDiv),
        (U32, Op::UMod) => straight(Binary::UMod),
        (U32, Op::SDiv) => straight(Binary::SDiv),
        (U32, Op::SRem) => straight(Binary::SRem),
        (U32, Op::BitwiseAnd) => straight(Binary::And),
        (U32, Op::BitwiseOr) => straight(Binary::Or),
        (U32, Op::BitwiseXor) => straight(Binary::Xor),
        (U32, Op::ShiftLeftLogical) => straight(Binary::ShiftLeft),
        (U32, Op::ShiftRightLogical) => straight(Binary::ShiftRight),
        (U32, Op::ShiftRightArithmetic) => straight(Binary::ShiftRightArithmetic),
        (U32, Op::IEqual) => straight(Binary::IEqual),
        (U32, Op::INotEqual) => straight(Binary::INotEqual),
        (U32, Op::ULessThan) => straight(Binary::ULess),
        (U32, Op::ULessThanEqual) => straight(Binary::ULessEqual),
        (U32, Op::UGreaterThan) => swapped(Binary::ULess),
        (U32, Op::UGreaterThanEqual) => swapped(Binary::ULessEqual),
        (U32, Op::SLessThan) => straight(Binary::SLess),
        (U32, Op::SLessThanEqual) => straight(Binary::SLessEqual),
        (U32, Op::SGreaterThan) => swapped(Binary::SLess),
        (U32, Op::SGreaterThanEqual) => swapped(Binary::SLessEqual),
        (F32, Op::FAdd) => straight(Binary::FAdd),
        (F32, Op::FSub) => straight(Binary::FSub),
        (F32, Op::FMul) => straight(Binary::FMul),
        (F32, Op::FDiv) => straight(Binary::FDiv),
        (F32, Op::FOrdEqual) => straight(Binary::FOrdEqual),
        (F32, Op::FOrdNotEqual | Op::LessOrGreater) => straight(Binary::FOrdNotEqual),
        (F32, Op::FOrdLessThan) => straight(Binary::FOrdLess),
        (F32, Op::FOrdLessThanEqual) => straight(Binary::FOrdLessEqual),
        (F32, Op::FOrdGreaterThan) => swapped(Binary::FOrdLess),
        (F32, Op::FOrdGreaterThanEqual) => swapped(Binary::FOrdLessEqual),
        (F32, Op::FUnordEqual) => straight(Binary::FUnordEqual),
        (F32, Op::FUnordNotEqual) => straight(Binary::FUnordNotEqual),
        (F32, Op::FUnordLessThan) => straight(Binary::FUnordLess),
        (F32, Op::FUnordLessThanEqual) => straight(Binary::FUnordLessEqual),
        (F32, Op::FUnordGreaterThan) => swapped(Binary::FUnordLess),
        (F32, Op::FUnordGreaterThanEqual) => swapped(Binary::FUnordLessEqual),
        _ => None,
    }
}
