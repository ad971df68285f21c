//! Where instructions come from whose function has been put where it was called.

use hashbrown::HashMap;
use spirvkit_grammar::Op;
use spirvkit_grammar::debug_info::{Field, Kind, Set};

use super::{Unit, Value, flag};

/// Of calls within calls, so many are told.
const MAX_CALLS: usize = 32;

/// What the positions in a function become where a call is replaced by it.
pub(crate) struct Inlined {
    /// The position of the call.
    call: u32,
    /// The descriptions of the function that is called, and of the one that calls it, or 0.
    callee: Value,
    caller: Value,
    positions: HashMap<u32, u32>,
    /// By what says where a function was put within the called one, what says so now; and by 0
    /// what says where this one is.
    calls: HashMap<Value, Value>,
}

impl Inlined {
    pub(crate) fn new(unit: &Unit, call: Value, callee: Value, caller: Value) -> Self {
        let description = |function| unit.descriptions.get(&function).copied().unwrap_or(0);
        Self {
            call: unit.node(call).position,
            callee: description(callee),
            caller: description(caller),
            positions: HashMap::new(),
            calls: HashMap::new(),
        }
    }

    /// What a position becomes.
    pub(crate) fn position(&mut self, unit: &mut Unit, position: u32) -> u32 {
        if let Some(&known) = self.positions.get(&position) {
            return known;
        }
        let (line, scope) = unit.positions[position as usize];
        let call = unit.positions[self.call as usize];
        let (inner, within) = match scope {
            0 => (self.callee, 0),
            _ => (
                unit.debug_field(scope, Field::Scope),
                unit.debug_field(scope, Field::InlinedAt),
            ),
        };
        let place = match inner {
            // Nothing is known of the function.
            0 => match line {
                0 => call,
                _ => (line, call.1),
            },
            _ => {
                let described = if scope == 0 { self.callee } else { scope };
                let at = self.at(unit, within, described);
                let operands = match at {
                    0 => vec![inner],
                    _ => vec![inner, at],
                };
                let scope = unit.add_debug(described, Kind::Scope, &operands, !0b10);
                unit.nodes[scope as usize].flags |= flag::LOCAL;
                (line, scope)
            }
        };
        let made = unit.add_position(place);
        self.positions.insert(position, made);
        made
    }

    /// What says where a function was put that was within the called one, or, for 0, this one
    /// itself; 0 if that can't be told.
    fn at(&mut self, unit: &mut Unit, within: Value, like: Value) -> Value {
        let mut chain = Vec::new();
        let mut at = within;
        while at != 0 && !self.calls.contains_key(&at) && chain.len() < MAX_CALLS {
            chain.push(at);
            at = unit.debug_field(at, Field::InlinedAt);
        }
        let mut around = match self.calls.get(&at) {
            Some(&known) => known,
            None => self.own(unit, like),
        };
        for inner in chain.into_iter().rev() {
            around = match around {
                0 => inner,
                _ => unit.inlined_within(inner, around),
            };
            self.calls.insert(inner, around);
        }
        around
    }

    /// What says where the called function is put.
    fn own(&mut self, unit: &mut Unit, like: Value) -> Value {
        if let Some(&known) = self.calls.get(&0) {
            return known;
        }
        let (line, scope) = unit.positions[self.call as usize];
        let (around, within) = match scope {
            0 => (self.caller, 0),
            _ => (
                unit.debug_field(scope, Field::Scope),
                unit.debug_field(scope, Field::InlinedAt),
            ),
        };
        let made = match around {
            0 => 0,
            _ => unit.inlined_call(like, line, around, within),
        };
        self.calls.insert(0, made);
        made
    }
}

impl Unit {
    /// Notes which instructions describe which functions.
    pub(super) fn find_descriptions(&mut self) {
        let globals = self.globals.iter();
        let first_blocks = self.functions.iter().filter_map(|it| it.blocks.first());
        let insts = globals.chain(first_blocks.flat_map(|block| &block.insts));
        let mut found = HashMap::new();
        for &inst in insts.filter(|&&inst| self.is_debug(inst)) {
            let (function, description) = match self.debug_kind(inst) {
                Some(Kind::Function) => (self.debug_field(inst, Field::Function), inst),
                Some(Kind::FunctionDefinition) => (
                    self.debug_field(inst, Field::Definition),
                    self.debug_field(inst, Field::DebugFunction),
                ),
                _ => continue,
            };
            if self.op(function) == Op::Function && self.is_debug(description) {
                found.insert(function, description);
            }
        }
        self.descriptions = found;
    }

    /// The number of a position.
    fn add_position(&mut self, place: (Value, Value)) -> u32 {
        if place == (0, 0) {
            return 0;
        }
        self.positions.push(place);
        self.positions.len() as u32 - 1
    }

    /// Says of what was put within a function in which function that was put.
    fn inlined_within(&mut self, inner: Value, around: Value) -> Value {
        let made = self.copy(inner);
        let mut operands = self.operands(inner).to_vec();
        if let Some((set, kind)) = self.debug_instruction(inner)
            && let Some(place) = set.position(kind, Field::InlinedAt)
        {
            operands.resize((place + 2).max(operands.len()), 0);
            operands.truncate(place + 2);
            operands.push(around);
        }
        self.set_operands(made, &operands);
        self.globals.push(made);
        made
    }

    /// Says where a call was: in which line, in which scope, and within which other call.
    fn inlined_call(&mut self, like: Value, line: Value, scope: Value, within: Value) -> Value {
        let has_ids = matches!(self.debug_instruction(like), Some((Set::Shader, _)));
        let (number, is_id) = match self.op(line) {
            Op::Line => (self.operand(line, 1), false),
            Op::Nop => (0, false),
            _ => (self.debug_field(line, Field::LineStart), true),
        };
        let number = match (has_ids, is_id) {
            (true, false) => {
                let ty = self.global_type(Op::TypeInt, &[32, 0], 0);
                self.constant_node(Op::Constant, ty, &[number])
            }
            (false, true) => self.integer(self.find(number)).unwrap_or(0) as u32,
            _ => number,
        };
        let mut operands = vec![number, scope];
        if within != 0 {
            operands.push(within);
        }
        let ids = if has_ids { !0b10 } else { !0b110 };
        let made = self.add_debug(like, Kind::InlinedAt, &operands, ids);
        self.globals.push(made);
        made
    }
}
