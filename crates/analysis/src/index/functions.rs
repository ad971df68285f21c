//! Functions, their blocks, calls, and which stages reach them.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use spirvkit_binary::{Id, Value};

use super::models::Models;
use super::role::Role;
use super::{Inst, ModuleIndex};
use crate::callbacks::called;
use crate::{ControlFlow, NONE};

/// A function: a definition or a declaration.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Function {
    /// The result of its `OpFunction`.
    pub id: Id,
    /// The words from `OpFunction` up to behind `OpFunctionEnd`.
    pub range: Range<u32>,
    /// Indexes of the module's blocks; none in a declaration.
    pub blocks: Range<u32>,
    /// The execution models of the entry points from which calls reach it.
    pub models: Models,
}

/// A block: from its label to its terminator.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Block {
    /// The result of its `OpLabel`.
    pub id: Id,
    /// The offset of the `OpLabel`.
    pub start: u32,
    /// The offset of the terminator; 0 if the block has none.
    pub terminator: u32,
    /// The offset of the merge instruction; 0 if the block has none.
    pub merge: u32,
}

/// Follows the functions and blocks of a module as its instructions pass by.
pub(super) struct Builder {
    in_function: bool,
    /// The block that is open.
    open: u32,
    /// The block of the instruction just taken.
    block: u32,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            in_function: false,
            open: NONE,
            block: NONE,
        }
    }
}

impl Builder {
    /// Takes the next instruction.
    // A call for each instruction of a module can be felt.
    #[inline(always)]
    pub(super) fn add(&mut self, m: &mut ModuleIndex<'_>, inst: Inst<'_>, role: Role) {
        self.block = self.open;
        match role {
            Role::Nothing => {}
            Role::Function => {
                self.close(m, inst.offset());
                let blocks = m.blocks.len() as u32;
                m.functions.push(Function {
                    id: inst.result().unwrap_or(Id(0)),
                    range: inst.offset()..inst.offset(),
                    blocks: blocks..blocks,
                    models: Models::default(),
                });
                self.in_function = true;
                self.block = NONE;
            }
            Role::FunctionEnd => {
                self.close(m, inst.offset() + inst.words().len() as u32);
                self.block = NONE;
            }
            Role::Label if self.in_function => {
                self.open = m.blocks.len() as u32;
                self.block = self.open;
                m.blocks.push(Block {
                    id: inst.result().unwrap_or(Id(0)),
                    start: inst.offset(),
                    terminator: 0,
                    merge: 0,
                });
            }
            Role::Merge => {
                if let Some(block) = m.blocks.get_mut(self.open as usize) {
                    block.merge = inst.offset();
                }
            }
            Role::Call if self.in_function => {
                let caller = m.functions.len() as u32 - 1;
                m.calls.extend(called(inst).map(|callee| (caller, callee)));
            }
            Role::Terminator if self.open != NONE => {
                if let Some(block) = m.blocks.get_mut(self.open as usize) {
                    block.terminator = inst.offset();
                }
                self.open = NONE;
            }
            _ => {}
        }
    }

    /// The block that the instruction just taken stands in.
    #[inline]
    pub(super) fn block(&self) -> u32 {
        self.block
    }

    fn close(&mut self, m: &mut ModuleIndex<'_>, end: u32) {
        self.open = NONE;
        if !self.in_function {
            return;
        }
        let blocks = m.blocks.len() as u32;
        if let Some(function) = m.functions.last_mut() {
            function.range.end = end;
            function.blocks.end = blocks;
        }
        self.in_function = false;
    }

    pub(super) fn finish(&mut self, m: &mut ModuleIndex<'_>) {
        let end = m.words.len() as u32;
        self.close(m, end);
    }
}

