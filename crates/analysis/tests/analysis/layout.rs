//! Layouts of types that are declared in assembly, with numbers worked out by hand
//! from the rules.

use std::collections::HashMap;

use proptest::prelude::*;
use spirvkit_analysis::layout::{
    DeclaredLayouts, Extent, MatrixDecorations, MatrixOrder, NoLayout, Rules, Types,
};
use spirvkit_analysis::{Lookup, ModuleIndex};
use spirvkit_binary::{Id, LiteralString, Module};
use spirvkit_grammar::{Decoration, Op};

/// A module, and its ids by name.
pub(crate) struct Assembled {
    index: ModuleIndex<'static>,
    names: HashMap<String, Id>,
}

impl Assembled {
    pub(crate) fn types(&self) -> Types<'_> {
        Types::of(&self.index)
    }

    pub(crate) fn id(&self, name: &str) -> Id {
        self.names[name]
    }
}

/// Assembles declarations; ids that tests ask for have an `OpName`.
pub(crate) fn module(head: &str, body: &str) -> Assembled {
    // For the index beside it.
    let words = spirvkit_testing::words(&format!("{head}\n{body}")).leak();
    let module = Module::new(words).unwrap();
    let names = module.instructions().flatten();
    let names = names.filter(|instruction| instruction.op() == Op::Name);
    let names = names.map(|instruction| {
        let [_, id, name @ ..] = instruction.words() else {
            unreachable!()
        };
        let name = LiteralString::at_start_of(name).unwrap();
        (name.to_text_lossy(), Id(*id))
    });
    let names = names.collect();
    let index = ModuleIndex::new(words).unwrap();
    Assembled { index, names }
}

pub(crate) const HEAD: &str = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpName %s \"s\"";

pub(crate) const NUMBERS: &str = "
%f32 = OpTypeFloat 32
%f64 = OpTypeFloat 64
%f16 = OpTypeFloat 16
%u32 = OpTypeInt 32 0
%u64 = OpTypeInt 64 0
%u16 = OpTypeInt 16 0
%u8 = OpTypeInt 8 0
%bool = OpTypeBool
%v2 = OpTypeVector %f32 2
%v3 = OpTypeVector %f32 3
%v4 = OpTypeVector %f32 4
%u32_2 = OpConstant %u32 2
%u32_3 = OpConstant %u32 3
%u32_0 = OpConstant %u32 0
";

/// Offset, alignment and size of a member.
type Row = (u64, u64, u64);

/// The members of `%s`, and its own alignment and size.
fn table(module: &Assembled, rules: Rules) -> (Vec<Row>, (u64, u64)) {
    let types = module.types();
    let layouts = types.lay_out(rules);
    let id = module.id("s");
    let members = layouts.members(id).iter().map(|member| {
        let layout = member.layout.unwrap();
        let offset = member.offset.unwrap().known().unwrap();
        (offset, layout.alignment, layout.size.known().unwrap())
    });
    let members = members.collect();
    let layout = layouts.get(id).unwrap();
    (members, (layout.alignment, layout.size.known().unwrap()))
}

#[test]
fn a_structure_of_scalars_and_vectors() {
    let module = module(
        HEAD,
        &format!("{NUMBERS}%s = OpTypeStruct %f32 %v2 %f32 %v3 %f32 %v4 %u8"),
    );
    assert_eq!(
        table(&module, Rules::Std140),
        (
            vec![
                (0, 4, 4),
                (8, 8, 8),
                (16, 4, 4),
                (32, 16, 12),
                (44, 4, 4),
                (48, 16, 16),
                (64, 1, 1)
            ],
            (16, 80)
        )
    );
    assert_eq!(table(&module, Rules::Std430), table(&module, Rules::Std140));
    assert_eq!(
        table(&module, Rules::Scalar),
        (
            vec![
                (0, 4, 4),
                (4, 4, 8),
                (12, 4, 4),
                (16, 4, 12),
                (28, 4, 4),
                (32, 4, 16),
                (48, 1, 1)
            ],
            (4, 49)
        )
    );
}

