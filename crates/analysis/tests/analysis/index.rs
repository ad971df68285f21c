//! What the index of a module answers.

use spirvkit_analysis::index::{Models, Reach};
use spirvkit_analysis::{Lookup, ModuleIndex, Type};
use spirvkit_binary::{ErrorKind, Id, Module};
use spirvkit_grammar::{Capability, Decoration, ExecutionMode, ExecutionModel, Op, StorageClass};

use crate::common::Program;

const TEXT: &str = "
    OpCapability Matrix
    OpCapability Linkage
    OpExtension \"SPV_KHR_variable_pointers\"
    %90 = OpExtInstImport \"GLSL.std.450\"
    %91 = OpExtInstImport \"NonSemantic.DebugPrintf\"
    OpMemoryModel Logical GLSL450
    OpEntryPoint Fragment %50 \"first\" %20
    OpEntryPoint Vertex %60 \"second\"
    OpExecutionMode %50 OriginUpperLeft
    OpName %20 \"old\"
    OpName %20 \"input\"
    OpMemberName %10 1 \"second\"
    OpMemberName %10 0 \"first\"
    OpDecorate %20 Location 3
    OpMemberDecorate %10 1 Offset 16
    OpDecorate %40 RelaxedPrecision
    %40 = OpDecorationGroup
    OpGroupDecorate %40 %20 %22
    OpGroupMemberDecorate %40 %10 0
    %1 = OpTypeVoid
    %2 = OpTypeFloat 32
    %3 = OpTypeVector %2 4
    %4 = OpTypeInt 16 1
    %5 = OpConstant %4 -2
    %6 = OpTypeMatrix %3 2
    %7 = OpTypeInt 32 0
    %8 = OpSpecConstant %7 5
    %9 = OpTypeArray %2 %8
    %10 = OpTypeStruct %3 %9
    %11 = OpTypePointer Input %3
    %20 = OpVariable %11 Input
    %12 = OpTypePointer Function %10
    %13 = OpConstantNull %7
    %14 = OpTypeFunction %1
    %30 = OpFunction %1 None %14
    %31 = OpLabel
    %22 = OpVariable %12 Function
    %32 = OpExtInst %1 %91 1 %8
    %33 = OpExtInst %2 %90 Exp %2
    OpReturn
    OpFunctionEnd
    %50 = OpFunction %1 None %14
    %51 = OpLabel
    %52 = OpFunctionCall %1 %30
    OpBranch %53
    %53 = OpLabel
    OpReturn
    OpFunctionEnd
    %60 = OpFunction %1 None %14
    %61 = OpLabel
    %62 = OpFunctionCall %1 %60
    OpReturn
    OpFunctionEnd";

/// An index of a program.
fn index(program: &Program) -> ModuleIndex<'_> {
    ModuleIndex::new(program.module().words()).expect("the header is right")
}

#[test]
fn types_and_constants_are_read_off_their_instructions() {
    let program = Program::new(TEXT);
    let index = index(&program);
    assert_eq!(
        index.ty(Id(3)),
        Type::Vector {
            component: Id(2),
            count: 4
        }
    );
    assert_eq!(index.ty(Id(10)), Type::Struct { members: &[3, 9] });
    assert_eq!(index.ty(Id(20)), Type::None);
    assert_eq!(index.type_of(Id(20)), Some(Id(11)));
    assert_eq!(index.type_of(Id(11)), None);
    assert_eq!(index.pointer_class(Id(11)), Some(StorageClass::Input));
    assert_eq!(index.pointee(Id(11)), Some(Id(3)));
    assert_eq!(index.component_type(Id(6)), Id(2));
    assert_eq!((index.dimension(Id(6)), index.dimension(Id(2))), (2, 1));
    assert_eq!(index.bit_width(Id(6)), 32);
    // Sign-extended, as its type is signed.
    assert_eq!(index.constant_i64(Id(5)), Some(-2));
    assert_eq!(index.constant_u64(Id(13)), Some(0));
    assert_eq!(index.constant_u64(Id(8)), None);
    assert_eq!(index.default_u64(Id(8)), Some(5));
    assert!(index.is_spec_constant(Id(8)) && !index.is_spec_constant(Id(5)));
    assert_eq!(index.array_length(Id(9)), None);
    assert_eq!(index.op_of(Id(77)), Op::Nop);
}

#[test]
fn decorations_come_through_groups_and_to_members() {
    let program = Program::new(TEXT);
    let index = index(&program);
    let own = |id: u32| -> Vec<Decoration> {
        let own = index.own_decorations(Id(id));
        own.map(|decorated| decorated.decoration).collect()
    };
    assert_eq!(
        own(20),
        [Decoration::Location, Decoration::RelaxedPrecision]
    );
    assert_eq!(own(22), [Decoration::RelaxedPrecision]);
    assert_eq!(own(10), []);
    let offset = index.member_decoration(Id(10), 1, Decoration::Offset);
    assert_eq!(offset.map(|offset| offset.param(0)), Some(16));
    assert!(
        index
            .member_decoration(Id(10), 0, Decoration::RelaxedPrecision)
            .is_some()
    );
    assert!(index.has_decoration_anywhere(Id(10), Decoration::Offset));
    let relaxed = index.all_decorated_with(Decoration::RelaxedPrecision);
    let relaxed: Vec<u32> = relaxed.map(|(id, _)| id.0).collect();
    assert_eq!(relaxed, [10, 20, 22, 40]);
}

