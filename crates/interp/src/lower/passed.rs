//! Variables of functions that are passed to others by pointers, and are kept in columns
//! nevertheless.
//!
//! A parameter that is a pointer, and all that is passed for it, make a *class*, with what the
//! function passes on in turn. If nothing is done with any of them but to load, store and pass
//! on, and no call gets one of them twice, nobody can tell whether a function works on the
//! variable itself or on a copy that comes back when it returns. So each gets columns, which
//! calls copy from and to; if there is only one variable, its parameters share those that it
//! has.

use hashbrown::{HashMap, HashSet};

use spirvkit_analysis::{Lookup, ModuleIndex, Type};
use spirvkit_binary::Id;
use spirvkit_grammar::{Op, StorageClass};

use super::variables::{MAX_COLUMNS_OF_VARIABLE, Use};
use super::{Lowering, Result, Value, arguments};
use crate::program::Reg;

/// A variable or parameter that calls are about.
#[derive(Clone, Copy)]
struct Member {
    id: Id,
    /// The next towards the one that stands for the class.
    class: u32,
    is_variable: bool,
    /// Whether a function may write to it.
    is_written: bool,
}

/// Of a class.
#[derive(Clone, Copy)]
struct Class {
    is_in_columns: bool,
    /// How many variables there are, and the last of them.
    variables: u32,
    variable: Id,
}

/// What calls pass pointers to.
#[derive(Default)]
pub(super) struct Passed {
    members: Vec<Member>,
    indexes: HashMap<u32, u32>,
    /// By the member that stands for it.
    classes: HashMap<u32, Class>,
}

impl Passed {
    /// A variable or parameter, if it is one that is a pointer to a variable of a function.
    fn member(&mut self, m: &ModuleIndex<'_>, id: Id) -> Option<u32> {
        if let Some(&index) = self.indexes.get(&id.0) {
            return Some(index);
        }
        let op = m.op_of(id);
        let is_pointer = matches!(
            m.ty_of(id),
            Type::Pointer {
                class: StorageClass::Function,
                ..
            }
        );
        if !is_pointer || !matches!(op, Op::Variable | Op::FunctionParameter) {
            return None;
        }
        let index = self.members.len() as u32;
        self.members.push(Member {
            id,
            class: index,
            is_variable: op == Op::Variable,
            is_written: false,
        });
        self.indexes.insert(id.0, index);
        Some(index)
    }

    /// The member that stands for a class.
    fn class(&mut self, mut member: u32) -> u32 {
        while self.members[member as usize].class != member {
            let next = self.members[member as usize].class;
            // Halves the way for the next who asks.
            self.members[member as usize].class = self.members[next as usize].class;
            member = next;
        }
        member
    }

    fn class_of(&self, id: Id) -> Option<&Class> {
        let member = *self.indexes.get(&id.0)?;
        self.classes.get(&self.members[member as usize].class)
    }

    /// Whether a variable or parameter is kept in columns although calls pass it.
    pub(super) fn is_in_columns(&self, id: Id) -> bool {
        self.class_of(id).is_some_and(|class| class.is_in_columns)
    }

    /// The variable that a parameter always points to.
    pub(super) fn only_variable(&self, parameter: Id) -> Option<Id> {
        let class = self.class_of(parameter)?;
        (class.is_in_columns && class.variables == 1).then_some(class.variable)
    }

    /// Whether a function may write through a parameter.
    pub(super) fn is_written(&self, parameter: Id) -> bool {
        let member = self.indexes.get(&parameter.0);
        member.is_some_and(|&member| self.members[member as usize].is_written)
    }
}

impl Lowering<'_, '_> {
    /// Finds out what calls in these functions pass.
    pub(super) fn find_passed(&mut self, functions: &[u32]) {
        // Observers are shown what is passed, which is a pointer.
        if self.surroundings.is_observed {
            return;
        }
        let mut passed = Passed::default();
        let mut bad = Vec::new();
        for &function in functions {
            let range = self.m.functions[function as usize].range.clone();
            for inst in self.m.instructions(range) {
                if inst.op() != Op::FunctionCall {
                    continue;
                }
                let mut given = HashSet::new();
                for (&argument, parameter) in arguments(inst, 1)
                    .iter()
                    .zip(self.parameter_ids(inst.id(0)))
                {
                    let Some(parameter) = passed.member(self.m, parameter) else {
                        continue;
                    };
                    let argument = Id(argument);
                    let is_again = !given.insert(argument);
                    match passed.member(self.m, argument) {
                        Some(argument) => {
                            let types = [argument, parameter]
                                .map(|it| self.m.type_of(passed.members[it as usize].id));
                            let [a, b] = [argument, parameter].map(|it| passed.class(it));
                            passed.members[a as usize].class = b;
                            if is_again || types[0] != types[1] {
                                bad.push(argument);
                            }
                        }
                        None => bad.push(parameter),
                    }
                }
            }
        }
        for index in 0..passed.members.len() as u32 {
            let member = passed.members[index as usize];
            let (is_fine, is_written) = match self.use_of(member.id, true) {
                Use::Address => (false, true),
                Use::Accesses { is_written } => (true, is_written),
            };
            let columns = self.pointee(member.id).map(|ty| self.types.columns(ty));
            let is_small = matches!(columns, Ok(Ok(..=MAX_COLUMNS_OF_VARIABLE)));
            if !is_fine || !is_small {
                bad.push(index);
            }
            passed.members[index as usize].is_written = is_written;
            // From here on directly.
            let class = passed.class(index);
            passed.members[index as usize].class = class;
            let class = passed.classes.entry(class).or_insert(Class {
                is_in_columns: true,
                variables: 0,
                variable: member.id,
            });
            if member.is_variable {
                class.variables += 1;
                class.variable = member.id;
            }
        }
        for member in bad {
            let class = passed.class(member);
            if let Some(class) = passed.classes.get_mut(&class) {
                class.is_in_columns = false;
            }
        }
        self.passed = passed;
    }

    /// The parameters of a function.
    fn parameter_ids(&self, function: Id) -> impl Iterator<Item = Id> {
        let index = self.m.function_index(function);
        let range = index.map_or(0..0, |index| self.m.functions[index as usize].range.clone());
        let instructions = self.m.instructions(range);
        let parameters = instructions
            .take_while(|inst| !matches!(inst.op(), Op::Label | Op::FunctionEnd))
            .filter(|inst| inst.op() == Op::FunctionParameter);
        parameters.filter_map(|inst| inst.result())
    }

    /// The columns of what a parameter points to, if they are kept in columns.
    pub(super) fn passed_columns(&mut self, parameter: Id) -> Result<Option<Vec<Reg>>> {
        if !self.passed.is_in_columns(parameter) {
            return Ok(None);
        }
        if let Some(variable) = self.passed.only_variable(parameter)
            && let Some(Value::Register(columns)) = self.values.get(&variable.0)
        {
            return Ok(Some(columns.clone()));
        }
        let ty = self.pointee(parameter)?;
        self.columns_of(ty).map(Some)
    }
}
