//! Mode-setting instructions (specification, section 3.32.5), but for
//! `OpEntryPoint`: the memory model, capabilities and execution modes.

mod capabilities;
mod modes;
mod tables;
mod workgroup;

use spirvkit_grammar::{AddressingModel, Capability, MemoryModel, Op};

use super::Family;
use crate::finding::{CheckResult, Reporter, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::Module;
use crate::rules::generated::mode_setting;
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
            "the capability `VulkanMemoryModel` is declared, so the memory model must be `Vulkan`, but is `{model}`"
        );
        let finding = at.finding(&mode_setting::VULKAN_MEMORY_MODEL, message);
        finding.help("use the memory model `Vulkan`, or remove the capability")
    });
    let fits = match addressing {
        AddressingModel::Logical | AddressingModel::PhysicalStorageBuffer64 => !m.env.is_opencl(),
        _ => !m.env.is_vulkan(),
    };
    let addressing = expect(fits, || {
        let name = m.env.target.name();
        let message = format!("{name} does not support the addressing model `{addressing}`");
        at.finding(&mode_setting::ADDRESSING_MODEL, message)
    });
    let memory = expect(!m.env.is_opencl() || model == MemoryModel::OpenCL, || {
        let message = format!("the memory model must be `OpenCL`, but is `{model}`");
        at.finding(&mode_setting::MEMORY_MODEL, message)
    });
    all([declared, addressing, memory])
}

fn check_module(m: &Module<'_>, reporter: &mut Reporter) {
    modes::check_module(m, reporter);
}
