//! Pipes (section 3.32.23; OpenCL C, "Pipe Functions").
//!
//! An instruction says which packets it takes or puts, and their bytes are copied by the one
//! behind it, before anybody else goes on.

mod queue;

use std::collections::BTreeMap;

use super::Shared;
use super::control::{Active, Gang, Invocations, lanes};
use crate::kinds;
use crate::program::{Level, ObjectKind, Pc, Program};
use crate::special::{PipeOp, PipeUse};
use queue::Queue;

/// The result where no packet could be read or written.
const FAILED: u32 = u32::MAX;

/// The pipes of a run, and what is reserved of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pipes {
    /// By their objects.
    pipes: BTreeMap<u32, Pipe>,
    /// By their ids, as long as they are not committed. 0 is none.
    reservations: BTreeMap<u32, Reservation>,
    /// The id that was given last.
    last: u32,
}

#[derive(Clone, Debug)]
struct Pipe {
    queue: Queue,
    /// How many bytes a packet has.
    packet: u32,
    /// Whether packets were read, and written.
    was_used: [bool; 2],
}

#[derive(Clone, Copy, Debug)]
struct Reservation {
    object: u32,
    is_write: bool,
    /// The number of the first packet, and how many there are.
    start: u64,
    count: u32,
    /// Who has made it, and where.
    pc: Pc,
    who: Invocations,
}

/// What an instruction on a pipe is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Operands {
    pipe: u32,
    size: u32,
    second: u32,
    index: u32,
}

/// What it gives: the result, and the packet whose bytes are to be copied.
#[derive(Clone, Copy, Debug, Default)]
struct Given {
    result: u32,
    /// The byte where it begins.
    packet: Option<u32>,
}

impl Pipes {
    /// The pipes of a program, with the packets that are there at first.
    pub(crate) fn new(program: &Program) -> Self {
        let mut pipes = Self::default();
        for (object, info) in (0..).zip(&program.objects) {
            if let ObjectKind::Pipe {
                packet,
                capacity,
                count,
                ..
            } = info.kind
            {
                let pipe = Pipe {
                    queue: Queue::new(capacity, count),
                    packet,
                    was_used: [false; 2],
                };
                pipes.pipes.insert(object, pipe);
            }
        }
        pipes
    }

    /// Leaves of the bytes of each pipe those of the packets that are there, in their order.
    pub(crate) fn settle(&self, homes: &[usize], buffers: &mut [Vec<u8>]) {
        for (&object, pipe) in &self.pipes {
            let Some(bytes) = homes.get(object as usize).map(|&home| &mut buffers[home]) else {
                continue;
            };
            let packet = pipe.packet as usize;
            let of_packet = |number| {
                let start = pipe.queue.place(number) as usize * packet;
                bytes.get(start..start + packet).unwrap_or_default()
            };
            let left: Vec<u8> = pipe.queue.there().flat_map(of_packet).copied().collect();
            *bytes = left;
        }
    }
}

/// Reports the reservations that are never committed, at the end of a kernel.
pub(super) fn finish(shared: &mut Shared<'_>) {
    let program = shared.program;
    for reservation in std::mem::take(&mut shared.pipes.reservations).into_values() {
        let Reservation { count, object, .. } = reservation;
        let message = || {
            let name = &program.objects[object as usize].name;
            format!("the kernel ends without committing the {count} packets reserved of `{name}`")
        };
        let (pc, who) = (reservation.pc, reservation.who);
        shared.findings.add(program, &kinds::PIPE, pc, who, message);
    }
}

impl<const W: usize> Gang<W> {
    /// What active lanes do with pipes: each by itself, one after the other, or all together.
    pub(super) fn pipe(
        &mut self,
        shared: &mut Shared<'_>,
        active: &Active<W>,
        pc: Pc,
        using: &PipeUse,
    ) {
        if using.level != Level::Invocation {
            if active.bits != self.all {
                let (some, all) = (active.bits.count_ones(), self.all.count_ones());
                let message =
                    || format!("only {some} of the {all} invocations of the subgroup come here");
                let who = self.invocations(active.bits);
                let program = shared.program;
                shared.findings.add(program, &kinds::PIPE, pc, who, message);
            }
            let gangs = std::slice::from_mut(self);
            return together(shared, gangs, &[active.bits], pc, using);
        }
        for lane in active.lanes() {
            let who = self.invocations(1 << lane);
            let given = perform_one(shared, pc, who, using, self.operands(using, lane));
            self.give(shared, using, lane, given);
        }
    }

    fn operands(&self, using: &PipeUse, lane: usize) -> Operands {
        Operands {
            pipe: self.word(using.pipe, lane),
            size: self.word(using.size, lane),
            second: self.word(using.second, lane),
            index: self.word(using.index, lane),
        }
    }

