//! Functions on memory: loads and stores of vectors and halves, `printf` and
//! `prefetch`.

use spirvkit_binary::Id;
use spirvkit_grammar::{AddressingModel, StorageClass};

use super::Element;
use crate::finding::{CheckResult, all};
use crate::module::{Lookup, Module, Type, is_cross_workgroup};
use crate::rules::ext_inst::Call;
use crate::rules::generated::opencl_std;

/// Memory that a kernel may write.
pub(super) fn is_writable(class: Option<StorageClass>) -> bool {
    class.is_some_and(|class| {
        is_cross_workgroup(class)
            || matches!(
                class,
                StorageClass::Generic | StorageClass::Workgroup | StorageClass::Function
            )
    })
}

fn is_number(m: &Module<'_>, ty: Id) -> bool {
    m.is_int_scalar_or_vector(ty) || m.is_float_scalar_or_vector(ty)
}

/// Physical addressing, and an operand of the size of its addresses.
fn size(call: &Call<'_, '_, '_>, index: usize) -> CheckResult {
    let m = call.m();
    let (bits, name) = match m.addressing {
        AddressingModel::Logical => {
            let message = format!(
                "{} needs a physical addressing model, but the module's is `Logical`",
                call.name()
            );
            return Err(call.at.finding(&opencl_std::PHYSICAL, message));
        }
        AddressingModel::Physical32 => (32, "a 32-bit integer, because addresses have 32 bits"),
        _ => (64, "a 64-bit integer, because addresses have 64 bits"),
    };
    let fits = m.is_int_scalar_of(call.ty(index), bits);
    call.operand(&opencl_std::SIZE, index, fits, name)
}

fn void(call: &Call<'_, '_, '_>) -> CheckResult {
    let fits = call.m().is_void(call.result_type());
    call.result(&opencl_std::VOID_RESULT, fits, "void")
}

/// What a pointer points to must be this component or a half.
fn element(
    call: &Call<'_, '_, '_>,
    pointer: usize,
    element: Element,
    component: Id,
) -> CheckResult {
    let m = call.m();
    let Some(pointee) = m.pointee(call.ty(pointer)) else {
        return Ok(());
    };
    let (fits, name) = match element {
        Element::Component => (pointee == component, "a pointer to the component type"),
        Element::Half | Element::Halves => (
            m.is_float_scalar_of(pointee, 16),
            "a pointer to 16-bit floats",
        ),
    };
    call.operand(&opencl_std::ELEMENT, pointer, fits, name)
}

pub(super) fn load(call: &Call<'_, '_, '_>, kind: Element) -> CheckResult {
    let m = call.m();
    let result = call.result_type();
    let (fits, name) = match kind {
        Element::Component => (
            m.is_int_vector(result) || m.is_float_vector(result),
            "a vector of integers or floats",
        ),
        Element::Half => (m.is_float_scalar(result), "a floating-point scalar"),
        Element::Halves => (m.is_float_vector(result), "a floating-point vector"),
    };
    call.result(&opencl_std::LOAD_RESULT, fits, name)?;
    let size = size(call, 0);
    let class = m.pointer_class(call.ty(1));
    let fits = is_writable(class) || class == Some(StorageClass::UniformConstant);
    let pointer = call
        .operand(
            &opencl_std::LOAD_POINTER,
            1,
            fits,
            "a pointer into `UniformConstant`, `Generic`, `CrossWorkgroup`, `Workgroup` or `Function` \
             memory",
        )
        .and_then(|()| element(call, 1, kind, m.component_type(result)));
    all([size, pointer, loaded(call, kind)])
}

/// Checks how many components are loaded.
fn loaded(call: &Call<'_, '_, '_>, kind: Element) -> CheckResult {
    if kind != Element::Half && call.count() > 2 {
        let count = call.word(2);
        let dimension = call.m().dimension(call.result_type());
        if count != dimension {
            let message = format!(
                "{} loads {count} components, but its result type has {dimension}",
                call.name()
            );
            return Err(call.at.finding(&opencl_std::LOAD_COUNT, message));
        }
    }
    Ok(())
}

pub(super) fn store(call: &Call<'_, '_, '_>, kind: Element) -> CheckResult {
    let m = call.m();
    let data = call.ty(0);
    let is_wide = matches!(m.bit_width(data), 32 | 64);
    let (fits, name) = match kind {
        Element::Component => (
            m.is_int_vector(data) || m.is_float_vector(data),
            "a vector of integers or floats",
        ),
        Element::Half => (
            m.is_float_scalar(data) && is_wide,
            "a float of 32 or 64 bits",
        ),
        Element::Halves => (
            m.is_float_vector(data) && is_wide,
            "a vector of floats of 32 or 64 bits",
        ),
    };
    let stored = call.operand(&opencl_std::STORE_DATA, 0, fits, name);
    let is_known = stored.is_ok();
    let fits = is_writable(m.pointer_class(call.ty(2)));
    let wanted = "a pointer into `Generic`, `CrossWorkgroup`, `Workgroup` or `Function` memory";
    let pointer = call
        .operand(&opencl_std::STORE_POINTER, 2, fits, wanted)
        .and_then(|()| match is_known {
            true => element(call, 2, kind, m.component_type(data)),
            false => Ok(()),
        });
    all([void(call), stored, size(call, 1), pointer])
}

pub(super) fn printf(call: &Call<'_, '_, '_>) -> CheckResult {
    let fits = call.m().is_int_scalar_of(call.result_type(), 32);
    let result = call.result(&opencl_std::PRINTF_RESULT, fits, "a 32-bit integer");
    all([result, printf_format(call)])
}

fn printf_format(call: &Call<'_, '_, '_>) -> CheckResult {
    let m = call.m();
    let format = call.ty(0);
    let class = m.pointer_class(format);
    let fits = class == Some(StorageClass::UniformConstant)
        || is_writable(class) && m.has_extension("SPV_EXT_relaxed_printf_string_address_space");
    call.operand(
        &opencl_std::PRINTF_FORMAT,
        0,
        fits,
        "a pointer into `UniformConstant` memory",
    )?;
    let Some(pointee) = m.pointee(format) else {
        return Ok(());
    };
    let character = match m.ty(pointee) {
        Type::Array { element, .. } => element,
        _ => pointee,
    };
    let fits = m.is_int_scalar_of(character, 8);
    call.operand(
        &opencl_std::PRINTF_FORMAT,
        0,
        fits,
        "a pointer to 8-bit integers",
    )
}

pub(super) fn prefetch(call: &Call<'_, '_, '_>) -> CheckResult {
    let m = call.m();
    let pointer = call.ty(0);
    let fits = m.pointer_class(pointer).is_some_and(is_cross_workgroup);
    let wanted = "a pointer into `CrossWorkgroup` memory";
    let prefetched = call
        .operand(&opencl_std::PREFETCH_POINTER, 0, fits, wanted)
        .and_then(|()| {
            let pointee = m.pointee(pointer);
            let fits = pointee.is_none_or(|pointee| is_number(m, pointee));
            let wanted = "a pointer to integers or floats, or vectors of them";
            call.operand(&opencl_std::PREFETCH_POINTER, 0, fits, wanted)
        });
    all([void(call), prefetched, size(call, 1)])
}
