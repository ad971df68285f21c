//! Types, constants, variables, functions, places.

use spirvkit_binary::Id;
use spirvkit_grammar::*;
use spirvkit_ir::builder::Builder;
use spirvkit_ir::{Module, Place};

use super::{count, find, in_function, shader, valid};

#[test]
fn types_and_constants_are_there_once() {
    let mut b = shader();
    let uint = b.type_int(32, 0);
    assert_eq!(b.type_int(32, 0), uint);
    assert_ne!(b.type_int(32, 1), uint);
    let one = b.constant_u32(1);
    assert_eq!(b.constant(uint, 1), one);
    assert_eq!(
        b.constant(uint, 1 | 1 << 40),
        one,
        "only the type's bits count"
    );
    assert_ne!(b.constant_i32(1), one);
    assert_eq!(b.constant_bool(true), b.constant_bool(true));
    assert_ne!(b.constant_bool(true), b.constant_bool(false));
    assert_eq!(b.constant_f32(0.5), b.constant_f32(0.5));
    assert_ne!(b.constant_f32(0.0), b.constant_f32(-0.0));
    let vector = b.type_vector(uint, 2);
    let pair = b.constant_composite(vector, &[one, one]);
    assert_eq!(b.constant_composite(vector, &[one, one]), pair);
    assert_eq!(b.string("name"), b.string("name"));
    assert_ne!(b.spec_constant(uint, 1), b.spec_constant(uint, 1));
    let lines = valid(b, "spv1.3");
    assert_eq!(count(&lines, "OpTypeInt"), 2);
}

#[test]
fn literals_have_the_width_of_their_type() {
    let mut b = shader();
    let (short, long) = (b.type_int(16, 1), b.type_int(64, 0));
    b.constant(short, -2_i64 as u64);
    b.constant(long, 1 << 40);
    b.constant_f64(1.5);
    b.constant_i32(-7);
    let lines = valid(b, "spv1.3");
    for literal in ["-2", "1099511627776", "1.5", "-7"] {
        let end = format!(" {literal}");
        assert!(
            lines
                .iter()
                .any(|line| line.contains("OpConstant ") && line.ends_with(&end))
        );
    }
    for capability in ["Int16", "Int64", "Float64"] {
        find(&lines, &format!("OpCapability {capability}"));
    }
}

#[test]
fn structures_are_shared_on_request_only() {
    let mut b = shader();
    let uint = b.type_int(32, 0);
    let new = b.type_struct(&[uint]);
    assert_ne!(b.type_struct(&[uint]), new);
    let shared = b.type_struct_shared(&[uint]);
    assert_ne!(shared, new);
    assert_eq!(b.type_struct_shared(&[uint]), shared);
    // Once decorated, it is nothing for others.
    b.decorate(shared, Decoration::Block, &[]);
    let second = b.type_struct_shared(&[uint]);
    assert_ne!(second, shared);
    b.member_decorate(second, 0, Decoration::Offset, &[0]);
    let third = b.type_struct_shared(&[uint]);
    assert_ne!(third, second);
    let group = b.decoration_group();
    b.group_member_decorate(group, &[(new, 0), (third, 0)]);
    assert_ne!(b.type_struct_shared(&[uint]), third);
}

#[test]
fn decorated_arrays_are_not_shared() {
    let mut b = shader();
    let uint = b.type_int(32, 0);
    let two = b.constant_u32(2);
    let plain = b.type_array(uint, two);
    assert_eq!(b.type_array(uint, two), plain);
    let strided = b.type_array_with_stride(uint, two, 4);
    assert_ne!(strided, plain);
    assert_eq!(b.type_array_with_stride(uint, two, 4), strided);
    assert_ne!(b.type_array_with_stride(uint, two, 8), strided);
    assert_eq!(b.type_array(uint, two), plain);
    b.decorate(plain, Decoration::ArrayStride, &[16]);
    assert_ne!(b.type_array(uint, two), plain);
    // The same if the decoration comes first.
    let early = b.forward();
    b.decorate(early, Decoration::ArrayStride, &[32]);
    let three = b.constant_u32(3);
    b.define(early).type_array(uint, three);
    assert_ne!(b.type_array(uint, three), early);
    let endless = b.type_runtime_array_with_stride(uint, 4);
    assert_eq!(b.type_runtime_array_with_stride(uint, 4), endless);
    let lines = valid(b, "spv1.3");
    assert_eq!(count(&lines, "ArrayStride"), 5);
}

