//! Puts functions where they are called.
//!
//! A function that returns from within selections is wrapped into a switch with one case, so that
//! each return leaves that; one that returns from within a loop or switch stays.

use hashbrown::HashMap;
use spirvkit_grammar::{FunctionControl, Op};

use crate::body::{Constructs, Flow, merge_of, number_labels};
use crate::unit::{Block, Function, Unit, Value, flag};

/// How a function can be put into another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// It stays a function.
    Stays,
    /// It is one block.
    Block,
    /// It has several, and returns from outside of all constructs.
    Blocks,
    /// It returns from within selections.
    Wrapped,
}

/// What the decision depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Callee {
    pub(crate) shape: Shape,
    /// The words of its body.
    pub(crate) words: u32,
    /// Whether it ends invocations, which must not happen where a loop continues.
    pub(crate) ends: bool,
}

/// Looks at a function.
pub(crate) fn callee(unit: &mut Unit, function: &Function) -> Callee {
    let mut words = 0;
    let mut ends = false;
    let mut returns = Vec::new();
    for (number, block) in (0..).zip(&function.blocks) {
        words += 2;
        for &inst in &block.insts {
            words += unit.length(inst);
            match unit.op(inst) {
                Op::Return | Op::ReturnValue => returns.push(number),
                op => ends |= op.is_terminator() && !is_branch(op),
            }
        }
    }
    let control = FunctionControl(unit.operand(function.definition, 0));
    let shape = match function.blocks.len() {
        _ if function.is_opaque || control.contains(FunctionControl::DontInline) => Shape::Stays,
        0 => Shape::Stays,
        1 if returns.len() == 1 => Shape::Block,
        _ => shape(unit, function, &returns),
    };
    Callee { shape, words, ends }
}

fn is_branch(op: Op) -> bool {
    matches!(op, Op::Branch | Op::BranchConditional | Op::Switch)
}

fn shape(unit: &mut Unit, function: &Function, returns: &[u32]) -> Shape {
    let flow = Flow::new(unit, function);
    let mut shape = Shape::Blocks;
    let mut is_structured = false;
    for block in &function.blocks {
        is_structured |= merge_of(unit, &block.insts).is_some();
    }
    if !is_structured {
        return Shape::Blocks;
    }
    let constructs = Constructs::new(unit, function, &flow);
    for &block in returns {
        if !flow.is_reachable(block) {
            return Shape::Stays;
        }
        for header in constructs.all_around(block) {
            let insts = &function.blocks[header as usize].insts;
            let is_switch = insts
                .last()
                .is_some_and(|&last| unit.op(last) == Op::Switch);
            if constructs.is_loop(header) || is_switch {
                return Shape::Stays;
            }
            shape = Shape::Wrapped;
        }
    }
    // Several ends outside of all constructs are not structured.
    match returns.len() {
        0 => Shape::Stays,
        1 => shape,
        _ => Shape::Wrapped,
    }
}

/// Puts functions where a function calls them, as far as `wants` says so. Returns whether any was.
pub(crate) fn inline(
    unit: &mut Unit,
    function: &mut Function,
    functions: &HashMap<Value, usize>,
    callees: &[Option<Callee>],
    mut wants: impl FnMut(&Unit, usize, Callee) -> bool,
) -> bool {
    let mut changed = false;
    let mut block = 0;
    let mut continues = None;
    while block < function.blocks.len() {
        let mut index = 0;
        while index < function.blocks[block].insts.len() {
            let inst = function.blocks[block].insts[index];
            index += 1;
            if unit.op(inst) != Op::FunctionCall {
                continue;
            }
            let Some(&number) = functions.get(&unit.operand(inst, 0)) else {
                continue;
            };
            let Some(callee) = callees[number] else {
                continue;
            };
            if callee.shape == Shape::Stays || !wants(unit, number, callee) {
                continue;
            }
            let place = Place {
                block,
                index: index - 1,
            };
            if callee.shape != Shape::Block || callee.ends {
                if !can_split(unit, &function.blocks[block].insts) {
                    continue;
                }
                let label = function.blocks[block].label;
                let continues = continues.get_or_insert_with(|| continue_blocks(unit, function));
                if callee.ends && continues.contains(&label) {
                    continue;
                }
            }
            put(unit, function, place, number, callee.shape);
            changed = true;
            // What was put there calls nothing that was to be put anywhere.
            match callee.shape {
                Shape::Block => {}
                _ => break,
            }
        }
        block += 1;
    }
    changed
}

/// Labels of blocks that belong to the way on which loops continue.
fn continue_blocks(unit: &mut Unit, function: &Function) -> hashbrown::HashSet<Value> {
    let flow = Flow::new(unit, function);
    let mut found = hashbrown::HashSet::new();
    for block in &function.blocks {
        if let Some(merge) = merge_of(unit, &block.insts)
            && unit.op(merge) == Op::LoopMerge
        {
            let target = unit.block_of_label[unit.operand(merge, 1) as usize];
            for &below in flow.dominators.subtree(target) {
                found.insert(function.blocks[below as usize].label);
            }
        }
    }
    found
}

