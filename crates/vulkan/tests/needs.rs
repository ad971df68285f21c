//! What modules need, and which devices have it.

use spirvkit_analysis::ModuleIndex;
use spirvkit_grammar::Version;
use spirvkit_text::{AssembleOptions, assemble};
use spirvkit_vulkan::{Device, Feature, Limit, Need, Requirements, Value, needs};

fn words(lines: &str) -> Vec<u32> {
    let options = AssembleOptions::default().default_version(Version::V1_0);
    assemble(lines, &options).unwrap().words
}

/// A compute shader with these capabilities, modes, declarations and instructions.
fn shader(capabilities: &str, modes: &str, globals: &str, body: &str) -> Vec<u32> {
    words(&format!(
        "OpCapability Shader
         {capabilities}
         OpMemoryModel Logical GLSL450
         OpEntryPoint GLCompute %main \"main\"
         {modes}
         %void = OpTypeVoid
         %u32 = OpTypeInt 32 0
         %f32 = OpTypeFloat 32
         %signature = OpTypeFunction %void
         {globals}
         %main = OpFunction %void None %signature
         %entry = OpLabel
         {body}
         OpReturn
         OpFunctionEnd"
    ))
}

fn unmet(words: &[u32], device: &Device) -> Vec<Need> {
    let module = ModuleIndex::new(words).unwrap();
    let all = needs(&module).into_iter();
    all.filter(|need| !need.is_met_by(device)).collect()
}

/// The rules that a device without options breaks, without their prefix.
fn broken(words: &[u32], version: (u32, u32)) -> Vec<&'static str> {
    let unmet = unmet(words, &Device::new("bare", version));
    let rules = unmet.iter().map(|need| need.vuid);
    rules.map(|vuid| vuid.rsplit_once('-').unwrap().1).collect()
}

fn with(version: (u32, u32), features: &[&str], extensions: &[&str]) -> Device {
    let mut device = Device::new("device", version);
    for name in features {
        device.set_feature(Feature::named(name).unwrap());
    }
    for name in extensions {
        device.set_extension(*name);
    }
    device
}

#[test]
fn capabilities_need_a_feature_that_something_brings() {
    let module = shader("OpCapability StorageBuffer16BitAccess", "", "", "");
    assert_eq!(broken(&module, (1, 1)), ["08740"]);
    let name = ["storageBuffer16BitAccess"];
    // The structure of version 1.1 came with 1.2.
    assert_eq!(unmet(&module, &with((1, 2), &name, &[])), []);
    assert_eq!(
        unmet(&module, &with((1, 0), &name, &["VK_KHR_16bit_storage"])),
        []
    );
    assert_eq!(unmet(&module, &with((1, 0), &name, &[])).len(), 1);
    let unknown = shader("OpCapability Kernel", "", "", "");
    assert_eq!(broken(&unknown, (1, 4)), ["08739"]);
}

#[test]
fn a_property_enables_group_operations() {
    let module = shader("OpCapability GroupNonUniformVote", "", "", "");
    assert_eq!(broken(&module, (1, 3)), ["08740"]);
    let mut device = Device::new("device", (1, 1));
    let limit = Limit::named("subgroupSupportedOperations").unwrap();
    let names = [
        "VK_SUBGROUP_FEATURE_BASIC_BIT",
        "VK_SUBGROUP_FEATURE_VOTE_BIT",
    ];
    device.set_limit(limit, Value::Names(names.map(str::to_owned).to_vec()));
    assert_eq!(unmet(&module, &device), []);
}

#[test]
fn extensions_need_a_version_or_one_of_vulkan() {
    let module = words(
        "OpCapability Shader
         OpExtension \"SPV_KHR_variable_pointers\"
         OpExtension \"SPV_INTEL_subgroups\"
         OpMemoryModel Logical GLSL450",
    );
    assert_eq!(broken(&module, (1, 0)), ["08742", "08741"]);
    assert_eq!(broken(&module, (1, 1)), ["08741"]);
    let device = with((1, 0), &[], &["VK_KHR_variable_pointers"]);
    assert_eq!(unmet(&module, &device).len(), 1);
}

