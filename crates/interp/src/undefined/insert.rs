//! Puts the instructions into a program that follow undefined values.

use std::ops::Range;

use hashbrown::{HashMap, HashSet};

use super::effects::{Effects, may_be_inactive};
use super::flow::{Part, column, each_edge, maybe_unwritten};
use super::reach::{Graph, Memory, Naming};
use super::{Home, Rule, Slot, Step, Undefined};
use crate::optimize::relocate;
use crate::program::{Address, Inst, NO_REG, ObjectKind, Pc, Program, Reg};

/// Programs with more instructions than this are left as they are.
const MAX_CODE: usize = 1 << 22;

/// Lets a program follow undefined values where they may get to a place that matters, with
/// stores to buffers among these if so asked.
pub(crate) fn instrument(program: &mut Program, reports_stores: bool) {
    if program.code.len() > MAX_CODE {
        return;
    }
    let mut effects = Effects::new(reports_stores);
    let graph = Graph::new(program, &mut effects);
    let relevant = graph.relevant();
    let homes: Vec<&Home> = program.variables.iter().map(|it| &it.home).collect();
    if !graph.reports(&graph.undefined(&homes)) {
        return;
    }
    let parts = sources(program, &graph, &mut effects, &relevant);
    let homes: Vec<Home> = parts.iter().map(|&part| home(program, part)).collect();
    let mut tracked = graph.undefined(&homes.iter().collect::<Vec<&Home>>());
    if !graph.reports(&tracked) {
        return;
    }
    for (tracked, relevant) in tracked.iter_mut().zip(relevant) {
        *tracked &= relevant;
    }
    let inserting = Inserting {
        undefined: Undefined {
            slots: vec![NO_REG; program.columns as usize],
            ..Undefined::default()
        },
        values: program
            .undefined_values
            .iter()
            .enumerate()
            .map(|(index, value)| (value.column, index as u32))
            .collect(),
        program,
        graph,
        tracked,
        parts,
        code: Vec::new(),
        places: Vec::new(),
        pending: Vec::new(),
    };
    inserting.all(&mut effects);
}

/// The parts of variables that may be read before they are written, where that matters.
fn sources(
    program: &Program,
    graph: &Graph,
    effects: &mut Effects,
    relevant: &[bool],
) -> Vec<Part> {
    let mut candidates = Vec::new();
    let mut known = Vec::new();
    for (variable, info) in program.variables.iter().enumerate() {
        let variable = variable as u32;
        match &info.home {
            Home::Columns(columns) => {
                let all = columns.iter().enumerate();
                let wanted = all.filter(|(_, column)| relevant[**column as usize]);
                candidates.extend(wanted.map(|(index, _)| Part {
                    variable,
                    index: index as u32,
                }));
            }
            Home::Object(object) if relevant[graph.object(*object) as usize] => {
                let part = Part { variable, index: 0 };
                let kind = program.objects[*object as usize].kind;
                match matches!(kind, ObjectKind::Lane { .. }) {
                    true => candidates.push(part),
                    // Others write there, too.
                    false => known.push(part),
                }
            }
            Home::Object(_) => {}
        }
    }
    if !candidates.is_empty() {
        known.extend(maybe_unwritten(program, graph, effects, candidates));
    }
    known
}

fn home(program: &Program, part: Part) -> Home {
    match (
        column(program, part),
        &program.variables[part.variable as usize].home,
    ) {
        (Some(column), _) => Home::Columns(vec![column]),
        (None, home) => home.clone(),
    }
}

/// Where memory of workgroups has initial values. Variables may share their memory.
fn initialized(program: &Program) -> Vec<Range<u32>> {
    let begins_undefined = program.variables.iter().filter_map(|it| match it.home {
        Home::Object(object) => Some(object),
        Home::Columns(_) => None,
    });
    let begins_undefined: HashSet<u32> = begins_undefined.collect();
    let objects = program.objects.iter().enumerate();
    let ranges = objects.filter_map(|(object, info)| match info.kind {
        ObjectKind::Workgroup { start, size } => {
            let is_initialized = !begins_undefined.contains(&(object as u32));
            is_initialized.then_some(start..start + size)
        }
        _ => None,
    });
    let mut ranges: Vec<Range<u32>> = ranges.collect();
    ranges.sort_unstable_by_key(|range| range.start);
    ranges
}

/// What is left of a range without others, which are sorted.
fn without(range: Range<u32>, others: &[Range<u32>]) -> Vec<Range<u32>> {
    let mut left = Vec::new();
    let mut start = range.start;
    for other in others {
        let end = other.start.min(range.end);
        if start < end {
            left.push(start..end);
        }
        start = start.max(other.end);
    }
    if start < range.end {
        left.push(start..range.end);
    }
    left
}

struct Inserting<'p> {
    program: &'p mut Program,
    graph: Graph,
    undefined: Undefined,
    /// The columns of values that are undefined, with their index.
    values: HashMap<Reg, u32>,
    tracked: Vec<bool>,
    /// The parts of variables that may be read before they are written.
    parts: Vec<Part>,
    code: Vec<Inst>,
    places: Vec<u32>,
    /// Steps that may as well be done later.
    pending: Vec<Step>,
}

