//! Operations give what `eval` says, whichever way they are lowered.

use proptest::prelude::*;
use spirvkit_binary::FloatFormat;
use spirvkit_eval::{Environment, Scalar, ScalarType, evaluate_scalar};
use spirvkit_grammar::Op;

use crate::shader::{gives, run, shader};

const U32: ScalarType = ScalarType::Integer { width: 32 };
const F32: ScalarType = ScalarType::Float(FloatFormat::Single);

/// Operations on two numbers of 32 bits: opcode, the type of its operands and of its result.
const BINARY: [(Op, &str, &str); 36] = [
    (Op::IAdd, "u32", "u32"),
    (Op::ISub, "u32", "u32"),
    (Op::IMul, "u32", "u32"),
    (Op::UDiv, "u32", "u32"),
    (Op::UMod, "u32", "u32"),
    (Op::SDiv, "i32", "i32"),
    (Op::SRem, "i32", "i32"),
    (Op::SMod, "i32", "i32"),
    (Op::BitwiseAnd, "u32", "u32"),
    (Op::BitwiseOr, "u32", "u32"),
    (Op::BitwiseXor, "u32", "u32"),
    (Op::ShiftLeftLogical, "u32", "u32"),
    (Op::ShiftRightLogical, "u32", "u32"),
    (Op::ShiftRightArithmetic, "u32", "u32"),
    (Op::FAdd, "f32", "f32"),
    (Op::FSub, "f32", "f32"),
    (Op::FMul, "f32", "f32"),
    (Op::FDiv, "f32", "f32"),
    (Op::FRem, "f32", "f32"),
    (Op::FMod, "f32", "f32"),
    (Op::IEqual, "u32", "bool"),
    (Op::INotEqual, "u32", "bool"),
    (Op::ULessThan, "u32", "bool"),
    (Op::UGreaterThanEqual, "u32", "bool"),
    (Op::SLessThanEqual, "i32", "bool"),
    (Op::SGreaterThan, "i32", "bool"),
    (Op::FOrdEqual, "f32", "bool"),
    (Op::FUnordEqual, "f32", "bool"),
    (Op::FOrdNotEqual, "f32", "bool"),
    (Op::FUnordNotEqual, "f32", "bool"),
    (Op::FOrdLessThan, "f32", "bool"),
    (Op::FUnordLessThan, "f32", "bool"),
    (Op::FOrdGreaterThan, "f32", "bool"),
    (Op::FUnordGreaterThanEqual, "f32", "bool"),
    (Op::FOrdLessThanEqual, "f32", "bool"),
    (Op::FUnordLessThanEqual, "f32", "bool"),
];

/// Bits that make numbers worth a look: zeros, infinities, NaNs, denormals, bounds.
fn word() -> impl Strategy<Value = u32> {
    let special = [
        0,
        1,
        2,
        31,
        32,
        0x7fff_ffff,
        0x8000_0000,
        u32::MAX,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0001,
        0xffc1_2345,
        0x7f80_0001,
        0x0000_ffff,
        0x3f80_0000,
        0xbf80_0000,
        0x3f00_0000,
        0x7f7f_ffff,
        0x0080_0000,
    ];
    prop_oneof![any::<u32>(), proptest::sample::select(special.to_vec())]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn operations_on_words_are_those_of_eval(
        operation in proptest::sample::select(BINARY.to_vec()),
        inputs in proptest::collection::vec(word(), 64),
        other in word(),
    ) {
        let (op, operand, result) = operation;
        let globals = format!("%other = OpConstant %u32 {other}");
        let convert = match operand {
            "u32" => "%a = OpCopyObject %u32 %value\n%b = OpCopyObject %u32 %other",
            "i32" => "%a = OpBitcast %i32 %value\n%b = OpBitcast %i32 %other",
            _ => "%a = OpBitcast %f32 %value\n%b = OpBitcast %f32 %other",
        };
        let back = match result {
            "bool" => "%result = OpSelect %u32 %c %u1 %u0",
            _ => "%result = OpBitcast %u32 %c",
        };
        let body = format!("{convert}\n%c = {op} %{result} %a %b\n{back}");
        let words = shader(&globals, &body);
        let out = run(&words, 32, &inputs);
        let scalar_type = |name| match name { "f32" => F32, "bool" => ScalarType::Bool, _ => U32 };
        let ty = scalar_type(operand);
        for (index, result_bits) in out.read::<u32>(0, 1).into_iter().enumerate() {
            let operands = [Scalar::new(ty, inputs[index].into()), Scalar::new(ty, other.into())];
            let environment = Environment::default();
            let expected = evaluate_scalar(op, scalar_type(result), &operands, &environment).unwrap();
            prop_assert_eq!(result_bits, expected.common().bits() as u32, "{} {:#x} {:#x}", op, inputs[index], other);
        }
    }
}

