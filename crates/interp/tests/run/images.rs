//! Texels that are read, written and counted with, without a sampler; and what images say of
//! themselves.

use spirvkit_eval::{Format, Texel};
use spirvkit_interp::{Dimension, Image, Run};

use crate::picture::{finding, floats, format, picture, results, run};

/// A variable of images of this type.
fn storage(sampled_type: &str, image: &str, decorations: &str) -> String {
    format!(
        "{decorations}
%image_type = OpTypeImage %{sampled_type} {image}
%ptr_image = OpTypePointer UniformConstant %image_type
%image = OpVariable %ptr_image UniformConstant
%sampler = OpConstantNull %i32"
    )
}

const READ: &str = "%i = OpLoad %image_type %image
%at = OpCompositeConstruct %v2i32 %ix %iy
%texel = OpImageRead %v4f32 %i %at
%result = OpBitcast %v4i32 %texel";

fn words(numbers: &[i32]) -> Vec<u32> {
    numbers.iter().map(|&number| number as u32).collect()
}

#[test]
fn texels_are_read_where_they_are() {
    let shader = picture("", &storage("f32", "2D 0 0 0 2 Rgba8", ""), READ);
    let bytes: Vec<u8> = (0..24).map(|it| it * 10).collect();
    let image = Image::new(Dimension::D2, format("R8G8B8A8_UNORM"), [3, 2, 1]).bytes(bytes);
    let run = Run::new(&shader).image(0, 0, image);
    let found = results(&run, &[words(&[0, 0]), words(&[1, 1])]);
    let share = |byte: u8| (f64::from(byte) / 255.0) as f32;
    let expected = |first: u8| [0, 10, 20, 30].map(|more| share(first + more).to_bits());
    assert_eq!(found, [expected(0), expected(160)]);
}

#[test]
fn what_is_out_of_bounds_is_zero_and_reported() {
    let shader = picture("", &storage("f32", "2D 0 0 0 2 R32f", ""), READ);
    let image = Image::new(Dimension::D2, format("R32_SFLOAT"), [2, 2, 1]).numbers(&[1.0f32; 4]);
    let of = || Run::new(&shader).image(0, 0, image.clone());
    for at in [[2, 0], [-1, 1], [0, i32::MAX], [0, -1]] {
        let out = run(of(), 8, &[words(&at)]);
        let (rule, message) = finding(&out);
        assert_eq!(rule, "run.bounds");
        let place = format!("at ({}, {}, 0)", at[0], at[1]);
        assert!(
            message.contains(&place) && message.contains("2 × 2 × 1"),
            "{message}"
        );
        let texel = &out.read::<f32>(1, 1)[..4];
        // What the format doesn't have is as always.
        assert_eq!(texel, [0.0, 0.0, 0.0, 1.0]);
    }
}

#[test]
fn texels_are_written_in_the_format_of_the_image() {
    let globals = storage("f32", "2D 0 0 0 2 Unknown", "");
    let body = "%i = OpLoad %image_type %image
%at = OpCompositeConstruct %v2i32 %ir %is
%texel = OpCompositeConstruct %v4f32 %x %y %z %w
OpImageWrite %i %at %texel
%result = OpCopyObject %v4i32 %zeros";
    let shader = picture("", &globals, body);
    // Every format that shaders write floating-point numbers to.
    for name in Format::names() {
        let format = format(name);
        if format.is_integer() || format.is_depth_stencil() {
            continue;
        }
        let numbers = [0.25f32, 1.0, -1.0, 0.5];
        let image = Image::new(Dimension::D2, format, [2, 1, 1]);
        let mut input: Vec<u32> = numbers.iter().map(|it| it.to_bits()).collect();
        input.extend([0, 0, 1, 0]);
        let beyond = {
            let mut input = input.clone();
            input[6] = 2;
            input
        };
        let out = run(Run::new(&shader).image(0, 0, image), 4, &[input, beyond]);
        // A write out of bounds is no mistake.
        out.assert_clean();
        assert!(out.findings.is_empty(), "{:?}", out.findings);
        let image = out.image(0, 0).unwrap();
        let mut bytes = vec![0; format.texel_size() as usize];
        format.write(&Texel::Float(numbers.map(f64::from)), &mut bytes);
        // The other two invocations wrote to the first texel.
        let size = bytes.len();
        assert_eq!(image.contents()[size..], bytes, "{name}");
    }
}