/// The example of `ARB_uniform_buffer_object`'s section on `std140`, whose
/// offsets are those of its own comments.
#[test]
fn the_worked_example_of_uniform_buffers() {
    let module = module(
        HEAD,
        // float a; vec2 b; vec3 c; struct { int d; bvec2 e; } f; float g; float
        // h[2]; mat2x3 i; struct { uvec3 j; vec2 k; float l[2]; vec2 m; mat3 n[2]; }
        // o[2]. Booleans are 32-bit integers in a block.
        &format!(
            "{NUMBERS}
%uv2 = OpTypeVector %u32 2
%uv3 = OpTypeVector %u32 3
%f = OpTypeStruct %u32 %uv2
%h = OpTypeArray %f32 %u32_2
%i = OpTypeMatrix %v3 2
%mat3 = OpTypeMatrix %v3 3
%n = OpTypeArray %mat3 %u32_2
%o = OpTypeStruct %uv3 %v2 %h %v2 %n
%os = OpTypeArray %o %u32_2
%s = OpTypeStruct %f32 %v2 %v3 %f %f32 %h %i %os"
        ),
    );
    let (members, whole) = table(&module, Rules::Std140);
    let offsets: Vec<u64> = members.iter().map(|member| member.0).collect();
    assert_eq!(offsets, [0, 8, 16, 32, 48, 64, 96, 128]);
    // o[0] takes 128 to 304, and o[1] 304 to 480.
    assert_eq!(members[7], (128, 16, 352));
    assert_eq!(whole, (16, 480));
}

#[test]
fn inner_structures_of_the_worked_example() {
    let module = module(
        HEAD,
        &format!(
            "{NUMBERS}
%uv3 = OpTypeVector %u32 3
%l = OpTypeArray %f32 %u32_2
%mat3 = OpTypeMatrix %v3 3
%n = OpTypeArray %mat3 %u32_2
%s = OpTypeStruct %uv3 %v2 %l %v2 %n"
        ),
    );
    // j at 128, k at 144, l at 160, m at 192, n at 208 to 304.
    assert_eq!(
        table(&module, Rules::Std140),
        (
            vec![
                (0, 16, 12),
                (16, 8, 8),
                (32, 16, 32),
                (64, 8, 8),
                (80, 16, 96)
            ],
            (16, 176)
        )
    );
    // l is tight: 24 to 32; m at 32; n at 48.
    assert_eq!(
        table(&module, Rules::Std430),
        (
            vec![
                (0, 16, 12),
                (16, 8, 8),
                (24, 4, 8),
                (32, 8, 8),
                (48, 16, 96)
            ],
            (16, 144)
        )
    );
    // Columns of 12 bytes.
    assert_eq!(
        table(&module, Rules::Scalar),
        (
            vec![(0, 4, 12), (12, 4, 8), (20, 4, 8), (28, 4, 8), (36, 4, 72)],
            (4, 108)
        )
    );
}

#[test]
fn matrices_lie_by_columns_or_rows() {
    // mat2x3: two columns of three rows.
    let body = format!("{NUMBERS}%mat = OpTypeMatrix %v3 2\n%s = OpTypeStruct %mat %mat %f32");
    let module = module(
        &format!("{HEAD}\nOpMemberDecorate %s 1 RowMajor\nOpMemberDecorate %s 0 ColMajor"),
        &body,
    );
    let strides = |rules| {
        let layouts = module.types().lay_out(rules);
        let matrices = layouts.members(module.id("s"))[..2].iter();
        let strides = matrices.map(|member| {
            let matrix = member.layout.unwrap().matrix.unwrap();
            (matrix.order, matrix.stride.known().unwrap())
        });
        strides.collect::<Vec<_>>()
    };
    use MatrixOrder::{ColumnMajor, RowMajor};
    assert_eq!(strides(Rules::Std140), [(ColumnMajor, 16), (RowMajor, 16)]);
    assert_eq!(strides(Rules::Std430), [(ColumnMajor, 16), (RowMajor, 8)]);
    assert_eq!(strides(Rules::Scalar), [(ColumnMajor, 12), (RowMajor, 8)]);
    let (members, whole) = table(&module, Rules::Std140);
    assert_eq!(members, [(0, 16, 32), (32, 16, 48), (80, 4, 4)]);
    assert_eq!(whole, (16, 96));
    let (members, whole) = table(&module, Rules::Std430);
    assert_eq!(members, [(0, 16, 32), (32, 8, 24), (56, 4, 4)]);
    assert_eq!(whole, (16, 64));
    let (members, whole) = table(&module, Rules::Scalar);
    assert_eq!(members, [(0, 4, 24), (24, 4, 24), (48, 4, 4)]);
    assert_eq!(whole, (4, 52));
}

