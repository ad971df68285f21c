//! Exploration: all that the memory model allows a small program to do.

mod condition;
mod known;
mod search;
mod state;

use std::collections::BTreeMap;

use hashbrown::HashMap;
use spirvkit_diagnostics::{Diagnostic, Errors, Severity};
use spirvkit_grammar::{MemoryModel, MemorySemantics};

use crate::kinds;
use crate::machine::{Buffer, Findings, Invocations, Pipes, Queue, Race, Shared, with_stops};
use crate::program::{Inst, ObjectKind, Program};
use crate::run::{Element, Prepared, Run};
use crate::special::Special;
pub use condition::{Condition, ConditionError};
use search::{Limits, Search};

/// The default for [`Explore::max_looks`].
pub const MAX_LOOKS: u64 = 1 << 18;

/// How many invocations can be explored together.
const MAX_INVOCATIONS: u64 = 64;

/// How many steps an invocation may take between two accesses.
const MAX_STEPS: u64 = 1 << 20;

/// How many outcomes are kept.
const MAX_OUTCOMES: usize = 1 << 12;

/// How a run is explored: made by [`Run::explore`].
#[derive(Clone, Debug)]
#[must_use]
pub struct Explore<'a> {
    run: Run<'a>,
    max_looks: u64,
}

impl<'a> Run<'a> {
    /// Explores all that the memory model allows, instead of running in one order.
    pub fn explore(self) -> Explore<'a> {
        Explore {
            run: self,
            max_looks: MAX_LOOKS,
        }
    }
}

impl Explore<'_> {
    /// How many executions, or beginnings of them, are looked at before exploration ends
    /// without having seen all. The default is [`MAX_LOOKS`].
    pub fn max_looks(mut self, looks: u64) -> Self {
        self.max_looks = looks;
        self
    }

    /// Explores this number of workgroups in each dimension.
    ///
    /// # Errors
    ///
    /// If the module can't be run or explored, or its inputs don't match its declarations.
    pub fn dispatch(mut self, groups: [u32; 3]) -> Result<Explored, Errors> {
        self.explored(groups)
    }

    fn explored(&mut self, groups: [u32; 3]) -> Result<Explored, Errors> {
        let Prepared {
            program,
            buffers,
            homes,
            images,
        } = self.run.prepared(false)?;
        check(&program, groups)?;
        let stopping = with_stops(&program);
        let spaces = Spaces::of(&program, &homes);
        let mut shared = Shared {
            program: &stopping,
            buffers: buffers.into_iter().map(Buffer::from).collect(),
            homes,
            images,
            pipes: Pipes::default(),
            queue: Queue::default(),
            findings: Findings::default(),
            steps: 0,
            max_steps: MAX_STEPS,
            groups,
            offset: self.run.global_offset,
            observer: None,
            printed: String::new(),
            max_printed: 0,
            changes: 0,
            races: None,
            schedule: None,
            subgroup_size: self.run.subgroup_size,
            stored: HashMap::new(),
            is_robust: self.run.is_robust,
            threads: 1,
            tick: None,
            keeps_turns: false,
            are_lanes_together: program.code.iter().any(|inst| !inst.is_of_each_lane()),
            tracks: None,
        };
        let limits = Limits {
            looks: self.max_looks,
            steps: MAX_STEPS,
            outcomes: MAX_OUTCOMES,
        };
        let mut search = Search::new(&mut shared, &program, self.run.subgroup_size, limits);
        let mut found = search.run();
        let races = std::mem::take(&mut found.races);
        let mut findings = found.findings;
        let accepts = |pc: u32| {
            let place = program.places.get(pc as usize);
            place.is_some_and(|place| self.run.accepted.contains(place))
        };
        for ([(other, thread), (pc, own)], spot) in races.into_values() {
            if accepts(other) || accepts(pc) {
                continue;
            }
            let (workgroup, local) = search.who(thread);
            let (id, first) = search.who(own);
            let who = Invocations {
                workgroup: id,
                first,
                count: 1,
            };
            let race = Race {
                other,
                deed: deed(&program, other, true),
                own_deed: deed(&program, pc, false),
                workgroup,
                local,
                missing: String::from("the memory model orders neither before the other"),
                is_between_writes: false,
            };
            findings.race(&program, pc, who, search.place(spot), race);
        }
        Ok(Explored {
            spaces,
            outcomes: found.outcomes.into_iter().collect(),
            findings: findings.into_diagnostics(&program, 0),
            executions: found.executions,
            incomplete: found.incomplete,
        })
    }
}

/// What an instruction does to memory.
fn deed(program: &Program, pc: u32, is_other: bool) -> &'static str {
    let what = match program.code.get(pc as usize) {
        Some(Inst::Load { .. }) => ["this read", "a read"],
        Some(Inst::Store { .. }) => ["this write", "a write"],
        _ => ["this atomic", "an atomic"],
    };
    what[usize::from(is_other)]
}

