//! Which entry points reach which functions.

use alloc::vec;
use alloc::vec::Vec;

use spirvkit_binary::Id;

use super::{EntryPoint, ModuleIndex};
use crate::{Components, Graph};

/// A set of entry points that are looked at together.
pub type Entries = u128;

/// Follows the calls from many entry points at once: following them from one after
/// the other would take very long where many share what they call.
#[derive(Debug)]
pub struct Reach {
    components: Components,
    /// The calls from one component to another, callers before what they call.
    calls: Vec<(u32, u32)>,
    /// By component.
    entries: Vec<Entries>,
}

impl Reach {
    /// How many entry points fit into a set.
    pub const AT_ONCE: usize = Entries::BITS as usize;

    /// Looks at all calls of a module.
    pub fn new(index: &ModuleIndex<'_>) -> Self {
        let graph = Graph::of_calls(index);
        let components = Components::new(&graph);
        let mut calls = Vec::new();
        // Each component comes after those that it leads to.
        for &caller in components.in_order().iter().rev() {
            let callees = graph.successors(caller).iter();
            let pairs = callees
                .filter_map(|&callee| Some((components.of(caller)?, components.of(callee)?)));
            calls.extend(pairs.filter(|pair| pair.0 != pair.1));
        }
        calls.dedup();
        Self {
            entries: vec![0; components.len() as usize],
            components,
            calls,
        }
    }

    /// Finds the functions that are reached from these entry points, of which
    /// there are at most [`AT_ONCE`](Self::AT_ONCE).
    pub fn follow(&mut self, m: &ModuleIndex<'_>, entry_points: &[EntryPoint<'_>]) {
        self.entries.fill(0);
        for (index, entry) in entry_points.iter().enumerate().take(Self::AT_ONCE) {
            self.add(m, entry.function, 1 << index);
        }
        for &(caller, callee) in &self.calls {
            let reached = self.entries.get(caller as usize).copied().unwrap_or(0);
            if let Some(entries) = self.entries.get_mut(callee as usize) {
                *entries |= reached;
            }
        }
    }

    fn add(&mut self, m: &ModuleIndex<'_>, function: Id, entries: Entries) {
        let component = m.function_index(function);
        let component = component.and_then(|function| self.components.of(function));
        if let Some(known) = component.and_then(|it| self.entries.get_mut(it as usize)) {
            *known |= entries;
        }
    }

    /// The entry points that reach a function: a bit for each of those that were
    /// last followed.
    pub fn of(&self, function: u32) -> Entries {
        let component = self.components.of(function);
        let entries = component.and_then(|it| self.entries.get(it as usize));
        entries.copied().unwrap_or(0)
    }
}
