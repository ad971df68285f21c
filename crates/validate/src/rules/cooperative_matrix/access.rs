//! Loads and stores of cooperative matrices.

use spirvkit_analysis::TensorOperands;
use spirvkit_binary::Id;
use spirvkit_diagnostics::{alternatives, counted};
use spirvkit_grammar::{CooperativeMatrixLayout, Op, OperandKind, StorageClass};

use super::super::memory::operands::{self, Access};
use super::super::operation::Operation;
use crate::finding::{CheckResult, all, expect};
use crate::module::{CooperativeMatrix, Lookup, Module, Type};
use crate::pattern::{BOOL, I32, INT, NUMBER, POINTER, Pattern, UNTYPED_POINTER};
use crate::rules::generated::cooperative_matrix;
use crate::rules::tensors::{TENSOR_LAYOUT, TENSOR_VIEW};

/// The matrix type that is loaded or stored, with its id, and the index of the
/// operand behind pointer and object.
fn accessed(
    o: &Operation<'_, '_, '_>,
) -> Result<(CooperativeMatrix, Id, usize), crate::finding::Finding> {
    let (ty, next) = match o.op {
        Op::CooperativeMatrixLoadKHR | Op::CooperativeMatrixLoadNV => (o.result, 1),
        Op::CooperativeMatrixLoadTensorNV => (o.result, 2),
        _ => (o.ty(1), 2),
    };
    let is_nv = matches!(
        o.op,
        Op::CooperativeMatrixLoadNV | Op::CooperativeMatrixStoreNV
    );
    let wanted = "a cooperative matrix of the instruction's own extension";
    match o.m.ty(ty) {
        Type::CooperativeMatrix(matrix) if !is_nv => Ok((matrix, ty, next)),
        Type::CooperativeMatrixNv(matrix) if is_nv => Ok((matrix, ty, next)),
        _ if ty == o.result => Err(o.result_finding(&cooperative_matrix::ACCESSED, wanted)),
        _ => Err(o.operand_finding(&cooperative_matrix::ACCESSED, 1, wanted)),
    }
}

/// Whether something of an earlier phase is wrong: an operand that is no value.
fn is_no_value(o: &Operation<'_, '_, '_>, index: usize) -> bool {
    o.m.type_of(o.id(index)).is_none()
}

/// What matrices are loaded from and stored to.
const MEMORY: Pattern = Pattern::either(&[
    Pattern::pointer_to(&NUMBER.scalar_or_vector()),
    UNTYPED_POINTER,
]);

pub(super) fn check(o: &Operation<'_, '_, '_>) -> CheckResult {
    if is_no_value(o, 0) || is_no_value(o, 1) {
        return Ok(());
    }
    let (matrix, ty, next) = accessed(o)?;
    o.expect_operand(&cooperative_matrix::POINTER, 0, MEMORY)?;
    check_vulkan_class(o)?;
    if matches!(
        o.op,
        Op::CooperativeMatrixLoadNV | Op::CooperativeMatrixStoreNV
    ) {
        o.expect_operand(&cooperative_matrix::STRIDE, next, INT)?;
        o.expect_operand(&cooperative_matrix::LAYOUT, next + 1, BOOL.constant())?;
        return check_memory(o, next + 2, ty);
    }
    o.expect_operand(&cooperative_matrix::LAYOUT, next, I32.constant())?;
    check_layout(o, next)?;
    all([
        check_stride(o, &matrix, next),
        check_memory(o, next + 2, ty),
    ])
}

/// Checks that a layout's capability is declared.
fn check_layout(o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
    let m = o.m;
    let layout = m.constant_u64(o.id(index));
    let layout = layout.and_then(|value| u32::try_from(value).ok());
    let info = layout.and_then(|value| OperandKind::CooperativeMatrixLayout.enumerant(value));
    let needed = info.map_or(&[][..], |info| info.availability().capabilities());
    if needed.is_empty() || needed.iter().any(|&capability| m.has(capability)) {
        return Ok(());
    }
    let message = format!(
        "the layout `{}` of {} needs the capability {}",
        info.map_or("", |info| info.name()),
        o.op,
        alternatives(needed.iter().map(|capability| format!("`{capability}`")))
    );
    let finding = o.at.finding(&cooperative_matrix::LAYOUT, message);
    Err(finding.about(m, o.id(index), "the layout is defined here"))
}

