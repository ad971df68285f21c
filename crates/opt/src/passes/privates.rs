//! Variables of the module that only one function uses, which runs once, become its own.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use spirvkit_grammar::{Decoration, Op, StorageClass};
use spirvkit_ir::About;

use crate::unit::{Unit, Value, flag};

/// Moves variables of the class `Private` into the only function that uses them, if that is an
/// entry point that nothing calls.
pub(crate) fn localize(unit: &mut Unit, is_live: &[bool]) {
    let privates: Vec<Value> = unit
        .globals
        .iter()
        .copied()
        .filter(|&value| {
            unit.op(value) == Op::Variable
                && unit.operand(value, 0) == StorageClass::Private.0
                && !unit.node(value).has(flag::FIXED)
                && !unit.is_decorated(value, Decoration::LinkageAttributes)
        })
        .collect();
    if privates.is_empty() {
        return;
    }
    let mut user: HashMap<Value, Option<usize>> = HashMap::new();
    let mut is_called = vec![false; unit.functions.len()];
    let by_id: HashMap<Value, usize> = (unit.functions.iter().enumerate())
        .map(|(index, function)| (function.definition, index))
        .collect();
    // What pointers lead to, of those into such variables.
    let mut root: HashMap<Value, Value> = privates.iter().map(|&value| (value, value)).collect();
    for (index, function) in unit.functions.iter().enumerate() {
        if !is_live[index] {
            continue;
        }
        let insts = function.blocks.iter().flat_map(|block| &block.insts);
        let insts = insts.filter(|&&inst| !unit.is_debug(inst));
        // What phis name may come behind.
        let (phis, others): (Vec<Value>, Vec<Value>) =
            insts.partition(|&&inst| unit.op(inst) == Op::Phi);
        for inst in others.into_iter().chain(phis) {
            let op = unit.op(inst);
            let leads_on = op.is_access_chain() || op == Op::CopyObject;
            for (place, id) in unit.ids(inst) {
                if let Some(&called) = by_id.get(&id) {
                    is_called[called] = true;
                }
                let Some(&variable) = root.get(&id) else {
                    continue;
                };
                let stays = match op {
                    Op::Load | Op::CopyMemory => true,
                    Op::Store => place == 0,
                    _ => leads_on && place == 0,
                };
                let slot = user.entry(variable).or_insert(Some(index));
                if *slot != Some(index) || function.is_opaque || !stays {
                    *slot = None;
                } else if leads_on {
                    root.insert(inst, variable);
                }
            }
        }
    }
    let entries: Vec<Value> = (unit.globals.iter())
        .filter(|&&value| unit.op(value).is_entry_point())
        .filter_map(|&value| {
            let place = usize::from(unit.op(value) == Op::ConditionalEntryPointINTEL);
            unit.ids(value).nth(place).map(|(_, id)| id)
        })
        .collect();
    // Constants may be addresses.
    for &value in &unit.globals {
        if !is_about(unit.op(value)) && !unit.is_debug(value) {
            for (_, id) in unit.ids(value) {
                user.insert(id, None);
            }
        }
    }
    let entries: hashbrown::HashSet<Value> = entries.into_iter().collect();
    let mut moved: BTreeMap<usize, Vec<Value>> = BTreeMap::new();
    for variable in privates {
        if let Some(&Some(index)) = user.get(&variable)
            && !is_called[index]
            && entries.contains(&unit.functions[index].definition)
        {
            moved.entry(index).or_default().push(variable);
        }
    }
    for (&index, own) in &moved {
        relocate(unit, own, index);
    }
    let gone: hashbrown::HashSet<Value> = moved.into_values().flatten().collect();
    unit.globals.retain(|value| !gone.contains(value));
    // Entry points name them in their interfaces.
    for index in 0..unit.globals.len() {
        let entry = unit.globals[index];
        if !unit.op(entry).is_entry_point() {
            continue;
        }
        let kept: Vec<u32> = unit.operands(entry).to_vec();
        let ids = unit.node(entry).ids;
        let mut place = 0;
        let kept: Vec<u32> = kept
            .into_iter()
            .filter(|word| {
                let is_id = Unit::is_id(ids, place);
                place += 1;
                !(is_id && gone.contains(word))
            })
            .collect();
        // All behind the name are ids, however many.
        unit.set_operands(entry, &kept);
    }
}

