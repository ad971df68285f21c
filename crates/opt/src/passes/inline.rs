//! Puts functions where they are called.
//!
//! A function that returns from within selections is wrapped into a switch with one case, so that
//! each return leaves that; where speed counts, one that returns from within a switch into a loop of
//! one round. One that returns from within a loop stays.

use hashbrown::{HashMap, HashSet};
use spirvkit_grammar::debug_info::Kind;
use spirvkit_grammar::{FunctionControl, Op};

use super::unreachable::settle;
use crate::body::{Constructs, Flow, merge_of};
use crate::unit::{Block, Function, Inlined, Unit, Value, binding, flag};
use crate::{Level, Subject};

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
    /// It returns from within switches, which only a loop can be left from.
    Looped,
}

/// What the decision depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Callee {
    pub(crate) shape: Shape,
    /// The words of its body.
    pub(crate) words: u32,
    /// Whether it ends invocations, which must not happen where a loop continues.
    pub(crate) ends: bool,
    /// Why it stays, if it does.
    pub(crate) why: &'static str,
}

/// Looks at a function.
pub(crate) fn callee(unit: &mut Unit, function: &Function) -> Callee {
    let mut words = 0;
    let mut returns = Vec::new();
    for (number, block) in (0..).zip(&function.blocks) {
        words += 2;
        for &inst in &block.insts {
            if !unit.is_debug(inst) {
                words += unit.length(inst);
            }
            if matches!(unit.op(inst), Op::Return | Op::ReturnValue) {
                returns.push(number);
            }
        }
    }
    let control = FunctionControl(unit.operand(function.definition, 0));
    let why = match function.blocks.len() {
        _ if function.is_opaque => "inlined, because it has instructions that are not known",
        _ if control.contains(FunctionControl::DontInline) => "inlined, because it says DontInline",
        0 => "inlined, because it is only declared",
        _ => "inlined, because it returns from within a loop or a switch, or never",
    };
    let mut ends = false;
    let shape = match function.blocks.len() {
        _ if function.is_opaque || control.contains(FunctionControl::DontInline) => Shape::Stays,
        0 => Shape::Stays,
        1 if returns.len() == 1 => Shape::Block,
        _ => {
            let flow = Flow::new(unit, function);
            let mut reached = flow
                .order
                .iter()
                .map(|&block| &function.blocks[block as usize]);
            ends = reached.any(|block| ends_invocations(unit, block));
            match is_structured(unit, function) {
                true => shape(unit, function, &flow, &returns),
                false => Shape::Blocks,
            }
        }
    };
    Callee {
        shape,
        words,
        ends,
        why,
    }
}

fn is_structured(unit: &Unit, function: &Function) -> bool {
    let mut blocks = function.blocks.iter();
    blocks.any(|block| merge_of(unit, &block.insts).is_some())
}

fn ends_invocations(unit: &Unit, block: &Block) -> bool {
    let stays = |op| {
        matches!(
            op,
            Op::Return | Op::ReturnValue | Op::Branch | Op::BranchConditional | Op::Switch
        )
    };
    let end = block.insts.last();
    end.is_some_and(|&end| !stays(unit.op(end)))
}

fn shape(unit: &Unit, function: &Function, flow: &Flow, returns: &[u32]) -> Shape {
    let constructs = Constructs::new(unit, function, flow);
    let mut shape = Shape::Blocks;
    for &block in returns {
        if !flow.is_reachable(block) {
            return Shape::Stays;
        }
        for header in constructs.all_around(block) {
            let insts = &function.blocks[header as usize].insts;
            let is_switch = insts
                .last()
                .is_some_and(|&last| unit.op(last) == Op::Switch);
            let is_too_long = is_switch && unit.options.level == Level::Size;
            if constructs.is_loop(header) || is_too_long {
                return Shape::Stays;
            }
            if is_switch {
                shape = Shape::Looped;
            } else if shape == Shape::Blocks {
                shape = Shape::Wrapped;
            }
        }
    }
    // Several ends outside of all constructs are not structured.
    match returns.len() {
        0 => Shape::Stays,
        _ if shape == Shape::Looped => shape,
        1 => shape,
        _ => Shape::Wrapped,
    }
}

