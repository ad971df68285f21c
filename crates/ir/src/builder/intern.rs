//! Types, constants and whatever else a module has once.

use std::collections::HashMap;

use spirvkit_binary::{Id, Section, is_type_declaration};
use spirvkit_grammar::{Class, Decoration, Op};

use super::Builder;
use super::operand::Arg;
use crate::handles::Inst;

/// Whether a second instruction with this opcode and the same operands would be one too
/// many.
pub(super) fn is_interned(op: Op) -> bool {
    match op {
        Op::String | Op::ExtInstImport => true,
        Op::TypeStruct => false,
        _ => is_type_declaration(op) || is_constant(op),
    }
}

/// Whether the opcode makes a constant that can't be specialized.
fn is_constant(op: Op) -> bool {
    op.info().is_some_and(|info| {
        info.has_result()
            && info.name().starts_with("OpConstant")
            && Section::of(op, info) == Some(Section::Types)
    })
}

/// What is equal for equal instructions.
pub(super) fn key(op: Op, result_type: Option<Id>, operands: &[u32]) -> Box<[u32]> {
    let ids = result_type.into_iter().map(|id| id.0);
    [u32::from(op.0)]
        .into_iter()
        .chain(ids)
        .chain(operands.iter().copied())
        .collect()
}

/// What is known of an id's decorations.
#[derive(Clone, Copy, Default)]
struct Decorated {
    count: usize,
    stride: Option<u32>,
}

/// Types that may be there twice, because decorations tell them apart.
fn may_differ(op: Op) -> bool {
    matches!(
        op,
        Op::TypeStruct
            | Op::TypeArray
            | Op::TypeRuntimeArray
            | Op::TypePointer
            | Op::TypeUntypedPointerKHR
    )
}

impl Builder {
    /// Enters what the module has already.
    pub(super) fn intern_all(&mut self) {
        let decorated = self.decorated();
        let globals: Vec<Inst> = self.module.globals().collect();
        for inst in globals {
            let op = self.module.op(inst);
            if matches!(op, Op::Capability | Op::Extension) {
                let key = self.key_of(inst);
                self.interned.insert(key, Id(0));
            }
            let Some(id) = self.module.result(inst) else {
                continue;
            };
            if !is_interned(op) && op != Op::TypeStruct {
                continue;
            }
            let decorations = decorated.get(&id.0).copied().unwrap_or_default();
            let mut key = self.key_of(inst);
            match decorations {
                Decorated { count: 0, .. } => {}
                _ if !may_differ(op) => {}
                Decorated {
                    count: 1,
                    stride: Some(stride),
                } => key = key.iter().copied().chain([stride]).collect(),
                _ => continue,
            }
            self.interned.entry(key).or_insert(id);
        }
    }

    /// The key of an instruction of the module.
    fn key_of(&self, inst: Inst) -> Box<[u32]> {
        let inst = self.module.get(inst);
        let results =
            usize::from(inst.result_type().is_some()) + usize::from(inst.result().is_some());
        let operands = inst.operand_words().get(results..).unwrap_or_default();
        key(inst.op(), inst.result_type(), operands)
    }

    fn decorated(&self) -> HashMap<u32, Decorated> {
        let mut decorated: HashMap<u32, Decorated> = HashMap::new();
        for inst in self.module.globals() {
            let read = self.module.get(inst);
            let is_annotation = read
                .info()
                .is_some_and(|info| info.class() == Class::Annotation);
            if !is_annotation {
                continue;
            }
            let stride = match *read.operand_words() {
                [_, decoration, stride] if decoration == Decoration::ArrayStride.0 => Some(stride),
                _ => None,
            };
            self.module.each_use(inst, |_, id| {
                let known = decorated.entry(id.0).or_default();
                known.count += 1;
                known.stride = stride;
            });
        }
        decorated
    }

    /// A type that gets a decoration is no longer what those want who didn't ask for
    /// it.
    pub(super) fn note_decoration(&mut self, op: Op, operands: &[u32]) {
        let (targets, step) = match op {
            Op::GroupDecorate => (operands.get(1..), 1),
            // With the numbers of members between them.
            Op::GroupMemberDecorate => (operands.get(1..), 2),
            _ => (operands.get(..1), 1),
        };
        for &target in targets.unwrap_or_default().iter().step_by(step) {
            let Some(inst) = self.module.definition(Id(target)) else {
                self.decorated.insert(target);
                continue;
            };
            if !may_differ(self.module.op(inst)) {
                continue;
            }
            let key = self.key_of(inst);
            if self.interned.get(&key) == Some(&Id(target)) {
                self.interned.remove(&key);
            }
        }
    }

    /// `OpTypeStruct` (Type-Declaration Instructions): a new structure, even if there is
    /// one with the same members.
    pub fn type_struct(&mut self, members: &[Id]) -> Id {
        self.emit(Op::TypeStruct, None, &[Arg::Ids(members)])
    }

    /// A structure without decorations with these members: the one there is, or a new
    /// one. Decorating it is not a good idea, because others may get it, too.
    pub fn type_struct_shared(&mut self, members: &[Id]) -> Id {
        let words: Vec<u32> = members.iter().map(|id| id.0).collect();
        let key = key(Op::TypeStruct, None, &words);
        match self.interned.get(&key).filter(|_| self.next_id.is_none()) {
            Some(&id) => id,
            None => {
                let id = self.type_struct(members);
                self.interned.entry(key).or_insert(id);
                id
            }
        }
    }

    /// An array with `length` elements (a constant), decorated with its stride in bytes:
    /// the one there is, or a new one.
    pub fn type_array_with_stride(&mut self, element_type: Id, length: Id, stride: u32) -> Id {
        self.strided(Op::TypeArray, &[element_type.0, length.0], stride)
    }

    /// An array whose length is not known, decorated with its stride in bytes: the one
    /// there is, or a new one.
    pub fn type_runtime_array_with_stride(&mut self, element_type: Id, stride: u32) -> Id {
        self.strided(Op::TypeRuntimeArray, &[element_type.0], stride)
    }

    fn strided(&mut self, op: Op, operands: &[u32], stride: u32) -> Id {
        let key = [u32::from(op.0)]
            .into_iter()
            .chain(operands.iter().copied());
        let key: Box<[u32]> = key.chain([stride]).collect();
        if let Some(&id) = self.interned.get(&key).filter(|_| self.next_id.is_none()) {
            return id;
        }
        let id = self.emit_new(op, None, operands);
        self.decorate(id, Decoration::ArrayStride, &[stride]);
        self.interned.entry(key).or_insert(id);
        id
    }
}
