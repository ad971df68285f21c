//! Instructions of vendors' extensions. Expected values are what the extensions' texts say, in
//! plain arithmetic.

use spirvkit_interp::Run;

use crate::shader::{SIZES, gives, run, shader};

const TRINARY: &str = "%three = OpExtInstImport \"SPV_AMD_shader_trinary_minmax\"";

#[test]
fn least_greatest_and_middle_of_three() {
    let inputs: Vec<u32> = (0..64u32)
        .map(|index| index.wrapping_mul(0x9e37_79b9))
        .collect();
    let unsigned = |index: u32, value: u32| {
        let mut all = [value, index, 31];
        all.sort_unstable();
        all
    };
    let signed = |index: u32, value: u32| {
        let mut all = [value as i32, index as i32, 31];
        all.sort_unstable();
        all.map(|it| it as u32)
    };
    for (name, place) in [("Min3AMD", 0), ("Mid3AMD", 1), ("Max3AMD", 2)] {
        let body = format!("%result = OpExtInst %u32 %three U{name} %value %index %u31");
        gives(TRINARY, &body, &inputs, |index, value| {
            unsigned(index, value)[place]
        });
        let body = format!("%result = OpExtInst %u32 %three S{name} %value %index %u31");
        gives(TRINARY, &body, &inputs, |index, value| {
            signed(index, value)[place]
        });
        // By component, with numbers that are whole.
        let globals = format!("{TRINARY}\n%v2f32 = OpTypeVector %f32 2\n%f9 = OpConstant %f32 9");
        let body = format!(
            "%low = OpBitwiseAnd %u32 %value %u31
%x = OpConvertUToF %f32 %low
%y = OpConvertUToF %f32 %index
%xy = OpCompositeConstruct %v2f32 %x %y
%yx = OpCompositeConstruct %v2f32 %y %x
%nine = OpCompositeConstruct %v2f32 %f9 %f9
%both = OpExtInst %v2f32 %three F{name} %xy %nine %yx
%second = OpCompositeExtract %f32 %both 1
%result = OpConvertFToU %u32 %second"
        );
        gives(&globals, &body, &inputs, |index, value| {
            let mut all = [value & 31, index, 9];
            all.sort_unstable();
            all[place]
        });
    }
}

const BALLOT: &str = "%ballot = OpExtInstImport \"SPV_AMD_shader_ballot\"
%back = OpConstantComposite %v4u32 %u3 %u2 %u1 %u0
%masks = OpConstantComposite %v3u32 %u31 %u1 %u2
%v2f32 = OpTypeVector %f32 2
%u64_t = OpTypeInt 64 0
%mask = OpConstant %u64_t 0xf0f0c0c0a5a5a5a5";

#[test]
fn swizzles() {
    let inputs: Vec<u32> = (100..164).collect();
    let body = "%result = OpExtInst %u32 %ballot SwizzleInvocationsAMD %value %back";
    gives(BALLOT, body, &inputs, |index, _| 100 + (index ^ 3));
    // (lane & 31 | 1) ^ 2, within its 32.
    let body = "%result = OpExtInst %u32 %ballot SwizzleInvocationsMaskedAMD %value %masks";
    gives(BALLOT, body, &inputs, |index, _| 100 + ((index | 1) ^ 2));
    // A lane that is not active gives zero.
    let body = "%bit = OpBitwiseAnd %u32 %index %u1
%is_odd = OpINotEqual %bool %bit %u0
OpSelectionMerge %end None
OpBranchConditional %is_odd %odd %end
%odd = OpLabel
%swizzled = OpExtInst %u32 %ballot SwizzleInvocationsAMD %value %back
OpBranch %end
%end = OpLabel
%result = OpPhi %u32 %u5 %entry %swizzled %odd";
    gives(
        BALLOT,
        body,
        &inputs,
        |index, _| {
            if index % 2 == 1 { 0 } else { 5 }
        },
    );
}

#[test]
fn one_invocation_gets_another_value() {
    let inputs: Vec<u32> = (100..164).collect();
    for size in SIZES {
        let body = "%result = OpExtInst %u32 %ballot WriteInvocationAMD %value %u5 %u2";
        let out = run(&shader(BALLOT, body), size, &inputs);
        out.assert_clean();
        let expected = |index: u32| if index % size == 2 { 5 } else { 100 + index };
        let expected: Vec<u32> = (0..64).map(expected).collect();
        assert_eq!(out.read::<u32>(0, 1), expected, "subgroups of {size}");
    }
}