#[test]
fn versions_of_the_language_need_one_of_vulkan() {
    let of = |version: &str| {
        words(&format!(
            "; SPIR-V\n; Version: {version}\nOpCapability Shader"
        ))
    };
    let first = |version: &str| {
        let versions = (0..5).map(|minor| (1, minor));
        let mut known = versions.filter(|it| broken(&of(version), *it).is_empty());
        known.next().unwrap().1
    };
    let all = ["1.0", "1.1", "1.3", "1.4", "1.5", "1.6"].map(first);
    assert_eq!(all, [0, 1, 1, 2, 2, 3]);
    let device = with((1, 1), &[], &["VK_KHR_spirv_1_4"]);
    assert_eq!(unmet(&of("1.4"), &device), []);
    assert_eq!(unmet(&of("1.5"), &device).len(), 1);
}

#[test]
fn workgroups_are_within_limits() {
    let size = |x: u32, y: u32, z: u32| {
        shader(
            "",
            &format!("OpExecutionMode %main LocalSize {x} {y} {z}"),
            "",
            "",
        )
    };
    assert_eq!(broken(&size(128, 1, 1), (1, 0)), [""; 0]);
    assert_eq!(broken(&size(129, 1, 1), (1, 0)), ["06429", "06432"]);
    assert_eq!(broken(&size(1, 129, 1), (1, 0)), ["06430", "06432"]);
    assert_eq!(broken(&size(1, 1, 65), (1, 0)), ["06431"]);
    assert_eq!(broken(&size(16, 16, 1), (1, 0)), ["06432"]);
    // Version 1.4 requires more.
    assert_eq!(broken(&size(16, 16, 1), (1, 4)), [""; 0]);
    let mut device = Device::new("device", (1, 0));
    device.set_limit(
        Limit::named("maxComputeWorkGroupInvocations").unwrap(),
        Value::Number(8.0),
    );
    assert_eq!(unmet(&size(9, 1, 1), &device).len(), 1);
    assert_eq!(unmet(&size(8, 1, 1), &device), []);
}

#[test]
fn a_constant_gives_the_size_in_place_of_the_mode() {
    let module = shader(
        "",
        "OpExecutionMode %main LocalSize 1 1 1
         OpDecorate %size BuiltIn WorkgroupSize",
        "%uvec3 = OpTypeVector %u32 3
         %many = OpSpecConstant %u32 512
         %one = OpConstant %u32 1
         %size = OpSpecConstantComposite %uvec3 %many %one %one",
        "",
    );
    assert_eq!(broken(&module, (1, 3)), ["06429", "06432"]);
}

#[test]
fn shared_memory_counts_unless_others_use_it() {
    let of = |entry: &str, body: &str| {
        let globals = "%count = OpConstant %u32 5000
             %zero = OpConstant %u32 0
             %array = OpTypeArray %u32 %count
             %arrays = OpTypePointer Workgroup %array
             %pointer = OpTypePointer Workgroup %u32
             %v = OpVariable %arrays Workgroup
             %other = OpFunction %void None %signature
             %other_entry = OpLabel
             %q = OpAccessChain %pointer %v %zero
             OpReturn
             OpFunctionEnd";
        let own = "%q = OpAccessChain %pointer %v %zero";
        let globals = match entry {
            "" => globals.replace(own, ""),
            _ => globals.to_owned(),
        };
        shader("", entry, &globals, body)
    };
    // Nobody uses it, but it is there.
    assert_eq!(broken(&of("", ""), (1, 0)), ["06530"]);
    let other = "OpEntryPoint GLCompute %other \"other\"";
    assert_eq!(broken(&of(other, ""), (1, 0)), ["06530"], "the other's");
    let used = of("", "%p = OpAccessChain %pointer %v %zero\nOpStore %p %zero");
    assert_eq!(broken(&used, (1, 0)), ["06530"]);
    let mut device = Device::new("device", (1, 0));
    let limit = Limit::named("maxComputeSharedMemorySize").unwrap();
    for (bytes, is_enough) in [(19_999.0, false), (20_000.0, true)] {
        device.set_limit(limit, Value::Number(bytes));
        assert_eq!(unmet(&used, &device).is_empty(), is_enough);
    }
}