#[test]
fn wide_and_narrow_numbers() {
    let module = module(
        HEAD,
        &format!(
            "{NUMBERS}%v3f64 = OpTypeVector %f64 3
%v2f16 = OpTypeVector %f16 2
%inner = OpTypeStruct %f64 %f32
%pair = OpTypeArray %inner %u32_2
%s = OpTypeStruct %u8 %u16 %v2f16 %v3f64 %pair %u8 %u64"
        ),
    );
    assert_eq!(
        table(&module, Rules::Std140),
        (
            vec![
                (0, 1, 1),
                (2, 2, 2),
                (4, 4, 4),
                (32, 32, 24),
                (64, 16, 32),
                (96, 1, 1),
                (104, 8, 8)
            ],
            (32, 128)
        )
    );
    assert_eq!(
        table(&module, Rules::Std430),
        (
            vec![
                (0, 1, 1),
                (2, 2, 2),
                (4, 4, 4),
                (32, 32, 24),
                (56, 8, 32),
                (88, 1, 1),
                (96, 8, 8)
            ],
            (32, 128)
        )
    );
    // The second element of the array ends with its last byte, at 32 + 16 + 12.
    assert_eq!(
        table(&module, Rules::Scalar),
        (
            vec![
                (0, 1, 1),
                (2, 2, 2),
                (4, 2, 4),
                (8, 8, 24),
                (32, 8, 28),
                (60, 1, 1),
                (64, 8, 8)
            ],
            (8, 72)
        )
    );
}

#[test]
fn decorations_say_where_things_are() {
    let module = module(
        &format!(
            "{HEAD}
OpName %mats \"mats\"
OpMemberDecorate %s 0 Offset 64
OpMemberDecorate %s 1 Offset 8
OpMemberDecorate %s 1 MatrixStride 24
OpMemberDecorate %s 1 RowMajor
OpDecorate %mats ArrayStride 100
OpDecorate %mats2 ArrayStride 400"
        ),
        &format!(
            "{NUMBERS}%mat = OpTypeMatrix %v3 2
%mats = OpTypeArray %mat %u32_3
%mats2 = OpTypeArray %mats %u32_2
%s = OpTypeStruct %f32 %mats2"
        ),
    );
    let layouts = module.types().lay_out(Rules::Explicit);
    let [first, second] = layouts.members(module.id("s")) else {
        panic!()
    };
    assert_eq!(first.offset, Ok(Extent::Fixed(64)));
    assert_eq!(second.offset, Ok(Extent::Fixed(8)));
    // Three rows of two components, the last of which begins at 400 + 200 + 48.
    let layout = second.layout.unwrap();
    assert_eq!(layout.size, Extent::Fixed(400 + 200 + 48 + 8));
    assert_eq!(layout.array_stride, Some(Extent::Fixed(400)));
    assert_eq!(layout.matrix.unwrap().stride, Extent::Fixed(24));
    assert_eq!(
        layouts.get(module.id("s")).unwrap().size,
        Extent::Fixed(664)
    );
    // Out of a structure, nothing says how the matrices lie.
    assert_eq!(
        layouts.get(module.id("mats")),
        Err(NoLayout::Undecorated(Decoration::MatrixStride))
    );
}

