//! Lengths of arrays in memory, comparisons of pointers, and other uses of them.

use spirvkit_binary::Id;
use spirvkit_grammar::{AddressingModel, BuiltIn, Capability, Decoration, Op, StorageClass};

use crate::finding::{CheckResult, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Type};
use crate::pattern::{
    BOOL, INT, NON_VOID, POINTER, Pattern, STRUCT, TYPED_POINTER, UNSIGNED, UNTYPED_POINTER, VECTOR,
};
use crate::rules::generated::memory;

/// `OpArrayLength` and `OpUntypedArrayLengthKHR`.
pub(super) fn array_length(at: &InstCtx<'_, '_>) -> CheckResult {
    let fine = at.expect_result(&memory::ARRAY_LENGTH_TYPE, UNSIGNED.widths(&[32, 64]));
    all([fine, measured(at)])
}

/// Checks the array whose length is asked for.
fn measured(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let untyped = at.inst.op() == Op::UntypedArrayLengthKHR;
    // Structure and pointer, or a pointer that says both; then the member.
    let (structure, pointer, member) = match untyped {
        true => {
            at.expect_operand(&memory::ARRAY_LENGTH, 1, UNTYPED_POINTER)?;
            at.expect_type(&memory::ARRAY_LENGTH, 0, STRUCT)?;
            (at.id(0), at.id(1), at.inst.arg(2))
        }
        false => {
            at.expect_operand(&memory::ARRAY_LENGTH, 0, Pattern::pointer_to(&STRUCT))?;
            let pointee = m.pointee(at.type_of_arg(0)).unwrap_or(Id(0));
            (pointee, at.id(0), at.inst.arg(1))
        }
    };
    let Type::Struct { members } = m.ty(structure) else {
        return Ok(());
    };
    let last = members.last().map_or(Id(0), |&last| Id(last));
    if !matches!(m.ty(last), Type::RuntimeArray { .. }) {
        let message = format!(
            "the last member of {} must be a run-time array, but is {}",
            m.show_type(structure),
            m.show_type(last)
        );
        let finding = at.finding(&memory::ARRAY_LENGTH, message);
        return Err(finding.about(m, structure, "the structure is declared here"));
    }
    if member as usize + 1 != members.len() {
        let message = format!(
            "the run-time array is member {} of {}, but the instruction names member {member}",
            members.len() - 1,
            m.show_type(structure)
        );
        let finding = at.finding(&memory::ARRAY_LENGTH, message);
        return Err(finding.about(m, structure, "the structure is declared here"));
    }
    let class = m.type_of(pointer).and_then(|ty| m.pointer_class(ty));
    if m.env.is_vulkan()
        && class == Some(StorageClass::Uniform)
        && m.is_decorated(structure, Decoration::Block)
    {
        let message =
            "in Vulkan, the length of a run-time array in a uniform block can't be queried";
        return Err(at.finding(&memory::ARRAY_LENGTH_UNIFORM, message));
    }
    Ok(())
}

/// `OpPtrEqual`, `OpPtrNotEqual` and `OpPtrDiff`.
pub(super) fn comparison(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let logical = m.addressing == AddressingModel::Logical;
    let is_enabled = !logical || m.has(Capability::VariablePointersStorageBuffer);
    let enabled = expect(is_enabled, || {
        let message = format!(
            "under logical addressing, {} needs the capability `VariablePointers` or `VariablePointersStorageBuffer`",
            at.inst.op()
        );
        at.finding(&memory::POINTER_COMPARISON_LOGICAL, message)
            .arg(at, 0)
    });
    let (result, pointers) = (at.result_type(), at.type_of_arg(0));
    // Vectors of pointers are compared component by component.
    let are_vectors = m.vector_of_pointers(pointers).is_some();
    let component = match are_vectors {
        true if m.same_dimension(result, pointers) => m.component_type(result),
        true => Id(0),
        false => result,
    };
    let wanted = match at.inst.op() {
        Op::PtrDiff => INT,
        _ => BOOL,
    };
    let result = expect(wanted.matches(m, component), || {
        let each = if are_vectors { " for each pointer" } else { "" };
        at.result_finding(&memory::POINTER_COMPARISON, &format!("{wanted}{each}"))
    });
    all([enabled, result, compared(at, logical && is_enabled)])
}

/// Checks what is compared; `by_class`, whether pointers of the storage class are.
fn compared(at: &InstCtx<'_, '_>, by_class: bool) -> CheckResult {
    let m = at.m;
    let (left, right) = (at.type_of_arg(0), at.type_of_arg(1));
    let (pointer, _) = m.vector_of_pointers(left).unwrap_or((left, 0));
    let Some(class) = m.pointer_class(pointer) else {
        return at.expect_operand(&memory::POINTER_COMPARISON, 0, POINTER);
    };
    let is_untyped = |ty: Id| UNTYPED_POINTER.matches(m, ty);
    // A distance is counted in elements, so that the types must agree.
    if at.inst.op() != Op::PtrDiff && (is_untyped(left) || is_untyped(right)) {
        if m.pointer_class(right) != Some(class) {
            let wanted = "a pointer to the same storage class as the other operand";
            return Err(at.operand_finding(&memory::POINTER_COMPARISON, 1, wanted));
        }
    } else if left != right {
        return Err(at.operand_finding(
            &memory::POINTER_COMPARISON,
            1,
            "a pointer of the same type as the other operand",
        ));
    }
    if by_class {
        let fine = match class {
            StorageClass::StorageBuffer => true,
            StorageClass::Workgroup => m.has(Capability::VariablePointers),
            _ => false,
        };
        if !fine {
            let message = format!(
                "under logical addressing, pointers to `{class}` can't be compared in this module"
            );
            return Err(at
                .finding(&memory::POINTER_COMPARISON_LOGICAL, message)
                .arg(at, 0));
        }
    } else if m.addressing != AddressingModel::Logical
        && class == StorageClass::PhysicalStorageBuffer
    {
        let wanted = "a pointer to a storage class other than `PhysicalStorageBuffer`";
        return Err(at.operand_finding(&memory::POINTER_COMPARISON, 0, wanted));
    }
    Ok(())
}

