//! What every program that looks at SPIR-V ends up asking of it.
//!
//! Of a module: [`ModuleIndex`], made of its words in one pass, says what its ids stand for
//! and where they are used, and has the [control flow](control_flow) of each function;
//! [`calls`] finds how functions call each other and which entry points reach them, [`ways`]
//! what happens on all ways through them. A program that holds a module in a form of its own answers questions about types and
//! constants by [`Lookup`], and gives its [instructions](spirvkit_binary::Instruction) to
//! [`control_flow::functions`] and [`requirements`].
//!
//! Of types: [`layout`] says where their parts lie in memory. Of the language:
//! [`requirements`] lists what a module needs, and compares it with what it declares.
//!
//! Of graphs: orders, reachability, back edges, dominance and post-dominance
//! (specification, section 2.11, "Structured Control Flow", and its terms in
//! section 2.2.5). A caller numbers its nodes, the entry first, and lists the edges
//! as a [`Graph`]; [`DepthFirst`], [`DominatorTree`] and [`PostDominatorTree`]
//! answer questions about it, and [`loops`] finds what goes round.
//!
//! *Structural* dominance, of which version 1.6 speaks, is dominance on a graph
//! that has two further edges for each header: to its merge block and, for a
//! loop, to its continue target. [`ControlFlow::structural_graph`] has them, and
//! [`constructs`] finds what headers delimit.
//!
//! All of it takes O(e log n) for n nodes and e edges on any graph whatsoever,
//! reducible or not, without recursion; an answer about two nodes takes constant
//! time. Nodes that don't exist have no edges, and edges from or to them are left
//! out, so no input panics.
//!
//! ```
//! use spirvkit_analysis::{DepthFirst, DominatorTree, Graph, PostDominatorTree};
//!
//! // A loop: 0 enters, 1 is the header, 2 the body, which branches back, 3 the merge.
//! let graph = Graph::new(4, &[(0, 1), (1, 2), (1, 3), (2, 1)]);
//!
//! let order = DepthFirst::new(&graph);
//! assert_eq!(order.pre_order(), [0, 1, 2, 3]);
//! assert_eq!(order.post_order(), [2, 3, 1, 0]);
//! assert!(order.is_back_edge(2, 1));
//!
//! let dominators = DominatorTree::new(&graph);
//! assert_eq!(dominators.immediate(3), Some(1));
//! assert!(dominators.dominates(1, 2));
//! assert!(!dominators.dominates(2, 3));
//!
//! let post = PostDominatorTree::new(&graph);
//! assert_eq!(post.immediate(2), Some(1));
//! assert!(post.dominates(3, 0));
//!
//! // A selection without a way from the header past its arms: only the structure
//! // says that 3 belongs behind 1.
//! let returns = Graph::new(4, &[(0, 1), (1, 2)]);
//! assert!(!DominatorTree::new(&returns).is_reachable(3));
//! let structural = returns.with_edges(&[(1, 3)]);
//! assert!(DominatorTree::new(&structural).strictly_dominates(1, 3));
//! ```
#![cfg_attr(doctest, doc = include_str!("../README.md"))]
#![no_std]
#![deny(missing_docs)]
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::print_stdout,
        clippy::print_stderr,
        clippy::exit
    )
)]

extern crate alloc;

mod callbacks;
pub mod calls;
mod capabilities;
mod components;
pub mod constructs;
pub mod control_flow;
mod depth_first;
mod dominators;
mod graph;
pub mod index;
pub mod layout;
mod lists;
pub mod loops;
mod post_dominators;
pub mod requirements;
mod walk;
pub mod ways;

pub use callbacks::{TensorOperands, memory_operand_words};
pub use calls::CallGraph;
pub use capabilities::Capabilities;
pub use components::Components;
pub use constructs::Constructs;
pub use control_flow::ControlFlow;
pub use depth_first::DepthFirst;
pub use dominators::DominatorTree;
pub use graph::{Graph, Node};
pub use index::{Lookup, ModuleIndex, Type};
pub use loops::LoopNest;
pub use post_dominators::PostDominatorTree;
pub use walk::Walk;

/// Stands for "no node" in tables of nodes.
const NONE: Node = Node::MAX;
