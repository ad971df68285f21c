//! A module as a list of items to compare: its instructions, by section and function,
//! with every id known by the number of a node.
//!
//! Items stand in another order than in the module and may leave some out, and both sides'
//! nodes are compared by number: so what is asked of an id here, its item and its node, no
//! index of the module knows.

use std::ops::Range;

use spirvkit_binary::{HEADER_WORDS, Header, Id, IdMap, Instruction, Section};
use spirvkit_grammar::{Decoration, Op};
use spirvkit_ir::{Inst, Module};

use crate::Ignore;

/// What stands for nothing in tables of numbers.
pub(crate) const NONE: u32 = u32::MAX;

/// Marks a word of a [canonical form](Side::canonical) as standing for an id.
const IS_ID: u64 = 1 << 63;

/// An instruction as part of what is compared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub(crate) op: Op,
    /// Where its words begin and end.
    start: u32,
    end: u32,
    /// Where its operands that are ids begin and end, without the result.
    operands: (u32, u32),
    /// The node that it defines.
    pub(crate) result: u32,
    pub(crate) result_word: u32,
    /// For a line that tells where a declaration comes from: the declaration.
    pub(crate) about: u32,
    /// Whether it has words of which it is unknown whether they are ids.
    pub(crate) is_opaque: bool,
}

/// An operand that is an id.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand {
    pub(crate) word: u32,
    pub(crate) node: u32,
}

/// A run of items.
pub(crate) type Items = Range<u32>;

/// How the items of a group are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Their order carries nothing.
    Free,
    /// It does.
    Fixed,
}

/// The groups of items outside of functions, in the order in which they are shown.
pub(crate) const GROUPS: [(Section, Order); 14] = [
    (Section::Capabilities, Order::Free),
    (Section::Extensions, Order::Free),
    (Section::Imports, Order::Free),
    (Section::MemoryModel, Order::Free),
    (Section::AddressingMode, Order::Free),
    (Section::EntryPoints, Order::Free),
    (Section::ExecutionModes, Order::Free),
    // Strings.
    (Section::Sources, Order::Free),
    // Everything else there: what continues a source follows it.
    (Section::Sources, Order::Fixed),
    (Section::Names, Order::Free),
    (Section::Processed, Order::Fixed),
    (Section::Annotations, Order::Free),
    (Section::Types, Order::Free),
    // Graphs, and what is where it should not be.
    (Section::Graphs, Order::Fixed),
];

const STRINGS: usize = 7;
const SOURCES: usize = 8;
pub(crate) const NAMES: usize = 9;
pub(crate) const ANNOTATIONS: usize = 11;
const OTHERS: usize = 13;

/// A function's items.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    /// The item of its `OpFunction`.
    pub(crate) definition: u32,
    /// What is before the first label.
    pub(crate) head: Items,
    /// Its blocks, as indices of [`Side::blocks`].
    pub(crate) blocks: Range<u32>,
    /// What is behind the last block.
    pub(crate) tail: Items,
}

/// One of the two modules.
#[derive(Debug)]
pub(crate) struct Side {
    pub(crate) header: Header,
    /// A header and the words of all items in order: a module of its own, of which
    /// single instructions can be shown.
    pub(crate) words: Vec<u32>,
    pub(crate) items: Vec<Item>,
    operands: Vec<Operand>,
    /// By node: its id.
    pub(crate) ids: Vec<Id>,
    nodes: IdMap<u32>,
    /// By node: the first item that defines it.
    definitions: Vec<u32>,
    pub(crate) groups: Vec<Items>,
    pub(crate) functions: Vec<Function>,
    pub(crate) blocks: Vec<Items>,
    /// By block: the node of its label.
    pub(crate) labels: Vec<u32>,
    /// Items and nodes whose ids they may name in words that can't be decoded.
    opaque: Vec<(u32, u32)>,
}