/// Checks the storage class of what is loaded from or stored to.
fn check_vulkan_class(o: &Operation<'_, '_, '_>) -> CheckResult {
    let is_for = matches!(
        o.op,
        Op::CooperativeMatrixLoadKHR | Op::CooperativeMatrixStoreKHR
    );
    let class = o.m.pointer_class(o.ty(0));
    let is_fine = matches!(
        class,
        Some(
            StorageClass::Workgroup
                | StorageClass::StorageBuffer
                | StorageClass::PhysicalStorageBuffer
        )
    );
    let wanted = "a pointer to `Workgroup`, `StorageBuffer` or `PhysicalStorageBuffer` in Vulkan";
    match is_for && !is_fine && o.m.env.is_vulkan() {
        true => Err(o.operand_finding(&cooperative_matrix::VULKAN_CLASS, 0, wanted)),
        false => Ok(()),
    }
}

fn check_stride(
    o: &Operation<'_, '_, '_>,
    matrix: &CooperativeMatrix,
    layout: usize,
) -> CheckResult {
    let m = o.m;
    let index = layout + 1;
    if o.args.len() > index {
        o.expect_operand(&cooperative_matrix::STRIDE, index, INT)?;
    }
    let Some(layout) = m.constant_u64(o.id(layout)) else {
        return Ok(());
    };
    let layout = CooperativeMatrixLayout(layout as u32);
    let is_blocked = match layout {
        CooperativeMatrixLayout::RowBlockedInterleavedARM
        | CooperativeMatrixLayout::ColumnBlockedInterleavedARM => true,
        CooperativeMatrixLayout::RowMajorKHR | CooperativeMatrixLayout::ColumnMajorKHR => false,
        _ => return Ok(()),
    };
    if o.args.len() <= index {
        let message = format!("{} needs a stride for the layout `{layout}`", o.op);
        return Err(o.finding(&cooperative_matrix::STRIDE, message));
    }
    if !is_blocked {
        return match m.env.is_vulkan() {
            true => check_alignment(o, matrix, layout, index),
            false => Ok(()),
        };
    }
    if !m.is_constant(o.id(index)) {
        let wanted = format!("a constant for the layout `{layout}`");
        return Err(o.operand_finding(&cooperative_matrix::STRIDE, index, &wanted));
    }
    let Some(stride) = m.constant_u64(o.id(index)).filter(|&stride| stride > 0) else {
        return Ok(());
    };
    let across = 128 / u64::from(m.bit_width(matrix.component).clamp(8, 64));
    let (rows, columns) = match layout {
        CooperativeMatrixLayout::RowBlockedInterleavedARM => (4, across.saturating_mul(stride)),
        _ => (stride.saturating_mul(4), across),
    };
    let sizes = [
        (matrix.rows, rows, "rows"),
        (matrix.columns, columns, "columns"),
    ];
    all(sizes.into_iter().map(|(size, unit, what)| {
        if let Some(size) = m.constant_u64(size)
            && size % unit != 0
        {
            let message = format!(
                "the layout {layout} with a stride of {stride} needs a multiple of {unit} {what}, but the matrix has \
                 {size}"
            );
            return Err(o.finding(&cooperative_matrix::BLOCKS, message));
        }
        Ok(())
    }))
}

/// Checks that each row or column begins at a multiple of its size, or of 16 bytes.
fn check_alignment(
    o: &Operation<'_, '_, '_>,
    matrix: &CooperativeMatrix,
    layout: CooperativeMatrixLayout,
    index: usize,
) -> CheckResult {
    let m = o.m;
    let bytes = |ty: Id| u64::from(m.bit_width(m.component_type(ty)) / 8 * m.dimension(ty).max(1));
    // The stride counts what the pointer points to.
    let element = m.pointee(o.ty(0)).map(bytes);
    let across = match layout {
        CooperativeMatrixLayout::RowMajorKHR => matrix.columns,
        _ => matrix.rows,
    };
    let (Some(element), Some(across), Some(stride)) =
        (element, m.constant_u64(across), m.constant_u64(o.id(index)))
    else {
        return Ok(());
    };
    let needed = across.saturating_mul(bytes(matrix.component)).min(16);
    let stride = stride.saturating_mul(element);
    expect(needed == 0 || stride.is_multiple_of(needed), || {
        let message = format!(
            "the stride must be a multiple of {needed} bytes for the layout `{layout}` of {}, but is {stride} bytes",
            counted(across as usize, "component")
        );
        let rule = &cooperative_matrix::STRIDE_ALIGNMENT;
        let finding = o.finding(rule, message).arg(o.at, index).warning();
        finding.about(m, o.id(index), "the stride is defined here")
    })
}

