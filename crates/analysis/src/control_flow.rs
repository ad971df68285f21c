//! The blocks of a function (specification, sections 2.2.5 and 2.11).
//!
//! [`ModuleIndex::control_flow`](crate::ModuleIndex::control_flow) has that of a function of
//! an indexed module; [`functions`] takes the instructions of a module, wherever they come
//! from, and [`ControlFlow::new`] those of one function. Blocks are numbered in their order, the entry first, so a block's
//! number is its [`Node`] in the [`Graph`].
//!
//! Every input has a control flow, if need be an empty one:
//!
//! - A block ends with its terminator, or else before the next label or the end of
//!   the function. What stands outside of blocks is passed over.
//! - Labels that don't begin a block of the function lead nowhere: neither a branch
//!   to one is in the graph nor a merge instruction that names one in the
//!   [headers](ControlFlow::headers).
//! - A label that begins two blocks stands for the first.
//! - Of an `OpSwitch` whose literals can't be distinguished from its labels, because
//!   the selector's type is unknown, only the default is taken.
//!
//! ```
//! use spirvkit_analysis::ModuleIndex;
//! use spirvkit_analysis::control_flow::Merge;
//! use spirvkit_grammar::Op;
//!
//! let text = "
//!     %void = OpTypeVoid
//!     %function = OpTypeFunction %void
//!     %bool = OpTypeBool
//!     %true = OpConstantTrue %bool
//!     %main = OpFunction %void None %function
//!     %entry = OpLabel
//!     OpSelectionMerge %merge None
//!     OpBranchConditional %true %then %merge
//!     %then = OpLabel
//!     OpBranch %merge
//!     %merge = OpLabel
//!     OpReturn
//!     OpFunctionEnd";
//! let assembled = spirvkit_text::assemble(text, &Default::default()).unwrap();
//! let index = ModuleIndex::new(&assembled.words)?;
//! let main = index.control_flow(0).unwrap();
//! assert_eq!(main.blocks().len(), 3);
//! assert_eq!(main.graph().successors(0), [1, 2]);
//! let entry = main.block(0).unwrap();
//! assert!(matches!(entry.merge, Some(Merge::Selection { .. })));
//! assert_eq!(entry.terminator, Some(Op::BranchConditional));
//! assert_eq!(main.node(entry.merge.unwrap().block()), Some(2));
//! # Ok::<(), spirvkit_binary::Error>(())
//! ```

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use spirvkit_binary::{Definitions, Id, IdMap, Instruction};
use spirvkit_grammar::{LoopControl, Op, SelectionControl};

use crate::lists::Lists;
use crate::{DepthFirst, Graph, NONE, Node};

/// A block: from its label to its terminator.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Block {
    /// The result of its `OpLabel`.
    pub label: Id,
    /// Its instructions, the label and the terminator among them: their places in
    /// what the control flow was made from, counted from 0.
    pub instructions: Range<u32>,
    /// Its merge instruction; the last, if there are several.
    pub merge: Option<Merge>,
    /// The opcode of its last instruction, unless that doesn't end a block.
    pub terminator: Option<Op>,
}

/// A merge instruction, as it is in the function: its labels need not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// `OpSelectionMerge`.
    Selection {
        /// The merge block.
        block: Id,
        /// How the selection wants to be compiled.
        control: SelectionControl,
    },
    /// `OpLoopMerge`.
    Loop {
        /// The merge block.
        block: Id,
        /// The continue target.
        continue_target: Id,
        /// How the loop wants to be compiled. The parameters of its bits follow in
        /// the instruction.
        control: LoopControl,
    },
}

impl Merge {
    /// Reads a merge instruction; `None` if it is none, or lacks operands.
    fn read(instruction: &Instruction<'_>) -> Option<Merge> {
        match (instruction.op(), instruction.operand_words()) {
            (Op::SelectionMerge, &[block, control, ..]) => Some(Merge::Selection {
                block: Id(block),
                control: SelectionControl(control),
            }),
            (Op::LoopMerge, &[block, target, control, ..]) => Some(Merge::Loop {
                block: Id(block),
                continue_target: Id(target),
                control: LoopControl(control),
            }),
            _ => None,
        }
    }

