//! Functions, entry points and linkage.

use spirvkit::grammar::{
    ClspvReflection, Decoration, ExecutionMode, ExecutionModel, Op, StorageClass,
};

use super::maker::{Maker, Side};
use super::{Shape, shape};

pub(super) const SHAPES: &[Shape] = &[
    shape(
        "entry-points-share-function",
        "entry points × instructions",
        entry_points_share_function,
    ),
    shape(
        "entry-points-share-globals",
        "entry points × globals they reach",
        entry_points_share_globals,
    ),
    shape(
        "entry-points-of-one-function",
        "entry points × execution modes",
        entry_points_of_one_function,
    ),
    shape("call-diamonds", "2, a function", call_diamonds),
    shape("call-chain", "functions × depth", call_chain),
    shape("nested-selections", "blocks × depth", nested_selections),
    shape("nested-loops", "blocks × depth", nested_loops),
    shape("switch", "labels of one block", switch),
    shape("phis", "phis × predecessors", phis),
    shape("undefined", "errors × long name", undefined),
    shape("wrong-types", "errors × text of a type", wrong_types),
    shape("wrong-links", "links × members of their types", wrong_links),
    shape("same-links", "links × long name", same_links),
    shape("deep-links", "2, a type of what is linked", deep_links),
    shape(
        "linked-interfaces",
        "entry points × globals of the other module",
        linked_interfaces,
    ),
    shape("links", "links", links),
    shape(
        "long-set-name",
        "instructions × name of their set",
        long_set_name,
    ),
    shape("capabilities", "capabilities × capabilities", capabilities),
    shape(
        "redefined-functions",
        "functions × name of their id",
        redefined_functions,
    ),
    shape(
        "redefined-parameters",
        "parameters × name and decorations of their id",
        redefined_parameters,
    ),
    shape(
        "clspv-arguments",
        "kernels and arguments × name",
        clspv_arguments,
    ),
    shape(
        "long-set-version",
        "instructions × digits of their set's version",
        long_set_version,
    ),
];

/// A private variable.
fn global(maker: &mut Maker, pointer: u32) -> u32 {
    maker.value(Op::Variable, pointer, &[StorageClass::Private.0])
}

fn private(maker: &mut Maker, ty: u32) -> u32 {
    maker.result(Op::TypePointer, &[StorageClass::Private.0, ty])
}

fn additions(maker: &mut Maker, hundredths: usize) {
    let (ty, one) = (maker.uint, maker.number(1));
    while maker.left(hundredths) > 0 {
        maker.value(Op::IAdd, ty, &[one, one]);
    }
}

/// Calls a function, which gives nothing and takes nothing.
fn call(maker: &mut Maker, function: u32) {
    maker.value(Op::FunctionCall, maker.void, &[function]);
}

fn entry_points_share_function(maker: &mut Maker) {
    maker.number(1);
    let shared = maker.function(|maker| additions(maker, 50));
    let mut number = 0;
    while maker.left(100) > 0 {
        let function = maker.function(|maker| call(maker, shared));
        maker.entry_point(function, &format!("main{number}"), &[]);
        number += 1;
    }
}

fn entry_points_share_globals(maker: &mut Maker) {
    let uint = maker.uint;
    let pointer = private(maker, uint);
    let mut globals = Vec::new();
    while maker.left(25) > 0 {
        globals.push(global(maker, pointer));
    }
    let shared = maker.function(|maker| {
        for &global in &globals {
            maker.value(Op::Load, uint, &[global]);
        }
    });
    let mut number = 0;
    while maker.left(100) > 0 {
        let function = maker.function(|maker| call(maker, shared));
        maker.entry_point(function, &format!("main{number}"), &[]);
        number += 1;
    }
}

fn entry_points_of_one_function(maker: &mut Maker) {
    let main = maker.function(|_| {});
    let mut number = 0;
    while maker.left(50) > 0 {
        maker.entry_point(main, &format!("main{number}"), &[]);
        number += 1;
    }
    while maker.left(100) > 0 {
        maker.put(
            Op::ExecutionMode,
            &[main, ExecutionMode::LocalSizeHint.0, 1, 1, 1],
        );
    }
}

