//! Memory semantics operands (specification, section 3.25): of barriers and
//! atomics.

use spirvkit_binary::Id;
use spirvkit_diagnostics::ErrorClass::InvalidData;
use spirvkit_grammar::{Capability, MemoryModel, MemorySemantics, Op, Scope};

use super::{Family, scopes};
use crate::finding::{CheckResult, Finding, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::Module;
use crate::rule::{Example, Frame, Rule};

pub(crate) const FAMILY: Family = Family {
    ops: &[],
    check: |_| Ok(()),
    check_module: None,
    rules: &[
        &TYPE,
        &CONSTANT,
        &ONE_ORDER,
        &SEQUENTIALLY_CONSISTENT,
        &VULKAN_BITS,
        &UNIFORM_MEMORY,
        &VOLATILE_BARRIER,
        &AVAILABILITY_STORAGE,
        &MAKE_AVAILABLE,
        &MAKE_VISIBLE,
        &ORDER_OF_OPCODE,
        &SPLIT_ARRIVE,
        &SPLIT_WAIT,
        &BARRIER_RELAXED,
        &STORAGE_MISSING,
        &ORDER_MISSING,
        &INVOCATION,
        &UNEQUAL_RELEASE,
        &UNEQUAL_STRONGER,
        &UNEQUAL_STORAGE,
        &UNEQUAL_VISIBLE,
        &UNEQUAL_VOLATILE,
    ],
};

const VULKAN: &str = "Vulkan, Standalone SPIR-V Validation";

static TYPE: Rule = Rule {
    id: "semantics.type",
    class: InvalidData,
    section: "3.25",
    vuids: &[],
    text: "Memory semantics are the id of a 32-bit integer scalar.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "OpMemoryBarrier %u32_1 %u64_0",
        keeps: "OpMemoryBarrier %u32_1 %u32_0",
    },
};

static CONSTANT: Rule = Rule {
    id: "semantics.constant",
    class: InvalidData,
    section: "2.16.2",
    vuids: &[],
    text: "In shaders, memory semantics are a constant, but not a specialization constant. With cooperative matrices \
           of SPV_NV_cooperative_matrix, they may be a specialization constant.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%semantics = OpSpecConstant %u32 0
OpMemoryBarrier %u32_2 %semantics",
        keeps: "OpMemoryBarrier %u32_2 %u32_0",
    },
};

static ONE_ORDER: Rule = Rule {
    id: "semantics.one-order",
    class: InvalidData,
    section: "3.25",
    vuids: &["VUID-StandaloneSpirv-MemorySemantics-10865"],
    text: "At most one of `Acquire`, `Release`, `AcquireRelease` and `SequentiallyConsistent` is set: \
           `AcquireRelease` stands for both of the first two.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "%both = OpConstant %u32 6
OpMemoryBarrier %u32_2 %both",
        keeps: "%both = OpConstant %u32 8
OpMemoryBarrier %u32_2 %both",
    },
};

static SEQUENTIALLY_CONSISTENT: Rule = Rule {
    id: "semantics.sequentially-consistent",
    class: InvalidData,
    section: "3.25",
    vuids: &["VUID-StandaloneSpirv-MemorySemantics-10866"],
    text: "Neither the Vulkan memory model nor Vulkan has `SequentiallyConsistent`.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability VulkanMemoryModel
OpMemoryModel Logical Vulkan
OpMemoryBarrier %u32_2 %u32_16",
        keeps: "OpMemoryBarrier %u32_2 %u32_16",
    },
};

static VULKAN_BITS: Rule = Rule {
    id: "semantics.vulkan-bits",
    class: InvalidData,
    section: "3.25",
    vuids: &[],
    text: "`OutputMemory`, `MakeAvailable`, `MakeVisible` and `Volatile` need the capability `VulkanMemoryModel`.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%output = OpConstant %u32 0x1008
OpMemoryBarrier %u32_2 %output",
        keeps: "OpCapability VulkanMemoryModel
OpMemoryModel Logical Vulkan
%output = OpConstant %u32 0x1008
OpMemoryBarrier %u32_2 %output",
    },
};

