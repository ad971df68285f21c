//! Atomic instructions (specification, section 3.32.18).

use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, Op, StorageClass};

use super::{Family, arithmetic, memory, scopes, semantics};
use crate::finding::{CheckResult, Finding, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Module, Type, is_cross_workgroup};
use crate::options::Api;
use crate::pattern::{BOOL, FLOAT, I32, INT, NUMBER, Pattern};
use crate::rule::Rule;
use crate::rules::generated::atomic;

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::AtomicLoad,
        Op::AtomicStore,
        Op::AtomicExchange,
        Op::AtomicCompareExchange,
        Op::AtomicCompareExchangeWeak,
        Op::AtomicIIncrement,
        Op::AtomicIDecrement,
        Op::AtomicIAdd,
        Op::AtomicISub,
        Op::AtomicSMin,
        Op::AtomicUMin,
        Op::AtomicSMax,
        Op::AtomicUMax,
        Op::AtomicAnd,
        Op::AtomicOr,
        Op::AtomicXor,
        Op::AtomicFlagTestAndSet,
        Op::AtomicFlagClear,
        Op::AtomicFMinEXT,
        Op::AtomicFMaxEXT,
        Op::AtomicFAddEXT,
    ],
    check,
    check_module: None,
};

/// What an instruction gives, and the operand that is the value, if there is one.
fn signature(op: Op) -> (Pattern, Option<usize>) {
    match op {
        Op::AtomicLoad => (NUMBER, None),
        Op::AtomicStore | Op::AtomicExchange => (NUMBER, Some(3)),
        Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => (INT, Some(4)),
        Op::AtomicIIncrement | Op::AtomicIDecrement => (INT, None),
        // They work on 32-bit integers, read as booleans.
        Op::AtomicFlagTestAndSet | Op::AtomicFlagClear => (BOOL, None),
        Op::AtomicFMinEXT | Op::AtomicFMaxEXT | Op::AtomicFAddEXT => (FLOAT, Some(3)),
        _ => (INT, Some(3)),
    }
}

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let op = at.inst.op();
    let (data, value) = signature(op);
    let result = match at.inst.result_type() {
        Some(result) => check_result(at, data, result),
        None => Ok(()),
    };
    let compares = matches!(
        op,
        Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak
    );
    let scope = at.id(1);
    let is_made = result.is_ok();
    let order = all([
        scopes::check_memory_value(at, scope),
        check_semantics(at, compares),
    ]);
    let stages = scopes::check_memory_stages(at, scope);
    // What a pointer is to point to, the result says.
    let pointer = match is_made {
        true => check_pointer(at, data, value),
        false => Ok(None),
    };
    let (class, accessed) = match pointer {
        Ok(Some(pointer)) => pointer,
        other => return all([result, other.map(drop), order, stages]),
    };
    let is_wide = INT.widths(&[64]).matches(m, accessed) && !m.has(Capability::Int64Atomics);
    let width = expect(!is_wide, || {
        let message = format!("{op} on a 64-bit integer needs the capability `Int64Atomics`");
        at.finding(&atomic::INT64, message)
            .needs(&[Capability::Int64Atomics])
    });
    let float = match data == FLOAT && m.has(Capability::Shader) {
        true => check_float_capability(at, accessed),
        false => Ok(()),
    };
    // Other memory that is only read isn't for atomic instructions at all.
    let written = match class {
        StorageClass::TaskPayloadWorkgroupEXT if op != Op::AtomicLoad => {
            memory::writable(at, at.type_of_arg(0))
        }
        _ => Ok(()),
    };
    let value = match value {
        Some(value) => check_operand(at, &atomic::VALUE, value, accessed),
        None => Ok(()),
    };
    let comparator = match compares {
        true => check_operand(at, &atomic::COMPARATOR, 5, accessed),
        false => Ok(()),
    };
    all([
        result,
        width,
        check_storage_class(at, class),
        written,
        float,
        order,
        value,
        comparator,
        stages,
    ])
}

/// Checks the semantics, and those if unequal of instructions that compare.
fn check_semantics(at: &InstCtx<'_, '_>, compares: bool) -> CheckResult {
    let scope = at.id(1);
    let equal = semantics::check(at, at.id(2), scope);
    if !compares {
        return equal;
    }
    all([equal, semantics::check(at, at.id(3), scope)])?;
    semantics::check_unequal(at, at.id(2), at.id(3))
}

/// Vectors on which `SPV_NV_shader_atomic_fp16_vector` lets some instructions
/// work.
pub(super) const FLOAT16_VECTOR: Pattern = FLOAT.widths(&[16]).vector_of(&[2, 4]);

fn check_result(at: &InstCtx<'_, '_>, data: Pattern, result: Id) -> CheckResult {
    let m = at.m;
    let takes_vectors = (data == FLOAT || at.inst.op() == Op::AtomicExchange)
        && m.has(Capability::AtomicFloat16VectorNV);
    if !takes_vectors || !FLOAT16_VECTOR.matches(m, result) {
        at.expect_result(&atomic::RESULT, data)?;
    }
    expect(arithmetic::encoding(m, result).is_none(), || {
        at.result_finding(&atomic::ENCODING, "a number in an IEEE 754 format")
    })
}

