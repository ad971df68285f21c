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
    for (how, expected) in [
        ("linear,max", "1"),
        ("linear,min", "0"),
        (
            "mip-linear,mirror-clamp,bias=1,max-lod=0.5,anisotropy=2",
            "1",
        ),
        // In texels, half of the first one is in the middle of it.
        ("texels,clamp", "0"),
        ("linear,texels,border,white", "0"),
    ] {
        let sampler = format!("from=sampler:{how}");
        assert_eq!(
            with(&["--bind", &sampler]),
            format!("to: {expected}\n"),
            "{how}"
        );
    }
    // Comparisons take another instruction.
    let text = dir.read_text("a.spvasm");
    let text = text
        .replace("OpImageSampleExplicitLod %f324 %source %middle Lod", "OpImageSampleDrefExplicitLod %f32 %source %middle %half Lod")
        .replace("OpImageWrite %target %at %texel", "%all = OpCompositeConstruct %f324 %texel %texel %texel %texel\nOpImageWrite %target %at %all");
    dir.write("a.spvasm", text);
    for (how, expected) in [
        ("less", "1"),
        ("less-equal", "1"),
        ("not-equal", "1"),
        ("always", "1"),
        ("greater", "0"),
        ("greater-equal", "0"),
        ("equal", "0"),
        ("never", "0"),
        ("less,linear,clamp", "0.5"),
    ] {
        let sampler = format!("from=sampler:{how}");
        assert_eq!(
            with(&["--bind", &sampler]),
            format!("to: {expected}\n"),
            "{how}"
        );
    }
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
    // The layers of a single cube may be left out.
    let single = dir
        .read_text("a.spvasm")
        .replace("Cube 0 1 0", "Cube 0 0 0");
    dir.write("a.spvasm", single);
    for to in ["to=r8:1x1x6", "to=r8:1x1"] {
        let ran = with("from=r8:2x1x3:from.bin", to);
        assert_eq!(ran.text(), "to: 1 3 5 0 0 0\n");
    }
    let fails = |from, to, message| with(from, to).fails(1, message);
    fails("from=r8:2x1x3", "to=r8:1x1x12", "one cube");
}

/// Reads a texel of a level and a sample, which the workgroup says.
fn fetching(declared: &str, operands: &str, component: &str) -> String {
    SHADER
        .replace("NUMBER", "f32")
        .replace("2D 0 0 0 2 FROM", declared)
        .replace("2D 0 0 0 2 TO", "2D 0 0 0 2 R32f")
        .replace("OpMemoryModel", "OpCapability Sampled1D\nOpMemoryModel")
        .replace(
            "OpImageRead %f324 %source %at",
            &format!("OpImageFetch %f324 %source %zeros {operands} %which"),
        )
        .replace(
            "%source = ",
            &format!("%which = OpCompositeExtract %u32 %three {component}\n%source = "),
        )
        .replace(
            "%main = OpFunction ",
            "%zero = OpConstant %u32 0\n%zeros = OpConstantComposite %v2u32 %zero %zero\n%main = OpFunction ",
        )
}

#[test]
fn images_have_levels_and_samples() {
    let dir = Dir::new();
    dir.write("levels.spvasm", fetching("2D 0 0 0 1 Unknown", "Lod", "0"));
    dir.write(
        "samples.spvasm",
        fetching("2D 0 0 1 1 Unknown", "Sample", "0"),
    );
    let run = |file, from: &str, rest: &[&str]| {
        let given = [
            "run",
            file,
            "--dispatch",
            "4",
            "--bind",
            from,
            "--bind",
            "to=r32f:4x1",
        ];
        dir.spv(&[&given[..], rest].concat())
    };
    // Four by two texels, two by one, and one.
    let levels = "from=r32f:4x2,levels=3:f32:1,2,3,4,5,6,7,8,9,10,11";
    let ran = run(
        "levels.spvasm",
        levels,
        &["--print", "to[0..3]", "--robust"],
    );
    assert_eq!(ran.text(), "to: 1 9 11\n");
    let samples = "from=r32f:2x1,samples=4:f32:1,2,3,4,5,6,7,8";
    let ran = run("samples.spvasm", samples, &["--print", "to"]);
    assert_eq!(ran.text(), "to: 1 2 3 4\n");
    let fails = |file, from, code, message| run(file, from, &[]).fails(code, message);
    fails(
        "levels.spvasm",
        "from=r32f:4x2,levels=4",
        1,
        "at most 3 levels",
    );
    fails(
        "levels.spvasm",
        "from=r32f:4x2,samples=2",
        1,
        "several samples",
    );
    fails("levels.spvasm", "from=r32f:4x2,levels=0", 2, "`levels=0`");
    fails("levels.spvasm", "from=r32f:4x2,samples=3", 2, "`samples=3`");
    fails("levels.spvasm", "from=r32f:4x2,depth=3", 2, "`depth=3`");
    let both = "from=r32f:4x2,levels=2,samples=2";
    fails("levels.spvasm", both, 2, "one level");
    fails(
        "levels.spvasm",
        "from=r32f:4x2:f32:1,2",
        1,
        "takes 32 bytes, but here are 8",
    );
}

