//! Samples of images, with values by hand.

use spirvkit_interp::{
    AddressMode, BorderColor, CompareOp, Dimension, Filter, Image, Reduction, Run, Sampler, Swizzle,
};

use crate::picture::{finding, floats, format, picture, run};

/// The types of a sampled image of a dimension.
fn sampled(image: &str) -> String {
    format!(
        "%image_type = OpTypeImage %f32 {image} 1 Unknown
%sampled = OpTypeSampledImage %image_type
%ptr_image = OpTypePointer UniformConstant %sampled
%image = OpVariable %ptr_image UniformConstant
%sampler = OpConstantNull %i32"
    )
}

/// A shader that samples an image of a type with coordinates of so many floats and operands.
fn shader(image: &str, coordinates: usize, instruction: &str) -> Vec<u32> {
    picture("", &sampled(image), &body(coordinates, instruction))
}

fn body(coordinates: usize, instruction: &str) -> String {
    let at = match coordinates {
        1 => String::from("%at = OpCopyObject %f32 %x"),
        2 => String::from("%at = OpCompositeConstruct %v2f32 %x %y"),
        3 => String::from("%at = OpCompositeConstruct %v3f32 %x %y %z"),
        _ => String::from("%at = OpCompositeConstruct %v4f32 %x %y %z %w"),
    };
    let result = match instruction.contains("Dref") && !instruction.contains("Gather") {
        true => "%texel = OpCompositeConstruct %v4f32 %value %f0 %f0 %f0",
        false => "%texel = OpCopyObject %v4f32 %value",
    };
    format!(
        "%i = OpLoad %sampled %image
{at}
%value = {instruction}
{result}
%result = OpBitcast %v4i32 %texel"
    )
}

const EXPLICIT: &str = "OpImageSampleExplicitLod %v4f32 %i %at Lod %p";

/// A row of texels with these numbers in red.
fn row(numbers: &[f32]) -> Image {
    let size = [numbers.len() as u32, 1, 1];
    Image::new(Dimension::D1, format("R32_SFLOAT"), size).numbers(numbers)
}

fn reds(texels: &[[f32; 4]]) -> Vec<f32> {
    texels.iter().map(|texel| texel[0]).collect()
}

#[test]
fn address_modes_go_on_beyond_the_edges() {
    let words = shader("1D 0 0 0", 1, EXPLICIT);
    // The middles of texels of an image of three, from three before to three behind it.
    let inputs: Vec<[f32; 1]> = (-3..6).map(|at| [(at as f32 + 0.5) / 3.0]).collect();
    let inputs: Vec<&[f32]> = inputs.iter().map(|it| &it[..]).collect();
    let rows = [
        (AddressMode::Repeat, [1., 2., 3., 1., 2., 3., 1., 2., 3.]),
        (
            AddressMode::MirroredRepeat,
            [3., 2., 1., 1., 2., 3., 3., 2., 1.],
        ),
        (
            AddressMode::ClampToEdge,
            [1., 1., 1., 1., 2., 3., 3., 3., 3.],
        ),
        (
            AddressMode::ClampToBorder,
            [9., 9., 9., 1., 2., 3., 9., 9., 9.],
        ),
        (
            AddressMode::MirrorClampToEdge,
            [3., 2., 1., 1., 2., 3., 3., 3., 3.],
        ),
    ];
    for (mode, expected) in rows {
        let sampler = Sampler::default()
            .address_modes([mode; 3])
            .border_color(BorderColor::Float([9.0; 4]));
        for filter in [Filter::Nearest, Filter::Linear] {
            // In the middle of a texel both filters give it alone, but for rounding.
            let sampler = sampler.clone().mag_filter(filter).min_filter(filter);
            let run = Run::new(&words).sampled_image(0, 0, row(&[1.0, 2.0, 3.0]), sampler);
            let found = reds(&floats(&run, &inputs));
            for (found, expected) in found.iter().zip(expected) {
                assert!(
                    (found - expected).abs() < 1e-5,
                    "{mode:?} {filter:?}: {found}"
                );
            }
        }
    }
}

