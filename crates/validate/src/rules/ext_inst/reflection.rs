//! What a compiler from OpenCL C to Vulkan tells of its kernels:
//! `NonSemantic.ClspvReflection`.

use std::collections::BTreeSet;

use spirvkit_binary::Id;
use spirvkit_grammar::{ExecutionModel, ExtInstSet, Op};

use super::{Call, imports, known_set};
use crate::finding::{CheckResult, Finding, Reporter, all};
use crate::module::{Lookup, Models, Module, Type};
use crate::rules::generated::clspv_reflection;

/// What an operand must be.
#[derive(Clone, Copy)]
enum Operand {
    /// A 32-bit unsigned constant.
    Uint,
    /// An `OpString`.
    Text,
    /// The function of a kernel.
    Function,
    /// A `Kernel`.
    Kernel,
    /// An `ArgumentInfo`.
    Info,
}

use Operand::*;

/// The version that an instruction came with, and its operands. The last one of
/// `PrintfInfo` may be repeated.
const fn row(version: u64, operands: &'static [Operand]) -> Row {
    Row { version, operands }
}

struct Row {
    version: u64,
    operands: &'static [Operand],
}

const PRINTF_INFO: u32 = 38;
const ARGUMENT_INFO: u32 = 2;
const KERNEL_INSTRUCTION: u32 = 1;

/// The instructions in the order of their numbers, from 1. What versions 6 and 7
/// add is accepted in all of them, as consumers do.
const ROWS: [Row; 42] = [
    row(1, &[Function, Text, Uint, Uint, Text]), // Kernel
    row(1, &[Text, Text, Uint, Uint, Uint]),     // ArgumentInfo
    row(1, &[Kernel, Uint, Uint, Uint, Info]),   // ArgumentStorageBuffer
    row(1, &[Kernel, Uint, Uint, Uint, Info]),   // ArgumentUniform
    row(1, &[Kernel, Uint, Uint, Uint, Uint, Uint, Info]), // ArgumentPodStorageBuffer
    row(1, &[Kernel, Uint, Uint, Uint, Uint, Uint, Info]), // ArgumentPodUniform
    row(1, &[Kernel, Uint, Uint, Uint, Info]),   // ArgumentPodPushConstant
    row(1, &[Kernel, Uint, Uint, Uint, Info]),   // ArgumentSampledImage
    row(1, &[Kernel, Uint, Uint, Uint, Info]),   // ArgumentStorageImage
    row(1, &[Kernel, Uint, Uint, Uint, Info]),   // ArgumentSampler
    row(1, &[Kernel, Uint, Uint, Uint, Info]),   // ArgumentWorkgroup
    row(1, &[Uint, Uint, Uint]),                 // SpecConstantWorkgroupSize
    row(1, &[Uint, Uint, Uint]),                 // SpecConstantGlobalOffset
    row(1, &[Uint]),                             // SpecConstantWorkDim
    row(1, &[Uint, Uint]),                       // PushConstantGlobalOffset
    row(1, &[Uint, Uint]),                       // PushConstantEnqueuedLocalSize
    row(1, &[Uint, Uint]),                       // PushConstantGlobalSize
    row(1, &[Uint, Uint]),                       // PushConstantRegionOffset
    row(1, &[Uint, Uint]),                       // PushConstantNumWorkgroups
    row(1, &[Uint, Uint]),                       // PushConstantRegionGroupOffset
    row(1, &[Uint, Uint, Text]),                 // ConstantDataStorageBuffer
    row(1, &[Uint, Uint, Text]),                 // ConstantDataUniform
    row(1, &[Uint, Uint, Uint]),                 // LiteralSampler
    row(1, &[Kernel, Uint, Uint, Uint]),         // PropertyRequiredWorkgroupSize
    row(2, &[Uint]),                             // SpecConstantSubgroupMaxSize
    row(3, &[Kernel, Uint, Uint, Uint, Info]),   // ArgumentPointerPushConstant
    row(3, &[Kernel, Uint, Uint, Uint, Uint, Uint, Info]), // ArgumentPointerUniform
    row(3, &[Uint, Uint, Text]),                 // ProgramScopeVariablesStorageBuffer
    row(3, &[Uint, Uint, Uint]),                 // ProgramScopeVariablePointerRelocation
    row(3, &[Kernel, Uint, Uint, Uint]),         // ImageArgumentInfoChannelOrderPushConstant
    row(3, &[Kernel, Uint, Uint, Uint]),         // ImageArgumentInfoChannelDataTypePushConstant
    row(3, &[Kernel, Uint, Uint, Uint, Uint, Uint]), // ImageArgumentInfoChannelOrderUniform
    row(3, &[Kernel, Uint, Uint, Uint, Uint, Uint]), // ImageArgumentInfoChannelDataTypeUniform
    row(4, &[Kernel, Uint, Uint, Uint, Info]),   // ArgumentStorageTexelBuffer
    row(4, &[Kernel, Uint, Uint, Uint, Info]),   // ArgumentUniformTexelBuffer
    row(5, &[Uint, Uint, Text]),                 // ConstantDataPointerPushConstant
    row(5, &[Uint, Uint, Text]),                 // ProgramScopeVariablePointerPushConstant
    row(5, &[Uint, Text, Uint]),                 // PrintfInfo
    row(5, &[Uint, Uint, Uint]),                 // PrintfBufferStorageBuffer
    row(5, &[Uint, Uint, Uint]),                 // PrintfBufferPointerPushConstant
    row(1, &[]),                                 // NormalizedSamplerMaskPushConstant
    row(1, &[]),                                 // WorkgroupVariableSize
];

