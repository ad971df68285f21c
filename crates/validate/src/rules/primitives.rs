//! Primitives (specification, section 3.32.19).

use spirvkit_diagnostics::ErrorClass::{InvalidData, InvalidId};
use spirvkit_grammar::{ExecutionModel, Op};

use super::Family;
use crate::finding::{CheckResult, all};
use crate::inst_ctx::InstCtx;
use crate::module::Models;
use crate::rule::{Example, Frame, Rule};

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::EmitVertex,
        Op::EndPrimitive,
        Op::EmitStreamVertex,
        Op::EndStreamPrimitive,
    ],
    check,
    check_module: None,
    rules: &[&STREAM, &MODEL],
};

/// A geometry shader with one line of its own.
macro_rules! geometry {
    ($line:literal) => {
        concat!(
            "OpCapability GeometryStreams
OpMemoryModel Logical GLSL450
OpEntryPoint Geometry %main \"main\"
OpExecutionMode %main InputPoints
OpExecutionMode %main OutputPoints
OpExecutionMode %main OutputVertices 1
OpExecutionMode %main Invocations 1
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%u32_0 = OpConstant %u32 0
%f32_0 = OpConstant %f32 0
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%entry = OpLabel
",
            $line,
            "
OpReturn
OpFunctionEnd"
        )
    };
}

static STREAM: Rule = Rule {
    id: "primitive.stream",
    class: InvalidData,
    section: "3.32.19",
    vuids: &[],
    text: "The stream of a vertex or a primitive is an integer constant.",
    example: Example {
        frame: Frame::WholeFor("spv1.3"),
        breaks: geometry!("OpEmitStreamVertex %f32_0"),
        keeps: geometry!("OpEmitStreamVertex %u32_0"),
    },
};

static MODEL: Rule = Rule {
    id: "primitive.execution-model",
    class: InvalidId,
    section: "3.32.19",
    vuids: &[],
    text: "Only geometry shaders emit vertices and end primitives.",
    example: Example {
        frame: Frame::WholeFor("spv1.3"),
        breaks: "OpCapability Geometry
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main \"main\"
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%entry = OpLabel
OpEmitVertex
OpReturn
OpFunctionEnd",
        keeps: geometry!("OpEmitVertex"),
    },
};

const GEOMETRY: Models = Models::of(&[ExecutionModel::Geometry]);

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let stream = match at.inst.op() {
        Op::EmitStreamVertex | Op::EndStreamPrimitive => check_stream(at),
        _ => Ok(()),
    };
    all([stream, at.expect_models(&MODEL, GEOMETRY)])
}

fn check_stream(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    if m.is_int_scalar(at.type_of_arg(0)) && m.is_constant(at.id(0)) {
        return Ok(());
    }
    let message = format!(
        "the stream of {} must be an integer constant, but {} is not",
        at.inst.op(),
        m.show_value(at.id(0))
    );
    Err(at
        .finding(&STREAM, message)
        .about(m, at.id(0), "the stream is defined here"))
}
