//! Memory semantics operands (specification, section 3.25): of barriers and
//! atomics.

use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, MemoryModel, MemorySemantics, Op, Scope};

use super::{Family, scopes};
use crate::finding::{CheckResult, Finding, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Module};
use crate::pattern::I32;
use crate::rule::Rule;
use crate::rules::generated::semantics;

pub(crate) const FAMILY: Family = Family {
    ops: &[],
    check: |_| Ok(()),
    check_module: None,
};

/// The bits of which at most one may be set.
const ORDERS: u32 = MemorySemantics::Acquire.0
    | MemorySemantics::Release.0
    | MemorySemantics::AcquireRelease.0
    | MemorySemantics::SequentiallyConsistent.0;

/// The orders by which later accesses see what happened before.
const ACQUIRING: u32 = MemorySemantics::Acquire.0 | MemorySemantics::AcquireRelease.0;

/// The orders that let others see what happened before.
const RELEASING: u32 = MemorySemantics::Release.0 | MemorySemantics::AcquireRelease.0;

/// The storage classes that Vulkan has.
const VULKAN_STORAGE: u32 = MemorySemantics::UniformMemory.0
    | MemorySemantics::WorkgroupMemory.0
    | MemorySemantics::ImageMemory.0
    | MemorySemantics::OutputMemory.0;

const STORAGE: u32 = VULKAN_STORAGE
    | MemorySemantics::SubgroupMemory.0
    | MemorySemantics::CrossWorkgroupMemory.0
    | MemorySemantics::AtomicCounterMemory.0;

const AVAILABILITY: u32 = MemorySemantics::MakeAvailable.0 | MemorySemantics::MakeVisible.0;

/// What the Vulkan memory model adds.
const VULKAN_MODEL_BITS: u32 =
    MemorySemantics::OutputMemory.0 | AVAILABILITY | MemorySemantics::Volatile.0;

/// Memory semantics that no specialization changes.
pub(super) fn value(m: &Module<'_>, semantics: Id) -> Option<MemorySemantics> {
    m.constant_u32(semantics).map(MemorySemantics)
}

/// Makes a finding: what is wrong, and what was found.
#[cold]
fn finding(at: &InstCtx<'_, '_>, rule: &'static Rule, id: Id, what: &str) -> Finding {
    let m = at.m;
    let found = match value(m, id) {
        Some(bits) => format!("{} is `{bits}`", m.name(id)),
        None => format!("the operand is {}", m.show_value(id)),
    };
    let message = format!(
        "the memory semantics of {} {what}, but {found}",
        at.inst.op()
    );
    at.finding(rule, message)
        .about(m, id, "the semantics are defined here")
}

fn is_barrier(op: Op) -> bool {
    matches!(
        op,
        Op::ControlBarrier
            | Op::ControlBarrierArriveEXT
            | Op::ControlBarrierWaitEXT
            | Op::MemoryBarrier
            | Op::MemoryNamedBarrier
    )
}

/// Checks a memory semantics operand; `scope` is the memory scope that it goes
/// with.
pub(super) fn check(at: &InstCtx<'_, '_>, semantics: Id, scope: Id) -> CheckResult {
    let m = at.m;
    let Some(ty) = m.type_of(semantics) else {
        return Ok(());
    };
    let broken = |rule: &'static Rule, what: &str| Err(finding(at, rule, semantics, what));
    if !I32.matches(m, ty) {
        return broken(&semantics::TYPE, "must be a 32-bit integer");
    }
    let Some(MemorySemantics(bits)) = value(m, semantics) else {
        let is_allowed = !m.has(Capability::Shader)
            || m.has(Capability::CooperativeMatrixNV) && m.is_constant(semantics);
        return match is_allowed {
            true => Ok(()),
            false => broken(&semantics::CONSTANT, "must be an OpConstant"),
        };
    };
    let is = |bit: MemorySemantics| bits & bit.0 != 0;
    let is_for_vulkan = m.memory_model == MemoryModel::Vulkan || m.env.is_vulkan();
    let is_sequential = is(MemorySemantics::SequentiallyConsistent);
    let order = if (bits & ORDERS).count_ones() > 1 {
        // Which of them is meant, nobody knows.
        broken(&semantics::ONE_ORDER, "can have at most one memory order")
    } else {
        let sequential = expect(!is_sequential || !is_for_vulkan, || {
            let what = "can't have `SequentiallyConsistent` in Vulkan or its memory model";
            finding(at, &semantics::SEQUENTIALLY_CONSISTENT, semantics, what)
        });
        let of_opcode = match sequential.is_err() {
            // Another order will be chosen in any case.
            true => Ok(()),
            false => check_order_of_opcode(at, semantics, bits),
        };
        let vulkan = match is_for_vulkan {
            true => check_vulkan(at, semantics, bits, scope),
            false => Ok(()),
        };
        all([sequential, of_opcode, vulkan])
    };
    let model = match bits & VULKAN_MODEL_BITS {
        0 => Ok(()),
        _ => check_vulkan_model_bits(at, semantics, bits),
    };
    let lacks_shader = is(MemorySemantics::UniformMemory) && !m.has(Capability::Shader);
    let uniform = expect(!lacks_shader, || {
        let what = "can have `UniformMemory` only with the capability `Shader`";
        finding(at, &semantics::UNIFORM_MEMORY, semantics, what)
    });
    all([order, model, uniform])
}

