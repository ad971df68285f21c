//! The rules about order, for people.

use spirvkit_diagnostics::ErrorClass;

use crate::rule::{Example, Frame, Rule};

pub(in super::super) static RULES: &[&Rule] = &[
    &SECTIONS,
    &MEMORY_MODEL,
    &ONCE,
    &ADDRESSING_MODE,
    &SOURCE_CONTINUED,
    &NESTED_FUNCTION,
    &PARAMETERS,
    &FUNCTION_END,
    &LABEL,
    &BLOCK_END,
    &OUTSIDE_BLOCK,
    &DECLARATIONS_FIRST,
    &LOCAL_DEBUG,
    &GLOBAL_DEBUG,
    &VARIABLES_FIRST,
    &VARIABLE_PLACE,
    &GRAPH_BODY,
];

pub(super) static SECTIONS: Rule = Rule {
    id: "layout.sections",
    class: ErrorClass::InvalidLayout,
    section: "2.4",
    vuids: &[],
    text: "A module's declarations come in sections: capabilities, extensions, imports, the memory model, entry \
           points, execution modes, strings and sources, names, processes, annotations, then types, constants and \
           global variables, and finally functions.",
    example: Example {
        frame: Frame::Whole,
        breaks: "OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
%void = OpTypeVoid
OpName %void \"void\"
",
        keeps: "OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
OpName %void \"void\"
%void = OpTypeVoid
",
    },
};

pub(super) static MEMORY_MODEL: Rule = Rule {
    id: "layout.memory-model",
    class: ErrorClass::InvalidLayout,
    section: "2.4",
    vuids: &[],
    text: "Every module has an `OpMemoryModel`; only capabilities, extensions and imports come before it.",
    example: Example {
        frame: Frame::Whole,
        breaks: "OpCapability Shader
OpCapability Linkage
%void = OpTypeVoid
",
        keeps: "OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
%void = OpTypeVoid
",
    },
};

pub(super) static ONCE: Rule = Rule {
    id: "layout.once",
    class: ErrorClass::InvalidLayout,
    section: "2.4",
    vuids: &[],
    text: "A module has one `OpMemoryModel` and at most one `OpSamplerImageAddressingModeNV`.",
    example: Example {
        frame: Frame::Whole,
        breaks: "OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
OpMemoryModel Logical GLSL450
",
        keeps: "OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
",
    },
};

pub(super) static ADDRESSING_MODE: Rule = Rule {
    id: "layout.addressing-mode",
    class: ErrorClass::InvalidLayout,
    section: "SPV_NV_bindless_texture",
    vuids: &[],
    text: "A module that declares `BindlessTextureNV` has an `OpSamplerImageAddressingModeNV`.",
    example: Example {
        frame: Frame::Whole,
        breaks: "OpCapability Shader
OpCapability Linkage
OpCapability BindlessTextureNV
OpExtension \"SPV_NV_bindless_texture\"
OpMemoryModel Logical GLSL450
",
        keeps: "OpCapability Shader
OpCapability Linkage
OpCapability BindlessTextureNV
OpExtension \"SPV_NV_bindless_texture\"
OpMemoryModel Logical GLSL450
OpSamplerImageAddressingModeNV 64
",
    },
};

pub(super) static SOURCE_CONTINUED: Rule = Rule {
    id: "layout.source-continued",
    class: ErrorClass::InvalidLayout,
    section: "3.32.2",
    vuids: &[],
    text: "`OpSourceContinued` follows an `OpSource` or another `OpSourceContinued`.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpSourceContinued \"text\"",
        keeps: "OpSource GLSL 450
OpSourceContinued \"text\"",
    },
};

pub(super) static NESTED_FUNCTION: Rule = Rule {
    id: "layout.nested-function",
    class: ErrorClass::InvalidLayout,
    section: "2.4",
    vuids: &[],
    text: "A function ends with `OpFunctionEnd` before the next begins.",
    example: Example {
        frame: Frame::Whole,
        breaks: "OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
%void = OpTypeVoid
%type = OpTypeFunction %void
%function = OpFunction %void None %type
%entry = OpLabel
OpReturn
%inner = OpFunction %void None %type
%inner_entry = OpLabel
OpReturn
OpFunctionEnd
",
        keeps: "OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
%void = OpTypeVoid
%type = OpTypeFunction %void
%function = OpFunction %void None %type
%entry = OpLabel
OpReturn
OpFunctionEnd
",
    },
};