static UNIFORM_MEMORY: Rule = Rule {
    id: "semantics.uniform-memory",
    class: InvalidData,
    section: "3.25",
    vuids: &[],
    text: "`UniformMemory` needs the capability `Shader`.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "%uniform = OpConstant %u32 0x48
OpMemoryBarrier %u32_2 %uniform",
        keeps: "%workgroup = OpConstant %u32 0x108
OpMemoryBarrier %u32_2 %workgroup",
    },
};

static VOLATILE_BARRIER: Rule = Rule {
    id: "semantics.volatile-barrier",
    class: InvalidData,
    section: "3.25",
    vuids: &["VUID-StandaloneSpirv-MemorySemantics-13551"],
    text: "A barrier accesses no memory itself, so it can't be `Volatile`: only atomic instructions can.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability VulkanMemoryModel
OpMemoryModel Logical Vulkan
%volatile = OpConstant %u32 0x8108
OpMemoryBarrier %u32_2 %volatile",
        keeps: "OpCapability VulkanMemoryModel
OpMemoryModel Logical Vulkan
%volatile = OpConstant %u32 0x108
OpMemoryBarrier %u32_2 %volatile",
    },
};

static AVAILABILITY_STORAGE: Rule = Rule {
    id: "semantics.availability-storage",
    class: InvalidData,
    section: "3.25",
    vuids: &[],
    text: "With `MakeAvailable` or `MakeVisible`, at least one bit names the affected storage classes.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability VulkanMemoryModel
OpMemoryModel Logical Vulkan
%available = OpConstant %u32 0x2008
OpMemoryBarrier %u32_2 %available",
        keeps: "OpCapability VulkanMemoryModel
OpMemoryModel Logical Vulkan
%available = OpConstant %u32 0x2108
OpMemoryBarrier %u32_2 %available",
    },
};

static MAKE_AVAILABLE: Rule = Rule {
    id: "semantics.make-available",
    class: InvalidData,
    section: "3.25",
    vuids: &["VUID-StandaloneSpirv-MemorySemantics-10872"],
    text: "`MakeAvailable` needs `Release` or `AcquireRelease`: only then are there writes to make available.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability VulkanMemoryModel
OpMemoryModel Logical Vulkan
%available = OpConstant %u32 0x2102
OpMemoryBarrier %u32_2 %available",
        keeps: "OpCapability VulkanMemoryModel
OpMemoryModel Logical Vulkan
%available = OpConstant %u32 0x2104
OpMemoryBarrier %u32_2 %available",
    },
};

static MAKE_VISIBLE: Rule = Rule {
    id: "semantics.make-visible",
    class: InvalidData,
    section: "3.25",
    vuids: &["VUID-StandaloneSpirv-MemorySemantics-10873"],
    text: "`MakeVisible` needs `Acquire` or `AcquireRelease`: only then are there reads to which writes become \
           visible.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability VulkanMemoryModel
OpMemoryModel Logical Vulkan
%visible = OpConstant %u32 0x4104
OpMemoryBarrier %u32_2 %visible",
        keeps: "OpCapability VulkanMemoryModel
OpMemoryModel Logical Vulkan
%visible = OpConstant %u32 0x4102
OpMemoryBarrier %u32_2 %visible",
    },
};

static ORDER_OF_OPCODE: Rule = Rule {
    id: "semantics.order-of-opcode",
    class: InvalidData,
    section: "3.32.18",
    vuids: &[
        "VUID-StandaloneSpirv-MemorySemantics-10867",
        "VUID-StandaloneSpirv-MemorySemantics-10868",
    ],
    text: "An instruction that only writes doesn't acquire (`OpAtomicFlagClear`; in Vulkan `OpAtomicStore`), and one \
           that only reads doesn't release (in Vulkan `OpAtomicLoad`).",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.3"),
        breaks: "%release = OpConstant %u32 0x104
%value = OpAtomicLoad %u32 %workgroup_u32 %u32_2 %release",
        keeps: "%acquire = OpConstant %u32 0x102
%value = OpAtomicLoad %u32 %workgroup_u32 %u32_2 %acquire",
    },
};