#[test]
fn bits_below_a_lane() {
    for ty in ["%u32", "%u64_t"] {
        let body = format!(
            "%count = OpExtInst {ty} %ballot MbcntAMD %mask
%result = {} %u32 %count",
            if ty == "%u32" {
                "OpCopyObject"
            } else {
                "OpUConvert"
            }
        );
        for size in SIZES {
            let out = run(&shader(BALLOT, &body), size, &[0; 64]);
            out.assert_clean();
            let below = |index: u32| (1u64 << (index % size)) - 1;
            let expected = (0..64).map(|index| (0xf0f0_c0c0_a5a5_a5a5 & below(index)).count_ones());
            assert_eq!(out.read::<u32>(0, 1), expected.collect::<Vec<u32>>());
        }
    }
}

/// A direction of three numbers from -4 to 3, from the bits of a value.
fn direction(value: u32) -> [f32; 3] {
    [0, 3, 6].map(|first| ((value >> first & 7) as i32 - 4) as f32)
}

/// The face, and the place on it, by the table of "Cube Map Face Selection".
fn face([x, y, z]: [f32; 3]) -> (u32, [f32; 2]) {
    let (face, s, t, r) = if z.abs() >= x.abs() && z.abs() >= y.abs() {
        if z < 0.0 {
            (5, -x, -y, z)
        } else {
            (4, x, -y, z)
        }
    } else if y.abs() >= x.abs() {
        if y < 0.0 { (3, x, -z, y) } else { (2, x, z, y) }
    } else if x < 0.0 {
        (1, z, -y, x)
    } else {
        (0, -z, -y, x)
    };
    (face, [s, t].map(|it| 0.5 * (it / r.abs()) + 0.5))
}

#[test]
fn faces_of_cubes() {
    let globals = "%gcn = OpExtInstImport \"SPV_AMD_gcn_shader\"
%v2f32 = OpTypeVector %f32 2
%i4 = OpConstant %i32 4
%u6 = OpConstant %u32 6
%u7 = OpConstant %u32 7";
    let mut begin = String::new();
    for (axis, shift) in [("x", "%u0"), ("y", "%u3"), ("z", "%u6")] {
        begin += &format!(
            "%{axis}s = OpShiftRightLogical %u32 %value {shift}
%{axis}b = OpBitwiseAnd %u32 %{axis}s %u7
%{axis}c = OpBitcast %i32 %{axis}b
%{axis}d = OpISub %i32 %{axis}c %i4
%{axis} = OpConvertSToF %f32 %{axis}d\n"
        );
    }
    begin += "%p = OpCompositeConstruct %v3f32 %x %y %z\n";
    for from in (0..512).step_by(64) {
        // All directions but that of no length.
        let inputs: Vec<u32> = (from..from + 64)
            .map(|it| if direction(it) == [0.0; 3] { 0 } else { it })
            .collect();
        let body = format!(
            "{begin}%face = OpExtInst %f32 %gcn CubeFaceIndexAMD %p
%result = OpConvertFToU %u32 %face"
        );
        gives(globals, &body, &inputs, |_, value| face(direction(value)).0);
        for axis in 0..2 {
            let body = format!(
                "{begin}%place = OpExtInst %v2f32 %gcn CubeFaceCoordAMD %p
%coordinate = OpCompositeExtract %f32 %place {axis}
%result = OpBitcast %u32 %coordinate"
            );
            gives(globals, &body, &inputs, |_, value| {
                face(direction(value)).1[axis].to_bits()
            });
        }
    }
    let body = "%before = OpExtInst %u64_t %gcn TimeAMD
%after = OpExtInst %u64_t %gcn TimeAMD
%passes = OpULessThan %bool %before %after
%result = OpSelect %u32 %passes %u1 %u0";
    let globals = format!("{globals}\n%u64_t = OpTypeInt 64 0");
    gives(&globals, body, &[], |_, _| 1);
}

/// What an operation gives of two words.
type Function = fn(u32, u32) -> u32;

