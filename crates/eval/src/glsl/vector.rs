//! Instructions on whole vectors and matrices.

use spirvkit_grammar::GlslStd450 as Glsl;

use super::packing;
use crate::environment::Environment;
use crate::math::{Norm, Square, dot, refraction};
use crate::outcome::{Evaluated, NotComputable, Outcome, Reason};
use crate::scalar::{Scalar, ScalarType};
use crate::vectors::Vectors;

/// The result of an instruction of `GLSL.std.450` that takes or gives a vector or a matrix as
/// a whole: `Length` to `Refract`, `Determinant`, `MatrixInverse`, and those that pack and
/// unpack. An operand is its components, of a matrix column by column. So are the `results`,
/// of which there must be as many as the result type has components; the type of each is
/// `result`.
///
/// Sums of products lose no digits to what cancels, lengths neither overflow nor underflow on
/// their way, and all is rounded to nearest. A NaN is packed as 0, which is undefined
/// ([`Reason::Unordered`]), and so is the direction in which one half is rounded
/// ([`Reason::Tie`]).
///
/// ```
/// use spirvkit_eval::{Environment, Scalar, evaluate_glsl_vector};
/// use spirvkit_grammar::GlslStd450;
///
/// let vector: [Scalar; 2] = [3f32.into(), 4f32.into()];
/// let mut length = [0f32.into()];
/// let environment = Environment::default();
/// evaluate_glsl_vector(GlslStd450::Length, vector[0].ty(), &[&vector], &environment, &mut length)?;
/// assert_eq!(length, [5f32.into()]);
/// # Ok::<(), spirvkit_eval::NotComputable>(())
/// ```
///
/// # Errors
///
/// If the instruction, the types or the numbers of components are not such that there is a
/// result.
pub fn evaluate_glsl_vector(
    instruction: Glsl,
    result: ScalarType,
    operands: &[&[Scalar]],
    environment: &Environment,
    results: &mut [Scalar],
) -> Evaluated<()> {
    let vectors = |count| Vectors::new(operands, count, result, environment);
    let reason = match instruction {
        Glsl::Length => vectors(1)?.store_length(results)?,
        Glsl::Distance => vectors(2)?.store_length(results)?,
        Glsl::Normalize => {
            let vectors = vectors(1)?;
            let norm = Norm::of(vectors.numbers(0));
            let units = vectors.numbers(0).map(|x| norm.unit(x));
            let reason = vectors.store(results, vectors.size(), units)?;
            (norm.length() == 0.0).then_some(Reason::Domain).or(reason)
        }
        Glsl::Cross => {
            let vectors = vectors(2)?;
            if vectors.size() != 3 {
                return Err(NotComputable::Operand { index: 0 });
            }
            vectors.store(results, 3, vectors.cross())?
        }
        Glsl::FaceForward => {
            let vectors = vectors(3)?;
            let sign = if dot(vectors.pairs(2, 1)) < 0.0 {
                1.0
            } else {
                -1.0
            };
            let components = vectors.numbers(0).map(|x| sign * x);
            vectors.store(results, vectors.size(), components)?
        }
        Glsl::Reflect => {
            let vectors = vectors(2)?;
            let twice = 2.0 * dot(vectors.pairs(1, 0));
            let components = vectors.pairs(0, 1).map(|(i, n)| i - twice * n);
            vectors.store(results, vectors.size(), components)?
        }
        Glsl::Refract => refract(result, operands, environment, results)?,
        Glsl::Determinant => {
            let vectors = vectors(1)?;
            let determinant = square(vectors)?.determinant();
            vectors.store(results, 1, [determinant].into_iter())?
        }
        Glsl::MatrixInverse => {
            let vectors = vectors(1)?;
            let matrix = square(vectors)?;
            let determinant = matrix.determinant();
            let components = matrix.inverse(determinant);
            let reason = vectors.store(results, vectors.size(), components)?;
            (determinant == 0.0).then_some(Reason::Domain).or(reason)
        }
        _ => packing::evaluate(instruction, result, operands, environment, results)?,
    };
    Ok(Outcome::new((), reason))
}

fn square(vectors: Vectors<'_>) -> Result<Square, NotComputable> {
    Square::new(vectors.numbers(0)).ok_or(NotComputable::Operand { index: 0 })
}

/// `Refract`, whose last operand is a number of any format.
fn refract(
    result: ScalarType,
    operands: &[&[Scalar]],
    environment: &Environment,
    results: &mut [Scalar],
) -> Result<Option<Reason>, NotComputable> {
    let &[incident, normal, ratio] = operands else {
        let found = operands.len();
        return Err(NotComputable::OperandCount { found });
    };
    let two = [incident, normal];
    let vectors = Vectors::new(&two, 2, result, environment)?;
    let eta = match ratio {
        [ratio] => ratio.to_f64(),
        _ => None,
    };
    let eta = eta.ok_or(NotComputable::Operand { index: 2 })?;
    let count = vectors.size();
    match refraction(dot(vectors.pairs(1, 0)), eta) {
        None => vectors.store(results, count, vectors.numbers(0).map(|_| 0.0)),
        Some(bend) => {
            let components = vectors.pairs(0, 1).map(|(i, n)| eta * i - bend * n);
            vectors.store(results, count, components)
        }
    }
}
