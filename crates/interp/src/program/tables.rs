//! What instructions with an index stand for.

use spirvkit_eval::{Environment, ScalarType};
use spirvkit_grammar::{GlslStd450, MemorySemantics, Op, OpenClStd};

use super::{Address, Edge, Operand, Pair, Reg};
use crate::fast::Fast;
use crate::printing::Spec;

/// An operation that is evaluated lane by lane.
#[derive(Clone, Debug)]
pub(crate) struct General {
    pub(crate) op: GeneralOp,
    pub(crate) to: Reg,
    pub(crate) result: ScalarType,
    pub(crate) operands: Vec<Operand>,
    pub(crate) environment: Environment,
    /// How it is done for all lanes at once.
    pub(crate) fast: Option<Fast>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GeneralOp {
    Core(Op),
    Glsl(GlslStd450),
    /// One of the two results of `Modf` or `Frexp`.
    GlslPair(GlslStd450, usize),
    OpenCl(OpenClStd),
    /// One of the two results of `fract` and its like.
    OpenClPair(OpenClStd, usize),
    /// One half of the result of `OpIAddCarry` and its like.
    Half(Op, usize),
}

/// What `printf` prints.
#[derive(Clone, Debug)]
pub(crate) struct Print {
    pub(crate) parts: Vec<Printed>,
}

#[derive(Clone, Debug)]
pub(crate) enum Printed {
    Text(String),
    Value(Spec, Vec<Operand>),
}

/// An extended instruction on whole vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VectorOp {
    Glsl(GlslStd450),
    OpenCl(OpenClStd),
}

/// An extended instruction on whole vectors.
#[derive(Clone, Debug)]
pub(crate) struct Vector {
    pub(crate) op: VectorOp,
    pub(crate) to: Vec<Reg>,
    /// The type of the result's components.
    pub(crate) result: ScalarType,
    pub(crate) operands: Vec<Vec<Operand>>,
    pub(crate) environment: Environment,
}

/// An atomic access.
#[derive(Clone, Debug)]
pub(crate) struct Atomic {
    pub(crate) op: Op,
    /// The result, or [`NO_REG`].
    pub(crate) to: Reg,
    pub(crate) ty: ScalarType,
    pub(crate) address: Address,
    pub(crate) value: Pair,
    pub(crate) comparator: Pair,
    /// How it orders memory.
    pub(crate) fence: Fence,
    /// The semantics if a comparison fails.
    pub(crate) unequal: MemorySemantics,
    pub(crate) environment: Environment,
}

/// Those among whom a scope orders memory. There is one queue family and one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Invocation,
    Subgroup,
    Workgroup,
    Device,
}

/// How a barrier or an atomic orders memory (section 3.25).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fence {
    pub(crate) level: Level,
    pub(crate) semantics: MemorySemantics,
    /// Which half of a control barrier it is, if it is one.
    pub(crate) half: Option<Half>,
}

/// A half of a control barrier (`SPV_EXT_split_barrier`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    /// Which releases what is before it, and at which nobody waits.
    Arrive,
    /// Which waits until all have arrived, and acquires what they have released then.
    Wait,
}

/// How others see what a load or store accesses (section 3.26).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sharing {
    /// Whether it takes part in nothing that orders invocations.
    pub(crate) is_private: bool,
    /// Among whom it makes what it writes available.
    pub(crate) available: Option<Level>,
    /// Among whom what it reads is made visible.
    pub(crate) visible: Option<Level>,
}

/// What the lanes of a tangle do together.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) op: GroupOp,
    /// The columns of the result.
    pub(crate) to: Vec<Reg>,
    /// The columns of the value.
    pub(crate) value: Vec<Reg>,
    /// A second operand: an id, an index, a mask.
    pub(crate) second: Reg,
    /// How many lanes a cluster has; 0 for all.
    pub(crate) cluster: u32,
    /// The columns of the ballots that say which lanes belong together; none if all do.
    pub(crate) partition: Vec<Reg>,
    pub(crate) environment: Environment,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroupOp {
    Elect,
    All,
    Any,
    AllEqual(ScalarType),
    Broadcast,
    BroadcastFirst,
    Ballot,
    InverseBallot,
    BallotBitExtract,
    /// `Reduce`, `InclusiveScan` or `ExclusiveScan`.
    BallotBitCount(Scan),
    BallotFindLsb,
    BallotFindMsb,
    Shuffle,
    ShuffleXor,
    ShuffleUp,
    ShuffleDown,
    Rotate,
    /// What the lane has that is so many before or behind, in the second half of the value
    /// where that is beyond the first.
    Window {
        up: bool,
    },
    /// The lanes with the same value, of components of a type.
    Partition(ScalarType),
    QuadAll,
    QuadAny,
    QuadSwap,
    QuadBroadcast,
    /// What the lane of the quad has whose number is that of each with only some bits kept,
    /// and others set.
    QuadLane {
        keep: u32,
        set: u32,
    },
    /// An operation on scalars of a type, with its identity.
    Arithmetic {
        op: GeneralOp,
        ty: ScalarType,
        identity: u64,
        scan: Scan,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scan {
    Reduce,
    Inclusive,
    Exclusive,
}

/// A switch.
#[derive(Clone, Debug)]
pub(crate) struct Switch {
    pub(crate) low: Reg,
    /// The column of the high word, or [`NO_REG`].
    pub(crate) high: Reg,
    /// Literals and where they lead, sorted.
    pub(crate) cases: Vec<(u64, Edge)>,
    pub(crate) default: Edge,
}