#[test]
fn integers_are_written_and_read() {
    let shader = |ty: &str, operand: &str| {
        let body = format!(
            "%i = OpLoad %image_type %image
%at = OpCompositeConstruct %v2i32 %me %i0
%signed = OpCompositeConstruct %v4i32 %ix %iy %iz %iw
%texel = OpBitcast %v4{ty} %signed
OpImageWrite %i %at %texel {operand}
%back = OpImageRead %v4{ty} %i %at
%result = OpBitcast %v4i32 %back"
        );
        picture("", &storage(ty, "2D 0 0 0 2 Unknown", ""), &body)
    };
    let of = |shader: &[u32], name: &str| {
        let image = Image::new(Dimension::D2, format(name), [4, 1, 1]);
        let run = Run::new(shader).image(0, 0, image);
        results(&run, &[words(&[-200, 300, 7, -1])])[0].map(|word| word as i32)
    };
    let signed = shader("i32", "SignExtend");
    assert_eq!(of(&signed, "R32G32B32A32_SINT"), [-200, 300, 7, -1]);
    assert_eq!(of(&signed, "R16G16_SINT"), [-200, 300, 0, 1]);
    // What doesn't fit is the nearest that does.
    assert_eq!(of(&signed, "R8G8B8A8_SINT"), [-128, 127, 7, -1]);
    let unsigned = shader("u32", "ZeroExtend");
    assert_eq!(of(&unsigned, "R8G8_UINT"), [255, 255, 0, 1]);
    assert_eq!(of(&unsigned, "R32_UINT"), [-200, 0, 0, 1]);
}

#[test]
fn layers_levels_and_samples() {
    let globals = storage("f32", "2D 0 1 0 1 Unknown", "");
    let body = "%i = OpLoad %image_type %image
%at = OpCompositeConstruct %v3i32 %ix %iy %iz
%texel = OpImageFetch %v4f32 %i %at Lod %iw
%result = OpBitcast %v4i32 %texel";
    let shader = picture("", &globals, body);
    let numbers: Vec<f32> = (0..10).map(|it| it as f32).collect();
    let image = Image::new(Dimension::D2, format("R32_SFLOAT"), [2, 2, 1]);
    let image = image.layers(2).levels(2).numbers(&numbers);
    let bound = Run::new(&shader).image(0, 0, image);
    let inputs = [[0, 0, 0, 0], [1, 1, 1, 0], [0, 1, 1, 0], [0, 0, 1, 1]].map(|it| words(&it));
    let found = results(&bound, &inputs)
        .into_iter()
        .map(|it| f32::from_bits(it[0]));
    assert_eq!(found.collect::<Vec<_>>(), [0.0, 7.0, 6.0, 9.0]);
    let out = run(bound, 4, &[words(&[1, 0, 0, 1])]);
    assert!(finding(&out).1.contains("level 1"));

    let globals = storage("f32", "2D 0 0 1 2 Unknown", "");
    let body = "%i = OpLoad %image_type %image
%at = OpCompositeConstruct %v2i32 %ix %iy
%texel = OpImageRead %v4f32 %i %at Sample %iz
%result = OpBitcast %v4i32 %texel";
    let shader = picture("", &globals, body);
    let image = Image::new(Dimension::D2, format("R32_SFLOAT"), [2, 1, 1]);
    let image = image.samples(4).numbers(&numbers[..8]);
    let bound = Run::new(&shader).image(0, 0, image);
    let found = results(&bound, &[words(&[0, 0, 3]), words(&[1, 0, 2])]);
    assert_eq!(
        found
            .iter()
            .map(|it| f32::from_bits(it[0]))
            .collect::<Vec<_>>(),
        [3.0, 6.0]
    );
    let out = run(bound, 4, &[words(&[0, 0, 4])]);
    assert!(finding(&out).1.contains("sample 4"));
}

