//! Images that go into `spv run` and come out of it.

use std::io::Cursor;

use png::{BitDepth, ColorType, Decoder, Encoder};

use crate::common::Dir;

/// Copies each texel of `from` to `to`.
const SHADER: &str = "OpCapability Shader
OpCapability StorageImageExtendedFormats
OpCapability StorageImageWriteWithoutFormat
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %id
OpExecutionMode %main LocalSize 1 1 1
OpName %from \"from\"
OpName %to \"to\"
OpDecorate %id BuiltIn WorkgroupId
OpDecorate %from DescriptorSet 0
OpDecorate %from Binding 0
OpDecorate %to DescriptorSet 0
OpDecorate %to Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%i32 = OpTypeInt 32 1
%f32 = OpTypeFloat 32
%v3u32 = OpTypeVector %u32 3
%v2u32 = OpTypeVector %u32 2
%NUMBER4 = OpTypeVector %NUMBER 4
%from_type = OpTypeImage %NUMBER 2D 0 0 0 2 FROM
%to_type = OpTypeImage %NUMBER 2D 0 0 0 2 TO
%ptr_from = OpTypePointer UniformConstant %from_type
%ptr_to = OpTypePointer UniformConstant %to_type
%ptr_id = OpTypePointer Input %v3u32
%id = OpVariable %ptr_id Input
%from = OpVariable %ptr_from UniformConstant
%to = OpVariable %ptr_to UniformConstant
%main = OpFunction %void None %fn
%entry = OpLabel
%three = OpLoad %v3u32 %id
%at = OpVectorShuffle %v2u32 %three %three 0 1
%source = OpLoad %from_type %from
%texel = OpImageRead %NUMBER4 %source %at
%target = OpLoad %to_type %to
OpImageWrite %target %at %texel
OpReturn
OpFunctionEnd
";

/// A directory with the shader, for images of a number's type in these formats.
fn dir(number: &str, from: &str, to: &str) -> Dir {
    let dir = Dir::new();
    let text = SHADER.replace("NUMBER", number).replace("FROM", from);
    dir.write("a.spvasm", text.replace("TO", to));
    dir
}

/// A picture of three by two texels.
fn picture(color: ColorType, depth: BitDepth, samples: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, 3, 2);
    encoder.set_color(color);
    encoder.set_depth(depth);
    if color == ColorType::Indexed {
        encoder.set_palette(&[10, 20, 30, 40, 50, 60][..]);
    }
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(samples).unwrap();
    writer.finish().unwrap();
    file
}

/// The colours, bits and samples of a picture of three by two texels.
fn read(file: &[u8]) -> (ColorType, BitDepth, Vec<u8>) {
    let mut reader = Decoder::new(Cursor::new(file)).read_info().unwrap();
    let mut samples = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut samples).unwrap();
    assert_eq!((frame.width, frame.height), (3, 2));
    (frame.color_type, frame.bit_depth, samples)
}

/// Copies a picture to an image that is given by its format and size.
fn copied(dir: &Dir, from: &[u8], to: &str) -> (ColorType, BitDepth, Vec<u8>) {
    dir.write("from.png", from);
    let to = format!("to={to}:3x2");
    let ran = dir.spv(&[
        "run",
        "a.spvasm",
        "--bind",
        "from=from.png",
        "--bind",
        &to,
        "--dispatch",
        "3,2",
        "--out",
        "to=to.png",
    ]);
    assert_eq!(ran.text(), "");
    read(&dir.read("to.png"))
}

#[test]
fn all_kinds_of_pictures_are_read() {
    let eight = BitDepth::Eight;
    let dir = dir("f32", "Rgba8", "Rgba8");
    let texels = |texel: fn(u8) -> [u8; 4]| (0..6).flat_map(texel).collect::<Vec<u8>>();
    let rgba = texels(|it| [it, it + 10, it + 20, it + 30]);
    let given = picture(ColorType::Rgba, eight, &rgba);
    assert_eq!(
        copied(&dir, &given, "rgba8"),
        (ColorType::Rgba, eight, rgba)
    );
    let rgb: Vec<u8> = (0..6).flat_map(|it| [it, it + 10, it + 20]).collect();
    let opaque = texels(|it| [it, it + 10, it + 20, 255]);
    let given = picture(ColorType::Rgb, eight, &rgb);
    assert_eq!(copied(&dir, &given, "rgba8").2, opaque);
    let given = picture(ColorType::Grayscale, eight, &[0, 1, 2, 3, 4, 5]);
    let grey = texels(|it| [it, it, it, 255]);
    assert_eq!(copied(&dir, &given, "R8G8B8A8_UNORM").2, grey);
    let shades: Vec<u8> = (0..6).flat_map(|it| [it, it + 7]).collect();
    let given = picture(ColorType::GrayscaleAlpha, eight, &shades);
    assert_eq!(
        copied(&dir, &given, "rgba8").2,
        texels(|it| [it, it, it, it + 7])
    );
    // Two colours, one bit for each texel: 1, 0, 1 and 0, 1, 0.
    let given = picture(
        ColorType::Indexed,
        BitDepth::One,
        &[0b1010_0000, 0b0100_0000],
    );
    let [first, second] = [[10, 20, 30, 255], [40, 50, 60, 255]];
    let expected = [second, first, second, first, second, first].concat();
    assert_eq!(copied(&dir, &given, "rgba8").2, expected);
}

