//! The declarations around the rules' examples.

use spirvkit_grammar::{TargetEnv, Version};

use crate::rule::Frame;

/// What comes before and after the lines of a piece.
struct Declarations {
    preamble: &'static str,
    modes: &'static str,
    globals: &'static str,
}

static SHADER: Declarations = Declarations {
    preamble: "OpCapability Shader
OpCapability Int8
OpCapability Int16
OpCapability Int64
OpCapability Float16
OpCapability Float64
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
",
    modes: "OpExecutionMode %main LocalSize 1 1 1
",
    globals: SHADER_GLOBALS,
};

static FRAGMENT: Declarations = Declarations {
    preamble: "OpCapability Shader
OpCapability Int8
OpCapability Int16
OpCapability Int64
OpCapability Float16
OpCapability Float64
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main \"main\"
",
    modes: "OpExecutionMode %main OriginUpperLeft
",
    globals: SHADER_GLOBALS,
};

static KERNEL: Declarations = Declarations {
    preamble: "OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpCapability Int8
OpCapability Int16
OpCapability Int64
OpCapability Float16
OpCapability Float64
OpCapability Vector16
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main \"main\"
",
    modes: "",
    globals: KERNEL_GLOBALS,
};

const SHADER_GLOBALS: &str = "%void = OpTypeVoid
%bool = OpTypeBool
%i8 = OpTypeInt 8 1
%u8 = OpTypeInt 8 0
%i16 = OpTypeInt 16 1
%u16 = OpTypeInt 16 0
%i32 = OpTypeInt 32 1
%u32 = OpTypeInt 32 0
%i64 = OpTypeInt 64 1
%u64 = OpTypeInt 64 0
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%f64 = OpTypeFloat 64
%v2bool = OpTypeVector %bool 2
%v3bool = OpTypeVector %bool 3
%v4bool = OpTypeVector %bool 4
%v2i32 = OpTypeVector %i32 2
%v3i32 = OpTypeVector %i32 3
%v4i32 = OpTypeVector %i32 4
%v2u32 = OpTypeVector %u32 2
%v3u32 = OpTypeVector %u32 3
%v4u32 = OpTypeVector %u32 4
%v2f16 = OpTypeVector %f16 2
%v2f32 = OpTypeVector %f32 2
%v3f32 = OpTypeVector %f32 3
%v4f32 = OpTypeVector %f32 4
%v2f64 = OpTypeVector %f64 2
%mat2 = OpTypeMatrix %v2f32 2
%mat3 = OpTypeMatrix %v3f32 3
%mat4 = OpTypeMatrix %v4f32 4
%false = OpConstantFalse %bool
%true = OpConstantTrue %bool
%i32_0 = OpConstant %i32 0
%i32_1 = OpConstant %i32 1
%i32_2 = OpConstant %i32 2
%i32_m1 = OpConstant %i32 -1
%u32_0 = OpConstant %u32 0
%u32_1 = OpConstant %u32 1
%u32_2 = OpConstant %u32 2
%u32_3 = OpConstant %u32 3
%u32_4 = OpConstant %u32 4
%u32_16 = OpConstant %u32 16
%i64_0 = OpConstant %i64 0
%u64_1 = OpConstant %u64 1
%f16_0 = OpConstant %f16 0
%f32_0 = OpConstant %f32 0
%f32_1 = OpConstant %f32 1
%f64_0 = OpConstant %f64 0
%v2i32_0 = OpConstantNull %v2i32
%v2u32_0 = OpConstantNull %v2u32
%v3u32_0 = OpConstantNull %v3u32
%v4u32_0 = OpConstantNull %v4u32
%v2f32_0 = OpConstantNull %v2f32
%v3f32_0 = OpConstantNull %v3f32
%v4f32_0 = OpConstantNull %v4f32
%mat4_0 = OpConstantNull %mat4
%fn_void = OpTypeFunction %void
%ptr_Function_f32 = OpTypePointer Function %f32
%ptr_Function_u32 = OpTypePointer Function %u32
%ptr_Private_f32 = OpTypePointer Private %f32
%ptr_Private_u32 = OpTypePointer Private %u32
%ptr_Workgroup_u32 = OpTypePointer Workgroup %u32
%private_f32 = OpVariable %ptr_Private_f32 Private
%private_u32 = OpVariable %ptr_Private_u32 Private
%workgroup_u32 = OpVariable %ptr_Workgroup_u32 Workgroup
";

