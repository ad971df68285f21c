//! What is asked of ids and operands.

use spirvkit_binary::{Id, NumberType, Value};
use spirvkit_grammar::{Op, StorageClass};

use crate::handles::Inst;
use crate::module::Module;

impl Module {
    /// The opcode of the instruction whose result an id is.
    pub fn op_of(&self, id: Id) -> Option<Op> {
        Some(self.op(self.definition(id)?))
    }

    /// An operand by its number, from 0 up, behind the result type and the result: in
    /// `%sum = OpIAdd %uint %a %b`, `%a` is operand 0.
    pub fn operand(&self, inst: Inst, number: usize) -> Option<Value<'_>> {
        let read = self.get(inst);
        let results =
            usize::from(read.result_type().is_some()) + usize::from(read.result().is_some());
        match read.leading_ids().get(results + number) {
            Some(&id) => Some(Value::Id(Id(id))),
            None => {
                let operand = self.operands(inst).nth(results + number)?;
                operand.ok().map(|operand| operand.value)
            }
        }
    }

    /// The same if it is an id.
    pub fn operand_id(&self, inst: Inst, number: usize) -> Option<Id> {
        match self.operand(inst, number)? {
            Value::Id(id) => Some(id),
            _ => None,
        }
    }

    /// The same if it is one word that is no id: a literal, a mask or the value of an
    /// enumeration.
    ///
    /// ```
    /// use spirvkit_grammar::{Op, StorageClass};
    /// # use spirvkit_ir::{Inst, Module};
    /// fn is_local(module: &Module, inst: Inst) -> bool {
    ///     let class = module.operand_word(inst, 0).map(StorageClass);
    ///     module.op(inst) == Op::Variable && class == Some(StorageClass::Function)
    /// }
    /// ```
    pub fn operand_word(&self, inst: Inst, number: usize) -> Option<u32> {
        match self.operand(inst, number)? {
            Value::Integer(word) | Value::Float(word) | Value::Mask(word) => Some(word),
            Value::Enumerant { value, .. } => Some(value),
            _ => None,
        }
    }

    /// The type of numbers that an id declares, if it is one of at most 64 bits.
    pub fn number_type(&self, ty: Id) -> Option<NumberType> {
        self.definitions().number_type(ty)
    }

    /// The type and the bits of an `OpConstant`. Those above the type's width are zeros;
    /// [`NumberType::sign_extend`] gives the value of a signed integer. Vectors, constants that
    /// can be specialized and the like have none.
    pub fn constant(&self, id: Id) -> Option<(NumberType, u64)> {
        let definition = self.definition(id)?;
        if self.op(definition) != Op::Constant {
            return None;
        }
        match self.operand(definition, 0)? {
            Value::Number { ty, bits } => {
                let unused = 64 - u32::from(ty.width());
                Some((ty, bits << unused >> unused))
            }
            _ => None,
        }
    }

    /// The bits of an integer constant, those above its width zeros: its value, if it isn't
    /// negative.
    pub fn constant_integer(&self, id: Id) -> Option<u64> {
        match self.constant(id)? {
            (NumberType::Integer { .. }, bits) => Some(bits),
            _ => None,
        }
    }

    /// The storage class and the type of what is pointed to, of a type of pointers.
    pub fn pointer_type(&self, ty: Id) -> Option<(StorageClass, Id)> {
        let pointer = self.definition(ty)?;
        if self.op(pointer) != Op::TypePointer {
            return None;
        }
        let class = StorageClass(self.operand_word(pointer, 0)?);
        Some((class, self.operand_id(pointer, 1)?))
    }
}