#[test]
fn samples_are_shares_of_the_largest() {
    let wide = BitDepth::Sixteen;
    let samples: Vec<u8> = [0u16, 1, 256, 0x8000, 0xfffe, 0xffff]
        .iter()
        .flat_map(|it| it.to_be_bytes())
        .collect();
    let given = picture(ColorType::Grayscale, wide, &samples);
    let dir_wide = dir("f32", "R16", "R32f");
    assert_eq!(
        copied(&dir_wide, &given, "r32f"),
        (ColorType::Grayscale, wide, samples)
    );
    // Eight bits become sixteen, and the other way round.
    let given = picture(
        ColorType::Grayscale,
        BitDepth::Eight,
        &[0, 1, 2, 128, 254, 255],
    );
    let expected: Vec<u8> = [0, 1, 2, 128, 254, 255]
        .iter()
        .flat_map(|&it| [it, it])
        .collect();
    assert_eq!(copied(&dir_wide, &given, "r32f").2, expected);
    let narrow = dir("f32", "Rg16", "Rg8");
    let (color, depth, samples) = copied(&narrow, &given, "rg8");
    assert_eq!((color, depth), (ColorType::Rgb, BitDepth::Eight));
    assert_eq!(samples[9..15], [128, 128, 0, 254, 254, 0]);
}

#[test]
fn samples_are_integers_in_formats_of_integers() {
    let given = picture(
        ColorType::Grayscale,
        BitDepth::Eight,
        &[0, 1, 2, 128, 254, 255],
    );
    let dir = dir("u32", "Rgba8ui", "R32ui");
    let (color, depth, samples) = copied(&dir, &given, "r32ui");
    assert_eq!((color, depth), (ColorType::Grayscale, BitDepth::Sixteen));
    assert_eq!(samples, [0, 0, 0, 1, 0, 2, 0, 128, 0, 254, 0, 255]);
    let shown = [
        "run",
        "a.spvasm",
        "--bind",
        "from=from.png",
        "--bind",
        "to=r32ui:3x2",
        "--dispatch",
        "3,2",
        "--print",
        "to",
        "--print",
        "from[3..5]",
        "--print",
        "to:u8[12..15]",
    ];
    let expected = "to: 0 1 2 128 254 255\n\
                    from: [[128,128,128,255],[254,254,254,255]]\nto: 128 0 0\n";
    assert_eq!(dir.spv(&shown).text(), expected);
}

#[test]
fn raw_texels_have_a_format_and_a_size() {
    let dir = dir("f32", "R32f", "R32f");
    let numbers: Vec<u8> = [0.5f32, -1.0, 0.25, 2.0, 0.0, 1.0]
        .iter()
        .flat_map(|it| it.to_le_bytes())
        .collect();
    dir.write("texels.bin", &numbers);
    let with = |rest: &[&str]| {
        let bound = [
            "run",
            "a.spvasm",
            "--bind",
            "from=r32f:3x2:texels.bin",
            "--bind",
            "to=r32f:3x2",
            "--dispatch",
            "3,2",
        ];
        dir.spv(&[&bound[..], rest].concat())
    };
    assert_eq!(with(&["--print", "to"]).text(), "to: 0.5 -1 0.25 2 0 1\n");
    assert_eq!(with(&["--out", "to=to.bin"]).text(), "");
    assert_eq!(dir.read("to.bin"), numbers);
    let ran = with(&["--out", "to=to.png"]);
    ran.fails(1, "the texel at (1, 0) is -1, which a PNG can't hold");
    assert!(!dir.files().contains(&"to.png".to_owned()));
}

