//! The rules of the first set for debugging information, `DebugInfo`. They can be
//! switched off: other validators only look at where its instructions stand.

use spirvkit_diagnostics::ErrorClass::InvalidData;

use super::rules::module;
use crate::rule::{Example, Frame, Rule};

pub(super) static RESULT: Rule = Rule {
    id: "original-debug-info.void-result",
    class: InvalidData,
    section: "DebugInfo",
    vuids: &[],
    text: "Debugging instructions have no result value: their result type is void.",
    example: Example {
        frame: Frame::Whole,
        breaks: module!(
            "DebugInfo",
            "%none = OpExtInst %u32 %set DebugInfoNone
",
            ""
        ),
        keeps: module!(
            "DebugInfo",
            "%none = OpExtInst %void %set DebugInfoNone
",
            ""
        ),
    },
};

pub(super) static TEXT: Rule = Rule {
    id: "original-debug-info.text",
    class: InvalidData,
    section: "DebugInfo",
    vuids: &[],
    text: "Names are results of `OpString`.",
    example: Example {
        frame: Frame::Whole,
        breaks: module!(
            "DebugInfo",
            "%float = OpExtInst %void %set DebugTypeBasic %u1 %u32_32 Float
",
            ""
        ),
        keeps: module!(
            "DebugInfo",
            "%float = OpExtInst %void %set DebugTypeBasic %file %u32_32 Float
",
            ""
        ),
    },
};

pub(super) static CONSTANT: Rule = Rule {
    id: "original-debug-info.constant",
    class: InvalidData,
    section: "DebugInfo",
    vuids: &[],
    text: "Sizes, offsets and the values of enumerators are results of `OpConstant`.",
    example: Example {
        frame: Frame::Whole,
        breaks: module!(
            "DebugInfo",
            "%float = OpExtInst %void %set DebugTypeBasic %file %text Float
",
            ""
        ),
        keeps: module!(
            "DebugInfo",
            "%float = OpExtInst %void %set DebugTypeBasic %file %u32_32 Float
",
            ""
        ),
    },
};

pub(super) static KIND: Rule = Rule {
    id: "original-debug-info.kind",
    class: InvalidData,
    section: "DebugInfo",
    vuids: &[],
    text: "Where one debugging instruction refers to another, the other is in the same set and of the kind that the \
           operand needs, or it is `DebugInfoNone`, which tools leave behind when they remove information.",
    example: Example {
        frame: Frame::Whole,
        breaks: module!(
            "DebugInfo",
            "%pointer = OpExtInst %void %set DebugTypePointer %f32 Function None
",
            ""
        ),
        keeps: module!(
            "DebugInfo",
            "%float = OpExtInst %void %set DebugTypeBasic %file %u32_32 Float
%pointer = OpExtInst %void %set DebugTypePointer %float Function None
",
            ""
        ),
    },
};

pub(super) static MODULE_KIND: Rule = Rule {
    id: "original-debug-info.module-kind",
    class: InvalidData,
    section: "DebugInfo",
    vuids: &[],
    text: "Where a debugging instruction refers to the rest of the module, the operand is a variable, a parameter, a \
           function or a constant, as the instruction needs, or `DebugInfoNone`.",
    example: Example {
        frame: Frame::Whole,
        breaks: module!(
            "DebugInfo",
            "%unit = OpExtInst %void %set DebugCompilationUnit %text 1 4
%float = OpExtInst %void %set DebugTypeBasic %file %u32_32 Float
%global = OpExtInst %void %set DebugGlobalVariable %file %float %text 1 1 %unit %file %text None
",
            ""
        ),
        keeps: module!(
            "DebugInfo",
            "%unit = OpExtInst %void %set DebugCompilationUnit %text 1 4
%float = OpExtInst %void %set DebugTypeBasic %file %u32_32 Float
%global = OpExtInst %void %set DebugGlobalVariable %file %float %text 1 1 %unit %file %u1 None
",
            ""
        ),
    },
};