fn check_vulkan_model_bits(at: &InstCtx<'_, '_>, semantics: Id, bits: u32) -> CheckResult {
    let finding = |rule: &'static Rule, what: &str| finding(at, rule, semantics, what);
    if !at.m.has(Capability::VulkanMemoryModel) {
        let found = MemorySemantics(bits & VULKAN_MODEL_BITS);
        let what = format!("can have `{found}` only with the capability `VulkanMemoryModel`");
        return Err(finding(&semantics::VULKAN_BITS, &what));
    }
    let is = |bit: MemorySemantics| bits & bit.0 != 0;
    let is_volatile = is(MemorySemantics::Volatile) && is_barrier(at.inst.op());
    let lacks_storage = bits & AVAILABILITY != 0 && bits & STORAGE == 0;
    let lacks_release = is(MemorySemantics::MakeAvailable) && bits & RELEASING == 0;
    let lacks_acquire = is(MemorySemantics::MakeVisible) && bits & ACQUIRING == 0;
    all([
        expect(!is_volatile, || {
            finding(
                &semantics::VOLATILE_BARRIER,
                "can't have `Volatile`, because the instruction is a barrier",
            )
        }),
        expect(!lacks_storage, || {
            let what = "need a storage class with `MakeAvailable` or `MakeVisible`";
            finding(&semantics::AVAILABILITY_STORAGE, what)
        }),
        expect(!lacks_release, || {
            let what = "need `Release` or `AcquireRelease` with `MakeAvailable`";
            finding(&semantics::MAKE_AVAILABLE, what)
        }),
        expect(!lacks_acquire, || {
            let what = "need `Acquire` or `AcquireRelease` with `MakeVisible`";
            finding(&semantics::MAKE_VISIBLE, what)
        }),
    ])
}

/// What only reads doesn't release, and what only writes doesn't acquire.
fn check_order_of_opcode(at: &InstCtx<'_, '_>, semantics: Id, bits: u32) -> CheckResult {
    let rule = &semantics::ORDER_OF_OPCODE;
    let (what, vuid) = match at.inst.op() {
        Op::AtomicLoad if bits & RELEASING != 0 => {
            let what = "can't release, because the instruction only reads";
            (what, "VUID-StandaloneSpirv-MemorySemantics-10868")
        }
        Op::AtomicStore if bits & ACQUIRING != 0 => {
            let what = "can't acquire, because the instruction only writes";
            (what, "VUID-StandaloneSpirv-MemorySemantics-10867")
        }
        Op::AtomicFlagClear if bits & ACQUIRING != 0 => {
            let what = "can't acquire, because the instruction only writes";
            return Err(finding(at, rule, semantics, what));
        }
        _ => return Ok(()),
    };
    Err(finding(at, rule, semantics, what).vuid(vuid))
}

