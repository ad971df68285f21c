//! Conversions of pointers: to integers and back, and to `Generic` and back.

use spirvkit_binary::Id;
use spirvkit_diagnostics::ErrorClass::InvalidData;
use spirvkit_grammar::{AddressingModel, Capability, Op, StorageClass};

use crate::finding::{CheckResult, all, both, expect};
use crate::module::{Module, Type, is_cross_workgroup};
use crate::rule::{Example, Frame, Rule};
use crate::rules::operation::Operation;

pub(super) static POINTER: Rule = Rule {
    id: "conversion.pointer",
    class: InvalidData,
    section: "3.32.11",
    vuids: &[],
    text: "`OpConvertPtrToU` and the casts from and to `Generic` take pointers; the results of `OpConvertUToPtr` and \
           of these casts are pointers.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "%number = OpConvertPtrToU %u64 %u64_1",
        keeps: "%number = OpConvertPtrToU %u64 %workgroup_u32",
    },
};

pub(super) static INTEGER_OF_POINTER: Rule = Rule {
    id: "conversion.integer-of-pointer",
    class: InvalidData,
    section: "3.32.11",
    vuids: &[],
    text: "The result of `OpConvertPtrToU` is an unsigned integer scalar, and the operand of `OpConvertUToPtr` is an \
           integer scalar. With `MaskedGatherScatterINTEL` they convert vectors of pointers to and from vectors of \
           integers of the same size.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "%pointer = OpConvertUToPtr %ptr_Workgroup_u32 %f32_1",
        keeps: "%pointer = OpConvertUToPtr %ptr_Workgroup_u32 %u64_1",
    },
};

pub(super) static LOGICAL_ADDRESSING: Rule = Rule {
    id: "conversion.logical-addressing",
    class: InvalidData,
    section: "3.32.11",
    vuids: &[],
    text: "In the logical addressing model, pointers have no value that could be converted.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability Addresses
%number = OpConvertPtrToU %u32 %private_u32",
        keeps: "OpNop",
    },
};

pub(super) static PHYSICAL_CLASS: Rule = Rule {
    id: "conversion.physical-class",
    class: InvalidData,
    section: "SPV_KHR_physical_storage_buffer",
    vuids: &[],
    text: "In the addressing model `PhysicalStorageBuffer64`, only pointers to `PhysicalStorageBuffer` have a value \
           that can be converted.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability PhysicalStorageBufferAddresses
OpMemoryModel PhysicalStorageBuffer64 GLSL450
%number = OpConvertPtrToU %u64 %private_u32",
        keeps: "OpCapability PhysicalStorageBufferAddresses
OpMemoryModel PhysicalStorageBuffer64 GLSL450
%ptr = OpTypePointer PhysicalStorageBuffer %u32
%pointer = OpConvertUToPtr %ptr %u64_1
%number = OpConvertPtrToU %u64 %pointer",
    },
};

pub(super) static PHYSICAL_WIDTH: Rule = Rule {
    id: "conversion.physical-width",
    class: InvalidData,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &["VUID-StandaloneSpirv-PhysicalStorageBuffer64-04710"],
    text: "In Vulkan, in the addressing model `PhysicalStorageBuffer64`, pointers are converted to and from 64-bit \
           integers.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.2"),
        breaks: "OpCapability PhysicalStorageBufferAddresses
OpMemoryModel PhysicalStorageBuffer64 GLSL450
%ptr = OpTypePointer PhysicalStorageBuffer %u32
%pointer = OpConvertUToPtr %ptr %u32_1",
        keeps: "OpCapability PhysicalStorageBufferAddresses
OpMemoryModel PhysicalStorageBuffer64 GLSL450
%ptr = OpTypePointer PhysicalStorageBuffer %u32
%pointer = OpConvertUToPtr %ptr %u64_1",
    },
};

pub(super) static GENERIC_CLASS: Rule = Rule {
    id: "conversion.generic-class",
    class: InvalidData,
    section: "3.32.11",
    vuids: &[],
    text: "Pointers to `Workgroup`, `CrossWorkgroup`, `Function` and `CodeSectionINTEL` are cast to `Generic` \
           pointers and back. `OpGenericCastToPtrExplicit` names the storage class of its result.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "OpCapability GenericPointer
%ptr = OpTypePointer Generic %u32
%cast = OpPtrCastToGeneric %ptr_Workgroup_u32 %workgroup_u32",
        keeps: "OpCapability GenericPointer
%ptr = OpTypePointer Generic %u32
%cast = OpPtrCastToGeneric %ptr %workgroup_u32",
    },
};

pub(super) static GENERIC_POINTEE: Rule = Rule {
    id: "conversion.generic-pointee",
    class: InvalidData,
    section: "3.32.11",
    vuids: &[],
    text: "A cast to or from `Generic` keeps the pointee type.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "OpCapability GenericPointer
%ptr = OpTypePointer Generic %f32
%cast = OpPtrCastToGeneric %ptr %workgroup_u32",
        keeps: "OpCapability GenericPointer
%ptr = OpTypePointer Generic %u32
%cast = OpPtrCastToGeneric %ptr %workgroup_u32",
    },
};