#[test]
fn wide_and_narrow_integers_are_computed_with() {
    let globals =
        "%i64 = OpTypeInt 64 0\n%i16 = OpTypeInt 16 1\n%big = OpConstant %i64 0x100000001";
    let body = "%wide = OpUConvert %i64 %value
%product = OpIMul %i64 %wide %big
%halves = OpBitcast %v2u32 %product
%low = OpCompositeExtract %u32 %halves 0
%high = OpCompositeExtract %u32 %halves 1
%narrow = OpUConvert %i16 %value
%signed = OpSConvert %i32 %narrow
%unsigned = OpBitcast %u32 %signed
%sum = OpIAdd %u32 %low %high
%result = OpIAdd %u32 %sum %unsigned";
    gives(
        globals,
        body,
        &[1, 0x8000, 0xffff_ffff, 70_000],
        |_, value| {
            let product = u64::from(value).wrapping_mul(0x1_0000_0001);
            let narrow = i32::from(value as u16 as i16) as u32;
            (product as u32)
                .wrapping_add((product >> 32) as u32)
                .wrapping_add(narrow)
        },
    );
}

#[test]
fn bits_are_put_together_and_taken_apart() {
    let globals = "%half = OpTypeFloat 16\n%v2half = OpTypeVector %half 2";
    let body = "%parts = OpBitcast %v2half %value
%first = OpCompositeExtract %half %parts 0
%second = OpCompositeExtract %half %parts 1
%swapped = OpCompositeConstruct %v2half %second %first
%result = OpBitcast %u32 %swapped";
    gives(globals, body, &[0x3c00_4000, 0xffff_0001], |_, value| {
        value.rotate_left(16)
    });
}

#[test]
fn carries_and_wide_products_have_two_halves() {
    let globals = "%pair = OpTypeStruct %u32 %u32\n%most = OpConstant %u32 0xffffffff";
    let body = "%sum = OpIAddCarry %pair %value %most
%carry = OpCompositeExtract %u32 %sum 1
%product = OpUMulExtended %pair %value %most
%high = OpCompositeExtract %u32 %product 1
%result = OpIAdd %u32 %carry %high";
    gives(globals, body, &[0, 1, 5, u32::MAX], |_, value| {
        let carry = u32::from(value != 0);
        carry + ((u64::from(value) * 0xffff_ffff) >> 32) as u32
    });
}

#[test]
fn composites_are_built_changed_and_indexed() {
    let globals = "%matrix = OpTypeMatrix %v3f32 2";
    let body = "%x = OpCompositeConstruct %v3u32 %value %index %u3
%y = OpCompositeInsert %v3u32 %u5 %x 2
%z = OpVectorShuffle %v3u32 %y %x 2 0 4
%which = OpUMod %u32 %index %u3
%part = OpVectorExtractDynamic %u32 %z %which
%w = OpVectorInsertDynamic %v3u32 %z %part %u0
%result = OpCompositeExtract %u32 %w 0";
    gives(globals, body, &[7, 8, 9, 10], |index, value| {
        match index % 3 {
            0 => 5,
            1 => value,
            _ => index,
        }
    });
}

#[test]
fn products_of_matrices_go_row_by_column() {
    let globals = "%v2f32 = OpTypeVector %f32 2
%m23 = OpTypeMatrix %v3f32 2
%f3 = OpConstant %f32 3
%f4 = OpConstant %f32 4
%first = OpConstantComposite %v3f32 %f1 %f2 %f3
%second = OpConstantComposite %v3f32 %f4 %f1 %f2
%matrix = OpConstantComposite %m23 %first %second";
    // The second row of [1 4; 2 1; 3 2] times (v, 2).
    let body = "%v = OpConvertUToF %f32 %value
%vector = OpCompositeConstruct %v2f32 %v %f2
%product = OpMatrixTimesVector %v3f32 %matrix %vector
%row = OpCompositeExtract %f32 %product 1
%result = OpConvertFToU %u32 %row";
    gives(globals, body, &[0, 1, 2, 10], |_, value| 2 * value + 2);
}

