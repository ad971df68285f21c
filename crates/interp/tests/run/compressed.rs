//! Compressed images, decoded.

use spirvkit_eval::Texel;
use spirvkit_interp::{Compressed, Dimension, Image};

/// An image of these blocks.
fn image(name: &str, size: [u32; 3], blocks: &[u8]) -> Image {
    let format = Compressed::named(name).unwrap_or_else(|| panic!("no format {name}"));
    let image = Image::new(Dimension::D2, format.format(), size);
    assert_eq!(format.byte_size(&image), blocks.len() as u64, "{name}");
    image.blocks(format, blocks)
}

/// Red, green, blue and alpha of a texel in bytes.
fn bytes(image: &Image, x: usize, y: usize) -> [u8; 4] {
    let at = (y * image.size()[0] as usize + x) * 4;
    image.contents()[at..at + 4].try_into().unwrap()
}

fn number(image: &Image, x: u32, y: u32) -> f64 {
    match image.texel([x, y, 0], 0, 0, 0) {
        Some(Texel::Float([number, ..])) => number,
        other => panic!("{other:?}"),
    }
}

#[test]
fn blocks_have_names() {
    for (name, block, bytes) in [
        ("BC1_RGB_SRGB_BLOCK", [4, 4], 8),
        ("VK_FORMAT_BC5_SNORM_BLOCK", [4, 4], 16),
        ("BC6H_UFLOAT_BLOCK", [4, 4], 16),
        ("ETC2_R8G8B8A1_UNORM_BLOCK", [4, 4], 8),
        ("EAC_R11G11_UNORM_BLOCK", [4, 4], 16),
        ("ASTC_12x10_SRGB_BLOCK", [12, 10], 16),
    ] {
        let format = Compressed::named(name).unwrap_or_else(|| panic!("no format {name}"));
        assert_eq!(
            (format.block(), format.block_bytes()),
            (block, bytes),
            "{name}"
        );
    }
    for name in [
        "BC8_UNORM_BLOCK",
        "BC7_UNORM",
        "ASTC_7x7_UNORM_BLOCK",
        "ASTC_4x4_SFLOAT_BLOCK",
    ] {
        assert_eq!(Compressed::named(name), None, "{name}");
    }
}

#[test]
fn bc1_has_four_colours_or_three_and_a_hole() {
    // Red above green as numbers: two colours between them. Then the other way.
    let ordered = [0x00, 0xf8, 0xe0, 0x07, 0b1110_0100, 0, 0, 0];
    let of = image("BC1_RGBA_UNORM_BLOCK", [4, 4, 1], &ordered);
    assert_eq!(bytes(&of, 0, 0), [255, 0, 0, 255]);
    assert_eq!(bytes(&of, 1, 0), [0, 255, 0, 255]);
    assert_eq!(bytes(&of, 2, 0), [170, 85, 0, 255]);
    assert_eq!(bytes(&of, 3, 0), [85, 170, 0, 255]);
    let reversed = [0xe0, 0x07, 0x00, 0xf8, 0b1110_0100, 0, 0, 0];
    let of = image("BC1_RGBA_UNORM_BLOCK", [4, 4, 1], &reversed);
    assert_eq!(bytes(&of, 3, 0), [0, 0, 0, 0]);
    let of = image("BC1_RGB_UNORM_BLOCK", [4, 4, 1], &reversed);
    assert_eq!(bytes(&of, 3, 0), [0, 0, 0, 255]);
}

#[test]
fn bc4_has_signs_or_not() {
    let block = [255, 0, 0b1000, 0, 0, 0, 0, 0];
    let of = image("BC4_UNORM_BLOCK", [4, 4, 1], &block);
    assert_eq!((number(&of, 0, 0), number(&of, 1, 0)), (1.0, 0.0));
    let block = [0x81, 0x7f, 0b1000, 0, 0, 0, 0, 0];
    let of = image("BC4_SNORM_BLOCK", [4, 4, 1], &block);
    assert_eq!((number(&of, 0, 0), number(&of, 1, 0)), (-1.0, 1.0));
}

