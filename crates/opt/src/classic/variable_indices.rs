//! Arrays of descriptors whose elements are chosen while a shader runs.

use hashbrown::{HashMap, HashSet};
use spirvkit_analysis::Type;
use spirvkit_binary::Id;
use spirvkit_grammar::{Op, SelectionControl};
use spirvkit_ir::builder::Builder;
use spirvkit_ir::{Block, Inst, Lookup, Module, Place};

use super::descriptors::Descriptors;
use super::{Growth, built, in_functions};
use crate::pass::{Changed, Context, PassError};
use crate::{Remark, Subject};

/// A pointer into an array of descriptors, by an index that isn't known.
struct Choice {
    chain: Inst,
    index: Id,
    length: u64,
}

/// Lets whatever is done with an element that is chosen by an index be the cases of a switch, each of
/// which names one element. An index that is none goes to the last.
pub(super) fn replace(
    module: &mut Module,
    context: &mut Context<'_>,
) -> Result<Changed, PassError> {
    let descriptors = Descriptors::of(module);
    let chains = in_functions(module, |inst| {
        matches!(module.op(inst), Op::AccessChain | Op::InBoundsAccessChain)
    });
    let choices: Vec<Choice> = (chains.into_iter())
        .filter_map(|chain| choice(module, &descriptors, chain))
        .collect();
    if choices.is_empty() {
        return Ok(Changed::No);
    }
    let mut growth = Growth::of(module);
    let mut count = 0;
    built(module.edit(|b| {
        for it in &choices {
            match uses(b.module(), it.chain) {
                Some(found) => {
                    count += found.ends.len();
                    apart(b, it, found, &mut growth)?;
                }
                None => {
                    let why = "made a switch, because the element is chosen with others";
                    let mut remark = Remark::new(Subject::Other, false, why);
                    remark.id = b.module().result(it.chain);
                    context.remark(remark);
                }
            }
        }
        Ok::<(), PassError>(())
    }))??;
    Ok(Changed::if_any(count))
}

/// Whether a chain goes into an array of descriptors by an index that isn't known.
fn choice(module: &Module, descriptors: &Descriptors, chain: Inst) -> Option<Choice> {
    let &[_, _, base, index, ..] = module.get(chain).operand_words() else {
        return None;
    };
    let variable = module.definition(Id(base))?;
    if module.op(variable) != Op::Variable || module.constant_u64(Id(index)).is_some() {
        return None;
    }
    let Type::Pointer { pointee, .. } = module.ty(module.type_of(Id(base))?) else {
        return None;
    };
    let Type::Array { element, length } = module.ty(pointee) else {
        return None;
    };
    let length = module.constant_u64(length).filter(|&length| length > 0)?;
    // The elements behind are none that a narrow index could choose.
    let length = match module.ty(module.type_of(Id(index))?) {
        Type::Int { width, signed } if width.saturating_sub(u32::from(signed)) < 32 => {
            length.min(1 << width.saturating_sub(u32::from(signed)))
        }
        _ => length,
    };
    let is_descriptor = descriptors.is_one(element);
    is_descriptor.then_some(Choice {
        chain,
        index: Id(index),
        length,
    })
}

/// What is done with an element.
struct Uses {
    /// What leads on to its parts, or to what it stands for.
    ways: Vec<Inst>,
    /// What does something with these, the last first.
    ends: Vec<Inst>,
}

