//! `OpenCL.std` in kernels. That its functions are right is for `spirvkit-eval` to show; here it
//! is that the right one is asked, for each component.

use spirvkit_grammar::ExtInstSet;
use spirvkit_interp::{Run, Support, support_of};

use crate::kernels::{gives, kernel};

/// Runs what makes `%result` of `%x`, the index as a number of 32 bits.
#[track_caller]
fn of_floats(body: &str, expected: impl Fn(f32) -> u32) {
    let body = format!("%x = OpConvertUToF %f32 %index\n{body}");
    gives("", &[], &body, |run| run, |index| expected(index as f32));
}

#[test]
fn the_whole_set_runs() {
    for number in 0..=204 {
        if ExtInstSet::OpenClStd.instruction(number).is_some() {
            assert_eq!(
                support_of(ExtInstSet::OpenClStd, number),
                Support::Runs,
                "{number}"
            );
        }
    }
}

#[test]
fn scalar_functions_are_those_of_eval() {
    of_floats(
        "%root = OpExtInst %f32 %cl sqrt %x
%most = OpExtInst %f32 %cl fmax %root %x
%sum = OpExtInst %f32 %cl fma %most %x %root
%result = OpBitcast %u32 %sum",
        |x| x.sqrt().max(x).mul_add(x, x.sqrt()).to_bits(),
    );
    gives(
        "",
        &[],
        "%ones = OpExtInst %u32 %cl popcount %index
%high = OpExtInst %u32 %cl clz %index
%turned = OpExtInst %u32 %cl rotate %index %u5
%clamped = OpExtInst %u32 %cl u_clamp %index %u3 %u10
%a = OpIAdd %u32 %ones %high
%b = OpIAdd %u32 %a %turned
%result = OpIAdd %u32 %b %clamped",
        |run| run,
        |index| {
            let bits = index.count_ones() + index.leading_zeros();
            bits + index.rotate_left(5) + index.clamp(3, 10)
        },
    );
}

#[test]
fn vectors_have_up_to_sixteen_components() {
    let index = ["%index"; 16].join(" ");
    gives(
        "",
        &[],
        &format!(
            "%sixteen = OpCompositeConstruct %v16u32 {index}
%other = OpCompositeInsert %v16u32 %u10 %sixteen 15
%most = OpExtInst %v16u32 %cl u_max %sixteen %other
%first = OpCompositeExtract %u32 %most 0
%last = OpCompositeExtract %u32 %most 15
%result = OpIAdd %u32 %first %last"
        ),
        |run| run,
        |index| index + index.max(10),
    );
}

#[test]
fn functions_of_whole_vectors_give_vectors_and_scalars() {
    of_floats(
        "%f3 = OpConvertUToF %f32 %u3
%f4 = OpConvertUToF %f32 %u4
%v = OpCompositeConstruct %v2f32 %f3 %f4
%scaled = OpVectorTimesScalar %v2f32 %v %x
%length = OpExtInst %f32 %cl length %scaled
%result = OpConvertFToU %u32 %length",
        |x| 5 * x as u32,
    );
}

#[test]
fn second_results_are_stored() {
    of_floats(
        "%whole = OpVariable %private_f32 Function
%exponent = OpVariable %private Function
%f4 = OpConvertUToF %f32 %u4
%quarter = OpFDiv %f32 %x %f4
%fraction = OpExtInst %f32 %cl modf %quarter %whole
%mantissa = OpExtInst %f32 %cl frexp %x %exponent
%w = OpLoad %f32 %whole
%e = OpLoad %u32 %exponent
%fours = OpFMul %f32 %fraction %f4
%f = OpConvertFToU %u32 %fours
%i = OpConvertFToU %u32 %w
%a = OpIMul %u32 %i %u272
%b = OpIAdd %u32 %a %f
%c = OpIMul %u32 %e %u10
%result = OpIAdd %u32 %b %c",
        |x| {
            let exponent = if x == 0.0 {
                0
            } else {
                x.log2().floor() as u32 + 1
            };
            (x / 4.0).floor() as u32 * 272 + x as u32 % 4 + exponent * 10
        },
    );
}

#[test]
fn vectors_are_loaded_and_stored_by_element() {
    let numbers: Vec<u32> = (0..48).map(|it| it * it).collect();
    gives(
        "",
        &[("in", "%global"), ("to", "%global")],
        "%three = OpExtInst %v3u32 %cl vloadn %index_long %in 3
%stored = OpExtInst %void %cl vstoren %three %index_long %to
%pre = OpExtInst %void %cl prefetch %in %index_long
%a = OpCompositeExtract %u32 %three 0
%b = OpCompositeExtract %u32 %three 2
%result = OpISub %u32 %b %a",
        |run| run.argument(0, &numbers).argument(1, &[0u32; 48]),
        |index| (3 * index + 2).pow(2) - (3 * index).pow(2),
    );
}

