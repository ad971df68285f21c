//! Types, constants and names.

use spirvkit::grammar::{Capability, Decoration, Op, StorageClass};

use super::maker::{Maker, Side};
use super::{Shape, shape};

pub(super) const SHAPES: &[Shape] = &[
    shape("shared-struct", "blocks × members", shared_struct),
    shape("nested-arrays", "length of arrays, a level", nested_arrays),
    shape("exponential-struct", "2, a type", exponential_struct),
    shape(
        "exponential-block",
        "2, a type of a block",
        exponential_block,
    ),
    shape("pointer-chain", "pointers × depth", pointer_chain),
    shape("self-containing", "structures × members", self_containing),
    shape("long-name-used", "instructions × name", long_name_used),
    shape("long-names", "names of the longest kind", long_names),
    shape("wide-table", "rows × the widest cell", wide_table),
    shape("names-of-one-id", "names × the same id", names_of_one_id),
    shape("same-name", "ids × the same name", same_name),
    shape(
        "decorations-of-one-id",
        "decorations × uses",
        decorations_of_one_id,
    ),
    shape("spec-arrays", "length of arrays, a level", spec_arrays),
    shape("spec-uses", "uses × constituents", spec_uses),
    shape("spec-inserts", "changes × constituents", spec_inserts),
    shape("spec-chain", "operations on operations", spec_chain),
    shape(
        "exponential-constant",
        "2, a constant",
        exponential_constant,
    ),
    shape("redefined", "definitions × uses", redefined),
    shape("interface-blocks", "inputs × members", interface_blocks),
    shape(
        "group-strings",
        "targets × string of a group",
        group_strings,
    ),
];

/// Decorates a structure as a block, with the offsets of members of one size.
fn decorate_block(maker: &mut Maker, structure: u32, members: usize, size: u32) {
    maker.put(Op::Decorate, &[structure, Decoration::Block.0]);
    decorate_offsets(maker, structure, members, size);
}

fn decorate_offsets(maker: &mut Maker, structure: u32, members: usize, size: u32) {
    for member in 0..members as u32 {
        let offset = member.wrapping_mul(size);
        let operands = [structure, member, Decoration::Offset.0, offset];
        maker.put(Op::MemberDecorate, &operands);
    }
}

/// A buffer that holds a structure, which is no block itself.
fn buffer_of(maker: &mut Maker, inner: u32, binding: u32) {
    let outer = structure(maker, inner, 1);
    decorate_block(maker, outer, 1, 4);
    buffer(maker, outer, binding);
}

/// A buffer of a block, bound.
fn buffer(maker: &mut Maker, structure: u32, binding: u32) -> u32 {
    let class = StorageClass::StorageBuffer.0;
    let pointer = maker.result(Op::TypePointer, &[class, structure]);
    let buffer = maker.value(Op::Variable, pointer, &[class]);
    maker.put(Op::Decorate, &[buffer, Decoration::DescriptorSet.0, 0]);
    maker.put(Op::Decorate, &[buffer, Decoration::Binding.0, binding]);
    buffer
}

fn array(maker: &mut Maker, element: u32, length: u32, stride: u32) -> u32 {
    let length = maker.number(length);
    let array = maker.result(Op::TypeArray, &[element, length]);
    maker.put(Op::Decorate, &[array, Decoration::ArrayStride.0, stride]);
    array
}

/// A structure of this many members of a type.
fn structure(maker: &mut Maker, member: u32, members: usize) -> u32 {
    maker.result(Op::TypeStruct, &vec![member; members])
}

fn shared_struct(maker: &mut Maker) {
    let members = maker.count(40, 6).min(16_000);
    let inner = structure(maker, maker.uint, members);
    decorate_offsets(maker, inner, members, 4);
    let mut number = 0;
    while maker.left(100) > 0 {
        buffer_of(maker, inner, number);
        number += 1;
    }
    maker.main(|_| {});
}

fn nested_arrays(maker: &mut Maker) {
    let mut inner = maker.uint;
    let mut number = 0;
    while maker.left(100) > 0 {
        let array = array(maker, inner, 64, 4);
        inner = structure(maker, array, 8);
        decorate_offsets(maker, inner, 8, 4);
        buffer_of(maker, inner, number);
        number += 1;
    }
    maker.main(|_| {});
}

fn exponential_struct(maker: &mut Maker) {
    let mut inner = maker.uint;
    while maker.left(100) > 0 {
        inner = structure(maker, inner, 2);
    }
    let pointer = maker.result(Op::TypePointer, &[StorageClass::Private.0, inner]);
    let variable = maker.value(Op::Variable, pointer, &[StorageClass::Private.0]);
    maker.name(variable, "tree");
    maker.linkage(variable, "tree");
    maker.main(|maker| {
        maker.value(Op::Load, inner, &[variable]);
    });
}