    /// The label of the merge block.
    pub fn block(self) -> Id {
        match self {
            Merge::Selection { block, .. } | Merge::Loop { block, .. } => block,
        }
    }

    /// The label of the continue target; none for a selection.
    pub fn continue_target(self) -> Option<Id> {
        match self {
            Merge::Selection { .. } => None,
            Merge::Loop {
                continue_target, ..
            } => Some(continue_target),
        }
    }
}

/// A header block, whose merge block and continue target exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The block that holds the merge instruction.
    pub node: Node,
    /// The merge block.
    pub merge: Node,
    /// What the merge instruction declares.
    pub kind: HeaderKind,
}

/// What a merge instruction declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderKind {
    /// A selection by `OpBranchConditional`, or by what should be one.
    Selection,
    /// A selection by `OpSwitch`.
    Switch,
    /// A loop.
    Loop {
        /// The continue target.
        continue_target: Node,
    },
}

impl Header {
    /// The continue target of a loop.
    pub fn continue_target(self) -> Option<Node> {
        match self.kind {
            HeaderKind::Loop { continue_target } => Some(continue_target),
            HeaderKind::Selection | HeaderKind::Switch => None,
        }
    }

    /// Adds to a graph the edges of structure: from each header to its merge block
    /// and, for a loop, to its continue target.
    ///
    /// They come before the other edges of their node. So what lies behind a
    /// construct is left first by a depth-first traversal, and backwards the order of
    /// leaving is one in which blocks can be written: a header, what it delimits, the
    /// continue construct, the merge block, if control flow is structured.
    pub fn structural_graph(graph: &Graph, headers: &[Header]) -> Graph {
        let mut edges = Vec::with_capacity(graph.edge_count() + 2 * headers.len());
        for header in headers {
            edges.push((header.node, header.merge));
            edges.extend(header.continue_target().map(|target| (header.node, target)));
        }
        edges.extend(graph.edges());
        Graph::new(graph.len(), &edges)
    }
}

/// The blocks of a function, and how control flows between them. The module's
/// documentation says what becomes of a broken function.
#[derive(Clone, Debug)]
pub struct ControlFlow {
    function: Option<Id>,
    instructions: Range<u32>,
    blocks: Vec<Block>,
    labels: Labels,
    targets: Lists<Node>,
    graph: Graph,
    order: DepthFirst,
}

impl ControlFlow {
    /// The control flow of one function: of what is before the first
    /// `OpFunctionEnd`. Whether `OpFunction` and parameters come along doesn't matter.
    ///
    /// `definitions` must know the module's types and the function's values; it is
    /// asked how wide the literals of an `OpSwitch` are.
    pub fn new<'a>(
        instructions: impl IntoIterator<Item = Instruction<'a>>,
        definitions: &Definitions,
    ) -> ControlFlow {
        let mut builder = Builder::new(0);
        for instruction in instructions {
            builder.add(&instruction, definitions);
            if instruction.op() == Op::FunctionEnd {
                break;
            }
        }
        builder.finish()
    }

    /// The result of the `OpFunction`, if it was among the instructions.
    pub fn function(&self) -> Option<Id> {
        self.function
    }

    /// The function's instructions, from the first that was given to
    /// `OpFunctionEnd`: their places in what the control flow was made from.
    pub fn instructions(&self) -> Range<u32> {
        self.instructions.clone()
    }

    /// The blocks in their order.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The block with this number.
    pub fn block(&self, node: Node) -> Option<&Block> {
        self.blocks.get(node as usize)
    }

    /// The block that a label begins; none, if it begins none of this function.
    pub fn node(&self, label: Id) -> Option<Node> {
        self.labels.get(label)
    }

    /// The block that holds the instruction at this place.
    pub fn node_at(&self, instruction: u32) -> Option<Node> {
        let begun = |block: &Block| block.instructions.start <= instruction;
        let node = self.blocks.partition_point(begun).checked_sub(1)?;
        let holds = self.blocks[node].instructions.contains(&instruction);
        holds.then_some(node as Node)
    }

    /// Where a block's terminator leads, in the order of its operands, with
    /// repetitions: for an `OpSwitch` the default first, then one for each literal.
    pub fn targets(&self, node: Node) -> &[Node] {
        self.targets.of(node)
    }

    /// The control-flow graph. An edge that a terminator has more than once is there
    /// once, in its first place.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// A traversal of the graph from the entry: which blocks can be reached, and in
    /// which orders.
    pub fn order(&self) -> &DepthFirst {
        &self.order
    }

    /// What a block's merge instruction declares; none without one, or if a label of
    /// it doesn't exist.
    pub fn header(&self, node: Node) -> Option<Header> {
        let block = self.block(node)?;
        let merge = block.merge?;
        let kind = match merge.continue_target() {
            Some(target) => HeaderKind::Loop {
                continue_target: self.node(target)?,
            },
            None if block.terminator == Some(Op::Switch) => HeaderKind::Switch,
            None => HeaderKind::Selection,
        };
        Some(Header {
            node,
            merge: self.node(merge.block())?,
            kind,
        })
    }

    /// All headers, in the order of their blocks.
    pub fn headers(&self) -> impl Iterator<Item = Header> + '_ {
        (0..self.graph.len()).filter_map(|node| self.header(node))
    }

    /// The graph with the edges of structure (see [`Header::structural_graph`]), on
    /// which dominance is structural dominance.
    pub fn structural_graph(&self) -> Graph {
        Header::structural_graph(&self.graph, &self.headers().collect::<Vec<_>>())
    }
}

