//! Where the code of functions is: the instances of their scopes, and the functions that
//! were inlined into them.

use std::collections::HashMap;
use std::ops::Range;

use gimli::constants::*;
use gimli::write::{AttributeValue, Expression};
use spirvkit_binary::{Id, WordOffset};

use super::functions::Plan;
use super::lines::Row;
use super::locations::Held;
use super::nodes::{DieNodeId, MAX_DEPTH};
use super::units::{Die, Writer};
use crate::{Entry, Field, Function, Kind, Position};

/// A scope of a function at the place where it is, which is another one wherever the
/// function was inlined.
type Key = (DieNodeId, u32);

/// The instances of scopes in the code of a function. The first is the function.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    numbers: HashMap<Key, usize>,
    /// Whether one DIE says what the function is and where its code is.
    is_one: bool,
    /// The function.
    node: Option<DieNodeId>,
}

#[derive(Debug)]
struct Node {
    parent: usize,
    /// The scope that it is an instance of, and the `DebugInlinedAt` of the instance.
    key: Option<Key>,
    die: Die,
    depth: u32,
    ranges: Vec<Range<u64>>,
}

const ROOT: usize = 0;

/// What a range of addresses takes: in the scope, in its list and in the section.
const RANGE: u64 = 96;

impl Tree {
    /// The instance of a scope that there is code of, or that has no other instance.
    pub(super) fn node(&self, scope: DieNodeId, inlined_at: u32) -> Option<usize> {
        if Some(scope) == self.node && inlined_at == 0 {
            return Some(ROOT);
        }
        let number = self.numbers.get(&(scope, inlined_at)).copied();
        number.filter(|&number| self.nodes[number].key == Some((scope, inlined_at)))
    }

    /// Whether an instance is what is declared of the scope, too.
    pub(super) fn is_declared(&self, node: usize) -> bool {
        let key = self.nodes.get(node).and_then(|node| node.key);
        self.is_one && key.is_none_or(|(_, inlined_at)| inlined_at == 0)
    }

    pub(super) fn die(&self, node: usize) -> Die {
        self.nodes[node].die
    }

    /// From the first to the last address of an instance, if there is code of it.
    pub(super) fn extent(&self, node: usize) -> Option<Range<u64>> {
        let ranges = &self.nodes[node].ranges;
        Some(ranges.first()?.start..ranges.last()?.end)
    }

    /// Whether all of an instance is in a range.
    pub(super) fn is_within(&self, node: usize, range: &Range<u64>) -> bool {
        let extent = self.extent(node);
        extent.is_none_or(|extent| range.start <= extent.start && extent.end <= range.end)
    }
}

/// A run of code that comes of one line and scope.
#[derive(Debug)]
struct Piece {
    range: Range<u64>,
    /// Where its instructions start, in words.
    offset: usize,
    /// The instance of a scope that it is in.
    node: usize,
}

impl<'w> Writer<'w> {
    /// Tells of all functions where their code is.
    pub(super) fn locate(&mut self) {
        let info = self.info;
        let bindings = |entry: &Entry<'_>| matches!(entry.kind(), Kind::Declare | Kind::Value);
        let bindings: Vec<Entry<'w>> = info.entries().filter(bindings).collect();
        for (index, function) in info.functions().iter().enumerate() {
            let start = bindings.partition_point(|entry| entry.offset().0 < function.words.start);
            let end = bindings.partition_point(|entry| entry.offset().0 < function.words.end);
            let of_function = bindings.get(start..end).unwrap_or_default();
            self.locate_function(index, function, of_function);
        }
    }