#[test]
fn faces_of_stored_cubes_are_layers() {
    let globals = storage("f32", "Cube 0 0 0 2 R32f", "");
    let body = "%i = OpLoad %image_type %image
%at = OpCompositeConstruct %v3i32 %ix %iy %iz
%texel = OpImageRead %v4f32 %i %at
%result = OpBitcast %v4i32 %texel";
    let shader = picture("", &globals, body);
    let numbers: Vec<f32> = (0..6).map(|it| it as f32).collect();
    let image = Image::new(Dimension::Cube, format("R32_SFLOAT"), [1, 1, 1]).numbers(&numbers);
    let found = results(&Run::new(&shader).image(0, 0, image), &[words(&[0, 0, 5])]);
    assert_eq!(f32::from_bits(found[0][0]), 5.0);
}

#[test]
fn texel_buffers() {
    let globals = storage("f32", "Buffer 0 0 0 1 Unknown", "");
    let body = "%i = OpLoad %image_type %image
%texel = OpImageFetch %v4f32 %i %ix
%result = OpBitcast %v4i32 %texel";
    let shader = picture("", &globals, body);
    let bytes = vec![0, 51, 102, 255, 255, 0, 0, 0, 9];
    let image = Image::texel_buffer(format("R8G8B8A8_UNORM"), bytes);
    assert_eq!(image.size(), [2, 1, 1]);
    let bound = Run::new(&shader).image(0, 0, image);
    let inputs = [&[f32::from_bits(0)][..], &[f32::from_bits(1)]];
    let expected = [[0.0, 0.2, 0.4, 1.0], [1.0, 0.0, 0.0, 0.0]];
    assert_eq!(floats(&bound, &inputs), expected);
    let out = run(bound, 4, &[words(&[2])]);
    assert_eq!(finding(&out).0, "run.bounds");
    assert!(
        finding(&out)
            .1
            .contains("the texel 2 of `image`, which has 2 texels")
    );
}

#[test]
fn texels_are_counted_with() {
    let globals = storage("u32", "2D 0 0 0 2 R32ui", "")
        + "\n%ptr_texel = OpTypePointer Image %u32
%u0 = OpConstant %u32 0";
    let body = "%at = OpCompositeConstruct %v2i32 %ix %i0
%texel = OpImageTexelPointer %ptr_texel %image %at %i0
%number = OpBitcast %u32 %iy
%old = OpAtomicIAdd %u32 %texel %u1 %u0 %number
%before = OpBitcast %i32 %old
%result = OpCompositeConstruct %v4i32 %before %i0 %i0 %i0";
    let shader = picture("", &globals, body);
    let image = Image::new(Dimension::D2, format("R32_UINT"), [2, 1, 1]).numbers(&[10u32, 20]);
    let inputs = [[0, 1], [1, 2], [1, 3], [0, 4]].map(|it| words(&it));
    for size in [4, 8, 32] {
        let out = run(Run::new(&shader).image(0, 0, image.clone()), size, &inputs);
        out.assert_clean();
        let found = out.image(0, 0).unwrap().texels().collect::<Vec<_>>();
        assert_eq!(found, [[15, 0, 0, 1], [25, 0, 0, 1]].map(Texel::Unsigned));
    }
    let out = run(Run::new(&shader).image(0, 0, image), 4, &[words(&[2, 1])]);
    let (rule, message) = finding(&out);
    assert_eq!(rule, "run.bounds");
    assert!(
        message.contains("not in `image`, which has 2 × 1 × 1"),
        "{message}"
    );
    // Atomics are accesses to texels like others.
    for (format_of, is_right) in [("R32_UINT", true), ("R32_SINT", false), ("R8_UINT", false)] {
        let image = Image::new(Dimension::D2, format(format_of), [4, 1, 1]);
        let out = run(Run::new(&shader).image(0, 0, image), 4, &[vec![]]);
        let found = out.findings.iter().any(|it| it.rule() == "run.image");
        assert_eq!(found, !is_right, "{format_of}");
    }
    let unreadable = globals.replacen('\n', "OpDecorate %image NonReadable\n", 1);
    let image = || Image::new(Dimension::D2, format("R32_UINT"), [1, 1, 1]);
    let shader = picture("", &unreadable, body);
    let out = run(Run::new(&shader).image(0, 0, image()), 4, &[vec![]]);
    assert_eq!(finding(&out).0, "run.write-only");
    let store = body.replace(
        "%old = OpAtomicIAdd %u32 %texel %u1 %u0 %number",
        "OpAtomicStore %texel %u1 %u0 %number\n%old = OpCopyObject %u32 %u0",
    );
    let shader = picture("", &unreadable, &store);
    let out = run(Run::new(&shader).image(0, 0, image()), 4, &[vec![]]);
    assert!(out.findings.is_empty(), "{:?}", out.findings);
}

