//! Relations between events, a word of bits for each event.

use std::ops::{BitAnd, BitOr, Sub};

/// How many events an execution may have.
pub const MAX_EVENTS: usize = 64;

/// A set of events, a bit for each.
pub type Set = u64;

/// The events of a set, from the first on.
pub fn members(set: Set) -> impl Iterator<Item = usize> {
    let mut rest = set;
    std::iter::from_fn(move || {
        let event = rest.trailing_zeros();
        rest &= rest.wrapping_sub(1);
        (event < 64).then_some(event as usize)
    })
}

/// A relation between the events of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// For each event those that it is related to.
    rows: Vec<Set>,
}

impl Relation {
    /// The relation of so many events that relates none.
    pub fn empty(events: usize) -> Self {
        Self {
            rows: vec![0; events.min(MAX_EVENTS)],
        }
    }

    /// Relates each event of a set to itself.
    pub fn identity(events: usize, set: Set) -> Self {
        let mut relation = Self::empty(events);
        for (event, row) in relation.rows.iter_mut().enumerate() {
            *row = set & 1 << event;
        }
        relation
    }

    /// Relates each event of one set to each of another.
    pub fn product(events: usize, from: Set, to: Set) -> Self {
        let mut relation = Self::empty(events);
        for (event, row) in relation.rows.iter_mut().enumerate() {
            *row = if from >> event & 1 != 0 { to } else { 0 };
        }
        relation
    }

    /// Relates the pairs for which a condition holds.
    pub fn where_both(events: usize, holds: impl Fn(usize, usize) -> bool) -> Self {
        let mut relation = Self::empty(events);
        for a in 0..relation.rows.len() {
            for b in 0..relation.rows.len() {
                if holds(a, b) {
                    relation.insert(a, b);
                }
            }
        }
        relation
    }

    /// Relates one event to another. Events beyond those that there are change nothing.
    pub fn insert(&mut self, from: usize, to: usize) {
        if to < self.rows.len()
            && let Some(row) = self.rows.get_mut(from)
        {
            *row |= 1 << to;
        }
    }

    /// Whether one event is related to another.
    pub fn contains(&self, from: usize, to: usize) -> bool {
        to < MAX_EVENTS && self.from(from) >> to & 1 != 0
    }

    /// The events that one is related to.
    pub fn from(&self, event: usize) -> Set {
        self.rows.get(event).copied().unwrap_or(0)
    }

    /// The number of events there are, related or not.
    pub fn events(&self) -> usize {
        self.rows.len()
    }

    /// The number of pairs.
    pub fn len(&self) -> usize {
        self.rows.iter().map(|row| row.count_ones() as usize).sum()
    }

    /// Whether no events are related.
    pub fn is_empty(&self) -> bool {
        self.rows.iter().all(|&row| row == 0)
    }