fn exponential_block(maker: &mut Maker) {
    let mut inner = maker.uint;
    let mut number = 0;
    while maker.left(100) > 0 {
        inner = structure(maker, inner, 2);
        decorate_offsets(maker, inner, 2, 4);
        maker.name(inner, "Tree");
        buffer_of(maker, inner, number);
        number += 1;
    }
    maker.main(|_| {});
}

fn pointer_chain(maker: &mut Maker) {
    let mut inner = maker.uint;
    while maker.left(100) > 0 {
        inner = maker.result(Op::TypePointer, &[StorageClass::Private.0, inner]);
        let variable = maker.value(Op::Variable, inner, &[StorageClass::Private.0]);
        maker.linkage(variable, &variable.to_string());
    }
    maker.main(|_| {});
}

/// Structures that hold pointers to themselves and to each other.
fn self_containing(maker: &mut Maker) {
    maker.put(
        Op::Capability,
        &[Capability::PhysicalStorageBufferAddresses.0],
    );
    let count = maker.count(100, 36);
    let class = StorageClass::PhysicalStorageBuffer.0;
    let pointers: Vec<u32> = (0..count).map(|_| maker.id()).collect();
    for &pointer in &pointers {
        maker.put(Op::TypeForwardPointer, &[pointer, class]);
    }
    for (number, &pointer) in pointers.iter().enumerate() {
        let next = pointers[(number + 1) % count];
        let last = match maker.side {
            Side::First => pointer,
            Side::Second => next,
        };
        let structure = maker.result(Op::TypeStruct, &[pointer, next, last, maker.uint]);
        decorate_block(maker, structure, 4, 8);
        maker.put(Op::TypePointer, &[pointer, class, structure]);
    }
    maker.main(|_| {});
}

fn long_name_used(maker: &mut Maker) {
    let ty = maker.uint;
    let five = maker.number(5);
    maker.name(five, &maker.long(30));
    maker.main(|maker| {
        while maker.left(100) > 0 {
            maker.value(Op::IAdd, ty, &[five, five]);
        }
    });
}

/// As many names as there can be of 1 KB, each used a few times.
fn long_names(maker: &mut Maker) {
    let ty = maker.uint;
    let count = maker.count(80, 256);
    let names: Vec<u32> = (0..count).map(|_| maker.id()).collect();
    for (number, &id) in names.iter().enumerate() {
        maker.name(id, &format!("{number}{}", "n".repeat(1000)));
        maker.put(Op::Constant, &[ty, id, number as u32]);
    }
    maker.main(|maker| {
        for id in names.iter().cycle() {
            if maker.left(100) == 0 {
                break;
            }
            maker.value(Op::IAdd, ty, &[*id, *id]);
        }
    });
}

/// Resources, one of which has a long name.
fn wide_table(maker: &mut Maker) {
    let outer = structure(maker, maker.uint, 1);
    decorate_block(maker, outer, 1, 4);
    let first = buffer(maker, outer, 0);
    maker.name(first, &maker.long(30));
    maker.put_text(Op::MemberName, &[outer, 0], Some(&maker.long(10)), &[]);
    let mut number = 1;
    while maker.left(100) > 0 {
        buffer(maker, outer, number);
        number += 1;
    }
    maker.main(|_| {});
}

fn names_of_one_id(maker: &mut Maker) {
    let ty = maker.uint;
    while maker.left(50) > 0 {
        maker.name(ty, "again");
    }
    while maker.left(100) > 0 {
        maker.put_text(Op::MemberName, &[ty, 0], Some("member"), &[]);
    }
    maker.main(|_| {});
}

fn same_name(maker: &mut Maker) {
    let ty = maker.uint;
    let mut number = 0;
    while maker.left(100) > 0 {
        let id = maker.value(Op::Constant, ty, &[number]);
        maker.name(id, "same");
        number += 1;
    }
    maker.main(|_| {});
}

fn decorations_of_one_id(maker: &mut Maker) {
    let outer = structure(maker, maker.uint, 1);
    decorate_block(maker, outer, 1, 4);
    let mut number = 0;
    while maker.left(50) > 0 {
        buffer(maker, outer, number);
        number += 1;
    }
    while maker.left(100) > 0 {
        maker.put(Op::MemberDecorate, &[outer, 0, Decoration::NonWritable.0]);
    }
    maker.main(|_| {});
}

/// A specialization constant with its number.
fn spec_constant(maker: &mut Maker, number: u32) -> u32 {
    let constant = maker.value(Op::SpecConstant, maker.uint, &[number]);
    maker.put(Op::Decorate, &[constant, Decoration::SpecId.0, number]);
    constant
}

/// Arrays of arrays of specialization constants: each level is used by the next.
fn spec_arrays(maker: &mut Maker) {
    let mut ty = maker.uint;
    let mut value = spec_constant(maker, 0);
    while maker.left(100) > 0 {
        const LENGTH: u32 = 16;
        let length = maker.number(LENGTH);
        ty = maker.result(Op::TypeArray, &[ty, length]);
        value = maker.value(Op::SpecConstantComposite, ty, &[value; LENGTH as usize]);
    }
    maker.main(|maker| {
        maker.value(Op::CopyObject, ty, &[value]);
    });
}

