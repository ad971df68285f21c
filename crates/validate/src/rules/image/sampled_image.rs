//! Images with their samplers: `OpSampledImage`, how its result may be used, and
//! `OpImage`.

use crate::finding::{CheckResult, Finding, Reporter};
use crate::inst_ctx::InstCtx;
use crate::module::{Inst, Lookup, Module, Type};
use crate::pattern::{IMAGE, SAMPLER};
use crate::rules::generated::image;
use spirvkit_binary::{Id, IdMap, Instruction, Value, WordOffset};
use spirvkit_grammar::{Capability, Dim, Op};

/// Checks an `OpSampledImage`.
pub(super) fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let result = at.result_type();
    let Type::SampledImage { image: named } = m.ty(result) else {
        return Err(at.result_finding(&image::SAMPLED_IMAGE_RESULT, "a sampled image"));
    };
    let image = at.id(0);
    let Some(ty) = m.type_of(image) else {
        return Ok(());
    };
    let Type::Image(own) = m.ty(ty) else {
        let expected = "an image";
        return Err(at.operand_finding(&image::IMAGE_OPERAND, 0, expected));
    };
    if m.env.is_vulkan() && own.sampled != 1 {
        let what = "needs an image whose type has `Sampled` 1";
        return Err(super::wrong_image(
            at,
            &image::VULKAN_SAMPLED_IMAGE,
            image,
            what,
        ));
    }
    if own.sampled > 1 {
        let what = "needs an image whose type has `Sampled` 0 or 1";
        return Err(super::wrong_image(at, &image::SAMPLED, image, what));
    }
    if own.dim == Dim::SubpassData {
        let what = "can't combine an image of dimensionality `SubpassData` with a sampler";
        return Err(super::wrong_image(at, &image::DIM, image, what));
    }
    at.expect_operand(&image::SAMPLER, 1, SAMPLER)?;
    let Type::Image(mut named_image) = m.ty(named) else {
        return Ok(());
    };
    // Whether they are of depth makes no difference.
    named_image.depth = own.depth;
    if named != ty && own != named_image {
        let message = format!(
            "the image of {} is of the type {}, but the result type names {}",
            at.inst.op(),
            m.name(ty),
            m.name(named)
        );
        let finding = at.finding(&image::SAME_IMAGE, message);
        return Err(finding
            .about(m, ty, "the type of the image is declared here")
            .about(
                m,
                named,
                "the type that the result type names is declared here",
            ));
    }
    Ok(())
}

/// Checks an `OpImage`.
pub(super) fn check_image(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let result = at.result_type();
    at.expect_result(&image::IMAGE_RESULT, IMAGE)?;
    let Some(ty) = m.type_of(at.id(0)) else {
        return Ok(());
    };
    let image = match m.ty(ty) {
        Type::SampledImage { image } => image,
        Type::Other(Op::TypeVmeImageINTEL) => m.def(ty).map_or(Id(0), |def| def.id(0)),
        _ => {
            let expected = "a sampled image";
            return Err(at.operand_finding(&image::SAMPLED_IMAGE_OPERAND, 0, expected));
        }
    };
    if image != result {
        let expected = format!("the image type of the sampled image, {}", m.name(image));
        return Err(at.result_finding(&image::IMAGE_RESULT, &expected));
    }
    Ok(())
}

