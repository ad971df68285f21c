//! Type declarations (specification, section 3.32.6).

mod aggregates;
mod cooperative;
mod images;
mod numeric;
pub(in crate::rules) mod pointers;
mod tensors;
mod unique;

pub(super) use pointers::is_ray_object;
use spirvkit_grammar::{Op, StorageClass};

use super::Family;
use crate::finding::CheckResult;
use crate::inst_ctx::InstCtx;
use crate::rules::generated::type_;

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::TypeVoid,
        Op::TypeBool,
        Op::TypeInt,
        Op::TypeFloat,
        Op::TypeVector,
        Op::TypeVectorIdEXT,
        Op::TypeMatrix,
        Op::TypeImage,
        Op::TypeSampler,
        Op::TypeSampledImage,
        Op::TypeArray,
        Op::TypeRuntimeArray,
        Op::TypeNodePayloadArrayAMDX,
        Op::TypeStruct,
        Op::TypeStructContinuedINTEL,
        Op::TypeOpaque,
        Op::TypePointer,
        Op::TypeUntypedPointerKHR,
        Op::TypeForwardPointer,
        Op::TypeFunction,
        Op::TypeEvent,
        Op::TypeDeviceEvent,
        Op::TypeReserveId,
        Op::TypeQueue,
        Op::TypePipe,
        Op::TypePipeStorage,
        Op::TypeNamedBarrier,
        Op::TypeBufferEXT,
        Op::TypeBufferSurfaceINTEL,
        Op::TypeTensorARM,
        Op::TypeTensorLayoutNV,
        Op::TypeTensorViewNV,
        Op::TypeCooperativeMatrixKHR,
        Op::TypeCooperativeMatrixNV,
        Op::TypeRayQueryKHR,
        Op::TypeAccelerationStructureKHR,
        Op::TypeHitObjectNV,
        Op::TypeHitObjectEXT,
        Op::TypeTaskSequenceALTERA,
        Op::TypeVmeImageINTEL,
        Op::TypeAvcImePayloadINTEL,
        Op::TypeAvcRefPayloadINTEL,
        Op::TypeAvcSicPayloadINTEL,
        Op::TypeAvcMcePayloadINTEL,
        Op::TypeAvcMceResultINTEL,
        Op::TypeAvcImeResultINTEL,
        Op::TypeAvcImeResultSingleReferenceStreamoutINTEL,
        Op::TypeAvcImeResultDualReferenceStreamoutINTEL,
        Op::TypeAvcImeSingleReferenceStreaminINTEL,
        Op::TypeAvcImeDualReferenceStreaminINTEL,
        Op::TypeAvcRefResultINTEL,
        Op::TypeAvcSicResultINTEL,
    ],
    check,
    check_module: Some(unique::check),
};

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.inst.op() {
        Op::TypeInt => numeric::int(at),
        Op::TypeFloat => numeric::float(at),
        Op::TypeVector => numeric::vector(at),
        Op::TypeVectorIdEXT => numeric::long_vector(at),
        Op::TypeMatrix => numeric::matrix(at),
        Op::TypeImage => images::image(at),
        Op::TypeSampledImage => images::sampled_image(at),
        Op::TypeArray | Op::TypeRuntimeArray => aggregates::array(at),
        Op::TypeStruct => aggregates::structure(at),
        Op::TypePointer => pointers::pointer(at),
        Op::TypeUntypedPointerKHR => pointers::untyped_pointer(at),
        Op::TypeForwardPointer => pointers::forward_pointer(at),
        Op::TypeFunction => pointers::function(at),
        Op::TypeCooperativeMatrixKHR | Op::TypeCooperativeMatrixNV => cooperative::matrix(at),
        Op::TypeTensorARM => tensors::tensor(at),
        Op::TypeTensorLayoutNV => tensors::layout(at),
        Op::TypeTensorViewNV => tensors::view(at),
        Op::TypeBufferEXT => buffer(at),
        _ => Ok(()),
    }
}

fn buffer(at: &InstCtx<'_, '_>) -> CheckResult {
    let class = StorageClass(at.inst.arg(0));
    if matches!(class, StorageClass::StorageBuffer | StorageClass::Uniform) {
        return Ok(());
    }
    let message = format!(
        "the storage class of a buffer must be `StorageBuffer` or `Uniform`, but is `{class}`"
    );
    Err(at.finding(&type_::BUFFER_CLASS, message))
}
