//! Descriptors and push constants: what stages use of them, against each other and the layout.

use std::collections::BTreeMap;

use hashbrown::HashSet;
use spirvkit_binary::{Id, Instruction, Value, WordOffset};
use spirvkit_grammar::{Decoration, Dim, Op, StorageClass};
use spirvkit_vulkan::{
    Binding, DescriptorType as D, DescriptorTypes, Feature, PipelineFlags, PipelineLayout,
    ShaderStages,
};

use super::part::Part;
use super::problems::{Problems, note_about, note_entry};
use super::stages::Bind;
use crate::finding::Finding;
use crate::module::{Image, Lookup, Type};
use crate::rule::Rule;
use crate::rules::generated::pipeline;
use crate::rules::interfaces::listed::{self, Listed};

/// A variable that is a descriptor or an array of them.
pub(super) struct Resource<'p, 'm, 'a> {
    pub(super) part: &'p Part<'m, 'a>,
    pub(super) variable: Id,
    pub(super) class: StorageClass,
    /// Its type, or that of its elements.
    pub(super) ty: Id,
    /// The types of descriptors that it may be.
    pub(super) types: DescriptorTypes,
    /// How many there are at least; of a runtime array one.
    pub(super) count: u64,
    pub(super) is_runtime: bool,
    /// Whether it is declared as an array, be it of one.
    pub(super) is_array: bool,
}

/// What a stage uses outside of functions.
pub(super) struct Uses<'p, 'm, 'a> {
    pub(super) part: &'p Part<'m, 'a>,
    /// By set and binding.
    pub(super) resources: Vec<((u32, u32), Resource<'p, 'm, 'a>)>,
    /// Blocks with the bytes that they take.
    pub(super) push_constants: Vec<(Id, (u64, u64))>,
    /// All else.
    pub(super) others: Vec<Listed<'a>>,
}

impl<'p, 'm, 'a> Uses<'p, 'm, 'a> {
    pub(super) fn of(part: &'p Part<'m, 'a>) -> Self {
        let mut uses = Self {
            part,
            resources: Vec::new(),
            push_constants: Vec::new(),
            others: Vec::new(),
        };
        for used in used(part) {
            if used.class == StorageClass::PushConstant {
                let range = used.ty.and_then(|ty| range_of(part, ty));
                uses.push_constants
                    .extend(range.map(|range| (used.id, range)));
            } else if let Some(found) = resource(part, &used) {
                uses.resources.push(found);
            } else {
                uses.others.push(used);
            }
        }
        uses
    }
}

/// Checks the resources of all stages.
pub(super) fn check<'u>(
    all: &'u [Uses<'u, 'u, 'u>],
    layout: Option<&PipelineLayout>,
    problems: &mut Problems<'_>,
) {
    let flags = layout.and_then(|it| it.flags);
    // Then there is no layout of sets and push constants.
    let is_in_heaps = flags.is_some_and(|it| it.contains(PipelineFlags::DESCRIPTOR_HEAP));
    let mut bindings: BTreeMap<(u32, u32), Vec<&Resource<'_, '_, '_>>> = BTreeMap::new();
    for uses in all {
        if let Some(layout) = layout {
            super::mappings::check(uses, layout, problems);
        }
        if let Some(layout) = layout.filter(|_| !is_in_heaps) {
            for &(variable, range) in &uses.push_constants {
                check_push_constants(uses.part, variable, range, layout, problems);
            }
            super::mappings::check_heaps(uses, layout, problems);
        }
        for (place, resource) in &uses.resources {
            bindings.entry(*place).or_default().push(resource);
        }
    }
    for (&place, resources) in &bindings {
        match layout {
            None => check_together(place, resources, problems),
            Some(layout) => {
                let found = find_binding(layout, place);
                for resource in resources {
                    match is_in_heaps {
                        true => super::mappings::check_mapped(place, resource, found, problems),
                        false => check_binding(place, resource, found, problems),
                    }
                }
            }
        }
    }
}