fn check_vulkan(at: &InstCtx<'_, '_>, semantics: Id, bits: u32, scope: Id) -> CheckResult {
    let broken = |rule: &'static Rule, what: &str| Err(finding(at, rule, semantics, what));
    let is_relaxed = bits & ORDERS == 0;
    let has_storage = bits & VULKAN_STORAGE != 0;
    let by_opcode = match at.inst.op() {
        // Another order will be chosen in any case.
        _ if bits & MemorySemantics::SequentiallyConsistent.0 != 0 => Ok(()),
        Op::ControlBarrierArriveEXT if !is_relaxed && bits & MemorySemantics::Release.0 == 0 => {
            broken(&semantics::SPLIT_ARRIVE, "can only release")
        }
        Op::ControlBarrierWaitEXT if !is_relaxed && bits & MemorySemantics::Acquire.0 == 0 => {
            broken(&semantics::SPLIT_WAIT, "can only acquire")
        }
        Op::MemoryBarrier if is_relaxed => {
            broken(&semantics::BARRIER_RELAXED, "need a memory order")
        }
        _ => Ok(()),
    };
    if is_relaxed {
        // Whatever lacks an order lacks it once.
        by_opcode?;
        return match has_storage {
            true => broken(
                &semantics::ORDER_MISSING,
                "need a memory order for their storage classes",
            ),
            false => Ok(()),
        };
    }
    // The language's own rule says the same of what is made available.
    let is_said = bits & AVAILABILITY != 0 && bits & STORAGE == 0 && !at.m.env.is_vulkan();
    let storage = match has_storage || is_said {
        true => Ok(()),
        false => {
            let what = "need a storage class that Vulkan has for their memory order";
            broken(&semantics::STORAGE_MISSING, what)
        }
    };
    let invocation = match scopes::value(at.m, scope) {
        Some(Scope::Invocation) => {
            let what = "must be relaxed with the scope `Invocation`";
            broken(&semantics::INVOCATION, what)
        }
        _ => Ok(()),
    };
    all([by_opcode, storage, invocation])
}

/// Checks that the semantics of a comparison that fails fit those of one that
/// succeeds. Both must have passed [`check`].
pub(super) fn check_unequal(at: &InstCtx<'_, '_>, equal: Id, unequal: Id) -> CheckResult {
    let finding = |rule: &'static Rule, what: &str| {
        let finding = finding(at, rule, unequal, what);
        finding.about(at.m, equal, "the semantics if equal are defined here")
    };
    let Some(MemorySemantics(bits)) = value(at.m, unequal) else {
        return Ok(());
    };
    let releases = expect(bits & RELEASING == 0, || {
        let what = "can't release if the comparison fails";
        finding(&semantics::UNEQUAL_RELEASE, what)
    });
    let Some(MemorySemantics(equal_bits)) = value(at.m, equal) else {
        return releases;
    };
    let order = releases.and_then(|()| {
        expect(strength(bits) <= strength(equal_bits), || {
            let what = "can't have a stronger memory order if the comparison fails";
            finding(&semantics::UNEQUAL_STRONGER, what)
        })
    });
    let volatile = expect(
        (bits ^ equal_bits) & MemorySemantics::Volatile.0 == 0,
        || {
            let what = "must have `Volatile` for both outcomes of the comparison or for neither";
            finding(&semantics::UNEQUAL_VOLATILE, what)
        },
    );
    let added = match at.m.env.is_vulkan() {
        true => bits & !equal_bits,
        false => 0,
    };
    let storage = expect(added & VULKAN_STORAGE == 0, || {
        let what = "can't have additional storage classes if the comparison fails";
        finding(&semantics::UNEQUAL_STORAGE, what)
    });
    let visible = expect(added & MemorySemantics::MakeVisible.0 == 0, || {
        let what = "can't have `MakeVisible` only if the comparison fails";
        finding(&semantics::UNEQUAL_VISIBLE, what)
    });
    all([order, volatile, storage, visible])
}

/// How strong a memory order is; `Acquire` and `Release` are equally so.
fn strength(bits: u32) -> u32 {
    let has = |order: MemorySemantics| bits & order.0 != 0;
    match () {
        () if has(MemorySemantics::SequentiallyConsistent) => 3,
        () if has(MemorySemantics::AcquireRelease) => 2,
        () if bits & ORDERS != 0 => 1,
        () => 0,
    }
}