#[test]
fn groups_and_ids_decorate_as_well() {
    let module = module(
        "OpCapability Shader
OpCapability DescriptorHeapEXT
OpExtension \"SPV_EXT_descriptor_heap\"
OpMemoryModel Logical GLSL450
OpName %s \"s\"
OpName %array \"array\"
OpDecorate %at4 Offset 4
%at4 = OpDecorationGroup
OpDecorate %stride ArrayStride 12
%stride = OpDecorationGroup
OpGroupDecorate %stride %array
OpGroupMemberDecorate %at4 %s 1 %s 9
OpMemberDecorateIdEXT %s 0 OffsetIdEXT %u32_2
OpMemberDecorateIdEXT %s 2 OffsetIdEXT %spec
OpDecorateId %heap ArrayStrideIdEXT %spec",
        &format!(
            "{NUMBERS}%spec = OpSpecConstant %u32 40
%array = OpTypeArray %f32 %u32_2
%heap = OpTypeRuntimeArray %f32
%s = OpTypeStruct %f32 %array %heap"
        ),
    );
    let layouts = module.types().lay_out(Rules::Explicit);
    let members = layouts.members(module.id("s"));
    assert_eq!(members[0].offset, Ok(Extent::Fixed(2)));
    assert_eq!(members[1].offset, Ok(Extent::Fixed(4)));
    assert_eq!(members[2].offset, Ok(Extent::Default(40)));
    assert_eq!(members[1].layout.unwrap().size, Extent::Fixed(16));
    let heap = members[2].layout.unwrap();
    assert_eq!(heap.array_stride, Some(Extent::Default(40)));
    assert_eq!(heap.size, Extent::Runtime);
}

#[test]
fn run_time_arrays_have_a_stride_and_no_size() {
    let body = format!("{NUMBERS}%array = OpTypeRuntimeArray %v3\n%s = OpTypeStruct %f32 %array");
    let module = module(HEAD, &body);
    let layouts = module.types().lay_out(Rules::Std430);
    let [first, array] = layouts.members(module.id("s")) else {
        panic!()
    };
    assert_eq!(first.offset, Ok(Extent::Fixed(0)));
    assert_eq!(array.offset, Ok(Extent::Fixed(16)));
    assert_eq!(array.layout.unwrap().array_stride, Some(Extent::Fixed(16)));
    assert_eq!(array.layout.unwrap().size, Extent::Runtime);
    assert_eq!(layouts.get(module.id("s")).unwrap().size, Extent::Runtime);
}

#[test]
fn pointers_are_numbers_where_addresses_are() {
    let body = "OpTypeForwardPointer %pointer PhysicalStorageBuffer
%f32 = OpTypeFloat 32
%s = OpTypeStruct %f32 %pointer
%pointer = OpTypePointer PhysicalStorageBuffer %s
%logical = OpTypePointer Uniform %s";
    let head = |addressing| {
        format!(
            "OpCapability Shader
OpMemoryModel {addressing} GLSL450
OpName %s \"s\"
OpName %logical \"logical\""
        )
    };
    let logical = module(&head("PhysicalStorageBuffer64"), body);
    assert_eq!(table(&logical, Rules::Std430).0, [(0, 4, 4), (8, 8, 8)]);
    let layouts = logical.types().lay_out(Rules::Std430);
    assert_eq!(layouts.get(logical.id("logical")), Err(NoLayout::Opaque));
    for (addressing, size) in [("Physical32", 4), ("Physical64", 8)] {
        let module = module(&head(addressing), body);
        let layouts = module.types().lay_out(Rules::Scalar);
        let pointer = layouts.get(module.id("logical")).unwrap();
        assert_eq!(
            (pointer.size, pointer.alignment),
            (Extent::Fixed(size), size)
        );
    }
}

