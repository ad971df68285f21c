//! Types that lie where decorations say, and naturally where there are none, with numbers
//! worked out by hand.

use spirvkit_analysis::layout::{DeclaredLayouts, Extent, MatrixOrder, Types};
use spirvkit_binary::Id;

use crate::layout::{Assembled, NUMBERS, module};

const LOGICAL: &str = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpName %s \"s\"";

/// The offsets and sizes of the members of `%s`, and its own size and alignment. What no
/// rules lay out takes four bytes.
fn places(module: &Assembled) -> (Vec<(u64, u64)>, (u64, u64)) {
    let types = module.types();
    let known = |extent: Extent| match extent {
        Extent::Fixed(bytes) => bytes,
        other => panic!("{other}"),
    };
    let mut layouts = DeclaredLayouts::or_natural(&types, &|_| (4, 4));
    layouts.lay_out(module.id("s"));
    let members = layouts.members(module.id("s")).iter();
    let members = members.map(|it| (known(it.offset.unwrap()), known(it.layout.unwrap().size)));
    let whole = layouts.get(module.id("s"));
    (members.collect(), (known(whole.size), whole.alignment))
}

#[test]
fn placed_structures_stand_in_others_and_hold_others() {
    let head = "OpMemberDecorate %placed 0 Offset 4
        OpMemberDecorate %placed 1 Offset 32
        OpMemberDecorate %placed 2 Offset 8";
    let types = "%plain = OpTypeStruct %u8 %f64 %u8
        %placed = OpTypeStruct %v3 %u8 %plain
        %array = OpTypeArray %placed %u32_3
        %s = OpTypeStruct %u8 %placed %bool %array";
    let module = module(
        &format!("{LOGICAL}\n{head}"),
        &format!("{NUMBERS}\n{types}"),
    );
    // The plain structure takes 17 bytes, the placed one 33, aligned to 8.
    let members = vec![(0, 1), (8, 33), (44, 4), (48, 2 * 40 + 33)];
    assert_eq!(places(&module), (members, (48 + 113, 8)));
}

#[test]
fn a_member_without_an_offset_follows_those_before() {
    let head = "OpMemberDecorate %s 0 Offset 16";
    let types = "%s = OpTypeStruct %u32 %u8 %f32";
    let module = module(
        &format!("{LOGICAL}\n{head}"),
        &format!("{NUMBERS}\n{types}"),
    );
    let members = vec![(16, 4), (20, 1), (24, 4)];
    assert_eq!(places(&module), (members, (28, 4)));
}

#[test]
fn matrices_are_placed_with_the_arrays_that_hold_them() {
    let head = "OpName %placed \"placed\"
        OpName %array \"array\"
        OpDecorate %placed ArrayStride 64
        OpMemberDecorate %s 0 Offset 0
        OpMemberDecorate %s 0 RowMajor
        OpMemberDecorate %s 0 MatrixStride 16
        OpMemberDecorate %s 1 Offset 128
        OpMemberDecorate %s 1 RowMajor
        OpMemberDecorate %s 1 MatrixStride 16";
    let types = "%matrix = OpTypeMatrix %v3 2
        %placed = OpTypeArray %matrix %u32_2
        %array = OpTypeArray %matrix %u32_2
        %s = OpTypeStruct %placed %array %matrix";
    let module = module(
        &format!("{LOGICAL}\n{head}"),
        &format!("{NUMBERS}\n{types}"),
    );
    // Three rows of eight bytes, the second matrix of them 64 bytes behind the first;
    // without decorations two columns of twelve.
    let members = vec![(0, 64 + 2 * 16 + 8), (128, 2 * 24), (176, 24)];
    assert_eq!(places(&module), (members, (200, 4)));
    let types = module.types();
    let mut layouts = DeclaredLayouts::or_natural(&types, &|_| (4, 4));
    layouts.lay_out(module.id("s"));
    let matrices = layouts.members(module.id("s")).iter();
    let matrices = matrices.map(|member| member.layout.unwrap().matrix.unwrap());
    let matrices: Vec<_> = matrices.map(|it| (it.order, it.stride)).collect();
    let natural = (MatrixOrder::ColumnMajor, Extent::Fixed(12));
    let placed = (MatrixOrder::RowMajor, Extent::Fixed(16));
    assert_eq!(matrices, [placed, natural, natural]);
    let stride = |name| layouts.get(module.id(name)).array_stride;
    assert_eq!(stride("placed"), Some(Extent::Fixed(64)));
    assert_eq!(stride("array"), Some(Extent::Fixed(24)));
}

#[test]
fn vectors_of_kernels_are_aligned_to_their_size() {
    let head = "OpCapability Kernel
        OpCapability Addresses
        OpCapability Vector16
        OpMemoryModel Physical64 OpenCL
        OpName %s \"s\"";
    let types = "%v16 = OpTypeVector %u8 16
        %array = OpTypeArray %v3 %u32_2
        %s = OpTypeStruct %u8 %v3 %u8 %v2 %array %u8 %v16";
    let module = module(head, &format!("{NUMBERS}\n{types}"));
    let members = vec![
        (0, 1),
        (16, 16),
        (32, 1),
        (40, 8),
        (48, 32),
        (80, 1),
        (96, 16),
    ];
    assert_eq!(places(&module), (members, (112, 16)));
}

#[test]
fn a_structure_within_itself_ends() {
    // %1 = OpTypeStruct %1 %2; %2 = OpTypeStruct %1
    let types = [0x0004_001e, 1, 1, 2, 0x0003_001e, 2, 1];
    let words = [&[0x0723_0203, 0x0001_0000, 0, 3, 0][..], &types].concat();
    let index = spirvkit_analysis::ModuleIndex::new(&words).unwrap();
    let types = Types::of(&index);
    let mut layouts = DeclaredLayouts::or_natural(&types, &|_| (4, 4));
    layouts.lay_out(Id(2));
    assert_eq!(layouts.get(Id(2)).size, Extent::Fixed(8));
}
