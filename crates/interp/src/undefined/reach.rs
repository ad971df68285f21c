//! What undefined values may reach, and what may reach a place where they are reported.
//!
//! Values are nodes of a graph, and memory is, too. A column that several instructions write is
//! one node; one that is shared by values of one stretch after the other is a node for each.

use super::effects::{Effects, may_be_inactive};
use super::{Home, Rule};
use crate::program::{Address, Inst, Object, ObjectKind, Program, Reg};

/// A value, or memory.
pub(super) type Node = u32;

/// From here on, nodes are hubs, as long as it isn't known how many others there are.
const HUBS: Node = 1 << 31;

/// What memory an access may be to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Memory {
    /// One object, or all at the same place.
    Known(Node),
    /// What a pointer leads to.
    Any(Node),
    /// Memory that all share, which isn't followed.
    Shared,
}

/// Which node each column is, from instruction to instruction.
pub(super) struct Naming {
    temporaries: u32,
    /// The nodes of the columns that are shared.
    current: Vec<Node>,
    next: Node,
}

impl Naming {
    pub(super) fn new(program: &Program) -> Self {
        Self {
            temporaries: program.temporaries,
            current: (0..program.temporaries).collect(),
            next: program.columns + program.objects.len() as Node + 1,
        }
    }

    pub(super) fn read(&self, column: Reg) -> Node {
        match column < self.temporaries {
            true => self.current[column as usize],
            false => column,
        }
    }

    pub(super) fn write(&mut self, column: Reg) -> Node {
        if column >= self.temporaries {
            return column;
        }
        self.current[column as usize] = self.next;
        self.next += 1;
        self.next - 1
    }
}

/// The graph of a program.
pub(super) struct Graph {
    edges: Vec<(Node, Node)>,
    nodes: u32,
    /// How many nodes stand for all that an instruction reads.
    hubs: u32,
    /// What is undefined whatever variables hold.
    sources: Vec<Node>,
    sinks: Vec<Node>,
    /// The first column, or the object of the first variable, of each place in memory.
    homes: Vec<Node>,
    any: Node,
    /// Whether memory is accessed through pointers that may lead anywhere.
    pub(super) uses_any: bool,
}

/// The nodes of objects: one for all variables of a workgroup that lie in the same place.
fn homes(program: &Program) -> Vec<Node> {
    let first = program.columns;
    let mut homes: Vec<Node> = (0..program.objects.len() as Node)
        .map(|object| first + object)
        .collect();
    let mut workgroup: Vec<(u32, u32, usize)> = Vec::new();
    for (object, info) in program.objects.iter().enumerate() {
        if let ObjectKind::Workgroup { start, size } = info.kind {
            workgroup.push((start, size, object));
        }
    }
    workgroup.sort_unstable();
    let mut group: Option<(u32, Node)> = None;
    for (start, size, object) in workgroup {
        let end = start + size;
        group = match group {
            Some((before, home)) if start < before => Some((before.max(end), home)),
            _ => Some((end, homes[object])),
        };
        if let Some((_, home)) = group {
            homes[object] = home;
        }
    }
    homes
}

impl Graph {
    pub(super) fn new(program: &Program, effects: &mut Effects) -> Self {
        let mut graph = Self {
            edges: Vec::new(),
            nodes: 0,
            hubs: 0,
            sources: program
                .undefined_values
                .iter()
                .map(|it| it.column)
                .collect(),
            sinks: Vec::new(),
            homes: homes(program),
            any: program.columns + program.objects.len() as Node,
            uses_any: false,
        };
        for &(to, from) in &program.moves {
            graph.edges.push((from, to));
        }
        let mut naming = Naming::new(program);
        for inst in &program.code {
            effects.of(program, inst);
            if let Inst::Special(index) = inst
                && let crate::special::Special::Copies(copies) = &program.specials[*index as usize]
            {
                let from = graph.memory(program, &copies.from);
                let to = graph.memory(program, &copies.to);
                if let (Some(from), Some(to)) = (from.node(), to.node()) {
                    graph.edges.push((from, to));
                }
            }
            for (rule, reads, writes) in effects.iter() {
                graph.add(program, &mut naming, (rule, reads, writes));
            }
        }
        if graph.uses_any {
            for (object, info) in program.objects.iter().enumerate() {
                if is_own(info.kind) {
                    let home = graph.homes[object];
                    graph.edges.push((home, graph.any));
                    graph.edges.push((graph.any, home));
                }
            }
        }
        graph.number_hubs(naming.next);
        graph
    }

    /// Gives hubs the numbers from this one on, which were not known before.
    fn number_hubs(&mut self, first: Node) {
        for (from, to) in &mut self.edges {
            for node in [from, to] {
                if *node >= HUBS {
                    *node = *node - HUBS + first;
                }
            }
        }
        self.nodes = first + self.hubs;
    }

