//! Which functions call which, and which entry points reach them.
//!
//! The functions and their calls are those of the [index](crate::ModuleIndex): a
//! function's index among them is its [`Node`] in the [graph](CallGraph::graph) of
//! calls. A call is an `OpFunctionCall`. Some extensions and kernels hand functions to
//! other instructions; who else names a function is a question for its
//! [uses](crate::ModuleIndex::uses).
//!
//! Calls to what isn't a function of the module, and calls outside of functions,
//! are left out. An id that is the result of two functions stands for the first.
//!
//! Which of many entry points reach which of many functions is too much to be
//! written down; [`CallGraph::reached_from`] and
//! [`CallGraph::entry_points_reaching`] find out for one at a time, by a walk
//! through what is reached and nothing else. Whether *any* entry point reaches a
//! function is [known](CallGraph::is_reached) at once.
//!
//! ```
//! use spirvkit_analysis::{CallGraph, ModuleIndex};
//! use spirvkit_grammar::ExecutionModel;
//!
//! let text = "
//!     OpEntryPoint Fragment %main \"main\"
//!     %void = OpTypeVoid
//!     %function = OpTypeFunction %void
//!     %unused = OpFunction %void None %function
//!     %unused_entry = OpLabel
//!     OpReturn
//!     OpFunctionEnd
//!     %main = OpFunction %void None %function
//!     %main_entry = OpLabel
//!     %result = OpFunctionCall %void %callee
//!     OpReturn
//!     OpFunctionEnd
//!     %callee = OpFunction %void None %function
//!     %callee_entry = OpLabel
//!     OpReturn
//!     OpFunctionEnd";
//! let assembled = spirvkit_text::assemble(text, &Default::default()).unwrap();
//! let index = ModuleIndex::new(&assembled.words)?;
//! let calls = CallGraph::new(&index);
//! let entry = &calls.entry_points()[0];
//! assert_eq!(entry.model, ExecutionModel::Fragment);
//! let main = index.function_index(entry.function).unwrap();
//! assert_eq!(calls.graph().successors(main), [2]);
//! assert_eq!(calls.walk().forwards([main]), [1, 2]);
//! assert!(calls.is_reached(2) && !calls.is_reached(0));
//! assert!(!calls.is_recursive(main));
//! # Ok::<(), spirvkit_binary::Error>(())
//! ```

use alloc::vec;
use alloc::vec::Vec;

use crate::index::EntryPoint;
use crate::lists::Lists;
use crate::{Components, Graph, ModuleIndex, NONE, Node, Walk};

/// Which functions of a module call which, and from which entry points. The module's
/// documentation says what becomes of a broken one.
#[derive(Clone, Debug)]
pub struct CallGraph<'a> {
    graph: Graph,
    components: Components,
    entry_points: Vec<EntryPoint<'a>>,
    /// For each entry point its function, or [`NONE`].
    roots: Vec<Node>,
    /// For each function the entry points that give it as theirs.
    entries_of: Lists<u32>,
    /// For each function the first entry point that reaches it, or [`NONE`].
    reached_by: Vec<u32>,
}

impl<'a> CallGraph<'a> {
    /// Looks at the calls and the entry points of a module.
    pub fn new(index: &ModuleIndex<'a>) -> Self {
        let graph = Graph::of_calls(index);
        let entry_points = entry_points(index);
        let roots = entry_points.iter().map(|entry| entry.function);
        let roots = roots.map(|function| index.function_index(function).unwrap_or(NONE));
        let roots: Vec<Node> = roots.collect();
        let known = roots.iter().copied().zip(0..);
        let known = known.filter(|&(root, _)| root != NONE);
        Self {
            reached_by: reached_by(&graph, known.clone()),
            entries_of: Lists::new(graph.len(), known),
            components: Components::new(&graph),
            graph,
            entry_points,
            roots,
        }
    }

