//! What is the same at module scope: types, constants, strings and imports of
//! instruction sets are nodes of a graph, labelled with all of their words that are no
//! ids and with their decorations; their edges lead to what they name.

use std::collections::HashMap;
use std::hash::Hash;

use spirvkit_binary::{Id, Section};
use spirvkit_grammar::{Decoration, Op, StorageClass};
use spirvkit_ir::Inst;

use super::partition::{Edges, classes};
use super::program::{Part, Program};

/// The nodes of a [`Program`] as a graph.
pub(super) struct Graph {
    /// By node: what it is by itself. Nodes that are never the same as another have
    /// a label that no other has.
    labels: Vec<u32>,
    pub(super) edges: Edges,
    /// By node: which names it and its members have, for structures; 0 without any.
    names: Vec<u32>,
    /// Of all nodes, sorted by them.
    decorations: Vec<Attribute>,
}

/// Gives equal things equal numbers.
struct Numbers<T> {
    known: HashMap<T, u32>,
    next: u32,
}

impl<T: Hash + Eq> Numbers<T> {
    fn new() -> Self {
        Self {
            known: HashMap::new(),
            next: 0,
        }
    }

    fn number(&mut self, of: T) -> u32 {
        let next = &mut self.next;
        *self.known.entry(of).or_insert_with(|| {
            *next += 1;
            *next - 1
        })
    }

    fn unique(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }
}

/// A decoration or a name as part of its target.
struct Attribute {
    target: u32,
    /// The words of the instruction, with zeros for ids.
    words: Vec<u32>,
    /// The nodes that it names besides its target.
    ids: Vec<u32>,
}

impl Graph {
    pub(super) fn new(program: &Program<'_>) -> Self {
        let mut decorations = attributes(program, Section::Annotations);
        decorations.dedup_by(|a, b| (a.target, &a.words, &a.ids) == (b.target, &b.words, &b.ids));
        let mut graph = Self {
            labels: Vec::with_capacity(program.node_count()),
            edges: Edges::default(),
            names: names(program),
            decorations: Vec::new(),
        };
        let mut numbers = Numbers::new();
        let mut rest = &decorations[..];
        for node in 0..program.node_count() as u32 {
            let count = rest.iter().take_while(|it| it.target == node).count();
            let (own, others) = rest.split_at(count);
            rest = others;
            graph.add(program, node, own, &mut numbers);
        }
        graph.decorations = decorations;
        graph
    }

    fn add(
        &mut self,
        program: &Program<'_>,
        node: u32,
        decorations: &[Attribute],
        numbers: &mut Numbers<Vec<u32>>,
    ) {
        let Some((part, inst)) = program.at(node) else {
            return;
        };
        let mut words = Vec::new();
        let mut edges = Vec::new();
        let is_known = read(part, inst, &mut words, &mut edges);
        for decoration in decorations {
            words.extend_from_slice(&decoration.words);
            edges.extend_from_slice(&decoration.ids);
        }
        let is_shared = is_shared(part.module.op(inst)) || is_builtin(&words, decorations);
        let label = match is_known && is_shared {
            true => numbers.number(words),
            false => numbers.unique(),
        };
        self.labels.push(label);
        self.edges.push(edges);
    }

    /// The class of each node, whatever the names of structures.
    pub(super) fn structure(&self) -> Vec<u32> {
        classes(&self.labels, &self.edges)
    }

    /// The words of each `OpDecorate` of a node behind its target.
    pub(super) fn decorations(&self, node: u32) -> impl Iterator<Item = &[u32]> {
        let start = self.decorations.partition_point(|it| it.target < node);
        let own = self.decorations.iter().skip(start);
        own.take_while(move |it| it.target == node)
            .filter(|it| Op(it.words[0] as u16) == Op::Decorate)
            .filter_map(|it| it.words.get(2..).filter(|words| !words.is_empty()))
    }

    /// What a node is by itself.
    pub(super) fn label(&self, node: u32) -> u32 {
        self.labels.get(node as usize).copied().unwrap_or_default()
    }

    /// The class of each node if structures are the same only with the same names, but
    /// those in one of these sets have the names of the first in it.
    pub(super) fn by_name(&self, sets: &mut Sets) -> Vec<u32> {
        let mut numbers = Numbers::new();
        let labels: Vec<u32> = (0..self.labels.len() as u32)
            .map(|node| {
                let names = self.names.get(sets.find(node) as usize).copied();
                numbers.number((self.label(node), names.unwrap_or_default()))
            })
            .collect();
        classes(&labels, &self.edges)
    }
}

/// Reads an instruction's words with zeros for ids, and the nodes that the ids stand
/// for, without the result. Tells whether all ids stand for nodes.
fn read(part: &Part<'_>, inst: Inst, words: &mut Vec<u32>, nodes: &mut Vec<u32>) -> bool {
    let start = words.len();
    let read = part.module.get(inst);
    words.extend_from_slice(read.words());
    let mut is_known = true;
    part.module.each_use(inst, |word, id| {
        words[start + word] = 0;
        match part.node(id) {
            Some(node) => nodes.push(node),
            None => is_known = false,
        }
    });
    if read.result().is_some() {
        words[start + 1 + usize::from(read.result_type().is_some())] = 0;
    }
    is_known
}