static SPLIT_ARRIVE: Rule = Rule {
    id: "semantics.split-arrive",
    class: InvalidData,
    section: "SPV_EXT_split_barrier",
    vuids: &[],
    text: "In Vulkan, arriving at a split barrier can only release.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.3"),
        breaks: "OpCapability SplitBarrierEXT
OpExtension \"SPV_EXT_split_barrier\"
%acquire = OpConstant %u32 0x102
OpControlBarrierArriveEXT %u32_2 %u32_2 %acquire
OpControlBarrierWaitEXT %u32_2 %u32_2 %acquire",
        keeps: "OpCapability SplitBarrierEXT
OpExtension \"SPV_EXT_split_barrier\"
%release = OpConstant %u32 0x104
%acquire = OpConstant %u32 0x102
OpControlBarrierArriveEXT %u32_2 %u32_2 %release
OpControlBarrierWaitEXT %u32_2 %u32_2 %acquire",
    },
};

static SPLIT_WAIT: Rule = Rule {
    id: "semantics.split-wait",
    class: InvalidData,
    section: "SPV_EXT_split_barrier",
    vuids: &["VUID-StandaloneSpirv-MemorySemantics-13557"],
    text: "In Vulkan, waiting at a split barrier can only acquire.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.3"),
        breaks: "OpCapability SplitBarrierEXT
OpExtension \"SPV_EXT_split_barrier\"
%release = OpConstant %u32 0x104
OpControlBarrierArriveEXT %u32_2 %u32_2 %release
OpControlBarrierWaitEXT %u32_2 %u32_2 %release",
        keeps: "OpCapability SplitBarrierEXT
OpExtension \"SPV_EXT_split_barrier\"
%release = OpConstant %u32 0x104
%acquire = OpConstant %u32 0x102
OpControlBarrierArriveEXT %u32_2 %u32_2 %release
OpControlBarrierWaitEXT %u32_2 %u32_2 %acquire",
    },
};

static BARRIER_RELAXED: Rule = Rule {
    id: "semantics.barrier-relaxed",
    class: InvalidData,
    section: VULKAN,
    vuids: &["VUID-StandaloneSpirv-MemorySemantics-10869"],
    text: "In Vulkan, an `OpMemoryBarrier` has a memory order: without one, it would order nothing.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.3"),
        breaks: "OpMemoryBarrier %u32_2 %u32_0",
        keeps: "%order = OpConstant %u32 0x108
OpMemoryBarrier %u32_2 %order",
    },
};

static STORAGE_MISSING: Rule = Rule {
    id: "semantics.storage-missing",
    class: InvalidData,
    section: VULKAN,
    vuids: &["VUID-StandaloneSpirv-MemorySemantics-10870"],
    text: "In Vulkan, a memory order needs at least one of the storage classes that Vulkan has: `UniformMemory`, \
           `WorkgroupMemory`, `ImageMemory`, `OutputMemory`.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.3"),
        breaks: "%order = OpConstant %u32 8
OpMemoryBarrier %u32_2 %order",
        keeps: "%order = OpConstant %u32 0x108
OpMemoryBarrier %u32_2 %order",
    },
};

static ORDER_MISSING: Rule = Rule {
    id: "semantics.order-missing",
    class: InvalidData,
    section: VULKAN,
    vuids: &["VUID-StandaloneSpirv-MemorySemantics-10871"],
    text: "In Vulkan, a storage class needs a memory order: without one, there is nothing to order in it.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.3"),
        breaks: "%workgroup = OpConstant %u32 0x100
OpControlBarrier %u32_2 %u32_2 %workgroup",
        keeps: "OpControlBarrier %u32_2 %u32_2 %u32_0",
    },
};