    /// All pairs, in order.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let rows = self.rows.iter().enumerate();
        rows.flat_map(|(from, &row)| members(row).map(move |to| (from, to)))
    }

    /// One relation after the other.
    pub fn then(&self, next: &Self) -> Self {
        let rows = self.rows.iter();
        let rows = rows.map(|&row| members(row).fold(0, |all, event| all | next.from(event)));
        Self {
            rows: rows.collect(),
        }
    }

    /// The events that those of a set are related to.
    pub fn image(&self, set: Set) -> Set {
        members(set).fold(0, |all, event| all | self.from(event))
    }

    /// Each pair the other way round.
    pub fn inverse(&self) -> Self {
        let mut inverse = Self::empty(self.rows.len());
        for (from, to) in self.pairs() {
            inverse.insert(to, from);
        }
        inverse
    }

    /// The pairs from a set to another.
    pub fn between(&self, from: Set, to: Set) -> Self {
        let rows = self.rows.iter().enumerate();
        let rows = rows.map(|(event, &row)| if from >> event & 1 != 0 { row & to } else { 0 });
        Self {
            rows: rows.collect(),
        }
    }

    /// What is reached in one or more steps (by Warshall's algorithm).
    pub fn closure(&self) -> Self {
        let mut closure = self.clone();
        for middle in 0..closure.rows.len() {
            let reached = closure.rows[middle];
            if reached == 0 {
                continue;
            }
            for row in &mut closure.rows {
                if *row >> middle & 1 != 0 {
                    *row |= reached;
                }
            }
        }
        closure
    }

    /// The relation, with all events related to themselves.
    pub fn reflexive(&self) -> Self {
        let rows = self.rows.iter().enumerate();
        Self {
            rows: rows.map(|(event, &row)| row | 1 << event).collect(),
        }
    }

    /// The relation and its inverse.
    pub fn symmetric(&self) -> Self {
        self | &self.inverse()
    }

    /// The relation without pairs that take two steps or more.
    pub fn immediate(&self) -> Self {
        self - &self.then(&self.closure())
    }

    /// The relation without the pairs of an event and itself.
    pub fn irreflexive(&self) -> Self {
        let rows = self.rows.iter().enumerate();
        Self {
            rows: rows.map(|(event, &row)| row & !(1 << event)).collect(),
        }
    }

    /// Whether no event reaches itself.
    pub fn is_acyclic(&self) -> bool {
        let closure = self.closure();
        (0..closure.rows.len()).all(|event| !closure.contains(event, event))
    }

    /// Whether two steps never lead where one doesn't.
    pub fn is_transitive(&self) -> bool {
        self.then(self).is_subset(self)
    }

    /// Whether all pairs are those of another relation, too.
    pub fn is_subset(&self, other: &Self) -> bool {
        (self - other).is_empty()
    }
}

macro_rules! operators {
    ($($name:ident $method:ident $operation:expr;)*) => {$(
        impl $name for &Relation {
            type Output = Relation;
            fn $method(self, other: &Relation) -> Relation {
                let operation: fn(Set, Set) -> Set = $operation;
                let rows = self.rows.iter().zip(&other.rows);
                Relation { rows: rows.map(|(&a, &b)| operation(a, b)).collect() }
            }
        }
    )*};
}

operators! {
    BitOr bitor |a, b| a | b;
    BitAnd bitand |a, b| a & b;
    Sub sub |a, b| a & !b;
}

#[cfg(test)]
mod tests {
    use super::Relation;

    fn relation(pairs: &[(usize, usize)]) -> Relation {
        let mut relation = Relation::empty(4);
        pairs.iter().for_each(|&(a, b)| relation.insert(a, b));
        relation
    }

    #[test]
    fn closures_and_what_is_immediate() {
        let line = relation(&[(0, 1), (1, 2), (2, 3)]);
        let order = line.closure();
        assert_eq!(order.len(), 6);
        assert_eq!(order.immediate(), line);
        assert!(order.is_transitive() && !line.is_transitive());
        assert!(line.is_acyclic());
        assert!(!(&line | &relation(&[(3, 0)])).is_acyclic());
        assert!(!relation(&[(2, 2)]).is_acyclic());
    }

    #[test]
    fn composition_and_sets() {
        let a = relation(&[(0, 1), (0, 2)]);
        let b = relation(&[(1, 3), (2, 2)]);
        assert_eq!(a.then(&b), relation(&[(0, 3), (0, 2)]));
        assert_eq!(a.inverse(), relation(&[(1, 0), (2, 0)]));
        assert_eq!(a.image(1), 0b110);
        assert_eq!(a.between(1, 0b100), relation(&[(0, 2)]));
        assert_eq!(&a - &relation(&[(0, 1)]), relation(&[(0, 2)]));
        assert_eq!(
            Relation::product(4, 0b11, 0b100),
            relation(&[(0, 2), (1, 2)])
        );
    }

    #[test]
    fn events_that_there_are_none_of_are_left_out() {
        let mut relation = Relation::empty(4);
        relation.insert(4, 0);
        relation.insert(0, 4);
        relation.insert(0, 64);
        assert!(relation.is_empty());
    }
}
