//! Pipes (section 3.32.23).

use spirvkit_analysis::Lookup;
use spirvkit_analysis::index::Inst as Instruction;
use spirvkit_binary::Id;
use spirvkit_eval::ScalarType;
use spirvkit_grammar::{AccessQualifier, Op};

use super::kernels::Given;
use super::{Lowering, Result, Value};
use crate::kinds;
use crate::program::{Address, BEYOND, Binary, Leaf, Level, NO_REG, Object, ObjectKind, Reg};
use crate::special::{Copies, PipeOp, PipeUse, Special};

/// How many bytes of a packet are copied at once, at most.
const MAX_UNIT: u32 = 8;

/// What an instruction does, and whether invocations do it together.
fn operation(op: Op) -> Option<(PipeOp, bool)> {
    Some(match op {
        Op::ReadPipe => (PipeOp::Read, false),
        Op::WritePipe => (PipeOp::Write, false),
        Op::ReservedReadPipe => (PipeOp::ReservedRead, false),
        Op::ReservedWritePipe => (PipeOp::ReservedWrite, false),
        Op::ReserveReadPipePackets => (PipeOp::ReserveRead, false),
        Op::ReserveWritePipePackets => (PipeOp::ReserveWrite, false),
        Op::CommitReadPipe => (PipeOp::CommitRead, false),
        Op::CommitWritePipe => (PipeOp::CommitWrite, false),
        Op::GetNumPipePackets => (PipeOp::Count, false),
        Op::GetMaxPipePackets => (PipeOp::Capacity, false),
        Op::GroupReserveReadPipePackets => (PipeOp::ReserveRead, true),
        Op::GroupReserveWritePipePackets => (PipeOp::ReserveWrite, true),
        Op::GroupCommitReadPipe => (PipeOp::CommitRead, true),
        Op::GroupCommitWritePipe => (PipeOp::CommitWrite, true),
        _ => return None,
    })
}

