//! What is done to a module, in order.

use hashbrown::HashMap;
use spirvkit_binary::Error;
use spirvkit_grammar::Op;
use spirvkit_ir::Module;
use spirvkit_transform::compact_ids;

use crate::Options;
use crate::body::{Settings, rebuild};
use crate::passes::{flow, inline, privates};
use crate::unit::{Unit, Unread, Value};

/// Optimizes a module. What can't be taken apart stays as it is.
pub(crate) fn run(words: &[u32], options: &Options) -> Result<Vec<u32>, Error> {
    let mut unit = match Unit::read(words) {
        Ok(unit) => unit,
        Err(Unread::Error(error)) => return Err(error),
        Err(Unread::Broken) => {
            let mut module = Module::load(words)?;
            if compact_ids(&mut module).is_err() {
                return Ok(words.to_vec());
            }
            match Unit::read(&module.store()) {
                Ok(unit) => unit,
                Err(_) => return Ok(words.to_vec()),
            }
        }
    };
    optimize(&mut unit, options);
    Ok(unit.write(options))
}

/// How often a function is rebuilt at most.
const MAX_ROUNDS: usize = 4;

fn optimize(unit: &mut Unit, options: &Options) {
    let live = unit.live_functions(options);
    inline_all(unit, &live);
    let live = unit.live_functions(options);
    privates::localize(unit, &live);
    privates::find_owned(unit, &live);
    for index in 0..unit.functions.len() {
        if live[index] {
            improve(unit, index);
        }
    }
}

/// Simplifies a function until nothing changes any more.
fn improve(unit: &mut Unit, index: usize) {
    let settings = Settings { promotes: true };
    let mut function = std::mem::take(&mut unit.functions[index]);
    for round in 0..MAX_ROUNDS {
        rebuild(unit, &mut function, settings);
        if !flow::simplify(unit, &mut function) && round > 0 {
            break;
        }
    }
    unit.functions[index] = function;
}

/// Puts functions where they are called, callees first.
fn inline_all(unit: &mut Unit, live: &[bool]) {
    let by_id: HashMap<Value, usize> = (unit.functions.iter().enumerate())
        .map(|(index, function)| (function.definition, index))
        .collect();
    let mut callees = vec![None; unit.functions.len()];
    for index in callees_first(unit, &by_id) {
        if !live[index] {
            continue;
        }
        let mut function = std::mem::take(&mut unit.functions[index]);
        let inlined = inline::inline(unit, &mut function, &by_id, &callees, |_, _, _| true);
        unit.functions[index] = function;
        let _ = inlined;
        improve(unit, index);
        let function = std::mem::take(&mut unit.functions[index]);
        callees[index] = Some(inline::callee(unit, &function));
        unit.functions[index] = function;
    }
}

/// The functions in an order in which each comes behind those that it calls, as far as none calls
/// itself.
fn callees_first(unit: &Unit, by_id: &HashMap<Value, usize>) -> Vec<usize> {
    let calls: Vec<Vec<usize>> = (unit.functions.iter())
        .map(|function| {
            let insts = function.blocks.iter().flat_map(|block| &block.insts);
            let calls = insts.filter(|&&inst| unit.op(inst) == Op::FunctionCall);
            calls
                .filter_map(|&inst| by_id.get(&unit.operand(inst, 0)).copied())
                .collect()
        })
        .collect();
    let mut order = Vec::new();
    let mut seen = vec![false; calls.len()];
    for root in 0..calls.len() {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        let mut stack = vec![(root, 0)];
        while let Some((function, at)) = stack.last_mut() {
            let Some(&next) = calls[*function].get(*at) else {
                order.push(*function);
                stack.pop();
                continue;
            };
            *at += 1;
            if !std::mem::replace(&mut seen[next], true) {
                stack.push((next, 0));
            }
        }
    }
    order
}
