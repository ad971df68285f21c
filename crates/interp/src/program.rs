//! What an entry point is lowered to: instructions on columns of scalars.

mod complete;
mod inst;
mod steps;
mod tables;

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use spirvkit_eval::ScalarType;
use spirvkit_grammar::{MemoryModel, Op};

pub(crate) use inst::{Binary, Edge, FrameKind, Inst, Unary};
pub(crate) use steps::{Step, StepOp};
pub(crate) use tables::{
    Atomic, Fence, General, GeneralOp, Group, GroupOp, Half, Level, Print, Printed, Scan, Sharing,
    Switch, Vector, VectorOp,
};

use crate::image::{ARGUMENTS, Access, Declared, Sampler};
use crate::observe::Watches;
use crate::special::Special;
use crate::undefined::{Undefined, UndefinedValue, Variable};

/// A column: one word for each lane of a gang. Narrower scalars stand in its low bits
/// with zeros above, Booleans as 0 or 1; 64 bits take two columns, the low words first.
pub(crate) type Reg = u32;

/// Stands for no column.
pub(crate) const NO_REG: Reg = Reg::MAX;

/// The columns of a scalar: of its low word, and of its high one or [`NO_REG`].
pub(crate) type Pair = [Reg; 2];

/// The first two of some columns.
pub(crate) fn pair(columns: &[Reg]) -> Pair {
    let at = |index: usize| columns.get(index).copied().unwrap_or(NO_REG);
    [at(0), at(1)]
}

/// How many operands an operation takes at most.
pub(crate) const MAX_OPERANDS: usize = 4;

/// A scalar that an operation takes.
pub(crate) type Operand = (ScalarType, Pair);

/// An offset beyond the end of any object: what follows it counts backwards from the
/// beginning.
pub(crate) const BEYOND: u32 = 0xf000_0000;

/// `base + index * stride`; [`BEYOND`] where that is no offset.
pub(crate) fn advanced(base: u32, index: i64, stride: u32) -> u32 {
    // Pointers may go below an object on the way to what is in it.
    let base = match base > BEYOND {
        true => i64::from(base) - (1 << 32),
        false => i64::from(base),
    };
    let further = index.checked_mul(stride.into());
    let offset = further.and_then(|further| further.checked_add(base));
    let lowest = i64::from(BEYOND) + 1 - (1 << 32);
    match offset.filter(|offset| (lowest..i64::from(BEYOND)).contains(offset)) {
        Some(offset) => offset as u32,
        None => BEYOND,
    }
}

/// Index of an instruction.
pub(crate) type Pc = u32;

/// What stands in memory and in columns as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Leaf {
    Scalar(ScalarType),
    /// An object and an offset in it.
    Pointer,
}

impl Leaf {
    /// How many columns it takes.
    pub(crate) fn columns(self) -> usize {
        match self {
            Self::Scalar(ty) if ty.width() <= 32 => 1,
            Self::Scalar(_) | Self::Pointer => 2,
        }
    }

    /// How many bytes it takes in memory. Booleans have no size of their own, and take four.
    pub(crate) fn bytes(self) -> u32 {
        match self {
            Self::Scalar(ScalarType::Bool) => 4,
            Self::Scalar(ty) => ty.width().div_ceil(8),
            Self::Pointer => 8,
        }
    }
}

/// Where memory is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) object: Object,
    /// The column of the offset in bytes, or [`NO_REG`] for 0.
    pub(crate) offset: Reg,
    /// What is added to it, modulo 2³².
    pub(crate) constant: u32,
}

/// A scalar or pointer in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) leaf: Leaf,
    pub(crate) address: Address,
}

/// Which object a pointer points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Object {
    /// The same for all lanes.
    Known(u32),
    /// What the column says.
    Column(Reg),
}

/// What is known of an object before it is there.
#[derive(Clone, Debug)]
pub(crate) struct ObjectInfo {
    pub(crate) name: Arc<str>,
    pub(crate) kind: ObjectKind,
}

impl ObjectInfo {
    /// What an element of an array of descriptors is called in messages.
    pub(crate) fn described_element(&self) -> String {
        match self.kind {
            ObjectKind::Buffer { element: 0, .. } | ObjectKind::Resource { element: 0, .. } => {
                format!("element 0 of {}", self.described())
            }
            _ => self.described(),
        }
    }

