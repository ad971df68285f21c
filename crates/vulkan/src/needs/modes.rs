//! What execution modes need.

use spirvkit_analysis::ModuleIndex;
use spirvkit_analysis::index::Inst;
use spirvkit_grammar::ExecutionMode as Mode;

use super::{Need, feature, property, reach};

/// The modes of float controls: the mode, and for 16, 32 and 64 bits the property and the rule.
const FLOAT_CONTROLS: &[(Mode, [(&str, &str); 3])] = &[
    (
        Mode::SignedZeroInfNanPreserve,
        [
            (
                "shaderSignedZeroInfNanPreserveFloat16",
                "VUID-RuntimeSpirv-shaderSignedZeroInfNanPreserveFloat16-06293",
            ),
            (
                "shaderSignedZeroInfNanPreserveFloat32",
                "VUID-RuntimeSpirv-shaderSignedZeroInfNanPreserveFloat32-06294",
            ),
            (
                "shaderSignedZeroInfNanPreserveFloat64",
                "VUID-RuntimeSpirv-shaderSignedZeroInfNanPreserveFloat64-06295",
            ),
        ],
    ),
    (
        Mode::DenormPreserve,
        [
            (
                "shaderDenormPreserveFloat16",
                "VUID-RuntimeSpirv-shaderDenormPreserveFloat16-06296",
            ),
            (
                "shaderDenormPreserveFloat32",
                "VUID-RuntimeSpirv-shaderDenormPreserveFloat32-06297",
            ),
            (
                "shaderDenormPreserveFloat64",
                "VUID-RuntimeSpirv-shaderDenormPreserveFloat64-06298",
            ),
        ],
    ),
    (
        Mode::DenormFlushToZero,
        [
            (
                "shaderDenormFlushToZeroFloat16",
                "VUID-RuntimeSpirv-shaderDenormFlushToZeroFloat16-06299",
            ),
            (
                "shaderDenormFlushToZeroFloat32",
                "VUID-RuntimeSpirv-shaderDenormFlushToZeroFloat32-06300",
            ),
            (
                "shaderDenormFlushToZeroFloat64",
                "VUID-RuntimeSpirv-shaderDenormFlushToZeroFloat64-06301",
            ),
        ],
    ),
    (
        Mode::RoundingModeRTE,
        [
            (
                "shaderRoundingModeRTEFloat16",
                "VUID-RuntimeSpirv-shaderRoundingModeRTEFloat16-06302",
            ),
            (
                "shaderRoundingModeRTEFloat32",
                "VUID-RuntimeSpirv-shaderRoundingModeRTEFloat32-06303",
            ),
            (
                "shaderRoundingModeRTEFloat64",
                "VUID-RuntimeSpirv-shaderRoundingModeRTEFloat64-06304",
            ),
        ],
    ),
    (
        Mode::RoundingModeRTZ,
        [
            (
                "shaderRoundingModeRTZFloat16",
                "VUID-RuntimeSpirv-shaderRoundingModeRTZFloat16-06305",
            ),
            (
                "shaderRoundingModeRTZFloat32",
                "VUID-RuntimeSpirv-shaderRoundingModeRTZFloat32-06306",
            ),
            (
                "shaderRoundingModeRTZFloat64",
                "VUID-RuntimeSpirv-shaderRoundingModeRTZFloat64-06307",
            ),
        ],
    ),
];

