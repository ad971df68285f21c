//! How values of the other libraries are serialized: ids as numbers, enumerants as
//! their names in the registry.

use std::fmt::Display;

use serde::{Serialize, Serializer};
use spirvkit_binary::Id;

/// An id as its number.
pub(crate) fn id<S: Serializer>(id: &Id, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u32(id.0)
}

/// An id as its number, or nothing.
pub(crate) fn maybe_id<S: Serializer>(id: &Option<Id>, serializer: S) -> Result<S::Ok, S::Error> {
    match id {
        Some(id) => serializer.serialize_some(&id.0),
        None => serializer.serialize_none(),
    }
}

/// Ids as numbers.
pub(crate) fn ids<S: Serializer>(ids: &[Id], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(ids.iter().map(|id| id.0))
}

/// What is written as [`Display`] writes it.
pub(crate) fn name<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// The same, or nothing.
pub(crate) fn maybe_name<T: Display, S: Serializer>(
    value: &Option<T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => serializer.collect_str(value),
        None => serializer.serialize_none(),
    }
}

/// The same of several.
pub(crate) fn names<T: Display, S: Serializer>(
    values: &[T],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values.iter().map(ToString::to_string))
}

/// A value, or that it is not known.
pub(crate) fn or_unknown<T: Serialize, S: Serializer>(
    value: &Option<T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => value.serialize(serializer),
        None => serializer.serialize_str("unknown"),
    }
}

/// Whether there is nothing to tell.
pub(crate) fn is_zero(number: &usize) -> bool {
    *number == 0
}