#[test]
fn shared_booleans_have_32_bits() {
    let of = |count: u32| {
        let globals = format!(
            "%bool = OpTypeBool
             %v2bool = OpTypeVector %bool 2
             %count = OpConstant %u32 {count}
             %array = OpTypeArray %v2bool %count
             %arrays = OpTypePointer Workgroup %array
             %v = OpVariable %arrays Workgroup"
        );
        shader("", "", &globals, "")
    };
    assert_eq!(broken(&of(2048), (1, 0)), [""; 0]);
    assert_eq!(broken(&of(2049), (1, 0)), ["06530"]);
}

#[test]
fn the_memory_model_of_a_device_restricts_scopes() {
    let of = |body: &str| {
        let globals = "%device = OpConstant %u32 1
            %queue_family = OpConstant %u32 5
            %relaxed = OpConstant %u32 0
            %pointer = OpTypePointer Workgroup %u32
            %v = OpVariable %pointer Workgroup";
        shader("", "", globals, body)
    };
    let found = |body: &str, features: &[&str]| -> Vec<&'static str> {
        lacking(&of(body), &with((1, 2), features, &[]))
    };
    let wide = ["vulkanMemoryModel", "vulkanMemoryModelDeviceScope"];
    for body in [
        "%r = OpAtomicIAdd %u32 %v %device %relaxed %device",
        "OpMemoryBarrier %device %relaxed",
        "OpControlBarrier %device %device %relaxed",
    ] {
        assert_eq!(found(body, &wide[..1]), ["06265"], "{body}");
        assert_eq!(found(body, &wide), [""; 0], "{body}");
        assert_eq!(found(body, &[]), [""; 0], "{body}");
    }
    let body = "OpMemoryBarrier %queue_family %relaxed";
    assert_eq!(found(body, &wide[..1]), [""; 0]);
    assert_eq!(found(body, &[]), ["06266"]);
}

#[test]
fn atomic_operations_on_numbers_need_their_own_features() {
    let globals = "%device = OpConstant %u32 1
        %relaxed = OpConstant %u32 0
        %one = OpConstant %f32 1
        %pointer = OpTypePointer Workgroup %f32
        %v = OpVariable %pointer Workgroup";
    let of = |body: &str| shader("", "", globals, body);
    let found = |body: &str, feature: &str| lacking(&of(body), &with((1, 2), &[feature], &[]));
    let add = "%r = OpAtomicFAddEXT %f32 %v %device %relaxed %one";
    let exchange = "%r = OpAtomicExchange %f32 %v %device %relaxed %one";
    assert_eq!(found(add, "shaderSharedFloat32AtomicAdd"), [""; 0]);
    assert_eq!(found(add, "shaderSharedFloat32Atomics"), ["06338"]);
    assert_eq!(found(exchange, "shaderSharedFloat32Atomics"), [""; 0]);
    assert_eq!(found(exchange, "shaderSharedFloat32AtomicAdd"), ["06338"]);
    let buffers = found(add, "shaderBufferFloat32AtomicAdd");
    assert_eq!(buffers, ["06285", "06338"]);
}

#[test]
fn two_features_are_what_an_extension_was() {
    let module = words(
        "OpCapability Shader
         OpCapability ShaderViewportIndexLayerEXT
         OpExtension \"SPV_EXT_shader_viewport_index_layer\"
         OpMemoryModel Logical GLSL450",
    );
    let both = ["shaderOutputViewportIndex", "shaderOutputLayer"];
    let found = |device: &Device| unmet(&module, device).len();
    assert_eq!(found(&with((1, 2), &both, &[])), 0);
    assert_eq!(found(&with((1, 2), &both[..1], &[])), 1);
    let extension = ["VK_EXT_shader_viewport_index_layer"];
    assert_eq!(found(&with((1, 1), &[], &extension)), 0);
}

