//! Specialization constants (specification, section 2.12).

use serde::{Serialize, Serializer};
use spirvkit_binary::{FloatFormat, Id, Instruction, NumberType};
use spirvkit_grammar::Op;

use crate::contents::Contents;
use crate::serial;
use crate::types::{Types, number_type};

/// A scalar that can be set before the module is compiled.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SpecConstant {
    /// Its id.
    #[serde(serialize_with = "serial::id")]
    pub id: Id,
    /// The number by which an API sets it; `None` if it has none, so that nothing
    /// can.
    pub spec_id: Option<u32>,
    /// The name that the module gives it.
    pub name: Option<String>,
    /// Its type.
    #[serde(rename = "type", serialize_with = "serial::id")]
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
                spec_id: contents.decorations.of(id).spec_id,
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
    let low = literal.first().copied().unwrap_or(0);
    let high = literal.get(1).copied().unwrap_or(0);
    let bits = u64::from(high) << 32 | u64::from(low);
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
            let unused = 64 - u32::from(number.width());
            Scalar::Unsigned(bits << unused >> unused)
        }
        Some(NumberType::Float(format)) => float(format, bits),
        None => Scalar::Unknown(bits),
    }
}

/// The value of a float; exact, for a double has room for all of them.
fn float(format: FloatFormat, bits: u64) -> Scalar {
    let minifloat =
        |exponent, fraction, specials| Scalar::Float(decode(bits, exponent, fraction, specials));
    match format {
        FloatFormat::Double => Scalar::Float(f64::from_bits(bits)),
        FloatFormat::Single => Scalar::Float(f32::from_bits(bits as u32).into()),
        FloatFormat::BFloat16 => Scalar::Float(f32::from_bits((bits as u32) << 16).into()),
        FloatFormat::Half => minifloat(5, 10, Specials::Ieee),
        FloatFormat::E5M2 => minifloat(5, 2, Specials::Ieee),
        FloatFormat::E4M3 => minifloat(4, 3, Specials::OneNan),
        FloatFormat::E2M3 => minifloat(2, 3, Specials::None),
        FloatFormat::E3M2 => minifloat(3, 2, Specials::None),
        FloatFormat::E2M1 => minifloat(2, 1, Specials::None),
        FloatFormat::UnsignedE8M0 => Scalar::Float(match bits & 0xff {
            0xff => f64::NAN,
            exponent => 2f64.powi(exponent as i32 - 127),
        }),
        FloatFormat::MxInt8 => Scalar::Float(f64::from(bits as u8 as i8) / 64.0),
        _ => Scalar::Unknown(bits),
    }
}

/// What a format's largest exponent stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Specials {
    /// Infinities and NaNs.
    Ieee,
    /// Numbers, but for one NaN with all bits set.
    OneNan,
    /// Numbers.
    None,
}

fn decode(bits: u64, exponent_bits: u32, fraction_bits: u32, specials: Specials) -> f64 {
    let ones = |count: u32| (1u64 << count) - 1;
    let fraction = bits & ones(fraction_bits);
    let exponent = bits >> fraction_bits & ones(exponent_bits);
    let sign = match bits >> (fraction_bits + exponent_bits) & 1 {
        0 => 1.0,
        _ => -1.0,
    };
    let is_largest = exponent == ones(exponent_bits);
    let bias = ones(exponent_bits - 1) as i32;
    let unit = |exponent: i32| 2f64.powi(exponent - bias - fraction_bits as i32);
    sign * match specials {
        Specials::Ieee if is_largest && fraction == 0 => f64::INFINITY,
        Specials::Ieee if is_largest => f64::NAN,
        Specials::OneNan if is_largest && fraction == ones(fraction_bits) => f64::NAN,
        _ if exponent == 0 => fraction as f64 * unit(1),
        _ => (fraction + (1 << fraction_bits)) as f64 * unit(exponent as i32),
    }
}
