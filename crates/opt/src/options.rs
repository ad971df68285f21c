//! What a caller may choose.

/// What a result should have little of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Level {
    /// The fewest words.
    #[default]
    Size,
    /// The fewest instructions that execute.
    Performance,
}

spirvkit_binary::options! {
    /// What [`optimize`](crate::optimize) does.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Options {
        /// What counts. So far, the same is done for both.
        pub level: Level = Level::Size,
        /// Whether variables with a binding stay although nothing uses them.
        pub preserve_bindings: bool = false,
        /// Whether variables that entry points name stay although nothing uses them.
        pub preserve_interface: bool = false,
        /// Whether specialization constants stay although nothing uses them.
        pub preserve_spec_constants: bool = false,
    }
}
