//! Which id of one module is which of the other.
//!
//! Ids are paired one to one, surest first: what is unique by all that can be said of
//! it, then by less. A pair of declarations or instructions proposes pairs of their
//! operands: at once if these are alike, else as votes, of which the most frequent win
//! in the end. So a changed array length, say, is one changed constant rather than
//! whatever uses it.

use std::collections::VecDeque;

use hashbrown::HashMap;
use spirvkit_grammar::Op;

use crate::colors::{Colors, hash, mix};
use crate::side::{NONE, Operand, Side};

/// How often what is left is tried anew.
const ROUNDS: usize = 4;

/// One module with its colours.
pub(crate) struct Colored<'a> {
    pub(crate) side: &'a Side,
    pub(crate) colors: &'a Colors,
    /// By node: the colour, which pairs share.
    pub(crate) now: Vec<u64>,
    /// By node: its partner in the other module.
    pub(crate) partner: Vec<u32>,
    /// By node: the function that it is, or [`NONE`].
    functions: Vec<u32>,
    /// Nodes of declarations and functions, in order, and of what is nowhere defined.
    globals: Vec<u32>,
}

impl<'a> Colored<'a> {
    fn new(side: &'a Side, colors: &'a Colors) -> Self {
        let functions = side.functions.iter().map(|it| it.definition);
        let all = side.groups.iter().cloned().flatten().chain(functions);
        let defines = |&index: &u32| {
            let result = side.item(index).result;
            result != NONE && side.definition(result) == Some(index)
        };
        let defined = all.filter(defines).map(|index| side.item(index).result);
        // In a broken module, some are only used.
        let undefined = (0..side.ids.len() as u32).filter(|&it| side.definition(it).is_none());
        let mut functions = vec![NONE; side.ids.len()];
        for (index, function) in (0..).zip(&side.functions) {
            let result = side.item(function.definition).result;
            if let Some(function) = functions.get_mut(result as usize) {
                *function = index;
            }
        }
        Self {
            side,
            colors,
            now: colors.full.clone(),
            partner: vec![NONE; side.ids.len()],
            globals: undefined.chain(defined).collect(),
            functions,
        }
    }

    /// The function that a node is.
    fn function(&self, node: u32) -> Option<u32> {
        Some(self.functions[node as usize]).filter(|&function| function != NONE)
    }

    pub(crate) fn is_free(&self, node: u32) -> bool {
        self.partner[node as usize] == NONE
    }
}

/// The pairs found so far, and what may become one.
pub(crate) struct Matching<'a> {
    pub(crate) a: Colored<'a>,
    pub(crate) b: Colored<'a>,
    /// How many pairs there are.
    pairs: usize,
    /// Pairs whose operands have not been looked at.
    fresh: Vec<(u32, u32)>,
    /// Pairs of functions to align.
    pub(crate) functions: VecDeque<(u32, u32)>,
    /// Proposed pairs of declarations and functions.
    votes: Votes,
    /// Proposed pairs of what is defined in the functions that are being aligned.
    local_votes: Votes,
}

/// How often pairs were proposed, and a number for when that was first.
type Votes = HashMap<(u32, u32), (u32, u32)>;

impl<'a> Matching<'a> {
    pub(crate) fn new(sides: [&'a Side; 2], colors: [&'a Colors; 2]) -> Self {
        let mut matching = Self {
            a: Colored::new(sides[0], colors[0]),
            b: Colored::new(sides[1], colors[1]),
            pairs: 0,
            fresh: Vec::new(),
            functions: VecDeque::new(),
            votes: HashMap::new(),
            local_votes: HashMap::new(),
        };
        matching.run();
        matching
    }

