//! Following undefined values: the steps of instructions that were put in for that.

mod groups;
mod memory;

use hashbrown::HashMap;

use super::Shared;
use super::control::{Active, Gang, lanes};
use crate::program::{Address, Edge, NO_REG, ObjectKind, Pc, Program, Reg};
use crate::undefined::{
    Home, Operand, Origin, Rule, Slot, Source, Step, Undefined, UndefinedBits, Use, undefined_bits,
};
pub(crate) use groups::follow_collective;
pub(crate) use memory::{Stored, begin_workgroup};

/// What is known of undefined values in a gang.
#[derive(Clone)]
pub(crate) struct Shadows<const W: usize> {
    /// The undefined bits of columns.
    columns: Vec<[u32; W]>,
    /// Where they come from.
    origins: Vec<Option<Origin>>,
    /// Whether any of them were ever set.
    is_tainted: bool,
    /// For each byte of a lane's own memory the lanes in which it has undefined bits.
    lanes: Vec<u64>,
    /// More of those that were stored, by the lane and the offset.
    stored: HashMap<(u32, u32), Stored>,
    /// Of an invocation by itself: what the store that comes next stores, and whether what the
    /// load gives that comes next matters.
    stores: UndefinedBits,
    awaits: bool,
}

/// Whether bits of some lanes are set.
fn is_any<const W: usize>(words: &[u32; W], active: &Active<W>) -> bool {
    let any = words.iter().zip(&active.words);
    any.fold(0, |all, (word, mask)| all | (word & mask)) != 0
}

impl<const W: usize> Shadows<W> {
    pub(crate) fn new(program: &Program) -> Self {
        let undefined = program.undefined.as_deref();
        let columns = undefined.map_or(0, |it| it.shadows as usize);
        let follows_lanes = undefined.is_some_and(|it| it.follows_lanes);
        let mut shadows = Self {
            columns: vec![[0; W]; columns],
            origins: vec![None; columns],
            is_tainted: false,
            lanes: match follows_lanes {
                true => vec![0; program.lane_bytes as usize],
                false => Vec::new(),
            },
            stored: HashMap::new(),
            stores: UndefinedBits::default(),
            awaits: false,
        };
        for &(slot, value) in undefined.map_or(&[][..], |it| &it.values) {
            shadows.columns[slot as usize] = [u32::MAX; W];
            shadows.origins[slot as usize] = Some(Origin {
                source: Source::Value(value),
                place: None,
            });
        }
        shadows
    }

    /// Forgets what was, for another workgroup.
    pub(crate) fn begin(&mut self, program: &Program) {
        if self.is_tainted {
            *self = Self::new(program);
        }
        self.lanes.fill(0);
        self.stored.clear();
    }

    /// What the first lane has, to tell whether an invocation is in the same state again.
    pub(crate) fn first_lane(&self) -> Vec<u32> {
        let columns = self.columns.iter().map(|column| column[0]);
        columns
            .chain(self.lanes.iter().map(|lanes| *lanes as u32 & 1))
            .collect()
    }
}

impl<const W: usize> Gang<W> {
    /// Does the steps of an instruction.
    pub(crate) fn follow_undefined(
        &mut self,
        shared: &mut Shared<'_>,
        memory: &mut [u8],
        active: &Active<W>,
        pc: Pc,
        (start, end): (u32, u32),
    ) {
        let Some(undefined) = shared.program.undefined.as_deref() else {
            return;
        };
        for &step in &undefined.steps[start as usize..end as usize] {
            if step.is_source || self.shadows.is_tainted {
                self.follow_step(shared, memory, active, pc, undefined, step);
            }
        }
    }

    /// Gives an invocation by itself the undefined bits of what it loads.
    pub(crate) fn take_undefined(&mut self, program: &Program, to: Reg, taken: UndefinedBits) {
        let awaits = std::mem::take(&mut self.shadows.awaits);
        let Some(undefined) = program.undefined.as_deref().filter(|_| awaits) else {
            return;
        };
        let UndefinedBits { bits, origin } = taken;
        for (column, word) in [(to, bits as u32), (to.wrapping_add(1), (bits >> 32) as u32)] {
            if let Some(slot) = undefined.slot(column).filter(|_| word != 0) {
                self.set_shadow(&Active::new(1), slot, [word; W], origin);
            }
        }
    }

    /// The undefined bits of what an invocation by itself is to store.
    pub(crate) fn undefined_to_store(&mut self) -> UndefinedBits {
        std::mem::take(&mut self.shadows.stores)
    }

