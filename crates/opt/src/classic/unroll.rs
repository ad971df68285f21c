//! Loops that are marked to be unrolled, and whose number of rounds is known.
//!
//! A loop is unrolled if it is only left where its condition is tested, and goes on in one way:
//! without `break` and `continue`. Then copies of its blocks simply follow one another.

use hashbrown::{HashMap, HashSet};
use spirvkit_analysis::Type;
use spirvkit_binary::{Id, Section};
use spirvkit_grammar::{LoopControl, Op};
use spirvkit_ir::{Block, Function, Inst, Lookup, Module, Place};

use crate::pass::{Changed, Context, PassError};
use crate::{Remark, Subject};

/// No loop of more rounds is unrolled.
const MAX_ROUNDS: usize = 1024;

/// So many instructions at most are made of those of a loop.
const MAX_INSTRUCTIONS: usize = 1 << 15;

/// A loop that can be unrolled.
struct Loop {
    header: Block,
    merge: Block,
    /// The block that tests the condition: the header, or the one behind it.
    test: Block,
    /// Where the test goes on.
    body: Id,
    /// The block that goes back, and the label of the one before the loop.
    back: Block,
    before: Id,
    /// All blocks, the header and the test first.
    blocks: Vec<Block>,
    rounds: usize,
}

pub(super) fn unroll(module: &mut Module, context: &mut Context<'_>) -> Result<Changed, PassError> {
    let functions: Vec<Function> = module.functions().collect();
    let mut count = 0;
    for function in functions {
        let mut refused: HashSet<Block> = HashSet::new();
        // What is unrolled is gone, and what isn't is not looked at again. Loops within come first.
        loop {
            let marked: Vec<Block> = module
                .blocks(function)
                .filter(|&block| is_marked(module, block) && !refused.contains(&block))
                .collect();
            let Some(&header) = marked.last() else {
                break;
            };
            match of_header(module, header) {
                Ok(found) => {
                    let what = format!("unrolled, {} rounds", found.rounds);
                    context.remark(remark(module, header, true, what));
                    replace(module, function, &found)?;
                    count += 1;
                }
                Err(why) => {
                    let what = format!("unrolled, because {why}");
                    context.remark(remark(module, header, false, what));
                    refused.insert(header);
                }
            }
        }
    }
    Ok(Changed::if_any(count))
}

fn remark(module: &Module, header: Block, done: bool, what: String) -> Remark {
    let mut remark = Remark::new(Subject::Loop, done, what);
    let function = module.function_of_block(header);
    remark.function = function.and_then(|function| module.function_id(function));
    remark
}

fn is_marked(module: &Module, block: Block) -> bool {
    module.merge(block).is_some_and(|merge| {
        module.op(merge) == Op::LoopMerge
            && module
                .operand_word(merge, 2)
                .is_some_and(|control| LoopControl(control).contains(LoopControl::Unroll))
    })
}

