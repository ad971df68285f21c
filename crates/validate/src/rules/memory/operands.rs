//! Memory operands: how an access is made (specification, section 3.26).

use spirvkit_binary::Id;
use spirvkit_diagnostics::counted;
use spirvkit_grammar::{MemoryAccess, StorageClass, Version};

use crate::finding::{CheckResult, Finding, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Module, is_cross_workgroup};
use crate::rules::generated::memory;
use crate::rules::{annotation, scopes};

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
    /// Lists of scopes within which accesses don't alias.
    aliases: [Option<Id>; 2],
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
    let aliases = [
        take(MemoryAccess::AliasScopeINTELMask).map(Id),
        take(MemoryAccess::NoAliasINTELMask).map(Id),
    ];
    Some(Operands {
        mask,
        alignment,
        available,
        visible,
        aliases,
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
        at.finding(&memory::COPY_OPERANDS_VERSION, message)
    });
    let writes = expect(first.visible.is_none(), || {
        let message = "the first set of memory operands is for the target, which is only written: it can't have \
                       `MakePointerVisible`";
        at.finding(&memory::COPY_OPERAND_DIRECTION, message)
    });
    let reads = expect(second.available.is_none(), || {
        let message = "the second set of memory operands is for the source, which is only read: it can't have \
                       `MakePointerAvailable`";
        at.finding(&memory::COPY_OPERAND_DIRECTION, message)
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
            Err(at.finding(&memory::ALIGNMENT, message))
        }
        Some(alignment) if is_physical && m.env.is_vulkan() => large_enough(at, alignment, value),
        None if is_physical => {
            let message = format!(
                "{} accesses memory in the storage class `PhysicalStorageBuffer`, so it needs an alignment",
                at.inst.op()
            );
            let finding = at.finding(&memory::PHYSICAL_ALIGNMENT, message);
            Err(finding
                .vuid("VUID-StandaloneSpirv-PhysicalStorageBuffer64-04708")
                .help("add the memory operand `Aligned`"))
        }
        _ => Ok(()),
    };
    let lists = operands.map_or([None; 2], |operands| operands.aliases);
    let lists = lists.into_iter().flatten();
    let aliases = all(lists.map(|list| annotation::check_alias_list(at, list)));
    all([scopes, alignment, aliases])
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
    let mut is_reported = false;
    let sides = sides.into_iter().map(|(scope, wrong, name)| {
        let Some(scope) = scope else {
            return Ok(());
        };
        if access == wrong {
            let message = format!("`{name}` is not allowed for {}", at.inst.op());
            return Err(at.finding(&memory::OPERAND_DIRECTION, message));
        }
        let lacks_bit = private && !std::mem::replace(&mut is_reported, private);
        let is_shared = expect(!lacks_bit, || {
            let message = format!("`{name}` also needs `NonPrivatePointer`");
            at.finding(&memory::OPERAND_NON_PRIVATE, message)
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
    at.finding(&memory::OPERAND_NON_PRIVATE_CLASS, message)
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
    let finding = at.finding(&memory::PHYSICAL_ALIGNMENT, message);
    Err(finding.vuid("VUID-StandaloneSpirv-PhysicalStorageBuffer64-06314"))
}

/// The size of the largest scalar within a type, in bytes.
fn largest_scalar(m: &Module<'_>, ty: Id) -> u32 {
    m.contents(ty).largest_scalar
}
