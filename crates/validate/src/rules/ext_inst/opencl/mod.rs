//! The set for kernels, `OpenCL.std`.

mod math;
mod memory;

use spirvkit_grammar::OpenClStd;

use super::Call;
use crate::finding::CheckResult;

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

pub(super) fn check(call: &Call<'_, '_, '_>) -> CheckResult {
    use OpenClStd as O;
    match OpenClStd(call.number) {
        O::fract | O::modf | O::sincos => math::second_float(call),
        O::frexp | O::lgamma_r => math::second_int(call, 1),
        O::remquo => math::second_int(call, 2),
        O::ilogb => math::ilogb(call),
        O::ldexp | O::pown | O::rootn => math::exponent(call),
        O::nan => math::nan(call),
        O::cross => math::cross(call),
        O::distance | O::length | O::fast_distance | O::fast_length => math::length(call),
        O::normalize | O::fast_normalize => math::normalize(call),
        O::u_upsample | O::s_upsample => math::upsample(call),
        O::s_mad24 | O::u_mad24 | O::s_mul24 | O::u_mul24 => math::int32(call),
        O::bitselect => math::bitselect(call),
        O::select => math::select(call),
        O::shuffle => math::shuffle(call, 1),
        O::shuffle2 => math::shuffle(call, 2),
        O::vloadn => memory::load(call, Element::Component),
        O::vload_half => memory::load(call, Element::Half),
        O::vload_halfn | O::vloada_halfn => memory::load(call, Element::Halves),
        O::vstoren => memory::store(call, Element::Component),
        O::vstore_half | O::vstore_half_r => memory::store(call, Element::Half),
        O::vstore_halfn | O::vstore_halfn_r | O::vstorea_halfn | O::vstorea_halfn_r => {
            memory::store(call, Element::Halves)
        }
        O::printf => memory::printf(call),
        O::prefetch => memory::prefetch(call),
        O::s_abs
        | O::s_abs_diff
        | O::s_add_sat
        | O::u_add_sat
        | O::s_hadd
        | O::u_hadd
        | O::s_rhadd
        | O::u_rhadd
        | O::s_clamp
        | O::u_clamp
        | O::clz
        | O::ctz
        | O::s_mad_hi
        | O::u_mad_sat
        | O::s_mad_sat
        | O::s_max
        | O::u_max
        | O::s_min
        | O::u_min
        | O::s_mul_hi
        | O::rotate
        | O::s_sub_sat
        | O::u_sub_sat
        | O::popcount
        | O::u_abs
        | O::u_abs_diff
        | O::u_mul_hi
        | O::u_mad_hi => math::int(call),
        // All others work on floating-point numbers of the result's type.
        _ => math::float(call),
    }
}
