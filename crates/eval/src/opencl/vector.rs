//! Geometric functions (OpenCL C, section 6.15.5).

use spirvkit_grammar::OpenClStd as OpenCl;

use super::nearest;
use crate::environment::Environment;
use crate::math::Norm;
use crate::outcome::{Evaluated, NotComputable, Outcome, Reason};
use crate::scalar::{Scalar, ScalarType};
use crate::vectors::Vectors;

/// The result of a geometric function of `OpenCL.std`: `cross`, `distance`, `length`,
/// `normalize`, `fast_distance`, `fast_length` or `fast_normalize`. An operand is its
/// components, and so are the `results`, of which there must be as many as the result type
/// has; the type of each is `result`.
///
/// The fast functions are as good as the others, and neither overflow nor underflow.
///
/// ```
/// use spirvkit_eval::{Environment, Scalar, evaluate_opencl_vector};
/// use spirvkit_grammar::OpenClStd;
///
/// let vector: [Scalar; 2] = [3e300.into(), 4e300.into()];
/// let mut unit = vector;
/// let environment = Environment::default();
/// evaluate_opencl_vector(OpenClStd::normalize, vector[0].ty(), &[&vector], &environment, &mut unit)?;
/// assert_eq!(unit, [0.6.into(), 0.8.into()]);
/// # Ok::<(), spirvkit_eval::NotComputable>(())
/// ```
///
/// # Errors
///
/// If the instruction, the types or the numbers of components are not such that there is a
/// result.
pub fn evaluate_opencl_vector(
    instruction: OpenCl,
    result: ScalarType,
    operands: &[&[Scalar]],
    environment: &Environment,
    results: &mut [Scalar],
) -> Evaluated<()> {
    let environment = &nearest(environment);
    let vectors = |count| Vectors::new(operands, count, result, environment);
    let reason = match instruction {
        OpenCl::length | OpenCl::fast_length => vectors(1)?.store_length(results)?,
        OpenCl::distance | OpenCl::fast_distance => vectors(2)?.store_length(results)?,
        OpenCl::cross => {
            let vectors = vectors(2)?;
            if !(3..=4).contains(&vectors.size()) {
                return Err(NotComputable::Operand { index: 0 });
            }
            // The fourth component is 0.
            vectors.store(results, vectors.size(), vectors.cross().chain([0.0]))?
        }
        OpenCl::normalize | OpenCl::fast_normalize => normalize(vectors(1)?, results)?,
        _ => return Err(NotComputable::OpenCl(instruction)),
    };
    Ok(Outcome::new((), reason))
}

fn normalize(
    vectors: Vectors<'_>,
    results: &mut [Scalar],
) -> Result<Option<Reason>, NotComputable> {
    let is_infinite = vectors.numbers(0).any(f64::is_infinite);
    // Beside an infinity, which counts as 1, numbers are none.
    let direction = vectors.numbers(0).map(|x| match is_infinite {
        true if x.is_infinite() => 1f64.copysign(x),
        true => 0.0 * x,
        false => x,
    });
    let norm = Norm::of(direction.clone());
    match norm.length() == 0.0 {
        true => vectors.store(results, vectors.size(), direction),
        false => vectors.store(results, vectors.size(), direction.map(|x| norm.unit(x))),
    }
}