#[test]
fn integer_functions() {
    let inputs: Vec<u32> = (0..64u32)
        .map(|index| index.wrapping_mul(0x9e37_79b9))
        .collect();
    let globals = "%big = OpConstant %u32 0x9abcdef0\n%table = OpConstant %u32 0xca";
    let big = 0x9abc_def0;
    let cases: [(&str, Function); 8] = [
        ("OpUAddSatINTEL %u32 %value %big", u32::saturating_add),
        ("OpUSubSatINTEL %u32 %value %big", u32::saturating_sub),
        ("OpIAddSatINTEL %u32 %value %big", |a, b| {
            (a as i32).saturating_add(b as i32) as u32
        }),
        ("OpAbsISubINTEL %u32 %value %big", |a, b| {
            (a as i32).abs_diff(b as i32)
        }),
        ("OpIAverageRoundedINTEL %u32 %value %big", |a, b| {
            ((i64::from(a as i32) + i64::from(b as i32) + 1) >> 1) as u32
        }),
        ("OpUMul32x16INTEL %u32 %value %big", |a, b| {
            a.wrapping_mul(b & 0xffff)
        }),
        ("OpUCountLeadingZerosINTEL %u32 %value", |a, _| {
            a.leading_zeros()
        }),
        ("OpUCountTrailingZerosINTEL %u32 %value", |a, _| {
            a.trailing_zeros()
        }),
    ];
    for (operation, expected) in cases {
        let body = format!("%result = {operation}");
        gives(globals, &body, &inputs, |_, value| expected(value, big));
    }
    // The bits of the second where those of the third are set.
    let body = "%result = OpBitwiseFunctionINTEL %u32 %index %value %big %table";
    gives(globals, body, &inputs, |index, value| {
        index & !big | value & big
    });
}

#[test]
fn dot_products_of_narrow_numbers() {
    for (op, narrow, count, is_wide) in [
        ("OpFDot2MixAcc32VALVE", "16", 2, true),
        ("OpFDot2MixAcc32VALVE", "16 BFloat16KHR", 2, true),
        ("OpFDot2MixAcc16VALVE", "16", 2, false),
        ("OpFDot2MixAcc16VALVE", "16 BFloat16KHR", 2, false),
        ("OpFDot4MixAcc32VALVE", "8 Float8E4M3EXT", 4, true),
        ("OpFDot4MixAcc32VALVE", "8 Float8E5M2EXT", 4, true),
    ] {
        let globals =
            format!("%narrow = OpTypeFloat {narrow}\n%vector = OpTypeVector %narrow {count}");
        // Whole numbers from 0 to 3, so that all is exact.
        let parts = "%a ".repeat(count - 1);
        let result = if is_wide { "%f32" } else { "%narrow" };
        let one = if is_wide { "%f1" } else { "%one" };
        let last = if is_wide {
            "OpCopyObject"
        } else {
            "OpFConvert"
        };
        let body = format!(
            "%low = OpBitwiseAnd %u32 %index %u3
%af = OpConvertUToF %f32 %low
%a = OpFConvert %narrow %af
%one = OpFConvert %narrow %f1
%two = OpFConvert %narrow %f2
%first = OpCompositeConstruct %vector {parts}%one
%second = OpCompositeConstruct %vector {parts}%two
%dot = {op} {result} %first %second {one}
%single = {last} %f32 %dot
%result = OpConvertFToU %u32 %single"
        );
        gives(&globals, &body, &[], |index, _| {
            (count as u32 - 1) * (index & 3).pow(2) + 3
        });
    }
}

const PREDICATE: &str = "%bit = OpBitwiseAnd %u32 %index %u1
%is_even = OpIEqual %bool %bit %u0
";

#[test]
fn predicated_loads_leave_addresses_alone() {
    // The others would read out of bounds.
    let body = format!(
        "{PREDICATE}%far = OpIMul %u32 %bit %u264
%place = OpIAdd %u32 %index %far
%at = OpAccessChain %ptr_element %in %u0 %place
%result = OpPredicatedLoadINTEL %u32 %at %is_even %index Aligned 4"
    );
    let inputs: Vec<u32> = (100..164).collect();
    gives("", &body, &inputs, |index, value| match index % 2 {
        0 => value,
        _ => index,
    });
    let body = body.replace("%at %is_even", "%at %true");
    let out = run(&shader("", &body), 8, &inputs);
    let rules: Vec<&str> = out.findings.iter().map(|it| it.rule()).collect();
    assert_eq!(rules, ["run.bounds"]);
}