/// Operations that each read one large composite.
fn spec_uses(maker: &mut Maker) {
    let uint = maker.uint;
    let spec = spec_constant(maker, 0);
    let members = maker.count(30, 1).min(60_000);
    let length = maker.number(members as u32);
    let ty = maker.result(Op::TypeArray, &[uint, length]);
    let large = maker.value(Op::SpecConstantComposite, ty, &vec![spec; members]);
    let pair = maker.result(Op::TypeStruct, &[ty, uint]);
    let select = u32::from(Op::CompositeExtract.0);
    while maker.left(100) > 0 {
        let one = maker.value(Op::SpecConstantOp, uint, &[select, large, 0]);
        maker.value(Op::SpecConstantComposite, pair, &[large, one]);
    }
    maker.main(|_| {});
}

/// Each composite is the last with one constituent changed.
fn spec_inserts(maker: &mut Maker) {
    let uint = maker.uint;
    let spec = spec_constant(maker, 7);
    let members = maker.count(30, 1).min(60_000);
    let length = maker.number(members as u32);
    let ty = maker.result(Op::TypeArray, &[uint, length]);
    let mut large = maker.value(Op::SpecConstantComposite, ty, &vec![spec; members]);
    let insert = u32::from(Op::CompositeInsert.0);
    while maker.left(100) > 0 {
        large = maker.value(Op::SpecConstantOp, ty, &[insert, spec, large, 1]);
    }
    maker.main(|_| {});
}

fn spec_chain(maker: &mut Maker) {
    let uint = maker.uint;
    let mut last = spec_constant(maker, 3);
    let add = u32::from(Op::IAdd.0);
    while maker.left(100) > 0 {
        last = maker.value(Op::SpecConstantOp, uint, &[add, last, last]);
    }
    maker.main(|_| {});
}

/// A constant of two of the former, at the end of a variable.
fn exponential_constant(maker: &mut Maker) {
    let mut ty = maker.uint;
    let mut value = maker.number(1);
    while maker.left(100) > 0 {
        ty = structure(maker, ty, 2);
        value = maker.value(Op::ConstantComposite, ty, &[value, value]);
    }
    let pointer = maker.result(Op::TypePointer, &[StorageClass::Private.0, ty]);
    let variable = maker.value(Op::Variable, pointer, &[StorageClass::Private.0, value]);
    maker.linkage(variable, "initialized");
    maker.main(|_| {});
}

/// One id, defined over and over, with uses between.
fn redefined(maker: &mut Maker) {
    let uint = maker.uint;
    let id = maker.id();
    while maker.left(50) > 0 {
        maker.put(Op::Constant, &[uint, id, 1]);
    }
    let class = StorageClass::Private.0;
    let pointer = maker.result(Op::TypePointer, &[class, uint]);
    while maker.left(100) > 0 {
        maker.value(Op::Variable, pointer, &[class, id]);
    }
    maker.main(|_| {});
}

/// Inputs of one block, of which each member has its location.
fn interface_blocks(maker: &mut Maker) {
    let members = maker.count(40, 6).min(16_000);
    let block = structure(maker, maker.uint, members);
    maker.put(Op::Decorate, &[block, Decoration::Block.0]);
    for member in 0..members as u32 {
        let operands = [block, member, Decoration::Location.0, member];
        maker.put(Op::MemberDecorate, &operands);
    }
    let class = StorageClass::Input.0;
    let pointer = maker.result(Op::TypePointer, &[class, block]);
    while maker.left(100) > 0 {
        maker.value(Op::Variable, pointer, &[class]);
    }
    maker.main(|_| {});
}

/// A group with a long string, which control characters make longer where it is written,
/// and variables and members that are decorated by it.
fn group_strings(maker: &mut Maker) {
    let group = maker.id();
    let semantic = maker.long(40).replace('n', "\u{1}");
    let operands = [group, Decoration::UserSemantic.0];
    maker.put_text(Op::DecorateString, &operands, Some(&semantic), &[]);
    maker.put(Op::DecorationGroup, &[group]);
    let members = maker.count(10, 1).min(16_000);
    let inner = structure(maker, maker.uint, members);
    let places = (0..members as u32).flat_map(|member| [inner, member]);
    let operands: Vec<u32> = [group].into_iter().chain(places).collect();
    maker.put(Op::GroupMemberDecorate, &operands);
    let class = StorageClass::Input.0;
    let pointer = maker.result(Op::TypePointer, &[class, inner]);
    while maker.left(100) > 0 {
        let variable = maker.value(Op::Variable, pointer, &[class]);
        maker.put(Op::GroupDecorate, &[group, variable]);
    }
    maker.main(|_| {});
}
