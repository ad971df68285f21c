//! Scope operands (specification, section 3.27): of barriers, atomics, memory
//! accesses, group instructions and cooperative matrices.

use spirvkit_binary::Id;
use spirvkit_diagnostics::ErrorClass::{InvalidData, InvalidId};
use spirvkit_grammar::{Capability, ExecutionModel, MemoryModel, Scope};

use super::Family;
use crate::finding::{CheckResult, Finding, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Models, Module};
use crate::rule::{Example, Frame, Rule};

pub(crate) const FAMILY: Family = Family {
    ops: &[],
    check: |_| Ok(()),
    check_module: None,
    rules: &[
        &TYPE,
        &CONSTANT,
        &KNOWN,
        &EXECUTION,
        &WORKGROUP_EXECUTION,
        &MEMORY,
        &QUEUE_FAMILY,
        &DEVICE,
        &SUBGROUP_MEMORY,
        &WORKGROUP_MEMORY,
        &TESSELLATION_MEMORY,
        &SHADER_CALL,
    ],
};

static TYPE: Rule = Rule {
    id: "scope.type",
    class: InvalidData,
    section: "3.27",
    vuids: &[],
    text: "A scope is the id of a 32-bit integer scalar.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "OpMemoryBarrier %u64_1 %u32_0",
        keeps: "OpMemoryBarrier %u32_1 %u32_0",
    },
};

static CONSTANT: Rule = Rule {
    id: "scope.constant",
    class: InvalidData,
    section: "2.16.2",
    vuids: &[],
    text: "In shaders, a scope is a constant, but not a specialization constant. With cooperative matrices of \
           SPV_NV_cooperative_matrix, it may be a specialization constant.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%scope = OpSpecConstant %u32 2
OpMemoryBarrier %scope %u32_0",
        keeps: "OpMemoryBarrier %u32_2 %u32_0",
    },
};

static KNOWN: Rule = Rule {
    id: "scope.known",
    class: InvalidData,
    section: "3.27",
    vuids: &[],
    text: "A constant scope has one of the values of the enumeration `Scope`.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpMemoryBarrier %u32_16 %u32_0",
        keeps: "OpMemoryBarrier %u32_1 %u32_0",
    },
};

static EXECUTION: Rule = Rule {
    id: "scope.execution",
    class: InvalidData,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &["VUID-StandaloneSpirv-None-04636"],
    text: "In Vulkan, the execution scope is `Workgroup` or `Subgroup`.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.3"),
        breaks: "OpControlBarrier %u32_1 %u32_1 %u32_0",
        keeps: "OpControlBarrier %u32_2 %u32_1 %u32_0",
    },
};

static WORKGROUP_EXECUTION: Rule = Rule {
    id: "scope.workgroup-execution",
    class: InvalidId,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &["VUID-StandaloneSpirv-None-04637"],
    text: "In Vulkan, only stages whose invocations form workgroups (task, mesh, tessellation control and compute) \
           may have the execution scope `Workgroup`.",
    example: Example {
        frame: Frame::WholeFor("vulkan1.3"),
        breaks: "OpCapability RayTracingKHR
OpExtension \"SPV_KHR_ray_tracing\"
OpMemoryModel Logical GLSL450
OpEntryPoint CallableKHR %main \"main\"
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%none = OpConstant %u32 0
%device = OpConstant %u32 1
%workgroup = OpConstant %u32 2
%main = OpFunction %void None %fn
%entry = OpLabel
OpControlBarrier %workgroup %device %none
OpReturn
OpFunctionEnd
",
        keeps: "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%none = OpConstant %u32 0
%device = OpConstant %u32 1
%workgroup = OpConstant %u32 2
%main = OpFunction %void None %fn
%entry = OpLabel
OpControlBarrier %workgroup %device %none
OpReturn
OpFunctionEnd
",
    },
};

static MEMORY: Rule = Rule {
    id: "scope.memory",
    class: InvalidData,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &["VUID-StandaloneSpirv-None-04638"],
    text: "In Vulkan, the memory scope is `Device`, `QueueFamily`, `Workgroup`, `ShaderCallKHR`, `Subgroup` or \
           `Invocation`: no scope spans several devices.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.3"),
        breaks: "OpControlBarrier %u32_2 %u32_0 %u32_0",
        keeps: "OpControlBarrier %u32_2 %u32_1 %u32_0",
    },
};

static QUEUE_FAMILY: Rule = Rule {
    id: "scope.queue-family",
    class: InvalidData,
    section: "3.27",
    vuids: &[],
    text: "The scope `QueueFamily` needs the capability `VulkanMemoryModel`.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%u32_5 = OpConstant %u32 5
OpMemoryBarrier %u32_5 %u32_0",
        keeps: "%u32_5 = OpConstant %u32 5
OpCapability VulkanMemoryModel
OpMemoryModel Logical Vulkan
OpMemoryBarrier %u32_5 %u32_0",
    },
};

static DEVICE: Rule = Rule {
    id: "scope.device",
    class: InvalidData,
    section: "3.27",
    vuids: &[],
    text: "In the Vulkan memory model, the memory scope `Device` needs the capability `VulkanMemoryModelDeviceScope`.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability VulkanMemoryModel
OpMemoryModel Logical Vulkan
OpMemoryBarrier %u32_1 %u32_0",
        keeps: "OpCapability VulkanMemoryModel
OpCapability VulkanMemoryModelDeviceScope
OpMemoryModel Logical Vulkan
OpMemoryBarrier %u32_1 %u32_0",
    },
};

