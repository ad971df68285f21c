//! Mode-setting instructions (specification, section 3.32.5), but for
//! `OpEntryPoint`: the memory model, capabilities and execution modes.

mod capabilities;
mod modes;
mod tables;
mod workgroup;

use spirvkit_diagnostics::ErrorClass::InvalidData;
use spirvkit_grammar::{AddressingModel, Capability, MemoryModel, Op};

use super::Family;
use crate::finding::{CheckResult, Reporter, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::Module;
use crate::rule::{Example, Frame, Rule};
pub(crate) use capabilities::environment_knows;
pub(super) use tables::Modes;
pub(super) use workgroup::check_entry as check_workgroup_size;
pub(super) use workgroup::find_workgroup_size;

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::MemoryModel,
        Op::ExecutionMode,
        Op::ExecutionModeId,
        Op::Capability,
    ],
    check,
    check_module: Some(check_module),
    rules: &[
        &VULKAN_MEMORY_MODEL,
        &ADDRESSING_MODEL,
        &MEMORY_MODEL,
        &capabilities::NOT_IN_ENVIRONMENT,
        &capabilities::COOPERATIVE_MATRIX,
        &modes::TARGET,
        &modes::OPERAND_FORM,
        &modes::CONSTANT_OPERANDS,
        &modes::WRONG_MODEL,
        &modes::REPEATED,
        &modes::FAST_MATH_TYPE,
        &modes::FAST_MATH_MASK,
        &modes::FAST_MATH_CONFLICT,
        &modes::FAST_MATH_IN_CALL_TREE,
        &modes::ORIGIN,
        &modes::MESH_OUTPUTS,
        &modes::LOCAL_SIZE_ID,
        &workgroup::EMPTY,
        &workgroup::MISSING,
        &workgroup::DERIVATIVE_GROUPS,
        &workgroup::TILE_RATE,
    ],
};

static VULKAN_MEMORY_MODEL: Rule = Rule {
    id: "mode-setting.vulkan-memory-model",
    class: InvalidData,
    section: "3.31",
    vuids: &[],
    text: "A module that declares the capability `VulkanMemoryModel` uses the memory model `Vulkan`.",
    example: Example {
        frame: Frame::Whole,
        breaks: "OpCapability Shader\nOpCapability Linkage\nOpCapability VulkanMemoryModel\nOpMemoryModel Logical \
                 GLSL450",
        keeps: "OpCapability Shader\nOpCapability Linkage\nOpCapability VulkanMemoryModel\nOpMemoryModel Logical Vulkan",
    },
};

static ADDRESSING_MODEL: Rule = Rule {
    id: "mode-setting.addressing-model",
    class: InvalidData,
    section: "3.4",
    vuids: &["VUID-StandaloneSpirv-None-04635"],
    text: "Vulkan supports the addressing models `Logical` and `PhysicalStorageBuffer64`, OpenCL `Physical32` and \
           `Physical64`.",
    example: Example {
        frame: Frame::WholeFor("opencl2.0"),
        breaks: "OpCapability Kernel\nOpCapability Addresses\nOpCapability Linkage\nOpMemoryModel Logical OpenCL",
        keeps: "OpCapability Kernel\nOpCapability Addresses\nOpCapability Linkage\nOpMemoryModel Physical32 OpenCL",
    },
};

static MEMORY_MODEL: Rule = Rule {
    id: "mode-setting.memory-model",
    class: InvalidData,
    section: "3.5",
    vuids: &[],
    text: "Modules for OpenCL use the memory model `OpenCL`.",
    example: Example {
        frame: Frame::WholeFor("opencl2.0"),
        breaks: "OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpCapability DemoteToHelperInvocation
OpExtension \"SPV_EXT_demote_to_helper_invocation\"
OpMemoryModel Physical32 Simple",
        keeps: "OpCapability Kernel\nOpCapability Addresses\nOpCapability Linkage\nOpMemoryModel Physical32 OpenCL",
    },
};

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.inst.op() {
        Op::MemoryModel => check_memory_model(at),
        Op::Capability => capabilities::check(at),
        _ => modes::check(at),
    }
}

fn check_memory_model(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let addressing = AddressingModel(at.inst.arg(0));
    let model = MemoryModel(at.inst.arg(1));
    let is_vulkan = model == MemoryModel::Vulkan || !m.has(Capability::VulkanMemoryModel);
    let declared = expect(is_vulkan, || {
        let message = format!(
            "the capability VulkanMemoryModel is declared, so the memory model must be Vulkan, but is {model}"
        );
        let finding = at.finding(&VULKAN_MEMORY_MODEL, message);
        finding.help("use the memory model Vulkan, or remove the capability")
    });
    let fits = match addressing {
        AddressingModel::Logical | AddressingModel::PhysicalStorageBuffer64 => !m.env.is_opencl(),
        _ => !m.env.is_vulkan(),
    };
    let addressing = expect(fits, || {
        let name = m.env.target.name();
        let message = format!("{name} does not support the addressing model {addressing}");
        at.finding(&ADDRESSING_MODEL, message)
    });
    let memory = expect(!m.env.is_opencl() || model == MemoryModel::OpenCL, || {
        let message = format!("the memory model must be OpenCL, but is {model}");
        at.finding(&MEMORY_MODEL, message)
    });
    all([declared, addressing, memory])
}

fn check_module(m: &Module<'_>, reporter: &mut Reporter) {
    modes::check_module(m, reporter);
}
