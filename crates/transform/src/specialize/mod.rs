//! Specialization (specification, section 2.12): giving specialization constants
//! their final values.
//!
//! [`spec_constants`] lists those that can be given from outside; [`specialize`] applies
//! values or defaults. Whatever then uses only final constants is made final, too: composites
//! in place, and each `OpSpecConstantOp` is replaced by its result. Everything else stays as
//! it is.
//!
//! ```
//! use spirvkit_binary::Id;
//! use spirvkit_ir::Module;
//! use spirvkit_transform::{Specialization, spec_constants, specialize};
//!
//! # let words = spirvkit_text::assemble("OpDecorate %size SpecId 7
//! # %u32 = OpTypeInt 32 0
//! # %size = OpSpecConstant %u32 64
//! # %two = OpConstant %u32 2
//! # %half = OpSpecConstantOp %u32 UDiv %size %two", &Default::default()).unwrap().words;
//! let mut module = Module::load(&words)?;
//! let constants = spec_constants(&module);
//! assert_eq!((constants[0].spec_id, constants[0].default.bits()), (Some(7), 64));
//!
//! let mut wanted = Specialization::default();
//! wanted.values.push((constants[0].id, 128));
//! let done = specialize(&mut module, &wanted)?;
//! assert_eq!((done.finished, done.warnings.len()), (2, 0));
//! assert!(spec_constants(&module).is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod functions;
mod pool;

use std::collections::BTreeMap;
use std::fmt;

use spirvkit_binary::{Budget, Id, Instruction, LiteralString, NumberType, OverBudget};
use spirvkit_eval::{NotComputable, Reason, Scalar, ScalarType, Value};
use spirvkit_grammar::{Decoration, Op};
use spirvkit_ir::{EditError, Inst, Module, Place};

use crate::fold::{Constants, NotWritable, split};
use pool::Pool;

/// A scalar specialization constant, whose value may come from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SpecConstant {
    /// Its result id.
    pub id: Id,
    /// The number by which an API knows it, if it has a `SpecId`.
    pub spec_id: Option<u32>,
    /// Its name in debug information.
    pub name: Option<String>,
    /// The type of its value.
    pub ty: Id,
    /// Its default value.
    pub default: Scalar,
}

spirvkit_binary::options! {
    /// How to specialize a module.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Specialization {
        /// Result ids of scalar specialization constants, and the bits of their values: the
        /// words that `OpConstant` would have, the low word first; for a Boolean, anything
        /// but 0 is true.
        pub values: Vec<(Id, u64)> = Vec::new(),
        /// Result ids of scalar specialization constants that get their default values.
        pub freeze: Vec<Id> = Vec::new(),
        /// Whether all others get their default values (a full specialization).
        pub all_defaults: bool = false,
        /// Whether instructions in functions that use only constants are replaced by their
        /// results.
        pub fold: bool = false,
        /// The memory that composites made of others may take; the default is
        /// [`Budget::for_input`] of the module. What would exceed it stays as it is, with a
        /// warning.
        pub budget: Option<Budget> = None,
    }
}

/// What a specialization did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Specialized {
    /// The number of specialization constants that are now constants.
    pub finished: usize,
    /// The number of instructions in functions that were replaced by constants.
    pub folded: usize,
    /// Warnings for the user.
    pub warnings: Vec<Warning>,
}

/// A specialization constant for which something had to be decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// The specification leaves the result of an `OpSpecConstantOp` undefined; it got
    /// the value that implementations commonly give.
    Undefined {
        /// The constant.
        id: Id,
        /// Why it is undefined.
        reason: Reason,
    },
    /// An `OpSpecConstantOp` can't become a constant, and stays as it is.
    Kept {
        /// The constant.
        id: Id,
        /// Why.
        reason: NotComputable,
    },
    /// Some instructions in functions were not replaced by their results.
    Unfolded(OverBudget),
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undefined { id, reason } => write!(
                f,
                "the result of {id} is undefined, because {reason}; it gets the value that implementations commonly give"
            ),
            Self::Kept { id, reason } => write!(f, "{id} stays as it is: {reason}"),
            Self::Unfolded(error) => write!(
                f,
                "computations in functions were not all replaced by their constant results: that {error}"
            ),
        }
    }
}

