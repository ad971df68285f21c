//! Variables of structures that have to stay in memory become a variable for each member.
//!
//! An index that is computed, into an array that is a member, keeps only that in memory; the others
//! can be values then.

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};
use spirvkit_grammar::debug_info::{Kind, Set};
use spirvkit_grammar::{Op, StorageClass};

use crate::Subject;
use crate::unit::{Function, Unit, Value, binding, flag};

/// Structures with more members that are used stay whole.
const MAX_MEMBERS: usize = 64;

/// Structures in each other are divided down to this depth.
const MAX_DEPTH: usize = 4;

/// The members that are used of a variable, by their numbers, with the variables that take their
/// place.
type Members = BTreeMap<u32, Value>;

/// Variables that may be divided.
#[derive(Default)]
struct Found {
    members: HashMap<Value, Members>,
    /// By pointer, the variable that it leads into.
    roots: HashMap<Value, Value>,
    /// Those that can't be values as they are.
    stay: HashSet<Value>,
}

/// Divides the variables of a function that can't be values as a whole, but of which only members are used.
pub(crate) fn split(unit: &mut Unit, function: &mut Function) {
    for _ in 0..MAX_DEPTH {
        if function.is_opaque || !divide_all(unit, function) {
            break;
        }
    }
}

/// Divides variables; whether there was any to divide.
fn divide_all(unit: &mut Unit, function: &mut Function) -> bool {
    let mut found = Found {
        members: candidates(unit, function),
        ..Found::default()
    };
    if found.members.is_empty() {
        return false;
    }
    for &inst in function.blocks.iter().flat_map(|block| &block.insts) {
        look_at(unit, inst, &mut found);
    }
    let Found { members, stay, .. } = found;
    let divisible = members.into_iter().filter(|(variable, members)| {
        stay.contains(variable) && (1..=MAX_MEMBERS).contains(&members.len())
    });
    let mut found: HashMap<Value, Members> = divisible.collect();
    if found.is_empty() {
        return false;
    }
    for block in &mut function.blocks {
        for inst in std::mem::take(&mut block.insts) {
            let Some(members) = found.get_mut(&inst) else {
                keep(unit, inst, &found, &mut block.insts);
                continue;
            };
            divide(unit, inst, members);
            block.insts.extend(members.values());
            let what = "divided into variables of its members";
            let subject = (Subject::Variable, true);
            unit.remark(subject, what, Some(inst), function.definition, inst);
        }
    }
    for &inst in function.blocks.iter().flat_map(|block| &block.insts) {
        unit.resolve(inst);
    }
    true
}

/// Variables of structures that nothing has said anything about.
fn candidates(unit: &Unit, function: &Function) -> HashMap<Value, Members> {
    let insts = function.blocks.first().into_iter().flat_map(|it| &it.insts);
    let variables = insts.filter(|&&inst| unit.op(inst) == Op::Variable);
    let divisible = variables.filter(|&&variable| {
        let node = unit.node(variable);
        let Some(ty) = unit.pointee(variable) else {
            return false;
        };
        let is_structure = unit.op(ty) == Op::TypeStruct && !unit.volatile_types.contains(&ty);
        let initial = unit.operand(variable, 1);
        let mut members = 0..unit.operands(ty).len();
        let has_parts = initial == 0
            || unit.op(initial) == Op::ConstantNull
            || members.all(|member| part_of(unit, initial, member).is_some());
        is_structure && has_parts && node.decorations == 0 && !node.has(flag::FIXED)
    });
    divisible
        .map(|&variable| (variable, Members::new()))
        .collect()
}

/// A member of a constant structure that is made of its members.
fn part_of(unit: &Unit, constant: Value, member: usize) -> Option<Value> {
    let parts = unit.operands(constant);
    let part = match unit.op(constant) {
        Op::ConstantComposite | Op::SpecConstantComposite => parts.get(member),
        Op::ConstantCompositeReplicateEXT | Op::SpecConstantCompositeReplicateEXT => parts.first(),
        _ => None,
    };
    part.copied()
}

/// The variable and the member of its structure that an access chain begins with.
fn first_step(unit: &Unit, inst: Value) -> Option<(Value, u32)> {
    if !matches!(unit.op(inst), Op::AccessChain | Op::InBoundsAccessChain) {
        return None;
    }
    let variable = unit.find(unit.operand(inst, 0));
    let member = unit.integer(unit.find(*unit.operands(inst).get(1)?))?;
    let count = unit.operands(unit.pointee(variable)?).len() as u64;
    (member < count).then_some((variable, member as u32))
}