/// The loop that a block begins, or why it can't be unrolled.
fn of_header(module: &Module, header: Block) -> Result<Loop, &'static str> {
    const SHAPE: &str = "it has no usual shape";
    let merge_inst = module.merge(header).ok_or(SHAPE)?;
    let target = |number| {
        let label = module.operand_id(merge_inst, number)?;
        module.block_by_id(label)
    };
    let (merge, next) = (target(0).ok_or(SHAPE)?, target(1).ok_or(SHAPE)?);
    let blocks = region(module, header, merge);
    let set: HashSet<Block> = blocks.iter().copied().collect();
    let leads_to = |to: Block| -> Vec<Block> {
        let own = blocks.iter().copied();
        own.filter(|&block| module.successors(block).any(|next| next == to))
            .collect()
    };
    let (&[back], &[test]) = (&leads_to(header)[..], &leads_to(merge)[..]) else {
        return Err("something leaves it or continues it early");
    };
    if next != header && leads_to(next).len() != 1 {
        return Err("something leaves it or continues it early");
    }
    let end = |block| module.terminator(block).ok_or(SHAPE);
    let is_first = test == header
        || module.op(end(header)?) == Op::Branch && module.successors(header).eq([test]);
    if !is_first
        || module.op(end(test)?) != Op::BranchConditional
        || module.op(end(back)?) != Op::Branch
    {
        return Err("its condition isn't tested first");
    }
    // A selection may not begin where the condition is tested.
    if test != header && module.merge(test).is_some() {
        return Err(SHAPE);
    }
    let mut before = Vec::new();
    let function = module.function_of_block(header).ok_or(SHAPE)?;
    for block in module.blocks(function).filter(|block| !set.contains(block)) {
        if module.successors(block).any(|next| next == header) {
            before.push(block);
        }
    }
    let &[before] = &before[..] else {
        return Err(SHAPE);
    };
    let mut ordered = vec![header];
    ordered.extend(Some(test).filter(|&test| test != header));
    ordered.extend(
        module
            .blocks(function)
            .filter(|&block| set.contains(&block) && block != header && block != test),
    );
    let mut found = Loop {
        header,
        merge,
        test,
        body: Id(0),
        back,
        before: module.block_id(before).ok_or(SHAPE)?,
        blocks: ordered,
        rounds: 0,
    };
    count_rounds(module, &mut found).ok_or("its number of rounds isn't known")?;
    let insts: usize = (found.blocks.iter())
        .map(|&block| module.block_instructions(block).count())
        .sum();
    if insts.saturating_mul(found.rounds) > MAX_INSTRUCTIONS {
        return Err("there would be too many instructions");
    }
    Ok(found)
}

/// The blocks that are reached from a header without passing where the loop ends.
fn region(module: &Module, header: Block, merge: Block) -> Vec<Block> {
    let mut seen: HashSet<Block> = HashSet::from_iter([header, merge]);
    let mut found = vec![header];
    let mut at = 0;
    while let Some(&block) = found.get(at) {
        at += 1;
        found.extend(module.successors(block).filter(|&next| seen.insert(next)));
    }
    found
}

/// Counts how often the body runs, and finds where it begins.
fn count_rounds(module: &Module, it: &mut Loop) -> Option<()> {
    let end = module.terminator(it.test)?;
    let merge = module.block_id(it.merge)?;
    let (yes, no) = (module.operand_id(end, 1)?, module.operand_id(end, 2)?);
    let goes_on_if = match (yes == merge, no == merge) {
        (false, true) => true,
        (true, false) => false,
        _ => return None,
    };
    it.body = if goes_on_if { yes } else { no };
    let condition = module.definition(module.operand_id(end, 0)?)?;
    let (left, right) = (
        module.operand_id(condition, 0)?,
        module.operand_id(condition, 1)?,
    );
    let op = module.op(condition);
    let (counter, limit, is_left) = match (module.constant_u64(left), module.constant_u64(right)) {
        (None, Some(limit)) => (left, limit, true),
        (Some(limit), None) => (right, limit, false),
        _ => return None,
    };
    let Type::Int { width: 32, .. } = module.ty(module.type_of(counter)?) else {
        return None;
    };
    let phi = module.definition(counter)?;
    if module.op(phi) != Op::Phi || module.block_of(phi) != Some(it.header) {
        return None;
    }
    let first = module.constant_u64(incoming(module, phi, it.before)?)? as u32;
    let next = module.definition(incoming(module, phi, module.block_id(it.back)?)?)?;
    let (a, b) = (module.operand_id(next, 0)?, module.operand_id(next, 1)?);
    let step = match module.op(next) {
        Op::IAdd if a == counter => module.constant_u64(b)? as u32,
        Op::IAdd if b == counter => module.constant_u64(a)? as u32,
        Op::ISub if a == counter => (module.constant_u64(b)? as u32).wrapping_neg(),
        _ => return None,
    };
    let mut value = first;
    let limit = limit as u32;
    for rounds in 0..=MAX_ROUNDS {
        let (a, b) = if is_left {
            (value, limit)
        } else {
            (limit, value)
        };
        if compare(op, a, b)? != goes_on_if {
            it.rounds = rounds;
            return Some(());
        }
        value = value.wrapping_add(step);
    }
    None
}

