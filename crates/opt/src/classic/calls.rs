//! Arguments of calls, and where functions return.

use hashbrown::HashMap;
use spirvkit_analysis::Type;
use spirvkit_binary::Id;
use spirvkit_grammar::{Op, SelectionControl, StorageClass};
use spirvkit_ir::{Block, Function, Inst, Module, Place};

use super::{built, in_functions, shown};
use crate::pass::{Changed, Context, PassError};

/// Lets calls be given variables instead of pointers into something: what is there is copied to
/// them before, and back behind.
pub(super) fn fix_arguments(
    module: &mut Module,
    _: &mut Context<'_>,
) -> Result<Changed, PassError> {
    let calls = in_functions(module, |inst| module.op(inst) == Op::FunctionCall);
    // The call, the word of the argument, and the argument.
    let mut found: Vec<(Inst, usize, Id, Id)> = Vec::new();
    for call in calls {
        let words = module.get(call).operand_words();
        for (place, &argument) in words.iter().enumerate().skip(3) {
            let is_chain = module
                .definition(Id(argument))
                .is_some_and(|inst| module.op(inst).is_access_chain());
            let ty = module.type_of(Id(argument)).map(|ty| shown(module, ty));
            if let (true, Some(Type::Pointer { class, pointee })) = (is_chain, ty)
                && class == StorageClass::Function
            {
                found.push((call, place + 1, Id(argument), pointee));
            }
        }
    }
    let count = found.len();
    built(module.edit(|b| {
        let mut found = found.into_iter().peekable();
        while let Some(&(call, ..)) = found.peek() {
            // What is given twice stays one thing, of which there is one copy: chains from the same by
            // the same indices are the same pointer.
            let mut copies: HashMap<Vec<u32>, Id> = HashMap::new();
            let mut backs = Vec::new();
            while let Some((_, word, argument, pointee)) = found.next_if(|it| it.0 == call) {
                let module = b.module();
                let chain = module.definition(argument);
                let path = chain.map(|chain| module.get(chain).operand_words()[2..].to_vec());
                let copy = match path.as_ref().and_then(|path| copies.get(path)) {
                    Some(&copy) => copy,
                    None => {
                        b.insert_at(Place::Before(call));
                        let copy = b.local(pointee);
                        let before = b.load(pointee, argument, None);
                        b.store(copy, before, None);
                        copies.extend(path.map(|path| (path, copy)));
                        backs.push((copy, argument, pointee));
                        copy
                    }
                };
                // A word that is there.
                let _ = b.module_mut().set_word(call, word, copy.0);
            }
            b.insert_at(Place::After(call));
            for (copy, argument, pointee) in backs {
                let after = b.load(pointee, copy, None);
                b.store(argument, after, None);
            }
        }
    }))?;
    Ok(Changed::if_any(count))
}

/// Lets functions return in one place, if none of their returns is in a loop or a switch: their
/// bodies become the one case of a switch, which each return leaves.
pub(super) fn merge_returns(
    module: &mut Module,
    _: &mut Context<'_>,
) -> Result<Changed, PassError> {
    let functions = module.functions();
    let found: Vec<(Function, Vec<Return>)> = functions
        .map(|function| (function, returns(module, function)))
        .filter(|(function, returns)| returns.len() > 1 && is_plain(module, *function))
        .collect();
    if found.is_empty() {
        return Ok(Changed::No);
    }
    let selector = built(module.edit(|b| b.constant_u32(0)))?;
    for (function, returns) in &found {
        merge(module, *function, returns, selector)?;
    }
    Ok(Changed::Yes)
}

/// A block that returns, its last instruction, and what it returns.
type Return = (Block, Inst, Option<Id>);

fn returns(module: &Module, function: Function) -> Vec<Return> {
    let blocks = module.blocks(function);
    let ending = blocks.filter_map(|block| Some((block, module.terminator(block)?)));
    let returning = ending.filter_map(|(block, end)| match module.op(end) {
        Op::Return => Some((block, end, None)),
        Op::ReturnValue => Some((block, end, module.operand_id(end, 0))),
        _ => None,
    });
    returning.collect()
}

/// Whether a function has neither loops nor switches, and is structured.
fn is_plain(module: &Module, function: Function) -> bool {
    module.blocks(function).all(|block| {
        let merge = module.merge(block).map(|merge| module.op(merge));
        match module.terminator(block).map(|end| module.op(end)) {
            Some(Op::Switch) => false,
            Some(Op::BranchConditional) => merge == Some(Op::SelectionMerge),
            _ => merge != Some(Op::LoopMerge),
        }
    })
}

fn merge(
    module: &mut Module,
    function: Function,
    returns: &[Return],
    selector: Id,
) -> Result<(), PassError> {
    let (Some(entry), Some(last), Some(definition)) = (
        module.entry_block(function),
        module.last_block(function),
        module.function_definition(function),
    ) else {
        return Ok(());
    };
    let Some(ty) = module.result_type(definition) else {
        return Ok(());
    };
    let end_label = module.fresh_id();
    // Variables stay in the first block.
    let first = module.block_instructions(entry).find(|&inst| {
        !matches!(module.op(inst), Op::Label | Op::Variable) && !module.is_place(inst)
    });
    let Some(first) = first else {
        return Ok(());
    };
    let body_label = module.fresh_id();
    let body = module.split_block(first, body_label)?;
    let exits: Vec<(Id, Option<Id>)> = returns
        .iter()
        .filter_map(|&(block, _, value)| {
            let block = if block == entry { body } else { block };
            Some((module.block_id(block)?, value))
        })
        .collect();
    for &(_, end, _) in returns {
        module.replace(end, Op::Branch, &[end_label.0])?;
    }
    let merge = [end_label.0, SelectionControl::None.0];
    module.insert(Place::Tail(entry), Op::SelectionMerge, &merge)?;
    let switch = [selector.0, body_label.0];
    let merge = module.merge(entry);
    let place = merge.map_or(Place::Tail(entry), Place::After);
    module.insert(place, Op::Switch, &switch)?;
    let last = if last == entry { body } else { last };
    let end = module.add_block(function, Some(last), end_label)?;
    let values: Vec<u32> = exits
        .iter()
        .filter_map(|&(block, value)| Some([value?.0, block.0]))
        .flatten()
        .collect();
    match values.is_empty() {
        true => drop(module.insert(Place::Tail(end), Op::Return, &[])?),
        false => {
            let phi = module.fresh_id();
            let operands = [&[ty.0, phi.0], &values[..]].concat();
            module.insert(Place::Tail(end), Op::Phi, &operands)?;
            module.insert(Place::Tail(end), Op::ReturnValue, &[phi.0])?;
        }
    }
    Ok(())
}
