//! Entry points: their stage, their modes, and what they use.

use std::collections::BTreeMap;

use spirvkit_analysis::index::Inst;
use spirvkit_analysis::layout::{self, Extent};
use spirvkit_analysis::{CallGraph, Lookup};
use spirvkit_binary::{Id, Value};
use spirvkit_grammar::{BuiltIn, Decoration, ExecutionMode, ExecutionModel, Op};

use crate::contents::Contents;
use crate::resources::Role;
#[cfg(feature = "serde")]
use crate::serial;
use crate::types::{Operand, OperandValue};

/// An entry point (specification, section 2.2.4).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct EntryPoint {
    /// Its name.
    pub name: String,
    /// Its execution model.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::name"))]
    pub model: ExecutionModel,
    /// The stage of a pipeline for which it is, if it is for one: `vertex`,
    /// `tessellation_control` and so on.
    pub stage: Option<&'static str>,
    /// Its function.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::id"))]
    pub function: Id,
    /// The variables that it lists.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::ids"))]
    pub interface: Vec<Id>,
    /// Its execution modes, but for those that say the size of a workgroup.
    pub execution_modes: Vec<Mode>,
    /// How many instructions with execution modes there are behind those, for which there
    /// was no room. Serialized only if there are any.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "serial::is_zero"))]
    pub execution_modes_left_out: usize,
    /// How many invocations a workgroup has.
    pub workgroup_size: Option<WorkgroupSize>,
    /// What the functions use that it reaches by calls; `None` if there are so many
    /// that it hasn't been worked out.
    pub uses: Option<Uses>,
}

/// An execution mode (specification, section 3.6).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Mode {
    /// Which.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::name"))]
    pub mode: ExecutionMode,
    /// With what operands.
    pub operands: Vec<Operand>,
}

/// How many invocations a workgroup has.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct WorkgroupSize {
    /// In x.
    pub x: Dimension,
    /// In y.
    pub y: Dimension,
    /// In z.
    pub z: Dimension,
    /// What says so. The built-in constant goes before the execution modes.
    pub source: WorkgroupSource,
}

/// What says the size of a workgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum WorkgroupSource {
    /// `LocalSize`.
    LocalSize,
    /// `LocalSizeId`.
    LocalSizeId,
    /// A constant that is decorated as `WorkgroupSize`.
    BuiltIn,
}

/// The size of a workgroup in one dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Dimension {
    /// How many.
    pub size: Extent,
    /// The constant that says so.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::maybe_id"))]
    pub id: Option<Id>,
    /// The number by which an API sets it, if it is a specialization constant.
    pub spec_id: Option<u32>,
}

/// The variables that an entry point uses: those that are operands of any instruction
/// of a function that it reaches (Vulkan, section "Static Use"). Each list is in the
/// order of the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Uses {
    /// Descriptors.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::ids"))]
    pub descriptors: Vec<Id>,
    /// Push constants.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::ids"))]
    pub push_constants: Vec<Id>,
    /// Inputs.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::ids"))]
    pub inputs: Vec<Id>,
    /// Outputs.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::ids"))]
    pub outputs: Vec<Id>,
    /// All others.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::ids"))]
    pub variables: Vec<Id>,
}

/// What an id takes that is listed, with what it takes to write it; also the step to a
/// function that lists some.
const LISTED: usize = 16;

/// The same of an execution mode and of each of its words.
const MODE: (usize, usize) = (64, 112);

/// The stage with this execution model, as Vulkan calls it.
fn stage(model: ExecutionModel) -> Option<&'static str> {
    Some(match model {
        ExecutionModel::Vertex => "vertex",
        ExecutionModel::TessellationControl => "tessellation_control",
        ExecutionModel::TessellationEvaluation => "tessellation_evaluation",
        ExecutionModel::Geometry => "geometry",
        ExecutionModel::Fragment => "fragment",
        ExecutionModel::GLCompute => "compute",
        ExecutionModel::Kernel => "kernel",
        ExecutionModel::TaskNV | ExecutionModel::TaskEXT => "task",
        ExecutionModel::MeshNV | ExecutionModel::MeshEXT => "mesh",
        ExecutionModel::RayGenerationKHR => "ray_generation",
        ExecutionModel::IntersectionKHR => "intersection",
        ExecutionModel::AnyHitKHR => "any_hit",
        ExecutionModel::ClosestHitKHR => "closest_hit",
        ExecutionModel::MissKHR => "miss",
        ExecutionModel::CallableKHR => "callable",
        _ => return None,
    })
}

