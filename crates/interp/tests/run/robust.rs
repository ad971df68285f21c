//! Accesses out of bounds that are allowed (Vulkan, "Robust Buffer Access 2").

use spirvkit_interp::{Dimension, Image, Outcome, Run};

use crate::picture::{self, format, picture};
use crate::shader::{SIZES, shader};

/// Runs a shader on a buffer of so many bytes, each of which is 7.
fn robust(words: &[u32], size: u32, bytes: usize) -> Outcome {
    let run = Run::new(words).robust(true).subgroup_size(size);
    let run = run.storage(0, 0, &vec![7u8; bytes]).zeroed(0, 1, 256);
    run.dispatch([1, 1, 1]).unwrap()
}

/// The findings' rules.
fn rules(out: &Outcome) -> Vec<&str> {
    out.findings.iter().map(|found| found.rule()).collect()
}

#[test]
fn reads_beyond_the_end_are_zero() {
    // A part of a number that is there doesn't count.
    for (bytes, whole) in [(256, 64), (255, 63), (253, 63), (252, 63), (3, 0), (0, 0)] {
        for size in SIZES {
            let words = shader("", "%result = OpCopyObject %u32 %value");
            let out = robust(&words, size, bytes);
            let expected: Vec<u32> = (0..64)
                .map(|index| if index < whole { 0x0707_0707 } else { 0 })
                .collect();
            assert_eq!(out.read::<u32>(0, 1), expected, "{bytes} bytes");
            assert_eq!(rules(&out), [""; 0]);
        }
    }
}

#[test]
fn offsets_do_not_wrap() {
    let globals = "%quarter = OpConstant %u32 0x40000000
%most = OpConstant %u32 0xffffffff";
    let body = "%at = OpAccessChain %ptr_element %in %u0 %quarter
%first = OpLoad %u32 %at
OpStore %at %u5
%far = OpAccessChain %ptr_element %in %u0 %most
%second = OpLoad %u32 %far
OpStore %far %u5
%result = OpIAdd %u32 %first %second";
    for size in SIZES {
        let out = robust(&shader(globals, body), size, 256);
        assert_eq!(out.read::<u32>(0, 1), [0; 64]);
        assert_eq!(out.bytes(0, 0), [7; 256]);
        assert_eq!(rules(&out), [""; 0]);
    }
}

#[test]
fn writes_beyond_the_end_are_lost() {
    let body = "%next = OpIAdd %u32 %index %u1
%at = OpAccessChain %ptr_element %in %u0 %next
OpStore %at %u5
%result = OpCopyObject %u32 %u0";
    for size in SIZES {
        let out = robust(&shader("", body), size, 255);
        let mut expected = vec![7, 7, 7, 7];
        expected.extend([5, 0, 0, 0].repeat(62));
        expected.extend([7, 7, 7]);
        assert_eq!(out.bytes(0, 0), expected);
        assert_eq!(rules(&out), [""; 0]);
    }
}

#[test]
fn atomics_beyond_the_end_change_nothing() {
    let body = "%at = OpAccessChain %ptr_element %in %u0 %u64
%old = OpAtomicIAdd %u32 %at %u1 %u0 %u5
%result = OpCopyObject %u32 %old";
    for size in SIZES {
        let out = robust(&shader("", body), size, 256);
        assert_eq!(out.bytes(0, 0), [7; 256]);
        assert_eq!(rules(&out), [""; 0]);
    }
}

/// What a type declares is a promise that robustness doesn't lift.
#[test]
fn indexes_beyond_what_a_type_declares_are_found() {
    let globals = "OpDecorate %uniform DescriptorSet 0
OpDecorate %uniform Binding 2
OpDecorate %uniforms Block
OpMemberDecorate %uniforms 0 Offset 0
OpDecorate %array4 ArrayStride 16
%array4 = OpTypeArray %u32 %u4
%uniforms = OpTypeStruct %array4
%ptr_uniforms = OpTypePointer Uniform %uniforms
%ptr_uniform = OpTypePointer Uniform %u32
%uniform = OpVariable %ptr_uniforms Uniform";
    let body = |index: &str| {
        format!(
            "%at = OpAccessChain %ptr_uniform %uniform %u0 {index}
%result = OpLoad %u32 %at"
        )
    };
    let run = |index: &str, is_robust| {
        let words = shader(globals, &body(index));
        let run = Run::new(&words).robust(is_robust).storage(0, 2, &[9u32; 9]);
        let run = run.storage(0, 0, &[5u32; 64]).zeroed(0, 1, 256);
        run.dispatch([1, 1, 1]).unwrap()
    };
    // The buffer ends with its third element.
    let out = run("%u2", true);
    assert_eq!(out.read::<u32>(0, 1), [9; 64]);
    assert_eq!(rules(&out), [""; 0]);
    let out = run("%u3", true);
    assert_eq!(out.read::<u32>(0, 1), [0; 64]);
    assert_eq!(rules(&out), [""; 0]);
    assert_eq!(rules(&run("%u3", false)), ["run.bounds"]);
    assert_eq!(rules(&run("%value", true)), ["run.index"]);
}

#[test]
fn texels_out_of_bounds_have_what_their_format_lacks() {
    let globals = "%image_type = OpTypeImage %f32 2D 0 0 0 2 R32f
%ptr_image = OpTypePointer UniformConstant %image_type
%image = OpVariable %ptr_image UniformConstant
%sampler = OpConstantNull %i32";
    let body = "%i = OpLoad %image_type %image
%at = OpCompositeConstruct %v2i32 %ix %iy
%texel = OpImageRead %v4f32 %i %at
%result = OpBitcast %v4i32 %texel";
    let shader = picture("", globals, body);
    let image = Image::new(Dimension::D2, format("R32_SFLOAT"), [2, 2, 1]).numbers(&[1.0f32; 4]);
    let bound = Run::new(&shader).robust(true).image(0, 0, image);
    for size in [4, 8, 32] {
        let out = picture::run(
            bound.clone(),
            size,
            &[vec![2, 0], vec![1, 1], vec![0, u32::MAX]],
        );
        assert_eq!(rules(&out), [""; 0]);
        let texels = out.read::<f32>(1, 1);
        let outside = [0.0, 0.0, 0.0, 1.0];
        assert_eq!(
            texels[..12],
            [outside, [1.0, 0.0, 0.0, 1.0], outside].concat()
        );
    }
}