/// Whether two instructions with this opcode and the same operands may be made one.
fn is_shared(op: Op) -> bool {
    match op {
        Op::ExtInstImport | Op::String | Op::DecorationGroup | Op::Undef => true,
        // Each is an object of its own.
        Op::ConstantPipeStorage => false,
        _ => op.is_constant() || op.is_type(),
    }
}

/// Whether these are the words of a variable that stands for a built-in value, and
/// nothing else: all entry points may share it.
fn is_builtin(words: &[u32], decorations: &[Attribute]) -> bool {
    let &[first, _, _, class] = words.get(..4).unwrap_or_default() else {
        return false;
    };
    let has = |wanted: Decoration| {
        let is_wanted = |it: &Attribute| {
            Op(it.words[0] as u16) == Op::Decorate && it.words.get(2) == Some(&wanted.0)
        };
        decorations.iter().any(is_wanted)
    };
    first == 4 << 16 | u32::from(Op::Variable.0)
        && matches!(
            StorageClass(class),
            StorageClass::Input | StorageClass::Output
        )
        && has(Decoration::BuiltIn)
        && !has(Decoration::LinkageAttributes)
}

/// The decorations or the names of all nodes, by node and in an order that depends on
/// nothing but themselves.
fn attributes(program: &Program<'_>, section: Section) -> Vec<Attribute> {
    let mut all = Vec::new();
    for part in &program.parts {
        for &inst in part.section(section) {
            each_target(part, inst, |target, member| {
                let Some(target) = part.node(target) else {
                    return;
                };
                let mut words = Vec::new();
                let mut ids = Vec::new();
                if let Some((group, member)) = member {
                    words.extend([part.module.get(inst).words()[0] & 0xffff, member]);
                    ids.extend(part.node(group));
                } else {
                    read(part, inst, &mut words, &mut ids);
                    ids.remove(0);
                }
                all.push(Attribute { target, words, ids });
            });
        }
    }
    all.sort_by(|a, b| (a.target, &a.words).cmp(&(b.target, &b.words)));
    all
}

/// Calls `each` with everything that a decoration or name is for, and for those in
/// groups with the group and the member, which is 0 without one.
pub(super) fn each_target(
    part: &Part<'_>,
    inst: Inst,
    mut each: impl FnMut(Id, Option<(Id, u32)>),
) {
    let words = part.module.get(inst).operand_words();
    match (part.module.op(inst), words) {
        (Op::GroupDecorate, &[group, ref targets @ ..]) => {
            for &target in targets {
                each(Id(target), Some((Id(group), 0)));
            }
        }
        (Op::GroupMemberDecorate, &[group, ref targets @ ..]) => {
            for pair in targets.chunks_exact(2) {
                each(Id(pair[0]), Some((Id(group), pair[1])));
            }
        }
        (op, &[target, ..]) if has_target(op) => each(Id(target), None),
        _ => {}
    }
}

/// Whether the first operand is what the instruction decorates or names.
pub(super) fn has_target(op: Op) -> bool {
    op.is_decorate() || op.is_member_decorate() || op.is_name()
}

/// The number of the names of each structure and its members; 0 for everything else.
fn names(program: &Program<'_>) -> Vec<u32> {
    let mut numbers = Numbers::new();
    let mut names = vec![0; program.node_count()];
    numbers.number(Vec::new());
    let all = attributes(program, Section::Names);
    for own in all.chunk_by(|a, b| a.target == b.target) {
        let node = own[0].target;
        if program.op(node) == Op::TypeStruct {
            let words = own.iter().flat_map(|it| it.words.iter().copied());
            names[node as usize] = numbers.number(words.collect());
        }
    }
    names
}

/// Sets of nodes that have to become one, in which the lowest number stands for all.
pub(super) struct Sets {
    parents: Vec<u32>,
}

impl Sets {
    pub(super) fn new(count: usize) -> Self {
        Self {
            parents: (0..count as u32).collect(),
        }
    }

    pub(super) fn find(&mut self, node: u32) -> u32 {
        let mut at = node;
        while let Some(&parent) = self.parents.get(at as usize)
            && parent != at
        {
            let above = self.parents[parent as usize];
            self.parents[at as usize] = above;
            at = above;
        }
        at
    }

    /// Puts two nodes of the same structure into one set, and all that they name.
    pub(super) fn unify(&mut self, graph: &Graph, a: u32, b: u32) {
        let mut pairs = vec![(a, b)];
        while let Some((a, b)) = pairs.pop() {
            let (first, second) = (self.find(a), self.find(b));
            if first == second {
                continue;
            }
            let (low, high) = (first.min(second), first.max(second));
            self.parents[high as usize] = low;
            pairs
                .extend((graph.edges.of(a).iter().copied()).zip(graph.edges.of(b).iter().copied()));
        }
    }
}

/// Whether a node makes something that stands among the types, and can be moved there.
pub(super) fn is_global(op: Op) -> bool {
    op.is_variable()
        || op
            .info()
            .and_then(|info| Section::of(op, info))
            .is_some_and(|section| section == Section::Types)
}