#[test]
fn the_last_name_counts() {
    let program = Program::new(TEXT);
    let index = index(&program);
    let name = index.name_of(Id(20)).map(|name| name.to_text_lossy());
    assert_eq!(name.as_deref(), Some("input"));
    assert_eq!(index.name_of(Id(21)), None);
    let members = index.member_names(Id(10));
    let members: Vec<_> = members
        .map(|(member, name)| (member, name.to_text_lossy()))
        .collect();
    assert_eq!(members, [(0, "first".to_owned()), (1, "second".to_owned())]);
}

#[test]
fn definitions_stand_in_blocks() {
    let program = Program::new(TEXT);
    let index = index(&program);
    assert_eq!(index.block_of(Id(22)), Some(0));
    assert_eq!(index.block_of(Id(53)), Some(2));
    assert_eq!(index.blocks[2].id, Id(53));
    assert_eq!(index.block_of(Id(20)), None);
    assert!(index.whereabouts(Id(20)).is_global());
    assert!(index.whereabouts(Id(50)).is_function());
    assert_eq!(index.functions[1].blocks, 1..3);
    assert_eq!((index.globals.len(), index.locals.len()), (1, 1));
    let uses = index.uses(Id(8)).iter();
    let users: Vec<Op> = uses.map(|&at| index.inst(at).unwrap().op()).collect();
    assert_eq!(users, [Op::TypeArray, Op::ExtInst]);
}

#[test]
fn entry_points_reach_what_they_call() {
    let program = Program::new(TEXT);
    let index = index(&program);
    assert!(index.has(Capability::Matrix) && !index.has(Capability::Shader));
    assert!(index.has_extension("SPV_KHR_variable_pointers"));
    assert_eq!(index.imports.len(), 2);
    let [first, second] = index.entry_points[..] else {
        panic!("there are two entry points");
    };
    assert_eq!(
        (first.name(), second.name()),
        ("first".into(), "second".into())
    );
    assert_eq!(first.interface, [20]);
    assert!(index.has_execution_mode(Id(50), ExecutionMode::OriginUpperLeft));
    assert!(!index.has_execution_mode(Id(60), ExecutionMode::OriginUpperLeft));
    let fragment = Models::of(&[ExecutionModel::Fragment]);
    assert_eq!(index.functions[0].models, fragment);
    assert_eq!(index.entry_models(Id(50)), Some(fragment));
    assert_eq!(index.entry_models(Id(30)), None);
    assert_eq!(index.call_tree(Id(50)), [1, 0]);
    let mut reach = Reach::new(&index);
    reach.follow(&index, &index.entry_points);
    assert_eq!((reach.of(0), reach.of(1), reach.of(2)), (1, 1, 2));
}

#[test]
fn sets_without_semantics_are_remarks() {
    let program = Program::new(TEXT);
    let index = index(&program);
    let remark = index.def(Id(32)).unwrap();
    assert!(index.is_remark(remark));
    assert!(!index.is_remark(index.def(Id(33)).unwrap()));
}

#[test]
fn of_broken_modules_it_has_what_can_be_read() {
    // A second definition, a result past the bound, an instruction without its result, and
    // one that goes past the end.
    let mut words = vec![0x0723_0203, 0x0001_0600, 0, 4, 0];
    words.extend([3 << 16 | 22, 1, 32, 2 << 16 | 19, 1, 2 << 16 | 19, 9]);
    words.extend([1 << 16 | 20, 9 << 16 | 21, 2]);
    let index = ModuleIndex::new(&words).unwrap();
    assert!(matches!(index.ty(Id(1)), Type::Float { width: 32, .. }));
    assert_eq!(index.ty(Id(9)), Type::Void);
    assert_eq!(index.odd_results, [8, 10, 12]);
    assert!(index.broken_tail.is_some());
    assert!(ModuleIndex::new(&words[..4]).is_err());
}

/// The words of a program, and an index of what it declares before its functions.
fn declarations(program: &Program) -> (&[u32], ModuleIndex<'_>) {
    let module = program.module();
    (module.words(), ModuleIndex::declarations(&module))
}