/// Whether a block can be divided: a loop's header only if what stays behind its merge
/// instruction is still structured by itself.
fn can_split(unit: &Unit, insts: &[Value]) -> bool {
    !merge_of(unit, insts).is_some_and(|merge| unit.op(merge) == Op::LoopMerge)
}

#[derive(Clone, Copy)]
struct Place {
    block: usize,
    index: usize,
}

/// What stands for what of the function that is put somewhere.
struct Copies {
    values: HashMap<Value, Value>,
    position: u32,
    keeps_positions: bool,
}

impl Copies {
    fn get(&self, unit: &Unit, value: Value) -> Value {
        match self.values.get(&value) {
            Some(&copy) => copy,
            None => unit.find(value),
        }
    }

    /// A copy of an instruction, whose operands are not copies yet.
    fn node(&mut self, unit: &mut Unit, inst: Value) -> Value {
        let copy = unit.copy(inst);
        if !self.keeps_positions {
            unit.nodes[copy as usize].position = self.position;
        }
        self.values.insert(inst, copy);
        copy
    }
}

fn put(unit: &mut Unit, caller: &mut Function, place: Place, number: usize, shape: Shape) {
    let call = caller.blocks[place.block].insts[place.index];
    let callee = std::mem::take(&mut unit.functions[number]);
    let mut copies = Copies {
        values: HashMap::new(),
        position: unit.node(call).position,
        keeps_positions: !unit.has_debug_info,
    };
    let arguments: Vec<Value> = unit.operands(call)[1..].to_vec();
    for (&parameter, argument) in callee.parameters.iter().zip(arguments) {
        let argument = unit.find(argument);
        copies.values.insert(parameter, argument);
    }
    // All copies first, because phis use what comes later.
    let mut blocks: Vec<Block> = Vec::with_capacity(callee.blocks.len());
    for block in &callee.blocks {
        let label = copies.node(unit, block.label);
        let insts = block.insts.iter().map(|&inst| copies.node(unit, inst));
        blocks.push(Block {
            label,
            insts: insts.collect(),
        });
    }
    for block in &blocks {
        for &inst in &block.insts {
            let ids = unit.node(inst).ids;
            for index in 0..unit.operands(inst).len() {
                if Unit::is_id(ids, index) {
                    let id = copies.get(unit, unit.operand(inst, index));
                    unit.operands_mut(inst)[index] = id;
                }
            }
        }
    }
    unit.functions[number] = callee;
    let variables = take_variables(unit, &mut blocks[0].insts);
    let insts = &mut caller.blocks[place.block].insts;
    let after = insts.split_off(place.index + 1);
    insts.pop();
    match shape {
        Shape::Block => {
            let mut body = std::mem::take(&mut blocks[0].insts);
            if let Some(end) = body.pop()
                && unit.op(end) == Op::ReturnValue
            {
                let value = unit.operand(end, 0);
                unit.replace(call, value);
            }
            insts.extend(body);
            insts.extend(after);
        }
        _ => put_blocks(unit, caller, place.block, call, blocks, after, shape),
    }
    let entry = &mut caller.blocks[0].insts;
    let at = entry
        .iter()
        .position(|&inst| !matches!(unit.op(inst), Op::Variable | Op::UntypedVariableKHR))
        .unwrap_or(entry.len());
    entry.splice(at..at, variables);
}

/// Takes the variables out of a function's first block, and lets it begin with storing their
/// initial values: each call has variables of its own.
fn take_variables(unit: &mut Unit, insts: &mut Vec<Value>) -> Vec<Value> {
    let mut variables = Vec::new();
    let mut stores = Vec::new();
    insts.retain(|&inst| {
        if unit.op(inst) != Op::Variable {
            return true;
        }
        let ty = unit.operand(unit.node(inst).ty, 1);
        let initial = match unit.operands(inst).get(1) {
            Some(&initial) => initial,
            None => unit.undef(ty),
        };
        let class = unit.operand(inst, 0);
        unit.set_operands(inst, &[class]);
        let store = unit.add(Op::Store, 0, &[inst, initial], 0b11);
        unit.nodes[store as usize].flags |= flag::LOCAL;
        stores.push(store);
        variables.push(inst);
        false
    });
    insts.splice(0..0, stores);
    variables
}

