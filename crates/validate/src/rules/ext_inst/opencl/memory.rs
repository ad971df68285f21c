//! Functions on memory: loads and stores of vectors and halves, `printf` and
//! `prefetch`.

use spirvkit_binary::Id;
use spirvkit_grammar::{AddressingModel, StorageClass};

use super::Element;
use crate::finding::{CheckResult, all};
use crate::module::{Lookup, Type};
use crate::pattern::{FLOAT, I32, INT, NUMBER, Pattern, VOID};
use crate::rules::ext_inst::Call;
use crate::rules::generated::opencl_std;

/// A pointer into memory that a kernel may write.
pub(super) const WRITABLE: Pattern = Pattern::pointer_into(&[
    StorageClass::Generic,
    StorageClass::CrossWorkgroup,
    StorageClass::Workgroup,
    StorageClass::Function,
]);
/// A pointer into constants.
const CONSTANT: Pattern = Pattern::pointer_into(&[StorageClass::UniformConstant]);
const READABLE: Pattern = Pattern::either(&[CONSTANT, WRITABLE]);
const GLOBAL: Pattern = Pattern::pointer_into(&[StorageClass::CrossWorkgroup]);

/// Physical addressing, and an operand of the size of its addresses.
fn size(call: &Call<'_, '_, '_>, index: usize) -> CheckResult {
    let m = call.m();
    let size = match m.addressing {
        AddressingModel::Logical => {
            let message = format!(
                "{} needs a physical addressing model, but the module's is `Logical`",
                call.name()
            );
            return Err(call.at.finding(&opencl_std::PHYSICAL, message));
        }
        AddressingModel::Physical32 => I32,
        _ => INT.widths(&[64]),
    };
    call.expect_operand(&opencl_std::SIZE, index, size)
}

fn void(call: &Call<'_, '_, '_>) -> CheckResult {
    call.expect_result(&opencl_std::VOID_RESULT, VOID)
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
    match element {
        Element::Component => {
            let fits = pointee == component;
            let wanted = "a pointer to the component type";
            call.expect_operand_that(&opencl_std::ELEMENT, pointer, fits, wanted)
        }
        Element::Half | Element::Halves => {
            call.expect_operand(&opencl_std::ELEMENT, pointer, Pattern::pointer_to(&HALF))
        }
    }
}

const HALF: Pattern = FLOAT.widths(&[16]);

pub(super) fn load(call: &Call<'_, '_, '_>, kind: Element) -> CheckResult {
    let m = call.m();
    let loaded = match kind {
        Element::Component => NUMBER.vector(),
        Element::Half => FLOAT,
        Element::Halves => FLOAT.vector(),
    };
    call.expect_result(&opencl_std::LOAD_RESULT, loaded)?;
    let pointer = call
        .expect_operand(&opencl_std::LOAD_POINTER, 1, READABLE)
        .and_then(|()| element(call, 1, kind, m.component_type(call.result_type())));
    all([size(call, 0), pointer, count(call, kind)])
}

/// Checks how many components are loaded.
fn count(call: &Call<'_, '_, '_>, kind: Element) -> CheckResult {
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
    let data = match kind {
        Element::Component => NUMBER.vector(),
        Element::Half => FLOAT.widths(&[32, 64]),
        Element::Halves => FLOAT.vector().widths(&[32, 64]),
    };
    let stored = call.expect_operand(&opencl_std::STORE_DATA, 0, data);
    let is_known = stored.is_ok();
    let pointer = call
        .expect_operand(&opencl_std::STORE_POINTER, 2, WRITABLE)
        .and_then(|()| match is_known {
            true => element(call, 2, kind, m.component_type(call.ty(0))),
            false => Ok(()),
        });
    all([void(call), stored, size(call, 1), pointer])
}

pub(super) fn printf(call: &Call<'_, '_, '_>) -> CheckResult {
    all([
        call.expect_result(&opencl_std::PRINTF_RESULT, I32),
        printf_format(call),
    ])
}

fn printf_format(call: &Call<'_, '_, '_>) -> CheckResult {
    let m = call.m();
    let classes = match m.has_extension("SPV_EXT_relaxed_printf_string_address_space") {
        true => READABLE,
        false => CONSTANT,
    };
    call.expect_operand(&opencl_std::PRINTF_FORMAT, 0, classes)?;
    let Some(pointee) = m.pointee(call.ty(0)) else {
        return Ok(());
    };
    let character = match m.ty(pointee) {
        Type::Array { element, .. } => element,
        _ => pointee,
    };
    let fits = INT.widths(&[8]).matches(m, character);
    call.expect_operand_that(
        &opencl_std::PRINTF_FORMAT,
        0,
        fits,
        "a pointer to 8-bit integers",
    )
}

pub(super) fn prefetch(call: &Call<'_, '_, '_>) -> CheckResult {
    let m = call.m();
    let rule = &opencl_std::PREFETCH_POINTER;
    let prefetched = call.expect_operand(rule, 0, GLOBAL).and_then(|()| {
        let pointee = m.pointee(call.ty(0));
        let fits = pointee.is_none_or(|pointee| NUMBER.scalar_or_vector().matches(m, pointee));
        let wanted = "a pointer to integers or floats, or vectors of them";
        call.expect_operand_that(rule, 0, fits, wanted)
    });
    all([void(call), prefetched, size(call, 1)])
}
