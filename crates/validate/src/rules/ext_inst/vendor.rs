//! Smaller sets: `NonSemantic.DebugPrintf` and `SPV_AMD_shader_trinary_minmax`.

use spirvkit_grammar::{ExtInstSet, Op};

use super::Call;
use crate::finding::{CheckResult, all};
use crate::module::Lookup;
use crate::rules::generated::{debug_printf, trinary};

pub(super) fn check(call: &Call<'_, '_, '_>, set: ExtInstSet) -> CheckResult {
    match (set, call.number) {
        (ExtInstSet::DebugPrintf, 1) => {
            let fits = call.m().op_of(call.id(0)) == Op::String;
            call.operand(&debug_printf::FORMAT, 0, fits, "an OpString")
        }
        (ExtInstSet::AmdShaderTrinaryMinMax, _) => trinary(call),
        _ => Ok(()),
    }
}

/// FMin3AMD, UMin3AMD, SMin3AMD, and so on for the greatest and the middle.
fn trinary(call: &Call<'_, '_, '_>) -> CheckResult {
    let m = call.m();
    let result = call.result_type();
    let is_float = call.number % 3 == 1;
    let (fits, expected) = match is_float {
        true => (
            m.is_float_scalar_or_vector(result),
            "a floating-point scalar or vector",
        ),
        false => (
            m.is_int_scalar_or_vector(result),
            "an integer scalar or vector",
        ),
    };
    call.result(&trinary::RESULT, fits, expected)?;
    all((0..call.count()).map(|index| {
        let ty = call.ty(index);
        let fits = ty == result
            || !is_float
                && m.is_int_scalar_or_vector(ty)
                && m.bit_width(ty) == m.bit_width(result)
                && m.dimension(ty) == m.dimension(result);
        call.operand(&trinary::OPERAND, index, fits, "of the result type")?;
        Ok(())
    }))
}
