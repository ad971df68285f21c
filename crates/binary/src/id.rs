//! Ids, positions, and tables over ids.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

/// An id as it is in a module. In a valid module it is above zero and below
/// the header's bound, but any value can be held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(pub u32);

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

/// A position in a module, in words from its start: the header is at 0, the
/// first instruction at 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WordOffset(pub usize);

impl WordOffset {
    /// The position in bytes.
    pub fn bytes(self) -> usize {
        self.0 * 4
    }
}

/// A table indexed by id, for any ids: those below a limit, which a caller sets
/// from the size of its input, take a slot of a vector, and those above, which
/// only a hostile or very odd module has, an entry of a tree. So a module can
/// make it allocate no more than in proportion to its size.
#[derive(Clone, Debug)]
pub struct IdMap<T> {
    dense: Vec<T>,
    limit: usize,
    sparse: BTreeMap<u32, T>,
    default: T,
}

impl<T: Copy> IdMap<T> {
    /// A table that holds `default` for every id and keeps ids below `limit` in
    /// a vector, which grows as they come.
    pub fn new(default: T, limit: usize) -> Self {
        Self {
            dense: Vec::new(),
            limit,
            sparse: BTreeMap::new(),
            default,
        }
    }

    /// The same, with room for all ids below `bound` made at once, as far as the
    /// limit allows.
    pub fn with_bound(default: T, limit: usize, bound: u32) -> Self {
        Self {
            dense: vec![default; limit.min(bound as usize)],
            ..Self::new(default, limit)
        }
    }

    /// The value for an id.
    #[inline]
    pub fn get(&self, id: Id) -> T {
        match self.dense.get(id.0 as usize) {
            Some(value) => *value,
            None => self.get_sparse(id),
        }
    }

    /// The value for an id, in its place.
    #[inline]
    pub fn peek(&self, id: Id) -> &T {
        match self.dense.get(id.0 as usize) {
            Some(value) => value,
            None => self.sparse.get(&id.0).unwrap_or(&self.default),
        }
    }

    #[cold]
    fn get_sparse(&self, id: Id) -> T {
        self.sparse.get(&id.0).copied().unwrap_or(self.default)
    }

    /// The slot for an id.
    #[inline(always)]
    pub fn slot(&mut self, id: Id) -> &mut T {
        let index = id.0 as usize;
        match index < self.dense.len() {
            true => &mut self.dense[index],
            false => self.new_slot(id),
        }
    }

    #[cold]
    fn new_slot(&mut self, id: Id) -> &mut T {
        let index = id.0 as usize;
        if index >= self.limit {
            return self.sparse.entry(id.0).or_insert(self.default);
        }
        let length = (index + 1)
            .max(self.dense.len() * 2)
            .max(64)
            .min(self.limit);
        self.dense.resize(length, self.default);
        &mut self.dense[index]
    }

    /// The values in the vector, by id from 0 up.
    pub fn vector_mut(&mut self) -> &mut [T] {
        &mut self.dense
    }

    /// Puts a value in the id's slot and returns what was there.
    #[inline]
    pub fn replace(&mut self, id: Id, value: T) -> T {
        core::mem::replace(self.slot(id), value)
    }

    /// Keeps ids below a higher limit in the vector from now on, for a module that
    /// has grown. A lower limit changes nothing.
    pub fn raise_limit(&mut self, limit: usize) {
        if limit <= self.limit {
            return;
        }
        self.limit = limit;
        let above = match u32::try_from(limit) {
            Ok(limit) => self.sparse.split_off(&limit),
            Err(_) => BTreeMap::new(),
        };
        for (id, value) in core::mem::replace(&mut self.sparse, above) {
            *self.slot(Id(id)) = value;
        }
    }
}
