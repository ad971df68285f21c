//! Specialization constants.

use std::fmt::Display;

use hashbrown::HashMap;
use spirvkit_binary::{Id, NumberType};
use spirvkit_grammar::Op;
use spirvkit_ir::{Inst, Lookup, Module};
use spirvkit_text::{NumberError, parse_number};
use spirvkit_transform::{Specialization, Specialized, spec_constants, specialize};

use super::of_op;
use crate::pass::{Changed, Context, PassError};

pub(super) fn freeze(module: &mut Module, _: &mut Context<'_>) -> Result<Changed, PassError> {
    finish(module, &Specialization::default().all_defaults(true))
}

pub(super) fn fold(module: &mut Module, _: &mut Context<'_>) -> Result<Changed, PassError> {
    finish(module, &Specialization::default())
}

fn finish(module: &mut Module, wanted: &Specialization) -> Result<Changed, PassError> {
    let mut open = arrays(module);
    open.retain(|&(_, length)| number(module, length).is_none());
    let done: Specialized =
        specialize(module, wanted).map_err(|error| PassError::new(error.to_string()))?;
    for (array, _) in open {
        let length = module.definition(array);
        let length = length.and_then(|array| module.operand_id(array, 1));
        let length = length.and_then(|length| number(module, length));
        if length.is_some_and(|length| length < 1) {
            return Err(without_elements(array));
        }
    }
    unify_matrices(module)?;
    Ok(Changed::if_any(done.finished + done.folded))
}

/// The arrays of a module, and their lengths.
fn arrays(module: &Module) -> Vec<(Id, Id)> {
    let arrays = of_op(module, Op::TypeArray).into_iter();
    let arrays =
        arrays.filter_map(|array| Some((module.result(array)?, module.operand_id(array, 1)?)));
    arrays.collect()
}

/// What number an integer constant is.
fn number(module: &Module, constant: Id) -> Option<i64> {
    module.constant_i64(constant)
}

/// Why a constant can't have a value: there are no arrays without elements (section 3.49.6).
fn without_elements(array: Id) -> PassError {
    PassError::new(format!(
        "the array {array} would have no elements, because its length would be less than 1"
    ))
}

/// Lets matrices of groups that are equal now have one type: the constants that they are made of
/// first.
fn unify_matrices(module: &mut Module) -> Result<(), PassError> {
    let is_matrix = |op: Op| {
        matches!(
            op,
            Op::TypeCooperativeMatrixKHR | Op::TypeCooperativeMatrixNV | Op::TypeVectorIdEXT
        )
    };
    let globals: Vec<Inst> = module.globals().collect();
    if !globals.iter().any(|&inst| is_matrix(module.op(inst))) {
        return Ok(());
    }
    let mut known: HashMap<(Op, Vec<u32>), Id> = HashMap::new();
    for inst in globals {
        let op = module.op(inst);
        let is_plain = !module
            .uses_of(inst)
            .any(|found| module.is_about(found) && !module.op(found.inst).is_name());
        let is_mergeable = op == Op::Constant || is_matrix(op) || op == Op::TypeFunction;
        let Some(id) = module.result(inst).filter(|_| is_mergeable && is_plain) else {
            continue;
        };
        let mut words = module.get(inst).operand_words().to_vec();
        words.remove(usize::from(module.result_type(inst).is_some()));
        match known.get(&(op, words.clone())) {
            Some(&same) => drop(module.replace_with(inst, same)?),
            None => drop(known.insert((op, words), id)),
        }
    }
    Ok(())
}

/// Pairs like `1:100 2:0x10`.
fn pairs(argument: &str) -> Result<Vec<(u32, &str)>, String> {
    let pairs = super::pairs(argument, "ID:VALUE")?.into_iter();
    pairs
        .map(|(id, value)| match id.parse() {
            Ok(id) => Ok((id, value)),
            Err(_) => Err(format!("`{id}` is no number of a constant")),
        })
        .collect()
}

pub(super) fn check_defaults(argument: &str) -> Result<(), String> {
    pairs(argument).map(drop)
}

pub(super) fn set_defaults(
    module: &mut Module,
    argument: &str,
    _: &mut Context<'_>,
) -> Result<Changed, PassError> {
    // Of several values for one, the last counts.
    let values: HashMap<u32, &str> = (pairs(argument).map_err(PassError::new)?)
        .into_iter()
        .collect();
    let arrays = arrays(module).into_iter();
    let arrays: HashMap<Id, Id> = arrays.map(|(array, length)| (length, array)).collect();
    let mut count = 0;
    for constant in spec_constants(module) {
        let given = constant
            .spec_id
            .and_then(|id| Some((id, *values.get(&id)?)));
        let (Some((id, value)), Some(inst)) = (given, module.definition(constant.id)) else {
            continue;
        };
        let wrong = |why: &dyn Display| {
            PassError::new(format!(
                "`{value}` can't be the value of the constant {id}: {why}"
            ))
        };
        let mut operands = vec![constant.ty.0, constant.id.0];
        let op = match module.definitions().number_type(constant.ty) {
            Some(ty) => {
                operands.extend(literal(ty, value).map_err(|why| wrong(&why))?);
                if let Some(&array) = arrays.get(&constant.id)
                    && is_below_one(ty, &operands[2..])
                {
                    return Err(without_elements(array));
                }
                Op::SpecConstant
            }
            None => match truth(value).ok_or_else(|| wrong(&"it is neither `true` nor `false`"))? {
                true => Op::SpecConstantTrue,
                false => Op::SpecConstantFalse,
            },
        };
        let is_same = module.op(inst) == op && module.get(inst).operand_words() == operands;
        if !is_same {
            module.replace(inst, op, &operands)?;
            count += 1;
        }
    }
    Ok(Changed::if_any(count))
}

fn truth(value: &str) -> Option<bool> {
    match value {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

/// Whether an integer that has these words is zero or negative.
fn is_below_one(ty: NumberType, words: &[u32]) -> bool {
    let has_sign = matches!(ty, NumberType::Integer { signed: true, .. });
    let is_negative = has_sign && words.last().is_some_and(|&word| (word as i32) < 0);
    is_negative || words.iter().all(|&word| word == 0)
}

/// The words of a number, as it is in assembly text.
fn literal(ty: NumberType, value: &str) -> Result<Vec<u32>, NumberError> {
    let bits = parse_number(value, ty)?;
    Ok(match ty.width() > 32 {
        true => vec![bits as u32, (bits >> 32) as u32],
        false => vec![bits as u32],
    })
}
