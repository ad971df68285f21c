//! What entry points need by their models, modes and interfaces.

use hashbrown::HashSet;

use spirvkit_analysis::index::EntryPoint;
use spirvkit_analysis::{Lookup, ModuleIndex, Type};
use spirvkit_binary::Id;
use spirvkit_grammar::{
    BuiltIn, Capability, Decoration, ExecutionMode as Mode, ExecutionModel as Model, Op,
    StorageClass,
};

use super::{CallTrees, Need, Wanted, feature, points, property};

/// What a built-in in the interface of a model needs, if it has a mode.
struct Row {
    model: Model,
    class: StorageClass,
    built_in: BuiltIn,
    mode: Option<Mode>,
    what: &'static str,
    wanted: fn() -> Wanted,
    vuid: &'static str,
}

const BUILT_INS: [Row; 2] = [
    Row {
        model: Model::Fragment,
        class: StorageClass::Input,
        built_in: BuiltIn::FullyCoveredEXT,
        mode: Some(Mode::PostDepthCoverage),
        what: "`FullyCoveredEXT` with the mode `PostDepthCoverage`",
        wanted: || property("conservativeRasterizationPostDepthCoverage"),
        vuid: "VUID-FullyCoveredEXT-conservativeRasterizationPostDepthCoverage-04235",
    },
    Row {
        model: Model::MeshEXT,
        class: StorageClass::Output,
        built_in: BuiltIn::PrimitiveShadingRateKHR,
        mode: None,
        what: "`PrimitiveShadingRateKHR` in a mesh shader",
        wanted: || feature("primitiveFragmentShadingRateMeshShader"),
        vuid: "VUID-PrimitiveShadingRateKHR-PrimitiveShadingRateKHR-12275",
    },
];

/// The features by which stages shade tiles, with their rules.
const TILES: [(Model, &str, &str); 2] = [
    (
        Model::GLCompute,
        "tileShading",
        "VUID-RuntimeSpirv-TileShadingQCOM-10698",
    ),
    (
        Model::Fragment,
        "tileShadingFragmentStage",
        "VUID-RuntimeSpirv-TileShadingQCOM-10699",
    ),
];

pub(super) fn add(m: &ModuleIndex<'_>, trees: &mut CallTrees<'_>, all: &mut Vec<Need>) {
    let is_mesh = |model| matches!(model, Model::MeshEXT | Model::MeshNV);
    let has_meshes = m.entry_points.iter().any(|entry| is_mesh(entry.model));
    let functions = m.functions.iter();
    let sets = functions.map(|it| has_meshes && sets_outputs(m, it.range.clone()));
    let sets: Vec<bool> = sets.collect();
    let built_ins = BuiltIns::new(m);
    let mut sizes = points::Writes::default();
    for entry in &m.entry_points {
        let mut add = |vuid, what: String, wanted| {
            all.push(Need {
                offset: entry.inst.offset(),
                vuid,
                what,
                wanted,
            });
        };
        if m.has(Capability::TileShadingQCOM) {
            for (_, name, vuid) in TILES.iter().filter(|it| it.0 == entry.model) {
                let what = format!("shading tiles in the stage `{}`", entry.model);
                add(vuid, what, feature(name));
            }
        }
        let rows = BUILT_INS.iter().filter(|row| {
            let has_mode = |mode| m.has_execution_mode(entry.function, mode);
            row.model == entry.model && row.mode.is_none_or(has_mode)
        });
        for row in rows {
            if built_ins.find(m, entry, row.class, row.built_in).is_some() {
                add(row.vuid, row.what.to_owned(), (row.wanted)());
            }
        }
        let size = built_ins.find(m, entry, StorageClass::Output, BuiltIn::PointSize);
        if let Some(output) = size {
            all.extend(sizes.add(m, entry, output, trees));
        }
        if !is_mesh(entry.model)
            || !m.has_execution_mode(entry.function, Mode::OutputPoints)
            || size.is_some()
        {
            continue;
        }
        let tree = trees.of(entry.function);
        if tree.is_some_and(|tree| tree.iter().any(|&function| sets[function as usize])) {
            all.push(Need {
                offset: entry.inst.offset(),
                vuid: "VUID-RuntimeSpirv-MeshEXT-09218",
                what: "a mesh shader that writes points without `PointSize`".to_owned(),
                wanted: feature("maintenance5"),
            });
        }
    }
}

/// Whether a function says that there are points, unless it depends on more than constants.
fn sets_outputs(m: &ModuleIndex<'_>, range: std::ops::Range<u32>) -> bool {
    m.instructions(range).any(|inst| {
        let is_some = |index| {
            m.constant_u64(inst.id(index))
                .is_some_and(|count| count > 0)
        };
        inst.op() == Op::SetMeshOutputsEXT && is_some(0) && is_some(1)
    })
}

/// Variables, and blocks of which a member is, that are built-ins.
struct BuiltIns(HashSet<(Id, u32)>);

impl BuiltIns {
    fn new(m: &ModuleIndex<'_>) -> Self {
        let all = m.all_decorated_with(Decoration::BuiltIn);
        Self(all.map(|(id, it)| (id, it.param(0))).collect())
    }

    /// The variable of a storage class in an interface that is this built-in, or has it as a member.
    fn find(
        &self,
        m: &ModuleIndex<'_>,
        entry: &EntryPoint<'_>,
        class: StorageClass,
        built_in: BuiltIn,
    ) -> Option<Id> {
        let mut all = entry.interface.iter().map(|&id| Id(id));
        all.find(|&id| {
            let pointer = m.type_of(id);
            let Some(pointer) = pointer.filter(|&ty| m.pointer_class(ty) == Some(class)) else {
                return false;
            };
            let mut ty = m.pointee(pointer).unwrap_or(pointer);
            if let Type::Array { element, .. } = m.ty(ty) {
                ty = element;
            }
            [id, ty]
                .iter()
                .any(|&it| self.0.contains(&(it, built_in.0)))
        })
    }
}
