//! Derivatives in compute shaders, and the samples that depend on them.

use spirvkit_interp::{Dimension, Filter, Image, Run, Sampler};

use crate::picture::{floats, format, picture};

const LINEAR: &str = "OpExecutionMode %main DerivativeGroupLinearKHR";

/// What six derivatives of the negative product of two coordinates are in a workgroup of 4 by
/// 4, for each invocation by its index, and the coordinates.
fn products(mode: &str, size: u32) -> Vec<[f32; 8]> {
    let modes = format!(
        "OpExecutionMode %main {mode}
OpExecutionMode %main LocalSize 4 4 1"
    );
    let ops = [
        "DPdxFine",
        "DPdxCoarse",
        "DPdyFine",
        "DPdyCoarse",
        "FwidthFine",
        "FwidthCoarse",
    ];
    let mut body = String::from(
        "%row = OpCompositeExtract %u32 %id_value 1
%fx = OpConvertUToF %f32 %me_unsigned
%fy = OpConvertUToF %f32 %row
%product = OpFMul %f32 %fx %fy
%value = OpFNegate %f32 %product
%row_signed = OpBitcast %i32 %row
%rows = OpIMul %i32 %row_signed %i4
%index = OpIAdd %i32 %rows %me
%twice = OpIMul %i32 %index %i2
%first = OpIAdd %i32 %twice %i4
%second = OpIAdd %i32 %first %i1
",
    );
    for (index, op) in ops.iter().enumerate() {
        body += &format!("%d{index} = Op{op} %f32 %value\n");
    }
    body += "%a = OpCompositeConstruct %v4f32 %d0 %d1 %d2 %d3
%b = OpCompositeConstruct %v4f32 %d4 %d5 %fx %fy
%first_at = OpAccessChain %ptr_result %out %i0 %first
%second_at = OpAccessChain %ptr_result %out %i0 %second
%a_words = OpBitcast %v4i32 %a
%b_words = OpBitcast %v4i32 %b
OpStore %first_at %a_words
OpStore %second_at %b_words
%result = OpCopyObject %v4i32 %zeros";
    let image = "%image = OpConstantNull %i32\n%sampler = OpConstantNull %i32";
    let words = picture(&modes, image, &body);
    let run = Run::new(&words).subgroup_size(size);
    let run = run.storage(1, 0, &[0u32; 32]).zeroed(1, 1, (4 + 32) * 16);
    let out = run.dispatch([1, 1, 1]).unwrap();
    assert!(out.findings.is_empty(), "{:?}", out.findings);
    let numbers = out.read::<f32>(1, 1);
    let each = numbers[16..].chunks(8);
    each.map(|it| it.try_into().unwrap()).collect()
}

#[test]
fn squares_of_invocations_are_quads() {
    for size in [4, 8, 32] {
        for (index, found) in products("DerivativeGroupQuadsKHR", size).iter().enumerate() {
            let (x, y) = ((index % 4) as f32, (index / 4) as f32);
            let even = |number: f32| number - number % 2.0;
            let expected = [-y, -even(y), -x, -even(x), x + y, even(x) + even(y), x, y];
            assert_eq!(found, &expected, "{index} of {size}");
        }
    }
}

#[test]
fn four_invocations_in_a_line_are_quads() {
    for size in [4, 8, 32] {
        for (index, found) in products("DerivativeGroupLinearKHR", size)
            .iter()
            .enumerate()
        {
            let (x, y) = ((index % 4) as f32, (index / 4) as f32);
            // From one to the next it is -y, to the one below twice as much.
            let expected = [-y, -y, -2.0 * y, -2.0 * y, 3.0 * y, 3.0 * y, x, y];
            assert_eq!(found, &expected, "{index} of {size}");
        }
    }
}

#[test]
fn derivatives_need_quads() {
    let globals = "%image = OpConstantNull %i32\n%sampler = OpConstantNull %i32";
    let body = "%d = OpDPdx %f32 %x\n%word = OpBitcast %i32 %d
%result = OpCompositeConstruct %v4i32 %word %word %word %word";
    let words = picture("", globals, body);
    let errors = Run::new(&words).dispatch([1, 1, 1]).unwrap_err().into_vec();
    assert_eq!(errors[0].rule(), "run.unsupported");
    let words = picture(LINEAR, globals, body);
    assert_eq!(
        floats(&Run::new(&words), &[&[1.0], &[4.0], &[0.5], &[0.0]]),
        [[3.0; 4], [3.0; 4], [-0.5; 4], [-0.5; 4]]
    );
    let quads = "OpExecutionMode %main DerivativeGroupQuadsKHR";
    let errors = Run::new(&picture(quads, globals, body))
        .dispatch([1, 1, 1])
        .unwrap_err();
    assert!(errors.to_string().contains("quads"));
}

const GLOBALS: &str = "%image_type = OpTypeImage %f32 2D 0 0 0 1 Unknown
%sampled = OpTypeSampledImage %image_type
%ptr_image = OpTypePointer UniformConstant %sampled
%image = OpVariable %ptr_image UniformConstant
%sampler = OpConstantNull %i32";

/// A square of 4, 2 and 1 texels, with 0, 10 and 20 in red.
fn mips() -> Image {
    let mut numbers = vec![0.0f32; 16];
    numbers.extend([10.0; 4]);
    numbers.push(20.0);
    let image = Image::new(Dimension::D2, format("R32_SFLOAT"), [4, 4, 1]);
    image.levels(3).numbers(&numbers)
}