impl ModuleIndex<'_> {
    /// Works out which execution models reach each function. Every model passes
    /// through a function at most once, so this is linear in the calls.
    pub(super) fn find_models(&mut self) {
        let functions = self.functions.iter().enumerate();
        for (index, function) in functions.filter(|(_, function)| function.id != Id(0)) {
            let slot = self.function_indexes.slot(function.id);
            if *slot == NONE {
                *slot = index as u32;
            }
        }
        let entries = self.entry_points.iter();
        let mut todo: Vec<(u32, Models)> = entries
            .map(|entry| {
                let function = self.function_indexes.get(entry.function);
                (function, Models::one(entry.model))
            })
            .collect();
        while let Some((index, models)) = todo.pop() {
            let Some(function) = self.functions.get_mut(index as usize) else {
                continue;
            };
            if models.without(function.models).is_empty() {
                continue;
            }
            function.models = function.models.or(models);
            let models = function.models;
            let callees = self.called_functions(index);
            todo.extend(callees.map(|callee| (callee, models)));
        }
    }

    /// The control flow of a function, by its index among [`functions`](Self::functions);
    /// it counts the function's instructions from 0.
    pub fn control_flow(&self, function: u32) -> Option<ControlFlow> {
        let range = self.functions.get(function as usize)?.range.clone();
        let instructions = self.instructions(range).filter_map(|inst| inst.decoded());
        Some(ControlFlow::new(instructions, &self.definitions))
    }

    /// The index of a function among [`functions`](Self::functions).
    pub fn function_index(&self, id: Id) -> Option<u32> {
        Some(self.function_indexes.get(id)).filter(|&index| index != NONE)
    }

    /// The ids of the functions that a function calls, with repetitions.
    pub fn callees(&self, function: u32) -> impl Iterator<Item = Id> + '_ {
        self.calls_of(function).iter().map(|call| call.1)
    }

    /// The same as indexes of [`functions`](Self::functions); without those that the
    /// module doesn't have.
    pub fn called_functions(&self, function: u32) -> impl Iterator<Item = u32> + '_ {
        let callees = self.callees(function);
        callees.filter_map(|callee| self.function_index(callee))
    }

    /// A function's calls: its own index and what is called.
    pub(super) fn calls_of(&self, function: u32) -> &[(u32, Id)] {
        let start = self.calls.partition_point(|call| call.0 < function);
        let calls = self.calls.get(start..).unwrap_or_default();
        let end = calls.partition_point(|call| call.0 <= function);
        &calls[..end]
    }

    /// The indexes of all functions that are reached from a function, itself
    /// first.
    pub fn call_tree(&self, function: Id) -> Vec<u32> {
        let Some(root) = self.function_index(function) else {
            return Vec::new();
        };
        let mut seen = vec![false; self.functions.len()];
        seen[root as usize] = true;
        let mut found = vec![root];
        let mut next = 0;
        while let Some(&function) = found.get(next) {
            next += 1;
            for callee in self.called_functions(function) {
                if !core::mem::replace(&mut seen[callee as usize], true) {
                    found.push(callee);
                }
            }
        }
        found
    }

    /// The index of the function whose words include this offset.
    pub fn function_at(&self, offset: u32) -> Option<u32> {
        let after = self
            .functions
            .partition_point(|function| function.range.start <= offset);
        let index = after.checked_sub(1)?;
        self.functions[index]
            .range
            .contains(&offset)
            .then_some(index as u32)
    }

    /// The models with which entry points name a function, conditional ones
    /// included; `None` for a function that is no entry point.
    pub fn entry_models(&self, function: Id) -> Option<Models> {
        let index = self.entry_models.get_or_init(|| {
            let entries = self.entry_points.iter();
            let mut all: Vec<(u32, Models)> = entries
                .chain(&self.conditional_entry_points)
                .map(|entry| (entry.function.0, Models::one(entry.model)))
                .collect();
            all.sort_unstable_by_key(|entry| entry.0);
            all.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                if same {
                    kept.1 = kept.1.or(next.1);
                }
                same
            });
            all
        });
        let found = index.binary_search_by_key(&function.0, |entry| entry.0);
        Some(index.get(found.ok()?)?.1)
    }
}

/// Which instructions use each id.
#[derive(Debug)]
pub(super) struct Uses {
    /// Id and offset of the user, sorted.
    entries: Vec<(u32, u32)>,
    offsets: Vec<u32>,
}

impl Uses {
    pub(super) fn new(m: &ModuleIndex<'_>) -> Self {
        let mut entries = Vec::new();
        for inst in m.all_instructions() {
            let Some(instruction) = inst.decoded() else {
                continue;
            };
            let result = inst.result_word();
            for operand in instruction.operands(&m.definitions) {
                if let Ok(operand) = operand
                    && let Value::Id(id) = operand.value
                    && Some(operand.word) != result
                {
                    entries.push((id.0, inst.offset()));
                }
            }
        }
        entries.sort_unstable();
        entries.dedup();
        let offsets = entries.iter().map(|entry| entry.1).collect();
        Self { entries, offsets }
    }

    pub(super) fn of(&self, id: Id) -> &[u32] {
        let start = self.entries.partition_point(|entry| entry.0 < id.0);
        let end = self.entries.partition_point(|entry| entry.0 <= id.0);
        &self.offsets[start..end]
    }
}
