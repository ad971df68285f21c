//! Loads, stores and atomics.

use spirvkit_eval::{Scalar, ScalarType};
use spirvkit_grammar::{GlslStd450 as Glsl, Op, StorageClass};

use super::alu::evaluate;
use super::control::{Active, Gang};
use super::{Shared, is_column};
use crate::kinds;
use crate::program::{
    Address, Atomic, BEYOND, Cell, GeneralOp, Leaf, NO_REG, Object, ObjectInfo, ObjectKind, Pair,
    Pc, Program, Reg,
};
use crate::run::UNBOUND;

/// Why an access fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoAccess {
    /// There is no such object.
    Null,
    /// It is an element of an array of descriptors to which nothing is bound.
    Unbound,
    /// It ends so many bytes from its beginning.
    Bounds {
        size: usize,
    },
    ReadOnly,
}

/// What an access is about, for messages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) object: u32,
    pub(super) offset: u32,
    pub(super) bytes: u32,
    pub(super) is_write: bool,
}

impl<const W: usize> Gang<W> {
    /// The object and the offset that an address is for a lane.
    pub(crate) fn locate(&self, address: Address, lane: usize) -> (u32, u32) {
        let object = match address.object {
            Object::Known(object) => object,
            Object::Column(column) => self.columns[column as usize][lane],
        };
        let offset = match address.offset {
            NO_REG => 0,
            column => self.columns[column as usize][lane],
        };
        (object, offset.wrapping_add(address.constant))
    }

