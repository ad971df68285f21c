//! The locations of what stages hand to each other (Vulkan, "Location and
//! Component Assignment").

use hashbrown::{HashMap, HashSet};

use spirvkit_binary::Id;
use spirvkit_grammar::{Decoration, ExecutionModel, StorageClass};

use super::listed::{self, Listed};
use super::places::{self, Budget, MAX, Piece, Place};
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
        return all(stage_variables(m, entry).map(|listed| {
            let Some(ty) = listed.ty else {
                return Ok(());
            };
            check_built_in_block(m, &listed, m.without_arrays(ty))
        }));
    }
    let mut taken: Vec<Taken> = Vec::new();
    let placed =
        all(stage_variables(m, entry).map(|listed| place(m, entry, &listed, &mut taken, budget)));
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

/// The inputs and outputs that an entry point lists, each once.
fn stage_variables<'m, 'a>(
    m: &'m Module<'a>,
    entry: &'m EntryPoint<'a>,
) -> impl Iterator<Item = Listed<'a>> + use<'m, 'a> {
    let mut seen = HashSet::new();
    listed::variables(m, entry).filter(move |listed| {
        let is_stage = matches!(listed.class, StorageClass::Input | StorageClass::Output);
        is_stage && seen.insert(listed.id.0)
    })
}

/// A structure of built-ins must be a block.
fn check_built_in_block(m: &Module<'_>, listed: &Listed<'_>, inner: Id) -> CheckResult {
    let facts = m.structure_facts(inner);
    if !facts.has_built_ins || facts.is_block {
        return Ok(());
    }
    let message = format!(
        "the members of {} are built-ins, so it must be decorated with `Block` to be in an interface",
        m.name(inner)
    );
    let finding = Finding::new(&interface::BUILT_IN_BLOCK, m.def_offset(inner), message);
    Err(finding.at(listed.inst.offset(), "an entry point lists this variable"))
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
    let at = Place::of(m, listed.id);
    if at.built_in.is_some() {
        return Ok(());
    }
    if at.index.is_some() && (!is_output || entry.model != ExecutionModel::Fragment) {
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
    let Some(mut ty) = listed.ty else {
        return Ok(());
    };
    if let Type::Array { element, .. } | Type::RuntimeArray { element } = m.ty(ty)
        && at.is_arrayed(entry.model, listed.class)
    {
        ty = element;
    }
    let inner = m.without_arrays(ty);
    let facts = m.structure_facts(inner);
    if facts.has_built_ins {
        return check_built_in_block(m, listed, inner);
    }
    let is_block = facts.is_block;
    if at.location.is_none() && !is_block {
        let vuid = interface::LOCATION_MISSING.vuids[usize::from(m.is_struct(inner))];
        let message = format!("{} needs a `Location`", m.name(listed.id));
        return Err(
            Finding::new(&interface::LOCATION_MISSING, listed.inst.offset(), message)
                .vuid(vuid)
                .at(entry.inst.offset(), "it is listed here"),
        );
    }
    let (is_patch, index) = (at.is_patch, at.index.unwrap_or(0));
    let mut add = |location: u32, at: &Place, pieces: &[Piece]| {
        taken.extend(pieces.iter().enumerate().map(|(step, piece)| Taken {
            space: (is_output, is_patch, index, at.stream),
            location: u64::from(location) + step as u64,
            components: piece.mask().checked_shl(at.component).unwrap_or(0) & 0xf,
            variable: listed.id,
        }));
    };
    let mut pieces = Vec::new();
    if let Some(location) = at.location {
        flatten(m, listed, ty, &mut pieces, budget)?;
        add(location, &at, &pieces);
        return Ok(());
    }
    let members = m.members(inner);
    if !budget.spend(4 * members.len()) {
        return Ok(());
    }
    let places = at.of_members(m, inner);
    all(places
        .iter()
        .zip(members)
        .enumerate()
        .map(|(number, (place, &member))| {
            let Some(location) = place.location else {
                let message = format!("member {number} of {} needs a `Location`", m.name(inner));
                let finding = Finding::new(
                    &interface::MEMBER_LOCATION_MISSING,
                    m.def_offset(inner),
                    message,
                );
                return Err(finding.about(m, listed.id, "the block is used here"));
            };
            pieces.clear();
            flatten(m, listed, Id(member), &mut pieces, budget)?;
            add(location, place, &pieces);
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
    pieces: &mut Vec<Piece>,
    budget: &mut Budget,
) -> CheckResult {
    let mut found = Ok(());
    let see = |ty| {
        found = all([
            std::mem::replace(&mut found, Ok(())),
            check_members(m, listed, ty),
        ])
    };
    let length = |ty| m.array_length(ty).unwrap_or(1);
    let flat = places::flatten(m, ty, length, see, pieces, budget).map_err(|ty| {
        let message = format!(
            "{} has a `Location`, so it can't hold {}",
            m.name(listed.id),
            m.show_type(ty)
        );
        Finding::new(&interface::LOCATION_TYPE, listed.inst.offset(), message)
    });
    all([found, flat])
}
