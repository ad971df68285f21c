//! The control-flow graph of a function (specification, section 2.2.5).

use spirvkit_analysis::control_flow::branches;
use spirvkit_analysis::{Graph, Node};
use spirvkit_binary::Id;
use spirvkit_grammar::Op;

use crate::module::{Block, Function, Inst, Lookup, Module, NONE, Type};

/// The graph of a function's blocks, which are numbered in their order.
pub(crate) struct Flow<'m, 'a> {
    pub(crate) m: &'m Module<'a>,
    pub(crate) function: &'m Function,
    /// An edge for each label in each terminator.
    pub(crate) graph: Graph,
    /// Whether every block has a terminator and every label in it begins a block
    /// of the function. If not, there is an error elsewhere, and what is not
    /// reachable may only seem so.
    pub(crate) is_whole: bool,
    /// Whether every label in a merge instruction begins a block of the function.
    pub(crate) merges_are_whole: bool,
    /// The blocks with a merge instruction whose labels are right, with its merge block and
    /// its continue target, or [`NONE`].
    merges: Vec<(Node, Node, Node)>,
}

/// A merge instruction, of which every label begins a block of the function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Merge {
    /// Where the instruction is.
    pub(crate) offset: u32,
    pub(crate) merge: Node,
    /// Of a loop.
    pub(crate) continue_target: Option<Node>,
}

impl<'m, 'a> Flow<'m, 'a> {
    pub(crate) fn new(m: &'m Module<'a>, function: &'m Function) -> Self {
        let mut flow = Flow {
            m,
            function,
            graph: Graph::new(0, &[]),
            is_whole: true,
            merges_are_whole: true,
            merges: Vec::with_capacity(function.blocks.len() / 4),
        };
        let mut edges = Vec::with_capacity(2 * function.blocks.len());
        let mut is_whole = true;
        for from in 0..flow.len() {
            if flow.block(from).merge != 0 {
                match flow.named_by_merge(from) {
                    Some((merge, target)) => flow.merges.push((from, merge, target)),
                    None => flow.merges_are_whole = false,
                }
            }
            let Some(terminator) = flow.terminator(from) else {
                is_whole = false;
                continue;
            };
            let mut lead_to = |label: Id| match flow.node(label) {
                Some(to) => edges.push((from, to)),
                None => is_whole = false,
            };
            match terminator.op() {
                // The most frequent.
                Op::Branch => lead_to(Id(terminator.word(1))),
                _ => targets(m, terminator).for_each(lead_to),
            }
        }
        flow.graph = Graph::new(flow.len(), &edges);
        flow.is_whole = is_whole;
        flow
    }

    /// How many blocks there are.
    pub(crate) fn len(&self) -> u32 {
        self.function.blocks.len() as u32
    }

    /// The block with this number. The number must be one of the graph's.
    pub(crate) fn block(&self, node: Node) -> &'m Block {
        &self.m.blocks[(self.function.blocks.start + node) as usize]
    }

    /// The label of a block, as [`Flow::block`].
    pub(crate) fn label(&self, node: Node) -> Id {
        self.block(node).id
    }

    /// A block's label for a message.
    pub(crate) fn name(&self, node: Node) -> String {
        self.m.name(self.label(node))
    }

    /// The number of the block that a label begins, if it is one of the
    /// function's.
    pub(crate) fn node(&self, label: Id) -> Option<Node> {
        let index = self.m.block_of(label)?;
        let is_own = self.function.blocks.contains(&index);
        let begins = self.m.blocks.get(index as usize)?.id == label;
        (is_own && begins).then(|| index - self.function.blocks.start)
    }

    /// The instruction that ends a block.
    pub(crate) fn terminator(&self, node: Node) -> Option<Inst<'a>> {
        match self.block(node).terminator {
            0 => None,
            offset => self.m.inst(offset),
        }
    }

    /// Where a block's terminator stands, for a finding; its label if it has none.
    pub(crate) fn end(&self, node: Node) -> u32 {
        let block = self.block(node);
        match block.terminator {
            0 => block.start,
            offset => offset,
        }
    }

    /// The block's merge instruction, unless its labels are wrong.
    #[inline]
    pub(crate) fn merge(&self, node: Node) -> Option<Merge> {
        if self.block(node).merge == 0 {
            return None;
        }
        let index = self.merges.binary_search_by_key(&node, |merge| merge.0);
        Some(self.merge_at(index.ok()?))
    }

    /// The blocks with a merge instruction whose labels are right, in order.
    pub(crate) fn merges(&self) -> impl Iterator<Item = (Node, Merge)> + '_ {
        (0..self.merges.len()).map(|index| (self.merges[index].0, self.merge_at(index)))
    }

    fn merge_at(&self, index: usize) -> Merge {
        let (node, merge, target) = self.merges[index];
        Merge {
            offset: self.block(node).merge,
            merge,
            continue_target: (target != NONE).then_some(target),
        }
    }

    pub(crate) fn is_loop_header(&self, node: Node) -> bool {
        let merge = self.merge(node);
        merge.is_some_and(|merge| merge.continue_target.is_some())
    }

    /// The merge block and the continue target that the block's merge instruction names.
    fn named_by_merge(&self, node: Node) -> Option<(Node, Node)> {
        let inst = match self.block(node).merge {
            0 => return None,
            offset => self.m.inst(offset)?,
        };
        let target = match inst.op() {
            Op::LoopMerge => self.node(inst.id(1))?,
            _ => NONE,
        };
        Some((self.node(inst.id(0))?, target))
    }
}

/// The labels to which a terminator may branch, in the order of its operands:
/// for a switch the default first, then one for each literal.
pub(crate) fn targets<'a>(
    m: &Module<'a>,
    terminator: Inst<'a>,
) -> impl Iterator<Item = Id> + use<'a> {
    let literal_words = match terminator.op() {
        Op::Switch => Some(literal_words(m, terminator)),
        _ => None,
    };
    branches(terminator.words(), literal_words).map(|branch| branch.label)
}

/// How many words each literal of a switch has.
pub(crate) fn literal_words(m: &Module<'_>, switch: Inst<'_>) -> usize {
    match m.ty_of(switch.id(0)) {
        Type::Int { width, .. } => width.div_ceil(32).max(1) as usize,
        _ => 1,
    }
}