#[test]
fn what_is_no_picture_is_refused() {
    let dir = dir("f32", "Rgba8", "Rgba8");
    let fails = |from: &str, code, message: &str| {
        let ran = dir.spv(&["run", "a.spvasm", "--bind", from, "--bind", "to=rgba8:3x2"]);
        ran.fails(code, message);
    };
    let whole = picture(ColorType::Rgb, BitDepth::Eight, &[7; 18]);
    for length in [0, 8, 20, whole.len() / 2, whole.len() - 14] {
        dir.write("from.png", &whole[..length]);
        fails("from=from.png", 1, "can't be read as PNG");
    }
    // It says that it has 2³¹ - 1 columns and rows.
    let mut huge = whole.clone();
    huge[16..24].copy_from_slice(&[0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff]);
    dir.write("from.png", &huge);
    fails("from=from.png", 1, "from.png: ");
    fails("from=missing.png", 1, "missing.png");
    fails("from=f32:1,2", 1, "this is an image");
    fails("from=[1]", 1, "this is an image");
    fails("from=rgba8:3x2:from.png", 1, "the image takes 24 bytes");
    fails("from=rgba8:65536x65536", 1, "is too large");
    fails("from=rgba8:0x2", 2, "`0x2` is not a size");
    fails("from=rgba8:1x2x3", 1, "3 numbers are too many");
    fails("from=sampler:linear", 1, "this takes no sampler");
    fails("from=sampler:cubic", 2, "`cubic` is not nearest");
    let buffer = [
        "run",
        "a.spvasm",
        "--bind",
        "from=rgba8:3x2",
        "--bind",
        "to=rgba8:3x2",
    ];
    let ran = dir.spv(&[&buffer[..], &["--out", "to=to.npy"]].concat());
    assert_eq!(ran.code, 1);
}

#[test]
fn images_are_sampled() {
    let dir = Dir::new();
    let text = SHADER
        .replace("NUMBER", "f32")
        .replace("2D 0 0 0 2 FROM", "2D 0 0 0 1 Unknown")
        .replace("2 TO", "2 R32f")
        .replace("%ptr_from = OpTypePointer UniformConstant %from_type",
            "%sampled = OpTypeSampledImage %from_type\n%ptr_from = OpTypePointer UniformConstant %sampled\n%v2f32 = OpTypeVector %f32 2\n%half = OpConstant %f32 0.5\n%middle = OpConstantComposite %v2f32 %half %half\n%zero = OpConstant %f32 0")
        .replace("OpLoad %from_type", "OpLoad %sampled")
        .replace("OpImageRead %f324 %source %at", "OpImageSampleExplicitLod %f324 %source %middle Lod %zero");
    dir.write("a.spvasm", text);
    dir.write("from.bin", [0, 255]);
    let with = |rest: &[&str]| {
        let bound = [
            "run",
            "a.spvasm",
            "--bind",
            "from=r8:2x1:from.bin",
            "--bind",
            "to=r32f:1x1",
            "--print",
            "to",
        ];
        dir.spv(&[&bound[..], rest].concat()).text().to_owned()
    };
    assert_eq!(with(&[]), "to: 1\n");
    assert_eq!(with(&["--bind", "from=sampler:linear,clamp"]), "to: 0.5\n");
}

/// Behind the sides of an image come its layers.
#[test]
fn layers_are_given_behind_the_sides() {
    let dir = Dir::new();
    let text = SHADER
        .replace("NUMBER", "f32")
        .replace("2D 0 0 0 2 FROM", "2D 0 1 0 2 R8")
        .replace("2D 0 0 0 2 TO", "Cube 0 1 0 2 R8")
        .replace("%v2u32 %three %three 0 1", "%v3u32 %three %three 0 1 2");
    dir.write("a.spvasm", text);
    dir.write("from.bin", [1, 2, 3, 4, 5, 6]);
    let with = |from: &str, to: &str| {
        let run = ["run", "a.spvasm", "--dispatch", "1,1,3", "--print", "to:u8"];
        dir.spv(&[&run[..], &["--bind", from, "--bind", to]].concat())
    };
    let ran = with("from=r8:2x1x3:from.bin", "to=r8:1x1x6");
    assert_eq!(ran.text(), "to: 1 3 5 0 0 0\n");
    let fails = |from, to, message| with(from, to).fails(1, message);
    fails("from=r8:2x1x3x1", "to=r8:1x1x6", "4 numbers are too many");
    fails("from=r8:2x1x3", "to=r8:1x2x6", "squares");
    fails("from=r8:2x1x3", "to=r8:1x1x7", "six layers");
}
