//! The sizes of points, which shaders write always or never.

use spirvkit_analysis::ModuleIndex;
use spirvkit_testing::words;
use spirvkit_vulkan::{Device, needs};

/// The rules that a shader of some stage breaks on a device that has everything.
fn broken(stage: &str, body: &str) -> Vec<&'static str> {
    let words = words(&format!(
        "OpCapability Shader
        OpCapability Geometry
        OpMemoryModel Logical GLSL450
        OpEntryPoint {stage} %main \"main\" %size
        OpDecorate %size BuiltIn PointSize
        %void = OpTypeVoid
        %bool = OpTypeBool
        %true = OpConstantTrue %bool
        %f32 = OpTypeFloat 32
        %one = OpConstant %f32 1
        %output = OpTypePointer Output %f32
        %size = OpVariable %output Output
        %signature = OpTypeFunction %void
        %main = OpFunction %void None %signature
        %entry = OpLabel
        {body}
        OpReturn
        OpFunctionEnd
        %writes = OpFunction %void None %signature
        %start = OpLabel
        OpStore %size %one
        OpReturn
        OpFunctionEnd"
    ));
    let module = ModuleIndex::new(&words).unwrap();
    let device = Device::with_everything("the device");
    let all = needs(&module).into_iter();
    let unmet = all.filter(|need| !need.is_met_by(&device));
    unmet
        .filter_map(|need| need.vuid.strip_prefix("VUID-RuntimeSpirv-maintenance5-"))
        .collect()
}

const WRITE: &str = "OpStore %size %one\n";
const CALL: &str = "%call = OpFunctionCall %void %writes\n";

/// Code that runs or doesn't.
fn perhaps(code: &str) -> String {
    format!(
        "OpSelectionMerge %merge None
        OpBranchConditional %true %then %merge
        %then = OpLabel
        {code}
        OpBranch %merge
        %merge = OpLabel\n"
    )
}

#[test]
fn sizes_are_written_always_or_never() {
    assert_eq!(broken("Vertex", ""), [""; 0]);
    assert_eq!(broken("Vertex", WRITE), [""; 0]);
    assert_eq!(broken("Vertex", CALL), [""; 0]);
    assert_eq!(broken("Vertex", &perhaps(WRITE)), ["09190"]);
    assert_eq!(broken("TessellationEvaluation", &perhaps(CALL)), ["09190"]);
    assert_eq!(broken("Vertex", &(perhaps(WRITE) + WRITE)), [""; 0]);
    // Each invocation writes vertices of its own, or none.
    assert_eq!(broken("MeshEXT", &perhaps(WRITE)), [""; 0]);
}

#[test]
fn sizes_are_written_for_each_vertex() {
    const EMIT: &str = "OpEmitVertex\n";
    let of = |parts: &[&str]| broken("Geometry", &parts.concat());
    assert_eq!(of(&[EMIT, EMIT]), [""; 0]);
    assert_eq!(of(&[WRITE, EMIT, CALL, EMIT]), [""; 0]);
    assert_eq!(of(&[WRITE, EMIT, EMIT]), ["10934"]);
    assert_eq!(of(&[&perhaps(WRITE), EMIT]), ["10934"]);
    // Without a vertex, nothing needs a size.
    assert_eq!(of(&[&perhaps(&[WRITE, EMIT].concat())]), [""; 0]);
}

#[test]
fn very_many_entry_points_and_writes_are_no_more_work() {
    let count = 3000;
    let each = |line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<String>();
    let entries = each(&|index| {
        format!(
            "OpEntryPoint Vertex %main \"e{index}\" %size\nOpEntryPoint Vertex %g{index} \"g{index}\" %size\n"
        )
    });
    let functions = each(&|index| {
        format!(
            "%g{index} = OpFunction %void None %signature
            %l{index} = OpLabel
            OpReturn
            OpFunctionEnd\n"
        )
    });
    let text = format!(
        "OpCapability Shader
        OpMemoryModel Logical GLSL450
        {entries}
        OpDecorate %size BuiltIn PointSize
        %void = OpTypeVoid
        %f32 = OpTypeFloat 32
        %one = OpConstant %f32 1
        %output = OpTypePointer Output %f32
        %size = OpVariable %output Output
        %signature = OpTypeFunction %void
        {functions}
        %main = OpFunction %void None %signature
        %entry = OpLabel
        {}
        OpReturn
        OpFunctionEnd",
        WRITE.repeat(count)
    );
    let words = words(&text);
    let module = ModuleIndex::new(&words).unwrap();
    let start = std::time::Instant::now();
    assert!(!needs(&module).is_empty());
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}
