//! Terminators that stand in the way of others.

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};
use spirvkit_analysis::constructs::{ConstructKind, Constructs};
use spirvkit_analysis::control_flow::functions;
use spirvkit_analysis::{ControlFlow, Node, Type};
use spirvkit_binary::Id;
use spirvkit_grammar::{FunctionControl, Op};
use spirvkit_ir::builder::Builder;
use spirvkit_ir::{Block, EditError, Inst, Lookup, Module, Place};

use super::{Growth, built};
use crate::pass::{Changed, Context, PassError};

/// What ends an invocation, and may be called.
fn kills(op: Op) -> bool {
    matches!(op, Op::Kill | Op::TerminateInvocation)
}

/// What is on the way on which a loop continues.
#[derive(Clone, Copy, Default)]
struct Continuing {
    /// The innermost loop.
    own: bool,
    /// That or one around it.
    any: bool,
}

/// The loops of a function, each by the number of its construct.
struct Loops {
    flow: ControlFlow,
    constructs: Constructs,
    /// For each construct.
    continuing: Vec<Continuing>,
}

impl Loops {
    fn of(flow: ControlFlow) -> Self {
        let constructs = Constructs::of(&flow);
        let mut continuing: Vec<Continuing> = Vec::new();
        for construct in constructs.all() {
            let parent = construct.parent().map(|parent| parent as usize);
            let around = parent.and_then(|parent| continuing.get(parent).copied());
            let around = around.unwrap_or_default();
            continuing.push(match construct.kind {
                ConstructKind::Loop => Continuing {
                    own: false,
                    ..around
                },
                ConstructKind::Continue => Continuing {
                    own: true,
                    any: true,
                },
                _ => around,
            });
        }
        Self {
            flow,
            constructs,
            continuing,
        }
    }

    /// The loops of each function of a module.
    fn all(module: &Module) -> impl Iterator<Item = Self> + '_ {
        functions(module.read(), module.definitions()).map(Self::of)
    }

    fn continuing(&self, node: Node) -> Continuing {
        let index = self.constructs.innermost(node);
        let found = index.and_then(|index| self.continuing.get(index as usize));
        found.copied().unwrap_or_default()
    }

    /// The innermost loop that a block is in, or continues.
    fn innermost(&self, node: Node) -> Option<u32> {
        let index = self.constructs.innermost(node)?;
        self.constructs.get(index)?.innermost_loop()
    }

    /// The loop around a loop.
    fn around(&self, index: u32) -> Option<u32> {
        let parent = self.constructs.get(index)?.parent()?;
        self.constructs.get(parent)?.innermost_loop()
    }

    /// Whether a block is in a loop, or continues it.
    fn contains(&self, index: u32, node: Node) -> bool {
        let dominates = |above: Node| self.constructs.dominators().dominates(above, node);
        let construct = self.constructs.get(index);
        construct.is_some_and(|it| dominates(it.header) && !dominates(it.merge))
    }

    /// The innermost loop whose first block doesn't dominate all that it may leave to, and that
    /// therefore might lose what the block computes.
    fn holding(&self, node: Node) -> Option<u32> {
        let index = self.innermost(node)?;
        match self.constructs.get(index)?.header == node {
            true => self.around(index),
            false => Some(index),
        }
    }

    fn block(&self, module: &Module, node: Node) -> Option<Block> {
        module.block_by_id(self.flow.block(node)?.label)
    }

    fn nodes(&self) -> impl Iterator<Item = Node> + use<> {
        0..self.flow.blocks().len() as Node
    }
}

/// Functions that something calls, directly or not, on the way on which a loop continues.
fn called_while_continuing(module: &Module) -> HashSet<Id> {
    let mut work = Vec::new();
    for loops in Loops::all(module) {
        let continuing = loops.nodes().filter(|&node| loops.continuing(node).any);
        for block in continuing.filter_map(|node| loops.block(module, node)) {
            work.extend(calls(module, module.block_instructions(block)));
        }
    }
    let mut found = HashSet::new();
    while let Some(id) = work.pop() {
        if found.insert(id)
            && let Some(function) = module.function_by_id(id)
        {
            work.extend(calls(module, module.function_instructions(function)));
        }
    }
    found
}

