//! What Vulkan adds: decorations that it doesn't know, and the storage classes
//! of the variables that each may stand on.

use spirvkit_diagnostics::ErrorClass::InvalidId;
use spirvkit_grammar::{Decoration, Op, StorageClass};

use super::targets::is_variable;
use crate::finding::CheckResult;
use crate::inst_ctx::InstCtx;
use crate::module::{Decorated, Inst};
use crate::rule::{Example, Frame, Rule};

pub(super) static PACKING: Rule = Rule {
    id: "annotation.vulkan-packing",
    class: InvalidId,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &["VUID-StandaloneSpirv-GLSLShared-04669"],
    text: "Vulkan has no implicit layouts, so it has neither `GLSLShared` nor `GLSLPacked`.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.3"),
        breaks: "OpDecorate %struct GLSLShared\n%struct = OpTypeStruct %mat2",
        keeps: "OpDecorate %struct Block\n%struct = OpTypeStruct %mat2",
    },
};

pub(super) static LOCATION_CLASS: Rule = Rule {
    id: "annotation.vulkan-location-class",
    class: InvalidId,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &["VUID-StandaloneSpirv-Location-06672"],
    text: "`Location` and `Component` decorate variables that one shader stage passes to another: input, output, ray \
           payloads and the like.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.3"),
        breaks: "OpDecorate %private_f32 Location 0",
        keeps: "OpDecorate %in Location 0
%ptr = OpTypePointer Input %f32
%in = OpVariable %ptr Input",
    },
};

pub(super) static RESOURCE_CLASS: Rule = Rule {
    id: "annotation.vulkan-resource-class",
    class: InvalidId,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &["VUID-StandaloneSpirv-DescriptorSet-06491"],
    text: "`DescriptorSet` and `Binding` decorate resources: variables in the storage classes `StorageBuffer`, \
           `Uniform` and `UniformConstant`.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.3"),
        breaks: "OpDecorate %private_f32 Binding 0",
        keeps: "OpDecorate %sampler Binding 0
OpDecorate %sampler DescriptorSet 0
%type = OpTypeSampler
%ptr = OpTypePointer UniformConstant %type
%sampler = OpVariable %ptr UniformConstant",
    },
};

pub(super) static ATTACHMENT_CLASS: Rule = Rule {
    id: "annotation.vulkan-attachment-class",
    class: InvalidId,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &["VUID-StandaloneSpirv-InputAttachmentIndex-06678"],
    text: "`InputAttachmentIndex` decorates variables in the storage class `UniformConstant`.",
    example: Example {
        frame: Frame::FragmentFor("vulkan1.3"),
        breaks: "OpCapability InputAttachment
OpDecorate %private_f32 InputAttachmentIndex 0",
        keeps: "OpCapability InputAttachment
OpDecorate %sampler Binding 0
OpDecorate %sampler DescriptorSet 0
OpDecorate %sampler InputAttachmentIndex 0
%type = OpTypeImage %f32 SubpassData 0 0 0 2 Unknown
%ptr = OpTypePointer UniformConstant %type
%sampler = OpVariable %ptr UniformConstant",
    },
};

pub(super) static INDEX_CLASS: Rule = Rule {
    id: "annotation.vulkan-index-class",
    class: InvalidId,
    section: "Vulkan",
    vuids: &[],
    text: "`Index` decorates output variables.",
    example: Example {
        frame: Frame::FragmentFor("vulkan1.3"),
        breaks: "OpDecorate %private_f32 Index 0",
        keeps: "OpDecorate %out Index 0
OpDecorate %out Location 0
%ptr = OpTypePointer Output %f32
%out = OpVariable %ptr Output",
    },
};

pub(super) static INTERPOLATION_CLASS: Rule = Rule {
    id: "annotation.vulkan-interpolation-class",
    class: InvalidId,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &["VUID-StandaloneSpirv-Flat-04670"],
    text: "`Flat`, `NoPerspective`, `Sample` and `Centroid` decorate input and output variables.",
    example: Example {
        frame: Frame::FragmentFor("vulkan1.3"),
        breaks: "OpDecorate %private_f32 Flat",
        keeps: "OpDecorate %in Flat
%ptr = OpTypePointer Input %f32
%in = OpVariable %ptr Input",
    },
};