#[test]
fn parts_of_images_are_written_and_shown() {
    let dir = Dir::new();
    dir.write("levels.spvasm", fetching("2D 0 0 0 1 Unknown", "Lod", "0"));
    dir.write(
        "samples.spvasm",
        fetching("2D 0 0 1 1 Unknown", "Sample", "0"),
    );
    dir.write("two.bin", [7.0f32, 8.0].map(f32::to_le_bytes).concat());
    let run = |file, rest: &[&str]| {
        let given = ["run", file, "--dispatch", "3", "--bind", "to=r32f:4x1"];
        dir.spv(&[&given[..], rest].concat())
    };
    let levels = ["--bind", "from=r32f:4x2,levels=3"];
    let parts = [
        "--bind",
        "from.level[1]=two.bin",
        "--bind",
        "from.level[2]=f32:0.5",
        "--print",
        "to[0..3]",
        "--print",
        "from.level[1]",
        "--print",
        "from.level[2].sample[0]",
        "--print",
        "from.level[1][1..2]",
        "--print",
        "from.level[1]:u8[2..5]",
        "--out",
        "from.level[1]=level.bin",
        "--out",
        "from.level[2]=level.png",
    ];
    let ran = run("levels.spvasm", &[&levels[..], &parts].concat());
    assert_eq!(
        ran.text(),
        "to: 0 7 0.5\nfrom.level[1]: 7 8\nfrom.level[2].sample[0]: 0.5\n\
         from.level[1]: 8\nfrom.level[1]: 224 64 0\n"
    );
    assert_eq!(dir.read("level.bin"), dir.read("two.bin"));
    let mut reader = Decoder::new(Cursor::new(dir.read("level.png")))
        .read_info()
        .unwrap();
    let mut pixels = [0; 2];
    reader.next_frame(&mut pixels).unwrap();
    assert_eq!(pixels, [0x80, 0]);
    let samples = [
        "--bind",
        "from=r32f:2x1,samples=4",
        "--bind",
        "from.sample[2]=f32:3,4",
        "--print",
        "to[0..3]",
        "--print",
        "from.sample[2]",
        "--print",
        "from.sample[1]",
    ];
    let expected = "to: 0 0 3\nfrom.sample[2]: 3 4\nfrom.sample[1]: 0 0\n";
    assert_eq!(run("samples.spvasm", &samples).text(), expected);
    // A picture for one level.
    dir.write(
        "small.png",
        picture(ColorType::Grayscale, BitDepth::Eight, &[255, 0, 0, 0, 0, 0]),
    );
    let wide = [
        "--bind",
        "from=r32f:6x4,levels=3",
        "--bind",
        "from.level[1]=small.png",
    ];
    let shown = ["--print", "from.level[1]"];
    let ran = run("levels.spvasm", &[&wide[..], &shown].concat());
    assert_eq!(ran.text(), "from.level[1]: 1 0 0 0 0 0\n");
    let fails = |rest: &[&str], message| {
        run("levels.spvasm", &[&levels[..], rest].concat()).fails(1, message);
    };
    fails(
        &["--bind", "from.level[3]=f32:1"],
        "there is no level 3: the image has 3",
    );
    fails(&["--bind", "from.layer[1]=f32:1"], "there is no layer 1");
    fails(&["--bind", "from.sample[1]=f32:1"], "there is no sample 1");
    fails(
        &["--bind", "from.level[2]=f32:1,2"],
        "8 bytes are given, but the texels take 4",
    );
    fails(
        &["--bind", "from.level[2]=small.png"],
        "the picture has 3 × 2 × 1 texels",
    );
    fails(
        &["--bind", "from.level[2]=r32f:1x1"],
        "this is a part of an image",
    );
    fails(
        &["--bind", "from.depth[2]=f32:1"],
        "parts of an image are level[N]",
    );
    let early = ["--bind", "from.level[1]=two.bin"];
    run("levels.spvasm", &early).fails(1, "nothing is bound yet");
}

