//! Pointers under logical addressing (specification, section 2.16.1).

mod flow;

use spirvkit_binary::Id;
use spirvkit_grammar::{AddressingModel, Capability, Op, StorageClass};

use super::Family;
use crate::finding::{CheckResult, Finding, Reporter};
use crate::inst_ctx::InstCtx;
use crate::module::{Inst, Lookup, Module};
use crate::rules::generated::logical_pointer;

pub(crate) const FAMILY: Family = Family {
    ops: &[],
    check,
    check_module: Some(check_module),
};

fn check(_at: &InstCtx<'_, '_>) -> CheckResult {
    Ok(())
}

/// Whether the module's pointers are logical, except those to physical storage
/// buffers.
pub(super) fn has_logical_pointers(m: &Module<'_>) -> bool {
    matches!(
        m.addressing,
        AddressingModel::Logical | AddressingModel::PhysicalStorageBuffer64
    )
}

/// Whether a type is that of logical pointers, in a module that has such.
fn is_logical_pointer(m: &Module<'_>, ty: Id) -> bool {
    m.pointer_class(ty)
        .is_some_and(|class| class != StorageClass::PhysicalStorageBuffer)
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
    makes_logical_pointer(op) || chooses_pointer(op)
}

/// Whether the pointer that the opcode makes is a variable pointer.
fn chooses_pointer(op: Op) -> bool {
    matches!(
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

fn check_module(m: &Module<'_>, reporter: &mut Reporter) {
    if !has_logical_pointers(m)
        || m.options.relax_logical_pointer
        || m.options.before_hlsl_legalization
    {
        return;
    }
    let interesting = m.interesting.pointers.iter();
    for inst in interesting.filter_map(|&offset| m.inst(offset)) {
        if let Some(finding) = check_use(m, inst) {
            reporter.add(finding);
            if reporter.is_full() {
                return;
            }
        }
    }
    if m.has(Capability::VariablePointersStorageBuffer) {
        flow::check(m, reporter);
    }
}

/// Whether variable pointers of the storage class are declared.
fn may_vary(m: &Module<'_>, class: StorageClass) -> bool {
    match class {
        StorageClass::StorageBuffer => m.has(Capability::VariablePointersStorageBuffer),
        StorageClass::Workgroup => m.has(Capability::VariablePointers),
        _ => false,
    }
}

/// Whether instructions with the opcode may make pointers at run time or use them
/// as data.
pub(crate) fn may_handle_pointers(m: &Module<'_>, op: Op) -> bool {
    match op {
        Op::Load => m.has(Capability::UntypedPointersKHR),
        Op::ConstantNull
        | Op::PtrAccessChain
        | Op::UntypedPtrAccessChainKHR
        | Op::Select
        | Op::Phi
        | Op::CompositeExtract => true,
        op => uses_as_data(op),
    }
}

/// Whether a pointer among the operands is used as data.
fn uses_as_data(op: Op) -> bool {
    matches!(
        op,
        Op::InBoundsPtrAccessChain
            | Op::UntypedInBoundsPtrAccessChainKHR
            | Op::CompositeConstruct
            | Op::CompositeConstructReplicateEXT
            | Op::CompositeInsert
            | Op::Bitcast
            | Op::PtrCastToGeneric
            | Op::GenericCastToPtr
            | Op::GenericCastToPtrExplicit
            | Op::FreezeKHR
            | Op::LifetimeStart
            | Op::LifetimeStop
    )
}

/// Checks an instruction with such an opcode.
fn check_use(m: &Module<'_>, inst: Inst<'_>) -> Option<Finding> {
    match inst.op() {
        // Vulkan has a rule of its own for these.
        Op::PtrAccessChain | Op::UntypedPtrAccessChainKHR if m.env.is_vulkan() => None,
        Op::ConstantNull | Op::PtrAccessChain | Op::UntypedPtrAccessChainKHR => {
            varying(m, inst, inst.result_type()?)
        }
        // Without the capability, this is reported where they are checked.
        Op::Select | Op::Phi if m.has(Capability::VariablePointersStorageBuffer) => {
            varying(m, inst, inst.result_type()?)
        }
        // Typed memory that holds pointers is reported where it is declared.
        Op::Load if is_untyped(m, inst.id(0)) => varying(m, inst, inst.result_type()?),
        op if uses_as_data(op) => pointer_as_data(m, inst),
        Op::CompositeExtract => {
            is_logical_pointer(m, inst.result_type()?).then(|| data_finding(inst))
        }
        _ => None,
    }
}

fn is_untyped(m: &Module<'_>, pointer: Id) -> bool {
    m.type_of(pointer)
        .is_some_and(|ty| m.op_of(ty) == Op::TypeUntypedPointerKHR)
}

fn varying(m: &Module<'_>, inst: Inst<'_>, ty: Id) -> Option<Finding> {
    let class = m.pointer_class(ty)?;
    if may_vary(m, class) || class == StorageClass::PhysicalStorageBuffer {
        return None;
    }
    let message = format!(
        "under logical addressing, the result of {} can't be a pointer to `{class}` in this module",
        inst.op()
    );
    // A constant may well be of use to a module; what uses it is to blame.
    let uses = m.uses(inst.result()?);
    let user = uses
        .iter()
        .find(|&&offset| m.function_at(offset).is_some())
        .filter(|_| inst.op() == Op::ConstantNull);
    let offset = user.copied().unwrap_or(inst.offset());
    let finding = Finding::new(&logical_pointer::VARIABLE, offset, message);
    Some(finding.about(m, ty, "the pointer type is declared here"))
}

fn pointer_as_data(m: &Module<'_>, inst: Inst<'_>) -> Option<Finding> {
    // Literals come after this many ids.
    let ids = match inst.op() {
        Op::CompositeInsert => 2,
        Op::GenericCastToPtrExplicit | Op::LifetimeStart | Op::LifetimeStop => 1,
        _ => usize::MAX,
    };
    let mut ids = inst.args().iter().take(ids);
    let takes_pointer = ids.any(|&id| {
        m.type_of(Id(id))
            .is_some_and(|ty| is_logical_pointer(m, ty))
    });
    takes_pointer.then(|| data_finding(inst))
}

#[cold]
fn data_finding(inst: Inst<'_>) -> Finding {
    let message = format!(
        "under logical addressing, {} can't be used on pointers",
        inst.op()
    );
    Finding::new(&logical_pointer::USE, inst.offset(), message)
}