    /// What it is called in messages, with the place of its descriptor if it has one.
    pub(crate) fn described(&self) -> String {
        let name = &self.name;
        match self.kind {
            ObjectKind::Buffer {
                set,
                binding,
                element,
                ..
            }
            | ObjectKind::Resource {
                set,
                binding,
                element,
                ..
            } => match (set, element) {
                (ARGUMENTS, _) => format!("argument {binding}, `{name}`,"),
                (_, 0) => format!("`{name}` at set {set}, binding {binding}"),
                _ => format!("element {element} of `{name}` at set {set}, binding {binding}"),
            },
            _ => format!("`{name}`"),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    /// No object: what a null pointer points to.
    Null,
    /// A buffer of a descriptor, or of an array of descriptors.
    Buffer {
        set: u32,
        binding: u32,
        element: u32,
        writable: bool,
    },
    /// Memory that has an address, which of it.
    Memory { index: u32 },
    /// An argument of a kernel: a buffer, or a value.
    Argument { index: u32, writable: bool },
    /// A variable of the module that all invocations share.
    Global { size: u32, writable: bool },
    /// An image, a sampler or both of a descriptor, with the index of what is declared.
    Resource {
        set: u32,
        binding: u32,
        element: u32,
        declared: u32,
    },
    /// A sampler of the module itself.
    ConstantSampler { index: u32 },
    /// The parameters of a kernel that was enqueued.
    Parameters,
    /// A pipe: an argument of a kernel, or storage that the module declares.
    Pipe {
        index: Option<u32>,
        /// How many bytes a packet has.
        packet: u32,
        /// How many packets have room, and how many are there at first.
        capacity: u32,
        count: u32,
    },
    /// The push constants, with as many bytes as the block has.
    Push { size: u32 },
    /// Memory of a workgroup, where it begins.
    Workgroup { start: u32, size: u32 },
    /// Memory of each lane, where it begins.
    Lane { start: u32, size: u32 },
}

/// A built-in input, to be written before the entry point runs.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub(crate) built_in: BuiltInValue,
    /// Whether its components have 64 bits.
    pub(crate) is_wide: bool,
    pub(crate) to: Place,
}

/// Where an input goes.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    Columns(Vec<Reg>),
    /// Words of this many bytes behind each other in an object of the lanes.
    Lane {
        object: u32,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BuiltInValue {
    GlobalInvocationId,
    LocalInvocationId,
    LocalInvocationIndex,
    WorkgroupId,
    NumWorkgroups,
    WorkgroupSize,
    /// The size of all workgroups but the last.
    EnqueuedWorkgroupSize,
    GlobalSize,
    GlobalOffset,
    /// The index of the invocation among all, without the offset.
    GlobalLinearId,
    WorkDim,
    SubgroupSize,
    /// How many invocations the subgroup has.
    SubgroupCount,
    SubgroupId,
    NumSubgroups,
    NumEnqueuedSubgroups,
    SubgroupLocalInvocationId,
    SubgroupEqMask,
    SubgroupGeMask,
    SubgroupGtMask,
    SubgroupLeMask,
    SubgroupLtMask,
    /// Zero: `DeviceIndex` and the like.
    Zero,
    /// Where in a cooperative matrix an element is that the invocation holds.
    MatrixPlace(MatrixPlace),
}

/// The row or column of an element: its index counts from that of the first invocation on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MatrixPlace {
    pub(crate) first: u32,
    /// How many columns the matrix has, at least one.
    pub(crate) columns: u32,
    pub(crate) of_workgroup: bool,
    pub(crate) is_row: bool,
}

/// A function that can be enqueued, with what it is given.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    pub(crate) name: Arc<str>,
    /// Which of the functions begins with it.
    pub(crate) function: u32,
    /// The objects of the memory of workgroups that it gets.
    pub(crate) locals: Vec<u32>,
    /// The size of workgroups, if it says one.
    pub(crate) declared: Option<[u32; 3]>,
}