impl Side {
    pub(crate) fn new(module: &Module, ignore: &Ignore) -> Self {
        let mut side = Self {
            header: *module.header(),
            words: vec![0; HEADER_WORDS],
            items: Vec::with_capacity(module.inst_count()),
            operands: Vec::with_capacity(module.word_count()),
            ids: Vec::new(),
            nodes: module.id_table(NONE),
            definitions: Vec::new(),
            groups: Vec::new(),
            functions: Vec::new(),
            blocks: Vec::new(),
            labels: Vec::new(),
            opaque: Vec::new(),
        };
        side.words.copy_from_slice(&side.header.to_words());
        side.read_globals(module, ignore);
        side.read_functions(module);
        side.read_opaque();
        side
    }

    fn read_globals(&mut self, module: &Module, ignore: &Ignore) {
        let mut groups: Vec<Vec<Inst>> = vec![Vec::new(); GROUPS.len()];
        let mut function_ended = false;
        for inst in module.instructions() {
            function_ended |= module.op(inst) == Op::Function;
            if module.function_of(inst).is_some() || module.is_place(inst) {
                continue;
            }
            let read = module.get(inst);
            if !ignore.leaves_out(&read) {
                groups[group_of(&read, function_ended)].push(inst);
            }
        }
        for group in groups {
            let start = self.items.len() as u32;
            for inst in group {
                let line = module.line(inst);
                if let Some(line) = line {
                    // The declaration comes next.
                    let about = self.items.len() as u32 + 1;
                    self.push(module, line, about);
                }
                self.push(module, inst, NONE);
            }
            self.groups.push(start..self.items.len() as u32);
        }
    }

    fn read_functions(&mut self, module: &Module) {
        let mut next = module.first();
        while let Some(inst) = next {
            next = module.next(inst);
            let function = module.function_of(inst);
            let Some(function) = function.filter(|_| module.op(inst) == Op::Function) else {
                continue;
            };
            let head = self.items.len() as u32;
            // The line in effect belongs to the function wherever it is given.
            for place in module.line(inst).into_iter().chain(module.scope(inst)) {
                self.push(module, place, NONE);
            }
            let insts: Vec<Inst> = module.function_instructions(function).collect();
            next = insts.last().and_then(|&last| module.next(last));
            self.read_function(module, &insts, head);
        }
    }

    fn read_function(&mut self, module: &Module, insts: &[Inst], head: u32) {
        let definition = self.items.len() as u32;
        let first_block = self.blocks.len() as u32;
        let mut start = head;
        let mut head_end = None;
        let mut ended = false;
        for &inst in insts {
            let op = module.op(inst);
            let at = self.items.len() as u32;
            // Lines before a label are the block's.
            let begins = match head_end {
                None => op == Op::Label,
                Some(_) => ended || op == Op::Label && !self.is_lines(start..at),
            };
            if begins || op == Op::FunctionEnd {
                match head_end {
                    None => head_end = Some(at),
                    Some(_) if at > start => self.blocks.push(start..at),
                    Some(_) => {}
                }
                start = at;
            }
            ended = op.is_terminator() && head_end.is_some();
            self.push(module, inst, NONE);
        }
        let end = self.items.len() as u32;
        let is_ended = insts
            .last()
            .is_some_and(|&last| module.op(last) == Op::FunctionEnd);
        let (head_end, tail) = match head_end {
            Some(head_end) if is_ended => (head_end, start..end),
            // In a broken module, the end may be missing.
            Some(head_end) => {
                self.blocks.push(start..end);
                (head_end, end..end)
            }
            None => (end, end..end),
        };
        let blocks = first_block..self.blocks.len() as u32;
        for block in blocks.clone() {
            let mut items = self.blocks[block as usize].clone();
            let label = items.find(|&item| self.item(item).op == Op::Label);
            let label = label.map_or(NONE, |label| self.item(label).result);
            self.labels.push(label);
        }
        self.functions.push(Function {
            definition,
            head: head..head_end,
            blocks,
            tail,
        });
    }

    /// Whether nothing but lines of source stands there.
    fn is_lines(&self, mut items: Items) -> bool {
        items.all(|item| self.item(item).op.is_line())
    }