fn call_diamonds(maker: &mut Maker) {
    let mut last = maker.function(|_| {});
    while maker.left(100) > 0 {
        last = maker.function(|maker| {
            call(maker, last);
            call(maker, last);
        });
    }
    maker.entry_point(last, "main", &[]);
}

/// Each function calls the last; each is an entry point as well.
fn call_chain(maker: &mut Maker) {
    let pointer = private(maker, maker.uint);
    let mut last = maker.function(|_| {});
    while maker.left(100) > 0 {
        let global = global(maker, pointer);
        let uint = maker.uint;
        last = maker.function(|maker| {
            call(maker, last);
            maker.value(Op::Load, uint, &[global]);
        });
        maker.entry_point(last, &format!("main{last}"), &[]);
    }
}

fn condition(maker: &mut Maker) -> u32 {
    let bool = maker.result(Op::TypeBool, &[]);
    maker.value(Op::ConstantTrue, bool, &[])
}

fn nested_selections(maker: &mut Maker) {
    let condition = condition(maker);
    let depth = maker.count(95, 15);
    maker.main(|maker| {
        let mut merges = Vec::new();
        for _ in 0..depth {
            let [inner, merge] = [maker.id(), maker.id()];
            maker.put(Op::SelectionMerge, &[merge, 0]);
            maker.put(Op::BranchConditional, &[condition, inner, merge]);
            maker.put(Op::Label, &[inner]);
            maker.put(Op::Nop, &[]);
            merges.push(merge);
        }
        for merge in merges.into_iter().rev() {
            maker.put(Op::Branch, &[merge]);
            maker.put(Op::Label, &[merge]);
        }
    });
}

fn nested_loops(maker: &mut Maker) {
    let condition = condition(maker);
    let depth = maker.count(95, 20);
    maker.main(|maker| {
        let mut ends = Vec::new();
        for _ in 0..depth {
            let [header, body, next, merge] = std::array::from_fn(|_| maker.id());
            maker.put(Op::Branch, &[header]);
            maker.put(Op::Label, &[header]);
            maker.put(Op::LoopMerge, &[merge, next, 0]);
            maker.put(Op::BranchConditional, &[condition, body, merge]);
            maker.put(Op::Label, &[body]);
            ends.push((header, next, merge));
        }
        for (header, next, merge) in ends.into_iter().rev() {
            maker.put(Op::Branch, &[next]);
            maker.put(Op::Label, &[next]);
            maker.put(Op::Branch, &[header]);
            maker.put(Op::Label, &[merge]);
        }
    });
}

/// Switches with very many labels, all of which lead to few blocks.
fn switch(maker: &mut Maker) {
    let one = maker.number(1);
    maker.main(|maker| {
        while maker.left(100) > 0 {
            let [case, merge] = [maker.id(), maker.id()];
            let labels = (maker.count(20, 2)).min(30_000) as u32;
            let targets = (0..labels).flat_map(|label| [label, case]);
            let operands: Vec<u32> = [one, merge].into_iter().chain(targets).collect();
            maker.put(Op::SelectionMerge, &[merge, 0]);
            maker.put(Op::Switch, &operands);
            maker.put(Op::Label, &[case]);
            maker.put(Op::Branch, &[merge]);
            maker.put(Op::Label, &[merge]);
        }
    });
}

/// Blocks that all lead to one, which has many phis of the same values.
fn phis(maker: &mut Maker) {
    let (ty, one) = (maker.uint, maker.number(1));
    maker.main(|maker| {
        let (end, count) = (maker.id(), maker.count(30, 7).min(10_000));
        let blocks: Vec<u32> = (0..count).map(|_| maker.id()).collect();
        let targets = (1..).zip(&blocks[1..]);
        let targets = targets.flat_map(|(label, &block)| [label, block]);
        let operands: Vec<u32> = [one, blocks[0]].into_iter().chain(targets).collect();
        maker.put(Op::SelectionMerge, &[end, 0]);
        maker.put(Op::Switch, &operands);
        for &block in &blocks {
            maker.put(Op::Label, &[block]);
            maker.put(Op::Branch, &[end]);
        }
        maker.put(Op::Label, &[end]);
        let pairs: Vec<u32> = blocks.iter().flat_map(|&block| [one, block]).collect();
        while maker.left(100) > 0 {
            maker.value(Op::Phi, ty, &pairs);
        }
    });
}

