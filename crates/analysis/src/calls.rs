//! Which functions call which, and which entry points reach them.
//!
//! Functions are numbered in the order of the module, so a function's number is its
//! [`Node`] in the [graph](CallGraph::graph) of calls. A call is an
//! `OpFunctionCall`. Some extensions and kernels hand functions to other
//! instructions; who else names a function is a question for its
//! [uses](crate::uses).
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
//! use spirvkit_analysis::calls::CallGraph;
//! use spirvkit_binary::Module;
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
//! let module = Module::new(&assembled.words)?;
//! let calls = CallGraph::new(module.instructions().map_while(Result::ok));
//! let entry = &calls.entry_points()[0];
//! assert_eq!(entry.model, ExecutionModel::Fragment);
//! let main = calls.function(entry.function).unwrap();
//! assert_eq!(calls.graph().successors(main), [2]);
//! assert_eq!(calls.walk().forwards([main]), [1, 2]);
//! assert!(calls.is_reached(2) && !calls.is_reached(0));
//! assert!(!calls.is_recursive(main));
//! # Ok::<(), spirvkit_binary::Error>(())
//! ```

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use spirvkit_binary::{Id, IdMap, Instruction, LiteralString};
use spirvkit_grammar::{ExecutionModel, Op, OperandKind};

use crate::lists::Lists;
use crate::{Components, Graph, NONE, Node, Walk};

/// A function: a definition or a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Function {
    /// The result of its `OpFunction`.
    pub id: Id,
    /// Its instructions, `OpFunction` and `OpFunctionEnd` among them: their places in
    /// what the graph was made from, counted from 0.
    pub instructions: Range<u32>,
    /// Whether it has no block: its body is in another module.
    pub is_declaration: bool,
}

/// A call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Call {
    /// The place of the `OpFunctionCall`.
    pub instruction: u32,
    /// The function that is called.
    pub callee: Node,
}

/// An entry point (specification, section 2.2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EntryPoint<'a> {
    /// The place of the instruction that declares it.
    pub instruction: u32,
    /// Its execution model.
    pub model: ExecutionModel,
    /// The id that it gives as its function, whether or not there is such a function.
    pub function: Id,
    /// Its name.
    pub name: LiteralString<'a>,
    /// The ids of its interface.
    pub interface: &'a [u32],
}

/// The functions, calls and entry points of a module. The module's documentation
/// says what becomes of a broken one.
#[derive(Clone, Debug)]
pub struct CallGraph<'a> {
    functions: Vec<Function>,
    /// By id, or [`NONE`].
    nodes: IdMap<Node>,
    calls: Lists<Call>,
    graph: Graph,
    components: Components,
    entry_points: Vec<EntryPoint<'a>>,
    /// For each function the entry points that give it as theirs.
    entries_of: Lists<u32>,
    /// For each function the first entry point that reaches it, or [`NONE`].
    reached_by: Vec<u32>,
}

impl<'a> CallGraph<'a> {
    /// Looks through a module's instructions.
    pub fn new(instructions: impl IntoIterator<Item = Instruction<'a>>) -> CallGraph<'a> {
        let mut builder = Builder::default();
        for instruction in instructions {
            builder.add(&instruction);
        }
        builder.finish()
    }

    /// The functions in their order.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// The number of the function with this id.
    pub fn function(&self, id: Id) -> Option<Node> {
        Some(self.nodes.get(id)).filter(|&node| node != NONE)
    }

    /// The calls in a function, in their order.
    pub fn calls(&self, function: Node) -> &[Call] {
        self.calls.of(function)
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

    /// The entry points in their order.
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
        let entry = self.entry_points.get(entry_point as usize);
        walk.forwards(entry.and_then(|entry| self.function(entry.function)))
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

/// Takes the instructions of a module one by one.
#[derive(Default)]
struct Builder<'a> {
    /// The place of the next instruction.
    next: u32,
    words: usize,
    functions: Vec<Function>,
    /// Whether the last function has not ended.
    is_open: bool,
    /// Who calls what, and where.
    calls: Vec<(Node, Id, u32)>,
    entry_points: Vec<EntryPoint<'a>>,
}

impl<'a> Builder<'a> {
    fn add(&mut self, instruction: &Instruction<'a>) {
        let place = self.next;
        self.next = place.saturating_add(1);
        self.words += instruction.words().len();
        match instruction.op() {
            op if op.is_entry_point() => {
                self.entry_points.extend(entry_point(instruction, place));
            }
            Op::Function => {
                self.is_open = true;
                self.functions.push(Function {
                    id: instruction.result().unwrap_or(Id(0)),
                    instructions: place..place,
                    is_declaration: true,
                });
            }
            _ => {}
        }
        let caller = (self.functions.len() as Node).wrapping_sub(1);
        let Some(function) = self.functions.last_mut().filter(|_| self.is_open) else {
            return;
        };
        function.instructions.end = self.next;
        match instruction.op() {
            Op::Label => function.is_declaration = false,
            Op::FunctionEnd => self.is_open = false,
            Op::FunctionCall => {
                let callee = instruction.words().get(3).map(|&id| Id(id));
                self.calls
                    .extend(callee.map(|callee| (caller, callee, place)));
            }
            _ => {}
        }
    }

    fn finish(self) -> CallGraph<'a> {
        let count = self.functions.len() as u32;
        let mut nodes = IdMap::new(NONE, self.words);
        for (node, function) in self.functions.iter().enumerate() {
            let slot = nodes.slot(function.id);
            if *slot == NONE {
                *slot = node as Node;
            }
        }
        let node = |id| Some(nodes.get(id)).filter(|&node| node != NONE);
        let calls = self
            .calls
            .iter()
            .filter_map(|&(caller, callee, instruction)| {
                let callee = node(callee)?;
                Some((
                    caller,
                    Call {
                        instruction,
                        callee,
                    },
                ))
            });
        let calls = Lists::new(count, calls);
        let mut edges = Vec::with_capacity(calls.item_count());
        // For each function which one last called it.
        let mut last = vec![NONE; self.functions.len()];
        for caller in 0..count {
            for call in calls.of(caller) {
                if core::mem::replace(&mut last[call.callee as usize], caller) != caller {
                    edges.push((caller, call.callee));
                }
            }
        }
        let graph = Graph::new(count, &edges);
        let entries = self.entry_points.iter().enumerate();
        let entries =
            entries.filter_map(|(index, entry)| Some((node(entry.function)?, index as u32)));
        CallGraph {
            reached_by: reached_by(&graph, entries.clone()),
            entries_of: Lists::new(count, entries),
            components: Components::new(&graph),
            functions: self.functions,
            nodes,
            calls,
            graph,
            entry_points: self.entry_points,
        }
    }
}

/// Reads an entry point, unless it lacks operands. The model may be any: no operand
/// depends on it.
fn entry_point<'a>(instruction: &Instruction<'a>, place: u32) -> Option<EntryPoint<'a>> {
    let mut operands = instruction.info()?.operands().iter();
    // Only ids can stand before it.
    let model = operands.position(|operand| operand.kind() == OperandKind::ExecutionModel)?;
    let (&[model, function], rest) = instruction
        .operand_words()
        .get(model..)?
        .split_first_chunk()?;
    let name = LiteralString::at_start_of(rest)?;
    Some(EntryPoint {
        instruction: place,
        model: ExecutionModel(model),
        function: Id(function),
        name,
        interface: rest.get(name.words().len()..).unwrap_or_default(),
    })
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
