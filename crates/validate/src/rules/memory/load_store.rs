//! Loads and stores.

use spirvkit_binary::Id;
use spirvkit_grammar::{
    AddressingModel, BuiltIn, Capability, Decoration, ExecutionModel, MemoryAccess, Op,
    StorageClass,
};

use super::operands::{self, Access};
use crate::finding::{CheckResult, Finding, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Contents, Likeness, Lookup, Module, Type};
use crate::pattern::{BOOL, NON_VOID, NUMBER, POINTER, Pattern, UNTYPED_POINTER};
use crate::rule::Rule;
use crate::rules::generated::memory;
use crate::rules::types::is_ray_object;
use crate::rules::{logical_pointers, small_types};

/// Checks that an operand is a pointer that memory can be accessed through, and
/// gives its type.
fn pointer(at: &InstCtx<'_, '_>, index: usize) -> Result<Id, Finding> {
    let m = at.m;
    let id = at.id(index);
    if m.addressing == AddressingModel::Logical {
        let op = m.op_of(id);
        let fine = match logical_pointers::allows_variable_pointers(m) {
            true => logical_pointers::makes_variable_pointer(op),
            false => logical_pointers::makes_logical_pointer(op),
        };
        if !fine {
            let message = format!(
                "{} accesses memory through {}, which can't make pointers under logical addressing",
                at.inst.op(),
                m.show_value(id)
            );
            let finding = at.finding(&memory::LOGICAL_POINTER, message);
            return Err(finding.about(m, id, "it is defined here"));
        }
    }
    let ty = m.type_of(id).unwrap_or(Id(0));
    if !m.is_pointer(ty) {
        return Err(at.operand_finding(&memory::POINTER, index, "a pointer"));
    }
    Ok(ty)
}

/// Checks that what a pointer operand of this type points to can be read and written as a
/// whole.
pub(super) fn accessible(at: &InstCtx<'_, '_>, index: usize, ty: Id) -> CheckResult {
    let m = at.m;
    let (rule, what) = match m.pointee(ty) {
        Some(pointee) if is_ray_object(m.op_of(pointee)) => {
            (&memory::RAY_OBJECT, m.show_type(pointee))
        }
        _ if is_texel_pointer(m.op_of(at.id(index))) => (&memory::TEXEL, "a texel".to_owned()),
        _ => return Ok(()),
    };
    let message = format!(
        "{} accesses memory through {}, which points to {what}",
        at.inst.op(),
        m.show_value(at.id(index))
    );
    let finding = at.finding(rule, message).arg(at, index);
    Err(finding.about(m, at.id(index), "the pointer is defined here"))
}

/// Whether the opcode makes a pointer to a texel.
fn is_texel_pointer(op: Op) -> bool {
    matches!(op, Op::ImageTexelPointer | Op::UntypedImageTexelPointerEXT)
}

/// What values can be moved through.
pub(super) const ACCESSIBLE: Pattern =
    Pattern::either(&[Pattern::pointer_to(&NON_VOID), UNTYPED_POINTER]);

/// Checks an access without memory operands, unless one of the same opcode, by the same
/// types, and through a pointer that is made in the same way, was right before.
fn check_once(
    at: &InstCtx<'_, '_>,
    pointer: u32,
    value: Id,
    check: impl FnOnce() -> CheckResult,
) -> CheckResult {
    let m = at.m;
    let pointer = m.def(Id(pointer));
    let (op, ty) = pointer.map_or((0, 0), |def| (def.op().0, def.word(1)));
    let signature = [at.inst.word(0), ty, value.0, op.into(), 0];
    if m.sound.has(&signature) {
        return Ok(());
    }
    check()?;
    // Which variable it is matters behind untyped pointers and when uniform blocks are
    // stored to, and who calls the function when hit attributes are.
    let is_all = match m.ty(Id(ty)) {
        Type::Pointer { class, .. } => {
            let is_checked_by_more =
                matches!(class, StorageClass::Uniform | StorageClass::HitAttributeKHR);
            at.inst.op() == Op::Load || !is_checked_by_more
        }
        _ => false,
    };
    if is_all {
        m.sound.add(signature);
    }
    Ok(())
}

