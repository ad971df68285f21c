//! What passes of the optimizer may take too long for.

use spirvkit::grammar::{Decoration, Dim, Op, StorageClass};

use super::maker::Maker;
use super::{Shape, shape};

pub(super) const SHAPES: &[Shape] = &[
    shape(
        "exponential-descriptors",
        "2, a type of descriptors",
        exponential_descriptors,
    ),
    shape(
        "descriptor-parts",
        "variables × parts of their type",
        descriptor_parts,
    ),
    shape(
        "decorated-parts",
        "decorations of a variable × its parts",
        decorated_parts,
    ),
    shape("extracts", "extractions × parts of one load", extracts),
    shape("packed-members", "members × decorations", packed_members),
    shape(
        "relaxed-groups",
        "decorations of groups × targets",
        relaxed_groups,
    ),
    shape(
        "coherent-variables",
        "variables × accesses to any of them",
        coherent_variables,
    ),
    shape("coherent-copies", "pointers × depth", coherent_copies),
    shape("ends-of-blocks", "chains × depth", ends_of_blocks),
    shape("chosen-pointers", "variables × pointers", chosen_pointers),
    shape(
        "shared-interfaces",
        "entry points × instructions",
        shared_interfaces,
    ),
    shape(
        "unreachable-in-loops",
        "blocks × depth, with values that leave loops",
        unreachable_in_loops,
    ),
    shape(
        "unreachable-before-phis",
        "blocks × phis",
        unreachable_before_phis,
    ),
    shape(
        "variable-indices",
        "accesses × elements of arrays",
        variable_indices,
    ),
    shape("combined-samplers", "uses of one image", combined_samplers),
    shape(
        "rows-of-descriptors",
        "chains × arrays of arrays",
        rows_of_descriptors,
    ),
    shape(
        "arrays-between-stages",
        "variables × elements, and accesses to all",
        arrays_between_stages,
    ),
    shape(
        "same-selections-in-loops",
        "loops × selections",
        same_selections_in_loops,
    ),
];

fn float(maker: &mut Maker) -> u32 {
    maker.result(Op::TypeFloat, &[32])
}

fn pointer(maker: &mut Maker, class: StorageClass, ty: u32) -> u32 {
    maker.result(Op::TypePointer, &[class.0, ty])
}

fn image(maker: &mut Maker) -> u32 {
    let float = float(maker);
    maker.result(Op::TypeImage, &[float, Dim::Dim2D.0, 0, 0, 0, 1, 0])
}

fn bind(maker: &mut Maker, variable: u32, binding: u32) {
    maker.put(Op::Decorate, &[variable, Decoration::DescriptorSet.0, 0]);
    maker.put(Op::Decorate, &[variable, Decoration::Binding.0, binding]);
}

/// A variable of descriptors.
fn resource(maker: &mut Maker, ty: u32, binding: u32) -> u32 {
    let class = StorageClass::UniformConstant;
    let variable = maker.value(Op::Variable, ty, &[class.0]);
    bind(maker, variable, binding);
    variable
}

fn exponential_descriptors(maker: &mut Maker) {
    let mut ty = image(maker);
    while maker.left(90) > 0 {
        ty = maker.result(Op::TypeStruct, &[ty, ty]);
    }
    let pointer = pointer(maker, StorageClass::UniformConstant, ty);
    let variable = resource(maker, pointer, 0);
    maker.main(|maker| {
        let one = maker.number(1);
        maker.value(Op::AccessChain, pointer, &[variable, one]);
    });
}

fn descriptor_parts(maker: &mut Maker) {
    let image = image(maker);
    let members = vec![image; maker.count(30, 1).min(30_000)];
    let ty = maker.result(Op::TypeStruct, &members);
    let whole = pointer(maker, StorageClass::UniformConstant, ty);
    let part = pointer(maker, StorageClass::UniformConstant, image);
    let one = maker.number(1);
    let count = maker.count(60, 20) as u32;
    let variables: Vec<u32> = (0..count)
        .map(|number| resource(maker, whole, number))
        .collect();
    maker.main(|maker| {
        for variable in variables {
            maker.value(Op::AccessChain, part, &[variable, one]);
        }
    });
}

