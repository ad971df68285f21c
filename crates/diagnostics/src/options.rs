//! How all libraries take options.

/// Gives types of options `with`. Their fields are public, and more may come, so that other
/// crates can't name all of them: they start from a default and change it.
///
/// ```
/// #[derive(Default)]
/// #[non_exhaustive]
/// pub struct Options {
///     pub is_strict: bool,
/// }
/// spirvkit_diagnostics::with!(Options);
///
/// let options = Options::default().with(|it| it.is_strict = true);
/// assert!(options.is_strict);
/// ```
#[macro_export]
macro_rules! with {
    ($($options:ty),*) => {
        $(
            impl $options {
                /// The same options with a change: `with(|it| it.field = value)`.
                #[must_use]
                pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
                    change(&mut self);
                    self
                }
            }
        )*
    };
}
