//! Smaller sets: `NonSemantic.DebugPrintf` and `SPV_AMD_shader_trinary_minmax`.

use spirvkit_grammar::{ExtInstSet, Op};

use super::Call;
use crate::finding::{CheckResult, all};
use crate::module::Lookup;
use crate::pattern::{FLOAT, INT};
use crate::rules::generated::{debug_printf, trinary};

pub(super) fn check(call: &Call<'_, '_, '_>, set: ExtInstSet) -> CheckResult {
    match (set, call.number) {
        (ExtInstSet::DebugPrintf, 1) => {
            let fits = call.m().op_of(call.id(0)) == Op::String;
            call.expect_operand_that(&debug_printf::FORMAT, 0, fits, "an OpString")
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
    let wanted = match is_float {
        true => FLOAT.scalar_or_vector(),
        false => INT.scalar_or_vector(),
    };
    call.expect_result(&trinary::RESULT, wanted)?;
    all((0..call.count()).map(|index| {
        let ty = call.ty(index);
        let fits = ty == result
            || !is_float
                && wanted.matches(m, ty)
                && m.bit_width(ty) == m.bit_width(result)
                && m.same_dimension(ty, result);
        call.expect_operand_that(&trinary::OPERAND, index, fits, "of the result type")
    }))
}
