//! What counts as a data race.

use super::Run;

impl Run<'_> {
    /// Whether data races are looked for, which takes time; the default is not to.
    pub fn race(mut self, is_on: bool) -> Self {
        self.race.is_on = is_on;
        self
    }

    /// Whether accesses that are ordered still race if what is written is not made available
    /// and visible, as the Vulkan memory model demands: by `NonPrivatePointer`,
    /// `MakeAvailable` and `MakeVisible`, or `Coherent`. The default is not to.
    pub fn strict(mut self, is_strict: bool) -> Self {
        self.race.is_strict = is_strict;
        self
    }

    /// Whether two writes of the same value are accepted instead of reported as a race. The
    /// default is not to.
    pub fn same_value(mut self, is_accepted: bool) -> Self {
        self.race.allows_same_value = is_accepted;
        self
    }

    /// Accepts races of the instructions that stand at these offsets in the module, counted in
    /// words: where one of the two accesses is such an instruction, nothing is reported.
    pub fn accept_races(mut self, offsets: impl IntoIterator<Item = usize>) -> Self {
        let offsets = offsets.into_iter();
        let offsets = offsets.filter_map(|it| u32::try_from(it).ok());
        self.accepted.extend(offsets);
        self
    }
}
