//! Constructs within constructs are as many as the limit allows, and no number of them
//! does harm.

use spirvkit_validate::Example;

use crate::common::broken;

/// `count` selections, each within the one before, or loops.
fn nest(count: usize, is_loop: bool) -> String {
    let mut text = String::new();
    for i in 0..count {
        text += &match is_loop {
            true => format!(
                "OpBranch %h{i}\n%h{i} = OpLabel\nOpLoopMerge %m{i} %c{i} None\n\
                 OpBranchConditional %true %b{i} %m{i}\n%b{i} = OpLabel\n"
            ),
            false => format!(
                "OpSelectionMerge %m{i} None\nOpBranchConditional %true %b{i} %m{i}\n%b{i} = OpLabel\n"
            ),
        };
    }
    let end = |i: usize| match (i.checked_sub(1), is_loop) {
        (None, _) => "OpReturn\n".to_owned(),
        (Some(i), true) => format!("OpBranch %c{i}\n"),
        (Some(i), false) => format!("OpBranch %m{i}\n"),
    };
    text += &end(count);
    for i in (0..count).rev() {
        if is_loop {
            text += &format!("%c{i} = OpLabel\nOpBranch %h{i}\n");
        }
        text += &format!("%m{i} = OpLabel\n{}", end(i));
    }
    text
}

/// The rules that a compute shader of these lines breaks.
fn broken_rules(lines: &str) -> Vec<&'static str> {
    let example = Example::framed("shader spv1.6", lines, "").unwrap();
    broken(&example.breaking(), &example.options())
}

#[test]
fn nesting_has_a_limit_but_no_other_end() {
    for is_loop in [false, true] {
        assert!(broken_rules(&nest(1023, is_loop)).is_empty());
        let found = broken_rules(&nest(20_000, is_loop));
        // The first block that is too deep, and for a loop its continue target.
        assert_eq!(found.len(), if is_loop { 2 } else { 1 });
        assert!(found.iter().all(|rule| *rule == "structured.nesting-depth"));
    }
}