#[test]
fn linear_filters_weight_texels() {
    let words = shader("2D 0 0 0", 2, EXPLICIT);
    let image = Image::new(Dimension::D2, format("R32_SFLOAT"), [2, 2, 1]);
    let image = image.numbers(&[0.0f32, 16.0, 32.0, 64.0]);
    let sampler = Sampler::default()
        .mag_filter(Filter::Linear)
        .address_modes([AddressMode::ClampToEdge; 3]);
    let run = Run::new(&words).sampled_image(0, 0, image.clone(), sampler.clone());
    let inputs: [&[f32]; 5] = [
        &[0.25, 0.25],
        &[0.5, 0.25],
        &[0.5, 0.5],
        &[0.375, 0.25],
        &[0.0, 1.0],
    ];
    let expected = [0.0, 8.0, 28.0, 4.0, 32.0];
    assert_eq!(reds(&floats(&run, &inputs)), expected);
    // The border weighs as much as texels do.
    let sampler = sampler
        .address_modes([AddressMode::ClampToBorder; 3])
        .border_color(BorderColor::OpaqueWhite);
    let run = Run::new(&words).sampled_image(0, 0, image.clone(), sampler.clone());
    let found = floats(&run, &[&[1.0, 0.25], &[0.0, 0.0]]);
    assert_eq!(reds(&found), [8.5, 0.75]);
    // Components that the format doesn't have are no part of the border.
    assert_eq!(found[0][1..], [0.0, 0.0, 1.0]);
    for (reduction, expected) in [(Reduction::Min, [0.0, 0.0]), (Reduction::Max, [64.0, 0.0])] {
        let sampler = Sampler::default()
            .mag_filter(Filter::Linear)
            .reduction(reduction);
        let run = Run::new(&words).sampled_image(0, 0, image.clone(), sampler);
        // In the middle of a texel the others have no weight.
        assert_eq!(reds(&floats(&run, &[&[0.5, 0.5], &[0.25, 0.25]])), expected);
    }
}

