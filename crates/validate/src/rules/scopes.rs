//! Scope operands (specification, section 3.27): of barriers, atomics, memory
//! accesses, group instructions and cooperative matrices.

use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, ExecutionModel, MemoryModel, Scope};

use super::Family;
use crate::finding::{CheckResult, Finding, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Models, Module};
use crate::pattern::I32;
use crate::rule::Rule;
use crate::rules::generated::scope;

pub(crate) const FAMILY: Family = Family {
    ops: &[],
    check: |_| Ok(()),
    check_module: None,
};

/// The stages whose invocations form workgroups.
pub(super) const WORKGROUP_MODELS: Models = Models::of(&[
    ExecutionModel::TaskNV,
    ExecutionModel::MeshNV,
    ExecutionModel::TaskEXT,
    ExecutionModel::MeshEXT,
    ExecutionModel::TessellationControl,
    ExecutionModel::GLCompute,
]);

/// Makes the message of a finding about a scope.
#[cold]
fn finding(at: &InstCtx<'_, '_>, rule: &'static Rule, id: Id, kind: &str, what: &str) -> Finding {
    let m = at.m;
    let found = match value(m, id) {
        Some(scope) => format!("{} is `{scope}`", m.name(id)),
        None => format!("it is {}", m.show_value(id)),
    };
    let message = format!("the {kind} of {} {what}, but {found}", at.inst.op());
    at.finding(rule, message)
        .about(m, id, "the scope is defined here")
}

/// The value of a scope that no specialization changes.
pub(super) fn value(m: &Module<'_>, scope: Id) -> Option<Scope> {
    m.constant_u32(scope).map(Scope)
}

/// Checks what holds for any scope operand, and gives its value if it is known.
pub(super) fn check(at: &InstCtx<'_, '_>, scope: Id) -> Result<Option<Scope>, Finding> {
    let m = at.m;
    let Some(ty) = m.type_of(scope) else {
        return Ok(None);
    };
    if !I32.matches(m, ty) {
        return Err(finding(
            at,
            &scope::TYPE,
            scope,
            "scope",
            "must be a 32-bit integer",
        ));
    }
    let Some(value) = value(m, scope) else {
        let is_allowed = !m.has(Capability::Shader)
            || m.has(Capability::CooperativeMatrixNV) && m.is_constant(scope);
        return match is_allowed {
            true => Ok(None),
            false => Err(finding(
                at,
                &scope::CONSTANT,
                scope,
                "scope",
                "must be an OpConstant",
            )),
        };
    };
    if value.0 > Scope::ShaderCallKHR.0 {
        let what = "must be a value of the enumeration `Scope`";
        return Err(finding(at, &scope::KNOWN, scope, "scope", what));
    }
    Ok(Some(value))
}

/// Checks an operand that says to whom memory accesses are ordered or visible,
/// and that the stages know such groups.
pub(super) fn check_memory(at: &InstCtx<'_, '_>, scope: Id) -> CheckResult {
    all([
        check_memory_value(at, scope),
        check_memory_stages(at, scope),
    ])
}

/// Checks an operand that says which invocations execute together, without a
/// look at stages. Group instructions have narrower rules of their own, in
/// `non_uniform`.
pub(super) fn check_execution_value(at: &InstCtx<'_, '_>, scope: Id) -> CheckResult {
    match check(at, scope)? {
        None | Some(Scope::Workgroup | Scope::Subgroup) => Ok(()),
        Some(_) if at.m.env.is_opencl() => {
            let what = "must be `Workgroup` or `Subgroup` in OpenCL";
            let rule = &scope::OPENCL_EXECUTION;
            Err(finding(at, rule, scope, "execution scope", what))
        }
        Some(_) if !at.m.env.is_vulkan() => Ok(()),
        Some(_) => {
            let what = "must be `Workgroup` or `Subgroup`";
            Err(finding(
                at,
                &scope::EXECUTION,
                scope,
                "execution scope",
                what,
            ))
        }
    }
}

/// Checks that the stages know the groups that execute together.
pub(super) fn check_execution_stages(at: &InstCtx<'_, '_>, scope: Id) -> CheckResult {
    if !at.m.env.is_vulkan() || value(at.m, scope) != Some(Scope::Workgroup) {
        return Ok(());
    }
    let Some(models) = at.models_outside(WORKGROUP_MODELS) else {
        return Ok(());
    };
    let message = format!(
        "{} has the execution scope `Workgroup`, but there are no workgroups in {models}",
        at.inst.op()
    );
    let finding = at.finding(&scope::WORKGROUP_EXECUTION, message);
    Err(finding.about(at.m, scope, "the scope is defined here"))
}

/// The part of [`check_memory`] that doesn't look at stages.
pub(super) fn check_memory_value(at: &InstCtx<'_, '_>, scope: Id) -> CheckResult {
    let m = at.m;
    let Some(value) = check(at, scope)? else {
        return Ok(());
    };
    let has_model = m.has(Capability::VulkanMemoryModel);
    match value {
        Scope::QueueFamily if has_model => Ok(()),
        Scope::QueueFamily => {
            let what = "can't be `QueueFamily` without the capability `VulkanMemoryModel`";
            Err(finding(
                at,
                &scope::QUEUE_FAMILY,
                scope,
                "memory scope",
                what,
            ))
        }
        Scope::Device if has_model && !m.has(Capability::VulkanMemoryModelDeviceScope) => {
            let what = "can't be `Device` without the capability `VulkanMemoryModelDeviceScope`";
            let finding = finding(at, &scope::DEVICE, scope, "memory scope", what);
            Err(finding.needs(&[Capability::VulkanMemoryModelDeviceScope]))
        }
        Scope::CrossDevice if m.env.is_vulkan() => {
            let what = "must be within one device";
            Err(finding(at, &scope::MEMORY, scope, "memory scope", what))
        }
        Scope::Subgroup
            if m.env.is_vulkan()
                && !m.env.is_vulkan_since(1)
                && !m.has(Capability::SubgroupBallotKHR)
                && !m.has(Capability::SubgroupVoteKHR) =>
        {
            let what = "can't be `Subgroup` without a capability for subgroups";
            Err(finding(
                at,
                &scope::SUBGROUP_MEMORY,
                scope,
                "memory scope",
                what,
            ))
        }
        _ => Ok(()),
    }
}

/// The part of [`check_memory`] that looks at stages.
pub(super) fn check_memory_stages(at: &InstCtx<'_, '_>, scope: Id) -> CheckResult {
    let m = at.m;
    if !m.env.is_vulkan() {
        return Ok(());
    }
    let (value, rule, allowed) = match value(m, scope) {
        Some(value @ Scope::ShaderCallKHR) => (value, &scope::SHADER_CALL, Models::RAY_TRACING),
        Some(value @ Scope::Workgroup) => (value, &scope::WORKGROUP_MEMORY, WORKGROUP_MODELS),
        _ => return Ok(()),
    };
    if let Some(models) = at.models_outside(allowed) {
        let message = format!(
            "the memory scope of {} can't be `{value}` in {models}",
            at.inst.op()
        );
        let finding = at.finding(rule, message);
        return Err(finding.about(m, scope, "the scope is defined here"));
    }
    if value == Scope::Workgroup
        && m.memory_model == MemoryModel::GLSL450
        && at.models().contains(ExecutionModel::TessellationControl)
    {
        let what = "can't be `Workgroup` in `TessellationControl` under the memory model `GLSL450`";
        return Err(finding(
            at,
            &scope::TESSELLATION_MEMORY,
            scope,
            "memory scope",
            what,
        ));
    }
    Ok(())
}
