//! Scopes and semantics: how memory is ordered (sections 3.25 to 3.27).

use hashbrown::HashSet;
use spirvkit_analysis::index::Inst as Instruction;
use spirvkit_analysis::{Lookup, ModuleIndex, Type};
use spirvkit_binary::Id;
use spirvkit_grammar::{
    Capability, Decoration, MemoryAccess, MemoryModel, MemorySemantics, Op, Scope, StorageClass,
};

use super::{Lowering, Result, arguments};
use crate::program::{Binary, Fence, Half, Inst, Level, Object, Reg, Sharing};
use crate::special::{NamedBarrier, Special};

/// What the number of a named barrier is increased by when it is made anew.
const ONCE_MORE: u32 = 1 << 16;

impl<'a> Lowering<'_, 'a> {
    /// Adds to the program's fences.
    fn add_fence(&mut self, fence: Fence) -> u32 {
        let known = self.program.fences.iter().position(|it| *it == fence);
        let index = known.unwrap_or(self.program.fences.len());
        if known.is_none() {
            self.program.fences.push(fence);
        }
        index as u32
    }

    /// A memory barrier, or the first half of a control barrier, at which nobody waits.
    pub(super) fn memory_barrier(&mut self, inst: Instruction<'a>) -> Result<()> {
        let arrives = inst.op() == Op::ControlBarrierArriveEXT;
        let first = usize::from(arrives);
        let fence = Fence {
            half: arrives.then_some(Half::Arrive),
            ..self.ordering(inst.id(first), inst.id(first + 1))
        };
        let fence = self.add_fence(fence);
        self.emit(Inst::Fence(fence));
        Ok(())
    }

    /// A control barrier, or the second half of one, at which invocations wait.
    pub(super) fn barrier(&mut self, inst: Instruction<'a>) -> Result<()> {
        let scope = self.m.constant_u64(inst.id(0));
        let workgroup = match scope.map(|scope| Scope(scope as u32)) {
            Some(Scope::Workgroup) => true,
            Some(Scope::Subgroup | Scope::Invocation) => false,
            _ => return Err(self.unsupported("a barrier of a scope wider than the workgroup")),
        };
        let mut fence = self.ordering(inst.id(1), inst.id(2));
        // What it acquires the first half has released, and not what is between.
        if inst.op() == Op::ControlBarrierWaitEXT {
            fence.half = Some(Half::Wait);
            fence.semantics = acquiring(fence.semantics);
        }
        let fence = self.add_fence(fence);
        self.emit(Inst::Barrier { workgroup, fence });
        Ok(())
    }

    /// `OpNamedBarrierInitialize`: a barrier is known by how many subgroups it waits for, by the
    /// instruction that has made it, because all invocations of a workgroup make it, and by how
    /// often that has been executed, because each time makes a new one.
    pub(super) fn named_barrier(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let count = self.scalar(inst.id(0))?;
        self.program.named_barriers += 1;
        if self.program.named_barriers >= ONCE_MORE {
            return Err(self.unsupported("so many named barriers"));
        }
        let made = self.column()?;
        self.program.zeroed.push(made);
        let once_more = self.word(ONCE_MORE);
        let now = self.binary(Binary::IAdd, made, once_more)?;
        self.copy(&[made], &[now]);
        let maker = self.word(self.program.named_barriers);
        let maker = self.binary(Binary::IAdd, now, maker)?;
        Ok(vec![count, maker])
    }

    /// `OpMemoryNamedBarrier`
    pub(super) fn wait_at_named(&mut self, inst: Instruction<'a>) -> Result<()> {
        let [count, maker] = self.value(inst.id(0))?[..] else {
            return Err(self.broken("a named barrier is expected"));
        };
        let barrier = NamedBarrier { count, maker };
        let fence = self.add_fence(self.ordering(inst.id(1), inst.id(2)));
        self.special(Special::NamedBarrier { barrier, fence });
        Ok(())
    }

    /// A memory scope with its semantics.
    pub(super) fn ordering(&self, scope: Id, semantics: Id) -> Fence {
        Fence {
            level: self.level(scope),
            semantics: self.semantics(semantics),
            half: None,
        }
    }

    pub(super) fn semantics(&self, semantics: Id) -> MemorySemantics {
        let semantics = self.m.constant_u64(semantics).unwrap_or(0) as u32;
        // Shaders have no such memory, so Vulkan ignores this.
        let ignored = match self.m.has(Capability::Kernel) {
            true => 0,
            false => MemorySemantics::CrossWorkgroupMemory.0,
        };
        MemorySemantics(semantics & !ignored)
    }

    pub(super) fn level(&self, scope: Id) -> Level {
        let scope = self.m.constant_u64(scope).map(|scope| Scope(scope as u32));
        match scope {
            Some(Scope::Invocation) => Level::Invocation,
            Some(Scope::Subgroup) => Level::Subgroup,
            Some(Scope::Workgroup) => Level::Workgroup,
            _ => Level::Device,
        }
    }

    /// Notes that an instruction writes to no buffer, where the storage classes of its pointers
    /// show that, and not the addresses that were emitted from a place on.
    pub(super) fn note_own_writes(&mut self, start: usize, inst: Instruction<'a>) {
        let mut addresses = self.program.code[start..]
            .iter()
            .filter_map(|inst| self.program.target(inst));
        if !addresses.any(|address| matches!(address.object, Object::Column(_))) {
            return;
        }
        let types = inst.args().iter().filter_map(|&id| self.m.type_of(Id(id)));
        let classes = types.filter_map(|ty| self.m.pointer_class(ty));
        let is_own = |class| {
            matches!(
                class,
                StorageClass::Function | StorageClass::Private | StorageClass::Workgroup
            )
        };
        if classes.clone().all(is_own) && classes.count() > 0 {
            self.program.writes_own.insert(self.place());
        }
    }

    /// Notes how the loads and stores that were emitted from a place on are shared, where it
    /// is not as in most of the module. Memory operands begin at an operand of the
    /// instruction; a second list is for what is read.
    pub(super) fn share(&mut self, start: usize, inst: Instruction<'a>, first: usize) {
        let mut from = 0;
        let write = self.memory_operands(arguments(inst, first), &mut from);
        let is_copy = matches!(inst.op(), Op::CopyMemory | Op::CopyMemorySized);
        let read = match is_copy && first + from < inst.args().len() {
            true => self.memory_operands(arguments(inst, first + from), &mut 0),
            false => write,
        };
        let source = if is_copy { inst.id(1) } else { inst.id(0) };
        for (is_write, pointer, said) in [(false, source, read), (true, inst.id(0), write)] {
            let emitted = &self.program.code[start..];
            if emitted.iter().any(|it| self.program.accesses(it, is_write)) {
                self.share_place(pointer, is_write, said);
            }
        }
    }

    /// The same for the instruction on an image that was emitted last.
    pub(super) fn share_texels(&mut self, image: Id, is_write: bool, said: Sharing) {
        let mut from = image;
        // The image comes from a variable, but a broken module's may not.
        for _ in 0..64 {
            let leads_on =
                |op: Op| matches!(op, Op::Load | Op::SampledImage | Op::Image | Op::CopyObject);
            match self.m.def(from).filter(|inst| leads_on(inst.op())) {
                Some(inst) => from = inst.id(0),
                None => break,
            }
        }
        self.share_place(from, is_write, said);
    }

    /// Notes how the instruction's reads or writes through a pointer are shared, given what its
    /// operands say.
    fn share_place(&mut self, pointer: Id, is_write: bool, said: Sharing) {
        let model = self.m.memory_model;
        let common = *self
            .program
            .common_sharing
            .get_or_insert_with(|| common(model));
        let sharing = match model {
            MemoryModel::Vulkan => said,
            MemoryModel::GLSL450 => self.of_glsl(pointer),
            _ => common,
        };
        if sharing != common {
            let place = (self.place(), is_write);
            self.program.sharing.insert(place, sharing);
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
    fn of_glsl(&mut self, pointer: Id) -> Sharing {
        let ty = self.m.type_of(pointer).map(|ty| self.m.ty(ty));
        let level = match ty {
            Some(Type::Pointer {
                class: StorageClass::Workgroup,
                ..
            }) => Some(Level::Workgroup),
            _ => self.is_coherent(pointer).then_some(Level::Device),
        };
        Sharing {
            is_private: level.is_none(),
            available: level,
            visible: level,
        }
    }

    /// Whether what a pointer points to is `Coherent` or `Volatile`: by itself, or as a member
    /// of what a pointer before it points to.
    fn is_coherent(&mut self, pointer: Id) -> bool {
        let mut pointer = pointer;
        let pointee = |m: &ModuleIndex<'a>, id: Id| m.pointee(m.type_of(id)?);
        if let Some(ty) = pointee(self.m, pointer)
            && !self.coherent_members(ty).is_empty()
        {
            return true;
        }
        // A pointer's base comes before it, but a broken module's may not.
        for _ in 0..64 {
            let mut own = self.m.own_decorations(pointer);
            if own.any(|it| is_coherent(it.decoration)) {
                return true;
            }
            let base = self.m.def(pointer);
            let Some(inst) =
                base.filter(|inst| inst.op().is_access_chain() || inst.op() == Op::CopyObject)
            else {
                return false;
            };
            // Untyped ones say the type of the base before it.
            let is_untyped = matches!(
                inst.op(),
                Op::UntypedAccessChainKHR
                    | Op::UntypedInBoundsAccessChainKHR
                    | Op::UntypedPtrAccessChainKHR
                    | Op::UntypedInBoundsPtrAccessChainKHR
            );
            pointer = inst.id(usize::from(is_untyped));
            if !inst.op().is_access_chain() {
                continue;
            }
            let base = match is_untyped {
                true => Some(inst.id(0)),
                false => pointee(self.m, pointer),
            };
            let Some(mut ty) = base else {
                return false;
            };
            let counts_elements = matches!(
                inst.op(),
                Op::PtrAccessChain
                    | Op::InBoundsPtrAccessChain
                    | Op::UntypedPtrAccessChainKHR
                    | Op::UntypedInBoundsPtrAccessChainKHR
            );
            let skipped = 1 + usize::from(is_untyped) + usize::from(counts_elements);
            for &index in inst.args().iter().skip(skipped) {
                ty = match self.m.ty(ty) {
                    Type::Struct { members } => {
                        let index = self.m.constant_u64(Id(index)).unwrap_or(0);
                        if self.coherent_members(ty).contains(&(index as u32)) {
                            return true;
                        }
                        members.get(index as usize).map_or(Id(0), |&it| Id(it))
                    }
                    Type::Array { element, .. } | Type::RuntimeArray { element } => element,
                    _ => break,
                };
            }
        }
        false
    }

    /// The members of a structure that are `Coherent` or `Volatile`.
    fn coherent_members(&mut self, ty: Id) -> &HashSet<u32> {
        let m = self.m;
        self.coherent_members.entry(ty.0).or_insert_with(|| {
            let decorations = m.decorations(ty).filter(|it| is_coherent(it.decoration));
            decorations.filter_map(|it| it.member).collect()
        })
    }
}

/// Semantics that acquire at most what others acquire and release.
fn acquiring(semantics: MemorySemantics) -> MemorySemantics {
    use MemorySemantics as Semantics;
    let both = Semantics::AcquireRelease.0 | Semantics::SequentiallyConsistent.0;
    let acquire = match semantics.0 & both {
        0 => 0,
        _ => Semantics::Acquire.0,
    };
    MemorySemantics(semantics.0 & !(both | Semantics::Release.0) | acquire)
}

fn is_coherent(decoration: Decoration) -> bool {
    matches!(decoration, Decoration::Coherent | Decoration::Volatile)
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

#[cfg(test)]
mod tests {
    use spirvkit_analysis::ModuleIndex;

    use super::super::{Surroundings, lower};

    /// A function that writes through its parameter, which leads to one of two variables.
    const TEXT: &str = "OpCapability Shader
OpCapability VariablePointersStorageBuffer
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %id
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 4
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%zero = OpConstant %u32 0
%one = OpConstant %u32 1
%two = OpConstant %u32 2
%pair = OpTypeArray %u32 %two
%block = OpTypeStruct %u32 %u32
%input = OpTypePointer Input %u32
%id = OpVariable %input Input
%whole = OpTypePointer CLASS %OUTER
%part = OpTypePointer CLASS %u32
%buffers = OpTypePointer StorageBuffer %block
%buffer = OpVariable %buffers StorageBuffer
%privates = OpTypePointer Private %pair
%private = OpVariable %privates Private
%to_void = OpTypeFunction %void
%writes = OpTypeFunction %void %part
%write = OpFunction %void None %writes
%to = OpFunctionParameter %part
%begin = OpLabel
OpStore %to %one
OpReturn
OpFunctionEnd
%main = OpFunction %void None %to_void
%entry = OpLabel
%index = OpLoad %u32 %id
%at = OpAccessChain %part %VARIABLE INDEX
%there = OpAccessChain %part %VARIABLE %zero
%done = OpFunctionCall %void %write %at
%again = OpFunctionCall %void %write %there
OpReturn
OpFunctionEnd";

    #[test]
    fn writes_to_variables_of_invocations_are_known_to_be_to_no_buffer() {
        let writes_own = |class: &str, outer: &str, variable: &str, index: &str| {
            let text = TEXT.replace("CLASS", class).replace("OUTER", outer);
            let text = text.replace("VARIABLE", variable).replace("INDEX", index);
            let words = spirvkit_text::assemble(&text, &Default::default());
            let words = words.unwrap().words;
            let m = ModuleIndex::new(&words).unwrap();
            let surroundings = Surroundings {
                lanes: 32,
                ..Surroundings::default()
            };
            let entry = m.entry_points[0].function;
            let program = lower(&m, entry, &surroundings, &mut Vec::new()).unwrap();
            program.writes_own.len()
        };
        assert_eq!(writes_own("Private", "pair", "private", "%index"), 1);
        assert_eq!(writes_own("StorageBuffer", "block", "buffer", "%one"), 0);
    }
}
