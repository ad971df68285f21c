//! Kernels that enqueue others (section 3.32.22; OpenCL C, "Enqueuing Kernels").
//!
//! What is enqueued runs once the kernel that enqueued it has ended, one after the other, with
//! the same memory and the same program, in which only what is said of a launch is another.

mod queue;

use super::control::{Active, Gang, Invocations};
use super::copies::touch;
use super::memory::Access;
use super::{Buffer, Races, Shared, dispatch, workgroup_bytes};
use crate::kinds;
use crate::lower::MAX_ENQUEUED_WORKGROUP;
use crate::program::{Address, ObjectKind, Pc, Program};
use crate::special::{EnqueueOp, EnqueueUse};
pub(crate) use queue::Queue;
use queue::{Launch, Wrong};

/// `CLK_ENQUEUE_FAILURE`.
const FAILURE: u32 = -101i32 as u32;

/// What `OpEnqueueKernel` is told of when a kernel may begin: nothing, the kernel that enqueues
/// it, or the workgroup.
const FLAGS: std::ops::RangeInclusive<u32> = 0..=2;

/// How many events may be waited for.
const MAX_WAITS: u32 = 1 << 16;

/// How many instructions of the program count as a step each time that a kernel begins: so much
/// there is to be looked at.
const INSTRUCTIONS_FOR_STEP: u64 = 16;

/// What is written of a kernel that is complete: two numbers of 64 bits.
const CAPTURED_BYTES: u32 = 16;

impl<const W: usize> Gang<W> {
    /// What active lanes do with queues and events, one after the other.
    pub(super) fn enqueue(
        &mut self,
        shared: &mut Shared<'_>,
        memory: &mut [u8],
        active: &Active<W>,
        pc: Pc,
        using: &EnqueueUse,
    ) {
        for lane in active.lanes() {
            let event = self.word(using.event, lane);
            let who = self.invocations(1 << lane);
            let done = match using.op {
                EnqueueOp::Kernel(_) | EnqueueOp::Marker => {
                    let made = self.command(shared, memory, pc, using, lane);
                    let result = if made.is_some() { 0 } else { FAILURE };
                    self.set_word(using.to, lane, result);
                    let made = made.unwrap_or(0);
                    self.set_word(using.made, lane, made);
                    self.set_word(using.is_made, lane, u32::from(made != 0));
                    Ok(())
                }
                EnqueueOp::UserEvent => {
                    if shared.queue.is_full() {
                        report_full(shared, pc, who);
                    }
                    let made = shared.queue.user_event();
                    self.set_word(using.made, lane, made);
                    Ok(())
                }
                EnqueueOp::Retain => shared.queue.retain(event),
                EnqueueOp::Release => shared.queue.release(event),
                EnqueueOp::SetStatus => {
                    let status = self.word(using.status, lane) as i32;
                    shared.queue.set_status(event, status)
                }
                EnqueueOp::IsValid => {
                    let is_valid = shared.queue.is_event(event);
                    self.set_word(using.to, lane, u32::from(is_valid));
                    Ok(())
                }
                EnqueueOp::Capture => self.capture(shared, memory, pc, using, lane),
                EnqueueOp::Subgroups => {
                    let range = self.range(shared, using, lane, None);
                    let size = range.map_or(0, |it| it.local.iter().product());
                    self.set_word(using.to, lane, size.div_ceil(shared.subgroup_size.max(1)));
                    Ok(())
                }
            };
            if let Err(why) = done {
                report(shared, pc, who, &why.message(event));
            }
        }
    }

    /// Adds a kernel or a marker to the queue; gives the number of its event, which is 0 if none
    /// is wanted. Nothing if it can't be enqueued.
    fn command(
        &mut self,
        shared: &mut Shared<'_>,
        memory: &mut [u8],
        pc: Pc,
        using: &EnqueueUse,
        lane: usize,
    ) -> Option<u32> {
        let who = self.invocations(1 << lane);
        if self.word(using.queue, lane) == 0 {
            return None;
        }
        let waits = self.wait_list(shared, memory, pc, using, lane)?;
        let has_event = using
            .event_to
            .is_some_and(|address| self.locate(address, lane).0 != 0);
        let launch = match using.op {
            EnqueueOp::Kernel(root) => Some(self.launch(shared, memory, pc, using, root, lane)?),
            // Without an event nobody can tell that there is a marker.
            _ if !has_event => return Some(0),
            _ if waits.is_empty() => return None,
            _ => None,
        };
        if shared.queue.is_full() {
            report_full(shared, pc, who);
            return None;
        }
        Some(shared.queue.add(launch, waits, has_event, (pc, who)))
    }

