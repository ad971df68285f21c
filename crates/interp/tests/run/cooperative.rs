//! Cooperative matrices (`SPV_KHR_cooperative_matrix`, `SPV_NV_cooperative_matrix2`).

use crate::shader::{SIZES, gives, run, shader};

/// What the tests have in common: a matrix type of each use, 8 × 8 of 32-bit integers.
fn globals(scope: &str) -> String {
    format!(
        "%a_type = OpTypeCooperativeMatrixKHR %u32 {scope} %u8 %u8 %u0
%b_type = OpTypeCooperativeMatrixKHR %u32 {scope} %u8 %u8 %u1
%c_type = OpTypeCooperativeMatrixKHR %u32 {scope} %u8 %u8 %u2
%five = OpConstantComposite %c_type %u5"
    )
}

/// After the body has stored a matrix, each invocation reads its element.
const READ_BACK: &str = "%back_at = OpAccessChain %ptr_element %out %u0 %index
%result = OpLoad %u32 %back_at";

fn numbers() -> Vec<u32> {
    (0..64).map(|index| index * 7 % 61).collect()
}

#[test]
fn products_of_matrices_of_subgroups() {
    let input = numbers();
    let body = format!(
        "%from = OpAccessChain %ptr_element %in %u0 %u0
%to = OpAccessChain %ptr_element %out %u0 %u0
%a = OpCooperativeMatrixLoadKHR %a_type %from %u0 %u8
%b = OpCooperativeMatrixLoadKHR %b_type %from %u1 %u8
%c = OpCooperativeMatrixMulAddKHR %c_type %a %b %five
OpCooperativeMatrixStoreKHR %to %c %u0 %u8
{READ_BACK}"
    );
    gives(&globals("%u3"), &body, &input, |index, _| {
        let (row, column) = (index as usize / 8, index as usize % 8);
        let products = (0..8).map(|k| input[row * 8 + k] * input[column * 8 + k]);
        products.sum::<u32>() + 5
    });
}

#[test]
fn integers_times_an_integer() {
    let body = format!(
        "%from = OpAccessChain %ptr_element %in %u0 %u0
%to = OpAccessChain %ptr_element %out %u0 %u0
%a = OpCooperativeMatrixLoadKHR %a_type %from %u0 %u8
%scaled = OpMatrixTimesScalar %a_type %a %u5
OpCooperativeMatrixStoreKHR %to %scaled %u0 %u8
{READ_BACK}"
    );
    gives(&globals("%u3"), &body, &numbers(), |_, read| read * 5);
}

#[test]
fn products_of_matrices_of_workgroups() {
    let input = numbers();
    let body = format!(
        "%from = OpAccessChain %ptr_element %in %u0 %u0
%to = OpAccessChain %ptr_element %out %u0 %u0
%a = OpCooperativeMatrixLoadKHR %a_type %from %u0 %u8
%b = OpCooperativeMatrixLoadKHR %b_type %from %u0 %u8
%c = OpCooperativeMatrixMulAddKHR %c_type %a %b %five
OpCooperativeMatrixStoreKHR %to %c %u1 %u8
OpControlBarrier %u2 %u2 %u264
{READ_BACK}"
    );
    // Stored column by column.
    gives(&globals("%u2"), &body, &input, |index, _| {
        let (row, column) = (index as usize % 8, index as usize / 8);
        let products = (0..8).map(|k| input[row * 8 + k] * input[k * 8 + column]);
        products.sum::<u32>() + 5
    });
}