/// Makes variables of the module a function's own, with all pointers into them.
fn relocate(unit: &mut Unit, variables: &[Value], function: usize) {
    let function_class = StorageClass::Function.0;
    let retype = |unit: &mut Unit, value: Value| {
        let pointee = unit.operand(unit.node(value).ty, 1);
        let ty = unit.global_type(Op::TypePointer, &[function_class, pointee], 0b10);
        unit.nodes[value as usize].ty = ty;
    };
    let mut pointers: hashbrown::HashSet<Value> = variables.iter().copied().collect();
    let insts: Vec<Value> = (unit.functions[function].blocks.iter())
        .flat_map(|block| block.insts.iter().copied())
        .collect();
    for inst in insts {
        let op = unit.op(inst);
        let is_pointer = (op.is_access_chain() || op == Op::CopyObject)
            && pointers.contains(&unit.operand(inst, 0));
        if is_pointer {
            pointers.insert(inst);
            retype(unit, inst);
        }
    }
    for &variable in variables {
        retype(unit, variable);
        let mut operands = unit.operands(variable).to_vec();
        operands[0] = function_class;
        unit.set_operands(variable, &operands);
        unit.nodes[variable as usize].flags |= flag::LOCAL;
    }
    if let Some(entry) = unit.functions[function].blocks.first_mut() {
        entry.insts.splice(0..0, variables.iter().copied());
    }
    unit.functions[function].is_done = false;
}

/// Whether an instruction before the functions only says something of what it names.
fn is_about(op: Op) -> bool {
    op.is_entry_point() || About::of(op).is_some()
}

/// Finds variables of the module that no other module sees, and that only one function uses.
pub(crate) fn find_owned(unit: &mut Unit, is_live: &[bool]) {
    let mut owner: HashMap<Value, Option<Value>> = (unit.globals.iter().copied())
        .filter(|&value| {
            unit.op(value) == Op::Variable
                && matches!(
                    StorageClass(unit.operand(value, 0)),
                    StorageClass::Private | StorageClass::Workgroup
                )
                && !unit.is_decorated(value, Decoration::Aliased)
                && !unit.is_decorated(value, Decoration::Volatile)
                && !unit.is_decorated(value, Decoration::LinkageAttributes)
        })
        .map(|value| (value, None))
        .collect();
    if owner.is_empty() {
        return;
    }
    for &value in &unit.globals {
        let op = unit.op(value);
        if !is_about(op) && !op.is_ext_inst() {
            for (_, id) in unit.ids(value) {
                owner.remove(&id);
            }
        }
    }
    for (function, _) in unit
        .functions
        .iter()
        .zip(is_live)
        .filter(|(_, live)| **live)
    {
        let insts = function.blocks.iter().flat_map(|block| &block.insts);
        for &inst in insts.filter(|&&inst| !unit.is_debug(inst)) {
            for (_, id) in unit.ids(inst) {
                let Some(slot) = owner.get_mut(&id) else {
                    continue;
                };
                if function.is_opaque || slot.is_some_and(|other| other != function.definition) {
                    owner.remove(&id);
                } else {
                    *slot = Some(function.definition);
                }
            }
        }
    }
    unit.owners = owner
        .into_iter()
        .filter_map(|(variable, owner)| Some((variable, owner?)))
        .collect();
    // What they store may be of no use.
    let owners: hashbrown::HashSet<Value> = unit.owners.values().copied().collect();
    for function in &mut unit.functions {
        function.is_done &= !owners.contains(&function.definition);
    }
}
