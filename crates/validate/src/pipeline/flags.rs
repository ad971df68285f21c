//! What the flags of a pipeline must be for the instructions of its stages, as far as they are known.

use spirvkit_grammar::{Capability, ExecutionMode, Op, RayFlags, Version};
use spirvkit_vulkan::{Device, Feature, PipelineFlags as F};

use super::part::Part;
use super::problems::Problems;
use super::resources::{Uses, vuid_of};
use crate::finding::Finding;
use crate::module::{Inst, Lookup};
use crate::rule::Rule;
use crate::rules::generated::pipeline;

/// Checks all stages. Without flags, only what no pipeline may have.
pub(super) fn check(uses: &[Uses<'_, '_, '_>], flags: Option<F>, problems: &mut Problems<'_>) {
    if let (Some(first), Some(flags)) = (uses.first(), flags) {
        check_feature(first.part, flags, problems);
    }
    for part in uses.iter().map(|it| it.part) {
        check_graph(part, problems);
        if let Some(flags) = flags {
            check_instructions(part, flags, problems);
            check_subgroups(part, flags, problems);
            check_micromaps(part, flags, problems);
        }
    }
}

/// Checks that devices have indices of 64 bits where a flag asks for them.
fn check_feature(part: &Part<'_, '_>, flags: F, problems: &mut Problems<'_>) {
    const FEATURE: &str = "shader64BitIndexing";
    let lacks = |device: &&Device| Feature::named(FEATURE).is_some_and(|it| !device.has(it));
    if !flags.contains(F::INDEXING_64_BIT) {
        return;
    }
    if let Some(device) = problems.options.devices.iter().find(lacks) {
        let message = format!(
            "the flag `{}` needs the feature `{FEATURE}`, which `{}` doesn't have",
            F::INDEXING_64_BIT,
            device.name()
        );
        let rule = &pipeline::WIDE_INDEX;
        let finding = Finding::new(rule, part.entry.inst.offset(), message);
        let vuid = rule.vuids[FLAG + vuid_of(part)];
        problems.add(part, finding.vuid(vuid), Vec::new());
    }
}

/// Where the VUIDs of the flag begin in the list of the rule for wide indices.
const FLAG: usize = 4;

/// Checks that the module is none for graphs.
fn check_graph(part: &Part<'_, '_>, problems: &mut Problems<'_>) {
    let m = part.m;
    if !m.declared_capabilities.contains(&Capability::GraphARM) {
        return;
    }
    let mut all = m.all_instructions();
    let declared =
        all.find(|it| it.op() == Op::Capability && Capability(it.arg(0)) == Capability::GraphARM);
    let message = format!(
        "the {} is of a module with the capability `GraphARM`, whose entry points are no stages",
        part.kind()
    );
    let offset = declared.map_or(0, |it| it.offset());
    let finding = Finding::new(&pipeline::MIXED, offset, message);
    problems.add(part, finding, Vec::new());
}

/// Checks that subgroups are full where cooperative matrices need it.
fn check_subgroups(part: &Part<'_, '_>, flags: F, problems: &mut Problems<'_>) {
    let m = part.m;
    let is_full = flags.contains(F::REQUIRE_FULL_SUBGROUPS) || m.version >= Version::V1_6;
    if is_full || !m.has(Capability::CooperativeMatrixKHR) {
        return;
    }
    let declared = m.declared.iter().filter_map(|&at| m.inst(at));
    let mut matrices = declared.filter(|it| it.op() == Op::TypeCooperativeMatrixKHR);
    if let Some(matrix) = matrices.next() {
        let message = format!(
            "the {} has cooperative matrices, so before SPIR-V 1.6 it takes the flag `REQUIRE_FULL_SUBGROUPS`",
            part.kind()
        );
        let rule = &pipeline::FULL_SUBGROUPS;
        let finding = Finding::new(rule, matrix.offset(), message).vuid(rule.vuids[0]);
        problems.add(part, finding, Vec::new());
    }
}

/// Checks that no stage needs opacity micromaps in a pipeline without them.
fn check_micromaps(part: &Part<'_, '_>, flags: F, problems: &mut Problems<'_>) {
    let without = F::DISALLOW_OPACITY_MICROMAP;
    let Some(mode) = part.mode(ExecutionMode::OpacityMicromapIdKHR) else {
        return;
    };
    if !flags.contains(without) || !part.is_true(mode.id(2)) {
        return;
    }
    let message = format!(
        "`OpacityMicromapIdKHR` of the {} is true, but the pipeline has the flag `{without}`",
        part.kind()
    );
    let finding = Finding::new(&pipeline::MICROMAPS, mode.offset(), message);
    problems.add(part, finding, Vec::new());
}

/// What instructions that trace rays have: where their flags are, and the places of VUIDs in the
/// lists of the rules for skipped primitives and for motion.
fn tracing(op: Op) -> Option<(usize, usize, Option<usize>)> {
    Some(match op {
        Op::TraceRayKHR => (1, 0, None),
        Op::TraceRayMotionNV => (1, 0, Some(0)),
        Op::HitObjectTraceRayEXT | Op::HitObjectTraceReorderExecuteEXT => (2, 2, None),
        Op::HitObjectTraceRayMotionEXT | Op::HitObjectTraceMotionReorderExecuteEXT => {
            (2, 2, Some(1))
        }
        Op::HitObjectTraceRayNV => (2, 4, None),
        Op::HitObjectTraceRayMotionNV => (2, 4, Some(2)),
        _ => return None,
    })
}

fn check_instructions(part: &Part<'_, '_>, flags: F, problems: &mut Problems<'_>) {
    let m = part.m;
    let has_wide_indices = flags.contains(F::INDEXING_64_BIT)
        || part.mode(ExecutionMode::Shader64BitIndexingEXT).is_some();
    if !has_wide_indices {
        let globals = m.all_instructions();
        let globals = globals.take_while(|inst| inst.offset() < m.functions_start);
        for inst in globals.filter(|inst| inst.op() == Op::ConstantSizeOfEXT) {
            check_index(part, inst, problems);
        }
    }
    for function in m.call_tree(part.entry.function) {
        let range = m.functions[function as usize].range.clone();
        for inst in m.instructions(range) {
            if let Some((at, skips, motion)) = tracing(inst.op()) {
                check_tracing(part, inst, at, (skips, motion), flags, problems);
            } else if !has_wide_indices {
                check_index(part, inst, problems);
            }
        }
    }
}

fn check_tracing(
    part: &Part<'_, '_>,
    inst: Inst<'_>,
    at: usize,
    (skips, motion): (usize, Option<usize>),
    flags: F,
    problems: &mut Problems<'_>,
) {
    let mut add = |rule: &'static Rule, vuid: usize, message: String| {
        let finding = Finding::new(rule, inst.offset(), message).vuid(rule.vuids[vuid]);
        problems.add(part, finding, Vec::new());
    };
    let given = part.number(inst.id(at)).unwrap_or(0) as u32;
    let pairs = [
        (
            RayFlags::SkipTrianglesKHR,
            "SkipTrianglesKHR",
            F::RAY_TRACING_SKIP_AABBS,
        ),
        (
            RayFlags::SkipAABBsKHR,
            "SkipAABBsKHR",
            F::RAY_TRACING_SKIP_TRIANGLES,
        ),
    ];
    for (index, (flag, name, other)) in pairs.into_iter().enumerate() {
        if given & flag.0 != 0 && flags.contains(other) {
            let message = format!(
                "{} has the flag `{name}`, but the pipeline has `{other}`, so nothing is left",
                inst.op()
            );
            add(&pipeline::RAY_FLAGS, skips + index, message);
        }
    }
    if let Some(vuid) = motion
        && !flags.contains(F::RAY_TRACING_ALLOW_MOTION)
    {
        let message = format!(
            "{} takes a pipeline with the flag `{}`",
            inst.op(),
            F::RAY_TRACING_ALLOW_MOTION
        );
        add(&pipeline::RAY_MOTION, vuid, message);
    }
}