/// What entry points are read with.
pub(crate) struct Reader<'r, 'a> {
    pub(crate) contents: &'r Contents<'a>,
    pub(crate) constants: &'r layout::Types<'a>,
    pub(crate) calls: &'r CallGraph<'a>,
    pub(crate) roles: &'r [Role],
}

impl Reader<'_, '_> {
    /// All entry points.
    pub(crate) fn entry_points(&self) -> Vec<EntryPoint> {
        let mut walk = self.calls.walk();
        let built_in = self.built_in_size();
        let mut sizes = BTreeMap::new();
        let mut list = Vec::new();
        for (number, entry) in (0u32..).zip(self.calls.entry_points()) {
            let (execution_modes, execution_modes_left_out) = self.modes(entry.function);
            let local_size = sizes.entry(entry.function);
            let local_size = local_size.or_insert_with(|| self.local_size(entry.function));
            let reached = match self.contents.is_cut() {
                true => None,
                false => Some(self.calls.reached_from(&mut walk, number)),
            };
            list.push(EntryPoint {
                name: entry.name(),
                model: entry.model,
                stage: stage(entry.model),
                function: entry.function,
                interface: entry.interface.iter().map(|&id| Id(id)).collect(),
                execution_modes,
                execution_modes_left_out,
                workgroup_size: built_in
                    .clone()
                    .filter(|_| entry.model.has_workgroups())
                    .or_else(|| local_size.clone()),
                uses: reached.and_then(|functions| self.uses(functions)),
            });
        }
        list
    }

    /// What these functions use.
    fn uses(&self, functions: &[u32]) -> Option<Uses> {
        let usage = &self.contents.usage;
        let mut found: Vec<u32> = Vec::new();
        for &function in functions {
            let own = usage.of_function(function as usize);
            let calls = self.calls.graph().successors(function).len();
            if !self.contents.take((1 + own.len() + calls) * LISTED) {
                return None;
            }
            found.extend(own);
        }
        found.sort_unstable();
        found.dedup();
        let mut uses = Uses::default();
        for number in found {
            let number = number as usize;
            let variable = self.contents.variables.get(number);
            if let (Some(variable), Some(role)) = (variable, self.roles.get(number)) {
                let list = match role {
                    Role::Descriptor => &mut uses.descriptors,
                    Role::PushConstant => &mut uses.push_constants,
                    Role::Input => &mut uses.inputs,
                    Role::Output => &mut uses.outputs,
                    Role::Other => &mut uses.variables,
                };
                list.push(variable.id);
            }
        }
        Some(uses)
    }

    /// The size of a workgroup that the execution modes of a function say.
    fn local_size(&self, function: Id) -> Option<WorkgroupSize> {
        let sizes = self.contents.index.execution_modes(function).rev();
        let mut sizes = sizes.filter_map(|mode| match *mode.args() {
            [_, mode, x, y, z, ..] => Some((ExecutionMode(mode), [x, y, z])),
            _ => None,
        });
        sizes.find_map(|(mode, size)| {
            Some(match mode {
                ExecutionMode::LocalSize => {
                    WorkgroupSize::new(size, WorkgroupSource::LocalSize, fixed)
                }
                ExecutionMode::LocalSizeId => {
                    let dimension = |id| self.dimension(Id(id));
                    WorkgroupSize::new(size, WorkgroupSource::LocalSizeId, dimension)
                }
                _ => return None,
            })
        })
    }

