//! What is measured in several shapes, each at several sizes.

use std::fmt;

/// A shape at a size.
#[derive(Clone, Copy, Debug)]
pub struct Case<S> {
    /// What there is much of.
    pub shape: S,
    /// What the report calls it.
    pub name: &'static str,
    /// About how much of it there is.
    pub size: u32,
    /// What the size counts.
    pub unit: &'static str,
}

impl<S> fmt::Display for Case<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} {}", self.name, self.size, self.unit)
    }
}

/// Every shape at every size.
pub fn cases<S: Copy>(
    shapes: &'static [(S, &'static str)],
    sizes: &'static [u32],
    unit: &'static str,
) -> impl Iterator<Item = Case<S>> {
    shapes.iter().flat_map(move |&(shape, name)| {
        sizes.iter().map(move |&size| Case {
            shape,
            name,
            size,
            unit,
        })
    })
}
