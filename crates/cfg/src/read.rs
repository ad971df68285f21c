//! From words to what there is to draw.

use std::cell::RefCell;

use spirvkit_analysis::control_flow::{self, HeaderKind};
use spirvkit_analysis::{CallGraph, Constructs, ControlFlow, ModuleIndex, Node};
use spirvkit_binary::{Definition, Error, Id, Import, Instruction, Module};
use spirvkit_grammar::Op;
use spirvkit_text::{IdNames, ListedLine, named_listing};

use crate::edges::Meanings;
use crate::model::{Block, Function, Line, Program};
use crate::regions::{Regions, entitle};

impl Program {
    /// Reads the functions of a module, given as words in host order.
    ///
    /// # Errors
    ///
    /// If the header can't be read, or the words of the instructions don't add up.
    pub fn new(words: &[u32]) -> Result<Self, Error> {
        Self::named(words, &IdNames::new(words))
    }

    /// The same with ids called otherwise than by the disassembler.
    ///
    /// # Errors
    ///
    /// As [`Program::new`].
    pub fn named(words: &[u32], names: &IdNames<'_>) -> Result<Self, Error> {
        let module = Module::new(words)?;
        let instructions = module.instructions().collect::<Result<Vec<_>, _>>()?;
        let index = ModuleIndex::new(words)?;
        let mut is_inside = false;
        let lines = named_listing(words, names, |instruction| {
            is_inside |= instruction.op() == Op::Function;
            let wanted = is_inside;
            is_inside &= instruction.op() != Op::FunctionEnd;
            wanted
        });
        let reader = Reader {
            calls: CallGraph::new(&index),
            instructions: &instructions,
            index: &index,
            lines: RefCell::new(lines),
        };
        let flows = control_flow::functions(instructions.iter().copied(), &index.definitions);
        let bodies = flows.filter(|flow| !flow.blocks().is_empty());
        Ok(Self {
            functions: bodies.map(|flow| reader.function(&flow)).collect(),
        })
    }

    /// Takes out debugging instructions. The lines of the shader's text stay.
    pub fn remove_debug(&mut self) {
        for function in &mut self.functions {
            let blocks = function.blocks.iter_mut().map(|block| &mut block.lines);
            for lines in blocks.chain([&mut function.head]) {
                let mut source = None;
                for line in lines.iter_mut() {
                    source = line.source.take().or(source);
                    if !line.is_debug {
                        line.source = source.take();
                    }
                }
                lines.retain(|line| !line.is_debug);
            }
        }
    }

    /// The functions that a person may mean: the one with this id (`%12`, `12`), or
    /// those with this name (`%main`, `main`), be it the disassembler's or that of an
    /// entry point.
    pub fn find(&self, name: &str) -> Vec<usize> {
        let plain = name.strip_prefix('%').unwrap_or(name);
        let id = plain.parse().ok().map(Id);
        let quoted = format!(" \"{name}\"");
        let is_meant = |function: &Function| {
            Some(function.id) == id
                || function.name.strip_prefix('%') == Some(plain)
                || function.entry_points.iter().any(|it| it.ends_with(&quoted))
        };
        let all = self.functions.iter().enumerate();
        let found = all.filter(|(_, function)| is_meant(function));
        found.map(|(index, _)| index).collect()
    }
}

struct Reader<'m> {
    calls: CallGraph<'m>,
    instructions: &'m [Instruction<'m>],
    index: &'m ModuleIndex<'m>,
    /// Each is taken where it belongs.
    lines: RefCell<Vec<ListedLine>>,
}