#[test]
fn packed_bytes_are_multiplied() {
    let globals = "%weights = OpConstant %u32 0x80ff0201";
    let body = "%signed = OpSDot %i32 %value %weights PackedVectorFormat4x8Bit
%result = OpBitcast %u32 %signed";
    gives(globals, body, &[0x0101_0101, 0xff80_7f05], |_, value| {
        let bytes = value.to_le_bytes().map(|byte| i32::from(byte as i8));
        (bytes[0] + 2 * bytes[1] - bytes[2] - 128 * bytes[3]) as u32
    });
}

#[test]
fn memory_of_all_kinds_keeps_what_is_stored() {
    let globals = "%array4 = OpTypeArray %u32 %u4
%ptr_array = OpTypePointer Function %array4
%ptr_private = OpTypePointer Private %array4
%private = OpVariable %ptr_private Private
%ptr_private_element = OpTypePointer Private %u32";
    // What is indexed dynamically lies in memory.
    let text = "%which = OpBitwiseAnd %u32 %index %u3
%at = OpAccessChain %ptr_private_element %private %which
OpStore %at %value
%fixed = OpAccessChain %ptr_private_element %private %u2
%two = OpLoad %u32 %fixed
%again = OpLoad %u32 %at
%result = OpIAdd %u32 %two %again";
    gives(globals, text, &[3, 4, 5, 6], |index, value| {
        match index & 3 {
            2 => 2 * value,
            _ => value,
        }
    });
}

#[test]
fn memory_lies_where_decorations_say() {
    // The words of the input as row-major matrices of two columns and three rows.
    let globals = "%matrix = OpTypeMatrix %v3f32 2
%matrices = OpTypeArray %matrix %u2
%view = OpTypeStruct %u32 %matrices
%ptr_view = OpTypePointer StorageBuffer %view
%ptr_matrix = OpTypePointer StorageBuffer %matrix
%ptr_component = OpTypePointer StorageBuffer %f32
OpDecorate %view Block
OpMemberDecorate %view 0 Offset 0
OpMemberDecorate %view 1 Offset 8
OpMemberDecorate %view 1 RowMajor
OpMemberDecorate %view 1 MatrixStride 16
OpDecorate %matrices ArrayStride 64
OpDecorate %as_matrices DescriptorSet 0
OpDecorate %as_matrices Binding 0
%as_matrices = OpVariable %ptr_view StorageBuffer";
    let body = "%which = OpBitwiseAnd %u32 %index %u1
%column_bits = OpShiftRightLogical %u32 %index %u1
%column = OpBitwiseAnd %u32 %column_bits %u1
%row = OpUMod %u32 %index %u3
%one_at = OpAccessChain %ptr_component %as_matrices %u1 %which %column %row
%one = OpLoad %f32 %one_at
%one_bits = OpBitcast %u32 %one
%whole_at = OpAccessChain %ptr_matrix %as_matrices %u1 %u1
%whole = OpLoad %matrix %whole_at
%last = OpCompositeExtract %f32 %whole 1 2
%last_bits = OpBitcast %u32 %last
%result = OpIAdd %u32 %one_bits %last_bits";
    let inputs: Vec<u32> = (0..64).map(|index| 1000 + index).collect();
    gives(globals, body, &inputs, |index, _| {
        let word = |which, column, row| inputs[(8 + 64 * which + 16 * row + 4 * column) / 4];
        let index = index as usize;
        word(index & 1, index >> 1 & 1, index % 3) + word(1, 1, 2)
    });
}

