//! What a compiler from OpenCL C to Vulkan says of its kernels:
//! `NonSemantic.ClspvReflection`.

use std::collections::BTreeSet;

use spirvkit_binary::Id;
use spirvkit_grammar::{
    ClspvReflection, ExecutionModel, ExtInstSet, InstructionInfo, Op, Quantifier,
};

use super::{Call, imports};
use crate::finding::{CheckResult, Finding, Reporter, all};
use crate::module::{Lookup, Models, Module, Type};
use crate::pattern::VOID;
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

impl Operand {
    /// What an instruction's operand with a name must be.
    fn of(instruction: ClspvReflection, name: &str) -> Self {
        match (instruction, name) {
            (ClspvReflection::Kernel, "Kernel") => Function,
            (_, "Kernel" | "Decl") => Kernel,
            (_, "ArgInfo") => Info,
            (_, "Name" | "Type Name" | "Attributes" | "Data" | "FormatString") => Text,
            _ => Uint,
        }
    }
}

/// The first of the instructions that came with a version, in the order of their numbers.
const VERSIONS: [(ClspvReflection, u64); 5] = [
    (ClspvReflection::ConstantDataPointerPushConstant, 5),
    (ClspvReflection::ArgumentStorageTexelBuffer, 4),
    (ClspvReflection::ArgumentPointerPushConstant, 3),
    (ClspvReflection::SpecConstantSubgroupMaxSize, 2),
    (ClspvReflection::Kernel, 1),
];

/// The first instruction of version 6. What versions 6 and 7 add is accepted in all of
/// them, as consumers do.
const UNCHECKED: ClspvReflection = ClspvReflection::NormalizedSamplerMaskPushConstant;

pub(super) fn check(call: &Call<'_, '_, '_>) -> CheckResult {
    let m = call.m();
    let instruction = ClspvReflection(call.number);
    let Some(operands) = call.info().map(InstructionInfo::operands) else {
        return Ok(());
    };
    call.expect_result(&clspv_reflection::VOID_RESULT, VOID)?;
    let version = imports::version(m, call.at.id(0), ExtInstSet::ClspvReflection);
    let since = VERSIONS.iter().find(|(first, _)| *first <= instruction);
    let needed = match instruction {
        // The operands behind the name came later.
        ClspvReflection::Kernel if call.count() > 2 => 5,
        _ if instruction >= UNCHECKED => 1,
        _ => since.map_or(1, |&(_, version)| version),
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
    if instruction >= UNCHECKED {
        return Ok(());
    }
    let repeated = operands.last();
    let repeated = repeated.filter(|last| last.quantifier() == Quantifier::Many);
    let wanted = (0..call.count()).map_while(|index| {
        let info = operands.get(index).or(repeated)?;
        Some((index, Operand::of(instruction, info.name())))
    });
    all(wanted.map(|(index, operand)| check_operand(call, index, operand)))
}

fn check_operand(call: &Call<'_, '_, '_>, index: usize, operand: Operand) -> CheckResult {
    let m = call.m();
    let id = call.id(index);
    // What nothing defines has been reported.
    let Some(def) = m.def(id) else {
        return Ok(());
    };
    let is_own = |instruction: ClspvReflection| {
        def.op().is_ext_inst() && def.id(0) == call.at.id(0) && def.arg(1) == instruction.0
    };
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
                "an entry point for the execution model `GLCompute` only",
            )
        }
        Kernel => (
            is_own(ClspvReflection::Kernel),
            &clspv_reflection::KERNEL,
            "a Kernel instruction of the same import",
        ),
        Info => (
            is_own(ClspvReflection::ArgumentInfo),
            &clspv_reflection::ARGUMENT_INFO,
            "an ArgumentInfo instruction of the same import",
        ),
    };
    match fits {
        true => Ok(()),
        false => Err(call.operand_finding(rule, index, expected)),
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
            && inst.arg(1) == ClspvReflection::Kernel.0
            && m.known_set(inst.id(0)) == Some(ExtInstSet::ClspvReflection);
        // A function that is no entry point has been reported.
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
