//! The set for kernels, `OpenCL.std`.

mod math;
mod memory;

use super::Call;
use crate::finding::CheckResult;

/// What an instruction works on, and so what is checked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Nothing to check.
    Free,
    /// Floating-point numbers of the type of the result.
    Float,
    /// Integers of the type of the result.
    Int,
    /// The same, of 32 bits.
    Int32,
    /// A second result of the type of the first, through a pointer.
    SecondFloat,
    /// A second result of integers, through a pointer behind this many operands.
    SecondInt(usize),
    Ilogb,
    /// A float and an exponent.
    Exponent,
    Nan,
    Cross,
    Length,
    Normalize,
    Upsample,
    Bitselect,
    Select,
    /// Of this many vectors.
    Shuffle(usize),
    Load(Element),
    Store(Element),
    Printf,
    Prefetch,
}

/// What is in memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Element {
    /// The components of a vector.
    Component,
    /// A half for a scalar of another format.
    Half,
    /// Halves for a vector of another format.
    Halves,
}

const fn shape(number: u32) -> Shape {
    match number {
        // fract, modf, sincos
        30 | 45 | 58 => Shape::SecondFloat,
        // frexp, lgamma_r
        31 | 36 => Shape::SecondInt(1),
        // remquo
        52 => Shape::SecondInt(2),
        33 => Shape::Ilogb,
        // ldexp, pown, rootn
        34 | 49 | 54 => Shape::Exponent,
        46 => Shape::Nan,
        // acos to sign
        0..=103 => Shape::Float,
        104 => Shape::Cross,
        // distance, length, and their fast forms
        105 | 106 | 108 | 109 => Shape::Length,
        // normalize, fast_normalize
        107 | 110 => Shape::Normalize,
        // u_upsample, s_upsample
        164 | 165 => Shape::Upsample,
        // s_mad24 to u_mul24
        167..=170 => Shape::Int32,
        // s_abs to popcount, u_abs to u_mad_hi
        141..=166 | 201..=204 => Shape::Int,
        // vloadn, vstoren
        171 => Shape::Load(Element::Component),
        172 => Shape::Store(Element::Component),
        // vload_half, vload_halfn, vloada_halfn
        173 => Shape::Load(Element::Half),
        174 | 179 => Shape::Load(Element::Halves),
        // vstore_half(_r), vstore_halfn(_r), vstorea_halfn(_r)
        175 | 176 => Shape::Store(Element::Half),
        177 | 178 | 180 | 181 => Shape::Store(Element::Halves),
        182 => Shape::Shuffle(1),
        183 => Shape::Shuffle(2),
        184 => Shape::Printf,
        185 => Shape::Prefetch,
        186 => Shape::Bitselect,
        187 => Shape::Select,
        _ => Shape::Free,
    }
}

pub(super) fn check(call: &Call<'_, '_, '_>) -> CheckResult {
    match shape(call.number) {
        Shape::Free => Ok(()),
        Shape::Float => math::float(call),
        Shape::Int => math::int(call),
        Shape::Int32 => math::int32(call),
        Shape::SecondFloat => math::second_float(call),
        Shape::SecondInt(count) => math::second_int(call, count),
        Shape::Ilogb => math::ilogb(call),
        Shape::Exponent => math::exponent(call),
        Shape::Nan => math::nan(call),
        Shape::Cross => math::cross(call),
        Shape::Length => math::length(call),
        Shape::Normalize => math::normalize(call),
        Shape::Upsample => math::upsample(call),
        Shape::Bitselect => math::bitselect(call),
        Shape::Select => math::select(call),
        Shape::Shuffle(count) => math::shuffle(call, count),
        Shape::Load(element) => memory::load(call, element),
        Shape::Store(element) => memory::store(call, element),
        Shape::Printf => memory::printf(call),
        Shape::Prefetch => memory::prefetch(call),
    }
}
