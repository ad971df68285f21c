//! What the libraries report besides broken rules of the specification.

use spirvkit_diagnostics::Kind;

/// All kinds of diagnostics that the libraries make, other than the [rules](crate::rules)
/// of the validator.
///
/// ```
/// let kinds = spirvkit::kinds();
/// assert!(kinds.iter().any(|kind| kind.id == "text.open-string"));
/// ```
pub fn kinds() -> Vec<&'static Kind> {
    let lists: &[&[&Kind]] = &[
        #[cfg(feature = "amber")]
        spirvkit_amber::KINDS,
        #[cfg(feature = "interp")]
        spirvkit_interp::KINDS,
        #[cfg(feature = "text")]
        spirvkit_text::KINDS,
        #[cfg(feature = "transform")]
        spirvkit_transform::link::KINDS,
    ];
    lists.concat()
}