/// Checks that an index or a length is of 32 bits.
fn check_index(part: &Part<'_, '_>, inst: Inst<'_>, problems: &mut Problems<'_>) {
    let m = part.m;
    let value = |index: usize| m.type_of(inst.id(index));
    let (types, vuid) = match inst.op() {
        Op::ArrayLength | Op::UntypedArrayLengthKHR => ([inst.result_type(), None], 0),
        Op::CooperativeVectorLoadNV
        | Op::CooperativeVectorStoreNV
        | Op::CooperativeVectorOuterProductAccumulateNV
        | Op::CooperativeVectorReduceSumAccumulateNV => ([value(1), None], 1),
        Op::ConstantSizeOfEXT => ([inst.result_type(), None], 3),
        Op::CooperativeVectorMatrixMulNV => ([value(3), None], 2),
        Op::CooperativeVectorMatrixMulAddNV => ([value(3), value(6)], 2),
        _ => return,
    };
    let mut types = types.into_iter().flatten();
    if let Some(wide) = types.find(|&ty| m.bit_width(ty) == 64) {
        let message = format!(
            "{} has {} as a length, a size or an offset, which takes the flag `{}` or the mode `Shader64BitIndexingEXT`",
            inst.op(),
            m.show_type(wide),
            F::INDEXING_64_BIT
        );
        let rule = &pipeline::WIDE_INDEX;
        let finding = Finding::new(rule, inst.offset(), message).vuid(rule.vuids[vuid]);
        problems.add(part, finding, Vec::new());
    }
}