/// Uses of an id that has a long name and no definition.
fn undefined(maker: &mut Maker) {
    let ty = maker.uint;
    let missing = maker.id();
    maker.name(missing, &maker.long(30));
    maker.main(|maker| {
        while maker.left(100) > 0 {
            maker.value(Op::IAdd, ty, &[missing, missing]);
        }
    });
}

/// Additions of structures: each error speaks of their type.
fn wrong_types(maker: &mut Maker) {
    let members = maker.count(30, 1).min(60_000);
    let ty = maker.result(Op::TypeStruct, &vec![maker.uint; members]);
    maker.name(ty, &maker.long(10));
    let null = maker.value(Op::ConstantNull, ty, &[]);
    maker.main(|maker| {
        while maker.left(100) > 0 {
            maker.value(Op::IAdd, ty, &[null, null]);
        }
    });
}

/// What one side exports, the other imports with another type, and both types are large.
fn wrong_links(maker: &mut Maker) {
    let members = maker.count(30, 1).min(60_000);
    let mut types = vec![maker.uint; members];
    if maker.side == Side::Second {
        let float = maker.result(Op::TypeFloat, &[32]);
        types[members - 1] = float;
    }
    let ty = maker.result(Op::TypeStruct, &types);
    let pointer = private(maker, ty);
    while maker.left(100) > 0 {
        let global = global(maker, pointer);
        maker.linkage(global, &global.to_string());
    }
    maker.main(|_| {});
}

/// Exponential types that differ at the bottom, of what is linked.
fn deep_links(maker: &mut Maker) {
    let mut ty = match maker.side {
        Side::First => maker.uint,
        Side::Second => maker.result(Op::TypeFloat, &[32]),
    };
    while maker.left(50) > 0 {
        ty = maker.result(Op::TypeStruct, &[ty, ty]);
    }
    let pointer = private(maker, ty);
    while maker.left(100) > 0 {
        let global = global(maker, pointer);
        maker.linkage(global, &maker.upcoming().to_string());
    }
    maker.main(|_| {});
}

/// One module has a function that uses many globals, the other many entry points that
/// call it.
fn linked_interfaces(maker: &mut Maker) {
    let uint = maker.uint;
    let pointer = private(maker, uint);
    let shared = match maker.side {
        Side::First => {
            let mut globals = Vec::new();
            while maker.left(55) > 0 {
                globals.push(global(maker, pointer));
            }
            maker.function(|maker| {
                for &global in &globals {
                    maker.value(Op::Load, uint, &[global]);
                }
            })
        }
        Side::Second => {
            let shared = maker.value(Op::Function, maker.void, &[0, maker.procedure]);
            maker.put(Op::FunctionEnd, &[]);
            while maker.left(100) > 0 {
                let function = maker.function(|maker| call(maker, shared));
                maker.entry_point(function, &format!("main{function}"), &[]);
            }
            shared
        }
    };
    maker.linkage(shared, "shared");
}

/// The same long name for many.
fn same_links(maker: &mut Maker) {
    let pointer = private(maker, maker.uint);
    let name = maker.long(1);
    while maker.left(100) > 0 {
        let global = global(maker, pointer);
        maker.linkage(global, &name);
    }
    maker.main(|_| {});
}

/// As many things to link as there can be, and an entry point for each few.
fn links(maker: &mut Maker) {
    let uint = maker.uint;
    let pointer = private(maker, uint);
    let mut globals = Vec::new();
    while maker.left(40) > 0 {
        let global = global(maker, pointer);
        maker.linkage(global, &format!("v{}", globals.len()));
        globals.push(global);
    }
    let shared = maker.function(|maker| {
        for &global in &globals {
            maker.value(Op::Load, uint, &[global]);
        }
    });
    while maker.left(100) > 0 {
        let function = maker.function(|maker| call(maker, shared));
        maker.entry_point(function, &format!("{:?}{function}", maker.side), &[]);
    }
}