#[test]
fn etc2_modes_are_as_specified() {
    // Individual: 8 and 4 of 15, the lesser steps of the first table, all brighter.
    let individual = [0x84, 0x84, 0x84, 0, 0, 0, 0, 0];
    let of = image("ETC2_R8G8B8_UNORM_BLOCK", [4, 4, 1], &individual);
    assert_eq!(bytes(&of, 0, 0), [138, 138, 138, 255]);
    assert_eq!(bytes(&of, 2, 0), [70, 70, 70, 255]);
    // Differential and flipped: 16 of 31, and 16 - 4 below.
    let differential = [0x84, 0x84, 0x84, 0b11, 0, 0, 0, 0];
    let of = image("ETC2_R8G8B8_UNORM_BLOCK", [4, 4, 1], &differential);
    assert_eq!(bytes(&of, 3, 1), [134, 134, 134, 255]);
    assert_eq!(bytes(&of, 0, 2), [101, 101, 101, 255]);
    // T: red overflows (31 + 3); the texel's index is 0, the first colour.
    let mode_t = [0xfb, 0x42, 0x86, 0x02, 0, 0, 0, 0];
    let of = image("ETC2_R8G8B8_UNORM_BLOCK", [4, 4, 1], &mode_t);
    assert_eq!(bytes(&of, 0, 0), [255, 68, 34, 255]);
    // Planar: blue overflows; all corners are the same grey.
    let planar = [0x00, 0x00, 0x04, 0x02, 0, 0, 0, 0];
    let of = image("ETC2_R8G8B8_UNORM_BLOCK", [4, 4, 1], &planar);
    assert_eq!(bytes(&of, 0, 0)[..2], [0, 0]);
    assert_eq!(bytes(&of, 3, 3)[3], 255);
    // A texel of index 2 is a hole where the block isn't opaque.
    let hole = [0x80, 0x80, 0x80, 0, 0x80, 0, 0, 0];
    let of = image("ETC2_R8G8B8A1_UNORM_BLOCK", [4, 4, 1], &hole);
    assert_eq!(bytes(&of, 3, 3), [0, 0, 0, 0]);
    assert_eq!(bytes(&of, 0, 0), [132, 132, 132, 255]);
}

#[test]
fn eac_has_steps_around_a_base() {
    // A base of 100, a factor of 2, the first table; the first texel's index is 3, the others' 0.
    let alpha = [100, 0x20, 0b0110_0000, 0, 0, 0, 0, 0];
    let blocks = [alpha, [0; 8]].concat();
    let of = image("ETC2_R8G8B8A8_UNORM_BLOCK", [4, 4, 1], &blocks);
    assert_eq!(bytes(&of, 0, 0)[3], 100 - 2 * 15);
    assert_eq!(bytes(&of, 1, 0)[3], 100 - 2 * 3);
    let of = image("EAC_R11_UNORM_BLOCK", [4, 4, 1], &alpha);
    let expected = f64::from((100 * 8 + 4 - 15 * 16) as f32 / 2047.0);
    assert_eq!(number(&of, 0, 0), expected);
    let signed = [0x80, 0x20, 0, 0, 0, 0, 0, 0];
    let of = image("EAC_R11_SNORM_BLOCK", [4, 4, 1], &signed);
    assert_eq!(number(&of, 0, 0), -1.0);
}

#[test]
fn astc_has_blocks_of_one_colour() {
    // Nothing but a colour: 16 bits for each component, at the end.
    let block = [
        0xfc, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0x80, 0xff, 0xff,
    ];
    let of = image("ASTC_8x5_UNORM_BLOCK", [8, 5, 1], &block);
    assert_eq!(bytes(&of, 7, 4), [255, 0, 128, 255]);
}

#[test]
fn blocks_stand_in_rows_and_levels_and_end_where_the_image_does() {
    let block = |grey: u8| [grey, 255, 0, 0, 0, 0, 0, 0];
    // Of 6 × 5 texels, two by two blocks, and one for 3 × 2.
    let format = Compressed::named("BC4_UNORM_BLOCK").unwrap();
    let image = Image::new(Dimension::D2, format.format(), [6, 5, 1]).levels(2);
    let blocks = [10, 20, 30, 40, 50].map(block).concat();
    assert_eq!(format.byte_size(&image), blocks.len() as u64);
    let image = image.blocks(format, &blocks);
    let at = |x, y, level| match image.texel([x, y, 0], 0, level, 0) {
        Some(Texel::Float([number, ..])) => (number * 255.0).round(),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        [at(0, 0, 0), at(5, 3, 0), at(3, 4, 0), at(4, 4, 0)],
        [10.0, 20.0, 30.0, 40.0]
    );
    assert_eq!(at(2, 1, 1), 50.0);
    // What is missing is zero.
    let image = Image::new(Dimension::D2, format.format(), [8, 4, 1]).blocks(format, &block(9));
    assert_eq!(number(&image, 7, 0), 0.0);
}

#[test]
fn what_is_too_large_takes_no_memory() {
    let format = Compressed::named("BC7_UNORM_BLOCK").unwrap();
    let size = [u32::MAX, u32::MAX, 1];
    let image = Image::new(Dimension::D2, format.format(), size).layers(u32::MAX);
    let image = image.blocks(format, &[0; 16]);
    assert!(image.contents().is_empty());
    let image = Image::new(Dimension::D2, format.format(), [4, 4, 1]).samples(4);
    assert_eq!(image.blocks(format, &[0; 16]).sample_count(), 1);
}