    fn locate_function(&mut self, index: usize, function: &'w Function, bindings: &[Entry<'w>]) {
        let described = self.info.description(function);
        let node = described.and_then(|described| self.function_node(described));
        let has_body = !self.info.blocks(function).0.is_empty();
        let plan = node.and_then(|node| self.plans.get(&node)).copied();
        let plan = plan.unwrap_or_default();
        let die = self.function_die(function, node, &plan);
        if !has_body {
            if node.is_none() {
                self.set_flag(die, DW_AT_declaration);
            }
            return;
        }
        // The same function can't be defined twice.
        if plan.is_one() && plan.body.is_some_and(|body| body != index) {
            return;
        }
        let mut pieces = self.pieces(function);
        let mut tree = Tree {
            nodes: vec![Node {
                parent: ROOT,
                key: None,
                die,
                depth: 0,
                ranges: Vec::new(),
            }],
            numbers: HashMap::new(),
            is_one: node.is_some() && plan.is_one(),
            node,
        };
        for piece in &mut pieces {
            piece.node = match self.room.is_spent() {
                true => ROOT,
                false => self.instance_at(piece.offset, &mut tree),
            };
            // Where there is no room for the last, there is none for more.
            let added = include(&mut tree, piece.node, &piece.range);
            let _ = self.room.take(RANGE * added);
        }
        let rows = self.rows(function, described, &pieces);
        self.add_rows(die.unit, &rows);
        let ranges = tree.nodes[ROOT].ranges.clone();
        self.units[die.unit].ranges.extend(ranges);
        for node in &tree.nodes {
            self.set_ranges(node.die, &node.ranges);
        }
        if let Some(base) = self.map.frame_base(function.id) {
            let mut out = Expression::new();
            let held = Held::Place(function.id, base);
            if self
                .write_location(&mut out, held, &[], false, None)
                .is_some()
            {
                self.set(die, DW_AT_frame_base, AttributeValue::Exprloc(out));
            }
        }
        self.add_locations(function, bindings, &tree);
    }

    /// The DIE that has the code of a function.
    fn function_die(&mut self, function: &Function, node: Option<DieNodeId>, plan: &Plan) -> Die {
        let Some(node) = node else {
            let root = self.root(0);
            let die = self.add(root, DW_TAG_subprogram);
            self.set_symbol(die, function.id);
            if self.symbols.is_external(function.id) {
                self.set_flag(die, DW_AT_external);
            }
            return die;
        };
        let declared = self.nodes[node].die;
        if plan.is_one() {
            return declared;
        }
        let root = self.root(declared.unit);
        let die = self.add(root, DW_TAG_subprogram);
        self.refer(die, DW_AT_abstract_origin, declared);
        die
    }

    /// The code of a function in runs, in the order of addresses and without
    /// overlaps.
    fn pieces(&self, function: &Function) -> Vec<Piece> {
        let words = &function.words;
        let changes = &self.info.changes;
        let first = changes.partition_point(|change| change.offset as usize <= words.start);
        let inside = changes.get(first..).unwrap_or_default().iter();
        let cuts = inside.map(|change| change.offset as usize);
        let mut starts = vec![words.start];
        starts.extend(cuts.take_while(|&cut| cut < words.end));
        let ends = starts.iter().skip(1).copied().chain([words.end]);
        let mut pieces = Vec::with_capacity(starts.len());
        for (&start, end) in starts.iter().zip(ends) {
            let ranges = self.map.ranges(start..end).into_iter();
            pieces.extend(ranges.map(|range| Piece {
                range,
                offset: start,
                node: ROOT,
            }));
        }
        pieces.sort_by_key(|piece| (piece.range.start, piece.offset));
        let mut end = 0;
        pieces.retain_mut(|piece| {
            piece.range.start = piece.range.start.max(end);
            let is_left = piece.range.start < piece.range.end;
            end = end.max(piece.range.end);
            is_left
        });
        pieces
    }

    /// The rows of the line table for a function.
    fn rows(
        &self,
        function: &Function,
        described: Option<Entry<'w>>,
        pieces: &[Piece],
    ) -> Vec<(Range<u64>, Row)> {
        // What a function begins with comes of the line where it begins.
        let begin = described.and_then(|entry| {
            let line = entry
                .number(Field::ScopeLine)
                .and_then(|line| u32::try_from(line).ok());
            Some(Position {
                file: entry.file()?,
                line: line.filter(|&line| line > 0).or_else(|| entry.line())?,
                column: 0,
            })
        });
        let position = |piece: &Piece| self.info.position(WordOffset(piece.offset));
        let with_line = pieces.iter().filter(|piece| position(piece).is_some());
        let first = with_line.map(|piece| piece.offset).min();
        let mut has_prologue = false;
        let mut rows = Vec::with_capacity(pieces.len());
        for piece in pieces {
            let mut row = Row {
                position: position(piece),
                discriminator: self.discriminator(piece.offset),
                node: piece.node,
                ends_prologue: false,
            };
            match first {
                Some(first) if piece.offset < first => {
                    row.position = begin;
                    has_prologue = begin.is_some();
                }
                Some(first) if piece.offset == first && has_prologue => {
                    row.ends_prologue = true;
                    has_prologue = false;
                }
                None if piece.offset == function.words.start => row.position = begin,
                _ => {}
            }
            rows.push((piece.range.clone(), row));
        }
        rows
    }

    fn discriminator(&self, offset: usize) -> u32 {
        let scope = self.info.scope(WordOffset(offset)).map(|scope| scope.scope);
        let number = scope.and_then(|scope| scope.number(Field::Discriminator));
        number
            .and_then(|number| u32::try_from(number).ok())
            .unwrap_or(0)
    }

    /// The instance that the instruction at a word offset is in.
    fn instance_at(&mut self, offset: usize, tree: &mut Tree) -> usize {
        let place = self.info.place(WordOffset(offset));
        let Some(scope) = self.info.entry_at(place.scope) else {
            return ROOT;
        };
        let inlined_at = scope.entry(Field::InlinedAt).map_or(0, |at| at.id().0);
        let Some(node) = scope
            .entry(Field::Scope)
            .and_then(|scope| self.scope_node(scope))
        else {
            return ROOT;
        };
        self.grow((node, inlined_at), tree)
    }

    fn scope_node(&self, scope: Entry<'w>) -> Option<DieNodeId> {
        let node = self.node_at(self.resolve(scope).id())?;
        self.own(node)
    }

    /// The node of an instance, made with those around it if there is none.
    fn grow(&mut self, key: Key, tree: &mut Tree) -> usize {
        let mut path = Vec::new();
        let mut next = Some(key);
        let mut base = ROOT;
        while let Some(key) = next {
            if let Some(&known) = tree.numbers.get(&key) {
                base = known;
                break;
            }
            // Many functions can name the end of one long chain.
            let Some(rest) = self.climbs.checked_sub(1) else {
                return ROOT;
            };
            self.climbs = rest;
            // If a damaged module has cycles, they end here.
            tree.numbers.insert(key, ROOT);
            next = self.around(key, tree);
            if next.is_some() || self.is_inlined(key) {
                path.push(key);
            }
        }
        for key in path.into_iter().rev() {
            base = self.add_node(key, base, tree);
            tree.numbers.insert(key, base);
        }
        base
    }

    /// The instance around another; none if that is the function itself, or if the scope
    /// doesn't belong there.
    fn around(&self, (node, inlined_at): Key, tree: &Tree) -> Option<Key> {
        let scope = &self.nodes[node];
        match scope.entry.kind() {
            Kind::Function if inlined_at != 0 => {
                let at = self.info.debug_entry(Id(inlined_at))?;
                let outer = self.scope_node(at.entry(Field::Scope)?)?;
                let outwards = at.entry(Field::InlinedAt).map_or(0, |at| at.id().0);
                Some((outer, outwards))
            }
            Kind::LexicalBlock if inlined_at != 0 || scope.function == tree.node => {
                let outer = scope.function.and(scope.parent)?;
                Some((self.own(outer)?, inlined_at))
            }
            _ => None,
        }
    }

    /// Whether it is a function that was inlined, if nobody knows where.
    fn is_inlined(&self, (node, inlined_at): Key) -> bool {
        self.nodes[node].entry.kind() == Kind::Function && inlined_at != 0
    }

    fn add_node(&mut self, key: Key, parent: usize, tree: &mut Tree) -> usize {
        let depth = tree.nodes[parent].depth + 1;
        if depth >= MAX_DEPTH {
            return parent;
        }
        let (node, inlined_at) = key;
        let scope = self.nodes[node];
        let outside = tree.nodes[parent].die;
        let die = match scope.entry.kind() {
            Kind::Function => self.add_inlined(outside, scope.die, inlined_at),
            _ if tree.is_one && inlined_at == 0 => Some(scope.die),
            _ => {
                let die = self.add_copy(outside, DW_TAG_lexical_block);
                if let Some(die) = die {
                    self.refer(die, DW_AT_abstract_origin, scope.die);
                }
                die
            }
        };
        let Some(die) = die else {
            return parent;
        };
        tree.nodes.push(Node {
            parent,
            key: Some(key),
            die,
            depth,
            ranges: Vec::new(),
        });
        tree.nodes.len() - 1
    }

    fn add_inlined(&mut self, outside: Die, function: Die, inlined_at: u32) -> Option<Die> {
        let die = self.add_copy(outside, DW_TAG_inlined_subroutine)?;
        self.refer(die, DW_AT_abstract_origin, function);
        let Some(at) = self.info.debug_entry(Id(inlined_at)) else {
            return Some(die);
        };
        let scope = at
            .entry(Field::Scope)
            .and_then(|scope| self.node_at(scope.id()));
        let mut scopes = std::iter::successors(scope, |&scope| self.nodes[scope].parent);
        let file = scopes.find_map(|scope| self.nodes[scope].entry.file());
        if let (Some(file), Some(line @ 1..)) = (file, at.line()) {
            self.set_file(die, DW_AT_call_file, file);
            self.set_number(die, DW_AT_call_line, line.into());
        }
        Some(die)
    }
}

/// Adds a range of addresses to a node and those around it. Tells how many have one range
/// more.
fn include(tree: &mut Tree, node: usize, range: &Range<u64>) -> u64 {
    let mut node = node;
    let mut added = 0;
    loop {
        let ranges = &mut tree.nodes[node].ranges;
        match ranges.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => {
                ranges.push(range.clone());
                added += 1;
            }
        }
        if node == ROOT {
            return added;
        }
        node = tree.nodes[node].parent;
    }
}
