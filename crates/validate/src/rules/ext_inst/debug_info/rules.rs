//! The rules of the sets for debugging information.

use spirvkit_diagnostics::ErrorClass::InvalidData;

use super::{first, places, scopes, types, values};
use crate::rule::{Example, Frame, Rule};

pub(in crate::rules::ext_inst) const RULES: &[&Rule] = &[
    &RESULT,
    &TEXT,
    &UINT,
    &CONSTANT,
    &COUNT,
    &KIND,
    &MODULE_KIND,
    &LENGTH,
    &INDEX,
    &DEFINITION,
    &RANGE,
    &VERSION,
    &SURPLUS,
    &places::PLACE,
    &places::CONTINUED,
    &values::ENUMERANT,
    &values::FLAGS,
    &values::FLAGS_APART,
    &values::FLAG_PLACE,
    &values::OPERATION_COUNT,
    &values::FP_ENCODING,
    &values::IDENTIFIER,
    &types::OPAQUE,
    &types::MEMBER,
    &types::LISTED_ONCE,
    &types::SIZE_CIRCLE,
    &types::DIMENSIONS,
    &types::TYPE_CIRCLE,
    &types::BASE_CIRCLE,
    &scopes::SCOPE_CIRCLE,
    &scopes::INLINED_CIRCLE,
    &scopes::SCOPE_FUNCTION,
    &scopes::VARIABLE_SCOPE,
    &scopes::ARGUMENT,
    &scopes::DESCRIBED_TWICE,
    &scopes::OUTSIDE,
    &first::RESULT,
    &first::TEXT,
    &first::CONSTANT,
    &first::KIND,
    &first::MODULE_KIND,
];

/// A module with debugging instructions before and in its function.
macro_rules! module {
    ($import:literal, $global:expr, $body:expr) => {
        module!($import, "", $global, $body)
    };
    ($import:literal, $extension:literal, $global:expr, $body:expr) => {
        concat!(
            "OpCapability Shader
OpExtension \"SPV_KHR_non_semantic_info\"
",
            $extension,
            "%set = OpExtInstImport \"",
            $import,
            "\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
%file = OpString \"a.comp\"
%text = OpString \"line 1
line 2\"
%opaque = OpString \"@image\"
%digits = OpString \"0123456789abcdef0123456789abcdef\"
%void = OpTypeVoid
%main_type = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%ptr_Function_f32 = OpTypePointer Function %f32
%u0 = OpConstant %u32 0
%u1 = OpConstant %u32 1
%u3 = OpConstant %u32 3
%u4 = OpConstant %u32 4
%u5 = OpConstant %u32 5
%u32_32 = OpConstant %u32 32
%f1 = OpConstant %f32 1
",
            $global,
            "%other = OpFunction %void None %main_type
%other_entry = OpLabel
OpReturn
OpFunctionEnd
%main = OpFunction %void None %main_type
%entry = OpLabel
%variable = OpVariable %ptr_Function_f32 Function
",
            $body,
            "
OpReturn
OpFunctionEnd
"
        )
    };
}
pub(super) use module;

/// A module whose debugging instructions may refer forward.
macro_rules! forward {
    ($global:literal) => {
        module!(
            "NonSemantic.Shader.DebugInfo.100",
            "OpExtension \"SPV_KHR_relaxed_extended_instruction\"
",
            $global,
            ""
        )
    };
}
pub(super) use forward;

/// An example of global instructions.
macro_rules! shader {
    ($breaks:literal, $keeps:literal) => {
        Example {
            frame: Frame::Whole,
            breaks: module!("NonSemantic.Shader.DebugInfo.100", $breaks, ""),
            keeps: module!("NonSemantic.Shader.DebugInfo.100", $keeps, ""),
        }
    };
}

pub(super) use shader;

/// An example of an instruction in a function, after the global ones it needs.
macro_rules! shader_with_body {
    ($global:literal, $breaks:literal, $keeps:literal) => {
        Example {
            frame: Frame::Whole,
            breaks: module!("NonSemantic.Shader.DebugInfo.100", $global, $breaks),
            keeps: module!("NonSemantic.Shader.DebugInfo.100", $global, $keeps),
        }
    };
}

pub(super) use shader_with_body;

pub(super) static RESULT: Rule = Rule {
    id: "debug-info.void-result",
    class: InvalidData,
    section: "NonSemantic.Shader.DebugInfo",
    vuids: &[],
    text: "Debugging instructions have no result value: their result type is void.",
    example: shader!(
        "%source = OpExtInst %u32 %set DebugSource %file %text
",
        "%source = OpExtInst %void %set DebugSource %file %text
"
    ),
};

