//! Selections in loops that go the same way each time.

use hashbrown::{HashMap, HashSet};
use spirvkit_analysis::constructs::{ConstructKind, Constructs};
use spirvkit_analysis::control_flow::functions;
use spirvkit_analysis::{ControlFlow, Graph, Node};
use spirvkit_binary::{Id, Section};
use spirvkit_grammar::{Class, GlslStd450, Op, SelectionControl};
use spirvkit_ir::builder::Builder;
use spirvkit_ir::{Block, Function, Inst, Module, Place};

use super::{Growth, built, decorations, glsl};
use crate::pass::{Changed, Context, PassError};

/// How many words a loop may have at most that is there twice afterwards.
const MAX_WORDS: usize = 1 << 11;

/// How often loops are taken apart at most, one after the other: each time all functions are read.
const MAX_ROUNDS: usize = 16;

/// A loop in which a selection goes the same way each time.
struct Found {
    function: Function,
    /// Its blocks, in their order, and the block that follows it.
    blocks: Vec<Block>,
    header: Block,
    merge: Block,
    /// The one block from which it is entered.
    before: Block,
    condition: Id,
}

/// Lets loops be there twice, once for each way that a selection in them goes each time.
pub(super) fn unswitch(
    module: &mut Module,
    context: &mut Context<'_>,
) -> Result<Changed, PassError> {
    let mut growth = Growth::of(module);
    let mut count = 0;
    while count < MAX_ROUNDS {
        let found = find(module);
        if found.is_empty() {
            break;
        }
        if count == 0 {
            decorations::flatten(module, context)?;
        }
        built(module.edit(|b| {
            for it in &found {
                apart(b, it, &mut growth)?;
            }
            Ok::<(), PassError>(())
        }))??;
        count += 1;
    }
    Ok(Changed::if_any(count))
}

/// At most one loop of each function, an innermost one.
fn find(module: &Module) -> Vec<Found> {
    functions(module.read(), module.definitions())
        .filter_map(|flow| {
            let constructs = Constructs::of(&flow);
            let structure = flow.structural_graph();
            let mut holding: HashSet<u32> = HashSet::new();
            for construct in constructs.all() {
                if construct.kind == ConstructKind::Loop
                    && let Some(parent) = construct.parent()
                    && let Some(parent) = constructs.get(parent)
                {
                    holding.extend(parent.innermost_loop());
                }
            }
            let loops = (0..).zip(constructs.all());
            loops
                .filter(|(index, it)| it.kind == ConstructKind::Loop && !holding.contains(index))
                .find_map(|(_, it)| of_loop(module, &flow, &structure, (it.header, it.merge)))
        })
        .collect()
}

