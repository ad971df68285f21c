//! What is done only so that less is executed.

use spirvkit_opt::{Level, Options, optimize};
use spirvkit_testing::words;
use spirvkit_validate::validate;

use super::frame::{functions, module, optimized_by, renumbered};

/// The body of `main`, of which less is to be executed.
#[track_caller]
fn fast(before: &str) -> String {
    let options = Options::default().level(Level::Performance);
    let after = optimized_by(&options, &module("", "", before));
    let functions = functions(&after);
    let lines: Vec<&str> = functions.lines().skip(2).collect();
    renumbered(&lines.join("\n"))
}

#[track_caller]
fn becomes(before: &str, after: &str) {
    let found = fast(before);
    let expected = renumbered(&format!("{after}\nOpFunctionEnd"));
    assert!(found == expected, "found:\n{found}\nexpected:\n{expected}");
}

/// What two of three ways need, if it is a sum.
const TWO_OF_THREE: &str = "%i1 = OpLoad %int %i
%j1 = OpLoad %int %j
%is = OpSLessThan %bool %i1 %0
%s1 = OpIAdd %int %i1 %j1
OpSelectionMerge %end None
OpBranchConditional %is %yes %no
%yes = OpLabel
OpStore %k %s1
OpBranch %end
%no = OpLabel
%too = OpSLessThan %bool %j1 %0
OpSelectionMerge %behind None
OpBranchConditional %too %second %behind
%second = OpLabel
%t1 = OpIMul %int %s1 %i1
OpStore %k %t1
OpBranch %behind
%behind = OpLabel
OpBranch %end
%end = OpLabel
OpReturn";

#[test]
fn what_not_all_ways_need_is_computed_on_those_that_do() {
    becomes(
        TWO_OF_THREE,
        "%1 = OpLoad %int %i
%3 = OpSLessThan %bool %1 %int_0
%2 = OpLoad %int %j
OpSelectionMerge %4 None
OpBranchConditional %3 %5 %6
%5 = OpLabel
%7 = OpIAdd %int %1 %2
OpStore %k %7
OpBranch %4
%6 = OpLabel
%8 = OpSLessThan %bool %2 %int_0
OpSelectionMerge %9 None
OpBranchConditional %8 %10 %9
%10 = OpLabel
%11 = OpIAdd %int %1 %2
%12 = OpIMul %int %1 %11
OpStore %k %12
OpBranch %9
%9 = OpLabel
OpBranch %4
%4 = OpLabel
OpReturn",
    );
}

#[test]
fn what_all_ways_need_is_computed_once() {
    let all = TWO_OF_THREE.replace(
        "%too = OpSLessThan %bool %j1 %0",
        "OpStore %k %s1\n%too = OpSLessThan %bool %j1 %0",
    );
    let found = fast(&all);
    let sum = found.find("OpIAdd").unwrap();
    assert_eq!(found.matches("OpIAdd").count(), 1, "{found}");
    assert!(sum < found.find("OpSelectionMerge").unwrap(), "{found}");
}

#[test]
fn what_is_moved_takes_along_what_only_it_needs() {
    let more = TWO_OF_THREE.replace(
        "%s1 = OpIAdd %int %i1 %j1",
        "%n1 = OpNot %int %j1\n%s1 = OpIAdd %int %i1 %n1",
    );
    let found = fast(&more);
    assert_eq!(found.matches("OpNot").count(), 2, "{found}");
    let first = found.find("OpNot").unwrap();
    assert!(first > found.find("OpSelectionMerge").unwrap(), "{found}");
    // And each sum is behind its own.
    let order: Vec<&str> = found
        .split_whitespace()
        .filter(|&word| word == "OpNot" || word == "OpIAdd")
        .collect();
    assert_eq!(order, ["OpNot", "OpIAdd", "OpNot", "OpIAdd"]);
}