/// Why a module can't be specialized as wanted. The module is as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpecializeError {
    /// The id is not that of a scalar specialization constant.
    NoSpecConstant(Id),
    /// Two different values are given for one constant.
    GivenTwice(Id),
}

impl fmt::Display for SpecializeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSpecConstant(id) => write!(
                f,
                "{id} is not an OpSpecConstant, OpSpecConstantTrue or OpSpecConstantFalse"
            ),
            Self::GivenTwice(id) => write!(f, "two values are given for {id}"),
        }
    }
}

impl std::error::Error for SpecializeError {}

/// The scalar specialization constants of a module, in its order.
pub fn spec_constants(module: &Module) -> Vec<SpecConstant> {
    let mut spec_ids = BTreeMap::new();
    let mut names = BTreeMap::new();
    let mut groups: BTreeMap<Id, u32> = BTreeMap::new();
    let mut found = Vec::new();
    for inst in module.globals() {
        let read = module.get(inst);
        match *read.words() {
            [_, target, decoration, number] if is_spec_id(&read, decoration) => {
                spec_ids.entry(Id(target)).or_insert(number);
                groups.entry(Id(target)).or_insert(number);
            }
            [_, group, ref targets @ ..] if read.op() == Op::GroupDecorate => {
                if let Some(&number) = groups.get(&Id(group)) {
                    for &target in targets {
                        spec_ids.entry(Id(target)).or_insert(number);
                    }
                }
            }
            [_, target, ref name @ ..] if read.op() == Op::Name => {
                let name = LiteralString::at_start_of(name).map(LiteralString::to_text_lossy);
                names.extend(name.map(|name| (Id(target), name)));
            }
            _ => found.extend(scalar_default(module, &read)),
        }
    }
    let with_names = found.into_iter().map(|(id, ty, default)| SpecConstant {
        id,
        spec_id: spec_ids.get(&id).copied(),
        name: names.remove(&id),
        ty,
        default,
    });
    with_names.collect()
}

fn is_spec_id(read: &Instruction<'_>, decoration: u32) -> bool {
    read.op() == Op::Decorate && Decoration(decoration) == Decoration::SpecId
}

/// The default of a scalar specialization constant, with its id and type.
fn scalar_default(module: &Module, read: &Instruction<'_>) -> Option<(Id, Id, Scalar)> {
    let (id, ty) = (read.result()?, read.result_type()?);
    let scalar = match read.op() {
        Op::SpecConstantTrue => Scalar::from(true),
        Op::SpecConstantFalse => Scalar::from(false),
        Op::SpecConstant => {
            let number = module.definitions().number_type(ty)?;
            let literal = read.words().get(3..).unwrap_or_default();
            Scalar::new(ScalarType::from(number), NumberType::join(literal))
        }
        _ => return None,
    };
    Some((id, ty, scalar))
}

/// Makes specialization constants final, in one pass in the module's order.
///
/// A constant that is final loses its `SpecId`, which only specialization constants may have.
/// What can't become a constant, such as a pointer, stays, with a warning.
///
/// # Errors
///
/// If a given id isn't that of a scalar specialization constant, or has two values.
pub fn specialize(
    module: &mut Module,
    wanted: &Specialization,
) -> Result<Specialized, SpecializeError> {
    let mut values = BTreeMap::new();
    let known: BTreeMap<Id, Scalar> = spec_constants(module)
        .into_iter()
        .map(|constant| (constant.id, constant.default))
        .collect();
    for &(id, bits) in &wanted.values {
        let default = known.get(&id).ok_or(SpecializeError::NoSpecConstant(id))?;
        let value = match default.ty() {
            ScalarType::Bool => Scalar::from(bits != 0),
            ty => Scalar::new(ty, bits),
        };
        if values.insert(id, value).is_some_and(|other| other != value) {
            return Err(SpecializeError::GivenTwice(id));
        }
    }
    for &id in &wanted.freeze {
        let default = known.get(&id).ok_or(SpecializeError::NoSpecConstant(id))?;
        values.entry(id).or_insert(*default);
    }
    if wanted.all_defaults {
        for (id, default) in known {
            values.entry(id).or_insert(default);
        }
    }
    let mut constants = Constants::with_word_limit(module.word_count());
    if let Some(budget) = &wanted.budget {
        constants = constants.within(budget.clone());
    }
    let mut run = Run {
        constants,
        pool: Pool::default(),
        values,
        done: Specialized::default(),
    };
    run.pass(module);
    drop_spec_ids(module);
    if wanted.fold {
        let folded = functions::fold(module, &mut run.constants, &mut run.pool);
        run.done.folded = folded.count;
        run.done
            .warnings
            .extend(folded.refused.map(Warning::Unfolded));
    }
    Ok(run.done)
}

