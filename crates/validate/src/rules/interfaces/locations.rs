//! The locations of what stages hand to each other (Vulkan, "Location and
//! Component Assignment").

use hashbrown::{HashMap, HashSet};

use spirvkit_binary::Id;
use spirvkit_grammar::{Decoration, ExecutionModel, StorageClass};

use super::arrays::is_arrayed;
use super::listed::{self, Listed};
use crate::finding::{CheckResult, Finding, Reporter, all};
use crate::module::{EntryPoint, Lookup, Module, Type};
use crate::rules::generated::interface;

/// Checks the locations of tile images.
pub(super) fn check_tile_images(m: &Module<'_>, reporter: &mut Reporter) {
    for inst in m.globals.iter().filter_map(|&offset| m.inst(offset)) {
        if StorageClass(inst.arg(0)) != StorageClass::TileImageEXT {
            continue;
        }
        let Some(id) = inst.result() else { continue };
        if !m.is_decorated(id, Decoration::Location) {
            let message = format!("{}, a tile image, needs a `Location`", m.name(id));
            reporter.add(Finding::new(
                &interface::TILE_IMAGE_LOCATION,
                inst.offset(),
                message,
            ));
        }
    }
    for entry in &m.entry_points {
        let mut seen = HashMap::new();
        for listed in listed::variables(m, entry) {
            if listed.class != StorageClass::TileImageEXT {
                continue;
            }
            let Some(location) = m.decoration(listed.id, Decoration::Location) else {
                continue;
            };
            let count = match listed.ty.map(|ty| m.ty(ty)) {
                Some(Type::Array { length, .. }) => m.constant_u64(length).unwrap_or(1),
                _ => 1,
            };
            let first = u64::from(location.param(0));
            for location in first..first.saturating_add(count.min(MAX as u64)) {
                let Some(other) = seen.insert(location, listed.id) else {
                    continue;
                };
                if other != listed.id {
                    let message = format!(
                        "the tile images {} and {} share location {location}",
                        m.name(other),
                        m.name(listed.id)
                    );
                    reporter.add(Finding::new(
                        &interface::TILE_IMAGE_LOCATION,
                        listed.inst.offset(),
                        message,
                    ));
                    return;
                }
            }
        }
    }
}

/// Locations beyond so many of one variable are not looked at: no
/// implementation has as many.
const MAX: usize = 4096;

/// How much there may still be to look at in a module. A variable listed by many
/// entry points may hold very much each time; beyond all sense, what comes is left
/// unchecked.
pub(super) struct Budget(usize);

impl Budget {
    pub(super) fn of(m: &Module<'_>) -> Self {
        Self(m.words.len().saturating_mul(6).saturating_add(1 << 18))
    }

    fn spend(&mut self, steps: usize) -> bool {
        let left = self.0.checked_sub(steps);
        self.0 = left.unwrap_or(0);
        left.is_some()
    }
}

/// A location as one variable takes it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Taken {
    /// Output rather than input, per patch, index, stream: what is apart from
    /// each other has its own locations.
    space: (bool, bool, u32, u32),
    location: u64,
    /// One bit for each of the four components.
    components: u8,
    variable: Id,
}

/// Checks the locations of an entry point's variables.
pub(super) fn check(m: &Module<'_>, entry: &EntryPoint<'_>, budget: &mut Budget) -> CheckResult {
    let has_locations = matches!(
        entry.model,
        ExecutionModel::Vertex
            | ExecutionModel::TessellationControl
            | ExecutionModel::TessellationEvaluation
            | ExecutionModel::Geometry
            | ExecutionModel::Fragment
    );
    if !has_locations {
        return Ok(());
    }
    let mut taken: Vec<Taken> = Vec::new();
    let mut seen = HashSet::new();
    let placed = all(listed::variables(m, entry).map(|listed| {
        let is_stage = matches!(listed.class, StorageClass::Input | StorageClass::Output);
        match is_stage && seen.insert(listed.id.0) {
            true => place(m, entry, &listed, &mut taken, budget),
            false => Ok(()),
        }
    }));
    let interpolations = match entry.model {
        ExecutionModel::Fragment => check_interpolation(m, entry, &mut taken),
        _ => Ok(()),
    };
    taken.sort_unstable();
    // Two variables may meet in many locations.
    let mut reported = HashSet::new();
    let conflicts = taken
        .chunk_by(|a, b| (a.space, a.location) == (b.space, b.location))
        .filter_map(|group| conflict(m, entry, group, &mut reported))
        .map(Err);
    all([placed, interpolations, all(conflicts)])
}