/// Puts functions where a function calls them, and those that they call, as far as `wants` says
/// so. Returns whether any was.
pub(crate) fn inline(
    unit: &mut Unit,
    function: &mut Function,
    functions: &HashMap<Value, usize>,
    callees: &[Option<Callee>],
    mut wants: impl FnMut(&Unit, usize, Callee) -> bool,
) -> bool {
    let calls = |unit: &Unit, inst: Value| unit.op(inst) == Op::FunctionCall;
    if function.is_opaque {
        return false;
    }
    let all = || function.blocks.iter().flat_map(|block| &block.insts);
    if !all().any(|&inst| calls(unit, inst)) {
        return false;
    }
    let mut inliner = Inliner {
        function: function.definition,
        continues: continue_blocks(unit, function),
        unit,
        done: Vec::with_capacity(function.blocks.len()),
        blocks: std::mem::take(&mut function.blocks)
            .into_iter()
            .rev()
            .map(Pending::new)
            .collect(),
        variables: Vec::new(),
        renamed: HashMap::new(),
        changed: false,
        has_changed_continues: false,
    };
    while let Some(block) = inliner.blocks.pop() {
        inliner.block(block, functions, callees, &mut wants);
    }
    let changed = inliner.changed;
    let must_settle = inliner.has_changed_continues;
    function.blocks = inliner.finish();
    if must_settle {
        settle(unit, function);
    }
    changed
}

/// Labels of blocks that belong to the way on which loops continue.
fn continue_blocks(unit: &mut Unit, function: &Function) -> HashSet<Value> {
    let mut found = HashSet::new();
    let is_loop = |block: &Block| {
        merge_of(unit, &block.insts).is_some_and(|merge| unit.op(merge) == Op::LoopMerge)
    };
    if !function.blocks.iter().any(is_loop) {
        return found;
    }
    let flow = Flow::new(unit, function);
    for block in &function.blocks {
        if let Some(merge) = merge_of(unit, &block.insts)
            && unit.op(merge) == Op::LoopMerge
        {
            let target = unit.block_of_label[unit.operand(merge, 1) as usize];
            for &below in flow.dominators.subtree(target) {
                // Loops within have been there already.
                if !found.insert(function.blocks[below as usize].label) && below == target {
                    break;
                }
            }
        }
    }
    found
}

/// Whether a block can be divided: a loop's header only if what stays behind its merge
/// instruction is still structured by itself.
fn can_split(unit: &Unit, rest: &[Value], label: Value) -> bool {
    // What is still to come stands in reverse order.
    let &[end, merge, ..] = rest else {
        return true;
    };
    unit.op(merge) != Op::LoopMerge || unit.op(end) == Op::Branch && unit.operand(merge, 1) != label
}

/// A block that is still to be looked at, its instructions from the last to the first.
struct Pending {
    label: Value,
    rest: Vec<Value>,
}

impl Pending {
    fn new(block: Block) -> Self {
        let mut rest = block.insts;
        rest.reverse();
        Self {
            label: block.label,
            rest,
        }
    }
}

/// Puts one block after the other into a function.
struct Inliner<'u> {
    unit: &'u mut Unit,
    /// The function.
    function: Value,
    continues: HashSet<Value>,
    done: Vec<Block>,
    /// What is still to be looked at, the next block last.
    blocks: Vec<Pending>,
    variables: Vec<Value>,
    /// By the label of a divided block, that of its second part, from which phis see it.
    renamed: HashMap<Value, Value>,
    changed: bool,
    /// Whether blocks came where a loop continues, in which all go on.
    has_changed_continues: bool,
}

