//! Sets of execution models.

use core::fmt;

use spirvkit_grammar::ExecutionModel;

/// A set of execution models.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Models(u32);

/// The models that have a place in the set, in the order of their bits.
const MODELS: [ExecutionModel; 17] = [
    ExecutionModel::Vertex,
    ExecutionModel::TessellationControl,
    ExecutionModel::TessellationEvaluation,
    ExecutionModel::Geometry,
    ExecutionModel::Fragment,
    ExecutionModel::GLCompute,
    ExecutionModel::Kernel,
    ExecutionModel::TaskNV,
    ExecutionModel::MeshNV,
    ExecutionModel::RayGenerationKHR,
    ExecutionModel::IntersectionKHR,
    ExecutionModel::AnyHitKHR,
    ExecutionModel::ClosestHitKHR,
    ExecutionModel::MissKHR,
    ExecutionModel::CallableKHR,
    ExecutionModel::TaskEXT,
    ExecutionModel::MeshEXT,
];

impl Models {
    /// The stages of ray-tracing pipelines (`SPV_KHR_ray_tracing`).
    pub const RAY_TRACING: Self = Self::of(&[
        ExecutionModel::RayGenerationKHR,
        ExecutionModel::IntersectionKHR,
        ExecutionModel::AnyHitKHR,
        ExecutionModel::ClosestHitKHR,
        ExecutionModel::MissKHR,
        ExecutionModel::CallableKHR,
    ]);

    /// The set of these models.
    pub const fn of(models: &[ExecutionModel]) -> Self {
        let mut bits = 0;
        let mut index = 0;
        while index < models.len() {
            bits |= Self::bit(models[index]);
            index += 1;
        }
        Self(bits)
    }

    /// The set of one model.
    pub const fn one(model: ExecutionModel) -> Self {
        Self(Self::bit(model))
    }

    const fn bit(model: ExecutionModel) -> u32 {
        let mut position = 0;
        while position < MODELS.len() {
            if MODELS[position].0 == model.0 {
                return 1 << position;
            }
            position += 1;
        }
        0
    }

    /// Whether a model is in the set.
    pub fn contains(self, model: ExecutionModel) -> bool {
        self.0 & Self::bit(model) != 0
    }

    /// Whether no model is.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The models of this set that are not in the other.
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The models of both sets.
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The models of either set.
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The models, in the order of their numbers but for later extensions'.
    pub fn iter(self) -> impl Iterator<Item = ExecutionModel> {
        MODELS
            .into_iter()
            .filter(move |&model| self.contains(model))
    }
}

impl fmt::Debug for Models {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl fmt::Display for Models {
    /// The models' names, each in backticks, with commas between.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, model) in self.iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(f, "{comma}`{model}`")?;
        }
        Ok(())
    }
}
