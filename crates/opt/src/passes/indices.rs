//! Chooses the constants that are indices: where there is one with the same bits anyway, signed or
//! not, it takes the place of others.

use hashbrown::HashMap;
use spirvkit_grammar::Op;

use crate::unit::{Unit, Value};

/// Lets indices of access chains be constants that something else needs, if there are such.
pub(crate) fn choose(unit: &mut Unit, is_live: &[bool]) {
    if unit.has_opaque {
        return;
    }
    // By the bits of a constant of 32 bits, one that is needed anyway.
    let mut needed: HashMap<u32, Value> = HashMap::new();
    let mut chains = Vec::new();
    for (function, _) in unit.functions.iter().zip(is_live).filter(|it| *it.1) {
        for &inst in function.blocks.iter().flat_map(|block| &block.insts) {
            let is_chain = is_chain(unit.op(inst));
            if is_chain {
                chains.push(inst);
            }
            // What only describes the source decides nothing.
            if unit.is_debug(inst) {
                continue;
            }
            for (index, id) in unit.ids(inst) {
                if is_chain && index > 0 {
                    break;
                }
                note(unit, id, &mut needed);
            }
        }
    }
    for &value in &unit.globals {
        if unit.op(value) == Op::TypeArray {
            note(unit, unit.operand(value, 1), &mut needed);
        }
    }
    for chain in chains {
        for index in 1..unit.operands(chain).len() {
            let id = unit.find(unit.operand(chain, index));
            if let Some(bits) = bits(unit, id) {
                let chosen = *needed.entry(bits).or_insert(id);
                unit.operands_mut(chain)[index] = chosen;
            }
        }
    }
}

fn is_chain(op: Op) -> bool {
    op.is_access_chain() && !op.is_untyped_access_chain()
}

fn note(unit: &Unit, id: Value, needed: &mut HashMap<u32, Value>) {
    let id = unit.find(id);
    if let Some(bits) = bits(unit, id) {
        needed.entry(bits).or_insert(id);
    }
}

/// The bits of a constant integer of 32 bits that means the same whether it is signed or not.
fn bits(unit: &Unit, value: Value) -> Option<u32> {
    let node = unit.node(value);
    let is_word = node.op == Op::Constant
        && unit.op(node.ty) == Op::TypeInt
        && unit.operand(node.ty, 0) == 32
        && unit.is_fixed_constant(value);
    let bits = unit.operand(value, 0);
    (is_word && bits <= i32::MAX as u32).then_some(bits)
}