#[test]
fn what_a_module_has_is_used() {
    let mut b = shader();
    b.extension("SPV_KHR_multiview");
    let uint = b.type_int(32, 0);
    let two = b.constant_u32(2);
    let strided = b.type_array_with_stride(uint, two, 4);
    let plain = b.type_array(uint, two);
    let set = b.import_set("GLSL.std.450");
    let function = in_function(&mut b, |b| b.return_());
    let module = b.finish().unwrap();
    let before = module.inst_count();

    let mut b = Builder::on(module);
    b.capability(Capability::Shader);
    b.extension("SPV_KHR_multiview");
    assert_eq!(b.type_int(32, 0), uint);
    assert_eq!(b.constant_u32(2), two);
    assert_eq!(b.type_array_with_stride(uint, two, 4), strided);
    assert_eq!(b.type_array(uint, two), plain);
    assert_eq!(b.import_set("GLSL.std.450"), set);
    assert_eq!(b.module().inst_count(), before);
    // A call at the start of the function that there is.
    let called = in_function(&mut b, |b| b.return_());
    let entry = b
        .module()
        .block_by_id(entry_of(b.module(), function))
        .unwrap();
    b.insert_at(Place::Head(entry));
    let void = b.type_void();
    b.function_call(void, called, &[]);
    b.function_call(void, called, &[]);
    let lines = valid(b, "spv1.3");
    assert_eq!(count(&lines, "OpFunctionCall"), 2);
    assert_eq!(count(&lines, "OpCapability"), 2, "Shader, and Linkage");
}

fn entry_of(module: &Module, function: Id) -> Id {
    let function = module.function_by_id(function).unwrap();
    module
        .block_id(module.entry_block(function).unwrap())
        .unwrap()
}

#[test]
fn insertion_keeps_the_order_of_calls() {
    let mut b = shader();
    let (void, uint) = (b.type_void(), b.type_int(32, 0));
    let f = b.function(
        void,
        FunctionControl::None,
        &[uint, uint],
        |b, parameters| {
            b.i_add(uint, parameters[0], parameters[1]);
            b.return_();
        },
    );
    let module = b.finish().unwrap();
    let find = |module: &Module, op: Op| {
        module
            .instructions()
            .find(|&inst| module.op(inst) == op)
            .unwrap()
    };
    let add = find(&module, Op::IAdd);
    let block = module.block_of(add).unwrap();
    let places = [
        (
            Place::Before(add),
            [Op::INotEqual, Op::LogicalNot, Op::IAdd],
        ),
        (Place::After(add), [Op::IAdd, Op::INotEqual, Op::LogicalNot]),
        (
            Place::Head(block),
            [Op::INotEqual, Op::LogicalNot, Op::IAdd],
        ),
        (
            Place::Tail(block),
            [Op::IAdd, Op::INotEqual, Op::LogicalNot],
        ),
    ];
    for (place, expected) in places {
        let mut b = Builder::on(module.clone());
        let function = b.module().function_by_id(f).unwrap();
        let parameters: Vec<Id> = b
            .module()
            .parameters(function)
            .filter_map(|inst| b.module().result(inst))
            .collect();
        let bool = b.type_bool();
        b.insert_at(place);
        let differ = b.i_not_equal(bool, parameters[0], parameters[1]);
        b.logical_not(bool, differ);
        // Variables go where they belong.
        b.local(uint);
        let module = b.finish().unwrap();
        let block = module.entry_block(function).unwrap();
        let ops: Vec<Op> = module
            .block_instructions(block)
            .map(|inst| module.op(inst))
            .collect();
        assert_eq!(ops[..2], [Op::Label, Op::Variable], "{place:?}");
        assert_eq!(ops[2..5], expected, "{place:?}");
    }
}

#[test]
fn types_may_refer_to_what_comes_later() {
    let mut b = Builder::new(Version::V1_5);
    b.memory_model(
        AddressingModel::PhysicalStorageBuffer64,
        MemoryModel::GLSL450,
    );
    let pointer = b.forward();
    b.type_forward_pointer(pointer, StorageClass::PhysicalStorageBuffer);
    let node = b.type_struct(&[pointer]);
    b.member_decorate(node, 0, Decoration::Offset, &[0]);
    b.decorate(node, Decoration::Block, &[]);
    b.define(pointer)
        .type_pointer(StorageClass::PhysicalStorageBuffer, node);
    // Who asks for such a pointer gets it.
    assert_eq!(
        b.type_pointer(StorageClass::PhysicalStorageBuffer, node),
        pointer
    );
    let lines = valid(b, "spv1.5");
    find(&lines, "OpCapability PhysicalStorageBufferAddresses");
}

