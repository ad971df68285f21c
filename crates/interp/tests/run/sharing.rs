//! Memory that has several names.

use spirvkit_interp::Run;

use crate::shader::{SIZES, gives, shader};

#[test]
fn bindings_share_a_buffer() {
    let words = shader("", "%result = OpIAdd %u32 %value %index");
    let inputs: Vec<u32> = (0..64).map(|it| it * 10).collect();
    let expected: Vec<u32> = (0..64).map(|it| it * 11).collect();
    for size in SIZES {
        let run = Run::new(&words).subgroup_size(size).storage(0, 0, &inputs);
        let out = run.share((0, 1, 0), (0, 0, 0)).dispatch([1, 1, 1]).unwrap();
        out.assert_clean();
        assert_eq!(out.read::<u32>(0, 0), expected);
        assert_eq!(out.read::<u32>(0, 1), expected);
        assert_eq!(out.element(0, 1, 0), out.element(0, 0, 0));
        assert_eq!(out.element(0, 2, 0), None);
    }
}

/// `SPV_KHR_workgroup_memory_explicit_layout`: all blocks begin at one place.
#[test]
fn blocks_of_workgroups_share_their_memory() {
    let globals = "\
OpDecorate %words Block
OpMemberDecorate %words 0 Offset 0
OpDecorate %word_array ArrayStride 4
OpDecorate %halves Block
OpMemberDecorate %halves 0 Offset 0
OpDecorate %half_array ArrayStride 2
OpDecorate %one Aliased
OpDecorate %two Aliased
%u16 = OpTypeInt 16 0
%u128 = OpConstant %u32 128
%word_array = OpTypeArray %u32 %u64
%half_array = OpTypeArray %u16 %u128
%words = OpTypeStruct %word_array
%halves = OpTypeStruct %half_array
%ptr_words = OpTypePointer Workgroup %words
%ptr_halves = OpTypePointer Workgroup %halves
%ptr_half = OpTypePointer Workgroup %u16
%one = OpVariable %ptr_words Workgroup
%two = OpVariable %ptr_halves Workgroup";
    let (decorations, types): (Vec<&str>, Vec<&str>) =
        globals.lines().partition(|line| line.starts_with("Op"));
    let body = "\
%one_at = OpAccessChain %ptr_shared %one %u0 %index
OpStore %one_at %value
%twice = OpIMul %u32 %index %u2
%high = OpIAdd %u32 %twice %u1
%two_at = OpAccessChain %ptr_half %two %u0 %high
%half = OpLoad %u16 %two_at
%result = OpUConvert %u32 %half";
    // Decorations before types are where they belong, but the assembler takes any order.
    let globals = [types, decorations].concat().join("\n");
    gives(
        &globals,
        body,
        &[0x1234_5678, 0xffff_0000, 7],
        |_, value| value >> 16,
    );
}
