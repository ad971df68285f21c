//! How the program ends.

/// How the program ends; the numbers are its exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Success = 0,
    /// An input was refused, or a file could not be read or written.
    Failure = 1,
    /// The command line makes no sense.
    BadUsage = 2,
}

impl Ending {
    /// The worse of two.
    pub(crate) fn worst(self, other: Self) -> Self {
        match self as u8 > other as u8 {
            true => self,
            false => other,
        }
    }

    /// Success unless something failed.
    pub(crate) fn unless(failed: bool) -> Self {
        match failed {
            false => Self::Success,
            true => Self::Failure,
        }
    }
}

/// What is wrong with a command line, in a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UsageError(pub(crate) String);