static INVOCATION: Rule = Rule {
    id: "semantics.invocation",
    class: InvalidData,
    section: VULKAN,
    vuids: &["VUID-StandaloneSpirv-None-04641"],
    text: "In Vulkan, semantics are relaxed where the memory scope is `Invocation`: an invocation's own accesses are \
           in order anyway.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.3"),
        breaks: "%order = OpConstant %u32 0x108
OpMemoryBarrier %u32_4 %order",
        keeps: "%order = OpConstant %u32 0x108
OpMemoryBarrier %u32_2 %order",
    },
};

static UNEQUAL_RELEASE: Rule = Rule {
    id: "semantics.unequal-release",
    class: InvalidData,
    section: "3.32.18",
    vuids: &["VUID-StandaloneSpirv-UnequalMemorySemantics-10875"],
    text: "A comparison that fails writes nothing, so its semantics don't release.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%release = OpConstant %u32 0x104
%old = OpAtomicCompareExchange %u32 %workgroup_u32 %u32_2 %release %release %u32_0 %u32_1",
        keeps: "%release = OpConstant %u32 0x104
%old = OpAtomicCompareExchange %u32 %workgroup_u32 %u32_2 %release %u32_0 %u32_0 %u32_1",
    },
};

static UNEQUAL_STRONGER: Rule = Rule {
    id: "semantics.unequal-stronger",
    class: InvalidData,
    section: "3.32.18",
    vuids: &["VUID-StandaloneSpirv-UnequalMemorySemantics-10876"],
    text: "The memory order of a comparison that fails is not stronger than that of one that succeeds.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%acquire = OpConstant %u32 0x102
%old = OpAtomicCompareExchange %u32 %workgroup_u32 %u32_2 %u32_0 %acquire %u32_0 %u32_1",
        keeps: "%acquire = OpConstant %u32 0x102
%old = OpAtomicCompareExchange %u32 %workgroup_u32 %u32_2 %acquire %acquire %u32_0 %u32_1",
    },
};

static UNEQUAL_STORAGE: Rule = Rule {
    id: "semantics.unequal-storage",
    class: InvalidData,
    section: VULKAN,
    vuids: &["VUID-StandaloneSpirv-UnequalMemorySemantics-10877"],
    text: "In Vulkan, the storage classes of a comparison that fails are among those of one that succeeds.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.3"),
        breaks: "%workgroup = OpConstant %u32 0x102
%uniform = OpConstant %u32 0x42
%old = OpAtomicCompareExchange %u32 %workgroup_u32 %u32_2 %workgroup %uniform %u32_0 %u32_1",
        keeps: "%workgroup = OpConstant %u32 0x102
%old = OpAtomicCompareExchange %u32 %workgroup_u32 %u32_2 %workgroup %workgroup %u32_0 %u32_1",
    },
};

static UNEQUAL_VISIBLE: Rule = Rule {
    id: "semantics.unequal-visible",
    class: InvalidData,
    section: VULKAN,
    vuids: &["VUID-StandaloneSpirv-UnequalMemorySemantics-10878"],
    text: "In Vulkan, a comparison that fails has `MakeVisible` only if one that succeeds has it.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.3"),
        breaks: "OpCapability VulkanMemoryModel
OpMemoryModel Logical Vulkan
%acquire = OpConstant %u32 0x102
%visible = OpConstant %u32 0x4102
%old = OpAtomicCompareExchange %u32 %workgroup_u32 %u32_2 %acquire %visible %u32_0 %u32_1",
        keeps: "OpCapability VulkanMemoryModel
OpMemoryModel Logical Vulkan
%visible = OpConstant %u32 0x4102
%old = OpAtomicCompareExchange %u32 %workgroup_u32 %u32_2 %visible %visible %u32_0 %u32_1",
    },
};

