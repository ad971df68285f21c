//! Instructions that few shaders have: what invocations do with cooperative matrices, and
//! whatever else is evaluated lane by lane and is neither a scalar operation nor an access.

use spirvkit_eval::{Environment, ScalarType};
use spirvkit_grammar::{Op, TensorClampMode};

use crate::program::{
    Address, GeneralOp, Inst, Leaf, Level, NO_REG, Object, Operand, Pair, Reg, Scan,
};
use crate::tensor::{Permuted, Tiled};

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
    /// A reduction or scan over the invocations of a workgroup, in their order.
    Scan {
        op: GeneralOp,
        ty: ScalarType,
        identity: u64,
        scan: Scan,
        to: Pair,
        value: Pair,
        environment: Environment,
    },
    /// Whether a Boolean is true for all invocations, or for any.
    Vote { all: bool, to: Reg, value: Reg },
    /// What the invocation has whose position is given in up to three dimensions.
    Broadcast {
        to: Vec<Reg>,
        value: Vec<Reg>,
        position: Vec<Reg>,
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

/// Elements that are copied from one place to another.
#[derive(Clone, Debug)]
pub(crate) struct Copies {
    pub(crate) to: Address,
    pub(crate) from: Address,
    /// What an element is made of, and how many bytes elements lie apart.
    pub(crate) leaves: Vec<(Leaf, u32)>,
    pub(crate) size: u32,
    /// The columns of how many there are.
    pub(crate) count: Pair,
    /// How many elements lie from one to the next, where they go and where they come from.
    pub(crate) strides: [Pair; 2],
    /// Whether each invocation of a workgroup copies some of them.
    pub(crate) is_shared: bool,
}

/// The columns of a named barrier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NamedBarrier {
    /// How many subgroups it waits for.
    pub(crate) count: Reg,
    /// The number of the instruction that has made it, from 1 on.
    pub(crate) maker: Reg,
}

/// What is done with a pipe, but for the bytes of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PipeOp {
    Read,
    Write,
    /// With a reservation.
    ReservedRead,
    ReservedWrite,
    ReserveRead,
    ReserveWrite,
    CommitRead,
    CommitWrite,
    /// How many packets can be read.
    Count,
    /// How many the pipe can hold.
    Capacity,
}

impl PipeOp {
    /// Whether packets go into the pipe; `None` if they go neither in nor out.
    pub(crate) fn is_write(self) -> Option<bool> {
        match self {
            Self::Read | Self::ReservedRead | Self::ReserveRead | Self::CommitRead => Some(false),
            Self::Write | Self::ReservedWrite | Self::ReserveWrite | Self::CommitWrite => {
                Some(true)
            }
            Self::Count | Self::Capacity => None,
        }
    }
}

/// An instruction on a pipe.
#[derive(Clone, Debug)]
pub(crate) struct PipeUse {
    pub(crate) op: PipeOp,
    /// Who does it together.
    pub(crate) level: Level,
    /// The column of the pipe's object.
    pub(crate) pipe: Reg,
    /// The column of the size of a packet.
    pub(crate) size: Reg,
    /// The column of the reservation, or of how many packets are to be reserved.
    pub(crate) second: Reg,
    /// The column of the index in the reservation.
    pub(crate) index: Reg,
    /// The column of the result.
    pub(crate) to: Reg,
    /// The columns that say what of the pipe is then read or written: which object, from which
    /// byte on, and how many units.
    pub(crate) at: [Reg; 3],
    /// How many bytes such a unit has.
    pub(crate) unit: u32,
    /// Whether the pipe's type has the access qualifier that it takes.
    pub(crate) is_allowed: bool,
}

/// What is done with queues and events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EnqueueOp {
    /// One of [`crate::program::Program::roots`].
    Kernel(u32),
    Marker,
    UserEvent,
    Retain,
    Release,
    IsValid,
    SetStatus,
    Capture,
    /// How many subgroups a workgroup of a range has.
    Subgroups,
}

/// An instruction on a queue or an event.
#[derive(Clone, Debug)]
pub(crate) struct EnqueueUse {
    pub(crate) op: EnqueueOp,
    /// The columns of the queue, of the flags, of how many events to wait for, of how many bytes
    /// the parameters have, of the event that something is done with, and of its status.
    pub(crate) queue: Reg,
    pub(crate) flags: Reg,
    pub(crate) waits: Reg,
    pub(crate) size: Reg,
    pub(crate) event: Reg,
    pub(crate) status: Reg,
    /// The columns of a range: the number of dimensions, and for each of three the offset, then
    /// the global, then the local size.
    pub(crate) dimensions: Reg,
    pub(crate) range: Vec<Pair>,
    /// The columns of the sizes of local memory.
    pub(crate) locals: Vec<Pair>,
    /// Where the events to wait for are, and how many bytes each takes.
    pub(crate) wait_list: Option<Address>,
    pub(crate) stride: u32,
    /// Where the parameters are, or where what is captured goes.
    pub(crate) memory: Option<Address>,
    /// Where the event goes.
    pub(crate) event_to: Option<Address>,
    /// The columns of the result, of the event that is made, and of whether it goes there.
    pub(crate) to: Reg,
    pub(crate) made: Reg,
    pub(crate) is_made: Reg,
}