/// The decorations that say how an input of a fragment shader is interpolated, a bit for each.
fn interpolation(m: &Module<'_>, variable: Id) -> u32 {
    let decorations = [
        Decoration::PerVertexKHR,
        Decoration::Flat,
        Decoration::NoPerspective,
        Decoration::Sample,
        Decoration::Centroid,
    ];
    m.own_decorations(variable).fold(0, |bits, it| {
        let bit = decorations.iter().position(|&each| each == it.decoration);
        bit.map_or(bits, |bit| bits | 1 << bit)
    })
}

/// Checks that the inputs of a fragment shader that share a location are interpolated alike.
/// Members of blocks have decorations of their own.
fn check_interpolation(m: &Module<'_>, entry: &EntryPoint<'_>, taken: &mut [Taken]) -> CheckResult {
    taken.sort_unstable_by_key(|item| (item.space.0, item.location, item.variable));
    let inputs = taken.iter().filter(|item| !item.space.0);
    let mut last: Option<(&Taken, u32)> = None;
    let mut known: HashMap<Id, Option<u32>> = HashMap::new();
    for item in inputs {
        let own = known.entry(item.variable).or_insert_with(|| {
            let ty = m.type_of(item.variable).and_then(|ty| m.pointee(ty));
            let is_block = ty.is_some_and(|ty| m.is_struct(m.without_arrays(ty)));
            (!is_block).then(|| interpolation(m, item.variable))
        });
        let Some(own) = *own else {
            continue;
        };
        if let Some((other, bits)) = last.replace((item, own))
            && other.location == item.location
            && bits != own
        {
            let message = format!(
                "{} and {} share input location {}, but not how they are interpolated",
                m.name(other.variable),
                m.name(item.variable),
                item.location
            );
            let rule = &interface::VULKAN_SHARED_LOCATION;
            let finding = Finding::new(rule, entry.inst.offset(), message).warning();
            let finding = finding.about(m, other.variable, "one is declared here");
            return Err(finding.about(m, item.variable, "the other is declared here"));
        }
    }
    Ok(())
}

/// What is wrong if two of the variables that take components of a location take
/// the same one, unless that was reported of these two.
fn conflict(
    m: &Module<'_>,
    entry: &EntryPoint<'_>,
    group: &[Taken],
    reported: &mut HashSet<(u32, u32)>,
) -> Option<Finding> {
    let mut components = 0;
    for item in group {
        let shared = components & item.components;
        components |= item.components;
        if shared == 0 {
            continue;
        }
        let other = group
            .iter()
            .find(|other| other.components & item.components != 0 && *other != item)
            .unwrap_or(item);
        if !reported.insert((other.variable.0, item.variable.0)) {
            return None;
        }
        let kind = if item.space.0 { "output" } else { "input" };
        let message = format!(
            "entry point \"{}\" has two variables at component {} of {kind} location {}",
            entry.name(),
            shared.trailing_zeros(),
            item.location
        );
        let vuid = match (item.space.0, entry.model) {
            (true, ExecutionModel::Fragment) => "VUID-StandaloneSpirv-Output-10587",
            (is_output, _) => interface::LOCATION_CONFLICT.vuids[usize::from(is_output)],
        };
        let finding =
            Finding::new(&interface::LOCATION_CONFLICT, entry.inst.offset(), message).vuid(vuid);
        let finding = finding.about(m, other.variable, "one is declared here");
        return Some(finding.about(m, item.variable, "the other is declared here"));
    }
    None
}