#[test]
fn places_in_heaps_may_be_worked_out() {
    let module = words(
        "OpCapability Shader
         OpCapability DescriptorHeapEXT
         OpMemoryModel Logical GLSL450
         OpMemberDecorateIdEXT %block 0 OffsetIdEXT %offset
         %u32 = OpTypeInt 32 0
         %f32 = OpTypeFloat 32
         %four = OpConstant %u32 4
         %offset = OpSpecConstantOp %u32 IMul %four %four
         %image = OpTypeImage %f32 2D 0 0 0 1 Unknown
         %block = OpTypeStruct %image",
    );
    let found = |alignment: f64| {
        let alignment = Value::Number(alignment);
        let device = with_property("imageDescriptorAlignment", alignment);
        let mut found = lacking(&module, &device);
        found.retain(|it| *it == "11477");
        found
    };
    assert_eq!(found(16.0), [""; 0]);
    assert_eq!(found(32.0), ["11477"]);
}

#[test]
fn instructions_need_features() {
    let integers = "%u64 = OpTypeInt 64 0
        %one = OpConstant %u32 1
        %zero = OpConstant %u32 0
        %three = OpConstant %u32 3
        %wide = OpConstant %u64 1
        %shared64 = OpTypePointer Workgroup %u64
        %w = OpVariable %shared64 Workgroup
        %v2u32 = OpTypeVector %u32 2";
    let of = |body: &str| shader("OpCapability Int64", "", integers, body);
    let features = |words: &[u32]| -> Vec<&str> {
        let found = broken(words, (1, 3)).into_iter();
        found
            .filter(|it| !it.starts_with("087") && *it != "06343")
            .collect()
    };
    let add = "%r = OpAtomicIAdd %u64 %w %one %zero %wide";
    assert_eq!(features(&of(add)), ["06279"]);
    let group = "%r = OpGroupNonUniformIAdd %u64 %three Reduce %wide";
    assert_eq!(features(&of(group)), ["06275"]);
    let narrow = "%r = OpGroupNonUniformIAdd %u32 %three Reduce %one";
    assert_eq!(features(&of(narrow)), [""; 0]);
    let clock = |scope: &str| format!("%r = OpReadClockKHR %v2u32 {scope}");
    assert_eq!(features(&of(&clock("%three"))), ["06267"]);
    assert_eq!(features(&of(&clock("%one"))), ["06268"]);
    let broadcast = |index: &str| {
        format!(
            "%i = OpIAdd %u32 %one %one\n%r = OpGroupNonUniformBroadcast %u32 %three %one {index}"
        )
    };
    assert_eq!(features(&of(&broadcast("%i"))), ["06277"]);
    assert_eq!(features(&of(&broadcast("%one"))), [""; 0]);
    // Both hold of the same instruction.
    let wide = "%i = OpIAdd %u32 %one %one\n%r = OpGroupNonUniformBroadcast %u64 %three %wide %i";
    assert_eq!(features(&of(wide)), ["06275", "06277"]);
}

#[test]
fn modes_need_features_and_properties() {
    let of = |mode: &str| shader("", &format!("OpExecutionMode %main {mode}"), "", "");
    assert_eq!(broken(&of("DenormPreserve 16"), (1, 3)), ["06296"]);
    assert_eq!(broken(&of("RoundingModeRTZ 64"), (1, 3)), ["06307"]);
    // Version 1.4 requires it.
    assert_eq!(
        broken(&of("SignedZeroInfNanPreserve 32"), (1, 3)),
        ["06294"]
    );
    assert_eq!(broken(&of("SignedZeroInfNanPreserve 32"), (1, 4)), [""; 0]);
    assert_eq!(
        broken(&of("SubgroupUniformControlFlowKHR"), (1, 3)),
        ["06379", "06379"],
        "the feature and the stage"
    );
}

