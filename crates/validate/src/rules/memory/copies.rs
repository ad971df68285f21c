//! Copies from memory to memory.

use spirvkit_binary::Id;
use spirvkit_diagnostics::ErrorClass::InvalidId;
use spirvkit_diagnostics::counted;
use spirvkit_grammar::{Capability, Op, StorageClass};

use super::load_store::{pointer_finding, transparent, writable};
use super::operands;
use crate::finding::{CheckResult, Finding, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Module, Type};
use crate::rule::{Example, Frame, Rule};
use crate::rules::small_types;

pub(super) static TYPES: Rule = Rule {
    id: "memory.copy-types",
    class: InvalidId,
    section: "3.32.8",
    vuids: &[],
    text: "`OpCopyMemory` copies between pointers to the same type, at least one of which is typed.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCopyMemory %private_u32 %private_f32",
        keeps: "OpCopyMemory %private_u32 %workgroup_u32",
    },
};

pub(super) static SMALL: Rule = Rule {
    id: "memory.small-copy",
    class: InvalidId,
    section: "3.31",
    vuids: &[],
    text: "Where 8- and 16-bit values may only be loaded, stored and converted, memory that holds them isn't copied.",
    example: Example {
        frame: Frame::Whole,
        breaks: SMALL_COPY,
        keeps: SMALL_LOAD_STORE,
    },
};

const SMALL_COPY: &str = "OpCapability Shader
OpCapability StorageBuffer16BitAccess
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %from %to
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %struct Block
OpMemberDecorate %struct 0 Offset 0
%void = OpTypeVoid
%fn_void = OpTypeFunction %void
%u16 = OpTypeInt 16 0
%struct = OpTypeStruct %u16
%ptr_struct = OpTypePointer StorageBuffer %struct
%from = OpVariable %ptr_struct StorageBuffer
%to = OpVariable %ptr_struct StorageBuffer
%main = OpFunction %void None %fn_void
%entry = OpLabel
OpCopyMemory %to %from
OpReturn
OpFunctionEnd
";

const SMALL_LOAD_STORE: &str = "OpCapability Shader
OpCapability StorageBuffer16BitAccess
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %from %to
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %struct Block
OpMemberDecorate %struct 0 Offset 0
%void = OpTypeVoid
%fn_void = OpTypeFunction %void
%u16 = OpTypeInt 16 0
%u32 = OpTypeInt 32 0
%u32_0 = OpConstant %u32 0
%struct = OpTypeStruct %u16
%ptr_u16 = OpTypePointer StorageBuffer %u16
%ptr_struct = OpTypePointer StorageBuffer %struct
%from = OpVariable %ptr_struct StorageBuffer
%to = OpVariable %ptr_struct StorageBuffer
%main = OpFunction %void None %fn_void
%entry = OpLabel
%source = OpAccessChain %ptr_u16 %from %u32_0
%target = OpAccessChain %ptr_u16 %to %u32_0
%value = OpLoad %u16 %source
OpStore %target %value
OpReturn
OpFunctionEnd
";

pub(super) static SIZE: Rule = Rule {
    id: "memory.copy-size",
    class: InvalidId,
    section: "3.32.8",
    vuids: &[],
    text: "The size of a copy is an integer, and if it is a constant, it is greater than zero.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "OpCopyMemorySized %workgroup_u32 %workgroup_u32 %u32_0",
        keeps: "OpCopyMemorySized %workgroup_u32 %workgroup_u32 %u32_4",
    },
};

pub(super) static SIZE_MULTIPLE: Rule = Rule {
    id: "memory.copy-size-multiple",
    class: InvalidId,
    section: "2.16.2",
    vuids: &["VUID-RuntimeSpirv-Size-11165"],
    text: "A shader copies whole words, or units of two bytes or one byte where 16- or 8-bit values may be in the \
           memory on both sides.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability Addresses
OpCopyMemorySized %workgroup_u32 %private_u32 %u32_3",
        keeps: "OpCapability Addresses
OpCopyMemorySized %workgroup_u32 %private_u32 %u32_4",
    },
};

/// `OpCopyMemory` and `OpCopyMemorySized`.
pub(super) fn copy(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let (target, source) = (at.type_of_arg(0), at.type_of_arg(1));
    all([target, source].into_iter().enumerate().map(|(index, ty)| {
        // A copy of a given size needs no type.
        let is_void = at.inst.op() == Op::CopyMemory
            && m.pointee(ty).is_some_and(|pointee| m.is_void(pointee));
        if !m.is_pointer(ty) || is_void {
            return Err(pointer_finding(at, at.id(index)));
        }
        Ok(())
    }))?;
    let pointees = (m.pointee(target), m.pointee(source));
    let any = pointees.0.or(pointees.1).unwrap_or(Id(0));
    let writable = writable(at, target);
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
            .finding(&SMALL, message)
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
    at.finding(&TYPES, message)
        .about(m, at.id(0), "the target is defined here")
        .about(m, at.id(1), "the source is defined here")
}

fn size(at: &InstCtx<'_, '_>, target: Id, source: Id) -> CheckResult {
    let m = at.m;
    let id = at.id(2);
    let Type::Int { signed, .. } = m.ty_of(id) else {
        let message = format!(
            "the size of a copy must be an integer, but is {}",
            m.show_value(id)
        );
        let finding = at.finding(&SIZE, message);
        return Err(finding.about(m, id, "the size is defined here"));
    };
    let Some(size) = m.constant_u64(id) else {
        return Ok(());
    };
    if size == 0 || signed && (size as i64) < 0 {
        let message = format!(
            "the size of a copy must be greater than 0, but is {}",
            size as i64
        );
        let finding = at.finding(&SIZE, message);
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
        let finding = at.finding(&SIZE_MULTIPLE, message);
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
