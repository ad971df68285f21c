//! A number for some of the values.

use super::Value;

/// Numbers of values, 0 for all at first. To forget them takes as long as there are some, so that
/// one table serves many small functions of a large module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbers {
    numbers: Vec<u32>,
    known: Vec<Value>,
}

impl Numbers {
    pub(crate) fn get(&self, value: Value) -> u32 {
        self.numbers.get(value as usize).copied().unwrap_or(0)
    }

    pub(crate) fn set(&mut self, value: Value, number: u32) {
        let index = value as usize;
        if index >= self.numbers.len() {
            self.numbers.resize(index + 1 + index / 4, 0);
        }
        if self.numbers[index] == 0 && number != 0 {
            self.known.push(value);
        }
        self.numbers[index] = number;
    }

    pub(crate) fn add(&mut self, value: Value, more: u32) {
        self.set(value, self.get(value).saturating_add(more));
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        for value in self.known.drain(..) {
            self.numbers[value as usize] = 0;
        }
    }
}
