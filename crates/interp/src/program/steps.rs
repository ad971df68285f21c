//! Operations that follow each other, as small as they can be.

use super::{Binary, Unary};

/// An operation of [`Inst::Steps`](super::Inst::Steps), which reports nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) op: StepOp,
    /// The column that is written.
    pub(crate) to: u16,
    /// Those that are read, as many as the operation takes; `b` of a shift by as many bits for
    /// all lanes is their number.
    pub(crate) a: u16,
    pub(crate) b: u16,
    pub(crate) c: u16,
}

macro_rules! steps {
    ($($one:ident)*; $($first:ident $second:ident $is_left:pat => $both:ident,)*) => {
        /// What a step does. Names of two operations stand for the second of the result of the
        /// first and `c`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum StepOp {
            $($one,)*
            $($both,)*
        }

        impl StepOp {
            /// What does both an operation and the next, which takes its result on the left or
            /// else on the right.
            pub(crate) fn with(self, next: Self, is_left: bool) -> Option<Self> {
                match (self, next, is_left) {
                    $((Self::$first, Self::$second, $is_left) => Some(Self::$both),)*
                    _ => None,
                }
            }
        }
    };
}

steps! {
    Copy Select
    FNegate FAbs Not SNegate LogicalNot ConvertSToF ConvertUToF Sqrt Floor
    IAdd ISub IMul And Or Xor
    Left Right RightArithmetic
    LeftBy RightBy RightArithmeticBy
    FAdd FSub FMul FDiv
    IEqual INotEqual ULess ULessEqual SLess SLessEqual
    FOrdEqual FOrdNotEqual FOrdLess FOrdLessEqual
    FUnordEqual FUnordNotEqual FUnordLess FUnordLessEqual;
    IAdd IAdd _ => IAddIAdd,
    IAdd IMul _ => IAddIMul,
    IAdd And _ => IAddAnd,
    IAdd Xor _ => IAddXor,
    IMul IAdd _ => IMulIAdd,
    IMul Xor _ => IMulXor,
    Xor IAdd _ => XorIAdd,
    Xor IMul _ => XorIMul,
    Xor Xor _ => XorXor,
    And IAdd _ => AndIAdd,
    And Or _ => AndOr,
    And Xor _ => AndXor,
    Left Xor _ => LeftXor,
    Right And _ => RightAnd,
    Right Xor _ => RightXor,
    LeftBy IAdd _ => LeftByIAdd,
    LeftBy Or _ => LeftByOr,
    LeftBy Xor _ => LeftByXor,
    RightBy IAdd _ => RightByIAdd,
    RightBy And _ => RightByAnd,
    RightBy Or _ => RightByOr,
    RightBy Xor _ => RightByXor,
    FMul FAdd _ => FMulFAdd,
    FMul FMul _ => FMulFMul,
    FMul FSub true => FMulFSub,
    FMul FSub false => FSubFMul,
    FAdd FAdd _ => FAddFAdd,
    FAdd FMul _ => FAddFMul,
    FSub FAdd _ => FSubFAdd,
    FSub FMul _ => FSubThenFMul,
}

impl From<Unary> for StepOp {
    fn from(op: Unary) -> Self {
        match op {
            Unary::FNegate => Self::FNegate,
            Unary::FAbs => Self::FAbs,
            Unary::Not => Self::Not,
            Unary::SNegate => Self::SNegate,
            Unary::LogicalNot => Self::LogicalNot,
            Unary::ConvertSToF => Self::ConvertSToF,
            Unary::ConvertUToF => Self::ConvertUToF,
            Unary::Sqrt => Self::Sqrt,
            Unary::Floor => Self::Floor,
            Unary::Freeze => Self::Copy,
        }
    }
}

impl StepOp {
    /// An operation on two columns; none if it may have to be reported. Shifts are by fewer
    /// than 32 bits.
    pub(crate) fn binary(op: Binary) -> Option<Self> {
        Some(match op {
            Binary::UDiv | Binary::UMod | Binary::SDiv | Binary::SRem => return None,
            Binary::IAdd => Self::IAdd,
            Binary::ISub => Self::ISub,
            Binary::IMul => Self::IMul,
            Binary::And => Self::And,
            Binary::Or => Self::Or,
            Binary::Xor => Self::Xor,
            Binary::ShiftLeft => Self::Left,
            Binary::ShiftRight => Self::Right,
            Binary::ShiftRightArithmetic => Self::RightArithmetic,
            Binary::FAdd => Self::FAdd,
            Binary::FSub => Self::FSub,
            Binary::FMul => Self::FMul,
            Binary::FDiv => Self::FDiv,
            Binary::IEqual => Self::IEqual,
            Binary::INotEqual => Self::INotEqual,
            Binary::ULess => Self::ULess,
            Binary::ULessEqual => Self::ULessEqual,
            Binary::SLess => Self::SLess,
            Binary::SLessEqual => Self::SLessEqual,
            Binary::FOrdEqual => Self::FOrdEqual,
            Binary::FOrdNotEqual => Self::FOrdNotEqual,
            Binary::FOrdLess => Self::FOrdLess,
            Binary::FOrdLessEqual => Self::FOrdLessEqual,
            Binary::FUnordEqual => Self::FUnordEqual,
            Binary::FUnordNotEqual => Self::FUnordNotEqual,
            Binary::FUnordLess => Self::FUnordLess,
            Binary::FUnordLessEqual => Self::FUnordLessEqual,
        })
    }

    /// A shift by as many bits for all lanes.
    pub(crate) fn shift(op: Binary) -> Self {
        match op {
            Binary::ShiftLeft => Self::LeftBy,
            Binary::ShiftRight => Self::RightBy,
            _ => Self::RightArithmeticBy,
        }
    }
}