const KERNEL_GLOBALS: &str = "%void = OpTypeVoid
%bool = OpTypeBool
%u8 = OpTypeInt 8 0
%u16 = OpTypeInt 16 0
%u32 = OpTypeInt 32 0
%u64 = OpTypeInt 64 0
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%f64 = OpTypeFloat 64
%v2bool = OpTypeVector %bool 2
%v2u32 = OpTypeVector %u32 2
%v3u32 = OpTypeVector %u32 3
%v4u32 = OpTypeVector %u32 4
%v2u64 = OpTypeVector %u64 2
%v3u64 = OpTypeVector %u64 3
%v2f32 = OpTypeVector %f32 2
%v4f32 = OpTypeVector %f32 4
%v8f32 = OpTypeVector %f32 8
%v16f32 = OpTypeVector %f32 16
%false = OpConstantFalse %bool
%true = OpConstantTrue %bool
%u32_0 = OpConstant %u32 0
%u32_1 = OpConstant %u32 1
%u32_2 = OpConstant %u32 2
%u32_3 = OpConstant %u32 3
%u32_4 = OpConstant %u32 4
%u64_0 = OpConstant %u64 0
%u64_1 = OpConstant %u64 1
%f32_0 = OpConstant %f32 0
%f32_1 = OpConstant %f32 1
%f64_0 = OpConstant %f64 0
%v2u32_0 = OpConstantNull %v2u32
%v4u32_0 = OpConstantNull %v4u32
%v2f32_0 = OpConstantNull %v2f32
%v4f32_0 = OpConstantNull %v4f32
%fn_void = OpTypeFunction %void
%ptr_Function_f32 = OpTypePointer Function %f32
%ptr_Function_u32 = OpTypePointer Function %u32
%ptr_Workgroup_f32 = OpTypePointer Workgroup %f32
%ptr_Workgroup_u32 = OpTypePointer Workgroup %u32
%ptr_CrossWorkgroup_f32 = OpTypePointer CrossWorkgroup %f32
%ptr_CrossWorkgroup_u32 = OpTypePointer CrossWorkgroup %u32
%workgroup_u32 = OpVariable %ptr_Workgroup_u32 Workgroup
";

/// Where a line of a piece belongs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Capability,
    Extension,
    Import,
    MemoryModel,
    EntryPoint,
    Mode,
    Debug,
    Annotation,
    Global,
    Body,
    Function,
}

/// The whole module of a piece of assembly text. Each line goes where its
/// opcode belongs; lines with `OpMemoryModel` or `OpEntryPoint` replace the
/// frame's; lines from an `OpFunction` to its `OpFunctionEnd` come behind the
/// frame's function, and others end up in the body of that function, which
/// returns after them unless they end with a terminator. The frame's own entry
/// point lists the variables that it must.
pub(crate) fn module(frame: Frame, piece: &str) -> String {
    let declarations = match frame {
        Frame::Whole | Frame::WholeFor(_) => return piece.to_owned(),
        Frame::Shader | Frame::ShaderFor(_) | Frame::Limited => &SHADER,
        Frame::Fragment | Frame::FragmentFor(_) => &FRAGMENT,
        Frame::Kernel | Frame::KernelFor(_) => &KERNEL,
    };
    let mut lines: Vec<(Place, &str)> = Vec::new();
    let mut in_function = false;
    for line in piece.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let opcode = opcode(line);
        in_function |= opcode == "OpFunction";
        let place = match in_function {
            true => Place::Function,
            false => place(line),
        };
        in_function &= opcode != "OpFunctionEnd";
        lines.push((place, line));
    }
    let has = |opcode_name: &str| {
        let mut own = lines.iter().filter(|line| line.0 != Place::Function);
        own.any(|line| opcode(line.1) == opcode_name)
    };
    let replaced: Vec<&str> = ["OpMemoryModel", "OpEntryPoint", "OpExecutionMode"]
        .into_iter()
        .filter(|opcode| has(opcode) || *opcode == "OpExecutionMode" && has("OpExecutionModeId"))
        .collect();
    let frame_lines = |text: &'static str| {
        let kept = text
            .lines()
            .filter(|line| !replaced.contains(&opcode(line)));
        kept.map(|line| (place(line), line))
    };
    let mut all: Vec<(Place, &str)> = frame_lines(declarations.preamble)
        .chain(frame_lines(declarations.modes))
        .chain(frame_lines(declarations.globals))
        .collect();
    all.extend(&lines);
    let interface = match replaced.contains(&"OpEntryPoint") {
        true => String::new(),
        false => interface(frame, &all),
    };
    // The sort is stable: lines of one place stay in order.
    all.sort_by_key(|line| line.0);
    let of = |wanted: &dyn Fn(Place) -> bool| -> String {
        let wanted = all.iter().filter(|line| wanted(line.0));
        let more = |line: &(Place, &str)| match line.0 {
            Place::EntryPoint => &*interface,
            _ => "",
        };
        wanted.flat_map(|line| [line.1, more(line), "\n"]).collect()
    };
    let last = all.iter().rfind(|line| line.0 == Place::Body);
    let ended = last.is_some_and(|line| TERMINATORS.contains(&opcode(line.1)));
    [
        &*of(&|place| place < Place::Body),
        "%main = OpFunction %void None %fn_void\n%entry = OpLabel\n",
        &of(&|place| place == Place::Body),
        if ended { "" } else { "OpReturn\n" },
        "OpFunctionEnd\n",
        &of(&|place| place == Place::Function),
    ]
    .concat()
}

