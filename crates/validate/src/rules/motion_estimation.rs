//! Motion estimation of Intel's video units (SPV_INTEL_device_side_avc_motion_estimation).
//!
//! What the instructions make and take is a table. Where the document and the headers of OpenCL C, by
//! which compilers write these instructions, say different things, either is accepted; where the document
//! says nothing of an operand, so does the table.

use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, Dim, Op};

use super::Family;
use crate::finding::{CheckResult, Finding, Reporter, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Inst, Lookup, Module, Type};
use crate::pattern::{ANY, IMAGE, INT, Pattern, SAMPLER, U32, UNSIGNED};
use crate::rules::generated::motion_estimation;

pub(crate) const FAMILY: Family = Family {
    ops: &OPS,
    check,
    check_module: Some(check_uses),
};

struct Row {
    op: Op,
    made: Pattern,
    args: &'static [Pattern],
}

/// Payloads: what is to be done.
const MCE: Pattern = Pattern::declared_by(Op::TypeAvcMcePayloadINTEL, "a generic MCE payload");
const IME: Pattern = Pattern::declared_by(Op::TypeAvcImePayloadINTEL, "an IME payload");
const REF: Pattern = Pattern::declared_by(Op::TypeAvcRefPayloadINTEL, "a REF payload");
const SIC: Pattern = Pattern::declared_by(Op::TypeAvcSicPayloadINTEL, "a SIC payload");

/// Results: what came of it.
const MCE_DONE: Pattern = Pattern::declared_by(Op::TypeAvcMceResultINTEL, "a generic MCE result");
const IME_DONE: Pattern = Pattern::declared_by(Op::TypeAvcImeResultINTEL, "an IME result");
const REF_DONE: Pattern = Pattern::declared_by(Op::TypeAvcRefResultINTEL, "a REF result");
const SIC_DONE: Pattern = Pattern::declared_by(Op::TypeAvcSicResultINTEL, "a SIC result");
/// The document has IME results here, compilers write what the names say.
const ANY_DONE: Pattern = Pattern::either(&[MCE_DONE, IME_DONE]);

/// What passes from one operation to the next.
const ONE_OUT: Pattern = Pattern::declared_by(
    Op::TypeAvcImeResultSingleReferenceStreamoutINTEL,
    "an IME result with a single reference's streamout",
);
const TWO_OUT: Pattern = Pattern::declared_by(
    Op::TypeAvcImeResultDualReferenceStreamoutINTEL,
    "an IME result with a dual reference's streamout",
);
const ONE_IN: Pattern = Pattern::declared_by(
    Op::TypeAvcImeSingleReferenceStreaminINTEL,
    "a single reference's streamin",
);
const TWO_IN: Pattern = Pattern::declared_by(
    Op::TypeAvcImeDualReferenceStreaminINTEL,
    "a dual reference's streamin",
);

const PICTURE: Pattern = Pattern::declared_by(Op::TypeVmeImageINTEL, "a VME image");

const U8: Pattern = UNSIGNED.widths(&[8]);
const U16: Pattern = UNSIGNED.widths(&[16]);
const U64: Pattern = UNSIGNED.widths(&[64]);
/// Whose sign doesn't matter.
const I8: Pattern = INT.widths(&[8]);
const I32: Pattern = INT.widths(&[32]);
const I64: Pattern = INT.widths(&[64]);
/// One of a list of values. The document asks for a constant, but compilers that don't optimize load
/// what is constant in the source.
const CHOICE: Pattern = U8;
const TABLE: Pattern = U32.vector_of(&[2]);
const PLACE: Pattern = U16.vector_of(&[2]);
/// A place relative to another, with signs that the type need not have.
const OFFSET: Pattern = INT.widths(&[16]).vector_of(&[2]);
/// Pixels with two colors: of 8 bits in the document, of 16 in OpenCL C.
const CHROMA: Pattern = UNSIGNED.widths(&[8, 16]);
/// How blocks are partitioned: of 8 bits in the document, which the values don't fit in, and of 32 in
/// OpenCL C.
const PARTITION: Pattern = UNSIGNED.widths(&[8, 32]);
/// An integer in the document, a payload as of its kin's in what compilers write.
const THRESHOLD_SET: Pattern = Pattern::either(&[IME, U8]);

