//! Access chains (specification, section 3.32.8).

mod dynamic;
mod row_major;

use spirvkit_binary::Id;
use spirvkit_diagnostics::counted;
use spirvkit_grammar::{
    AddressingModel, Capability, Decoration, Op, RawAccessChainOperands, StorageClass,
};

use super::Family;
use crate::finding::{CheckResult, Finding, Reporter, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Module, NONE, Signature, Type};
use crate::pattern::{I32, INT, POINTER, TYPED_POINTER, UNSIGNED, UNTYPED_POINTER};
use crate::rules::generated::access_chain;

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::AccessChain,
        Op::InBoundsAccessChain,
        Op::PtrAccessChain,
        Op::InBoundsPtrAccessChain,
        Op::UntypedAccessChainKHR,
        Op::UntypedInBoundsAccessChainKHR,
        Op::UntypedPtrAccessChainKHR,
        Op::UntypedInBoundsPtrAccessChainKHR,
        Op::RawAccessChainNV,
    ],
    check,
    check_module: Some(check_module),
};

/// What kind of access chain an opcode makes.
#[derive(Clone, Copy)]
struct Kind {
    untyped: bool,
    /// Whether an element comes before the indexes.
    pointer: bool,
}

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let (untyped, pointer) = match at.inst.op() {
        Op::AccessChain | Op::InBoundsAccessChain => (false, false),
        Op::PtrAccessChain | Op::InBoundsPtrAccessChain => (false, true),
        Op::UntypedAccessChainKHR | Op::UntypedInBoundsAccessChainKHR => (true, false),
        Op::UntypedPtrAccessChainKHR | Op::UntypedInBoundsPtrAccessChainKHR => (true, true),
        _ => return raw(at),
    };
    let check = || chain(at, Kind { untyped, pointer });
    match signature(at).filter(|_| !untyped && !pointer) {
        Some(signature) => at.m.sound.once(signature, check),
        None => check(),
    }
}

fn check_module(m: &Module<'_>, reporter: &mut Reporter) {
    if m.env.is_vulkan() {
        dynamic::check(m, reporter);
        row_major::check(m, reporter);
    }
}

/// What an access chain of one or two indexes hangs on: the types of its result, its
/// base and its indexes, or the indexes themselves if they may be constants.
fn signature(at: &InstCtx<'_, '_>) -> Option<Signature> {
    const TYPE: u32 = 1 << 31;
    let m = at.m;
    let index = |id: u32| {
        let def = m.whereabouts(Id(id));
        match def.block() == NONE {
            true => Some(id).filter(|id| id & TYPE == 0),
            false => m.type_of(Id(id)).map(|ty| ty.0 | TYPE),
        }
    };
    let base = |id: u32| m.type_of(Id(id)).map_or(0, |ty| ty.0);
    Some(match *at.inst.words() {
        [first, result, _, of, a] => [first, result, base(of), index(a)?, 0],
        [first, result, _, of, a, b] => [first, result, base(of), index(a)?, index(b)?],
        _ => return None,
    })
}

