//! Where `std140` and `std430` put numbers, and the bytes that buffers hold.

use spirvkit_amber::{Action, FileFormat, Layout, MAX_BYTES, Script, contents, write};

use super::{amber, read};

/// The stride of elements, and the offsets of their numbers.
fn layout(ty: &str, layout: Layout) -> (u64, Vec<u64>) {
    laid_out("", ty, layout)
}

fn laid_out(declarations: &str, ty: &str, layout: Layout) -> (u64, Vec<u64>) {
    let script = amber(&format!(
        "{declarations}BUFFER b DATA_TYPE {ty} SIZE 1 FILL 0\n"
    ));
    let element = script.buffers[0].ty.element_layout(&script, layout);
    let offsets = element.slots.iter().map(|slot| slot.offset);
    (element.stride, offsets.collect())
}

fn bytes(script: &Script) -> Vec<u8> {
    let files = |_, _: &str| Err("there are none".to_owned());
    contents(script, &script.buffers[0], [2, 3], files).unwrap()
}

/// Amber's documentation has these, as pictures of bytes (`memory_layout.md`).
#[test]
fn documented_layouts() {
    use Layout::{Std140, Std430};
    for (ty, std140, std430) in [
        ("int8", 1, 1),
        ("double", 8, 8),
        ("vec2<float>", 8, 8),
        ("vec3<float>", 16, 16),
        ("vec4<int8>", 4, 4),
        ("int8[]", 16, 1),
        ("int64[]", 16, 8),
        ("float[]", 16, 4),
        ("vec2<int16>[]", 16, 4),
        ("vec3<int8>[]", 16, 4),
        ("vec3<int16>[]", 16, 8),
        ("vec3<int32>[]", 16, 16),
        ("mat2x2<int8>", 32, 4),
        ("mat2x2<float16>", 32, 8),
        ("mat2x3<float>", 32, 32),
        ("mat3x2<float>", 48, 24),
        ("mat4x2<float>[]", 64, 32),
        ("mat3x3<float>[]", 48, 48),
    ] {
        assert_eq!(layout(ty, Std140).0, std140, "{ty}");
        assert_eq!(layout(ty, Std430).0, std430, "{ty}");
    }
    for (members, std140, offsets140, std430, offsets430) in [
        ("int32 w\nfloat x\n", 16, vec![0, 4], 8, vec![0, 4]),
        (
            "int32 w\nvec2<float> x\nfloat y\n",
            32,
            vec![0, 8, 12, 16],
            24,
            vec![0, 8, 12, 16],
        ),
        (
            "int32 w\nvec3<float> x\nfloat y\n",
            32,
            vec![0, 16, 20, 24, 28],
            32,
            vec![0, 16, 20, 24, 28],
        ),
        (
            "int32 w\nmat2x2<float> x\nfloat y\n",
            64,
            vec![0, 16, 20, 32, 36, 48],
            32,
            vec![0, 8, 12, 16, 20, 24],
        ),
        (
            "inner x\nfloat y\n",
            32,
            vec![0, 4, 8, 16],
            16,
            vec![0, 4, 8, 12],
        ),
        (
            "int32 w\ninner x\nfloat y\n",
            48,
            vec![0, 16, 20, 24, 32],
            20,
            vec![0, 4, 8, 12, 16],
        ),
    ] {
        let declarations =
            format!("STRUCT inner\nint32 a\nint32 b\nfloat c\nEND\nSTRUCT outer\n{members}END\n");
        let of = |layout| laid_out(&declarations, "outer", layout);
        assert_eq!(of(Std140), (std140, offsets140), "{members}");
        assert_eq!(of(Std430), (std430, offsets430), "{members}");
    }
}

#[test]
fn numbers_of_every_type_become_bytes() {
    for (ty, number, expected) in [
        ("int8", "-2", vec![0xfe]),
        ("uint16", "0x1234", vec![0x34, 0x12]),
        ("int32", "-1", vec![0xff; 4]),
        ("uint64", "0x0102030405060708", vec![8, 7, 6, 5, 4, 3, 2, 1]),
        ("float16", "1.5", vec![0, 0x3e]),
        ("float", "-2", vec![0, 0, 0, 0xc0]),
        ("double", "1", vec![0, 0, 0, 0, 0, 0, 0xf0, 0x3f]),
        ("R8G8_SNORM", "-1 0x7f", vec![0xff, 0x7f]),
        ("R5G6B5_UNORM_PACK16", "0xf81f", vec![0x1f, 0xf8]),
        ("R16_SFLOAT", "1", vec![0, 0x3c]),
    ] {
        let script = amber(&format!("BUFFER b DATA_TYPE {ty} DATA {number} END\n"));
        assert_eq!(bytes(&script), expected, "{ty}");
    }
}

#[test]
fn padding_is_zero() {
    let script = amber("BUFFER b DATA_TYPE vec3<uint8>[] STD140 DATA 1 2 3 4 5 6 END\n");
    let mut expected = vec![0; 32];
    expected[..3].copy_from_slice(&[1, 2, 3]);
    expected[16..19].copy_from_slice(&[4, 5, 6]);
    assert_eq!(bytes(&script), expected);
}