#[test]
fn images_say_how_large_they_are() {
    let globals = storage("f32", "2D 0 1 0 1 Unknown", "")
        + "\n%sampler_type = OpTypeSampler
%sampled = OpTypeSampledImage %image_type";
    let body = "%i = OpLoad %image_type %image
%size = OpImageQuerySizeLod %v3i32 %i %ix
%levels = OpImageQueryLevels %i32 %i
%result = OpCompositeConstruct %v4i32 %size %levels";
    let shader = picture("", &globals, body);
    let image = Image::new(Dimension::D2, format("R8_UNORM"), [6, 3, 1])
        .layers(5)
        .levels(9);
    assert_eq!(image.level_count(), 3, "6, 3 and 1 texels");
    let found = results(
        &Run::new(&shader).image(0, 0, image),
        &[words(&[0]), words(&[1])],
    );
    assert_eq!(found, [[6, 3, 5, 3], [3, 1, 5, 3]]);

    let body = "%i = OpLoad %image_type %image
%size = OpImageQuerySize %v2i32 %i
%samples = OpImageQuerySamples %i32 %i
%result = OpCompositeConstruct %v4i32 %size %samples %i0";
    let shader = picture("", &storage("f32", "2D 0 0 1 2 Unknown", ""), body);
    let image = Image::new(Dimension::D2, format("R8_UNORM"), [6, 3, 1]).samples(8);
    assert_eq!(
        results(&Run::new(&shader).image(0, 0, image), &[vec![]]),
        [[6, 3, 8, 0]]
    );

    let body = "%i = OpLoad %image_type %image
%size = OpImageQuerySize %i32 %i
%result = OpCompositeConstruct %v4i32 %size %i0 %i0 %i0";
    let shader = picture("", &storage("f32", "Buffer 0 0 0 2 Unknown", ""), body);
    let image = Image::texel_buffer(format("R16_UNORM"), vec![0; 14]);
    assert_eq!(
        results(&Run::new(&shader).image(0, 0, image), &[vec![]]),
        [[7, 0, 0, 0]]
    );

    let body = "%i = OpLoad %image_type %image
%size = OpImageQuerySize %v3i32 %i
%result = OpCompositeConstruct %v4i32 %size %i0";
    let shader = picture("", &storage("f32", "Cube 0 1 0 2 Unknown", ""), body);
    let image = Image::new(Dimension::Cube, format("R8_UNORM"), [4, 4, 1]).layers(12);
    assert_eq!(
        results(&Run::new(&shader).image(0, 0, image), &[vec![]]),
        [[4, 4, 2, 0]]
    );
}