fn decorated_parts(maker: &mut Maker) {
    let image = image(maker);
    let length = maker.number(4000);
    let ty = maker.result(Op::TypeArray, &[image, length]);
    let whole = pointer(maker, StorageClass::UniformConstant, ty);
    let part = pointer(maker, StorageClass::UniformConstant, image);
    let variable = resource(maker, whole, 0);
    for number in 0..maker.count(40, 4) as u32 {
        let operands = [variable, Decoration::Location.0, number];
        maker.put(Op::Decorate, &operands);
    }
    let count = maker.count(40, 9).min(4000) as u32;
    let indices: Vec<u32> = (0..count).map(|number| maker.number(number)).collect();
    maker.main(|maker| {
        for index in indices {
            maker.value(Op::AccessChain, part, &[variable, index]);
        }
    });
}

fn extracts(maker: &mut Maker) {
    let uint = maker.uint;
    let members = vec![uint; maker.count(20, 1).min(30_000)];
    let ty = maker.result(Op::TypeStruct, &members);
    let pointer = pointer(maker, StorageClass::Private, ty);
    let variable = maker.value(Op::Variable, pointer, &[StorageClass::Private.0]);
    maker.main(|maker| {
        let loaded = maker.value(Op::Load, ty, &[variable]);
        let most = members.len() as u32 / 2;
        let mut part = 0;
        while maker.left(100) > 0 {
            maker.value(Op::CompositeExtract, uint, &[loaded, part]);
            part = (part + 1) % most.max(1);
        }
    });
}

fn packed_members(maker: &mut Maker) {
    let uint = maker.uint;
    let members = vec![uint; maker.count(18, 1).min(30_000)];
    let ty = maker.result(Op::TypeStruct, &members);
    maker.name(ty, "S");
    for member in 0..members.len() as u32 {
        let operands = [ty, member, Decoration::Offset.0, 8 * member];
        maker.put(Op::MemberDecorate, &operands);
    }
    maker.main(|_| {});
}

fn relaxed_groups(maker: &mut Maker) {
    let group = maker.id();
    while maker.left(30) > 0 {
        let operands = [group, Decoration::RelaxedPrecision.0];
        maker.put(Op::Decorate, &operands);
    }
    maker.put(Op::DecorationGroup, &[group]);
    let float = float(maker);
    let zero = maker.value(Op::Constant, float, &[0]);
    let count = maker.count(60, 8);
    maker.main(|maker| {
        for _ in 0..count {
            let sum = maker.value(Op::FAdd, float, &[zero, zero]);
            maker.put(Op::GroupDecorate, &[group, sum]);
        }
    });
}

fn coherent_variables(maker: &mut Maker) {
    let uint = maker.uint;
    let class = StorageClass::StorageBuffer;
    let pointer = pointer(maker, class, uint);
    while maker.left(50) > 0 {
        let variable = maker.value(Op::Variable, pointer, &[class.0]);
        maker.put(Op::Decorate, &[variable, Decoration::Coherent.0]);
    }
    maker.main(|maker| {
        let any = maker.value(Op::FunctionParameter, pointer, &[]);
        while maker.left(100) > 0 {
            maker.value(Op::Load, uint, &[any]);
        }
    });
}

fn coherent_copies(maker: &mut Maker) {
    let uint = maker.uint;
    let class = StorageClass::StorageBuffer;
    let members = vec![uint; maker.count(20, 1).min(30_000)];
    let ty = maker.result(Op::TypeStruct, &members);
    let pointer = pointer(maker, class, ty);
    let mut last = maker.value(Op::Variable, pointer, &[class.0]);
    maker.put(Op::Decorate, &[last, Decoration::Coherent.0]);
    maker.main(|maker| {
        while maker.left(100) > 0 {
            last = maker.value(Op::CopyObject, pointer, &[last]);
            maker.value(Op::Load, ty, &[last]);
        }
    });
}

fn ends_of_blocks(maker: &mut Maker) {
    let uint = maker.uint;
    let class = StorageClass::StorageBuffer;
    let array = maker.result(Op::TypeRuntimeArray, &[uint]);
    let ty = maker.result(Op::TypeStruct, &[array]);
    let [whole, many, one] = [ty, array, uint].map(|ty| pointer(maker, class, ty));
    let variable = maker.value(Op::Variable, whole, &[class.0]);
    let (first, last) = (maker.number(0), maker.number(9));
    maker.main(|maker| {
        let mut at = maker.value(Op::AccessChain, many, &[variable, first]);
        while maker.left(100) > 0 {
            at = maker.value(Op::AccessChain, many, &[at]);
            maker.value(Op::AccessChain, one, &[at, last]);
        }
    });
}