#[test]
fn parts_with_and_without_a_declared_place_are_kept_apart() {
    // A structure that decorations place within one that they don't, with neighbours.
    let globals = "%pair = OpTypeStruct %u32 %v3u32
%pairs = OpTypeArray %pair %u2
%around = OpTypeStruct %bool %pairs %u32
%arounds = OpTypeArray %around %u3
%ptr_arounds = OpTypePointer Private %arounds
%ptr_word = OpTypePointer Private %u32
%ptr_bool = OpTypePointer Private %bool
OpMemberDecorate %pair 0 Offset 4
OpMemberDecorate %pair 1 Offset 16
%arounds_here = OpVariable %ptr_arounds Private";
    let body = "%which = OpUMod %u32 %index %u3
%first = OpAccessChain %ptr_bool %arounds_here %which %u0
OpStore %first %true
%x_at = OpAccessChain %ptr_word %arounds_here %which %u1 %u0 %u1 %u2
%y_at = OpAccessChain %ptr_word %arounds_here %which %u1 %u1 %u0
%last_at = OpAccessChain %ptr_word %arounds_here %which %u2
OpStore %last_at %u5
OpStore %y_at %u8
OpStore %x_at %value
%all = OpLoad %arounds %arounds_here
OpStore %arounds_here %all
%x = OpLoad %u32 %x_at
%y = OpLoad %u32 %y_at
%last = OpLoad %u32 %last_at
%is_kept = OpLoad %bool %first
%kept = OpSelect %u32 %is_kept %u1 %u0
%xy = OpIAdd %u32 %x %y
%xyz = OpIAdd %u32 %xy %last
%result = OpIAdd %u32 %xyz %kept";
    gives(globals, body, &[100, 200, 300, 400], |_, value| {
        value + 8 + 5 + 1
    });
}

#[test]
fn atomics_see_each_other() {
    let body = "%old = OpAtomicIAdd %u32 %shared %u1 %u264 %u1
OpControlBarrier %u2 %u2 %u264
%result = OpAtomicLoad %u32 %shared %u1 %u264";
    gives("", body, &[], |_, _| 64);
}

#[test]
fn subgroups_share_values() {
    let body = "%sum = OpGroupNonUniformIAdd %u32 %u3 ExclusiveScan %value
%first = OpGroupNonUniformBroadcastFirst %u32 %u3 %value
%swapped = OpGroupNonUniformShuffleXor %u32 %u3 %value %u1
%one = OpIAdd %u32 %sum %first
%result = OpIAdd %u32 %one %swapped";
    let inputs: Vec<u32> = (0..64).map(|index| index * index + 3).collect();
    let words = shader("", body);
    for size in crate::shader::SIZES {
        let out = run(&words, size, &inputs);
        out.assert_clean();
        for (index, result) in out.read::<u32>(0, 1).into_iter().enumerate() {
            let start = index / size as usize * size as usize;
            let sum: u32 = inputs[start..index].iter().sum();
            let expected = sum + inputs[start] + inputs[index ^ 1];
            assert_eq!(
                result, expected,
                "invocation {index} of subgroups of {size}"
            );
        }
    }
}

#[test]
fn instructions_of_the_extended_set_are_those_of_eval() {
    let body = "%number = OpConvertUToF %f32 %value
%vector = OpCompositeConstruct %v3f32 %number %f2 %f1
%length = OpExtInst %f32 %glsl Length %vector
%exponential = OpExtInst %f32 %glsl Exp2 %f2
%both = OpExtInst %pair %glsl FrexpStruct %length
%significand = OpCompositeExtract %f32 %both 0
%exponent = OpCompositeExtract %i32 %both 1
%again = OpExtInst %f32 %glsl Ldexp %significand %exponent
%scaled = OpFMul %f32 %again %exponential
%result = OpConvertFToU %u32 %scaled";
    // The lengths of (2, 2, 1) and (4, 2, 1) up to (38, 2, 1).
    gives(
        "%pair = OpTypeStruct %f32 %i32",
        body,
        &[2, 4, 38],
        |_, value| {
            let square = value * value + 5;
            (4.0 * f64::from(square).sqrt()) as u32
        },
    );
}

#[test]
fn variables_at_one_binding_are_one_buffer() {
    let globals = "OpDecorate %same DescriptorSet 0
OpDecorate %same Binding 0
%same = OpVariable %ptr_block StorageBuffer";
    let body = "%moved = OpIAdd %u32 %value %u5
OpStore %in_at %moved
%same_at = OpAccessChain %ptr_element %same %u0 %index
%result = OpLoad %u32 %same_at";
    let inputs: Vec<u32> = (0..64).collect();
    let out = run(&shader(globals, body), 32, &inputs);
    out.assert_clean();
    let expected: Vec<u32> = (5..69).collect();
    assert_eq!(out.read::<u32>(0, 1), expected);
    assert_eq!(out.read::<u32>(0, 0), expected);
}