#[test]
fn layers_are_parts_too() {
    let dir = Dir::new();
    let text = SHADER
        .replace("NUMBER", "f32")
        .replace("2D 0 0 0 2 FROM", "2D 0 1 0 2 R8")
        .replace("2D 0 0 0 2 TO", "Cube 0 1 0 2 R8")
        .replace("%v2u32 %three %three 0 1", "%v3u32 %three %three 0 1 2");
    dir.write("a.spvasm", text);
    let ran = dir.spv(&[
        "run",
        "a.spvasm",
        "--dispatch",
        "1,1,3",
        "--bind",
        "from=r8:2x1x3",
        "--bind",
        "from.layer[1]=u8:51,7",
        "--bind",
        "to=r8:1x1x6",
        "--print",
        "to.layer[1]:u8",
        "--print",
        "from.layer[1]:u8",
        "--print",
        "to:u8",
        "--out",
        "to.layer[1]=face.png",
    ]);
    assert_eq!(
        ran.text(),
        "to.layer[1]: 51\nfrom.layer[1]: 51 7\nto: 0 51 0 0 0 0\n"
    );
    let mut reader = Decoder::new(Cursor::new(dir.read("face.png")))
        .read_info()
        .unwrap();
    let mut pixels = [0];
    reader.next_frame(&mut pixels).unwrap();
    assert_eq!(pixels, [51]);
}

/// Of an array, elements may be left out, and each has a sampler of its own.
#[test]
fn arrays_are_bound_in_part() {
    let dir = Dir::new();
    let text = SHADER
        .replace("NUMBER", "f32")
        .replace("2D 0 0 0 2 FROM", "2D 0 0 0 1 Unknown")
        .replace("2 TO", "2 R32f")
        .replace("%ptr_from = OpTypePointer UniformConstant %from_type",
            "%sampled = OpTypeSampledImage %from_type
%u4 = OpConstant %u32 4
%four = OpTypeArray %sampled %u4
%ptr_four = OpTypePointer UniformConstant %four
%ptr_from = OpTypePointer UniformConstant %sampled
%v2f32 = OpTypeVector %f32 2
%half = OpConstant %f32 0.5
%middle = OpConstantComposite %v2f32 %half %half
%zero = OpConstant %f32 0")
        .replace("%from = OpVariable %ptr_from", "%from = OpVariable %ptr_four")
        .replace("%source = OpLoad %from_type %from",
            "%index = OpCompositeExtract %u32 %three 0\n%one = OpAccessChain %ptr_from %from %index\n%source = OpLoad %sampled %one")
        .replace("OpImageRead %f324 %source %at", "OpImageSampleExplicitLod %f324 %source %middle Lod %zero");
    dir.write("a.spvasm", text);
    let run = |count: &str| {
        dir.spv(&[
            "run",
            "a.spvasm",
            "--dispatch",
            count,
            "--bind",
            "from[0]=r32f:1x1:f32:5",
            "--bind",
            "from[1]=r32f:2x1:f32:6,7",
            "--bind",
            "from[1]=sampler:linear,clamp",
            "--bind",
            "to=r32f:4x1",
            "--print",
            "to",
            "--print",
            "from[1]",
        ])
    };
    assert_eq!(run("2").text(), "to: 5 6.5 0 0\nfrom[1]: 6 7\n");
    let ran = run("3");
    assert_eq!(ran.code, 1);
    let message = "uses element 2 of `from` at set 0, binding 0, to which nothing is bound";
    assert!(ran.stderr.contains("run.null"), "{}", ran.stderr);
    assert!(ran.stderr.contains(message), "{}", ran.stderr);
    let shown = dir.spv(&[
        "run",
        "a.spvasm",
        "--bind",
        "from[0]=r32f:1x1",
        "--bind",
        "to=r32f:4x1",
        "--print",
        "from[2]",
    ]);
    shown.fails(1, "nothing is bound there");
}

#[test]
fn compressed_images_have_blocks() {
    let dir = dir("f32", "Rgba8", "Rgba8");
    dir.write("from.bin", [0x00, 0xf8, 0xe0, 0x07, 0b1110_0100, 0, 0, 0]);
    for from in [
        "from=BC1_RGBA_UNORM_BLOCK:4x4:from.bin",
        "from=BC1_RGBA_UNORM_BLOCK:4x4:u8:0,248,224,7,228,0,0,0",
    ] {
        let bind = ["run", "a.spvasm", "--bind", from, "--bind", "to=rgba8:4x4"];
        let ran = dir.spv(&[&bind[..], &["--dispatch", "4,4", "--out", "to=to.bin"]].concat());
        assert_eq!((ran.code, &*ran.stderr), (0, ""));
        assert_eq!(
            dir.read("to.bin")[..12],
            [255, 0, 0, 255, 0, 255, 0, 255, 170, 85, 0, 255]
        );
    }
    let fails = |from: &str, code, what: &str| {
        let bind = ["run", "a.spvasm", "--bind", from, "--bind", "to=rgba8:4x4"];
        dir.spv(&bind).fails(code, what);
    };
    fails(
        "from=BC1_RGBA_UNORM_BLOCK:8x4:from.bin",
        1,
        "the image takes 16 bytes",
    );
    fails("from=BC1_RGBA_UNORM_BLOCK:4x4,samples=4", 2, "one sample");
}
