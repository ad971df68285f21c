//! What is said of wrong calls.

use spirvkit_binary::{ErrorKind, Id};
use spirvkit_grammar::*;
use spirvkit_ir::Place;
use spirvkit_ir::builder::{BuildErrorKind as K, Builder};

use super::{error, errors, in_function, shader};

macro_rules! assert_kind {
    ($kind:expr, $($pattern:tt)+) => {
        let kind = &$kind;
        assert!(matches!(kind, $($pattern)+), "{kind:?}");
    };
}

#[test]
fn undefined_ids_are_reported_once_and_by_name() {
    let mut b = shader();
    let uint = b.type_int(32, 0);
    let missing = b.forward();
    b.name(missing, "missing");
    let f = in_function(&mut b, |b| {
        b.s_negate(uint, missing);
        b.i_add(uint, missing, missing);
        b.return_();
    });
    b.name(f, "main");
    let errors = errors(b);
    assert_eq!(errors.len(), 1, "{errors}");
    assert_kind!(errors[0].kind, K::Undefined(id) if *id == missing);
    // The first use is that by OpName.
    assert_eq!(errors[0].op, Op::Name);
    assert!(errors[0].to_string().contains("`missing`"));
}

#[test]
fn errors_name_the_function() {
    let mut b = shader();
    let f = in_function(&mut b, |_| {});
    b.name(f, "endless");
    let errors = errors(b);
    assert_kind!(errors[0].kind, K::Unterminated(_));
    assert!(
        errors[0].to_string().contains("(`endless`)"),
        "{}",
        errors[0]
    );
}

#[test]
fn results_have_one_definition() {
    let mut b = shader();
    let uint = b.type_int(32, 0);
    b.define(uint).type_float(32, None);
    assert_kind!(error(b, Op::TypeFloat), K::DefinedTwice(id) if *id == uint);

    let mut b = shader();
    let (first, second) = (b.forward(), b.forward());
    b.define(first);
    b.define(second);
    let errors = errors(b);
    assert_eq!(errors.len(), 2, "{errors}");
    assert_kind!(errors[0].kind, K::NeverGiven(id) if *id == first);
    assert_kind!(errors[1].kind, K::NeverGiven(id) if *id == second);
}

#[test]
fn result_types_are_types() {
    let mut b = shader();
    let one = b.constant_u32(1);
    in_function(&mut b, |b| {
        b.i_add(one, one, one);
        b.return_();
    });
    assert_kind!(error(b, Op::IAdd), K::NotAType(id) if *id == one);
}

#[test]
fn labels_are_blocks_of_the_function() {
    let mut b = shader();
    let mut label = Id(0);
    in_function(&mut b, |b| {
        label = b.open_label().unwrap();
        b.return_();
    });
    in_function(&mut b, |b| b.branch(label));
    assert_kind!(error(b, Op::Branch), K::NotABlock(id) if *id == label);

    let mut b = shader();
    let one = b.constant_u32(1);
    in_function(&mut b, |b| b.switch(one, one, &[]));
    assert_kind!(error(b, Op::Switch), K::NotABlock(_));

    let mut b = shader();
    let one = b.constant_u32(1);
    in_function(&mut b, |b| {
        let next = b.forward();
        b.switch(one, next, &[(0, one)]);
        b.begin_block(next);
        b.return_();
    });
    assert_kind!(error(b, Op::Switch), K::NotABlock(_));

    let mut b = shader();
    let uint = b.type_int(32, 0);
    in_function(&mut b, |b| {
        b.return_();
        b.select_block(uint);
        b.label();
        b.return_();
    });
    assert_kind!(error(b, Op::Label), K::NotABlock(_));
}

#[test]
fn literals_need_a_numeric_type() {
    let mut b = shader();
    let bool = b.type_bool();
    let lost = b.constant(bool, 1);
    // What uses it is no further error.
    let vector = b.type_vector(bool, 2);
    b.constant_composite(vector, &[lost, lost]);
    assert_kind!(error(b, Op::Constant), K::NotANumber(id) if *id == bool);

    let mut b = shader();
    let half = b.constant_f32(0.5);
    in_function(&mut b, |b| {
        let next = b.forward();
        b.switch(half, next, &[]);
        b.begin_block(next);
        b.return_();
    });
    assert_kind!(error(b, Op::Switch), K::NotANumber(_));

    let mut b = shader();
    let half = b.constant_f32(0.5);
    in_function(&mut b, |b| {
        b.for_(half..half, half, |_, _, _| {});
        b.return_();
    });
    assert_kind!(error(b, Op::LoopMerge), K::NotANumber(_));
}

