//! Instructions, and the ways between their blocks.

use super::{Address, Cell, Pair, Pc, Reg};

/// Operations on one word that need no look at their surroundings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    FNegate,
    FAbs,
    Not,
    SNegate,
    LogicalNot,
    ConvertSToF,
    ConvertUToF,
    Sqrt,
    Floor,
    /// Some value, always the same, where there is none.
    Freeze,
}

/// Operations on two words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    IAdd,
    ISub,
    IMul,
    UDiv,
    UMod,
    SDiv,
    SRem,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    ShiftRightArithmetic,
    FAdd,
    FSub,
    FMul,
    FDiv,
    IEqual,
    INotEqual,
    ULess,
    ULessEqual,
    SLess,
    SLessEqual,
    FOrdEqual,
    FOrdNotEqual,
    FOrdLess,
    FOrdLessEqual,
    FUnordEqual,
    FUnordNotEqual,
    FUnordLess,
    FUnordLessEqual,
}

impl Binary {
    /// Whether there are operands for which the result is undefined, which is reported.
    pub(crate) fn may_be_undefined(self) -> bool {
        matches!(
            self,
            Self::UDiv
                | Self::UMod
                | Self::SDiv
                | Self::SRem
                | Self::ShiftLeft
                | Self::ShiftRight
                | Self::ShiftRightArithmetic
        )
    }
}

/// An instruction. Those with an index have their operands in a table of the
/// [`Program`].
#[derive(Clone, Copy, Debug)]
pub(crate) enum Inst {
    Copy {
        to: Reg,
        from: Reg,
    },
    Unary {
        op: Unary,
        to: Reg,
        a: Reg,
    },
    Binary {
        op: Binary,
        to: Reg,
        a: Reg,
        b: Reg,
    },
    /// A shift by so many bits for all lanes, fewer than 32, which a column has, too.
    Shift {
        op: Binary,
        to: Reg,
        a: Reg,
        by: Reg,
        bits: u32,
    },
    Select {
        to: Reg,
        condition: Reg,
        a: Reg,
        b: Reg,
    },
    /// `base + index * stride`, with a signed index; [`BEYOND`] where that is no offset.
    Offset {
        to: Reg,
        base: Reg,
        index: Pair,
        stride: u32,
    },
    /// Reports an index that is not below the limit.
    CheckIndex {
        index: Reg,
        /// The column of the high word, if there is one.
        high: Reg,
        limit: u32,
    },
    Load {
        to: Reg,
        cell: Cell,
    },
    Store {
        from: Pair,
        cell: Cell,
    },
    /// Reports an address that is not a multiple of a power of two.
    CheckAlignment {
        address: Address,
        alignment: u32,
    },
    /// The storage class that an object belongs to, as its number in the specification.
    ClassOf {
        to: Reg,
        object: Reg,
    },
    /// The number of elements behind an offset in an object.
    ArrayLength {
        to: Reg,
        address: Address,
        stride: u32,
    },
    General(u32),
    Vector(u32),
    Atomic(u32),
    Group(u32),
    Image(u32),
    Special(u32),
    Print(u32),
    Barrier {
        /// Whether it waits for the workgroup, and not just for the tangle.
        workgroup: bool,
        /// How it orders memory: one of [`Program::fences`].
        fence: u32,
    },
    /// A memory barrier: one of [`Program::fences`].
    Fence(u32),
    Call {
        function: u32,
    },
    Jump(Edge),
    Branch {
        condition: Reg,
        then: Edge,
        otherwise: Edge,
    },
    Switch(u32),
    Return,
    /// The lane ends.
    Terminate,
    /// What can't be reached was.
    Unreachable,
    /// Tells an observer; in programs that are observed.
    Watch(u32),
    /// Follows undefined values: steps of [`Program::undefined`].
    Undefined {
        start: u32,
        end: u32,
        /// Whether it does nothing before a gang has met one.
        is_lazy: bool,
    },
    /// Does what so many instructions did, as steps of [`Program::steps`].
    Steps {
        start: u32,
        end: u32,
        count: u32,
    },
    /// Opens a construct.
    Enter {
        frame: FrameKind,
    },
}

/// What lanes have to do with each other at an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Company {
    /// Each does it for itself, and goes straight on.
    Alone,
    /// They do it together, and go straight on.
    Together,
    /// Each for itself may go elsewhere, wait for others or end.
    Parting,
    /// They do it together, and others may run before it is done.
    Meeting,
}

impl Inst {
    /// Whether no lane parts from others or waits at it, and none of the gang runs before it is
    /// done.
    pub(crate) fn is_straight(&self) -> bool {
        matches!(self.company(), Company::Alone | Company::Together)
    }

    /// Whether each lane does it for itself, so that it makes no difference which do it with it.
    pub(crate) fn is_of_each_lane(&self) -> bool {
        matches!(self.company(), Company::Alone | Company::Parting)
    }

    /// All are named here, so that whatever is new has to be thought of.
    fn company(&self) -> Company {
        match self {
            Self::Copy { .. }
            | Self::Unary { .. }
            | Self::Binary { .. }
            | Self::Shift { .. }
            | Self::Select { .. }
            | Self::Offset { .. }
            | Self::CheckIndex { .. }
            | Self::CheckAlignment { .. }
            | Self::ClassOf { .. }
            | Self::Load { .. }
            | Self::Store { .. }
            | Self::ArrayLength { .. }
            | Self::General(_)
            | Self::Vector(_)
            | Self::Atomic(_)
            | Self::Undefined { .. }
            | Self::Steps { .. }
            | Self::Enter { .. } => Company::Alone,
            Self::Group(_) | Self::Image(_) | Self::Print(_) => Company::Together,
            Self::Barrier {
                workgroup: true, ..
            }
            | Self::Fence(_)
            | Self::Call { .. }
            | Self::Jump(_)
            | Self::Branch { .. }
            | Self::Switch(_)
            | Self::Return
            | Self::Terminate
            | Self::Unreachable => Company::Parting,
            Self::Barrier {
                workgroup: false, ..
            }
            | Self::Special(_)
            | Self::Watch(_) => Company::Meeting,
        }
    }
}

/// A way from a block to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    /// The first instruction of the block it leads to, once all is lowered; the index of
    /// the block before.
    pub(crate) target: Pc,
    /// What phis get, as a range of [`Program::moves`].
    pub(crate) moves: (u32, u32),
    /// Whether lanes may have to wait for others there.
    pub(crate) joins: bool,
}

/// Where the lanes of a construct come together again. All are indexes of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameKind {
    Selection {
        merge: Pc,
    },
    Loop {
        header: Pc,
        merge: Pc,
        continue_target: Pc,
    },
    /// A function, which is left for the instruction behind the call.
    Call {
        back: Pc,
    },
}