/// The control flow of each function of a module, declarations among them, whose
/// graphs are empty. The places of instructions are places in the module.
///
/// `definitions` must know the whole module.
pub fn functions<'a, 'd, I>(instructions: I, definitions: &'d Definitions) -> Functions<'d, I>
where
    I: Iterator<Item = Instruction<'a>>,
{
    Functions {
        instructions,
        definitions,
        next: 0,
        pending: None,
    }
}

/// The control flow of each function of a module: see [`functions`].
#[derive(Clone, Debug)]
pub struct Functions<'d, I> {
    instructions: I,
    definitions: &'d Definitions,
    /// The place of the next instruction.
    next: u32,
    /// The function that has begun before the end of the one before it.
    pending: Option<Builder>,
}

impl<'a, I: Iterator<Item = Instruction<'a>>> Iterator for Functions<'_, I> {
    type Item = ControlFlow;

    fn next(&mut self) -> Option<ControlFlow> {
        let mut open = self.pending.take();
        for instruction in self.instructions.by_ref() {
            let place = self.next;
            self.next = place.saturating_add(1);
            if instruction.op() == Op::Function {
                let mut builder = Builder::new(place);
                builder.add(&instruction, self.definitions);
                if let Some(unended) = open.replace(builder) {
                    self.pending = open;
                    return Some(unended.finish());
                }
                continue;
            }
            let Some(builder) = &mut open else {
                continue;
            };
            builder.add(&instruction, self.definitions);
            if instruction.op() == Op::FunctionEnd {
                break;
            }
        }
        open.map(Builder::finish)
    }
}

/// Takes the instructions of a function one by one.
#[derive(Clone, Debug)]
struct Builder {
    function: Option<Id>,
    start: u32,
    /// The place of the next instruction.
    next: u32,
    words: usize,
    blocks: Vec<Block>,
    /// Whether the last block has not ended.
    is_open: bool,
    /// Which block branches to which label.
    branches: Vec<(Node, Id)>,
}

impl Builder {
    fn new(start: u32) -> Self {
        Self {
            function: None,
            start,
            next: start,
            words: 0,
            blocks: Vec::new(),
            is_open: false,
            branches: Vec::new(),
        }
    }

    fn add(&mut self, instruction: &Instruction<'_>, definitions: &Definitions) {
        let place = self.next;
        self.next = place.saturating_add(1);
        self.words += instruction.words().len();
        let op = instruction.op();
        match op {
            Op::Function => self.function = self.function.or(instruction.result()),
            Op::FunctionEnd => self.is_open = false,
            Op::Label => {
                self.is_open = true;
                self.blocks.push(Block {
                    label: instruction.result().unwrap_or(Id(0)),
                    instructions: place..place,
                    merge: None,
                    terminator: None,
                });
            }
            _ => {}
        }
        let node = (self.blocks.len() as Node).wrapping_sub(1);
        let Some(block) = self.blocks.last_mut().filter(|_| self.is_open) else {
            return;
        };
        block.instructions.end = self.next;
        block.merge = Merge::read(instruction).or(block.merge);
        if op.is_terminator() {
            block.terminator = Some(op);
            self.is_open = false;
            let selector = instruction.words().get(1).map(|&selector| Id(selector));
            let literal = selector.and_then(|selector| definitions.selector_type(selector));
            let literal_words = literal.map(|ty| usize::from(ty.width().div_ceil(32)));
            let branches = branches(instruction.words(), literal_words);
            self.branches
                .extend(branches.map(|branch| (node, branch.label)));
        }
    }

