//! Scopes and semantics: how memory is ordered (sections 3.25 to 3.27).

use spirvkit_analysis::index::Inst as Instruction;
use spirvkit_analysis::{Lookup, Type};
use spirvkit_binary::Id;
use spirvkit_grammar::{
    Decoration, MemoryAccess, MemoryModel, MemorySemantics, Op, Scope, StorageClass,
};

use super::{Lowering, Result, arguments};
use crate::program::{Fence, Inst, Level, Sharing};

impl<'a> Lowering<'_, 'a> {
    /// Adds what the scope and semantics from an operand on say to the program's fences.
    pub(super) fn fence(&mut self, inst: Instruction<'a>, first: usize) -> u32 {
        let fence = self.ordering(inst.id(first), inst.id(first + 1));
        let known = self.program.fences.iter().position(|it| *it == fence);
        let index = known.unwrap_or(self.program.fences.len());
        if known.is_none() {
            self.program.fences.push(fence);
        }
        index as u32
    }

    pub(super) fn memory_barrier(&mut self, inst: Instruction<'a>) -> Result<()> {
        let fence = self.fence(inst, 0);
        self.emit(Inst::Fence(fence));
        Ok(())
    }

    /// A memory scope with its semantics.
    pub(super) fn ordering(&self, scope: Id, semantics: Id) -> Fence {
        Fence {
            level: self.level(scope),
            semantics: self.semantics(semantics),
        }
    }

    pub(super) fn semantics(&self, semantics: Id) -> MemorySemantics {
        MemorySemantics(self.m.constant_u64(semantics).unwrap_or(0) as u32)
    }

    fn level(&self, scope: Id) -> Level {
        let scope = self.m.constant_u64(scope).map(|scope| Scope(scope as u32));
        match scope {
            Some(Scope::Invocation) => Level::Invocation,
            Some(Scope::Subgroup) => Level::Subgroup,
            Some(Scope::Workgroup) => Level::Workgroup,
            _ => Level::Device,
        }
    }

    /// Notes how the loads and stores that were emitted from a place on are shared, where it
    /// is not as in most of the module. Memory operands begin at an operand of the
    /// instruction; a second list is for what is read.
    pub(super) fn share(&mut self, start: usize, inst: Instruction<'a>, first: usize) {
        let mut from = 0;
        let write = self.memory_operands(arguments(inst, first), &mut from);
        let read = match first + from < inst.args().len() {
            true => self.memory_operands(arguments(inst, first + from), &mut 0),
            false => write,
        };
        let common = *self
            .program
            .common_sharing
            .get_or_insert_with(|| common(self.m.memory_model));
        let is_copy = matches!(inst.op(), Op::CopyMemory | Op::CopyMemorySized);
        for pc in start..self.program.code.len() {
            let (pointer, sharing) = match self.program.code[pc] {
                Inst::Load { .. } if is_copy => (inst.id(1), read),
                Inst::Load { .. } | Inst::Store { .. } => (inst.id(0), write),
                _ => continue,
            };
            let sharing = match self.m.memory_model {
                MemoryModel::Vulkan => sharing,
                MemoryModel::GLSL450 => self.of_glsl(pointer),
                _ => common,
            };
            if sharing != common {
                let is_write = matches!(self.program.code[pc], Inst::Store { .. });
                let place = self.program.places[pc];
                self.program.sharing.insert((place, is_write), sharing);
            }
        }
    }

    /// What memory operands say, and how many they are.
    fn memory_operands(&self, operands: &[u32], count: &mut usize) -> Sharing {
        let mask = operands.first().copied().unwrap_or(0);
        let has = |bit: MemoryAccess| mask & bit.0 != 0;
        let mut next = 1 + usize::from(has(MemoryAccess::Aligned));
        let mut scope = |bit: MemoryAccess| {
            let scope = operands.get(next).filter(|_| has(bit));
            next += usize::from(has(bit));
            scope.map(|&scope| self.level(Id(scope)))
        };
        let available = scope(MemoryAccess::MakePointerAvailable);
        let visible = scope(MemoryAccess::MakePointerVisible);
        *count = next.min(operands.len());
        Sharing {
            is_private: !has(MemoryAccess::NonPrivatePointer),
            available,
            visible,
        }
    }

    /// The memory model `GLSL450` as one would write it in `Vulkan`: what is `Coherent` or
    /// `Volatile` is shared by all, memory of a workgroup by the workgroup, all else by none.
    fn of_glsl(&self, pointer: Id) -> Sharing {
        let mut pointer = pointer;
        let mut is_coherent = false;
        let mut class = StorageClass::StorageBuffer;
        let is = |id: Id| {
            self.m.is_decorated(id, Decoration::Coherent)
                || self.m.is_decorated(id, Decoration::Volatile)
        };
        // A pointer's base comes before it, but a broken module's may not.
        for _ in 0..64 {
            is_coherent |= is(pointer);
            if let Some(Type::Pointer {
                class: found,
                pointee,
            }) = self.m.type_of(pointer).map(|ty| self.m.ty(ty))
            {
                class = found;
                let members = self.m.members(pointee).len() as u32;
                is_coherent |= (0..members).any(|member| {
                    let of = |decoration| self.m.member_decoration(pointee, member, decoration);
                    of(Decoration::Coherent)
                        .or(of(Decoration::Volatile))
                        .is_some()
                });
            }
            let base = self
                .m
                .def(pointer)
                .filter(|inst| inst.op().is_access_chain() || inst.op() == Op::CopyObject);
            match base {
                Some(inst) => pointer = inst.id(0),
                None => break,
            }
        }
        let level = match class {
            StorageClass::Workgroup => Some(Level::Workgroup),
            _ => is_coherent.then_some(Level::Device),
        };
        Sharing {
            is_private: level.is_none(),
            available: level,
            visible: level,
        }
    }
}

/// How loads and stores without further words are shared.
fn common(model: MemoryModel) -> Sharing {
    match model {
        MemoryModel::Vulkan | MemoryModel::GLSL450 => Sharing {
            is_private: true,
            available: None,
            visible: None,
        },
        // All memory is shared by all.
        _ => Sharing {
            is_private: false,
            available: Some(Level::Device),
            visible: Some(Level::Device),
        },
    }
}
