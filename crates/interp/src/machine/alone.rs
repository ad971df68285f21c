//! An invocation by itself, which stops wherever it does what others may take part in: it
//! accesses memory that is not its own, or comes to a barrier.

use spirvkit_eval::{Scalar, ScalarType};

use super::control::{Active, Path};
use super::memory::{number, replaced};
use super::{Gang, Shared, Stop};
use crate::program::{
    Address, Atomic, BuiltInValue, FrameKind, Inst, Leaf, Object, ObjectKind, Pc, Place, Program,
};
use crate::undefined::UndefinedBits;

/// How many lanes its gang has, of which it is the first.
const LANES: usize = 4;

/// Bytes in memory that is not an invocation's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Spot {
    /// Which buffer; above the number of buffers, which workgroup's memory.
    pub(crate) space: u32,
    pub(crate) offset: u32,
    pub(crate) bytes: u32,
}

/// What an invocation stops for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stopped {
    Load(Spot),
    /// With what it stores.
    Store(Spot, u64),
    /// With its index in [`Program::atomics`].
    Atomic(Spot, u32),
    /// With its index in [`Program::fences`].
    Fence(u32),
    Barrier {
        workgroup: bool,
        fence: u32,
    },
    /// It has ended.
    Ended,
    /// It took as many steps as it may without stopping.
    Limit,
}

/// A program in which each instruction is a barrier where an invocation has to stop.
pub(crate) fn with_stops(program: &Program) -> Program {
    let mut stopping = program.clone();
    let is_own = |object: Object| match object {
        Object::Known(object) => {
            let info = program.objects.get(object as usize);
            info.is_some_and(|info| {
                matches!(info.kind, ObjectKind::Lane { .. } | ObjectKind::Push { .. })
            })
        }
        Object::Column(_) => false,
    };
    for inst in &mut stopping.code {
        let stops = match inst {
            Inst::Load { cell, .. } | Inst::Store { cell, .. } => !is_own(cell.address.object),
            Inst::Atomic(index) => {
                let atomic = &program.atomics[*index as usize];
                !is_own(atomic.address.object)
            }
            Inst::Fence(_) | Inst::Barrier { .. } => true,
            _ => false,
        };
        if stops {
            *inst = Inst::Barrier {
                workgroup: true,
                fence: 0,
            };
        }
    }
    stopping
}

/// Where an invocation stands, to tell whether it is there again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    pub(crate) pc: Pc,
    constructs: Vec<FrameKind>,
    columns: Vec<u32>,
    memory: Vec<u8>,
    undefined: Vec<u32>,
}

#[derive(Clone)]
pub(crate) struct Alone {
    gang: Gang<LANES>,
    path: Option<Path>,
    /// The number of its workgroup.
    group: u32,
}

impl Alone {
    /// An invocation before its first instruction. The program is one [`with_stops`].
    pub(crate) fn begin(
        shared: &Shared<'_>,
        id: [u32; 3],
        group: u32,
        local: u32,
        subgroup_size: u32,
    ) -> Self {
        let program = shared.program;
        let mut gang = Gang::new(program);
        gang.begin(program, id, local, 1);
        for input in &program.inputs {
            gang.write_input(shared, input);
        }
        let mut alone = Self {
            gang,
            path: None,
            group,
        };
        for input in &program.inputs {
            if let Some(words) = subgroup_input(program, input.built_in, local, subgroup_size) {
                alone.set_input(program, &input.to, words);
            }
        }
        alone
    }

    fn set_input(&mut self, program: &Program, to: &Place, words: [u32; 4]) {
        match to {
            Place::Columns(columns) => {
                for (&column, word) in columns.iter().zip(words) {
                    self.gang.columns[column as usize][0] = word;
                }
            }
            Place::Lane { object } => {
                if let ObjectKind::Lane { start, size } = program.objects[*object as usize].kind {
                    let room = &mut self.gang.memory[start as usize..(start + size) as usize];
                    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
                    room.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
                }
            }
        }
    }

    /// Runs until it has to stop, and says why, and at which instruction of the program
    /// without stops.
    pub(crate) fn advance(&mut self, shared: &mut Shared<'_>, program: &Program) -> (Pc, Stopped) {
        loop {
            match self.gang.run(shared, &mut []) {
                Stop::Rest => {}
                Stop::Turn => continue,
                Stop::Steps => return (0, Stopped::Limit),
            }
            let Some(path) = self.gang.waiting.pop() else {
                return (0, Stopped::Ended);
            };
            let pc = path.pc - 1;
            self.path = Some(path);
            if let Some(stopped) = self.stopped(shared, program, pc) {
                return (pc, stopped);
            }
            self.go_on();
        }
    }

    /// Lets it go on behind what it has stopped for.
    pub(crate) fn go_on(&mut self) {
        self.gang.ready.extend(self.path.take());
    }