static UNEQUAL_VOLATILE: Rule = Rule {
    id: "semantics.unequal-volatile",
    class: InvalidData,
    section: "3.32.18",
    vuids: &["VUID-StandaloneSpirv-UnequalMemorySemantics-10879"],
    text: "A comparison is `Volatile` both if it succeeds and if it fails, or in neither case.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability VulkanMemoryModel
OpMemoryModel Logical Vulkan
%volatile = OpConstant %u32 0x8000
%old = OpAtomicCompareExchange %u32 %workgroup_u32 %u32_2 %volatile %u32_0 %u32_0 %u32_1",
        keeps: "OpCapability VulkanMemoryModel
OpMemoryModel Logical Vulkan
%volatile = OpConstant %u32 0x8000
%old = OpAtomicCompareExchange %u32 %workgroup_u32 %u32_2 %volatile %volatile %u32_0 %u32_1",
    },
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
    if !m.is_int_scalar_of(m.type_of(semantics)?, 32) {
        return None;
    }
    Some(MemorySemantics(m.constant_u64(semantics)? as u32))
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
    if !m.is_int_scalar_of(ty, 32) {
        return broken(&TYPE, "must be a 32-bit integer");
    }
    let Some(MemorySemantics(bits)) = value(m, semantics) else {
        let is_allowed = !m.has(Capability::Shader)
            || m.has(Capability::CooperativeMatrixNV) && m.is_constant(semantics);
        return match is_allowed {
            true => Ok(()),
            false => broken(&CONSTANT, "must be an `OpConstant`"),
        };
    };
    let is = |bit: MemorySemantics| bits & bit.0 != 0;
    let is_for_vulkan = m.memory_model == MemoryModel::Vulkan || m.env.is_vulkan();
    let is_sequential = is(MemorySemantics::SequentiallyConsistent);
    let order = if (bits & ORDERS).count_ones() > 1 {
        // Which of them is meant, nobody knows.
        broken(&ONE_ORDER, "can have at most one memory order")
    } else {
        let sequential = expect(!is_sequential || !is_for_vulkan, || {
            let what = "can't have `SequentiallyConsistent` in Vulkan or its memory model";
            finding(at, &SEQUENTIALLY_CONSISTENT, semantics, what)
        });
        let acquires = at.inst.op() == Op::AtomicFlagClear && bits & ACQUIRING != 0;
        let clear = expect(sequential.is_err() || !acquires, || {
            let what = "can't acquire, because the instruction only writes";
            finding(at, &ORDER_OF_OPCODE, semantics, what)
        });
        let vulkan = match m.env.is_vulkan() {
            true => check_vulkan(at, semantics, bits, scope),
            false => Ok(()),
        };
        all([sequential, clear, vulkan])
    };
    let model = match bits & VULKAN_MODEL_BITS {
        0 => Ok(()),
        _ => check_vulkan_model_bits(at, semantics, bits),
    };
    let lacks_shader = is(MemorySemantics::UniformMemory) && !m.has(Capability::Shader);
    let uniform = expect(!lacks_shader, || {
        let what = "can have `UniformMemory` only with the capability `Shader`";
        finding(at, &UNIFORM_MEMORY, semantics, what)
    });
    all([order, model, uniform])
}

fn check_vulkan_model_bits(at: &InstCtx<'_, '_>, semantics: Id, bits: u32) -> CheckResult {
    let finding = |rule: &'static Rule, what: &str| finding(at, rule, semantics, what);
    if !at.m.has(Capability::VulkanMemoryModel) {
        let found = MemorySemantics(bits & VULKAN_MODEL_BITS);
        let what = format!("can have `{found}` only with the capability `VulkanMemoryModel`");
        return Err(finding(&VULKAN_BITS, &what));
    }
    let is = |bit: MemorySemantics| bits & bit.0 != 0;
    let is_volatile = is(MemorySemantics::Volatile) && is_barrier(at.inst.op());
    let lacks_storage = bits & AVAILABILITY != 0 && bits & STORAGE == 0;
    let lacks_release = is(MemorySemantics::MakeAvailable) && bits & RELEASING == 0;
    let lacks_acquire = is(MemorySemantics::MakeVisible) && bits & ACQUIRING == 0;
    all([
        expect(!is_volatile, || {
            finding(
                &VOLATILE_BARRIER,
                "can't have `Volatile`, because the instruction is a barrier",
            )
        }),
        expect(!lacks_storage, || {
            let what = "need a storage class with `MakeAvailable` or `MakeVisible`";
            finding(&AVAILABILITY_STORAGE, what)
        }),
        expect(!lacks_release, || {
            let what = "need `Release` or `AcquireRelease` with `MakeAvailable`";
            finding(&MAKE_AVAILABLE, what)
        }),
        expect(!lacks_acquire, || {
            let what = "need `Acquire` or `AcquireRelease` with `MakeVisible`";
            finding(&MAKE_VISIBLE, what)
        }),
    ])
}