#[test]
fn what_has_no_form_in_memory_says_so() {
    let module = module(
        &format!(
            "{HEAD}\nOpName %image \"image\"\nOpName %coop \"coop\"\nOpName %four \"four\"\nOpName %f32 \"f32\"\nOpName %bvec \"bvec\""
        ),
        &format!(
            "{NUMBERS}%image = OpTypeImage %f32 2D 0 0 0 1 Unknown
%coop = OpTypeCooperativeMatrixKHR %f32 %u32_3 %u32_2 %u32_2 %u32_0
%four = OpTypeInt 4 0
%bvec = OpTypeVector %bool 4
%s = OpTypeStruct %f32 %image %f32"
        ),
    );
    for rules in Rules::ALL {
        let layouts = module.types().lay_out(rules);
        for name in ["image", "coop", "four", "bvec"] {
            assert_eq!(
                layouts.get(module.id(name)),
                Err(NoLayout::Opaque),
                "{name}"
            );
        }
        assert_eq!(
            layouts.get(module.id("f32")).unwrap().size,
            Extent::Fixed(4)
        );
        assert_eq!(layouts.get(Id(5000)), Err(NoLayout::Undefined));
        assert_eq!(layouts.members(Id(5000)), []);
    }
    let layouts = module.types().lay_out(Rules::Scalar);
    assert_eq!(layouts.get(module.id("s")), Err(NoLayout::Opaque));
    let offsets = layouts
        .members(module.id("s"))
        .iter()
        .map(|member| member.offset);
    let opaque = Err(NoLayout::Opaque);
    assert_eq!(
        offsets.collect::<Vec<_>>(),
        [Ok(Extent::Fixed(0)), opaque, opaque]
    );
    let layouts = module.types().lay_out(Rules::Explicit);
    let first = layouts.members(module.id("s"))[0];
    assert_eq!(first.offset, Err(NoLayout::Undecorated(Decoration::Offset)));
}

#[test]
fn hostile_sizes_are_too_large() {
    let mut body =
        format!("{NUMBERS}%most = OpConstant %u64 0xffffffff\n%a0 = OpTypeArray %v4 %most\n");
    for depth in 1..4 {
        body += &format!("%a{depth} = OpTypeArray %a{} %most\n", depth - 1);
    }
    body += "%inner = OpTypeStruct %a3\n%s = OpTypeStruct %inner %f32";
    let module = module(HEAD, &body);
    for rules in [Rules::Std140, Rules::Std430, Rules::Scalar] {
        let layouts = module.types().lay_out(rules);
        assert_eq!(layouts.get(module.id("s")).unwrap().size, Extent::TooLarge);
        assert_eq!(
            layouts.members(module.id("s"))[1].offset,
            Ok(Extent::TooLarge)
        );
    }
}

#[test]
fn depth_costs_no_stack() {
    let depth = 50_000;
    let mut body = format!("{NUMBERS}%mat = OpTypeMatrix %v4 4\n%s0 = OpTypeStruct %mat\n");
    for level in 1..=depth {
        body += &format!("%s{level} = OpTypeStruct %s{}\n", level - 1);
    }
    body += &format!("%s = OpTypeStruct %s{depth}");
    let module = module(HEAD, &body);
    let layouts = module.types().lay_out(Rules::Std140);
    assert_eq!(layouts.get(module.id("s")).unwrap().size, Extent::Fixed(64));
}

#[test]
fn a_type_within_itself_is_undefined() {
    // %1 = OpTypeStruct %1 %2; %2 = OpTypeStruct %1
    let words = [
        0x0723_0203,
        0x0001_0000,
        0,
        3,
        0,
        0x0004_001e,
        1,
        1,
        2,
        0x0003_001e,
        2,
        1,
    ];
    let index = ModuleIndex::new(&words).unwrap();
    for rules in Rules::ALL {
        let layouts = Types::of(&index).lay_out(rules);
        assert!(layouts.get(Id(1)).is_err());
        assert!(layouts.get(Id(2)).is_err());
    }
}

/// Opcodes that layouts look at.
const OPCODES: [u16; 20] = [
    17, 14, 20, 21, 22, 23, 24, 28, 29, 30, 32, 43, 46, 50, 52, 71, 72, 73, 74, 75,
];