    /// The graph whose nodes are the functions: its edges lead from caller to callee,
    /// each there once.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The strongly connected components of the graph: what calls itself, directly or
    /// not, is in one that is [cyclic](Components::is_cyclic).
    pub fn components(&self) -> &Components {
        &self.components
    }

    /// Whether a function calls itself, directly or not.
    pub fn is_recursive(&self, function: Node) -> bool {
        let component = self.components.of(function);
        component.is_some_and(|component| self.components.is_cyclic(component))
    }

    /// All functions, each after those that it calls, unless they call it, too.
    pub fn callees_first(&self) -> &[Node] {
        self.components.in_order()
    }

    /// The entry points in their order, conditional ones included. One that ends before
    /// its name does is left out.
    pub fn entry_points(&self) -> &[EntryPoint<'a>] {
        &self.entry_points
    }

    /// The numbers of the entry points whose function this is.
    pub fn entry_points_of(&self, function: Node) -> &[u32] {
        self.entries_of.of(function)
    }

    /// Whether any entry point reaches a function.
    pub fn is_reached(&self, function: Node) -> bool {
        self.first_entry_point(function).is_some()
    }

    /// The number of the first entry point that reaches a function.
    pub fn first_entry_point(&self, function: Node) -> Option<u32> {
        let entry = self.reached_by.get(function as usize).copied();
        entry.filter(|&entry| entry != NONE)
    }

    /// A walk for questions about what is reached.
    pub fn walk(&self) -> Walk<'_> {
        Walk::new(&self.graph)
    }

    /// The functions that an entry point reaches, its own first; none, if it doesn't
    /// exist or has none. The walk must be this graph's.
    pub fn reached_from<'w>(&self, walk: &'w mut Walk<'_>, entry_point: u32) -> &'w [Node] {
        let root = self.roots.get(entry_point as usize).copied();
        walk.forwards(root.filter(|&root| root != NONE))
    }

    /// The numbers of the entry points that reach a function, in their order. The walk
    /// must be this graph's.
    pub fn entry_points_reaching(&self, walk: &mut Walk<'_>, function: Node) -> Vec<u32> {
        let callers = walk.backwards([function]).iter();
        let mut entries: Vec<u32> = callers
            .flat_map(|&caller| self.entry_points_of(caller))
            .copied()
            .collect();
        entries.sort_unstable();
        entries
    }
}

impl Graph {
    /// The calls of a module: an edge from each function to each that it calls.
    pub(crate) fn of_calls(index: &ModuleIndex<'_>) -> Self {
        let count = index.functions.len() as Node;
        let mut edges = Vec::new();
        // For each function which one last called it.
        let mut last = vec![NONE; index.functions.len()];
        for caller in 0..count {
            for callee in index.called_functions(caller) {
                if core::mem::replace(&mut last[callee as usize], caller) != caller {
                    edges.push((caller, callee));
                }
            }
        }
        Self::new(count, &edges)
    }
}

/// All entry points that have a name, in the order of the module.
fn entry_points<'a>(index: &ModuleIndex<'a>) -> Vec<EntryPoint<'a>> {
    let entries = index.entry_points.iter();
    let entries = entries.chain(&index.conditional_entry_points).copied();
    let entries = entries.filter(|entry| entry.literal_name().is_some());
    let mut entries: Vec<EntryPoint<'a>> = entries.collect();
    entries.sort_by_key(|entry| entry.inst.offset());
    entries
}

/// For each function the first entry point that reaches it, or [`NONE`]. What an
/// earlier one reaches is not walked again.
fn reached_by(graph: &Graph, entries: impl Iterator<Item = (Node, u32)>) -> Vec<u32> {
    let mut reached_by = vec![NONE; graph.len() as usize];
    let mut waiting = Vec::new();
    for (function, entry) in entries {
        waiting.push(function);
        while let Some(function) = waiting.pop() {
            let first = &mut reached_by[function as usize];
            if *first == NONE {
                *first = entry;
                waiting.extend_from_slice(graph.successors(function));
            }
        }
    }
    reached_by
}
