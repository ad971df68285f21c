//! Accesses, fences and atomics as the memory model's events.

use spirvkit_grammar::{MemorySemantics, Op};

use super::{BUFFERS, IMAGES, Search, WORKGROUP};
use crate::explore::state::Invocation;
use crate::machine::{Spot, value};
use crate::model::{Classes, Event, Scope};
use crate::program::{Fence, Level, Pc, Sharing};
use crate::undefined::UndefinedBits;

impl Search<'_, '_> {
    /// The value that only its invocation may have changed, for an instruction.
    pub(super) fn own(&self, invocation: &Invocation, spot: Spot, pc: Pc) -> (u64, UndefinedBits) {
        let mut bytes = self.initial(spot).to_le_bytes();
        let mut undefined = self.initial_undefined(spot, pc);
        let offsets = spot.offset..spot.offset + spot.bytes;
        for (index, (byte, offset)) in bytes.iter_mut().zip(offsets).enumerate() {
            let at = (spot.space, offset);
            if let Some(&own) = invocation.own.get(&at) {
                *byte = own;
                undefined.bits &= !(0xff << (8 * index));
            }
            if let Some(own) = invocation.undefined.get(&at) {
                undefined.bits |= own.bits << (8 * index);
                undefined.origin = own.origin;
            }
        }
        (value(&bytes), undefined)
    }

    pub(super) fn initial(&self, spot: Spot) -> u64 {
        let buffer = self.shared.buffers.get(spot.space as usize);
        let (start, end) = (spot.offset as usize, (spot.offset + spot.bytes) as usize);
        buffer
            .and_then(|buffer| buffer.get(start..end))
            .map_or(0, value)
    }

    /// The event of a load or store.
    pub(super) fn access(&self, thread: usize, pc: Pc, spot: Spot, is_write: bool) -> Event {
        let common = Sharing {
            is_private: true,
            available: None,
            visible: None,
        };
        let place = self.program.places.get(pc as usize).copied();
        let sharing = self
            .program
            .sharing
            .get(&(place.unwrap_or(0), is_write))
            .copied();
        let sharing = sharing.or(self.program.common_sharing).unwrap_or(common);
        let level = if is_write {
            sharing.available
        } else {
            sharing.visible
        };
        Event {
            is_read: !is_write,
            is_write,
            is_available: is_write && level.is_some(),
            is_visible: !is_write && level.is_some(),
            is_non_private: !sharing.is_private,
            scope: level.map(scope),
            ..self.at(thread, spot)
        }
    }

    /// An event at a spot.
    fn at(&self, thread: usize, spot: Spot) -> Event {
        let is_buffer = (spot.space as usize) < self.shared.buffers.len();
        let location = self.spots.iter().position(|it| *it == spot);
        Event {
            thread,
            class: if is_buffer { BUFFERS } else { WORKGROUP },
            location: location.unwrap_or(self.spots.len()) as u32,
            reference: spot.space,
            ..Event::default()
        }
    }

    /// The event of an atomic, which writes or doesn't.
    pub(super) fn atomic_event(
        &self,
        thread: usize,
        spot: Spot,
        index: u32,
        is_write: bool,
    ) -> Event {
        let atomic = &self.program.atomics[index as usize];
        let semantics = match is_write || atomic.op == Op::AtomicLoad {
            true => atomic.fence.semantics,
            false => atomic.unequal,
        };
        let is_read = atomic.op != Op::AtomicStore;
        let ordered = Ordered::of(semantics);
        let (is_acquire, is_release) = (ordered.acquire && is_read, ordered.release && is_write);
        Event {
            is_read,
            is_write,
            is_atomic: true,
            is_acquire,
            is_release,
            is_available: is_write,
            is_visible: is_read,
            is_non_private: true,
            makes_available: ordered.makes_available && is_release,
            makes_visible: ordered.makes_visible && is_acquire,
            semantics: if is_acquire || is_release {
                ordered.classes
            } else {
                0
            },
            scope: Some(scope(atomic.fence.level)),
            ..self.at(thread, spot)
        }
    }
}

/// The event of a barrier, which is a fence only if it has semantics.
pub(super) fn fence_event(thread: usize, fence: Fence) -> Event {
    let ordered = Ordered::of(fence.semantics);
    let is_fence = (ordered.acquire || ordered.release) && ordered.classes != 0;
    Event {
        thread,
        is_fence,
        is_acquire: ordered.acquire && is_fence,
        is_release: ordered.release && is_fence,
        makes_available: ordered.makes_available && ordered.release && is_fence,
        makes_visible: ordered.makes_visible && ordered.acquire && is_fence,
        semantics: if is_fence { ordered.classes } else { 0 },
        scope: Some(scope(fence.level)),
        ..Event::default()
    }
}

/// What memory semantics say.
struct Ordered {
    acquire: bool,
    release: bool,
    makes_available: bool,
    makes_visible: bool,
    classes: Classes,
}

impl Ordered {
    fn of(semantics: MemorySemantics) -> Self {
        let has = |bits: MemorySemantics| semantics.0 & bits.0 != 0;
        let both =
            has(MemorySemantics::AcquireRelease) || has(MemorySemantics::SequentiallyConsistent);
        let class = |bits, class| if has(bits) { class } else { 0 };
        Self {
            acquire: both || has(MemorySemantics::Acquire),
            release: both || has(MemorySemantics::Release),
            makes_available: has(MemorySemantics::MakeAvailable),
            makes_visible: has(MemorySemantics::MakeVisible),
            classes: class(MemorySemantics::UniformMemory, BUFFERS)
                | class(MemorySemantics::CrossWorkgroupMemory, BUFFERS)
                | class(MemorySemantics::WorkgroupMemory, WORKGROUP)
                | class(MemorySemantics::ImageMemory, IMAGES),
        }
    }
}

fn scope(level: Level) -> Scope {
    match level {
        Level::Invocation => Scope::Invocation,
        Level::Subgroup => Scope::Subgroup,
        Level::Workgroup => Scope::Workgroup,
        Level::Device => Scope::Device,
    }
}
