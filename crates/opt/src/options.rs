//! What a caller may choose.

use crate::Abilities;

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

/// What a result of floating-point operations may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Float {
    /// The same, bit by bit, but for the bits of a NaN.
    #[default]
    Exact,
    /// Whatever the API permits for the operation: in shaders, what `NoContraction`,
    /// `SignedZeroInfNanPreserve` and `FPFastMathMode` leave open, and for functions of constants,
    /// such as `Cos`, any result that is precise enough.
    Api,
}

spirvkit_binary::options! {
    /// What [`optimize`](crate::optimize) does.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Options {
        /// What counts.
        pub level: Level = Level::Size,
        /// What may be done.
        pub abilities: Abilities = Abilities::ALL,
        /// Which results of floating-point operations are the same.
        pub float: Float = Float::Exact,
        /// Whether loops stay as they are written, so that they can be recognized: no other block
        /// is joined with one that begins or continues a loop.
        pub keep_loop_shape: bool = false,
        /// Whether it is noted what was done, and what was not, and why.
        pub remarks: bool = false,
        /// How many times functions may be changed; the rest stays as it is. This is for finding
        /// out which change is wrong.
        pub fuel: Option<u64> = None,
        /// Whether variables with a binding stay although nothing uses them.
        pub preserve_bindings: bool = false,
        /// Whether variables that entry points name stay although nothing uses them.
        pub preserve_interface: bool = false,
        /// Whether specialization constants stay although nothing uses them.
        pub preserve_spec_constants: bool = false,
    }
}