    /// What it stops for at an instruction; nothing if it can be executed as by any gang.
    fn stopped(&mut self, shared: &mut Shared<'_>, program: &Program, pc: Pc) -> Option<Stopped> {
        let only = Active::new(1);
        // Whatever is wrong with an access is reported there.
        let mut memory = vec![0; program.workgroup_bytes as usize];
        match program.code[pc as usize] {
            Inst::Load { to, cell } => {
                let spot = self.spot(shared, cell.address, cell.leaf.bytes(), false);
                if spot.is_none() {
                    self.gang.load(shared, &mut memory, &only, pc, to, cell);
                }
                spot.map(Stopped::Load)
            }
            Inst::Store { from, cell } => {
                let spot = self.spot(shared, cell.address, cell.leaf.bytes(), true);
                if spot.is_none() {
                    self.gang.store(shared, &mut memory, &only, pc, from, cell);
                }
                let [low, high] = from.map(|column| u64::from(self.gang.word(column, 0)));
                let mask = u64::MAX >> (64 - 8 * cell.leaf.bytes().clamp(1, 8));
                spot.map(|spot| Stopped::Store(spot, (high << 32 | low) & mask))
            }
            Inst::Atomic(index) => {
                let atomic = &program.atomics[index as usize];
                let bytes = atomic.ty.width().div_ceil(8);
                let is_write = atomic.op != spirvkit_grammar::Op::AtomicLoad;
                let spot = self.spot(shared, atomic.address, bytes, is_write);
                if spot.is_none() {
                    self.gang.atomic(shared, &mut memory, &only, pc, atomic);
                }
                spot.map(|spot| Stopped::Atomic(spot, index))
            }
            Inst::Fence(fence) => Some(Stopped::Fence(fence)),
            Inst::Barrier { workgroup, fence } => Some(Stopped::Barrier { workgroup, fence }),
            _ => None,
        }
    }

    /// Where memory is accessed that is not its own; nothing if the access can't be made.
    fn spot(
        &self,
        shared: &Shared<'_>,
        address: Address,
        bytes: u32,
        is_write: bool,
    ) -> Option<Spot> {
        let (object, offset) = self.gang.locate(address, 0);
        let info = shared.program.objects.get(object as usize)?;
        let (space, start, size) = match info.kind {
            ObjectKind::Buffer { writable, .. }
            | ObjectKind::Argument { writable, .. }
            | ObjectKind::Global { writable, .. }
                if is_write && !writable =>
            {
                return None;
            }
            ObjectKind::Buffer { .. }
            | ObjectKind::Memory { .. }
            | ObjectKind::Argument { .. }
            | ObjectKind::Global { .. } => {
                let home = shared.homes[object as usize];
                (home as u32, 0, shared.buffers[home].len())
            }
            ObjectKind::Workgroup { start, size } => {
                let space = shared.buffers.len() as u32 + self.group;
                (space, start, size as usize)
            }
            _ => return None,
        };
        let end = (offset as usize).checked_add(bytes as usize)?;
        (end <= size).then_some(Spot {
            space,
            offset: start + offset,
            bytes,
        })
    }

    /// Gives a load its value.
    pub(crate) fn load(
        &mut self,
        program: &Program,
        pc: Pc,
        (value, undefined): (u64, UndefinedBits),
    ) {
        let Inst::Load { to, cell } = program.code[pc as usize] else {
            return;
        };
        let value = match cell.leaf {
            Leaf::Scalar(ScalarType::Bool) => u64::from(value != 0),
            _ => value,
        };
        self.gang.columns[to as usize][0] = value as u32;
        if cell.leaf.columns() == 2 {
            self.gang.columns[to as usize + 1][0] = (value >> 32) as u32;
        }
        self.gang.take_undefined(program, to, undefined);
    }

    /// The undefined bits of what it stores.
    pub(crate) fn undefined_to_store(&mut self) -> UndefinedBits {
        self.gang.undefined_to_store()
    }

    /// What an atomic writes where this value stands; nothing if it doesn't.
    pub(crate) fn replaced(&self, atomic: &Atomic, old: u64) -> Option<u64> {
        let value = self.gang.scalar(atomic.ty, atomic.value, 0);
        let comparator = self.gang.scalar(atomic.ty, atomic.comparator, 0);
        let old = Scalar::new(atomic.ty, old);
        replaced(atomic, old, value, comparator).map(Scalar::bits)
    }

    /// Gives an atomic its result.
    pub(crate) fn set_result(
        &mut self,
        program: &Program,
        atomic: &Atomic,
        (old, undefined): (u64, UndefinedBits),
    ) {
        let old = Scalar::new(atomic.ty, old);
        self.gang.set_scalar(atomic.to, 0, old);
        self.gang.take_undefined(program, atomic.to, undefined);
    }

    /// Where it stands, at an instruction that it has stopped for.
    pub(crate) fn standing(&self, pc: Pc) -> Standing {
        let frame = self.path.map_or(u32::MAX, |path| path.frame);
        Standing {
            pc,
            constructs: self.gang.constructs(frame),
            columns: self.gang.columns.iter().map(|column| column[0]).collect(),
            memory: self.gang.memory.clone(),
            undefined: self.gang.shadows.first_lane(),
        }
    }
}

/// A number of up to eight bytes.
pub(crate) fn value(bytes: &[u8]) -> u64 {
    number(bytes)
}

/// The words of an input that tells of subgroups of this size.
fn subgroup_input(
    program: &Program,
    built_in: BuiltInValue,
    local: u32,
    size: u32,
) -> Option<[u32; 4]> {
    let lane = local % size;
    let one = |word: u32| Some([word, 0, 0, 0]);
    let mask = |mask: u64| Some([mask as u32, (mask >> 32) as u32, 0, 0]);
    let bit = 1u64 << (lane % 64);
    let from = (u64::MAX >> (64 - size.clamp(1, 64))) & !(bit - 1);
    let all: u32 = program.workgroup_size.iter().product();
    match built_in {
        BuiltInValue::SubgroupSize => one(size),
        BuiltInValue::SubgroupId => one(local / size),
        BuiltInValue::NumSubgroups | BuiltInValue::NumEnqueuedSubgroups => one(all.div_ceil(size)),
        BuiltInValue::SubgroupLocalInvocationId => one(lane),
        BuiltInValue::SubgroupEqMask => mask(bit),
        BuiltInValue::SubgroupGeMask => mask(from),
        BuiltInValue::SubgroupGtMask => mask(from & !bit),
        BuiltInValue::SubgroupLeMask => mask((bit - 1) | bit),
        BuiltInValue::SubgroupLtMask => mask(bit - 1),
        _ => None,
    }
}
