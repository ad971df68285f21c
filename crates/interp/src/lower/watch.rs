//! What is kept, and told, for observers.

use std::sync::Arc;

use hashbrown::HashMap;

use spirvkit_analysis::index::Inst as Instruction;
use spirvkit_analysis::{Lookup, Type};
use spirvkit_binary::Id;
use spirvkit_grammar::Op;

use super::types::Placed;
use super::{Lowering, Value};
use crate::observe::{AccessKind, Watch, Watched};
use crate::program::{Cell, Inst, Leaf};

impl<'a> Lowering<'_, 'a> {
    /// Whether observers are told of an instruction: it does something, or gives something.
    pub(super) fn is_watched(&self, inst: Instruction<'a>) -> bool {
        let is_silent = matches!(
            inst.op(),
            Op::Label
                | Op::Line
                | Op::NoLine
                | Op::Nop
                | Op::Variable
                | Op::SelectionMerge
                | Op::LoopMerge
        );
        self.program.watched.is_some() && !is_silent && !self.m.is_remark(inst)
    }

    /// Tells observers of something.
    pub(super) fn watch(&mut self, watch: impl FnOnce(u32) -> Watch) {
        let place = self.place();
        let Some(watched) = &mut self.program.watched else {
            return;
        };
        watched.all.push(watch(place));
        let index = watched.all.len() as u32 - 1;
        self.program.code.push(Inst::Watch(index));
        self.program.places.push(place);
    }

    /// Tells observers of an access.
    pub(super) fn watch_access(&mut self, inst: Inst) {
        let (cell, kind) = match inst {
            Inst::Load { cell, .. } => (cell, AccessKind::Read),
            Inst::Store { cell, .. } => (cell, AccessKind::Write),
            Inst::Atomic(index) => {
                let Some(atomic) = self.program.atomics.get(index as usize) else {
                    return;
                };
                let (leaf, address) = (Leaf::Scalar(atomic.ty), atomic.address);
                (Cell { leaf, address }, AccessKind::Atomic)
            }
            _ => return,
        };
        self.watch(|offset| Watch::Access { offset, cell, kind });
    }

    /// Keeps what all ids stand for.
    pub(super) fn keep_values(&mut self) {
        let values = std::mem::take(&mut self.values);
        let mut known: HashMap<u32, Arc<[Leaf]>> = HashMap::new();
        let mut kept = HashMap::new();
        for (id, value) in values {
            let Some(mut ty) = self.m.type_of(Id(id)) else {
                continue;
            };
            let columns = match value {
                Value::Pointer(pointer) => {
                    kept.insert(id, Watched::Pointer(pointer.address));
                    continue;
                }
                Value::Columns(columns) => columns,
                Value::Register(columns) => {
                    if let Type::Pointer { pointee, .. } = self.m.ty(ty) {
                        ty = pointee;
                    }
                    columns
                }
            };
            let leaves = known.entry(ty.0).or_insert_with(|| {
                let leaves = self.types.leaves(Placed::plain(ty)).unwrap_or_default();
                leaves.into_iter().map(|(leaf, _)| leaf).collect()
            });
            let leaves = leaves.clone();
            kept.insert(id, Watched::Scalars { leaves, columns });
        }
        if let Some(watched) = &mut self.program.watched {
            watched.values = kept;
        }
    }
}

#[cfg(test)]
mod tests {
    use spirvkit_analysis::ModuleIndex;

    use super::super::{Surroundings, lower};
    use crate::optimize::optimize;
    use crate::program::Inst;

    /// So a run that nobody watches takes no instruction more.
    #[test]
    fn only_programs_that_are_watched_tell_anyone() {
        let text = include_str!("../../samples/double.spvasm");
        let words = spirvkit_text::assemble(text, &Default::default())
            .unwrap()
            .words;
        let m = ModuleIndex::new(&words).unwrap();
        let told = [false, true].map(|is_observed| {
            let surroundings = Surroundings {
                lanes: 32,
                is_observed,
                ..Surroundings::default()
            };
            let mut program = lower(
                &m,
                m.entry_points[0].function,
                &surroundings,
                &mut Vec::new(),
            )
            .unwrap();
            if !is_observed {
                optimize(&mut program);
            }
            let told = |inst: &&Inst| matches!(inst, Inst::Watch(_));
            program.code.iter().filter(told).count()
        });
        assert_eq!(told[0], 0);
        assert!(told[1] > 0);
    }
}
