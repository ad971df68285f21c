//! What the optimizer can do, piece by piece.

use std::fmt;
use std::ops::{BitAnd, BitOr, Sub};

/// A set of abilities.
///
/// ```
/// use spirvkit_opt::Abilities;
///
/// let some = Abilities::INLINE | Abilities::DEAD_FUNCTIONS;
/// assert!(Abilities::ALL.contains(some) && !some.contains(Abilities::PROMOTE));
/// assert_eq!(some.to_string(), "inline, dead-functions");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Abilities(u32);

/// The abilities in order, with their names and what they do.
macro_rules! abilities {
    ($($(#[$about:meta])* $ability:ident $name:literal;)*) => {
        /// The number of each.
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Number { $($ability),* }

        impl Abilities {
            $($(#[$about])* pub const $ability: Self = Self(1 << Number::$ability as u32);)*

            /// All.
            pub const ALL: Self = Self(0 $(| Self::$ability.0)*);

            /// Each by itself, with its name.
            pub const EACH: &[(Self, &str)] = &[$((Self::$ability, $name)),*];
        }
    };
}

abilities! {
    /// Functions are put where they are called.
    INLINE "inline";
    /// `Private` variables that only one entry point uses become its own.
    LOCALIZE "localize";
    /// Variables of functions become values.
    PROMOTE "promote";
    /// What is computed twice is computed once.
    MERGE "merge";
    /// Values are replaced by simpler ones that are the same.
    SIMPLIFY "simplify";
    /// Loads give what was stored or loaded before.
    FORWARD "forward";
    /// Stores that change nothing, or that another one overwrites, go.
    DEAD_STORES "dead-stores";
    /// In functions, what nothing needs goes.
    DEAD_CODE "dead-code";
    /// Branches that always go one way lose the other.
    CUT_BRANCHES "cut-branches";
    /// Blocks that nothing reaches go.
    UNREACHABLE "unreachable";
    /// Loops that never go round become plain code.
    LOOPS "loops";
    /// Loops of a few rounds are unrolled: for size, if the module gets smaller.
    UNROLL "unroll";
    /// Selections that only choose a value become `OpSelect`.
    SELECT "select";
    /// Blocks that follow only one another are joined.
    JOIN "join";
    /// Functions that nothing calls go.
    DEAD_FUNCTIONS "dead-functions";
    /// Variables of the module that nothing uses go.
    DEAD_VARIABLES "dead-variables";
    /// Constants that nothing uses go.
    DEAD_CONSTANTS "dead-constants";
    /// Members of structures that nothing uses go.
    DEAD_MEMBERS "dead-members";
    /// Other declarations that nothing uses go: types, imports, strings.
    DEAD_DECLARATIONS "dead-declarations";
}

impl Abilities {
    /// None.
    pub const NONE: Self = Self(0);

    /// What changes the instructions of functions, but for the ways between blocks.
    pub(crate) const VALUES: Self = Self(
        Self::PROMOTE.0
            | Self::MERGE.0
            | Self::SIMPLIFY.0
            | Self::FORWARD.0
            | Self::DEAD_STORES.0
            | Self::DEAD_CODE.0,
    );

    /// What changes the ways between blocks.
    pub(crate) const FLOW: Self = Self(
        Self::CUT_BRANCHES.0 | Self::UNREACHABLE.0 | Self::LOOPS.0 | Self::SELECT.0 | Self::JOIN.0,
    );

    /// Whether all of these are among them.
    #[must_use]
    pub const fn contains(self, others: Self) -> bool {
        self.0 & others.0 == others.0
    }

    /// Whether any of these is among them.
    #[must_use]
    pub const fn has_any(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    /// All that is in either; like `|`, in constants.
    #[must_use]
    pub const fn with(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }
}

impl BitOr for Abilities {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.with(other)
    }
}

impl BitAnd for Abilities {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl Sub for Abilities {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl fmt::Display for Abilities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = Self::EACH.iter().filter(|&&(it, _)| self.contains(it));
        let names: Vec<&str> = own.map(|&(_, name)| name).collect();
        f.write_str(&names.join(", "))
    }
}