impl<'a> Lowering<'_, 'a> {
    /// An argument that is a pipe.
    pub(super) fn pipe_argument(&mut self, id: Id, index: u32, given: Given) -> Result<()> {
        let (packet, capacity, count) = match given {
            Given::Pipe {
                packet,
                capacity,
                count,
            } => (packet, capacity, count),
            _ => {
                self.object_to(id, index, "is a pipe, which needs one");
                (1, 0, 0)
            }
        };
        let kind = ObjectKind::Pipe {
            index: Some(index),
            packet,
            capacity,
            count,
        };
        let name = self.argument_name(id);
        let object = self.new_object(&name, kind)?;
        let columns = self.handle(object);
        self.values.insert(id.0, Value::Columns(columns));
        Ok(())
    }

    /// `OpConstantPipeStorage`: a pipe that is empty at first, which all invocations share.
    pub(super) fn pipe_storage(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let (packet, capacity) = (inst.arg(0), inst.arg(2));
        // What is kept of each packet takes a byte, too.
        let room = u64::from(packet.max(1)) * u64::from(capacity);
        self.global_bytes = self.global_bytes.saturating_add(room);
        if self.global_bytes > self.surroundings.max_memory || room > BEYOND.into() {
            let message = format!(
                "the variables and pipes that all invocations share take {} bytes of memory, more than allowed",
                self.global_bytes
            );
            let error = kinds::UNSUPPORTED.error(message);
            return Err(Box::new(error.at_word(inst.offset() as usize)));
        }
        let kind = ObjectKind::Pipe {
            index: None,
            packet,
            capacity,
            count: 0,
        };
        let name = self.name(inst.result().unwrap_or(Id(0)));
        let object = self.new_object(&name, kind)?;
        Ok(self.handle(object))
    }

    /// The columns of what has a number.
    pub(super) fn handle(&mut self, number: u32) -> Vec<Reg> {
        let column = self.word(number);
        self.handle_in(column)
    }

    /// The columns of what has the number in a column.
    pub(super) fn handle_in(&mut self, column: Reg) -> Vec<Reg> {
        match self.has_narrow_addresses() {
            true => vec![column],
            false => vec![column, self.word(0)],
        }
    }

    /// An instruction on a pipe or a reservation.
    pub(super) fn pipe(&mut self, inst: Instruction<'a>) -> Result<()> {
        if inst.op() == Op::IsValidReserveId {
            let (id, zero) = (self.scalar(inst.id(0))?, self.word(0));
            return self.computed(inst, |this, _| {
                Ok(vec![this.binary(Binary::INotEqual, id, zero)?])
            });
        }
        let Some((op, is_together)) = operation(inst.op()) else {
            return Err(self.unsupported(inst.op().to_string()));
        };
        let level = match is_together {
            true => self.level(inst.id(0)),
            false => Level::Invocation,
        };
        if level == Level::Device {
            let what = format!("{} of a scope wider than the workgroup", inst.op());
            return Err(self.unsupported(what));
        }
        // Operands: the pipe, what each has of its own, size and alignment of a packet.
        let first = usize::from(is_together);
        let last = inst.args().len();
        let is_copied = matches!(
            op,
            PipeOp::Read | PipeOp::Write | PipeOp::ReservedRead | PipeOp::ReservedWrite
        );
        let own = last.saturating_sub(first + 3 + usize::from(is_copied));
        let optional = |this: &mut Self, index: usize| match index < own {
            true => this.scalar(inst.id(first + 1 + index)),
            false => Ok(NO_REG),
        };
        let (second, index) = (optional(self, 0)?, optional(self, 1)?);
        let size = inst.id(last.saturating_sub(2));
        let using = PipeUse {
            op,
            level,
            pipe: self.scalar(inst.id(first))?,
            size: self.scalar(size)?,
            second,
            index,
            to: NO_REG,
            at: [NO_REG; 3],
            unit: self.unit(size),
            is_allowed: self.allows(inst.id(first), op)?,
        };
        match is_copied {
            true => self.copy_packet(inst, using),
            false => self.use_pipe(inst, using),
        }
    }

    /// What only deals with reservations, or asks.
    fn use_pipe(&mut self, inst: Instruction<'a>, using: PipeUse) -> Result<()> {
        if inst.result().is_none() {
            self.special(Special::Pipe(Box::new(using)));
            return Ok(());
        }
        self.computed(inst, |this, _| {
            let to = this.column()?;
            this.special(Special::Pipe(Box::new(PipeUse { to, ..using })));
            Ok(match using.op {
                PipeOp::ReserveRead | PipeOp::ReserveWrite => this.handle_in(to),
                _ => vec![to],
            })
        })
    }

    /// What reads or writes a packet: once it is known which one, its bytes are copied.
    fn copy_packet(&mut self, inst: Instruction<'a>, using: PipeUse) -> Result<()> {
        let last = inst.args().len();
        let pointer = self.pointer(inst.id(last.saturating_sub(3)))?.address;
        let alignment = self.m.constant_u64(inst.id(last.saturating_sub(1)));
        let alignment = alignment.and_then(|it| u32::try_from(it).ok());
        if let Some(alignment) = alignment.filter(|it| it.is_power_of_two()) {
            self.emit_alignment(pointer, alignment);
        }
        let (to, object, offset, count) = (
            self.column()?,
            self.column()?,
            self.column()?,
            self.column()?,
        );
        let is_write = using.op.is_write() == Some(true);
        let unit = using.unit;
        self.special(Special::Pipe(Box::new(PipeUse {
            to,
            at: [object, offset, count],
            ..using
        })));
        let packet = Address {
            object: Object::Column(object),
            offset,
            constant: 0,
        };
        let (to_address, from) = match is_write {
            true => (packet, pointer),
            false => (pointer, packet),
        };
        let width = 8 * unit as u8;
        let one = [self.word(1), NO_REG];
        self.copies(Copies {
            to: to_address,
            from,
            leaves: vec![(Leaf::Scalar(ScalarType::Integer { width }), 0)],
            size: unit,
            count: [count, NO_REG],
            strides: [one; 2],
            is_shared: false,
        });
        if is_write {
            // Pipes are nothing that others can access in another way.
            self.program.writes_own.insert(self.place());
        }
        self.check_columns(inst, 1)?;
        self.define(inst, vec![to]);
        Ok(())
    }

    /// How many bytes of a packet are copied at once: its size is a multiple of it.
    fn unit(&self, size: Id) -> u32 {
        match self.m.constant_u64(size) {
            Some(size) => 1 << size.trailing_zeros().min(MAX_UNIT.trailing_zeros()),
            None => 1,
        }
    }

    /// Whether the type of a pipe has the access qualifier for an operation.
    fn allows(&self, pipe: Id, op: PipeOp) -> Result<bool> {
        let ty = self.type_of(pipe)?;
        let Some(ty) = self.m.def(ty).filter(|it| it.op() == Op::TypePipe) else {
            return Err(self.broken("a pipe is expected"));
        };
        Ok(match op.is_write() {
            Some(true) => ty.arg(0) != AccessQualifier::ReadOnly.0,
            Some(false) => ty.arg(0) != AccessQualifier::WriteOnly.0,
            None => true,
        })
    }
}