    /// Up to eight bytes of memory as a number; nothing, with a finding, if they can't be read.
    fn fetched(
        &mut self,
        shared: &mut Shared<'_>,
        memory: &mut [u8],
        pc: Pc,
        lane: usize,
        access: Access,
    ) -> Option<[u8; 8]> {
        self.record(shared, memory, pc, lane, touch(access, None));
        let mut number = [0; 8];
        match self.bytes(shared, memory, access, lane) {
            Ok(bytes) => {
                let room = number.iter_mut().zip(bytes);
                room.for_each(|(to, from)| *to = *from);
                Some(number)
            }
            Err(why) => {
                self.report(shared, pc, access, why, lane);
                None
            }
        }
    }

    /// The events to wait for.
    fn wait_list(
        &mut self,
        shared: &mut Shared<'_>,
        memory: &mut [u8],
        pc: Pc,
        using: &EnqueueUse,
        lane: usize,
    ) -> Option<Vec<u32>> {
        let count = self.word(using.waits, lane);
        let (object, offset) = self.locate(using.wait_list?, lane);
        if (object == 0) != (count == 0) || count > MAX_WAITS {
            return None;
        }
        shared.steps += u64::from(count);
        let mut waits = Vec::new();
        for index in 0..count {
            let access = Access {
                object,
                offset: offset.checked_add(index.checked_mul(using.stride)?)?,
                bytes: using.stride,
                is_write: false,
            };
            let bytes = self.fetched(shared, memory, pc, lane, access)?;
            let event = u64::from_le_bytes(bytes);
            let event = u32::try_from(event).ok();
            waits.push(event.filter(|&event| shared.queue.is_event(event))?);
        }
        Some(waits)
    }

    /// A range with its sizes; nothing if there can't be such.
    fn range(
        &self,
        shared: &Shared<'_>,
        using: &EnqueueUse,
        lane: usize,
        declared: Option<[u32; 3]>,
    ) -> Option<Launch> {
        let dimensions = self.word(using.dimensions, lane);
        if !(1..=3).contains(&dimensions) {
            return None;
        }
        let sizes = |first: usize, missing: u32| {
            let mut all = [missing; 3];
            for (axis, size) in all.iter_mut().enumerate().take(dimensions as usize) {
                let number = self.long(*using.range.get(first + axis)?, lane);
                *size = u32::try_from(number).ok()?;
            }
            Some(all)
        };
        let (offset, global, given) = (sizes(0, 0)?, sizes(3, 1)?, sizes(6, 1)?);
        let is_chosen = given[..dimensions as usize].iter().all(|&it| it == 0);
        let local = match declared {
            Some(declared) if is_chosen || given == declared => declared,
            Some(_) => return None,
            None if is_chosen => [chosen(global[0], shared.subgroup_size), 1, 1],
            None => given,
        };
        let count = local.iter().try_fold(1u32, |all, &it| all.checked_mul(it));
        let is_fine = count.is_some_and(|it| (1..=MAX_ENQUEUED_WORKGROUP).contains(&it));
        (is_fine && !global.contains(&0)).then_some(Launch {
            root: 0,
            dimensions,
            offset,
            global,
            local,
            parameters: Vec::new(),
            locals: Vec::new(),
        })
    }

    /// A kernel with all that it is given; nothing if it can't be enqueued.
    fn launch(
        &mut self,
        shared: &mut Shared<'_>,
        memory: &mut [u8],
        pc: Pc,
        using: &EnqueueUse,
        root: u32,
        lane: usize,
    ) -> Option<Launch> {
        let program = shared.program;
        let declared = program.roots.get(root as usize)?.declared;
        let range = self.range(shared, using, lane, declared)?;
        let locals = using.locals.iter().map(|&size| {
            let size = u32::try_from(self.long(size, lane)).ok();
            size.filter(|&size| size != 0)
        });
        let locals: Vec<u32> = locals.collect::<Option<_>>()?;
        let bytes = place_locals(program, &locals).1;
        let size: u64 = range.local.iter().map(|&side| u64::from(side)).product();
        let more = bytes.saturating_sub(program.workgroup_bytes.into());
        if workgroup_bytes(program, W, size).saturating_add(more) > shared.queue.max_workgroup()
            || !FLAGS.contains(&self.word(using.flags, lane))
        {
            return None;
        }
        let count = self.word(using.size, lane);
        if u64::from(count) > shared.queue.bytes_left() {
            report_full(shared, pc, self.invocations(1 << lane));
            return None;
        }
        let parameters = self.parameters(shared, memory, pc, using.memory?, count, lane)?;
        Some(Launch {
            root,
            parameters,
            locals,
            ..range
        })
    }

