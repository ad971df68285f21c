//! Numbering ids without gaps.

use proptest::prelude::*;
use spirvkit_ir::Module;
use spirvkit_testing::{numbered_text, words};
use spirvkit_transform::compact_ids;

fn compacted(words: &[u32]) -> Vec<u32> {
    let mut module = Module::load(words).unwrap();
    compact_ids(&mut module).unwrap();
    module.verify().unwrap();
    module.store()
}

#[test]
fn ids_count_from_one_in_the_order_of_their_appearance() {
    let before = words(
        "OpCapability Shader
OpMemoryModel Logical GLSL450
OpName %4294967294 \"v4\"
%70 = OpTypeFloat 32
%4294967294 = OpTypeVector %70 4
%12 = OpTypeInt 64 0
%13 = OpConstant %12 4294967295
",
    );
    let after = compacted(&before);
    assert_eq!(after[3], 5);
    assert_eq!(
        numbered_text(&after),
        "OpCapability Shader
OpMemoryModel Logical GLSL450
OpName %1 \"v4\"
%2 = OpTypeFloat 32
%1 = OpTypeVector %2 4
%3 = OpTypeInt 64 0
%4 = OpConstant %3 4294967295
"
    );
}

#[test]
fn a_module_without_ids_has_the_least_bound() {
    let after = compacted(&words("; Bound: 99\nOpCapability Shader\n"));
    assert_eq!(after[3], 1);
}

proptest! {
    #[test]
    fn the_bound_is_least_and_the_second_time_changes_nothing(
        ids in prop::collection::btree_set(1_u32..u32::MAX, 1..40),
        huge in any::<bool>(),
    ) {
        let ids: Vec<u32> = ids.into_iter().map(|id| if huge { id } else { id % 64 + 1 }).collect();
        let mut seen = std::collections::BTreeSet::new();
        let ids: Vec<u32> = ids.into_iter().filter(|id| seen.insert(*id)).collect();
        let types: String = ids.iter().enumerate().map(|(index, id)| match index {
            0 => format!("%{id} = OpTypeFloat 32\n"),
            _ => format!("%{id} = OpTypeArray %{} %{}\n", ids[index - 1], ids[0]),
        }).collect();
        let before = words(&types);
        let after = compacted(&before);
        prop_assert_eq!(after[3] as usize, ids.len() + 1);
        prop_assert_eq!(&compacted(&after), &after);
        prop_assert_eq!(before.len(), after.len());
    }
}
