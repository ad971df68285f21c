//! Which variables are written before they are read, on all ways through a program.
//!
//! Within each function it is found out what is surely written at the beginning of each block,
//! as sets of variables, callees before callers; then what is surely written where functions
//! are called, callers before callees. Variables of a function begin anew with each call.

use super::effects::{EVERYONE, Effects};
use super::reach::{Graph, Memory};
use super::{Home, Rule};
use crate::program::{Edge, Inst, Object, ObjectKind, Pc, Program, Reg};

/// How many words all sets may take. Further variables count as not written.
const MAX_WORDS: usize = 1 << 20;

/// How often all blocks of a function may be looked at again.
const MAX_ROUNDS: usize = 32;

/// A part of a variable: one of its columns, or an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) variable: u32,
    /// Which of its columns.
    pub(super) index: u32,
}

/// No part.
const NONE: u32 = u32::MAX;

/// A set of parts.
type Set = Vec<u64>;

fn insert(set: &mut Set, part: u32) {
    set[part as usize / 64] |= 1 << (part % 64);
}

fn contains(set: &Set, part: u32) -> bool {
    set[part as usize / 64] >> (part % 64) & 1 != 0
}

fn unite(set: &mut Set, other: &Set) {
    set.iter_mut().zip(other).for_each(|(a, b)| *a |= b);
}

/// Keeps what is in both; whether that is less.
fn intersect(set: &mut Set, other: &Set) -> bool {
    let mut is_less = false;
    for (a, b) in set.iter_mut().zip(other) {
        is_less |= *a & !b != 0;
        *a &= b;
    }
    is_less
}

struct Block {
    start: Pc,
    end: Pc,
    successors: Vec<u32>,
    callee: Option<u32>,
    returns: bool,
    /// What it writes, with what it calls.
    writes: Set,
    /// What is written where it begins, since the function began.
    before: Set,
    is_reached: bool,
}

struct Flow<'p> {
    program: &'p Program,
    graph: &'p Graph,
    parts: Vec<Part>,
    /// The part that each column and each object is.
    of_column: Vec<u32>,
    of_object: Vec<u32>,
    words: usize,
}

/// The parts of variables that may be read before they are written.
pub(super) fn maybe_unwritten(
    program: &Program,
    graph: &Graph,
    effects: &mut Effects,
    parts: Vec<Part>,
) -> Vec<Part> {
    let mut flow = Flow {
        program,
        graph,
        of_column: vec![NONE; program.columns as usize],
        of_object: vec![NONE; program.objects.len()],
        words: parts.len().div_ceil(64),
        parts,
    };
    // Pointers that may lead anywhere may lead to any object.
    let is_object = |part: &Part| column(program, *part).is_none();
    let (mut left, parts): (Vec<Part>, Vec<Part>) = std::mem::take(&mut flow.parts)
        .into_iter()
        .partition(|part| graph.uses_any && is_object(part));
    flow.parts = parts;
    if flow.parts.is_empty() {
        return left;
    }
    let mut functions = flow.functions();
    let blocks: usize = functions.iter().map(Vec::len).sum();
    let most = (MAX_WORDS / blocks.max(1)) * 64;
    left.extend(flow.parts.split_off(flow.parts.len().min(most)));
    flow.words = flow.parts.len().div_ceil(64);
    for (index, part) in flow.parts.iter().enumerate() {
        match &program.variables[part.variable as usize].home {
            Home::Columns(columns) => {
                flow.of_column[columns[part.index as usize] as usize] = index as u32;
            }
            Home::Object(object) => flow.of_object[*object as usize] = index as u32,
        }
    }
    let Some(mut unwritten) = flow.unwritten(&mut functions, effects) else {
        flow.parts.extend(left);
        return flow.parts;
    };
    unwritten.extend(left);
    unwritten
}

