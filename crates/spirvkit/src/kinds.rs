//! What the libraries report besides broken rules of the specification.

use spirvkit_diagnostics::Kind;
use spirvkit_text::KINDS as OF_TEXT;
use spirvkit_transform::link::KINDS as OF_LINKING;

/// All kinds of diagnostics that the libraries make, other than the [rules](crate::rules)
/// of the validator.
///
/// ```
/// let kinds = spirvkit::kinds();
/// assert!(kinds.iter().any(|kind| kind.id == "text.open-string"));
/// ```
pub fn kinds() -> Vec<&'static Kind> {
    [OF_TEXT, OF_LINKING].concat()
}
