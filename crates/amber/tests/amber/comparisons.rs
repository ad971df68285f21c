//! What `EXPECT` and `probe` accept.

use spirvkit_amber::compare::{self, Image, Mismatch};
use spirvkit_amber::{
    Action, DataType, Expect, Format, Layout, Likeness, Script, Shape, Tolerance,
};

use super::amber;

/// A script that expects something of a buffer of this type.
fn expecting(ty: &str, line: &str) -> Script {
    amber(&format!(
        "BUFFER b DATA_TYPE {ty} SIZE 64 FILL 0\nEXPECT b {line}\n"
    ))
}

fn check(ty: &str, bytes: &[u8], line: &str) -> Result<(), Mismatch> {
    let script = expecting(ty, line);
    let Action::Expect(Expect::Values {
        values,
        comparator,
        tolerances,
    }) = &script.commands[0].action
    else {
        panic!("{:?}", script.commands);
    };
    compare::values(&script, bytes, values, *comparator, tolerances)
}

fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|it| it.to_le_bytes()).collect()
}

fn holds(number: f32, line: &str) -> bool {
    check("float", &floats(&[number]), line).is_ok()
}

#[test]
fn floats_are_equal_in_all_bits_but_zero() {
    assert!(holds(0.1, "IDX 0 EQ 0.1"), "as a float, not as a double");
    let next = f32::from_bits(0.1_f32.to_bits() + 1);
    assert!(!holds(next, "IDX 0 EQ 0.1") && holds(next, "IDX 0 NE 0.1"));
    assert!(holds(-0.0, "IDX 0 EQ 0"));
    assert!(holds(f32::NAN, "IDX 0 EQ nan") && !holds(f32::NAN, "IDX 0 EQ 1"));
    assert!(!holds(1.0, "IDX 0 EQ nan") && holds(1.0, "IDX 0 NE nan"));
    assert!(holds(f32::INFINITY, "IDX 0 EQ inf") && !holds(f32::INFINITY, "IDX 0 EQ -inf"));
    assert!(!holds(1.0, "IDX 0 EQ inf"));
}

#[test]
fn tolerances_are_absolute_or_a_share() {
    assert!(holds(1.5, "IDX 0 TOLERANCE 0.5 EQ 1") && !holds(1.51, "IDX 0 TOLERANCE 0.5 EQ 1"));
    assert!(holds(-110.0, "IDX 0 TOLERANCE 10% EQ -100"));
    assert!(!holds(-110.5, "IDX 0 TOLERANCE 10% EQ -100"));
    assert!(!holds(f32::INFINITY, "IDX 0 TOLERANCE 100% EQ 1"));
    assert!(!holds(1.0, "IDX 0 TOLERANCE 100% EQ inf"));
    let bytes = 12_i32.to_le_bytes();
    assert!(check("int32", &bytes, "IDX 0 TOLERANCE 2 EQ 10").is_ok());
    assert!(check("int32", &bytes, "IDX 0 TOLERANCE 1 EQ 10").is_err());
    // Each component has its own; those that have none are exact.
    let bytes = floats(&[1.5, 2.5, 3.0, 1.5, 2.5, 3.0]);
    let each = |line: &str| {
        check(
            "vec3<float>",
            &[&bytes[..12], &[0; 4], &bytes[12..]].concat(),
            line,
        )
    };
    assert!(each("IDX 0 TOLERANCE 1 0.5 EQ 1 2 3 1 2 3").is_ok());
    assert!(each("IDX 0 TOLERANCE 0.5 0 EQ 1 2 3 1 2 3").is_err());
    assert!(
        each("IDX 0 TOLERANCE 0.5 EQ 1 2 3 1 2 3").is_ok(),
        "one is for all"
    );
    let columns = check(
        "mat2x2<float>",
        &floats(&[1.0, 9.0, 2.0, 9.0]),
        "IDX 0 TOLERANCE 0 1 EQ 1 8 2 8",
    );
    assert!(columns.is_ok(), "a column has two components: {columns:?}");
}

#[test]
fn what_is_not_equal_is_less_or_more() {
    for (number, line, is_right) in [
        (1.0, "LT 2", true),
        (2.0, "LT 2", false),
        (2.0, "LE 2", true),
        (3.0, "GT 2", true),
        (2.0, "GT 2", false),
        (2.0, "GE 2", true),
        (f32::NAN, "GE 2", false),
        (f32::NAN, "LT 2", false),
    ] {
        assert_eq!(
            holds(number, &format!("IDX 0 {line}")),
            is_right,
            "{number} {line}"
        );
    }
}