#[test]
fn arrays_of_images_by_an_index() {
    let globals = "%image_type = OpTypeImage %f32 2D 0 0 0 2 R32f
%u3 = OpConstant %u32 3
%images = OpTypeArray %image_type %u3
%ptr_images = OpTypePointer UniformConstant %images
%ptr_image = OpTypePointer UniformConstant %image_type
%image = OpVariable %ptr_images UniformConstant
%sampler = OpConstantNull %i32";
    let body = "%one = OpAccessChain %ptr_image %image %ix
%i = OpLoad %image_type %one
%at = OpCompositeConstruct %v2i32 %i0 %i0
%texel = OpImageRead %v4f32 %i %at
%result = OpBitcast %v4i32 %texel";
    let shader = picture("", globals, body);
    let image =
        |number: f32| Image::new(Dimension::D2, format("R32_SFLOAT"), [1, 1, 1]).numbers(&[number]);
    let bound = (0..3).fold(Run::new(&shader), |run, element| {
        run.image_element(0, 0, element, image(element as f32 + 0.5))
    });
    let found = results(&bound, &[2, 0, 1, 2].map(|index| words(&[index])));
    let found: Vec<f32> = found.iter().map(|it| f32::from_bits(it[0])).collect();
    assert_eq!(found, [2.5, 0.5, 1.5, 2.5]);
    let out = run(bound.clone(), 4, &[words(&[3])]);
    assert!(out.findings.iter().any(|found| found.rule() == "run.index"));
    // What is written to one is not in the others.
    let body = body.replace("%texel = OpImageRead %v4f32 %i %at", "%new = OpCompositeConstruct %v4f32 %y %y %y %y\nOpImageWrite %i %at %new\n%texel = OpImageRead %v4f32 %i %at");
    let shader = picture("", globals, &body);
    let bound = (0..3).fold(Run::new(&shader), |run, element| {
        run.image_element(0, 0, element, image(1.0))
    });
    let input = |index, number: f32| vec![index, number.to_bits()];
    let out = run(
        bound,
        4,
        &[input(2, 8.0), input(1, 4.0), input(1, 4.0), input(2, 8.0)],
    );
    out.assert_clean();
    let red = |element| {
        out.image_element(0, 0, element)
            .unwrap()
            .texel([0; 3], 0, 0, 0)
    };
    let texel = |number| Some(Texel::Float([number, 0.0, 0.0, 1.0]));
    assert_eq!([0, 1, 2].map(red), [texel(1.0), texel(4.0), texel(8.0)]);
}

#[test]
fn functions_take_images() {
    let globals = "%image_type = OpTypeImage %f32 2D 0 0 0 1 Unknown
%sampler_type = OpTypeSampler
%sampled = OpTypeSampledImage %image_type
%ptr_image = OpTypePointer UniformConstant %image_type
%ptr_sampler = OpTypePointer UniformConstant %sampler_type
OpDecorate %other DescriptorSet 0
OpDecorate %other Binding 1
%image = OpVariable %ptr_image UniformConstant
%sampler = OpVariable %ptr_sampler UniformConstant
%other = OpVariable %ptr_sampler UniformConstant
%take = OpTypeFunction %v4f32 %ptr_image %sampler_type %v2f32
%look = OpFunction %v4f32 None %take
%p_image = OpFunctionParameter %ptr_image
%p_sampler = OpFunctionParameter %sampler_type
%p_at = OpFunctionParameter %v2f32
%look_entry = OpLabel
%loaded = OpLoad %image_type %p_image
%both = OpSampledImage %sampled %loaded %p_sampler
%looked = OpImageSampleExplicitLod %v4f32 %both %p_at Lod %f0
OpReturnValue %looked
OpFunctionEnd";
    let body = "%at = OpCompositeConstruct %v2f32 %x %y
%s0 = OpLoad %sampler_type %sampler
%s1 = OpLoad %sampler_type %other
%nearest = OpFunctionCall %v4f32 %look %image %s0 %at
%linear = OpFunctionCall %v4f32 %look %image %s1 %at
%sum = OpVectorShuffle %v4f32 %nearest %linear 0 4 1 5
%result = OpBitcast %v4i32 %sum";
    let shader = picture("", globals, body);
    let image = Image::new(Dimension::D2, format("R32G32_SFLOAT"), [2, 1, 1]);
    let image = image.numbers(&[0.0f32, 10.0, 1.0, 20.0]);
    let linear = spirvkit_interp::Sampler::default().mag_filter(spirvkit_interp::Filter::Linear);
    let run = Run::new(&shader)
        .sampled_image(0, 0, image, spirvkit_interp::Sampler::default())
        .sampler(0, 1, linear);
    assert_eq!(floats(&run, &[&[0.5, 0.5]]), [[1.0, 0.5, 20.0, 15.0]]);
}

