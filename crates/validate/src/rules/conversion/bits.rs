//! Bits taken for another type: `OpBitcast` and `OpBitcastExtractEXT`.

use crate::finding::{CheckResult, all, expect};
use crate::module::{Lookup, Module};
use crate::pattern::{INT, NUMBER, POINTER, Pattern};
use crate::rules::generated::conversion;
use crate::rules::operation::Operation;
use crate::rules::{arithmetic, cooperative_matrix};
use spirvkit_binary::Id;
use spirvkit_grammar::{FPEncoding, Version};

/// Numbers or vectors of them, but not booleans.
const NUMBERS: Pattern = NUMBER.scalar_or_vector();

const POINTER_OR_VECTOR: Pattern = Pattern::either(&[POINTER, INT, INT.vector().widths(&[32])]);

pub(super) fn check_bitcast(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let (to, from) = (o.result, o.ty(0));
    let wanted = "a pointer, or an integer or floating-point scalar or vector";
    // `SPV_INTEL_masked_gather_scatter` says no more of vectors of pointers.
    let has_pointers = |ty: Id| m.vector_of_pointers(ty).is_some();
    let is_number_or_pointers = |ty: Id| NUMBERS.matches(m, ty) || has_pointers(ty);
    if is_number_or_pointers(to)
        && is_number_or_pointers(from)
        && (has_pointers(to) || has_pointers(from))
    {
        return Ok(());
    }
    let is_fine =
        |ty: Id| m.is_pointer(ty) || is_number_or_pointers(ty) || m.is_cooperative_matrix(ty);
    all([
        o.expect_result_that(&conversion::BITCAST_TYPE, is_fine(to), wanted),
        o.expect_operand_that(&conversion::BITCAST_TYPE, 0, is_fine(from), wanted),
    ])?;
    if m.is_cooperative_matrix(to) || m.is_cooperative_matrix(from) {
        if m.is_cooperative_matrix(to) != m.is_cooperative_matrix(from) {
            let wanted = "the kind of the result, because one of them is a cooperative matrix";
            return Err(o.mismatch(&conversion::BITCAST_TYPE, 0, wanted));
        }
        cooperative_matrix::check_same_shape(o, 0)?;
    }
    if m.is_pointer(to) != m.is_pointer(from) {
        let vectors =
            m.version >= Version::V1_5 || m.has_extension("SPV_KHR_physical_storage_buffer");
        let wanted = match vectors {
            true => POINTER_OR_VECTOR,
            false => Pattern::either(&[POINTER, INT]),
        };
        return match m.is_pointer(to) {
            true => o.expect_operand(&conversion::BITCAST_POINTER, 0, wanted),
            false => o.expect_result(&conversion::BITCAST_POINTER, wanted),
        };
    }
    if !m.is_pointer(to) {
        let (new, old) = (total_width(m, to), total_width(m, from));
        if let (Some(new), Some(old)) = (new, old)
            && new != old
        {
            let message = format!(
                "OpBitcast keeps the number of bits, but the result has {new} bits and the operand, {}, has {old}",
                m.show_value(o.id(0))
            );
            return Err(o
                .finding(&conversion::BITCAST_WIDTH, message)
                .about(m, o.id(0), "the operand is defined here")
                .about(m, to, "the result type is declared here"));
        }
    }
    Ok(())
}

/// The bits of a number or vector; `None` if specialization may change it. For
/// a matrix, of one component.
fn total_width(m: &Module<'_>, ty: Id) -> Option<u64> {
    let count = match m.is_cooperative_matrix(ty) {
        true => 1,
        false => m.dimension(ty),
    };
    (count > 0).then(|| u64::from(count) * u64::from(m.bit_width(ty)))
}

pub(super) fn check_extract(o: &Operation<'_, '_, '_>) -> CheckResult {
    let offset = o.expect_operand(&conversion::EXTRACT_OFFSET, 1, INT);
    let kinds = all([
        o.expect_result(&conversion::RESULT, NUMBERS),
        o.expect_operand(&conversion::OPERAND, 0, NUMBERS),
    ]);
    if kinds.is_err() {
        return all([kinds, offset]);
    }
    all([check_extract_sizes(o), offset, check_extract_in_vulkan(o)])
}

fn check_extract_sizes(o: &Operation<'_, '_, '_>) -> CheckResult {
    let (m, base) = (o.m, o.ty(0));
    o.expect_size(&conversion::SIZE, 0)?;
    expect(m.bit_width(base) > m.bit_width(o.result), || {
        o.mismatch(
            &conversion::EXTRACT_WIDTH,
            0,
            "wider components than the result",
        )
    })
}

fn check_extract_in_vulkan(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    if !m.env.is_vulkan() {
        return Ok(());
    }
    let is_small = matches!(
        arithmetic::encoding(m, o.result),
        Some(FPEncoding::Float4E2M1EXT | FPEncoding::Float6E2M3EXT | FPEncoding::Float6E3M2EXT)
    );
    all([
        expect(is_small, || {
            let finding = o.result_finding(
                &conversion::EXTRACT_VULKAN,
                "of 4-bit or 6-bit floats in Vulkan",
            );
            finding.vuid("VUID-StandaloneSpirv-Result-12468")
        }),
        expect(INT.scalar_or_vector().matches(m, o.ty(0)), || {
            let wanted = "an integer scalar or vector in Vulkan";
            let finding = o.operand_finding(&conversion::EXTRACT_VULKAN, 0, wanted);
            finding.vuid("VUID-StandaloneSpirv-Base-12469")
        }),
    ])
}