/// The variables outside of functions that an entry point uses.
fn used<'a>(part: &Part<'_, 'a>) -> Vec<Listed<'a>> {
    let m = part.m;
    let mut seen = HashSet::new();
    let mut all = Vec::new();
    let is_variable = |word: u32| m.whereabouts(Id(word)).is_global();
    for function in m.call_tree(part.entry.function) {
        let range = m.functions[function as usize].range.clone();
        for inst in m.instructions(range) {
            let words = inst.words().get(1..).unwrap_or_default();
            // Most instructions use none.
            let may_use = words
                .iter()
                .any(|&word| is_variable(word) && !seen.contains(&Id(word)));
            if !may_use {
                continue;
            }
            let offset = WordOffset(inst.offset() as usize);
            let Some(instruction) = Instruction::from_words(inst.words(), offset) else {
                continue;
            };
            for operand in instruction.operands(&m.definitions).flatten() {
                if let Value::Id(id) = operand.value
                    && is_variable(id.0)
                    && seen.insert(id)
                {
                    all.extend(listed::variable(m, id));
                }
            }
        }
    }
    all.sort_by_key(|it| it.inst.offset());
    all
}

/// A variable as a resource, with its set and binding.
fn resource<'p, 'm, 'a>(
    part: &'p Part<'m, 'a>,
    listed: &Listed<'a>,
) -> Option<((u32, u32), Resource<'p, 'm, 'a>)> {
    let m = part.m;
    let is_one = matches!(
        listed.class,
        StorageClass::Uniform | StorageClass::UniformConstant | StorageClass::StorageBuffer
    );
    if !is_one {
        return None;
    }
    let (mut set, mut binding) = (None, None);
    let mut special = None;
    for decorated in m.own_decorations(listed.id) {
        match decorated.decoration {
            Decoration::DescriptorSet => set = Some(decorated.param(0)),
            Decoration::Binding => binding = Some(decorated.param(0)),
            Decoration::WeightTextureQCOM => special = Some(D::SAMPLE_WEIGHT_IMAGE),
            Decoration::BlockMatchTextureQCOM => special = Some(D::BLOCK_MATCH_IMAGE),
            _ => {}
        }
    }
    let mut ty = listed.ty?;
    let is_array = matches!(m.ty(ty), Type::Array { .. } | Type::RuntimeArray { .. });
    let (mut count, mut is_runtime) = (1u64, false);
    // Arrays of arrays are one array.
    for _ in 0..64 {
        match m.ty(ty) {
            Type::Array { element, .. } => {
                count = count.saturating_mul(part.length(ty).unwrap_or(1));
                ty = element;
            }
            Type::RuntimeArray { element } => {
                is_runtime = true;
                ty = element;
            }
            _ => break,
        }
    }
    let types = match special {
        Some(special) => DescriptorTypes::from_iter([special]),
        None => types_of(part, listed.class, ty)?,
    };
    let resource = Resource {
        part,
        variable: listed.id,
        class: listed.class,
        ty,
        types,
        count,
        is_runtime,
        is_array,
    };
    Some(((set?, binding?), resource))
}

