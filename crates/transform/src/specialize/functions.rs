//! Folding in functions.

use std::collections::BTreeSet;

use spirvkit_analysis::requirements::{Capabilities, Declared};
use spirvkit_binary::{Id, NumberType};
use spirvkit_grammar::{Capability, Class, ExecutionMode, Op};
use spirvkit_ir::{Inst, Module, Place};

use super::pool::Pool;
use super::{all_final, is_spec_constant};
use crate::attached::{is_about, retain_targets};
use crate::fold::constants::Constants;
use crate::fold::{Folder, Scalar, ScalarType, Value};

/// Replaces each instruction of a function that computes with final constants alone by
/// a constant, in one pass, as far as the specification says what it gives; returns
/// how many there were.
pub(super) fn fold(m: &mut Module, constants: &mut Constants, pool: &mut Pool) -> usize {
    let Some(last) = last_global(m) else {
        return 0;
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
            if !may_be_constant(&value, &capabilities) {
                continue;
            }
            let constant = match pool.find(ty, &value) {
                Some(constant) => constant,
                None => {
                    let constant = m.fresh_id();
                    // What stands there is replaced at once.
                    let place = Place::After(last);
                    let Ok(made) = m.insert(place, Op::Undef, &[ty.0, constant.0]) else {
                        continue;
                    };
                    m.set_line(made, None);
                    m.set_scope(made, None);
                    match pool.write(m, made, constants, ty, constant, &value) {
                        Ok(true) => {}
                        _ => {
                            let _ = m.remove(made);
                            continue;
                        }
                    }
                    last = made;
                    let _ = constants.define(&m.get(made));
                    pool.note(&m.get(made), constants);
                    constant
                }
            };
            put_in_place(m, id, constant);
            let _ = m.remove(inst);
            gone.insert(id);
        }
    }
    leave_groups(m, &gone);
    gone.len()
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
    let mut todo = vec![value];
    while let Some(value) = todo.pop() {
        let needed = match value.scalar().map(Scalar::ty) {
            Some(ScalarType::Integer { width: 8 }) => Capability::Int8,
            Some(ScalarType::Integer { width: 16 }) => Capability::Int16,
            Some(ScalarType::Float(format)) if NumberType::Float(format).width() < 32 => {
                Capability::Float16
            }
            Some(_) => continue,
            None => {
                if let Value::Composite(composite) = value {
                    match composite.uniform() {
                        Some(part) => todo.push(part),
                        None => todo.extend(composite.parts()),
                    }
                }
                continue;
            }
        };
        if !capabilities.has(needed) {
            return false;
        }
    }
    true
}

/// Whether an entry point asks for other floating-point arithmetic than the folder's.
fn changes_floats(m: &Module) -> bool {
    m.globals().any(|inst| {
        let mode = m.get(inst).words().get(2).map(|&mode| ExecutionMode(mode));
        matches!(m.op(inst), Op::ExecutionMode | Op::ExecutionModeId)
            && matches!(
                mode,
                Some(ExecutionMode::DenormFlushToZero | ExecutionMode::RoundingModeRTZ)
            )
    })
}

/// What an instruction gives, with its type and id, if that is known.
fn value_of(
    m: &Module,
    inst: Inst,
    constants: &Constants,
    keeps_floats: bool,
) -> Option<(Id, Id, Value)> {
    let read = m.get(inst);
    let (ty, id) = (read.result_type()?, read.result()?);
    let info = read.info()?;
    if is_spec_constant(read.op()) || read.op() == Op::Undef {
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
    let folder = Folder::new(constants.types());
    let value = folder.fold(read.op(), ty, &operands, literals).ok()?;
    (!value.is_undef()).then_some((ty, id, value))
}

/// Lets a constant stand for what an instruction gave: names and decorations were of
/// the instruction, and go. Groups of decorations are left for [`leave_groups`].
fn put_in_place(m: &mut Module, id: Id, constant: Id) {
    let about: Vec<_> = m.uses(id).filter(|&found| is_about(m, found)).collect();
    for found in about {
        if m.op(found.inst) != Op::GroupDecorate {
            let _ = m.remove(found.inst);
        }
    }
    m.replace_uses_where(id, constant, |m, found| !is_about(m, found));
}

/// Takes ids that nothing defines any more out of groups of decorations.
fn leave_groups(m: &mut Module, gone: &BTreeSet<Id>) {
    let groups: Vec<_> = m
        .globals()
        .filter(|&inst| m.op(inst) == Op::GroupDecorate)
        .collect();
    for inst in groups {
        retain_targets(m, inst, |_, target| !gone.contains(&target));
    }
}
