//! The module's header (specification, section 2.3). What keeps it from being
//! read at all is reported before anything else.

use spirvkit_diagnostics::ErrorClass;

use crate::finding::{Finding, Reporter};
use crate::module::Module;
use crate::rule::{Example, Frame, Rule};

pub(super) static RULES: &[&Rule] = &[&VERSION, &BOUND_LIMIT];

static VERSION: Rule = Rule {
    id: "header.version",
    class: ErrorClass::WrongVersion,
    section: "2.3",
    vuids: &[],
    text: "The header's version of SPIR-V is one that the environment accepts.",
    example: Example {
        frame: Frame::WholeFor("vulkan1.0"),
        breaks: "; SPIR-V
; Version: 1.3
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%type = OpTypeFunction %void
%main = OpFunction %void None %type
%entry = OpLabel
OpReturn
OpFunctionEnd
",
        keeps: "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%type = OpTypeFunction %void
%main = OpFunction %void None %type
%entry = OpLabel
OpReturn
OpFunctionEnd
",
    },
};

static BOUND_LIMIT: Rule = Rule {
    id: "limit.id-bound",
    class: ErrorClass::InvalidBinary,
    section: "2.17",
    vuids: &[],
    text: "The header's id bound is at most 4,194,303, or whatever limit the caller sets.",
    example: Example {
        frame: Frame::Whole,
        breaks: "; SPIR-V
; Version: 1.6
; Bound: 4194304
OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
",
        keeps: "; SPIR-V
; Version: 1.6
; Bound: 4194303
OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
",
    },
};

/// The words of the header that the findings are about.
const VERSION_WORD: u32 = 1;
const BOUND_WORD: u32 = 3;

pub(super) fn check(m: &Module<'_>, reporter: &mut Reporter) {
    if m.version > m.env.version {
        let message = format!(
            "the module's version of SPIR-V is {}, but {} accepts versions up to {}",
            m.version, m.env.target, m.env.version
        );
        reporter.add(Finding::new(&VERSION, VERSION_WORD, message));
    }
    let limit = m.options.limits.id_bound;
    if m.header.bound > limit {
        let message = format!(
            "the id bound is {}, but the limit is {limit}",
            m.header.bound
        );
        reporter.add(Finding::new(&BOUND_LIMIT, BOUND_WORD, message));
    }
}