    /// Whether nothing undefined was met yet.
    #[inline(always)]
    pub(crate) fn is_untainted(&self) -> bool {
        !self.shadows.is_tainted
    }

    fn follow_step(
        &mut self,
        shared: &mut Shared<'_>,
        memory: &mut [u8],
        active: &Active<W>,
        pc: Pc,
        undefined: &Undefined,
        step: Step,
    ) {
        let reads = undefined.reads(step);
        let writes = undefined.writes(step);
        match step.rule {
            Rule::Clear => self.clear(active, writes),
            Rule::Same => {
                for (&(_, from), &to) in reads.iter().zip(writes) {
                    let words = self.shadow(from);
                    self.set_shadow(active, to, words, self.origin(from));
                }
            }
            Rule::Any => match self.any_of(active, reads) {
                None => self.clear(active, writes),
                Some((words, origin)) => {
                    let words = words.map(|word| u32::from(word != 0).wrapping_neg());
                    for &to in writes {
                        self.set_shadow(active, to, words, origin);
                    }
                }
            },
            Rule::Begin(variable, index) => {
                let source = Source::Variable(variable, index);
                let origin = Some(Origin {
                    source,
                    place: None,
                });
                for &to in writes {
                    self.set_shadow(active, to, [u32::MAX; W], origin);
                }
            }
            Rule::Select => self.follow_select(active, reads, writes),
            Rule::Binary(op) => {
                if self.any_of(active, reads).is_none() {
                    return self.clear(active, writes);
                }
                self.follow_lanes(active, writes, reads, |this, lane| {
                    let operands = [0, 1].map(|index| this.operand_of(reads, index, lane));
                    undefined_bits(op.on_integers(), &operands, 32)
                });
            }
            Rule::General(index) => {
                if self.any_of(active, reads).is_none() {
                    return self.clear(active, writes);
                }
                let general = &shared.program.general[index as usize];
                let op = match general.op {
                    crate::program::GeneralOp::Core(op) => Some(op),
                    _ => None,
                };
                let widths: Vec<u32> = general.operands.iter().map(|it| it.0.width()).collect();
                let width = general.result.width();
                self.follow_lanes(active, writes, reads, |this, lane| {
                    let mut next = 0;
                    let operand = |&width: &u32| {
                        let mut operand = this.operand_of(reads, next, lane);
                        next += 1;
                        if width > 32 {
                            let high = this.operand_of(reads, next, lane);
                            next += 1;
                            operand.bits |= high.bits << 32;
                            operand.undefined |= high.undefined << 32;
                        }
                        operand.width = width;
                        operand.undefined &= u64::MAX >> (64 - width.clamp(1, 64));
                        operand
                    };
                    let operands: Vec<Operand> = widths.iter().map(operand).collect();
                    undefined_bits(op, &operands, width)
                });
            }
            Rule::Group(index) => {
                let group = &shared.program.groups[index as usize];
                let place = shared.program.places[pc as usize];
                self.follow_group(active, undefined, group, place);
            }
            Rule::Load(cell, only) => {
                let active = self.only(shared.program, active, only);
                self.follow_load(shared, memory, &active, pc, cell, writes);
            }
            Rule::Store(cell, only) => {
                let active = self.only(shared.program, active, only);
                self.follow_store(shared, memory, &active, cell, reads);
            }
            Rule::Atomic(index) => {
                self.follow_atomic(shared, memory, active, pc, index, reads, writes);
            }
            Rule::BeginObject(object) => self.begin_object(shared.program, active, object),
            Rule::Check(what) => self.check_defined(shared, active, pc, what, reads),
            Rule::Hook => {}
        }
    }

    /// The active lanes among those that a special instruction is for.
    fn only(&self, program: &Program, active: &Active<W>, only: u32) -> Active<W> {
        match program.specials.get(only as usize) {
            Some(&crate::special::Special::Part {
                count,
                of_workgroup,
                ..
            }) => {
                let first = if of_workgroup { self.first } else { 0 };
                let mask = match count.saturating_sub(first).min(64) {
                    0 => 0,
                    below => u64::MAX >> (64 - below),
                };
                Active::new(active.bits & mask)
            }
            _ => *active,
        }
    }

    /// The undefined bits of a column.
    fn shadow(&self, slot: Slot) -> [u32; W] {
        match self.shadows.columns.get(slot as usize) {
            Some(words) => *words,
            None => [0; W],
        }
    }

    fn origin(&self, slot: Slot) -> Option<Origin> {
        self.shadows.origins.get(slot as usize).copied().flatten()
    }