pub(super) static PARAMETERS: Rule = Rule {
    id: "layout.parameters",
    class: ErrorClass::InvalidLayout,
    section: "2.4",
    vuids: &[],
    text: "A function's parameters come right after its `OpFunction`, before its first block.",
    example: Example {
        frame: Frame::Whole,
        breaks: "OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%type = OpTypeFunction %void %uint
%function = OpFunction %void None %type
%first = OpFunctionParameter %uint
%entry = OpLabel
%second = OpFunctionParameter %uint
OpReturn
OpFunctionEnd
",
        keeps: "OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%type = OpTypeFunction %void %uint
%function = OpFunction %void None %type
%parameter = OpFunctionParameter %uint
%entry = OpLabel
OpReturn
OpFunctionEnd
",
    },
};

pub(super) static FUNCTION_END: Rule = Rule {
    id: "layout.function-end",
    class: ErrorClass::InvalidLayout,
    section: "2.4",
    vuids: &[],
    text: "An `OpFunctionEnd` ends a function, and every function has one.",
    example: Example {
        frame: Frame::Whole,
        breaks: "OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
%void = OpTypeVoid
%type = OpTypeFunction %void
%function = OpFunction %void None %type
%entry = OpLabel
OpReturn
",
        keeps: "OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
%void = OpTypeVoid
%type = OpTypeFunction %void
%function = OpFunction %void None %type
%entry = OpLabel
OpReturn
OpFunctionEnd
",
    },
};

pub(super) static LABEL: Rule = Rule {
    id: "layout.label",
    class: ErrorClass::InvalidLayout,
    section: "2.4",
    vuids: &[],
    text: "Blocks, and therefore labels, are in functions.",
    example: Example {
        frame: Frame::Whole,
        breaks: "OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
%label = OpLabel
",
        keeps: "OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
%void = OpTypeVoid
%type = OpTypeFunction %void
%function = OpFunction %void None %type
%entry = OpLabel
OpReturn
OpFunctionEnd
",
    },
};

pub(super) static BLOCK_END: Rule = Rule {
    id: "layout.block-end",
    class: ErrorClass::InvalidLayout,
    section: "2.2.5",
    vuids: &[],
    text: "A block ends with a terminator, such as a branch or a return, before the next block begins or the \
           function ends.",
    example: Example {
        frame: Frame::Whole,
        breaks: "OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
%void = OpTypeVoid
%type = OpTypeFunction %void
%function = OpFunction %void None %type
%entry = OpLabel
OpFunctionEnd
",
        keeps: "OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
%void = OpTypeVoid
%type = OpTypeFunction %void
%function = OpFunction %void None %type
%entry = OpLabel
OpReturn
OpFunctionEnd
",
    },
};

pub(super) static OUTSIDE_BLOCK: Rule = Rule {
    id: "layout.outside-block",
    class: ErrorClass::InvalidLayout,
    section: "2.4",
    vuids: &[],
    text: "The instructions of a function are in blocks: after an `OpLabel` and up to the terminator.",
    example: Example {
        frame: Frame::Whole,
        breaks: "OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
%void = OpTypeVoid
%type = OpTypeFunction %void
%function = OpFunction %void None %type
%entry = OpLabel
OpReturn
OpNop
OpFunctionEnd
",
        keeps: "OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
%void = OpTypeVoid
%type = OpTypeFunction %void
%function = OpFunction %void None %type
%entry = OpLabel
OpNop
OpReturn
OpFunctionEnd
",
    },
};

pub(super) static DECLARATIONS_FIRST: Rule = Rule {
    id: "layout.declarations-first",
    class: ErrorClass::InvalidLayout,
    section: "2.4",
    vuids: &[],
    text: "Functions without a body, which are imported, come before those with a body.",
    example: Example {
        frame: Frame::Whole,
        breaks: "OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
OpDecorate %imported LinkageAttributes \"imported\" Import
%void = OpTypeVoid
%type = OpTypeFunction %void
%function = OpFunction %void None %type
%entry = OpLabel
OpReturn
OpFunctionEnd
%imported = OpFunction %void None %type
OpFunctionEnd
",
        keeps: "OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
OpDecorate %imported LinkageAttributes \"imported\" Import
%void = OpTypeVoid
%type = OpTypeFunction %void
%imported = OpFunction %void None %type
OpFunctionEnd
%function = OpFunction %void None %type
%entry = OpLabel
OpReturn
OpFunctionEnd
",
    },
};

