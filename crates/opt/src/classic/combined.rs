//! Images and samplers that become one.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::{HashMap, HashSet};
use spirvkit_analysis::Type;
use spirvkit_binary::Id;
use spirvkit_grammar::{Dim, Op};
use spirvkit_ir::{Inst, Lookup, Module, Place};

use super::descriptors::{Resource, resources};
use super::interface::list_instead;
use super::{Growth, Order, built, decorations, descriptions, shown};
use crate::pass::{Changed, Context, PassError};

/// Pairs of a set and a binding, like `0:1 0:2`.
fn pairs(argument: &str) -> Result<Vec<(u32, u32)>, String> {
    let number = |text: &str| {
        let number = text.parse::<u32>();
        number.map_err(|_| format!("`{text}` is no number of a set or a binding"))
    };
    let pairs = super::pairs(argument, "SET:BINDING")?.into_iter();
    pairs
        .map(|(set, binding)| Ok((number(set)?, number(binding)?)))
        .collect()
}

pub(super) fn check_pairs(argument: &str) -> Result<(), String> {
    pairs(argument).map(drop)
}

/// Makes sampled images of the images with these bindings, and of the samplers that share them.
pub(super) fn convert(
    module: &mut Module,
    argument: &str,
    context: &mut Context<'_>,
) -> Result<Changed, PassError> {
    let wanted: BTreeSet<(u32, u32)> = (pairs(argument).map_err(PassError::new)?)
        .into_iter()
        .collect();
    let flattened = decorations::flatten(module, context)?;
    let mut found: BTreeMap<(u32, u32), (Option<Resource>, Option<Resource>)> = BTreeMap::new();
    for it in resources(module) {
        let place = (it.set, it.binding);
        let ty = shown(module, it.ty);
        if !wanted.contains(&place) || !matches!(ty, Type::Image(_) | Type::Sampler) {
            continue;
        }
        let (image, sampler) = found.entry(place).or_default();
        match ty {
            Type::Sampler => sampler.get_or_insert(it),
            _ => image.get_or_insert(it),
        };
    }
    let order = Order::of(module);
    let mut gone: HashMap<Id, Vec<Id>> = HashMap::new();
    for (&(set, binding), (image, sampler)) in &found {
        let Some(image) = image else {
            let message = format!("{set}:{binding} is a sampler without an image");
            return Err(PassError::new(message));
        };
        if !is_sampled(module, image.ty) {
            let message = format!("{set}:{binding} is an image that is read without a sampler");
            return Err(PassError::new(message));
        }
        combine(module, image, sampler.as_ref(), &order)?;
        gone.extend(sampler.as_ref().map(|sampler| (sampler.id, Vec::new())));
    }
    let mut growth = Growth::of(module);
    list_instead(module, &gone, &mut growth)?;
    Ok(flattened.or(Changed::if_any(found.len())))
}

/// Whether an image may be sampled with a sampler.
fn is_sampled(module: &Module, ty: Id) -> bool {
    match module.ty(ty) {
        Type::Image(image) => {
            image.sampled != 2 && !matches!(image.dim, Dim::Buffer | Dim::SubpassData)
        }
        _ => false,
    }
}

/// The loads from a variable, which nothing else may use.
fn loads(module: &Module, it: &Resource) -> Result<Vec<Inst>, PassError> {
    let described = descriptions(module, it.variable);
    let mut loads = Vec::new();
    for found in module.uses(it.id) {
        match module.op(found.inst) {
            Op::Load => loads.push(found.inst),
            Op::EntryPoint => {}
            _ if module.is_about(found) || described.contains(&found.inst) => {}
            op => {
                let message = format!("{}:{} is used by {op}", it.set, it.binding);
                return Err(PassError::new(message));
            }
        }
    }
    Ok(loads)
}

fn combine(
    module: &mut Module,
    image: &Resource,
    sampler: Option<&Resource>,
    order: &Order,
) -> Result<(), PassError> {
    let image_loads = loads(module, image)?;
    let sampler_loads = match sampler {
        Some(sampler) => loads(module, sampler)?,
        None => Vec::new(),
    };
    let results = |loads: &[Inst]| -> HashSet<Id> {
        let results = loads.iter().filter_map(|&load| module.result(load));
        results.collect()
    };
    let (images, samplers) = (results(&image_loads), results(&sampler_loads));
    let joins_both = |module: &Module, inst: Inst| {
        let sampler = module.operand_id(inst, 1);
        module.op(inst) == Op::SampledImage && sampler.is_some_and(|it| samplers.contains(&it))
    };
    // What is sampled elsewhere with the sampler would lose it.
    for &sampler in &samplers {
        for found in module.uses(sampler) {
            let joined = module.operand_id(found.inst, 0);
            let is_ours = joined.is_some_and(|joined| images.contains(&joined));
            let is_joined = joins_both(module, found.inst) && is_ours;
            if !is_joined && !module.is_about(found) {
                return Err(PassError::new(
                    "the sampler is used with another image, too",
                ));
            }
        }
    }
    let (sampled, pointer) = built(module.edit(|b| {
        let sampled = b.type_sampled_image(image.ty);
        (sampled, b.type_pointer(image.class, sampled))
    }))?;
    module.set_word(image.variable, 1, pointer.0)?;
    order.put_behind(module, image.variable, pointer)?;
    for load in image_loads {
        let Some(id) = module.result(load) else {
            continue;
        };
        module.set_word(load, 1, sampled.0)?;
        let uses: Vec<_> = module
            .uses(id)
            .filter(|&found| !module.is_about(found))
            .collect();
        let mut plain = None;
        for found in uses {
            if joins_both(module, found.inst) {
                module.replace_with(found.inst, id)?;
                continue;
            }
            let taken = match plain {
                Some(taken) => taken,
                None => {
                    let taken = module.fresh_id();
                    let operands = [image.ty.0, taken.0, id.0];
                    module.insert(Place::After(load), Op::Image, &operands)?;
                    taken
                }
            };
            plain = Some(taken);
            module.set_word(found.inst, found.word, taken.0)?;
        }
    }
    for load in sampler_loads {
        module.erase(load)?;
    }
    if let Some(sampler) = sampler {
        for described in descriptions(module, sampler.variable) {
            module.erase(described)?;
        }
        module.erase(sampler.variable)?;
    }
    Ok(())
}
