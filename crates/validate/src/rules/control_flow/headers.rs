//! The rules of headers, merge blocks, loops and their nesting (specification, section
//! 2.11).

use spirvkit_diagnostics::ErrorClass::InvalidCfg;

use crate::rule::{Example, Frame, Rule};

pub(super) static MERGE: Rule = Rule {
    id: "structured.merge-block",
    class: InvalidCfg,
    section: "2.11",
    vuids: &[],
    text: "A header strictly structurally dominates its merge block: every path to the merge block goes through the \
           header.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpSelectionMerge %merge None
OpBranchConditional %true %then %merge
%then = OpLabel
OpSelectionMerge %late None
OpBranchConditional %true %inner %merge
%inner = OpLabel
OpBranch %merge
%merge = OpLabel
OpBranch %late
%late = OpLabel
OpReturn",
        keeps: "OpSelectionMerge %merge None
OpBranchConditional %true %then %merge
%then = OpLabel
OpSelectionMerge %late None
OpBranchConditional %true %inner %late
%inner = OpLabel
OpBranch %late
%late = OpLabel
OpBranch %merge
%merge = OpLabel
OpReturn",
    },
};

pub(super) static CONTINUE_TARGET: Rule = Rule {
    id: "structured.continue-target",
    class: InvalidCfg,
    section: "2.11",
    vuids: &[],
    text: "A loop header structurally dominates its continue target: every path to the continue target goes through \
           the loop header.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpSelectionMerge %loop None
OpBranchConditional %true %early %loop
%early = OpLabel
OpBranch %continue
%loop = OpLabel
OpLoopMerge %merge %continue None
OpBranchConditional %true %continue %merge
%continue = OpLabel
OpBranch %loop
%merge = OpLabel
OpReturn",
        keeps: "OpSelectionMerge %loop None
OpBranchConditional %true %early %loop
%early = OpLabel
OpBranch %loop
%loop = OpLabel
OpLoopMerge %merge %continue None
OpBranchConditional %true %continue %merge
%continue = OpLabel
OpBranch %loop
%merge = OpLabel
OpReturn",
    },
};

pub(super) static BACK_EDGE_TARGET: Rule = Rule {
    id: "structured.back-edge-target",
    class: InvalidCfg,
    section: "2.11",
    vuids: &[],
    text: "In shaders, a back edge goes to a loop header: a block with `OpLoopMerge`.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpBranch %loop
%loop = OpLabel
OpBranch %loop",
        keeps: "OpBranch %loop
%loop = OpLabel
OpLoopMerge %merge %continue None
OpBranch %continue
%continue = OpLabel
OpBranch %loop
%merge = OpLabel
OpUnreachable",
    },
};

pub(super) static BACK_EDGE_COUNT: Rule = Rule {
    id: "structured.back-edge-count",
    class: InvalidCfg,
    section: "2.11",
    vuids: &[],
    text: "Exactly one block branches back to a loop header.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpBranch %loop
%loop = OpLabel
OpLoopMerge %merge %continue None
OpBranch %continue
%continue = OpLabel
OpBranch %merge
%merge = OpLabel
OpReturn",
        keeps: "OpBranch %loop
%loop = OpLabel
OpLoopMerge %merge %continue None
OpBranch %continue
%continue = OpLabel
OpBranchConditional %true %loop %merge
%merge = OpLabel
OpReturn",
    },
};

pub(super) static BACK_EDGE_BLOCK: Rule = Rule {
    id: "structured.back-edge-block",
    class: InvalidCfg,
    section: "2.11",
    vuids: &[],
    text: "The continue target of a loop structurally dominates the block that branches back: every iteration ends by \
           going through the continue target.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpBranch %loop
%loop = OpLabel
OpLoopMerge %merge %continue None
OpBranch %body
%body = OpLabel
OpBranchConditional %true %loop %merge
%continue = OpLabel
OpUnreachable
%merge = OpLabel
OpReturn",
        keeps: "OpBranch %loop
%loop = OpLabel
OpLoopMerge %merge %continue None
OpBranch %body
%body = OpLabel
OpBranchConditional %true %continue %merge
%continue = OpLabel
OpBranch %loop
%merge = OpLabel
OpReturn",
    },
};

pub(super) static CONTINUE_END: Rule = Rule {
    id: "structured.continue-end",
    class: InvalidCfg,
    section: "2.11",
    vuids: &[],
    text: "The block that branches back to a loop header structurally post-dominates the loop's continue target: from \
           the continue target on, every way out goes through that block.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpBranch %loop
%loop = OpLabel
OpLoopMerge %merge %continue None
OpBranch %continue
%continue = OpLabel
OpBranchConditional %true %end %merge
%end = OpLabel
OpBranch %loop
%merge = OpLabel
OpReturn",
        keeps: "OpBranch %loop
%loop = OpLabel
OpLoopMerge %merge %continue None
OpBranch %continue
%continue = OpLabel
OpBranch %end
%end = OpLabel
OpBranchConditional %true %loop %merge
%merge = OpLabel
OpReturn",
    },
};

/// Text that stands in `leaf` for each of 2ⁿ names, n being the number of `x`.
macro_rules! for_names {
    ($leaf:ident [$($name:literal)*]) => { $leaf!($($name)*) };
    ($leaf:ident [$($name:literal)*] x $($rest:ident)*) => {
        concat!(
            for_names!($leaf [$($name)* "a"] $($rest)*),
            for_names!($leaf [$($name)* "b"] $($rest)*)
        )
    };
}

/// The start of a selection, which goes on within it.
macro_rules! opening {
    ($($name:literal)*) => {
        concat!(
            "OpSelectionMerge %merge_", $($name,)* " None\n",
            "OpBranchConditional %true %then_", $($name,)* " %merge_", $($name,)* "\n",
            "%then_", $($name,)* " = OpLabel\n"
        )
    };
}

/// The merge block of a selection.
macro_rules! closing {
    ($($name:literal)*) => { concat!("%merge_", $($name,)* " = OpLabel\nOpReturn\n") };
}

/// 2ⁿ selections, each within the one before.
macro_rules! nested {
    ($($x:ident)*) => {
        concat!(for_names!(opening [] $($x)*), "OpReturn\n", for_names!(closing [] $($x)*))
    };
}

pub(super) static NESTING_DEPTH: Rule = Rule {
    id: "structured.nesting-depth",
    class: InvalidCfg,
    section: "2.17",
    vuids: &[],
    text: "Constructs are nested no deeper than the limit, which is 1023 unless the caller sets another.",
    example: Example {
        frame: Frame::Shader,
        breaks: nested!(x x x x x x x x x x),
        keeps: nested!(x x),
    },
};
