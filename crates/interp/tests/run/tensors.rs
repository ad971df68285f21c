//! Cooperative matrices that are loaded and stored by layouts and views of tensors, and what
//! functions do with their elements (`SPV_NV_cooperative_matrix2`).

use crate::shader::{SIZES, run, with_functions};

/// What the tests have in common: matrices of 8 × 8 and 3 × 5 numbers of 32 bits, and types of
/// layouts and views of two dimensions.
fn globals(scope: &str) -> String {
    format!(
        "%matrix = OpTypeCooperativeMatrixKHR %u32 {scope} %u8 %u8 %u2
%odd = OpTypeCooperativeMatrixKHR %u32 {scope} %u3 %u5 %u2
%half = OpTypeCooperativeMatrixKHR %u32 {scope} %u4 %u4 %u2
%line = OpTypeCooperativeMatrixKHR %u32 {scope} %u8 %u3 %u2
%m2 = OpConstant %i32 -2
%u7 = OpConstant %u32 7
%u10 = OpConstant %u32 10
%u32_ = OpConstant %u32 32
%u77 = OpConstant %u32 77
%undefined = OpTypeTensorLayoutNV %u2 %u0
%constant = OpTypeTensorLayoutNV %u2 %u1
%edge = OpTypeTensorLayoutNV %u2 %u2
%repeat = OpTypeTensorLayoutNV %u2 %u3
%mirrored = OpTypeTensorLayoutNV %u2 %u4
%transposed = OpTypeTensorViewNV %u2 %false %u1 %u0
%straight = OpTypeTensorViewNV %u2 %false %u0 %u1
%own = OpTypeTensorViewNV %u2 %true %u0 %u1
%fives = OpConstantComposite %matrix %u5
%of_two = OpTypeFunction %u32 %u32 %u32
%coordinates = OpTypeArray %u32 %u2
%byte_block = OpTypeStruct %u32
%pointer = OpTypePointer PhysicalStorageBuffer %byte_block
%pointer_word = OpTypePointer PhysicalStorageBuffer %u32
%decoding = OpTypeFunction %u32 %pointer %coordinates %coordinates
%each = OpTypeFunction %u32 %u32 %u32 %u32 %u32 %u32"
    )
}

const FUNCTIONS: &str = "%add = OpFunction %u32 None %of_two
%add_a = OpFunctionParameter %u32
%add_b = OpFunctionParameter %u32
%add_entry = OpLabel
%sum = OpIAdd %u32 %add_a %add_b
OpReturnValue %sum
OpFunctionEnd
%decode = OpFunction %u32 None %decoding
%block_at = OpFunctionParameter %pointer
%block_is = OpFunctionParameter %coordinates
%within_is = OpFunctionParameter %coordinates
%decode_entry = OpLabel
%word_at = OpAccessChain %pointer_word %block_at %u0
%word = OpLoad %u32 %word_at Aligned 4
%row_of_block = OpCompositeExtract %u32 %block_is 0
%byte_number = OpCompositeExtract %u32 %within_is 1
%bits = OpIMul %u32 %byte_number %u8
%byte = OpBitFieldUExtract %u32 %word %bits %u8
%shifted = OpShiftLeftLogical %u32 %row_of_block %u8
%decoded = OpBitwiseOr %u32 %byte %shifted
OpReturnValue %decoded
OpFunctionEnd
%place = OpFunction %u32 None %each
%place_row = OpFunctionParameter %u32
%place_column = OpFunctionParameter %u32
%place_it = OpFunctionParameter %u32
%place_extra = OpFunctionParameter %u32
%place_other = OpFunctionParameter %u32
%place_entry = OpLabel
%is_even = OpIEqual %bool %place_row %place_column
OpSelectionMerge %place_merge None
OpBranchConditional %is_even %place_then %place_merge
%place_then = OpLabel
OpReturnValue %place_extra
%place_merge = OpLabel
%tens = OpIMul %u32 %place_row %u10
%number = OpIAdd %u32 %tens %place_column
%with_it = OpIAdd %u32 %number %place_it
%with_other = OpIAdd %u32 %with_it %place_other
OpReturnValue %with_other
OpFunctionEnd";

