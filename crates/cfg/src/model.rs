//! What there is to draw.

use spirvkit_analysis::Node;
use spirvkit_binary::Id;

/// How many regions may lie within each other. People see no more than some ten,
/// and browsers and Graphviz don't take any number.
pub const MAX_DEPTH: u32 = 40;

/// The number of a region: its place in [`Function::regions`].
pub type RegionIndex = u32;

/// The functions of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Program {
    /// Those that have a body, in the order of the module.
    pub functions: Vec<Function>,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Function {
    /// The result of its `OpFunction`; 0 if it has none.
    pub id: Id,
    /// How the disassembler calls it: `%main`.
    pub name: String,
    /// The entry points that start here: `GLCompute "main"`.
    pub entry_points: Vec<String>,
    /// `OpFunction`, the parameters, and whatever else stands before the first block.
    pub head: Vec<Line>,
    /// The blocks in the order of the module, the entry first. A block's place is its
    /// [`Node`].
    pub blocks: Vec<Block>,
    /// The edges, by the block that they leave, in the order of its operands; those
    /// between the same blocks are one.
    pub edges: Vec<Edge>,
    /// The regions, each after those around it.
    pub regions: Vec<Region>,
    /// All blocks in an order in which they read well: each before what it dominates,
    /// and constructs before their merge blocks.
    pub order: Vec<Node>,
    /// Headers and what they declare: their merge blocks and continue targets, to which
    /// the structure leads whether or not an edge does.
    pub declared: Vec<(Node, Node)>,
}

impl Function {
    /// The edges that leave a block.
    pub fn edges_of(&self, node: Node) -> &[Edge] {
        let start = self.edges.partition_point(|edge| edge.from < node);
        let end = self.edges.partition_point(|edge| edge.from <= node);
        self.edges.get(start..end).unwrap_or_default()
    }
}

/// A line of text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Line {
    /// The instruction, disassembled with friendly names.
    pub text: String,
    /// The line of the shader's own text that it came of, such as `a.comp:12: x = y;`,
    /// where that is another than before.
    pub source: Option<String>,
    /// Whether the instruction only describes the source: a line, or debug information.
    pub is_debug: bool,
}

/// A block.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Block {
    /// The result of its `OpLabel`; 0 if it has none.
    pub label: Id,
    /// How the disassembler calls it: `%12`.
    pub name: String,
    /// Its instructions without the label.
    pub lines: Vec<Line>,
    /// Whether control can come here from the entry.
    pub is_reachable: bool,
    /// The innermost region that it is in.
    pub region: Option<RegionIndex>,
}

/// What may lie around blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Region {
    /// What it is.
    pub kind: RegionKind,
    /// What to call it: its kind and where it is entered, or when a case is taken.
    pub title: String,
    /// Of a construct the block with the merge instruction; of a natural loop the block
    /// that branches lead back to.
    pub header: Node,
    /// Where it is entered.
    pub entry: Node,
    /// Where a construct ends.
    pub merge: Option<Node>,
    /// Of a loop construct and its continue construct: the continue target.
    pub continue_target: Option<Node>,
    /// The innermost region around it. A continue construct is in its loop's region
    /// although it is beside the loop construct: that is how loops look best.
    pub parent: Option<RegionIndex>,
    /// How many regions are around it and itself.
    pub depth: u32,
}

/// What a region is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RegionKind {
    /// A selection construct.
    Selection,
    /// A selection construct with an `OpSwitch`.
    Switch,
    /// A case construct.
    Case,
    /// A loop construct, with its continue construct.
    Loop,
    /// A continue construct.
    Continue,
    /// A loop that no instruction declares.
    NaturalLoop,
}

impl RegionKind {
    /// What it is called: `selection`, `switch`, `case`, `loop`, `continue`,
    /// `natural-loop`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Selection => "selection",
            Self::Switch => "switch",
            Self::Case => "case",
            Self::Loop => "loop",
            Self::Continue => "continue",
            Self::NaturalLoop => "natural-loop",
        }
    }
}

/// A way from the end of a block to the start of another, or the same.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Edge {
    /// The block that it leaves.
    pub from: Node,
    /// Where it leads.
    pub to: Node,
    /// When it is taken: `true`, `false`, `default`, the values of cases; nothing if
    /// there is no other way.
    pub conditions: Vec<String>,
    /// What it means.
    pub kind: EdgeKind,
}

/// How many characters of conditions to show.
const MAX_LABEL_LENGTH: usize = 28;

impl Edge {
    /// The conditions as a short text; of many, how many are left out.
    pub fn label(&self) -> String {
        let mut label = String::new();
        for (index, condition) in self.conditions.iter().enumerate() {
            if index > 0 && label.len() + condition.len() > MAX_LABEL_LENGTH {
                label.push_str(&format!(" +{}", self.conditions.len() - index));
                break;
            }
            if index > 0 {
                label.push_str(", ");
            }
            label.push_str(condition);
        }
        label
    }
}

/// What an edge means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EdgeKind {
    /// It leads on.
    Forward,
    /// It leads back to the header of a loop; or, where control flow is irreducible,
    /// to any block that a depth-first traversal is still in.
    Back,
    /// It leads from a selection or a switch to its merge block.
    Merge,
    /// It leads from a loop to its merge block.
    Break,
    /// It leads from a loop construct to its continue target.
    Continue,
    /// It leads from a case to another one.
    FallThrough,
}

impl EdgeKind {
    /// What it is called: `forward`, `back`, `merge`, `break`, `continue`,
    /// `fall-through`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Back => "back",
            Self::Merge => "merge",
            Self::Break => "break",
            Self::Continue => "continue",
            Self::FallThrough => "fall-through",
        }
    }
}
