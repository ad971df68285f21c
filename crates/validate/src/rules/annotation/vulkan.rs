//! What Vulkan adds: decorations that it doesn't know, and the storage classes
//! of the variables that each may stand on.

use spirvkit_diagnostics::alternatives;
use spirvkit_grammar::{Decoration, Op, StorageClass};

use crate::finding::CheckResult;
use crate::inst_ctx::InstCtx;
use crate::module::{Decorated, Inst, Lookup};
use crate::rule::Rule;
use crate::rules::generated::annotation;

/// Checks that a decoration is not one of those that ask for an implicit layout.
pub(super) fn check_packing(at: &InstCtx<'_, '_>, decorated: &Decorated<'_>) -> CheckResult {
    let is_packing = matches!(
        decorated.decoration,
        Decoration::GLSLShared | Decoration::GLSLPacked
    );
    if !is_packing || !at.m.env.is_vulkan() {
        return Ok(());
    }
    let message = format!("`{}` is not allowed in Vulkan", decorated.decoration);
    Err(at
        .finding(&annotation::VULKAN_PACKING, message)
        .help("give each member an `Offset` instead"))
}

/// The storage classes that a decoration is for, if they are limited.
fn classes_of(decoration: Decoration) -> Option<(&'static Rule, &'static [StorageClass])> {
    use StorageClass as C;
    Some(match decoration {
        Decoration::Location | Decoration::Component => (
            &annotation::VULKAN_LOCATION_CLASS,
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
            &annotation::VULKAN_RESOURCE_CLASS,
            &[
                C::StorageBuffer,
                C::Uniform,
                C::UniformConstant,
                C::TileAttachmentQCOM,
            ],
        ),
        Decoration::InputAttachmentIndex => {
            (&annotation::VULKAN_ATTACHMENT_CLASS, &[C::UniformConstant])
        }
        Decoration::Index => (&annotation::VULKAN_INDEX_CLASS, &[C::Output]),
        Decoration::Flat
        | Decoration::NoPerspective
        | Decoration::Sample
        | Decoration::Centroid => (
            &annotation::VULKAN_INTERPOLATION_CLASS,
            &[C::Input, C::Output],
        ),
        Decoration::PerVertexKHR => (&annotation::VULKAN_PER_VERTEX_CLASS, &[C::Input]),
        _ => return None,
    })
}

/// Checks that a variable's storage class is one that a decoration is for.
pub(super) fn check(
    at: &InstCtx<'_, '_>,
    decorated: &Decorated<'_>,
    target: Inst<'_>,
) -> CheckResult {
    if !target.op().is_variable() && target.op() != Op::FunctionParameter {
        return Ok(());
    }
    let Some((rule, classes)) = classes_of(decorated.decoration) else {
        return Ok(());
    };
    let m = at.m;
    let class = match target.op().is_variable() {
        true => Some(StorageClass(target.arg(0))),
        false => target.result_type().and_then(|ty| m.pointer_class(ty)),
    };
    let Some(class) = class.filter(|class| !classes.contains(class)) else {
        return Ok(());
    };
    let id = at.id(0);
    let names = alternatives(classes.iter().map(|class| format!("`{class}`")));
    let message = format!(
        "`{}` is for the storage class {names}, but {} is in `{class}`",
        decorated.decoration,
        m.name(id)
    );
    let finding = at.finding(rule, message);
    let finding = match rule.vuids {
        [_] => finding,
        [_, of_tiles] if class == StorageClass::TileAttachmentQCOM => finding.vuid(of_tiles),
        [first, ..] => finding.vuid(first),
        [] => finding,
    };
    Err(finding.about(m, id, "the target is defined here"))
}
