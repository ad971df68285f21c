//! Many lists in two arrays.

use alloc::vec;
use alloc::vec::Vec;

/// Lists with numbers from 0 up: the items of list `n` are
/// `items[starts[n]..starts[n + 1]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lists<T> {
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy + Default> Lists<T> {
    /// Sorts pairs of a list's number, which must be below `lists`, and an item by
    /// the number, keeping their order otherwise.
    pub(crate) fn new(lists: u32, pairs: impl Iterator<Item = (u32, T)> + Clone) -> Self {
        let mut next = vec![0u32; lists as usize];
        for (list, _) in pairs.clone() {
            next[list as usize] += 1;
        }
        // Each item takes a word of a module, of which there are fewer than 2³².
        let mut total = 0u32;
        for place in &mut next {
            let count = core::mem::replace(place, total);
            total = total.saturating_add(count);
        }
        let mut starts = Vec::with_capacity(next.len() + 1);
        starts.extend_from_slice(&next);
        starts.push(total);
        let mut items = vec![T::default(); total as usize];
        for (list, item) in pairs {
            let place = &mut next[list as usize];
            items[*place as usize] = item;
            *place += 1;
        }
        Self { starts, items }
    }

    /// The same of pairs that are sorted by the number.
    pub(crate) fn of_sorted(lists: u32, pairs: &[(u32, T)]) -> Self {
        let mut starts = Vec::with_capacity(lists as usize + 1);
        for (index, &(list, _)) in pairs.iter().enumerate() {
            while starts.len() <= list as usize {
                starts.push(index as u32);
            }
        }
        starts.resize(lists as usize + 1, pairs.len() as u32);
        Self {
            starts,
            items: pairs.iter().map(|&(_, item)| item).collect(),
        }
    }

    /// How many lists there are.
    #[inline]
    pub(crate) fn len(&self) -> u32 {
        (self.starts.len() - 1) as u32
    }

    /// How many items all lists have together.
    pub(crate) fn item_count(&self) -> usize {
        self.items.len()
    }

    /// The items of all lists.
    pub(crate) fn all(&self) -> &[T] {
        &self.items
    }

    /// A list; an empty one, if it doesn't exist.
    #[inline]
    pub(crate) fn of(&self, list: u32) -> &[T] {
        let list = list as usize;
        match (self.starts.get(list), self.starts.get(list + 1)) {
            (Some(&start), Some(&end)) => &self.items[start as usize..end as usize],
            _ => &[],
        }
    }
}
