//! Image processing (`SPV_QCOM_image_processing` and its successors) and bindless
//! textures (`SPV_NV_bindless_texture`).

use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, Decoration, Dim, Op, StorageClass};

use super::sampled_image::variable_of;
use crate::finding::{CheckResult, Finding, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Module, Type};
use crate::pattern::{F32, I32};
use crate::rules::generated::image;

/// Checks the instructions of image processing.
pub(super) fn check_processing(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.inst.op() {
        Op::ImageSampleWeightedQCOM => expect_decoration(at, 2, Decoration::WeightTextureQCOM),
        Op::ImageBoxFilterQCOM if at.m.env.is_vulkan() => check_box(at),
        Op::ImageBlockMatchSSDQCOM
        | Op::ImageBlockMatchSADQCOM
        | Op::ImageBlockMatchGatherSSDQCOM
        | Op::ImageBlockMatchGatherSADQCOM => all([
            expect_decoration(at, 0, Decoration::BlockMatchTextureQCOM),
            expect_decoration(at, 2, Decoration::BlockMatchTextureQCOM),
        ]),
        Op::ImageBlockMatchWindowSSDQCOM | Op::ImageBlockMatchWindowSADQCOM => {
            let both = [
                Decoration::BlockMatchTextureQCOM,
                Decoration::BlockMatchSamplerQCOM,
            ];
            let each = [0, 2]
                .into_iter()
                .flat_map(|operand| both.map(|it| (operand, it)));
            all(each.map(|(operand, decoration)| expect_decoration(at, operand, decoration)))
        }
        _ => Ok(()),
    }
}

/// Checks that a box that is a constant is at least one texel high.
fn check_box(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let size = m.def(at.id(2));
    let size = size.filter(|def| def.op() == Op::ConstantComposite);
    let height = size.map(|def| def.id(1));
    let height = height.filter(|&id| F32.matches(m, m.type_of(id).unwrap_or(Id(0))));
    let height = height.and_then(|id| m.def(id).filter(|def| def.op() == Op::Constant));
    let height = height.map_or(1.0, |def| f32::from_bits(def.arg(0)));
    expect(height >= 1.0, || {
        let message = format!("a box must be at least one texel high, but is {height}");
        let finding = at.finding(&image::BOX_SIZE, message).arg(at, 2).warning();
        finding.about(m, at.id(2), "the size is defined here")
    })
}

/// The place of an instruction in the lists of VUIDs: weights, whole blocks, and windows or
/// gathers of blocks.
fn processing(at: &InstCtx<'_, '_>) -> usize {
    match at.inst.op() {
        Op::ImageSampleWeightedQCOM => 0,
        Op::ImageBlockMatchSSDQCOM | Op::ImageBlockMatchSADQCOM => 1,
        _ => 2,
    }
}

/// Checks that an image, or its sampler where the decoration is for that, comes
/// from a variable with the decoration.
fn expect_decoration(at: &InstCtx<'_, '_>, index: usize, decoration: Decoration) -> CheckResult {
    let m = at.m;
    let id = at.id(index);
    if m.type_of(id).is_none() {
        return Ok(());
    }
    let variable = match m.def(id) {
        Some(def) if def.op() == Op::SampledImage => {
            let part = match decoration {
                Decoration::BlockMatchSamplerQCOM => def.id(1),
                _ => def.id(0),
            };
            variable_of(m, part)
        }
        _ => variable_of(m, id),
    };
    let Some(variable) = variable else {
        let expected = "loaded from a variable";
        let finding = at.operand_finding(&image::PROCESSING_DECORATION, index, expected);
        return Err(with_vuid(at, finding, decoration));
    };
    if decoration != Decoration::BlockMatchSamplerQCOM {
        check_image(at, index, variable)?;
    }
    if m.is_decorated(variable, decoration) {
        return Ok(());
    }
    let message = format!(
        "{} needs the decoration `{decoration}` on {}",
        at.inst.op(),
        m.name(variable)
    );
    let finding = at.finding(&image::PROCESSING_DECORATION, message);
    let finding = with_vuid(at, finding, decoration);
    Err(finding.about(m, variable, "the variable is declared here"))
}

/// Names the VUID of a finding about a decoration. Those of samplers are in no VUID.
fn with_vuid(at: &InstCtx<'_, '_>, finding: Finding, decoration: Decoration) -> Finding {
    match decoration {
        Decoration::BlockMatchSamplerQCOM => finding,
        _ => finding.vuid(image::PROCESSING_DECORATION.vuids[processing(at)]),
    }
}

