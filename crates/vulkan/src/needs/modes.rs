//! What execution modes need.

use spirvkit_analysis::index::{Inst, Models};
use spirvkit_analysis::{Lookup, ModuleIndex};
use spirvkit_grammar::ExecutionMode as Mode;

use super::{Need, Wanted, feature, property, property_of, reach};
use crate::tables::Enable;

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
    (
        Mode::StencilRefLessBackAMD,
        "shaderEarlyAndLateFragmentTests",
        "VUID-RuntimeSpirv-shaderEarlyAndLateFragmentTests-06773",
    ),
];

/// Modes that devices of `VK_KHR_portability_subset` have only with a feature, and the rule.
const PORTABLE: &[(Mode, &str, &str)] = &[
    (
        Mode::Isolines,
        "tessellationIsolines",
        "VUID-RuntimeSpirv-tessellationShader-06326",
    ),
    (
        Mode::PointMode,
        "tessellationPointMode",
        "VUID-RuntimeSpirv-tessellationShader-06327",
    ),
];

/// A row of [`INDEPENDENT`].
type Independent = ([Mode; 2], &'static str, [&'static str; 2]);

/// Pairs of modes of which one entry point may use both for different widths only if a property
/// says so: the modes, the property, and the rules for 16 and 64 bits and for any two widths.
const INDEPENDENT: &[Independent] = &[
    (
        [Mode::DenormPreserve, Mode::DenormFlushToZero],
        "denormBehaviorIndependence",
        [
            "VUID-RuntimeSpirv-denormBehaviorIndependence-06289",
            "VUID-RuntimeSpirv-denormBehaviorIndependence-06290",
        ],
    ),
    (
        [Mode::RoundingModeRTE, Mode::RoundingModeRTZ],
        "roundingModeIndependence",
        [
            "VUID-RuntimeSpirv-roundingModeIndependence-06291",
            "VUID-RuntimeSpirv-roundingModeIndependence-06292",
        ],
    ),
];

const ALL_WIDTHS: &str = "VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL";
const NO_WIDTHS: &str = "VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE";
const ONLY_32_BITS: &str = "VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_32_BIT_ONLY";

/// What a default of fast math must permit where the property isn't there that infinities, NaNs
/// and signs of zeros are preserved: the width, the property, and the rules for the mode and for
/// decorations.
pub(super) const PRESERVED: &[(u32, &str, [&str; 2])] = &[
    (
        16,
        "shaderSignedZeroInfNanPreserveFloat16",
        [
            "VUID-RuntimeSpirv-shaderSignedZeroInfNanPreserveFloat16-09559",
            "VUID-RuntimeSpirv-shaderSignedZeroInfNanPreserveFloat16-09560",
        ],
    ),
    (
        32,
        "shaderSignedZeroInfNanPreserveFloat32",
        [
            "VUID-RuntimeSpirv-shaderSignedZeroInfNanPreserveFloat32-09561",
            "VUID-RuntimeSpirv-shaderSignedZeroInfNanPreserveFloat32-09562",
        ],
    ),
    (
        64,
        "shaderSignedZeroInfNanPreserveFloat64",
        [
            "VUID-RuntimeSpirv-shaderSignedZeroInfNanPreserveFloat64-09563",
            "VUID-RuntimeSpirv-shaderSignedZeroInfNanPreserveFloat64-09564",
        ],
    ),
];

/// `NotNaN`, `NotInf` and `NSZ`.
pub(super) const PERMITTED: u64 = 0b111;

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
    // What stands together is of one entry point: of its modes that matter for each other, each
    // once.
    let mut of = None;
    let mut seen: Vec<(Mode, u32)> = Vec::new();
    for (function, inst) in m.all_execution_modes() {
        of_mode(m, inst, all);
        if of.replace(function) != Some(function) {
            seen.clear();
        }
        let (mode, width) = (Mode(inst.arg(1)), inst.arg(2));
        let Some(row) = INDEPENDENT.iter().find(|it| it.0.contains(&mode)) else {
            continue;
        };
        if matches!(width, 16 | 32 | 64) && !seen.contains(&(mode, width)) {
            independent(row, &seen, inst, all);
            seen.push((mode, width));
        }
    }
}

/// A mode that differs from one for another width that stands before: unless widths are
/// independent of each other, or those of 32 bits of the others.
fn independent(row: &Independent, seen: &[(Mode, u32)], inst: Inst<'_>, all: &mut Vec<Need>) {
    let (pair, name, [far, any]) = row;
    let (mode, width) = (Mode(inst.arg(1)), inst.arg(2));
    let differs = |it: &&(Mode, u32)| it.0 != mode && it.1 != width && pair.contains(&it.0);
    for &(other, other_width) in seen.iter().filter(differs) {
        let what = format!("`{mode}` for {width} bits and `{other}` for {other_width}");
        let mut add = |vuid, values: &[&'static str]| {
            all.push(Need {
                offset: inst.offset(),
                vuid,
                what: what.clone(),
                wanted: property_of(name, values),
            });
        };
        add(*any, &[ALL_WIDTHS, ONLY_32_BITS]);
        if width != 32 && other_width != 32 {
            add(*far, &[ALL_WIDTHS, NO_WIDTHS]);
        }
    }
}

fn is_mesh_or_task(models: Models) -> bool {
    use spirvkit_grammar::ExecutionModel as Model;
    let all = [Model::MeshEXT, Model::MeshNV, Model::TaskEXT, Model::TaskNV];
    all.iter().any(|model| models.contains(*model))
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
    if mode == Mode::TileShadingRateQCOM {
        let rules = ["VUID-RuntimeSpirv-x-10702", "VUID-RuntimeSpirv-y-10703"];
        for (dimension, vuid) in rules.into_iter().enumerate() {
            let rate = inst.arg(2 + dimension);
            if let Some(wanted) = reach("maxTileShadingRate", dimension, rate.into()) {
                let what = format!("a tile shading rate of {rate} in {}", ["x", "y"][dimension]);
                add(vuid, what, wanted);
            }
        }
    }
    for &(_, name, vuid) in PORTABLE.iter().filter(|it| it.0 == mode) {
        let mut wanted = feature(name);
        if let Wanted::OneOf(all) = &mut wanted {
            all.push(Enable::Without("VK_KHR_portability_subset"));
        }
        add(vuid, format!("the mode `{mode}`"), wanted);
    }
    if mode == Mode::FPFastMathDefault {
        let width = m.bit_width(inst.id(2));
        let permits = m.constant_u64(inst.id(3)).unwrap_or(PERMITTED);
        let known = PRESERVED.iter().find(|it| it.0 == width);
        if let Some((_, name, [vuid, _])) = known.filter(|_| permits & PERMITTED != PERMITTED) {
            let what = format!(
                "fast math on {width} bits that preserves infinities, NaNs or signs of zeros"
            );
            add(*vuid, what, property(name));
        }
    }
    let is_grouped = matches!(
        mode,
        Mode::DerivativeGroupLinearKHR | Mode::DerivativeGroupQuadsKHR
    );
    if is_grouped && m.entry_models(inst.id(0)).is_some_and(is_mesh_or_task) {
        let vuid = "VUID-RuntimeSpirv-meshAndTaskShaderDerivatives-10153";
        add(
            vuid,
            format!("the mode `{mode}`"),
            property("meshAndTaskShaderDerivatives"),
        );
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
