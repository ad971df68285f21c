//! What is judged of a built-in by the object alone.

use spirvkit_diagnostics::ErrorClass::{InvalidData, InvalidId};
use spirvkit_grammar::{BuiltIn, Capability, Decoration, Op};

use super::Seed;
use super::table::{ALL, SHAPE_VUIDS};
use crate::finding::{CheckResult, Finding, all};
use crate::module::{Module, is_constant_op};
use crate::rule::{Example, Frame, Rule};

pub(super) static TARGET: Rule = Rule {
    id: "builtin.target",
    class: InvalidData,
    section: "3.20",
    vuids: &[],
    text: "`BuiltIn` decorates variables, constants and members of structures.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpDecorate %u32 BuiltIn LocalInvocationIndex",
        keeps: "OpDecorate %id BuiltIn LocalInvocationIndex
%ptr_Input_u32 = OpTypePointer Input %u32
%id = OpVariable %ptr_Input_u32 Input",
    },
};

pub(super) static CONSTANT: Rule = Rule {
    id: "builtin.constant",
    class: InvalidId,
    section: "3.21",
    vuids: &[],
    text: "`WorkgroupSize` decorates a constant, because the size of a workgroup is fixed when a pipeline is created. \
           Every other built-in decorates a variable or a member of a structure.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpDecorate %size BuiltIn WorkgroupSize
%ptr = OpTypePointer Input %v3u32
%size = OpVariable %ptr Input",
        keeps: "OpDecorate %size BuiltIn WorkgroupSize
%size = OpConstantComposite %v3u32 %u32_1 %u32_1 %u32_1",
    },
};

pub(super) static NO_MEMBER: Rule = Rule {
    id: "builtin.no-member",
    class: InvalidData,
    section: "Vulkan, Built-In Variables",
    vuids: &[],
    text: "In Vulkan, the built-ins of subgroups and of descriptor heaps decorate variables, not members of structures.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.1"),
        breaks: "OpCapability GroupNonUniform
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %block Block
OpMemberDecorate %block 0 BuiltIn SubgroupSize
%block = OpTypeStruct %u32",
        keeps: "OpCapability GroupNonUniform
OpEntryPoint GLCompute %main \"main\" %size
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %size BuiltIn SubgroupSize
%ptr = OpTypePointer Input %u32
%size = OpVariable %ptr Input",
    },
};

pub(super) static SIZE_MEMBER: Rule = Rule {
    id: "builtin.workgroup-size-member",
    class: InvalidData,
    section: "Vulkan, Built-In Variables",
    vuids: &["VUID-WorkgroupSize-WorkgroupSize-04426"],
    text: "In Vulkan, `WorkgroupSize` decorates a constant, not a member of a structure.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.0"),
        breaks: "OpMemberDecorate %block 0 BuiltIn WorkgroupSize
%block = OpTypeStruct %v3u32",
        keeps: "OpDecorate %size BuiltIn WorkgroupSize
%size = OpConstantComposite %v3u32 %u32_1 %u32_1 %u32_1",
    },
};

pub(super) static NOT_IN_VULKAN: Rule = Rule {
    id: "builtin.not-in-vulkan",
    class: InvalidData,
    section: "Vulkan, Built-In Variables",
    vuids: &[],
    text: "`VertexId` belongs to OpenGL. Vulkan has `VertexIndex`, whose values start at the first vertex of the \
           draw.",
    example: Example {
        frame: Frame::WholeFor("vulkan1.0"),
        breaks: "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main \"main\" %id
OpDecorate %id BuiltIn VertexId
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%ptr = OpTypePointer Input %u32
%id = OpVariable %ptr Input
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%entry = OpLabel
OpReturn
OpFunctionEnd",
        keeps: "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main \"main\" %id
OpDecorate %id BuiltIn VertexIndex
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%ptr = OpTypePointer Input %u32
%id = OpVariable %ptr Input
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%entry = OpLabel
OpReturn
OpFunctionEnd",
    },
};

pub(super) static TYPE: Rule = Rule {
    id: "builtin.type",
    class: InvalidData,
    section: "Vulkan, Built-In Variables",
    vuids: &SHAPE_VUIDS,
    text: "In Vulkan, each built-in has a particular type. Where a stage sees several vertices or primitives at once, \
           it has an array of them, or the built-in is a member of a block in an array.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.0"),
        breaks: "OpEntryPoint GLCompute %main \"main\" %id
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %id BuiltIn GlobalInvocationId
%ptr = OpTypePointer Input %v2u32
%id = OpVariable %ptr Input",
        keeps: "OpEntryPoint GLCompute %main \"main\" %id
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %id BuiltIn GlobalInvocationId
%ptr = OpTypePointer Input %v3u32
%id = OpVariable %ptr Input",
    },
};

pub(super) static PATCH: Rule = Rule {
    id: "builtin.patch",
    class: InvalidData,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &["VUID-StandaloneSpirv-TessLevelInner-10880"],
    text: "Tessellation levels belong to a whole patch, so `TessLevelOuter` and `TessLevelInner` are also decorated \
           with `Patch`.",
    example: Example {
        frame: Frame::WholeFor("vulkan1.0"),
        breaks: TESS_WITHOUT_PATCH,
        keeps: TESS_WITH_PATCH,
    },
};

macro_rules! tessellation {
    ($patch:literal) => {
        concat!(
            "OpCapability Tessellation
OpMemoryModel Logical GLSL450
OpEntryPoint TessellationEvaluation %main \"main\" %levels
OpExecutionMode %main Triangles
OpDecorate %levels BuiltIn TessLevelOuter\n",
            $patch,
            "%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%u32_4 = OpConstant %u32 4
%f32 = OpTypeFloat 32
%four = OpTypeArray %f32 %u32_4
%ptr = OpTypePointer Input %four
%levels = OpVariable %ptr Input
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%entry = OpLabel
OpReturn
OpFunctionEnd"
        )
    };
}