#[test]
fn nothing_less_than_what_is_required_is_enough() {
    let module = shader(
        "OpCapability Int64\nOpCapability StorageBuffer8BitAccess\nOpCapability GroupNonUniformBallot",
        "OpExecutionMode %main LocalSize 512 1 1",
        "",
        "",
    );
    let index = ModuleIndex::new(&module).unwrap();
    let required = Requirements::of(&index);
    let device = &required.device;
    assert_eq!(unmet(&module, device), []);
    assert_eq!(required.unmet, []);
    let names: Vec<&str> = device.features().map(Feature::name).collect();
    assert_eq!(names, ["shaderInt64", "storageBuffer8BitAccess"]);
    for feature in device.features() {
        let mut less = device.clone();
        less.remove_feature(feature);
        assert_ne!(unmet(&module, &less), [], "{}", feature.name());
    }
    for name in device.extensions() {
        let mut less = device.clone();
        less.remove_extension(name);
        assert_ne!(unmet(&module, &less), [], "{name}");
    }
    for (limit, _) in device.limits() {
        let mut less = device.clone();
        less.remove_limit(limit);
        assert_ne!(unmet(&module, &less), [], "{}", limit.name());
    }
    let (major, minor) = device.version();
    assert_eq!((major, minor), (1, 1));
    let mut less = device.clone();
    less.set_version((1, 0));
    assert_ne!(unmet(&module, &less), []);
}

#[test]
fn what_vulkan_does_not_have_is_said() {
    let module = shader("OpCapability Kernel", "", "", "");
    let required = Requirements::of(&ModuleIndex::new(&module).unwrap());
    assert_eq!(required.unmet.len(), 1);
    assert_eq!(required.unmet[0].what, "the capability `Kernel`");
}

#[test]
fn only_what_is_turned_on_counts() {
    let device = Device::profile("VP_KHR_roadmap_2024").unwrap();
    let on = device.with_only(["imageCubeArray"]).unwrap();
    assert!(on.has(Feature::named("imageCubeArray").unwrap()));
    assert!(!on.has(Feature::named("independentBlend").unwrap()));
    assert!(device.with_only(["geometryShader"]).is_err());
    assert!(device.with_only(["geometryShade"]).is_err());
    let mut mine = Device::with_everything("mine");
    let module = shader(
        "OpCapability Geometry",
        "OpExecutionMode %main LocalSize 4096 1 1",
        "",
        "",
    );
    assert_eq!(unmet(&module, &mine), []);
    mine.set_limit(
        Limit::named("maxComputeWorkGroupSize").unwrap(),
        Value::Each(vec![64.0; 3]),
    );
    assert_eq!(unmet(&module, &mine).len(), 1);
}

/// The rules that only this device breaks by what it lacks, without capabilities' and extensions'.
fn lacking(words: &[u32], device: &Device) -> Vec<&'static str> {
    let rules = unmet(words, device).into_iter().map(|need| need.vuid);
    let rules = rules.filter(|vuid| vuid.starts_with("VUID-RuntimeSpirv"));
    rules.map(|vuid| vuid.rsplit_once('-').unwrap().1).collect()
}

/// A device of Vulkan 1.3 with a property.
fn with_property(name: &str, value: Value) -> Device {
    let mut device = Device::new("device", (1, 3));
    device.set_limit(Limit::named(name).unwrap(), value);
    device
}

fn named(name: &str) -> Value {
    Value::Names(vec![name.to_owned()])
}

#[test]
fn modes_for_several_widths_may_have_to_agree() {
    let of = |modes: &str| shader("", modes, "", "");
    let device = |value: &str| {
        let mut device = with_property("denormBehaviorIndependence", named(value));
        for width in [16, 32, 64] {
            for mode in ["Preserve", "FlushToZero"] {
                let name = format!("shaderDenorm{mode}Float{width}");
                device.set_limit(Limit::named(&name).unwrap(), Value::Bool(true));
            }
        }
        device
    };
    let [none, only, all] = ["NONE", "32_BIT_ONLY", "ALL"]
        .map(|it| device(&format!("VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_{it}")));
    let single =
        of("OpExecutionMode %main DenormPreserve 16\nOpExecutionMode %main DenormFlushToZero 32");
    assert_eq!(lacking(&single, &none), ["06290"]);
    assert_eq!(lacking(&single, &only), [""; 0]);
    let far =
        of("OpExecutionMode %main DenormPreserve 16\nOpExecutionMode %main DenormFlushToZero 64");
    assert_eq!(lacking(&far, &only), ["06289"]);
    assert_eq!(lacking(&far, &none), ["06290"]);
    assert_eq!(lacking(&far, &all), [""; 0]);
    let same =
        of("OpExecutionMode %main DenormPreserve 16\nOpExecutionMode %main DenormPreserve 64");
    assert_eq!(lacking(&same, &none), [""; 0]);
}