#[test]
fn sparse_accesses_say_that_all_is_resident() {
    let globals = storage("f32", "2D 0 0 0 1 Unknown", "") + "\n%both = OpTypeStruct %i32 %v4f32";
    let body = "%i = OpLoad %image_type %image
%at = OpCompositeConstruct %v2i32 %ix %iy
%pair = OpImageSparseFetch %both %i %at
%code = OpCompositeExtract %i32 %pair 0
%resident = OpImageSparseTexelsResident %bool %code
%yes = OpSelect %i32 %resident %i1 %i0
%red = OpCompositeExtract %f32 %pair 1 0
%word = OpBitcast %i32 %red
%result = OpCompositeConstruct %v4i32 %yes %word %i0 %i0";
    let shader = picture("", &globals, body);
    let image = Image::new(Dimension::D2, format("R32_SFLOAT"), [1, 1, 1]).numbers(&[2.5f32]);
    let found = results(&Run::new(&shader).image(0, 0, image), &[words(&[0, 0])]);
    assert_eq!(found, [[1, 2.5f32.to_bits(), 0, 0]]);
}

#[test]
fn formats_and_declarations_have_to_match() {
    let image = |name: &str| Image::new(Dimension::D2, format(name), [1, 1, 1]);
    let shader = picture("", &storage("f32", "2D 0 0 0 2 Rgba8", ""), READ);
    let out = run(
        Run::new(&shader).image(0, 0, image("B8G8R8A8_UNORM")),
        4,
        &[vec![]],
    );
    assert_eq!(finding(&out).0, "run.image");
    assert!(
        finding(&out)
            .1
            .contains("B8G8R8A8_UNORM, but is declared with R8G8B8A8_UNORM")
    );
    let shader = picture("", &storage("f32", "2D 0 0 0 2 Unknown", ""), READ);
    let out = run(
        Run::new(&shader).image(0, 0, image("R32_UINT")),
        4,
        &[vec![]],
    );
    assert_eq!(finding(&out).0, "run.image");

    // An access is signed as its operands say, else as the type does (Vulkan, "Signedness of
    // SPIR-V Image Accesses").
    for (ty, operand, is_signed) in [
        ("i32", "", true),
        ("u32", "", false),
        ("i32", "ZeroExtend", false),
        ("u32", "SignExtend", true),
    ] {
        let read = format!(
            "%i = OpLoad %image_type %image
%at = OpCompositeConstruct %v2i32 %ix %iy
%texel = OpImageRead %v4{ty} %i %at {operand}
%result = OpBitcast %v4i32 %texel"
        );
        let shader = picture("", &storage(ty, "2D 0 0 0 2 Unknown", ""), &read);
        for (name, is) in [("R8_SINT", true), ("R8_UINT", false)] {
            let out = run(Run::new(&shader).image(0, 0, image(name)), 4, &[vec![]]);
            let found = out.findings.iter().any(|it| it.rule() == "run.image");
            assert_eq!(found, is != is_signed, "{ty} {operand} {name}");
        }
    }

    let shader = picture(
        "",
        &storage("f32", "2D 0 0 0 2 R32f", "OpDecorate %image NonReadable"),
        READ,
    );
    let out = run(
        Run::new(&shader).image(0, 0, image("R32_SFLOAT")),
        4,
        &[vec![]],
    );
    assert_eq!(finding(&out).0, "run.write-only");
    let write = "%i = OpLoad %image_type %image
%at = OpCompositeConstruct %v2i32 %ix %iy
%texel = OpCompositeConstruct %v4f32 %f1 %f1 %f1 %f1
OpImageWrite %i %at %texel
%result = OpCopyObject %v4i32 %zeros";
    let shader = picture(
        "",
        &storage("f32", "2D 0 0 0 2 R32f", "OpDecorate %image NonWritable"),
        write,
    );
    let out = run(
        Run::new(&shader).image(0, 0, image("R32_SFLOAT")),
        4,
        &[vec![]],
    );
    assert_eq!(finding(&out).0, "run.read-only");
    assert!(out.bytes(0, 0).is_empty(), "an image is no buffer");
    assert_eq!(out.image(0, 0).unwrap().contents(), [0; 4]);
}