impl Inliner<'_> {
    fn block(
        &mut self,
        block: Pending,
        functions: &HashMap<Value, usize>,
        callees: &[Option<Callee>],
        wants: &mut impl FnMut(&Unit, usize, Callee) -> bool,
    ) {
        let mut done = Block {
            label: block.label,
            insts: Vec::new(),
        };
        let mut rest = block.rest;
        while let Some(inst) = rest.pop() {
            let called = match self.unit.op(inst) {
                Op::FunctionCall => functions.get(&self.unit.operand(inst, 0)),
                _ => None,
            };
            let callee = called.and_then(|&number| Some((number, callees[number]?)));
            let Some((number, callee)) = callee else {
                done.insts.push(inst);
                continue;
            };
            let is_in_continue = self.continues.contains(&done.label);
            let obstacle = match callee.shape {
                Shape::Stays => Some(callee.why),
                Shape::Block => None,
                _ if !can_split(self.unit, &rest, done.label) => {
                    Some("inlined, because the call is where a loop begins")
                }
                _ if callee.ends && is_in_continue => {
                    Some("inlined, because it may end the invocation where a loop continues")
                }
                _ => None,
            };
            let obstacle = obstacle.or_else(|| match wants(self.unit, number, callee) {
                true => None,
                false => Some("inlined, because there would be too many copies, or they don't pay"),
            });
            let called = self.unit.operand(inst, 0);
            let what = obstacle.unwrap_or("inlined");
            let said = (Subject::Call, obstacle.is_none());
            (self.unit).remark(said, what, Some(called), self.function, inst);
            if obstacle.is_some() {
                done.insts.push(inst);
                continue;
            }
            self.changed = true;
            let mut copies = copy(self.unit, inst, number, self.function);
            let variables = take_variables(self.unit, &mut copies[0].insts);
            self.variables.extend(variables);
            if callee.shape == Shape::Block {
                let mut body = std::mem::take(&mut copies[0].insts);
                if let Some(end) = body.pop()
                    && self.unit.op(end) == Op::ReturnValue
                {
                    let value = self.unit.operand(end, 0);
                    self.unit.replace(inst, value);
                }
                rest.extend(body.into_iter().rev());
                continue;
            }
            if is_in_continue {
                self.has_changed_continues = true;
                self.continues
                    .extend(copies.iter().map(|block| block.label));
            }
            done = self.end_header(done, inst, &mut rest);
            self.divide(done, inst, copies, rest, callee.shape);
            return;
        }
        self.done.push(done);
    }

    /// If a loop begins with a block, ends it before a call; else lets it go on.
    fn end_header(&mut self, mut done: Block, call: Value, rest: &mut Vec<Value>) -> Block {
        if rest
            .get(1)
            .is_none_or(|&merge| self.unit.op(merge) != Op::LoopMerge)
        {
            return done;
        }
        let merge = rest.remove(1);
        self.repeat_images(&done, rest);
        let label = self.local(Op::Label, 0, &[], 0);
        let branch = self.local(Op::Branch, 0, &[label], 1);
        for inst in [merge, branch] {
            self.unit.nodes[inst as usize].position = self.unit.node(call).position;
        }
        done.insts.extend([merge, branch]);
        self.renamed.insert(done.label, label);
        if self.continues.contains(&done.label) {
            self.continues.insert(label);
        }
        self.done.push(done);
        Block {
            label,
            insts: Vec::new(),
        }
    }

    /// Ends a block with a branch to a function's first one, and lets the rest of it follow the
    /// function.
    fn divide(
        &mut self,
        mut before: Block,
        call: Value,
        mut copies: Vec<Block>,
        mut rest: Vec<Value>,
        shape: Shape,
    ) {
        let behind = self.local(Op::Label, 0, &[], 0);
        let mut results = Vec::new();
        for inner in &mut copies {
            let Some(&end) = inner.insts.last() else {
                continue;
            };
            let op = self.unit.op(end);
            if !matches!(op, Op::Return | Op::ReturnValue) {
                continue;
            }
            if op == Op::ReturnValue {
                results.extend([self.unit.operand(end, 0), inner.label]);
            }
            inner.insts.pop();
            let branch = self.local(Op::Branch, 0, &[behind], 1);
            self.unit.nodes[branch as usize].position = self.unit.node(end).position;
            inner.insts.push(branch);
        }
        let ty = self.unit.node(call).ty;
        match results.len() {
            0 if self.unit.op(ty) == Op::TypeVoid => {}
            0 => {
                let undef = self.unit.undef(ty);
                self.unit.replace(call, undef);
            }
            2 => self.unit.replace(call, results[0]),
            _ => {
                let phi = self.local(Op::Phi, ty, &results, u64::MAX);
                rest.push(phi);
                self.unit.replace(call, phi);
            }
        }
        if let Some(phi) = rest.pop_if(|&mut inst| self.unit.op(inst) == Op::Phi) {
            self.repeat_images(&before, &mut rest);
            rest.push(phi);
        } else {
            self.repeat_images(&before, &mut rest);
        }
        if self.continues.contains(&before.label) {
            self.continues.insert(behind);
        }
        self.renamed.insert(before.label, behind);
        let entry = copies[0].label;
        let position = self.unit.node(call).position;
        match shape {
            Shape::Wrapped => {
                let selector = self.unit.some_integer();
                let merge = self.local(Op::SelectionMerge, 0, &[behind, 0], 1);
                let switch = self.local(Op::Switch, 0, &[selector, entry], 0b11);
                before.insts.extend([merge, switch]);
            }
            Shape::Looped => {
                let [header, next] = self.one_round(entry, behind, position);
                let branch = self.local(Op::Branch, 0, &[header.label], 1);
                before.insts.push(branch);
                copies.insert(0, header);
                copies.push(next);
            }
            _ => {
                let branch = self.local(Op::Branch, 0, &[entry], 1);
                before.insts.push(branch);
            }
        }
        if let Some(&end) = before.insts.last() {
            self.unit.nodes[end as usize].position = position;
        }
        self.done.push(before);
        let label = behind;
        self.blocks.push(Pending { label, rest });
        self.blocks
            .extend(copies.into_iter().rev().map(Pending::new));
    }

    /// The header of a loop that is entered once, and the block from which it would go round.
    fn one_round(&mut self, entry: Value, behind: Value, position: u32) -> [Block; 2] {
        let [header, next] = [(); 2].map(|()| self.local(Op::Label, 0, &[], 0));
        let merge = self.local(Op::LoopMerge, 0, &[behind, next, 0], 0b11);
        let [enter, back] = [entry, header].map(|to| self.local(Op::Branch, 0, &[to], 1));
        for inst in [merge, enter, back] {
            self.unit.nodes[inst as usize].position = position;
        }
        let blocks = [(header, vec![merge, enter]), (next, vec![back])];
        blocks.map(|(label, insts)| Block { label, insts })
    }

    /// Joins images and samplers once more where a block that is divided still needs them: they
    /// are used in the block in which they are joined.
    fn repeat_images(&mut self, before: &Block, rest: &mut Vec<Value>) {
        let images = before.insts.iter().copied();
        let images: Vec<Value> = images
            .filter(|&inst| self.unit.op(inst) == Op::SampledImage)
            .collect();
        if images.is_empty() {
            return;
        }
        let copies: HashMap<Value, Value> = images
            .iter()
            .map(|&image| (image, self.unit.copy(image)))
            .collect();
        for &inst in rest.iter() {
            let ids = self.unit.node(inst).ids;
            for (index, operand) in self.unit.operands_mut(inst).iter_mut().enumerate() {
                if Unit::is_id(ids, index)
                    && let Some(&copy) = copies.get(operand)
                {
                    *operand = copy;
                }
            }
        }
        rest.extend(images.iter().map(|image| copies[image]));
    }

    fn local(&mut self, op: Op, ty: u32, operands: &[u32], ids: u64) -> Value {
        let node = self.unit.add(op, ty, operands, ids);
        self.unit.nodes[node as usize].flags |= flag::LOCAL;
        node
    }

    /// The blocks of the function, with variables at the beginning and phis that name the blocks
    /// from which control really comes.
    fn finish(self) -> Vec<Block> {
        let mut blocks = self.done;
        if let Some(entry) = blocks.first_mut() {
            entry.insts.splice(0..0, self.variables);
        }
        if self.renamed.is_empty() {
            return blocks;
        }
        for block in &blocks {
            for &inst in &block.insts {
                if self.unit.op(inst) != Op::Phi {
                    continue;
                }
                for operand in self.unit.operands_mut(inst).iter_mut().skip(1).step_by(2) {
                    while let Some(&behind) = self.renamed.get(operand) {
                        *operand = behind;
                    }
                }
            }
        }
        blocks
    }
}