impl EnqueueUse {
    /// An instruction without any operands.
    pub(crate) fn new(op: EnqueueOp) -> Self {
        Self {
            op,
            queue: NO_REG,
            flags: NO_REG,
            waits: NO_REG,
            size: NO_REG,
            event: NO_REG,
            status: NO_REG,
            dimensions: NO_REG,
            range: Vec::new(),
            locals: Vec::new(),
            wait_list: None,
            stride: 0,
            memory: None,
            event_to: None,
            to: NO_REG,
            made: NO_REG,
            is_made: NO_REG,
        }
    }

    fn columns_mut(&mut self) -> Vec<&mut Reg> {
        let Self {
            op: _,
            queue,
            flags,
            waits,
            size,
            event,
            status,
            dimensions,
            range,
            locals,
            wait_list,
            stride: _,
            memory,
            event_to,
            to,
            made,
            is_made,
        } = self;
        let words = [queue, flags, waits, size, event, status, dimensions];
        let pairs = range.iter_mut().chain(locals).flatten();
        let mut all: Vec<&mut Reg> = words.into_iter().chain(pairs).collect();
        for address in [wait_list, memory, event_to].into_iter().flatten() {
            if let Object::Column(column) = &mut address.object {
                all.push(column);
            }
            all.push(&mut address.offset);
        }
        all.extend([to, made, is_made]);
        all
    }