#[test]
fn nothing_is_moved_into_loops() {
    let found = fast(
        "%i1 = OpLoad %int %i
%j1 = OpLoad %int %j
%s1 = OpIAdd %int %i1 %j1
%is = OpSLessThan %bool %i1 %0
OpSelectionMerge %end None
OpBranchConditional %is %yes %end
%yes = OpLabel
OpBranch %head
%head = OpLabel
%n = OpPhi %int %0 %yes %m %next
OpLoopMerge %out %next None
OpBranch %next
%next = OpLabel
%c = OpLoad %int %k
%d = OpIMul %int %c %s1
OpStore %k %d
%m = OpIAdd %int %n %1
%more = OpSLessThan %bool %m %j1
OpBranchConditional %more %head %out
%out = OpLabel
OpBranch %end
%end = OpLabel
OpReturn",
    );
    // Before the loop, but only where that is reached.
    let place = |what: &str| {
        found
            .find(what)
            .unwrap_or_else(|| panic!("{what}\n{found}"))
    };
    let sums: Vec<usize> = found.match_indices("OpIAdd").map(|it| it.0).collect();
    assert_eq!(sums.len(), 2, "{found}");
    assert!(place("OpSelectionMerge") < sums[0], "{found}");
    assert!(sums[0] < place("OpLoopMerge"), "{found}");
}

#[test]
fn values_of_phis_are_computed_at_the_ends_of_ways() {
    let found = fast(
        "%i1 = OpLoad %int %i
%j1 = OpLoad %int %j
%s1 = OpIAdd %int %i1 %j1
OpSelectionMerge %end None
OpSwitch %i1 %end 1 %one 2 %two
%one = OpLabel
OpStore %k %0
OpBranch %end
%two = OpLabel
OpStore %k %1
OpBranch %end
%end = OpLabel
%t1 = OpPhi %int %0 %entry %s1 %one %1 %two
%data0 = OpAccessChain %in_count %count %0
OpStore %data0 %t1
OpReturn",
    );
    let [sum, switch] = ["OpIAdd", "OpSwitch"].map(|what| found.find(what).unwrap());
    assert!(sum > switch, "{found}");
}

/// A function that returns from within a switch.
const CHOOSES: &str = "%c1 = OpLoad %int %i
%c2 = OpFunctionCall %int %choose %c1
OpStore %k %c2
OpReturn
OpFunctionEnd
%choose = OpFunction %int None %unary
%n = OpFunctionParameter %int
%e = OpLabel
OpSelectionMerge %end None
OpSwitch %n %end 1 %one 2 %two
%one = OpLabel
OpReturnValue %2
%two = OpLabel
%j1 = OpLoad %int %j
OpReturnValue %j1
%end = OpLabel
OpReturnValue %0";

#[test]
fn functions_that_return_from_within_switches_become_loops_of_one_round() {
    let declarations = "%unary = OpTypeFunction %int %int\n";
    let before = words(&module("", declarations, CHOOSES));
    let with = |level| {
        let after = optimize(&before, &Options::default().level(level)).unwrap();
        let report = validate(&after.words, &Default::default());
        assert!(report.is_valid(), "{:#?}", report.diagnostics());
        functions(&after.words)
    };
    let fast = with(Level::Performance);
    assert_eq!(fast.matches("OpFunctionCall").count(), 0, "{fast}");
    assert_eq!(fast.matches("OpLoopMerge").count(), 1, "{fast}");
    assert_eq!(fast.matches("OpSwitch").count(), 1, "{fast}");
    let small = with(Level::Size);
    assert_eq!(small.matches("OpFunctionCall").count(), 1, "{small}");
}

/// A selection between two values of which one takes some operations.
fn choice(operations: &str) -> String {
    format!(
        "%i1 = OpLoad %int %i
%is = OpSLessThan %bool %i1 %0
OpSelectionMerge %end None
OpBranchConditional %is %yes %end
%yes = OpLabel
%n0 = OpCopyObject %int %i1
{operations}
OpBranch %end
%end = OpLabel
%t1 = OpPhi %int %1 %entry %n %yes
OpStore %k %t1
OpReturn"
    )
}

#[test]
fn only_cheap_values_are_computed_without_need() {
    let two = "%n1 = OpNot %int %n0\n%n = OpIMul %int %n1 %n0";
    let three = "%n1 = OpNot %int %n0\n%n2 = OpIMul %int %n1 %n0\n%n = OpIMul %int %n2 %n2";
    let counts = [two, three].map(|it| fast(&choice(it)).matches("OpSelect ").count());
    assert_eq!(counts, [1, 0]);
}