/// Layouts of the input and of the output: packed rows of eight.
const BEGIN: &str = "%from = OpAccessChain %ptr_element %in %u0 %u0
%to = OpAccessChain %ptr_element %out %u0 %u0
%out_0 = OpCreateTensorLayoutNV %constant
%out_8 = OpTensorLayoutSetDimensionNV %constant %out_0 %u8 %u8";

/// Each invocation reads its element of what was stored.
const END: &str = "OpControlBarrier %u2 %u2 %u264
%back_at = OpAccessChain %ptr_element %out %u0 %index
%result = OpLoad %u32 %back_at";

const STORE: &str = "OpCooperativeMatrixStoreTensorNV %to %c %out_8 None None";

fn numbers() -> Vec<u32> {
    (0..64).map(|index| index * 7 % 61).collect()
}

/// Runs a body with matrices of subgroups and of workgroups.
#[track_caller]
fn gives(body: &str, expected: impl Fn(i32, i32) -> u32) {
    let body = format!("{BEGIN}\n{body}\n{END}");
    let expected: Vec<u32> = (0..64).map(|it| expected(it / 8, it % 8)).collect();
    for scope in ["%u3", "%u2"] {
        let words = with_functions(&globals(scope), &body, FUNCTIONS);
        for size in SIZES {
            let out = run(&words, size, &numbers());
            assert!(out.findings.is_empty(), "{:?}", out.findings);
            assert_eq!(out.read::<u32>(0, 1), expected, "{scope}, {size}");
        }
    }
}

/// What the input has there.
fn at(row: i32, column: i32) -> u32 {
    numbers()[(row * 8 + column) as usize]
}

#[test]
fn what_is_outside_of_a_tensor_is_loaded_as_its_type_says() {
    let body = |ty: &str| {
        format!(
            "%in_0 = OpCreateTensorLayoutNV {ty}
%in_1 = OpTensorLayoutSetClampValueNV {ty} %in_0 %u77
%in_2 = OpTensorLayoutSetDimensionNV {ty} %in_1 %u8 %u8
%in_3 = OpTensorLayoutSliceNV {ty} %in_2 %u1 %u8 %u1 %u8
%in_4 = OpTensorLayoutSliceNV {ty} %in_3 %m3 %u8 %u2 %u8
%c = OpCooperativeMatrixLoadTensorNV %matrix %from %fives %in_4 None None
{STORE}"
        )
        .replace("%m3", "%m2")
    };
    // Rows from -1 on, columns from 3 on.
    let is_inside = |row: i32, column: i32| row >= 1 && column < 5;
    gives(&body("%constant"), |row, column| {
        match is_inside(row, column) {
            true => at(row - 1, column + 3),
            false => 77,
        }
    });
    gives(&body("%edge"), |row, column| {
        at((row - 1).max(0), (column + 3).min(7))
    });
    gives(&body("%repeat"), |row, column| {
        at((row + 7) % 8, (column + 3) % 8)
    });
    gives(&body("%mirrored"), |row, column| {
        let column = match column + 3 {
            it @ ..8 => it,
            it => 14 - it,
        };
        at((row - 1).abs(), column)
    });
}

#[test]
fn what_must_not_be_outside_is_reported() {
    let body = format!(
        "{BEGIN}
%in_0 = OpCreateTensorLayoutNV %undefined
%in_1 = OpTensorLayoutSetDimensionNV %undefined %in_0 %u8 %u8
%in_2 = OpTensorLayoutSliceNV %undefined %in_1 %u0 %u8 %u1 %u8
%c = OpCooperativeMatrixLoadTensorNV %matrix %from %fives %in_2 None None
{STORE}
{END}"
    );
    let words = with_functions(&globals("%u3"), &body, FUNCTIONS);
    for size in [4, 8, 32] {
        let out = run(&words, size, &numbers());
        let [finding] = &out.findings[..] else {
            panic!("{:?}", out.findings);
        };
        assert_eq!(finding.rule(), "run.index");
        let message = "coordinate 8 of dimension 1 of the tensor, which has 8";
        assert!(finding.to_string().contains(message), "{finding}");
    }
}