fn compare(op: Op, a: u32, b: u32) -> Option<bool> {
    let (x, y) = (a as i32, b as i32);
    Some(match op {
        Op::IEqual => a == b,
        Op::INotEqual => a != b,
        Op::ULessThan => a < b,
        Op::ULessThanEqual => a <= b,
        Op::UGreaterThan => a > b,
        Op::UGreaterThanEqual => a >= b,
        Op::SLessThan => x < y,
        Op::SLessThanEqual => x <= y,
        Op::SGreaterThan => x > y,
        Op::SGreaterThanEqual => x >= y,
        _ => return None,
    })
}

/// What a phi is if control comes from a block.
fn incoming(module: &Module, phi: Inst, from: Id) -> Option<Id> {
    let pairs = module.get(phi).operand_words().get(2..)?;
    let pair = pairs.chunks_exact(2).find(|pair| pair[1] == from.0)?;
    Some(Id(pair[0]))
}

/// Puts copies of a loop's blocks in its place.
fn replace(module: &mut Module, function: Function, it: &Loop) -> Result<(), PassError> {
    let label = |module: &Module, block: Block| module.block_id(block).unwrap_or(Id(0));
    let (header, merge) = (label(module, it.header), label(module, it.merge));
    let (test, back) = (label(module, it.test), label(module, it.back));
    let phis: Vec<Inst> = module
        .block_instructions(it.header)
        .filter(|&inst| module.op(inst) == Op::Phi)
        .collect();
    let tested = it
        .blocks
        .len()
        .min(if it.test == it.header { 1 } else { 2 });
    // What each id of the loop is in the copy before, and in this one.
    let mut last: HashMap<Id, Id> = HashMap::new();
    // A copy follows what comes before it.
    let mut place = previous_block(module, function, it.header);
    let mut entry = module.fresh_id();
    let first = entry;
    for round in 0..=it.rounds {
        let is_last = round == it.rounds;
        let blocks = if is_last {
            &it.blocks[..tested]
        } else {
            &it.blocks[..]
        };
        let mut own: HashMap<Id, Id> = HashMap::from_iter([(header, entry)]);
        for &phi in &phis {
            let from = if round == 0 { it.before } else { back };
            let value = incoming(module, phi, from);
            let (Some(id), Some(value)) = (module.result(phi), value) else {
                return Err(PassError::new(
                    "a phi has no value for where control comes from",
                ));
            };
            own.insert(
                id,
                last.get(&value)
                    .copied()
                    .filter(|_| round > 0)
                    .unwrap_or(value),
            );
        }
        let insts: Vec<(Block, Vec<Inst>)> = (blocks.iter())
            .map(|&block| (block, module.block_instructions(block).collect()))
            .collect();
        for (_, insts) in &insts {
            for &inst in insts {
                if let Some(id) = module.result(inst).filter(|id| !own.contains_key(id)) {
                    own.insert(id, module.fresh_id());
                }
            }
        }
        let next_entry = module.fresh_id();
        for (block, insts) in insts {
            let id = own.get(&label(module, block)).copied().unwrap_or(Id(0));
            let made = module.add_block(function, place, id)?;
            place = Some(made);
            for inst in insts {
                let op = module.op(inst);
                let is_phi_of_header = op == Op::Phi && block == it.header;
                let is_merge_of_header = op == Op::LoopMerge && block == it.header;
                if op == Op::Label || is_phi_of_header || is_merge_of_header {
                    continue;
                }
                let mut operands = module.get(inst).operand_words().to_vec();
                let mut places = Vec::new();
                module.each_use(inst, |word, used| places.push((word - 1, used)));
                for (word, used) in places {
                    if let Some(&new) = own.get(&used) {
                        operands[word] = new.0;
                    }
                }
                if let Some(result) = module.result(inst) {
                    let word = usize::from(module.result_type(inst).is_some());
                    operands[word] = own.get(&result).map_or(0, |id| id.0);
                    copy_decorations(module, result, Id(operands[word]))?;
                }
                let (op, operands) = match op {
                    Op::BranchConditional if block == it.test => {
                        let to = match is_last {
                            true => merge,
                            false => own.get(&it.body).copied().unwrap_or(it.body),
                        };
                        (Op::Branch, vec![to.0])
                    }
                    Op::Branch if block == it.back => (Op::Branch, vec![next_entry.0]),
                    _ => (op, operands),
                };
                let end = match module.last_of(made) {
                    Some(last) => Place::After(last),
                    None => Place::Tail(made),
                };
                let copy = module.insert(end, op, &operands)?;
                module.copy_place(inst, copy);
            }
        }
        entry = next_entry;
        last = own;
    }
    finish(module, it, (header, test, first), &last)
}

