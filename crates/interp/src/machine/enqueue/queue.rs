//! The queue: what waits to be run, and the events that tell of it.

use std::collections::VecDeque;

use crate::machine::control::Invocations;
use crate::program::Pc;

/// An event's status when all is done; errors are negative.
pub(crate) const COMPLETE: i32 = 0;

/// That of an event before.
const SUBMITTED: i32 = 2;

/// A kernel that is to be run.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    /// One of the program's roots.
    pub(crate) root: u32,
    pub(crate) dimensions: u32,
    pub(crate) offset: [u32; 3],
    pub(crate) global: [u32; 3],
    pub(crate) local: [u32; 3],
    /// The bytes of its parameters, and how many it gets of local memory.
    pub(crate) parameters: Vec<u8>,
    pub(crate) locals: Vec<u32>,
}

/// A kernel or a marker.
#[derive(Clone, Debug)]
struct Command {
    /// Nothing for a marker, or once it has begun.
    launch: Option<Launch>,
    is_kernel: bool,
    waits: Vec<u32>,
    /// The event that it completes, or 0.
    event: u32,
    /// The command that has enqueued it.
    parent: Option<usize>,
    /// How many commands there are that it has enqueued, and are not complete, and itself.
    open: u32,
    status: i32,
    /// Who has enqueued it, and where.
    pc: Pc,
    who: Invocations,
    /// How many steps had been taken when it began and ended.
    begun: u64,
    ended: u64,
}

#[derive(Clone, Debug)]
struct Event {
    status: i32,
    references: u32,
    /// The command that completes it; none has a user event.
    command: Option<usize>,
    capture: Option<Place>,
}

/// Where in memory something goes: an object, and an offset.
pub(crate) type Place = (u32, u32);

/// What is wrong with the use of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    NoEvent,
    NoUserEvent,
    IsSet,
    Status(i32),
    NoKernel,
    Captured,
}

impl Wrong {
    pub(crate) fn message(self, event: u32) -> String {
        match self {
            Self::NoEvent => format!("there is no event with the number {event}"),
            Self::NoUserEvent => String::from("the event is no user event"),
            Self::IsSet => String::from("the status of the event is set already"),
            Self::Status(status) => {
                format!("the status is {status}, but may be 0 or a negative number")
            }
            Self::NoKernel => String::from("the event is not one of a kernel"),
            Self::Captured => String::from("what the event tells of is captured already"),
        }
    }
}

/// The queue of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queue {
    commands: Vec<Command>,
    /// Those that wait, in their order.
    pending: VecDeque<usize>,
    /// The number of an event is one more than its index.
    events: Vec<Event>,
    /// What runs now, if that is not the kernel of the host.
    current: Option<usize>,
    /// How many commands and user events there may be yet.
    left: u64,
    /// How many bytes the parameters of what waits may take yet.
    bytes_left: u64,
    max_workgroup: u64,
    /// How many steps had been taken when a kernel ended last.
    now: u64,
    /// What is known of kernels that are complete, and where it goes.
    captured: Vec<(Place, [u64; 2])>,
}

impl Queue {
    /// An empty queue with its limits: how many commands and user events there may be, and how
    /// many bytes workgroups, and parameters altogether.
    pub(crate) fn new(commands: u64, bytes: u64) -> Self {
        Self {
            left: commands,
            bytes_left: bytes,
            max_workgroup: bytes,
            ..Self::default()
        }
    }

    pub(crate) fn max_workgroup(&self) -> u64 {
        self.max_workgroup
    }

    pub(crate) fn is_full(&self) -> bool {
        self.left == 0
    }

    pub(crate) fn bytes_left(&self) -> u64 {
        self.bytes_left
    }

    fn event(&self, number: u32) -> Option<usize> {
        let index = (number as usize).checked_sub(1)?;
        let event = self.events.get(index)?;
        (event.references > 0).then_some(index)
    }

    pub(crate) fn is_event(&self, number: u32) -> bool {
        self.event(number).is_some()
    }

    fn new_event(&mut self, command: Option<usize>) -> u32 {
        self.events.push(Event {
            status: SUBMITTED,
            references: 1,
            command,
            capture: None,
        });
        self.events.len() as u32
    }

