//! Barrier instructions (specification, section 3.32.20).

use spirvkit_grammar::{ExecutionModel, Op, Scope, Version};

use super::{Family, scopes, semantics};
use crate::finding::{CheckResult, all};
use crate::inst_ctx::InstCtx;
use crate::module::Models;
use crate::pattern::{I32, Pattern};
use crate::rules::generated::barrier;

const NAMED: Pattern = Pattern::declared_by(Op::TypeNamedBarrier, "a named barrier");

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::ControlBarrier,
        Op::MemoryBarrier,
        Op::ControlBarrierArriveEXT,
        Op::ControlBarrierWaitEXT,
        Op::NamedBarrierInitialize,
        Op::MemoryNamedBarrier,
    ],
    check,
    check_module: None,
};

/// Where an `OpControlBarrier` may be before SPIR-V 1.3.
const EARLY_MODELS: Models = Models::of(&[
    ExecutionModel::TessellationControl,
    ExecutionModel::GLCompute,
    ExecutionModel::Kernel,
    ExecutionModel::TaskNV,
    ExecutionModel::MeshNV,
]);

/// The stages whose invocations form no groups larger than subgroups.
const SUBGROUP_MODELS: Models = Models::of(&[
    ExecutionModel::Fragment,
    ExecutionModel::Vertex,
    ExecutionModel::Geometry,
    ExecutionModel::TessellationEvaluation,
    ExecutionModel::RayGenerationKHR,
    ExecutionModel::IntersectionKHR,
    ExecutionModel::AnyHitKHR,
    ExecutionModel::ClosestHitKHR,
    ExecutionModel::MissKHR,
]);

const SPLIT_MODELS: Models = Models::of(&[ExecutionModel::GLCompute, ExecutionModel::Kernel]);

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.inst.op() {
        Op::ControlBarrier => {
            let stages = check_stages(at);
            let scopes = match &stages {
                Ok(()) => check_scope_stages(at),
                // What may not stand there at all has no scope there.
                Err(finding) if std::ptr::eq(finding.rule(), &barrier::STAGES) => Ok(()),
                Err(_) => scopes::check_memory_stages(at, at.id(1)),
            };
            all([check_control(at), stages, scopes])
        }
        Op::ControlBarrierArriveEXT | Op::ControlBarrierWaitEXT => {
            let scope = check_split_scope(at);
            let scope = scope.and_then(|()| scopes::check_execution_value(at, at.id(0)));
            let stages = check_split_stages(at).and_then(|()| match &scope {
                Ok(()) => check_scope_stages(at),
                Err(_) => scopes::check_memory_stages(at, at.id(1)),
            });
            all([scope, check_memory_of_control(at), stages])
        }
        Op::MemoryBarrier => all([
            scopes::check_memory_value(at, at.id(0)),
            semantics::check(at, at.id(1), at.id(0)),
            scopes::check_memory_stages(at, at.id(0)),
        ]),
        Op::NamedBarrierInitialize => check_initialize(at),
        Op::MemoryNamedBarrier => all([
            at.expect_operand(&barrier::NAMED_OPERAND, 0, NAMED),
            scopes::check_memory_value(at, at.id(1)),
            semantics::check(at, at.id(2), at.id(1)),
            scopes::check_memory_stages(at, at.id(1)),
        ]),
        _ => Ok(()),
    }
}

fn check_control(at: &InstCtx<'_, '_>) -> CheckResult {
    all([
        scopes::check_execution_value(at, at.id(0)),
        check_memory_of_control(at),
    ])
}

fn check_memory_of_control(at: &InstCtx<'_, '_>) -> CheckResult {
    all([
        scopes::check_memory_value(at, at.id(1)),
        semantics::check(at, at.id(2), at.id(1)),
    ])
}

fn check_scope_stages(at: &InstCtx<'_, '_>) -> CheckResult {
    all([
        scopes::check_execution_stages(at, at.id(0)),
        scopes::check_memory_stages(at, at.id(1)),
    ])
}

/// Where an `OpControlBarrier` may be.
fn check_stages(at: &InstCtx<'_, '_>) -> CheckResult {
    if at.m.version < Version::new(1, 3)
        && let Some(models) = at.models_outside(EARLY_MODELS)
    {
        let message = format!(
            "before SPIR-V 1.3, {} can't be used in {models}",
            at.inst.op()
        );
        return Err(at.finding(&barrier::STAGES, message));
    }
    if !at.m.env.is_vulkan() || scopes::value(at.m, at.id(0)) != Some(Scope::Workgroup) {
        return Ok(());
    }
    let models = at.models().and(SUBGROUP_MODELS);
    if models.is_empty() {
        return Ok(());
    }
    let message = format!(
        "the execution scope of {} in {models} must be `Subgroup`, but is `Workgroup`",
        at.inst.op()
    );
    let finding = at.finding(&barrier::SUBGROUP_ONLY, message);
    Err(finding.about(at.m, at.id(0), "the scope is defined here"))
}

fn check_split_stages(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.models_outside(SPLIT_MODELS) {
        Some(models) if at.m.env.is_vulkan() => {
            let message = format!(
                "{} is for compute stages, but is used in {models}",
                at.inst.op()
            );
            Err(at.finding(&barrier::SPLIT_STAGES, message))
        }
        _ => Ok(()),
    }
}

fn check_split_scope(at: &InstCtx<'_, '_>) -> CheckResult {
    match scopes::value(at.m, at.id(0)) {
        None | Some(Scope::Workgroup | Scope::Subgroup) => Ok(()),
        Some(_) if !at.m.env.is_vulkan() => Ok(()),
        Some(scope) => {
            let message = format!(
                "the execution scope of {} must be `Workgroup` or `Subgroup`, but is `{scope}`",
                at.inst.op()
            );
            let finding = at.finding(&barrier::SPLIT_SCOPE, message);
            Err(finding.about(at.m, at.id(0), "the scope is defined here"))
        }
    }
}

fn check_initialize(at: &InstCtx<'_, '_>) -> CheckResult {
    all([
        at.expect_result(&barrier::NAMED_RESULT, NAMED),
        at.expect_operand(&barrier::NAMED_COUNT, 0, I32),
    ])
}
