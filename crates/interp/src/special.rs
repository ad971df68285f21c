//! Instructions that few shaders have: what invocations do with cooperative matrices, and
//! whatever else is evaluated lane by lane and is neither a scalar operation nor an access.

use spirvkit_eval::ScalarType;

use crate::program::{Inst, Reg};

/// A cooperative matrix that lanes hold together: element `i`, counted row by row, is in slot
/// `i / n` of invocation `i % n` of all `n` in the scope.
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    pub(crate) ty: ScalarType,
    pub(crate) rows: u32,
    pub(crate) columns: u32,
    /// The columns of the slots.
    pub(crate) slots: Vec<Reg>,
}

/// What lanes do together with matrices.
#[derive(Clone, Debug)]
pub(crate) enum Collective {
    /// `a × b + c`.
    Multiply(Box<Multiply>),
    /// Each element of the second is one of the first, by its index.
    Gather {
        from: Matrix,
        to: Matrix,
        indexes: Vec<u32>,
    },
}

/// The product of two matrices, added to a third.
#[derive(Clone, Debug)]
pub(crate) struct Multiply {
    pub(crate) a: Matrix,
    pub(crate) b: Matrix,
    pub(crate) c: Matrix,
    pub(crate) to: Matrix,
    /// Whether the integers of each have signs: of `a`, `b`, `c` and the result.
    pub(crate) signed: [bool; 4],
    /// Whether what is too large becomes the largest there is.
    pub(crate) saturates: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Special {
    /// A load or store by the first invocations of a scope only.
    Part {
        inst: Inst,
        /// How many they are.
        count: u32,
        of_workgroup: bool,
    },
    /// What all `lanes` of a scope do together.
    Collective {
        of_workgroup: bool,
        lanes: u32,
        what: Collective,
    },
}

impl Special {
    /// Whether the workgroup waits until all do it.
    pub(crate) fn is_of_workgroup(&self) -> bool {
        matches!(
            self,
            Self::Collective {
                of_workgroup: true,
                ..
            }
        )
    }

    /// The columns that it reads and writes, but for those of [`Special::Part`].
    pub(crate) fn columns(&self) -> Vec<Reg> {
        let matrices = match self {
            Self::Part { .. } => vec![],
            Self::Collective { what, .. } => match what {
                Collective::Multiply(it) => vec![&it.a, &it.b, &it.c, &it.to],
                Collective::Gather { from, to, .. } => vec![from, to],
            },
        };
        let slots = matrices.into_iter().flat_map(|matrix| &matrix.slots);
        slots.copied().collect()
    }
}
