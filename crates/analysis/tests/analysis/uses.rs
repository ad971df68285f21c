//! Definitions and uses against a plain decoding of every operand.

use crate::common::structured;

use crate::common::Program;
use proptest::prelude::*;
use spirvkit_analysis::uses::{DefUse, UseKind};
use spirvkit_binary::{Id, Value};
use spirvkit_grammar::Op;

fn def_use(program: &Program) -> DefUse {
    DefUse::new(|| program.instructions(), &program.definitions())
}

/// An id's uses: places, words and kinds.
fn uses(found: &DefUse, id: u32) -> Vec<(u32, u16, UseKind)> {
    let uses = found.of(Id(id)).iter();
    uses.map(|found| (found.instruction, found.word, found.kind))
        .collect()
}

/// Checks every id against all operands of all instructions.
fn check(program: &Program) -> Result<(), TestCaseError> {
    let found = def_use(program);
    let definitions = program.definitions();
    let mut defined: Vec<(Id, u32)> = Vec::new();
    let mut used: Vec<(Id, u32, usize)> = Vec::new();
    for (place, instruction) in program.instructions().enumerate() {
        let place = place as u32;
        if let Some(id) = instruction.result()
            && !defined.iter().any(|(earlier, _)| *earlier == id)
        {
            defined.push((id, place));
        }
        let result = instruction.info().filter(|info| info.has_result());
        let result = result.map(|info| 1 + usize::from(info.has_result_type()));
        for operand in instruction.operands(&definitions).map_while(Result::ok) {
            if let Value::Id(id) = operand.value
                && Some(operand.word) != result
            {
                used.push((id, place, operand.word));
            }
        }
    }
    for &id in found.ids() {
        let place = defined.iter().find(|(defined, _)| *defined == id);
        prop_assert_eq!(found.definition(id), place.map(|(_, place)| *place));
        let places: Vec<_> = found
            .of(id)
            .iter()
            .map(|found| (id, found.instruction, usize::from(found.word)))
            .collect();
        let expected: Vec<_> = used
            .iter()
            .copied()
            .filter(|(used, ..)| *used == id)
            .collect();
        prop_assert_eq!(places, expected);
    }
    let ids = found.ids();
    prop_assert!(defined.iter().all(|(id, _)| ids.contains(id)));
    prop_assert!(used.iter().all(|(id, ..)| ids.contains(id)));
    Ok(())
}

#[test]
fn kinds_tell_what_matters() {
    let program = Program::new(
        "OpCapability Shader
         %1 = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"
         %2 = OpExtInstImport \"NonSemantic.Unheard.Of\"
         %3 = OpExtInstImport \"GLSL.std.450\"
         %4 = OpExtInstImport \"OpenCL.DebugInfo.100\"
         OpEntryPoint Fragment %5 \"main\" %6
         OpExecutionMode %5 OriginUpperLeft
         OpName %6 \"input\"
         OpDecorate %6 Location 0
         %7 = OpTypeVoid
         %8 = OpTypeFunction %7
         %9 = OpTypeFloat 32
         %10 = OpConstant %9 1
         %11 = OpExtInst %7 %1 DebugInfoNone
         %12 = OpTypePointer Input %9
         %6 = OpVariable %12 Input
         %5 = OpFunction %7 None %8
         %13 = OpLabel
         %14 = OpExtInst %9 %3 Sqrt %10
         %15 = OpExtInst %7 %2 7 %10
         %16 = OpExtInst %7 %4 DebugInfoNone
         OpReturn
         OpFunctionEnd",
    );
    let found = def_use(&program);
    assert_eq!(
        uses(&found, 5),
        [(5, 2, UseKind::ModeSetting), (6, 1, UseKind::ModeSetting)]
    );
    let of_variable = [
        (5, 5, UseKind::ModeSetting),
        (7, 1, UseKind::Debug),
        (8, 1, UseKind::Annotation),
    ];
    assert_eq!(uses(&found, 6), of_variable);
    assert_eq!(found.values(Id(6)).count(), 0);
    assert_eq!(
        uses(&found, 10),
        [(18, 5, UseKind::Value), (19, 5, UseKind::Debug)]
    );
    assert_eq!(found.values(Id(10)).count(), 1);
    assert_eq!(found.of(Id(1))[0].kind, UseKind::Debug);
    assert_eq!(found.of(Id(3))[0].kind, UseKind::Value);
    assert_eq!(found.of(Id(4))[0].kind, UseKind::Debug);
    assert_eq!(found.definition(Id(6)), Some(15));
    assert_eq!(found.definition(Id(99)), None);
    assert!(found.of(Id(99)).is_empty());
    assert_eq!(uses(&found, 9)[0], (12, 1, UseKind::Value));
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
    let found = def_use(&program);
    let merge = program.first_function().block(1).unwrap().label;
    let words: Vec<u16> = found.of(merge).iter().map(|found| found.word).collect();
    assert_eq!(words, [1, 2, 5, 8]);
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
        // Nothing defines the selector, so only the default can be told.
        &[SWITCH, 5, 6, 0, 7],
        &[LOAD, 1],
        &[LOAD, 1, 8, 9],
        &[LOAD, 1, 8, 10],
    ]);
    let found = def_use(&program);
    let ids: Vec<u32> = found.ids().iter().map(|id| id.0).collect();
    assert_eq!(ids, [u32::MAX, 5, 6, 1, 8, 9, 10]);
    assert_eq!(uses(&found, 1).len(), 3);
    assert_eq!(found.definition(Id(8)), Some(4));
    assert_eq!(uses(&found, u32::MAX), [(1, 1, UseKind::Debug)]);
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
