//! Types that decorations may tell apart.

use spirvkit_binary::Id;
use spirvkit_grammar::{Decoration, Op};

use super::Builder;
use super::operand::Arg;
use crate::interned::Key;

impl Builder {
    /// `OpTypeStruct` (Type-Declaration Instructions): a new structure, even if there is
    /// one with the same members.
    pub fn type_struct(&mut self, members: &[Id]) -> Id {
        self.emit(Op::TypeStruct, None, &[Arg::Ids(members)])
    }

    /// A structure without decorations with these members: the one there is, or a new
    /// one. Decorating it is not a good idea, because others may get it, too.
    pub fn type_struct_shared(&mut self, members: &[Id]) -> Id {
        let words: Vec<u32> = members.iter().map(|id| id.0).collect();
        let key = Key::new(Op::TypeStruct, None, &words);
        if let Some(id) = self.find(&key) {
            return id;
        }
        let id = self.type_struct(members);
        self.module.intern(id, key);
        id
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
        let key = Key::new(op, None, operands).with_stride(Some(stride));
        if let Some(id) = self.find(&key) {
            return id;
        }
        let id = self.emit_new(op, None, operands);
        self.decorate(id, Decoration::ArrayStride, &[stride]);
        self.module.intern(id, key);
        id
    }

    /// What the module has by this key, unless something new is to have an id of its own.
    pub(super) fn find(&mut self, key: &Key) -> Option<Id> {
        match self.next_id {
            None => self.module.find_interned(key),
            Some(_) => None,
        }
    }
}