    /// Adds edges from all of some nodes to all of others; where that would be many, by a node
    /// between them.
    fn connect(&mut self, from: &[Node], to: &[Node]) {
        if from.len().min(to.len()) <= 2 {
            let each = |&to| from.iter().map(move |&from| (from, to));
            return self.edges.extend(to.iter().flat_map(each));
        }
        let hub = HUBS + self.hubs;
        self.hubs += 1;
        self.edges.extend(from.iter().map(|&from| (from, hub)));
        self.edges.extend(to.iter().map(|&to| (hub, to)));
    }

    fn add(
        &mut self,
        program: &Program,
        naming: &mut Naming,
        (rule, reads, writes): (Rule, &[Reg], &[Reg]),
    ) {
        let reads: Vec<Node> = reads.iter().map(|&column| naming.read(column)).collect();
        let writes: Vec<Node> = writes.iter().map(|&column| naming.write(column)).collect();
        let (from, to) = match rule {
            Rule::Check(_) => return self.sinks.extend(reads),
            Rule::Same => return self.edges.extend(reads.into_iter().zip(writes)),
            Rule::Load(cell, _) => (self.memory(program, &cell.address).node(), None),
            Rule::Store(cell, _) => (None, self.memory(program, &cell.address).node()),
            Rule::Atomic(index) => {
                let address = &program.atomics[index as usize].address;
                let memory = self.memory(program, address).node();
                // Replacing what is undefined is reported.
                self.sinks.extend(memory);
                (memory, memory)
            }
            Rule::Group(index) if may_be_inactive(program.groups[index as usize].op) => {
                self.sources.extend(&writes);
                (None, None)
            }
            _ => (None, None),
        };
        // An atomic gives what is in memory, and not its operand.
        if !matches!(rule, Rule::Atomic(_)) {
            self.connect(&reads, &writes);
        }
        if let Some(from) = from {
            self.edges.extend(writes.iter().map(|&write| (from, write)));
        }
        if let Some(to) = to {
            self.edges.extend(reads.iter().map(|&read| (read, to)));
        }
    }

    /// The memory that an address is in.
    pub(super) fn memory(&mut self, program: &Program, address: &Address) -> Memory {
        let memory = self.memory_of(program, address);
        self.uses_any |= matches!(memory, Memory::Any(_));
        memory
    }

    pub(super) fn memory_of(&self, program: &Program, address: &Address) -> Memory {
        match address.object {
            Object::Column(_) => Memory::Any(self.any),
            Object::Known(object) => match program.objects.get(object as usize) {
                Some(info) if is_own(info.kind) => Memory::Known(self.homes[object as usize]),
                _ => Memory::Shared,
            },
        }
    }

    /// The node of an object.
    pub(super) fn object(&self, object: u32) -> Node {
        self.homes[object as usize]
    }

    /// The nodes from which a place that reports may be reached.
    pub(super) fn relevant(&self) -> Vec<bool> {
        self.reached(self.sinks.iter().copied(), |&(from, to)| (to, from))
    }

    /// The nodes that may be undefined, if these variables are.
    pub(super) fn undefined(&self, variables: &[&Home]) -> Vec<bool> {
        let of_variables = variables.iter().flat_map(|home| match home {
            Home::Columns(columns) => columns.clone(),
            Home::Object(object) => vec![self.object(*object)],
        });
        let sources = self.sources.iter().copied().chain(of_variables);
        self.reached(sources, |&edge| edge)
    }

    /// Whether any of these nodes is one that reports.
    pub(super) fn reports(&self, nodes: &[bool]) -> bool {
        self.sinks.iter().any(|&sink| nodes[sink as usize])
    }

    fn reached(
        &self,
        sources: impl Iterator<Item = Node>,
        direction: impl Fn(&(Node, Node)) -> (Node, Node),
    ) -> Vec<bool> {
        let mut starts = vec![0u32; self.nodes as usize + 2];
        for edge in &self.edges {
            starts[direction(edge).0 as usize + 2] += 1;
        }
        for node in 2..starts.len() {
            starts[node] += starts[node - 1];
        }
        let mut successors = vec![0; self.edges.len()];
        for edge in &self.edges {
            let (from, to) = direction(edge);
            let place = &mut starts[from as usize + 1];
            successors[*place as usize] = to;
            *place += 1;
        }
        let mut reached = vec![false; self.nodes as usize];
        let mut todo: Vec<Node> = sources.collect();
        while let Some(node) = todo.pop() {
            if std::mem::replace(&mut reached[node as usize], true) {
                continue;
            }
            let range = starts[node as usize] as usize..starts[node as usize + 1] as usize;
            todo.extend(&successors[range]);
        }
        reached
    }
}

impl Memory {
    pub(super) fn node(self) -> Option<Node> {
        match self {
            Self::Known(node) | Self::Any(node) => Some(node),
            Self::Shared => None,
        }
    }
}

/// Whether lanes or workgroups have an object of their own.
fn is_own(kind: ObjectKind) -> bool {
    matches!(kind, ObjectKind::Lane { .. } | ObjectKind::Workgroup { .. })
}