pub(super) static TEXT: Rule = Rule {
    id: "debug-info.text",
    class: InvalidData,
    section: "NonSemantic.Shader.DebugInfo",
    vuids: &[],
    text: "Names, files and source text are results of `OpString`.",
    example: shader!(
        "%source = OpExtInst %void %set DebugSource %void %text
",
        "%source = OpExtInst %void %set DebugSource %file %text
"
    ),
};

pub(super) static UINT: Rule = Rule {
    id: "debug-info.uint",
    class: InvalidData,
    section: "NonSemantic.Shader.DebugInfo",
    vuids: &[],
    text: "The numbers that other sets write as literals are results of `OpConstant` of a 32-bit unsigned integer \
           here, so that all operands are ids.",
    example: shader!(
        "%source = OpExtInst %void %set DebugSource %file %text
%unit = OpExtInst %void %set DebugCompilationUnit %f1 %u4 %source %u5
",
        "%source = OpExtInst %void %set DebugSource %file %text
%unit = OpExtInst %void %set DebugCompilationUnit %u1 %u4 %source %u5
"
    ),
};

pub(super) static CONSTANT: Rule = Rule {
    id: "debug-info.constant",
    class: InvalidData,
    section: "NonSemantic.Shader.DebugInfo",
    vuids: &[],
    text: "Sizes, offsets and values are results of `OpConstant`, and sizes and offsets have an integer type (if not, \
           this is a warning). A composite of unknown size and a parameter without a value have DebugInfoNone; the \
           size of an enumeration is not 0.",
    example: shader!(
        "%float = OpExtInst %void %set DebugTypeBasic %file %text %u3 %u0
",
        "%float = OpExtInst %void %set DebugTypeBasic %file %u32_32 %u3 %u0
"
    ),
};

pub(super) static COUNT: Rule = Rule {
    id: "debug-info.count",
    class: InvalidData,
    section: "NonSemantic.Shader.DebugInfo",
    vuids: &[],
    text: "A debugging vector has 1 to 4 components, in kernels also 8 or 16; a matrix has 1 to 4 columns.",
    example: shader!(
        "%float = OpExtInst %void %set DebugTypeBasic %file %u32_32 %u3 %u0
%vector = OpExtInst %void %set DebugTypeVector %float %u5
",
        "%float = OpExtInst %void %set DebugTypeBasic %file %u32_32 %u3 %u0
%vector = OpExtInst %void %set DebugTypeVector %float %u4
"
    ),
};

pub(super) static KIND: Rule = Rule {
    id: "debug-info.kind",
    class: InvalidData,
    section: "NonSemantic.Shader.DebugInfo",
    vuids: &[],
    text: "Where one debugging instruction refers to another, the other is in the same set and of the kind that the \
           operand needs: a source, a type, a lexical scope, a member. For references that other validators don't \
           check, this is a warning.",
    example: shader!(
        "%source = OpExtInst %void %set DebugSource %file %text
%unit = OpExtInst %void %set DebugCompilationUnit %u1 %u4 %file %u5
",
        "%source = OpExtInst %void %set DebugSource %file %text
%unit = OpExtInst %void %set DebugCompilationUnit %u1 %u4 %source %u5
"
    ),
};

pub(super) static MODULE_KIND: Rule = Rule {
    id: "debug-info.module-kind",
    class: InvalidData,
    section: "NonSemantic.Shader.DebugInfo",
    vuids: &[],
    text: "Where a debugging instruction refers to the rest of the module, the operand is a variable, a parameter, a \
           function or a constant, as the instruction needs; a global variable may have DebugInfoNone, and so may a \
           function in `OpenCL.DebugInfo.100`.",
    example: shader_with_body!(
        "%source = OpExtInst %void %set DebugSource %file %text
%unit = OpExtInst %void %set DebugCompilationUnit %u1 %u4 %source %u5
%type = OpExtInst %void %set DebugTypeFunction %u3 %void
%function = OpExtInst %void %set DebugFunction %file %type %source %u1 %u1 %unit %file %u3 %u1
%float = OpExtInst %void %set DebugTypeBasic %file %u32_32 %u3 %u0
%local = OpExtInst %void %set DebugLocalVariable %file %float %source %u1 %u1 %function %u4
%expression = OpExtInst %void %set DebugExpression
",
        "%declare = OpExtInst %void %set DebugDeclare %local %text %expression",
        "%declare = OpExtInst %void %set DebugDeclare %local %variable %expression"
    ),
};

pub(super) static LENGTH: Rule = Rule {
    id: "debug-info.array-length",
    class: InvalidData,
    section: "NonSemantic.Shader.DebugInfo",
    vuids: &[],
    text: "The length of a debugging array is a constant integer of 32 or 64 bits, or the debugging variable that \
           holds it, which has an unsigned type of that width.",
    example: shader!(
        "%float = OpExtInst %void %set DebugTypeBasic %file %u32_32 %u3 %u0
%array = OpExtInst %void %set DebugTypeArray %float %f1
",
        "%float = OpExtInst %void %set DebugTypeBasic %file %u32_32 %u3 %u0
%array = OpExtInst %void %set DebugTypeArray %float %u4
"
    ),
};

