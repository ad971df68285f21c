//! Specialization constants (specification, section 2.12).

#[cfg(feature = "serde")]
use serde::{Serialize, Serializer};
use spirvkit_binary::{Id, Instruction, NumberType};
use spirvkit_grammar::Op;

use crate::contents::Contents;
#[cfg(feature = "serde")]
use crate::serial;
use crate::types::{Types, number_type};

/// A scalar that can be set before the module is compiled.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SpecConstant {
    /// Its id.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::id"))]
    pub id: Id,
    /// The number by which an API sets it; `None` if it has none, so that nothing
    /// can.
    pub spec_id: Option<u32>,
    /// The name that the module gives it.
    pub name: Option<String>,
    /// Its type.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "type", serialize_with = "serial::id")
    )]
    pub ty: Id,
    /// How many bytes it takes in the API's data: that of a boolean is a 32-bit number;
    /// `None` if the type is unknown.
    pub size: Option<u32>,
    /// The value that it has unless it is set.
    pub default: Scalar,
}

/// The value of a scalar.
///
/// Serialized as a boolean or a number; what JSON has no number for, as a string.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Scalar {
    /// A boolean.
    Bool(bool),
    /// A signed integer.
    Signed(i64),
    /// An unsigned integer.
    Unsigned(u64),
    /// A floating-point number.
    Float(f64),
    /// Bits whose meaning isn't known: the type is none that the registry has, or
    /// missing.
    Unknown(u64),
}

#[cfg(feature = "serde")]
impl Serialize for Scalar {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Bool(value) => serializer.serialize_bool(value),
            Self::Signed(value) => serializer.serialize_i64(value),
            Self::Unsigned(value) => serializer.serialize_u64(value),
            Self::Float(value) if value.is_finite() => serializer.serialize_f64(value),
            Self::Float(value) => serializer.collect_str(&value),
            Self::Unknown(_) => serializer.serialize_str("unknown"),
        }
    }
}

impl std::fmt::Display for Scalar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::Signed(value) => value.fmt(f),
            Self::Unsigned(value) => value.fmt(f),
            Self::Float(value) => value.fmt(f),
            Self::Unknown(_) => f.write_str("unknown"),
        }
    }
}

/// The constants that specialization can set, in the order of the module.
pub(crate) fn spec_constants(contents: &Contents<'_>, types: &Types) -> Vec<SpecConstant> {
    let constants = contents.spec_constants.iter();
    constants
        .filter_map(|instruction| {
            let (id, ty) = (instruction.result()?, instruction.result_type()?);
            let default = scalar(instruction, types);
            Some(SpecConstant {
                id,
                spec_id: contents.decorations(id).spec_id,
                name: contents.name(id),
                ty,
                size: match default {
                    Scalar::Bool(_) => Some(4),
                    Scalar::Unknown(_) => None,
                    _ => types
                        .kind(ty)
                        .and_then(number_type)
                        .map(|number| u32::from(number.width()).div_ceil(8)),
                },
                default,
            })
        })
        .collect()
}

/// The value of a constant scalar.
pub(crate) fn scalar(instruction: &Instruction<'_>, types: &Types) -> Scalar {
    let literal = instruction.words().get(3..).unwrap_or_default();
    let bits = NumberType::join(literal);
    match instruction.op() {
        Op::ConstantTrue | Op::SpecConstantTrue => return Scalar::Bool(true),
        Op::ConstantFalse | Op::SpecConstantFalse => return Scalar::Bool(false),
        _ => {}
    }
    let ty = instruction.result_type().and_then(|ty| types.kind(ty));
    match ty.and_then(number_type) {
        Some(number @ NumberType::Integer { signed: true, .. }) => {
            Scalar::Signed(number.sign_extend(bits))
        }
        Some(number @ NumberType::Integer { signed: false, .. }) => {
            Scalar::Unsigned(number.value(bits))
        }
        Some(number @ NumberType::Float(_)) => {
            let float = spirvkit_eval::Scalar::new(number.into(), bits).to_f64();
            float.map_or(Scalar::Unknown(bits), Scalar::Float)
        }
        None => Scalar::Unknown(bits),
    }
}