#[test]
fn fast_math_that_preserves_needs_a_property() {
    let of = |mask: u32| {
        shader(
            "OpCapability FloatControls2",
            "OpExecutionModeId %main FPFastMathDefault %f32 %mask",
            &format!("%mask = OpConstant %u32 {mask}"),
            "",
        )
    };
    let device = Device::new("device", (1, 3));
    assert_eq!(lacking(&of(0), &device), ["09561"]);
    assert_eq!(lacking(&of(7), &device), [""; 0]);
    let has = with_property("shaderSignedZeroInfNanPreserveFloat32", Value::Bool(true));
    assert_eq!(lacking(&of(0), &has), [""; 0]);
    let decorated = |mask: &str| {
        let globals = "%one = OpConstant %f32 1";
        let module = shader(
            "",
            &format!("OpDecorate %sum FPFastMathMode {mask}"),
            globals,
            "%sum = OpFAdd %f32 %one %one",
        );
        lacking(&module, &device)
    };
    assert_eq!(decorated("NSZ"), ["09562"]);
    assert_eq!(decorated("NSZ|NotInf|NotNaN"), [""; 0]);
    // All widths count, but no literals: 16 is the number of an index here, and of a type.
    let convert = |body: &str| {
        let text = format!(
            "OpCapability Shader
             OpMemoryModel Logical GLSL450
             OpEntryPoint GLCompute %main \"main\"
             OpDecorate %sum FPFastMathMode NSZ
             %void = OpTypeVoid
             %f32 = OpTypeFloat 32
             %f16 = OpTypeFloat 16
             %signature = OpTypeFunction %void
             %one = OpConstant %f32 1
             %four = OpTypeVector %f32 4
             %all = OpConstantNull %four
             %main = OpFunction %void None %signature
             %entry = OpLabel
             {body}
             OpReturn
             OpFunctionEnd"
        );
        lacking(&words(&text), &device)
    };
    assert_eq!(convert("%sum = OpFConvert %f16 %one"), ["09560", "09562"]);
    for index in 0..4 {
        let extract = format!("%sum = OpCompositeExtract %f32 %all {index}");
        assert_eq!(convert(&extract), ["09562"]);
    }
}

#[test]
fn uniform_control_flow_needs_the_stage_and_nothing_that_repacks() {
    let of = |body: &str| {
        shader(
            "",
            "OpExecutionMode %main SubgroupUniformControlFlowKHR",
            "",
            body,
        )
    };
    let mut device = with((1, 3), &["shaderSubgroupUniformControlFlow"], &[]);
    assert_eq!(lacking(&of(""), &device), ["06379"]);
    let stages = Limit::named("subgroupSupportedStages").unwrap();
    device.set_limit(stages, named("VK_SHADER_STAGE_COMPUTE_BIT"));
    assert_eq!(lacking(&of(""), &device), [""; 0]);
    let repacks = "%zero = OpUndef %u32\nOpExecuteCallableKHR %zero %zero";
    assert_eq!(lacking(&of(repacks), &device), ["06379"]);
}

#[test]
fn limits_of_mesh_shaders_are_required_ones() {
    let limit = Limit::named("maxMeshWorkGroupSize").unwrap();
    assert_eq!(limit.required((1, 1)), Some(Value::Each(vec![128.0; 3])));
    let other = Limit::named("VkPhysicalDeviceMeshShaderPropertiesNV::maxMeshWorkGroupSize");
    assert_eq!(
        other.unwrap().required((1, 1)),
        Some(Value::Each(vec![32.0, 1.0, 1.0]))
    );
}