#[test]
fn what_is_bound_has_to_suit_the_variable() {
    let shader = picture("", &storage("f32", "2D 0 0 0 2 R32f", ""), READ);
    let message = |run: Run<'_>| {
        let run = run.storage(1, 0, &[0u32; 32]).zeroed(1, 1, 64);
        run.dispatch([1, 1, 1]).unwrap_err().to_string()
    };
    assert!(message(Run::new(&shader)).contains("`image` at set 0, binding 0 has no image"));
    let image = Image::new(Dimension::D3, format("R32_SFLOAT"), [1, 1, 1]);
    let errors = Run::new(&shader).image(0, 0, image.clone());
    let errors = errors.zeroed(1, 1, 64).dispatch([1, 1, 1]).unwrap_err();
    let errors: Vec<&str> = errors.iter().map(|error| error.message()).collect();
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(errors[0].ends_with("at set 1, binding 0 has no buffer"));
    assert!(errors[1].contains("dimension"));
    assert!(message(Run::new(&shader).image(0, 0, image)).contains("dimension"));
    let image = Image::new(Dimension::D2, format("R32_SFLOAT"), [1, 1, 1]).samples(2);
    assert!(message(Run::new(&shader).image(0, 0, image)).contains("samples"));
    let image = Image::new(Dimension::D2, format("R32_SFLOAT"), [u32::MAX, u32::MAX, 1]);
    assert!(message(Run::new(&shader).image(0, 0, image)).contains("too large"));
}