pub(super) static INDEX: Rule = Rule {
    id: "debug-info.index",
    class: InvalidData,
    section: "NonSemantic.Shader.DebugInfo",
    vuids: &[],
    text: "The indexes of DebugDeclare and DebugValue are integers: for DebugValue, results of `OpConstant` or \
           variables.",
    example: shader_with_body!(
        "%source = OpExtInst %void %set DebugSource %file %text
%unit = OpExtInst %void %set DebugCompilationUnit %u1 %u4 %source %u5
%type = OpExtInst %void %set DebugTypeFunction %u3 %void
%function = OpExtInst %void %set DebugFunction %file %type %source %u1 %u1 %unit %file %u3 %u1
%float = OpExtInst %void %set DebugTypeBasic %file %u32_32 %u3 %u0
%local = OpExtInst %void %set DebugLocalVariable %file %float %source %u1 %u1 %function %u4
%expression = OpExtInst %void %set DebugExpression
",
        "%value = OpExtInst %void %set DebugValue %local %f1 %expression %f1",
        "%value = OpExtInst %void %set DebugValue %local %f1 %expression %u1"
    ),
};

pub(super) static DEFINITION: Rule = Rule {
    id: "debug-info.definition",
    class: InvalidData,
    section: "NonSemantic.Shader.DebugInfo",
    vuids: &[],
    text: "DebugFunctionDefinition is in the function that it names as the definition.",
    example: shader_with_body!(
        "%source = OpExtInst %void %set DebugSource %file %text
%unit = OpExtInst %void %set DebugCompilationUnit %u1 %u4 %source %u5
%type = OpExtInst %void %set DebugTypeFunction %u3 %void
%function = OpExtInst %void %set DebugFunction %file %type %source %u1 %u1 %unit %file %u3 %u1
",
        "%definition = OpExtInst %void %set DebugFunctionDefinition %function %other",
        "%definition = OpExtInst %void %set DebugFunctionDefinition %function %main"
    ),
};

pub(super) static RANGE: Rule = Rule {
    id: "debug-info.range",
    class: InvalidData,
    section: "NonSemantic.Shader.DebugInfo",
    vuids: &[],
    text: "A DebugLine names a range of source text whose end is not before its start. Lines are counted from 1; 0 \
           means no line, so a range that begins at 0 also ends at 0.",
    example: shader_with_body!(
        "%source = OpExtInst %void %set DebugSource %file %text
",
        "%line = OpExtInst %void %set DebugLine %source %u1 %u1 %u1 %u0",
        "%line = OpExtInst %void %set DebugLine %source %u0 %u0 %u0 %u0"
    ),
};

pub(super) static SURPLUS: Rule = Rule {
    id: "debug-info.surplus",
    class: InvalidData,
    section: "NonSemantic.Shader.DebugInfo",
    vuids: &[],
    text: "In a module that imports version 100 of the set, an instruction has no more operands than that version \
           gives it. (Later versions may have added some.) This is a warning.",
    example: Example {
        frame: Frame::Whole,
        breaks: module!(
            "NonSemantic.Shader.DebugInfo.100",
            "%float = OpExtInst %void %set DebugTypeBasic %file %u32_32 %u4 %u0 %u0
",
            ""
        ),
        keeps: module!(
            "NonSemantic.Shader.DebugInfo.100",
            "%float = OpExtInst %void %set DebugTypeBasic %file %u32_32 %u4 %u0
",
            ""
        ),
    },
};

pub(super) static VERSION: Rule = Rule {
    id: "debug-info.version",
    class: InvalidData,
    section: "NonSemantic.Shader.DebugInfo",
    vuids: &[],
    text: "DebugTypeVectorIdEXT and DebugTypeCooperativeMatrixKHR are only in version 101 of the set and later.",
    example: Example {
        frame: Frame::Whole,
        breaks: module!(
            "NonSemantic.Shader.DebugInfo.100",
            "%float = OpExtInst %void %set DebugTypeBasic %file %u32_32 %u3 %u0
%matrix = OpExtInst %void %set 110 %float %u3 %u4 %u4 %u0
",
            ""
        ),
        keeps: module!(
            "NonSemantic.Shader.DebugInfo.101",
            "%float = OpExtInst %void %set DebugTypeBasic %file %u32_32 %u3 %u0
%matrix = OpExtInst %void %set 110 %float %u3 %u4 %u4 %u0
",
            ""
        ),
    },
};