    fn finish(self) -> ControlFlow {
        let labels = Labels::new(&self.blocks, self.words);
        let nodes = self.blocks.len() as u32;
        let branches = self.branches.iter();
        let edges: Vec<(Node, Node)> = branches
            .filter_map(|&(from, label)| Some((from, labels.get(label)?)))
            .collect();
        let targets = Lists::new(nodes, edges.iter().copied());
        let graph = Graph::new(nodes, &without_repetitions(nodes, edges));
        ControlFlow {
            function: self.function,
            instructions: self.start..self.next,
            blocks: self.blocks,
            labels,
            targets,
            order: DepthFirst::new(&graph),
            graph,
        }
    }
}

/// A way that a terminator may branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Branch<'a> {
    /// Where it leads.
    pub label: Id,
    /// The words of the literal for which an `OpSwitch` goes there; none for its default
    /// and for other terminators.
    pub literal: &'a [u32],
}

/// The ways that a terminator of these words may branch, in the order of its operands: for
/// an `OpSwitch` the default first, then one for each literal, of which each has
/// `literal_words`. If that number is unknown, only the default is given.
pub fn branches(words: &[u32], literal_words: Option<usize>) -> impl Iterator<Item = Branch<'_>> {
    let op = words.first().map_or(Op::Nop, |&word| Op(word as u16));
    let (first, plain) = match op {
        Op::Branch => (1, 1),
        // Weights may follow.
        Op::BranchConditional => (2, 2),
        Op::Switch => (2, 1),
        _ => (words.len(), 0),
    };
    let rest = words.get(first..).unwrap_or_default();
    let (plain, cases) = rest.split_at(plain.min(rest.len()));
    let plain = plain.iter().map(|&label| Branch {
        label: Id(label),
        literal: &[],
    });
    let cases = match literal_words {
        Some(literal) if op == Op::Switch => cases.chunks_exact(literal + 1),
        _ => [].chunks_exact(1),
    };
    let cases = cases.filter_map(|case| {
        let (&label, literal) = case.split_last()?;
        let label = Id(label);
        Some(Branch { label, literal })
    });
    plain.chain(cases)
}

/// Of edges that are sorted by the node they leave, the first of each.
fn without_repetitions(nodes: u32, mut edges: Vec<(Node, Node)>) -> Vec<(Node, Node)> {
    // For each node which one last led to it.
    let mut last = vec![NONE; nodes as usize];
    edges.retain(|&(from, to)| {
        let last = last.get_mut(to as usize);
        last.is_some_and(|last| core::mem::replace(last, from) != from)
    });
    edges
}

/// Which block each label begins.
#[derive(Clone, Debug)]
struct Labels {
    /// By the label's distance from the least one, because the ids of a function lie
    /// together: so the table is no larger than the function, wherever in the module
    /// that stands.
    nodes: IdMap<Node>,
    least: u32,
}

impl Labels {
    /// `words` is the size of the function.
    fn new(blocks: &[Block], words: usize) -> Self {
        let ids = || blocks.iter().map(|block| block.label.0);
        let least = ids().min().unwrap_or(0);
        let span = ids().max().unwrap_or(0) - least;
        let mut nodes = IdMap::with_bound(NONE, words, span.saturating_add(1));
        for (node, id) in ids().enumerate() {
            let slot = nodes.slot(Id(id - least));
            if *slot == NONE {
                *slot = node as Node;
            }
        }
        Self { nodes, least }
    }

    fn get(&self, label: Id) -> Option<Node> {
        let distance = label.0.checked_sub(self.least)?;
        Some(self.nodes.get(Id(distance))).filter(|&node| node != NONE)
    }
}