const TESS_WITHOUT_PATCH: &str = tessellation!("");
const TESS_WITH_PATCH: &str = tessellation!("OpDecorate %levels Patch\n");

/// Built-ins that decorate no members in Vulkan.
const NO_MEMBERS: &[BuiltIn] = &[
    BuiltIn::NumSubgroups,
    BuiltIn::SubgroupId,
    BuiltIn::SubgroupLocalInvocationId,
    BuiltIn::SubgroupSize,
    BuiltIn::SubgroupEqMask,
    BuiltIn::SubgroupGeMask,
    BuiltIn::SubgroupGtMask,
    BuiltIn::SubgroupLeMask,
    BuiltIn::SubgroupLtMask,
    BuiltIn::SamplerHeapEXT,
    BuiltIn::ResourceHeapEXT,
];

/// Checks what the object by itself shows.
pub(super) fn check(m: &Module<'_>, seed: &Seed) -> CheckResult {
    check_target(m, seed)?;
    if !m.env.is_vulkan() {
        return Ok(());
    }
    if seed.built_in == BuiltIn::VertexId {
        let message = "Vulkan has no built-in `VertexId`";
        return Err(Finding::new(&NOT_IN_VULKAN, seed.offset, message)
            .help("use `VertexIndex`, whose values start at the first vertex of the draw"));
    }
    if seed.member.is_some() && NO_MEMBERS.contains(&seed.built_in) {
        let message = format!(
            "`{}` decorates {}, but in Vulkan it must decorate a variable",
            seed.built_in,
            seed.show(m)
        );
        let structure = m.def_offset(seed.target);
        return Err(
            Finding::new(&NO_MEMBER, structure, message).at(seed.offset, "the decoration is here")
        );
    }
    all([check_type(m, seed), check_use(m, seed)])
}

/// Checks what some built-ins ask of what they decorate.
fn check_use(m: &Module<'_>, seed: &Seed) -> CheckResult {
    if seed.member.is_some() && seed.built_in == BuiltIn::WorkgroupSize {
        let message = format!(
            "`WorkgroupSize` decorates {}, but it must decorate a constant",
            seed.show(m)
        );
        let structure = m.def_offset(seed.target);
        return Err(Finding::new(&SIZE_MEMBER, structure, message)
            .at(seed.offset, "the decoration is here"));
    }
    let is_level = matches!(
        seed.built_in,
        BuiltIn::TessLevelOuter | BuiltIn::TessLevelInner
    );
    if is_level && !m.has_decoration_anywhere(seed.target, Decoration::Patch) {
        let message = format!(
            "{} is decorated with `{}`, but not with `Patch`",
            seed.show(m),
            seed.built_in
        );
        return Err(Finding::new(&PATCH, m.def_offset(seed.target), message)
            .at(seed.offset, "the built-in is given here"));
    }
    Ok(())
}

/// What `BuiltIn` decorates: in every environment.
fn check_target(m: &Module<'_>, seed: &Seed) -> CheckResult {
    if seed.member.is_some() {
        return Ok(());
    }
    let op = m.op_of(seed.target);
    let is_variable = matches!(op, Op::Variable | Op::UntypedVariableKHR);
    let is_constant = is_constant_op(op);
    if !is_variable && !is_constant {
        let message = format!(
            "`{}` must decorate a variable, a constant or a member of a structure, but {} is an {op}",
            seed.built_in,
            m.name(seed.target)
        );
        return Err(Finding::new(&TARGET, seed.offset, message).about(
            m,
            seed.target,
            "this is decorated",
        ));
    }
    let wants_constant = seed.built_in == BuiltIn::WorkgroupSize;
    // In kernels it is a variable like the others.
    if wants_constant && is_variable && !m.has(Capability::Shader) {
        return Ok(());
    }
    if is_constant != wants_constant {
        let (found, wanted) = match wants_constant {
            true => ("a variable", "a constant"),
            false => ("a constant", "a variable"),
        };
        let message = format!(
            "`{}` must decorate {wanted}, but {} is {found}",
            seed.built_in,
            m.name(seed.target)
        );
        return Err(Finding::new(&CONSTANT, seed.offset, message).about(
            m,
            seed.target,
            "this is decorated",
        ));
    }
    Ok(())
}

/// The type, as far as it doesn't depend on the stage: what belongs to vertices
/// is judged where it is used, and so is what some stage takes.
fn check_type(m: &Module<'_>, seed: &Seed) -> CheckResult {
    let Some(row) = seed.row else {
        return Ok(());
    };
    let misfits = row.shape.misfits(m, seed);
    let is_for_some = row.shape.is_for_vertices() || !ALL.without(misfits).is_empty();
    if misfits.is_empty() || row.shape.varies() && is_for_some {
        return Ok(());
    }
    Err(type_finding(m, seed, m.def_offset(seed.target)))
}

/// The finding of a type that the built-in doesn't have.
pub(super) fn type_finding(m: &Module<'_>, seed: &Seed, offset: u32) -> Finding {
    let (wanted, vuid) = match seed.row {
        Some(row) => (row.shape.to_string(), row.shape_vuid),
        None => (String::new(), ""),
    };
    let message = format!(
        "`{}` must be {wanted}, but {} is of type {}",
        seed.built_in,
        seed.show(m),
        m.show_type(seed.ty)
    );
    let finding =
        Finding::new(&TYPE, offset, message).at(seed.offset, "the built-in is given here");
    match vuid {
        "" => finding,
        vuid => finding.vuid(vuid),
    }
}
