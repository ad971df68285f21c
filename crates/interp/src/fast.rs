//! Which operations are done for all lanes at once, though they have no instruction of their
//! own.

use spirvkit_binary::FloatFormat;
use spirvkit_eval::{Environment, Function, ScalarType, glsl_function};
use spirvkit_grammar::{GlslStd450 as Glsl, Op};

use crate::program::{General, GeneralOp};

/// How an operation is done for all lanes at once.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fast {
    /// An opcode on integers of at most 32 bits: how wide the operands and the result are.
    Integers(Op, u32, u32),
    /// An instruction on integers of this width.
    GlslIntegers(Glsl, u32),
    /// An opcode on numbers of 32 bits, or on those of 16 that are made so.
    Floats(Op, Kind),
    GlslFloats(Glsl, Kind),
    /// A function of a number of 32 bits.
    One(fn(f64) -> f64),
    Two(fn(f64, f64) -> f64),
    /// From 16 to 32 bits, and back.
    Widen,
    Narrow,
    /// From integers of this width, signed or not.
    FromInteger(Kind, u32, bool),
    /// To integers of this width, signed or not.
    ToInteger(Kind, u32, bool),
}

/// Numbers of 16 or of 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Half,
    Single,
}

impl Kind {
    fn of(ty: ScalarType) -> Option<Self> {
        match ty {
            ScalarType::Float(FloatFormat::Half) => Some(Self::Half),
            ScalarType::Float(FloatFormat::Single) => Some(Self::Single),
            _ => None,
        }
    }
}

/// The width of integers and Booleans that are one column.
fn width(ty: ScalarType) -> Option<u32> {
    match ty {
        ScalarType::Integer { width } if width <= 32 => Some(width.into()),
        _ => None,
    }
}

/// The fast form of an operation, if there is one.
pub(crate) fn fast(general: &General) -> Option<Fast> {
    if general.environment != Environment::default() {
        return None;
    }
    let first = general.operands.first()?.0;
    let result = general.result;
    let same = general.operands.iter().all(|operand| operand.0 == first);
    let kind = Kind::of(first);
    match general.op {
        GeneralOp::Core(op) => match op {
            Op::FConvert => match (kind?, Kind::of(result)?) {
                (Kind::Half, Kind::Single) => Some(Fast::Widen),
                (Kind::Single, Kind::Half) => Some(Fast::Narrow),
                _ => None,
            },
            Op::ConvertUToF | Op::ConvertSToF => {
                let (from, to) = (width(first)?, Kind::of(result)?);
                // Each is exact in 32 bits, or rounded just once.
                let is_exact = to == Kind::Single || from <= 16;
                is_exact.then_some(Fast::FromInteger(to, from, op == Op::ConvertSToF))
            }
            Op::ConvertFToU | Op::ConvertFToS => Some(Fast::ToInteger(
                kind?,
                width(result)?,
                op == Op::ConvertFToS,
            )),
            Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FNegate if same && first == result => {
                Some(Fast::Floats(op, kind?))
            }
            Op::FOrdEqual
            | Op::FUnordEqual
            | Op::FOrdNotEqual
            | Op::FUnordNotEqual
            | Op::FOrdLessThan
            | Op::FUnordLessThan
            | Op::FOrdLessThanEqual
            | Op::FUnordLessThanEqual
            | Op::FOrdGreaterThan
            | Op::FUnordGreaterThan
            | Op::FOrdGreaterThanEqual
            | Op::FUnordGreaterThanEqual
            | Op::IsNan
            | Op::IsInf
                if same =>
            {
                Some(Fast::Floats(op, kind?))
            }
            Op::UConvert | Op::SConvert => Some(Fast::Integers(op, width(first)?, width(result)?)),
            Op::IAdd
            | Op::ISub
            | Op::IMul
            | Op::SNegate
            | Op::Not
            | Op::BitwiseAnd
            | Op::BitwiseOr
            | Op::BitwiseXor
            | Op::UDiv
            | Op::UMod
            | Op::IEqual
            | Op::INotEqual
            | Op::ULessThan
            | Op::ULessThanEqual
            | Op::UGreaterThan
            | Op::UGreaterThanEqual
            | Op::SLessThan
            | Op::SLessThanEqual
            | Op::SGreaterThan
            | Op::SGreaterThanEqual
                if same =>
            {
                Some(Fast::Integers(op, width(first)?, width(first)?))
            }
            Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic => {
                width(general.operands.get(1)?.0)?;
                Some(Fast::Integers(op, width(first)?, width(first)?))
            }
            Op::BitFieldUExtract | Op::BitFieldSExtract | Op::BitCount => {
                for operand in &general.operands {
                    width(operand.0)?;
                }
                let is_word = width(first)? == 32 && width(result)? == 32;
                is_word.then_some(Fast::Integers(op, 32, 32))
            }
            _ => None,
        },
        GeneralOp::Glsl(instruction) => match instruction {
            Glsl::FMin
            | Glsl::FMax
            | Glsl::NMin
            | Glsl::NMax
            | Glsl::FClamp
            | Glsl::NClamp
            | Glsl::FAbs => Some(Fast::GlslFloats(instruction, kind?)),
            Glsl::Fma
            | Glsl::FMix
            | Glsl::Fract
            | Glsl::Floor
            | Glsl::Ceil
            | Glsl::Trunc
            | Glsl::RoundEven
            | Glsl::Round
            | Glsl::Step
                if kind? == Kind::Single =>
            {
                Some(Fast::GlslFloats(instruction, Kind::Single))
            }
            Glsl::UMin
            | Glsl::UMax
            | Glsl::SMin
            | Glsl::SMax
            | Glsl::UClamp
            | Glsl::SClamp
            | Glsl::SAbs
            | Glsl::SSign
            | Glsl::FindILsb
            | Glsl::FindUMsb => Some(Fast::GlslIntegers(instruction, width(first)?)),
            _ if kind == Some(Kind::Single) && same && result == first => {
                match glsl_function(instruction)? {
                    Function::One(function) => Some(Fast::One(function)),
                    Function::Two(function) => Some(Fast::Two(function)),
                    _ => None,
                }
            }
            _ => None,
        },
        _ => None,
    }
}
