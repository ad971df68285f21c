//! Constants, variables, and what is in a module's head.

use spirvkit_binary::{Id, NumberType};
use spirvkit_grammar::{
    AddressingModel, Capability, Decoration, LinkageType, MemoryModel, Op, StorageClass,
};

use super::operand::Arg;
use super::{BuildErrorKind, Builder};

impl Builder {
    /// `OpConstant` (Constant-Creation Instructions): the constant with these bits in
    /// the low bits of `bits`, for a type of at most 64 bits.
    pub fn constant(&mut self, result_type: Id, bits: u64) -> Id {
        self.literal(Op::Constant, result_type, bits)
    }

    /// `OpSpecConstant` (Constant-Creation Instructions): a new specialization constant
    /// with this default, for a type of at most 64 bits.
    pub fn spec_constant(&mut self, result_type: Id, bits: u64) -> Id {
        self.literal(Op::SpecConstant, result_type, bits)
    }

    fn literal(&mut self, op: Op, result_type: Id, bits: u64) -> Id {
        let Some(ty) = self.module.definitions().number_type(result_type) else {
            let id = self.take_id(op);
            let kind = BuildErrorKind::NotANumber(result_type);
            self.lose(op, Some(id), kind);
            return id;
        };
        let (words, count) = words_of(ty, bits);
        let words = words.get(..count).unwrap_or_default();
        self.emit_words(op, Some(result_type), words)
    }

    /// An unsigned 32-bit integer.
    pub fn constant_u32(&mut self, value: u32) -> Id {
        let ty = self.type_int(32, 0);
        self.constant(ty, value.into())
    }

    /// A signed 32-bit integer. (Kernels have none: their integers are unsigned.)
    pub fn constant_i32(&mut self, value: i32) -> Id {
        let ty = self.type_int(32, 1);
        self.constant(ty, value as u64)
    }

    /// A 32-bit floating-point number.
    pub fn constant_f32(&mut self, value: f32) -> Id {
        let ty = self.type_float(32, None);
        self.constant(ty, value.to_bits().into())
    }

    /// A 64-bit floating-point number.
    pub fn constant_f64(&mut self, value: f64) -> Id {
        let ty = self.type_float(64, None);
        self.constant(ty, value.to_bits())
    }

    /// `OpConstantTrue` or `OpConstantFalse`.
    pub fn constant_bool(&mut self, value: bool) -> Id {
        let ty = self.type_bool();
        match value {
            true => self.constant_true(ty),
            false => self.constant_false(ty),
        }
    }

    /// `OpSpecConstantOp` (Constant-Creation Instructions): the operation on constants,
    /// with its operands behind the result as words.
    pub fn spec_constant_op(&mut self, result_type: Id, op: Op, operands: &[u32]) -> Id {
        let args = [Arg::Word(op.0.into()), Arg::Words(operands)];
        self.emit(Op::SpecConstantOp, Some(result_type), &args)
    }

    /// A variable of this type at the start of the open function; returns the pointer to
    /// it.
    pub fn local(&mut self, ty: Id) -> Id {
        self.variable_of(ty, StorageClass::Function)
    }

    /// A variable of this type outside of functions; returns the pointer to it.
    pub fn global(&mut self, storage_class: StorageClass, ty: Id) -> Id {
        self.variable_of(ty, storage_class)
    }

    fn variable_of(&mut self, ty: Id, storage_class: StorageClass) -> Id {
        // An id set by `define` is for the variable.
        let id = self.next_id.take();
        let pointer = self.type_pointer(storage_class, ty);
        self.next_id = id;
        self.variable(pointer, storage_class, None)
    }

    /// `OpCapability` (Mode-Setting Instructions), once for each.
    pub fn capability(&mut self, capability: Capability) {
        self.once(Op::Capability, Arg::Word(capability.0));
    }

    /// `OpExtension` (Extension Instructions), once for each.
    pub fn extension(&mut self, name: &str) {
        self.once(Op::Extension, Arg::Text(name));
    }

    fn once(&mut self, op: Op, arg: Arg<'_>) {
        let mut words = Vec::new();
        arg.append_to(&mut words);
        let is_there = self.capabilities_and_extensions().any(|inst| {
            self.module.op(inst) == op && self.module.get(inst).operand_words() == words
        });
        if !is_there {
            self.emit(op, None, &[arg]);
        }
    }

    /// `OpMemoryModel` (Mode-Setting Instructions); a second one takes the place of the
    /// first.
    pub fn memory_model(&mut self, addressing: AddressingModel, memory: MemoryModel) {
        let operands = [addressing.0, memory.0];
        let old = self
            .module
            .globals()
            .find(|&inst| self.module.op(inst) == Op::MemoryModel);
        match old {
            Some(old) => {
                // Two words for two words always fit.
                let _ = self.module.replace(old, Op::MemoryModel, &operands);
            }
            None => {
                self.emit_words(Op::MemoryModel, None, &operands);
            }
        }
    }

    /// Makes a function or variable known to other modules under a name
    /// (`LinkageAttributes` with `Export`).
    pub fn export(&mut self, target: Id, name: &str) {
        self.link_as(target, name, LinkageType::Export);
    }

    /// Lets a function or variable be that of another module with this name
    /// (`LinkageAttributes` with `Import`).
    pub fn import(&mut self, target: Id, name: &str) {
        self.link_as(target, name, LinkageType::Import);
    }

    fn link_as(&mut self, target: Id, name: &str, linkage: LinkageType) {
        let args = [
            Arg::Word(target.0),
            Arg::Word(Decoration::LinkageAttributes.0),
            Arg::Text(name),
            Arg::Word(linkage.0),
        ];
        self.emit(Op::Decorate, None, &args);
    }

    /// Decorates with a string, such as `UserSemantic` (`OpDecorateString`).
    pub fn decorate_text(&mut self, target: Id, decoration: Decoration, text: &str) {
        let args = [
            Arg::Word(target.0),
            Arg::Word(decoration.0),
            Arg::Text(text),
        ];
        self.emit(Op::DecorateString, None, &args);
    }
}

/// The words of a literal, and how many of them there are.
pub(super) fn words_of(ty: NumberType, bits: u64) -> ([u32; 2], usize) {
    let bits = ty.extend(bits);
    ([bits as u32, (bits >> 32) as u32], ty.words())
}
