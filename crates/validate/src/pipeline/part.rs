//! An entry point as one stage of a pipeline.

use std::cell::OnceCell;

use spirvkit_analysis::layout::{Layouts, Rules, Types};
use spirvkit_binary::Id;
use spirvkit_diagnostics::closest;
use spirvkit_grammar::{ExecutionMode, ExecutionModel};

use super::{Stage, graphs};
use crate::finding::Finding;
use crate::module::{EntryPoint, Inst, Lookup, Module, Type, shorten};
use crate::rules::generated::pipeline;

/// An entry point as one stage.
pub(super) struct Part<'m, 'a> {
    /// The number of the given stage that it is of.
    pub(super) stage: usize,
    pub(super) m: &'m Module<'a>,
    types: &'m Types<'m>,
    layouts: &'m OnceCell<Layouts>,
    pub(super) entry: EntryPoint<'a>,
    /// What specialization changes, by id.
    constants: &'m [(Id, u64)],
}

/// Execution models in the order in which a pipeline runs them, with what they are called.
const MODELS: &[(ExecutionModel, &str)] = &[
    (ExecutionModel::Vertex, "vertex shader"),
    (
        ExecutionModel::TessellationControl,
        "tessellation control shader",
    ),
    (
        ExecutionModel::TessellationEvaluation,
        "tessellation evaluation shader",
    ),
    (ExecutionModel::Geometry, "geometry shader"),
    (ExecutionModel::TaskNV, "task shader"),
    (ExecutionModel::TaskEXT, "task shader"),
    (ExecutionModel::MeshNV, "mesh shader"),
    (ExecutionModel::MeshEXT, "mesh shader"),
    (ExecutionModel::Fragment, "fragment shader"),
    (ExecutionModel::GLCompute, "compute shader"),
    (ExecutionModel::RayGenerationKHR, "ray generation shader"),
    (ExecutionModel::IntersectionKHR, "intersection shader"),
    (ExecutionModel::AnyHitKHR, "any-hit shader"),
    (ExecutionModel::ClosestHitKHR, "closest-hit shader"),
    (ExecutionModel::MissKHR, "miss shader"),
    (ExecutionModel::CallableKHR, "callable shader"),
    (ExecutionModel::Kernel, "kernel"),
];

impl Part<'_, '_> {
    pub(super) fn model(&self) -> ExecutionModel {
        self.entry.model
    }

    /// Its place in the order of the pipeline.
    pub(super) fn order(&self) -> usize {
        let index = MODELS.iter().position(|it| it.0 == self.entry.model);
        index.unwrap_or(MODELS.len())
    }

    /// What kind of shader it is, in words.
    pub(super) fn kind(&self) -> &'static str {
        MODELS.get(self.order()).map_or("shader", |it| it.1)
    }

    /// The name of the entry point, for messages.
    pub(super) fn name(&self) -> String {
        shorten(&self.entry.name())
    }

    /// What kind of shader it is, with its name.
    pub(super) fn title(&self) -> String {
        format!("{} \"{}\"", self.kind(), self.name())
    }

    /// The number that a constant is, once specialized; of a negative one the bits.
    pub(super) fn number(&self, constant: Id) -> Option<u64> {
        number(self.constants, self.types, constant)
    }

    /// Whether a boolean constant is true, once specialized.
    pub(super) fn is_true(&self, constant: Id) -> bool {
        self.number(constant).is_some_and(|number| number != 0)
    }

    /// How many elements an array has; nothing if that is decided at run time.
    pub(super) fn length(&self, array: Id) -> Option<u64> {
        match self.m.ty(array) {
            Type::Array { length, .. } => self.number(length),
            _ => None,
        }
    }

    /// An array's elements; other types themselves.
    pub(super) fn element(&self, ty: Id) -> Id {
        element(self.m, ty)
    }

    /// How blocks are laid out.
    pub(super) fn layouts(&self) -> &Layouts {
        let make = || self.types.lay_out(Rules::Explicit);
        self.layouts.get_or_init(make)
    }

    /// Its first mode of this kind.
    pub(super) fn mode(&self, mode: ExecutionMode) -> Option<Inst<'_>> {
        let mut modes = self.m.execution_modes(self.entry.function);
        modes.find(|inst| ExecutionMode(inst.arg(1)) == mode)
    }
}

/// The entry points of a stage that are meant.
pub(super) fn parts<'m, 'a>(
    number: usize,
    stage: &'m Stage<'a>,
    m: &'m Module<'a>,
    (types, layouts): (&'m Types<'m>, &'m OnceCell<Layouts>),
) -> Vec<Part<'m, 'a>> {
    let is_named = |entry: &EntryPoint<'_>| match &stage.entry_point {
        None => true,
        Some(name) => entry.name() == *name,
    };
    let is_meant = |entry: &&EntryPoint<'_>| {
        stage.model.is_none_or(|model| model == entry.model) && is_named(entry)
    };
    let parts = m.entry_points.iter().filter(is_meant).map(|&entry| Part {
        stage: number,
        m,
        types,
        layouts,
        entry,
        constants: &stage.constants,
    });
    parts.collect()
}

/// The number that a constant is, with these values instead of their own; those are in the order of
/// ids.
pub(super) fn number(special: &[(Id, u64)], types: &Types<'_>, constant: Id) -> Option<u64> {
    match special.binary_search_by_key(&constant, |it| it.0) {
        Ok(index) => Some(special[index].1),
        Err(_) => types.constant(constant)?.known(),
    }
}

/// An array's elements; other types themselves.
pub(super) fn element(m: &Module<'_>, ty: Id) -> Id {
    match m.ty(ty) {
        Type::Array { element, .. } | Type::RuntimeArray { element } => element,
        _ => ty,
    }
}

/// Says that a module has no such entry point.
pub(super) fn nothing_meant(stage: &Stage<'_>, m: &Module<'_>) -> Finding {
    let what = match (&stage.entry_point, stage.model) {
        (None, None) => "no entry point".to_owned(),
        (Some(name), None) => format!("no entry point \"{}\"", shorten(name)),
        (None, Some(model)) => format!("no entry point of the model `{model}`"),
        (Some(name), Some(model)) => {
            let name = shorten(name);
            format!("no entry point \"{name}\" of the model `{model}`")
        }
    };
    let of_shaders = m.entry_points.iter().map(|it| (it.name(), it.inst));
    let of_graphs = graphs::entries(m).map(|it| (graphs::name_of(it), it));
    let all: Vec<(String, Inst<'_>)> = of_shaders.chain(of_graphs).take(100).collect();
    let has_only_graphs = m.entry_points.is_empty() && !all.is_empty();
    let rule = &pipeline::ENTRY_POINT;
    let mut finding = Finding::new(rule, 0, format!("the module has {what}"));
    finding = finding.vuid(rule.vuids[usize::from(has_only_graphs)]);
    let names: Vec<String> = all.iter().map(|it| shorten(&it.0)).collect();
    if let Some(name) = &stage.entry_point
        && let Some(like) = closest(name, names.iter().map(String::as_str))
    {
        finding = finding.help(format!("did you mean \"{like}\"?"));
    }
    match all.first() {
        Some((_, first)) => finding.at(first.offset(), "it has this entry point"),
        None => finding,
    }
}