/// Takes note of which members an instruction uses, of variables that it uses in another way, and of
/// what keeps these in memory.
fn look_at(unit: &Unit, inst: Value, found: &mut Found) {
    if unit.is_debug(inst) {
        return;
    }
    let op = unit.op(inst);
    let step = first_step(unit, inst);
    for (place, id) in unit.ids(inst) {
        let id = unit.find(id);
        if let Some(members) = found.members.get_mut(&id) {
            match step {
                Some((_, member)) if place == 0 => drop(members.insert(member, 0)),
                _ => {
                    found.members.remove(&id);
                    continue;
                }
            }
            found.roots.insert(id, id);
        }
        let Some(&root) = found.roots.get(&id) else {
            continue;
        };
        let is_chain = matches!(op, Op::AccessChain | Op::InBoundsAccessChain) && place == 0;
        if is_chain {
            found.roots.insert(inst, root);
        }
        let mut indices = unit.operands(inst).iter().skip(1);
        let is_simple = match op {
            Op::Load | Op::Store => place == 0,
            _ => is_chain && indices.all(|&index| unit.integer(unit.find(index)).is_some()),
        };
        if !is_simple {
            found.stay.insert(root);
        }
    }
}

/// Makes the variables that take the place of one.
fn divide(unit: &mut Unit, variable: Value, members: &mut Members) {
    let structure = unit.operand(unit.node(variable).ty, 1);
    let initial = unit.operand(variable, 1);
    for (&member, made) in members {
        let class = StorageClass::Function.0;
        let part = unit.operand(structure, member as usize);
        let ty = unit.global_type(Op::TypePointer, &[class, part], 0b10);
        let mut operands = vec![class];
        match unit.op(initial) {
            _ if initial == 0 => {}
            Op::ConstantNull => operands.push(unit.null(part)),
            _ => operands.extend(part_of(unit, initial, member as usize)),
        }
        *made = unit.add(Op::Variable, ty, &operands, 0b10);
        unit.nodes[*made as usize].flags |= flag::LOCAL;
        unit.nodes[*made as usize].position = unit.node(variable).position;
    }
}

/// Keeps an instruction, with the parts of variables instead of these.
fn keep(unit: &mut Unit, inst: Value, found: &HashMap<Value, Members>, insts: &mut Vec<Value>) {
    if unit.is_debug(inst) {
        let named = unit.find(unit.operand(inst, binding::VALUE));
        match found.get(&named) {
            Some(members) => describe(unit, inst, members, insts),
            None => insts.push(inst),
        }
        return;
    }
    let part = first_step(unit, inst)
        .and_then(|(variable, member)| found.get(&variable)?.get(&member).copied());
    let Some(part) = part else {
        insts.push(inst);
        return;
    };
    let mut operands = unit.operands(inst).to_vec();
    operands.remove(1);
    operands[0] = part;
    if operands.len() == 1 {
        unit.replace(inst, part);
        return;
    }
    unit.set_operands(inst, &operands);
    insts.push(inst);
}

/// Says of each part what was said of the whole.
fn describe(unit: &mut Unit, inst: Value, members: &Members, insts: &mut Vec<Value>) {
    let expression = unit.operand(inst, binding::EXPRESSION);
    let is_told = unit.debug_kind(inst) == Some(Kind::Declare) && unit.is_plain(expression);
    if !is_told {
        if unit.forget_value(inst) {
            insts.push(inst);
        }
        return;
    }
    for (&member, &part) in members {
        let made = unit.copy(inst);
        // Only the newer sets tell of a part where it is declared.
        if unit
            .debug_instruction(inst)
            .is_some_and(|it| it.0 != Set::Shader)
        {
            let follow = unit.follow(inst);
            let operands = unit.operands_mut(made);
            operands[1] = Kind::Value.number();
            operands[binding::EXPRESSION] = follow;
        }
        let ty = unit.global_type(Op::TypeInt, &[32, 0], 0);
        let index = unit.constant_node(Op::Constant, ty, &[member]);
        let mut operands = unit.operands(made).to_vec();
        operands[binding::VALUE] = part;
        operands.push(index);
        unit.set_operands(made, &operands);
        insts.push(made);
    }
}
