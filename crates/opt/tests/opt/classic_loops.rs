//! Loops that are taken apart do what they did.

use spirvkit_interp::Run;
use spirvkit_testing::words;

use crate::classic::{after, compute, count, has, lacks, run};

/// A buffer of numbers: the first two are given, and what is stored comes behind.
const BUFFER: [&str; 2] = [
    "OpDecorate %rt ArrayStride 4\nOpDecorate %S Block\nOpMemberDecorate %S 0 Offset 0
OpDecorate %buf DescriptorSet 0\nOpDecorate %buf Binding 0\nOpDecorate %sum2 NoContraction",
    "%n10 = OpConstant %uint 10\n%rt = OpTypeRuntimeArray %uint\n%S = OpTypeStruct %rt
%to_S = OpTypePointer StorageBuffer %S\n%to_uint = OpTypePointer StorageBuffer %uint
%buf = OpVariable %to_S StorageBuffer",
];

/// A loop from 0 to 10 with what is given in it, which ends at `%next` with `%sum2`.
fn summing(body: &str, behind: &str) -> String {
    let [decorations, declarations] = BUFFER;
    compute(
        &decorations.replace("\nOpDecorate %sum2 NoContraction", ""),
        declarations,
        &format!(
            "%p0 = OpAccessChain %to_uint %buf %0 %0\n%a = OpLoad %uint %p0
%p1 = OpAccessChain %to_uint %buf %0 %1\n%limit = OpLoad %uint %p1
%p2 = OpAccessChain %to_uint %buf %0 %2\n%p3 = OpAccessChain %to_uint %buf %0 %3
%chosen = OpIEqual %bool %a %1\nOpBranch %header\n%header = OpLabel
%i = OpPhi %uint %0 %entry %i2 %next\n%sum = OpPhi %uint %0 %entry %sum2 %next
%more = OpULessThan %bool %i %limit\nOpLoopMerge %end %next None
OpBranchConditional %more %body %end\n%body = OpLabel\n{body}\n%next = OpLabel
%i2 = OpIAdd %uint %i %1\nOpBranch %header\n%end = OpLabel\n{behind}\nOpReturn"
        ),
    )
}

/// Checks that a shader leaves the same for all that it may be given.
#[track_caller]
fn same(flags: &str, module: &str) -> String {
    let done = run(flags, &words(module));
    let text = after(flags, module);
    for a in 0..3 {
        for limit in 0..6 {
            let results = [&words(module), &done].map(|words| {
                let run = Run::new(words).storage(0, 0, &[a, limit, 0, 0]);
                let outcome = run.dispatch([1, 1, 1]).unwrap();
                outcome.assert_clean();
                outcome.read::<u32>(0, 0)
            });
            assert_eq!(results[0], results[1], "{a}, {limit}\n{text}");
        }
    }
    text
}

const CHOICE: &str = "OpSelectionMerge %join None\nOpBranchConditional %chosen %yes %no
%yes = OpLabel\n%square = OpIMul %uint %i %i\nOpBranch %join\n%no = OpLabel\nOpBranch %join
%join = OpLabel\n%x = OpPhi %uint %square %yes %3 %no\n%sum2 = OpIAdd %uint %sum %x\nOpBranch %next";

#[test]
fn selections_that_go_one_way_are_taken_out_of_loops() {
    let module = summing(
        CHOICE,
        "%last = OpIAdd %uint %sum %i\nOpStore %p2 %last\nOpStore %p3 %i",
    );
    let text = same("loop-unswitch", &module);
    assert_eq!(count(&text, "OpLoopMerge"), 2, "{text}");
    has(
        &text,
        &["OpBranchConditional %true", "OpBranchConditional %false"],
    );
    let text = same("loop-unswitch eliminate-dead-branches", &module);
    lacks(&text, &["Conditional %true", "Conditional %false"]);
    // Where the loop is left with a value, and from within the selection.
    let leaving = CHOICE.replace(
        "%square = OpIMul %uint %i %i\nOpBranch %join",
        "%square = OpIMul %uint %i %i\n%much = OpUGreaterThan %bool %square %3
OpBranchConditional %much %end %behind\n%behind = OpLabel\nOpBranch %join",
    );
    let leaving = leaving.replace("%square %yes", "%square %behind");
    let module = summing(
        &leaving,
        "%found = OpPhi %uint %n10 %header %square %yes\nOpStore %p2 %found\nOpStore %p3 %sum",
    );
    let text = same("loop-unswitch", &module);
    assert_eq!(count(&text, "OpLoopMerge"), 2, "{text}");
    same("loop-unswitch -O loop-unswitch", &module);
}

#[test]
fn what_may_depend_on_others_stays_one_loop() {
    let module = summing(
        &CHOICE.replace(
            "%sum2 = ",
            "%ballot = OpGroupNonUniformElect %bool %3\n%sum2 = ",
        ),
        "OpStore %p2 %sum",
    )
    .replace(
        "OpCapability Shader",
        "OpCapability Shader\nOpCapability GroupNonUniform",
    );
    assert_eq!(run("loop-unswitch", &words(&module)), words(&module));
    // A condition that changes isn't the same each time.
    let module = summing(
        &CHOICE.replace("%chosen %yes", "%more %yes"),
        "OpStore %p2 %sum",
    );
    assert_eq!(run("loop-unswitch", &words(&module)), words(&module));
}

#[test]
fn what_a_loop_that_does_not_go_round_computed_for_the_next_round_is_undefined() {
    let module = summing(
        "%sum2 = OpIAdd %uint %sum %a\nOpSelectionMerge %on None
OpBranchConditional %chosen %off %on\n%off = OpLabel\nOpBranch %end\n%on = OpLabel
OpBranchConditional %false %next %end",
        "OpStore %p2 %sum\nOpStore %p3 %i",
    );
    let with_false = "%bool = OpTypeBool\n%false = OpConstantFalse %bool";
    let module = module.replace("%bool = OpTypeBool", with_false);
    let text = same("eliminate-dead-branches", &module);
    assert_eq!(count(&text, "OpIAdd"), 1, "{text}");
    has(&text, &["OpUndef %uint", "OpLoopMerge"]);
}