#[test]
fn types_within_themselves_end() {
    let module = shader(
        "",
        "OpDecorate %a Block",
        "%three = OpConstant %u32 3
         %a = OpTypeArray %a %three
         %uniforms = OpTypePointer Uniform %a
         %v = OpVariable %uniforms Uniform
         %shared = OpTypePointer Workgroup %a
         %w = OpVariable %shared Workgroup",
        "",
    );
    assert_eq!(broken(&module, (1, 3)), [""; 0]);
}

#[test]
fn entry_points_of_one_function_are_looked_at_once() {
    let mut text = String::from("OpCapability Shader\nOpMemoryModel Logical GLSL450\n");
    for number in 0..20_000 {
        text += &format!("OpEntryPoint GLCompute %main \"{number}\"\n");
    }
    for width in [16, 32, 64].repeat(7_000) {
        text += &format!("OpExecutionMode %main DenormPreserve {width}\n");
    }
    text += "%void = OpTypeVoid\n%s = OpTypeFunction %void\n%u32 = OpTypeInt 32 0
        %shared = OpTypePointer Workgroup %u32\n%v = OpVariable %shared Workgroup
        %main = OpFunction %void None %s\n%l = OpLabel\n";
    for number in 0..20_000 {
        text += &format!("%r{number} = OpLoad %u32 %v\n");
    }
    text += "OpReturn\nOpFunctionEnd";
    let found = unmet(&words(&text), &Device::new("device", (1, 0)));
    // One for each mode.
    assert_eq!(found.len(), 21_000);
}

#[test]
fn a_portable_device_may_lack_tessellation_modes() {
    let module = words(
        "OpCapability Tessellation
         OpMemoryModel Logical GLSL450
         OpEntryPoint TessellationEvaluation %main \"main\"
         OpExecutionMode %main Isolines
         %void = OpTypeVoid
         %signature = OpTypeFunction %void
         %main = OpFunction %void None %signature
         %entry = OpLabel
         OpReturn
         OpFunctionEnd",
    );
    assert_eq!(lacking(&module, &with((1, 3), &[], &[])), [""; 0]);
    let portable = ["VK_KHR_portability_subset"];
    assert_eq!(lacking(&module, &with((1, 3), &[], &portable)), ["06326"]);
    assert_eq!(
        lacking(&module, &with((1, 3), &["tessellationIsolines"], &portable)),
        [""; 0]
    );
}

#[test]
fn group_operations_need_their_stage() {
    let of = |model: &str, body: &str| {
        words(&format!(
            "OpCapability Shader
             OpMemoryModel Logical GLSL450
             OpEntryPoint {model} %main \"main\"
             %void = OpTypeVoid
             %u32 = OpTypeInt 32 0
             %bool = OpTypeBool
             %three = OpConstant %u32 3
             %true = OpConstantTrue %bool
             %signature = OpTypeFunction %void
             %main = OpFunction %void None %signature
             %entry = OpLabel
             %call = OpFunctionCall %void %inner
             OpReturn
             OpFunctionEnd
             %inner = OpFunction %void None %signature
             %start = OpLabel
             {body}
             OpReturn
             OpFunctionEnd"
        ))
    };
    let vote = "%r = OpGroupNonUniformAll %bool %three %true";
    let device = with_property(
        "subgroupSupportedStages",
        named("VK_SHADER_STAGE_COMPUTE_BIT"),
    );
    assert_eq!(lacking(&of("GLCompute", vote), &device), [""; 0]);
    assert_eq!(lacking(&of("Vertex", vote), &device), ["06343"]);
    let device = with_property(
        "subgroupSupportedStages",
        named("VK_SHADER_STAGE_ALL_GRAPHICS"),
    );
    assert_eq!(lacking(&of("Vertex", vote), &device), [""; 0]);
    let quad = "%r = OpGroupNonUniformQuadSwap %u32 %three %three %three";
    assert_eq!(lacking(&of("Vertex", quad), &device), ["06342"]);
    assert_eq!(lacking(&of("Fragment", quad), &device), [""; 0]);
}

