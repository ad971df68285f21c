//! Typed calls in a module that there is, and what else passes need.

use spirvkit_binary::{Id, NumberType};
use spirvkit_grammar::{Capability, Decoration, Op, StorageClass};
use spirvkit_ir::builder::BuildErrorKind;
use spirvkit_ir::{EditError, Inst, Lookup, Module, Place};

/// A module whose ids have the numbers that the text says.
fn load(text: &str) -> Module {
    Module::from_words(spirvkit_testing::words(text)).unwrap()
}

/// The module's text, after a check that its tables are right.
fn text(module: &Module) -> String {
    module.verify().unwrap();
    let words = module.store();
    Module::load(&words).unwrap().verify().unwrap();
    spirvkit_testing::numbered_text(&words)
}

fn find(module: &Module, op: Op) -> Inst {
    let mut insts = module.instructions();
    insts.find(|&inst| module.op(inst) == op).expect("one")
}

const HEAD: &str = "OpCapability Linkage
OpCapability Shader
OpMemoryModel Logical GLSL450
OpName %7 \"sum\"
OpDecorate %7 RelaxedPrecision
OpDecorate %10 RelaxedPrecision
%10 = OpDecorationGroup
OpGroupDecorate %10 %6 %7 %9
%1 = OpTypeVoid
%2 = OpTypeInt 32 0
%3 = OpTypeFunction %2 %2
%4 = OpConstant %2 5
";

const BODY: &str = "%5 = OpFunction %2 None %3
%6 = OpFunctionParameter %2
%8 = OpLabel
%7 = OpIAdd %2 %6 %4
%9 = OpIMul %2 %7 %7
OpReturnValue %9
OpFunctionEnd
";

fn sample() -> Module {
    load(&format!("{HEAD}{BODY}"))
}

#[test]
fn types_and_constants_are_got_by_value_in_the_middle_of_an_edit() {
    let mut module = sample();
    let count = module.instructions().count();
    let ids = module.edit(|b| {
        let uint = b.type_int(32, 0);
        [uint, b.type_void(), b.constant(uint, 5), b.constant_u32(5)]
    });
    assert_eq!(ids.unwrap(), [Id(2), Id(1), Id(4), Id(4)]);
    assert_eq!(module.instructions().count(), count);

    // What is new is found from then on, in this edit and the next.
    let six = module
        .edit(|b| [b.constant_u32(6), b.constant_u32(6)])
        .unwrap();
    assert_eq!(six[0], six[1]);
    assert_eq!(module.edit(|b| b.constant_u32(6)).unwrap(), six[0]);
    assert_eq!((&module).constant_u64(six[0]), Some(6));
}

#[test]
fn what_was_removed_or_changed_is_not_found() {
    let mut module = sample();
    let constant = module.definition(Id(4)).unwrap();
    let [again, other] = module
        .edit(|b| {
            assert_eq!(b.constant_u32(5), Id(4));
            // Now it is another one.
            b.module_mut().set_word(constant, 3, 8).unwrap();
            let again = b.constant_u32(5);
            assert_eq!(b.constant_u32(8), Id(4));
            b.module_mut().replace_uses(Id(4), again);
            b.module_mut().erase(constant).unwrap();
            [again, b.constant_u32(8)]
        })
        .unwrap();
    assert!(again != Id(4) && other != Id(4) && again != other);
    let text = text(&module);
    assert!(text.contains(&format!("OpIAdd %2 %6 {again}\n")), "{text}");
}

#[test]
fn no_type_is_made_that_another_one_was_changed_to() {
    let mut module = load(&format!(
        "{HEAD}%20 = OpTypeFloat 32\n%21 = OpTypeVector %20 4\n%22 = OpTypeVector %2 3\n{BODY}"
    ));
    module
        .edit(|b| {
            assert_eq!(b.type_vector(Id(20), 4), Id(21));
            b.module_mut().replace_uses(Id(20), Id(2));
            assert_eq!(b.type_vector(Id(2), 4), Id(21));
            assert_ne!(b.type_vector(Id(20), 4), Id(21));
        })
        .unwrap();
    text(&module);
}