#[test]
fn strides_lead_from_row_to_row_and_stores_leave_out_what_is_outside() {
    // Three rows of five, ten apart, to rows of seven from (6, 5) on, of which two by three are
    // there.
    let body = "%in_0 = OpCreateTensorLayoutNV %undefined
%in_1 = OpTensorLayoutSetDimensionNV %undefined %in_0 %u3 %u5
%in_2 = OpTensorLayoutSetStrideNV %undefined %in_1 %u10 %u1
%c = OpCooperativeMatrixLoadTensorNV %odd %from %nothing %in_2 None None
%out_odd = OpTensorLayoutSliceNV %constant %out_8 %six %u3 %u5 %u5
OpCooperativeMatrixStoreTensorNV %to %c %out_odd None None"
        .replace("%nothing", "%odd_fives")
        .replace("%six", "%index_6");
    let body = format!(
        "%odd_fives = OpCompositeConstruct %odd %u5\n%index_6 = OpIAdd %u32 %u5 %u1\n{body}"
    );
    gives(&body, |row, column| match row >= 6 && column >= 5 {
        true => numbers()[((row - 6) * 10 + column - 5) as usize],
        false => 0,
    });
}

#[test]
fn views_exchange_rows_and_columns_and_clip() {
    let layout = "%in_0 = OpCreateTensorLayoutNV %undefined
%in_1 = OpTensorLayoutSetDimensionNV %undefined %in_0 %u8 %u8";
    let body = format!(
        "{layout}
%view = OpCreateTensorViewNV %transposed
%c = OpCooperativeMatrixLoadTensorNV %matrix %from %fives %in_1 None TensorView %view
{STORE}"
    );
    gives(&body, |row, column| at(column, row));
    // Rows 2 to 4 and columns 1 to 5 get the first elements of the tensor, five to a row; the
    // others keep theirs.
    let body = format!(
        "{layout}
%view_0 = OpCreateTensorViewNV %straight
%view = OpTensorViewSetClipNV %straight %view_0 %u2 %u3 %u1 %u5
%c = OpCooperativeMatrixLoadTensorNV %matrix %from %fives %in_1 None TensorView %view
{STORE}"
    );
    gives(&body, |row, column| {
        match (2..5).contains(&row) && (1..6).contains(&column) {
            true => numbers()[((row - 2) * 5 + column - 1) as usize],
            false => 5,
        }
    });
    // Four by sixteen of one stride, seen as rows of a matrix.
    let body = format!(
        "{layout}
%view_0 = OpCreateTensorViewNV %own
%view_1 = OpTensorViewSetDimensionNV %own %view_0 %u8 %u8
%view = OpTensorViewSetStrideNV %own %view_1 %u1 %u7
%c = OpCooperativeMatrixLoadTensorNV %matrix %from %fives %in_1 None TensorView %view
{STORE}"
    );
    gives(&body, |row, column| numbers()[(row + 7 * column) as usize]);
    // Stored through a view, too.
    let body = format!(
        "{layout}
%view = OpCreateTensorViewNV %transposed
%c = OpCooperativeMatrixLoadTensorNV %matrix %from %fives %in_1 None None
OpCooperativeMatrixStoreTensorNV %to %c %out_8 None TensorView %view"
    );
    gives(&body, |row, column| at(column, row));
}