/// In the memory model `Vulkan`, texels are private unless image operands say otherwise.
#[test]
fn private_texels_race_in_the_strict_mode() {
    let globals = storage("f32", "2D 0 0 0 2 R32f", "")
        + "\n%u2 = OpConstant %u32 2
%image_memory = OpConstant %u32 0x808
%all = OpConstant %u32 0x6808";
    let strict = |write: &str, semantics: &str, read: &str| {
        let body = format!(
            "%i = OpLoad %image_type %image
%at = OpCompositeConstruct %v2i32 %me %i0
%new = OpCompositeConstruct %v4f32 %x %x %x %x
OpImageWrite %i %at %new {write}
OpControlBarrier %u2 %u2 {semantics}
%next = OpBitwiseXor %i32 %me %i1
%there = OpCompositeConstruct %v2i32 %next %i0
%texel = OpImageRead %v4f32 %i %there {read}
%result = OpBitcast %v4i32 %texel"
        );
        let text = spirvkit_text::disassemble(&picture("", &globals, &body), &Default::default());
        let text = text.unwrap().text;
        let text = text.replace("Logical GLSL450", "Logical Vulkan").replacen(
            "OpCapability Shader",
            "OpCapability Shader\nOpCapability VulkanMemoryModel",
            1,
        );
        let words = spirvkit_text::assemble(&text, &Default::default());
        let words = words.unwrap().words;
        let image = Image::new(Dimension::D2, format("R32_SFLOAT"), [4, 1, 1]);
        let bound = Run::new(&words).image(0, 0, image).race(true).strict(true);
        let inputs: Vec<Vec<u32>> = (0..4).map(|it| vec![it]).collect();
        let out = run(bound, 4, &inputs);
        let messages = out.findings.iter().map(|found| found.message().to_owned());
        messages.collect::<Vec<_>>().join("\n")
    };
    let shared = "NonPrivateTexel";
    let available = "MakeTexelAvailable|NonPrivateTexel %u2";
    let visible = "MakeTexelVisible|NonPrivateTexel %u2";
    assert_eq!(strict(available, "%image_memory", visible), "");
    assert_eq!(strict(shared, "%all", shared), "");
    assert!(strict("", "%all", "").contains("private"));
    assert!(strict(shared, "%all", "").contains("private"));
    assert!(strict(shared, "%image_memory", visible).contains("`MakeAvailable`"));
    assert!(strict(available, "%image_memory", shared).contains("`MakeVisible`"));
}

#[test]
fn races_on_texels_are_found() {
    let globals = storage("f32", "2D 0 0 0 2 R32f", "")
        + "\n%u2 = OpConstant %u32 2
%image_memory = OpConstant %u32 0x808
%workgroup_memory = OpConstant %u32 0x108";
    let body = |semantics: &str| {
        format!(
            "%i = OpLoad %image_type %image
%at = OpCompositeConstruct %v2i32 %me %i0
%new = OpCompositeConstruct %v4f32 %x %x %x %x
OpImageWrite %i %at %new
OpControlBarrier %u2 %u2 {semantics}
%next = OpBitwiseXor %i32 %me %i1
%there = OpCompositeConstruct %v2i32 %next %i0
%texel = OpImageRead %v4f32 %i %there
%result = OpBitcast %v4i32 %texel"
        )
    };
    let image = || Image::new(Dimension::D2, format("R32_SFLOAT"), [4, 1, 1]);
    let inputs: Vec<Vec<u32>> = [1.0f32, 2.0, 3.0, 4.0]
        .map(|it| vec![it.to_bits()])
        .to_vec();
    let shader = picture("", &globals, &body("%image_memory"));
    let out = run(
        Run::new(&shader).image(0, 0, image()).race(true),
        4,
        &inputs,
    );
    assert!(out.findings.is_empty(), "{:?}", out.findings);
    assert_eq!(out.read::<f32>(1, 1)[4], 1.0);
    let shader = picture("", &globals, &body("%workgroup_memory"));
    let out = run(
        Run::new(&shader).image(0, 0, image()).race(true),
        4,
        &inputs,
    );
    let (rule, message) = finding(&out);
    assert_eq!(rule, "run.race");
    assert!(message.contains("`image`"), "{message}");
    // All write to the same texel, the same or not.
    let write = "%i = OpLoad %image_type %image
%at = OpCompositeConstruct %v2i32 %i0 %i0
%new = OpCompositeConstruct %v4f32 %x %x %x %x
OpImageWrite %i %at %new
%result = OpCopyObject %v4i32 %zeros";
    let shader = picture("", &globals, write);
    let of = |inputs: &[Vec<u32>], accepts: bool| {
        let bound = Run::new(&shader).image(0, 0, image()).race(true);
        run(bound.same_value(accepts), 4, inputs).findings.len()
    };
    assert_eq!(of(&inputs, false), 1);
    assert_eq!(of(&inputs, true), 1);
    let same = vec![inputs[0].clone(); 4];
    assert_eq!(of(&same, false), 1);
    assert_eq!(of(&same, true), 0);
}