/// A copy of a function's blocks with the arguments of a call.
fn copy(unit: &mut Unit, call: Value, number: usize, caller: Value) -> Vec<Block> {
    let callee = std::mem::take(&mut unit.functions[number]);
    let mut inlined = Inlined::new(unit, call, callee.definition, caller);
    let mut values: HashMap<Value, Value> = HashMap::new();
    for (index, &parameter) in callee.parameters.iter().enumerate() {
        let argument = unit.find(unit.operand(call, index + 1));
        values.insert(parameter, argument);
    }
    // All copies first, because phis use what comes later.
    let mut blocks: Vec<Block> = Vec::with_capacity(callee.blocks.len());
    for block in &callee.blocks {
        let mut node = |inst: Value| {
            let copy = unit.copy(inst);
            let position = inlined.position(unit, unit.node(inst).position);
            unit.nodes[copy as usize].position = position;
            values.insert(inst, copy);
            copy
        };
        let label = node(block.label);
        let insts = block.insts.iter().map(|&inst| node(inst)).collect();
        blocks.push(Block { label, insts });
    }
    // That a function begins is true of it alone.
    if let Some(entry) = blocks.first_mut() {
        let begins = |&inst: &Value| unit.debug_kind(inst) == Some(Kind::FunctionDefinition);
        entry.insts.retain(|inst| !begins(inst));
    }
    for block in &blocks {
        for &inst in &block.insts {
            let ids = unit.node(inst).ids;
            for index in 0..unit.operands(inst).len() {
                if Unit::is_id(ids, index) {
                    let id = unit.find(unit.operand(inst, index));
                    let id = values.get(&id).copied().unwrap_or(id);
                    unit.operands_mut(inst)[index] = id;
                }
            }
            if unit.debug_kind(inst) == Some(Kind::Declare) {
                unit.settle_declaration(inst);
            }
        }
    }
    // An argument may be what no variable of the source can be at.
    for block in &mut blocks {
        block.insts.retain(|&inst| {
            let variable = unit.op(unit.operand(inst, binding::VALUE));
            unit.debug_kind(inst) != Some(Kind::Declare)
                || variable.is_variable()
                || variable == Op::FunctionParameter
        });
    }
    unit.functions[number] = callee;
    blocks
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
        unit.nodes[store as usize].position = unit.node(inst).position;
        stores.push(store);
        variables.push(inst);
        false
    });
    insts.splice(0..0, stores);
    variables
}

