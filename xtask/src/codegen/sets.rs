//! What the JSON files of the extended instruction sets do not say: the
//! string that imports each set, and the name of its Rust type.

/// How a set found on disk is presented.
pub(super) struct SetName {
    /// The part of the file's name between `extinst.` and `.grammar.json`.
    pub(super) file: &'static str,
    /// The import name; with a `*` at its end, a prefix before a version.
    pub(super) import: &'static str,
    /// The Rust identifier.
    pub(super) ident: &'static str,
}

/// Sources: the specification of each set, or of the extension that adds it.
const SETS: &[SetName] = &[
    set(
        "arm.experimental-ml-operations",
        "Arm.ExperimentalMLOperations.*",
        "ArmExperimentalMlOperations",
    ),
    set(
        "arm.motion-engine.100",
        "Arm.MotionEngine.100",
        "ArmMotionEngine100",
    ),
    set("debuginfo", "DebugInfo", "DebugInfo"),
    set("glsl.std.450", "GLSL.std.450", "GlslStd450"),
    set(
        "nonsemantic.clspvreflection",
        "NonSemantic.ClspvReflection.*",
        "ClspvReflection",
    ),
    set(
        "nonsemantic.debugbreak",
        "NonSemantic.DebugBreak",
        "DebugBreak",
    ),
    set(
        "nonsemantic.debugprintf",
        "NonSemantic.DebugPrintf",
        "DebugPrintf",
    ),
    set(
        "nonsemantic.graph.debuginfo",
        "NonSemantic.Graph.DebugInfo.*",
        "GraphDebugInfo",
    ),
    set(
        "nonsemantic.shader.debuginfo.100",
        "NonSemantic.Shader.DebugInfo.100",
        "ShaderDebugInfo100",
    ),
    set(
        "nonsemantic.shader.debuginfo",
        "NonSemantic.Shader.DebugInfo.*",
        "ShaderDebugInfo",
    ),
    set(
        "nonsemantic.vkspreflection",
        "NonSemantic.VkspReflection.*",
        "VkspReflection",
    ),
    set(
        "opencl.debuginfo.100",
        "OpenCL.DebugInfo.100",
        "OpenClDebugInfo100",
    ),
    set("opencl.std.100", "OpenCL.std", "OpenClStd"),
    set("spv-amd-gcn-shader", "SPV_AMD_gcn_shader", "AmdGcnShader"),
    set(
        "spv-amd-shader-ballot",
        "SPV_AMD_shader_ballot",
        "AmdShaderBallot",
    ),
    set(
        "spv-amd-shader-explicit-vertex-parameter",
        "SPV_AMD_shader_explicit_vertex_parameter",
        "AmdShaderExplicitVertexParameter",
    ),
    set(
        "spv-amd-shader-trinary-minmax",
        "SPV_AMD_shader_trinary_minmax",
        "AmdShaderTrinaryMinMax",
    ),
    set("tosa.001000.1", "TOSA.001000.1", "Tosa001000_1"),
];

const fn set(file: &'static str, import: &'static str, ident: &'static str) -> SetName {
    SetName {
        file,
        import,
        ident,
    }
}

/// Finds the presentation of the set in `extinst.<file>.grammar.json`.
pub(super) fn find(file: &str) -> Result<&'static SetName, String> {
    SETS.iter().find(|set| set.file == file).ok_or_else(|| {
        format!("no import name is known for extinst.{file}.grammar.json: add it to xtask/src/codegen/sets.rs")
    })
}
