//! Sets of capabilities.

use alloc::vec::Vec;
use core::fmt;

use spirvkit_grammar::{Capability, OperandKind};

/// A set of capabilities, in which each brings along those that it implicitly
/// declares (specification, section 3.31). Of numbers far above the registry's,
/// which are nobody's, it holds none.
#[derive(Clone, PartialEq, Eq)]
pub struct Capabilities {
    bits: [u64; Self::WORDS],
}

impl Default for Capabilities {
    fn default() -> Self {
        Self {
            bits: [0; Self::WORDS],
        }
    }
}

impl Capabilities {
    /// The registry's numbers stay far below 64 times this.
    const WORDS: usize = 128;

    /// Whether a capability is in the set, by itself or by another that implies it.
    #[inline]
    pub fn contains(&self, capability: Capability) -> bool {
        let word = self.bits.get(capability.0 as usize / 64);
        word.is_some_and(|word| word >> (capability.0 % 64) & 1 != 0)
    }

    /// Adds a capability and all that it implies.
    pub fn add(&mut self, capability: Capability) {
        let mut todo = Vec::new();
        let mut next = Some(capability);
        while let Some(capability) = next.take().or_else(|| todo.pop()) {
            if self.contains(capability) {
                continue;
            }
            if let Some(word) = self.bits.get_mut(capability.0 as usize / 64) {
                *word |= 1 << (capability.0 % 64);
            }
            if let Some(info) = OperandKind::Capability.enumerant(capability.0) {
                let implied = info.availability().capabilities().iter().copied();
                todo.extend(implied.filter(|&implied| !self.contains(implied)));
            }
        }
    }

    /// All capabilities of the set by their numbers.
    pub fn iter(&self) -> impl Iterator<Item = Capability> + '_ {
        let numbers = 0..64 * Self::WORDS as u32;
        numbers.map(Capability).filter(|&it| self.contains(it))
    }
}

impl FromIterator<Capability> for Capabilities {
    fn from_iter<I: IntoIterator<Item = Capability>>(capabilities: I) -> Self {
        let mut set = Self::default();
        capabilities.into_iter().for_each(|each| set.add(each));
        set
    }
}

impl fmt::Debug for Capabilities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
