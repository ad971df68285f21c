//! Lists of what devices take, and needs that others depend on.

use spirvkit_analysis::ModuleIndex;
use spirvkit_grammar::Version;
use spirvkit_text::{AssembleOptions, assemble};
use spirvkit_vulkan::{Device, MatrixShader, Requirements, Value, matrix_needs, needs};

fn words(text: &str) -> Vec<u32> {
    let options = AssembleOptions::default().default_version(Version::V1_3);
    assemble(text, &options).unwrap().words
}

fn is_met(words: &[u32], device: &Device) -> bool {
    let m = ModuleIndex::new(words).unwrap();
    needs(&m).iter().all(|need| need.is_met_by(device))
}

/// Whether a device with what is required takes a module, and none with less.
fn is_exact(words: &[u32]) -> bool {
    let m = ModuleIndex::new(words).unwrap();
    let required = Requirements::of(&m);
    let device = required.device;
    let refuses = |change: &dyn Fn(&mut Device)| {
        let mut less = device.clone();
        change(&mut less);
        !is_met(words, &less)
    };
    let lists: Vec<(&str, usize)> = device.lists().map(|(it, all)| (it, all.len())).collect();
    is_met(words, &device)
        && device
            .features()
            .all(|it| refuses(&|less| less.remove_feature(it)))
        && device
            .limits()
            .all(|it| refuses(&|less| less.remove_limit(it.0)))
        && lists.iter().all(|(name, count)| {
            (0..*count).all(|index| refuses(&|less| less.remove_entry(name, index)))
        })
}

const MATRICES: &str = "
    OpCapability Shader
    OpCapability CooperativeMatrixKHR
    OpCapability VulkanMemoryModel
    OpMemoryModel Logical Vulkan
    OpEntryPoint GLCompute %main \"main\"
    OpExecutionMode %main LocalSize 1 1 1
    %void = OpTypeVoid
    %u32 = OpTypeInt 32 0
    %f16 = OpTypeFloat 16
    %use_a = OpConstant %u32 0
    %use_b = OpConstant %u32 1
    %use_c = OpConstant %u32 2
    %subgroup = OpConstant %u32 3
    %8 = OpConstant %u32 8
    %a = OpTypeCooperativeMatrixKHR %f16 %subgroup %8 %8 %use_a
    %b = OpTypeCooperativeMatrixKHR %f16 %subgroup %8 %8 %use_b
    %c = OpTypeCooperativeMatrixKHR %f16 %subgroup %8 %8 %use_c
    %a_0 = OpConstantNull %a
    %b_0 = OpConstantNull %b
    %c_0 = OpConstantNull %c
    %fn = OpTypeFunction %void
    %main = OpFunction %void None %fn
    %entry = OpLabel
    %result = OpCooperativeMatrixMulAddKHR %c %a_0 %b_0 %c_0
    OpReturn
    OpFunctionEnd";

#[test]
fn one_entry_is_required_for_a_product_and_its_types() {
    let words = words(MATRICES);
    let m = ModuleIndex::new(&words).unwrap();
    let required = Requirements::of(&m);
    let list = required.device.list("VkCooperativeMatrixPropertiesKHR");
    let [entry] = list.unwrap() else {
        panic!("{list:?}");
    };
    let f16 = Value::Names(vec!["VK_COMPONENT_TYPE_FLOAT16_KHR".to_owned()]);
    for member in ["AType", "BType", "CType", "ResultType"] {
        assert_eq!(entry[member], f16);
    }
    for member in ["MSize", "NSize", "KSize"] {
        assert_eq!(entry[member], Value::Number(8.0));
    }
    assert!(is_exact(&words));
    // Of a list that nobody knows, nothing is said; of an empty one, it is.
    let mut device = Device::with_everything("all");
    assert!(is_met(&words, &device));
    device
        .grant("!cooperativeMatrixFlexibleDimensions")
        .unwrap();
    device.grant("!cooperativeMatrixProperties2").unwrap();
    device
        .grant("VkCooperativeMatrixPropertiesKHR/MSize=16")
        .unwrap();
    assert!(!is_met(&words, &device));
    device.grant("cooperativeMatrixProperties2").unwrap();
    assert!(
        is_met(&words, &device),
        "of the other list, nothing is known"
    );
}

