//! Lets pointers lead on from others that are there anyway, instead of going all the way again.

use hashbrown::HashMap;
use spirvkit_grammar::{Op, StorageClass};

use crate::body::Flow;
use crate::unit::{Function, Operands, Unit, Value};

/// So many beginnings of a chain are looked for, the longest first.
const MAX_LOOKS: usize = 8;

/// Shortens access chains that begin like others before them.
pub(crate) fn share(unit: &mut Unit, is_live: &[bool]) {
    if unit.has_opaque {
        return;
    }
    for index in (0..is_live.len()).filter(|&index| is_live[index]) {
        let function = std::mem::take(&mut unit.functions[index]);
        share_in(unit, &function);
        unit.functions[index] = function;
    }
}

fn share_in(unit: &mut Unit, function: &Function) {
    // By all operands, the first chain that has these, and its block.
    let mut known: HashMap<Operands, (Value, u32)> = HashMap::new();
    let mut flow = None;
    for (number, block) in (0..).zip(&function.blocks) {
        for &inst in &block.insts {
            if !is_candidate(unit, inst) {
                continue;
            }
            let path = Operands::from_slice(unit.operands(inst));
            let mut lengths = (2..path.len()).rev().take(MAX_LOOKS);
            let begins = |count: usize| Some((count, *known.get(&path[..count])?));
            if let Some((count, (chain, above))) = lengths.find_map(begins) {
                let is_there = above == number || {
                    let flow = flow.get_or_insert_with(|| Flow::new(unit, function));
                    flow.dominators.dominates(above, number)
                };
                if is_there {
                    let mut operands = Operands::from_slice(&[chain]);
                    operands.extend_from_slice(&path[count..]);
                    unit.set_operands(inst, &operands);
                }
            }
            known.entry(path).or_insert((inst, number));
        }
    }
}

/// Whether an instruction is a pointer that others can begin with. Translators to other languages
/// expect those to inputs and outputs in one piece.
fn is_candidate(unit: &Unit, inst: Value) -> bool {
    let class = unit.storage_class(inst).map(StorageClass);
    matches!(unit.op(inst), Op::AccessChain | Op::InBoundsAccessChain)
        && unit.node(inst).decorations == 0
        && !matches!(class, Some(StorageClass::Input | StorageClass::Output))
}
