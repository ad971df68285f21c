//! Memory that modules reach by addresses.

use super::{Element, Outcome, Run, bytes_of};

/// Which bits of an address tell the object; those below tell the offset.
const OBJECT_BITS: u32 = 32;

impl Run<'_> {
    /// Memory with these contents, which no descriptor leads to: gives its address (storage
    /// class `PhysicalStorageBuffer`), to be put into buffers, push constants or other memory.
    /// Addresses lie so far apart that a pointer doesn't get from one to the next by accident.
    ///
    /// ```
    /// # use spirvkit_interp::Run;
    /// # let words = [];
    /// let mut run = Run::new(&words);
    /// let numbers = run.memory(&[1.0f32, 2.0]);
    /// let run = run.push(&[numbers]);
    /// ```
    pub fn memory<T: Element>(&mut self, contents: &[T]) -> u64 {
        self.memories.push(bytes_of(contents));
        (self.memories.len() as u64) << OBJECT_BITS
    }
}

impl Outcome {
    /// The bytes of the memory that [`Run::memory`] gave this address; empty for any other.
    pub fn memory_bytes(&self, address: u64) -> &[u8] {
        let index = usize::try_from(address >> OBJECT_BITS).unwrap_or(usize::MAX);
        let memory = self.memories.get(index.wrapping_sub(1));
        memory.map_or(&[], |bytes| bytes)
    }

    /// The numbers in that memory, up to the last whole one.
    pub fn read_memory<T: Element>(&self, address: u64) -> Vec<T> {
        let chunks = self.memory_bytes(address).chunks_exact(T::SIZE);
        chunks.map(T::read).collect()
    }
}
