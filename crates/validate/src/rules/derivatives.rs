//! Derivative instructions (specification, section 3.32.16).

use spirvkit_diagnostics::ErrorClass::{InvalidData, InvalidId};
use spirvkit_grammar::{ExecutionMode, ExecutionModel, Op};

use super::Family;
use super::operation::{Operation, check_values};
use crate::finding::CheckResult;
use crate::inst_ctx::InstCtx;
use crate::module::Models;
use crate::rule::{Example, Frame, Rule};

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::DPdx,
        Op::DPdy,
        Op::Fwidth,
        Op::DPdxFine,
        Op::DPdyFine,
        Op::FwidthFine,
        Op::DPdxCoarse,
        Op::DPdyCoarse,
        Op::FwidthCoarse,
    ],
    check,
    check_module: None,
    rules: &[&RESULT, &WIDTH, &OPERAND, &MODEL, &MODE],
};

static RESULT: Rule = Rule {
    id: "derivative.result",
    class: InvalidData,
    section: "3.32.16",
    vuids: &[],
    text: "The result of a derivative instruction is a floating-point scalar or vector.",
    example: Example {
        frame: Frame::Fragment,
        breaks: "%slope = OpDPdx %u32 %u32_1",
        keeps: "%slope = OpDPdx %f32 %f32_1",
    },
};

static WIDTH: Rule = Rule {
    id: "derivative.width",
    class: InvalidData,
    section: "3.32.16",
    vuids: &[],
    text: "Derivatives work on 32-bit floats; with SPV_AMD_gpu_shader_half_float also on 16-bit floats.",
    example: Example {
        frame: Frame::Fragment,
        breaks: "%slope = OpDPdx %f16 %f16_0",
        keeps: "OpExtension \"SPV_AMD_gpu_shader_half_float\"
%slope = OpDPdx %f16 %f16_0",
    },
};

static OPERAND: Rule = Rule {
    id: "derivative.operand",
    class: InvalidData,
    section: "3.32.16",
    vuids: &[],
    text: "The operand of a derivative instruction has the result type.",
    example: Example {
        frame: Frame::Fragment,
        breaks: "%slope = OpDPdx %f32 %v2f32_0",
        keeps: "%slope = OpDPdx %v2f32 %v2f32_0",
    },
};

static MODEL: Rule = Rule {
    id: "derivative.model",
    class: InvalidId,
    section: "3.32.16",
    vuids: &[],
    text: "Derivatives compare neighbouring invocations. Only fragment shaders have these and, with \
           SPV_KHR_compute_shader_derivatives, compute, mesh and task shaders.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpEntryPoint Vertex %main \"main\"
OpCapability TransformFeedback
OpExecutionMode %main Xfb
%slope = OpDPdx %f32 %f32_1",
        keeps: "OpEntryPoint Fragment %main \"main\"
OpExecutionMode %main OriginUpperLeft
%slope = OpDPdx %f32 %f32_1",
    },
};

static MODE: Rule = Rule {
    id: "derivative.mode",
    class: InvalidId,
    section: "SPV_KHR_compute_shader_derivatives",
    vuids: &[],
    text: "Compute, mesh and task shaders that use derivatives declare with `DerivativeGroupQuadsKHR` or \
           `DerivativeGroupLinearKHR` which invocations are neighbours.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability ComputeDerivativeGroupLinearKHR
OpExtension \"SPV_KHR_compute_shader_derivatives\"
OpExecutionMode %main LocalSize 4 1 1
%slope = OpDPdx %f32 %f32_1",
        keeps: "OpCapability ComputeDerivativeGroupLinearKHR
OpExtension \"SPV_KHR_compute_shader_derivatives\"
OpExecutionMode %main LocalSize 4 1 1
OpExecutionMode %main DerivativeGroupLinearKHR
%slope = OpDPdx %f32 %f32_1",
    },
};

/// The models whose invocations may be neighbours only if a mode says how.
pub(super) const GROUPED: Models = Models::of(&[
    ExecutionModel::GLCompute,
    ExecutionModel::TaskNV,
    ExecutionModel::MeshNV,
    ExecutionModel::TaskEXT,
    ExecutionModel::MeshEXT,
]);

/// The models that have derivatives.
pub(super) const ALLOWED: Models = GROUPED.or(Models::of(&[ExecutionModel::Fragment]));

/// The modes that say how invocations are neighbours.
pub(super) const GROUPING: &[ExecutionMode] = &[
    ExecutionMode::DerivativeGroupQuadsKHR,
    ExecutionMode::DerivativeGroupLinearKHR,
];

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    check_values(at, check_operation)
}

fn check_operation(o: &Operation<'_, '_, '_>) -> CheckResult {
    let (at, m) = (o.at, o.m);
    if !m.is_float_scalar_or_vector(o.result) {
        return Err(o.result_finding(&RESULT, "a floating-point scalar or vector"));
    }
    if m.bit_width(o.result) != 32 && !m.has_extension("SPV_AMD_gpu_shader_half_float") {
        return Err(o.result_finding(&WIDTH, "of 32-bit floats"));
    }
    if o.ty(0) != o.result {
        return Err(o.mismatch(&OPERAND, 0, "the result type"));
    }
    if let Some(models) = at.models_outside(ALLOWED) {
        let message = format!(
            "{} is reached from {models}, where there are no derivatives",
            o.op
        );
        return Err(o.finding(&MODEL, message));
    }
    let lacking = "neither DerivativeGroupQuadsKHR nor DerivativeGroupLinearKHR";
    at.expect_mode(&MODE, GROUPED, GROUPING, lacking)
}