    fn set_shadow(
        &mut self,
        active: &Active<W>,
        slot: Slot,
        words: [u32; W],
        origin: Option<Origin>,
    ) {
        if slot == NO_REG {
            return;
        }
        let column = &mut self.shadows.columns[slot as usize];
        for lane in 0..W {
            let mask = active.words[lane];
            column[lane] = (column[lane] & !mask) | (words[lane] & mask);
        }
        if is_any(&words, active) {
            self.shadows.is_tainted = true;
            self.shadows.origins[slot as usize] = origin;
        }
    }

    fn clear(&mut self, active: &Active<W>, writes: &[Slot]) {
        for &to in writes.iter().filter(|&&to| to != NO_REG) {
            let column = &mut self.shadows.columns[to as usize];
            for (word, mask) in column.iter_mut().zip(&active.words) {
                *word &= !mask;
            }
        }
    }

    /// The undefined bits of all that is read together, if there are any.
    fn any_of(
        &self,
        active: &Active<W>,
        reads: &[(Reg, Slot)],
    ) -> Option<([u32; W], Option<Origin>)> {
        let mut all = [0; W];
        let mut origin = None;
        for &(_, slot) in reads.iter().filter(|it| it.1 != NO_REG) {
            let words = &self.shadows.columns[slot as usize];
            if is_any(words, active) {
                origin = origin.or(self.origin(slot));
                all.iter_mut()
                    .zip(words)
                    .for_each(|(all, word)| *all |= word);
            }
        }
        origin.is_some().then_some((all, origin))
    }

    fn operand_of(&self, reads: &[(Reg, Slot)], index: usize, lane: usize) -> Operand {
        let Some(&(column, slot)) = reads.get(index) else {
            return Operand::default();
        };
        let undefined = self.shadows.columns.get(slot as usize);
        Operand {
            bits: self.columns[column as usize][lane].into(),
            undefined: undefined.map_or(0, |words| words[lane].into()),
            width: 32,
        }
    }

    /// Writes one or two shadows lane by lane.
    fn follow_lanes(
        &mut self,
        active: &Active<W>,
        writes: &[Slot],
        reads: &[(Reg, Slot)],
        bits: impl Fn(&Self, usize) -> u64,
    ) {
        let (mut low, mut high) = ([0; W], [0; W]);
        for lane in active.lanes() {
            let bits = bits(self, lane);
            low[lane] = bits as u32;
            high[lane] = (bits >> 32) as u32;
        }
        let origin = self.any_of(active, reads).and_then(|it| it.1);
        for (&to, words) in writes.iter().zip([low, high]) {
            self.set_shadow(active, to, words, origin);
        }
    }

    fn follow_select(&mut self, active: &Active<W>, reads: &[(Reg, Slot)], writes: &[Slot]) {
        let (&[condition, a, b], Some((_, origin))) = (reads, self.any_of(active, reads)) else {
            return self.clear(active, writes);
        };
        let [chosen, first, second] = [condition, a, b].map(|it| self.shadow(it.1));
        let [truth, x, y] = [condition, a, b].map(|it| self.columns[it.0 as usize]);
        let words =
            std::array::from_fn(|lane| match (chosen[lane] & 1 != 0, truth[lane] & 1 != 0) {
                // It is what both have in common, whichever is chosen.
                (true, _) => first[lane] | second[lane] | (x[lane] ^ y[lane]),
                (false, true) => first[lane],
                (false, false) => second[lane],
            });
        // What is chosen may well come from elsewhere than the condition.
        let of = |slot: Slot| {
            self.origin(slot)
                .filter(|_| is_any(&self.shadow(slot), active))
        };
        let origin = of(a.1).or(of(b.1)).or(origin);
        for &to in writes {
            self.set_shadow(active, to, words, origin);
        }
    }

    /// Lets phis get what they get on an edge.
    pub(crate) fn follow_moves(&mut self, program: &Program, active: &Active<W>, edge: Edge) {
        let Some(undefined) = program.undefined.as_deref() else {
            return;
        };
        let range = edge.moves.0 as usize..edge.moves.1 as usize;
        let is_source = undefined.moves.get(range.start).copied().unwrap_or(false);
        if !self.shadows.is_tainted && !is_source {
            return;
        }
        for &(to, from) in &program.moves[range] {
            if let Some(to) = undefined.slot(to) {
                let from = undefined.slot(from).unwrap_or(NO_REG);
                let words = self.shadow(from);
                self.set_shadow(active, to, words, self.origin(from));
            }
        }
    }