/// The types of descriptors that may be what a variable holds (Vulkan, "Shader Resource and
/// Descriptor Type Correspondence").
fn types_of(part: &Part<'_, '_>, class: StorageClass, ty: Id) -> Option<DescriptorTypes> {
    let m = part.m;
    let any = |types: &[D]| Some(types.iter().copied().collect());
    let storage = [D::STORAGE_BUFFER, D::STORAGE_BUFFER_DYNAMIC];
    let sampled = |image: Image| match (image.dim, image.sampled) {
        (Dim::SubpassData, _) => any(&[D::INPUT_ATTACHMENT]),
        (Dim::Buffer, 1) => any(&[D::UNIFORM_TEXEL_BUFFER]),
        (Dim::Buffer, 2) => any(&[D::STORAGE_TEXEL_BUFFER]),
        (_, 1) => any(&[
            D::SAMPLED_IMAGE,
            D::COMBINED_IMAGE_SAMPLER,
            D::SAMPLE_WEIGHT_IMAGE,
            D::BLOCK_MATCH_IMAGE,
        ]),
        (_, 2) => any(&[D::STORAGE_IMAGE]),
        _ => None,
    };
    match (class, m.ty(ty)) {
        (StorageClass::StorageBuffer, _) => any(&storage),
        (StorageClass::Uniform, _) if m.structure_facts(ty).is_buffer_block => any(&storage),
        (StorageClass::Uniform, Type::Struct { .. }) => any(&[
            D::UNIFORM_BUFFER,
            D::UNIFORM_BUFFER_DYNAMIC,
            D::INLINE_UNIFORM_BLOCK,
        ]),
        (_, Type::Sampler) => any(&[D::SAMPLER, D::COMBINED_IMAGE_SAMPLER]),
        (_, Type::SampledImage { image }) => match m.ty(image) {
            Type::Image(image) if image.dim == Dim::Buffer => any(&[D::UNIFORM_TEXEL_BUFFER]),
            _ => any(&[D::COMBINED_IMAGE_SAMPLER]),
        },
        (_, Type::Image(image)) => sampled(image),
        (_, Type::Other(Op::TypeAccelerationStructureKHR)) => any(&[
            D::ACCELERATION_STRUCTURE,
            D::ACCELERATION_STRUCTURE_NV,
            D::PARTITIONED_ACCELERATION_STRUCTURE,
        ]),
        (_, Type::Other(Op::TypeTensorARM)) => any(&[D::TENSOR]),
        _ => None,
    }
}

/// Which of a rule's VUIDs applies: that of graphics, compute or ray tracing.
pub(super) fn vuid_of(part: &Part<'_, '_>) -> usize {
    match Bind::of(part.model()) {
        Bind::Compute => 1,
        Bind::RayTracing => 2,
        Bind::Graphics | Bind::None => 0,
    }
}

/// Types in words.
fn list(types: DescriptorTypes) -> String {
    let names: Vec<String> = types.iter().map(|ty| format!("`{ty}`")).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} or {last}", before.join(", ")),
        None => "nothing".to_owned(),
    }
}