/// The memory operands that start at this operand; `value` is the type of what
/// is accessed.
fn check_memory(o: &Operation<'_, '_, '_>, index: usize, value: Id) -> CheckResult {
    let access = match o.result {
        Id(0) => Access::Write,
        _ => Access::Read,
    };
    operands::check(o.at, index, access, &[o.ty(0)], value)
}

/// The number of dimensions of a tensor layout or view type, if it is known.
fn tensor_dimension(m: &Module<'_>, ty: Id) -> Option<u64> {
    m.constant_u64(m.def(ty)?.id(0))
}

pub(super) fn check_tensor(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    if (0..3).any(|index| is_no_value(o, index)) {
        return Ok(());
    }
    let (matrix, ty, next) = accessed(o)?;
    let pointer = o.expect_operand(&cooperative_matrix::POINTER, 0, POINTER);
    let object = expect(o.ty(1) == ty, || {
        o.mismatch(&cooperative_matrix::ACCESSED, 1, "the result type")
    });
    let layout = o.expect_operand(&cooperative_matrix::TENSOR_LAYOUT, next, TENSOR_LAYOUT);
    let memory = match pointer.is_ok() {
        true => check_memory(o, next + 1, ty),
        false => Ok(()),
    };
    let operands = TensorOperands::new(o.args, next + 1);
    let view = match operands.view {
        Some(index) => o.expect_operand(&cooperative_matrix::TENSOR_VIEW, index, TENSOR_VIEW),
        None => Ok(()),
    };
    let dimension = match layout.is_ok() {
        true => tensor_dimension(m, o.ty(next)),
        false => None,
    };
    let (function, vector_function) = (operands.decode, operands.decode_vector);
    let has_function = expect(function.is_some() || vector_function.is_none(), || {
        let message = format!(
            "{} has `DecodeVectorFunc`, so it also needs `DecodeFunc`",
            o.op
        );
        o.finding(&cooperative_matrix::DECODE, message)
    });
    let functions = [(function, false), (vector_function, true)];
    let functions = all(functions.into_iter().map(|(index, makes_vectors)| {
        let check = |index| check_decode(o, index, &matrix, dimension, makes_vectors);
        index.map_or(Ok(()), check)
    }));
    all([
        pointer,
        object,
        layout,
        memory,
        view,
        has_function,
        functions,
    ])
}

fn check_decode(
    o: &Operation<'_, '_, '_>,
    index: usize,
    matrix: &CooperativeMatrix,
    dimension: Option<u64>,
    makes_vectors: bool,
) -> CheckResult {
    let m = o.m;
    let function = o.id(index);
    let finding = |what: &str| {
        let message = format!("the function {} of {} {what}", m.name(function), o.op);
        let finding = o.finding(&cooperative_matrix::DECODE, message);
        finding.about(m, function, "it is defined here")
    };
    let Some(def) = m.def(function) else {
        return Ok(());
    };
    if def.op() != Op::Function {
        return Err(finding("must be an OpFunction"));
    }
    let Type::Function { result, parameters } = m.ty(def.id(1)) else {
        return Ok(());
    };
    let returned = match makes_vectors {
        true if !m.is_vector(result) || m.component_type(result) != matrix.component => Err(
            finding("must return a vector of the matrix's component type"),
        ),
        true if !matches!(m.dimension(result), 0 | 2 | 4 | 8) => {
            Err(finding("must return a vector of 2, 4 or 8 components"))
        }
        false if result != matrix.component => {
            Err(finding("must return the component type of the matrix"))
        }
        _ => Ok(()),
    };
    let &[pointer, first, second] = parameters else {
        return all([returned, Err(finding("must have three parameters"))]);
    };
    let is_physical = m.pointer_class(Id(pointer)) == Some(StorageClass::PhysicalStorageBuffer);
    let pointer = expect(is_physical, || {
        finding("must have a pointer to `PhysicalStorageBuffer` as its first parameter")
    });
    let places = all([Id(first), Id(second)].into_iter().map(|parameter| {
        let is_fine = match m.ty(parameter) {
            Type::Array { element, .. } => {
                let length = m.array_length(parameter);
                let fits = length.is_none() || dimension.is_none() || length == dimension;
                I32.matches(m, element) && fits
            }
            _ => false,
        };
        if !is_fine {
            return Err(finding(
                "must have arrays of 32-bit integers, with as many elements as the tensor has dimensions, as its \
                 second and third parameters",
            ));
        }
        Ok(())
    }));
    all([returned, pointer, places])
}