/// The variables that are used in functions and that the entry point lists:
/// input and output, and since version 1.4 all others, too.
fn interface(frame: Frame, lines: &[(Place, &str)]) -> String {
    let env = frame.environment().parse::<TargetEnv>();
    let lists_all = env.is_ok_and(|env| env.version() >= Version::V1_4);
    let is_used = |name: &str| {
        let mut bodies = lines.iter().filter(|line| line.0 >= Place::Body);
        bodies.any(|line| line.1.split_whitespace().any(|word| word == name))
    };
    let globals = lines.iter().filter(|line| line.0 == Place::Global);
    let names = globals.filter_map(|line| {
        let mut words = line.1.split_whitespace();
        let name = words.next()?;
        let opcode = words.nth(1)?;
        let class = words.nth(1)?;
        let is_variable = matches!(opcode, "OpVariable" | "OpUntypedVariableKHR");
        let is_listed = lists_all || matches!(class, "Input" | "Output");
        (is_variable && is_listed && is_used(name)).then_some(name)
    });
    names.flat_map(|name| [" ", name]).collect()
}

const TERMINATORS: &[&str] = &[
    "OpBranch",
    "OpBranchConditional",
    "OpSwitch",
    "OpReturn",
    "OpReturnValue",
    "OpKill",
    "OpUnreachable",
    "OpTerminateInvocation",
    "OpIgnoreIntersectionKHR",
    "OpTerminateRayKHR",
    "OpEmitMeshTasksEXT",
    "OpAbortKHR",
];

/// The opcode's name in a line of assembly.
fn opcode(line: &str) -> &str {
    let mut words = line.split_whitespace();
    let mut word = words.next().unwrap_or_default();
    if word.starts_with('%') {
        word = words.nth(1).unwrap_or_default();
    }
    word
}

fn place(line: &str) -> Place {
    let opcode = opcode(line);
    match opcode {
        "OpVariable" | "OpUntypedVariableKHR" => {
            match line.split_whitespace().nth(4) == Some("Function") {
                true => Place::Body,
                false => Place::Global,
            }
        }
        "OpCapability" | "OpConditionalCapabilityINTEL" => Place::Capability,
        "OpExtension" | "OpConditionalExtensionINTEL" => Place::Extension,
        "OpExtInstImport" => Place::Import,
        "OpMemoryModel" | "OpSamplerImageAddressingModeNV" => Place::MemoryModel,
        "OpEntryPoint" | "OpConditionalEntryPointINTEL" => Place::EntryPoint,
        "OpExecutionMode" | "OpExecutionModeId" => Place::Mode,
        "OpString" | "OpSource" | "OpSourceExtension" | "OpSourceContinued" | "OpName"
        | "OpMemberName" | "OpModuleProcessed" => Place::Debug,
        "OpDecorationGroup" => Place::Annotation,
        _ if opcode.contains("Decorate") => Place::Annotation,
        _ if opcode.starts_with("OpType")
            || opcode.starts_with("OpConstant")
            || opcode.starts_with("OpSpecConstant") =>
        {
            Place::Global
        }
        _ => Place::Body,
    }
}