#[test]
fn elements_of_an_invocation() {
    // Each element is doubled by itself, in an array whose index is no constant.
    let globals = format!(
        "{}
%matrices = OpTypeArray %c_type %u2
%ptr_matrices = OpTypePointer Private %matrices
%ptr_matrix = OpTypePointer Private %c_type
%ptr_part = OpTypePointer Private %u32
%array_variable = OpVariable %ptr_matrices Private",
        globals("%u3")
    );
    let body = format!(
        "%from = OpAccessChain %ptr_element %in %u0 %u0
%to = OpAccessChain %ptr_element %out %u0 %u0
%which = OpBitwiseAnd %u32 %index %u0
%whole = OpAccessChain %ptr_matrix %array_variable %which
%c = OpCooperativeMatrixLoadKHR %c_type %from %u0 %u8
OpStore %whole %c
%length = OpCooperativeMatrixLengthKHR %u32 %c_type
OpBranch %head
%head = OpLabel
%at = OpPhi %u32 %u0 %entry %next %again
%more = OpULessThan %bool %at %length
OpLoopMerge %done %again None
OpBranchConditional %more %again %done
%again = OpLabel
%part = OpAccessChain %ptr_part %array_variable %which %at
%one = OpLoad %u32 %part
%two = OpIMul %u32 %one %u2
OpStore %part %two
%next = OpIAdd %u32 %at %u1
OpBranch %head
%done = OpLabel
%doubled = OpLoad %c_type %whole
%first = OpCompositeExtract %u32 %doubled 0
%same = OpCompositeInsert %c_type %first %doubled 0
%sum = OpIAdd %c_type %same %five
OpCooperativeMatrixStoreKHR %to %sum %u0 %u8
{READ_BACK}"
    );
    gives(&globals, &body, &numbers(), |_, value| value * 2 + 5);
}

#[test]
fn matrices_with_fewer_elements_than_slots() {
    // Three rows of five, ten apart, to rows seven apart; the rest of the output stays.
    let globals = "%odd_type = OpTypeCooperativeMatrixKHR %u32 %u3 %u3 %u5 %u2
%u7 = OpConstant %u32 7
%u10 = OpConstant %u32 10";
    let body = format!(
        "%from = OpAccessChain %ptr_element %in %u0 %u1
%to = OpAccessChain %ptr_element %out %u0 %u2
%c = OpCooperativeMatrixLoadKHR %odd_type %from %u0 %u10
OpCooperativeMatrixStoreKHR %to %c %u0 %u7
{READ_BACK}"
    );
    let input = numbers();
    gives(globals, &body, &input, |index, _| {
        let at = (index as usize).wrapping_sub(2);
        let (row, column) = (at / 7, at % 7);
        match row < 3 && column < 5 {
            true => input[1 + row * 10 + column],
            false => 0,
        }
    });
}

#[test]
fn signs_and_saturation() {
    // 4 · (-128 · 200) - 1, and what is nearest to it in 16 bits with and without a sign.
    let exact = -102_401i32;
    let cases = [
        (
            "%i16",
            "MatrixASignedComponentsKHR|MatrixCSignedComponentsKHR|MatrixResultSignedComponentsKHR",
            exact as u32 & 0xffff,
        ),
        (
            "%i16",
            "MatrixASignedComponentsKHR|MatrixCSignedComponentsKHR|MatrixResultSignedComponentsKHR|SaturatingAccumulationKHR",
            0x8000,
        ),
        (
            "%i16",
            "MatrixASignedComponentsKHR|MatrixCSignedComponentsKHR|SaturatingAccumulationKHR",
            0,
        ),
        // 4 · 128 · 200 + 65535.
        ("%i16", "SaturatingAccumulationKHR", 0xffff),
    ];
    for (ty, operands, expected) in cases {
        let globals = format!(
            "%i8 = OpTypeInt 8 1
%i16 = OpTypeInt 16 1
%low = OpConstant %i8 -128
%high = OpConstant %i8 -56
%less = OpConstant %i16 -1
%a_type = OpTypeCooperativeMatrixKHR %i8 %u3 %u4 %u4 %u0
%b_type = OpTypeCooperativeMatrixKHR %i8 %u3 %u4 %u4 %u1
%c_type = OpTypeCooperativeMatrixKHR {ty} %u3 %u4 %u4 %u2
%a = OpConstantComposite %a_type %low
%b = OpConstantComposite %b_type %high
%c = OpConstantComposite %c_type %less"
        );
        let body = format!(
            "%d = OpCooperativeMatrixMulAddKHR %c_type %a %b %c {operands}
%part = OpCompositeExtract {ty} %d 0
%wide = OpSConvert %i32 %part
%mask = OpBitcast %u32 %wide
%low_bits = OpShiftLeftLogical %u32 %mask %u16
%result = OpShiftRightLogical %u32 %low_bits %u16"
        );
        let globals = format!("{globals}\n%u16 = OpConstant %u32 16");
        // Of larger subgroups, the first 16 invocations hold the elements.
        for size in SIZES {
            let out = run(&shader(&globals, &body), size, &[0; 64]);
            out.assert_clean();
            assert_eq!(out.read::<u32>(0, 1)[0], expected, "{operands}");
        }
    }
}

