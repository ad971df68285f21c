//! What floating-point rules may do.

use spirvkit_eval::{Denormals, Environment, Rounding, ScalarType};
use spirvkit_grammar::FPFastMathMode;

spirvkit_binary::options! {
    /// What holds for the operation that is simplified. By default, every number keeps all its
    /// bits, and numbers are rounded to nearest.
    #[derive(Clone, Copy, Debug)]
    pub struct Modes {
        /// The execution modes of the entry points that reach the operation.
        pub environment: Environment = Environment::default(),
        /// What the operation permits. Only what it permits itself counts; what is made of it
        /// must not permit more.
        pub permissions: FPFastMathMode = FPFastMathMode(0),
    }
}

impl Modes {
    pub(super) fn permits(&self, needed: FPFastMathMode) -> bool {
        self.permissions.0 & needed.0 == needed.0
    }

    /// Whether denormal numbers of a type become zeros. Where no mode says so, those who run
    /// the module may choose, and so may rules.
    pub(super) fn flushes(&self, ty: ScalarType) -> bool {
        match ty {
            ScalarType::Float(format) => {
                self.environment.float(format).denormals == Denormals::Flush
            }
            _ => false,
        }
    }

    /// Whether the rounding of a number depends on its sign.
    pub(super) fn rounds_up_or_down(&self, ty: ScalarType) -> bool {
        match ty {
            ScalarType::Float(format) => matches!(
                self.environment.float(format).rounding,
                Rounding::TowardPositive | Rounding::TowardNegative
            ),
            _ => false,
        }
    }
}
