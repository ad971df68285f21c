//! The control flow of a function.

use spirvkit_analysis::{DepthFirst, DominatorTree, Graph, LoopNest};
use spirvkit_grammar::Op;

use crate::unit::{Function, Unit};

/// Blocks by their place in the function, and how control goes from one to the next.
pub(crate) struct Flow {
    pub(crate) graph: Graph,
    pub(crate) dominators: DominatorTree,
    /// Reachable blocks, each before those that it leads to but for back edges.
    pub(crate) order: Vec<u32>,
    /// The place of each block in `order`; `u32::MAX` if it can't be reached.
    pub(crate) number: Vec<u32>,
    /// How many loops each block is in.
    pub(crate) depth: Vec<u32>,
    /// The loops, if there are any.
    pub(crate) loops: Option<LoopNest>,
}

impl Flow {
    pub(crate) fn new(unit: &mut Unit, function: &Function) -> Self {
        number_labels(unit, function);
        let mut edges = Vec::with_capacity(function.blocks.len() * 2);
        for (from, block) in function.blocks.iter().enumerate() {
            let Some(&terminator) = block.insts.last() else {
                continue;
            };
            let start = edges.len();
            unit.each_target(terminator, |_, label| {
                edges.push((from as u32, unit.block_of_label[label as usize]));
            });
            // A switch may go to one block for several reasons.
            if edges.len() - start > 1 {
                edges[start..].sort_unstable();
                let mut kept = start;
                for index in start..edges.len() {
                    if index == start || edges[index] != edges[index - 1] {
                        edges[kept] = edges[index];
                        kept += 1;
                    }
                }
                edges.truncate(kept);
            }
        }
        let graph = Graph::new(function.blocks.len() as u32, &edges);
        let search = DepthFirst::new(&graph);
        let dominators = DominatorTree::from_depth_first(&graph, &search);
        let order: Vec<u32> = search.post_order().iter().rev().copied().collect();
        let mut number = vec![u32::MAX; function.blocks.len()];
        for (place, &block) in (0..).zip(&order) {
            number[block as usize] = place;
        }
        let has_loops = edges.iter().any(|&(from, to)| {
            let [from, to] = [from, to].map(|block| number[block as usize]);
            from != u32::MAX && from >= to
        });
        let loops = has_loops.then(|| LoopNest::from_trees(&graph, &search, &dominators));
        let depth = match &loops {
            Some(loops) => {
                let blocks = 0..function.blocks.len() as u32;
                blocks.map(|block| loops.depth(block)).collect()
            }
            None => vec![0; function.blocks.len()],
        };
        Self {
            graph,
            dominators,
            order,
            number,
            depth,
            loops,
        }
    }

    pub(crate) fn is_reachable(&self, block: u32) -> bool {
        self.number[block as usize] != u32::MAX
    }

    /// Whether an edge goes back to a block that comes before.
    pub(crate) fn goes_back(&self, from: u32, to: u32) -> bool {
        self.number[from as usize] >= self.number[to as usize]
    }

    /// The last block that dominates both of two.
    pub(crate) fn common(&self, one: u32, other: u32) -> u32 {
        let dominators = &self.dominators;
        let (mut a, mut b) = (one, other);
        // From both sides at once, so that the shorter way counts.
        loop {
            if dominators.dominates(a, other) {
                return a;
            }
            if dominators.dominates(b, one) {
                return b;
            }
            match (dominators.immediate(a), dominators.immediate(b)) {
                (None, None) => return 0,
                (above, beside) => {
                    a = above.unwrap_or(a);
                    b = beside.unwrap_or(b);
                }
            }
        }
    }

    /// The block nearest to the latest that is in the fewest loops and not before the earliest.
    pub(crate) fn out_of_loops(&self, late: u32, early: u32) -> u32 {
        let mut block = late;
        let Some(loops) = &self.loops else {
            return late;
        };
        while self.depth[block as usize] > self.depth[early as usize] {
            let Some(index) = loops.innermost(block) else {
                break;
            };
            let header = loops.loops()[index as usize].header;
            let Some(above) = self.dominators.immediate(header) else {
                break;
            };
            if !self.dominators.dominates(early, above) {
                break;
            }
            block = above;
        }
        block
    }

    /// The blocks of which each joins ways that a block dominates with others.
    pub(crate) fn frontiers(&self) -> Frontiers {
        let count = self.number.len();
        let mut pairs = Vec::new();
        let mut seen = vec![u32::MAX; count];
        for &join in &self.order {
            let above = self.dominators.immediate(join);
            let predecessors = self.graph.predecessors(join);
            let reachable = predecessors
                .iter()
                .filter(|&&block| self.is_reachable(block));
            for &from in reachable {
                let mut at = from;
                // Above a block that was there already, all were.
                while Some(at) != above && std::mem::replace(&mut seen[at as usize], join) != join {
                    pairs.push((at, join));
                    match self.dominators.immediate(at) {
                        Some(next) => at = next,
                        None => break,
                    }
                }
            }
        }
        let mut starts = vec![0; count + 1];
        for &(block, _) in &pairs {
            starts[block as usize + 1] += 1;
        }
        for index in 0..count {
            starts[index + 1] += starts[index];
        }
        let mut next = starts.clone();
        let mut joins = vec![0; pairs.len()];
        for (block, join) in pairs {
            let place = &mut next[block as usize];
            joins[*place as usize] = join;
            *place += 1;
        }
        Frontiers { starts, joins }
    }
}

/// The dominance frontier of each block.
pub(crate) struct Frontiers {
    starts: Vec<u32>,
    joins: Vec<u32>,
}

impl Frontiers {
    pub(crate) fn of(&self, block: u32) -> &[u32] {
        let range = self.starts[block as usize] as usize..self.starts[block as usize + 1] as usize;
        &self.joins[range]
    }
}

/// Notes the number of each block by its label.
pub(crate) fn number_labels(unit: &mut Unit, function: &Function) {
    unit.block_of_label.resize(unit.nodes.len(), u32::MAX);
    for (index, block) in function.blocks.iter().enumerate() {
        unit.block_of_label[block.label as usize] = index as u32;
    }
}

/// Lets each block come behind those that dominate it, as it has to be (section 2.16.1), if that isn't
/// so any more because there are fewer ways.
pub(crate) fn put_in_order(unit: &mut Unit, function: &mut Function) {
    let flow = Flow::new(unit, function);
    let is_behind = |&block: &u32| {
        let above = flow.dominators.immediate(block);
        above.is_none_or(|above| above < block)
    };
    if flow.order.iter().all(is_behind) {
        return;
    }
    let unreachable = (0..flow.number.len() as u32).filter(|&block| !flow.is_reachable(block));
    let order: Vec<u32> = flow.order.iter().copied().chain(unreachable).collect();
    let mut old = std::mem::take(&mut function.blocks);
    let blocks = order
        .iter()
        .map(|&block| std::mem::take(&mut old[block as usize]));
    function.blocks = blocks.collect();
}

/// The merge instruction of a block: the last but one.
pub(crate) fn merge_of(unit: &Unit, insts: &[u32]) -> Option<u32> {
    let merge = *insts.get(insts.len().checked_sub(2)?)?;
    matches!(unit.op(merge), Op::LoopMerge | Op::SelectionMerge).then_some(merge)
}