fn chain(at: &InstCtx<'_, '_>, kind: Kind) -> CheckResult {
    let m = at.m;
    let result = at.result_type();
    // With `SPV_INTEL_masked_gather_scatter`, of a vector of pointers a vector of
    // pointers is made.
    let vector = m.vector_of_pointers(result);
    let pointer = vector.map_or(result, |(pointer, _)| pointer);
    let (class, target) = match m.ty(pointer) {
        Type::Pointer { class, pointee } if !kind.untyped => (class, Some(pointee)),
        Type::UntypedPointer { class } if kind.untyped => (class, None),
        _ => return Err(result_finding(at, kind)),
    };
    let base = at.id(usize::from(kind.untyped));
    let mut base_type = m.type_of(base).unwrap_or(Id(0));
    if let Some((_, count)) = vector {
        base_type = match m.vector_of_pointers(base_type) {
            Some((pointer, given)) if given == count => pointer,
            _ => return Err(base_finding(at, kind)),
        };
    }
    let start = match kind.untyped {
        true => {
            let ty = at.id(0);
            if m.ty(ty) == Type::None || m.is_pointer(ty) {
                let message = format!(
                    "the base type of an untyped access chain must not be a pointer type, but is {}",
                    m.show_type(ty)
                );
                let finding = at.finding(&access_chain::BASE_TYPE, message);
                return Err(finding.about(m, ty, "it is defined here"));
            }
            m.is_pointer(base_type).then_some(ty)
        }
        false => m.pointee(base_type),
    };
    let Some(start) = start else {
        return Err(base_finding(at, kind));
    };
    let classes = expect(m.pointer_class(base_type) == Some(class), || {
        let message = format!(
            "the base is {}, but the result is {}: both must have the same storage class",
            m.show_value(base),
            m.show_type(result)
        );
        let finding = at.finding(&access_chain::STORAGE_CLASS, message);
        finding.about(m, base, "the base is defined here")
    });
    let first = usize::from(kind.untyped) + 1;
    let indexes = walk(at, first + usize::from(kind.pointer), start).and_then(|end| {
        expect(target.is_none_or(|target| target == end), || {
            let message = format!(
                "the indexes lead to {}, but the result points to {}",
                m.show_type(end),
                m.show_type(target.unwrap_or(Id(0)))
            );
            let finding = at.finding(&access_chain::TARGET, message);
            finding.about(m, result, "the result type is declared here")
        })
    });
    let element = match kind.pointer {
        true => element(at, first, class, base_type, start),
        false => Ok(()),
    };
    let arrays = match kind.untyped {
        true => block_arrays(at, base, start),
        false => Ok(()),
    };
    all([classes, indexes, element, arrays])
}

#[cold]
fn result_finding(at: &InstCtx<'_, '_>, kind: Kind) -> Finding {
    let wanted = match kind.untyped {
        true => UNTYPED_POINTER,
        false => TYPED_POINTER,
    };
    at.result_finding(&access_chain::RESULT_TYPE, &wanted.to_string())
}

#[cold]
fn base_finding(at: &InstCtx<'_, '_>, kind: Kind) -> Finding {
    let (index, wanted) = match kind.untyped {
        true => (1, POINTER),
        false => (0, TYPED_POINTER),
    };
    at.operand_finding(&access_chain::BASE, index, &wanted.to_string())
}

/// Follows the indexes, the first of which is this operand, from a type.
fn walk(at: &InstCtx<'_, '_>, first: usize, start: Id) -> Result<Id, Finding> {
    let m = at.m;
    let mut ty = start;
    for (number, &index) in at.inst.args().iter().enumerate().skip(first) {
        let index = Id(index);
        let index_type = m.type_of(index).unwrap_or(Id(0));
        if !m.is_int_scalar(index_type) {
            return Err(no_integers(at, first));
        }
        ty = match m.ty(ty) {
            Type::Vector { component, .. } | Type::LongVector { component, .. } => component,
            Type::Matrix { column, .. } => column,
            Type::Array { element, .. } | Type::RuntimeArray { element } => element,
            Type::CooperativeMatrix(matrix) | Type::CooperativeMatrixNv(matrix) => matrix.component,
            Type::Other(Op::TypeNodePayloadArrayAMDX) => m.def(ty).map_or(Id(0), |def| def.id(0)),
            Type::Struct { members } => {
                // No member has a negative number.
                ty = member(at, number - first + 1, index, ty, members)?;
                continue;
            }
            _ => return Err(too_far(at, number - first + 1, index, ty)),
        };
        if m.addressing == AddressingModel::Logical && is_negative(m, index, index_type) {
            return Err(negative(at, number - first + 1, index));
        }
    }
    Ok(ty)
}

/// What is wrong with indexes some of which are no integers.
#[cold]
fn no_integers(at: &InstCtx<'_, '_>, first: usize) -> Finding {
    let m = at.m;
    let indexes = at.inst.args().iter().map(|&index| Id(index));
    let indexes = indexes.enumerate().skip(first);
    let wrong = indexes.filter(|&(_, index)| !m.is_int_scalar(m.type_of(index).unwrap_or(Id(0))));
    let wrong = all(wrong.map(|(number, index)| {
        let message = format!(
            "index {} must be {INT}, but is {}",
            number - first + 1,
            m.show_value(index)
        );
        let finding = at.finding(&access_chain::INDEX, message);
        Err(finding.about(m, index, "the index is defined here"))
    }));
    wrong
        .err()
        .unwrap_or_else(|| at.finding(&access_chain::INDEX, "an index must be an integer"))
}

