//! What is asked of ids and operands.

use spirvkit_analysis::Lookup;
use spirvkit_binary::{Id, Value};

use crate::handles::Inst;
use crate::module::Module;

/// The questions about types and constants, by the instructions as they are now.
impl<'a> Lookup<'a> for &'a Module {
    #[inline]
    fn words_of(&self, id: Id) -> Option<&'a [u32]> {
        let module: &'a Module = self;
        Some(module.get(module.definition(id)?).words())
    }
}

impl Module {
    /// An operand by its number, from 0, after the result type and the result: in `%sum =
    /// OpIAdd %uint %a %b`, `%a` is operand 0.
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

    /// The same if it is one word that is not an id: a literal, a mask or the value of an
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
}
