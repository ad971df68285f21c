//! The order and nesting of a function's blocks (specification, section 2.11
//! "Structured control flow").

use hashbrown::HashMap;
use spirvkit_binary::{Definitions, Instruction, Value};
use spirvkit_grammar::Op;

/// How many columns a level of nesting takes.
const LEVEL: usize = 2;
/// Deeper levels are not indented any further, or the margins of a module would
/// take space in proportion to the square of its size.
const MAX_DEPTH: usize = 100;

/// In which order a function's instructions are to be written, and how deep.
pub(super) struct Layout {
    pub(super) lines: Vec<Line>,
}

/// An instruction's place in the layout.
pub(super) struct Line {
    /// The instruction's index in the function.
    pub(super) index: usize,
    /// By how many columns it is indented.
    pub(super) depth: usize,
    /// Whether it is a block's label.
    pub(super) starts_block: bool,
}

/// A basic block: its instructions, where it goes, and what it is the header of.
#[derive(Default)]
struct Block {
    /// The indices of its label and of the instruction after its last.
    range: std::ops::Range<usize>,
    successors: Vec<usize>,
    merge: Option<usize>,
    continue_target: Option<usize>,
    /// Whether it ends in a choice of successors.
    selects: bool,
}

impl Layout {
    /// Lays out a function's instructions, from OpFunction on, which `definitions`
    /// know. `reorder` orders the blocks as control flow nests; they otherwise
    /// stay in place.
    pub(super) fn of(
        instructions: &[Instruction<'_>],
        definitions: &Definitions,
        reorder: bool,
    ) -> Self {
        let blocks = find_blocks(instructions, definitions);
        let structured = structured_order(&blocks);
        let levels = nesting(&blocks, &structured);
        let order = if reorder {
            structured
        } else {
            (0..blocks.len()).collect()
        };

        let first = blocks
            .first()
            .map_or(instructions.len(), |block| block.range.start);
        let last = blocks
            .last()
            .map_or(instructions.len(), |block| block.range.end);
        let outside = |index| Line {
            index,
            depth: 0,
            starts_block: false,
        };
        let mut lines: Vec<Line> = (0..first).map(outside).collect();
        for block in order {
            let label = levels[block].min(MAX_DEPTH) * LEVEL;
            for index in blocks[block].range.clone() {
                let starts_block = index == blocks[block].range.start;
                let depth = if starts_block { label } else { label + LEVEL };
                lines.push(Line {
                    index,
                    depth,
                    starts_block,
                });
            }
        }
        lines.extend((last..instructions.len()).map(outside));
        Self { lines }
    }
}

/// Takes the function apart at its labels.
fn find_blocks(instructions: &[Instruction<'_>], definitions: &Definitions) -> Vec<Block> {
    let mut by_label = HashMap::new();
    let mut blocks: Vec<Block> = Vec::new();
    for (index, instruction) in instructions.iter().enumerate() {
        match instruction.op() {
            Op::Label => {
                let label = instruction.words().get(1).copied().unwrap_or(0);
                by_label.entry(label).or_insert(blocks.len());
                blocks.push(Block {
                    range: index..index + 1,
                    ..Block::default()
                });
            }
            Op::FunctionEnd => break,
            _ => {
                if let Some(block) = blocks.last_mut() {
                    block.range.end = index + 1;
                }
            }
        }
    }
    for block in &mut blocks {
        for instruction in &instructions[block.range.clone()] {
            let words = instruction.words();
            let target = |index: usize| by_label.get(words.get(index)?).copied();
            match instruction.op() {
                Op::LoopMerge => {
                    block.merge = target(1);
                    block.continue_target = target(2);
                }
                Op::SelectionMerge => block.merge = target(1),
                Op::Branch => block.successors.extend(target(1)),
                Op::BranchConditional => {
                    block.selects = true;
                    block
                        .successors
                        .extend([2, 3].into_iter().filter_map(target));
                }
                Op::Switch => {
                    block.selects = true;
                    let ids = instruction
                        .operands(definitions)
                        .map_while(Result::ok)
                        .skip(1);
                    block
                        .successors
                        .extend(ids.filter_map(|operand| match operand.value {
                            Value::Id(id) => by_label.get(&id.0).copied(),
                            _ => None,
                        }));
                }
                _ => {}
            }
        }
    }
    blocks
}

/// The blocks in an order in which headers come before what they select, that
/// before the continue construct, and that before the merge block. Blocks that
/// the first doesn't reach come last.
fn structured_order(blocks: &[Block]) -> Vec<usize> {
    let mut postorder = Vec::with_capacity(blocks.len());
    let mut seen = vec![false; blocks.len()];
    // A depth-first search whose last finished become first; a construct's merge
    // block is visited first of all.
    if !blocks.is_empty() {
        visit(blocks, 0, &mut seen, &mut postorder);
    }
    postorder.reverse();
    postorder.extend((0..blocks.len()).filter(|&block| !seen[block]));
    postorder
}

fn visit(blocks: &[Block], root: usize, seen: &mut [bool], postorder: &mut Vec<usize>) {
    let next = |block: usize, child: usize| -> Option<usize> {
        let block = &blocks[block];
        let constructs = block.merge.into_iter().chain(block.continue_target);
        constructs
            .chain(block.successors.iter().rev().copied())
            .nth(child)
    };
    seen[root] = true;
    let mut stack = vec![(root, 0)];
    while let Some((block, child)) = stack.last_mut() {
        let block = *block;
        let found = next(block, *child);
        *child += 1;
        match found {
            Some(found) if !seen[found] => {
                seen[found] = true;
                stack.push((found, 0));
            }
            Some(_) => {}
            None => {
                postorder.push(block);
                stack.pop();
            }
        }
    }
}

/// The level of each block: what a header or a choice leads to is two levels in,
/// the continue construct of a loop one level, the merge block on the header's
/// own.
fn nesting(blocks: &[Block], order: &[usize]) -> Vec<usize> {
    let mut levels: Vec<Option<usize>> = vec![None; blocks.len()];
    for &index in order {
        let level = *levels[index].get_or_insert(0);
        let block = &blocks[index];
        let mut assign = |target: usize, level: usize| {
            levels[target].get_or_insert(level);
        };
        if let Some(merge) = block.merge {
            assign(merge, level);
        }
        if let Some(target) = block.continue_target {
            assign(target, level + 1);
        }
        let inner = if block.merge.is_some() || block.selects {
            level + 2
        } else {
            level
        };
        for &successor in &block.successors {
            assign(successor, inner);
        }
    }
    levels.into_iter().map(|level| level.unwrap_or(0)).collect()
}