    /// The other execution modes of a function, and how many instructions are behind those
    /// for which there is room.
    fn modes(&self, function: Id) -> (Vec<Mode>, usize) {
        let index = &self.contents.index;
        let mut list = Vec::new();
        for (number, inst) in index.execution_modes(function).enumerate() {
            let words = inst.words();
            if !self.contents.take(MODE.0 + MODE.1 * words.len()) {
                return (list, index.execution_mode_count(function) - number);
            }
            let mode = words.get(2).map(|&mode| ExecutionMode(mode));
            let is_size = words.len() >= 6
                && matches!(
                    mode,
                    Some(ExecutionMode::LocalSize | ExecutionMode::LocalSizeId)
                );
            list.extend(mode.filter(|_| !is_size).map(|mode| Mode {
                mode,
                operands: self.operands(inst),
            }));
        }
        (list, 0)
    }

    /// The operands behind an execution mode.
    fn operands(&self, inst: Inst<'_>) -> Vec<Operand> {
        let definitions = &self.contents.index.definitions;
        let operands = inst.decoded().map(|it| it.operands(definitions));
        let behind = operands
            .into_iter()
            .flatten()
            .map_while(Result::ok)
            .filter(|operand| operand.word > 2);
        behind
            .map(|operand| {
                let value = match operand.value {
                    Value::Id(id) => OperandValue::Id(id),
                    Value::Integer(number) | Value::Mask(number) | Value::Opaque(number) => {
                        OperandValue::Number(number)
                    }
                    Value::Enumerant {
                        info: Some(info), ..
                    } => OperandValue::Name(info.name().to_owned()),
                    Value::Enumerant { value, .. } => OperandValue::Number(value),
                    Value::String(string) => OperandValue::Name(string.to_text_lossy()),
                    other => OperandValue::Name(format!("{other:?}")),
                };
                let constant = match value {
                    OperandValue::Id(id) => self.constants.constant(id),
                    _ => None,
                };
                Operand {
                    name: operand.kind.name(),
                    value,
                    constant,
                }
            })
            .collect()
    }

    fn dimension(&self, id: Id) -> Dimension {
        let index = &self.contents.index;
        let spec_id = || self.contents.decorations(id).spec_id;
        Dimension {
            size: self.constants.constant(id).unwrap_or(Extent::Unknown),
            id: Some(id),
            spec_id: index
                .op_of(id)
                .is_scalar_spec_constant()
                .then(spec_id)
                .flatten(),
        }
    }

    /// The size that a constant gives that is decorated as `WorkgroupSize`.
    fn built_in_size(&self) -> Option<WorkgroupSize> {
        let index = &self.contents.index;
        let mut built_ins = index.all_decorated_with(Decoration::BuiltIn);
        let (id, _) = built_ins.find(|(id, decorated)| {
            let is_size = decorated.params.first() == Some(&BuiltIn::WorkgroupSize.0);
            is_size && decorated.member.is_none() && index.is_constant(*id)
        })?;
        let constant = index.def(id)?;
        let source = WorkgroupSource::BuiltIn;
        match (constant.op(), constant.words().get(3..)?) {
            (Op::ConstantComposite | Op::SpecConstantComposite, &[x, y, z, ..]) => {
                Some(WorkgroupSize::new([x, y, z], source, |id| {
                    self.dimension(Id(id))
                }))
            }
            (
                Op::ConstantCompositeReplicateEXT | Op::SpecConstantCompositeReplicateEXT,
                &[each, ..],
            ) => Some(WorkgroupSize::new([each; 3], source, |id| {
                self.dimension(Id(id))
            })),
            (Op::ConstantNull, _) => Some(WorkgroupSize::new([0; 3], source, fixed)),
            // An operation on vectors: its value isn't worked out.
            _ => Some(WorkgroupSize::new([0; 3], source, |_| Dimension {
                size: Extent::Unknown,
                id: None,
                spec_id: None,
            })),
        }
    }
}

impl WorkgroupSize {
    fn new(
        [x, y, z]: [u32; 3],
        source: WorkgroupSource,
        dimension: impl Fn(u32) -> Dimension,
    ) -> Self {
        Self {
            x: dimension(x),
            y: dimension(y),
            z: dimension(z),
            source,
        }
    }
}

fn fixed(size: u32) -> Dimension {
    Dimension {
        size: Extent::Fixed(size.into()),
        id: None,
        spec_id: None,
    }
}
