//! Which entry points reach which functions.

use spirvkit_binary::Id;

use super::{EntryPoint, Module, NONE};

/// A set of entry points that are looked at together.
pub(crate) type Entries = u128;

/// How many entry points fit into a set.
pub(crate) const AT_ONCE: usize = Entries::BITS as usize;

/// Follows the calls from many entry points at once: following them from one after
/// the other would take very long where many share what they call.
pub(crate) struct Reach {
    /// By function: the number of its circle, which is it and all functions that
    /// it calls and that call it, on whatever ways.
    sccs: Vec<u32>,
    /// The calls from one circle to another, callers before what they call.
    calls: Vec<(u32, u32)>,
    /// By circle.
    entries: Vec<Entries>,
}

impl Reach {
    pub(crate) fn new(m: &Module<'_>) -> Self {
        let (order, sccs) = sccs(m);
        let entries = vec![0; order.len()];
        let circle_of = |function: u32| sccs.get(function as usize).copied();
        let mut calls = Vec::new();
        for caller in order {
            let callees = m.callees(caller).filter_map(|id| m.function_index(id));
            let pairs = callees.filter_map(|callee| Some((circle_of(caller)?, circle_of(callee)?)));
            calls.extend(pairs.filter(|pair| pair.0 != pair.1));
        }
        calls.dedup();
        Self {
            sccs,
            calls,
            entries,
        }
    }

    /// Finds the functions that are reached from these entry points, of which
    /// there are at most [`AT_ONCE`].
    pub(crate) fn follow(&mut self, m: &Module<'_>, entry_points: &[EntryPoint<'_>]) {
        self.entries.fill(0);
        for (index, entry) in entry_points.iter().enumerate().take(AT_ONCE) {
            self.add(m, entry.function, 1 << index);
        }
        for &(caller, callee) in &self.calls {
            let reached = self.entries.get(caller as usize).copied().unwrap_or(0);
            if let Some(entries) = self.entries.get_mut(callee as usize) {
                *entries |= reached;
            }
        }
    }

    fn add(&mut self, m: &Module<'_>, function: Id, entries: Entries) {
        let circle = m
            .function_index(function)
            .and_then(|function| self.sccs.get(function as usize));
        if let Some(known) = circle.and_then(|&circle| self.entries.get_mut(circle as usize)) {
            *known |= entries;
        }
    }

    /// The entry points that reach a function: a bit for each of those that were
    /// last followed.
    pub(crate) fn of(&self, function: u32) -> Entries {
        let circle = self.sccs.get(function as usize);
        let entries = circle.and_then(|&circle| self.entries.get(circle as usize));
        entries.copied().unwrap_or(0)
    }
}

/// Tarjan's algorithm: the functions, callers first, and the circle of each.
fn sccs(m: &Module<'_>) -> (Vec<u32>, Vec<u32>) {
    let count = m.functions.len();
    let mut sccs = vec![NONE; count];
    let mut order = Vec::with_capacity(count);
    // The number by which a function was met; and the lowest that it leads to.
    let mut met = vec![NONE; count];
    let mut low = vec![NONE; count];
    let mut next = 0;
    let mut open: Vec<u32> = Vec::new();
    let mut made = 0;
    for root in 0..count as u32 {
        if met[root as usize] != NONE {
            continue;
        }
        let mut path = vec![(root, m.calls_of(root))];
        while let Some((function, calls)) = path.last_mut() {
            let here = *function as usize;
            if met[here] == NONE {
                met[here] = next;
                low[here] = next;
                next += 1;
                open.push(*function);
            }
            if let Some((&(_, callee), rest)) = calls.split_first() {
                *calls = rest;
                let Some(callee) = m.function_index(callee) else {
                    continue;
                };
                let there = callee as usize;
                if met[there] == NONE {
                    path.push((callee, m.calls_of(callee)));
                } else if sccs[there] == NONE {
                    low[here] = low[here].min(met[there]);
                }
                continue;
            }
            path.pop();
            if let Some((caller, _)) = path.last() {
                let caller = *caller as usize;
                low[caller] = low[caller].min(low[here]);
            }
            if low[here] == met[here] {
                while let Some(function) = open.pop() {
                    sccs[function as usize] = made;
                    order.push(function);
                    if function as usize == here {
                        break;
                    }
                }
                made += 1;
            }
        }
    }
    order.reverse();
    (order, sccs)
}