pub(super) fn load(at: &InstCtx<'_, '_>) -> CheckResult {
    match *at.inst.words() {
        [_, result, _, pointer] => check_once(at, pointer, Id(result), || any_load(at)),
        _ => any_load(at),
    }
}

fn any_load(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let result = at.result_type();
    let ty = pointer(at, 0)?;
    let is_void = m.is_void(result) && m.pointee(ty).is_none();
    let void = expect(!is_void, || {
        at.result_finding(&memory::LOAD_VOID, "a type other than void")
    });
    let fits = m.pointee(ty).is_none_or(|pointee| pointee == result);
    let fits = expect(fits, || {
        let message = format!(
            "a load through {} can't have the result type {}",
            m.show_value(at.id(0)),
            m.show_type(result)
        );
        let finding = at.finding(&memory::LOAD_TYPE, message);
        finding.about(m, at.id(0), "the pointer is defined here")
    });
    let origin = match m.env.is_vulkan() && m.op_of(ty) == Op::TypeUntypedPointerKHR {
        true => descriptor_origin(at),
        false => Ok(()),
    };
    all([
        void,
        fits,
        accessible(at, 0, ty),
        loadable(at, result),
        operands::check(at, 1, Access::Read, &[ty], result),
        origin,
    ])
}

/// Checks that values of a type can be loaded at all.
fn loadable(at: &InstCtx<'_, '_>, result: Id) -> CheckResult {
    let m = at.m;
    let is_compound = matches!(
        m.op_of(result),
        Op::TypeArray | Op::TypeRuntimeArray | Op::TypeStruct
    );
    if !is_compound {
        return Ok(());
    }
    let is_sized = expect(!has_runtime_array(m, result), || {
        let message = format!(
            "{} holds a run-time array and can't be loaded",
            m.show_type(result)
        );
        let finding = at.finding(&memory::LOAD_RUNTIME_ARRAY, message);
        finding.about(m, result, "the type is declared here")
    });
    let is_small = m.has(Capability::Shader) && small_types::is_limited(m, result);
    let is_wide = expect(!is_small, || {
        let message = format!(
            "{} holds values of 8 or 16 bits, which this module may only load as scalars, vectors and matrices",
            m.show_type(result)
        );
        let finding = at.finding(&memory::SMALL_LOAD, message);
        let finding = finding.needs(small_types::CALCULATION);
        finding.about(m, result, "the type is declared here")
    });
    all([is_sized, is_wide])
}

fn has_runtime_array(m: &Module<'_>, ty: Id) -> bool {
    m.contents(ty).has(Contents::RUNTIME_ARRAY)
}

fn descriptor_origin(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let (heap, vuid) = match m.ty(at.result_type()) {
        Type::Sampler => (BuiltIn::SamplerHeapEXT, "VUID-StandaloneSpirv-Result-11336"),
        Type::Image(_) => (
            BuiltIn::ResourceHeapEXT,
            "VUID-StandaloneSpirv-Result-11337",
        ),
        Type::Other(Op::TypeAccelerationStructureKHR) => (
            BuiltIn::ResourceHeapEXT,
            "VUID-StandaloneSpirv-Result-11339",
        ),
        _ => return Ok(()),
    };
    let variable = m.pointer_origin(at.id(0));
    // What a parameter points to is known where the function is called.
    if !m.op_of(variable).is_variable() {
        return Ok(());
    }
    let fine = m
        .own_decorations(variable)
        .any(|decorated| match decorated.decoration {
            Decoration::DescriptorSet | Decoration::Binding => true,
            Decoration::BuiltIn => BuiltIn(decorated.param(0)) == heap,
            _ => false,
        });
    if fine {
        return Ok(());
    }
    let message = format!(
        "a value of type {} is loaded from {}, which must have a binding or be the built-in `{heap}`",
        m.show_type(at.result_type()),
        m.name(variable)
    );
    let finding = at.finding(&memory::DESCRIPTOR_ORIGIN, message).arg(at, 0);
    Err(finding
        .vuid(vuid)
        .about(m, variable, "the variable is declared here"))
}