/// Modes that need a feature, and the rule.
const FEATURES: &[(Mode, &str, &str)] = &[
    (
        Mode::LocalSizeId,
        "maintenance4",
        "VUID-RuntimeSpirv-LocalSizeId-06434",
    ),
    (
        Mode::SubgroupUniformControlFlowKHR,
        "shaderSubgroupUniformControlFlow",
        "VUID-RuntimeSpirv-SubgroupUniformControlFlowKHR-06379",
    ),
    (
        Mode::EarlyAndLateFragmentTestsAMD,
        "shaderEarlyAndLateFragmentTests",
        "VUID-RuntimeSpirv-shaderEarlyAndLateFragmentTests-06767",
    ),
    (
        Mode::StencilRefUnchangedFrontAMD,
        "shaderEarlyAndLateFragmentTests",
        "VUID-RuntimeSpirv-shaderEarlyAndLateFragmentTests-06768",
    ),
    (
        Mode::StencilRefUnchangedBackAMD,
        "shaderEarlyAndLateFragmentTests",
        "VUID-RuntimeSpirv-shaderEarlyAndLateFragmentTests-06769",
    ),
    (
        Mode::StencilRefGreaterFrontAMD,
        "shaderEarlyAndLateFragmentTests",
        "VUID-RuntimeSpirv-shaderEarlyAndLateFragmentTests-06770",
    ),
    (
        Mode::StencilRefGreaterBackAMD,
        "shaderEarlyAndLateFragmentTests",
        "VUID-RuntimeSpirv-shaderEarlyAndLateFragmentTests-06771",
    ),
    (
        Mode::StencilRefLessFrontAMD,
        "shaderEarlyAndLateFragmentTests",
        "VUID-RuntimeSpirv-shaderEarlyAndLateFragmentTests-06772",
    ),
];

/// Modes whose number a limit bounds, in shaders of a model, and the rule.
const LIMITS: &[(Mode, spirvkit_grammar::ExecutionModel, &str, &str)] = {
    use spirvkit_grammar::ExecutionModel as Model;
    &[
        (
            Mode::OutputVertices,
            Model::MeshEXT,
            "maxMeshOutputVertices",
            "VUID-RuntimeSpirv-MeshEXT-07115",
        ),
        (
            Mode::OutputPrimitivesEXT,
            Model::MeshEXT,
            "maxMeshOutputPrimitives",
            "VUID-RuntimeSpirv-MeshEXT-07116",
        ),
        (
            Mode::OutputVertices,
            Model::MeshNV,
            "VkPhysicalDeviceMeshShaderPropertiesNV::maxMeshOutputVertices",
            "VUID-RuntimeSpirv-MeshNV-07113",
        ),
        (
            Mode::OutputPrimitivesEXT,
            Model::MeshNV,
            "VkPhysicalDeviceMeshShaderPropertiesNV::maxMeshOutputPrimitives",
            "VUID-RuntimeSpirv-MeshNV-07114",
        ),
    ]
};

pub(super) fn add(m: &ModuleIndex<'_>, all: &mut Vec<Need>) {
    for (_, inst) in m.all_execution_modes() {
        of_mode(m, inst, all);
    }
}

fn of_mode(m: &ModuleIndex<'_>, inst: Inst<'_>, all: &mut Vec<Need>) {
    let mode = Mode(inst.arg(1));
    let offset = inst.offset();
    let mut add = |vuid, what, wanted| {
        all.push(Need {
            offset,
            vuid,
            what,
            wanted,
        });
    };
    if let Some((_, widths)) = FLOAT_CONTROLS.iter().find(|it| it.0 == mode) {
        let width = inst.optional(2).unwrap_or(0);
        let index = match width {
            16 => 0,
            32 => 1,
            64 => 2,
            _ => return,
        };
        let (name, vuid) = widths[index];
        add(
            vuid,
            format!("the mode `{mode}` for {width} bits"),
            property(name),
        );
    }
    for &(_, name, vuid) in FEATURES.iter().filter(|it| it.0 == mode) {
        add(vuid, format!("the mode `{mode}`"), feature(name));
    }
    for &(_, model, limit, vuid) in LIMITS.iter().filter(|it| it.0 == mode) {
        let models = m.entry_models(inst.id(0));
        let (true, Some(number)) = (
            models.is_some_and(|it| it.contains(model)),
            inst.optional(2),
        ) else {
            continue;
        };
        if let Some(wanted) = reach(limit, 0, number.into()) {
            add(vuid, format!("the mode `{mode}`"), wanted);
        }
    }
}
