//! The memory model as axioms (Vulkan, "Memory Model").
//!
//! An [`Execution`] is what invocations did: accesses, atomics and barriers, from which write
//! each read got its value, and in which order atomic writes took effect. [`Relations`] are
//! what follows from that by the definitions of the memory model, each under its name there.
//! An execution can happen if [`Relations::is_consistent`]; it has a data race if
//! [`Relations::data_race`] isn't empty.
//!
//! ```
//! use spirvkit_interp::model::{Event, Execution, Relations, Source, Thread};
//!
//! // An invocation writes to a location, and reads from it what was there before.
//! let access = Event { class: 1, ..Event::default() };
//! let write = Event { is_write: true, ..access.clone() };
//! let read = Event { is_read: true, ..access };
//! let mut execution = Execution::new(vec![write, read], vec![Thread::default()]);
//! execution.sources[1] = Source::Initial;
//! assert!(!Relations::of(&execution).is_consistent());
//! execution.sources[1] = Source::Write(0);
//! assert!(Relations::of(&execution).is_consistent());
//! ```

mod axioms;
mod events;
mod orders;
mod relation;
#[cfg(test)]
mod tests;

pub use axioms::Relations;
pub use events::{Classes, Event, Execution, Scope, Source, Thread};
pub use orders::modification_orders;
pub use relation::{MAX_EVENTS, Relation, Set, members};