#[test]
fn blocks_are_decoded_by_a_function() {
    // Eight rows of 32 bytes, four in each word; of these, columns 6 to 13 from row 1 on.
    let body = format!(
        "%in_0 = OpCreateTensorLayoutNV %constant
%in_1 = OpTensorLayoutSetBlockSizeNV %constant %in_0 %u1 %u4
%in_2 = OpTensorLayoutSetClampValueNV %constant %in_1 %u77
%in_3 = OpTensorLayoutSetDimensionNV %constant %in_2 %u8 %u32_
%six = OpIAdd %u32 %u5 %u1
%in_4 = OpTensorLayoutSliceNV %constant %in_3 %u1 %u8 %six %u8
%c = OpCooperativeMatrixLoadTensorNV %matrix %from %fives %in_4 None DecodeFunc %decode
{STORE}"
    );
    gives(&body, |row, column| {
        let (row, byte) = (row + 1, column + 6);
        match row < 8 {
            true => at(row, byte / 4) >> (byte % 4 * 8) & 0xff | (row as u32) << 8,
            false => 77,
        }
    });
}

#[test]
fn elements_are_combined() {
    let load = "%in_0 = OpCreateTensorLayoutNV %undefined
%in_1 = OpTensorLayoutSetDimensionNV %undefined %in_0 %u8 %u8
%m = OpCooperativeMatrixLoadTensorNV %matrix %from %fives %in_1 None None";
    let reduced = |mode: &str| {
        format!("{load}\n%c = OpCooperativeMatrixReduceEXT %matrix %m {mode} %add\n{STORE}")
    };
    gives(&reduced("Row"), |row, _| (0..8).map(|it| at(row, it)).sum());
    gives(&reduced("Column"), |_, column| {
        (0..8).map(|it| at(it, column)).sum()
    });
    gives(&reduced("Row|Column"), |_, _| numbers().iter().sum());
    // Into a matrix of a fourth of the size.
    let body = format!(
        "{load}
%c = OpCooperativeMatrixReduceEXT %half %m 2x2 %add
%out_4 = OpTensorLayoutSetDimensionNV %constant %out_0 %u4 %u4
OpCooperativeMatrixStoreTensorNV %to %c %out_4 None None"
    );
    gives(&body, |row, column| {
        let index = row * 8 + column;
        let (row, column) = (index / 4 * 2, index % 4 * 2);
        match row < 8 {
            true => {
                at(row, column)
                    + at(row, column + 1)
                    + at(row + 1, column)
                    + at(row + 1, column + 1)
            }
            false => 0,
        }
    });
    // Odd numbers of elements, to a matrix of another width.
    let body = "%in_0 = OpCreateTensorLayoutNV %undefined
%in_1 = OpTensorLayoutSetDimensionNV %undefined %in_0 %u3 %u5
%fives_3 = OpCompositeConstruct %odd %u5
%m = OpCooperativeMatrixLoadTensorNV %odd %from %fives_3 %in_1 None None
%c = OpCooperativeMatrixReduceEXT %line %m Row|Column %add
%out_line = OpTensorLayoutSetDimensionNV %constant %out_0 %u8 %u3
OpCooperativeMatrixStoreTensorNV %to %c %out_line None None";
    gives(body, |row, column| match row * 8 + column < 24 {
        true => numbers()[..15].iter().sum(),
        false => 0,
    });
}

#[test]
fn functions_make_each_element() {
    let body = format!(
        "%in_0 = OpCreateTensorLayoutNV %undefined
%in_1 = OpTensorLayoutSetDimensionNV %undefined %in_0 %u8 %u8
%m = OpCooperativeMatrixLoadTensorNV %matrix %from %fives %in_1 None None
%c = OpCooperativeMatrixPerElementOpEXT %matrix %m %place %u77 %fives
{STORE}"
    );
    gives(&body, |row, column| match row == column {
        true => 77,
        false => (row * 10 + column) as u32 + at(row, column) + 5,
    });
    let body = "%odd_fives = OpCompositeConstruct %odd %u5
%c = OpCooperativeMatrixPerElementOpEXT %odd %odd_fives %place %u77 %odd_fives
%out_odd = OpTensorLayoutSetDimensionNV %constant %out_0 %u3 %u5
OpCooperativeMatrixStoreTensorNV %to %c %out_odd None None";
    gives(body, |row, column| {
        let index = row * 8 + column;
        let (row, column) = (index / 5, index % 5);
        match row < 3 {
            true if row == column => 77,
            true => (row * 10 + column + 10) as u32,
            false => 0,
        }
    });
}