#[test]
fn integers_are_exact() {
    let large = 0x8000_0000_0000_0001_u64.to_le_bytes();
    assert!(check("uint64", &large, "IDX 0 EQ 0x8000000000000001").is_ok());
    assert!(
        check("uint64", &large, "IDX 0 EQ 0x8000000000000000").is_err(),
        "as doubles they'd be the same"
    );
    assert!(
        check("int64", &large, "IDX 0 LT 0").is_ok(),
        "the sign counts"
    );
    assert!(check("uint64", &large, "IDX 0 GT 0").is_ok());
    assert!(check("int8", &[0xff], "IDX 0 EQ -1").is_ok());
    assert!(
        check("int8", &[0xff], "IDX 0 EQ 255").is_ok(),
        "by its bits"
    );
    assert!(check("float16", &[0, 0x3e], "IDX 0 EQ 1.5").is_ok());
    assert!(check("double", &0.1_f64.to_le_bytes(), "IDX 0 EQ 0.1").is_ok());
}

#[test]
fn messages_say_where_and_how_many() {
    let bytes = floats(&[1.0, 2.0, 3.0, 4.0]);
    let message = |line: &str| check("float", &bytes, line).unwrap_err().to_string();
    assert_eq!(
        message("IDX 4 EQ 2 3.5 5"),
        "at byte 8: expected 3.5, found 3.0; 2 of 3 values differ"
    );
    assert_eq!(
        message("IDX 0 GE 2 2"),
        "at byte 0: expected at least 2.0, found 1.0; 1 of 2 values differ"
    );
    assert_eq!(
        message("IDX 8 EQ 3 4 5"),
        "there are 16 bytes, but 20 are expected"
    );
    assert_eq!(
        message("IDX 4294967295 EQ 3"),
        "there are 16 bytes, but 4294967299 are expected"
    );
}

#[test]
fn values_skip_padding() {
    let script = amber(
        "STRUCT s\nint32 a\nvec2<int32> b\nEND\nBUFFER b DATA_TYPE s STD140 SIZE 2 FILL 0\nEXPECT b IDX 16 EQ 1 2 3\n",
    );
    let Action::Expect(Expect::Values {
        values, comparator, ..
    }) = &script.commands[0].action
    else {
        panic!("{:?}", script.commands);
    };
    let numbers = [9, 9, 9, 9, 1, 7, 2, 3];
    let bytes: Vec<u8> = numbers
        .iter()
        .flat_map(|it: &i32| it.to_le_bytes())
        .collect();
    assert_eq!(
        compare::values(&script, &bytes, values, *comparator, &[]),
        Ok(())
    );
}

fn image<'b>(format: &str, bytes: &'b [u8], width: u32, height: u32) -> Image<'b> {
    Image {
        bytes,
        format: Format::named(format).unwrap(),
        width,
        height,
    }
}

#[test]
fn colors() {
    use spirvkit_amber::{Area, Unit};
    let area = |unit, position, size| Area {
        unit,
        position,
        size,
    };
    // Four texels, of which the right lower one is half as blue.
    let bytes = [
        [255, 0, 0, 255],
        [255, 0, 0, 255],
        [255, 0, 0, 255],
        [128, 0, 0, 255],
    ]
    .concat();
    let texels = image("B8G8R8A8_UNORM", &bytes, 2, 2);
    let blue = [0.0, 0.0, 1.0];
    let wrong = compare::colors(&texels, None, &blue, &[]).unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "at (1, 1): expected (0, 0, 1), found (0, 0, 0.5019607843137255); 1 of 4 texels differ"
    );
    let upper = area(Unit::Share, [0.0, 0.0], [1.0, 0.5]);
    assert_eq!(compare::colors(&texels, Some(&upper), &blue, &[]), Ok(()));
    let lower = area(Unit::Pixel, [1.0, 1.0], [1.0, 1.0]);
    assert!(compare::colors(&texels, Some(&lower), &blue, &[]).is_err());
    let point = area(Unit::Share, [0.9, 0.9], [0.0, 0.0]);
    assert!(
        compare::colors(&texels, Some(&point), &blue, &[]).is_err(),
        "one texel at least"
    );
    let half = [Tolerance::Absolute(0.5)];
    assert_eq!(compare::colors(&texels, Some(&lower), &blue, &half), Ok(()));
    let outside = area(Unit::Pixel, [1.0, 0.0], [2.0, 1.0]);
    let wrong = compare::colors(&texels, Some(&outside), &blue, &[]).unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "there are 2 × 2 texels, but 3 × 1 are expected"
    );
    let short = image("B8G8R8A8_UNORM", &bytes[..15], 2, 2);
    let wrong = compare::colors(&short, None, &blue, &[]).unwrap_err();
    assert_eq!(wrong.to_string(), "there are 15 bytes, but 16 are expected");
    let left = area(Unit::Clip, [-1.0, -1.0], [1.0, 2.0]);
    assert_eq!(compare::colors(&texels, Some(&left), &blue, &[]), Ok(()));
    let right = area(Unit::Clip, [0.0, -1.0], [1.0, 2.0]);
    assert!(compare::colors(&texels, Some(&right), &blue, &[]).is_err());
    let none = image("B8G8R8A8_UNORM", &[], 0, 0);
    assert_eq!(compare::colors(&none, None, &blue, &[]), Ok(()));

    // A step of 8 bits is too much without a tolerance; missing channels are right.
    let red = |value: u8, expected: f64| {
        let bytes = [value];
        let color = [expected / 255.0, 0.25, 0.5, 0.75];
        compare::colors(&image("R8_UNORM", &bytes, 1, 1), None, &color, &[]).is_ok()
    };
    assert!(red(7, 7.0) && !red(7, 8.0) && !red(7, 6.0));
    // Alpha counts only if it is expected.
    let bytes = [255, 0, 0, 9];
    let texel = image("R8G8B8A8_UNORM", &bytes, 1, 1);
    assert_eq!(compare::colors(&texel, None, &[1.0, 0.0, 0.0], &[]), Ok(()));
    assert!(compare::colors(&texel, None, &[1.0, 0.0, 0.0, 1.0], &[]).is_err());
}