#[test]
fn instructions_need_a_block() {
    let mut b = shader();
    let one = b.constant_u32(1);
    let uint = b.type_int(32, 0);
    in_function(&mut b, |b| {
        b.return_();
        // One error for all of this.
        let sum = b.i_add(uint, one, one);
        b.i_add(uint, sum, sum);
        b.if_(sum, |b| b.return_());
        b.return_();
    });
    assert_kind!(error(b, Op::IAdd), K::NoBlock);

    let mut b = shader();
    let one = b.constant_u32(1);
    let uint = b.type_int(32, 0);
    b.i_add(uint, one, one);
    assert_kind!(error(b, Op::IAdd), K::NoFunction);

    let mut b = shader();
    b.label();
    assert_kind!(error(b, Op::Label), K::NoFunction);

    let mut b = shader();
    let uint = b.type_int(32, 0);
    b.local(uint);
    assert_kind!(error(b, Op::Variable), K::NoFunction);

    let mut b = shader();
    let void = b.type_void();
    let (uint, ty) = (b.type_int(32, 0), b.type_function(void, &[]));
    b.open_function(void, FunctionControl::None, ty);
    b.local(uint);
    b.label();
    b.return_();
    b.end_function();
    assert_kind!(error(b, Op::Variable), K::NoBlock);
}

#[test]
fn functions_are_begun_and_ended() {
    let mut b = shader();
    let void = b.type_void();
    let (f, _) = b.begin_function(void, FunctionControl::None, &[]);
    b.return_();
    let mut open = b.clone();
    assert_kind!(error(b, Op::FunctionEnd), K::NotEnded(id) if *id == f);
    in_function(&mut open, |b| b.return_());
    assert_kind!(error(open, Op::Function), K::FunctionOpen(id) if *id == f);

    let mut b = shader();
    b.end_function();
    assert_kind!(error(b, Op::FunctionEnd), K::NoFunction);

    let mut b = shader();
    b.end_declaration();
    assert_kind!(error(b, Op::FunctionEnd), K::NoFunction);

    let mut b = shader();
    let void = b.type_void();
    let ty = b.type_function(void, &[]);
    let f = b.open_function(void, FunctionControl::None, ty);
    b.end_function();
    assert_kind!(error(b, Op::FunctionEnd), K::NoBlocks(id) if *id == f);

    let mut b = shader();
    let uint = b.type_int(32, 0);
    in_function(&mut b, |b| {
        b.function_parameter(uint);
        b.return_();
    });
    assert_kind!(error(b, Op::FunctionParameter), K::LateParameter);

    let mut b = shader();
    let uint = b.type_int(32, 0);
    b.function_parameter(uint);
    assert_kind!(error(b, Op::FunctionParameter), K::NoFunction);

    let mut b = shader();
    b.continue_function(Id(77));
    assert_kind!(error(b, Op::Function), K::NoSuchPlace);
}

#[test]
fn merges_stand_before_branches() {
    let mut b = shader();
    let (uint, one) = (b.type_int(32, 0), b.constant_u32(1));
    in_function(&mut b, |b| {
        let merge = b.forward();
        b.selection_merge(merge, SelectionControl::None);
        b.i_add(uint, one, one);
        b.branch(merge);
        b.begin_block(merge);
        b.return_();
    });
    assert_kind!(error(b, Op::SelectionMerge), K::MergeWithoutBranch);
}

#[test]
fn ends_of_blocks_are_not_for_their_middle() {
    let mut b = shader();
    let condition = b.constant_bool(true);
    let f = in_function(&mut b, |b| {
        b.undef_of_bool();
        b.return_();
    });
    let module = b.finish().unwrap();
    let function = module.function_by_id(f).unwrap();
    let block = module.entry_block(function).unwrap();

    let mut b = Builder::on(module.clone());
    b.insert_at(Place::Tail(block));
    b.return_();
    assert_kind!(error(b, Op::Return), K::MidBlock);

    let mut b = Builder::on(module.clone());
    b.insert_at(Place::Head(block));
    b.if_(condition, |_| {});
    b.return_();
    assert_kind!(error(b, Op::SelectionMerge), K::MidBlock);

    let mut b = Builder::on(module.clone());
    b.insert_at(Place::Section(spirvkit_binary::Section::Types));
    assert_kind!(error(b, Op::Nop), K::NoSuchPlace);
    let capability = module.first().unwrap();
    let mut b = Builder::on(module);
    b.insert_at(Place::Before(capability));
    assert_kind!(error(b, Op::Nop), K::NoSuchPlace);
}