/// Notes the locations that a variable takes.
fn place(
    m: &Module<'_>,
    entry: &EntryPoint<'_>,
    listed: &Listed<'_>,
    taken: &mut Vec<Taken>,
    budget: &mut Budget,
) -> CheckResult {
    let is_output = listed.class == StorageClass::Output;
    let (mut location, mut component, mut index, mut stream) = (None, 0, 0, 0);
    let (mut is_patch, mut is_per_vertex) = (false, false);
    for decorated in m.own_decorations(listed.id) {
        match decorated.decoration {
            Decoration::BuiltIn => return Ok(()),
            Decoration::Location => location = Some(decorated.param(0)),
            Decoration::Component => component = decorated.param(0),
            Decoration::Index => {
                if !is_output || entry.model != ExecutionModel::Fragment {
                    let message = format!(
                        "{} has an `Index`, but is not an output of a fragment shader",
                        m.name(listed.id)
                    );
                    return Err(Finding::new(
                        &interface::INDEX,
                        listed.inst.offset(),
                        message,
                    ));
                }
                index = decorated.param(0);
            }
            Decoration::Stream => stream = decorated.param(0),
            Decoration::Patch => is_patch = true,
            Decoration::PerVertexKHR => is_per_vertex = true,
            _ => {}
        }
    }
    let Some(mut ty) = listed.ty else {
        return Ok(());
    };
    let is_arrayed = is_arrayed(entry.model, is_output, is_patch, is_per_vertex);
    if let Type::Array { element, .. } | Type::RuntimeArray { element } = m.ty(ty)
        && is_arrayed
    {
        ty = element;
    }
    let inner = m.without_arrays(ty);
    let facts = m.structure_facts(inner);
    if facts.has_built_ins && facts.is_block {
        return Ok(());
    }
    if facts.has_built_ins {
        let message = format!(
            "the members of {} are built-ins, so it must be decorated with `Block` to be in an interface",
            m.name(inner)
        );
        let finding = Finding::new(&interface::BUILT_IN_BLOCK, m.def_offset(inner), message);
        return Err(finding.at(listed.inst.offset(), "an entry point lists this variable"));
    }
    let is_block = facts.is_block;
    if location.is_none() && !is_block {
        let vuid = interface::LOCATION_MISSING.vuids[usize::from(m.is_struct(inner))];
        let message = format!("{} needs a `Location`", m.name(listed.id));
        return Err(
            Finding::new(&interface::LOCATION_MISSING, listed.inst.offset(), message)
                .vuid(vuid)
                .at(entry.inst.offset(), "it is listed here"),
        );
    }
    let mut add = |location: u64, component: u32, stream: u32, masks: &[u8]| {
        taken.extend(masks.iter().enumerate().map(|(step, mask)| Taken {
            space: (is_output, is_patch, index, stream),
            location: location + step as u64,
            components: mask.checked_shl(component).unwrap_or(0) & 0xf,
            variable: listed.id,
        }));
    };
    let mut masks = Vec::new();
    if let Some(location) = location {
        flatten(m, listed, ty, &mut masks, budget)?;
        add(location.into(), component, stream, &masks);
        return Ok(());
    }
    let members = m.members(inner);
    if !budget.spend(4 * members.len()) {
        return Ok(());
    }
    let mut places: Vec<(Option<u32>, u32, u32)> = vec![(None, 0, stream); members.len()];
    for decorated in m.decorations(inner) {
        let member = decorated
            .member
            .and_then(|index| places.get_mut(index as usize));
        let Some(place) = member else { continue };
        match decorated.decoration {
            Decoration::Location => place.0 = Some(decorated.param(0)),
            Decoration::Component => place.1 = decorated.param(0),
            Decoration::Stream => place.2 = decorated.param(0),
            _ => {}
        }
    }
    all(places
        .iter()
        .zip(members)
        .enumerate()
        .map(|(number, (place, &member))| {
            let Some(location) = place.0 else {
                let message = format!("member {number} of {} needs a `Location`", m.name(inner));
                let finding = Finding::new(
                    &interface::MEMBER_LOCATION_MISSING,
                    m.def_offset(inner),
                    message,
                );
                return Err(finding.about(m, listed.id, "the block is used here"));
            };
            masks.clear();
            flatten(m, listed, Id(member), &mut masks, budget)?;
            add(location.into(), place.1, place.2, &masks);
            Ok(())
        }))
}