fn of_loop(
    module: &Module,
    flow: &ControlFlow,
    structure: &Graph,
    (header, merge): (Node, Node),
) -> Option<Found> {
    let block = |node: Node| module.block_by_id(flow.block(node)?.label);
    // What is reached, or declared, without the block that follows. A large loop isn't looked at.
    let mut inside: HashSet<Node> = HashSet::from_iter([header]);
    let mut work = vec![header];
    while let Some(node) = work.pop() {
        let next = structure.successors(node).iter().copied();
        work.extend(next.filter(|&next| next != merge && inside.insert(next)));
        if inside.len() > MAX_WORDS {
            return None;
        }
    }
    let mut nodes: Vec<Node> = inside.iter().copied().collect();
    nodes.sort_unstable();
    let graph = flow.graph();
    // It is entered from one place, which isn't a part of another structure, and left to one.
    let outside = graph
        .predecessors(header)
        .iter()
        .filter(|node| !inside.contains(*node));
    let outside: Vec<Node> = outside.copied().collect();
    let &[before] = &outside[..] else {
        return None;
    };
    let leaves_elsewhere = nodes.iter().any(|&node| {
        let next = graph.successors(node).iter();
        next.copied()
            .any(|next| next != merge && !inside.contains(&next))
    });
    let others = nodes.iter().filter(|&&node| node != header);
    let enters_elsewhere = others.chain([&merge]).any(|&node| {
        let mut before = graph.predecessors(node).iter();
        before.any(|before| !inside.contains(before))
    });
    let is_structure = |node: Node, own: usize| {
        let label = flow.block(node).map(|block| block.label);
        let uses = label.into_iter().flat_map(|label| module.uses(label));
        let merges = uses
            .filter(|found| matches!(module.op(found.inst), Op::LoopMerge | Op::SelectionMerge));
        merges.count() > own
    };
    if is_structure(header, 0) || is_structure(merge, 1) {
        return None;
    }
    let before = block(before)?;
    let branch = module.terminator(before)?;
    if leaves_elsewhere
        || enters_elsewhere
        || module.merge(before).is_some()
        || module.op(branch) != Op::Branch
    {
        return None;
    }
    let blocks: Vec<Block> = nodes.iter().filter_map(|&node| block(node)).collect();
    let own: HashSet<Block> = blocks.iter().copied().collect();
    let mut words = 0;
    let mut condition = None;
    for &it in &blocks {
        for inst in module.block_instructions(it) {
            words += module.get(inst).words().len();
            if words > MAX_WORDS || depends_on_others(module, inst) {
                return None;
            }
        }
        let end = module.terminator(it)?;
        if condition.is_none()
            && module.op(end) == Op::BranchConditional
            && module
                .merge(it)
                .is_some_and(|merge| module.op(merge) == Op::SelectionMerge)
        {
            let id = module.operand_id(end, 0)?;
            let definition = module.definition(id)?;
            let is_within = module
                .block_of(definition)
                .is_some_and(|it| own.contains(&it));
            let is_constant =
                module.op(definition).is_constant() || module.op(definition) == Op::Undef;
            condition = Some(id).filter(|_| !is_within && !is_constant);
        }
    }
    Some(Found {
        function: module.function_of_block(before)?,
        header: block(header)?,
        merge: block(merge)?,
        blocks,
        before,
        condition: condition?,
    })
}

/// Whether what an instruction does depends, or may depend, on which other invocations do it at the
/// same time.
fn depends_on_others(module: &Module, inst: Inst) -> bool {
    let op = module.op(inst);
    let Some(class) = op.info().map(|info| info.class()) else {
        return true;
    };
    let is_of_groups = matches!(
        class,
        Class::Barrier | Class::Group | Class::NonUniform | Class::Derivative
    );
    let is_implicit = op.name().is_some_and(|name| name.contains("Implicit"));
    match op {
        Op::FunctionCall | Op::ImageQueryLod => true,
        Op::ExtInst => glsl(module, inst).is_none_or(|it| INTERPOLATING.contains(&it)),
        _ => is_of_groups || is_implicit,
    }
}

const INTERPOLATING: [GlslStd450; 3] = [
    GlslStd450::InterpolateAtCentroid,
    GlslStd450::InterpolateAtOffset,
    GlslStd450::InterpolateAtSample,
];