#[test]
fn predicated_stores_store_for_some() {
    let body = format!(
        "{PREDICATE}OpPredicatedStoreINTEL %in_at %u5 %is_even Aligned 4
%result = OpLoad %u32 %in_at"
    );
    gives("", &body, &[9; 64], |index, value| match index % 2 {
        0 => 5,
        _ => value,
    });
}

#[test]
fn predicated_stores_race_where_they_store() {
    for (count, races) in [(1, 0), (2, 1)] {
        let body = format!(
            "%first = OpAccessChain %ptr_element %in %u0 %u64
%is_some = OpULessThan %bool %index %u{count}
OpPredicatedStoreINTEL %first %index %is_some
%result = OpCopyObject %u32 %u0"
        );
        let words = shader("", &body);
        let run = Run::new(&words).race(true).storage(0, 0, &[0u32; 65]);
        let out = run.zeroed(0, 1, 256).dispatch([1, 1, 1]).unwrap();
        let found = out.findings.iter().filter(|it| it.rule() == "run.race");
        assert_eq!(found.count(), races, "{count}");
    }
}

#[test]
fn undefined_predicates_are_reported() {
    let body = "%unknown = OpUndef %bool
%result = OpPredicatedLoadINTEL %u32 %in_at %unknown %index";
    let out = run(&shader("", body), 8, &[0; 64]);
    let rules: Vec<&str> = out.findings.iter().map(|it| it.rule()).collect();
    assert_eq!(rules, ["run.uninitialized"]);
}

/// Numbers of 32 bits at which rounding turns.
const TURNS: [u32; 18] = [
    0,
    0x8000_0000,
    1,
    0x7fff,
    0x8000,
    0x8001,
    0x3f80_0000,
    0x3f80_0fff,
    0x3f80_1000,
    0x3f80_1001,
    0x3f80_3000,
    0x3f80_8000,
    0x3f81_8000,
    0xbf80_8001,
    0x7f7f_ffff,
    0xff7f_efff,
    0x7f80_0000,
    0xff80_0000,
];

/// The nearest multiple of a power of two, of two the even one.
fn nearest(bits: u32, power: u32) -> u32 {
    let (kept, rest, half) = (bits >> power, bits % (1 << power), 1 << (power - 1));
    let is_up = rest > half || rest == half && kept % 2 == 1;
    (kept + u32::from(is_up)) << power
}

#[test]
fn numbers_for_which_others_stand() {
    let (globals, number) = ("%short = OpTypeInt 16 0", "%x = OpBitcast %f32 %value\n");
    let body = format!(
        "{number}%narrow = OpConvertFToBF16INTEL %short %x
%result = OpUConvert %u32 %narrow"
    );
    gives(globals, &body, &TURNS, |_, value| nearest(value, 16) >> 16);
    let body = format!(
        "{number}%y = OpRoundFToTF32INTEL %f32 %x
%result = OpBitcast %u32 %y"
    );
    gives(globals, &body, &TURNS, |_, value| nearest(value, 13));
    // A NaN stays one, even if none of the bits that make it one fit.
    for nan in [0x7f80_0001, 0xffc0_0000, 0x7fff_ffff] {
        let out = run(&shader(globals, &body), 8, &[nan; 64]);
        let result = out.read::<u32>(0, 1)[0];
        assert!(f32::from_bits(result).is_nan() && result.is_multiple_of(1 << 13));
    }
    let body = "%narrow = OpUConvert %short %value
%x = OpConvertBF16ToFINTEL %f32 %narrow
%result = OpBitcast %u32 %x";
    gives(globals, body, &[0x3f80, 0x8001, 0xff80], |_, value| {
        value << 16
    });
}

#[test]
fn controls_of_loops_have_no_effect() {
    let body = "OpLoopControlINTEL
%result = OpCopyObject %u32 %value";
    gives("", body, &[1, 2, 3], |_, value| value);
}
