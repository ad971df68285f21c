//! Vulkan's rules for each built-in, of which the specification has a page of its own: that every
//! VUID that our rules list is reported, and under the rule that lists it.

use std::collections::BTreeSet;

use spirvkit_grammar::OperandKind;
use spirvkit_validate::{Options, rules};

use crate::common::report;

/// The rules whose VUIDs are about built-ins alone, which are tested here.
pub(crate) const RULES: [&str; 7] = [
    "builtin.capability",
    "builtin.execution-model",
    "builtin.per-primitive",
    "builtin.per-view",
    "builtin.storage-class",
    "builtin.storage-class-in-model",
    "builtin.type",
];

/// The stages and what they need.
const STAGES: [(&str, &str); 16] = [
    ("Vertex", "Shader"),
    ("TessellationControl", "Tessellation"),
    ("TessellationEvaluation", "Tessellation"),
    ("Geometry", "Geometry"),
    ("Fragment", "Shader"),
    ("GLCompute", "Shader"),
    ("TaskNV", "MeshShadingNV"),
    ("MeshNV", "MeshShadingNV"),
    ("TaskEXT", "MeshShadingEXT"),
    ("MeshEXT", "MeshShadingEXT"),
    ("RayGenerationKHR", "RayTracingKHR"),
    ("IntersectionKHR", "RayTracingKHR"),
    ("AnyHitKHR", "RayTracingKHR"),
    ("ClosestHitKHR", "RayTracingKHR"),
    ("MissKHR", "RayTracingKHR"),
    ("CallableKHR", "RayTracingKHR"),
];

/// The built-in that a VUID's page is about.
fn built_in(vuid: &str) -> &str {
    let page = vuid.strip_prefix("VUID-").unwrap_or(vuid);
    match page.split('-').next().unwrap_or_default() {
        "CoalescedInputCountAMDX" => "RemainingRecursionLevelsAMDX",
        page => page,
    }
}

fn is_alias(name: &str) -> bool {
    let found = OperandKind::BuiltIn.enumerant_by_name(name);
    found.is_some_and(|found| found.name() != name)
}

/// Types, of which each built-in has one, and the last none.
const TYPES: [&str; 21] = [
    "%u32",
    "%f32",
    "%bool",
    "%v2u32",
    "%v3u32",
    "%v4u32",
    "%v2f32",
    "%v3f32",
    "%v4f32",
    "%mat4x3",
    "%two_bool",
    "%two_u32",
    "%two_f32",
    "%four_f32",
    "%two_v2u32",
    "%two_v3u32",
    "%two_v4f32",
    "%two_v3f32",
    "%three_v3f32",
    "%two_two_f32",
    "%f64",
];

/// A module in which a stage uses a built-in of a type.
fn module(built_in: &str, (stage, capability): (&str, &str), class: &str, ty: &str) -> String {
    let object = match built_in {
        "WorkgroupSize" => format!("%object = OpSpecConstantOp {ty} CopyObject %null"),
        _ => format!("%object = OpVariable %ptr {class}"),
    };
    let patch = match built_in.starts_with("TessLevel") {
        true => "OpDecorate %object Patch\n",
        false => "",
    };
    let use_it = match (built_in, class) {
        ("WorkgroupSize", _) => format!("%use = OpCopyObject {ty} %object"),
        (_, "Output") => "OpStore %object %null".to_owned(),
        _ => format!("%use = OpLoad {ty} %object"),
    };
    format!(
        "OpCapability Shader
OpCapability Float64
OpCapability {capability}
OpMemoryModel Logical GLSL450
OpEntryPoint {stage} %main \"main\" %object
OpDecorate %object BuiltIn {built_in}
{patch}%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%f64 = OpTypeFloat 64
%v2u32 = OpTypeVector %u32 2
%v3u32 = OpTypeVector %u32 3
%v4u32 = OpTypeVector %u32 4
%v2f32 = OpTypeVector %f32 2
%v3f32 = OpTypeVector %f32 3
%v4f32 = OpTypeVector %f32 4
%mat4x3 = OpTypeMatrix %v3f32 4
%two = OpConstant %u32 2
%three = OpConstant %u32 3
%four = OpConstant %u32 4
%two_bool = OpTypeArray %bool %two
%two_u32 = OpTypeArray %u32 %two
%two_f32 = OpTypeArray %f32 %two
%four_f32 = OpTypeArray %f32 %four
%two_v2u32 = OpTypeArray %v2u32 %two
%two_v3u32 = OpTypeArray %v3u32 %two
%two_v4f32 = OpTypeArray %v4f32 %two
%two_v3f32 = OpTypeArray %v3f32 %two
%three_v3f32 = OpTypeArray %v3f32 %three
%two_two_f32 = OpTypeArray %two_f32 %two
%null = OpConstantNull {ty}
%ptr = OpTypePointer {class} {ty}
{object}
%main = OpFunction %void None %fn
%entry = OpLabel
{use_it}
OpReturn
OpFunctionEnd
"
    )
}

/// The rules and VUIDs of what is reported.
fn found(name: &str, text: &str) -> Vec<(&'static str, &'static str)> {
    let mut options = Options::for_env("vulkan1.3".parse().unwrap());
    options.max_errors = 0;
    let report = report(text, &options);
    let all = report.diagnostics().iter();
    let all = all.filter_map(|it| Some((it.rule(), it.vuid()?)));
    let all: Vec<_> = all.filter(|it| RULES.contains(&it.0)).collect();
    for (rule, vuid) in &all {
        assert_eq!(built_in(vuid), name, "{rule}");
    }
    all
}

#[test]
fn each_vuid_of_a_built_in_is_reported_under_its_rule() {
    let mut missing = BTreeSet::new();
    for rule in rules().iter().filter(|rule| RULES.contains(&rule.id)) {
        // Pages of other names for the same have VUIDs of their own.
        let own = rule.vuids.iter().filter(|vuid| !is_alias(built_in(vuid)));
        missing.extend(own.map(|&vuid| (rule.id, vuid)));
    }
    let names: BTreeSet<&str> = missing.iter().map(|it| built_in(it.1)).collect();
    for name in names {
        let wrong = module(name, STAGES[0], "Private", TYPES[TYPES.len() - 1]);
        let mut all = found(name, &wrong);
        // The types differ between stages, but not often.
        let mut last = 0;
        for stage in STAGES {
            for class in ["Input", "Output", "Private"] {
                let order = (last..last + 1).chain(0..TYPES.len());
                for number in order {
                    let more = found(name, &module(name, stage, class, TYPES[number]));
                    let is_wrong = more.iter().any(|it| it.0 == "builtin.type");
                    all.extend(more);
                    // Of a wrong type nothing else is said.
                    if !is_wrong {
                        last = number;
                        break;
                    }
                }
            }
        }
        for it in all {
            missing.remove(&it);
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}
