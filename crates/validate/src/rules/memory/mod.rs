//! Memory instructions (specification, section 3.32.8).

mod copies;
mod load_store;
pub(in crate::rules) mod operands;
mod pointers;
mod stages;
mod variables;
mod vulkan_variables;

pub(super) use load_store::writable;
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
        Op::GenericPtrMemSemantics => pointers::takes_pointer(at),
        Op::VariableLengthArrayINTEL
        | Op::UntypedVariableLengthArrayINTEL
        | Op::SaveMemoryINTEL
        | Op::RestoreMemoryINTEL => pointers::variable_length(at),
        _ => Ok(()),
    }
}