trait UndefOfBool {
    fn undef_of_bool(&mut self);
}

impl UndefOfBool for Builder {
    fn undef_of_bool(&mut self) {
        let bool = self.type_bool();
        self.undef(bool);
    }
}

#[test]
fn loops_are_left_from_the_innermost() {
    let mut b = shader();
    in_function(&mut b, |b| {
        b.loop_(|b, outer| {
            b.loop_(|b, _| b.break_(outer));
            b.break_(outer);
        });
        b.return_();
    });
    assert_kind!(error(b, Op::Branch), K::NotInnermostLoop(_));
}

#[test]
fn cases_are_distinguished() {
    let mut b = shader();
    let one = b.constant_u32(1);
    in_function(&mut b, |b| {
        b.switch_(one, |s| {
            s.case(&[7], |_| {});
            // The same in 32 bits.
            s.case(&[8, 7 | 1 << 32], |_| {});
        });
        b.return_();
    });
    assert_kind!(error(b, Op::Switch), K::SecondCase(_));

    let mut b = shader();
    let one = b.constant_u32(1);
    in_function(&mut b, |b| {
        b.switch_(one, |s| {
            s.default(|_| {});
            s.default(|_| {});
        });
        b.return_();
    });
    assert_kind!(error(b, Op::Switch), K::SecondDefault);
}

#[test]
fn operands_are_those_of_the_grammar() {
    let mut b = shader();
    let uint = b.type_int(32, 0);
    let variable = b.global(StorageClass::Private, uint);
    b.decorate(variable, Decoration::Location, &[]);
    assert_kind!(
        error(b, Op::Decorate),
        K::Operands(ErrorKind::MissingOperand { .. })
    );

    let mut b = shader();
    let uint = b.type_int(32, 0);
    let variable = b.global(StorageClass::Private, uint);
    b.decorate(variable, Decoration::RelaxedPrecision, &[1]);
    assert_kind!(error(b, Op::Decorate), K::Operands(_));
}

#[test]
fn instructions_have_at_most_65535_words() {
    let mut b = shader();
    let uint = b.type_int(32, 0);
    b.type_struct(&vec![uint; 70_000]);
    assert_kind!(error(b, Op::TypeStruct), K::TooLong { words: 70_002 });
}

#[test]
fn strings_have_no_nul() {
    let mut b = shader();
    let uint = b.type_int(32, 0);
    b.name(uint, "a\0b");
    assert_kind!(error(b, Op::Name), K::Nul);
}

#[test]
fn sets_know_their_instructions() {
    let mut b = shader();
    let (float, one) = (b.type_float(32, None), b.constant_f32(1.0));
    in_function(&mut b, |b| {
        let lost = b.glsl(float, "Sqare", &[one]);
        b.f_negate(float, lost);
        b.return_();
    });
    let kind = error(b, Op::ExtInst);
    match kind {
        K::NoSuchInstruction { set, instruction } => {
            assert_eq!(
                (set.as_str(), instruction.as_str()),
                ("GLSL.std.450", "`Sqare`")
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_module_has_a_memory_model() {
    let mut b = Builder::new(Version::V1_0);
    b.capability(Capability::Shader);
    assert_kind!(error(b, Op::MemoryModel), K::NoMemoryModel);
}

#[test]
fn a_second_memory_model_replaces_the_first() {
    let mut b = shader();
    b.memory_model(AddressingModel::Logical, MemoryModel::Simple);
    let lines = super::valid(b, "spv1.3");
    assert_eq!(super::count(&lines, "OpMemoryModel"), 1);
    super::find(&lines, "OpMemoryModel Logical Simple");
}

#[test]
fn an_import_that_isnt_one() {
    let mut b = shader();
    let (float, one) = (b.type_float(32, None), b.constant_f32(1.0));
    in_function(&mut b, |b| {
        b.ext_inst(float, one, 1, &[one]);
        b.return_();
    });
    assert_kind!(
        error(b, Op::ExtInst),
        K::Operands(ErrorKind::NotAnImport { .. })
    );
}
