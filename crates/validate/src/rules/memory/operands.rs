//! Memory operands: how an access is made (specification, section 3.26).

use spirvkit_binary::Id;
use spirvkit_diagnostics::ErrorClass::{InvalidData, InvalidId};
use spirvkit_diagnostics::counted;
use spirvkit_grammar::{MemoryAccess, StorageClass, Version};

use crate::finding::{CheckResult, Finding, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Module, is_cross_workgroup};
use crate::rule::{Example, Frame, Rule};
use crate::rules::scopes;

pub(super) static DIRECTION: Rule = Rule {
    id: "memory.operand-direction",
    class: InvalidId,
    section: "3.26",
    vuids: &[],
    text: "Only writes make memory available, and only reads make it visible.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability VulkanMemoryModel
OpMemoryModel Logical Vulkan
%value = OpLoad %u32 %workgroup_u32 MakePointerAvailable|NonPrivatePointer %u32_2",
        keeps: "OpCapability VulkanMemoryModel
OpMemoryModel Logical Vulkan
%value = OpLoad %u32 %workgroup_u32 MakePointerVisible|NonPrivatePointer %u32_2",
    },
};

pub(super) static COPY_DIRECTION: Rule = Rule {
    id: "memory.copy-operand-direction",
    class: InvalidData,
    section: "3.32.8",
    vuids: &[],
    text: "With two sets of memory operands, the first says how the target is written and the second how the source \
           is read: the first can't make memory visible, and the second can't make it available.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability VulkanMemoryModel
OpMemoryModel Logical Vulkan
%other = OpVariable %ptr_Workgroup_u32 Workgroup
OpCopyMemory %workgroup_u32 %other MakePointerVisible|NonPrivatePointer %u32_2 None",
        keeps: "OpCapability VulkanMemoryModel
OpMemoryModel Logical Vulkan
%other = OpVariable %ptr_Workgroup_u32 Workgroup
OpCopyMemory %workgroup_u32 %other None MakePointerVisible|NonPrivatePointer %u32_2",
    },
};

pub(super) static COPY_VERSION: Rule = Rule {
    id: "memory.copy-operands-version",
    class: InvalidData,
    section: "3.32.8",
    vuids: &[],
    text: "Two sets of memory operands are allowed in version 1.4 and later.",
    example: Example {
        frame: Frame::ShaderFor("spv1.3"),
        breaks: "%other = OpVariable %ptr_Private_u32 Private
OpCopyMemory %private_u32 %other None None",
        keeps: "%other = OpVariable %ptr_Private_u32 Private
OpCopyMemory %private_u32 %other None",
    },
};

pub(super) static NON_PRIVATE: Rule = Rule {
    id: "memory.operand-non-private",
    class: InvalidId,
    section: "3.26",
    vuids: &[],
    text: "An access that makes memory available or visible has `NonPrivatePointer`, too.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability VulkanMemoryModel
OpMemoryModel Logical Vulkan
%value = OpLoad %u32 %workgroup_u32 MakePointerVisible %u32_2",
        keeps: "OpCapability VulkanMemoryModel
OpMemoryModel Logical Vulkan
%value = OpLoad %u32 %workgroup_u32 MakePointerVisible|NonPrivatePointer %u32_2",
    },
};

pub(super) static NON_PRIVATE_CLASS: Rule = Rule {
    id: "memory.operand-non-private-class",
    class: InvalidId,
    section: "3.26",
    vuids: &[],
    text: "Only accesses to memory that invocations share have `NonPrivatePointer`.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability VulkanMemoryModel
OpMemoryModel Logical Vulkan
%value = OpLoad %u32 %private_u32 NonPrivatePointer",
        keeps: "OpCapability VulkanMemoryModel
OpMemoryModel Logical Vulkan
%value = OpLoad %u32 %workgroup_u32 NonPrivatePointer",
    },
};

pub(super) static ALIGNMENT: Rule = Rule {
    id: "memory.alignment",
    class: InvalidId,
    section: "3.26",
    vuids: &[],
    text: "An alignment is a power of two.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%value = OpLoad %u32 %private_u32 Aligned 3",
        keeps: "%value = OpLoad %u32 %private_u32 Aligned 4",
    },
};

