//! Modules that make no sense: no panic, and nothing out of proportion.

use proptest::prelude::*;
use spirvkit_binary::MAGIC;
use spirvkit_grammar::Op;
use spirvkit_reflect::reflect;

/// Opcodes that reflection looks at, with operands that hit one another.
fn instruction() -> impl Strategy<Value = Vec<u32>> {
    let opcodes = prop::sample::select(vec![
        Op::EntryPoint,
        Op::ExecutionMode,
        Op::ExecutionModeId,
        Op::Decorate,
        Op::MemberDecorate,
        Op::DecorationGroup,
        Op::GroupDecorate,
        Op::Name,
        Op::MemberName,
        Op::TypeInt,
        Op::TypeFloat,
        Op::TypeVector,
        Op::TypeMatrix,
        Op::TypeArray,
        Op::TypeRuntimeArray,
        Op::TypeStruct,
        Op::TypePointer,
        Op::TypeImage,
        Op::TypeSampledImage,
        Op::Constant,
        Op::SpecConstant,
        Op::SpecConstantOp,
        Op::ConstantComposite,
        Op::Variable,
        Op::Function,
        Op::FunctionParameter,
        Op::FunctionCall,
        Op::FunctionEnd,
        Op::Label,
        Op::Phi,
        Op::Select,
        Op::AccessChain,
        Op::Load,
        Op::Store,
        Op::ExtInst,
        Op::ExtInstImport,
    ]);
    let operand = prop_oneof![0u32..12, Just(30), Just(33), Just(u32::MAX), any::<u32>()];
    (opcodes, prop::collection::vec(operand, 0..9)).prop_map(|(op, operands)| {
        let mut words = vec![(operands.len() as u32 + 1) << 16 | u32::from(op.0)];
        words.extend(operands);
        words
    })
}

proptest! {
    #[test]
    fn any_instructions_are_reflected(
        instructions in prop::collection::vec(instruction(), 0..60),
        bound in prop_oneof![0u32..20, any::<u32>()],
    ) {
        let mut words = vec![MAGIC, 0x0001_0600, 0, bound, 0];
        words.extend(instructions.concat());
        let reflection = reflect(&words).unwrap();
        prop_assert_eq!(reflection.statistics.words, words.len() as u64);
        prop_assert!(serde_json::to_string(&reflection).is_ok());
        prop_assert_eq!(reflect(&words).unwrap().types, reflection.types);
    }

    #[test]
    fn any_words_are_reflected_or_refused(rest in prop::collection::vec(any::<u32>(), 0..40)) {
        let mut words = vec![MAGIC, 0x0001_0600, 0, 20, 0];
        words.extend(rest);
        let _ = reflect(&words);
    }
}