/// Refuses what can't be explored.
fn check(program: &Program, groups: [u32; 3]) -> Result<(), Box<Diagnostic>> {
    let size: u64 = program
        .workgroup_size
        .iter()
        .map(|&it| u64::from(it))
        .product();
    let all = groups
        .iter()
        .fold(size, |all, &it| all.saturating_mul(it.into()));
    if all > MAX_INVOCATIONS {
        let message =
            format!("exploring {all} invocations, where {MAX_INVOCATIONS} can be explored");
        return Err(Box::new(kinds::UNSUPPORTED.error(message)));
    }
    // Its axioms are other ones: those of OpenCL C.
    if program.memory_model == Some(MemoryModel::OpenCL) {
        let message = "the memory model `OpenCL` can't be explored yet";
        return Err(Box::new(kinds::UNSUPPORTED.error(message)));
    }
    let is_sequential =
        |semantics: MemorySemantics| semantics.0 & MemorySemantics::SequentiallyConsistent.0 != 0;
    let is_split = program.fences.iter().any(|fence| fence.half.is_some());
    let refused = |inst: &Inst| match *inst {
        // It could be between both halves, and is then not ordered by them.
        Inst::Fence(index) if is_split && program.fences[index as usize].half.is_none() => {
            Some("memory barriers beside split control barriers")
        }
        Inst::Atomic(index) if is_sequential(program.atomics[index as usize].fence.semantics) => {
            Some("sequentially consistent atomics")
        }
        Inst::Fence(index) | Inst::Barrier { fence: index, .. }
            if is_sequential(program.fences[index as usize].semantics) =>
        {
            Some("sequentially consistent barriers")
        }
        Inst::Group(_) => Some("operations of subgroups"),
        Inst::Image(_) => Some("accesses to images"),
        Inst::Special(index) => match program.specials[index as usize] {
            Special::Pipe(_) => Some("pipes"),
            Special::Enqueue(_) => Some("kernels that enqueue others"),
            _ => Some("what invocations do together"),
        },
        _ => None,
    };
    for (inst, &place) in program.code.iter().zip(&program.places) {
        if let Some(what) = refused(inst) {
            let error = kinds::UNSUPPORTED.error(format!("{what} can't be explored yet"));
            return Err(Box::new(error.at_word(place as usize)));
        }
    }
    Ok(())
}

/// Which buffers stand where in an outcome.
#[derive(Clone, Debug, Default)]
struct Spaces {
    /// By set, binding and element.
    bindings: BTreeMap<(u32, u32, u32), usize>,
    /// By the index of a kernel's argument.
    arguments: BTreeMap<u32, usize>,
}

impl Spaces {
    fn of(program: &Program, homes: &[usize]) -> Self {
        let mut spaces = Self::default();
        for (object, &home) in program.objects.iter().zip(homes) {
            match object.kind {
                ObjectKind::Buffer {
                    set,
                    binding,
                    element,
                    ..
                } => _ = spaces.bindings.insert((set, binding, element), home),
                ObjectKind::Argument { index, .. } => _ = spaces.arguments.insert(index, home),
                _ => {}
            }
        }
        spaces
    }
}

/// What exploration has found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explored {
    /// Which buffers stand where in the outcomes.
    spaces: Spaces,
    outcomes: Vec<Vec<Vec<u8>>>,
    /// What goes wrong in some execution, data races among it.
    pub findings: Vec<Diagnostic>,
    /// The number of executions.
    pub executions: u64,
    /// Why not all executions were seen, if that is so.
    pub incomplete: Option<String>,
}

impl Explored {
    /// The different contents that the buffers can have in the end. If there are data races,
    /// they may have others as well.
    pub fn outcomes(&self) -> impl Iterator<Item = Final<'_>> {
        let spaces = &self.spaces;
        self.outcomes
            .iter()
            .map(move |memory| Final { spaces, memory })
    }

    /// Whether there is an outcome for which a condition holds: `None` if none was found, but
    /// not all were seen.
    pub fn is_reachable(&self, condition: impl Fn(Final<'_>) -> bool) -> Option<bool> {
        match (self.outcomes().any(condition), &self.incomplete) {
            (true, _) => Some(true),
            (false, None) => Some(false),
            (false, Some(_)) => None,
        }
    }

    /// Whether there is a data race: `None` if none was found, but not all executions were
    /// seen.
    pub fn has_race(&self) -> Option<bool> {
        let is_race = |found: &Diagnostic| found.rule() == kinds::RACE.id;
        match (self.findings.iter().any(is_race), &self.incomplete) {
            (true, _) => Some(true),
            (false, None) => Some(false),
            (false, Some(_)) => None,
        }
    }

    /// Whether there are no findings but warnings.
    pub fn is_clean(&self) -> bool {
        let is_error = |found: &Diagnostic| found.severity() == Severity::Error;
        !self.findings.iter().any(is_error)
    }
}

/// The contents of buffers at the end of an execution.
#[derive(Clone, Copy, Debug)]
pub struct Final<'e> {
    spaces: &'e Spaces,
    memory: &'e [Vec<u8>],
}

impl<'e> Final<'e> {
    /// The bytes of a buffer; empty if there is no such buffer.
    pub fn bytes(&self, set: u32, binding: u32) -> &'e [u8] {
        self.element(set, binding, 0)
    }

    /// The bytes of one element of an array of buffers; empty if there is no such buffer.
    pub fn element(&self, set: u32, binding: u32, element: u32) -> &'e [u8] {
        self.space(self.spaces.bindings.get(&(set, binding, element)))
    }

    /// The bytes of an argument of a kernel; empty if there is no such argument in memory.
    pub fn argument(&self, index: u32) -> &'e [u8] {
        self.space(self.spaces.arguments.get(&index))
    }

    fn space(&self, space: Option<&usize>) -> &'e [u8] {
        let buffer = space.and_then(|&space| self.memory.get(space));
        buffer.map_or(&[], |buffer| buffer)
    }

    /// The numbers in a buffer, up to the last whole one.
    pub fn read<T: Element>(&self, set: u32, binding: u32) -> Vec<T> {
        let chunks = self.bytes(set, binding).chunks_exact(T::SIZE);
        chunks.map(T::read).collect()
    }
}