impl Flow<'_> {
    /// The blocks of each function.
    fn functions(&self) -> Vec<Vec<Block>> {
        let program = self.program;
        let mut ends = program.functions.clone();
        ends.push(program.code.len() as Pc);
        ends.sort_unstable();
        let is_start = starts(program);
        let blocks = program.functions.iter().map(|&start| {
            let next = ends.partition_point(|&end| end <= start);
            let end = ends.get(next).copied().unwrap_or(start);
            self.blocks(start, end, &is_start)
        });
        blocks.collect()
    }

    fn blocks(&self, start: Pc, end: Pc, is_start: &[bool]) -> Vec<Block> {
        let program = self.program;
        let mut blocks: Vec<Block> = Vec::new();
        for pc in start..end {
            if pc == start || is_start[pc as usize] {
                blocks.push(Block {
                    start: pc,
                    end: pc,
                    successors: Vec::new(),
                    callee: None,
                    returns: false,
                    writes: Set::new(),
                    before: Set::new(),
                    is_reached: false,
                });
            }
            if let Some(block) = blocks.last_mut() {
                block.end = pc + 1;
            }
        }
        let starts: Vec<Pc> = blocks.iter().map(|block| block.start).collect();
        let number = |pc: Pc| starts.binary_search(&pc).ok().map(|it| it as u32);
        for block in &mut blocks {
            let to = |edge: &Edge| number(edge.target);
            match &program.code[block.end as usize - 1] {
                Inst::Jump(edge) => block.successors.extend(to(edge)),
                Inst::Branch {
                    then, otherwise, ..
                } => {
                    block.successors.extend(to(then));
                    block.successors.extend(to(otherwise));
                }
                Inst::Switch(index) => {
                    let switch = &program.switches[*index as usize];
                    let cases = switch.cases.iter().map(|case| &case.1);
                    let all = cases.chain([&switch.default]).filter_map(to);
                    block.successors.extend(all);
                }
                Inst::Return => block.returns = true,
                Inst::Terminate | Inst::Unreachable => {}
                Inst::Call { function } => {
                    block.callee = Some(*function);
                    block.successors.extend(number(block.end));
                }
                _ => block.successors.extend(number(block.end)),
            }
        }
        blocks
    }

    /// `None` if that takes too long.
    fn unwritten(&self, functions: &mut [Vec<Block>], effects: &mut Effects) -> Option<Vec<Part>> {
        let order = callees_first(functions);
        let everything = vec![u64::MAX; self.words];
        // What each function surely writes.
        let mut written: Vec<Set> = vec![everything.clone(); functions.len()];
        for &function in &order {
            let blocks = &mut functions[function as usize];
            for block in blocks.iter_mut() {
                block.writes = self.writes(block, effects);
                if let Some(callee) = block.callee {
                    unite(&mut block.writes, &written[callee as usize]);
                }
                block.before = everything.clone();
            }
            self.solve(blocks)?;
            let mut all = everything.clone();
            for block in blocks.iter().filter(|it| it.returns && it.is_reached) {
                let mut end = block.before.clone();
                unite(&mut end, &block.writes);
                intersect(&mut all, &end);
            }
            written[function as usize] = all;
        }
        // What is written where each is called.
        let mut before: Vec<Set> = vec![everything.clone(); functions.len()];
        for (function, before) in (0..).zip(&mut before) {
            if self.program.is_root(function) {
                *before = vec![0; self.words];
            }
        }
        let mut unwritten = vec![0; self.words];
        for &function in order.iter().rev() {
            let at_entry = self.without_own(&before[function as usize], function);
            for block in functions[function as usize]
                .iter()
                .filter(|it| it.is_reached)
            {
                let mut state = at_entry.clone();
                unite(&mut state, &block.before);
                self.reads(block, effects, &mut state, &mut unwritten);
                if let Some(callee) = block.callee {
                    intersect(&mut before[callee as usize], &state);
                }
            }
        }
        let parts = self.parts.iter().enumerate();
        let found = parts.filter(|(index, _)| contains(&unwritten, *index as u32));
        Some(found.map(|(_, &part)| part).collect())
    }

    /// A set without the variables of a function.
    fn without_own(&self, set: &Set, function: u32) -> Set {
        let mut set = set.clone();
        for (index, part) in self.parts.iter().enumerate() {
            let variable = &self.program.variables[part.variable as usize];
            if variable.function == Some(function) {
                set[index / 64] &= !(1 << (index % 64));
            }
        }
        set
    }

    /// Finds what is written before each block of a function; `None` if that takes too long.
    fn solve(&self, blocks: &mut [Block]) -> Option<()> {
        let Some(first) = blocks.first_mut() else {
            return Some(());
        };
        first.before = vec![0; self.words];
        first.is_reached = true;
        for _ in 0..MAX_ROUNDS {
            let mut changes = false;
            for index in 0..blocks.len() {
                if !blocks[index].is_reached {
                    continue;
                }
                let mut end = blocks[index].before.clone();
                unite(&mut end, &blocks[index].writes);
                for next in blocks[index].successors.clone() {
                    let next = &mut blocks[next as usize];
                    changes |= !std::mem::replace(&mut next.is_reached, true);
                    changes |= intersect(&mut next.before, &end);
                }
            }
            if !changes {
                return Some(());
            }
        }
        None
    }

    /// What a block writes without what it calls.
    fn writes(&self, block: &Block, effects: &mut Effects) -> Set {
        let mut set = vec![0; self.words];
        let mut nothing = vec![0; self.words];
        self.reads(block, effects, &mut set, &mut nothing);
        set
    }

    /// Goes through a block: `state` is what is written, and what is read without is added to
    /// `unwritten`.
    fn reads(&self, block: &Block, effects: &mut Effects, state: &mut Set, unwritten: &mut Set) {
        let program = self.program;
        // Up to where an object has been written from its beginning.
        let mut filled: Option<(u32, u32)> = None;
        let mut read = |part: u32, state: &Set| {
            if part != NONE && !contains(state, part) {
                insert(unwritten, part);
            }
        };
        for inst in &program.code[block.start as usize..block.end as usize] {
            effects.of(program, inst);
            for (rule, reads, writes) in effects.iter() {
                for &column in reads {
                    read(self.of_column[column as usize], state);
                }
                let is_by_all = !matches!(rule, Rule::Load(_, only) if only != EVERYONE);
                for &column in writes.iter().filter(|_| is_by_all) {
                    self.write(self.of_column[column as usize], state);
                }
                match rule {
                    Rule::Load(cell, _) => self.read_memory(cell.address, state, &mut read),
                    Rule::Atomic(index) => {
                        let address = program.atomics[index as usize].address;
                        self.read_memory(address, state, &mut read);
                    }
                    Rule::Store(cell, EVERYONE) => {
                        let Object::Known(object) = cell.address.object else {
                            continue;
                        };
                        let offset = cell.address.constant;
                        if cell.address.offset != crate::program::NO_REG {
                            continue;
                        }
                        let start = match filled {
                            Some((known, end)) if known == object => end,
                            _ => 0,
                        };
                        if offset != start {
                            continue;
                        }
                        let end = start + cell.leaf.bytes();
                        filled = Some((object, end));
                        let is_whole = match program.objects.get(object as usize) {
                            Some(info) => {
                                matches!(info.kind, ObjectKind::Lane { size, .. } if size <= end)
                            }
                            None => false,
                        };
                        if is_whole {
                            self.write(self.of_object[object as usize], state);
                        }
                    }
                    _ => {}
                }
            }
            if let Inst::Special(index) = inst
                && let crate::special::Special::Copies(copies) = &program.specials[*index as usize]
            {
                self.read_memory(copies.from, state, &mut read);
            }
            self.read_moves(inst, state, &mut read);
        }
    }

    fn write(&self, part: u32, state: &mut Set) {
        if part != NONE {
            insert(state, part);
        }
    }

    fn read_memory(
        &self,
        address: crate::program::Address,
        state: &Set,
        read: &mut impl FnMut(u32, &Set),
    ) {
        let memory = self.graph.memory_of(self.program, &address);
        if let (Memory::Known(_), Object::Known(object)) = (memory, address.object) {
            read(self.of_object[object as usize], state);
        }
    }

    /// What phis get.
    fn read_moves(&self, inst: &Inst, state: &Set, read: &mut impl FnMut(u32, &Set)) {
        let mut of_edge = |edge: &Edge| {
            for &(_, from) in &self.program.moves[edge.moves.0 as usize..edge.moves.1 as usize] {
                read(self.of_column[from as usize], state);
            }
        };
        each_edge(self.program, inst, &mut of_edge);
    }
}