/// Checks the type of an image for processing in Vulkan.
fn check_image(at: &InstCtx<'_, '_>, index: usize, variable: Id) -> CheckResult {
    let m = at.m;
    let pointee = m.type_of(variable).and_then(|ty| m.pointee(ty));
    let ty = pointee.map_or(Id(0), |ty| m.without_arrays(ty));
    let image = match m.ty(ty) {
        Type::SampledImage { image } => m.ty(image),
        other => other,
    };
    let (Type::Image(image), true) = (image, m.env.is_vulkan()) else {
        return Ok(());
    };
    let is_weight = at.inst.op() == Op::ImageSampleWeightedQCOM;
    let is_fine = image.depth == 0
        && image.dim == Dim::Dim2D
        && image.arrayed == is_weight
        && !image.multisampled
        && image.sampled == 1;
    expect(is_fine, || {
        let wanted = match is_weight {
            true => "an arrayed 2D image with `Sampled` 1 in Vulkan",
            false => "a 2D image with `Sampled` 1, not arrayed, in Vulkan",
        };
        let rule = &image::PROCESSING_IMAGE;
        let finding = at.operand_finding(rule, index, wanted);
        let finding = finding.vuid(rule.vuids[processing(at)]);
        finding.about(m, variable, "the variable is declared here")
    })
}

/// Whether there can be images that are for image processing only.
fn has_processing(m: &Module<'_>) -> bool {
    m.has(Capability::TextureSampleWeightedQCOM)
        || m.has(Capability::TextureBlockMatchQCOM)
        || m.has(Capability::TextureBlockMatch2QCOM)
}

/// Checks that an image that isn't used for image processing isn't decorated for
/// it.
pub(super) fn check_plain_use(at: &InstCtx<'_, '_>, index: usize) -> CheckResult {
    let m = at.m;
    if !has_processing(m) {
        return Ok(());
    }
    let Some(variable) = variable_of(m, at.id(index)) else {
        return Ok(());
    };
    let decorations = [
        Decoration::WeightTextureQCOM,
        Decoration::BlockMatchTextureQCOM,
    ];
    let mut found = decorations.into_iter();
    match found.find(|&decoration| m.is_decorated(variable, decoration)) {
        None => Ok(()),
        Some(decoration) => {
            let message = format!(
                "{} can't use {}, because the decoration `{decoration}` reserves it for image processing",
                at.inst.op(),
                m.name(variable)
            );
            let finding = at.finding(&image::PROCESSING_USE, message).arg(at, index);
            Err(finding.about(m, variable, "the variable is declared here"))
        }
    }
}

/// Checks that an image that is queried isn't a tile attachment.
pub(super) fn check_tile_query(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    if !m.has(Capability::TileShadingQCOM) || !m.env.is_vulkan() {
        return Ok(());
    }
    let of_image = m.def(at.id(0)).filter(|def| def.op() == Op::Image);
    let image = of_image.map_or(at.id(0), |def| def.id(0));
    let pointer = variable_of(m, image).unwrap_or(Id(0));
    let class = m.type_of(pointer).and_then(|ty| m.pointer_class(ty));
    if class != Some(StorageClass::TileAttachmentQCOM) {
        return Ok(());
    }
    let message = format!("in Vulkan, {} can't query a tile attachment", at.inst.op());
    let finding = at.finding(&image::VULKAN_TILE_QUERY, message).arg(at, 0);
    Err(finding.about(m, pointer, "the attachment is here"))
}

/// Checks the mode of `OpImageGatherQCOM`.
pub(super) fn check_gather_mode(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let mode: Id = at.id(3);
    at.expect_operand(&image::GATHER_MODE, 3, I32)?;
    let needed = match m.constant_u64(mode) {
        None => return Ok(()),
        Some(0) => Capability::ImageGatherLinearQCOM,
        Some(1..=3) => Capability::ImageGatherExtendedModesQCOM,
        Some(_) => return Err(at.operand_finding(&image::GATHER_MODE, 3, "from 0 to 3")),
    };
    match m.has(needed) {
        true => Ok(()),
        false => {
            let message = format!(
                "the mode of {} needs the capability `{needed}`",
                at.inst.op()
            );
            let finding = at.finding(&image::GATHER_MODE_CAPABILITY, message);
            Err(finding.about(m, mode, "the mode is defined here"))
        }
    }
}

/// Checks `OpSamplerImageAddressingModeNV`.
pub(super) fn check_addressing_mode(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.inst.arg(0) {
        32 | 64 => Ok(()),
        bits => {
            let message = format!("handles must have 32 or 64 bits, but have {bits}");
            Err(at.finding(&image::ADDRESSING_MODE, message).arg(at, 0))
        }
    }
}