    /// The bytes of the parameters.
    fn parameters(
        &mut self,
        shared: &mut Shared<'_>,
        memory: &mut [u8],
        pc: Pc,
        address: Address,
        count: u32,
        lane: usize,
    ) -> Option<Vec<u8>> {
        let (object, offset) = self.locate(address, lane);
        let mut parameters = Vec::new();
        while (parameters.len() as u64) < u64::from(count) {
            let done = parameters.len() as u32;
            let bytes = (count - done).min(8);
            let access = Access {
                object,
                offset: offset.checked_add(done)?,
                bytes,
                is_write: false,
            };
            shared.steps += 1;
            let number = self.fetched(shared, memory, pc, lane, access)?;
            parameters.extend(&number[..bytes as usize]);
        }
        Some(parameters)
    }

    /// Notes where it goes how long a kernel takes.
    fn capture(
        &mut self,
        shared: &mut Shared<'_>,
        memory: &mut [u8],
        pc: Pc,
        using: &EnqueueUse,
        lane: usize,
    ) -> Result<(), Wrong> {
        let event = self.word(using.event, lane);
        let Some(address) = using.memory else {
            return Ok(());
        };
        let place = self.locate(address, lane);
        let access = Access {
            object: place.0,
            offset: place.1,
            bytes: CAPTURED_BYTES,
            is_write: true,
        };
        if let Err(why) = self.bytes(shared, memory, access, lane) {
            self.report(shared, pc, access, why, lane);
            return Ok(());
        }
        shared.queue.capture(event, place)
    }
}

/// The size of workgroups along a side, where the range leaves it to the run: as large as divides
/// it and isn't larger than a subgroup.
fn chosen(side: u32, subgroup: u32) -> u32 {
    let sizes = (1..=subgroup).rev();
    let mut dividing = sizes.filter(|&size| side.is_multiple_of(size));
    dividing.next().unwrap_or(1)
}

/// Where the memory of workgroups begins that a kernel is given, and where it ends.
fn place_locals(program: &Program, locals: &[u32]) -> (Vec<u64>, u64) {
    let mut end = u64::from(program.workgroup_bytes);
    let place = |&size: &u32| {
        let start = end.next_multiple_of(16);
        end = start + u64::from(size);
        start
    };
    let starts = locals.iter().map(place).collect();
    (starts, end)
}

fn report(shared: &mut Shared<'_>, pc: Pc, who: Invocations, message: &str) {
    let program = shared.program;
    let message = || String::from(message);
    shared
        .findings
        .add(program, &kinds::ENQUEUE, pc, who, message);
}

/// Reports that no more can be enqueued, although the kernel is right.
fn report_full(shared: &mut Shared<'_>, pc: Pc, who: Invocations) {
    let program = shared.program;
    let message =
        || String::from("nothing is enqueued here, because the limit of the run is reached");
    shared
        .findings
        .warn(program, &kinds::ENQUEUE, pc, who, message);
}

/// Runs a kernel with all that it enqueues.
pub(crate) fn dispatch_all<const W: usize>(shared: &mut Shared<'_>) {
    let mut goes_on = dispatch::<W>(shared);
    if shared.program.roots.is_empty() {
        return;
    }
    let mut child = shared.program.clone();
    child.global_size = None;
    shared.findings.settle(shared.program, None);
    let cost = child.code.len() as u64 / INSTRUCTIONS_FOR_STEP;
    while goes_on {
        let (ready, looked) = shared.queue.ready(shared.schedule.is_none());
        write_captured(shared);
        let Some(&place) = ready.get(shared.draw_below(ready.len())) else {
            break;
        };
        shared.steps += looked + cost;
        let Some(launch) = shared.queue.begin(place, shared.steps) else {
            continue;
        };
        prepare(&mut child, shared.program, &launch);
        if let Some(&home) = shared.homes.get(child.parameters as usize) {
            shared.buffers[home] = Buffer::from(launch.parameters);
        }
        goes_on = shared.steps <= shared.max_steps && run_child::<W>(shared, &child, launch.offset);
        let name = child
            .roots
            .get(launch.root as usize)
            .map(|root| &*root.name);
        shared.findings.settle(&child, name);
        shared.queue.end(shared.steps);
    }
    write_captured(shared);
    if goes_on {
        let left: Vec<(Pc, Invocations)> = shared.queue.left_over().collect();
        for (pc, who) in left {
            report(
                shared,
                pc,
                who,
                "what is enqueued here waits for an event that never completes",
            );
        }
    }
}