#[test]
fn the_steps_of_a_quad_choose_the_level() {
    let sample = "%i = OpLoad %sampled %image
%at = OpCompositeConstruct %v2f32 %x %y
%texel = OpImageSampleImplicitLod %v4f32 %i %at
%result = OpBitcast %v4i32 %texel";
    let sampler = Sampler::default().mip_filter(Filter::Linear);
    let reds = |words: &[u32], step: [f32; 2]| {
        let run = Run::new(words).sampled_image(0, 0, mips(), sampler.clone());
        let [x, y] = step;
        let inputs = [
            [0.1, 0.1],
            [0.1 + x, 0.1],
            [0.1, 0.1 + y],
            [0.1 + x, 0.1 + y],
        ];
        let inputs: Vec<&[f32]> = inputs.iter().map(|it| &it[..]).collect();
        let found = floats(&run, &inputs);
        let red = found[0][0];
        assert!(
            found.iter().all(|texel| (texel[0] - red).abs() < 1e-4),
            "{found:?}"
        );
        red.round()
    };
    let words = picture(LINEAR, GLOBALS, sample);
    assert_eq!(reds(&words, [0.25, 0.25]), 0.0);
    assert_eq!(reds(&words, [0.5, 0.125]), 10.0);
    assert_eq!(reds(&words, [0.0, 1.0]), 20.0);
    let with = |operands: &str| sample.replace("%i %at", &format!("%i %at {operands}"));
    let words = picture(LINEAR, GLOBALS, &with("Bias %f1"));
    assert_eq!(reds(&words, [0.25, 0.25]), 10.0);
    let words = picture(LINEAR, GLOBALS, &with("MinLod %f1"));
    assert_eq!(reds(&words, [0.125, 0.125]), 10.0);
    // Without quads there are no derivatives.
    let words = picture("", GLOBALS, sample);
    assert_eq!(reds(&words, [1.0, 1.0]), 0.0);
}

#[test]
fn the_level_of_detail_can_be_asked_for() {
    let body = "%i = OpLoad %sampled %image
%at = OpCompositeConstruct %v2f32 %x %y
%lod = OpImageQueryLod %v2f32 %i %at
%words = OpBitcast %v2i32 %lod
%result = OpVectorShuffle %v4i32 %words %words 0 1 0 1";
    let words = picture(LINEAR, GLOBALS, body);
    let of = |sampler: Sampler, step: f32| {
        let run = Run::new(&words).sampled_image(0, 0, mips(), sampler);
        let found = floats(
            &run,
            &[&[0.0, 0.0], &[step, 0.0], &[0.0, step], &[step, step]],
        );
        assert!(found.iter().all(|it| it == &found[0]));
        [found[0][0], found[0][1]]
    };
    let linear = Sampler::default().mip_filter(Filter::Linear);
    assert_eq!(of(linear.clone(), 0.5), [1.0, 1.0]);
    assert_eq!(of(linear.clone(), 4.0), [2.0, 4.0]);
    assert_eq!(of(linear.max_lod(1.5), 1.0), [1.5, 2.0]);
    assert_eq!(of(Sampler::default(), 1.0 / 16.0), [0.0, -2.0]);
}

#[test]
fn projected_coordinates_have_derivatives_of_their_own() {
    let body = "%i = OpLoad %sampled %image
%at = OpCompositeConstruct %v3f32 %x %y %z
%texel = OpImageSampleProjImplicitLod %v4f32 %i %at
%result = OpBitcast %v4i32 %texel";
    let words = picture(LINEAR, GLOBALS, body);
    let run = Run::new(&words).sampled_image(0, 0, mips(), Sampler::default());
    // The coordinates are the same, but what they are divided by isn't: half of the image.
    let found = floats(
        &run,
        &[
            &[1.0, 0.0, 1.0],
            &[1.0, 0.0, 2.0],
            &[1.0, 0.0, 1.0],
            &[1.0, 0.0, 2.0],
        ],
    );
    assert!(found.iter().all(|texel| texel[0] == 10.0), "{found:?}");
}

#[test]
fn quads_are_squares_for_quad_operations_too() {
    let modes = "OpExecutionMode %main DerivativeGroupQuadsKHR
OpExecutionMode %main LocalSize 2 4 1";
    let image = "%image = OpConstantNull %i32\n%sampler = OpConstantNull %i32
%u0 = OpConstant %u32 0
%u2 = OpConstant %u32 2
%u3 = OpConstant %u32 3";
    let body = "%row = OpCompositeExtract %u32 %id_value 1
%double = OpIMul %u32 %row %u2
%index = OpIAdd %u32 %double %me_unsigned
%across = OpGroupNonUniformQuadSwap %u32 %u3 %index %u0
%down = OpGroupNonUniformQuadSwap %u32 %u3 %index %u1
%last = OpGroupNonUniformQuadBroadcast %u32 %u3 %index %u3
%all = OpCompositeConstruct %v4u32 %index %across %down %last
%place = OpIAdd %u32 %index %u2
%place_at = OpAccessChain %ptr_result %out %i0 %place
%words = OpBitcast %v4i32 %all
OpStore %place_at %words
%result = OpCopyObject %v4i32 %zeros";
    let words = picture(modes, image, body);
    for size in [4, 8, 32] {
        let run = Run::new(&words).subgroup_size(size);
        let run = run.storage(1, 0, &[0u32; 32]).zeroed(1, 1, 10 * 16);
        let out = run.dispatch([1, 1, 1]).unwrap();
        for (index, found) in (0..).zip(out.read::<u32>(1, 1)[8..].chunks(4)) {
            // The index is twice the row and the column.
            let first = index / 4 * 4;
            assert_eq!(found, [index, index ^ 1, index ^ 2, first + 3]);
        }
    }
}