    /// Adds a command; gives the number of its event, if one is wanted.
    pub(crate) fn add(
        &mut self,
        launch: Option<Launch>,
        waits: Vec<u32>,
        has_event: bool,
        (pc, who): (Pc, Invocations),
    ) -> u32 {
        let index = self.commands.len();
        let event = match has_event {
            true => self.new_event(Some(index)),
            false => 0,
        };
        let bytes = launch.as_ref().map_or(0, |it| it.parameters.len() as u64);
        self.left = self.left.saturating_sub(1);
        self.bytes_left = self.bytes_left.saturating_sub(bytes);
        if let Some(parent) = self.current {
            self.commands[parent].open += 1;
        }
        self.commands.push(Command {
            is_kernel: launch.is_some(),
            launch,
            waits,
            event,
            parent: self.current,
            open: 1,
            status: COMPLETE,
            pc,
            who,
            begun: 0,
            ended: 0,
        });
        self.pending.push_back(index);
        event
    }

    /// A user event, or 0 if there can be no more.
    pub(crate) fn user_event(&mut self) -> u32 {
        if self.is_full() {
            return 0;
        }
        self.left -= 1;
        self.new_event(None)
    }

    pub(crate) fn retain(&mut self, number: u32) -> Result<(), Wrong> {
        let index = self.event(number).ok_or(Wrong::NoEvent)?;
        let references = &mut self.events[index].references;
        *references = references.saturating_add(1);
        Ok(())
    }

    pub(crate) fn release(&mut self, number: u32) -> Result<(), Wrong> {
        let index = self.event(number).ok_or(Wrong::NoEvent)?;
        self.events[index].references -= 1;
        Ok(())
    }

    pub(crate) fn set_status(&mut self, number: u32, status: i32) -> Result<(), Wrong> {
        let index = self.event(number).ok_or(Wrong::NoEvent)?;
        let event = &mut self.events[index];
        match event {
            Event {
                command: Some(_), ..
            } => return Err(Wrong::NoUserEvent),
            _ if status > 0 => return Err(Wrong::Status(status)),
            _ if event.status <= COMPLETE => return Err(Wrong::IsSet),
            _ => event.status = status,
        }
        Ok(())
    }

    /// Lets it be written somewhere how long a kernel took, once it is complete.
    pub(crate) fn capture(&mut self, number: u32, place: Place) -> Result<(), Wrong> {
        let index = self.event(number).ok_or(Wrong::NoEvent)?;
        let event = &mut self.events[index];
        let command = event.command.map(|command| &self.commands[command]);
        let Some(command) = command.filter(|it| it.is_kernel) else {
            return Err(Wrong::NoKernel);
        };
        if event.capture.replace(place).is_some() {
            return Err(Wrong::Captured);
        }
        if command.open == 0 {
            let times = [command.ended - command.begun; 2];
            self.captured.push((place, times));
        }
        Ok(())
    }

    /// The kernels whose turn it is now, as places among those that wait; all markers that are
    /// ready, and all that waits in vain for something that failed, are done with. Also counts how
    /// many were looked at.
    pub(crate) fn ready(&mut self, is_first_enough: bool) -> (Vec<usize>, u64) {
        let mut looked = 0;
        loop {
            let mut found = Vec::new();
            let mut done = None;
            for (place, &index) in self.pending.iter().enumerate() {
                let command = &self.commands[index];
                let statuses = command.waits.iter();
                looked += 1 + command.waits.len() as u64;
                let statuses = statuses.map(|&number| {
                    let event = self.events.get((number as usize).wrapping_sub(1));
                    event.map_or(COMPLETE, |event| event.status)
                });
                let most = statuses.clone().max().unwrap_or(COMPLETE);
                let least = statuses.min().unwrap_or(COMPLETE);
                if most > COMPLETE {
                    continue;
                }
                if !command.is_kernel || least < COMPLETE {
                    done = Some((place, least));
                    break;
                }
                found.push(place);
                if is_first_enough {
                    break;
                }
            }
            let Some((place, status)) = done else {
                return (found, looked);
            };
            if let Some(index) = self.pending.remove(place) {
                self.commands[index].status = status;
                self.finish(index);
            }
        }
    }

    /// Begins the kernel at a place among those that wait.
    pub(crate) fn begin(&mut self, place: usize, steps: u64) -> Option<Launch> {
        let index = self.pending.remove(place)?;
        let command = &mut self.commands[index];
        command.begun = steps;
        self.current = Some(index);
        let launch = command.launch.take()?;
        self.bytes_left += launch.parameters.len() as u64;
        Some(launch)
    }

    /// What runs has ended; it is complete once all that it has enqueued is.
    pub(crate) fn end(&mut self, steps: u64) {
        if let Some(index) = self.current.take() {
            self.commands[index].ended = steps;
            self.now = steps;
            self.finish(index);
        }
    }

