//! What SPIR-V operations give, bit by bit as sections 3.32.11 to 3.32.15 of the
//! specification say: for constants (section 2.12), and for whoever else computes what a
//! module does. All of them get the same answers here.
//!
//! [`evaluate_scalar`] works on scalars, as [`evaluate_glsl_scalar`] and
//! [`evaluate_opencl_scalar`] do for the instructions of `GLSL.std.450` and `OpenCL.std`;
//! what has two results is a `_pair`, what takes or makes vectors a `_vector`. None
//! allocates. An [`Evaluator`] takes whole [`Value`]s and needs the [`Types`] of the module.
//!
//! ```
//! use spirvkit_binary::{FloatFormat, Id, NumberType};
//! use spirvkit_eval::{Evaluator, Sequence, Type, Types, Value};
//! use spirvkit_grammar::Op;
//!
//! let float = Id(1);
//! let vec2 = Id(2);
//! let mut types = Types::default();
//! types.insert(float, Type::Number(NumberType::Float(FloatFormat::Single)));
//! types.insert(vec2, Type::Sequence { kind: Sequence::Vector, part: float, count: Some(2) });
//!
//! let evaluator = Evaluator::new(&types);
//! let vector = Value::composite([Value::from(1.5f32), Value::from(2.0f32)]).unwrap();
//! let operands = [vector, 2.0f32.into()];
//! let doubled = evaluator.evaluate(Op::VectorTimesScalar, vec2, &operands, &[])?;
//! let doubled = doubled.defined().unwrap();
//! assert_eq!(doubled.part(0), Some(&Value::from(3.0f32)));
//! # Ok::<(), spirvkit_eval::NotComputable>(())
//! ```
//!
//! # What an operation gives
//!
//! - A value: [`Outcome::defined`] is `Ok`.
//! - Something that the specification leaves undefined: [`Outcome::defined`] says for
//!   which [`Reason`], and [`Outcome::common`] what implementations commonly give.
//! - Nothing that is known here: [`NotComputable`] says why.
//!
//! What moves parts (`OpCompositeExtract`, `OpVectorShuffle`, `OpSelect`, …) moves
//! [`Value::Undef`] like any other. To compute with it is [`Reason::Operand`], and
//! commonly the same as with zero: every use of an undefined value may see any bits
//! (section 3.32.1, `OpUndef`), so these are as good as any.
//!
//! # Texels
//!
//! A [`Format`] takes texels of images apart into the numbers that shaders see, and puts them
//! together.
//!
//! # Numbers
//!
//! Integers are bits; an operation takes them as signed or unsigned as its name
//! says, at any width from 1 to 64. Floating-point numbers of 16, 32 and 64 bits
//! follow IEEE 754: every operation gives the exact result rounded once, as the
//! [`Environment`] says; if it says nothing, to nearest, ties to even, with denormals
//! kept. The remainders are exact, but that `OpFMod` may have to round after its result
//! got the sign of its second operand; a remainder of zero has the sign that any other
//! would have. What multiplies and adds (`OpDot`, `OpMatrixTimesVector`, …) does so
//! component by component, in order, and rounds each time. Every NaN that an operation
//! makes is the same: quiet, positive, without payload. Only what moves or copies bits
//! (`OpFNegate`, which turns the sign bit over, included) leaves a NaN as it is.
//! `OpQuantizeToF16` always rounds to nearest, and makes a zero of the same sign of what
//! is below the normal numbers of 16 bits. Other encodings (`bfloat16`, 8-bit floats)
//! are converted, but not computed with; `SPV_EXT_ocp_microscaling_types`' are only moved.
//!
//! Functions of the extended sets that are not exact but for a rounding, such as `Sin`, are
//! computed with the 53 bits of binary64 and rounded to nearest: numbers of 16 and 32 bits
//! are off by half a unit in the last place and next to nothing more. Those of 64 are off by
//! up to three, `tgamma` by ten, and what its set defines by a formula by what that
//! makes of its roundings. [`glsl_precision`] and [`opencl_precision`] say how exact they
//! must be.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]
#![no_std]
#![deny(missing_docs)]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::print_stdout,
        clippy::print_stderr,
        clippy::exit
    )
)]

extern crate alloc;

mod composite;
mod dot;
mod environment;
mod evaluator;
mod float;
mod glsl;
mod integer;
mod math;
mod matrix;
mod opencl;
mod operation;
mod outcome;
mod precision;
mod real;
mod scalar;
mod signature;
mod texel;
mod types;
mod value;
mod vectors;

pub use dot::evaluate_dot;
pub use environment::{Denormals, Environment, FloatMode, Rounding, Specials};
pub use evaluator::Evaluator;
pub use glsl::{evaluate_glsl_pair, evaluate_glsl_scalar, evaluate_glsl_vector, glsl_function};
pub use math::Function;
pub use opencl::{evaluate_opencl_pair, evaluate_opencl_scalar, evaluate_opencl_vector};
pub use operation::{evaluate_extended, evaluate_scalar};
pub use outcome::{Evaluated, NotComputable, Outcome, Reason};
pub use precision::{Precision, glsl_precision, opencl_precision};
pub use scalar::{Scalar, ScalarType, Small};
pub use texel::{Channel, Component, Encoding, Format, Texel};
pub use types::{Sequence, Type, Types};
pub use value::{Composite, MAX_DEPTH, MAX_PARTS, MAX_SCALARS, Value};