#[test]
fn matrices_are_listed_for_sizes_of_subgroups() {
    let words = words(MATRICES);
    let m = ModuleIndex::new(&words).unwrap();
    let mut device = Device::with_everything("all");
    let f16 = "VK_COMPONENT_TYPE_FLOAT16_KHR";
    let entry = |sizes: &str| {
        format!(
            "VkCooperativeMatrixProperties2EXT/MGranularity=4/NGranularity=4/KGranularity=4/\
             AType={f16}/BType={f16}/CType={f16}/ResultType={f16}/scope=VK_SCOPE_SUBGROUP_KHR{sizes}"
        )
    };
    device
        .grant("VkCooperativeMatrixPropertiesKHR/MSize=16")
        .unwrap();
    device.grant(&entry("/subgroupSize=64")).unwrap();
    let unmet = |device: &Device, subgroup_size| {
        let shader = MatrixShader {
            subgroup_size,
            ..MatrixShader::default()
        };
        let all = matrix_needs(&m, shader).into_iter();
        all.filter(|need| !need.is_met_by(device))
            .map(|need| need.vuid.rsplit_once('-').unwrap().1)
            .collect::<Vec<_>>()
    };
    assert_eq!(unmet(&device, None), [""; 0]);
    assert_eq!(unmet(&device, Some(64)), [""; 0]);
    let wrong = ["13382", "13382", "13382", "13383"];
    assert_eq!(unmet(&device, Some(32)), wrong);
    // Without flexible dimensions, they are those of the entry.
    device
        .grant("!cooperativeMatrixFlexibleDimensions")
        .unwrap();
    assert_eq!(unmet(&device, Some(64)), wrong);
    let exact = entry("/subgroupSize=0").replace("=4", "=8");
    device.grant(&exact).unwrap();
    assert_eq!(unmet(&device, Some(0)), [""; 0]);
    let saturating = "VK_COOPERATIVE_MATRIX_SATURATING_ACCUMULATION_BIT_EXT";
    device.remove_entry("VkCooperativeMatrixProperties2EXT", 1);
    device
        .grant(&format!("{exact}/flags={saturating}"))
        .unwrap();
    assert_eq!(unmet(&device, Some(0)), ["13383"]);
    device.grant("!cooperativeMatrixProperties2").unwrap();
    assert_eq!(unmet(&device, None), ["10163", "10163", "10163", "10060"]);
}

#[test]
fn matrices_of_workgroups_are_listed_for_numbers_of_invocations() {
    let words = words(&MATRICES.replace(
        "%subgroup = OpConstant %u32 3",
        "%subgroup = OpConstant %u32 2",
    ));
    let mut device = Device::with_everything("all");
    device
        .grant("VkCooperativeMatrixPropertiesKHR/MSize=16")
        .unwrap();
    let f16 = "VK_COMPONENT_TYPE_FLOAT16_KHR";
    let entry = |count: u32| {
        format!(
            "VkCooperativeMatrixFlexibleDimensionsPropertiesNV/MGranularity=4/NGranularity=4/\
             KGranularity=4/AType={f16}/BType={f16}/CType={f16}/ResultType={f16}/\
             scope=VK_SCOPE_WORKGROUP_KHR/saturatingAccumulation=false/workgroupInvocations={count}"
        )
    };
    device.grant(&entry(64)).unwrap();
    assert!(!is_met(&words, &device));
    device.grant(&entry(1)).unwrap();
    assert!(is_met(&words, &device));
}

#[test]
fn of_stages_that_nobody_tells_nothing_is_known() {
    let words = words(MATRICES);
    let lacks = |device: &Device| {
        let m = ModuleIndex::new(&words).unwrap();
        let unmet = needs(&m).into_iter().filter(|need| !need.is_met_by(device));
        unmet.filter(|need| need.vuid.ends_with("-08985")).count()
    };
    let mut device = Device::new("one", (1, 3));
    assert_eq!(lacks(&device), 0);
    for (stage, count) in [("VERTEX", 1), ("COMPUTE", 0)] {
        let text = format!("cooperativeMatrixSupportedStages=VK_SHADER_STAGE_{stage}_BIT");
        device.grant(&text).unwrap();
        assert_eq!(lacks(&device), count, "{stage}");
    }
}

