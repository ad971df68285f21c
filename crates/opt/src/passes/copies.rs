//! Reads what a variable is a copy of instead of the variable, where neither changes.

use hashbrown::{HashMap, HashSet};
use spirvkit_grammar::{Op, StorageClass};

use crate::body::{Flow, is_unchanging};
use crate::unit::{Function, Unit, Value};

/// How a variable is used.
#[derive(Default)]
struct Uses {
    /// The only store, with its block and place.
    store: Option<(Value, u32, usize)>,
    /// Pointers into it, and loads from it as a whole.
    pointers: Vec<Value>,
    loads: Vec<Value>,
    /// Where these are.
    places: Vec<(u32, usize)>,
    is_other: bool,
}

/// Lets a function read from inputs and uniform memory itself; whether it does so anywhere.
pub(crate) fn forward(unit: &mut Unit, function: &mut Function) -> bool {
    let Some(entry) = function.blocks.first() else {
        return false;
    };
    let is_candidate = |&inst: &Value| {
        let ty = unit.node(inst).ty;
        unit.op(inst) == Op::Variable
            && unit.operands(inst).len() == 1
            && unit.operand(inst, 0) == StorageClass::Function.0
            && unit.node(inst).decorations == 0
            && unit.op(ty) == Op::TypePointer
            && matches!(
                unit.op(unit.operand(ty, 1)),
                Op::TypeArray | Op::TypeStruct | Op::TypeMatrix
            )
    };
    let variables = entry.insts.iter().copied().filter(is_candidate);
    let mut uses: HashMap<Value, Uses> = variables
        .map(|variable| (variable, Uses::default()))
        .collect();
    if function.is_opaque || uses.is_empty() {
        return false;
    }
    find_uses(unit, function, &mut uses);
    let mut order: Vec<Value> = uses.keys().copied().collect();
    order.sort_unstable();
    let mut flow = None;
    let mut gone = HashSet::new();
    for variable in order {
        let uses = &uses[&variable];
        let Some((store, block, place)) = uses.store else {
            continue;
        };
        let Some(source) = source(unit, store, variable) else {
            continue;
        };
        if uses.is_other || is_untranslatable(unit, uses, source) {
            continue;
        }
        let flow = flow.get_or_insert_with(|| Flow::new(unit, function));
        let is_behind = |&(other, at): &(u32, usize)| match other == block {
            true => at > place,
            false => flow.is_reachable(other) && flow.dominators.dominates(block, other),
        };
        if !uses.places.iter().all(is_behind) {
            continue;
        }
        redirect(unit, uses, variable, source);
        let whole = unit.operand(store, 1);
        for &load in &uses.loads {
            unit.replace(load, whole);
        }
        gone.extend(uses.loads.iter().copied().chain([store]));
    }
    for block in &mut function.blocks {
        block.insts.retain(|inst| !gone.contains(inst));
    }
    !gone.is_empty()
}

fn find_uses(unit: &Unit, function: &Function, uses: &mut HashMap<Value, Uses>) {
    let mut root: HashMap<Value, Value> = uses.keys().map(|&it| (it, it)).collect();
    for (number, block) in (0..).zip(&function.blocks) {
        for (place, &inst) in block.insts.iter().enumerate() {
            let op = unit.op(inst);
            // What only describes the source decides nothing.
            if unit.debug_instruction(inst).is_some() {
                continue;
            }
            for (index, id) in unit.ids(inst) {
                let Some(&variable) = root.get(&unit.find(id)) else {
                    continue;
                };
                let Some(found) = uses.get_mut(&variable) else {
                    continue;
                };
                let is_whole = unit.find(id) == variable;
                match op {
                    Op::Store if index == 0 && is_whole && is_plain(unit, inst, 2) => {
                        found.is_other |= found.store.replace((inst, number, place)).is_some();
                        continue;
                    }
                    Op::Load if is_plain(unit, inst, 1) => {
                        if is_whole {
                            found.loads.push(inst);
                        }
                    }
                    Op::AccessChain | Op::InBoundsAccessChain
                        if index == 0 && unit.node(inst).decorations == 0 =>
                    {
                        root.insert(inst, variable);
                        found.pointers.push(inst);
                    }
                    _ => found.is_other = true,
                }
                found.places.push((number, place));
            }
        }
    }
}

fn is_plain(unit: &Unit, inst: Value, at: usize) -> bool {
    unit.operand(inst, at) == 0
}

/// What was loaded and stored to a variable, if nothing changes that, and pointers may lead there
/// in the same steps.
fn source(unit: &Unit, store: Value, variable: Value) -> Option<Value> {
    let load = unit.find(unit.operand(store, 1));
    let from = unit.find(unit.operand(load, 0));
    let is_load = unit.op(load) == Op::Load && is_plain(unit, load, 1);
    let is_known = is_load
        && unit.node(load).decorations == 0
        && unit.node(from).decorations == 0
        && unit.pointee(from) == unit.pointee(variable)
        && is_unchanging(unit, from);
    is_known.then_some(from)
}

/// Whether translators to Metal's language couldn't index the source as the copy is: matrices among the inputs of
/// tessellation, by what is computed.
fn is_untranslatable(unit: &Unit, uses: &Uses, source: Value) -> bool {
    if !unit.has_patches || unit.storage_class(source) != Some(StorageClass::Input.0) {
        return false;
    }
    let mut ty = unit.pointee(source).unwrap_or_default();
    while unit.op(ty) == Op::TypeArray {
        ty = unit.operand(ty, 0);
    }
    let is_computed = |&index: &Value| unit.integer(unit.find(index)).is_none();
    let mut indices = uses.pointers.iter().flat_map(|&it| &unit.operands(it)[1..]);
    unit.op(ty) == Op::TypeMatrix && indices.any(is_computed)
}

/// Lets pointers into a variable lead into another one.
fn redirect(unit: &mut Unit, uses: &Uses, variable: Value, source: Value) {
    let class = unit.storage_class(source).unwrap_or_default();
    for &pointer in &uses.pointers {
        let pointee = unit.operand(unit.node(pointer).ty, 1);
        let ty = unit.global_type(Op::TypePointer, &[class, pointee], 0b10);
        unit.nodes[pointer as usize].ty = ty;
        if unit.find(unit.operand(pointer, 0)) == variable {
            unit.operands_mut(pointer)[0] = source;
        }
    }
}