#[test]
fn variables_and_phis_go_to_their_places() {
    let mut b = shader();
    let uint = b.type_int(32, 0);
    let zero = b.constant_u32(0);
    in_function(&mut b, |b| {
        let first = b.local(uint);
        b.store(first, zero, None);
        let second = b.local(uint);
        let next = b.forward();
        let from = b.open_label().unwrap();
        b.branch(next);
        b.begin_block(next);
        b.store(second, zero, None);
        let value = b.phi(uint, &[(zero, from)]);
        b.store(first, value, None);
        b.return_();
    });
    let lines = valid(b, "spv1.3");
    let label = find(&lines, "OpLabel");
    for (line, op) in [
        (1, "OpVariable"),
        (2, "OpVariable"),
        (3, "OpStore"),
        (6, "OpPhi"),
    ] {
        assert!(
            lines[label + line].contains(op),
            "{line}: {}",
            lines.join("\n")
        );
    }
}

#[test]
fn declarations_come_first() {
    let mut b = shader();
    let (void, uint) = (b.type_void(), b.type_int(32, 0));
    let exported = in_function(&mut b, |b| b.return_());
    b.export(exported, "here");
    let (imported, parameters) = b.declare_function(void, FunctionControl::Pure, &[uint, uint]);
    b.import(imported, "there");
    assert_eq!(parameters.len(), 2);
    let lines = valid(b, "spv1.3");
    assert!(find(&lines, "OpFunctionParameter") < find(&lines, "OpLabel"));
    find(&lines, "LinkageAttributes \"there\" Import");
    find(&lines, "LinkageAttributes \"here\" Export");
}

#[test]
fn order_is_kept_among_declarations_and_phis() {
    let mut b = shader();
    let (void, uint, zero) = (b.type_void(), b.type_int(32, 0), b.constant_u32(0));
    let mut declared = Vec::new();
    let mut phis = Vec::new();
    for _ in 0..3 {
        let (imported, _) = b.declare_function(void, FunctionControl::None, &[]);
        b.import(imported, "there");
        declared.push(imported);
        in_function(&mut b, |b| {
            let (next, from) = (b.forward(), b.open_label().unwrap());
            b.branch(next);
            b.begin_block(next);
            for _ in 0..2 {
                phis.push(b.phi(uint, &[(zero, from)]));
                b.s_negate(uint, zero);
            }
            b.return_();
        });
    }
    let module = b.finish().unwrap();
    module.verify().unwrap();
    let functions: Vec<Id> = module
        .functions()
        .filter_map(|function| module.function_id(function))
        .collect();
    assert_eq!(functions[..3], declared);
    let found: Vec<Id> = module
        .instructions()
        .filter(|&inst| module.op(inst) == Op::Phi)
        .filter_map(|inst| module.result(inst))
        .collect();
    assert_eq!(found, phis);
    for pair in phis.chunks(2) {
        let first = module.definition(pair[0]).unwrap();
        assert_eq!(module.next(first), module.definition(pair[1]));
    }
}

#[test]
fn interfaces_name_what_is_reached() {
    for (version, expected) in [(Version::V1_3, 1), (Version::V1_4, 2)] {
        let mut b = Builder::new(version);
        let (void, float) = (b.type_void(), b.type_float(32, None));
        let input = b.global(StorageClass::Input, float);
        let private = b.global(StorageClass::Private, float);
        let unused = b.global(StorageClass::Output, float);
        let local_only = in_function(&mut b, |b| {
            let local = b.local(float);
            let value = b.load(float, input, None);
            b.store(local, value, None);
            b.store(private, value, None);
            b.return_();
        });
        let main = in_function(&mut b, |b| {
            b.function_call(void, local_only, &[]);
            b.return_();
        });
        let interface = b.interface_of(main);
        assert_eq!(interface, [input, private][..expected]);
        assert!(!interface.contains(&unused));
    }
}
