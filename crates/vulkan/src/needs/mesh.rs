//! What mesh shaders write (`VK_EXT_mesh_shader`, the section "Mesh Shader Output").

use std::collections::{HashMap, HashSet};

use spirvkit_analysis::index::{Decorated, EntryPoint};
use spirvkit_analysis::{Lookup, ModuleIndex, Type};
use spirvkit_binary::Id;
use spirvkit_grammar::{BuiltIn, Decoration, ExecutionMode, StorageClass};

use super::{CallTrees, Term, declarations, limit};

/// What is needed to count outputs.
pub(super) struct Outputs {
    /// How many locations types take.
    locations: HashMap<Id, u64>,
}

/// What an output takes of each vertex or primitive: locations of its own, or one from a number on.
enum Taken {
    BuiltIn(u64),
    Locations(u64, u64),
}

/// A location has four components of four bytes.
const LOCATION_BYTES: u64 = 16;

impl Outputs {
    pub(super) fn new(m: &ModuleIndex<'_>) -> Self {
        let mut locations: HashMap<Id, u64> = HashMap::new();
        for inst in declarations(m) {
            let Some(id) = inst.result() else { continue };
            let of = |id: Id| locations.get(&id).copied().unwrap_or_default();
            let count = match m.ty(id) {
                Type::Int { .. } | Type::Float { .. } | Type::Bool => 1,
                Type::Vector { component, count } => {
                    1 + u64::from(m.bit_width(component) > 32 && count > 2)
                }
                Type::Matrix { column, count } => of(column).saturating_mul(count.into()),
                Type::Array { element, .. } => {
                    of(element).saturating_mul(m.array_length(id).unwrap_or_default())
                }
                Type::Struct { members } => members
                    .iter()
                    .map(|&member| of(Id(member)))
                    .fold(0, u64::saturating_add),
                _ => continue,
            };
            locations.insert(id, count);
        }
        Self { locations }
    }

    /// What the outputs of an entry point take: for each of its vertices, and of its primitives.
    pub(super) fn terms(&self, trees: &mut CallTrees<'_>, entry: &EntryPoint<'_>) -> Vec<Term> {
        let m = trees.m;
        let mut of_vertices = Vec::new();
        let mut of_primitives = Vec::new();
        let mut seen = HashSet::new();
        for &variable in entry.interface.iter().filter(|&&it| seen.insert(it)) {
            let variable = Id(variable);
            let Some(ty) = m.type_of(variable) else {
                continue;
            };
            if m.pointer_class(ty) != Some(StorageClass::Output) {
                continue;
            }
            let Some(Type::Array { element, .. }) = m.pointee(ty).map(|ty| m.ty(ty)) else {
                continue;
            };
            // Many entry points may have the same large output.
            if !trees.take(1 + m.decorations(element).count()) {
                return Vec::new();
            }
            let is_of_primitive = m.has_decoration_anywhere(variable, Decoration::PerPrimitiveEXT)
                || m.has_decoration_anywhere(element, Decoration::PerPrimitiveEXT);
            let found = match is_of_primitive {
                true => &mut of_primitives,
                false => &mut of_vertices,
            };
            self.add(m, variable, element, found);
        }
        let each = [
            (
                of_vertices,
                ExecutionMode::OutputVertices,
                "meshOutputPerVertexGranularity",
            ),
            (
                of_primitives,
                ExecutionMode::OutputPrimitivesEXT,
                "meshOutputPerPrimitiveGranularity",
            ),
        ];
        let terms = each.into_iter().filter_map(|(taken, mode, granularity)| {
            let size = locations_of(taken).saturating_mul(LOCATION_BYTES);
            let mut modes = m.execution_modes(entry.function);
            let count = modes
                .find(|it| ExecutionMode(it.arg(1)) == mode)?
                .optional(2)?;
            (size > 0).then_some(Term::Each {
                size,
                count: count.into(),
                granularity: limit(granularity)?,
            })
        });
        terms.collect()
    }

    /// Adds what the elements of an output take.
    fn add(&self, m: &ModuleIndex<'_>, variable: Id, element: Id, found: &mut Vec<Taken>) {
        let of = |ty: Id| self.locations.get(&ty).copied().unwrap_or_default();
        let own = Number::of(m.own_decorations(variable));
        if let Some(built_in) = own.built_in {
            found.extend(taken_by_built_in(built_in, of(element)));
            return;
        }
        let mut next = own.location;
        if !m.is_struct(element) {
            found.extend(next.map(|at| Taken::Locations(at, of(element))));
            return;
        }
        let mut members: HashMap<u32, Vec<Decorated<'_>>> = HashMap::new();
        for decorated in m.decorations(element) {
            if let Some(member) = decorated.member {
                members.entry(member).or_default().push(decorated);
            }
        }
        for (index, &member) in (0u32..).zip(m.members(element)) {
            let count = of(Id(member));
            let own = Number::of(members.remove(&index).into_iter().flatten());
            if let Some(built_in) = own.built_in {
                found.extend(taken_by_built_in(built_in, count));
            } else if let Some(at) = own.location.or(next) {
                found.push(Taken::Locations(at, count));
                next = Some(at.saturating_add(count));
            }
        }
    }
}

/// What decorations say of where an output is.
#[derive(Default)]
struct Number {
    location: Option<u64>,
    built_in: Option<BuiltIn>,
}

impl Number {
    fn of<'a>(decorations: impl Iterator<Item = Decorated<'a>>) -> Self {
        let mut found = Self::default();
        for each in decorations {
            match each.decoration {
                Decoration::Location => found.location = Some(each.param(0).into()),
                Decoration::BuiltIn => found.built_in = Some(BuiltIn(each.param(0))),
                _ => {}
            }
        }
        found
    }
}

/// What a built-in takes; the indices of primitives don't count. Distances of a vertex are
/// scalars, four of which fit into a location.
fn taken_by_built_in(built_in: BuiltIn, locations: u64) -> Option<Taken> {
    match built_in {
        BuiltIn::PrimitivePointIndicesEXT
        | BuiltIn::PrimitiveLineIndicesEXT
        | BuiltIn::PrimitiveTriangleIndicesEXT => None,
        _ => Some(Taken::BuiltIn(locations.div_ceil(4).max(1))),
    }
}

/// How many locations are taken, each once.
fn locations_of(taken: Vec<Taken>) -> u64 {
    let mut count = 0u64;
    let mut ranges = Vec::new();
    for each in taken {
        match each {
            Taken::BuiltIn(own) => count = count.saturating_add(own),
            Taken::Locations(at, own) => ranges.push((at, at.saturating_add(own))),
        }
    }
    ranges.sort_unstable();
    let mut end = 0;
    for (from, to) in ranges {
        count = count.saturating_add(to.saturating_sub(from.max(end)));
        end = end.max(to);
    }
    count
}