/// Lets a program run a kernel that was enqueued.
fn prepare(child: &mut Program, parent: &Program, launch: &Launch) {
    let Some(root) = parent.roots.get(launch.root as usize) else {
        return;
    };
    child.entry = root.function;
    child.workgroup_size = launch.local;
    child.global_size = Some(launch.global);
    child.work_dim = Some(launch.dimensions);
    let (starts, end) = place_locals(parent, &launch.locals);
    let memory = root.locals.iter().zip(starts).zip(&launch.locals);
    for ((&object, start), &size) in memory {
        let start = u32::try_from(start).unwrap_or(0);
        child.objects[object as usize].kind = ObjectKind::Workgroup { start, size };
    }
    child.workgroup_bytes = u32::try_from(end).unwrap_or(parent.workgroup_bytes);
}

/// Runs a kernel that was enqueued, with the memory of the run. False if no more may be run.
fn run_child<const W: usize>(shared: &mut Shared<'_>, child: &Program, offset: [u32; 3]) -> bool {
    use std::mem::take;
    let groups = child.global_size.unwrap_or([1; 3]);
    let groups = [0, 1, 2].map(|axis| groups[axis].div_ceil(child.workgroup_size[axis].max(1)));
    let races = shared.races.take();
    let mut own = Shared {
        program: child,
        buffers: take(&mut shared.buffers),
        homes: take(&mut shared.homes),
        images: take(&mut shared.images),
        pipes: take(&mut shared.pipes),
        queue: take(&mut shared.queue),
        findings: take(&mut shared.findings),
        steps: shared.steps,
        max_steps: shared.max_steps,
        groups,
        offset,
        observer: match &mut shared.observer {
            Some(observer) => Some(&mut **observer),
            None => None,
        },
        printed: take(&mut shared.printed),
        max_printed: shared.max_printed,
        changes: shared.changes,
        races: None,
        schedule: shared.schedule.take(),
        subgroup_size: shared.subgroup_size,
        stored: take(&mut shared.stored),
        is_robust: shared.is_robust,
        threads: shared.threads,
        tick: shared.tick,
        are_lanes_together: shared.are_lanes_together,
        keeps_turns: false,
        tracks: None,
    };
    // Kernels run one after the other, so only what happens in one of them can race.
    own.races = races.map(|races| Box::new(Races::again(*races, &own)));
    let goes_on = dispatch::<W>(&mut own);
    let Shared {
        buffers,
        homes,
        images,
        pipes,
        queue,
        findings,
        steps,
        printed,
        max_printed,
        changes,
        races,
        schedule,
        stored,
        ..
    } = own;
    shared.buffers = buffers;
    shared.homes = homes;
    shared.images = images;
    shared.pipes = pipes;
    shared.queue = queue;
    shared.findings = findings;
    shared.steps = steps;
    shared.printed = printed;
    shared.max_printed = max_printed;
    shared.changes = changes;
    shared.races = races;
    shared.schedule = schedule;
    shared.stored = stored;
    goes_on
}

/// Writes what is known of kernels that are complete.
fn write_captured(shared: &mut Shared<'_>) {
    for ((object, offset), times) in shared.queue.take_captured() {
        let kind = shared.program.objects.get(object as usize);
        // Memory of invocations and workgroups is no longer there.
        let is_kept = kind.is_some_and(|info| {
            !matches!(
                info.kind,
                ObjectKind::Workgroup { .. } | ObjectKind::Lane { .. } | ObjectKind::Parameters
            )
        });
        let Some(&home) = shared.homes.get(object as usize).filter(|_| is_kept) else {
            continue;
        };
        let start = offset as usize;
        let buffer = shared.buffers.get_mut(home);
        let room = buffer.and_then(|it| it.get_mut(start..start + CAPTURED_BYTES as usize));
        let bytes = times.into_iter().flat_map(u64::to_le_bytes);
        for (to, from) in room.into_iter().flatten().zip(bytes) {
            *to = from;
        }
    }
}