pub(super) static PER_VERTEX_CLASS: Rule = Rule {
    id: "annotation.vulkan-per-vertex-class",
    class: InvalidId,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &["VUID-StandaloneSpirv-PerVertexKHR-06777"],
    text: "`PerVertexKHR` decorates input variables.",
    example: Example {
        frame: Frame::FragmentFor("vulkan1.3"),
        breaks: "OpCapability FragmentBarycentricKHR
OpExtension \"SPV_KHR_fragment_shader_barycentric\"
OpDecorate %private_f32 PerVertexKHR",
        keeps: "OpCapability FragmentBarycentricKHR
OpExtension \"SPV_KHR_fragment_shader_barycentric\"
OpDecorate %in PerVertexKHR
%array = OpTypeArray %f32 %u32_3
%ptr = OpTypePointer Input %array
%in = OpVariable %ptr Input",
    },
};

/// Checks that a decoration is not one of those that ask for an implicit layout.
pub(super) fn check_packing(at: &InstCtx<'_, '_>, decorated: &Decorated<'_>) -> CheckResult {
    let is_packing = matches!(
        decorated.decoration,
        Decoration::GLSLShared | Decoration::GLSLPacked
    );
    if !is_packing || !at.m.env.is_vulkan() {
        return Ok(());
    }
    let message = format!("{} is not allowed in Vulkan", decorated.decoration);
    Err(at
        .finding(&PACKING, message)
        .help("give each member an `Offset` instead"))
}

/// The storage classes that a decoration is for, if they are limited.
fn classes_of(decoration: Decoration) -> Option<(&'static Rule, &'static [StorageClass])> {
    use StorageClass as C;
    Some(match decoration {
        Decoration::Location | Decoration::Component => (
            &LOCATION_CLASS,
            &[
                C::Input,
                C::Output,
                C::RayPayloadKHR,
                C::IncomingRayPayloadKHR,
                C::HitAttributeKHR,
                C::HitObjectAttributeNV,
                C::HitObjectAttributeEXT,
                C::CallableDataKHR,
                C::IncomingCallableDataKHR,
                C::ShaderRecordBufferKHR,
                C::TileImageEXT,
            ],
        ),
        Decoration::DescriptorSet | Decoration::Binding => (
            &RESOURCE_CLASS,
            &[
                C::StorageBuffer,
                C::Uniform,
                C::UniformConstant,
                C::TileAttachmentQCOM,
            ],
        ),
        Decoration::InputAttachmentIndex => (&ATTACHMENT_CLASS, &[C::UniformConstant]),
        Decoration::Index => (&INDEX_CLASS, &[C::Output]),
        Decoration::Flat
        | Decoration::NoPerspective
        | Decoration::Sample
        | Decoration::Centroid => (&INTERPOLATION_CLASS, &[C::Input, C::Output]),
        Decoration::PerVertexKHR => (&PER_VERTEX_CLASS, &[C::Input]),
        _ => return None,
    })
}

/// Checks that a variable's storage class is one that a decoration is for.
pub(super) fn check(
    at: &InstCtx<'_, '_>,
    decorated: &Decorated<'_>,
    target: Inst<'_>,
) -> CheckResult {
    if !is_variable(target.op()) && target.op() != Op::FunctionParameter {
        return Ok(());
    }
    let Some((rule, classes)) = classes_of(decorated.decoration) else {
        return Ok(());
    };
    let m = at.m;
    let class = match is_variable(target.op()) {
        true => Some(StorageClass(target.arg(0))),
        false => target.result_type().and_then(|ty| m.pointer_class(ty)),
    };
    let Some(class) = class.filter(|class| !classes.contains(class)) else {
        return Ok(());
    };
    let id = at.id(0);
    let names: Vec<String> = classes.iter().map(StorageClass::to_string).collect();
    let names = match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    };
    let message = format!(
        "{} is for the storage class {}, but {} is in {class}",
        decorated.decoration,
        names,
        m.name(id)
    );
    Err(at
        .finding(rule, message)
        .about(m, id, "the target is declared here"))
}
