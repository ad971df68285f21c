//! What the built-ins of a mesh shader's interface must agree on with its
//! execution modes.

use hashbrown::HashMap;
use spirvkit_binary::Id;
use spirvkit_grammar::{BuiltIn, ExecutionMode, ExecutionModel};

use super::Seed;
use crate::finding::{Finding, Reporter};
use crate::module::{EntryPoint, Lookup, Module, Type};
use crate::rules::generated::builtin;

/// The execution mode that goes with a built-in's indices.
const TOPOLOGIES: &[(BuiltIn, ExecutionMode, &str)] = &[
    (
        BuiltIn::PrimitivePointIndicesEXT,
        ExecutionMode::OutputPoints,
        "VUID-PrimitivePointIndicesEXT-PrimitivePointIndicesEXT-07042",
    ),
    (
        BuiltIn::PrimitiveLineIndicesEXT,
        ExecutionMode::OutputLinesEXT,
        "VUID-PrimitiveLineIndicesEXT-PrimitiveLineIndicesEXT-07048",
    ),
    (
        BuiltIn::PrimitiveTriangleIndicesEXT,
        ExecutionMode::OutputTrianglesEXT,
        "VUID-PrimitiveTriangleIndicesEXT-PrimitiveTriangleIndicesEXT-07054",
    ),
];

/// The built-ins of which there is one for each primitive, with the rules about
/// arrays of them and about arrays of blocks with them.
const COUNTED: &[(BuiltIn, &str, &str)] = &[
    (
        BuiltIn::PrimitivePointIndicesEXT,
        "VUID-PrimitivePointIndicesEXT-PrimitivePointIndicesEXT-07046",
        "VUID-PrimitivePointIndicesEXT-PrimitivePointIndicesEXT-07046",
    ),
    (
        BuiltIn::PrimitiveLineIndicesEXT,
        "VUID-PrimitiveLineIndicesEXT-PrimitiveLineIndicesEXT-07052",
        "VUID-PrimitiveLineIndicesEXT-PrimitiveLineIndicesEXT-07052",
    ),
    (
        BuiltIn::PrimitiveTriangleIndicesEXT,
        "VUID-PrimitiveTriangleIndicesEXT-PrimitiveTriangleIndicesEXT-07058",
        "VUID-PrimitiveTriangleIndicesEXT-PrimitiveTriangleIndicesEXT-07058",
    ),
    (
        BuiltIn::CullPrimitiveEXT,
        "VUID-CullPrimitiveEXT-CullPrimitiveEXT-10589",
        "VUID-CullPrimitiveEXT-CullPrimitiveEXT-10590",
    ),
    (
        BuiltIn::Layer,
        "VUID-Layer-Layer-10593",
        "VUID-Layer-Layer-10594",
    ),
    (
        BuiltIn::PrimitiveId,
        "VUID-PrimitiveId-PrimitiveId-10596",
        "VUID-PrimitiveId-PrimitiveId-10597",
    ),
    (
        BuiltIn::PrimitiveShadingRateKHR,
        "VUID-PrimitiveShadingRateKHR-PrimitiveShadingRateKHR-10599",
        "VUID-PrimitiveShadingRateKHR-PrimitiveShadingRateKHR-10600",
    ),
    (
        BuiltIn::ViewportIndex,
        "VUID-ViewportIndex-ViewportIndex-10602",
        "VUID-ViewportIndex-ViewportIndex-10603",
    ),
];

/// Checks the interfaces of the mesh shaders.
pub(super) fn check(m: &Module<'_>, seeds: &[Seed], reporter: &mut Reporter) {
    let mut meshes = m
        .entry_points
        .iter()
        .filter(|entry| {
            matches!(
                entry.model,
                ExecutionModel::MeshEXT | ExecutionModel::MeshNV
            )
        })
        .peekable();
    if meshes.peek().is_none() {
        return;
    }
    let mut sorted: Vec<&Seed> = seeds.iter().collect();
    sorted.sort_by_key(|seed| seed.target);
    let mut known: HashMap<Id, Modes> = HashMap::new();
    for entry in meshes {
        let modes = known
            .entry(entry.function)
            .or_insert_with(|| Modes::of(m, entry));
        let (mut culls, mut culls_in_blocks) = (0, 0);
        for &variable in entry.interface {
            for (seed, is_block) in built_ins_of(m, &sorted, Id(variable)) {
                let is_cull = seed.built_in == BuiltIn::CullPrimitiveEXT;
                culls += u32::from(is_cull);
                culls_in_blocks += u32::from(is_cull && is_block);
                let finding = check_one(m, modes, seed, Id(variable), is_block);
                // A count that no mesh shader relies on does no harm.
                if let Err(finding) = finding
                    && (has_topology(seed.built_in) || is_used(m, Id(variable), entry.model))
                {
                    reporter.add(finding);
                    return;
                }
            }
        }
        // Of variables, [`super::entries`] says that none is repeated.
        if culls > 1 && culls_in_blocks > 0 {
            let message = format!(
                "the entry point's interface has `CullPrimitiveEXT` {culls} times, but may have it only once"
            );
            reporter.add(Finding::new(
                &builtin::ONE_CULL_PRIMITIVE,
                entry.inst.offset(),
                message,
            ));
            return;
        }
    }
}

