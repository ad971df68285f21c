//! What would meet a need.

use std::fmt;

use crate::device::{Device, Entry};
use crate::tables::{Enable, Feature, Limit, enumerant, enumerant_name};
use crate::value::Value;

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
    /// One of some values in a property that no device must have, if the device tells it.
    Told {
        /// Which.
        property: Limit,
        /// Its values; `VK_TRUE` of what is there or not.
        values: &'static [&'static str],
    },
    /// An entry like one of these in the device's lists.
    Listed(Vec<Listed>),
    /// One of these, of which the last can be met by more than there is.
    Either(Vec<Wanted>),
}

/// An entry of a list of what devices take.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Listed {
    /// The structure of the list's entries.
    pub structure: &'static str,
    /// What is asked of the entry's members.
    pub members: Vec<(&'static str, Is)>,
}

/// What is asked of a member of an entry.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Is {
    /// That it is this number.
    Number(u64),
    /// That it is this number, if the entry has such a member.
    Told(u64),
    /// That it divides this number.
    Divisor(u64),
    /// That it is true, or false.
    Bool(bool),
    /// That it has this value of a mask or doesn't, if the entry has such a member.
    Flag(&'static str, bool),
    /// That it is one of these types of components.
    Component(Vec<u32>),
    /// That it is this scope.
    Scope(u32),
}

impl Is {
    fn is_met_by(&self, value: &Value) -> bool {
        let one = || match value {
            Value::Names(names) => names.first().and_then(|name| enumerant(name)),
            _ => None,
        };
        match self {
            Self::Number(wanted) | Self::Told(wanted) => value.number(0) == Some(*wanted as f64),
            Self::Divisor(wanted) => {
                let number = value.number(0).map_or(0, |it| it as u64);
                number > 0 && wanted % number == 0
            }
            Self::Bool(wanted) => *value == Value::Bool(*wanted),
            Self::Flag(name, wanted) => value.contains(name) == *wanted,
            Self::Component(wanted) => one().is_some_and(|it| wanted.contains(&it)),
            Self::Scope(wanted) => one() == Some(*wanted),
        }
    }

    /// A value that meets it.
    fn value(&self) -> Option<Value> {
        Some(match self {
            Self::Number(number) | Self::Told(number) | Self::Divisor(number) => {
                Value::Number(*number as f64)
            }
            Self::Flag(name, wanted) => {
                let names = wanted.then(|| (*name).to_owned());
                Value::Names(names.into_iter().collect())
            }
            Self::Bool(is) => Value::Bool(*is),
            Self::Component(all) => {
                let name = enumerant_name("VK_COMPONENT_TYPE_", *all.first()?)?;
                Value::Names(vec![name.to_owned()])
            }
            Self::Scope(scope) => {
                Value::Names(vec![enumerant_name("VK_SCOPE_", *scope)?.to_owned()])
            }
        })
    }
}

impl Listed {
    /// Whether a device's list has such an entry. Of a list that nobody knows, nothing is known.
    fn is_met_by(&self, device: &Device) -> bool {
        let Some(list) = device.list(self.structure) else {
            return true;
        };
        list.iter().any(|entry| self.is_met_by_entry(entry))
    }

    fn is_met_by_entry(&self, entry: &Entry) -> bool {
        let has = |(name, is): &(&str, Is)| match entry.get(*name) {
            Some(value) => is.is_met_by(value),
            None => matches!(is, Is::Told(_) | Is::Flag(..)),
        };
        self.members.iter().all(has)
    }

    /// An entry that is like it and has nothing else.
    pub(crate) fn entry(&self) -> Entry {
        let members = self.members.iter();
        let members = members.filter_map(|(name, is)| Some(((*name).to_owned(), is.value()?)));
        members.collect()
    }
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
            Self::Told { property, values } => device
                .limit(*property)
                .is_none_or(|known| values.iter().any(|value| known.contains(value))),
            Self::Listed(all) => all.iter().any(|it| it.is_met_by(device)),
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
            Self::Told {
                property,
                values: ["VK_TRUE"],
            } => write!(f, "the property `{}`", property.name()),
            Self::Told { property, values } => {
                joined(
                    &values
                        .iter()
                        .map(|it| format!("`{it}`"))
                        .collect::<Vec<_>>(),
                    f,
                )?;
                write!(f, " in the property `{}`", property.name())
            }
            Self::Listed(all) => joined(all, f),
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

impl fmt::Display for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a `{}` with ", self.structure)?;
        for (index, (name, is)) in self.members.iter().enumerate() {
            if index > 0 {
                write!(f, ", ")?;
            }
            match (is, is.value()) {
                (Is::Flag(flag, false), _) => write!(f, "`{name}` without `{flag}`")?,
                (Is::Divisor(number), _) => write!(f, "`{name}` that divides {number}")?,
                (_, Some(value)) => write!(f, "`{name}` = {value}")?,
                (_, None) => write!(f, "`{name}` of what Vulkan doesn't have")?,
            }
        }
        Ok(())
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
            Self::Lacking { feature } => {
                write!(f, "no feature `{}`", Feature(feature).name())
            }
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
