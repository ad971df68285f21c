//! Type declarations (specification, section 3.32.6).

mod aggregates;
mod cooperative;
mod images;
mod numeric;
pub(in crate::rules) mod pointers;
mod tensors;
mod unique;

use spirvkit_diagnostics::ErrorClass::InvalidId;
use spirvkit_grammar::{Op, StorageClass};

use super::Family;
use crate::finding::CheckResult;
use crate::inst_ctx::InstCtx;
use crate::rule::{Example, Frame, Rule};

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
    rules: &[
        &numeric::INT_WIDTH,
        &numeric::INT_SIGNEDNESS,
        &numeric::INT_IN_KERNEL,
        &numeric::FLOAT_WIDTH,
        &numeric::FLOAT_ENCODING,
        &numeric::VECTOR_COMPONENT,
        &numeric::VECTOR_SIZE,
        &numeric::VECTOR_LENGTH_ID,
        &numeric::MATRIX_COLUMN,
        &numeric::MATRIX_COMPONENT,
        &numeric::MATRIX_SIZE,
        &images::SAMPLED_TYPE,
        &images::SAMPLED_TYPE_VULKAN,
        &images::FLAGS,
        &images::SUBPASS,
        &images::TILE,
        &images::MULTISAMPLED_STORAGE,
        &images::SAMPLED_VULKAN,
        &images::FORMAT_VULKAN,
        &images::OPENCL,
        &images::SAMPLED_IMAGE,
        &images::SAMPLED_IMAGE_USE,
        &aggregates::ELEMENT,
        &aggregates::NESTED_RUNTIME_ARRAY,
        &aggregates::LENGTH,
        &aggregates::MEMBER,
        &aggregates::BUILT_IN_MEMBERS,
        &aggregates::BUILT_IN_NESTED,
        &aggregates::RUNTIME_ARRAY_LAST,
        &aggregates::RUNTIME_ARRAY_BLOCK,
        &aggregates::NESTED_BLOCK,
        &aggregates::OPAQUE_MEMBER,
        &pointers::POINTEE,
        &pointers::CLASS_VULKAN,
        &pointers::UNTYPED_CLASS_VULKAN,
        &pointers::TILE_IMAGE,
        &pointers::TILE_ATTACHMENT,
        &pointers::FORWARD,
        &pointers::FORWARD_VULKAN,
        &pointers::FUNCTION_RETURN,
        &pointers::FUNCTION_PARAMETER,
        &cooperative::COMPONENT,
        &cooperative::SHAPE,
        &cooperative::SCOPE_VULKAN,
        &cooperative::LOCAL_SIZE,
        &tensors::ELEMENT,
        &tensors::RANK,
        &tensors::SHAPE,
        &tensors::DIMENSIONS,
        &tensors::CLAMP,
        &tensors::VIEW,
        &BUFFER_CLASS,
        &unique::DUPLICATE,
    ],
};

static BUFFER_CLASS: Rule = Rule {
    id: "type.buffer-class",
    class: InvalidId,
    section: "SPV_EXT_descriptor_heap",
    vuids: &[],
    text: "A buffer in a descriptor heap has the storage class `StorageBuffer` or `Uniform`.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability UntypedPointersKHR
OpCapability DescriptorHeapEXT
OpExtension \"SPV_KHR_untyped_pointers\"
OpExtension \"SPV_EXT_descriptor_heap\"
%buffer = OpTypeBufferEXT Workgroup",
        keeps: "OpCapability UntypedPointersKHR
OpCapability DescriptorHeapEXT
OpExtension \"SPV_KHR_untyped_pointers\"
OpExtension \"SPV_EXT_descriptor_heap\"
%buffer = OpTypeBufferEXT Uniform",
    },
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
    Err(at.finding(&BUFFER_CLASS, message))
}
