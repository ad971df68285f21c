//! Which variables functions use.

use std::collections::HashMap;

use spirvkit_analysis::ModuleIndex;
use spirvkit_binary::{Id, Value as OperandValue};

/// For each function, which of these its instructions use, each once.
pub(super) fn used(m: &ModuleIndex<'_>, variables: &[Id]) -> Vec<Vec<u32>> {
    let mut used = vec![Vec::new(); m.functions.len()];
    let indexes: HashMap<u32, u32> = variables.iter().map(|it| it.0).zip(0..).collect();
    let (Some(&least), Some(&most)) = (indexes.keys().min(), indexes.keys().max()) else {
        return used;
    };
    // The function that was the last to use each.
    let mut last = vec![usize::MAX; variables.len()];
    for (index, function) in m.functions.iter().enumerate() {
        for inst in m.instructions(function.range.clone()) {
            let is_likely =
                |word: &u32| (least..=most).contains(word) && indexes.contains_key(word);
            if !inst.words().iter().skip(1).any(is_likely) {
                continue;
            }
            let Some(decoded) = inst.decoded() else {
                continue;
            };
            for operand in decoded.operands(&m.definitions).map_while(Result::ok) {
                if let OperandValue::Id(id) = operand.value
                    && let Some(&variable) = indexes.get(&id.0)
                    && std::mem::replace(&mut last[variable as usize], index) != index
                {
                    used[index].push(variable);
                }
            }
        }
    }
    used
}
