//! Functions, their blocks, calls, and which stages reach them.

use std::fmt;
use std::ops::Range;

use spirvkit_binary::Id;
use spirvkit_grammar::{ExecutionMode, ExecutionModel};

use super::role::Role;
use super::{EntryPoint, Inst, Module, NONE};

/// A function: a definition or a declaration.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) id: Id,
    /// The words from `OpFunction` up to behind `OpFunctionEnd`.
    pub(crate) range: Range<u32>,
    /// Indexes of the module's blocks; none in a declaration.
    pub(crate) blocks: Range<u32>,
    /// The execution models of the entry points from which calls reach it.
    pub(crate) models: Models,
}

/// A block: from its label to its terminator.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) id: Id,
    /// The offset of the `OpLabel`.
    pub(crate) start: u32,
    /// The offset of the terminator; 0 if the block has none.
    pub(crate) terminator: u32,
    /// The offset of the merge instruction; 0 if the block has none.
    pub(crate) merge: u32,
}

/// A set of execution models.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Models(u32);

/// From where functions are reached by entry points that lack some modes.
#[derive(Debug)]
pub(crate) struct Reached {
    /// The models of the entry points, and the modes.
    models: Models,
    modes: &'static [ExecutionMode],
    /// By function: the index of such an entry point, or [`NONE`].
    entries: Vec<u32>,
}

/// The models that have a place in the set, in the order of their bits.
const MODELS: [ExecutionModel; 17] = [
    ExecutionModel::Vertex,
    ExecutionModel::TessellationControl,
    ExecutionModel::TessellationEvaluation,
    ExecutionModel::Geometry,
    ExecutionModel::Fragment,
    ExecutionModel::GLCompute,
    ExecutionModel::Kernel,
    ExecutionModel::TaskNV,
    ExecutionModel::MeshNV,
    ExecutionModel::RayGenerationKHR,
    ExecutionModel::IntersectionKHR,
    ExecutionModel::AnyHitKHR,
    ExecutionModel::ClosestHitKHR,
    ExecutionModel::MissKHR,
    ExecutionModel::CallableKHR,
    ExecutionModel::TaskEXT,
    ExecutionModel::MeshEXT,
];

impl Models {
    /// The set of these models.
    pub(crate) const fn of(models: &[ExecutionModel]) -> Self {
        let mut bits = 0;
        let mut index = 0;
        while index < models.len() {
            bits |= Self::bit(models[index]);
            index += 1;
        }
        Self(bits)
    }

    const fn bit(model: ExecutionModel) -> u32 {
        let mut position = 0;
        while position < MODELS.len() {
            if MODELS[position].0 == model.0 {
                return 1 << position;
            }
            position += 1;
        }
        0
    }