#[test]
fn fills_and_series() {
    let script = amber("STRUCT s\nuint8 a\nuint16 b\nEND\nBUFFER b DATA_TYPE s SIZE 2 FILL 3\n");
    assert_eq!(bytes(&script), [3, 0, 3, 0, 3, 0, 3, 0]);
    let script = amber("BUFFER b DATA_TYPE int8 SIZE 4 SERIES_FROM 1 INC_BY -1\n");
    assert_eq!(bytes(&script), [1, 0, 0xff, 0xfe]);
    let script = amber("BUFFER b DATA_TYPE float SIZE 3 SERIES_FROM 0.5 INC_BY 0.25\n");
    let expected: Vec<u8> = [0.5_f32, 0.75, 1.0]
        .iter()
        .flat_map(|it| it.to_le_bytes())
        .collect();
    assert_eq!(bytes(&script), expected);
    let script = amber("BUFFER b FORMAT R8G8B8_UNORM\n");
    assert_eq!(
        bytes(&script),
        [0; 2 * 3 * 3],
        "the size of the framebuffer"
    );
    let script = amber("IMAGE i FORMAT R8_UNORM DIM_2D WIDTH 2 HEIGHT 2 FILL 9\n");
    assert_eq!(bytes(&script), [9; 4]);
}

#[test]
fn files() {
    let fill = |line: &str, data: Result<&[u8], &str>| {
        let script = amber(&format!("BUFFER b {line}\n"));
        let read_file = |format, path: &str| {
            let expected = match line {
                _ if line.contains("TEXT") => FileFormat::Text,
                _ if line.contains("PNG") => FileFormat::Png,
                _ => FileFormat::Binary,
            };
            assert_eq!((format, path), (expected, "a/b"));
            data.map(<[u8]>::to_vec).map_err(str::to_owned)
        };
        let filled = contents(&script, &script.buffers[0], [1, 1], read_file);
        filled.map_err(|errors| errors[0].message().to_owned())
    };
    let text = "DATA_TYPE uint16 SIZE 3 FILE TEXT a/b";
    assert_eq!(
        fill(text, Ok(b"1 0x2 # two\n\n3")),
        Ok(vec![1, 0, 2, 0, 3, 0])
    );
    assert_eq!(fill(text, Ok(b"1")), Ok(vec![1, 0, 0, 0, 0, 0]));
    let wrong = |message: &str| Err(format!("the file `a/b` can't be used: {message}"));
    assert_eq!(
        fill(text, Ok(b"1 2 3 4")),
        wrong("it has more numbers than the buffer's 3")
    );
    assert_eq!(
        fill(text, Ok(b"1 x")),
        wrong("`x` in it is not a number of the buffer's type")
    );
    assert_eq!(
        fill(text, Ok(b"1.5")),
        wrong("`1.5` in it is not a number of the buffer's type")
    );
    assert_eq!(fill(text, Ok(b"\"1\"")), wrong("it has a string in it"));
    assert_eq!(fill(text, Err("it is gone")), wrong("it is gone"));
    let binary = "DATA_TYPE uint16 SIZE 2 FILE BINARY a/b";
    assert_eq!(fill(binary, Ok(b"abcd")), Ok(b"abcd".to_vec()));
    assert_eq!(fill(binary, Ok(b"ab")), Ok(b"ab\0\0".to_vec()));
    assert_eq!(
        fill(binary, Ok(b"abcde")),
        wrong("it has 5 bytes, and the buffer only 4")
    );
    assert_eq!(
        fill("FORMAT R8_UNORM FILE PNG a/b", Ok(b"x")),
        Ok(b"x".to_vec())
    );
}

#[test]
fn buffers_that_are_too_large() {
    let largest = MAX_BYTES / 8;
    for (size, is_right) in [
        (largest, true),
        (largest + 1, false),
        (u32::MAX.into(), false),
    ] {
        let script = amber(&format!("BUFFER b DATA_TYPE double SIZE {size} FILL 0\n"));
        let files = |_, _: &str| Err(String::new());
        let filled = contents(&script, &script.buffers[0], [0, 0], files);
        assert_eq!(filled.is_ok(), is_right, "{size}");
        if let Err(errors) = filled {
            assert_eq!(errors[0].rule(), "amber.limit");
        }
    }
    // Offsets and strides that the script gives may be as large as they like.
    let script = amber(
        "STRUCT s STRIDE 2\nuint32 a OFFSET 4294967295\nuint8 b OFFSET 1\nEND\nBUFFER b DATA_TYPE s SIZE 2 FILL 7\n",
    );
    assert_eq!(bytes(&script), [0, 7, 0, 7]);
}

#[test]
fn commands_write_into_buffers() {
    let script = read("[test]\nssbo 0 subdata vec3 16 1 2 3 4 5 6\n");
    let Action::Write(values) = &script.commands[0].action else {
        panic!("{:?}", script.commands);
    };
    let mut bytes = vec![0xaa; 44];
    assert_eq!(write(&script, &mut bytes, values), Ok(()));
    let float = |at: usize| f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!(
        [16, 20, 24, 32, 36, 40].map(float),
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    );
    assert_eq!(bytes[28..32], [0xaa; 4], "what is between isn't touched");
    let mut short = vec![0; 43];
    assert_eq!(write(&script, &mut short, values), Err(44));
    assert_eq!(short, [0; 43]);
}
