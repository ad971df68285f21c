//! The order and nesting of a function's blocks (specification, section 2.11
//! "Structured control flow").

use spirvkit_analysis::{ControlFlow, DepthFirst, Graph, Node};
use spirvkit_binary::{Definitions, Instruction};
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

impl Layout {
    /// Lays out a function's instructions, from OpFunction on, which `definitions`
    /// know. `reorder` orders the blocks as control flow nests; they otherwise
    /// stay in place.
    pub(super) fn of(
        instructions: &[Instruction<'_>],
        definitions: &Definitions,
        reorder: bool,
    ) -> Self {
        let flow = ControlFlow::new(instructions.iter().copied(), definitions);
        let structured = structured_order(&flow);
        let levels = nesting(&flow, &structured);
        let order = match reorder {
            true => structured,
            false => (0..flow.graph().len()).collect(),
        };

        // What follows a terminator stays with its block.
        let start = |node: usize| Some(flow.blocks().get(node)?.instructions.start as usize);
        let is_end = |it: &Instruction<'_>| it.op() == Op::FunctionEnd;
        let end = instructions.iter().position(is_end);
        let last = match flow.blocks() {
            [] => instructions.len(),
            _ => end.unwrap_or(instructions.len()),
        };
        let outside = |index| Line {
            index,
            depth: 0,
            starts_block: false,
        };
        let first = start(0).unwrap_or(instructions.len());
        let mut lines: Vec<Line> = (0..first).map(outside).collect();
        for node in order.into_iter().map(|node| node as usize) {
            let label = levels[node].min(MAX_DEPTH) * LEVEL;
            let begin = start(node).unwrap_or(last);
            for index in begin..start(node + 1).unwrap_or(last) {
                let starts_block = index == begin;
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

/// The merge block and the continue target that a block declares, as far as they exist.
fn declared(flow: &ControlFlow, node: Node) -> [Option<Node>; 2] {
    let merge = flow.block(node).and_then(|block| block.merge);
    let target = merge.and_then(|merge| merge.continue_target());
    [merge.map(|merge| merge.block()), target].map(|label| flow.node(label?))
}

/// The blocks in an order in which headers come before what they select, that
/// before the continue construct, and that before the merge block. Blocks that
/// the first doesn't reach come last.
fn structured_order(flow: &ControlFlow) -> Vec<Node> {
    // A depth-first search whose last finished become first; a construct's merge
    // block is visited first of all.
    let nodes = 0..flow.graph().len();
    let mut edges = Vec::new();
    for node in nodes.clone() {
        let constructs = declared(flow, node).into_iter().flatten();
        let successors = flow.targets(node).iter().rev().copied();
        edges.extend(constructs.chain(successors).map(|to| (node, to)));
    }
    let search = DepthFirst::new(&Graph::new(nodes.end, &edges));
    let reached = search.post_order().iter().rev().copied();
    let others = nodes.filter(|&node| !search.is_reachable(node));
    reached.chain(others).collect()
}

/// The level of each block: what a header or a choice leads to is two levels in,
/// the continue construct of a loop one level, the merge block on the header's
/// own.
fn nesting(flow: &ControlFlow, order: &[Node]) -> Vec<usize> {
    let mut levels: Vec<Option<usize>> = vec![None; order.len()];
    for &node in order {
        let level = *levels[node as usize].get_or_insert(0);
        let mut assign = |target: Node, level: usize| {
            levels[target as usize].get_or_insert(level);
        };
        let [merge, continue_target] = declared(flow, node);
        if let Some(merge) = merge {
            assign(merge, level);
        }
        if let Some(target) = continue_target {
            assign(target, level + 1);
        }
        let terminator = flow.block(node).and_then(|block| block.terminator);
        let selects = matches!(terminator, Some(Op::BranchConditional | Op::Switch));
        let inner = match merge.is_some() || selects {
            true => level + 2,
            false => level,
        };
        for &successor in flow.targets(node) {
            assign(successor, inner);
        }
    }
    levels.into_iter().map(|level| level.unwrap_or(0)).collect()
}