/// What an entry point's execution modes say.
struct Modes {
    topology: Option<ExecutionMode>,
    primitives: Option<u32>,
}

impl Modes {
    fn of(m: &Module<'_>, entry: &EntryPoint<'_>) -> Self {
        let mut modes = Self {
            topology: None,
            primitives: None,
        };
        for inst in m.execution_modes(entry.function) {
            match ExecutionMode(inst.arg(1)) {
                ExecutionMode::OutputPrimitivesEXT => modes.primitives = Some(inst.arg(2)),
                mode if TOPOLOGIES.iter().any(|entry| entry.1 == mode) => {
                    modes.topology = Some(mode);
                }
                _ => {}
            }
        }
        modes
    }
}

/// The built-ins of a variable, or of the block that it is or has an array of.
fn built_ins_of<'s>(
    m: &Module<'_>,
    sorted: &'s [&'s Seed],
    variable: Id,
) -> impl Iterator<Item = (&'s Seed, bool)> {
    let pointee = m
        .type_of(variable)
        .and_then(|ty| m.pointee(ty))
        .unwrap_or(Id(0));
    let of = |target: Id| {
        let start = sorted.partition_point(|seed| seed.target < target);
        sorted[start..]
            .iter()
            .take_while(move |seed| seed.target == target)
    };
    of(variable)
        .map(|seed| (*seed, false))
        .chain(of(m.without_arrays(pointee)).map(|seed| (*seed, true)))
}

fn check_one(
    m: &Module<'_>,
    modes: &Modes,
    seed: &Seed,
    variable: Id,
    is_block: bool,
) -> Result<(), Finding> {
    let topology = TOPOLOGIES.iter().find(|entry| entry.0 == seed.built_in);
    if let Some(&(built_in, mode, vuid)) = topology
        && modes.topology != Some(mode)
    {
        let message = format!(
            "`{built_in}` needs the execution mode `{mode}`, which the entry point doesn't declare"
        );
        return Err(
            Finding::new(&builtin::MESH_TOPOLOGY, m.def_offset(variable), message)
                .at(seed.offset, "the built-in is given here")
                .vuid(vuid),
        );
    }
    check_indices_nv(m, modes, seed)?;
    let counted = COUNTED.iter().find(|entry| entry.0 == seed.built_in);
    let (Some(&(built_in, in_array, in_block)), Some(primitives)) = (counted, modes.primitives)
    else {
        return Ok(());
    };
    // The primitives are the innermost array of indices, but the outermost of
    // anything else.
    let ty = match has_topology(built_in) {
        true => seed.ty,
        false => m
            .type_of(variable)
            .and_then(|ty| m.pointee(ty))
            .unwrap_or(Id(0)),
    };
    let found = match (m.ty(ty), m.array_length(ty)) {
        (_, Some(length)) if length != u64::from(primitives) => length.to_string(),
        (Type::Struct { .. }, _) => "one".to_owned(),
        _ => return Ok(()),
    };
    let message = format!(
        "{} has {found} elements of `{built_in}`, but `OutputPrimitivesEXT` gives {primitives}",
        m.name(variable)
    );
    let vuid = if is_block { in_block } else { in_array };
    Err(
        Finding::new(&builtin::MESH_COUNT, m.def_offset(variable), message)
            .at(seed.offset, "the built-in is given here")
            .vuid(vuid),
    )
}

/// Checks the indices of `SPV_NV_mesh_shader`, which are in one flat array.
fn check_indices_nv(m: &Module<'_>, modes: &Modes, seed: &Seed) -> Result<(), Finding> {
    let (vertices, which) = match modes.topology {
        Some(ExecutionMode::OutputPoints) => (1, 0),
        Some(ExecutionMode::OutputLinesEXT) => (2, 1),
        Some(ExecutionMode::OutputTrianglesEXT) => (3, 2),
        _ => return Ok(()),
    };
    let (Some(primitives), Some(length)) = (modes.primitives, m.array_length(seed.ty)) else {
        return Ok(());
    };
    let needed = u64::from(primitives) * vertices;
    if seed.built_in != BuiltIn::PrimitiveIndicesNV || length == needed {
        return Ok(());
    }
    let message = format!(
        "{} has {length} elements, but {primitives} primitives of {vertices} each have {needed} indices",
        m.name(seed.target)
    );
    let vuids = [
        "VUID-PrimitiveIndicesNV-OutputPoints-04342",
        "VUID-PrimitiveIndicesNV-OutputLinesNV-04343",
        "VUID-PrimitiveIndicesNV-OutputTrianglesNV-04344",
    ];
    let offset = m.def_offset(seed.target);
    let finding = Finding::new(&builtin::MESH_COUNT, offset, message).vuid(vuids[which]);
    Err(finding.at(seed.offset, "the built-in is given here"))
}

/// Whether these are the indices of primitives.
fn has_topology(built_in: BuiltIn) -> bool {
    TOPOLOGIES.iter().any(|entry| entry.0 == built_in)
}

/// Whether a function that such shaders reach names the variable.
fn is_used(m: &Module<'_>, variable: Id, model: ExecutionModel) -> bool {
    m.uses(variable).iter().any(|&offset| {
        let function = m.function_at(offset);
        let function = function.and_then(|index| m.functions.get(index as usize));
        function.is_some_and(|function| function.models.contains(model))
    })
}