pub(super) fn store(at: &InstCtx<'_, '_>) -> CheckResult {
    match *at.inst.words() {
        [_, pointer, object] => {
            let value = at.m.type_of(Id(object)).unwrap_or(Id(0));
            check_once(at, pointer, value, || any_store(at))
        }
        _ => any_store(at),
    }
}

fn any_store(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let ty = pointer(at, 0)?;
    at.expect_operand(&memory::POINTER, 0, ACCESSIBLE)?;
    let target = m.pointee(ty);
    let value = at.type_of_arg(1);
    all([
        accessible(at, 0, ty),
        writable(at, ty),
        storable(at, target, value),
        operands::check(at, 2, Access::Write, &[ty], value),
    ])
}

/// Checks that what is stored can be, to where it is stored.
fn storable(at: &InstCtx<'_, '_>, target: Option<Id>, value: Id) -> CheckResult {
    let m = at.m;
    let object = at.id(1);
    if m.is_void(value) || value == Id(0) {
        let message = format!(
            "the object of a store must have a type other than void, but is {}",
            m.show_value(object)
        );
        let finding = at.finding(&memory::STORE_OBJECT, message);
        return Err(finding.about(m, object, "it is defined here"));
    }
    if let Some(target) = target
        && target != value
        && !(m.options.relax_struct_store && layouts_match(m, target, value))
    {
        return Err(type_finding(at, &memory::STORE_TYPE, object));
    }
    transparent(at, value)
}

#[cold]
fn type_finding(at: &InstCtx<'_, '_>, rule: &'static Rule, object: Id) -> Finding {
    let m = at.m;
    let message = format!(
        "{} can't be stored through {}, which needs {}",
        m.show_value(object),
        m.show_value(at.id(0)),
        m.type_of(at.id(0))
            .and_then(|ty| m.pointee(ty))
            .map_or_else(|| "another type".to_owned(), |ty| m.show_type(ty))
    );
    at.finding(rule, message)
        .about(m, at.id(0), "the pointer is defined here")
        .about(m, object, "the value is defined here")
}

/// Checks that a value of this type may be written to memory.
pub(super) fn transparent(at: &InstCtx<'_, '_>, value: Id) -> CheckResult {
    let m = at.m;
    if !m.env.is_vulkan() || !m.contents(value).has(Contents::OPAQUE) {
        return Ok(());
    }
    let message = format!(
        "in Vulkan, a value of type {} can't be written to memory",
        m.show_type(value)
    );
    let finding = at.finding(&memory::STORE_OPAQUE, message);
    Err(finding.about(m, value, "the type is declared here"))
}

/// Checks that memory may be written through the first operand, which is a
/// pointer of this type.
pub(in crate::rules) fn writable(at: &InstCtx<'_, '_>, ty: Id) -> CheckResult {
    let m = at.m;
    let class = m.pointer_class(ty).unwrap_or(StorageClass::Function);
    let read_only = match class {
        StorageClass::UniformConstant | StorageClass::Input | StorageClass::PushConstant => true,
        StorageClass::ShaderRecordBufferKHR => !m.has(Capability::RayTracingNV),
        StorageClass::HitAttributeKHR => {
            let models = at.models();
            models.contains(ExecutionModel::AnyHitKHR)
                || models.contains(ExecutionModel::ClosestHitKHR)
        }
        StorageClass::TaskPayloadWorkgroupEXT => at.models().contains(ExecutionModel::MeshEXT),
        StorageClass::Uniform if m.env.is_vulkan() => return not_a_uniform_block(at),
        _ => false,
    };
    if !read_only {
        return Ok(());
    }
    let message = format!("memory in the storage class `{class}` can't be written here");
    let finding = at.finding(&memory::READ_ONLY, message);
    let finding = finding.vuid_if(class == StorageClass::HitAttributeKHR);
    Err(finding.about(m, at.id(0), "the pointer is defined here"))
}