/// Makes two loops of one.
fn apart(b: &mut Builder, it: &Found, growth: &mut Growth) -> Result<(), PassError> {
    let (yes, no) = (b.constant_bool(true), b.constant_bool(false));
    let module = b.module_mut();
    let own: HashSet<Block> = it.blocks.iter().copied().collect();
    let (Some(header), Some(merge), Some(branch)) = (
        module.block_id(it.header),
        module.block_id(it.merge),
        module.terminator(it.before),
    ) else {
        return Ok(());
    };
    // What follows the loop goes on behind both.
    let first = module
        .block_instructions(it.merge)
        .find(|&inst| !matches!(module.op(inst), Op::Label | Op::Phi) && !module.is_place(inst));
    let Some(first) = first else {
        return Ok(());
    };
    let behind = module.fresh_id();
    let both = module.split_block(first, behind)?;
    module.insert(Place::Tail(it.merge), Op::Branch, &[behind.0])?;
    // The other loop, behind the first.
    let mut new: HashMap<u32, u32> = HashMap::new();
    let mut all: Vec<Inst> = Vec::new();
    for &block in it.blocks.iter().chain([&it.merge]) {
        all.extend(module.block_instructions(block));
    }
    for &inst in &all {
        if let Some(id) = module.result(inst) {
            let fresh = module.fresh_id();
            new.insert(id.0, fresh.0);
        }
    }
    let mut last = it.merge;
    for &block in it.blocks.iter().chain([&it.merge]) {
        let Some(label) = module
            .block_id(block)
            .and_then(|id| new.get(&id.0).copied())
        else {
            return Ok(());
        };
        let insts: Vec<Inst> = module.block_instructions(block).collect();
        last = module.add_block(it.function, Some(last), Id(label))?;
        for inst in insts {
            let op = module.op(inst);
            if op == Op::Label || module.is_place(inst) {
                continue;
            }
            let mut words = module.get(inst).operand_words().to_vec();
            growth.add(words.len() + 1)?;
            let mut places = Vec::new();
            module.each_use(inst, |word, id| places.push((word - 1, id)));
            if let Some(id) = module.result(inst) {
                places.push((usize::from(module.result_type(inst).is_some()), id));
            }
            for (place, id) in places {
                let other = match id == it.condition {
                    true => Some(no.0),
                    false => new.get(&id.0).copied(),
                };
                if let (Some(word), Some(other)) = (words.get_mut(place), other) {
                    *word = other;
                }
            }
            let made = module.insert(Place::Tail(last), op, &words)?;
            module.copy_place(inst, made);
        }
    }
    for &inst in &all {
        let Some(id) = module.result(inst) else {
            continue;
        };
        let about = module
            .uses(id)
            .filter(|&found| module.is_about(found) && module.op(found.inst).is_decoration());
        let about: Vec<Inst> = about.map(|found| found.inst).collect();
        for inst in about {
            let mut words = module.get(inst).operand_words().to_vec();
            growth.add(words.len() + 1)?;
            words[0] = new.get(&id.0).copied().unwrap_or(id.0);
            let op = module.op(inst);
            module.insert(Place::Section(Section::Annotations), op, &words)?;
        }
    }
    // In the first, the condition holds.
    let uses: Vec<_> = module
        .uses(it.condition)
        .filter(|found| {
            module
                .block_of(found.inst)
                .is_some_and(|it| own.contains(&it))
        })
        .collect();
    for found in uses {
        module.set_word(found.inst, found.word, yes.0)?;
    }
    // Values that are needed behind come from either.
    let copied: HashSet<Block> = own.iter().copied().chain([it.merge]).collect();
    let other_merge = new.get(&merge.0).copied().unwrap_or(merge.0);
    for &inst in &all {
        let (Some(id), Some(ty)) = (module.result(inst), module.result_type(inst)) else {
            continue;
        };
        let is_outside = |module: &Module, found: spirvkit_ir::Use| {
            let block = module.block_of(found.inst);
            block.is_some_and(|block| !copied.contains(&block))
        };
        let uses: Vec<_> = (module.uses(id))
            .filter(|&found| is_outside(module, found))
            .collect();
        if uses.is_empty() {
            continue;
        }
        let phi = module.fresh_id();
        let other = new.get(&id.0).copied().unwrap_or(id.0);
        let operands = [ty.0, phi.0, id.0, merge.0, other, other_merge];
        growth.add(operands.len() + 1)?;
        let label = module.label(both);
        let place = label.map_or(Place::Head(both), Place::After);
        module.insert(place, Op::Phi, &operands)?;
        for found in uses {
            module.set_word(found.inst, found.word, phi.0)?;
        }
    }
    let other_header = new.get(&header.0).copied().unwrap_or(header.0);
    let control = [behind.0, SelectionControl::None.0];
    module.insert(Place::Before(branch), Op::SelectionMerge, &control)?;
    let operands = [it.condition.0, header.0, other_header];
    module.replace(branch, Op::BranchConditional, &operands)?;
    Ok(())
}
