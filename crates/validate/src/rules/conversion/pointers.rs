//! Conversions of pointers: to integers and back, and to `Generic` and back.

use spirvkit_binary::Id;
use spirvkit_diagnostics::alternatives;
use spirvkit_grammar::{AddressingModel, Capability, Op, StorageClass};

use crate::finding::{CheckResult, all, both, expect};
use crate::module::{Lookup, Module, Type, is_cross_workgroup};
use crate::pattern::UNSIGNED;
use crate::rules::generated::conversion;
use crate::rules::operation::Operation;

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
            let message = format!("{} is not allowed under logical addressing", o.op);
            Err(o
                .finding(&conversion::LOGICAL_ADDRESSING, message)
                .arg(o.at, 0))
        }
        AddressingModel::PhysicalStorageBuffer64 => {
            if class != StorageClass::PhysicalStorageBuffer {
                let message = format!(
                    "in the addressing model PhysicalStorageBuffer64, {} converts only pointers to \
                     PhysicalStorageBuffer, but this one points to {class}",
                    o.op
                );
                return Err(o.finding(&conversion::PHYSICAL_CLASS, message).arg(o.at, 0));
            }
            if m.env.is_vulkan() && m.bit_width(integer) != 64 {
                let message = format!(
                    "{} needs a 64-bit integer in Vulkan, but has {}",
                    o.op,
                    m.show_type(integer)
                );
                return Err(o.finding(&conversion::PHYSICAL_WIDTH, message));
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

pub(super) fn check_pointer_to_integer(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let count = integer(m, o.result).filter(|_| UNSIGNED.scalar_or_vector().matches(m, o.result));
    let count = count.ok_or_else(|| {
        o.result_finding(
            &conversion::INTEGER_OF_POINTER,
            "an unsigned integer scalar",
        )
    });
    let pointer =
        pointer(m, o.ty(0)).ok_or_else(|| o.operand_finding(&conversion::POINTER, 0, "a pointer"));
    let (count, (class, pointers)) = both(count, pointer)?;
    if pointers != count {
        return Err(o.mismatch(
            &conversion::INTEGER_OF_POINTER,
            0,
            "as many components as the result",
        ));
    }
    check_addressing(o, class, o.result)
}

pub(super) fn check_integer_to_pointer(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let pointer =
        pointer(m, o.result).ok_or_else(|| o.result_finding(&conversion::POINTER, "a pointer"));
    let count = integer(m, o.ty(0))
        .ok_or_else(|| o.operand_finding(&conversion::INTEGER_OF_POINTER, 0, "an integer scalar"));
    let ((class, pointers), count) = both(pointer, count)?;
    if pointers != count {
        return Err(o.mismatch(
            &conversion::INTEGER_OF_POINTER,
            0,
            "as many components as the result",
        ));
    }
    check_addressing(o, class, o.ty(0))
}

pub(super) fn check_generic(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let to =
        pointer(m, o.result).ok_or_else(|| o.result_finding(&conversion::POINTER, "a pointer"));
    let from =
        pointer(m, o.ty(0)).ok_or_else(|| o.operand_finding(&conversion::POINTER, 0, "a pointer"));
    let ((to, made), (from, given)) = both(to, from)?;
    if made != given {
        return Err(o.mismatch(&conversion::POINTER, 0, "as many pointers as the result"));
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
            "{} casts between `Generic` and `Workgroup`, `CrossWorkgroup`, `Function` or `CodeSectionINTEL`, but this \
             one casts from `{from}` to `{to}`",
            o.op
        );
        let finding = o.finding(&conversion::GENERIC_CLASS, message);
        finding.about(m, o.id(0), "the pointer is defined here")
    });
    let names_other = o.op == Op::GenericCastToPtrExplicit && StorageClass(o.arg(1)) != to;
    let named = expect(!names_other || classes.is_err(), || {
        let message = format!(
            "{} names `{}`, but its result points to `{to}`",
            o.op,
            StorageClass(o.arg(1))
        );
        o.finding(&conversion::GENERIC_CLASS, message)
    });
    all([classes, named, check_pointees(o)])
}

/// Checks that a cast changes nothing but the storage class.
fn check_pointees(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let pointee = |ty: Id| m.pointee(m.component_type(ty));
    let pointees = (pointee(o.ty(0)), pointee(o.result));
    let is_same = !matches!(pointees, (Some(old), Some(new)) if old != new);
    expect(is_same, || {
        o.mismatch(
            &conversion::GENERIC_POINTEE,
            0,
            "the pointee type of the result",
        )
    })
}

/// Checks a cast between unified shared memory and what it is part of.
pub(super) fn check_shared(o: &Operation<'_, '_, '_>) -> CheckResult {
    const WHOLE: &[StorageClass] = &[StorageClass::CrossWorkgroup, StorageClass::Generic];
    const PART: &[StorageClass] = &[StorageClass::DeviceOnlyALTERA, StorageClass::HostOnlyALTERA];
    let m = o.m;
    let (made, taken) = match o.op {
        Op::PtrCastToCrossWorkgroupALTERA => (WHOLE, PART),
        _ => (PART, WHOLE),
    };
    let is_in = |ty: Id, classes: &[StorageClass]| {
        m.pointer_class(ty)
            .is_some_and(|class| classes.contains(&class))
    };
    let wanted = |classes: &[StorageClass]| {
        let classes = alternatives(classes.iter().map(|class| format!("`{class}`")));
        format!("a pointer into {classes}")
    };
    let rule = &conversion::SHARED_CLASS;
    let result = expect(is_in(o.result, made), || {
        o.result_finding(rule, &wanted(made))
    });
    let pointer = expect(is_in(o.ty(0), taken), || {
        o.operand_finding(rule, 0, &wanted(taken))
    });
    all([result, pointer])?;
    check_pointees(o)
}