    fn run(&mut self) {
        self.pair_opaque();
        self.pair_unique(|it, node| match it.function(node) {
            None => Some(it.colors.full[node as usize]),
            Some(function) => {
                let content = it.colors.contents[function as usize];
                Some(mix(it.colors.full[node as usize], content))
            }
        });
        type Key = fn(&Colored<'_>, u32) -> Option<u64>;
        let keys: [Key; 6] = [
            |it, node| {
                let name = nonzero(it.colors.names[node as usize])?;
                Some(mix(
                    mix(it.kind(node), name),
                    it.colors.structure[node as usize],
                ))
            },
            |it, node| Some(mix(it.kind(node), nonzero(it.colors.names[node as usize])?)),
            |it, node| {
                Some(mix(
                    it.kind(node),
                    nonzero(it.colors.places[node as usize])?,
                ))
            },
            |it, node| {
                Some(mix(
                    it.kind(node),
                    nonzero(it.colors.traits[node as usize])?,
                ))
            },
            |it, node| {
                let function = it.function(node)?;
                Some(it.colors.contents[function as usize])
            },
            |it, node| match it.function(node) {
                Some(_) => None,
                None => Some(it.colors.structure[node as usize]),
            },
        ];
        for key in keys {
            self.pair_unique(key);
        }
        self.pair_unique_exact();
        self.propose_by_lines();
        self.align_functions();
        // Functions that nothing tells apart but their order, and then their type.
        self.pair_in_order(|it, node| {
            let function = it.function(node)?;
            Some(it.colors.contents[function as usize])
        });
        self.align_functions();
        self.pair_declarations();
        self.pair_unique(|it, node| {
            it.function(node)?;
            Some(it.colors.structure[node as usize])
        });
        self.align_functions();
        self.pair_in_order(|it, node| {
            it.function(node)?;
            Some(it.colors.structure[node as usize])
        });
        self.align_functions();
        self.pair_declarations();
    }

    /// Pairs what is left of the declarations.
    fn pair_declarations(&mut self) {
        for _ in 0..ROUNDS {
            self.pair_unique_exact();
            self.pair_in_order(|it, node| match it.function(node) {
                Some(_) => None,
                None => Some(it.colors.full[node as usize]),
            });
            self.pair_exact();
            self.pair_in_order(|it, node| match it.function(node) {
                Some(_) => None,
                None => Some(it.colors.structure[node as usize]),
            });
            let mut found = self.pair_by_votes();
            found |= !self.functions.is_empty();
            self.align_functions();
            if !found {
                // What nothing else tells of: the only one of its sort.
                let before = self.pairs;
                self.pair_unique(|it, node| it.sort(node));
                found = self.pairs > before;
            }
            if !found {
                break;
            }
        }
    }

    /// Words that can't be decoded may name ids, so these keep their numbers.
    fn pair_opaque(&mut self) {
        let nodes = self.a.side.opaque_nodes().chain(
            self.b
                .side
                .opaque_nodes()
                .filter_map(|node| self.a.side.node_of(self.b.side.ids[node as usize])),
        );
        let pairs: Vec<(u32, u32)> = nodes
            .filter_map(|a| Some((a, self.b.side.node_of(self.a.side.ids[a as usize])?)))
            .collect();
        for (a, b) in pairs {
            self.pair(a, b);
        }
        self.propagate();
    }

    /// Pairs declarations and functions whose key no other of either module has.
    fn pair_unique(&mut self, key: impl Fn(&Colored<'_>, u32) -> Option<u64>) {
        let mut seen: HashMap<u64, [(u8, u32); 2]> = HashMap::new();
        for (number, it) in [&self.a, &self.b].into_iter().enumerate() {
            for &node in it.globals.iter().filter(|&&node| it.is_free(node)) {
                if let Some(key) = key(it, node) {
                    let slot = &mut seen.entry(key).or_default()[number];
                    *slot = (slot.0.saturating_add(1).min(2), node);
                }
            }
        }
        for index in 0..self.a.globals.len() {
            let node = self.a.globals[index];
            if self.a.is_free(node)
                && let Some(key) = key(&self.a, node)
                && let Some(&[(1, a), (1, b)]) = seen.get(&key)
            {
                self.pair(a, b);
                self.propagate();
            }
        }
    }

    /// Pairs those of the same key in order: the last first, because what comes later
    /// is made of what comes earlier.
    fn pair_in_order(&mut self, key: impl Fn(&Colored<'_>, u32) -> Option<u64>) {
        let mut waiting: HashMap<u64, Vec<u32>> = HashMap::new();
        for &node in self.b.globals.iter().filter(|&&node| self.b.is_free(node)) {
            if let Some(key) = key(&self.b, node) {
                waiting.entry(key).or_default().push(node);
            }
        }
        for index in (0..self.a.globals.len()).rev() {
            let node = self.a.globals[index];
            if !self.a.is_free(node) {
                continue;
            }
            let Some(list) = key(&self.a, node).and_then(|key| waiting.get_mut(&key)) else {
                continue;
            };
            while let Some(other) = list.pop() {
                if self.b.is_free(other) && self.pair(node, other) {
                    self.propagate();
                    break;
                }
            }
        }
    }

    /// Proposes pairs of what is named in execution modes, decorations and the like, as
    /// far as no others are alike.
    fn propose_by_lines(&mut self) {
        let mut seen: HashMap<u64, [(u8, u32); 2]> = HashMap::new();
        let mut out = Vec::new();
        for (number, it) in [&self.a, &self.b].into_iter().enumerate() {
            for index in it.side.groups.iter().cloned().flatten() {
                if it.side.item(index).result != NONE || it.side.operands(index).len() < 2 {
                    continue;
                }
                it.side
                    .canonical(index, false, |node| it.now[node as usize], &mut out);
                let slot = &mut seen.entry(hash(&out)).or_default()[number];
                *slot = (slot.0.saturating_add(1).min(2), index);
            }
        }
        for (a, b) in unique_pairs(seen) {
            self.propose_operands(a, b);
            self.propagate();
        }
    }

    /// Pairs declarations that say the same of what is paired, if no others do.
    fn pair_unique_exact(&mut self) {
        for _ in 0..ROUNDS {
            let mut seen: HashMap<u64, [(u8, u32); 2]> = HashMap::new();
            let mut out = Vec::new();
            for (number, it) in [&self.a, &self.b].into_iter().enumerate() {
                for &node in it.globals.iter().filter(|&&node| it.is_free(node)) {
                    let Some(item) = it.side.definition(node) else {
                        continue;
                    };
                    if it
                        .side
                        .operands(item)
                        .iter()
                        .any(|operand| it.is_free(operand.node))
                    {
                        continue;
                    }
                    it.side
                        .canonical(item, false, |node| it.now[node as usize], &mut out);
                    let slot = &mut seen.entry(hash(&out)).or_default()[number];
                    *slot = (slot.0.saturating_add(1).min(2), node);
                }
            }
            let unique = unique_pairs(seen);
            for &(a, b) in &unique {
                self.pair(a, b);
            }
            self.propagate();
            if unique.is_empty() {
                break;
            }
        }
    }

    /// Pairs declarations that say the same of what is paired.
    fn pair_exact(&mut self) {
        let mut out = Vec::new();
        let mut waiting: HashMap<u64, Vec<u32>> = HashMap::new();
        let (a, b) = (&self.a, &self.b);
        for &node in a.globals.iter().rev().filter(|&&node| a.is_free(node)) {
            if let Some(item) = a.side.definition(node) {
                a.side.canonical(item, false, u64::from, &mut out);
                waiting.entry(hash(&out)).or_default().push(node);
            }
        }
        let free: Vec<u32> = b
            .globals
            .iter()
            .copied()
            .filter(|&node| b.is_free(node))
            .collect();
        for node in free {
            let Some(item) = self.b.side.definition(node) else {
                continue;
            };
            let operands = self.b.side.operands(item);
            if !self.b.is_free(node) || operands.iter().any(|it| self.b.is_free(it.node)) {
                continue;
            }
            let partner = |node: u32| u64::from(self.b.partner[node as usize]);
            self.b.side.canonical(item, false, partner, &mut out);
            let Some(list) = waiting.get_mut(&hash(&out)) else {
                continue;
            };
            while let Some(other) = list.pop() {
                if self.a.is_free(other) && self.pair(other, node) {
                    self.propagate();
                    break;
                }
            }
        }
    }

    /// Pairs the declarations that were proposed most often. Tells whether there were
    /// any.
    fn pair_by_votes(&mut self) -> bool {
        let votes = std::mem::take(&mut self.votes);
        self.count(votes)
    }

    /// The same with what is defined in functions.
    pub(crate) fn pair_locals_by_votes(&mut self) {
        let votes = std::mem::take(&mut self.local_votes);
        self.count(votes);
    }

    fn count(&mut self, votes: Votes) -> bool {
        let mut all: Vec<_> = votes.into_iter().collect();
        all.sort_unstable_by_key(|&((a, b), (count, first))| {
            (!self.same_type(a, b), std::cmp::Reverse(count), first)
        });
        let mut found = false;
        for ((a, b), _) in all {
            found |= self.pair(a, b);
            self.propagate();
        }
        found
    }

    /// Pairs two nodes, if they are free and may be the same thing.
    pub(crate) fn pair(&mut self, a: u32, b: u32) -> bool {
        if !self.may_pair(a, b) {
            return false;
        }
        self.a.partner[a as usize] = b;
        self.b.partner[b as usize] = a;
        let color = mix(u64::from(a), 0x7061_6972);
        self.a.now[a as usize] = color;
        self.b.now[b as usize] = color;
        self.pairs += 1;
        self.fresh.push((a, b));
        true
    }

    fn may_pair(&self, a: u32, b: u32) -> bool {
        if !self.a.is_free(a) || !self.b.is_free(b) {
            return false;
        }
        let (side_a, side_b) = (self.a.side, self.b.side);
        let (op_a, op_b) = (side_a.op_of(a), side_b.op_of(b));
        if side_a.is_local(a) != side_b.is_local(b) {
            return false;
        }
        match (op_a, op_b) {
            // How literals are read hangs on these.
            (Op::TypeInt | Op::TypeFloat | Op::ExtInstImport, _) => {
                self.a.colors.structure[a as usize] == self.b.colors.structure[b as usize]
            }
            (Op::Label, _) | (_, Op::Label) => op_a == op_b,
            _ if op_a == op_b || op_a.is_constant() && op_b.is_constant() => true,
            _ => side_a.is_local(a) && side_a.type_of(a).is_some() && self.same_type(a, b),
        }
    }

    /// Whether two nodes have the same type, or none.
    fn same_type(&self, a: u32, b: u32) -> bool {
        match (self.a.side.type_of(a), self.b.side.type_of(b)) {
            (None, None) => true,
            (Some(a), Some(b)) => {
                self.a.partner[a as usize] == b
                    || self.a.is_free(a)
                        && self.b.is_free(b)
                        && self.a.colors.full[a as usize] == self.b.colors.full[b as usize]
            }
            _ => false,
        }
    }

    /// Looks at the operands of all new pairs.
    pub(crate) fn propagate(&mut self) {
        while let Some((a, b)) = self.fresh.pop() {
            if let (Some(a), Some(b)) = (self.a.function(a), self.b.function(b)) {
                self.functions.push_back((a, b));
            }
            if let (Some(a), Some(b)) = (self.a.side.definition(a), self.b.side.definition(b)) {
                self.propose_operands(a, b);
            }
        }
    }

    /// Proposes pairs of the operands of two instructions that are taken for the same.
    pub(crate) fn propose_operands(&mut self, a: u32, b: u32) {
        let (side_a, side_b) = (self.a.side, self.b.side);
        if side_a.item(a).op != side_b.item(b).op {
            return;
        }
        for (a, b) in in_place(side_a, side_b, a, b) {
            self.propose(a, b);
        }
        for (a, b) in self.out_of_place(a, b) {
            self.propose(a, b);
        }
    }

    /// The operands of two instructions with one opcode that stand for each other, though
    /// maybe not at the same place, because their order carries nothing: those with the
    /// same partner.
    pub(crate) fn out_of_place(&self, a: u32, b: u32) -> Vec<(u32, u32)> {
        let (side_a, side_b) = (self.a.side, self.b.side);
        let (of_a, of_b) = (side_a.operands(a), side_b.operands(b));
        let (words_a, words_b) = (side_a.words(a), side_b.words(b));
        let mut pairs = Vec::new();
        match side_a.item(a).op {
            Op::Phi => {
                let edges = |operands: &[Operand]| -> Vec<(u32, u32)> {
                    let edges = operands.get(1..).unwrap_or_default().chunks_exact(2);
                    edges.map(|edge| (edge[0].node, edge[1].node)).collect()
                };
                let by_block: HashMap<u32, u32> = edges(of_b)
                    .into_iter()
                    .map(|(value, block)| (block, value))
                    .collect();
                for (value, block) in edges(of_a) {
                    let partner = self.a.partner[block as usize];
                    pairs.extend(by_block.get(&partner).map(|&other| (value, other)));
                }
            }
            Op::Switch => {
                let literal = |words: &[u32], operands: &[Operand], index: usize| {
                    let (before, at) = (operands[index - 1].word, operands[index].word);
                    words[before as usize + 1..at as usize].to_vec()
                };
                let by_literal: HashMap<Vec<u32>, u32> = (2..of_b.len())
                    .map(|index| (literal(words_b, of_b, index), of_b[index].node))
                    .collect();
                for index in 2..of_a.len() {
                    let other = by_literal.get(&literal(words_a, of_a, index));
                    pairs.extend(other.map(|&other| (of_a[index].node, other)));
                }
            }
            _ => {}
        }
        pairs
    }

    fn propose(&mut self, a: u32, b: u32) {
        if !self.a.is_free(a) || !self.b.is_free(b) {
            return;
        }
        let is_label = |side: &Side, node| side.op_of(node) == Op::Label;
        if is_label(self.a.side, a) || is_label(self.b.side, b) {
            return;
        }
        let is_local = self.a.side.is_local(a);
        let alike = self.a.now[a as usize] == self.b.now[b as usize];
        if alike && !is_local && self.pair(a, b) {
            return;
        }
        let votes = match is_local {
            true => &mut self.local_votes,
            false => &mut self.votes,
        };
        let first = votes.len() as u32;
        votes.entry((a, b)).or_insert((0, first)).0 += 1;
    }
}

impl Colored<'_> {
    /// What sort of thing a node is: its opcode, and of what has a storage class that.
    fn kind(&self, node: u32) -> u64 {
        let op = self.side.op_of(node);
        let Some(item) = self.side.definition(node) else {
            return 0;
        };
        let class = match op {
            Op::Variable => self.side.words(item).get(3).copied().unwrap_or(0),
            _ if op.is_constant() => return u64::from(Op::Constant.0),
            _ => 0,
        };
        u64::from(op.0) | u64::from(class) << 32
    }
}

impl Colored<'_> {
    /// A declaration's opcode and literals.
    fn sort(&self, node: u32) -> Option<u64> {
        let item = self.side.definition(node)?;
        if self.function(node).is_some() {
            return None;
        }
        let mut out = Vec::new();
        self.side.canonical(item, false, |_| 0, &mut out);
        Some(hash(&out))
    }
}

/// Of what was counted by key in both modules: the pairs of the only ones, in order.
fn unique_pairs(seen: HashMap<u64, [(u8, u32); 2]>) -> Vec<(u32, u32)> {
    let pairs = seen.into_values().filter_map(|[a, b]| match (a, b) {
        ((1, a), (1, b)) => Some((a, b)),
        _ => None,
    });
    let mut pairs: Vec<(u32, u32)> = pairs.collect();
    pairs.sort_unstable();
    pairs
}

/// The operands of two instructions with one opcode that stand for each other because
/// they are at the same place, as far as places mean anything.
pub(crate) fn in_place<'a>(
    side_a: &'a Side,
    side_b: &'a Side,
    a: u32,
    b: u32,
) -> impl Iterator<Item = (u32, u32)> + use<'a> {
    let ordered = match side_a.item(a).op {
        Op::EntryPoint | Op::GroupDecorate | Op::GroupMemberDecorate | Op::Phi => 1,
        Op::Switch => 2,
        _ => usize::MAX,
    };
    let operands = side_a.operands(a).iter().zip(side_b.operands(b));
    // The members of structures, say, may be more; what is in front is the same then.
    let in_place = operands.take(ordered).filter(|(a, b)| a.word == b.word);
    in_place.map(|(a, b)| (a.node, b.node))
}

fn nonzero(value: u64) -> Option<u64> {
    Some(value).filter(|&value| value != 0)
}