fn long_set_name(maker: &mut Maker) {
    let set = maker.id();
    let name = format!("NonSemantic.{}", maker.long(30));
    maker.put_text(Op::ExtInstImport, &[set], Some(&name), &[]);
    let void = maker.void;
    maker.main(|maker| {
        while maker.left(100) > 0 {
            maker.value(Op::ExtInst, void, &[set, 7]);
        }
    });
}

/// Capabilities over and over, and ids that have a decoration that needs one.
fn capabilities(maker: &mut Maker) {
    let mut number = 0;
    while maker.left(50) > 0 {
        maker.put(Op::Capability, &[number % 70]);
        number += 1;
    }
    let pointer = private(maker, maker.uint);
    while maker.left(100) > 0 {
        let global = global(maker, pointer);
        maker.put(Op::Decorate, &[global, Decoration::Location.0, 0]);
    }
    maker.main(|_| {});
}

/// Functions with one id, which has a long name; every other one has a body.
fn redefined_functions(maker: &mut Maker) {
    let function = maker.id();
    maker.name(function, &maker.long(30));
    let operands = [maker.void, function, 0, maker.procedure];
    while maker.left(100) > 0 {
        maker.put(Op::Function, &operands);
        maker.put(Op::FunctionEnd, &[]);
        maker.put(Op::Function, &operands);
        maker.result(Op::Label, &[]);
        maker.put(Op::Return, &[]);
        maker.put(Op::FunctionEnd, &[]);
    }
}

/// A kernel whose parameters have one id, with a long name and many decorations.
fn redefined_parameters(maker: &mut Maker) {
    let parameter = maker.id();
    maker.name(parameter, &maker.long(20));
    while maker.left(50) > 0 {
        maker.put(Op::Decorate, &[parameter, Decoration::FuncParamAttr.0, 1]);
    }
    let kernel = maker.value(Op::Function, maker.void, &[0, maker.procedure]);
    maker.function = Some(kernel);
    while maker.left(100) > 0 {
        maker.put(Op::FunctionParameter, &[maker.uint, parameter]);
    }
    maker.put(Op::FunctionEnd, &[]);
    maker.function = None;
    let operands = [ExecutionModel::Kernel.0, kernel];
    maker.put_text(Op::EntryPoint, &operands, Some("kernel"), &[]);
}

/// What clspv tells of kernels and arguments, with one long string for their names.
fn clspv_arguments(maker: &mut Maker) {
    let set = maker.id();
    let name = Some("NonSemantic.ClspvReflection.5");
    maker.put_text(Op::ExtInstImport, &[set], name, &[]);
    let name = maker.string(&maker.long(30));
    let main = maker.main(|_| {});
    let (void, one) = (maker.void, maker.number(1));
    let said = |maker: &mut Maker, kind: ClspvReflection, operands: &[u32]| {
        maker.value(Op::ExtInst, void, &[&[set, kind.0], operands].concat())
    };
    let info = said(maker, ClspvReflection::ArgumentInfo, &[name, name]);
    while maker.left(100) > 0 {
        let kernel = said(maker, ClspvReflection::Kernel, &[main, name]);
        let operands = [kernel, one, one, one, info];
        said(maker, ClspvReflection::ArgumentStorageBuffer, &operands);
        said(maker, ClspvReflection::ArgumentUniform, &operands);
    }
}

/// A set of debug information of a version with very many digits.
fn long_set_version(maker: &mut Maker) {
    let set = maker.id();
    let zeros = maker.long(30).replace('n', "0");
    let name = format!("NonSemantic.Shader.DebugInfo.{zeros}100");
    maker.put_text(Op::ExtInstImport, &[set], Some(&name), &[]);
    while maker.left(100) > 0 {
        maker.value(Op::ExtInst, maker.void, &[set, 0]);
    }
    maker.main(|_| {});
}
