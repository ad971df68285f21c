//! What a run shows.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use spirvkit_diagnostics::{Diagnostic, Kind, Location};
use spirvkit_eval::Reason;

use super::control::Invocations;
use super::race::Race;
use crate::kinds;
use crate::program::{Pc, Program};

/// How many findings are kept.
const MAX_FINDINGS: usize = 1000;

/// How many parts of an instruction are told from each other.
const MAX_PARTS: usize = 64;

/// What was found, each kind once at an instruction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    found: BTreeMap<(u32, &'static str), Finding>,
}

#[derive(Clone, Debug)]
struct Finding {
    kind: &'static Kind,
    message: String,
    invocations: Invocations,
    /// Another instruction that has to do with it, and what.
    other: Option<(u32, String)>,
    is_warning: bool,
    times: Times,
    /// The invocations in words, once their kernel has ended.
    who: Option<String>,
}

/// How often each instruction of the program has shown a finding: one of the module may be several
/// of those, such as a load of a vector, but is executed once.
#[derive(Clone, Debug, Default)]
struct Times(Vec<(Pc, u64)>);

impl Times {
    fn add(&mut self, pc: Pc, times: u64) {
        match self.0.iter().position(|it| it.0 == pc) {
            Some(index) => self.0[index].1 += times,
            None if self.0.len() < MAX_PARTS => self.0.push((pc, times)),
            None => {}
        }
    }

    fn add_all(&mut self, other: &Self) {
        other.0.iter().for_each(|&(pc, times)| self.add(pc, times));
    }

    fn most(&self) -> u64 {
        self.0.iter().map(|it| it.1).max().unwrap_or(0)
    }
}

impl Findings {
    /// Notes in words who it was, at the end of a kernel: the next one has other workgroups. One
    /// that was enqueued has a name.
    pub(crate) fn settle(&mut self, program: &Program, kernel: Option<&str>) {
        for finding in self.found.values_mut().filter(|it| it.who.is_none()) {
            let Invocations {
                workgroup, first, ..
            } = finding.invocations;
            let who = invocation(program, workgroup, first);
            finding.who = Some(match kernel {
                Some(kernel) => format!("{who} of `{kernel}`"),
                None => who,
            });
        }
    }

    pub(crate) fn add(
        &mut self,
        program: &Program,
        kind: &'static Kind,
        pc: Pc,
        invocations: Invocations,
        message: impl FnOnce() -> String,
    ) {
        let finding = || Finding {
            kind,
            message: message(),
            invocations,
            other: None,
            is_warning: false,
            times: Times::default(),
            who: None,
        };
        self.count(program, kind, pc, invocations, finding);
    }

    /// The same for what need not be wrong.
    pub(crate) fn warn(
        &mut self,
        program: &Program,
        kind: &'static Kind,
        pc: Pc,
        invocations: Invocations,
        message: impl FnOnce() -> String,
    ) {
        let finding = || Finding {
            kind,
            message: message(),
            invocations,
            other: None,
            is_warning: true,
            times: Times::default(),
            who: None,
        };
        self.count(program, kind, pc, invocations, finding);
    }

    /// Counts a finding, and makes it if it is the first of its kind at an instruction.
    fn count(
        &mut self,
        program: &Program,
        kind: &'static Kind,
        pc: Pc,
        invocations: Invocations,
        finding: impl FnOnce() -> Finding,
    ) {
        let place = program.places.get(pc as usize).copied().unwrap_or(0);
        let is_full = self.found.len() >= MAX_FINDINGS;
        let found = match self.found.entry((place, kind.id)) {
            Entry::Vacant(_) if is_full => return,
            Entry::Vacant(entry) => entry.insert(finding()),
            Entry::Occupied(entry) => entry.into_mut(),
        };
        found.times.add(pc, invocations.count.into());
    }

    /// An operation whose result, or behaviour, is undefined.
    pub(crate) fn undefined(
        &mut self,
        program: &Program,
        pc: Pc,
        reason: Reason,
        invocations: Invocations,
    ) {
        let (kind, is_warning) = match reason {
            Reason::DivisionByZero | Reason::DivisionOverflow => (&kinds::DIVISION, false),
            Reason::ShiftOutOfRange
            | Reason::ConversionOutOfRange
            | Reason::BitFieldOutOfRange
            | Reason::SignedWrap
            | Reason::UnsignedWrap
            | Reason::ClampBounds => (&kinds::UNDEFINED, true),
            // One of several numbers, each of which is right.
            _ => return,
        };
        let finding = || Finding {
            kind,
            message: format!("the result is undefined, because {reason}"),
            invocations,
            other: None,
            is_warning,
            times: Times::default(),
            who: None,
        };
        self.count(program, kind, pc, invocations, finding);
    }

    /// An undefined value where there must be none, with what else there is to say of it.
    pub(crate) fn uninitialized(
        &mut self,
        program: &Program,
        pc: Pc,
        invocations: Invocations,
        is_warning: bool,
        (message, other): (impl FnOnce() -> String, Option<(u32, String)>),
    ) {
        let kind = &kinds::UNINITIALIZED;
        let finding = || Finding {
            kind,
            message: message(),
            invocations,
            other,
            is_warning,
            times: Times::default(),
            who: None,
        };
        self.count(program, kind, pc, invocations, finding);
    }

    pub(crate) fn unreachable(&mut self, program: &Program, pc: Pc, invocations: Invocations) {
        let message = || String::from("`OpUnreachable` is reached");
        self.add(program, &kinds::UNREACHABLE, pc, invocations, message);
    }