macro_rules! rows {
    ($($name:ident: $made:expr, $args:expr;)*) => {
        &[$(Row {
            op: Op::$name,
            made: $made,
            args: $args,
        }),*]
    };
}

/// The instructions, by the phases of an operation.
#[rustfmt::skip]
const ROWS: &[Row] = rows! {
    VmeImageINTEL: PICTURE, &[IMAGE, SAMPLER];
    // Costs.
    SubgroupAvcMceGetDefaultInterBaseMultiReferencePenaltyINTEL: U8, &[U8, I8];
    SubgroupAvcMceSetInterBaseMultiReferencePenaltyINTEL: MCE, &[I8, MCE];
    SubgroupAvcMceGetDefaultInterShapePenaltyINTEL: U64, &[U8, I8];
    SubgroupAvcMceSetInterShapePenaltyINTEL: MCE, &[I64, MCE];
    SubgroupAvcMceGetDefaultInterDirectionPenaltyINTEL: U8, &[U8, I8];
    SubgroupAvcMceSetInterDirectionPenaltyINTEL: MCE, &[I8, MCE];
    SubgroupAvcMceGetDefaultIntraLumaShapePenaltyINTEL: U32, &[U8, I8];
    SubgroupAvcMceGetDefaultInterMotionVectorCostTableINTEL: TABLE, &[U8, I8];
    SubgroupAvcMceGetDefaultHighPenaltyCostTableINTEL: TABLE, &[];
    SubgroupAvcMceGetDefaultMediumPenaltyCostTableINTEL: TABLE, &[];
    SubgroupAvcMceGetDefaultLowPenaltyCostTableINTEL: TABLE, &[];
    SubgroupAvcMceSetMotionVectorCostFunctionINTEL: MCE, &[U64, TABLE, U8, MCE];
    SubgroupAvcMceGetDefaultIntraLumaModePenaltyINTEL: U8, &[U8, I8];
    SubgroupAvcMceGetDefaultNonDcLumaIntraPenaltyINTEL: U32, &[];
    SubgroupAvcMceGetDefaultIntraChromaModeBasePenaltyINTEL: U8, &[];
    // Properties of any operation.
    SubgroupAvcMceSetAcOnlyHaarINTEL: MCE, &[MCE];
    SubgroupAvcMceSetSourceInterlacedFieldPolarityINTEL: MCE, &[U8, MCE];
    SubgroupAvcMceSetSingleReferenceInterlacedFieldPolarityINTEL: MCE, &[U8, MCE];
    SubgroupAvcMceSetDualReferenceInterlacedFieldPolaritiesINTEL: MCE, &[U8, U8, MCE];
    SubgroupAvcMceConvertToImePayloadINTEL: IME, &[MCE];
    SubgroupAvcMceConvertToImeResultINTEL: IME_DONE, &[MCE_DONE];
    SubgroupAvcMceConvertToRefPayloadINTEL: REF, &[MCE];
    SubgroupAvcMceConvertToRefResultINTEL: REF_DONE, &[MCE_DONE];
    SubgroupAvcMceConvertToSicPayloadINTEL: SIC, &[MCE];
    SubgroupAvcMceConvertToSicResultINTEL: SIC_DONE, &[MCE_DONE];
    SubgroupAvcMceGetMotionVectorsINTEL: U64, &[ANY_DONE];
    SubgroupAvcMceGetInterDistortionsINTEL: U16, &[ANY_DONE];
    SubgroupAvcMceGetBestInterDistortionsINTEL: U16, &[ANY_DONE];
    SubgroupAvcMceGetInterMajorShapeINTEL: U8, &[ANY_DONE];
    SubgroupAvcMceGetInterMinorShapeINTEL: U8, &[ANY_DONE];
    SubgroupAvcMceGetInterDirectionsINTEL: U8, &[ANY_DONE];
    SubgroupAvcMceGetInterMotionVectorCountINTEL: U8, &[ANY_DONE];
    SubgroupAvcMceGetInterReferenceIdsINTEL: U32, &[ANY_DONE];
    SubgroupAvcMceGetInterReferenceInterlacedFieldPolaritiesINTEL: U8, &[U32, U32, ANY_DONE];
    // Whole pixels.
    SubgroupAvcImeInitializeINTEL: IME, &[PLACE, U8, U8];
    SubgroupAvcImeSetSingleReferenceINTEL: IME, &[OFFSET, CHOICE, IME];
    SubgroupAvcImeSetDualReferenceINTEL: IME, &[OFFSET, OFFSET, CHOICE, IME];
    SubgroupAvcImeRefWindowSizeINTEL: PLACE, &[CHOICE, I8];
    SubgroupAvcImeAdjustRefOffsetINTEL: OFFSET, &[OFFSET, PLACE, PLACE, PLACE];
    SubgroupAvcImeConvertToMcePayloadINTEL: MCE, &[IME];
    SubgroupAvcImeSetMaxMotionVectorCountINTEL: IME, &[U8, IME];
    SubgroupAvcImeSetUnidirectionalMixDisableINTEL: IME, &[IME];
    SubgroupAvcImeSetEarlySearchTerminationThresholdINTEL: THRESHOLD_SET, &[U8, IME];
    SubgroupAvcImeSetWeightedSadINTEL: ANY, &[U32, IME];
    SubgroupAvcImeEvaluateWithSingleReferenceINTEL: IME_DONE, &[PICTURE, PICTURE, IME];
    SubgroupAvcImeEvaluateWithDualReferenceINTEL: IME_DONE, &[PICTURE, PICTURE, PICTURE, IME];
    SubgroupAvcImeEvaluateWithSingleReferenceStreaminINTEL: IME_DONE, &[PICTURE, PICTURE, IME, ONE_IN];
    SubgroupAvcImeEvaluateWithDualReferenceStreaminINTEL: IME_DONE, &[PICTURE, PICTURE, PICTURE, IME, TWO_IN];
    SubgroupAvcImeEvaluateWithSingleReferenceStreamoutINTEL: ONE_OUT, &[PICTURE, PICTURE, IME];
    SubgroupAvcImeEvaluateWithDualReferenceStreamoutINTEL: TWO_OUT, &[PICTURE, PICTURE, PICTURE, IME];
    SubgroupAvcImeEvaluateWithSingleReferenceStreaminoutINTEL: ONE_OUT, &[PICTURE, PICTURE, IME, ONE_IN];
    SubgroupAvcImeEvaluateWithDualReferenceStreaminoutINTEL: TWO_OUT, &[PICTURE, PICTURE, PICTURE, IME, TWO_IN];
    SubgroupAvcImeConvertToMceResultINTEL: MCE_DONE, &[IME_DONE];
    SubgroupAvcImeGetSingleReferenceStreaminINTEL: ONE_IN, &[ONE_OUT];
    SubgroupAvcImeGetDualReferenceStreaminINTEL: TWO_IN, &[TWO_OUT];
    SubgroupAvcImeStripSingleReferenceStreamoutINTEL: IME_DONE, &[ONE_OUT];
    SubgroupAvcImeStripDualReferenceStreamoutINTEL: IME_DONE, &[TWO_OUT];
    SubgroupAvcImeGetStreamoutSingleReferenceMajorShapeMotionVectorsINTEL: U32, &[ONE_OUT, CHOICE];
    SubgroupAvcImeGetStreamoutSingleReferenceMajorShapeDistortionsINTEL: U16, &[ONE_OUT, CHOICE];
    SubgroupAvcImeGetStreamoutSingleReferenceMajorShapeReferenceIdsINTEL: U8, &[ONE_OUT, CHOICE];
    SubgroupAvcImeGetStreamoutDualReferenceMajorShapeMotionVectorsINTEL: U32, &[TWO_OUT, CHOICE, CHOICE];
    SubgroupAvcImeGetStreamoutDualReferenceMajorShapeDistortionsINTEL: U16, &[TWO_OUT, CHOICE, CHOICE];
    SubgroupAvcImeGetStreamoutDualReferenceMajorShapeReferenceIdsINTEL: U8, &[TWO_OUT, CHOICE, CHOICE];
    SubgroupAvcImeGetBorderReachedINTEL: U8, &[CHOICE, IME_DONE];
    SubgroupAvcImeGetTruncatedSearchIndicationINTEL: U8, &[IME_DONE];
    SubgroupAvcImeGetUnidirectionalEarlySearchTerminationINTEL: U8, &[IME_DONE];
    SubgroupAvcImeGetWeightingPatternMinimumMotionVectorINTEL: U32, &[IME_DONE];
    SubgroupAvcImeGetWeightingPatternMinimumDistortionINTEL: U16, &[IME_DONE];
    // Refinement.
    SubgroupAvcFmeInitializeINTEL: REF, &[PLACE, U64, U8, U8, U8, U8, U8];
    SubgroupAvcBmeInitializeINTEL: REF, &[PLACE, U64, U8, U8, U8, U8, U8, U8];
    SubgroupAvcRefConvertToMcePayloadINTEL: MCE, &[REF];
    SubgroupAvcRefSetBidirectionalMixDisableINTEL: REF, &[REF];
    SubgroupAvcRefSetBilinearFilterEnableINTEL: REF, &[REF];
    SubgroupAvcRefEvaluateWithSingleReferenceINTEL: REF_DONE, &[PICTURE, PICTURE, REF];
    SubgroupAvcRefEvaluateWithDualReferenceINTEL: REF_DONE, &[PICTURE, PICTURE, PICTURE, REF];
    SubgroupAvcRefEvaluateWithMultiReferenceINTEL: REF_DONE, &[PICTURE, U32, REF];
    SubgroupAvcRefEvaluateWithMultiReferenceInterlacedINTEL: REF_DONE, &[PICTURE, U32, U8, REF];
    SubgroupAvcRefConvertToMceResultINTEL: MCE_DONE, &[REF_DONE];
    // Skip and intra checks.
    SubgroupAvcSicInitializeINTEL: SIC, &[PLACE];
    SubgroupAvcSicConfigureSkcINTEL: SIC, &[PARTITION, U32, U64, U8, U8, SIC];
    SubgroupAvcSicConfigureIpeLumaINTEL: SIC, &[U8, U8, U8, U8, U8, U8, U8, ANY];
    SubgroupAvcSicConfigureIpeLumaChromaINTEL: SIC, &[U8, U8, U8, U8, U8, U8, CHROMA, CHROMA, CHROMA, U8, ANY];
    SubgroupAvcSicGetMotionVectorMaskINTEL: U32, &[U32, U8];
    SubgroupAvcSicConvertToMcePayloadINTEL: MCE, &[SIC];
    SubgroupAvcSicSetIntraLumaShapePenaltyINTEL: SIC, &[I32, SIC];
    SubgroupAvcSicSetIntraLumaModeCostFunctionINTEL: SIC, &[ANY, ANY, ANY, SIC];
    SubgroupAvcSicSetIntraChromaModeCostFunctionINTEL: SIC, &[ANY, SIC];
    SubgroupAvcSicSetBilinearFilterEnableINTEL: SIC, &[SIC];
    SubgroupAvcSicSetSkcForwardTransformEnableINTEL: SIC, &[U64, SIC];
    SubgroupAvcSicSetBlockBasedRawSkipSadINTEL: SIC, &[U8, SIC];
    SubgroupAvcSicEvaluateIpeINTEL: SIC_DONE, &[PICTURE, SIC];
    SubgroupAvcSicEvaluateWithSingleReferenceINTEL: SIC_DONE, &[PICTURE, PICTURE, SIC];
    SubgroupAvcSicEvaluateWithDualReferenceINTEL: SIC_DONE, &[PICTURE, PICTURE, PICTURE, SIC];
    SubgroupAvcSicEvaluateWithMultiReferenceINTEL: SIC_DONE, &[PICTURE, U32, SIC];
    SubgroupAvcSicEvaluateWithMultiReferenceInterlacedINTEL: SIC_DONE, &[PICTURE, U32, U8, SIC];
    SubgroupAvcSicConvertToMceResultINTEL: MCE_DONE, &[SIC_DONE];
    SubgroupAvcSicGetIpeLumaShapeINTEL: U8, &[SIC_DONE];
    SubgroupAvcSicGetBestIpeLumaDistortionINTEL: U16, &[SIC_DONE];
    SubgroupAvcSicGetBestIpeChromaDistortionINTEL: U16, &[SIC_DONE];
    SubgroupAvcSicGetPackedIpeLumaModesINTEL: U64, &[SIC_DONE];
    SubgroupAvcSicGetIpeChromaModeINTEL: U8, &[SIC_DONE];
    SubgroupAvcSicGetPackedSkcLumaCountThresholdINTEL: U32, &[SIC_DONE];
    SubgroupAvcSicGetPackedSkcLumaSumThresholdINTEL: U64, &[SIC_DONE];
    SubgroupAvcSicGetInterRawSadsINTEL: U16, &[SIC_DONE];
};