impl Unit {
    /// The words of an instruction.
    pub(crate) fn length(&self, inst: Value) -> u32 {
        let node = self.node(inst);
        let results = u32::from(node.ty != 0) + u32::from(node.has(flag::RESULT));
        1 + results + self.operands(inst).len() as u32
    }

    /// A constant integer of 32 bits, if there is one, the one that was chosen.
    pub(crate) fn some_integer(&mut self) -> Value {
        if let Some(constant) = self.some_integer {
            return constant;
        }
        let constant = self.make_integer();
        self.some_integer = Some(constant);
        constant
    }

    /// Remembers a constant integer of 32 bits that functions use. One that nothing but debug
    /// information uses would not be there without that.
    pub(crate) fn choose_integer(&mut self, live: &[bool]) {
        let is_word = |&value: &Value| {
            self.op(value) == Op::Constant
                && self.op(self.node(value).ty) == Op::TypeInt
                && self.operand(self.node(value).ty, 0) == 32
        };
        if self.some_integer.is_some() {
            return;
        }
        let functions = self.functions.iter().zip(live).filter(|(_, live)| **live);
        let insts = functions.flat_map(|it| it.0.blocks.iter().flat_map(|block| &block.insts));
        let code = insts.filter(|&&inst| !self.is_debug(inst));
        let used = code.flat_map(|&inst| self.ids(inst).map(|(_, id)| self.find(id)));
        let used: HashSet<Value> = used.filter(is_word).collect();
        let first = self.globals.iter().find(|value| used.contains(*value));
        self.some_integer = first.copied();
    }

    fn make_integer(&mut self) -> Value {
        let ty = self.global_type(Op::TypeInt, &[32, 0], 0);
        self.constant_node(Op::Constant, ty, &[0])
    }

    /// A type, which is made if there is none.
    pub(crate) fn global_type(&mut self, op: Op, operands: &[u32], ids: u64) -> Value {
        let key = (op.0, operands.to_vec());
        if let Some(&known) = self.wanted_types.get(&key) {
            return known;
        }
        let ty = self.find_type(op, operands, ids);
        self.wanted_types.insert(key, ty);
        ty
    }

    fn find_type(&mut self, op: Op, operands: &[u32], ids: u64) -> Value {
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