fn calls(module: &Module, insts: impl Iterator<Item = Inst>) -> Vec<Id> {
    insts
        .filter(|&inst| module.op(inst) == Op::FunctionCall)
        .filter_map(|inst| module.operand_id(inst, 0))
        .collect()
}

/// Replaces what ends invocations, in functions that are called where a loop continues, by a call of
/// a function that does nothing else.
pub(super) fn wrap(module: &mut Module, _: &mut Context<'_>) -> Result<Changed, PassError> {
    let called = called_while_continuing(module);
    let mut found: Vec<(Inst, Id)> = Vec::new();
    for function in module.functions() {
        let (Some(id), Some(definition)) = (
            module.function_id(function),
            module.function_definition(function),
        ) else {
            continue;
        };
        let insts: Vec<Inst> = module.function_instructions(function).collect();
        let ends: Vec<Inst> = (insts.iter().copied())
            .filter(|&inst| kills(module.op(inst)))
            .collect();
        // A function that does nothing else is one of those that this makes.
        let does_more = insts.iter().any(|&inst| {
            !matches!(module.op(inst), Op::Function | Op::Label | Op::FunctionEnd)
                && !kills(module.op(inst))
        });
        if called.contains(&id)
            && does_more
            && let Some(ty) = module.result_type(definition)
        {
            found.extend(ends.into_iter().map(|inst| (inst, ty)));
        }
    }
    let count = found.len();
    built(module.edit(|b| {
        if found.is_empty() {
            return;
        }
        let void = b.type_void();
        let mut made: HashMap<Op, Id> = HashMap::new();
        for op in [Op::Kill, Op::TerminateInvocation] {
            if found.iter().any(|&(inst, _)| b.module().op(inst) == op) {
                let id = b.function(void, FunctionControl::None, &[], |b, _| match op {
                    Op::Kill => b.kill(),
                    _ => b.terminate_invocation(),
                });
                made.insert(op, id);
            }
        }
        for (inst, ty) in found {
            let Some(&callee) = made.get(&b.module().op(inst)) else {
                continue;
            };
            let is_void = b.module().ty(ty) == Type::Void;
            let value = (!is_void).then(|| b.declare(Op::Undef, Some(ty), &[]));
            b.insert_at(Place::Before(inst));
            b.function_call(void, callee, &[]);
            let replaced = match value {
                Some(value) => b.module_mut().replace(inst, Op::ReturnValue, &[value.0]),
                None => b.module_mut().replace(inst, Op::Return, &[]),
            };
            // It is as short as what was there, or by a word longer.
            let _ = replaced;
        }
    }))?;
    Ok(Changed::if_any(count))
}