/// Lets what is around the loop use the copies, and removes it.
fn finish(
    module: &mut Module,
    it: &Loop,
    (header, test, first): (Id, Id, Id),
    last: &HashMap<Id, Id>,
) -> Result<(), PassError> {
    let own: HashSet<Block> = it.blocks.iter().copied().collect();
    let is_outside = |module: &Module, inst: Inst| {
        module
            .block_of(inst)
            .is_none_or(|block| !own.contains(&block))
    };
    // What follows the loop sees it end where the last copy does; what precedes it, its first.
    let merged = last.get(&test).copied().unwrap_or(test);
    let phis: Vec<Inst> = (module.block_instructions(it.merge))
        .filter(|&inst| module.op(inst) == Op::Phi)
        .collect();
    for phi in phis {
        let words = module.get(phi).operand_words().to_vec();
        for (word, &id) in words.iter().enumerate().skip(3).step_by(2) {
            if Id(id) == test {
                module.set_word(phi, word + 1, merged.0)?;
            }
        }
    }
    let uses: Vec<_> = module
        .uses(header)
        .filter(|found| is_outside(module, found.inst) && !module.is_about(*found))
        .collect();
    for found in uses {
        module.set_word(found.inst, found.word, first.0)?;
    }
    for &block in &it.blocks {
        let insts: Vec<Inst> = module.block_instructions(block).collect();
        for inst in insts {
            let Some(id) = module.result(inst).filter(|_| module.op(inst) != Op::Label) else {
                continue;
            };
            let Some(&new) = last.get(&id) else {
                continue;
            };
            let uses: Vec<_> = module
                .uses(id)
                .filter(|found| is_outside(module, found.inst) && !module.is_about(*found))
                .filter(|found| module.block_of(found.inst).is_some())
                .collect();
            for found in uses {
                // The copies have their own already.
                module.set_word(found.inst, found.word, new.0)?;
            }
        }
    }
    for &block in &it.blocks {
        let insts: Vec<Inst> = module.block_instructions(block).collect();
        for inst in insts.into_iter().rev() {
            if module.op(inst) != Op::Label {
                module.erase(inst)?;
            }
        }
    }
    for &block in &it.blocks {
        module.remove_block(block)?;
    }
    Ok(())
}

fn previous_block(module: &Module, function: Function, block: Block) -> Option<Block> {
    let mut previous = None;
    for at in module.blocks(function) {
        if at == block {
            break;
        }
        previous = Some(at);
    }
    previous
}

fn copy_decorations(module: &mut Module, from: Id, to: Id) -> Result<(), PassError> {
    let decorations: Vec<Inst> = module
        .uses(from)
        .filter(|found| module.op(found.inst).is_decorate() && found.word == 1)
        .map(|found| found.inst)
        .collect();
    for inst in decorations {
        let (op, mut operands) = (module.op(inst), module.get(inst).operand_words().to_vec());
        operands[0] = to.0;
        module.insert(Place::Section(Section::Annotations), op, &operands)?;
    }
    Ok(())
}
