//! Debugging information of graphs: `NonSemantic.Graph.DebugInfo`.

use spirvkit_binary::Id;
use spirvkit_diagnostics::ErrorClass::InvalidData;
use spirvkit_grammar::Op;

use super::Call;
use crate::finding::CheckResult;
use crate::module::Type;
use crate::rule::{Example, Frame, Rule};

pub(super) const RULES: &[&Rule] = &[&KIND, &TEXT, &INSTRUCTION, &TENSOR_INDEX];

macro_rules! module {
    ($lines:literal) => {
        concat!(
            "OpCapability GraphARM
OpCapability TensorsARM
OpCapability Int8
OpCapability Shader
OpCapability VulkanMemoryModel
OpCapability Matrix
OpExtension \"SPV_ARM_graph\"
OpExtension \"SPV_ARM_tensors\"
OpExtension \"SPV_KHR_vulkan_memory_model\"
%set = OpExtInstImport \"NonSemantic.Graph.DebugInfo.1\"
OpMemoryModel Logical Vulkan
%name = OpString \"name\"
OpDecorate %variable DescriptorSet 0
OpDecorate %variable Binding 0
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%i8 = OpTypeInt 8 0
%f32 = OpTypeFloat 32
%u0 = OpConstant %u32 0
%u4 = OpConstant %u32 4
%f1 = OpConstant %f32 1
%tensor = OpTypeTensorARM %i8 %u4
%tensors = OpTypeArray %tensor %u4
%pointer = OpTypePointer UniformConstant %tensors
%variable = OpVariable %pointer UniformConstant
%graph_type = OpTypeGraphARM 1 %tensors %tensors
OpGraphEntryPointARM %graph \"main\" %variable %variable
%graph = OpGraphARM %graph_type
%input = OpGraphInputARM %tensors %u0
",
            $lines,
            "OpGraphSetOutputARM %input %u0
OpGraphEndARM
"
        )
    };
}

/// An example in a graph.
macro_rules! graph {
    ($breaks:literal, $keeps:literal) => {
        Example {
            frame: Frame::WholeFor("vulkan1.3"),
            breaks: module!($breaks),
            keeps: module!($keeps),
        }
    };
}

static KIND: Rule = Rule {
    id: "graph-debug-info.kind",
    class: InvalidData,
    section: "NonSemantic.Graph.DebugInfo",
    vuids: &[],
    text: "DebugGraph names a graph, and DebugOperation a DebugGraph.",
    example: graph!(
        "%debug_graph = OpExtInst %void %set DebugGraph %u0 %name
",
        "%debug_graph = OpExtInst %void %set DebugGraph %graph %name
"
    ),
};

static TEXT: Rule = Rule {
    id: "graph-debug-info.text",
    class: InvalidData,
    section: "NonSemantic.Graph.DebugInfo",
    vuids: &[],
    text: "Names are results of `OpString`.",
    example: graph!(
        "%debug_graph = OpExtInst %void %set DebugGraph %graph %u0
",
        "%debug_graph = OpExtInst %void %set DebugGraph %graph %name
"
    ),
};

static INSTRUCTION: Rule = Rule {
    id: "graph-debug-info.instruction",
    class: InvalidData,
    section: "NonSemantic.Graph.DebugInfo",
    vuids: &[],
    text: "The instructions that a DebugOperation refers to are in its graph.",
    example: graph!(
        "%debug_graph = OpExtInst %void %set DebugGraph %graph %name
%operation = OpExtInst %void %set DebugOperation %debug_graph %name %u0
",
        "%debug_graph = OpExtInst %void %set DebugGraph %graph %name
%operation = OpExtInst %void %set DebugOperation %debug_graph %name %input
"
    ),
};

static TENSOR_INDEX: Rule = Rule {
    id: "graph-debug-info.tensor-index",
    class: InvalidData,
    section: "NonSemantic.Graph.DebugInfo",
    vuids: &[],
    text: "A DebugTensor for one of several tensors has an index, which is an `OpConstant` of a 32-bit unsigned \
           integer.",
    example: graph!(
        "%debug_tensor = OpExtInst %void %set DebugTensor %input %name %f1
",
        "%debug_tensor = OpExtInst %void %set DebugTensor %input %name %u0
"
    ),
};

const DEBUG_GRAPH: u32 = 1;
const DEBUG_OPERATION: u32 = 2;
const DEBUG_TENSOR: u32 = 3;

pub(super) fn check(call: &Call<'_, '_, '_>) -> CheckResult {
    let m = call.m();
    let wrong = |rule, index, expected| match m.def(call.id(index)) {
        Some(_) => Err(call.wrong_operand(rule, index, expected)),
        None => Ok(()),
    };
    if matches!(call.number, DEBUG_GRAPH..=DEBUG_TENSOR) && m.op_of(call.id(1)) != Op::String {
        return wrong(&TEXT, 1, "an OpString");
    }
    match call.number {
        DEBUG_GRAPH => match m.op_of(call.id(0)) {
            Op::GraphARM => Ok(()),
            _ => wrong(&KIND, 0, "an OpGraphARM"),
        },
        DEBUG_OPERATION => {
            let debug_graph = m.def(call.id(0)).filter(|def| {
                def.op() == Op::ExtInst && def.id(0) == call.at.id(0) && def.arg(1) == DEBUG_GRAPH
            });
            let Some(debug_graph) = debug_graph else {
                return wrong(&KIND, 0, "a DebugGraph");
            };
            let start = m.def_offset(debug_graph.id(2));
            for index in 2..call.count() {
                // Whatever comes before the graph is not in it.
                if m.def_offset(call.id(index)) <= start {
                    wrong(&INSTRUCTION, index, "an instruction in the graph")?;
                }
            }
            Ok(())
        }
        DEBUG_TENSOR => {
            if call.count() < 3 {
                let is_composite = matches!(
                    m.ty_of(call.id(0)),
                    Type::Array { .. } | Type::RuntimeArray { .. } | Type::Struct { .. }
                );
                if is_composite {
                    let message = format!(
                        "{} needs an index, because {} holds several tensors",
                        call.name(),
                        m.show_value(call.id(0))
                    );
                    return Err(call.at.finding(&TENSOR_INDEX, message));
                }
                return Ok(());
            }
            let index = call.id(2);
            let is_uint = |ty: Id| {
                matches!(
                    m.ty(ty),
                    Type::Int {
                        width: 32,
                        signed: false
                    }
                )
            };
            match m.op_of(index) == Op::Constant && m.type_of(index).is_some_and(is_uint) {
                true => Ok(()),
                false => wrong(
                    &TENSOR_INDEX,
                    2,
                    "an OpConstant of a 32-bit unsigned integer",
                ),
            }
        }
        _ => Ok(()),
    }
}
