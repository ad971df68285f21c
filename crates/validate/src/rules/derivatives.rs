//! Derivative instructions (specification, section 3.32.16).

use spirvkit_grammar::{ExecutionMode, ExecutionModel, Op};

use super::Family;
use super::operation::{Operation, check_values};
use crate::finding::CheckResult;
use crate::inst_ctx::InstCtx;
use crate::module::Models;
use crate::pattern::FLOAT;
use crate::rules::generated::derivative;

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
    let floats = FLOAT.scalar_or_vector();
    o.expect_result(&derivative::RESULT, floats)?;
    if !m.has_extension("SPV_AMD_gpu_shader_half_float") {
        o.expect_result(&derivative::WIDTH, floats.widths(&[32]))?;
    }
    o.expect_result_type(&derivative::OPERAND, 0)?;
    if let Some(models) = at.models_outside(ALLOWED) {
        let message = format!(
            "{} is reached from {models}, where there are no derivatives",
            o.op
        );
        return Err(o.finding(&derivative::MODEL, message));
    }
    let lacking = "neither `DerivativeGroupQuadsKHR` nor `DerivativeGroupLinearKHR`";
    at.expect_mode(&derivative::MODE, GROUPED, GROUPING, lacking)
}