/// Calls a function with the edges of an instruction.
pub(super) fn each_edge(program: &Program, inst: &Inst, see: &mut impl FnMut(&Edge)) {
    match inst {
        Inst::Jump(edge) => see(edge),
        Inst::Branch {
            then, otherwise, ..
        } => {
            see(then);
            see(otherwise);
        }
        Inst::Switch(index) => {
            let switch = &program.switches[*index as usize];
            switch.cases.iter().for_each(|case| see(&case.1));
            see(&switch.default);
        }
        _ => {}
    }
}

/// Where blocks begin: where branches lead, and behind branches and calls.
fn starts(program: &Program) -> Vec<bool> {
    let mut is_start = vec![false; program.code.len() + 1];
    for (pc, inst) in program.code.iter().enumerate() {
        each_edge(program, inst, &mut |edge| {
            is_start[edge.target as usize] = true;
        });
        let ends = matches!(
            inst,
            Inst::Jump(_)
                | Inst::Branch { .. }
                | Inst::Switch(_)
                | Inst::Return
                | Inst::Terminate
                | Inst::Unreachable
                | Inst::Call { .. }
        );
        is_start[pc + 1] |= ends;
    }
    is_start
}

/// All functions, each behind those that it calls. None calls itself.
fn callees_first(functions: &[Vec<Block>]) -> Vec<u32> {
    let mut order = Vec::with_capacity(functions.len());
    let mut seen = vec![false; functions.len()];
    for root in 0..functions.len() as u32 {
        let mut todo = vec![(root, false)];
        while let Some((function, is_done)) = todo.pop() {
            if is_done {
                order.push(function);
                continue;
            }
            if std::mem::replace(&mut seen[function as usize], true) {
                continue;
            }
            todo.push((function, true));
            let callees = functions[function as usize].iter();
            let callees = callees.filter_map(|block| block.callee);
            todo.extend(callees.map(|callee| (callee, false)));
        }
    }
    order
}

/// The column of a part, if it is one.
pub(super) fn column(program: &Program, part: Part) -> Option<Reg> {
    match &program.variables[part.variable as usize].home {
        Home::Columns(columns) => columns.get(part.index as usize).copied(),
        Home::Object(_) => None,
    }
}
