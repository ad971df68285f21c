//! What diagnostics of one id have in common.

use crate::{Diagnostic, ErrorClass, Severity};

/// What all diagnostics with one id have in common, for people who want to know more
/// than a message says.
///
/// Every library that makes diagnostics has a list of its kinds, which [`kinds!`](crate::kinds)
/// declares, so that an id stands once.
///
/// ```
/// spirvkit_diagnostics::kinds! {
///     /// What can be wrong with tea.
///     pub static KINDS;
///
///     COLD = "tea.cold", InvalidValue {
///         text: "The tea is colder than 40 degrees.",
///         advice: "Put the kettle on.",
///     }
/// }
/// let error = COLD.error("the tea has 21 degrees");
/// assert_eq!(error.rule(), "tea.cold");
/// assert_eq!(KINDS.len(), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The stable id: a family and a name in it, such as `text.open-string`.
    pub id: &'static str,
    /// The class of the errors.
    pub class: ErrorClass,
    /// What is wrong where such a diagnostic is reported.
    pub text: &'static str,
    /// What to do about it.
    pub advice: &'static str,
    /// Text for which it is reported; empty where text can't show it.
    pub example: &'static str,
}

impl Kind {
    /// An error of this kind.
    pub fn error(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, self.id, self.class, message.into())
    }

    /// A warning of this kind.
    pub fn warning(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, self.id, self.class, message.into())
    }
}

/// Declares [`Kind`]s, and a static slice with all of them.
///
/// The slice is as visible as it says; the kinds are visible in the crate.
#[macro_export]
macro_rules! kinds {
    (
        $(#[$meta:meta])* $visibility:vis static $all:ident;
        $($name:ident = $id:literal, $class:ident {
            text: $text:literal,
            advice: $advice:literal,
            $(example: $example:literal,)?
        })*
    ) => {
        $(#[$meta])*
        $visibility static $all: &[&$crate::Kind] = &[$(&$name),*];
        $(
            pub(crate) static $name: $crate::Kind = $crate::Kind {
                id: $id,
                class: $crate::ErrorClass::$class,
                text: $text,
                advice: $advice,
                example: concat!($($example)?),
            };
        )*
    };
}