/// Checks that the members of a structure have no locations, because what the
/// structure stands in has one.
fn check_members(m: &Module<'_>, listed: &Listed<'_>, ty: Id) -> CheckResult {
    let extra = m.decorations(ty).find(|decorated| {
        decorated.member.is_some() && decorated.decoration == Decoration::Location
    });
    let Some(extra) = extra else {
        return Ok(());
    };
    let message = format!(
        "{} has a `Location`, which gives the members of {} theirs, so these can't have any",
        m.name(listed.id),
        m.name(ty)
    );
    let finding = Finding::new(&interface::MEMBER_LOCATION_EXTRA, m.def_offset(ty), message);
    Err(finding.at(
        extra.inst.offset(),
        "the location of the member is given here",
    ))
}

/// The components that a type takes of each location, from the first on.
fn flatten(
    m: &Module<'_>,
    listed: &Listed<'_>,
    ty: Id,
    masks: &mut Vec<u8>,
    budget: &mut Budget,
) -> CheckResult {
    // Types, and how many of each.
    let mut todo = vec![(ty, 1)];
    let mut steps = 0;
    let mut seen = HashSet::new();
    let mut found = Ok(());
    while let Some((ty, times)) = todo.pop() {
        if times > 1 {
            todo.push((ty, times - 1));
        }
        steps += 1;
        if masks.len() >= MAX || steps > 16 * MAX || !budget.spend(1) {
            return found;
        }
        let count = match m.ty(ty) {
            Type::Int { .. } | Type::Float { .. } => 1,
            Type::Vector { count, .. } => count,
            Type::LongVector { .. } => m.dimension(ty).max(1),
            Type::Matrix { column, count } => {
                todo.extend((count > 0).then_some((column, u64::from(count))));
                continue;
            }
            Type::Array { element, .. } => {
                let count = m.array_length(ty).unwrap_or(1);
                todo.extend((count > 0).then_some((element, count)));
                continue;
            }
            Type::RuntimeArray { element } => {
                todo.push((element, 1));
                continue;
            }
            Type::Struct { members } => {
                if !budget.spend(members.len()) {
                    return found;
                }
                if seen.insert(ty.0) {
                    found = all([found, check_members(m, listed, ty)]);
                }
                let members = members.iter().take(MAX).rev();
                todo.extend(members.map(|&member| (Id(member), 1)));
                continue;
            }
            // That is said with another rule.
            Type::Pointer {
                class: StorageClass::PhysicalStorageBuffer,
                ..
            } => 2,
            Type::None => return Ok(()),
            _ => {
                let message = format!(
                    "{} has a `Location`, so it can't hold {}",
                    m.name(listed.id),
                    m.show_type(ty)
                );
                let finding =
                    Finding::new(&interface::LOCATION_TYPE, listed.inst.offset(), message);
                return all([found, Err(finding)]);
            }
        };
        let wide = m.bit_width(ty) == 64;
        let mut left = if wide { count.saturating_mul(2) } else { count };
        while left > 0 && masks.len() < MAX {
            let here = left.min(4);
            masks.push((1u8 << here) - 1);
            left -= here;
        }
    }
    found
}
