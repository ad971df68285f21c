//! Who watches a run: the interface for tracers, debuggers, coverage and profiles.
//!
//! A run that is observed is lowered with [`Watch`]es between its instructions; one that isn't
//! has none, and so costs nothing more.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use hashbrown::HashMap;

use spirvkit_binary::Id;
use spirvkit_eval::{Scalar, ScalarType};

use crate::machine::Buffer;
use crate::program::{Address, Cell, Leaf, ObjectKind, Program, Reg, pair};

/// What is told of a run while it goes on. Every method does nothing unless it is implemented.
///
/// Lanes of a subgroup that execute an instruction together are told of once, as a [`Step`].
/// A debugger may take its time in any of these: nothing else goes on meanwhile.
///
/// ```
/// use std::ops::ControlFlow;
/// use spirvkit_interp::{Observer, Run, Step};
///
/// /// Counts instructions of invocations.
/// #[derive(Default)]
/// struct Count(u32);
///
/// impl Observer for Count {
///     fn before(&mut self, step: &Step<'_>) -> ControlFlow<()> {
///         self.0 += step.lanes().count_ones();
///         ControlFlow::Continue(())
///     }
/// }
///
/// # let words = spirvkit_text::assemble(include_str!("../samples/double.spvasm"), &Default::default()).unwrap().words;
/// let mut count = Count::default();
/// Run::new(&words).storage(0, 0, &[1.0f32, 2.0, 3.0, 4.0]).observe([1, 1, 1], &mut count)?;
/// assert!(count.0 > 0);
/// # Ok::<(), spirvkit_diagnostics::Errors>(())
/// ```
pub trait Observer {
    /// A workgroup begins.
    fn workgroup_begins(&mut self, _id: [u32; 3]) {}

    /// All invocations of a workgroup have ended.
    fn workgroup_ends(&mut self, _id: [u32; 3]) {}

    /// An instruction is about to be executed. The run ends here if this breaks.
    ///
    /// Declarations, merge instructions, line numbers and what else has no effect at run time
    /// are not told of; phis are, with the result that they already have.
    fn before(&mut self, _step: &Step<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// An instruction that doesn't end its block has been executed, a call with all that it
    /// calls. The run ends here if this breaks.
    fn after(&mut self, _step: &Step<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// The instruction in hand is about to access memory: once for each scalar of what it loads
    /// or stores. What is kept in registers, such as most variables in functions, is no memory.
    fn access(&mut self, _step: &Step<'_>, _access: &Access<'_>) {}
}

/// An instruction that lanes of a subgroup execute together.
pub struct Step<'a> {
    pub(crate) program: &'a Program,
    pub(crate) lanes: &'a dyn Lanes,
    pub(crate) buffers: &'a [Buffer],
    pub(crate) homes: &'a [usize],
    pub(crate) mask: u64,
    pub(crate) global_offset: [u32; 3],
    pub(crate) offset: u32,
}

impl fmt::Debug for Step<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Step")
            .field("offset", &self.offset)
            .field("lanes", &self.mask)
            .finish_non_exhaustive()
    }
}

/// What a subgroup tells of its lanes.
pub(crate) trait Lanes {
    fn word(&self, column: Reg, lane: usize) -> u32;
    /// The workgroup, and the index in it of the first lane.
    fn place(&self) -> ([u32; 3], u32);
    fn locate(&self, address: Address, lane: usize) -> (u32, u32);
}

impl<'a> Step<'a> {
    /// The word offset of the instruction in the module.
    pub fn offset(&self) -> u32 {
        self.offset
    }

    /// A bit for each lane of the subgroup that executes it.
    pub fn lanes(&self) -> u64 {
        self.mask
    }

    /// The workgroup.
    pub fn workgroup(&self) -> [u32; 3] {
        self.lanes.place().0
    }

    /// The index in the workgroup (`LocalInvocationIndex`) of a lane.
    pub fn local_index(&self, lane: u32) -> u32 {
        self.lanes.place().1 + lane
    }

    /// Which invocation of the whole dispatch a lane is (`GlobalInvocationId`).
    pub fn global_id(&self, lane: u32) -> [u32; 3] {
        let (group, size) = (self.workgroup(), self.program.workgroup_size);
        let local = self.program.local_id(group, self.local_index(lane));
        [0, 1, 2].map(|axis| {
            group[axis]
                .wrapping_mul(size[axis])
                .wrapping_add(local[axis])
                .wrapping_add(self.global_offset[axis])
        })
    }

