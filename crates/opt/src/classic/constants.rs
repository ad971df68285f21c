//! Specialization constants.

use hashbrown::HashMap;
use spirvkit_binary::{Id, NumberType};
use spirvkit_grammar::Op;
use spirvkit_ir::{Inst, Module};
use spirvkit_transform::{Specialization, Specialized, spec_constants, specialize};

use crate::pass::{Changed, Context, PassError};

pub(super) fn freeze(module: &mut Module, _: &mut Context<'_>) -> Result<Changed, PassError> {
    finish(module, &Specialization::default().all_defaults(true))
}

pub(super) fn fold(module: &mut Module, _: &mut Context<'_>) -> Result<Changed, PassError> {
    finish(module, &Specialization::default())
}

fn finish(module: &mut Module, wanted: &Specialization) -> Result<Changed, PassError> {
    let done: Specialized =
        specialize(module, wanted).map_err(|error| PassError::new(error.to_string()))?;
    unify_matrices(module)?;
    Ok(Changed::if_any(done.finished + done.folded))
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
    let pairs = argument.split([' ', '\t', ',']).filter(|it| !it.is_empty());
    let pairs: Result<Vec<_>, String> = pairs
        .map(|pair| {
            let (id, value) = (pair.split_once(':'))
                .ok_or_else(|| format!("`{pair}` is not of the form ID:VALUE"))?;
            let id = id
                .parse()
                .map_err(|_| format!("`{id}` is no number of a constant"))?;
            Ok((id, value))
        })
        .collect();
    match pairs? {
        pairs if pairs.is_empty() => Err("there is no ID:VALUE".into()),
        pairs => Ok(pairs),
    }
}

pub(super) fn check_defaults(argument: &str) -> Result<(), String> {
    pairs(argument).map(drop)
}

pub(super) fn set_defaults(
    module: &mut Module,
    argument: &str,
    _: &mut Context<'_>,
) -> Result<Changed, PassError> {
    let pairs = pairs(argument).map_err(PassError::new)?;
    let mut count = 0;
    for constant in spec_constants(module) {
        let wanted = pairs
            .iter()
            .rev()
            .find(|pair| Some(pair.0) == constant.spec_id);
        let (Some(&(id, value)), Some(inst)) = (wanted, module.definition(constant.id)) else {
            continue;
        };
        let wrong = || PassError::new(format!("`{value}` is no value for the constant {id}"));
        let mut operands = vec![constant.ty.0, constant.id.0];
        let op = match module.definitions().number_type(constant.ty) {
            Some(ty) => {
                operands.extend(literal(ty, value).ok_or_else(wrong)?);
                Op::SpecConstant
            }
            None => match truth(value).ok_or_else(wrong)? {
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

/// The words of a number, if it fits into its type. What begins with `0x` are the bits.
fn literal(ty: NumberType, value: &str) -> Option<Vec<u32>> {
    let width = u32::from(ty.width());
    let (digits, is_negative) = match value.strip_prefix('-') {
        Some(rest) => (rest, true),
        None => (value, false),
    };
    let hexadecimal = digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0X"));
    let mask = u64::MAX >> (64 - width.clamp(1, 64));
    let is_integer = matches!(ty, NumberType::Integer { .. });
    let bits = match hexadecimal {
        Some(digits) => u64::from_str_radix(digits, 16).ok()?,
        None if is_integer => digits.parse::<u64>().ok()?,
        None if width == 64 => return Some(split(value.parse::<f64>().ok()?.to_bits(), width)),
        None if width == 32 => {
            return Some(split(value.parse::<f32>().ok()?.to_bits().into(), width));
        }
        None => return None,
    };
    if bits > mask || is_negative && !is_integer {
        return None;
    }
    let bits = match is_negative {
        true if bits > mask / 2 + 1 => return None,
        true => bits.wrapping_neg() & mask,
        false => bits,
    };
    let is_signed = matches!(ty, NumberType::Integer { signed: true, .. });
    // Small numbers with a sign fill their word with it.
    let fills = is_signed && width < 32 && bits >> (width - 1) & 1 != 0;
    let bits = if fills { bits | !mask } else { bits };
    Some(split(bits, width))
}

fn split(bits: u64, width: u32) -> Vec<u32> {
    match width > 32 {
        true => vec![bits as u32, (bits >> 32) as u32],
        false => vec![bits as u32],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_fill_their_words() {
        let int = |width, signed| NumberType::Integer { width, signed };
        let of = |ty, text| literal(ty, text);
        assert_eq!(of(int(32, true), "-1"), Some(vec![u32::MAX]));
        assert_eq!(of(int(32, false), "0x10"), Some(vec![16]));
        assert_eq!(of(int(16, true), "-2"), Some(vec![0xffff_fffe]));
        assert_eq!(of(int(16, false), "65535"), Some(vec![65535]));
        assert_eq!(of(int(16, false), "65536"), None);
        assert_eq!(of(int(64, true), "-1"), Some(vec![u32::MAX, u32::MAX]));
        assert_eq!(of(int(32, false), "1.5"), None);
    }
}
