//! Which variables functions use.

use spirvkit_analysis::ModuleIndex;
use spirvkit_analysis::index::Inst;
use spirvkit_binary::{Id, Value as OperandValue};
use spirvkit_grammar::Op;

use super::sorted::{Sorted, within};

/// For each function, which of these its instructions use, each once.
pub(super) fn used(m: &ModuleIndex<'_>, sorted: &Sorted<'_>, variables: &[Id]) -> Vec<Vec<u32>> {
    let mut used = vec![Vec::new(); m.functions.len()];
    let mut indexes: Vec<(u32, u32)> = variables.iter().map(|it| it.0).zip(0..).collect();
    indexes.sort_unstable();
    let (Some(&(least, _)), Some(&(most, _))) = (indexes.first(), indexes.last()) else {
        return used;
    };
    let find = |id: u32| {
        let is_near = (least..=most).contains(&id);
        let index = is_near.then(|| indexes.binary_search_by_key(&id, |it| it.0).ok())??;
        Some(indexes[index].1)
    };
    // The function that was the last to use each.
    let mut last = vec![usize::MAX; variables.len()];
    for (index, function) in m.functions.iter().enumerate() {
        let mut note = |variable: u32| {
            if std::mem::replace(&mut last[variable as usize], index) != index {
                used[index].push(variable);
            }
        };
        for &inst in within(&sorted.accesses, &function.range) {
            let ids = pointers(inst).iter();
            ids.filter_map(|&id| find(id)).for_each(&mut note);
        }
        for inst in within(&sorted.special, &function.range) {
            // Some of the words may be no ids.
            if inst.args().iter().all(|&word| find(word).is_none()) {
                continue;
            }
            let Some(decoded) = inst.decoded() else {
                continue;
            };
            let operands = decoded.operands(&m.definitions).map_while(Result::ok);
            let ids = operands.filter_map(|operand| match operand.value {
                OperandValue::Id(id) => find(id.0),
                _ => None,
            });
            ids.for_each(&mut note);
        }
    }
    used
}

/// The arguments of an access that may be variables, all of them ids.
fn pointers(inst: Inst<'_>) -> &[u32] {
    let arguments = inst.args();
    let count = match inst.op() {
        Op::Load | Op::AccessChain | Op::InBoundsAccessChain => 1,
        Op::Store => 2,
        _ => return arguments,
    };
    arguments.get(..count).unwrap_or(arguments)
}