#[test]
fn boxes_are_filtered_in_three_dimensions() {
    let words = shader("3D 0 0 0", 3, EXPLICIT);
    let image = Image::new(Dimension::D3, format("R32_SFLOAT"), [2, 2, 2]);
    let image = image.numbers(&[0.0f32, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    let sampler = Sampler::default().mag_filter(Filter::Linear);
    let run = Run::new(&words).sampled_image(0, 0, image, sampler);
    let found = floats(
        &run,
        &[&[0.5, 0.5, 0.5], &[0.75, 0.25, 0.5], &[0.25, 0.25, 0.75]],
    );
    assert_eq!(reds(&found), [3.5, 3.0, 4.0]);
}

#[test]
fn normalized_and_swizzled_components() {
    let words = shader("2D 0 0 0", 2, EXPLICIT);
    let image = Image::new(Dimension::D2, format("R8G8B8A8_UNORM"), [1, 1, 1])
        .bytes(vec![255, 51, 102, 0])
        .swizzle([Swizzle::Blue, Swizzle::One, Swizzle::Zero, Swizzle::Green]);
    let run = Run::new(&words).sampled_image(0, 0, image, Sampler::default());
    assert_eq!(floats(&run, &[&[0.5, 0.5]]), [[0.4, 1.0, 0.0, 0.2]]);
}

/// A square of 4, 2 and 1 texels, with 0, 10 and 20 in red.
fn mips() -> Image {
    let mut numbers = vec![0.0f32; 16];
    numbers.extend([10.0; 4]);
    numbers.push(20.0);
    let image = Image::new(Dimension::D2, format("R32_SFLOAT"), [4, 4, 1]);
    image.levels(3).numbers(&numbers)
}

#[test]
fn levels_are_chosen_by_lod() {
    let words = shader("2D 0 0 0", 2, EXPLICIT);
    let lods = [-1.0f32, 0.0, 0.5, 0.75, 1.0, 1.5, 2.0, 9.0];
    let inputs: Vec<[f32; 5]> = lods.iter().map(|&lod| [0.5, 0.5, 0.0, 0.0, lod]).collect();
    let inputs: Vec<&[f32]> = inputs.iter().map(|it| &it[..]).collect();
    let of = |sampler: Sampler| {
        let run = Run::new(&words).sampled_image(0, 0, mips(), sampler);
        reds(&floats(&run, &inputs))
    };
    let nearest = Sampler::default();
    assert_eq!(of(nearest.clone()), [0., 0., 0., 10., 10., 10., 20., 20.]);
    let linear = Sampler::default().mip_filter(Filter::Linear);
    assert_eq!(of(linear.clone()), [0., 0., 5., 7.5, 10., 15., 20., 20.]);
    let clamped = linear.clone().min_lod(0.25).max_lod(1.25);
    assert_eq!(of(clamped), [2.5, 2.5, 5., 7.5, 10., 12.5, 12.5, 12.5]);
    assert_eq!(
        of(linear.lod_bias(0.5)),
        [0., 5., 10., 12.5, 15., 20., 20., 20.]
    );
}

#[test]
fn the_filter_depends_on_the_level_of_detail() {
    let words = shader("1D 0 0 0", 1, EXPLICIT);
    let sampler = Sampler::default().min_filter(Filter::Linear);
    let run = Run::new(&words).sampled_image(0, 0, row(&[0.0, 8.0]), sampler);
    // Magnified it is the nearest, minified between two.
    let found = floats(&run, &[&[0.5, 0., 0., 0., 0.0], &[0.5, 0., 0., 0., 0.1]]);
    assert_eq!(reds(&found), [8.0, 4.0]);
}

#[test]
fn gradients_choose_a_level() {
    let globals = sampled("2D 0 0 0");
    let instruction = "OpImageSampleExplicitLod %v4f32 %i %at Grad %dx %dy";
    let gradients =
        "%dx = OpCompositeConstruct %v2f32 %z %w\n%dy = OpCompositeConstruct %v2f32 %p %q\n";
    let words = picture(
        "",
        &globals,
        &(String::from(gradients) + &body(2, instruction)),
    );
    let sampler = Sampler::default().mip_filter(Filter::Linear);
    let run = Run::new(&words).sampled_image(0, 0, mips(), sampler);
    // A quarter of the image is a texel of the first level.
    let found = floats(
        &run,
        &[
            &[0.5, 0.5, 0.25, 0.0, 0.0, 0.25],
            &[0.5, 0.5, 0.5, 0.0, 0.0, 0.25],
            &[0.5, 0.5, 0.0, 0.25, 1.0, 0.0],
            &[0.5, 0.5, 0.0, 0.0, 0.0, 0.0],
        ],
    );
    assert_eq!(reds(&found), [0.0, 10.0, 20.0, 0.0]);
    let bounded = instruction.replace("Grad %dx %dy", "Grad|MinLod %dx %dy %r");
    let words = picture(
        "",
        &globals,
        &(String::from(gradients) + &body(2, &bounded)),
    );
    let run = Run::new(&words).sampled_image(0, 0, mips(), Sampler::default());
    assert_eq!(
        reds(&floats(&run, &[&[0.5, 0.5, 0., 0., 0., 0., 2.0]])),
        [20.0]
    );
}

#[test]
fn layers_are_rounded_and_clamped() {
    let words = shader("2D 0 1 0", 3, EXPLICIT);
    let image = Image::new(Dimension::D2, format("R32_SFLOAT"), [1, 1, 1]).layers(3);
    let image = image.numbers(&[5.0f32, 6.0, 7.0]);
    let run = Run::new(&words).sampled_image(0, 0, image, Sampler::default());
    let layers = [-1.0f32, 0.5, 1.5, 1.4, 7.0];
    let inputs: Vec<[f32; 3]> = layers.iter().map(|&layer| [0.5, 0.5, layer]).collect();
    let inputs: Vec<&[f32]> = inputs.iter().map(|it| &it[..]).collect();
    assert_eq!(reds(&floats(&run, &inputs)), [5.0, 5.0, 7.0, 6.0, 7.0]);
}

#[test]
fn offsets_are_in_texels() {
    let globals = sampled("2D 0 0 0") + "\n%offset = OpConstantComposite %v2i32 %i1 %i0";
    let operands = "OpImageSampleExplicitLod %v4f32 %i %at Lod|ConstOffset %p %offset";
    let words = picture("", &globals, &body(2, operands));
    let image = Image::new(Dimension::D2, format("R32_SFLOAT"), [3, 1, 1]);
    let image = image.numbers(&[1.0f32, 2.0, 3.0]);
    let run = Run::new(&words).sampled_image(0, 0, image, Sampler::default());
    let found = floats(&run, &[&[0.1, 0.5], &[0.5, 0.5], &[0.9, 0.5]]);
    assert_eq!(reds(&found), [2.0, 3.0, 1.0]);
}

#[test]
fn projective_coordinates_are_divided() {
    let instruction = "OpImageSampleProjExplicitLod %v4f32 %i %at Lod %p";
    let words = shader("2D 0 0 0", 3, instruction);
    let image = Image::new(Dimension::D2, format("R32_SFLOAT"), [4, 1, 1]);
    let image = image.numbers(&[1.0f32, 2.0, 3.0, 4.0]);
    let run = Run::new(&words).sampled_image(0, 0, image, Sampler::default());
    let found = floats(
        &run,
        &[&[0.75, 1.0, 2.0], &[0.75, 1.0, 1.0], &[0.75, 1.0, 6.0]],
    );
    assert_eq!(reds(&found), [2.0, 4.0, 1.0]);
}

#[test]
fn depths_are_compared_before_they_are_filtered() {
    let instruction = "OpImageSampleDrefExplicitLod %f32 %i %at %z Lod %p";
    let words = shader("2D 1 0 0", 2, instruction);
    let image = Image::new(Dimension::D2, format("D32_SFLOAT"), [2, 1, 1]);
    let image = image.numbers(&[0.25f32, 0.75]);
    let of = |op: CompareOp, reference: f32| {
        let sampler = Sampler::default()
            .mag_filter(Filter::Linear)
            .compare(Some(op));
        let run = Run::new(&words).sampled_image(0, 0, image.clone(), sampler);
        reds(&floats(&run, &[&[0.5, 0.5, reference]]))[0]
    };
    // Of two texels with the same weight.
    assert_eq!(of(CompareOp::Less, 0.5), 0.5);
    assert_eq!(of(CompareOp::Less, 0.1), 1.0);
    assert_eq!(of(CompareOp::Less, 0.75), 0.0);
    assert_eq!(of(CompareOp::LessOrEqual, 0.75), 0.5);
    assert_eq!(of(CompareOp::Greater, 0.5), 0.5);
    assert_eq!(of(CompareOp::GreaterOrEqual, 0.25), 0.5);
    assert_eq!(of(CompareOp::Equal, 0.25), 0.5);
    assert_eq!(of(CompareOp::NotEqual, 0.25), 0.5);
    assert_eq!(of(CompareOp::Always, 0.0), 1.0);
    assert_eq!(of(CompareOp::Never, 0.0), 0.0);
    // Components change places behind the comparison.
    let swizzled =
        image
            .clone()
            .swizzle([Swizzle::Alpha, Swizzle::Red, Swizzle::Red, Swizzle::One]);
    let sampler = Sampler::default().compare(Some(CompareOp::Never));
    let run = Run::new(&words).sampled_image(0, 0, swizzled, sampler);
    assert_eq!(reds(&floats(&run, &[&[0.5, 0.5, 0.0]])), [1.0]);
    // A reference for normalized depths is between 0 and 1.
    let image = Image::new(Dimension::D2, format("D16_UNORM"), [1, 1, 1]).numbers(&[0xffffu16]);
    let sampler = Sampler::default().compare(Some(CompareOp::Equal));
    let run = Run::new(&words).sampled_image(0, 0, image.clone(), sampler);
    assert_eq!(reds(&floats(&run, &[&[0.5, 0.5, 3.0]])), [1.0]);
    let projective = "OpImageSampleProjDrefExplicitLod %f32 %i %at %w Lod %p";
    let words = shader("2D 1 0 0", 3, projective);
    let sampler = Sampler::default().compare(Some(CompareOp::Equal));
    let run = Run::new(&words).sampled_image(0, 0, image, sampler);
    assert_eq!(
        reds(&floats(
            &run,
            &[&[1.0, 1.0, 2.0, 2.0], &[1.0, 1.0, 4.0, 2.0]]
        )),
        [1.0, 0.0]
    );
}

/// A cube whose faces have 100 times their number, and 1 to 4 in their texels.
fn cube() -> Image {
    let face = |face: u32| (1..5).map(move |texel| (face * 100 + texel) as f32);
    let numbers: Vec<f32> = (0..6).flat_map(face).collect();
    Image::new(Dimension::Cube, format("R32_SFLOAT"), [2, 2, 1]).numbers(&numbers)
}

#[test]
fn faces_of_cubes_and_their_seams() {
    let words = shader("Cube 0 0 0", 3, EXPLICIT);
    let run = Run::new(&words).sampled_image(0, 0, cube(), Sampler::default());
    // A little towards the first texel of each face.
    let found = floats(
        &run,
        &[
            &[1.0, 0.5, 0.5],
            &[-1.0, 0.5, -0.5],
            &[-0.5, 1.0, -0.5],
            &[-0.5, -1.0, 0.5],
            &[-0.5, 0.5, 1.0],
            &[0.5, 0.5, -1.0],
        ],
    );
    assert_eq!(reds(&found), [1.0, 101.0, 201.0, 301.0, 401.0, 501.0]);
    let linear = Sampler::default().mag_filter(Filter::Linear);
    let run = Run::new(&words).sampled_image(0, 0, cube(), linear);
    let found = floats(
        &run,
        &[&[0.0, 0.0, 1.0], &[1.0, 0.5, 1.0], &[1.0, 1.0, 1.0]],
    );
    // The middle of a face is the average of its texels. On the edge between positive z and
    // positive x their texels side by side have the same weight. In the corner there are only
    // three, the average of which stands for the fourth.
    let corner = (402.0 + 1.0 + 204.0) / 3.0;
    let expected = [
        402.5,
        (402.0 + 1.0) / 2.0,
        (402.0 + 1.0 + 204.0 + corner) / 4.0,
    ];
    for (found, expected) in reds(&found).iter().zip(expected) {
        assert!((found - expected).abs() < 1e-3, "{found} {expected}");
    }
}

#[test]
fn arrays_of_cubes() {
    let words = shader("Cube 0 1 0", 4, EXPLICIT);
    let image = Image::new(Dimension::Cube, format("R32_SFLOAT"), [1, 1, 1]).layers(12);
    let numbers: Vec<f32> = (0..12).map(|it| it as f32).collect();
    let run = Run::new(&words).sampled_image(0, 0, image.numbers(&numbers), Sampler::default());
    let found = floats(
        &run,
        &[
            &[0.0, 1.0, 0.0, 1.0],
            &[0.0, 0.0, -1.0, 0.0],
            &[-1.0, 0.0, 0.0, 9.0],
        ],
    );
    assert_eq!(reds(&found), [8.0, 5.0, 7.0]);
}

#[test]
fn gathers_begin_at_the_lower_left() {
    let words = shader("2D 0 0 0", 2, "OpImageGather %v4f32 %i %at %i1");
    let image = Image::new(Dimension::D2, format("R32G32_SFLOAT"), [2, 2, 1]);
    let image = image.numbers(&[0.0f32, 1.0, 0.0, 2.0, 0.0, 3.0, 0.0, 4.0]);
    let run = Run::new(&words).sampled_image(0, 0, image.clone(), Sampler::default());
    assert_eq!(floats(&run, &[&[0.5, 0.5]]), [[3.0, 4.0, 2.0, 1.0]]);
    let globals = sampled("2D 0 0 0")
        + "\n%u4 = OpConstant %u32 4
%offsets_type = OpTypeArray %v2i32 %u4
%o00 = OpConstantComposite %v2i32 %i0 %i0
%o10 = OpConstantComposite %v2i32 %i1 %i0
%o01 = OpConstantComposite %v2i32 %i0 %i1
%o22 = OpConstantComposite %v2i32 %i2 %i2
%offsets = OpConstantComposite %offsets_type %o00 %o10 %o01 %o22";
    let instruction = "OpImageGather %v4f32 %i %at %i1 ConstOffsets %offsets";
    let words = picture("", &globals, &body(2, instruction));
    let run = Run::new(&words).sampled_image(0, 0, image, Sampler::default());
    assert_eq!(floats(&run, &[&[0.5, 0.5]]), [[1.0, 2.0, 3.0, 1.0]]);
    // With an explicit level of detail, they are of the nearest level.
    let levels = Image::new(Dimension::D2, format("R32_SFLOAT"), [2, 2, 1]).levels(2);
    let levels = levels.numbers(&[1.0f32, 2.0, 3.0, 4.0, 5.0]);
    let words = shader("2D 0 0 0", 2, "OpImageGather %v4f32 %i %at %i0 Lod %p");
    let run = Run::new(&words).sampled_image(0, 0, levels, Sampler::default());
    assert_eq!(
        floats(
            &run,
            &[&[0.5, 0.5, 0.0, 0.0, 0.4], &[0.5, 0.5, 0.0, 0.0, 0.6]]
        ),
        [[3.0, 4.0, 2.0, 1.0], [5.0; 4]]
    );
    let words = shader("2D 1 0 0", 2, "OpImageDrefGather %v4f32 %i %at %z");
    let image = Image::new(Dimension::D2, format("D32_SFLOAT"), [2, 2, 1]);
    let image = image.numbers(&[0.1f32, 0.2, 0.3, 0.4]);
    let sampler = Sampler::default().compare(Some(CompareOp::Less));
    let run = Run::new(&words).sampled_image(0, 0, image, sampler);
    assert_eq!(floats(&run, &[&[0.5, 0.5, 0.25]]), [[1.0, 1.0, 0.0, 0.0]]);
}

#[test]
fn coordinates_may_count_texels() {
    let words = shader("2D 0 0 0", 2, EXPLICIT);
    let image = Image::new(Dimension::D2, format("R32_SFLOAT"), [2, 2, 1]);
    let image = image.numbers(&[1.0f32, 2.0, 3.0, 4.0]);
    let sampler = Sampler::default()
        .unnormalized(true)
        .address_modes([AddressMode::ClampToEdge; 3]);
    let bound = Run::new(&words).sampled_image(0, 0, image.clone(), sampler.clone());
    let found = floats(
        &bound,
        &[&[0.5, 0.5], &[1.0, 0.5], &[1.5, 1.9], &[9.0, -1.0]],
    );
    assert_eq!(reds(&found), [1.0, 2.0, 4.0, 2.0]);
    // What needs coordinates from 0 to 1 can't be done with them (Vulkan, "Samplers").
    for (coordinates, instruction) in [
        (2, "OpImageSampleImplicitLod %v4f32 %i %at"),
        (
            2,
            "OpImageSampleExplicitLod %v4f32 %i %at Lod|ConstOffset %p %zeros2",
        ),
        (3, "OpImageSampleProjExplicitLod %v4f32 %i %at Lod %p"),
    ] {
        let globals = sampled("2D 0 0 0") + "\n%zeros2 = OpConstantNull %v2i32";
        let words = picture("", &globals, &body(coordinates, instruction));
        let bound = Run::new(&words).sampled_image(0, 0, image.clone(), sampler.clone());
        let out = run(bound, 4, &[vec![0; 3]]);
        assert_eq!(finding(&out).0, "run.sampler", "{instruction}");
    }
    let repeated = Sampler::default().unnormalized(true);
    let out = run(
        Run::new(&words).sampled_image(0, 0, image, repeated),
        4,
        &[vec![0; 2]],
    );
    assert_eq!(finding(&out).0, "run.sampler");
}

#[test]
fn samplers_that_compare_are_for_comparing_instructions() {
    let image = || Image::new(Dimension::D2, format("D32_SFLOAT"), [1, 1, 1]);
    let words = shader("2D 0 0 0", 2, EXPLICIT);
    let compares = Sampler::default().compare(Some(CompareOp::Less));
    let out = run(
        Run::new(&words).sampled_image(0, 0, image(), compares),
        4,
        &[vec![0; 2]],
    );
    assert_eq!(finding(&out).0, "run.sampler");
    let words = shader(
        "2D 1 0 0",
        2,
        "OpImageSampleDrefExplicitLod %f32 %i %at %z Lod %p",
    );
    let out = run(
        Run::new(&words).sampled_image(0, 0, image(), Sampler::default()),
        4,
        &[vec![0; 2]],
    );
    assert_eq!(finding(&out).0, "run.sampler");
}