fn check_vulkan(at: &InstCtx<'_, '_>, semantics: Id, bits: u32, scope: Id) -> CheckResult {
    let broken = |rule: &'static Rule, what: &str| Err(finding(at, rule, semantics, what));
    let is_relaxed = bits & ORDERS == 0;
    let has_storage = bits & VULKAN_STORAGE != 0;
    let by_opcode = match at.inst.op() {
        // Another order will be chosen in any case.
        _ if bits & MemorySemantics::SequentiallyConsistent.0 != 0 => Ok(()),
        Op::AtomicLoad if bits & RELEASING != 0 => {
            let what = "can't release, because the instruction only reads";
            let finding = finding(at, &ORDER_OF_OPCODE, semantics, what);
            Err(finding.vuid("VUID-StandaloneSpirv-MemorySemantics-10868"))
        }
        Op::AtomicStore if bits & ACQUIRING != 0 => {
            let what = "can't acquire, because the instruction only writes";
            let finding = finding(at, &ORDER_OF_OPCODE, semantics, what);
            Err(finding.vuid("VUID-StandaloneSpirv-MemorySemantics-10867"))
        }
        Op::ControlBarrierArriveEXT if !is_relaxed && bits & MemorySemantics::Release.0 == 0 => {
            broken(&SPLIT_ARRIVE, "can only release")
        }
        Op::ControlBarrierWaitEXT if !is_relaxed && bits & MemorySemantics::Acquire.0 == 0 => {
            broken(&SPLIT_WAIT, "can only acquire")
        }
        Op::MemoryBarrier if is_relaxed => broken(&BARRIER_RELAXED, "need a memory order"),
        _ => Ok(()),
    };
    if is_relaxed {
        // Whatever lacks an order lacks it once.
        by_opcode?;
        return match has_storage {
            true => broken(
                &ORDER_MISSING,
                "need a memory order for their storage classes",
            ),
            false => Ok(()),
        };
    }
    let storage = match has_storage {
        true => Ok(()),
        false => {
            let what = "need a storage class that Vulkan has for their memory order";
            broken(&STORAGE_MISSING, what)
        }
    };
    let invocation = match scopes::value(at.m, scope) {
        Some(Scope::Invocation) => {
            let what = "must be relaxed with the scope `Invocation`";
            broken(&INVOCATION, what)
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
        finding(&UNEQUAL_RELEASE, what)
    });
    let Some(MemorySemantics(equal_bits)) = value(at.m, equal) else {
        return releases;
    };
    let order = releases.and_then(|()| {
        expect(strength(bits) <= strength(equal_bits), || {
            let what = "can't have a stronger memory order if the comparison fails";
            finding(&UNEQUAL_STRONGER, what)
        })
    });
    let volatile = expect(
        (bits ^ equal_bits) & MemorySemantics::Volatile.0 == 0,
        || {
            let what = "must have `Volatile` for both outcomes of the comparison or for neither";
            finding(&UNEQUAL_VOLATILE, what)
        },
    );
    let added = match at.m.env.is_vulkan() {
        true => bits & !equal_bits,
        false => 0,
    };
    let storage = expect(added & VULKAN_STORAGE == 0, || {
        let what = "can't have additional storage classes if the comparison fails";
        finding(&UNEQUAL_STORAGE, what)
    });
    let visible = expect(added & MemorySemantics::MakeVisible.0 == 0, || {
        let what = "can't have `MakeVisible` only if the comparison fails";
        finding(&UNEQUAL_VISIBLE, what)
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