#[test]
fn what_others_depend_on_is_required_exactly() {
    let shader = |head: &str, globals: &str, body: &str| {
        words(&format!(
            "OpCapability Shader
             {head}
             %void = OpTypeVoid
             %u8 = OpTypeInt 8 0
             %u32 = OpTypeInt 32 0
             %0 = OpConstant %u32 0
             %1 = OpConstant %u32 1
             %2 = OpConstant %u32 2
             %3 = OpConstant %u32 3
             %5000 = OpConstant %u32 5000
             %fn = OpTypeFunction %void
             {globals}
             %main = OpFunction %void None %fn
             %entry = OpLabel
             {body}
             OpReturn
             OpFunctionEnd"
        ))
    };
    let compute = "OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main \"main\"
        OpExecutionMode %main LocalSize 1 1 1";
    let shared = "%array = OpTypeArray %u32 %5000
        %pointer = OpTypePointer Workgroup %array
        %shared = OpVariable %pointer Workgroup";
    let split = shader(
        &format!("OpCapability SplitBarrierEXT\n{compute}"),
        shared,
        "%value = OpLoad %array %shared
         OpControlBarrierArriveEXT %2 %2 %0
         OpControlBarrierWaitEXT %2 %2 %0",
    );
    assert!(is_exact(&split));
    let m = ModuleIndex::new(&split).unwrap();
    let required = Requirements::of(&m).device;
    let limits: Vec<_> = required
        .limits()
        .map(|it| (it.0.name(), it.1.clone()))
        .collect();
    // 5000 numbers, and the 8 bytes that all devices may keep.
    assert_eq!(
        limits,
        [("maxComputeSharedMemorySize", Value::Number(20_008.0))]
    );

    let heap = shader(
        &format!(
            "OpCapability DescriptorHeapEXT
             OpCapability UntypedPointersKHR
             {compute}
             OpMemberDecorate %struct 0 Offset 0
             OpMemberDecorate %struct 1 Offset 48
             OpMemberDecorate %struct 2 Offset 72"
        ),
        "%sampler = OpTypeSampler
         %struct = OpTypeStruct %sampler %sampler %sampler",
        "",
    );
    assert!(is_exact(&heap));
    let m = ModuleIndex::new(&heap).unwrap();
    let required = Requirements::of(&m).device;
    let limits: Vec<_> = required
        .limits()
        .map(|it| (it.0.name(), it.1.clone()))
        .collect();
    // The greatest number that divides both, and 32.
    assert_eq!(limits, [("samplerDescriptorAlignment", Value::Number(8.0))]);

    let small = shader(
        &format!(
            "OpCapability StorageBuffer8BitAccess
             {compute}
             OpDecorate %block Block
             OpMemberDecorate %block 0 Offset 0"
        ),
        "%block = OpTypeStruct %u8
         %pointer = OpTypePointer StorageBuffer %block
         %buffer = OpVariable %pointer StorageBuffer",
        "",
    );
    assert!(is_exact(&small));

    let vertex = shader(
        "OpMemoryModel Logical GLSL450
         OpEntryPoint Vertex %main \"main\"
         OpDecorate %block BufferBlock
         OpMemberDecorate %block 0 Offset 0",
        "%block = OpTypeStruct %u32
         %pointer = OpTypePointer Uniform %block
         %number = OpTypePointer Uniform %u32
         %buffer = OpVariable %pointer Uniform",
        "%place = OpAccessChain %number %buffer %0",
    );
    assert!(is_exact(&vertex));
    let m = ModuleIndex::new(&vertex).unwrap();
    let required = Requirements::of(&m).device;
    let features: Vec<&str> = required.features().map(|it| it.name()).collect();
    assert_eq!(features, ["vertexPipelineStoresAndAtomics"]);
}

#[test]
fn very_many_entry_points_of_one_interface_are_no_more_work() {
    let count = 3000;
    let entries: String = (0..count)
        .map(|index| format!("OpEntryPoint MeshEXT %main \"e{index}\" %output\n"))
        .collect();
    let members: String = (0..count)
        .map(|index| format!("OpMemberDecorate %block {index} Location {index}\n"))
        .collect();
    let text = format!(
        "OpCapability MeshShadingEXT
         OpMemoryModel Logical GLSL450
         {entries}
         OpExecutionMode %main LocalSize 1 1 1
         OpExecutionMode %main OutputVertices 4
         OpDecorate %block Block
         {members}
         %void = OpTypeVoid
         %u32 = OpTypeInt 32 0
         %4 = OpConstant %u32 4
         %block = OpTypeStruct {}
         %blocks = OpTypeArray %block %4
         %pointer = OpTypePointer Output %blocks
         %output = OpVariable %pointer Output
         %fn = OpTypeFunction %void
         %main = OpFunction %void None %fn
         %entry = OpLabel
         OpReturn
         OpFunctionEnd",
        "%u32 ".repeat(count)
    );
    let words = words(&text);
    let m = ModuleIndex::new(&words).unwrap();
    let start = std::time::Instant::now();
    assert!(!needs(&m).is_empty());
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}