static SUBGROUP_MEMORY: Rule = Rule {
    id: "scope.subgroup-memory",
    class: InvalidData,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &["VUID-StandaloneSpirv-SubgroupVoteKHR-07951"],
    text: "In Vulkan 1.0, the memory scope `Subgroup` needs a capability that gives subgroups a meaning: \
           `SubgroupBallotKHR` or `SubgroupVoteKHR`.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.0"),
        breaks: "OpControlBarrier %u32_2 %u32_3 %u32_0",
        keeps: "OpCapability SubgroupVoteKHR
OpExtension \"SPV_KHR_subgroup_vote\"
OpControlBarrier %u32_2 %u32_3 %u32_0",
    },
};

static WORKGROUP_MEMORY: Rule = Rule {
    id: "scope.workgroup-memory",
    class: InvalidId,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &["VUID-StandaloneSpirv-None-07321"],
    text: "In Vulkan, only stages whose invocations form workgroups (task, mesh, tessellation control and compute) \
           may synchronize memory within a `Workgroup`.",
    example: Example {
        frame: Frame::FragmentFor("vulkan1.3"),
        breaks: "OpControlBarrier %u32_3 %u32_2 %u32_0",
        keeps: "OpControlBarrier %u32_3 %u32_1 %u32_0",
    },
};

static TESSELLATION_MEMORY: Rule = Rule {
    id: "scope.tessellation-memory",
    class: InvalidId,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &["VUID-StandaloneSpirv-ExecutionModel-07320"],
    text: "In Vulkan, tessellation control shaders under the memory model `GLSL450` may not synchronize memory within \
           a `Workgroup`.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.3"),
        breaks: "OpCapability Tessellation
OpEntryPoint TessellationControl %main \"main\"
OpExecutionMode %main OutputVertices 3
OpControlBarrier %u32_2 %u32_2 %u32_0",
        keeps: "OpCapability Tessellation
OpEntryPoint TessellationControl %main \"main\"
OpExecutionMode %main OutputVertices 3
OpControlBarrier %u32_2 %u32_1 %u32_0",
    },
};

static SHADER_CALL: Rule = Rule {
    id: "scope.shader-call",
    class: InvalidId,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &["VUID-StandaloneSpirv-None-04640"],
    text: "In Vulkan, only ray tracing stages may synchronize memory within `ShaderCallKHR`.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.3"),
        breaks: "OpCapability RayTracingKHR
OpExtension \"SPV_KHR_ray_tracing\"
%u32_6 = OpConstant %u32 6
OpControlBarrier %u32_2 %u32_6 %u32_0",
        keeps: "OpControlBarrier %u32_2 %u32_1 %u32_0",
    },
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

const RAY_TRACING_MODELS: Models = Models::of(&[
    ExecutionModel::RayGenerationKHR,
    ExecutionModel::IntersectionKHR,
    ExecutionModel::AnyHitKHR,
    ExecutionModel::ClosestHitKHR,
    ExecutionModel::MissKHR,
    ExecutionModel::CallableKHR,
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
    if !m.is_int_scalar_of(m.type_of(scope)?, 32) {
        return None;
    }
    Some(Scope(m.constant_u64(scope)? as u32))
}

/// Checks what holds for any scope operand, and gives its value if it is known.
pub(super) fn check(at: &InstCtx<'_, '_>, scope: Id) -> Result<Option<Scope>, Finding> {
    let m = at.m;
    let Some(ty) = m.type_of(scope) else {
        return Ok(None);
    };
    if !m.is_int_scalar_of(ty, 32) {
        return Err(finding(
            at,
            &TYPE,
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
                &CONSTANT,
                scope,
                "scope",
                "must be an `OpConstant`",
            )),
        };
    };
    if value.0 > Scope::ShaderCallKHR.0 {
        let what = "must be a value of the enumeration `Scope`";
        return Err(finding(at, &KNOWN, scope, "scope", what));
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
        Some(_) if !at.m.env.is_vulkan() => Ok(()),
        Some(_) => {
            let what = "must be `Workgroup` or `Subgroup`";
            Err(finding(at, &EXECUTION, scope, "execution scope", what))
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
        "{} has the execution scope `Workgroup`, but {models} has no workgroups",
        at.inst.op()
    );
    let finding = at.finding(&WORKGROUP_EXECUTION, message);
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
            Err(finding(at, &QUEUE_FAMILY, scope, "memory scope", what))
        }
        Scope::Device if has_model && !m.has(Capability::VulkanMemoryModelDeviceScope) => {
            let what = "can't be `Device` without the capability `VulkanMemoryModelDeviceScope`";
            let finding = finding(at, &DEVICE, scope, "memory scope", what);
            Err(finding.needs(&[Capability::VulkanMemoryModelDeviceScope]))
        }
        Scope::CrossDevice if m.env.is_vulkan() => {
            let what = "must be within one device";
            Err(finding(at, &MEMORY, scope, "memory scope", what))
        }
        Scope::Subgroup
            if m.env.is_vulkan()
                && !m.env.is_vulkan_since(1)
                && !m.has(Capability::SubgroupBallotKHR)
                && !m.has(Capability::SubgroupVoteKHR) =>
        {
            let what = "can't be `Subgroup` without a capability for subgroups";
            Err(finding(at, &SUBGROUP_MEMORY, scope, "memory scope", what))
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
        Some(value @ Scope::ShaderCallKHR) => (value, &SHADER_CALL, RAY_TRACING_MODELS),
        Some(value @ Scope::Workgroup) => (value, &WORKGROUP_MEMORY, WORKGROUP_MODELS),
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
        let what = "can't be `Workgroup` in TessellationControl under the memory model `GLSL450`";
        return Err(finding(
            at,
            &TESSELLATION_MEMORY,
            scope,
            "memory scope",
            what,
        ));
    }
    Ok(())
}
