//! Uses against a plain decoding of every operand.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::structured;

use crate::common::Program;
use proptest::prelude::*;
use spirvkit_analysis::Lookup as _;
use spirvkit_binary::{Id, Value};
use spirvkit_grammar::Op;

/// Checks every id against all operands of all instructions.
fn check(program: &Program) -> Result<(), TestCaseError> {
    let index = program.index();
    let definitions = program.definitions();
    let mut defined: BTreeMap<Id, u32> = BTreeMap::new();
    let mut used: BTreeMap<Id, BTreeSet<u32>> = BTreeMap::new();
    for instruction in program.instructions() {
        let offset = instruction.offset().0 as u32;
        if let Some(id) = instruction.result() {
            defined.entry(id).or_insert(offset);
            used.entry(id).or_default();
        }
        let result = instruction.info().filter(|info| info.has_result());
        let result = result.map(|info| 1 + usize::from(info.has_result_type()));
        for operand in instruction.operands(&definitions).map_while(Result::ok) {
            if let Value::Id(id) = operand.value
                && Some(operand.word) != result
            {
                used.entry(id).or_default().insert(offset);
            }
        }
    }
    for (id, users) in used {
        prop_assert_eq!(
            index.def(id).map(|inst| inst.offset()),
            defined.get(&id).copied()
        );
        prop_assert_eq!(
            index.uses(id),
            users.into_iter().collect::<Vec<_>>(),
            "{}",
            id
        );
    }
    Ok(())
}

/// The opcodes of what uses an id.
fn users(program: &Program, id: Id) -> Vec<Op> {
    let index = program.index();
    let offsets = index.uses(id).iter();
    offsets.map(|&at| index.inst(at).unwrap().op()).collect()
}

#[test]
fn ids_behind_literals_and_masks_are_uses() {
    let program = Program::with_body(
        "%entry = OpLabel
         OpSelectionMerge %merge None
         OpSwitch %ul0 %merge 1 %merge 2 %merge
         %merge = OpLabel
         OpReturn",
    );
    let merge = program.first_function().block(1).unwrap().label;
    assert_eq!(users(&program, merge), [Op::SelectionMerge, Op::Switch]);
    check(&program).unwrap();
}

#[test]
fn a_value_may_use_itself() {
    let program = Program::with_body(
        "%entry = OpLabel
         OpBranch %header
         %header = OpLabel
         %count = OpPhi %uint %u0 %entry %count %continue
         OpLoopMerge %merge %continue None
         OpBranch %continue
         %continue = OpLabel
         OpBranchConditional %true %header %merge
         %merge = OpLabel
         OpReturn",
    );
    let phi = program
        .instructions()
        .find(|it| it.op() == Op::Phi)
        .unwrap();
    assert_eq!(users(&program, phi.result().unwrap()), [Op::Phi]);
    check(&program).unwrap();
}

#[test]
fn what_does_not_decode_has_no_uses() {
    const NAME: u32 = Op::Name.0 as u32;
    const SWITCH: u32 = Op::Switch.0 as u32;
    const LOAD: u32 = Op::Load.0 as u32;
    const UNASSIGNED: u32 = 0xfff0;
    let program = Program::of_words(&[
        &[UNASSIGNED, 1, 2],
        &[NAME, u32::MAX, 0x6161_6161],
        // Nothing defines the selector, so only the default is known.
        &[SWITCH, 5, 6, 0, 7],
        &[LOAD, 1],
        &[LOAD, 1, 8, 9],
        &[LOAD, 1, 8, 10],
    ]);
    assert_eq!(users(&program, Id(1)), [Op::Load; 3]);
    assert_eq!(users(&program, Id(u32::MAX)), [Op::Name]);
    for id in [5, 6] {
        assert_eq!(users(&program, Id(id)), [Op::Switch]);
    }
    assert!(users(&program, Id(7)).is_empty() && users(&program, Id(2)).is_empty());
    assert_eq!(program.index().op_of(Id(8)), Op::Load);
    check(&program).unwrap();
}

#[test]
fn real_modules_are_decoded_whole() {
    for sample in ["count_bits", "saxpy", "tinted"] {
        let path = format!(
            "{}/../../samples/{sample}.spvasm",
            env!("CARGO_MANIFEST_DIR")
        );
        let text = std::fs::read_to_string(path).expect("the sample is there");
        check(&Program::new(&text)).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn programs_have_the_uses_that_their_operands_are(statements in structured::bodies()) {
        check(&Program::with_body(&structured::body(&statements)))?;
    }

    #[test]
    fn any_words_do(
        instructions in prop::collection::vec(
            (0..400u32, prop::collection::vec(prop_oneof![0..20u32, any::<u32>()], 0..8)),
            0..30,
        ),
    ) {
        let instructions: Vec<Vec<u32>> = instructions
            .into_iter()
            .map(|(op, words)| std::iter::once(op).chain(words).collect())
            .collect();
        let instructions: Vec<&[u32]> = instructions.iter().map(|words| &words[..]).collect();
        let program = Program::of_words(&instructions);
        check(&program)?;
        program.functions();
        spirvkit_analysis::CallGraph::new(&program.index());
    }
}