fn put_blocks(
    unit: &mut Unit,
    caller: &mut Function,
    block: usize,
    call: Value,
    mut blocks: Vec<Block>,
    after: Vec<Value>,
    shape: Shape,
) {
    let local = |unit: &mut Unit, op: Op, ty: u32, operands: &[u32], ids: u64| {
        let node = unit.add(op, ty, operands, ids);
        unit.nodes[node as usize].flags |= flag::LOCAL;
        node
    };
    let behind = local(unit, Op::Label, 0, &[], 0);
    // Returns go on behind the call.
    let mut results = Vec::new();
    let mut is_reached = false;
    for inner in &mut blocks {
        let Some(&end) = inner.insts.last() else {
            continue;
        };
        let op = unit.op(end);
        if !matches!(op, Op::Return | Op::ReturnValue) {
            continue;
        }
        is_reached = true;
        if op == Op::ReturnValue {
            results.extend([unit.operand(end, 0), inner.label]);
        }
        inner.insts.pop();
        inner.insts.push(local(unit, Op::Branch, 0, &[behind], 1));
    }
    let mut continuation = Block {
        label: behind,
        insts: Vec::new(),
    };
    let ty = unit.node(call).ty;
    match results.len() {
        0 if unit.op(ty) == Op::TypeVoid => {}
        0 => {
            let undef = unit.undef(ty);
            unit.replace(call, undef);
        }
        2 => unit.replace(call, results[0]),
        _ => {
            // A return from the first block comes from where that is put.
            let first = blocks[0].label;
            if shape == Shape::Blocks {
                for pair in results.chunks_exact_mut(2) {
                    if pair[1] == first {
                        pair[1] = caller.blocks[block].label;
                    }
                }
            }
            let phi = local(unit, Op::Phi, ty, &results, u64::MAX);
            continuation.insts.push(phi);
            unit.replace(call, phi);
        }
    }
    let _ = is_reached;
    continuation.insts.extend(after);
    let old_label = caller.blocks[block].label;
    rename_in_phis(unit, caller, &continuation, old_label, behind);
    let insts = &mut caller.blocks[block].insts;
    if shape == Shape::Wrapped {
        let selector = unit.some_integer();
        insts.push(local(unit, Op::SelectionMerge, 0, &[behind, 0], 1));
        let entry = blocks[0].label;
        insts.push(local(unit, Op::Switch, 0, &[selector, entry], 0b11));
    } else {
        let entry = blocks.remove(0);
        // Blocks behind the first come from the block that it is put into.
        for inner in &blocks {
            for &inst in &inner.insts {
                if unit.op(inst) != Op::Phi {
                    break;
                }
                for operand in unit.operands_mut(inst) {
                    if *operand == entry.label {
                        *operand = old_label;
                    }
                }
            }
        }
        insts.extend(entry.insts);
    }
    blocks.push(continuation);
    let at = block + 1;
    caller.blocks.splice(at..at, blocks);
    number_labels(unit, caller);
}

/// Lets phis behind a block that was divided name its second part.
fn rename_in_phis(
    unit: &mut Unit,
    caller: &Function,
    continuation: &Block,
    old_label: Value,
    new_label: Value,
) {
    let Some(&end) = continuation.insts.last() else {
        return;
    };
    let mut targets = Vec::new();
    unit.each_target(end, |_, label| targets.push(label));
    number_labels(unit, caller);
    for label in targets {
        let number = unit.block_of_label[label as usize];
        let Some(target) = caller.blocks.get(number as usize) else {
            continue;
        };
        for &inst in &target.insts {
            if unit.op(inst) != Op::Phi {
                break;
            }
            for operand in unit.operands_mut(inst).iter_mut().skip(1).step_by(2) {
                if *operand == old_label {
                    *operand = new_label;
                }
            }
        }
    }
}

impl Unit {
    /// The words of an instruction.
    pub(crate) fn length(&self, inst: Value) -> u32 {
        let node = self.node(inst);
        let results = u32::from(node.ty != 0) + u32::from(node.has(flag::RESULT));
        1 + results + self.operands(inst).len() as u32
    }

    /// A constant integer of 32 bits, whichever there is.
    pub(crate) fn some_integer(&mut self) -> Value {
        let is_word = |&&value: &&Value| {
            self.op(value) == Op::Constant
                && self.op(self.node(value).ty) == Op::TypeInt
                && self.operand(self.node(value).ty, 0) == 32
                && self.find(value) == value
        };
        if let Some(&constant) = self.globals.iter().find(is_word) {
            return constant;
        }
        let ty = self.global_type(Op::TypeInt, &[32, 0], 0);
        self.constant_node(Op::Constant, ty, &[0])
    }

    /// A type, which is made if there is none.
    pub(crate) fn global_type(&mut self, op: Op, operands: &[u32], ids: u64) -> Value {
        let is_it = |&&value: &&Value| {
            self.op(value) == op && self.operands(value) == operands && self.find(value) == value
        };
        if let Some(&found) = self.globals.iter().find(is_it) {
            return found;
        }
        let made = self.add(op, 0, operands, ids);
        self.globals.push(made);
        let mut words = vec![(operands.len() as u32 + 2) << 16 | u32::from(op.0), made];
        words.extend_from_slice(operands);
        let offset = spirvkit_binary::WordOffset(0);
        if let Some(instruction) = spirvkit_binary::Instruction::from_words(&words, offset) {
            self.constants.define(&instruction);
            self.definitions.define(&instruction);
        }
        made
    }
}