/// Pointers into two classes, which meet.
fn chosen_pointers(maker: &mut Maker) {
    let uint = maker.uint;
    let classes = [StorageClass::Private, StorageClass::Workgroup];
    let pointers = classes.map(|class| pointer(maker, class, uint));
    let mut variables = Vec::new();
    while maker.left(40) > 0 {
        for (class, ty) in classes.iter().zip(pointers) {
            variables.push(maker.value(Op::Variable, ty, &[class.0]));
        }
    }
    let bool = maker.result(Op::TypeBool, &[]);
    let condition = maker.value(Op::ConstantTrue, bool, &[]);
    maker.main(|maker| {
        let mut last = variables[0];
        for &variable in &variables {
            let operands = [condition, variable, last];
            last = maker.value(Op::Select, pointers[0], &operands);
        }
    });
}

fn shared_interfaces(maker: &mut Maker) {
    let uint = maker.uint;
    let pointer = pointer(maker, StorageClass::Private, uint);
    let variables: Vec<u32> = (0..16)
        .map(|_| maker.value(Op::Variable, pointer, &[StorageClass::Private.0]))
        .collect();
    let shared = maker.function(|maker| {
        while maker.left(50) > 0 {
            maker.value(Op::Load, uint, &[variables[0]]);
        }
    });
    let mut number = 0;
    while maker.left(100) > 0 {
        let void = maker.void;
        let function = maker.function(|maker| {
            maker.value(Op::FunctionCall, void, &[shared]);
        });
        maker.entry_point(function, &format!("main{number}"), &variables);
        number += 1;
    }
}

fn unreachable_in_loops(maker: &mut Maker) {
    let bool = maker.result(Op::TypeBool, &[]);
    let condition = maker.value(Op::ConstantTrue, bool, &[]);
    let (uint, one) = (maker.uint, maker.number(1));
    let depth = maker.count(95, 38);
    maker.main(|maker| {
        let mut ends = Vec::new();
        for _ in 0..depth {
            let [header, body, never, next, merge] = std::array::from_fn(|_| maker.id());
            maker.put(Op::Branch, &[header]);
            maker.put(Op::Label, &[header]);
            maker.put(Op::LoopMerge, &[merge, next, 0]);
            maker.put(Op::BranchConditional, &[condition, body, merge]);
            maker.put(Op::Label, &[body]);
            let value = maker.value(Op::IAdd, uint, &[one, one]);
            let inner = maker.id();
            maker.put(Op::SelectionMerge, &[inner, 0]);
            maker.put(Op::BranchConditional, &[condition, never, inner]);
            maker.put(Op::Label, &[never]);
            maker.put(Op::Unreachable, &[]);
            maker.put(Op::Label, &[inner]);
            ends.push((header, next, merge, value));
        }
        for (header, next, merge, value) in ends.into_iter().rev() {
            maker.put(Op::Branch, &[next]);
            maker.put(Op::Label, &[next]);
            maker.put(Op::Branch, &[header]);
            maker.put(Op::Label, &[merge]);
            maker.value(Op::IAdd, uint, &[value, one]);
        }
    });
}

fn unreachable_before_phis(maker: &mut Maker) {
    let bool = maker.result(Op::TypeBool, &[]);
    let condition = maker.value(Op::ConstantTrue, bool, &[]);
    let (uint, one) = (maker.uint, maker.number(1));
    maker.main(|maker| {
        let [header, next, merge] = std::array::from_fn(|_| maker.id());
        maker.put(Op::Branch, &[header]);
        maker.put(Op::Label, &[header]);
        maker.put(Op::LoopMerge, &[merge, next, 0]);
        maker.put(Op::Branch, &[maker.upcoming()]);
        while maker.left(50) > 0 {
            let [block, never, behind] = std::array::from_fn(|_| maker.id());
            maker.put(Op::Label, &[block]);
            maker.put(Op::SelectionMerge, &[behind, 0]);
            maker.put(Op::BranchConditional, &[condition, never, behind]);
            maker.put(Op::Label, &[never]);
            maker.put(Op::Unreachable, &[]);
            maker.put(Op::Label, &[behind]);
            maker.put(Op::Branch, &[maker.upcoming()]);
        }
        let last = maker.id();
        maker.put(Op::Label, &[last]);
        maker.put(Op::BranchConditional, &[condition, merge, next]);
        maker.put(Op::Label, &[next]);
        maker.put(Op::Branch, &[header]);
        maker.put(Op::Label, &[merge]);
        while maker.left(100) > 0 {
            maker.value(Op::Phi, uint, &[one, last]);
        }
    });
}

