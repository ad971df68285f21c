//! All that is wrong, as one error.

use std::error::Error;
use std::fmt;
use std::ops::Deref;

use crate::{Diagnostic, Source, render};

/// The errors of something that failed, at least one: what functions return that report
/// all that is wrong at once. It is a slice of them, and an error itself, so that `?`
/// passes it on.
///
/// Its text has a line for each; [`render`](Self::render) shows [`Diagnostic`]s with their
/// places. `{:?}`, which is what `unwrap` and a `main` that returns an error show, is the
/// same text, and `{:#?}` shows every field.
///
/// ```
/// use spirvkit_diagnostics::{Diagnostic, ErrorClass, Errors, Source, Span};
///
/// fn parse(text: &str) -> Result<(), Errors> {
///     let error = Diagnostic::error("tea.cold", ErrorClass::InvalidText, "the tea is cold");
///     Err(error.at_span(Span { start: 0, end: text.len() }).into())
/// }
///
/// let errors = parse("brr").unwrap_err();
/// assert_eq!(errors[0].rule(), "tea.cold");
/// assert_eq!(errors.to_string(), "error[tea.cold]: the tea is cold");
/// let shown = errors.render(&Source::new("cup.txt", "brr"));
/// assert!(shown.contains("--> cup.txt:1:1\n"));
///
/// fn main_of_a_program() -> Result<(), Box<dyn std::error::Error>> {
///     Ok(parse("brr")?)
/// }
/// # assert!(main_of_a_program().is_err());
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Errors<E = Diagnostic>(Vec<E>);

impl<E> Errors<E> {
    /// These errors, in this order; `None` if there are none.
    pub fn new(list: Vec<E>) -> Option<Self> {
        (!list.is_empty()).then_some(Self(list))
    }

    /// All of them, by value.
    pub fn into_vec(self) -> Vec<E> {
        self.0
    }
}

impl Errors {
    /// All of them as [`render::terminal`] shows them, without colours, with an excerpt of
    /// the source for those that have a place in it. What is wrong with a binary module has
    /// no text; its source is a name and an empty one.
    pub fn render(&self, source: &Source<'_>) -> String {
        render::all(self, source)
    }
}

impl<E> From<E> for Errors<E> {
    fn from(error: E) -> Self {
        Self(vec![error])
    }
}

impl From<Box<crate::Diagnostic>> for Errors {
    fn from(error: Box<crate::Diagnostic>) -> Self {
        Self::from(*error)
    }
}

impl<E> Extend<E> for Errors<E> {
    fn extend<T: IntoIterator<Item = E>>(&mut self, errors: T) {
        self.0.extend(errors);
    }
}

impl<E> Deref for Errors<E> {
    type Target = [E];

    fn deref(&self) -> &[E] {
        &self.0
    }
}

impl<E> IntoIterator for Errors<E> {
    type Item = E;
    type IntoIter = std::vec::IntoIter<E>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, E> IntoIterator for &'a Errors<E> {
    type Item = &'a E;
    type IntoIter = std::slice::Iter<'a, E>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<E: fmt::Display> fmt::Display for Errors<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, error) in self.iter().enumerate() {
            let line_end = if number == 0 { "" } else { "\n" };
            write!(f, "{line_end}{error}")?;
        }
        Ok(())
    }
}

impl<E: fmt::Display + fmt::Debug> fmt::Debug for Errors<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match f.alternate() {
            true => f.debug_list().entries(&self.0).finish(),
            false => fmt::Display::fmt(self, f),
        }
    }
}

impl<E: fmt::Display + fmt::Debug> Error for Errors<E> {}
