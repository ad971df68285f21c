//! Which stages may use which storage classes.

use spirvkit_binary::{Id, Instruction, Value, WordOffset};
use spirvkit_grammar::{Capability, ExecutionModel as E, Op, StorageClass};

use crate::finding::{Finding, Reporter};
use crate::module::{Function, Inst, Models, Module};
use crate::rule::Rule;
use crate::rules::generated::memory;

/// A storage class and the stages that have it.
struct Limit {
    class: StorageClass,
    stages: Models,
    rule: &'static Rule,
    vuid: Option<&'static str>,
}

/// All stages but compute and those of ray tracing.
const WITH_OUTPUT: Models = Models::of(&[
    E::Vertex,
    E::TessellationControl,
    E::TessellationEvaluation,
    E::Geometry,
    E::Fragment,
    E::Kernel,
    E::TaskNV,
    E::MeshNV,
    E::TaskEXT,
    E::MeshEXT,
]);

static LIMITS: &[Limit] = &[
    Limit {
        class: StorageClass::Output,
        stages: WITH_OUTPUT,
        rule: &memory::STORAGE_CLASS_STAGE_VULKAN,
        vuid: Some("VUID-StandaloneSpirv-None-04644"),
    },
    Limit {
        class: StorageClass::Workgroup,
        stages: Models::of(&[E::GLCompute, E::TaskNV, E::MeshNV, E::TaskEXT, E::MeshEXT]),
        rule: &memory::STORAGE_CLASS_STAGE_VULKAN,
        vuid: Some("VUID-StandaloneSpirv-None-04645"),
    },
    Limit {
        class: StorageClass::TileImageEXT,
        stages: Models::of(&[E::Fragment]),
        rule: &memory::STORAGE_CLASS_STAGE_VULKAN,
        vuid: Some("VUID-StandaloneSpirv-None-08720"),
    },
    Limit {
        class: StorageClass::RayPayloadKHR,
        stages: Models::of(&[E::RayGenerationKHR, E::ClosestHitKHR, E::MissKHR]),
        rule: &memory::STORAGE_CLASS_STAGE,
        vuid: Some("VUID-StandaloneSpirv-RayPayloadKHR-04698"),
    },
    Limit {
        class: StorageClass::IncomingRayPayloadKHR,
        stages: Models::of(&[E::AnyHitKHR, E::ClosestHitKHR, E::MissKHR]),
        rule: &memory::STORAGE_CLASS_STAGE,
        vuid: Some("VUID-StandaloneSpirv-IncomingRayPayloadKHR-04699"),
    },
    Limit {
        class: StorageClass::HitAttributeKHR,
        stages: Models::of(&[E::IntersectionKHR, E::AnyHitKHR, E::ClosestHitKHR]),
        rule: &memory::STORAGE_CLASS_STAGE,
        vuid: Some("VUID-StandaloneSpirv-HitAttributeKHR-04701"),
    },
    Limit {
        class: StorageClass::CallableDataKHR,
        stages: Models::of(&[
            E::RayGenerationKHR,
            E::ClosestHitKHR,
            E::MissKHR,
            E::CallableKHR,
        ]),
        rule: &memory::STORAGE_CLASS_STAGE,
        vuid: Some("VUID-StandaloneSpirv-CallableDataKHR-04704"),
    },
    Limit {
        class: StorageClass::IncomingCallableDataKHR,
        stages: Models::of(&[E::CallableKHR]),
        rule: &memory::STORAGE_CLASS_STAGE,
        vuid: Some("VUID-StandaloneSpirv-IncomingCallableDataKHR-04705"),
    },
    Limit {
        class: StorageClass::ShaderRecordBufferKHR,
        stages: Models::of(&[
            E::RayGenerationKHR,
            E::IntersectionKHR,
            E::AnyHitKHR,
            E::ClosestHitKHR,
            E::MissKHR,
            E::CallableKHR,
        ]),
        rule: &memory::STORAGE_CLASS_STAGE,
        vuid: Some("VUID-StandaloneSpirv-ShaderRecordBufferKHR-07119"),
    },
    Limit {
        class: StorageClass::TaskPayloadWorkgroupEXT,
        stages: Models::of(&[E::TaskEXT, E::MeshEXT]),
        rule: &memory::STORAGE_CLASS_STAGE,
        vuid: None,
    },
    Limit {
        class: StorageClass::NodePayloadAMDX,
        stages: Models::of(&[E::GLCompute, E::MeshEXT]),
        rule: &memory::STORAGE_CLASS_STAGE_VULKAN,
        vuid: Some("VUID-RuntimeSpirv-NodePayloadAMDX-09192"),
    },
    Limit {
        class: StorageClass::HitObjectAttributeNV,
        stages: Models::of(&[E::RayGenerationKHR, E::ClosestHitKHR, E::MissKHR]),
        rule: &memory::STORAGE_CLASS_STAGE,
        vuid: None,
    },
    Limit {
        class: StorageClass::HitObjectAttributeEXT,
        stages: Models::of(&[E::RayGenerationKHR, E::ClosestHitKHR, E::MissKHR]),
        rule: &memory::STORAGE_CLASS_STAGE,
        vuid: None,
    },
];

