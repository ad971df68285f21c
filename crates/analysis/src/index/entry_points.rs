//! Entry points.

use alloc::string::String;

use spirvkit_binary::{Id, LiteralString};
use spirvkit_grammar::{ExecutionModel, Op};

use super::Inst;

/// An `OpEntryPoint` or `OpConditionalEntryPointINTEL` (specification, section 2.2.4).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct EntryPoint<'a> {
    /// The instruction.
    pub inst: Inst<'a>,
    /// Its execution model.
    pub model: ExecutionModel,
    /// The id that it gives as its function, whether or not there is such a function.
    pub function: Id,
    /// The ids of its interface.
    pub interface: &'a [u32],
}

impl<'a> EntryPoint<'a> {
    /// What an instruction of one of these opcodes says.
    pub(super) fn of(inst: Inst<'a>) -> Self {
        let first = condition(inst);
        let name = inst.string(first + 2).map_or(0, |name| name.words().len());
        Self {
            inst,
            model: ExecutionModel(inst.arg(first)),
            function: inst.id(first + 1),
            interface: inst.args().get(first + 2 + name..).unwrap_or_default(),
        }
    }

    /// Its name; nothing if the instruction ends too early to have one.
    pub fn literal_name(&self) -> Option<LiteralString<'a>> {
        self.inst.string(condition(self.inst) + 2)
    }

    /// Its name as text; empty if it has none.
    pub fn name(&self) -> String {
        let name = self.literal_name();
        name.map_or_else(String::new, LiteralString::to_text_lossy)
    }
}

/// How many operands stand before the model.
fn condition(inst: Inst<'_>) -> usize {
    usize::from(inst.op() == Op::ConditionalEntryPointINTEL)
}