impl Reader<'_> {
    fn function(&self, flow: &ControlFlow) -> Function {
        let constructs = Constructs::of(flow);
        let mut regions = Regions::of(flow, &constructs);
        let meanings = Meanings::of(flow, &constructs);
        let places = flow.instructions();
        let first = flow.block(0).map_or(places.end, |it| it.instructions.start);
        let head = self.lines(places.start..first);
        let id = flow.function().unwrap_or(Id(0));
        let mut edges = Vec::new();
        let mut blocks = Vec::with_capacity(flow.blocks().len());
        for (node, block) in (0..).zip(flow.blocks()) {
            let mut lines = self.lines(block.instructions.clone());
            let label = match lines.is_empty() {
                true => None,
                false => Some(lines.remove(0)),
            };
            let last = block.instructions.end.saturating_sub(1) as usize;
            if let Some(terminator) = self.instructions.get(last) {
                meanings.edges(node, terminator, &self.index.definitions, &mut edges);
            }
            blocks.push(Block {
                label: block.label,
                name: name(label.as_ref(), block.label),
                lines,
                is_reachable: flow.order().is_reachable(node),
                region: regions.innermost.get(node as usize).copied().flatten(),
            });
        }
        entitle(&mut regions.all, &blocks, &edges);
        Function {
            id,
            name: name(head.first(), id),
            entry_points: self.entry_points(id),
            head,
            order: order(&constructs, blocks.len() as Node),
            declared: declared(flow),
            blocks,
            edges,
            regions: regions.all,
        }
    }

    /// The lines at places of the module.
    fn lines(&self, places: std::ops::Range<u32>) -> Vec<Line> {
        let mut all = self.lines.borrow_mut();
        let place_of = |place: u32| all.partition_point(|line| line.place < place);
        let range = place_of(places.start)..place_of(places.end);
        let lines = all.get_mut(range).unwrap_or_default().iter_mut();
        lines
            .map(|line| Line {
                text: std::mem::take(&mut line.text),
                source: line.source.take(),
                is_debug: self.is_debug(line.place),
            })
            .collect()
    }

    /// Whether an instruction only describes the source.
    fn is_debug(&self, place: u32) -> bool {
        let Some(instruction) = self.instructions.get(place as usize) else {
            return false;
        };
        match (instruction.op(), instruction.operand_words()) {
            (op, _) if op.is_line() => true,
            (op, &[_, _, set, ..]) if op.is_ext_inst() => match self.index.definitions.get(Id(set))
            {
                Definition::Import(Import::Known(set)) => set.is_debug_info(),
                _ => false,
            },
            _ => false,
        }
    }

    fn entry_points(&self, function: Id) -> Vec<String> {
        let Some(node) = self.index.function_index(function) else {
            return Vec::new();
        };
        let all = self.calls.entry_points();
        let own = self.calls.entry_points_of(node).iter();
        own.filter_map(|&index| all.get(index as usize))
            .map(|it| format!("{} \"{}\"", it.model, it.name()))
            .collect()
    }
}

/// What the disassembler calls the result of an instruction, or else its number.
fn name(line: Option<&Line>, id: Id) -> String {
    let result = line.and_then(|line| line.text.split_once(" = "));
    match result {
        Some((name, _)) if name.starts_with('%') => name.to_owned(),
        _ => id.to_string(),
    }
}

/// All blocks: those that can be reached, if only along the structure, in the order
/// in which they can be written, and then the others.
fn order(constructs: &Constructs, nodes: Node) -> Vec<Node> {
    let order = constructs.order();
    let others = (0..nodes).filter(|&node| !order.is_reachable(node));
    let reachable = order.post_order().iter().rev().copied();
    reachable.chain(others).collect()
}

/// What headers declare without leading there.
fn declared(flow: &ControlFlow) -> Vec<(Node, Node)> {
    let mut declared = Vec::new();
    for header in flow.headers() {
        let targets = match header.kind {
            HeaderKind::Loop { continue_target } => [Some(header.merge), Some(continue_target)],
            _ => [Some(header.merge), None],
        };
        declared.extend(targets.into_iter().flatten().map(|to| (header.node, to)));
    }
    declared.retain(|&(from, to)| from != to);
    declared
}