/// Lets blocks in loops that can't be reached go to what follows the loop: those that are on no way
/// on which it continues, and if nothing behind the loop needs what is computed in it.
pub(super) fn avoid_unreachable(
    module: &mut Module,
    _: &mut Context<'_>,
) -> Result<Changed, PassError> {
    let mut found: Vec<(Block, Block)> = Vec::new();
    for loops in Loops::all(module) {
        let is_end = |&(node, _): &(Node, Block)| {
            let block = loops.flow.block(node);
            block.is_some_and(|block| block.terminator == Some(Op::Unreachable))
        };
        let blocks = loops.nodes();
        let blocks = blocks.filter_map(|node| Some((node, loops.block(module, node)?)));
        let ends: Vec<(Node, Block)> = blocks
            .filter(is_end)
            .filter(|&(node, _)| !loops.continuing(node).own)
            .collect();
        if ends.is_empty() {
            continue;
        }
        let leaking = leaking(module, &loops);
        found.extend(ends.into_iter().filter_map(|(node, block)| {
            let index = loops.innermost(node)?;
            let merge = loops.constructs.get(index)?.merge;
            let leaks = leaking.get(index as usize).copied().unwrap_or(true);
            (!leaks).then_some((block, loops.block(module, merge)?))
        }));
    }
    let mut growth = Growth::of(module);
    let mut phis: BTreeMap<Block, Vec<Inst>> = BTreeMap::new();
    for &(_, merge) in &found {
        let here = phis.entry(merge).or_insert_with(|| {
            let all = module.block_instructions(merge);
            all.filter(|&inst| module.op(inst) == Op::Phi).collect()
        });
        growth.add(2 * here.len())?;
    }
    built(module.edit(|b| {
        let mut new: HashMap<Inst, Vec<u32>> = HashMap::new();
        let mut undefined: HashMap<Id, Id> = HashMap::new();
        for &(block, merge) in &found {
            let here = phis.get(&merge).map_or(&[][..], Vec::as_slice);
            leave_to(b, (block, merge), here, &mut undefined, &mut new);
        }
        for inst in phis.into_values().flatten() {
            if let Some(more) = new.remove(&inst) {
                let words = [b.module().get(inst).operand_words(), &more].concat();
                b.module_mut().replace(inst, Op::Phi, &words)?;
            }
        }
        Ok::<(), EditError>(())
    }))??;
    Ok(Changed::if_any(found.len()))
}

/// For each loop, by the number of its construct, whether something outside of it uses what is
/// computed within, but for its first block, which dominates all that follows the loop anyway.
fn leaking(module: &Module, loops: &Loops) -> Vec<bool> {
    let count = loops.constructs.all().len();
    let mut leaking = vec![false; count];
    // For each loop the innermost one around it, or itself, that isn't known to leak; past the last,
    // there is none.
    let mut next: Vec<u32> = (0..=count as u32).collect();
    let find = |next: &mut Vec<u32>, mut index: u32| {
        while next[index as usize] != index {
            next[index as usize] = next[next[index as usize] as usize];
            index = next[index as usize];
        }
        index
    };
    for node in loops.nodes() {
        let (Some(holding), Some(block)) = (loops.holding(node), loops.block(module, node)) else {
            continue;
        };
        let insts = module.block_instructions(block);
        for found in insts
            .filter(|&inst| module.op(inst) != Op::Label)
            .flat_map(|inst| module.uses_of(inst))
        {
            let place = match module.op(found.inst) {
                // It is used where the block of the pair ends.
                Op::Phi => {
                    let from = module.get(found.inst).words().get(found.word + 1);
                    from.and_then(|&from| loops.flow.node(Id(from)))
                }
                _ => (module.block_of(found.inst))
                    .and_then(|block| loops.flow.node(module.block_id(block)?)),
            };
            let Some(place) = place else {
                continue;
            };
            let mut index = find(&mut next, holding);
            while index < count as u32 && !loops.contains(index, place) {
                leaking[index as usize] = true;
                next[index as usize] = loops.around(index).unwrap_or(count as u32);
                index = find(&mut next, index);
            }
        }
    }
    leaking
}

/// Lets a block go to another, with undefined values for its phis.
fn leave_to(
    b: &mut Builder,
    (block, merge): (Block, Block),
    phis: &[Inst],
    undefined: &mut HashMap<Id, Id>,
    new: &mut HashMap<Inst, Vec<u32>>,
) {
    let module = b.module();
    let (Some(end), Some(label), Some(own)) = (
        module.terminator(block),
        module.block_id(merge),
        module.block_id(block),
    ) else {
        return;
    };
    for &phi in phis {
        let Some(ty) = b.module().result_type(phi) else {
            continue;
        };
        let undefined = undefined
            .entry(ty)
            .or_insert_with(|| b.declare(Op::Undef, Some(ty), &[]));
        new.entry(phi).or_default().extend([undefined.0, own.0]);
    }
    // It gets a word longer, so it can't fail.
    let _ = b.module_mut().replace(end, Op::Branch, &[label.0]);
}