#[test]
fn decorated_types_are_their_owners() {
    let mut module = sample();
    module
        .edit(|b| {
            let plain = b.type_runtime_array(Id(2));
            let strided = b.type_runtime_array_with_stride(Id(2), 4);
            assert_ne!(plain, strided);
            assert_eq!(b.type_runtime_array_with_stride(Id(2), 4), strided);
            assert_eq!(b.type_runtime_array(Id(2)), plain);
            b.decorate(plain, Decoration::ArrayStride, &[16]);
            assert_ne!(b.type_runtime_array(Id(2)), plain);
        })
        .unwrap();
    let again = Module::load(&module.store()).unwrap();
    assert_eq!(count(&again, Op::TypeRuntimeArray), 3);
    module = again;
    // Found anew in a module that is loaded.
    let count_before = module.inst_count();
    module
        .edit(|b| {
            b.type_runtime_array(Id(2));
            b.type_runtime_array_with_stride(Id(2), 4);
            b.type_runtime_array_with_stride(Id(2), 16);
        })
        .unwrap();
    assert_eq!(module.inst_count(), count_before);
}

fn count(module: &Module, op: Op) -> usize {
    module
        .instructions()
        .filter(|&inst| module.op(inst) == op)
        .count()
}

#[test]
fn replacing_takes_names_and_decorations_along_and_leaves_groups() {
    let mut module = sample();
    let sum = find(&module, Op::IAdd);
    let replaced = module
        .edit(|b| {
            b.insert_at(Place::Before(sum));
            let product = b.i_mul(Id(2), Id(6), Id(4));
            b.module_mut().replace_with(sum, product)
        })
        .unwrap();
    assert_eq!(replaced, Ok(2));
    let text = text(&module);
    for gone in ["%7 ", "%7\n", "OpName"] {
        assert!(!text.contains(gone), "{gone} in\n{text}");
    }
    assert!(text.contains("OpGroupDecorate %10 %6 %9\n"), "{text}");
    assert!(
        text.contains("%11 = OpIMul %2 %6 %4\n%9 = OpIMul %2 %11 %11\n"),
        "{text}"
    );
    assert_eq!(module.replace_with(sum, Id(6)), Err(EditError::NoSuchPlace));
}

#[test]
fn a_group_without_targets_goes() {
    let mut module = load(
        "OpCapability Shader
OpMemoryModel Logical GLSL450
%10 = OpDecorationGroup
OpGroupDecorate %10 %6 %7 %6
OpGroupMemberDecorate %10 %6 0 %7 1 %6 2
%1 = OpTypeVoid
%6 = OpTypeStruct %1 %1 %1
%7 = OpTypeStruct %1 %1
",
    );
    let structure = |module: &Module, id| module.definition(Id(id)).unwrap();
    // The uses are known, and are kept up.
    assert_eq!(module.uses(Id(6)).count(), 4);
    module.erase(structure(&module, 6)).unwrap();
    let shown = text(&module);
    assert!(shown.contains("OpGroupDecorate %10 %7\n"), "{shown}");
    assert!(
        shown.contains("OpGroupMemberDecorate %10 %7 1\n"),
        "{shown}"
    );
    module.erase(structure(&module, 7)).unwrap();
    let shown = text(&module);
    assert!(!shown.contains("OpGroup"), "{shown}");
}

#[test]
fn capabilities_are_declared_for_what_was_made_only() {
    // It needs `Float64`, and doesn't declare it.
    let mut module = load(&format!("{HEAD}%20 = OpTypeFloat 64\n{BODY}"));
    module.edit(|b| b.type_int(64, 0)).unwrap();
    let declared = |wanted: Capability| {
        module.instructions().any(|inst| {
            let capability = module.operand_word(inst, 0).map(Capability);
            module.op(inst) == Op::Capability && capability == Some(wanted)
        })
    };
    assert!(declared(Capability::Int64));
    assert!(!declared(Capability::Float64));
}