#[test]
fn zeros_of_both_signs_are_all_equal_and_nans_are_not() {
    let body = "%sign = OpShiftLeftLogical %u32 %index %u31
%bits = OpBitwiseOr %u32 %value %sign
%number = OpBitcast %f32 %bits
%equal = OpGroupNonUniformAllEqual %bool %u3 %number
%result = OpSelect %u32 %equal %u1 %u0";
    let words = shader("", body);
    let out = |value: u32| {
        // Shifts by more than 31 bits are another matter.
        let words = words.clone();
        run(&words, 4, &[value; 64]).read::<u32>(0, 1)[0]
    };
    assert_eq!((out(0), out(0x7fc0_0000), out(0x3f80_0000)), (1, 0, 0));
}

#[test]
fn variables_begin_with_zeros_in_every_workgroup() {
    let globals =
        "%ptr_private = OpTypePointer Private %u32\n%counter = OpVariable %ptr_private Private";
    let body = "%before = OpLoad %u32 %counter
%more = OpIAdd %u32 %before %u1
OpStore %counter %more
%result = OpCopyObject %u32 %more";
    let words = shader(globals, body);
    let run = spirvkit_interp::Run::new(&words)
        .storage(0, 0, &[0u32; 64])
        .zeroed(0, 1, 256);
    let out = run.dispatch([3, 1, 1]).unwrap();
    assert_eq!(out.read::<u32>(0, 1), [1; 64]);
}

/// Every instruction of `GLSL.std.450` but interpolation is lowered and evaluated; what each gives
/// is tested where it is computed.
#[test]
fn all_of_the_extended_set_runs() {
    let forms: [(&str, &str, &[&str]); 7] = [
        (
            "f32",
            "%f %f %f",
            &[
                "1 Round",
                "1 RoundEven",
                "1 Trunc",
                "1 FAbs",
                "1 FSign",
                "1 Floor",
                "1 Ceil",
                "1 Fract",
                "1 Radians",
                "1 Degrees",
                "1 Sin",
                "1 Cos",
                "1 Tan",
                "1 Asin",
                "1 Acos",
                "1 Atan",
                "1 Sinh",
                "1 Cosh",
                "1 Tanh",
                "1 Asinh",
                "1 Acosh",
                "1 Atanh",
                "2 Atan2",
                "2 Pow",
                "1 Exp",
                "1 Log",
                "1 Exp2",
                "1 Log2",
                "1 Sqrt",
                "1 InverseSqrt",
                "2 FMin",
                "2 FMax",
                "2 NMin",
                "2 NMax",
                "3 FClamp",
                "3 NClamp",
                "3 FMix",
                "2 Step",
                "3 SmoothStep",
                "3 Fma",
                "1 Length",
                "2 Distance",
            ],
        ),
        (
            "u32",
            "%value %value %value",
            &["2 UMin", "2 UMax", "3 UClamp", "1 FindILsb", "1 FindUMsb"],
        ),
        (
            "i32",
            "%signed %signed %signed",
            &[
                "1 SAbs",
                "1 SSign",
                "2 SMin",
                "2 SMax",
                "3 SClamp",
                "1 FindSMsb",
            ],
        ),
        (
            "v3f32",
            "%v %v %v",
            &["1 Normalize", "2 Cross", "2 Reflect", "3 FaceForward"],
        ),
        (
            "u32",
            "%v2",
            &["1 PackSnorm2x16", "1 PackUnorm2x16", "1 PackHalf2x16"],
        ),
        (
            "v2f32",
            "%value",
            &["1 UnpackSnorm2x16", "1 UnpackUnorm2x16", "1 UnpackHalf2x16"],
        ),
        ("m22", "%m", &["1 MatrixInverse"]),
    ];
    let special = [
        "%x = OpExtInst %f32 %glsl Determinant %m",
        "%x = OpExtInst %f32 %glsl Ldexp %f %signed",
        "%x = OpExtInst %v3f32 %glsl Refract %v %v %f",
        "%x = OpExtInst %u32 %glsl PackSnorm4x8 %v4",
        "%x = OpExtInst %u32 %glsl PackUnorm4x8 %v4",
        "%x = OpExtInst %v4f32 %glsl UnpackSnorm4x8 %value",
        "%x = OpExtInst %v4f32 %glsl UnpackUnorm4x8 %value",
        "%words = OpCompositeConstruct %v2u32 %value %value\n%x = OpExtInst %f64 %glsl PackDouble2x32 %words",
        "%double = OpFConvert %f64 %f\n%x = OpExtInst %v2u32 %glsl UnpackDouble2x32 %double",
        "%x = OpExtInst %parts %glsl ModfStruct %f",
        "%x = OpExtInst %split %glsl FrexpStruct %f",
        "%x = OpExtInst %f32 %glsl Modf %f %whole",
        "%x = OpExtInst %f32 %glsl Frexp %f %power",
    ];
    let mut lines: Vec<String> = special.map(str::to_owned).to_vec();
    for (ty, operands, instructions) in forms {
        for instruction in instructions {
            let (count, name) = instruction.split_once(' ').unwrap();
            let operands: Vec<&str> = operands.split(' ').take(count.parse().unwrap()).collect();
            lines.push(format!(
                "%x = OpExtInst %{ty} %glsl {name} {}",
                operands.join(" ")
            ));
        }
    }
    let globals = "%f64 = OpTypeFloat 64
%v2f32 = OpTypeVector %f32 2
%v4f32 = OpTypeVector %f32 4
%m22 = OpTypeMatrix %v2f32 2
%parts = OpTypeStruct %f32 %f32
%split = OpTypeStruct %f32 %i32
%ptr_f32 = OpTypePointer Private %f32
%ptr_i32 = OpTypePointer Private %i32
%whole = OpVariable %ptr_f32 Private
%power = OpVariable %ptr_i32 Private
%half = OpConstant %f32 0.5";
    for line in lines {
        let body = format!(
            "%f = OpFMul %f32 %half %f2
%signed = OpBitcast %i32 %value
%v2 = OpCompositeConstruct %v2f32 %half %f
%v = OpCompositeConstruct %v3f32 %half %f %f2
%v4 = OpCompositeConstruct %v4f32 %half %f %f %f2
%m = OpCompositeConstruct %m22 %v2 %v2
{line}
%result = OpCopyObject %u32 %value"
        );
        let out = run(&shader(globals, &body), 8, &[7; 64]);
        out.assert_clean();
        assert_eq!(out.read::<u32>(0, 1), [7; 64], "{line}");
    }
}

