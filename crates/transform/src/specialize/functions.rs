//! Folding in functions.

use std::collections::BTreeSet;

use spirvkit_analysis::Capabilities;
use spirvkit_analysis::requirements::Declared;
use spirvkit_binary::{Id, OverBudget};
use spirvkit_eval::{Evaluated, NotComputable, Outcome, ScalarType, Value};
use spirvkit_grammar::{Capability, Class, ExecutionMode, Op};
use spirvkit_ir::{Inst, Module, Place};

use super::all_final;
use super::pool::Pool;
use crate::fold::{Constants, NotWritable};

/// What folding in functions did.
#[derive(Default)]
pub(super) struct Folded {
    /// How many instructions were replaced.
    pub(super) count: usize,
    /// Why some were not that could be.
    pub(super) refused: Option<OverBudget>,
}

/// Replaces each instruction of a function that computes with final constants alone by
/// a constant, in one pass, as far as the specification says what it gives; returns
/// how many there were.
pub(super) fn fold(m: &mut Module, constants: &mut Constants, pool: &mut Pool) -> Folded {
    let mut folded = Folded::default();
    let Some(last) = last_global(m) else {
        return folded;
    };
    let mut last = last;
    let mut gone = BTreeSet::new();
    let keeps_floats = changes_floats(m);
    let capabilities = Declared::of(m.header().version, m.read()).all_capabilities();
    let functions: Vec<_> = m.functions().collect();
    for function in functions {
        let mut next = m.function_definition(function);
        while let Some(inst) = next {
            next = m.next(inst).filter(|_| m.op(inst) != Op::FunctionEnd);
            let Some((ty, id, value)) = value_of(m, inst, constants, keeps_floats) else {
                continue;
            };
            let value = match value.map(Outcome::defined) {
                Ok(Ok(value)) => value,
                Err(NotComputable::OverBudget(error)) => {
                    folded.refused = Some(error);
                    continue;
                }
                Ok(Err(_)) | Err(_) => continue,
            };
            if value.is_undef() || !may_be_constant(&value, &capabilities) {
                continue;
            }
            let constant = match pool.find(ty, &value) {
                Some(constant) => constant,
                None => {
                    let constant = m.fresh_id();
                    // What is there is replaced at once.
                    let place = Place::After(last);
                    let Ok(made) = m.insert(place, Op::Undef, &[ty.0, constant.0]) else {
                        continue;
                    };
                    m.set_line(made, None);
                    m.set_scope(made, None);
                    let written = pool.write(m, made, constants, ty, constant, &value);
                    if let Ok(Err(NotWritable::OverBudget(error))) = written {
                        folded.refused = Some(error);
                    }
                    if !matches!(written, Ok(Ok(()))) {
                        let _ = m.remove(made);
                        continue;
                    }
                    last = made;
                    constant
                }
            };
            // In a broken module others may define it, too.
            if gone.insert(id) {
                put_in_place(m, id, constant);
            }
            let _ = m.remove(inst);
        }
    }
    leave_groups(m, &gone);
    folded.count = gone.len();
    folded
}

/// The last instruction among types, constants and variables.
fn last_global(m: &Module) -> Option<Inst> {
    m.globals()
        .filter(|&inst| {
            let class = m.op(inst).info().map(|info| info.class());
            matches!(
                class,
                Some(Class::TypeDeclaration | Class::ConstantCreation | Class::Memory)
            )
        })
        .last()
}

/// Whether there may be a constant of this value: modules without the capability for
/// small numbers only load, store and convert them (section 2.16.1).
fn may_be_constant(value: &Value, capabilities: &Capabilities) -> bool {
    let small = value.small();
    let needed = [
        (small.int8, Capability::Int8),
        (small.int16, Capability::Int16),
        (small.float, Capability::Float16),
    ];
    needed
        .into_iter()
        .all(|(is_needed, capability)| !is_needed || capabilities.contains(capability))
}

/// Whether an entry point asks for other floating-point arithmetic than the folder's.
fn changes_floats(m: &Module) -> bool {
    m.globals().any(|inst| {
        let mode = m.get(inst).words().get(2).map(|&mode| ExecutionMode(mode));
        m.op(inst).is_execution_mode()
            && matches!(
                mode,
                Some(ExecutionMode::DenormFlushToZero | ExecutionMode::RoundingModeRTZ)
            )
    })
}

/// Whether an instruction multiplies with matrices. In which order the products are added
/// is left to the implementation.
fn is_matrix_product(op: Op) -> bool {
    matches!(
        op,
        Op::VectorTimesMatrix
            | Op::MatrixTimesVector
            | Op::MatrixTimesMatrix
            | Op::MatrixTimesScalar
            | Op::OuterProduct
    )
}

/// What an instruction gives, with its type and id, if its operands are known.
fn value_of(
    m: &Module,
    inst: Inst,
    constants: &Constants,
    keeps_floats: bool,
) -> Option<(Id, Id, Evaluated<Value>)> {
    let read = m.get(inst);
    let (ty, id) = (read.result_type()?, read.result()?);
    let info = read.info()?;
    if read.op().is_spec_constant() || read.op() == Op::Undef || is_matrix_product(read.op()) {
        return None;
    }
    let (ids, literals) = match info.only_ids_follow() {
        true => (read.words().get(3..)?, &[][..]),
        false => read
            .words()
            .get(3..)?
            .split_at_checked(info.leading_ids().saturating_sub(2))?,
    };
    let operands: Option<Vec<_>> = ids
        .iter()
        .map(|&id| constants.value(Id(id)).cloned())
        .collect();
    let operands = operands.filter(|operands| !operands.is_empty() && all_final(m, ids))?;
    let is_float = |value: &Value| {
        matches!(
            value.scalar().map(|scalar| scalar.ty()),
            Some(ScalarType::Float(_)) | None
        )
    };
    if keeps_floats && operands.iter().any(is_float) {
        return None;
    }
    let evaluator = constants.evaluator();
    Some((
        ty,
        id,
        evaluator.evaluate(read.op(), ty, &operands, literals),
    ))
}

/// Lets a constant stand for what an instruction gave: names and decorations were of
/// the instruction, and go. Groups of decorations are left for [`leave_groups`].
fn put_in_place(m: &mut Module, id: Id, constant: Id) {
    let about: Vec<_> = m.uses(id).filter(|&found| m.is_about(found)).collect();
    for found in about {
        if m.op(found.inst) != Op::GroupDecorate {
            let _ = m.remove(found.inst);
        }
    }
    m.replace_uses_where(id, constant, |m, found| !m.is_about(found));
}

/// Takes ids that nothing defines any more out of groups of decorations.
fn leave_groups(m: &mut Module, gone: &BTreeSet<Id>) {
    let groups: Vec<_> = m
        .globals()
        .filter(|&inst| m.op(inst) == Op::GroupDecorate)
        .collect();
    for inst in groups {
        m.retain_targets(inst, |_, target| !gone.contains(&target));
    }
}