    /// Writes what an instruction gives to a lane.
    fn give(&mut self, shared: &Shared<'_>, using: &PipeUse, lane: usize, given: Given) {
        let object = self.word(using.pipe, lane);
        let size = shared.pipes.pipes.get(&object).map_or(0, |it| it.packet);
        let at = match given.packet {
            Some(start) => [object, start, size / using.unit.max(1)],
            None => [0; 3],
        };
        for (column, word) in using.at.into_iter().zip(at) {
            self.set_word(column, lane, word);
        }
        self.set_word(using.to, lane, given.result);
    }
}

/// What all invocations of a workgroup do together that wait at an instruction.
pub(super) fn perform<const W: usize>(
    shared: &mut Shared<'_>,
    gangs: &mut [Gang<W>],
    pc: Pc,
    using: &PipeUse,
) {
    let waiting = |gang: &Gang<W>| {
        let paths = gang.waiting.iter().filter(|path| path.pc == pc + 1);
        paths.fold(0, |all, path| all | path.mask)
    };
    let masks: Vec<u64> = gangs.iter().map(waiting).collect();
    together(shared, gangs, &masks, pc, using);
}

/// What lanes of some gangs do together, with the same operands.
fn together<const W: usize>(
    shared: &mut Shared<'_>,
    gangs: &mut [Gang<W>],
    masks: &[u64],
    pc: Pc,
    using: &PipeUse,
) {
    let mut first: Option<(Operands, Invocations)> = None;
    let mut other = None;
    for (gang, &mask) in gangs.iter().zip(masks) {
        for lane in lanes(mask) {
            let own = gang.operands(using, lane);
            match first {
                None => first = Some((own, gang.invocations(mask))),
                Some((operands, _)) if own != operands => {
                    other = other.or(Some(gang.invocations(1 << lane)));
                }
                Some(_) => {}
            }
        }
    }
    let Some((operands, who)) = first else {
        return;
    };
    if let Some(other) = other {
        let message = || {
            String::from(
                "the invocations that do this together name different pipes, reservations or numbers of packets",
            )
        };
        let program = shared.program;
        shared
            .findings
            .add(program, &kinds::PIPE, pc, other, message);
    }
    let given = perform_one(shared, pc, who, using, operands);
    for (gang, &mask) in gangs.iter_mut().zip(masks) {
        for lane in lanes(mask) {
            gang.give(shared, using, lane, given);
        }
    }
}

/// What one invocation, or several together, do with a pipe.
fn perform_one(
    shared: &mut Shared<'_>,
    pc: Pc,
    who: Invocations,
    using: &PipeUse,
    operands: Operands,
) -> Given {
    let program = shared.program;
    let findings = &mut shared.findings;
    let given = match shared.pipes.perform(pc, who, using, operands) {
        Ok(done) => {
            shared.changes += done.changes;
            shared.steps += done.steps;
            if done.unwritten != 0 {
                let (count, all) = (done.unwritten, done.steps);
                let message =
                    || format!("{count} of the {all} packets are not written, and are undefined");
                findings.warn(program, &kinds::PIPE, pc, who, message);
            }
            if let Some(name) = done.also_used.then(|| name(program, operands.pipe)) {
                let message = || format!("the kernel both reads from {name} and writes to it");
                findings.add(program, &kinds::PIPE, pc, who, message);
            }
            done.given
        }
        Err(why) => {
            let message = || why.message(program, operands);
            findings.add(program, &kinds::PIPE, pc, who, message);
            Given::failed(using.op)
        }
    };
    if !using.is_allowed {
        let name = name(program, operands.pipe);
        let (kind, what) = match using.op.is_write() {
            Some(true) => (&kinds::READ_ONLY, "writes to"),
            _ => (&kinds::WRITE_ONLY, "reads from"),
        };
        let message = || format!("{what} {name}, whose type doesn't allow it");
        findings.add(program, kind, pc, who, message);
    }
    given
}

fn name(program: &Program, object: u32) -> String {
    match program.objects.get(object as usize) {
        Some(info) => format!("`{}`", info.name),
        None => String::from("an unknown pipe"),
    }
}

impl Given {
    /// What an operation gives that could not be done.
    fn failed(op: PipeOp) -> Self {
        let result = match op {
            PipeOp::Read | PipeOp::Write | PipeOp::ReservedRead | PipeOp::ReservedWrite => FAILED,
            // Number 0 is no reservation.
            _ => 0,
        };
        Self {
            result,
            packet: None,
        }
    }
}

/// What an operation has done.
#[derive(Clone, Copy, Debug, Default)]
struct Done {
    given: Given,
    /// How often something has changed.
    changes: u64,
    /// How many packets it was about, if there may be many.
    steps: u64,
    /// How many packets were committed that nobody has written.
    unwritten: u32,
    /// Whether it is the first time that packets go the other way, too.
    also_used: bool,
}

/// Why an operation is not one on a pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    NoPipe,
    Size { packet: u32 },
    NoReservation,
    Committed,
    OtherPipe { object: u32 },
    OtherWay { is_write: bool },
    Index { count: u32 },
}

