//! What mesh shaders write (`VK_EXT_mesh_shader`, the section "Mesh Shader Output").

use std::rc::Rc;

use hashbrown::{HashMap, HashSet};

use spirvkit_analysis::index::{Decorated, EntryPoint};
use spirvkit_analysis::{Lookup, ModuleIndex, Type};
use spirvkit_binary::Id;
use spirvkit_grammar::{BuiltIn, Decoration, ExecutionMode, StorageClass};

use super::{CallTrees, Term, declarations, limit};

/// What is needed to count outputs.
pub(super) struct Outputs {
    /// How many locations types take.
    locations: HashMap<Id, u64>,
    /// What variables take, if they are outputs.
    known: HashMap<Id, Option<Rc<Output>>>,
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
        Self {
            locations,
            known: HashMap::new(),
        }
    }

    /// What the outputs of an entry point take: for each of its vertices, and of its primitives.
    pub(super) fn terms(&mut self, trees: &mut CallTrees<'_>, entry: &EntryPoint<'_>) -> Vec<Term> {
        let m = trees.m;
        let mut of_vertices = Taken::default();
        let mut of_primitives = Taken::default();
        let mut seen = HashSet::new();
        for &variable in entry.interface.iter().filter(|&&it| seen.insert(it)) {
            let Some(output) = self.output(m, Id(variable)) else {
                continue;
            };
            // Many entry points may have the same large output.
            if !trees.take(1 + output.taken.ranges.len()) {
                return Vec::new();
            }
            match output.is_of_primitive {
                true => of_primitives.add(&output.taken),
                false => of_vertices.add(&output.taken),
            }
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
            let size = taken.count().saturating_mul(LOCATION_BYTES);
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

    /// What an output takes, if a variable is one.
    fn output(&mut self, m: &ModuleIndex<'_>, variable: Id) -> Option<Rc<Output>> {
        if let Some(known) = self.known.get(&variable) {
            return known.clone();
        }
        let output = self.find(m, variable).map(Rc::new);
        self.known.insert(variable, output.clone());
        output
    }

    fn find(&self, m: &ModuleIndex<'_>, variable: Id) -> Option<Output> {
        let ty = m.type_of(variable)?;
        if m.pointer_class(ty) != Some(StorageClass::Output) {
            return None;
        }
        let Type::Array { element, .. } = m.ty(m.pointee(ty)?) else {
            return None;
        };
        let is_of_primitive = m.has_decoration_anywhere(variable, Decoration::PerPrimitiveEXT)
            || m.has_decoration_anywhere(element, Decoration::PerPrimitiveEXT);
        Some(Output {
            is_of_primitive,
            taken: self.taken(m, variable, element),
        })
    }

    /// What the elements of an output take.
    fn taken(&self, m: &ModuleIndex<'_>, variable: Id, element: Id) -> Taken {
        let of = |ty: Id| self.locations.get(&ty).copied().unwrap_or_default();
        let mut taken = Taken::default();
        let own = Place::of(m.own_decorations(variable));
        if let Some(built_in) = own.built_in {
            taken.built_ins = taken_by_built_in(built_in, of(element));
            return taken;
        }
        let mut next = own.location;
        if !m.is_struct(element) {
            let range = next.map(|at| (at, at.saturating_add(of(element))));
            taken.ranges.extend(range);
            return taken;
        }
        let mut members: HashMap<u32, Vec<Decorated<'_>>> = HashMap::new();
        for decorated in m.decorations(element) {
            if let Some(member) = decorated.member {
                members.entry(member).or_default().push(decorated);
            }
        }
        for (index, &member) in (0u32..).zip(m.members(element)) {
            let count = of(Id(member));
            let own = Place::of(members.remove(&index).into_iter().flatten());
            if let Some(built_in) = own.built_in {
                let more = taken_by_built_in(built_in, count);
                taken.built_ins = taken.built_ins.saturating_add(more);
            } else if let Some(at) = own.location.or(next) {
                let end = at.saturating_add(count);
                taken.ranges.push((at, end));
                next = Some(end);
            }
        }
        taken.ranges = merged(taken.ranges);
        taken
    }
}

/// An output of vertices or of primitives.
struct Output {
    is_of_primitive: bool,
    taken: Taken,
}

/// What is taken of each vertex or primitive: locations from one number to before another, and
/// those of built-ins.
#[derive(Default)]
struct Taken {
    built_ins: u64,
    ranges: Vec<(u64, u64)>,
}

impl Taken {
    fn add(&mut self, other: &Self) {
        self.built_ins = self.built_ins.saturating_add(other.built_ins);
        self.ranges.extend_from_slice(&other.ranges);
    }

    /// How many locations are taken, each once.
    fn count(self) -> u64 {
        let ranges = merged(self.ranges).into_iter();
        let counts = ranges.map(|(from, to)| to - from);
        counts.fold(self.built_ins, u64::saturating_add)
    }
}

/// Ranges, each number of which is in one.
fn merged(mut ranges: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    ranges.sort_unstable();
    let mut merged: Vec<(u64, u64)> = Vec::new();
    for (from, to) in ranges {
        match merged.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => merged.push((from, to)),
        }
    }
    merged
}

/// What decorations say of where an output is.
#[derive(Default)]
struct Place {
    location: Option<u64>,
    built_in: Option<BuiltIn>,
}

impl Place {
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
fn taken_by_built_in(built_in: BuiltIn, locations: u64) -> u64 {
    match built_in {
        BuiltIn::PrimitivePointIndicesEXT
        | BuiltIn::PrimitiveLineIndicesEXT
        | BuiltIn::PrimitiveTriangleIndicesEXT => 0,
        _ => locations.div_ceil(4).max(1),
    }
}