    /// What an id of the function is for a lane: what it was last, if the lane isn't where it
    /// is defined. `None` if it is no value of the program.
    pub fn value(&self, id: Id, lane: u32) -> Option<Seen<'a>> {
        let lane = lane as usize;
        match self.program.watched.as_ref()?.values.get(&id.0)? {
            Watched::Scalars { leaves, columns } => {
                let mut next = 0;
                let mut scalars = Vec::with_capacity(leaves.len());
                for leaf in leaves.iter().copied() {
                    let [low, high] = pair(columns.get(next..)?);
                    next += leaf.columns();
                    let low = u64::from(self.lanes.word(low, lane));
                    let bits = match leaf.columns() {
                        2 => u64::from(self.lanes.word(high, lane)) << 32 | low,
                        _ => low,
                    };
                    scalars.push(match leaf {
                        Leaf::Scalar(ty) => Scalar::new(ty, bits),
                        Leaf::Pointer => Scalar::new(ScalarType::Integer { width: 64 }, bits),
                    });
                }
                Some(Seen::Scalars(scalars))
            }
            Watched::Pointer(address) => Some(Seen::Pointer(self.location(*address, lane))),
        }
    }

    /// The bytes of a buffer, as they are now; empty if there is none.
    pub fn buffer(&self, set: u32, binding: u32) -> &'a [u8] {
        let is = |kind: ObjectKind| match kind {
            ObjectKind::Buffer {
                set: s,
                binding: b,
                element: 0,
                ..
            } => (s, b) == (set, binding),
            _ => false,
        };
        let objects = self.program.objects.iter().zip(self.homes);
        let mut found = objects.filter(|(object, _)| is(object.kind));
        found
            .next()
            .and_then(|(_, &home)| self.buffers.get(home))
            .map_or(&[], |bytes| bytes)
    }

    fn location(&self, address: Address, lane: usize) -> Place<'a> {
        let (object, offset) = self.lanes.locate(address, lane);
        let object = self.program.objects.get(object as usize);
        Place {
            name: object.map_or("", |object| &object.name),
            buffer: object.and_then(|object| match object.kind {
                ObjectKind::Buffer {
                    set,
                    binding,
                    element,
                    ..
                } => Some([set, binding, element]),
                _ => None,
            }),
            offset,
        }
    }
}

/// What an id is for a lane.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Seen<'a> {
    /// The scalars of a value, in order. A pointer in it is its number. What a variable holds, if it is kept in registers.
    Scalars(Vec<Scalar>),
    /// A pointer.
    Pointer(Place<'a>),
}

/// Somewhere in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place<'a> {
    /// The name of the variable, or its id; empty for a pointer to nothing.
    pub name: &'a str,
    /// The set, the binding and the element of an array, of a buffer.
    pub buffer: Option<[u32; 3]>,
    /// Bytes from the beginning.
    pub offset: u32,
}

/// An access to memory.
pub struct Access<'a> {
    pub(crate) step: &'a Step<'a>,
    pub(crate) cell: Cell,
    /// What is done there.
    pub kind: AccessKind,
}

/// What is done to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AccessKind {
    /// It is read.
    Read,
    /// It is written.
    Write,
    /// It is read, written, or both by an atomic.
    Atomic,
}

impl fmt::Debug for Access<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Access")
            .field("kind", &self.kind)
            .field("size", &self.size())
            .finish_non_exhaustive()
    }
}

impl<'a> Access<'a> {
    /// The number of bytes.
    pub fn size(&self) -> u32 {
        self.cell.leaf.bytes()
    }

    /// Where a lane accesses memory. It may be out of bounds.
    pub fn place(&self, lane: u32) -> Place<'a> {
        self.step.location(self.cell.address, lane as usize)
    }
}

/// What is told when an instruction of the program is reached.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Watch {
    /// The instruction at this word offset is next.
    Before(u32),
    /// It was the last.
    After(u32),
    Access {
        offset: u32,
        cell: Cell,
        kind: AccessKind,
    },
}

/// What ids stand for.
#[derive(Clone, Debug)]
pub(crate) enum Watched {
    Scalars {
        leaves: Arc<[Leaf]>,
        columns: Vec<Reg>,
    },
    Pointer(Address),
}

/// What lowering keeps for observers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watches {
    pub(crate) all: Vec<Watch>,
    pub(crate) values: HashMap<u32, Watched>,
}