    fn check_defined(
        &mut self,
        shared: &mut Shared<'_>,
        active: &Active<W>,
        pc: Pc,
        what: Use,
        reads: &[(Reg, Slot)],
    ) {
        let Some((words, Some(origin))) = self.any_of(active, reads) else {
            return;
        };
        let wrong = lanes(active.bits).filter(|&lane| words[lane] != 0);
        let wrong = wrong.fold(0, |all, lane| all | 1u64 << lane);
        self.report_undefined(shared, wrong, pc, what, origin);
    }

    fn report_undefined(
        &self,
        shared: &mut Shared<'_>,
        wrong: u64,
        pc: Pc,
        what: Use,
        origin: Origin,
    ) {
        let program = shared.program;
        let message = || format!("{} {}", subject(what), explained(program, origin));
        let place = match origin.source {
            Source::Value(index) => program
                .undefined_values
                .get(index as usize)
                .map(|it| it.place),
            _ => origin.place,
        };
        let label = match origin.source {
            Source::Value(_) => "this is undefined",
            Source::Inactive => "this is undefined for some invocations",
            _ => "this reads it",
        };
        let other = place.map(|place| (place, String::from(label)));
        let is_warning = what == Use::Stored;
        let who = self.invocations(wrong);
        let findings = &mut shared.findings;
        findings.uninitialized(program, pc, who, is_warning, (message, other));
    }
}

/// What is undefined, for messages.
fn subject(what: Use) -> &'static str {
    match what {
        Use::Condition => "the condition of the branch is undefined:",
        Use::Selector => "the selector of the switch is undefined:",
        Use::Address => "the address is undefined:",
        Use::AtomicOperand => "an operand of the atomic is undefined:",
        Use::AtomicMemory => "the atomic changes what is undefined:",
        Use::Assumption => "what is assumed to be true is undefined:",
        Use::Barrier => "the named barrier is undefined:",
        Use::Enqueue => "an operand of the instruction on a queue or an event is undefined:",
        Use::Pipe => "an operand of the instruction on a pipe is undefined:",
        Use::Stored => "the value that is stored is undefined:",
    }
}

/// Where an undefined value comes from, for messages.
fn explained(program: &Program, origin: Origin) -> String {
    match origin.source {
        Source::Value(index) => match program.undefined_values.get(index as usize) {
            Some(value) => format!("it comes from `{}`, which has no value", value.name),
            None => String::from("it comes from a value that is undefined"),
        },
        Source::Variable(variable, index) => match program.variables.get(variable as usize) {
            Some(variable) => match &variable.home {
                Home::Columns(columns) if columns.len() > 1 => format!(
                    "it comes from word {index} of `{}`, to which nothing was written",
                    variable.name
                ),
                _ => format!(
                    "it comes from `{}`, to which nothing was written",
                    variable.name
                ),
            },
            None => String::from("it comes from a variable to which nothing was written"),
        },
        Source::Memory { object, offset } => match program.objects.get(object as usize) {
            Some(info) => format!(
                "it comes from byte {offset} of `{}`, to which nothing was written",
                info.name
            ),
            None => String::from("it comes from memory to which nothing was written"),
        },
        Source::Inactive => String::from(
            "it comes from an invocation that takes no part in an operation of the group",
        ),
    }
}

/// Where the bytes are that an access is to, if they are a lane's or a workgroup's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Own {
    Lane(u32, u32),
    Workgroup(u32, u32),
}

fn own(program: &Program, object: u32) -> Option<Own> {
    match program.objects.get(object as usize)?.kind {
        ObjectKind::Lane { start, size } => Some(Own::Lane(start, size)),
        ObjectKind::Workgroup { start, size } => Some(Own::Workgroup(start, size)),
        _ => None,
    }
}

impl<const W: usize> Gang<W> {
    /// Where a lane accesses so many bytes of its own or the workgroup's: the object, the
    /// offset in it, and the place of the first byte.
    fn own_bytes(
        &self,
        program: &Program,
        address: Address,
        bytes: u32,
        lane: usize,
    ) -> Option<(u32, u32, Own)> {
        let (object, offset) = self.locate(address, lane);
        let own = own(program, object)?;
        let (Own::Lane(start, size) | Own::Workgroup(start, size)) = own;
        let end = offset.checked_add(bytes)?;
        if end > size {
            return None;
        }
        let place = start + offset;
        let own = match own {
            Own::Lane(..) => Own::Lane(place, bytes),
            Own::Workgroup(..) => Own::Workgroup(place, bytes),
        };
        Some((object, offset, own))
    }
}