    /// The columns that it writes.
    pub(crate) fn results(&self) -> [Reg; 3] {
        [self.to, self.made, self.is_made]
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Special {
    Copies(Box<Copies>),
    /// Something is done with a queue or an event.
    Enqueue(Box<EnqueueUse>),
    /// Packets of a pipe are reserved, taken out or put in.
    Pipe(Box<PipeUse>),
    /// A load or store by the first invocations of a scope only.
    Part {
        inst: Inst,
        /// How many they are.
        count: u32,
        of_workgroup: bool,
    },
    /// Waits until as many subgroups have come to a named barrier as it says.
    NamedBarrier {
        barrier: NamedBarrier,
        /// How it orders memory: one of [`crate::program::Program::fences`].
        fence: u32,
    },
    /// What all `lanes` of a scope do together.
    Collective {
        of_workgroup: bool,
        lanes: u32,
        what: Collective,
    },
    /// A dot product of integers.
    Dot(Box<Dot>),
    /// Where an element of a matrix is in a tensor.
    Place(Box<TensorPlace>),
    /// How many instructions have been executed, in two columns.
    Clock {
        to: Pair,
    },
    /// Reports if a Boolean is false.
    Assume {
        condition: Reg,
    },
    /// Reports that the shader asked to be ended.
    Abort,
}

/// `OpSDot` and its like.
#[derive(Clone, Debug)]
pub(crate) struct Dot {
    pub(crate) op: Op,
    pub(crate) to: Reg,
    pub(crate) result: ScalarType,
    pub(crate) first: Vec<Operand>,
    pub(crate) second: Vec<Operand>,
    pub(crate) accumulator: Option<Operand>,
}

/// Where an element of a matrix is in a tensor.
#[derive(Clone, Debug)]
pub(crate) struct TensorPlace {
    pub(crate) matrix: Tiled,
    pub(crate) clamp: TensorClampMode,
    pub(crate) is_store: bool,
    /// The columns of the layout, in their order.
    pub(crate) layout: Vec<Reg>,
    /// The columns of the view, and what its type says.
    pub(crate) view: Option<(Vec<Reg>, Permuted)>,
    /// The columns of the element's row and column.
    pub(crate) row: Reg,
    pub(crate) column: Reg,
    pub(crate) to: TensorFound,
}

/// The columns that say where an element is.
#[derive(Clone, Debug)]
pub(crate) struct TensorFound {
    /// Whether the element is left as it is.
    pub(crate) is_kept: Reg,
    /// Whether it is in the tensor.
    pub(crate) is_there: Reg,
    /// The number of the element or block in memory.
    pub(crate) index: Reg,
    /// The coordinates of its block, and those in the block.
    pub(crate) block: Vec<Reg>,
    pub(crate) within: Vec<Reg>,
}

impl TensorPlace {
    fn columns_mut(&mut self) -> Vec<&mut Reg> {
        let Self {
            matrix: _,
            clamp: _,
            is_store: _,
            layout,
            view,
            row,
            column,
            to:
                TensorFound {
                    is_kept,
                    is_there,
                    index,
                    block,
                    within,
                },
        } = self;
        let view = view.iter_mut().flat_map(|view| &mut view.0);
        let lists = layout.iter_mut().chain(view).chain(block).chain(within);
        lists
            .chain([row, column, is_kept, is_there, index])
            .collect()
    }
}

impl Special {
    /// How many steps it counts as besides one: a product of matrices is one instruction, however
    /// large they are.
    pub(crate) fn further_steps(&self) -> u64 {
        let Self::Collective { lanes, what, .. } = self else {
            return 0;
        };
        let Collective::Multiply(multiply) = what else {
            return 0;
        };
        let [rows, inner] = [multiply.a.rows, multiply.a.columns].map(u64::from);
        let terms = (rows * inner).saturating_mul(multiply.b.columns.into());
        terms / u64::from(*lanes).max(1)
    }

    /// Whether invocations wait there for others of the workgroup.
    pub(crate) fn waits(&self) -> bool {
        matches!(
            self,
            Self::NamedBarrier { .. }
                | Self::Collective {
                    of_workgroup: true,
                    ..
                }
        ) || matches!(self, Self::Pipe(it) if it.level == Level::Workgroup)
    }

    /// Whether it says by itself if it has changed anything, because invocations may do it again
    /// and again to wait for others.
    pub(crate) fn tells_changes(&self) -> bool {
        matches!(self, Self::Copies(_) | Self::Pipe(_))
    }

    /// Whether all invocations that a scope has must be there: for matrices.
    pub(crate) fn is_of_matrices(&self) -> bool {
        matches!(
            self,
            Self::Collective {
                what: Collective::Multiply(_) | Collective::Gather { .. },
                ..
            }
        )
    }

    /// The columns that it reads and writes, but for those of [`Special::Part`].
    pub(crate) fn columns(&self) -> Vec<Reg> {
        let mut copy = self.clone();
        copy.columns_mut().into_iter().map(|it| *it).collect()
    }

    /// The same to be changed.
    pub(crate) fn columns_mut(&mut self) -> Vec<&mut Reg> {
        let mut all: Vec<&mut Reg> = Vec::new();
        match self {
            Self::Part { .. } | Self::Abort => {}
            Self::Copies(copies) => all.extend(copies.columns_mut()),
            Self::Pipe(it) => {
                let PipeUse {
                    pipe,
                    size,
                    second,
                    index,
                    to,
                    at,
                    ..
                } = &mut **it;
                all.extend([pipe, size, second, index, to].into_iter().chain(at));
            }
            Self::Enqueue(it) => all.extend(it.columns_mut()),
            Self::NamedBarrier { barrier, .. } => {
                all.extend([&mut barrier.count, &mut barrier.maker]);
            }
            Self::Collective { what, .. } => match what {
                Collective::Multiply(it) => {
                    let Multiply { a, b, c, to, .. } = &mut **it;
                    let matrices = [a, b, c, to].into_iter();
                    all.extend(matrices.flat_map(|matrix| &mut matrix.slots));
                }
                Collective::Gather { from, to, .. } => {
                    all.extend(from.slots.iter_mut().chain(&mut to.slots));
                }
                Collective::Scan { to, value, .. } => all.extend(to.iter_mut().chain(value)),
                Collective::Vote { to, value, .. } => all.extend([to, value]),
                Collective::Broadcast {
                    to,
                    value,
                    position,
                } => all.extend(to.iter_mut().chain(value).chain(position)),
            },
            Self::Dot(dot) => {
                let Dot {
                    to,
                    first,
                    second,
                    accumulator,
                    ..
                } = &mut **dot;
                let operands = first.iter_mut().chain(second).chain(accumulator);
                all.extend(operands.flat_map(|operand| &mut operand.1));
                all.push(to);
            }
            Self::Place(place) => all.extend(place.columns_mut()),
            Self::Clock { to } => all.extend(to),
            Self::Assume { condition } => all.push(condition),
        }
        // The high word of what has none.
        all.retain(|it| **it != NO_REG);
        all
    }
}

impl Copies {
    fn columns_mut(&mut self) -> Vec<&mut Reg> {
        let Self {
            to,
            from,
            count,
            strides,
            ..
        } = self;
        let mut all: Vec<&mut Reg> = count
            .iter_mut()
            .chain(strides.iter_mut().flatten())
            .collect();
        for Address { object, offset, .. } in [to, from] {
            if let Object::Column(column) = object {
                all.push(column);
            }
            all.push(offset);
        }
        all
    }
}