#[test]
fn offsets_of_texels_are_within_limits() {
    let of = |offset: i32, operation: &str| {
        let globals = format!(
            "%i32 = OpTypeInt 32 1
             %v2 = OpTypeVector %i32 2
             %v2f = OpTypeVector %f32 2
             %v4 = OpTypeVector %f32 4
             %zero = OpConstant %i32 0
             %number = OpConstant %i32 {offset}
             %offset = OpConstantComposite %v2 %zero %number
             %place = OpConstantNull %v2f
             %one = OpConstant %f32 1
             %image = OpTypeImage %f32 2D 0 0 0 1 Unknown
             %sampled = OpTypeSampledImage %image
             %both = OpUndef %sampled"
        );
        shader("", "", &globals, operation)
    };
    let sample = "%r = OpImageSampleExplicitLod %v4 %both %place Lod|ConstOffset %one %offset";
    let device = Device::new("device", (1, 0));
    for (offset, rules) in [(7, &[][..]), (8, &["06436"]), (-8, &[]), (-9, &["06435"])] {
        assert_eq!(lacking(&of(offset, sample), &device), rules, "{offset}");
    }
    let gather = "%r = OpImageGather %v4 %both %place %zero ConstOffset %offset";
    assert_eq!(lacking(&of(8, gather), &device), ["06377"]);
}

#[test]
fn transform_feedback_is_within_limits() {
    let of = |lines: &str| {
        let globals = "%three = OpConstant %u32 3\n%outputs = OpTypePointer Output %u32\n%v = OpVariable %outputs Output";
        shader("", lines, globals, "OpEmitStreamVertex %three")
    };
    let mut device = with_property("maxTransformFeedbackStreams", Value::Number(3.0));
    let stride = Limit::named("maxTransformFeedbackBufferDataStride").unwrap();
    device.set_limit(stride, Value::Number(16.0));
    let module = of("OpDecorate %v Stream 3\nOpDecorate %v XfbStride 20");
    assert_eq!(lacking(&module, &device), ["06312", "06313", "06310"]);
    let streams = Limit::named("maxTransformFeedbackStreams").unwrap();
    device.set_limit(streams, Value::Number(4.0));
    device.set_limit(stride, Value::Number(20.0));
    assert_eq!(lacking(&module, &device), [""; 0]);
}

#[test]
fn floats_need_atomics_of_their_width() {
    let globals = "%zero = OpConstant %u32 0
         %one = OpConstant %u32 1
         %half = OpConstant %f32 0.5
         %shared = OpTypePointer Workgroup %f32
         %v = OpVariable %shared Workgroup";
    let module = shader(
        "",
        "",
        globals,
        "%r = OpAtomicExchange %f32 %v %one %zero %half",
    );
    assert_eq!(
        lacking(&module, &Device::new("device", (1, 3))),
        ["06285", "06338"]
    );
    let image = with((1, 3), &["shaderImageFloat32Atomics"], &[]);
    assert_eq!(lacking(&module, &image), ["06285", "06338"]);
    let shared = with((1, 3), &["shaderSharedFloat32Atomics"], &[]);
    assert_eq!(lacking(&module, &shared), [""; 0]);
}

#[test]
fn very_many_entry_points_take_no_longer_than_their_functions() {
    let mut text = String::from("OpCapability Shader\nOpMemoryModel Logical GLSL450\n");
    for number in 0..3_000 {
        text += &format!("OpEntryPoint GLCompute %f{number} \"{number}\"\n");
    }
    text +=
        "%void = OpTypeVoid\n%s = OpTypeFunction %void\n%u32 = OpTypeInt 32 0\n%bool = OpTypeBool
        %three = OpConstant %u32 3\n%true = OpConstantTrue %bool\n";
    for number in 0..3_000 {
        text += &format!(
            "%f{number} = OpFunction %void None %s\n%l{number} = OpLabel
             %g{number} = OpGroupNonUniformAll %bool %three %true\nOpReturn\nOpFunctionEnd\n"
        );
    }
    let found = unmet(&words(&text), &Device::new("device", (1, 3)));
    assert!(
        found.len() < 3_000 && found.iter().any(|it| it.vuid.ends_with("06343")),
        "{}",
        found.len()
    );
}
