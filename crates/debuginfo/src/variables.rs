//! Variables: which are visible at an instruction, and where their values are.

use std::collections::HashSet;

use spirvkit_binary::{Id, WordOffset};

use crate::entry::{Entry, Operation};
use crate::model::NO_ID;
use crate::{DebugInfo, Field, Frame, Kind};

/// A variable that is visible at an instruction.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Variable<'m> {
    /// The `DebugLocalVariable` or `DebugGlobalVariable`.
    pub variable: Entry<'m>,
    /// How many functions out it is, counted from the innermost that was inlined; of
    /// global variables the number of the last frame.
    pub frame: usize,
    /// Where it is.
    pub location: Location<'m>,
}

/// Where a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location<'m> {
    /// In memory: an `OpVariable` or `OpFunctionParameter` holds it, or what the
    /// expression makes of its address.
    Memory(Value<'m>),
    /// The result of an instruction, or what the expression makes of it.
    Value(Value<'m>),
    /// Nowhere: it was optimized away, or nothing says where it is.
    Unknown,
}

/// What the module says of where a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value<'m> {
    /// The id that has it: of a variable, or of a value.
    pub id: Id,
    /// The `DebugExpression` that says what to do with it, which many variables can
    /// have.
    pub expression: Option<Entry<'m>>,
    indexes: &'m [u32],
}

impl<'m> Value<'m> {
    /// What to do with it.
    pub fn operations(&self) -> impl Iterator<Item = Operation> + use<'m> {
        let expression = self.expression.into_iter();
        expression.flat_map(|expression| expression.operations())
    }

    /// Which part of the variable it is: indexes into members, elements and components.
    pub fn indexes(&self) -> impl ExactSizeIterator<Item = Id> + use<'m> {
        self.indexes.iter().map(|&id| Id(id))
    }
}

/// A `DebugDeclare` or `DebugValue`, by what it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Placed {
    variable: Id,
    /// Where the function was inlined whose variable that is: each place has its own.
    inlined_at: Id,
    /// Where it is.
    offset: u32,
}

/// The variables that are visible at an instruction: see [`DebugInfo::variables`].
///
/// There can be as many as the product of functions that were inlined and of variables
/// in each; so they are found one by one, and [`count`](Iterator::count) takes no more
/// steps than there are functions.
#[derive(Clone, Debug)]
pub struct Variables<'m> {
    info: &'m DebugInfo<'m>,
    at: WordOffset,
    frames: Vec<Frame<'m>>,
    /// How many frames have been begun.
    begun: usize,
    /// The scopes of the frame that was begun last that are still to come.
    scopes: std::vec::IntoIter<Id>,
    /// The variables of a scope of it that are still to come.
    here: std::vec::IntoIter<u32>,
}

impl<'m> Variables<'m> {
    /// The functions that are being executed there: see [`DebugInfo::frames`].
    pub fn frames(&self) -> &[Frame<'m>] {
        &self.frames
    }

    fn is_last(&self) -> bool {
        self.begun == self.frames.len()
    }

    /// Goes on with the next frame.
    fn begin(&mut self) -> Option<()> {
        let frame = self.frames.get(self.begun)?;
        let info = self.info;
        self.begun += 1;
        let scopes: Vec<Id> = match self.is_last() {
            true => {
                let mut seen = HashSet::new();
                let scopes = frame.scope.scopes().map(|scope| scope.id());
                // A damaged module can have cycles.
                scopes.take_while(|&scope| seen.insert(scope)).collect()
            }
            // Global variables come with the last one.
            false => {
                let first = Some(info.outwards(frame.scope.id()).with_locals);
                let known = |id: &Id| id.0 != NO_ID;
                let next = |scope: &Id| {
                    let next = info.outwards(*scope).next_with_locals;
                    Some(next).filter(known)
                };
                std::iter::successors(first.filter(known), next).collect()
            }
        };
        self.scopes = scopes.into_iter();
        Some(())
    }

    /// Where the variables of a scope are, in the module's order.
    fn variables_in(&self, scope: Id) -> Vec<u32> {
        let stands = |&(_, offset): &(u32, u32)| offset;
        let mut found: Vec<u32> = self.info.locals_in(scope).iter().map(stands).collect();
        if self.is_last() {
            found.extend(self.info.globals_in(scope).iter().map(stands));
            found.sort_unstable();
        }
        found
    }

    fn located(&self, variable: Entry<'m>) -> Variable<'m> {
        let frame = self.begun.saturating_sub(1);
        let inlined_at = self.frames.get(frame).and_then(|frame| frame.inlined_at);
        let location = match variable.kind() {
            Kind::GlobalVariable => global_location(variable),
            _ => self.info.location(variable, self.at, inlined_at),
        };
        Variable {
            variable,
            frame,
            location,
        }
    }
}

impl<'m> Iterator for Variables<'m> {
    type Item = Variable<'m>;

    fn next(&mut self) -> Option<Variable<'m>> {
        loop {
            if let Some(offset) = self.here.next() {
                match self.info.entry_at(offset) {
                    Some(variable) => return Some(self.located(variable)),
                    None => continue,
                }
            }
            match self.scopes.next() {
                Some(scope) => self.here = self.variables_in(scope).into_iter(),
                None => self.begin()?,
            }
        }
    }

