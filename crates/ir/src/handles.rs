//! Handles: what stands for an instruction, a block or a function.

/// "Nothing" where an index could be.
pub(crate) const NONE: u32 = u32::MAX;

macro_rules! handle {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        ///
        /// A handle is a small number that stays the same whatever else is changed. It
        /// says nothing outside the module it comes from: with another's handle, methods
        /// answer about something else, or that there is nothing.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub(crate) u32);

        impl $name {
            /// The number, below the number of handles that the module has given out: for
            /// tables of one's own.
            pub fn index(self) -> usize {
                self.0 as usize
            }

            pub(crate) fn some(index: u32) -> Option<Self> {
                (index != NONE).then_some(Self(index))
            }
        }
    };
}

handle! {
    /// An instruction of a [`Module`](crate::Module).
    Inst
}

handle! {
    /// A block of a function of a [`Module`](crate::Module).
    Block
}

handle! {
    /// A function of a [`Module`](crate::Module).
    Function
}