/// What is done with what a chain leads to; nothing, if it can't be done anew for each element.
fn uses(module: &Module, chain: Inst) -> Option<Uses> {
    let mut ways = vec![chain];
    let mut given: HashSet<Id> = module.result(chain).into_iter().collect();
    let mut ends: HashSet<Inst> = HashSet::new();
    let mut at = 0;
    while let Some(&way) = ways.get(at) {
        at += 1;
        for found in module.uses_of(way) {
            if module.is_about(found) {
                continue;
            }
            let op = module.op(found.inst);
            let ty = module.result_type(found.inst);
            let ty = ty.map(|ty| module.ty(ty));
            // A pointer that is in memory may be another one later.
            let is_stored = op == Op::Load && matches!(ty, Some(Type::Pointer { .. }));
            if is_stored || !ty.is_some_and(leads_on) {
                if op == Op::Phi || module.block_of(found.inst).is_none() || op.is_terminator() {
                    return None;
                }
                ends.insert(found.inst);
                continue;
            }
            let is_way = matches!(
                op,
                Op::AccessChain
                    | Op::InBoundsAccessChain
                    | Op::Load
                    | Op::CopyObject
                    | Op::SampledImage
                    | Op::Image
                    | Op::ImageTexelPointer
            );
            let id = module.result(found.inst).filter(|_| is_way)?;
            if given.insert(id) {
                ways.push(found.inst);
            }
        }
    }
    // Those of a module that was just read are in its order: blocks are split from their ends on.
    let mut ends: Vec<Inst> = ends.into_iter().collect();
    ends.sort_unstable_by(|a, b| b.cmp(a));
    Some(Uses { ways, ends })
}

/// Whether something of a type only leads on to others.
fn leads_on(ty: Type<'_>) -> bool {
    matches!(
        ty,
        Type::Pointer { .. }
            | Type::Image(_)
            | Type::Sampler
            | Type::SampledImage { .. }
            | Type::Other(Op::TypeAccelerationStructureKHR)
    )
}

/// Makes a switch of each end.
fn apart(
    b: &mut Builder,
    choice: &Choice,
    uses: Uses,
    growth: &mut Growth,
) -> Result<(), PassError> {
    let by_id: HashMap<Id, Inst> = (uses.ways.iter())
        .filter_map(|&way| Some((b.module().result(way)?, way)))
        .collect();
    for &end in &uses.ends {
        let needed = needed(b.module(), end, &by_id);
        switch(b, choice, &needed, growth)?;
    }
    for &way in uses.ways.iter().rev() {
        let module = b.module();
        if module.uses_of(way).all(|found| module.is_about(found)) {
            b.module_mut().erase(way)?;
        }
    }
    Ok(())
}

/// What leads to an end, by what it gives, each behind what it needs, and the end.
fn needed(module: &Module, end: Inst, ways: &HashMap<Id, Inst>) -> Vec<Inst> {
    let mut needed: Vec<Inst> = Vec::new();
    let mut seen: HashSet<Inst> = HashSet::new();
    let mut work = vec![(end, false)];
    while let Some((inst, is_done)) = work.pop() {
        if is_done {
            needed.push(inst);
            continue;
        }
        if !seen.insert(inst) {
            continue;
        }
        work.push((inst, true));
        module.each_use(inst, |_, id| {
            work.extend(ways.get(&id).map(|&way| (way, false)));
        });
    }
    needed
}