/// Checks that one descriptor may be all that stages use it for.
fn check_together(
    (set, binding): (u32, u32),
    resources: &[&Resource<'_, '_, '_>],
    problems: &mut Problems<'_>,
) {
    // Descriptors may be of several types if the layout says so, for which large arrays are used.
    let is_mutable = |name| {
        let feature = Feature::named(name);
        let mut devices = problems.options.devices.iter();
        devices.any(|device| feature.is_some_and(|feature| device.has(feature)))
    };
    if is_mutable("mutableDescriptorType") || resources.iter().any(|it| it.is_runtime) {
        return;
    }
    let mut types = DescriptorTypes::all();
    for (index, resource) in resources.iter().enumerate() {
        let common = types.and(resource.types);
        if !common.is_empty() {
            types = common;
            continue;
        }
        let before = resources[..index].iter();
        let other = before
            .clone()
            .find(|it| it.types.and(resource.types).is_empty());
        let Some(other) = other.or(resources.first()) else {
            return;
        };
        let message = format!(
            "{} in the {} is set {set}, binding {binding}, as {}, but {} in the {} is the same as {}",
            resource.part.m.name(resource.variable),
            resource.part.kind(),
            list(resource.types),
            other.part.m.name(other.variable),
            other.part.kind(),
            list(other.types)
        );
        let offset = resource.part.m.def_offset(resource.variable);
        let rule = &pipeline::BINDING_TWICE;
        let finding = Finding::new(rule, offset, message).vuid(rule.vuids[vuid_of(resource.part)]);
        let note = note_about(other.part, other.variable, "the other is declared here");
        problems.add(resource.part, finding, vec![note]);
        return;
    }
}

pub(super) fn find_binding(
    layout: &PipelineLayout,
    (set, binding): (u32, u32),
) -> Option<&Binding> {
    let set = layout.sets.get(set as usize)?;
    set.bindings.iter().find(|it| it.binding == binding)
}

/// Checks what a stage uses against what the layout has there.
fn check_binding(
    (set, binding): (u32, u32),
    resource: &Resource<'_, '_, '_>,
    found: Option<&Binding>,
    problems: &mut Problems<'_>,
) {
    let part = resource.part;
    let name = part.m.name(resource.variable);
    let offset = part.m.def_offset(resource.variable);
    let what = format!("{name}, which the {} uses", part.kind());
    let add = |rule: &'static Rule, message: String, problems: &mut Problems<'_>| {
        let finding = Finding::new(rule, offset, message).vuid(rule.vuids[vuid_of(part)]);
        problems.add(part, finding, Vec::new());
    };
    let Some(found) = found else {
        let message = format!("{what}, is set {set}, binding {binding}, which the layout lacks");
        return add(&pipeline::BINDING_MISSING, message, problems);
    };
    if !found.stages.contains(part.model()) {
        let message = format!(
            "{what}, is set {set}, binding {binding}, which the layout has for {}, not for {}",
            found.stages,
            ShaderStages::of(part.model())
        );
        add(&pipeline::BINDING_STAGE, message, problems);
    }
    if found.ty != D::MUTABLE && !resource.types.contains(found.ty) {
        let message = format!(
            "{what}, is {}, but set {set}, binding {binding} of the layout is `{}`",
            list(resource.types),
            found.ty
        );
        return add(&pipeline::BINDING_TYPE, message, problems);
    }
    if found.has_ycbcr {
        super::samplers::check_ycbcr(resource, problems);
    }
    if found.is_unnormalized == Some(false) {
        super::samplers::check_normalized(resource, problems);
    }
    // Its count is a number of bytes.
    if found.ty == D::INLINE_UNIFORM_BLOCK {
        if resource.is_array {
            let message = format!(
                "{what}, is an array, but set {set}, binding {binding} of the layout is `{}`, which is one",
                found.ty
            );
            add(&pipeline::INLINE_ARRAY, message, problems);
        }
        return;
    }
    if u64::from(found.count) < resource.count {
        let message = format!(
            "{what}, has {} descriptors, but set {set}, binding {binding} of the layout has {}",
            resource.count, found.count
        );
        add(&pipeline::BINDING_COUNT, message, problems);
    }
}

/// The bytes of a block that its members take: where the first starts, and where the last ends.
pub(super) fn range_of(part: &Part<'_, '_>, block: Id) -> Option<(u64, u64)> {
    let members = part.layouts().members(block).iter();
    let ranges = members.filter_map(|member| {
        let start = member.offset.ok()?.known()?;
        let end = start.checked_add(member.layout.ok()?.size.known()?)?;
        Some((start, end))
    });
    ranges.reduce(|(start, end), other| (start.min(other.0), end.max(other.1)))
}

/// Checks that the layout has the push constants that a stage uses.
fn check_push_constants(
    part: &Part<'_, '_>,
    variable: Id,
    (start, end): (u64, u64),
    layout: &PipelineLayout,
    problems: &mut Problems<'_>,
) {
    let ranges = layout.push_constants.iter();
    let mut own = ranges.filter(|range| range.stages.contains(part.model()));
    let is_there = own.clone().any(|range| {
        let range_end = u64::from(range.offset) + u64::from(range.size);
        u64::from(range.offset) <= start && end <= range_end
    });
    if is_there {
        return;
    }
    let range = own.next();
    let has_stage = range.is_some();
    let has = match range {
        None => format!("has none for {}", ShaderStages::of(part.model())),
        Some(range) => format!(
            "has the bytes {} to {} for {}",
            range.offset,
            u64::from(range.offset) + u64::from(range.size),
            range.stages
        ),
    };
    let message = format!(
        "{}, the push constants that the {} uses, are the bytes {start} to {end}, but the layout {has}",
        part.m.name(variable),
        part.kind()
    );
    let offset = part.m.def_offset(variable);
    let rule = &pipeline::PUSH_CONSTANT_RANGE;
    // Of each kind of pipeline, one is about stages and one about bytes.
    let vuid = rule.vuids[2 * vuid_of(part) + usize::from(has_stage)];
    let finding = Finding::new(rule, offset, message).vuid(vuid);
    problems.add(part, finding, vec![note_entry(part)]);
}