#[test]
fn errors_are_about_what_was_made_only() {
    // Nothing defines %99, and the last block has no end.
    let broken = "%30 = OpFunction %2 None %3\n%31 = OpFunctionParameter %2\n%32 = OpLabel\n\
                  %33 = OpIAdd %2 %99 %99\nOpFunctionEnd\n";
    let mut module = load(&format!("{HEAD}{BODY}{broken}"));
    let product = find(&module, Op::IMul);
    module
        .edit(|b| {
            b.insert_at(Place::Before(product));
            b.i_sub(Id(2), Id(6), Id(4));
        })
        .unwrap();
    let errors = module
        .edit(|b| {
            b.insert_at(Place::After(product));
            b.i_sub(Id(2), Id(6), Id(98));
        })
        .unwrap_err();
    assert!(matches!(errors[0].kind, BuildErrorKind::Undefined(Id(98))));
    assert_eq!(errors.len(), 1, "{errors}");
    text(&module);

    // A block that the edit leaves open.
    let mut module = sample();
    let errors = module
        .edit(|b| {
            let label = b.forward();
            b.module_mut().split_block(product, label).unwrap();
        })
        .unwrap_err();
    assert!(
        matches!(errors[0].kind, BuildErrorKind::Unterminated(Id(8))),
        "{errors}"
    );
}

#[test]
fn variables_go_behind_the_last_one_there_is() {
    let mut module = sample();
    let product = find(&module, Op::IMul);
    let variables = module
        .edit(|b| {
            b.insert_at(Place::Before(product));
            let first = b.local(Id(2));
            let second = b.local(Id(2));
            let second = b.module().definition(second).unwrap();
            b.module_mut().erase(second).unwrap();
            [first, b.local(Id(2))]
        })
        .unwrap();
    let function = module.function_by_id(Id(5)).unwrap();
    let entry = module.entry_block(function).unwrap();
    let insts = module.block_instructions(entry).skip(1).take(2);
    let found: Vec<_> = insts.map(|inst| module.result(inst).unwrap()).collect();
    assert_eq!(found, variables);
}

#[test]
fn operands_are_read_by_their_numbers() {
    let module = load(&format!("{HEAD}%20 = OpTypePointer Private %2\n{BODY}"));
    let sum = find(&module, Op::IAdd);
    assert_eq!(module.operand_id(sum, 0), Some(Id(6)));
    assert_eq!(module.operand_id(sum, 1), Some(Id(4)));
    assert_eq!(module.operand_id(sum, 2), None);
    let types = &module;
    assert_eq!(
        (types.op_of(Id(7)), types.op_of(Id(70))),
        (Op::IAdd, Op::Nop)
    );
    assert_eq!(types.pointer_class(Id(20)), Some(StorageClass::Private));
    assert_eq!(
        (types.pointee(Id(20)), types.pointee(Id(2))),
        (Some(Id(2)), None)
    );
    assert_eq!(types.number_type(Id(2)), Some(NumberType::U32));
    let name = find(&module, Op::Name);
    assert_eq!(module.operand_id(name, 0), Some(Id(7)));
    assert_eq!(module.operand_word(name, 1), None);
    let capability = find(&module, Op::Capability);
    assert_eq!(
        module.operand_word(capability, 0),
        Some(Capability::Linkage.0)
    );
}

#[test]
fn constants_are_read_by_their_width() {
    let module = load(
        "%1 = OpTypeInt 16 1\n%2 = OpConstant %1 -2\n%3 = OpTypeFloat 64\n%4 = OpConstant %3 1.5\n\
         %5 = OpSpecConstant %1 3\n%6 = OpConstantNull %1\n",
    );
    let constants = &module;
    let (ty, bits) = constants.number_constant(Id(2)).unwrap();
    assert_eq!((bits, ty.sign_extend(bits)), (0xfffe, -2));
    assert_eq!(
        constants.number_constant(Id(4)).unwrap().1,
        1.5_f64.to_bits()
    );
    assert_eq!(constants.constant_i64(Id(2)), Some(-2));
    // Null is 0.
    assert_eq!(constants.constant_u64(Id(6)), Some(0));
    for none in [4, 5, 7] {
        assert_eq!(constants.constant_u64(Id(none)), None);
    }
}