pub(super) fn prefetch(at: &InstCtx<'_, '_>) -> CheckResult {
    let global = Pattern::pointer_into(&[StorageClass::CrossWorkgroup]);
    let hints = 2..at.inst.args().len();
    all([
        at.expect_operand(&memory::PREFETCH, 0, global),
        at.expect_operand(&memory::PREFETCH, 1, INT),
        all(hints.map(|index| at.expect_operand(&memory::PREFETCH, index, INT.constant()))),
    ])
}

pub(super) fn buffer(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let wanted = Pattern::pointer_into(&[StorageClass::StorageBuffer, StorageClass::Uniform]);
    at.expect_result(&memory::BUFFER_POINTER, wanted)?;
    let buffer = at.id(0);
    let is_untyped = UNTYPED_POINTER.matches_value(m, buffer);
    let variable = m.pointer_origin(buffer);
    // What a parameter points to is known where the function is called.
    let is_known = m.op_of(variable).is_variable();
    let from_heap = !is_known
        || m.own_decorations(variable).any(|decorated| {
            decorated.decoration == Decoration::BuiltIn
                && BuiltIn(decorated.param(0)) == BuiltIn::ResourceHeapEXT
        });
    if is_untyped && from_heap {
        return Ok(());
    }
    let message = format!(
        "OpBufferPointerEXT needs an untyped pointer into the resource heap, but has {}",
        m.show_value(buffer)
    );
    let finding = at.finding(&memory::BUFFER_POINTER, message);
    Err(finding.about(m, variable, "the pointer comes from here"))
}

/// `OpMaskedGatherINTEL` and `OpMaskedScatterINTEL`.
pub(super) fn masked(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let is_gather = at.inst.op() == Op::MaskedGatherINTEL;
    // Pointers, alignment, mask, fill; or input, pointers, alignment, mask.
    let (values, pointers, alignment, mask) = match is_gather {
        true => (at.result_type(), 0, 1, 2),
        false => (at.type_of_arg(0), 1, 2, 3),
    };
    match is_gather {
        true => at.expect_result(&memory::MASKED, VECTOR)?,
        false => at.expect_operand(&memory::MASKED, 0, VECTOR)?,
    }
    let component = m.component_type(values);
    let pointer_type = at.type_of_arg(pointers);
    let reach = m.vector_of_pointers(pointer_type);
    let reach = reach.filter(|_| m.same_dimension(pointer_type, values));
    let reach = reach.and_then(|(pointer, _)| m.pointee(pointer));
    let mask_type = at.type_of_arg(mask);
    let alignment = at.inst.arg(alignment);
    let finding = |message: String| at.finding(&memory::MASKED, message);
    all([
        expect(reach == Some(component), || {
            finding(format!(
                "{} needs a vector of as many pointers to {}, but has {}",
                at.inst.op(),
                m.show_type(component),
                m.show_value(at.id(pointers))
            ))
        }),
        expect(
            BOOL.vector().matches(m, mask_type) && m.same_dimension(mask_type, values),
            || {
                finding(format!(
                    "the mask must be a vector of booleans, one for each component, but is {}",
                    m.show_value(at.id(mask))
                ))
            },
        ),
        expect(
            !is_gather || [values, component].contains(&at.type_of_arg(3)),
            || {
                finding(format!(
                    "the value for masked components must have the result type or its component type, but is {}",
                    m.show_value(at.id(3))
                ))
            },
        ),
        expect(alignment == 0 || alignment.is_power_of_two(), || {
            finding(format!(
                "the alignment must be 0 or a power of two, but is {alignment}"
            ))
        }),
    ])
}

/// Arrays whose length is known only when they are made, and what saves and restores the
/// memory for them.
pub(super) fn variable_length(at: &InstCtx<'_, '_>) -> CheckResult {
    const FUNCTION: Pattern = Pattern::pointer_into(&[StorageClass::Function]);
    let rule = &memory::VARIABLE_LENGTH;
    let made = |kind: Pattern| {
        at.expect_result(rule, kind)?;
        at.expect_result(rule, FUNCTION)
    };
    match at.inst.op() {
        Op::VariableLengthArrayINTEL => all([made(TYPED_POINTER), at.expect_operand(rule, 0, INT)]),
        Op::UntypedVariableLengthArrayINTEL => all([
            made(UNTYPED_POINTER),
            at.expect_type(rule, 0, NON_VOID),
            at.expect_operand(rule, 1, INT),
        ]),
        Op::SaveMemoryINTEL => made(POINTER),
        _ => at.expect_operand(rule, 0, FUNCTION),
    }
}

/// `OpGenericPtrMemSemantics`.
pub(super) fn takes_pointer(at: &InstCtx<'_, '_>) -> CheckResult {
    at.expect_operand(&memory::POINTER, 0, POINTER)
}