    fn push(&mut self, module: &Module, inst: Inst, about: u32) {
        let read = module.get(inst);
        let index = self.items.len() as u32;
        let start = self.words.len() as u32;
        self.words.extend_from_slice(read.words());
        let first = self.operands.len() as u32;
        module.each_use(inst, |word, id| {
            let node = self.node(id);
            let word = word as u32;
            self.operands.push(Operand { word, node });
        });
        let result = read.result().map_or(NONE, |id| self.node(id));
        if result != NONE && self.definitions[result as usize] == NONE {
            self.definitions[result as usize] = index;
        }
        self.items.push(Item {
            op: read.op(),
            start,
            end: self.words.len() as u32,
            operands: (first, self.operands.len() as u32),
            result,
            result_word: 1 + u32::from(read.result_type().is_some()),
            about,
            is_opaque: module.is_opaque(inst),
        });
    }

    fn node(&mut self, id: Id) -> u32 {
        let slot = self.nodes.slot(id);
        if *slot == NONE {
            *slot = self.ids.len() as u32;
            self.ids.push(id);
            self.definitions.push(NONE);
        }
        *slot
    }

    /// Finds what opaque words may name: any id that the module defines.
    fn read_opaque(&mut self) {
        for (index, item) in (0..).zip(&self.items) {
            if !item.is_opaque {
                continue;
            }
            for &word in &self.words[item.start as usize + 1..item.end as usize] {
                let node = self.nodes.get(Id(word));
                if node != NONE && self.definitions[node as usize] != NONE {
                    self.opaque.push((index, node));
                }
            }
        }
    }

    /// The nodes that opaque words may name.
    pub(crate) fn opaque_nodes(&self) -> impl Iterator<Item = u32> + '_ {
        self.opaque.iter().map(|&(_, node)| node)
    }

    /// The node with this id.
    pub(crate) fn node_of(&self, id: Id) -> Option<u32> {
        Some(self.nodes.get(id)).filter(|&node| node != NONE)
    }

    pub(crate) fn item(&self, item: u32) -> &Item {
        &self.items[item as usize]
    }

    pub(crate) fn words(&self, item: u32) -> &[u32] {
        let item = self.item(item);
        &self.words[item.start as usize..item.end as usize]
    }

    /// Where an item's words stand in [`words`](Self::words).
    pub(crate) fn offset(&self, item: u32) -> usize {
        self.item(item).start as usize
    }

    /// An item's operands that are ids, without its result.
    pub(crate) fn operands(&self, item: u32) -> &[Operand] {
        let (start, end) = self.item(item).operands;
        &self.operands[start as usize..end as usize]
    }

    /// The item that defines a node.
    pub(crate) fn definition(&self, node: u32) -> Option<u32> {
        let definition = self.definitions.get(node as usize).copied();
        definition.filter(|&item| item != NONE)
    }

    /// The opcode that defines a node; `OpNop` if none does.
    pub(crate) fn op_of(&self, node: u32) -> Op {
        self.definition(node)
            .map_or(Op::Nop, |item| self.item(item).op)
    }

    /// The result type of the item that defines a node.
    pub(crate) fn type_of(&self, node: u32) -> Option<u32> {
        let definition = self.definition(node)?;
        if self.item(definition).result_word != 2 {
            return None;
        }
        self.operands(definition).first().map(|type_| type_.node)
    }

    /// Whether a node is defined in a function, the function itself not.
    pub(crate) fn is_local(&self, node: u32) -> bool {
        let first = self
            .functions
            .first()
            .map_or(NONE, |first| first.head.start);
        self.definition(node).is_some_and(|item| item >= first) && self.op_of(node) != Op::Function
    }

    /// The words of an item with `color` of each id in its place, and what carries
    /// nothing in a fixed order: two items say the same if their canonical forms are
    /// the same, as far as the colours tell ids apart. `result` tells whether the
    /// result counts.
    pub(crate) fn canonical(
        &self,
        index: u32,
        result: bool,
        color: impl Fn(u32) -> u64,
        out: &mut Vec<u64>,
    ) {
        let item = self.item(index);
        let color = |node: u32| IS_ID | color(node);
        out.clear();
        self.canonical_words(index, &color, out);
        if item.result != NONE && !result {
            out[item.result_word as usize] = IS_ID;
        }
        sort_free_operands(item.op, self.operands(index), out);
        if item.is_opaque {
            let start = self.opaque.partition_point(|&(other, _)| other < index);
            let own = self.opaque[start..].iter();
            let own = own.take_while(|&&(other, _)| other == index);
            out.extend(own.map(|&(_, node)| color(node)));
        }
        if item.about != NONE {
            let result = self.item(item.about).result;
            if result != NONE && self.definition(result) == Some(item.about) {
                out.push(color(result));
            } else {
                // In a broken module, something else may have that result.
                self.canonical_words(item.about, &color, out);
            }
        }
    }

    /// Appends the words of an item with the colours of ids.
    fn canonical_words(&self, index: u32, color: &impl Fn(u32) -> u64, out: &mut Vec<u64>) {
        let start = out.len();
        out.extend(self.words(index).iter().map(|&word| u64::from(word)));
        for operand in self.operands(index) {
            out[start + operand.word as usize] = color(operand.node);
        }
        let item = self.item(index);
        if item.result != NONE {
            out[start + item.result_word as usize] = color(item.result);
        }
    }

    /// All items of a function in the order of the module, or with its blocks in
    /// another.
    pub(crate) fn function_items(
        &self,
        function: &Function,
        blocks: impl Iterator<Item = u32>,
    ) -> Vec<u32> {
        let mut items: Vec<u32> = function.head.clone().collect();
        items.extend(blocks.flat_map(|block| self.blocks[block as usize].clone()));
        items.extend(function.tail.clone());
        items
    }
}