/// An entry point, ready to run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    pub(crate) code: Vec<Inst>,
    /// For each instruction the word offset of that which it comes from.
    pub(crate) places: Vec<u32>,
    /// Columns that have the same word in all lanes, and the word.
    pub(crate) constants: Vec<(Reg, u32)>,
    /// How many columns there are, these among them.
    pub(crate) columns: u32,
    /// How many of them, the first, may be written for lanes that are not active, too: nothing
    /// is read from them that another path of the gang could have written.
    pub(crate) temporaries: u32,
    /// Where each function begins.
    pub(crate) functions: Vec<Pc>,
    pub(crate) entry: u32,
    /// What can be enqueued, and the object with the parameters of what runs.
    pub(crate) roots: Vec<Root>,
    pub(crate) parameters: u32,
    pub(crate) moves: Vec<(Reg, Reg)>,
    pub(crate) steps: Vec<Step>,
    pub(crate) general: Vec<General>,
    pub(crate) vectors: Vec<Vector>,
    pub(crate) atomics: Vec<Atomic>,
    pub(crate) groups: Vec<Group>,
    pub(crate) accesses: Vec<Access>,
    pub(crate) declared: Vec<Declared>,
    pub(crate) constant_samplers: Vec<Sampler>,
    pub(crate) specials: Vec<Special>,
    pub(crate) fences: Vec<Fence>,
    /// How many instructions make named barriers.
    pub(crate) named_barriers: u32,
    /// How loads and stores are shared, by the word offset that they come from and whether they
    /// write, where it is not as in most of them.
    pub(crate) sharing: HashMap<(u32, bool), Sharing>,
    /// The instructions of cooperative matrices and workgroups whose accesses any invocation of
    /// a scope may make, by their word offsets.
    pub(crate) shared_by: HashMap<u32, Level>,
    /// The instructions that write through pointers of which only the run shows where they lead,
    /// but never to a buffer or an image, by their word offsets.
    pub(crate) writes_own: HashSet<u32>,
    /// The module's memory model.
    pub(crate) memory_model: Option<MemoryModel>,
    /// How the others are.
    pub(crate) common_sharing: Option<Sharing>,
    pub(crate) switches: Vec<Switch>,
    pub(crate) prints: Vec<Print>,
    pub(crate) objects: Vec<ObjectInfo>,
    /// What objects begin with that all invocations share, where that is not zeros.
    pub(crate) initial: Vec<(u32, Vec<u8>)>,
    /// The bytes that each lane has of its own.
    pub(crate) lane_bytes: u32,
    /// The bytes that each workgroup has.
    pub(crate) workgroup_bytes: u32,
    /// Columns of variables, which begin with zeros.
    pub(crate) zeroed: Vec<Reg>,
    pub(crate) inputs: Vec<Input>,
    pub(crate) workgroup_size: [u32; 3],
    /// How many invocations there are in each dimension, if the last workgroups may have fewer
    /// than the others.
    pub(crate) global_size: Option<[u32; 3]>,
    /// How many dimensions the host says that there are.
    pub(crate) work_dim: Option<u32>,
    /// Whether quads have derivatives.
    pub(crate) has_derivatives: bool,
    /// What observers are told, if there are any. Columns of such a program keep what they have
    /// as long as it is in scope.
    pub(crate) watched: Option<Box<Watches>>,
    /// Values that are undefined.
    pub(crate) undefined_values: Vec<UndefinedValue>,
    /// Variables of lanes and workgroups without initial values.
    pub(crate) variables: Vec<Variable>,
    /// What follows undefined values, if any get to where they matter.
    pub(crate) undefined: Option<Box<Undefined>>,
    /// Whether the four invocations of a quad lie in a square, and not in a line.
    pub(crate) has_square_quads: bool,
}

impl Program {
    /// Whether an instruction loads, or stores, what is in memory by itself: neither an atomic
    /// nor one on an image.
    pub(crate) fn accesses(&self, inst: &Inst, is_write: bool) -> bool {
        match inst {
            Inst::Load { .. } => !is_write,
            Inst::Store { .. } => is_write,
            Inst::Special(index) => match &self.specials[*index as usize] {
                Special::Part { inst, .. } => matches!(inst, Inst::Store { .. }) == is_write,
                Special::Copies(_) => true,
                _ => false,
            },
            _ => false,
        }
    }

    /// Where an instruction writes to memory, if it does.
    pub(crate) fn target(&self, inst: &Inst) -> Option<Address> {
        let inst = match inst {
            Inst::Special(index) => match &self.specials[*index as usize] {
                Special::Part { inst, .. } => inst,
                Special::Copies(copies) => return Some(copies.to),
                _ => return None,
            },
            inst => inst,
        };
        match inst {
            Inst::Store { cell, .. } => Some(cell.address),
            Inst::Atomic(index) => {
                let atomic = &self.atomics[*index as usize];
                (atomic.op != Op::AtomicLoad).then_some(atomic.address)
            }
            _ => None,
        }
    }

    /// Whether a function is begun by nobody's call.
    pub(crate) fn is_root(&self, function: u32) -> bool {
        self.entry == function || self.roots.iter().any(|root| root.function == function)
    }

    /// How many invocations a workgroup has in each dimension.
    pub(crate) fn size_of(&self, workgroup: [u32; 3]) -> [u32; 3] {
        let Some(global) = self.global_size else {
            return self.workgroup_size;
        };
        [0, 1, 2].map(|axis| {
            let size = self.workgroup_size[axis];
            let first = workgroup[axis].saturating_mul(size);
            global[axis].saturating_sub(first).min(size)
        })
    }

    /// The place in its workgroup of the invocation in a lane of it, counted through all gangs.
    pub(crate) fn local_id(&self, workgroup: [u32; 3], lane: u32) -> [u32; 3] {
        let size = self.size_of(workgroup);
        let [width, height, _] = size.map(|side| side.max(1));
        if !self.has_square_quads {
            return [lane % width, lane / width % height, lane / (width * height)];
        }
        let (quad, corner) = (lane / 4, lane % 4);
        let (across, down) = (width / 2, height / 2);
        [
            quad % across * 2 + corner % 2,
            quad / across % down * 2 + corner / 2,
            quad / (across * down),
        ]
    }
}