/// One pass over the constants of a module.
struct Run {
    constants: Constants,
    pool: Pool,
    /// What scalars get.
    values: BTreeMap<Id, Scalar>,
    done: Specialized,
}

impl Run {
    fn pass(&mut self, m: &mut Module) {
        let mut next = m.first();
        while let Some(inst) = next {
            next = m.next(inst);
            let op = m.op(inst);
            if op == Op::Function {
                return;
            }
            if op.is_spec_constant() && self.finish(m, inst, op).unwrap_or(false) {
                self.done.finished += 1;
            }
            let read = m.get(inst);
            if read
                .result()
                .is_none_or(|id| self.constants.value(id).is_none())
            {
                let _ = self.constants.define(&read);
            }
            if !read.op().is_spec_constant() {
                self.pool.note(&read, &self.constants);
            }
        }
    }

    /// Makes a constant final, if it is to be; tells whether it was.
    fn finish(&mut self, m: &mut Module, inst: Inst, op: Op) -> Result<bool, EditError> {
        let words = m.get(inst).words().to_vec();
        let &[_, ty, result, ref operands @ ..] = words.as_slice() else {
            return Ok(false);
        };
        let (ty, id) = (Id(ty), Id(result));
        match op {
            Op::SpecConstantTrue | Op::SpecConstantFalse | Op::SpecConstant => {
                let Some(&value) = self.values.get(&id) else {
                    return Ok(false);
                };
                self.write(m, inst, ty, id, &Value::Scalar(value))
            }
            Op::SpecConstantComposite if all_final(m, operands) => {
                m.replace(inst, Op::ConstantComposite, &words[1..])?;
                Ok(true)
            }
            Op::SpecConstantCompositeReplicateEXT if all_final(m, operands) => {
                m.replace(inst, Op::ConstantCompositeReplicateEXT, &words[1..])?;
                Ok(true)
            }
            Op::SpecConstantOp => self.evaluate(m, inst, ty, id, operands),
            _ => Ok(false),
        }
    }

    fn evaluate(
        &mut self,
        m: &mut Module,
        inst: Inst,
        ty: Id,
        id: Id,
        words: &[u32],
    ) -> Result<bool, EditError> {
        let Some((op, ids, literals)) = split(words) else {
            return Ok(false);
        };
        if !all_final(m, ids) {
            return Ok(false);
        }
        let operands: Option<Vec<_>> = ids
            .iter()
            .map(|&id| self.constants.value(Id(id)).cloned())
            .collect();
        // The operand of an access chain is a variable, for instance, and has no value.
        let operands = operands.unwrap_or_default();
        let evaluated = self
            .constants
            .evaluator()
            .evaluate(op, ty, &operands, literals);
        match evaluated {
            Ok(outcome) => {
                if let Some(reason) = outcome.undefined() {
                    self.done.warnings.push(Warning::Undefined { id, reason });
                }
                self.write(m, inst, ty, id, &outcome.common())
            }
            Err(reason) => {
                self.done.warnings.push(Warning::Kept { id, reason });
                Ok(false)
            }
        }
    }

