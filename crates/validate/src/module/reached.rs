//! From which entry points functions are reached that lack some execution mode.

use spirvkit_grammar::ExecutionMode;

use super::{EntryPoint, Models, Module, NONE};

/// From where functions are reached by entry points that lack some modes.
#[derive(Debug)]
pub(crate) struct Reached {
    /// The models of the entry points, and the modes.
    models: Models,
    modes: &'static [ExecutionMode],
    /// By function: the index of such an entry point, or [`NONE`].
    entries: Vec<u32>,
}

impl<'a> Module<'a> {
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
                todo.extend(self.called_functions(function));
            }
        }
        Reached {
            models,
            modes,
            entries,
        }
    }
}
