//! Variables: which are visible at an instruction, and where their values are.

use spirvkit_binary::{Id, WordOffset};
use spirvkit_grammar::Op;

use crate::entry::{Entry, Operation};
use crate::{DebugInfo, Field, Frame, Kind};

/// A variable that is visible at an instruction.
#[derive(Clone, Debug)]
pub struct Variable<'m> {
    /// The `DebugLocalVariable` or `DebugGlobalVariable`.
    pub variable: Entry<'m>,
    /// How many functions out it is, counted from the innermost that was inlined; of
    /// global variables the number of the last frame.
    pub frame: usize,
    /// Where it is.
    pub location: Location,
}

/// Where a variable is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// In memory: an `OpVariable` or `OpFunctionParameter` holds it, or what the
    /// expression makes of its address.
    Memory(Value),
    /// The result of an instruction, or what the expression makes of it.
    Value(Value),
    /// Nowhere: it was optimized away, or nothing says where it is.
    Unknown,
}

/// What the module says of where a variable is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// The id that has it: of a variable, or of a value.
    pub id: Id,
    /// What to do with it.
    pub operations: Vec<Operation>,
    /// Which part of the variable it is: indexes into members, elements and components.
    pub indexes: Vec<Id>,
}

impl<'a> DebugInfo<'a> {
    /// The variables that are visible at a word offset, the innermost first: those of
    /// the scopes around it in each function that was inlined there, and the global
    /// ones that these functions can see.
    ///
    /// A variable whose place a `DebugDeclare` tells is at that place wherever it is
    /// visible. One that has values only is what the last `DebugValue` says that is in
    /// the same block or in one that dominates it. Of variables that are in several
    /// parts the first part is told; [`DebugInfo::bindings`] has all.
    pub fn variables(&self, offset: WordOffset) -> Vec<Variable<'_>> {
        let mut variables = Vec::new();
        let frames: Vec<Frame<'_>> = self.frames(offset).collect();
        for (number, frame) in frames.iter().enumerate() {
            let inlined_at = frame.inlined_at.map(|at| at.id());
            for scope in frame.scope.scopes() {
                for variable in self.variables_in(scope.id()) {
                    let location = match variable.kind() {
                        Kind::LocalVariable => self.location(variable, offset, inlined_at),
                        // Those of functions have been passed on the way out.
                        Kind::GlobalVariable if number + 1 == frames.len() => {
                            global_location(variable)
                        }
                        _ => continue,
                    };
                    variables.push(Variable {
                        variable,
                        frame: number,
                        location,
                    });
                }
                if scope.kind() == Kind::Function && number + 1 < frames.len() {
                    break;
                }
            }
        }
        variables
    }

    /// The `DebugDeclare`s and `DebugValue`s of a variable, in the module's order.
    pub fn bindings(&self, variable: Entry<'_>) -> impl Iterator<Item = Entry<'_>> + '_ {
        let entries = self.found(&self.bindings, variable.id());
        entries.filter(|entry| matches!(entry.kind(), Kind::Declare | Kind::Value))
    }

    fn location(&self, variable: Entry<'_>, at: WordOffset, inlined_at: Option<Id>) -> Location {
        let Some(function) = self.function_at(at) else {
            return Location::Unknown;
        };
        let mut location = Location::Unknown;
        for binding in self.bindings(variable) {
            let offset = binding.offset();
            // Each place that a function was inlined at has variables of its own.
            let here = || {
                self.scope(offset)
                    .and_then(|scope| scope.inlined_at)
                    .map(|at| at.id())
                    == inlined_at
            };
            if !function.words.contains(&offset.0) || !here() {
                continue;
            }
            if binding.kind() == Kind::Declare {
                return bound_location(binding);
            }
            if offset <= at && self.dominates(offset.0 as u32, at.0 as u32) {
                location = bound_location(binding);
            }
        }
        location
    }
}

/// Where a global variable is: in the `OpVariable` that its description names, or the
/// constant that it is.
pub fn global_location(variable: Entry<'_>) -> Location {
    let info = variable.info();
    let held = variable
        .id_of(Field::Variable)
        .and_then(|id| info.definition(id));
    let Some(held) = held.filter(|held| Entry::of(info, *held).is_none()) else {
        return Location::Unknown;
    };
    let value = Value {
        id: held.result().unwrap_or(Id(0)),
        operations: Vec::new(),
        indexes: Vec::new(),
    };
    match held.op() {
        Op::Variable | Op::UntypedVariableKHR => Location::Memory(value),
        _ => Location::Value(value),
    }
}

/// Where a `DebugDeclare` or `DebugValue` says that a variable is.
pub fn bound_location(binding: Entry<'_>) -> Location {
    match binding.kind() {
        Kind::Declare => Location::Memory(value(binding, Field::Variable)),
        Kind::Value => Location::Value(value(binding, Field::Value)),
        _ => Location::Unknown,
    }
}

/// What a `DebugDeclare` or `DebugValue` says.
fn value(binding: Entry<'_>, field: Field) -> Value {
    let expression = binding.entry(Field::Expression);
    Value {
        id: binding.id_of(field).unwrap_or(Id(0)),
        operations: expression
            .into_iter()
            .flat_map(|entry| entry.operations().collect::<Vec<_>>())
            .collect(),
        indexes: binding
            .list(Field::Indexes)
            .iter()
            .map(|&id| Id(id))
            .collect(),
    }
}
