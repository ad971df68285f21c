//! Terminators that stand in the way of others.

use hashbrown::{HashMap, HashSet};
use spirvkit_analysis::Type;
use spirvkit_binary::Id;
use spirvkit_grammar::{FunctionControl, Op};
use spirvkit_ir::{Block, Function, Inst, Lookup, Module, Place};

use super::built;
use crate::pass::{Changed, Context, PassError};

/// What ends an invocation, and may be called.
fn kills(op: Op) -> bool {
    matches!(op, Op::Kill | Op::TerminateInvocation)
}

/// The loops of a function: the headers with their merge blocks and continue targets.
fn loops(module: &Module, function: Function) -> Vec<(Block, Block, Block)> {
    let blocks = module.blocks(function);
    blocks
        .filter_map(|block| {
            let merge = module.merge(block)?;
            if module.op(merge) != Op::LoopMerge {
                return None;
            }
            let target = |number| module.block_by_id(module.operand_id(merge, number)?);
            Some((block, target(0)?, target(1)?))
        })
        .collect()
}

/// The blocks that are reached from one without passing certain others.
fn region(module: &Module, from: Block, without: &[Block]) -> Vec<Block> {
    let mut seen: HashSet<Block> = HashSet::from_iter([from]);
    let mut found = vec![from];
    let mut at = 0;
    while let Some(&block) = found.get(at) {
        at += 1;
        for next in module.successors(block) {
            if !without.contains(&next) && seen.insert(next) {
                found.push(next);
            }
        }
    }
    found
}

/// Functions that something calls, directly or not, on the way on which a loop continues.
fn called_while_continuing(module: &Module) -> HashSet<Id> {
    let mut work = Vec::new();
    for function in module.functions() {
        for (header, merge, next) in loops(module, function) {
            for block in region(module, next, &[header, merge]) {
                work.extend(calls(module, module.block_instructions(block)));
            }
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
    let mut own: HashSet<Id> = HashSet::new();
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
        if !does_more {
            own.insert(id);
        }
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

/// Lets blocks in loops that can't be reached go to what follows the loop.
pub(super) fn avoid_unreachable(
    module: &mut Module,
    _: &mut Context<'_>,
) -> Result<Changed, PassError> {
    let mut count = 0;
    let functions: Vec<Function> = module.functions().collect();
    for function in functions {
        // Loops within come later.
        for (header, merge, next) in loops(module, function).into_iter().rev() {
            let continuing: HashSet<Block> =
                region(module, next, &[header, merge]).into_iter().collect();
            let inside = region(module, header, &[merge]);
            let ends: Vec<Block> = (inside.iter().copied())
                .filter(|block| !continuing.contains(block))
                .filter(|&block| {
                    let end = module.terminator(block);
                    end.is_some_and(|end| module.op(end) == Op::Unreachable)
                })
                .collect();
            if ends.is_empty() || leaks(module, &inside, header) {
                continue;
            }
            for block in ends {
                leave_to(module, block, merge)?;
                count += 1;
            }
        }
    }
    Ok(Changed::if_any(count))
}

/// Whether something outside of a loop uses what is computed within, but for its first block.
fn leaks(module: &Module, inside: &[Block], header: Block) -> bool {
    let set: HashSet<Block> = inside.iter().copied().collect();
    let own = inside.iter().filter(|&&block| block != header);
    own.flat_map(|&block| module.block_instructions(block))
        .filter(|&inst| module.op(inst) != Op::Label)
        .any(|inst| {
            module.uses_of(inst).any(|found| {
                let block = module.block_of(found.inst);
                block.is_some_and(|block| !set.contains(&block) && module.op(found.inst) != Op::Phi)
            })
        })
}

fn leave_to(module: &mut Module, block: Block, merge: Block) -> Result<(), PassError> {
    let (Some(end), Some(label), Some(own)) = (
        module.terminator(block),
        module.block_id(merge),
        module.block_id(block),
    ) else {
        return Ok(());
    };
    let phis: Vec<Inst> = module
        .block_instructions(merge)
        .filter(|&inst| module.op(inst) == Op::Phi)
        .collect();
    let types: Vec<Option<Id>> = phis.iter().map(|&phi| module.result_type(phi)).collect();
    let undefined = built(module.edit(|b| {
        let declare = |ty: Option<Id>| ty.map(|ty| b.declare(Op::Undef, Some(ty), &[]));
        types.into_iter().map(declare).collect::<Vec<_>>()
    }))?;
    for (&phi, undefined) in phis.iter().zip(undefined) {
        let Some(undefined) = undefined else {
            continue;
        };
        let mut words = module.get(phi).operand_words().to_vec();
        words.extend([undefined.0, own.0]);
        module.replace(phi, Op::Phi, &words)?;
    }
    module.replace(end, Op::Branch, &[label.0])?;
    Ok(())
}