/// Whether an instruction may take what an `OpSampledImage` makes.
fn is_consumer(m: &Module<'_>, op: Op) -> bool {
    use Op as O;
    matches!(
        op,
        // An error, too, but that of an operand that is no image.
        O::SampledImage
            | O::Image
            | O::ImageQueryLod
            | O::ImageSampleImplicitLod
            | O::ImageSampleExplicitLod
            | O::ImageSampleDrefImplicitLod
            | O::ImageSampleDrefExplicitLod
            | O::ImageSampleProjImplicitLod
            | O::ImageSampleProjExplicitLod
            | O::ImageSampleProjDrefImplicitLod
            | O::ImageSampleProjDrefExplicitLod
            | O::ImageGather
            | O::ImageDrefGather
            | O::ImageSparseSampleImplicitLod
            | O::ImageSparseSampleExplicitLod
            | O::ImageSparseSampleDrefImplicitLod
            | O::ImageSparseSampleDrefExplicitLod
            | O::ImageSparseSampleProjImplicitLod
            | O::ImageSparseSampleProjExplicitLod
            | O::ImageSparseSampleProjDrefImplicitLod
            | O::ImageSparseSampleProjDrefExplicitLod
            | O::ImageSparseGather
            | O::ImageSparseDrefGather
            | O::ImageSampleWeightedQCOM
            | O::ImageBoxFilterQCOM
            | O::ImageBlockMatchSSDQCOM
            | O::ImageBlockMatchSADQCOM
            | O::ImageBlockMatchWindowSSDQCOM
            | O::ImageBlockMatchWindowSADQCOM
            | O::ImageBlockMatchGatherSSDQCOM
            | O::ImageBlockMatchGatherSADQCOM
            | O::ImageGatherQCOM
            | O::ImageSampleFootprintNV
            | O::ConvertSampledImageToUNV
            | O::CopyObject
    ) || matches!(op, O::Store | O::Phi | O::Select) && m.has(Capability::BindlessTextureNV)
}

/// The ids that `OpSampledImage` instructions make; `None` if there are none.
fn find_made(m: &Module<'_>) -> Option<IdMap<bool>> {
    let mut made = None;
    let makers = m.interesting.sampled_images.iter();
    for inst in makers.filter_map(|&offset| m.inst(offset)) {
        if let Some(id) = inst.result()
            && m.function_at(inst.offset()).is_some()
        {
            let none = || IdMap::with_bound(false, m.words.len(), m.header.bound);
            *made.get_or_insert_with(none).slot(id) = true;
        }
    }
    made
}

/// Checks all uses of what `OpSampledImage` makes.
pub(super) fn check_uses(m: &Module<'_>, reporter: &mut Reporter) {
    // Legalization inlines and propagates until the uses are as they must be.
    if m.options.before_hlsl_legalization {
        return;
    }
    let Some(made) = find_made(m) else {
        return;
    };
    for (index, block) in m.blocks.iter().enumerate() {
        if block.terminator == 0 {
            continue;
        }
        for inst in m.instructions(block.start..block.terminator + 1) {
            let words = inst.words().get(1..).unwrap_or_default();
            if words.iter().any(|&word| made.get(Id(word))) {
                check_use(m, &made, index as u32, inst, reporter);
            }
            if reporter.is_full() {
                return;
            }
        }
    }
}

/// Checks an instruction some word of which is the number of such an id.
#[cold]
fn check_use(
    m: &Module<'_>,
    made: &IdMap<bool>,
    block: u32,
    inst: Inst<'_>,
    reporter: &mut Reporter,
) {
    if m.is_remark(inst) {
        return;
    }
    let op = inst.op();
    let is_handle = m.has(Capability::BindlessTextureNV);
    let offset = WordOffset(inst.offset() as usize);
    let Some(instruction) = Instruction::from_words(inst.words(), offset) else {
        return;
    };
    let used = instruction.operands(&m.definitions).find_map(|operand| {
        let Value::Id(id) = operand.ok()?.value else {
            return None;
        };
        let is_use = made.get(id)
            && Some(id) != inst.result()
            && m.op_of(id) == Op::SampledImage
            && (!is_consumer(m, op) || !is_handle && m.block_of(id) != Some(block));
        is_use.then_some(id)
    });
    let Some(used) = used else {
        return;
    };
    let at = m.def_offset(used);
    let name = m.name(used);
    let finding = match is_consumer(m, op) {
        true => Finding::new(
            &image::SAMPLED_IMAGE_BLOCK,
            at,
            format!(
                "the sampled image {name} is used in another block than the one that defines it"
            ),
        ),
        false => Finding::new(
            &image::SAMPLED_IMAGE_CONSUMER,
            at,
            format!("the sampled image {name} is used by {op}, which takes no sampled image"),
        ),
    };
    reporter.add(finding.at(inst.offset(), "it is used here"));
}

/// The variable that an image or a sampled image was loaded from, if that can
/// be seen, as the id of the variable.
pub(super) fn variable_of(m: &Module<'_>, id: Id) -> Option<Id> {
    let def = m.def(id)?;
    let load = match def.op() {
        Op::SampledImage => m.def(def.id(0))?,
        _ => def,
    };
    (load.op() == Op::Load).then(|| load.id(0))
}