    /// Everybody waits, and these are the first.
    pub(crate) fn livelock(&mut self, program: &Program, pc: Pc, invocations: Invocations) {
        let message = || {
            String::from(
                "all that have not ended go round loops here, and nothing changes any more",
            )
        };
        self.add(program, &kinds::LIVELOCK, pc, invocations, message);
    }

    pub(crate) fn steps(
        &mut self,
        program: &Program,
        pc: Pc,
        limit: u64,
        invocations: Invocations,
    ) {
        let message = || format!("the run was stopped here after {limit} steps");
        self.add(program, &kinds::STEPS, pc, invocations, message);
    }

    /// `first` and `second` are behind the barriers.
    pub(crate) fn divergent_barrier(
        &mut self,
        program: &Program,
        first: Pc,
        second: Pc,
        invocations: Invocations,
    ) {
        let place = program
            .places
            .get(second as usize - 1)
            .copied()
            .unwrap_or(0);
        let finding = || Finding {
            kind: &kinds::BARRIER,
            message: String::from("only a part of the workgroup waits at this barrier"),
            invocations,
            other: Some((place, String::from("others wait at this one"))),
            is_warning: false,
            times: Times::default(),
            who: None,
        };
        self.count(program, &kinds::BARRIER, first - 1, invocations, finding);
    }

    pub(crate) fn ended_before_barrier(
        &mut self,
        program: &Program,
        pc: Pc,
        invocations: Invocations,
    ) {
        let message = || String::from("a part of the workgroup ends without reaching this barrier");
        self.add(program, &kinds::BARRIER, pc - 1, invocations, message);
    }

    /// Two accesses that race, of which this is the second, to an object at an offset.
    pub(crate) fn race(
        &mut self,
        program: &Program,
        pc: Pc,
        invocations: Invocations,
        (name, offset): (Arc<str>, u32),
        race: Race,
    ) {
        let other = program
            .places
            .get(race.other as usize)
            .copied()
            .unwrap_or(0);
        let finding = || {
            let who = invocation(program, race.workgroup, race.local);
            let Race {
                deed,
                own_deed,
                missing,
                ..
            } = race;
            Finding {
                kind: &kinds::RACE,
                message: format!(
                    "{own_deed} at byte {offset} of `{name}` races with {deed} by {who}: {missing}"
                ),
                invocations,
                other: Some((other, format!("{deed} by {who}"))),
                is_warning: false,
                times: Times::default(),
                who: None,
            }
        };
        self.count(program, &kinds::RACE, pc, invocations, finding);
    }

    /// Adds those of another execution of the same program.
    pub(crate) fn merge(&mut self, other: Self) {
        for (place, finding) in other.found {
            self.found.entry(place).or_insert(finding);
        }
    }

    /// Adds those of workgroups that ran at the same time: the first workgroup is named.
    pub(crate) fn absorb(&mut self, other: &Self) {
        let place = |finding: &Finding| {
            let [x, y, z] = finding.invocations.workgroup;
            [z, y, x]
        };
        for (key, finding) in &other.found {
            match self.found.entry(*key) {
                Entry::Vacant(entry) => _ = entry.insert(finding.clone()),
                Entry::Occupied(mut entry) => {
                    let mut times = entry.get().times.clone();
                    times.add_all(&finding.times);
                    if place(finding) < place(entry.get()) {
                        entry.insert(finding.clone());
                    }
                    entry.get_mut().times = times;
                }
            }
        }
    }

    /// Whether no more are kept, so that it matters which came first.
    pub(crate) fn are_full(&self) -> bool {
        self.found.len() >= MAX_FINDINGS
    }

    /// All findings in the order of the module. `order` is the one of execution.
    pub(crate) fn into_diagnostics(self, program: &Program, order: u64) -> Vec<Diagnostic> {
        // A race shows at either access, whichever comes second: it is told of once.
        let other = |key: &(u32, &'static str)| Some(self.found.get(key)?.other.as_ref()?.0);
        let is_told = |&(place, id): &(u32, &'static str)| {
            let first = other(&(place, id)).filter(|&first| first < place);
            id == kinds::RACE.id && first.and_then(|first| other(&(first, id))) == Some(place)
        };
        let told: Vec<_> = self.found.keys().copied().filter(is_told).collect();
        let found = self.found.into_iter();
        let found = found.filter(|(key, _)| told.binary_search(key).is_err());
        let all = found.map(|((place, _), finding)| finding.diagnostic(place, program, order));
        all.collect()
    }
}

impl Finding {
    fn diagnostic(self, place: u32, program: &Program, order: u64) -> Diagnostic {
        let Invocations {
            workgroup, first, ..
        } = self.invocations;
        let who = self.who;
        let who = who.unwrap_or_else(|| invocation(program, workgroup, first));
        let who = format!("by {who}");
        let who = match self.times.most() {
            1 => who,
            times => format!("{times} times, first {who}"),
        };
        let when = match order {
            0 => String::new(),
            order => format!(", in order {order}"),
        };
        let message = format!("{}; executed {who}{when}", self.message);
        let mut diagnostic = match self.is_warning {
            true => self.kind.warning(message),
            false => self.kind.error(message),
        };
        diagnostic = diagnostic
            .at_word(place as usize)
            .with_help(self.kind.advice);
        if let Some((other, what)) = self.other {
            diagnostic = diagnostic.with_label(Location::Word(other as usize), what);
        }
        diagnostic
    }
}

/// An invocation by its ids.
fn invocation(program: &Program, workgroup: [u32; 3], local: u32) -> String {
    let local = program.local_id(workgroup, local);
    format!(
        "invocation ({}, {}, {}) of workgroup ({}, {}, {})",
        local[0], local[1], local[2], workgroup[0], workgroup[1], workgroup[2]
    )
}