    /// One less is open of a command, and of those that have enqueued it.
    fn finish(&mut self, index: usize) {
        let mut next = Some(index);
        let now = self.now;
        while let Some(index) = next {
            let command = &mut self.commands[index];
            command.open = command.open.saturating_sub(1);
            if command.open > 0 {
                return;
            }
            let (status, parent) = (command.status, command.parent);
            let times = [command.ended, now].map(|it| it.saturating_sub(command.begun));
            let number = command.event as usize;
            if let Some(event) = self.events.get_mut(number.wrapping_sub(1)) {
                event.status = status;
                self.captured
                    .extend(event.capture.map(|place| (place, times)));
            }
            // What fails lets those fail that have enqueued it.
            if let Some(parent) = parent {
                let own = &mut self.commands[parent].status;
                *own = (*own).min(status);
            }
            next = parent;
        }
    }

    /// What is to be written of kernels that are complete.
    pub(crate) fn take_captured(&mut self) -> Vec<(Place, [u64; 2])> {
        std::mem::take(&mut self.captured)
    }

    /// Who has enqueued what is never run, and where.
    pub(crate) fn left_over(&self) -> impl Iterator<Item = (Pc, Invocations)> + '_ {
        let pending = self.pending.iter().map(|&index| &self.commands[index]);
        pending.map(|command| (command.pc, command.who))
    }
}

#[cfg(test)]
mod tests {
    use super::{COMPLETE, Launch, Queue, Wrong};
    use crate::machine::control::Invocations;

    fn add(queue: &mut Queue, waits: &[u32]) -> u32 {
        let launch = Launch {
            root: 0,
            dimensions: 1,
            offset: [0; 3],
            global: [1; 3],
            local: [1; 3],
            parameters: vec![0; 4],
            locals: Vec::new(),
        };
        let who = Invocations {
            workgroup: [0; 3],
            first: 0,
            count: 1,
        };
        queue.add(Some(launch), waits.to_vec(), true, (0, who))
    }

    #[test]
    fn a_kernel_is_complete_once_all_that_it_enqueued_is() {
        let mut queue = Queue::new(10, 100);
        let first = add(&mut queue, &[]);
        add(&mut queue, &[first]);
        assert_eq!((queue.ready(false).0, queue.bytes_left()), (vec![0], 92));
        assert!(queue.begin(0, 10).is_some());
        let child = add(&mut queue, &[]);
        assert_eq!(queue.capture(first, (7, 8)), Ok(()));
        queue.end(30);
        // The second waits for the child of the first, too.
        assert_eq!(queue.ready(false).0, [1]);
        assert!(queue.take_captured().is_empty());
        assert!(queue.begin(1, 30).is_some());
        queue.end(70);
        assert_eq!(queue.take_captured(), [((7, 8), [20, 60])]);
        assert_eq!(queue.ready(false).0, [0]);
        assert!(queue.is_event(child));
    }

    #[test]
    fn what_fails_lets_what_waits_for_it_fail() {
        let mut queue = Queue::new(10, 100);
        let event = queue.user_event();
        let second = add(&mut queue, &[event]);
        add(&mut queue, &[second]);
        assert!(queue.ready(false).0.is_empty());
        assert_eq!(queue.left_over().count(), 2);
        assert_eq!(queue.set_status(event, 1), Err(Wrong::Status(1)));
        assert_eq!(queue.set_status(second, COMPLETE), Err(Wrong::NoUserEvent));
        assert_eq!(queue.set_status(event, -5), Ok(()));
        assert_eq!(queue.set_status(event, COMPLETE), Err(Wrong::IsSet));
        assert!(queue.ready(false).0.is_empty());
        assert_eq!(queue.left_over().count(), 0);
    }

    #[test]
    fn events_are_counted() {
        let mut queue = Queue::new(1, 0);
        let event = queue.user_event();
        assert_eq!((queue.user_event(), queue.is_full()), (0, true));
        assert_eq!(queue.retain(event), Ok(()));
        assert_eq!(queue.release(event), Ok(()));
        assert!(queue.is_event(event) && !queue.is_event(0) && !queue.is_event(2));
        assert_eq!(queue.release(event), Ok(()));
        assert_eq!(queue.release(event), Err(Wrong::NoEvent));
        assert_eq!(queue.capture(event, (0, 0)), Err(Wrong::NoEvent));
    }
}