/// One and a half, three and a quarter, and so on as numbers of 16 bits.
const HALVES: [(u16, f32); 4] = [
    (0x3e00, 1.5),
    (0x4280, 3.25),
    (0xc000, -2.0),
    (0x3400, 0.25),
];

#[test]
fn numbers_of_sixteen_bits_are_loaded_and_stored() {
    let words = kernel(
        64,
        "%half_ptr = OpTypePointer CrossWorkgroup %f16",
        &[
            ("in", "%half_ptr"),
            ("to", "%half_ptr"),
            ("aligned", "%half_ptr"),
        ],
        "%f = OpExtInst %f32 %cl vload_half %index_long %in
%v = OpExtInst %v3f32 %cl vload_halfn %l0 %in 3
%u = OpExtInst %v3f32 %cl vloada_halfn %l0 %in 3
%w = OpFAdd %v3f32 %v %u
%s1 = OpExtInst %void %cl vstore_half %f %index_long %to
%s2 = OpExtInst %void %cl vstorea_halfn %w %index_long %aligned
%result = OpBitcast %u32 %f",
    );
    let halves = HALVES.map(|it| it.0);
    let run = Run::new(&words).local_size([4, 1, 1]).argument(0, &halves);
    let run = run.argument(1, &[0u16; 4]).argument(2, &[9u16; 16]);
    let out = run.argument("out", &[0u32; 4]).dispatch([1, 1, 1]).unwrap();
    out.assert_clean();
    assert_eq!(out.argument::<f32>("out"), HALVES.map(|it| it.1));
    assert_eq!(out.argument::<u16>("to"), halves);
    // 3, 6.5 and -4; the fourth is left as it is.
    assert_eq!(
        out.argument::<u16>("aligned"),
        [0x4200, 0x4680, 0xc400, 9].repeat(4)
    );
}

#[test]
fn rounding_modes_of_stores_are_heeded() {
    let words = kernel(
        32,
        "%half_ptr = OpTypePointer CrossWorkgroup %f16
%third = OpConstant %f32 0.333333343",
        &[("to", "%half_ptr")],
        "%s1 = OpExtInst %void %cl vstore_half_r %third %u0 %to RTZ
%s2 = OpExtInst %void %cl vstore_half_r %third %u1 %to RTP
%s3 = OpExtInst %void %cl vstore_half_r %third %u2 %to RTE
%result = OpCopyObject %u32 %index",
    );
    let run = Run::new(&words)
        .argument(0, &[0u16; 3])
        .argument(1, &[0u32]);
    let out = run.dispatch([1, 1, 1]).unwrap();
    // A third lies between 0x3555 and 0x3556, nearer to the first.
    assert_eq!(out.argument::<u16>("to"), [0x3555, 0x3556, 0x3555]);
}

#[test]
fn components_are_shuffled_by_a_mask_that_is_no_constant() {
    gives(
        "",
        &[],
        "%v = OpCompositeConstruct %v4u32 %u10 %u5 %u3 %u2
%w = OpCompositeConstruct %v4u32 %u272 %u1 %u0 %u4
%next = OpIAdd %u32 %index %u1
%mask = OpCompositeConstruct %v2u32 %index %next
%one = OpExtInst %v2u32 %cl shuffle %v %mask
%two = OpExtInst %v2u32 %cl shuffle2 %v %w %mask
%a = OpCompositeExtract %u32 %one 0
%b = OpCompositeExtract %u32 %one 1
%c = OpCompositeExtract %u32 %two 0
%d = OpCompositeExtract %u32 %two 1
%x = OpIAdd %u32 %a %b
%y = OpIAdd %u32 %x %c
%result = OpIAdd %u32 %y %d",
        |run| run,
        |index| {
            let both = [10, 5, 3, 2, 272, 1, 0, 4];
            let at = |index: u32, count: u32| both[(index % count) as usize];
            at(index, 4) + at(index + 1, 4) + at(index, 8) + at(index + 1, 8)
        },
    );
}

#[test]
fn select_asks_for_the_highest_bit_of_components_only() {
    gives(
        "%high = OpConstant %u32 0x80000000",
        &[],
        "%a = OpCompositeConstruct %v2u32 %u1 %u1
%b = OpCompositeConstruct %v2u32 %u2 %u2
%c = OpCompositeConstruct %v2u32 %high %u1
%v = OpExtInst %v2u32 %cl select %a %b %c
%first = OpCompositeExtract %u32 %v 0
%second = OpCompositeExtract %u32 %v 1
%scalar = OpExtInst %u32 %cl select %u3 %u4 %u1
%tens = OpIMul %u32 %first %u10
%sum = OpIAdd %u32 %tens %second
%more = OpIMul %u32 %scalar %u272
%result = OpIAdd %u32 %sum %more",
        |run| run,
        |_| 21 + 4 * 272,
    );
}
