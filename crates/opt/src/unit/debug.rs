//! Instructions of the sets for debug information, which describe the source.
//!
//! They refer to code without using it: what is done to a module is the same with and without
//! them.

use spirvkit_binary::Instruction;
use spirvkit_grammar::Op;
use spirvkit_grammar::debug_info::{Field, Kind, Set};

use super::{Unit, Value, flag};

/// Where the operands are of what says which value a variable has: the same in all sets.
pub(crate) mod binding {
    pub(crate) const VARIABLE: usize = 2;
    pub(crate) const VALUE: usize = 3;
    pub(crate) const EXPRESSION: usize = 4;
    /// The first of those that say which part of the variable it is.
    pub(crate) const INDEXES: usize = 5;
}

impl Unit {
    /// Whether an instruction describes the source.
    pub(super) fn is_debug_instruction(&self, instruction: &Instruction<'_>) -> bool {
        let first = instruction.op().first_argument();
        instruction.op().is_ext_inst()
            && instruction.words().get(first).is_some_and(|&import| {
                self.instruction_set(import)
                    .is_some_and(|set| set.is_debug_info())
            })
    }

    /// Whether a node describes the source.
    #[inline]
    pub(crate) fn is_debug(&self, value: Value) -> bool {
        self.node(value).has(flag::DEBUG)
    }

    /// The set that an instruction is of, and which of its instructions it is, if it describes
    /// the source.
    #[inline]
    pub(crate) fn debug_instruction(&self, value: Value) -> Option<(Set, Kind)> {
        match self.is_debug(value) {
            true => self.known_debug_instruction(value),
            false => None,
        }
    }

    fn known_debug_instruction(&self, value: Value) -> Option<(Set, Kind)> {
        let set = Set::of(self.instruction_set(self.operand(value, 0))?)?;
        Some((set, set.kind(self.operand(value, 1))?))
    }

    /// Which instruction of a set for debug information a node is.
    #[inline]
    pub(crate) fn debug_kind(&self, value: Value) -> Option<Kind> {
        self.debug_instruction(value).map(|(_, kind)| kind)
    }

    /// A field of an instruction that describes the source; 0 if it has none.
    pub(crate) fn debug_field(&self, value: Value, field: Field) -> u32 {
        let Some((set, kind)) = self.debug_instruction(value) else {
            return 0;
        };
        let position = set.position(kind, field);
        position.map_or(0, |position| self.operand(value, position + 2))
    }

    /// Where the function was put whose instructions are at a position: a `DebugInlinedAt`, or 0.
    pub(crate) fn inlined_at(&self, position: u32) -> Value {
        let scope = self.positions[position as usize].1;
        self.debug_field(scope, Field::InlinedAt)
    }
}

impl Unit {
    /// Lets what says which value a variable has say that it isn't there any more; whether it
    /// could.
    pub(crate) fn forget_value(&mut self, inst: Value) -> bool {
        let Some((_, Kind::Value | Kind::Declare)) = self.debug_instruction(inst) else {
            return false;
        };
        let value = self.find(self.operand(inst, binding::VALUE));
        let mut ty = self.node(value).ty;
        if self.debug_kind(inst) == Some(Kind::Declare) && self.op(ty).is_pointer_type() {
            ty = self.operand(ty, 1);
        }
        if ty == 0 || self.op(ty) == Op::TypeVoid {
            return false;
        }
        let undef = self.undef(ty);
        let operands = self.operands_mut(inst);
        if let Some(value) = operands.get_mut(binding::VALUE) {
            *value = undef;
        }
        operands[1] = Kind::Value.number();
        true
    }
}

/// Operations of expressions: to follow an address, and to name a part, which has a number of its
/// own in the first set.
const FOLLOW: u64 = 0;
const BIT_PIECE: u64 = 4;
const FRAGMENT: u64 = 9;

impl Unit {
    /// The operations of an expression.
    fn operations(&self, expression: Value) -> impl Iterator<Item = u64> + '_ {
        let operations = self.operands(expression).get(2..).unwrap_or(&[]);
        operations.iter().map(|&operation| {
            let code = self.debug_field(operation, Field::OpCode);
            match self.debug_instruction(operation) {
                Some((Set::Shader, _)) => self.integer(self.find(code)).unwrap_or(u64::MAX),
                _ => u64::from(code),
            }
        })
    }

    /// Whether an expression says nothing but what it is about.
    pub(crate) fn is_plain(&self, expression: Value) -> bool {
        self.operations(expression).next().is_none()
    }

    /// Whether an expression that is made for an address means the same for the value there.
    pub(crate) fn tells_of_values(&self, expression: Value) -> bool {
        let mut operations = self.operations(expression);
        match operations.next() {
            None => true,
            Some(FOLLOW) => operations.next().is_none(),
            Some(first) => std::iter::once(first)
                .chain(operations)
                .all(|it| matches!(it, BIT_PIECE | FRAGMENT)),
        }
    }

    /// Lets a `DebugDeclare` whose variable turned out to be something else say what that is: a
    /// value, or where to look for it. Returns whether it could.
    pub(crate) fn settle_declaration(&mut self, inst: Value) -> bool {
        let value = self.find(self.operand(inst, binding::VALUE));
        let op = self.op(value);
        if op.is_variable() || op == Op::FunctionParameter {
            return true;
        }
        let expression = self.operand(inst, binding::EXPRESSION);
        let is_address = self.op(self.node(value).ty).is_pointer_type();
        let expression = match is_address {
            false if self.tells_of_values(expression) => expression,
            true if self.is_plain(expression) => self.follow(inst),
            _ => return self.forget_value(inst),
        };
        let operands = self.operands_mut(inst);
        operands[1] = Kind::Value.number();
        operands[binding::EXPRESSION] = expression;
        true
    }

    /// The expression that follows an address, of the set of another instruction.
    pub(crate) fn follow(&mut self, like: Value) -> Value {
        let import = self.operand(like, 0);
        if let Some(&known) = self.following.get(&import) {
            return known;
        }
        let operation = match self.debug_instruction(like) {
            Some((Set::Shader, _)) => {
                let ty = self.global_type(Op::TypeInt, &[32, 0], 0);
                let code = self.constant_node(Op::Constant, ty, &[FOLLOW as u32]);
                self.add_debug(like, Kind::Operation, &[code], !0b10)
            }
            _ => self.add_debug(like, Kind::Operation, &[FOLLOW as u32], !0b110),
        };
        let made = self.add_debug(like, Kind::Expression, &[operation], !0b10);
        self.globals.extend([operation, made]);
        self.following.insert(import, made);
        made
    }

    /// A new instruction of the set that another is of.
    pub(super) fn add_debug(
        &mut self,
        like: Value,
        kind: Kind,
        operands: &[u32],
        ids: u64,
    ) -> Value {
        let mut all = vec![self.operand(like, 0), kind.number()];
        all.extend_from_slice(operands);
        let made = self.add(Op::ExtInst, self.node(like).ty, &all, ids);
        self.nodes[made as usize].flags |= flag::DEBUG;
        made
    }
}
