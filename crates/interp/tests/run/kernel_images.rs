//! Images and samplers that are arguments of kernels.

use spirvkit_eval::Texel;
use spirvkit_interp::{Dimension, Image, Run, Sampler};

use crate::kernels::kernel;
use crate::picture::{finding, format};
use crate::shader::SIZES;

const GLOBALS: &str = "%reads = OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly
%writes = OpTypeImage %void 2D 0 0 0 0 Unknown WriteOnly
%sampler = OpTypeSampler
%sampled = OpTypeSampledImage %reads
%f0 = OpConstant %f32 0
%literal = OpConstantSampler %sampler ClampToEdge 0 Nearest
%border = OpConstantSampler %sampler Clamp 0 Nearest";

/// An image of two by two texels with the numbers 1 to 4 in red.
fn image() -> Image {
    let image = Image::new(Dimension::D2, format("R32_UINT"), [2, 2, 1]);
    image.numbers(&[1u32, 2, 3, 4])
}

/// Runs a kernel for four work items.
fn run(of: &Run<'_>, size: u32) -> spirvkit_interp::Outcome {
    let run = of.clone().argument("out", &[0u32; 4]).subgroup_size(size);
    run.local_size([4, 1, 1]).dispatch([1, 1, 1]).unwrap()
}

fn gives(of: &Run<'_>, expected: [u32; 4]) {
    for size in SIZES {
        let out = run(of, size);
        assert!(out.findings.is_empty(), "{:?}", out.findings);
        assert_eq!(out.argument::<u32>("out"), expected);
    }
}

const PLACE: &str = "%x = OpUMod %u32 %index %u2
%y = OpUDiv %u32 %index %u2
%at = OpCompositeConstruct %v2u32 %x %y
";

/// Without optimization, compilers keep arguments in variables.
#[test]
fn images_and_samplers_may_be_in_variables() {
    let globals = format!(
        "{GLOBALS}
%ptr_image = OpTypePointer Function %reads
%ptr_sampler = OpTypePointer Function %sampler"
    );
    let body = format!(
        "%kept_image = OpVariable %ptr_image Function
%kept_sampler = OpVariable %ptr_sampler Function
OpStore %kept_image %image
OpStore %kept_sampler %given
{PLACE}%again = OpLoad %reads %kept_image Aligned 8
%how = OpLoad %sampler %kept_sampler
%both = OpSampledImage %sampled %again %how
%texel = OpImageSampleExplicitLod %v4u32 %both %at Lod %f0
%result = OpCompositeExtract %u32 %texel 0"
    );
    let parameters = [("image", "%reads"), ("given", "%sampler")];
    let words = kernel(64, &globals, &parameters, &body);
    let sampler = Sampler::default().unnormalized(true);
    let run = Run::new(&words).image_argument("image", image());
    gives(&run.sampler_argument("given", sampler), [1, 2, 3, 4]);
}

#[test]
fn images_are_read_with_and_without_samplers() {
    let body = format!(
        "{PLACE}%texel = OpImageRead %v4u32 %image %at
%result = OpCompositeExtract %u32 %texel 0"
    );
    let words = kernel(64, GLOBALS, &[("image", "%reads")], &body);
    let run = Run::new(&words).image_argument("image", image());
    gives(&run, [1, 2, 3, 4]);
    for sampler in ["%literal", "%given"] {
        let body = format!(
            "{PLACE}%both = OpSampledImage %sampled %image {sampler}
%beyond = OpIAdd %u32 %x %u1
%right = OpCompositeConstruct %v2u32 %beyond %y
%texel = OpImageSampleExplicitLod %v4u32 %both %right Lod %f0
%result = OpCompositeExtract %u32 %texel 0"
        );
        let parameters = [("image", "%reads"), ("given", "%sampler")];
        let words = kernel(64, GLOBALS, &parameters, &body);
        let edges = [spirvkit_interp::AddressMode::ClampToEdge; 3];
        let given = Sampler::default().unnormalized(true).address_modes(edges);
        let run = Run::new(&words)
            .image_argument(0, image())
            .sampler_argument(1, given);
        gives(&run, [2, 2, 4, 4]);
    }
    let body = format!(
        "{PLACE}%both = OpSampledImage %sampled %image %border
%coordinates = OpConvertUToF %v2f32 %at
%left = OpFSub %v2f32 %coordinates %one
%texel = OpImageSampleExplicitLod %v4u32 %both %left Lod %f0
%result = OpCompositeExtract %u32 %texel 0"
    );
    let globals =
        format!("{GLOBALS}\n%f1 = OpConstant %f32 1\n%one = OpConstantComposite %v2f32 %f1 %f0");
    let words = kernel(32, &globals, &[("image", "%reads")], &body);
    gives(
        &Run::new(&words).image_argument("image", image()),
        [0, 1, 0, 3],
    );
}

#[test]
fn images_are_written_and_asked() {
    let body = format!(
        "{PLACE}%nine = OpIAdd %u32 %index %u3
%texel = OpCompositeConstruct %v4u32 %nine %u0 %u0 %u0
OpImageWrite %image %at %texel
%extent = OpImageQuerySizeLod %v2u32 %image %u0
%width = OpCompositeExtract %u32 %extent 0
%type = OpImageQueryFormat %u32 %image
%order = OpImageQueryOrder %u32 %image
%sum = OpIAdd %u32 %width %type
%result = OpIAdd %u32 %sum %order"
    );
    let words = kernel(64, GLOBALS, &[("image", "%writes")], &body);
    for size in SIZES {
        let out = run(&Run::new(&words).image_argument("image", image()), size);
        out.assert_clean();
        // Unsigned integers of 32 bits are 12, and red alone is 0.
        assert_eq!(out.argument::<u32>("out"), [14; 4]);
        let texels: Vec<Texel> = out.image_argument("image").unwrap().texels().collect();
        assert_eq!(
            texels,
            [3, 4, 5, 6].map(|red| Texel::Unsigned([red, 0, 0, 1]))
        );
        assert_eq!(out.image_argument(0), out.image_argument("image"));
    }
}

#[test]
fn access_qualifiers_hold() {
    let body = format!(
        "{PLACE}%texel = OpCompositeConstruct %v4u32 %u0 %u0 %u0 %u0
OpImageWrite %image %at %texel
%result = OpCopyObject %u32 %u0"
    );
    let words = kernel(64, GLOBALS, &[("image", "%reads")], &body);
    let out = run(&Run::new(&words).image_argument("image", image()), 4);
    assert_eq!(finding(&out).0, "run.read-only");
    let run = Run::new(&words)
        .argument("out", &[0u32; 4])
        .local_size([4, 1, 1]);
    let error = run.clone().dispatch([1, 1, 1]).unwrap_err().to_string();
    assert!(
        error.contains("argument 0, `image`, has no image"),
        "{error}"
    );
    let run = run.sampler_argument("image", Sampler::default());
    let error = run.dispatch([1, 1, 1]).unwrap_err().to_string();
    assert!(
        error.contains("argument 0, `image`, has no image"),
        "{error}"
    );
}
