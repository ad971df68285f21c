//! Graphs, behind the functions.

use spirvkit_grammar::Op;

use super::{Extended, Layout};
use crate::finding::{CheckResult, Finding};
use crate::module::Inst;
use crate::rules::generated::layout;

impl Layout<'_, '_> {
    /// Behind the functions.
    pub(super) fn in_graphs(&mut self, inst: Inst<'_>, op: Op) -> CheckResult {
        // These may stand anywhere.
        if op.is_line() {
            return Ok(());
        }
        if op.is_ext_inst() && self.extended(inst) != Extended::Semantic {
            return Ok(());
        }
        let previous = std::mem::replace(&mut self.previous, op);
        if let Some(offset) = self.output.take()
            && !matches!(op, Op::GraphSetOutputARM | Op::GraphEndARM)
        {
            let message = format!(
                "OpGraphSetOutputARM must be followed by another or by OpGraphEndARM, but {op} \
                                   follows"
            );
            return Err(Finding::new(&layout::GRAPHS, offset, message));
        }
        let message = match op {
            Op::GraphEntryPointARM if self.in_graph => "an entry point is within a graph",
            Op::GraphEntryPointARM => return Ok(()),
            Op::GraphARM if std::mem::replace(&mut self.in_graph, true) => {
                "a graph begins before the previous one has ended"
            }
            Op::GraphARM => return Ok(()),
            Op::GraphInputARM if !matches!(previous, Op::GraphARM | Op::GraphInputARM) => {
                "an input must follow its graph's OpGraphARM or another input"
            }
            Op::GraphSetOutputARM => {
                self.output = Some(inst.offset());
                match self.in_graph {
                    true => return Ok(()),
                    false => "an output is outside of graphs",
                }
            }
            Op::GraphEndARM => {
                let was_open = std::mem::replace(&mut self.in_graph, false);
                match was_open && previous == Op::GraphSetOutputARM {
                    true => return Ok(()),
                    false => "a graph ends without an output",
                }
            }
            Op::GraphInputARM | Op::CompositeExtract if self.in_graph => return Ok(()),
            Op::ExtInst | Op::ExtInstWithForwardRefsKHR if self.in_graph => return Ok(()),
            Op::ExtInst | Op::ExtInstWithForwardRefsKHR => {
                "an extended instruction is outside of graphs"
            }
            Op::CompositeExtract => "an OpCompositeExtract is outside of graphs",
            _ => {
                let message = format!("{op} comes after the first graph, but can't be part of one");
                return self.finding(&layout::GRAPHS, inst, message);
            }
        };
        self.finding(&layout::GRAPHS, inst, message)
    }
}