fn not_a_uniform_block(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let variable = m.pointer_origin(at.id(0));
    let Some(def) = m.def(variable) else {
        return Ok(());
    };
    let block = match def.op() {
        Op::UntypedVariableKHR => def.id(1),
        _ => def
            .result_type()
            .and_then(|ty| m.pointee(ty))
            .unwrap_or(Id(0)),
    };
    let block = m.without_arrays(block);
    if !m.is_struct(block) || !m.is_decorated(block, Decoration::Block) {
        return Ok(());
    }
    let message = format!(
        "in Vulkan, the uniform block {} can't be written to",
        m.name(variable)
    );
    let finding = at.finding(&memory::STORE_UNIFORM_BLOCK, message).arg(at, 0);
    Err(finding.about(m, variable, "it is declared here"))
}

/// Whether two structures differ only in their ids.
fn layouts_match(m: &Module<'_>, a: Id, b: Id) -> bool {
    if !m.is_struct(a) || !m.is_struct(b) {
        return false;
    }
    m.are_alike(Likeness::Layout, (a, b), |a, b, todo| {
        let (Type::Struct { members: from }, Type::Struct { members: to }) = (m.ty(a), m.ty(b))
        else {
            return None;
        };
        if from.len() != to.len() || !same_layout_decorations(m, a, b) {
            return None;
        }
        todo.extend(from.iter().zip(to).map(|(&a, &b)| (Id(a), Id(b))));
        Some(())
    })
}

fn same_layout_decorations(m: &Module<'_>, a: Id, b: Id) -> bool {
    let layout = |ty: Id| {
        let layout = m.decorations(ty).filter(|decorated| {
            matches!(
                decorated.decoration,
                Decoration::Offset
                    | Decoration::RowMajor
                    | Decoration::ColMajor
                    | Decoration::MatrixStride
            )
        });
        let mut all: Vec<_> = layout
            .map(|decorated| (decorated.member, decorated.decoration.0, decorated.params))
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    layout(a) == layout(b)
}

const NUMBERS: Pattern = NUMBER.scalar_or_vector();

/// `OpPredicatedLoadINTEL` and `OpPredicatedStoreINTEL`.
pub(super) fn predicated(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let is_load = at.inst.op() == Op::PredicatedLoadINTEL;
    // Pointer, predicate, default; or pointer, object, predicate.
    let (predicate, object) = match is_load {
        true => (1, 2),
        false => (2, 1),
    };
    at.expect_operand(&memory::POINTER, 0, POINTER)?;
    let pointer_type = at.type_of_arg(0);
    let value = at.type_of_arg(object);
    let (moved, access) = match is_load {
        true => (at.result_type(), Access::Read),
        false => (value, Access::Write),
    };
    let finding = |message: String| Err(at.finding(&memory::PREDICATED, message));
    let writable = match is_load {
        true => Ok(()),
        false => writable(at, pointer_type),
    };
    let other = m.pointee(pointer_type).filter(|&pointee| pointee != moved);
    let number = match is_load {
        true => at.expect_result(&memory::PREDICATED, NUMBERS),
        false => at.expect_operand(&memory::PREDICATED, object, NUMBERS),
    };
    let fits = number.and_then(|()| match other {
        Some(_) => finding(format!(
            "{} can't be loaded or stored through {}",
            m.show_type(moved),
            m.show_value(at.id(0))
        )),
        None => Ok(()),
    });
    let decides = at.expect_operand(&memory::PREDICATED, predicate, BOOL);
    let default = match is_load {
        true => at.expect_result_type(&memory::PREDICATED, object),
        false => Ok(()),
    };
    let is_volatile = operands::mask(at, 3).0 & MemoryAccess::Volatile.0 != 0;
    let lasting = match is_volatile {
        true => finding(format!("{} can't be volatile", at.inst.op())),
        false => Ok(()),
    };
    let operands = operands::check(at, 3, access, &[pointer_type], moved);
    all([writable, fits, decides, default, lasting, operands])
}