    pub(crate) fn contains(self, model: ExecutionModel) -> bool {
        self.0 & Self::bit(model) != 0
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The models of this set that are not in the other.
    pub(crate) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(crate) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = ExecutionModel> {
        MODELS
            .into_iter()
            .filter(move |&model| self.contains(model))
    }
}

impl fmt::Debug for Models {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl fmt::Display for Models {
    /// The models' names with commas between.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, model) in self.iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(f, "{comma}{model}")?;
        }
        Ok(())
    }
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
    #[inline]
    pub(super) fn add(&mut self, m: &mut Module<'_>, inst: Inst<'_>, role: Role) {
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
                m.calls.push((caller, inst.id(0)));
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

    fn close(&mut self, m: &mut Module<'_>, end: u32) {
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

    pub(super) fn finish(&mut self, m: &mut Module<'_>) {
        let end = m.words.len() as u32;
        self.close(m, end);
    }
}

/// Works out which execution models reach each function. Every model passes
/// through a function at most once, so this is linear in the calls.
pub(super) fn find_models(m: &mut Module<'_>) {
    for (index, function) in m.functions.iter().enumerate() {
        let slot = m.function_indexes.slot(function.id);
        if *slot == NONE {
            *slot = index as u32;
        }
    }
    let mut todo = Vec::new();
    for index in 0..m.entry_points.len() {
        let entry = m.entry_points[index];
        let function = m.function_indexes.get(entry.function);
        todo.push((function, Models(Models::bit(entry.model))));
    }
    while let Some((index, models)) = todo.pop() {
        let Some(function) = m.functions.get_mut(index as usize) else {
            continue;
        };
        if models.without(function.models).is_empty() {
            continue;
        }
        function.models = Models(function.models.0 | models.0);
        let models = function.models;
        let callees = m.callees(index);
        todo.extend(callees.map(|callee| (m.function_indexes.get(callee), models)));
    }
}

impl<'a> Module<'a> {
    /// The index of a function among [`functions`](Self::functions).
    pub(crate) fn function_index(&self, id: Id) -> Option<u32> {
        Some(self.function_indexes.get(id)).filter(|&index| index != NONE)
    }

    /// The ids of the functions that a function calls, with repetitions.
    pub(crate) fn callees(&self, function: u32) -> impl Iterator<Item = Id> + '_ {
        self.calls_of(function).iter().map(|call| call.1)
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
    pub(crate) fn call_tree(&self, function: Id) -> Vec<u32> {
        let Some(root) = self.function_index(function) else {
            return Vec::new();
        };
        let mut seen = vec![false; self.functions.len()];
        seen[root as usize] = true;
        let mut found = vec![root];
        let mut next = 0;
        while let Some(&function) = found.get(next) {
            next += 1;
            for callee in self.callees(function) {
                if let Some(callee) = self.function_index(callee)
                    && !std::mem::replace(&mut seen[callee as usize], true)
                {
                    found.push(callee);
                }
            }
        }
        found
    }

    /// An entry point of one of these models that has none of these modes and
    /// from which calls reach the function. The first question about these models
    /// and modes follows all calls, once.
    pub(crate) fn entry_without_mode(
        &self,
        function: u32,
        models: Models,
        modes: &'static [ExecutionMode],
    ) -> Option<EntryPoint<'a>> {
        let mut known = self.modeless.borrow_mut();
        let is_it = |reached: &Reached| reached.models == models && reached.modes == modes;
        let reached = match known.iter().position(is_it) {
            Some(index) => known.get(index),
            None => {
                known.push(self.reached_without_mode(models, modes));
                known.last()
            }
        };
        let entry = *reached?.entries.get(function as usize)?;
        self.entry_points.get(entry as usize).copied()
    }

    fn reached_without_mode(&self, models: Models, modes: &'static [ExecutionMode]) -> Reached {
        let mut entries = vec![NONE; self.functions.len()];
        let mut todo = Vec::new();
        for (index, entry) in self.entry_points.iter().enumerate() {
            if models.contains(entry.model)
                && !modes
                    .iter()
                    .any(|&mode| self.has_execution_mode(entry.function, mode))
            {
                todo.extend(self.function_index(entry.function));
            }
            while let Some(function) = todo.pop() {
                match entries.get_mut(function as usize) {
                    Some(reached_from) if *reached_from == NONE => *reached_from = index as u32,
                    _ => continue,
                }
                let callees = self.callees(function);
                todo.extend(callees.filter_map(|callee| self.function_index(callee)));
            }
        }
        Reached {
            models,
            modes,
            entries,
        }
    }

    /// The index of the function whose words include this offset.
    pub(crate) fn function_at(&self, offset: u32) -> Option<u32> {
        let after = self
            .functions
            .partition_point(|function| function.range.start <= offset);
        let index = after.checked_sub(1)?;
        self.functions[index]
            .range
            .contains(&offset)
            .then_some(index as u32)
    }
}

impl Module<'_> {
    /// The models with which entry points name a function, conditional ones
    /// included; `None` for a function that is no entry point.
    pub(crate) fn entry_models(&self, function: Id) -> Option<Models> {
        let index = self.entry_models.get_or_init(|| {
            let entries = self.entry_points.iter();
            let entries = entries.map(|entry| (entry.model, entry.function));
            let mut all: Vec<(u32, Models)> = entries
                .chain(self.conditional_entry_points.iter().copied())
                .map(|(model, function)| (function.0, Models(Models::bit(model))))
                .collect();
            all.sort_unstable_by_key(|entry| entry.0);
            all.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                if same {
                    kept.1.0 |= next.1.0;
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
pub(super) struct Uses {
    /// Id and offset of the user, sorted.
    entries: Vec<(u32, u32)>,
    offsets: Vec<u32>,
}

impl Uses {
    pub(super) fn new(m: &Module<'_>) -> Self {
        let mut entries = Vec::new();
        for inst in m.all_instructions() {
            let Some(instruction) = spirvkit_binary::Instruction::from_words(
                inst.words(),
                spirvkit_binary::WordOffset(inst.offset() as usize),
            ) else {
                continue;
            };
            let result = inst.result();
            for operand in instruction.operands(&m.definitions) {
                if let Ok(operand) = operand
                    && let spirvkit_binary::Value::Id(id) = operand.value
                    && Some(id) != result
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