#[test]
fn what_is_declared_is_the_same_with_and_without_functions() {
    let program = Program::new(TEXT);
    let (_, declared) = declarations(&program);
    let whole = index(&program);
    for id in (0..22).map(Id) {
        assert_eq!(declared.def_offset(id), whole.def_offset(id), "{id}");
        assert_eq!(declared.ty(id), whole.ty(id), "{id}");
    }
    assert_eq!(declared.declared, whole.declared);
    assert_eq!(declared.globals, whole.globals);
    assert_eq!(
        declared.declared_capabilities,
        [Capability::Matrix, Capability::Linkage]
    );
    // What stands before the functions may be about what is in them.
    assert_eq!(declared.execution_modes(Id(50)).count(), 1);
    assert_eq!(declared.execution_mode_count(Id(50)), 1);
    assert_eq!(declared.execution_mode_count(Id(60)), 0);
    assert!(declared.is_decorated(Id(22), Decoration::RelaxedPrecision));
}

#[test]
fn functions_begin_where_declarations_end() {
    let program = Program::new(TEXT);
    let (words, declared) = declarations(&program);
    let whole = index(&program);
    let ranges = |index: &ModuleIndex<'_>| -> Vec<_> {
        let functions = index.functions.iter();
        functions
            .map(|it| (it.id, it.range.clone(), it.blocks.clone()))
            .collect()
    };
    assert_eq!(ranges(&declared), ranges(&whole));
    assert!(!declared.functions.is_empty() && !declared.blocks.is_empty());
    for function in 0..whole.functions.len() as u32 {
        assert!(declared.callees(function).eq(whole.callees(function)));
    }
    for id in [22, 30, 31, 50].map(Id) {
        assert_eq!(declared.def_offset(id), 0, "{id}");
    }
    let first = declared.inst(declared.functions_start).unwrap();
    assert_eq!((first.op(), first.result()), (Op::Function, Some(Id(30))));
    assert_eq!(whole.functions_start, declared.functions_start);
    // Without functions, nothing follows.
    let words = &words[..declared.functions_start as usize];
    let module = Module::new(words).unwrap();
    for index in [
        ModuleIndex::declarations(&module),
        ModuleIndex::new(words).unwrap(),
    ] {
        assert_eq!(index.functions_start as usize, words.len());
    }
}

#[test]
fn declarations_end_at_functions_even_if_these_are_broken() {
    let program = Program::new(TEXT);
    let (words, declared) = declarations(&program);
    let start = declared.functions_start as usize;
    let broken_at = |place: usize| {
        let mut words = words.to_vec();
        words[place] = 0;
        let declared = ModuleIndex::declarations(&Module::new(&words).unwrap());
        let error = declared.broken_tail.map(|error| error.kind());
        (error, declared.functions_start as usize)
    };
    assert_eq!(
        broken_at(start + 5),
        (Some(ErrorKind::ZeroWordCount), start)
    );
    assert_eq!(broken_at(5), (Some(ErrorKind::ZeroWordCount), 5));
}

#[test]
fn decorations_that_nobody_knows_do_not_multiply() {
    let mut program = vec![];
    for unknown in 0..1000 {
        program.push(vec![Op::Decorate.0.into(), 1, 100_000 + unknown]);
        let attribute = [Decoration::FuncParamAttr.0, 100_000 + unknown];
        program.push(vec![Op::Decorate.0.into(), 1, attribute[0], attribute[1]]);
    }
    program.push(vec![Op::DecorationGroup.0.into(), 1]);
    program.push(vec![Op::GroupDecorate.0.into(), 1, 2]);
    let instructions: Vec<&[u32]> = program.iter().map(Vec::as_slice).collect();
    let program = Program::of_words(&instructions);
    assert_eq!(index(&program).decorations(Id(2)).count(), 4);
}

#[test]
fn groups_repeat_what_may_be_repeated() {
    let semantics =
        ["a", "b", "c"].map(|name| format!("OpDecorateString %g UserSemantic \"{name}\"\n"));
    let text = semantics.concat()
        + "OpDecorate %g Location 1\n OpDecorate %g Location 2\n OpDecorate %g Location 3\n
           %g = OpDecorationGroup\n OpGroupDecorate %g %t\n %t = OpTypeVoid";
    let program = Program::new(&text);
    let index = index(&program);
    let target = index
        .inst(index.declared[1])
        .and_then(|inst| inst.result())
        .unwrap();
    let of = |decoration| {
        let all = index.decorations(target);
        all.filter(|decorated| decorated.decoration == decoration)
            .count()
    };
    assert_eq!(of(Decoration::UserSemantic), 3);
    // That it is repeated can still be seen.
    assert_eq!(of(Decoration::Location), 2);
}

#[test]
fn only_groups_pass_on_their_decorations() {
    let text = "OpDecorate %a Location 1\n OpGroupDecorate %a %b\n
                %a = OpTypeVoid\n %b = OpTypeVoid";
    let program = Program::new(text);
    let index = index(&program);
    let [a, b] = [0, 1].map(|at| index.inst(index.declared[at]).unwrap().result().unwrap());
    assert!(index.is_decorated(a, Decoration::Location));
    assert!(!index.is_decorated(b, Decoration::Location));
    assert_eq!(index.all_decorated_with(Decoration::Location).count(), 1);
}