proptest! {
    #[test]
    fn nothing_panics(
        instructions in prop::collection::vec(
            (prop::sample::select(&OPCODES[..]), prop::collection::vec(
                prop_oneof![0u32..12, Just(32), Just(64), any::<u32>()], 0..6)),
            0..60,
        )
    ) {
        let mut words = vec![0x0723_0203, 0x0001_0000, 0, 3, 0];
        for (opcode, operands) in instructions {
            words.push((operands.len() as u32 + 1) << 16 | u32::from(opcode));
            words.extend(operands);
        }
        let index = ModuleIndex::new(&words).unwrap();
        let types = Types::of(&index);
        for rules in Rules::ALL {
            let layouts = types.lay_out(rules);
            for ty in types.iter() {
                if let Ok(layout) = layouts.get(ty) {
                    prop_assert!(layout.alignment > 0);
                }
                let _ = layouts.members(ty);
            }
            for mut declared in [
                DeclaredLayouts::new(&types, rules, &|_| (0, 1)),
                DeclaredLayouts::or_natural(&types, &|_| (0, 1)),
            ] {
                for ty in (0..12).rev().map(Id) {
                    let laid_out = declared.lay_out(ty);
                    prop_assert!(laid_out.iter().all(|&ty| declared.get(ty).alignment > 0));
                    prop_assert!(declared.lay_out(ty).is_empty());
                }
            }
        }
    }
}

#[test]
fn constants_have_values_and_arrays_strides() {
    let module = module(
        "OpName %length \"length\"
        OpName %none \"none\"
        OpName %part \"part\"
        OpName %vectors \"vectors\"
        OpName %plain \"plain\"
        OpDecorate %vectors ArrayStride 48",
        "%uint = OpTypeInt 32 0
        %float = OpTypeFloat 32
        %pair = OpTypeVector %uint 2
        %length = OpConstant %uint 3
        %none = OpConstant %float 3
        %x = OpSpecConstant %uint 7
        %size = OpSpecConstantComposite %pair %length %x
        %part = OpSpecConstantOp %uint CompositeExtract %size 1
        %vectors = OpTypeArray %pair %part
        %plain = OpTypeArray %pair %length",
    );
    let types = module.types();
    let constant = |name: &str| types.constant(module.id(name));
    assert_eq!(constant("length"), Some(Extent::Fixed(3)));
    assert_eq!(constant("none"), None);
    assert_eq!(constant("part"), Some(Extent::Default(7)));
    let stride = |name: &str| types.stride(module.id(name));
    assert_eq!(stride("vectors"), Some(Ok(Extent::Fixed(48))));
    assert_eq!(stride("plain"), None);
    let layouts = types.lay_out(Rules::Explicit);
    let vectors = layouts.get(module.id("vectors")).unwrap();
    assert_eq!(vectors.size, Extent::Default(6 * 48 + 8));
}

const DECLARED: &str = "
OpName %inner \"inner\"
OpName %mats \"mats\"
OpName %bools \"bools\"
OpName %later \"later\"
OpMemberDecorate %inner 0 Offset 0
OpMemberDecorate %inner 1 Offset 4
OpMemberDecorate %s 0 Offset 8
OpMemberDecorate %s 1 Offset 32
OpMemberDecorate %s 1 RowMajor
OpMemberDecorate %s 1 MatrixStride 24
OpMemberDecorate %s 2 Offset 512
OpMemberDecorate %later 0 Offset 16
OpDecorate %mats ArrayStride 100
OpDecorate %bools ArrayStride 4";

const DECLARED_TYPES: &str = "%mat = OpTypeMatrix %v3 2
%mats = OpTypeArray %mat %u32_3
%bools = OpTypeArray %bool %u32_3
%some = OpSpecConstant %u32 7
%plain = OpTypeArray %v4 %some
%inner = OpTypeStruct %u32 %v2
%s = OpTypeStruct %inner %mats %bools %plain
%later = OpTypeStruct %inner";