/// Does some instructions, among which the choice is and only the last is for others, in a case
/// of a switch for each element.
fn switch(
    b: &mut Builder,
    choice: &Choice,
    needed: &[Inst],
    growth: &mut Growth,
) -> Result<(), PassError> {
    let Some(&end) = needed.last() else {
        return Ok(());
    };
    let module = b.module();
    let sizes = needed.iter().map(|&inst| module.get(inst).words().len());
    let words: usize = sizes.sum::<usize>() + 8;
    growth.add(words.saturating_mul(choice.length as usize))?;
    let words: Vec<(Inst, Op, Vec<u32>)> = (needed.iter())
        .map(|&inst| {
            (
                inst,
                module.op(inst),
                module.get(inst).operand_words().to_vec(),
            )
        })
        .collect();
    let (result, ty) = (module.result(end), module.result_type(end));
    let ty = ty.filter(|&ty| module.ty(ty) != Type::Void);
    let Some(index_ty) = module.type_of(choice.index) else {
        return Ok(());
    };
    let wide = matches!(module.ty(index_ty), Type::Int { width: 64, .. });
    let constants: Vec<Id> = (0..choice.length)
        .map(|number| b.constant(index_ty, number))
        .collect();
    let Some((head, function)) = room_before(b.module_mut(), end)? else {
        return Err(PassError::new(
            "a loop that begins with a selection can't be made a switch",
        ));
    };
    let module = b.module_mut();
    let merge = module.fresh_id();
    module.split_block(end, merge)?;
    let mut last = head;
    let mut cases: Vec<u32> = Vec::new();
    let mut values: Vec<u32> = Vec::new();
    for &constant in &constants {
        let label = module.fresh_id();
        last = module.add_block(function, Some(last), label)?;
        cases.push(label.0);
        let mut renamed: HashMap<u32, u32> = HashMap::new();
        for &(inst, op, ref words) in &words {
            let mut words = words.clone();
            let own = module.result(inst);
            let own_place = own.map(|_| usize::from(module.result_type(inst).is_some()));
            let mut places = Vec::new();
            module.each_use(inst, |word, id| places.push((word - 1, id)));
            for (place, id) in places {
                if let Some(&new) = renamed.get(&id.0)
                    && let Some(word) = words.get_mut(place)
                {
                    *word = new;
                }
            }
            if inst == choice.chain
                && let Some(index) = words.get_mut(3)
            {
                *index = constant.0;
            }
            if let (Some(place), Some(own)) = (own_place, own) {
                let new = module.fresh_id();
                words[place] = new.0;
                renamed.insert(own.0, new.0);
            }
            let made = module.insert(Place::Tail(last), op, &words)?;
            module.copy_place(inst, made);
        }
        if let (Some(result), Some(_)) = (result, ty) {
            values.extend([renamed.get(&result.0).copied().unwrap_or(0), label.0]);
        }
        module.insert(Place::Tail(last), Op::Branch, &[merge.0])?;
    }
    let control = [merge.0, SelectionControl::None.0];
    module.insert(Place::Tail(head), Op::SelectionMerge, &control)?;
    let place = module.merge(head).map_or(Place::Tail(head), Place::After);
    let Some((&default, others)) = cases.split_last() else {
        return Ok(());
    };
    let mut operands = vec![choice.index.0, default];
    for (number, &label) in (0..).zip(others) {
        operands.push(number);
        operands.extend(wide.then_some(0));
        operands.push(label);
    }
    module.insert(place, Op::Switch, &operands)?;
    match (result, ty) {
        (Some(result), Some(ty)) => {
            let phi = [&[ty.0, result.0], &values[..]].concat();
            module.replace(end, Op::Phi, &phi)?;
        }
        _ => module.erase(end)?,
    }
    Ok(())
}

/// The block of an instruction, which may be split there, and its function: if it begins a loop, all
/// but that and its phis moves to a block of its own first. Nothing, if that can't be.
fn room_before(
    module: &mut Module,
    inst: Inst,
) -> Result<Option<(Block, spirvkit_ir::Function)>, PassError> {
    let Some(block) = module.block_of(inst) else {
        return Ok(None);
    };
    let Some(function) = module.function_of_block(block) else {
        return Ok(None);
    };
    let Some(merge) = (module.merge(block)).filter(|&merge| module.op(merge) == Op::LoopMerge)
    else {
        return Ok(Some((block, function)));
    };
    let exits: Vec<Id> = (0..2)
        .filter_map(|number| module.operand_id(merge, number))
        .collect();
    let leaves = (module.successors(block))
        .filter_map(|next| module.block_id(next))
        .any(|id| exits.contains(&id));
    if !leaves && module.successors(block).count() > 1 {
        return Ok(None);
    }
    let first = module
        .block_instructions(block)
        .find(|&inst| !matches!(module.op(inst), Op::Label | Op::Phi) && !module.is_place(inst));
    let Some(first) = first else {
        return Ok(None);
    };
    let label = module.fresh_id();
    let words = module.get(merge).operand_words().to_vec();
    module.remove(merge)?;
    let body = module.split_block(first, label)?;
    module.insert(Place::Tail(block), Op::LoopMerge, &words)?;
    let place = module.merge(block).map_or(Place::Tail(block), Place::After);
    module.insert(place, Op::Branch, &[label.0])?;
    Ok(Some((body, function)))
}