    /// The bytes of an object, as a lane sees it.
    fn object<'s>(
        &'s mut self,
        shared: &'s mut Shared<'_>,
        memory: &'s mut [u8],
        object: u32,
        lane: usize,
    ) -> Result<(&'s mut [u8], bool), NoAccess> {
        let info = shared
            .program
            .objects
            .get(object as usize)
            .ok_or(NoAccess::Null)?;
        match info.kind {
            ObjectKind::Null => Err(NoAccess::Null),
            ObjectKind::Buffer { writable, .. } => match shared.homes[object as usize] {
                UNBOUND => Err(NoAccess::Unbound),
                home => Ok((&mut shared.buffers[home], writable)),
            },
            ObjectKind::Memory { .. } | ObjectKind::Pipe { .. } | ObjectKind::Parameters => {
                let home = shared.homes[object as usize];
                Ok((&mut shared.buffers[home], true))
            }
            ObjectKind::Argument { writable, .. } | ObjectKind::Global { writable, .. } => {
                let home = shared.homes[object as usize];
                Ok((&mut shared.buffers[home], writable))
            }
            ObjectKind::Resource { .. } => {
                let image = shared.images.bound.get(object as usize);
                let image = image.and_then(Option::as_ref).ok_or(NoAccess::Unbound)?;
                let home = shared.homes[object as usize];
                Ok((&mut shared.buffers[home], image.declared.writable))
            }
            ObjectKind::ConstantSampler { .. } => Err(NoAccess::Null),
            ObjectKind::Push { .. } => {
                let home = shared.homes[object as usize];
                Ok((&mut shared.buffers[home], false))
            }
            ObjectKind::Workgroup { start, size } => {
                let start = start as usize;
                Ok((&mut memory[start..start + size as usize], true))
            }
            ObjectKind::Lane { start, size } => {
                let start = lane * shared.program.lane_bytes as usize + start as usize;
                Ok((&mut self.memory[start..start + size as usize], true))
            }
        }
    }

    /// The bytes that an access is about.
    pub(super) fn bytes<'s>(
        &'s mut self,
        shared: &'s mut Shared<'_>,
        memory: &'s mut [u8],
        access: Access,
        lane: usize,
    ) -> Result<&'s mut [u8], NoAccess> {
        shared.track(access);
        let (bytes, writable) = self.object(shared, memory, access.object, lane)?;
        let size = bytes.len();
        let start = access.offset as usize;
        let room = bytes.get_mut(start..start.saturating_add(access.bytes as usize));
        match room {
            None => Err(NoAccess::Bounds { size }),
            Some(_) if access.is_write && !writable => Err(NoAccess::ReadOnly),
            Some(room) => Ok(room),
        }
    }

    pub(super) fn report(
        &self,
        shared: &mut Shared<'_>,
        pc: Pc,
        access: Access,
        why: NoAccess,
        lane: usize,
    ) {
        let is_bound = |kind| {
            matches!(
                kind,
                ObjectKind::Buffer { .. } | ObjectKind::Resource { .. }
            )
        };
        let info = shared.program.objects.get(access.object as usize);
        if shared.is_robust
            && matches!(why, NoAccess::Bounds { .. })
            && info.is_some_and(|info| is_bound(info.kind))
        {
            return;
        }
        let kind = match why {
            NoAccess::Null | NoAccess::Unbound => &kinds::NULL,
            NoAccess::Bounds { .. } => &kinds::BOUNDS,
            NoAccess::ReadOnly => &kinds::READ_ONLY,
        };
        let program = shared.program;
        let image = shared.images.bound.get(access.object as usize);
        let image = image.and_then(Option::as_ref);
        let message = || {
            let name = match program.objects.get(access.object as usize) {
                Some(info) => format!("`{}`", info.name),
                None => String::from("an unknown object"),
            };
            let Access { offset, bytes, .. } = access;
            let what = match (access.is_write, bytes) {
                (true, 1) => "writes a byte".to_owned(),
                (false, 1) => "reads a byte".to_owned(),
                (true, _) => format!("writes {bytes} bytes"),
                (false, _) => format!("reads {bytes} bytes"),
            };
            match why {
                NoAccess::Null => {
                    format!("{what} through a pointer that points to no object")
                }
                NoAccess::Unbound => {
                    let place = info.map_or_else(String::new, ObjectInfo::described_element);
                    format!("{what} of {place}, to which nothing is bound")
                }
                NoAccess::Bounds { .. } if offset == BEYOND && image.is_some() => {
                    let extent = image.map_or_else(String::new, |image| image.shape.extent());
                    format!("the texel is not in {name}, which has {extent}")
                }
                NoAccess::Bounds { size } => {
                    format!("{what} at offset {offset} of {name}, which has {size} bytes")
                }
                NoAccess::ReadOnly => format!("writes to {name}, which is not writable"),
            }
        };
        let invocations = self.invocations(1 << lane);
        shared.findings.add(program, kind, pc, invocations, message);
    }

    /// An element of an array of descriptors is used to which nothing is bound.
    pub(super) fn report_unbound(&self, shared: &mut Shared<'_>, pc: Pc, lane: usize, object: u32) {
        let program = shared.program;
        let message = || match program.objects.get(object as usize) {
            Some(info) => format!(
                "uses {}, to which nothing is bound",
                info.described_element()
            ),
            None => String::from("uses an unknown object"),
        };
        let invocations = self.invocations(1 << lane);
        shared
            .findings
            .add(program, &kinds::NULL, pc, invocations, message);
    }

    pub(crate) fn load(
        &mut self,
        shared: &mut Shared<'_>,
        memory: &mut [u8],
        active: &Active<W>,
        pc: Pc,
        to: Reg,
        cell: Cell,
    ) {
        if shared.races.is_some() {
            self.record_cells(shared, memory, active, pc, (cell, None));
        }
        if self.load_together(shared, memory, active, to, cell) {
            return;
        }
        let Cell { leaf, address } = cell;
        for lane in active.lanes() {
            let (object, offset) = self.locate(address, lane);
            let access = Access {
                object,
                offset,
                bytes: leaf.bytes(),
                is_write: false,
            };
            let read = match self.bytes(shared, memory, access, lane) {
                Ok(bytes) => Ok(number(bytes)),
                Err(why) => Err(why),
            };
            // Whoever goes on gets zeros (Vulkan, "Robustness").
            let word = match read {
                Ok(word) => word,
                Err(why) => {
                    self.report(shared, pc, access, why, lane);
                    0
                }
            };
            let word = match leaf {
                Leaf::Scalar(ScalarType::Bool) => u64::from(word != 0),
                _ => word,
            };
            self.columns[to as usize][lane] = word as u32;
            if leaf.columns() == 2 {
                self.columns[to as usize + 1][lane] = (word >> 32) as u32;
            }
        }
    }

    pub(crate) fn store(
        &mut self,
        shared: &mut Shared<'_>,
        memory: &mut [u8],
        active: &Active<W>,
        pc: Pc,
        from: Pair,
        cell: Cell,
    ) {
        if shared.races.is_some() {
            self.record_cells(shared, memory, active, pc, (cell, Some(from)));
        }
        if self.store_together(shared, memory, active, from, cell) {
            return;
        }
        let Cell { leaf, address } = cell;
        let size = leaf.bytes();
        for lane in active.lanes() {
            let (object, offset) = self.locate(address, lane);
            let access = Access {
                object,
                offset,
                bytes: size,
                is_write: true,
            };
            let [low, high] = from.map(|column| u64::from(self.word(column, lane)));
            let word = (high << 32 | low).to_le_bytes();
            match self.bytes(shared, memory, access, lane) {
                Ok(bytes) => bytes.copy_from_slice(&word[..size as usize]),
                Err(why) => self.report(shared, pc, access, why, lane),
            }
        }
    }

    pub(crate) fn array_length(
        &mut self,
        shared: &mut Shared<'_>,
        memory: &mut [u8],
        active: &Active<W>,
        pc: Pc,
        (to, address, stride): (Reg, Address, u32),
    ) {
        for lane in active.lanes() {
            let (object, offset) = self.locate(address, lane);
            let size = match self.object(shared, memory, object, lane) {
                Ok((bytes, _)) => bytes.len(),
                Err(NoAccess::Unbound) => {
                    self.report_unbound(shared, pc, lane, object);
                    0
                }
                Err(_) => 0,
            };
            let length = size.saturating_sub(offset as usize) / stride as usize;
            self.columns[to as usize][lane] = u32::try_from(length).unwrap_or(u32::MAX);
        }
    }

    pub(crate) fn check_index(
        &mut self,
        shared: &mut Shared<'_>,
        active: &Active<W>,
        pc: Pc,
        index: Reg,
        high: Reg,
        limit: u32,
    ) {
        let low = &self.columns[index as usize];
        let above = (0..W).map(|lane| active.words[lane] & u32::from(low[lane] >= limit));
        let is_high = |lane: usize| is_column(high) && self.columns[high as usize][lane] != 0;
        if above.fold(0, |all, word| all | word) == 0 && !is_column(high) {
            return;
        }
        let wrong = active
            .lanes()
            .filter(|&lane| low[lane] >= limit || is_high(lane));
        let wrong = wrong.fold(0, |all, lane| all | 1u64 << lane);
        if wrong == 0 {
            return;
        }
        let first = low[wrong.trailing_zeros() as usize];
        let message = || {
            format!(
                "the index is {}, but there are {limit} elements",
                first as i32
            )
        };
        let invocations = self.invocations(wrong);
        shared
            .findings
            .add(shared.program, &kinds::INDEX, pc, invocations, message);
    }

    pub(crate) fn class_of(&mut self, program: &Program, active: &Active<W>, to: Reg, object: Reg) {
        for lane in active.lanes() {
            let object = self.columns[object as usize][lane];
            let class = match program.objects.get(object as usize).map(|it| it.kind) {
                Some(ObjectKind::Workgroup { .. }) => StorageClass::Workgroup,
                Some(ObjectKind::Lane { .. }) => StorageClass::Function,
                Some(ObjectKind::Null) | None => StorageClass::Generic,
                Some(_) => StorageClass::CrossWorkgroup,
            };
            self.columns[to as usize][lane] = class.0;
        }
    }

    pub(crate) fn check_alignment(
        &mut self,
        shared: &mut Shared<'_>,
        active: &Active<W>,
        pc: Pc,
        address: Address,
        alignment: u32,
    ) {
        for lane in active.lanes() {
            let (_, offset) = self.locate(address, lane);
            if offset & (alignment - 1) != 0 {
                let invocations = self.invocations(1 << lane);
                let message =
                    || format!("offset {offset} is not aligned to {alignment} bytes as promised");
                let kind = &kinds::ALIGNMENT;
                shared
                    .findings
                    .add(shared.program, kind, pc, invocations, message);
            }
        }
    }

    pub(crate) fn atomic(
        &mut self,
        shared: &mut Shared<'_>,
        memory: &mut [u8],
        active: &Active<W>,
        pc: Pc,
        atomic: &Atomic,
    ) {
        let size = atomic.ty.width().div_ceil(8);
        for lane in active.lanes() {
            let (object, offset) = self.locate(atomic.address, lane);
            let access = Access {
                object,
                offset,
                bytes: size,
                is_write: atomic.op != Op::AtomicLoad,
            };
            if offset % size != 0 {
                let invocations = self.invocations(1 << lane);
                let message = || format!("an atomic of {size} bytes is at offset {offset}");
                let kind = &kinds::ALIGNMENT;
                shared
                    .findings
                    .add(shared.program, kind, pc, invocations, message);
            }
            let value = self.scalar(atomic.ty, atomic.value, lane);
            let comparator = self.scalar(atomic.ty, atomic.comparator, lane);
            let (mut wrote, mut changed) = (false, false);
            let old = match self.bytes(shared, memory, access, lane) {
                Ok(bytes) => {
                    let old = Scalar::new(atomic.ty, number(bytes));
                    if let Some(new) = replaced(atomic, old, value, comparator) {
                        wrote = true;
                        changed = new != old;
                        bytes.copy_from_slice(&new.bits().to_le_bytes()[..size as usize]);
                    }
                    old
                }
                Err(why) => {
                    self.report(shared, pc, access, why, lane);
                    Scalar::zero(atomic.ty)
                }
            };
            if atomic.op != Op::AtomicStore && is_unreadable(shared, object) {
                let name = shared.program.objects[object as usize].name.clone();
                let message = || format!("reads from `{name}`, which is not readable");
                let (kind, program) = (&kinds::WRITE_ONLY, shared.program);
                let invocations = self.invocations(1 << lane);
                shared.findings.add(program, kind, pc, invocations, message);
            }
            shared.changes += u64::from(changed);
            if shared.races.is_some() {
                self.record_atomic(shared, pc, atomic, lane, wrote);
            }
            self.set_scalar(atomic.to, lane, old);
        }
    }
}