#[test]
fn sums_of_halves_are_rounded_once() {
    // 2049 has no form in 16 bits, but the sum 2049 + 2047 has.
    let globals = "%half = OpTypeFloat 16
%a_type = OpTypeCooperativeMatrixKHR %half %u3 %u4 %u4 %u0
%b_type = OpTypeCooperativeMatrixKHR %half %u3 %u4 %u4 %u1
%c_type = OpTypeCooperativeMatrixKHR %half %u3 %u4 %u4 %u2
%f_type = OpTypeCooperativeMatrixKHR %f32 %u3 %u4 %u4 %u2
%h512 = OpConstant %half 512
%h1 = OpConstant %half 1
%h2047 = OpConstant %half 2047
%a = OpConstantComposite %a_type %h512
%b = OpConstantComposite %b_type %h1
%c = OpConstantComposite %c_type %h2047";
    let body = "%d = OpCooperativeMatrixMulAddKHR %c_type %a %b %c
%wide = OpFConvert %f_type %d
%twice = OpMatrixTimesScalar %f_type %wide %f2
%negated = OpFNegate %f_type %twice
%part = OpCompositeExtract %f32 %negated 0
%result = OpBitcast %u32 %part";
    for size in SIZES {
        let out = run(&shader(globals, body), size, &[0; 64]);
        out.assert_clean();
        // 4 · 512 + 2047 = 4095, which needs 12 bits: rounded to 4096.
        assert_eq!(f32::from_bits(out.read::<u32>(0, 1)[0]), -8192.0);
    }
}

#[test]
fn transposed_matrices() {
    let input = numbers();
    let globals = format!(
        "{}
%wide_type = OpTypeCooperativeMatrixKHR %u32 %u3 %u4 %u8 %u2
%tall_type = OpTypeCooperativeMatrixKHR %u32 %u3 %u8 %u4 %u1",
        globals("%u3")
    );
    let body = format!(
        "%from = OpAccessChain %ptr_element %in %u0 %u0
%to = OpAccessChain %ptr_element %out %u0 %u0
%wide = OpCooperativeMatrixLoadKHR %wide_type %from %u0 %u8
%tall = OpCooperativeMatrixTransposeNV %tall_type %wide
OpCooperativeMatrixStoreKHR %to %tall %u0 %u4
{READ_BACK}"
    );
    gives(&globals, &body, &input, |index, _| match index {
        0..32 => input[(index % 4 * 8 + index / 4) as usize],
        _ => 0,
    });
}

#[test]
fn matrices_in_a_branch_are_reported() {
    let body = "%first = OpULessThan %bool %lane_index %u2
OpSelectionMerge %merge None
OpBranchConditional %first %then %merge
%then = OpLabel
%from = OpAccessChain %ptr_element %in %u0 %u0
%a = OpCooperativeMatrixLoadKHR %a_type %from %u0 %u8
%b = OpCooperativeMatrixLoadKHR %b_type %from %u1 %u8
%c = OpCooperativeMatrixMulAddKHR %c_type %a %b %five
OpBranch %merge
%merge = OpLabel
%result = OpCopyObject %u32 %value";
    let out = run(&shader(&globals("%u3"), body), 8, &[0; 64]);
    let rules: Vec<&str> = out.findings.iter().map(|found| found.rule()).collect();
    assert_eq!(rules, ["run.matrix"]);
}