fn is_negative(m: &Module<'_>, index: Id, ty: Id) -> bool {
    !UNSIGNED.matches(m, ty) && m.constant_i64(index).is_some_and(|index| index < 0)
}

#[cold]
fn negative(at: &InstCtx<'_, '_>, number: usize, index: Id) -> Finding {
    let message = format!("index {number} must not be negative under logical addressing");
    at.finding(&access_chain::STRUCT_BOUNDS, message).about(
        at.m,
        index,
        "the index is defined here",
    )
}

#[cold]
fn too_far(at: &InstCtx<'_, '_>, number: usize, index: Id, ty: Id) -> Finding {
    let message = format!(
        "index {number} goes into {}, which has no parts",
        at.m.show_type(ty)
    );
    at.finding(&access_chain::TOO_FAR, message)
        .operand(at.m, index)
        .about(at.m, ty, "the type is declared here")
}

fn member(
    at: &InstCtx<'_, '_>,
    number: usize,
    index: Id,
    ty: Id,
    members: &[u32],
) -> Result<Id, Finding> {
    let m = at.m;
    let Some(value) = m.constant_u64(index) else {
        let message = format!(
            "index {number} goes into a structure, so it must be a constant, but is {}",
            m.show_value(index)
        );
        let finding = at.finding(&access_chain::STRUCT_INDEX, message);
        return Err(finding.about(m, index, "the index is defined here"));
    };
    let member = usize::try_from(value)
        .ok()
        .and_then(|value| members.get(value));
    match member {
        Some(&member) => Ok(Id(member)),
        None => {
            let message = format!(
                "index {number} has the value {}, but {} has {}",
                value as i64,
                m.show_type(ty),
                counted(members.len(), "member")
            );
            let finding = at
                .finding(&access_chain::STRUCT_BOUNDS, message)
                .operand(m, index);
            Err(finding.about(m, ty, "the structure is declared here"))
        }
    }
}

/// The element of a pointer access chain and what goes with it.
fn element(
    at: &InstCtx<'_, '_>,
    operand: usize,
    class: StorageClass,
    base_type: Id,
    start: Id,
) -> CheckResult {
    let m = at.m;
    let steps = matches!(
        at.inst.op(),
        Op::PtrAccessChain | Op::UntypedPtrAccessChainKHR
    );
    let capability = match steps && m.env.is_vulkan() {
        true => vulkan_capability(at, class),
        false => Ok(()),
    };
    all([capability, step(at, operand, class, base_type, start)])
}

/// Checks a step along from the base.
fn step(
    at: &InstCtx<'_, '_>,
    operand: usize,
    class: StorageClass,
    base_type: Id,
    start: Id,
) -> CheckResult {
    let m = at.m;
    at.expect_operand(&access_chain::ELEMENT, operand, INT)?;
    let element = at.id(operand);
    if !m.has(Capability::Shader) {
        return Ok(());
    }
    let value = m.constant_u64(element);
    if m.is_block(start) {
        if value == Some(0) {
            return Ok(());
        }
        let message = format!(
            "{} is a block, so the element must be 0, but is {}",
            m.show_type(start),
            m.name(element)
        );
        let finding = at.finding(&access_chain::BLOCK_ELEMENT, message);
        return Err(finding.about(m, element, "the element is defined here"));
    }
    let explicit = matches!(
        class,
        StorageClass::Uniform
            | StorageClass::StorageBuffer
            | StorageClass::PhysicalStorageBuffer
            | StorageClass::PushConstant
    ) || class == StorageClass::Workgroup
        && m.has(Capability::WorkgroupMemoryExplicitLayoutKHR);
    let untyped = matches!(m.ty(base_type), Type::UntypedPointer { .. });
    let has_stride = m.own_decorations(base_type).any(|decorated| {
        matches!(
            decorated.decoration,
            Decoration::ArrayStride | Decoration::ArrayStrideIdEXT
        )
    });
    if explicit && !untyped && !has_stride {
        let message = format!(
            "the base of {} must have a type with an `ArrayStride`",
            at.inst.op()
        );
        let finding = at.finding(&access_chain::STRIDE, message);
        return Err(finding.about(m, base_type, "the base's type is declared here"));
    }
    Ok(())
}

