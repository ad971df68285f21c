//! Copies from memory to memory.

use spirvkit_binary::Id;
use spirvkit_diagnostics::counted;
use spirvkit_grammar::{Capability, Op, StorageClass};

use super::load_store::{ACCESSIBLE, accessible, transparent, writable};
use super::operands;
use crate::finding::{CheckResult, Finding, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Module};
use crate::pattern::{INT, POINTER, UNSIGNED};
use crate::rules::generated::memory;
use crate::rules::small_types;

/// `OpCopyMemory` and `OpCopyMemorySized`.
pub(super) fn copy(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let (target, source) = (at.type_of_arg(0), at.type_of_arg(1));
    // A copy of a given size needs no type.
    let pointer = match at.inst.op() {
        Op::CopyMemory => ACCESSIBLE,
        _ => POINTER,
    };
    all([0, 1].map(|index| at.expect_operand(&memory::POINTER, index, pointer)))?;
    let pointees = (m.pointee(target), m.pointee(source));
    let any = pointees.0.or(pointees.1).unwrap_or(Id(0));
    let accessible = all([(0, target), (1, source)].map(|(index, ty)| accessible(at, index, ty)));
    let writable = all([accessible, writable(at, target)]);
    match at.inst.op() {
        Op::CopyMemorySized => all([
            writable,
            size(at, target, source),
            transparent(at, any),
            operands::check_copy(at, 3, target, source, any),
        ]),
        _ => all([
            writable,
            copied(at, pointees),
            operands::check_copy(at, 2, target, source, any),
        ]),
    }
}

/// Checks what is copied between pointers to these types.
fn copied(at: &InstCtx<'_, '_>, pointees: (Option<Id>, Option<Id>)) -> CheckResult {
    let m = at.m;
    let value = match pointees {
        (Some(target), Some(source)) if target == source => target,
        (Some(value), None) | (None, Some(value)) => value,
        _ => return Err(types_finding(at)),
    };
    if m.has(Capability::Shader) && small_types::is_limited(m, value) {
        let message = format!(
            "{} holds values of 8 or 16 bits, which this module may only load, store and convert",
            m.show_type(value)
        );
        let finding = at
            .finding(&memory::SMALL_COPY, message)
            .arg(at, 0)
            .needs(small_types::CALCULATION);
        return Err(finding.about(m, value, "the type is declared here"));
    }
    transparent(at, value)
}

#[cold]
fn types_finding(at: &InstCtx<'_, '_>) -> Finding {
    let m = at.m;
    let message = format!(
        "{} can't be copied to {}",
        m.show_value(at.id(1)),
        m.show_value(at.id(0))
    );
    at.finding(&memory::COPY_TYPES, message)
        .about(m, at.id(0), "the target is defined here")
        .about(m, at.id(1), "the source is defined here")
}

fn size(at: &InstCtx<'_, '_>, target: Id, source: Id) -> CheckResult {
    let m = at.m;
    let id = at.id(2);
    at.expect_operand(&memory::COPY_SIZE, 2, INT)?;
    let is_signed = !UNSIGNED.matches(m, at.type_of_arg(2));
    let Some(size) = m.constant_u64(id) else {
        return Ok(());
    };
    if size == 0 || is_signed && (size as i64) < 0 {
        let message = format!(
            "the size of a copy must be greater than 0, but is {}",
            size as i64
        );
        let finding = at.finding(&memory::COPY_SIZE, message);
        return Err(finding.about(m, id, "the size is defined here"));
    }
    if !m.has(Capability::Shader) {
        return Ok(());
    }
    let unit = unit_of(m, target).max(unit_of(m, source));
    if !size.is_multiple_of(u64::from(unit)) {
        let message = format!(
            "the size of the copy, {}, must be a multiple of {unit}, the smallest unit of this memory",
            counted(size as usize, "byte")
        );
        let finding = at.finding(&memory::COPY_SIZE_MULTIPLE, message);
        return Err(finding.about(m, id, "the size is defined here"));
    }
    Ok(())
}

/// The size in bytes of the smallest values that may be in the memory.
fn unit_of(m: &Module<'_>, pointer: Id) -> u32 {
    let class = m.pointer_class(pointer);
    let (bytes, pairs) = match class {
        Some(
            StorageClass::StorageBuffer
            | StorageClass::PhysicalStorageBuffer
            | StorageClass::ShaderRecordBufferKHR,
        ) => (
            Capability::StorageBuffer8BitAccess,
            Capability::StorageBuffer16BitAccess,
        ),
        Some(StorageClass::Uniform) => (
            Capability::UniformAndStorageBuffer8BitAccess,
            Capability::UniformAndStorageBuffer16BitAccess,
        ),
        Some(StorageClass::PushConstant) => (
            Capability::StoragePushConstant8,
            Capability::StoragePushConstant16,
        ),
        Some(StorageClass::Workgroup) => (
            Capability::WorkgroupMemoryExplicitLayout8BitAccessKHR,
            Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR,
        ),
        Some(StorageClass::Input | StorageClass::Output) => {
            (Capability::Int8, Capability::StorageInputOutput16)
        }
        _ => (Capability::Int8, Capability::Int16),
    };
    match (m.has(bytes), m.has(pairs)) {
        (true, _) => 1,
        (false, true) => 2,
        _ => 4,
    }
}