#[test]
fn saturating_dot_products() {
    // Four bytes of 0x80 and 0x7f, as one word, or of a vector.
    let globals = "%byte = OpTypeInt 8 1
%v4byte = OpTypeVector %byte 4
%low = OpConstant %byte -128
%high = OpConstant %byte 127
%lows = OpConstantComposite %v4byte %low %low %low %low
%highs = OpConstantComposite %v4byte %high %high %high %high
%packed = OpConstant %u32 0x80808080
%near = OpConstant %i32 -2147483648
%far = OpConstant %u32 4294967200";
    // 4 · -128 · 127 below the least number there is.
    let body = "%dot = OpSDotAccSat %i32 %lows %highs %near
%result = OpBitcast %u32 %dot";
    gives(globals, body, &[], |_, _| 0x8000_0000);
    // 4 · 128 · 128 above the largest.
    let body = "%result = OpUDotAccSat %u32 %packed %packed %far PackedVectorFormat4x8Bit";
    gives(globals, body, &[], |_, _| u32::MAX);
    // 4 · -128 · 128 and 70000.
    let body = "%some = OpConstant %i32 70000
%dot = OpSUDotAccSat %i32 %packed %packed %some PackedVectorFormat4x8Bit
%result = OpBitcast %u32 %dot";
    let body = body.replace("%some = OpConstant %i32 70000\n", "");
    let globals = format!("{globals}\n%some = OpConstant %i32 70000");
    gives(&globals, &body, &[], |_, _| 70_000 - 65_536);
}

#[test]
fn dot_products_of_bfloat16() {
    let globals = "%bf16 = OpTypeFloat 16 BFloat16KHR
%v2bf16 = OpTypeVector %bf16 2
%a = OpConstant %bf16 1.5
%b = OpConstant %bf16 -3
%vector = OpConstantComposite %v2bf16 %a %b";
    let body = "%dot = OpDot %bf16 %vector %vector
%wide = OpFConvert %f32 %dot
%result = OpBitcast %u32 %wide";
    gives(globals, body, &[], |_, _| 11.25f32.to_bits());
}

