//! What an entry point is lowered to: instructions on columns of scalars.

use std::sync::Arc;

use hashbrown::HashMap;
use spirvkit_eval::{Environment, ScalarType};
use spirvkit_grammar::{GlslStd450, MemoryModel, MemorySemantics, Op, OpenClStd};

use crate::printing::Spec;

use crate::fast::Fast;
use crate::image::{Access, Declared, Sampler};
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

/// What is known of an object before it is there.
#[derive(Clone, Debug)]
pub(crate) struct ObjectInfo {
    pub(crate) name: Arc<str>,
    pub(crate) kind: ObjectKind,
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
    pub(crate) moves: Vec<(Reg, Reg)>,
    pub(crate) general: Vec<General>,
    pub(crate) vectors: Vec<Vector>,
    pub(crate) atomics: Vec<Atomic>,
    pub(crate) groups: Vec<Group>,
    pub(crate) accesses: Vec<Access>,
    pub(crate) declared: Vec<Declared>,
    pub(crate) constant_samplers: Vec<Sampler>,
    pub(crate) specials: Vec<Special>,
    pub(crate) fences: Vec<Fence>,
    /// How loads and stores are shared, by the word offset that they come from and whether they
    /// write, where it is not as in most of them.
    pub(crate) sharing: HashMap<(u32, bool), Sharing>,
    /// The instructions of cooperative matrices and workgroups whose accesses any invocation of
    /// a scope may make, by their word offsets.
    pub(crate) shared_by: HashMap<u32, Level>,
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

    /// Whether all columns are there that instructions read and write. Where rules are broken
    /// that lowering relies on, some may not be.
    pub(crate) fn is_complete(&self) -> bool {
        let is = |column: &Reg| *column < self.columns;
        let is_scalar = |&(ty, [low, high]): &Operand| is(&low) && (ty.width() <= 32 || is(&high));
        let is_address = |address: &Address| {
            let has_object = match address.object {
                Object::Known(object) => (object as usize) < self.objects.len(),
                Object::Column(column) => is(&column),
            };
            has_object && (address.offset == NO_REG || is(&address.offset))
        };
        let are = |inst: &Inst| match inst {
            Inst::Copy { to, from } => is(to) && is(from),
            Inst::Unary { to, a, .. } => is(to) && is(a),
            Inst::Shift { to, a, by, .. } => is(to) && is(a) && is(by),
            Inst::Binary { to, a, b, .. } => is(to) && is(a) && is(b),
            Inst::Select {
                to,
                condition,
                a,
                b,
            } => is(to) && is(condition) && is(a) && is(b),
            Inst::Offset {
                to, base, index, ..
            } => is(to) && is(base) && is(&index[0]),
            Inst::CheckIndex { index, .. } => is(index),
            Inst::Load { to, cell } => {
                is(&(to + cell.leaf.columns() as u32 - 1)) && is_address(&cell.address)
            }
            Inst::Store { from, cell } => {
                from[..cell.leaf.columns()].iter().all(is) && is_address(&cell.address)
            }
            Inst::ClassOf { to, object } => is(to) && is(object),
            Inst::CheckAlignment { address, .. } => is_address(address),
            Inst::ArrayLength { to, address, .. } => is(to) && is_address(address),
            Inst::Branch { condition, .. } => is(condition),
            _ => true,
        };
        let takes_second = |op: GroupOp| {
            matches!(
                op,
                GroupOp::BallotBitExtract
                    | GroupOp::Broadcast
                    | GroupOp::Shuffle
                    | GroupOp::ShuffleXor
                    | GroupOp::ShuffleUp
                    | GroupOp::ShuffleDown
                    | GroupOp::Rotate
                    | GroupOp::Window { .. }
                    | GroupOp::QuadBroadcast
                    | GroupOp::QuadSwap
            )
        };
        // What removed operations had may be left in the table.
        let mut general = self.code.iter().filter_map(|inst| match inst {
            Inst::General(index) => self.general.get(*index as usize),
            _ => None,
        });
        self.code.iter().all(are)
            && general.all(|general| general.operands.iter().all(is_scalar))
            && self
                .vectors
                .iter()
                .all(|it| it.operands.iter().flatten().all(is_scalar))
            && self
                .atomics
                .iter()
                .all(|atomic| is_address(&atomic.address))
            && self.accesses.iter().all(|it| it.is_complete(is, is_scalar))
            && self.specials.iter().all(|special| {
                let is_part = match special {
                    Special::Part { inst, .. } => are(inst),
                    _ => true,
                };
                is_part && special.columns().iter().all(is)
            })
            && self
                .prints
                .iter()
                .flat_map(|it| &it.parts)
                .all(|part| match part {
                    Printed::Text(_) => true,
                    Printed::Value(_, components) => components.iter().all(is_scalar),
                })
            && self.switches.iter().all(|switch| is(&switch.low))
            && self.moves.iter().all(|(to, from)| is(to) && is(from))
            && self.groups.iter().all(|group| {
                let columns = group.to.iter().chain(&group.value).chain(&group.partition);
                let has_value = group.op == GroupOp::Elect || !group.value.is_empty();
                columns.into_iter().all(is)
                    && has_value
                    && (!takes_second(group.op) || is(&group.second))
            })
    }
}