    /// Puts the instruction that makes a value in place of another, and those for its
    /// parts before it.
    fn write(
        &mut self,
        m: &mut Module,
        inst: Inst,
        ty: Id,
        id: Id,
        value: &Value,
    ) -> Result<bool, EditError> {
        let written = self
            .pool
            .write(m, inst, &mut self.constants, ty, id, value)?;
        if let Err(NotWritable::OverBudget(error)) = written {
            let reason = NotComputable::OverBudget(error);
            self.done.warnings.push(Warning::Kept { id, reason });
        }
        Ok(written.is_ok())
    }
}

/// Whether none of these ids is a specialization constant.
fn all_final(m: &Module, ids: &[u32]) -> bool {
    ids.iter().all(|&id| {
        let definition = m.definition(Id(id));
        definition.is_some_and(|inst| !m.op(inst).is_spec_constant())
    })
}

/// Takes `SpecId` from everything that isn't a specialization constant any more.
fn drop_spec_ids(m: &mut Module) {
    // The groups of decorations with a `SpecId`, and the like without it.
    let mut groups: BTreeMap<Id, Option<Twin>> = BTreeMap::new();
    let mut next = m.first();
    while let Some(inst) = next {
        next = m.next(inst);
        let read = m.get(inst);
        match *read.words() {
            _ if read.op() == Op::Function => return,
            [_, target, decoration, _] if is_spec_id(&read, decoration) => {
                let target = Id(target);
                let op = m.definition(target).map(|inst| m.op(inst));
                if op == Some(Op::DecorationGroup) {
                    groups.insert(target, None);
                } else if is_final(m, target) {
                    let _ = m.remove(inst);
                }
            }
            [_, group, ref targets @ ..] if read.op() == Op::GroupDecorate => {
                if let Some(twin) = groups.get_mut(&Id(group)) {
                    let leaving = targets.iter().copied();
                    let leaving: Vec<u32> = leaving.filter(|&id| is_final(m, Id(id))).collect();
                    leave_group(m, inst, Id(group), twin, &leaving);
                }
            }
            _ => {}
        }
    }
}

/// Whether an id is a scalar constant that may have been specialized.
fn is_final(m: &Module, id: Id) -> bool {
    let op = m.definition(id).map(|inst| m.op(inst));
    matches!(
        op,
        Some(Op::ConstantTrue | Op::ConstantFalse | Op::Constant)
    )
}

/// A group's other decorations: another group, if there are any.
#[derive(Clone, Copy)]
struct Twin(Option<Id>);

/// Takes constants out of a group with a `SpecId`, into one without.
fn leave_group(m: &mut Module, inst: Inst, group: Id, twin: &mut Option<Twin>, leaving: &[u32]) {
    if leaving.is_empty() {
        return;
    }
    let Twin(twin) = *twin.get_or_insert_with(|| make_twin(m, group));
    if let Some(twin) = twin {
        let operands = [&[twin.0], leaving].concat();
        // As long as the instruction there at most.
        let _ = m.insert(Place::Before(inst), Op::GroupDecorate, &operands);
    }
    m.retain_targets(inst, |m, target| !is_final(m, target));
}

/// Makes a group with the decorations of another, without `SpecId`.
fn make_twin(m: &mut Module, group: Id) -> Twin {
    let Some(definition) = m.definition(group) else {
        return Twin(None);
    };
    let others: Vec<(Op, Vec<u32>)> = m
        .uses(group)
        .filter(|found| found.word == 1)
        .map(|found| m.get(found.inst))
        .filter(|read| read.op().is_decorate())
        .filter_map(|read| {
            let (_, decoration) = read.operand_words().split_first()?;
            let is_number = is_spec_id(&read, *decoration.first()?);
            (!is_number).then(|| (read.op(), decoration.to_vec()))
        })
        .collect();
    if others.is_empty() {
        return Twin(None);
    }
    let twin = m.fresh_id();
    for (op, decoration) in others {
        let operands = [&[twin.0], decoration.as_slice()].concat();
        let _ = m.insert(Place::Before(definition), op, &operands);
    }
    let _ = m.insert(Place::Before(definition), Op::DecorationGroup, &[twin.0]);
    Twin(Some(twin))
}