pub(super) static LOCAL_DEBUG: Rule = Rule {
    id: "layout.local-debug-info",
    class: ErrorClass::InvalidLayout,
    section: "NonSemantic.Shader.DebugInfo",
    vuids: &[],
    text: "Instructions of debug information that describe their own place in the code, such as `DebugScope` and \
           `DebugValue`, are in functions.",
    example: Example {
        frame: Frame::Whole,
        breaks: "OpCapability Shader
OpCapability Linkage
%debug = OpExtInstImport \"OpenCL.DebugInfo.100\"
OpMemoryModel Logical GLSL450
%void = OpTypeVoid
%no_scope = OpExtInst %void %debug DebugNoScope
",
        keeps: "OpCapability Shader
OpCapability Linkage
%debug = OpExtInstImport \"OpenCL.DebugInfo.100\"
OpMemoryModel Logical GLSL450
%void = OpTypeVoid
%type = OpTypeFunction %void
%function = OpFunction %void None %type
%entry = OpLabel
%no_scope = OpExtInst %void %debug DebugNoScope
OpReturn
OpFunctionEnd
",
    },
};

pub(super) static GLOBAL_DEBUG: Rule = Rule {
    id: "layout.global-debug-info",
    class: ErrorClass::InvalidLayout,
    section: "NonSemantic.Shader.DebugInfo",
    vuids: &[],
    text: "Instructions of debug information that don't describe their own place in the code come with the types, \
           constants and global variables, before the first function.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%debug = OpExtInstImport \"OpenCL.DebugInfo.100\"
%none = OpExtInst %void %debug DebugInfoNone",
        keeps: "%debug = OpExtInstImport \"OpenCL.DebugInfo.100\"
%no_scope = OpExtInst %void %debug DebugNoScope",
    },
};

pub(super) static VARIABLES_FIRST: Rule = Rule {
    id: "layout.variables-first",
    class: ErrorClass::InvalidData,
    section: "2.4",
    vuids: &[],
    text: "A function's variables are the first instructions of its first block.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpNop
%variable = OpVariable %ptr_Function_f32 Function",
        keeps: "%variable = OpVariable %ptr_Function_f32 Function
OpNop",
    },
};

pub(in super::super) static VARIABLE_PLACE: Rule = Rule {
    id: "layout.variable-place",
    class: ErrorClass::InvalidLayout,
    section: "2.4",
    vuids: &[],
    text: "Variables of the storage class `Function` are in functions, and variables of other storage classes outside \
           of them.",
    example: Example {
        frame: Frame::Shader,
        breaks: "!0x0004003b %ptr_Private_f32 %variable !6",
        keeps: "%variable = OpVariable %ptr_Function_f32 Function",
    },
};

pub(super) static GRAPH_BODY: Rule = Rule {
    id: "layout.graphs",
    class: ErrorClass::InvalidLayout,
    section: "SPV_ARM_graph",
    vuids: &[],
    text: "Graphs come after functions. A graph is an `OpGraphARM`, its inputs, `OpCompositeExtract` and extended \
           instructions, its outputs, and an `OpGraphEndARM`; entry points of graphs come between graphs.",
    example: Example {
        frame: Frame::Whole,
        breaks: "OpCapability Shader
OpCapability Linkage
OpCapability VulkanMemoryModel
OpCapability Int8
OpCapability GraphARM
OpCapability TensorsARM
OpExtension \"SPV_ARM_graph\"
OpExtension \"SPV_ARM_tensors\"
OpMemoryModel Logical Vulkan
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
%uint = OpTypeInt 32 0
%char = OpTypeInt 8 1
%zero = OpConstant %uint 0
%four = OpConstant %uint 4
%tensor = OpTypeTensorARM %char %four
%pointer = OpTypePointer UniformConstant %tensor
%in = OpVariable %pointer UniformConstant
%out = OpVariable %pointer UniformConstant
%type = OpTypeGraphARM 1 %tensor %tensor
OpGraphEntryPointARM %graph \"graph\" %in %out
%graph = OpGraphARM %type
%input = OpGraphInputARM %tensor %zero
OpGraphSetOutputARM %input %zero
",
        keeps: "OpCapability Shader
OpCapability Linkage
OpCapability VulkanMemoryModel
OpCapability Int8
OpCapability GraphARM
OpCapability TensorsARM
OpExtension \"SPV_ARM_graph\"
OpExtension \"SPV_ARM_tensors\"
OpMemoryModel Logical Vulkan
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
%uint = OpTypeInt 32 0
%char = OpTypeInt 8 1
%zero = OpConstant %uint 0
%four = OpConstant %uint 4
%tensor = OpTypeTensorARM %char %four
%pointer = OpTypePointer UniformConstant %tensor
%in = OpVariable %pointer UniformConstant
%out = OpVariable %pointer UniformConstant
%type = OpTypeGraphARM 1 %tensor %tensor
OpGraphEntryPointARM %graph \"graph\" %in %out
%graph = OpGraphARM %type
%input = OpGraphInputARM %tensor %zero
OpGraphSetOutputARM %input %zero
OpGraphEndARM
",
    },
};