const OPS: [Op; ROWS.len()] = ops_of!(ROWS, op);

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let Some(row) = ROWS.iter().find(|row| row.op == at.inst.op()) else {
        return Ok(());
    };
    let made = match row.made == ANY {
        true => Ok(()),
        false => at.expect_result(&motion_estimation::RESULT, row.made),
    };
    let args = row.args.iter().enumerate();
    let args = args.filter(|(_, wanted)| **wanted != ANY);
    let args =
        args.map(|(index, &wanted)| at.expect_operand(&motion_estimation::OPERAND, index, wanted));
    all([made, all(args)])?;
    match row.op {
        Op::VmeImageINTEL => check_image(at),
        _ => Ok(()),
    }
}

/// Checks the image that is combined with a sampler.
fn check_image(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let ty = at.type_of_arg(0);
    let is_fine = matches!(
        m.ty(ty),
        Type::Image(image) if image.sampled < 2 && image.dim != Dim::SubpassData
    );
    let wanted = "an image with `Sampled` 0 or 1 that is no subpass input";
    at.expect_operand_that(&motion_estimation::IMAGE, 0, is_fine, wanted)?;
    let named = m.def(at.result_type()).map(|def| def.id(0));
    if named.is_none_or(|named| named == ty) {
        return Ok(());
    }
    let wanted = named.map_or_else(String::new, |named| m.show_type(named));
    Err(at.operand_finding(&motion_estimation::IMAGE, 0, &wanted))
}