/// Checks the pointer operand, and gives its storage class and the type of what
/// is accessed.
fn check_pointer(
    at: &InstCtx<'_, '_>,
    data: Pattern,
    value: Option<usize>,
) -> Result<Option<(StorageClass, Id)>, Finding> {
    let m = at.m;
    let Some(ty) = m.type_of(at.id(0)) else {
        return Ok(None);
    };
    let wrong = |rule, expected: &str| Err(at.operand_finding(rule, 0, expected));
    let is_flag = data == BOOL;
    let (class, pointee) = match m.ty(ty) {
        Type::Pointer { class, pointee } => (class, pointee),
        Type::UntypedPointer { .. } if is_flag => {
            return wrong(&atomic::FLAG_UNTYPED, "a typed pointer");
        }
        Type::UntypedPointer { class } => match (at.inst.result_type(), value) {
            (Some(result), _) => (class, result),
            (None, Some(value)) => (class, at.type_of_arg(value)),
            (None, None) => return Ok(None),
        },
        _ => return wrong(&atomic::POINTER, "a pointer"),
    };
    let accessed = match at.inst.result_type() {
        _ if is_flag => I32,
        None => NUMBER,
        Some(result) if result == pointee => return Ok(Some((class, pointee))),
        Some(result) => {
            let expected = format!("a pointer to the result type, {}", m.show_type(result));
            return wrong(&atomic::POINTEE, &expected);
        }
    };
    match accessed.matches(m, pointee) {
        true => Ok(Some((class, pointee))),
        false => wrong(&atomic::POINTEE, &format!("a pointer to {accessed}")),
    }
}

fn check_storage_class(at: &InstCtx<'_, '_>, class: StorageClass) -> CheckResult {
    use StorageClass as S;
    let is_shared = matches!(
        class,
        S::Uniform
            | S::StorageBuffer
            | S::PhysicalStorageBuffer
            | S::Workgroup
            | S::Image
            | S::TaskPayloadWorkgroupEXT
    );
    let is_shader = at.m.has(Capability::Shader);
    let is_other =
        is_cross_workgroup(class) || matches!(class, S::Generic | S::AtomicCounter | S::Function);
    let rule = match at.m.env.api {
        _ if !is_shared && !is_other => &atomic::STORAGE_CLASS,
        Api::Vulkan if is_shader && !is_shared => &atomic::VULKAN_CLASS,
        Api::OpenCl if !is_opencl_class(at.m, class) => &atomic::OPENCL_CLASS,
        _ if is_shader && class == S::Function => &atomic::FUNCTION_CLASS,
        _ => return Ok(()),
    };
    let message = format!(
        "{} doesn't work on the storage class `{class}`",
        at.inst.op()
    );
    Err(at
        .finding(rule, message)
        .about(at.m, at.id(0), "the pointer is defined here"))
}

fn is_opencl_class(m: &Module<'_>, class: StorageClass) -> bool {
    match class {
        StorageClass::Function | StorageClass::Workgroup => true,
        StorageClass::Generic => m.env.api_version != spirvkit_grammar::Version::new(1, 2),
        class => is_cross_workgroup(class),
    }
}

/// Floating-point operations need a capability for their width.
fn check_float_capability(at: &InstCtx<'_, '_>, accessed: Id) -> CheckResult {
    let m = at.m;
    let adds = at.inst.op() == Op::AtomicFAddEXT;
    let needed = match (m.is_vector(accessed), m.bit_width(accessed), adds) {
        (true, ..) => Capability::AtomicFloat16VectorNV,
        (_, 16, true) => Capability::AtomicFloat16AddEXT,
        (_, 32, true) => Capability::AtomicFloat32AddEXT,
        (_, 64, true) => Capability::AtomicFloat64AddEXT,
        (_, 16, false) => Capability::AtomicFloat16MinMaxEXT,
        (_, 32, false) => Capability::AtomicFloat32MinMaxEXT,
        (_, 64, false) => Capability::AtomicFloat64MinMaxEXT,
        _ => return Ok(()),
    };
    if m.has(needed) {
        return Ok(());
    }
    let message = format!(
        "{} on {} needs the capability `{needed}`",
        at.inst.op(),
        m.show_type(accessed)
    );
    Err(at
        .finding(&atomic::FLOAT_CAPABILITY, message)
        .needs(&[needed]))
}

fn check_operand(
    at: &InstCtx<'_, '_>,
    rule: &'static Rule,
    index: usize,
    wanted: Id,
) -> CheckResult {
    expect(
        at.m.type_of(at.id(index)).is_none_or(|ty| ty == wanted),
        || {
            let wanted = format!("of the type {}", at.m.show_type(wanted));
            at.operand_finding(rule, index, &wanted)
        },
    )
}