fn vulkan_capability(at: &InstCtx<'_, '_>, class: StorageClass) -> CheckResult {
    let m = at.m;
    let (vuid, needed) = match class {
        StorageClass::Workgroup if m.has(Capability::VariablePointers) => return Ok(()),
        StorageClass::Workgroup => (
            "VUID-StandaloneSpirv-Base-07651",
            "the capability `VariablePointers`",
        ),
        StorageClass::StorageBuffer if m.has(Capability::VariablePointersStorageBuffer) => {
            return Ok(());
        }
        StorageClass::StorageBuffer => (
            "VUID-StandaloneSpirv-Base-07652",
            "the capability `VariablePointers` or `VariablePointersStorageBuffer`",
        ),
        StorageClass::PhysicalStorageBuffer => return Ok(()),
        _ => (
            "VUID-StandaloneSpirv-Base-07650",
            "another storage class: `Workgroup`, `StorageBuffer` or `PhysicalStorageBuffer`",
        ),
    };
    let message = format!(
        "in Vulkan, {} of a `{class}` pointer needs {needed}",
        at.inst.op()
    );
    Err(at
        .finding(&access_chain::VULKAN_CAPABILITY, message)
        .vuid(vuid))
}

/// An array of blocks may not be made of something else, nor the reverse.
fn block_arrays(at: &InstCtx<'_, '_>, base: Id, start: Id) -> CheckResult {
    let m = at.m;
    let Some(def) = m.def(base) else {
        return Ok(());
    };
    let base_data = match def.op() {
        Op::Variable => def.result_type().and_then(|ty| m.pointee(ty)),
        Op::UntypedVariableKHR => def.optional(1).map(Id),
        _ => return Ok(()),
    };
    let Some(base_data) = base_data else {
        return Ok(());
    };
    let is_array = |ty: Id| match m.ty(ty) {
        Type::Array { element, .. } | Type::RuntimeArray { element } => m.is_block(element),
        _ => false,
    };
    let (through, of_base) = (is_array(start), is_array(base_data));
    if through == of_base && (!through || start == base_data) {
        return Ok(());
    }
    let message = format!(
        "the base type is {}, but the base holds {}",
        m.show_type(start),
        m.show_type(base_data)
    );
    let finding = at.finding(&access_chain::BLOCK_ARRAYS, message);
    Err(finding.about(m, base, "the base is declared here"))
}

fn raw(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    at.expect_result(&access_chain::RAW, TYPED_POINTER)?;
    let Type::Pointer { class, pointee } = m.ty(at.result_type()) else {
        return Ok(());
    };
    let stride = m.constant_u64(at.id(1));
    let robustness = RawAccessChainOperands(at.inst.optional(4).unwrap_or(0)).0;
    let per_component = robustness & RawAccessChainOperands::RobustnessPerComponentNV.0 != 0;
    let per_element = robustness & RawAccessChainOperands::RobustnessPerElementNV.0 != 0;
    let is_buffer = matches!(
        class,
        StorageClass::StorageBuffer | StorageClass::PhysicalStorageBuffer | StorageClass::Uniform
    );
    let is_part = !matches!(
        m.op_of(pointee),
        Op::TypeArray | Op::TypeRuntimeArray | Op::TypeMatrix | Op::TypeStruct
    );
    let is_constant = m.op_of(at.id(1)) == Op::Constant && m.is_int_scalar(at.type_of_arg(1));
    let finding = |message: String| at.finding(&access_chain::RAW, message);
    all([
        expect(is_buffer, || {
            finding(format!(
                "a raw access chain must point into a buffer, not into `{class}` memory"
            ))
        }),
        expect(is_part, || {
            finding(format!(
                "a raw access chain must point to a scalar or vector, not to {}",
                m.show_type(pointee)
            ))
        }),
        expect(is_constant, || {
            finding(format!(
                "the stride must be a constant integer, but is {}",
                m.show_value(at.id(1))
            ))
        }),
        at.expect_operand(&access_chain::RAW, 2, I32),
        at.expect_operand(&access_chain::RAW, 3, I32),
        expect(!per_component || !per_element, || {
            finding("robustness must be per component or per element, but not both".to_owned())
        }),
        expect(!per_element || stride != Some(0), || {
            finding("robustness per element needs a stride other than 0".to_owned())
        }),
    ])
}
