//! Instructions that put the components of a vector into one number, and back.

use spirvkit_binary::FloatFormat;
use spirvkit_grammar::{GlslStd450 as Glsl, Op};

use crate::environment::Environment;
use crate::float::Arithmetic;
use crate::operation::evaluate_scalar;
use crate::outcome::{NotComputable, Outcome, Reason};
use crate::scalar::{Scalar, ScalarType, sign_extend};
use crate::signature::defined;
use crate::vectors::expect_results;

const HALF: ScalarType = ScalarType::Float(FloatFormat::Half);
const SINGLE: ScalarType = ScalarType::Float(FloatFormat::Single);
const DOUBLE: ScalarType = ScalarType::Float(FloatFormat::Double);
const INT: ScalarType = ScalarType::Integer { width: 32 };

/// What becomes of a component.
#[derive(Clone, Copy)]
enum Coding {
    /// An integer for what is between -1 and 1, or 0 and 1.
    Normalized { signed: bool },
    /// A number of 16 bits.
    Half,
    /// The same bits.
    Bits,
}

/// What an instruction packs.
struct Packing {
    count: usize,
    coding: Coding,
    unpacks: bool,
}

fn packing(instruction: Glsl) -> Option<Packing> {
    const SIGNED: Coding = Coding::Normalized { signed: true };
    const UNSIGNED: Coding = Coding::Normalized { signed: false };
    let (count, coding, unpacks) = match instruction {
        Glsl::PackSnorm4x8 => (4, SIGNED, false),
        Glsl::PackUnorm4x8 => (4, UNSIGNED, false),
        Glsl::PackSnorm2x16 => (2, SIGNED, false),
        Glsl::PackUnorm2x16 => (2, UNSIGNED, false),
        Glsl::PackHalf2x16 => (2, Coding::Half, false),
        Glsl::PackDouble2x32 => (2, Coding::Bits, false),
        Glsl::UnpackSnorm4x8 => (4, SIGNED, true),
        Glsl::UnpackUnorm4x8 => (4, UNSIGNED, true),
        Glsl::UnpackSnorm2x16 => (2, SIGNED, true),
        Glsl::UnpackUnorm2x16 => (2, UNSIGNED, true),
        Glsl::UnpackHalf2x16 => (2, Coding::Half, true),
        Glsl::UnpackDouble2x32 => (2, Coding::Bits, true),
        _ => return None,
    };
    Some(Packing {
        count,
        coding,
        unpacks,
    })
}

pub(super) fn evaluate(
    instruction: Glsl,
    result: ScalarType,
    operands: &[&[Scalar]],
    environment: &Environment,
    results: &mut [Scalar],
) -> Result<Option<Reason>, NotComputable> {
    let packing = packing(instruction).ok_or(NotComputable::Glsl(instruction))?;
    let (part, whole) = (packing.part(), packing.whole());
    let (from, from_count, to, to_count) = match packing.unpacks {
        true => (whole, 1, part, packing.count),
        false => (part, packing.count, whole, 1),
    };
    if result != to {
        return Err(NotComputable::ResultScalar(result));
    }
    let &[operand] = operands else {
        let found = operands.len();
        return Err(NotComputable::OperandCount { found });
    };
    if operand.len() != from_count || operand.iter().any(|it| it.ty() != from) {
        return Err(NotComputable::Operand { index: 0 });
    }
    expect_results(results, to_count)?;
    match packing.unpacks {
        true => packing.unpack(operand, environment, results),
        false => packing.pack(operand, environment, results),
    }
}

impl Packing {
    /// The type of a component.
    fn part(&self) -> ScalarType {
        match self.coding {
            Coding::Bits => INT,
            _ => SINGLE,
        }
    }

    /// The type of what all are packed into.
    fn whole(&self) -> ScalarType {
        match self.coding {
            Coding::Bits => DOUBLE,
            _ => INT,
        }
    }

    /// How many bits a component takes.
    fn width(&self) -> u32 {
        match self.coding {
            Coding::Bits => 32,
            _ => 32 / self.count as u32,
        }
    }

    fn pack(
        &self,
        components: &[Scalar],
        environment: &Environment,
        results: &mut [Scalar],
    ) -> Result<Option<Reason>, NotComputable> {
        let width = self.width();
        let (mut bits, mut reason) = (0, None);
        for (index, &component) in components.iter().enumerate() {
            let part = match self.coding {
                Coding::Normalized { signed } => {
                    let arithmetic = Arithmetic::new(FloatFormat::Single, environment)?;
                    reason = reason.or(arithmetic.undefined(component.bits()));
                    normalized(arithmetic.number(component.bits()), width, signed)
                }
                Coding::Half => evaluate_scalar(Op::FConvert, HALF, &[component], environment)?
                    .map(Scalar::bits),
                Coding::Bits => defined(component.bits()),
            };
            reason = reason.or(part.undefined());
            bits |= (part.common() & (u64::MAX >> (64 - width))) << (index as u32 * width);
        }
        let packed = Scalar::new(self.whole(), bits);
        let is_finite = packed.to_f64().is_none_or(f64::is_finite);
        results.fill(packed);
        Ok(reason.or((!is_finite).then_some(Reason::InfinityOrNan)))
    }

    fn unpack(
        &self,
        packed: &[Scalar],
        environment: &Environment,
        results: &mut [Scalar],
    ) -> Result<Option<Reason>, NotComputable> {
        let bits = packed.first().map_or(0, |it| it.bits());
        let bits = match self.coding {
            Coding::Bits => Arithmetic::new(FloatFormat::Double, environment)?.operand(bits),
            _ => bits,
        };
        let width = self.width();
        let mut reason = None;
        for (index, result) in results.iter_mut().enumerate() {
            let part = bits >> (index as u32 * width) & (u64::MAX >> (64 - width));
            let component = match self.coding {
                Coding::Normalized { signed } => {
                    let arithmetic = Arithmetic::new(FloatFormat::Single, environment)?;
                    let number = match signed {
                        true => (sign_extend(part, width) as f64 / greatest(width, true)).max(-1.0),
                        false => part as f64 / greatest(width, false),
                    };
                    let bits = arithmetic.nearest(number);
                    defined(bits)
                }
                Coding::Half => {
                    let half = Scalar::new(HALF, part);
                    evaluate_scalar(Op::FConvert, SINGLE, &[half], environment)?.map(Scalar::bits)
                }
                Coding::Bits => defined(part),
            };
            reason = reason.or(component.undefined());
            *result = Scalar::new(self.part(), component.common());
        }
        Ok(reason)
    }
}

/// The integer that 1 is.
fn greatest(width: u32, signed: bool) -> f64 {
    ((1u64 << (width - u32::from(signed))) - 1) as f64
}

/// The integer for a number; 0 for a NaN.
fn normalized(number: f64, width: u32, signed: bool) -> Outcome<u64> {
    let least = if signed { -1.0 } else { 0.0 };
    // The number has 24 bits, so the product is exact.
    let product = number.clamp(least, 1.0) * greatest(width, signed);
    let nearest = libm::rint(product);
    let reason = match (number.is_nan(), (product - nearest).abs() == 0.5) {
        (true, _) => Some(Reason::Unordered),
        (_, true) => Some(Reason::Tie),
        _ => None,
    };
    Outcome::new(nearest as i64 as u64, reason)
}
