//! Blocks with and without what only describes the source.

use spirvkit_grammar::Op;

use crate::unit::{Block, Unit, Value};

/// Instructions without those that only describe the source.
pub(super) fn code<'a>(unit: &'a Unit, insts: &'a [Value]) -> impl Iterator<Item = Value> + 'a {
    let code = insts.iter().filter(|&&inst| !unit.is_debug(inst));
    code.copied()
}

/// Whether there is only one instruction, with an opcode.
pub(super) fn is_only(unit: &Unit, insts: &[Value], op: Op) -> bool {
    let mut code = code(unit, insts);
    code.next().is_some_and(|inst| unit.op(inst) == op) && code.next().is_none()
}

/// Lets a block begin with what describes the source.
pub(super) fn describe_first(
    unit: &Unit,
    block: &mut Block,
    described: impl Iterator<Item = Value>,
) {
    let is_early = |&&inst: &&Value| unit.op(inst) == Op::Phi || unit.op(inst).is_variable();
    let place = block.insts.iter().take_while(is_early).count();
    block.insts.splice(place..place, described);
}