/// A pointer type, or that of the components of a vector of pointers, with the
/// number of components; 0 for a single pointer.
fn pointer(m: &Module<'_>, ty: Id) -> Option<(StorageClass, u32)> {
    match m.ty(ty) {
        Type::Vector { component, count } if m.has(Capability::MaskedGatherScatterINTEL) => {
            Some((m.pointer_class(component)?, count))
        }
        _ => Some((m.pointer_class(ty)?, 0)),
    }
}

/// The number of components of an integer vector; 0 for a scalar.
fn integer(m: &Module<'_>, ty: Id) -> Option<u32> {
    match m.ty(ty) {
        Type::Int { .. } => Some(0),
        Type::Vector { component, count }
            if m.is_int_scalar(component) && m.has(Capability::MaskedGatherScatterINTEL) =>
        {
            Some(count)
        }
        _ => None,
    }
}

/// What the addressing model says of conversions between pointers of a class and
/// integers of a type.
pub(super) fn check_addressing(
    o: &Operation<'_, '_, '_>,
    class: StorageClass,
    integer: Id,
) -> CheckResult {
    let m = o.m;
    match m.addressing {
        AddressingModel::Logical => {
            let message = format!("{} is not allowed in the logical addressing model", o.op);
            Err(o.finding(&LOGICAL_ADDRESSING, message).arg(o.at, 0))
        }
        AddressingModel::PhysicalStorageBuffer64 => {
            if class != StorageClass::PhysicalStorageBuffer {
                let message = format!(
                    "in the addressing model PhysicalStorageBuffer64, {} converts only pointers to \
                     PhysicalStorageBuffer, but this one points to {class}",
                    o.op
                );
                return Err(o.finding(&PHYSICAL_CLASS, message).arg(o.at, 0));
            }
            if m.env.is_vulkan() && m.bit_width(integer) != 64 {
                let message = format!(
                    "{} needs a 64-bit integer in Vulkan, but has {}",
                    o.op,
                    m.show_type(integer)
                );
                return Err(o.finding(&PHYSICAL_WIDTH, message));
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

pub(super) fn check_pointer_to_integer(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let count = integer(m, o.result).filter(|_| m.is_unsigned_scalar_or_vector(o.result));
    let count =
        count.ok_or_else(|| o.result_finding(&INTEGER_OF_POINTER, "an unsigned integer scalar"));
    let pointer = pointer(m, o.ty(0)).ok_or_else(|| o.operand_finding(&POINTER, 0, "a pointer"));
    let (count, (class, pointers)) = both(count, pointer)?;
    if pointers != count {
        return Err(o.mismatch(&INTEGER_OF_POINTER, 0, "as many components as the result"));
    }
    check_addressing(o, class, o.result)
}

pub(super) fn check_integer_to_pointer(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let pointer = pointer(m, o.result).ok_or_else(|| o.result_finding(&POINTER, "a pointer"));
    let count = integer(m, o.ty(0))
        .ok_or_else(|| o.operand_finding(&INTEGER_OF_POINTER, 0, "an integer scalar"));
    let ((class, pointers), count) = both(pointer, count)?;
    if pointers != count {
        return Err(o.mismatch(&INTEGER_OF_POINTER, 0, "as many components as the result"));
    }
    check_addressing(o, class, o.ty(0))
}

pub(super) fn check_generic(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let to = pointer(m, o.result).ok_or_else(|| o.result_finding(&POINTER, "a pointer"));
    let from = pointer(m, o.ty(0)).ok_or_else(|| o.operand_finding(&POINTER, 0, "a pointer"));
    let ((to, made), (from, given)) = both(to, from)?;
    if made != given {
        return Err(o.mismatch(&POINTER, 0, "as many pointers as the result"));
    }
    let (generic, specific) = match o.op {
        Op::PtrCastToGeneric => (to, from),
        _ => (from, to),
    };
    let is_specific = is_cross_workgroup(specific)
        || matches!(
            specific,
            StorageClass::Workgroup | StorageClass::Function | StorageClass::CodeSectionINTEL
        );
    let classes = expect(generic == StorageClass::Generic && is_specific, || {
        let message = format!(
            "{} casts between Generic and Workgroup, CrossWorkgroup, Function or CodeSectionINTEL, but this one casts \
             from {from} to {to}",
            o.op
        );
        let finding = o.finding(&GENERIC_CLASS, message);
        finding.about(m, o.id(0), "the pointer is defined here")
    });
    let names_other = o.op == Op::GenericCastToPtrExplicit && StorageClass(o.arg(1)) != to;
    let named = expect(!names_other || classes.is_err(), || {
        let message = format!(
            "{} names {}, but its result points to {to}",
            o.op,
            StorageClass(o.arg(1))
        );
        o.finding(&GENERIC_CLASS, message)
    });
    let pointee = |ty: Id| m.pointee(m.component_type(ty));
    let pointees = (pointee(o.ty(0)), pointee(o.result));
    let is_same = !matches!(pointees, (Some(old), Some(new)) if old != new);
    let pointees = expect(is_same, || {
        o.mismatch(&GENERIC_POINTEE, 0, "the pointee type of the result")
    });
    all([classes, named, pointees])
}
