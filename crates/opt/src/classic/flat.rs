//! Arrays of arrays of descriptors that become flat.

use hashbrown::HashMap;
use spirvkit_analysis::Type;
use spirvkit_binary::Id;
use spirvkit_grammar::Op;
use spirvkit_ir::builder::Builder;
use spirvkit_ir::{Inst, Lookup, Module, Place};

use super::descriptors::Descriptors;
use super::{Growth, Order, built, of_op};
use crate::pass::{Changed, Context, PassError};

/// A variable of arrays within each other: how many elements each array has, from the outermost on,
/// and what the innermost is of.
struct Nested {
    variable: Inst,
    /// Nothing, if the outermost has as many as there are.
    lengths: Vec<Option<u64>>,
    element: Id,
}

/// Lets variables of arrays of arrays of descriptors be of one array, which is all that Vulkan has:
/// the last index counts up first.
pub(super) fn flatten(module: &mut Module, _: &mut Context<'_>) -> Result<Changed, PassError> {
    let descriptors = Descriptors::of(module);
    let mut found: Vec<Nested> = Vec::new();
    for variable in of_op(module, Op::Variable) {
        found.extend(nested(module, &descriptors, variable)?);
    }
    if found.is_empty() {
        return Ok(Changed::No);
    }
    let mut growth = Growth::of(module);
    let order = Order::of(module);
    built(module.edit(|b| {
        for it in &found {
            flatten_one(b, it, &order, &mut growth)?;
        }
        Ok::<(), PassError>(())
    }))??;
    Ok(Changed::Yes)
}

fn nested(
    module: &Module,
    descriptors: &Descriptors,
    variable: Inst,
) -> Result<Option<Nested>, PassError> {
    let ty = module.result_type(variable).map(|ty| module.ty(ty));
    let Some(Type::Pointer { pointee, .. }) = ty else {
        return Ok(None);
    };
    let mut lengths = Vec::new();
    let mut unknown = None;
    let mut element = pointee;
    if let Type::RuntimeArray { element: inner } = module.ty(element) {
        lengths.push(None);
        element = inner;
    }
    while let Type::Array {
        element: inner,
        length,
    } = module.ty(element)
    {
        let known = module.constant_u64(length);
        if known.is_none() {
            unknown = Some(length);
        }
        lengths.push(Some(known.unwrap_or(0)));
        element = inner;
    }
    if lengths.len() < 2 || !descriptors.is_one(element) {
        return Ok(None);
    }
    if let Some(length) = unknown {
        return Err(PassError::new(format!(
            "{} is an array of arrays that are as long as {length} says, which isn't known yet",
            module.result(variable).unwrap_or(Id(0))
        )));
    }
    Ok(Some(Nested {
        variable,
        lengths,
        element,
    }))
}

/// A pointer into the arrays: by what, and how many of the arrays are behind it.
struct Way {
    inst: Inst,
    /// The sum of the indices so far, each times the elements that it stands for; nothing, if there is
    /// none yet.
    index: Option<Id>,
    depth: usize,
}

fn flatten_one(
    b: &mut Builder,
    it: &Nested,
    order: &Order,
    growth: &mut Growth,
) -> Result<(), PassError> {
    let module = b.module();
    let (Some(id), Some(ty)) = (module.result(it.variable), module.result_type(it.variable)) else {
        return Ok(());
    };
    let Type::Pointer { class, .. } = module.ty(ty) else {
        return Ok(());
    };
    // How many elements an index of each array stands for, and how many there are.
    let mut steps = Vec::new();
    let mut total = 1u32;
    for length in it.lengths.iter().rev() {
        steps.push(total);
        let length = u32::try_from(length.unwrap_or(1)).ok();
        let product = length.and_then(|length| total.checked_mul(length));
        total = product.ok_or_else(|| PassError::new("an array would have too many elements"))?;
    }
    steps.reverse();
    let array = match it.lengths.first() {
        Some(None) => b.type_runtime_array(it.element),
        _ => {
            let length = b.constant_u32(total);
            b.type_array(it.element, length)
        }
    };
    let pointer = b.type_pointer(class, array);
    let to_element = b.type_pointer(class, it.element);
    let mut work: Vec<Way> = Vec::new();
    let mut known: HashMap<Id, (Option<Id>, usize)> = HashMap::from_iter([(id, (None, 0))]);
    let mut pending = vec![id];
    let mut gone: Vec<Inst> = Vec::new();
    while let Some(base) = pending.pop() {
        let Some(&(index, depth)) = known.get(&base) else {
            continue;
        };
        let module = b.module();
        let mut chains = Vec::new();
        for found in module.uses(base) {
            let op = module.op(found.inst);
            if matches!(op, Op::AccessChain | Op::InBoundsAccessChain) && found.word == 3 {
                chains.push(found.inst);
            } else if !(module.is_about(found) || op == Op::EntryPoint || op.is_ext_inst()) {
                return Err(PassError::new(format!(
                    "{op} uses an array of arrays of descriptors as a whole"
                )));
            }
        }
        for inst in chains {
            work.push(Way { inst, index, depth });
        }
        while let Some(way) = work.pop() {
            let words = b.module().get(way.inst).operand_words().to_vec();
            let indices = &words[3..];
            let here = indices.len().min(steps.len() - way.depth);
            growth.add(6 * here + words.len())?;
            b.insert_at(Place::Before(way.inst));
            let mut sum = way.index;
            for (&index, &step) in indices[..here].iter().zip(&steps[way.depth..]) {
                sum = Some(add(b, sum, Id(index), step));
            }
            let depth = way.depth + here;
            let Some(result) = b.module().result(way.inst) else {
                continue;
            };
            let Some(sum) = sum.filter(|_| depth == steps.len()) else {
                known.insert(result, (sum, depth));
                pending.push(result);
                gone.push(way.inst);
                continue;
            };
            let op = b.module().op(way.inst);
            let ty = if here == indices.len() {
                to_element.0
            } else {
                words[0]
            };
            let new = [&[ty, words[1], id.0, sum.0], &indices[here..]].concat();
            b.module_mut().replace(way.inst, op, &new)?;
        }
    }
    for inst in gone.into_iter().rev() {
        b.module_mut().erase(inst)?;
    }
    let module = b.module_mut();
    module.set_word(it.variable, 1, pointer.0)?;
    Ok(order.put_behind(module, it.variable, pointer)?)
}

/// A sum of what is there and an index times a number.
fn add(b: &mut Builder, sum: Option<Id>, index: Id, step: u32) -> Id {
    let uint = b.type_int(32, 0);
    let module = b.module();
    let known = module.constant_u64(index);
    let ty = module.type_of(index).map(|ty| module.ty(ty));
    let so_far = sum.map(|sum| module.constant_u64(sum));
    if let (Some(known), None | Some(Some(_))) = (known, so_far) {
        let sum = so_far.flatten().unwrap_or(0);
        return b.constant_u32((known as u32).wrapping_mul(step).wrapping_add(sum as u32));
    }
    let index = match ty {
        Some(Type::Int { width: 32, signed }) if !signed => index,
        Some(Type::Int { width: 32, .. }) => b.bitcast(uint, index),
        _ => b.u_convert(uint, index),
    };
    let times = match step {
        1 => index,
        _ => {
            let step = b.constant_u32(step);
            b.i_mul(uint, index, step)
        }
    };
    match sum {
        Some(sum) => b.i_add(uint, sum, times),
        None => times,
    }
}