/// Accesses to elements of an array that are chosen, all in one block.
fn variable_indices(maker: &mut Maker) {
    let image = image(maker);
    let length = maker.number(1000);
    let ty = maker.result(Op::TypeArray, &[image, length]);
    let class = StorageClass::UniformConstant;
    let [whole, part] = [ty, image].map(|ty| pointer(maker, class, ty));
    let variable = resource(maker, whole, 0);
    let uint = maker.uint;
    let to_index = pointer(maker, StorageClass::Private, uint);
    let index = maker.value(Op::Variable, to_index, &[StorageClass::Private.0]);
    let two = maker.result(Op::TypeVector, &[uint, 2]);
    let zero = maker.number(0);
    maker.main(|maker| {
        let index = maker.value(Op::Load, uint, &[index]);
        while maker.left(100) > 0 {
            let chain = maker.value(Op::AccessChain, part, &[variable, index]);
            let loaded = maker.value(Op::Load, image, &[chain]);
            maker.value(Op::ImageQuerySizeLod, two, &[loaded, zero]);
        }
    });
}

fn combined_samplers(maker: &mut Maker) {
    let image = image(maker);
    let both = maker.result(Op::TypeSampledImage, &[image]);
    let pointer = pointer(maker, StorageClass::UniformConstant, both);
    let variable = resource(maker, pointer, 0);
    let float = float(maker);
    let four = maker.result(Op::TypeVector, &[float, 4]);
    let zero = maker.value(Op::Constant, float, &[0]);
    maker.main(|maker| {
        let loaded = maker.value(Op::Load, both, &[variable]);
        while maker.left(60) > 0 {
            maker.value(Op::ImageSampleImplicitLod, four, &[loaded, zero]);
        }
        while maker.left(100) > 0 {
            let other = maker.value(Op::Load, both, &[variable]);
            maker.value(Op::Image, image, &[other]);
        }
    });
}

fn rows_of_descriptors(maker: &mut Maker) {
    let image = image(maker);
    let class = StorageClass::UniformConstant;
    let two = maker.number(2);
    let mut types = vec![image];
    for _ in 0..20 {
        let inner = types[types.len() - 1];
        types.push(maker.result(Op::TypeArray, &[inner, two]));
    }
    let pointers: Vec<u32> = types.iter().map(|&ty| pointer(maker, class, ty)).collect();
    let variable = resource(maker, pointers[20], 0);
    let one = maker.number(1);
    maker.main(|maker| {
        while maker.left(100) > 0 {
            let mut at = variable;
            for &pointer in pointers[..20].iter().rev() {
                at = maker.value(Op::AccessChain, pointer, &[at, one]);
                at = maker.value(Op::AccessChain, pointer, &[at]);
            }
        }
    });
}

fn arrays_between_stages(maker: &mut Maker) {
    let float = float(maker);
    let length = maker.number(500);
    let ty = maker.result(Op::TypeArray, &[float, length]);
    let whole = pointer(maker, StorageClass::Input, ty);
    let mut variables = Vec::new();
    while maker.left(30) > 0 {
        let variable = maker.value(Op::Variable, whole, &[StorageClass::Input.0]);
        let operands = [variable, Decoration::Location.0, variables.len() as u32];
        maker.put(Op::Decorate, &operands);
        variables.push(variable);
    }
    let main = maker.function(|maker| {
        for &variable in variables.iter().cycle() {
            if maker.left(90) == 0 {
                break;
            }
            maker.value(Op::Load, ty, &[variable]);
        }
    });
    maker.entry_point(main, "main", &variables);
}

fn same_selections_in_loops(maker: &mut Maker) {
    let bool = maker.result(Op::TypeBool, &[]);
    let pointer = pointer(maker, StorageClass::Private, bool);
    let variable = maker.value(Op::Variable, pointer, &[StorageClass::Private.0]);
    maker.main(|maker| {
        let condition = maker.value(Op::Load, bool, &[variable]);
        while maker.left(100) > 0 {
            let [header, body, yes, next, merge] = std::array::from_fn(|_| maker.id());
            maker.put(Op::Branch, &[header]);
            maker.put(Op::Label, &[header]);
            maker.put(Op::LoopMerge, &[merge, next, 0]);
            maker.put(Op::BranchConditional, &[condition, body, merge]);
            maker.put(Op::Label, &[body]);
            maker.put(Op::SelectionMerge, &[next, 0]);
            maker.put(Op::BranchConditional, &[condition, yes, next]);
            maker.put(Op::Label, &[yes]);
            maker.put(Op::Branch, &[next]);
            maker.put(Op::Label, &[next]);
            maker.put(Op::Branch, &[header]);
            maker.put(Op::Label, &[merge]);
        }
    });
}