impl Wrong {
    fn message(self, program: &Program, operands: Operands) -> String {
        let Operands {
            pipe,
            size,
            second,
            index,
        } = operands;
        match self {
            Self::NoPipe => String::from("there is no such pipe"),
            Self::Size { packet } => format!(
                "a packet of {} has {packet} bytes, but {size} are named",
                name(program, pipe)
            ),
            Self::NoReservation => format!("the reservation id {second} is not valid"),
            Self::Committed => format!("the reservation with id {second} is already committed"),
            Self::OtherPipe { object } => format!(
                "the reservation is one of {}, and not of {}",
                name(program, object),
                name(program, pipe)
            ),
            Self::OtherWay { is_write: true } => String::from("the reservation is for writing"),
            Self::OtherWay { is_write: false } => String::from("the reservation is for reading"),
            Self::Index { count } => {
                format!("the index is {index}, but {count} packets are reserved")
            }
        }
    }
}

impl Pipes {
    fn perform(
        &mut self,
        pc: Pc,
        who: Invocations,
        using: &PipeUse,
        operands: Operands,
    ) -> Result<Done, Wrong> {
        let (op, object) = (using.op, operands.pipe);
        let pipe = self.pipes.get_mut(&object).ok_or(Wrong::NoPipe)?;
        let packet = pipe.packet;
        if operands.size != packet {
            return Err(Wrong::Size { packet });
        }
        let queue = &mut pipe.queue;
        let failed = Given::failed(op);
        let mut done = Done::default();
        done.given = match op {
            PipeOp::Read | PipeOp::Write => {
                let number = match op {
                    PipeOp::Read => queue.read(),
                    _ => queue.write(),
                };
                number.map_or(failed, |number| Given {
                    result: 0,
                    packet: Some(queue.place(number) * packet),
                })
            }
            PipeOp::ReserveRead | PipeOp::ReserveWrite => {
                let (is_write, count) = (op == PipeOp::ReserveWrite, operands.second);
                let start = match is_write {
                    true => queue.reserve_writing(count),
                    false => queue.reserve_reading(count),
                };
                done.steps = count.min(queue.capacity()).into();
                // Once all ids are used up, there are no more.
                match start.filter(|_| self.last < u32::MAX) {
                    None => failed,
                    Some(start) => {
                        self.last += 1;
                        let reservation = Reservation {
                            object,
                            is_write,
                            start,
                            count,
                            pc,
                            who,
                        };
                        self.reservations.insert(self.last, reservation);
                        Given {
                            result: self.last,
                            packet: None,
                        }
                    }
                }
            }
            PipeOp::ReservedRead | PipeOp::ReservedWrite => {
                let reservation = reservation(&self.reservations, self.last, op, operands)?;
                if operands.index >= reservation.count {
                    let count = reservation.count;
                    return Err(Wrong::Index { count });
                }
                let number = reservation.start + u64::from(operands.index);
                queue.note_written(number);
                Given {
                    result: 0,
                    packet: Some(queue.place(number) * packet),
                }
            }
            PipeOp::CommitRead | PipeOp::CommitWrite => {
                let Reservation { start, count, .. } =
                    reservation(&self.reservations, self.last, op, operands)?;
                self.reservations.remove(&operands.second);
                done.steps = count.into();
                match op {
                    PipeOp::CommitRead => queue.finish_reading(start, count),
                    _ => done.unwritten = queue.finish_writing(start, count),
                }
                done.changes = 1;
                Given::default()
            }
            PipeOp::Count => Given {
                result: queue.ready(),
                packet: None,
            },
            PipeOp::Capacity => Given {
                result: queue.capacity(),
                packet: None,
            },
        };
        if let Some(is_write) = op.is_write() {
            let is_first = !std::mem::replace(&mut pipe.was_used[usize::from(is_write)], true);
            done.also_used = is_first && pipe.was_used[usize::from(!is_write)];
        }
        let is_done = done.given.result != failed.result || done.given.packet.is_some();
        done.changes |= u64::from(is_done && op.is_write().is_some());
        Ok(done)
    }
}

/// The reservation that an instruction names, which has to be one of the pipe that goes the
/// same way.
fn reservation(
    reservations: &BTreeMap<u32, Reservation>,
    last: u32,
    op: PipeOp,
    operands: Operands,
) -> Result<Reservation, Wrong> {
    let id = operands.second;
    let Some(&reservation) = reservations.get(&id) else {
        return Err(match (1..=last).contains(&id) {
            true => Wrong::Committed,
            false => Wrong::NoReservation,
        });
    };
    let Reservation {
        object, is_write, ..
    } = reservation;
    if object != operands.pipe {
        return Err(Wrong::OtherPipe { object });
    }
    match op.is_write() == Some(is_write) {
        true => Ok(reservation),
        false => Err(Wrong::OtherWay { is_write }),
    }
}
