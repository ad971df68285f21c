//! Extensions (specification, section 3.32.4). The imports of extended
//! instruction sets stand with the sets.

use hashbrown::HashSet;
use std::sync::OnceLock;

use spirvkit_grammar::{Availability, Op, OperandKind, Version};

use super::Family;
use crate::finding::{CheckResult, Finding, Reporter};
use crate::inst_ctx::InstCtx;
use crate::module::Module;
use crate::rules::generated::extension;

pub(crate) const FAMILY: Family = Family {
    ops: &[Op::Extension],
    check,
    check_module: Some(check_module),
};

/// Extensions that need more than version 1.0.
static VERSIONS: &[(&str, Version)] = &[
    ("SPV_ARM_graph", Version::V1_6),
    ("SPV_EXT_mesh_shader", Version::V1_4),
    ("SPV_EXT_shader_invocation_reorder", Version::V1_4),
    ("SPV_KHR_opacity_micromap", Version::V1_4),
    ("SPV_KHR_vulkan_memory_model", Version::V1_3),
    ("SPV_KHR_workgroup_memory_explicit_layout", Version::V1_4),
    ("SPV_NV_cluster_acceleration_structure", Version::V1_4),
    ("SPV_NV_linear_swept_spheres", Version::V1_4),
    ("SPV_NV_shader_invocation_reorder", Version::V1_4),
    ("SPV_QCOM_cooperative_matrix_conversion", Version::V1_3),
    ("SPV_QCOM_image_processing", Version::V1_4),
    ("SPV_QCOM_image_processing2", Version::V1_4),
];

/// Extensions that add nothing which the grammar's tables would name.
static WITHOUT_TOKENS: &[&str] = &[
    "SPV_AMD_gcn_shader",
    "SPV_AMD_gpu_shader_half_float",
    "SPV_AMD_gpu_shader_int16",
    "SPV_AMD_shader_trinary_minmax",
    "SPV_EXT_long_vector",
    "SPV_INTEL_vector_compute",
    "SPV_KHR_non_semantic_info",
    "SPV_KHR_opacity_micromap",
    "SPV_NV_ray_tracing_motion_blur",
    "SPV_VALIDATOR_ignore_type_decl_unique",
];

fn check(_at: &InstCtx<'_, '_>) -> CheckResult {
    // The names were read when the module was indexed.
    Ok(())
}

fn check_module(m: &Module<'_>, reporter: &mut Reporter) {
    for (inst, name) in &m.extensions {
        let needs = VERSIONS.iter().find(|(extension, _)| extension == name);
        if let Some((_, version)) = needs.filter(|(_, version)| m.version < *version) {
            let message = format!(
                "the extension `{name}` needs version {version} of SPIR-V; the module's version is {}",
                m.version
            );
            reporter.add(Finding::new(&extension::VERSION, inst.offset(), message));
        } else if !known().contains(name.as_str()) {
            let message = format!("the extension {name:?} is unknown");
            reporter.add(Finding::new(&extension::UNKNOWN, inst.offset(), message).warning());
        }
    }
}

/// The names of all extensions of the registry's grammar.
fn known() -> &'static HashSet<&'static str> {
    static KNOWN: OnceLock<HashSet<&'static str>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let mut names: HashSet<&'static str> = WITHOUT_TOKENS.iter().copied().collect();
        let mut add = |availability: &Availability| names.extend(availability.extensions());
        for info in Op::all() {
            add(info.availability());
        }
        for kind in OperandKind::all() {
            for info in kind.enumerants() {
                add(info.availability());
            }
        }
        names
    })
}
