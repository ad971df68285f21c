//! Layouts side by side.

use spirvkit_analysis::ModuleIndex;
use spirvkit_analysis::layout::{Aspect, Comparison, Extent, Row, Rules, Types};
use spirvkit_binary::Id;

fn with_types<T>(text: &str, look: impl FnOnce(&Types<'_>) -> T) -> T {
    let words = spirvkit_testing::words(text);
    look(&Types::of(&ModuleIndex::new(&words).unwrap()))
}

/// All rows of a structure.
struct Compared {
    rows: Vec<Row>,
    is_cut: bool,
}

fn compare(text: &str, root: u32) -> Compared {
    with_types(text, |types| {
        let layouts = types.lay_out_all();
        let comparison = Comparison::new(types, &layouts);
        let mut found = comparison.rows(Id(root));
        let rows = found.by_ref().collect();
        Compared {
            rows,
            is_cut: found.is_cut(),
        }
    })
}

/// `struct Light { vec3 direction; float range; }`, two of which an array holds behind
/// a float, laid out by std140; then a float that comes 16 bytes late.
const LIGHTS: &str = "
    OpMemberDecorate %10 0 Offset 0
    OpMemberDecorate %10 1 Offset 12
    OpDecorate %11 ArrayStride 16
    OpMemberDecorate %12 0 Offset 0
    OpMemberDecorate %12 1 Offset 16
    OpMemberDecorate %12 2 Offset 64
    %1 = OpTypeFloat 32
    %2 = OpTypeVector %1 3
    %3 = OpTypeInt 32 0
    %4 = OpConstant %3 2
    %10 = OpTypeStruct %2 %1
    %11 = OpTypeArray %10 %4
    %12 = OpTypeStruct %1 %11 %1";

#[test]
fn members_of_members_follow_them() {
    let comparison = compare(LIGHTS, 12);
    let rows: Vec<_> = comparison
        .rows
        .iter()
        .map(|row| (row.depth, row.structure.0, row.member))
        .collect();
    let expected = [
        (0, 12, Some(0)),
        (0, 12, Some(1)),
        (1, 10, Some(0)),
        (1, 10, Some(1)),
        (0, 12, Some(2)),
        // std140 rounds 52 up to 64.
        (0, 12, None),
    ];
    assert_eq!(rows, expected);
    assert!(!comparison.is_cut);
    assert_eq!(comparison.rows[1].inner, Some(Id(10)));
    let range = &comparison.rows[3];
    let starts = Rules::ALL.map(|rules| range.place(rules).start.unwrap().known());
    // std140, std430, scalar, declared.
    assert_eq!(starts, [Some(28), Some(28), Some(16), Some(28)]);
}

#[test]
fn holes_and_differences_are_reported() {
    let comparison = compare(LIGHTS, 12);
    let hole = |row: usize, rules| comparison.rows[row].place(rules).hole;
    assert_eq!(hole(1, Rules::Explicit), 12);
    assert_eq!(hole(1, Rules::Scalar), 0);
    assert_eq!(hole(4, Rules::Explicit), 16);
    assert_eq!(hole(4, Rules::Std140), 0);
    assert_eq!(hole(5, Rules::Std140), 12);
    let last = &comparison.rows[4];
    assert!(last.place(Rules::Std140).offset_differs);
    assert!(!comparison.rows[1].place(Rules::Std140).offset_differs);
    assert!(!comparison.rows[1].place(Rules::Std140).stride_differs);
    assert!(comparison.rows[1].place(Rules::Scalar).offset_differs);
}

#[test]
fn members_that_share_bytes_overlap() {
    let comparison = compare(
        "OpMemberDecorate %2 0 Offset 2
        OpMemberDecorate %2 1 Offset 0
        %1 = OpTypeFloat 32
        %2 = OpTypeStruct %1 %1",
        2,
    );
    let overlaps: Vec<bool> = comparison
        .rows
        .iter()
        .filter(|row| row.member.is_some())
        .map(|row| row.place(Rules::Explicit).overlaps)
        .collect();
    // The second begins first.
    assert_eq!(overlaps, [true, false]);
}

/// Two matrices of four rows in arrays of arrays: `mat2x4 m[3][2]`, row-major.
const MATRICES: &str = "
    OpMemberDecorate %8 0 Offset 0
    OpMemberDecorate %8 0 RowMajor
    OpMemberDecorate %8 0 MatrixStride 16
    OpDecorate %6 ArrayStride 64
    OpDecorate %7 ArrayStride 128
    %1 = OpTypeFloat 32
    %2 = OpTypeVector %1 4
    %3 = OpTypeInt 32 0
    %4 = OpConstant %3 2
    %14 = OpConstant %3 3
    %5 = OpTypeMatrix %2 2
    %6 = OpTypeArray %5 %4
    %7 = OpTypeArray %6 %14
    %8 = OpTypeStruct %7";

#[test]
fn strides_are_reported_of_arrays_in_arrays() {
    let comparison = compare(MATRICES, 8);
    let strides = |rules| -> Vec<_> {
        let place = comparison.rows[0].place(rules);
        place.strides.iter().map(|stride| stride.unwrap()).collect()
    };
    // Four rows of two floats: 16 bytes a row by std140, 8 otherwise.
    assert_eq!(strides(Rules::Explicit), [128, 64].map(Extent::Fixed));
    assert_eq!(strides(Rules::Std140), [128, 64].map(Extent::Fixed));
    assert_eq!(strides(Rules::Std430), [64, 32].map(Extent::Fixed));
    assert!(comparison.rows[0].place(Rules::Std430).stride_differs);
    assert!(!comparison.rows[0].place(Rules::Std140).stride_differs);
}

#[test]
fn differences_name_what_differs() {
    let of = |text: &str, rules, root| {
        with_types(text, |types| {
            let [declared, ruled] = [Rules::Explicit, rules].map(|it| types.lay_out(it));
            types.differences(&declared, &ruled, Id(root))
        })
    };
    assert_eq!(of(MATRICES, Rules::Std140, 8), []);
    let aspects: Vec<_> = of(MATRICES, Rules::Std430, 8)
        .iter()
        .map(|it| it.what)
        .collect();
    let strides = [
        Aspect::ArrayStride,
        Aspect::ArrayStride,
        Aspect::MatrixStride,
    ];
    assert_eq!(aspects, strides);
    let late = of(LIGHTS, Rules::Std140, 12);
    assert_eq!(late.len(), 1);
    assert_eq!((late[0].structure, late[0].member), (Id(12), 2));
    assert_eq!(late[0].declared, Ok(Extent::Fixed(64)));
    assert_eq!(late[0].ruled, Ok(Extent::Fixed(48)));
}

#[test]
fn what_doubles_with_every_level_is_cut() {
    let mut text = "%1 = OpTypeFloat 32\n%100 = OpTypeStruct %1 %1\n".to_owned();
    for level in 101..160 {
        text += &format!("%{level} = OpTypeStruct %{0} %{0}\n", level - 1);
    }
    let comparison = compare(&text, 159);
    assert!(comparison.is_cut && comparison.rows.len() < 10_000);
    let sum = |rules| {
        with_types(&text, |types| {
            let [declared, ruled] = [Rules::Explicit, rules].map(|it| types.lay_out(it));
            types.differences(&declared, &ruled, Id(159)).len()
        })
    };
    // Each structure counts once.
    assert_eq!(sum(Rules::Scalar), 120);
}