/// Whether an object is an image that may only be written.
fn is_unreadable(shared: &Shared<'_>, object: u32) -> bool {
    let image = shared.images.bound.get(object as usize);
    matches!(image, Some(Some(image)) if !image.declared.readable)
}

/// Up to eight bytes as a number.
pub(super) fn number(bytes: &[u8]) -> u64 {
    let bytes = bytes.iter().rev();
    bytes.fold(0, |all, &byte| all << 8 | u64::from(byte))
}

/// What an atomic writes (section 3.32.18); `None` if nothing.
pub(super) fn replaced(
    atomic: &Atomic,
    old: Scalar,
    value: Scalar,
    comparator: Scalar,
) -> Option<Scalar> {
    let one = Scalar::new(old.ty(), 1);
    let (operation, operand) = match atomic.op {
        Op::AtomicLoad => return None,
        Op::AtomicStore | Op::AtomicExchange => return Some(value),
        Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => {
            return (old == comparator).then_some(value);
        }
        Op::AtomicIIncrement => (GeneralOp::Core(Op::IAdd), one),
        Op::AtomicIDecrement => (GeneralOp::Core(Op::ISub), one),
        Op::AtomicIAdd => (GeneralOp::Core(Op::IAdd), value),
        Op::AtomicISub => (GeneralOp::Core(Op::ISub), value),
        Op::AtomicAnd => (GeneralOp::Core(Op::BitwiseAnd), value),
        Op::AtomicOr => (GeneralOp::Core(Op::BitwiseOr), value),
        Op::AtomicXor => (GeneralOp::Core(Op::BitwiseXor), value),
        Op::AtomicFAddEXT => (GeneralOp::Core(Op::FAdd), value),
        Op::AtomicSMin => (GeneralOp::Glsl(Glsl::SMin), value),
        Op::AtomicUMin => (GeneralOp::Glsl(Glsl::UMin), value),
        Op::AtomicSMax => (GeneralOp::Glsl(Glsl::SMax), value),
        Op::AtomicUMax => (GeneralOp::Glsl(Glsl::UMax), value),
        Op::AtomicFMinEXT => (GeneralOp::Glsl(Glsl::NMin), value),
        Op::AtomicFMaxEXT => (GeneralOp::Glsl(Glsl::NMax), value),
        _ => return None,
    };
    let result = evaluate(operation, old.ty(), &[old, operand], &atomic.environment);
    result.ok().map(|outcome| outcome.common())
}