pub(super) static PHYSICAL_ALIGNMENT: Rule = Rule {
    id: "memory.physical-alignment",
    class: InvalidId,
    section: "3.26",
    vuids: &[
        "VUID-StandaloneSpirv-PhysicalStorageBuffer64-04708",
        "VUID-StandaloneSpirv-PhysicalStorageBuffer64-06314",
    ],
    text: "Accesses through `PhysicalStorageBuffer` pointers give their alignment, which in Vulkan is at least the \
           size of the largest scalar within the value.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability PhysicalStorageBufferAddresses
OpExtension \"SPV_KHR_physical_storage_buffer\"
OpMemoryModel PhysicalStorageBuffer64 GLSL450
%pointer_type = OpTypePointer PhysicalStorageBuffer %u32
%pointer = OpConvertUToPtr %pointer_type %u64_1
%value = OpLoad %u32 %pointer",
        keeps: "OpCapability PhysicalStorageBufferAddresses
OpExtension \"SPV_KHR_physical_storage_buffer\"
OpMemoryModel PhysicalStorageBuffer64 GLSL450
%pointer_type = OpTypePointer PhysicalStorageBuffer %u32
%pointer = OpConvertUToPtr %pointer_type %u64_1
%value = OpLoad %u32 %pointer Aligned 4",
    },
};

/// What an access does with memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::rules) enum Access {
    Read,
    Write,
    /// A copy, or the one set of memory operands of one.
    Both,
}

/// One set of memory operands.
#[derive(Clone, Copy)]
struct Operands {
    mask: MemoryAccess,
    alignment: Option<u32>,
    available: Option<Id>,
    visible: Option<Id>,
    /// The index of the word after them.
    next: usize,
}

/// Reads the set that starts at this word after result type and result, if there
/// is one.
fn read(at: &InstCtx<'_, '_>, start: usize) -> Option<Operands> {
    let mask = MemoryAccess(at.inst.optional(start)?);
    let mut next = start + 1;
    let mut take = |bit: MemoryAccess| {
        if mask.0 & bit.0 == 0 {
            return None;
        }
        next += 1;
        Some(at.inst.arg(next - 1))
    };
    let alignment = take(MemoryAccess::Aligned);
    let available = take(MemoryAccess::MakePointerAvailable).map(Id);
    let visible = take(MemoryAccess::MakePointerVisible).map(Id);
    take(MemoryAccess::AliasScopeINTELMask);
    take(MemoryAccess::NoAliasINTELMask);
    Some(Operands {
        mask,
        alignment,
        available,
        visible,
        next,
    })
}

/// The first set of memory operands of an instruction, as a mask.
pub(in crate::rules) fn mask(at: &InstCtx<'_, '_>, start: usize) -> MemoryAccess {
    MemoryAccess(at.inst.optional(start).unwrap_or(0))
}

/// Checks the set of memory operands that starts at this word after result type
/// and result, or that there is none. `pointers` are the types of the pointers,
/// `value` is the type of what is accessed.
pub(in crate::rules) fn check(
    at: &InstCtx<'_, '_>,
    start: usize,
    access: Access,
    pointers: &[Id],
    value: Id,
) -> CheckResult {
    let operands = read(at, start);
    check_set(at, operands, access, pointers, value)
}

/// Checks the one or two sets of a copy from `source` to `target`.
pub(super) fn check_copy(
    at: &InstCtx<'_, '_>,
    start: usize,
    target: Id,
    source: Id,
    value: Id,
) -> CheckResult {
    let first = read(at, start);
    let second = first.and_then(|first| read(at, first.next));
    let (Some(first), Some(second)) = (first, second) else {
        return check_set(at, first, Access::Both, &[target, source], value);
    };
    let is_known = expect(at.m.version >= Version::new(1, 4), || {
        let message = format!(
            "two sets of memory operands for {} are allowed only in SPIR-V 1.4 and later",
            at.inst.op()
        );
        at.finding(&COPY_VERSION, message)
    });
    let writes = expect(first.visible.is_none(), || {
        let message = "the first set of memory operands is for the target, which is only written: it can't have \
                       `MakePointerVisible`";
        at.finding(&COPY_DIRECTION, message)
    });
    let reads = expect(second.available.is_none(), || {
        let message = "the second set of memory operands is for the source, which is only read: it can't have \
                       `MakePointerAvailable`";
        at.finding(&COPY_DIRECTION, message)
    });
    all([
        is_known,
        writes,
        reads,
        check_set(at, Some(first), Access::Both, &[target], value),
        check_set(at, Some(second), Access::Both, &[source], value),
    ])
}