#[test]
fn what_decorations_place_is_aligned_by_rules() {
    let module = module(
        &format!("{HEAD}{DECLARED}"),
        &format!("{NUMBERS}{DECLARED_TYPES}"),
    );
    let types = module.types();
    let booleans = |_| (4, 4);
    let of = |rules| {
        let mut layouts = DeclaredLayouts::new(&types, rules, &booleans);
        layouts.lay_out(module.id("s"));
        let alignments = layouts.members(module.id("s")).iter();
        let alignments: Vec<u64> = alignments.map(|it| it.layout.unwrap().alignment).collect();
        (alignments, layouts.get(module.id("s")))
    };
    // Rows of two components, and of the array without a stride the alignment.
    assert_eq!(of(Rules::Std140).0, [16, 16, 16, 16]);
    assert_eq!(of(Rules::Std430).0, [8, 8, 4, 16]);
    assert_eq!(of(Rules::Scalar).0, [4, 4, 4, 4]);
    for rules in [Rules::Std140, Rules::Std430, Rules::Scalar] {
        // No offset, no stride and no known length: the last member adds nothing that is
        // sure, and padding is not declared. Three booleans of 4 bytes end at 524.
        assert_eq!(of(rules).1.size, Extent::Fixed(524));
    }
}

#[test]
fn what_decorations_leave_open_is_reported_member_by_member() {
    let module = module(
        &format!("{HEAD}{DECLARED}"),
        &format!("{NUMBERS}{DECLARED_TYPES}"),
    );
    let types = module.types();
    let mut layouts = DeclaredLayouts::new(&types, Rules::Std430, &|_| (4, 4));
    layouts.lay_out(module.id("s"));
    let [inner, mats, bools, plain] = layouts.members(module.id("s")) else {
        panic!()
    };
    assert_eq!(inner.offset, Ok(Extent::Fixed(8)));
    assert_eq!(plain.offset, Err(NoLayout::Undecorated(Decoration::Offset)));
    assert_eq!(bools.layout.unwrap().array_stride, Some(Extent::Fixed(4)));
    assert_eq!(plain.layout.unwrap().array_stride, None);
    assert_eq!(plain.matrix, MatrixDecorations::default());
    assert_eq!(mats.matrix.stride, Some(24));
    assert_eq!(mats.matrix.order, Some(MatrixOrder::RowMajor));
    // Three matrices of three rows of two components.
    assert_eq!(mats.layout.unwrap().size, Extent::Fixed(200 + 48 + 8));
    let one = layouts.in_member(
        types.iter().find(|&ty| is_matrix(&module, ty)).unwrap(),
        mats.matrix,
    );
    assert_eq!(one.size, Extent::Fixed(48 + 8));
}

fn is_matrix(module: &Assembled, ty: Id) -> bool {
    module.index.op_of(ty) == Op::TypeMatrix
}

#[test]
fn types_are_laid_out_once_when_they_are_asked_for() {
    let module = module(
        &format!("{HEAD}{DECLARED}"),
        &format!("{NUMBERS}{DECLARED_TYPES}"),
    );
    let types = module.types();
    let mut layouts = DeclaredLayouts::new(&types, Rules::Std430, &|_| (4, 4));
    assert_eq!(layouts.lay_out(module.id("inner")), [module.id("inner")]);
    // What is known stays known.
    assert_eq!(layouts.lay_out(module.id("later")), [module.id("later")]);
    assert_eq!(layouts.get(module.id("inner")).size, Extent::Fixed(12));
    assert_eq!(layouts.get(module.id("later")).size, Extent::Fixed(28));
    assert_eq!(layouts.get(module.id("later")).alignment, 8);
    let rest = layouts.lay_out(module.id("s"));
    assert!(rest.contains(&module.id("mats")), "{rest:?}");
    assert_eq!(rest.last(), Some(&module.id("s")));
    assert!(!rest.contains(&module.id("inner")));
    assert_eq!(layouts.lay_out(module.id("s")), []);
}
