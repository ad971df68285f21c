//! Copies of bytes and by workgroups.

use spirvkit_analysis::index::Inst as Instruction;
use spirvkit_analysis::{Lookup, Type};
use spirvkit_eval::ScalarType;
use spirvkit_grammar::{MemorySemantics, StorageClass};

use super::types::U32;
use super::{Lowering, Result};
use crate::program::{Address, Cell, Fence, Inst, Leaf, Level, NO_REG, Pair, Reg, pair};
use crate::special::{Copies, Special};

impl<'a> Lowering<'_, 'a> {
    /// `OpCopyMemorySized`: eight bytes at a time, as far as there are as many.
    pub(super) fn copy_bytes(&mut self, inst: Instruction<'a>) -> Result<()> {
        let (to, from) = (inst.id(0), inst.id(1));
        self.check_alignments(inst, 3)?;
        let (to, from) = (self.pointer(to)?.address, self.pointer(from)?.address);
        let Some(size) = self.m.constant_u64(inst.id(2)) else {
            return self.copy_as_many(inst, to, from);
        };
        let Ok(size) = u32::try_from(size) else {
            return Err(self.unsupported("a copy of 4 GiB or more"));
        };
        let start = self.program.code.len();
        let mut done = 0;
        while done < size {
            let left = size - done;
            let bytes = [8, 4, 2, 1].into_iter().find(|&it| it <= left).unwrap_or(1);
            let leaf = Leaf::Scalar(ScalarType::Integer {
                width: 8 * bytes as u8,
            });
            let columns = self.columns(leaf.columns())?;
            let address = self.bytes_further(from, done)?;
            let cell = Cell { leaf, address };
            self.emit(Inst::Load {
                to: columns[0],
                cell,
            });
            let address = self.bytes_further(to, done)?;
            let cell = Cell { leaf, address };
            let from = pair(&columns);
            self.emit(Inst::Store { from, cell });
            self.check_size()?;
            done += bytes;
        }
        self.share(start, inst, 3);
        Ok(())
    }

    /// As many bytes as are known when they are copied.
    fn copy_as_many(&mut self, inst: Instruction<'a>, to: Address, from: Address) -> Result<()> {
        let count = pair(&self.value(inst.id(2))?);
        let start = self.program.code.len();
        let one = [self.word(1), NO_REG];
        self.copies(Copies {
            to,
            from,
            leaves: vec![(Leaf::Scalar(ScalarType::Integer { width: 8 }), 0)],
            size: 1,
            count,
            strides: [one; 2],
            is_shared: false,
        });
        self.share(start, inst, 3);
        Ok(())
    }

    /// `OpGroupAsyncCopy`: each invocation copies its share.
    pub(super) fn async_copy(&mut self, inst: Instruction<'a>) -> Result<()> {
        let pointee = self.pointee(inst.id(1))?;
        let (to, from) = (self.pointer(inst.id(1))?, self.pointer(inst.id(2))?);
        let size = self.types.stride(pointee);
        let size = size.map_err(|why| self.no_extent(why))?;
        let placed = super::types::Placed::plain(pointee);
        let leaves = self.types.leaves(placed);
        let mut leaves = leaves.map_err(|why| self.no_extent(why))?;
        if self.has_narrow_addresses() {
            let pointers = leaves.iter_mut().filter(|it| it.0 == Leaf::Pointer);
            pointers.for_each(|it| it.0 = Leaf::Scalar(U32));
        }
        let count = pair(&self.value(inst.id(3))?);
        let one: Pair = [self.word(1), NO_REG];
        let stride = pair(&self.value(inst.id(4))?);
        // The stride is that in memory of all workgroups.
        let ty = self.type_of(inst.id(1))?;
        let strides = match self.m.ty(ty) {
            Type::Pointer {
                class: StorageClass::Workgroup,
                ..
            } => [one, stride],
            _ => [stride, one],
        };
        self.copies(Copies {
            to: to.address,
            from: from.address,
            leaves,
            size,
            count,
            strides,
            is_shared: true,
        });
        self.program
            .shared_by
            .insert(self.place(), Level::Workgroup);
        let event: Vec<Reg> = vec![self.word(0)];
        self.check_columns(inst, event.len())?;
        self.define(inst, event);
        Ok(())
    }

    /// `OpGroupWaitEvents`: nobody goes on before all have copied their share.
    pub(super) fn wait_for_events(&mut self) -> Result<()> {
        let semantics = [
            MemorySemantics::AcquireRelease,
            MemorySemantics::WorkgroupMemory,
            MemorySemantics::CrossWorkgroupMemory,
        ];
        let semantics = semantics.iter().fold(0, |all, bit| all | bit.0);
        self.program.fences.push(Fence {
            level: Level::Workgroup,
            semantics: MemorySemantics(semantics),
            half: None,
        });
        let fence = self.program.fences.len() as u32 - 1;
        self.emit(Inst::Barrier {
            workgroup: true,
            fence,
        });
        Ok(())
    }

    pub(super) fn copies(&mut self, copies: Copies) {
        // Of what takes no memory, there may be more than can be counted.
        if copies.leaves.is_empty() {
            return;
        }
        self.special(Special::Copies(Box::new(copies)));
    }
}