fn scalar(name: &str) -> DataType {
    let script = amber(&format!("BUFFER b DATA_TYPE {name} SIZE 1 FILL 0\n"));
    script.buffers[0].ty
}

fn compared(ty: DataType, left: &[u8], right: &[u8], likeness: Likeness) -> Result<(), Mismatch> {
    let script = amber("");
    compare::buffers(&script, ty, Layout::Std430, left, right, likeness)
}

#[test]
fn equal_buffers() {
    let ty = scalar("uint8");
    assert_eq!(compared(ty, &[1, 2], &[1, 2], Likeness::Equal), Ok(()));
    let wrong = compared(ty, &[1, 2, 3], &[1, 4, 5], Likeness::Equal).unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "at byte 1: 0x02 is not 0x04; 2 of 3 bytes differ"
    );
    let wrong = compared(ty, &[1], &[1, 2], Likeness::Equal).unwrap_err();
    assert_eq!(wrong.to_string(), "one has 1 bytes, and the other 2");
}

#[test]
fn mean_errors() {
    let ty = scalar("float");
    let (left, right) = (floats(&[1.0, 2.0]), floats(&[4.0, 6.0]));
    // The root of (9 + 16) / 2.
    let distance = 12.5_f64.sqrt();
    let check = |tolerance| compared(ty, &left, &right, Likeness::RootMeanSquareError(tolerance));
    assert_eq!(check(3.5356), Ok(()));
    let wrong = check(3.5);
    assert_eq!(
        wrong,
        Err(Mismatch::Distance {
            distance,
            tolerance: 3.5
        })
    );
    let nan = floats(&[f32::NAN, 2.0]);
    assert!(compared(ty, &left, &nan, Likeness::RootMeanSquareError(1e9)).is_err());
    assert_eq!(
        compared(ty, &[], &[], Likeness::RootMeanSquareError(0.0)),
        Ok(())
    );
    // Numbers of formats as they are written.
    let format = Shape::Format(Format::named("R8G8_UNORM").unwrap()).into();
    let check = |tolerance| {
        compared(
            format,
            &[0, 0],
            &[3, 4],
            Likeness::RootMeanSquareError(tolerance),
        )
    };
    assert!(check(3.6).is_ok() && check(3.5).is_err());
}

#[test]
fn histograms() {
    let format = Shape::Format(Format::named("R8G8_UNORM").unwrap()).into();
    let check = |left: &[u8], right: &[u8], tolerance| {
        compared(format, left, right, Likeness::HistogramDistance(tolerance))
    };
    // The order of texels doesn't count.
    assert_eq!(check(&[1, 2, 3, 4], &[3, 4, 1, 2], 0.0), Ok(()));
    // One of two greens is moved by 64 of 256: an eighth. The reds are the same.
    let wrong = check(&[5, 0, 5, 0], &[5, 0, 5, 64], 0.1).unwrap_err();
    assert_eq!(wrong.to_string(), "the distance is 0.125, more than 0.1");
    assert!(check(&[5, 0, 5, 0], &[5, 0, 5, 64], 0.125).is_ok());
    assert_eq!(check(&[], &[], 0.0), Ok(()));
    let wrong = compared(
        scalar("float"),
        &[0; 4],
        &[0; 4],
        Likeness::HistogramDistance(1.0),
    );
    assert_eq!(wrong, Err(Mismatch::NoChannels));
}