fn check_set(
    at: &InstCtx<'_, '_>,
    operands: Option<Operands>,
    access: Access,
    pointers: &[Id],
    value: Id,
) -> CheckResult {
    let m = at.m;
    let is_physical = |&ty: &Id| m.pointer_class(ty) == Some(StorageClass::PhysicalStorageBuffer);
    let is_physical = pointers.iter().any(is_physical);
    let scopes = match operands {
        Some(operands) => scopes_and_privacy(at, operands, access, pointers),
        None => Ok(()),
    };
    let alignment = match operands.and_then(|operands| operands.alignment) {
        Some(alignment) if !alignment.is_power_of_two() => {
            let message = format!("the alignment must be a power of two, but is {alignment}");
            Err(at.finding(&ALIGNMENT, message))
        }
        Some(alignment) if is_physical && m.env.is_vulkan() => large_enough(at, alignment, value),
        None if is_physical => {
            let message = format!(
                "{} accesses memory in the storage class `PhysicalStorageBuffer`, so it needs an alignment",
                at.inst.op()
            );
            let finding = at.finding(&PHYSICAL_ALIGNMENT, message);
            Err(finding
                .vuid("VUID-StandaloneSpirv-PhysicalStorageBuffer64-04708")
                .help("add the memory operand `Aligned`"))
        }
        _ => Ok(()),
    };
    all([scopes, alignment])
}

fn scopes_and_privacy(
    at: &InstCtx<'_, '_>,
    operands: Operands,
    access: Access,
    pointers: &[Id],
) -> CheckResult {
    let m = at.m;
    let private = operands.mask.0 & MemoryAccess::NonPrivatePointer.0 == 0;
    let sides = [
        (operands.available, Access::Read, "MakePointerAvailable"),
        (operands.visible, Access::Write, "MakePointerVisible"),
    ];
    let mut is_told = false;
    let sides = sides.into_iter().map(|(scope, wrong, name)| {
        let Some(scope) = scope else {
            return Ok(());
        };
        if access == wrong {
            let message = format!("`{name}` is not allowed for {}", at.inst.op());
            return Err(at.finding(&DIRECTION, message));
        }
        let lacks_bit = private && !std::mem::replace(&mut is_told, private);
        let is_shared = expect(!lacks_bit, || {
            let message = format!("`{name}` also needs `NonPrivatePointer`");
            at.finding(&NON_PRIVATE, message)
        });
        all([is_shared, scopes::check_memory(at, scope)])
    });
    let sides = all(sides);
    if private {
        return sides;
    }
    let classes = all(pointers.iter().map(|&ty| match m.pointer_class(ty) {
        Some(class) if !is_shared(class) => Err(privacy_finding(at, class, ty)),
        _ => Ok(()),
    }));
    all([sides, classes])
}

#[cold]
fn privacy_finding(at: &InstCtx<'_, '_>, class: StorageClass, ty: Id) -> Finding {
    let message = format!(
        "`NonPrivatePointer` is for memory that invocations share, not for the storage class `{class}`"
    );
    at.finding(&NON_PRIVATE_CLASS, message)
        .about(at.m, ty, "the pointer's type is declared here")
}

fn is_shared(class: StorageClass) -> bool {
    is_cross_workgroup(class)
        || matches!(
            class,
            StorageClass::Uniform
                | StorageClass::Workgroup
                | StorageClass::TaskPayloadWorkgroupEXT
                | StorageClass::Generic
                | StorageClass::Image
                | StorageClass::StorageBuffer
                | StorageClass::PhysicalStorageBuffer
        )
}

fn large_enough(at: &InstCtx<'_, '_>, alignment: u32, value: Id) -> CheckResult {
    let size = largest_scalar(at.m, value);
    if alignment >= size {
        return Ok(());
    }
    let message = format!(
        "an alignment of {alignment} is too small for {}, whose largest scalar has {}",
        at.m.show_type(value),
        counted(size as usize, "byte")
    );
    let finding = at.finding(&PHYSICAL_ALIGNMENT, message);
    Err(finding.vuid("VUID-StandaloneSpirv-PhysicalStorageBuffer64-06314"))
}

/// The size of the largest scalar within a type, in bytes.
fn largest_scalar(m: &Module<'_>, ty: Id) -> u32 {
    m.contents(ty).largest_scalar
}