impl Inserting<'_> {
    fn all(mut self, effects: &mut Effects) {
        let mut naming = Naming::new(self.program);
        let code = std::mem::take(&mut self.program.code);
        let places = std::mem::take(&mut self.program.places);
        let mut starts = Vec::with_capacity(code.len() + 1);
        let mut begins: HashMap<Pc, u32> = HashMap::new();
        for (function, &start) in self.program.functions.iter().enumerate() {
            begins.insert(start, function as u32);
        }
        for (pc, (inst, place)) in code.iter().zip(places).enumerate() {
            starts.push(self.code.len() as Pc);
            effects.of(self.program, inst);
            let mut steps = Vec::new();
            if let Some(&function) = begins.get(&(pc as Pc)) {
                self.begin(function, &mut steps);
            }
            for (rule, reads, writes) in effects.iter() {
                steps.extend(self.step(&mut naming, rule, reads, writes));
            }
            let is_urgent = steps
                .iter()
                .any(|step| !matches!(step.rule, Rule::Any | Rule::Same | Rule::Clear));
            self.pending.append(&mut steps);
            if is_urgent || !inst.is_straight() {
                self.flush(place);
            }
            self.code.push(*inst);
            self.places.push(place);
        }
        starts.push(self.code.len() as Pc);
        self.finish(&starts);
    }

    fn finish(mut self, starts: &[Pc]) {
        for index in 0..self.program.moves.len() {
            let (to, from) = self.program.moves[index];
            for column in [to, from] {
                if self.tracked[column as usize] {
                    self.slot(column);
                }
            }
        }
        let program = self.program;
        program.code = self.code;
        program.places = self.places;
        relocate(program, starts);
        let undefined = &mut self.undefined;
        let values = program.undefined_values.iter().enumerate();
        undefined.values = values
            .filter_map(|(index, value)| {
                let slot = undefined.slots.get(value.column as usize).copied();
                Some((slot.filter(|&slot| slot != NO_REG)?, index as u32))
            })
            .collect();
        undefined.moves = vec![false; program.moves.len()];
        for inst in &program.code {
            each_edge(program, inst, &mut |edge| {
                let range = edge.moves.0 as usize..edge.moves.1 as usize;
                let mut moves = program.moves[range.clone()].iter();
                if moves.any(|&(to, from)| {
                    self.values.contains_key(&from) && undefined.slots[to as usize] != NO_REG
                }) {
                    undefined.moves[range.start] = true;
                }
            });
        }
        let initialized = initialized(program);
        for &part in &self.parts {
            let Home::Object(object) = program.variables[part.variable as usize].home else {
                continue;
            };
            if let ObjectKind::Workgroup { start, size } = program.objects[object as usize].kind
                && self.tracked[self.graph.object(object) as usize]
            {
                let ranges = without(start..start + size, &initialized);
                undefined.workgroup.extend(ranges);
            }
        }
        program.undefined = Some(Box::new(self.undefined));
    }

    /// Puts the steps that wait into the code.
    fn flush(&mut self, place: u32) {
        if self.pending.is_empty() {
            return;
        }
        let start = self.undefined.steps.len() as u32;
        let is_lazy = !self.pending.iter().any(|step| step.is_source);
        self.undefined.steps.append(&mut self.pending);
        let end = self.undefined.steps.len() as u32;
        self.code.push(Inst::Undefined {
            start,
            end,
            is_lazy,
        });
        self.places.push(place);
    }

    /// The shadow of a column.
    fn slot(&mut self, column: Reg) -> Slot {
        let slot = &mut self.undefined.slots[column as usize];
        if *slot == NO_REG {
            *slot = self.undefined.shadows;
            self.undefined.shadows += 1;
        }
        *slot
    }

    fn new_step(&mut self, rule: Rule, reads: Vec<(Reg, Slot)>, writes: Vec<Slot>) -> Step {
        let is_source = match rule {
            Rule::Begin(..)
            | Rule::BeginObject(_)
            | Rule::Load(..)
            | Rule::Store(..)
            | Rule::Atomic(_) => true,
            Rule::Group(index) => may_be_inactive(self.program.groups[index as usize].op),
            _ => false,
        };
        let mut read = reads.iter().filter(|it| it.1 != NO_REG);
        let is_source = is_source || read.any(|it| self.values.contains_key(&it.0));
        let start = (
            self.undefined.reads.len() as u32,
            self.undefined.writes.len() as u32,
        );
        self.undefined.reads.extend(reads);
        self.undefined.writes.extend(writes);
        Step {
            rule,
            reads: (start.0, self.undefined.reads.len() as u32),
            writes: (start.1, self.undefined.writes.len() as u32),
            is_source,
        }
    }

    /// What is undefined where a function begins.
    fn begin(&mut self, function: u32, steps: &mut Vec<Step>) {
        let is_entry = self.program.is_root(function);
        for part in self.parts.clone() {
            let variable = &self.program.variables[part.variable as usize];
            let is_here = match variable.function {
                Some(of) => of == function,
                None => is_entry,
            };
            if !is_here {
                continue;
            }
            match (column(self.program, part), &variable.home) {
                (Some(column), _) if self.tracked[column as usize] => {
                    let slot = self.slot(column);
                    let rule = Rule::Begin(part.variable, part.index);
                    steps.push(self.new_step(rule, Vec::new(), vec![slot]));
                }
                (None, &Home::Object(object)) => {
                    let kind = self.program.objects[object as usize].kind;
                    let is_lane = matches!(kind, ObjectKind::Lane { .. });
                    if is_lane && self.tracked[self.graph.object(object) as usize] {
                        self.undefined.follows_lanes = true;
                        let rule = Rule::BeginObject(object);
                        steps.push(self.new_step(rule, Vec::new(), Vec::new()));
                    }
                }
                _ => {}
            }
        }
    }

    fn follows(&mut self, address: &Address) -> bool {
        let memory = self.graph.memory_of(self.program, address);
        let is_tracked = memory
            .node()
            .is_some_and(|node| self.tracked[node as usize]);
        let is_workgroup = match (memory, address.object) {
            (Memory::Known(_), crate::program::Object::Known(object)) => {
                let kind = self.program.objects[object as usize].kind;
                matches!(kind, ObjectKind::Workgroup { .. })
            }
            _ => false,
        };
        self.undefined.follows_lanes |= is_tracked && !is_workgroup;
        is_tracked
    }

    /// The step that an effect takes, if it takes one.
    fn step(
        &mut self,
        naming: &mut Naming,
        rule: Rule,
        reads: &[Reg],
        writes: &[Reg],
    ) -> Option<Step> {
        let tracked_reads: Vec<bool> = reads
            .iter()
            .map(|&column| self.tracked[naming.read(column) as usize])
            .collect();
        // Behind the reads: what is written may have been read.
        let tracked_writes: Vec<bool> = writes
            .iter()
            .map(|&column| self.tracked[naming.write(column) as usize])
            .collect();
        let any_read = tracked_reads.contains(&true);
        let any_write = tracked_writes.contains(&true);
        let rule = match rule {
            Rule::Hook => {
                let columns = reads.iter().zip(&tracked_reads);
                for (&column, _) in columns
                    .chain(writes.iter().zip(&tracked_writes))
                    .filter(|it| *it.1)
                {
                    self.slot(column);
                }
                return None;
            }
            Rule::Check(_) if any_read => rule,
            Rule::Check(_) => return None,
            Rule::Store(cell, _) => match self.follows(&cell.address) {
                true => rule,
                false => return None,
            },
            Rule::Atomic(index) => {
                let address = self.program.atomics[index as usize].address;
                match (self.follows(&address), any_write) {
                    (true, _) => rule,
                    (false, true) => Rule::Clear,
                    (false, false) => return None,
                }
            }
            _ if !any_write => return None,
            Rule::Load(cell, _) if self.follows(&cell.address) => rule,
            Rule::Load(..) => Rule::Clear,
            Rule::Group(index) => {
                let op = self.program.groups[index as usize].op;
                match any_read || may_be_inactive(op) {
                    true => rule,
                    false => Rule::Clear,
                }
            }
            Rule::Same => {
                // One by one.
                let (mut from, mut to) = (Vec::new(), Vec::new());
                let reads = reads.iter().zip(&tracked_reads);
                for ((&read, &is_read), (&write, &is_written)) in
                    reads.zip(writes.iter().zip(&tracked_writes))
                {
                    if is_written {
                        let slot = match is_read {
                            true => self.slot(read),
                            false => NO_REG,
                        };
                        from.push((read, slot));
                        to.push(self.slot(write));
                    }
                }
                let rule = if any_read { rule } else { Rule::Clear };
                return Some(self.new_step(rule, from, to));
            }
            _ if any_read => rule,
            _ => Rule::Clear,
        };
        // Some rules look at all values, in their places.
        let needs_all = matches!(
            rule,
            Rule::Select | Rule::Binary(_) | Rule::General(_) | Rule::Store(..) | Rule::Atomic(_)
        );
        let mut read = Vec::new();
        for (&column, &is_tracked) in reads.iter().zip(&tracked_reads) {
            match is_tracked && !matches!(rule, Rule::Clear) {
                true => read.push((column, self.slot(column))),
                false if needs_all => read.push((column, NO_REG)),
                false => {}
            }
        }
        let needs_both = matches!(
            rule,
            Rule::Load(..) | Rule::Atomic(_) | Rule::General(_) | Rule::Group(_)
        );
        let mut write = Vec::new();
        for (&column, &is_tracked) in writes.iter().zip(&tracked_writes) {
            match is_tracked {
                true => write.push(self.slot(column)),
                false if needs_both => write.push(NO_REG),
                false => {}
            }
        }
        Some(self.new_step(rule, read, write))
    }
}
