//! What would meet a need.

use std::fmt;

use crate::device::Device;
use crate::tables::{Enable, Feature, Limit};

/// What would meet a need.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Wanted {
    /// One of these. Nothing meets a need without any.
    OneOf(Vec<Enable>),
    /// A limit that is at least this, or for a lower bound at most.
    Reach {
        /// Which.
        limit: Limit,
        /// In which dimension, of a limit that has several.
        dimension: usize,
        /// What the module has.
        value: f64,
    },
    /// A limit that is at least a sum in which the device has a say.
    Total {
        /// Which.
        limit: Limit,
        /// What is added up.
        terms: Vec<Term>,
    },
    /// A limit of which this is a multiple.
    Multiple {
        /// Which.
        limit: Limit,
        /// What the module has; above 0.
        value: u64,
    },
    /// One of these, of which the last can be met by more than there is.
    Either(Vec<Wanted>),
}

/// A part of a sum.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Term {
    /// So many bytes.
    Bytes(u64),
    /// What the device keeps for itself.
    Reserved(Limit),
    /// So many bytes for each of so many, whose number is rounded up.
    Each {
        /// How many bytes.
        size: u64,
        /// For how many.
        count: u64,
        /// Of what the number becomes a multiple.
        granularity: Limit,
    },
}

impl Term {
    /// What it is on a device. What the device doesn't tell counts as little as it can.
    fn on(self, device: &Device) -> u64 {
        // Floats become integers by going to the nearest that there is.
        let number = |limit| device.limit(limit).and_then(|it| it.number(0));
        let known = |limit| number(limit).map_or(0, |it| it as u64);
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Reserved(limit) => known(limit),
            Self::Each {
                size,
                count,
                granularity,
            } => {
                let rounded = count.checked_next_multiple_of(known(granularity).max(1));
                size.saturating_mul(rounded.unwrap_or(u64::MAX))
            }
        }
    }
}

/// A sum on a device.
pub(crate) fn total(terms: &[Term], device: &Device) -> u64 {
    let each = terms.iter().map(|term| term.on(device));
    each.fold(0, u64::saturating_add)
}

impl Wanted {
    /// Whether a device has it.
    pub fn is_met_by(&self, device: &Device) -> bool {
        // Of what neither the device nor the specification tells, nothing is known.
        let known = |limit: &Limit, dimension| device.limit(*limit)?.number(dimension);
        match self {
            Self::OneOf(all) => all.iter().any(|&enable| device.enables(enable)),
            Self::Reach {
                limit,
                dimension,
                value,
            } => known(limit, *dimension).is_none_or(|known| match limit.is_least() {
                true => *value >= known,
                false => *value <= known,
            }),
            Self::Total { limit, terms } => {
                known(limit, 0).is_none_or(|known| total(terms, device) as f64 <= known)
            }
            Self::Multiple { limit, value } => {
                known(limit, 0).is_none_or(|known| known < 1.0 || value % known as u64 == 0)
            }
            Self::Either(all) => all.iter().any(|it| it.is_met_by(device)),
        }
    }
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OneOf(all) if all.is_empty() => write!(f, "what Vulkan doesn't have"),
            Self::OneOf(all) => {
                let mut all = all.clone();
                all.dedup_by_key(|enable| enable.to_string());
                joined(&all, f)
            }
            Self::Reach {
                limit,
                dimension,
                value,
            } => {
                let than = match limit.is_least() {
                    true => "at most",
                    false => "at least",
                };
                match limit.is_by_dimension() {
                    true => write!(f, "`{}[{dimension}]` of {than} {value}", limit.name()),
                    false => write!(f, "`{}` of {than} {value}", limit.name()),
                }
            }
            Self::Total { limit, terms } => {
                write!(f, "`{}` of at least ", limit.name())?;
                for (index, term) in terms.iter().enumerate() {
                    if index > 0 {
                        write!(f, " + ")?;
                    }
                    write!(f, "{term}")?;
                }
                Ok(())
            }
            Self::Multiple { limit, value } => {
                write!(f, "`{}` of which {value} is a multiple", limit.name())
            }
            Self::Either(all) => joined(all, f),
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => write!(f, "{bytes}"),
            Self::Reserved(limit) => write!(f, "`{}`", limit.name()),
            Self::Each {
                size,
                count,
                granularity,
            } => write!(
                f,
                "{size} × {count} (rounded up to a multiple of `{}`)",
                granularity.name()
            ),
        }
    }
}

/// Alternatives with "or" between them.
fn joined<T: fmt::Display>(all: &[T], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (index, each) in all.iter().enumerate() {
        if index > 0 {
            write!(f, " or ")?;
        }
        write!(f, "{each}")?;
    }
    Ok(())
}

impl fmt::Display for Enable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Version(major, minor) => write!(f, "Vulkan {major}.{minor}"),
            Self::Extension(name) => write!(f, "the extension `{name}`"),
            Self::Without(name) => write!(f, "no extension `{name}`"),
            Self::Feature { feature, .. } => write!(f, "the feature `{}`", Feature(feature).name()),
            Self::Property {
                limit,
                value: "VK_TRUE",
                ..
            } => {
                write!(f, "the property `{}`", Limit(limit).name())
            }
            Self::Property { limit, value, .. } => {
                write!(f, "`{value}` in the property `{}`", Limit(limit).name())
            }
        }
    }
}