/// Puts operands whose order carries nothing into a fixed one: the variables of an
/// entry point's interface, the pairs of a phi, the cases of a switch (but for equal
/// literals), the targets of a group.
fn sort_free_operands(op: Op, operands: &[Operand], out: &mut [u64]) {
    let word = |index: usize| {
        operands
            .get(index)
            .map_or(usize::MAX, |it| it.word as usize)
    };
    let (start, size, key) = match op {
        Op::EntryPoint => (word(1), 1, 1),
        Op::Phi => (3, 2, 2),
        Op::GroupDecorate => (2, 1, 1),
        Op::GroupMemberDecorate => (2, 2, 2),
        // The first case's label follows its literal.
        Op::Switch => match word(2) {
            usize::MAX => return,
            label => (3, label - 2, label - 3),
        },
        _ => return,
    };
    let Some(free) = out.get_mut(start..) else {
        return;
    };
    if free.len() < 2 * size || free.len() % size != 0 {
        return;
    }
    if size == 1 {
        return free.sort_unstable();
    }
    let mut chunks: Vec<Vec<u64>> = free.chunks_exact(size).map(<[u64]>::to_vec).collect();
    chunks.sort_by(|a, b| a[..key].cmp(&b[..key]));
    for (place, chunk) in free.chunks_exact_mut(size).zip(chunks) {
        place.copy_from_slice(&chunk);
    }
}

fn group_of(inst: &Instruction<'_>, function_ended: bool) -> usize {
    let section = inst.info().and_then(|info| Section::of(inst.op(), info));
    match section {
        _ if function_ended => OTHERS,
        Some(Section::Sources) if inst.op() == Op::String => STRINGS,
        Some(Section::Sources) => SOURCES,
        Some(section) => {
            let mut groups = GROUPS.iter();
            let found = groups.position(|(other, _)| *other == section);
            found.unwrap_or(OTHERS)
        }
        None => OTHERS,
    }
}

impl Ignore {
    fn leaves_out(&self, inst: &Instruction<'_>) -> bool {
        let words = inst.words();
        let decoration = match inst.op() {
            Op::Decorate => words.get(2),
            Op::MemberDecorate => words.get(3),
            _ => None,
        };
        match decoration.map(|&decoration| Decoration(decoration)) {
            Some(Decoration::DescriptorSet | Decoration::Binding) => self.set_binding,
            Some(Decoration::Location | Decoration::Component | Decoration::Index) => self.location,
            _ => false,
        }
    }
}
