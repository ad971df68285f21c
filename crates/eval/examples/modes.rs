//! Adds two numbers in every rounding mode, and divides by zero.

use spirvkit_eval::{Environment, Rounding, Scalar, ScalarType, evaluate_scalar};
use spirvkit_grammar::Op;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let operands = [Scalar::from(0.1f32), Scalar::from(0.2f32)];
    for rounding in [
        Rounding::NearestEven,
        Rounding::TowardZero,
        Rounding::TowardPositive,
        Rounding::TowardNegative,
    ] {
        let mut environment = Environment::default();
        environment.single.rounding = rounding;
        let sum = evaluate_scalar(Op::FAdd, operands[0].ty(), &operands, &environment)?;
        println!("{rounding:?}: {:?}", sum.common().to_f64());
    }

    let int = ScalarType::Integer { width: 32 };
    let operands = [Scalar::from(7), Scalar::from(0)];
    let quotient = evaluate_scalar(Op::UDiv, int, &operands, &Environment::default())?;
    match quotient.defined() {
        Ok(value) => println!("7 / 0 = {}", value.bits()),
        Err(reason) => println!(
            "7 / 0 is undefined: {reason}; commonly {}",
            quotient.common().bits()
        ),
    }
    Ok(())
}