impl Limit {
    /// The stages that have the storage class in this module. Any hit shaders of
    /// `SPV_NV_ray_tracing` send rays' payloads, too; Vulkan's don't.
    fn stages(&self, m: &Module<'_>) -> Models {
        let is_any_hit_payload = self.class == StorageClass::RayPayloadKHR
            && m.has(Capability::RayTracingNV)
            && !m.env.is_vulkan();
        match is_any_hit_payload {
            true => self.stages.or(Models::of(&[E::AnyHitKHR])),
            false => self.stages,
        }
    }
}

/// The storage class that a pointer type or a variable names.
fn class_named(inst: Inst<'_>) -> Option<StorageClass> {
    match inst.op() {
        Op::TypePointer | Op::TypeUntypedPointerKHR | Op::Variable | Op::UntypedVariableKHR => {
            Some(StorageClass(inst.arg(0)))
        }
        _ => None,
    }
}

/// Looks into functions only for storage classes that the module has and that
/// some stage lacks from which the function is reached.
pub(super) fn check(m: &Module<'_>, reporter: &mut Reporter) {
    let mut present = 0u32;
    let globals = m.declared.iter().filter_map(|&offset| m.inst(offset));
    for class in globals.filter_map(class_named) {
        for (index, limit) in LIMITS.iter().enumerate() {
            let applies =
                !std::ptr::eq(limit.rule, &memory::STORAGE_CLASS_STAGE_VULKAN) || m.env.is_vulkan();
            if limit.class == class && applies {
                present |= 1 << index;
            }
        }
    }
    if present == 0 {
        return;
    }
    for function in &m.functions {
        let broken = LIMITS.iter().enumerate().filter(|(index, limit)| {
            present >> index & 1 != 0 && !function.models.without(limit.stages(m)).is_empty()
        });
        for (_, limit) in broken {
            if let Some(finding) = use_in(m, function, limit) {
                reporter.add(finding);
            }
        }
    }
}

/// The first use of a storage class in a function.
fn use_in(m: &Module<'_>, function: &Function, limit: &Limit) -> Option<Finding> {
    for inst in m.instructions(function.range.clone()) {
        let offset = WordOffset(inst.offset() as usize);
        let Some(instruction) = Instruction::from_words(inst.words(), offset) else {
            continue;
        };
        let uses =
            instruction
                .operands(&m.definitions)
                .filter_map(|operand| match operand.ok()?.value {
                    Value::Id(id) if Some(id) != inst.result() => Some(id),
                    _ => None,
                });
        for id in uses {
            if m.def(id).and_then(class_named) == Some(limit.class) {
                return Some(finding(m, function, limit, inst, id));
            }
        }
    }
    None
}

#[cold]
fn finding(m: &Module<'_>, function: &Function, limit: &Limit, inst: Inst<'_>, id: Id) -> Finding {
    let message = format!(
        "{} uses memory in the storage class `{}`, which is only for {}, but {} is used in {}",
        inst.op(),
        limit.class,
        limit.stages(m),
        m.name(function.id),
        function.models
    );
    let finding = Finding::new(limit.rule, inst.offset(), message);
    let finding = match limit.vuid {
        Some(vuid) => finding.vuid(vuid),
        None => finding,
    };
    finding.about(m, id, "the storage class is named here")
}
