//! Conversion instructions (specification, section 3.32.11).

mod bits;
mod numbers;
mod pointers;
mod vendor;

use spirvkit_grammar::Op;

use super::operation::{Operation, check_types, check_values};
use super::{Family, cooperative_matrix};
use crate::finding::CheckResult;
use crate::inst_ctx::InstCtx;
use crate::module::Lookup;
use crate::pattern::{FLOAT, INT, UNSIGNED};
use crate::rules::generated::conversion;

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::ConvertFToU,
        Op::ConvertFToS,
        Op::ConvertSToF,
        Op::ConvertUToF,
        Op::UConvert,
        Op::SConvert,
        Op::FConvert,
        Op::QuantizeToF16,
        Op::ConvertPtrToU,
        Op::SatConvertSToU,
        Op::SatConvertUToS,
        Op::ConvertUToPtr,
        Op::PtrCastToGeneric,
        Op::GenericCastToPtr,
        Op::GenericCastToPtrExplicit,
        Op::Bitcast,
        Op::BitcastExtractEXT,
        Op::CooperativeMatrixConvertUseEXT,
        Op::CooperativeMatrixTransposeNV,
        Op::ConvertUToAccelerationStructureKHR,
        Op::ConvertFToBF16INTEL,
        Op::ConvertBF16ToFINTEL,
        Op::RoundFToTF32INTEL,
        Op::ConvertUToImageNV,
        Op::ConvertUToSamplerNV,
        Op::ConvertUToSampledImageNV,
        Op::ConvertImageToUNV,
        Op::ConvertSamplerToUNV,
        Op::ConvertSampledImageToUNV,
        Op::ConvertHandleToImageINTEL,
        Op::ConvertHandleToSamplerINTEL,
        Op::ConvertHandleToSampledImageINTEL,
        Op::PtrCastToCrossWorkgroupALTERA,
        Op::CrossWorkgroupCastToPtrALTERA,
    ],
    check,
    check_module: None,
};

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.inst.op() {
        // It has a literal, too.
        Op::GenericCastToPtrExplicit => check_values(at, check_operation),
        _ => check_types(at, check_operation),
    }
}

pub(super) fn check_operation(o: &Operation<'_, '_, '_>) -> CheckResult {
    match o.op {
        Op::ConvertFToU => numbers::check_number(o, UNSIGNED, FLOAT),
        Op::ConvertFToS => numbers::check_number(o, INT, FLOAT),
        Op::ConvertSToF | Op::ConvertUToF => numbers::check_number(o, FLOAT, INT),
        Op::UConvert | Op::SConvert => {
            let result = match o.op {
                Op::UConvert => UNSIGNED,
                _ => INT,
            };
            numbers::check_number(o, result, INT)?;
            if o.m.bit_width(o.ty(0)) == o.m.bit_width(o.result) {
                return Err(o.mismatch(
                    &conversion::SAME_WIDTH,
                    0,
                    "a width other than the result's",
                ));
            }
            Ok(())
        }
        Op::FConvert => {
            numbers::check_number(o, FLOAT, FLOAT)?;
            if o.m.component_type(o.ty(0)) == o.m.component_type(o.result) {
                let wanted = "a component type other than the result's";
                return Err(o.mismatch(&conversion::SAME_COMPONENT, 0, wanted));
            }
            Ok(())
        }
        Op::SatConvertSToU | Op::SatConvertUToS => numbers::check_saturating(o),
        Op::QuantizeToF16 => numbers::check_quantize(o),
        Op::ConvertPtrToU => pointers::check_pointer_to_integer(o),
        Op::ConvertUToPtr => pointers::check_integer_to_pointer(o),
        Op::PtrCastToGeneric | Op::GenericCastToPtr | Op::GenericCastToPtrExplicit => {
            pointers::check_generic(o)
        }
        Op::PtrCastToCrossWorkgroupALTERA | Op::CrossWorkgroupCastToPtrALTERA => {
            pointers::check_shared(o)
        }
        Op::Bitcast => bits::check_bitcast(o),
        Op::BitcastExtractEXT => bits::check_extract(o),
        Op::CooperativeMatrixConvertUseEXT | Op::CooperativeMatrixTransposeNV => {
            cooperative_matrix::check_use_conversion(o)
        }
        Op::ConvertUToAccelerationStructureKHR => vendor::check_acceleration_structure(o),
        Op::ConvertFToBF16INTEL | Op::ConvertBF16ToFINTEL | Op::RoundFToTF32INTEL => {
            vendor::check_intel_float(o)
        }
        _ => vendor::check_handle(o),
    }
}
