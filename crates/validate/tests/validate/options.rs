//! Options that change what rules' own examples come to, and descriptors of all sizes. What else
//! options change is in `tests/cases/options`.

use spirvkit_validate::{Options, find_rule, validate};
use spirvkit_vulkan::{Device, Feature};

use crate::common::broken;

/// Rules, and the options that free their examples from them.
const FREED: &[(&str, &str)] = &[
    ("bits.base-width", "allow-vulkan-32-bit-bitwise"),
    ("image.sampled-image-block", "before-hlsl-legalization"),
    ("image.vulkan-offset", "allow-offset-texture-operand"),
    ("layout.alignment", "skip-block-layout"),
    ("layout.overlap", "skip-block-layout"),
    ("layout.straddle", "skip-block-layout"),
    ("logical-pointer.use", "before-hlsl-legalization"),
    ("mode-setting.vulkan-local-size-id", "allow-localsizeid"),
    ("original-debug-info.kind", "skip-debug-info"),
    ("phi.result", "before-hlsl-legalization"),
    ("return.pointer", "relax-logical-pointer"),
    ("variable.logical-pointers", "relax-logical-pointer"),
];

#[test]
fn options_free_from_rules() {
    for &(rule, option) in FREED {
        let example = find_rule(rule).unwrap().example();
        let mut options = example.options();
        assert_eq!(broken(&example.breaking(), &options), [rule]);
        options.set(option, "true").unwrap();
        let left = broken(&example.breaking(), &options);
        assert_eq!(left, [""; 0], "{rule}, {option}");
    }
}

/// Rules, and the features of devices that free their examples from them.
const FREED_BY_FEATURES: &[(&str, &str)] = &[
    ("bits.base-width", "maintenance9"),
    ("image.vulkan-offset", "maintenance8"),
    ("layout.straddle", "scalarBlockLayout"),
    ("mode-setting.vulkan-local-size-id", "maintenance4"),
];

#[test]
fn features_of_all_devices_free_from_rules() {
    for &(rule, feature) in FREED_BY_FEATURES {
        let example = find_rule(rule).unwrap().example();
        let without = Device::new("without", (1, 4));
        let mut with = Device::new("with", (1, 4));
        with.set_feature(Feature::named(feature).unwrap());
        let left = |devices: &[&Device]| -> Vec<&str> {
            let mut options = example.options();
            options.devices = devices.iter().copied().cloned().collect();
            let mut left = broken(&example.breaking(), &options);
            left.retain(|rule| !rule.starts_with("device."));
            let alone = options.without_devices();
            assert_eq!(broken(&example.breaking(), &alone), left, "{rule}");
            left
        };
        assert_eq!(left(&[&with]), [""; 0], "{rule}, {feature}");
        assert_eq!(left(&[&with, &without]), [rule]);
        // A list of limits is no device.
        assert_eq!(left(&[&Device::with_everything("limits")]), [rule]);
    }
}

/// An array with a descriptor every 16 bytes.
fn heap(descriptor: &str) -> String {
    format!(
        "OpCapability Shader
OpCapability DescriptorHeapEXT
OpCapability UntypedPointersKHR
OpExtension \"SPV_KHR_untyped_pointers\"
OpExtension \"SPV_EXT_descriptor_heap\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %heap
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %heap BuiltIn ResourceHeapEXT
OpDecorate %array ArrayStride 16
%void = OpTypeVoid
%type = OpTypeFunction %void
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%uint_0 = OpConstant %uint 0
%uint_2 = OpConstant %uint 2
{descriptor}
%array = OpTypeArray %descriptor %uint_2
%pointer = OpTypeUntypedPointerKHR UniformConstant
%heap = OpUntypedVariableKHR %pointer UniformConstant
%main = OpFunction %void None %type
%entry = OpLabel
%place = OpUntypedAccessChainKHR %pointer %array %heap %uint_0
OpReturn
OpFunctionEnd
"
    )
}

#[test]
fn descriptors_may_be_as_large_as_numbers_go() {
    let structure = heap("%sampler = OpTypeSampler\n%descriptor = OpTypeStruct %sampler %sampler");
    let structure = structure.replace(
        "OpDecorate %array",
        "OpMemberDecorate %descriptor 0 Offset 0
OpMemberDecorate %descriptor 1 Offset 4294967295
OpDecorate %array",
    );
    let structure = structure.replace("OpConstant %uint 2", "OpConstant %uint 4294967295");
    let plain = heap("%descriptor = OpTypeSampler");
    for text in [plain, structure] {
        let words = spirvkit_testing::words(&text);
        for size in [0, 1, u32::MAX] {
            for alignment in [0, 1, u32::MAX] {
                let mut options = Options::for_env("vulkan1.4".parse().unwrap());
                options.sampler_descriptor.size = size;
                options.sampler_descriptor.alignment = alignment;
                let report = validate(&words, &options);
                let strides = report.diagnostics().iter();
                let strides = strides.filter(|each| each.rule() == "layout.array-stride");
                // An array's stride of 16 bytes is too small for what is so large.
                let is_large = size == u32::MAX || alignment == u32::MAX;
                assert_eq!(strides.count() > 0, is_large || text.contains("4294967295"));
            }
        }
    }
}