    fn count(mut self) -> usize {
        let mut count = self.here.len();
        loop {
            while let Some(scope) = self.scopes.next() {
                count += self.variables_in(scope).len();
            }
            // Of all but the last frame, the numbers are known.
            let rest = self.frames.get(self.begun..).unwrap_or_default();
            if let Some((_, middle)) = rest.split_last() {
                let locals = |frame: &Frame<'_>| self.info.outwards(frame.scope.id()).locals;
                count += middle.iter().map(locals).sum::<usize>();
                self.begun += middle.len();
            }
            if self.begin().is_none() {
                return count;
            }
        }
    }
}

impl<'a> DebugInfo<'a> {
    /// The variables that are visible at a word offset, the innermost first: those of
    /// the scopes around it in each function that was inlined there, and the global
    /// ones that these functions can see.
    ///
    /// A variable whose place a `DebugDeclare` tells is at that place wherever it is
    /// visible. One that has values only is what the last `DebugValue` says that is in
    /// the same block or in one that dominates it. Of variables that are in several
    /// parts the first part is given; [`DebugInfo::bindings`] has all.
    pub fn variables(&self, offset: WordOffset) -> Variables<'_> {
        Variables {
            info: self,
            at: offset,
            frames: self.frames(offset).collect(),
            begun: 0,
            scopes: Vec::new().into_iter(),
            here: Vec::new().into_iter(),
        }
    }

    /// The `DebugDeclare`s and `DebugValue`s of a variable, in the module's order.
    pub fn bindings(&self, variable: Entry<'_>) -> impl Iterator<Item = Entry<'_>> + '_ {
        let entries = self.found(&self.bindings, variable.id());
        entries.filter(|entry| matches!(entry.kind(), Kind::Declare | Kind::Value))
    }

    fn location(
        &self,
        variable: Entry<'_>,
        at: WordOffset,
        inlined_at: Option<Entry<'_>>,
    ) -> Location<'_> {
        let Some(function) = self.function_at(at) else {
            return Location::Unknown;
        };
        let placed = self.placed.get_or_init(|| self.all_placed());
        let inlined_at = inlined_at.map_or(Id(NO_ID), |at| at.id());
        let before = |offset: usize| {
            let end = Placed {
                variable: variable.id(),
                inlined_at,
                offset: offset as u32,
            };
            placed.partition_point(|placed| *placed < end)
        };
        let of_function = before(function.words.start)..before(function.words.end);
        let bindings = placed.get(of_function).unwrap_or_default().iter();
        let mut entries = bindings
            .clone()
            .filter_map(|placed| self.entry_at(placed.offset));
        if let Some(declare) = entries.find(|entry| entry.kind() == Kind::Declare) {
            return bound_location(declare);
        }
        let holds = |placed: &&Placed| {
            placed.offset as usize <= at.0 && self.dominates(placed.offset, at.0 as u32)
        };
        let last = bindings.rev().find(holds);
        let last = last.and_then(|placed| self.entry_at(placed.offset));
        last.map_or(Location::Unknown, bound_location)
    }

    /// All `DebugDeclare`s and `DebugValue`s, sorted.
    fn all_placed(&self) -> Vec<Placed> {
        let entries = self.bindings.iter().filter_map(|&(variable, offset)| {
            let entry = self.entry_at(offset)?;
            let is_one = matches!(entry.kind(), Kind::Declare | Kind::Value);
            let scope = self.scope(entry.offset());
            let inlined_at = scope.and_then(|scope| scope.inlined_at);
            is_one.then(|| Placed {
                variable: Id(variable),
                inlined_at: inlined_at.map_or(Id(NO_ID), |at| at.id()),
                offset,
            })
        });
        let mut placed: Vec<Placed> = entries.collect();
        placed.sort_unstable();
        placed
    }
}

/// Where a global variable is: in the `OpVariable` that its description names, or the
/// constant that it is.
pub fn global_location(variable: Entry<'_>) -> Location<'_> {
    let info = variable.info();
    let held = variable
        .id_of(Field::Variable)
        .and_then(|id| info.definition(id));
    let Some(held) = held.filter(|held| Entry::of(info, *held).is_none()) else {
        return Location::Unknown;
    };
    let value = Value {
        id: held.result().unwrap_or(Id(0)),
        expression: None,
        indexes: &[],
    };
    match held.op() {
        op if op.is_variable() => Location::Memory(value),
        _ => Location::Value(value),
    }
}

/// Where a `DebugDeclare` or `DebugValue` says that a variable is.
pub fn bound_location(binding: Entry<'_>) -> Location<'_> {
    match binding.kind() {
        Kind::Declare => Location::Memory(value(binding, Field::Variable)),
        Kind::Value => Location::Value(value(binding, Field::Value)),
        _ => Location::Unknown,
    }
}

/// What a `DebugDeclare` or `DebugValue` says.
fn value(binding: Entry<'_>, field: Field) -> Value<'_> {
    Value {
        id: binding.id_of(field).unwrap_or(Id(NO_ID)),
        expression: binding.entry(Field::Expression),
        indexes: binding.list(Field::Indexes),
    }
}