pub(super) fn check(call: &Call<'_, '_, '_>) -> CheckResult {
    let m = call.m();
    let number = call.number as usize;
    let Some(row) = number.checked_sub(1).and_then(|index| ROWS.get(index)) else {
        return Ok(());
    };
    call.result(
        &clspv_reflection::VOID_RESULT,
        m.is_void(call.result_type()),
        "void",
    )?;
    let version = imports::version(m, call.at.id(0), ExtInstSet::ClspvReflection);
    // Kernel's operands behind the name came with version 5.
    let needed = match call.number == KERNEL_INSTRUCTION && call.count() > 2 {
        true => 5,
        false => row.version,
    };
    if version.is_some_and(|version| version < needed) {
        let message = format!(
            "{} with {} operands is only in version {needed} of the set and later, but the module imports version {}",
            call.name(),
            call.count(),
            version.unwrap_or(0)
        );
        return Err(call.at.finding(&clspv_reflection::VERSION, message));
    }
    let operands = (0..call.count()).map_while(|index| match row.operands.get(index) {
        Some(&operand) => Some((index, operand)),
        None => (call.number == PRINTF_INFO).then_some((index, Uint)),
    });
    all(operands.map(|(index, operand)| check_operand(call, index, operand)))
}

fn check_operand(call: &Call<'_, '_, '_>, index: usize, operand: Operand) -> CheckResult {
    let m = call.m();
    let id = call.id(index);
    // What nothing defines has been told of.
    let Some(def) = m.def(id) else {
        return Ok(());
    };
    let is_own =
        |number: u32| def.op().is_ext_inst() && def.id(0) == call.at.id(0) && def.arg(1) == number;
    let (fits, rule, expected) = match operand {
        Uint => (
            def.op() == Op::Constant
                && matches!(
                    m.ty(def.result_type().unwrap_or(Id(0))),
                    Type::Int {
                        width: 32,
                        signed: false
                    }
                ),
            &clspv_reflection::UINT,
            "an OpConstant of a 32-bit unsigned integer",
        ),
        Text => (
            def.op() == Op::String,
            &clspv_reflection::TEXT,
            "an OpString",
        ),
        Function => {
            let models = m.entry_models(id);
            let others = models.map(|models| models.without(COMPUTE));
            (
                others.is_some_and(Models::is_empty),
                &clspv_reflection::FUNCTION,
                "an entry point for the execution model GLCompute only",
            )
        }
        Kernel => (
            is_own(KERNEL_INSTRUCTION),
            &clspv_reflection::KERNEL,
            "a Kernel instruction of the same import",
        ),
        Info => (
            is_own(ARGUMENT_INFO),
            &clspv_reflection::ARGUMENT_INFO,
            "an ArgumentInfo instruction of the same import",
        ),
    };
    match fits {
        true => Ok(()),
        false => Err(call.wrong_operand(rule, index, expected)),
    }
}

const COMPUTE: Models = Models::of(&[ExecutionModel::GLCompute]);

/// Checks that kernels have the names of their entry points.
pub(super) fn check_names(m: &Module<'_>, reporter: &mut Reporter) {
    let text = |id: Id| {
        let def = m.def(id).filter(|def| def.op() == Op::String)?;
        Some(def.string(0)?.to_text_lossy())
    };
    let entries = m.entry_points.iter();
    let names: BTreeSet<(u32, String)> = entries
        .map(|entry| (entry.function.0, entry.name()))
        .collect();
    let mut seen = BTreeSet::new();
    for inst in m.all_instructions() {
        let is_kernel = inst.op() == Op::ExtInst
            && inst.arg(1) == KERNEL_INSTRUCTION
            && known_set(m, inst.id(0)) == Some(ExtInstSet::ClspvReflection);
        // A function that is no entry point has been told of.
        if !is_kernel || m.entry_models(inst.id(2)).is_none() {
            continue;
        }
        // Many kernels can have one long name.
        if !seen.insert((inst.arg(2), inst.id(3))) {
            continue;
        }
        let Some(name) = text(inst.id(3)) else {
            continue;
        };
        let entry = (inst.arg(2), name);
        if !names.contains(&entry) {
            let message = format!(
                "{} is not an entry point with the name \"{}\"",
                m.name(inst.id(2)),
                entry.1
            );
            let finding = Finding::new(&clspv_reflection::NAME, inst.offset(), message).aside(true);
            reporter.add(finding.about(m, inst.id(3), "the name is given here"));
        }
        if reporter.is_full() {
            return;
        }
    }
}