#[test]
fn flags_are_set_once() {
    let globals = "%flag = OpVariable %ptr_shared Workgroup";
    let body = "%was = OpAtomicFlagTestAndSet %bool %flag %u2 %u0
%one = OpSelect %u32 %was %u1 %u0
OpControlBarrier %u2 %u2 %u264
OpAtomicFlagClear %flag %u2 %u0
OpControlBarrier %u2 %u2 %u264
%now = OpAtomicFlagTestAndSet %bool %flag %u2 %u0
%two = OpSelect %u32 %now %u2 %u0
%result = OpIAdd %u32 %one %two";
    // Only the first of all finds it clear.
    gives(
        globals,
        body,
        &[],
        |index, _| if index == 0 { 0 } else { 3 },
    );
}

#[test]
fn clocks_go_on_and_values_freeze() {
    let body = "%before = OpReadClockKHR %v2u32 %u3
%frozen = OpFreezeKHR %u32 %value
%fenced = OpArithmeticFenceEXT %u32 %frozen
%after = OpReadClockKHR %v2u32 %u3
%a = OpCompositeExtract %u32 %before 0
%b = OpCompositeExtract %u32 %after 0
%later = OpUGreaterThan %bool %b %a
%result = OpSelect %u32 %later %fenced %u0";
    gives("", body, &[5, 6, 7], |_, value| value);
}

#[test]
fn replicated_composites() {
    let body = "%vector = OpCompositeConstructReplicateEXT %v4u32 %value
%result = OpCompositeExtract %u32 %vector 3";
    gives("", body, &[5, 6, 7], |_, value| value);
}

#[test]
fn long_vectors() {
    let globals = "%v7u32 = OpTypeVectorIdEXT %u32 %u7
%u7 = OpConstant %u32 7
%ptr_long = OpTypePointer Private %v7u32
%kept = OpVariable %ptr_long Private";
    let globals = globals.replace(
        "%v7u32 = OpTypeVectorIdEXT %u32 %u7\n%u7 = OpConstant %u32 7",
        "%u7 = OpConstant %u32 7\n%v7u32 = OpTypeVectorIdEXT %u32 %u7",
    );
    let body = "%vector = OpCompositeConstruct %v7u32 %u0 %u1 %u2 %u3 %u4 %u5 %value
%sum = OpIAdd %v7u32 %vector %vector
OpStore %kept %sum
%again = OpLoad %v7u32 %kept
%which = OpUMod %u32 %index %u7
%result = OpVectorExtractDynamic %u32 %again %which";
    gives(&globals, body, &[5, 6, 7], |index, value| match index % 7 {
        6 => value * 2,
        which => which * 2,
    });
}

#[test]
fn atomics_on_vectors_take_each_component_by_itself() {
    // Both halves of a word of the output; all 64 invocations add 1 and -0.5, which is exact.
    let globals = "%f16 = OpTypeFloat 16
%v2f16 = OpTypeVector %f16 2
%one = OpConstant %f16 1
%less = OpConstant %f16 -0.5
%both = OpConstantComposite %v2f16 %one %less
%nothing = OpConstantNull %v2f16
%p_shared_vector = OpTypePointer Workgroup %v2f16
%vector = OpVariable %p_shared_vector Workgroup";
    let body = "OpStore %vector %nothing
OpControlBarrier %u2 %u2 %u264
%old = OpAtomicFAddEXT %v2f16 %vector %u2 %u0 %both
OpControlBarrier %u2 %u2 %u264
%sum = OpLoad %v2f16 %vector
%result = OpBitcast %u32 %sum";
    // 64 is 2⁶, and -32 is -2⁵.
    gives(globals, body, &[], |_, _| {
        (15 + 6) << 10 | (0x20 | (15 + 5)) << 26
    });
    let body = "OpStore %vector %nothing
OpControlBarrier %u2 %u2 %u264
%old = OpAtomicExchange %v2f16 %vector %u2 %u0 %both
OpControlBarrier %u2 %u2 %u264
%least = OpAtomicFMinEXT %v2f16 %vector %u2 %u0 %both
%result = OpBitcast %u32 %least";
    gives(globals, body, &[], |_, _| {
        15 << 10 | (0x20 | (15 - 1)) << 26
    });
}
