//! Pointers under logical addressing (specification, section 2.16.1).

use spirvkit_grammar::{Capability, Op};

use super::Family;
use crate::fault::Verdict;
use crate::module::Module;
use crate::site::Site;

pub(crate) const FAMILY: Family = Family {
    ops: &[],
    check,
    check_module: None,
    rules: &[],
};

fn check(_at: &Site<'_, '_>) -> Verdict {
    Ok(())
}

/// Whether pointers may be chosen at run time.
pub(super) fn allows_variable_pointers(m: &Module<'_>) -> bool {
    m.has(Capability::VariablePointersStorageBuffer) || m.options.relax_logical_pointer
}

/// Whether the opcode makes a pointer under logical addressing without variable
/// pointers.
pub(super) fn makes_logical_pointer(op: Op) -> bool {
    matches!(
        op,
        Op::Variable
            | Op::UntypedVariableKHR
            | Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::UntypedAccessChainKHR
            | Op::UntypedInBoundsAccessChainKHR
            | Op::FunctionParameter
            | Op::ImageTexelPointer
            | Op::UntypedImageTexelPointerEXT
            | Op::CopyObject
            | Op::RawAccessChainNV
            | Op::BufferPointerEXT
            | Op::AllocateNodePayloadsAMDX
    )
}

/// Whether the opcode makes a pointer with variable pointers.
pub(super) fn makes_variable_pointer(op: Op) -> bool {
    makes_logical_pointer(op)
        || matches!(
            op,
            Op::Select
                | Op::Phi
                | Op::FunctionCall
                | Op::PtrAccessChain
                | Op::InBoundsPtrAccessChain
                | Op::UntypedPtrAccessChainKHR
                | Op::UntypedInBoundsPtrAccessChainKHR
                | Op::Load
                | Op::ConstantNull
        )
}
