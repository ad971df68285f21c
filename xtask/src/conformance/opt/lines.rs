//! How many instructions still have the lines of source that they came from.

use std::collections::{HashMap, HashSet};

use spirvkit::binary::{Id, Instruction, Module};
use spirvkit::debuginfo::DebugInfo;
use spirvkit::grammar::Op;

/// Of the instructions in functions that had a line before: how many there are, and how many of
/// them have one now. Those with an id are known by it; of the others, and of copies, those count
/// whose opcode always had a line.
pub(super) fn kept(before: &[u32], after: &[u32]) -> [usize; 2] {
    let mut ids = HashSet::new();
    let mut known = HashSet::new();
    let mut opcodes: HashMap<Op, bool> = HashMap::new();
    each(before, |op, id, has_line| {
        if let Some(id) = id {
            known.insert(id);
            if has_line {
                ids.insert(id);
            }
        }
        *opcodes.entry(op).or_insert(true) &= has_line;
    });
    let [mut had, mut has] = [0, 0];
    each(after, |op, id, has_line| {
        let had_one = match id {
            Some(id) if known.contains(&id) => ids.contains(&id),
            _ => opcodes.get(&op).copied().unwrap_or_default(),
        };
        had += usize::from(had_one);
        has += usize::from(had_one && has_line);
    });
    [had, has]
}

/// Calls for each instruction in a function that may have a line, with whether it has one.
fn each(words: &[u32], mut each: impl FnMut(Op, Option<Id>, bool)) {
    let (Ok(module), Ok(info)) = (Module::new(words), DebugInfo::read(words)) else {
        return;
    };
    let mut is_within = false;
    for instruction in module.instructions().map_while(Result::ok) {
        let op = instruction.op();
        is_within = (is_within || op == Op::Label) && op != Op::FunctionEnd;
        if is_within && may_have_line(&info, &instruction) {
            let has_line = info.position(instruction.offset()).is_some();
            each(op, instruction.result(), has_line);
        }
    }
}

fn may_have_line(info: &DebugInfo<'_>, instruction: &Instruction<'_>) -> bool {
    let op = instruction.op();
    let is_frame = matches!(op, Op::Label | Op::Phi) || op.is_variable() || op.is_merge();
    !is_frame
        && !op.is_line()
        && instruction
            .result()
            .is_none_or(|id| info.entry(id).is_none())
}
