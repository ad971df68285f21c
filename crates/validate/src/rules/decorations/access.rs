//! How memory is accessed: `NonWritable`, `NonReadable`, `Coherent`, `Volatile`;
//! and which of a location's components a variable takes: `Component`.

use spirvkit_binary::Id;
use spirvkit_grammar::{Decoration, Op, StorageClass, Version};

use crate::finding::{CheckResult, Finding};
use crate::module::{Decorated, Lookup, Module, Type};
use crate::pattern::NUMBER;
use crate::rules::generated::decoration;

/// Checks a `Coherent` or `Volatile` in the Vulkan memory model.
pub(super) fn check_memory_model(
    m: &Module<'_>,
    target: Id,
    decorated: &Decorated<'_>,
) -> CheckResult {
    let decoration = decorated.decoration;
    let message = format!("`{decoration}` is not allowed in the Vulkan memory model");
    let help = match decoration {
        Decoration::Coherent => "use memory operands that make each access available or visible",
        _ => "use the memory operand `Volatile` for each access",
    };
    Err(Finding::new(
        &decoration::VULKAN_MEMORY_MODEL,
        decorated.inst.offset(),
        message,
    )
    .about(m, target, "the target is defined here")
    .help(help))
}

/// The storage class of a variable or a parameter, and what it points to, if
/// that is known.
fn pointed(m: &Module<'_>, target: Id) -> Option<(StorageClass, Option<Id>)> {
    let def = m.def(target)?;
    let ty = def.result_type()?;
    let pointee = match def.op() {
        Op::UntypedVariableKHR => def.optional(1).map(Id),
        _ => m.pointee(ty),
    };
    Some((m.pointer_class(ty)?, pointee))
}

/// Whether what a pointer points to may be decorated `NonWritable`.
fn is_resource(m: &Module<'_>, class: StorageClass, pointee: Id) -> bool {
    let ty = m.without_arrays(pointee);
    let is_block = || m.structure_facts(ty).is_block;
    match class {
        StorageClass::Uniform => is_block() || m.structure_facts(ty).is_buffer_block,
        StorageClass::StorageBuffer => is_block(),
        StorageClass::UniformConstant | StorageClass::TileAttachmentQCOM => match m.ty(ty) {
            Type::Image(image) => image.sampled == 2,
            Type::Other(op) => op == Op::TypeTensorARM,
            _ => false,
        },
        _ => false,
    }
}

/// Checks a `NonWritable` or `NonReadable`.
pub(super) fn check_non_writable(
    m: &Module<'_>,
    target: Id,
    decorated: &Decorated<'_>,
) -> CheckResult {
    if decorated.member.is_some() {
        return Ok(());
    }
    let Some((class, pointee)) = pointed(m, target) else {
        return Ok(());
    };
    let fits = match m.op_of(target) {
        Op::RawAccessChainNV => true,
        Op::BufferPointerEXT => {
            class != StorageClass::Uniform || decorated.decoration != Decoration::NonWritable
        }
        Op::Variable | Op::UntypedVariableKHR | Op::FunctionParameter => {
            decorated.decoration == Decoration::NonWritable
                && m.version >= Version::new(1, 4)
                && matches!(class, StorageClass::Function | StorageClass::Private)
                || pointee.is_none_or(|pointee| is_resource(m, class, pointee))
        }
        _ => true,
    };
    if fits {
        return Ok(());
    }
    let message = format!(
        "`{}` is for storage images, tensors, uniform blocks and storage buffers, but {} is {}",
        decorated.decoration,
        m.name(target),
        m.show_type(m.type_of(target).unwrap_or(Id(0)))
    );
    let offset = decorated.inst.offset();
    Err(
        Finding::new(&decoration::NON_WRITABLE, offset, message).about(
            m,
            target,
            "the target is defined here",
        ),
    )
}

/// Whether Vulkan's variables of a class that is neither input nor output have
/// locations.
fn has_location(class: StorageClass) -> bool {
    matches!(
        class,
        StorageClass::RayPayloadKHR
            | StorageClass::IncomingRayPayloadKHR
            | StorageClass::HitAttributeKHR
            | StorageClass::HitObjectAttributeNV
            | StorageClass::HitObjectAttributeEXT
            | StorageClass::CallableDataKHR
            | StorageClass::IncomingCallableDataKHR
    )
}

/// Checks a `Component`.
pub(super) fn check_component(
    m: &Module<'_>,
    target: Id,
    decorated: &Decorated<'_>,
) -> CheckResult {
    let offset = decorated.inst.offset();
    let ty = match decorated.member {
        Some(member) => m.members(target).get(member as usize).map(|&ty| Id(ty)),
        None => {
            let Some((class, pointee)) = pointed(m, target) else {
                return Ok(());
            };
            let is_variable = m.op_of(target).is_variable();
            if is_variable && !matches!(class, StorageClass::Input | StorageClass::Output) {
                // Of Vulkan's variables another rule says the same, but for those
                // that have a Location.
                if m.env.is_vulkan() && !has_location(class) {
                    return Ok(());
                }
                let message = format!(
                    "`Component` is for input and output variables, but {} is in `{class}`",
                    m.name(target)
                );
                return Err(
                    Finding::new(&decoration::COMPONENT_CLASS, offset, message).about(
                        m,
                        target,
                        "the variable is declared here",
                    ),
                );
            }
            pointee
        }
    };
    match ty {
        Some(ty) if m.env.is_vulkan() => check_components(m, target, decorated, ty),
        _ => Ok(()),
    }
}

fn check_components(m: &Module<'_>, target: Id, decorated: &Decorated<'_>, ty: Id) -> CheckResult {
    let ty = match m.ty(ty) {
        Type::RuntimeArray { .. } => ty,
        _ => m.without_arrays(ty),
    };
    if m.def_offset(ty) == 0 {
        return Ok(());
    }
    let wrong = |vuid: usize, message: String| {
        let finding = Finding::new(
            &decoration::VULKAN_COMPONENT,
            decorated.inst.offset(),
            message,
        );
        Err(finding
            .vuid(
                decoration::VULKAN_COMPONENT
                    .vuids
                    .get(vuid)
                    .copied()
                    .unwrap_or_default(),
            )
            .about(m, target, "the target is defined here"))
    };
    if !NUMBER.scalar_or_vector().matches(m, ty) {
        return wrong(
            0,
            format!(
                "`Component` is for scalars and vectors of numbers, not for {}",
                m.show_type(ty)
            ),
        );
    }
    let component = decorated.param(0);
    if component > 3 {
        return wrong(
            1,
            format!("the component must be 0 to 3, but is {component}"),
        );
    }
    let count = m.dimension(ty);
    let is_wide = m.bit_width(ty) == 64;
    if is_wide && count > 2 {
        return wrong(
            5,
            format!("{} does not fit in one location", m.show_type(ty)),
        );
    }
    if is_wide && !component.is_multiple_of(2) {
        return wrong(
            4,
            format!("64-bit values must begin at component 0 or 2, but this begins at {component}"),
        );
    }
    let taken = if is_wide {
        2 * count
    } else {
        count.min(u32::MAX - 4)
    };
    if component + taken > 4 {
        let message = format!(
            "{} at component {component} ends at component {}, but a location ends at component 3",
            m.show_type(ty),
            component + taken - 1
        );
        return wrong(if is_wide { 3 } else { 2 }, message);
    }
    Ok(())
}
