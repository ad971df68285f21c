//! Memory instructions (specification, section 3.32.8).

mod copies;
mod load_store;
pub(in crate::rules) mod operands;
mod pointers;
mod stages;
mod variables;
mod vulkan_variables;

use spirvkit_grammar::Op;

use super::Family;
use crate::finding::CheckResult;
use crate::inst_ctx::InstCtx;

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::Variable,
        Op::UntypedVariableKHR,
        Op::Load,
        Op::Store,
        Op::PredicatedLoadINTEL,
        Op::PredicatedStoreINTEL,
        Op::CopyMemory,
        Op::CopyMemorySized,
        Op::ArrayLength,
        Op::UntypedArrayLengthKHR,
        Op::PtrEqual,
        Op::PtrNotEqual,
        Op::PtrDiff,
        Op::GenericPtrMemSemantics,
        Op::UntypedPrefetchKHR,
        Op::BufferPointerEXT,
        Op::MaskedGatherINTEL,
        Op::MaskedScatterINTEL,
        Op::VariableLengthArrayINTEL,
        Op::UntypedVariableLengthArrayINTEL,
        Op::SaveMemoryINTEL,
        Op::RestoreMemoryINTEL,
    ],
    check,
    check_module: Some(stages::check),
    rules: &[
        &variables::TYPE,
        &variables::GENERIC,
        &variables::PHYSICAL,
        &variables::DATA_TYPE,
        &variables::DATA_TYPE_VULKAN,
        &variables::INITIALIZER,
        &variables::INITIALIZER_PAYLOAD,
        &variables::INITIALIZER_VULKAN,
        &variables::BOOLEAN,
        &variables::POINTERS,
        &variables::COOPERATIVE,
        &vulkan_variables::LONG_VECTOR,
        &variables::SMALL,
        &variables::TINY,
        &vulkan_variables::HANDLE,
        &vulkan_variables::BLOCK,
        &vulkan_variables::RUNTIME_ARRAY,
        &vulkan_variables::TILE_ATTACHMENT,
        &load_store::POINTER,
        &load_store::LOGICAL,
        &load_store::LOAD_TYPE,
        &load_store::RUNTIME_ARRAY,
        &load_store::SMALL_LOAD,
        &load_store::HEAP_LOAD,
        &load_store::STORE_VOID,
        &load_store::STORE_TYPE,
        &load_store::READ_ONLY,
        &load_store::UNIFORM_BLOCK,
        &load_store::OPAQUE,
        &load_store::PREDICATED,
        &operands::DIRECTION,
        &operands::COPY_DIRECTION,
        &operands::COPY_VERSION,
        &operands::NON_PRIVATE,
        &operands::NON_PRIVATE_CLASS,
        &operands::ALIGNMENT,
        &operands::PHYSICAL_ALIGNMENT,
        &copies::TYPES,
        &copies::SMALL,
        &copies::SIZE,
        &copies::SIZE_MULTIPLE,
        &pointers::LENGTH_TYPE,
        &pointers::LENGTH,
        &pointers::LENGTH_UNIFORM,
        &pointers::COMPARISON,
        &pointers::COMPARISON_LOGICAL,
        &pointers::PREFETCH,
        &pointers::BUFFER,
        &pointers::MASKED,
        &stages::STAGE,
        &stages::STAGE_VULKAN,
    ],
};

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.inst.op() {
        Op::Load => load_store::load(at),
        Op::Store => load_store::store(at),
        Op::Variable | Op::UntypedVariableKHR => variables::check(at),
        Op::PredicatedLoadINTEL | Op::PredicatedStoreINTEL => load_store::predicated(at),
        Op::CopyMemory | Op::CopyMemorySized => copies::copy(at),
        Op::ArrayLength | Op::UntypedArrayLengthKHR => pointers::array_length(at),
        Op::PtrEqual | Op::PtrNotEqual | Op::PtrDiff => pointers::comparison(at),
        Op::UntypedPrefetchKHR => pointers::prefetch(at),
        Op::BufferPointerEXT => pointers::buffer(at),
        Op::MaskedGatherINTEL | Op::MaskedScatterINTEL => pointers::masked(at),
        Op::GenericPtrMemSemantics | Op::RestoreMemoryINTEL => pointers::takes_pointer(at),
        _ => Ok(()),
    }
}