/// Checks that images with samplers are used where they are made, by what takes such images.
fn check_uses(m: &Module<'_>, reporter: &mut Reporter) {
    if !m.has(Capability::SubgroupAvcMotionEstimationINTEL) {
        return;
    }
    for made in m
        .all_instructions()
        .filter(|it| it.op() == Op::VmeImageINTEL)
    {
        let users = m.uses(made.result().unwrap_or(Id(0))).iter();
        let users = users.filter_map(|&offset| m.inst(offset));
        let mut users = users.filter(|user| m.function_at(user.offset()).is_some());
        let Some(user) = users.find(|user| !may_use(m, made, *user)) else {
            continue;
        };
        let name = m.name(made.result().unwrap_or(Id(0)));
        let what = match takes_pictures(user.op()) {
            true => "in another block than the one that defines it".to_owned(),
            false => format!("by {}, which takes no such image", user.op()),
        };
        let message = format!("the VME image {name} is used {what}");
        let finding = Finding::new(&motion_estimation::IMAGE_USE, made.offset(), message);
        reporter.add(finding.at(user.offset(), "it is used here"));
        if reporter.is_full() {
            return;
        }
    }
}

fn may_use(m: &Module<'_>, made: Inst<'_>, user: Inst<'_>) -> bool {
    let block = |inst: Inst<'_>| m.block_of(inst.result()?);
    m.is_remark(user) || takes_pictures(user.op()) && block(made) == block(user)
}

fn takes_pictures(op: Op) -> bool {
    let takes = |row: &Row| row.op == op && row.args.contains(&PICTURE);
    op == Op::Image || ROWS.iter().any(takes)
}
